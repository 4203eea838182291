/* Steps of an exported run, as C: launches with their slots, and copies of whole storages. */
#include <string.h>
#include "program/export/export.h"

static const char *step_name(const struct lt_export *x, int32_t storage)
{
	const struct lt_storage *s = &x->p->nests.assigned.storage[storage];
	return s->binding < 0 ? lt__space_word(s->space) : lt__arena_format(x->a, "%s '%s'", lt__space_word(s->space),
		lt__export_comment(x, lt__storage_name(x->p, s)));
}

/* What a gather says whose index is out of range: by statement, as the record has it.  In rounds it is one gather of
 * each, and says what is true of all. */
static void step_faults(const struct lt_export *x, struct lt_text *t, const struct lt_rounds *r, int32_t at)
{
	const struct lt_graph *g = x->p->tree->graph;
	const struct lt_frozen *f = &x->p->nests.frozen[x->p->plan.run[at].nest];
	lt__text_format(t, "\t\tif (fault.n)\n\t\t\treturn %s_fail(a, %s_INDEX,", x->o.name, x->upper);
	for (uint32_t i = 0; i < f->tree.stmts.n; i++) {
		const struct lt_nodedef *d = &g->node[f->node[i]];
		bool same_line = true;
		if (d->op != LT_OP_gather)
			continue;
		for (int32_t k = 1; r && k < r->n; k++) {
			const lt_node other = x->p->nests.frozen[x->p->plan.run[at + k * r->period].nest].node[i];
			same_line = same_line && g->node[other].line == d->line && g->node[other].column == d->column;
		}
		const struct lt_vardef *v = &g->var[g->node[d->operand[0]].dim[d->axis]];
		const char *text = lt__arena_format(x->a, "%s%s%s%san index is out of range 0..%lld",
			same_line ? lt__export_location(x, d->line, d->column) : "", r ? "" : "%", r ? "" : d->name, r ? "" : ": ",
			(long long)v->extent - 1);
		lt__text_format(t, " fault.stmt == %d ?\n\t\t\t\t%s :", (int)i,
			lt__export_string(x, lt__export_plain(x, text)));
	}
	lt__text_format(t, "\n\t\t\t\t\"an index is out of range\", fault.value);\n");
}

/* "384 + round * 96": so many bytes behind the begin of a slot. */
static const char *step_offset(const struct lt_export *x, const struct lt_rounds *r, int32_t at, int32_t place,
	int64_t offset)
{
	const long long by = lt__round_bytes(x->row, r, at, place);
	return !by ? lt__arena_format(x->a, "%lld", (long long)offset)
		: !offset && by > 0 ? lt__arena_format(x->a, "round * %lld", by)
		: lt__arena_format(x->a, "%lld %c round * %lld", (long long)offset, by < 0 ? '-' : '+', by < 0 ? -by : by);
}

static void step_launch(const struct lt_export *x, struct lt_text *t, const struct lt_rounds *r, int32_t at)
{
	const struct lt_program *p = x->p;
	const struct lt_pstep *step = &p->plan.run[at];
	const struct lt_frozen *f = &p->nests.frozen[step->nest];
	const struct lt_built *k = &p->kernels.at[p->kernels.of[step->nest]];
	lt__text_format(t, "\t{\n");
	if (f->n_bind)
		lt__text_format(t, "\t\tconst struct lt_slot slot[] = {\n");
	for (int32_t i = 0; i < f->n_bind; i++) {
		const struct lt_bind *b = &f->bind[i];
		const int64_t unit = lt__dtype_info(p->nests.assigned.storage[b->storage].dtype)->bytes;
		lt__text_format(t, "\t\t\t{ %s, %s, %lld },\t/* %s%s */\n", lt__export_address(x, b->storage),
			step_offset(x, r, at, i, b->offset * unit), (long long)(b->elems * unit), b->written ? "writes " : "",
			step_name(x, b->storage));
	}
	if (f->n_bind)
		lt__text_format(t, "\t\t};\n");
	lt__text_format(t, "\t\t%s_entry(%s, %s, &fault, &team);\n", k->frozen->tree.name, f->n_bind ? "slot" : "NULL",
		k->workspace_bytes ? "scratch" : "NULL");
	if (f->tree.needs & LT_NEED_GATHER)
		step_faults(x, t, r, at);
	lt__text_format(t, "\t}\n");
}

static void step_copy(const struct lt_export *x, struct lt_text *t, const struct lt_rounds *r, int32_t at)
{
	const struct lt_pstep *step = &x->p->plan.run[at];
	const int64_t bytes = (int64_t)lt__storage_bytes(&x->p->nests.assigned.storage[step->to]);
	const char *address[2];
	if (!bytes)
		return;
	for (int k = 0; k < 2; k++) {
		address[k] = lt__export_address(x, k ? step->from : step->to);
		if (lt__round_bytes(x->row, r, at, k))
			address[k] = lt__arena_format(x->a, "(char *)(%s) + (%s)", address[k], step_offset(x, r, at, k, 0));
	}
	lt__text_format(t, "\tmemcpy(%s, %s, %lld);\t/* %s = %s */\n", address[0], address[1], (long long)bytes,
		step_name(x, step->to), step_name(x, step->from));
}

static void step_do(const struct lt_export *x, struct lt_text *t, const struct lt_rounds *r, int32_t at)
{
	switch (x->p->plan.run[at].kind) {
	case LT_STEP_RUN:    step_launch(x, t, r, at); return;
	case LT_STEP_COPY:   step_copy(x, t, r, at); return;
	case LT_STEP_BLOCKS: lt__export_blocks_call(x, t, x->p->plan.run[at].nest); return;
	case LT_STEP_MOVE:   break;
	}
	lt_bug("a move in a program that has one memory");
}

/* "param[0] >= 5 + round * 2": where what a step writes is read. */
static const char *step_condition(const struct lt_export *x, const struct lt_rounds *r, int32_t at)
{
	const struct lt_step_row *row = &x->row[at];
	const long long by = lt__round_least(x->row, r, at);
	return lt__arena_format(x->a, "param[%d] >= %lld%s", (int)row->needs - 1, (long long)row->least,
		!by ? "" : lt__arena_format(x->a, " %c round * %lld", by < 0 ? '-' : '+', by < 0 ? -by : by));
}

/* all: the condition of what is around it; NULL: none. */
static void step_write(const struct lt_export *x, struct lt_text *t, const struct lt_rounds *r, int32_t at,
	const char *all)
{
	struct lt_text step = { .arena = x->a };
	const char *when = x->row[at].needs ? step_condition(x, r, at) : NULL;
	step_do(x, &step, r, at);
	if (!when || (all && !strcmp(when, all))) {
		if (step.n)
			lt__text_add(t, step.at, step.n);
		return;
	}
	lt__text_format(t, "\tif (%s) {\n", when);
	lt__export_indented(t, step.at, step.n);
	lt__text_format(t, "\t}\n");
}

/* The first condition of a round to fail, which ends the loop: those of all steps are of one scalar and grow alike. */
static const char *round_condition(const struct lt_export *x, const struct lt_rounds *r)
{
	int32_t first = r->first;
	for (int32_t i = r->first; i < r->first + r->period; i++) {
		if (!x->row[i].needs || x->row[i].needs != x->row[first].needs || lt__round_least(x->row, r, i) <= 0
			|| lt__round_least(x->row, r, i) != lt__round_least(x->row, r, first))
			return NULL;
		first = x->row[i].least < x->row[first].least ? i : first;
	}
	return step_condition(x, r, first);
}

void lt__export_steps(const struct lt_export *x, struct lt_text *t)
{
	for (int32_t i = 0; i < x->p->plan.n_run;) {
		const struct lt_rounds *r = lt__rounds_at(&x->rounds, i);
		struct lt_text round = { .arena = x->a };
		if (!r) {
			step_write(x, t, NULL, i++, NULL);
			continue;
		}
		const char *all = round_condition(x, r);
		for (int32_t k = 0; k < r->period; k++)
			step_write(x, &round, r, i + k, all);
		lt__text_format(t, "\tfor (int64_t round = 0; round < %d%s%s; round++) {\n", (int)r->n, all ? " && " : "",
			all ? all : "");
		lt__export_indented(t, round.at, round.n);
		lt__text_format(t, "\t}\n");
		i += r->period * r->n;
	}
}
