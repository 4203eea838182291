/* examples/plugin/llvm/prefetch.c -- asking for memory before it is read: where runs of a large buffer are a page or
 * more apart.
 *
 * A processor follows a run of addresses by itself, but not the jump from its end to the next one.  So each vector load
 * of a run asks for what stands at its place in the run after it.  A wrong guess costs one instruction.
 */
#include "gen.h"

enum { MIN_BUFFER = 1 << 20, MIN_JUMP = 4 << 10, MAX_JUMP = 512 << 10, MAX_STEP = 1 << 10, MIN_RUN = 16 };

struct asked { struct asked *next; int32_t buffer, outer, inner; LLVMValueRef base; int64_t constant; };

static bool is_counted(const struct gen *g, int32_t l)
{
	enum mode m = g->plan[l].mode;
	return (m == MODE_COUNTED || m == MODE_REGION || m == MODE_COLLAPSED) && loop_at(g, l)->max_trip_count > 1;
}

/* The first loop from l outwards that is counted, -1: none. */
static int32_t counted(const struct gen *g, int32_t l)
{
	while (l >= 0 && !is_counted(g, l))
		l = loop_at(g, l)->parent;
	return l;
}

static int32_t counted_above(const struct gen *g, int32_t l) { return l < 0 ? -1 : counted(g, loop_at(g, l)->parent); }

/* Whether the statement reads b by the same jumps. */
static bool jumps(const struct gen *g, const struct lt_stmt *s, int32_t b, int32_t outer, int64_t jump)
{
	const struct lt_tree *t = g->t;
	for (int32_t k = 0; k < s->n_operand; k++) {
		const struct lt_operand *o = LT_AT(struct lt_operand, t->operands, s->first_operand + k);
		const struct lt_piece *p = LT_AT(struct lt_piece, t->pieces, o->first_piece);
		if (o->n_piece != 1 || p->kind != LT_READ)
			continue;
		const struct lt_access *a = LT_AT(struct lt_access, t->accesses, p->access);
		if (a->buffer == b && row_at(t, a->row)[loop_column(t, outer)] == jump)
			return true;
	}
	return false;
}

/* Whether another loop, later in the same trip of `outer`, reads b so too: it asks then, when this trip's run is in a
 * cache already. */
static bool is_read_later(const struct gen *g, int32_t stmt, int32_t b, int32_t inner, int32_t outer, int64_t jump)
{
	const struct lt_loop *l = loop_at(g, outer);
	for (int32_t i = stmt + 1; i < l->first_stmt + l->n_stmt; i++) {
		const struct lt_stmt *s = LT_AT(struct lt_stmt, g->t->stmts, i);
		int32_t at = counted(g, s->loop);
		if (s->kind != LT_BARRIER && at >= 0 && at != inner && counted_above(g, at) == outer
			&& loop_at(g, at)->max_trip_count >= MIN_RUN && jumps(g, s, b, outer, jump))
			return true;
	}
	return false;
}

static bool has_divs(const struct gen *g, const int64_t *row)
{
	for (int32_t d = 0; d < g->t->n_div; d++)
		if (row[div_column(g->t, d)])
			return true;
	return false;
}

/* Before a vector is loaded from w. */
void lt_llvm_prefetch(struct gen *g, int32_t stmt, const struct where *w)
{
	const struct lt_tree *t = g->t;
	const struct lt_access *a = LT_AT(struct lt_access, t->accesses, w->access);
	const struct lt_buffer *b = LT_AT(struct lt_buffer, t->buffers, a->buffer);
	const int64_t *row = row_at(t, a->row), bytes = lt_llvm_bytes(w->dtype);
	int32_t inner = counted(g, LT_AT(struct lt_stmt, t->stmts, stmt)->loop), outer = counted_above(g, inner);
	if (b->role == LT_LOCAL || b->elems < MIN_BUFFER / bytes || a->index >= 0 || outer < 0
		|| loop_at(g, inner)->max_trip_count < MIN_RUN || has_divs(g, row))
		return;
	int64_t step = row[loop_column(t, inner)], jump = row[loop_column(t, outer)];
	if (step < 1 || step > MAX_STEP / bytes || jump < MIN_JUMP / bytes || jump > MAX_JUMP / bytes)
		return;
	for (const struct asked *x = g->asked; x; x = x->next)
		if (x->buffer == a->buffer && x->outer == outer
			&& (x->inner != inner || (x->base == w->base && x->constant == w->constant)))
			return;
	if (is_read_later(g, stmt, a->buffer, inner, outer, jump))
		return;
	struct asked *x = lt_llvm_alloc(g, 1, sizeof *x);
	*x = (struct asked){ g->asked, a->buffer, outer, inner, w->base, w->constant };
	g->asked = x;
	LLVMTypeRef ptr = LLVMPointerTypeInContext(g->e.c, 0), i32 = LLVMInt32TypeInContext(g->e.c);
	LLVMValueRef by = lt_llvm_i64(g, jump * bytes),
		     at = LLVMBuildGEP2(g->e.b, LLVMInt8TypeInContext(g->e.c), w->at, &by, 1, "");
	LLVMValueRef in[4] = { at, LLVMConstInt(i32, 0, 0), LLVMConstInt(i32, 2, 0), LLVMConstInt(i32, 1, 0) };
	(void)lt_llvm_intrinsic(&g->e, "llvm.prefetch", &ptr, 1, in, 4);
}
