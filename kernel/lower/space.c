/* space.c -- where each buffer of a frozen tree lives.
 *
 * A slot stays one.  A local of one element that its own region alone touches is a variable, a small one an array;
 * any other, and each that crosses from the host's region to a team's, is in the workspace or in a thread's part of it.
 *
 * What begins inside a vector loop is private to its lanes: a variable of as many lanes, an array with an element for
 * each lane side by side.  A remainder has fewer lanes, so that it has a variable or an array of its own.
 */
#include <string.h>
#include "kernel/lower/grid.h"
#include "kernel/build/build.h"

static int32_t team_of(const struct lowering *l, int32_t loop) { return loop < 0 ? -1 : l->loop[loop].team; }

/* What is known of a buffer before it has a place. */
struct uses { bool *gathered, *crosses; };

static void use(const struct lowering *l, struct uses *u, int32_t access, int32_t loop)
{
	for (; access >= 0; access = LT_AT(struct lt_access, l->t->accesses, access)->index) {
		const struct lt_access *a = LT_AT(struct lt_access, l->t->accesses, access);
		u->gathered[a->buffer] = u->gathered[a->buffer] || a->index >= 0;
		u->crosses[a->buffer] = u->crosses[a->buffer]
			|| team_of(l, loop) != team_of(l, lower_buffer_at(l, a->buffer)->scope);
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

/* The first buffer whose elements these are. */
static int32_t original_of(const struct lowering *l, int32_t b)
{
	while (lower_buffer_at(l, b)->alias_of >= 0)
		b = lower_buffer_at(l, b)->alias_of;
	return b;
}

/* No other buffer reaches the same elements, by its slot or as another name. */
static bool is_exclusive(const struct lowering *l, int32_t b)
{
	const struct lt_buffer *x = lower_buffer_at(l, b);
	for (int32_t i = 0; x->role != LT_LOCAL && i < (int32_t)l->t->buffers.n; i++) {
		const struct lt_buffer *y = lower_buffer_at(l, i);
		if (i != b && y->role != LT_LOCAL && (y->slot == x->slot || original_of(l, i) == original_of(l, b)))
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

/* The vector loop in whose lanes a local of that scope is private; -1. */
static int32_t lanes_of_scope(const struct lowering *l, const struct lt_buffer *x)
{
	int32_t i = x->role == LT_LOCAL ? x->scope : -1;
	while (i >= 0 && l->loop[i].mode != LOWER_LANES)
		i = lower_loop_at(l, i)->parent;
	return i;
}

/* Of a machine that runs grids, a local. */
static void assign_grid_space(struct lowering *l, int32_t b, const struct uses *u)
{
	const struct lt_buffer *x = lower_buffer_at(l, b);
	struct lower_storage *p = &l->storage[b];
	if (lt__lower_is_called(l, b))
		return;
	switch (lt__lower_memory(l, b)) {
	case LOWER_PART:
		p->made.elems = l->spread[b] ? l->spread[b]->elems : x->elems;
		p->is_variable = p->made.elems == 1 && !u->gathered[b];
		p->made.space = LT_SPACE_ARRAY;
		p->scope = x->scope;
		break;
	case LOWER_SHARED:
		p->made.space = LT_SPACE_SHARED;
		p->made.swizzle = lt__lower_swizzle(l, b);
		p->made.align = p->made.swizzle ? 8 * (int64_t)p->made.swizzle : LOWER_SHARED_ALIGN;
		p->made.elems *= lt__lower_copies(l, b);
		p->made.offset = lt__lower_share(l, l->part[x->scope].root,
			p->made.elems * lt__kernel_element_bytes(p->made.dtype), p->made.align);
		break;
	default: p->made.space = LT_SPACE_WORKSPACE; break;
	}
	(void)lt__lower_location(l, b);
}

/* Bytes of arrays so far in the host's region (0) and in each team's (1 + its loop). */
static void assign_space(struct lowering *l, int32_t b, const struct uses *u, int64_t *stack)
{
	const struct lt_buffer *x = lower_buffer_at(l, b);
	const struct lt_type *type = LT_AT(struct lt_type, l->t->types, x->type);
	struct lower_storage *p = &l->storage[b];
	int32_t team = team_of(l, x->scope), lanes_loop = lanes_of_scope(l, x);
	int64_t bytes = x->elems * type->bytes;
	*p = (struct lower_storage){ .scope = -2, .team = team, .lanes_loop = lanes_loop,
		.made = { .name = x->name, .dtype = type->dtype, .elems = x->elems, .align = PART_ALIGN, .slot = -1, .written = 1,
			.exclusive = is_exclusive(l, b), .origin = b } };
	for (int w = 0; w < LOWER_WIDTHS; w++)
		p->location[w] = (struct lower_location){ -1, -1, -2 };
	if (lower_has_grids(l) && x->role == LT_LOCAL) {
		assign_grid_space(l, b, u);
		return;
	}
	if (lanes_loop >= 0 && !u->crosses[b])
		bytes *= l->loop[lanes_loop].lanes;
	p->is_variable = x->role == LT_LOCAL && x->elems == 1 && !u->gathered[b] && !u->crosses[b];
	if (p->is_variable) {
		p->scope = x->scope;
	} else if (x->role != LT_LOCAL) {
		p->made.space = LT_SPACE_SLOT;
		p->made.align = x->align;
		p->made.slot = x->slot;
		p->made.written = x->written != 0;
	} else if (!u->crosses[b] && bytes <= l->machine.array_bytes && bytes <= l->machine.stack_bytes - stack[team + 1]) {
		p->made.space = LT_SPACE_ARRAY;
		stack[team + 1] += bytes;
		p->scope = x->scope;
	} else {
		p->made.space = team >= 0 ? LT_SPACE_THREAD : LT_SPACE_WORKSPACE;
	}
	if (lanes_loop < 0)
		(void)lt__lower_location(l, b);
}

void lt__lower_spaces(struct lowering *l)
{
	const struct lt_tree *t = l->t;
	struct uses u = find_uses(l);
	int64_t *stack = lt__pool_alloc(&l->b.pool, (size_t)t->n_loop + 1, sizeof *stack);
	l->storage = lt__pool_alloc(&l->b.pool, t->buffers.n, sizeof *l->storage);
	for (int32_t b = 0; b < (int32_t)t->buffers.n; b++)
		assign_space(l, b, &u, stack);
}

bool lt__lower_private(const struct lowering *l, int32_t b)
{
	return l->lane_loop >= 0 && l->storage[b].lanes_loop == l->lane_loop;
}

static struct lower_location *location_of(struct lowering *l, int32_t b)
{
	uint32_t lanes = lt__lower_private(l, b) ? l->lanes : 1;
	return &l->storage[b].location[__builtin_ctz(lanes)];
}

int32_t lt__lower_location(struct lowering *l, int32_t b)
{
	const struct lower_storage *p = &l->storage[b];
	struct lower_location *location = location_of(l, b);
	struct lt_kernel_buffer made = p->made;
	uint32_t lanes = 1u << (location - p->location);
	if (location->id >= 0)
		return location->id;
	if (p->is_variable)
		return location->id = lt__build_variable(&l->b, made.name, made.dtype, lanes);
	made.elems *= lanes;
	if (made.space == LT_SPACE_THREAD || made.space == LT_SPACE_WORKSPACE)
		made.offset = part(made.space == LT_SPACE_THREAD ? &l->b.thread_bytes : &l->b.workspace_bytes,
			made.elems * lt__kernel_element_bytes(made.dtype));
	return location->id = lt__build_buffer(&l->b, &made);
}

/* Begins unless the block that it began in is open: copies of a body share what they have. */
static void begin_location(struct lowering *l, struct lower_location *location, int opcode)
{
	const struct lt_region_builder *r = &l->b.region[l->b.now];
	bool open = location->region == l->b.now && location->opener == -1;
	for (int32_t i = 0; i < r->n_open && !open; i++)
		open = location->region == l->b.now && r->open[i] == location->opener;
	if (open)
		return;
	location->region = l->b.now;
	location->opener = r->n_open ? r->open[r->n_open - 1] : -1;
	lt__build_begins(&l->b, opcode, location->id);
}

void lt__lower_begin(struct lowering *l, int32_t loop)
{
	for (int32_t b = 0; b < (int32_t)l->t->buffers.n; b++) {
		const struct lower_storage *p = &l->storage[b];
		if (p->scope != loop || p->team != l->team)
			continue;
		(void)lt__lower_location(l, b);
		begin_location(l, location_of(l, b), p->is_variable ? LT_OPCODE_variable : LT_OPCODE_array);
	}
}

int32_t lt__lower_scratch(struct lowering *l, uint32_t dtype, int32_t number)
{
	struct lower_scratch *x = l->scratch;
	while (x && (x->dtype != dtype || x->lanes != l->lanes || x->number != number || x->location.region != l->b.now))
		x = x->next;
	if (!x) {
		x = lt__pool_alloc(&l->b.pool, 1, sizeof *x);
		*x = (struct lower_scratch){ dtype, l->lanes, number, { -1, -1, -2 }, l->scratch };
		x->location.id = lt__build_buffer(&l->b, &(struct lt_kernel_buffer){ .name = "lanes", .dtype = dtype,
			.space = LT_SPACE_ARRAY, .elems = l->lanes, .align = PART_ALIGN, .slot = -1, .written = 1, .exclusive = 1,
			.origin = -1 });
		l->scratch = x;
	}
	begin_location(l, &x->location, LT_OPCODE_array);
	return x->location.id;
}
