/* sum.c -- sums over params that have to be 0 or more; those of an update's block; requirements made of
 * them. */
#include "ir/bounds/parts.h"

bool lt__form_add(struct lt_form *f, lt_param p, int64_t coef)
{
	int32_t at = 0;

	while (at < f->sum.n && f->param[at] != p)
		at++;
	if (at == LT_MAX_RANK)
		return false;
	if (at == f->sum.n) {
		f->param[f->sum.n++] = p;
		f->coef[at] = 0;
	}
	if (lt__add_overflow(f->coef[at], coef, &f->coef[at]))
		return false;
	if (!f->coef[at]) {
		f->param[at] = f->param[--f->sum.n];
		f->coef[at] = f->coef[f->sum.n];
	}
	return true;
}

/* f += times * (l + more) */
bool lt__form_linear(struct lt_form *f, const struct lt_linear *l, int64_t more, int64_t times)
{
	int64_t term;

	if (lt__add_overflow(l->constant, more, &term) || lt__mul_overflow(term, times, &term)
	    || lt__add_overflow(f->sum.constant, term, &f->sum.constant))
		return false;
	for (int32_t i = 0; i < l->n; i++)
		if (lt__mul_overflow(l->coef[i], times, &term) || !lt__form_add(f, l->param[i], term))
			return false;
	return true;
}

void lt__form_begin(struct lt_form *f)
{
	f->sum = (struct lt_linear){ .param = f->param, .coef = f->coef };
}

/* -- requirements -- */

lt_status lt__bounds_require(const struct lt_bounds *b, const struct lt_linear *sum, const char *text)
{
	struct lt_require r = {
		.value = { .constant = sum->constant, .n = sum->n }, .line = b->n->line, .column = b->n->column
	};

	if (!b->add)
		return lt__node_fail(b->g, b->x, LT_EINVAL,
			"the graph lacks the requirement that %s: parse its text again, or add the node by its "
			"function of lt/graph.h",
			text);
	r.value.param = lt__arena_copy(b->add->arena, sum->param, sizeof *sum->param * (size_t)sum->n);
	r.value.coef = lt__arena_copy(b->add->arena, sum->coef, sizeof *sum->coef * (size_t)sum->n);
	r.text = lt__arena_string(b->add->arena, text);
	lt__require_append(b->add, &r);
	return LT_OK;
}

/* -- updates -- */

lt_status lt__bounds_block(const struct lt_bounds *b, int32_t axis, bool past_end)
{
	const struct lt_graph *g = b->g;
	const struct lt_vardef *to = &g->var[b->n->dim[axis]], *part = &g->var[g->node[b->n->operand[1]].dim[axis]];
	int64_t sign = past_end ? -1 : 1;
	char text[400];
	struct lt_form f;
	bool fits;

	lt__form_begin(&f);
	fits = lt__form_linear(&f, &(struct lt_linear){ .constant = b->n->offset[axis] }, 0, sign);
	if (b->n->at[axis] >= 0)
		fits = fits && lt__form_add(&f, b->n->at[axis], sign);
	if (past_end)
		fits = fits && lt__form_linear(&f, to->bounded ? &to->limit : &(struct lt_linear){ .constant = to->extent }, 0, 1)
			&& lt__form_linear(&f, part->bounded ? &part->limit : &(struct lt_linear){ .constant = part->extent }, 0, -1);
	(void)snprintf(text, sizeof text, "the block that replaces elements of axis %d of '%.100s' (%.100s) %s", axis,
		g->node[b->n->operand[0]].name, lt__node_shape_text(g, b->x),
		past_end ? "ends past the axis" : "begins before 0");
	if (!fits)
		return lt__node_fail(g, b->x, LT_EOVERFLOW,
			"whether %s exceeds 62 bits: narrow the ranges of its run-time scalars", text);
	if (lt__require_implies(g, &f.sum))
		return LT_OK;
	if (lt__linear_max(g, &f.sum) < 0)
		return lt__node_fail(g, b->x, LT_EINVAL, "%s%s", text,
			f.sum.n ? " whatever its run-time scalars are within their ranges: change those, or the offset"
				: ": choose another offset");
	char named[600];
	(void)snprintf(named, sizeof named, "update '%.100s': %s", b->n->name, text);
	return lt__bounds_require(b, &f.sum, named);
}
