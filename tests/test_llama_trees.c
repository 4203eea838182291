/* The default trees of language models: a table and all trees are what tests/trees/llama_NAME.txt has (LT_BLESS=1
 * rewrites it). */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "frontends/llama2/llama2.h"
#include "looptree/tree/tree.h"
#include "tests/tree_summary.h"

TestSuite(llama_trees, .timeout = 120);

enum { LAYERS = 2, HEAD = 64 };

/* stories110M's sizes but the number of layers, or with grouped heads; a plan reads no weights. */
static struct lt_llama model_of(int32_t kv_heads, enum lt_dtype dtype)
{
	static _Alignas(64) unsigned char nothing[64];
	struct lt_llama m = { .dim = 12 * HEAD, .hidden = 2048, .layers = LAYERS, .heads = 12, .kv_heads = kv_heads,
		.vocab = 32000, .context = 1024, .shared = true, .file = "a plan",
		.group = dtype == LT_I8 ? HEAD : 0 };
	const int64_t kv = (int64_t)kv_heads * HEAD;
	const struct { int64_t rows, columns; } size[LT_LLAMA_KINDS] = { [LT_LLAMA_EMBEDDING] = { m.vocab, m.dim },
		[LT_LLAMA_RMS_ATTENTION] = { 1, m.dim }, [LT_LLAMA_WQ] = { m.dim, m.dim }, [LT_LLAMA_WK] = { kv, m.dim },
		[LT_LLAMA_WV] = { kv, m.dim }, [LT_LLAMA_WO] = { m.dim, m.dim }, [LT_LLAMA_RMS_FFN] = { 1, m.dim },
		[LT_LLAMA_W1] = { m.hidden, m.dim }, [LT_LLAMA_W2] = { m.dim, m.hidden }, [LT_LLAMA_W3] = { m.hidden, m.dim },
		[LT_LLAMA_RMS_FINAL] = { 1, m.dim } };

	for (int k = 0; k < LT_LLAMA_KINDS; k++)
		m.weights[k] = (struct lt_llama_weights){ .at = nothing, .scale = nothing, .rows = size[k].rows,
			.columns = size[k].columns, .dtype = lt__llama_is_vector((enum lt_llama_kind)k) ? LT_F32 : dtype };
	return m;
}

static struct lt_program *plan(struct lt_context *ctx, int32_t kv_heads, int32_t tokens, enum lt_dtype dtype,
	enum lt_dtype cache)
{
	const struct lt_options o = { .size = sizeof o, .backends = "cpu:target=avx2", .strict = 1, .n_thread = 2,
		.plan_only = 1, .unpacked = tokens > 1 };
	const struct lt_llama m = model_of(kv_heads, dtype);
	struct lt_program *p;
	struct lt_graph *g;

	cr_assert(!lt__llama_graph(ctx, &m, &(struct lt_llama_options){ .tokens = tokens, .cache = cache }, &g), "%s",
		lt_context_message(ctx));
	cr_assert(!lt_compile(ctx, g, &o, &p), "%s", lt_context_message(ctx));
	lt_graph_free(g);
	return p;
}

static void expect_trees(const char *name, int32_t kv_heads, int32_t tokens, enum lt_dtype dtype)
{
	char path[64], *text = NULL;
	struct lt_context *ctx;
	size_t bytes = 0;
	int32_t n;

	cr_assert(!lt_context_new(&ctx));
	struct lt_program *p = plan(ctx, kv_heads, tokens, dtype, LT_F32);
	struct layer *layer = layers_of(p, &n);
	snprintf(path, sizeof path, "tests/trees/llama_%s.txt", name);
	FILE *f = getenv("LT_BLESS") ? fopen(path, "w") : open_memstream(&text, &bytes);
	cr_assert(f, "%s cannot be written", path);
	layers_print(p, layer, n, f);
	cr_assert_eq(fclose(f), 0);
	if (text) {
		char *want = layers_read(path);
		cr_assert(want, "%s cannot be read", path);

		cr_expect_str_eq(want, text, "%s: another tree (LT_BLESS=1, if the change is meant)", path);
		free(want);
	}
	free(text);
	free(layer);
	lt_program_free(p);
	lt_context_free(ctx);
}

Test(llama_trees, of_a_step) { expect_trees("step", 12, 1, LT_F32); }
Test(llama_trees, of_a_step_with_grouped_heads) { expect_trees("grouped", 4, 1, LT_F32); }
Test(llama_trees, of_a_prompt) { expect_trees("prompt", 12, 64, LT_F32); }
Test(llama_trees, of_a_step_of_int8) { expect_trees("int8", 12, 1, LT_I8); }

/* Norm; q, k and v, rotated and remembered; attention; what follows it; norm; w1, w3 and their gate; w2.  Of int8,
 * what a product reads is rounded where it is computed.  A cache of halves is cast where it is read, by several queries
 * of a head of keys, too. */
Test(llama_trees, a_layer_is_seven_kernels)
{
	static const struct { enum lt_dtype dtype; int32_t kv_heads; enum lt_dtype cache; int32_t others; } models[] = {
		/* others: embedding, norms, logits */
		{ LT_F32, 12, LT_F32, 4 }, { LT_F32, 12, LT_BF16, 4 }, { LT_F32, 4, LT_F32, 4 }, { LT_F32, 4, LT_BF16, 4 },
		{ LT_F32, 4, LT_F16, 4 }, { LT_I8, 12, LT_F32, 3 } };
	struct lt_context *ctx;

	cr_assert(!lt_context_new(&ctx));
	for (size_t i = 0; i < sizeof models / sizeof *models; i++) {
		struct lt_stats stats = { .size = sizeof stats };
		struct lt_program *p = plan(ctx, models[i].kv_heads, 1, models[i].dtype, models[i].cache);
		const bool bytes = models[i].dtype == LT_I8;

		lt_program_stats(p, &stats);
		cr_expect_eq(stats.n_launch, 7 * LAYERS + models[i].others, "model %zu: %d launches", i, (int)stats.n_launch);
		/* all that a step reads: each matrix, with the scales of int8, and the whole cache once */
		const double kv = 64.0 * models[i].kv_heads, vectors = 4.0 * 768 * (2 * LAYERS + 1),
			weights = (bytes ? 1 + 4.0 / HEAD : 4) * (LAYERS * (2.0 * 768 * 768 + 2 * 768 * kv + 3.0 * 768 * 2048)
				+ 32000.0 * 768) + vectors,
			cache = 2.0 * LAYERS * kv * 1024 * (double)lt_dtype_bytes(models[i].cache);
		cr_expect((double)stats.bytes <= (bytes ? 1.05 : 1.01) * (weights + cache),
			"model %zu: %.0f bytes, %.0f are needed", i, (double)stats.bytes, weights + cache);
		lt_program_free(p);
	}
	lt_context_free(ctx);
}
