/* The register tile of a product on a CPU: how many rows and columns keep their sums in registers at a time.
 *
 * Rows times vectors of columns, which with a broadcast scalar fill the registers.  Few sums do not hide the latency of
 * a multiply-add, and where tiles do not divide the rows the last one has fewer: so tiles are as even as may be, and
 * rows that are few to a run are joined with those of the next runs.
 */
#include "looptree/tree/tree.h"
#include "looptree/default/product.h"

enum {
	/* where it is not known how many there are */
	FEW_REGISTERS = 8,
	/* more rows meet in the same sets of a cache */
	MAX_TILE_ROWS = 12,
	/* of which the last tile hardly matters; a multiple of those in each tile */
	MANY_ROWS = 144, MANY_VECTORS = 60,
	/* of the first cache, where it is not known */
	LEAST_WAYS = 8, LEAST_WAY = 4096
};
_Static_assert((int)MAX_TILE_ROWS <= (int)LT_MAX_COUNTED, "each number of rows in a tile can have its own copy");
static const double LATENCY = 4.4;      /* of a multiply-add, in cycles, with what else delays the next one */
static const double FEWER_GAIN = 0.99;  /* what fewer rows in a tile have to bring */
static const double WIDER_GAIN = 0.97;  /* more vectors than usual */
static const double JOINED_GAIN = 0.95; /* what rows of several runs in one tile have to bring */

/* How much slower a tile of so many rows and vectors is than its multiply-adds: for each iteration it loads vectors,
 * which its rows share, and one scalar a row, which its vectors share. */
static double tile_cost(double rows, int64_t vectors) { return 0.25 / rows + 0.25 / (double)vectors; }

int64_t lt__product_tile_rows(const struct lt_auto *s, int64_t vectors, int64_t extent_m, bool even)
{
	int64_t registers = s->target->vector_registers ? s->target->vector_registers : FEW_REGISTERS;
	int64_t rows = lt__max(1, lt__min((registers - 1 - vectors) / vectors, MAX_TILE_ROWS));
	return even ? lt__ceil_div(extent_m, lt__ceil_div(extent_m, rows)) : lt__min(extent_m, rows);
}

/* About how many cycles a register tile takes for each iteration over a contracted var: two multiply-adds each, the
 * latency of those, which few sums do not hide, and loads, of which there may be more than two. */
static double tile_cycles(double rows, double vectors)
{
	double cycles = rows * vectors / 2, loads = (rows + vectors) / 2.2;
	cycles = cycles > LATENCY ? cycles : LATENCY;
	return cycles > loads ? cycles : loads;
}

/* The same of all tiles of m by m2 rows for so many vectors, which are cut in tiles of `wide`. */
static double plane_cycles(int64_t m, int64_t m2, int64_t tile, int64_t tile2, double wide)
{
	double cycles = 0;
	for (int64_t y = 0; y < m2; y += tile2)
		for (int64_t x = 0; x < m; x += tile)
			cycles += tile_cycles((double)(lt__min(tile, m - x) * lt__min(tile2, m2 - y)), wide);
	return cycles / wide;
}

/* Rows of a tile, that many or a few less: all tiles of m rows take the least time. */
static int64_t min_cycle_rows(int64_t m, int64_t rows, int64_t vectors)
{
	int64_t best = rows;
	for (int64_t r = rows - 1; r > 1 && 3 * r >= 2 * rows; r--)
		if (plane_cycles(m, 1, r, 1, (double)vectors) < FEWER_GAIN * plane_cycles(m, 1, best, 1, (double)vectors))
			best = r;
	return best;
}

/* How long all tiles of v vectors take for m rows by `all` vectors, the last ones of which may be fewer. */
static double tiles_cost(const struct lt_auto *s, int64_t m, int64_t all, int64_t v)
{
	int64_t rows = lt__product_tile_rows(s, v, m, true);
	double cost = 0;
	for (int64_t n = 0; n < all; n += v)
		for (int64_t y = 0; y < m; y += rows) {
			double r = (double)lt__min(rows, m - y), c = (double)lt__min(v, all - n);
			cost += tile_cycles(r, c) * (1 + tile_cost(r, lt__min(v, all - n)));
		}
	return cost;
}

/* Vectors of a tile, where there are more than a tile has: as many as usual or fewer, or one more where those that are
 * left are too few for a good tile. */
static int64_t min_cycle_vectors(const struct lt_auto *s, int64_t m, int64_t all, int64_t wide)
{
	int64_t best = wide;
	m = lt__min(m, MANY_ROWS);
	all = all > MANY_VECTORS ? MANY_VECTORS + all % MANY_VECTORS : all;
	for (int64_t v = all % wide ? wide + 1 : wide; v > 1; v--)
		if (tiles_cost(s, m, all, v) < (v > wide ? WIDER_GAIN : FEWER_GAIN) * tiles_cost(s, m, all, best))
			best = v;
	return best;
}

/* Vectors of a tile of one row, `wide` or down to half as many, so that the cores have equal shares of all tiles. */
static int64_t shared_vectors(const struct lt_auto *s, const struct lt_product *p, int64_t wide)
{
	const int64_t all = lt__ceil_div(var_extent(s, p->n), p->lanes),
		around = vars_count(s, &p->batch) * (vars_count(s, &p->column) / var_extent(s, p->n));
	int64_t tiles = lt__ceil_div(all, wide), best = wide;
	double share = 0;
	if (around >= s->target->cores)
		return wide;            /* threads have whole rows */
	for (int64_t v = lt__ceil_div(all, tiles); tiles <= all && 2 * v >= wide && share < LT_GOOD_SHARE;
		v = lt__ceil_div(all, ++tiles)) {
		double x = lt__product_share(around * lt__ceil_div(all, v), s->target->cores);
		best = x > share ? v : best;
		share = x > share ? x : share;
	}
	return best;
}

void lt__product_pad_run(const struct lt_auto *s, struct lt_product *p)
{
	int64_t n = var_extent(s, p->n), left = n % p->lanes;
	if (!lt__auto_masks(s->target) || lt__auto_bounded(s, p->n) || (left & (left - 1)) == 0)
		return;
	while (n <= p->lanes / 2)
		p->lanes /= 2;
	p->tile_tail = LT_PAD;
}

void lt__product_tile(const struct lt_auto *s, struct lt_product *p)
{
	int64_t registers = s->target->vector_registers ? s->target->vector_registers : FEW_REGISTERS;
	int64_t wide = registers >= 32       ? 4
		: registers >= FEW_REGISTERS ? 2
					     : 1;
	if (vars_count(s, &p->row) == 1 && (p->column.n == 1 || lt__auto_masks(s->target))) {
		/* it takes more sums to hide the latency of one */
		wide = lt__max(wide, registers / 2);
		if (lt__ceil_div(var_extent(s, p->n), p->lanes) <= wide)
			lt__product_pad_run(s, p);
		wide = lt__product_is_shared(s, p) ? shared_vectors(s, p, wide) : wide;
	}
	int64_t all = lt__ceil_div(var_extent(s, p->n), p->lanes), vectors = lt__min(all, wide);
	int64_t full = lt__product_tile_rows(s, vectors, MAX_TILE_ROWS, true);
	for (int32_t i = 0; i < p->row.n; i++)          /* the last row var that fills a tile, or the longest */
		if (p->m < 0 || var_extent(s, p->row.at[i]) >= lt__min(full, var_extent(s, p->m)))
			p->m = p->row.at[i];
	int64_t m = var_extent(s, p->m);
	vectors = all > wide && m > 1 ? min_cycle_vectors(s, m, all, wide) : vectors;
	p->tile_n = vectors * p->lanes;
	p->tile_n2 = 1;
	for (int32_t i = p->column.n; i-- > 0 && p->n2 < 0 && vectors * 2 <= wide;)
		if (p->column.at[i] != p->n && var_extent(s, p->column.at[i]) > 1 && !lt__auto_bounded(s, p->column.at[i]))
			p->n2 = p->column.at[i];
	if (p->n2 >= 0) {
		p->tile_n2 = lt__min(var_extent(s, p->n2), wide / vectors);
		p->tile_n2 = lt__ceil_div(var_extent(s, p->n2), lt__ceil_div(var_extent(s, p->n2), p->tile_n2));
	}
	p->tile_m = p->m >= 0 ? lt__product_tile_rows(s, vectors * p->tile_n2, m, !lt__auto_bounded(s, p->m)) : 0;
	if (p->tile_m > 0 && !lt__auto_bounded(s, p->m))
		p->tile_m = min_cycle_rows(m, p->tile_m, vectors * p->tile_n2);
}

/* Whether too many rows of a tile of all m by tile2 rows are read from the same set of the first cache, each run of the
 * last dim of what they lie in being `pad` elements longer. */
static bool rows_meet(const struct lt_auto *s, const struct lt_product *p, const struct factor_read *left,
	int64_t tile2, lt_var outer, int64_t pad)
{
	const struct lt_target *t = s->target;
	const struct lt_nodedef *d = &s->g->node[left->read->piece[0].base];
	int64_t run = d->n_dim ? var_extent(s, d->dim[d->n_dim - 1]) : 1, line = t->cache_line ? t->cache_line : 64,
		ways = t->l1_ways ? t->l1_ways : LEAST_WAYS, way = t->l1_bytes ? (int64_t)t->l1_bytes / ways : LEAST_WAY,
		bytes = lt__dtype_info(d->dtype)->bytes, m = var_extent(s, p->m), max = 0;
	int64_t step = var_stride(s, left, p->m) / run * (run + pad) * bytes,
		step2 = var_stride(s, left, outer) / run * (run + pad) * bytes;
	for (int64_t i = 0; i < m * tile2; i++) {
		int64_t same = 0, set = (i % m * step + i / m * step2) % way / line;
		for (int64_t k = 0; k < m * tile2; k++)
			same += (k % m * step + k / m * step2) % way / line == set;
		max = lt__max(max, same);
	}
	return max > ways - 2;
}

/* Gives each run of the last dim of a value a line more, where its order in memory is not the caller's. */
static bool pad_runs(const struct lt_auto *s, lt_node n, int64_t pad)
{
	const struct lt_nodedef *d = &s->g->node[n];
	struct lt_digit *digit = LT_NEW(s->t->arena, struct lt_digit, d->n_dim + 1);
	if (!lt__has_leaf(s->g, n) || s->written[n] || s->t->layout[n] || d->op == LT_OP_update || s->constant[n])
		return false;
	for (int32_t i = 0; i < d->n_dim; i++)
		digit[i] = (struct lt_digit){ .dim = i, .step = 1 };
	s->t->layout[n] = lt__layout_new(s->t, d->n_dim, digit, pad);
	return true;
}

/* Lines of m rows that meet in a tile of so many vectors, whose sums, vectors and one scalar are in registers. */
static int64_t joined_lines(const struct lt_auto *s, int64_t m, int64_t lines, int64_t vectors)
{
	int64_t registers = s->target->vector_registers ? s->target->vector_registers : FEW_REGISTERS;
	return lt__min(lines, (registers - 1 - vectors) / vectors / lt__max(1, m));
}

/* Whether a panel of the right factor of so many vectors fits in the second cache beside the next one, which is fetched
 * meanwhile; else memory has nothing to do while the panel is used. */
static bool panel_leaves_slack(const struct lt_auto *s, const struct lt_product *p, int64_t vectors)
{
	int64_t bytes = lt__dtype_info(s->g->node[p->sum].dtype)->bytes;
	return vars_count(s, &p->contracted) <= lt__auto_cache(s->target) / 2 / (vectors * p->lanes * bytes);
}

/* Vectors of such tiles: all of a plane takes least time, and loads; 0: no lines meet. */
static int64_t joined_vectors(const struct lt_auto *s, const struct lt_product *p, int64_t m, int64_t lines)
{
	int64_t best = 0, all = var_extent(s, p->n) / p->lanes;
	double least = 0;
	for (int64_t v = 1; v <= all && joined_lines(s, m, lines, v) > 1 && (v == 1 || panel_leaves_slack(s, p, v)); v++) {
		int64_t tile2 = joined_lines(s, m, lines, v);
		double cost = plane_cycles(m, lines, m, tile2, (double)v) * (1 + tile_cost((double)(m * tile2), v));
		if (all % v == 0 && (!best || cost < least)) {
			least = cost;
			best = v;
		}
	}
	return best;
}

/* Rows that are few to a run, as in small images, meet in one tile with those of the next runs, of few vectors then:
 * the right factor is read less often, and no tile has too few sums. */
bool lt__product_join_rows(const struct lt_auto *s, struct lt_product *p, const struct factor_read *left)
{
	int64_t pad = lt__max(1, (s->target->cache_line ? s->target->cache_line : 64)
		/ lt__dtype_info(s->g->node[p->left].dtype)->bytes);
	lt_var outer = -1;
	for (int32_t i = 0; i < p->row.n; i++)
		if (p->row.at[i] != p->m && var_extent(s, p->row.at[i]) > 1)
			outer = p->row.at[i];
	if (outer < 0 || (p->left_copy >= 0 && !p->left_early) || p->right_copy < 0 || p->rows_outside
		|| p->block_m || p->n2 >= 0 || p->form != LT_PRODUCT_CPU_TILE || var_extent(s, p->n) % p->lanes != 0
		|| (p->lanes_on_rows && !p->left_early) || !left->plain || lt__auto_bounded(s, p->m) || lt__auto_bounded(s, outer))
		return false;
	int64_t m = var_extent(s, p->m), lines = var_extent(s, outer);
	int64_t vectors = joined_vectors(s, p, m, lines), tile2 = vectors ? joined_lines(s, m, lines, vectors) : 0;
	double gain = panel_leaves_slack(s, p, lt__ceil_div(p->tile_n, p->lanes)) ? JOINED_GAIN : 1;
	if (!vectors || plane_cycles(m, lines, m, tile2, (double)vectors)
		> gain * plane_cycles(m, lines, p->tile_m, 1, (double)p->tile_n / (double)p->lanes))
		return false;
	if (!p->left_early && rows_meet(s, p, left, tile2, outer, 0) && (rows_meet(s, p, left, tile2, outer, pad)
		|| !pad_runs(s, left->read->piece[0].base, pad)))
		return false;
	p->m2 = outer;
	p->tile_m = m;
	p->tile_m2 = tile2;
	p->tile_n = vectors * p->lanes;
	return true;
}
