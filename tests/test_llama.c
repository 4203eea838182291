/* A six-layer LLaMA decoding step as a script, token by token with its caches as state, against the model's formulas
 * written out in double. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "lt/lt.h"

/* The dims of examples/llama/tiny.lt. */
enum { DIM = 24, HIDDEN = 40, LAYERS = 6, HEADS = 3, CONTEXT = 16, VOCAB = 50, HEAD = DIM / HEADS, TOKENS = 6 };

static uint64_t seed;
static double uniform(void)
{
	seed = seed * UINT64_C(6364136223846793005) + 1442695040888963407;
	return (double)(int64_t)(seed >> 11) / (double)(INT64_C(1) << 52) - 1;
}

struct weights {
	float rms_att[LAYERS * DIM], scale[1], rms_final[DIM], wcls[DIM * VOCAB];
	float wq[LAYERS][DIM * DIM], wk[LAYERS][DIM * DIM], wv[LAYERS][DIM * DIM], wo[LAYERS][DIM * DIM];
	float w1[LAYERS][DIM * HIDDEN], w3[LAYERS][DIM * HIDDEN], w2[LAYERS][HIDDEN * DIM], rms_ffn[LAYERS][DIM];
};
struct caches { double k[LAYERS][CONTEXT][DIM], v[LAYERS][CONTEXT][DIM]; };

static void fill(float *at, int n, double middle, double spread)
{
	for (int i = 0; i < n; i++)
		at[i] = (float)(middle + spread * uniform());
}

static struct weights *make_weights(void)
{
	struct weights *w = calloc(1, sizeof *w);
	fill(w->rms_att, LAYERS * DIM, 1, 0.2);
	w->scale[0] = (float)(1 / sqrt(HEAD));
	fill(w->rms_final, DIM, 1, 0.2);
	fill(w->wcls, DIM * VOCAB, 0, 0.5);
	for (int l = 0; l < LAYERS; l++) {
		float *square[] = { w->wq[l], w->wk[l], w->wv[l], w->wo[l] };
		for (int i = 0; i < 4; i++)
			fill(square[i], DIM * DIM, 0, 0.4);
		fill(w->w1[l], DIM * HIDDEN, 0, 0.4);
		fill(w->w3[l], DIM * HIDDEN, 0, 0.4);
		fill(w->w2[l], HIDDEN * DIM, 0, 0.4);
		fill(w->rms_ffn[l], DIM, 1, 0.2);
	}
	return w;
}

static const float *weight_named(const struct weights *w, const char *name)
{
	const struct { const char *name; const float *at; size_t stride;
	} table[] = {
		{ "wq_", w->wq[0], DIM * DIM },
		{ "wk_", w->wk[0], DIM * DIM },
		{ "wv_", w->wv[0], DIM * DIM },
		{ "wo_", w->wo[0], DIM * DIM },
		{ "w1_", w->w1[0], DIM * HIDDEN },
		{ "w3_", w->w3[0], DIM * HIDDEN },
		{ "w2_", w->w2[0], HIDDEN * DIM },
		{ "rms_ffn_", w->rms_ffn[0], DIM },
	};
	for (size_t i = 0; i < sizeof table / sizeof *table; i++)
		if (!strncmp(name, table[i].name, strlen(table[i].name)))
			return table[i].at + (size_t)atoi(name + strlen(table[i].name)) * table[i].stride;
	return !strcmp(name, "rms_att")      ? w->rms_att
		: !strcmp(name, "scale")     ? w->scale
		: !strcmp(name, "rms_final") ? w->rms_final
					     : w->wcls;
}

static void norm(double *out, const double *x, const float *w)
{
	double sum = 0;
	for (int i = 0; i < DIM; i++)
		sum += x[i] * x[i];
	for (int i = 0; i < DIM; i++)
		out[i] = w[i] * x[i] / sqrt(sum / DIM + 1e-5);
}

static void times(double *out, const double *x, const float *w, int rows, int columns)
{
	for (int j = 0; j < columns; j++) {
		out[j] = 0;
		for (int i = 0; i < rows; i++)
			out[j] += x[i] * w[i * columns + j];
	}
}

static void rotate(double *x, const float *freq)
{
	for (int i = 0; i < DIM; i += 2) {
		const float *f = freq + (i % HEAD);
		double a = x[i], b = x[i + 1];
		x[i] = a * f[0] - b * f[1];
		x[i + 1] = a * f[1] + b * f[0];
	}
}

static void attend(double *out, const double *q, struct caches *c, int l, int pos, double scale)
{
	for (int h = 0; h < HEADS; h++) {
		double score[CONTEXT], top = -INFINITY, sum = 0;
		for (int t = 0; t <= pos; t++) {
			score[t] = 0;
			for (int i = 0; i < HEAD; i++)
				score[t] += q[h * HEAD + i] * c->k[l][t][h * HEAD + i];
			score[t] *= scale;
			top = fmax(top, score[t]);
		}
		for (int t = 0; t <= pos; t++)
			sum += score[t] = exp(score[t] - top);
		for (int i = 0; i < HEAD; i++) {
			out[h * HEAD + i] = 0;
			for (int t = 0; t <= pos; t++)
				out[h * HEAD + i] += score[t] / sum * c->v[l][t][h * HEAD + i];
		}
	}
}

static void forward(
	const struct weights *w, struct caches *c, const float *token, const float *freq, int pos, double *logits)
{
	double x[DIM], xb[DIM], q[DIM], mixed[DIM], out[DIM], gate[HIDDEN], up[HIDDEN];
	for (int i = 0; i < DIM; i++)
		x[i] = token[i];
	for (int l = 0; l < LAYERS; l++) {
		norm(xb, x, w->rms_att + l * DIM);
		times(q, xb, w->wq[l], DIM, DIM);
		times(c->k[l][pos], xb, w->wk[l], DIM, DIM);
		times(c->v[l][pos], xb, w->wv[l], DIM, DIM);
		rotate(q, freq);
		rotate(c->k[l][pos], freq);
		attend(mixed, q, c, l, pos, w->scale[0]);
		times(out, mixed, w->wo[l], DIM, DIM);
		for (int i = 0; i < DIM; i++)
			x[i] += out[i];
		norm(xb, x, w->rms_ffn[l]);
		times(gate, xb, w->w1[l], DIM, HIDDEN);
		times(up, xb, w->w3[l], DIM, HIDDEN);
		for (int i = 0; i < HIDDEN; i++)
			gate[i] = gate[i] / (1 + exp(-gate[i])) * up[i];
		times(out, gate, w->w2[l], HIDDEN, DIM);
		for (int i = 0; i < DIM; i++)
			x[i] += out[i];
	}
	norm(xb, x, w->rms_final);
	times(logits, xb, w->wcls, DIM, VOCAB);
}

static char *read_all(const char *path, size_t *bytes)
{
	FILE *f = fopen(path, "rb");
	cr_assert_not_null(f, "%s is not there: run from the top of the tree", path);
	char *text = malloc(1 << 20);
	*bytes = fread(text, 1, 1 << 20, f);
	fclose(f);
	return text;
}

struct model { struct lt_context *ctx; struct lt_program *program; struct lt_instance *run; };

static struct model load(const char *backend, const struct weights *w)
{
	struct model m;
	struct lt_graph *g;
	size_t bytes;
	char *text = read_all("examples/llama/tiny.lt", &bytes);
	struct lt_options options = { .size = sizeof options, .backends = backend };
	cr_assert(!lt_context_new(&m.ctx));
	cr_assert(!lt_parse(m.ctx, text, bytes, "tiny.lt", NULL, &g), "%s", lt_context_message(m.ctx));
	cr_assert(!lt_compile(m.ctx, g, &options, &m.program), "%s", lt_context_message(m.ctx));
	for (int i = 0; i < lt_program_count(m.program, LT_BINDING_CONSTANT); i++)
		cr_assert(!lt_program_bind(m.program, i, weight_named(w, lt_program_name(m.program, LT_BINDING_CONSTANT, i)), 0));
	cr_assert(!lt_instance_new(m.program, &m.run), "%s", lt_instance_message(m.run));
	lt_graph_free(g);
	free(text);
	return m;
}

static void unload(struct model *m)
{
	lt_instance_free(m->run);
	lt_program_free(m->program);
	lt_context_free(m->ctx);
}

static void step(struct model *m, const float *token, const float *freq, int pos, float *logits)
{
	float indicator[CONTEXT];
	int64_t next = pos + 1, start[LAYERS], end[LAYERS];
	for (int t = 0; t < CONTEXT; t++)
		indicator[t] = t <= pos;
	const void *input[64];
	int n = lt_program_count(m->program, LT_BINDING_INPUT);
	cr_assert_eq(n, 4 + 2 * LAYERS);
	for (int l = 0; l < LAYERS; l++) {
		start[l] = (l * CONTEXT + pos) * DIM;
		end[l] = start[l] + DIM;
	}
	for (int i = 0; i < n; i++) {
		const char *name = lt_program_name(m->program, LT_BINDING_INPUT, i);
		input[i] = !strcmp(name, "x") ? (const void *)token : !strcmp(name, "pos_indicator") ? (const void *)indicator
			: !strcmp(name, "pos_plus_one") ? (const void *)&next : !strcmp(name, "freq_cis") ? (const void *)freq
			: !strncmp(name, "cache_start_", 12) ? (const void *)&start[atoi(name + 12)] : (const void *)&end[atoi(name + 10)];
	}
	void *result[1] = { logits };
	cr_assert(!lt_instance_run(m->run, input, result), "%s", lt_instance_message(m->run));
}

static void compare(const char *backend)
{
	seed = 20;
	struct weights *w = make_weights();
	struct caches *c = calloc(1, sizeof *c);
	struct model m = load(backend, w);
	for (int pos = 0; pos < TOKENS; pos++) {
		float token[DIM], freq[HEAD], logits[VOCAB];
		double want[VOCAB], largest = 0;
		fill(token, DIM, 0, 1);
		for (int i = 0; i < HEAD; i += 2) {
			double angle = pos * pow(10000, -(double)i / HEAD);
			freq[i] = (float)cos(angle);
			freq[i + 1] = (float)sin(angle);
		}
		memset(logits, 0x7f, sizeof logits);
		step(&m, token, freq, pos, logits);
		forward(w, c, token, freq, pos, want);
		for (int i = 0; i < VOCAB; i++)
			largest = fmax(largest, fabs(want[i]));
		/* Each layer sums over at most 4 * DIM + HIDDEN products on its way, each rounded by 2^-24. */
		double bound = largest * LAYERS * (4 * DIM + HIDDEN) * 0x1p-24;
		for (int i = 0; i < VOCAB; i++)
			cr_assert(fabs(logits[i] - want[i]) <= bound,
				"%s, token %d, logit %d: %g, the formulas give %g (bound %g)", backend, pos, i,
				(double)logits[i], want[i], bound);
	}
	unload(&m);
	free(c);
	free(w);
}

Test(llama, ref_gives_the_formulas_numbers) { compare("ref"); }
Test(llama, cpu_gives_the_formulas_numbers) { compare("cpu"); }

Test(llama, equal_layers_share_their_kernels)
{
	seed = 20;
	struct weights *w = make_weights();
	struct model m = load("ref", w);
	struct lt_stats stats = { .size = sizeof stats };
	lt_program_stats(m.program, &stats);
	/* The first and last layer may differ from those between; the rest must not add kernels. */
	cr_assert(stats.n_kernel * 2 <= stats.n_launch, "%d kernels for %d launches", stats.n_kernel, stats.n_launch);
	unload(&m);
	free(w);
}
