/* value.c -- what names stand for. */
#include <string.h>
#include "frontends/onnx/groups.h"

struct lt_onnx_value *lt__onnx_find(struct lt_onnx *m, const struct lt_onnx_scope *scope, const char *name)
{
	for (; scope; scope = scope->up) {
		int32_t i = lt__names_find(scope->names, name, strlen(name));
		if (i >= 0)
			return m->value[i];
	}
	return NULL;
}

struct lt_onnx_value *lt__onnx_name(
	struct lt_onnx *m, struct lt_onnx_scope *scope, const char *name, const struct lt_onnx_value *v)
{
	struct lt_onnx_value *own = lt__arena_copy(m->arena, v, sizeof *v);
	LT_GROW(m->arena, m->value, m->n_value, m->cap_value);
	own->name = lt__names_add(scope->names, name, strlen(name), m->n_value);
	m->value[m->n_value++] = own;
	return own;
}

void lt__onnx_alias(struct lt_onnx *m, struct lt_onnx_scope *scope, const char *name, struct lt_onnx_value *v)
{
	LT_GROW(m->arena, m->value, m->n_value, m->cap_value);
	lt__names_add(scope->names, name, strlen(name), m->n_value);
	m->value[m->n_value++] = v;
}

struct lt_onnx_value lt__onnx_of_node(struct lt_onnx *m, lt_node x)
{
	struct lt_onnx_value v = { .node = x, .lost = x < 0 };
	if (x < 0)
		return v;
	v.dtype = lt_node_dtype(m->graph, x);
	v.rank = lt_node_rank(m->graph, x);
	v.shape = LT_NEW(m->arena, int64_t, v.rank + 1);
	for (int32_t i = 0; i < v.rank; i++)
		v.shape[i] = lt_var_extent(m->graph, lt_node_dim(m->graph, x, i));
	return v;
}

struct lt_onnx_value lt__onnx_of_data(
	struct lt_onnx *m, enum lt_dtype dtype, int32_t rank, const int64_t *shape, const void *data)
{
	struct lt_onnx_value v = { .node = LT_NONE, .dtype = dtype, .rank = rank, .data = data };
	v.shape = LT_NEW(m->arena, int64_t, rank + 1);
	for (int32_t i = 0; i < rank; i++) {
		v.shape[i] = shape[i];
		v.empty |= shape[i] == 0;
	}
	if (v.empty)
		v.data = NULL;
	return v;
}

void *lt__onnx_room(struct lt_onnx *m, enum lt_dtype dtype, int32_t rank, const int64_t *shape)
{
	size_t bytes = lt__dtype_info(dtype)->bytes;
	for (int32_t i = 0; i < rank; i++)
		if (shape[i] < 0 || lt__mul_overflow(bytes, (size_t)shape[i], &bytes) || bytes > SIZE_MAX / 4)
			lt__arena_refuse(m->kept, "a tensor of the model cannot be kept");
	lt__spend(m->ctx, LT_BUDGET_ELEMENTS, (int64_t)(bytes / lt__dtype_info(dtype)->bytes), NULL);
	return lt__arena_alloc(m->kept, bytes + 1);
}

void *lt__onnx_table_room(struct lt_onnx *m, size_t bytes, int64_t n)
{
	lt__spend(m->ctx, LT_BUDGET_ELEMENTS, n < 0 ? INT64_MAX : n, NULL);
	return lt__arena_alloc_array(m->arena, bytes, (size_t)n + 1);
}

int64_t lt__onnx_elems(const struct lt_onnx_value *v)
{
	int64_t n = 1;
	for (int32_t i = 0; i < v->rank; i++)
		if (lt__mul_overflow(n, v->shape[i], &n))
			return INT64_MAX;
	return n;
}

/* A name that no other constant has. */
static const char *constant_name(struct lt_onnx *m, const struct lt_onnx_value *v)
{
	return lt__names_unique(m->constants, v->name && *v->name ? v->name : "constant", 0);
}

lt_node lt__onnx_node(struct lt_onnx *m, struct lt_onnx_value *v)
{
	if (v->lost)
		return LT_NONE;
	if (v->empty) {
		lt__onnx_refuse(m, "'%s' has no elements (%s)", v->name ? v->name : "", lt__onnx_shape(m, v->rank, v->shape));
		return LT_NONE;
	}
	if (v->node >= 0)
		return v->part ? lt__onnx_ungrouped(m, v) : v->node;
	if (v->rank == 0 && v->data) {
		union lt_scalar x = lt__load(v->data, 0, v->dtype);
		v->node = lt__dtype_info(v->dtype)->cls == LT_CLASS_FLOAT ? lt_graph_literal(m->graph, v->dtype, x.f) :
			lt_graph_literal_int(m->graph, v->dtype, x.i);
		return v->node;
	}
	lt_var *dim = LT_NEW(m->arena, lt_var, v->rank + 1);
	for (int32_t i = 0; i < v->rank; i++)
		dim[i] = lt_graph_var(m->graph, NULL, v->shape[i]);
	v->node = lt_graph_constant(m->graph, constant_name(m, v), v->dtype, v->rank, dim);
	if (v->node >= 0 && lt_graph_content(m->graph, v->node, v->data))
		v->node = LT_NONE;
	return v->node;
}
