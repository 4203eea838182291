/* test_access.c -- access analysis against enumeration: every point of every leaf, walked through its views by
 * hand, must give what the maps of the leaf give; and no guard stands that is not needed. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "looptree/tree/tree.h"
#include "tests/tree_text.h"
#include "tests/view_walk.h"

TestSuite(access, .timeout = 300);

static void check_read(const struct walk_graph *l, uint64_t seed, const int64_t *param, const struct lt_leaf *leaf,
	const struct lt_read *read, lt_node operand, const int64_t *at, int64_t gathered)
{
	const struct lt_graph *g = l->g;
	const struct lt_nodedef *x = &g->node[operand];
	int64_t index[LT_MAX_RANK], point[LT_MAX_RANK], out[LT_MAX_RANK] = { 0 };
	memcpy(point, at, sizeof *at * (size_t)leaf->n_var);
	point[leaf->n_var] = gathered;
	for (int32_t i = 0; i < x->n_dim; i++) {
		int32_t column = lt__leaf_column(leaf, x->dim[i]);
		index[i] = column >= 0 ? at[column] : gathered;
	}
	struct walk_found want;
	walk_views(g, param, operand, index, &want);
	int32_t p = 0;
	while (p < read->n_piece && !walk_apply(&read->piece[p].map, param, point, out))
		p++;
	cr_assert_lt(p, read->n_piece, "seed %d: no piece holds", (int)seed);
	const struct lt_readpiece *piece = &read->piece[p];
	const char *name = x->name;
	cr_assert_eq(piece->base, want.base, "seed %d: %%%s is read from node %d, not %d", (int)seed, name,
		(int)piece->base, (int)want.base);
	if (want.base >= 0)
		cr_assert(!memcmp(out, want.at, sizeof *out * (size_t)g->node[want.base].n_dim),
			"seed %d: %%%s is read at other indices", (int)seed, name);
	else if (piece->kind == LT_PIECE_INDEX)
		cr_assert_eq(out[0], want.position, "seed %d: %%%s", (int)seed, name);
	else
		cr_assert_eq(piece->bits, want.bits, "seed %d: %%%s", (int)seed, name);
}

static int64_t check_leaf(
	const struct walk_graph *l, uint64_t seed, struct lt_arena *a, const int64_t *param, lt_node n)
{
	const struct lt_graph *g = l->g;
	const struct lt_nodedef *d = &g->node[n];
	struct lt_leaf *leaf;
	int64_t extent[LT_MAX_RANK], at[LT_MAX_RANK] = { 0 }, points = 0;
	cr_assert_eq(lt__leaf_access(g, a, n, &leaf), LT_OK, "%s", lt_context_message(l->ctx));
	for (int32_t i = 0; i < leaf->n_var; i++) {
		extent[i] = walk_extent(g, param, leaf->var[i]);
		if (extent[i] == 0)
			return 0;
	}
	int32_t first = d->op == LT_OP_update;
	do {
		points++;
		for (int32_t k = 0; k < leaf->n_read; k++) {
			bool axis = leaf->gather && k == 0;
			int64_t span = axis ? g->var[g->node[d->operand[0]].dim[d->axis]].extent : 1;
			if (axis)       /* the gathered axis is a column of its own; its var may be one of the leaf's, too */
				for (int64_t v = 0; v < span; v++) {
					const struct lt_nodedef *x = &g->node[d->operand[0]];
					int64_t index[LT_MAX_RANK], point[LT_MAX_RANK], out[LT_MAX_RANK] = { 0 };
					for (int32_t i = 0; i < x->n_dim; i++)
						index[i] = i == d->axis ? v : at[lt__leaf_column(leaf, x->dim[i])];
					memcpy(point, at, sizeof *at * (size_t)leaf->n_var);
					point[leaf->n_var] = v;
					struct walk_found want;
					walk_views(g, param, d->operand[0], index, &want);
					cr_assert(walk_apply(&leaf->read[0].piece[0].map, param, point, out)
							&& leaf->read[0].piece[0].base == want.base
							&& !memcmp(out, want.at,
								sizeof *out * (size_t)g->node[want.base].n_dim),
						"seed %d: gather %%%s", (int)seed, d->name);
				}
			else
				check_read(l, seed, param, leaf, &leaf->read[k], d->operand[first + k], at, 0);
		}
	} while (walk_next(leaf->n_var, extent, at));
	return points;
}

Test(access, maps_of_leaves_equal_a_walk_through_the_views)
{
	int64_t points = 0;
	for (uint64_t seed = 1; seed <= 300; seed++) {
		struct walk_graph l = walk_lower(seed);
		struct lt_arena *a;
		uint64_t rng = seed;
		int64_t *param = calloc((size_t)l.g->n_param + 1, sizeof *param);
		cr_assert_eq(lt__arena_new(l.ctx, &a), LT_OK);
		for (int round = 0; round < 2 && walk_params(l.g, &rng, param); round++)
			for (lt_node n = 0; n < l.g->n_node; n++)
				if (lt__has_leaf(l.g, n))
					points += check_leaf(&l, seed, a, param, n);
		free(param);
		lt__arena_free(a);
		walk_free(&l);
	}
	cr_assert_gt(points, 100000);
}

/* Guards of all reads of a node's leaf. */
static int guards(const char *text, const char *node)
{
	struct lt_context *ctx;
	struct lt_graph *g;
	struct lt_arena *a;
	struct lt_leaf *leaf;
	int n = 0;
	cr_assert_eq(lt_context_new(&ctx), LT_OK);
	cr_assert_eq(lt_graph_parse(ctx, text, strlen(text), "test", &g), LT_OK, "%s", lt_context_message(ctx));
	cr_assert_eq(lt__arena_new(ctx, &a), LT_OK);
	cr_assert_eq(lt__leaf_access(g, a, tree_node(g, node), &leaf), LT_OK);
	for (int32_t k = 0; k < leaf->n_read; k++)
		for (int32_t p = 0; p < leaf->read[k].n_piece; p++)
			n += leaf->read[k].piece[p].map.n_guard;
	lt__arena_free(a);
	lt_graph_free(g);
	lt_context_free(ctx);
	return n;
}

#define IMAGE \
	"graph 1\nvar h 9\nvar w 8\nvar i 7\nvar j 6\nvar r 3\nvar s 3\nvar ph 11\nvar pw 10\nvar oh 9\nvar ow " \
	"8\nvar e 4\n%x = f32[h, w] input \"x\"\n" \
	"%k = f32[r, s] input \"k\"\n"
static const struct { const char *text; int guards;
} counts[] = {
	/* a valid convolution has none */
	{ IMAGE "%v = f32[i, r, j, s] view { %x[i + r, j + s] }\n%y = f32[i, r, j, s] mul %v, %k\n", 0 },
	/* a padded one exactly its four edges */
	{ IMAGE "%p = f32[ph, pw] view { %x[ph - 1, pw - 1] if ph - 1 >= 0, 9 - ph >= 0, pw - 1 >= 0, 8 - pw >= 0; "
		"else 0.0 }\n"
		"%v = f32[oh, r, ow, s] view { %p[oh + r, ow + s] }\n%y = f32[oh, r, ow, s] mul %v, %k\n",
		4 },
	/* padded on one side, and a slice that stays inside of it */
	{ IMAGE "%p = f32[ph, w] view { %x[ph - 2, w] if ph - 2 >= 0; else 0.0 }\n%y = f32[ph, w] exp %p\n", 1 },
	{ IMAGE "%p = f32[ph, w] view { %x[ph - 2, w] if ph - 2 >= 0; else 0.0 }\n%v = f32[i, w] view { %p[i + 2, w] "
		"}\n%y = f32[i, w] exp %v\n",
		0 },
	/* every second row of a padded image, where only the first is outside */
	{ IMAGE "%p = f32[ph, w] view { %x[ph - 1, w] if ph - 1 >= 0, 9 - ph >= 0; else 0.0 }\n%v = f32[e, w] view { "
		"%p[2*e, w] }\n%y = f32[e, w] exp %v\n",
		1 },
	/* halves of a concatenation: each has its edge */
	{ "graph 1\nvar m 4\nvar n 5\nvar q 9\n%x = f32[m] input \"x\"\n%z = f32[n] input \"z\"\n"
	  "%v = f32[q] view { %x[q] if 3 - q >= 0; %z[q - 4] if q - 4 >= 0 }\n%y = f32[q] exp %v\n",
		2 },
	/* a reshape there and back is nothing */
	{ "graph 1\nvar m 4\nvar n 6\nvar q 24\nvar a 4\nvar b 6\n%x = f32[m, n] input \"x\"\n%v = f32[q] view { "
	  "%x[floor(q / 6), q - 6*floor(q / 6)] }\n"
	  "%w = f32[a, b] view { %v[6*a + b] }\n%y = f32[a, b] exp %w\n",
		0 },
};

Test(access, guards_stand_only_where_the_bounds_do_not_imply_them)
{
	for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
		cr_assert_eq(guards(counts[i].text, "y"), counts[i].guards, "%s: %d guards", counts[i].text,
			guards(counts[i].text, "y"));
}

/* Each guard that is left fails at some point where the other guards of its piece hold. */
Test(access, every_guard_is_needed)
{
	int kept = 0, idle = 0;
	for (uint64_t seed = 1; seed <= 150; seed++) {
		struct walk_graph l = walk_lower(seed);
		struct lt_arena *a;
		cr_assert_eq(lt__arena_new(l.ctx, &a), LT_OK);
		for (lt_node n = 0; n < l.g->n_node; n++) {
			struct lt_leaf *leaf;
			if (!lt__has_leaf(l.g, n))
				continue;
			cr_assert_eq(lt__leaf_access(l.g, a, n, &leaf), LT_OK);
			for (int32_t k = 0; k < leaf->n_read; k++)
				for (int32_t p = 0; p < leaf->read[k].n_piece; p++) {
					struct lt_map m = leaf->read[k].piece[p].map, one, rest;
					int64_t extent[LT_MAX_RANK], at[LT_MAX_RANK], out[LT_MAX_RANK];
					if (m.n_param > 0 || leaf->gather || m.n_guard == 0)
						continue;
					bool bounded = false;
					for (int32_t i = 0; i < leaf->n_var; i++) {
						extent[i] = l.g->var[leaf->var[i]].extent;
						bounded = bounded || l.g->var[leaf->var[i]].bounded;
					}
					for (int32_t q = 0; q < m.n_guard && !bounded; q++) {
						int32_t width = lt__map_width(&m);
						int64_t *others = calloc((size_t)(m.n_guard * width), sizeof *others);
						bool fails = false;
						memcpy(others, m.guard, sizeof *others * (size_t)(q * width));
						memcpy(others + q * width, m.guard + (q + 1) * width, sizeof *others * (size_t)((m.n_guard - q - 1) * width));
						rest = one = m;
						rest.n_guard--;
						rest.guard = others;
						one.n_guard = 1;
						one.guard = m.guard + q * width;
						memset(at, 0, sizeof at);
						do
							fails = walk_apply(&rest, NULL, at, out) && !walk_apply(&one, NULL, at, out);
						while (!fails && walk_next(leaf->n_var, extent, at));
						kept++;
						idle += !fails;
						free(others);
					}
				}
		}
		lt__arena_free(a);
		walk_free(&l);
	}
	fprintf(stderr, "%d guards, %d of them not needed\n", kept, idle);
	cr_assert_gt(kept, 100);
	cr_assert_eq(idle, 0);
}
