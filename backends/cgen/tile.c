/* backends/cgen/tile.c -- square tiles that are read across: a vector loop right inside an unrolled one of as many
 * trips, where what is read moves by one element from trip to trip and by more from lane to lane.
 *
 * The rows of the tile are loaded as they lie, and change places with its columns in registers: for n lanes n loads and
 * n log2 n shuffles, where building each vector of single elements would take n*n loads.
 */
#include "backends/cgen/gen.h"
#include "backends/cgen/vector.h"

enum { MAX_ROWS = 32 };

static const struct lt_loop *loop_at(const struct gen *g, int32_t l) { return LT_AT(struct lt_loop, g->t->loops, l); }

/* The vector loop that is all there is in the unrolled loop l, and makes a square tile with it; -1. */
static int32_t inner_of(const struct gen *g, int32_t l)
{
	for (int32_t v = l + 1; v < g->t->n_loop; v++) {
		const struct lt_loop *x = loop_at(g, v);
		if (x->parent != l)
			continue;
		bool square = g->plan[v].mode == MODE_LANES && !g->plan[v].masked
			&& x->max_trip_count == g->plan[v].lanes && x->max_trip_count == loop_at(g, l)->max_trip_count
			&& x->max_trip_count <= MAX_ROWS && x->n_stmt == loop_at(g, l)->n_stmt;
		return square ? v : -1;
	}
	return -1;
}

/* Whether a row has a quotient. */
static bool divides(const struct gen *g, const int64_t *row)
{
	for (int32_t d = 0; d < g->t->n_div; d++)
		if (row[div_column(g->t, d)])
			return true;
	return false;
}

static bool is_across(const struct gen *g, int32_t access, int32_t l, int32_t v)
{
	const struct lt_access *a = LT_AT(struct lt_access, g->t->accesses, access);
	const struct place *p = &g->place[g->place[a->buffer].root];
	const int64_t *row = row_at(g->t, a->row);
	int64_t stride = row[loop_column(g->t, v)];
	return a->index < 0 && p->home <= HOME_OWN && !p->written && p->exclusive && !divides(g, row)
		&& row[loop_column(g->t, l)] == 1 && (stride > 1 || stride < -1);
}

static const char *row_name(struct gen *g, const char *base, int stage, int i)
{
	struct lt_out o = lt__out_new(&g->pool);
	lt__outf(&o, "%s_%d_%d", base, stage, i);
	return lt__gen_unique(g, o.at);
}

/* Blocks of `apart` elements off the diagonal of blocks of twice that change places. */
static void exchange(struct gen *g, const char *type, const char *ints, int n, int apart, const char **row,
	const char *base, int stage)
{
	for (int i = 0; i < n; i++) {
		if (i & apart)
			continue;
		const char *made[2];
		for (int second = 0; second < 2; second++) {
			struct lt_out o = lt__out_new(&g->pool);
			made[second] = row_name(g, base, stage, i + (second ? apart : 0));
			for (int e = 0; e < n; e++)
				lt__outf(&o, ", %d", e & apart ? n + e - (second ? 0 : apart) : e + (second ? apart : 0));
			lt__gen_line(g, "const %s %s = LT_SHUFFLE2(%s, %s, %s%s);", type, made[second], row[i], row[i + apart], ints, o.at);
		}
		row[i] = made[0];
		row[i + apart] = made[1];
	}
}

static void add_tile(struct gen *g, int32_t stmt, int32_t access, int32_t l, int32_t v)
{
	static const uint32_t ints[] = { 0, LT_I8, LT_I16, 0, LT_I32, 0, 0, 0, LT_I64 };
	const struct lt_access *a = LT_AT(struct lt_access, g->t->accesses, access);
	uint32_t dtype = lt__gen_dtype(g->t, a->buffer);
	int n = g->plan[v].lanes;
	const char *type = lt__vector_type(&g->pool, dtype, n), *base = lt__gen_unique(g, "tile"), *from = lt__gen_temp(g);
	const char *mask = lt__vector_type(&g->pool, ints[lt__element_bytes(dtype)], n);
	struct tile *x = lt__pool_alloc(&g->pool, 1, sizeof *x);
	const char **row = lt__pool_alloc(&g->pool, (size_t)n, sizeof *row);
	struct column *u = &g->column[loop_column(g->t, l)], *lane = &g->column[loop_column(g->t, v)], was[2] = { *u, *lane };
	*u = *lane = (struct column){ .range = { true, 0, 0 }, .fixed = true };
	lt__gen_line(g, "const %s *const %s = %s + %s;", lt__ctype(g->t, dtype), from, g->place[g->place[a->buffer].root].name,
		lt__gen_subscript(g, stmt, access));
	*u = was[0];
	*lane = was[1];
	for (int i = 0; i < n; i++) {
		row[i] = row_name(g, base, 0, i);
		lt__gen_line(g, "const %s %s = *(const %s_u *)(%s + %lld);", type, row[i], type, from,
			(long long)(i * row_at(g->t, a->row)[loop_column(g->t, v)]));
	}
	for (int apart = n / 2, stage = 1; apart > 0; apart /= 2, stage++)
		exchange(g, type, mask, n, apart, row, base, stage);
	*x = (struct tile){ access, l, row, g->tiles };
	g->tiles = x;
}

void lt__gen_tiles(struct gen *g, int32_t l)
{
	const struct lt_tree *t = g->t;
	int32_t v = inner_of(g, l);
	if (v < 0 || g->lane_loop >= 0)
		return;
	for (int32_t s = loop_at(g, v)->first_stmt; s < loop_at(g, v)->first_stmt + loop_at(g, v)->n_stmt; s++) {
		const struct lt_stmt *st = LT_AT(struct lt_stmt, t->stmts, s);
		for (int32_t k = 0; k < st->n_operand && st->kind != LT_BARRIER && st->loop == v && st->n_guard == 0; k++) {
			const struct lt_operand *o = LT_AT(struct lt_operand, t->operands, st->first_operand + k);
			const struct lt_piece *p = LT_AT(struct lt_piece, t->pieces, o->first_piece);
			if (o->n_piece == 1 && p->kind == LT_READ && is_across(g, p->access, l, v))
				add_tile(g, s, p->access, l, v);
		}
	}
}

const char *lt__gen_tile(const struct gen *g, int32_t access)
{
	for (const struct tile *x = g->tiles; x; x = x->next)
		if (x->access == access)
			return x->row[g->column[loop_column(g->t, x->loop)].value];
	return NULL;
}
