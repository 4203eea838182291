/* dnnl.c -- oneDNN, opened at run time: its symbols, its descriptions, layers made of them. */
#include <dlfcn.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include "tools/bench/bench.h"
#include "tools/bench/dnnl.h"

enum { F32 = 3, ANY = 1, CPU = 1, IN_ORDER = 1, INFERENCE = 96, CONVOLUTION_AUTO = 3, SOFTMAX_ACCURATE = 0x30000 };
enum {
	RELU_2 = 31,
	RELU_3 = 32,
	SRC_MD = 129,
	WEIGHTS_MD = 131,
	DST_MD = 133,
	SRC = 1,
	DST = 17,
	WEIGHTS = 33,
	BIAS = 41
};
enum { DESCRIPTION = 1 << 13, DIMS = 12, STAGES = 8, MEMORIES = 32, BUFFERS = 8 };

typedef int64_t dims[DIMS];
struct argument { int what; void *memory; };

struct library {
	void *handle;
	int major;
	int (*sgemm)(char ta, char tb, int64_t m, int64_t n, int64_t k, float alpha, const float *a, int64_t lda,
		const float *b, int64_t ldb, float beta, float *c, int64_t ldc);
	int (*engine_create)(void **, int kind, size_t index);
	int (*engine_destroy)(void *);
	int (*stream_create)(void **, void *engine, unsigned flags);
	int (*stream_wait)(void *);
	int (*stream_destroy)(void *);
	int (*memory_create)(void **, const void *description, void *engine, void *data);
	int (*memory_destroy)(void *);
	int (*primitive_create)(void **, const void *);
	int (*primitive_destroy)(void *);
	int (*execute)(const void *primitive, void *stream, int n, const struct argument *);
	const void *(*query)(const void *, int what, int index);
	int (*description_destroy)(void *);
	int (*reorder)(void **, const void *from, void *from_engine, const void *to, void *to_engine, const void *attributes);
	int (*attributes_create)(void **);
	int (*attributes_destroy)(void *);
	int (*attributes_set)(void *, const void *steps);
	int (*steps_create)(void **);
	int (*steps_destroy)(void *);
	int (*steps_eltwise_2)(void *, float scale, int algorithm, float alpha, float beta);
	int (*steps_eltwise_3)(void *, int algorithm, float alpha, float beta);
	/* 2: into a buffer; 3: a new one. */
	int (*strided_2)(void *, int n, const int64_t *extent, int type, const int64_t *stride);
	int (*tagged_2)(void *, int n, const int64_t *extent, int type, int tag);
	int (*strided_3)(void **, int n, const int64_t *extent, int type, const int64_t *stride);
	int (*tagged_3)(void **, int n, const int64_t *extent, int type, int tag);
	int (*memory_description_destroy)(void *);
	size_t (*size)(const void *);
	int (*describe)(void **, const void *operation, const void *attributes, void *engine, const void *hint);
	int (*convolution_2)(void *, int kind, int algorithm, const void *src, const void *weights, const void *bias,
		const void *dst, const int64_t *stride, const int64_t *dilation, const int64_t *left,
		const int64_t *right);
	int (*convolution_3)(void **, void *engine, int kind, int algorithm, const void *src, const void *weights,
		const void *bias, const void *dst, const int64_t *stride, const int64_t *dilation, const int64_t *left,
		const int64_t *right, const void *attributes);
	int (*matmul_2)(void *, const void *src, const void *weights, const void *bias, const void *dst);
	int (*matmul_3)(void **, void *engine, const void *src, const void *weights, const void *bias, const void *dst,
		const void *attributes);
	int (*softmax_2)(void *, int kind, const void *data, int axis);
	int (*softmax_3)(void **, void *engine, int kind, int algorithm, const void *src, const void *dst, int axis,
		const void *attributes);
	void (*omp_threads)(int);
};

struct stage { void *primitive; struct argument argument[4]; int n; };
struct bench_dnnl {
	struct library l;
	void *engine, *stream;
	struct stage stage[STAGES];
	void *memory[MEMORIES];
	float *buffer[BUFFERS];
	int64_t elements[BUFFERS];
	int n_stage, n_memory, n_buffer;
};

#define SYMBOL(member, name, version) { name, offsetof(struct library, member), version }
static const struct symbol { const char *name; size_t at; int version;
} symbols[] = {
	/* version 0: both */
	SYMBOL(sgemm, "dnnl_sgemm", 0),
	SYMBOL(engine_create, "dnnl_engine_create", 0),
	SYMBOL(engine_destroy, "dnnl_engine_destroy", 0),
	SYMBOL(stream_create, "dnnl_stream_create", 0),
	SYMBOL(stream_wait, "dnnl_stream_wait", 0),
	SYMBOL(stream_destroy, "dnnl_stream_destroy", 0),
	SYMBOL(memory_create, "dnnl_memory_create", 0),
	SYMBOL(memory_destroy, "dnnl_memory_destroy", 0),
	SYMBOL(primitive_create, "dnnl_primitive_create", 0),
	SYMBOL(primitive_destroy, "dnnl_primitive_destroy", 0),
	SYMBOL(execute, "dnnl_primitive_execute", 0),
	SYMBOL(query, "dnnl_primitive_desc_query_md", 0),
	SYMBOL(description_destroy, "dnnl_primitive_desc_destroy", 0),
	SYMBOL(reorder, "dnnl_reorder_primitive_desc_create", 0),
	SYMBOL(attributes_create, "dnnl_primitive_attr_create", 0),
	SYMBOL(attributes_destroy, "dnnl_primitive_attr_destroy", 0),
	SYMBOL(attributes_set, "dnnl_primitive_attr_set_post_ops", 0),
	SYMBOL(steps_create, "dnnl_post_ops_create", 0),
	SYMBOL(steps_destroy, "dnnl_post_ops_destroy", 0),
	SYMBOL(size, "dnnl_memory_desc_get_size", 0),
	SYMBOL(steps_eltwise_2, "dnnl_post_ops_append_eltwise", 2),
	SYMBOL(steps_eltwise_3, "dnnl_post_ops_append_eltwise", 3),
	SYMBOL(strided_2, "dnnl_memory_desc_init_by_strides", 2),
	SYMBOL(tagged_2, "dnnl_memory_desc_init_by_tag", 2),
	SYMBOL(strided_3, "dnnl_memory_desc_create_with_strides", 3),
	SYMBOL(tagged_3, "dnnl_memory_desc_create_with_tag", 3),
	SYMBOL(memory_description_destroy, "dnnl_memory_desc_destroy", 3),
	SYMBOL(describe, "dnnl_primitive_desc_create", 2),
	SYMBOL(convolution_2, "dnnl_dilated_convolution_forward_desc_init", 2),
	SYMBOL(convolution_3, "dnnl_convolution_forward_primitive_desc_create", 3),
	SYMBOL(matmul_2, "dnnl_matmul_desc_init", 2),
	SYMBOL(matmul_3, "dnnl_matmul_primitive_desc_create", 3),
	SYMBOL(softmax_2, "dnnl_softmax_forward_desc_init", 2),
	SYMBOL(softmax_3, "dnnl_softmax_forward_primitive_desc_create", 3),
};

/* A description of memory: pointer `at`, whichever version; `memory` holds it by version 2. */
struct description { void *at; unsigned char memory[DESCRIPTION] __attribute__((aligned(64))); };
struct descriptions { struct description src, weights, plain, bias, dst, plain_src, plain_dst; };

/* Row-major, or (any) as the library likes best. */
static bool describe(const struct library *l, struct description *d, const struct bench_shape *s, bool any)
{
	dims stride = { 0 };
	int64_t at = 1;

	for (int i = s->rank - 1; i >= 0; at *= s->extent[i--])
		stride[i] = at;
	if (l->major >= 3)
		return !(any ? l->tagged_3(&d->at, s->rank, s->extent, F32, ANY)
			     : l->strided_3(&d->at, s->rank, s->extent, F32, stride));
	d->at = d->memory;
	return !(any ? l->tagged_2(d->memory, s->rank, s->extent, F32, ANY)
		     : l->strided_2(d->memory, s->rank, s->extent, F32, stride));
}

static void dnnl_forget(const struct library *l, struct descriptions *d)
{
	struct description *const all[] = { &d->src, &d->weights, &d->plain, &d->bias, &d->dst, &d->plain_src, &d->plain_dst };

	for (size_t i = 0; i < sizeof all / sizeof *all; i++)
		if (l->major >= 3 && all[i]->at)
			l->memory_description_destroy(all[i]->at);
	free(d);
}

static void *memory(struct bench_dnnl *d, const void *description, const float *data)
{
	void *m = NULL;

	if (d->n_memory == MEMORIES || !description
		|| d->l.memory_create(&m, description, d->engine, (float *)(uintptr_t)data))
		return NULL;
	return d->memory[d->n_memory++] = m;
}

static void *new_memory(struct bench_dnnl *d, const void *description)
{
	if (d->n_buffer == BUFFERS || !description)
		return NULL;
	d->elements[d->n_buffer] = (int64_t)(d->l.size(description) / sizeof(float)) + 1;
	d->buffer[d->n_buffer] = machine_buffer(d->elements[d->n_buffer]);
	return memory(d, description, d->buffer[d->n_buffer++]);
}

static void give(struct stage *g, int what, void *m)
{
	g->argument[g->n++] = (struct argument){ what, m };
}

static bool execute(struct bench_dnnl *d, const struct stage *g)
{
	return !d->l.execute(g->primitive, d->stream, g->n, g->argument) && !d->l.stream_wait(d->stream);
}

/* The stage that brings one layout into another. */
static bool make_reorder(
	struct bench_dnnl *d, const void *from, void *from_memory, const void *to, void *to_memory, struct stage *g)
{
	void *description = NULL;
	bool ok;

	*g = (struct stage){ .primitive = NULL };
	if (!from_memory || !to_memory || d->l.reorder(&description, from, d->engine, to, d->engine, NULL))
		return false;
	give(g, SRC, from_memory);
	give(g, DST, to_memory);
	ok = !d->l.primitive_create(&g->primitive, description);
	d->l.description_destroy(description);
	return ok;
}

/* A copy of the weights in the layout that the primitive has chosen. */
static void *pack(struct bench_dnnl *d, const void *chosen, const void *plain, void *plain_memory)
{
	struct stage g;
	void *to = new_memory(d, chosen);
	bool ok = make_reorder(d, plain, plain_memory, chosen, to, &g) && execute(d, &g);

	if (ok)
		d->l.primitive_destroy(g.primitive);
	return ok ? to : NULL;
}

/* Attributes with a ReLU after the operation. */
static void *relu(struct bench_dnnl *d)
{
	const struct library *l = &d->l;
	void *attributes = NULL, *steps = NULL;

	if (!l->attributes_create(&attributes) && !l->steps_create(&steps)) {
		if (l->major >= 3)
			l->steps_eltwise_3(steps, RELU_3, 0, 0);
		else
			l->steps_eltwise_2(steps, 1, RELU_2, 0, 0);
		l->attributes_set(attributes, steps);
	}
	if (steps)
		l->steps_destroy(steps);
	return attributes;
}

static bool make_description(struct bench_dnnl *d, const struct bench_layer *y, const struct descriptions *t,
	const void *attributes, void **out)
{
	const struct library *l = &d->l;
	const dims stride = { y->stride, y->stride }, dilation = { 0 }, pad = { y->pad, y->pad };
	const void *bias = y->b ? t->bias.at : NULL;
	bool softmax = y->kind == BENCH_SOFTMAX, convolution = y->kind == BENCH_CONVOLUTION;
	void *operation;
	int bad;

	if (l->major >= 3)
		return !(softmax ? l->softmax_3(out, d->engine, INFERENCE, SOFTMAX_ACCURATE, t->src.at, t->dst.at,
				 y->src.rank - 1, NULL)
				: convolution
				? l->convolution_3(out, d->engine, INFERENCE, CONVOLUTION_AUTO, t->src.at,
					t->weights.at, bias, t->dst.at, stride, dilation, pad, pad, attributes)
				: l->matmul_3(out, d->engine, t->src.at, t->weights.at, bias, t->dst.at, attributes));
	operation = lt__must_alloc(DESCRIPTION);
	bad = softmax         ? l->softmax_2(operation, INFERENCE, t->src.at, y->src.rank - 1)
		: convolution ? l->convolution_2(operation, INFERENCE, CONVOLUTION_AUTO, t->src.at, t->weights.at, bias,
			  t->dst.at, stride, dilation, pad, pad)
			      : l->matmul_2(operation, t->src.at, t->weights.at, bias, t->dst.at);
	bad = bad || l->describe(out, operation, attributes, d->engine, NULL);
	free(operation);
	return !bad;
}

static bool describe_all(const struct library *l, const struct bench_layer *y, struct descriptions *t)
{
	return describe(l, &t->src, &y->src, y->blocked) && describe(l, &t->dst, &y->dst, y->blocked)
		&& describe(l, &t->plain_src, &y->src, false) && describe(l, &t->plain_dst, &y->dst, false)
		&& (!y->w
			|| (describe(l, &t->weights, &y->weights, y->constant)
				&& describe(l, &t->plain, &y->weights, false)))
		&& (!y->b || describe(l, &t->bias, &y->bias, false));
}

/* The operation, between the reorders that it needs. */
static bool add_stages(
	struct bench_dnnl *d, const struct bench_layer *y, const struct descriptions *t, const void *description)
{
	const struct library *l = &d->l;
	void *in = memory(d, t->plain_src.at, y->in), *out = memory(d, t->plain_dst.at, y->out), *src = in, *dst = out,
	     *weights = NULL;
	const void *src_like = l->query(description, SRC_MD, 0), *dst_like = l->query(description, DST_MD, 0);
	struct stage *g = &d->stage[d->n_stage];

	if (d->n_stage + 3 > STAGES || !in || !out)
		return false;
	if (y->blocked) {
		src = new_memory(d, src_like);
		dst = new_memory(d, dst_like);
		if (!make_reorder(d, t->plain_src.at, in, src_like, src, g))
			return false;
		d->n_stage++;
		g++;
	}
	*g = (struct stage){ .primitive = NULL };
	if (l->primitive_create(&g->primitive, description))
		return false;
	d->n_stage++;
	give(g, SRC, src);
	if (y->w) {
		void *plain = memory(d, t->plain.at, y->w);

		weights = y->constant && plain ? pack(d, l->query(description, WEIGHTS_MD, 0), t->plain.at, plain) : plain;
		give(g, WEIGHTS, weights);
	}
	if (y->b)
		give(g, BIAS, memory(d, t->bias.at, y->b));
	give(g, DST, dst);
	for (int i = 0; i < g->n; i++)
		if (!g->argument[i].memory)
			return false;
	if (!y->blocked)
		return true;
	if (!make_reorder(d, dst_like, dst, t->plain_dst.at, out, g + 1))
		return false;
	d->n_stage++;
	return true;
}

bool bench_dnnl_add(struct bench_dnnl *d, const struct bench_layer *y)
{
	struct descriptions *t = NULL;
	void *attributes = y->relu ? relu(d) : NULL, *description = NULL, *memory = NULL;
	bool ok;

	if (posix_memalign(&memory, 64, sizeof *t))
		lt__must_end("out of memory");
	t = memset(memory, 0, sizeof *t);
	ok = describe_all(&d->l, y, t) && make_description(d, y, t, attributes, &description)
		&& add_stages(d, y, t, description);
	if (description)
		d->l.description_destroy(description);
	if (attributes)
		d->l.attributes_destroy(attributes);
	dnnl_forget(&d->l, t);
	return ok;
}

bool bench_dnnl_run(struct bench_dnnl *d)
{
	for (int i = 0; i < d->n_stage; i++)
		if (!execute(d, &d->stage[i]))
			return false;
	return d->n_stage > 0;
}

void bench_dnnl_reset(struct bench_dnnl *d)
{
	for (int i = 0; i < d->n_stage; i++)
		d->l.primitive_destroy(d->stage[i].primitive);
	for (int i = 0; i < d->n_memory; i++)
		d->l.memory_destroy(d->memory[i]);
	for (int i = 0; i < d->n_buffer; i++)
		machine_buffer_free(d->buffer[i]);
	d->n_stage = d->n_memory = d->n_buffer = 0;
}

/* Its arguments are in Fortran's order of meaning but row-major. */
bool bench_dnnl_sgemm(struct bench_dnnl *d, int64_t m, int64_t k, int64_t n, const float *a, const float *b, float *c)
{
	return !d->l.sgemm('N', 'N', m, n, k, 1, a, k, b, n, 0, c, n);
}

void bench_dnnl_threads(struct bench_dnnl *d, int threads)
{
	if (d->l.omp_threads)
		d->l.omp_threads(threads);
}

static lt_status load(struct lt_context *ctx, struct library *l)
{
	static const char *const names[] = { "libdnnl.so.3", "libdnnl.so.2" };
	void *at;

	for (int i = 0; i < 2 && !l->handle; i++) {
		l->handle = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
		l->major = 3 - i;
	}
	if (!l->handle)
		return lt_fail(ctx, LT_ELOAD, "oneDNN is not installed (libdnnl.so.3 or libdnnl.so.2 is not found)");
	for (size_t i = 0; i < sizeof symbols / sizeof *symbols; i++)
		if (!symbols[i].version || symbols[i].version == l->major) {
			if (!(at = dlsym(l->handle, symbols[i].name)))
				return lt_fail(ctx, LT_EABI, "libdnnl.so.%d has no %s", l->major, symbols[i].name);
			memcpy((char *)l + symbols[i].at, &at, sizeof at);
		}
	/* Of the OpenMP that it was linked with; without one it has threads of its own choice. */
	at = dlsym(l->handle, "omp_set_num_threads");
	memcpy(&l->omp_threads, &at, sizeof at);
	return LT_OK;
}

lt_status bench_dnnl_open(struct lt_context *ctx, struct bench_dnnl **out)
{
	struct bench_dnnl *d = lt__must_alloc(sizeof *d);
	lt_status s = load(ctx, &d->l);

	if (!s && (d->l.engine_create(&d->engine, CPU, 0) || d->l.stream_create(&d->stream, d->engine, IN_ORDER)))
		s = lt_fail(ctx, LT_EDEVICE, "oneDNN makes no engine for this processor");
	*out = s ? NULL : d;
	if (s)
		bench_dnnl_close(d);
	return s;
}

void bench_dnnl_close(struct bench_dnnl *d)
{
	if (!d)
		return;
	bench_dnnl_reset(d);
	if (d->stream)
		d->l.stream_destroy(d->stream);
	if (d->engine)
		d->l.engine_destroy(d->engine);
	/* The library stays: threads of its OpenMP may still be in it. */
	free(d);
}

void bench_dnnl_name(const struct bench_dnnl *d, char *out, int bytes)
{
	struct version { int major, minor, patch; const char *hash; unsigned cpu_runtime, gpu_runtime; };
	const struct version *(*version)(void);
	void *at = dlsym(d->l.handle, "dnnl_version");

	memcpy(&version, &at, sizeof at);
	if (at)
		snprintf(out, (size_t)bytes, "onednn %d.%d.%d", version()->major, version()->minor, version()->patch);
	else
		snprintf(out, (size_t)bytes, "onednn %d", d->l.major);
}
