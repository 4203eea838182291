/* examples/plugin/llvm/tile.c -- tiles: a statement whose lanes stand apart in memory, while its trips stand side by
 * side.
 *
 *   for j in copies
 *     for i in lanes
 *       y[j, i] = x[i, j]       a vector of x has one element from each row; those of the next copy stand beside them
 *
 * Instead of single elements, what several copies want of each row is loaded at once, and rows change places with
 * columns in registers; and the other way about where it is the destination that is written across.  For n copies of n
 * lanes that is n loads and n log2 n shuffles instead of n * n loads.  Copies are the trips of a loop that are emitted
 * one behind the other: all of them, or, where that loop is counted, as many as a tile wants (lt_llvm_tile_trip_count).
 *
 * What is loaded early may not be written meanwhile, and what is stored late may not be looked at: no statement in the
 * loop of the copies has to do with that memory otherwise, and no copy writes what another does.  All copies
 * have to be carried out: there are no guards and no masks.
 */
#include "gen.h"

enum { BLOCK = 16, MAX_COPIES = 64, MAX_LANES = 64 };         /* BLOCK: bytes within which shuffles are cheap */

/* `n` copies of an access that are loaded together, or wait to be stored together. */
struct tile { struct tile *next; int32_t loop, stmt, access; LLVMValueRef base; int64_t constant; uint32_t n, lanes;
	LLVMValueRef copy[MAX_COPIES]; };

/* A vector of the elements of a and b, from[] counting through a first. */
static LLVMValueRef shuffle(struct gen *g, LLVMValueRef a, LLVMValueRef b, const uint32_t *from, uint32_t n)
{
	LLVMValueRef at[MAX_LANES];
	for (uint32_t i = 0; i < n; i++)
		at[i] = LLVMConstInt(LLVMInt32TypeInContext(g->e.c), from[i], 0);
	return LLVMBuildShuffleVector(g->e.b, a, b, LLVMConstVector(at, n), "");
}

/* Of each `unit * n` elements of a vector, and of the n vectors v[0], v[apart], v[2 apart] ..., a square of n by n
 * units whose rows become its columns: log2 n times half of the vectors are interleaved with the other half. */
static void transpose(struct gen *g, LLVMValueRef *v, uint32_t n, uint32_t apart, uint32_t unit, uint32_t lanes)
{
	LLVMValueRef next[MAX_COPIES];
	for (uint32_t stage = 1; stage < n; stage *= 2) {
		for (uint32_t i = 0; i < n; i++) {
			uint32_t from[MAX_LANES];
			for (uint32_t e = 0; e < lanes; e++) {
				uint32_t at = e / unit % n, square = e - e % (unit * n);
				from[e] = square + (at / 2 + (i & 1) * n / 2) * unit + e % unit + (at & 1) * lanes;
			}
			next[i] = shuffle(g, v[i / 2 * apart], v[(i / 2 + n / 2) * apart], from, lanes);
		}
		for (uint32_t i = 0; i < n; i++)
			v[i * apart] = next[i];
	}
}

static LLVMValueRef concatenate(struct gen *g, LLVMValueRef a, LLVMValueRef b, uint32_t lanes)
{
	uint32_t from[MAX_LANES];
	for (uint32_t i = 0; i < 2 * lanes; i++)
		from[i] = i;
	return shuffle(g, a, b, from, 2 * lanes);
}

/* A tile of n copies is turned in two steps: blocks of elements change places as wholes, then the elements in squares
 * of blocks. Its rows, one for each lane, have n = wide * block elements each.  Row (d * wide + a) * block + b stands
 * in vector a * block + b, side by side with those of all other d < deep, so that a vector has all lanes. */
struct grid { uint32_t n, lanes, block, wide, deep; };

static struct grid grid_of(const struct gen *g, const struct tile *x, uint32_t bytes)
{
	struct grid s = { .n = x->n, .lanes = g->lanes, .block = BLOCK / bytes };
	while (s.block > s.n)
		s.block /= 2;
	s.wide = s.n / s.block;
	s.deep = s.lanes / s.n;
	return s;
}

static LLVMValueRef address(struct gen *g, const struct where *w, const struct tile *x, uint32_t row)
{
	LLVMValueRef by = lt_llvm_i64(g, x->constant + (int64_t)row * w->stride * lt_llvm_bytes(w->dtype));
	return LLVMBuildGEP2(g->e.b, LLVMInt8TypeInContext(g->e.c), w->base, &by, 1, "");
}

static void load(struct gen *g, const struct where *w, struct tile *x)
{
	uint32_t bytes = lt_llvm_bytes(w->dtype);
	struct grid s = grid_of(g, x, bytes);
	LLVMTypeRef type = lt_llvm_storage_type(&g->e, w->dtype, s.n);
	for (uint32_t i = 0; i < s.n; i++) {
		LLVMValueRef part[MAX_LANES];
		for (uint32_t d = 0; d < s.deep; d++) {
			part[d] = LLVMBuildLoad2(g->e.b, type, address(g, w, x, d * s.n + i), "");
			LLVMSetAlignment(part[d], bytes);
		}
		for (uint32_t n = s.n; n < s.lanes; n *= 2)
			for (uint32_t d = 0; d < s.lanes / n / 2; d++)
				part[d] = concatenate(g, part[2 * d], part[2 * d + 1], n);
		x->copy[i] = part[0];
	}
	for (uint32_t i = 0; i < s.block; i++)
		transpose(g, x->copy + i, s.wide, s.block, s.block, s.lanes);
	for (uint32_t i = 0; i < s.wide; i++)
		transpose(g, x->copy + i * s.block, s.block, 1, 1, s.lanes);
}

/* The copies stay as they are: where the last one has trips of a loop between, and these all write the same, each
 * stores all copies anew. */
static void store(struct gen *g, const struct where *w, const struct tile *tile)
{
	uint32_t bytes = lt_llvm_bytes(w->dtype);
	struct tile turned = *tile, *x = &turned;
	struct grid s = grid_of(g, x, bytes);
	for (uint32_t i = 0; i < s.wide; i++)
		transpose(g, x->copy + i * s.block, s.block, 1, 1, s.lanes);
	for (uint32_t i = 0; i < s.block; i++)
		transpose(g, x->copy + i, s.wide, s.block, s.block, s.lanes);
	for (uint32_t i = 0; i < s.n; i++)
		for (uint32_t d = 0; d < s.deep; d++) {
			uint32_t from[MAX_LANES];
			for (uint32_t e = 0; e < s.n; e++)
				from[e] = d * s.n + e;
			LLVMValueRef row = s.deep > 1
				? shuffle(g, x->copy[i], LLVMGetPoison(LLVMTypeOf(x->copy[i])), from, s.n)
				: x->copy[i];
			LLVMSetAlignment(LLVMBuildStore(g->e.b, row, address(g, w, x, d * s.n + i)), bytes);
		}
}

/* Whether no statement in loop l writes the buffer, and, where this statement does, no other has to do with it. */
static bool is_left_alone(const struct gen *g, int32_t l, int32_t stmt, int32_t access, bool writes)
{
	const struct lt_loop *loop = loop_at(g, l);
	const struct place *p = &g->place[g->place[LT_AT(struct lt_access, g->t->accesses, access)->buffer].root];
	for (int32_t i = loop->first_stmt; i < loop->first_stmt + loop->n_stmt; i++) {
		const struct lt_stmt *s = LT_AT(struct lt_stmt, g->t->stmts, i);
		if (s->kind == LT_BARRIER)
			return false;
		if ((i != stmt || !writes) && lt_llvm_is_of(g, s->dest, p->root))
			return false;
		if (writes && lt_llvm_reads(g, s, p->root))
			return false;
	}
	return p->exclusive;
}

/* Whether the row has a quotient that changes in loop l. */
static bool divides(const struct gen *g, const int64_t *row, int32_t l)
{
	for (int32_t d = 0; d < g->t->n_div; d++)
		if (row[div_column(g->t, d)] && is_around(g->t, l, LT_AT(struct lt_div, g->t->divs, d)->loop))
			return true;
	return false;
}

/* Whether what one of n copies in loop l writes no other does, whatever the trips in them: those of different copies
 * change their order. Each distance is more than what all smaller ones come to. */
static bool are_apart(const struct gen *g, const struct where *w, int32_t l, uint32_t n)
{
	const int64_t *row = row_at(g->t, LT_AT(struct lt_access, g->t->accesses, w->access)->row);
	int64_t reach = n, next;
	for (int64_t last = 0;; last = next) {
		int64_t trip_count = 0;
		next = INT64_MAX;
		for (int32_t at = LT_AT(struct lt_stmt, g->t->stmts, w->stmt)->loop; at >= 0; at = loop_at(g, at)->parent) {
			bool inside = at != l && is_around(g->t, l, at), lanes = at == g->lane_loop;
			int64_t by = lanes ? w->stride : row[loop_column(g->t, at)],
				more = (inside ? loop_at(g, at)->max_trip_count : g->lanes) - 1;
			by = by < 0 ? -by : by;
			if ((!inside && !lanes) || more == 0 || by <= last || by > next)
				continue;
			trip_count = by < next ? more : trip_count + more;
			next = by;
		}
		if (next == INT64_MAX || next < reach)
			return next == INT64_MAX;
		reach += next * trip_count;
	}
}

/* Whether the statement does the same in each trip of the loops around it: no guards choose. */
static bool is_plain(const struct gen *g, const struct lt_stmt *s, bool writes)
{
	for (int32_t k = 0; k < s->n_operand; k++)
		if (LT_AT(struct lt_operand, g->t->operands, s->first_operand + k)->n_piece != 1)
			return false;
	return s->n_guard == 0 && (!writes || s->kind == LT_MAP || s->kind == LT_RESET);
}

/* The loop of copies along which the access moves by one element, -1: none.  The vector loop may stand in it, if its
 * vectors are emitted one behind the other, too, or around it. */
static int32_t loop_of(const struct gen *g, const struct where *w)
{
	const struct lt_access *a = LT_AT(struct lt_access, g->t->accesses, w->access);
	const int64_t *row = row_at(g->t, a->row);
	if (a->index >= 0)
		return -1;
	for (int32_t l = LT_AT(struct lt_stmt, g->t->stmts, w->stmt)->loop; l >= 0; l = loop_at(g, l)->parent) {
		const struct plan *p = &g->plan[l];
		bool copies = g->column[loop_column(g->t, l)].copies > 0;
		if (p->mode == MODE_LANES ? !p->straight : !copies && p->mode != MODE_ONCE)
			break;
		if (copies && row[loop_column(g->t, l)] == 1)
			return divides(g, row, l) ? -1 : l;
		if (p->mode == MODE_COUNTED)
			break;                  /* copies of loops around it have a loop each */
	}
	return -1;
}

/* The tile that this copy of the access is in, and its number there; NULL: none.  Tiles have powers of two of
 * copies. */
static struct tile *find(struct gen *g, const struct where *w, bool writes, uint32_t *number)
{
	const struct lt_stmt *s = LT_AT(struct lt_stmt, g->t->stmts, w->stmt);
	int32_t l = w->private || g->lanes > MAX_LANES || !is_plain(g, s, writes) ? -1 : loop_of(g, w);
	if (l < 0 || !is_left_alone(g, l, w->stmt, w->access, writes))
		return NULL;
	uint32_t bytes = lt_llvm_bytes(w->dtype), n = g->lanes < MAX_COPIES ? g->lanes : MAX_COPIES;
	int64_t copy = g->column[loop_column(g->t, l)].value, first = 0, trip_count = g->column[loop_column(g->t, l)].copies;
	for (;; first += n) {
		while (n > trip_count - first)
			n /= 2;
		if (copy < first + n)
			break;
	}
	if (n == 1 || (writes && !are_apart(g, w, l, n)))
		return NULL;
	*number = (uint32_t)(copy - first);
	int64_t constant = w->constant - *number * (int64_t)bytes;
	for (struct tile *x = g->tiles; x; x = x->next)
		if (x->stmt == w->stmt && x->access == w->access && x->base == w->base && x->constant == constant && x->n == n
			&& x->lanes == g->lanes)
			return x;
	if (*number > 0)
		return NULL;
	struct tile *x = lt_llvm_alloc(g, 1, sizeof *x);
	*x = (struct tile){ .next = g->tiles,
		.loop = l,
		.stmt = w->stmt,
		.access = w->access,
		.base = w->base,
		.constant = constant,
		.n = n,
		.lanes = g->lanes };
	g->tiles = x;
	return x;
}

LLVMValueRef lt_llvm_read_tile(struct gen *g, const struct where *w)
{
	uint32_t number;
	struct tile *x = find(g, w, false, &number);
	if (x && number == 0)
		load(g, w, x);
	return x ? x->copy[number] : NULL;
}

bool lt_llvm_write_tile(struct gen *g, const struct where *w, LLVMValueRef v)
{
	uint32_t number;
	struct tile *x = find(g, w, true, &number);
	if (!x)
		return false;
	x->copy[number] = v;
	if (number + 1 == x->n)
		store(g, w, x);
	return true;
}

void lt_llvm_end_tiles(struct gen *g, int32_t l)
{
	for (struct tile **x = &g->tiles; *x; )
		if ((*x)->loop == l)
			*x = (*x)->next;
		else
			x = &(*x)->next;
}

/* Whether an access of a statement in lanes of v makes tiles with the trips of l. */
static bool is_across(const struct gen *g, int32_t stmt, int32_t access, int32_t l, int32_t v, bool writes)
{
	const struct lt_access *a = LT_AT(struct lt_access, g->t->accesses, access);
	const int64_t *row = row_at(g->t, a->row);
	int64_t stride = row[loop_column(g->t, v)];
	return a->index < 0 && row[loop_column(g->t, l)] == 1 && (stride > 1 || stride < -1) && !divides(g, row, l)
		&& is_left_alone(g, l, stmt, access, writes);
}

/* The loop of lanes in l, or else around it, if there are only copies between l and its loop `at`; -1. */
static int32_t lanes_around(const struct gen *g, int32_t l, int32_t at)
{
	int32_t lanes = g->lane_loop;
	for (; at != l; at = loop_at(g, at)->parent) {
		enum mode m = g->plan[at].mode;
		if (m == MODE_LANES && g->plan[at].straight && lanes < 0)
			lanes = at;
		else if (m != MODE_COPIES && m != MODE_ONCE)
			return -1;
	}
	return lanes;
}

uint32_t lt_llvm_tile_trip_count(const struct gen *g, int32_t l)
{
	enum { MAX_STATEMENTS = 256 };                         /* more make code long and LLVM slow */
	const struct lt_loop *loop = loop_at(g, l);
	const struct plan *p = &g->plan[l];
	uint32_t trip_count = 1;
	for (int32_t i = loop->first_stmt; i < loop->first_stmt + loop->n_stmt; i++) {
		const struct lt_stmt *s = LT_AT(struct lt_stmt, g->t->stmts, i);
		int32_t v = s->kind == LT_BARRIER ? -1 : lanes_around(g, l, s->loop);
		if (v < 0 || !is_plain(g, s, false))
			continue;
		bool some = is_plain(g, s, true) && is_across(g, i, s->dest, l, v, true);
		for (int32_t k = 0; k < s->n_operand; k++) {
			const struct lt_operand *o = LT_AT(struct lt_operand, g->t->operands, s->first_operand + k);
			const struct lt_piece *piece = LT_AT(struct lt_piece, g->t->pieces, o->first_piece);
			some = some || (piece->kind == LT_READ && is_across(g, i, piece->access, l, v, false));
		}
		trip_count = some && g->plan[v].lanes > trip_count ? g->plan[v].lanes : trip_count;
	}
	while (trip_count > 1 && (trip_count > loop->max_trip_count || p->cost > MAX_STATEMENTS / trip_count || p->parallel))
		trip_count /= 2;
	return trip_count;
}
