/* form.c -- a call as a convolution: its axes as images, channels and a plane, and what follows it.
 *
 * The anchor of the description says what windows there are, so that it is not asked how an image's axes lie in one of
 * the graph's: strides are those of the elements that are read.
 */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include "backends/cudnn/cudnn.h"

enum { MAX_AXIS = 64 };
/* y = relu(x * w + z + b), each of the latter if it is there. */
enum cudnn_part { PART_X, PART_W, PART_Y, PART_Z, PART_B, PARTS };
struct cudnn_forming {
	const struct lt_tree *t;
	const struct lt_call *c;
	const struct lt_call_anchor *a;
	struct lt_cudnn_form *f;
	const uint64_t *room;           /* see lt__cudnn_form */
	struct lt_cudnn_tensor part[PARTS];
	int32_t read[PARTS];            /* of the call's reads; -1: none, or the result */
	bool relu;
	bool turned;                    /* of a product: its left factor is the filters, its rows are channels */
	char *why;
	size_t bytes;
};
/* Axes that count as one: its extent, and its stride in each tensor. */
struct cudnn_merged { int64_t extent, stride[PARTS]; };

static bool refuse(struct cudnn_forming *x, const char *format, ...) __attribute__((format(printf, 2, 3)));
static bool refuse(struct cudnn_forming *x, const char *format, ...)
{
	va_list args;
	va_start(args, format);
	(void)vsnprintf(x->why, x->bytes, format, args);
	va_end(args);
	return false;
}

static const struct lt_call_op *op_at(const struct cudnn_forming *x, int32_t i)
{
	return LT_AT(struct lt_call_op, x->t->call_ops, x->c->first_op + i);
}
static const struct lt_op *operator_of(const struct cudnn_forming *x, int32_t i)
{
	return LT_AT(struct lt_op, x->t->ops, op_at(x, i)->op);
}
static const struct lt_call_value *value_at(const struct cudnn_forming *x, int32_t op, int32_t v)
{
	return LT_AT(struct lt_call_value, x->t->call_values, op_at(x, op)->first_value + v);
}
static const struct lt_call_read *read_at(const struct cudnn_forming *x, int32_t i)
{
	return LT_AT(struct lt_call_read, x->t->call_reads, x->c->first_read + i);
}
static const struct lt_call_dim *axis_at(const struct cudnn_forming *x, int32_t i)
{
	return LT_AT(struct lt_call_dim, x->t->call_dims, x->c->first_axis + i);
}
static const struct lt_call_window *window_at(const struct cudnn_forming *x, int32_t i)
{
	return LT_AT(struct lt_call_window, x->t->call_windows, x->a->first_window + i);
}
static uint32_t dtype_of(const struct cudnn_forming *x, int32_t buffer)
{
	return LT_AT(struct lt_type, x->t->types, LT_AT(struct lt_buffer, x->t->buffers, buffer)->type)->dtype;
}
static const struct lt_call_result *result_of(const struct cudnn_forming *x)
{
	return LT_AT(struct lt_call_result, x->t->call_results, x->c->first_result);
}

/* Along an axis; 0 where a tensor is not there. */
static int64_t stride_at(const struct cudnn_forming *x, int tensor, int32_t axis)
{
	if (axis < 0 || (tensor != PART_Y && x->read[tensor] < 0))
		return 0;
	return x->t->strides[(tensor == PART_Y ? result_of(x)->first_stride : read_at(x, x->read[tensor])->first_stride)
		+ axis];
}

static int32_t role_of(const struct cudnn_forming *x, int32_t axis)
{
	const int32_t role = axis_at(x, axis)->role;
	return !x->turned ? role : role == LT_DIM_ROW ? LT_DIM_COLUMN : role == LT_DIM_COLUMN ? LT_DIM_ROW : role;
}

/* ---- what is computed ---- */

static bool is_half(uint32_t dtype) { return dtype == LT_F16 || dtype == LT_BF16; }

/* A cast that changes no value, or may be left out. */
static bool is_free(const struct cudnn_forming *x, int32_t op)
{
	const struct lt_op *is = operator_of(x, op);
	return op_at(x, op)->kind == LT_CALL_CAST ? op_at(x, op)->may_skip || (is_half(is->in[0]) && is->out == LT_F32)
		: op_at(x, op)->kind == LT_CALL_MAP && is->opcode == LT_OPCODE_copy;
}

static const struct lt_call_value *behind_casts(const struct cudnn_forming *x, const struct lt_call_value *v)
{
	while (v->kind == LT_VALUE_OP && is_free(x, v->at))
		v = value_at(x, v->at, 0);
	return v;
}

static bool is_map(const struct cudnn_forming *x, int32_t op, uint32_t opcode)
{
	return op_at(x, op)->kind == LT_CALL_MAP && operator_of(x, op)->opcode == opcode;
}

/* Where the anchor's product reads a factor. */
static bool find_factors(struct cudnn_forming *x)
{
	const int32_t sum = x->a->op[0], mul = x->a->op[1];
	const struct lt_call_value *product = behind_casts(x, value_at(x, sum, 0));
	if (operator_of(x, sum)->opcode != LT_OPCODE_add || operator_of(x, sum)->out != LT_F32)
		return refuse(x, "it adds products in float32 alone");
	if (product->kind != LT_VALUE_OP || product->at != mul || !is_map(x, mul, LT_OPCODE_mul))
		return refuse(x, "something is between the products and their sum");
	for (int v = 0; v < 2; v++) {
		const struct lt_call_value *from = behind_casts(x, value_at(x, mul, v));
		if (from->kind != LT_VALUE_READ || (from->at != x->a->read[0] && from->at != x->a->read[1]))
			return refuse(x, "a factor is computed in the call; compute it outside");
	}
	x->read[PART_X] = x->a->read[x->turned];
	x->read[PART_W] = x->a->read[!x->turned];
	return true;
}

/* What a sum's other operand is: a value for each channel, or one for each element of the result. */
static bool take_addend(struct cudnn_forming *x, int32_t read)
{
	const int64_t *strides = x->t->strides + read_at(x, read)->first_stride;
	bool all = true, channels = true;
	for (int32_t a = 0; a < x->c->n_axis; a++) {
		const struct lt_call_dim *d = axis_at(x, a);
		bool channel = role_of(x, a) == LT_DIM_COLUMN || role_of(x, a) == LT_DIM_BATCH;
		if (d->extent <= 1)
			continue;
		all = all && (strides[a] != 0) == (stride_at(x, PART_Y, a) != 0);
		channels = channels && (strides[a] != 0) == (channel && stride_at(x, PART_Y, a) != 0);
	}
	const int tensor = channels && x->read[PART_B] < 0 ? PART_B : all ? PART_Z : channels ? PART_B : -1;
	if (tensor < 0)
		return refuse(x, "what is added has neither one value for each channel nor one for each element of the result");
	if (x->read[tensor] >= 0)
		return refuse(x, "two values are added of which the library takes one: %s",
			tensor == PART_B ? "one for each channel" : "one for each element of the result");
	x->read[tensor] = read;
	return true;
}

/* Backwards from the result. */
static bool find_behind(struct cudnn_forming *x)
{
	const struct lt_call_value last = { .kind = LT_VALUE_OP, .at = result_of(x)->op };
	const struct lt_call_value *v = &last;
	if (op_at(x, v->at)->kind == LT_CALL_CAST)              /* to the result's type */
		v = value_at(x, v->at, 0);
	v = behind_casts(x, v);
	if (v->kind == LT_VALUE_OP && is_map(x, v->at, LT_OPCODE_max)) {
		const struct lt_call_value *a = value_at(x, v->at, 0), *b = value_at(x, v->at, 1);
		const struct lt_call_value *limit = a->kind == LT_VALUE_BITS ? a : b;
		if (limit->kind != LT_VALUE_BITS || limit->bits)
			return refuse(x, "its maximum is not with 0");
		x->relu = true;
		v = behind_casts(x, limit == a ? b : a);
	}
	while (v->kind == LT_VALUE_OP && v->at != x->a->op[0]) {
		if (!is_map(x, v->at, LT_OPCODE_add))
			return refuse(x, "behind the convolution it only adds, and then takes the maximum with 0");
		const struct lt_call_value *a = behind_casts(x, value_at(x, v->at, 0)), *b = behind_casts(x, value_at(x, v->at, 1));
		const struct lt_call_value *read = b->kind == LT_VALUE_READ ? b : a;
		if (read->kind != LT_VALUE_READ)
			return refuse(x, "what is added is computed in the call; compute it outside");
		if (!take_addend(x, read->at))
			return false;
		v = read == a ? b : a;
	}
	return v->kind == LT_VALUE_OP || refuse(x, "its result is not that of the convolution");
}

static bool check_types(struct cudnn_forming *x)
{
	const uint32_t dtype = dtype_of(x, result_of(x)->buffer);
	if (dtype != LT_F32 && !is_half(dtype))
		return refuse(x, "it computes float32, float16 and bfloat16");
	for (int i = 0; i < PARTS; i++) {
		const int32_t r = x->read[i];
		if (r >= 0 && dtype_of(x, read_at(x, r)->buffer) != dtype)
			return refuse(x, "what it reads and writes is not of one type; cast outside");
		if (r >= 0 && read_at(x, r)->n_guard && (i != PART_X || read_at(x, r)->fill))
			return refuse(x, i == PART_X ? "its borders are not 0" : "only the image has borders; copy the other outside");
	}
	return true;
}

/* ---- where it lies ---- */

static struct cudnn_merged one(void) { return (struct cudnn_merged){ .extent = 1 }; }

static void merge_axis(const struct cudnn_forming *x, int32_t axis, struct cudnn_merged *m)
{
	m->extent = axis_at(x, axis)->extent;
	for (int i = 0; i < PARTS; i++)
		m->stride[i] = stride_at(x, i, axis);
}

/* Axes of the set as one, the outermost of `by` first; false: they do not go on in each other. */
static bool merge(const struct cudnn_forming *x, uint64_t set, int by, struct cudnn_merged *out)
{
	*out = one();
	while (set) {
		int32_t inner = -1;
		struct cudnn_merged m;
		for (int32_t a = 0; a < x->c->n_axis; a++)
			if (set >> a & 1 && (inner < 0 || stride_at(x, by, a) < stride_at(x, by, inner)))
				inner = a;
		set &= ~(UINT64_C(1) << inner);
		merge_axis(x, inner, &m);
		if (out->extent > 1)
			for (int i = 0; i < PARTS; i++)
				if (m.stride[i] != out->stride[i] * out->extent)
					return false;
		m.extent *= out->extent;
		if (out->extent > 1)
			memcpy(m.stride, out->stride, sizeof m.stride);
		*out = m;
	}
	return true;
}

/* Groups outside of the channels of one, in tensor `i`: as one. */
static bool group(const struct cudnn_merged *groups, const struct cudnn_merged *inside, int i, int64_t *extent,
	int64_t *stride)
{
	*extent = groups->extent * inside->extent;
	*stride = inside->extent > 1 ? inside->stride[i] : groups->stride[i];
	return groups->extent == 1 || inside->extent == 1 || groups->stride[i] == inside->stride[i] * inside->extent;
}

/* Strides of dims of one element, as if there were more: engines go by them. */
static void fill_strides(struct lt_cudnn_tensor *t, int32_t n_space, bool channels_last)
{
	const int n = 2 + n_space;
	int64_t next = 1;
	for (int i = 0; i < n; i++) {
		const int inside = channels_last ? (i == 0 ? 1 : i == n - 1 ? 0 : n - i) : n - 1 - i;
		if (t->dim[inside] == 1)
			t->stride[inside] = next;
		next = t->stride[inside] * t->dim[inside];
	}
}

/* Whether a tensor has its channels inside; where that cannot be told, as the others have. */
static bool is_channels_last(const struct lt_cudnn_tensor *t, int32_t n_space, bool else_is)
{
	for (int i = 2; i < 2 + n_space; i++)
		if (t->dim[i] > 1 && t->dim[1] > 1)
			return t->stride[1] < t->stride[i];
	return else_is;
}

struct cudnn_plane { int32_t n; struct cudnn_space { struct lt_call_window w; bool windows; } at[MAX_AXIS]; };

static int64_t step_of(const struct cudnn_forming *x, const struct cudnn_space *s)
{
	return s->windows ? s->w.step : stride_at(x, PART_X, s->w.out);
}

/* Which axes make the plane: those of windows, and of a product's rows, which have windows of one element, the two
 * innermost.  set: the other rows. */
static bool find_plane(struct cudnn_forming *x, uint64_t *rows, struct cudnn_plane *p)
{
	for (int32_t w = 0; w < x->a->n_window; w++) {
		const struct lt_call_window *is = window_at(x, w);
		if (p->n == LT_CUDNN_SPACE)
			return refuse(x, "it has windows along more than %d axes", (int)LT_CUDNN_SPACE);
		if (stride_at(x, PART_W, is->out))
			return refuse(x, "each position has a filter of its own");
		if (is->out >= 0)
			*rows &= ~(UINT64_C(1) << is->out);
		p->at[p->n++] = (struct cudnn_space){ *is, true };
	}
	while (!x->a->n_window && *rows && p->n < 2) {
		int32_t inner = -1;
		for (int32_t a = 0; a < x->c->n_axis; a++)
			if (*rows >> a & 1 && (inner < 0 || stride_at(x, PART_Y, a) < stride_at(x, PART_Y, inner)))
				inner = a;
		*rows &= ~(UINT64_C(1) << inner);
		p->at[p->n++] = (struct cudnn_space){ { .out = inner, .window = -1, .stride = 1, .dilation = 1 }, false };
	}
	for (int32_t i = 0; i < p->n; i++)              /* the outermost first */
		for (int32_t k = i + 1; k < p->n; k++)
			if (step_of(x, &p->at[k]) > step_of(x, &p->at[i])) {
				const struct cudnn_space swapped = p->at[i];
				p->at[i] = p->at[k];
				p->at[k] = swapped;
			}
	return true;
}

static bool put_plane(struct cudnn_forming *x, const struct cudnn_plane *p)
{
	struct lt_cudnn_form *f = x->f;
	const int32_t first = p->n < 2 ? 2 - p->n : 0;
	f->n_space = first + p->n;
	for (int32_t i = 0; i < f->n_space; i++) {
		const struct cudnn_space none = { { .out = -1, .window = -1, .stride = 1, .dilation = 1, .extent = 1 }, true };
		const struct cudnn_space *s = i < first ? &none : &p->at[i - first];
		const int64_t out = s->w.out < 0 ? 1 : axis_at(x, s->w.out)->extent,
			window = s->w.window < 0 ? 1 : axis_at(x, s->w.window)->extent,
			reach = s->w.stride * (out - 1) + s->w.dilation * (window - 1) + 1;
		int64_t extent = s->windows ? s->w.extent : out;
		f->stride[i] = s->w.stride;
		f->dilation[i] = s->w.dilation;
		f->before[i] = s->w.before;
		f->after[i] = reach - s->w.before > extent ? reach - s->w.before - extent : 0;
		/* The library counts how many windows there are room for: rows that nobody reads are not there. */
		if ((extent + f->before[i] + f->after[i] - s->w.dilation * (window - 1) - 1) / s->w.stride + 1 != out)
			extent = reach - f->before[i] - f->after[i];
		x->part[PART_X].dim[2 + i] = extent;
		x->part[PART_X].stride[2 + i] = step_of(x, s);
		x->part[PART_X].offset += f->before[i] * step_of(x, s);
		x->part[PART_W].dim[2 + i] = window;
		x->part[PART_W].stride[2 + i] = stride_at(x, PART_W, s->w.window);
		for (int k = PART_Y; k <= PART_Z; k++) {
			x->part[k].dim[2 + i] = out;
			x->part[k].stride[2 + i] = stride_at(x, k, s->w.out);
		}
		x->part[PART_B].dim[2 + i] = 1;
	}
	return true;
}

static bool put_channels(struct cudnn_forming *x, const uint64_t *set)
{
	struct lt_cudnn_tensor *t = x->part;
	struct cudnn_merged images, channels, filters, groups;
	int64_t one_group;
	bool good = merge(x, set[LT_DIM_ROW], PART_Y, &images) && merge(x, set[LT_DIM_DEEP], PART_X, &channels)
		&& merge(x, set[LT_DIM_COLUMN], PART_Y, &filters) && merge(x, set[LT_DIM_BATCH], PART_Y, &groups);
	if (!good)
		return refuse(x, "images, channels or filters are several axes that do not go on in each other; copy it outside");
	for (int i = PART_X; i <= PART_Z; i++) {
		t[i].dim[0] = i == PART_W ? groups.extent * filters.extent : images.extent;
		t[i].stride[0] = images.stride[i];
	}
	t[PART_B].dim[0] = 1;
	good = group(&groups, &channels, PART_X, &t[PART_X].dim[1], &t[PART_X].stride[1])
		&& group(&groups, &filters, PART_W, &t[PART_W].dim[0], &t[PART_W].stride[0]);
	for (int i = PART_Y; i <= PART_B; i++)
		good = group(&groups, &filters, i, &t[i].dim[1], &t[i].stride[1]) && good;
	one_group = channels.extent;
	t[PART_W].dim[1] = one_group;
	t[PART_W].stride[1] = channels.stride[PART_W];
	if (t[PART_B].operand < 0)
		t[PART_B].stride[1] = 1;        /* of zeros */
	return good || refuse(x, "the channels of a group do not lie beside those of the next; copy it outside");
}

static bool check_strides(struct cudnn_forming *x)
{
	const struct lt_cudnn_tensor *w = &x->part[PART_W];
	static const char *const names[] = { "the image", "the filters", "the result", "what is added", "the bias" };
	for (int i = 0; i < PARTS; i++)
		for (int d = 0; d < 2 + x->f->n_space && x->part[i].operand >= 0; d++)
			if (x->part[i].dim[d] > 1 && x->part[i].stride[d] <= 0)
				return refuse(x, "%s is %s; copy it outside", names[i], x->part[i].stride[d] ? "read backwards"
					: "repeated along one of its dims");
	/* Plans of others are offered, and wrong (cuDNN 9.14). */
	for (int d = 1; d < 2 + x->f->n_space; d++)
		if (w->dim[d] > 1 && w->dim[0] > 1 && w->stride[d] > w->stride[0])
			return refuse(x, "what is multiplied with one filter does not lie together; copy the filters outside");
	return true;
}

/* Windows of one element that stand apart: of an image with channels inside that has what is between them, too, if
 * there is such a one; engines for images without gaps are many times faster. */
static void close_gaps(struct cudnn_forming *x)
{
	struct lt_cudnn_form *f = x->f;
	struct lt_cudnn_tensor *t = &x->part[PART_X];
	const int64_t channels = t->dim[1], apart = t->dim[1] > 0 ? t->stride[3] / channels : 0, out = t->dim[3];
	for (int i = 0; i < 2; i++)
		if (f->n_space != 2 || f->stride[i] != 1 || f->before[i] || f->after[i] || x->part[PART_W].dim[2 + i] != 1)
			return;
	if ((channels > 1 && t->stride[1] != 1) || out < 2 || apart < 2 || t->stride[3] % channels)
		return;
	for (int64_t width = apart * out; width > apart * (out - 1); width--) {
		const int64_t line = width * channels, lines = t->stride[2] / line;
		struct lt_cudnn_tensor whole = *t;
		if (t->stride[2] % line || lines < 1)
			continue;
		whole.dim[3] = width;
		whole.stride[3] = channels;
		whole.stride[2] = line;
		whole.dim[2] = t->dim[0] > 1 && t->stride[0] % line == 0 && t->stride[0] / line <= lines * t->dim[2]
			? t->stride[0] / line : lines * (t->dim[2] - 1) + 1;
		if ((whole.dim[2] - 1) / lines + 1 != t->dim[2]
			|| !cudnn_has_room(&whole, x->room))
			continue;
		*t = whole;
		f->stride[0] = lines;
		f->stride[1] = apart;
		return;
	}
}

static bool put_tensors(struct cudnn_forming *x)
{
	struct lt_cudnn_form *f = x->f;
	uint64_t set[LT_DIM_OTHER + 1] = { 0 };
	struct cudnn_plane p = { .n = 0 };
	for (int i = 0; i < PARTS; i++)
		x->part[i].operand = i == PART_Y ? 0 : x->read[i] < 0 ? LT_CUDNN_BETWEEN : x->c->n_result + x->read[i];
	for (int32_t a = 0; a < x->c->n_axis; a++) {
		const struct lt_call_dim *d = axis_at(x, a);
		if (d->n_bound)
			return refuse(x, "how many there are of %s differs", d->var ? d->var : "?");
		if (d->role < 0 || d->role >= LT_DIM_OTHER)
			return refuse(x, "%s is none of a convolution's axes", d->var ? d->var : "?");
		set[role_of(x, a)] |= d->extent > 1 ? UINT64_C(1) << a : 0;
	}
	for (int32_t w = 0; w < x->a->n_window; w++)
		if (window_at(x, w)->window >= 0)
			set[LT_DIM_DEEP] &= ~(UINT64_C(1) << window_at(x, w)->window);
	for (int32_t w = 0; w < x->a->n_window; w++)
		if (window_at(x, w)->out >= 0)
			set[LT_DIM_BATCH] &= ~(UINT64_C(1) << window_at(x, w)->out);
	if (!find_plane(x, &set[LT_DIM_ROW], &p) || !put_plane(x, &p) || !put_channels(x, set) || !check_strides(x))
		return false;
	for (int i = 0; i < PARTS; i++) {
		x->part[i].n_dim = 2 + f->n_space;
		x->part[i].dtype = dtype_of(x, result_of(x)->buffer);
	}
	close_gaps(x);
	const bool last = is_channels_last(&x->part[PART_Y], f->n_space,
		is_channels_last(&x->part[PART_X], f->n_space, true));
	for (int i = 0; i < PARTS; i++)
		fill_strides(&x->part[i], f->n_space, is_channels_last(&x->part[i], f->n_space, last));
	return true;
}

/* ---- as operations ---- */

static int32_t emit_tensor(struct cudnn_forming *x, enum cudnn_part part, int32_t operand, uint32_t dtype)
{
	struct lt_cudnn_tensor *t = &x->f->tensor[x->f->n_tensor];
	*t = x->part[part];
	t->operand = operand;
	t->dtype = dtype;
	t->n_dim = 2 + x->f->n_space;
	return x->f->n_tensor++;
}

/* b -1: it has one operand.  last: what it gives is the result. */
static int32_t emit_node(struct cudnn_forming *x, int32_t kind, int32_t mode, int32_t a, int32_t b, bool last)
{
	struct lt_cudnn_node *n = &x->f->node[x->f->n_node++];
	const int32_t out = emit_tensor(x, PART_Y, last ? 0 : LT_CUDNN_BETWEEN,
		last ? dtype_of(x, result_of(x)->buffer) : LT_F32);
	*n = (struct lt_cudnn_node){ .kind = kind, .mode = mode, .n_in = 1 + (b >= 0), .in = { a, b }, .out = out };
	return out;
}

/* The residual before the bias: that order is what the library has a form for; and a bias behind each residual and each
 * ReLU, one of zeros where the call has none. */
static bool emit(struct cudnn_forming *x)
{
	const uint32_t dtype = dtype_of(x, result_of(x)->buffer);
	const bool z = x->read[PART_Z] >= 0, b = x->read[PART_B] >= 0 || z || x->relu;
	const int32_t image = emit_tensor(x, PART_X, x->part[PART_X].operand, dtype),
		filters = emit_tensor(x, PART_W, x->part[PART_W].operand, dtype);
	int32_t y = emit_node(x, LT_CUDNN_CONVOLUTION, 0, image, filters, !z && !b && !x->relu);
	if (z)
		y = emit_node(x, LT_CUDNN_POINTWISE, CUDNN_POINTWISE_ADD, y,
			emit_tensor(x, PART_Z, x->part[PART_Z].operand, dtype), false);
	if (b)
		y = emit_node(x, LT_CUDNN_POINTWISE, CUDNN_POINTWISE_ADD, y, emit_tensor(x, PART_B,
			x->read[PART_B] >= 0 ? x->part[PART_B].operand : LT_CUDNN_ZEROS, dtype), !x->relu);
	if (x->relu)
		(void)emit_node(x, LT_CUDNN_POINTWISE, CUDNN_POINTWISE_RELU_FWD, y, -1, true);
	return true;
}

static bool form_of(struct cudnn_forming *x)
{
	*x->f = (struct lt_cudnn_form){ .n_space = 0 };
	for (int i = 0; i < PARTS; i++)
		x->read[i] = -1;
	return find_factors(x) && find_behind(x) && check_types(x) && put_tensors(x) && emit(x);
}

const struct lt_call *lt__cudnn_call_at(const struct lt_tree *t, int32_t loop)
{
	if (t->size < offsetof(struct lt_tree, call_windows) + sizeof t->call_windows
		|| !LT_AT_HAS(struct lt_call, t->calls, undescribed))
		return NULL;
	for (uint32_t i = 0; i < t->calls.n; i++)
		if (LT_AT(struct lt_call, t->calls, i)->loop == loop)
			return LT_AT(struct lt_call, t->calls, i);
	return NULL;
}

const char *lt__cudnn_form(const struct lt_tree *t, int32_t loop, const uint64_t *room, struct lt_cudnn_form *f,
	char *why, size_t bytes)
{
	struct cudnn_forming x = { .t = t, .f = f, .room = room, .why = why, .bytes = bytes };
	char turned[240];
	x.c = lt__cudnn_call_at(t, loop);
	if (!x.c || x.c->n_anchor != 1 || x.c->n_result != 1 || x.c->n_axis > MAX_AXIS) {
		(void)refuse(&x, "it is no convolution with one result");
		return why;
	}
	x.a = LT_AT(struct lt_call_anchor, t->call_anchors, x.c->anchor);
	if (x.a->kind != LT_ANCHOR_CONVOLUTION && x.a->kind != LT_ANCHOR_PRODUCT)
		(void)refuse(&x, "it is no convolution");
	else if (form_of(&x))
		return NULL;
	/* Which of a product's factors is the image is not said: that whose axes are one. */
	struct cudnn_forming y = { .t = t, .c = x.c, .a = x.a, .f = f, .room = room, .turned = true,
		.why = turned, .bytes = sizeof turned };
	return x.a->kind == LT_ANCHOR_PRODUCT && form_of(&y) ? NULL : why;
}

void lt__cudnn_form_text(const struct lt_cudnn_wish *w, FILE *to)
{
	const struct lt_cudnn_form *f = &w->form;
	(void)fprintf(to, "graph%s workspace %" PRId64 "\n", w->tf32 ? " tf32" : "", w->workspace);
	for (int i = 0; i < f->n_space; i++)
		(void)fprintf(to, "window stride %" PRId64 " dilation %" PRId64 " borders %" PRId64 " %" PRId64 "\n", f->stride[i],
			f->dilation[i], f->before[i], f->after[i]);
	for (int i = 0; i < f->n_tensor; i++) {
		const struct lt_cudnn_tensor *t = &f->tensor[i];
		(void)fprintf(to, "%%%d type %u", i, (unsigned)t->dtype);
		if (t->operand == LT_CUDNN_NUMBER)
			(void)fprintf(to, " number %a", t->number);
		else if (t->operand == LT_CUDNN_BETWEEN)
			(void)fprintf(to, " between");
		else
			(void)fprintf(to, " %s align %u", t->operand == LT_CUDNN_ZEROS ? "zeros" : "bound", (unsigned)w->align[i]);
		for (int d = 0; d < t->n_dim; d++)
			(void)fprintf(to, " %" PRId64 "/%" PRId64, t->dim[d], t->stride[d]);
		(void)fprintf(to, "\n");
	}
	for (int i = 0; i < f->n_node; i++) {
		const struct lt_cudnn_node *n = &f->node[i];
		(void)fprintf(to, "%%%d = %s %d", (int)n->out, n->kind == LT_CUDNN_CONVOLUTION ? "convolution" : "pointwise",
			(int)n->mode);
		for (int k = 0; k < n->n_in; k++)
			(void)fprintf(to, " %%%d", (int)n->in[k]);
		(void)fprintf(to, "\n");
	}
}
