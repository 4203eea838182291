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

/* "input 'x', float32 [64, 10]" */
static const char *described(const struct lt_export *x, const char *what, const struct lt_binding_def *d)
{
	struct lt_text t = { .arena = x->a };
	lt__text_format(&t, "%s '%s', %s [", what, lt__export_comment(x, d->name), lt__dtype_info(d->dtype)->script);
	for (int32_t i = 0; i < d->rank; i++)
		lt__text_format(&t, "%s%lld", i ? ", " : "", (long long)d->extent[i]);
	lt__text_add(&t, "]", 1);
	return lt__export_comment(x, t.at);
}

static const struct header_kind { enum lt_binding kind; const char *word, *is_const; } kinds[] = {
	{ LT_BINDING_INPUT, "input", "const " },
	{ LT_BINDING_RESULT, "result", "" },
	{ LT_BINDING_STATE, "state", "" },
};

static void header_member(
	const struct lt_export *x, struct lt_text *t, const struct header_kind *k, const struct lt_export_member *m)
{
	const char *type = lt__dtype_info(m->def->dtype)->ctype, *state = k->kind != LT_BINDING_STATE ? ""
		: x->o.static_workspace ? "; zeros before the first run; NULL: kept in static memory" :
			"; zeros before the first run";
	if (m->scalar)
		lt__text_format(t, "\tint64_t %s;\t/* %s */\n", m->name, described(x, k->word, m->def));
	else
		lt__text_format(t, "\t%s%s *%s;\t/* %s%s */\n", k->is_const, type, m->name, described(x, k->word, m->def), state);
	for (int32_t i = 0; m->extent && i < m->def->rank; i++)
		if (m->extent[i])
			lt__text_format(t, "\tint64_t %s;\t/* set: its extent along axis %d in this run; laid out at the largest one */\n",
				m->extent[i], (int)i);
}

static void header_struct(const struct lt_export *x, struct lt_text *t)
{
	const char *name = x->o.name;
	lt__text_format(t,
		"/* What a call is given.  Begin with all zero: struct %s_args a = { 0 }.  Tensors are row-major; none of them\n"
		" * shares a byte with another one.%s */\nstruct %s_args {\n", name,
		x->o.strict ? "" : lt__arena_format(x->a, "  States begin at a multiple of %d bytes, inputs and results at one of\n"
			" * their elements' size.", (int)LT_EXPORT_ALIGN), name);
	for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
		for (int32_t i = 0; i < x->p->bindings[kinds[k].kind].n; i++)
			if (x->member[kinds[k].kind][i].name)
				header_member(x, t, &kinds[k], &x->member[kinds[k].kind][i]);
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
	lt__text_format(t, "#define %s_WORKSPACE_BYTES %lld\n", x->upper, (long long)(w.all ? w.all + LT_EXPORT_ALIGN : 0));
	lt__text_format(t, "#define %s_CONSTANT_BYTES %lld\n", x->upper, (long long)lt__export_constant_bytes(x));
	lt__text_format(t, "#define %s_THREADS %u\n\n", x->upper, (unsigned)x->p->options.n_thread);
	header_struct(x, t);
	lt__text_format(t, "\n/* Why a call failed: a pointer is NULL; a state or the workspace begins at an odd address; a "
		"run-time\n"
		" * scalar is out of range; an index into a tensor is (results and states are undefined then). */\n"
		"enum { %s_OK, %s_MISSING, %s_UNALIGNED, %s_RANGE, %s_INDEX };\n\n"
		"/* 0, or one of these.  What is refused with another one than %s_INDEX has changed nothing. */\n"
		"int %s(struct %s_args *);\n\n#ifdef __cplusplus\n}\n#endif\n#endif\n", x->upper, x->upper, x->upper, x->upper,
		x->upper, x->upper, x->o.name, x->o.name);
}
