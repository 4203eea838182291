/* Products of bytes: casts of i8 or u8 to i32, whose products are added exactly.
 *
 *     for n parallel                                  columns: rows of the right factor, which is read once
 *       for n' step ROWS
 *         for rows
 *           for n'' unroll  for g unroll              groups of the contracted vars, where another sum adds them
 *             for k vector                            both casts, the product, its sum
 *           for n'' unroll  for g vector              what is made of the group's sum, the sum of the groups
 *           what is computed of that
 *
 * Loops follow the right factor's order in memory.  A kernel program's `dot` takes the bytes of the vector loop as they
 * are (kernel/lower/dot.c), and the copies of the loop over groups are folded together (kernel/lower/join.c).
 */
#include "looptree/default/product.h"
#include "looptree/default/share.h"

/* ROWS: columns of an iteration, at most.  MAX_BLOCKS: for each core, where blocks are made even. */
enum { ROWS = 4, MAX_BLOCKS = 32 };

static lt_node cast_source(const struct lt_auto *s, lt_node cast) { return s->t->leaf[cast]->read[0].piece[0].base; }

static bool is_of_bytes(const struct lt_auto *s, lt_node cast)
{
	enum lt_dtype d = cast < 0 ? LT_F32 : s->g->node[cast_source(s, cast)].dtype;
	return d == LT_I8 || d == LT_U8;
}

/* The contracted var that both factors lie along; -1. */
static lt_var var_along(const struct lt_auto *s, const struct lt_product *p)
{
	const struct factor_read left = lt__product_look(s, p, false), right = lt__product_look(s, p, true);
	for (int32_t i = p->contracted.n; i-- > 0; )
		if (var_stride(s, &left, p->contracted.at[i]) == 1 && var_stride(s, &right, p->contracted.at[i]) == 1
			&& !lt__auto_bounded(s, p->contracted.at[i]))
			return p->contracted.at[i];
	return -1;
}

bool lt__product_is_bytes(const struct lt_auto *s, const struct lt_product *p)
{
	return s->g->node[p->sum].dtype == LT_I32 && is_of_bytes(s, p->cast[0]) && is_of_bytes(s, p->cast[1])
		&& var_along(s, p) >= 0;
}

/* The only batch var with more than one element; -1: there are others, or none. */
static lt_var group_var(const struct lt_auto *s, const struct lt_product *p)
{
	lt_var group = -1;
	for (int32_t i = 0; i < p->batch.n; i++) {
		if (var_extent(s, p->batch.at[i]) == 1)
			continue;
		if (group >= 0 || lt__auto_bounded(s, p->batch.at[i]))
			return -1;
		group = p->batch.at[i];
	}
	return group;
}

/* Whether the sum reduces that var and nothing else, and has all other vars of the product's. */
static bool adds_groups(const struct lt_auto *s, const struct lt_product *p, lt_node sum, lt_var group)
{
	const struct lt_leaf *leaf = s->t->leaf[sum], *of = s->t->leaf[p->sum];
	for (int32_t i = leaf->n_out; i < leaf->n_var; i++)
		if (leaf->var[i] != group && var_extent(s, leaf->var[i]) > 1)
			return false;
	for (int32_t i = 0; i < of->n_out; i++)
		if (lt__leaf_column(leaf, of->var[i]) < 0)
			return false;
	return leaf->n_var == of->n_out && lt__leaf_column(leaf, group) >= leaf->n_out;
}

void lt__product_find_groups(struct lt_auto *s, struct lt_product *p)
{
	lt_var group = lt__target_has_grid(s->target) || !lt__product_is_bytes(s, p) ? -1 : group_var(s, p);
	lt_node end = group < 0 || s->written[p->sum] || s->n_reader[p->sum] != 1 ? -1 : s->reader[p->sum];
	while (end >= 0 && s->is_inlined[end])
		end = s->reader[end];
	if (end < 0 || s->g->node[end].op != LT_OP_add || !s->g->node[end].reduce || s->in_call[end]
		|| s->constant[end] != s->constant[p->sum] || !lt__auto_same_class(s, end, p->sum)
		|| !adds_groups(s, p, end, group))
		return;
	lt__auto_gather(s, end);
	for (int32_t i = 0; i < s->n_producer; i++)
		if (s->producer[i] > p->sum)
			return;
	for (int32_t i = 0; i < s->n_member; i++)
		if (!lt__reads_in_place(s, s->member[i], p->sum, -1) || s->g->node[s->member[i]].op == LT_OP_gather)
			return;
	p->groups = end;
	p->group = group;
	p->fused = LT_NEW(s->t->arena, lt_node, s->n_member + 1);
	for (int32_t i = 0; i < s->n_member; i++)
		if (s->member[i] != end)
			p->fused[p->n_fused++] = s->member[i];
}

/* Vectors whose sums are folded together: compilers compute all of them before they fold any, and other registers hold
 * what they are made of. */
static int64_t folded_vectors(const struct lt_auto *s) { return (int64_t)s->target->vector_registers / 4 * 3; }

/* Vectors of bytes of a column. */
static int64_t row_vectors(const struct lt_auto *s, const struct lt_product *p)
{
	const int64_t run = var_extent(s, p->k), bytes = lt__max(1, (int64_t)s->target->vector_bytes);
	return lt__max(1, var_extent(s, p->group) * (run < bytes ? run : lt__round_up(run, bytes)) / bytes);
}

/* Columns for an iteration of the loop that threads share: at least so many, and up to twice as many where that shares
 * all out more evenly. */
static int64_t even_block(const struct lt_auto *s, const struct lt_product *p, int64_t min)
{
	const int64_t n = var_extent(s, p->n), cores = lt__max(1, s->target->cores);
	int64_t best = min, longest = INT64_MAX;
	if (lt__ceil_div(n, min) > MAX_BLOCKS * cores)
		return min;
	for (int64_t block = min; block <= 2 * min && block < n; block += p->tile_n) {
		const int64_t own = lt__ceil_div(lt__ceil_div(n, block), cores) * block;      /* of the thread that has most */
		if (own < longest) {
			longest = own;
			best = block;
		}
	}
	return best;
}

void lt__product_form_bytes(const struct lt_auto *s, struct lt_product *p)
{
	p->form = LT_PRODUCT_BYTES;
	p->k = var_along(s, p);
	p->tile_n = lt__min(var_extent(s, p->n), ROWS);
	p->tile_n2 = 1;
	if (p->groups >= 0) {
		p->lanes = lt__max(1, lt__auto_lanes(s->target, s->g->node[p->groups].dtype));
		if (var_extent(s, p->group) > p->lanes)
			p->groups_part = p->groups;     /* wanted; it is made later */
		else if (vars_count(s, &p->row) == 1)   /* more rows read each vector of the right factor again */
			p->tile_n = lt__max(1, lt__min(p->tile_n, folded_vectors(s) / row_vectors(s, p)));
	}
	p->parallel = lt__product_is_shared(s, p);
	double column_ns = lt__product_ns(s, p) / (double)vars_count(s, &p->column);
	p->block_n = even_block(s, p,
		lt__round_up(lt__max(2 * p->tile_n, (int64_t)(2 * LT_MIN_THREAD_NS / column_ns)), p->tile_n));
	if (p->block_n >= var_extent(s, p->n) || !p->parallel)
		p->block_n = 0;
}

static void add_run(struct product_nest x)
{
	const struct lt_product *p = x.p;
	lt__nest_open_all(&x, &p->contracted, p->k, -1);
	lt__nest_open(&x, p->k, 1, LT_VECTOR, LT_GUARD);
	lt__auto_add_leaf(x.s, x.at, p->cast[0]);
	lt__auto_add_leaf(x.s, x.at, p->cast[1]);
	lt__auto_add_leaf(x.s, x.at, p->mul);
	lt__auto_add_leaf(x.s, x.at, p->sum);
}

/* What is made of the sums of groups, and their sum. */
static void add_fused(struct product_nest x)
{
	const struct lt_product *p = x.p;
	lt__nest_open(&x, p->group, 1, LT_VECTOR, LT_GUARD);
	for (int32_t i = 0; i < p->n_fused; i++)
		lt__auto_add_leaf(x.s, x.at, p->fused[i]);
	lt__auto_add_leaf(x.s, x.at, p->groups_part >= 0 ? p->groups_part : p->groups);
}

void lt__product_add_bytes(struct product_nest *x, struct lt_product *p)
{
	lt__nest_open_all(x, &p->batch, p->group, -1);
	lt__nest_open_all(x, &p->column, p->n, -1);
	lt__nest_open(x, p->n, p->block_n, LT_SERIAL, LT_GUARD);
	lt__nest_parallel(x);
	lt__nest_open(x, p->n, p->tile_n, LT_SERIAL, LT_PEEL);
	lt__nest_open_all(x, &p->row, -1, -1);
	lt__nest_group(x);
	struct product_nest row = *x, run;
	lt__nest_open(&row, p->n, 1, p->groups_part >= 0 ? LT_SERIAL : LT_UNROLL, LT_GUARD);
	lt__nest_group(&row);
	if (p->groups_part >= 0)
		lt__nest_open(&row, p->group, p->lanes, LT_SERIAL, LT_PEEL);
	run = row;
	lt__nest_open(&run, p->group, 1, LT_UNROLL, LT_GUARD);
	add_run(run);
	if (p->groups >= 0)
		add_fused(row);
	if (p->groups_part >= 0) {
		const struct lt_nodedef *part = &x->s->g->node[p->groups_part];
		struct product_nest sum = *x;
		lt__nest_open(&sum, p->n, 1, LT_UNROLL, LT_GUARD);
		lt__nest_open(&sum, part->dim[part->n_dim - 1], 1, LT_VECTOR, LT_GUARD);
		lt__auto_add_leaf(sum.s, sum.at, p->groups);
	}
	lt__nest_end(*x, p, false);
}
