/* examples/plugin/llvm/nest.c -- loops, by the mode that plan.c gave each. */
#include "gen.h"

static struct column any_trip(const struct gen *g, int32_t l)
{
	return (struct column){ .range = { true, 0, loop_at(g, l)->max_trip_count - 1 } };
}

static void set_column(struct gen *g, int32_t l, struct column c)
{
	g->column[loop_column(g->t, l)] = c;
	lt_llvm_set_divs(g, l);
}

static void inside(struct gen *g, int32_t l)
{
	lt_llvm_body(g, l, loop_at(g, l)->first_stmt, loop_at(g, l)->first_stmt + loop_at(g, l)->n_stmt);
}

/* The least of the most and of the bound rows; the code may come to a negative number. */
LLVMValueRef lt_llvm_trip_count(struct gen *g, int32_t l, int64_t *least)
{
	const struct lt_loop *loop = loop_at(g, l);
	LLVMBuilderRef b = g->e.b;
	LLVMValueRef n = lt_llvm_i64(g, loop->max_trip_count);
	*least = loop->max_trip_count;
	for (int32_t i = loop->first_bound; i < loop->first_bound + loop->n_bound; i++) {
		struct range r = lt_llvm_range(g, g->t->bounds[i]);
		if (r.known && r.low >= loop->max_trip_count)
			continue;
		LLVMValueRef row = lt_llvm_row(g, g->t->bounds[i]);
		n = LLVMBuildSelect(b, LLVMBuildICmp(b, LLVMIntSLT, row, n, ""), row, n, "");
		*least = !r.known ? INT64_MIN : r.low < *least ? r.low : *least;
	}
	return n;
}

/* for (i = from; i < to; i += step): from here to lt_llvm_end_count the body is emitted. */
struct count lt_llvm_begin_count(struct gen *g, LLVMValueRef from, LLVMValueRef to, int64_t step, bool at_least_once)
{
	LLVMBuilderRef b = g->e.b;
	struct count c = { .to = to, .step = step, .head = lt_llvm_block(g, "trip") };
	LLVMBasicBlockRef before = LLVMGetInsertBlock(b);
	if (at_least_once) {
		LLVMBuildBr(b, c.head);
	} else {
		c.none = lt_llvm_block(g, "");
		LLVMBuildCondBr(b, LLVMBuildICmp(b, LLVMIntSLT, from, to, ""), c.head, c.none);
	}
	LLVMPositionBuilderAtEnd(b, c.head);
	c.i = LLVMBuildPhi(b, LLVMInt64TypeInContext(g->e.c), "");
	LLVMAddIncoming(c.i, &from, &before, 1);
	lt_llvm_push_scope(g);
	return c;
}

void lt_llvm_end_count(struct gen *g, const struct count *c)
{
	LLVMBuilderRef b = g->e.b;
	LLVMBasicBlockRef last = LLVMGetInsertBlock(b), end = c->none ? c->none : lt_llvm_block(g, "");
	LLVMValueRef next = LLVMBuildNSWAdd(b, c->i, lt_llvm_i64(g, c->step), "");
	LLVMBuildCondBr(b, LLVMBuildICmp(b, LLVMIntSLT, next, c->to, ""), c->head, end);
	LLVMAddIncoming(c->i, &next, &last, 1);
	LLVMPositionBuilderAtEnd(b, end);
	if (c->none)
		LLVMMoveBasicBlockAfter(end, last);
	lt_llvm_pop_scope(g);
}

/* The trips of l from one number to another; `step` of them are emitted, one behind the other, and are one trip of the
 * code. */
static void count(struct gen *g, int32_t l, LLVMValueRef from, LLVMValueRef to, uint32_t step, bool at_least_once)
{
	struct count c = lt_llvm_begin_count(g, from, to, step, at_least_once);
	struct column x = any_trip(g, l);
	x.v = c.i;
	x.scope = g->n_scope - 1;
	x.copies = step > 1 ? step : 0;
	for (x.value = 0; x.value < step; x.value++) {
		set_column(g, l, x);
		inside(g, l);
	}
	lt_llvm_end_tiles(g, l);
	lt_llvm_end_count(g, &c);
	set_column(g, l, any_trip(g, l));
}

static void counted(struct gen *g, int32_t l)
{
	LLVMBuilderRef b = g->e.b;
	int64_t least;
	uint32_t step = lt_llvm_tile_trip_count(g, l);
	LLVMValueRef n = lt_llvm_trip_count(g, l, &least), zero = lt_llvm_i64(g, 0), from = zero;
	if (step > 1) {
		n = LLVMBuildSelect(b, LLVMBuildICmp(b, LLVMIntSGT, n, zero, ""), n, zero, "");
		from = LLVMBuildAnd(b, n, lt_llvm_i64(g, -(int64_t)step), "");
		count(g, l, zero, from, step, least >= step);
	}
	if (step == 1 || g->plan[l].bounded || loop_at(g, l)->max_trip_count % step)
		count(g, l, from, n, 1, step > 1 ? !g->plan[l].bounded : least > 0);
}

static void copies(struct gen *g, int32_t l)
{
	int64_t n = loop_at(g, l)->max_trip_count;
	for (int64_t i = 0; i < n; i++) {
		set_column(g, l, (struct column){ .range = { true, i, i }, .fixed = true, .value = i, .copies = n });
		inside(g, l);
	}
	lt_llvm_end_tiles(g, l);
	set_column(g, l, any_trip(g, l));
}

/* The body for `lanes` lanes from x on. */
static void vector(struct gen *g, int32_t l, struct column x, uint32_t lanes, LLVMValueRef active)
{
	x.stride = lanes > 1;
	g->lane_loop = lanes > 1 ? l : -1;
	g->lanes = lanes;
	g->active = active;
	set_column(g, l, x);
	inside(g, l);
	g->lane_loop = -1;
	g->lanes = 1;
	g->active = NULL;
	set_column(g, l, any_trip(g, l));
}

/* Vectors at numbers; n: trips that there are, NULL: all. */
static void vector_at(struct gen *g, int32_t l, int64_t base, uint32_t lanes, LLVMValueRef n)
{
	struct column x = { .range = { true, base, base + lanes - 1 }, .fixed = true, .value = base };
	LLVMBuilderRef b = g->e.b;
	if (!n) {
		vector(g, l, x, lanes, NULL);
		return;
	}
	LLVMBasicBlockRef some = lt_llvm_block(g, "some"), none = lt_llvm_block(g, "");
	LLVMBuildCondBr(b, LLVMBuildICmp(b, LLVMIntSGT, n, lt_llvm_i64(g, base), ""), some, none);
	LLVMPositionBuilderAtEnd(b, some);
	g->lanes = lanes;
	vector(g, l, x, lanes, lanes > 1 ? lt_llvm_below(g, LLVMBuildSub(b, n, lt_llvm_i64(g, base), "")) : NULL);
	LLVMBuildBr(b, none);
	LLVMPositionBuilderAtEnd(b, none);
}

/* Vectors that are counted, up to trip `whole`; where there may be fewer trips (n), the last one is masked. */
static void strip(struct gen *g, int32_t l, int64_t whole, LLVMValueRef n)
{
	uint32_t lanes = g->plan[l].lanes;
	LLVMBuilderRef b = g->e.b;
	LLVMValueRef to = lt_llvm_i64(g, whole), zero = lt_llvm_i64(g, 0), some = n;
	if (n) {
		some = LLVMBuildSelect(b, LLVMBuildICmp(b, LLVMIntSLT, n, to, ""), n, to, "");
		to = LLVMBuildSelect(b, LLVMBuildICmp(b, LLVMIntSGT, some, zero, ""), some, zero, "");
		to = LLVMBuildAnd(b, to, lt_llvm_i64(g, -(int64_t)lanes), "");
	}
	struct count c = lt_llvm_begin_count(g, zero, to, lanes, !n);
	struct column x = { .range = { true, 0, whole - 1 }, .v = c.i, .scope = g->n_scope - 1 };
	vector(g, l, x, lanes, NULL);
	lt_llvm_end_count(g, &c);
	if (!n)
		return;
	c = lt_llvm_begin_count(g, to, some, lanes, false);     /* one trip or none */
	x.v = c.i;
	x.scope = g->n_scope - 1;
	g->lanes = lanes;
	vector(g, l, x, lanes, lt_llvm_below(g, LLVMBuildSub(b, some, c.i, "")));
	lt_llvm_end_count(g, &c);
}

/* A vector loop: as many lanes as a vector has at a time, then less and less for the rest. */
static void lanes(struct gen *g, int32_t l)
{
	const struct plan *p = &g->plan[l];
	int64_t most = loop_at(g, l)->max_trip_count, base = 0, whole = most / p->lanes * p->lanes, least;
	LLVMValueRef n = p->bounded ? lt_llvm_trip_count(g, l, &least) : NULL;
	struct sum *outside = g->sums;
	lt_llvm_begin_sums(g, l);
	if (p->straight)
		for (; base < whole; base += p->lanes)
			vector_at(g, l, base, p->lanes, n);
	else
		strip(g, l, whole, n);
	lt_llvm_end_sums(g, outside);
	base = whole;
	for (uint32_t width = p->lanes; base < most; base += width) {
		while (width > most - base)
			width /= 2;
		vector_at(g, l, base, width, n);
	}
}

static void loop(struct gen *g, int32_t l)
{
	switch (g->plan[l].mode) {
	case MODE_COPIES: copies(g, l); break;
	case MODE_LANES:  lanes(g, l); break;
	case MODE_REGION: lt_llvm_region(g, l); break;
	case MODE_ONCE:
		set_column(g, l, (struct column){ .range = { true, 0, 0 }, .fixed = true });
		inside(g, l);
		break;
	default: counted(g, l); break;
	}
}

void lt_llvm_body(struct gen *g, int32_t l, int32_t s, int32_t end)
{
	while (s < end) {
		int32_t at = LT_AT(struct lt_stmt, g->t->stmts, s)->loop;
		if (at == l) {
			lt_llvm_stmt(g, s++);
			continue;
		}
		while (loop_at(g, at)->parent != l)
			at = loop_at(g, at)->parent;
		loop(g, at);
		s = loop_at(g, at)->first_stmt + loop_at(g, at)->n_stmt;
	}
}
