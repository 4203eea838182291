/* test_trace_footprint.c -- the footprints that the plug-in trace counts, against the access analysis: of whole
 * values against the maps of the leaves (looptree/tree/access.c), walked point by point; of each access against what
 * --dump=access says.
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "looptree/freeze/freeze.h"
#include "program/run/run.h"
#include "tests/built.h"
#include "tests/random_layer.h"
#include "tests/traced.h"
#include "tests/view_walk.h"

static void setup(void) { (void)traced_backend(); }
static void teardown(void) { scratch_remove(); }
TestSuite(trace_footprint, .init = setup, .fini = teardown, .timeout = 120);

enum { READ = 1, WRITTEN = 2, GATHERED = 4 };
struct nest {
	const struct lt_program *p;
	const struct lt_frozen *f;
	struct lt_arena *a;
	const int64_t *param;           /* of the graph */
	unsigned char **mark;           /* by storage, by element */
	const char *what;
};
struct tally { int64_t buffers, accesses, n_bounded; };

static void mark(struct nest *z, lt_node base, const int64_t *index, int how)
{
	const struct lt_location *location = &z->p->nests.assigned.location[base];
	const struct lt_nodedef *d = &z->p->tree->graph->node[base];
	if (location->storage < 0)
		return;
	int64_t element = location->offset;
	for (int32_t i = 0; i < d->n_dim; i++)
		element += location->stride[i] * index[i];
	cr_assert(element >= 0 && element < z->p->nests.assigned.storage[location->storage].elems,
		"%s: %%%s", z->what, d->name);
	z->mark[location->storage][element] |= (unsigned char)how;
}

/* A leaf at one point.  What a gather reads depends on data: that is only noted. */
static void walk_point(struct nest *z, lt_node n, const struct lt_leaf *leaf, const struct lt_map *dest, int64_t *at)
{
	const struct lt_graph *g = z->p->tree->graph;
	int64_t out[LT_MAX_RANK] = { 0 };
	for (int32_t i = leaf->n_var; i < leaf->n_var + leaf->n_trip; i++)
		at[i] = at[lt__leaf_column(leaf, g->var[leaf->var[i]].of)] / g->var[leaf->var[i]].unit;
	if (leaf->gather)
		at[leaf->n_var] = 0;
	for (int32_t k = 0; k < leaf->n_read; k++)
		for (int32_t p = 0; p < leaf->read[k].n_piece; p++) {
			const struct lt_readpiece *piece = &leaf->read[k].piece[p];
			if (!walk_apply(&piece->map, z->param, at, out))
				continue;
			if (piece->kind == LT_PIECE_READ)
				mark(z, piece->base, out, leaf->gather && k == 0 ? GATHERED : READ);
			break;
		}
	cr_assert(walk_apply(dest, z->param, at, out));
	mark(z, n, out, WRITTEN);
}

static void walk_leaf(struct nest *z, lt_node n)
{
	const struct lt_graph *g = z->p->tree->graph;
	struct lt_leaf *leaf;
	struct lt_map dest;
	int64_t extent[LT_MAX_RANK], at[2 * LT_MAX_RANK] = { 0 };
	cr_assert_eq(lt__leaf_access(g, z->a, n, &leaf), LT_OK);
	lt__leaf_dest(g, z->a, n, leaf, &dest);
	for (int32_t i = 0; i < leaf->n_var; i++)
		if ((extent[i] = walk_extent(g, z->param, leaf->var[i])) == 0)
			return;
	do
		walk_point(z, n, leaf, &dest, at);
	while (walk_next(leaf->n_var, extent, at));
}

static int64_t count(const struct nest *z, const struct lt_bind *b, int how)
{
	int64_t n = 0;
	for (int64_t i = 0; i < z->p->nests.assigned.storage[b->storage].elems; i++)
		n += (z->mark[b->storage][i] & how) != 0;
	return n;
}

/* Whether loops go on behind the end of their dims, where the memory of what they write does, too. */
static bool has_padded_loops(const struct lt_looptree *t)
{
	for (lt_tnode n = lt_looptree_after(t, -1); n >= 0; n = lt_looptree_after(t, n))
		if (t->node[n].kind == LT_TLOOP && t->node[n].tail == LT_PAD)
			return true;
	return false;
}

/* Storages that stand in one slot of the nest; what a reduction or an update writes it reads, too. */
static void compare_buffers(struct nest *z, const struct traced *t, struct tally *tally)
{
	const struct lt_tree *tree = &z->f->tree;
	for (int32_t i = 0; i < (int32_t)tree->buffers.n; i++) {
		const struct lt_buffer *b = LT_AT(struct lt_buffer, tree->buffers, i);
		int32_t same = 0;
		if (b->slot < 0)
			continue;
		for (int32_t k = 0; k < (int32_t)tree->buffers.n; k++) {
			int32_t slot = LT_AT(struct lt_buffer, tree->buffers, k)->slot;
			same += slot >= 0 && z->f->bind[slot].storage == z->f->bind[b->slot].storage;
		}
		if (same > 1)
			continue;
		int64_t read = count(z, &z->f->bind[b->slot], READ), written = count(z, &z->f->bind[b->slot], WRITTEN);
		int64_t got = traced_stat(t, "buffer%d.read_elems", i);
		int64_t stored = traced_stat(t, "buffer%d.written_elems", i);
		int64_t most = has_padded_loops(z->p->tree) && written
			? z->p->nests.assigned.storage[z->f->bind[b->slot].storage].elems : written;
		cr_expect(stored >= written && stored <= most, "%s: %lld elements of %s are written, by its accesses %lld",
			z->what, (long long)stored, b->name, (long long)written);
		if (!written && !count(z, &z->f->bind[b->slot], GATHERED))
			cr_expect_eq(got, read, "%s: %lld elements of %s are read, by its accesses %lld", z->what,
				(long long)got, b->name, (long long)read);
		tally->buffers++;
	}
}

/* -- each access -- */

/* By access, how many elements are read, and written. */
struct distinct { int64_t n[2]; unsigned char *seen; };
static struct distinct *find_distinct(const struct traced *t, const struct lt_tree *tree)
{
	struct distinct *d = calloc(tree->accesses.n + 1u, sizeof *d);
	for (int64_t i = 0; i < t->n; i++) {
		const struct traced_access *a = &t->at[i];
		if (a->access < 0)
			continue;
		struct distinct *to = &d[a->access];
		if (!to->seen)
			to->seen = calloc(1, (size_t)LT_AT(struct lt_buffer, tree->buffers, a->buffer)->elems);
		to->n[a->write] += !(to->seen[a->element] >> a->write & 1);
		to->seen[a->element] |= (unsigned char)(1 << a->write);
	}
	return d;
}

/* The last line of footprints below the line at `text`: those of all trips of the outermost loop; its bytes, -1 if they
 * are at most so many, 0 without a loop.  *next: the line after them. */
static int64_t printed_bytes(const char *text, const char **next)
{
	int64_t bytes = 0;
	const char *at = strchr(text, '\n') + 1;
	while (!strncmp(at, "      ", 6)) {
		const char *touch = strstr(at, "all iterations touch ") + 21;
		bytes = strncmp(touch, "at most", 7) ? strtoll(touch, NULL, 10) : -1;
		at = strchr(at, '\n') + 1;
	}
	*next = at;
	return bytes;
}

static bool unbounded(const struct lt_tree *t, int32_t loop)
{
	for (; loop >= 0; loop = LT_AT(struct lt_loop, t->loops, loop)->parent)
		if (LT_AT(struct lt_loop, t->loops, loop)->n_bound)
			return false;
	return true;
}

/* An access that no guard and no bound makes smaller, and that stands in one place. */
static void compare_access(struct nest *z, const struct distinct *d, const int *used, const struct lt_stmt *s,
	int32_t access, bool write, bool guarded, int64_t bytes, struct tally *tally)
{
	const struct lt_tree *tree = &z->f->tree;
	const struct lt_buffer *b =
		LT_AT(struct lt_buffer, tree->buffers, LT_AT(struct lt_access, tree->accesses, access)->buffer);
	int64_t size = LT_AT(struct lt_type, tree->types, b->type)->bytes;
	if (guarded || s->n_guard || used[access] != 1 || !unbounded(tree, s->loop))
		return;
	if (bytes < 0) {
		tally->n_bounded++;
		return;
	}
	bytes = s->loop < 0 ? size : bytes;
	cr_expect_eq(d[access].n[write] * size, bytes, "%s: %%%s %s %lld bytes of %s, by --dump=access %lld", z->what, s->name,
		write ? "writes" : "reads", (long long)(d[access].n[write] * size), b->name, (long long)bytes);
	tally->accesses++;
}

static void compare_printed(struct nest *z, const struct traced *t, struct tally *tally)
{
	const struct lt_tree *tree = &z->f->tree;
	struct lt_text x = { .arena = z->a };
	struct distinct *d = find_distinct(t, tree);
	int *used = calloc(tree->accesses.n + 1u, sizeof *used);
	lt__show_access(&x, tree);
	const char *at = x.at;
	for (uint32_t i = 0; i < tree->stmts.n; i++) {
		const struct lt_stmt *s = LT_AT(struct lt_stmt, tree->stmts, i);
		used[s->dest]++;
		for (int32_t k = 0; k < s->n_operand; k++) {
			const struct lt_operand *o = LT_AT(struct lt_operand, tree->operands, s->first_operand + k);
			for (int32_t p = 0; p < o->n_piece; p++) {
				const struct lt_piece *piece = LT_AT(struct lt_piece, tree->pieces, o->first_piece + p);
				if (piece->kind == LT_READ)
					used[piece->access]++;
			}
		}
	}
	for (uint32_t i = 0; i < tree->stmts.n; i++) {
		const struct lt_stmt *s = LT_AT(struct lt_stmt, tree->stmts, i);
		at = strstr(at, "\n    writes ") + 1;
		int64_t bytes = printed_bytes(at, &at);
		compare_access(z, d, used, s, s->dest, true, false, bytes, tally);
		for (int32_t k = 0; k < s->n_operand && s->kind != LT_RESET; k++) {
			const struct lt_operand *o = LT_AT(struct lt_operand, tree->operands, s->first_operand + k);
			for (int32_t p = 0; p < o->n_piece; p++) {
				const struct lt_piece *piece = LT_AT(struct lt_piece, tree->pieces, o->first_piece + p);
				cr_assert(!strncmp(at, "    reads ", 10), "%s", at);
				bytes = printed_bytes(at, &at);
				if (piece->kind == LT_READ)
					compare_access(z, d, used, s, piece->access, false, o->n_piece > 1, bytes, tally);
			}
		}
		at--;
	}
	for (uint32_t i = 0; i < tree->accesses.n; i++)
		free(d[i].seen);
	free(d);
	free(used);
}

/* What the kernel's params are, and that they are read. */
static void find_params(struct nest *z, int64_t *param)
{
	const struct lt_tree *t = &z->f->tree;
	for (int32_t i = 0; i < t->n_param; i++) {
		const struct lt_tparam *q = LT_AT(struct lt_tparam, t->params, i);
		const struct lt_bind *b = &z->f->bind[LT_AT(struct lt_buffer, t->buffers, q->buffer)->slot];
		param[i] = z->param[b->offset + q->element];
		z->mark[b->storage][b->offset + q->element] |= READ;
	}
}

static void compare_program(const struct lt_program *p, const char *name, const int64_t *param, struct tally *tally)
{
	for (int32_t i = 0; i < p->nests.n; i++) {
		const struct lt_frozen *f = &p->nests.frozen[i];
		struct traced t;
		char what[64];
		(void)snprintf(what, sizeof what, "%s, %s", name, f->tree.name);
		int64_t own[64];
		struct nest z = { .p = p,
			.f = f,
			.what = what,
			.param = param,
			.mark = calloc((size_t)p->nests.assigned.n_storage + 1, sizeof *z.mark) };
		cr_assert_eq(lt__arena_new(p->ctx, &z.a), LT_OK);
		for (int32_t s = 0; s < p->nests.assigned.n_storage; s++)
			z.mark[s] = calloc(1, (size_t)p->nests.assigned.storage[s].elems + 1);
		for (int32_t s = 0; s < (int32_t)f->tree.stmts.n; s++) {
			bool again = false;
			for (int32_t k = 0; k < s && !again; k++)
				again = f->node[k] == f->node[s];
			if (!again)
				walk_leaf(&z, f->node[s]);
		}
		cr_assert_leq(f->tree.n_param, 64);
		find_params(&z, own);
		traced_run(&f->tree, "", own, &t);
		compare_buffers(&z, &t, tally);
		compare_printed(&z, &t, tally);
		traced_free(&t);
		for (int32_t s = 0; s < p->nests.assigned.n_storage; s++)
			free(z.mark[s]);
		free(z.mark);
		lt__arena_free(z.a);
	}
}

static void compare_graph(const struct lt_graph *g, uint64_t seed, const char *kind, struct tally *tally)
{
	struct lt_program *p;
	char name[32];
	(void)snprintf(name, sizeof name, "%s %d", kind, (int)seed);
	const struct lt_options o = { .size = sizeof o,
		.backends = seed % 2 ? "ref" : "trace:file=/dev/null",
		.plan_only = 1,
		.no_passes = seed % 3 == 0 };
	cr_assert_eq(lt_compile(g->ctx, g, &o, &p), LT_OK, "%s", lt_context_message(g->ctx));
	int64_t *param = calloc((size_t)p->tree->graph->n_param + 1, sizeof *param);
	uint64_t rng = seed;
	if (walk_params(p->tree->graph, &rng, param))
		compare_program(p, name, param, tally);
	free(param);
	lt_program_free(p);
}

Test(trace_footprint, of_random_layers)
{
	struct tally tally = { 0 };
	for (uint64_t seed = 1; seed <= 60; seed++) {
		struct lt_context *ctx;
		struct lt_graph *g;
		char text[8000];
		cr_assert_eq(lt_context_new(&ctx), LT_OK);
		random_layer(ctx, seed, 500, &g, text, sizeof text);
		compare_graph(g, seed, "layer", &tally);
		lt_graph_free(g);
		lt_context_free(ctx);
	}
	cr_expect(tally.buffers > 350 && tally.accesses > 700, "%lld buffers, %lld accesses (%lld are bounds)",
		(long long)tally.buffers, (long long)tally.accesses, (long long)tally.n_bounded);
}

Test(trace_footprint, of_random_graphs)
{
	struct tally tally = { 0 };
	for (uint64_t seed = 1; seed <= 100; seed++) {
		struct lt_context *ctx;
		struct random_graph r;
		const struct random_options o = { .n_node = 4 + (int32_t)(seed % 12),
			.views = true,
			.states = true,
			.params = true,
			.composites = seed % 2 };
		cr_assert_eq(lt_context_new(&ctx), LT_OK);
		random_graph_new(ctx, seed, &o, &r);
		compare_graph(r.g, seed, "graph", &tally);
		random_graph_free(&r);
		lt_context_free(ctx);
	}
	cr_expect(tally.buffers > 350 && tally.accesses > 700, "%lld buffers, %lld accesses (%lld are bounds)",
		(long long)tally.buffers, (long long)tally.accesses, (long long)tally.n_bounded);
}
