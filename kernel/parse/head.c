/* head.c -- what stands before the regions in the text of a kernel program. */
#include <inttypes.h>
#include <string.h>
#include "kernel/parse/parser.h"

static const char *new_name(struct lt_kernel_parser *p, const char *what, int32_t value)
{
	if (p->kind == LT_KERNEL_WORD && lt__kernel_name_find(&p->names, p->at, p->bytes) >= 0)
		LT_KERNEL_SYNTAX(p, "%s is declared twice; all names are different", lt__kernel_token(p).text);
	if (p->kind != LT_KERNEL_WORD)
		LT_KERNEL_SYNTAX(p, "expected %s, found %s", what, lt__kernel_token(p).text);
	const char *name = lt__kernel_word(p, what);
	lt__kernel_name_add(&p->names, name, strlen(name), value);
	return name;
}

static struct lt_value_type one_element(struct lt_kernel_parser *p)
{
	struct lt_text_position at = p->position;
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
	} else if (lt__kernel_accept(p, "shared")) {
		b->space = LT_SPACE_SHARED;
		b->offset = lt__kernel_number(p, "an offset in bytes", 0, INT64_MAX);
	} else {
		LT_KERNEL_SYNTAX(p, "expected `slot N`, `workspace BYTES`, `thread BYTES`, `shared BYTES` or `array`, found %s",
			lt__kernel_token(p).text);
	}
}

static void read_buffer(struct lt_kernel_parser *p)
{
	struct lt_kernel_builder *b = &p->b;
	struct lt_kernel_buffer x = { .name = new_name(p, "a buffer's name",
		LT_NKERNEL_NAMED * b->n_buffer + LT_KERNEL_BUFFER) };
	x.dtype = one_element(p).dtype;
	lt__kernel_expect(p, "[");
	x.elems = lt__kernel_number(p, "how many elements", 1, INT64_MAX);
	lt__kernel_expect(p, "]");
	read_space(p, &x);
	x.swizzle = lt__kernel_accept(p, "swizzle") ? (int32_t)lt__kernel_number(p, "32, 64 or 128", 32, 128) : 0;
	lt__kernel_expect(p, "align");
	x.align = lt__kernel_number(p, "an alignment in bytes", 1, INT64_MAX);
	x.exclusive = lt__kernel_accept(p, "exclusive");
	x.written = lt__kernel_accept(p, "written");
	x.origin = lt__kernel_origin(p);
	if (x.slot >= b->n_slot && !p->slots_given)
		b->n_slot = x.slot + 1;
	b->buffer = lt__pool_grown(&b->pool, b->buffer, b->n_buffer, &b->cap_buffer, sizeof *b->buffer);
	b->buffer[b->n_buffer++] = x;
	lt__kernel_located(p, LT_PART_BUFFER, p->statement);
}

static void read_variable(struct lt_kernel_parser *p)
{
	struct lt_kernel_builder *b = &p->b;
	struct lt_variable x = { .name = new_name(p, "a variable's name",
		LT_NKERNEL_NAMED * b->n_variable + LT_KERNEL_VARIABLE) };
	struct lt_value_type t = lt__kernel_type(p);
	x.dtype = t.dtype;
	x.lanes = t.lanes;
	b->variable = lt__pool_grown(&b->pool, b->variable, b->n_variable, &b->cap_variable, sizeof *b->variable);
	b->variable[b->n_variable++] = x;
	lt__kernel_located(p, LT_PART_VARIABLE, p->statement);
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
	if (x.buffer < 0 || x.buffer % LT_NKERNEL_NAMED != LT_KERNEL_BUFFER)
		LT_KERNEL_SYNTAX(p, "expected the name of a buffer that a line above declares, found %s", lt__kernel_token(p).text);
	x.buffer /= LT_NKERNEL_NAMED;
	lt__kernel_next(p);
	lt__kernel_expect(p, "element");
	x.element = lt__kernel_number(p, "an element", 0, INT64_MAX);
	lt__kernel_expect(p, "range");
	read_range(p, &x);
	p->b.param = lt__pool_grown(&p->b.pool, p->b.param, p->b.n_param, &p->b.cap_param, sizeof *p->b.param);
	p->b.param[p->b.n_param++] = x;
	lt__kernel_located(p, LT_PART_PARAM, p->statement);
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
	p->b.op = lt__pool_grown(&p->b.pool, p->b.op, p->b.n_op, &p->b.cap_op, sizeof *p->b.op);
	p->b.op[p->b.n_op++] = op;
	lt__kernel_located(p, LT_PART_OPERATOR, p->statement);
}

void lt__kernel_three(struct lt_kernel_parser *p, const char *what, int64_t *out, int64_t max)
{
	for (int i = 0; i < 3; i++) {
		lt__kernel_expect(p, i ? "," : "(");
		out[i] = lt__kernel_number(p, what, 1, max);
	}
	lt__kernel_expect(p, ")");
}

/* (k1, m8): which axis, and how far along it; both are one word. */
static uint8_t read_bits(struct lt_kernel_parser *p, struct lt_matrix_bit *bit)
{
	uint8_t n = 0;
	lt__kernel_expect(p, "(");
	while (!lt__kernel_is(p, ")")) {
		if (n)
			lt__kernel_expect(p, ",");
		const char *axis = p->kind == LT_KERNEL_WORD && p->bytes > 1 ? memchr("mnk", *p->at, 3) : NULL;
		if (!axis || n == LT_MATRIX_BITS)
			LT_KERNEL_SYNTAX(p, "expected at most %d of m1, n2, k4 ..., found %s", (int)LT_MATRIX_BITS,
				lt__kernel_token(p).text);
		bit[n].axis = (uint8_t)(*axis == 'm' ? 0 : *axis == 'n' ? 1 : 2);
		p->at++;
		p->bytes--;
		int64_t far = lt__kernel_number(p, "a power of two behind the axis", 1, 1 << 10);
		while (far >> bit[n].power > 1)
			bit[n].power++;
		if (far != INT64_C(1) << bit[n].power)
			LT_KERNEL_SYNTAX(p, "%" PRId64 " is no power of two", far);
		n++;
	}
	lt__kernel_next(p);
	return n;
}

/* matrix NAME (16, 8, 16) threads 32 a f16 (k1, m8, k8) (k2, k4, m1, m2, m4) b f16 ... c f32 ... */
static void read_matrix(struct lt_kernel_parser *p)
{
	struct lt_kernel_builder *b = &p->b;
	static const char *const parts[LT_NMATRIX] = { "a", "b", "c" };
	int64_t extent[3];
	if (b->n_matrix == LT_MAX_MATRICES)
		LT_KERNEL_SYNTAX(p, "more than %d matrix descriptions", (int)LT_MAX_MATRICES);
	struct lt_kernel_matrix x = {
		.name = new_name(p, "a description's name", LT_NKERNEL_NAMED * b->n_matrix + LT_KERNEL_MATRIX) };
	lt__kernel_three(p, "an extent of m, n or k", extent, 256);
	for (int i = 0; i < 3; i++)
		x.extent[i] = (int32_t)extent[i];
	lt__kernel_expect(p, "threads");
	x.threads = (int32_t)lt__kernel_number(p, "how many threads it takes", 1, 128);
	for (int i = 0; i < LT_NMATRIX; i++) {
		lt__kernel_expect(p, parts[i]);
		x.part[i].dtype = one_element(p).dtype;
		x.part[i].n_element = read_bits(p, x.part[i].element);
		x.part[i].n_thread = read_bits(p, x.part[i].thread);
	}
	b->matrix = lt__pool_grown(&b->pool, b->matrix, b->n_matrix, &b->cap_matrix, sizeof *b->matrix);
	b->matrix[b->n_matrix++] = x;
	lt__kernel_located(p, LT_PART_MATRIX, p->statement);
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

static void read_prelude(struct lt_kernel_parser *p, struct lt_out *prelude)
{
	const char *text = lt__kernel_string(p, "C text");
	lt__out(prelude, text);
}

void lt__kernel_head(struct lt_kernel_parser *p, struct lt_out *prelude)
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
	} else if (lt__kernel_accept(p, "matrix")) {
		read_matrix(p);
	} else if (lt__kernel_accept(p, "call")) {
		lt__kernel_read_call(p);
	} else {
		LT_KERNEL_SYNTAX(p, "expected a line that begins with name, workspace, prelude, operator, buffer, variable, param, "
			"matrix, call or region, found %s", lt__kernel_token(p).text);
	}
}
