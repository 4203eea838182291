/* tensor.c -- tensors of a model: their type, shape and content. */
#include <string.h>
#include "frontends/onnx/onnx.h"
#include "frontends/onnx/onnx.pb-c.h"
#include "frontends/onnx/stored.h"

enum tensor_field { FIELD_float_data, FIELD_int32_data, FIELD_int64_data, FIELD_double_data, FIELD_uint64_data };
static const struct tensor_type { int64_t code; const char *name; enum lt_dtype dtype; enum tensor_field field; }
	tensor_types[] = {
#define ONNX_TYPE(code, name, dtype, field) { code, name, (enum lt_dtype)dtype, FIELD_##field },
#include "frontends/onnx/types.def"
};
enum { N_TENSOR_TYPE = sizeof tensor_types / sizeof *tensor_types };

static const struct tensor_type *tensor_type(int64_t code)
{
	for (int32_t i = 0; i < N_TENSOR_TYPE; i++)
		if (tensor_types[i].code == code)
			return &tensor_types[i];
	return NULL;
}

enum lt_dtype lt__onnx_dtype(int64_t type)
{
	const struct tensor_type *t = tensor_type(type);
	return t ? t->dtype : (enum lt_dtype)0;
}

int64_t lt__onnx_type(enum lt_dtype dtype)
{
	for (int32_t i = 0; i < N_TENSOR_TYPE; i++)
		if (tensor_types[i].dtype == dtype)
			return tensor_types[i].code;
	return 0;
}

const char *lt__onnx_type_name(int64_t type)
{
	const struct tensor_type *t = tensor_type(type);
	return t ? t->name : type == 0 ? "undefined" : "unknown";
}

/* The elements of the field that the type is kept in, one after the other. */
struct tensor_fields { const void *at; size_t n; uint32_t bytes; };

static struct tensor_fields fields_of(const Onnx__TensorProto *t, enum tensor_field field)
{
	switch (field) {
	case FIELD_float_data:
		return (struct tensor_fields){ t->float_data, t->n_float_data, sizeof *t->float_data };
	case FIELD_int32_data:
		return (struct tensor_fields){ t->int32_data, t->n_int32_data, sizeof *t->int32_data };
	case FIELD_int64_data:
		return (struct tensor_fields){ t->int64_data, t->n_int64_data, sizeof *t->int64_data };
	case FIELD_double_data:
		return (struct tensor_fields){ t->double_data, t->n_double_data, sizeof *t->double_data };
	case FIELD_uint64_data:
		break;
	}
	return (struct tensor_fields){ t->uint64_data, t->n_uint64_data, sizeof *t->uint64_data };
}

/* Elements of a small type are kept in a large one each: the low bytes. */
static const void *narrow(struct lt_onnx *m, struct tensor_fields from, uint32_t bytes)
{
	if (from.bytes == bytes)
		return from.at;
	char *out = lt__arena_alloc(m->kept, from.n * bytes + 1);
	for (size_t i = 0; i < from.n; i++)
		memcpy(out + i * bytes, (const char *)from.at + i * from.bytes, bytes);
	return out;
}

static bool read_place(const char *text, int64_t *out)
{
	int64_t x = 0;
	for (const char *at = text; *at; at++)
		if (*at < '0' || *at > '9' || __builtin_mul_overflow(x, (int64_t)10, &x)
		    || __builtin_add_overflow(x, (int64_t)(*at - '0'), &x))
			return false;
	*out = x;
	return *text != 0;
}

static const void *external(struct lt_onnx *m, const Onnx__TensorProto *t, size_t want)
{
	const char *location = NULL;
	int64_t offset = 0, bytes = -1;
	for (size_t i = 0; i < t->n_external_data; i++) {
		const char *key = t->external_data[i]->key, *value = t->external_data[i]->value;
		if (!key || !value)
			continue;
		if (!strcmp(key, "location"))
			location = value;
		if ((!strcmp(key, "offset") && !read_place(value, &offset))
		    || (!strcmp(key, "length") && !read_place(value, &bytes))) {
			lt__onnx_refuse(m, "external data: '%s' is no %s", value, key);
			return NULL;
		}
	}
	if (!location) {
		lt__onnx_refuse(m, "external data without a location");
		return NULL;
	}
	return lt__onnx_external(m, location, offset, bytes, want);
}

/* Bytes that are not 0 or 1 would be other numbers than true. */
static const void *bools(struct lt_onnx *m, const void *data, size_t n)
{
	const unsigned char *at = data;
	for (size_t i = 0; i < n; i++)
		if (at[i] > 1) {
			unsigned char *out = lt__arena_copy(m->kept, data, n);
			for (size_t k = 0; k < n; k++)
				out[k] = out[k] != 0;
			return out;
		}
	return data;
}

/* n elements of `size` bytes each. */
static const void *content(struct lt_onnx *m, const Onnx__TensorProto *t, const struct tensor_type *type, size_t n,
	uint32_t size)
{
	struct tensor_fields from = fields_of(t, type->field);
	if (t->data_location == 1)
		return external(m, t, n * size);
	struct lt_onnx_place raw = { NULL, 0 };
	if (t->has_raw_data && t->raw_data.len == sizeof raw)
		memcpy(&raw, t->raw_data.data, sizeof raw);
	if (t->has_raw_data && raw.n == n * size)
		return lt__onnx_inline(m, &raw);
	if (!t->has_raw_data && from.n == n)
		return narrow(m, from, size);
	lt__onnx_refuse(m, "its content has %zu %s, but its shape %zu", t->has_raw_data ? raw.n : from.n,
		t->has_raw_data ? "bytes" : "elements", t->has_raw_data ? n * size : n);
	return NULL;
}

static bool tensor_shape(struct lt_onnx *m, const Onnx__TensorProto *t, uint32_t size, struct lt_onnx_value *out,
	int64_t *n)
{
	int64_t bytes = size;
	if (t->n_dims > LT_MAX_RANK) {
		lt__onnx_refuse(m, "it has %zu dimensions, but a value at most %d", t->n_dims, LT_MAX_RANK);
		return false;
	}
	out->rank = (int32_t)t->n_dims;
	out->shape = t->dims;
	for (size_t i = 0; i < t->n_dims; i++)
		if (t->dims[i] < 0 || lt__mul_overflow(bytes, t->dims[i], &bytes)) {
			lt__onnx_refuse(m, "its shape %s is none: a dimension is negative, or its bytes exceed 63 bits",
				lt__onnx_shape(m, out->rank, out->shape));
			return false;
		}
	*n = bytes / size;
	out->empty = *n == 0;
	return true;
}

bool lt__onnx_tensor(struct lt_onnx *m, const struct Onnx__TensorProto *t, struct lt_onnx_value *out)
{
	const struct tensor_type *type = tensor_type(t->data_type);
	const struct lt_onnx_stored *stored = lt__onnx_stored(t->data_type);
	int64_t n;
	*out = (struct lt_onnx_value){ .node = LT_NONE };
	if (!type || (!type->dtype && !stored)) {
		lt__onnx_refuse(m, "its element type is %s, which Looptree does not have", lt__onnx_type_name(t->data_type));
		return false;
	}
	out->dtype = stored ? stored->held : type->dtype;
	out->stored = stored ? stored->code : 0;
	if (!tensor_shape(m, t, lt__dtype_info(out->dtype)->bytes, out, &n))
		return false;
	if (out->empty)
		return true;
	if (stored) {
		/* Elements of less than a byte share bytes. */
		const size_t each = 8 / (size_t)stored->bits, bytes = ((size_t)n + each - 1) / each;
		const void *packed = content(m, t, type, bytes, 1);
		out->data = packed ? lt__onnx_unpack(m, stored, packed, (size_t)n) : NULL;
		return out->data != NULL;
	}
	out->data = content(m, t, type, (size_t)n, lt__dtype_info(type->dtype)->bytes);
	if (out->data && type->dtype == LT_BOOL)
		out->data = bools(m, out->data, (size_t)n);
	return out->data != NULL;
}
