/* rows.c -- the suite rows: what is computed of each row of a matrix, from rows in the cache to large
 * tensors. */
#include <math.h>
#include <string.h>
#include "tools/bench/bench.h"

static double sum(const float *x, int64_t n)
{
	double s = 0;

	for (int64_t i = 0; i < n; i++)
		s += x[i];
	return s;
}

static double squares(const float *x, double mean, int64_t n)
{
	double s = 0;

	for (int64_t i = 0; i < n; i++)
		s += (x[i] - mean) * (x[i] - mean);
	return s;
}

static void softmax(const struct bench_case *c, float *out)
{
	int64_t n = bench_case_get(c, "columns"), rows = bench_case_get(c, "rows");

	for (int64_t r = 0; r < rows; r++) {
		const float *x = c->in[0].data + r * n;
		float top = x[0];
		double total = 0;

		for (int64_t i = 1; i < n; i++)
			top = x[i] > top ? x[i] : top;
		for (int64_t i = 0; i < n; i++)
			total += exp((double)x[i] - top);
		for (int64_t i = 0; i < n; i++)
			out[r * n + i] = (float)(exp((double)x[i] - top) / total);
	}
}

static void layer_norm(const struct bench_case *c, float *out)
{
	int64_t n = bench_case_get(c, "columns"), rows = bench_case_get(c, "rows");

	for (int64_t r = 0; r < rows; r++) {
		const float *x = c->in[0].data + r * n;
		double mean = sum(x, n) / (double)n, scale = 1 / sqrt(squares(x, mean, n) / (double)n + 1e-5);

		for (int64_t i = 0; i < n; i++)
			out[r * n + i] = (float)((x[i] - mean) * scale * c->in[1].data[i] + c->in[2].data[i]);
	}
}

static void rms_norm(const struct bench_case *c, float *out)
{
	int64_t n = bench_case_get(c, "columns"), rows = bench_case_get(c, "rows");

	for (int64_t r = 0; r < rows; r++) {
		const float *x = c->in[0].data + r * n;
		double scale = 1 / sqrt(squares(x, 0, n) / (double)n + 1e-5);

		for (int64_t i = 0; i < n; i++)
			out[r * n + i] = (float)(x[i] * scale * c->in[1].data[i]);
	}
}

static void row_sum(const struct bench_case *c, float *out)
{
	int64_t n = bench_case_get(c, "columns"), rows = bench_case_get(c, "rows");

	for (int64_t r = 0; r < rows; r++)
		out[r] = (float)sum(c->in[0].data + r * n, n);
}

/* Operations, as lt/program.h counts them, of one element and of one row in addition. */
static const struct op {
	const char *name;
	int flops, row_flops, n_weight;
	const char *script;
	bench_reference *reference;
} ops[] = {
	{ "softmax", 5, 0, 0, "$2 = SoftmaxNode($1);\nresult = $2;\n", softmax },
	{ "layernorm", 7, 4, 2, "$4 = LayerNormNode($1, $2, $3);\nresult = $4;\n", layer_norm },
	{ "rmsnorm", 4, 3, 1, "$3 = RMSNormNode($1, $2);\nresult = $3;\n", rms_norm },
	{ "sum", 1, 0, 0, "$2 = ReduceSumNode($1, [1]);\nresult = $2;\n", row_sum },
};

static void rows_add(struct bench_cases *l, const char *suite, const struct op *op, int64_t columns, int bits)
{
	int64_t rows = (INT64_C(1) << bits) / columns;
	char name[64];
	struct bench_case *c;

	snprintf(name, sizeof name, "%s-%lldx%lld", op->name, (long long)rows, (long long)columns);
	c = bench_case_add(l, suite, op->name, op->name, name);
	bench_case_number(c, "rows", rows);
	bench_case_number(c, "columns", columns);
	bench_case_in(c, "x", false, 2, (const int64_t[]){ rows, columns });
	if (op->n_weight > 0)
		bench_case_in(c, "weight", true, 1, &columns);
	if (op->n_weight > 1)
		bench_case_in(c, "bias", true, 1, &columns);
	if (op->reference == row_sum)
		bench_case_out(c, 1, &rows);
	else
		bench_case_out(c, 2, (const int64_t[]){ rows, columns });
	bench_case_script(c, "%s", op->script);
	c->flops = (op->flops * columns + op->row_flops) * rows;
	c->bytes = 4 * (c->in[0].n + c->out.n);
	c->bound = op->reference == row_sum ? MACHINE_READ : MACHINE_COPY;
	c->depth = columns;
	c->by_rows = 1;
	c->reference = op->reference;
}

void bench_rows_case(struct bench_cases *l, const char *suite, const char *op, int64_t columns, int bits)
{
	for (size_t o = 0; o < sizeof ops / sizeof *ops; o++)
		if (!strcmp(ops[o].name, op))
			rows_add(l, suite, &ops[o], columns, bits);
}

void bench_rows_cases(struct bench_cases *l)
{
	static const int64_t columns[] = { 256, 1024, 4096, 16384 };
	static const int bits[] = { 20, 23, 26 };

	for (size_t o = 0; o < sizeof ops / sizeof *ops; o++)
		for (size_t b = 0; b < sizeof bits / sizeof *bits; b++)
			for (size_t i = 0; i < sizeof columns / sizeof *columns; i++)
				rows_add(l, "rows", &ops[o], columns[i], bits[b]);
}
