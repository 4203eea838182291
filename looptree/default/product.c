/* The products of a graph: sums of products whose vars are rows, columns, batches or summed over, and the derived nodes
 * that they need. */
#include <string.h>
#include "base/names.h"
#include "looptree/default/auto.h"
#include "looptree/call/call.h"
#include "looptree/derive/derive.h"
#include "looptree/default/product.h"

enum {
	MIN_WORK = 64,        /* multiply-adds below which a plain nest is as good and easier to read */
	MIN_LOST = 10,        /* lanes lost under a mask, one in so many, that make a run fill vectors badly */
	MIN_ACROSS = 48,      /* terms of a sum whose vectors are stored lane by lane */
	MIN_BORDER = 16       /* columns of a product whose image is copied with its border */
};

/* Who reads each node, and the bytes of all constants. */
static void count_named(struct lt_auto *s)
{
	const struct lt_graph *g = s->g;
	s->n_named_reader = LT_NEW(s->t->arena, int32_t, g->n_node + 1);
	s->constant_bytes = 0;
	for (lt_node n = 0; n < g->n_node; n++) {
		const struct lt_nodedef *d = &g->node[n];
		double bytes = lt__dtype_info(d->dtype)->bytes;
		s->n_named_reader[lt__auto_renamed(g, n)] += s->written[n];
		for (int32_t i = 0; i < d->n_operand && lt__auto_renamed(g, n) == n; i++)
			s->n_named_reader[lt__auto_renamed(g, d->operand[i])]++;
		for (int32_t i = 0; i < d->n_dim; i++)
			bytes *= (double)g->var[d->dim[i]].extent;
		s->constant_bytes += d->op == LT_OP_constant ? bytes : 0;
	}
}

static void add_var(struct lt_vars *list, lt_var v) { list->at[list->n++] = v; }

/* Sorts the vars of the product into the four lists; false: one fits none, so this is not a product. */
static bool classify(const struct lt_auto *s, struct lt_product *p, int right)
{
	const struct lt_leaf *mul = s->t->leaf[p->mul], *sum = s->t->leaf[p->sum];
	int32_t *role = LT_NEW(s->t->arena, int32_t, mul->n_var + 1);
	if (lt__product_roles(s->g, mul, sum, right, role) >= 0)
		return false;
	struct lt_vars *const list[] = { [LT_DIM_BATCH] = &p->batch, [LT_DIM_ROW] = &p->row, [LT_DIM_COLUMN] = &p->column };
	for (int32_t i = 0; i < mul->n_var; i++) {
		if (lt__auto_bounded(s, mul->var[i]) && lt__target_has_grid(s->target) && role[i] == LT_DIM_BATCH)
			return false;
		if (s->g->var[mul->var[i]].extent > 1 && role[i] != LT_DIM_DEEP)
			add_var(list[role[i]], mul->var[i]);
	}
	/* Summed over in the order in which the right factor has them; unit vars are anywhere. */
	const struct lt_nodedef *r = &s->g->node[p->right];
	for (int32_t i = 0; i < r->n_dim; i++) {
		int32_t at = lt__leaf_column(sum, r->dim[i]);
		if (at >= sum->n_out && s->g->var[r->dim[i]].extent > 1)
			add_var(&p->contracted, r->dim[i]);
	}
	int32_t n_deep = 0, n_unit = 0;
	for (int32_t i = 0; i < sum->n_var; i++) {
		n_deep += i >= sum->n_out && s->g->var[sum->var[i]].extent > 1;
		n_unit += s->g->var[sum->var[i]].extent == 1;
	}
	if (p->contracted.n != n_deep || n_deep == 0 || p->column.n == 0)
		return false;
	for (int32_t i = 0; i < sum->n_var && n_unit > 0; i++)
		if (s->g->var[sum->var[i]].extent == 1)
			add_var(i < sum->n_out ? &p->batch : &p->contracted, sum->var[i]);
	return true;
}

/* A leaf that is inlined into the product's terms would be run for each of them. */
static bool is_fed_by_inlined(const struct lt_auto *s, lt_node n)
{
	const struct lt_leaf *mul = s->t->leaf[n];
	for (int32_t k = 0; k < mul->n_read; k++)
		for (int32_t i = 0; i < mul->read[k].n_piece; i++) {
			lt_node base = mul->read[k].piece[i].base;
			if (base >= 0 && lt__has_leaf(s->g, base) && s->is_inlined[base]
				&& (lt__target_has_grid(s->target) || !lt__auto_is_cast(s, n, base, 1)))
				return true;
		}
	return false;
}

/* The dim that runs along memory; -1: there is one element only. */
static lt_var last_dim(const struct lt_graph *g, lt_node n)
{
	const struct lt_nodedef *d = &g->node[n];
	int32_t last = d->n_dim - 1;
	while (last >= 0 && g->var[d->dim[last]].extent == 1)
		last--;
	return last >= 0 ? d->dim[last] : -1;
}

/* How the product's leaf reads a factor, if that is one piece. */
static const struct lt_readpiece *factor_piece(const struct lt_auto *s, const struct lt_product *p, lt_node factor)
{
	const struct lt_read *r = &s->t->leaf[p->mul]->read[s->g->node[p->mul].operand[1] == factor];
	return r->n_piece >= 1 && r->piece[0].kind == LT_PIECE_READ ? &r->piece[0] : NULL;
}

/* The contracted var that the left factor lies along; -1. */
static lt_var deep_along_left(const struct lt_auto *s, const struct lt_product *p)
{
	const struct lt_readpiece *piece = factor_piece(s, p, p->left);
	for (int32_t i = 0; piece && i < p->contracted.n; i++)
		if (s->g->var[p->contracted.at[i]].extent > 1
			&& lt__auto_stride(s->g, piece, lt__leaf_column(s->t->leaf[p->mul], p->contracted.at[i])) == 1)
			return p->contracted.at[i];
	return -1;
}

/* A constant right factor is packed in any order: then that var is innermost, so that each row is read on and on. */
static void sort_deep(const struct lt_auto *s, struct lt_product *p)
{
	lt_var along = s->constant[p->right] && !s->constant[p->left] ? deep_along_left(s, p) : -1;
	int32_t to = 0;
	for (int32_t i = 0; along >= 0 && i < p->contracted.n; i++)
		if (p->contracted.at[i] != along)
			p->contracted.at[to++] = p->contracted.at[i];
	if (along >= 0)
		p->contracted.at[to] = along;
}

static struct lt_vars vars_of(struct lt_arena *a, int32_t n) { return (struct lt_vars){ 0, LT_NEW(a, lt_var, n + 1) }; }

static bool product_begin(const struct lt_auto *s, struct lt_product *p, lt_node sum, int right, lt_var n)
{
	lt_node mul = s->g->node[sum].operand[0];
	int32_t n_var = s->t->leaf[mul]->n_var;
	*p = (struct lt_product){ .mul = mul,
		.sum = sum,
		.left = s->g->node[mul].operand[1 - right],
		.right = s->g->node[mul].operand[right],
		.left_copy = -1,
		.right_copy = -1,
		.part = -1,
		.chunk = -1,
		.out = -1,
		.cast = { -1, -1 },
		.groups = -1,
		.groups_part = -1,
		.group = -1,
		.m = -1,
		.m2 = -1,
		.n = n,
		.n2 = -1,
		.k = -1,
		.epilogue = -1,
		.activation = -1,
		.epilogue_at = -1,
		.end = -1,
		.tile_tail = LT_PEEL,
		.batch = vars_of(s->t->arena, n_var),
		.row = vars_of(s->t->arena, n_var),
		.column = vars_of(s->t->arena, n_var),
		.contracted = vars_of(s->t->arena, n_var) };
	return classify(s, p, right);
}

/* A row var for the lanes, where the sum's last dim fills vectors badly and the left factor can be packed before the
 * first run: the channels of a convolution with few pixels in a row.  Vectors are then stored lane by lane, which many
 * terms have to pay for. */
static lt_var find_across(const struct lt_auto *s, const struct lt_product *p, int64_t lanes)
{
	int64_t n = s->g->var[p->n].extent, deep = 1, lost = (lanes - n % lanes) % lanes;
	lt_var best = -1;
	for (int32_t i = 0; i < p->contracted.n; i++)
		deep *= s->g->var[p->contracted.at[i]].extent;
	if (!s->constant[p->left] || s->constant[p->right] || n >= 16 * lanes || deep < MIN_ACROSS
		|| (lt__auto_masks(s->target) ? lost * MIN_LOST <= n : lost == 0))
		return -1;
	for (int32_t i = 0; i < p->row.n; i++) {
		int64_t e = s->g->var[p->row.at[i]].extent;
		if (e >= lanes && (best < 0 || e > s->g->var[best].extent))
			best = p->row.at[i];
	}
	return best;
}

/* A result that others read, too: its registers would be stored by one nest, and read again by others. */
static bool is_kept_sum(const struct lt_auto *s, lt_node sum) { return s->written[sum] && s->n_reader[sum] > 2; }

static bool product_find(struct lt_auto *s, lt_node sum, struct lt_product *p)
{
	const struct lt_graph *g = s->g;
	const struct lt_nodedef *d = &g->node[sum];
	const bool blocks = lt__target_has_grid(s->target);
	if (!s->target || (!blocks && lt__auto_lanes(s->target, d->dtype) < 2) || s->in_call[sum] || !lt__has_leaf(g, sum)
		|| d->op != LT_OP_add || !d->reduce || d->n_dim == 0)
		return false;
	lt_node mul = d->operand[0];
	if (g->node[mul].op != LT_OP_mul || g->node[mul].reduce || !s->is_inlined[mul] || g->node[mul].dtype != d->dtype)
		return false;
	const struct lt_leaf *leaf = s->t->leaf[mul];
	lt_var last = last_dim(g, sum);
	if (last < 0 || leaf->n_read != 2 || is_fed_by_inlined(s, mul) || (blocks && is_kept_sum(s, sum)))
		return false;
	int32_t column = lt__leaf_column(leaf, last);
	bool in_left = lt__read_depends(&leaf->read[0], column), in_right = lt__read_depends(&leaf->read[1], column);
	if (in_left == in_right || d->operand[0] != mul || g->node[mul].operand[0] == g->node[mul].operand[1])
		return false;
	int right = in_right ? 1 : 0;
	if (!product_begin(s, p, sum, right, last))
		return false;
	if (blocks)
		return true;
	int64_t lanes = lt__auto_lanes(s->target, d->dtype);
	lt_var across = find_across(s, p, lanes);
	if (across >= 0 && !product_begin(s, p, sum, 1 - right, across))
		return false;
	p->lanes_on_rows = across >= 0;
	sort_deep(s, p);
	double work = 1;
	for (int32_t i = 0; i < leaf->n_var; i++)
		work *= (double)g->var[leaf->var[i]].extent;
	return work >= MIN_WORK && g->var[p->n].extent * 4 >= lanes;
}

/* The cluster that alone reads `of`, the sum or what is computed of it, and that may be in its nest: after all else
 * that it reads, and over the same elements. */
static lt_node find_epilogue(struct lt_auto *s, const struct lt_product *p, lt_node of)
{
	lt_node end = s->reader[of];
	if (end < 0)
		return -1;
	while (s->is_inlined[end])
		end = s->reader[end];
	const struct lt_nodedef *d = &s->g->node[end], *sum = &s->g->node[p->groups >= 0 ? p->groups : p->sum];
	if (d->reduce || d->op == LT_OP_update || d->n_dim != sum->n_dim || s->constant[end] != s->constant[p->sum]
	    || !lt__auto_same_class(s, end, p->sum) || s->in_call[end])
		return -1;
	if (last_dim(s->g, end) != p->n)
		return -1;
	lt__auto_gather(s, end);
	for (int32_t i = 0; i < s->n_producer; i++)
		if (s->producer[i] > p->sum && s->producer[i] != of)
			return -1;
	int32_t readers = 0;
	for (int32_t i = 0; i < s->n_member; i++) {
		const struct lt_leaf *leaf = s->t->leaf[s->member[i]];
		bool reads = false;
		for (int32_t k = 0; k < leaf->n_read; k++)
			for (int32_t q = 0; q < leaf->read[k].n_piece; q++)
				reads = reads || leaf->read[k].piece[q].base == of;
		readers += reads;
		if (!lt__reads_in_place(s, s->member[i], of, -1) || s->g->node[s->member[i]].op == LT_OP_gather)
			return -1;
	}
	for (int32_t i = 0; i < sum->n_dim; i++)
		if (lt__leaf_column(s->t->leaf[end], sum->dim[i]) < 0)
			return -1;
	return readers == s->n_reader[of] ? end : -1;
}

static const char *name(const struct lt_auto *s, lt_node n) { return s->g->node[n].name; }

/* "k_16", "k_16_2" ...: a name for the dim of partial sums of the product of that number; no var and no other product
 * has it. */
static const char *dim_name(const struct lt_auto *s, const char *var, int64_t step, int32_t number)
{
	const char *base = lt__arena_format(s->t->arena, "%s_%lld", var, (long long)step);
	if (number > 0)
		base = lt__arena_format(s->t->arena, "%s_%d", base, (int)number + 1);
	const char *text = base;
	for (int32_t i = 2; lt__names_find(s->g->var_names, text, strlen(text)) != -1; i++)
		text = lt__arena_format(s->t->arena, "%s_%d_", base, (int)i);
	return text;
}

struct derived_steps { struct lt_derived_step *at; int32_t n, cap; };

static const char *product_add_step(
	struct lt_auto *s, struct derived_steps *list, struct lt_derived_step step, const char *what, lt_node of)
{
	LT_GROW(s->t->arena, list->at, list->n, list->cap);
	step.made = lt__derived_name(s->t, lt__arena_format(s->t->arena, "%s.%s", name(s, of), what));
	list->at[list->n++] = step;
	return step.made;
}

/* A constant that products want packed before the first run: how many; the name of the copy that they share. */
struct packed { int32_t n_product; const char *made; };

/* The constant that factor of the product is, packed before the first run; -1. */
static lt_node packed_factor(const struct lt_auto *s, const struct lt_product *p, bool right)
{
	const lt_node of = right ? p->right : p->left;
	return (right ? p->right_early : p->left_early) && s->constant[of] ? lt__auto_renamed(s->g, of) : -1;
}

static struct packed *find_packed(const struct lt_auto *s)
{
	struct packed *list = LT_NEW(s->t->arena, struct packed, s->g->n_node + 1);
	for (int32_t i = 0; i < 2 * s->n_product; i++) {
		const lt_node of = packed_factor(s, &s->product[i / 2], i % 2);
		if (of >= 0)
			list[of].n_product++;
	}
	return list;
}

/* Names of a product's derived nodes, until they are made. */
struct made { const char *left, *right, *part, *chunk, *out, *groups, *thread[2], *stored; };
struct making { struct derived_steps list; struct packed *packed; const char **stored; };

/* A copy of a factor for the product; of a constant that hardly anybody else reads, one for all its readers, in the
 * order that the first product wants. */
static const char *add_copy_step(
	struct lt_auto *s, struct making *m, const struct lt_product *p, bool right, const char *of, const char *reader)
{
	const lt_node root = packed_factor(s, p, right);
	struct packed *x = root >= 0 ? &m->packed[root] : NULL;
	if (!x || x->n_product < 2 || x->n_product <= 2 * (s->n_named_reader[root] - x->n_product))
		return product_add_step(s, &m->list,
			(struct lt_derived_step){ .kind = LT_DERIVED_COPY, .of = of, .reader = reader }, right ? "right" : "left", p->sum);
	if (!x->made)
		x->made = product_add_step(s, &m->list,
			(struct lt_derived_step){ .kind = LT_DERIVED_MATERIALIZE, .of = name(s, root) }, "copy", root);
	return x->made;
}

static void add_steps(struct lt_auto *s, int32_t number, struct making *m, struct made *made)
{
	struct derived_steps *list = &m->list;
	const char **stored = m->stored;        /* by node, the name of the sum in its place, which is what others read then */
	const struct lt_product *p = &s->product[number];
	const char *sum = name(s, p->sum), *mul = name(s, p->mul);
	const bool tiles = p->form == LT_PRODUCT_GPU_MMA;         /* what is copied is what the factors are cast from */
	const lt_node from[2] = { tiles ? p->left_copy : p->left, tiles ? p->right_copy : p->right };
	const char *left = stored[from[0]] ? stored[from[0]] : name(s, from[0]),
		   *right = stored[from[1]] ? stored[from[1]] : name(s, from[1]);
	if (p->left_copy >= 0)
		made->left = add_copy_step(
			s, m, p, false, left, tiles && p->tiles->cast[0] >= 0 ? name(s, p->tiles->cast[0]) : mul);
	if (p->right_copy >= 0)
		made->right = add_copy_step(
			s, m, p, true, right, tiles && p->tiles->cast[1] >= 0 ? name(s, p->tiles->cast[1]) : mul);
	for (int i = 0; p->form == LT_PRODUCT_GPU_SIMT && i < 2; i++) {
		const char *of = i ? made->right ? made->right : right : made->left ? made->left : left;
		made->thread[i] = product_add_step(s, list, (struct lt_derived_step){ .kind = LT_DERIVED_COPY, .of = of,
			.reader = mul }, i ? "right.thread" : "left.thread", p->sum);
	}
	if (p->groups_part >= 0)
		made->groups = product_add_step(s, list,
			(struct lt_derived_step){ .kind = LT_DERIVED_PARTIAL,
				.of = name(s, p->groups),
				.var = s->g->var[p->group].name,
				.step = 1,
				.span = p->lanes,
				.dim = dim_name(s, s->g->var[p->group].name, 1, number) },
			"part", p->groups);
	if (p->part >= 0) {
		const char *var = s->g->var[p->k].name;
		bool lanes = p->form == LT_PRODUCT_DOTS;
		if (p->block_deep)
			made->chunk = product_add_step(s, list,
				(struct lt_derived_step){ .kind = LT_DERIVED_PARTIAL,
					.of = sum,
					.var = var,
					.step = p->block_deep,
					.dim = dim_name(s, var, p->block_deep, number) },
				"chunk", p->sum);
		made->part = product_add_step(s, list,
			(struct lt_derived_step){ .kind = LT_DERIVED_PARTIAL,
				.of = made->chunk ? made->chunk : sum,
				.var = var,
				.step = lanes ? 1 : p->block_k,
				.span = lanes ? p->lanes : p->block_deep,
				.dim = dim_name(s, var, lanes ? 1 : p->block_k, number) },
			"part", p->sum);
	}
	if (p->part >= 0 && p->form == LT_PRODUCT_GPU_SIMT)
		made->stored = product_add_step(s, list,
			(struct lt_derived_step){ .kind = LT_DERIVED_MATERIALIZE, .of = made->part }, "stored", p->sum);
	if (p->out >= 0)
		stored[p->sum] = made->out = product_add_step(
			s, list, (struct lt_derived_step){ .kind = LT_DERIVED_MATERIALIZE, .of = sum }, "out", p->sum);
}

/* The derived nodes are made all at once; what was found of the products moves with its nodes. */
static lt_status make_derived(struct lt_auto *s)
{
	struct making m = { .packed = find_packed(s), .stored = LT_NEW(s->t->arena, const char *, s->g->n_node + 1) };
	struct made *made = LT_NEW(s->t->arena, struct made, s->n_product + 1);
	for (int32_t i = 0; i < s->n_product; i++)
		add_steps(s, i, &m, &made[i]);
	lt_node *to = LT_NEW(s->t->arena, lt_node, s->g->n_node + 1);
	for (lt_node n = 0; n < s->g->n_node; n++)
		to[n] = n;
	if (m.list.n > 0)
		LT_TRY(lt__tree_derive(s->t, m.list.at, m.list.n, to));
	s->g = s->t->graph;
	lt__auto_move_calls(s, to);
	for (int32_t i = 0; i < s->n_product; i++) {
		struct lt_product *p = &s->product[i];
		p->mul = to[p->mul];
		p->sum = to[p->sum];
		p->epilogue = p->epilogue >= 0 ? to[p->epilogue] : -1;
		p->activation = p->activation >= 0 ? to[p->activation] : -1;
		for (int k = 0; k < 2; k++)
			p->cast[k] = p->cast[k] < 0 ? -1 : to[p->cast[k]];
		p->groups = p->groups < 0 ? -1 : to[p->groups];
		p->groups_part = made[i].groups ? lt__tree_node_named(s->t, made[i].groups) : -1;
		for (int32_t k = 0; k < p->n_fused; k++)
			p->fused[k] = to[p->fused[k]];
		p->left_copy = made[i].left ? lt__tree_node_named(s->t, made[i].left) : -1;
		p->right_copy = made[i].right ? lt__tree_node_named(s->t, made[i].right) : -1;
		p->part = made[i].part ? lt__tree_node_named(s->t, made[i].part) : -1;
		p->chunk = made[i].chunk ? lt__tree_node_named(s->t, made[i].chunk) : -1;
		p->out = made[i].out ? lt__tree_node_named(s->t, made[i].out) : -1;
		for (int k = 0; p->form == LT_PRODUCT_GPU_MMA && k < 2; k++)
			p->tiles->cast[k] = p->tiles->cast[k] < 0 ? -1 : to[p->tiles->cast[k]];
		if (p->form == LT_PRODUCT_GPU_SIMT)
			p->blocks->stored = made[i].stored ? lt__tree_node_named(s->t, made[i].stored) : -1;
		for (int k = 0; p->form == LT_PRODUCT_GPU_SIMT && k < 2; k++) {
			struct lt_block_factor *f = &p->blocks->factor[k];
			f->of = f->n_fused ? to[f->of] : k ? p->right_copy : p->left_copy;
			f->part = lt__tree_node_named(s->t, made[i].thread[k]);
			for (int32_t c = 0; c < f->n_fused; c++)
				f->fused[c] = to[f->fused[c]];
		}
	}
	return LT_OK;
}

static void record_packer(struct lt_auto *s, const struct lt_product *p, lt_node copy)
{
	if (copy < 0)
		return;
	if (s->n_packer[copy]++ == 0)
		s->packer[copy] = p;
}

static void record_roles(struct lt_auto *s)
{
	s->role = LT_NEW(s->t->arena, struct lt_product *, s->g->n_node + 1);
	s->epilogue_of = LT_NEW(s->t->arena, struct lt_product *, s->g->n_node + 1);
	s->packer = LT_NEW(s->t->arena, const struct lt_product *, s->g->n_node + 1);
	s->n_packer = LT_NEW(s->t->arena, int32_t, s->g->n_node + 1);
	for (int32_t i = 0; i < s->n_product; i++) {
		struct lt_product *p = &s->product[i];
		record_packer(s, p, p->right_early ? p->right_copy : -1);
		record_packer(s, p, p->left_early && p->left_copy != p->right_copy ? p->left_copy : -1);
		const lt_node all[] = { p->mul, p->sum, p->left_copy, p->right_copy, p->part, p->chunk, p->out, p->cast[0],
			p->cast[1], p->groups, p->groups_part };
		for (size_t k = 0; k < sizeof all / sizeof *all; k++)
			if (all[k] >= 0)
				s->role[all[k]] = p;
		for (int32_t k = 0; k < p->n_fused; k++)
			s->role[p->fused[k]] = p;
		for (int k = 0; p->form == LT_PRODUCT_GPU_MMA && k < 2; k++)
			if (p->tiles->cast[k] >= 0)
				s->role[p->tiles->cast[k]] = p;
		for (int k = 0; p->form == LT_PRODUCT_GPU_SIMT && k < 2; k++) {
			struct lt_block_factor *f = &p->blocks->factor[k];
			s->role[f->of] = s->role[f->part] = p;
			if (p->blocks->stored >= 0)
				s->role[p->blocks->stored] = p;
			for (int32_t c = 0; c < f->n_fused; c++)
				s->role[f->fused[c]] = p;
		}
		if (p->epilogue >= 0)
			s->epilogue_of[p->epilogue] = p;
		if (p->activation >= 0)
			s->epilogue_of[p->activation] = p;
	}
}

/* The graph has these nodes from now on, and is surveyed again. */
static lt_status derive_steps(struct lt_auto *s, const struct derived_steps *list)
{
	if (list->n == 0)
		return LT_OK;
	lt_node *to = LT_NEW(s->t->arena, lt_node, s->g->n_node + 1);
	LT_TRY(lt__tree_derive(s->t, list->at, list->n, to));
	s->g = s->t->graph;
	lt__auto_move_calls(s, to);
	return lt__auto_survey(s);
}

/* Whether the left factor is an image with a border around it, which is then copied once with that border: its windows
 * are read where they lie, along a var that is summed over.  Few columns do not pay for the copy. */
static bool wants_border(const struct lt_auto *s, const struct lt_product *p)
{
	const struct lt_readpiece *piece = factor_piece(s, p, p->left);
	int64_t columns = 1;
	for (int32_t i = 0; i < p->column.n; i++)
		columns *= s->g->var[p->column.at[i]].extent;
	return piece && piece->map.n_guard > 0 && columns >= MIN_BORDER && p->row.n > 0 && deep_along_left(s, p) >= 0
		&& s->constant[p->right] && !s->constant[p->left] && s->g->node[p->left].op == LT_OP_view
		&& !lt__window_check(s->g, s->t->arena, p->left);
}

static lt_status copy_borders(struct lt_auto *s)
{
	struct derived_steps list = { NULL, 0, 0 };
	for (lt_node n = 0; n < s->g->n_node; n++) {
		struct lt_product p;
		lt__auto_aim(s, n);
		if (lt__target_has_grid(s->target) || !product_find(s, n, &p))
			continue;
		if (wants_border(s, &p))
			(void)product_add_step(s, &list, (struct lt_derived_step){ .kind = LT_DERIVED_WINDOW,
				.of = name(s, p.left), .reader = name(s, p.mul) }, "image", n);
		lt_context_clear(s->g->ctx);            /* what is no window is read as it is */
	}
	return derive_steps(s, &list);
}

/* A cast of bytes that several products read is one for each of them: what is stored are bytes. */
static lt_status clone_casts(struct lt_auto *s)
{
	struct derived_steps list = { NULL, 0, 0 };
	for (lt_node n = 0; n < s->g->n_node; n++) {
		struct lt_product p;
		lt__auto_aim(s, n);
		if (s->g->node[n].dtype != LT_I32)
			continue;
		if (lt__target_has_grid(s->target) ? !lt__product_byte_rows(s, n, &p) : !product_find(s, n, &p))
			continue;
		for (int k = 0; k < 2; k++) {
			lt_node of = k ? p.right : p.left;
			if (k && of == p.left)
				break;                  /* the clone is both factors */
			if (s->n_reader[of] > 1 && lt__auto_is_cast(s, p.mul, of, s->n_reader[of]))
				(void)product_add_step(s, &list, (struct lt_derived_step){ .kind = LT_DERIVED_CLONE, .of = name(s, of),
					.reader = name(s, p.mul) }, k ? "right" : "left", n);
		}
	}
	return derive_steps(s, &list);
}

lt_status lt__auto_products(struct lt_auto *s)
{
	LT_TRY(copy_borders(s));
	LT_TRY(clone_casts(s));
	count_named(s);
	for (lt_node n = 0; n < s->g->n_node; n++) {
		struct lt_product p;
		lt__auto_aim(s, n);
		if (!product_find(s, n, &p))
			continue;
		if (!lt__target_has_grid(s->target))
			for (int k = 0; k < 2; k++)
				p.cast[k] = lt__auto_is_cast(s, p.mul, k ? p.right : p.left, 1) ? k ? p.right : p.left : -1;
		lt__product_find_groups(s, &p);
		p.epilogue = find_epilogue(s, &p, p.groups >= 0 ? p.groups : p.sum);
		/* A biased sum that is read several times is not inlined: an activation such as GELU is a cluster of its own. */
		if (p.epilogue >= 0 && !s->written[p.epilogue] && !lt__target_has_grid(s->target))
			p.activation = find_epilogue(s, &p, p.epilogue);
		if (lt__target_has_grid(s->target) && (lt__auto_level(s->fallback, p.sum) > 0
			|| (!lt__product_mma(s, &p) && !lt__product_simt(s, &p)))) {
			lt__product_reason_plain(s, &p);
			continue;
		}
		if (p.form != LT_PRODUCT_GPU_SIMT && p.form != LT_PRODUCT_GPU_MMA && !lt__product_form(s, &p))
			continue;
		if (p.left_early)
			p.left_order = lt__product_copy_order(s, p.left, &p, p.m, p.tile_m);
		if (p.right_early)
			p.right_order = lt__product_copy_order(s, p.right, &p, p.n, p.tile_n);
		LT_GROW(s->t->arena, s->product, s->n_product, s->cap_product);
		s->product[s->n_product++] = p;
	}
	LT_TRY(make_derived(s));
	record_roles(s);
	return LT_OK;
}
