/* layout: the order of a value's elements in memory, as digits of its indices. */
#include <string.h>
#include "looptree/tree/tree.h"

struct lt_memlayout *lt__layout_new(const struct lt_looptree *t, int32_t n, const struct lt_digit *digit, int64_t pad)
{
	struct lt_memlayout *l = LT_NEW(t->arena, struct lt_memlayout, 1);
	*l = (struct lt_memlayout){ .n = n, .digit = LT_NEW(t->arena, struct lt_digit, n + 1) };
	for (int32_t i = 0; i < n; i++)
		l->digit[i] = digit[i];
	if (n > 0)
		l->digit[n - 1].pad += pad;
	return l;
}

static int word_bytes_shown(const struct lt_step_word *w) { return w->bytes < 60 ? (int)w->bytes : 60; }

/* "n" or "n/64" */
static lt_status read_digit(const struct lt_looptree *t, lt_node n, const struct lt_step_word *w, struct lt_digit *out)
{
	const struct lt_nodedef *d = &t->graph->node[n];
	const char *slash = memchr(w->at, '/', w->bytes);
	size_t bytes = slash ? (size_t)(slash - w->at) : w->bytes;
	*out = (struct lt_digit){ .dim = -1, .step = 1 };
	for (int32_t i = 0; i < d->n_dim; i++) {
		const char *name = t->graph->var[d->dim[i]].name;
		if (strlen(name) == bytes && !memcmp(name, w->at, bytes))
			out->dim = i;
	}
	if (out->dim < 0)
		return lt_fail(t->ctx, LT_EILLEGAL, "'%.*s' is not a dim of %%%s, which has %s", word_bytes_shown(w), w->at, d->name,
			d->n_dim ? lt__node_shape_text(t->graph, n) : "none");
	if (!slash)
		return LT_OK;
	const struct lt_step_word step = { slash + 1, w->bytes - bytes - 1 };
	return lt__word_number(t, &step, "the step of a digit", &out->step);
}

/* The digit of the same dim with the next larger step, where d is the i-th; -1. */
static int32_t layout_above(const struct lt_digit *digit, int32_t n, int32_t i)
{
	int32_t above = -1;
	for (int32_t k = 0; k < n; k++)
		if (k != i && digit[k].dim == digit[i].dim
			&& (digit[k].step > digit[i].step || (digit[k].step == digit[i].step && k < i))
			&& (above < 0 || digit[k].step < digit[above].step))
			above = k;
	return above;
}

/* What each digit of a dim counts ends where the next larger one begins. */
static lt_status cut_digits(const struct lt_looptree *t, lt_node n, struct lt_digit *digit, int32_t n_digit)
{
	for (int32_t i = 0; i < n_digit; i++) {
		int32_t above = layout_above(digit, n_digit, i);
		const char *name = t->graph->var[t->graph->node[n].dim[digit[i].dim]].name;
		if (above < 0)
			continue;
		digit[i].span = digit[above].step;
		if (digit[i].span == digit[i].step || digit[i].span % digit[i].step != 0)
			return lt_fail(t->ctx, LT_EILLEGAL, "the digits of %s have steps %lld and %lld; each has to divide the next "
				"larger one, as in `%s/64 %s/16 %s`",
				name, (long long)digit[i].span, (long long)digit[i].step, name, name, name);
	}
	return LT_OK;
}

bool lt__layout_word_ends(const struct lt_step_word *w) { return lt__word_is(w, "pad") || lt__word_is(w, "swizzle"); }

static bool begins_number(const struct lt_step_word *w) { return w->bytes > 0 && w->at[0] >= '0' && w->at[0] <= '9'; }

/* "pad 8", where `pad` is no dim of the value: a dim is not followed by a number. */
static bool layout_pads(const struct lt_looptree *t, lt_node n, const struct lt_words *w, int32_t i)
{
	const struct lt_nodedef *d = &t->graph->node[n];
	if (!lt__word_is(&w->word[i], "pad"))
		return false;
	if (i + 1 < w->n && begins_number(&w->word[i + 1]))
		return true;
	for (int32_t k = 0; k < d->n_dim; k++)
		if (strcmp(t->graph->var[d->dim[k]].name, "pad") == 0)
			return false;
	return true;
}

/* "swizzle 128" at the end of the words, which are then so many fewer.  A dim of that name is not followed by a
 * number. */
static lt_status read_swizzle(const struct lt_looptree *t, lt_node n, struct lt_words *w, int64_t *swizzle)
{
	*swizzle = 0;
	if (w->n < 2 || !lt__word_is(&w->word[w->n - 2], "swizzle") || !begins_number(&w->word[w->n - 1]))
		return LT_OK;
	w->n -= 2;
	LT_TRY(lt__word_number(t, &w->word[w->n + 1], "swizzle", swizzle));
	if (*swizzle != 32 && *swizzle != 64 && *swizzle != 128)
		return lt_fail(t->ctx, LT_EILLEGAL, "a swizzle is of 32, 64 or 128 bytes, not %lld: within as many, runs of 16 bytes "
			"change places", (long long)*swizzle);
	for (int32_t i = 0; i < w->n; i++)
		if (layout_pads(t, n, w, i))
			return lt_fail(t->ctx, LT_EILLEGAL, "a layout has a pad or a swizzle, not both: gaps move what the swizzle moves");
	return LT_OK;
}

lt_status lt__layout_read(
	const struct lt_looptree *t, lt_node n, const struct lt_words *words, struct lt_memlayout **out)
{
	const struct lt_nodedef *d = &t->graph->node[n];
	struct lt_words all = *words, *w = &all;
	int64_t swizzle;
	if (d->n_dim == 0)
		return lt_fail(t->ctx, LT_EILLEGAL, "%%%s has no dims, so there is no order of its elements that a layout could "
			"change; give one to a value that has dims, or none", d->name);
	LT_TRY(read_swizzle(t, n, w, &swizzle));
	struct lt_digit *digit = LT_NEW(t->arena, struct lt_digit, w->n + 1);
	bool *ends = LT_NEW(t->arena, bool, d->n_dim + 1);              /* by dim: it is a digit itself */
	int32_t n_digit = 0;
	for (int32_t i = 0; i < w->n; i++) {
		if (layout_pads(t, n, w, i)) {
			int64_t pad;
			if (i + 1 >= w->n)
				return lt_fail(t->ctx, LT_EILLEGAL, "`pad` is followed by the elements of a gap, as in `pad 8`");
			LT_TRY(lt__word_number(t, &w->word[++i], "pad", &pad));
			if (n_digit == 0 && i + 1 < w->n)
				return lt_fail(t->ctx, LT_EILLEGAL, "`pad` comes behind a digit of a layout, and not before the first");
			if (n_digit > 0)
				digit[n_digit - 1].pad = pad;
			continue;
		}
		LT_TRY(read_digit(t, n, &w->word[i], &digit[n_digit]));
		ends[digit[n_digit].dim] = ends[digit[n_digit].dim] || digit[n_digit].step == 1;
		n_digit++;
	}
	LT_TRY(cut_digits(t, n, digit, n_digit));
	for (int32_t i = 0; i < d->n_dim; i++)
		if (!ends[i])
			return lt_fail(t->ctx, LT_EILLEGAL,
				"a layout of %%%s has each dim itself among its digits; `%s` is missing",
				d->name, t->graph->var[d->dim[i]].name);
	*out = lt__layout_new(t, n_digit, digit, 0);
	(*out)->swizzle = (int32_t)swizzle;
	return LT_OK;
}

void lt__layout_text(struct lt_text *x, const struct lt_looptree *t, lt_node n)
{
	const struct lt_memlayout *l = t->layout[n];
	lt__text_add(x, "[", 1);
	for (int32_t i = 0; i < l->n; i++) {
		lt__text_format(x, "%s%s", i ? " " : "", t->graph->var[t->graph->node[n].dim[l->digit[i].dim]].name);
		if (l->digit[i].step != 1)
			lt__text_format(x, "/%lld", (long long)l->digit[i].step);
		if (i == l->n - 1)
			lt__text_add(x, "]", 1);
		if (l->digit[i].pad)
			lt__text_format(x, " pad %lld", (long long)l->digit[i].pad);
	}
	if (l->swizzle)
		lt__text_format(x, " swizzle %d", (int)l->swizzle);
}

/* What is handed to the outside has the order that its dims say. */
lt_status lt__check_layouts(const struct lt_looptree *t)
{
	const struct lt_graph *g = t->graph;
	bool *outside = NULL;
	for (lt_node n = 0; n < g->n_node; n++) {
		if (!t->layout[n])
			continue;
		if (!outside) {
			outside = LT_NEW(t->arena, bool, g->n_node + 1);
			lt__mark_outside(g, outside);
			for (lt_node u = 0; u < g->n_node; u++)
				if (g->node[u].op == LT_OP_update)
					outside[u] = outside[g->node[u].operand[0]] = true;
		}
		if (outside[n])
			return lt__tree_fail(t, t->leaf_of[n], LT_EILLEGAL,
				"%%%s is a result, a state, part of an update or a tensor of a kernel of one's own: its order in "
				"memory is that of its dims; `materialize` it to have a copy in another order",
				g->node[n].name);
	}
	return LT_OK;
}
