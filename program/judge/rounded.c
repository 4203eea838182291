/* rounded.c -- steps: by how much an element moves where the last rounding to a whole number goes the other way.
 *
 * Example: y = (cast u8 round(x / s) - z) * s.  A backend whose x is right up to the last places may round to the
 * number beside that of the reference, and then y is off by s.  The nodes that round last before a result are found in
 * the graph: round, floor, ceil, and a cast of a float to an integer that none of these made whole.  Where what they
 * round is inexact (it moved in a run), their values are moved by one, up and down, and what comes after them is
 * evaluated: sums and products, which many elements share, are as in the reference.
 *
 * What comes after them is also evaluated with the sums and the random errors of a run, and with these roundings as in
 * the reference: how far an element moves there is what rounding does to it where no number goes the other way.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "program/judge/parts.h"

static bool makes_whole(const struct lt_nodedef *d)
{
	return (d->op == LT_OP_round || d->op == LT_OP_floor || d->op == LT_OP_ceil) && !d->reduce;
}

/* A fold of many elements. */
static bool adds_up(const struct lt_nodedef *d) { return d->reduce && (d->op == LT_OP_add || d->op == LT_OP_mul); }

static bool truncates(const struct lt_graph *g, const struct lt_nodedef *d)
{
	return d->op == LT_OP_cast && lt__dtype_info(d->dtype)->cls == LT_CLASS_INT
		&& lt__dtype_info(g->node[d->operand[0]].dtype)->cls == LT_CLASS_FLOAT;
}

static int32_t n_output(const struct lt_graph *g) { return g->n_result + g->n_set; }

static lt_node output_node(const struct lt_graph *g, int32_t i)
{
	return i < g->n_result ? g->result[i].node : g->set[i - g->n_result].value;
}

static const void *output_value(const struct lt_graph *g, const struct lt_evaluation *e, int32_t i)
{
	return i < g->n_result ? lt_eval_result(e, i, NULL) : lt_eval_state(e, i - g->n_result, NULL);
}

static size_t node_bytes(const struct lt_graph *g, lt_node n)
{
	return (size_t)lt__node_elems(g, n) * lt__dtype_info(g->node[n].dtype)->bytes;
}

/* Of each node that the results are made of: 0: it is not looked at; what it is. */
enum { BEHIND = 1, LAST_ROUNDING = 2, GIVEN = 4, IS_WHOLE = 8, WANTED = 16 };

static void find_roundings(const struct lt_graph *g, unsigned char *is)
{
	for (int32_t i = 0; i < n_output(g); i++)
		is[output_node(g, i)] = BEHIND;
	for (lt_node n = g->n_node - 1; n >= 0; n--) {
		const struct lt_nodedef *d = &g->node[n];
		if (!is[n])
			continue;
		if (makes_whole(d))
			is[n] |= LAST_ROUNDING | IS_WHOLE;
		else if (adds_up(d))
			is[n] |= GIVEN;
		else
			for (int32_t i = 0; i < d->n_operand; i++)
				is[d->operand[i]] |= BEHIND;
	}
	for (lt_node n = 0; n < g->n_node; n++) {
		const struct lt_nodedef *d = &g->node[n];
		if (!is[n] || is[n] & (LAST_ROUNDING | GIVEN))
			continue;
		for (int32_t i = 0; i < d->n_operand; i++)
			is[n] |= is[d->operand[i]] & IS_WHOLE;
		if (truncates(g, d) && !(is[n] & IS_WHOLE))
			is[n] |= LAST_ROUNDING | IS_WHOLE;
	}
}

/* By how many ways a node's elements read elements of the last roundings: 0, 1, 2: several, which may be several
 * elements. */
static void count_ways(const struct lt_graph *g, const unsigned char *is, unsigned char *ways)
{
	for (lt_node n = 0; n < g->n_node; n++) {
		const struct lt_nodedef *d = &g->node[n];
		const bool reads_one = d->op == LT_OP_view || d->op == LT_OP_update;
		ways[n] = is[n] & LAST_ROUNDING ? 1 : 0;
		if (!is[n] || is[n] & (LAST_ROUNDING | GIVEN))
			continue;
		for (int32_t i = 0; i < d->n_operand; i++) {
			unsigned char of = ways[d->operand[i]], all = (unsigned char)(ways[n] + of);
			ways[n] = !reads_one ? all : of > ways[n] ? of : ways[n];
			ways[n] = ways[n] > 2 ? 2 : ways[n];
		}
		ways[n] = d->reduce && ways[n] ? 2 : ways[n];
	}
}

static void add_want(struct lt_rounded *r, unsigned char *is, lt_node n)
{
	if (!(is[n] & WANTED))
		r->want[r->n_want++] = n;
	is[n] |= WANTED;
}

lt_status lt__rounded_new(const struct lt_graph *g, struct lt_rounded **out)
{
	const size_t n = (size_t)g->n_node + 1;
	unsigned char *is = calloc(n, 1), *ways = calloc(n, 1);
	struct lt_rounded *r = *out = calloc(1, sizeof *r);
	if (r)
		*r = (struct lt_rounded){ .g = g, .round = calloc(n, sizeof *r->round), .given = calloc(n, sizeof *r->given),
			.want = calloc(2 * n, sizeof *r->want), .moved = calloc(n, sizeof *r->moved),
			.step = calloc((size_t)n_output(g) + 1, sizeof *r->step),
			.least = calloc((size_t)n_output(g) + 1, sizeof *r->least),
			.held = calloc((size_t)n_output(g) + 1, sizeof *r->held),
			.alone = calloc((size_t)n_output(g) + 1, sizeof *r->alone) };
	if (!is || !ways || !r || !r->round || !r->given || !r->want || !r->moved || !r->step || !r->least || !r->held
		|| !r->alone) {
		free(is);
		free(ways);
		lt__rounded_free(r);
		*out = NULL;
		return lt_fail(g->ctx, LT_ENOMEM, "out of memory");
	}
	find_roundings(g, is);
	count_ways(g, is, ways);
	for (int32_t i = 0; i < n_output(g); i++)
		r->alone[i] = ways[output_node(g, i)] == 1;
	for (lt_node x = 0; x < g->n_node; x++) {
		if (is[x] & LAST_ROUNDING)
			r->round[r->n_round++] = x;
		if (is[x] & GIVEN)
			r->given[r->n_given++] = x;
	}
	for (int32_t i = 0; i < n_output(g); i++)
		add_want(r, is, output_node(g, i));
	for (int32_t i = 0; i < r->n_round; i++) {
		add_want(r, is, r->round[i]);
		add_want(r, is, g->node[r->round[i]].operand[0]);
	}
	for (int32_t i = 0; i < r->n_given; i++)
		add_want(r, is, r->given[i]);
	free(is);
	free(ways);
	if (r->n_round == 0) {
		lt__rounded_free(r);
		*out = NULL;
	}
	return LT_OK;
}

void lt__rounded_free(struct lt_rounded *r)
{
	if (!r)
		return;
	for (int32_t i = 0; r->moved && i < r->n_round; i++)
		free(r->moved[i]);
	for (int32_t i = 0; r->step && i < n_output(r->g); i++)
		free(r->step[i]);
	for (int32_t i = 0; r->least && i < n_output(r->g); i++)
		free(r->least[i]);
	lt_eval_free(r->tail);
	free(r->round);
	free(r->given);
	free(r->want);
	free(r->moved);
	free(r->step);
	free(r->least);
	free(r->held);
	free(r->alone);
	free(r);
}

lt_status lt__rounded_add_run(
	struct lt_rounded *r, const struct lt_evaluation *reference, const struct lt_evaluation *run)
{
	for (int32_t i = 0; i < r->n_round; i++) {
		lt_node x = r->g->node[r->round[i]].operand[0];
		const char *a = lt_eval_value(reference, x, NULL), *b = lt_eval_value(run, x, NULL);
		size_t bytes = lt__dtype_info(r->g->node[x].dtype)->bytes, n = node_bytes(r->g, x) / bytes;
		if (!r->moved[i])
			r->moved[i] = calloc(n + 1, 1);
		if (!r->moved[i])
			return lt_fail(r->g->ctx, LT_ENOMEM, "out of memory");
		for (size_t k = 0; k < n; k++)
			r->moved[i][k] |= memcmp(a + k * bytes, b + k * bytes, bytes) != 0;
	}
	return LT_OK;
}

/* -- moving the roundings -- */

/* The values of rounding i, moved by one where they may be wrong. */
static void move_values(const struct lt_rounded *r, int32_t i, const void *from, bool up, void *to)
{
	const struct lt_nodedef *d = &r->g->node[r->round[i]];
	const struct lt_dtypeinfo *info = lt__dtype_info(d->dtype);
	const double lowest = info->cls == LT_CLASS_FLOAT || info->is_signed ? -info->largest - 1 : 0;
	for (int64_t k = 0; k < lt__node_elems(r->g, r->round[i]); k++) {
		union lt_scalar x = lt__load(from, k, d->dtype);
		double value = lt__as_double(x, d->dtype);
		if (r->moved[i][k] && info->cls == LT_CLASS_FLOAT && isfinite(value))
			x = lt__round_to((union lt_scalar){ .f = value + (up ? 1 : -1) }, d->dtype);
		else if (r->moved[i][k] && info->cls != LT_CLASS_FLOAT && (up ? value < info->largest : value > lowest))
			x.i += up ? 1 : -1;
		lt__store(to, k, d->dtype, x);
	}
}

static lt_status note_step(struct lt_rounded *r, const struct lt_evaluation *reference, int32_t i, const void *moved)
{
	const struct lt_graph *g = r->g;
	enum lt_dtype t = g->node[output_node(g, i)].dtype;
	int64_t n = lt__node_elems(g, output_node(g, i));
	const void *value = output_value(g, reference, i);
	if (!r->step[i])
		r->step[i] = calloc((size_t)n + 1, sizeof **r->step);
	if (!r->least[i] && r->alone[i])
		r->least[i] = calloc((size_t)n + 1, sizeof **r->least);
	if (!r->step[i] || (r->alone[i] && !r->least[i]))
		return lt_fail(g->ctx, LT_ENOMEM, "out of memory");
	for (int64_t k = 0; k < n; k++) {
		double step = fabs(lt__signed_distance(moved, value, k, t));
		if (!(step > 0 && step < INFINITY))
			continue;
		r->step[i][k] = fmax(step, r->step[i][k]);
		if (r->alone[i])
			r->least[i][k] = r->least[i][k] > 0 ? fmin(step, r->least[i][k]) : step;
	}
	return LT_OK;
}

/* What comes after the roundings and the sums: their values, and what is computed of them. */
struct tail {
	const void **given;             /* by node */
	lt_node *want; int32_t n_want;
};

static void tail_free(struct tail *t)
{
	free(t->given);
	free(t->want);
}

/* The sums of an evaluation; the roundings of the reference. */
static lt_status tail_new(const struct lt_rounded *r, const struct lt_evaluation *reference,
	const struct lt_evaluation *sums, struct tail *t)
{
	const struct lt_graph *g = r->g;
	*t = (struct tail){ .given = calloc((size_t)g->n_node + 1, sizeof *t->given),
		.want = calloc((size_t)n_output(g) + 1, sizeof *t->want) };
	if (!t->given || !t->want)
		return lt_fail(g->ctx, LT_ENOMEM, "out of memory");
	for (int32_t i = 0; i < r->n_round; i++)
		t->given[r->round[i]] = lt_eval_value(reference, r->round[i], NULL);
	for (int32_t i = 0; i < r->n_given; i++)
		t->given[r->given[i]] = lt_eval_value(sums, r->given[i], NULL);
	for (int32_t i = 0; i < n_output(g); i++) {
		lt_node n = output_node(g, i);
		bool there = t->given[n] != NULL;
		for (int32_t k = 0; k < t->n_want; k++)
			there |= t->want[k] == n;
		if (!there)
			t->want[t->n_want++] = n;
	}
	return LT_OK;
}

static void drop_tail(struct lt_rounded *r)
{
	lt_eval_free(r->tail);
	r->tail = NULL;
	for (int32_t i = 0; i < n_output(r->g); i++)
		r->held[i] = NULL;
}

/* What the tail is with its values, evaluated as the options say: r->held, until it is evaluated again.  An index that
 * would be another: nothing is known, and r->held is all NULL. */
static lt_status run_tail(
	struct lt_rounded *r, const void *const *source, const struct lt_eval_options *as, const struct tail *t)
{
	const struct lt_graph *g = r->g;
	struct lt_eval_options o = *as;
	drop_tail(r);
	o.given = t->given;
	o.want = t->want;
	o.n_want = t->n_want;
	o.progress = NULL;
	lt_status st = t->n_want > 0 ? lt_eval_with(g, source, &o, &r->tail) : LT_OK;
	for (int32_t i = 0; i < n_output(g) && !st; i++) {
		const void *given = t->given[output_node(g, i)];
		r->held[i] = given ? given : output_value(g, r->tail, i);
	}
	if (st == LT_EFAULT)
		lt_context_clear(g->ctx);
	return st == LT_EFAULT ? LT_OK : st;
}

lt_status lt__rounded_hold(struct lt_rounded *r, const void *const *source, const struct lt_eval_options *as,
	const struct lt_evaluation *reference, const struct lt_evaluation *run)
{
	struct tail t;
	lt_status st = tail_new(r, reference, run, &t);
	st = st ? st : run_tail(r, source, as, &t);
	tail_free(&t);
	return st;
}

static void free_values(void **value, int32_t n)
{
	for (int32_t i = 0; value && i < n; i++)
		free(value[i]);
	free(value);
}

/* Room for the values of the roundings, moved, which the tail is given. */
static lt_status new_values(const struct lt_rounded *r, struct tail *t, void ***out)
{
	void **value = *out = calloc((size_t)r->n_round + 1, sizeof *value);
	bool good = value != NULL;
	for (int32_t i = 0; good && i < r->n_round; i++) {
		t->given[r->round[i]] = value[i] = malloc(node_bytes(r->g, r->round[i]) + 1);
		good = value[i] != NULL;
	}
	return good ? LT_OK : lt_fail(r->g->ctx, LT_ENOMEM, "out of memory");
}

/* All of them up, all down; and so that of any two, one goes up and the other down. */
lt_status lt__rounded_find_steps(
	struct lt_rounded *r, const void *const *source, const struct lt_evaluation *reference)
{
	const struct lt_eval_options exact = { 0 };
	struct tail t;
	void **value = NULL;
	lt_status st = tail_new(r, reference, reference, &t);
	st = st ? st : new_values(r, &t, &value);
	for (int32_t i = 0; i < n_output(r->g) && !st; i++) {
		size_t bytes = (size_t)lt__node_elems(r->g, output_node(r->g, i)) * sizeof(double);
		if (r->step[i])
			memset(r->step[i], 0, bytes);
		if (r->least[i])
			memset(r->least[i], 0, bytes);
	}
	for (int32_t bit = -1; !st && (bit < 0 || r->n_round - 1 >= INT32_C(1) << bit); bit++)
		for (int up = 0; up < 2 && !st; up++) {
			for (int32_t i = 0; i < r->n_round; i++)
				move_values(r, i, lt_eval_value(reference, r->round[i], NULL), (bit >= 0 && i >> bit & 1) != up, value[i]);
			st = run_tail(r, source, &exact, &t);
			for (int32_t i = 0; i < n_output(r->g) && !st; i++)
				st = r->held[i] ? note_step(r, reference, i, r->held[i]) : LT_OK;
		}
	drop_tail(r);                   /* it has what is freed here */
	free_values(value, r->n_round);
	tail_free(&t);
	return st;
}
