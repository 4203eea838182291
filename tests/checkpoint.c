/* checkpoint.c -- small models of llama2.c with random weights: their files, and their formulas in double. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "tests/checkpoint.h"

static int head_of(const struct checkpoint *c) { return c->s.dim / c->s.heads; }
static int kv_of(const struct checkpoint *c) { return head_of(c) * c->s.kv_heads; }

static double uniform(uint64_t *seed)
{
	*seed = *seed * UINT64_C(6364136223846793005) + 1442695040888963407;
	return (double)(int64_t)(*seed >> 11) / (double)(INT64_C(1) << 52) - 1;
}

static float *draw(uint64_t *seed, size_t n, double middle, double spread)
{
	float *at = malloc(n * sizeof *at);

	for (size_t i = 0; i < n; i++)
		at[i] = (float)(middle + spread * uniform(seed));
	return at;
}

/* ---- the file ---- */

static void add(struct checkpoint *c, const void *from, size_t n)
{
	c->file = realloc(c->file, c->n + n + 1);
	memcpy(c->file + c->n, from, n);
	c->n += n;
}

static void add_floats(struct checkpoint *c, const float *x, int64_t n)
{
	add(c, x, (size_t)n * sizeof *x);
}

/* Each group's numbers as int8 with a scale; x becomes what these mean. */
static void add_int8(struct checkpoint *c, float *x, int64_t n)
{
	int8_t *q = malloc((size_t)n);
	float *scale = malloc((size_t)(n / c->group) * sizeof *scale);

	for (int64_t g = 0; g < n / c->group; g++) {
		float top = 0;

		for (int i = 0; i < c->group; i++)
			top = fmaxf(top, fabsf(x[g * c->group + i]));
		scale[g] = top / 127;
		for (int i = 0; i < c->group; i++) {
			q[g * c->group + i] = (int8_t)lrintf(x[g * c->group + i] / scale[g]);
			x[g * c->group + i] = (float)q[g * c->group + i] * scale[g];
		}
	}
	add(c, q, (size_t)n);
	add(c, scale, (size_t)(n / c->group) * sizeof *scale);
	free(q);
	free(scale);
}

static void add_header(struct checkpoint *c)
{
	const int32_t magic = 0x616b3432, legacy_vocab = c->shared ? c->s.vocab : -c->s.vocab;
	const unsigned char shared = c->shared;
	static const char zeros[256];

	if (c->version == 0) {
		add(c, &c->s, sizeof c->s);
		memcpy(c->file + 20, &legacy_vocab, 4);
		return;
	}
	add(c, &magic, 4);
	add(c, &c->version, 4);
	add(c, &c->s, sizeof c->s);
	add(c, &shared, 1);
	if (c->version == 2)
		add(c, &c->group, 4);
	add(c, zeros, 256 - c->n);
}

static void write_file(struct checkpoint *c)
{
	const int64_t d = c->s.dim, kv = kv_of(c), h = c->s.hidden, l = c->s.layers, v = c->s.vocab;
	const struct { float *at; int64_t n, layers; } matrices[] = { { c->embedding, v * d, 1 }, { c->wq, d * d, l },
		{ c->wk, kv * d, l }, { c->wv, kv * d, l }, { c->wo, d * d, l }, { c->w1, h * d, l }, { c->w2, d * h, l },
		{ c->w3, h * d, l } };

	add_header(c);
	if (c->version > 0) {
		add_floats(c, c->rms_att, l * d);
		add_floats(c, c->rms_ffn, l * d);
		add_floats(c, c->rms_final, d);
	}
	for (size_t i = 0; i < sizeof matrices / sizeof *matrices; i++) {
		if (c->version == 0 && (i == 1 || i == 5))
			add_floats(c, i == 1 ? c->rms_att : c->rms_ffn, l * d);
		for (int64_t j = 0; j < matrices[i].layers; j++)
			if (c->version == 2)
				add_int8(c, matrices[i].at + j * matrices[i].n, matrices[i].n);
			else
				add_floats(c, matrices[i].at + j * matrices[i].n, matrices[i].n);
	}
	if (c->version == 0) {
		/* Tables that nobody reads: they would be noticed. */
		float *tables = calloc((size_t)(c->s.context * head_of(c)), sizeof *tables);

		add_floats(c, c->rms_final, d);
		memset(tables, 0x7f, (size_t)(c->s.context * head_of(c)) * sizeof *tables);
		add_floats(c, tables, (int64_t)c->s.context * head_of(c));
		free(tables);
	}
	if (!c->shared && c->version == 2)
		add_int8(c, c->classifier, v * d);
	else if (!c->shared)
		add_floats(c, c->classifier, v * d);
}

struct checkpoint *checkpoint_new(const struct checkpoint_sizes *s, bool shared, int version, int group, uint64_t seed)
{
	struct checkpoint *c = calloc(1, sizeof *c);
	const size_t d = (size_t)s->dim, l = (size_t)s->layers, h = (size_t)s->hidden, v = (size_t)s->vocab;

	*c = (struct checkpoint){ .s = *s, .shared = shared, .version = version, .group = group };
	const size_t kv = (size_t)kv_of(c);
	c->embedding = draw(&seed, v * d, 0, 1);
	c->rms_att = draw(&seed, l * d, 1, 0.2);
	c->rms_ffn = draw(&seed, l * d, 1, 0.2);
	c->rms_final = draw(&seed, d, 1, 0.2);
	c->wq = draw(&seed, l * d * d, 0, 0.4);
	c->wk = draw(&seed, l * kv * d, 0, 0.4);
	c->wv = draw(&seed, l * kv * d, 0, 0.4);
	c->wo = draw(&seed, l * d * d, 0, 0.4);
	c->w1 = draw(&seed, l * h * d, 0, 0.4);
	c->w2 = draw(&seed, l * d * h, 0, 0.4);
	c->w3 = draw(&seed, l * h * d, 0, 0.4);
	c->classifier = shared ? NULL : draw(&seed, v * d, 0, 0.5);
	c->keys = calloc(l * (size_t)s->context * kv, sizeof *c->keys);
	c->values = calloc(l * (size_t)s->context * kv, sizeof *c->values);
	write_file(c);
	return c;
}

void checkpoint_free(struct checkpoint *c)
{
	float *const all[] = { c->embedding, c->rms_att, c->wq, c->wk, c->wv, c->wo, c->rms_ffn, c->w1, c->w2, c->w3,
		c->rms_final, c->classifier };

	for (size_t i = 0; i < sizeof all / sizeof *all; i++)
		free(all[i]);
	free(c->keys);
	free(c->values);
	free(c->file);
	free(c);
}

void checkpoint_write(const struct checkpoint *c, const char *path)
{
	FILE *f = fopen(path, "wb");

	cr_assert_not_null(f);
	cr_assert_eq(fwrite(c->file, 1, c->n, f), c->n);
	fclose(f);
}

/* ---- the formulas ---- */

static void norm(double *out, const double *x, const float *w, int n)
{
	double sum = 0;

	for (int i = 0; i < n; i++)
		sum += x[i] * x[i];
	for (int i = 0; i < n; i++)
		out[i] = w[i] * x[i] / sqrt(sum / n + 1e-5);
}

/* Each group as whole numbers up to 127, times its scale. */
static void round_groups(double *x, int n, int group)
{
	for (int g = 0; g < n; g += group) {
		double top = 0;

		for (int i = 0; i < group; i++)
			top = fmax(top, fabs(x[g + i]));
		for (int i = 0; i < group && top > 0; i++)
			x[g + i] = rint(x[g + i] / (top / 127)) * (top / 127);
	}
}

static void round_bits(double *x, int n, int bits)
{
	for (int i = 0; i < n && bits > 0; i++) {
		int exponent;
		const double fraction = frexp(x[i], &exponent);

		x[i] = ldexp(rint(ldexp(fraction, bits)), exponent - bits);
	}
}

static void times(const struct checkpoint *c, double *out, const float *w, const double *from, int rows, int columns)
{
	double x[128];

	memcpy(x, from, (size_t)columns * sizeof *x);
	if (c->rounded)
		round_groups(x, columns, c->rounded);
	for (int i = 0; i < rows; i++) {
		out[i] = 0;
		for (int j = 0; j < columns; j++)
			out[i] += w[(int64_t)i * columns + j] * x[j];
	}
}

static void rotate(double *x, int n, int head, int position)
{
	for (int i = 0; i < n; i += 2) {
		const double angle = position * pow(10000, -(double)(i % head) / head), a = x[i], b = x[i + 1];

		x[i] = a * cos(angle) - b * sin(angle);
		x[i + 1] = a * sin(angle) + b * cos(angle);
	}
}

static void attend(double *out, const double *q, const double *keys, const double *values, const struct checkpoint *c,
	int position)
{
	const int head = head_of(c), kv = kv_of(c), each = c->s.heads / c->s.kv_heads;
	double score[256];

	for (int h = 0; h < c->s.heads; h++) {
		double top = -INFINITY, sum = 0;

		for (int t = 0; t <= position; t++) {
			score[t] = 0;
			for (int i = 0; i < head; i++)
				score[t] += q[h * head + i] * keys[t * kv + h / each * head + i];
			score[t] /= sqrt(head);
			top = fmax(top, score[t]);
		}
		for (int t = 0; t <= position; t++)
			sum += score[t] = exp(score[t] - top);
		for (int i = 0; i < head; i++) {
			out[h * head + i] = 0;
			for (int t = 0; t <= position; t++)
				out[h * head + i] += score[t] / sum * values[t * kv + h / each * head + i];
		}
	}
}

void checkpoint_forward(struct checkpoint *c, int32_t token, int position, double *logits)
{
	enum { MAX = 128 };
	const int d = c->s.dim, kv = kv_of(c), h = c->s.hidden, head = head_of(c);
	double x[MAX], xb[MAX], q[MAX], mixed[MAX], out[MAX], gate[MAX], up[MAX];

	cr_assert(d <= MAX && h <= MAX && c->s.context <= 256);
	for (int i = 0; i < d; i++)
		x[i] = c->embedding[token * d + i];
	for (int l = 0; l < c->s.layers; l++) {
		double *keys = c->keys + (size_t)l * (size_t)(c->s.context * kv), *values = c->values + (keys - c->keys);

		norm(xb, x, c->rms_att + l * d, d);
		times(c, q, c->wq + l * d * d, xb, d, d);
		times(c, keys + position * kv, c->wk + l * kv * d, xb, kv, d);
		times(c, values + position * kv, c->wv + l * kv * d, xb, kv, d);
		rotate(q, d, head, position);
		rotate(keys + position * kv, kv, head, position);
		round_bits(keys + position * kv, kv, c->cache_bits);
		round_bits(values + position * kv, kv, c->cache_bits);
		attend(mixed, q, keys, values, c, position);
		times(c, out, c->wo + l * d * d, mixed, d, d);
		for (int i = 0; i < d; i++)
			x[i] += out[i];
		norm(xb, x, c->rms_ffn + l * d, d);
		times(c, gate, c->w1 + l * h * d, xb, h, d);
		times(c, up, c->w3 + l * h * d, xb, h, d);
		for (int i = 0; i < h; i++)
			gate[i] = gate[i] / (1 + exp(-gate[i])) * up[i];
		times(c, out, c->w2 + l * d * h, gate, d, h);
		for (int i = 0; i < d; i++)
			x[i] += out[i];
	}
	norm(xb, x, c->rms_final, d);
	times(c, logits, c->shared ? c->embedding : c->classifier, xb, c->s.vocab, d);
}
