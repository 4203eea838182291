/* pointwise.c -- the suite pointwise: chains of operations on each element; one pass over memory is the
 * limit. */
#include <math.h>
#include <string.h>
#include "tools/bench/bench.h"

/* The chain goes round this list.  Each step has an operand so that none of them cancels another. */
static const struct pointwise_step { const char *node; double operand; bool unary; } steps[] = {
	{ "Multiply", 1.25, false }, { "Add", 0.5, false }, { "Max", -0.25, false }, { "Sub", 0.75, false },
	{ "Abs", 0, true }, { "Multiply", -1.5, false }, { "Min", 0.125, false }, { "Add", 2, false },
};

static double step(const struct pointwise_step *s, double x)
{
	switch (s->node[0] == 'M' ? s->node[1] : s->node[0]) {
	case 'u': return (float)(x * s->operand);
	case 'a': return x > s->operand ? x : s->operand;
	case 'i': return x < s->operand ? x : s->operand;
	case 'A': return s->unary ? fabs(x) : (float)(x + s->operand);
	default: return (float)(x - s->operand);
	}
}

static void chain(const struct bench_case *c, float *out)
{
	int64_t n = bench_case_get(c, "operations");

	for (int64_t i = 0; i < c->out.n; i++) {
		double x = c->in[0].data[i];

		for (int64_t k = 0; k < n; k++)
			x = step(&steps[k], x);
		out[i] = (float)x;
	}
}

static void gelu(const struct bench_case *c, float *out)
{
	for (int64_t i = 0; i < c->out.n; i++) {
		double x = c->in[0].data[i];

		out[i] = (float)(x / 2 * (1 + erf(x * M_SQRT1_2)));
	}
}

static void silu(const struct bench_case *c, float *out)
{
	for (int64_t i = 0; i < c->out.n; i++) {
		double x = c->in[0].data[i];

		out[i] = (float)(x / (1 + exp(-x)));
	}
}

/* Adds c = a * b + a: two operands. */
static void fma_of(const struct bench_case *c, float *out)
{
	for (int64_t i = 0; i < c->out.n; i++)
		out[i] = (float)((double)c->in[0].data[i] * c->in[1].data[i] + c->in[0].data[i]);
}

static struct bench_case *pointwise_begin(
	struct bench_cases *l, const char *suite, const char *group, const char *op, const char *title, int bits, int n_in)
{
	static const char *const names[] = { "x", "y" };
	int64_t n = INT64_C(1) << bits;
	char name[64];
	struct bench_case *c;

	snprintf(name, sizeof name, "%s-2^%d", title, bits);
	c = bench_case_add(l, suite, group, op, name);
	bench_case_number(c, "elements", n);
	for (int i = 0; i < n_in; i++)
		bench_case_in(c, names[i], false, 1, &n);
	bench_case_out(c, 1, &n);
	c->bytes = 4 * n * (n_in + 1);
	c->bound = MACHINE_COPY;
	c->depth = 1;
	c->by_rows = n_in;
	return c;
}

void bench_pointwise_chain(struct bench_cases *l, const char *suite, int operations, int bits)
{
	char title[32], text[1024] = "";
	int at = 0, node = 1;
	struct bench_case *c;

	snprintf(title, sizeof title, "chain%d", operations);
	c = pointwise_begin(l, suite, "chains", "chain", title, bits, 1);
	bench_case_number(c, "operations", operations);
	for (int i = 0; i < operations; i++) {
		if (steps[i].unary)
			at += snprintf(text + at, sizeof text - (size_t)at, "$%d = %sNode($%d);\n", node + 1, steps[i].node, node);
		else
			at += snprintf(text + at, sizeof text - (size_t)at,
				"$%d = FullNode(float32, [], %g);\n$%d = %sNode($%d, $%d);\n", 100 + i,
				steps[i].operand, node + 1, steps[i].node, node, 100 + i);
		node++;
	}
	bench_case_script(c, "%sresult = $%d;\n", text, node);
	c->flops = operations * c->out.n;
	c->reference = chain;
}

static void add_one(struct bench_cases *l, const char *op, int flops, const char *script, bench_reference *reference,
	int n_in, int bits)
{
	struct bench_case *c = pointwise_begin(l, "pointwise", "single", op, op, bits, n_in);

	bench_case_script(c, "%s", script);
	c->flops = flops * c->out.n;
	c->reference = reference;
}

void bench_pointwise_cases(struct bench_cases *l)
{
	static const int bits[] = { 16, 20, 24 };

	for (size_t b = 0; b < sizeof bits / sizeof *bits; b++) {
		for (int n = 1; n <= 8; n *= 2)
			bench_pointwise_chain(l, "pointwise", n, bits[b]);
		add_one(l, "multiply-add", 2, "$3 = MultiplyNode($1, $2);\n$4 = AddNode($3, $1);\nresult = $4;\n",
			fma_of, 2, bits[b]);
		add_one(l, "gelu", 5, "$2 = GeluNode($1);\nresult = $2;\n", gelu, 1, bits[b]);
		add_one(l, "silu", 2, "$2 = SiLUNode($1);\nresult = $2;\n", silu, 1, bits[b]);
	}
}
