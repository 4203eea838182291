/* llama_ours.c -- one of Looptree's backends with a model: the program of a step, the same by launches one
 * by one, and the program that reads a prompt; each is made when it is needed first. */
#include <stdlib.h>
#include <string.h>
#include "tools/bench/llama.h"
#include "tools/common/common.h"

/* What is run, with what it is given. */
struct pass {
	struct lt_program *program;
	struct lt_instance *instance;
	const void **input;
	int64_t *token, position, count;
	float *logits;
};

struct bench_llama_ours {
	struct lt_context *ctx;
	const struct bench_llama *x;
	const struct bench_options *o;
	char *backend;
	int threads;
	struct lt_llama m;
	bool made;                              /* weights are in no file */
	struct bench_llama_source *source;      /* by kind, layer and whether it is a scale */
	struct pass step, launches, read;
	bool device;
	double prepared;
	FILE *nowhere;                          /* where pieces of text go */
};

static void pass_free(struct pass *p)
{
	lt_instance_free(p->instance);
	lt_program_free(p->program);
	free(p->input);
	free(p->token);
	free(p->logits);
	*p = (struct pass){ .program = NULL };
}

void bench_llama_close(struct bench_llama_ours *u)
{
	if (!u)
		return;
	pass_free(&u->step);
	pass_free(&u->launches);
	pass_free(&u->read);
	if (u->nowhere)
		fclose(u->nowhere);
	free(u->source);
	free(u->backend);
	free(u);
}

/* One constant, if the graph has it: what lies in no file is made as it is asked for. */
static lt_status source_bind(struct bench_llama_ours *u, struct lt_program *p, enum lt_llama_kind kind, int32_t layer,
	bool scale)
{
	struct bench_llama_source *s = &u->source[((size_t)kind * (size_t)u->m.layers + (size_t)layer) * 2 + scale];
	const char *name = lt__llama_name(u->ctx, kind, layer);
	const int32_t i = lt_program_find(p, LT_BINDING_CONSTANT, scale ? lt__scratch(u->ctx, "%s.scale", name) : name);

	*s = (struct bench_llama_source){ &u->m, u->x->seed, kind, layer, scale };
	return i < 0 ? LT_OK : lt_program_bind_fill(p, i, bench_llama_fill, s);
}

static lt_status sources_bind(struct bench_llama_ours *u, struct lt_program *p)
{
	if (!u->source)
		u->source = lt__must_alloc(2 * (size_t)LT_LLAMA_KINDS * (size_t)u->m.layers * sizeof *u->source);
	for (int k = 0; k < LT_LLAMA_KINDS; k++)
		for (int32_t i = 0; i < (lt__llama_layered((enum lt_llama_kind)k) ? u->m.layers : 1); i++)
			for (int scale = 0; scale < 2; scale++)
				LT_TRY(source_bind(u, p, (enum lt_llama_kind)k, i, scale));
	return LT_OK;
}

static lt_status pass_compile(struct bench_llama_ours *u, struct pass *p, int32_t tokens, bool launches)
{
	const struct lt_llama_options of = { .tokens = tokens };
	const struct lt_options o = { .size = sizeof o, .n_thread = (uint32_t)u->threads, .backends = u->backend, .strict = 1,
		.cc = u->o->cc, .cache_dir = u->o->cache_dir, .temp_dir = lt__temp_dir(), .cancelled = lt__interrupted,
		.cc_timeout_ms = u->o->cc_timeout_ms, .no_capture = launches,
		.unpacked = tokens > 1 };         /* as lt-llama has it, whose prompt is read once */
	struct lt_graph *g;

	LT_TRY(lt__llama_graph(u->ctx, &u->m, &of, &g));
	lt_status s = lt_compile(u->ctx, g, &o, &p->program);
	lt_graph_free(g);
	return s;
}

static void give_inputs(struct pass *p, int32_t tokens)
{
	const struct { const char *name; const int64_t *at; } inputs[] = { { LT_LLAMA_TOKENS, p->token },
		{ LT_LLAMA_POSITION, &p->position }, { LT_LLAMA_COUNT, &p->count } };

	p->count = tokens;
	for (size_t i = 0; i < sizeof inputs / sizeof *inputs; i++) {
		const int32_t at = lt_program_find(p->program, LT_BINDING_INPUT, inputs[i].name);

		if (at >= 0)
			p->input[at] = inputs[i].at;
	}
}

static lt_status pass_begin(struct bench_llama_ours *u, struct pass *p, int32_t tokens, bool launches)
{
	const double begin = machine_now();

	if (p->instance)
		return LT_OK;
	LT_TRY(pass_compile(u, p, tokens, launches));
	if (u->made)
		LT_TRY(sources_bind(u, p->program));
	p->input = lt__must_alloc(((size_t)lt_program_count(p->program, LT_BINDING_INPUT) + 1) * sizeof *p->input);
	p->token = lt__must_alloc((size_t)tokens * sizeof *p->token);
	p->logits = lt__must_alloc((size_t)u->m.vocab * sizeof *p->logits);
	give_inputs(p, tokens);
	if (lt_instance_new(p->program, &p->instance))
		return lt_fail(u->ctx, lt_instance_code(p->instance), "%-s", lt_instance_message(p->instance));
	u->prepared += machine_now() - begin;
	return LT_OK;
}

static lt_status pass_run(struct bench_llama_ours *u, struct pass *p)
{
	lt_status s = lt_instance_run(p->instance, p->input, (void *[]){ p->logits });

	return s ? lt_fail(u->ctx, s, "%-s", lt_instance_message(p->instance)) : LT_OK;
}

lt_status bench_llama_open(struct lt_context *ctx, const struct bench_llama *x, const struct bench_llama_file *file,
	const char *backend, int threads, const struct bench_options *o, struct bench_llama_ours **out)
{
	struct bench_llama_ours *u = *out = lt__must_alloc(sizeof *u);
	struct lt_stats st = { .size = sizeof st };
	int64_t bytes;

	*u = (struct bench_llama_ours){ .ctx = ctx, .x = x, .o = o, .backend = lt__must_format("%s", backend),
		.threads = threads, .made = !file, .nowhere = fopen("/dev/null", "w") };
	if (!u->nowhere)
		return lt_fail(ctx, LT_EIO, "/dev/null cannot be written");
	if (file)
		u->m = file->m;
	else
		LT_TRY(bench_llama_sized(ctx, x, x->type, &u->m, &bytes));
	LT_TRY(pass_begin(u, &u->step, 1, false));
	lt_program_stats(u->step.program, &st);
	u->device = st.device_bytes > 0;
	return LT_OK;
}

double bench_llama_prepared(const struct bench_llama_ours *u) { return u->prepared; }

/* A second copy of very large weights has no room on the device. */
bool bench_llama_captures(const struct bench_llama_ours *u)
{
	struct lt_stats st = { .size = sizeof st };

	lt_program_stats(u->step.program, &st);
	return u->device && st.device_bytes < INT64_C(4) << 30;
}

json_t *bench_llama_stats(const struct bench_llama_ours *u)
{
	struct lt_stats st = { .size = sizeof st };

	lt_program_stats(u->step.program, &st);
	return json_pack("{s:i,s:i,s:I,s:I,s:I,s:I,s:I}", "kernels", st.n_kernel, "launches", st.n_launch, "bytes",
		(json_int_t)st.bytes, "flops", (json_int_t)st.flops, "workspace_bytes", (json_int_t)st.workspace_bytes,
		"constant_bytes", (json_int_t)st.constant_bytes, "device_bytes", (json_int_t)st.device_bytes);
}

lt_status bench_llama_logits(struct bench_llama_ours *u, const int32_t *token, int n, const float **logits)
{
	struct pass *p = &u->step;

	lt_instance_reset(p->instance);
	for (int i = 0; i < n; i++) {
		*p->token = token[i];
		p->position = i;
		LT_TRY(pass_run(u, p));
	}
	*logits = p->logits;
	return LT_OK;
}

lt_status bench_llama_make(struct bench_llama_ours *u, int n, bool launches, const struct lt_llama_tokenizer *words,
	struct bench_llama_made *out)
{
	struct pass *p = launches ? &u->launches : &u->step;
	int32_t token = LT_LLAMA_BEGIN;
	double begin = 0;

	LT_TRY(pass_begin(u, p, 1, launches));
	lt_instance_reset(p->instance);
	*out = (struct bench_llama_made){ .token = lt__must_alloc((size_t)n * sizeof *out->token) };
	for (int i = 0; i < n; i++) {
		*p->token = token;
		p->position = i;
		LT_TRY(pass_run(u, p));
		const int32_t next = lt__llama_largest(p->logits, u->m.vocab);

		out->timed = i;
		if (next == LT_LLAMA_BEGIN)
			break;
		const struct lt_llama_piece piece = lt__llama_decode(words, token, next);

		fwrite(piece.at, 1, piece.n, u->nowhere);
		fflush(u->nowhere);
		out->token[out->n++] = token = next;
		/* The first step may have more to do than others. */
		begin = i ? begin : machine_now();
	}
	out->seconds = machine_now() - begin;
	return LT_OK;
}

lt_status bench_llama_read(struct bench_llama_ours *u, const int32_t *token, int n, const float **logits,
	double *seconds)
{
	const int32_t most = bench_llama_prompt(u->o, &u->m);
	struct pass *p = &u->read;

	/* Nothing behind the prompt is read, so what an earlier one left may stay: zeros would cross to a device. */
	LT_TRY(pass_begin(u, p, most, false));
	for (int i = 0; i < n; i++)
		p->token[i] = token[i];
	p->position = 0;
	p->count = n;
	const double begin = machine_now();
	LT_TRY(pass_run(u, p));
	*seconds = machine_now() - begin;
	*logits = p->logits;
	return LT_OK;
}
