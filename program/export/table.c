/* What the main program of an exported function goes by: its tensors, with memory for them, and the call. */
#include "program/export/export.h"

static const struct table_kind { enum lt_binding kind; const char *word; } kinds[] = {
	{ LT_BINDING_INPUT, "INPUT" }, { LT_BINDING_RESULT, "RESULT" }, { LT_BINDING_STATE, "STATE" },
};
enum { N_KIND = sizeof kinds / sizeof *kinds };

static const char *descr_of(enum lt_dtype dtype)
{
	const char *npy = lt__dtype_info(dtype)->npy;
	return *npy ? npy : "V2";               /* bfloat16, as NumPy writes what it does not know */
}

/* An array of no elements is no C. */
static int64_t table_bytes(const struct lt_binding_def *d) { return d->bytes ? (int64_t)d->bytes : 1; }

/* Which row of the table a tensor is. */
int32_t lt__export_row(const struct lt_export *x, enum lt_binding kind, int32_t binding)
{
	int32_t n = 0;
	for (int k = 0; k < N_KIND; k++)
		for (int32_t i = 0; i < x->p->bindings[kinds[k].kind].n; i++) {
			if (kinds[k].kind == kind && i == binding)
				return n;
			n += x->member[kinds[k].kind][i].name != NULL;
		}
	return n;
}

/* Extents that are sums of scalars: rows of the program's tables of sums and of their terms. */
struct table_sums { struct lt_text sums, terms; int32_t n_sum, n_term; };

/* Which row an extent's sum is; -3: it is none, for others than scalars are in it. */
static int32_t table_sum(const struct lt_export *x, struct table_sums *s, const struct lt_linear *l)
{
	for (int32_t i = 0; i < l->n; i++)
		if (lt__export_scalar(x, l->param[i]) < 0)
			return -3;
	lt__text_format(&s->sums, "\t{ %lld, %d, %d, %s },\n", (long long)l->constant, (int)l->n, (int)s->n_term,
		lt__export_string(x, lt__export_words(x, l)));
	for (int32_t i = 0; i < l->n; i++, s->n_term++)
		lt__text_format(&s->terms, "\t{ %d, %lld },\n", (int)lt__export_row(x, LT_BINDING_INPUT, lt__export_scalar(x,
			l->param[i])), (long long)l->coef[i]);
	return s->n_sum++;
}

static void table_memory(const struct lt_export *x, struct lt_text *t, struct table_sums *s,
	const struct lt_export_member *m, char letter, int32_t i)
{
	struct lt_text least = { .arena = x->a }, sum = { .arena = x->a };
	lt__text_format(t, "static union { double f; int64_t i; char at[%lld]; } memory_%c%d ALIGNED;\n", (long
		long)table_bytes(m->def),
		letter, (int)i);
	lt__text_format(t, "static const int64_t shape_%c%d[] = {", letter, (int)i);
	for (int32_t k = 0; k < m->def->rank; k++) {
		const struct lt_vardef *v = m->bounded || m->extent[k] ? lt__export_var(x, m, k) : NULL;
		const int64_t min = v && v->bounded ? lt__linear_min(x->p->tree->graph, &v->limit) : m->def->extent[k];
		lt__text_format(t, " %lld,", (long long)m->def->extent[k]);
		lt__text_format(&least, " %lld,", (long long)(min < 0 ? 0 : min));
		lt__text_format(&sum, " %d,", !v || !v->bounded ? -1 : m->extent[k] ? -2 : (int)table_sum(x, s, &v->limit));
	}
	lt__text_format(t, " 0 };\nstatic const int64_t least_%c%d[] = {%s 0 };\n", letter, (int)i, least.n ? least.at : "");
	lt__text_format(t, "static int64_t extent_%c%d[%d];\n", letter, (int)i, (int)m->def->rank + 1);
	lt__text_format(t, "static const int sum_%c%d[] = {%s -1 };\n", letter, (int)i, sum.n ? sum.at : "");
}

static void table_row(
	const struct lt_export *x, struct lt_text *t, const struct table_kind *k, const struct lt_export_member *m, int32_t i)
{
	const struct lt_dtypeinfo *type = lt__dtype_info(m->def->dtype);
	const char letter = k->word[0];
	lt__text_format(t, "\t{ %s, %s, \"%s\", \"%s\", %u, %d, %d, %d, shape_%c%d, least_%c%d, extent_%c%d, "
		"sum_%c%d, memory_%c%d.at },\n", k->word,
		lt__export_string(x, m->def->name), type->script, descr_of(m->def->dtype), (unsigned)type->bytes, (int)m->def->rank,
		(int)m->scalar, (int)m->implied, letter, (int)i, letter, (int)i, letter, (int)i, letter, (int)i,
		letter, (int)i);
}

static void table_call(const struct lt_export *x, struct lt_text *t)
{
	/* A function may be called as a variable here is. */
	lt__text_format(t, "static int (*const model_of)(struct %s_args *) = %s;\nstatic int call(struct %s_args *a)\n{\n"
		"\tint code;\n", x->o.name, x->o.name, x->o.name);
	for (int k = 0; k < N_KIND; k++)
		for (int32_t i = 0; i < x->p->bindings[kinds[k].kind].n; i++) {
			const struct lt_export_member *m = &x->member[kinds[k].kind][i];
			const char letter = kinds[k].word[0];
			if (m->scalar)
				lt__text_format(t, "\tmemcpy(&a->%s, memory_%c%d.at, sizeof a->%s);\n", m->name, letter, (int)i, m->name);
			else if (m->name)
				lt__text_format(t, "\ta->%s = (void *)memory_%c%d.at;\n\ta->%s = bytes_of(&tensors[%d]);\n", m->name, letter,
					(int)i, m->bytes, (int)lt__export_row(x, kinds[k].kind, i));
		}
	if (!x->o.static_workspace && lt__export_workspace(x).all)
		lt__text_format(t, "\ta->workspace = workspace;\n");
	lt__text_format(t, "\tcode = model_of(a);\n");
	for (int32_t i = 0; i < x->p->bindings[LT_BINDING_RESULT].n; i++) {
		const struct lt_export_member *m = &x->member[LT_BINDING_RESULT][i];
		for (int32_t k = 0; k < m->def->rank; k++)
			if (m->extent[k])
				lt__text_format(t, "\textent_R%d[%d] = a->%s;\n", (int)i, (int)k, m->extent[k]);
	}
	lt__text_format(t, "\treturn code;\n}\n\n");
}

void lt__export_table(const struct lt_export *x, struct lt_text *t)
{
	struct table_sums sums = { .sums = { .arena = x->a }, .terms = { .arena = x->a } };
	lt__text_format(t, "/* %s\n * A program that calls it, and reads and writes files. */\n", x->o.about);
	if (!x->o.strict && x->p->options.n_thread > 1)
		lt__text_format(t, "#define WITH_THREADS 1\n#include <pthread.h>\n#include <sched.h>\n");
	lt__text_format(t,
		"#include \"%s\"\n#include <errno.h>\n#include <stdarg.h>\n#include <stdio.h>\n#include <stdlib.h>\n"
		"#include <string.h>\n\n",
		x->o.header);
	if (!x->o.strict)
		lt__text_format(t, "#if defined __unix__ || defined __APPLE__\n#define WITH_STAT 1\n#include <sys/stat.h>\n#endif\n");
	lt__text_format(t, "%s\n", x->o.strict ? "#define ALIGNED" : "#ifdef __GNUC__\n#define ALIGNED "
		"__attribute__((aligned(64)))\n#else\n#define ALIGNED\n#endif");
	lt__text_format(t, "#define NAME \"%s\"\n#define THREADS %s_THREADS\ntypedef struct %s_args args;\n\n", x->o.name,
		x->upper,
		x->o.name);
	lt__text_format(t, "enum kind { INPUT, RESULT, STATE };\n"
		"/* scalar: one number; implied: it is the extent of an input.  shape, least: the largest and the least extents;\n"
		" * extent: of this run, which is the largest one where nothing else is said; sum: by axis, the row of sums that is\n"
		" * the extent, -1: it is always the same, -2: set by the call, -3: other numbers than scalars decide */\n"
		"struct tensor {\n\tenum kind kind;\n\tconst char *name, *type, *descr;\n\tunsigned bytes;\n\tint rank, scalar, "
		"implied;\n\tconst int64_t *shape, *least;\n\tint64_t *extent;\n\tconst int *sum;\n\tchar *at;\n};\n"
		"struct term { int tensor; int64_t coef; };\n"
		"struct sum { int64_t constant; int n, first; const char *words; };\n\n");
	for (int k = 0; k < N_KIND; k++)
		for (int32_t i = 0; i < x->p->bindings[kinds[k].kind].n; i++)
			if (x->member[kinds[k].kind][i].name)
				table_memory(x, t, &sums, &x->member[kinds[k].kind][i], kinds[k].word[0], i);
	lt__text_format(t, "static const struct term terms[] = {\n%s\t{ 0, 0 }\n};\n", sums.terms.n ? sums.terms.at : "");
	lt__text_format(t, "static const struct sum sums[] = {\n%s\t{ 0, 0, 0, NULL }\n};\n", sums.sums.n ? sums.sums.at : "");
	if (!x->o.static_workspace && lt__export_workspace(x).all)
		lt__text_format(t, "static char workspace[%s_WORKSPACE_BYTES];\n", x->upper);
	lt__text_format(t, "static const struct tensor tensors[] = {\n");
	for (int k = 0; k < N_KIND; k++)
		for (int32_t i = 0; i < x->p->bindings[kinds[k].kind].n; i++)
			if (x->member[kinds[k].kind][i].name)
				table_row(x, t, &kinds[k], &x->member[kinds[k].kind][i], i);
	lt__text_format(t, "};\nenum { N_TENSOR = sizeof tensors / sizeof *tensors };\n\n");
	lt__text_format(t, "/* Inputs of the model that nothing reads. */\nstatic const char *const unread[] = { ");
	lt__export_unread(x, t, "", lt__export_string, ", ");
	lt__text_format(t, "NULL };\n\n");
	lt__text_format(t, "/* At this run's extents. */\nstatic size_t bytes_of(const struct tensor *t)\n{\n"
		"\tsize_t n = t->bytes;\n\tint i;\n\tfor (i = 0; i < t->rank; i++)\n"
		"\t\tn *= (size_t)(t->kind == INPUT ? t->extent[i] : t->shape[i]);\n\treturn n;\n}\n\n");
	table_call(x, t);
}
