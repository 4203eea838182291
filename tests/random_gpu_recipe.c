/* random_gpu_recipe.c -- graphs with a schedule of their own, of random numbers: products whose factors go
 * through shared memory, products by matrix instructions, sums of parts that several blocks make. */
#include <stdio.h>
#include <string.h>
#include "tests/random_gpu.h"

struct recipe { uint64_t *rng; char *out; size_t n, bytes; };

__attribute__((format(printf, 2, 3))) static void recipe_add(struct recipe *r, const char *fmt, ...)
{
	va_list list;
	va_start(list, fmt);
	int n = vsnprintf(r->out + r->n, r->bytes - r->n, fmt, list);
	va_end(list);
	r->n = n < 0 || (size_t)n >= r->bytes - r->n ? r->bytes - 1 : r->n + (size_t)n;
}

static int recipe_number(struct recipe *r, int low, int high) { return (int)random_between(r->rng, low, high); }
/* 2 ^ low .. 2 ^ high */
static int recipe_power(struct recipe *r, int low, int high) { return 1 << recipe_number(r, low, high); }
static bool recipe_chance(struct recipe *r, int percent) { return random_chance(r->rng, percent); }
static const char *recipe_tail(struct recipe *r)
{
	static const char *const tails[] = { "mask", "mask", "pad", "peel", "guard" };
	return tails[recipe_number(r, 0, 4)];
}

/* Copies ahead need whole iterations, or padded ones. */
struct ahead { char text[40]; bool is; };
static struct ahead recipe_ahead(struct recipe *r)
{
	struct ahead a = { "", recipe_chance(r, 60) };
	if (a.is)
		(void)snprintf(a.text, sizeof a.text, " depth %d%s", recipe_number(r, 2, 4), recipe_chance(r, 75) ? " async" : "");
	return a;
}

static void recipe_stage(struct recipe *r, const char *reader, const char *value, const char *at, const char *dims,
	const char *ahead)
{
	recipe_add(r, "stage %%%s %%%s at %s", reader, value, at);
	if (recipe_chance(r, 50))
		recipe_add(r, " layout %s pad %d", dims, recipe_number(r, 0, 1) ? 4 : recipe_number(r, 1, 8));
	recipe_add(r, "%s\n", ahead);
}

/* The threads of a copy: one of its loops is cut, and what is inside it may be one wide access. */
static void recipe_copy(struct recipe *r, const char *copy, const char *out, const char *in)
{
	recipe_add(r, "split %%%s/%s %d; bind %%%s/%s block.x\n", copy, out, recipe_power(r, 1, 3), copy, out);
	if (recipe_chance(r, 50))
		recipe_add(r, "split %%%s/%s 4; bind %%%s/%s block.y; vectorize %%%s/%s'\n", copy, in, copy, in, copy, in);
	else
		recipe_add(r, "bind %%%s/%s block.y\n", copy, in);
}

static void graph_of_product(struct recipe *g)
{
	static const char *const types[] = { "f32", "f32", "f32", "f64", "i32" };
	const char *type = types[recipe_number(g, 0, 4)];
	recipe_add(g, "graph 1\nvar m %d\nvar k %d\nvar n %d\n%%a = %s[m, k] input \"a\"\n%%b = %s[k, n] input \"b\"\n"
		"%%p = %s[m, k, n] mul %%a, %%b\n%%c = %s[m, n] add.reduce %%p\nresult \"c\" = %%c\n", recipe_number(g, 17, 40),
		recipe_number(g, 9, 40), recipe_number(g, 17, 40), type, type, type, type);
}

/* Tiles of both factors in shared memory, sums in registers. */
static void steps_of_product(struct recipe *s)
{
	int rows = recipe_power(s, 1, 2), columns = recipe_power(s, 1, 2), slice = recipe_power(s, 2, 3);
	struct ahead ahead = recipe_ahead(s);
	recipe_add(s, "split m %d; tail m %s\nsplit n %d; tail n %s\nsplit m' %d\nsplit n' %d\nsplit k %d; tail k %s\n",
		rows * recipe_power(s, 1, 2), recipe_tail(s), columns * recipe_power(s, 1, 2), recipe_tail(s), rows, columns, slice,
		ahead.is ? "pad" : recipe_tail(s));
	recipe_add(s, "reorder m n k m' n' k' m'' n''\nmaterialize %%c at n\n");
	recipe_stage(s, "p", "a", "k", recipe_chance(s, 50) ? "m k" : "k m", ahead.text);
	recipe_stage(s, "p", "b", "k", "k n", ahead.text);
	if (recipe_chance(s, 30))
		recipe_add(s, "stage %%p %%a.copy at k'\n");
	recipe_add(s, "bind m grid.y\nbind n grid.x\nbind %%p/m' block.y; bind %%p/n' block.x\n");
	recipe_copy(s, "a.copy", "m'", "k'");
	recipe_copy(s, "b.copy", "n'", "k'");
	recipe_add(s, "split %%c.copy/m' %d; bind %%c.copy/m' block.y; split %%c.copy/n' %d; "
		"reorder %%c.copy/n' %%c.copy/m''; bind %%c.copy/n' block.x\nunroll %%p/m''\nunroll %%p/n''\n", rows, columns);
}

/* Halves, or whole numbers as f32. */
static const struct { const char *type, *name; int deep; } tiles[] = { { "bf16", "mma.m16n8k16.bf16", 16 },
	{ "f16", "mma.m16n8k16.f16", 16 }, { "bf16", "mma.m16n8k8.bf16", 8 }, { "f16", "mma.m16n8k8.f16", 8 },
	{ "i32", "mma.m16n8k8.tf32", 8 } };

static void graph_of_matrix(struct recipe *g, int tile)
{
	recipe_add(g, "graph 1\nvar m %d\nvar k %d\nvar n %d\n%%a = %s[m, k] input \"a\"\n%%b = %s[k, n] input \"b\"\n"
		"%%af = f32[m, k] cast %%a\n%%bf = f32[k, n] cast %%b\n%%p = f32[m, n, k] mul %%af, %%bf\n"
		"%%c = f32[m, n] add.reduce %%p\n%%d = f32[m, n] %s %%c\nresult \"d\" = %%d\n", recipe_number(g, 65, 90),
		recipe_number(g, 33, 48), recipe_number(g, 33, 48), tiles[tile].type, tiles[tile].type,
		recipe_chance(g, 50) ? "neg" : "abs");
}

/* Warps that multiply by a matrix instruction. */
static void steps_of_matrix(struct recipe *s, int tile)
{
	const int warp = 32, block = 64, columns = recipe_power(s, 4, 5), deep = tiles[tile].deep, slice = 2 * deep;
	bool words = tiles[tile].type[0] == 'i';
	const char *left = words ? "af" : "a", *right = words ? "bf" : "b";
	struct ahead ahead = recipe_ahead(s);
	recipe_add(s, "fission %%d m\nsplit %%p/m %d; split %%p/n %d; split %%p/k %d; "
		"reorder %%p/m %%p/n %%p/k %%p/m' %%p/k' %%p/n'; split %%p/m' %d; reorder %%p/m' %%p/m'' %%p/k' %%p/n'; "
		"split %%p/m'' 16; split %%p/k' %d; split %%p/n' 8; "
		"reorder %%p/m' %%p/k' %%p/m'' %%p/n' %%p/m''' %%p/n'' %%p/k''\n", block, columns, slice, warp, deep);
	recipe_add(s, "split %%d/m %d; split %%d/n %d; reorder %%d/m %%d/n %%d/m' %%d/n'; fuse %%d %%p/n; split %%d/m' %d; "
		"split %%d/m'' 16; split %%d/m''' 8; split %%d/n' 8; split %%d/n'' 2; "
		"reorder %%d/m' %%d/m'' %%d/m''' %%d/m'''' %%d/n' %%d/n'' %%d/n'''; "
		"reorder %%d/m' %%d/m'' %%d/n' %%d/m''' %%d/m'''' %%d/n'' %%d/n'''; "
		"tail %%p/m pad; tail %%p/n pad; tail %%p/k pad\n", block, columns, warp);
	if (!words)
		recipe_add(s, "fuse %%af %%p/k''; fuse %%bf %%p/k''\n");
	recipe_stage(s, words ? "p" : "af", left, "%p/k", "m k", ahead.text);
	recipe_stage(s, words ? "p" : "bf", right, "%p/k", "k n", ahead.text);
	recipe_add(s, "split %%%s.copy/m' 4; bind %%%s.copy/m' block.x; bind %%%s.copy/k' block.y\n"
		"bind %%%s.copy/k' block.x\n", left, left, left, right);
	recipe_add(s, "bind %%p/m' block.y; unroll %%p/m''; unroll %%p/n'; bind %%d/m' block.y; unroll %%d/m''; "
		"unroll %%d/n'; unroll %%d/m'''; unroll %%d/n'''; bind %%d/m'''' block.x; bind %%d/n'' block.x; bind %%p/m grid.y; "
		"bind %%p/n grid.x\ntile %%p/m''' %s\n", tiles[tile].name);
}

/* A sum of rows, or of all: blocks of a grid make parts of it, another kernel adds them. */
static void graph_of_parts(struct recipe *g, bool rows)
{
	static const char *const folds[] = { "add", "add", "max", "min" };
	const char *fold = folds[recipe_number(g, 0, 3)], *m = rows ? "m, " : "";
	recipe_add(g, "graph 1\nvar m %d\nvar k %d\n%%x = f32[%sk] input \"x\"\n%%y = f32[k] input \"y\"\n"
		"%%p = f32[%sk] mul %%x, %%y\n%%s = f32[%s] %s.reduce %%p\nresult \"s\" = %%s\n", recipe_number(g, 2, 20),
		recipe_number(g, 20, 200), m, m, rows ? "m" : "", fold);
}

static void steps_of_parts(struct recipe *s, bool rows)
{
	int part = recipe_power(s, 2, 4);
	recipe_add(s, "split k %d; tail k %s; rfactor %%s k; fission %%s %s\n", part, recipe_tail(s), rows ? "m" : "k");
	if (recipe_chance(s, 50))
		recipe_add(s, "split %%s.part/k' %d; %s %%s.part/k''\n", part / 2, recipe_chance(s, 50) ? "unroll" : "vectorize");
	if (rows && recipe_chance(s, 40))
		recipe_add(s, "split %%s.part/m 2; tail %%s.part/m %s; reorder %%s.part/m %%s.part/k %%s.part/m'; "
			"bind %%s.part/m' block.y\n", recipe_tail(s));
	recipe_add(s, "%sbind %%s.part/k grid.x\nbind %%s.part/k' block.x\n", rows ? "bind %s.part/m grid.y; " : "");
	if (rows)
		recipe_add(s, "bind %%s/m %s\n", recipe_chance(s, 50) ? "grid.x" : "block.y");
	recipe_add(s, "bind %%s/k block.x\n");
}

bool random_recipe(uint64_t *rng, struct random_recipe *out)
{
	struct recipe graph = { rng, out->graph, 0, sizeof out->graph };
	static const enum random_recipe_kind kinds[] = { RECIPE_PRODUCT, RECIPE_PRODUCT, RECIPE_MATRIX, RECIPE_ROWS,
		RECIPE_SUM };
	*out = (struct random_recipe){ .kind = kinds[random_between(rng, 0, 4)] };
	if (!random_chance(rng, 40))
		return false;
	if (out->kind == RECIPE_MATRIX)
		graph_of_matrix(&graph, out->tile = (int)random_between(rng, 0, sizeof tiles / sizeof *tiles - 1));
	else if (out->kind == RECIPE_PRODUCT)
		graph_of_product(&graph);
	else
		graph_of_parts(&graph, out->kind == RECIPE_ROWS);
	return true;
}

void random_recipe_steps(const struct random_recipe *r, uint64_t *rng, char *out, size_t bytes)
{
	struct recipe steps = { rng, out, 0, bytes };
	out[0] = '\0';
	if (r->kind == RECIPE_MATRIX)
		steps_of_matrix(&steps, r->tile);
	else if (r->kind == RECIPE_PRODUCT)
		steps_of_product(&steps);
	else
		steps_of_parts(&steps, r->kind == RECIPE_ROWS);
}
