/* report.c -- how fast it was, on standard error, and what was asked for about the programs. */
#include <string.h>
#include "tools/common/common.h"
#include "tools/llama/llama.h"

static double per_second(const struct llama_rate *r)
{
	return r->ns > 0 ? (double)r->tokens / ((double)r->ns / 1e9) : 0;
}

static json_t *json_rate(const struct llama_rate *r)
{
	return json_pack("{s:I,s:f,s:f}", "tokens", (json_int_t)r->tokens, "ms", (double)r->ns / 1e6, "tokens_per_second",
		per_second(r));
}

static json_t *json_program(const struct llama_program *p)
{
	const struct lt_stats st = p->stats;

	return json_pack("{s:i,s:i,s:i,s:i,s:I,s:I,s:I}", "kernels", (int)st.n_kernel, "compiled", (int)st.n_compiled,
		"cached", (int)st.n_cached, "launches", (int)st.n_launch, "bytes", (json_int_t)st.bytes, "workspace_bytes",
		(json_int_t)st.workspace_bytes, "constant_bytes", (json_int_t)st.constant_bytes);
}

static void report_json(struct llama *l)
{
	json_t *tokens = json_array();

	for (size_t i = 0; i < l->out.n; i++)
		json_array_append_new(tokens, json_integer(l->out.token[i]));
	json_object_set_new(l->json, "tokens", tokens);
	if (l->out.keep)
		fflush(l->out.keep);
	json_object_set_new(l->json, "text", l->tokenizer ? lt__json_text(l->out.text ? l->out.text : "") : json_null());
	json_object_set_new(l->json, "prompt", json_rate(&l->read));
	json_object_set_new(l->json, "generated", json_rate(&l->made));
	json_object_set_new(l->json, "compile_ms", json_real((double)l->compile_ns / 1e6));
	json_object_set_new(l->json, "step", json_program(&l->step));
	json_object_set_new(l->json, "prefill", l->prompt.stats.size ? json_program(&l->prompt) : json_null());
}

static void report_program(const struct llama_program *p, const char *what)
{
	const struct lt_stats st = p->stats;

	if (!st.size)
		return;
	lt__say(stdout, "%s: %d launches of %d kernels (%d compiled, %d from the cache); workspace %.1f MB, prepared "
		"constants %.1f MB\n", what, st.n_launch, st.n_kernel, st.n_compiled, st.n_cached,
		(double)st.workspace_bytes / 1e6, (double)st.constant_bytes / 1e6);
}

/* Bytes of weights that a step reads, of the whole cache, and what its kernels move when the context is full. */
static void report_bytes(const struct llama *l)
{
	const struct lt_stats st = l->step.stats;
	const struct lt_llama *m = &l->model;
	int64_t weights = 0;
	const double cache = 2.0 * m->layers * m->context * lt__llama_head(m) * m->kv_heads
		* (double)lt_dtype_bytes(l->cache);

	for (int k = 0; k < LT_LLAMA_KINDS; k++)
		if (m->weights[k].at && (k != LT_LLAMA_EMBEDDING || m->shared))
			weights += m->weights[k].stride * (lt__llama_layered((enum lt_llama_kind)k) ? m->layers : 1);
	lt__say(stdout, "bytes a token: %.1f MB of weights and at most %.1f MB of keys and values; kernels read and write "
		"%.1f MB\n", (double)weights / 1e6, cache / 1e6, (double)st.bytes / 1e6);
}

void llama_report(struct llama *l)
{
	if (l->json) {
		report_json(l);
		return;
	}
	if (l->o.explain)
		report_bytes(l);
	if (l->o.explain || l->o.time) {
		report_program(&l->step, "step");
		report_program(&l->prompt, "prefill");
	}
	if (l->o.time)
		lt__say(stdout, "compiled and loaded in %.1f ms; prompt: %lld tokens in %.3f ms; a token: %.3f ms\n",
			(double)l->compile_ns / 1e6, (long long)l->read.tokens, (double)l->read.ns / 1e6,
			l->made.tokens > 0 ? (double)l->made.ns / 1e6 / (double)l->made.tokens : 0.0);
	if (l->o.quiet)
		return;
	if (l->read.tokens > 0)
		lt__say(stderr, "prompt tok/s: %f\n", per_second(&l->read));
	if (l->made.tokens > 0)
		lt__say(stderr, "achieved tok/s: %f\n", per_second(&l->made));
}
