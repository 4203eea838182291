/* test_work_size.c -- passes and default trees of networks that shuffle, split and concatenate: the work grows as the
 * number of blocks does.  Work is counted, never timed. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "ir/graph/graph.h"
#include "ir/pass/pass.h"
#include "looptree/tree/tree.h"
#include "lt/lt.h"
#include "lt/looptree.h"
#include "lt/target.h"
#include "tests/run_graph.h"

TestSuite(work_size, .timeout = 120);

static const struct lt_target wide = { .size = sizeof wide, .name = "wide", .vector_bytes = 32, .vector_registers = 16,
	.cores = 2, .l1_bytes = 32 << 10, .l1_ways = 8, .l2_bytes = 1 << 20, .l2_ways = 8, .l3_bytes = 32 << 20, .l3_ways = 16,
	.cache_line = 64 };

enum { CHANNELS = 48, FIRST = 8, DOUBLINGS = 3 };

/* A block reads $x and gives $y; $w is a weight of its own. */
static const char *const blocks[] = {
	/* ShuffleNetV2: half of the channels goes on, the other half is computed; then they are shuffled. */
	"$a = SliceNode($x, 0, 24, 1); $b = SliceNode($x, 24, 48, 1);\n"
	"$c = ReLUNode(Conv2dNode($b, $w, [1, 1], [0, 0, 0, 0], [1, 1], 1)); $d = ConcatNode(1, $a, $c);\n"
	"$y = ReshapeNode(PermuteNode(ReshapeNode($d, [1, 2, 24, 6, 6]), [0, 2, 1, 3, 4]), [1, 48, 6, 6]);\n",
	/* A window of channels moves on: the oldest are computed and come last. */
	"$a = SliceNode($x, 0, 24, 1); $b = SliceNode($x, 24, 48, 1);\n"
	"$c = ReLUNode(Conv2dNode($a, $w, [1, 1], [0, 0, 0, 0], [1, 1], 1)); $y = ConcatNode(1, $b, $c);\n",
	/* Parts of other sizes each time, which never come to lie as they were. */
	"$a = SliceNode($x, 0, 24, 1); $b = SliceNode($x, 24, 29, 1); $c = SliceNode($x, 29, 48, 1);\n"
	"$d = ReLUNode(Conv2dNode($a, $w, [1, 1], [0, 0, 0, 0], [1, 1], 1)); $y = ConcatNode(1, $c, $d, $b);\n",
	/* Two branches, joined and added to what they read. */
	"$a = SliceNode($x, 0, 24, 1); $b = Conv2dNode($a, $w, [1, 1], [0, 0, 0, 0], [1, 1], 1);\n"
	"$c = ReLUNode($b); $d = ConcatNode(1, $b, $c); $y = $d + $x;\n",
	/* Swin: the image is rolled by 2 and cut into windows of 3. */
	"$a = ConcatNode(2, SliceNode($x, 2, 6, 2), SliceNode($x, 0, 2, 2));\n"
	"$b = ConcatNode(3, SliceNode($a, 2, 6, 3), SliceNode($a, 0, 2, 3));\n"
	"$c = ReshapeNode(PermuteNode(ReshapeNode($b, [1, 48, 2, 3, 2, 3]), [0, 2, 4, 3, 5, 1]), [4, 9, 48]);\n"
	"$d = ReLUNode(ReshapeNode(SliceNode($c, 0, 24, 2), [36, 24]) @ ReshapeNode($w, [24, 24]));\n"
	"$e = PermuteNode(ReshapeNode($d, [1, 2, 2, 3, 3, 24]), [0, 5, 1, 3, 2, 4]);\n"
	"$f = ReshapeNode($e, [1, 24, 6, 6]); $y = ConcatNode(1, SliceNode($x, 24, 48, 1), $f);\n",
};

/* The text of n blocks: $x is the value of the block before, the other names end in its number. */
static char *network(const char *block, int n)
{
	struct run_text b = { NULL, 0 };
	char line[96];

	snprintf(line, sizeof line, "y0 = InputTensor(x, float32, [1, %d, 6, 6]);\n", CHANNELS);
	run_text_add(&b, line, strlen(line));
	for (int i = 1; i <= n; i++) {
		snprintf(line, sizeof line, "w%d = ConstantTensor(w%d, float32, [24, 24, 1, 1]);\n", i, i);
		run_text_add(&b, line, strlen(line));
		for (const char *at = block; *at; at++) {
			if (*at != '$') {
				run_text_add(&b, at, 1);
				continue;
			}
			at++;
			snprintf(line, sizeof line, "%c%d", *at == 'x' ? 'y' : *at, *at == 'x' ? i - 1 : i);
			run_text_add(&b, line, strlen(line));
		}
	}
	snprintf(line, sizeof line, "result = y%d;\n", n);
	run_text_add(&b, line, strlen(line));
	return b.at;
}

enum { MAPS, ISL, PIECES, NODES, TREE_NODES, GRAPH_BYTES, TREE_BYTES, KINDS };
static const char *const kinds[KINDS] = { "maps", "questions to isl", "pieces of views", "nodes", "nodes of the tree",
	"bytes of the graph", "bytes of the tree" };
struct work { int64_t of[KINDS]; };

static struct work work_of(const char *block, int n)
{
	char *text = network(block, n);
	struct work w = { { 0 } };
	struct lt_context *ctx;
	struct lt_looptree *t;
	struct lt_graph *g, *h;

	cr_assert_eq(lt_context_new(&ctx), LT_OK);
	cr_assert_eq(lt_parse(ctx, text, strlen(text), "t.lt", "script", &g), LT_OK, "%s", lt_context_message(ctx));
	ctx->labour = (struct lt_labour){ .maps = 0 };
	cr_assert_eq(lt__passes_run(g, NULL, NULL, &h), LT_OK, "%s", lt_context_message(ctx));
	cr_assert_eq(lt_looptree_auto(h, &wide, &t), LT_OK, "%s", lt_context_message(ctx));
	w.of[MAPS] = ctx->labour.maps;
	w.of[ISL] = ctx->labour.isl;
	for (lt_node i = 0; i < h->n_node; i++)
		w.of[PIECES] += h->node[i].n_piece;
	w.of[NODES] = h->n_node;
	w.of[TREE_NODES] = t->n_node;
	w.of[GRAPH_BYTES] = (int64_t)lt__arena_bytes(h->arena);
	w.of[TREE_BYTES] = (int64_t)lt__arena_bytes(t->arena);
	lt_looptree_free(t);
	lt_graph_free(g);
	lt_graph_free(h);
	lt_context_free(ctx);
	free(text);
	return w;
}

/* What twice as many blocks add is at most a little more than twice what was added before. */
static void expect_doubles(size_t which)
{
	struct work was = work_of(blocks[which], FIRST / 2), w = work_of(blocks[which], FIRST);

	for (int i = 1; i <= DOUBLINGS; i++) {
		const struct work next = work_of(blocks[which], FIRST << i);

		for (int k = 0; k < KINDS; k++) {
			const int64_t added = next.of[k] - w.of[k], before = w.of[k] - was.of[k];

			cr_expect_leq(added, 2 * before + before / 4 + 64, "network %zu, %d blocks: %lld more %s, before %lld", which,
				FIRST << i, (long long)added, kinds[k], (long long)before);
		}
		was = w;
		w = next;
	}
	/* Of what a network has for its own, plain arithmetic decides all. */
	cr_expect_eq(w.of[ISL], 0, "network %zu: %lld questions to isl", which, (long long)w.of[ISL]);
}

Test(work_size, of_networks_that_rearrange_channels)
{
	for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++)
		expect_doubles(i);
}
