/* backends/cgen/nest.c -- prints loops, by the mode that plan.c gave each, and what lives in their trips. */
#include <stdio.h>
#include <string.h>
#include "backends/cgen/gen.h"
#include "backends/cgen/vector.h"

enum { MAX_HINT = 8 };

static const struct lt_loop *loop_at(const struct gen *g, int32_t l) { return LT_AT(struct lt_loop, g->t->loops, l); }

/* Variables of a local in registers: "T c_0, c_1;", one of those that have one type behind the other. */
static void declare_registers(struct gen *g, int32_t b, const char *type)
{
	const struct place *p = &g->place[b];
	const struct lt_buffer *buffer = LT_AT(struct lt_buffer, g->t->buffers, b);
	struct lt_out o = lt__out_new(&g->pool);
	int width = 0, n = 0;
	for (int64_t e = 0; e < buffer->elems; e++) {
		if (p->tile[e] != e)
			continue;
		if (n && (p->width[e] != width || n == 8)) {
			lt__gen_line(g, "%s;", o.at);
			o.n = 0;
			n = 0;
		}
		width = p->width[e];
		if (n == 0)
			lt__out(&o,
				width == 1 ? type
					   : lt__vector_type(&g->pool,
						   LT_AT(struct lt_type, g->t->types, buffer->type)->dtype, width));
		lt__outf(&o, n++ ? ", %s" : " %s", p->reg[e]);
	}
	if (n)
		lt__gen_line(g, "%s;", o.at);
}

static void declare_local(struct gen *g, int32_t b)
{
	const struct place *p = &g->place[b];
	const struct lt_buffer *buffer = LT_AT(struct lt_buffer, g->t->buffers, b);
	const struct lt_type *t = LT_AT(struct lt_type, g->t->types, buffer->type);
	const char *type = t->ctype;
	if (lt__gen_private(g, b))
		type = lt__vector_type(&g->pool, t->dtype, g->lanes);
	if (p->home == HOME_REGISTERS)
		declare_registers(g, b, type);
	else if (p->home == HOME_SCALAR)
		lt__gen_line(g, "%s %s;", type, p->name);
	else
		lt__gen_line(g, "%s%s %s[%lld];", g->d->array, type, p->name, (long long)buffer->elems);
}

/* What depends on loop l (-1: on none) and lives in its trips. */
static void declare(struct gen *g, int32_t l)
{
	for (int32_t d = g->first_div[l + 1]; d >= 0; d = g->next_div[d]) {
		const struct column *c = &g->column[div_column(g->t, d)];
		lt__gen_set_div(g, d);
		if (!c->fixed)
			lt__gen_line(g, "const int64_t %s = %s;", g->div[d], lt__gen_floordiv(g, d));
	}
	for (int32_t b = g->first_local[l + 1]; b >= 0; b = g->place[b].next)
		if (!g->place[b].declared)
			declare_local(g, b);
}

/* Whether a block of its own is needed for what `declare` and statements say in a trip of l. */
static bool has_names(const struct gen *g, int32_t l)
{
	if (g->first_local[l + 1] >= 0)
		return true;
	for (int32_t d = g->first_div[l + 1]; d >= 0; d = g->next_div[d])
		if (!g->column[div_column(g->t, d)].fixed)
			return true;
	return false;
}

const char *lt__gen_trip_count(struct gen *g, int32_t l)
{
	const struct lt_loop *loop = loop_at(g, l);
	int64_t most = loop->max_trip_count;
	struct lt_out least = lt__out_new(&g->pool);
	bool covered = false;
	int n = 0;
	for (int32_t b = loop->first_bound; b < loop->first_bound + loop->n_bound; b++) {
		struct range r = lt__gen_range(g, g->t->bounds[b]);
		if (r.known && r.low == r.high && r.high < most)
			most = r.high;
	}
	for (int32_t b = loop->first_bound; b < loop->first_bound + loop->n_bound; b++) {
		struct range r = lt__gen_range(g, g->t->bounds[b]);
		if (r.known && r.low >= most)
			continue;
		covered |= r.known && r.high <= most;
		struct lt_out next = lt__out_new(&g->pool);
		lt__outf(&next, n ? "lt_min_i64(%s, %s)" : "%s%s", least.at, lt__gen_row(g, g->t->bounds[b]).text);
		least = next;
		n++;
	}
	if (!covered) {
		struct lt_out next = lt__out_new(&g->pool);
		lt__outf(&next, n ? "lt_min_i64(%lld, %s)" : "%lld%s", (long long)most, least.at);
		least = next;
		n++;
	}
	if (n == 1)
		return least.at;
	struct lt_out name = lt__out_new(&g->pool);
	lt__outf(&name, g->named ? "%s_trips" : "n%s", g->loop[l]);
	const char *unique = lt__gen_unique(g, name.at);
	lt__gen_line(g, "const int64_t %s = %s;", unique, least.at);
	return unique;
}

static struct column any_trip(const struct gen *g, int32_t l)
{
	return (struct column){ .range = { true, 0, loop_at(g, l)->max_trip_count - 1 } };
}

static void inner(struct gen *g, int32_t l)
{
	const struct lt_loop *loop = loop_at(g, l);
	g->indent++;
	lt__gen_body(g, l, loop->first_stmt, loop->first_stmt + loop->n_stmt);
	g->indent--;
}

/* One copy of the body, with what is known of l's column.  in_block: it has a block already. */
static void copy(struct gen *g, int32_t l, struct column known, bool in_block)
{
	struct column *c = &g->column[loop_column(g->t, l)];
	*c = known;
	for (int32_t d = g->first_div[l + 1]; d >= 0; d = g->next_div[d])
		lt__gen_set_div(g, d);
	bool block = !in_block && has_names(g, l);
	if (block)
		lt__gen_line(g, "{");
	g->indent -= !block;
	inner(g, l);
	g->indent += !block;
	if (block)
		lt__gen_line(g, "}");
	*c = any_trip(g, l);
	for (int32_t d = g->first_div[l + 1]; d >= 0; d = g->next_div[d])
		lt__gen_set_div(g, d);
}

static void copies(struct gen *g, int32_t l)
{
	lt__gen_tiles(g, l);
	for (int64_t i = 0; i < loop_at(g, l)->max_trip_count; i++)
		copy(g, l, (struct column){ .range = { true, i, i }, .fixed = true, .value = i }, false);
	g->tiles = NULL;
}

/* The body for `lanes` lanes from `base` on; base < 0: from the loop's variable on. */
static void vector(struct gen *g, int32_t l, int64_t base, int lanes, const char *active, bool in_block)
{
	struct column c = {
		.fixed = base >= 0, .value = base, .range = { true, base, base + lanes - 1 }, .stride = lanes > 1
	};
	if (base < 0)
		c.range = any_trip(g, l).range;
	g->lane_loop = lanes > 1 ? l : -1;
	g->lanes = lanes;
	g->active = active;
	copy(g, l, c, in_block);
	g->lane_loop = -1;
	g->active = NULL;
}

/* A vector of a loop some of whose trips may be off, `n` its trips. */
static void masked(struct gen *g, int32_t l, int64_t base, int lanes, const char *n)
{
	const char *first = base < 0 ? g->strip : "";
	char number[32] = "";
	struct lt_out on = lt__out_new(&g->pool), name = lt__out_new(&g->pool);
	if (base >= 0) {
		(void)snprintf(number, sizeof number, "%lld", (long long)base);
		first = number;
	}
	if (base == 0)
		lt__out(&on, n);
	else
		lt__outf(&on, "%s - %s", n, first);
	if (lanes == 1) {
		lt__gen_line(g, "if (%s > %s) {", n, first);
	} else {
		lt__gen_line(g, "if (%s >= %d) {", on.at, lanes);
	}
	g->indent++;
	vector(g, l, base, lanes, NULL, true);
	g->indent--;
	if (lanes > 1) {
		lt__gen_line(g, "} else if (%s > %s) {", n, first);
		g->indent++;
		lt__outf(&name, "on%d", (int)l);
		const char *unique = lt__gen_unique(g, name.at);
		lt__gen_line(g, "const int64_t %s = %s;", unique, on.at);
		vector(g, l, base, lanes, unique, true);
		g->indent--;
	}
	lt__gen_line(g, "}");
}

/* Vectors that a loop which is printed straight adds to one before their lanes are folded: if it is nothing but one
 * combine, and has no rest. */
static int64_t together(const struct gen *g, int32_t l)
{
	const struct lt_loop *loop = loop_at(g, l);
	const struct plan *p = &g->plan[l];
	const struct lt_stmt *s = LT_AT(struct lt_stmt, g->t->stmts, loop->first_stmt);
	if (!p->straight || p->masked || loop->n_stmt != 1 || s->kind != LT_COMBINE || s->loop != l || s->n_guard > 0
		|| has_names(g, l) || loop->max_trip_count % p->lanes != 0)
		return 0;
	return loop->max_trip_count / p->lanes - 1;
}

/* Vectors of a loop are added to one, a variable, which is folded behind it. */
static void begin_folds(struct gen *g, int32_t l)
{
	const struct lt_loop *loop = loop_at(g, l);
	int n = g->plan[l].lanes;
	for (int32_t i = loop->first_stmt; i < loop->first_stmt + loop->n_stmt; i++) {
		const struct lt_stmt *s = LT_AT(struct lt_stmt, g->t->stmts, i);
		const struct lt_op *op = s->kind == LT_COMBINE && s->loop == l && s->n_guard == 0
			? LT_AT(struct lt_op, g->t->ops, s->op)
			: NULL;
		if (!op || !lt__vector_op(&g->pool, op, n, g->d->vector_library) || !lt__vector_fold(&g->pool, op, n))
			continue;
		const char *type = lt__vector_type(&g->pool, op->out, n);
		struct fold *f = lt__pool_alloc(&g->pool, 1, sizeof *f);
		*f = (struct fold){ .stmt = i, .name = lt__gen_temp(g), .next = g->folds };
		g->folds = f;
		lt__gen_line(g, "%s %s = lt_all_%s(%s);", type, f->name, type + strlen("lt_"),
			lt__gen_immediate(g, op->identity, op->out).text);
	}
}

static void end_folds(struct gen *g, const struct fold *outside)
{
	for (; g->folds != outside; g->folds = g->folds->next)
		if (g->folds->line)
			lt__gen_line(g, "%s", g->folds->line);
}

/* A vector loop: as many lanes as a vector has at a time, then less and less for the rest. */
static void lanes(struct gen *g, int32_t l)
{
	const struct lt_loop *loop = loop_at(g, l);
	const struct plan *p = &g->plan[l];
	int64_t base = 0, whole = loop->max_trip_count / p->lanes * p->lanes;
	const char *n = p->masked ? lt__gen_trip_count(g, l) : NULL;
	if (!p->straight) {
		struct lt_out name = lt__out_new(&g->pool);
		lt__outf(&name, g->named ? "%s_from" : "s%s", g->named ? g->loop[l] : g->loop[l] + 1);
		const char *i = lt__gen_unique(g, name.at);
		const struct fold *outside = g->folds;
		begin_folds(g, l);
		lt__gen_line(g, "for (int64_t %s = 0; %s < %lld; %s += %d) {", i, i, (long long)whole, i, p->lanes);
		g->strip = i;
		g->indent++;
		if (n)
			masked(g, l, -1, p->lanes, n);
		else
			vector(g, l, -1, p->lanes, NULL, true);
		g->indent--;
		g->strip = NULL;
		lt__gen_line(g, "}");
		end_folds(g, outside);
		base = whole;
	}
	g->fold_left = together(g, l);
	for (int width = p->lanes; base < loop->max_trip_count; ) {
		while (width > loop->max_trip_count - base)
			width /= 2;
		if (n)
			masked(g, l, base, width, n);
		else
			vector(g, l, base, width, NULL, false);
		base += width;
	}
	g->fold_left = 0;
}

static void counted(struct gen *g, int32_t l)
{
	const char *i = g->loop[l], *n = lt__gen_trip_count(g, l);
	const struct lt_loop *loop = loop_at(g, l);
	if (g->plan[l].mode == MODE_HINT)
		lt__gen_line(g, "#pragma GCC unroll %d", loop->max_trip_count < MAX_HINT ? (int)loop->max_trip_count : MAX_HINT);
	lt__gen_line(g, "for (int64_t %s = 0; %s < %s; %s++) {", i, i, n, i);
	inner(g, l);
	lt__gen_line(g, "}");
}

static void loop(struct gen *g, int32_t l)
{
	switch (g->plan[l].mode) {
	case MODE_COPIES: copies(g, l); break;
	case MODE_LANES:  lanes(g, l); break;
	case MODE_REGION: lt__gen_region(g, l); break;
	case MODE_BLOCK:
		g->column[loop_column(g->t, l)] = (struct column){ .range = { true, 0, 0 }, .fixed = true };
		lt__gen_line(g, "{");
		inner(g, l);
		lt__gen_line(g, "}");
		break;
	default: counted(g, l); break;
	}
}

void lt__gen_body(struct gen *g, int32_t l, int32_t s, int32_t end)
{
	declare(g, l);
	while (s < end) {
		int32_t at = LT_AT(struct lt_stmt, g->t->stmts, s)->loop;
		if (at == l) {
			if (g->lane_loop >= 0)
				lt__gen_lane_stmt(g, s++);
			else
				lt__gen_stmt(g, s++);
			continue;
		}
		while (loop_at(g, at)->parent != l)
			at = loop_at(g, at)->parent;
		loop(g, at);
		s = loop_at(g, at)->first_stmt + loop_at(g, at)->n_stmt;
	}
}
