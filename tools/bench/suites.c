/* suites.c -- which suites there are; the cases of `compile`, which are of the others. */
#include <stdlib.h>
#include <string.h>
#include "tools/bench/bench.h"

const struct bench_suite bench_suites[] = {
	{ "gemm", "matrix products: squares, odd sizes, few rows, tall, flat, tiny", bench_gemm_cases, BENCH_SINGLE },
	{ "conv", "the distinct convolutions of ResNet-50 and MobileNetV2, batch 1", bench_conv_cases, BENCH_SINGLE },
	{ "rows", "softmax, layer norm, RMS norm and sums of rows", bench_rows_cases, BENCH_SINGLE },
	{ "mlp", "784-1000-10, batch 1 to 1024", bench_mlp_cases, BENCH_SINGLE },
	{ "recurrent", "LSTM, GRU and linear layers, batch 1 and 4", bench_recurrent_cases, BENCH_SINGLE },
	{ "pointwise", "chains of 1 to 8 operations", bench_pointwise_cases, BENCH_SINGLE },
	{ "layout", "transposes, concatenation, padding", bench_layout_cases, BENCH_SINGLE },
	{ "nets", "whole networks: the models that --model names", bench_nets_cases, BENCH_NETS },
	{ "start", "the same: from nothing to the first result, and memory", bench_nets_cases, BENCH_STARTS },
	{ "llama", "language models of llama2.c, with random weights", bench_llama_cases, BENCH_TEXTS },
	{ "gpu", "what fills a GPU: large products, chains, rows, transposes, the network", bench_gpu_cases, BENCH_SINGLE },
	{ "compile", "time to compile, cold and from the cache", bench_compile_cases, BENCH_COMPILES },
	{ 0 }
};

void bench_nets_cases(struct bench_cases *l)
{
	(void)l;
}

void bench_llama_cases(struct bench_cases *l)
{
	(void)l;
}

bool bench_suite_takes_models(const char *name)
{
	return bench_suite_find(name) && bench_suite_find(name)->kind & (BENCH_NETS | BENCH_STARTS);
}

const struct bench_suite *bench_suite_find(const char *name)
{
	for (const struct bench_suite *s = bench_suites; s->name; s++)
		if (!strcmp(s->name, name))
			return s;
	return NULL;
}

/* All products, the first case of each group of the other suites, and views of very many pieces. */
void bench_compile_cases(struct bench_cases *l)
{
	bench_gemm_cases(l);
	for (const struct bench_suite *s = bench_suites; s->name; s++) {
		int begin = l->n, kept = l->n;

		if (!strcmp(s->name, "gemm") || !strcmp(s->name, "gpu") || !strcmp(s->name, "compile"))
			continue;
		s->cases(l);
		for (int i = begin; i < l->n; i++) {
			bool first = true;

			for (int k = begin; k < kept; k++)
				first = first && strcmp(l->at[k].group, l->at[i].group) != 0;
			if (first)
				l->at[kept++] = l->at[i];
			else
				free(l->at[i].script);
		}
		l->n = kept;
	}
	bench_pieces_cases(l);
}
