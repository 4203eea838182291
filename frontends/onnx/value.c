/* value.c -- what names stand for. */
#include <string.h>
#include "frontends/onnx/groups.h"
#include "frontends/onnx/position.h"

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

enum { MOST_MASK = 1 << 20 };   /* booleans that are computed to see what they are */

/* How many of a row's elements are `yes` before the others are not; -1: it is none such. */
static int64_t leading(const unsigned char *row, int64_t n, bool yes)
{
	int64_t k = 0, rest;

	while (k < n && !!row[k] == yes)
		k++;
	for (rest = k; rest < n && !!row[rest] != yes; rest++)
		;
	return rest == n ? k : -1;
}

/* Whether columns up to a row's number and `last` more are `yes`, and no others, in each of the matrices. */
static bool is_triangle(
	const unsigned char *at, int64_t n_matrix, int64_t rows, int64_t columns, bool yes, int64_t last)
{
	for (int64_t i = 0; i < n_matrix * rows; i++) {
		int64_t want = i % rows + last + 1;

		want = want < 0 ? 0 : want > columns ? columns : want;
		if (leading(at + i * columns, columns, yes) != want)
			return false;
	}
	return true;
}

/* A mask of attention as models keep it, by positions: column <= row + n, or its opposite.  LT_NONE: it is none. */
static lt_node triangle(struct lt_onnx *m, const struct lt_onnx_value *v, const unsigned char *at)
{
	const int64_t rows = v->shape[v->rank - 2], columns = v->shape[v->rank - 1], n = lt__onnx_elems(v);
	const bool yes = at[(rows - 1) * columns];
	int64_t row = rows - 1, last;

	while (row >= 0 && leading(at + row * columns, columns, yes) == columns)
		row--;
	if (row < 0)
		return LT_NONE;
	last = leading(at + row * columns, columns, yes) - row - 1;
	if (!is_triangle(at, n / rows / columns, rows, columns, yes, last))
		return LT_NONE;
	const lt_node column = lt_graph_index(m->graph, lt__onnx_var(m, columns));
	const lt_node limit = lt__onnx_opf(m, "add", lt_graph_index(m->graph, lt__onnx_var(m, rows)), (double)last);
	const lt_var dim[] = { lt_node_dim(m->graph, limit, 0), lt_node_dim(m->graph, column, 0) };
	const lt_node up_to[] = { column, limit }, behind[] = { limit, column };

	return lt__onnx_expand(m, lt_graph_op_to(m->graph, yes ? "lessequal" : "less", 2, yes ? up_to : behind, 2, dim),
		v->rank, v->shape);
}

static bool is_number(const struct lt_onnx_value *v)
{
	return lt__dtype_info(v->dtype)->cls == LT_CLASS_FLOAT && !v->stored && lt__onnx_elems(v) == 1;
}

static bool is_mask(const struct lt_onnx_value *v)
{
	return v->dtype == LT_BOOL && v->rank >= 2 && lt__onnx_elems(v) > 1;
}

bool lt__onnx_may_tell(const struct lt_onnx_value *v)
{
	return is_number(v) || (is_mask(v) && lt__onnx_elems(v) <= MOST_MASK);
}

lt_node lt__onnx_told(struct lt_onnx *m, const struct lt_onnx_value *v)
{
	if (v->rank > 0 && is_mask(v))
		return triangle(m, v, v->data);
	if (v->rank > 0 && !is_number(v))
		return LT_NONE;
	const union lt_scalar x = lt__load(v->data, 0, v->dtype);
	const lt_node number = lt__dtype_info(v->dtype)->cls == LT_CLASS_FLOAT ? lt__onnx_number(m, v->dtype, x.f) :
		lt__onnx_whole(m, v->dtype, x.i);
	return v->rank ? lt__onnx_expand(m, number, v->rank, v->shape) : number;
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
	if (v->data)
		v->node = lt__onnx_told(m, v);
	if (v->node >= 0 || lt__onnx_failed(m))
		return v->node;
	lt_var *dim = LT_NEW(m->arena, lt_var, v->rank + 1);
	for (int32_t i = 0; i < v->rank; i++)
		dim[i] = lt_graph_var(m->graph, NULL, v->shape[i]);
	v->node = lt_graph_constant(m->graph, constant_name(m, v), v->dtype, v->rank, dim);
	if (v->node >= 0 && lt_graph_content(m->graph, v->node, v->data))
		v->node = LT_NONE;
	return v->node;
}
