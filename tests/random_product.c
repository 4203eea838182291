/* Random products: rows, columns, batches and deep vars in any number and order, factors that are views. */
#include <stdio.h>
#include "ir/op/op.h"
#include "check/random/must.h"
#include "check/random/random.h"
#include "tests/random_product.h"

enum { MAX_VARS = 3 };
struct vars { int n; lt_var at[MAX_VARS]; };
/* count: of those that count extents; the scalars are the elements of `counts`, -1: no extent is counted. */
enum { MAX_COUNTS = 8 };
struct draw { uint64_t rng; struct lt_graph *g; enum lt_dtype t; int number, count; lt_node counts; };

static int64_t draw_extent(struct draw *d, int64_t max)
{
	static const int64_t often[] = { 1, 2, 4, 8, 15, 16, 17, 31, 32, 33, 48, 63, 64, 65, 70, 96, 100 };
	if (random_chance(&d->rng, 40)) {
		int64_t e = often[random_between(&d->rng, 0, (int64_t)(sizeof often / sizeof *often) - 1)];
		if (e <= max)
			return e;
	}
	return random_between(&d->rng, 1, max);
}

static lt_var counted_var(struct draw *d, const char *name, int64_t max)
{
	const int64_t one = 1;
	int64_t min = random_chance(&d->rng, 30) ? random_between(&d->rng, 0, max) : 0;
	lt_param p = lt_graph_param(d->g, d->counts, d->count++, min, max);
	return lt_graph_var_bounded(d->g, name, max, 0, 1, &p, &one);
}

static bool is_counted(const struct draw *d, int n, const lt_var *dim)
{
	for (int i = 0; i < n; i++)
		if (d->g->var[dim[i]].bounded)
			return true;
	return false;
}

static struct vars draw_vars(struct draw *d, const char *name, int min, int max, int64_t elems)
{
	struct vars v = { .n = (int)random_between(&d->rng, min, max) };
	for (int i = 0; i < v.n; i++) {
		int64_t e = draw_extent(d, i + 1 < v.n && elems > 8 ? 8 : elems);
		v.at[i] = d->counts >= 0 && d->count < MAX_COUNTS && random_chance(&d->rng, 50) ? counted_var(d, name, e)
			: lt_graph_var(d->g, name, e);
		elems = elems / e > 1 ? elems / e : 1;
	}
	return v;
}

/* The vars of several lists in any order, or one list after the other. */
static int mix(struct draw *d, lt_var *out, const struct vars *const *list, int n)
{
	int count = 0;
	for (int i = 0; i < n; i++)
		for (int k = 0; k < list[i]->n; k++)
			out[count++] = list[i]->at[k];
	for (int i = count - 1; i > 0 && random_chance(&d->rng, 60); i--) {
		int k = (int)random_between(&d->rng, 0, i);
		lt_var v = out[i];
		out[i] = out[k];
		out[k] = v;
	}
	return count;
}

static lt_node source(struct draw *d, int n, const lt_var *dim)
{
	char name[16];
	snprintf(name, sizeof name, "s%d", d->number++);
	return random_chance(&d->rng, 35) ? lt_graph_constant(d->g, name, d->t, n, dim)
					  : lt_graph_input(d->g, name, d->t, n, dim);
}

/* A factor with these vars: a source, one read through a permutation, an offset or a padded border, or something
 * computed. */
static lt_node factor(struct draw *d, int n, const lt_var *dim)
{
	lt_var dims[MAX_VARS * 4];
	int64_t before[MAX_VARS * 4] = { 0 }, after[MAX_VARS * 4] = { 0 };
	int kind = (int)random_between(&d->rng, 0, 7);
	lt_node x;
	for (int i = 0; i < n; i++)
		dims[i] = dim[i];
	if (n == 0 || kind < 4)
		return source(d, n, dim);
	int axis = (int)random_between(&d->rng, 0, n - 1);
	int64_t extent = d->g->var[dim[axis]].extent;
	if (kind != 6 && is_counted(d, 1, &dim[axis]))
		return source(d, n, dim);
	if (kind == 4) {                /* part of something larger */
		int64_t begin = random_between(&d->rng, 0, 3), step = random_between(&d->rng, 1, 2);
		dims[axis] = lt_graph_var(d->g, "large", begin + step * extent + random_between(&d->rng, 0, 2));
		x = lt_graph_slice(d->g, source(d, n, dims), axis, begin, step, extent);
		return lt_graph_rename(d->g, x, n, dim);
	}
	if (kind == 5 && extent > 2) {  /* a border of zeros or ones */
		before[axis] = 1;
		after[axis] = random_between(&d->rng, 0, 1);
		dims[axis] = lt_graph_var(d->g, "inside", extent - before[axis] - after[axis]);
		union lt_scalar one = { .f = 1 };
		if (lt__dtype_info(d->t)->cls != LT_CLASS_FLOAT)
			one.i = 1;
		uint64_t fill = random_chance(&d->rng, 50) ? 0 : lt__bits_of(one, d->t);
		x = lt_graph_pad(d->g, source(d, n, dims), before, after, fill);
		return lt_graph_rename(d->g, x, n, dim);
	}
	if (kind == 6)
		return lt_graph_unary(d->g, "neg", source(d, n, dim));
	if (is_counted(d, n, dim))
		return source(d, n, dim);
	int64_t size = 1;               /* a reshape of a row */
	for (int i = 0; i < n; i++)
		size *= d->g->var[dim[i]].extent;
	lt_var flat = lt_graph_var(d->g, "flat", size);
	return lt_graph_reshape_to(d->g, source(d, 1, &flat), n, dim);
}

/* A convolution: two of the vars of a factor are a position and a tap of one axis. */
static lt_node window(struct draw *d, int n, const lt_var *dim, lt_var position, lt_var tap)
{
	lt_var dims[MAX_VARS * 4];
	int count = 0, axis = -1;
	int64_t stride = random_between(&d->rng, 1, 2), before = random_between(&d->rng, 0, 1);
	int64_t last = (d->g->var[position].extent - 1) * stride + d->g->var[tap].extent - before;
	for (int i = 0; i < n; i++)
		if (dim[i] == position) {
			axis = count;
			dims[count++] = lt_graph_var(d->g, "line", last > 1 ? last - (stride == 1 && before && last > 2) : 1);
		} else if (dim[i] != tap) {
			dims[count++] = dim[i];
		}
	return lt_graph_window(d->g, source(d, count, dims), axis, position, tap, stride, 1, before, 0);
}

static lt_node contract(struct draw *d, const struct vars *batch, const struct vars *row, const struct vars *column,
	const struct vars *deep)
{
	lt_var left[MAX_VARS * 4], right[MAX_VARS * 4], out[MAX_VARS * 4];
	int n_left = mix(d, left, (const struct vars *const[]){ batch, row, deep }, 3);
	int n_right = mix(d, right, (const struct vars *const[]){ batch, deep, column }, 3);
	int n_out = mix(d, out, (const struct vars *const[]){ batch, row, column }, 3);
	bool conv = column->n > 0 && deep->n > 0 && random_chance(&d->rng, 30)
		&& !is_counted(d, 1, &column->at[column->n - 1]) && !is_counted(d, 1, &deep->at[deep->n - 1]);
	lt_node a = factor(d, n_left, left);
	lt_node b = conv ? window(d, n_right, right, column->at[column->n - 1], deep->at[deep->n - 1])
			 : factor(d, n_right, right);
	lt_node c = random_chance(&d->rng, 50) ? lt_graph_contract(d->g, a, b, deep->n, deep->at)
					       : lt_graph_contract(d->g, b, a, deep->n, deep->at);
	if (c < 0 || n_out == 0)
		return c;
	int32_t perm[MAX_VARS * 4];
	const struct lt_nodedef *n = &d->g->node[c];
	for (int i = 0; i < n_out; i++)
		for (int k = 0; k < n->n_dim; k++)
			perm[i] = n->dim[k] == out[i] ? k : perm[i];
	return random_chance(&d->rng, 40) ? lt_graph_permute(d->g, c, n_out, perm) : c;
}

/* Pointwise nodes over the product: a bias along some dim, a maximum, a residual. */
static lt_node behind(struct draw *d, lt_node c)
{
	const struct lt_nodedef *n = &d->g->node[c];
	lt_var dim[MAX_VARS * 4];
	int n_dim = n->n_dim;
	for (int i = 0; i < n_dim; i++)
		dim[i] = n->dim[i];
	if (n_dim > 0 && random_chance(&d->rng, 60))
		c = lt_graph_op_to(d->g, "add", 2,
			(lt_node[]){ c, source(d, 1, &dim[random_between(&d->rng, 0, n_dim - 1)]) }, n_dim, dim);
	if (random_chance(&d->rng, 60))
		c = lt_graph_binary(d->g, "max", c, lt_graph_literal(d->g, d->t, 0));
	if (random_chance(&d->rng, 30))
		c = lt_graph_op_to(d->g, "add", 2, (lt_node[]){ c, source(d, n_dim, dim) }, n_dim, dim);
	if (n_dim > 0 && random_chance(&d->rng, 20))
		c = lt_graph_reduce(d->g, random_chance(&d->rng, 50) ? "max" : "add", c, 1,
			&dim[random_between(&d->rng, 0, n_dim - 1)]);
	return c;
}

static void product_with(struct lt_context *ctx, uint64_t seed, bool counted, struct lt_graph **out)
{
	static const enum lt_dtype types[] = { LT_F32, LT_F32, LT_F32, LT_F64, LT_I32 };
	must(lt_graph_new(ctx, out) == LT_OK, "%s", lt_context_message(ctx));
	struct draw d = { .rng = seed, .g = *out, .t = types[random_between(&(uint64_t){ seed ^ 77 }, 0, 4)],
		.counts = -1 };
	if (counted) {
		lt_var count = lt_graph_var(*out, "count", MAX_COUNTS);
		d.counts = lt_graph_input(*out, "counts", LT_I64, 1, &count);
	}
	int64_t rows = random_chance(&d.rng, 40) ? random_between(&d.rng, 1, 8) : 70;
	struct vars batch = draw_vars(&d, "b", 0, random_chance(&d.rng, 25) ? 2 : 0, 4), row = draw_vars(&d, "m", 0, 2, rows);
	struct vars column = draw_vars(&d, "n", 0, 2, 100),
		    deep = draw_vars(&d, "k", 1, random_chance(&d.rng, 40) ? 3 : 1, 90);
	lt_node c = contract(&d, &batch, &row, &column, &deep), y = c;
	must(c >= 0, "seed %llu: %s", (unsigned long long)seed, lt_context_message(ctx));
	if (random_chance(&d.rng, 60))
		y = behind(&d, c);
	if (random_chance(&d.rng, 15))
		lt_graph_result(*out, "c", c);
	if (random_chance(&d.rng, 15))  /* a second reader, perhaps another product */
		y = lt_graph_binary(d.g, "max", y, lt_graph_unary(d.g, "neg", y));
	if (random_chance(&d.rng, 20) && d.g->node[y].n_dim > 0) {
		lt_var k = d.g->node[y].dim[d.g->node[y].n_dim - 1], n2 = lt_graph_var(d.g, "n2", draw_extent(&d, 40));
		y = lt_graph_contract(d.g, y, source(&d, 2, (lt_var[]){ k, n2 }), 1, &k);
	}
	must(lt_graph_result(*out, "y", y) == LT_OK && lt_graph_verify(*out) == LT_OK, "seed %llu: %s",
		(unsigned long long)seed, lt_context_message(ctx));
}

void random_product(struct lt_context *ctx, uint64_t seed, struct lt_graph **out)
{
	product_with(ctx, seed, false, out);
}

void random_product_counted(struct lt_context *ctx, uint64_t seed, struct lt_graph **out)
{
	product_with(ctx, seed, true, out);
}

void random_target(uint64_t seed, struct lt_target *out)
{
	static const uint32_t bytes[] = { 16, 32, 64 };
	uint64_t rng = seed ^ 0x1234567;
	*out = (struct lt_target){ .size = sizeof *out,
		.name = "test",
		.vector_bytes = bytes[random_between(&rng, 0, 2)],
		.vector_registers = random_chance(&rng, 50) ? 32 : 16,
		.cores = (uint32_t)random_between(&rng, 1, 3),
		.cache_line = 64,
		.l1_bytes = 1 << 10,
		.l2_bytes = UINT64_C(1) << random_between(&rng, 9, 18),
		.l3_bytes = random_chance(&rng, 50) ? 0 : UINT64_C(1) << random_between(&rng, 12, 22) };
}

void random_product_fill(void *graph, int run, lt_node n, void *out)
{
	const struct lt_graph *g = graph;
	uint64_t rng = (uint64_t)n * 1000 + (uint64_t)(g->node[n].op == LT_OP_constant ? 0 : run);
	enum lt_dtype t = g->node[n].dtype;
	for (int64_t i = 0; i < lt__node_elems(g, n); i++) {
		union lt_scalar x;
		int64_t number = random_between(&rng, -8, 8);
		if (lt__dtype_info(t)->cls == LT_CLASS_FLOAT)
			x.f = (double)number / 4;
		else
			x.i = number;
		for (lt_param p = 0; p < g->n_param; p++)       /* the ends of its range, then any number in it */
			if (g->param[p].source == n && g->param[p].element == i)
				x.i = run == 0 ? g->param[p].high
					: run == 1 ? random_between(&rng, g->param[p].low, g->param[p].high)
						   : g->param[p].low;
		lt__store(out, i, t, lt__round_to(x, t));
	}
}
