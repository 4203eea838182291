/* shape.c -- what builders share: sentences, checks of types and shapes, broadcasting. */
#include <math.h>
#include <string.h>
#include "frontends/script/reader.h"
#include "ir/build/build.h"
#include "ir/node/node.h"

lt_status lt__script_fail(struct lt_script *s, struct lt_position at, lt_status status, const char *fmt, ...)
{
	char text[sizeof s->ctx->message];
	va_list list;
	va_start(list, fmt);
	vsnprintf(text, sizeof text, fmt, list);
	va_end(list);
	s->failed = true;
	return lt_fail(s->ctx, status, "%s:%d:%d: %s%s", s->file, at.line, at.column, text, lt__script_where(s));
}

lt_status lt__script_locate(struct lt_script *s)
{
	struct lt_context *ctx = s->ctx;
	char text[sizeof ctx->message];
	size_t n = strlen(s->file);
	lt_status code = ctx->code ? ctx->code : LT_EINVAL;
	if (code == LT_ENOMEM || s->failed)
		return code;
	memcpy(text, ctx->message, sizeof text);
	text[sizeof text - 1] = 0;
	if (strncmp(text, s->file, n) == 0 && text[n] == ':')
		return lt_fail(ctx, code, "%s%s", text, lt__script_where(s));
	return lt__script_fail(s, s->here, code, "%s", text);
}

enum { SHOWN_DIMS = 12 };       /* of a shape in a sentence */

const char *lt__script_list(struct lt_script *s, const int64_t *x, int32_t n)
{
	struct lt_text t = { .arena = s->arena };
	lt__text_add(&t, "[", 1);
	for (int32_t i = 0; i < n && i < SHOWN_DIMS; i++)
		lt__text_format(&t, "%s%lld", i ? ", " : "", (long long)x[i]);
	lt__text_format(&t, "%s]", n > SHOWN_DIMS ? ", ..." : "");
	return t.at;
}

/* "[128, 10]" */
static const char *shape_text(struct lt_script *s, lt_node x)
{
	struct lt_text t = { .arena = s->arena };
	int32_t n = lt_node_rank(s->graph, x);
	lt__text_add(&t, "[", 1);
	for (int32_t i = 0; i < n && i < SHOWN_DIMS; i++) {
		lt_var v = lt_node_dim(s->graph, x, i);
		lt__text_format(&t, "%s%s%lld", i ? ", " : "", s->graph->var[v].bounded ? "<=" : "",
			(long long)lt_var_extent(s->graph, v));
	}
	lt__text_format(&t, "%s]", n > SHOWN_DIMS ? ", ..." : "");
	return t.at;
}

const char *lt__script_value(struct lt_script *s, const struct lt_arg *a)
{
	return lt__arena_format(s->arena, "%s (%s %s)", a->shown,
		lt__dtype_info(lt_node_dtype(s->graph, a->node))->script, shape_text(s, a->node));
}

/* "'end - begin'", with the names of the values that the script reads; "6" */
static const char *extent_text(struct lt_script *s, lt_var v)
{
	const struct lt_vardef *d = &s->graph->var[v];
	const char *quote = d->bounded && d->limit.n ? "'" : "";
	return lt__arena_format(s->arena, "%s%s%s", quote, lt__pos_extent_text(s->graph, v), quote);
}

const char *lt__script_unlike(struct lt_script *s, lt_var v, lt_var w)
{
	const struct lt_vardef *a = &s->graph->var[v], *b = &s->graph->var[w];
	if (a->extent != b->extent || lt__var_same_range(s->graph, v, w))
		return "";
	return lt__arena_format(s->arena, "; %s: %s and %s",
		a->bounded && b->bounded ? "their extents come from different run-time values"
					 : "one of the extents is a run-time value",
		extent_text(s, v), extent_text(s, w));
}

bool lt__script_bounded(const struct lt_script *s, lt_node x, int32_t axis)
{
	return s->graph->var[lt_node_dim(s->graph, x, axis)].bounded;
}

bool lt__script_fixed(struct lt_script *s, const struct lt_arg *a, int32_t axis, const char *what, const char *remedy)
{
	if (!lt__script_bounded(s, a->node, axis))
		return true;
	lt__script_fail(s, a->position, LT_EUNSUPPORTED, "Axis %d of %s has a run-time extent and cannot be %s: %s", axis,
		lt__script_value(s, a), what, remedy);
	return false;
}

bool lt__script_eps(struct lt_script *s, const struct lt_arg *a, enum lt_dtype t)
{
	if (a->number >= 0 && isfinite(lt__round_to((union lt_scalar){ .f = a->number }, t).f))
		return true;
	lt__script_fail(s, a->position, LT_EINVAL,
		"Invalid eps %.*s: it has to be a finite number of type %s, and not negative", a->n, a->text,
		lt__dtype_info(t)->script);
	return false;
}

int64_t lt__script_extent(const struct lt_script *s, lt_node x, int32_t axis)
{
	return lt_var_extent(s->graph, lt_node_dim(s->graph, x, axis));
}

lt_var lt__script_var(struct lt_script *s, int32_t axis, int64_t extent, const struct lt_linear *limit)
{
	static const char letters[] = "ijklpqrstuvw";
	char name[16];
	if (axis < (int32_t)sizeof letters - 1)
		snprintf(name, sizeof name, "%c", letters[axis]);
	else
		snprintf(name, sizeof name, "d%d", axis);
	return lt__var_add(s->graph, name, extent, limit);
}

bool lt__script_float32(struct lt_script *s, const struct lt_arg *a)
{
	if (lt_node_dtype(s->graph, a->node) == LT_F32)
		return true;
	lt__script_fail(s, a->position, LT_ETYPE, "Unsupported value type: %s has to be float32, which CastNode gives",
		lt__script_value(s, a));
	return false;
}

bool lt__script_float(struct lt_script *s, const struct lt_arg *a)
{
	if (lt__dtype_info(lt_node_dtype(s->graph, a->node))->cls == LT_CLASS_FLOAT)
		return true;
	lt__script_fail(s, a->position, LT_ETYPE, "Unsupported value type: %s has to be of a float type, which CastNode gives",
		lt__script_value(s, a));
	return false;
}

bool lt__script_same_type(struct lt_script *s, const struct lt_arg *l, const struct lt_arg *r)
{
	if (lt_node_dtype(s->graph, l->node) == lt_node_dtype(s->graph, r->node))
		return true;
	lt__script_fail(s, r->position, LT_ETYPE, "Different value types: %s and %s", lt__script_value(s, l),
		lt__script_value(s, r));
	return false;
}

bool lt__script_takes(struct lt_script *s, const struct lt_arg *a, enum lt_opcode op)
{
	static const char *const class_name[] = { "float", "integer", "bool" };
	enum lt_dtype t = lt_node_dtype(s->graph, a->node);
	const struct lt_opinfo *info = lt__op_info(op);
	char takes[64];
	size_t at = 0;
	if (info->any || lt__op_takes(op, lt__dtype_info(t)->compute))
		return true;
	for (unsigned i = 0; i < 3; i++)
		if (info->classes & 1u << i)
			at += (size_t)snprintf(takes + at, sizeof takes - at, "%s%s", at ? " or " : "", class_name[i]);
	lt__script_fail(s, a->position, LT_ETYPE, "Unsupported value type: %s, but %s takes %s; CastNode converts",
		lt__script_value(s, a), info->name, takes);
	return false;
}

bool lt__script_axis(struct lt_script *s, const struct lt_arg *a, int32_t rank, int32_t *axis)
{
	int64_t i = a->i < 0 ? a->i + rank : a->i;
	*axis = (int32_t)i;
	if (i >= 0 && i < rank)
		return true;
	lt__script_fail(s, a->position, LT_EINVAL, "Invalid axis %lld of a value of rank %d", (long long)a->i, rank);
	return false;
}

bool lt__script_axes(struct lt_script *s, const struct lt_arg *list, int32_t rank, bool *mask)
{
	for (int32_t i = 0; i < list->n; i++) {
		const struct lt_arg one = { .position = list->position, .i = list->list[i] };
		int32_t axis;
		if (!lt__script_axis(s, &one, rank, &axis))
			return false;
		if (mask[axis]) {
			lt__script_fail(s, list->position, LT_EINVAL, "Duplicate axis %lld in %s", (long long)one.i,
				lt__script_list(s, list->list, list->n));
			return false;
		}
		mask[axis] = true;
	}
	return true;
}

bool lt__script_flag(struct lt_script *s, const struct lt_arg *a, const char *what)
{
	if (a->i == 0 || a->i == 1)
		return true;
	lt__script_fail(s, a->position, LT_EINVAL, "Invalid %s %lld, it is 0 or 1", what, (long long)a->i);
	return false;
}

bool lt__script_no_overflow(struct lt_script *s, const struct lt_arg *a, enum lt_dtype dtype)
{
	int64_t elems = lt__dtype_info(dtype)->bytes;
	for (int32_t i = 0; i < a->n; i++)
		if (a->list[i] < 1) {
			lt__script_fail(s, a->position, LT_EINVAL, "Invalid shape %s: dimension %d is %lld, each has to be at least 1",
				lt__script_list(s, a->list, a->n), i, (long long)a->list[i]);
			return false;
		}
	for (int32_t i = 0; i < a->n; i++)
		if (lt__mul_overflow(elems, a->list[i], &elems)) {
			lt__script_fail(s, a->position, LT_EOVERFLOW, "The bytes of a tensor of shape %s exceed 63 bits",
				lt__script_list(s, a->list, a->n));
			return false;
		}
	return true;
}

bool lt__script_broadcast(
	struct lt_script *s, int32_t n, const struct lt_arg *a, int32_t *n_dim, lt_var **dim, lt_node *out)
{
	struct lt_misfit bad;
	lt_node *x = LT_NEW(s->arena, lt_node, n);
	for (int32_t i = 0; i < n; i++)
		x[i] = a[i].node;
	if (lt__pos_misfit(s->graph, n, x, &bad)) {
		lt__script_fail(s, a[bad.second].position, LT_ETYPE,
			"Incompatible shapes for pointwise operation: %s and %s differ at axis %d, and neither is 1%s",
			lt__script_value(s, &a[bad.first]), lt__script_value(s, &a[bad.second]), bad.axis,
			lt__script_unlike(s, bad.v, bad.w));
		return false;
	}
	*dim = LT_NEW(s->arena, lt_var, LT_MAX_RANK);
	return lt__pos_broadcast(s->graph, n, x, n_dim, *dim, out);
}

lt_var *lt__script_vars(struct lt_script *s, const struct lt_arg *shape)
{
	lt_var *v = LT_NEW(s->arena, lt_var, shape->n);
	for (int32_t i = 0; i < shape->n; i++)
		v[i] = lt__script_var(s, i, shape->list[i], shape->limit ? shape->limit[i] : NULL);
	return v;
}

lt_node lt__script_spread(struct lt_script *s, lt_node scalar, const struct lt_arg *shape)
{
	return lt__pos_view(s->graph, scalar, shape->n, lt__script_vars(s, shape), NULL);
}

bool lt__script_large_number(const struct lt_arg *a, union lt_scalar *x)
{
	uint64_t value = 0;
	for (int32_t i = 0; i < a->n; i++)
		if (a->text[i] < '0' || a->text[i] > '9' || __builtin_mul_overflow(value, (uint64_t)10, &value)
			|| __builtin_add_overflow(value, (uint64_t)(a->text[i] - '0'), &value))
			return false;
	x->i = (int64_t)value;
	return a->n > 0;
}

bool lt__script_bits(struct lt_script *s, const struct lt_arg *a, enum lt_dtype t, uint64_t *bits)
{
	const struct lt_dtypeinfo *info = lt__dtype_info(t);
	union lt_scalar x = { .i = a->i };
	if (a->bits) {
		*bits = (uint64_t)a->i;
		if (info->cls == LT_CLASS_FLOAT && *bits <= UINT64_MAX >> (64 - 8 * info->bytes))
			return true;
		lt__script_fail(s, a->position, LT_ETYPE, "The pattern %.*s is not one of a float of type %s", a->n, a->text,
			info->script);
		return false;
	}
	if (info->cls == LT_CLASS_FLOAT) {
		x = lt__round_to((union lt_scalar){ .f = a->number }, t);
		if (isinf(x.f) && !isinf(a->number)) {
			lt__script_fail(s, a->position, LT_EOVERFLOW, "The value %.*s exceeds %s; write inf if that is meant", a->n, a->text,
				info->script);
			return false;
		}
	} else {
		bool whole = a->whole || (fabs(a->number) < 0x1p53 && a->number == floor(a->number));
		bool large = t == LT_U64 && !a->whole && lt__script_large_number(a, &x);
		if (!a->whole && whole)
			x.i = (int64_t)a->number;
		if (!(whole || large) || lt__convert(x, LT_I64, t).i != x.i || (t == LT_U64 && !large && x.i < 0)) {
			lt__script_fail(s, a->position, LT_ETYPE, "The value %.*s is not a number of type %s", a->n, a->text, info->script);
			return false;
		}
	}
	*bits = lt__bits_of(x, t);
	return true;
}

lt_node lt__script_literal(struct lt_script *s, const struct lt_arg *a, enum lt_dtype t)
{
	struct lt_nodedef def = { .op = LT_OP_lit, .dtype = t, .line = s->graph->line, .column = s->graph->column };
	return lt__script_bits(s, a, t, &def.bits) ? lt__graph_add(s->graph, &def) : -1;
}

lt_node lt__script_apart(struct lt_script *s, lt_node x, int32_t axis, lt_node y)
{
	const struct lt_graph *g = s->graph;
	int32_t rank = lt_node_rank(g, y);
	lt_var *v = LT_NEW(s->arena, lt_var, rank);
	int32_t *at = LT_NEW(s->arena, int32_t, rank);
	for (int32_t i = 0; i < rank; i++) {
		at[i] = i;
		v[i] = lt_node_dim(g, y, i);
		for (int32_t k = 0; k < lt_node_rank(g, x); k++)
			if (k != axis && v[i] == lt_node_dim(g, x, k)) {
				v[i] = lt__pos_fresh(s->graph, v[i]);
				break;
			}
	}
	return lt__pos_view(s->graph, y, rank, v, at);
}
