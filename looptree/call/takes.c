/* takes.c -- whether a row of a target's table that says what it takes (lt/target.h: LT_PATTERN_GRAPH) takes what the
 * description of a call says.
 *
 * Asked of the frozen tree's public data alone, so that default trees, `call` in a schedule and explanations get one
 * answer, and a backend could give the same.
 */
#include <string.h>
#include "looptree/call/call.h"

/* Where an op stands: the anchor's own, or what it needs (before), or neither (behind). */
enum place { BEHIND, BEFORE, OWN };
struct take_question {
	struct lt_arena *a;
	const struct lt_routine *r;
	const struct lt_tree *t;
	const struct lt_call *c;
	const struct lt_call_anchor *anchor;            /* the first: what a sentence calls it by */
	const struct lt_call_names *name;
	enum place *place;              /* by op */
	bool *masking;                  /* by op, then by read: it says which scores count, and nothing else */
	struct lt_take_reach at;        /* what is being asked */
	struct lt_take_reach refused_at;
	const char *why;
};
#define REFUSE(x, ...) ((x)->why ? (void)0 : \
	(void)((x)->why = lt__arena_format((x)->a, __VA_ARGS__), (x)->refused_at = (x)->at))

static const char *const anchor_names[] = { [LT_ANCHOR_PRODUCT] = "product", [LT_ANCHOR_CONVOLUTION] = "convolution",
	[LT_ANCHOR_ATTENTION] = "attention", [LT_ANCHOR_NORM] = "norm" };
enum { N_ANCHOR = sizeof anchor_names / sizeof *anchor_names,
	ANCHOR_OPS = sizeof ((struct lt_call_anchor *)0)->op / sizeof *((struct lt_call_anchor *)0)->op };

bool lt__row_has_params(const struct lt_tree *x, int32_t row)
{
	const int64_t *r = x->rows + (int64_t)row * x->n_column;
	for (int32_t p = 0; p < x->n_param; p++)
		if (r[1 + p])
			return true;
	for (int32_t d = 0; d < x->n_div; d++)
		if (r[1 + x->n_param + x->n_loop + d] && lt__row_has_params(x, LT_AT(struct lt_div, x->divs, d)->row))
			return true;
	return false;
}

int32_t lt__routine_reductions(const struct lt_routine *r)
{
	static const int32_t n[] = { [LT_ANCHOR_PRODUCT] = 1, [LT_ANCHOR_CONVOLUTION] = 1, [LT_ANCHOR_ATTENTION] = 4,
		[LT_ANCHOR_NORM] = 2 };
	int32_t most = 0;
	for (int32_t i = LT_ANCHOR_PRODUCT; i < N_ANCHOR; i++)
		most = r->anchors >> i & 1 && n[i] > most ? n[i] : most;
	return r->max_anchors > (uint32_t)most ? (int32_t)r->max_anchors : most;
}

static const struct lt_call_op *op_at(const struct take_question *x, int32_t i)
{
	return LT_AT(struct lt_call_op, x->t->call_ops, x->c->first_op + i);
}
static const struct lt_op *operator_of(const struct take_question *x, int32_t i)
{
	return LT_AT(struct lt_op, x->t->ops, op_at(x, i)->op);
}
static const struct lt_call_value *value_at(const struct take_question *x, int32_t op, int32_t v)
{
	return LT_AT(struct lt_call_value, x->t->call_values, op_at(x, op)->first_value + v);
}
static const struct lt_call_read *read_at(const struct take_question *x, int32_t i)
{
	return LT_AT(struct lt_call_read, x->t->call_reads, x->c->first_read + i);
}
static const struct lt_call_result *result_at(const struct take_question *x, int32_t i)
{
	return LT_AT(struct lt_call_result, x->t->call_results, x->c->first_result + i);
}
static const struct lt_call_dim *axis_at(const struct take_question *x, int32_t i)
{
	return LT_AT(struct lt_call_dim, x->t->call_dims, x->c->first_axis + i);
}
static const struct lt_call_anchor *anchor_at(const struct take_question *x, int32_t i)
{
	return LT_AT(struct lt_call_anchor, x->t->call_anchors, x->c->anchor + i);
}
static const struct lt_call_window *window_at(
	const struct take_question *x, const struct lt_call_anchor *a, int32_t i)
{
	return LT_AT(struct lt_call_window, x->t->call_windows, a->first_window + i);
}
static const struct lt_type *type_of(const struct take_question *x, int32_t buffer)
{
	return LT_AT(struct lt_type, x->t->types, LT_AT(struct lt_buffer, x->t->buffers, buffer)->type);
}
static const char *op_name(const struct take_question *x, int32_t i)
{
	return x->name && x->name->op ? lt__arena_format(x->a, "%%%s", x->name->op[i]) : lt__arena_format(x->a, "o%d", (int)i);
}
static const char *read_name(const struct take_question *x, int32_t i)
{
	return x->name && x->name->read ? lt__arena_format(x->a, "%%%s", x->name->read[i])
		: lt__arena_format(x->a, "r%d", (int)i);
}

/* -- where each op stands -- */

/* The op that makes a value, casts and copies left out; -1: it is none. */
static int32_t behind_casts(const struct take_question *x, const struct lt_call_value *v)
{
	while (v->kind == LT_VALUE_OP && (op_at(x, v->at)->kind == LT_CALL_CAST
		|| (op_at(x, v->at)->kind == LT_CALL_MAP && operator_of(x, v->at)->opcode == LT_OPCODE_copy)))
		v = value_at(x, v->at, 0);
	return v->kind == LT_VALUE_OP ? v->at : -1;
}

static bool is_named(const struct take_question *x, int32_t op)
{
	for (int32_t a = 0; a < x->c->n_anchor; a++)
		for (size_t i = 0; i < ANCHOR_OPS; i++)
			if (anchor_at(x, a)->op[i] == op)
				return true;
	return x->anchor->kind == LT_ANCHOR_NORM && behind_casts(x, value_at(x, x->anchor->op[1], 0)) == op;
}

/* By op: whether it is made of positions and numbers alone. */
static bool *positional(const struct take_question *x)
{
	bool *is = LT_NEW(x->a, bool, x->c->n_op + 1);
	for (int32_t i = 0; i < x->c->n_op; i++) {
		is[i] = true;
		for (int32_t v = 0; v < op_at(x, i)->n_value; v++) {
			const struct lt_call_value *value = value_at(x, i, v);
			is[i] = is[i] && value->kind != LT_VALUE_READ && (value->kind != LT_VALUE_OP || is[value->at]);
		}
	}
	return is;
}

/* What a mask is computed of, where that is a value of its own: ops, and reads behind them, that nothing else reads. */
static void find_masking(struct take_question *x, const bool *from)
{
	const int32_t n = x->c->n_op, mask = x->anchor->mask;
	x->masking = LT_NEW(x->a, bool, n + x->c->n_read + 1);
	for (int32_t i = n - 1; i >= 0 && mask >= 0; i--)
		for (int32_t v = 0; v < op_at(x, i)->n_value; v++) {
			const struct lt_call_value *value = value_at(x, i, v);
			const int32_t at = value->kind == LT_VALUE_OP ? value->at : value->kind == LT_VALUE_READ ? n + value->at : -1;
			if (at >= 0 && (i == mask ? at >= n || !from[at] : x->masking[i]))
				x->masking[at] = true;
		}
	for (int32_t i = n - 1; i >= 0 && mask >= 0; i--)
		for (int32_t v = 0; v < op_at(x, i)->n_value; v++) {
			const struct lt_call_value *value = value_at(x, i, v);
			const int32_t at = value->kind == LT_VALUE_OP ? value->at : value->kind == LT_VALUE_READ ? n + value->at : -1;
			if (at >= 0 && i != mask && !x->masking[i])
				x->masking[at] = false;
		}
}

static void find_places(struct take_question *x)
{
	const int32_t n = x->c->n_op;
	bool *from = LT_NEW(x->a, bool, n + 1), *to = LT_NEW(x->a, bool, n + 1), *fixed = positional(x);
	x->place = LT_NEW(x->a, enum place, n + 1);
	for (int32_t i = 0; i < n; i++) {
		from[i] = is_named(x, i);
		for (int32_t v = 0; v < op_at(x, i)->n_value; v++)
			from[i] = from[i] || (value_at(x, i, v)->kind == LT_VALUE_OP && from[value_at(x, i, v)->at]);
	}
	find_masking(x, from);
	for (int32_t i = n; i-- > 0;) {
		to[i] = to[i] || is_named(x, i);
		for (int32_t v = 0; v < op_at(x, i)->n_value && to[i]; v++)
			if (value_at(x, i, v)->kind == LT_VALUE_OP)
				to[value_at(x, i, v)->at] = true;
		bool causal = x->anchor->scores == LT_SCORES_CAUSAL && fixed[i];
		x->place[i] = to[i] && (from[i] || causal || x->masking[i]) ? OWN : to[i] ? BEFORE : BEHIND;
	}
}

/* The way out for what is no factor of attention, and not taken: most often it says which scores count. */
static const char *or_add(const struct take_question *x)
{
	return x->anchor->kind == LT_ANCHOR_ATTENTION ? ", or, where it says which scores count, add 0 and -inf to them" : "";
}

/* -- ops -- */

static bool is_result(const struct take_question *x, int32_t op)
{
	for (int32_t i = 0; i < x->c->n_result; i++)
		if (result_at(x, i)->op == op)
			return true;
	return false;
}

/* Copies, casts that lose nothing, and casts at the edges. */
static bool is_free(const struct take_question *x, int32_t i)
{
	const struct lt_call_op *o = op_at(x, i);
	const struct lt_op *is = operator_of(x, i);
	if (o->kind != LT_CALL_CAST)
		return o->kind == LT_CALL_MAP && is->opcode == LT_OPCODE_copy;
	return !o->may_skip && (lt__dtype_as_wide(is->in[0], is->out) || is_result(x, i)
		|| value_at(x, i, 0)->kind != LT_VALUE_OP);
}

static void check_op(struct take_question *x, int32_t i, uint32_t *n)
{
	const struct lt_call_op *o = op_at(x, i);
	const struct lt_op *is = operator_of(x, i);
	const uint64_t takes = x->place[i] == BEFORE ? x->r->before : x->r->behind;
	const char *where = x->place[i] == BEFORE ? "before" : "behind", *anchor = anchor_names[x->anchor->kind];
	if (is_free(x, i) || (x->place[i] == OWN && !o->may_skip))
		return;
	if (o->may_skip) {
		if (!x->r->wide && !(takes >> LT_OPCODE_cast & 1) && o->may_skip == 2)
			REFUSE(x, "%s are probabilities that multiply %s, and %s would round them to that, which the graph does not; cast "
				"them in the graph, or allow that they are rounded", op_name(x, i),
				lt__dtype_info((enum lt_dtype)is->out)->name, x->r->name);
		else if (!x->r->wide && !(takes >> LT_OPCODE_cast & 1))
			REFUSE(x, "%s rounds to %s between two operators, which %s does not do; end the group there, or allow that it is "
				"left out", op_name(x, i), lt__dtype_info((enum lt_dtype)is->out)->name, x->r->name);
		return;
	}
	if (o->kind == LT_CALL_REDUCE)
		REFUSE(x, "%s reduces beside the %s; move it out of the group", op_name(x, i), anchor);
	else if (is->opcode >= 64 || !(takes >> is->opcode & 1))
		REFUSE(x, "%s, %s, is %s the %s, and %s takes no such operator there; move it out of the group%s", op_name(x, i),
			is->name, where, anchor, x->r->name, x->place[i] == BEFORE ? or_add(x) : "");
	else if (++*n > x->r->max_ops && x->r->max_ops)
		REFUSE(x, "%s is one operator more than the %u that %s takes with a %s; move it out of the group", op_name(x, i),
			(unsigned)x->r->max_ops, x->r->name, anchor);
	for (int32_t v = 0; v < o->n_value && !(x->r->layouts & LT_LAYOUT_ANY); v++)
		if (value_at(x, i, v)->kind == LT_VALUE_PLACE)
			REFUSE(x, "%s reads its own position, which %s has no operand for; move it out of the group", op_name(x, i),
				x->r->name);
}

/* -- types and numbers of what is read and written -- */

/* end: what else may be done.  The more have the right type, the farther it came. */
static void check_type(struct take_question *x, const char *name, bool written, int32_t buffer, uint64_t takes,
	const char *end)
{
	uint32_t dtype = type_of(x, buffer)->dtype;
	if (!(takes >> dtype & 1))
		REFUSE(x, "%s is %s as %s, and %s takes %s there; cast it outside%s", name, written ? "written" : "read",
			lt__dtype_info((enum lt_dtype)dtype)->name, x->r->name, lt__dtype_list(x->a, takes), end);
	x->at.op++;
}

/* Whether an anchor reads it. */
static bool check_factor(struct take_question *x, const struct lt_call_anchor *a, int32_t read)
{
	bool factor = false;
	for (int k = 0; k < 3; k++)
		if (a->read[k] == read) {
			check_type(x, read_name(x, read), false, read_at(x, read)->buffer, k ? x->r->right : x->r->left,
				"");
			factor = true;
		}
	return factor;
}

static void check_sums(struct take_question *x, const struct lt_call_anchor *a)
{
	for (size_t i = 0; i < ANCHOR_OPS; i++) {
		int32_t op = a->op[i];
		if (op >= 0 && op_at(x, op)->kind == LT_CALL_REDUCE && !lt__dtype_as_wide(operator_of(x, op)->out, x->r->sum))
			REFUSE(x, "%s adds in %s, and %s in %s; cast outside", op_name(x, op),
				lt__dtype_info((enum lt_dtype)operator_of(x, op)->out)->name, x->r->name,
				lt__dtype_info((enum lt_dtype)x->r->sum)->name);
	}
}

static void check_types(struct take_question *x)
{
	const uint64_t other = x->r->bias ? x->r->bias : x->r->result;
	for (int32_t i = 0; i < x->c->n_read; i++) {
		bool factor = false;
		for (int32_t a = 0; a < x->c->n_anchor; a++)
			factor = check_factor(x, anchor_at(x, a), i) || factor;
		if (!factor && !x->masking[x->c->n_op + i])
			check_type(x, read_name(x, i), false, read_at(x, i)->buffer, other, or_add(x));
	}
	for (int32_t i = 0; i < x->c->n_result; i++)
		check_type(x, op_name(x, result_at(x, i)->op), true, result_at(x, i)->buffer, x->r->result,
			"");
	for (int32_t a = 0; a < x->c->n_anchor; a++)
		check_sums(x, anchor_at(x, a));
}

/* -- where they lie -- */

/* by: whose windows it is read by; NULL: it is read by none */
struct take_operand { const char *name; int32_t buffer, row, first_stride; const struct lt_call_anchor *by; };

static int64_t stride_at(const struct take_question *x, const struct take_operand *o, int32_t axis)
{
	return x->t->strides[o->first_stride + axis];
}
static bool moves(const struct take_question *x, const struct take_operand *o, int32_t axis)
{
	return stride_at(x, o, axis) && (axis_at(x, axis)->extent > 1 || axis_at(x, axis)->n_bound > 0);
}
/* Whether windows move along the axis; inside: whether it counts within a window. */
static bool is_windowed_by(
	const struct take_question *x, const struct lt_call_anchor *a, int32_t axis, bool inside)
{
	for (int32_t w = 0; w < a->n_window; w++)
		if ((inside ? window_at(x, a, w)->window : window_at(x, a, w)->out) == axis)
			return true;
	return false;
}
static bool is_windowed(const struct take_question *x, int32_t axis)
{
	for (int32_t a = 0; a < x->c->n_anchor; a++)
		if (is_windowed_by(x, anchor_at(x, a), axis, false) || is_windowed_by(x, anchor_at(x, a), axis, true))
			return true;
	return false;
}
static bool has_windows(const struct take_question *x)
{
	for (int32_t a = 0; a < x->c->n_anchor; a++)
		if (anchor_at(x, a)->kind == LT_ANCHOR_CONVOLUTION)
			return true;
	return false;
}

static void check_channels(struct take_question *x, const struct take_operand *o, bool channels, bool plane)
{
	const bool last = x->r->layouts & LT_LAYOUT_CHANNELS_LAST, first = x->r->layouts & LT_LAYOUT_CHANNELS_FIRST;
	if ((!last && !first) || (last && channels) || (first && plane))
		return;
	REFUSE(x, "%s does not lie along %s, as %s asks; choose another layout, or copy it outside", o->name,
		last && first ? "its channels or its plane" : last ? "its channels" : "its plane", x->r->name);
}

static void check_strides(struct take_question *x, const struct take_operand *o, bool in_image)
{
	bool any = false, channels = false, plane = false, one = false;
	for (int32_t a = 0; a < x->c->n_axis; a++) {
		if (!moves(x, o, a))
			continue;
		any = true;
		if (stride_at(x, o, a) < 0) {
			REFUSE(x, "%s is read backwards along %s, which %s does not do; copy it outside", o->name, axis_at(x, a)->var,
				x->r->name);
			return;
		}
		if (stride_at(x, o, a) != 1)
			continue;
		one = true;
		bool along = is_windowed(x, a);
		plane = plane || along;
		channels = channels || !along;
	}
	if (any && !one)
		REFUSE(x, "elements of %s do not lie side by side along any axis, as %s asks; copy it outside", o->name, x->r->name);
	if (any && in_image)
		check_channels(x, o, channels, plane);
}

/* The element that the first one is counted from: of a window's read, the first behind the borders. */
static bool row_is_aligned(const struct take_question *x, const struct take_operand *o, int64_t bytes)
{
	const int64_t *row = x->t->rows + (int64_t)o->row * x->t->n_column, of = x->r->align;
	int64_t first = row[0];
	for (int32_t w = 0; o->by && w < o->by->n_window; w++)
		first += window_at(x, o->by, w)->before * window_at(x, o->by, w)->step;
	bool fits = first * bytes % of == 0;
	for (int32_t i = 1; i < x->t->n_column; i++)
		fits = fits && row[i] * bytes % of == 0;
	return fits;
}

static void check_align(struct take_question *x, const struct take_operand *o)
{
	const int64_t bytes = type_of(x, o->buffer)->bytes;
	if (!x->r->align)
		return;
	if (LT_AT(struct lt_buffer, x->t->buffers, o->buffer)->align % x->r->align || !row_is_aligned(x, o, bytes))
		REFUSE(x, "%s does not begin at a multiple of %u bytes, as %s asks; copy it outside", o->name, (unsigned)x->r->align,
			x->r->name);
	for (int32_t a = 0; a < x->c->n_axis; a++)
		if (moves(x, o, a) && stride_at(x, o, a) != 1 && stride_at(x, o, a) * bytes % x->r->align)
			REFUSE(x, "neighbours of %s along %s are %lld bytes apart, which is no multiple of the %u that %s asks for; pad "
				"it, or copy it outside", o->name, axis_at(x, a)->var, (long long)(stride_at(x, o, a) * bytes),
				(unsigned)x->r->align, x->r->name);
}

static void check_operand(struct take_question *x, const struct take_operand *o, bool in_image)
{
	if (!(x->r->layouts & LT_LAYOUT_ANY))
		check_strides(x, o, in_image);
	check_align(x, o);
}

static void check_operands(struct take_question *x)
{
	for (int32_t i = 0; i < x->c->n_read; i++) {
		const struct lt_call_read *r = read_at(x, i);
		const struct lt_call_anchor *by = NULL;
		for (int32_t a = 0; a < x->c->n_anchor && !by; a++)
			by = anchor_at(x, a)->n_window > 0 && anchor_at(x, a)->read[0] == i ? anchor_at(x, a) : NULL;
		if (r->n_guard > 0 && !by && !(x->r->layouts & LT_LAYOUT_ANY))
			REFUSE(x, "%s is not read at all positions, and it is no image of windows; materialize it outside", read_name(x, i));
		check_operand(x, &(struct take_operand){ read_name(x, i), r->buffer, r->row, r->first_stride, by }, by != NULL);
	}
	for (int32_t i = 0; i < x->c->n_result; i++) {
		const struct lt_call_result *r = result_at(x, i);
		check_operand(x, &(struct take_operand){ op_name(x, r->op), r->buffer, r->row, r->first_stride, NULL },
			has_windows(x));
	}
}

static void check_axes(struct take_question *x)
{
	for (int32_t a = 0; a < x->c->n_axis; a++) {
		const struct lt_call_dim *d = axis_at(x, a);
		if (d->role == LT_DIM_BATCH && d->extent > 1 && !(x->r->layouts & LT_LAYOUT_BATCH))
			REFUSE(x, "the %s has the batch or groups %s, and %s takes none; put the call inside of a loop over it",
				anchor_names[x->anchor->kind], d->var, x->r->name);
		for (int32_t b = 0; b < d->n_bound && !(x->r->layouts & LT_LAYOUT_BOUNDED); b++)
			if (lt__row_has_params(x->t, x->t->bounds[d->first_bound + b]))
				REFUSE(x, "how many there are of %s follows from a run-time scalar, and %s is told before", d->var, x->r->name);
	}
}

/* -- all of it -- */

static bool ask(struct take_question *x)
{
	if (x->c->n_op == 0 || x->c->anchor < 0) {
		REFUSE(x, "what it computes is no product, convolution, attention or norm as a whole, which %s is for; change what "
			"is in the group", x->r->name);
		return false;
	}
	x->at.step = LT_TAKE_WHOLE;
	const int32_t most = x->r->max_anchors ? (int32_t)x->r->max_anchors : 1;
	x->anchor = anchor_at(x, 0);
	for (int32_t i = 0; i < x->c->n_anchor; i++) {
		const int32_t kind = anchor_at(x, i)->kind;
		if (kind >= N_ANCHOR || !(x->r->anchors >> kind & 1)) {
			REFUSE(x, "it is a %s, which %s does not compute; use another routine",
				kind < N_ANCHOR ? anchor_names[kind] : "thing of another kind", x->r->name);
			return false;
		}
	}
	x->at.step = LT_TAKE_ANCHOR;
	if (x->c->n_anchor > most) {
		REFUSE(x, "%s is a %s beside %s, and %s computes %d of them in a call; move it out of the group",
			op_name(x, anchor_at(x, most)->op[0]), anchor_names[anchor_at(x, most)->kind], op_name(x, x->anchor->op[0]),
			x->r->name, (int)most);
		return false;
	}
	return true;
}

bool lt__came_farther(struct lt_take_reach x, struct lt_take_reach than)
{
	return x.step != than.step ? x.step > than.step : x.op > than.op;
}

static void ask_parts(struct take_question *x)
{
	const struct lt_routine *r = x->r;
	const struct lt_call *c = x->c;
	uint32_t n = 0;
	static const char *const scores[] = { [LT_SCORES_ALL] = "all counted", [LT_SCORES_CAUSAL] = "causal",
		[LT_SCORES_MASKED] = "masked by something else", [LT_SCORES_COMPUTED] = "masked by what is computed for that",
		[LT_SCORES_LENGTHS] = "counted by lengths", [LT_SCORES_CAUSAL_LENGTHS] = "causal and counted by lengths" };
	if (x->anchor->kind == LT_ANCHOR_ATTENTION && !(r->scores >> x->anchor->scores & 1))
		REFUSE(x, "%s does not take scores that are %s; move the mask out, or use another routine", r->name,
			scores[x->anchor->scores]);
	find_places(x);
	x->at.step = LT_TAKE_TYPE;
	check_types(x);
	x->at = (struct lt_take_reach){ LT_TAKE_OP, 0 };
	for (x->at.op = 0; x->at.op < c->n_op && !x->why; x->at.op++)
		check_op(x, x->at.op, &n);
	x->at = (struct lt_take_reach){ LT_TAKE_COUNT, 0 };
	if (r->max_reads && (uint32_t)c->n_read > r->max_reads)
		REFUSE(x, "%s is the operand after the %u that %s takes; move the operator that reads it out of the group",
			read_name(x, (int32_t)r->max_reads), (unsigned)r->max_reads, r->name);
	if (r->max_results && (uint32_t)c->n_result > r->max_results)
		REFUSE(x, "%s is read outside of the group, too, and %s writes %u result%s; end the group there",
			op_name(x, result_at(x, 0)->op), r->name, (unsigned)r->max_results, r->max_results == 1 ? "" : "s");
	x->at.step = LT_TAKE_LAYOUT;
	check_axes(x);
	check_operands(x);
}

const char *lt__routine_refuses_graph(struct lt_arena *a, const struct lt_routine *r, const struct lt_tree *t,
	const struct lt_call *c, const struct lt_call_names *name, struct lt_take_reach *reach)
{
	struct take_question x = { .a = a, .r = r, .t = t, .c = c, .name = name };
	if (ask(&x))
		ask_parts(&x);
	*reach = x.refused_at;
	return x.why;
}

int32_t lt__call_roundings(const struct lt_tree *t, const struct lt_call *c)
{
	int32_t n = 0;
	for (int32_t i = 0; i < c->n_op; i++)
		n += LT_AT(struct lt_call_op, t->call_ops, c->first_op + i)->may_skip == 1;
	return n;
}

int32_t lt__call_added_roundings(const struct lt_tree *t, const struct lt_call *c)
{
	int32_t n = 0;
	for (int32_t i = 0; i < c->n_op; i++)
		n += LT_AT(struct lt_call_op, t->call_ops, c->first_op + i)->may_skip == 2;
	return n;
}

/* Whether one of the anchor's ops counts along the axis. */
static bool is_axis_of(const struct take_question *x, const struct lt_call_anchor *a, int32_t axis)
{
	for (size_t i = 0; i < ANCHOR_OPS; i++)
		if (a->op[i] >= 0 && op_at(x, a->op[i])->axes >> axis & 1)
			return true;
	return false;
}

/* Positions along an anchor's axes of a role; saturating. */
static int64_t positions(const struct take_question *x, const struct lt_call_anchor *a, int32_t role, bool window)
{
	int64_t n = 1;
	uint64_t keys = a->kind == LT_ANCHOR_ATTENTION && window ? op_at(x, a->op[2])->reduced : 0;
	for (int32_t i = 0; i < x->c->n_axis; i++)
		if (keys ? keys >> i & 1 : is_axis_of(x, a, i) && axis_at(x, i)->role == role
			&& is_windowed_by(x, a, i, true) == window)
			n = lt__mul_sat(n, axis_at(x, i)->extent);
	return n;
}

enum { SHAPE_NUMBERS = LT_DIM_DEEP + 2 };
/* By role, and of a window, keys or sums. */
static void count_positions(const struct take_question *x, const struct lt_call_anchor *a, int64_t *n)
{
	for (int32_t role = LT_DIM_BATCH; role <= LT_DIM_DEEP; role++)
		n[role] = positions(x, a, role, false);
	n[LT_DIM_DEEP + 1] = a->kind == LT_ANCHOR_NORM ? 1 + (a->op[0] >= 0)
		: a->kind == LT_ANCHOR_CONVOLUTION || a->kind == LT_ANCHOR_ATTENTION ? positions(x, a, LT_DIM_DEEP, true) : 1;
}

/* A number that a shape has no room for: `kind` of the anchor it counts, and how many others do fit. */
struct beside { const int64_t *range; int64_t n; int32_t kind, role, fit; };

/* The first number that is in no range of the shape, of any anchor; range NULL: it fits. */
static struct beside number_beside(const struct take_question *x, const struct lt_routine_shape *s)
{
	const int64_t *range[] = { s->batch, s->row, s->column, s->deep, s->window };
	struct beside b = { .range = NULL };
	int64_t n[SHAPE_NUMBERS];
	for (int32_t i = 0; i < x->c->n_anchor; i++) {
		count_positions(x, anchor_at(x, i), n);
		for (int32_t k = 0; k < SHAPE_NUMBERS; k++)
			if (n[k] >= range[k][0] && (!range[k][1] || n[k] <= range[k][1]))
				b.fit++;
			else if (!b.range)
				b = (struct beside){ range[k], n[k], anchor_at(x, i)->kind, k, b.fit };
	}
	return b;
}

static const char *explain_beside(struct lt_arena *a, const struct lt_routine *r, const struct beside *b)
{
	static const char *const names[] = { "batches", "rows", "columns", "terms", "positions of a window" },
		*const heads[] = { "batches x heads", "queries", "elements of a value", "elements of a key", "keys" };
	const char *name = b->kind == LT_ANCHOR_ATTENTION ? heads[b->role]
		: b->kind == LT_ANCHOR_NORM && b->role > LT_DIM_DEEP ? "sums" : names[b->role];
	const long long least = b->range[0], most = b->range[1];
	const char *where = !most ? lt__arena_format(a, "%lld and more", least)
		: least == most ? lt__arena_format(a, "%lld", least)
		: least <= 1 ? lt__arena_format(a, "%lld and fewer", most) : lt__arena_format(a, "%lld to %lld", least, most);
	return lt__arena_format(a, "it has %lld %s, and a default tree calls %s for %s; a schedule may hand it over (`call`)",
		(long long)b->n, name, r->name, where);
}

const char *lt__routine_avoids_graph(
	struct lt_arena *a, const struct lt_routine *r, const struct lt_tree *t, const struct lt_call *c)
{
	struct take_question x = { .a = a, .r = r, .t = t, .c = c };
	struct beside nearest = { .fit = -1 };
	int64_t flops = 0;
	if (!ask(&x))
		return x.why;
	for (int32_t k = 0; k < c->n_anchor; k++) {
		int64_t one = 2;
		for (int32_t i = 0; i < c->n_axis; i++)
			if (op_at(&x, anchor_at(&x, k)->op[1])->axes >> i & 1)
				one = lt__mul_sat(one, axis_at(&x, i)->extent);
		flops = lt__add_sat(flops, one);
	}
	if (r->min_flops == INT64_MAX)
		return lt__arena_format(a, "a schedule may hand it over to %s (`call`), a default tree does not", r->name);
	if (flops < r->min_flops)
		return lt__arena_format(a, "%.3g operations are fewer than the %.3g from which on %s is called", (double)flops,
			(double)r->min_flops, r->name);
	for (uint32_t i = 0; i < r->shapes.n; i++) {
		const struct beside b = number_beside(&x, LT_AT(struct lt_routine_shape, r->shapes, i));
		if (!b.range)
			return NULL;
		nearest = b.fit > nearest.fit ? b : nearest;
	}
	return nearest.range ? explain_beside(a, r, &nearest) : NULL;
}
