/* test_extents.c -- which extents differ from run to run (lt/extents.h), against those that runs then have. */
#include <criterion/criterion.h>
#include <string.h>
#include "lt/lt.h"
#include "tests/parsed.h"
#include "tests/run_graph.h"

TestSuite(extents, .timeout = 60);

/* Limits of one scalar and of two, with factors; scalars of an input with several elements, of one alone, of a state
 * and of a constant; an open input that nothing reads; a result that is open and no input's. */
#define OPEN \
	"graph 1\nvar i 5\nvar t 9 limit 2*a - b + 1\nvar u 3 limit b\nvar w 7 limit c + d\nvar one 1\nvar two 2\n" \
	"param a = %at[1] in 1..4\nparam b = %n[0] in 0..3\nparam c = %st[0] in 0..2\nparam d = %k[1] in -1..5\n" \
	"%at = i64[two] input \"at\"\n%x = f32[i, t] input \"x\"\n%v = f32[w] constant \"v\"\n%n = i64[one] input \"n\"\n" \
	"%st = i64[one] state \"st\"\n%nobody = f32[t, two, u] input \"no\\\"body\"\n%k = i64[two] constant \"k\"\n" \
	"%y = f32[i, t] neg %x\n%z = f32[w] neg %v\nresult \"y\" = %y\nresult \"z\" = %z\n"

static const struct lt_run_scalar scalars[] = {
	{ "a", LT_BINDING_INPUT, 0, 1, 1, 4 },
	{ "b", LT_BINDING_INPUT, 2, 0, 0, 3 },
	{ "c", LT_BINDING_STATE, 0, 0, 0, 2 },
	{ "d", LT_BINDING_CONSTANT, 1, 1, -1, 5 },
};
static const struct {
	enum lt_binding binding;
	int32_t i, axis;
	const char *name;
	int64_t most;
	const char *text;
} axes[] = {
	{ LT_BINDING_INPUT, 1, 1, "t", 9, "2*a - b + 1" },
	{ LT_BINDING_INPUT, 3, 0, "t", 9, "2*a - b + 1" },
	{ LT_BINDING_INPUT, 3, 2, "u", 3, "b" },
	{ LT_BINDING_CONSTANT, 0, 0, "w", 7, "c + d" },
	{ LT_BINDING_RESULT, 0, 1, "t", 9, "2*a - b + 1" },
	{ LT_BINDING_RESULT, 1, 0, "w", 7, "c + d" },
};
enum { N_SCALAR = sizeof scalars / sizeof *scalars, N_AXIS = sizeof axes / sizeof *axes };

/* What the facts say of an axis, for these values of the scalars. */
static int64_t said(const struct lt_open_axis *x, const int64_t *value)
{
	int64_t sum = x->constant;
	for (uint32_t k = 0; k < x->terms.n; k++) {
		const struct lt_extent_term *t = LT_AT(struct lt_extent_term, x->terms, k);
		sum += t->factor * value[t->scalar];
	}
	return sum < 0 ? 0 : sum;
}

/* Also when the graph is gone. */
Test(extents, facts)
{
	struct lt_context *ctx;
	struct lt_extents *e;
	cr_assert_eq(lt_context_new(&ctx), LT_OK);
	struct lt_graph *g = parsed_in(ctx, OPEN);
	cr_assert_eq(lt_graph_extents(g, &e), LT_OK);
	lt_graph_free(g);
	cr_assert(e->size == sizeof *e && e->scalars.n == N_SCALAR && e->axes.n == N_AXIS, "%u %u", e->scalars.n, e->axes.n);
	for (uint32_t k = 0; k < N_SCALAR; k++) {
		const struct lt_run_scalar *is = LT_AT(struct lt_run_scalar, e->scalars, k), *want = &scalars[k];
		cr_assert_str_eq(is->name, want->name);
		cr_assert(is->binding == want->binding && is->i == want->i && is->element == want->element
			&& is->low == want->low && is->high == want->high, "%s", want->name);
	}
	for (uint32_t k = 0; k < N_AXIS; k++) {
		const struct lt_open_axis *is = LT_AT(struct lt_open_axis, e->axes, k);
		cr_assert(is->binding == (int32_t)axes[k].binding && is->i == axes[k].i && is->axis == axes[k].axis
			&& is->most == axes[k].most, "%u", k);
		cr_assert_str_eq(is->name, axes[k].name);
		cr_assert_str_eq(is->text, axes[k].text);
	}
	lt_extents_free(e);
	lt_context_free(ctx);
	lt_extents_free(NULL);
}

/* Runs with all values of all scalars have just these extents, and the least of them is `least`; the names and numbers
 * are those of the program. */
Test(extents, are_those_of_runs)
{
	static float x[45], no[54], v[7], y[45], z[7];
	struct lt_graph *g = parsed(OPEN);
	struct lt_extents *e;
	int64_t least[N_AXIS], at[2] = { 0 }, n[1], c[2] = { 0 };
	const void *const in[] = { at, x, n, no };
	void *const out[] = { y, z };
	int runs = 0;
	for (int i = 0; i < N_AXIS; i++)
		least[i] = INT64_MAX;
	cr_assert_eq(lt_graph_extents(g, &e), LT_OK);
	for (int64_t d = -1; d <= 5; d++) {
		struct lt_program *p = compiled(g, "ref");
		c[1] = d;
		cr_assert(lt_program_bind(p, 0, v, 0) == LT_OK && lt_program_bind(p, 1, c, 0) == LT_OK);
		struct lt_instance *r = instance_of(p);
		for (int64_t k = 0; k < 4 * 4 * 3; k++) {
			const int64_t value[N_SCALAR] = { 1 + k % 4, k / 4 % 4, k / 16, d };
			at[1] = value[0], n[0] = value[1];
			*(int64_t *)lt_instance_state(r, 0) = value[2];
			cr_assert_eq(lt_instance_run(r, in, out), LT_OK, "%s", lt_instance_message(r));
			for (uint32_t i = 0; i < N_AXIS; i++) {
				const struct lt_open_axis *a = LT_AT(struct lt_open_axis, e->axes, i);
				const int64_t extent = said(a, value);
				least[i] = extent < least[i] ? extent : least[i];
				cr_assert(lt_program_is_open(p, (enum lt_binding)a->binding, a->i, a->axis));
				if (a->binding != LT_BINDING_RESULT)
					continue;
				cr_assert_eq(lt_instance_extent(r, a->i, a->axis), extent, "run %d, %s", (int)k, a->name);
				runs++;
			}
		}
		cr_assert_str_eq(lt_program_name(p, LT_BINDING_INPUT, LT_AT(struct lt_open_axis, e->axes, 2)->i), "no\"body");
		lt_instance_free(r);
		lt_program_free(p);
	}
	cr_assert_eq(runs, 2 * 4 * 4 * 3 * 7);
	for (uint32_t i = 0; i < N_AXIS; i++)
		cr_assert_eq(LT_AT(struct lt_open_axis, e->axes, i)->least, least[i], "%u", i);
	lt_extents_free(e);
	parsed_free(g);
}

Test(extents, none_and_every_allocation_may_fail)
{
	struct lt_graph *g = parsed("graph 1\nvar i 5\n%x = f32[i] input \"x\"\nresult \"x\" = %x\n");
	struct lt_extents *e;
	cr_assert_eq(lt_graph_extents(g, &e), LT_OK);
	cr_assert(!e->scalars.n && !e->axes.n);
	lt_extents_free(e);
	parsed_free(g);
	lt_status st = LT_ENOMEM;
	int64_t n = 1;
	for (; st; n++) {
		struct run_counter counter;
		struct lt_context *ctx;
		cr_assert_eq(run_context(&counter, &ctx), LT_OK);
		g = parsed_in(ctx, OPEN);
		const int64_t bytes = counter.bytes;
		counter.fail_at = counter.calls + n;
		st = lt_graph_extents(g, &e);
		cr_assert(st == LT_OK || (st == LT_ENOMEM && !e), "%s", lt_status_name(st));
		counter.fail_at = 0;
		lt_extents_free(e);
		cr_assert_eq(counter.bytes, bytes, "allocation %d", (int)n);
		lt_graph_free(g);
		lt_context_free(ctx);
	}
	cr_assert_gt(n, 2);
}
