/* param.c -- vars, run-time scalars, and what is required of them. */
#include <string.h>
#include "ir/node/node.h"
#include "ir/node/parts.h"
#include "ir/map/map.h"
#include "ir/bounds/bounds.h"
#include "base/names.h"

bool lt__param_given(const struct lt_graph *g, lt_param given, lt_param *out)
{
	*out = given == LT_OMIT ? -1 : given;
	if (!lt__graph_given(g, given, "a run-time scalar"))
		return false;
	if (*out < -1 || *out >= g->n_param)
		lt__graph_fail(g, LT_EINVAL, "there is no run-time scalar number %d: the graph has %d", *out, g->n_param);
	return *out >= -1 && *out < g->n_param;
}

lt_status lt__linear_make(struct lt_graph *g, int64_t constant, int32_t n, const lt_param *param, const int64_t *coef,
	struct lt_linear *out)
{
	struct lt_linear made = { .constant = constant };

	memset(out, 0, sizeof *out);
	if (n < 0 || n > LT_MAX_RANK)
		return lt__graph_fail(g, LT_EINVAL, "a sum of %d run-time scalars: 0 to %d are possible", n, LT_MAX_RANK);
	made.param = LT_NEW(g->arena, lt_param, n);
	made.coef = LT_NEW(g->arena, int64_t, n);
	for (int32_t i = 0; i < n; i++) {
		int32_t at = 0;

		if (param[i] == LT_NONE && g->ctx->code)
			return g->ctx->code;
		if (param[i] < 0 || param[i] >= g->n_param)
			return lt__graph_fail(g, LT_EINVAL, "there is no run-time scalar number %d: the graph has %d",
				param[i], g->n_param);
		while (at < made.n && made.param[at] != param[i])
			at++;
		made.n += at == made.n;
		made.param[at] = param[i];
		if (__builtin_add_overflow(made.coef[at], coef[i], &made.coef[at]))
			return lt__graph_fail(g, LT_EOVERFLOW, "the factor of run-time scalar '%s' exceeds 63 bits",
				g->param[param[i]].name);
	}
	*out = made;
	out->n = 0;
	for (int32_t i = 0; i < made.n; i++)
		if (made.coef[i] != 0) {
			made.param[out->n] = made.param[i];
			made.coef[out->n++] = made.coef[i];
		}
	return LT_OK;
}

/* The first vars without a name are i, j ... n, the later ones d6, d7 ... */
lt_var lt__var_add(struct lt_graph *g, const char *name, int64_t extent, const struct lt_linear *limit)
{
	struct lt_vardef v = { .extent = extent, .bounded = limit != NULL };

	if (extent < 1) {
		lt__graph_fail(g, LT_EINVAL, "dim '%.100s' has extent %lld: at least 1 is needed", name ? name : "?",
			(long long)extent);
		return -1;
	}
	if (limit && !lt__linear_fits(g, limit)) {
		lt__graph_fail(g, LT_EOVERFLOW,
			"the extent of dim '%.100s' exceeds 62 bits: narrow the ranges of the run-time scalars in its "
			"limit",
			name ? name : "?");
		return -1;
	}
	if (limit)
		v.limit = *limit;
	if (name)
		name = lt__name_clean_var(g, name);
	else if (g->n_var < 6)
		name = lt__arena_format(g->arena, "%c", "ijklmn"[g->n_var]);
	else
		name = lt__arena_format(g->arena, "d%d", g->n_var);
	LT_GROW(g->arena, g->var, g->n_var, g->cap_var);
	v.name = lt__names_unique(g->var_names, name, g->n_var);
	g->var[g->n_var] = v;
	return g->n_var++;
}

lt_var lt__var_like(struct lt_graph *g, lt_var like, int64_t extent, const struct lt_linear *limit)
{
	char *name = lt__arena_string(g->arena, g->var[like].name);
	size_t n = strlen(name);

	while (n > 1 && name[n - 1] >= '0' && name[n - 1] <= '9')
		n--;
	if (n > 1 && name[n - 1] == '_' && name[n])
		n--;
	name[n] = '\0';
	return lt__var_add(g, name, extent, limit);
}

lt_var lt_graph_var(struct lt_graph *g, const char *name, int64_t extent)
{
	lt_var v = -1;

	LT_GUARDED(g->ctx, v, lt__var_add(g, name, extent, NULL));
	return v;
}

static lt_var add_bounded(struct lt_graph *g, const char *name, int64_t max, int64_t constant, int32_t n,
	const lt_param *param, const int64_t *coef)
{
	struct lt_linear limit;

	return lt__linear_make(g, constant, n, param, coef, &limit) ? -1 : lt__var_add(g, name, max, &limit);
}

lt_var lt_graph_var_bounded(struct lt_graph *g, const char *name, int64_t max, int64_t constant, int32_t n,
	const lt_param *param, const int64_t *coef)
{
	lt_var v = -1;

	LT_GUARDED(g->ctx, v, add_bounded(g, name, max, constant, n, param, coef));
	return v;
}

void lt__graph_require(struct lt_graph *g, bool equal, const struct lt_linear *value, const char *text)
{
	if (!equal && lt__linear_min(g, value) >= 0)
		return;
	lt__require_append(g, &(struct lt_require){ .equal = equal, .value = *value, .text = lt__arena_string(g->arena, text),
		.line = g->line, .column = g->column });
}

static lt_status add_require(struct lt_graph *g, bool equal, int64_t constant, int32_t n, const lt_param *param,
	const int64_t *coef, const char *text)
{
	struct lt_linear value;

	LT_TRY(lt__linear_make(g, constant, n, param, coef, &value));
	lt__graph_require(g, equal, &value, text ? text : "a requirement of the graph is not met");
	return LT_OK;
}

lt_status lt_graph_require(struct lt_graph *g, int equal, int64_t constant, int32_t n, const lt_param *param,
	const int64_t *coef, const char *text)
{
	lt_status status = LT_ENOMEM;

	LT_GUARDED(g->ctx, status, add_require(g, equal != 0, constant, n, param, coef, text));
	return status;
}

/* The element of a view's source that element `at` of the view shows; the source, or -1 with a sentence. */
static lt_node through_view(struct lt_graph *g, lt_node x, const int64_t *at, int64_t *out)
{
	const struct lt_nodedef *n = &g->node[x];

	for (int32_t i = 0; i < n->n_piece; i++) {
		const struct lt_graphpiece *p = &n->piece[i];

		if (p->map.n_param) {
			lt__graph_fail(g, LT_EUNSUPPORTED, "a run-time scalar cannot be read through view '%.200s', which depends "
				"on a run-time scalar itself: take it from an input, a constant or a state", n->name);
			return -1;
		}
		if (!lt__map_apply(&p->map, NULL, at, out))
			continue;
		if (p->source < 0)
			break;
		return n->operand[p->source];
	}
	lt__graph_fail(g, LT_EUNSUPPORTED, "a run-time scalar cannot be a fill value of view '%.200s'", n->name);
	return -1;
}

/* Splits a row-major element number into indices and joins them again. */
static void indices_of(const struct lt_graph *g, lt_node x, int64_t element, int64_t *at)
{
	for (int32_t i = g->node[x].n_dim; i-- > 0;) {
		int64_t extent = g->var[g->node[x].dim[i]].extent;

		at[i] = element % extent;
		element /= extent;
	}
}

static int64_t element_at(const struct lt_graph *g, lt_node x, const int64_t *at)
{
	int64_t element = 0;

	for (int32_t i = 0; i < g->node[x].n_dim; i++) {
		int64_t extent = g->var[g->node[x].dim[i]].extent;

		if (at[i] < 0 || at[i] >= extent)
			return -1;
		element = element * extent + at[i];
	}
	return element;
}

/* Walks down to where the element is stored; false with a sentence. */
static bool find_element(struct lt_graph *g, lt_node *x, int64_t *element)
{
	int64_t at[LT_MAX_RANK], out[LT_MAX_RANK];

	indices_of(g, *x, *element, at);
	while (g->node[*x].op == LT_OP_view) {
		lt_node view = *x;

		*x = through_view(g, view, at, out);
		if (*x < 0)
			return false;
		if (element_at(g, *x, out) < 0) {
			lt__graph_fail(g, LT_EINVAL, "view '%.200s' leaves its source '%.200s'", g->node[view].name,
				g->node[*x].name);
			return false;
		}
		memcpy(at, out, sizeof at);
	}
	if (!lt__op_is_memory(g->node[*x].op)) {
		lt__graph_fail(g, LT_EUNSUPPORTED, "a run-time scalar must be an element of an input, a constant or a state, "
			"but '%.200s' is computed (%s)", g->node[*x].name, lt__op_info(g->node[*x].op)->name);
		return false;
	}
	*element = element_at(g, *x, at);
	return true;
}

static lt_param add_param(struct lt_graph *g, lt_node source, int64_t element, int64_t low, int64_t high)
{
	struct lt_paramdef p;
	const char *key, *name;
	int32_t found;

	if (!lt__graph_has(g, source))
		return LT_NONE;
	if (g->node[source].dtype != LT_I64) {
		lt__graph_fail(g, LT_ETYPE, "a run-time scalar must be int64, but '%.200s' is %s", g->node[source].name,
			lt__dtype_info(g->node[source].dtype)->name);
		return LT_NONE;
	}
	if (element < 0 || element >= lt__node_elems(g, source)) {
		lt__graph_fail(g, LT_EINVAL, "element %lld of '%.200s' is outside its %lld elements", (long long)element,
			g->node[source].name, (long long)lt__node_elems(g, source));
		return LT_NONE;
	}
	if (low > high) {
		lt__graph_fail(g, LT_EINVAL, "the range %lld .. %lld of a run-time scalar is empty", (long long)low, (long long)high);
		return LT_NONE;
	}
	if (!find_element(g, &source, &element))
		return LT_NONE;
	key = lt__arena_format(
		g->arena, "param:%d:%lld:%lld:%lld", source, (long long)element, (long long)low, (long long)high);
	found = lt__names_find(g->labels, key, strlen(key));
	if (found >= 0)
		return found;
	name = lt__name_clean_var(g, g->node[source].label);
	if (lt__node_elems(g, source) > 1)
		name = lt__arena_format(g->arena, "%s_%lld", name, (long long)element);
	LT_GROW(g->arena, g->param, g->n_param, g->cap_param);
	p = (struct lt_paramdef){ .source = source, .element = element, .low = low, .high = high };
	p.name = lt__names_unique(g->var_names, name, -2 - g->n_param);
	g->param[g->n_param] = p;
	lt__names_add(g->labels, key, strlen(key), g->n_param);
	return g->n_param++;
}

lt_param lt_graph_param(struct lt_graph *g, lt_node source, int64_t element, int64_t low, int64_t high)
{
	lt_param p = LT_NONE;

	LT_GUARDED(g->ctx, p, add_param(g, source, element, low, high));
	return p;
}
