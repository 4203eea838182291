/* Extents that differ from run to run, in an exported program: what is said of them, sizes that the caller hands over,
 * and inputs, which are dense at the run's extents, spread to where the plan has them: rows at the largest ones. */
#include <string.h>
#include "program/export/export.h"

/* "2 + past + 3 * length": by the names that the model has. */
const char *lt__export_words(const struct lt_export *x, const struct lt_linear *l)
{
	const struct lt_graph *g = x->p->tree->graph;
	struct lt_text t = { .arena = x->a };
	for (int32_t i = 0; i < l->n; i++) {
		const struct lt_paramdef *d = &g->param[l->param[i]];
		const struct lt_nodedef *source = &g->node[d->source];
		const int64_t c = l->coef[i];
		lt__text_format(&t, "%s", c < 0 ? i ? " - " : "-" : i ? " + " : "");
		if (c != 1 && c != -1)
			lt__text_format(&t, "%llu * ", c < 0 ? 0 - (unsigned long long)c : (unsigned long long)c);
		lt__text_format(&t, "%s", source->label ? source->label : source->name);
		if (source->n_dim)
			lt__text_format(&t, "[%lld]", (long long)d->element);
	}
	if (l->constant || !l->n)
		lt__text_format(&t, "%s%lld", l->n && l->constant > 0 ? " + " : l->n ? " " : "", (long long)l->constant);
	return t.at;
}

const char *lt__export_type(const struct lt_export *x, const struct lt_export_member *m)
{
	struct lt_text t = { .arena = x->a };
	lt__text_format(&t, "%s [", lt__dtype_info(m->def->dtype)->script);
	for (int32_t i = 0; i < m->def->rank; i++) {
		const struct lt_vardef *v = m->bounded || m->extent[i] ? lt__export_var(x, m, i) : NULL;
		if (v && v->bounded)
			lt__text_format(&t, "%s%s: at most %lld", i ? ", " : "", lt__export_words(x, &v->limit), (long long)v->extent);
		else
			lt__text_format(&t, "%s%lld", i ? ", " : "", (long long)m->def->extent[i]);
	}
	lt__text_add(&t, "]", 1);
	return t.at;
}

static void extent_size(const struct lt_export *x, struct lt_text *t, const struct lt_export_member *m,
	const char *kind, const char *wrong, const char *wanted)
{
	const char *text = lt__arena_format(x->a, "%s '%s', %s, does not have so many bytes", kind, m->def->name,
		lt__export_type(x, m));
	lt__text_format(t, "\tif (a->%s && a->%s %s %s)\n\t\treturn %s_fail(a, %s_SIZE,\n\t\t\t%s,\n\t\t\t(int64_t)a->%s);\n",
		m->bytes, m->bytes, wrong, wanted, x->o.name, x->upper, lt__export_string(x, lt__export_plain(x, text)), m->bytes);
}

static lt_status input_extents(struct lt_export *x, struct lt_text *t, const struct lt_export_member *m, int32_t i)
{
	lt__text_format(t, "\tconst int64_t extent%d[] = {", (int)i);
	for (int32_t k = 0; k < m->def->rank; k++) {
		const struct lt_vardef *v = lt__export_var(x, m, k);
		const char *sum;
		int64_t min, max;
		if (!v->bounded) {
			lt__text_format(t, " %lld,", (long long)v->extent);
			continue;
		}
		if (lt__params_absent(x->absent, &v->limit))
			return lt_fail(x->p->ctx, LT_EUNSUPPORTED, "input '%s': nothing that is read says its extent along axis %d, %s; let "
				"a result depend on that", m->def->name, (int)k, lt__export_words(x, &v->limit));
		LT_TRY(lt__export_sum(x, &v->limit, &sum, &min, &max));
		lt__text_format(t, min < 0 ? " %s < 0 ? 0 : %s," : " %s,", sum, sum);
	}
	lt__text_format(t, " };\n");
	return LT_OK;
}

static void input_size(const struct lt_export *x, struct lt_text *t, const struct lt_export_member *m, int32_t i)
{
	struct lt_text product = { .arena = x->a };
	lt__text_format(&product, "(size_t)(%u", (unsigned)lt__dtype_info(m->def->dtype)->bytes);
	for (int32_t k = 0; k < m->def->rank; k++)
		lt__text_format(&product, " * extent%d[%d]", (int)i, (int)k);
	lt__text_format(&product, ")");
	extent_size(x, t, m, "input", "!=", product.at);
}

lt_status lt__export_sizes(struct lt_export *x, struct lt_text *t)
{
	static const struct { enum lt_binding kind; const char *word; } written[] = { { LT_BINDING_RESULT, "result" },
		{ LT_BINDING_STATE, "state" } };
	for (int32_t i = 0; i < x->p->bindings[LT_BINDING_INPUT].n; i++) {
		const struct lt_export_member *m = &x->member[LT_BINDING_INPUT][i];
		if (!m->bytes)
			continue;
		if (m->bounded)
			LT_TRY(input_extents(x, t, m, i));
		if (m->bounded)
			input_size(x, t, m, i);
		else
			extent_size(x, t, m, "input", "!=", lt__arena_format(x->a, "%llu", (unsigned long long)m->def->bytes));
	}
	for (int k = 0; k < 2; k++)
		for (int32_t i = 0; i < x->p->bindings[written[k].kind].n; i++) {
			const struct lt_export_member *m = &x->member[written[k].kind][i];
			if (m->bytes && m->def->bytes)
				extent_size(x, t, m, written[k].word, "<", lt__arena_format(x->a, "%llu", (unsigned long long)m->def->bytes));
		}
	return LT_OK;
}

static const char spreader[] =
	"/* Rows of a tensor that is dense, at the largest extents; where it lies.  Extents of its last axes that are the\n"
	" * largest ones are a part of what is copied. */\n"
	"static const void *%s_spread(void *to, const void *from, int rank, const int64_t *largest, const int64_t *extent,\n"
	"\tsize_t unit)\n{\n"
	"\tint64_t rows = 1, i;\n\tint k;\n"
	"\tfor (; rank > 0 && extent[rank - 1] == largest[rank - 1]; rank--)\n\t\tunit *= (size_t)largest[rank - 1];\n"
	"\tif (rank <= 1)\n\t\treturn from;\n"
	"\tfor (k = 0; k < rank - 1; k++)\n\t\trows *= extent[k];\n"
	"\tfor (i = 0; i < rows; i++) {\n"
	"\t\tint64_t left = i, at = 0, step = largest[rank - 1];\n"
	"\t\tfor (k = rank - 2; k >= 0; k--) {\n"
	"\t\t\tat += left % extent[k] * step;\n\t\t\tleft /= extent[k];\n\t\t\tstep *= largest[k];\n\t\t}\n"
	"\t\tmemcpy((char *)to + (size_t)at * unit, (const char *)from + (size_t)(i * extent[rank - 1]) * unit,\n"
	"\t\t\t(size_t)extent[rank - 1] * unit);\n"
	"\t}\n\treturn to;\n}\n\n";

void lt__export_spreader(const struct lt_export *x, struct lt_text *t)
{
	const char *name = "%s_spread", *at = strstr(spreader, name);
	if (!lt__export_spread_bytes(x, x->p->bindings[LT_BINDING_INPUT].n))
		return;
	lt__text_add(t, spreader, (size_t)(at - spreader));
	lt__text_format(t, "%s", x->o.name);
	lt__text_format(t, "%s", at + 2);
}

void lt__export_spread(const struct lt_export *x, struct lt_text *t)
{
	const struct lt_export_workspace w = lt__export_workspace(x);
	for (int32_t i = 0; i < x->p->bindings[LT_BINDING_INPUT].n; i++) {
		const struct lt_export_member *m = &x->member[LT_BINDING_INPUT][i];
		if (!m->spread)
			continue;
		lt__text_format(t, "\tconst int64_t largest%d[] = {", (int)i);
		for (int32_t k = 0; k < m->def->rank; k++)
			lt__text_format(t, " %lld,", (long long)m->def->extent[k]);
		lt__text_format(t, " };\n\tconst void *const spread%d = %s_spread(workspace + %lld, a->%s, %d,\n"
			"\t\tlargest%d, extent%d, %u);\n", (int)i, x->o.name, (long long)(w.spread + lt__export_spread_bytes(x, i)),
			m->name, (int)m->def->rank, (int)i, (int)i, (unsigned)lt__dtype_info(m->def->dtype)->bytes);
	}
}
