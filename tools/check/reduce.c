/* reduce.c -- the smallest graph and schedule that still fail.
 *
 * Steps that each make a candidate a little smaller are tried, kind by kind, and kept where the candidate is a graph
 * and fails; until no step is left that can be kept, or time or tries run out.  A schedule is replayed on each graph,
 * without the steps that do not fit it; the default tree is tried first, and mostly it is enough.  All is done on
 * texts, so that what is found is what is written.
 */
#include <stdlib.h>
#include <string.h>
#include "tools/check/check.h"
#include "tools/check/reduce.h"

enum { MAX_TRIES = 3000, MAX_SECONDS = 10 };

struct reducer {
	struct lt_context *ctx;
	check_still_fails *fails;
	void *user;
	char *graph, *schedule;         /* the smallest so far; schedule NULL: the default tree */
	int set;                        /* of data, with which that one fails */
	uint64_t tried[MAX_TRIES];     /* hashes */
	int n_tried;
	double until;
	bool more;                      /* something was kept in this round */
	bool unrun;                     /* a graph could not be tried, the context says why */
};

static bool is_over(const struct reducer *r) { return r->n_tried == MAX_TRIES || lt__check_now() > r->until; }

/* Whether these texts, which are new, are of a graph that fails; it is then the smallest.  Takes the graph's, and never
 * the schedule. */
static bool keep_if_fails(struct reducer *r, char *graph, const char *schedule)
{
	uint64_t hash = schedule ? lt__check_hash(schedule, strlen(schedule), 1) : 0;
	hash = graph ? lt__check_hash(graph, strlen(graph), hash) : 0;
	struct check_outcome out = { .done = false };
	struct lt_graph *g;
	bool fails = false, known = !graph || is_over(r);
	for (int i = 0; !known && i < r->n_tried; i++)
		known = r->tried[i] == hash;
	if (!known && !lt_graph_parse(r->ctx, graph, strlen(graph), "graph", &g)) {
		r->tried[r->n_tried++] = hash;
		fails = !lt_graph_verify(g) && r->fails(r->user, g, schedule, &out);
		lt_graph_free(g);
		if (out.unrun)
			r->unrun = lt_fail(r->ctx, LT_EDEVICE, "%s", out.text) != LT_OK;
	}
	free(fails ? r->graph : graph);
	free(fails ? r->schedule : out.schedule);
	if (fails) {
		r->graph = graph;
		r->schedule = out.schedule;
		r->set = out.set;
		r->more = true;
	}
	return fails;
}

static void try_kind(struct reducer *r, const struct reduce_kind *kind)
{
	bool more = true;
	for (int64_t k = 0; more && !is_over(r); ) {
		char *graph = lt__reduce_by(kind, r->graph, k, &more);
		if (graph)
			lt__reduce_drop_unused(graph);
		k += !keep_if_fails(r, graph, r->schedule);     /* what was k + 1 is k now */
	}
}

/* The default tree, the plain one, then one step less. */
static void try_schedules(struct reducer *r)
{
	char *less;
	if (!r->schedule || keep_if_fails(r, strdup(r->graph), NULL) || keep_if_fails(r, strdup(r->graph), "schedule 1\n"))
		return;
	for (int64_t k = 0; !is_over(r) && r->schedule && (less = lt__reduce_step(r->schedule, k)); free(less))
		k += !keep_if_fails(r, strdup(r->graph), less);
}

/* Until a whole round keeps nothing. */
static void reduce_all(struct reducer *r)
{
	do {
		r->more = false;
		try_schedules(r);
		for (const struct reduce_kind *kind = lt__reduce_kinds; kind->name; kind++)
			try_kind(r, kind);
	} while (r->more && !is_over(r));
}

lt_status lt__check_reduce(
	const struct check_failure *f, check_still_fails *fails, void *user, char *text, size_t bytes)
{
	struct reducer *r = calloc(1, sizeof *r);
	lt_status st = LT_ENOMEM;
	text[0] = '\0';
	if (r) {
		*r = (struct reducer){ .ctx = f->graph->ctx, .fails = fails, .user = user, .until = lt__check_now() + MAX_SECONDS };
		st = LT_EINVAL;
		if (keep_if_fails(r, lt__reduce_text(f->graph), f->schedule)) {
			reduce_all(r);
			st = lt__reduce_write(f, &(struct reduced){ r->graph, r->schedule, r->set, r->n_tried, is_over(r) }, text, bytes);
		} else if (!r->unrun) {
			lt_fail(r->ctx, st, "run again by itself, it does not fail: it depends on what ran before, or on chance");
		}
	}
	if (st)
		(void)snprintf(text, bytes, "not reduced: %s\n",
			st == LT_ENOMEM ? "out of memory" : lt_context_message(f->graph->ctx));
	if (r) {
		free(r->graph);
		free(r->schedule);
		free(r);
	}
	return st;
}
