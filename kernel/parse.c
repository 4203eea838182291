/* kernel/parse.c -- a kernel program from its text (docs/kernel.md): what stands before the regions, and the whole. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "kernel/parse.h"
#include "kernel/report.h"

static const char *new_name(struct lt_kernel_parser *p, const char *what, int32_t value)
{
	if (p->kind == LT_KERNEL_WORD && lt__kernel_name_find(&p->names, p->at, p->bytes) >= 0)
		LT_KERNEL_SYNTAX(p, "%s is declared twice; buffers and variables have different names", lt__kernel_token(p).text);
	if (p->kind != LT_KERNEL_WORD)
		LT_KERNEL_SYNTAX(p, "expected %s, found %s", what, lt__kernel_token(p).text);
	const char *name = lt__kernel_word(p, what);
	lt__kernel_name_add(&p->names, name, strlen(name), value);
	return name;
}

static struct lt_value_type one_element(struct lt_kernel_parser *p)
{
	struct lt_text_place at = p->place;
	struct lt_value_type t = lt__kernel_type(p);
	if (t.lanes != 1 || t.dtype == LT_LANE_MASK)
		lt__kernel_fail(p, LT_ESYNTAX, at, "expected the type of one element, such as f32");
	return t;
}

static void read_space(struct lt_kernel_parser *p, struct lt_kernel_buffer *b)
{
	b->slot = -1;
	if (lt__kernel_accept(p, "slot")) {
		b->space = LT_SPACE_SLOT;
		b->slot = (int32_t)lt__kernel_number(p, "a slot", 0, INT32_MAX - 1);
	} else if (lt__kernel_accept(p, "workspace")) {
		b->space = LT_SPACE_WORKSPACE;
		b->offset = lt__kernel_number(p, "an offset in bytes", 0, INT64_MAX);
	} else if (lt__kernel_accept(p, "thread")) {
		b->space = LT_SPACE_THREAD;
		b->offset = lt__kernel_number(p, "an offset in bytes", 0, INT64_MAX);
	} else if (lt__kernel_accept(p, "array")) {
		b->space = LT_SPACE_ARRAY;
	} else {
		LT_KERNEL_SYNTAX(p, "expected `slot N`, `workspace BYTES`, `thread BYTES` or `array`, found %s",
			lt__kernel_token(p).text);
	}
}

static void read_buffer(struct lt_kernel_parser *p)
{
	struct lt_kernel_builder *b = &p->b;
	struct lt_kernel_buffer x = { .name = new_name(p, "a buffer's name", 2 * b->n_buffer) };
	x.dtype = one_element(p).dtype;
	lt__kernel_expect(p, "[");
	x.elems = lt__kernel_number(p, "how many elements", 1, INT64_MAX);
	lt__kernel_expect(p, "]");
	read_space(p, &x);
	lt__kernel_expect(p, "align");
	x.align = lt__kernel_number(p, "an alignment in bytes", 1, INT64_MAX);
	x.exclusive = lt__kernel_accept(p, "exclusive");
	x.written = lt__kernel_accept(p, "written");
	x.origin = lt__kernel_origin(p);
	if (x.slot >= b->n_slot && !p->slots_given)
		b->n_slot = x.slot + 1;
	b->buffer = lt__kernel_grown(&b->pool, b->buffer, b->n_buffer, &b->cap_buffer, sizeof *b->buffer);
	b->buffer[b->n_buffer++] = x;
	lt__kernel_placed(p, LT_PART_BUFFER, p->statement);
}

static void read_variable(struct lt_kernel_parser *p)
{
	struct lt_kernel_builder *b = &p->b;
	struct lt_variable x = { .name = new_name(p, "a variable's name", 2 * b->n_variable + 1) };
	struct lt_value_type t = lt__kernel_type(p);
	x.dtype = t.dtype;
	x.lanes = t.lanes;
	b->variable = lt__kernel_grown(&b->pool, b->variable, b->n_variable, &b->cap_variable, sizeof *b->variable);
	b->variable[b->n_variable++] = x;
	lt__kernel_placed(p, LT_PART_VARIABLE, p->statement);
}

/* LOW..HIGH is one word. */
static void read_range(struct lt_kernel_parser *p, struct lt_kernel_param *x)
{
	size_t n = p->bytes, at = 0;
	while (at + 1 < n && (p->at[at] != '.' || p->at[at + 1] != '.'))
		at++;
	if (p->kind != LT_KERNEL_WORD || at + 1 >= n)
		LT_KERNEL_SYNTAX(p, "expected a range such as 0..127, found %s", lt__kernel_token(p).text);
	p->bytes = at;
	p->next = p->at + at;
	x->low = lt__kernel_number(p, "the least value", INT64_MIN, INT64_MAX);
	p->at += 2;
	p->bytes -= 2;
	x->high = lt__kernel_number(p, "the greatest value", INT64_MIN, INT64_MAX);
}

static void read_param(struct lt_kernel_parser *p)
{
	struct lt_kernel_param x = { .name = lt__kernel_word(p, "a param's name") };
	lt__kernel_expect(p, "buffer");
	x.buffer = p->kind == LT_KERNEL_WORD ? lt__kernel_name_find(&p->names, p->at, p->bytes) : -1;
	if (x.buffer < 0 || x.buffer & 1)
		LT_KERNEL_SYNTAX(p, "expected the name of a buffer that a line above declares, found %s", lt__kernel_token(p).text);
	x.buffer /= 2;
	lt__kernel_next(p);
	lt__kernel_expect(p, "element");
	x.element = lt__kernel_number(p, "an element", 0, INT64_MAX);
	lt__kernel_expect(p, "range");
	read_range(p, &x);
	p->b.param = lt__kernel_grown(&p->b.pool, p->b.param, p->b.n_param, &p->b.cap_param, sizeof *p->b.param);
	p->b.param[p->b.n_param++] = x;
	lt__kernel_placed(p, LT_PART_PARAM, p->statement);
}

/* operator NAME f32 (f32, i64) identity 0x0 "text" */
static void read_operator_line(struct lt_kernel_parser *p)
{
	struct lt_op op = { .name = lt__kernel_word(p, "an operator's name") };
	op.out = one_element(p).dtype;
	lt__kernel_expect(p, "(");
	while (!lt__kernel_is(p, ")")) {
		if (op.arity)
			lt__kernel_expect(p, ",");
		if (op.arity == 3)
			LT_KERNEL_SYNTAX(p, "an operator has at most three operands");
		op.in[op.arity] = one_element(p).dtype;
		op.arity++;
	}
	lt__kernel_next(p);
	lt__kernel_expect(p, "identity");
	op.identity = lt__kernel_hex(p, "the operator's identity");
	op.source = lt__kernel_string(p, "the operator's C text");
	p->b.op = lt__kernel_grown(&p->b.pool, p->b.op, p->b.n_op, &p->b.cap_op, sizeof *p->b.op);
	p->b.op[p->b.n_op++] = op;
	lt__kernel_placed(p, LT_PART_OPERATOR, p->statement);
}

static void read_workspace(struct lt_kernel_parser *p)
{
	p->b.workspace_bytes = lt__kernel_number(p, "the bytes of the workspace", 0, INT64_MAX);
	lt__kernel_expect(p, "thread");
	p->b.thread_bytes = lt__kernel_number(p, "the bytes of a thread's part", 0, INT64_MAX);
	p->slots_given = lt__kernel_accept(p, "slots");
	if (p->slots_given)
		p->b.n_slot = (int32_t)lt__kernel_number(p, "how many slots there are", 0, INT32_MAX);
}

/* The region that was read has ended all its blocks. */
static void close_region(struct lt_kernel_parser *p)
{
	const struct lt_region_builder *r = &p->b.region[p->b.now];
	if (r->n_open == 0)
		return;
	int32_t open = r->open[r->n_open - 1], first = p->places[LT_PART_INSTRUCTION].n - r->n;
	lt__kernel_fail(p, LT_ESYNTAX, p->places[LT_PART_INSTRUCTION].at[first + open], "this '%s' has no 'end'",
		lt_opcode_name(r->at[open].opcode));
}

static void read_region(struct lt_kernel_parser *p, int32_t n_seen)
{
	struct lt_text_place at = p->place;
	if (lt__kernel_accept(p, "host")) {
		if (n_seen)
			lt__kernel_fail(p, LT_ESYNTAX, at, "there is one host region, and it is the first");
		p->b.region[0].region.origin = lt__kernel_origin(p);
	} else if (lt__kernel_accept(p, "team")) {
		if (!n_seen)
			lt__kernel_fail(p, LT_ESYNTAX, at, "the first region is `region host`");
		close_region(p);
		at = p->place;
		if (lt__kernel_number(p, "the region's number", 1, INT32_MAX) != n_seen)
			lt__kernel_fail(p, LT_ESYNTAX, at, "regions are numbered in their order; this one is %" PRId32, n_seen);
		(void)lt__build_region(&p->b, LT_REGION_TEAM, 0, lt__kernel_origin(p));
	} else {
		LT_KERNEL_SYNTAX(p, "expected `host` or `team N`, found %s", lt__kernel_token(p).text);
	}
	p->values.n = 0;
	lt__kernel_placed(p, LT_PART_REGION, p->statement);
}

static void read_prelude(struct lt_kernel_parser *p, struct lt_out *prelude)
{
	const char *text = lt__kernel_string(p, "C text");
	lt__out(prelude, text);
}

/* A line before the regions; the first token is read. */
static void read_head(struct lt_kernel_parser *p, struct lt_out *prelude)
{
	if (lt__kernel_accept(p, "name")) {
		if (*p->b.name)
			lt__kernel_fail(p, LT_ESYNTAX, p->statement, "the program has two names");
		p->b.name = lt__kernel_word(p, "the program's name");
	} else if (lt__kernel_accept(p, "workspace")) {
		read_workspace(p);
	} else if (lt__kernel_accept(p, "prelude")) {
		read_prelude(p, prelude);
	} else if (lt__kernel_accept(p, "operator")) {
		read_operator_line(p);
	} else if (lt__kernel_accept(p, "buffer")) {
		read_buffer(p);
	} else if (lt__kernel_accept(p, "variable")) {
		read_variable(p);
	} else if (lt__kernel_accept(p, "param")) {
		read_param(p);
	} else {
		LT_KERNEL_SYNTAX(p, "expected a line that begins with name, workspace, prelude, operator, buffer, variable, param or "
			"region, found %s", lt__kernel_token(p).text);
	}
}

static bool next_line(struct lt_kernel_parser *p)
{
	do
		lt__kernel_next(p);
	while (p->kind == LT_KERNEL_LINE);
	p->statement = p->place;
	return p->kind != LT_KERNEL_END;
}

static void read_program(struct lt_kernel_parser *p)
{
	struct lt_out prelude = lt__out_new(&p->b.pool);
	int32_t n_seen = 0;
	lt__builder_begin(&p->b);
	if (!next_line(p) || !lt__kernel_accept(p, "kernel") || !lt__kernel_is(p, "1"))
		LT_KERNEL_SYNTAX(p, "a kernel program begins with the line `kernel 1`, not with %s", lt__kernel_token(p).text);
	lt__kernel_next(p);
	lt__kernel_line_end(p);
	while (next_line(p)) {
		if (lt__kernel_accept(p, "region"))
			read_region(p, n_seen++);
		else if (n_seen)
			lt__kernel_instruction(p);
		else
			read_head(p, &prelude);
		lt__kernel_line_end(p);
	}
	if (!n_seen)
		LT_KERNEL_SYNTAX(p, "the text has no `region host`, where a program begins");
	if (!*p->b.name)
		LT_KERNEL_SYNTAX(p, "the program has no name; add a line such as `name softmax`");
	close_region(p);
	p->b.prelude = prelude.at;
}

/* How many arguments a team has is what its launch hands over. */
static void count_arguments(struct lt_kernel_builder *b)
{
	const struct lt_region_builder *host = &b->region[0];
	for (int32_t i = host->n; i-- > 0; )
		if (host->at[i].opcode == LT_OPCODE_launch && host->at[i].what < b->n_region)
			b->region[host->at[i].what].region.n_argument = host->at[i].n_extra;
}

/* A rule that is broken, at the line that breaks it. */
static lt_status refuse(const struct lt_kernel_parser *p, const struct lt_broken_rule *broken)
{
	const struct lt_text_places *x = &p->places[broken->part];
	struct lt_text_place at = broken->index >= 0 && broken->index < x->n ? x->at[broken->index]
		: (struct lt_text_place){ 1, 1 };
	return lt__kernel_refuse(p->diag, broken, at,
		broken->other < 0 ? 0 : p->places[LT_PART_INSTRUCTION].at[broken->other].line);
}

static lt_status parse(struct lt_kernel_parser *p, struct lt_kernel **out)
{
	struct lt_broken_rule broken;
	if (setjmp(p->scratch.jump) || setjmp(p->b.pool.jump))
		return p->status;
	p->names.pool = p->values.pool = &p->scratch;
	read_program(p);
	count_arguments(&p->b);
	*out = lt__builder_end(&p->b);
	lt_status status = lt__kernel_check(*out, &broken);
	return status == LT_EINVAL ? refuse(p, &broken) : status;
}

lt_status lt_kernel_parse(const char *text, size_t bytes, struct lt_kernel **out, struct lt_diag *diag)
{
	*out = NULL;
	struct lt_kernel_parser *p = calloc(1, sizeof *p);
	if (p) {
		p->diag = diag;
		p->next = p->line_at = text ? text : "";
		p->end = p->next + (text ? bytes : 0);
		p->line = 1;
		p->status = LT_ENOMEM;
	}
	lt_status status = p ? parse(p, out) : LT_ENOMEM;
	if (status == LT_ENOMEM)
		status = lt__report(diag, LT_ENOMEM, -1, -1, NULL, "out of memory");
	if (status) {
		lt_kernel_free(*out);
		*out = NULL;
	}
	if (p) {
		lt__pool_free(&p->scratch);
		lt__builder_free(&p->b);
	}
	free(p);
	return status;
}
