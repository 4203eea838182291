/* recipe.c -- default trees of targets that have no vectors: texts of schedule primitives (recipe.def), filled in for
 * each sum of products of the plain tree and each cast that it stores, and applied as `--apply` applies steps.
 *
 * Words of a text, for a cast in the tree as the steps before have left it:
 *     $widened $dim     the cast, and its last dim
 *     $spread           the cast, if several nests read it
 *     $reader           the innermost loop around who reads it first, if all read it in place in one other nest
 *     $nest             the outermost loop around it
 *     $viewed           the cast, if one nest reads it, by a view
 *
 * The same words stand for a constant of more bytes than the constants that it is taken out of, such as weights of 4
 * bits of bytes, and then for each node that it is made of, the last first.  Either all of them come to stand where the
 * value is read, and what is stored are the bytes, or none does.
 *
 * Words of a text, for a sum in the tree as the steps before have left it:
 *     $sum $term        the sum, and the product that it adds
 *     $shared           the sum, if it shares its loops with another one
 *     $outer $adding    its outermost loop, its innermost one over what is summed
 *     $wide             the cast of the product to more bits, if there is one
 *     $around $about    the outermost loop of the product, and of this cast
 *     $user             the innermost loop around the only leaf that reads it, if that does so in place in another nest
 *     $column           its loop over the last dim of the sum, which is $dim
 *     $width            how many columns a tile has: the loop's step, or all where it is not cut
 *     $narrow $long     $column, if the sum has at most 32 bits; if it has more, and $wide is not nothing
 *     $across $line     its innermost loop over another dim of the sum, which is $line, if it has several iterations
 *     $columns $lines   the innermost loops over $dim and $line
 *     $tile $tall       the loop over $dim, and over $line, that is in one over what is summed: of a tile of sums
 *     $row              the outermost loop over a dim of the sum by which the window moves
 *     $tiles            the loops over tiles, of $across and $column if these are cut
 *     $kept             its loops over its dims that are in one over what is summed, if there are such
 *     $contracted       its loops over what is summed, in the order in which the constant factor has them
 *     $deepest          the innermost of all
 *     $inner $short     the innermost loop of these; if it has four iterations or fewer
 *     $stored           the same, if what is read of the constant factor is stored, and not taken out of bytes there
 *     $lone             the same, if there is no tile of columns and the sum has at most 32 bits
 *     $dot $bytes       $inner and how many bytes the target adds at once, if both factors are such, in a row along it
 *     $constant         the cast of the constant factor, if there is one
 *     $reader           who reads the constant factor
 *     $weights          the constant factor, if it is stored and $dim is one of its dims
 *     $packed $within   the digits of its dims but $dim; what is in one of these: $dim, and in it what is added at once
 *     $cast $window     the cast of the other factor, if it is read as it is; if by a window or another view
 *     $viewer $viewed   who reads by a window, and what that is of: the product, if there is no cast, or the cast,
 *                       which is $again then
 *     $after            leaves behind the sum, over its dims, one by one; $first: the first of them in the sum's loops
 *     $into             where the next of them belongs
 *     $made             the innermost loop over $dim around the first of them
 */
#define _GNU_SOURCE
#include <string.h>
#include "base/names.h"
#include "looptree/derive/derive.h"
#include "looptree/schedule/schedule.h"
#include "program/nest/nest.h"

enum recipe_of { OF_LOOPS, OF_CAST, OF_TAKEN, OF_SUM };
static const struct recipe {
	enum recipe_of of;
	const char *name;
	uint32_t least, most;           /* registers */
	const char *text;
} recipes[] = {
#define RECIPE(of, name, least, most, text) { of, name, least, most, text },
#include "program/nest/recipe.def"
#undef RECIPE
};

/* The one of the target's registers for such nodes; NULL: there is none. */
static const struct recipe *find_recipe(const struct lt_target *t, enum recipe_of of)
{
	const struct recipe *end = recipes + sizeof recipes / sizeof *recipes;
	for (const struct recipe *r = recipes; t && !t->vector_bytes && !t->warp && r < end; r++)
		if (r->of == of && t->vector_registers >= r->least && t->vector_registers <= r->most)
			return r;
	return NULL;
}

/* --- what the words stand for --- */

enum { MAX_TRIES = 200 };               /* of nodes that a value is made of */
/* Of a cast or a sum; -1: there is none. */
struct roles {
	const struct lt_looptree *t;
	lt_node widened, spread, sum, wide, term, constant, reader, weights, cast, window, viewer, viewed;
	lt_tnode *loop; int32_t n_loop;                 /* around the sum, outermost first */
	lt_tnode row, across;                           /* the outermost by which the window moves; next to the column's */
	lt_var column;
	lt_var *dim; int32_t n_dim;                     /* summed, in the constant factor's order */
	uint32_t dot_bytes;                             /* that are added at once; 0: one by one */
	const char *first;                              /* of the leaves behind it: in its loops already */
};

/* Whether a node is made of constants and positions alone; known: by node, 0: not yet, 1: it is, 2: it is not. */
static bool is_constant(const struct lt_graph *g, lt_node n, uint8_t *known)
{
	const struct lt_nodedef *d = &g->node[n];
	bool all = d->op == LT_OP_constant || d->op == LT_OP_lit || d->op == LT_OP_index || d->n_operand > 0;
	if (known[n])
		return known[n] == 1;
	for (int32_t i = 0; i < d->n_operand && all; i++)
		all = is_constant(g, d->operand[i], known);
	known[n] = all ? 1 : 2;
	return all;
}

/* The value that a leaf reads as its i-th operand, if that is one. */
static lt_node read_base(const struct lt_looptree *t, lt_node reader, int32_t i)
{
	const struct lt_leaf *leaf = t->leaf[reader];
	return leaf && i < leaf->n_read && leaf->read[i].n_piece >= 1 && leaf->read[i].piece[0].kind == LT_PIECE_READ
		? leaf->read[i].piece[0].base : -1;
}

/* How many vars of the leaf a row of its read depends on, and whether they have var x. */
static int32_t row_vars(const struct lt_map *m, int32_t row, const struct lt_leaf *leaf, lt_var v, bool *has)
{
	int32_t n = 0;
	for (int32_t x = 0; x < leaf->n_var; x++)
		if (m->row[row * (1 + m->n_param + m->n_dim + m->n_div) + 1 + m->n_param + x]) {
			n++;
			*has = *has || leaf->var[x] == v;
		}
	return n;
}

/* Whether loops over v move a window: v is a part of an index. */
static bool moves_window(const struct lt_leaf *leaf, int32_t i, lt_var v)
{
	for (int32_t p = 0; p < leaf->read[i].n_piece; p++) {
		const struct lt_map *m = &leaf->read[i].piece[p].map;
		for (int32_t row = 0; leaf->read[i].piece[p].kind == LT_PIECE_READ && row < m->n_row; row++) {
			bool has = false;
			if (row_vars(m, row, leaf, v, &has) > 1 && has)
				return true;
		}
	}
	return false;
}

static bool is_cast(const struct lt_graph *g, lt_node n) { return n >= 0 && g->node[n].op == LT_OP_cast; }

static bool is_summed(const struct roles *r, lt_tnode loop)
{
	return lt__reduces(r->t->graph, r->sum, r->t->node[loop].var);
}

/* The loops around the sum, outermost first. */
static bool find_loops(struct roles *r)
{
	const struct lt_looptree *t = r->t;
	int32_t n = 0;
	r->row = r->across = -1;
	for (lt_tnode at = t->node[t->leaf_of[r->sum]].parent; at >= 0; at = t->node[at].parent)
		n++;
	if (n == 0)
		return false;
	r->n_loop = n;
	r->loop = LT_NEW(t->arena, lt_tnode, n);
	for (lt_tnode at = t->node[t->leaf_of[r->sum]].parent; at >= 0; at = t->node[at].parent)
		r->loop[--n] = at;
	for (int32_t i = 0; i < r->n_loop; i++) {
		const lt_var v = t->node[r->loop[i]].var;
		if (!is_summed(r, r->loop[i]) && v != r->column && t->graph->var[v].extent > 1)
			r->across = r->loop[i];
	}
	return true;
}

/* Whether read i of a leaf is by a window: the outermost of the loops that move it, and of what it is. */
static bool find_window(struct roles *r, lt_node viewer, int32_t i)
{
	const struct lt_graph *g = r->t->graph;
	for (int32_t k = r->n_loop - 1; k >= 0; k--)
		if (!is_summed(r, r->loop[k]) && moves_window(r->t->leaf[viewer], i, r->t->node[r->loop[k]].var))
			r->row = r->loop[k];
	if (r->row < 0)
		return false;
	const lt_node view = g->node[viewer].operand[i];
	r->viewer = viewer;
	r->viewed = g->node[view].op == LT_OP_view && g->node[view].n_operand == 1 ? g->node[view].operand[0] : -1;
	return true;
}

/* Whether each dim of value n is one of the leaf's, by that name: its cast can be in their loops. */
static bool reads_in_place(const struct roles *r, const struct lt_leaf *leaf, int32_t i, lt_node n)
{
	const struct lt_nodedef *d = &r->t->graph->node[n];
	const struct lt_map *m = &leaf->read[i].piece[0].map;
	const int32_t width = 1 + m->n_param + m->n_dim + m->n_div;
	for (int32_t row = 0; row < m->n_row; row++) {
		bool has = false;
		if (row_vars(m, row, leaf, d->dim[row], &has) != 1 || !has || m->row[row * width] || m->n_div)
			return false;
	}
	return leaf->read[i].n_piece == 1;
}

/* The factor that is no constant: its cast, and the window by which it, or the cast, is read. */
static void find_image(struct roles *r, lt_node factor, int32_t image)
{
	const struct lt_looptree *t = r->t;
	const lt_node cast = is_cast(t->graph, factor) && t->leaf_of[factor] >= 0 ? factor : -1;
	r->cast = r->window = r->viewer = r->viewed = -1;
	(void)find_window(r, r->term, image);
	if (cast >= 0 && !reads_in_place(r, t->leaf[r->term], image, cast)) {
		r->window = cast;
		r->viewer = -1;
	} else {
		r->cast = cast;
	}
	if (r->cast >= 0)
		(void)find_window(r, cast, 0);
}

/* What is summed, in the order of the constant factor's dims: so the image is read on and on where it lies so, too. */
static void find_dims(struct roles *r)
{
	const struct lt_nodedef *w = &r->t->graph->node[r->weights];
	r->n_dim = 0;
	r->dim = LT_NEW(r->t->arena, lt_var, w->n_dim + 1);
	for (int32_t i = 0; i < w->n_dim; i++)
		if (lt__reduces(r->t->graph, r->sum, w->dim[i]) && r->t->graph->var[w->dim[i]].extent > 1)
			r->dim[r->n_dim++] = w->dim[i];
}

/* The value that is read of which factor i of the product is a cast, and who reads it, as its operand *k. */
static lt_node bytes_of(const struct roles *r, int32_t i, lt_node *reader, int32_t *k)
{
	const lt_node factor = read_base(r->t, r->term, i);
	const bool cast = factor >= 0 && is_cast(r->t->graph, factor) && r->t->leaf_of[factor] >= 0;
	*reader = cast ? factor : r->term;
	*k = cast ? 0 : i;
	return cast ? read_base(r->t, factor, 0) : factor;
}

/* Whether elements that lie side by side in the value are read one after the other by a loop over v. */
static bool is_side_by_side(const struct roles *r, lt_node reader, int32_t k, lt_var v)
{
	const struct lt_leaf *leaf = r->t->leaf[reader];
	const struct lt_map *m = &leaf->read[k].piece[0].map;
	const int32_t width = 1 + m->n_param + m->n_dim + m->n_div, column = lt__leaf_column(leaf, v);
	bool steps = column >= 0 && leaf->read[k].n_piece == 1 && m->n_div == 0 && m->n_row > 0;
	for (int32_t row = 0; steps && row < m->n_row; row++)
		steps = m->row[row * width + 1 + m->n_param + column] == (row == m->n_row - 1);
	return steps;
}

/* Whether a value is computed in the nest that reads it: it is not stored, and cannot be packed. */
static bool is_local(const struct lt_looptree *t, lt_node n) { return t->leaf_of[n] >= 0 && !t->scope[n].whole; }

/* Bytes that the target adds products of at once, where both factors are such: the image as it lies, the constant as it
 * is packed. */
static uint32_t find_dot(const struct roles *r, const struct lt_target *target, int32_t image)
{
	const struct lt_graph *g = r->t->graph;
	const lt_var inner = r->dim[r->n_dim - 1];
	lt_node reader;
	int32_t k;
	const lt_node w = bytes_of(r, !image, &reader, &k), x = bytes_of(r, image, &reader, &k);
	const bool bytes = w >= 0 && x >= 0 && !is_local(r->t, w) && g->node[w].dtype == g->node[x].dtype
		&& (g->node[w].dtype == LT_I8 || g->node[w].dtype == LT_U8) && g->node[r->term].dtype == LT_I32;
	return bytes && r->wide < 0 && target->dot_bytes && g->var[inner].extent >= (int64_t)target->dot_bytes
		&& is_side_by_side(r, reader, k, inner) ? (uint32_t)target->dot_bytes : 0;
}

/* Whether `sum` adds products of a constant and something else; r: what they are. */
static bool find_roles(const struct lt_looptree *t, const struct lt_target *target, lt_node sum, uint8_t *known,
	const char *first, struct roles *r)
{
	const struct lt_graph *g = t->graph;
	const struct lt_nodedef *d = &g->node[sum];
	*r = (struct roles){ .t = t, .widened = -1, .spread = -1, .sum = sum, .wide = -1, .constant = -1, .column = -1,
		.first = first };
	if (d->op != LT_OP_add || !d->reduce || t->leaf_of[sum] < 0 || lt__dtype_info(d->dtype)->cls == LT_CLASS_FLOAT)
		return false;
	r->term = d->operand[0];
	if (is_cast(g, r->term) && t->leaf_of[r->term] >= 0 && lt__dtype_info(g->node[r->term].dtype)->cls == LT_CLASS_INT
			&& t->node[t->leaf_of[r->term]].parent == t->node[t->leaf_of[sum]].parent) {
		r->wide = r->term;
		r->term = g->node[r->wide].operand[0];
	}
	if (g->node[r->term].op != LT_OP_mul || g->node[r->term].reduce || t->leaf_of[r->term] < 0
			|| t->node[t->leaf_of[r->term]].parent != t->node[t->leaf_of[sum]].parent)
		return false;
	const lt_node factor[2] = { read_base(t, r->term, 0), read_base(t, r->term, 1) };
	if (factor[0] < 0 || factor[1] < 0 || is_constant(g, factor[0], known) == is_constant(g, factor[1], known))
		return false;
	const int32_t image = is_constant(g, factor[0], known);
	const lt_node weights = factor[!image];
	r->constant = is_cast(g, weights) && t->leaf_of[weights] >= 0 ? weights : -1;
	r->reader = r->constant < 0 ? r->term : r->constant;
	r->weights = r->constant < 0 ? weights : read_base(t, r->constant, 0);
	for (int32_t i = d->n_dim - 1; i >= 0 && r->column < 0; i--)
		r->column = g->var[d->dim[i]].extent > 1 ? d->dim[i] : -1;
	if (r->column < 0 || r->weights < 0 || !find_loops(r))
		return false;
	find_image(r, factor[image], image);
	find_dims(r);
	r->dot_bytes = r->n_dim > 0 ? find_dot(r, target, image) : 0;
	return r->n_dim > 0;
}

/* Whether leaf `reader` reads value n, and it in place: element by element, in loops of its own dims. */
static bool reads_value(const struct lt_looptree *t, lt_node reader, lt_node n, bool *in_place)
{
	const struct lt_leaf *leaf = t->leaf[reader];
	bool reads = false;
	*in_place = true;
	for (int32_t i = 0; i < leaf->n_read; i++)
		for (int32_t p = 0; p < leaf->read[i].n_piece; p++) {
			const struct lt_readpiece *piece = &leaf->read[i].piece[p];
			if (piece->kind != LT_PIECE_READ || piece->base != n)
				continue;
			reads = true;
			for (int32_t k = 0; k < t->graph->node[n].n_dim; k++) {
				const int32_t column = lt__leaf_column(leaf, t->graph->node[n].dim[k]);
				*in_place = *in_place && column >= 0 && lt__row_is(&piece->map, k, column);
			}
		}
	return reads;
}

/* Whether another nest reads node n, which has a dim; r: who reads it, and how. */
static bool find_moved_roles(const struct lt_looptree *t, lt_node n, struct roles *r)
{
	const struct lt_graph *g = t->graph;
	const struct lt_nodedef *d = &g->node[n];
	lt_tnode nest = -1;
	bool apart = false, in_place = true;
	*r = (struct roles){ .t = t, .widened = n, .spread = -1, .sum = n, .wide = -1, .term = -1, .constant = -1,
		.reader = -1, .weights = n, .cast = -1, .window = -1, .viewer = -1, .viewed = -1, .row = -1, .across = -1,
		.column = -1, .n_dim = 1 };
	for (int32_t i = d->n_dim - 1; i >= 0 && r->column < 0; i--)
		r->column = g->var[d->dim[i]].extent > 1 ? d->dim[i] : -1;
	if (r->column < 0)
		return false;
	r->dim = LT_NEW(t->arena, lt_var, 1);
	r->dim[0] = r->column;
	for (lt_node x = 0; x < g->n_node; x++) {
		bool here;
		if (t->leaf_of[x] < 0 || !reads_value(t, x, n, &here))
			continue;
		const lt_tnode root = lt__root_of(t, t->leaf_of[x]);
		in_place = in_place && here;
		apart = apart || root != lt__root_of(t, t->leaf_of[n]);
		if (nest >= 0 && nest != root)
			r->spread = n;
		nest = root;
		r->reader = r->reader < 0 ? x : r->reader;
	}
	if (r->spread >= 0 || !in_place)
		r->reader = -1;
	if (r->spread < 0 && !in_place)
		r->viewed = n;
	return apart;
}

/* Whether node n is a cast of integers of fewer bytes that another nest reads; r: what it is. */
static bool find_cast_roles(const struct lt_looptree *t, lt_node n, struct roles *r)
{
	const struct lt_graph *g = t->graph;
	const struct lt_nodedef *d = &g->node[n];
	return is_cast(g, n) && !d->reduce && t->leaf_of[n] >= 0 && lt__dtype_info(d->dtype)->cls == LT_CLASS_INT
		&& lt__dtype_info(g->node[d->operand[0]].dtype)->cls == LT_CLASS_INT
		&& lt__dtype_info(g->node[d->operand[0]].dtype)->bytes < lt__dtype_info(d->dtype)->bytes
		&& find_moved_roles(t, n, r);
}

/* What is computed again sooner than stored: what needs no function and no division. */
static bool is_taking_out(const struct lt_nodedef *d)
{
	const bool whole = lt__dtype_info(d->dtype)->cls != LT_CLASS_FLOAT;
	return d->op == LT_OP_view || d->op == LT_OP_lit || d->op == LT_OP_index || d->op == LT_OP_constant
		|| (lt__node_is_pointwise(d) && (d->op == LT_OP_cast || d->op == LT_OP_copy
			|| (lt__op_info(d->op)->traits & LT_TRAIT_CHEAP) || (whole && d->op != LT_OP_div && d->op != LT_OP_mod)));
}

/* Marks what node n is made of, itself as well; false: not by taking out alone.  bytes: of the constants. */
static bool find_made_of(const struct lt_graph *g, lt_node n, bool *made_of, int64_t *bytes)
{
	const struct lt_nodedef *d = &g->node[n];
	if (made_of[n])
		return true;
	made_of[n] = true;
	if (d->op == LT_OP_constant)
		*bytes += lt__node_elems(g, n) * (int64_t)lt__dtype_info(d->dtype)->bytes;
	bool all = is_taking_out(d);
	for (int32_t i = 0; i < d->n_operand && all; i++)
		all = find_made_of(g, d->operand[i], made_of, bytes);
	return all;
}

/* Whether node n is stored for another nest; r: what it is. */
static bool find_taken_roles(const struct lt_looptree *t, lt_node n, struct roles *r)
{
	return t->leaf_of[n] >= 0 && t->graph->node[n].n_dim > 0 && find_moved_roles(t, n, r);
}

/* Whether node n would be stored before the first run, in more bytes than what it is taken out of. */
static bool is_grown(const struct lt_looptree *t, lt_node n)
{
	const struct lt_graph *g = t->graph;
	struct roles r;
	int64_t bytes = 0;
	const bool made = t->leaf_of[n] >= 0 && g->node[n].op != LT_OP_constant && !g->node[n].reduce && t->scope[n].whole
		&& find_made_of(g, n, LT_NEW(t->arena, bool, g->n_node + 1), &bytes);
	return made && bytes > 0 && bytes < lt__node_elems(g, n) * (int64_t)lt__dtype_info(g->node[n].dtype)->bytes
		&& find_taken_roles(t, n, &r);
}

/* The only leaf that reads the sum, if that is in place and in another nest; -1. */
static lt_node user_of(const struct roles *r)
{
	const struct lt_looptree *t = r->t;
	lt_node user = -1;
	for (lt_node x = 0; x < t->graph->n_node; x++) {
		bool in_place;
		if (t->leaf_of[x] < 0 || !reads_value(t, x, r->sum, &in_place))
			continue;
		if (user >= 0 || !in_place || lt__root_of(t, t->leaf_of[x]) == lt__root_of(t, t->leaf_of[r->sum]))
			return -1;
		user = x;
	}
	return user;
}

/* Whether another sum of products is in the loops of this one. */
static bool shares_loops(const struct roles *r)
{
	const struct lt_looptree *t = r->t;
	for (lt_tnode at = t->node[t->node[t->leaf_of[r->sum]].parent].child; at >= 0; at = t->node[at].next) {
		const lt_node n = t->node[at].kind == LT_TLEAF ? t->node[at].leaf : -1;
		if (n >= 0 && n != r->sum && t->graph->node[n].reduce && t->graph->node[n].op == LT_OP_add)
			return true;
	}
	return false;
}

/* --- words become names --- */

static const char *loop_over(const struct roles *r, lt_var v)
{
	for (int32_t i = 0; i < r->n_loop; i++)
		if (r->t->node[r->loop[i]].var == v)
			return lt__arena_format(r->t->arena, "%%%s/%s", r->t->graph->node[r->sum].name, r->t->graph->var[v].name);
	return "";
}

static bool is_split(const struct roles *r, lt_var v)
{
	int32_t n = 0;
	for (int32_t i = 0; i < r->n_loop; i++)
		n += r->t->node[r->loop[i]].var == v;
	return n > 1;
}

static bool is_long(const struct roles *r) { return lt__dtype_info(r->t->graph->node[r->sum].dtype)->bytes > 4; }

static int64_t columns_of_tile(const struct roles *r)
{
	for (int32_t i = 0; i < r->n_loop && is_split(r, r->column); i++)
		if (r->t->node[r->loop[i]].var == r->column)
			return r->t->node[r->loop[i]].step;
	return r->t->graph->var[r->column].extent;
}

/* The innermost loop over v. */
static const char *inner_loop(const struct roles *r, lt_var v)
{
	return lt__arena_format(r->t->arena, "%s%s", loop_over(r, v), is_split(r, v) ? "'" : "");
}

/* The same, if it is in one over what is summed: of a tile of sums. */
static const char *tile_loop(const struct roles *r, lt_var v)
{
	bool in_tile = false, found = false;
	for (int32_t i = 0; i < r->n_loop; i++) {
		in_tile = in_tile || is_summed(r, r->loop[i]);
		found = found || (in_tile && r->t->node[r->loop[i]].var == v);
	}
	return found ? inner_loop(r, v) : "";
}

static const char *node_word(const struct roles *r, lt_node n)
{
	return n < 0 ? "" : lt__arena_format(r->t->arena, "%%%s", r->t->graph->node[n].name);
}

/* The innermost loop around a leaf. */
static const char *innermost_word(const struct roles *r, lt_node leaf)
{
	const struct lt_graph *g = r->t->graph;
	const lt_tnode loop = leaf < 0 ? -1 : r->t->node[r->t->leaf_of[leaf]].parent;
	return loop < 0 || r->t->node[loop].kind != LT_TLOOP ? ""
		: lt__arena_format(r->t->arena, "%%%s/%s", g->node[leaf].name, g->var[r->t->node[loop].var].name);
}

/* The outermost one. */
static const char *outermost_word(const struct roles *r, lt_node leaf)
{
	const struct lt_graph *g = r->t->graph;
	const lt_tnode root = lt__root_of(r->t, r->t->leaf_of[leaf]);
	return r->t->node[root].kind != LT_TLOOP ? ""
		: lt__arena_format(r->t->arena, "%%%s/%s", g->node[leaf].name, g->var[r->t->node[root].var].name);
}

/* The innermost loop over what is summed. */
static const char *adding_word(const struct roles *r)
{
	for (int32_t i = r->n_loop - 1; i >= 0; i--)
		if (is_summed(r, r->loop[i]))
			return loop_over(r, r->t->node[r->loop[i]].var);
	return "";
}

/* The loops over the tiles, if these are cut of $across and of $column. */
static const char *tiles_word(const struct roles *r)
{
	const lt_var line = r->across < 0 ? r->column : r->t->node[r->across].var;
	const char *lines = line != r->column && is_split(r, line) ? loop_over(r, line) : "";
	return lt__arena_format(r->t->arena, "%s %s ", lines,
		is_split(r, r->column) ? loop_over(r, r->column) : "");
}

/* Its loops over its dims that are in one over what is summed. */
static const char *kept_word(const struct roles *r)
{
	const char *text = "";
	int32_t i = 0;
	while (i < r->n_loop && !is_summed(r, r->loop[i]))
		i++;
	for (; i < r->n_loop; i++)
		if (!is_summed(r, r->loop[i]))
			text = lt__arena_format(r->t->arena, "%s%s%s", text, *text ? " " : "",
				loop_over(r, r->t->node[r->loop[i]].var));
	return text;
}

static const char *contracted_word(const struct roles *r)
{
	const char *text = "";
	for (int32_t i = 0; i < r->n_dim; i++)
		text = lt__arena_format(r->t->arena, "%s%s%s", text, i ? " " : "", loop_over(r, r->dim[i]));
	return text;
}

static bool has_dim(const struct lt_graph *g, lt_node n, lt_var v)
{
	bool has = false;
	for (int32_t i = 0; i < g->node[n].n_dim; i++)
		has = has || g->node[n].dim[i] == v;
	return has;
}

/* The dims of the constant factor but for that of the columns; of what is added at once what lies within one of it. */
static const char *packed_word(const struct roles *r)
{
	const struct lt_graph *g = r->t->graph;
	const struct lt_nodedef *w = &g->node[r->weights];
	const char *text = "";
	for (int32_t i = 0; i < w->n_dim; i++) {
		if (w->dim[i] == r->column)
			continue;
		text = lt__arena_format(r->t->arena, "%s%s%s", text, *text ? " " : "", g->var[w->dim[i]].name);
		if (r->dot_bytes && w->dim[i] == r->dim[r->n_dim - 1])
			text = lt__arena_format(r->t->arena, "%s/%u", text, (unsigned)r->dot_bytes);
	}
	return text;
}

static const char *within_word(const struct roles *r)
{
	const struct lt_graph *g = r->t->graph;
	return r->dot_bytes ? lt__arena_format(r->t->arena, "%s %s", g->var[r->column].name,
		g->var[r->dim[r->n_dim - 1]].name) : g->var[r->column].name;
}

/* The innermost loop over the columns around the first of the leaves behind the sum. */
static const char *made_word(const struct roles *r)
{
	return lt__arena_format(r->t->arena, "%%%s/%s%s", r->first, r->t->graph->var[r->column].name,
		is_split(r, r->column) ? "'" : "");
}

/* The loop over tiles that this one belongs in. */
static const char *into_word(const struct roles *r)
{
	const lt_var line = r->across < 0 ? r->column : r->t->node[r->across].var;
	return loop_over(r, is_split(r, r->column) || !is_split(r, line) ? r->column : line);
}

/* The value of a word of n letters, NULL: it is none; "": it stands for nothing. */
static const char *word_value(const struct roles *r, const char *word, size_t n, const char *after)
{
	const struct lt_graph *g = r->t->graph;
	const struct { const char *name, *value; } words[] = {
		{ "widened", node_word(r, r->widened) },
		{ "spread", node_word(r, r->spread) },
		{ "sum", node_word(r, r->sum) },
		{ "term", node_word(r, r->term) },
		{ "shared", r->n_loop > 0 && shares_loops(r) ? node_word(r, r->sum) : "" },
		{ "nest", r->widened < 0 ? "" : outermost_word(r, r->widened) },
		{ "outer", r->n_loop > 0 ? loop_over(r, r->t->node[r->loop[0]].var) : "" },
		{ "user", r->n_loop > 0 ? innermost_word(r, user_of(r)) : "" },
		{ "around", r->n_loop > 0 ? lt__arena_format(r->t->arena, "%s/%s", node_word(r, r->term),
			g->var[r->t->node[r->loop[0]].var].name) : "" },
		{ "wide", node_word(r, r->wide) },
		{ "about", r->n_loop > 0 && r->wide >= 0 ? lt__arena_format(r->t->arena, "%s/%s", node_word(r, r->wide),
			g->var[r->t->node[r->loop[0]].var].name) : "" },
		{ "adding", adding_word(r) },
		{ "column", loop_over(r, r->column) },
		{ "narrow", is_long(r) ? "" : loop_over(r, r->column) },
		{ "long", is_long(r) && r->wide >= 0 ? loop_over(r, r->column) : "" },
		{ "dim", g->var[r->column].name },
		{ "width", lt__arena_format(r->t->arena, "%lld", (long long)columns_of_tile(r)) },
		{ "across", r->across < 0 ? "" : loop_over(r, r->t->node[r->across].var) },
		{ "line", r->across < 0 ? "" : g->var[r->t->node[r->across].var].name },
		{ "columns", inner_loop(r, r->column) },
		{ "lines", r->across < 0 ? "" : inner_loop(r, r->t->node[r->across].var) },
		{ "tile", tile_loop(r, r->column) },
		{ "tall", r->across < 0 ? "" : tile_loop(r, r->t->node[r->across].var) },
		{ "row", r->row < 0 ? "" : loop_over(r, r->t->node[r->row].var) },
		{ "contracted", contracted_word(r) },
		{ "tiles", tiles_word(r) },
		{ "kept", kept_word(r) },
		{ "packed", packed_word(r) },
		{ "within", within_word(r) },
		{ "dot", r->dot_bytes ? loop_over(r, r->dim[r->n_dim - 1]) : "" },
		{ "bytes", r->dot_bytes ? lt__arena_format(r->t->arena, "%u", (unsigned)r->dot_bytes) : "" },
		{ "inner", loop_over(r, r->dim[r->n_dim - 1]) },
		{ "stored", is_local(r->t, r->weights) ? "" : loop_over(r, r->dim[r->n_dim - 1]) },
		{ "lone", is_long(r) || *tile_loop(r, r->column) ? "" : loop_over(r, r->dim[r->n_dim - 1]) },
		{ "short", g->var[r->dim[r->n_dim - 1]].extent <= 4 ? loop_over(r, r->dim[r->n_dim - 1]) : "" },
		{ "constant", node_word(r, r->constant) },
		{ "reader", r->widened < 0 ? node_word(r, r->reader) : innermost_word(r, r->reader) },
		{ "weights", has_dim(g, r->weights, r->column) && !is_local(r->t, r->weights) ? node_word(r, r->weights) : "" },
		{ "cast", node_word(r, r->cast) },
		{ "window", node_word(r, r->window) },
		{ "viewer", node_word(r, r->viewer) },
		{ "again", r->viewer == r->cast ? node_word(r, r->cast) : "" },
		{ "viewed", node_word(r, r->viewed) },
		{ "deepest", r->n_loop > 0 ? loop_over(r, r->t->node[r->loop[r->n_loop - 1]].var) : "" },
		{ "after", after ? lt__arena_format(r->t->arena, "%%%s", after) : "" },
		{ "first", r->first ? lt__arena_format(r->t->arena, "%%%s", r->first) : "" },
		{ "into", r->first ? made_word(r) : into_word(r) },
		{ "made", r->first ? made_word(r) : "" },
	};
	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		if (strlen(words[i].name) == n && !memcmp(words[i].name, word, n))
			return words[i].value;
	lt_bug("recipe.def has a word that nobody knows");
}

/* One step with its words filled in; "": one of them stands for nothing. */
static const char *fill_step(const struct roles *r, const char *step, size_t n, const char *after)
{
	struct lt_text x = { .arena = r->t->arena };
	for (size_t i = 0; i < n; i++) {
		size_t end = i + 1;
		if (step[i] != '$') {
			if (step[i] != ' ' || (x.n && x.at[x.n - 1] != ' '))
				lt__text_add(&x, &step[i], 1);
			continue;
		}
		while (end < n && step[end] >= 'a' && step[end] <= 'z')
			end++;
		const char *value = word_value(r, step + i + 1, end - i - 1, after);
		if (!*value)
			return "";
		lt__text_add(&x, value, strlen(value));
		i = end - 1;
	}
	return x.n ? lt__arena_format(r->t->arena, "%.*s", (int)x.n, x.at) : "";
}

/* --- a text is applied --- */

/* t: as it is; line: before the line that is taken; form: before the form; from: as it was given. */
struct applied {
	struct lt_arena *arena;
	const struct lt_target *target;
	struct lt_looptree *t;
	const struct lt_looptree *from, *form, *line;
	struct lt_text steps;           /* that were taken, one a line */
	enum recipe_of of;
	const char *name;               /* of the cast or the sum */
	const char *first;
	const char **after; int32_t n_after;            /* found once: the steps then part them */
	const char *forms;                              /* that were taken, each with a blank before it */
	struct lt_text refused;                         /* what is said of others */
};

static bool roles_now(const struct applied *a, struct roles *r)
{
	const lt_node n = lt__tree_node_named(a->t, a->name);
	if (n < 0 || a->of == OF_CAST || a->of == OF_TAKEN)
		return n >= 0 && (a->of == OF_CAST ? find_cast_roles : find_taken_roles)(a->t, n, r);
	return find_roles(a->t, a->target, n, LT_NEW(a->arena, uint8_t, a->t->graph->n_node + 1), a->first, r);
}

static void free_tree(const struct applied *a, struct lt_looptree *t)
{
	if (t != a->from && t != a->form && t != a->line)
		lt_looptree_free(t);
}

/* The tree is `to` again, which is kept. */
static void go_back(struct applied *a, const struct lt_looptree *to)
{
	struct lt_looptree *t = a->t;
	a->t = (struct lt_looptree *)to;
	if (t != to)
		free_tree(a, t);
}

static const char *take_step(struct applied *a, const char *text, lt_status *st)
{
	struct lt_context *ctx = a->t->ctx;
	struct lt_looptree *next;
	const char *why;
	*st = lt_looptree_apply(a->t, text, strlen(text), "recipe", 0, NULL, &next, NULL);
	if (!*st) {
		free_tree(a, a->t);
		a->t = next;
		return NULL;
	}
	why = lt__arena_format(a->arena, "%s", lt_context_message(ctx));
	if (!lt__is_end(*st))
		lt_context_clear(ctx);
	return why;
}

static const char *const nothing = "";   /* why a line is left out: it is not refused */

/* All steps of a line, whose words are what they are before the first of them; *why: NULL, or which one is refused. */
static lt_status take_line(struct applied *a, const char *line, size_t n, const char *after, const char **why)
{
	struct roles r;
	struct lt_text steps = { .arena = a->arena };
	const struct lt_looptree *begin = a->t;
	lt_status st = LT_OK;
	*why = roles_now(a, &r) ? NULL : "the steps before have left nothing of its kind";
	for (size_t i = 0; i < n && !*why; ) {
		const char *end = memchr(line + i, ';', n - i);
		const size_t stop = end ? (size_t)(end - line) : n;
		i += strspn(line + i, " ");
		const char *step = fill_step(&r, line + i, stop - i, after);
		lt__text_format(&steps, "%s\n", step);
		*why = *step ? NULL : nothing;
		i = stop + 1;
	}
	a->line = begin;
	for (size_t i = 0; i < steps.n && !*why; ) {
		const size_t bytes = (size_t)((const char *)memchr(steps.at + i, '\n', steps.n - i) - steps.at) - i;
		*why = take_step(a, lt__arena_format(a->arena, "%.*s", (int)bytes, steps.at + i), &st);
		i += bytes + 1;
	}
	a->line = NULL;
	if (*why) {
		go_back(a, begin);
		return lt__is_end(st) ? st : LT_OK;
	}
	if (a->t != begin)
		free_tree(a, (struct lt_looptree *)begin);
	lt__text_add(&a->steps, steps.at, steps.n);
	return LT_OK;
}

/* Leaves behind the sum, in a loop over its columns next to its own loops: their names. */
static int32_t find_after(const struct applied *a, const char ***out)
{
	const struct lt_looptree *t = a->t;
	struct roles r;
	int32_t outer = 0, n = 0;
	if (!roles_now(a, &r))
		return 0;
	while (outer < r.n_loop && !is_summed(&r, r.loop[outer]) && t->node[r.loop[outer]].var != r.column)
		outer++;
	const lt_tnode at = outer < r.n_loop ? t->node[r.loop[outer]].next : -1;
	if (at < 0 || t->node[at].kind != LT_TLOOP || t->node[at].var != r.column)
		return 0;
	for (lt_tnode leaf = t->node[at].child; leaf >= 0; leaf = t->node[leaf].next)
		n++;
	*out = LT_NEW(a->arena, const char *, n);
	n = 0;
	for (lt_tnode leaf = t->node[at].child; leaf >= 0; leaf = t->node[leaf].next) {
		if (t->node[leaf].kind != LT_TLEAF)
			return 0;
		(*out)[n++] = lt__arena_format(a->arena, "%s", t->graph->node[t->node[leaf].leaf].name);
	}
	return n;
}

/* A line, once, or for each leaf behind the sum; *why: NULL, or why it is not taken though it has to be. */
static lt_status take_each(struct applied *a, const char *line, size_t n, bool may, const char **why)
{
	const bool each = memmem(line, n, "$after", 6);
	const bool fuses = each && memmem(line, n, "fuse", 4);
	if (each && !a->n_after)
		a->n_after = find_after(a, &a->after);
	for (int32_t i = 0; i < (each ? a->n_after : 1) && !*why; i++) {
		const char *after = each ? a->after[fuses ? i : a->n_after - 1 - i] : NULL;
		LT_TRY(take_line(a, line, n, after, why));
		a->first = fuses && !*why && !a->first ? after : a->first;
		*why = may || (*why == nothing && !a->form) ? NULL : *why;
	}
	return LT_OK;
}

static const char *next_line(const char *at) { return at + strcspn(at, "\n") + (at[strcspn(at, "\n")] != 0); }
static bool ends_form(char c) { return c == '|' || c == '.' || !c; }

/* Lines up to the end of the text, to forms or to the end of one; *why: NULL, or why one is not taken. */
static lt_status take_lines(struct applied *a, const char *line, const char **why)
{
	*why = NULL;
	for (; !ends_form(*line) && !*why; line = next_line(line)) {
		const size_t may = *line == '?' ? 2 : 0;
		LT_TRY(take_each(a, line + may, strcspn(line, "\n") - may, may > 0, why));
	}
	return LT_OK;
}

/* A form, whose name is in its first line; *why: NULL, or why it is not taken: then nothing of it is left. */
static lt_status take_form(struct applied *a, const char *form, const char **why)
{
	const struct applied before = *a;
	const size_t n = strcspn(form + 2, "\n");
	a->form = before.t;
	const lt_status st = take_lines(a, next_line(form), why);
	a->form = NULL;
	if (st || *why) {
		a->form = before.t;
		go_back(a, before.t);
		*a = before;
		if (!st && *why != nothing)
			lt__text_format(&a->refused, "%s'%.*s' is refused: %s", a->refused.n ? "; and " : ", as ", (int)n, form + 2, *why);
		return st;
	}
	if (a->t != before.t)
		free_tree(a, before.t);
	a->forms = n ? lt__arena_format(a->arena, "%s, %.*s", a->forms, (int)n, form + 2) : a->forms;
	return LT_OK;
}

/* The first of several forms that is not refused; at: behind them then. */
static lt_status take_forms(struct applied *a, const char **at, const char **why)
{
	bool taken = false;
	while (**at == '|') {
		if (!taken)
			LT_TRY(take_form(a, *at, why));
		taken = taken || !*why;
		do
			*at = next_line(*at);
		while (!ends_form(**at));
	}
	*at = next_line(*at);
	*why = taken ? NULL : lt__arena_format(a->arena, "none of its forms can be taken%.*s", (int)a->refused.n,
		a->refused.n ? a->refused.at : "");
	return LT_OK;
}

/* *why: NULL, or what is refused that has to be taken. */
static lt_status take_text(struct applied *a, const char *text, const char **why)
{
	*why = NULL;
	while (*text && !*why) {
		if (*text == '|') {
			LT_TRY(take_forms(a, &text, why));
			continue;
		}
		LT_TRY(take_lines(a, text, why));
		while (!ends_form(*text))
			text = next_line(text);
	}
	return LT_OK;
}

/* How a node is made: by taking out alone, of `of` among others or not; or otherwise. */
enum how_made { UNKNOWN, OTHERWISE, TAKEN, TAKEN_OF };
static enum how_made how_made(const struct lt_graph *g, lt_node n, lt_node of, uint8_t *how)
{
	const struct lt_nodedef *d = &g->node[n];
	if (how[n] != UNKNOWN)
		return how[n];
	enum how_made made = !is_taking_out(d) ? OTHERWISE : n == of ? TAKEN_OF : TAKEN;
	for (int32_t i = 0; i < d->n_operand && made != OTHERWISE; i++) {
		const enum how_made operand = how_made(g, d->operand[i], of, how);
		made = operand == OTHERWISE || operand > made ? operand : made;
	}
	how[n] = (uint8_t)made;
	return made;
}

/* Who reads a value that is taken out, by name, as steps keep these. */
struct taken_readers { int32_t n; struct { const char *name; int32_t operand; } *at; };

static void find_taken_readers(const struct applied *a, lt_node of, struct taken_readers *r)
{
	const struct lt_graph *g = a->t->graph;
	uint8_t *how = LT_NEW(a->arena, uint8_t, g->n_node + 1);
	int32_t cap = 0;
	*r = (struct taken_readers){ 0 };
	for (lt_node i = of + 1; i < g->n_node; i++)
		for (int32_t k = 0; k < g->node[i].n_operand; k++) {
			if (a->t->leaf_of[i] < 0 || how_made(g, i, of, how) != OTHERWISE
			    || how_made(g, g->node[i].operand[k], of, how) != TAKEN_OF)
				continue;
			LT_GROW(a->arena, r->at, r->n, cap);
			r->at[r->n].name = lt__arena_format(a->arena, "%s", g->node[i].name);
			r->at[r->n++].operand = k;
		}
}

/* The last node that they are made of, is stored and has not been tried; -1. */
static lt_node next_stored(const struct applied *a, const struct taken_readers *r, const struct lt_names *tried)
{
	const struct lt_graph *g = a->t->graph;
	bool *made_of = LT_NEW(a->arena, bool, g->n_node + 1);
	int64_t bytes = 0;
	for (int32_t i = 0; i < r->n; i++)
		(void)find_made_of(g, g->node[lt__tree_node_named(a->t, r->at[i].name)].operand[r->at[i].operand], made_of, &bytes);
	for (lt_node x = g->n_node - 1; x >= 0; x--)
		if (made_of[x] && a->t->leaf_of[x] >= 0 && a->t->scope[x].whole
			&& (!tried || lt__names_find(tried, g->node[x].name, strlen(g->node[x].name)) < 0))
			return x;
	return -1;
}

/* A text for each node that value `of` is made of, the last first; refused if one of them is stored then. */
static lt_status take_nodes(struct applied *a, const char *text, const char *of, const char **why)
{
	struct lt_names *tried = lt__names_new(a->arena);
	struct taken_readers readers;
	int32_t left = MAX_TRIES;
	lt_node x = lt__tree_node_named(a->t, of);
	if (x < 0 || !is_grown(a->t, x))                /* it has become what is read of another one */
		return LT_OK;
	find_taken_readers(a, x, &readers);
	while (!*why && left-- > 0 && (x = next_stored(a, &readers, tried)) >= 0) {
		struct roles r;
		const char *x_name = a->t->graph->node[x].name;
		const size_t same = strlen(a->name);
		if (!strncmp(x_name, a->name, same) && !strcmp(x_name + same, ".again") && find_taken_roles(a->t, x, &r)
			&& r.viewed >= 0)
			break;                                  /* at the points of the view it is where it was */
		a->name = lt__arena_format(a->arena, "%s", a->t->graph->node[x].name);
		lt__names_add(tried, a->name, strlen(a->name), 0);
		LT_TRY(take_text(a, text, why));
	}
	if (!*why && (x = next_stored(a, &readers, NULL)) >= 0)
		*why = lt__arena_format(a->arena, "%%%s is not computed where it is read", a->t->graph->node[x].name);
	return LT_OK;
}

/* Casts or sums by name: a text may add nodes to the graph.  In the order of the graph, casts of constants last: so all
 * steps of a recurrent layer read constants and what another step has made in the same order. */
static int32_t find_all(const struct lt_looptree *t, const struct lt_target *target, enum recipe_of of,
	struct lt_arena *a, const char ***out)
{
	uint8_t *known = LT_NEW(a, uint8_t, t->graph->n_node + 1);
	struct roles r;
	int32_t n = 0;
	*out = LT_NEW(a, const char *, t->graph->n_node + 1);
	for (int constants = 0; constants < 2; constants++)
		for (lt_node i = 0; i < t->graph->n_node; i++)
			if (of == OF_TAKEN ? constants && is_grown(t, i) : is_constant(t->graph, i, known) == constants
					&& (of == OF_CAST ? find_cast_roles(t, i, &r) : find_roles(t, target, i, known, NULL, &r)))
				(*out)[n++] = lt__arena_format(a, "%s", t->graph->node[i].name);
	return n;
}

static void add_note(struct lt_looptree *t, const char *sum, const char *text)
{
	const lt_node n = lt__tree_node_named(t, sum);
	if (n < 0)
		return;
	LT_GROW(t->arena, t->note, t->n_note, t->cap_note);
	t->note[t->n_note++] = (struct lt_tnote){ n, lt__arena_format(t->arena, "%s", text) };
}

struct recipe_input { const struct lt_target *target; struct lt_looptree **tree; struct lt_arena *arena; };

/* The tree with one cast or sum as the recipe has it, or as it was; what is said of it. */
static lt_status take_recipe(struct recipe_input *in, const struct recipe *recipe, const char *name,
	struct lt_text *steps, const char **said)
{
	struct applied a = { .arena = in->arena, .target = in->target, .t = *in->tree, .from = *in->tree,
		.steps = { .arena = in->arena }, .of = recipe->of, .name = name, .forms = "", .refused = { .arena = in->arena } };
	const char *why = NULL;
	const lt_status st = recipe->of == OF_TAKEN ? take_nodes(&a, recipe->text, name, &why)
		: take_text(&a, recipe->text, &why);
	if (st || why) {
		free_tree(&a, a.t);
		*said = lt__arena_format(in->arena, "tree: %s, as the recipe '%s' is refused: %s", recipe->of == OF_TAKEN
			? "stored, which takes more than what it is taken out of" : "plain loops", recipe->name, why ? why : "");
		return st;
	}
	if (a.t != a.from) {
		lt_looptree_free(*in->tree);
		*in->tree = a.t;
	}
	if (a.steps.n || recipe->of == OF_SUM)          /* the others are no more than what they change */
		lt__text_format(steps, "# %%%s, by the recipe '%s'%s\n%.*s", name, recipe->name, a.forms, (int)a.steps.n,
			a.steps.n ? a.steps.at : "");
	*said = lt__arena_format(in->arena, "tree: recipe '%s'%s%.*s", recipe->name, a.forms, (int)a.refused.n,
		a.refused.n ? a.refused.at : "");
	return LT_OK;
}

static lt_status take_all(struct recipe_input *in, enum recipe_of of, struct lt_text *steps)
{
	const char **name;
	const struct recipe *recipe = find_recipe(in->target, of);
	const int32_t n = recipe ? find_all(*in->tree, in->target, of, in->arena, &name) : 0;
	const char **said = LT_NEW(in->arena, const char *, n + 1);
	for (int32_t i = 0; i < n; i++)
		LT_TRY(take_recipe(in, recipe, name[i], steps, &said[i]));
	for (int32_t i = 0; i < n && (of == OF_SUM || of == OF_TAKEN); i++)
		add_note(*in->tree, name[i], said[i]);
	return LT_OK;
}

/* Steps of a recurrent layer read a constant by views of several kinds: what is taken out for one of them is not yet
 * for the next kind. */
static lt_status take_constants(struct recipe_input *in, struct lt_text *steps)
{
	enum { KINDS = 4 };
	size_t before;
	int kind = 0;
	do {
		before = steps->n;
		LT_TRY(take_all(in, OF_TAKEN, steps));
	} while (steps->n > before && ++kind < KINDS);
	return LT_OK;
}

static lt_status recipe_body(void *arg)
{
	struct recipe_input *in = arg;
	struct lt_text steps = { .arena = in->arena };
	LT_TRY(take_all(in, OF_LOOPS, &steps));
	LT_TRY(take_all(in, OF_CAST, &steps));
	LT_TRY(take_constants(in, &steps));
	LT_TRY(take_all(in, OF_SUM, &steps));
	if (steps.n)
		(*in->tree)->steps = lt__arena_format((*in->tree)->arena, "%.*s", (int)steps.n, steps.at);
	return LT_OK;
}

lt_status lt__recipe_apply(const struct lt_target *target, struct lt_looptree **tree)
{
	struct lt_context *ctx = (*tree)->ctx;
	struct recipe_input in = { .target = target, .tree = tree };
	if (!find_recipe(target, OF_SUM))
		return LT_OK;
	LT_TRY(lt__arena_new(ctx, &in.arena));
	lt_status st = lt__protect(ctx, recipe_body, &in);
	lt__arena_free(in.arena);
	return st;
}
