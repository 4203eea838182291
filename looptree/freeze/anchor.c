/* anchor.c -- what the description of a call is as a whole: a product, a convolution, attention, a norm.
 *
 * Found of the description alone, so that it says nothing that the ops do not say.  Where the ops are anything else
 * there is no anchor, and a backend goes by the ops.
 */
#include <math.h>
#include <string.h>
#include "looptree/freeze/parts.h"

enum { MAX_WINDOW = 8, MAX_ROUNDS = 16 };

struct axis_span;
struct anchoring {
	struct lt_freezer *f;
	struct lt_call *call;
	struct lt_fcallanchor a;        /* the one that is found */
	uint64_t has_role;              /* axes that one which was found before has */
	struct axis_span *at;           /* by axis: where the image is read */
};
static const struct lt_fcallanchor no_anchor = { .is = { .op = { -1, -1, -1, -1, -1 }, .read = { -1, -1, -1 },
	.offset_row = -1, .mask = -1, .length = -1 } };

static const struct lt_call_op *op_at(const struct anchoring *x, int32_t i)
{
	return &x->f->call_op[x->call->first_op + i];
}
static uint32_t opcode_of_op(const struct anchoring *x, int32_t i) { return x->f->op[op_at(x, i)->op].opcode; }
static const struct lt_fcallvalue *value_at(const struct anchoring *x, int32_t op, int32_t v)
{
	return &x->f->call_value[op_at(x, op)->first_value + v];
}
static bool is_map(const struct anchoring *x, int32_t op, uint32_t opcode)
{
	return op >= 0 && op_at(x, op)->kind == LT_CALL_MAP && opcode_of_op(x, op) == opcode;
}
static bool is_sum(const struct anchoring *x, int32_t op)
{
	return op >= 0 && op_at(x, op)->kind == LT_CALL_REDUCE && opcode_of_op(x, op) == LT_OPCODE_add;
}

/* A value without the casts and copies after it. */
static const struct lt_fcallvalue *behind_casts(const struct anchoring *x, const struct lt_fcallvalue *v)
{
	while (v->kind == LT_VALUE_OP
		&& (op_at(x, v->at)->kind == LT_CALL_CAST || is_map(x, v->at, LT_OPCODE_copy)))
		v = value_at(x, v->at, 0);
	return v;
}
static int32_t op_behind(const struct anchoring *x, int32_t op, int32_t v)
{
	const struct lt_fcallvalue *value = behind_casts(x, value_at(x, op, v));
	return value->kind == LT_VALUE_OP ? value->at : -1;
}
static int32_t read_of(const struct lt_fcallvalue *v) { return v->kind == LT_VALUE_READ ? v->at : -1; }

static const struct lt_fcallread *read_at(const struct anchoring *x, int32_t r)
{
	return &x->f->call_read[x->call->first_read + r];
}
static int64_t stride_at(const struct anchoring *x, const struct lt_fplace *p, int32_t axis)
{
	return x->f->stride[p->first_stride + axis];
}
static uint64_t axes_of_place(const struct anchoring *x, const struct lt_fplace *p)
{
	uint64_t set = 0;
	for (int32_t a = 0; a < x->call->n_axis; a++)
		set |= stride_at(x, p, a) ? UINT64_C(1) << a : 0;
	return set;
}
/* Axes along which a value changes. */
static uint64_t axes_of(const struct anchoring *x, const struct lt_fcallvalue *v)
{
	uint64_t set = 0;
	if (v->kind == LT_VALUE_OP)
		return op_at(x, v->at)->axes & ~op_at(x, v->at)->reduced;
	if (v->kind == LT_VALUE_PLACE)
		return axes_of_place(x, &v->place);
	if (v->kind != LT_VALUE_READ)
		return 0;
	const struct lt_fcallread *r = read_at(x, v->at);
	set = axes_of_place(x, &r->at);
	for (int32_t g = 0; g < r->n_guard; g++)
		set |= axes_of_place(x, &x->f->call_guard[r->first_guard + g]);
	return set;
}
static struct lt_fcalldim *axis_at(const struct anchoring *x, int32_t a)
{
	return &x->f->call_dim[x->call->first_axis + a];
}
static bool has_axis(uint64_t set, int32_t a) { return set >> a & 1; }
static int32_t bits_in(uint64_t set) { return __builtin_popcountll(set); }

/* The only axis of a set along which there is more than one position; -1. */
static int32_t only_axis(const struct anchoring *x, uint64_t set)
{
	int32_t found = -1;
	for (int32_t a = 0; a < x->call->n_axis; a++)
		if (has_axis(set, a)) {
			if (found >= 0)
				return -1;
			found = a;
		}
	return found;
}

/* -- products -- */

struct product { int32_t sum, mul, left, right; uint64_t in_left, in_right; };

/* Whether op is a sum of products of two values that both change along all that it sums over. */
static bool product_at(const struct anchoring *x, int32_t sum, struct product *out)
{
	int32_t mul = is_sum(x, sum) ? op_behind(x, sum, 0) : -1;
	if (!is_map(x, mul, LT_OPCODE_mul))
		return false;
	const struct lt_fcallvalue *a = behind_casts(x, value_at(x, mul, 0)), *b = behind_casts(x, value_at(x, mul, 1));
	uint64_t in_a = axes_of(x, a), in_b = axes_of(x, b), reduced = op_at(x, sum)->reduced;
	bool square = a->kind == b->kind && a->at == b->at;
	*out = (struct product){ sum, mul, 0, 1, in_a, in_b };
	return !square && (reduced & in_a & in_b) == reduced;
}

static void swap(struct product *p)
{
	const struct product was = *p;
	p->left = was.right;
	p->right = was.left;
	p->in_left = was.in_right;
	p->in_right = was.in_left;
}

/* The factor that the last axis of the sum is alone in is the right one, as of a product whose result is row-major. */
static void order_factors(const struct anchoring *x, struct product *p)
{
	uint64_t out = op_at(x, p->sum)->axes & ~op_at(x, p->sum)->reduced;
	for (int32_t a = x->call->n_axis; a-- > 0;)
		if (has_axis(out, a) && has_axis(p->in_left, a) != has_axis(p->in_right, a)) {
			if (has_axis(p->in_left, a))
				swap(p);
			return;
		}
}

static int32_t role_in(const struct anchoring *x, const struct product *p, int32_t a)
{
	bool left = has_axis(p->in_left, a), right = has_axis(p->in_right, a);
	return has_axis(op_at(x, p->sum)->reduced, a) ? LT_DIM_DEEP : left && right ? LT_DIM_BATCH : left ? LT_DIM_ROW
		: right ? LT_DIM_COLUMN : LT_DIM_OTHER;
}

/* Whether no axis of the product has another role in one that was found before. */
static bool roles_agree(const struct anchoring *x, const struct product *p)
{
	for (int32_t a = 0; a < x->call->n_axis; a++)
		if (has_axis(op_at(x, p->sum)->axes & x->has_role, a) && axis_at(x, a)->role != role_in(x, p, a))
			return false;
	return true;
}

static void set_roles(struct anchoring *x, const struct product *p)
{
	for (int32_t a = 0; a < x->call->n_axis; a++)
		if (has_axis(op_at(x, p->sum)->axes, a))
			axis_at(x, a)->role = role_in(x, p, a);
	x->has_role |= op_at(x, p->sum)->axes;
}

static bool is_matrix(const struct anchoring *x, const struct product *p)
{
	for (int32_t a = 0; a < x->call->n_axis; a++)
		if (has_axis(op_at(x, p->sum)->axes, a)
			&& (role_in(x, p, a) == LT_DIM_ROW || role_in(x, p, a) == LT_DIM_COLUMN))
			return true;
	return false;
}

/* -- windows -- */

/* Positions from first to last; first > last: none. */
struct axis_span { int64_t first, last; };

/* Along each axis the positions at which a read is not left out, as far as one guard after the other says it. */
static void find_positions(const struct anchoring *x, const struct lt_fcallread *r, struct axis_span *at)
{
	bool changed = true;
	for (int32_t a = 0; a < x->call->n_axis; a++)
		at[a] = (struct axis_span){ 0, axis_at(x, a)->extent - 1 };
	for (int round = 0; round < MAX_ROUNDS && changed; round++) {
		changed = false;
		for (int32_t i = 0; i < r->n_guard; i++) {
			const struct lt_fplace *g = &x->f->call_guard[r->first_guard + i];
			int64_t most = g->row.constant;
			for (int32_t a = 0; a < x->call->n_axis; a++)
				most = lt__add_sat(most, lt__mul_sat(stride_at(x, g, a), stride_at(x, g, a) > 0 ? at[a].last : at[a].first));
			for (int32_t a = 0; a < x->call->n_axis && g->row.n == 0; a++) {
				const int64_t by = stride_at(x, g, a);
				if (!by)
					continue;
				/* All others as far as they go: by * position >= -rest. */
				const int64_t rest = most - by * (by > 0 ? at[a].last : at[a].first),
					limit = by > 0 ? -lt__floor_div(rest, by) : lt__floor_div(rest, -by);
				if (by > 0 ? limit <= at[a].first : limit >= at[a].last)
					continue;
				*(by > 0 ? &at[a].first : &at[a].last) = limit;
				changed = true;
			}
		}
	}
}

/* A window axis and the axis that it moves along; either may be -1, where there is one position.  Position w at output
 * o is number stride*o + dilation*w, and numbers lie `step` elements apart. */
struct window_sweep { int32_t out, window; int64_t n_out, n_window, stride, dilation, step; };

static bool is_guard_of(const struct anchoring *x, const struct lt_fplace *g, const struct window_sweep *s)
{
	uint64_t set = axes_of_place(x, g),
		pair = (s->out >= 0 ? UINT64_C(1) << s->out : 0) | (s->window >= 0 ? UINT64_C(1) << s->window : 0);
	return set && !(set & ~pair);
}

/* Outputs at which position w of the window is read: none of its guards is negative. */
static struct axis_span outputs_at(const struct anchoring *x, const struct lt_fcallread *r,
	const struct window_sweep *s, int64_t w)
{
	struct axis_span at = { 0, s->n_out - 1 };
	for (int32_t i = 0; i < r->n_guard; i++) {
		const struct lt_fplace *g = &x->f->call_guard[r->first_guard + i];
		if (!is_guard_of(x, g, s))
			continue;
		int64_t by = s->out >= 0 ? stride_at(x, g, s->out) : 0,
			rest = g->row.constant + (s->window >= 0 ? stride_at(x, g, s->window) * w : 0);
		if (by > 0 && -lt__floor_div(rest, by) > at.first)
			at.first = -lt__floor_div(rest, by);
		else if (by < 0 && lt__floor_div(rest, -by) < at.last)
			at.last = lt__floor_div(rest, -by);
		else if (!by && rest < 0)
			at.last = -1;
	}
	return at;
}

/* Whether what is read is the numbers of a span, no more and no less. */
static bool reads_span(const struct anchoring *x, const struct lt_fcallread *r, const struct window_sweep *s,
	struct axis_span of)
{
	for (int64_t w = 0; w < s->n_window; w++) {
		struct axis_span is = outputs_at(x, r, s, w), want = { -lt__floor_div(s->dilation * w - of.first, s->stride),
			lt__floor_div(of.last - s->dilation * w, s->stride) };
		want.first = want.first < 0 ? 0 : want.first;
		want.last = want.last < s->n_out ? want.last : s->n_out - 1;
		bool none = is.first > is.last;
		if (none != (want.first > want.last) || (!none && (is.first != want.first || is.last != want.last)))
			return false;
	}
	return true;
}

/* The numbers that are read; false: none. */
static bool numbers_read(
	const struct anchoring *x, const struct lt_fcallread *r, const struct window_sweep *s, struct axis_span *out)
{
	*out = (struct axis_span){ INT64_MAX, -1 };
	for (int64_t w = 0; w < s->n_window; w++) {
		struct axis_span at = outputs_at(x, r, s, w);
		if (at.first > at.last)
			continue;
		int64_t first = s->stride * at.first + s->dilation * w, last = s->stride * at.last + s->dilation * w;
		out->first = first < out->first ? first : out->first;
		out->last = last > out->last ? last : out->last;
	}
	return out->last >= 0;
}

/* Where one position alone is read along an axis, the steps of the place along it say nothing: guards do. */
static bool is_single(const struct anchoring *x, int32_t axis)
{
	return axis < 0 || x->at[axis].first == x->at[axis].last;
}

/* How many numbers neighbours are apart, as a guard has it that says all of what is read.  One position is its own
 * number, if each is. */
static bool sweep_of_guards(const struct anchoring *x, const struct lt_fcallread *r, struct window_sweep *s)
{
	s->stride = s->dilation = 1;
	for (int32_t i = 0; i < r->n_guard; i++) {
		const struct lt_fplace *g = &x->f->call_guard[r->first_guard + i];
		const int64_t by_o = s->out >= 0 ? stride_at(x, g, s->out) : 0,
			by_w = s->window >= 0 ? stride_at(x, g, s->window) : 0,
			all = lt__row_gcd(by_o < 0 ? -by_o : by_o, by_w < 0 ? -by_w : by_w);
		struct axis_span is;
		if (!is_guard_of(x, g, s) || !by_o || !by_w || (by_o > 0) != (by_w > 0))
			continue;
		s->stride = (by_o < 0 ? -by_o : by_o) / all;
		s->dilation = (by_w < 0 ? -by_w : by_w) / all;
		if (numbers_read(x, r, s, &is) && reads_span(x, r, s, is))
			return true;
	}
	s->dilation = 1;
	s->stride = s->out >= 0 && s->window >= 0 ? s->n_window : 1;
	return s->out < 0 || s->window < 0 || (is_single(x, s->out) && is_single(x, s->window));
}

static bool find_sweep(const struct anchoring *x, const struct lt_fcallread *r, int32_t o, int32_t w,
	struct window_sweep *out)
{
	int64_t by_o = o >= 0 ? stride_at(x, &r->at, o) : 0, by_w = w >= 0 ? stride_at(x, &r->at, w) : 0;
	const bool constant = !by_o && !by_w, free_o = constant || is_single(x, o), free_w = constant || is_single(x, w);
	*out = (struct window_sweep){ .out = o, .window = w, .n_out = o >= 0 ? axis_at(x, o)->extent : 1,
		.n_window = w >= 0 ? axis_at(x, w)->extent : 1 };
	if (free_o || free_w) {
		if (!sweep_of_guards(x, r, out) || (!free_o && by_o % out->stride) || (!free_w && by_w % out->dilation))
			return false;
		out->step = !free_o ? by_o / out->stride : !free_w ? by_w / out->dilation : 0;
		return out->step > 0 || (free_o && free_w);
	}
	if (by_o <= 0 || by_w <= 0)
		return false;
	out->step = lt__row_gcd(by_o, by_w);
	out->stride = by_o / out->step;
	out->dilation = by_w / out->step;
	return true;
}

/* The place of a read steps along both as numbers do. */
static void set_steps(const struct anchoring *x, struct lt_fcallread *r, const struct window_sweep *s)
{
	const struct { int32_t axis; int64_t by; } is[] = { { s->out, s->stride * s->step },
		{ s->window, s->dilation * s->step } };
	for (int i = 0; i < 2; i++) {
		if (is[i].axis < 0 || !is_single(x, is[i].axis))
			continue;
		int64_t *by = &x->f->stride[r->at.first_stride + is[i].axis];
		r->at.row.constant += (*by - is[i].by) * x->at[is[i].axis].first;
		*by = is[i].by;
	}
}

/* The span that guards of the sweep's own numbers say, where they are such; else what is read.  Of the positions that
 * nothing reads some may be inside of it. */
static struct axis_span numbers_guarded(
	const struct anchoring *x, const struct lt_fcallread *r, const struct window_sweep *s, struct axis_span is)
{
	struct axis_span said = is;
	for (int32_t i = 0; i < r->n_guard; i++) {
		const struct lt_fplace *g = &x->f->call_guard[r->first_guard + i];
		if (!is_guard_of(x, g, s))
			continue;
		int64_t by_o = s->out >= 0 ? stride_at(x, g, s->out) : 0, by_w = s->window >= 0 ? stride_at(x, g, s->window) : 0,
			times = s->out >= 0 ? by_o / s->stride : by_w / s->dilation;
		if (!times || (s->out >= 0 && by_o != times * s->stride) || (s->window >= 0 && by_w != times * s->dilation))
			continue;
		if (times > 0 && -lt__floor_div(g->row.constant, times) >= 0)
			said.first = -lt__floor_div(g->row.constant, times);
		else if (times < 0)
			said.last = lt__floor_div(g->row.constant, -times);
	}
	return reads_span(x, r, s, said) ? said : is;
}

static bool add_window(struct anchoring *x, struct lt_fcallread *r, int32_t o, int32_t w)
{
	struct lt_freezer *f = x->f;
	struct window_sweep s;
	struct axis_span is;
	for (int32_t i = 0; i < r->n_guard; i++)
		if (f->call_guard[r->first_guard + i].row.n > 0)
			return false;
	if (!find_sweep(x, r, o, w, &s) || !numbers_read(x, r, &s, &is) || !reads_span(x, r, &s, is))
		return false;
	is = s.step ? numbers_guarded(x, r, &s, is) : is;
	if (!s.step && is.first != is.last)
		return false;
	set_steps(x, r, &s);
	int64_t reach = s.stride * (s.n_out - 1) + s.dilation * (s.n_window - 1);
	LT_GROW(f->a, f->call_window, f->n_call_window, f->cap_call_window);
	f->call_window[f->n_call_window++] = (struct lt_call_window){ .out = o, .window = w, .stride = s.stride,
		.dilation = s.dilation, .before = is.first, .after = reach > is.last ? reach - is.last : 0,
		.extent = is.last + 1 - is.first, .step = s.step };
	return true;
}

/* Whether windows along w at several positions of o share elements. */
static bool overlaps(const struct anchoring *x, const struct lt_fcallread *r, int32_t o, int32_t w)
{
	struct window_sweep s;
	return stride_at(x, &r->at, o) > 0 && stride_at(x, &r->at, w) > 0 && find_sweep(x, r, o, w, &s)
		&& s.dilation < s.n_out && s.stride < s.n_window;
}

/* Whether a guard of the read has both. */
static bool share_guard(const struct anchoring *x, const struct lt_fcallread *r, int32_t o, int32_t w)
{
	for (int32_t i = 0; i < r->n_guard; i++) {
		uint64_t set = axes_of_place(x, &x->f->call_guard[r->first_guard + i]);
		if (has_axis(set, o) && has_axis(set, w))
			return true;
	}
	return false;
}

static bool is_guarded(const struct anchoring *x, const struct lt_fcallread *r, int32_t axis)
{
	return share_guard(x, r, axis, axis);
}

/* Windows that have been found, as pairs of axes. */
struct window_pairs { int32_t n, out[MAX_WINDOW], window[MAX_WINDOW]; uint64_t used; };

static bool add_pair(struct window_pairs *p, int32_t o, int32_t w)
{
	if (p->n == MAX_WINDOW)
		return false;
	p->out[p->n] = o;
	p->window[p->n++] = w;
	p->used |= (o >= 0 ? UINT64_C(1) << o : 0) | (w >= 0 ? UINT64_C(1) << w : 0);
	return true;
}

/* Guards say which axes move along which; axes without any do where windows share elements, those first whose numbers
 * are further apart.  (With borders counted others share some by chance.)  False: two are as good. */
static bool pair_by(const struct anchoring *x, const struct product *p, const struct lt_fcallread *r, bool guards,
	struct window_pairs *out)
{
	const uint64_t reduced = op_at(x, p->sum)->reduced;
	for (;;) {
		int32_t best_o = -1, best_w = -1;
		int64_t best = -1;
		bool two = false;
		for (int32_t w = 0; w < x->call->n_axis; w++)
			for (int32_t o = 0; o < x->call->n_axis; o++) {
				struct window_sweep s;
				if (!has_axis(reduced & ~out->used, w) || has_axis(reduced | out->used, o) || !has_axis(p->in_left, o)
					|| (guards ? !share_guard(x, r, o, w) : has_axis(p->in_right, o) || is_guarded(x, r, o)
						|| is_guarded(x, r, w) || !overlaps(x, r, o, w))
					|| !find_sweep(x, r, o, w, &s))
					continue;
				two = s.step == best ? two || o == best_o || w == best_w : s.step < best && two;
				if (s.step <= best)
					continue;
				best = s.step;
				best_o = o;
				best_w = w;
			}
		if (best < 0 || two || !add_pair(out, best_o, best_w))
			return !two;
	}
}

/* The next axis of a read behind `after`, by its step, of those in a set; -1. */
static int32_t axis_behind(const struct anchoring *x, const struct lt_fcallread *r, uint64_t set, int32_t after)
{
	int32_t best = -1;
	for (int32_t a = 0; a < x->call->n_axis; a++) {
		int64_t by = stride_at(x, &r->at, a);
		if (!has_axis(set, a) || by <= 0 || (after >= 0 && (by < stride_at(x, &r->at, after)
			|| (by == stride_at(x, &r->at, after) && a <= after))))
			continue;
		best = best < 0 || by < stride_at(x, &r->at, best) ? a : best;
	}
	return best;
}

/* Patches, whose windows share nothing, are told from a product's terms by two of them that lie one in the other,
 * beside channels: kx, x, ky, y. */
static bool pair_patches(
	const struct anchoring *x, const struct product *p, const struct lt_fcallread *r, struct window_pairs *out)
{
	const uint64_t reduced = op_at(x, p->sum)->reduced & p->in_left & ~out->used;
	uint64_t moved = reduced | (p->in_left & ~p->in_right & ~out->used);
	struct window_pairs more = { .used = 0 };
	for (int32_t a = 0; a < x->call->n_axis; a++)
		moved &= is_single(x, a) ? ~(UINT64_C(1) << a) : ~UINT64_C(0);
	for (int32_t w = -1, last = -1, a = -1; (a = axis_behind(x, r, moved, a)) >= 0; last = a) {
		w = has_axis(reduced, a) ? a : w;
		if (!has_axis(reduced, a) && w >= 0 && w == last && !is_guarded(x, r, w) && !overlaps(x, r, a, w)
			&& !add_pair(&more, a, w))
			return false;
	}
	if (more.n > 0 && !(reduced & ~more.used))      /* all are in one: the outer ones are channels and images */
		more.n--;
	for (int32_t i = 0; i < more.n && out->n + more.n > 1; i++)
		if (!add_pair(out, more.out[i], more.window[i]))
			return false;
	return true;
}

/* Borders along one axis: of a window, or an output, of one position.  False: a guard has others. */
static bool pair_borders(
	const struct anchoring *x, const struct product *p, const struct lt_fcallread *r, struct window_pairs *out)
{
	for (int32_t i = 0; i < r->n_guard; i++) {
		const uint64_t set = axes_of_place(x, &x->f->call_guard[r->first_guard + i]);
		const int32_t a = only_axis(x, set);
		bool of_window = false;
		for (int32_t k = 0; k < out->n; k++) {
			struct window_sweep s = { .out = out->out[k], .window = out->window[k] };
			of_window = of_window || is_guard_of(x, &x->f->call_guard[r->first_guard + i], &s);
		}
		if (of_window)
			continue;
		bool deep = a >= 0 && has_axis(op_at(x, p->sum)->reduced, a);
		if (a < 0 || has_axis(out->used, a) || !add_pair(out, deep ? -1 : a, deep ? a : -1))
			return false;
	}
	return true;
}

/* The windows by which the left factor is read.  False: it is read in a way that is none.  Their number may be 0. */
static bool find_windows(struct anchoring *x, const struct product *p, int32_t read)
{
	struct lt_fcallread *r = &x->f->call_read[x->call->first_read + read];
	struct window_pairs pairs = { .n = 0 };
	find_positions(x, r, x->at);
	if (!pair_by(x, p, r, true, &pairs) || !pair_by(x, p, r, false, &pairs) || !pair_patches(x, p, r, &pairs)
		|| !pair_borders(x, p, r, &pairs))
		return false;
	for (int32_t i = 0; i < pairs.n; i++)
		if (!add_window(x, r, pairs.out[i], pairs.window[i]))
			return false;
	return true;
}

static bool is_plain_read(const struct anchoring *x, int32_t read) { return read < 0 || !read_at(x, read)->n_guard; }

/* A product: a convolution, if one factor is read by windows. */
static bool find_product(struct anchoring *x, struct product p)
{
	const int32_t first = x->f->n_call_window;
	bool plain = true;
	order_factors(x, &p);
	for (int side = 0; side < 2 && x->f->n_call_window == first; side++, swap(&p)) {
		const int32_t left = read_of(behind_casts(x, value_at(x, p.mul, p.left))),
			right = read_of(behind_casts(x, value_at(x, p.mul, p.right)));
		plain = plain && is_plain_read(x, left);
		if (!is_plain_read(x, right) || left < 0 || !find_windows(x, &p, left))
			x->f->n_call_window = first;
	}
	bool windows = x->f->n_call_window > first;
	if (windows)
		swap(&p);
	if (!windows && !plain)
		return false;
	if (!windows && !roles_agree(x, &p))    /* which of its factors is the left one is said by nothing else */
		swap(&p);
	if (!roles_agree(x, &p))
		return false;
	set_roles(x, &p);
	x->a.is.kind = windows ? LT_ANCHOR_CONVOLUTION : LT_ANCHOR_PRODUCT;
	x->a.is.op[0] = p.sum;
	x->a.is.op[1] = p.mul;
	x->a.is.read[0] = read_of(behind_casts(x, value_at(x, p.mul, p.left)));
	x->a.is.read[1] = read_of(behind_casts(x, value_at(x, p.mul, p.right)));
	x->a.is.first_window = first;
	x->a.is.n_window = x->f->n_call_window - first;
	return windows || is_matrix(x, &p);
}

/* -- attention -- */

/* A value without multiplications by numbers, and divisions; *scaled: there was one. */
static const struct lt_fcallvalue *behind_scale(
	const struct anchoring *x, const struct lt_fcallvalue *v, bool *scaled)
{
	*scaled = false;
	for (bool more = true; more;) {
		more = false;
		v = behind_casts(x, v);
		const bool div = v->kind == LT_VALUE_OP && is_map(x, v->at, LT_OPCODE_div);
		if (v->kind != LT_VALUE_OP || (!is_map(x, v->at, LT_OPCODE_mul) && !div))
			continue;
		for (int32_t k = 0; k < (div ? 1 : 2) && !more; k++)
			if (behind_casts(x, value_at(x, v->at, 1 - k))->kind == LT_VALUE_BITS) {
				*scaled = more = true;
				v = value_at(x, v->at, k);
			}
	}
	return v;
}

/* key <= bound + more: a comparison, or the contrary of one; key: which of its values is that of the keys. */
struct key_bound { int32_t op, key; int64_t more; };
static bool find_bound(const struct anchoring *x, int32_t op, bool contrary, struct key_bound *out)
{
	static const struct { uint32_t opcode, contrary; int32_t key; int64_t less; } forms[] = {
		{ LT_OPCODE_lessequal, LT_OPCODE_greater, 0, 0 }, { LT_OPCODE_less, LT_OPCODE_greaterequal, 0, 1 },
		{ LT_OPCODE_greaterequal, LT_OPCODE_less, 1, 0 }, { LT_OPCODE_greater, LT_OPCODE_lessequal, 1, 1 },
	};
	for (size_t i = 0; i < sizeof forms / sizeof *forms; i++)
		if (is_map(x, op, contrary ? forms[i].contrary : forms[i].opcode)) {
			*out = (struct key_bound){ op, forms[i].key, -forms[i].less };
			return true;
		}
	return false;
}

static int32_t behind_nots(const struct anchoring *x, int32_t op, bool *contrary)
{
	for (; is_map(x, op, LT_OPCODE_not); *contrary = !*contrary)
		op = op_behind(x, op, 0);
	return op;
}

/* Axes of attention: keys, and those that queries have, of which those that keys have, too, are batches. */
struct score_axes { uint64_t keys, queries, batch; };

/* key <= query + offset, as a comparison of two places, or key > query + offset as its contrary. */
static bool is_causal(struct anchoring *x, int32_t op, bool contrary, const struct score_axes *of)
{
	struct key_bound b;
	op = behind_nots(x, op, &contrary);
	if (!find_bound(x, op, contrary, &b))
		return false;
	const struct lt_fcallvalue *key = behind_casts(x, value_at(x, op, b.key)),
		*query = behind_casts(x, value_at(x, op, 1 - b.key));
	if (key->kind != LT_VALUE_PLACE || query->kind != LT_VALUE_PLACE)
		return false;
	int32_t k = only_axis(x, axes_of_place(x, &key->place)), q = only_axis(x, axes_of_place(x, &query->place));
	if (k < 0 || q < 0 || !has_axis(of->keys, k) || !has_axis(of->queries, q) || stride_at(x, &key->place, k) != 1
		|| stride_at(x, &query->place, q) != 1 || bits_in(of->keys) != 1)
		return false;
	x->a.offset = (struct lt_row){ .constant = b.more };
	lt__row_plus(x->f, &x->a.offset, &query->place.row, 1);
	lt__row_plus(x->f, &x->a.offset, &key->place.row, -1);
	return true;
}

/* -- keys that count by lengths -- */

/* An integer behind casts: no place has more than 31 bits, and int32 stays what it is in int64. */
static const struct lt_fcallvalue *integer_of(const struct anchoring *x, int32_t op, int32_t v)
{
	const struct lt_fcallvalue *value = value_at(x, op, v);
	while (value->kind == LT_VALUE_OP && op_at(x, value->at)->kind == LT_CALL_CAST
		&& (x->f->op[op_at(x, value->at)->op].out == LT_I32 || x->f->op[op_at(x, value->at)->op].out == LT_I64))
		value = value_at(x, value->at, 0);
	return value;
}

static uint64_t long_axes(const struct anchoring *x, uint64_t set)
{
	for (int32_t a = 0; a < x->call->n_axis; a++)
		set &= axis_at(x, a)->extent > 1 ? ~UINT64_C(0) : ~(UINT64_C(1) << a);
	return set;
}

/* The axis whose positions a value numbers, from *first on; -1: it is something else. */
static int32_t numbered_axis(const struct anchoring *x, const struct lt_fcallvalue *v, int64_t *first)
{
	const int32_t a = v->kind == LT_VALUE_PLACE && v->place.row.n == 0
		? only_axis(x, long_axes(x, axes_of_place(x, &v->place))) : -1;
	*first = a < 0 ? 0 : v->place.row.constant;
	return a >= 0 && stride_at(x, &v->place, a) == 1 ? a : -1;
}

/* Whether a read is an integer of each batch, or one for all. */
static bool is_length(const struct anchoring *x, int32_t read, uint64_t batch)
{
	const struct lt_fcallread *r = read_at(x, read);
	const enum lt_dtype dtype = x->f->buffer[r->buffer].dtype;
	return (dtype == LT_I32 || dtype == LT_I64) && !r->n_guard && !(long_axes(x, axes_of_place(x, &r->at)) & ~batch);
}

/* What keys are compared with: a length, or the query's own number and `ahead` more; once each. */
struct key_bounds { int32_t length, up_to; bool causal; int64_t ahead; };

static bool add_bound(
	const struct anchoring *x, const struct key_bound *is, const struct score_axes *of, struct key_bounds *b)
{
	const struct lt_fcallvalue *bound = integer_of(x, is->op, 1 - is->key);
	int64_t first, from;
	const int32_t k = numbered_axis(x, integer_of(x, is->op, is->key), &first);
	if (k < 0 || only_axis(x, long_axes(x, of->keys)) != k)
		return false;
	const int64_t more = is->more - first;
	if (bound->kind == LT_VALUE_READ) {
		if (b->length >= 0 || !is_length(x, bound->at, of->batch) || more < -1 || more > 0)
			return false;
		b->length = bound->at;
		b->up_to = more == 0;
		return true;
	}
	const int32_t q = numbered_axis(x, bound, &from);
	if (q < 0 || b->causal || !has_axis(of->queries & ~of->batch, q) || from + more < 0)
		return false;
	b->causal = true;
	b->ahead = from + more;
	return true;
}

/* Such conditions, all of which hold; contrary: one that does not. */
static bool add_bounds(const struct anchoring *x, int32_t op, bool contrary, const struct score_axes *of,
	struct key_bounds *b)
{
	struct key_bound is;
	op = behind_nots(x, op, &contrary);
	if (is_map(x, op, contrary ? LT_OPCODE_or : LT_OPCODE_and) && x->f->op[op_at(x, op)->op].out == LT_BOOL)
		return add_bounds(x, op_behind(x, op, 0), contrary, of, b) && add_bounds(x, op_behind(x, op, 1), contrary, of, b);
	return find_bound(x, op, contrary, &is) && add_bound(x, &is, of, b);
}

/* Minus infinity, or the least number of its type: its exponential is 0 beside any score. */
static bool is_least(const struct lt_fcallvalue *v)
{
	if (v->kind != LT_VALUE_BITS || lt__dtype_info(v->dtype)->cls != LT_CLASS_FLOAT)
		return false;
	return lt__scalar_of(v->bits, v->dtype).f <= -lt__dtype_info(v->dtype)->largest;
}

static bool is_infinite(const struct lt_fcallvalue *v) { return isinf(lt__scalar_of(v->bits, v->dtype).f); }
static bool is_number(const struct lt_fcallvalue *v) { return v->kind == LT_VALUE_BITS; }

/* The scores behind a mask: those that a condition selects, or what is added to each.  op: the condition, if it is one
 * that leaves out the others; contrary: it says which those are; computed: the op that masks them by what the call
 * computes for that, or by what chooses; -1: by a read that is added; infinite: what leaves out is -inf. */
struct score_mask { int32_t op, computed; bool contrary, infinite; };
static const struct lt_fcallvalue *behind_mask(
	const struct anchoring *x, const struct lt_fcallvalue *v, struct score_mask *m, bool *found)
{
	*m = (struct score_mask){ .op = -1, .computed = -1 };
	*found = true;
	v = behind_casts(x, v);
	for (int32_t k = 1; k < 3 && v->kind == LT_VALUE_OP && is_map(x, v->at, LT_OPCODE_select); k++) {
		const struct lt_fcallvalue *fill = behind_casts(x, value_at(x, v->at, 3 - k)),
			*c = behind_casts(x, value_at(x, v->at, 0));
		if (!is_number(fill))
			continue;
		*m = (struct score_mask){ c->kind == LT_VALUE_OP && is_least(fill) ? c->at : -1, is_least(fill) ? v->at : -1,
			k == 2, is_infinite(fill) };
		return value_at(x, v->at, k);
	}
	for (int32_t k = 0; k < 2 && v->kind == LT_VALUE_OP && is_map(x, v->at, LT_OPCODE_add); k++) {
		const struct lt_fcallvalue *other = behind_casts(x, value_at(x, v->at, 1 - k));
		bool selects = false;
		/* 0 where they count, and the least number elsewhere */
		for (int32_t side = 1; side < 3 && other->kind == LT_VALUE_OP && is_map(x, other->at, LT_OPCODE_select); side++) {
			const struct lt_fcallvalue *zero = behind_casts(x, value_at(x, other->at, side)),
				*least = behind_casts(x, value_at(x, other->at, 3 - side)), *c = behind_casts(x, value_at(x, other->at, 0));
			selects = is_number(zero) && is_number(least);
			if (selects && c->kind == LT_VALUE_OP && lt__scalar_of(zero->bits, zero->dtype).f == 0 && is_least(least))
				*m = (struct score_mask){ c->at, -1, side == 2, is_infinite(least) };
		}
		if (other->kind == LT_VALUE_READ || selects) {
			m->computed = selects ? v->at : -1;
			return value_at(x, v->at, k);
		}
	}
	*found = false;
	return v;
}

/* The masks of scores: how many, how many of them are computed, and whether the last one is causal. */
struct score_masks { int32_t n, n_computed; bool causal; struct key_bounds bounds; };

static int32_t scores_of(const struct score_masks *m)
{
	if (m->n == 1 && m->bounds.length >= 0)
		return m->bounds.causal ? LT_SCORES_CAUSAL_LENGTHS : LT_SCORES_LENGTHS;
	return m->n == 0 ? LT_SCORES_ALL : m->n == 1 && m->causal ? LT_SCORES_CAUSAL
		: m->n_computed == 1 ? LT_SCORES_COMPUTED : LT_SCORES_MASKED;
}

static void set_scores(struct anchoring *x, const struct score_masks *m)
{
	const bool computed = m->n_computed == 1 && (m->n > 1 || !m->causal), by_lengths = computed && m->bounds.length >= 0;
	x->a.is.scores = scores_of(m);
	x->a.is.mask = computed ? x->a.is.mask : -1;
	x->a.is.length = by_lengths ? m->bounds.length : -1;
	x->a.is.up_to = by_lengths && m->bounds.up_to;
	if (by_lengths && m->bounds.causal)
		x->a.offset = (struct lt_row){ .constant = m->bounds.ahead };
	x->a.is.offset_row = x->a.is.scores == LT_SCORES_CAUSAL || (by_lengths && m->bounds.causal) ? 0 : -1;
}

/* The first product that scores are made of, through multiplications by numbers and masks in any order; -1. */
static int32_t find_scores(
	struct anchoring *x, const struct lt_fcallvalue *v, const struct score_axes *of, bool *scaled)
{
	struct score_masks all = { .bounds.length = -1 };
	*scaled = false;
	for (bool more = true; more;) {
		struct score_mask m;
		bool by_number;
		v = behind_scale(x, v, &by_number);
		*scaled = *scaled || by_number;
		v = behind_mask(x, v, &m, &more);
		if (!more)
			break;
		struct key_bounds b = { .length = -1 };
		/* Multiplied afterwards, the least number may be another. */
		const bool hides = !*scaled && m.op >= 0;
		all.n++;
		all.causal = hides && is_causal(x, m.op, m.contrary, of);
		if (m.computed < 0)
			continue;
		all.n_computed++;
		x->a.is.mask = m.computed;
		if (!hides || !m.infinite || !add_bounds(x, m.op, m.contrary, of, &b))
			b.length = -1;
		all.bounds = b;
	}
	set_scores(x, &all);
	return v->kind == LT_VALUE_OP ? v->at : -1;
}

/* softmax(scores) values: from the second product backwards. */
static bool find_attention(struct anchoring *x, const struct product *second, const struct product *first)
{
	for (int32_t side = 0; side < 2; side++) {
		int32_t div = op_behind(x, second->mul, side), exp, total, sub, most;
		bool scaled;
		if (!is_map(x, div, LT_OPCODE_div) || (exp = op_behind(x, div, 0)) < 0 || !is_map(x, exp, LT_OPCODE_exp)
			|| !is_sum(x, total = op_behind(x, div, 1)) || op_behind(x, total, 0) != exp
			|| !is_map(x, sub = op_behind(x, exp, 0), LT_OPCODE_sub) || (most = op_behind(x, sub, 1)) < 0
			|| op_at(x, most)->kind != LT_CALL_REDUCE || opcode_of_op(x, most) != LT_OPCODE_max
			|| op_behind(x, most, 0) != op_behind(x, sub, 0) || op_behind(x, sub, 0) < 0)
			continue;
		uint64_t keys = op_at(x, most)->reduced;
		if (op_at(x, total)->reduced != keys || op_at(x, second->sum)->reduced != keys)
			continue;
		const struct lt_fcallvalue *v = behind_casts(x, value_at(x, second->mul, 1 - side));
		struct product q = *first, of = *second;
		if ((q.in_left & keys) != 0)    /* keys are the factor that has them */
			swap(&q);
		const struct score_axes axes = { keys, q.in_left, q.in_left & q.in_right };
		if (find_scores(x, value_at(x, sub, 0), &axes, &scaled) != first->sum)
			continue;
		bool by_q, by_k;
		const struct lt_fcallvalue *queries = behind_scale(x, value_at(x, q.mul, q.left), &by_q),
			*known = behind_scale(x, value_at(x, q.mul, q.right), &by_k);
		if ((q.in_left & keys) || !(q.in_right & keys) || queries->kind != LT_VALUE_READ || known->kind != LT_VALUE_READ
			|| v->kind != LT_VALUE_READ)
			continue;
		if (side != of.left)
			swap(&of);
		set_roles(x, &of);
		for (int32_t a = 0; a < x->call->n_axis; a++)
			axis_at(x, a)->role = has_axis(keys, a) ? LT_DIM_OTHER : has_axis(op_at(x, first->sum)->reduced, a) ? LT_DIM_DEEP
				: axis_at(x, a)->role;
		x->a.is.kind = LT_ANCHOR_ATTENTION;
		x->a.is.scale = scaled + by_q + by_k > 1 ? LT_SCALE_SEVERAL : scaled ? LT_SCALE_SCORES
			: by_q ? LT_SCALE_QUERIES : by_k ? LT_SCALE_KEYS : LT_SCALE_NONE;
		memcpy(x->a.is.op, (const int32_t[]){ first->sum, first->mul, most, total, second->sum }, sizeof x->a.is.op);
		memcpy(x->a.is.read, (const int32_t[]){ queries->at, known->at, v->at }, sizeof x->a.is.read);
		return true;
	}
	return false;
}

/* -- norms -- */

static bool is_same(const struct lt_fcallvalue *a, const struct lt_fcallvalue *b)
{
	return a->kind == b->kind && a->at == b->at && (a->kind == LT_VALUE_OP || a->kind == LT_VALUE_READ);
}

/* Whether `sum` sums squares; *of: of what. */
static bool is_square_sum(const struct anchoring *x, int32_t sum, const struct lt_fcallvalue **of)
{
	int32_t square = is_sum(x, sum) ? op_behind(x, sum, 0) : -1;
	if (!is_map(x, square, LT_OPCODE_mul) && !is_map(x, square, LT_OPCODE_pow))
		return false;
	const struct lt_fcallvalue *a = behind_casts(x, value_at(x, square, 0)), *b = behind_casts(x, value_at(x, square, 1));
	*of = a;
	return is_map(x, square, LT_OPCODE_pow) ? b->kind == LT_VALUE_BITS && lt__scalar_of(b->bits, b->dtype).f == 2
		&& is_same(a, a) : is_same(a, b);
}

static bool find_norm(struct anchoring *x, const int32_t *sum, int32_t n)
{
	const struct lt_fcallvalue *of;
	int32_t squares = sum[n - 1], mean = -1, read;
	if (!is_square_sum(x, squares, &of))
		return false;
	if (n == 2) {
		bool scaled;
		int32_t sub = of->kind == LT_VALUE_OP ? of->at : -1;
		mean = sum[0];
		if (!is_map(x, sub, LT_OPCODE_sub))
			return false;
		const struct lt_fcallvalue *average = behind_scale(x, value_at(x, sub, 1), &scaled);
		of = behind_casts(x, value_at(x, sub, 0));
		if (!scaled || average->kind != LT_VALUE_OP || average->at != mean
			|| !is_same(behind_casts(x, value_at(x, mean, 0)), of) || op_at(x, mean)->reduced != op_at(x, squares)->reduced)
			return false;
	}
	read = read_of(of);
	if (!is_plain_read(x, read))
		return false;
	for (int32_t a = 0; a < x->call->n_axis; a++)
		axis_at(x, a)->role = has_axis(op_at(x, squares)->reduced, a) ? LT_DIM_DEEP
			: has_axis(op_at(x, squares)->axes, a) ? LT_DIM_ROW : LT_DIM_OTHER;
	x->a.is.kind = LT_ANCHOR_NORM;
	x->a.is.op[0] = mean;
	x->a.is.op[1] = squares;
	x->a.is.read[0] = read;
	return true;
}

/* -- all of it -- */

static void add_anchor(struct anchoring *x)
{
	struct lt_freezer *f = x->f;
	LT_GROW(f->a, f->call_anchor, f->n_call_anchor, f->cap_call_anchor);
	f->call_anchor[f->n_call_anchor++] = x->a;
	x->a = no_anchor;
}

/* Whether a product is made of another. */
static bool in_a_row(const struct anchoring *x, const struct product *p, int32_t n)
{
	bool *made = LT_NEW(x->f->a, bool, x->call->n_op + 1);
	for (int32_t i = 0, next = 0; i < x->call->n_op; i++) {
		for (int32_t v = 0; v < op_at(x, i)->n_value; v++)
			made[i] = made[i] || (value_at(x, i, v)->kind == LT_VALUE_OP && made[value_at(x, i, v)->at]);
		if (next == n || p[next].sum != i)
			continue;
		if (made[i])
			return true;
		made[i] = true;
		next++;
	}
	return false;
}

static bool find_anchors(struct anchoring *x)
{
	struct product *p = LT_NEW(x->f->a, struct product, x->call->n_op + 1);
	int32_t n_product = 0, n_sum = 0, n_reduce = 0, sum[3];
	for (int32_t i = 0; i < x->call->n_op; i++) {
		if (op_at(x, i)->kind != LT_CALL_REDUCE)
			continue;
		n_product += product_at(x, i, &p[n_product]);
		if (is_sum(x, i) && n_sum++ < 3)
			sum[n_sum - 1] = i;
		n_reduce++;
	}
	if (n_product > 0 && n_product == n_reduce && !in_a_row(x, p, n_product)) {
		for (int32_t i = 0; i < n_product; i++) {
			if (!find_product(x, p[i]))
				return false;
			add_anchor(x);
		}
		return true;
	}
	if ((n_product == 2 && n_sum == 3 && n_reduce == 4 && find_attention(x, &p[1], &p[0]))
		|| (n_product == 0 && n_sum == n_reduce && n_sum > 0 && n_sum < 3 && find_norm(x, sum, n_sum))) {
		add_anchor(x);
		return true;
	}
	return false;
}

void lt__freeze_anchor(struct lt_freezer *f, struct lt_call *call)
{
	struct anchoring x = { .f = f, .call = call, .a = no_anchor };
	const int32_t n_window = f->n_call_window, n_anchor = f->n_call_anchor;
	x.at = LT_NEW(f->a, struct axis_span, call->n_axis + 1);
	if (call->n_op > 0 && find_anchors(&x)) {
		call->anchor = n_anchor;
		call->n_anchor = f->n_call_anchor - n_anchor;
		return;
	}
	call->anchor = -1;
	call->n_anchor = 0;
	f->n_call_window = n_window;
	f->n_call_anchor = n_anchor;
	for (int32_t a = 0; a < call->n_axis; a++)
		axis_at(&x, a)->role = LT_DIM_OTHER;
}
