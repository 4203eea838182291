/* tile.c -- tiles: a nest that is a matrix instruction (grid.h, lt/tile.h).
 *
 * The result is a local that is spread over the threads as the instruction's fragments are (spread.c): each
 * thread takes what it has of it into variables, which are the accumulators, and puts them back.  The factors are
 * fragments, which stay known as long as nobody writes to where they are: of shared memory, or, from elsewhere, element
 * by element.
 */
#include <string.h>
#include "kernel/lower/grid.h"
#include "kernel/build/build.h"

/* The description of the tile that a loop is, or of one whose reset it is: by the buffer that it writes; -1. */
static int32_t tile_call(const struct lowering *l, int32_t loop)
{
	const struct lt_loop *x = lower_loop_at(l, loop);
	if (x->kind != LT_TILE || !x->call || !lt__tile_row(x->call))
		return -1;
	for (int32_t i = 0; i < (int32_t)l->t->calls.n; i++)
		if (LT_AT(struct lt_call, l->t->calls, i)->loop == loop)
			return LT_AT(struct lt_call, l->t->calls, i)->pattern == LT_PATTERN_PRODUCT ? i : -1;
	const struct lt_stmt *st = lower_stmt_at(l, x->first_stmt);
	for (int32_t i = 0; i < (int32_t)l->t->calls.n && st->kind == LT_RESET && x->n_stmt == 1; i++) {
		const struct lt_call *c = LT_AT(struct lt_call, l->t->calls, i);
		const struct lt_loop *of = lower_loop_at(l, c->loop);
		if (of->kind == LT_TILE && c->pattern == LT_PATTERN_PRODUCT && strcmp(of->call, x->call) == 0
			&& LT_AT(struct lt_call_operand, l->t->call_operands, c->first_operand)->buffer
				== lower_access_at(l, st->dest)->buffer)
			return i;
	}
	return -1;
}

/* Along m, n and k: how far elements of an operand of the call are apart. */
static void strides_of(const struct lowering *l, const struct lt_call *c, int32_t operand, int64_t *stride)
{
	static const int axis[] = { [LT_DIM_BATCH] = -1, [LT_DIM_ROW] = 0, [LT_DIM_COLUMN] = 1, [LT_DIM_DEEP] = 2 };
	const struct lt_call_operand *o = LT_AT(struct lt_call_operand, l->t->call_operands, c->first_operand + operand);
	stride[0] = stride[1] = stride[2] = 0;
	for (int32_t d = 0; d < c->n_dim; d++) {
		const struct lt_call_dim *dim = LT_AT(struct lt_call_dim, l->t->call_dims, c->first_dim + d);
		if (dim->extent > 1 && axis[dim->role] >= 0)
			stride[axis[dim->role]] = l->t->strides[o->first_stride + d];
	}
}

static struct lower_tile *new_tile(struct lowering *l, int32_t loop)
{
	int32_t call = tile_call(l, loop);
	if (call < 0)
		return NULL;
	const struct lt_call *c = LT_AT(struct lt_call, l->t->calls, call);
	struct lower_tile *x = lt__pool_alloc(&l->b.pool, 1, sizeof *x);
	x->row = lt__tile_row(lower_loop_at(l, loop)->call);
	x->resets = c->loop != loop;
	for (int i = 0; i < LT_NMATRIX; i++) {
		static const int32_t operand[] = { [LT_MATRIX_A] = 1, [LT_MATRIX_B] = 2, [LT_MATRIX_C] = 0 };
		const struct lt_call_operand *o = LT_AT(struct lt_call_operand, l->t->call_operands, c->first_operand + operand[i]);
		x->buffer[i] = o->buffer;
		x->at[i] = lower_row_at(l->t, o->row);
		strides_of(l, c, operand[i], x->stride[i]);
	}
	if (x->resets) {                /* where it begins: without the loops in it */
		int64_t *at = lt__pool_alloc(&l->b.pool, (size_t)l->t->n_column, sizeof *at);
		memcpy(at, lower_row_at(l->t, lower_access_at(l, lower_stmt_at(l, lower_loop_at(l, loop)->first_stmt)->dest)->row),
			(size_t)l->t->n_column * sizeof *at);
		for (int32_t i = lower_stmt_at(l, lower_loop_at(l, loop)->first_stmt)->loop; ; i = lower_loop_at(l, i)->parent) {
			at[lower_loop_column(l->t, i)] = 0;
			if (i == loop)
				break;
		}
		x->at[LT_MATRIX_C] = at;
	}
	return x;
}

lt_status lt__lower_find_tiles(struct lowering *l, struct lt_diag *diag)
{
	l->tile = lt__pool_alloc(&l->b.pool, (size_t)l->t->n_loop + 1, sizeof(struct lower_tile *));
	for (int32_t i = 0; i < l->t->n_loop; i++) {
		const struct lt_loop *x = lower_loop_at(l, i);
		bool has = false;
		l->tile[i] = x->kind == LT_TILE ? new_tile(l, i) : NULL;
		for (uint32_t k = 0; l->tile[i] && k < l->machine.n_tile; k++)
			has = has || strcmp(l->machine.tiles[k], x->call) == 0;
		if (l->tile[i] && (!has || l->machine.subgroup != (uint32_t)l->tile[i]->row->matrix.threads))
			return lt__report(diag, LT_EUNSUPPORTED, i, -1, "make it serial, and give its iterations to block loops",
				"loop %s: this machine has no matrix instruction %s", x->var ? x->var : "?", x->call);
	}
	return LT_OK;
}

/* Of the threads along axis 0 the tile has a subgroup, and each subgroup of the block lies along that axis. */
lt_status lt__lower_plan_tiles(struct lowering *l, struct lt_diag *diag)
{
	for (int32_t i = 0; i < l->t->n_loop; i++) {
		const struct lt_loop *x = lower_loop_at(l, i);
		if (!l->tile[i] || l->part[i].root < 0)
			continue;
		const int64_t threads = l->tile[i]->row->matrix.threads;
		int32_t c = l->tile[i]->buffer[LT_MATRIX_C];
		const char *name = lower_buffer_at(l, c)->name ? lower_buffer_at(l, c)->name : "?";
		if (l->part[i].inner[0] * l->part[i].inner[1] * l->part[i].inner[2] > 1)
			return lt__report(diag, LT_EUNSUPPORTED, i, -1, "make them serial",
				"loop %s: its threads are those of the instruction %s, and there are block loops in it", x->var, x->call);
		if (lt__lower_threads_of(l, i, 0) != threads || l->grid[l->part[i].root].threads[0] % threads)
			return lt__report(diag, LT_EUNSUPPORTED, i, -1, "bind loops beside it to as many threads, in all, along block.x",
				"loop %s: the instruction %s takes %lld threads along block.x, and there are %lld", x->var, x->call,
				(long long)threads, (long long)lt__lower_threads_of(l, i, 0));
		if (lt__lower_memory(l, c) != LOWER_PART || !l->spread[c])
			return lt__report(diag, LT_EUNSUPPORTED, i, -1, "read it in loops that the fragments of the instruction are: see "
				"`tile` in docs/schedule.md", "loop %s: %s is not kept by the threads that %s leaves its elements in", x->var,
				name, x->call);
	}
	return LT_OK;
}

/* -- instructions -- */

/* What a thread has of an element of c, from the tile's begin: in the part's elements. */
static int64_t own_of(const struct lowering *l, const struct lower_tile *x, int64_t element)
{
	const struct lt_matrix_part *p = &x->row->matrix.part[LT_MATRIX_C];
	int64_t sum = 0;
	for (int b = 0; b < p->n_element; b++)
		if (element >> b & 1)
			sum += lt__lower_own(l, x->buffer[LT_MATRIX_C], x->stride[LT_MATRIX_C][p->element[b].axis] << p->element[b].power);
	return sum;
}

static struct lower_address sums_at(struct lowering *l, const struct lower_tile *x)
{
	struct lower_address at;
	at.value = lt__lower_address_of(l, lt__lower_own_row(l, x->buffer[LT_MATRIX_C], x->at[LT_MATRIX_C]), &at.number);
	return at;
}

static int32_t description(struct lowering *l, const struct lower_tile *x)
{
	struct lt_kernel_builder *b = &l->b;
	for (int32_t i = 0; i < b->n_matrix; i++)
		if (lt__tile_row_of(&b->matrix[i]) == x->row)
			return i;
	return lt__build_matrix(b, &x->row->matrix);
}

/* The sum of what the thread's bits add to an address of a factor. */
static int32_t thread_offset(struct lowering *l, const struct lower_tile *x, int part)
{
	const struct lt_matrix_part *p = &x->row->matrix.part[part];
	int32_t member = lt__lower_pure(l, LT_OPCODE_member, LT_I64, -1, -1, -1, 0), sum = -1;
	for (int b = 0, next; b < p->n_thread; b = next) {
		int32_t digit = b ? lt__lower_pure(l, LT_OPCODE_shift_right, LT_I64, member, lt__lower_i64(l, b), -1, 0) : member;
		for (next = b + 1; next < p->n_thread && p->thread[next].axis == p->thread[b].axis
			&& p->thread[next].power == p->thread[next - 1].power + 1; next++)
			;
		if (next < p->n_thread)
			digit = lt__lower_pure(l, LT_OPCODE_and, LT_I64, digit, lt__lower_i64(l, (INT64_C(1) << (next - b)) - 1), -1, 0);
		sum = lt__lower_add(l, sum, lt__lower_times(l, digit, x->stride[part][p->thread[b].axis] << p->thread[b].power));
	}
	return sum;
}

static int32_t joined(struct lowering *l, int32_t x, int32_t y)
{
	const uint32_t one = lower_lanes_of(l, x), lanes = one + lower_lanes_of(l, y);
	int64_t number[LT_MAX_LANES];
	for (uint32_t i = 0; i < lanes; i++)
		number[i] = i;
	return lt__build(&l->b, (struct lt_instruction){ .opcode = LT_OPCODE_shuffle, .dtype = lt__build_at(&l->b, x)->dtype,
		.lanes = lanes, .operand = { x, y, -1, -1 }, .what = -1, .origin = l->b.origin,
		.first_extra = lt__build_extras(&l->b, number, (int32_t)lanes), .n_extra = (int32_t)lanes });
}

/* A fragment, from memory that is not shared: element by element, two together where they are side by side. */
static int32_t gathered(struct lowering *l, const struct lower_tile *x, int part, struct lower_address at)
{
	const struct lt_matrix_part *p = &x->row->matrix.part[part];
	int32_t value[1 << LT_MATRIX_BITS], n = 1 << p->n_element;
	int32_t from = lt__lower_add(l, at.value, thread_offset(l, x, part));
	for (int32_t e = 0; e < n; e++) {
		int64_t number = at.number;
		for (int b = 0; b < p->n_element; b++)
			number += (e >> b & 1) * (x->stride[part][p->element[b].axis] << p->element[b].power);
		value[e] = lt__lower_read_at(l, x->buffer[part], (struct lower_address){ from, number }, -1);
	}
	for (; n > 1; n /= 2)
		for (int32_t e = 0; e < n / 2; e++)
			value[e] = joined(l, value[2 * e], value[2 * e + 1]);
	return value[0];
}

/* A number for where a factor's matrices are: the first tile that has them there. */
static int32_t source_of(const struct lowering *l, const struct lower_tile *x, int part)
{
	int32_t i = 0;
	for (; i < l->t->n_loop; i++)
		if (l->tile[i] && !l->tile[i]->resets && l->tile[i]->row == x->row && l->tile[i]->buffer[part] == x->buffer[part]
			&& memcmp(l->tile[i]->stride[part], x->stride[part], sizeof x->stride[part]) == 0)
			break;
	return i;
}

/* A fragment of a or b. */
static int32_t factor(struct lowering *l, const struct lower_tile *x, int part)
{
	static const int axes[2][2] = { [LT_MATRIX_A] = { 0, 2 }, [LT_MATRIX_B] = { 2, 1 } };
	const int32_t b = x->buffer[part];
	const int64_t *stride = x->stride[part];
	struct lower_address at;
	at.value = lt__lower_address_of(l, x->at[part], &at.number);
	if (lower_buffer_at(l, b)->role != LT_LOCAL || lt__lower_memory(l, b) != LOWER_SHARED)
		return gathered(l, x, part, at);
	at.value = lt__lower_add(l, at.value, lt__lower_copy_offset(l, b));
	const struct lt_matrix_location where = { lt__lower_location(l, b), at.number, { stride[axes[part][0]],
		stride[axes[part][1]] }, 0 };
	const struct lt_matrix_part *p = &x->row->matrix.part[part];
	return lt__lower_fragment(l, (struct lt_instruction){ .dtype = (uint8_t)p->dtype, .lanes = 1u << p->n_element,
		.operand = { at.value, -1, -1, -1 }, .what = description(l, x), .number = part }, &where, source_of(l, x, part));
}

void lt__lower_tile(struct lowering *l, int32_t loop)
{
	const struct lower_tile *x = l->tile[loop];
	const struct lt_loop *of = lower_loop_at(l, loop);
	const int32_t c = x->buffer[LT_MATRIX_C];
	const struct lower_address sums = sums_at(l, x);
	const int64_t n = INT64_C(1) << x->row->matrix.part[LT_MATRIX_C].n_element;
	int64_t extra[2 * LT_MATRIX_LOCATION + (1 << LT_MATRIX_BITS)];
	int32_t operand[2], variable[1 << LT_MATRIX_BITS];
	l->b.origin = of->first_stmt + of->n_stmt - 1;
	if (x->resets) {
		const struct lt_op *op = LT_AT(struct lt_op, l->t->ops, lower_stmt_at(l, of->first_stmt)->op);
		int32_t identity = lt__lower_pure(l, LT_OPCODE_const, op->out, -1, -1, -1, (int64_t)op->identity);
		for (int64_t e = 0; e < n; e++)
			lt__lower_write_at(l, c, (struct lower_address){ sums.value, sums.number + own_of(l, x, e) }, identity);
		return;
	}
	for (int part = 0; part < 2; part++) {
		const int64_t registers[LT_MATRIX_LOCATION] = { -1 };
		operand[part] = factor(l, x, part);
		memcpy(&extra[part * LT_MATRIX_LOCATION], registers, sizeof registers);
	}
	for (int64_t e = 0; e < n; e++) {
		struct lower_address at = { sums.value, sums.number + own_of(l, x, e) };
		variable[e] = lt__build_variable(&l->b, "sum", x->row->matrix.part[LT_MATRIX_C].dtype, 1);
		lt__build_begins(&l->b, LT_OPCODE_variable, variable[e]);
		lt__build_set(&l->b, variable[e], lt__lower_read_at(l, c, at, -1));
		extra[2 * LT_MATRIX_LOCATION + e] = variable[e];
	}
	int32_t n_extra = 2 * LT_MATRIX_LOCATION + (int32_t)n;
	(void)lt__build(&l->b, (struct lt_instruction){ .opcode = LT_OPCODE_matrix, .what = description(l, x),
		.operand = { operand[0], operand[1], -1, -1 }, .origin = l->b.origin,
		.first_extra = lt__build_extras(&l->b, extra, n_extra), .n_extra = n_extra });
	for (int64_t e = 0; e < n; e++)
		lt__lower_write_at(l, c, (struct lower_address){ sums.value, sums.number + own_of(l, x, e) },
			lt__build_get(&l->b, variable[e]));
}
