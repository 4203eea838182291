/* random_gpu.c -- idioms of trees for a GPU, drawn where the loops of a tree allow them; what a tree uses. */
#include <stdio.h>
#include <string.h>
#include "looptree/derive/derive.h"
#include "looptree/tree/tree.h"
#include "check/random/random.h"
#include "tests/random_gpu.h"

struct idiom { const struct lt_looptree *t; uint64_t *rng; char *out; size_t n, bytes; };

__attribute__((format(printf, 2, 3))) static void idiom_add(struct idiom *d, const char *fmt, ...)
{
	va_list list;
	va_start(list, fmt);
	int n = vsnprintf(d->out + d->n, d->bytes - d->n, fmt, list);
	va_end(list);
	d->n = n < 0 || (size_t)n >= d->bytes - d->n ? d->bytes - 1 : d->n + (size_t)n;
}

static int idiom_below(struct idiom *d, int n) { return (int)random_between(d->rng, 0, n - 1); }
static bool idiom_chance(struct idiom *d, int percent) { return random_chance(d->rng, percent); }

static const char *idiom_tail(struct idiom *d)
{
	static const char *const tails[] = { "mask", "mask", "pad", "peel", "guard" };
	return tails[idiom_below(d, 5)];
}

/* Of a part of the loop: mostly less than the whole. */
static int64_t idiom_size(struct idiom *d, lt_tnode loop)
{
	static const int sizes[] = { 2, 3, 4, 4, 8, 8, 16, 32 };
	int i = idiom_below(d, 8);
	while (i > 0 && sizes[i] >= lt_looptree_trip_count(d->t, loop))
		i--;
	return d->t->node[loop].step * sizes[i];
}

static lt_node idiom_leaf(struct idiom *d)
{
	lt_tnode at = (lt_tnode)idiom_below(d, d->t->n_node);
	while (d->t->node[at].kind != LT_TLEAF)
		at = d->t->node[at].child;
	return d->t->node[at].leaf;
}

static const char *idiom_name(const struct idiom *d, lt_node n) { return d->t->graph->node[n].name; }

/* The loop becomes one of a block, or the smaller one of its two parts does. */
static void idiom_block(struct idiom *d, lt_tnode loop, const char *axis)
{
	const char *path = lt__loop_path(d->t, loop);
	if (idiom_chance(d, 25)) {              /* a vector, or straight code, for each thread; maybe a part of one */
		int64_t step = d->t->node[loop].step, part = step * (4 + idiom_below(d, 13)), lanes = step * (2 + idiom_below(d, 3));
		idiom_add(d, "split %.200s %lld; tail %.200s %s; split %.200s' %lld; tail %.200s' %s; ", path, (long long)part, path,
			idiom_tail(d), path, (long long)lanes, path, idiom_tail(d));
		idiom_add(d, "bind %.200s' block.%s; %s %.200s''", path, axis, idiom_chance(d, 70) ? "vectorize" : "unroll", path);
	} else if (idiom_chance(d, lt_looptree_trip_count(d->t, loop) <= 32 ? 60 : 20))
		idiom_add(d, "bind %.200s block.%s", path, axis);
	else
		idiom_add(d, "split %.200s %lld; tail %.200s %s; bind %.200s' block.%s", path, (long long)idiom_size(d, loop), path,
			idiom_tail(d), path, axis);
}

/* Partial sums of some loop's iterations, perhaps apart from their sum, so that a grid of their own makes them. */
static bool draw_parts(struct idiom *d)
{
	lt_node n = idiom_leaf(d);
	for (int i = 0; i < 8 && !d->t->graph->node[n].reduce; i++)
		n = idiom_leaf(d);
	lt_tnode loop = d->t->graph->node[n].reduce ? lt__reducing_loop(d->t, n) : -1;
	if (loop < 0)
		return false;
	char path[200], top[200];
	lt_tnode up = loop;
	while (d->t->node[up].parent >= 0)
		up = d->t->node[up].parent;
	(void)snprintf(path, sizeof path, "%s", lt__loop_path(d->t, loop));
	(void)snprintf(top, sizeof top, "%s", lt__loop_name(d->t, up));
	idiom_add(d, "split %s %lld; ", path, (long long)idiom_size(d, loop));
	if (idiom_chance(d, 60))
		idiom_add(d, "tail %s %s; ", path, idiom_tail(d));
	idiom_add(d, "rfactor %%%s %s%s", idiom_name(d, n), lt__loop_name(d->t, loop), idiom_chance(d, 25) ? "'" : "");
	if (d->t->node[up].kind != LT_TLOOP || idiom_chance(d, 25))
		return true;
	const char *name = idiom_name(d, n), *own = lt__loop_name(d->t, loop);
	idiom_add(d, "; fission %%%s %s", name, top);
	if (idiom_chance(d, 50) && up == loop)
		idiom_add(d, "; bind %%%s.part/%s grid.x", name, own);
	else if (idiom_chance(d, 50) && d->t->node[loop].parent == up)
		idiom_add(d, "; bind %%%s.part/%s grid.y; bind %%%s.part/%s grid.x", name, top, name, own);
	return true;
}

static void idiom_layout(struct idiom *d, lt_node value)
{
	const struct lt_nodedef *v = &d->t->graph->node[value];
	if (v->n_dim < 1 || !idiom_chance(d, 50))
		return;
	idiom_add(d, " layout");
	for (int32_t i = 0, back = idiom_chance(d, 50); i < v->n_dim; i++)
		idiom_add(d, " %s", d->t->graph->var[v->dim[back ? v->n_dim - 1 - i : i]].name);
	if (idiom_chance(d, 60))
		idiom_add(d, " pad %d", 1 + idiom_below(d, 5));
}

static bool draw_stages(struct idiom *d)
{
	lt_node n = idiom_leaf(d);
	const struct lt_nodedef *v = &d->t->graph->node[n];
	lt_tnode loop = d->t->node[d->t->leaf_of[n]].parent;
	if (v->n_operand < 1)
		return false;
	for (int i = idiom_below(d, 4); i > 0 && loop >= 0 && d->t->node[loop].parent >= 0; i--)
		loop = d->t->node[loop].parent;
	if (loop < 0 || d->t->node[loop].kind != LT_TLOOP)
		return false;
	lt_node value = v->operand[idiom_below(d, v->n_operand)];
	char path[200];
	bool cut = idiom_chance(d, 50);
	(void)snprintf(path, sizeof path, "%s", lt__loop_path(d->t, loop));
	if (cut)
		idiom_add(d, "split %s %lld; tail %s %s; ", path, (long long)idiom_size(d, loop), path,
			idiom_chance(d, 70) ? "pad" : idiom_tail(d));
	idiom_add(d, "stage %%%s %%%s at %s", idiom_name(d, n), idiom_name(d, value), path);
	idiom_layout(d, value);
	if (idiom_chance(d, 50))
		idiom_add(d, " depth %d%s", 2 + idiom_below(d, 3), idiom_chance(d, 70) ? " async" : "");
	return true;
}

static bool draw_grids(struct idiom *d)
{
	lt_tnode loop = random_loop(d->t, d->rng);
	if (loop < 0)
		return false;
	while (d->t->node[loop].parent >= 0 && d->t->node[d->t->node[loop].parent].loop != LT_GRID)
		loop = d->t->node[loop].parent;
	if (d->t->node[loop].kind != LT_TLOOP || d->t->node[loop].loop == LT_GRID)
		return false;
	const char *path = lt__loop_path(d->t, loop);
	if (idiom_chance(d, 50))
		idiom_add(d, "split %.200s %lld; tail %.200s %s; ", path, (long long)idiom_size(d, loop), path, idiom_tail(d));
	idiom_add(d, "bind %.200s grid.%c", path, (int)('x' + idiom_below(d, 3)));
	return true;
}

static bool draw_threads(struct idiom *d)
{
	lt_tnode at = d->t->leaf_of[idiom_leaf(d)], chain[32];
	int n = 0;
	for (; at >= 0 && d->t->node[at].loop != LT_BLOCK && d->t->node[at].loop != LT_GRID; at = d->t->node[at].parent)
		if (d->t->node[at].kind == LT_TLOOP && n < 32)
			chain[n++] = at;
	if (n == 0 || (at >= 0 && d->t->node[at].loop == LT_BLOCK && idiom_chance(d, 80)))
		return false;
	idiom_block(d, chain[idiom_below(d, idiom_chance(d, 60) && n > 2 ? 2 : n)], idiom_chance(d, 70) ? "x" : "y");
	return true;
}

static bool draw_any(struct idiom *d)
{
	lt_tnode loop = random_loop(d->t, d->rng);
	if (loop < 0)
		return false;
	const char axis[2] = { (char)('x' + idiom_below(d, 3)), '\0' };
	idiom_block(d, loop, idiom_chance(d, 60) ? "x" : axis);
	return true;
}

bool random_gpu_step(const struct lt_looptree *t, enum random_gpu_phase phase, uint64_t *rng, char *step, size_t bytes)
{
	static bool (*const draws[GPU_N_PHASE])(struct idiom *) = { draw_parts, draw_stages, draw_grids, draw_threads,
		draw_any };
	struct idiom d = { t, rng, step, 0, bytes };
	step[0] = '\0';
	return t->root >= 0 && draws[phase](&d) && d.n + 1 < bytes;
}

void random_machine(uint64_t *rng, bool matrix, char *config, size_t bytes)
{
	static const int subgroups[] = { 32, 32, 32, 1, 4, 8 };
	static const char *const orders[] = { "random", "random", "forward", "backward" };
	(void)snprintf(config, bytes, "sim:grid/subgroup=%d/order=%s/seed=%d",
		matrix ? 32 : subgroups[random_between(rng, 0, 5)], orders[random_between(rng, 0, 3)],
		(int)random_between(rng, 1, 1000));
}

/* -- what a tree uses -- */

bool gpu_is_bound(const struct lt_looptree *t)
{
	for (lt_tnode at = 0; at < t->n_node; at++)
		if (t->node[at].kind == LT_TLOOP && (t->node[at].loop == LT_GRID || t->node[at].loop == LT_BLOCK))
			return true;
	return false;
}

static const char *const use_names[GPU_N_USE] = {
#define GPU_NAME(name, text) text,
	GPU_USES(GPU_NAME)
#undef GPU_NAME
};

const char *gpu_use_name(enum gpu_use use) { return use_names[use]; }

static uint32_t bit_of(enum gpu_use use, bool has) { return has ? UINT32_C(1) << use : 0; }

/* Whether blocks of a grid make partial sums of one sum. */
static bool has_partials(const struct lt_looptree *t)
{
	for (int32_t i = 0; t->derived && i < t->derived->n_step; i++) {
		const struct lt_derived_step *s = &t->derived->step[i];
		lt_node n = s->kind == LT_DERIVED_PARTIAL ? lt__tree_node_named(t, s->made) : -1;
		for (lt_tnode up = n < 0 ? -1 : t->leaf_of[n]; up >= 0; up = t->node[up].parent)
			if (t->node[up].kind == LT_TLOOP && t->node[up].loop == LT_GRID
				&& !strcmp(t->graph->var[t->node[up].var].name, s->var))
				return true;
	}
	return false;
}

static uint32_t tree_uses(const struct lt_looptree *t)
{
	uint32_t uses = bit_of(GPU_partials, has_partials(t));
	for (lt_tnode at = 0; at < t->n_node; at++) {
		const struct lt_tnodedef *x = &t->node[at];
		bool loop = x->kind == LT_TLOOP;
		uses |= bit_of(GPU_grids, loop && x->loop == LT_GRID);
		uses |= bit_of(GPU_tails, loop && (x->loop == LT_GRID || x->loop == LT_BLOCK) && x->tail != LT_GUARD);
		uses |= bit_of(GPU_ahead, x->kind == LT_TLEAF && x->depth > 1);
	}
	for (lt_node n = 0; n < t->graph->n_node; n++)
		for (int32_t i = 0; t->layout[n] && i < t->layout[n]->n; i++)
			uses |= bit_of(GPU_layouts, true) | bit_of(GPU_pads, t->layout[n]->digit[i].pad > 0);
	return uses;
}

uint32_t gpu_uses(const struct lt_looptree *t, const char *kernels)
{
	uint32_t uses = tree_uses(t);
	int grids = 0;
	for (const char *at = kernels; (at = strstr(at, "\nregion grid")) != NULL; at++) {
		const char *shared = strstr(at, " shared ");
		grids++;
		uses |= bit_of(GPU_shared, shared && shared[8] != '0');
	}
	uses |= bit_of(GPU_several, grids > 1) | bit_of(GPU_barriers, strstr(kernels, "\tbarrier ") != NULL);
	uses |= bit_of(GPU_exchanges, strstr(kernels, " = exchange ") != NULL);
	uses |= bit_of(GPU_async, strstr(kernels, "\tcopy_async ") != NULL);
	uses |= bit_of(GPU_tiles, strstr(kernels, "\tmatrix ") != NULL);
	return uses | bit_of(GPU_vectors, strstr(kernels, " = load f32x4 ") != NULL);
}
