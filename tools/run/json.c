/* json.c -- tensors and numbers as JSON, which has no infinities and no NaN: those are strings. */
#include <math.h>
#include <stdlib.h>
#include "tools/common/common.h"
#include "tools/run/run.h"

json_t *run_json_number(double v)
{
	return isnan(v) ? json_string("nan") : isinf(v) ? json_string(v < 0 ? "-inf" : "inf") : json_real(v);
}

static json_t *value(const struct lt_tensor *t, int64_t at)
{
	enum lt_class cls = lt__dtype_info(t->dtype)->cls;
	union lt_scalar v = lt__load(t->data, at, t->dtype);

	return cls == LT_CLASS_FLOAT   ? run_json_number(v.f)
		: cls == LT_CLASS_BOOL ? json_boolean(v.i != 0)
				       : json_integer(v.i);
}

/* {"name", "dtype", "shape", "data"}: the data flat, in row-major order. */
json_t *run_json_tensor(const struct lt_tensor *t, bool values)
{
	json_t *shape = json_array(), *data, *o;
	int64_t n = (int64_t)(t->bytes / lt__dtype_info(t->dtype)->bytes);

	for (int32_t i = 0; i < t->rank; i++)
		json_array_append_new(shape, json_integer(t->shape[i]));
	o = json_pack("{s:o,s:s,s:o}", "name", lt__json_text(t->name), "dtype", lt__dtype_info(t->dtype)->script,
		"shape", shape);
	if (o && values) {
		data = json_array();
		for (int64_t i = 0; i < n; i++)
			json_array_append_new(data, value(t, i));
		json_object_set_new(o, "data", data);
	}
	return o;
}

json_t *run_json_under(json_t *object, const char *key)
{
	json_t *a = json_object_get(object, key);

	if (!a) {
		a = json_array();
		json_object_set_new(object, key, a);
	}
	return a;
}
