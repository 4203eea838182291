/* spread.c -- locals around block loops that need no shared memory: each element is one thread's alone
 * (grid.h).
 *
 *     c[128*m' + 2*n' + 32*m'' + n'']         m', n' threads, m'' of 4 and n'' of 2 iterations in each
 *     c[2*m'' + n'']                          what a thread has of it: 8 elements
 *
 * In all accesses the same multiples belong to the same digits of the thread's number, the others to loops of one
 * thread, and no two sums of them are the same: so the element says the thread, and where it is in the thread's part.
 */
#include "kernel/lower/grid.h"
#include "kernel/form/form.h"

/* A multiple in the rows of a local: of a digit of the thread's number, or of a loop's iterations (axis -1). */
struct spread_term { int64_t coef, n, stride; int axis; };
enum { MAX_TERMS = 24 };
struct spread { int32_t b; bool any; int64_t constant; int n; struct spread_term term[MAX_TERMS]; };

static struct spread_term *find_term(struct spread *x, int64_t coef)
{
	for (int i = 0; i < x->n; i++)
		if (x->term[i].coef == coef)
			return &x->term[i];
	return NULL;
}

/* The first access says which terms there are; one thread's may be in some accesses only. */
static bool spread_add_term(struct spread *x, struct spread_term one, uint32_t *seen)
{
	struct spread_term *t = find_term(x, one.coef);
	if (one.coef <= 0 || (one.axis >= 0 && x->any && !t) || (!t && x->n == MAX_TERMS))
		return false;
	if (!t) {
		t = &x->term[x->n++];
		*t = one;
	}
	if (t->axis != one.axis || t->stride != one.stride || (*seen >> (t - x->term) & 1))
		return false;
	t->n = one.n > t->n ? one.n : t->n;
	*seen |= UINT32_C(1) << (t - x->term);
	return true;
}

static bool spread_add_loop(
	const struct lowering *l, struct spread *x, int32_t loop, int64_t coef, bool thread, uint32_t *seen)
{
	return spread_add_term(x, (struct spread_term){ coef, lower_loop_at(l, loop)->max_trip_count,
		thread ? l->part[loop].stride : 0, thread ? lower_loop_at(l, loop)->kind_arg : -1 }, seen);
}

/* The elements of the result of a matrix instruction: its fragments say who has which.  Bits that follow one another
 * along an axis are one digit of the thread's number. */
static bool add_fragment(const struct lower_tile *tile, struct spread *x, uint32_t *seen)
{
	const struct lt_matrix_part *p = &tile->row->matrix.part[LT_MATRIX_C];
	const int64_t *stride = tile->stride[LT_MATRIX_C];
	for (int b = 0; b < p->n_element; b++)
		if (!spread_add_term(x, (struct spread_term){ stride[p->element[b].axis] << p->element[b].power, 2, 0, -1 }, seen))
			return false;
	for (int b = 0, next; b < p->n_thread; b = next) {
		for (next = b + 1; next < p->n_thread && p->thread[next].axis == p->thread[b].axis
			&& p->thread[next].power == p->thread[next - 1].power + 1; next++)
			;
		if (!spread_add_term(x, (struct spread_term){ stride[p->thread[b].axis] << p->thread[b].power,
			INT64_C(1) << (next - b), INT64_C(1) << b, 0 }, seen))
			return false;
	}
	return true;
}

static bool is_plain(const struct lowering *l, const struct lt_access *a)
{
	const int64_t *r = lower_row_at(l->t, a->row);
	for (int32_t c = 1; c < l->t->n_column; c++)
		if (r[c] && (c < 1 + l->t->n_param || c >= lower_div_column(l->t, 0)))
			return false;
	return a->index < 0;
}

static bool add_access(const struct lowering *l, struct spread *x, int32_t s, int32_t access, bool led)
{
	const struct lt_access *a = lower_access_at(l, access);
	const int64_t *r = lower_row_at(l->t, a->row);
	uint32_t seen = 0;
	int32_t tile = lt__lower_tile_around(l, lower_stmt_at(l, s)->loop), from = lower_stmt_at(l, s)->loop;
	if (a->buffer != x->b)
		return true;
	if (!is_plain(l, a) || (x->any && r[0] != x->constant))
		return false;
	if (tile >= 0 && (x->b != l->tile[tile]->buffer[LT_MATRIX_C] || !add_fragment(l->tile[tile], x, &seen)))
		return false;
	from = tile >= 0 ? lower_loop_at(l, tile)->parent : from;
	for (int32_t i = from; i >= 0 && i != lower_buffer_at(l, x->b)->scope;
		i = lower_loop_at(l, i)->parent) {
		int64_t coef = r[lower_loop_column(l->t, i)];
		bool thread = lt__lower_is_thread(l, i) && !(led && coef == 0);
		bool once = !thread && lower_loop_at(l, i)->max_trip_count <= 1;        /* it moves nothing */
		if ((coef || thread) && !once && !spread_add_loop(l, x, i, coef, thread, &seen))
			return false;
	}
	for (int i = 0; i < x->n; i++)
		if (x->term[i].axis >= 0 && !(seen >> i & 1))
			return false;
	x->constant = r[0];
	x->any = true;
	return true;
}

static bool add_stmt(const struct lowering *l, struct spread *x, int32_t s)
{
	const struct lt_stmt *st = lower_stmt_at(l, s);
	bool fits = true;
	for (int32_t a = st->dest; a >= 0; a = lower_access_at(l, a)->index)
		fits = fits && add_access(l, x, s, a, a == st->dest && st->kind == LT_COMBINE);
	for (int32_t o = st->first_operand; o < st->first_operand + st->n_operand; o++) {
		const struct lt_operand *operand = LT_AT(struct lt_operand, l->t->operands, o);
		for (int32_t p = operand->first_piece; p < operand->first_piece + operand->n_piece; p++) {
			const struct lt_piece *piece = LT_AT(struct lt_piece, l->t->pieces, p);
			for (int32_t a = piece->kind == LT_READ ? piece->access : -1; a >= 0; a = lower_access_at(l, a)->index)
				fits = fits && add_access(l, x, s, a, false);
		}
	}
	return fits;
}

/* From the smallest multiple on: each is more than all smaller ones reach together. */
static bool is_distinct(struct spread *x)
{
	int64_t reach = 0;
	for (int i = 0; i < x->n; i++) {
		for (int k = i; k > 0 && x->term[k].coef < x->term[k - 1].coef; k--) {
			struct spread_term kept = x->term[k];
			x->term[k] = x->term[k - 1];
			x->term[k - 1] = kept;
		}
	}
	for (int i = 0; i < x->n; i++) {
		int64_t more;
		if (x->term[i].coef <= reach || __builtin_mul_overflow(x->term[i].coef, x->term[i].n - 1, &more)
			|| __builtin_add_overflow(reach, more, &reach))
			return false;
	}
	return true;
}

struct lower_spread *lt__lower_find_spread(struct lowering *l, int32_t b)
{
	struct spread x = { .b = b };
	int64_t unit = 1;
	for (int32_t s = 0; s < (int32_t)l->t->stmts.n; s++)
		if (!add_stmt(l, &x, s))
			return NULL;
	if (!is_distinct(&x))
		return NULL;
	struct lower_spread *out = lt__pool_alloc(&l->b.pool, 1, sizeof *out);
	out->term = lt__pool_alloc(&l->b.pool, (size_t)x.n, sizeof *out->term);
	for (int i = 0; i < x.n; i++) {
		out->term[out->n++] = (struct lower_spread_term){ x.term[i].coef, x.term[i].axis < 0 ? unit : 0 };
		if (x.term[i].axis < 0 && __builtin_mul_overflow(unit, x.term[i].n, &unit))
			return NULL;
	}
	out->elems = unit;
	return unit * lt__kernel_element_bytes(lower_dtype_of(l, b)) <= l->machine.array_bytes ? out : NULL;
}

int64_t lt__lower_own(const struct lowering *l, int32_t buffer, int64_t coef)
{
	const struct lower_spread *x = l->spread[buffer];
	for (int i = 0; i < x->n; i++)
		if (x->term[i].coef == coef)
			return x->term[i].own;
	return 0;
}

const int64_t *lt__lower_spread_row(struct lowering *l, int32_t access)
{
	const struct lt_access *a = lower_access_at(l, access);
	return lt__lower_own_row(l, a->buffer, lower_row_at(l->t, a->row));
}

const int64_t *lt__lower_own_row(struct lowering *l, int32_t buffer, const int64_t *r)
{
	int64_t *out = lt__pool_alloc(&l->b.pool, (size_t)l->t->n_column, sizeof *out);
	for (int32_t c = 1; c < l->t->n_column; c++)
		if (r[c])
			out[c] = lt__lower_own(l, buffer, r[c]);
	return out;
}
