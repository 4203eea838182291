/* kernel/lower_space.c -- where each buffer of a frozen tree lives.
 *
 * A slot stays one.  A local of one element that its own region alone touches is a variable, a small one an array;
 * any other, and each that crosses from the host's region to a team's, is in the workspace or in a thread's part of it.
 */
#include <string.h>
#include "kernel/lower.h"

static const struct lt_buffer *buffer_at(const struct lowering *l, int32_t b)
{
	return LT_AT(struct lt_buffer, l->t->buffers, b);
}

bool lt__lower_around(const struct lt_tree *t, int32_t a, int32_t b)
{
	while (b >= 0 && b != a)
		b = LT_AT(struct lt_loop, t->loops, b)->parent;
	return b == a;
}

static int32_t team_of(const struct lowering *l, int32_t loop) { return loop < 0 ? -1 : l->loop[loop].team; }

/* What is known of a buffer before it has a place. */
struct uses { bool *gathered, *crosses; };

static void use(const struct lowering *l, struct uses *u, int32_t access, int32_t loop)
{
	for (; access >= 0; access = LT_AT(struct lt_access, l->t->accesses, access)->index) {
		const struct lt_access *a = LT_AT(struct lt_access, l->t->accesses, access);
		u->gathered[a->buffer] = u->gathered[a->buffer] || a->index >= 0;
		u->crosses[a->buffer] = u->crosses[a->buffer]
			|| team_of(l, loop) != team_of(l, buffer_at(l, a->buffer)->scope);
	}
}

static struct uses find_uses(struct lowering *l)
{
	const struct lt_tree *t = l->t;
	struct uses u = { lt__pool_alloc(&l->b.pool, t->buffers.n, 1), lt__pool_alloc(&l->b.pool, t->buffers.n, 1) };
	for (uint32_t s = 0; s < t->stmts.n; s++) {
		const struct lt_stmt *st = LT_AT(struct lt_stmt, t->stmts, s);
		use(l, &u, st->dest, st->loop);
		for (int32_t i = 0; i < st->n_operand; i++) {
			const struct lt_operand *o = LT_AT(struct lt_operand, t->operands, st->first_operand + i);
			for (int32_t p = o->first_piece; p < o->first_piece + o->n_piece; p++) {
				const struct lt_piece *piece = LT_AT(struct lt_piece, t->pieces, p);
				if (piece->kind == LT_READ)
					use(l, &u, piece->access, st->loop);
			}
		}
	}
	return u;
}

/* Another buffer of the slot reaches the same elements. */
static bool is_exclusive(const struct lowering *l, int32_t b)
{
	const struct lt_buffer *x = buffer_at(l, b);
	for (int32_t i = 0; x->role != LT_LOCAL && i < (int32_t)l->t->buffers.n; i++) {
		const struct lt_buffer *y = buffer_at(l, i);
		if (i != b && y->role != LT_LOCAL && y->slot == x->slot)
			return false;
	}
	return true;
}

enum { PART_ALIGN = 64 };

static int64_t part(int64_t *total, int64_t bytes)
{
	int64_t at = *total;
	*total += (bytes + PART_ALIGN - 1) / PART_ALIGN * PART_ALIGN;
	return at;
}

/* Bytes of arrays so far in the host's region (0) and in each team's (1 + its loop). */
static void assign_space(struct lowering *l, int32_t b, const struct uses *u, int64_t *stack)
{
	const struct lt_buffer *x = buffer_at(l, b);
	const struct lt_type *type = LT_AT(struct lt_type, l->t->types, x->type);
	struct lower_place *p = &l->place[b];
	int32_t team = team_of(l, x->scope);
	int64_t bytes = x->elems * type->bytes;
	struct lt_kernel_buffer made = { .name = x->name, .dtype = type->dtype, .elems = x->elems, .align = PART_ALIGN,
		.slot = -1, .written = 1, .exclusive = is_exclusive(l, b), .origin = b };
	*p = (struct lower_place){ .buffer = -1, .variable = -1, .scope = -2, .team = team };
	if (x->role == LT_LOCAL && x->elems == 1 && !u->gathered[b] && !u->crosses[b]) {
		p->variable = lt__build_variable(&l->b, x->name, type->dtype, 1);
		p->scope = x->scope;
		return;
	}
	if (x->role != LT_LOCAL) {
		made.space = LT_SPACE_SLOT;
		made.align = x->align;
		made.slot = x->slot;
		made.written = x->written != 0;
	} else if (!u->crosses[b] && bytes <= l->machine.array_bytes && bytes <= l->machine.stack_bytes - stack[team + 1]) {
		made.space = LT_SPACE_ARRAY;
		stack[team + 1] += bytes;
		p->scope = x->scope;
	} else if (team >= 0) {
		made.space = LT_SPACE_THREAD;
		made.offset = part(&l->b.thread_bytes, bytes);
	} else {
		made.space = LT_SPACE_WORKSPACE;
		made.offset = part(&l->b.workspace_bytes, bytes);
	}
	p->buffer = lt__build_buffer(&l->b, &made);
}

void lt__lower_spaces(struct lowering *l)
{
	const struct lt_tree *t = l->t;
	struct uses u = find_uses(l);
	int64_t *stack = lt__pool_alloc(&l->b.pool, (size_t)t->n_loop + 1, sizeof *stack);
	l->place = lt__pool_alloc(&l->b.pool, t->buffers.n, sizeof *l->place);
	for (int32_t b = 0; b < (int32_t)t->buffers.n; b++)
		assign_space(l, b, &u, stack);
}

void lt__lower_begin(struct lowering *l, int32_t loop)
{
	for (int32_t b = 0; b < (int32_t)l->t->buffers.n; b++) {
		const struct lower_place *p = &l->place[b];
		if (p->scope == loop && p->team == l->team)
			lt__build_begins(&l->b, p->variable >= 0 ? LT_OPCODE_variable : LT_OPCODE_array,
				p->variable >= 0 ? p->variable : p->buffer);
	}
}
