/* Padded loops: what must not be touched past the end of a var, what is read there instead, and what lies there.
 *
 * In a padded iteration the loops inside run on past the end.  What they compute there must not reach anybody: a store
 * goes to cells that are kept free for it, or has a guard; a read of what has no such cells has a guard and gives 0, or
 * the identity of the reduction that reads it.  A reduction over the var itself gets terms too many: each has to be its
 * identity, which is known by following constants from those reads through the operators.
 */
#include "looptree/freeze/parts.h"

static bool uses(const struct lt_map *m, const int64_t *row, int32_t column)
{
	if (column >= m->n_dim)
		return false;
	if (row[1 + m->n_param + column])
		return true;
	for (int32_t d = 0; d < m->n_div; d++)
		if (row[1 + m->n_param + m->n_dim + d] && uses(m, m->div + (int64_t)d * (1 + lt__map_width(m)) + 1, column))
			return true;
	return false;
}

/* Whether the index moves with column c; *dim: the dim of base that is read in place along it, -1: it is read
 * elsewhere. */
static bool moves(const struct lt_graph *g, const struct lt_leaf *leaf, lt_node base, const struct lt_map *m, int32_t c,
	int32_t *dim)
{
	int32_t n = 0;
	*dim = -1;
	for (int32_t i = 0; i < m->n_row; i++) {
		if (!uses(m, m->row + (int64_t)i * lt__map_width(m), c))
			continue;
		n++;
		*dim = lt__row_is(m, i, c) && g->node[base].dim[i] == leaf->var[c] ? i : -1;
	}
	if (n > 1)
		*dim = -1;
	return n > 0;
}

/* Whether a leaf in `at` reduces over v. */
static bool pad_is_summed(const struct lt_freezer *f, lt_tnode at, lt_var v)
{
	for (lt_tnode c = f->t->node[at].child; c >= 0; c = f->t->node[c].next)
		if (pad_is_summed(f, c, v))
			return true;
	return f->t->node[at].kind == LT_TLEAF && lt__reduces(f->g, f->t->node[at].leaf, v);
}

/* Whether the leaf of n, which touches a value in place along dim i, stays within the cells that the value's leaf
 * fills.  Cells of another nest with nothing known in them are no use to a sum over that dim: they are not read. */
static bool stays_inside(const struct lt_freezer *f, lt_node n, lt_node base, int32_t i, bool dest)
{
	if (f->t->leaf_of[base] < 0 || !f->t->scope[base].unit[i])
		return false;
	if (!dest && f->t->scope[base].owner < 0 && (!f->fill[base] || f->fill[base][i].state != LT_FILL_SAME)
		&& pad_is_summed(f, f->path[0].at, f->g->node[base].dim[i]))
		return false;
	int64_t unit = dest ? 1 : lt__pad_unit(f->t, f->t->scope[base].owner, f->t->leaf_of[n], f->g->node[base].dim[i]);
	return unit > 0 && f->t->scope[base].unit[i] % unit == 0;
}

void lt__pad_rows(struct lt_freezer *f, lt_node n, const struct lt_leaf *leaf, lt_node base, const struct lt_map *m,
	bool dest, const struct lt_rows *already, struct lt_rows *out)
{
	for (int32_t c = 0; c < leaf->n_var + leaf->n_trip; c++) {
		int32_t dim;
		struct lt_rows rows = { 0 };
		if (!lt__freeze_padded(f, leaf->var[c]) || !moves(f->g, leaf, base, m, c, &dim))
			continue;
		lt__freeze_padding(f, leaf->var[c], dim < 0 ? -1 : lt__freeze_owner(f, base),
			dim >= 0 && stays_inside(f, n, base, dim, dest), &rows);
		for (int32_t i = 0; i < rows.n; i++)
			if (!already || !lt__rows_have(already, &rows.at[i]))
				lt__rows_add(f, out, &rows.at[i]);
	}
}

/* -- what is read past the end -- */

static uint64_t identity_of(const struct lt_graph *g, lt_node n)
{
	return lt__bits_of(lt__op_identity(g->node[n].op, g->node[n].dtype), g->node[n].dtype);
}

/* A copy that only reductions read holds their identity, if they agree. */
uint64_t lt__pad_fallback(struct lt_freezer *f, lt_node n, enum lt_dtype dtype)
{
	const struct lt_graph *g = f->g;
	uint64_t zero = lt__bits_of((union lt_scalar){ 0 }, dtype), bits = zero;
	bool first = true;
	for (lt_node r = n + 1; g->node[n].op == LT_OP_copy && r < g->n_node; r++) {
		const struct lt_leaf *leaf = f->t->leaf_of[r] < 0 ? NULL : f->t->leaf[r];
		for (int32_t k = 0; leaf && k < leaf->n_read; k++)
			for (int32_t p = 0; p < leaf->read[k].n_piece; p++) {
				if (leaf->read[k].piece[p].base != n)
					continue;
				if (!g->node[r].reduce || g->node[r].dtype != dtype || (!first && identity_of(g, r) != bits))
					return zero;
				bits = identity_of(g, r);
				first = false;
			}
	}
	return bits;
}

/* -- what is left there -- */

static struct lt_fill merge(struct lt_fill a, struct lt_fill b)
{
	if (a.state == LT_FILL_NEVER || b.state == LT_FILL_NEVER)
		return a.state == LT_FILL_NEVER ? b : a;
	return a.state == LT_FILL_SAME && b.state == LT_FILL_SAME && a.bits == b.bits
		? a
		: (struct lt_fill){ .state = LT_FILL_OPEN };
}

static struct lt_fill fill_same(uint64_t bits) { return (struct lt_fill){ LT_FILL_SAME, bits }; }
static const struct lt_fill open = { .state = LT_FILL_OPEN };

/* What a piece of an operand is where column c is past the end. */
static struct lt_fill piece_fill(
	const struct lt_freezer *f, const struct lt_leaf *leaf, const struct lt_readpiece *p, int32_t c)
{
	int32_t dim;
	if (p->kind == LT_PIECE_IMMEDIATE)
		return fill_same(p->bits);
	if (p->kind != LT_PIECE_READ || !moves(f->g, leaf, p->base, &p->map, c, &dim) || dim < 0 || !f->fill[p->base])
		return open;
	struct lt_fill x = f->fill[p->base][dim];
	return x.state == LT_FILL_NEVER ? open : x;
}

/* Operand k where column c is past the end: `all` rows say so, `away` are those that keep it from being read (then it
 * is bits). */
static struct lt_fill operand_fill(struct lt_freezer *f, const struct lt_leaf *leaf, int32_t k, int32_t c,
	const struct lt_rows *all, const struct lt_rows *away, uint64_t bits)
{
	struct lt_fill x = { .state = LT_FILL_NEVER };
	bool never = true;
	for (int32_t i = 0; i < all->n; i++)
		never = never && lt__rows_have(away, &all->at[i]);
	if (away->n)
		x = fill_same(bits);
	for (int32_t p = 0; !never && p < leaf->read[k].n_piece; p++)
		x = merge(x, piece_fill(f, leaf, &leaf->read[k].piece[p], c));
	return x;
}

/* The operator of a statement on constants. */
static struct lt_fill result_fill(const struct lt_freezer *f, const struct lt_stmt *s, const struct lt_fill *x)
{
	const struct lt_op *op = &f->op[s->op];
	const struct lt_opinfo *info;
	int code = lt__op_find(op->name);
	union lt_scalar in[3];
	for (int32_t k = 0; k < s->n_operand; k++) {
		if (x[k].state != LT_FILL_SAME)
			return open;
		in[k] = lt__scalar_of(x[k].bits, (enum lt_dtype)op->in[k]);
	}
	if (code < 0 || s->n_operand < 1)
		return open;
	info = lt__op_info((enum lt_opcode)code);
	enum lt_dtype out = (enum lt_dtype)op->out, last = (enum lt_dtype)op->in[s->n_operand - 1];
	union lt_scalar v = code == LT_OP_cast ? lt__convert(in[0], last, out)
		: lt__op_value(info->data ? LT_OP_copy : (enum lt_opcode)code, last, in);
	return fill_same(lt__bits_of(lt__round_to(v, out), out));
}

static lt_status pad_refuse(const struct lt_freezer *f, lt_node n, lt_var v)
{
	const struct lt_vardef *d = &f->g->var[v];
	lt_tnode loop = -1, counted = -1;       /* a trip count is padded where the loop that it counts is */
	for (int32_t k = f->n_path - 1; k >= 0; k--) {
		if (f->path[k].var == v && f->path[k].pad && loop < 0)
			loop = f->path[k].at;
		if (d->unit && f->path[k].var == d->of && f->path[k].pad)
			counted = f->path[k].at;
	}
	if (loop < 0)
		loop = counted;
	return lt__tree_fail(f->t, loop, LT_EILLEGAL,
		"the loop %s cannot be padded: %%%s reduces over %s, and what %%%s is past the end is not known to be "
		"the identity; compute that outside of the loop (`fission`), or give the loop tail guard, peel or mask",
		lt__loop_path(f->t, loop), f->g->node[n].name, f->g->var[v].name,
		f->g->node[f->g->node[n].operand[0]].name);
}

/* Rows of `all` that the statement's own guards do not hold already. */
static struct lt_rows without(struct lt_freezer *f, const struct lt_rows *all, const struct lt_rows *guards)
{
	struct lt_rows rows = { 0 };
	for (int32_t i = 0; i < all->n; i++)
		if (!lt__rows_have(guards, &all->at[i]))
			lt__rows_add(f, &rows, &all->at[i]);
	return rows;
}

/* Zeros of both signs are the identity of a sum. */
static bool is_identity(const struct lt_freezer *f, lt_node n, struct lt_fill x)
{
	enum lt_dtype t = f->g->node[n].dtype;
	union lt_scalar a = lt__scalar_of(x.bits, t), b = lt__op_identity(f->g->node[n].op, t);
	return x.state == LT_FILL_SAME && (lt__dtype_info(t)->cls == LT_CLASS_FLOAT ? a.f == b.f : a.i == b.i);
}

lt_status lt__pad_fill(struct lt_freezer *f, lt_node n, const struct lt_leaf *leaf, int32_t stmt,
	const struct lt_rows *guards, const struct lt_rows *away)
{
	const struct lt_nodedef *d = &f->g->node[n];
	const struct lt_stmt *s = &f->stmt[stmt];
	bool reduces = lt__stmt_reduces(s);
	for (int32_t c = 0; c < leaf->n_var; c++) {
		struct lt_rows all = { 0 };
		struct lt_fill x[3] = { { 0 } }, made;
		if (lt__freeze_padded(f, leaf->var[c]))
			lt__freeze_padding(f, leaf->var[c], -1, false, &all);
		all = without(f, &all, guards);
		if (all.n == 0)
			continue;
		for (int32_t k = 0; k < s->n_operand; k++) {
			enum lt_dtype type = (enum lt_dtype)f->operand[s->first_operand + k].dtype;
			uint64_t bits = reduces ? identity_of(f->g, n) : lt__pad_fallback(f, n, type);
			x[k] = leaf->gather ? open : operand_fill(f, leaf, k, c, &all, &away[k], bits);
		}
		if (reduces)
			made = is_identity(f, n, x[0]) ? fill_same(identity_of(f->g, n)) : open;
		else
			made = result_fill(f, s, x);
		if (reduces && c >= leaf->n_out && made.state == LT_FILL_OPEN)
			return pad_refuse(f, n, leaf->var[c]);
		for (int32_t i = 0; c < leaf->n_out && i < d->n_dim; i++) {
			if (d->dim[i] != leaf->var[c])
				continue;
			if (!f->fill[n])
				f->fill[n] = LT_NEW(f->all, struct lt_fill, d->n_dim + 1);
			f->fill[n][i] = merge(f->fill[n][i], made);
		}
	}
	return LT_OK;
}
