/* compat.c -- a program of SeeDot as SeeDot's own integers (--compat): its scales, its search, its results.
 *
 * SeeDot (PLDI 2019): scales follow from those of constants and from one number, maxscale, of which all 16 are tried.
 * Shiftry (OOPSLA 2020): scales follow from ranges that floats show; that of the input is tried, then each variable in
 * 8 bits alone, then one after the other.  A candidate is a graph of its own.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "frontends/seedot/seedot.h"
#include "ir/eval/eval.h"
#include "program/host/host.h"
#include "tools/quantize/quantize.h"

enum { SCALES = 16, TIED = 5, OFFSETS = 3, OFFSETS_OF_INPUT = 9, LARGE = 50000 };

struct compat_try { struct sd_choice choice; struct quantize_score score; };
struct compating {
	struct quantizing *z;
	struct sd_model *m;
	struct sd_variable *variable;
	int32_t n, input;               /* variables from 1 to n - 1; which the input is */
	struct sd_narrow *narrow;       /* of the candidate that is tried */
	struct compat_value *format, result;    /* of the last candidate */
	double *numbers;                /* its judged result */
	unsigned char *data;            /* the input as its integers, sample after sample */
	struct quantize_program program;
	struct compat_try best;
	struct sd_narrow *best_narrow;
};

/* -- ranges -- */
static lt_status see(struct compating *c, struct quantize_program *p, int64_t row)
{
	for (int32_t v = 1; v < c->n; v++) {
		char name[32];
		snprintf(name, sizeof name, "range.%d", v);
		const int32_t r = quantize_program_result(p, name);
		const double most = r < 0 ? 0 : (double)*(const float *)p->result[r];
		if (!isfinite(most))
			return lt_fail(c->z->ctx, LT_EINVAL, "%s:%d:%d: row %lld of the data makes '%s' %g: no integer stands for that",
				c->z->o.model, c->variable[v].place.line, c->variable[v].place.column, (long long)row, c->variable[v].name, most);
		c->variable[v].most = fmax(c->variable[v].most, most);
	}
	return LT_OK;
}

static lt_status find_ranges(struct compating *c)
{
	struct quantizing *z = c->z;
	struct quantize_program p = { 0 };
	struct lt_graph *g;
	LT_TRY(quantize_metric_find(z));
	LT_TRY(lt__sd_model_ranges(c->m, &g));
	lt_status s = quantize_program_make(z, g, &p);
	for (int64_t i = 0; i < z->part.samples && !s; i++) {
		if (lt__interrupted(NULL))
			s = lt_fail(z->ctx, LT_ECANCELLED, "interrupted before there was a candidate");
		s = s ? s : quantize_program_run(z, &p, i);
		s = s ? s : quantize_expect(z, &p, i);
		s = s ? s : see(c, &p, i);
	}
	quantize_program_free(&p);
	LT_TRY(s);
	quantize_expected(z);
	return LT_OK;
}

/* -- a candidate -- */
static lt_status give_input(struct compating *c)
{
	const struct quantize_input *in = &c->z->input[0];
	const struct compat_value f = c->format[c->input];
	const enum lt_dtype t = lt__compat_type(f.bits);
	const size_t elems = in->sample_bytes / sizeof (float);
	const int64_t n = (int64_t)elems * c->z->part.samples;
	struct quantize_program *p = &c->program;
	for (int64_t i = 0; i < n; i++)
		lt__store(c->data, i, t, (union lt_scalar){ .i = lt__sd_quantise((double)((const float *)(const void *)in->at)[i],
			f) });
	for (int32_t i = 0; i < p->n_input; i++) {
		p->input[i] = c->data;
		p->sample_bytes[i] = elems * lt_dtype_bytes(t);
	}
	return LT_OK;
}

static lt_status run_all(struct compating *c)
{
	struct quantizing *z = c->z;
	const int32_t r = quantize_program_result(&c->program, "y");
	const enum lt_dtype t = lt_program_dtype(c->program.program, LT_BINDING_RESULT, r);
	const int64_t n = z->row_results * z->classes;
	const double step = ldexp(1, c->result.scale);
	for (int64_t i = 0; i < z->part.samples; i++) {
		LT_TRY(quantize_program_run(z, &c->program, i));
		for (int64_t k = 0; k < n; k++)
			c->numbers[i * n + k] = step * lt__as_double(lt__load(c->program.result[r], k, t), t);
	}
	return LT_OK;
}

/* The program of a choice stays in c->program; it has none where SeeDot has no such scales. */
static lt_status make(struct compating *c, const struct sd_choice *choice, bool *possible)
{
	struct lt_graph *g;
	quantize_program_free(&c->program);
	const lt_status s = lt__sd_model_integers(c->m, choice, c->format, &c->result, &g);
	*possible = !s;
	if (s == LT_EUNSUPPORTED)
		return LT_OK;
	LT_TRY(s);
	LT_TRY(quantize_program_make(c->z, g, &c->program));
	return give_input(c);
}

static lt_status try_choice(struct compating *c, const char *what, struct compat_try *t)
{
	struct quantizing *z = c->z;
	bool possible;
	t->score = (struct quantize_score){ 0, INFINITY, INFINITY, false };
	lt__phase(&z->phases, "%s, candidate %lld", what, (long long)z->tried + 1);
	z->tried++;
	lt_status s = make(c, &t->choice, &possible);
	if (!s && possible)
		s = run_all(c);
	if (s == LT_ECANCELLED && lt__interrupted(NULL) && --z->tried > 0) {    /* it was not tried */
		lt_context_clear(z->ctx);
		return LT_OK;
	}
	LT_TRY(s);
	if (!possible)
		return LT_OK;
	const double metric = quantize_metric(z, c->numbers);
	t->score = (struct quantize_score){ metric, z->part.base - metric, quantize_distance(z, c->numbers), true };
	if (z->o.verbose) {
		lt__phase(&z->phases, NULL);
		lt__say(stderr, "candidate %lld (%s): loss %.3f points, distance %.4f\n", (long long)z->tried, what, t->score.loss,
			t->score.error);
	}
	return LT_OK;
}

static void keep(struct compating *c, const struct compat_try *t)
{
	c->best = *t;
	memcpy(c->best_narrow, c->narrow, (size_t)c->n * sizeof *c->narrow);
	c->best.choice.variable = c->best_narrow;
}

static void take_best(struct compating *c)
{
	memcpy(c->narrow, c->best_narrow, (size_t)c->n * sizeof *c->narrow);
}

/* -- the search -- */
/* All maxscales, or all scales of the input.  Shiftry takes the largest scale of those that are nearly as good. */
static lt_status choose_scale(struct compating *c, bool derives)
{
	const double tied = derives || c->z->metric == METRIC_ERROR ? 0 : 100.0 * TIED / (double)c->z->part.rows;
	struct compat_try all[SCALES];
	int32_t best = 0, n = 0;
	for (; n < SCALES && (!n || quantize_goes_on(c->z)); n++) {
		all[n].choice = (struct sd_choice){ .derives = derives, .maxscale = -n, .input = -n, .variable = c->narrow };
		LT_TRY(try_choice(c, derives ? "maxscale" : "scale of the input", &all[n]));
		best = quantize_is_better(&all[n].score, &all[best].score) ? n : best;
	}
	if (!all[best].score.possible)
		return lt_context_message(c->z->ctx)[0] ? lt_context_code(c->z->ctx) : lt_fail(c->z->ctx, LT_EUNSUPPORTED,
			"%s: SeeDot has no scales for it", c->z->o.model);
	for (int32_t i = 0; tied > 0 && i < best; i++)
		if (all[i].score.possible && all[i].score.loss <= all[best].score.loss + tied)
			best = i;
	keep(c, &all[best]);
	return LT_OK;
}

struct compat_demotion { int32_t variable, offset; bool large; struct quantize_score score; };

static int by_score(const void *a, const void *b)
{
	const struct compat_demotion *x = a, *y = b;
	if (x->large != y->large)
		return x->large ? -1 : 1;
	if (quantize_is_better(&x->score, &y->score) != quantize_is_better(&y->score, &x->score))
		return quantize_is_better(&x->score, &y->score) ? -1 : 1;
	return x->variable - y->variable;
}

static lt_status demote(struct compating *c, int32_t variable, int32_t offset, const char *what, struct compat_try *t)
{
	take_best(c);
	c->narrow[variable] = (struct sd_narrow){ true, offset };
	*t = c->best;
	t->choice.variable = c->narrow;
	return try_choice(c, what, t);
}

/* One after the other, until one loses too much. */
static lt_status demote_all(struct compating *c, struct compat_demotion *order, int32_t n)
{
	qsort(order, (size_t)n, sizeof *order, by_score);
	for (int32_t i = 0; i < n && quantize_goes_on(c->z); i++) {
		struct compat_try t;
		LT_TRY(demote(c, order[i].variable, order[i].offset, "8 bits for all", &t));
		if (!t.score.possible || t.score.loss > c->z->o.loss + 1e-9)
			break;
		keep(c, &t);
	}
	return LT_OK;
}

/* Each variable alone, by which they are sorted. */
static lt_status choose_narrow(struct compating *c)
{
	struct compat_demotion *order = calloc((size_t)c->n, sizeof *order);
	int32_t n = 0;
	lt_status s = order ? LT_OK : lt_fail(c->z->ctx, LT_ENOMEM, "out of memory");
	for (int32_t v = 1; v < c->n && !s && quantize_goes_on(c->z); v++) {
		if (c->variable[v].stage)
			continue;
		order[n] = (struct compat_demotion){ .variable = v, .large = c->variable[v].elems >= LARGE };
		for (int32_t i = 0; i < (v == c->input ? OFFSETS_OF_INPUT : OFFSETS) && !s; i++) {
			struct compat_try t;
			s = demote(c, v, -i, "8 bits for one", &t);
			if (!i || quantize_is_better(&t.score, &order[n].score)) {
				order[n].score = t.score;
				order[n].offset = -i;
			}
		}
		n += order[n].score.possible;
	}
	if (!s)
		s = demote_all(c, order, n);
	free(order);
	return s;
}

static lt_status choose(struct compating *c)
{
	struct quantizing *z = c->z;
	const bool derives = !strcmp(z->o.compat, "seedot"), narrow = !strcmp(z->o.bits, "8");
	z->begin_ns = lt__now_ns();
	for (int32_t v = 1; v < c->n && narrow; v++)
		c->narrow[v].narrow = !c->variable[v].stage;
	LT_TRY(choose_scale(c, derives));
	if (!derives && !strcmp(z->o.bits, "mixed"))
		LT_TRY(choose_narrow(c));
	z->end_ns = lt__now_ns();
	if (c->best.score.loss > z->o.loss + 1e-9)
		return lt_fail(z->ctx, LT_EUNSUPPORTED, "%s: the best of %lld candidates loses %.3f points, and --loss allows "
			"%.3f: a greater --loss is the way out%s", z->o.model, (long long)z->tried, c->best.score.loss, z->o.loss,
			narrow ? ", or --bits 16" : "");
	return LT_OK;
}

/* -- what is written -- */
static lt_status judge(struct compating *c, const struct lt_graph *g)
{
	struct quantizing *z = c->z;
	const int64_t n = quantize_samples_to_judge(z, g);
	const void **source = calloc((size_t)g->n_node + 1, sizeof *source);
	lt_status s = source ? LT_OK : lt_fail(z->ctx, LT_ENOMEM, "out of memory");
	for (int64_t i = 0; i < n && !s; i++) {
		struct lt_evaluation *e = NULL;
		for (lt_node x = 0; x < g->n_node; x++)
			source[x] = g->node[x].op == LT_OP_constant ? g->node[x].content
				: g->node[x].op == LT_OP_input ? c->data + c->program.sample_bytes[0] * (size_t)i : NULL;
		s = quantize_program_run(z, &c->program, i);
		s = s ? s : lt_eval(g, source, false, &e);
		s = s ? s : quantize_compare(z, &c->program, g, e, i);
		lt_eval_free(e);
	}
	free(source);
	z->judged = n;
	return s;
}

static lt_status write_data(struct compating *c)
{
	struct quantizing *z = c->z;
	const struct model_binding *b = &z->model.binding[LT_BINDING_INPUT].at[0];
	int64_t shape[LT_MAX_RANK + 1];
	struct lt_tensors all = { .at = calloc(1, sizeof *all.at) };
	lt_status s = all.at ? LT_OK : lt_fail(z->ctx, LT_ENOMEM, "out of memory");
	const bool axis = z->input[0].rows == 1 && (b->rank == 0 || b->shape[0] != 1);
	shape[0] = z->input[0].all_rows;
	for (int32_t k = !axis; k < b->rank; k++)
		shape[k + axis] = b->shape[k];
	if (!s)
		s = lt__tensor_new(z->ctx, z->o.data_out, b->name, lt__compat_type(c->format[c->input].bits), b->rank + axis, shape,
			&all.at[0]);
	if (!s) {
		all.n = 1;
		memcpy(all.at[0].data, c->data, all.at[0].bytes);
		s = lt__tensors_write(z->ctx, z->o.data_out, &all);
	}
	lt__tensors_free(&all);
	return s;
}

static json_t *variables_json(const struct compating *c)
{
	json_t *all = json_array();
	for (int32_t v = 1; v < c->n; v++) {
		const struct sd_variable *x = &c->variable[v];
		const struct sd_narrow *narrow = &c->best_narrow[v];
		json_t *o = json_object();
		json_object_set_new(o, "name", lt__json_text(x->name));
		json_object_set_new(o, "line", json_integer(x->place.line));
		json_object_set_new(o, "column", json_integer(x->place.column));
		json_object_set_new(o, "elements", json_integer(x->elems));
		json_object_set_new(o, "declared", x->declared ? json_real(x->least) : json_null());
		json_object_set_new(o, "most", json_real(x->most));
		json_object_set_new(o, "bits", json_integer(c->format[v].bits));
		json_object_set_new(o, "scale", json_integer(c->format[v].scale));
		json_object_set_new(o, "offset", narrow->narrow ? json_integer(narrow->offset) : json_null());
		json_array_append_new(all, o);
	}
	return all;
}

static lt_status write_report(struct compating *c)
{
	struct quantizing *z = c->z;
	json_t *o = json_object();
	json_object_set_new(o, "model", lt__json_text(z->o.model));
	json_object_set_new(o, "script", lt__json_text(z->o.output));
	json_object_set_new(o, "compat", json_string(z->o.compat));
	if (c->best.choice.derives)
		json_object_set_new(o, "maxscale", json_integer(c->best.choice.maxscale));
	json_object_set_new(o, "input", json_integer(c->format[c->input].scale));
	json_object_set_new(o, "result", c->result.bits == 32 ? json_null() : json_integer(c->result.scale));
	json_object_set_new(o, "floats", json_real(z->part.base));
	json_object_set_new(o, "integers", json_real(c->best.score.metric));
	json_object_set_new(o, "loss", json_real(c->best.score.loss));
	json_object_set_new(o, "rows", json_integer(z->part.rows));
	json_object_set_new(o, "candidates", json_integer(z->tried));
	json_object_set_new(o, "seconds", json_real((double)(z->end_ns - z->begin_ns) / 1e9));
	json_object_set_new(o, "variables", variables_json(c));
	return quantize_json_write(z, o);
}

static lt_status write_best(struct compating *c)
{
	struct quantizing *z = c->z;
	bool possible;
	LT_TRY(make(c, &c->best.choice, &possible));
	lt__phase(&z->phases, "comparing");
	LT_TRY(judge(c, c->program.graph));
	lt__phase(&z->phases, "writing");
	LT_TRY(quantize_script_write(z, c->program.graph, z->o.output));
	if (z->o.data_out)
		LT_TRY(write_data(c));
	return z->o.report ? write_report(c) : LT_OK;
}

static void say(const struct compating *c)
{
	const struct quantizing *z = c->z;
	int32_t narrow = 0, all = 0;
	for (int32_t v = 1; v < c->n; v++) {
		all += !c->variable[v].stage;
		narrow += c->best_narrow[v].narrow;
	}
	quantize_say_metric(z, c->best.score.metric);
	if (c->best.choice.derives)
		lt__say(stdout, "maxscale %d; all of %d variables have 16 bits\n", c->best.choice.maxscale, all);
	else
		lt__say(stdout, "scale of the input %d; 8 bits: %d of %d variables\n", c->format[c->input].scale, narrow, all);
	lt__say(stdout, "%lld candidate%s tried; the integers of %lld of %lld evaluations are those of the evaluator of "
		"graphs\n", (long long)z->tried, z->tried == 1 ? "" : "s", (long long)z->judged, (long long)z->part.samples);
}

static lt_status work(struct compating *c)
{
	struct quantizing *z = c->z;
	const char *slash = strrchr(z->o.model, '/');
	char *folder = slash ? strndup(z->o.model, (size_t)(slash - z->o.model) + 1) : strdup(".");
	if (!folder)
		return lt_fail(z->ctx, LT_ENOMEM, "out of memory");
	lt_status s = lt__sd_model_new(z->ctx, (const char *)z->model.script.at, z->model.script.n, z->o.model, folder, &c->m);
	if (!s) {
		c->variable = lt__sd_model_variables(c->m, &c->n);
		for (int32_t v = 1; v < c->n; v++)
			c->input = c->variable[v].input ? v : c->input;
		c->narrow = calloc((size_t)c->n, sizeof *c->narrow);
		c->best_narrow = calloc((size_t)c->n, sizeof *c->best_narrow);
		c->format = calloc((size_t)c->n, sizeof *c->format);
		c->data = malloc(z->input[0].sample_bytes * (size_t)z->part.samples + 64);
		s = c->narrow && c->best_narrow && c->format && c->data ? LT_OK : lt_fail(z->ctx, LT_ENOMEM, "out of memory");
	}
	lt__phase(&z->phases, "finding ranges");
	s = s ? s : find_ranges(c);
	if (!s && !(c->numbers = calloc((size_t)(z->row_results * z->classes * z->part.samples) + 1, sizeof *c->numbers)))
		s = lt_fail(z->ctx, LT_ENOMEM, "out of memory");
	s = s ? s : choose(c);
	lt__interrupt_hold(!s);
	s = s ? s : write_best(c);
	free(folder);
	return s;
}

lt_status quantize_compat(struct quantizing *z)
{
	struct compating c = { .z = z };
	z->chunk = 1;
	z->part.n_chunk = z->part.samples;
	const lt_status s = work(&c);
	lt__phase(&z->phases, NULL);
	if (!s && !z->o.quiet)
		say(&c);
	quantize_program_free(&c.program);
	free(c.narrow);
	free(c.best_narrow);
	free(c.format);
	free(c.data);
	free(c.numbers);
	lt__sd_model_free(c.m);
	return s;
}
