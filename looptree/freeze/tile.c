/* Tiles of a frozen tree: which statements are a matrix instruction's, and which thread has which element of its
 * result.
 *
 * A tile's nest is described as a call's is (call.c).  Before it, the reset of its sum is a nest of the same
 * loops of the tree without the reduced one; it, too, is done by the threads that have the elements.
 */
#include <string.h>
#include "looptree/call/call.h"
#include "looptree/freeze/parts.h"

int32_t lt__tile_of(const struct lt_freezer *f, int32_t stmt)
{
	for (int32_t l = f->stmt[stmt].loop; l >= 0; l = f->loop[l].parent)
		if (f->loop[l].kind == LT_TILE)
			return lt__tile_call(f, l) ? l : -1;
	return -1;
}

const struct lt_call *lt__tile_call(const struct lt_freezer *f, int32_t loop)
{
	for (int32_t i = 0; i < f->n_call; i++)
		if (f->call_report[i].at == f->loop[loop].at && f->call[i].pattern == LT_PATTERN_PRODUCT)
			return &f->call[i];
	return NULL;
}

static const struct lt_tile_row *row_of_tile(const struct lt_freezer *f, int32_t loop)
{
	return lt__tile_find(f->t->node[f->loop[loop].at].call);
}

int64_t lt__tile_threads(const struct lt_freezer *f, int32_t loop) { return row_of_tile(f, loop)->matrix.threads; }

/* Bits that follow one another along an axis are one digit. */
static int32_t add_runs(const struct lt_matrix_bit *bit, int n, bool thread, const int64_t *stride,
	struct lt_tile_run *out)
{
	int32_t n_run = 0;
	for (int b = 0, next; b < n; b = next) {
		for (next = b + 1; thread && next < n && bit[next].axis == bit[b].axis
			&& bit[next].power == bit[next - 1].power + 1; next++)
			;
		out[n_run++] = (struct lt_tile_run){ stride[bit[b].axis] << bit[b].power, INT64_C(1) << (next - b),
			thread ? INT64_C(1) << b : 0 };
	}
	return n_run;
}

int32_t lt__tile_runs(const struct lt_freezer *f, int32_t loop, struct lt_tile_run *out)
{
	const struct lt_call *c = lt__tile_call(f, loop);
	const struct lt_matrix_part *p = &row_of_tile(f, loop)->matrix.part[LT_MATRIX_C];
	int64_t stride[3] = { 0, 0, 0 };
	for (int32_t d = 0; d < c->n_dim; d++) {
		int32_t role = f->call_dim[c->first_dim + d].role;
		if (f->call_dim[c->first_dim + d].extent > 1 && (role == LT_DIM_ROW || role == LT_DIM_COLUMN))
			stride[role == LT_DIM_COLUMN] = f->stride[f->call_operand[c->first_operand].first_stride + d];
	}
	int32_t n = add_runs(p->element, p->n_element, false, stride, out);
	return n + add_runs(p->thread, p->n_thread, true, stride, out + n);
}
