/* attribute.c -- a node's attributes by name; those in a function may be the ones of its call. */
#include <string.h>
#include "frontends/onnx/onnx.h"
#include "frontends/onnx/onnx.pb-c.h"

/* AttributeProto.AttributeType */
enum attribute_type { ATTR_FLOAT = 1, ATTR_INT = 2, ATTR_STRING = 3, ATTR_TENSOR = 4, ATTR_GRAPH = 5, ATTR_FLOATS = 6,
	ATTR_INTS = 7, ATTR_STRINGS = 8 };
static const char *const attribute_types[] = { "undefined", "a float", "an int", "a string", "a tensor", "a graph",
	"floats", "ints", "strings" };

static const Onnx__AttributeProto *attribute_find(struct lt_onnx_call *, const char *);

/* The attribute of that name of the function's call, or the function's default. */
static const Onnx__AttributeProto *attribute_of_call(struct lt_onnx_call *c, const char *name)
{
	const struct lt_onnx_scope *s = c->scope;
	while (s && !s->function)
		s = s->up;
	if (!s)
		return NULL;
	struct lt_onnx_call outer = *s->call;
	const Onnx__AttributeProto *a = attribute_find(&outer, name);
	for (size_t i = 0; !a && i < s->function->n_attribute_proto; i++)
		if (s->function->attribute_proto[i]->name && !strcmp(s->function->attribute_proto[i]->name, name))
			a = s->function->attribute_proto[i];
	return a;
}

static const Onnx__AttributeProto *attribute_find(struct lt_onnx_call *c, const char *name)
{
	for (size_t i = 0; i < c->proto->n_attribute; i++) {
		const Onnx__AttributeProto *a = c->proto->attribute[i];
		if (!a->name || strcmp(a->name, name))
			continue;
		c->used[i] = true;
		return a->ref_attr_name && *a->ref_attr_name ? attribute_of_call(c, a->ref_attr_name) : a;
	}
	return NULL;
}

/* The attribute if it is there and of that type.  Files of old versions do not say the type. */
static const Onnx__AttributeProto *attribute(struct lt_onnx_call *c, const char *name, int32_t type)
{
	const Onnx__AttributeProto *a = attribute_find(c, name);
	if (!a || a->type == type || a->type == 0)
		return a;
	lt__onnx_refuse(c->m, "attribute '%s' is %s, not %s", name,
		a->type > 0 && a->type <= ATTR_STRINGS ? attribute_types[a->type] : "of another type", attribute_types[type]);
	return NULL;
}

enum lt_onnx_kind lt__onnx_attribute_kind(const Onnx__AttributeProto *a)
{
	return a->type == ATTR_FLOAT ? LT_ONNX_FLOAT : a->type == ATTR_INT ? LT_ONNX_INT : a->type == ATTR_INTS ? LT_ONNX_INTS
		: LT_ONNX_OTHER;
}

bool lt__onnx_has_attribute(struct lt_onnx_call *c, const char *name)
{
	return attribute_find(c, name) != NULL;
}

void lt__onnx_ignore(struct lt_onnx_call *c, const char *name)
{
	(void)attribute_find(c, name);
}

/* Numbers of windows, of which products of two and of one by an extent are taken. */
enum { WINDOW_MOST = 1 << 22 };
static const struct attribute_range { const char *name; int64_t low, high; } ranges[] = {
	{ "kernel_shape", 1, WINDOW_MOST }, { "strides", 1, WINDOW_MOST }, { "dilations", 1, WINDOW_MOST },
	{ "pads", -LT_ONNX_MOST, LT_ONNX_MOST }, { "output_padding", 0, WINDOW_MOST }, { "group", 1, INT32_MAX },
	{ "offset_group", 1, INT32_MAX }, { "num_groups", 1, INT32_MAX }, { "blocksize", 1, INT32_MAX },
	{ "block_size", 0, INT32_MAX }, { "size", 1, WINDOW_MOST }, { "hidden_size", 1, INT32_MAX },
	{ "num_heads", 0, INT32_MAX }, { "q_num_heads", 0, INT32_MAX }, { "kv_num_heads", 0, INT32_MAX },
	{ "rotary_embedding_dim", 0, INT32_MAX }, { "output_height", 1, WINDOW_MOST }, { "output_width", 1, WINDOW_MOST },
};

bool lt__onnx_in_range(struct lt_onnx *m, const char *what, int64_t n, const int64_t *at, int64_t low, int64_t high)
{
	for (int64_t i = 0; i < n; i++)
		if (at[i] < low || at[i] > high) {
			lt__onnx_refuse(m, "%s has %lld: %lld to %lld is expected", what, (long long)at[i], (long long)low,
				(long long)high);
			return false;
		}
	return true;
}

static bool range_fits(struct lt_onnx_call *c, const char *name, int64_t n, const int64_t *at)
{
	int64_t low = -LT_ONNX_MOST, high = LT_ONNX_MOST;
	for (size_t i = 0; i < sizeof ranges / sizeof *ranges; i++)
		if (!strcmp(ranges[i].name, name)) {
			low = ranges[i].low;
			high = ranges[i].high;
		}
	return lt__onnx_in_range(c->m, lt__scratch(c->m->ctx, "attribute '%s'", name), n, at, low, high);
}

int64_t lt__onnx_any_int(struct lt_onnx_call *c, const char *name, int64_t otherwise)
{
	const Onnx__AttributeProto *a = attribute(c, name, ATTR_INT);
	return a ? a->i : otherwise;
}

int64_t lt__onnx_int(struct lt_onnx_call *c, const char *name, int64_t otherwise)
{
	const Onnx__AttributeProto *a = attribute(c, name, ATTR_INT);
	return a && range_fits(c, name, 1, &a->i) ? a->i : otherwise;
}

double lt__onnx_float(struct lt_onnx_call *c, const char *name, double otherwise)
{
	const Onnx__AttributeProto *a = attribute(c, name, ATTR_FLOAT);
	return a ? (double)a->f : otherwise;
}

static const char *text_of(struct lt_onnx_call *c, ProtobufCBinaryData s)
{
	char *out = lt__arena_alloc(c->m->arena, s.len + 1);
	if (s.len)
		memcpy(out, s.data, s.len);
	return out;
}

const char *lt__onnx_text(struct lt_onnx_call *c, const char *name, const char *otherwise)
{
	const Onnx__AttributeProto *a = attribute(c, name, ATTR_STRING);
	return a ? text_of(c, a->s) : otherwise;
}

const int64_t *lt__onnx_any_ints(struct lt_onnx_call *c, const char *name, int32_t *n)
{
	static const int64_t nothing;
	const Onnx__AttributeProto *a = attribute(c, name, ATTR_INTS);
	*n = a ? (int32_t)a->n_ints : 0;
	return a ? (a->n_ints ? a->ints : &nothing) : NULL;
}

const int64_t *lt__onnx_ints(struct lt_onnx_call *c, const char *name, int32_t *n)
{
	const int64_t *at = lt__onnx_any_ints(c, name, n);
	if (!at || range_fits(c, name, *n, at))
		return at;
	*n = 0;
	return NULL;
}

const float *lt__onnx_floats(struct lt_onnx_call *c, const char *name, int32_t *n)
{
	static const float nothing;
	const Onnx__AttributeProto *a = attribute(c, name, ATTR_FLOATS);
	*n = a ? (int32_t)a->n_floats : 0;
	return a ? (a->n_floats ? a->floats : &nothing) : NULL;
}

const char *const *lt__onnx_texts(struct lt_onnx_call *c, const char *name, int32_t *n)
{
	const Onnx__AttributeProto *a = attribute(c, name, ATTR_STRINGS);
	*n = a ? (int32_t)a->n_strings : 0;
	if (!a)
		return NULL;
	const char **out = LT_NEW(c->m->arena, const char *, a->n_strings + 1);
	for (size_t i = 0; i < a->n_strings; i++)
		out[i] = text_of(c, a->strings[i]);
	return out;
}

const struct Onnx__TensorProto *lt__onnx_tensor_attribute(struct lt_onnx_call *c, const char *name)
{
	const Onnx__AttributeProto *a = attribute(c, name, ATTR_TENSOR);
	return a ? a->t : NULL;
}

const struct Onnx__GraphProto *lt__onnx_graph_attribute(struct lt_onnx_call *c, const char *name)
{
	const Onnx__AttributeProto *a = attribute(c, name, ATTR_GRAPH);
	return a ? a->g : NULL;
}

const char *lt__onnx_unread(const struct lt_onnx_call *c)
{
	for (size_t i = 0; i < c->proto->n_attribute; i++)
		if (!c->used[i])
			return c->proto->attribute[i]->name ? c->proto->attribute[i]->name : "";
	return NULL;
}
