/* walk.c -- runs a frozen tree: every loop serially, every statement by itself, as lt/tree.h says.  The kinds of loops
 * are permissions, so this order is always right.  Each access is reported to the meter when it happens: the operands
 * from left to right (of a gather the index first), what a reduction adds to, then what is written.
 */
#include <stdlib.h>
#include <string.h>
#include "trace.h"

struct term { int32_t column; int64_t coef; };
struct walk {
	const struct lt_tree *tree;
	struct term *term;              /* rows without their zeros: of row r from first_term[r] to before first_term[r + 1] */
	int32_t *first_term;
	const struct op_row **op;
	int64_t *local;                 /* by buffer: where it is in the workspace; -1: in a slot */
	int64_t bytes;                  /* of the workspace: the columns' values, then the locals */
	int64_t align;
};
struct run {
	const struct walk *w;
	const struct lt_tree *t;
	struct meter *meter;
	const struct lt_args *args;
	struct lt_diag *diag;
	int64_t *column;
};

static int32_t storage_of(const struct lt_tree *t, int32_t b)
{
	while (LT_AT(struct lt_buffer, t->buffers, b)->alias_of >= 0)
		b = LT_AT(struct lt_buffer, t->buffers, b)->alias_of;
	return b;
}

static uint32_t type_of(const struct lt_tree *t, int32_t b)
{
	return LT_AT(struct lt_type, t->types, LT_AT(struct lt_buffer, t->buffers, b)->type)->dtype;
}

static const char *or_what(const char *name) { return name ? name : "?"; }

lt_status walk_accepts(const struct lt_tree *t, struct lt_diag *diag)
{
	for (uint32_t i = 0; i < t->buffers.n; i++) {
		const struct lt_buffer *b = LT_AT(struct lt_buffer, t->buffers, i);
		const struct lt_type *type = LT_AT(struct lt_type, t->types, b->type);
		if (!is_type(type->dtype, type->bytes))
			return refuse(diag, LT_EUNSUPPORTED, -1, -1, "cast it to one that it knows",
				"buffer %s has type %s, which it does not know", or_what(b->name), or_what(type->name));
	}
	for (uint32_t s = 0; s < t->stmts.n; s++) {
		const struct lt_stmt *st = LT_AT(struct lt_stmt, t->stmts, s);
		if (st->kind >= LT_BARRIER && st->kind <= LT_WAIT)
			continue;
		if (st->kind < LT_MAP || st->kind > LT_COMBINE)
			return refuse(diag, LT_EUNSUPPORTED, -1, (int32_t)s, NULL,
				"%%%s is a statement of kind %d, which it does not know", or_what(st->name), (int)st->kind);
		const struct lt_op *op = LT_AT(struct lt_op, t->ops, st->op);
		if (!find_op(op))
			return refuse(diag, LT_EUNSUPPORTED, -1, (int32_t)s, NULL,
				"%%%s: it knows no operator '%s' of these types", or_what(st->name), or_what(op->name));
	}
	return LT_OK;
}

void walk_free(struct walk *w)
{
	if (!w)
		return;
	free(w->term);
	free(w->first_term);
	free(w->op);
	free(w->local);
	free(w);
}

struct walk *walk_new(const struct lt_tree *t)
{
	struct walk *w = calloc(1, sizeof *w);
	size_t n_term = 1;
	if (!w)
		return NULL;
	for (int64_t i = 0; i < (int64_t)t->n_row * t->n_column; i++)
		n_term += t->rows[i] != 0;
	w->tree = t;
	w->term = calloc(n_term, sizeof *w->term);
	w->first_term = calloc((size_t)t->n_row + 1, sizeof *w->first_term);
	w->op = calloc(t->ops.n + 1u, sizeof *w->op);
	w->local = calloc(t->buffers.n + 1u, sizeof *w->local);
	if (!w->term || !w->first_term || !w->op || !w->local) {
		walk_free(w);
		return NULL;
	}
	for (int32_t r = 0, n = 0; r < t->n_row; r++) {
		for (int32_t c = 0; c < t->n_column; c++)
			if (t->rows[(int64_t)r * t->n_column + c])
				w->term[n++] = (struct term){ c, t->rows[(int64_t)r * t->n_column + c] };
		w->first_term[r + 1] = n;
	}
	for (uint32_t i = 0; i < t->ops.n; i++)
		w->op[i] = find_op(LT_AT(struct lt_op, t->ops, i));
	w->bytes = (int64_t)sizeof(int64_t) * t->n_column;
	w->align = 64;
	for (int32_t i = 0; i < (int32_t)t->buffers.n; i++) {
		const struct lt_buffer *b = LT_AT(struct lt_buffer, t->buffers, i);
		int32_t of = storage_of(t, i);
		w->local[i] = of == i ? -1 : w->local[of];
		if (of != i || b->slot >= 0)
			continue;
		int64_t align = b->align > 8 ? b->align : 8;
		w->local[i] = (w->bytes + align - 1) / align * align;
		w->bytes = w->local[i] + b->elems * bytes_of(t, i);
		w->align = align > w->align ? align : w->align;
	}
	return w;
}

size_t walk_bytes(const struct walk *w, size_t *align)
{
	*align = (size_t)w->align;
	return (size_t)w->bytes;
}

static int64_t row(const struct run *r, int32_t i)
{
	int64_t sum = 0;
	for (int32_t k = r->w->first_term[i]; k < r->w->first_term[i + 1]; k++)
		sum += r->w->term[k].coef * r->column[r->w->term[k].column];
	return sum;
}

static bool hold(const struct run *r, int32_t first, int32_t n)
{
	for (int32_t i = 0; i < n; i++)
		if (row(r, r->t->guards[first + i]) < 0)
			return false;
	return true;
}

static void *base_of(const struct run *r, int32_t buffer)
{
	if (r->w->local[buffer] >= 0)
		return (char *)r->args->workspace + r->w->local[buffer];
	const struct lt_slot *slot = &r->args->slot[LT_AT(struct lt_buffer, r->t->buffers, buffer)->slot];
	return (char *)slot->base + slot->offset;
}

/* Which element an access names; of a gather the index is read. */
static lt_status find(const struct run *r, int32_t s, int32_t access, int64_t *element)
{
	const struct lt_access *a = LT_AT(struct lt_access, r->t->accesses, access);
	const struct lt_buffer *b = LT_AT(struct lt_buffer, r->t->buffers, a->buffer);
	*element = row(r, a->row);
	if (a->index >= 0) {
		int64_t at;
		lt_status status = find(r, s, a->index, &at);
		if (status)
			return status;
		int32_t from = LT_AT(struct lt_access, r->t->accesses, a->index)->buffer;
		meter_access(r->meter, from, a->index, at, false);
		int64_t index = load(base_of(r, from), at, type_of(r->t, from)).i;
		bool inside = index >= 0 && index < a->index_extent;
		for (int32_t i = 0; i < a->n_bound; i++)
			inside = inside && index < row(r, r->t->bounds[a->first_bound + i]);
		if (!inside && r->args->fault->n++ == 0) {
			r->args->fault->stmt = s;
			r->args->fault->access = access;
			r->args->fault->value = index;
		}
		*element += (inside ? index : 0) * a->index_stride;
	}
	if (*element >= 0 && *element < b->elems)
		return LT_OK;
	return refuse(r->diag, LT_EILLEGAL, LT_AT(struct lt_stmt, r->t->stmts, s)->loop, s, NULL,
		"kernel %s, statement %d: element %lld of buffer %s, which has %lld", or_what(r->t->name), (int)s,
		(long long)*element, or_what(b->name), (long long)b->elems);
}

static lt_status operand(const struct run *r, int32_t s, const struct lt_operand *o, union value *out)
{
	const struct lt_piece *p = LT_AT(struct lt_piece, r->t->pieces, o->first_piece);
	int64_t element;
	for (int32_t i = 1; i < o->n_piece && !hold(r, p->first_guard, p->n_guard); i++)
		p = LT_AT(struct lt_piece, r->t->pieces, o->first_piece + i);
	if (p->kind == LT_IMMEDIATE) {
		*out = of_bits(p->bits, o->dtype);
		return LT_OK;
	}
	if (p->kind == LT_AFFINE) {
		*out = convert((union value){ .i = row(r, p->row) }, LT_I64, o->dtype);
		return LT_OK;
	}
	lt_status status = find(r, s, p->access, &element);
	if (status)
		return status;
	int32_t buffer = LT_AT(struct lt_access, r->t->accesses, p->access)->buffer;
	meter_access(r->meter, buffer, p->access, element, false);
	*out = load(base_of(r, buffer), element, type_of(r->t, buffer));
	return LT_OK;
}

static lt_status statement(const struct run *r, int32_t s)
{
	const struct lt_stmt *st = LT_AT(struct lt_stmt, r->t->stmts, s);
	union value x[4] = { { 0 } }, v;
	int64_t element;
	int first = st->kind == LT_REDUCE || st->kind == LT_COMBINE;        /* lanes come one after the other */
	if (st->kind >= LT_BARRIER || !hold(r, st->first_guard, st->n_guard))
		return LT_OK;
	for (int32_t i = 0; i < st->n_operand; i++) {
		lt_status status = operand(r, s, LT_AT(struct lt_operand, r->t->operands, st->first_operand + i), &x[first + i]);
		if (status)
			return status;
	}
	lt_status status = find(r, s, st->dest, &element);
	if (status)
		return status;
	int32_t buffer = LT_AT(struct lt_access, r->t->accesses, st->dest)->buffer;
	void *base = base_of(r, buffer);
	if (first) {
		meter_access(r->meter, buffer, st->dest, element, false);
		x[0] = load(base, element, type_of(r->t, buffer));
	}
	v = st->kind == LT_RESET ? x[0] : compute(r->w->op[st->op], LT_AT(struct lt_op, r->t->ops, st->op), x);
	meter_access(r->meter, buffer, st->dest, element, true);
	store(base, element, type_of(r->t, buffer), v);
	return LT_OK;
}

static int64_t floor_of(int64_t a, int64_t b) { return a / b - (a % b != 0 && a < 0); }

/* A trip of a loop (-1: the kernel) begins: the divs that depend on it last have their values. */
static void enter(const struct run *r, int32_t loop)
{
	for (int32_t d = 0; d < r->t->n_div; d++) {
		const struct lt_div *div = LT_AT(struct lt_div, r->t->divs, d);
		if (div->loop == loop)
			r->column[1 + r->t->n_param + r->t->n_loop + d] = floor_of(row(r, div->row), div->den);
	}
}

static int64_t trip_count(const struct run *r, const struct lt_loop *l)
{
	int64_t n = l->max_trip_count;
	for (int32_t b = 0; b < l->n_bound; b++) {
		int64_t bound = row(r, r->t->bounds[l->first_bound + b]);
		n = bound < n ? bound : n;
	}
	return n;
}

/* Statements s .. end-1, those of one trip of the loop. */
static lt_status body(const struct run *r, int32_t loop, int32_t s, int32_t end)
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
		int64_t n = trip_count(r, l), *trip = &r->column[1 + r->t->n_param + inner];
		for (*trip = 0; !status && *trip < n; ++*trip)
			status = body(r, inner, l->first_stmt, l->first_stmt + l->n_stmt);
		*trip = 0;
		s = l->first_stmt + l->n_stmt;
	}
	return status;
}

lt_status walk_run(const struct walk *w, struct meter *meter, const struct lt_args *args, struct lt_diag *diag)
{
	const struct lt_tree *t = w->tree;
	struct run r = { .w = w, .t = t, .meter = meter, .args = args, .diag = diag, .column = args->workspace };
	if (args->n_slot != (uint32_t)t->n_slot || !args->workspace)
		return refuse(diag, LT_EINVAL, -1, -1, NULL,
			"kernel %s takes %d buffers and a workspace; %u were given", or_what(t->name), (int)t->n_slot,
			(unsigned)args->n_slot);
	for (int32_t i = 0; i < (int32_t)t->buffers.n; i++) {
		const struct lt_buffer *b = LT_AT(struct lt_buffer, t->buffers, i);
		if (b->slot >= 0 && args->slot[b->slot].bytes < b->elems * bytes_of(t, i))
			return refuse(diag, LT_EINVAL, -1, -1, NULL,
				"kernel %s: buffer %s has %lld bytes and needs %lld", or_what(t->name),
				or_what(b->name), (long long)args->slot[b->slot].bytes,
				(long long)(b->elems * bytes_of(t, i)));
	}
	memset(r.column, 0, (size_t)t->n_column * sizeof *r.column);
	r.column[0] = 1;
	for (int32_t i = 0; i < t->n_param; i++) {
		const struct lt_tparam *p = LT_AT(struct lt_tparam, t->params, i);
		meter_access(meter, p->buffer, -1, p->element, false);
		r.column[1 + i] = load(base_of(&r, p->buffer), p->element, LT_I64).i;
	}
	return body(&r, -1, 0, (int32_t)t->stmts.n);
}
