/* Models of llama2.c as graphs: files of all versions, a step and a whole prompt, against the formulas in double. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "frontends/llama2/llama2.h"
#include "lt/lt.h"
#include "tests/checkpoint.h"

enum { TOKENS = 11, MAX_VOCAB = 64 };

static const struct model_case {
	struct checkpoint_sizes s;
	bool shared;
	int version, group;
} models[] = {
	{ { 24, 40, 3, 3, 3, 50, 16 }, true, 0, 0 },
	{ { 32, 44, 2, 8, 2, 40, 13 }, false, 0, 0 },           /* grouped heads, a classifier of its own */
	{ { 24, 40, 2, 6, 2, 50, 16 }, true, 1, 0 },
	{ { 32, 44, 2, 4, 1, 40, 13 }, false, 1, 0 },           /* one head of keys for all */
	{ { 32, 64, 2, 4, 2, 50, 16 }, true, 2, 16 },
	{ { 32, 48, 2, 4, 4, 50, 16 }, false, 2, 8 },
	{ { 32, 42, 2, 4, 4, 50, 16 }, false, 2, 32 },          /* rows of w2 that do not end with a group */
	{ { 6, 10, 2, 3, 3, 7, 16 }, true, 2, 3 },              /* scales that no float is aligned to */
	{ { 8, 8, 1, 4, 2, 9, 12 }, true, 0, 0 },
};
enum { MODELS = sizeof models / sizeof *models };

struct running { struct lt_context *ctx; struct lt_program *program; struct lt_instance *instance; };

static struct running begin(const struct lt_llama *m, const char *backend, const struct lt_llama_options *graph,
	struct lt_context *ctx)
{
	const struct lt_options options = { .size = sizeof options, .backends = backend };
	struct running r = { .ctx = ctx };
	struct lt_graph *g;

	cr_assert(!lt__llama_graph(ctx, m, graph, &g), "%s", lt_context_message(ctx));
	cr_assert(!lt_graph_verify(g), "%s", lt_context_message(ctx));
	cr_assert(!lt_compile(ctx, g, &options, &r.program), "%s", lt_context_message(ctx));
	cr_assert(!lt_instance_new(r.program, &r.instance), "%s", lt_instance_message(r.instance));
	lt_graph_free(g);
	return r;
}

static struct running start(const struct checkpoint *c, const char *backend, int32_t tokens)
{
	struct lt_context *ctx;
	struct lt_llama m;

	cr_assert(!lt_context_new(&ctx));
	cr_assert(!lt__llama_read(ctx, c->file, c->n, "test.bin", &m), "%s", lt_context_message(ctx));
	cr_assert(m.version == c->version && m.group == c->group && m.shared == c->shared);
	return begin(&m, backend, &(struct lt_llama_options){ .tokens = tokens, .floats = true }, ctx);
}

static void stop(struct running *r)
{
	lt_instance_free(r->instance);
	lt_program_free(r->program);
	lt_context_free(r->ctx);
}

static lt_status feed(struct running *r, const int64_t *token, int64_t position, int64_t count, float *logits)
{
	const void *input[3] = { 0 };
	const struct { const char *name; const int64_t *at; } all[] = { { "tokens", token }, { "position", &position },
		{ "count", &count } };

	for (int i = 0; i < 3; i++) {
		const int32_t at = lt_program_find(r->program, LT_BINDING_INPUT, all[i].name);

		if (at >= 0)
			input[at] = all[i].at;
	}
	return lt_instance_run(r->instance, input, (void *[]){ logits });
}

static int64_t token_at(const struct checkpoint *c, int i) { return (i * 7 + 1) % c->s.vocab; }

/* Each layer sums over at most 4 * dim + hidden products on its way, each rounded by 2^-24.  Where numbers become int8,
 * or are kept with fewer bits, one that is near the middle of two may become the other one. */
static void expect(const struct checkpoint *c, const float *got, const double *want, const char *what, int at)
{
	double largest = 0;

	for (int i = 0; i < c->s.vocab; i++)
		largest = fmax(largest, fabs(want[i]));
	const double bound = largest * c->s.layers * (4 * c->s.dim + c->s.hidden) * 0x1p-24
		* (c->rounded || c->cache_bits ? 60 : 1);
	for (int i = 0; i < c->s.vocab; i++)
		cr_assert(fabs(got[i] - want[i]) <= bound, "%s, version %d, dim %d, token %d, logit %d: %g, the formulas give %g "
			"(bound %g)", what, c->version, c->s.dim, at, i, (double)got[i], want[i], bound);
}

static struct checkpoint *model(int i)
{
	return checkpoint_new(&models[i].s, models[i].shared, models[i].version, models[i].group, 20 + (uint64_t)i);
}

static void compare_steps(const char *backend, int from, int to)
{
	for (int i = from; i < to; i++) {
		struct checkpoint *c = model(i);
		struct running r = start(c, backend, 1);
		float got[MAX_VOCAB];
		double want[MAX_VOCAB];

		for (int p = 0; p < TOKENS; p++) {
			const int64_t token = token_at(c, p);

			memset(got, 0x7f, sizeof got);
			cr_assert(!feed(&r, &token, p, 1, got), "%s", lt_instance_message(r.instance));
			checkpoint_forward(c, (int32_t)token, p, want);
			expect(c, got, want, backend, p);
		}
		stop(&r);
		checkpoint_free(c);
	}
}

Test(llama_model, steps_are_the_formulas_numbers_ref) { compare_steps("ref", 0, MODELS); }
Test(llama_model, steps_are_the_formulas_numbers_cpu) { compare_steps("cpu", 1, 2); }
Test(more_llama_model, steps_are_the_formulas_numbers_cpu) { compare_steps("cpu", 0, 3); }
Test(llama_model, steps_are_the_formulas_numbers_sim) { compare_steps("sim", 1, 2); }

/* A prompt in one run, or in several, of lengths that differ: the logits of its last token are those of steps. */
static void compare_prompts(const char *backend, int from, int to)
{
	static const int cuts[][4] = { { TOKENS }, { 1, 4, TOKENS }, { 5, 6, TOKENS }, { 4, 8, 9, TOKENS } };

	for (int i = from; i < to; i++) {
		struct checkpoint *c = model(i);
		struct running r = start(c, backend, TOKENS);
		double want[TOKENS][MAX_VOCAB];
		int64_t tokens[TOKENS];
		float got[MAX_VOCAB];

		for (int p = 0; p < TOKENS; p++) {
			tokens[p] = token_at(c, p);
			checkpoint_forward(c, (int32_t)tokens[p], p, want[p]);
		}
		for (size_t k = 0; k < sizeof cuts / sizeof *cuts; k++) {
			lt_instance_reset(r.instance);
			for (int part = 0, p = 0; p < TOKENS; p = cuts[k][part++]) {
				const int end = cuts[k][part];
				int64_t now[TOKENS] = { 0 };

				memcpy(now, tokens + p, (size_t)(end - p) * sizeof *now);
				cr_assert(!feed(&r, now, p, end - p, got), "%s", lt_instance_message(r.instance));
				expect(c, got, want[end - 1], backend, end - 1);
			}
		}
		stop(&r);
		checkpoint_free(c);
	}
}

Test(llama_model, prompts_are_the_formulas_numbers_ref) { compare_prompts("ref", 0, MODELS); }
Test(llama_model, prompts_are_the_formulas_numbers_cpu) { compare_prompts("cpu:O0", 8, 9); }
Test(more_llama_model, prompts_are_the_formulas_numbers_cpu) { compare_prompts("cpu", 0, 2); }

/* A prompt and the steps behind it, by two programs that share the cache; that of prompts packs no weights before it
 * runs. */
static void compare_handed(const char *backend, int i)
{
	struct checkpoint *c = model(i);
	struct running step = start(c, backend, 1), prompt = step;
	const struct lt_options options = { .size = sizeof options, .backends = backend, .unpacked = 1 };
	struct lt_stats stats = { .size = sizeof stats };
	double want[TOKENS][MAX_VOCAB];
	int64_t tokens[TOKENS];
	float got[MAX_VOCAB];
	struct lt_graph *g;
	struct lt_llama m;

	cr_assert(!lt__llama_read(step.ctx, c->file, c->n, "test.bin", &m));
	cr_assert(!lt__llama_graph(step.ctx, &m, &(struct lt_llama_options){ .tokens = 6, .floats = true }, &g));
	cr_assert(!lt_compile(step.ctx, g, &options, &prompt.program), "%s", lt_context_message(step.ctx));
	cr_assert(!lt_instance_new_sharing(prompt.program, step.instance, &prompt.instance));
	lt_program_stats(prompt.program, &stats);
	cr_assert(m.version == 2 || stats.constant_bytes == 0, "%lld bytes are prepared", (long long)stats.constant_bytes);
	for (int p = 0; p < TOKENS; p++) {
		tokens[p] = token_at(c, p);
		checkpoint_forward(c, (int32_t)tokens[p], p, want[p]);
	}
	for (int p = 0; p < TOKENS;) {          /* 1 step, a prompt of 5, 2 steps, a prompt of 3 */
		const int n = p == 1 ? 5 : p == 8 ? 3 : 1;

		cr_assert(!feed(n > 1 ? &prompt : &step, tokens + p, p, n, got));
		p += n;
		expect(c, got, want[p - 1], backend, p - 1);
	}
	lt_instance_free(prompt.instance);
	lt_program_free(prompt.program);
	lt_graph_free(g);
	stop(&step);
	checkpoint_free(c);
}

Test(llama_model, prompts_and_steps_share_a_cache_ref) { for (int i = 0; i < MODELS; i++) compare_handed("ref", i); }
Test(llama_model, prompts_and_steps_share_a_cache_cpu) { compare_handed("cpu:O0", 8); }
Test(more_llama_model, prompts_and_steps_share_a_cache_cpu) { for (int i = 0; i < 2; i++) compare_handed("cpu", i); }

/* ---- types ---- */

/* The model that the file's matrices become in another type, and what its numbers mean. */
static struct lt_llama convert(struct lt_context *ctx, struct checkpoint *c, enum lt_dtype dtype, void **memory)
{
	float *const at[LT_LLAMA_KINDS] = { [LT_LLAMA_EMBEDDING] = c->embedding, [LT_LLAMA_WQ] = c->wq, [LT_LLAMA_WK] = c->wk,
		[LT_LLAMA_WV] = c->wv, [LT_LLAMA_WO] = c->wo, [LT_LLAMA_W1] = c->w1, [LT_LLAMA_W2] = c->w2, [LT_LLAMA_W3] = c->w3,
		[LT_LLAMA_CLASSIFIER] = c->classifier };
	struct lt_llama from, to;

	cr_assert(!lt__llama_read(ctx, c->file, c->n, "test.bin", &from), "%s", lt_context_message(ctx));
	cr_assert(!lt__llama_convert(ctx, &from, dtype, &to, memory), "%s", lt_context_message(ctx));
	for (int k = 0; k < LT_LLAMA_KINDS; k++) {
		const int64_t n = from.weights[k].rows * from.weights[k].columns;

		for (int32_t l = 0; at[k] && l < (lt__llama_layered((enum lt_llama_kind)k) ? from.layers : 1); l++)
			for (int64_t i = 0; i < n; i++) {
				const float was = at[k][l * n + i], is = lt__llama_weight(&to, (enum lt_llama_kind)k, l, i);
				/* half of the last of 8 or 11 bits; of a group's largest number, at most 1 here, a 254th */
				const float bound = dtype == LT_I8 ? 1.0f / 254 : fabsf(was) * (dtype == LT_BF16 ? 0x1p-8f : 0x1p-11f) + 0x1p-25f;

				cr_assert(fabsf(was - is) <= bound * 1.00001f, "weights %d: %g became %g", k, (double)was, (double)is);
				at[k][l * n + i] = is;
			}
	}
	return to;
}

static void compare_types(const char *backend, int32_t tokens_once)
{
	static const struct { enum lt_dtype weights, cache; int bits, model; } types[] = { { LT_BF16, LT_F32, 0, 0 },
		{ LT_F16, LT_BF16, 8, 1 }, { LT_F32, LT_F16, 11, 1 }, { LT_I8, LT_F32, 0, 4 }, { LT_I8, LT_F32, 0, 1 } };

	for (size_t k = 0; k < sizeof types / sizeof *types; k++) {
		struct lt_llama_options graph = { .tokens = tokens_once, .cache = types[k].cache };
		struct checkpoint *c = model(types[k].model);
		struct lt_context *ctx;
		struct lt_llama m;
		void *memory = NULL;
		int64_t tokens[TOKENS];
		float got[MAX_VOCAB];
		double want[TOKENS][MAX_VOCAB];

		cr_assert(!lt_context_new(&ctx));
		if (types[k].weights == LT_F32 || c->version == 2)
			cr_assert(!lt__llama_read(ctx, c->file, c->n, "test.bin", &m));
		else
			m = convert(ctx, c, types[k].weights, &memory);
		c->rounded = m.group;
		c->cache_bits = types[k].bits;
		cr_assert((m.group > 0) == (types[k].weights == LT_I8));
		struct running r = begin(&m, backend, &graph, ctx);
		for (int p = 0; p < TOKENS; p++) {
			tokens[p] = token_at(c, p);
			checkpoint_forward(c, (int32_t)tokens[p], p, want[p]);
		}
		for (int p = 0; p < TOKENS; p += tokens_once) {
			cr_assert(!feed(&r, tokens + p, p, tokens_once, got), "%s", lt_instance_message(r.instance));
			expect(c, got, want[p + tokens_once - 1], backend, p);
		}
		stop(&r);
		free(memory);
		checkpoint_free(c);
	}
}

Test(llama_model, types_are_the_formulas_numbers_ref) { compare_types("ref", 1); }
Test(llama_model, types_are_the_formulas_numbers_cpu) { compare_types("cpu:O0", 1); }
Test(more_llama_model, types_are_the_formulas_numbers_cpu) { compare_types("cpu", 1); }
Test(llama_model, types_of_a_prompt) { compare_types("ref", TOKENS); }

/* What is stored as few bytes is read as few bytes, not made floats before. */
Test(llama_model, narrow_weights_stay_narrow)
{
	static const enum lt_dtype types[] = { LT_BF16, LT_F16, LT_I8 };

	for (int k = 0; k < 3; k++) {
		struct checkpoint *c = model(1);
		struct lt_stats stats = { .size = sizeof stats };
		struct lt_context *ctx;
		void *memory;

		cr_assert(!lt_context_new(&ctx));
		const struct lt_llama m = convert(ctx, c, types[k], &memory);
		struct running r = begin(&m, "ref", &(struct lt_llama_options){ .tokens = 1 }, ctx);
		lt_program_stats(r.program, &stats);
		cr_assert_eq(stats.constant_bytes, 0, "%lld bytes are prepared", (long long)stats.constant_bytes);
		stop(&r);
		free(memory);
		checkpoint_free(c);
	}
}

Test(llama_model, rows_that_groups_do_not_fit_are_refused)
{
	struct checkpoint *c = model(6);
	struct lt_context *ctx;
	struct lt_graph *g;
	struct lt_llama m, to;
	void *memory;

	cr_assert(!lt_context_new(&ctx));
	cr_assert(!lt__llama_read(ctx, c->file, c->n, "test.bin", &m));
	cr_assert_eq(lt__llama_graph(ctx, &m, &(struct lt_llama_options){ .tokens = 1 }, &g), LT_EUNSUPPORTED);
	cr_assert(strstr(lt_context_message(ctx), "--dtype f32"), "%s", lt_context_message(ctx));
	checkpoint_free(c);
	c = checkpoint_new(&(struct checkpoint_sizes){ 6, 10, 1, 3, 3, 7, 4 }, true, 0, 0, 1);
	cr_assert(!lt__llama_read(ctx, c->file, c->n, "test.bin", &m));
	cr_assert_eq(lt__llama_convert(ctx, &m, LT_I8, &to, &memory), LT_EUNSUPPORTED);
	cr_assert(strstr(lt_context_message(ctx), "whole groups of at least 4"), "%s", lt_context_message(ctx));
	checkpoint_free(c);
	lt_context_free(ctx);
}

/* A number that halves have not is refused, and the type that has it is named; what is infinite stays so. */
Test(llama_model, halves_at_the_limits)
{
	static const struct { float x; enum lt_dtype dtype; bool fits; const char *way; } limits[] = {
		{ 65504, LT_F16, true, "" }, { -65519.9f, LT_F16, true, "" }, { 65520, LT_F16, false, "--dtype bf16 has it" },
		{ -1e38f, LT_F16, false, "--dtype bf16 has it" }, { 0x1.fffffep127f, LT_F16, false, "--dtype f32 has it" },
		{ 0x1.fep127f, LT_BF16, true, "" }, { 0x1.fffffep127f, LT_BF16, false, "--dtype f32 has it" },
		{ INFINITY, LT_F16, true, "" }, { -INFINITY, LT_BF16, true, "" }, { NAN, LT_F16, true, "" },
	};
	struct lt_context *ctx;

	cr_assert(!lt_context_new(&ctx));
	for (size_t k = 0; k < sizeof limits / sizeof *limits; k++) {
		struct checkpoint *c = model(1);
		struct lt_llama m, to;
		void *memory;

		cr_assert(!lt__llama_read(ctx, c->file, c->n, "test.bin", &m));
		cr_expect_null(lt__llama_not_finite(ctx, &m));
		memcpy((unsigned char *)(uintptr_t)m.weights[LT_LLAMA_W3].at + m.weights[LT_LLAMA_W3].stride + 20, &limits[k].x, 4);
		const lt_status s = lt__llama_convert(ctx, &m, limits[k].dtype, &to, &memory);
		const char *odd = lt__llama_not_finite(ctx, &m);

		cr_expect_eq(s, limits[k].fits ? LT_OK : LT_EUNSUPPORTED, "%g: %s", (double)limits[k].x, lt_context_message(ctx));
		cr_expect(limits[k].fits || (strstr(lt_context_message(ctx), "layers.1.feed_forward.w3.weight has the number ")
			&& strstr(lt_context_message(ctx), limits[k].way)), "%g: %s", (double)limits[k].x, lt_context_message(ctx));
		cr_expect(isfinite(limits[k].x) ? !odd : odd && !strcmp(odd, "layers.1.feed_forward.w3.weight"));
		free(memory);
		checkpoint_free(c);
	}
	lt_context_free(ctx);
}

/* What int8 has not is refused; the smallest numbers that there are stay as near as their scale. */
Test(llama_model, groups_of_int8_at_the_limits)
{
	static const float odd[] = { NAN, INFINITY, -INFINITY };
	static const float tops[] = { 0x1p-149f, 60 * 0x1p-149f, 100 * 0x1p-149f, 150 * 0x1p-149f, 190 * 0x1p-149f,
		1000 * 0x1p-149f, 0x1p-126f, 0x1p-119f, 0x1.fffffep127f };
	struct lt_context *ctx;

	cr_assert(!lt_context_new(&ctx));
	for (size_t k = 0; k < sizeof odd / sizeof *odd; k++) {
		struct checkpoint *c = model(1);
		struct lt_llama m, to;
		void *memory;

		cr_assert(!lt__llama_read(ctx, c->file, c->n, "test.bin", &m));
		memcpy((unsigned char *)(uintptr_t)m.weights[LT_LLAMA_WK].at + m.weights[LT_LLAMA_WK].stride + 20, &odd[k], 4);
		cr_assert_eq(lt__llama_convert(ctx, &m, LT_I8, &to, &memory), LT_EUNSUPPORTED);
		cr_assert(strstr(lt_context_message(ctx), "test.bin: layers.1.attention.wk.weight has a number that is "), "%s",
			lt_context_message(ctx));
		free(memory);
		checkpoint_free(c);
	}
	for (size_t k = 0; k < sizeof tops / sizeof *tops; k++) {
		struct checkpoint *c = model(1);
		struct lt_llama m, to;
		void *memory;

		cr_assert(!lt__llama_read(ctx, c->file, c->n, "test.bin", &m));
		unsigned char *at = (unsigned char *)(uintptr_t)m.weights[LT_LLAMA_W1].at;
		for (int64_t i = 0; i < m.weights[LT_LLAMA_W1].rows * m.weights[LT_LLAMA_W1].columns; i++) {
			const float x = i % 2 ? -tops[k] : i % 3 ? tops[k] / 2 : tops[k];

			memcpy(at + i * 4, &x, 4);
		}
		cr_assert(!lt__llama_convert(ctx, &m, LT_I8, &to, &memory), "%s", lt_context_message(ctx));
		for (int64_t i = 0; i < 6; i++) {
			const double was = (double)(i % 2 ? -tops[k] : i % 3 ? tops[k] / 2 : tops[k]),
				is = (double)lt__llama_weight(&to, LT_LLAMA_W1, 0, i);

			/* half a step of the scale, which is a 127th of the largest, or a step between subnormal numbers more */
			cr_expect(fabs(was - is) <= (double)tops[k] * (0.5 / 127 + 0x1p-22) + 0x1p-149, "%g became %g", was, is);
		}
		free(memory);
		checkpoint_free(c);
	}
	lt_context_free(ctx);
}

/* The cache belongs to an instance, and to its runs: a step at a position reads what earlier runs left, no more. */
Test(llama_model, each_instance_has_its_cache)
{
	struct checkpoint *c = model(1);
	struct running r = start(c, "ref", 1);
	struct lt_instance *first = r.instance, *second;
	float one[MAX_VOCAB], two[MAX_VOCAB];
	const int64_t a = 3, b = 5;

	cr_assert(!lt_instance_new(r.program, &second));
	cr_assert(!feed(&r, &a, 0, 1, one) && !feed(&r, &b, 1, 1, one));
	r.instance = second;
	cr_assert(!feed(&r, &b, 0, 1, two) && !feed(&r, &b, 1, 1, two));
	cr_assert(memcmp(one, two, (size_t)c->s.vocab * sizeof *one), "the token before makes no difference");
	/* what came later is overwritten, and not read before */
	cr_assert(!feed(&r, &a, 0, 1, two) && !feed(&r, &b, 1, 1, two));
	cr_assert_arr_eq(one, two, (size_t)c->s.vocab * sizeof *one);
	r.instance = first;
	lt_instance_free(second);
	stop(&r);
	checkpoint_free(c);
}

/* Position and count are checked before a run changes anything. */
Test(llama_model, a_full_context_is_refused)
{
	struct checkpoint *c = model(1);
	struct running r = start(c, "ref", 8);
	const int64_t tokens[8] = { 1, 2, 3, 4, 5, 6, 7, 8 };
	float logits[MAX_VOCAB];

	cr_assert(!feed(&r, tokens, 5, 8, logits), "%s", lt_instance_message(r.instance));
	cr_assert(feed(&r, tokens, 6, 8, logits));
	cr_assert(strstr(lt_instance_message(r.instance), "the context is full"), "%s", lt_instance_message(r.instance));
	cr_assert(feed(&r, tokens, 13, 1, logits) && feed(&r, tokens, -1, 1, logits) && feed(&r, tokens, 0, 0, logits));
	stop(&r);
	r = start(c, "ref", 1);
	cr_assert(!feed(&r, tokens, 12, 1, logits));
	cr_assert(feed(&r, tokens, 13, 1, logits));
	/* a token that the vocabulary does not have */
	cr_assert_eq(feed(&r, (int64_t[]){ 40 }, 0, 1, logits), LT_EFAULT, "%s", lt_instance_message(r.instance));
	stop(&r);
	checkpoint_free(c);
}

Test(llama_model, layers_share_their_kernels)
{
	const struct checkpoint_sizes s = { 24, 40, 12, 6, 3, 50, 16 };
	struct checkpoint *c = checkpoint_new(&s, true, 0, 0, 1);

	for (int32_t tokens = 1; tokens < 9; tokens += 7) {
		struct running r = start(c, "ref", tokens);
		struct lt_stats stats = { .size = sizeof stats };

		lt_program_stats(r.program, &stats);
		cr_assert(stats.n_kernel <= 24 && stats.n_launch > 3 * stats.n_kernel, "%d kernels for %d launches",
			stats.n_kernel, stats.n_launch);
		stop(&r);
	}
	checkpoint_free(c);
}

/* lt_parse takes a checkpoint like other models, and needs its bytes no longer. */
Test(llama_model, a_checkpoint_is_a_model_like_others)
{
	struct checkpoint *c = model(4);
	const struct lt_options options = { .size = sizeof options, .backends = "ref" };
	struct running r;
	struct lt_graph *g;
	float got[MAX_VOCAB];
	double want[MAX_VOCAB];

	cr_assert(!lt_context_new(&r.ctx));
	cr_assert(!lt_parse(r.ctx, (const char *)c->file, c->n, "test.bin", NULL, &g), "%s", lt_context_message(r.ctx));
	memset(c->file, 0xff, c->n);
	cr_assert(!lt_compile(r.ctx, g, &options, &r.program), "%s", lt_context_message(r.ctx));
	lt_graph_free(g);
	cr_assert(!lt_instance_new(r.program, &r.instance), "%s", lt_instance_message(r.instance));
	cr_assert(!feed(&r, (int64_t[]){ 1 }, 0, 1, got));
	c->rounded = c->group;
	checkpoint_forward(c, 1, 0, want);
	expect(c, got, want, "parsed", 0);
	stop(&r);
	checkpoint_free(c);
}
