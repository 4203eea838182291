/* copy.c -- a frozen tree in pages of its own (pages.c), which nobody may write to, and which can be closed.
 *
 * All that the tree points to is copied, texts too, so that nothing of a copy is reached once its pages are closed.
 */
#include <string.h>
#include "tools/check/parts.h"

static const char *text(struct check_pages *p, const char *from)
{
	return from ? lt__check_pages_take(p, from, strlen(from) + 1) : NULL;
}

static struct lt_array array(struct check_pages *p, struct lt_array a)
{
	a.at = lt__check_pages_take(p, a.at, (size_t)a.n * a.stride);
	return a;
}

/* An element of a copy, to be changed. */
#define COPIED(type, a, i) ((type *)(uintptr_t)LT_AT(type, a, i))
#define TEXTS(type, a, member) \
	for (uint32_t i = 0; i < (a).n && (a).at; i++) \
		COPIED(type, a, i)->member = text(p, LT_AT(type, a, i)->member)
/* The length of a list that nobody says: as far as elements that name `count` of it from `first` on reach. */
static int32_t reach(int32_t max, const struct lt_array *a, size_t first, size_t count)
{
	for (uint32_t i = 0; i < a->n; i++) {
		const char *at = (const char *)a->at + (size_t)i * a->stride;
		int32_t begin, n;
		memcpy(&begin, at + first, sizeof begin);
		memcpy(&n, at + count, sizeof n);
		max = n > 0 && begin + n > max ? begin + n : max;
	}
	return max;
}
#define REACH(max, type, a, what) reach(max, &(a), offsetof(type, first_##what), offsetof(type, n_##what))

static int32_t later(int32_t max, int32_t first, int32_t n) { return first + n > max ? first + n : max; }

/* The end of the strides of a description, or max. */
static int32_t description_strides(const struct lt_tree *t, const struct lt_call *c, int32_t max)
{
	for (int32_t i = 0; i < c->n_read; i++) {
		const struct lt_call_read *r = LT_AT(struct lt_call_read, t->call_reads, c->first_read + i);
		max = later(max, r->first_stride, c->n_axis);
		for (int32_t g = 0; g < r->n_guard; g++)
			max = later(max, LT_AT(struct lt_call_guard, t->call_guards, r->first_guard + g)->first_stride, c->n_axis);
	}
	for (int32_t i = 0; i < c->n_result; i++)
		max = later(max, LT_AT(struct lt_call_result, t->call_results, c->first_result + i)->first_stride, c->n_axis);
	for (int32_t i = 0; i < c->n_op; i++) {
		const struct lt_call_op *o = LT_AT(struct lt_call_op, t->call_ops, c->first_op + i);
		for (int32_t v = 0; v < o->n_value; v++) {
			const struct lt_call_value *value = LT_AT(struct lt_call_value, t->call_values, o->first_value + v);
			max = value->kind == LT_VALUE_PLACE ? later(max, value->first_stride, c->n_axis) : max;
		}
	}
	return max;
}

static int32_t n_stride(const struct lt_tree *t)
{
	int32_t max = 0;
	for (uint32_t c = 0; c < t->calls.n; c++) {
		const struct lt_call *call = LT_AT(struct lt_call, t->calls, c);
		max = description_strides(t, call, max);
		for (int32_t o = 0; o < call->n_operand; o++) {
			int32_t end = LT_AT(struct lt_call_operand, t->call_operands, call->first_operand + o)->first_stride + call->n_dim;
			max = end > max ? end : max;
		}
	}
	return max;
}

static void copy_lists(struct check_pages *p, const struct lt_tree *from, struct lt_tree *t)
{
	t->rows = lt__check_pages_take(p, from->rows, (size_t)from->n_row * (size_t)from->n_column * sizeof *t->rows);
	int32_t n = REACH(REACH(0, struct lt_piece, t->pieces, guard), struct lt_stmt, t->stmts, guard);
	t->guards = lt__check_pages_take(p, from->guards, (size_t)n * sizeof *t->guards);
	n = REACH(REACH(0, struct lt_loop, t->loops, bound), struct lt_access, t->accesses, bound);
	n = REACH(n, struct lt_call_dim, t->call_dims, bound);
	t->bounds = lt__check_pages_take(p, from->bounds, (size_t)n * sizeof *t->bounds);
	t->strides = lt__check_pages_take(p, from->strides, (size_t)n_stride(from) * sizeof *t->strides);
	struct lt_array *const all[] = { &t->types, &t->ops, &t->params, &t->divs, &t->loops, &t->buffers, &t->accesses,
		&t->pieces, &t->operands, &t->stmts, &t->calls, &t->call_dims, &t->call_operands, &t->call_reads,
		&t->call_values, &t->call_ops, &t->call_results, &t->call_guards, &t->call_anchors, &t->call_windows };
	for (size_t i = 0; i < sizeof all / sizeof *all; i++)
		*all[i] = array(p, *all[i]);
}

static void copy_texts(struct check_pages *p, struct lt_tree *t)
{
	t->name = text(p, t->name);
	t->prelude = text(p, t->prelude);
	t->text = text(p, t->text);
	TEXTS(struct lt_type, t->types, name);
	TEXTS(struct lt_type, t->types, ctype);
	TEXTS(struct lt_op, t->ops, name);
	TEXTS(struct lt_op, t->ops, source);
	TEXTS(struct lt_tparam, t->params, name);
	TEXTS(struct lt_loop, t->loops, var);
	TEXTS(struct lt_loop, t->loops, call);
	TEXTS(struct lt_buffer, t->buffers, name);
	TEXTS(struct lt_stmt, t->stmts, name);
	TEXTS(struct lt_call_dim, t->call_dims, var);
	TEXTS(struct lt_call, t->calls, undescribed);
	TEXTS(struct lt_call, t->calls, source);
}

const struct lt_tree *lt__check_pages_tree(struct check_pages *p, const struct lt_tree *from)
{
	struct lt_tree *t = lt__check_pages_take(p, from, from->size);
	if (!t)
		return NULL;
	copy_lists(p, from, t);
	if (!p->full)
		copy_texts(p, t);
	return p->full ? NULL : t;
}
