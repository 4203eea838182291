/* Which tree a product gets: from its extents, where its factors lie, and the target.  Nothing is measured.
 *
 * Right factors that lie along n are read where they lie while all of them fits into the second cache, or a panel of
 * them does, of tile_n columns; else by panels of tile_n columns and block_k contracted elements that do, packed
 * just before they are used (once for all rows).  The left
 * factor is read where it lies: a tile needs one scalar a row and iteration.  Every block of k costs another pass over
 * the sum, so there are as few as fit.  Where a run-time scalar says how many rows there are, and never many, the
 * right factor is not packed in a run, but read once, a few of its rows at a time for all rows of the left one.  The
 * number of threads changes what runs at the same time, never the blocks of k: the sums are the same.  The register
 * tile is chosen in product_register.c.
 */
#include "looptree/default/product.h"
#include "looptree/default/share.h"

enum {
	/* up to here reading the right factor once is the bound */
	FEW_ROWS = 8,
	/* its rows that are read at a time: fewer streams than a cache has ways */
	ROWS_DEEP = 8,
	/* twice as many where a run may have so many rows: sums are loaded and stored less often.  More rows pay for panels,
	 * which cost one row twice as much */
	SOME_ROWS = 32,
	/* rows of a left factor that a block has at least */
	MIN_ROWS = 512,
	/* elements of a row read in one go: a stream has to be long to be fast; the least where threads have none else */
	MIN_BLOCK = 512,
	SHORT_BLOCK = 128,
	/* bytes of a row that is not cut for threads: the processor's own prefetching reads on behind a thread's part of it,
	 * to the end of the page */
	MAX_SHORT_ROW = 8192,
	/* parts of a sum that threads share */
	FEW_CHUNKS = 4, MAX_CHUNKS = 16,
	ITERATIONS_A_THREAD = 4,
	/* columns that pay for a copy of the rows in another order */
	MIN_REREAD = 32,
	/* rows between two packings of the same panel */
	MIN_PACKED_ROWS = 24,
	/* of the second cache: a small panel, and few sums */
	SMALL_PART = 8
};

/* Of what is there in every run. */
static int64_t vars_min_count(const struct lt_auto *s, const struct lt_vars *list, lt_var but, lt_var and)
{
	int64_t n = 1;
	for (int32_t i = 0; i < list->n; i++)
		if (list->at[i] != but && list->at[i] != and && lt__mul_overflow(n, lt__min_extent(s->g, list->at[i]), &n))
			return INT64_MAX / 4;
	return n;
}

static bool has_bounded(const struct lt_auto *s, const struct lt_vars *list)
{
	for (int32_t i = 0; i < list->n; i++)
		if (lt__auto_bounded(s, list->at[i]))
			return true;
	return false;
}

/* Whether a factor that is read through floors has these on contracted vars alone, and elements of a contracted var
 * side by side: as heads that are joined, read one after the other.  All rows of a tile then share the address. */
static bool is_cut_by_deep(const struct lt_product *p, const struct factor_read *x)
{
	const struct lt_readpiece *piece = &x->read->piece[0];
	const struct lt_map *m = &piece->map;
	const size_t width = (size_t)lt__map_width(m);
	const int64_t *last = m->row + (size_t)(m->n_row - 1) * width + 1 + m->n_param;
	bool along = false;
	if (x->read->n_piece != 1 || piece->kind != LT_PIECE_READ || m->n_guard || m->n_param || m->n_row < 1)
		return false;
	for (int32_t i = 0; i < x->leaf->n_var; i++) {
		bool deep = false;
		for (int32_t k = 0; k < p->contracted.n; k++)
			deep = deep || p->contracted.at[k] == x->leaf->var[i];
		along = along || (deep && last[i] == 1);
		for (int32_t q = 0; q < m->n_div; q++)
			if (m->div[(size_t)q * (width + 1) + 2 + (size_t)i] && !deep)
				return false;
	}
	return along;
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

/* The columns that the last panel has too few: whether vectors of what is there (cut in powers of two) are fewer than
 * those of a tile. */
static bool peels(const struct lt_auto *s, const struct lt_product *p)
{
	int64_t remainder = var_extent(s, p->n) % p->tile_n, vectors = remainder / p->lanes;
	if (lt__auto_bounded(s, p->n))
		return false;
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

/* Cuts the longest contracted var so that a panel of the right factor leaves room in the second cache.  One that is
 * packed for few rows, and has to be cut, is cut in small panels, which find their place in the cache again and
 * leave room for the next one: passing over the sums of few rows costs little.  One row reads a panel once. */
static void choose_depth(const struct lt_auto *s, struct lt_product *p, int64_t bytes)
{
	const int64_t cache = lt__auto_cache(s->target), wide = lt__max(1, p->tile_n * p->tile_n2 * bytes);
	int64_t deep = vars_count(s, &p->contracted), limit = lt__max(32, cache / 8 * 5 / wide);
	if (deep > limit && p->form == LT_PRODUCT_PANEL && vars_count(s, &p->row) <= cache / SMALL_PART / wide)
		limit = lt__max(32, cache / SMALL_PART / wide);
	if (vars_count(s, &p->row) == 1)
		limit = lt__max(limit, deep);
	if (deep <= limit && is_kept(s, p))
		limit = lt__ceil_div(deep, 2);
	lt_var longest = -1;
	for (int32_t i = 0; deep > limit && i < p->contracted.n; i++)
		if (!lt__auto_bounded(s, p->contracted.at[i]) && var_extent(s, p->contracted.at[i]) > var_extent(s, longest))
			longest = p->contracted.at[i];
	if (longest < 0)
		return;
	int64_t all = var_extent(s, longest), blocks = lt__min(all / 2, lt__ceil_div(deep, limit));
	if (blocks < 2)
		return;
	p->k = longest;
	p->block_k = lt__ceil_div(all, blocks);
	p->part = p->sum;       /* wanted; it is made later */
}

/* Rows between the loops of the tiles: as many as the third cache keeps of the left factor, fewer where threads need
 * iterations. */
static void choose_blocks(const struct lt_auto *s, struct lt_product *p, int64_t bytes)
{
	int64_t rows = var_extent(s, p->m), deep = vars_count(s, &p->contracted), cores = lt__max(1, s->target->cores);
	int64_t trip_count = vars_min_count(s, &p->batch, -1, -1) * vars_min_count(s, &p->column, p->n, p->n2);
	trip_count *= lt__ceil_div(var_extent(s, p->n), p->tile_n) * lt__ceil_div(var_extent(s, p->n2), p->tile_n2);
	int64_t block = rows;
	bool panel = p->left_copy >= 0 && !p->left_early;
	if (s->target->l3_bytes && p->m >= 0 && !panel)
		block = lt__min(block, lt__max(MIN_ROWS, (int64_t)s->target->l3_bytes / 2 / lt__max(1, deep * bytes)));
	p->parallel = lt__product_is_shared(s, p);
	if (p->parallel && p->form != LT_PRODUCT_PANEL && !panel && lt__product_share(trip_count, cores) < LT_GOOD_SHARE
		&& vars_min_count(s, &p->row, p->m, -1) >= cores) {
		p->rows_outside = true;
		trip_count *= vars_min_count(s, &p->row, p->m, -1);
	}
	int64_t floor = p->form == LT_PRODUCT_PANEL ? MIN_PACKED_ROWS : 2 * p->tile_m, blocks = lt__ceil_div(rows, block),
		best = blocks;
	for (; p->parallel && p->m >= 0 && !panel && rows / blocks >= floor && blocks <= ITERATIONS_A_THREAD * cores;
		blocks++) {
		if (lt__product_share(trip_count * blocks, cores) > lt__product_share(trip_count * best, cores))
			best = blocks;
		if (lt__product_share(trip_count * best, cores) >= LT_GOOD_SHARE)
			break;
	}
	block = lt__ceil_div(rows, best);
	if (p->m >= 0 && block < rows)
		p->block_m = lt__min(rows, lt__round_up(lt__ceil_div(rows, lt__ceil_div(rows, block)), p->tile_m));
	if (p->block_m >= rows)
		p->block_m = 0;
}

/* Whether the sum's readers have to find it in a place of its own: it is in registers or in a tile otherwise. */
static void choose_out(const struct lt_auto *s, struct lt_product *p, bool direct)
{
	if (p->epilogue < 0 && !direct && !is_kept(s, p))
		p->out = p->sum;
}

/* Columns in an iteration of the loop that threads share: several for each of them, so that one that is late is not
 * waited for long, if that leaves long runs. */
static int64_t rows_block(const struct lt_auto *s, const struct lt_product *p)
{
	int64_t cores = lt__max(1, s->target->cores), n = var_extent(s, p->n);
	int64_t block = lt__max(MIN_BLOCK, lt__ceil_div(n, ITERATIONS_A_THREAD * cores));
	if (lt__ceil_div(n, block) < cores)
		block = lt__max(SHORT_BLOCK, lt__ceil_div(n, cores));
	return lt__round_up(block, p->tile_n);
}

/* Elements of k for one iteration of the loop that threads share, where rows of the right factor are too short to be
 * cut: so many that each iteration has as many, whether four threads share them or fewer.  It follows from the extents
 * alone, as the sum depends on it.  0: none. */
static int64_t deep_block(const struct lt_auto *s, const struct lt_product *p)
{
	int64_t k = var_extent(s, p->k), bytes = lt__dtype_info(s->g->node[p->sum].dtype)->bytes, best = 0, waste = INT64_MAX;
	if (vars_count(s, &p->row) > 1 || vars_count(s, &p->batch) > 1 || p->column.n > 1 || p->contracted.n > 1
		|| p->block_k != ROWS_DEEP || var_extent(s, p->n) * bytes > MAX_SHORT_ROW || lt__product_ns(s, p) < LT_MIN_SHARED_NS)
		return 0;
	for (int64_t step = 2 * ROWS_DEEP; lt__ceil_div(k, step) >= FEW_CHUNKS; step += ROWS_DEEP) {
		int64_t n = lt__ceil_div(k, step), w = lt__round_up(n, FEW_CHUNKS) * step - k;
		if (n <= MAX_CHUNKS && w < waste) {
			waste = w;
			best = step;
		}
	}
	return best;
}

static void form_rows(const struct lt_auto *s, struct lt_product *p, int64_t slice)
{
	int64_t rows = vars_count(s, &p->row);
	p->form = LT_PRODUCT_ROWS;
	p->tile_n = 2 * p->lanes;
	p->tile_n2 = 1;
	p->tile_m = lt__product_tile_rows(s, 2, rows, rows <= FEW_ROWS);
	p->k = p->contracted.at[0];
	for (int32_t i = 1; i < p->contracted.n; i++)
		if (var_extent(s, p->contracted.at[i]) > 1)
			p->k = p->contracted.at[i];
	p->block_k = slice < var_extent(s, p->k) ? slice : lt__ceil_div(var_extent(s, p->k), 2);     /* partial sums are of two
	                                                                                           * iterations at least */
	p->part = p->sum;
	p->parallel = lt__product_is_shared(s, p);
	p->block_deep = deep_block(s, p);
	if (p->parallel && !p->block_deep)
		p->block_n = rows_block(s, p);
	if (p->block_n >= var_extent(s, p->n))
		p->block_n = 0;
	choose_out(s, p, rows == 1 && !p->block_deep);
}

static void form_dots(const struct lt_auto *s, struct lt_product *p, lt_var deep)
{
	int64_t rows = vars_count(s, &p->row);
	p->form = LT_PRODUCT_DOTS;
	p->k = deep;
	p->block_k = p->lanes;
	p->tile_n = lt__min(var_extent(s, p->n), lt__max(1, lt__min(8, 16 / rows)));
	p->tile_n2 = 1;
	p->part = p->sum;
	p->parallel = lt__product_is_shared(s, p);
	double column_ns = lt__product_ns(s, p) / (double)vars_count(s, &p->batch) / (double)vars_count(s, &p->column);
	/* tiles are peeled inside of blocks */
	p->block_n = lt__round_up(lt__max(2 * p->tile_n, (int64_t)(2 * LT_MIN_THREAD_NS / column_ns)), p->tile_n);
	if (p->block_n >= var_extent(s, p->n) || !p->parallel)
		p->block_n = 0;
	choose_out(s, p, true);
}

/* Whether the one row of the left factor, which is no plain read, lies along v when it is copied before. */
static bool may_lie_along(const struct lt_auto *s, const struct lt_product *p, lt_var v)
{
	return !has_bounded(s, &p->contracted) && !has_bounded(s, &p->batch) && vars_count(s, &p->row) == 1
		&& vars_count(s, &p->column) >= 2 * FEW_ROWS && may_copy(s, p, false)
		&& p->contracted.at[p->contracted.n - 1] == v;
}

/* A contracted var along which both factors lie, with a vector or more of elements. */
static lt_var find_dot(
	const struct lt_auto *s, const struct lt_product *p, const struct factor_read *left, const struct factor_read *right)
{
	for (int32_t i = 0; i < p->contracted.n; i++) {
		lt_var v = p->contracted.at[i];
		if (var_extent(s, v) >= 2 * p->lanes && !lt__auto_bounded(s, v) && var_stride(s, right, v) == 1
			&& (left->plain ? var_stride(s, left, v) == 1 : may_lie_along(s, p, v)))
			return v;
	}
	return -1;
}

static int32_t count_units(const struct lt_auto *s, const struct lt_vars *list)
{
	int32_t n = 0;
	for (int32_t i = 0; i < list->n; i++)
		n += var_extent(s, list->at[i]) == 1;
	return n;
}

/* A tile reads its rows where they lie, if they lie along a contracted var or are few enough for the second cache. 
 * Others are copied by tiles in a nest before; those that are windows over a border, or other views with guards,
 * just before they are used. */
static void choose_left(
	const struct lt_auto *s, struct lt_product *p, const struct factor_read *left, double bytes, double weight)
{
	bool along = false;
	for (int32_t i = 0; i < p->contracted.n; i++)
		along = along || (var_extent(s, p->contracted.at[i]) > 1 && var_stride(s, left, p->contracted.at[i]) == 1);
	if (p->m < 0 || !may_copy(s, p, false))
		return;
	if (!left->plain && !left->early && vars_count(s, &p->column) >= 2 * FEW_ROWS && !is_cut_by_deep(p, left))
		p->left_copy = p->left;
	/* Once for all rows, if the right factor is too large to be read again for each of them. */
	p->left_whole = p->left_copy >= 0 && bytes <= (double)lt__auto_cache(s->target)
		&& weight > (double)lt__auto_cache(s->target);
	if (left->plain && !along && bytes > (double)lt__auto_cache(s->target) && var_stride(s, left, p->m) != 1)
		p->left_early = true;
	if (left->plain && !along && bytes > (double)lt__auto_cache(s->target) && count_units(s, &p->row) + 1 == p->row.n)
		p->left_early = true;
	/* Lanes that are no run of the result: many of them read each row, whose next element is far away. */
	if (p->lanes_on_rows && left->plain && !left->early && !along && vars_count(s, &p->column) >= MIN_REREAD
		&& !lt__auto_bounded(s, p->m))
		p->left_early = true;
	p->left_early = p->left_early && !(s->constant[p->left] && s->target->unpacked);
	if (p->left_early)
		p->left_copy = p->left;
}

static int64_t greatest_divisor(int64_t a, int64_t b) { return b ? greatest_divisor(b, a % b) : a; }

/* Whether the second cache keeps a panel of the right factor where it lies, all rows of tile_n columns, though the
 * factor itself is larger: rows whose distance is a multiple of a power of two meet in few of its sets. */
static bool keeps_panel(const struct lt_auto *s, const struct lt_product *p, const struct factor_read *right)
{
	const struct lt_target *t = s->target;
	int64_t rows = vars_count(s, &p->contracted), step = 0;
	if (!right->plain || !t->l2_bytes || !t->l2_ways || has_bounded(s, &p->contracted))
		return false;
	for (int32_t i = 0; i < p->contracted.n; i++)
		if (var_extent(s, p->contracted.at[i]) == rows)
			step = var_stride(s, right, p->contracted.at[i]) * lt__dtype_info(s->g->node[p->sum].dtype)->bytes;
	int64_t way = (int64_t)(t->l2_bytes / t->l2_ways), run = p->tile_n * lt__dtype_info(s->g->node[p->sum].dtype)->bytes;
	if (step < 1 || run < 1 || way < run)
		return false;
	return rows <= (int64_t)t->l2_ways / 2 * lt__min(way / run, way / greatest_divisor(way, step));
}

/* A cast that is done where it is read has no place in tiles: what is read often is cast before, in a nest of its
 * own, or else by the loops of any other nest.  For few rows what others wrote is cast in the tile, row by row, which
 * moves fewer bytes (the values of grouped heads, from a cache of halves). */
static bool drop_casts(const struct lt_auto *s, struct lt_product *p, int64_t rows)
{
	for (int k = 0; k < 2; k++)
		if (p->cast[k] >= 0 && s->is_inlined[p->cast[k]])
			return false;
	p->cast[0] = -1;
	if (rows > FEW_ROWS || s->constant[p->right])
		p->cast[1] = -1;
	return true;
}

/* Whether the right factor is a constant that is packed once, before the first run, by tiles of its columns: its rows
 * are read again in each run, or by each step of a recurrence.  One row needs no copy of what lies along its vectors.
 * once: a form reads all of it once as it lies, which is as fast where no cache holds it from one time to the next, and
 * for one sum, which would wait for itself. */
static bool is_packed_once(
	const struct lt_auto *s, const struct lt_product *p, const struct factor_read *right, bool once)
{
	const struct lt_nodedef *d = &s->g->node[p->right];
	const int64_t rows = vars_count(s, &p->row);
	double again = (double)lt__dtype_info(d->dtype)->bytes, last = (double)lt__auto_last_cache(s->target);
	if (!right->early || p->batch.n != count_units(s, &p->batch) || !may_copy(s, p, true))
		return false;
	for (int32_t i = 0; i < d->n_dim; i++)
		again *= (double)var_extent(s, d->dim[i]);
	/* what is read from one time to the next: itself, or all constants of a run */
	if (s->n_named_reader[lt__auto_renamed(s->g, p->right)] < 2)
		again = s->constant_bytes;
	if (once)
		return again <= last && rows * lt__ceil_div(var_extent(s, p->n), p->lanes) > 1;
	return rows > 1 || var_stride(s, right, p->n) != 1;
}

bool lt__product_form(const struct lt_auto *s, struct lt_product *p)
{
	p->lanes = lt__auto_lanes(s->target, s->g->node[p->sum].dtype);
	if (lt__product_is_bytes(s, p)) {
		lt__product_form_bytes(s, p);
		return true;
	}
	int64_t bytes = lt__dtype_info(s->g->node[p->sum].dtype)->bytes;
	struct factor_read left = lt__product_look(s, p, false), right = lt__product_look(s, p, true);
	int64_t rows = vars_count(s, &p->row), columns = vars_count(s, &p->column), deep = vars_count(s, &p->contracted);
	double weight = (double)columns * (double)deep * (double)bytes;         /* bytes of the right factor, of one batch */
	bool along = var_stride(s, &right, p->n) == 1, large = weight > (double)lt__auto_cache(s->target);
	lt_var dot = rows <= FEW_ROWS ? find_dot(s, p, &left, &right) : -1;
	const bool dots = dot >= 0 && !along && (left.plain || p->cast[0] < 0);
	if (dots && !is_packed_once(s, p, &right, true)) {
		if (p->cast[0] >= 0 && !s->is_inlined[p->cast[0]])
			p->cast[0] = -1;        /* for all columns at once */
		form_dots(s, p, dot);
		p->left_early = !left.plain;
		p->left_copy = left.plain ? -1 : p->left;
		return true;
	}
	if (!drop_casts(s, p, rows))
		return false;
	left = lt__product_look(s, p, false);
	right = lt__product_look(s, p, true);
	along = var_stride(s, &right, p->n) == 1;
	/* There may be few rows in a run: panels of a right factor that is not packed before cost them more than they save
	 * with some rows. */
	bool few = rows <= FEW_ROWS
		|| (rows <= SOME_ROWS && vars_min_count(s, &p->row, -1, -1) <= FEW_ROWS && !right.early);
	const bool by_rows = along && few && (large || (right.early && rows == 1)) && var_extent(s, p->n) >= 16 * p->lanes
		&& !has_bounded(s, &p->contracted);
	const bool pack = is_packed_once(s, p, &right, dots || by_rows);
	if (by_rows && !pack) {
		p->cast[1] = -1;
		form_rows(s, p, rows <= FEW_ROWS ? ROWS_DEEP : 2 * ROWS_DEEP);
		return true;
	}
	lt__product_tile(s, p);
	bool whole = !lt__auto_bounded(s, p->n) && (var_extent(s, p->n) % p->lanes == 0 || lt__auto_masks(s->target));
	bool packed = along && p->contracted.n == 1 && columns <= p->tile_n;          /* one panel, as it lies */
	p->form = LT_PRODUCT_CPU_TILE;
	if (!packed && pack) {
		p->right_early = true;
		p->right_copy = p->right;
	} else if (rows > 1 && may_copy(s, p, true)
		&& !(along && (!large || keeps_panel(s, p, &right)) && (whole || packed || rows < 2 * FEW_ROWS))) {
		p->form = LT_PRODUCT_PANEL;
		p->right_copy = p->right;
	}
	if (p->right_copy < 0)
		lt__product_pad_run(s, p);
	else
		p->cast[1] = -1;
	p->tail = p->form == LT_PRODUCT_PANEL && !peels(s, p) ? LT_PAD : lt__auto_bounded(s, p->n) ? LT_MASK : LT_PEEL;
	choose_depth(s, p, bytes);
	choose_left(s, p, &left, (double)rows * (double)deep * (double)bytes, weight);
	choose_blocks(s, p, bytes);
	if (lt__product_join_rows(s, p, &left)) {
		p->part = p->k = -1;
		choose_depth(s, p, bytes);
	}
	choose_out(s, p, p->part >= 0 && p->m >= 0 && !p->lanes_on_rows);
	return true;
}
