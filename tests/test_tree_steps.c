/* test_tree_steps.c -- whatever tree a primitive makes, its text reads back to the same tree.
 *
 * Random steps on the default trees of random graphs, whose vars and nodes have the words of a tree's text for names;
 * the tree of each step that is taken is printed and read.  LT_SEED=N begins with another seed, LT_STEPS=100000 takes
 * more.
 */
#include <criterion/criterion.h>
#include "base/names.h"
#include "ir/pass/pass.h"
#include "looptree/default/default.h"
#include "looptree/schedule/schedule.h"
#include "check/random/must.h"
#include "check/random/random.h"
#include "tests/random_gpu.h"
#include "tests/tree_text.h"

TestSuite(tree_steps, .timeout = 3600);

enum { STEPS_OF_A_GRAPH = 40, TRIES_OF_A_GRAPH = 160, MAX_NODES = 400 };
struct steps { uint64_t rng, seed; int64_t taken, refused, graphs; };

static const char *const words[] = { "layout", "depth", "stream", "pad", "swizzle", "step", "tail", "async", "reduce",
	"limit", "over", "as", "below", "for", "copy", "clone", "window", "partial", "group", "at", "axis", "root", "tree",
	"value", "var", "own", "rank", "vector", "call", "serial" };

/* Some vars and nodes get other names, before anything else has seen them. */
static void rename_some(struct lt_graph *g, uint64_t *rng)
{
	enum { N = sizeof words / sizeof *words };
	for (lt_var v = 0; v < g->n_var; v++)
		if (random_chance(rng, 50))
			g->var[v].name = lt__names_unique(g->var_names, words[random_between(rng, 0, N - 1)], v);
	for (lt_node n = 0; n < g->n_node; n++)
		if (random_chance(rng, 30))
			g->node[n].name = lt__names_unique(g->node_names, words[random_between(rng, 0, N - 1)], n);
}

static void new_graph(struct steps *s, struct lt_context *ctx, struct random_graph *r)
{
	char text[4000];
	struct random_recipe recipe;
	if (random_chance(&s->rng, 30) && random_recipe(&s->rng, &recipe)) {
		*r = (struct random_graph){ .exact = true };
		must(lt_graph_parse(ctx, recipe.graph, strlen(recipe.graph), "recipe", &r->g) == LT_OK, "%s",
			lt_context_message(ctx));
	} else if (random_chance(&s->rng, 40)) {
		random_nest_new(ctx, s->seed, 0, 0, r, text, sizeof text);
	} else {
		struct random_options o = { .n_node = (int32_t)random_between(&s->rng, 3, 14), .views = true };
		o.params = random_chance(&s->rng, 30);
		o.states = random_chance(&s->rng, 20);
		o.composites = random_chance(&s->rng, 50);
		random_graph_new(ctx, s->seed, &o, r);
	}
	rename_some(r->g, &s->rng);
	if (random_chance(&s->rng, 70)) {               /* as what is compiled: without views that a kernel cannot read */
		struct lt_graph *live, *lowered;
		must(!lt__pass_dead(r->g, &live) && !lt__materialize(live, &lowered), "%s", lt_context_message(ctx));
		lt_graph_free(live);
		lt_graph_free(r->g);
		r->g = lowered;
	}
}

static void check_tree(const struct steps *s, const struct lt_looptree *t, const char *step)
{
	struct run_text why;
	bool same = tree_reads_back(t, &why);
	cr_assert(same, "seed %llu, `%s`: %s", (unsigned long long)s->seed, step, why.at);
}

/* One step of either kind; false: none was drawn or it is refused. */
static bool take_step(struct steps *s, struct lt_looptree **t)
{
	char step[1000];
	int kind;
	struct lt_looptree *next;
	bool drawn = random_chance(&s->rng, 25)
		? random_gpu_step(*t, (enum random_gpu_phase)random_between(&s->rng, 0, GPU_N_PHASE - 1), &s->rng, step, sizeof step)
		: random_step(*t, &s->rng, "", &kind, step, sizeof step);
	if (!drawn || lt_looptree_apply(*t, step, strlen(step), "s", 0, NULL, &next, NULL)) {
		s->refused += drawn;
		return false;
	}
	lt_looptree_free(*t);
	*t = next;
	s->taken++;
	check_tree(s, *t, step);
	return true;
}

static void take_steps(struct steps *s)
{
	struct lt_context *ctx;
	struct random_graph r;
	struct lt_looptree *t;
	must(lt_context_new(&ctx) == LT_OK, "no context");
	new_graph(s, ctx, &r);
	must(lt_looptree_auto(r.g, NULL, &t) == LT_OK, "seed %llu: %s", (unsigned long long)s->seed, lt_context_message(ctx));
	check_tree(s, t, "the default tree");
	int taken = 0;
	for (int i = 0; i < TRIES_OF_A_GRAPH && taken < STEPS_OF_A_GRAPH && t->root >= 0 && t->n_node < MAX_NODES; i++)
		taken += take_step(s, &t);
	s->graphs++;
	lt_looptree_free(t);
	random_graph_free(&r);
	lt_context_free(ctx);
}

Test(tree_steps, what_a_primitive_makes_reads_back)
{
	struct steps s = { .seed = must_number("LT_SEED", 1) };
	const int64_t wanted = (int64_t)must_number("LT_STEPS", 2000);
	for (; s.taken < wanted; s.seed++) {
		s.rng = s.seed * 977 + 5;
		take_steps(&s);
	}
	fprintf(stderr, "%lld steps taken and read back, %lld refused, of %lld graphs\n", (long long)s.taken,
		(long long)s.refused, (long long)s.graphs);
}
