/* work.c -- the graph that canonical form works on: load, change, order, emit. */
#include <string.h>
#include "base/names.h"
#include "ir/node/node.h"
#include "ir/pass/work.h"

static void work_grow(struct lt_rewrite *w)
{
	LT_GROW(w->arena, w->node, w->n, w->cap);
	LT_GROW(w->arena, w->readers, w->n, w->cap_readers);
	LT_GROW(w->arena, w->same, w->n, w->cap_same);
	LT_GROW(w->arena, w->light, w->n, w->cap_light);
	LT_GROW(w->arena, w->slot, w->n, w->cap_slot);
}

static lt_node append(struct lt_rewrite *w, const struct lt_nodedef *n)
{
	work_grow(w);
	w->node[w->n] = *n;
	w->readers[w->n] = 0;
	w->same[w->n] = -1;
	w->light[w->n] = true;
	w->slot[w->n] = 0;
	return w->n++;
}

struct lt_rewrite *lt__work_load(struct lt_frame *f)
{
	struct lt_rewrite *w = LT_NEW(f->scratch, struct lt_rewrite, 1);
	const struct lt_graph *in = f->in;
	const bool *live = lt__frame_live(f);

	w->f = f;
	w->in = in;
	w->arena = f->scratch;
	w->memo = lt__names_new(w->arena);
	for (lt_node x = 0; x < in->n_node; x++)
		append(w, &in->node[x]);
	for (lt_node x = 0; x < in->n_node; x++)
		for (int32_t i = 0; live[x] && i < in->node[x].n_operand; i++)
			w->readers[in->node[x].operand[i]]++;
	for (int32_t i = 0; i < in->n_result; i++)
		w->readers[in->result[i].node]++;
	for (int32_t i = 0; i < in->n_set; i++) {
		w->readers[in->set[i].state]++;
		w->readers[in->set[i].value]++;
	}
	for (lt_param p = 0; p < in->n_param; p++)
		w->readers[in->param[p].source]++;
	return w;
}

int32_t lt__work_root(int32_t *up, int32_t x)
{
	while (up[x] >= 0) {
		int32_t next = up[x];

		if (up[next] >= 0)
			up[x] = up[next];
		x = next;
	}
	return x;
}

lt_node lt__work_find(const struct lt_rewrite *w, lt_node x) { return lt__work_root(w->same, x); }

/* Nodes that lose their last reader let go of their operands; a list instead of recursion. */
static void work_release(struct lt_rewrite *w, int32_t n, const lt_node *operand)
{
	lt_node *list = NULL;
	int32_t n_list = 0, cap = 0;

	for (int32_t at = -1; at < n_list; at++) {
		const lt_node *from = at < 0 ? operand : w->node[list[at]].operand;
		int32_t n_from = at < 0 ? n : w->node[list[at]].n_operand;

		for (int32_t i = 0; i < n_from; i++) {
			lt_node x = lt__work_find(w, from[i]);

			if (--w->readers[x] > 0)
				continue;
			LT_GROW(w->arena, list, n_list, cap);
			list[n_list++] = x;
		}
	}
}

static void gain(struct lt_rewrite *w, int32_t n, const lt_node *operand)
{
	for (int32_t i = 0; i < n; i++)
		w->readers[lt__work_find(w, operand[i])]++;
}

lt_node lt__work_add(struct lt_rewrite *w, const struct lt_nodedef *n)
{
	gain(w, n->n_operand, n->operand);
	return append(w, n);
}

void lt__work_set_operands(struct lt_rewrite *w, lt_node x, int32_t n, lt_node *operand)
{
	int32_t n_old = w->node[x].n_operand;
	const lt_node *old = w->node[x].operand;

	gain(w, n, operand);
	w->node[x].operand = operand;
	w->node[x].n_operand = n;
	work_release(w, n_old, old);
}

void lt__work_alias(struct lt_rewrite *w, lt_node x, lt_node same)
{
	same = lt__work_find(w, same);
	w->readers[same] += w->readers[x];
	w->readers[x] = 0;
	w->same[x] = same;
	work_release(w, w->node[x].n_operand, w->node[x].operand);
	w->node[x].n_operand = 0;
	w->changed = true;
}

/* Depth first from each live node of the old graph in its order: what is new is before what reads it. */
lt_node *lt__work_order(struct lt_rewrite *w, int32_t *n)
{
	lt_node *order = LT_NEW(w->arena, lt_node, w->n), *stack = LT_NEW(w->arena, lt_node, w->n);
	int32_t *next = LT_NEW(w->arena, int32_t, w->n), depth = 0;     /* next operand to look at, plus 1; 0: not met */

	*n = 0;
	for (lt_node root = 0; root < w->n; root++) {
		if (!w->readers[root] || next[root])
			continue;
		next[root] = 1;
		stack[depth++] = root;
		while (depth) {
			lt_node x = stack[depth - 1], operand;

			if (next[x] > w->node[x].n_operand) {
				order[(*n)++] = x;
				depth--;
				continue;
			}
			operand = lt__work_find(w, w->node[x].operand[next[x]++ - 1]);
			if (next[operand])
				continue;
			next[operand] = 1;
			stack[depth++] = operand;
		}
	}
	return order;
}

lt_status lt__work_emit(struct lt_rewrite *w)
{
	lt_node *to = LT_NEW(w->arena, lt_node, w->n);
	int32_t n;
	const lt_node *order = lt__work_order(w, &n);

	for (int32_t i = 0; i < n; i++) {
		struct lt_nodedef def = w->node[order[i]];

		def.operand = LT_NEW(w->arena, lt_node, def.n_operand);
		for (int32_t j = 0; j < def.n_operand; j++)
			def.operand[j] = to[lt__work_find(w, w->node[order[i]].operand[j])];
		to[order[i]] = lt__graph_add(w->f->out, &def);
		if (to[order[i]] < 0)
			return w->in->ctx->code;
	}
	for (lt_node x = 0; x < w->in->n_node; x++)
		w->f->to[x] = w->readers[lt__work_find(w, x)] ? to[lt__work_find(w, x)] : -1;
	return LT_OK;
}

int64_t lt__work_elems(const struct lt_rewrite *w, const struct lt_nodedef *n)
{
	int64_t elems = 1;

	for (int32_t i = 0; i < n->n_dim; i++)
		if (__builtin_mul_overflow(elems, w->in->var[n->dim[i]].extent, &elems))
			return INT64_MAX;
	return elems;
}

lt_node lt__work_literal(struct lt_rewrite *w, enum lt_dtype t, uint64_t bits)
{
	return append(w, &(struct lt_nodedef){ .op = LT_OP_lit, .dtype = t, .bits = bits });
}
