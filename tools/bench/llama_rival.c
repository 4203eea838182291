/* llama_rival.c -- programs that are run as processes: llama2.c's run and runq, which say how fast they
 * were, and lt-llama, of which the first compilation and the memory are measured. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "tools/bench/llama.h"
#include "tools/bench/start.h"

/* The text is numbers: those of the tokens. */
static lt_status tokens_of_text(struct lt_context *ctx, const char *program, const char *text, int max,
	struct bench_llama_made *out)
{
	char *end;

	out->token = lt__must_alloc((size_t)max * sizeof *out->token);
	for (const char *at = text; ; at = end) {
		const long token = strtol(at, &end, 10);

		if (end == at) {
			at += strspn(at, " \n");
			return !*at ? LT_OK : lt_fail(ctx, LT_EIO, "%s: its text has '%.20s' where the number of a token should be",
				program, at);
		}
		if (out->n == max)
			return lt_fail(ctx, LT_EIO, "%s: its text has more than %d tokens", program, max);
		out->token[out->n++] = (int32_t)token;
	}
}

static lt_status rate_of_text(struct lt_context *ctx, const char *program, const char *text, double *per_second)
{
	static const char said[] = "achieved tok/s:";
	const char *at = strstr(text, said);
	char *end;

	*per_second = at ? strtod(at + strlen(said), &end) : 0;
	return at && *per_second > 0 && isfinite(*per_second) ? LT_OK : lt_fail(ctx, LT_EIO, "%s does not say 'achieved "
		"tok/s: NUMBER' on standard error%s", program,
		at ? " with a number above 0 (its clock has milliseconds: --tokens)" : "");
}

lt_status bench_llama_rival(struct lt_context *ctx, const char *program, const char *checkpoint, const char *tokenizer,
	int threads, int n, const struct bench_options *o, struct bench_llama_made *out)
{
	struct bench_program p = { .says = true };
	struct bench_words w = { .n = 0 };
	double per_second = 0;
	lt_status s;

	*out = (struct bench_llama_made){ .n = 0 };
	bench_word_add(&w, lt__must_format("/usr/bin/env"));
	bench_word_add(&w, lt__must_format("OMP_NUM_THREADS=%d", threads));
	bench_word_add(&w, lt__must_format("%s", program));
	bench_word_add(&w, lt__must_format("%s", checkpoint));
	bench_option_add(&w, "-t", lt__must_format("0"));
	bench_option_add(&w, "-n", lt__must_format("%d", n));
	bench_option_add(&w, "-z", lt__must_format("%s", tokenizer));
	bench_word_add(&w, NULL);
	s = bench_program_run(ctx, w.at, o, &p);
	s = s ? s : tokens_of_text(ctx, program, p.text, n, out);
	s = s ? s : rate_of_text(ctx, program, p.errors, &per_second);
	/* Its clock starts after the first token; a text that ends early was one step longer than it is. */
	out->timed = out->n < n ? out->n : n - 1;
	out->seconds = s ? 0 : out->timed / per_second;
	bench_program_free(&p);
	bench_words_free(&w);
	return s;
}

static void llama_words(const char *program, const char *checkpoint, const char *backend, int threads, int n,
	const char *cache, const struct bench_options *o, struct bench_words *w)
{
	bench_word_add(w, lt__must_format("%s", program));
	bench_word_add(w, lt__must_format("%s", checkpoint));
	bench_word_add(w, lt__must_format("--tokens"));
	bench_word_add(w, lt__must_format("--json"));
	bench_word_add(w, lt__must_format("-q"));
	bench_option_add(w, "-t", lt__must_format("0"));
	bench_option_add(w, "-n", lt__must_format("%d", n));
	bench_option_add(w, "-b", lt__must_format("%s", backend));
	bench_option_add(w, "--threads", lt__must_format("%d", threads));
	bench_option_add(w, "--cache-dir", lt__must_format("%s", cache));
	for (int i = 0; i < o->load.n; i++)
		bench_option_add(w, "-B", lt__must_format("%s", o->load.at[i]));
	bench_word_add(w, NULL);
}

static lt_status llama_once(struct lt_context *ctx, char *const *words, const struct bench_options *o, double *compile,
	int64_t *peak)
{
	struct bench_program p = { .says = true };
	json_t *report = NULL;
	lt_status s = bench_program_run(ctx, words, o, &p);

	if (!s) {
		report = json_loads(p.text, 0, NULL);
		*compile = json_number_value(json_object_get(report, "compile_ms")) * 1e-3;
		*peak = p.peak;
		if (!report)
			s = lt_fail(ctx, LT_EIO, "lt-llama --json prints no JSON");
	}
	json_decref(report);
	bench_program_free(&p);
	return s;
}

lt_status bench_llama_start(struct lt_context *ctx, const char *checkpoint, const char *backend, int threads, int n,
	const struct bench_options *o, struct bench_llama_start *out)
{
	struct bench_words w = { .n = 0 };
	char *program, *cache = NULL;
	lt_status s = bench_program_beside(ctx, "lt-llama", "llama", &program);

	*out = (struct bench_llama_start){ .cold = 0 };
	s = s ? s : lt__tmp_folder(ctx, &cache);
	if (!s) {
		llama_words(program, checkpoint, backend, threads, n, cache, o, &w);
		s = llama_once(ctx, w.at, o, &out->cold, &out->peak_cold);
		s = s ? s : llama_once(ctx, w.at, o, &out->cached, &out->peak_cached);
		lt__tmp_folder_drop(cache);
	}
	bench_words_free(&w);
	free(program);
	return s;
}
