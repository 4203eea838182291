/* interpret.c -- runs a frozen tree one loop and one statement at a time.
 *
 * Each operator is computed in double (integers exactly) and rounded to the type of its destination.  A float buffer
 * that is reduced into has its doubles next to it, so that a whole reduction is rounded once: the buffer holds their
 * rounding.  Locals are filled with ones (NaN, -1) when their scope begins, so that a tree that reads before it
 * writes gives nonsense here, not yesterday's value.
 */
#include <stdio.h>
#include <string.h>
#include "backends/ref/ref.h"

struct ref_interpreter {
	const struct lt_object *o;
	const struct lt_tree *t;
	const struct lt_args *args;
	struct lt_diag *diag;
	int64_t *column;                /* value of each column: [1 | params | loops | divs] */
};

/* "m=3, k=2", of the loops around a place. */
static void iteration_text(const struct ref_interpreter *r, int32_t loop, char *text, size_t cap)
{
	size_t n = strlen(text);
	if (loop < 0)
		return;
	iteration_text(r, LT_AT(struct lt_loop, r->t->loops, loop)->parent, text, cap);
	const struct lt_loop *l = LT_AT(struct lt_loop, r->t->loops, loop);
	size_t now = strlen(text);
	(void)snprintf(text + now, cap - now, "%s%s=%lld", now > n ? ", " : "", l->var ? l->var : "?",
		(long long)r->column[1 + r->t->n_param + loop]);
}

static lt_status illegal(const struct ref_interpreter *r, int32_t s, const char *what)
{
	const struct lt_stmt *st = LT_AT(struct lt_stmt, r->t->stmts, s);
	char iteration[512] = "";
	iteration_text(r, st->loop, iteration, sizeof iteration);
	return lt__report(r->diag, LT_EILLEGAL, st->loop, s, NULL,
		"ref: kernel %s, %%%s (line %d, statement %d) at %s: %s", r->t->name ? r->t->name : "?",
		st->name ? st->name : "?", (int)st->line, (int)s, iteration[0] ? iteration : "its start", what);
}

/* INT64_MIN stands for overflow: no offset and no bound can be it. */
static int64_t row(const struct ref_interpreter *r, int32_t i)
{
	int64_t sum = r->t->rows[(int64_t)i * r->t->n_column], product;
	for (int32_t k = r->o->first_term[i]; k < r->o->first_term[i + 1]; k++)
		if (__builtin_mul_overflow(r->o->term[k].coef, r->column[r->o->term[k].column], &product)
		    || __builtin_add_overflow(sum, product, &sum))
			return INT64_MIN;
	return sum;
}

static bool hold(const struct ref_interpreter *r, int32_t first, int32_t n)
{
	for (int32_t i = 0; i < n; i++)
		if (row(r, r->t->guards[first + i]) < 0)
			return false;
	return true;
}

static uint32_t buffer_type(const struct lt_tree *t, int32_t buffer)
{
	return LT_AT(struct lt_type, t->types, LT_AT(struct lt_buffer, t->buffers, buffer)->type)->dtype;
}

static char *base_of(const struct ref_interpreter *r, int32_t buffer)
{
	if (r->o->local[buffer] >= 0)
		return (char *)r->args->workspace + r->o->local[buffer];
	const struct lt_slot *slot = &r->args->slot[LT_AT(struct lt_buffer, r->t->buffers, buffer)->slot];
	return (char *)slot->base + slot->offset;
}

/* Which element an access names. */
static lt_status element_find(const struct ref_interpreter *r, int32_t s, int32_t access, int64_t *element)
{
	const struct lt_access *a = LT_AT(struct lt_access, r->t->accesses, access);
	const struct lt_buffer *b = LT_AT(struct lt_buffer, r->t->buffers, a->buffer);
	int64_t at = row(r, a->row), index, more;
	if (a->index >= 0) {
		lt_status status = element_find(r, s, a->index, &index);
		if (status)
			return status;
		int32_t from = LT_AT(struct lt_access, r->t->accesses, a->index)->buffer;
		index = lt__number_load(base_of(r, from), index, buffer_type(r->t, from)).i;
		bool inside = index >= 0 && index < a->index_extent;
		for (int32_t i = 0; i < a->n_bound; i++)
			inside = inside && index < row(r, r->t->bounds[a->first_bound + i]);
		if (!inside) {
			struct lt_fault *fault = r->args->fault;
			if (fault->n++ == 0)
				*fault = (struct lt_fault){ .n = fault->n, .stmt = s, .access = access, .value = index };
			index = 0;
		}
		if (__builtin_mul_overflow(index, a->index_stride, &more) || __builtin_add_overflow(at, more, &at))
			at = INT64_MIN;
	}
	*element = at;
	if (at >= 0 && at < b->elems)
		return LT_OK;
	char what[256];
	(void)snprintf(what, sizeof what, "element %lld of buffer %s, which has %lld", (long long)at, b->name ? b->name : "?",
		(long long)b->elems);
	return illegal(r, s, at == INT64_MIN ? "an offset exceeds 63 bits" : what);
}

/* The elements of a buffer that reductions write, before they are rounded; NULL: none do. */
static union lt_number *exact_of(const struct ref_interpreter *r, int32_t buffer)
{
	return r->o->shadow[buffer] < 0
		? NULL
		: (union lt_number *)(void *)((char *)r->args->workspace + r->o->shadow[buffer]);
}

static lt_status operand(
	const struct ref_interpreter *r, int32_t s, const struct lt_operand *o, union lt_number *out)
{
	const struct lt_piece *p = NULL;
	int64_t element;
	for (int32_t i = 0; i < o->n_piece; i++) {
		p = LT_AT(struct lt_piece, r->t->pieces, o->first_piece + i);
		if (hold(r, p->first_guard, p->n_guard))
			break;
	}
	if (p->kind == LT_IMMEDIATE) {
		*out = lt__number_of_bits(p->bits, o->dtype);
		return LT_OK;
	}
	if (p->kind == LT_AFFINE) {
		out->i = row(r, p->row);
		*out = lt__number_convert(*out, LT_I64, o->dtype);
		return LT_OK;
	}
	lt_status status = element_find(r, s, p->access, &element);
	if (!status) {
		int32_t buffer = LT_AT(struct lt_access, r->t->accesses, p->access)->buffer;
		*out = lt__number_load(base_of(r, buffer), element, buffer_type(r->t, buffer));
	}
	return status;
}

static union lt_number value_of(
	const struct ref_interpreter *r, const struct lt_stmt *st, const union lt_number *x)
{
	return st->kind == LT_RESET ? x[0] : lt__ref_value_of(&r->o->value[st->op], x);
}

static lt_status statement(const struct ref_interpreter *r, int32_t s)
{
	const struct lt_stmt *st = LT_AT(struct lt_stmt, r->t->stmts, s);
	union lt_number x[4] = { { 0 } };
	int64_t element;
	bool reduces = st->kind == LT_REDUCE || st->kind == LT_COMBINE;         /* one iteration after the other */
	int first = reduces;
	if (st->kind >= LT_BARRIER || !hold(r, st->first_guard, st->n_guard))
		return LT_OK;
	for (int32_t i = 0; i < st->n_operand; i++) {
		lt_status status = operand(r, s, LT_AT(struct lt_operand, r->t->operands, st->first_operand + i), &x[first + i]);
		if (status)
			return status;
	}
	lt_status status = element_find(r, s, st->dest, &element);
	if (status)
		return status;
	int32_t buffer = LT_AT(struct lt_access, r->t->accesses, st->dest)->buffer;
	uint32_t type = buffer_type(r->t, buffer);
	char *base = base_of(r, buffer);
	union lt_number *exact = exact_of(r, buffer);
	if (reduces)
		x[0] = exact ? exact[element] : lt__number_load(base, element, type);
	union lt_number v = value_of(r, st, x), rounded = lt__number_round(v, type);
	lt__number_store(base, element, type, rounded);
	if (exact)
		exact[element] = reduces ? v : rounded;
	return LT_OK;
}

static int64_t floordiv(int64_t a, int64_t b) { return a / b - (a % b != 0 && a < 0); }

/* An iteration of loop l (-1: the kernel) begins: its divs have values, its locals have none. */
static void enter(const struct ref_interpreter *r, int32_t l)
{
	for (int32_t d = r->o->first_div[l + 1]; d >= 0; d = r->o->next_div[d]) {
		const struct lt_div *div = LT_AT(struct lt_div, r->t->divs, d);
		r->column[1 + r->t->n_param + r->t->n_loop + d] = floordiv(row(r, div->row), div->den);
	}
	for (int32_t b = r->o->first_local[l + 1]; b >= 0; b = r->o->next_local[b]) {
		const struct lt_buffer *buffer = LT_AT(struct lt_buffer, r->t->buffers, b);
		size_t bytes = LT_AT(struct lt_type, r->t->types, buffer->type)->bytes;
		memset(base_of(r, b), 0xff, (size_t)buffer->elems * bytes);
	}
}

static int64_t trip_count(const struct ref_interpreter *r, int32_t l)
{
	const struct lt_loop *loop = LT_AT(struct lt_loop, r->t->loops, l);
	int64_t n = loop->max_trip_count;
	for (int32_t b = 0; b < loop->n_bound; b++) {
		int64_t bound = row(r, r->t->bounds[loop->first_bound + b]);
		n = bound < n ? bound : n;
	}
	return n;
}

static lt_status body(const struct ref_interpreter *r, int32_t loop, int32_t s, int32_t end)
{
	lt_status status = LT_OK;
	enter(r, loop);
	while (!status && s < end) {
		int32_t inner = LT_AT(struct lt_stmt, r->t->stmts, s)->loop;
		if (inner == loop) {
			status = statement(r, s++);
			continue;
		}
		while (LT_AT(struct lt_loop, r->t->loops, inner)->parent != loop)
			inner = LT_AT(struct lt_loop, r->t->loops, inner)->parent;
		const struct lt_loop *l = LT_AT(struct lt_loop, r->t->loops, inner);
		int64_t n = trip_count(r, inner), *trip = &r->column[1 + r->t->n_param + inner];
		for (*trip = 0; !status && *trip < n; ++*trip)
			status = body(r, inner, l->first_stmt, l->first_stmt + l->n_stmt);
		if (!status)
			*trip = 0;
		s = l->first_stmt + l->n_stmt;
	}
	return status;
}

static lt_status check_slots(const struct ref_interpreter *r)
{
	const struct lt_tree *t = r->t;
	const char *name = t->name ? t->name : "?";
	if (r->args->n_slot != (uint32_t)t->n_slot)
		return lt__report(r->diag, LT_EINVAL, -1, -1, NULL, "kernel %s takes %d buffers, %u were given", name, (int)t->n_slot,
			(unsigned)r->args->n_slot);
	for (uint32_t i = 0; i < t->buffers.n; i++) {
		const struct lt_buffer *b = LT_AT(struct lt_buffer, t->buffers, i);
		int64_t bytes = b->elems * LT_AT(struct lt_type, t->types, b->type)->bytes;
		if (b->slot >= 0 && r->args->slot[b->slot].bytes < bytes)
			return lt__report(r->diag, LT_EINVAL, -1, -1, NULL, "kernel %s: buffer %s has %lld bytes and needs %lld", name,
				b->name ? b->name : "?", (long long)r->args->slot[b->slot].bytes, (long long)bytes);
	}
	if (!r->args->workspace)
		return lt__report(r->diag, LT_EINVAL, -1, -1, NULL, "kernel %s needs a workspace of %lld bytes", name,
			(long long)r->o->workspace);
	return LT_OK;
}

lt_status lt__ref_run(const struct lt_object *o, const struct lt_args *args, struct lt_diag *diag)
{
	const struct lt_tree *t = o->tree;
	struct ref_interpreter r = { .o = o, .t = t, .args = args, .diag = diag, .column = args->workspace };
	lt_status status = check_slots(&r);
	if (status)
		return status;
	memset(r.column, 0, (size_t)t->n_column * sizeof *r.column);
	r.column[0] = 1;
	for (int32_t i = 0; i < t->n_param; i++) {
		const struct lt_tparam *p = LT_AT(struct lt_tparam, t->params, i);
		int64_t v = lt__number_load(base_of(&r, p->buffer), p->element, LT_I64).i;
		if (v < p->low || v > p->high)
			return lt__report(diag, LT_EINVAL, -1, -1, NULL, "kernel %s: %s is %lld, outside %lld..%lld",
				t->name ? t->name : "?", p->name ? p->name : "?", (long long)v, (long long)p->low,
				(long long)p->high);
		r.column[1 + i] = v;
	}
	for (int32_t b = 0; b < (int32_t)t->buffers.n; b++)
		if (o->starts[b])
			for (int64_t i = 0; i < LT_AT(struct lt_buffer, t->buffers, b)->elems; i++)
				((union lt_number *)(void *)((char *)args->workspace + o->shadow[b]))[i] =
					lt__number_load(base_of(&r, b), i, buffer_type(t, b));
	return body(&r, -1, 0, (int32_t)t->stmts.n);
}
