/* random_packed.c -- graphs in which constants are read often, as texts. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include "check/random/must.h"
#include "check/random/random.h"
#include "tests/random_packed.h"

enum { MAX_VALUES = 160, MAX_LINES = (RANDOM_PACKED_TEXT - 100) / 2 };

/* Of one dim, or of rows and a last dim. */
struct packed_value { int n, var[2]; bool is_read; };
struct packed_text { size_t n; char at[MAX_LINES]; };
struct packing {
	uint64_t rng;
	struct packed_text vars, nodes;
	int64_t extent[MAX_VALUES * 2]; int n_var;
	struct packed_value value[MAX_VALUES]; int n_value;
	int n_weight;                   /* the first values */
	int first;                      /* percent of products that are along a weight's first dim */
};

__attribute__((format(printf, 2, 3))) static void text_write(struct packed_text *t, const char *fmt, ...)
{
	va_list list;
	va_start(list, fmt);
	int n = vsnprintf(t->at + t->n, MAX_LINES - t->n, fmt, list);
	va_end(list);
	must(n >= 0 && t->n + (size_t)n < MAX_LINES, "a drawn graph is too long");
	t->n += (size_t)n;
}

static int below(struct packing *x, int n) { return (int)random_between(&x->rng, 0, n - 1); }

static int var_new(struct packing *x, int64_t extent)
{
	text_write(&x->vars, "var d%d %lld\n", x->n_var, (long long)extent);
	x->extent[x->n_var] = extent;
	return x->n_var++;
}

/* The beginning of a node's line; its number. */
static int begin(struct packing *x, int n, int a, int b)
{
	must(x->n_value < MAX_VALUES, "too many values");
	x->value[x->n_value] = (struct packed_value){ .n = n, .var = { a, b } };
	text_write(&x->nodes, n == 1 ? "%%v%d = f32[d%d] " : "%%v%d = f32[d%d, d%d] ", x->n_value, a, b);
	return x->n_value++;
}

static int extent_new(struct packing *x)
{
	static const int64_t extents[] = { 32, 32, 32, 40, 37, 64 };
	return var_new(x, extents[below(x, 6)]);
}

static int source(struct packing *x, const char *kind, int n, int a, int b)
{
	int s = begin(x, n, a, b);
	text_write(&x->nodes, "%s \"s%d\"\n", kind, s);
	return s;
}

/* The value by other names, in the other order perhaps. */
static int view(struct packing *x, int of, bool turned)
{
	struct packed_value *v = &x->value[of];
	int var[2] = { var_new(x, x->extent[v->var[0]]), v->n == 2 ? var_new(x, x->extent[v->var[1]]) : 0 };
	int w = v->n == 2 && turned ? begin(x, 2, var[1], var[0]) : begin(x, v->n, var[0], var[1]);
	text_write(&x->nodes, v->n == 1 ? "view { %%v%d[d%d] }\n" : "view { %%v%d[d%d, d%d] }\n", of, var[0], var[1]);
	v->is_read = true;
	return w;
}

static int weight(struct packing *x)
{
	int a = extent_new(x), b = extent_new(x);
	if (random_chance(&x->rng, 80))
		return source(x, "constant", 2, a, b);
	text_write(&x->nodes, "%%h%d = f16[d%d, d%d] constant \"h%d\"\n", x->n_value, a, b, x->n_value);
	int w = begin(x, 2, a, b);
	text_write(&x->nodes, "cast %%h%d\n", w);
	return w;
}

static int pointwise(struct packing *x, int of)
{
	static const char *const ops[] = { "tanh", "neg", "abs", "tanh" };
	struct packed_value *v = &x->value[of];
	int r = begin(x, v->n, v->var[0], v->var[1]);
	text_write(&x->nodes, "%s %%v%d\n", ops[below(x, 4)], of);
	v->is_read = true;
	return r;
}

/* Something that the weight has to do with, of the extent: made before, or new. */
static int find(struct packing *x, int64_t extent)
{
	for (int i = 0; i < 12 && x->n_value > x->n_weight; i++) {
		int v = x->n_weight + below(x, x->n_value - x->n_weight);
		if (x->extent[x->value[v].var[x->value[v].n - 1]] == extent)
			return v;
	}
	int rows = random_chance(&x->rng, 30) ? var_new(x, 3) : -1, last = var_new(x, extent);
	const char *kind = random_chance(&x->rng, 40) ? "constant" : "input";
	return rows < 0 ? source(x, kind, 1, last, 0) : source(x, kind, 2, rows, last);
}

/* The sum of the products of a value and a weight along one of its dims. */
static int product(struct packing *x, int w)
{
	const bool first = random_chance(&x->rng, x->first);
	int left = find(x, x->extent[x->value[w].var[first ? 0 : 1]]);
	const struct packed_value *l = &x->value[left = view(x, left, false)];
	const int k = l->var[l->n - 1], n = var_new(x, x->extent[x->value[w].var[first ? 1 : 0]]);
	const bool turned = random_chance(&x->rng, 50);
	int right = turned ? begin(x, 2, n, k) : begin(x, 2, k, n);
	text_write(&x->nodes, "view { %%v%d[d%d, d%d] }\n", w, first ? k : n, first ? n : k);
	x->value[left].is_read = x->value[right].is_read = x->value[w].is_read = true;
	int m = l->n == 2 ? l->var[0] : -1;
	if (m < 0)
		text_write(&x->nodes, "%%p%d = f32[d%d, d%d] mul %%v%d, %%v%d\n", x->n_value, k, n, left, right);
	else
		text_write(&x->nodes, "%%p%d = f32[d%d, d%d, d%d] mul %%v%d, %%v%d\n", x->n_value, m, k, n, left, right);
	int s = m < 0 ? begin(x, 1, n, 0) : begin(x, 2, m, n);
	text_write(&x->nodes, "add.reduce %%p%d\n", s);
	return random_chance(&x->rng, 70) ? pointwise(x, s) : s;
}

/* What is no product of the weight. */
static int other(struct packing *x, int w)
{
	const struct packed_value *v = &x->value[w];
	const int kind = below(x, 5), at = below(x, 2);
	if (kind == 0)
		return pointwise(x, view(x, w, random_chance(&x->rng, 50)));
	x->value[w].is_read = true;
	if (kind == 1) {
		int s = begin(x, 1, v->var[at], 0);
		text_write(&x->nodes, "add.reduce %%v%d\n", w);
		return s;
	}
	if (kind == 2) {
		int b = var_new(x, x->extent[v->var[1]]), r = begin(x, 1, b, 0);
		text_write(&x->nodes, "view { %%v%d[%lld, d%d] }\n", w, (long long)below(x, (int)x->extent[v->var[0]]), b);
		return pointwise(x, r);
	}
	int by = source(x, random_chance(&x->rng, 50) ? "constant" : "input", 1, v->var[at], 0);
	x->value[by].is_read = true;
	int m = begin(x, 2, v->var[0], v->var[1]);
	text_write(&x->nodes, "%s %%v%d, %%v%d\n", kind == 3 ? "mul" : "max", w, by);
	return m;
}

static void draw(struct packing *x)
{
	x->n_weight = random_chance(&x->rng, 25) ? 2 : 1;
	x->first = random_chance(&x->rng, 70) ? 10 : 50;
	for (int i = 0; i < x->n_weight; i++)
		(void)weight(x);
	const int steps = 4 + below(x, 13), products = 75 + below(x, 20);
	for (int i = 0; i < steps; i++)
		(void)(random_chance(&x->rng, i == 0 ? 30 : products) ? product : other)(x, below(x, x->n_weight));
	for (int i = x->n_weight, n = 0; i < x->n_value; i++)
		if (!x->value[i].is_read)
			text_write(&x->nodes, "result \"r%d\" = %%v%d\n", n++, i);
}

void random_packed(uint64_t seed, char text[RANDOM_PACKED_TEXT])
{
	struct packing x = { .rng = seed * UINT64_C(0x9e3779b97f4a7c15) + 1 };
	draw(&x);
	(void)snprintf(text, RANDOM_PACKED_TEXT, "graph 1\n%s%s", x.vars.at, x.nodes.at);
}
