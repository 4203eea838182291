/* tools/llama_model.c -- the programs of a model and their runs: a step, and the prompt in one pass. */
#include <stdlib.h>
#include <string.h>
#include "tools/interrupt.h"
#include "tools/llama.h"
#include "tools/plugins.h"
#include "tools/say.h"

static struct run_options options_of(const struct llama *l, bool step)
{
	const struct llama_options *o = &l->o;

	return (struct run_options){ .tool = llama_tool.name, .script = o->checkpoint, .backends = o->backends, .cc = o->cc,
		.cache_dir = o->cache_dir, .no_cache = o->no_cache, .threads = o->threads, .verify = o->verify,
		.allow_unbounded = o->allow_unbounded, .explain = o->explain && step, .quiet = o->quiet, .verbose = o->verbose,
		.schedule = step ? o->schedule : NULL, .runs = 1 };
}

/* Where the program looks for its inputs. */
static void bind_inputs(struct llama_program *p)
{
	const struct { const char *name; const int64_t *at; } inputs[] = { { LT_LLAMA_TOKENS, p->tokens },
		{ LT_LLAMA_POSITION, &p->position }, { LT_LLAMA_COUNT, &p->count } };

	for (size_t i = 0; i < sizeof inputs / sizeof *inputs; i++) {
		const int32_t at = lt_program_find(p->run.program, LT_BINDING_INPUT, inputs[i].name);

		if (at >= 0)
			p->run.input[at] = inputs[i].at;
	}
}

static lt_status program_compile(struct llama *l, struct llama_program *p)
{
	const struct lt_llama_options options = { .tokens = p->max, .floats = l->floats, .cache = l->cache };
	struct run *r = &p->run;

	LT_TRY(lt__mistake(lt__llama_graph(l->ctx, &l->model, &options, &r->graph)));
	LT_TRY(run_bindings_find(r->graph, r->binding));
	r->given.constant.value = calloc((size_t)r->binding[LT_BINDING_CONSTANT].n + 1, sizeof *r->given.constant.value);
	p->tokens = calloc((size_t)p->max, sizeof *p->tokens);
	if (!r->given.constant.value || !p->tokens)
		return lt_fail(l->ctx, LT_ENOMEM, "out of memory");
	if (r->o.schedule)
		LT_TRY(run_schedule_read(r));
	LT_TRY(run_backends_choose(r));
	LT_TRY(run_cache_find(r));
	LT_TRY(run_compile(r));
	LT_TRY(run_start(r));
	bind_inputs(p);
	if (r->o.verify)
		LT_TRY(run_verify_begin(r));
	p->ready = true;
	return LT_OK;
}

/* max: tokens of a run at most. */
static lt_status program_begin(struct llama *l, struct llama_program *p, int32_t max)
{
	struct run *r = &p->run;
	const int64_t begin = run_now();

	*p = (struct llama_program){ .max = max };
	r->ctx = l->ctx;
	r->o = options_of(l, max == 1);
	r->json = l->json;
	lt__phases_begin(&r->phases, !l->o.quiet);
	lt_status s = program_compile(l, p);
	lt__phases_end(&r->phases);
	l->compile_ns += run_now() - begin;
	return s;
}

static void program_end(struct llama_program *p)
{
	struct run *r = &p->run;

	run_verify_free(r);
	run_explain_free(r);
	run_end(r);
	free(r->given.constant.value);
	run_bindings_free(r->binding);
	if (r->graph)
		lt_graph_free(r->graph);
	lt__bytes_free(&r->schedule);
	free(r->backends);
	free(r->cache_dir);
	free(p->tokens);
	*p = (struct llama_program){ 0 };
}

/* One run, and, with --verify, what the reference makes of it. */
static lt_status program_run(struct llama *l, struct llama_program *p, const int32_t *token, int32_t n)
{
	struct run *r = &p->run;

	for (int32_t i = 0; i < n; i++)
		p->tokens[i] = token[i];
	p->position = l->position;
	p->count = n;
	if (r->verify)
		LT_TRY(run_verify_kernels(r, p->runs));
	LT_TRY(run_instance(r));
	if (r->verify)
		LT_TRY(run_verify_compare(r, p->runs));
	p->runs++;
	return LT_OK;
}

/* Keys and values of n positions, from one program's states to the other's. */
static lt_status hand_cache(struct llama *l, struct llama_program *from, struct llama_program *to, int32_t first,
	int32_t n)
{
	const struct run *r = &from->run;

	for (int32_t i = 0; i < lt_program_count(r->program, LT_BINDING_STATE); i++) {
		const int32_t j = lt_program_find(to->run.program, LT_BINDING_STATE, lt_program_name(r->program,
			LT_BINDING_STATE, i));
		const int64_t heads = lt_program_extent(r->program, LT_BINDING_STATE, i, 0);
		const size_t head = lt_program_bytes(r->program, LT_BINDING_STATE, i) / (size_t)heads;
		const size_t row = head / (size_t)l->model.context;
		const char *source = lt_instance_state(from->run.instance, i);
		char *target = lt_instance_state(to->run.instance, j);

		if (!source || !target)
			return lt_fail(l->ctx, LT_EDEVICE, "%s", lt_instance_message(source ? to->run.instance : from->run.instance));
		for (int64_t h = 0; h < heads; h++)
			memcpy(target + (size_t)h * head + (size_t)first * row, source + (size_t)h * head + (size_t)first * row,
				(size_t)n * row);
	}
	return to->run.verify ? run_verify_states(&to->run) : LT_OK;
}

/* All of a prompt, LLAMA_PROMPT tokens a run. */
static lt_status read_prompt(struct llama *l, const int32_t *token, int32_t n, float **logits)
{
	const int32_t first = l->position;

	if (!l->prompt.ready)
		LT_TRY(program_begin(l, &l->prompt, LLAMA_PROMPT < l->model.context ? LLAMA_PROMPT : l->model.context));
	if (first > 0)
		LT_TRY(hand_cache(l, &l->step, &l->prompt, 0, first));
	const int64_t begin = run_now();
	for (int32_t at = 0, now; at < n; at += now) {
		now = n - at < l->prompt.max ? n - at : l->prompt.max;
		LT_TRY(program_run(l, &l->prompt, token + at, now));
		l->position += now;
	}
	LT_TRY(hand_cache(l, &l->prompt, &l->step, first, n));
	l->read.tokens += n;
	l->read.ns += run_now() - begin;
	*logits = l->prompt.run.result[0].data;
	return LT_OK;
}

lt_status llama_feed(struct llama *l, const int32_t *token, int32_t n, float **logits)
{
	*logits = NULL;
	if (n > l->model.context - l->position)
		return lt_fail(l->ctx, LT_EINVAL, "the context is full: the model has %d positions, and %d more tokens come after "
			"%d", l->model.context, n, l->position);
	if (n >= LLAMA_PROMPT_MIN)
		return read_prompt(l, token, n, logits);
	const int64_t begin = run_now();
	for (int32_t i = 0; i < n; i++, l->position++)
		LT_TRY(program_run(l, &l->step, token + i, 1));
	if (n > 1) {
		l->read.tokens += n;
		l->read.ns += run_now() - begin;
	}
	*logits = l->step.run.result[0].data;
	return LT_OK;
}

lt_status llama_begin(struct llama *l)
{
	LT_TRY(lt__mistake(lt__plugins_load(l->ctx, llama_tool.name, l->o.load.at, l->o.load.n)));
	return program_begin(l, &l->step, 1);
}

lt_status llama_verdict(struct llama *l)
{
	lt_status s = LT_OK;

	if (l->step.run.verify && lt__interrupted(NULL))
		lt__say(stderr, "%s: interrupted: only what ran until then is verified\n", llama_tool.name);
	for (int i = 0; i < 2 && !s; i++) {
		struct run *r = i ? &l->step.run : &l->prompt.run;

		s = r->verify && (i ? l->step.runs : l->prompt.runs) > 0 ? run_verify_end(r) : LT_OK;
		l->verdict = r->verdict ? r->verdict : l->verdict;
	}
	return s;
}

void llama_end(struct llama *l)
{
	program_end(&l->step);
	program_end(&l->prompt);
}
