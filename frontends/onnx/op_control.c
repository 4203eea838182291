/* op_control.c -- subgraphs, each put in where it stands: If on a known condition, iterations of Loop and Scan.
 *
 * Where their number is known only when a run starts, there are as many rounds as there may be iterations at most, all
 * of the same nodes (lt__rounds_of).  A round that a run does not have is given what the first one was given, so that
 * it reads no element that is not there.
 */
#include <stdint.h>
#include "frontends/onnx/builders.h"
#include "frontends/onnx/onnx.pb-c.h"
#include "frontends/onnx/trace.h"
#include "ir/build/build.h"

enum { MAX_ITERATIONS = 20000, MAX_SUBGRAPHS = 50 };

/* Names of a subgraph, within those around it. */
static bool inner_scope(struct lt_onnx_call *c, struct lt_onnx_scope *out)
{
	*out = (struct lt_onnx_scope){ .up = c->scope, .names = lt__names_new(c->m->arena), .depth = c->scope->depth + 1 };
	if (out->depth <= MAX_SUBGRAPHS)
		return true;
	lt__onnx_refuse(c->m, "graphs are nested more than %d deep", MAX_SUBGRAPHS);
	return false;
}

/* All nodes of a subgraph; false: something in it was refused. */
static bool run_body(struct lt_onnx_call *c, struct lt_onnx_scope *scope, const Onnx__GraphProto *g)
{
	const int32_t before = c->m->n_problem;
	for (size_t i = 0; i < g->n_initializer; i++) {
		struct lt_onnx_value v;
		if (!g->initializer[i]->name || !lt__onnx_tensor(c->m, g->initializer[i], &v))
			return false;
		lt__onnx_name(c->m, scope, g->initializer[i]->name, &v);
	}
	c->m->convert(c->m, scope, g->n_node, g->node);
	return c->m->n_problem == before;
}

static struct lt_onnx_value *body_output(struct lt_onnx_call *c, struct lt_onnx_scope *scope, const Onnx__GraphProto *g,
	size_t i)
{
	const char *name = g->output[i]->name ? g->output[i]->name : "";
	struct lt_onnx_value *v = lt__onnx_find(c->m, scope, name);
	if (!v)
		lt__onnx_refuse(c->m, "its graph does not make '%s'", name);
	return v && !v->lost ? v : NULL;
}

static void name_input(struct lt_onnx_call *c, struct lt_onnx_scope *scope, const Onnx__GraphProto *g, size_t i,
	struct lt_onnx_value *v)
{
	lt__onnx_alias(c->m, scope, g->input[i]->name ? g->input[i]->name : "", v);
}

/* The subgraph's own sentences are reported; the outputs are lost. */
static void give_lost(struct lt_onnx_call *c)
{
	for (int32_t i = 0; i < c->n_out; i++)
		c->out[i] = (struct lt_onnx_value){ .dtype = LT_F32, .node = LT_NONE, .lost = true };
}

void lt__onnx_build_if(struct lt_onnx_call *c)
{
	struct lt_onnx *m = c->m;
	const Onnx__GraphProto *yes = lt__onnx_graph_attribute(c, "then_branch");
	const Onnx__GraphProto *no = lt__onnx_graph_attribute(c, "else_branch");
	const char *condition = lt__onnx_content(m, lt__onnx_value(c, 0), "the condition");
	struct lt_onnx_scope scope;
	if (!condition || !yes || !no || !inner_scope(c, &scope)) {
		if (!lt__onnx_failed(m))
			lt__onnx_refuse(m, "it has no branches");
		return;
	}
	const Onnx__GraphProto *g = condition[0] ? yes : no;
	if (!run_body(c, &scope, g)) {
		give_lost(c);
		return;
	}
	for (size_t i = 0; i < g->n_output && i < (size_t)c->n_out; i++) {
		struct lt_onnx_value *v = body_output(c, &scope, g, i);
		if (v)
			lt__onnx_give_value(c, (int32_t)i, v);
		else
			return;
	}
}

/* What is carried from one iteration to the next, and what each gives besides. */
struct unrolled {
	struct lt_onnx_value **state;
	lt_node **each;         /* by output: one an iteration */
	int64_t n, cap;
	size_t n_state, n_each;
};

static void unrolled_begin(struct lt_onnx_call *c, struct unrolled *u, size_t n_state, size_t n_each, int64_t cap)
{
	u->n_state = n_state;
	u->n_each = n_each;
	u->cap = cap;
	u->n = 0;
	u->state = LT_NEW(c->m->arena, struct lt_onnx_value *, n_state + 1);
	u->each = LT_NEW(c->m->arena, lt_node *, n_each + 1);
}

/* Takes an iteration's outputs, from number `from` on; false with a sentence. */
static bool unrolled_take(struct lt_onnx_call *c, struct unrolled *u, struct lt_onnx_scope *scope,
	const Onnx__GraphProto *g, size_t from)
{
	for (size_t i = 0; i < u->n_state; i++) {
		u->state[i] = body_output(c, scope, g, from + i);
		if (!u->state[i])
			return false;
	}
	for (size_t i = 0; i < u->n_each; i++) {
		struct lt_onnx_value *v = body_output(c, scope, g, from + u->n_state + i);
		lt_node x = v ? lt__onnx_node(c->m, v) : LT_NONE;
		if (x < 0)
			return false;
		if ((u->n & (u->n - 1)) == 0) {
			lt_node *more = LT_NEW(c->m->arena, lt_node, 2 * u->n + 2);
			for (int64_t k = 0; k < u->n; k++)
				more[k] = u->each[i][k];
			u->each[i] = more;
		}
		u->each[i][u->n] = x;
	}
	u->n++;
	return true;
}

/* The iterations' values side by side along a new axis. */
static lt_node unrolled_join(struct lt_onnx *m, const struct unrolled *u, size_t i, int64_t axis, bool backwards)
{
	lt_node *x = LT_NEW(m->arena, lt_node, u->n + 1);
	for (int64_t k = 0; k < u->n; k++) {
		lt_node one = u->each[i][backwards ? u->n - 1 - k : k];
		int32_t at = lt__onnx_axis(m, axis, lt__onnx_rank(m, one) + 1);
		if (at < 0)
			return LT_NONE;
		x[k] = lt__onnx_insert(m, one, at);
		axis = at;
	}
	return lt__onnx_concat(m, (int32_t)axis, (int32_t)u->n, x);
}

static void unrolled_give(struct lt_onnx_call *c, const struct unrolled *u, const int64_t *axis, const int64_t *back)
{
	for (size_t i = 0; i < u->n_state; i++)
		lt__onnx_give_value(c, (int32_t)i, u->state[i]);
	for (size_t i = 0; i < u->n_each; i++) {
		int32_t to = (int32_t)(u->n_state + i);
		if (!lt__onnx_wants(c, to))
			continue;
		if (!u->n) {
			lt__onnx_refuse(c->m, "it has no iteration, so that output %d has no elements", to);
			return;
		}
		lt__onnx_give(c, to, unrolled_join(c->m, u, i, axis ? axis[i] : 0, back && back[i]));
	}
}

/* -- iterations whose number a run says -- */

struct body_rounds {
	lt_var steps;           /* of the number's extent */
	int64_t n;              /* as many as there may be */
	size_t n_state, n_each;
	lt_node *first;         /* by state: before all rounds */
	lt_node **after, **each;        /* by state, by output: what each round gives, with an axis before */
	lt_node there;          /* by round: whether a run has it */
	bool picks;             /* the first round takes elements at places that are computed: of states */
	bool takes;             /* some round does: of its number, too */
};

static lt_node whole_node(struct lt_onnx_call *c, struct lt_onnx_value *v, const char *what)
{
	lt_node x = v ? lt__onnx_node(c->m, v) : LT_NONE;
	if (x < 0 || !v->part)
		return x;
	lt__onnx_refuse(c->m, "%s has an axis that is a product of extents that differ from run to run, as its number of "
		"iterations does: --dim fixes them", what);
	return LT_NONE;
}

static bool rounds_begin(struct lt_onnx_call *c, struct body_rounds *r, lt_var steps, size_t n_state, size_t n_each)
{
	struct lt_onnx *m = c->m;
	struct lt_graph *g = m->graph;
	if (steps < 0)
		return false;
	*r = (struct body_rounds){ .steps = steps, .n = lt_var_extent(g, steps), .n_state = n_state, .n_each = n_each };
	if (r->n > MAX_ITERATIONS) {
		lt__onnx_refuse(m, "it has more than %d iterations", MAX_ITERATIONS);
		return false;
	}
	r->first = LT_NEW(m->arena, lt_node, n_state + 1);
	r->after = LT_NEW(m->arena, lt_node *, n_state + 1);
	r->each = LT_NEW(m->arena, lt_node *, n_each + 1);
	for (size_t i = 0; i < n_state; i++)
		r->after[i] = LT_NEW(m->arena, lt_node, r->n + 1);
	for (size_t i = 0; i < n_each; i++)
		r->each[i] = LT_NEW(m->arena, lt_node, r->n + 1);
	r->there = lt__rounds_there(g, steps);
	return r->there >= 0;
}

/* The number of each round, 0 of those that a run does not have. */
static lt_node round_numbers(struct lt_onnx_call *c, const struct body_rounds *r)
{
	struct lt_graph *g = c->m->graph;
	return lt__rounds_else(g, r->steps, lt__onnx_range(c->m, r->n, 0, 1), lt_graph_literal_int(g, LT_I64, 0));
}

static void name_node(struct lt_onnx_call *c, struct lt_onnx_scope *scope, const Onnx__GraphProto *g, size_t i,
	lt_node x)
{
	struct lt_onnx_value v = lt__onnx_of_node(c->m, x);
	name_input(c, scope, g, i, lt__arena_copy(c->m->arena, &v, sizeof v));
}

/* Names the states before a round. */
static void name_states(struct lt_onnx_call *c, struct body_rounds *r, struct lt_onnx_scope *scope,
	const Onnx__GraphProto *g, size_t from, int64_t i)
{
	struct lt_onnx *m = c->m;
	for (size_t k = 0; k < r->n_state; k++) {
		lt_node x = i ? lt__pos_at(m->graph, r->after[k][i - 1], 0, 0) : r->first[k];
		if (i && r->picks)
			x = lt__onnx_select(m, lt__pos_at(m->graph, r->there, 0, i), x, r->first[k]);
		name_node(c, scope, g, from + k, x);
	}
}

/* The nodes of round i, and what it gives; its outputs begin at `from`.  false: refused. */
static bool round_take(struct lt_onnx_call *c, struct body_rounds *r, struct lt_onnx_scope *scope,
	const Onnx__GraphProto *g, size_t from, int64_t i)
{
	struct lt_onnx *m = c->m;
	const struct lt_graph *graph = m->graph;
	const lt_node begin = graph->n_node;
	const int32_t n_param = graph->n_param, n_require = graph->n_require;
	if (!run_body(c, scope, g)) {
		if (!lt__onnx_failed(m))
			give_lost(c);
		return false;
	}
	for (size_t k = 0; k < r->n_state + r->n_each; k++) {
		lt_node x = whole_node(c, body_output(c, scope, g, from + k), "what an iteration gives");
		if (x < 0)
			return false;
		if (k < r->n_state && !lt__rounds_same(graph, x, r->first[k])) {
			const struct lt_onnx_value a = lt__onnx_of_node(m, x), b = lt__onnx_of_node(m, r->first[k]);
			lt__onnx_refuse(m, "what it carries as '%s' is %s %s after an iteration, and %s %s before: while the number of "
				"iterations differs from run to run it has to stay of one type and shape", g->output[from + k]->name,
				lt__onnx_type_name(lt__onnx_type(a.dtype)), lt__onnx_shape(m, a.rank, a.shape),
				lt__onnx_type_name(lt__onnx_type(b.dtype)), lt__onnx_shape(m, b.rank, b.shape));
			return false;
		}
		*(k < r->n_state ? &r->after[k][i] : &r->each[k - r->n_state][i]) = lt__onnx_insert(m, x, 0);
	}
	if (graph->n_param > n_param || graph->n_require > n_require) {
		lt__onnx_refuse(m, "in its body a number of the run decides a shape or a place, while the number of iterations "
			"differs from run to run: --dim fixes that");
		return false;
	}
	for (lt_node n = begin; n < graph->n_node; n++)
		r->takes = r->takes || graph->node[n].op == LT_OP_gather || graph->node[n].op == LT_OP_update;
	r->picks = i ? r->picks : r->takes;
	return !lt__onnx_failed(m);
}

/* Axis 0 to `axis` of a result. */
static lt_node axis_back(struct lt_onnx *m, lt_node x, int64_t axis)
{
	int32_t perm[LT_MAX_RANK], rank = x < 0 ? 0 : lt_node_rank(m->graph, x), at = lt__onnx_axis(m, axis, rank);
	if (at <= 0)
		return at < 0 ? LT_NONE : x;
	for (int32_t i = 0; i < rank; i++)
		perm[i] = i == at ? 0 : i < at ? i + 1 : i;
	return lt__onnx_transpose(m, x, perm);
}

static void rounds_give(struct lt_onnx_call *c, struct body_rounds *r, const int64_t *axis, const int64_t *back)
{
	struct lt_onnx *m = c->m;
	for (size_t i = 0; i < r->n_state; i++)
		if (lt__onnx_wants(c, (int32_t)i))
			lt__onnx_give(c, (int32_t)i, lt__rounds_last(m->graph, r->steps, lt__rounds_joined(m->graph, r->steps,
				r->after[i], false), r->first[i]));
	for (size_t i = 0; i < r->n_each; i++)
		if (lt__onnx_wants(c, (int32_t)(r->n_state + i)))
			lt__onnx_give(c, (int32_t)(r->n_state + i), axis_back(m, lt__rounds_joined(m->graph, r->steps, r->each[i],
				back && back[i]), axis ? axis[i] : 0));
}

/* A round that has no elements to take: of no iterations at all. */
static bool rounds_may_pick(struct lt_onnx_call *c, const struct body_rounds *r)
{
	int64_t low, high;
	const struct lt_onnx_poly n = lt__poly_linear(c->m, &c->m->graph->var[r->steps].limit);
	if (!r->takes || (lt__poly_range(c->m, &n, &low, &high) && low > 0))
		return true;
	lt__onnx_refuse(c->m, "its body takes elements at places that are computed, and there may be no iteration: say that "
		"there is one, such as --dim %s=1..%lld", lt__poly_text(c->m, &n), (long long)r->n);
	return false;
}

static struct lt_onnx_value *scalar(struct lt_onnx_call *c, enum lt_dtype t, int64_t x)
{
	void *at = lt__onnx_room(c->m, t, 0, NULL);
	lt__store(at, 0, t, (union lt_scalar){ .i = x });
	struct lt_onnx_value v = lt__onnx_of_data(c->m, t, 0, NULL, at);
	return lt__arena_copy(c->m->arena, &v, sizeof v);
}

/* One iteration: 1 there is another, 0 it was the last, -1 refused. */
static int loop_once(struct lt_onnx_call *c, struct unrolled *u, const Onnx__GraphProto *g, int64_t i)
{
	struct lt_onnx *m = c->m;
	struct lt_onnx_scope *scope = LT_NEW(m->arena, struct lt_onnx_scope, 1);
	if (!inner_scope(c, scope))
		return -1;
	name_input(c, scope, g, 0, scalar(c, LT_I64, i));
	name_input(c, scope, g, 1, scalar(c, LT_BOOL, 1));
	for (size_t k = 0; k < u->n_state; k++)
		name_input(c, scope, g, 2 + k, u->state[k]);
	if (!run_body(c, scope, g)) {
		give_lost(c);
		return -1;
	}
	struct lt_onnx_value *more = body_output(c, scope, g, 0);
	const char *data = more ? lt__onnx_content(m, more, "the condition after an iteration") : NULL;
	if (!data || !unrolled_take(c, u, scope, g, 1))
		return -1;
	return data[0] != 0;
}

/* A Loop of as many iterations as a run says, whose condition always holds. */
static void loop_rounds(struct lt_onnx_call *c, const Onnx__GraphProto *g, const struct lt_linear *n, size_t n_state)
{
	struct lt_onnx *m = c->m;
	struct body_rounds r;
	if (!rounds_begin(c, &r, lt__onnx_sum_var(m, n), n_state, g->n_output - n_state - 1))
		return;
	const lt_node number = round_numbers(c, &r);
	for (size_t k = 0; k < n_state; k++) {
		r.first[k] = whole_node(c, lt__onnx_value(c, (int32_t)k + 2), "what it carries");
		if (r.first[k] < 0)
			return;
	}
	for (int64_t i = 0; i < r.n; i++) {
		struct lt_onnx_scope *scope = LT_NEW(m->arena, struct lt_onnx_scope, 1);
		if (!inner_scope(c, scope))
			return;
		name_node(c, scope, g, 0, lt__pos_at(m->graph, number, 0, i));
		name_input(c, scope, g, 1, scalar(c, LT_BOOL, 1));
		name_states(c, &r, scope, g, 2, i);
		if (!round_take(c, &r, scope, g, 1, i))
			return;
		struct lt_onnx_value *more = body_output(c, scope, g, 0);
		const char *data = more ? lt__onnx_content(m, more, "the condition after an iteration, whose number differs from run "
			"to run,") : NULL;
		if (!data || !rounds_may_pick(c, &r))
			return;
		if (!data[0]) {
			lt__onnx_refuse(m, "its condition ends it after an iteration, while their number differs from run to run");
			return;
		}
	}
	rounds_give(c, &r, NULL, NULL);
}

void lt__onnx_build_loop(struct lt_onnx_call *c)
{
	struct lt_onnx *m = c->m;
	const Onnx__GraphProto *g = lt__onnx_graph_attribute(c, "body");
	int32_t n_most = 0;
	const struct lt_linear *said = lt__onnx_has(c, 0) ? lt__onnx_in_sums(c, 0, "the number of iterations", &n_most) : NULL;
	const int64_t most = said && n_most == 1 && !said->n ? said->constant : INT64_MAX;
	const char *data = lt__onnx_has(c, 1) ? lt__onnx_content(m, c->in[1], "the condition") : "\1";
	struct unrolled u;
	if (lt__onnx_failed(m) || !data)
		return;
	const size_t n_state = c->n_in > 2 ? (size_t)c->n_in - 2 : 0;
	if (!g || g->n_input != n_state + 2 || g->n_output < n_state + 1) {
		lt__onnx_refuse(m, "its body does not take and give what it carries");
		return;
	}
	if (said && n_most != 1) {
		lt__onnx_refuse(m, "the number of iterations has %d elements, one is expected", (int)n_most);
		return;
	}
	if (said && said->n && data[0]) {
		loop_rounds(c, g, said, n_state);
		return;
	}
	unrolled_begin(c, &u, n_state, g->n_output - n_state - 1, 0);
	for (size_t i = 0; i < n_state; i++)
		u.state[i] = lt__onnx_value(c, (int32_t)i + 2);
	int more = data[0] != 0;
	for (int64_t i = 0; i < most && more > 0; i++) {
		if (i == MAX_ITERATIONS) {
			lt__onnx_refuse(m, "it has more than %d iterations", MAX_ITERATIONS);
			return;
		}
		more = loop_once(c, &u, g, i);
	}
	if (more >= 0)
		unrolled_give(c, &u, NULL, NULL);
}

/* Numbers of a Scan's attribute, by input or output. */
static const int64_t *scan_list(struct lt_onnx_call *c, const char *name, size_t n)
{
	int32_t given;
	const int64_t *at = lt__onnx_ints(c, name, &given);
	int64_t *out = LT_NEW(c->m->arena, int64_t, n + 1);
	for (size_t i = 0; i < n; i++)
		out[i] = at && i < (size_t)given ? at[i] : 0;
	return out;
}

/* Element i of the scanned inputs, without the axis. */
static bool scan_inputs(struct lt_onnx_call *c, struct lt_onnx_scope *scope, const Onnx__GraphProto *g, size_t n_state,
	size_t n_scan, const int64_t *axis, const int64_t *back, int64_t i)
{
	struct lt_onnx *m = c->m;
	for (size_t k = 0; k < n_scan; k++) {
		lt_node x = lt__onnx_in(c, (int32_t)(n_state + k));
		int32_t at = lt__onnx_axis(m, axis[k], lt__onnx_rank(m, x));
		if (at < 0 || x < 0)
			return false;
		int64_t n = lt__onnx_extent(m, x, at), from = back[k] ? n - 1 - i : i;
		bool *mask = LT_NEW(m->arena, bool, lt__onnx_rank(m, x) + 1);
		mask[at] = true;
		if (from < 0 || from >= n) {
			lt__onnx_refuse(m, "its inputs have different lengths");
			return false;
		}
		struct lt_onnx_value v = lt__onnx_of_node(m, lt__onnx_squeeze(m, lt__onnx_slice(m, x, at, from, from + 1, 1), mask));
		name_input(c, scope, g, n_state + k, lt__arena_copy(m->arena, &v, sizeof v));
	}
	return true;
}

/* Scanned input k by round, [n, ..]; LT_NONE: refused. */
static lt_node scanned_rounds(struct lt_onnx_call *c, const struct body_rounds *r, size_t k, int64_t axis, bool back)
{
	struct lt_onnx *m = c->m;
	struct lt_onnx_value *v = lt__onnx_value(c, (int32_t)(r->n_state + k));
	lt_node x = whole_node(c, v, "what it scans");
	int32_t perm[LT_MAX_RANK];
	const int32_t rank = x < 0 ? 0 : lt_node_rank(m->graph, x), at = x < 0 ? -1 : lt__onnx_axis(m, axis, rank);
	if (at < 0)
		return LT_NONE;
	if (!lt__var_same_range(m->graph, lt_node_dim(m->graph, x, at), r->steps)) {
		lt__onnx_refuse(m, "its inputs have different lengths");
		return LT_NONE;
	}
	for (int32_t i = 0; i < rank; i++)
		perm[i] = i == 0 ? at : i <= at ? i - 1 : i;
	x = lt__rounds_of(m->graph, r->steps, at ? lt__onnx_transpose(m, x, perm) : x, back);
	return lt__rounds_else(m->graph, r->steps, x, lt__pos_at(m->graph, x, 0, 0));
}

struct scan_lists { const int64_t *axis, *back, *out_axis, *out_back; };

/* A Scan of as many iterations as a run says. */
static void scan_rounds(struct lt_onnx_call *c, const Onnx__GraphProto *g, size_t n_state, size_t n_scan, int32_t at,
	const struct scan_lists *l)
{
	struct lt_onnx *m = c->m;
	struct body_rounds r;
	const lt_node first = whole_node(c, lt__onnx_value(c, (int32_t)n_state), "what it scans");
	if (first < 0 || !rounds_begin(c, &r, lt_node_dim(m->graph, first, at), n_state, g->n_output - n_state))
		return;
	lt_node *x = LT_NEW(m->arena, lt_node, n_scan + 1);
	for (size_t k = 0; k < n_scan; k++)
		if ((x[k] = scanned_rounds(c, &r, k, l->axis[k], l->back[k])) < 0)
			return;
	for (size_t k = 0; k < n_state; k++)
		if ((r.first[k] = whole_node(c, lt__onnx_value(c, (int32_t)k), "what it carries")) < 0)
			return;
	for (int64_t i = 0; i < r.n; i++) {
		struct lt_onnx_scope *scope = LT_NEW(m->arena, struct lt_onnx_scope, 1);
		if (!inner_scope(c, scope))
			return;
		name_states(c, &r, scope, g, 0, i);
		for (size_t k = 0; k < n_scan; k++)
			name_node(c, scope, g, n_state + k, lt__pos_at(m->graph, x[k], 0, i));
		if (!round_take(c, &r, scope, g, 0, i) || !rounds_may_pick(c, &r))
			return;
	}
	rounds_give(c, &r, l->out_axis, l->out_back);
}

void lt__onnx_build_scan(struct lt_onnx_call *c)
{
	struct lt_onnx *m = c->m;
	const Onnx__GraphProto *g = lt__onnx_graph_attribute(c, "body");
	const int64_t scanned = lt__onnx_int(c, "num_scan_inputs", 0);
	struct unrolled u;
	if (!g || scanned < 1 || scanned > c->n_in || g->n_input != (size_t)c->n_in
	    || g->n_output < (size_t)(c->n_in - scanned)) {
		lt__onnx_refuse(m, "its body does not take and give what it carries");
		return;
	}
	const size_t n_scan = (size_t)scanned, n_state = (size_t)c->n_in - n_scan;
	unrolled_begin(c, &u, n_state, g->n_output - n_state, 0);
	const int64_t *axis = scan_list(c, "scan_input_axes", n_scan), *back = scan_list(c, "scan_input_directions", n_scan);
	const int64_t *out_axis = scan_list(c, "scan_output_axes", u.n_each),
		*out_back = scan_list(c, "scan_output_directions", u.n_each);
	struct lt_onnx_value *first = lt__onnx_value(c, (int32_t)n_state);
	const int32_t at = lt__onnx_axis(m, axis[0], first->rank);
	for (size_t i = 0; i < n_state; i++)
		u.state[i] = lt__onnx_value(c, (int32_t)i);
	if (at < 0 || first->shape[at] > MAX_ITERATIONS) {
		if (!lt__onnx_failed(m))
			lt__onnx_refuse(m, "it has more than %d iterations", MAX_ITERATIONS);
		return;
	}
	if (!first->part && first->node >= 0 && lt__pos_bounded(m->graph, first->node, at)) {
		scan_rounds(c, g, n_state, n_scan, at, &(struct scan_lists){ axis, back, out_axis, out_back });
		return;
	}
	for (int64_t i = 0; i < first->shape[at]; i++) {
		struct lt_onnx_scope *scope = LT_NEW(m->arena, struct lt_onnx_scope, 1);
		if (!inner_scope(c, scope))
			return;
		for (size_t k = 0; k < n_state; k++)
			name_input(c, scope, g, k, u.state[k]);
		if (!scan_inputs(c, scope, g, n_state, n_scan, axis, back, i))
			return;
		if (!run_body(c, scope, g)) {
			if (!lt__onnx_failed(m))
				give_lost(c);
			return;
		}
		if (!unrolled_take(c, &u, scope, g, 0))
			return;
	}
	unrolled_give(c, &u, out_axis, out_back);
}

lt_node lt__onnx_apply(struct lt_onnx_call *c, const Onnx__GraphProto *g, lt_node x)
{
	struct lt_onnx_scope scope;
	struct lt_onnx_value *in = LT_NEW(c->m->arena, struct lt_onnx_value, 1), *out;
	if (!g || x < 0)
		return x;
	if (g->n_input != 1 || g->n_output != 1) {
		lt__onnx_refuse(c->m, "its graph has %zu inputs and %zu outputs: one of each is expected", g->n_input, g->n_output);
		return LT_NONE;
	}
	*in = lt__onnx_of_node(c->m, x);
	if (!inner_scope(c, &scope))
		return LT_NONE;
	name_input(c, &scope, g, 0, in);
	if (!run_body(c, &scope, g)) {
		give_lost(c);
		return LT_NONE;
	}
	out = body_output(c, &scope, g, 0);
	return out ? lt__onnx_node(c->m, out) : LT_NONE;
}
