/* test_graph_own.c -- calls of operations of one's own in a graph that is built by lt/graph.h. */
#include <criterion/criterion.h>
#include <math.h>
#include <string.h>
#include "lt/lt.h"

TestSuite(graph_own, .timeout = 120);

struct own_built { struct lt_context *ctx; struct lt_graph *g; lt_var i; lt_node x, two, twice, result; };

static void own_open(struct own_built *b)
{
	cr_assert_eq(lt_context_new(&b->ctx), LT_OK);
	cr_assert_eq(lt_graph_new(b->ctx, &b->g), LT_OK);
	b->i = lt_graph_var(b->g, "i", 7);
	b->x = lt_graph_input(b->g, "x", LT_F32, 1, &b->i);
	b->two = lt_graph_literal(b->g, LT_F32, 2);
	b->twice = lt_graph_binary(b->g, "mul", b->x, b->two);
	b->result = lt_graph_unary(b->g, "neg", b->twice);
	cr_assert_eq(lt_graph_result(b->g, "y", b->result), LT_OK, "%s", lt_context_message(b->ctx));
}

static void own_close(struct own_built *b)
{
	lt_graph_free(b->g);
	lt_context_free(b->ctx);
}

static void note_running(void *user, const char *name)
{
	int *n = user;
	*n += name && !strcmp(name, "scale");
}

/* The kernel is run where its folder is named, and only there; the values are the same. */
Test(graph_own, a_call_is_run_by_its_kernel)
{
	const float x[7] = { -1.5f, 0, -0.0f, NAN, INFINITY, 1e38f, 3 };
	for (int k = 0; k < 3; k++) {
		struct own_built b;
		struct lt_program *p = NULL;
		struct lt_instance *r = NULL;
		float y[7];
		int n = 0;
		own_open(&b);
		if (k != 2)
			cr_assert_eq(lt_graph_own(b.g, "scale", 1, &b.x, 1, &b.twice, 0, NULL), LT_OK, "%s", lt_context_message(b.ctx));
		const struct lt_options o = { .size = sizeof o, .backends = "cpu", .user = &n, .running = note_running,
			.kernels = k == 1 ? NULL : "tests/own/right" };
		cr_assert_eq(lt_compile(b.ctx, b.g, &o, &p), LT_OK, "%s", lt_context_message(b.ctx));
		cr_assert_eq(lt_instance_new(p, &r), LT_OK, "%s", lt_context_message(b.ctx));
		cr_assert_eq(lt_instance_run(r, (const void *[]){ x }, (void *[]){ y }), LT_OK, "%s", lt_instance_message(r));
		cr_expect_eq(n, k == 0, "kernels run: %d", n);
		for (int i = 0; i < 7; i++) {
			const float want = -(x[i] * 2);
			cr_expect(isnan(want) ? isnan(y[i]) : y[i] == want && !signbit(y[i]) == !signbit(want), "%d: %g, not %g", i,
				(double)y[i], (double)want);
		}
		lt_instance_free(r);
		lt_program_free(p);
		own_close(&b);
	}
}

Test(graph_own, mistakes)
{
	struct own_built b;
	own_open(&b);
	lt_node other = lt_graph_input(b.g, "other", LT_F32, 1, &b.i), sum = lt_graph_binary(b.g, "add", b.x, other);
	const lt_node none = 1000, both[] = { b.x, other };
	const struct { const char *name; int32_t n_operand; const lt_node *operand; int32_t n_result; const lt_node *result;
		const char *says; } bad[] = {
		{ NULL, 1, &b.x, 1, &b.twice, "has no name" },
		{ "", 1, &b.x, 1, &b.twice, "has no name" },
		{ "scale", 0, NULL, 1, &b.twice, "has no operand" },
		{ "scale", -1, NULL, 1, &b.twice, "has no operand" },
		{ "scale", 1, &b.x, 0, NULL, "has no result" },
		{ "scale", 1, &none, 1, &b.twice, "is node number 1000" },
		{ "scale", 1, &b.x, 1, &none, "is node number 1000" },
		{ "scale", 1, &b.x, 1, &b.x, "is an operand of it, too; copy it" },
		{ "scale", 1, &b.x, 1, &sum, "reads the input 'other', which is no operand of it; hand it over" },
		{ "scale", 2, both, 1, &b.twice, "does not read its operand 1, 'other'" } };
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		cr_expect_eq(lt_graph_own(b.g, bad[i].name, bad[i].n_operand, bad[i].operand, bad[i].n_result, bad[i].result, 0,
			NULL), LT_EINVAL, "%s", bad[i].says);
		cr_expect(strstr(lt_context_message(b.ctx), bad[i].says), "'%s' lacks '%s'", lt_context_message(b.ctx), bad[i].says);
		lt_context_clear(b.ctx);
	}
	cr_expect_eq(lt_graph_own(b.g, "scale", 1, &b.x, 1, &b.twice, 0, NULL), LT_OK, "nothing of what failed is left");
	own_close(&b);
}
