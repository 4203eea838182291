/* verify.c -- a plan is tried before it is used: twice, on random numbers with a NaN, infinities and -0 among them,
 * between guard zones, and compared with what the call computes by its description (reference.c).
 *
 * Two tests, since a bound that holds for any order of a long sum lets a less exact arithmetic pass: each element
 * within 8 roundings of the norms of its factors, and all elements together within what was measured of plans that are
 * right (a tenth of a millionth to a millionth in float32; TF32 has 3e-4).
 */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "backends/backends.h"
#include "backends/cudnn/cudnn.h"

enum { GUARD = 4096, GUARDED = 0xa5, RANDOM = 1024, MAX_CORNER = 64 };
struct cudnn_trial {
	struct lt_session *s;
	const struct lt_cudnn_wish *w;
	const struct lt_cudnn_plan *p;
	struct lt_cudnn_sample sample;
	CUstream stream;
	CUdeviceptr block[LT_CUDNN_TENSORS + 1];        /* the last: the workspace */
	size_t bytes[LT_CUDNN_TENSORS + 1];             /* between the guards */
	int result;                                     /* the form's tensor that is the result */
	double *values[2];
	uint64_t state;                                 /* of random numbers */
	char *why;
	size_t why_bytes;
};

static uint64_t draw(struct cudnn_trial *v)
{
	v->state = v->state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return v->state >> 33;
}

/* ---- memory ---- */

static CUresult block_new(struct cudnn_trial *v, int i, size_t bytes)
{
	const struct lt_cuda_driver *cuda = &v->s->cuda;
	v->bytes[i] = bytes;
	(void)pthread_mutex_lock(&v->s->lock);
	CUresult r = lt__cuda_pool_new(&v->s->pool, cuda, bytes + 2 * GUARD, &v->block[i]);
	(void)pthread_mutex_unlock(&v->s->lock);
	return r ? r : cuda->fill(v->block[i], GUARDED, bytes + 2 * GUARD, v->stream);
}

/* The pattern again and again: what is there is copied behind itself. */
static CUresult block_fill(struct cudnn_trial *v, int i, const void *pattern, size_t pattern_bytes)
{
	const struct lt_cuda_driver *cuda = &v->s->cuda;
	const CUdeviceptr at = v->block[i] + GUARD;
	size_t have = v->bytes[i] < pattern_bytes ? v->bytes[i] : pattern_bytes;
	CUresult r = cuda->copy_to_device(at, pattern, have, v->stream);
	while (!r && have < v->bytes[i]) {
		const size_t more = have < v->bytes[i] - have ? have : v->bytes[i] - have;
		r = cuda->copy_within(at + have, at, more, v->stream);
		have += more;
	}
	return r;
}

/* Numbers of the type from -1 to 1, in double, too; odd: a few are none. */
static void *pattern_new(struct cudnn_trial *v, bool with_odd, double **out)
{
	static const double odd[] = { NAN, INFINITY, -INFINITY, -0.0 };
	const uint32_t dtype = cudnn_dtype(&v->w->form);
	void *pattern = calloc(LT_CUDNN_PATTERN, cudnn_element_bytes(dtype));
	double *values = pattern ? calloc(LT_CUDNN_PATTERN, sizeof *values) : NULL;
	for (int64_t i = 0; values && i < LT_CUDNN_PATTERN; i++) {
		union lt_number x = { .f = (double)((int64_t)(draw(v) % 4001) - 2000) / 2000 };
		for (size_t k = 0; k < sizeof odd / sizeof *odd; k++)
			x.f = with_odd && i == (int64_t)(17 + 13007 * k) ? odd[k] : x.f;
		x = lt__number_round(x, dtype);
		lt__number_store(pattern, i, dtype, x);
		values[i] = lt__number_load(pattern, i, dtype).f;
	}
	*out = values;
	if (!values) {
		free(pattern);
		return NULL;
	}
	return pattern;
}

static bool is_filters(const struct lt_cudnn_form *f, int tensor)
{
	for (int i = 0; i < f->n_node; i++)
		if (f->node[i].kind == LT_CUDNN_CONVOLUTION && f->node[i].in[1] == tensor)
			return true;
	return false;
}

static CUresult memory_new(struct cudnn_trial *v)
{
	const struct lt_cudnn_form *f = &v->w->form;
	const size_t each = cudnn_element_bytes(cudnn_dtype(f));
	/* None of the filters': whether an infinity meets the zeros of a border is not said. */
	void *pattern[] = { pattern_new(v, false, &v->values[0]), pattern_new(v, true, &v->values[1]) };
	CUresult r = pattern[0] && pattern[1] ? CUDA_SUCCESS : LT_CUDA_NO_HOST_MEMORY;
	for (int i = 0; i < f->n_tensor && !r; i++) {
		const struct lt_cudnn_tensor *t = &f->tensor[i];
		if (t->operand < 0)
			continue;
		const bool odd = !is_filters(f, i);
		v->sample.data[t->operand] = (struct lt_cudnn_data){ (int64_t)(cudnn_bytes(t) / each), t->offset, v->values[odd] };
		r = block_new(v, i, cudnn_bytes(t));
		if (!r && i != v->result)
			r = block_fill(v, i, pattern[odd], LT_CUDNN_PATTERN * each);
	}
	if (!r)
		r = block_new(v, LT_CUDNN_TENSORS, v->p->workspace ? (size_t)v->p->workspace : 1);
	if (!r)
		r = v->s->cuda.stream_wait(v->stream);
	free(pattern[0]);
	free(pattern[1]);
	return r;
}

static void memory_free(struct cudnn_trial *v)
{
	(void)v->s->cuda.stream_wait(v->stream);
	(void)pthread_mutex_lock(&v->s->lock);
	for (int i = 0; i <= LT_CUDNN_TENSORS; i++)
		if (v->block[i])
			lt__cuda_pool_free(&v->s->pool, v->block[i]);
	(void)pthread_mutex_unlock(&v->s->lock);
	free(v->values[0]);
	free(v->values[1]);
}

/* ---- what it gives ---- */

static bool wrong(struct cudnn_trial *v, const char *format, ...) __attribute__((format(printf, 2, 3)));
static bool wrong(struct cudnn_trial *v, const char *format, ...)
{
	va_list args;
	va_start(args, format);
	(void)vsnprintf(v->why, v->why_bytes, format, args);
	va_end(args);
	return false;
}

static CUresult run_once(struct cudnn_trial *v, cudnnHandle_t handle, void *result)
{
	const struct lt_cuda_driver *cuda = &v->s->cuda;
	const int y = v->result;
	uint64_t at[LT_CUDNN_TENSORS];
	for (int i = 0; i < v->w->form.n_tensor; i++)
		at[i] = v->block[i] ? v->block[i] + GUARD : v->w->form.tensor[i].operand == LT_CUDNN_ZEROS ? v->p->zeros : 0;
	CUresult r = cuda->fill(at[y], 0xff, v->bytes[y], v->stream);
	if (!r && lt__cudnn_execute(cudnn_of(v->s), v->p, &v->w->form, handle, at, v->block[LT_CUDNN_TENSORS] + GUARD))
		r = CUDA_ERROR_UNKNOWN;
	if (!r)
		r = cuda->copy_to_host(result, at[y], v->bytes[y], v->stream);
	return r ? r : cuda->stream_wait(v->stream);
}

static CUresult guards_check(struct cudnn_trial *v, bool *good)
{
	unsigned char zone[GUARD];
	CUresult r = CUDA_SUCCESS;
	for (int i = 0; i <= LT_CUDNN_TENSORS && !r; i++)
		for (int side = 0; side < 2 && !r && v->block[i]; side++) {
			r = v->s->cuda.copy_to_host(zone, v->block[i] + (side ? GUARD + v->bytes[i] : 0), GUARD, v->stream);
			r = r ? r : v->s->cuda.stream_wait(v->stream);
			for (int k = 0; k < GUARD && !r && *good; k++)
				if (zone[k] != GUARDED)
					*good = wrong(v, "it writes %s %s", side ? "behind" : "before", i == v->result ? "the result"
						: i == LT_CUDNN_TENSORS ? "its workspace" : is_filters(&v->w->form, i) ? "the filters"
						: "what it reads");
		}
	return r;
}

/* One element, and what all of them differ by. */
struct cudnn_off { double wrong, all; };

static bool compare_at(struct cudnn_trial *v, const void *result, int64_t *at, struct cudnn_off *sum)
{
	const uint32_t dtype = cudnn_dtype(&v->w->form);
	struct lt_cudnn_element e;
	if (!lt__cudnn_reference(&v->sample, at, &e))
		return wrong(v, "what it should give is not known");
	const double got = lt__number_load(result, e.element, dtype).f, f32 = 0x1p-24,
		step = dtype == LT_F16 ? 0x1p-10 : dtype == LT_BF16 ? 0x1p-7 : 0x1p-23,
		product = dtype == LT_F32 && v->w->tf32 ? 0x1p-10 : f32;
	if (!isfinite(e.value)) {
		const bool same = isnan(e.value) ? isnan(got) : e.value == got;
		return same || wrong(v, "element %lld is %g, not %g", (long long)e.element, got, e.value);
	}
	const double bound = 8 * product * e.norms + 4 * f32 * e.added + step * fabs(e.value)
		+ (dtype == LT_F16 ? 0x1p-24 : 0);
	if (!(fabs(got - e.value) <= bound))
		return wrong(v, "element %lld is %.9g, not %.9g, give or take %.2g", (long long)e.element, got, e.value, bound);
	sum->wrong += (got - e.value) * (got - e.value);
	sum->all += e.value * e.value;
	return true;
}

/* Corners and edges first: of each axis the first and the last. */
static bool compare(struct cudnn_trial *v, const void *result)
{
	const struct lt_tree *t = v->sample.tree;
	const struct lt_call *c = v->sample.call;
	const struct lt_call_result *to = LT_AT(struct lt_call_result, t->call_results, c->first_result);
	const uint64_t axes = LT_AT(struct lt_call_op, t->call_ops, c->first_op + to->op)->axes;
	const uint32_t dtype = cudnn_dtype(&v->w->form);
	const double most = dtype == LT_BF16 ? 1e-2 : dtype == LT_F16 || v->w->tf32 ? 2e-3 : 1e-5;
	struct cudnn_off sum = { 0, 0 };
	int64_t at[64];
	bool good = true;
	for (int n = 0; n < MAX_CORNER + RANDOM && good; n++) {
		int corner = n;
		for (int32_t a = 0; a < c->n_axis; a++) {
			const int64_t extent = LT_AT(struct lt_call_dim, t->call_dims, c->first_axis + a)->extent;
			at[a] = 0;
			if (!(axes >> a & 1) || extent == 1)
				continue;
			at[a] = n >= MAX_CORNER ? (int64_t)(draw(v) % (uint64_t)extent) : corner & 1 ? extent - 1 : 0;
			corner >>= 1;
		}
		good = compare_at(v, result, at, &sum);
	}
	return good && (sum.wrong <= most * most * sum.all
		|| wrong(v, "its elements are off by %.2g of their norm, and %.2g is what they may be", sqrt(sum.wrong / sum.all),
			most));
}

static CUresult verify_in(struct cudnn_trial *v, cudnnHandle_t handle, bool *good)
{
	char *first = NULL, *second = NULL;
	CUresult r = memory_new(v);
	const size_t bytes = v->bytes[v->result];
	if (!r && (!(first = malloc(bytes + 1)) || !(second = malloc(bytes + 1))))
		r = LT_CUDA_NO_HOST_MEMORY;
	r = r ? r : run_once(v, handle, first);
	r = r ? r : run_once(v, handle, second);
	*good = true;
	r = r ? r : guards_check(v, good);
	if (!r && *good)
		*good = compare(v, first);
	/* Of what is between its elements nobody says anything: they are poisoned alike. */
	if (!r && *good && memcmp(first, second, bytes) != 0)
		*good = wrong(v, "a second run of it gives other bits");
	free(first);
	free(second);
	return r;
}

lt_status lt__cudnn_verify(struct lt_session *s, const struct lt_cudnn_wish *w, const struct lt_cudnn_plan *p,
	char *why, size_t bytes, struct lt_diag *diag)
{
	struct cudnn_trial v = { .s = s, .w = w, .p = p, .sample = { .tree = w->tree, .call = w->call }, .state = 7,
		.why = why, .why_bytes = bytes };
	struct lt_cudnn *d = cudnn_of(s);
	bool good = false;
	while (w->form.tensor[v.result].operand != 0)
		v.result++;
	v.sample.data = calloc((size_t)(w->call->n_result + w->call->n_read) + 1, sizeof *v.sample.data);
	CUresult r = v.sample.data ? s->cuda.stream_new(&v.stream, CU_STREAM_NON_BLOCKING) : LT_CUDA_NO_HOST_MEMORY;
	if (!r && d->api.set_stream(d->handle, (cudaStream_t)v.stream))
		r = CUDA_ERROR_UNKNOWN;
	if (!r)
		r = verify_in(&v, d->handle, &good);
	if (v.stream) {
		memory_free(&v);
		(void)d->api.set_stream(d->handle, NULL);
		(void)s->cuda.stream_free(v.stream);
	}
	free(v.sample.data);
	if (r == CUDA_ERROR_UNKNOWN && !s->lost) {              /* the library's own failure is this plan's */
		(void)snprintf(why, bytes, "it does not run");
		return LT_EMISSING;
	}
	lt_status status = lt__cuda_check(s, r, diag, "trying a plan of cuDNN");
	return status ? status : good ? LT_OK : LT_EMISSING;
}
