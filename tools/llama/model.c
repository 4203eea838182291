/* model.c -- the programs of a model and their runs: a step, and the prompt in one pass. */
#include <stdlib.h>
#include <string.h>
#include "program/host/host.h"
#include "tools/common/common.h"
#include "tools/llama/llama.h"

static struct run_options options_of(const struct llama *l, bool step)
{
	const struct llama_options *o = &l->o;

	return (struct run_options){ .tool = llama_tool.name, .script = o->checkpoint, .backends = o->backends, .cc = o->cc,
		.cache_dir = o->cache_dir, .no_cache = o->no_cache, .threads = o->threads, .verify = o->verify,
		.allow_unbounded = o->allow_unbounded, .explain = o->explain && step, .quiet = o->quiet, .verbose = o->verbose,
		.schedule = step ? o->schedule : NULL, .runs = 1,
		.unpacked = !step };
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

	LT_TRY(lt__mistake(lt__llama_graph(l->ctx, &l->model, &options, &r->model.graph)));
	LT_TRY(model_bindings_find(r->model.graph, r->model.binding));
	r->model.given.constant.value = calloc((size_t)r->model.binding[LT_BINDING_CONSTANT].n + 1,
		sizeof *r->model.given.constant.value);
	p->tokens = calloc((size_t)p->max, sizeof *p->tokens);
	if (!r->model.given.constant.value || !p->tokens)
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
	p->stats.size = sizeof p->stats;
	lt_program_stats(r->program, &p->stats);
	return LT_OK;
}

/* max: tokens of a run at most. */
static lt_status program_begin(struct llama *l, struct llama_program *p, int32_t max)
{
	struct run *r = &p->run;
	const int64_t begin = lt__now_ns();

	*p = (struct llama_program){ .max = max };
	r->ctx = l->ctx;
	r->shares = l->cache_instance;
	r->o = options_of(l, max == 1);
	r->json = l->json;
	lt__phases_begin(&r->phases, !l->o.quiet);
	lt_status s = program_compile(l, p);
	lt__phases_end(&r->phases);
	l->compile_ns += lt__now_ns() - begin;
	return s;
}

static void program_end(struct llama_program *p)
{
	struct run *r = &p->run;

	run_verify_free(r);
	model_explain_free(&r->model);
	run_end(r);
	model_free(&r->model);
	lt__bytes_free(&r->schedule);
	free(r->backends);
	free(r->cache_dir);
	free(p->tokens);
	*p = (struct llama_program){ .runs = p->runs, .stats = p->stats };
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

/* The reference, too, finds what the other program has left in the cache. */
static lt_status take_cache(struct llama_program *p) { return p->run.verify ? run_verify_states(&p->run) : LT_OK; }

/* All of a prompt, LLAMA_PROMPT tokens a run, or those before an interruption. */
static lt_status read_prompt(struct llama *l, const int32_t *token, int32_t n)
{
	if (!l->prompt.ready)
		LT_TRY(program_begin(l, &l->prompt, LLAMA_PROMPT < l->model.context ? LLAMA_PROMPT : l->model.context));
	LT_TRY(take_cache(&l->prompt));
	const int64_t begin = lt__now_ns();
	for (int32_t at = 0, now; at < n && !lt__interrupted(NULL); at += now) {
		now = n - at < l->prompt.max ? n - at : l->prompt.max;
		LT_TRY(program_run(l, &l->prompt, token + at, now));
		l->position += now;
		l->read.tokens += now;
	}
	l->read.ns += lt__now_ns() - begin;
	memcpy(l->logits, l->prompt.run.result[0].data, (size_t)l->model.vocab * sizeof *l->logits);
	return LT_OK;
}

static lt_status make_step(struct llama *l) { return l->step.ready ? LT_OK : program_begin(l, &l->step, 1); }

static lt_status read_steps(struct llama *l, const int32_t *token, int32_t n)
{
	int32_t i = 0;

	LT_TRY(make_step(l));
	if (l->last == &l->prompt)
		LT_TRY(take_cache(&l->step));
	const int64_t begin = lt__now_ns();
	for (; i < n && !lt__interrupted(NULL); i++, l->position++)
		LT_TRY(program_run(l, &l->step, token + i, 1));
	if (n > 1) {
		l->read.tokens += i;
		l->read.ns += lt__now_ns() - begin;
	}
	memcpy(l->logits, l->step.run.result[0].data, (size_t)l->model.vocab * sizeof *l->logits);
	return LT_OK;
}

lt_status llama_feed(struct llama *l, const int32_t *token, int32_t n, float **logits)
{
	*logits = NULL;
	if (n > l->model.context - l->position)
		return lt_fail(l->ctx, LT_EINVAL, "the context is full: the model has %d positions, and %d more tokens come after "
			"%d", l->model.context, n, l->position);
	const int32_t end = l->position + n;
	const bool many = n >= LLAMA_PROMPT_MIN;
	LT_TRY(many ? read_prompt(l, token, n) : read_steps(l, token, n));
	l->last = many ? &l->prompt : &l->step;
	*logits = l->position == end ? l->logits : NULL;
	return LT_OK;
}

lt_status llama_feed_made(struct llama *l, int32_t token, float **logits)
{
	LT_TRY(make_step(l));
	const int64_t begin = lt__now_ns();
	LT_TRY(llama_feed(l, &token, 1, logits));
	if (*logits) {
		l->made.ns += lt__now_ns() - begin;
		l->made.tokens++;
	}
	return LT_OK;
}

void llama_prompt_end(struct llama *l)
{
	struct llama_program *p = &l->prompt;

	if (p->ready && !p->run.verify)
		program_end(p);
}

/* The cache is there as long as the model is; programs come and go. */
static lt_status make_cache(struct llama *l)
{
	const struct lt_options options = { .size = sizeof options, .backends = "ref" };
	struct lt_graph *g;

	LT_TRY(lt__llama_cache_graph(l->ctx, &l->model, l->cache, &g));
	lt_status s = lt_compile(l->ctx, g, &options, &l->cache_program);
	lt_graph_free(g);
	LT_TRY(s);
	s = lt_instance_new(l->cache_program, &l->cache_instance);
	return s ? lt_fail(l->ctx, s, "%-s", lt_instance_message(l->cache_instance)) : LT_OK;
}

/* Of a text, a step's program is made when it is needed: that of a long prompt comes first, and is gone then. */
lt_status llama_begin(struct llama *l)
{
	LT_TRY(lt__mistake(lt__plugins_load(l->ctx, llama_tool.name, l->o.load.at, l->o.load.n)));
	l->logits = malloc((size_t)l->model.vocab * sizeof *l->logits);
	if (!l->logits)
		return lt_fail(l->ctx, LT_ENOMEM, "out of memory");
	LT_TRY(make_cache(l));
	const bool first = l->o.schedule || l->o.verify || strcmp(l->o.mode, "generate") != 0;
	return first ? make_step(l) : LT_OK;
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
	program_end(&l->prompt);
	program_end(&l->step);
	lt_instance_free(l->cache_instance);
	lt_program_free(l->cache_program);
	free(l->logits);
}
