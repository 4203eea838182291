/* backends/cgen/invariant.c -- quotients that change somewhere among the lanes of a vector: where it can be seen that
 * they do not.
 *
 * floor((16*i + lane) / 56) is the same for all lanes of most vectors, and what is read there often lies side by side.
 */
#include <string.h>
#include "backends/cgen/gen.h"

/* The irregular columns that row r uses, and those that they use, are marked. */
static void mark(const struct gen *g, int32_t row, bool *used)
{
	const int64_t *r = row_at(g->t, row);
	for (int32_t d = 0; d < g->t->n_div; d++) {
		int32_t c = div_column(g->t, d);
		if (r[c] && g->column[c].irregular && !used[d]) {
			used[d] = true;
			mark(g, LT_AT(struct lt_div, g->t->divs, d)->row, used);
		}
	}
}

static void mark_access(const struct gen *g, int32_t access, bool *used)
{
	for (; access >= 0; access = LT_AT(struct lt_access, g->t->accesses, access)->index) {
		const struct lt_access *a = LT_AT(struct lt_access, g->t->accesses, access);
		mark(g, a->row, used);
		for (int32_t b = 0; b < a->n_bound; b++)
			mark(g, g->t->bounds[a->first_bound + b], used);
	}
}

static void mark_guards(const struct gen *g, int32_t first, int32_t n, bool *used)
{
	for (int32_t i = 0; i < n; i++)
		mark(g, g->t->guards[first + i], used);
}

static bool *used_by(struct gen *g, int32_t s)
{
	const struct lt_tree *t = g->t;
	const struct lt_stmt *st = LT_AT(struct lt_stmt, t->stmts, s);
	bool *used = lt__pool_alloc(&g->pool, (size_t)t->n_div, 1);
	mark_access(g, st->dest, used);
	mark_guards(g, st->first_guard, st->n_guard, used);
	for (int32_t i = 0; i < st->n_operand; i++) {
		const struct lt_operand *o = LT_AT(struct lt_operand, t->operands, st->first_operand + i);
		for (int32_t k = 0; k < o->n_piece; k++) {
			const struct lt_piece *p = LT_AT(struct lt_piece, t->pieces, o->first_piece + k);
			mark_access(g, p->kind == LT_READ ? p->access : -1, used);
			mark_guards(g, p->first_guard, p->n_guard, used);
			if (p->kind == LT_AFFINE)
				mark(g, p->row, used);
		}
	}
	return used;
}

struct column *lt__gen_steadied(struct gen *g)
{
	struct column *c = lt__pool_alloc(&g->pool, (size_t)g->t->n_column, sizeof *c);
	memcpy(c, g->column, (size_t)g->t->n_column * sizeof *c);
	for (int32_t i = 0; i < g->t->n_column; i++)
		if (c[i].irregular) {
			c[i].irregular = false;
			c[i].stride = 0;
		}
	return c;
}

/* A quotient whose row moves by equal steps, the quotients in it standing still, does not change if it is the same in
 * the first lane and the last. */
const char *lt__gen_invariant(struct gen *g, int32_t s)
{
	const struct lt_tree *t = g->t;
	bool *used = used_by(g, s);
	struct column *known = g->column, *still = NULL;
	struct lt_out o = lt__out_new(&g->pool);
	for (int32_t d = 0; d < t->n_div; d++) {
		const struct lt_div *div = LT_AT(struct lt_div, t->divs, d);
		int64_t stride, last;
		if (!used[d])
			continue;
		if (g->column[div_column(t, d)].fixed)
			return "0";             /* it was seen to change */
		still = still ? still : lt__gen_steadied(g);
		g->column = still;
		bool regular = lt__gen_stride(g, div->row, &stride) && !__builtin_mul_overflow(stride, (int64_t)g->lanes - 1, &last);
		int64_t *row = lt__pool_alloc(&g->pool, (size_t)t->n_column, sizeof *row);
		memcpy(row, lt__gen_fold(g, div->row), (size_t)t->n_column * sizeof *row);
		g->column = known;
		if (!regular || __builtin_add_overflow(row[0], last, &row[0]))
			return "0";
		if (stride)
			lt__outf(&o, "%s%s == lt_floordiv_i64(%s, %lld)", o.n ? " && " : "", g->div[d],
				lt__gen_dense(g, row).text, (long long)div->den);
	}
	return o.n ? o.at : "1";
}
