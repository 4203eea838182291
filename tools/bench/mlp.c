/* mlp.c -- the suite mlp: relu(x w1 + b1) w2 + b2 of 784-1000-10, as it classifies digits; weights are
 * constants. */
#include <stdlib.h>
#include "tools/bench/bench.h"

enum { SIDE = 28, IN = SIDE * SIDE, HIDDEN = 1000, OUT = 10 };

static void layer(const double *x, int64_t n_in, const struct bench_tensor *w, const struct bench_tensor *b, double *y)
{
	int64_t n = w->shape[1];

	for (int64_t j = 0; j < n; j++)
		y[j] = b->data[j];
	for (int64_t p = 0; p < n_in; p++)
		for (int64_t j = 0; j < n; j++)
			y[j] += x[p] * w->data[p * n + j];
}

static void mlp_reference(const struct bench_case *c, float *out)
{
	double *x = lt__must_alloc((IN + HIDDEN + OUT) * sizeof *x), *h = x + IN, *y = h + HIDDEN;

	for (int64_t r = 0; r < bench_case_get(c, "batch"); r++) {
		for (int64_t i = 0; i < IN; i++)
			x[i] = c->in[0].data[r * IN + i];
		layer(x, IN, &c->in[1], &c->in[2], h);
		for (int64_t i = 0; i < HIDDEN; i++)
			h[i] = h[i] > 0 ? h[i] : 0;
		layer(h, HIDDEN, &c->in[3], &c->in[4], y);
		for (int64_t i = 0; i < OUT; i++)
			out[r * OUT + i] = (float)y[i];
	}
	free(x);
}

static struct bench_case *mlp_begin(
	struct bench_cases *l, const char *suite, const char *group, const char *title, int batch)
{
	char name[64];
	struct bench_case *c;

	snprintf(name, sizeof name, "%s-%d", title, batch);
	c = bench_case_add(l, suite, group, "mlp", name);
	bench_case_number(c, "batch", batch);
	bench_case_number(c, "in", IN);
	bench_case_number(c, "hidden", HIDDEN);
	bench_case_number(c, "out", OUT);
	return c;
}

/* view: what comes before the first product, as $11. */
static void mlp_end(struct bench_case *c, const char *view, int batch)
{
	bench_case_in(c, "w1", true, 2, (const int64_t[]){ IN, HIDDEN });
	bench_case_in(c, "b1", true, 2, (const int64_t[]){ 1, HIDDEN });
	bench_case_in(c, "w2", true, 2, (const int64_t[]){ HIDDEN, OUT });
	bench_case_in(c, "b2", true, 2, (const int64_t[]){ 1, OUT });
	bench_case_out(c, 2, (const int64_t[]){ batch, OUT });
	bench_case_script(c, "%s$6 = MatMulNode($%d, $2);\n$7 = SumNode($6, $3);\n$8 = ReLUNode($7);\n"
		"$9 = MatMulNode($8, $4);\n$10 = SumNode($9, $5);\nresult = $10;\n", view, view[0] ? 11 : 1);
	c->flops = batch * (INT64_C(2) * (IN * HIDDEN + HIDDEN * OUT) + 2 * HIDDEN + OUT);     /* biases, ReLU */
	c->bytes = 4 * (c->in[0].n + c->in[1].n + c->in[2].n + c->in[3].n + c->in[4].n + c->out.n);
	c->bound = MACHINE_FLOPS;
	c->depth = HIDDEN;
	c->reference = mlp_reference;
}

void bench_mlp_case(struct bench_cases *l, const char *suite, int batch)
{
	struct bench_case *c = mlp_begin(l, suite, "mlp", "batch", batch);

	bench_case_in(c, "x", false, 2, (const int64_t[]){ batch, IN });
	c->by_rows = 1;
	mlp_end(c, "", batch);
}

/* The same of images of 28 by 28, as examples/hamkaas-mnist.lt has them. */
void bench_mnist_case(struct bench_cases *l, const char *suite, int batch)
{
	struct bench_case *c = mlp_begin(l, suite, "mnist", "mnist", batch);
	char view[64];

	snprintf(view, sizeof view, "$11 = ReshapeNode($1, [%d, %d]);\n", batch, IN);
	bench_case_in(c, "x", false, 3, (const int64_t[]){ batch, SIDE, SIDE });
	mlp_end(c, view, batch);
}

void bench_mlp_cases(struct bench_cases *l)
{
	static const int batch[] = { 1, 10, 128, 1024 };

	for (size_t i = 0; i < sizeof batch / sizeof *batch; i++)
		bench_mlp_case(l, "mlp", batch[i]);
}
