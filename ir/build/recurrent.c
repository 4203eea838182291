/* recurrent.c -- RNN, GRU and LSTM: their steps one after the other (build.h), each a round (rounds.c). */
#include "ir/build/parts.h"

const struct lt_recurrent_info lt__recurrent_info[LT_RECURRENTS] = {
	[LT_RECURRENT_RNN] = { "RNN", 1, 1, false, { "Tanh" } },
	[LT_RECURRENT_GRU] = { "GRU", 3, 2, false, { "Sigmoid", "Tanh" } },
	[LT_RECURRENT_LSTM] = { "LSTM", 4, 3, true, { "Sigmoid", "Tanh", "Tanh" } },
};

/* One direction while its steps are made. */
struct recurrence {
	struct lt_graph *g;
	const struct lt_recurrent *of;
	const struct lt_recurrent_act *act;
	lt_node r, rb;          /* [H, n H], [n H]; rb LT_OMIT: there is none */
	lt_node peephole;       /* [3 H], or LT_OMIT */
	lt_node h, cell;        /* [B, H] */
	lt_var steps;           /* T */
	bool backwards;
	lt_node going;          /* [T, B], by round: whether a sequence has that step; LT_OMIT: all have all */
	bool is_zero;           /* h: the first one of a sequence that is not given any */
};

static lt_node activation(struct recurrence *u, int i, lt_node x)
{
	return u->act[i].function->build(u->g, x, u->act[i].a, u->act[i].b);
}

static lt_node clipped(struct recurrence *u, int i, lt_node x)
{
	const double clip = u->of->clip;
	if (clip > 0)
		x = lt__pos_opf(u->g, "min", lt__pos_opf(u->g, "max", x, -clip), clip);
	return activation(u, i, x);
}

/* Gates from .. from + n - 1 along the last axis. */
static lt_node gates(struct recurrence *u, lt_node x, int64_t from, int64_t n)
{
	const int64_t hidden = u->of->hidden;
	return lt__pos_slice(u->g, x, lt__pos_rank(u->g, x) - 1, from * hidden, (from + n) * hidden, 1);
}

/* Gates of h R + rb, where h is u->h or a multiple of it. */
static lt_node recurrent_product(struct recurrence *u, lt_node h, int64_t from, int64_t n)
{
	if (u->is_zero && u->rb != LT_OMIT)
		return gates(u, u->rb, from, n);
	if (u->is_zero) {
		lt_var v = lt_graph_var(u->g, NULL, n * u->of->hidden);
		return lt__pos_view(u->g, lt_graph_literal(u->g, lt_node_dtype(u->g, h), 0), 1, &v, NULL);
	}
	lt_node y = lt_build_matmul(u->g, h, gates(u, u->r, from, n));
	return u->rb == LT_OMIT ? y : lt__pos_op2(u->g, "add", y, gates(u, u->rb, from, n));
}

static lt_node rnn_step(struct recurrence *u, lt_node x)
{
	return clipped(u, 0, lt__pos_op2(u->g, "add", x, recurrent_product(u, u->h, 0, 1)));
}

/* Gates z, r, h; those of the state itself are one product. */
static lt_node gru_step(struct recurrence *u, lt_node x)
{
	struct lt_graph *g = u->g;
	const bool linear = u->of->linear_before_reset;
	lt_node h_share = recurrent_product(u, u->h, 0, linear ? 3 : 2), share;
	lt_node z = clipped(u, 0, lt__pos_op2(g, "add", gates(u, x, 0, 1), gates(u, h_share, 0, 1)));
	lt_node r = clipped(u, 0, lt__pos_op2(g, "add", gates(u, x, 1, 1), gates(u, h_share, 1, 1)));
	if (linear)
		share = lt__pos_op2(g, "mul", r, gates(u, h_share, 2, 1));
	else
		share = recurrent_product(u, lt__pos_op2(g, "mul", r, u->h), 2, 1);
	lt_node h = clipped(u, 1, lt__pos_op2(g, "add", gates(u, x, 2, 1), share));
	lt_node new = lt__pos_op2(g, "mul", lt__pos_opr(g, "sub", 1, z), h);
	return lt__pos_op2(g, "add", new, lt__pos_op2(g, "mul", z, u->h));
}

/* Gate `i` of the LSTM with its peephole `p` at a cell. */
static lt_node lstm_gate(struct recurrence *u, lt_node all, int64_t i, int64_t p, lt_node cell)
{
	lt_node x = gates(u, all, i, 1);
	if (u->peephole != LT_OMIT)
		x = lt__pos_op2(u->g, "add", x, lt__pos_op2(u->g, "mul", gates(u, u->peephole, p, 1), cell));
	return clipped(u, 0, x);
}

/* Gates i, o, f, c; peepholes i, o, f. */
static lt_node lstm_step(struct recurrence *u, lt_node x)
{
	struct lt_graph *g = u->g;
	lt_node all = lt__pos_op2(g, "add", x, recurrent_product(u, u->h, 0, 4));
	lt_node i = lstm_gate(u, all, 0, 0, u->cell);
	lt_node f = u->of->input_forget ? lt__pos_opr(g, "sub", 1, i) : lstm_gate(u, all, 2, 2, u->cell);
	lt_node c = clipped(u, 1, gates(u, all, 3, 1)), kept = lt__pos_op2(g, "mul", f, u->cell);
	u->cell = lt__pos_op2(g, "add", kept, lt__pos_op2(g, "mul", i, c));
	lt_node o = lstm_gate(u, all, 1, 1, u->cell);
	return lt__pos_op2(g, "mul", o, activation(u, 2, u->cell));
}

/* The next h, from x's share of a step. */
static lt_node (*const steps_of[LT_RECURRENTS])(struct recurrence *, lt_node x) = {
	[LT_RECURRENT_RNN] = rnn_step, [LT_RECURRENT_GRU] = gru_step, [LT_RECURRENT_LSTM] = lstm_step,
};

/* Direction d of an operand, in the type of computation; LT_OMIT stays. */
static lt_node of_direction(struct lt_graph *g, lt_node x, int32_t axis, int64_t d)
{
	return x == LT_OMIT ? LT_OMIT : lt__pos_at(g, lt__build_wide(g, x), axis, d);
}

/* The first state [B, H]: an operand [D, B, H] (batch_first [B, D, H]), or 0. */
static lt_node first_state(struct recurrence *u, lt_node state, int64_t d, lt_node x)
{
	struct lt_graph *g = u->g;
	if (state != LT_OMIT)
		return of_direction(g, state, u->of->batch_first, d);
	lt_var v[2];
	v[0] = lt__pos_like(g, x, 1);
	v[1] = lt_graph_var(g, NULL, u->of->hidden);
	return x < 0 ? LT_NONE : lt__pos_view(g, lt_graph_literal(g, lt_node_dtype(g, x), 0), 2, v, NULL);
}

static lt_node by_round(struct recurrence *u, lt_node x)
{
	return lt__rounds_of(u->g, u->steps, x, u->backwards);
}

static lt_node joined(struct recurrence *u, lt_node *y)
{
	return lt__rounds_joined(u->g, u->steps, y, u->backwards && !u->g->var[u->steps].bounded);
}

/* h and the cell stay where a sequence is over, and its result is 0. */
static lt_node masked(struct recurrence *u, int64_t i, lt_node h, lt_node old_cell)
{
	struct lt_graph *g = u->g;
	if (u->going == LT_OMIT || h < 0) {
		u->h = h;
		return h;
	}
	lt_node going = lt__pos_insert(g, lt__pos_at(g, u->going, 0, i), 1);
	u->h = lt__pos_select(g, going, h, u->h);
	if (u->of->kind == LT_RECURRENT_LSTM)
		u->cell = lt__pos_select(g, going, u->cell, old_cell);
	return lt__pos_select(g, going, h, lt_graph_literal(g, lt_node_dtype(g, h), 0));
}

/* x's share of all rounds, with the bias of x.  In rounds that a run does not have it is the bias: it is a value, no
 * view, so that what a round reads of it does not depend on the run. */
static lt_node input_share(struct recurrence *u, lt_node x, lt_node w, lt_node bias, int64_t n)
{
	struct lt_graph *g = u->g;
	lt_node share = lt_build_matmul(g, x, lt__pos_swap(g, w, 0, 1));
	lt_node b = bias == LT_OMIT ? LT_OMIT : lt__pos_slice(g, bias, 0, 0, n, 1);
	if (!g->var[u->steps].bounded)
		return by_round(u, b == LT_OMIT ? share : lt__pos_op2(g, "add", share, b));
	share = by_round(u, share);
	if (b != LT_OMIT || share < 0)
		return lt__pos_op2(g, "add", share, b);
	return lt__rounds_else(g, u->steps, share, lt_graph_literal(g, lt_node_dtype(g, share), 0));
}

/* Which step each round is, [rounds, 1], of the type of the lengths. */
static lt_node step_numbers(struct recurrence *u)
{
	struct lt_graph *g = u->g;
	lt_node step = lt_graph_index(g, lt_graph_var(g, NULL, g->var[u->steps].extent));
	if (u->backwards)
		step = lt__pos_op2(g, "sub", lt__pos_opf(g, "sub", lt__build_extent(g, u->steps, LT_I64), 1), step);
	return lt_graph_cast(g, lt__pos_insert(g, step, 1), lt_node_dtype(g, u->of->lengths));
}

/* All steps of direction d over x [T, B, I]: y [T, B, H]. */
static lt_node run_direction(struct recurrence *u, lt_node x, int64_t d)
{
	const struct lt_recurrent *of = u->of;
	struct lt_graph *g = u->g;
	u->steps = x < 0 ? LT_NONE : lt_node_dim(g, x, 0);
	if (x < 0)
		return LT_NONE;
	const int64_t rounds = lt__pos_extent(g, x, 0), n = lt__recurrent_info[of->kind].n_gate * of->hidden;
	const bool bounded = lt__pos_bounded(g, x, 0), lstm = of->kind == LT_RECURRENT_LSTM;
	lt_node w = of_direction(g, of->w, 0, d), bias = of_direction(g, of->bias, 0, d);
	u->backwards = of->backwards || d == 1;
	u->act = of->act[d];
	u->r = lt__pos_swap(g, of_direction(g, of->r, 0, d), 0, 1);
	u->rb = bias == LT_OMIT ? LT_OMIT : lt__pos_slice(g, bias, 0, n, 2 * n, 1);
	u->peephole = of_direction(g, of->peephole, 0, d);
	u->h = first_state(u, of->h, d, x);
	u->cell = lstm ? first_state(u, of->cell, d, x) : LT_OMIT;
	const lt_node first_h = u->h, first_cell = u->cell, share = input_share(u, x, w, bias, n);
	u->going = of->lengths == LT_OMIT ? LT_OMIT : lt__pos_op2(g, "less", step_numbers(u), of->lengths);
	lt_node *y = LT_NEW(g->arena, lt_node, rounds), *h = LT_NEW(g->arena, lt_node, rounds),
		*cell = LT_NEW(g->arena, lt_node, rounds);
	for (int64_t i = 0; i < rounds; i++) {
		u->is_zero = i == 0 && of->h == LT_OMIT;
		lt_node old_cell = u->cell, out = steps_of[of->kind](u, lt__pos_at(g, share, 0, i));
		y[i] = lt__pos_insert(g, masked(u, i, out, old_cell), 0);
		if (y[i] < 0)
			return LT_NONE;
		h[i] = bounded ? lt__pos_insert(g, u->h, 0) : LT_NONE;
		cell[i] = bounded && lstm ? lt__pos_insert(g, u->cell, 0) : LT_NONE;
	}
	lt_node all = joined(u, y);
	if (bounded) {
		u->h = lt__rounds_last(g, u->steps, u->going == LT_OMIT ? all : joined(u, h), first_h);
		u->cell = lstm ? lt__rounds_last(g, u->steps, joined(u, cell), first_cell) : LT_OMIT;
	}
	return bounded && u->backwards ? lt__rounds_turned(g, u->steps, all) : all;
}

/* An operand of that shape, where -1 is x's number of sequences; LT_OMIT is. */
static bool operand_fits(const struct lt_graph *g, const struct lt_recurrent *u, lt_node x, const char *what,
	int32_t rank, const int64_t *shape)
{
	const lt_var sequences = lt_node_dim(g, u->x, !u->batch_first);
	bool fits = x == LT_OMIT || lt_node_rank(g, x) == rank;
	for (int32_t i = 0; x != LT_OMIT && fits && i < rank; i++)
		fits = shape[i] < 0 ? lt__var_same_range(g, lt_node_dim(g, x, i), sequences) :
			lt__pos_extent(g, x, i) == shape[i] && !lt__pos_bounded(g, x, i);
	if (!fits)
		lt__graph_fail(g, LT_ETYPE,
			"%s has the shape %s, which does not fit x %s, %d directions and %lld elements of a state",
			what, lt__pos_shape(g, x), lt__pos_shape(g, u->x), (int)u->n_direction, (long long)u->hidden);
	return fits;
}

static bool operands_fit(const struct lt_graph *g, const struct lt_recurrent *u)
{
	const int64_t d = u->n_direction, hidden = u->hidden, n = lt__recurrent_info[u->kind].n_gate * hidden;
	if (u->x < 0 || u->w < 0 || u->r < 0)
		return false;
	const int64_t input = lt_node_rank(g, u->x) == 3 ? lt__pos_extent(g, u->x, 2) : 0;
	const int64_t w[] = { d, n, input }, r[] = { d, n, hidden };
	bool fits = input > 0 && !lt__pos_bounded(g, u->x, 2) && lt_node_rank(g, u->w) == 3 && lt_node_rank(g, u->r) == 3;
	for (int32_t i = 0; fits && i < 3; i++)
		fits = lt__pos_extent(g, u->w, i) == w[i] && lt__pos_extent(g, u->r, i) == r[i];
	if (!fits) {
		lt__graph_fail(g, LT_ETYPE, "x %s, W %s and R %s do not fit %d directions of %lld, with %d gates",
			lt__pos_shape(g, u->x), lt__pos_shape(g, u->w), lt__pos_shape(g, u->r), (int)d, (long long)hidden,
			(int)lt__recurrent_info[u->kind].n_gate);
		return false;
	}
	const int64_t state[] = { u->batch_first ? -1 : d, u->batch_first ? d : -1, hidden };
	const int64_t bias[] = { d, 2 * n }, peephole[] = { d, 3 * hidden }, lengths[] = { -1 };
	return operand_fits(g, u, u->bias, "the bias", 2, bias) && operand_fits(g, u, u->lengths, "lengths", 1, lengths) &&
		operand_fits(g, u, u->h, "the first h", 3, state) && operand_fits(g, u, u->cell, "the first cell", 3, state) &&
		operand_fits(g, u, u->peephole, "peepholes", 2, peephole);
}

static bool steps_fit(const struct lt_graph *g, const struct lt_recurrent *u)
{
	const int64_t steps = lt__pos_extent(g, u->x, u->batch_first);
	if (steps > LT_RECURRENT_STEPS)
		lt__graph_fail(g, LT_EUNSUPPORTED, "it has %s%lld steps: 1 to %d are expected",
			lt__pos_bounded(g, u->x, u->batch_first) ? "up to " : "", (long long)steps, LT_RECURRENT_STEPS);
	else
		return true;
	return false;
}

/* [B, H] of all directions: [D, B, H], batch_first [B, D, H], in the type of x. */
static lt_node join_states(struct lt_graph *g, const struct lt_recurrent *u, const lt_node *h)
{
	lt_node each[LT_RECURRENT_DIRECTIONS];
	for (int32_t d = 0; d < u->n_direction; d++)
		each[d] = lt__pos_insert(g, h[d], u->batch_first);
	lt_node all = lt__pos_concat(g, u->batch_first, u->n_direction, each);
	return lt_graph_cast(g, all, lt_node_dtype(g, u->x));
}

bool lt__build_recurrent(struct lt_graph *g, const struct lt_recurrent *of, lt_node out[3])
{
	struct recurrence u = { .g = g, .of = of };
	lt_node y[LT_RECURRENT_DIRECTIONS], h[LT_RECURRENT_DIRECTIONS], cell[LT_RECURRENT_DIRECTIONS];
	out[0] = out[1] = out[2] = LT_OMIT;
	if (!operands_fit(g, of) || !steps_fit(g, of))
		return false;
	lt_node x = lt__build_wide(g, of->x);
	x = of->batch_first ? lt__pos_swap(g, x, 0, 1) : x;
	for (int32_t d = 0; d < of->n_direction; d++) {
		y[d] = lt__pos_insert(g, run_direction(&u, x, d), 1);
		h[d] = u.h;
		cell[d] = u.cell;
		if (y[d] < 0)
			return false;
	}
	/* [T, D, B, H], batch_first [B, T, D, H] */
	lt_node all = lt__pos_concat(g, 1, of->n_direction, y);
	all = of->batch_first ? lt_graph_permute(g, all, 4, (const int32_t[]){ 2, 0, 1, 3 }) : all;
	out[0] = lt_graph_cast(g, all, lt_node_dtype(g, of->x));
	out[1] = join_states(g, of, h);
	if (of->kind == LT_RECURRENT_LSTM)
		out[2] = join_states(g, of, cell);
	return out[0] >= 0 && out[1] >= 0 && out[2] != LT_NONE;
}
