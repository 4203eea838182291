/* run_graph.c -- a graph on a backend against the oracle. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "program/judge/judge.h"
#include "tests/run_graph.h"

enum { FENCE = 64, MARK = 0xC3 };

static const struct lt_judge_options run_judging = { .seed = 1 };

static void *count_alloc(void *user, void *at, size_t old_bytes, size_t bytes)
{
	struct run_counter *c = user;
	c->calls += bytes > 0;
	if (bytes > 0 && c->fail_at > 0 && c->calls >= c->fail_at)
		return NULL;
	if (!bytes) {
		c->bytes -= (int64_t)old_bytes;
		free(at);
		return NULL;
	}
	void *made = realloc(at, bytes);
	if (!made)
		return NULL;
	c->bytes += (int64_t)bytes - (at ? (int64_t)old_bytes : 0);
	c->peak = c->bytes > c->peak ? c->bytes : c->peak;
	return made;
}

lt_status run_context(struct run_counter *c, struct lt_context **out)
{
	*c = (struct run_counter){ 0 };
	return lt_context_new_with(count_alloc, c, out);
}

/* Blocks of powers of two: long texts are written in many small pieces. */
static size_t block_of(size_t bytes)
{
	size_t block = 64;
	while (block < bytes)
		block *= 2;
	return block;
}

void run_text_add(void *text, const char *more, size_t n)
{
	struct run_text *t = text;
	if (!t->at || block_of(t->n + 1) != block_of(t->n + n + 1))
		t->at = realloc(t->at, block_of(t->n + n + 1));
	if (!t->at)
		abort();
	memcpy(t->at + t->n, more, n);
	t->n += n;
	t->at[t->n] = '\0';
}

char *run_graph_text(const struct lt_graph *g)
{
	struct run_text t = { NULL, 0 };
	if (lt_graph_print(g, run_text_add, &t))
		abort();
	return t.at;
}

void run_text_free(struct run_text *t)
{
	free(t->at);
	*t = (struct run_text){ 0 };
}

static void *allocate(size_t bytes)
{
	void *at = calloc(bytes ? bytes : 1, 1);
	if (!at)
		abort();
	return at;
}

static size_t bytes_of(const struct lt_graph *g, lt_node n)
{
	return (size_t)lt__node_elems(g, n) * lt__dtype_info(g->node[n].dtype)->bytes;
}

static bool is_source(const struct lt_nodedef *d)
{
	return d->op == LT_OP_input || d->op == LT_OP_constant || d->op == LT_OP_state;
}

void run_want_new(const struct lt_graph *g, int n_run, run_fill *fill, void *user, struct run_want *w)
{
	*w = (struct run_want){ .g = g,
		.judge = allocate(sizeof *w->judge * (size_t)n_run),
		.source = allocate(sizeof *w->source * (size_t)n_run),
		.after = allocate(sizeof *w->after * (size_t)(g->n_node + 1)) };
	for (lt_node n = 0; n < g->n_node; n++)
		if (g->node[n].op == LT_OP_state)
			w->after[n] = allocate(bytes_of(g, n));
	for (int run = 0; run < n_run && !w->status; run++) {
		void **source = w->source[run] = allocate(sizeof *source * (size_t)(g->n_node + 1));
		for (lt_node n = 0; n < g->n_node; n++) {
			if (!is_source(&g->node[n]))
				continue;
			source[n] = allocate(bytes_of(g, n));
			if (g->node[n].op == LT_OP_state)
				memcpy(source[n], w->after[n], bytes_of(g, n));
			else
				fill(user, g->node[n].op == LT_OP_constant ? 0 : run, n, source[n]);
		}
		w->n_run = run + 1;
		w->status = lt__judge_new(g, (const void *const *)source, &run_judging, &w->judge[run]);
		if (w->status) {
			snprintf(w->message, sizeof w->message, "%s", lt_context_message(g->ctx));
			break;
		}
		for (int32_t i = 0; i < g->n_set; i++)
			memcpy(w->after[g->set[i].state], lt_eval_state(lt__judge_reference(w->judge[run]), i, NULL),
				bytes_of(g, g->set[i].state));
	}
}

void run_want_free(struct run_want *w)
{
	for (int run = 0; run < w->n_run; run++) {
		lt__judge_free(w->judge[run]);
		for (lt_node n = 0; n < w->g->n_node; n++)
			free(w->source[run][n]);
		free(w->source[run]);
	}
	for (lt_node n = 0; n < w->g->n_node; n++)
		free(w->after[n]);
	free(w->after);
	free(w->source);
	free(w->judge);
	*w = (struct run_want){ 0 };
}

void run_bits_free(struct run_bits *b)
{
	for (int i = 0; i < b->n; i++)
		free(b->at[i]);
	free(b->at);
	*b = (struct run_bits){ 0 };
}

struct contest {
	const struct run_want *want;
	const struct lt_graph *g;       /* the oracle's */
	const struct run_config *config;
	struct lt_context *ctx;
	struct lt_program *p;
	struct lt_instance *r;
	struct run_counter *counter;
	struct run_tally *tally;
	int run, n_result;
	unsigned char **block, **second;        /* by result, with fences; of the repeated run */
	void **result;
	const void **input;
	char *why;
	size_t why_bytes;
};

static bool bad(struct contest *c, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
static bool bad(struct contest *c, const char *fmt, ...)
{
	int n = snprintf(c->why, c->why_bytes, "%s%s, run %d: ", c->config->backends,
		c->config->no_passes ? " without passes" : "", c->run);
	va_list args;
	va_start(args, fmt);
	if (n >= 0 && (size_t)n < c->why_bytes)
		vsnprintf(c->why + n, c->why_bytes - (size_t)n, fmt, args);
	va_end(args);
	return false;
}

static bool is_right(struct contest *c, lt_status st, const struct lt_report *r)
{
	c->tally->elements += r->elements;
	c->tally->skipped += r->open;
	c->tally->kernel_elements += r->kernel_elements;
	c->tally->left += r->kernel_left;
	return st ? bad(c, "judging it: %s", lt_context_message(c->ctx)) : !lt__report_failed(r) || bad(c, "%s", r->first);
}

static bool same_bits(struct contest *c, lt_node n, const void *a, const void *b)
{
	const struct lt_evaluation *e = lt__judge_reference(c->want->judge[c->run]);
	int64_t at[LT_MAX_RANK] = { 0 }, flat = 0;
	size_t bytes = lt__dtype_info(c->g->node[n].dtype)->bytes;
	if (lt__is_empty(c->g, e, n))
		return true;
	do {
		if (memcmp((const char *)a + bytes * (size_t)flat, (const char *)b + bytes * (size_t)flat, bytes))
			return false;
	} while (lt__next_element(c->g, e, n, at, &flat));
	return true;
}

static void poison(struct contest *c, int value)
{
	for (int i = 0; i < c->n_result; i++) {
		size_t bytes = lt_program_bytes(c->p, LT_BINDING_RESULT, i);
		memset(c->block[i], MARK, FENCE);
		memset(c->block[i] + FENCE, value, bytes);
		memset(c->block[i] + FENCE + bytes, MARK, FENCE);
	}
}

static bool fences_stand(struct contest *c)
{
	for (int i = 0; i < c->n_result; i++) {
		size_t bytes = lt_program_bytes(c->p, LT_BINDING_RESULT, i);
		for (int k = 0; k < FENCE; k++)
			if (c->block[i][k] != MARK || c->block[i][FENCE + bytes + (size_t)k] != MARK)
				return bad(c, "byte %d %s result '%s' is overwritten", k, c->block[i][k] != MARK ? "before" : "behind",
					lt_program_name(c->p, LT_BINDING_RESULT, i));
	}
	return true;
}

/* The binding's number of a source in the program, which may be made of a parsed copy. */
static int32_t binding_of(const struct contest *c, lt_node n)
{
	const struct lt_nodedef *d = &c->g->node[n];
	enum lt_binding kind = d->op == LT_OP_input ? LT_BINDING_INPUT
		: d->op == LT_OP_constant           ? LT_BINDING_CONSTANT
						    : LT_BINDING_STATE;
	return lt_program_find(c->p, kind, d->label);
}

static void set_states(struct contest *c, void **source)
{
	for (lt_node n = 0; n < c->g->n_node; n++)
		if (c->g->node[n].op == LT_OP_state)
			memcpy(lt_instance_state(c->r, binding_of(c, n)), source[n], bytes_of(c->g, n));
}

static bool judge_states(struct contest *c)
{
	for (lt_node n = 0; n < c->g->n_node; n++) {
		struct lt_report r = { 0 };
		if (c->g->node[n].op == LT_OP_state
		    && !is_right(c, lt__judge_state(c->want->judge[c->run], n, lt_instance_state(c->r, binding_of(c, n)), &r), &r))
			return false;
	}
	return true;
}

static bool inputs_stand(struct contest *c)
{
	const struct lt_graph *g = c->g;
	for (lt_node n = 0; n < g->n_node; n++)
		if (g->node[n].op == LT_OP_input && memcmp(c->input[binding_of(c, n)], c->want->source[c->run][n], bytes_of(g, n)))
			return bad(c, "input '%s' was changed", g->node[n].label);
	return true;
}

static bool one_run(struct contest *c)
{
	const struct run_want *w = c->want;
	for (lt_node n = 0; n < c->g->n_node; n++)
		if (c->g->node[n].op == LT_OP_input)
			memcpy((void *)(uintptr_t)c->input[binding_of(c, n)], w->source[c->run][n], bytes_of(c->g, n));
	poison(c, 0xA5);
	int64_t before = c->counter ? c->counter->calls : 0;
	lt_status st = lt_instance_run(c->r, c->input, c->result);
	if (st && !w->judge[c->run])
		return st == w->status
			|| bad(c, "it fails with %s (%s), the oracle with %s", lt_status_name(st),
				lt_instance_message(c->r), lt_status_name(w->status));
	if (st)
		return bad(c, "%s: %s; the oracle succeeds", lt_status_name(st), lt_instance_message(c->r));
	if (!w->judge[c->run])
		return bad(c, "it succeeds, the oracle says: %s", w->message);
	if (c->run > 0 && c->counter && c->counter->calls != before)
		return bad(c, "%lld allocations", (long long)(c->counter->calls - before));
	if (!fences_stand(c) || !inputs_stand(c) || !judge_states(c))
		return false;
	for (int i = 0; i < c->n_result; i++) {
		struct lt_report r = { 0 };
		const struct lt_evaluation *e = lt__judge_reference(w->judge[c->run]);
		char what[64];
		snprintf(what, sizeof what, "result '%.40s'", c->g->result[i].name);
		if (!is_right(c, lt__judge_result(w->judge[c->run], i, c->result[i], &r), &r))
			return false;
		for (int32_t k = 0; k < c->g->node[c->g->result[i].node].n_dim; k++)
			if (lt_instance_extent(c->r, i, k) != lt_eval_extent(e, c->g->node[c->g->result[i].node].dim[k]))
				return bad(c, "%s has extent %lld along axis %d, the oracle says %lld", what,
					(long long)lt_instance_extent(c->r, i, k), (int)k,
					(long long)lt_eval_extent(e, c->g->node[c->g->result[i].node].dim[k]));
	}
	return true;
}

static bool judge_kernels(struct contest *c)
{
	struct lt_report r = { 0 };
	set_states(c, c->want->source[c->run]);
	return is_right(c, lt__judge_instance(c->r, c->input, c->result, &run_judging, &r), &r);
}

/* The same once more, from the same states: the same bits, whatever the results held before. */
static bool again(struct contest *c)
{
	set_states(c, c->want->source[c->run]);
	for (int i = 0; i < c->n_result; i++)
		memcpy(c->second[i], c->result[i], lt_program_bytes(c->p, LT_BINDING_RESULT, i));
	poison(c, 0x5A);
	if (lt_instance_run(c->r, c->input, c->result))
		return bad(c, "repeated: %s", lt_instance_message(c->r));
	for (int i = 0; i < c->n_result; i++)
		if (!same_bits(c, c->g->result[i].node, c->second[i], c->result[i]))
			return bad(c, "result '%s' has other bits when the run is repeated", c->g->result[i].name);
	return fences_stand(c);
}

static bool keep_bits(struct contest *c, struct run_bits *keep)
{
	if (!keep->at) {
		keep->n = c->n_result;
		keep->at = allocate(sizeof *keep->at * (size_t)c->n_result);
		for (int i = 0; i < c->n_result; i++) {
			keep->at[i] = allocate(lt_program_bytes(c->p, LT_BINDING_RESULT, i));
			memcpy(keep->at[i], c->result[i], lt_program_bytes(c->p, LT_BINDING_RESULT, i));
		}
		return true;
	}
	for (int i = 0; i < c->n_result; i++)
		if (!same_bits(c, c->g->result[i].node, keep->at[i], c->result[i]))
			return bad(c, "result '%s' has other bits than the graph that the text was printed from", c->g->result[i].name);
	return true;
}

static bool run_all(struct contest *c, struct run_bits *keep)
{
	const struct run_want *w = c->want;
	for (lt_node n = 0; n < c->g->n_node; n++)
		if (c->g->node[n].op == LT_OP_constant && lt_program_bind(c->p, binding_of(c, n), w->source[0][n], n % 2))
			return bad(c, "%s", lt_context_message(c->ctx));
	lt_status st = lt_instance_new(c->p, &c->r);
	if (st)         /* a gather from constants alone is done when they are bound */
		return (st == w->status && !w->judge[0]) || bad(c, "%s: %s", lt_status_name(st), lt_instance_message(c->r));
	for (c->run = 0; c->run < w->n_run; c->run++) {
		if (!one_run(c))
			return false;
		if (!w->judge[c->run])
			return true;
		if (c->run == 0 && keep && !keep_bits(c, keep))
			return false;
		if (!again(c) || !judge_kernels(c))
			return false;
		/* From here on with the oracle's content, so that errors do not add up over the runs. */
		if (c->run + 1 < w->n_run)
			set_states(c, w->source[c->run + 1]);
	}
	return true;
}

bool run_compare(const struct run_want *want, const struct lt_graph *g, const struct run_config *config,
	struct run_counter *counter, struct run_bits *keep, struct run_tally *tally, char *why, size_t bytes)
{
	struct contest c = { .want = want,
		.g = want->g,
		.config = config,
		.ctx = g->ctx,
		.counter = counter,
		.tally = tally,
		.why = why,
		.why_bytes = bytes };
	struct lt_options options = { .size = sizeof options,
		.n_thread = 2,
		.backends = config->backends,
		.strict = !strchr(config->backends, ','),
		.no_passes = config->no_passes };
	why[0] = '\0';
	if (config->compile ? config->compile(config->user, g, &options, &c.p) : lt_compile(c.ctx, g, &options, &c.p))
		return bad(&c, "%s: %s", lt_status_name(lt_context_code(c.ctx)), lt_context_message(c.ctx));
	c.n_result = lt_program_count(c.p, LT_BINDING_RESULT);
	int n_input = lt_program_count(c.p, LT_BINDING_INPUT);
	c.block = allocate(sizeof *c.block * (size_t)(c.n_result + 1));
	c.second = allocate(sizeof *c.second * (size_t)(c.n_result + 1));
	c.result = allocate(sizeof *c.result * (size_t)(c.n_result + 1));
	c.input = allocate(sizeof *c.input * (size_t)(n_input + 1));
	for (int i = 0; i < c.n_result; i++) {
		c.block[i] = allocate(lt_program_bytes(c.p, LT_BINDING_RESULT, i) + 2 * FENCE);
		c.second[i] = allocate(lt_program_bytes(c.p, LT_BINDING_RESULT, i));
		c.result[i] = c.block[i] + FENCE;
	}
	for (int i = 0; i < n_input; i++)
		c.input[i] = allocate(lt_program_bytes(c.p, LT_BINDING_INPUT, i));
	bool good = run_all(&c, keep);
	struct lt_stats stats = { .size = sizeof stats };
	lt_program_stats(c.p, &stats);
	tally->launches += stats.n_launch;
	tally->results += c.n_result;
	for (int i = 0; i < c.n_result; i++) {
		free(c.block[i]);
		free(c.second[i]);
	}
	for (int i = 0; i < n_input; i++)
		free((void *)(uintptr_t)c.input[i]);
	free(c.block);
	free(c.second);
	free(c.result);
	free(c.input);
	lt_instance_free(c.r);
	lt_program_free(c.p);
	return good;
}
