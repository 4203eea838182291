/* tools/check_reduce.c -- the smallest graph and loop tree that still fail.
 *
 * Steps that each make a candidate a little smaller are tried, kind by kind, and kept where the candidate is a graph (and its tree a tree)
 * and fails; until no step is left that can be kept, or time or tries run out.  All is done on texts, so that what is found is what is
 * written.
 */
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "tools/check.h"
#include "tools/check_reduce.h"

enum { MAX_TRIES = 3000, MAX_SECONDS = 10 };

struct reducer {
	struct lt_context *ctx;
	const struct check_failure *f;
	check_still_fails *fails;
	void *user;
	char *graph, *tree;             /* the smallest so far; tree NULL: the default one */
	int set, set_asked;             /* of data: with which that one, and the last that was asked, fails */
	uint64_t tried[MAX_TRIES];     /* hashes */
	int n_tried;
	double until;
	bool more;                      /* something was kept in this round */
};

static double now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static bool is_over(const struct reducer *r) { return r->n_tried == MAX_TRIES || now() > r->until; }

static uint64_t hash_of(const char *graph, const char *tree)
{
	uint64_t h = 14695981039346656037u;
	for (const char *const *text = (const char *const[]){ graph, tree ? tree : "-", NULL }; *text; text++)
		for (const char *s = *text; ; s++) {
			h = (h ^ (unsigned char)*s) * 1099511628211u;
			if (!*s)
				break;
		}
	return h;
}

/* Whether these texts, which are new, are of a graph that fails. */
static bool is_failure(struct reducer *r, const char *graph, const char *tree)
{
	uint64_t hash = hash_of(graph, tree);
	struct lt_graph *g;
	for (int i = 0; i < r->n_tried; i++)
		if (r->tried[i] == hash)
			return false;
	if (is_over(r) || lt_graph_parse(r->ctx, graph, strlen(graph), "graph", &g))
		return false;
	r->tried[r->n_tried++] = hash;
	bool fails = !lt_graph_verify(g) && r->fails(r->user, g, tree, &r->set_asked);
	lt_graph_free(g);
	return fails;
}

/* Takes both texts. */
static bool keep_if_fails(struct reducer *r, char *graph, char *tree)
{
	bool fails = is_failure(r, graph, tree);
	if (fails) {
		free(r->graph);
		free(r->tree);
		r->graph = graph;
		r->tree = tree;
		r->set = r->set_asked;
		r->more = true;
	} else {
		free(graph);
		free(tree);
	}
	return fails;
}

static char *copy_text(const char *text)
{
	size_t n = text ? strlen(text) + 1 : 0;
	char *at = n ? malloc(n) : NULL;
	if (at)
		memcpy(at, text, n);
	return at;
}

struct reduce_step { struct lt_graph *g; const struct reduce_kind *kind; int64_t k; enum reduce_made made; };

static lt_status step_body(void *arg)
{
	struct reduce_step *s = arg;
	s->made = s->kind ? s->kind->make(s->g, s->k) : REDUCE_MADE;
	if (s->made == REDUCE_MADE)
		lt__reduce_tidy(s->g);
	return LT_OK;
}

/* The graph after a step (kind NULL: only tidied); *made says whether there is a k-th. */
static char *graph_after(struct reducer *r, const struct reduce_kind *kind, int64_t k, enum reduce_made *made)
{
	struct reduce_step s = { NULL, kind, k, REDUCE_NONE };
	char *text = NULL;
	if (!lt_graph_parse(r->ctx, r->graph, strlen(r->graph), "graph", &s.g)) {
		if (lt__protect(r->ctx, step_body, &s))
			s.made = REDUCE_NOT;
		text = s.made == REDUCE_MADE ? lt__reduce_text(s.g) : NULL;
		lt_graph_free(s.g);
	}
	*made = s.made;
	return text;
}

static bool keep_graph(struct reducer *r, char *graph)
{
	enum reduce_made made;
	if (!graph || !strcmp(graph, r->graph)) {
		free(graph);
		return false;
	}
	char *tree = r->tree ? lt__reduce_tree(r->ctx, r->graph, r->tree, graph, -1, &made) : NULL;
	if (r->tree && !tree) {
		free(graph);
		return false;
	}
	return keep_if_fails(r, graph, tree);
}

static void try_kind(struct reducer *r, const struct reduce_kind *kind)
{
	enum reduce_made made = REDUCE_NOT;
	for (int64_t k = 0; made != REDUCE_NONE && !is_over(r); ) {
		char *graph = graph_after(r, kind, k, &made);
		k += !keep_graph(r, graph);     /* what was k + 1 is k now */
	}
}

static void try_tree(struct reducer *r)
{
	enum reduce_made made = REDUCE_NOT;
	for (int64_t k = 0; r->tree && made != REDUCE_NONE && !is_over(r); ) {
		char *tree = lt__reduce_tree(r->ctx, r->graph, r->tree, r->graph, k, &made);
		if (tree && strcmp(tree, r->tree))
			k += !keep_if_fails(r, copy_text(r->graph), tree);
		else {
			free(tree);
			k++;
		}
	}
}

static void try_other_trees(struct reducer *r)
{
	if (r->tree && !keep_if_fails(r, copy_text(r->graph), NULL)) {
		char *plain = lt__reduce_plain(r->ctx, r->graph);
		if (plain && strcmp(plain, r->tree))
			keep_if_fails(r, copy_text(r->graph), plain);
		else
			free(plain);
	}
}

/* Until a whole round keeps nothing. */
static void reduce_all(struct reducer *r)
{
	enum reduce_made made;
	try_other_trees(r);
	keep_graph(r, graph_after(r, NULL, 0, &made));
	do {
		r->more = false;
		for (const struct reduce_kind *kind = lt__reduce_kinds; kind->name; kind++)
			try_kind(r, kind);
		try_tree(r);
		try_other_trees(r);
	} while (r->more && !is_over(r));
}

lt_status lt__check_reduce(const struct check_failure *f, check_still_fails *fails, void *user, char *told, size_t bytes)
{
	struct reducer *r = calloc(1, sizeof *r);
	lt_status st = LT_ENOMEM;
	told[0] = '\0';
	if (r) {
		*r = (struct reducer){ .ctx = f->graph->ctx, .f = f, .fails = fails, .user = user, .until = now() + MAX_SECONDS };
		r->graph = lt__reduce_text(f->graph);
		r->tree = copy_text(f->tree_text);
	}
	if (r && r->graph && (r->tree || !f->tree_text)) {
		if (is_failure(r, r->graph, r->tree)) {
			r->set = r->set_asked;
			reduce_all(r);
			st = lt__reduce_write(f, &(struct reduced){ r->graph, r->tree, r->set, r->n_tried, is_over(r) }, told, bytes);
		} else {
			st = LT_EINVAL;
			lt_fail(r->ctx, st, "run again by itself, it does not fail: it depends on what ran before, or on chance");
		}
	}
	if (st)
		(void)snprintf(told, bytes, "not reduced: %s\n", st == LT_ENOMEM ? "out of memory" : lt_context_message(f->graph->ctx));
	if (r) {
		free(r->graph);
		free(r->tree);
		free(r);
	}
	return st;
}
