/* op_recurrent.c -- RNN, GRU and LSTM: their attributes; ir/build/recurrent.c makes them. */
#include <string.h>
#include "frontends/onnx/builders.h"
#include "frontends/onnx/position.h"
#include "ir/build/build.h"

static const struct lt_function *act_find(struct lt_onnx *m, const char *name)
{
	const struct lt_function *f = lt__function_find(LT_FUNCTION_RECURRENT, name, strlen(name));
	if (!f)
		lt__onnx_refuse(m, "activation '%s' is not known", name);
	return f;
}

/* The activations of all directions take their scales from the lists in order. */
static bool recurrent_read_acts(struct lt_onnx_call *c, struct lt_recurrent *u)
{
	const struct lt_recurrent_info *info = &lt__recurrent_info[u->kind];
	int32_t n, n_alpha, n_beta, alpha = 0, beta = 0;
	const char *const *name = lt__onnx_texts(c, "activations", &n);
	const float *alphas = lt__onnx_floats(c, "activation_alpha", &n_alpha);
	const float *betas = lt__onnx_floats(c, "activation_beta", &n_beta);
	if (name && n != info->n_act * u->n_direction) {
		lt__onnx_refuse(c->m, "attribute 'activations' has %d names, %d are expected", n,
			(int)(info->n_act * u->n_direction));
		return false;
	}
	for (int32_t i = 0; i < info->n_act * u->n_direction; i++) {
		struct lt_recurrent_act *act = &u->act[i / info->n_act][i % info->n_act];
		const struct lt_function *f = act_find(c->m, name ? name[i] : info->act[i % info->n_act]);
		if (!f)
			return false;
		act->function = f;
		act->a = *f->number[0] && alpha < n_alpha ? (double)alphas[alpha++] : (double)(float)f->otherwise[0];
		act->b = *f->number[1] && beta < n_beta ? (double)betas[beta++] : (double)(float)f->otherwise[1];
	}
	return true;
}

static lt_node recurrent_input(struct lt_onnx_call *c, int32_t i)
{
	return lt__onnx_has(c, i) ? lt__onnx_in(c, i) : LT_OMIT;
}

static bool recurrent_begin(struct lt_onnx_call *c, struct lt_recurrent *u)
{
	const char *direction = lt__onnx_text(c, "direction", "forward");
	*u = (struct lt_recurrent){ .clip = lt__onnx_float(c, "clip", 0), .n_direction = 1 };
	for (int i = 0; i < LT_RECURRENTS; i++)
		if (!strcmp(lt__recurrent_info[i].name, c->op->name))
			u->kind = (enum lt_recurrent_kind)i;
	const bool lstm = u->kind == LT_RECURRENT_LSTM;
	struct lt_onnx_value *r = lt__onnx_value(c, 2);
	u->hidden = lt__onnx_int(c, "hidden_size", r->rank == 3 ? r->shape[2] : 0);
	u->batch_first = lt__onnx_int(c, "layout", 0) != 0;
	u->linear_before_reset = u->kind == LT_RECURRENT_GRU && lt__onnx_int(c, "linear_before_reset", 0) != 0;
	u->input_forget = lstm && lt__onnx_int(c, "input_forget", 0) != 0;
	u->n_direction = !strcmp(direction, "bidirectional") ? 2 : 1;
	u->backwards = !strcmp(direction, "reverse");
	if (u->n_direction == 1 && !u->backwards && strcmp(direction, "forward") != 0)
		lt__onnx_refuse(c->m, "attribute 'direction' is '%s'", direction);
	if (c->n_in > (lstm ? 8 : 6))
		lt__onnx_refuse(c->m, "it has %d inputs", (int)c->n_in);
	return !lt__onnx_failed(c->m) && recurrent_read_acts(c, u);
}

void lt__onnx_build_recurrent(struct lt_onnx_call *c)
{
	struct lt_onnx *m = c->m;
	struct lt_recurrent u;
	lt_node out[3];
	if (!recurrent_begin(c, &u))
		return;
	u.x = lt__onnx_in(c, 0);
	u.w = lt__onnx_in(c, 1);
	u.r = lt__onnx_in(c, 2);
	u.bias = recurrent_input(c, 3);
	u.lengths = recurrent_input(c, 4);
	u.h = recurrent_input(c, 5);
	u.cell = u.kind == LT_RECURRENT_LSTM ? recurrent_input(c, 6) : LT_OMIT;
	u.peephole = u.kind == LT_RECURRENT_LSTM ? recurrent_input(c, 7) : LT_OMIT;
	if (lt__onnx_failed(m))
		return;
	if (!lt__build_recurrent(m->graph, &u, out))
		return;
	for (int32_t i = 0; i < (u.kind == LT_RECURRENT_LSTM ? 3 : 2); i++)
		if (lt__onnx_wants(c, i))
			lt__onnx_give(c, i, out[i]);
}
