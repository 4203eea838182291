/* Why each product of a default tree is a call of a routine, or is made of loops, as `lt-run --explain` shows it. */
#include <string.h>
#include "looptree/default/auto_group.h"
#include "looptree/call/call.h"
#include "looptree/derive/derive.h"

/* "8 of 64 x 128 x 32": batches, rows, columns and what is summed over. */
static const char *sizes_text(struct lt_arena *a, double batch, double row, double column, double deep)
{
	const char *of = batch > 1 ? lt__arena_format(a, "%.0f of ", batch) : "";
	return lt__arena_format(a, "tree: product, %s%.0f x %.0f x %.0f", of, row, column, deep);
}

static double extents(const struct lt_auto *s, const struct lt_vars *list)
{
	double n = 1;
	for (int32_t i = 0; i < list->n; i++)
		n *= (double)s->g->var[list->at[i]].extent;
	return n;
}

static const char *product_sizes(const struct lt_auto *s, const struct lt_product *p)
{
	return sizes_text(s->t->arena, extents(s, &p->batch), extents(s, &p->row), extents(s, &p->column),
		extents(s, &p->contracted));
}

const char *lt__auto_call_reason(
	struct lt_arena *a, const struct lt_target *t, const struct lt_routine *r, const struct lt_callshape *c)
{
	double role[4] = { 1, 1, 1, 1 };
	for (int32_t i = 0; i < c->n_dim; i++)
		role[c->role[i]] *= (double)c->extent[i];
	const char *left = c->n_rounding ? lt__arena_format(a, "; %d rounding%s left out", (int)c->n_rounding,
		c->n_rounding > 1 ? "s are" : " is") : "";
	return lt__arena_format(a, "%s: a call of %s, which is taken from %.3g operations on, and these are %.3g%s",
		sizes_text(a, role[LT_DIM_BATCH], role[LT_DIM_ROW], role[LT_DIM_COLUMN], role[LT_DIM_DEEP]), r->name,
		(double)lt__routine_min_flops(t, r, c), (double)lt__call_flops(c), left);
}

/* A sum of squares, or of two values element by element, is not a work for a routine: it belongs to the nest that reads
 * it. */
static bool is_matrix(const struct lt_callshape *c)
{
	for (int32_t i = 0; i < c->n_dim; i++)
		if ((c->role[i] == LT_DIM_ROW || c->role[i] == LT_DIM_COLUMN) && c->extent[i] > 1)
			return true;
	return false;
}

static const char *has_few_flops(
	struct lt_arena *a, const struct lt_target *t, const struct lt_routine *r, const struct lt_callshape *c)
{
	return lt__call_flops(c) >= lt__routine_min_flops(t, r, c) ? NULL
		: lt__arena_format(a, "%.3g operations are fewer than the %.3g from which on %s is called",
			(double)lt__call_flops(c), (double)lt__routine_min_flops(t, r, c), r->name);
}

static const char no_matrix[] = "it has neither rows nor columns";

const char *lt__auto_avoids_product(
	struct lt_arena *a, const struct lt_target *t, const struct lt_routine *r, const struct lt_callshape *c)
{
	if (c->pattern != LT_PATTERN_PRODUCT)
		return "it is no product, with a bias, a residual or an activation behind it";
	const char *why = is_matrix(c) ? lt__routine_refuses(a, t, r, c) : no_matrix;
	return why ? why : has_few_flops(a, t, r, c);
}

bool lt__auto_stores_cast(const struct lt_auto *s, lt_node mul, const lt_node *member, int32_t n)
{
	enum { FEW = 8 };               /* uses of an element that are worth storing its cast */
	const struct lt_leaf *leaf = s->t->leaf[mul];
	for (int32_t k = 0; k < leaf->n_read; k++) {
		lt_node base = leaf->read[k].n_piece == 1 ? leaf->read[k].piece[0].base : -1;
		int64_t uses = 1;
		if (base < 0 || s->g->node[base].op != LT_OP_cast || s->n_reader[base] != 1 || lt__has(member, n, base))
			continue;
		for (int32_t i = 0; i < leaf->n_var && uses < FEW; i++)
			uses *= lt__auto_stride(s->g, &leaf->read[k].piece[0], i) ? 1 : s->g->var[leaf->var[i]].extent;
		if (uses < FEW)
			return true;
	}
	return false;
}

const char *lt__auto_call_refusal(struct lt_arena *a, const struct lt_target *t, const struct lt_callshape *c)
{
	const char *why = is_matrix(c) ? NULL : no_matrix;
	if (why)
		return why;
	for (int32_t i = 0; i < lt__routine_count(t); i++) {
		const struct lt_routine *r = lt__routine_at(t, i);
		const char *refuses = r->pattern == LT_PATTERN_PRODUCT ? lt__routine_refuses(a, t, r, c) : NULL;
		if (r->pattern == LT_PATTERN_PRODUCT && !refuses)
			return has_few_flops(a, t, r, c);
		if (refuses && (!why || (r->left >> c->dtype[1] & 1)))
			why = lt__arena_format(a, "%s: %s", r->name, refuses);
	}
	return why;
}

static const char *not_called(const struct lt_auto *s, lt_node sum)
{
	if (!lt__routine_count(s->target))
		return "the target has no routines to call";
	for (int32_t i = 0; i < s->n_reason; i++)
		if (s->reason[i].of == LT_WHY_NO_CALL && strcmp(s->reason[i].sum, s->g->node[sum].name) == 0)
			return s->reason[i].why;
	return "no routine computes it with what is before and after it";
}

static const char *loops_reason(const struct lt_auto *s, const struct lt_product *p)
{
	struct lt_arena *a = s->t->arena;
	const char *sizes = product_sizes(s, p), *why = not_called(s, p->sum);
	const struct lt_product_mma *x = p->tiles;
	const struct lt_product_simt *b = p->blocks;
	const char *part = p->part >= 0 ? lt__arena_format(a, ", in parts of %lld terms that a second kernel adds",
		(long long)p->block_k) : "";
	if (p->form == LT_PRODUCT_GPU_MMA)
		return lt__arena_format(a, "%s: loops with %s, blocks have %lld x %lld elements, warps %lld x %lld, slices of %lld "
			"terms in %d buffers%s; no call: %s", sizes, x->name, (long long)x->block[0], (long long)x->block[1],
			(long long)x->warp[0], (long long)x->warp[1], (long long)x->slice, (int)x->depth, part, why);
	return lt__arena_format(a, "%s: loops, blocks of %d threads have %lld x %lld elements, threads %lld x %lld, slices of "
		"%lld terms in %d buffer%s%s; no call: %s", sizes, (int)b->threads, (long long)b->factor[0].tile,
		(long long)b->factor[1].tile, (long long)b->factor[0].thread, (long long)b->factor[1].thread, (long long)b->slice,
		(int)b->depth, b->depth == 1 ? "" : "s", part, why);
}

static void reason_add(struct lt_auto *s, lt_node sum, const char *text)
{
	struct lt_looptree *t = s->t;
	LT_GROW(t->arena, t->note, t->n_note, t->cap_note);
	t->note[t->n_note++] = (struct lt_tnote){ sum, text };
}

/* By name: once the tree has derived nodes they have other numbers, and the names are of another graph. */
static void reason_keep(struct lt_auto *s, lt_node n, const char *why, enum lt_why of)
{
	LT_GROW(s->t->arena, s->reason, s->n_reason, s->cap_reason);
	s->reason[s->n_reason++] =
		(struct lt_auto_reason){ lt__arena_string(s->t->arena, s->g->node[n].name), why, of };
}

void lt__auto_call_because(struct lt_auto *s, lt_node sum, bool called, const char *why)
{
	reason_keep(s, sum, why, called ? LT_WHY_CALL : LT_WHY_NO_CALL);
}

void lt__auto_uncalled_because(struct lt_auto *s, lt_node sum, const char *why)
{
	lt__auto_call_because(s, sum, false, "the one that it had was refused");
	reason_keep(s, sum, lt__arena_format(s->t->arena, "tree: no call, as the one that it had was refused: %s", why),
		LT_WHY_UNCALLED);
}

void lt__auto_group_because(struct lt_auto *s, lt_node n, const char *text)
{
	reason_keep(s, n, text, LT_WHY_GROUP);
}

void lt__product_reason_plain(struct lt_auto *s, const struct lt_product *p)
{
	const char *why = lt__arena_format(s->t->arena, "%s: no tiles of blocks, for which it has too few rows, columns or "
		"terms, or other types or dims; no call: %s", product_sizes(s, p), not_called(s, p->sum));
	reason_keep(s, p->sum, why, LT_WHY_PLAIN);
}

void lt__product_reasons(struct lt_auto *s)
{
	for (int32_t i = 0; i < s->n_product; i++)
		if (s->product[i].form == LT_PRODUCT_GPU_SIMT || s->product[i].form == LT_PRODUCT_GPU_MMA) {
			lt__auto_aim(s, s->product[i].sum);
			reason_add(s, s->product[i].sum, loops_reason(s, &s->product[i]));
		}
	for (int32_t i = 0; i < s->n_reason; i++) {
		lt_node n = s->reason[i].of == LT_WHY_NO_CALL ? -1 : lt__tree_node_named(s->t, s->reason[i].sum);
		if (n >= 0 && s->t->leaf_of[n] >= 0)
			reason_add(s, n, s->reason[i].why);
	}
}
