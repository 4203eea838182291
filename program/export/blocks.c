/* Copies of many pieces in an exported program: tables of blocks, and the loop that goes by them (copy/copy_run.c). */
#include "program/nest/nest.h"
#include "program/export/export.h"

/* Where the blocks of a nest come from, each storage once; a block of one value has none. */
struct blocks_from { int32_t *of, n, *storage; };

static struct blocks_from blocks_from(const struct lt_export *x, const struct lt_blocks *b)
{
	const int32_t n_storage = x->p->nests.assigned.n_storage;
	struct blocks_from s = { .of = LT_NEW(x->a, int32_t, n_storage + 1), .storage = LT_NEW(x->a, int32_t, b->n + 1) };
	for (int32_t i = 0; i < b->n; i++) {
		const int32_t from = b->at[i].from;
		if (from < 0 || s.of[from])
			continue;
		s.storage[s.n++] = from;
		s.of[from] = s.n;
	}
	return s;
}

/* Tables of one nest.  Sums of run-time scalars, of offsets and of limits, are rows of one table of terms. */
static void blocks_tables(const struct lt_export *x, struct lt_text *t, int32_t nest)
{
	const struct lt_blocks *b = x->p->nests.blocks[nest];
	const char *name = x->p->nests.frozen[nest].tree.name;
	const struct blocks_from sources = blocks_from(x, b);
	struct lt_text terms = { .arena = x->a };
	int32_t n_term = b->n_term;
	for (int32_t i = 0; i < b->n_term; i++)
		lt__text_format(&terms, "\t{ %d, %lld },\n", (int)b->term[i].param, (long long)b->term[i].coef);
	lt__text_format(t, "static const struct lt_block_dim %s_dims[] = {\n", name);
	for (int32_t i = 0; i < b->n_dim; i++) {
		const struct lt_blockdim *d = &b->dim[i];
		const struct lt_linear *l = d->limit;
		lt__text_format(t, "\t{ %lld, %lld, %lld, %lld, %d, %d, %d },\n", (long long)d->size, (long long)d->to,
			(long long)d->from, l ? (long long)(l->constant - d->low) : 0LL, l != NULL, (int)n_term, l ? (int)l->n : 0);
		for (int32_t k = 0; l && k < l->n; k++, n_term++)
			lt__text_format(&terms, "\t{ %d, %lld },\n", (int)l->param[k], (long long)l->coef[k]);
	}
	lt__text_format(t, "\t{ 0, 0, 0, 0, 0, 0, 0 }\n};\nstatic const struct lt_block_term %s_terms[] = {\n%s\t{ 0, 0 "
		"}\n};\n",
		name, terms.n ? terms.at : "");
	lt__text_format(t, "static const struct lt_block %s_blocks[] = {\n", name);
	for (int32_t i = 0; i < b->n; i++) {
		const struct lt_block *k = &b->at[i];
		lt__text_format(t, "\t{ %d, %d, %d, %d, %d, %lld, %lld, UINT64_C(%llu) },\n", k->from < 0 ? -1 :
			(int)sources.of[k->from] - 1, (int)k->n_dim, (int)k->first_dim, (int)k->n_term, (int)k->first_term,
			(long long)k->to_at, (long long)k->from_at, (unsigned long long)k->bits);
	}
	lt__text_format(t, "};\n\n");
}

static const char runner[] =
	"/* Copies of many pieces.  A dim ends where a sum of run-time scalars says. */\n"
	"struct lt_block_term { int param; int64_t coef; };\n"
	"struct lt_block_dim { int64_t size, to, from, limit; int limited, first_term, n_term; };\n"
	"struct lt_block { int from, n_dim, first_dim, n_term, first_term; int64_t to_at, from_at; uint64_t bits; };\n\n"
	"static int64_t lt_block_sum(int64_t sum, const struct lt_block_term *term, int n, const int64_t *param)\n{\n"
	"\tint i;\n\tfor (i = 0; i < n; i++)\n\t\tsum += term[i].coef * param[term[i].param];\n\treturn sum;\n}\n\n"
	"static void lt_block_dims(char *to, const char *from, const struct lt_block_dim *d, int n_dim,\n"
	"\tconst struct lt_block_term *term, const int64_t *param, size_t unit)\n{\n"
	"\tint64_t n = 1, i;\n"
	"\tif (n_dim == 0) {\n\t\tmemcpy(to, from, unit);\n\t\treturn;\n\t}\n"
	"\tn = d->size;\n"
	"\tif (d->limited) {\n\t\tn = lt_block_sum(d->limit, term + d->first_term, d->n_term, param);\n"
	"\t\tn = n < 0 ? 0 : n < d->size ? n : d->size;\n\t}\n"
	"\tif (n_dim == 1 && d->to == 1 && d->from == 1) {\n\t\tif (n > 0)\n"
	"\t\t\tmemcpy(to, from, (size_t)n * unit);\n\t\treturn;\n\t}\n"
	"\tfor (i = 0; i < n; i++)\n"
	"\t\tlt_block_dims(to + i * d->to * (int64_t)unit, from + i * d->from * (int64_t)unit, d + 1, n_dim - 1,\n"
	"\t\t\tterm, param, unit);\n}\n\n"
	"static void lt_blocks(char *to, const void *const *from, const struct lt_block *b, int n,\n"
	"\tconst struct lt_block_dim *dim, const struct lt_block_term *term, const int64_t *param, size_t unit)\n{\n"
	"\tint i;\n\tfor (i = 0; i < n; i++, b++) {\n"
	"\t\tconst int64_t at = lt_block_sum(b->from_at, term + b->first_term, b->n_term, param);\n"
	"\t\tconst uint8_t u1 = (uint8_t)b->bits;\n\t\tconst uint16_t u2 = (uint16_t)b->bits;\n"
	"\t\tconst uint32_t u4 = (uint32_t)b->bits;\n\t\tconst void *value = &b->bits;\n"
	"\t\tvalue = unit == 1 ? (const void *)&u1 : unit == 2 ? (const void *)&u2 : unit == 4 ? (const void *)&u4 : value;\n"
	"\t\tlt_block_dims(to + b->to_at * (int64_t)unit, b->from < 0 ? (const char *)value\n"
	"\t\t\t: (const char *)from[b->from] + at * (int64_t)unit, dim + b->first_dim, b->n_dim, term, param, unit);\n"
	"\t}\n}\n\n";

void lt__export_blocks(const struct lt_export *x, struct lt_text *t)
{
	const struct lt_program *p = x->p;
	if (!x->blocks)
		return;
	lt__text_format(t, "%s", runner);
	for (int32_t i = 0; i < p->plan.n_run; i++)
		if (p->plan.run[i].kind == LT_STEP_BLOCKS)
			blocks_tables(x, t, p->plan.run[i].nest);
}

void lt__export_blocks_call(const struct lt_export *x, struct lt_text *t, int32_t nest)
{
	const struct lt_blocks *b = x->p->nests.blocks[nest];
	const char *name = x->p->nests.frozen[nest].tree.name;
	const struct blocks_from sources = blocks_from(x, b);
	lt__text_format(t, "\t{\n\t\tconst void *const from[] = { NULL");
	for (int32_t i = 0; i < sources.n; i++)
		lt__text_format(t, ", %s", lt__export_address(x, sources.storage[i]));
	lt__text_format(t, " };\n\t\tlt_blocks((char *)(%s), from + 1, %s_blocks, %d, %s_dims, %s_terms, param, %u);\n\t}\n",
		lt__export_address(x, b->to), name, (int)b->n, name, name, (unsigned)b->unit);
}
