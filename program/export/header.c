/* The header of an exported program: shapes and sizes as macros, and the one function. */
#include <string.h>
#include "program/export/export.h"

static void header_shape(const struct lt_export *x, struct lt_text *t, const struct lt_export_member *m)
{
	const struct lt_binding_def *d = m->def;
	const int64_t unit = lt__dtype_info(d->dtype)->bytes;
	for (int32_t i = 0; i < d->rank; i++)
		lt__text_format(t, "#define %s_%s_DIM%d %lld\n", x->upper, m->name, (int)i, (long long)d->extent[i]);
	lt__text_format(t, "#define %s_%s_RANK %d\n#define %s_%s_ELEMENTS %lld\n#define %s_%s_BYTES %lld\n", x->upper, m->name,
		(int)d->rank, x->upper, m->name, (long long)((int64_t)d->bytes / unit), x->upper, m->name, (long long)d->bytes);
}

static const struct header_kind { enum lt_binding kind; const char *word, *is_const; } kinds[] = {
	{ LT_BINDING_INPUT, "input", "const " },
	{ LT_BINDING_RESULT, "result", "" },
	{ LT_BINDING_STATE, "state", "" },
};

/* What stands behind a member: "input 'x', float32 [batch: at most 8, 3]" and what else there is to know. */
static void header_comment(const struct lt_export *x, struct lt_text *t, const struct lt_export_member *m, const char
	*what, const char *more)
{
	lt__text_format(t, "\t/* %s%s */\n", lt__export_comment(x, lt__arena_format(x->a, "%s '%s', %s", what, m->def->name,
		lt__export_type(x, m))), more);
}

/* "batch * length * 12": bytes of an input in a run. */
static const char *header_bytes(const struct lt_export *x, const struct lt_export_member *m)
{
	struct lt_text t = { .arena = x->a };
	int64_t fixed = lt__dtype_info(m->def->dtype)->bytes;
	for (int32_t k = 0; k < m->def->rank; k++) {
		const struct lt_vardef *v = lt__export_var(x, m, k);
		if (v->bounded)
			lt__text_format(&t, v->limit.n == 1 && !v->limit.constant ? "%s * " : "(%s) * ", lt__export_words(x, &v->limit));
		else
			fixed *= v->extent;
	}
	lt__text_format(&t, "%lld", (long long)fixed);
	return lt__export_comment(x, t.at);
}

/* The numbers that a scalar may be. */
static const char *header_range(const struct lt_export *x, int32_t input)
{
	const struct lt_graph *g = x->p->tree->graph;
	int64_t low = INT64_MIN, high = INT64_MAX;
	for (int32_t i = 0; i < g->n_param; i++)
		if (lt__export_scalar(x, i) == input) {
			low = g->param[i].low > low ? g->param[i].low : low;
			high = g->param[i].high < high ? g->param[i].high : high;
		}
	return low == INT64_MIN && high == INT64_MAX ? "" : lt__arena_format(x->a, ": %lld..%lld", (long long)low,
		(long long)high);
}

static void header_member(const struct lt_export *x, struct lt_text *t, const struct header_kind *k, int32_t i)
{
	const struct lt_export_member *m = &x->member[k->kind][i];
	const char *type = lt__dtype_info(m->def->dtype)->ctype, *more = "";
	if (m->scalar) {
		lt__text_format(t, "\tint64_t %s;", m->name);
		header_comment(x, t, m, k->word, header_range(x, i));
		return;
	}
	for (int32_t axis = 0; axis < m->def->rank; axis++)
		if (m->extent[axis])
			more = "; laid out at the largest extents: only the part within this run's is set";
	if (m->bounded)
		more = "; dense at this run's extents";
	if (k->kind == LT_BINDING_STATE)
		more = x->o.static_workspace ? "; zeros before the first run; NULL: kept in static memory" :
			"; zeros before the first run";
	lt__text_format(t, "\t%s%s *%s;", k->is_const, type, m->name);
	header_comment(x, t, m, k->word, more);
	lt__text_format(t, "\tsize_t %s;\t/* 0, or how many bytes %s has, which has to be %s%s */\n", m->bytes, m->name,
		m->bounded ? header_bytes(x, m) : lt__arena_format(x->a, "%s_%s_BYTES", x->upper, m->name),
		k->kind == LT_BINDING_INPUT ? "" : " or more");
	for (int32_t axis = 0; axis < m->def->rank; axis++)
		if (m->extent[axis])
			lt__text_format(t, "\tint64_t %s;\t/* set: its extent along axis %d in this run, %s */\n", m->extent[axis],
				(int)axis, lt__export_comment(x, lt__export_words(x, &lt__export_var(x, m, axis)->limit)));
}

static void header_struct(const struct lt_export *x, struct lt_text *t)
{
	const char *name = x->o.name;
	lt__text_format(t,
		"/* What a call is given.  Begin with all zero: struct %s_args a = { 0 }.  Tensors are row-major; none of them\n"
		" * shares a byte with another one.%s\n"
		" * The macros above are of the largest extents. */\nstruct %s_args {\n", name,
		x->o.strict ? "" : lt__arena_format(x->a, "  States begin at a multiple of %d bytes, inputs and results at one of\n"
			" * their elements' size.", (int)LT_EXPORT_ALIGN), name);
	for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
		for (int32_t i = 0; i < x->p->bindings[kinds[k].kind].n; i++)
			if (x->member[kinds[k].kind][i].name)
				header_member(x, t, &kinds[k], i);
	lt__text_format(t, "\tvoid *workspace;\t/* %s_WORKSPACE_BYTES, whatever is in them%s */\n", x->upper,
		x->o.static_workspace ? "; NULL: static memory, for one call at a time" : "");
	lt__text_format(t,
		"\t/* Who runs loops on threads: calls body(arg, first, last, thread) for ranges that together are 0 .. n-1, and\n"
		"\t * returns when all have ended; thread < n_thread, and no two that run at one time have the same.  NULL: the\n"
		"\t * caller's thread alone. */\n"
		"\tvoid (*parallel_for)(void *user, uint32_t n_thread, int64_t n,\n"
		"\t\tvoid (*body)(void *arg, int64_t first, int64_t last, uint32_t thread), void *arg);\n"
		"\tvoid *user;\n"
		"\tuint32_t n_thread;\t/* at most %s_THREADS, which 0 means */\n"
		"\tconst char *message;\t/* set when a call fails: a sentence, and the number that was wrong */\n"
		"\tint64_t value;\n};\n", x->upper);
}

void lt__export_declare(const struct lt_export *x, struct lt_text *t)
{
	const struct lt_export_workspace w = lt__export_workspace(x);
	lt__text_format(t, "/* %s */\n#ifndef %s_H\n#define %s_H\n#include <stddef.h>\n#include <stdint.h>\n\n"
		"#ifdef __cplusplus\nextern \"C\" {\n#endif\n\n", x->o.about, x->upper, x->upper);
	for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
		for (int32_t i = 0; i < x->p->bindings[kinds[k].kind].n; i++)
			if (x->member[kinds[k].kind][i].name)
				header_shape(x, t, &x->member[kinds[k].kind][i]);
	lt__export_unread(x, t, "/* input '", lt__export_comment, "': nothing reads it, so no call is given it */\n");
	lt__text_format(t, "#define %s_WORKSPACE_BYTES %lld\n", x->upper, (long long)(w.all ? w.all + LT_EXPORT_ALIGN : 0));
	lt__text_format(t, "#define %s_CONSTANT_BYTES %lld\n", x->upper, (long long)lt__export_constant_bytes(x));
	lt__text_format(t, "#define %s_THREADS %u\n\n", x->upper, (unsigned)x->p->options.n_thread);
	header_struct(x, t);
	lt__text_format(t, "\n/* Why a call failed: a pointer is NULL; a state or the workspace begins at an odd address; a "
		"run-time\n"
		" * scalar is out of range; an index into a tensor is (results and states are undefined then); a tensor does not\n"
		" * have as many bytes as is said. */\n"
		"enum { %s_OK, %s_MISSING, %s_UNALIGNED, %s_RANGE, %s_INDEX, %s_SIZE };\n\n"
		"/* 0, or one of these.  What is refused with another one than %s_INDEX has changed nothing. */\n"
		"int %s(struct %s_args *);\n\n#ifdef __cplusplus\n}\n#endif\n#endif\n", x->upper, x->upper, x->upper, x->upper,
		x->upper, x->upper, x->upper, x->o.name, x->o.name);
}
