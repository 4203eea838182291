/* bindings.c -- what a graph asks for and gives: inputs, constants, states and results with their shapes. */
#include <stdlib.h>
#include <string.h>
#include "ir/graph/graph.h"
#include "ir/node/node.h"
#include "tools/model/model.h"

static lt_status add_binding(const struct lt_graph *g, struct model_bindings *bindings, enum lt_binding kind,
	const char *name, lt_node node, bool needed)
{
	const struct lt_nodedef *n = &g->node[node];
	struct model_binding *grown, *p;

	if ((bindings->n & (bindings->n - 1)) == 0) {
		grown = realloc(bindings->at, (size_t)(bindings->n ? 2 * bindings->n : 1) * sizeof *grown);
		if (!grown)
			return lt_fail(g->ctx, LT_ENOMEM, "out of memory");
		bindings->at = grown;
	}
	p = &bindings->at[bindings->n++];
	*p = (struct model_binding){ .name = name ? name : "", .kind = kind, .dtype = n->dtype, .rank = n->n_dim, .node = node,
		.needed = needed, .content = n->content, .scale = n->scale, .zero = n->zero };
	p->shape = malloc((size_t)n->n_dim * sizeof *p->shape + 1);
	p->extent_from = malloc((size_t)n->n_dim * sizeof *p->extent_from + 1);
	p->sum = calloc((size_t)n->n_dim + 1, sizeof *p->sum);
	if (!p->shape || !p->extent_from || !p->sum)
		return lt_fail(g->ctx, LT_ENOMEM, "out of memory");
	for (int32_t i = 0; i < n->n_dim; i++) {
		p->shape[i] = g->var[n->dim[i]].extent;
		p->bounded |= g->var[n->dim[i]].bounded;
		p->extent_from[i] = -1;
	}
	return LT_OK;
}

/* The input, an int64 without dims, that a run-time scalar is; -1: it is something else. */
static int32_t scalar_input(const struct lt_graph *g, const struct model_bindings *inputs, lt_param param)
{
	for (int32_t k = 0; k < inputs->n; k++)
		if (inputs->at[k].node == g->param[param].source && inputs->at[k].rank == 0)
			return k;
	return -1;
}

/* The extent of a dim as a sum of inputs; false: out of memory. */
static bool find_sum(const struct lt_graph *g, const struct model_bindings *inputs, const struct lt_linear *limit,
	struct model_sum *out)
{
	bool fits = true;

	out->from = malloc((size_t)limit->n * sizeof *out->from + 1);
	out->coef = malloc((size_t)limit->n * sizeof *out->coef + 1);
	if (!out->from || !out->coef)
		return false;
	out->constant = limit->constant;
	for (int32_t k = 0; k < limit->n; k++) {
		out->from[k] = scalar_input(g, inputs, limit->param[k]);
		out->coef[k] = limit->coef[k];
		fits = fits && out->from[k] >= 0;
	}
	out->n = fits ? limit->n : 0;
	return true;
}

/* Which inputs say the extents of others; false: out of memory. */
static bool find_extents(const struct lt_graph *g, struct model_bindings *inputs)
{
	for (int32_t i = 0; i < inputs->n; i++)
		for (int32_t d = 0; d < inputs->at[i].rank; d++) {
			const struct lt_vardef *v = &g->var[g->node[inputs->at[i].node].dim[d]];
			bool plain = v->bounded && v->limit.n == 1 && v->limit.coef[0] == 1 && v->limit.constant == 0;

			if (plain)
				inputs->at[i].extent_from[d] = scalar_input(g, inputs, v->limit.param[0]);
			else if (v->bounded && !find_sum(g, inputs, &v->limit, &inputs->at[i].sum[d]))
				return false;
		}
	return true;
}

struct bindings_asking { const struct lt_graph *g; struct lt_arena *arena; bool *needed; };

static lt_status bindings_ask(void *arg)
{
	struct bindings_asking *a = arg;

	a->needed = lt__needed_nodes(a->g, a->arena);
	return LT_OK;
}

static int by_name(const void *a, const void *b)
{
	return strcmp((*(struct model_binding *const *)a)->name, (*(struct model_binding *const *)b)->name);
}

static lt_status sort_bindings(struct lt_context *ctx, struct model_bindings *p)
{
	p->sorted = malloc(((size_t)p->n + 1) * sizeof(struct model_binding *));
	if (!p->sorted)
		return lt_fail(ctx, LT_ENOMEM, "out of memory");
	for (int32_t i = 0; i < p->n; i++)
		p->sorted[i] = &p->at[i];
	qsort(p->sorted, (size_t)p->n, sizeof(struct model_binding *), by_name);
	return LT_OK;
}

lt_status model_bindings_find(const struct lt_graph *g, struct model_bindings out[LT_BINDING_RESULT + 1])
{
	struct bindings_asking a = { .g = g };
	lt_status s = lt__arena_new(g->ctx, &a.arena) || lt__protect(g->ctx, bindings_ask, &a)
		? lt_fail(g->ctx, LT_ENOMEM, "out of memory")
		: LT_OK;

	struct lt_source_range *range = lt__source_ranges(g, true);

	if (!s && !range)
		s = lt_fail(g->ctx, LT_ENOMEM, "out of memory");
	for (lt_node i = 0; i < g->n_node && !s; i++) {
		enum lt_opcode op = g->node[i].op;

		if (op == LT_OP_input || op == LT_OP_constant || op == LT_OP_state) {
			enum lt_binding kind = op == LT_OP_input ? LT_BINDING_INPUT
				: op == LT_OP_constant           ? LT_BINDING_CONSTANT
								 : LT_BINDING_STATE;

			s = add_binding(g, &out[kind], kind, g->node[i].label, i, a.needed[i]);
			if (!s)
				out[kind].at[out[kind].n - 1].range = range[i];
		}
	}
	for (int32_t i = 0; i < g->n_result && !s; i++)
		s = add_binding(g, &out[LT_BINDING_RESULT], LT_BINDING_RESULT, g->result[i].name, g->result[i].node, true);
	free(range);
	lt__arena_free(a.arena);
	if (!s && !find_extents(g, &out[LT_BINDING_INPUT]))
		s = lt_fail(g->ctx, LT_ENOMEM, "out of memory");
	for (int k = 0; k <= LT_BINDING_RESULT && !s; k++)
		s = sort_bindings(g->ctx, &out[k]);
	return s;
}

void model_bindings_free(struct model_bindings bindings[LT_BINDING_RESULT + 1])
{
	for (int k = 0; k <= LT_BINDING_RESULT; k++) {
		for (int32_t i = 0; i < bindings[k].n; i++) {
			struct model_binding *p = &bindings[k].at[i];

			for (int32_t d = 0; p->sum && d < p->rank; d++)
				free(p->sum[d].from), free(p->sum[d].coef);
			free(p->shape), free(p->extent_from), free(p->sum);
		}
		free(bindings[k].at);
		free(bindings[k].sorted);
		bindings[k] = (struct model_bindings){ 0 };
	}
}

int32_t model_binding_index(const struct model_bindings *bindings, const char *name, size_t bytes)
{
	int32_t low = 0, high = bindings->n;

	while (low < high) {
		int32_t mid = low + (high - low) / 2;
		const struct model_binding *p = bindings->sorted[mid];
		int order = strncmp(p->name, name, bytes);

		if (!order && p->name[bytes])
			order = 1;
		if (!order)
			return (int32_t)(p - bindings->at);
		if (order < 0)
			low = mid + 1;
		else
			high = mid;
	}
	return -1;
}

const char *model_binding_kind(enum lt_binding kind)
{
	static const char *const names[] = { "input", "constant", "state", "result" };

	return names[kind];
}

const char *model_binding_text(const struct model_binding *p, char *out, size_t bytes)
{
	size_t n = (size_t)snprintf(out, bytes, "%s [", lt__dtype_info(p->dtype)->script);

	for (int32_t i = 0; i < p->rank; i++) {
		if (n + 40 > bytes) {
			n += (size_t)snprintf(out + n, bytes - n, "...");
			break;
		}
		bool less = p->extent_from[i] >= 0 || p->sum[i].n;
		n += (size_t)snprintf(out + n, bytes - n, "%s%s%lld", i ? ", " : "", less ? "at most " : "", (long long)p->shape[i]);
	}
	snprintf(out + n, bytes - n, "]");
	return out;
}

size_t model_binding_bytes(const struct model_binding *p)
{
	size_t bytes = 0;

	lt__tensor_bytes(p->dtype, p->rank, p->shape, &bytes);
	return bytes;
}
