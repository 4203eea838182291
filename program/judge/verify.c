/* verify.c -- the judge as lt/verify.h has it: what a graph asks for in the order of its bindings, states that are
 * followed from run to run, and the report as text. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include "lt/verify.h"
#include "program/explain/explain.h"
#include "program/judge/judge.h"

struct lt_verifier {
	const struct lt_graph *g;
	const struct lt_program *p;             /* NULL: none */
	struct lt_arena *arena;                 /* of what follows */
	struct lt_bindings bindings[LT_NBINDING];
	lt_node *node[LT_BINDING_RESULT];       /* by kind and number */
	const void **source;                    /* by node of the graph */
	const void **given[LT_BINDING_RESULT];  /* the same by kind and number */
	/* By node of the program's graph, NULL without a program: the same; whether readers compute it for themselves. */
	const void **program_source;
	bool *again;
	/* By number: what the last evaluation began with, and may read again; what the next one will, where is_after. */
	void **state, **after;
	bool *is_after;
	struct lt_judge_options options;
	struct lt_unrounded unrounded;
	struct lt_report report;
	struct lt_judge *judge;                 /* of the last inputs; NULL: none yet */
	struct lt_kernel_judge *kernels;        /* of the values that were seen since; NULL: none were */
	bool allow_open;
	char name[80];
	struct lt_verified out;
};

/* -- made and freed -- */

static void fill_nodes(struct lt_verifier *v)
{
	static const enum lt_opcode op_of[] = { LT_OP_input, LT_OP_constant, LT_OP_state };
	for (int kind = 0; kind < LT_BINDING_RESULT; kind++) {
		int32_t i = 0;
		v->node[kind] = LT_NEW(v->arena, lt_node, v->bindings[kind].n + 1);
		v->given[kind] = LT_NEW(v->arena, const void *, v->bindings[kind].n + 1);
		for (lt_node n = 0; n < v->g->n_node; n++)
			if (v->g->node[n].op == op_of[kind])
				v->node[kind][i++] = n;
	}
}

static void source_is(struct lt_verifier *v, enum lt_binding kind, int32_t i, const void *data)
{
	v->source[v->node[kind][i]] = v->given[kind][i] = data;
}

struct verifier_request { struct lt_verifier *v; const void *const *constant; };

static lt_status verifier_fill(void *arg)
{
	const struct verifier_request *q = arg;
	struct lt_verifier *v = q->v;
	const struct lt_bindings *constants = &v->bindings[LT_BINDING_CONSTANT], *states = &v->bindings[LT_BINDING_STATE];
	LT_TRY(lt__bindings_fill(v->g, v->arena, v->bindings));
	fill_nodes(v);
	v->source = LT_NEW(v->arena, const void *, v->g->n_node + 1);
	if (v->p) {
		v->program_source = LT_NEW(v->arena, const void *, v->p->base->n_node + 1);
		v->again = lt__computed_again(v->p, v->arena);
	}
	v->state = LT_NEW(v->arena, void *, states->n + 1);
	v->after = LT_NEW(v->arena, void *, states->n + 1);
	v->is_after = LT_NEW(v->arena, bool, states->n + 1);
	for (int32_t i = 0; i < constants->n; i++)
		source_is(v, LT_BINDING_CONSTANT, i, q->constant && q->constant[i] ? q->constant[i]
			: v->p ? v->p->constants.data[i] : v->g->node[v->node[LT_BINDING_CONSTANT][i]].content);
	LT_TRY(lt__bindings_missing(v->g->ctx, constants, v->given[LT_BINDING_CONSTANT], NULL, "constant"));
	for (int32_t i = 0; i < states->n; i++) {
		v->state[i] = lt__arena_alloc(v->arena, states->at[i].bytes + 1);
		source_is(v, LT_BINDING_STATE, i, v->state[i]);
	}
	return v->p ? lt__program_unrounded(v->p, v->g, &v->unrounded) : LT_OK;
}

/* The program is one that the verifier's calls can look into. */
static lt_status check_program(const struct lt_graph *g, const struct lt_program *p)
{
	static const enum lt_opcode op_of[] = { LT_OP_input, LT_OP_constant, LT_OP_state };
	if (!p)
		return LT_OK;
	if (p->ctx != g->ctx)
		return lt_fail(g->ctx, LT_EINVAL, "the program belongs to another context than the graph; compile it in the graph's");
	if (p->options.on_device)
		return lt_fail(g->ctx, LT_EINVAL, "the program was compiled with on_device '%s': inputs and results are judged on "
			"the host; compile it without", p->options.on_device);
	for (int kind = 0; kind < LT_BINDING_RESULT; kind++) {
		int32_t n = 0;
		for (lt_node i = 0; i < g->n_node; i++)
			n += g->node[i].op == op_of[kind];
		if (n != p->bindings[kind].n)
			return lt_fail(g->ctx, LT_EINVAL, "the program was not compiled of this graph: that has %d %s%s, the program %d",
				(int)n, (const char *[]){ "input", "constant", "state" }[kind], n == 1 ? "" : "s", (int)p->bindings[kind].n);
	}
	return p->bindings[LT_BINDING_RESULT].n == g->n_result ? LT_OK : lt_fail(g->ctx, LT_EINVAL,
		"the program was not compiled of this graph: that has %d result%s, the program %d", (int)g->n_result,
		g->n_result == 1 ? "" : "s", (int)p->bindings[LT_BINDING_RESULT].n);
}

lt_status lt_verifier_new(const struct lt_graph *g, const struct lt_program *p, const void *const *constant,
	const struct lt_verify_options *given, struct lt_verifier **out)
{
	struct lt_verify_options o = { 0 };
	*out = NULL;
	if (given)
		memcpy(&o, given, given->size < sizeof o ? given->size : sizeof o);
	LT_TRY(check_program(g, p));
	struct lt_verifier *v = lt__context_realloc(g->ctx, NULL, 0, sizeof *v);
	if (!v)
		return lt_fail(g->ctx, LT_ENOMEM, "out of memory");
	*v = (struct lt_verifier){ .g = g, .p = p, .allow_open = o.allow_open };
	struct verifier_request q = { v, constant };
	lt_status st = lt__arena_new(g->ctx, &v->arena);
	if (!st)
		st = lt__protect(g->ctx, verifier_fill, &q);
	if (st) {
		lt_verifier_free(v);
		return st;
	}
	v->options = (struct lt_judge_options){ .seed = o.seed ? o.seed : 1,
		.allows = p ? lt__program_allows(p) : 0,
		.unrounded = v->unrounded.may,
		.rounded = v->unrounded.rounded,
		.n_thread = o.n_thread ? o.n_thread : lt__processors(),
		.parallel = lt__host_on_threads,
		.progress = o.progress,
		.user = o.user };
	*out = v;
	return LT_OK;
}

void lt_verifier_free(struct lt_verifier *v)
{
	if (!v)
		return;
	lt__kernel_judge_free(v->kernels);
	lt__judge_free(v->judge);
	lt__unrounded_free(&v->unrounded);
	lt__arena_free(v->arena);
	lt__context_realloc(v->g->ctx, v, sizeof *v, 0);
}

void lt_verifier_name(struct lt_verifier *v, const char *name)
{
	(void)snprintf(v->name, sizeof v->name, "%s", name ? name : "");
	v->report.when = v->name[0] ? v->name : NULL;
}

/* -- of one run -- */

static lt_status number_fail(const struct lt_verifier *v, const char *kind, int32_t i, int32_t n)
{
	return lt_fail(v->g->ctx, LT_EINVAL, "there is no %s %d; the graph has %d", kind, (int)i, (int)n);
}

struct state_room { struct lt_verifier *v; int32_t i; };

static lt_status make_room(void *arg)
{
	const struct state_room *x = arg;
	struct lt_verifier *v = x->v;
	v->after[x->i] = lt__arena_alloc_unset(v->arena, v->bindings[LT_BINDING_STATE].at[x->i].bytes + 1);
	return LT_OK;
}

/* What the next evaluation begins with. */
static lt_status state_is(struct lt_verifier *v, int32_t i, const void *data)
{
	struct state_room x = { v, i };
	if (!v->after[i])
		LT_TRY(lt__protect(v->g->ctx, make_room, &x));
	memcpy(v->after[i], data, v->bindings[LT_BINDING_STATE].at[i].bytes);
	v->is_after[i] = true;
	return LT_OK;
}

static void take_states(struct lt_verifier *v)
{
	for (int32_t i = 0; i < v->bindings[LT_BINDING_STATE].n; i++)
		if (v->is_after[i]) {
			void *before = v->state[i];
			v->state[i] = v->after[i];
			source_is(v, LT_BINDING_STATE, i, v->state[i]);
			v->after[i] = before;
			v->is_after[i] = false;
		}
}

static void forget_values(struct lt_verifier *v)
{
	lt__kernel_judge_free(v->kernels);
	v->kernels = NULL;
}

lt_status lt_verifier_evaluate(struct lt_verifier *v, const void *const *input)
{
	const struct lt_bindings *inputs = &v->bindings[LT_BINDING_INPUT];
	lt__judge_free(v->judge);
	v->judge = NULL;
	forget_values(v);
	take_states(v);
	if (inputs->n > 0)
		LT_TRY(input ? lt__bindings_missing(v->g->ctx, inputs, input, NULL, "input")
			: lt_fail(v->g->ctx, LT_EMISSING, "no inputs are given"));
	for (int32_t i = 0; i < inputs->n; i++)
		source_is(v, LT_BINDING_INPUT, i, input[i]);
	return lt__judge_new(v->g, v->source, &v->options, &v->judge);
}

static lt_status evaluated(const struct lt_verifier *v)
{
	return v->judge ? LT_OK : lt_fail(v->g->ctx, LT_EINVAL, "there is no reference yet: call lt_verifier_evaluate");
}

const void *lt_verifier_reference(const struct lt_verifier *v, int32_t i)
{
	return v->judge && i >= 0 && i < v->g->n_result ? lt_eval_result(lt__judge_reference(v->judge), i, NULL) : NULL;
}

const void *lt_verifier_reference_state(const struct lt_verifier *v, int32_t i)
{
	if (!v->judge || i < 0 || i >= v->bindings[LT_BINDING_STATE].n)
		return NULL;
	for (int32_t k = 0; k < v->g->n_set; k++)
		if (v->g->set[k].state == v->node[LT_BINDING_STATE][i])
			return lt_eval_state(lt__judge_reference(v->judge), k, NULL);
	return v->state[i];                     /* nothing sets it */
}

int64_t lt_verifier_extent(const struct lt_verifier *v, enum lt_binding kind, int32_t i, int32_t axis)
{
	if (!v->judge || (unsigned)kind >= LT_NBINDING || i < 0 || i >= v->bindings[kind].n)
		return 0;
	const struct lt_nodedef *d = &v->g->node[kind == LT_BINDING_RESULT ? v->g->result[i].node : v->node[kind][i]];
	return axis >= 0 && axis < d->n_dim ? lt_eval_extent(lt__judge_reference(v->judge), d->dim[axis]) : 0;
}

lt_status lt_verifier_explained(struct lt_verifier *v, int32_t i, double *norm)
{
	*norm = 0;
	LT_TRY(evaluated(v));
	return i >= 0 && i < v->g->n_result ? lt__judge_allowed(v->judge, i, norm)
		: number_fail(v, "result", i, v->g->n_result);
}

lt_status lt_verifier_result(struct lt_verifier *v, int32_t i, const void *data)
{
	LT_TRY(evaluated(v));
	return i >= 0 && i < v->g->n_result ? lt__judge_result(v->judge, i, data, &v->report)
		: number_fail(v, "result", i, v->g->n_result);
}

lt_status lt_verifier_set_state(struct lt_verifier *v, int32_t i, const void *data)
{
	const struct lt_bindings *states = &v->bindings[LT_BINDING_STATE];
	return i >= 0 && i < states->n ? state_is(v, i, data) : number_fail(v, "state", i, states->n);
}

lt_status lt_verifier_state(struct lt_verifier *v, int32_t i, const void *data)
{
	const struct lt_bindings *states = &v->bindings[LT_BINDING_STATE];
	LT_TRY(evaluated(v));
	if (i < 0 || i >= states->n)
		return number_fail(v, "state", i, states->n);
	LT_TRY(lt__judge_state(v->judge, v->node[LT_BINDING_STATE][i], data, &v->report));
	return state_is(v, i, data);
}

/* -- of kernels that somebody else runs -- */

static lt_status begin_values(struct lt_verifier *v)
{
	lt__kernel_judge_sources(v->p, (const void *const *const *)v->given, v->program_source);
	return lt__kernel_judge_new(v->p, v->program_source, &v->options, &v->kernels);
}

lt_status lt_verifier_value(struct lt_verifier *v, lt_node n, int32_t kernel, const void *data)
{
	const struct lt_program *p = v->p;
	LT_TRY(evaluated(v));
	if (!p)
		return lt_fail(v->g->ctx, LT_EINVAL, "a verifier without a program has no kernels");
	if (n < 0 || n >= p->base->n_node)
		return lt_fail(v->g->ctx, LT_EINVAL, "there is no value %d; the program's graph has %d", (int)n,
			(int)p->base->n_node);
	if (kernel < 0 || kernel >= p->nests.n)
		return lt_fail(v->g->ctx, LT_EINVAL, "there is no kernel %d; the program has %d", (int)kernel, (int)p->nests.n);
	if (!v->kernels)
		LT_TRY(begin_values(v));
	return lt__kernel_judge_see(v->kernels, &(struct lt_seen){ .base = n, .kernel = p->nests.frozen[kernel].tree.name,
		.again = v->again[n], .elems = lt__node_elems(p->base, n) }, data);
}

lt_status lt_verifier_values(struct lt_verifier *v)
{
	LT_TRY(evaluated(v));
	const lt_status st = v->kernels ? lt__kernel_judge_end(v->kernels, &v->report) : LT_OK;
	forget_values(v);
	return st;
}

/* -- of an instance -- */

static lt_status instance_fail(const struct lt_verifier *v, const struct lt_instance *r)
{
	return lt_fail(v->g->ctx, lt_instance_code(r), "%-s", lt_instance_message(r));
}

static lt_status check_instance(const struct lt_verifier *v, const struct lt_instance *r)
{
	return v->p && r->program == v->p ? LT_OK : lt_fail(v->g->ctx, LT_EINVAL,
		"the instance is not of the program that lt_verifier_new was given");
}

lt_status lt_verifier_states(struct lt_verifier *v, struct lt_instance *r)
{
	LT_TRY(check_instance(v, r));
	for (int32_t i = 0; i < v->bindings[LT_BINDING_STATE].n; i++) {
		const void *now = lt_instance_state(r, i);
		if (!now)
			return instance_fail(v, r);
		LT_TRY(state_is(v, i, now));
	}
	return LT_OK;
}

lt_status lt_verifier_kernels(
	struct lt_verifier *v, struct lt_instance *r, const void *const *input, void *const *result)
{
	LT_TRY(check_instance(v, r));
	return lt__judge_instance(r, input, result, &v->options, &v->report);
}

static lt_status results_of(struct lt_verifier *v, const struct lt_instance *r, const void *const *result)
{
	for (int32_t i = 0; i < v->g->n_result; i++) {
		for (int32_t d = 0; d < v->bindings[LT_BINDING_RESULT].at[i].rank; d++) {
			const int64_t want = lt_verifier_extent(v, LT_BINDING_RESULT, i, d), got = lt_instance_extent(r, i, d);
			if (want != got)
				return lt_fail(v->g->ctx, LT_EDEVICE, "'%s' has extent %lld on axis %d, the reference %lld",
					v->g->result[i].name, (long long)got, (int)d, (long long)want);
		}
		LT_TRY(lt_verifier_result(v, i, result[i]));
	}
	return LT_OK;
}

/* What nothing reads is not kept, and not judged. */
static lt_status states_of(struct lt_verifier *v, struct lt_instance *r)
{
	for (int32_t i = 0; i < v->bindings[LT_BINDING_STATE].n; i++) {
		const void *got = lt_instance_state(r, i);
		if (!got)
			return instance_fail(v, r);
		LT_TRY(lt_program_needs(v->p, LT_BINDING_STATE, i) ? lt_verifier_state(v, i, got) : state_is(v, i, got));
	}
	return LT_OK;
}

lt_status lt_verifier_results(
	struct lt_verifier *v, struct lt_instance *r, const void *const *input, const void *const *result)
{
	LT_TRY(check_instance(v, r));
	lt_status st = lt_verifier_evaluate(v, input);
	if (st && !lt__is_end(st))
		return lt_fail(v->g->ctx, LT_EDEVICE, "the reference refuses what was run: %-s", lt_context_message(v->g->ctx));
	LT_TRY(st);
	LT_TRY(results_of(v, r, result));
	return states_of(v, r);
}

lt_status lt_verifier_run(
	struct lt_verifier *v, struct lt_instance *r, const void *const *input, void *const *result)
{
	LT_TRY(lt_verifier_states(v, r));
	LT_TRY(lt_verifier_kernels(v, r, input, result));
	/* What a run leaves out must not look right because the one before wrote it. */
	for (int32_t i = 0; i < v->g->n_result; i++)
		memset(result[i], 0xff, v->bindings[LT_BINDING_RESULT].at[i].bytes);
	return lt_instance_run(r, input, result) ? instance_fail(v, r)
		: lt_verifier_results(v, r, input, (const void *const *)result);
}

/* -- the report -- */

void lt_verifier_clear(struct lt_verifier *v)
{
	v->report = (struct lt_report){ .when = v->name[0] ? v->name : NULL };
}

const struct lt_verified *lt_verifier_report(struct lt_verifier *v)
{
	const struct lt_report *r = &v->report;
	v->out = (struct lt_verified){ .size = sizeof v->out,
		.verdict = lt__report_failed(r) ? LT_VERDICT_FAILED
			: r->open > 0 && !v->allow_open ? LT_VERDICT_OPEN : LT_VERDICT_PASSED,
		.first = r->first, .open_at = r->open_at, .left = r->left,
		.elements = r->elements, .equal = r->equal, .judged = r->judged, .open = r->open, .wrong = r->wrong,
		.kernels = r->kernels, .values = r->values, .kernel_elements = r->kernel_elements,
		.kernel_equal = r->kernel_equal, .kernel_judged = r->kernel_judged, .kernel_left = r->kernel_left,
		.kernel_wrong = r->kernel_wrong,
		.runs = r->runs, .widened = LT_JUDGE_NOISE * LT_JUDGE_WIDEN, .norm_wrong = r->norm_wrong,
		.absolute = r->absolute.value, .absolute_at = r->absolute.at,
		.relative = r->relative.value, .relative_at = r->relative.at,
		.noise = r->noise.value, .noise_at = r->noise.at,
		.bound = r->bound.value, .bound_at = r->bound.at,
		.norm = r->norm.value, .norm_at = r->norm.at, .norm_explained = r->norm_explained,
		.tf32 = (v->options.allows & LT_ALLOW_TF32) != 0, .n_unrounded = (uint32_t)v->unrounded.n,
		.n_added = (uint32_t)v->unrounded.n_added };
	return &v->out;
}

/* Where the text of a report goes; a piece of it has at most two places in it, of 200 bytes each. */
struct verified_text { lt_write *write; void *user; };

__attribute__((format(printf, 2, 3)))
static void verified_add(const struct verified_text *x, const char *fmt, ...)
{
	char text[1024];
	va_list args;
	va_start(args, fmt);
	const int n = vsnprintf(text, sizeof text, fmt, args);
	va_end(args);
	if (n > 0)
		x->write(x->user, text, (size_t)n < sizeof text ? (size_t)n : sizeof text - 1);
}

static void add_largest(const struct verified_text *x, const char *what, double value, const char *at)
{
	verified_add(x, "%s %.3g%s%s", what, value, value > 0 ? " at " : "", at);
}

static const char *many(int64_t n) { return n == 1 ? "" : "s"; }

static void add_tests(const struct verified_text *x, const struct lt_verified *f)
{
	if (f->tf32)
		verified_add(x, "  allowed: factors of float32 in products may have 10 bits of their fraction (tf32)\n");
	if (f->n_unrounded)
		verified_add(x, "  allowed: %u rounding%s between operators may be left out by the routines that do them\n",
			(unsigned)f->n_unrounded, many(f->n_unrounded));
	if (f->n_added)
		verified_add(x, "  allowed: %u rounding%s that the graph has not, of probabilities that multiply halves\n",
			(unsigned)f->n_added, many(f->n_added));
	verified_add(x, "  kernels: %lld value%s of %lld kernel%s, %lld element%s: %lld equal, %lld within the bound of "
		"their kernel, %lld wrong", (long long)f->values, many(f->values), (long long)f->kernels, many(f->kernels),
		(long long)f->kernel_elements, many(f->kernel_elements), (long long)f->kernel_equal, (long long)f->kernel_judged,
		(long long)f->kernel_wrong);
	add_largest(x, "; largest error/bound", f->bound, f->bound_at);
	if (f->kernel_left > 0)
		verified_add(x, "; %lld left to the next test because their bound says nothing, such as some of %s",
			(long long)f->kernel_left, f->left);
	verified_add(x, "\n  noise:   %lld run%s with random errors, widened %lld times: %lld within, %lld wrong, %lld open",
		(long long)f->runs, many(f->runs), (long long)f->widened, (long long)f->judged, (long long)f->wrong,
		(long long)f->open);
	add_largest(x, "; largest error/tolerance", f->noise, f->noise_at);
	verified_add(x, "\n  norm:    largest relative error %.3g", f->norm);
	if (f->norm > 0)
		verified_add(x, ", of %s; rounding explains %.3g", f->norm_at, f->norm_explained);
	verified_add(x, "\n");
}

void lt_verified_print(const struct lt_verified *f, int brief, lt_write *write, void *user)
{
	static const char *const word[] = { "passed", "FAILED", "not verified" };
	const struct verified_text x = { write, user };
	verified_add(&x, "verify: %s", (unsigned)f->verdict < 3 ? word[f->verdict] : "?");
	if (f->open > 0)
		verified_add(&x, ", %lld not judged", (long long)f->open);
	verified_add(&x, ": %lld element%s compared, %lld equal", (long long)f->elements, many(f->elements),
		(long long)f->equal);
	add_largest(&x, "; largest absolute error", f->absolute, f->absolute_at);
	add_largest(&x, "; largest relative error", f->relative, f->relative_at);
	verified_add(&x, "\n");
	if (!brief)
		add_tests(&x, f);
}
