/* parse.c -- a kernel program from its text (docs/kernel.md): regions, and the whole. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "kernel/parse/parser.h"
#include "kernel/build/build.h"

/* The region that was read has ended all its blocks. */
static void close_region(struct lt_kernel_parser *p)
{
	const struct lt_region_builder *r = &p->b.region[p->b.now];
	if (r->n_open == 0)
		return;
	int32_t open = r->open[r->n_open - 1], first = p->positions[LT_PART_INSTRUCTION].n - r->n;
	lt__kernel_fail(p, LT_ESYNTAX, p->positions[LT_PART_INSTRUCTION].at[first + open], "this '%s' has no 'end'",
		lt_opcode_name(r->at[open].opcode));
}

/* What a grid has more than a team. */
static void read_extents(struct lt_kernel_parser *p, struct lt_region *r)
{
	int64_t threads[3];
	lt__kernel_expect(p, "blocks");
	lt__kernel_three(p, "how many blocks there are at most", r->blocks, INT32_MAX);
	lt__kernel_expect(p, "threads");
	lt__kernel_three(p, "how many threads a block has", threads, LT_MAX_THREADS);
	for (int i = 0; i < 3; i++)
		r->threads[i] = (int32_t)threads[i];
	lt__kernel_expect(p, "subgroup");
	r->subgroup = (int32_t)lt__kernel_number(p, "how many threads a subgroup has", 1, LT_MAX_THREADS);
	lt__kernel_expect(p, "shared");
	r->shared_bytes = lt__kernel_number(p, "the bytes of a block's shared memory", 0, INT32_MAX);
	if (lt__kernel_accept(p, "resident"))
		r->resident = (int32_t)lt__kernel_number(p, "how many blocks should be resident", 1, LT_MAX_THREADS);
}

/* Behind `region`. */
static void read_region(struct lt_kernel_parser *p, int32_t n_seen)
{
	struct lt_text_position at = p->position;
	bool is_team = lt__kernel_is(p, "team"), is_grid = lt__kernel_is(p, "grid");
	if (lt__kernel_accept(p, "host")) {
		if (n_seen)
			lt__kernel_fail(p, LT_ESYNTAX, at, "there is one host region, and it is the first");
		p->b.region[0].region.origin = lt__kernel_origin(p);
	} else if (is_team || is_grid) {
		if (!n_seen)
			lt__kernel_fail(p, LT_ESYNTAX, at, "the first region is `region host`");
		close_region(p);
		lt__kernel_next(p);
		at = p->position;
		if (lt__kernel_number(p, "the region's number", 1, INT32_MAX) != n_seen)
			lt__kernel_fail(p, LT_ESYNTAX, at, "regions are numbered in their order; this one is %" PRId32, n_seen);
		struct lt_region r = { .kind = is_grid ? LT_REGION_GRID : LT_REGION_TEAM };
		if (is_grid)
			read_extents(p, &r);
		r.origin = lt__kernel_origin(p);
		int32_t region = lt__build_region(&p->b, (enum lt_region_kind)r.kind, 0, -1);
		p->b.region[region].region = r;
	} else {
		LT_KERNEL_SYNTAX(p, "expected `host`, `team N` or `grid N`, found %s", lt__kernel_token(p).text);
	}
	p->values.n = 0;
	lt__kernel_located(p, LT_PART_REGION, p->statement);
}

static bool next_line(struct lt_kernel_parser *p)
{
	do
		lt__kernel_next(p);
	while (p->kind == LT_KERNEL_LINE);
	p->statement = p->position;
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
			lt__kernel_head(p, &prelude);
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
		if (lt__opcode_launches(host->at[i].opcode) && host->at[i].what < b->n_region)
			b->region[host->at[i].what].region.n_argument = host->at[i].n_extra;
}

/* A rule that is broken, at the line that breaks it. */
static lt_status refuse(const struct lt_kernel_parser *p, const struct lt_broken_rule *broken)
{
	const struct lt_text_positions *x = &p->positions[broken->part];
	struct lt_text_position at = broken->index >= 0 && broken->index < x->n ? x->at[broken->index]
		: (struct lt_text_position){ 1, 1 };
	return lt__kernel_refuse(p->diag, broken, at,
		broken->other < 0 ? 0 : p->positions[LT_PART_INSTRUCTION].at[broken->other].line);
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
