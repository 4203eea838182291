/* form.c -- a call as a form of the library's: which reads are factors, where all operands lie, by dims of a
 * convolution (images, channels, a plane) or of a product (batches, rows, columns).  chain.c has what is computed of
 * them.
 *
 * The anchor of the description says what windows there are, so that it is not asked how an image's axes lie in one of
 * the graph's: strides are those of the elements that are read.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include "backends/cudnn/form.h"

static const struct lt_call_window *window_at(const struct cudnn_forming *x, int32_t i)
{
	return LT_AT(struct lt_call_window, x->d.t->call_windows, x->d.a->first_window + i);
}

/* Along an axis; 0 where a lane is not there. */
static int64_t stride_at(const struct cudnn_forming *x, int32_t lane, int32_t axis)
{
	return axis < 0 || !x->laid.stride[lane] ? 0 : x->laid.stride[lane][axis];
}

static int32_t role_of(const struct cudnn_forming *x, int32_t axis)
{
	const int32_t role = described_axis(&x->d, axis)->role;
	return !x->turned ? role : role == LT_DIM_ROW ? LT_DIM_COLUMN : role == LT_DIM_COLUMN ? LT_DIM_ROW : role;
}

/* ---- what is read where ---- */

/* All that a value is made of, but for the product itself, has the dims of that region. */
static bool mark(struct cudnn_forming *x, const struct lt_call_value *v, int32_t region)
{
	int32_t *at = v->kind == LT_VALUE_OP ? &x->op_region[v->at] : v->kind == LT_VALUE_READ ? &x->region[v->at] : NULL;
	if (!at || *at == region)
		return true;
	if (*at >= 0)
		return described_refuse(&x->d, "what is before a factor is also beside it; compute it outside");
	*at = region;
	if (v->kind == LT_VALUE_READ || (cudnn_anchor_of(x, v->at) >= 0 && region == CUDNN_BEHIND))
		return true;
	if (described_op(&x->d, v->at)->kind == LT_CALL_REDUCE)
		return described_refuse(&x->d, "it reduces by %s beside the sum of products; compute that outside",
			described_operator(&x->d, v->at)->name);
	for (int32_t i = 0; i < described_op(&x->d, v->at)->n_value; i++)
		if (!mark(x, described_value(&x->d, v->at, i), region))
			return false;
	return true;
}

/* Whether a factor changes along a role of the product's. */
static bool has_role(const struct cudnn_forming *x, const struct lt_call_value *v, int32_t role)
{
	bool has = false;
	for (int32_t a = 0; a < x->d.c->n_axis; a++)
		if (described_axis(&x->d, a)->role == role && described_axis(&x->d, a)->extent > 1)
			has = has || (v->kind == LT_VALUE_OP ? described_op(&x->d, v->at)->axes >> a & 1
				: v->kind == LT_VALUE_READ && x->d.t->strides[described_read(&x->d, v->at)->first_stride + a] != 0);
	return has;
}

/* Where a product reads its factors. */
static bool find_factors_of(struct cudnn_forming *x, int32_t i)
{
	const int32_t sum = cudnn_anchor(x, i)->op[0], mul = cudnn_anchor(x, i)->op[1];
	const struct lt_call_value *product = lt__described_behind(&x->d, described_value(&x->d, sum, 0)), *factor[2];
	if (described_operator(&x->d, sum)->opcode != LT_OPCODE_add || described_operator(&x->d, sum)->out != LT_F32)
		return described_refuse(&x->d, "it adds products in float32 alone");
	if (product->kind != LT_VALUE_OP || product->at != mul || described_op(&x->d, mul)->kind != LT_CALL_MAP
		|| described_operator(&x->d, mul)->opcode != LT_OPCODE_mul)
		return described_refuse(&x->d, "something is between the products and their sum");
	if (described_op(&x->d, mul)->axes != described_op(&x->d, x->d.a->op[1])->axes)
		return described_refuse(&x->d, "two products side by side that share no factor");
	for (int32_t v = 0; v < 2; v++) {
		factor[v] = lt__described_behind(&x->d, described_value(&x->d, mul, v));
		if (!x->matrices && (factor[v]->kind != LT_VALUE_READ
			|| (factor[v]->at != x->d.a->read[0] && factor[v]->at != x->d.a->read[1])))
			return described_refuse(&x->d, "a factor is computed in the call; compute it outside");
	}
	const bool swapped = x->matrices && (has_role(x, factor[0], LT_DIM_COLUMN) || has_role(x, factor[1], LT_DIM_ROW));
	x->left[i] = x->matrices ? swapped != x->turned : factor[1]->at == x->image;
	return mark(x, factor[x->left[i]], CUDNN_LEFT) && mark(x, factor[!x->left[i]], CUDNN_RIGHT);
}

/* Where products read their factors, and what else is read. */
static bool find_factors(struct cudnn_forming *x)
{
	x->image = x->d.a->read[x->turned];
	x->filters = x->d.a->read[!x->turned];
	for (int32_t i = 0; i < x->d.c->n_anchor; i++)
		if (!find_factors_of(x, i))
			return false;
	for (int32_t i = 0; i < x->d.c->n_result; i++) {
		const struct lt_call_value last = { .kind = LT_VALUE_OP, .at = described_result(&x->d, i)->op };
		if (!mark(x, &last, CUDNN_BEHIND))
			return false;
		x->region[x->d.c->n_read + i] = CUDNN_BEHIND;
	}
	return true;
}

static bool check_types(struct cudnn_forming *x)
{
	const uint32_t dtype = described_dtype(&x->d, described_result(&x->d, 0)->buffer);
	if (dtype != LT_F32 && !cudnn_is_half(dtype))
		return described_refuse(&x->d, "it computes float32, float16 and bfloat16");
	for (int32_t i = 0; i < x->n_lane; i++) {
		const bool is_read = i < x->d.c->n_read, is_image = i == x->image && !x->matrices;
		if (x->region[i] >= 0 && dtype != described_dtype(&x->d, is_read ? described_read(&x->d, i)->buffer
			: described_result(&x->d, i - x->d.c->n_read)->buffer))
			return described_refuse(&x->d, "what it reads and writes is not of one type; cast outside");
		if (x->region[i] >= 0 && is_read && described_read(&x->d, i)->n_guard
			&& (!is_image || described_read(&x->d, i)->fill))
			return described_refuse(&x->d, is_image ? "its borders are not 0"
				: "only the image has borders; copy the other outside");
	}
	return true;
}

/* ---- where it lies ---- */

static bool merge(const struct cudnn_forming *x, uint64_t set, int32_t by, struct lt_cudnn_merged *out)
{
	return lt__described_merge(&x->d, set, &x->laid, by, out);
}

/* A dim of a lane, of one element where it is repeated; of what is computed nothing may be. */
static void put_dim(struct cudnn_forming *x, int32_t lane, int d, int64_t extent, int64_t stride)
{
	const bool whole = stride || lane >= x->d.c->n_read || (!x->matrices && (lane == x->image || lane == x->filters));
	x->lane[lane].dim[d] = whole ? extent : 1;
	x->lane[lane].stride[d] = stride;
	x->full[x->region[lane]][d] = extent;
}

/* Groups outside of the channels of one, in a lane: as one. */
static bool put_groups(struct cudnn_forming *x, int32_t lane, int d, const struct lt_cudnn_merged *groups,
	const struct lt_cudnn_merged *inside)
{
	put_dim(x, lane, d, groups->extent * inside->extent, inside->extent > 1 ? inside->stride[lane] : groups->stride[lane]);
	return groups->extent == 1 || inside->extent == 1
		|| groups->stride[lane] == inside->stride[lane] * inside->extent;
}

/* Strides of dims of one element, as if there were more: engines go by them.  inside: the innermost dim. */
static void fill_strides(const struct cudnn_forming *x, struct lt_cudnn_tensor *t, int inside)
{
	int order[LT_CUDNN_DIMS] = { inside }, n = 1;
	int64_t next = 1;
	for (int d = x->n_dim - 1; d >= 0; d--)
		if (d != inside)
			order[n++] = d;
	for (int i = 0; i < n; i++) {
		const int d = order[i];
		if (t->dim[d] == 1)
			t->stride[d] = next;
		next = t->stride[d] * t->dim[d];
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

struct cudnn_plane { int32_t n; struct cudnn_space { struct lt_call_window w; bool windows; } at[LT_CUDNN_AXES]; };

static int64_t step_of(const struct cudnn_forming *x, const struct cudnn_space *s)
{
	return s->windows ? s->w.step : stride_at(x, x->image, s->w.out);
}

/* Which axes make the plane: those of windows, and of a product's rows, which have windows of one element, the two
 * innermost.  set: the other rows. */
static bool find_plane(struct cudnn_forming *x, uint64_t *rows, struct cudnn_plane *p)
{
	for (int32_t w = 0; w < x->d.a->n_window; w++) {
		const struct lt_call_window *is = window_at(x, w);
		if (p->n == LT_CUDNN_SPACE)
			return described_refuse(&x->d, "it has windows along more than %d axes", (int)LT_CUDNN_SPACE);
		if (stride_at(x, x->filters, is->out))
			return described_refuse(&x->d, "each position has a filter of its own");
		if (is->out >= 0)
			*rows &= ~(UINT64_C(1) << is->out);
		p->at[p->n++] = (struct cudnn_space){ *is, true };
	}
	while (!x->d.a->n_window && *rows && p->n < 2) {
		int32_t inner = -1;
		for (int32_t a = 0; a < x->d.c->n_axis; a++)
			if (*rows >> a & 1 && (inner < 0 || stride_at(x, x->d.c->n_read, a) < stride_at(x, x->d.c->n_read, inner)))
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

/* How many windows the library counts that there is room for. */
static int64_t n_window(const struct lt_cudnn_form *f, int32_t i, int64_t extent, int64_t window, int64_t after)
{
	return (extent + f->before[i] + after - f->dilation[i] * (window - 1) - 1) / f->stride[i] + 1;
}

static void put_plane(struct cudnn_forming *x, const struct cudnn_plane *p)
{
	struct lt_cudnn_form *f = x->d.f;
	const int32_t first = p->n < 2 ? 2 - p->n : 0;
	f->n_space = first + p->n;
	x->n_dim = 2 + f->n_space;
	for (int32_t i = 0; i < f->n_space; i++) {
		const struct cudnn_space none = { { .out = -1, .window = -1, .stride = 1, .dilation = 1, .extent = 1 }, true };
		const struct cudnn_space *s = i < first ? &none : &p->at[i - first];
		const int64_t out = s->w.out < 0 ? 1 : described_axis(&x->d, s->w.out)->extent,
			window = s->w.window < 0 ? 1 : described_axis(&x->d, s->w.window)->extent,
			reach = s->w.stride * (out - 1) + s->w.dilation * (window - 1) + 1;
		int64_t extent = s->windows ? s->w.extent : out;
		f->stride[i] = s->w.stride;
		f->dilation[i] = s->w.dilation;
		f->before[i] = s->w.before;
		f->after[i] = reach - s->w.before > extent ? reach - s->w.before - extent : 0;
		/* As much behind as before, if the windows are the same: the engines of first layers take no other border (float16,
		 * 7x7 with stride 2 on 224 x 224, batch 32: 83.2 us for 210.8). */
		if (f->after[i] < f->before[i] && n_window(f, i, extent, window, f->before[i]) == out)
			f->after[i] = f->before[i];
		/* Rows that nobody reads are not there. */
		if (n_window(f, i, extent, window, f->after[i]) != out)
			extent = reach - f->before[i] - f->after[i];
		put_dim(x, x->image, 2 + i, extent, step_of(x, s));
		x->lane[x->image].offset += f->before[i] * step_of(x, s);
		put_dim(x, x->filters, 2 + i, window, stride_at(x, x->filters, s->w.window));
		for (int32_t k = 0; k < x->n_lane; k++)
			if (x->region[k] == CUDNN_BEHIND)
				put_dim(x, k, 2 + i, out, stride_at(x, k, s->w.out));
	}
}

static bool put_channels(struct cudnn_forming *x, const uint64_t *set)
{
	struct lt_cudnn_merged images, channels, filters, groups;
	const int32_t y = x->d.c->n_read;
	if (!merge(x, set[LT_DIM_ROW], y, &images) || !merge(x, set[LT_DIM_DEEP], x->image, &channels)
		|| !merge(x, set[LT_DIM_COLUMN], y, &filters) || !merge(x, set[LT_DIM_BATCH], y, &groups))
		return described_refuse(&x->d, "images, channels or filters are several axes that do not go on in each other; "
			"copy it outside");
	put_dim(x, x->image, 0, images.extent, images.stride[x->image]);
	bool good = put_groups(x, x->image, 1, &groups, &channels) && put_groups(x, x->filters, 0, &groups, &filters);
	put_dim(x, x->filters, 1, channels.extent, channels.stride[x->filters]);
	for (int32_t i = 0; i < x->n_lane; i++)
		if (x->region[i] == CUDNN_BEHIND) {
			put_dim(x, i, 0, images.extent, images.stride[i]);
			good = put_groups(x, i, 1, &groups, &filters) && good;
		}
	return good
		|| described_refuse(&x->d, "the channels of a group do not lie beside those of the next; copy it outside");
}

/* The first lane of a region that has all axes of the set, or the result. */
static int32_t lane_with(const struct cudnn_forming *x, uint64_t set, int32_t region)
{
	for (int32_t i = 0; i < x->n_lane; i++) {
		bool all = x->region[i] == region;
		for (int32_t a = 0; a < x->d.c->n_axis; a++)
			all = all && (!(set >> a & 1) || stride_at(x, i, a));
		if (all)
			return i;
	}
	return x->d.c->n_read;
}

/* [batches, rows, columns] by [batches, rows, deep] and [batches, deep, columns]. */
static bool put_matrices(struct cudnn_forming *x, const uint64_t *set)
{
	struct lt_cudnn_merged batches, rows, columns, deep;
	const int32_t y = x->d.c->n_read;
	if (!merge(x, set[LT_DIM_BATCH], y, &batches) || !merge(x, set[LT_DIM_ROW], y, &rows)
		|| !merge(x, set[LT_DIM_COLUMN], y, &columns)
		|| !merge(x, set[LT_DIM_DEEP], lane_with(x, set[LT_DIM_DEEP], CUDNN_LEFT), &deep))
		return described_refuse(&x->d, "batches, rows, columns or terms are several axes that do not go on in each other; "
			"copy it outside");
	x->n_dim = 3;
	for (int32_t i = 0; i < x->n_lane; i++) {
		const struct lt_cudnn_merged *first = x->region[i] == CUDNN_RIGHT ? &deep : &rows,
			*second = x->region[i] == CUDNN_LEFT ? &deep : &columns;
		if (x->region[i] < 0)
			continue;
		put_dim(x, i, 0, batches.extent, batches.stride[i]);
		put_dim(x, i, 1, first->extent, first->stride[i]);
		put_dim(x, i, 2, second->extent, second->stride[i]);
	}
	if (x->lane[y].dim[2] > 1 && x->lane[y].stride[2] != 1)
		return described_refuse(&x->d, "columns of the result do not lie side by side; copy it outside");
	return true;
}

static bool check_strides(struct cudnn_forming *x)
{
	const struct lt_cudnn_tensor *w = &x->lane[x->matrices ? 0 : x->filters];
	for (int32_t i = 0; i < x->n_lane; i++)
		for (int d = 0; d < x->n_dim && x->region[i] >= 0; d++)
			if (x->lane[i].dim[d] > 1 && x->lane[i].stride[d] <= 0)
				return described_refuse(&x->d, "%s is %s; copy it outside", i >= x->d.c->n_read ? "the result"
					: x->matrices ? "what is read" : i == x->image ? "the image" : i == x->filters ? "the filters"
					: "what is read behind it", x->lane[i].stride[d] ? "read backwards" : "repeated along one of its dims");
	/* Plans of others are offered, and wrong (cuDNN 9.14). */
	for (int d = 1; d < x->n_dim && !x->matrices; d++)
		if (w->dim[d] > 1 && w->dim[0] > 1 && w->stride[d] > w->stride[0])
			return described_refuse(&x->d, "what is multiplied with one filter does not lie together; copy the filters outside");
	return true;
}

/* Windows of one element that stand apart: of an image with channels inside that has what is between them, too, if
 * there is such a one; engines for images without gaps are many times faster. */
static void close_gaps(struct cudnn_forming *x)
{
	struct lt_cudnn_form *f = x->d.f;
	struct lt_cudnn_tensor *t = &x->lane[x->image];
	const int64_t channels = t->dim[1], apart = t->dim[1] > 0 ? t->stride[3] / channels : 0, out = t->dim[3];
	for (int i = 0; i < 2; i++)
		if (f->n_space != 2 || f->stride[i] != 1 || f->before[i] || f->after[i] || x->lane[x->filters].dim[2 + i] != 1)
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

/* The innermost dim: of a convolution's tensor its channels, or the plane; else that which lies side by side. */
static int inside_of(const struct cudnn_forming *x, int32_t lane)
{
	const struct lt_cudnn_tensor *t = &x->lane[lane], *y = &x->lane[x->d.c->n_read];
	if (x->matrices)
		return t->dim[1] > 1 && t->stride[1] == 1 ? 1 : 2;
	return is_channels_last(t, x->d.f->n_space, is_channels_last(y, x->d.f->n_space,
		is_channels_last(&x->lane[x->image], x->d.f->n_space, true))) ? 1 : x->n_dim - 1;
}

static bool put_lanes(struct cudnn_forming *x)
{
	uint64_t set[LT_DIM_OTHER + 1] = { 0 };
	struct cudnn_plane p = { .n = 0 };
	for (int32_t a = 0; a < x->d.c->n_axis; a++) {
		const struct lt_call_dim *d = described_axis(&x->d, a);
		if (d->n_bound)
			return described_refuse(&x->d, "how many there are of %s differs", d->var ? d->var : "?");
		if (d->role < 0 || d->role >= LT_DIM_OTHER)
			return described_refuse(&x->d, "%s is none of a convolution's axes", d->var ? d->var : "?");
		set[role_of(x, a)] |= d->extent > 1 ? UINT64_C(1) << a : 0;
	}
	for (int32_t w = 0; w < x->d.a->n_window; w++)
		if (window_at(x, w)->window >= 0)
			set[LT_DIM_DEEP] &= ~(UINT64_C(1) << window_at(x, w)->window);
	for (int32_t w = 0; w < x->d.a->n_window; w++)
		if (window_at(x, w)->out >= 0)
			set[LT_DIM_BATCH] &= ~(UINT64_C(1) << window_at(x, w)->out);
	if (!x->matrices && !find_plane(x, &set[LT_DIM_ROW], &p))
		return false;
	if (!x->matrices)
		put_plane(x, &p);
	if (!(x->matrices ? put_matrices(x, set) : put_channels(x, set)) || !check_strides(x))
		return false;
	int inside[LT_CUDNN_LANES];
	for (int32_t i = 0; i < x->n_lane; i++) {
		x->lane[i].n_dim = x->n_dim;
		x->lane[i].dtype = described_dtype(&x->d, described_result(&x->d, 0)->buffer);
	}
	if (!x->matrices)
		close_gaps(x);
	for (int32_t i = 0; i < x->n_lane; i++)
		inside[i] = inside_of(x, i);
	for (int32_t i = 0; i < x->n_lane; i++)
		fill_strides(x, &x->lane[i], inside[i]);
	return true;
}

/* ---- all of it ---- */

static bool form_of(struct cudnn_forming *x)
{
	*x->d.f = (struct lt_cudnn_form){ .n_space = 0 };
	x->n_lane = x->d.c->n_read + x->d.c->n_result;
	for (int32_t i = 0; i < x->n_lane; i++) {
		x->region[i] = -1;
		x->lane[i] = (struct lt_cudnn_tensor){ .operand = i < x->d.c->n_read ? x->d.c->n_result + i : i - x->d.c->n_read };
	}
	for (int32_t i = 0; i < x->d.c->n_op; i++)
		x->op_region[i] = -1;
	if (!find_factors(x))
		return false;
	x->laid.n = x->n_lane;
	for (int32_t i = 0; i < x->n_lane; i++)
		x->laid.stride[i] = x->region[i] < 0 ? NULL : x->d.t->strides + (i < x->d.c->n_read
			? described_read(&x->d, i)->first_stride : described_result(&x->d, i - x->d.c->n_read)->first_stride);
	return check_types(x) && put_lanes(x) && lt__cudnn_chain(x);
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

/* What is known of a call before it is asked what it computes. */
static const char *is_none(const struct cudnn_forming *x)
{
	if (!x->d.c || x->d.c->anchor < 0)
		return "it is no form of the library's as a whole";
	if (x->d.c->n_anchor > CUDNN_ANCHORS)
		return "it has more than two products";
	for (int32_t i = 0; i < x->d.c->n_anchor && x->d.c->n_anchor > 1; i++)
		if (cudnn_anchor(x, i)->kind != LT_ANCHOR_PRODUCT)
			return "what stands beside another product in it is none";
	/* Of TF32 the library has plans, 13 to 18 times as slow as the two products by themselves. */
	if (x->d.c->n_anchor > 1 && !cudnn_is_half(described_dtype(&x->d, described_result(&x->d, 0)->buffer)))
		return "it has two products, and is not of halves";
	if (x->d.c->n_axis > LT_CUDNN_AXES || x->d.c->n_op > LT_CUDNN_OPS
		|| x->d.c->n_read + x->d.c->n_result > LT_CUDNN_LANES)
		return "it has more axes, operators or operands than a form of the library's; cut it in two";
	switch (x->d.a->kind) {
	case LT_ANCHOR_CONVOLUTION:
	case LT_ANCHOR_PRODUCT: return NULL;
	case LT_ANCHOR_NORM:
	case LT_ANCHOR_ATTENTION: return x->d.c->n_result == 1 ? NULL : "a norm or attention has one result";
	default: return "it is no convolution, product, norm or attention";
	}
}

/* Which of a product's factors is the image is not said: that whose axes are one.  Last, as a product. */
const char *lt__cudnn_form(const struct lt_tree *t, int32_t loop, bool tf32, const uint64_t *room,
	struct lt_cudnn_form *f, char *why, size_t bytes)
{
	char other[240];
	struct cudnn_forming x = { .d = { .t = t, .c = lt__cudnn_call_at(t, loop), .f = f, .why = why, .bytes = bytes },
		.room = room, .tf32 = tf32 };
	x.d.a = x.d.c && x.d.c->anchor >= 0 ? LT_AT(struct lt_call_anchor, t->call_anchors, x.d.c->anchor) : NULL;
	const char *none = is_none(&x);
	if (none) {
		(void)described_refuse(&x.d, "%s", none);
		return why;
	}
	*f = (struct lt_cudnn_form){ .n_space = 0 };
	if (x.d.a->kind == LT_ANCHOR_NORM)
		return lt__cudnn_norm(&x.d) ? NULL : why;
	if (x.d.a->kind == LT_ANCHOR_ATTENTION)
		return lt__cudnn_attention(&x.d) ? NULL : why;
	const bool alone = x.d.c->n_anchor == 1;        /* side by side they are products */
	if (alone && form_of(&x))
		return NULL;
	for (int way = alone ? 1 : 2; way < 4 && x.d.a->kind == LT_ANCHOR_PRODUCT; way++) {
		const bool matrices = way > 1;
		if (matrices && !tf32 && !cudnn_is_half(described_dtype(&x.d, described_result(&x.d, 0)->buffer)))
			break;          /* products of float32 are TF32's, whatever their engines' notes say */
		struct cudnn_forming y = { .d = x.d, .room = room, .tf32 = tf32, .matrices = matrices, .turned = way % 2 };
		y.d.why = way == 2 ? why : other;
		y.d.bytes = way == 2 ? bytes : sizeof other;
		if (form_of(&y))
			return NULL;
	}
	return why;
}

static void text_nodes(const struct lt_cudnn_node *n, int32_t count, FILE *to)
{
	static const char *const kinds[] = { "convolution", "pointwise", "norm", "product", "reduction", "index" };
	for (int i = 0; i < count; i++, n++) {
		(void)fprintf(to, "%%%d = %s %d", (int)n->out, kinds[n->kind], (int)n->mode);
		for (int k = 0; k < n->n_in; k++)
			(void)fprintf(to, " %%%d", (int)n->in[k]);
		if (n->clips)
			(void)fprintf(to, " from %a to %a", n->low, n->high);
		(void)fprintf(to, "\n");
	}
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
			(void)fprintf(to, " %s align %u", t->operand == LT_CUDNN_ZEROS ? "zeros" : t->operand == LT_CUDNN_ONES ? "ones"
				: t->operand == LT_CUDNN_MASK ? "mask" : "bound", (unsigned)w->align[i]);
		for (int d = 0; d < t->n_dim; d++)
			(void)fprintf(to, " %" PRId64 "/%" PRId64, t->dim[d], t->stride[d]);
		(void)fprintf(to, "\n");
	}
	text_nodes(f->node, f->n_node, to);
	if (f->n_other)
		(void)fprintf(to, "or\n");
	text_nodes(f->node + f->n_node, f->n_other, to);
}
