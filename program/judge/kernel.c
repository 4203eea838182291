/* kernel.c -- each kernel by itself: what the oracle computes from the values that the backend really left
 * in memory.
 *
 * The nodes of the optimised graph that are whole in memory cut it into parts; each part is what one kernel (or a few,
 * where one packs or adds up parts for the next) computes, and the rigorous bound spans that part alone.  A value that
 * a reader computes for itself, too (a clone), is no such cut: the bound of what reads it has its own in it.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "program/judge/judge.h"
#include "program/judge/parts.h"
#include "program/explain/explain.h"

struct lt_kernel_judge {
	const struct lt_program *p;
	const void *const *source;
	struct lt_judge_options o;
	void **left;                    /* by node of the optimised graph: what the backend left; ours */
	/* By node: what its readers read.  NULL: nothing is left, or some of them compute it for themselves, perhaps by
	 * another form of a function.  For all of them stands what the oracle computes, with its bound. */
	const void **given;
	const char **kernel;            /* by node: the kernel that wrote it */
	lt_node *want;
	int32_t n_want;
	struct lt_report *report;       /* during lt__kernel_judge_end */
};

lt_status lt__kernel_judge_new(
	const struct lt_program *p, const void *const *source, const struct lt_judge_options *o, struct lt_kernel_judge **out)
{
	size_t n = (size_t)p->base->n_node + 1;
	struct lt_kernel_judge *k = *out = calloc(1, sizeof *k);
	if (!k)
		return lt_fail(p->ctx, LT_ENOMEM, "out of memory");
	*k = (struct lt_kernel_judge){ .p = p,
		.source = source,
		.left = calloc(n, sizeof *k->left),
		.given = calloc(n, sizeof *k->given),
		.kernel = calloc(n, sizeof *k->kernel),
		.want = calloc(n, sizeof *k->want) };
	if (o)
		k->o = *o;
	if (k->left && k->given && k->kernel && k->want)
		return LT_OK;
	lt__kernel_judge_free(k);
	*out = NULL;
	return lt_fail(p->ctx, LT_ENOMEM, "out of memory");
}

void lt__kernel_judge_free(struct lt_kernel_judge *k)
{
	if (!k)
		return;
	for (int32_t i = 0; k->left && i < k->p->base->n_node; i++)
		free(k->left[i]);
	free(k->left);
	free(k->given);
	free(k->kernel);
	free(k->want);
	free(k);
}

lt_status lt__kernel_judge_see(void *user, const struct lt_seen *seen, const void *data)
{
	struct lt_kernel_judge *k = user;
	size_t bytes = (size_t)seen->elems * lt__dtype_info(k->p->base->node[seen->base].dtype)->bytes;
	if (!k->left[seen->base])
		k->want[k->n_want++] = seen->base;
	else
		free(k->left[seen->base]);
	k->left[seen->base] = malloc(bytes + 1);
	if (!k->left[seen->base])
		return lt_fail(k->p->ctx, LT_ENOMEM, "out of memory");
	if (bytes)
		memcpy(k->left[seen->base], data, bytes);
	k->given[seen->base] = seen->again ? NULL : k->left[seen->base];
	k->kernel[seen->base] = seen->kernel;
	return LT_OK;
}

static void report_wrong(
	struct lt_kernel_judge *k, lt_node n, int64_t flat, const void *value, double bound, int64_t wrong, int64_t all)
{
	const struct lt_graph *g = k->p->base;
	struct lt_report *r = k->report;
	char where[160], got[40], want[40];
	if (r->first[0])
		return;
	lt__judge_location(g, n, "", "", flat, r->when, where, sizeof where);
	snprintf(r->first, sizeof r->first,
		"kernel %s: %s is %s; from what the kernel read it is %s, give or take %.3g (%lld of %lld elements are "
		"wrong)",
		k->kernel[n], where, lt__element_text(k->left[n], flat, g->node[n].dtype, got, sizeof got),
		lt__element_text(value, flat, g->node[n].dtype, want, sizeof want), bound, (long long)wrong,
		(long long)all);
}

static lt_status judge_value(
	void *user, const struct lt_evaluation *e, lt_node n, const void *value, const double *error)
{
	struct lt_judge_work *work = user;
	struct lt_kernel_judge *k = work->user;
	struct lt_report *r = k->report;
	const struct lt_graph *g = k->p->base;
	enum lt_dtype t = g->node[n].dtype;
	int64_t at[LT_MAX_RANK] = { 0 }, flat = 0, wrong = 0, all = 0, first = -1, left = 0;
	r->values++;
	if (lt__is_empty(g, e, n))
		return LT_OK;
	double scale = lt__root_mean_square(g, e, n, value);
	do {
		double bound = error ? error[flat] : 0, size = lt__magnitude(value, flat, t);
		all++;
		if (lt__is_near(k->left[n], value, flat, t, 0)) {
			r->kernel_equal++;
			continue;
		}
		if (!isfinite(bound)
			|| (bound > LT_JUDGE_LOOSE * fmax(size, scale)
				&& lt__is_near(k->left[n], value, flat, t, bound))) {
			left++;
			continue;
		}
		double ratio = lt__distance(k->left[n], value, flat, t) / bound;
		if (!lt__is_near(k->left[n], value, flat, t, bound))
			first = wrong++ ? first : flat;
		else
			r->kernel_judged++;
		if (ratio > r->bound.value) {
			r->bound.value = ratio;
			lt__judge_location(g, n, "", "", flat, r->when, r->bound.at, sizeof r->bound.at);
		}
	} while (lt__next_element(g, e, n, at, &flat));
	r->kernel_elements += all;
	r->kernel_left += left;
	r->kernel_wrong += wrong;
	if (left && !r->left[0])
		snprintf(r->left, sizeof r->left, "%%%s of kernel %s%s", g->node[n].name, k->kernel[n], r->when ? r->when : "");
	if (wrong)
		report_wrong(k, n, first, value, error ? error[first] : 0, wrong, all);
	return LT_OK;
}

static int64_t count_kernels(const struct lt_kernel_judge *k)
{
	int64_t n = 0;
	for (int32_t i = 0; i < k->n_want; i++)         /* a kernel's values are next to each other */
		n += i == 0 || k->kernel[k->want[i]] != k->kernel[k->want[i - 1]];
	return n;
}

lt_status lt__kernel_judge_end(struct lt_kernel_judge *k, struct lt_report *r)
{
	struct lt_judge_work work = { .what = "kernels", .user = k };
	struct lt_eval_options eval = { .want_error = true,
		.allows = k->o.allows | lt__program_allows(k->p),
		.given = k->given,
		.want = k->want,
		.n_want = k->n_want,
		.done = judge_value };
	struct lt_unrounded unrounded;
	struct lt_evaluation *e;
	if (k->n_want == 0)
		return LT_OK;
	k->report = r;
	r->kernels += count_kernels(k);
	LT_TRY(lt__program_unrounded(k->p, k->p->base, &unrounded));
	eval.unrounded = unrounded.may;
	eval.rounded = unrounded.rounded;
	eval.call = unrounded.call;
	lt__judge_threads(&k->o, &work, &eval);
	lt_status st = lt_eval_with(k->p->base, k->source, &eval, &e);
	if (!st)
		lt_eval_free(e);
	lt__unrounded_free(&unrounded);
	return st;
}

void lt__kernel_judge_sources(
	const struct lt_program *p, const void *const *const given[LT_BINDING_RESULT], const void **source)
{
	static const enum lt_opcode op_of[] = { LT_OP_input, LT_OP_constant, LT_OP_state };
	for (lt_node n = 0; n < p->base->n_node; n++)
		for (int kind = 0; kind < LT_BINDING_RESULT; kind++) {
			const struct lt_nodedef *d = &p->base->node[n];
			const int32_t binding = d->op == op_of[kind]
				? lt_program_find(p, (enum lt_binding)kind, d->label ? d->label : d->name) : -1;
			if (binding >= 0)
				source[n] = given[kind][binding];
		}
}

/* -- an instance -- */

struct instance_work {
	struct lt_instance *r;
	void **state;                   /* by binding: its content before the run */
	const void **source;            /* by node of the optimised graph */
};

static size_t state_bytes(const struct lt_instance *r, int32_t i)
{
	return lt_program_bytes(r->program, LT_BINDING_STATE, i);
}

static bool keep_states(struct instance_work *w)
{
	for (int32_t i = 0; i < lt_program_count(w->r->program, LT_BINDING_STATE); i++) {
		const void *now = lt_instance_state(w->r, i);
		w->state[i] = now ? malloc(state_bytes(w->r, i) + 1) : NULL;
		if (!w->state[i])
			return false;
		memcpy(w->state[i], now, state_bytes(w->r, i));
	}
	return true;
}

static lt_status restore_states(struct instance_work *w)
{
	for (int32_t i = 0; i < lt_program_count(w->r->program, LT_BINDING_STATE); i++) {
		void *now = lt_instance_state(w->r, i);
		if (!now)
			return lt_instance_code(w->r);
		memcpy(now, w->state[i], state_bytes(w->r, i));
	}
	return LT_OK;
}

lt_status lt__judge_instance(struct lt_instance *r, const void *const *input, void *const *result,
	const struct lt_judge_options *o, struct lt_report *report)
{
	struct lt_program *p = r->program;
	int32_t n_state = lt_program_count(p, LT_BINDING_STATE);
	struct instance_work w = { .r = r, .state = calloc((size_t)n_state + 1, sizeof *w.state),
		.source = calloc((size_t)p->base->n_node + 1, sizeof *w.source) };
	struct lt_kernel_judge *k = NULL;
	lt_status st = w.state && w.source && keep_states(&w) ? LT_OK : lt_fail(p->ctx, LT_ENOMEM, "out of memory");
	if (!st) {
		lt__kernel_judge_sources(p, (const void *const *const[]){ [LT_BINDING_INPUT] = input,
			[LT_BINDING_CONSTANT] = p->constants.data, [LT_BINDING_STATE] = (const void *const *)w.state }, w.source);
		st = lt__kernel_judge_new(p, w.source, o, &k);
	}
	if (!st) {
		lt_context_clear(&r->ctx);
		st = lt__instance_observe(r, input, result, lt__kernel_judge_see, k);
		if (st && lt_instance_code(r))          /* its own failure, not the judge's */
			(void)lt_fail(p->ctx, st, "%s", lt_instance_message(r));
		lt_status back = restore_states(&w);
		st = st ? st : back;
	}
	if (!st)
		st = lt__kernel_judge_end(k, report);
	lt__kernel_judge_free(k);
	for (int32_t i = 0; w.state && i < n_state; i++)
		free(w.state[i]);
	free(w.state);
	free(w.source);
	return st;
}
