/* bind.c -- what a model is given and gives: its inputs, initializers and results. */
#include <string.h>
#include "frontends/onnx/onnx.h"
#include "frontends/onnx/onnx.pb-c.h"
#include "frontends/onnx/stored.h"

static void report_here(struct lt_onnx *m, const char *what, const char *name)
{
	lt__onnx_problem(m, lt__arena_format(m->arena, "%s '%s'", what, name ? name : ""),
		lt__arena_string(m->arena, lt_context_message(m->ctx)));
}

static void name_initializers(struct lt_onnx *m, struct lt_onnx_scope *scope, const struct Onnx__GraphProto *g)
{
	for (size_t i = 0; i < g->n_initializer; i++) {
		const Onnx__TensorProto *t = g->initializer[i];
		struct lt_onnx_value v;
		if (!t->name)
			continue;
		if (!lt__onnx_tensor(m, t, &v)) {
			report_here(m, "initializer", t->name);
			v.lost = true;
		}
		lt__onnx_name(m, scope, t->name, &v);
	}
	for (size_t i = 0; i < g->n_sparse_initializer; i++) {
		lt__onnx_refuse(m, "sparse tensors are not supported");
		const Onnx__TensorProto *t = g->sparse_initializer[i]->values;
		report_here(m, "initializer", t ? t->name : NULL);
	}
}

static const struct lt_fixed *fixed_find(const struct lt_onnx *m, const char *name)
{
	for (uint32_t i = 0; i < m->options->n_fixed; i++)
		if (!strcmp(m->options->fixed[i].name, name))
			return &m->options->fixed[i];
	return NULL;
}

static const char *kind_of(const Onnx__TypeProto *t)
{
	return t->sequence_type ? "a sequence" : t->map_type ? "a map" : t->optional_type ? "an optional value"
		: t->sparse_tensor_type ? "a sparse tensor" : "of no type that is known";
}

/* The dims of an input; false: not all are known, which is reported.  empty: one of them is 0. */
static bool input_dims(struct lt_onnx *m, const char *name, const Onnx__TensorShapeProto *s, lt_var *dim,
	int64_t *shape, bool *empty)
{
	bool fine = true;
	for (size_t i = 0; i < s->n_dim; i++) {
		const Onnx__TensorShapeProto__Dimension *d = s->dim[i];
		bool none = false;
		if (d->has_dim_value) {
			none = d->dim_value == 0;
			if (d->dim_value < 0)
				lt__onnx_refuse(m, "the extent of axis %zu is %lld", i, (long long)d->dim_value);
			dim[i] = d->dim_value > 0 ? lt_graph_var(m->graph, NULL, d->dim_value) : LT_NONE;
		} else {
			dim[i] = lt__onnx_dim(m, d->dim_param, name, (int32_t)i, &none);
		}
		*empty |= none;
		if (lt__onnx_failed(m)) {
			report_here(m, "input", name);
			fine = false;
			continue;
		}
		shape[i] = none ? 0 : lt_var_extent(m->graph, dim[i]);
	}
	return fine;
}

static bool fixed_input(struct lt_onnx *m, const struct lt_fixed *f, enum lt_dtype dtype, struct lt_onnx_value *v)
{
	if (f->dtype != dtype) {
		lt__onnx_refuse(m, "it is %s, but fixed by %s", lt__dtype_info(dtype)->script, lt__dtype_info(f->dtype)->script);
		return false;
	}
	*v = lt__onnx_of_data(m, f->dtype, f->rank, f->shape, NULL);
	if (!v->empty)
		v->data = memcpy(lt__onnx_room(m, f->dtype, f->rank, f->shape), f->data,
			(size_t)lt__onnx_elems(v) * lt__dtype_info(f->dtype)->bytes);
	return true;
}

static bool source(struct lt_onnx *m, const Onnx__ValueInfoProto *info, struct lt_onnx_value *v)
{
	const Onnx__TypeProto *type = info->type;
	const struct lt_fixed *f = fixed_find(m, info->name);
	*v = (struct lt_onnx_value){ .node = LT_NONE };
	if (!type || !type->tensor_type) {
		lt__onnx_refuse(m, "it is %s, which is not supported", type ? kind_of(type) : "of no type");
		return false;
	}
	const struct lt_onnx_stored *stored = lt__onnx_stored(type->tensor_type->elem_type);
	v->dtype = stored ? stored->held : lt__onnx_dtype(type->tensor_type->elem_type);
	v->stored = stored ? stored->code : 0;
	if (!v->dtype) {
		lt__onnx_refuse(m, "its element type is %s, which Looptree does not have",
			lt__onnx_type_name(type->tensor_type->elem_type));
		return false;
	}
	if (f) {
		const bool fine = fixed_input(m, f, v->dtype, v);
		v->stored = stored ? stored->code : 0;
		return fine;
	}
	const Onnx__TensorShapeProto *shape = type->tensor_type->shape;
	if (!shape || shape->n_dim > LT_MAX_RANK) {
		lt__onnx_refuse(m,
			shape ? "it has too many dimensions" : "its rank is not said: --fix NAME=FILE makes it a constant");
		return false;
	}
	lt_var *dim = LT_NEW(m->arena, lt_var, shape->n_dim + 1);
	v->rank = (int32_t)shape->n_dim;
	v->shape = LT_NEW(m->arena, int64_t, shape->n_dim + 1);
	if (!input_dims(m, info->name, shape, dim, v->shape, &v->empty))
		return false;
	for (int32_t i = 0; v->empty && i < v->rank; i++)
		if (v->shape[i] && m->graph->var[dim[i]].bounded) {
			lt__onnx_refuse(m, "it has no elements, and the extent of axis %d differs from run to run: fix that, too, by --dim",
				i);
			return false;
		}
	int64_t low, high;
	const bool said = v->dtype == LT_I64 && v->rank <= 1 && lt__onnx_elems(v) == 1
		&& lt__onnx_number_said(m, info->name, &low, &high);
	if (said && low == high) {
		int64_t *at = lt__onnx_room(m, LT_I64, v->rank, v->shape);
		*at = low;
		*v = lt__onnx_of_data(m, LT_I64, v->rank, v->shape, at);
	} else if (!v->empty) {
		v->node = lt_graph_input(m->graph, info->name, v->dtype, v->rank, dim);
	}
	if (said && low < high && v->node >= 0)
		lt__onnx_number_symbol(m, info->name, v->node, low, high);
	return !lt__onnx_failed(m);
}

void lt__onnx_sources(struct lt_onnx *m, struct lt_onnx_scope *scope)
{
	const Onnx__GraphProto *g = m->model->graph;
	name_initializers(m, scope, g);
	for (size_t i = 0; i < g->n_input; i++)
		if (g->input[i]->name && !fixed_find(m, g->input[i]->name) && !lt__onnx_find(m, scope, g->input[i]->name))
			lt__onnx_ask_shape(m, g->input[i]);
	for (size_t i = 0; i < g->n_input; i++) {
		struct lt_onnx_value v;
		const Onnx__ValueInfoProto *info = g->input[i];
		/* An initializer is the default of the input of its name. */
		if (!info->name || (lt__onnx_find(m, scope, info->name) && !fixed_find(m, info->name)))
			continue;
		v.lost = !source(m, info, &v);
		if (lt__onnx_failed(m))
			report_here(m, "input", info->name);
		lt__onnx_name(m, scope, info->name, &v);
	}
	for (uint32_t i = 0; i < m->options->n_fixed; i++)
		if (!lt__onnx_find(m, scope, m->options->fixed[i].name))
			lt__onnx_problem(m, NULL, lt__arena_format(m->arena, "it has no input '%s' to be fixed",
				m->options->fixed[i].name));
	lt__onnx_used_dims(m);
}

/* Zeros along axes whose extent is bounded by 0. */
static lt_node empty_result(struct lt_onnx *m, const struct lt_onnx_value *v)
{
	lt_var dim[LT_MAX_RANK];
	for (int32_t i = 0; i < v->rank && i < LT_MAX_RANK; i++)
		dim[i] = v->shape[i] ? lt_graph_var(m->graph, NULL, v->shape[i]) :
			lt_graph_var_bounded(m->graph, NULL, 1, 0, 0, NULL, NULL);
	lt_node zero = lt_graph_literal_int(m->graph, v->dtype, 0);
	return lt_graph_op_to(m->graph, "copy", 1, &zero, v->rank, dim);
}

void lt__onnx_results(struct lt_onnx *m, struct lt_onnx_scope *scope)
{
	const Onnx__GraphProto *g = m->model->graph;
	for (size_t i = 0; i < g->n_output; i++) {
		const char *name = g->output[i]->name ? g->output[i]->name : "";
		struct lt_onnx_value *v = lt__onnx_find(m, scope, name);
		if (!v)
			lt__onnx_problem(m, NULL, lt__arena_format(m->arena, "no node makes the output '%s'", name));
		if (!v || v->lost)
			continue;
		lt_node x = v->empty ? empty_result(m, v) : lt__onnx_node(m, v);
		if (x >= 0)
			(void)lt_graph_result(m->graph, name, x);
		if (lt__onnx_failed(m))
			report_here(m, "output", name);
	}
}
