/* gemm.c -- the suite gemm: c[m,n] = a[m,k] b[k,n]; both are inputs, so that packing is part of the
 * time. */
#include <stdlib.h>
#include <string.h>
#include "tools/bench/bench.h"

static const struct gemm_row { const char *group; int m, k, n; enum machine_bound bound; } table[] = {
	{ "squares 64-256", 64, 64, 64, MACHINE_FLOPS },
	{ "squares 64-256", 128, 128, 128, MACHINE_FLOPS },
	{ "squares 64-256", 256, 256, 256, MACHINE_FLOPS },
	{ "squares 512-2048", 512, 512, 512, MACHINE_FLOPS },
	{ "squares 512-2048", 1024, 1024, 1024, MACHINE_FLOPS },
	{ "squares 512-2048", 2048, 2048, 2048, MACHINE_FLOPS },
	{ "odd", 1021, 1023, 1025, MACHINE_FLOPS },
	/* So few rows read b once for each few operations: memory is the limit. */
	{ "rows", 1, 4096, 4096, MACHINE_READ },
	{ "rows", 2, 4096, 4096, MACHINE_READ },
	{ "rows", 4, 4096, 4096, MACHINE_READ },
	{ "rows", 8, 4096, 4096, MACHINE_READ },
	{ "rows", 1, 4096, 11008, MACHINE_READ },
	{ "rows", 2, 4096, 11008, MACHINE_READ },
	{ "rows", 4, 4096, 11008, MACHINE_READ },
	{ "rows", 8, 4096, 11008, MACHINE_READ },
	{ "tall", 8192, 256, 64, MACHINE_FLOPS },
	{ "tall", 4096, 512, 32, MACHINE_FLOPS },
	{ "flat", 64, 256, 8192, MACHINE_FLOPS },
	{ "flat", 128, 8192, 128, MACHINE_FLOPS },
	{ "tiny", 4, 4, 4, MACHINE_FLOPS },
	{ "tiny", 8, 8, 8, MACHINE_FLOPS },
	{ "tiny", 16, 16, 16, MACHINE_FLOPS },
	{ "tiny", 32, 32, 32, MACHINE_FLOPS },
};

/* Row by row, b read along its rows. */
static void multiply(const struct bench_case *c, float *out)
{
	int64_t m = bench_case_get(c, "m"), k = bench_case_get(c, "k"), n = bench_case_get(c, "n");
	double *row = lt__must_alloc((size_t)n * sizeof *row);

	for (int64_t i = 0; i < m; i++) {
		memset(row, 0, (size_t)n * sizeof *row);
		for (int64_t p = 0; p < k; p++) {
			double a = c->in[0].data[i * k + p];
			const float *b = c->in[1].data + p * n;

			for (int64_t j = 0; j < n; j++)
				row[j] += a * b[j];
		}
		for (int64_t j = 0; j < n; j++)
			out[i * n + j] = (float)row[j];
	}
	free(row);
}

static void gemm_add(struct bench_cases *l, const char *suite, const struct gemm_row *r)
{
	char name[64];
	struct bench_case *c;

	if (r->m == r->k && r->k == r->n)
		snprintf(name, sizeof name, "%d", r->m);
	else
		snprintf(name, sizeof name, "%dx%dx%d", r->m, r->k, r->n);
	c = bench_case_add(l, suite, r->group, "gemm", name);
	bench_case_number(c, "m", r->m);
	bench_case_number(c, "k", r->k);
	bench_case_number(c, "n", r->n);
	bench_case_in(c, "a", false, 2, (const int64_t[]){ r->m, r->k });
	bench_case_in(c, "b", false, 2, (const int64_t[]){ r->k, r->n });
	bench_case_out(c, 2, (const int64_t[]){ r->m, r->n });
	bench_case_script(c, "$3 = MatMulNode($1, $2);\nresult = $3;\n");
	c->flops = INT64_C(2) * r->m * r->k * r->n;
	/* What a product of few rows is measured by: b, once. */
	c->bytes = INT64_C(4) * r->k * r->n;
	if (r->bound != MACHINE_READ)
		c->bytes += INT64_C(4) * (r->m * r->k + r->m * r->n);
	c->bound = r->bound;
	c->depth = r->k;
	c->by_rows = 1;
	c->reference = multiply;
}

void bench_gemm_case(struct bench_cases *l, const char *suite, const char *group, int m, int k, int n)
{
	gemm_add(l, suite, &(struct gemm_row){ group, m, k, n, m < 16 ? MACHINE_READ : MACHINE_FLOPS });
}

void bench_gemm_cases(struct bench_cases *l)
{
	for (size_t i = 0; i < sizeof table / sizeof *table; i++)
		gemm_add(l, "gemm", &table[i]);
}
