/* backends/cgen/prefetch.c -- prefetching: where a large buffer is read in runs that are a page or more apart, the run
 * of the next trip.
 *
 * The processor follows one run of addresses by itself but not a jump to the next one, so that each run begins with the
 * full latency of memory, many times over where several runs are read side by side.  Each load of a run then asks for
 * what stands at its place in the run after it.  A wrong guess costs one instruction a load and nothing else: what is
 * fetched is never used by meaning.
 */
#include <string.h>
#include "backends/cgen/gen.h"

enum { MIN_BUFFER = 1 << 20, MIN_JUMP = 4 << 10, MAX_JUMP = 512 << 10, MAX_STEP = 1 << 10, MIN_RUN = 16 };

struct ahead { int32_t buffer, outer, inner; const char *text; struct ahead *next; };

static bool is_counted(const struct gen *g, int32_t l)
{
	enum mode m = g->plan[l].mode;
	return (m == MODE_FOR || m == MODE_HINT || m == MODE_REGION || m == MODE_COLLAPSED)
		&& LT_AT(struct lt_loop, g->t->loops, l)->max_trip_count > 1;
}

/* The first loop from l outwards whose trips are counted. */
static int32_t counted(const struct gen *g, int32_t l)
{
	while (l >= 0 && !is_counted(g, l))
		l = LT_AT(struct lt_loop, g->t->loops, l)->parent;
	return l;
}

/* Whether a later loop in the same trip of `outer` reads buffer b by the same jumps: the run after it is asked for
 * there, where this one is in a cache already, and the memory would have nothing to do while something is computed of
 * it. */
static bool read_later(const struct gen *g, int32_t stmt, int32_t b, int32_t inner, int32_t outer, int64_t jump)
{
	const struct lt_tree *t = g->t;
	const struct lt_loop *l = LT_AT(struct lt_loop, t->loops, outer);
	for (int32_t s = stmt + 1; s < l->first_stmt + l->n_stmt; s++) {
		const struct lt_stmt *st = LT_AT(struct lt_stmt, t->stmts, s);
		int32_t at = counted(g, st->loop);
		if (st->kind == LT_BARRIER || at == inner || at < 0
			|| counted(g, LT_AT(struct lt_loop, t->loops, at)->parent) != outer
			|| LT_AT(struct lt_loop, t->loops, at)->max_trip_count < MIN_RUN)
			continue;
		for (int32_t k = 0; k < st->n_operand; k++) {
			const struct lt_operand *o = LT_AT(struct lt_operand, t->operands, st->first_operand + k);
			const struct lt_piece *p = LT_AT(struct lt_piece, t->pieces, o->first_piece);
			const struct lt_access *a = p->kind == LT_READ ? LT_AT(struct lt_access, t->accesses, p->access) : NULL;
			if (o->n_piece == 1 && a && a->buffer == b && row_at(t, a->row)[loop_column(t, outer)] == jump)
				return true;
		}
	}
	return false;
}

/* Bytes from a vector at `text` to what the run after it has there; 0: there is no such run, or it has been asked
 * for. */
int64_t lt__gen_prefetch(struct gen *g, int32_t stmt, int32_t access, const char *text)
{
	const struct lt_tree *t = g->t;
	const struct lt_access *a = LT_AT(struct lt_access, t->accesses, access);
	const struct lt_buffer *b = LT_AT(struct lt_buffer, t->buffers, a->buffer);
	const int64_t *row = row_at(t, a->row), bytes = LT_AT(struct lt_type, t->types, b->type)->bytes;
	if (b->role == LT_LOCAL || b->elems < MIN_BUFFER / bytes || a->index >= 0)
		return 0;
	for (int32_t d = 0; d < t->n_div; d++)
		if (row[div_column(t, d)])
			return 0;
	int32_t inner = counted(g, LT_AT(struct lt_stmt, t->stmts, stmt)->loop);
	int32_t outer = inner < 0 ? -1 : counted(g, LT_AT(struct lt_loop, t->loops, inner)->parent);
	if (outer < 0 || LT_AT(struct lt_loop, t->loops, inner)->max_trip_count < MIN_RUN)
		return 0;
	int64_t step = row[loop_column(t, inner)], jump = row[loop_column(t, outer)];
	if (step < 1 || step > MAX_STEP / bytes || jump < MIN_JUMP / bytes || jump > MAX_JUMP / bytes)
		return 0;
	for (const struct ahead *x = g->aheads; x; x = x->next)
		if (x->buffer == a->buffer && x->outer == outer && (x->inner != inner || strcmp(x->text, text) == 0))
			return 0;
	if (read_later(g, stmt, a->buffer, inner, outer, jump))
		return 0;
	struct ahead *x = lt__pool_alloc(&g->pool, 1, sizeof *x);
	*x = (struct ahead){ a->buffer, outer, inner, text, g->aheads };
	g->aheads = x;
	return jump * bytes;
}
