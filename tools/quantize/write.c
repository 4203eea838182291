/* write.c -- the graph of integers of the best candidate: compared with what was searched, then all is written. */
#include <stdlib.h>
#include <string.h>
#include "ir/eval/eval.h"
#include "tools/quantize/quantize.h"

/* -- the same integers -- */

/* How many samples the evaluator of graphs judges: operations that take it some seconds. */
int64_t quantize_samples_to_judge(const struct quantizing *z, const struct lt_graph *g)
{
	struct lt_arena *arena;
	const int64_t room = 100000000;
	if (lt__arena_new(z->ctx, &arena))
		return 1;
	const int64_t operations = lt__graph_operations(g, arena, NULL, NULL), n = room / (operations < 1 ? 1 : operations);
	lt__arena_free(arena);
	return n < 1 ? 1 : n > z->part.samples ? z->part.samples : n;
}

/* An input of the integers' graph for sample i. */
static lt_status integer_input(const struct quantizing *z, const struct lt_quant_derived *d, struct lt_arena *arena,
	const char *name, int64_t sample, const void **out)
{
	for (int32_t i = 0; i < z->n_input; i++) {
		const struct model_binding *b = &z->model.binding[LT_BINDING_INPUT].at[i];
		const unsigned char *at = z->input[i].at + z->input[i].sample_bytes * (size_t)sample;
		if (strcmp(name, b->name) != 0)
			continue;
		*out = at;
		for (int32_t c = 0; c < z->q->n_cell; c++) {
			const struct lt_quant_cell *cell = &z->q->cell[c];
			if (cell->kind != LT_QUANT_INPUT || cell->node != b->node)
				continue;
			void *to = lt__arena_alloc(arena, (size_t)cell->elems * lt_dtype_bytes(d->type[c]) + 1);
			for (int64_t k = 0; k < cell->elems; k++)
				lt__store(to, k, d->type[c], (union lt_scalar){ .i = lt__quant_round(lt__load(at, k, b->dtype).f, d->scale[c],
					(struct lt_quant_range){ d->least[c], d->most[c] }) });
			*out = to;
		}
		return LT_OK;
	}
	return lt_fail(z->ctx, LT_EINVAL, "internal error: the integers have an input '%s'", name);
}

lt_status quantize_compare(struct quantizing *z, const struct quantize_program *p, const struct lt_graph *g,
	const struct lt_evaluation *e, int64_t sample)
{
	for (int32_t i = 0; i < g->n_result; i++) {
		const int32_t r = quantize_program_result(p, g->result[i].name);
		const enum lt_dtype was = lt_program_dtype(p->program, LT_BINDING_RESULT, r);
		const enum lt_dtype is = g->node[g->result[i].node].dtype;
		const int64_t n = lt__node_elems(g, g->result[i].node);
		for (int64_t k = 0; k < n; k++) {
			const double a = lt__as_double(lt__load(p->result[r], sample % z->chunk * n + k, was), was);
			const double b = lt__as_double(lt__load(lt_eval_result(e, i, NULL), k, is), is);
			if (a != b)
				return lt_fail(z->ctx, LT_EFAULT, "internal error: element %lld of '%s' in sample %lld is %.0f, and was %.0f "
					"when it was searched; nothing is written", (long long)k, g->result[i].name, (long long)sample, b, a);
		}
	}
	return LT_OK;
}

struct judging { struct quantizing *z; const struct lt_quant_derived *d; const struct lt_graph *g; int64_t sample;
	struct lt_arena *arena; };

static lt_status judge_sample(void *user)
{
	const struct judging *j = user;
	const struct lt_graph *g = j->g;
	const void **source = LT_NEW(j->arena, const void *, g->n_node + 1);
	struct lt_evaluation *e = NULL;
	for (lt_node x = 0; x < g->n_node; x++) {
		source[x] = g->node[x].op == LT_OP_constant ? g->node[x].content : NULL;
		if (g->node[x].op == LT_OP_input)
			LT_TRY(integer_input(j->z, j->d, j->arena, g->node[x].label, j->sample, &source[x]));
	}
	lt_status s = lt_eval(g, source, false, &e);
	if (!s)
		s = quantize_compare(j->z, &j->z->search, g, e, j->sample);
	lt_eval_free(e);
	return s;
}

static lt_status judge(struct quantizing *z, const struct lt_quant_derived *d, const struct lt_graph *g)
{
	const int64_t n = quantize_samples_to_judge(z, g);
	for (int64_t i = 0; i < n; i++) {
		struct judging j = { z, d, g, i, NULL };
		if (i % z->chunk == 0)
			LT_TRY(quantize_program_run(z, &z->search, i / z->chunk));
		LT_TRY(lt__arena_new(z->ctx, &j.arena));
		const lt_status s = lt__protect(z->ctx, judge_sample, &j);
		lt__arena_free(j.arena);
		LT_TRY(s);
	}
	z->judged = n;
	return LT_OK;
}

/* -- the same floats, up to rounding -- */

static lt_status judge_floats_sample(struct quantizing *z, struct lt_verifier *v, const struct lt_graph *g,
	int64_t sample)
{
	const void **input = lt__must_alloc(sizeof *input * ((size_t)z->n_input + 1));
	for (int32_t i = 0; i < z->n_input; i++)
		input[i] = z->input[i].at + z->input[i].sample_bytes * (size_t)sample;
	lt_status s = lt_verifier_evaluate(v, input);
	for (int32_t i = 0; i < g->n_result && !s; i++) {
		const int32_t r = quantize_program_result(&z->search, g->result[i].name);
		const size_t bytes = lt_program_bytes(z->search.program, LT_BINDING_RESULT, r) / (size_t)z->chunk;
		s = lt_verifier_result(v, i, (const char *)z->search.result[r] + bytes * (size_t)(sample % z->chunk));
	}
	free(input);
	return s;
}

static lt_status judge_floats(struct quantizing *z, const struct lt_graph *g)
{
	const struct lt_verify_options o = { .size = sizeof o, .allow_open = 1 };
	const int64_t few = quantize_samples_to_judge(z, g) / 8, n = few < 1 ? 1 : few;      /* several evaluations of each */
	struct lt_verifier *v;
	LT_TRY(lt_verifier_new(g, NULL, NULL, &o, &v));
	lt_status s = LT_OK;
	for (int64_t i = 0; i < n && !s; i++) {
		if (i % z->chunk == 0)
			s = quantize_program_run(z, &z->search, i / z->chunk);
		if (!s)
			s = judge_floats_sample(z, v, g, i);
	}
	const struct lt_verified *found = lt_verifier_report(v);
	if (!s && found->verdict == LT_VERDICT_FAILED)
		s = lt_fail(z->ctx, LT_EFAULT, "internal error: %s; nothing is written", found->first);
	lt_verifier_free(v);
	z->judged = n;
	return s;
}

struct quantize_writing { struct quantizing *z; struct lt_arena *arena; };

static lt_status write_body(void *user)
{
	const struct quantize_writing *w = user;
	struct quantizing *z = w->z;
	struct lt_quant_derived d;
	struct lt_graph *g;
	const bool whole = z->q->mode == LT_QUANT_STATIC;
	LT_TRY(quantize_graph(z, &z->best, w->arena, &d, &g));
	lt__phase(&z->phases, "comparing");
	lt_status s = whole ? judge(z, &d, g) : judge_floats(z, g);
	lt__phase(&z->phases, "writing");
	if (!s && !whole)
		s = quantize_count_kept(z, g);
	if (!s)
		s = quantize_script_write(z, g, z->o.output);
	if (!s && z->o.data_out)
		s = quantize_data_write(z, &d);
	if (!s)
		s = quantize_report_write(z, &d);
	lt_graph_free(g);
	return s;
}

lt_status quantize_write(struct quantizing *z)
{
	struct quantize_writing w = { .z = z };
	lt_status s = lt__arena_new(z->ctx, &w.arena);
	if (!s)
		s = lt__protect(z->ctx, write_body, &w);
	lt__arena_free(w.arena);
	return s;
}
