/* Casts of halves that several products read: each gets its own, so that it multiplies the halves; and the mask that
 * several attentions read, causal, by lengths or a cast of halves that is added, so that each is a group of its own.
 *
 * A routine or a matrix instruction takes halves where the cast is the product's alone.  Cast once for all, the factor
 * would be stored in float32 and every product of it be one of float32.  CPUs have no such instruction: there the cast
 * is made once.
 */
#include "looptree/call/call.h"
#include "looptree/default/auto_group.h"
#include "looptree/derive/derive.h"

static bool is_half(enum lt_dtype t) { return t == LT_F16 || t == LT_BF16; }

static bool is_cast_of_half(const struct lt_auto *s, lt_node n)
{
	const struct lt_nodedef *d = &s->g->node[n];
	return d->op == LT_OP_cast && !d->reduce && d->dtype == LT_F32 && lt__has_leaf(s->g, n)
		&& is_half(s->g->node[d->operand[0]].dtype);
}

/* Whether a tile has a side along a dim that of the factors only this one has. */
static bool has_side(const struct lt_auto *s, lt_node factor, lt_node other, lt_node sum)
{
	const struct lt_nodedef *d = &s->g->node[factor];
	for (int32_t i = 0; i < d->n_dim; i++)
		if (s->g->var[d->dim[i]].extent >= LT_MIN_TILE_SIDE && !lt__has_dim(s->g, other, d->dim[i])
			&& lt__has_dim(s->g, sum, d->dim[i]))
			return true;
	return false;
}

/* Whether node n multiplies two such casts, rows by columns, for a sum alone. */
static bool multiplies_halves(const struct lt_auto *s, lt_node n)
{
	const struct lt_nodedef *d = &s->g->node[n];
	if (d->op != LT_OP_mul || d->reduce || !lt__has_leaf(s->g, n) || s->n_reader[n] != 1 || s->written[n])
		return false;
	lt_node sum = s->reader[n], left = d->operand[0], right = d->operand[1];
	return s->g->node[sum].op == LT_OP_add && s->g->node[sum].reduce && left != right && is_cast_of_half(s, left)
		&& is_cast_of_half(s, right) && has_side(s, left, right, sum) && has_side(s, right, left, sum);
}

/* Whether the target has a routine for attention whose scores are such. */
static bool takes_scores(const struct lt_target *t, enum lt_call_scores scores)
{
	for (int32_t i = 0; i < lt__routine_count(t); i++)
		if (lt__routine_is_graph(t, i) && lt__routine_at(t, i)->scores >> scores & 1)
			return true;
	return false;
}

/* A value without the casts and copies after it. */
static lt_node behind_casts(const struct lt_graph *g, lt_node n)
{
	while (!g->node[n].reduce && (g->node[n].op == LT_OP_cast || g->node[n].op == LT_OP_copy))
		n = g->node[n].operand[0];
	return n;
}

/* What makes the scores whose largest n is, where that is an addition: of a mask; -1. */
static lt_node masked_scores(const struct lt_auto *s, lt_node n)
{
	const struct lt_nodedef *d = &s->g->node[n];
	if (!d->reduce || d->op != LT_OP_max)
		return -1;
	n = behind_casts(s->g, d->operand[0]);
	return s->g->node[n].op == LT_OP_add && !s->g->node[n].reduce && lt__has_leaf(s->g, n) ? n : -1;
}

/* What says which keys count: comparisons with positions and with lengths, one of the latter at least, by whose names
 * and inverses it is joined. */
static bool says_which_count(const struct lt_auto *s, lt_node n, bool *by_length)
{
	const struct lt_nodedef *d = &s->g->node[n];
	if (!lt__has_leaf(s->g, n) || d->reduce || s->written[n])
		return false;
	if (lt__compares_length(s, n))
		return *by_length = true;
	if (d->op == LT_OP_and || d->op == LT_OP_or)
		return says_which_count(s, d->operand[0], by_length) && says_which_count(s, d->operand[1], by_length);
	return d->op == LT_OP_not ? says_which_count(s, d->operand[0], by_length) : lt__is_positional(s, n);
}

struct splitting { struct lt_auto *s; struct lt_derived_step *step; int32_t n, cap; };

/* The clone's name. */
static const char *split_for(struct splitting *x, lt_node of, const char *reader)
{
	struct lt_auto *s = x->s;
	const char *name = s->g->node[of].name,
		*made = lt__derived_name(s->t, lt__arena_format(s->t->arena, "%s.%s", name, reader));
	LT_GROW(s->t->arena, x->step, x->n, x->cap);
	x->step[x->n++] = (struct lt_derived_step){ .kind = LT_DERIVED_CLONE, .of = name, .reader = reader, .made = made };
	return made;
}

/* The reader gets a clone of what others read, too; the last reader of all keeps it. */
static void split(struct splitting *x, lt_node of, lt_node reader)
{
	struct lt_auto *s = x->s;
	if (s->n_reader[of] < 2 || s->written[of] || !lt__auto_same_class(s, reader, of))
		return;
	(void)split_for(x, of, s->g->node[reader].name);
	s->n_reader[of]--;
}

/* The same of a condition with all that it is made of; more: `by`, a clone, is a reader that does not count yet. */
static void split_condition(struct splitting *x, lt_node of, const char *by, bool more)
{
	struct lt_auto *s = x->s;
	const struct lt_nodedef *d = &s->g->node[of];
	const bool cloned = more || s->n_reader[of] > 1;
	if (!lt__has_leaf(s->g, of) || s->written[of] || !(d->dtype == LT_BOOL || lt__is_positional(s, of)))
		return;
	by = cloned ? split_for(x, of, by) : d->name;
	s->n_reader[of] -= cloned && !more;
	for (int32_t k = 0; k < d->n_operand; k++)
		if (k == 0 || d->operand[k] != d->operand[0])
			split_condition(x, d->operand[k], by, cloned);
}

/* For a machine with grids or routines. */
lt_status lt__auto_split_casts(struct lt_auto *s)
{
	struct splitting x = { .s = s };
	for (lt_node n = 0; n < s->g->n_node; n++) {
		const struct lt_nodedef *d = &s->g->node[n];
		lt__auto_aim(s, n);
		if (!lt__target_has_grid(s->target) && !lt__routine_count(s->target))
			continue;
		for (int32_t k = 0; k < 2 && multiplies_halves(s, n); k++)
			split(&x, d->operand[k], n);
		if (d->op == LT_OP_select && lt__has_leaf(s->g, n) && lt__is_positional(s, d->operand[0])
			&& takes_scores(s->target, LT_SCORES_CAUSAL))
			split(&x, d->operand[0], n);
		bool by_length = false;
		if (d->op == LT_OP_select && lt__has_leaf(s->g, n) && takes_scores(s->target, LT_SCORES_LENGTHS)
			&& lt__auto_same_class(s, n, d->operand[0]) && says_which_count(s, d->operand[0], &by_length) && by_length)
			split_condition(&x, d->operand[0], d->name, false);
		const lt_node masked = takes_scores(s->target, LT_SCORES_MASKED) ? masked_scores(s, n) : -1;
		for (int32_t k = 0; k < 2 && masked >= 0; k++)
			if (is_cast_of_half(s, s->g->node[masked].operand[k]))
				split(&x, s->g->node[masked].operand[k], masked);
	}
	if (x.n == 0)
		return LT_OK;
	LT_TRY(lt__tree_derive(s->t, x.step, x.n, NULL));
	s->g = s->t->graph;
	return lt__auto_survey(s);
}
