/* blas_plan.c -- how cuBLAS does a product: chosen by its heuristic once for each shape and alignment,
 * kept with the object, and the same in each run of it (blas.h).
 */
#include <stdlib.h>
#include <string.h>
#include "backends/cuda/session.h"

struct lt_cuda_plan {
	struct lt_cuda_plan *next;
	int32_t call;
	const int64_t *count;
	uint32_t align[LT_MAX_CALL_OPERANDS];
	struct lt_blas_shape shape;
	cublasLtMatmulAlgo_t algorithm;
	size_t workspace;
};
/* A plan as it is saved: these, then how many there are of each dim.  version: of the library, whose own the algorithm
 * is. */
struct blas_choice {
	uint64_t bytes, version, workspace;
	int32_t call;
	uint32_t align[LT_MAX_CALL_OPERANDS];
	cublasLtMatmulAlgo_t algorithm;
};
/* A product as the library is told of it. */
struct blas_product {
	cublasLtMatmulDescOpaque_t what;
	cublasLtMatrixLayoutOpaque_t a, b, c, d;
};
/* A call of a run: where each operand begins. */
struct blas_call {
	struct lt_object *o;
	const struct lt_kernel_call *c;
	int32_t number;
	const int64_t *count;
	const uint64_t *at;
};
/* Where the operands of a call begin, of a described one, too, and how many bytes there are from there on. */
struct called_at { uint64_t of[LT_MAX_CALL_PARTS], room[LT_MAX_CALL_PARTS]; };

void lt__cuda_plans_free(struct lt_object *o)
{
	for (struct lt_cuda_plan *p; (p = o->plans); ) {
		o->plans = p->next;
		free(p);
	}
}

static uint32_t dtype_of(const struct lt_object *o, const struct lt_kernel_call *c, int32_t operand)
{
	return o->code.kernel->buffers[c->operands[operand].buffer].dtype;
}
static cudaDataType_t type_of(uint32_t dtype)
{
	return dtype == LT_F64 ? CUDA_R_64F : dtype == LT_F16 ? CUDA_R_16F : dtype == LT_BF16 ? CUDA_R_16BF : CUDA_R_32F;
}
static uint64_t bytes_of(uint32_t dtype) { return dtype == LT_F64 ? 8 : dtype == LT_F32 ? 4 : 2; }

static int32_t residual_of(const struct lt_kernel_call *c)
{
	return c->epilogues & LT_EPILOGUE_RESIDUAL ? c->n_operand - 1 : 0;
}

/* ---- what the library is told ---- */

static cublasStatus_t matrix_make(const struct lt_cuda_blas *b, const struct blas_call *x, int32_t operand,
	const struct lt_blas_shape *s, cublasLtMatrixLayoutOpaque_t *out)
{
	const struct lt_blas_matrix *m = &s->matrix[operand];
	const int32_t batch = (int32_t)s->batch;
	cublasStatus_t r = b->matrix_init(out, sizeof *out, type_of(dtype_of(x->o, x->c, operand)), (uint64_t)m->rows,
		(uint64_t)m->columns, m->leading);
	if (!r && batch > 1)
		r = b->matrix_set(out, CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT, &batch, sizeof batch);
	if (!r && batch > 1)
		r = b->matrix_set(out, CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET, &m->stride, sizeof m->stride);
	return r;
}

/* Sums are of the result's type or wider: of floats in float, unless all is double. */
static cublasStatus_t what_make(const struct lt_cuda_blas *b, const struct blas_call *x, const struct lt_blas_shape *s,
	cublasLtMatmulDescOpaque_t *out)
{
	const bool wide = x->c->sum == LT_F64, bias = x->c->epilogues & LT_EPILOGUE_BIAS;
	const bool loose = x->o->s->config.tf32 && dtype_of(x->o, x->c, 1) == LT_F32;
	const cublasOperation_t a = s->turned[0] ? CUBLAS_OP_T : CUBLAS_OP_N, c = s->turned[1] ? CUBLAS_OP_T : CUBLAS_OP_N;
	const cublasLtEpilogue_t after = (cublasLtEpilogue_t)((bias ? CUBLASLT_EPILOGUE_BIAS : 0)
		| (x->c->epilogues & LT_EPILOGUE_RELU ? CUBLASLT_EPILOGUE_RELU : 0)
		| (x->c->epilogues & LT_EPILOGUE_GELU_TANH ? CUBLASLT_EPILOGUE_GELU : 0));
	cublasStatus_t r = b->product_init(out, sizeof *out, wide ? CUBLAS_COMPUTE_64F
		: loose ? CUBLAS_COMPUTE_32F_FAST_TF32 : CUBLAS_COMPUTE_32F, wide ? CUDA_R_64F : CUDA_R_32F);
	r = r ? r : b->product_set(out, CUBLASLT_MATMUL_DESC_TRANSA, &a, sizeof a);
	r = r ? r : b->product_set(out, CUBLASLT_MATMUL_DESC_TRANSB, &c, sizeof c);
	if (!r && after)
		r = b->product_set(out, CUBLASLT_MATMUL_DESC_EPILOGUE, &after, sizeof after);
	if (!r && bias) {
		const void *at = (const void *)(uintptr_t)x->at[3];
		r = b->product_set(out, CUBLASLT_MATMUL_DESC_BIAS_POINTER, &at, sizeof at);
	}
	return r;
}

static cublasStatus_t product_make(const struct lt_cuda_blas *b, const struct blas_call *x,
	const struct lt_blas_shape *s, struct blas_product *out)
{
	cublasStatus_t r = what_make(b, x, s, &out->what);
	r = r ? r : matrix_make(b, x, s->a, s, &out->a);
	r = r ? r : matrix_make(b, x, 3 - s->a, s, &out->b);
	r = r ? r : matrix_make(b, x, residual_of(x->c), s, &out->c);
	return r ? r : matrix_make(b, x, 0, s, &out->d);
}

/* ---- plans ---- */

/* What divides the addresses of an operand in all iterations of the loops; at most what the library asks for. */
static uint32_t align_of(const struct blas_call *x, const struct lt_blas_shape *s, int32_t operand)
{
	enum { MOST = 256 };
	uint64_t bits = x->at[operand] | MOST;
	for (int32_t i = 0; i < s->n_loop; i++)
		bits |= (uint64_t)s->loop[i].stride[operand] * bytes_of(dtype_of(x->o, x->c, operand));
	return (uint32_t)(bits & -bits);
}

static bool plan_is_for(const struct lt_cuda_plan *p, const struct blas_call *x)
{
	if (p->call != x->number || memcmp(p->count, x->count, (size_t)x->c->n_dim * sizeof *p->count) != 0)
		return false;
	for (int32_t o = 0; o < x->c->n_operand; o++)
		if (p->align[o] != align_of(x, &p->shape, o))
			return false;
	return true;
}

static lt_status choose_algorithm(const struct blas_call *x, struct lt_cuda_plan *p, struct lt_diag *diag)
{
	const struct lt_cuda_blas *b = &x->o->s->blas;
	const int32_t operand[] = { p->shape.a, 3 - p->shape.a, residual_of(x->c), 0 };
	static const cublasLtMatmulPreferenceAttributes_t aligns[] = { CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES,
		CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES,
		CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES };
	const size_t max_bytes = LT_CUDA_BLAS_BYTES;
	cublasLtMatmulPreferenceOpaque_t wish;
	cublasLtMatmulHeuristicResult_t found = { .workspaceSize = 0 };
	struct blas_product y;
	int n = 0;
	cublasStatus_t r = product_make(b, x, &p->shape, &y);
	r = r ? r : b->wish_init(&wish, sizeof wish);
	r = r ? r : b->wish_set(&wish, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, &max_bytes, sizeof max_bytes);
	for (int i = 0; !r && i < 4; i++)
		r = b->wish_set(&wish, aligns[i], &p->align[operand[i]], sizeof p->align[0]);
	r = r ? r : b->choose(b->handle, &y.what, &y.a, &y.b, &y.c, &y.d, &wish, 1, &found, &n);
	if (r == CUBLAS_STATUS_NOT_SUPPORTED || (!r && (n < 1 || found.state)))
		return lt__report(diag, LT_EUNSUPPORTED, x->c->origin, -1, "remove the call: make it serial",
			"kernel %s: cuBLAS has no way to multiply %lld x %lld by %lld of these types and layouts",
			cuda_name(x->o->tree), (long long)p->shape.m, (long long)p->shape.k, (long long)p->shape.n);
	p->algorithm = found.algo;
	p->workspace = found.workspaceSize;
	return lt__cuda_blas_check(x->o->s, r, diag, cuda_name(x->o->tree), "choosing how cuBLAS multiplies");
}

/* What an earlier process chose for it, with this library. */
static bool choose_as_saved(const struct blas_call *x, struct lt_cuda_plan *p)
{
	const size_t counts = (size_t)x->c->n_dim * sizeof *x->count;
	const struct lt_cuda_code *code = &x->o->code;
	struct blas_choice c;
	for (size_t at = 0; at + sizeof c <= code->choice_bytes; at += c.bytes) {
		memcpy(&c, code->choices + at, sizeof c);
		if (c.bytes < sizeof c || c.bytes > code->choice_bytes - at)
			return false;
		if (c.call != p->call || c.bytes != sizeof c + counts || c.version != x->o->s->blas.version()
			|| memcmp(c.align, p->align, sizeof c.align) != 0 || c.workspace > LT_CUDA_BLAS_BYTES
			|| memcmp(code->choices + at + sizeof c, x->count, counts) != 0)
			continue;
		p->algorithm = c.algorithm;
		p->workspace = c.workspace;
		return true;
	}
	return false;
}

lt_status lt__cuda_choices(const struct lt_object *o, char **out, size_t *bytes)
{
	struct lt_cuda_blas *b = &o->s->blas;
	lt_status status = LT_OK;
	*out = NULL;
	*bytes = 0;
	(void)pthread_mutex_lock(&b->lock);
	for (const struct lt_cuda_plan *p = o->plans; p && !status; p = p->next) {
		const size_t counts = (size_t)o->code.kernel->calls[p->call].n_dim * sizeof *p->count;
		struct blas_choice c = { .bytes = sizeof c + counts, .version = b->version(), .workspace = p->workspace,
			.call = p->call, .algorithm = p->algorithm };
		memcpy(c.align, p->align, sizeof c.align);
		char *grown = realloc(*out, *bytes + c.bytes);
		if (grown) {
			memcpy(grown + *bytes, &c, sizeof c);
			memcpy(grown + *bytes + sizeof c, p->count, counts);
			*bytes += c.bytes;
		}
		*out = grown ? grown : *out;
		status = grown ? LT_OK : LT_ENOMEM;
	}
	(void)pthread_mutex_unlock(&b->lock);
	return status;
}

static lt_status plan_new(const struct blas_call *x, struct lt_cuda_plan **out, struct lt_diag *diag)
{
	const size_t counts = (size_t)x->c->n_dim * sizeof *x->count;
	struct lt_cuda_plan *p = *out = calloc(1, sizeof *p + counts);
	char why[200];
	if (!p)
		return lt__report(diag, LT_ENOMEM, -1, -1, NULL, "no memory for a call of kernel %s", cuda_name(x->o->tree));
	p->call = x->number;
	p->count = memcpy(p + 1, x->count, counts);
	lt_status status = LT_OK;
	if (lt__blas_shape(x->o->code.kernel, x->c, x->count, &p->shape, why, sizeof why))
		status = lt__report(diag, LT_EUNSUPPORTED, x->c->origin, -1, "remove the call: make it serial",
			"kernel %s: %s cannot take it: %s", cuda_name(x->o->tree), x->c->routine, why);
	for (int32_t o = 0; !status && o < x->c->n_operand; o++)
		p->align[o] = align_of(x, &p->shape, o);
	if (!status && !choose_as_saved(x, p))
		status = choose_algorithm(x, p, diag);
	if (status)
		free(p);
	return status;
}

static lt_status plan_for(const struct blas_call *x, const struct lt_cuda_plan **out, struct lt_diag *diag)
{
	struct lt_cuda_blas *b = &x->o->s->blas;
	lt_status status = LT_OK;
	(void)pthread_mutex_lock(&b->lock);
	struct lt_cuda_plan *p = x->o->plans;
	while (p && !plan_is_for(p, x))
		p = p->next;
	if (!p && !(status = plan_new(x, &p, diag))) {
		p->next = x->o->plans;
		x->o->plans = p;
	}
	(void)pthread_mutex_unlock(&b->lock);
	*out = status ? NULL : p;
	return status;
}

/* Without args: as memory of the pool begins. */
static struct blas_call call_of(
	struct lt_object *o, const struct lt_cuda_launches *all, uint32_t i, const struct lt_args *args, struct called_at *at)
{
	const struct lt_cuda_launch *l = &all->launch[i];
	const struct lt_kernel *k = o->code.kernel;
	const int64_t *begin = (const int64_t *)(const void *)(all->argument + l->first_argument);
	struct blas_call x = { .o = o, .c = &k->calls[l->call], .number = l->call };
	x.count = begin + x.c->n_operand;
	for (int32_t p = 0; p < x.c->n_operand; p++) {
		const struct lt_kernel_buffer *b = &k->buffers[x.c->operands[p].buffer];
		const uint64_t first = (uint64_t)begin[p] * bytes_of(b->dtype);
		at->of[p] = (args ? lt__cuda_buffer_address(b, args) : (uint64_t)b->offset) + first;
		at->room[p] = (args && b->slot >= 0 ? (uint64_t)args->slot[b->slot].bytes : (uint64_t)b->elems * bytes_of(b->dtype))
			- first;
	}
	x.at = at->of;
	return x;
}

void lt__cuda_described(
	struct lt_object *o, const struct lt_cuda_launches *all, lt__cuda_called_fn *each, void *user)
{
	for (uint32_t i = 0; i < all->n_launch; i++) {
		struct called_at at;
		if (all->launch[i].call < 0)
			continue;
		const struct blas_call x = call_of(o, all, i, NULL, &at);
		if (x.c->n_result)
			each(user, &(struct lt_cuda_called){ x.c, x.number, at.of, NULL });
	}
}

lt_status lt__cuda_calls_prepare(struct lt_object *o, const struct lt_cuda_launches *all, const struct lt_args *args,
	size_t *bytes, struct lt_diag *diag)
{
	const struct lt_cuda_plan *p;
	lt_status status = LT_OK;
	*bytes = 0;
	for (uint32_t i = 0; !status && all->n_call && i < all->n_launch; i++) {
		if (all->launch[i].call < 0)
			continue;
		size_t needs = 0;
		struct called_at at;
		const struct blas_call x = call_of(o, all, i, args, &at);
		if (x.c->n_result)
			status = o->s->more->prepare(o,
				&(struct lt_cuda_called){ x.c, x.number, at.of, args ? at.room : NULL }, &needs, diag);
		else if (!(status = lt__cuda_blas_open(o->s, cuda_name(o->tree), diag)) && !(status = plan_for(&x, &p, diag)))
			needs = p->workspace;
		*bytes = needs > *bytes ? needs : *bytes;
	}
	return status;
}

/* ---- a product ---- */

/* One for each iteration of the loops. */
static bool loops_next(const struct lt_blas_shape *s, int64_t *index)
{
	for (int32_t i = s->n_loop; i-- > 0; ) {
		if (++index[i] < s->loop[i].count)
			return true;
		index[i] = 0;
	}
	return false;
}

static const void *operand_at(const struct blas_call *x, const struct lt_blas_shape *s, const int64_t *index, int32_t o)
{
	int64_t at = 0;
	for (int32_t i = 0; i < s->n_loop; i++)
		at += index[i] * s->loop[i].stride[o];
	return (const void *)(uintptr_t)(x->at[o] + (uint64_t)at * bytes_of(dtype_of(x->o, x->c, o)));
}

lt_status lt__cuda_call(struct lt_object *o, const struct lt_cuda_launches *all, uint32_t i, const struct lt_args *args,
	const struct lt_cuda_where *to, struct lt_diag *diag)
{
	static const struct { double d[2]; float f[2]; } factors = { { 0, 1 }, { 0, 1 } };
	const struct lt_cuda_blas *b = &o->s->blas;
	struct called_at at;
	const struct blas_call x = call_of(o, all, i, args, &at);
	if (x.c->n_result)
		return o->s->more->call(o, &(struct lt_cuda_called){ x.c, x.number, at.of, at.room }, to, diag);
	const bool wide = x.c->sum == LT_F64, added = residual_of(x.c) > 0;
	const void *one = wide ? (const void *)&factors.d[1] : &factors.f[1], *beta = added ? one
		: wide ? (const void *)&factors.d[0] : &factors.f[0];
	const struct lt_cuda_plan *p;
	struct blas_product y;
	int64_t index[LT_MAX_CALL_DIMS] = { 0 };
	lt_status status = plan_for(&x, &p, diag);
	if (status)
		return status;
	const struct lt_blas_shape *s = &p->shape;
	cublasStatus_t r = product_make(b, &x, s, &y);
	do {
		void *d = (void *)(uintptr_t)operand_at(&x, s, index, 0);
		r = r ? r : b->multiply(b->handle, &y.what, one, operand_at(&x, s, index, s->a), &y.a,
			operand_at(&x, s, index, 3 - s->a), &y.b, beta, operand_at(&x, s, index, residual_of(x.c)), &y.c, d, &y.d,
			&p->algorithm, (void *)(uintptr_t)(p->workspace ? to->workspace : 0), p->workspace, to->stream);
	} while (!r && loops_next(s, index));
	return lt__cuda_blas_check(o->s, r, diag, cuda_name(o->tree), x.c->routine);
}
