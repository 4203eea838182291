/* test_networks.c -- the default trees of whole networks: a table and all trees are what tests/trees/NAME.txt has
 * (LT_BLESS=1 rewrites it), and no layer with much work is without vectors or threads. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "lt/frontend.h"
#include "looptree/tree/tree.h"
#include "tests/networks.h"
#include "tests/tree_summary.h"

TestSuite(networks, .timeout = 300);

/* Iterations from which on a layer has vectors, and shares its work among threads. */
static const double MUCH = 50e3, SHARED = 2e6;

struct plan { struct lt_context *ctx; struct lt_graph *g; struct lt_program *p; struct layer *layer; int32_t n; };

/* Planned for a named processor, so that it is the same on every machine; nothing is compiled. */
static struct plan plan_network(const char *name)
{
	const struct lt_options o = { .size = sizeof o, .backends = "cpu:target=avx2", .strict = 1, .plan_only = 1 };
	struct plan plan;
	char *text = NULL;
	size_t bytes = 0;
	FILE *f = open_memstream(&text, &bytes);
	cr_assert(f && network_write(name, "float32", f) && fclose(f) == 0);
	cr_assert_eq(lt_context_new(&plan.ctx), LT_OK);
	cr_assert_eq(lt_parse(plan.ctx, text, bytes, name, NULL, &plan.g), LT_OK, "%s", lt_context_message(plan.ctx));
	cr_assert_eq(lt_compile(plan.ctx, plan.g, &o, &plan.p), LT_OK, "%s", lt_context_message(plan.ctx));
	plan.layer = layers_of(plan.p, &plan.n);
	free(text);
	return plan;
}

static void plan_free(struct plan *plan)
{
	free(plan->layer);
	lt_program_free(plan->p);
	lt_graph_free(plan->g);
	lt_context_free(plan->ctx);
}

static void expect_text(const char *path, const char *now)
{
	char *want = layers_read(path);
	cr_assert(want, "%s cannot be read", path);
	int line = 1;
	size_t at = 0;
	while (want[at] && want[at] == now[at])
		line += want[at++] == '\n';
	while (at > 0 && want[at - 1] != '\n')
		at--;
	cr_expect_str_eq(want, now, "%s:%d: another tree (make bless, if the change is meant):\n-%.*s\n+%.*s", path, line,
		(int)strcspn(want + at, "\n"), want + at, (int)strcspn(now + at, "\n"), now + at);
	free(want);
}

Test(networks, each_layer_has_its_tree)
{
	for (const char *const *name = network_names; *name; name++) {
		struct plan plan = plan_network(*name);
		char path[64], *text = NULL;
		size_t bytes = 0;
		snprintf(path, sizeof path, "tests/trees/%s.txt", *name);
		FILE *f = getenv("LT_BLESS") ? fopen(path, "w") : open_memstream(&text, &bytes);
		cr_assert(f, "%s cannot be written", path);
		layers_print(plan.p, plan.layer, plan.n, f);
		cr_assert_eq(fclose(f), 0);
		if (text)
			expect_text(path, text);
		free(text);
		plan_free(&plan);
	}
}

Test(networks, no_layer_with_much_work_is_scalar_or_on_one_thread)
{
	for (const char *const *name = network_names; *name; name++) {
		struct plan plan = plan_network(*name);
		for (int32_t i = 0; i < plan.n; i++) {
			const struct layer *l = &plan.layer[i];
			const char *node = plan.p->tree->graph->node[l->main].name;
			if (l->early || l->kernel < 0)          /* copies of very many pieces have no kernel: blocks.c */
				continue;
			cr_expect(l->work < MUCH || l->lanes > 1, "%s: %%%s has no vectors", *name, node);
			cr_expect(l->work < SHARED || l->parallel >= 0, "%s: %%%s is on one thread", *name, node);
		}
		plan_free(&plan);
	}
}
