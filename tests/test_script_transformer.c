/* test_script_transformer.c -- examples/transformer.lt and decode.lt give what GPT-2's formula gives, written in
 * plain loops; the one for all tokens at once, the other token by token with its keys and values kept. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "ir/eval/eval.h"
#include "lt/lt.h"
#include "tests/script_run.h"

enum { LAYERS = 3, HEADS = 2, WIDTH = 8, SIZE = WIDTH / HEADS, WORDS = 11, POSITIONS = 6, LENGTH = 5 };

TestSuite(script_transformer, .timeout = 60);

/* The same number for the same name and position, on both sides. */
static double weight(const char *name, int64_t i)
{
	uint64_t h = 88172645463325252u + (uint64_t)i * 0x9e3779b97f4a7c15u;
	for (const char *c = name; *c; c++)
		h = (h ^ (unsigned char)*c) * 0x100000001b3u;
	h ^= h >> 29, h *= 0xbf58476d1ce4e5b9u, h ^= h >> 32;
	return (double)(float)((double)(h >> 40) / (1 << 24) - 0.5);
}

static int token_at(int position)
{
	return (position * 7 + 3) % WORDS;
}

/* y = x w + b, weights of a layer's part; layer -1: of the whole */
static double tensor(const char *part, int layer, const char *name, int i)
{
	char text[64];
	if (layer < 0)
		snprintf(text, sizeof text, "%s.%s", part, name);
	else
		snprintf(text, sizeof text, "h.%d.%s.%s", layer, part, name);
	return weight(text, i);
}

static void dense(const char *part, int layer, const double *x, int n, int m, double *y)
{
	for (int j = 0; j < m; j++) {
		y[j] = tensor(part, layer, "bias", j);
		for (int i = 0; i < n; i++)
			y[j] += x[i] * tensor(part, layer, "weight", i * m + j);
	}
}

static void norm(const char *part, int layer, const double *x, double *y)
{
	double mean = 0, square = 0;
	for (int i = 0; i < WIDTH; i++)
		mean += x[i] / WIDTH;
	for (int i = 0; i < WIDTH; i++)
		square += (x[i] - mean) * (x[i] - mean) / WIDTH;
	for (int i = 0; i < WIDTH; i++)
		y[i] = (x[i] - mean) / sqrt(square + 1e-5) * tensor(part, layer, "weight", i) + tensor(part, layer, "bias", i);
}

static double parts[LAYERS][LENGTH][3 * WIDTH];         /* query, key and value of each token */

static void attend(int layer, int position, double *out)
{
	for (int h = 0; h < HEADS; h++) {
		double p[LENGTH], sum = 0;
		for (int t = 0; t <= position; t++) {
			double score = 0;
			for (int i = 0; i < SIZE; i++)
				score += parts[layer][position][h * SIZE + i] * parts[layer][t][WIDTH + h * SIZE + i];
			sum += p[t] = exp(score / sqrt(SIZE));
		}
		for (int i = 0; i < SIZE; i++) {
			out[h * SIZE + i] = 0;
			for (int t = 0; t <= position; t++)
				out[h * SIZE + i] += p[t] / sum * parts[layer][t][2 * WIDTH + h * SIZE + i];
		}
	}
}

/* Scores of the word after this one; those before it were there already. */
static void step(int position, double *scores)
{
	double x[WIDTH], y[WIDTH], z[WIDTH], wide[4 * WIDTH];
	for (int i = 0; i < WIDTH; i++)
		x[i] = tensor("wte", -1, "weight", token_at(position) * WIDTH + i)
			+ tensor("wpe", -1, "weight", position * WIDTH + i);
	for (int layer = 0; layer < LAYERS; layer++) {
		norm("ln_1", layer, x, y);
		dense("attn.c_attn", layer, y, WIDTH, 3 * WIDTH, parts[layer][position]);
		attend(layer, position, y);
		dense("attn.c_proj", layer, y, WIDTH, WIDTH, z);
		for (int i = 0; i < WIDTH; i++)
			x[i] += z[i];
		norm("ln_2", layer, x, y);
		dense("mlp.c_fc", layer, y, WIDTH, 4 * WIDTH, wide);
		for (int i = 0; i < 4 * WIDTH; i++)
			wide[i] *= 0.5 * (1 + tanh(sqrt(2 / acos(-1)) * (wide[i] + 0.044715 * pow(wide[i], 3))));
		dense("mlp.c_proj", layer, wide, 4 * WIDTH, WIDTH, z);
		for (int i = 0; i < WIDTH; i++)
			x[i] += z[i];
	}
	norm("ln_f", -1, x, y);
	for (int j = 0; j < WORDS; j++) {
		scores[j] = 0;
		for (int i = 0; i < WIDTH; i++)
			scores[j] += y[i] * tensor("wte", -1, "weight", j * WIDTH + i);
	}
}

/* The example with these sizes. */
static struct lt_graph *load(struct lt_context *ctx, const char *path)
{
	static const struct { const char *name; int size; } sizes[] = {
		{ "\nlayers = ", LAYERS }, { "\nheads = ", HEADS }, { "\nwidth = ", WIDTH }, { "\nwords = ", WORDS },
		{ "\nplaces = ", POSITIONS }, { "\nlength = ", LENGTH },
	};
	char *text = script_file(path, NULL);
	struct lt_graph *g;
	cr_assert(text);
	for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
		char *at = strstr(text, sizes[i].name);
		if (!at)
			continue;
		at += strlen(sizes[i].name);
		*at = (char)('0' + sizes[i].size % 10);
		if (sizes[i].size > 9) {
			at[1] = *at;
			*at = '1';
			at++;
		}
		for (at++; *at != ';'; at++)
			*at = ' ';
	}
	cr_assert_eq(lt_parse(ctx, text, strlen(text), path, NULL, &g), LT_OK, "%s", lt_context_message(ctx));
	free(text);
	return g;
}

static void fill(const struct lt_graph *g, void **source, int position)
{
	for (lt_node x = 0; x < g->n_node; x++) {
		const struct lt_nodedef *d = &g->node[x];
		int64_t n = lt__node_elems(g, x);
		if (d->op != LT_OP_input && d->op != LT_OP_constant && d->op != LT_OP_state)
			continue;
		if (!source[x])
			source[x] = calloc((size_t)n, 8);
		for (int64_t i = 0; i < n && d->op != LT_OP_state; i++)
			if (d->op == LT_OP_constant)
				((float *)source[x])[i] = (float)weight(d->label, i);
			else if (strcmp(d->label, "token") == 0)
				((int64_t *)source[x])[i] = token_at(n == 1 ? position : (int)i);
			else
				((int64_t *)source[x])[i] = position + (strcmp(d->label, "end") == 0);
	}
}

static void run_tokens(const char *path, int first, int last)
{
	struct lt_context *ctx;
	lt_context_new(&ctx);
	struct lt_graph *g = load(ctx, path);
	void **source = calloc((size_t)g->n_node, sizeof *source);
	double scores[WORDS];
	for (int position = 0; position < LENGTH; position++) {
		struct lt_evaluation *e;
		step(position, scores);
		if (position < first || position > last)
			continue;
		fill(g, source, position);
		cr_assert_eq(lt_eval(g, (const void *const *)source, false, &e), LT_OK, "%s", lt_context_message(ctx));
		const float *got = lt_eval_result(e, 0, NULL);
		for (int i = 0; i < WORDS; i++)
			cr_expect_lt(fabs((double)got[i] - scores[i]), 1e-5, "%s, token %d, word %d: %g, not %g", path, position, i,
				(double)got[i], scores[i]);
		for (int32_t i = 0; i < g->n_set; i++)
			memcpy(source[g->set[i].state], lt_eval_state(e, i, NULL), sizeof(float) * POSITIONS * WIDTH);
		lt_eval_free(e);
	}
	for (lt_node x = 0; x < g->n_node; x++)
		free(source[x]);
	free(source);
	lt_graph_free(g);
	lt_context_free(ctx);
}

Test(script_transformer, all_tokens_at_once)
{
	run_tokens("examples/transformer.lt", LENGTH - 1, LENGTH - 1);
}

Test(script_transformer, token_by_token)
{
	run_tokens("examples/decode.lt", 0, LENGTH - 1);
}
