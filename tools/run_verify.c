/* tools/run_verify.c -- the program against the oracle: every result, every state, every evaluation.
 *
 * The oracle (ir/eval.h) evaluates the parsed graph, before any pass, and bounds for each element what rounding may do
 * to it.  Its states are its own copy: zeros at first, then what the program's states were when they were last compared,
 * so that each evaluation is judged by itself and a state that changes between two is found.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "ir/eval.h"
#include "tools/run.h"

struct run_verify {
	const void **source;            /* by node of the graph */
	void **state;                   /* by port: the oracle's own */
	lt_var *dim;
	bool failed;
	int64_t compared, differing, unbounded;
	double absolute, relative, ratio;       /* the largest: error, error over value, error over bound */
	char absolute_at[160], relative_at[160], ratio_at[160], first[400];
};
/* One tensor of the program beside the oracle's. */
struct pair {
	const struct run_port *port;
	const void *mine, *want;
	const double *bound;            /* NULL: every bit must be equal */
	int64_t evaluation;
	bool several;
};

static size_t state_bytes(const struct run_port *p)
{
	size_t bytes = 0;

	lt__tensor_bytes(p->dtype, p->rank, p->shape, &bytes);
	return bytes;
}

int run_verify_begin(struct run *r)
{
	struct run_verify *v = r->verify = calloc(1, sizeof *v);
	const struct run_ports *states = &r->port[LT_PORT_STATE], *constants = &r->port[LT_PORT_CONSTANT];

	if (!v)
		return run_failed("out of memory");
	v->source = calloc((size_t)r->graph->n_node + 1, sizeof *v->source);
	v->state = calloc((size_t)states->n + 1, sizeof *v->state);
	if (!v->source || !v->state)
		return run_failed("out of memory");
	for (int32_t i = 0; i < constants->n; i++)
		v->source[constants->at[i].node] = r->given.constant.value[i] ? r->given.constant.value[i]->data : NULL;
	for (int32_t i = 0; i < states->n; i++) {
		v->state[i] = calloc(1, state_bytes(&states->at[i]) + 1);
		if (!v->state[i])
			return run_failed("out of memory");
		v->source[states->at[i].node] = v->state[i];
	}
	return RUN_OK;
}

void run_verify_free(struct run *r)
{
	if (!r->verify)
		return;
	for (int32_t i = 0; r->verify->state && i < r->port[LT_PORT_STATE].n; i++)
		free(r->verify->state[i]);
	free(r->verify->state);
	free(r->verify->source);
	free(r->verify);
	r->verify = NULL;
}

static const char *place_text(const struct pair *p, int64_t at, char *out, size_t bytes)
{
	size_t n = (size_t)snprintf(out, bytes, "%s%s[", p->port->kind == LT_PORT_STATE ? "state " : "", p->port->name);
	int64_t rest = at, stride = 1;

	for (int32_t d = 1; d < p->port->rank; d++)
		stride *= p->port->shape[d];
	for (int32_t d = 0; d < p->port->rank && n + 30 < bytes; d++) {
		n += (size_t)snprintf(out + n, bytes - n, d ? ", %lld" : "%lld", (long long)(rest / stride));
		rest %= stride;
		stride /= d + 1 < p->port->rank ? p->port->shape[d + 1] : 1;
	}
	n += (size_t)snprintf(out + n, bytes - n, "]");
	if (p->several && n < bytes)
		snprintf(out + n, bytes - n, " of evaluation %lld", (long long)p->evaluation);
	return out;
}

static void tell_first(struct run_verify *v, const struct pair *p, int64_t at, const char *mine, const char *want, double bound)
{
	char where[160];

	v->failed = true;
	if (v->differing++ == 0)
		snprintf(v->first, sizeof v->first, "%s is %s, the reference has %s, give or take %.3g",
			place_text(p, at, where, sizeof where), mine, want, bound);
}

static void compare_float(struct run_verify *v, const struct pair *p, int64_t at)
{
	double a = lt__load(p->mine, at, p->port->dtype).f, b = lt__load(p->want, at, p->port->dtype).f;
	double bound = p->bound ? p->bound[at] : 0, error, relative;
	char mine[32], want[32];

	if ((isnan(a) && isnan(b)) || a == b)
		return;
	if (isnan(bound) || isinf(bound)) {
		v->unbounded++;
		return;
	}
	error = lt__float_distance(a, b, p->port->dtype);
	if (!(error <= bound)) {
		snprintf(mine, sizeof mine, "%.9g", a);
		snprintf(want, sizeof want, "%.9g", b);
		tell_first(v, p, at, mine, want, bound);
	}
	relative = b != 0 && isfinite(b) ? error / fabs(b) : 0;
	if (error > v->absolute) {
		v->absolute = error;
		place_text(p, at, v->absolute_at, sizeof v->absolute_at);
	}
	if (relative > v->relative) {
		v->relative = relative;
		place_text(p, at, v->relative_at, sizeof v->relative_at);
	}
	if (error / bound > v->ratio) {
		v->ratio = error / bound;
		place_text(p, at, v->ratio_at, sizeof v->ratio_at);
	}
}

/* Integers and bools are exact unless a float's rounding may have decided them. */
static void compare_int(struct run_verify *v, const struct pair *p, int64_t at)
{
	int64_t a = lt__load(p->mine, at, p->port->dtype).i, b = lt__load(p->want, at, p->port->dtype).i;
	double bound = p->bound ? p->bound[at] : 0, error;
	char mine[32], want[32];

	if (a == b)
		return;
	if (isnan(bound) || isinf(bound)) {
		v->unbounded++;
		return;
	}
	error = fabs((double)a - (double)b);
	if (!(error <= bound)) {
		snprintf(mine, sizeof mine, "%lld", (long long)a);
		snprintf(want, sizeof want, "%lld", (long long)b);
		tell_first(v, p, at, mine, want, bound);
	}
	if (error > v->absolute) {
		v->absolute = error;
		place_text(p, at, v->absolute_at, sizeof v->absolute_at);
	}
}

/* Elements beyond an actual extent have no meaning and are passed over. */
static void compare(struct run_verify *v, const struct pair *p, const int64_t *extent)
{
	bool is_float = lt__dtype_info(p->port->dtype)->cls == LT_CLASS_FLOAT;
	int64_t n = 1;

	for (int32_t d = 0; d < p->port->rank; d++)
		n *= p->port->shape[d];
	for (int64_t at = 0; at < n; at++) {
		int64_t rest = at;
		bool inside = true;

		for (int32_t d = p->port->rank - 1; extent && d >= 0; d--) {
			inside &= rest % p->port->shape[d] < extent[d];
			rest /= p->port->shape[d];
		}
		if (!inside)
			continue;
		v->compared++;
		if (is_float)
			compare_float(v, p, at);
		else
			compare_int(v, p, at);
	}
}

static int compare_results(struct run *r, const struct lt_evaluation *e, struct pair p)
{
	const struct run_ports *results = &r->port[LT_PORT_RESULT];
	int code = RUN_OK;

	for (int32_t i = 0; i < results->n && code == RUN_OK; i++) {
		const struct lt_nodedef *node = &r->graph->node[results->at[i].node];
		int64_t *extent = malloc((size_t)node->n_dim * sizeof *extent + 1);

		p.port = &results->at[i];
		p.mine = r->output[i];
		p.want = lt_eval_result(e, i, &p.bound);
		for (int32_t d = 0; extent && d < node->n_dim; d++) {
			extent[d] = lt_eval_extent(e, node->dim[d]);
			if (extent[d] != lt_instance_extent(r->instance, i, d))
				code = run_failed("verification failed: '%s' has extent %lld on axis %d, the reference %lld", p.port->name,
					(long long)lt_instance_extent(r->instance, i, d), d, (long long)extent[d]);
		}
		if (extent && code == RUN_OK)
			compare(r->verify, &p, p.port->bounded ? extent : NULL);
		free(extent);
	}
	return code;
}

static int compare_states(struct run *r, const struct lt_evaluation *e, struct pair p)
{
	struct run_verify *v = r->verify;
	const struct run_ports *states = &r->port[LT_PORT_STATE];

	for (int32_t i = 0; i < states->n; i++) {
		/* What nothing reads is not kept. */
		if (!lt_program_needs(r->program, LT_PORT_STATE, i))
			continue;
		p.port = &states->at[i];
		p.mine = lt_instance_state(r->instance, i);
		if (!p.mine)
			return run_status(r, lt_context_code(r->ctx), "fetching a state");
		p.want = v->state[i];
		p.bound = NULL;
		for (int32_t k = 0; k < r->graph->n_set; k++)
			if (r->graph->set[k].state == p.port->node)
				p.want = lt_eval_state(e, k, &p.bound);
		compare(v, &p, NULL);
	}
	for (int32_t i = 0; i < states->n; i++) {
		const void *now = lt_instance_state(r->instance, i);

		if (!now)
			return run_status(r, lt_context_code(r->ctx), "fetching a state");
		memcpy(v->state[i], now, state_bytes(&states->at[i]));
	}
	return RUN_OK;
}

int run_verify_compare(struct run *r, int64_t evaluation)
{
	struct run_verify *v = r->verify;
	struct pair p = { .evaluation = evaluation, .several = r->o.runs * r->given.n_input > 1 };
	const struct run_ports *inputs = &r->port[LT_PORT_INPUT];
	struct lt_evaluation *e = NULL;
	lt_status s;
	int code;

	for (int32_t i = 0; i < inputs->n; i++)
		v->source[inputs->at[i].node] = r->input[i];
	s = lt_eval(r->graph, v->source, true, &e);
	if (s)
		return run_failed("verification failed: the reference refuses what was run: %s", lt_context_message(r->ctx));
	code = compare_results(r, e, p);
	if (code == RUN_OK)
		code = compare_states(r, e, p);
	lt_eval_free(e);
	return code;
}

int run_verify_end(struct run *r)
{
	struct run_verify *v = r->verify;

	if (r->json) {
		json_t *o = json_pack("{s:b,s:I,s:I,s:I,s:o,s:s,s:o,s:s,s:o,s:s}", "passed", !v->failed, "compared", (json_int_t)v->compared,
			"differing", (json_int_t)v->differing, "unbounded", (json_int_t)v->unbounded, "largest_absolute_error",
			run_json_number(v->absolute), "largest_absolute_error_at", v->absolute_at, "largest_relative_error",
			run_json_number(v->relative), "largest_relative_error_at", v->relative_at, "largest_error_over_bound",
			run_json_number(v->ratio), "largest_error_over_bound_at", v->ratio_at);

		json_object_set_new(r->json, "verify", o);
	} else if (!r->o.quiet || v->failed) {
		printf("verify: %s: %lld element%s compared; largest absolute error %.3g%s%s; largest relative error %.3g%s%s; "
			"largest error/bound %.3g%s%s", v->failed ? "FAILED" : "passed", (long long)v->compared, run_s(v->compared), v->absolute,
			v->absolute > 0 ? " at " : "", v->absolute_at, v->relative, v->relative > 0 ? " at " : "", v->relative_at, v->ratio,
			v->ratio > 0 ? " at " : "", v->ratio_at);
		if (v->unbounded > 0)
			printf("; %lld differing elements may have any value", (long long)v->unbounded);
		putchar('\n');
	}
	return v->failed ? run_failed("verification failed: %lld of %lld elements differ by more than rounding explains; first %s",
		(long long)v->differing, (long long)v->compared, v->first) : RUN_OK;
}
