/* layout.c -- the suite layout: what only moves elements: permutations, concatenation, padding. */
#include <stdlib.h>
#include <string.h>
#include "tools/bench/bench.h"

/* The result's axis i is axis perm<i> of x. */
static void permute(const struct bench_case *c, float *out)
{
	static const char *const names[] = { "perm0", "perm1", "perm2", "perm3" };
	const struct bench_tensor *x = &c->in[0];
	int64_t stride[4], step[4], extent[4] = { 1, 1, 1, 1 }, at = 0, jump[4] = { 0 };

	for (int i = x->rank - 1; i >= 0; i--) {
		stride[i] = at ? at : 1;
		at = stride[i] * x->shape[i];
	}
	for (int i = 0; i < x->rank; i++) {
		step[i] = stride[bench_case_get(c, names[i])];
		extent[4 - x->rank + i] = c->out.shape[i];
		jump[4 - x->rank + i] = step[i];
	}
	for (int64_t a = 0; a < extent[0]; a++)
		for (int64_t b = 0; b < extent[1]; b++)
			for (int64_t d = 0; d < extent[2]; d++)
				for (int64_t e = 0; e < extent[3]; e++)
					*out++ = x->data[a * jump[0] + b * jump[1] + d * jump[2] + e * jump[3]];
}

static void concat(const struct bench_case *c, float *out)
{
	bool columns = bench_case_get(c, "axis") == 1;
	int64_t rows = c->in[0].shape[0], wide = c->in[0].shape[1];

	for (int k = 0; k < 2; k++)
		for (int64_t r = 0; r < rows; r++)
			memcpy(out + (columns ? r * 2 * wide + k * wide : (k * rows + r) * wide),
				c->in[k].data + r * wide, (size_t)wide * sizeof *out);
}

static void pad(const struct bench_case *c, float *out)
{
	int64_t p = bench_case_get(c, "pad"), channels = c->in[0].shape[1], size = c->in[0].shape[2], wide = size + 2 * p;

	memset(out, 0, (size_t)c->out.n * sizeof *out);
	for (int64_t i = 0; i < channels; i++)
		for (int64_t y = 0; y < size; y++)
			memcpy(out + (i * wide + y + p) * wide + p, c->in[0].data + (i * size + y) * size, (size_t)size * sizeof *out);
}

static void layout_finish(struct bench_case *c, bench_reference *reference)
{
	c->bytes = 4 * c->out.n;
	for (int i = 0; i < c->n_in; i++)
		c->bytes += 4 * c->in[i].n;
	c->bound = MACHINE_COPY;
	c->reference = reference;
}

void bench_layout_permute(struct bench_cases *l, const char *suite, const char *name, int rank, const int64_t *shape,
	const int *perm)
{
	static const char *const names[] = { "perm0", "perm1", "perm2", "perm3" };
	struct bench_case *c = bench_case_add(l, suite, "permute", "permute", name);
	int64_t out[4];
	char list[64] = "";

	for (int i = 0; i < rank; i++) {
		out[i] = shape[perm[i]];
		bench_case_number(c, names[i], perm[i]);
		sprintf(strchr(list, 0), "%s%d", i ? ", " : "", perm[i]);
	}
	bench_case_in(c, "x", false, rank, shape);
	bench_case_out(c, rank, out);
	bench_case_script(c, "$2 = PermuteNode($1, [%s]);\n$3 = CopyNode($2);\nresult = $3;\n", list);
	c->n_open = 1;
	layout_finish(c, permute);
}

static void add_concat(struct bench_cases *l, int axis, int64_t size)
{
	char name[64];
	struct bench_case *c;

	snprintf(name, sizeof name, "concat-%s-%lld", axis ? "columns" : "rows", (long long)size);
	c = bench_case_add(l, "layout", "concat", "concat", name);
	bench_case_number(c, "axis", axis);
	bench_case_in(c, "x", false, 2, (const int64_t[]){ size, size });
	bench_case_in(c, "y", false, 2, (const int64_t[]){ size, size });
	bench_case_out(c, 2, (const int64_t[]){ axis ? size : 2 * size, axis ? 2 * size : size });
	bench_case_script(c, "$3 = ConcatNode(%d, $1, $2);\nresult = $3;\n", axis);
	c->n_open = 2;
	c->open_axis = !axis;
	layout_finish(c, concat);
}

static void add_pad(struct bench_cases *l, int64_t channels, int64_t size, int64_t p)
{
	char name[64];
	struct bench_case *c;

	snprintf(name, sizeof name, "pad%lld-%lldx%lldx%lld", (long long)p, (long long)channels, (long long)size,
		(long long)size);
	c = bench_case_add(l, "layout", "pad", "pad", name);
	bench_case_number(c, "pad", p);
	bench_case_in(c, "x", false, 4, (const int64_t[]){ 1, channels, size, size });
	bench_case_out(c, 4, (const int64_t[]){ 1, channels, size + 2 * p, size + 2 * p });
	bench_case_script(c, "$2 = PadNode($1, [0, 0, %lld, %lld], [0, 0, %lld, %lld]);\nresult = $2;\n", (long long)p,
		(long long)p, (long long)p, (long long)p);
	c->n_open = 1;
	layout_finish(c, pad);
}

void bench_layout_cases(struct bench_cases *l)
{
	bench_layout_permute(l, "layout", "transpose-512", 2, (const int64_t[]){ 512, 512 }, (const int[]){ 1, 0 });
	bench_layout_permute(l, "layout", "transpose-4096", 2, (const int64_t[]){ 4096, 4096 }, (const int[]){ 1, 0 });
	bench_layout_permute(l, "layout", "transpose-4093x4099", 2, (const int64_t[]){ 4093, 4099 }, (const int[]){ 1, 0 });
	bench_layout_permute(l, "layout", "heads-1024x16x64", 3, (const int64_t[]){ 1024, 16, 64 }, (const int[]){ 1, 0, 2 });
	bench_layout_permute(l, "layout", "stack-64x512x512", 3, (const int64_t[]){ 64, 512, 512 }, (const int[]){ 0, 2, 1 });
	bench_layout_permute(l, "layout", "nchw-to-nhwc-64x112x112", 4,
		(const int64_t[]){ 1, 64, 112, 112 }, (const int[]){ 0, 2, 3, 1 });
	bench_layout_permute(l, "layout", "nhwc-to-nchw-112x112x64", 4,
		(const int64_t[]){ 1, 112, 112, 64 }, (const int[]){ 0, 3, 1, 2 });
	add_concat(l, 0, 512);
	add_concat(l, 0, 2048);
	add_concat(l, 1, 512);
	add_concat(l, 1, 2048);
	add_pad(l, 64, 112, 1);
	add_pad(l, 256, 224, 3);
}
