/* What the exported function is given, as members of a struct.  Their names begin with what they are (in_x, out_y,
 * state_z): so no name of a model is a word of C, a macro of a header, or a member of another kind. */
#include <string.h>
#include "base/names.h"
#include "program/export/export.h"

static const struct { enum lt_binding kind; const char *prefix; } kinds[] = {
	{ LT_BINDING_INPUT, "in_" }, { LT_BINDING_RESULT, "out_" }, { LT_BINDING_STATE, "state_" },
};
enum { N_KIND = sizeof kinds / sizeof *kinds };

static const char *clean_name(const struct lt_export *x, const char *prefix, const char *name)
{
	char *clean = lt__arena_format(x->a, "%s%s", prefix, name);
	for (char *c = clean; *c; c++)
		if (!((*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z') || (*c >= '0' && *c <= '9')))
			*c = '_';
	return clean;
}

static const char *unique_name(const struct lt_export *x, struct lt_names *taken, const char *name)
{
	const char *now = name;
	for (int32_t n = 2; lt__names_find(taken, now, strlen(now)) >= 0; n++)
		now = lt__arena_format(x->a, "%s_%d", name, (int)n);
	return lt__names_add(taken, now, strlen(now), 0);
}

/* The input that a param is read from; -1: it is read from something else. */
static int32_t param_input(const struct lt_export *x, lt_param param)
{
	const struct lt_program *p = x->p;
	const lt_node source = p->tree->graph->param[param].source;
	const struct lt_storage *s = &p->nests.assigned.storage[p->nests.assigned.location[source].storage];
	return s->space == LT_STORAGE_INPUT ? s->binding : -1;
}

/* An int64 that run-time scalars are read from, and nothing more than one number. */
static bool is_scalar(const struct lt_export *x, int32_t input)
{
	const struct lt_binding_def *d = &x->p->bindings[LT_BINDING_INPUT].at[input];
	if (d->dtype != LT_I64 || d->bytes != sizeof(int64_t))
		return false;
	for (int32_t i = 0; i < x->p->tree->graph->n_param; i++)
		if (param_input(x, i) == input)
			return true;
	return false;
}

static void find_nodes(struct lt_export *x)
{
	const struct lt_graph *g = x->p->tree->graph;
	for (int32_t i = 0; i < x->p->bindings[LT_BINDING_INPUT].n; i++)
		x->member[LT_BINDING_INPUT][i].node = -1;
	for (lt_node n = 0; n < g->n_node; n++) {
		const struct lt_nodedef *d = &g->node[n];
		const int32_t i = d->op != LT_OP_input ? -1
			: lt__binding_find(&x->p->bindings[LT_BINDING_INPUT], d->label ? d->label : d->name);
		if (i >= 0)
			x->member[LT_BINDING_INPUT][i].node = n;
	}
	for (int32_t i = 0; i < g->n_result; i++)
		x->member[LT_BINDING_RESULT][i].node = g->result[i].node;
}

const struct lt_vardef *lt__export_var(const struct lt_export *x, const struct lt_export_member *m, int32_t axis)
{
	const struct lt_graph *g = x->p->tree->graph;
	return &g->var[g->node[m->node].dim[axis]];
}

int32_t lt__export_scalar(const struct lt_export *x, lt_param param)
{
	const int32_t input = param_input(x, param);
	return input >= 0 && x->member[LT_BINDING_INPUT][input].scalar ? input : -1;
}

bool lt__export_plain_extent(const struct lt_export *x, const struct lt_vardef *v, int32_t *scalar)
{
	const struct lt_linear *l = &v->limit;
	const bool plain = v->bounded && l->n == 1 && l->coef[0] == 1 && l->constant == 0;
	*scalar = plain ? lt__export_scalar(x, l->param[0]) : -1;
	return *scalar >= 0;
}

/* What is read, and what says how an input that is read lies in memory. */
static bool *members_asked(const struct lt_export *x)
{
	const struct lt_bindings *inputs = &x->p->bindings[LT_BINDING_INPUT];
	bool *asked = LT_NEW(x->a, bool, inputs->n + 1);
	for (int32_t i = 0; i < inputs->n; i++) {
		const struct lt_export_member *m = &x->member[LT_BINDING_INPUT][i];
		asked[i] = asked[i] || inputs->at[i].needed;
		for (int32_t k = 0; inputs->at[i].needed && m->node >= 0 && k < inputs->at[i].rank; k++) {
			const struct lt_vardef *v = lt__export_var(x, m, k);
			for (int32_t s = 0; v->bounded && s < v->limit.n; s++)
				if (param_input(x, v->limit.param[s]) >= 0)
					asked[param_input(x, v->limit.param[s])] = true;
		}
	}
	return asked;
}

void lt__export_unread(const struct lt_export *x, struct lt_text *t, const char *before,
	const char *(*quoted)(const struct lt_export *, const char *), const char *behind)
{
	for (int32_t i = 0; i < x->p->bindings[LT_BINDING_INPUT].n; i++) {
		const struct lt_export_member *m = &x->member[LT_BINDING_INPUT][i];
		if (!m->name)
			lt__text_format(t, "%s%s%s", before, quoted(x, m->def->name), behind);
	}
}

static void name_members(struct lt_export *x)
{
	struct lt_names *taken = lt__names_new(x->a);
	const bool *asked = members_asked(x);
	for (int k = 0; k < N_KIND; k++)
		for (int32_t i = 0; i < x->p->bindings[kinds[k].kind].n; i++) {
			struct lt_export_member *m = &x->member[kinds[k].kind][i];
			m->scalar = kinds[k].kind == LT_BINDING_INPUT && is_scalar(x, i);
			if (kinds[k].kind == LT_BINDING_INPUT ? asked[i] : m->def->needed)
				m->name = unique_name(x, taken, clean_name(x, kinds[k].prefix, m->def->name));
		}
	/* Names of tensors come first: they say what the others are of. */
	for (int k = 0; k < N_KIND; k++)
		for (int32_t i = 0; i < x->p->bindings[kinds[k].kind].n; i++) {
			struct lt_export_member *m = &x->member[kinds[k].kind][i];
			const bool result = kinds[k].kind == LT_BINDING_RESULT;
			if (m->name && !m->scalar)
				m->bytes = unique_name(x, taken, lt__arena_format(x->a, "%s_bytes", m->name));
			m->extent = LT_NEW(x->a, const char *, m->def->rank + 1);
			for (int32_t axis = 0; result && axis < m->def->rank; axis++)
				if (lt__export_var(x, m, axis)->bounded)
					m->extent[axis] = unique_name(x, taken, lt__arena_format(x->a, "%s_dim%d", m->name, (int)axis));
		}
}

/* Inputs whose extents differ from run to run, and which scalars these are. */
static void find_extents(struct lt_export *x)
{
	for (int32_t i = 0; i < x->p->bindings[LT_BINDING_INPUT].n; i++) {
		struct lt_export_member *m = &x->member[LT_BINDING_INPUT][i];
		int64_t rows = 1;
		for (int32_t k = 0; m->name && m->node >= 0 && k < m->def->rank; k++) {
			int32_t scalar;
			if (lt__export_plain_extent(x, lt__export_var(x, m, k), &scalar))
				x->member[LT_BINDING_INPUT][scalar].implied = true;
			m->bounded = m->bounded || lt__export_var(x, m, k)->bounded;
			m->spread = m->spread || (rows > 1 && lt__export_var(x, m, k)->bounded);
			rows *= m->def->extent[k];
		}
	}
}

lt_status lt__export_members(struct lt_export *x)
{
	for (int k = 0; k < N_KIND; k++) {
		const struct lt_bindings *b = &x->p->bindings[kinds[k].kind];
		x->member[kinds[k].kind] = LT_NEW(x->a, struct lt_export_member, b->n + 1);
		for (int32_t i = 0; i < b->n; i++)
			x->member[kinds[k].kind][i].def = &b->at[i];
	}
	find_nodes(x);
	name_members(x);
	find_extents(x);
	return LT_OK;
}
