/* mode.c -- how each loop of a frozen tree is run: what a machine can carry out of what its kind allows.
 *
 * parallel   the outermost one of a nest is a team's, with those nested perfectly in it; others run in one thread
 * unroll     copies of the body, as long as a nest of them comes to no more statements than the machine says; else a
 *            loop with a hint, so that the locals that it indexes stay arrays.  In a grid fewer, where it indexes none:
 *            the device's compiler makes the same code of the loop, in a third of the time
 * serial     copies, as few as the machine says, if a condition in the body depends on the iteration: in a copy of its
 *            own it holds or it does not, or is simpler
 * vector     vectors of as many lanes as the widest type in the loop leaves of the machine's bytes.  The innermost
 *            vector loop of a nest is the one; those around it are unrolled.  It stays a loop where a loop inside has
 *            other iterations in each lane, or where what each lane has of its own does not fit.
 */
#include "kernel/lower/grid.h"
#include "kernel/form/form.h"

enum { MAX_STRAIGHT = 8 };      /* vectors of a loop that have copies of their own */
enum { GRID_COPIES = 512 };     /* statements of the copies in a grid of a loop that picks no variables */

int32_t lt__lower_only_child(const struct lowering *l, int32_t i)
{
	const struct lt_loop *outer = lower_loop_at(l, i);
	for (int32_t k = i + 1; k < l->t->n_loop; k++) {
		const struct lt_loop *inner = lower_loop_at(l, k);
		if (inner->parent == i)
			return inner->first_stmt == outer->first_stmt && inner->n_stmt == outer->n_stmt ? k : -1;
	}
	return -1;
}

static bool owns_locals(const struct lowering *l, int32_t loop)
{
	for (int32_t b = 0; b < (int32_t)l->t->buffers.n; b++)
		if (lower_buffer_at(l, b)->role == LT_LOCAL && lower_buffer_at(l, b)->scope == loop)
			return true;
	return false;
}

static bool bounds_depend(const struct lowering *l, int32_t inner, int32_t on)
{
	const struct lt_loop *x = lower_loop_at(l, inner);
	for (int32_t b = 0; b < x->n_bound; b++)
		if (lt__lower_depends(l->t, l->t->bounds[x->first_bound + b], on))
			return true;
	return false;
}

/* Whether the iterations of inner depend on those of the loops from first on. */
static bool depends_on_outer(const struct lowering *l, int32_t inner, int32_t first)
{
	for (int32_t up = lower_loop_at(l, inner)->parent; up >= first; up = lower_loop_at(l, up)->parent)
		if (bounds_depend(l, inner, up))
			return true;
	return false;
}

static void find_teams(struct lowering *l)
{
	for (int32_t i = 0; i < l->t->n_loop; i++) {
		const struct lt_loop *x = lower_loop_at(l, i);
		struct lower_loop *at = &l->loop[i];
		if (at->mode == LOWER_COLLAPSED)
			continue;
		at->team = x->parent < 0 ? -1 : l->loop[x->parent].team;
		if (x->kind != LT_PARALLEL || at->team >= 0 || x->max_trip_count < 2 || !l->machine.teams)
			continue;
		at->mode = LOWER_TEAM;
		at->team = i;
		for (int32_t in = i, next; (next = lt__lower_only_child(l, in)) >= 0; in = next) {
			if (lower_loop_at(l, next)->kind != LT_PARALLEL || owns_locals(l, in) || depends_on_outer(l, next, i))
				break;
			l->loop[next].mode = LOWER_COLLAPSED;
			l->loop[next].team = i;
		}
	}
}

/* What the statements of a loop have in a lane: the bytes of the widest type, whether they only move it, and whether
 * they only begin reductions. */
struct lane_needs { uint32_t bytes; bool moves, resets; };

static void need_type(struct lane_needs *n, uint32_t dtype)
{
	uint32_t bytes = lt__kernel_element_bytes(dtype);
	n->bytes = bytes > n->bytes ? bytes : n->bytes;
}

static struct lane_needs needs_of(const struct lowering *l, const struct lt_loop *x)
{
	struct lane_needs n = { 1, true, true };
	for (int32_t i = x->first_stmt; i < x->first_stmt + x->n_stmt; i++) {
		const struct lt_stmt *s = lower_stmt_at(l, i);
		if (s->kind >= LT_BARRIER)
			continue;
		const struct lt_op *op = LT_AT(struct lt_op, l->t->ops, s->op);
		n.resets = n.resets && s->kind == LT_RESET;
		n.moves = n.moves && (s->kind == LT_RESET || (s->kind == LT_MAP && op->opcode == LT_OPCODE_copy));
		need_type(&n, op->out);
		for (int32_t k = 0; k < op->arity && k < 3; k++)
			need_type(&n, op->in[k]);
		need_type(&n, lower_dtype_of(l, lower_access_at(l, s->dest)->buffer));
		for (int32_t k = 0; k < s->n_operand; k++)
			need_type(&n, LT_AT(struct lt_operand, l->t->operands, s->first_operand + k)->dtype);
	}
	return n;
}

/* Whether each lane can have its own of the locals in the loop. */
static bool locals_fit(const struct lowering *l, int32_t loop, uint32_t lanes)
{
	for (int32_t b = 0; b < (int32_t)l->t->buffers.n; b++) {
		const struct lt_buffer *x = lower_buffer_at(l, b);
		if (x->role == LT_LOCAL && x->elems > 1 && lt__lower_around(l->t, loop, x->scope)
			&& x->elems > l->machine.array_bytes / lanes / LT_AT(struct lt_type, l->t->types, x->type)->bytes)
			return false;
	}
	return true;
}

/* Whether the access is to a local from outside of the loop that may be an array: it becomes variables only where no
 * lane is off. */
static bool is_shared(const struct lowering *l, int32_t loop, int32_t access)
{
	const struct lt_buffer *x = lower_buffer_at(l, lower_access_at(l, access)->buffer);
	return x->role == LT_LOCAL && x->elems > 1 && !lt__lower_around(l->t, loop, x->scope)
		&& x->elems <= l->machine.array_bytes / LT_AT(struct lt_type, l->t->types, x->type)->bytes;
}

static bool shares_array(const struct lowering *l, int32_t loop)
{
	const struct lt_loop *x = lower_loop_at(l, loop);
	for (int32_t i = x->first_stmt; i < x->first_stmt + x->n_stmt; i++) {
		const struct lt_stmt *s = lower_stmt_at(l, i);
		if (is_shared(l, loop, s->dest))
			return true;
		for (int32_t k = s->first_operand; k < s->first_operand + s->n_operand; k++) {
			const struct lt_operand *o = LT_AT(struct lt_operand, l->t->operands, k);
			for (int32_t p = o->first_piece; p < o->first_piece + o->n_piece; p++) {
				const struct lt_piece *piece = LT_AT(struct lt_piece, l->t->pieces, p);
				if (piece->kind == LT_READ && is_shared(l, loop, piece->access))
					return true;
			}
		}
	}
	return false;
}

static bool lanes_agree(const struct lowering *l, int32_t loop)
{
	for (int32_t i = loop + 1; i < l->t->n_loop; i++)
		if (lt__lower_around(l->t, loop, i) && bounds_depend(l, i, loop))
			return false;
	return true;
}

/* Whether a bound row may leave fewer iterations than the most. */
static bool is_bounded(const struct lowering *l, const struct lt_loop *x)
{
	for (int32_t b = 0; b < x->n_bound; b++) {
		struct lower_range r = lt__lower_range(l, l->t->bounds[x->first_bound + b]);
		if (!r.known || r.low < x->max_trip_count)
			return true;
	}
	return false;
}

/* Whether the host runs the loop, around launches and calls: copies would be as many regions. */
static bool is_hosts(const struct lowering *l, int32_t loop)
{
	return lower_has_grids(l) && l->part && l->part[loop].root < 0;
}

/* A short loop: its branches, and addresses that are counted, take as long as its body.  Not where elements are only
 * moved: memory is the limit there; but what begins a sum is changed at once, and a vector that reads it waits for
 * stores that were narrower. */
static void copy_serial(const struct lowering *l, int32_t i)
{
	struct lower_loop *p = &l->loop[i];
	const struct lt_loop *x = lower_loop_at(l, i);
	const struct lane_needs n = needs_of(l, x);
	if (!p->bounded && !p->parallel && !is_hosts(l, i) && x->max_trip_count <= l->machine.copied / (p->cost ? p->cost : 1)
		&& (!n.moves || n.resets))
		p->mode = LOWER_COPIES;
}

/* Whether the access is to a local of a thread, an element that the loop's iteration decides. */
static bool picks_element(const struct lowering *l, int32_t loop, int32_t access)
{
	const struct lt_access *a = lower_access_at(l, access);
	const struct lt_buffer *b = lower_buffer_at(l, a->buffer);
	return b->role == LT_LOCAL && b->elems > 1 && lt__lower_memory(l, a->buffer) != LOWER_SHARED
		&& lt__lower_depends(l->t, a->row, loop);
}

static bool picks_variables(const struct lowering *l, int32_t loop)
{
	const struct lt_loop *x = lower_loop_at(l, loop);
	for (int32_t i = x->first_stmt; i < x->first_stmt + x->n_stmt; i++) {
		const struct lt_stmt *s = lower_stmt_at(l, i);
		if (s->kind >= LT_BARRIER)
			continue;
		if (picks_element(l, loop, s->dest))
			return true;
		for (int32_t k = s->first_operand; k < s->first_operand + s->n_operand; k++) {
			const struct lt_operand *o = LT_AT(struct lt_operand, l->t->operands, k);
			for (int32_t p = o->first_piece; p < o->first_piece + o->n_piece; p++) {
				const struct lt_piece *piece = LT_AT(struct lt_piece, l->t->pieces, p);
				if (piece->kind == LT_READ && picks_element(l, loop, piece->access))
					return true;
			}
		}
	}
	return false;
}

static void unroll(const struct lowering *l, struct lower_loop *p, const struct lt_loop *x)
{
	/* Copies where all iterations are there, and others. */
	const bool versions = p->bounded && l->part && !l->part[p - l->loop].waits;
	int64_t most = l->machine.unrolled;
	if (!most || is_hosts(l, (int32_t)(p - l->loop)))
		return;
	if (lower_has_grids(l) && most > GRID_COPIES && !picks_variables(l, (int32_t)(p - l->loop)))
		most = GRID_COPIES;
	p->mode = LOWER_HINT;
	p->reason = p->parallel ? "it has a parallel loop in it"
		: p->bounded && !versions ? "its iterations are counted at run time" : "the copies would be too many statements";
	if ((!p->bounded || versions) && !p->parallel
		&& x->max_trip_count <= most / (p->cost ? p->cost : 1) / (versions ? 2 : 1)) {
		p->mode = LOWER_COPIES;
		p->reason = NULL;
	}
}

static void vectorize(struct lowering *l, int32_t i)
{
	struct lower_loop *p = &l->loop[i];
	const struct lt_loop *x = lower_loop_at(l, i);
	struct lane_needs n = needs_of(l, x);
	struct lower_dot dot;
	if (lt__lower_find_dot(l, i, &dot)) {
		p->dot = lt__pool_alloc(&l->b.pool, 1, sizeof *p->dot);
		*p->dot = dot;
		n.bytes = 1;
	}
	uint32_t bytes = p->dot ? lt__lower_dot_bytes(l) : n.moves && l->machine.memory_bytes ? l->machine.memory_bytes
		: l->machine.vector_bytes;
	uint32_t max = bytes / n.bytes < LT_MAX_LANES ? bytes / n.bytes : LT_MAX_LANES;
	p->lanes = 1;
	while (p->lanes * 2 <= max && p->lanes * 2 <= x->max_trip_count)
		p->lanes *= 2;
	p->masked = l->machine.masked && !shares_array(l, i);
	if (p->masked && !p->bounded && p->lanes * 2 <= max && p->lanes < x->max_trip_count && locals_fit(l, i, p->lanes * 2))
		p->lanes *= 2;          /* one vector under a mask instead of two or more */
	const bool alone = !l->machine.vector_bytes && p->dot;          /* there are no other vectors */
	if ((l->machine.subgroup || (!l->machine.vector_bytes && l->machine.dot_bytes)) && !p->parallel && !alone) {
		unroll(l, p, x);        /* step W joins what the copies access side by side */
	} else if ((!l->machine.vector_bytes && !alone) || p->parallel) {
		p->reason = l->machine.vector_bytes ? "it has a parallel loop in it" : NULL;
	} else if (p->vector || x->max_trip_count == 1) {
		unroll(l, p, x);
		p->reason = p->vector ? "a loop in it has the lanes" : NULL;
	} else if (p->lanes == 1) {
		p->reason = "a vector has room for one lane";
	} else if (!lanes_agree(l, i)) {
		p->reason = "a loop in it has other iterations in each lane";
	} else if (!locals_fit(l, i, p->lanes)) {
		p->reason = "a local of each lane is too large";
	} else {
		p->mode = LOWER_LANES;
		p->vector = true;
	}
	int64_t vectors = x->max_trip_count / p->lanes;
	p->straight = (vectors <= 1 && !p->bounded)             /* what runs once is no loop */
		|| (vectors <= MAX_STRAIGHT && p->cost <= l->machine.unrolled / (vectors ? vectors : 1));
}

/* Statements that all iterations come to. */
static int64_t all_statements(const struct lower_loop *p, const struct lt_loop *x)
{
	int64_t copies = p->mode == LOWER_COPIES ? x->max_trip_count * (p->bounded ? 2 : 1) : 1;
	if (p->mode == LOWER_LANES) {
		copies = (p->straight ? x->max_trip_count / p->lanes : 1)
			+ __builtin_popcountll((uint64_t)(x->max_trip_count % p->lanes));
		copies *= p->bounded ? 2 : 1;
	}
	return copies * p->cost;
}

static void report_mode(struct lowering *l, int32_t i)
{
	const struct lower_loop *p = &l->loop[i];
	const struct lt_loop *x = lower_loop_at(l, i);
	switch (p->mode) {
	case LOWER_COPIES: lt__decide(l->report, 'L', i, -1, -1, "%lld copies", (long long)x->max_trip_count); break;
	case LOWER_HINT: lt__decide(l->report, 'L', i, -1, -1, "a loop that may be unrolled: %s", p->reason); break;
	case LOWER_LANES:
		lt__decide(l->report, 'L', i, -1, -1, "vectors of %u lanes%s%s", (unsigned)p->lanes,
			p->straight && x->max_trip_count >= p->lanes ? ", each with a copy" : "", p->bounded ? ", the last one masked" : "");
		break;
	case LOWER_TEAM: lt__decide(l->report, 'L', i, -1, -1, "a team"); break;
	case LOWER_COLLAPSED: lt__decide(l->report, 'L', i, -1, -1, "points of the team of the loop around it"); break;
	default:
		if (p->reason && x->kind != LT_SERIAL)
			lt__decide(l->report, 'L', i, -1, -1, "a loop: %s", p->reason);
	}
}

/* Needs: columns.  A loop's cost is known when those inside have their modes. */
void lt__lower_modes(struct lowering *l)
{
	const struct lt_tree *t = l->t;
	l->loop = lt__pool_alloc(&l->b.pool, (size_t)t->n_loop, sizeof *l->loop);
	for (int32_t s = 0; s < (int32_t)t->stmts.n; s++)
		if (lower_stmt_at(l, s)->loop >= 0)
			l->loop[lower_stmt_at(l, s)->loop].cost++;
	for (int32_t i = t->n_loop; i-- > 0; ) {
		const struct lt_loop *x = lower_loop_at(l, i);
		struct lower_loop *p = &l->loop[i];
		p->parallel = p->parallel || (x->kind == LT_PARALLEL && x->max_trip_count > 1) || x->kind == LT_GRID;
		p->bounded = is_bounded(l, x);
		p->mode = x->kind == LT_GROUP || (x->max_trip_count == 1 && x->n_bound == 0) ? LOWER_BLOCK : LOWER_LOOP;
		if (p->mode == LOWER_LOOP && x->kind == LT_UNROLL)
			unroll(l, p, x);
		else if (p->mode == LOWER_LOOP && x->kind == LT_VECTOR)
			vectorize(l, i);
		else if (p->mode == LOWER_LOOP && x->kind == LT_SERIAL)
			copy_serial(l, i);
		if (x->parent >= 0) {
			struct lower_loop *up = &l->loop[x->parent];
			up->parallel = up->parallel || p->parallel;
			up->vector = up->vector || p->vector;
			up->cost += all_statements(p, x);
		}
	}
	find_teams(l);
	for (int32_t i = 0; i < t->n_loop; i++)
		report_mode(l, i);
}
