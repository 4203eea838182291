/* Which tree a product gets: from its extents, where its factors lie, and the target.  Nothing is measured.
 *
 * Right factors that lie along n are read where they lie while all of them fits into the second cache, else by panels
 * of tile_n columns and block_k deep elements that do, packed just before they are used (once for all rows).  The left
 * factor is read where it lies: a tile needs one scalar a row and iteration.  Every block of k costs another pass over
 * the sum, so there are as few as fit. The number of threads changes what runs at the same time, never the blocks of k:
 * the sums are the same.
 */
#include "looptree/auto.h"
#include "looptree/layout.h"

enum {
	/* up to here reading the right factor once is the bound */
	FEW_ROWS = 8,
	/* its rows that are read at a time: fewer streams than a cache has ways */
	ROWS_DEEP = 8,
	/* where it is not known how many there are */
	FEW_REGISTERS = 8,
	/* more rows meet in the same sets of a cache */
	MAX_TILE_ROWS = 12,
	/* elements of a row read in one go: a stream has to be long to be fast */
	MIN_BLOCK = 512,
	/* multiply-adds, and for each thread: below these a thread costs more than it saves */
	MIN_PARALLEL = 1 << 19,
	MIN_THREAD = 1 << 16,
	ITERATIONS_A_THREAD = 4,
	/* rows between two packings of the same panel */
	MIN_PACKED_ROWS = 24,
	/* of the first cache, where it is not known */
	LEAST_WAYS = 8, LEAST_WAY = 4096
};
static const double LATENCY = 4;        /* of a multiply-add, in cycles */
static const double JOINED_GAIN = 0.95; /* what rows of several runs in one tile have to bring */
static const double GOOD_SHARE = 0.9;   /* of the threads' time that they work, where iterations do not divide among
                                         * them */

static int64_t extent(const struct lt_auto *s, lt_var v) { return v < 0 ? 1 : s->g->var[v].extent; }

static int64_t vars_count(const struct lt_auto *s, const struct lt_vars *list)
{
	int64_t n = 1;
	for (int32_t i = 0; i < list->n; i++)
		if (lt__mul_overflow(n, extent(s, list->at[i]), &n))
			return INT64_MAX / 4;
	return n;
}

static int64_t divide_up(int64_t a, int64_t b) { return a / b + (a % b != 0); }
static int64_t round_up(int64_t a, int64_t b) { return divide_up(a, b) * b; }
static int64_t product_min(int64_t a, int64_t b) { return a < b ? a : b; }
static int64_t product_max(int64_t a, int64_t b) { return a > b ? a : b; }

/* How the product's leaf reads a factor. */
struct source { const struct lt_read *read; const struct lt_leaf *leaf; bool plain, early; };

static struct source factor_look(const struct lt_auto *s, const struct lt_product *p, bool right)
{
	const struct lt_leaf *leaf = s->t->leaf[p->mul];
	lt_node of = right ? p->right : p->left;
	struct source x = { .leaf = leaf, .read = &leaf->read[s->g->node[p->mul].operand[1] == of] };
	const struct lt_readpiece *piece = &x.read->piece[0];
	x.plain = x.read->n_piece == 1 && piece->kind == LT_PIECE_READ && piece->map.n_guard == 0 && piece->map.n_param == 0;
	for (int32_t i = 0; x.plain && i < leaf->n_var; i++)
		x.plain = lt__auto_stride(s->g, piece, i) >= 0;
	x.early = s->constant[of];
	return x;
}

static int64_t stride(const struct lt_auto *s, const struct source *x, lt_var v)
{
	int32_t column = lt__leaf_column(x->leaf, v);
	return x->plain && column >= 0 ? lt__auto_stride(s->g, &x->read->piece[0], column) : 0;
}

/* Whether a copy of the factor holds no more than the product reads of it: it has no var that it is only repeated
 * over. */
static bool may_copy(const struct lt_auto *s, const struct lt_product *p, bool right)
{
	const struct lt_nodedef *d = &s->g->node[right ? p->right : p->left];
	const struct lt_vars *other = right ? &p->row : &p->column;
	for (int32_t i = 0; i < d->n_dim; i++)
		for (int32_t k = 0; k < other->n; k++)
			if (d->dim[i] == other->at[k])
				return false;
	return d->n_dim > 0;
}

/* How much slower a tile of so many rows and vectors is than its multiply-adds: for each iteration it loads vectors,
 * which its rows share, and one scalar a row, which its vectors share. */
static double tile_cost(double rows, int64_t vectors) { return 0.25 / rows + 0.25 / (double)vectors; }

static int64_t tile_rows(const struct lt_auto *s, int64_t vectors, int64_t extent_m)
{
	int64_t registers = s->target->vector_registers ? s->target->vector_registers : FEW_REGISTERS;
	int64_t rows = product_max(1, product_min((registers - 1 - vectors) / vectors, MAX_TILE_ROWS));
	return divide_up(extent_m, divide_up(extent_m, rows));
}

/* The register tile: rows times vectors of columns, those vectors and a broadcast scalar fill the registers; even
 * tiles. */
static void choose_tile(const struct lt_auto *s, struct lt_product *p)
{
	int64_t registers = s->target->vector_registers ? s->target->vector_registers : FEW_REGISTERS;
	int64_t wide = registers >= 32       ? 4
		: registers >= FEW_REGISTERS ? 2
					     : 1,
		all = divide_up(extent(s, p->n), p->lanes), vectors = product_min(all, wide);
	int64_t full = tile_rows(s, vectors, MAX_TILE_ROWS);
	for (int32_t i = 0; i < p->row.n; i++)          /* the last row var that fills a tile, or the longest */
		if (p->m < 0 || extent(s, p->row.at[i]) >= product_min(full, extent(s, p->m)))
			p->m = p->row.at[i];
	int64_t m = extent(s, p->m);
	double best = 0;
	for (int64_t v = vectors; v > 1 && all > wide && m > 1; v--) {
		double cost = tile_cost((double)m / (double)divide_up(m, tile_rows(s, v, m)), v);
		if (best == 0 || cost < best) {
			best = cost;
			vectors = v;
		}
	}
	p->tile_n = vectors * p->lanes;
	p->tile_n2 = 1;
	for (int32_t i = p->column.n; i-- > 0 && p->n2 < 0 && vectors * 2 <= wide;)
		if (p->column.at[i] != p->n && extent(s, p->column.at[i]) > 1)
			p->n2 = p->column.at[i];
	if (p->n2 >= 0) {
		p->tile_n2 = product_min(extent(s, p->n2), wide / vectors);
		p->tile_n2 = divide_up(extent(s, p->n2), divide_up(extent(s, p->n2), p->tile_n2));
	}
	p->tile_m = p->m >= 0 ? tile_rows(s, vectors * p->tile_n2, m) : 0;
}

/* About how many cycles a register tile takes for each iteration over a deep var: two multiply-adds each, the latency
 * of those, which few sums do not hide, and loads, of which there may be more than two. */
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
			cycles += tile_cycles((double)(product_min(tile, m - x) * product_min(tile2, m2 - y)), wide);
	return cycles / wide;
}

/* Whether too many rows of a tile of all m by tile2 rows are read from the same set of the first cache, each run of the
 * last dim of what they lie in being `pad` elements longer. */
static bool rows_meet(const struct lt_auto *s, const struct lt_product *p, const struct source *left, int64_t tile2,
	lt_var outer, int64_t pad)
{
	const struct lt_target *t = s->target;
	const struct lt_nodedef *d = &s->g->node[left->read->piece[0].base];
	int64_t run = d->n_dim ? extent(s, d->dim[d->n_dim - 1]) : 1, line = t->cache_line ? t->cache_line : 64,
		ways = t->l1_ways ? t->l1_ways : LEAST_WAYS, way = t->l1_bytes ? (int64_t)t->l1_bytes / ways : LEAST_WAY,
		bytes = lt__dtype_info(d->dtype)->bytes, m = extent(s, p->m), most = 0;
	int64_t step = stride(s, left, p->m) / run * (run + pad) * bytes,
		step2 = stride(s, left, outer) / run * (run + pad) * bytes;
	for (int64_t i = 0; i < m * tile2; i++) {
		int64_t same = 0, set = (i % m * step + i / m * step2) % way / line;
		for (int64_t k = 0; k < m * tile2; k++)
			same += (k % m * step + k / m * step2) % way / line == set;
		most = product_max(most, same);
	}
	return most > ways - 2;
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

/* Rows that are few to a run, as in small images, meet in one tile with those of the next runs, of one vector then: the
 * right factor is read less often, and no tile has too few sums. */
static void join_rows(const struct lt_auto *s, struct lt_product *p, const struct source *left)
{
	int64_t registers = s->target->vector_registers ? s->target->vector_registers : FEW_REGISTERS, m = extent(s, p->m),
		tile2 = (registers - 2) / product_max(1, m);
	int64_t pad = product_max(1, (s->target->cache_line ? s->target->cache_line : 64)
		/ lt__dtype_info(s->g->node[p->left].dtype)->bytes);
	lt_var outer = -1;
	for (int32_t i = 0; i < p->row.n; i++)
		if (p->row.at[i] != p->m && extent(s, p->row.at[i]) > 1)
			outer = p->row.at[i];
	if (outer < 0 || tile2 < 2 || p->left_copy >= 0 || p->right_copy < 0 || p->rows_outside || p->block_m || p->n2 >= 0
		|| p->form != LT_PRODUCT_TILE || extent(s, p->n) % p->lanes != 0 || p->across || !left->plain)
		return;
	tile2 = product_min(tile2, extent(s, outer));
	if (plane_cycles(m, extent(s, outer), m, tile2, 1)
		> JOINED_GAIN * plane_cycles(m, extent(s, outer), p->tile_m, 1, (double)p->tile_n / (double)p->lanes))
		return;
	if (rows_meet(s, p, left, tile2, outer, 0) && (rows_meet(s, p, left, tile2, outer, pad)
		|| !pad_runs(s, left->read->piece[0].base, pad)))
		return;
	p->m2 = outer;
	p->tile_m = m;
	p->tile_m2 = tile2;
	p->tile_n = p->lanes;
}

/* The columns that the last panel has too few: whether vectors of what is there (cut in powers of two) are fewer than
 * those of a tile. */
static bool peels(const struct lt_auto *s, const struct lt_product *p)
{
	int64_t remainder = extent(s, p->n) % p->tile_n, vectors = remainder / p->lanes;
	for (int64_t part = remainder % p->lanes; part > 0; part &= part - 1)
		vectors++;
	return vectors * p->lanes < p->tile_n;
}

/* A result that others read, too, is written where it is whole: blocks are summed in registers all the same, and added
 * there. */
static bool is_kept(const struct lt_auto *s, const struct lt_product *p)
{
	return s->written[p->sum] && s->n_reader[p->sum] > 2;
}

/* Cuts the longest deep var so that a panel of the right factor leaves room in the second cache. */
static void choose_depth(const struct lt_auto *s, struct lt_product *p, int64_t bytes)
{
	int64_t deep = vars_count(s, &p->deep);
	int64_t limit = product_max(32, lt__auto_cache(s->target) / 8 * 5 / product_max(1, p->tile_n * p->tile_n2 * bytes));
	if (deep <= limit && is_kept(s, p))
		limit = divide_up(deep, 2);
	if (deep <= limit)
		return;
	lt_var longest = p->deep.at[0];
	for (int32_t i = 1; i < p->deep.n; i++)
		if (extent(s, p->deep.at[i]) > extent(s, longest))
			longest = p->deep.at[i];
	int64_t all = extent(s, longest), blocks = product_min(all / 2, divide_up(deep, limit));
	if (blocks < 2)
		return;
	p->k = longest;
	p->block_k = divide_up(all, blocks);
	p->part = p->sum;       /* wanted; it is made later */
}

double lt__product_share(int64_t trip_count, int64_t cores)
{
	return (double)trip_count / (double)(divide_up(trip_count, cores) * cores);
}

/* Rows between the loops of the tiles: as many as the third cache keeps of the left factor, fewer where threads need
 * iterations. */
static void choose_blocks(const struct lt_auto *s, struct lt_product *p, double work, int64_t bytes)
{
	int64_t rows = extent(s, p->m), deep = vars_count(s, &p->deep), cores = product_max(1, s->target->cores);
	int64_t trip_count = vars_count(s, &p->batch) * (vars_count(s, &p->column) / extent(s, p->n) / extent(s, p->n2));
	trip_count *= divide_up(extent(s, p->n), p->tile_n) * divide_up(extent(s, p->n2), p->tile_n2);
	int64_t block = rows;
	bool panel = p->left_copy >= 0 && !p->left_early;
	if (s->target->l3_bytes && p->m >= 0 && !panel)
		block = product_min(block, product_max(MIN_BLOCK, (int64_t)s->target->l3_bytes / 2 / product_max(1, deep * bytes)));
	p->parallel = cores > 1 && work >= MIN_PARALLEL && work >= (double)(cores * MIN_THREAD);
	if (p->parallel && p->form != LT_PRODUCT_PANEL && !panel && lt__product_share(trip_count, cores) < GOOD_SHARE
		&& vars_count(s, &p->row) / rows >= cores) {
		p->rows_outside = true;
		trip_count *= vars_count(s, &p->row) / rows;
	}
	int64_t floor = p->form == LT_PRODUCT_PANEL ? MIN_PACKED_ROWS : 2 * p->tile_m, blocks = divide_up(rows, block),
		best = blocks;
	for (; p->parallel && p->m >= 0 && !panel && rows / blocks >= floor && blocks <= ITERATIONS_A_THREAD * cores;
		blocks++) {
		if (lt__product_share(trip_count * blocks, cores) > lt__product_share(trip_count * best, cores))
			best = blocks;
		if (lt__product_share(trip_count * best, cores) >= GOOD_SHARE)
			break;
	}
	block = divide_up(rows, best);
	if (p->m >= 0 && block < rows)
		p->block_m = product_min(rows, round_up(divide_up(rows, divide_up(rows, block)), p->tile_m));
	if (p->block_m >= rows)
		p->block_m = 0;
}

/* Whether the sum's readers have to find it in a place of its own: it is in registers or in a tile otherwise. */
static void choose_out(const struct lt_auto *s, struct lt_product *p, bool direct)
{
	if (p->epilogue < 0 && !direct && !is_kept(s, p))
		p->out = p->sum;
}

static void form_rows(const struct lt_auto *s, struct lt_product *p, double work)
{
	int64_t cores = product_max(1, s->target->cores), rows = vars_count(s, &p->row);
	p->form = LT_PRODUCT_ROWS;
	p->tile_n = 2 * p->lanes;
	p->tile_n2 = 1;
	p->tile_m = tile_rows(s, 2, rows);
	p->k = p->deep.at[0];
	for (int32_t i = 1; i < p->deep.n; i++)
		if (extent(s, p->deep.at[i]) > 1)
			p->k = p->deep.at[i];
	p->block_k = ROWS_DEEP < extent(s, p->k) ? ROWS_DEEP : divide_up(extent(s, p->k), 2);     /* partial sums are of two
	                                                                                           * iterations at least */
	p->part = p->sum;
	p->parallel = cores > 1 && work >= MIN_PARALLEL;
	if (p->parallel)
		p->block_n = product_max(MIN_BLOCK, round_up(divide_up(extent(s, p->n), cores), p->tile_n));
	if (p->block_n >= extent(s, p->n))
		p->block_n = 0;
	choose_out(s, p, rows == 1);
}

static void form_dots(const struct lt_auto *s, struct lt_product *p, lt_var deep, double work)
{
	int64_t rows = vars_count(s, &p->row), cores = product_max(1, s->target->cores);
	p->form = LT_PRODUCT_DOTS;
	p->k = deep;
	p->block_k = p->lanes;
	p->tile_n = product_min(extent(s, p->n), product_max(1, product_min(8, 16 / rows)));
	p->tile_n2 = 1;
	p->part = p->sum;
	p->parallel = cores > 1 && work >= MIN_PARALLEL;
	int64_t dot = vars_count(s, &p->deep) * rows;
	/* tiles are peeled inside of blocks */
	p->block_n = round_up(product_max(2 * p->tile_n, divide_up(MIN_THREAD, dot)), p->tile_n);
	if (p->block_n >= extent(s, p->n) || !p->parallel)
		p->block_n = 0;
	choose_out(s, p, true);
}

/* A deep var along which both factors lie, with a vector or more of elements. */
static lt_var find_dot(
	const struct lt_auto *s, const struct lt_product *p, const struct source *left, const struct source *right)
{
	for (int32_t i = 0; i < p->deep.n; i++) {
		lt_var v = p->deep.at[i];
		if (extent(s, v) >= 2 * p->lanes && stride(s, left, v) == 1 && stride(s, right, v) == 1)
			return v;
	}
	return -1;
}

static int32_t count_units(const struct lt_auto *s, const struct lt_vars *list)
{
	int32_t n = 0;
	for (int32_t i = 0; i < list->n; i++)
		n += extent(s, list->at[i]) == 1;
	return n;
}

/* A tile reads its rows where they lie, if they lie along a deep var or are few enough for the second cache.  Others
 * are copied by tiles in a nest before; those that are windows over a border, or other views with guards, just before
 * they are used. */
static void choose_left(
	const struct lt_auto *s, struct lt_product *p, const struct source *left, double bytes, double weight)
{
	bool along = false;
	for (int32_t i = 0; i < p->deep.n; i++)
		along = along || (extent(s, p->deep.at[i]) > 1 && stride(s, left, p->deep.at[i]) == 1);
	if (p->m < 0 || !may_copy(s, p, false))
		return;
	if (!left->plain && !left->early && vars_count(s, &p->column) >= 2 * FEW_ROWS)
		p->left_copy = p->left;
	/* Once for all rows, if the right factor is too large to be read again for each of them. */
	p->left_whole = p->left_copy >= 0 && bytes <= (double)lt__auto_cache(s->target)
		&& weight > (double)lt__auto_cache(s->target);
	if (left->plain && !along && bytes > (double)lt__auto_cache(s->target) && stride(s, left, p->m) != 1)
		p->left_early = true;
	if (left->plain && !along && bytes > (double)lt__auto_cache(s->target) && count_units(s, &p->row) + 1 == p->row.n)
		p->left_early = true;
	if (p->left_early)
		p->left_copy = p->left;
}

void lt__product_form(const struct lt_auto *s, struct lt_product *p)
{
	int64_t bytes = lt__dtype_info(s->g->node[p->sum].dtype)->bytes;
	struct source left = factor_look(s, p, false), right = factor_look(s, p, true);
	int64_t rows = vars_count(s, &p->row), columns = vars_count(s, &p->column), deep = vars_count(s, &p->deep);
	double work = (double)rows * (double)columns * (double)deep * (double)vars_count(s, &p->batch);
	double weight = (double)columns * (double)deep * (double)bytes;         /* bytes of the right factor, of one batch */
	bool along = stride(s, &right, p->n) == 1, large = weight > (double)lt__auto_cache(s->target);
	p->lanes = lt__auto_lanes(s->target, s->g->node[p->sum].dtype);
	lt_var dot = rows <= FEW_ROWS ? find_dot(s, p, &left, &right) : -1;
	if (dot >= 0 && !along) {
		form_dots(s, p, dot, work);
		return;
	}
	if (along && rows <= FEW_ROWS && large && extent(s, p->n) >= 16 * p->lanes) {
		form_rows(s, p, work);
		return;
	}
	choose_tile(s, p);
	bool whole = extent(s, p->n) % p->lanes == 0, copy = may_copy(s, p, true) && rows > 1;
	bool packed = along && p->deep.n == 1 && extent(s, p->n) <= p->tile_n;          /* one panel, as it lies */
	p->form = LT_PRODUCT_TILE;
	if (copy && right.early && !packed && p->batch.n == count_units(s, &p->batch)) {
		p->right_early = true;
		p->right_copy = p->right;
	} else if (copy && !(along && !large && (whole || packed || rows < 2 * FEW_ROWS))) {
		p->form = LT_PRODUCT_PANEL;
		p->right_copy = p->right;
	}
	p->tail = p->form == LT_PRODUCT_PANEL && !peels(s, p) ? LT_PAD : LT_PEEL;
	choose_depth(s, p, bytes);
	choose_left(s, p, &left, (double)rows * (double)deep * (double)bytes, weight);
	choose_blocks(s, p, work, bytes);
	join_rows(s, p, &left);
	choose_out(s, p, p->part >= 0 && p->m >= 0 && !p->across);
}
