/* A program as a module for JavaScript (tools/build/module/): what it exports, as C; its tensors as JSON, which the
 * loader goes by; and their types, as TypeScript declares them. */
#include "program/export/export.h"

static const struct module_kind { enum lt_binding kind; const char *word, *title, *group, *about; } kinds[] = {
	{ LT_BINDING_INPUT, "input", "Inputs", "inputs", "What a run is given." },
	{ LT_BINDING_RESULT, "result", "Results", "results", "What a run gives." },
	{ LT_BINDING_STATE, "state", "States", "states", "What is kept from run to run." },
};
enum { N_KIND = sizeof kinds / sizeof *kinds };

/* The typed array of JavaScript; halves are bits. */
static const char *array_of(const struct lt_export *x, enum lt_dtype dtype)
{
	const struct lt_dtypeinfo *t = lt__dtype_info(dtype);
	const char *kind = t->cls == LT_CLASS_FLOAT && t->bytes > 2 ? "Float"
		: t->cls == LT_CLASS_INT && t->is_signed ? "Int" : "Uint";
	return lt__arena_format(x->a, "%s%s%uArray", t->cls == LT_CLASS_INT && t->bytes == 8 ? "Big" : "", kind,
		8 * (unsigned)t->bytes);
}

/* A string of JSON, of JavaScript and within a page: what would end a script there is escaped. */
static const char *json_string(const struct lt_export *x, const char *text)
{
	struct lt_text t = { .arena = x->a };
	lt__text_add(&t, "\"", 1);
	for (const char *c = lt__export_plain(x, text); *c; c++)
		if (*c == '"' || *c == '\\')
			lt__text_format(&t, "\\%c", *c);
		else if (*c == '<' || *c == '>' || *c == '&')
			lt__text_format(&t, "\\u%04x", (unsigned)*c);
		else
			lt__text_add(&t, c, 1);
	lt__text_add(&t, "\"", 1);
	return t.at;
}

/* --- what it exports --- */

static void module_memory(const struct lt_export *x, struct lt_text *t, const struct module_kind *k, int32_t i)
{
	const struct lt_export_member *m = &x->member[k->kind][i];
	const int64_t bytes = (int64_t)m->def->bytes;
	lt__text_format(t, "static union { double f; int64_t i; char at[%lld]; } lt_%s_%d __attribute__((aligned(%d)));\n",
		(long long)(bytes ? bytes : 1), k->word, (int)i, (int)LT_EXPORT_ALIGN);
	if (k->kind == LT_BINDING_RESULT)
		lt__text_format(t, "static int64_t lt_extent_%d[%d];\n", (int)i, (int)m->def->rank + 1);
}

static void module_call(const struct lt_export *x, struct lt_text *t, const struct module_kind *k, int32_t i)
{
	const struct lt_export_member *m = &x->member[k->kind][i];
	if (m->scalar)
		lt__text_format(t, "\tlt_args.%s = lt_%s_%d.i;\n", m->name, k->word, (int)i);
	else
		lt__text_format(t, "\tlt_args.%s = (void *)lt_%s_%d.at;\n"
			"\tlt_args.%s = lt_table.tensor[%d].bytes;\n", m->name, k->word, (int)i, m->bytes,
			(int)lt__export_row(x, k->kind, i));
}

void lt__export_module(const struct lt_export *x, struct lt_text *t)
{
	const char *name = x->o.name;
	const int64_t constants = lt__export_constant_bytes(x);
	int32_t n = 0;
	lt__text_format(t, "/* %s\n * What the module exports. */\n#include \"%s\"\n\n", x->o.about, x->o.header);
	if (constants)
		lt__text_format(t, "extern unsigned char %s_bytes[%lld] __attribute__((visibility(\"hidden\")));\n", name,
			(long long)constants);
	for (int k = 0; k < N_KIND; k++)
		for (int32_t i = 0; i < x->p->bindings[kinds[k].kind].n; i++)
			if (x->member[kinds[k].kind][i].name) {
				module_memory(x, t, &kinds[k], i);
				n++;
			}
	lt__text_format(t, "\n/* What the caller reads and writes.  bytes: at this run's extents; extent: of a result. */\n"
		"static struct {\n\tint64_t value;\n\tconst char *message;\n\tvoid *weights;\n"
		"\tstruct { void *at; size_t bytes; int64_t *extent; } tensor[%d];\n} lt_table = { 0, \"\", %s, {\n", (int)n + 1,
		constants ? lt__arena_format(x->a, "%s_bytes", name) : "NULL");
	for (int k = 0; k < N_KIND; k++)
		for (int32_t i = 0; i < x->p->bindings[kinds[k].kind].n; i++)
			if (x->member[kinds[k].kind][i].name)
				lt__text_format(t, "\t{ lt_%s_%d.at, %lld, %s },\n", kinds[k].word, (int)i,
					(long long)x->member[kinds[k].kind][i].def->bytes, kinds[k].kind == LT_BINDING_RESULT
					? lt__arena_format(x->a, "lt_extent_%d", (int)i) : "NULL");
	lt__text_format(t, "\t{ NULL, 0, NULL } } };\n\n"
		"__attribute__((export_name(\"shared\"))) void *lt_shared(void) { return &lt_table; }\n\n"
		"__attribute__((export_name(\"run\"))) int lt_run(void)\n{\n"
		"\tstatic struct %s_args lt_args;\n\tint lt_code;\n", name);
	for (int k = 0; k < N_KIND; k++)
		for (int32_t i = 0; i < x->p->bindings[kinds[k].kind].n; i++)
			if (x->member[kinds[k].kind][i].name)
				module_call(x, t, &kinds[k], i);
	lt__text_format(t, "\tlt_code = %s(&lt_args);\n\tlt_table.message = lt_args.message;\n"
		"\tlt_table.value = lt_args.value;\n", name);
	for (int32_t i = 0; i < x->p->bindings[LT_BINDING_RESULT].n; i++) {
		const struct lt_export_member *m = &x->member[LT_BINDING_RESULT][i];
		for (int32_t d = 0; m->name && d < m->def->rank; d++)
			if (m->extent[d])
				lt__text_format(t, "\tlt_extent_%d[%d] = lt_args.%s;\n", (int)i, (int)d, m->extent[d]);
			else
				lt__text_format(t, "\tlt_extent_%d[%d] = %lld;\n", (int)i, (int)d, (long long)m->def->extent[d]);
	}
	lt__text_format(t, "\treturn lt_code;\n}\n");
	lt__text_format(t, "\n/* Of n words of the weights, which show by it that they are whole. */\n"
		"__attribute__((export_name(\"sum\"))) uint64_t lt_sum(const uint64_t *at, uint32_t n)\n{\n"
		"\tuint64_t sum = n;\n\tuint32_t i;\n\tfor (i = 0; i < n; i++) {\n"
		"\t\tsum = (sum ^ at[i]) * 0x9e3779b97f4a7c15u;\n\t\tsum ^= sum >> 29;\n\t}\n\treturn sum;\n}\n");
}

/* --- its tensors --- */

/* An extent that a run says: "{ constant, words, terms of rows and coefficients }"; null: it is none, or others than
 * scalars are in it. */
static void json_extent(const struct lt_export *x, struct lt_text *t, const struct lt_linear *l)
{
	bool rows = true;
	for (int32_t i = 0; i < l->n; i++)
		rows = rows && lt__export_scalar(x, l->param[i]) >= 0;
	lt__text_format(t, "{ \"words\": %s, \"constant\": %lld, \"terms\": ", json_string(x, lt__export_words(x, l)),
		(long long)l->constant);
	if (!rows)
		lt__text_format(t, "null }");
	for (int32_t i = 0; rows && i < l->n; i++)
		lt__text_format(t, "%s[%d, %lld]", i ? ", " : "[", (int)lt__export_row(x, LT_BINDING_INPUT,
			lt__export_scalar(x, l->param[i])), (long long)l->coef[i]);
	if (rows)
		lt__text_format(t, "%s", l->n ? "] }" : "[] }");
}

static void json_tensor(const struct lt_export *x, struct lt_text *t, const struct module_kind *k, int32_t i)
{
	const struct lt_export_member *m = &x->member[k->kind][i];
	struct lt_text least = { .arena = x->a }, extent = { .arena = x->a };
	lt__text_format(t, "\t\t{ \"kind\": \"%s\", \"name\": %s, \"dtype\": \"%s\", \"array\": \"%s\", \"bytes\": %u, "
		"\"scalar\": %s, \"implied\": %s, \"shape\": [", k->word, json_string(x, m->def->name),
		lt__dtype_info(m->def->dtype)->script, array_of(x, m->def->dtype), (unsigned)lt__dtype_info(m->def->dtype)->bytes,
		m->scalar ? "true" : "false", m->implied ? "true" : "false");
	for (int32_t d = 0; d < m->def->rank; d++) {
		const struct lt_vardef *v = m->bounded || m->extent[d] ? lt__export_var(x, m, d) : NULL;
		const int64_t min = v && v->bounded ? lt__linear_min(x->p->tree->graph, &v->limit) : m->def->extent[d];
		lt__text_format(t, "%s%lld", d ? ", " : "", (long long)m->def->extent[d]);
		lt__text_format(&least, "%s%lld", d ? ", " : "", (long long)(min < 0 ? 0 : min));
		lt__text_format(&extent, "%s", d ? ", " : "");
		if (v && v->bounded)
			json_extent(x, &extent, &v->limit);
		else
			lt__text_format(&extent, "null");
	}
	lt__text_format(t, "], \"least\": [%s], \"extent\": [%s] }", least.n ? least.at : "", extent.n ? extent.at : "");
}

void lt__export_json(const struct lt_export *x, struct lt_text *t)
{
	bool first = true;
	lt__text_format(t, "\t\"tensors\": [");
	for (int k = 0; k < N_KIND; k++)
		for (int32_t i = 0; i < x->p->bindings[kinds[k].kind].n; i++)
			if (x->member[kinds[k].kind][i].name) {
				lt__text_format(t, "%s\n", first ? "" : ",");
				json_tensor(x, t, &kinds[k], i);
				first = false;
			}
	lt__text_format(t, " ],\n\t\"unread\": [");
	struct lt_text names = { .arena = x->a };
	lt__export_unread(x, &names, ", ", json_string, "");
	lt__text_format(t, "%s", names.n ? names.at + 2 : "");
	lt__text_format(t, "],\n\t\"weights\": %lld\n", (long long)lt__export_constant_bytes(x));
}

/* --- their types --- */

void lt__export_types(const struct lt_export *x, struct lt_text *t)
{
	for (int k = 0; k < N_KIND; k++) {
		lt__text_format(t, "/** %s */\nexport interface %s {\n", kinds[k].about, kinds[k].title);
		for (int32_t i = 0; i < x->p->bindings[kinds[k].kind].n; i++) {
			const struct lt_export_member *m = &x->member[kinds[k].kind][i];
			const char *array = array_of(x, m->def->dtype);
			if (!m->name)
				continue;
			lt__text_format(t, "\t/** %s%s */\n\t%s%s: %s;\n", lt__export_comment(x, lt__export_type(x, m)),
				m->implied ? ": what an input's length says, unless it is given" : "", json_string(x, m->def->name),
				m->implied ? "?" : "", m->scalar ? "number | bigint" : kinds[k].kind == LT_BINDING_RESULT
				? lt__arena_format(x->a, "Shaped<%s>", array) : array);
		}
		lt__text_format(t, "}\n\n");
	}
	lt__text_format(t, "/** Their types and extents, by name. */\nexport interface Tensors {\n");
	for (int k = 0; k < N_KIND; k++)
		lt__text_format(t, "\treadonly %s: { readonly [K in keyof %s]-?: Tensor };\n", kinds[k].group, kinds[k].title);
	lt__text_format(t, "}\n");
}
