/* call.c -- what a builder asks its node for, and what it gives. */
#include "frontends/onnx/onnx.h"
#include "frontends/onnx/onnx.pb-c.h"

bool lt__onnx_has(const struct lt_onnx_call *c, int32_t i)
{
	return i < c->n_in && c->in[i];
}

struct lt_onnx_value *lt__onnx_value(struct lt_onnx_call *c, int32_t i)
{
	if (lt__onnx_has(c, i))
		return c->in[i];
	if (!lt__onnx_failed(c->m))
		lt__onnx_refuse(c->m, "input %d is missing", i);
	struct lt_onnx_value *none = LT_NEW(c->m->arena, struct lt_onnx_value, 1);
	*none = (struct lt_onnx_value){ .dtype = LT_F32, .node = LT_NONE, .lost = true };
	return none;
}

lt_node lt__onnx_in(struct lt_onnx_call *c, int32_t i)
{
	return lt__onnx_node(c->m, lt__onnx_value(c, i));
}

const int64_t *lt__onnx_in_any_ints(struct lt_onnx_call *c, int32_t i, const char *what, int32_t *n)
{
	struct lt_onnx_value *v = lt__onnx_value(c, i);
	*n = 0;
	if (v->lost)
		return NULL;
	const int64_t elems = lt__onnx_elems(v);
	if ((v->dtype != LT_I64 && v->dtype != LT_I32) || v->rank > 1 || elems > INT32_MAX / 8) {
		lt__onnx_refuse(c->m, "%s ('%s') is %s %s: int64 or int32 of one axis is expected", what, v->name,
			lt__onnx_type_name(lt__onnx_type(v->dtype)), lt__onnx_shape(c->m, v->rank, v->shape));
		return NULL;
	}
	const void *data = lt__onnx_content(c->m, v, what);
	if (!data)
		return NULL;
	int64_t *out = LT_NEW(c->m->arena, int64_t, elems + 1);
	for (int64_t k = 0; k < elems; k++)
		out[k] = lt__load(data, k, v->dtype).i;
	*n = (int32_t)elems;
	return out;
}

const int64_t *lt__onnx_in_ints(struct lt_onnx_call *c, int32_t i, const char *what, int32_t *n)
{
	const int64_t *at = lt__onnx_in_any_ints(c, i, what, n);
	if (!at || lt__onnx_in_range(c->m, what, *n, at, -LT_ONNX_MOST, LT_ONNX_MOST))
		return at;
	*n = 0;
	return NULL;
}

int64_t lt__onnx_in_any_int(struct lt_onnx_call *c, int32_t i, const char *what, int64_t otherwise)
{
	int32_t n;
	if (!lt__onnx_has(c, i))
		return otherwise;
	const int64_t *at = lt__onnx_in_any_ints(c, i, what, &n);
	if (at && n != 1)
		lt__onnx_refuse(c->m, "%s has %d elements, one is expected", what, n);
	return at && n == 1 ? at[0] : otherwise;
}

int64_t lt__onnx_in_int(struct lt_onnx_call *c, int32_t i, const char *what, int64_t otherwise)
{
	const int64_t at = lt__onnx_in_any_int(c, i, what, otherwise);
	if (!lt__onnx_has(c, i) || lt__onnx_failed(c->m))
		return otherwise;
	return lt__onnx_in_range(c->m, what, 1, &at, -LT_ONNX_MOST, LT_ONNX_MOST) ? at : otherwise;
}

double lt__onnx_in_number(struct lt_onnx_call *c, int32_t i, const char *what, double otherwise)
{
	if (!lt__onnx_has(c, i))
		return otherwise;
	struct lt_onnx_value *v = c->in[i];
	if (lt__onnx_elems(v) != 1) {
		lt__onnx_refuse(c->m, "%s has %lld elements, one is expected", what, (long long)lt__onnx_elems(v));
		return otherwise;
	}
	const void *data = lt__onnx_content(c->m, v, what);
	return data ? lt__convert(lt__load(data, 0, v->dtype), v->dtype, LT_F64).f : otherwise;
}

bool lt__onnx_wants(const struct lt_onnx_call *c, int32_t i)
{
	return i < c->n_out && c->proto->output[i][0];
}

void lt__onnx_give_value(struct lt_onnx_call *c, int32_t i, const struct lt_onnx_value *v)
{
	if (i < c->n_out)
		c->out[i] = *v;
}

void lt__onnx_give(struct lt_onnx_call *c, int32_t i, lt_node x)
{
	const struct lt_onnx_value v = lt__onnx_of_node(c->m, x);
	lt__onnx_give_value(c, i, &v);
}

void lt__onnx_give_data(struct lt_onnx_call *c, int32_t i, enum lt_dtype dtype, int32_t rank, const int64_t *shape,
	const void *data)
{
	struct lt_onnx_value v = lt__onnx_of_data(c->m, dtype, rank, shape, data);
	if (!v.empty)
		v.data = lt__arena_copy(c->m->kept, data, (size_t)lt__onnx_elems(&v) * lt__dtype_info(dtype)->bytes);
	lt__onnx_give_value(c, i, &v);
}
