/* verify.c -- a plan is tried before it is used: on random numbers, twice, between guard zones, and once more with a
 * NaN, infinities and -0 among them; each time compared with what the call computes by its description (reference.h).
 *
 * Two tests, since a bound that holds for any order of a long sum lets a less exact arithmetic pass: each element
 * within 8 roundings of the norms of its factors, as the operators behind move them, and all elements together within
 * what was measured of plans that are right (a tenth of a millionth to a millionth in float32; TF32 has 3e-4).
 *
 * What is around what it reads is NaN: an element that is read beyond the end is seen in the result.
 */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "backends/backends.h"
#include "backends/cudnn/cudnn.h"
#include "backends/cudnn/reference.h"

enum { GUARD = 4096, GUARDED = 0xa5, GUARDED_READ = 0xff, PATTERN = 65521, MAX_AXIS = 64 };
/* Elements of a result that are compared: corners of so many axes, with one axis at an end, anywhere; near what is
 * odd. */
enum { CORNERS = 8, ON_EDGE = 32, ANYWHERE = 4096, SPOTS = 4, NEAR = 2048, NEAR_BY = 3 };
struct cudnn_block { CUdeviceptr at; size_t bytes; unsigned char guard; };
/* What a trial's time goes into. */
enum cudnn_trial_part { DATA, RUNS, JUDGED, TRIAL_PARTS };
struct cudnn_trial {
	struct lt_session *s;
	const struct lt_cudnn_wish *w;
	const struct lt_cudnn_plan *p;
	CUstream stream;
	int32_t n_result, n_operand;
	struct cudnn_block *block;      /* of each operand, of each result once more, the workspace, a mask */
	CUdeviceptr program;            /* of the mask */
	struct reference_operand *operand;
	CUdeviceptr scratch[4];         /* of what is judged now */
	int64_t spot[SPOTS][MAX_AXIS];  /* where what is odd is read */
	uint64_t state;                 /* of random numbers */
	double ms[TRIAL_PARTS];
	bool poor;                      /* there was no memory for the plan's workspace */
	char *why;
	size_t why_bytes;
};

/* Below n, which is less than 2^31. */
static int64_t draw(struct cudnn_trial *v, int64_t n)
{
	v->state = v->state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (int64_t)((v->state >> 33) * (uint64_t)n >> 31);
}

static const struct lt_call_read *read_at(const struct cudnn_trial *v, int32_t i)
{
	return LT_AT(struct lt_call_read, v->w->tree->call_reads, v->w->call->first_read + i);
}
static const struct lt_call_result *result_at(const struct cudnn_trial *v, int32_t i)
{
	return LT_AT(struct lt_call_result, v->w->tree->call_results, v->w->call->first_result + i);
}
static int64_t extent_of(const struct cudnn_trial *v, int32_t axis)
{
	return LT_AT(struct lt_call_dim, v->w->tree->call_dims, v->w->call->first_axis + axis)->extent;
}

/* ---- memory ---- */

static CUresult memory_new(struct cudnn_trial *v, size_t bytes, CUdeviceptr *out)
{
	(void)pthread_mutex_lock(&v->s->lock);
	CUresult r = lt__cuda_pool_new(&v->s->pool, &v->s->cuda, bytes ? bytes : 1, out);
	(void)pthread_mutex_unlock(&v->s->lock);
	return r;
}

static void memory_free(struct cudnn_trial *v, CUdeviceptr *at)
{
	(void)pthread_mutex_lock(&v->s->lock);
	if (*at)
		lt__cuda_pool_free(&v->s->pool, *at);
	(void)pthread_mutex_unlock(&v->s->lock);
	*at = 0;
}

static CUresult block_new(struct cudnn_trial *v, struct cudnn_block *b, size_t bytes, unsigned char guard)
{
	b->bytes = bytes;
	b->guard = guard;
	CUresult r = memory_new(v, bytes + 2 * GUARD, &b->at);
	return r ? r : v->s->cuda.fill(b->at, guard, bytes + 2 * GUARD, v->stream);
}

/* The pattern again and again: what is there is copied behind itself. */
static CUresult block_fill(
	struct cudnn_trial *v, const struct cudnn_block *b, const void *pattern, size_t pattern_bytes)
{
	const struct lt_cuda_driver *cuda = &v->s->cuda;
	const CUdeviceptr at = b->at + GUARD;
	size_t have = b->bytes < pattern_bytes ? b->bytes : pattern_bytes;
	CUresult r = cuda->copy_to_device(at, pattern, have, v->stream);
	while (!r && have < b->bytes) {
		const size_t more = have < b->bytes - have ? have : b->bytes - have;
		r = cuda->copy_within(at + have, at, more, v->stream);
		have += more;
	}
	return r ? r : cuda->stream_wait(v->stream);
}

/* Floats from -1 to 1, integers from 1 to 8: a table of all of them, of the type that was last asked for. */
enum { LEVELS = 4001, WHOLE = 8 };
struct cudnn_levels { uint32_t dtype; int64_t n; char at[LEVELS * sizeof(double)]; };

static void levels_of(struct cudnn_levels *l, uint32_t dtype)
{
	const bool is_float = lt__number_is_float(dtype);
	if (l->dtype == dtype)
		return;
	l->dtype = dtype;
	l->n = is_float ? LEVELS : WHOLE;
	for (int64_t k = 0; k < l->n; k++) {
		union lt_number x = { .i = dtype == LT_BOOL ? k % 2 : k + 1 };
		if (is_float)
			x.f = (double)(k - LEVELS / 2) / (LEVELS / 2);
		lt__number_store(l->at, k, dtype, lt__number_round(x, dtype));
	}
}

static void *pattern_new(struct cudnn_trial *v, struct cudnn_levels *l, uint32_t dtype)
{
	const size_t each = lt__number_bytes(dtype);
	char *pattern = malloc(PATTERN * each);
	levels_of(l, dtype);
	for (size_t i = 0; pattern && i < PATTERN; i++)
		memcpy(pattern + i * each, l->at + (size_t)draw(v, l->n) * each, each);
	return pattern;
}

/* How many keys count, from one to all; not all in the first batch, so that a plan which lets all count is seen. */
static void *lengths_new(struct cudnn_trial *v, uint32_t dtype)
{
	const struct lt_cudnn_mask *m = &v->w->form.mask;
	char *pattern = malloc(PATTERN * lt__number_bytes(dtype));
	for (int i = 0; pattern && i < PATTERN; i++)
		lt__number_store(pattern, i, dtype, (union lt_number){ .i = m->least + draw(v, m->most - m->least + (i > 0)) });
	return pattern;
}

/* From the first element that a tensor of the form has of an operand to the last one. */
static void find_operands(struct cudnn_trial *v)
{
	const struct lt_cudnn_form *f = &v->w->form;
	for (int i = 0; i < f->n_tensor; i++) {
		const struct lt_cudnn_tensor *t = &f->tensor[i];
		struct reference_operand *o = t->operand < 0 ? NULL : &v->operand[t->operand];
		if (!o)
			continue;
		const int64_t elems = (int64_t)(cudnn_bytes(t) / cudnn_element_bytes(t->dtype)),
			first = o->elems && o->first < t->offset ? o->first : t->offset,
			end = o->elems && o->first + o->elems > t->offset + elems ? o->first + o->elems : t->offset + elems;
		*o = (struct reference_operand){ .first = first, .elems = end - first, .type = (int32_t)t->dtype };
	}
}

static CUresult blocks_new(struct cudnn_trial *v)
{
	struct cudnn_levels levels = { .dtype = 0 };
	CUresult r = CUDA_SUCCESS;
	find_operands(v);
	for (int32_t i = 0; i < v->n_operand && !r; i++) {
		struct reference_operand *o = &v->operand[i];
		const uint32_t dtype = (uint32_t)o->type;
		const size_t each = lt__number_bytes(dtype), bytes = (size_t)o->elems * each;
		if (!o->elems)
			continue;
		const unsigned char guard = i < v->n_result ? GUARDED : GUARDED_READ;
		r = block_new(v, &v->block[i], bytes, guard);
		if (!r && i < v->n_result)
			r = block_new(v, &v->block[v->n_operand + i], bytes, guard);
		o->at = v->block[i].at + GUARD;
		if (r || i < v->n_result)
			continue;
		const struct lt_cudnn_mask *m = &v->w->form.mask;
		void *pattern = m->how == LT_CUDNN_LENGTHS && m->read[0] == i ? lengths_new(v, dtype)
			: pattern_new(v, &levels, dtype);
		r = pattern ? block_fill(v, &v->block[i], pattern, PATTERN * each) : LT_CUDA_NO_HOST_MEMORY;
		free(pattern);
	}
	const size_t room = v->p->workspace ? (size_t)v->p->workspace : 1;
	if (!r) {
		r = block_new(v, &v->block[v->n_operand + v->n_result], room, GUARDED);
		v->poor = r == CUDA_ERROR_OUT_OF_MEMORY;
	}
	const size_t mask = lt__cudnn_mask_bytes(&v->w->form);
	return r || !mask ? r : block_new(v, &v->block[v->n_operand + v->n_result + 1], mask, GUARDED_READ);
}

/* ---- it runs ---- */

static bool wrong(struct cudnn_trial *v, const char *format, ...) __attribute__((format(printf, 2, 3)));
static bool wrong(struct cudnn_trial *v, const char *format, ...)
{
	va_list args;
	va_start(args, format);
	(void)vsnprintf(v->why, v->why_bytes, format, args);
	va_end(args);
	return false;
}

/* again: into the other results. */
static CUresult run_once(struct cudnn_trial *v, cudnnHandle_t handle, bool again)
{
	const struct lt_cudnn_form *f = &v->w->form;
	const struct cudnn_block *result = v->block + (again ? v->n_operand : 0);
	const uint64_t mask = lt__cudnn_mask_at(v->block[v->n_operand + v->n_result + 1].at + GUARD);
	uint64_t at[LT_CUDNN_TENSORS], operand[LT_CUDNN_TENSORS];
	CUresult r = CUDA_SUCCESS;
	for (int32_t i = 0; i < v->n_result && !r; i++)         /* what it leaves out is no number */
		r = result[i].at ? v->s->cuda.fill(result[i].at + GUARD, 0xff, result[i].bytes, v->stream) : CUDA_SUCCESS;
	for (int i = 0; i < f->n_tensor; i++) {
		const struct lt_cudnn_tensor *t = &f->tensor[i];
		at[i] = t->operand == LT_CUDNN_MASK ? cudnn_made_at(t, mask) : cudnn_constant(v->p, t);
		if (t->operand >= 0)
			operand[t->operand] = (t->operand < v->n_result ? result : v->block)[t->operand].at + GUARD;
		if (t->operand >= 0)
			at[i] = (t->operand < v->n_result ? result : v->block)[t->operand].at + GUARD
				+ (uint64_t)(t->offset - v->operand[t->operand].first) * cudnn_element_bytes(t->dtype);
	}
	r = r ? r : lt__cudnn_mask_make(v->s, f, v->program, operand, mask, v->stream);
	if (!r && lt__cudnn_execute(cudnn_of(v->s), v->p, f, handle, at, v->block[v->n_operand + v->n_result].at + GUARD))
		r = CUDA_ERROR_UNKNOWN;
	r = r ? r : lt__cudnn_mask_after(v->s, f, operand, v->stream);
	return r ? r : v->s->cuda.stream_wait(v->stream);
}

static const char *block_name(const struct cudnn_trial *v, int32_t i)
{
	return i > v->n_operand + v->n_result ? "its mask" : i == v->n_operand + v->n_result ? "its workspace"
		: i < v->n_result || i >= v->n_operand ? v->n_result > 1 ? "a result" : "the result" : "what it reads";
}

static CUresult guards_check(struct cudnn_trial *v, bool *good)
{
	unsigned char zone[GUARD];
	CUresult r = CUDA_SUCCESS;
	for (int32_t i = 0; i <= v->n_operand + v->n_result + 1 && !r; i++)
		for (int side = 0; side < 2 && !r && v->block[i].at; side++) {
			r = v->s->cuda.copy_to_host(zone, v->block[i].at + (side ? GUARD + v->block[i].bytes : 0), GUARD, v->stream);
			r = r ? r : v->s->cuda.stream_wait(v->stream);
			for (int k = 0; k < GUARD && !r && *good; k++)
				if (zone[k] != v->block[i].guard)
					*good = wrong(v, "it writes %s %s", side ? "behind" : "before", block_name(v, i));
		}
	return r;
}

/* Of what is between its elements nobody says anything: they are poisoned alike. */
static CUresult same_check(struct cudnn_trial *v, bool *good)
{
	const struct lt_cuda_driver *cuda = &v->s->cuda;
	int64_t differs = 0;
	CUresult r = memory_new(v, sizeof differs, &v->scratch[0]);
	r = r ? r : cuda->fill(v->scratch[0], 0, sizeof differs, v->stream);
	for (int32_t i = 0; i < v->n_result && !r; i++) {
		const struct cudnn_block *a = &v->block[i], *b = &v->block[v->n_operand + i];
		const uint64_t argument[] = { a->at + GUARD, b->at + GUARD, a->bytes, v->scratch[0] };
		if (a->at)
			r = lt__cudnn_launch(v->s, LT_CUDNN_SAME, v->stream, (int64_t)a->bytes, argument, 4);
	}
	r = r ? r : cuda->copy_to_host(&differs, v->scratch[0], sizeof differs, v->stream);
	r = r ? r : cuda->stream_wait(v->stream);
	if (!r && differs)
		*good = wrong(v, "a second run of it gives other bits");
	memory_free(v, &v->scratch[0]);
	return r;
}

/* ---- which elements ---- */

static uint64_t axes_of(const struct cudnn_trial *v, int32_t result)
{
	const struct lt_call_op *op = LT_AT(struct lt_call_op, v->w->tree->call_ops,
		v->w->call->first_op + result_at(v, result)->op);
	uint64_t axes = op->axes & ~op->reduced, more = 0;
	for (int32_t a = 0; a < v->w->call->n_axis; a++)
		more |= extent_of(v, a) > 1 ? UINT64_C(1) << a : 0;
	return axes & more;
}

static void draw_position(struct cudnn_trial *v, uint64_t axes, int64_t *at)
{
	for (int32_t a = 0; a < v->w->call->n_axis; a++)
		at[a] = axes >> a & 1 ? draw(v, extent_of(v, a)) : 0;
}

/* Corners, edges, anywhere, and beside what is odd: n positions, malloc's. */
static int64_t *positions_new(struct cudnn_trial *v, int32_t result, bool is_odd, int64_t *n)
{
	const uint64_t axes = axes_of(v, result);
	const int32_t n_axis = v->w->call->n_axis, n_free = __builtin_popcountll(axes), n_corner = n_free < CORNERS ? n_free
		: CORNERS;
	const int64_t corners = INT64_C(1) << n_corner, edges = 2 * n_free * ON_EDGE;
	*n = corners + edges + ANYWHERE + (is_odd ? NEAR : 0);
	int64_t *all = calloc((size_t)(*n * n_axis) + 1, sizeof *all), *at = all;
	for (int64_t i = 0; all && i < *n; i++, at += n_axis) {
		int64_t rest = i < corners ? i : i - corners, which = 0;
		draw_position(v, axes, at);
		for (int32_t a = 0; a < n_axis && i < corners + edges; a++) {
			if (!(axes >> a & 1))
				continue;
			if (i < corners && which < n_corner)
				at[a] = rest >> which & 1 ? extent_of(v, a) - 1 : 0;
			else if (i >= corners && which == rest / (2 * ON_EDGE))
				at[a] = rest % 2 ? extent_of(v, a) - 1 : 0;
			which++;
		}
		if (i < corners + edges + ANYWHERE)
			continue;
		for (int32_t a = 0; a < n_axis; a++) {
			const int64_t near = v->spot[i % SPOTS][a] + draw(v, 2 * NEAR_BY + 1) - NEAR_BY;
			if (axes >> a & 1 && draw(v, 4))       /* the others anywhere */
				at[a] = near < 0 ? 0 : near < extent_of(v, a) ? near : extent_of(v, a) - 1;
		}
	}
	return all;
}

/* ---- compared ---- */

/* What all of them differ by, and what that is measured by; decided: how many could be judged. */
struct cudnn_off { double wrong, all; int64_t decided; };

static bool compare_at(struct cudnn_trial *v, int32_t result, const struct reference_result *x, struct cudnn_off *sum)
{
	const char *of = v->n_result == 1 ? "" : result ? " of another result" : " of the first result";
	const double off = fabs(x->got - x->value);
	if (x->unknown)
		return wrong(v, "it reads other elements than the call");
	if (!(x->error < (double)INFINITY))
		return true;
	sum->decided++;
	if (!reference_agrees(x, v->operand[result].type))
		return wrong(v, "element %lld%s is %.9g, not %.9g, give or take %.2g", (long long)x->element, of, x->got, x->value,
			x->error);
	if (isfinite(off) && isfinite(x->size)) {
		sum->wrong += off * off;
		sum->all += x->size * x->size;
	}
	return true;
}

/* By the shortest type that it reads or writes. */
static double most_of(const struct cudnn_trial *v)
{
	double most = v->w->tf32 ? 2e-3 : 1e-5;
	for (int32_t i = 0; i < v->n_operand; i++) {
		const double is = v->operand[i].type == LT_BF16 ? 1e-2 : v->operand[i].type == LT_F16 ? 2e-3 : 0;
		most = is > most ? is : most;
	}
	return most;
}

/* What is odd may be in most of them. */
static bool compare(
	struct cudnn_trial *v, int32_t result, bool is_odd, const struct reference_result *x, int64_t n)
{
	const double most = most_of(v);
	struct cudnn_off sum = { 0, 0, 0 };
	for (int64_t i = 0; i < n; i++)
		if (!compare_at(v, result, &x[i], &sum))
			return false;
	if (sum.decided < (is_odd ? 1 : n / 2))
		return wrong(v, "what it should give cannot be said");
	return sum.wrong <= most * most * sum.all || wrong(v, "its elements are off by %.2g of their norm, and %.2g is what "
		"they may be", sqrt(sum.wrong / sum.all), most);
}

/* What is there of a program on the device: itself, positions, what each thread says, its room. */
enum { PROGRAM, POSITIONS, SAID, ROOM, N_SCRATCH };

/* The room, for as many threads as share the sums of an element: those of a subgroup, or fewer if the device has no
 * memory for them. */
static CUresult room_new(struct cudnn_trial *v, const struct reference_program *p, int64_t n, int64_t *lanes)
{
	enum { SUBGROUP = 32 };
	const size_t each = (size_t)n * (size_t)reference_room_bytes(p), said = (size_t)n * sizeof(struct reference_result);
	CUresult r = CUDA_ERROR_OUT_OF_MEMORY;
	for (*lanes = SUBGROUP; ; *lanes /= 2) {
		r = memory_new(v, said * (size_t)*lanes, &v->scratch[SAID]);
		r = r ? r : memory_new(v, each * (size_t)*lanes, &v->scratch[ROOM]);
		if (r != CUDA_ERROR_OUT_OF_MEMORY || *lanes == 1)
			return r;
		memory_free(v, &v->scratch[SAID]);
		memory_free(v, &v->scratch[ROOM]);
	}
}

/* out: of each element. */
static CUresult judge_on(struct cudnn_trial *v, const struct reference_program *p, size_t bytes,
	const int64_t *position, struct reference_result *out, int64_t n)
{
	const struct lt_cuda_driver *cuda = &v->s->cuda;
	const size_t places = (size_t)(n * p->n_axis) * sizeof *position;
	int64_t lanes = 1;
	CUresult r = memory_new(v, bytes, &v->scratch[PROGRAM]);
	r = r ? r : memory_new(v, places, &v->scratch[POSITIONS]);
	r = r ? r : room_new(v, p, n, &lanes);
	struct reference_result *all = r ? NULL : calloc((size_t)(n * lanes), sizeof *all);
	const uint64_t argument[] = { v->scratch[PROGRAM], v->scratch[POSITIONS], v->scratch[ROOM], v->scratch[SAID],
		(uint64_t)n, (uint64_t)lanes };
	r = r || all ? r : LT_CUDA_NO_HOST_MEMORY;
	r = r ? r : cuda->copy_to_device(v->scratch[PROGRAM], p, bytes, v->stream);
	r = r || !places ? r : cuda->copy_to_device(v->scratch[POSITIONS], position, places, v->stream);
	r = r ? r : lt__cudnn_launch(v->s, LT_CUDNN_REFERENCE, v->stream, n * lanes, argument, 6);
	r = r ? r : cuda->copy_to_host(all, v->scratch[SAID], (size_t)(n * lanes) * sizeof *all, v->stream);
	const CUresult waited = cuda->stream_wait(v->stream);
	for (int i = 0; i < N_SCRATCH; i++)
		memory_free(v, &v->scratch[i]);
	/* They say the same, but for what each has read. */
	for (int64_t i = 0; i < n && !r && !waited; i++) {
		out[i] = all[i * lanes];
		for (int64_t k = 1; k < lanes; k++)
			out[i].unknown = out[i].unknown || all[i * lanes + k].unknown;
	}
	free(all);
	return r ? r : waited;
}

static CUresult judge(struct cudnn_trial *v, bool is_odd, bool *good)
{
	const struct lt_cudnn_question q = { .tree = v->w->tree, .call = v->w->call, .operand = v->operand,
		.tf32 = v->w->tf32 };
	CUresult r = CUDA_SUCCESS;
	for (int32_t i = 0; i < v->n_result && !r && *good; i++) {
		struct reference_program *p;
		size_t bytes;
		int64_t n;
		const char *none = lt__cudnn_reference(&q, i, &p, &bytes);
		if (none) {
			*good = wrong(v, "%s", none);
			continue;
		}
		int64_t *position = positions_new(v, i, is_odd, &n);
		struct reference_result *x = position ? calloc((size_t)n, sizeof *x) : NULL;
		r = x ? judge_on(v, p, bytes, position, x, n) : LT_CUDA_NO_HOST_MEMORY;
		if (!r)
			*good = compare(v, i, is_odd, x, n);
		free(x);
		free(position);
		free(p);
	}
	return r;
}

/* ---- what is odd ---- */

/* Whether the call reads an element there; guards are rows without loops and run-time scalars. */
static bool is_read(const struct cudnn_trial *v, const struct lt_call_read *x, const int64_t *at, int64_t *element)
{
	const struct lt_tree *t = v->w->tree;
	*element = 0;
	for (int32_t a = 0; a < v->w->call->n_axis; a++)
		*element += t->strides[x->first_stride + a] * at[a];
	for (int32_t g = 0; g < x->n_guard; g++) {
		const struct lt_call_guard *guard = LT_AT(struct lt_call_guard, t->call_guards, x->first_guard + g);
		int64_t place = t->rows[(int64_t)guard->row * t->n_column];
		for (int32_t a = 0; a < v->w->call->n_axis; a++)
			place += t->strides[guard->first_stride + a] * at[a];
		if (place < 0)
			return false;
	}
	return true;
}

/* Not the filters, of which it is not said whether an infinity meets the zeros of a border; not what a mask leaves out:
 * a key that is no number counts where its product with 0 is added.  Infinite queries may have no score that is
 * finite. */
static bool may_be_odd(const struct cudnn_trial *v, int32_t read, int which)
{
	const struct lt_call *c = v->w->call;
	const struct lt_call_anchor *a = c->anchor < 0 ? NULL : LT_AT(struct lt_call_anchor, v->w->tree->call_anchors,
		c->anchor);
	if (!lt__number_is_float((uint32_t)v->operand[v->n_result + read].type))
		return false;
	return !a || a->kind == LT_ANCHOR_NORM || (read != a->read[1] && read != a->read[2]
		&& (a->kind != LT_ANCHOR_ATTENTION || which == 0 || which == SPOTS - 1));
}

/* Each of them once in each operand, where the element at a spot reads it. */
static CUresult odd_write(struct cudnn_trial *v)
{
	enum { TRIES = 16 };
	static const double odd[SPOTS] = { NAN, INFINITY, -INFINITY, -0.0 };
	const uint64_t axes = axes_of(v, 0), all = ~UINT64_C(0);
	int64_t at[MAX_AXIS], element;
	CUresult r = CUDA_SUCCESS;
	for (int k = 0; k < SPOTS && !r; k++) {
		draw_position(v, axes, v->spot[k]);
		for (int32_t i = 0; i < v->w->call->n_read && !r; i++) {
			const struct reference_operand *o = &v->operand[v->n_result + i];
			const size_t each = lt__number_bytes((uint32_t)o->type);
			char bits[sizeof(double)];
			bool found = false;
			for (int turn = 0; turn < TRIES && !found && o->elems && may_be_odd(v, i, k); turn++) {
				draw_position(v, all, at);
				for (int32_t a = 0; a < v->w->call->n_axis; a++)
					at[a] = axes >> a & 1 ? v->spot[k][a] : at[a];
				found = is_read(v, read_at(v, i), at, &element) && element >= o->first && element - o->first < o->elems;
			}
			if (!found)
				continue;
			lt__number_store(bits, 0, (uint32_t)o->type, (union lt_number){ .f = odd[k] });
			r = v->s->cuda.copy_to_device(o->at + (uint64_t)(element - o->first) * each, bits, each, v->stream);
			r = r ? r : v->s->cuda.stream_wait(v->stream);
		}
	}
	return r;
}

/* ---- all of it ---- */

static double now_ms(void)
{
	struct timespec t;
	(void)clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
}

static double part_ends(struct cudnn_trial *v, enum cudnn_trial_part part, double from)
{
	const double now = now_ms();
	v->ms[part] += now - from;
	return now;
}

static void tell(const struct cudnn_trial *v, bool good, double begin)
{
	char text[200];
	if (!LT_HAS(struct lt_host, v->s->host, log))
		return;
	(void)snprintf(text, sizeof text, "cuDNN's engine %lld %s its trial, which took %.1f ms: data %.1f, its runs %.1f, "
		"judged in %.1f", (long long)v->p->engine, good ? "has passed" : "fails", now_ms() - begin, v->ms[DATA], v->ms[RUNS],
		v->ms[JUDGED]);
	v->s->host->log(v->s->host, LT_LOG_DEBUG, text);
}

static CUresult verify_in(struct cudnn_trial *v, cudnnHandle_t handle, bool *good)
{
	double from = now_ms();
	CUresult r = blocks_new(v);
	*good = true;
	from = part_ends(v, DATA, from);
	r = r ? r : run_once(v, handle, false);
	r = r ? r : run_once(v, handle, true);
	r = r ? r : guards_check(v, good);
	r = r || !*good ? r : same_check(v, good);
	from = part_ends(v, RUNS, from);
	r = r || !*good ? r : judge(v, false, good);
	from = part_ends(v, JUDGED, from);
	r = r || !*good ? r : odd_write(v);
	r = r || !*good ? r : run_once(v, handle, false);
	from = part_ends(v, RUNS, from);
	r = r || !*good ? r : judge(v, true, good);
	(void)part_ends(v, JUDGED, from);
	return r || !*good ? r : guards_check(v, good);
}

lt_status lt__cudnn_verify(struct lt_session *s, const struct lt_cudnn_wish *w, const struct lt_cudnn_plan *p,
	char *why, size_t bytes, struct lt_diag *diag)
{
	struct cudnn_trial v = { .s = s, .w = w, .p = p, .n_result = w->call->n_result,
		.n_operand = w->call->n_result + w->call->n_read, .state = 7, .why = why, .why_bytes = bytes };
	struct lt_cudnn *d = cudnn_of(s);
	bool good = false;
	lt_status status = lt__cudnn_kernels(s, diag);
	if (!status)
		status = lt__cudnn_mask_new(s, w->tree, w->call, &w->form, &v.program, diag);
	if (status)
		return status;
	const double begin = now_ms();
	v.operand = calloc((size_t)v.n_operand + 1, sizeof *v.operand);
	v.block = calloc((size_t)(v.n_operand + v.n_result) + 2, sizeof *v.block);
	CUresult r = v.operand && v.block ? s->cuda.stream_new(&v.stream, CU_STREAM_NON_BLOCKING) : LT_CUDA_NO_HOST_MEMORY;
	if (!r && d->api.set_stream(d->handle, (cudaStream_t)v.stream))
		r = CUDA_ERROR_UNKNOWN;
	if (!r)
		r = verify_in(&v, d->handle, &good);
	if (v.stream) {
		(void)s->cuda.stream_wait(v.stream);
		for (int32_t i = 0; i <= v.n_operand + v.n_result + 1; i++)
			memory_free(&v, &v.block[i].at);
		(void)d->api.set_stream(d->handle, NULL);
		(void)s->cuda.stream_free(v.stream);
	}
	lt__cudnn_mask_free(s, &v.program);
	free(v.operand);
	free(v.block);
	if (r == CUDA_ERROR_UNKNOWN && !s->lost) {              /* the library's own failure is this plan's */
		(void)snprintf(why, bytes, "it does not run");
		return LT_EMISSING;
	}
	if (v.poor) {
		(void)snprintf(why, bytes, "the device has no memory for its %lld bytes of workspace", (long long)p->workspace);
		return LT_EBUDGET;
	}
	status = r == CUDA_ERROR_OUT_OF_MEMORY ? lt__report(diag, LT_ENOMEM, -1, -1, "use smaller extents, or free memory "
		"that other programs hold", "trying a plan of cuDNN: the device has no memory for what the plan reads and writes, "
		"and its results twice") : lt__cuda_check(s, r, diag, "trying a plan of cuDNN");
	if (!status)
		tell(&v, good, begin);
	return status ? status : good ? LT_OK : LT_EMISSING;
}
