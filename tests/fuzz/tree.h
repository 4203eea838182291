/* tree.h -- what the targets for trees and for schedules share: one small graph, and trees printed. */
#ifndef LT_TESTS_FUZZ_TREE_H
#define LT_TESTS_FUZZ_TREE_H
#include <string.h>
#include "lt/looptree.h"
#include "tests/fuzz/fuzz.h"

static const char fuzz_graph[] = "graph 1\nvar m 9\nvar k 6\nvar n 8\nvar s 12\nvar i 7\n%a = f32[m, k] input "
				 "\"a\"\n%b = f32[k, n] input \"b\"\n%x = f32[s] state \"x\"\n"
				 "%w = f32[i] view { %x[i + 2] }\n%p = f32[m, n, k] mul %a, %b\n%c = f32[m, n] "
				 "add.reduce %p\n%h = f32[m] max.reduce %c\n"
				 "%d = f32[m, n] sub %c, %h\n%u = f32[s] update %x, %w at [3]\n%e = f32[i] exp %w\n%t "
				 "= f32[] add.reduce %e\n%r = f32[] neg %t\n"
				 "result \"d\" = %d\nresult \"r\" = %r\nset %x = %u\n";

struct fuzz_text { char *at; size_t n; };

static inline void fuzz_keep(void *user, const char *from, size_t bytes)
{
	struct fuzz_text *t = user;
	char *more = realloc(t->at, t->n + bytes + 1);
	if (!more)
		abort();
	memcpy(more + t->n, from, bytes);
	more[t->n + bytes] = '\0';
	t->at = more;
	t->n += bytes;
}

static inline struct fuzz_text fuzz_print(const struct lt_looptree *t)
{
	struct fuzz_text text = { NULL, 0 };
	if (lt_looptree_print(t, fuzz_keep, &text))
		abort();
	return text;
}
#endif
