/* blas_shape.c -- a call as products of matrices that lie column by column (blas.h).
 *
 * Dims of one role that lie side by side in every operand are one.  Rows and columns that are no one dim are batches,
 * but for one.  A matrix needs one of its two dims in steps of one element; cuBLAS takes it as it lies or transposed.
 * Batches that are no one dim are counted by loops.
 */
#include <stdio.h>
#include "backends/cuda/session.h"

enum { ROLES = LT_DIM_DEEP + 1 };
/* Dims that are one: their number, and from one element to the next in each operand. */
struct folded_dim { int64_t count, stride[LT_MAX_CALL_OPERANDS]; int32_t dim; };
struct blas_folding {
	const struct lt_kernel_call *c;
	const int64_t *count;
	struct folded_dim one[ROLES];   /* of rows, columns, deep ones: all */
	struct folded_dim batch[LT_MAX_CALL_DIMS];
	int32_t n_batch;
};

static int64_t stride_at(const struct lt_kernel_call *c, int32_t o, int32_t d) { return c->operands[o].strides[d]; }

/* Whether dim d goes on in every operand where x ends. */
static bool goes_on(const struct blas_folding *f, const struct folded_dim *x, int32_t d)
{
	for (int32_t o = 0; o < f->c->n_operand; o++)
		if (stride_at(f->c, o, d) != x->stride[o] * x->count)
			return false;
	return true;
}

static struct folded_dim folded_of(const struct blas_folding *f, int32_t d)
{
	struct folded_dim x = { .count = f->count[d], .dim = d };
	for (int32_t o = 0; o < f->c->n_operand; o++)
		x.stride[o] = stride_at(f->c, o, d);
	return x;
}

/* The next dim of a role behind `after`, by its stride in operand o: from the closest to the widest. */
static int32_t next_dim(const struct blas_folding *f, int32_t role, int32_t o, int32_t after)
{
	int32_t best = -1;
	for (int32_t d = 0; d < f->c->n_dim; d++) {
		if (f->c->dims[d].role != role || f->count[d] == 1)
			continue;
		int64_t s = stride_at(f->c, o, d);
		if (after >= 0 && (s < stride_at(f->c, o, after) || (s == stride_at(f->c, o, after) && d <= after)))
			continue;
		if (best < 0 || s < stride_at(f->c, o, best))
			best = d;
	}
	return best;
}

/* Dims of a role in out, those that are one as one. */
static int32_t fold_role(const struct blas_folding *f, int32_t role, struct folded_dim *out)
{
	int32_t n = 0;
	for (int32_t d = -1; (d = next_dim(f, role, role == LT_DIM_DEEP, d)) >= 0; )
		if (n > 0 && goes_on(f, &out[n - 1], d))
			out[n - 1].count *= f->count[d];
		else
			out[n++] = folded_of(f, d);
	return n;
}

/* Whether elements of an operand lie side by side along x. */
static bool is_dense(const struct blas_folding *f, const struct folded_dim *x)
{
	for (int32_t o = 0; o < f->c->n_operand; o++)
		if (x->stride[o] == 1)
			return true;
	return false;
}

/* The matrix has the dim along which an operand is dense, as it has no other one for that, else the longest; the others
 * are batches.  -1, or a dim that cannot be one: it is summed over, or a bias moves along it. */
static int32_t choose_dim(struct blas_folding *f, int32_t role)
{
	struct folded_dim dim[LT_MAX_CALL_DIMS];
	const int32_t n = fold_role(f, role, dim);
	int32_t best = 0;
	for (int32_t i = 1; i < n; i++)
		if (is_dense(f, &dim[i]) != is_dense(f, &dim[best]) ? is_dense(f, &dim[i]) : dim[i].count > dim[best].count)
			best = i;
	f->one[role] = n > 0 ? dim[best] : (struct folded_dim){ .count = 1, .dim = -1 };
	for (int32_t i = 0; i < n; i++) {
		if (i != best && (role == LT_DIM_DEEP || (f->c->epilogues & LT_EPILOGUE_BIAS && dim[i].stride[3])))
			return dim[i].dim;
		if (i != best)
			f->batch[f->n_batch++] = dim[i];
	}
	return -1;
}

/* Columns of x in steps of one element, one column after the other along y. */
static bool lies_by(const struct folded_dim *x, const struct folded_dim *y, int32_t o, struct lt_blas_matrix *out)
{
	*out = (struct lt_blas_matrix){ x->count, y->count, y->count == 1 ? x->count : y->stride[o], 0 };
	return (x->count == 1 || x->stride[o] == 1) && out->leading >= x->count && out->leading >= 1;
}

/* What the library takes in steps from a product to the next. */
static bool is_strided(const struct blas_folding *f, const struct folded_dim *x)
{
	for (int32_t o = 0; o < f->c->n_operand; o++)
		if (x->stride[o] < 0)
			return false;
	return x->stride[0] > 0;
}

static void choose_batch(const struct blas_folding *f, struct lt_blas_shape *out)
{
	int32_t best = -1;
	for (int32_t i = 0; i < f->n_batch; i++)
		if (is_strided(f, &f->batch[i]) && f->batch[i].count <= INT32_MAX
			&& (best < 0 || f->batch[i].count > f->batch[best].count))
			best = i;
	out->batch = best < 0 ? 1 : f->batch[best].count;
	for (int32_t i = 0; i < f->n_batch; i++) {
		struct lt_blas_loop *loop = i == best ? NULL : &out->loop[out->n_loop++];
		for (int32_t o = 0; o < f->c->n_operand; o++)
			if (loop)
				loop->stride[o] = f->batch[i].stride[o];
			else
				out->matrix[o].stride = f->batch[i].stride[o];
		if (loop)
			loop->count = f->batch[i].count;
	}
}

/* Operand o by its two dims, or transposed. */
static bool find_matrix(const struct blas_folding *f, int32_t o, int32_t row, int32_t column,
	struct lt_blas_matrix *out, bool *turned)
{
	*turned = false;
	if (lies_by(&f->one[row], &f->one[column], o, out))
		return true;
	*turned = true;
	return lies_by(&f->one[column], &f->one[row], o, out);
}

static const char *name_of(const struct lt_kernel *k, const struct lt_kernel_call *c, int32_t o)
{
	return k->buffers[c->operands[o].buffer].name;
}

const char *lt__blas_shape(const struct lt_kernel *k, const struct lt_kernel_call *c, const int64_t *count,
	struct lt_blas_shape *out, char *why, size_t bytes)
{
	struct blas_folding f = { .c = c, .count = count };
	int32_t row = LT_DIM_COLUMN, column = LT_DIM_ROW, residual = c->n_operand - 1;
	const bool biased = c->epilogues & LT_EPILOGUE_BIAS;
	bool turned;
	*out = (struct lt_blas_shape){ .a = 2 };
	for (int32_t role = LT_DIM_ROW; role <= LT_DIM_DEEP; role++) {
		int32_t d = choose_dim(&f, role);
		if (d >= 0) {
			(void)snprintf(why, bytes, "%s does not go on where the other %s end, in every operand", c->dims[d].var,
				role == LT_DIM_ROW ? "rows" : role == LT_DIM_COLUMN ? "columns" : "deep dims");
			return why;
		}
	}
	f.n_batch += fold_role(&f, LT_DIM_BATCH, f.batch + f.n_batch);
	/* The result as it lies: its columns are the product's rows, or its rows are. */
	if (!lies_by(&f.one[row], &f.one[column], 0, &out->matrix[0]) && !biased) {
		row = LT_DIM_ROW;
		column = LT_DIM_COLUMN;
		out->a = 1;
		(void)lies_by(&f.one[row], &f.one[column], 0, &out->matrix[0]);
	}
	int32_t wrong = lies_by(&f.one[row], &f.one[column], 0, &out->matrix[0]) ? -1 : 0;
	if (wrong < 0 && !find_matrix(&f, out->a, row, LT_DIM_DEEP, &out->matrix[out->a], &out->turned[0]))
		wrong = out->a;
	if (wrong < 0 && !find_matrix(&f, 3 - out->a, LT_DIM_DEEP, column, &out->matrix[3 - out->a], &out->turned[1]))
		wrong = 3 - out->a;
	if (wrong < 0 && biased && f.one[LT_DIM_COLUMN].count > 1 && f.one[LT_DIM_COLUMN].stride[3] != 1)
		wrong = 3;
	if (wrong < 0 && c->epilogues & LT_EPILOGUE_RESIDUAL
		&& (!find_matrix(&f, residual, row, column, &out->matrix[residual], &turned) || turned))
		wrong = residual;
	if (wrong >= 0) {
		(void)snprintf(why, bytes, "%s does not lie side by side along %s", name_of(k, c, wrong),
			wrong == 0 && !biased ? "its rows, nor its columns" : wrong == 0 || wrong >= 3 ? "its columns, as the result has to"
			: "one of its two dims");
		return why;
	}
	out->m = f.one[row].count;
	out->n = f.one[column].count;
	out->k = f.one[LT_DIM_DEEP].count;
	choose_batch(&f, out);
	return NULL;
}
