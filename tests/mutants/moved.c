/* moved.c -- how far a mutant's results are from the right ones. */
#define _GNU_SOURCE 1
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "check/random/must.h"
#include "ir/eval/eval.h"
#include "tests/mutants/mutants.h"
#include "tools/tensor/tensor.h"

static double number(const struct lt_tensor *x, int64_t i)
{
	union lt_scalar v = lt__load(x->data, i, x->dtype);
	return lt__dtype_info(x->dtype)->cls == LT_CLASS_FLOAT ? v.f : (double)v.i;
}

/* In the Euclidean norm, in double.  NaN beside a number is infinitely far. */
static double tensor_moved(const struct lt_tensor *right, const struct lt_tensor *wrong)
{
	double norm = 0, apart = 0;
	int64_t n = (int64_t)(right->bytes / lt__dtype_info(right->dtype)->bytes);
	if (right->dtype != wrong->dtype || right->rank != wrong->rank || right->bytes != wrong->bytes
	    || memcmp(right->shape, wrong->shape, sizeof *right->shape * (size_t)right->rank) != 0)
		return INFINITY;
	for (int64_t i = 0; i < n; i++) {
		double a = number(right, i), b = number(wrong, i);
		if ((isnan(a) && isnan(b)) || a == b) {
			norm += isfinite(a) ? a * a : 0;
			continue;
		}
		if (!isfinite(a) || !isfinite(b))
			return INFINITY;
		norm += a * a;
		apart += (a - b) * (a - b);
	}
	return apart > 0 ? sqrt(apart) / sqrt(norm) : 0;
}

double moved(const char *right, const char *wrong, int n_run)
{
	struct lt_context *ctx;
	double max = 0;
	must(lt_context_new(&ctx) == LT_OK, "no context");
	for (int run = 0; run < n_run; run++) {
		struct lt_tensors a = { 0 }, b = { 0 };
		char name[2][1024];
		(void)snprintf(name[0], sizeof name[0], "%s.%d.safetensors", right, run);
		(void)snprintf(name[1], sizeof name[1], "%s.%d.safetensors", wrong, run);
		must(lt__tensors_read(ctx, name[0], &a) == LT_OK, "%s", lt_context_message(ctx));
		must(lt__tensors_read(ctx, name[1], &b) == LT_OK, "%s", lt_context_message(ctx));
		must(a.n == b.n, "%s has %d results, %s has %d", name[0], a.n, name[1], b.n);
		for (int i = 0; i < a.n; i++)
			for (int k = 0; k < b.n; k++)
				if (!strcmp(a.at[i].name, b.at[k].name))
					max = fmax(max, tensor_moved(&a.at[i], &b.at[k]));
		lt__tensors_free(&a);
		lt__tensors_free(&b);
	}
	lt_context_free(ctx);
	return max;
}

double state_moved(const char *log)
{
	static const char before[] = "  norm:    largest relative error ";
	char *line = NULL, *after;
	size_t cap = 0;
	double max = 0;
	FILE *f = fopen(log, "re");
	must(f != NULL, "%s cannot be read", log);
	while (getline(&line, &cap, f) > 0)
		if (!strncmp(line, before, strlen(before))) {
			double share = strtod(line + strlen(before), &after);
			max = !strncmp(after, ", of state ", 11) ? fmax(max, share) : max;
		}
	free(line);
	(void)fclose(f);
	return max;
}
