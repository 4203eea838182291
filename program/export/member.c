/* What the exported function is given, as members of a struct: names that are C identifiers, and no two alike. */
#include <string.h>
#include "base/names.h"
#include "program/export/export.h"

/* What means something else in C or C++, or is a member or a macro already. */
static const char *const reserved[] = {
	"workspace", "parallel_for", "user", "n_thread", "message", "value", "WORKSPACE", "THREADS", "ALIGN", "OK",
	"alignas", "alignof", "and", "asm", "auto", "bool", "break", "case", "catch", "char", "class", "const", "constexpr",
	"continue", "default", "delete", "do", "double", "else", "enum", "explicit", "export", "extern", "false", "float",
		"for",
	"friend", "goto", "if", "inline", "int", "long", "mutable", "namespace", "new", "not", "operator", "or", "private",
	"protected", "public", "register", "restrict", "return", "short", "signed", "sizeof", "static", "struct", "switch",
	"template", "this", "throw", "true", "try", "typedef", "typeid", "typename", "union", "unsigned", "using", "virtual",
	"void", "volatile", "while", "xor", "linux", "unix"
};

static const char *clean_name(const struct lt_export *x, const char *name)
{
	struct lt_text t = { .arena = x->a };
	if (!((*name >= 'a' && *name <= 'z') || (*name >= 'A' && *name <= 'Z')))        /* _x is the compiler's */
		lt__text_add(&t, "t", 1);
	for (const char *c = name; *c; c++) {
		const bool good = (*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z') || (*c >= '0' && *c <= '9');
		lt__text_add(&t, good ? c : "_", 1);
	}
	for (size_t i = 0; i < sizeof reserved / sizeof *reserved; i++)
		if (strcmp(reserved[i], t.at) == 0) {
			lt__text_add(&t, "_", 1);
			break;
		}
	return t.at;
}

static const char *unique_name(const struct lt_export *x, struct lt_names *taken, const char *name)
{
	const char *clean = clean_name(x, name), *now = clean;
	for (int32_t n = 2; lt__names_find(taken, now, strlen(now)) >= 0; n++)
		now = lt__arena_format(x->a, "%s_%d", clean, (int)n);
	return lt__names_add(taken, now, strlen(now), 0);
}

/* An int64 that run-time scalars are read from, and nothing more than one number. */
static bool is_scalar(const struct lt_export *x, int32_t input)
{
	const struct lt_program *p = x->p;
	const struct lt_graph *g = p->tree->graph;
	const struct lt_binding_def *d = &p->bindings[LT_BINDING_INPUT].at[input];
	if (d->dtype != LT_I64 || d->bytes != sizeof(int64_t))
		return false;
	for (int32_t i = 0; i < g->n_param; i++) {
		const struct lt_storage *s = &p->nests.assigned.storage[p->nests.assigned.location[g->param[i].source].storage];
		if (s->space == LT_STORAGE_INPUT && s->binding == input)
			return true;
	}
	return false;
}

static void name_extents(struct lt_export *x, struct lt_names *taken, int32_t result)
{
	const struct lt_graph *g = x->p->tree->graph;
	struct lt_export_member *m = &x->member[LT_BINDING_RESULT][result];
	const struct lt_nodedef *d = &g->node[g->result[result].node];
	m->extent = LT_NEW(x->a, const char *, m->def->rank + 1);
	for (int32_t i = 0; i < m->def->rank; i++)
		if (g->var[d->dim[i]].bounded)
			m->extent[i] = unique_name(x, taken, lt__arena_format(x->a, "%s_dim%d", m->name, (int)i));
}

/* The input that a param is read from, whole, where it is a scalar; else -1. */
static int32_t scalar_input(const struct lt_export *x, lt_param param)
{
	const struct lt_program *p = x->p;
	const lt_node source = p->tree->graph->param[param].source;
	const struct lt_storage *s = &p->nests.assigned.storage[p->nests.assigned.location[source].storage];
	return s->space == LT_STORAGE_INPUT && x->member[LT_BINDING_INPUT][s->binding].scalar ? s->binding : -1;
}

/* The extents of an input that are scalars of their own, such as the size of a batch. */
static void find_extents(struct lt_export *x, lt_node node, struct lt_export_member *m)
{
	const struct lt_graph *g = x->p->tree->graph;
	m->extent_from = LT_NEW(x->a, int32_t, m->def->rank + 1);
	for (int32_t i = 0; i < m->def->rank; i++) {
		const struct lt_vardef *v = &g->var[g->node[node].dim[i]];
		const struct lt_linear *l = v->bounded ? &v->limit : NULL;
		m->extent_from[i] = l && l->n == 1 && l->coef[0] == 1 && l->constant == 0 ? scalar_input(x, l->param[0]) : -1;
		if (m->extent_from[i] >= 0)
			x->member[LT_BINDING_INPUT][m->extent_from[i]].implied = true;
	}
}

lt_status lt__export_members(struct lt_export *x)
{
	static const enum lt_binding kinds[] = { LT_BINDING_INPUT, LT_BINDING_RESULT, LT_BINDING_STATE };
	struct lt_names *taken = lt__names_new(x->a);
	for (int k = 0; k < 3; k++) {
		const struct lt_bindings *b = &x->p->bindings[kinds[k]];
		struct lt_export_member *m = x->member[kinds[k]] = LT_NEW(x->a, struct lt_export_member, b->n + 1);
		for (int32_t i = 0; i < b->n; i++) {
			m[i].def = &b->at[i];
			if (!b->at[i].needed)
				continue;
			m[i].name = unique_name(x, taken, b->at[i].name);
			m[i].scalar = kinds[k] == LT_BINDING_INPUT && is_scalar(x, i);
		}
	}
	for (int32_t i = 0; i < x->p->bindings[LT_BINDING_RESULT].n; i++)
		name_extents(x, taken, i);
	const struct lt_graph *g = x->p->tree->graph;
	for (lt_node n = 0; n < g->n_node; n++) {
		const struct lt_nodedef *d = &g->node[n];
		const int32_t i = d->op != LT_OP_input ? -1
			: lt__binding_find(&x->p->bindings[LT_BINDING_INPUT], d->label ? d->label : d->name);
		if (i >= 0 && x->member[LT_BINDING_INPUT][i].name)
			find_extents(x, n, &x->member[LT_BINDING_INPUT][i]);
	}
	return LT_OK;
}
