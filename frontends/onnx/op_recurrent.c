/* frontends/onnx/op_recurrent.c -- RNN, GRU and LSTM: their steps one after the other. */
#include <string.h>
#include <strings.h>
#include "frontends/onnx/builders.h"
#include "frontends/onnx/position.h"

enum { MAX_STEPS = 20000, MAX_GATES = 4, MAX_ACTIVATIONS = 3 };

/* Activations by name, with the scales that they take from the node's lists and what they are otherwise. */
static lt_node act_relu(struct lt_onnx *m, lt_node x, double a, double b)
{
	(void)a, (void)b;
	return lt__onnx_opf(m, "max", x, 0);
}

static lt_node act_tanh(struct lt_onnx *m, lt_node x, double a, double b)
{
	(void)a, (void)b;
	return lt__onnx_op1(m, "tanh", x);
}

static lt_node act_sigmoid(struct lt_onnx *m, lt_node x, double a, double b)
{
	(void)a, (void)b;
	return lt__onnx_op1(m, "sigmoid", x);
}

static lt_node act_affine(struct lt_onnx *m, lt_node x, double a, double b)
{
	return lt__onnx_opf(m, "add", lt__onnx_opf(m, "mul", x, a), b);
}

static lt_node act_leaky_relu(struct lt_onnx *m, lt_node x, double a, double b)
{
	(void)b;
	return lt__onnx_select(m, lt__onnx_opf(m, "less", x, 0), lt__onnx_opf(m, "mul", x, a), x);
}

static lt_node act_thresholded_relu(struct lt_onnx *m, lt_node x, double a, double b)
{
	(void)b;
	return lt__onnx_select(m, lt__onnx_opf(m, "greaterequal", x, a), x, lt__onnx_opf(m, "mul", x, 0));
}

static lt_node act_scaled_tanh(struct lt_onnx *m, lt_node x, double a, double b)
{
	return lt__onnx_opf(m, "mul", lt__onnx_op1(m, "tanh", lt__onnx_opf(m, "mul", x, b)), a);
}

static lt_node act_hard_sigmoid(struct lt_onnx *m, lt_node x, double a, double b)
{
	return lt__onnx_opf(m, "min", lt__onnx_opf(m, "max", act_affine(m, x, a, b), 0), 1);
}

static lt_node act_elu(struct lt_onnx *m, lt_node x, double a, double b)
{
	(void)b;
	lt_node power = lt__onnx_opf(m, "sub", lt__onnx_op1(m, "exp", lt__onnx_opf(m, "min", x, 0)), 1);
	return lt__onnx_select(m, lt__onnx_opf(m, "less", x, 0), lt__onnx_opf(m, "mul", power, a), x);
}

static lt_node act_softsign(struct lt_onnx *m, lt_node x, double a, double b)
{
	(void)a, (void)b;
	return lt__onnx_op2(m, "div", x, lt__onnx_opf(m, "add", lt__onnx_op1(m, "abs", x), 1));
}

/* log(1 + exp x), without overflow */
static lt_node act_softplus(struct lt_onnx *m, lt_node x, double a, double b)
{
	(void)a, (void)b;
	lt_node power = lt__onnx_op1(m, "exp", lt__onnx_op1(m, "neg", lt__onnx_op1(m, "abs", x)));
	return lt__onnx_op2(m, "add", lt__onnx_opf(m, "max", x, 0), lt__onnx_op1(m, "log", lt__onnx_opf(m, "add", power, 1)));
}

static const struct recurrent_act {
	const char *name;
	lt_node (*build)(struct lt_onnx *, lt_node, double alpha, double beta);
	int32_t n_scale;
	double alpha, beta;
} recurrent_acts[] = {
	{ "Relu", act_relu, 0, 0, 0 }, { "Tanh", act_tanh, 0, 0, 0 }, { "Sigmoid", act_sigmoid, 0, 0, 0 },
	{ "Affine", act_affine, 2, 1, 0 }, { "LeakyRelu", act_leaky_relu, 1, 0.01f, 0 },
	{ "ThresholdedRelu", act_thresholded_relu, 1, 1, 0 }, { "ScaledTanh", act_scaled_tanh, 2, 1, 1 },
	{ "HardSigmoid", act_hard_sigmoid, 2, 0.2f, 0.5 }, { "Elu", act_elu, 1, 1, 0 }, { "Softsign", act_softsign, 0, 0, 0 },
	{ "Softplus", act_softplus, 0, 0, 0 },
};

/* What tells the three operators apart; where their inputs are (-1: they have none). */
struct recurrent;
static lt_node rnn_step(struct recurrent *, lt_node x);
static lt_node gru_step(struct recurrent *, lt_node x);
static lt_node lstm_step(struct recurrent *, lt_node x);
static const struct recurrent_kind {
	const char *name;
	int32_t n_gate, n_act, cell, peepholes;
	const char *act[MAX_ACTIVATIONS];
	lt_node (*step)(struct recurrent *, lt_node x);         /* the next h, from x's share of a step */
} recurrent_kinds[] = {
	{ "rnn", 1, 1, -1, -1, { "Tanh" }, rnn_step },
	{ "gru", 3, 2, -1, -1, { "Sigmoid", "Tanh" }, gru_step },
	{ "lstm", 4, 3, 6, 7, { "Sigmoid", "Tanh", "Tanh" }, lstm_step },
};

/* One direction. */
struct recurrent {
	struct lt_onnx *m;
	const struct recurrent_kind *kind;
	int64_t hidden;
	double clip;            /* 0: none */
	bool linear_before_reset, input_forget;
	const struct recurrent_act *act[MAX_ACTIVATIONS];
	double alpha[MAX_ACTIVATIONS], beta[MAX_ACTIVATIONS];
	lt_node r, rb;          /* [H, gates * H], [gates * H]; rb LT_NONE where there is none */
	lt_node peephole;       /* [3 H], or LT_NONE */
	lt_node h, cell;        /* [B, H] */
};

static lt_node recurrent_act(struct recurrent *u, int i, lt_node x)
{
	if (u->clip > 0)
		x = lt__onnx_opf(u->m, "min", lt__onnx_opf(u->m, "max", x, -u->clip), u->clip);
	return u->act[i]->build(u->m, x, u->alpha[i], u->beta[i]);
}

/* Gates from .. from + n - 1 along the last axis. */
static lt_node gates(struct recurrent *u, lt_node x, int64_t from, int64_t n)
{
	int32_t axis = lt__onnx_rank(u->m, x) - 1;
	return lt__onnx_slice(u->m, x, axis, from * u->hidden, (from + n) * u->hidden, 1);
}

/* Gates of h R + rb. */
static lt_node recurrent_product(struct recurrent *u, lt_node h, int64_t from, int64_t n)
{
	lt_node y = lt__onnx_matmul(u->m, h, gates(u, u->r, from, n));
	return u->rb == LT_NONE ? y : lt__onnx_op2(u->m, "add", y, gates(u, u->rb, from, n));
}

static lt_node rnn_step(struct recurrent *u, lt_node x)
{
	return recurrent_act(u, 0, lt__onnx_op2(u->m, "add", x, recurrent_product(u, u->h, 0, 1)));
}

/* Gates z, r, h. */
static lt_node gru_step(struct recurrent *u, lt_node x)
{
	struct lt_onnx *m = u->m;
	lt_node both = lt__onnx_op2(m, "add", gates(u, x, 0, 2), recurrent_product(u, u->h, 0, 2)), share;
	lt_node z = recurrent_act(u, 0, gates(u, both, 0, 1)), r = recurrent_act(u, 0, gates(u, both, 1, 1));
	if (u->linear_before_reset)
		share = lt__onnx_op2(m, "mul", r, recurrent_product(u, u->h, 2, 1));
	else
		share = recurrent_product(u, lt__onnx_op2(m, "mul", r, u->h), 2, 1);
	lt_node h = recurrent_act(u, 1, lt__onnx_op2(m, "add", gates(u, x, 2, 1), share));
	return lt__onnx_op2(m, "add", lt__onnx_op2(m, "mul", lt__onnx_opr(m, "sub", 1, z), h),
		lt__onnx_op2(m, "mul", z, u->h));
}

/* Gate `i` of the LSTM with its peephole `p` at a cell. */
static lt_node lstm_gate(struct recurrent *u, lt_node all, int64_t i, int64_t p, lt_node cell)
{
	lt_node x = gates(u, all, i, 1);
	if (u->peephole != LT_NONE)
		x = lt__onnx_op2(u->m, "add", x, lt__onnx_op2(u->m, "mul", gates(u, u->peephole, p, 1), cell));
	return recurrent_act(u, 0, x);
}

/* Gates i, o, f, c; peepholes i, o, f. */
static lt_node lstm_step(struct recurrent *u, lt_node x)
{
	struct lt_onnx *m = u->m;
	lt_node all = lt__onnx_op2(m, "add", x, recurrent_product(u, u->h, 0, 4));
	lt_node i = lstm_gate(u, all, 0, 0, u->cell), f = lt__onnx_opr(m, "sub", 1, i);
	if (!u->input_forget)
		f = lstm_gate(u, all, 2, 2, u->cell);
	lt_node c = recurrent_act(u, 1, gates(u, all, 3, 1));
	u->cell = lt__onnx_op2(m, "add", lt__onnx_op2(m, "mul", f, u->cell), lt__onnx_op2(m, "mul", i, c));
	lt_node o = lstm_gate(u, all, 1, 1, u->cell);
	return lt__onnx_op2(m, "mul", o, u->act[2]->build(m, u->cell, u->alpha[2], u->beta[2]));
}

/* Element i along an axis, which goes away. */
static lt_node recurrent_at(struct lt_onnx *m, lt_node x, int32_t axis, int64_t i)
{
	bool *mask = LT_NEW(m->arena, bool, lt__onnx_rank(m, x) + 1);
	if (x < 0)
		return LT_NONE;
	mask[axis] = true;
	return lt__onnx_squeeze(m, lt__onnx_slice(m, x, axis, i, i + 1, 1), mask);
}

static const struct recurrent_act *act_find(struct lt_onnx *m, const char *name)
{
	for (size_t i = 0; i < sizeof recurrent_acts / sizeof *recurrent_acts; i++)
		if (!strcasecmp(recurrent_acts[i].name, name))
			return &recurrent_acts[i];
	lt__onnx_refuse(m, "activation '%s' is not known", name);
	return NULL;
}

/* The activations of direction d: those of all directions take their scales from the lists in order. */
static bool recurrent_read_acts(struct lt_onnx_call *c, struct recurrent *u, int64_t d, int64_t n_direction)
{
	const int32_t own = u->kind->n_act;
	int32_t n, n_alpha, n_beta, alpha = 0, beta = 0;
	const char *const *name = lt__onnx_texts(c, "activations", &n);
	const float *alphas = lt__onnx_floats(c, "activation_alpha", &n_alpha);
	const float *betas = lt__onnx_floats(c, "activation_beta", &n_beta);
	if (name && n != own * n_direction) {
		lt__onnx_refuse(c->m, "attribute 'activations' has %d names, %d are expected", n, (int)(own * n_direction));
		return false;
	}
	for (int32_t i = 0; i < own * (d + 1); i++) {
		const struct recurrent_act *act = act_find(c->m, name ? name[i] : u->kind->act[i % own]);
		if (!act)
			return false;
		u->act[i % own] = act;
		u->alpha[i % own] = act->n_scale > 0 && alpha < n_alpha ? (double)alphas[alpha++] : act->alpha;
		u->beta[i % own] = act->n_scale > 1 && beta < n_beta ? (double)betas[beta++] : act->beta;
	}
	return true;
}

/* [gates * H, K] or [gates * H] of direction d in the type of computation. */
static lt_node recurrent_input(struct lt_onnx_call *c, int32_t i, int64_t d)
{
	return i >= 0 && lt__onnx_has(c, i) ? recurrent_at(c->m, lt__onnx_wide(c->m, lt__onnx_in(c, i)), 0, d) : LT_NONE;
}

/* The first state [B, H]: an input [D, B, H] (layout 1: [B, D, H]), or 0. */
static lt_node recurrent_state(struct lt_onnx_call *c, const struct recurrent *u, int32_t i, int64_t d, int32_t layout,
	lt_node x)
{
	struct lt_onnx *m = c->m;
	if (i >= 0 && lt__onnx_has(c, i))
		return recurrent_at(m, lt__onnx_wide(m, lt__onnx_in(c, i)), layout, d);
	if (x < 0 || u->r < 0)
		return LT_NONE;
	const lt_var v[2] = { lt__onnx_like(m, x, 1), lt__onnx_var(m, u->hidden) };
	return lt__onnx_view(m, lt__onnx_number(m, lt_node_dtype(m->graph, x), 0), 2, v, NULL);
}

/* h and the cell stay where a sequence is over, and its result is 0. */
static lt_node recurrent_masked(struct recurrent *u, lt_node lengths, int64_t t, lt_node h, lt_node old_cell)
{
	struct lt_onnx *m = u->m;
	if (lengths == LT_NONE) {
		u->h = h;
		return h;
	}
	lt_node going = lt__onnx_insert(m, lt__onnx_opf(m, "greater", lengths, (double)t), 1);
	u->h = lt__onnx_select(m, going, h, u->h);
	if (u->kind->cell >= 0)
		u->cell = lt__onnx_select(m, going, u->cell, old_cell);
	return lt__onnx_select(m, going, h, lt__onnx_opf(m, "mul", lt__onnx_cast(m, going, h < 0 ? LT_F32 :
		lt_node_dtype(m->graph, h)), 0));
}

/* All steps of direction d over x [T, B, I]: y [T, B, H]. */
static lt_node recurrent_run(struct lt_onnx_call *c, struct recurrent *u, lt_node x, int64_t d, bool backwards,
	int32_t layout)
{
	struct lt_onnx *m = c->m;
	const int64_t steps = lt__onnx_extent(m, x, 0);
	lt_node w = recurrent_input(c, 1, d), bias = recurrent_input(c, 3, d);
	lt_node lengths = lt__onnx_has(c, 4) ? lt__onnx_in(c, 4) : LT_NONE;
	const int64_t n = u->kind->n_gate * u->hidden;
	u->r = lt__onnx_swap(m, recurrent_input(c, 2, d), 0, 1);
	u->rb = bias == LT_NONE ? LT_NONE : lt__onnx_slice(m, bias, 0, n, 2 * n, 1);
	u->peephole = recurrent_input(c, u->kind->peepholes, d);
	u->h = recurrent_state(c, u, 5, d, layout, x);
	u->cell = u->kind->cell >= 0 ? recurrent_state(c, u, u->kind->cell, d, layout, x) : LT_NONE;
	lt_node share = lt__onnx_matmul(m, x, lt__onnx_swap(m, w, 0, 1)), *y = LT_NEW(m->arena, lt_node, steps + 1);
	if (bias != LT_NONE)
		share = lt__onnx_op2(m, "add", share, lt__onnx_slice(m, bias, 0, 0, n, 1));
	for (int64_t i = 0; i < steps && !lt__onnx_failed(m); i++) {
		const int64_t t = backwards ? steps - 1 - i : i;
		lt_node old_cell = u->cell, h = u->kind->step(u, recurrent_at(m, share, 0, t));
		y[t] = lt__onnx_insert(m, recurrent_masked(u, lengths, t, h, old_cell), 0);
	}
	return lt__onnx_failed(m) ? LT_NONE : lt__onnx_concat(m, 0, (int32_t)steps, y);
}

/* The operand shapes that everything here relies on. */
static bool recurrent_fits(struct lt_onnx_call *c, const struct recurrent *u, int64_t n_direction, int32_t layout)
{
	struct lt_onnx *m = c->m;
	struct lt_onnx_value *x = lt__onnx_value(c, 0), *w = lt__onnx_value(c, 1), *r = lt__onnx_value(c, 2);
	const int64_t n = u->kind->n_gate * u->hidden;
	if (lt__onnx_failed(m))
		return false;
	if (x->rank != 3 || w->rank != 3 || r->rank != 3 || w->shape[0] != n_direction || r->shape[0] != n_direction
	    || w->shape[1] != n || r->shape[1] != n || r->shape[2] != u->hidden || w->shape[2] != x->shape[2]) {
		lt__onnx_refuse(m, "x %s, W %s and R %s do not fit %lld directions of %lld", lt__onnx_shape(m, x->rank, x->shape),
			lt__onnx_shape(m, w->rank, w->shape), lt__onnx_shape(m, r->rank, r->shape), (long long)n_direction,
			(long long)u->hidden);
		return false;
	}
	for (int32_t i = 3; i < c->n_in; i++) {
		const int64_t per[] = { 2 * n, 0, u->hidden, u->hidden, 3 * u->hidden };
		const struct lt_onnx_value *v = lt__onnx_has(c, i) ? c->in[i] : NULL;
		const int32_t rank = i == 4 ? 1 : i == 5 || i == 6 ? 3 : 2;
		if (v && (i > 7 || v->rank != rank || (i != 4 && v->shape[rank - 1] != per[i - 3])
		    || (i != 4 && v->shape[rank == 3 ? layout : 0] != n_direction))) {
			lt__onnx_refuse(m, "its input %d has the shape %s, which does not fit", i, lt__onnx_shape(m, v->rank, v->shape));
			return false;
		}
	}
	if (x->node >= 0 && lt__onnx_bounded(m, x->node, layout)) {
		lt__onnx_refuse(m, "its number of steps differs from run to run: fix it by --dim");
		return false;
	}
	if (x->empty || x->shape[layout] > MAX_STEPS)
		lt__onnx_refuse(m, "it has %lld steps: 1 to %d are expected", (long long)x->shape[layout], MAX_STEPS);
	return !lt__onnx_failed(m);
}

/* [B, H] of all directions: [D, B, H], layout 1: [B, D, H]. */
static void give_states(struct lt_onnx_call *c, int32_t to, int64_t n, const lt_node *h, int32_t layout)
{
	lt_node each[2] = { LT_NONE, LT_NONE };
	if (!lt__onnx_wants(c, to))
		return;
	for (int64_t d = 0; d < n; d++)
		each[d] = h[d] < 0 ? LT_NONE : lt__onnx_insert(c->m, h[d], layout);
	lt_node all = lt__onnx_concat(c->m, layout, (int32_t)n, each);
	lt__onnx_give(c, to, lt__onnx_cast(c->m, all, lt__onnx_value(c, 0)->dtype));
}

static bool recurrent_begin(struct lt_onnx_call *c, struct recurrent *u, int64_t *n_direction, bool *backwards)
{
	const char *direction = lt__onnx_text(c, "direction", "forward");
	*u = (struct recurrent){ .m = c->m, .clip = lt__onnx_float(c, "clip", 0) };
	for (size_t i = 0; i < sizeof recurrent_kinds / sizeof *recurrent_kinds; i++)
		if (!strcmp(recurrent_kinds[i].name, c->op->arg))
			u->kind = &recurrent_kinds[i];
	struct lt_onnx_value *r = lt__onnx_value(c, 2);
	u->hidden = lt__onnx_int(c, "hidden_size", r->rank == 3 ? r->shape[2] : 0);
	u->linear_before_reset = !strcmp(c->op->arg, "gru") && lt__onnx_int(c, "linear_before_reset", 0) != 0;
	u->input_forget = !strcmp(c->op->arg, "lstm") && lt__onnx_int(c, "input_forget", 0) != 0;
	*n_direction = !strcmp(direction, "bidirectional") ? 2 : 1;
	*backwards = !strcmp(direction, "reverse");
	if (*n_direction == 1 && !*backwards && strcmp(direction, "forward") != 0)
		lt__onnx_refuse(c->m, "attribute 'direction' is '%s'", direction);
	return !lt__onnx_failed(c->m);
}

void lt__onnx_build_recurrent(struct lt_onnx_call *c)
{
	struct lt_onnx *m = c->m;
	struct recurrent u;
	int64_t n_direction;
	bool backwards;
	const int32_t layout = lt__onnx_int(c, "layout", 0) != 0;
	if (!recurrent_begin(c, &u, &n_direction, &backwards) || !recurrent_fits(c, &u, n_direction, layout))
		return;
	lt_node x = lt__onnx_wide(m, lt__onnx_in(c, 0)), y[2], h[2], cell[2];
	x = layout ? lt__onnx_swap(m, x, 0, 1) : x;
	for (int64_t d = 0; d < n_direction; d++) {
		if (!recurrent_read_acts(c, &u, d, n_direction))
			return;
		y[d] = recurrent_run(c, &u, x, d, backwards || d == 1, layout);
		if (y[d] < 0)
			return;
		y[d] = lt__onnx_insert(m, y[d], 1);
		h[d] = u.h;
		cell[d] = u.cell;
	}
	/* [T, D, B, H], layout 1: [B, T, D, H] */
	lt_node all = lt__onnx_concat(m, 1, (int32_t)n_direction, y);
	all = layout ? lt__onnx_transpose(m, all, (const int32_t[]){ 2, 0, 1, 3 }) : all;
	if (lt__onnx_wants(c, 0))
		lt__onnx_give(c, 0, lt__onnx_cast(m, all, lt__onnx_value(c, 0)->dtype));
	give_states(c, 1, n_direction, h, layout);
	if (u.kind->cell >= 0)
		give_states(c, 2, n_direction, cell, layout);
}
