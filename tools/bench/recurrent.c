/* recurrent.c -- the suite recurrent: LSTM and GRU as PyTorch has them, and linear layers whose weights lie along what
 * they sum over; all weights are constants, made small so that no gate is stuck at its end. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "tools/bench/bench.h"

enum { STEPS = 50, LAYERS = 3, SHRINK = 16 };
struct recurrent_row { const char *op; int hidden, batch, directions; };
static const struct recurrent_row rows[] = {
	{ "lstm", 256, 1, 1 }, { "lstm", 256, 4, 1 }, { "lstm", 256, 4, 2 }, { "lstm", 512, 1, 1 }, { "lstm", 97, 1, 1 },
	{ "gru", 256, 1, 1 }, { "gru", 256, 4, 1 }, { "gru", 256, 4, 2 }, { "gru", 97, 1, 1 },
};
static const struct { int size, batch; } linear[] = { { 256, 1 }, { 1024, 1 }, { 1024, 4 }, { 1021, 1 } };

static double sigmoid(double x) { return 1 / (1 + exp(-x)); }

/* y = x W^T + b, of W [n, k]. */
static void multiply(const float *w, const float *b, const double *x, int64_t n, int64_t k, double shrink, double *y)
{
	for (int64_t i = 0; i < n; i++) {
		double sum = 0;

		for (int64_t p = 0; p < k; p++)
			sum += w[i * k + p] * x[p];
		y[i] = sum / shrink + (b ? b[i] : 0);
	}
}

/* The next h of n elements, from the gates of x and of h: i o f c of an LSTM, z r h of a GRU. */
static void next_state(bool lstm, int64_t n, const double *x, const double *r, double *h, double *cell)
{
	for (int64_t i = 0; i < n; i++) {
		double first = sigmoid(x[i] + r[i]), second = sigmoid(x[n + i] + r[n + i]);

		if (lstm) {
			cell[i] = sigmoid(x[2 * n + i] + r[2 * n + i]) * cell[i] + first * tanh(x[3 * n + i] + r[3 * n + i]);
			h[i] = second * tanh(cell[i]);
		} else {
			h[i] = (1 - first) * tanh(x[2 * n + i] + second * r[2 * n + i]) + first * h[i];
		}
	}
}

static void recurrent_reference(const struct bench_case *c, float *out)
{
	const bool lstm = !strcmp(c->op, "lstm");
	const int64_t n = bench_case_get(c, "hidden"), batch = bench_case_get(c, "batch"), g = (lstm ? 4 : 3) * n;
	const int64_t n_direction = bench_case_get(c, "directions"), steps = bench_case_get(c, "steps");
	double *h = lt__must_alloc((size_t)(3 * n + 2 * g) * sizeof *h), *cell = h + n, *x = cell + n;
	double *gx = x + n, *gr = gx + g;

	for (int64_t d = 0; d < n_direction; d++)
		for (int64_t b = 0; b < batch; b++) {
			memset(h, 0, (size_t)(2 * n) * sizeof *h);
			for (int64_t i = 0; i < steps; i++) {
				const int64_t t = d ? steps - 1 - i : i;

				for (int64_t k = 0; k < n; k++)
					x[k] = c->in[0].data[(t * batch + b) * n + k];
				multiply(c->in[1].data + d * g * n, c->in[3].data + d * 2 * g, x, g, n, SHRINK, gx);
				multiply(c->in[2].data + d * g * n, c->in[3].data + d * 2 * g + g, h, g, n, SHRINK, gr);
				next_state(lstm, n, gx, gr, h, cell);
				for (int64_t k = 0; k < n; k++)
					out[((t * n_direction + d) * batch + b) * n + k] = (float)h[k];
			}
		}
	free(h);
}

static void recurrent_case(struct bench_cases *l, const struct recurrent_row *r)
{
	const int64_t n = r->hidden, batch = r->batch, d = r->directions, gates = !strcmp(r->op, "lstm") ? 4 : 3;
	/* of an element of a state, in a step: what stands in next_state */
	const int64_t pointwise = gates == 4 ? 13 : 11;
	struct bench_case *c;
	char name[64];

	snprintf(name, sizeof name, "%s%s-%d-%d", d == 2 ? "bi" : "", r->op, r->hidden, r->batch);
	c = bench_case_add(l, "recurrent", r->op, r->op, name);
	bench_case_number(c, "steps", STEPS);
	bench_case_number(c, "batch", batch);
	bench_case_number(c, "hidden", n);
	bench_case_number(c, "directions", d);
	bench_case_number(c, "shrink", SHRINK);
	bench_case_in(c, "x", false, 3, (const int64_t[]){ STEPS, batch, n });
	bench_case_in(c, "w", true, 3, (const int64_t[]){ d, gates * n, n });
	bench_case_in(c, "r", true, 3, (const int64_t[]){ d, gates * n, n });
	bench_case_in(c, "b", true, 2, (const int64_t[]){ d, 2 * gates * n });
	bench_case_out(c, 4, (const int64_t[]){ STEPS, d, batch, n });
	bench_case_script(c, "$5 = %s($1, $2 * %g, $3 * %g, $4, %s%s);\nresult = $5;\n", gates == 4 ? "LstmNode" : "GruNode",
		1.0 / SHRINK, 1.0 / SHRINK, d == 2 ? "bidirectional" : "forward", gates == 4 ? "" : ", linear_before_reset");
	/* the first h is 0, and is not multiplied */
	c->flops = d * batch * n * (STEPS * (gates * (2 * n + 1) + pointwise) + (STEPS - 1) * gates * (2 * n + 1));
	c->bytes = 4 * (c->in[0].n + c->in[1].n + c->in[2].n + c->in[3].n + c->out.n);
	c->bound = MACHINE_FLOPS;
	c->depth = 2 * n;
	c->reference = recurrent_reference;
}

static void linear_reference(const struct bench_case *c, float *out)
{
	const int64_t n = bench_case_get(c, "size");
	double *x = lt__must_alloc((size_t)(2 * n) * sizeof *x), *y = x + n;

	for (int64_t b = 0; b < bench_case_get(c, "batch"); b++) {
		for (int64_t i = 0; i < n; i++)
			x[i] = c->in[0].data[b * n + i];
		for (int k = 1; k <= LAYERS; k++) {
			multiply(c->in[k].data, NULL, x, n, n, SHRINK, y);
			memcpy(x, y, (size_t)n * sizeof *x);
		}
		for (int64_t i = 0; i < n; i++)
			out[b * n + i] = (float)x[i];
	}
	free(x);
}

static void linear_case(struct bench_cases *l, int64_t n, int64_t batch)
{
	static const char *const names[LAYERS] = { "w1", "w2", "w3" };
	struct bench_case *c;
	char name[64];

	snprintf(name, sizeof name, "linear-%lld-%lld", (long long)n, (long long)batch);
	c = bench_case_add(l, "recurrent", "linear", "linear", name);
	bench_case_number(c, "size", n);
	bench_case_number(c, "batch", batch);
	bench_case_number(c, "layers", LAYERS);
	bench_case_number(c, "shrink", SHRINK);
	bench_case_in(c, "x", false, 2, (const int64_t[]){ batch, n });
	for (int i = 0; i < LAYERS; i++)
		bench_case_in(c, names[i], true, 2, (const int64_t[]){ n, n });
	bench_case_out(c, 2, (const int64_t[]){ batch, n });
	bench_case_script(c, "$5 = LinearNode($1, $2 * %g);\n$6 = LinearNode($5, $3 * %g);\n$7 = LinearNode($6, $4 * %g);\n"
		"result = $7;\n", 1.0 / SHRINK, 1.0 / SHRINK, 1.0 / SHRINK);
	c->flops = LAYERS * 2 * batch * n * n;
	c->bytes = 4 * (c->in[0].n + c->in[1].n + c->in[2].n + c->in[3].n + c->out.n);
	c->bound = MACHINE_READ;
	c->depth = n;
	c->reference = linear_reference;
}

void bench_recurrent_cases(struct bench_cases *l)
{
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		recurrent_case(l, &rows[i]);
	for (size_t i = 0; i < sizeof linear / sizeof *linear; i++)
		linear_case(l, linear[i].size, linear[i].batch);
}
