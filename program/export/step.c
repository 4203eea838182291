/* Steps of an exported run, as C: launches with their slots, and copies of whole storages. */
#include "program/export/export.h"

static const char *step_name(const struct lt_export *x, int32_t storage)
{
	const struct lt_storage *s = &x->p->nests.assigned.storage[storage];
	return s->binding < 0 ? lt__space_word(s->space) : lt__arena_format(x->a, "%s '%s'", lt__space_word(s->space),
		lt__export_comment(x, lt__storage_name(x->p, s)));
}

/* What a gather says whose index is out of range: by statement, as the record has it. */
static void step_faults(const struct lt_export *x, struct lt_text *t, const struct lt_frozen *f)
{
	const struct lt_graph *g = x->p->tree->graph;
	lt__text_format(t, "\t\tif (fault.n)\n\t\t\treturn %s_fail(a, %s_INDEX,", x->o.name, x->upper);
	for (uint32_t i = 0; i < f->tree.stmts.n; i++) {
		const struct lt_nodedef *d = &g->node[f->node[i]];
		if (d->op != LT_OP_gather)
			continue;
		const struct lt_vardef *v = &g->var[g->node[d->operand[0]].dim[d->axis]];
		const char *text = lt__arena_format(x->a, "%s%%%s: an index is out of range 0..%lld",
			lt__export_location(x, d->line, d->column), d->name, (long long)v->extent - 1);
		lt__text_format(t, " fault.stmt == %d ?\n\t\t\t\t%s :", (int)i,
			lt__export_string(x, lt__export_plain(x, text)));
	}
	lt__text_format(t, "\n\t\t\t\t\"an index is out of range\", fault.value);\n");
}

static void step_launch(const struct lt_export *x, struct lt_text *t, const struct lt_pstep *step)
{
	const struct lt_program *p = x->p;
	const struct lt_frozen *f = &p->nests.frozen[step->nest];
	const struct lt_built *k = &p->kernels.at[p->kernels.of[step->nest]];
	lt__text_format(t, "\t{\n");
	if (f->n_bind)
		lt__text_format(t, "\t\tconst struct lt_slot slot[] = {\n");
	for (int32_t i = 0; i < f->n_bind; i++) {
		const struct lt_bind *b = &f->bind[i];
		const int64_t unit = lt__dtype_info(p->nests.assigned.storage[b->storage].dtype)->bytes;
		lt__text_format(t, "\t\t\t{ %s, %lld, %lld },\t/* %s%s */\n", lt__export_address(x, b->storage),
			(long long)(b->offset * unit), (long long)(b->elems * unit), b->written ? "writes " : "",
			step_name(x, b->storage));
	}
	if (f->n_bind)
		lt__text_format(t, "\t\t};\n");
	lt__text_format(t, "\t\t%s_entry(%s, %s, &fault, &team);\n", k->frozen->tree.name, f->n_bind ? "slot" : "NULL",
		k->workspace_bytes ? "scratch" : "NULL");
	if (f->tree.needs & LT_NEED_GATHER)
		step_faults(x, t, f);
	lt__text_format(t, "\t}\n");
}

static void step_copy(const struct lt_export *x, struct lt_text *t, const struct lt_pstep *step)
{
	const int64_t bytes = (int64_t)lt__storage_bytes(&x->p->nests.assigned.storage[step->to]);
	if (bytes)
		lt__text_format(t, "\tmemcpy(%s, %s, %lld);\t/* %s = %s */\n", lt__export_address(x, step->to),
			lt__export_address(x, step->from), (long long)bytes, step_name(x, step->to), step_name(x, step->from));
}

void lt__export_step(const struct lt_export *x, struct lt_text *t, const struct lt_pstep *step)
{
	switch (step->kind) {
	case LT_STEP_RUN:    step_launch(x, t, step); return;
	case LT_STEP_COPY:   step_copy(x, t, step); return;
	case LT_STEP_BLOCKS: lt__export_blocks_call(x, t, step->nest); return;
	case LT_STEP_MOVE:   break;
	}
	lt_bug("a move in a program that has one memory");
}
