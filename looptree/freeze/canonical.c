/* The canonical text of a frozen tree, which is the key of every cache: all that changes the code that a backend makes
 * of it, and nothing else: no names, no lines of a script, nothing that is for dumps.  What is as in most trees is left
 * out, so that a tree's text stays short. */
#include "looptree/freeze/freeze.h"

static void print_row(struct lt_text *t, const struct lt_tree *tree, int32_t row)
{
	const int64_t *r = tree->rows + (int64_t)row * tree->n_column;
	lt__text_format(t, "(%lld", (long long)r[0]);
	for (int32_t i = 1; i < tree->n_column; i++)
		if (r[i])
			lt__text_format(t, " %d:%lld", (int)i, (long long)r[i]);
	lt__text_add(t, ")", 1);
}

static void print_buffer(struct lt_text *t, const struct lt_tree *x, const struct lt_buffer *b)
{
	lt__text_format(t, "b %s %d %d %lld %lld %d %d %d", LT_AT(struct lt_type, x->types, b->type)->name,
		(int)b->role, (int)b->scope, (long long)b->elems, (long long)b->align, (int)b->slot, (int)b->written,
		(int)b->alias_of);
	if (b->depth > 1)
		lt__text_format(t, " depth %d", (int)b->depth);
	if (b->swizzle)
		lt__text_format(t, " swizzle %d", (int)b->swizzle);
	lt__text_add(t, "\n", 1);
}

static void print_tables(struct lt_text *t, const struct lt_tree *x)
{
	lt__text_format(t, "tree 1 needs %llx params %d loops %d divs %d slots %d\n", (unsigned long long)x->needs,
		(int)x->n_param, (int)x->n_loop, (int)x->n_div, (int)x->n_slot);
	for (uint32_t i = 0; i < x->params.n; i++) {
		const struct lt_tparam *p = LT_AT(struct lt_tparam, x->params, i);
		lt__text_format(t, "p %d %lld %lld %lld\n", (int)p->buffer, (long long)p->element, (long long)p->low,
			(long long)p->high);
	}
	for (uint32_t i = 0; i < x->divs.n; i++) {
		const struct lt_div *d = LT_AT(struct lt_div, x->divs, i);
		lt__text_format(t, "d %d /%lld ", (int)d->loop, (long long)d->den);
		print_row(t, x, d->row);
		lt__text_add(t, "\n", 1);
	}
	for (uint32_t i = 0; i < x->loops.n; i++) {
		const struct lt_loop *l = LT_AT(struct lt_loop, x->loops, i);
		lt__text_format(t, "l %d %d %d %lld %d %d", (int)l->parent, (int)l->kind, (int)l->kind_arg,
			(long long)l->max_trip_count, (int)l->first_stmt, (int)l->n_stmt);
		if (l->tail != LT_GUARD || l->call)
			lt__text_format(t, " t%d %s", (int)l->tail, l->call ? l->call : "");
		for (int32_t k = 0; k < l->n_bound; k++)
			print_row(t, x, x->bounds[l->first_bound + k]);
		lt__text_add(t, "\n", 1);
	}
	for (uint32_t i = 0; i < x->buffers.n; i++)
		print_buffer(t, x, LT_AT(struct lt_buffer, x->buffers, i));
}

/* An element, and those whose values it is found by. */
static void print_access(struct lt_text *t, const struct lt_tree *x, int32_t at)
{
	for (; at >= 0; at = LT_AT(struct lt_access, x->accesses, at)->index) {
		const struct lt_access *a = LT_AT(struct lt_access, x->accesses, at);
		lt__text_format(t, "b%d", (int)a->buffer);
		print_row(t, x, a->row);
		if (a->index >= 0)
			lt__text_format(t, "~%lld*%lld~", (long long)a->index_extent, (long long)a->index_stride);
		for (int32_t q = 0; q < a->n_bound; q++)
			print_row(t, x, x->bounds[a->first_bound + q]);
	}
}

static void print_piece(struct lt_text *t, const struct lt_tree *x, const struct lt_piece *p)
{
	for (int32_t q = 0; q < p->n_guard; q++) {
		lt__text_add(t, "?", 1);
		print_row(t, x, x->guards[p->first_guard + q]);
	}
	if (p->kind == LT_IMMEDIATE)
		lt__text_format(t, "#%llx", (unsigned long long)p->bits);
	else if (p->kind == LT_AFFINE)
		print_row(t, x, p->row);
	else
		print_access(t, x, p->access);
}

/* typed: its type, where that is not the operator's. */
static void print_operand(struct lt_text *t, const struct lt_tree *x, const struct lt_operand *o, uint32_t typed)
{
	for (int32_t p = 0; p < o->n_piece; p++) {
		lt__text_add(t, p ? " |" : " ,", 2);
		if (p == 0 && o->dtype != typed)
			lt__text_format(t, "%u:", (unsigned)o->dtype);
		print_piece(t, x, LT_AT(struct lt_piece, x->pieces, o->first_piece + p));
	}
}

static void print_stmt(struct lt_text *t, const struct lt_tree *x, const struct lt_stmt *s)
{
	if (s->kind >= LT_BARRIER) {
		lt__text_format(t, "s %d @%d !%d", (int)s->kind, (int)s->loop, (int)s->async);
		if (s->scope)
			lt__text_format(t, " scope %d", (int)s->scope);
		lt__text_add(t, "\n", 1);
		return;
	}
	const struct lt_op *op = LT_AT(struct lt_op, x->ops, s->op);
	lt__text_format(t, "s %d %s:%u:%u:%u>%u @%d ^%d", (int)s->kind, op->name, op->in[0], op->in[1], op->in[2], op->out,
		(int)s->loop, (int)s->reducing);
	if (s->stream)
		lt__text_add(t, " stream", 7);
	if (s->async)
		lt__text_add(t, " async", 6);
	if (s->scope)
		lt__text_format(t, " scope %d", (int)s->scope);
	for (int32_t q = 0; q < s->n_guard; q++) {
		lt__text_add(t, " ?", 2);
		print_row(t, x, x->guards[s->first_guard + q]);
	}
	lt__text_add(t, " ,", 2);
	print_access(t, x, s->dest);
	for (int32_t k = 0; k < s->n_operand; k++)
		print_operand(t, x, LT_AT(struct lt_operand, x->operands, s->first_operand + k), k < 3 ? op->in[k] : 0);
	lt__text_add(t, "\n", 1);
}

static void print_call_dim(struct lt_text *t, const struct lt_tree *x, const struct lt_call_dim *dim)
{
	lt__text_format(t, " %d %lld", (int)dim->role, (long long)dim->extent);
	for (int32_t k = 0; k < dim->n_bound; k++)
		print_row(t, x, x->bounds[dim->first_bound + k]);
}

/* What a routine is handed. */
static void print_calls(struct lt_text *t, const struct lt_tree *x)
{
	for (uint32_t i = 0; i < x->calls.n; i++) {
		const struct lt_call *c = LT_AT(struct lt_call, x->calls, i);
		lt__text_format(t, "c %d %d %x %u %d\n", (int)c->loop, (int)c->pattern, (unsigned)c->epilogues,
			(unsigned)c->sum, (int)c->stmt);
		for (int32_t d = 0; d < c->n_dim; d++)
			print_call_dim(t, x, LT_AT(struct lt_call_dim, x->call_dims, c->first_dim + d));
		for (int32_t o = 0; o < c->n_operand; o++) {
			const struct lt_call_operand *p = LT_AT(struct lt_call_operand, x->call_operands, c->first_operand + o);
			lt__text_format(t, " ,b%d", (int)p->buffer);
			print_row(t, x, p->row);
			for (int32_t d = 0; d < c->n_dim; d++)
				lt__text_format(t, " %lld", (long long)x->strides[p->first_stride + d]);
		}
		lt__text_add(t, "\n", 1);
	}
}

static void print_place(
	struct lt_text *t, const struct lt_tree *x, const struct lt_call *c, int32_t row, int32_t stride)
{
	print_row(t, x, row);
	for (int32_t a = 0; a < c->n_axis; a++)
		lt__text_format(t, " %lld", (long long)x->strides[stride + a]);
}

static void print_read(
	struct lt_text *t, const struct lt_tree *x, const struct lt_call *c, const struct lt_call_read *r)
{
	lt__text_format(t, " r b%d", (int)r->buffer);
	print_place(t, x, c, r->row, r->first_stride);
	for (int32_t g = 0; g < r->n_guard; g++) {
		const struct lt_call_guard *guard = LT_AT(struct lt_call_guard, x->call_guards, r->first_guard + g);
		lt__text_add(t, " ?", 2);
		print_place(t, x, c, guard->row, guard->first_stride);
	}
	lt__text_format(t, " #%llx\n", (unsigned long long)r->fill);
}

static void print_call_op(
	struct lt_text *t, const struct lt_tree *x, const struct lt_call *c, const struct lt_call_op *o)
{
	const struct lt_op *op = LT_AT(struct lt_op, x->ops, o->op);
	lt__text_format(t, " o %d %s:%u:%u:%u>%u %d %llx %llx", (int)o->kind, op->name, op->in[0], op->in[1], op->in[2],
		op->out, (int)o->may_skip, (unsigned long long)o->axes, (unsigned long long)o->reduced);
	for (int32_t v = 0; v < o->n_value; v++) {
		const struct lt_call_value *value = LT_AT(struct lt_call_value, x->call_values, o->first_value + v);
		lt__text_format(t, " ,%d %u ", (int)value->kind, (unsigned)value->dtype);
		if (value->kind == LT_VALUE_PLACE)
			print_place(t, x, c, value->row, value->first_stride);
		else if (value->kind == LT_VALUE_BITS)
			lt__text_format(t, "#%llx", (unsigned long long)value->bits);
		else
			lt__text_format(t, "%d", (int)value->at);
	}
	lt__text_add(t, "\n", 1);
}

static void print_anchor(struct lt_text *t, const struct lt_tree *x, const struct lt_call_anchor *a)
{
	lt__text_format(t, " a %d %d %d %d %d %d %d %d %d %d %d %d %d %d", (int)a->kind, (int)a->op[0], (int)a->op[1],
		(int)a->op[2], (int)a->op[3], (int)a->op[4], (int)a->read[0], (int)a->read[1], (int)a->read[2], (int)a->scale,
		(int)a->scores, (int)a->mask, (int)a->length, (int)a->up_to);
	if (a->offset_row >= 0)
		print_row(t, x, a->offset_row);
	for (int32_t i = 0; i < a->n_window; i++) {
		const struct lt_call_window *w = LT_AT(struct lt_call_window, x->call_windows, a->first_window + i);
		lt__text_format(t, " w %d %d %lld %lld %lld %lld %lld %lld", (int)w->out, (int)w->window, (long long)w->stride,
			(long long)w->dilation, (long long)w->before, (long long)w->after, (long long)w->extent, (long long)w->step);
	}
	lt__text_add(t, "\n", 1);
}

/* The kernel of one's own that a call is. */
static void print_own(struct lt_text *t, const struct lt_tree *x, const struct lt_call *c)
{
	lt__text_format(t, "k %s %lld %lld", LT_AT(struct lt_loop, x->loops, c->loop)->call, (long long)c->workspace,
		(long long)c->workspace_each);
	for (int32_t i = 0; i < c->n_number; i++)
		lt__text_format(t, " %a", c->number[i]);
	lt__text_format(t, "\n%s\n", c->source);
}

/* What a routine computes, op by op. */
static void print_descriptions(struct lt_text *t, const struct lt_tree *x)
{
	for (uint32_t i = 0; i < x->calls.n; i++) {
		const struct lt_call *c = LT_AT(struct lt_call, x->calls, i);
		if (c->n_result == 0)
			continue;
		lt__text_format(t, "g %d", (int)c->loop);
		for (int32_t a = 0; a < c->n_axis; a++)
			print_call_dim(t, x, LT_AT(struct lt_call_dim, x->call_dims, c->first_axis + a));
		lt__text_add(t, "\n", 1);
		for (int32_t r = 0; r < c->n_read; r++)
			print_read(t, x, c, LT_AT(struct lt_call_read, x->call_reads, c->first_read + r));
		for (int32_t o = 0; o < c->n_op; o++)
			print_call_op(t, x, c, LT_AT(struct lt_call_op, x->call_ops, c->first_op + o));
		for (int32_t r = 0; r < c->n_result; r++) {
			const struct lt_call_result *result = LT_AT(struct lt_call_result, x->call_results, c->first_result + r);
			lt__text_format(t, " = %d b%d", (int)result->op, (int)result->buffer);
			print_place(t, x, c, result->row, result->first_stride);
			lt__text_add(t, "\n", 1);
		}
		if (c->source)
			print_own(t, x, c);
		for (int32_t a = 0; a < c->n_anchor; a++)
			print_anchor(t, x, LT_AT(struct lt_call_anchor, x->call_anchors, c->anchor + a));
	}
}

void lt__tree_canonical(struct lt_text *t, const struct lt_tree *x)
{
	print_tables(t, x);
	for (uint32_t i = 0; i < x->stmts.n; i++)
		print_stmt(t, x, LT_AT(struct lt_stmt, x->stmts, i));
	print_calls(t, x);
	print_descriptions(t, x);
}
