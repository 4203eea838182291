/* tree_summary.c -- the layers of a network in its default tree. */
#include <stdlib.h>
#include <string.h>
#include "check/random/must.h"
#include "looptree/tree/tree.h"
#include "tests/tree_summary.h"
#include "tests/tree_text.h"

static double iterations(const struct lt_looptree *t, lt_node n)
{
	const struct lt_leaf *leaf = t->leaf[n];
	double all = 1;
	for (int32_t i = 0; i < leaf->n_var; i++)
		if (!t->graph->var[leaf->var[i]].unit)          /* the number of an iteration is none more */
			all *= (double)t->graph->var[leaf->var[i]].extent;
	return all;
}

static bool is_copy(const struct lt_looptree *t, lt_node n) { return t->graph->node[n].op == LT_OP_copy; }

/* The leaf of a nest after `at`; -1: the first one, or none is left. */
static lt_tnode next_leaf(const struct lt_looptree *t, lt_tnode root, lt_tnode at)
{
	for (at = lt_looptree_leaf_after(t, at); at >= 0 && lt__root_of(t, at) != root;)
		at = lt_looptree_leaf_after(t, at);
	return at;
}

/* Of leaves that are run as often the last one, so the sum of a product; copies count only where nothing else is. */
static void find_main(const struct lt_looptree *t, struct layer *l)
{
	l->main = -1;
	for (lt_tnode at = next_leaf(t, l->root, -1); at >= 0; at = next_leaf(t, l->root, at)) {
		lt_node n = t->node[at].leaf;
		bool more = l->main < 0 || (is_copy(t, l->main) && !is_copy(t, n)) || iterations(t, n) >= iterations(t, l->main);
		if (more && (l->main < 0 || !is_copy(t, n) || is_copy(t, l->main)))
			l->main = n;
	}
	l->work = iterations(t, l->main);
}

static void find_loops(const struct lt_looptree *t, struct layer *l)
{
	l->parallel = -1;
	for (lt_tnode at = t->node[t->leaf_of[l->main]].parent; at >= 0; at = t->node[at].parent) {
		if (t->node[at].kind != LT_TLOOP)
			continue;
		if (t->node[at].loop == LT_VECTOR)
			l->lanes = lt_looptree_trip_count(t, at) * (l->lanes ? l->lanes : 1);
		if (t->node[at].loop == LT_PARALLEL)
			l->parallel = at;
	}
}

struct layer *layers_of(const struct lt_program *p, int32_t *n)
{
	const struct lt_looptree *t = p->tree;
	struct layer *all = calloc((size_t)t->n_root + 1, sizeof *all);
	must(all != NULL, "out of memory");
	*n = 0;
	for (lt_tnode root = t->root; root >= 0; root = t->node[root].next, (*n)++) {
		struct layer *l = &all[*n];
		*l = (struct layer){ .root = root, .nest = *n, .kernel = p->kernels.of[*n] };
		find_main(t, l);
		find_loops(t, l);
		l->early = p->nests.assigned.early[l->main];
	}
	return all;
}

/* -- the table -- */

/* "6x2x8": iterations that are written out, and lanes, around the main leaf. */
static void print_tile(const struct lt_looptree *t, const struct layer *l, char *text, size_t bytes)
{
	lt_tnode loop[64];
	size_t at = 0;
	int32_t n = lt__loops_above(t, t->leaf_of[l->main], loop);
	text[0] = '\0';
	for (int32_t i = 0; i < n && at + 24 < bytes; i++)
		if (t->node[loop[i]].loop == LT_UNROLL || t->node[loop[i]].loop == LT_VECTOR)
			at += (size_t)snprintf(text + at, bytes - at, "%s%lld", at ? "x" : "",
				(long long)lt_looptree_trip_count(t, loop[i]));
	if (!l->lanes)
		snprintf(text, bytes, "scalar");
}

static void print_name(const struct lt_looptree *t, lt_node n, const char *word, bool *begun, FILE *out)
{
	fprintf(out, "%s%s %%%s", *begun ? "" : "; ", *begun ? "" : word, t->graph->node[n].name);
	*begun = true;
}

/* What the nest computes after the main leaf, or what it copies before it. */
static void print_leaves(const struct lt_looptree *t, const struct layer *l, bool copies, FILE *out)
{
	bool after = false, begun = false;
	for (lt_tnode at = next_leaf(t, l->root, -1); at >= 0; at = next_leaf(t, l->root, at)) {
		lt_node n = t->node[at].leaf;
		if (copies ? is_copy(t, n) && !after && n != l->main : after)
			print_name(t, n, copies ? "copies" : "then", &begun, out);
		after = after || n == l->main;
	}
}

/* What the nest reads of what was packed before the first run. */
static void print_packed(const struct lt_program *p, const struct layer *l, FILE *out)
{
	const struct lt_looptree *t = p->tree;
	bool begun = false;
	for (lt_tnode at = next_leaf(t, l->root, -1); at >= 0; at = next_leaf(t, l->root, at)) {
		const struct lt_leaf *leaf = t->leaf[t->node[at].leaf];
		for (int32_t k = 0; k < leaf->n_read; k++)
			for (int32_t i = 0; i < leaf->read[k].n_piece; i++) {
				lt_node base = leaf->read[k].piece[i].base;
				if (base >= 0 && t->leaf_of[base] >= 0 && p->nests.assigned.early[base])
					print_name(t, base, "packed", &begun, out);
			}
	}
}

/* Iterations of the loops of some kinds around the main leaf. */
static int64_t iterations_of(const struct lt_program *p, const struct layer *l, uint32_t kinds)
{
	const struct lt_looptree *t = p->tree;
	int64_t trips = 1;
	for (lt_tnode at = t->node[t->leaf_of[l->main]].parent; at >= 0; at = t->node[at].parent)
		if (t->node[at].kind == LT_TLOOP && kinds >> t->node[at].loop & 1)
			trips *= lt_looptree_trip_count(t, at);
	return trips;
}

/* A loop over what is summed is written out, too: it makes no more elements. */
int64_t layer_each(const struct lt_program *p, const struct layer *l)
{
	const struct lt_looptree *t = p->tree;
	int64_t each = 1;
	for (lt_tnode at = t->node[t->leaf_of[l->main]].parent; at >= 0; at = t->node[at].parent)
		if (t->node[at].kind == LT_TLOOP && (t->node[at].loop == LT_UNROLL || t->node[at].loop == LT_VECTOR)
			&& !lt__reduces(t->graph, l->main, t->node[at].var))
			each *= lt_looptree_trip_count(t, at);
	return each;
}

void layers_print_grids(const struct lt_program *p, const struct layer *l, int32_t n, const char *what, FILE *out)
{
	for (int32_t i = 0; i < n; i++) {
		if (l[i].early)
			continue;
		fprintf(out, "%-34s %9.3f %7lld %7lld  %4lld  %%%s", what, l[i].work / 1e6,
			(long long)iterations_of(p, &l[i], 1u << LT_GRID), (long long)iterations_of(p, &l[i], 1u << LT_BLOCK),
			(long long)layer_each(p, &l[i]), p->tree->graph->node[l[i].main].name);
		print_leaves(p->tree, &l[i], false, out);
		print_leaves(p->tree, &l[i], true, out);
		fprintf(out, "\n");
	}
}

static void print_layer(const struct lt_program *p, const struct layer *l, FILE *out)
{
	const struct lt_looptree *t = p->tree;
	char tile[64];
	print_tile(t, l, tile, sizeof tile);
	fprintf(out, "k%-4d %9.3f  %-9s %-8s %%%s", l->kernel, l->work / 1e6, tile,
		l->parallel < 0 ? "-" : t->graph->var[t->node[l->parallel].var].name, t->graph->node[l->main].name);
	print_leaves(t, l, false, out);
	print_leaves(t, l, true, out);
	print_packed(p, l, out);
	fprintf(out, "\n");
}

/* -- the trees -- */

/* Line by line: what begins at the margin after "tree" is a root. */
static void print_trees(const struct lt_program *p, const struct layer *l, int32_t n, FILE *out)
{
	struct run_text text = tree_print(p->tree);
	const char *at = strstr(text.at, "\ntree\n");
	bool *known = calloc((size_t)p->kernels.n + 1, sizeof *known);
	bool shown = false;
	int32_t root = -1;
	must(at && known, "there is no tree");
	for (at += strlen("\ntree\n"); *at; at = strchr(at, '\n') + 1) {
		if (*at != ' ') {
			root++;
			must(root < n, "more roots than layers");
			shown = l[root].kernel >= 0 && !known[l[root].kernel];
			if (shown) {
				known[l[root].kernel] = true;
				fprintf(out, "\nk%d%s\n", l[root].kernel, l[root].early ? ", before the first run" : "");
			}
		}
		if (shown)
			fprintf(out, "%.*s", (int)(strchr(at, '\n') + 1 - at), at);
	}
	free(known);
	run_text_free(&text);
}

void layers_print(const struct lt_program *p, const struct layer *l, int32_t n, FILE *out)
{
	int32_t early = 0;
	fprintf(out,
		"# %d kernels for %s: each layer in order, then the tree of each kernel.  Millions of iterations of "
		"what\n"
		"# is run most often; the tile of that, its last number the lanes of a vector; the parallel loop; what "
		"is computed\n"
		"# then in the same nest; copies that the nest makes; what it reads that was packed before the first "
		"run.\n"
		"# kernel  work  tile      parallel  computes\n",
		p->kernels.n, p->tree->target);
	for (int32_t i = 0; i < n; i++) {
		early += l[i].early;
		if (!l[i].early)
			print_layer(p, &l[i], out);
	}
	fprintf(out, "and %d nests before the first run\n", early);
	print_trees(p, l, n, out);
}

char *layers_read(const char *path)
{
	FILE *f = fopen(path, "r");
	char *text = NULL;
	size_t bytes = 0;
	FILE *out = f ? open_memstream(&text, &bytes) : NULL;
	for (int c = f && out ? getc(f) : EOF; c != EOF; c = getc(f))
		putc(c, out);
	if (f)
		fclose(f);
	return out && fclose(out) == 0 ? text : NULL;
}
