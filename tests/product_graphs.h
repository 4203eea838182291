/* product_graphs.h -- texts of graphs with one product, and the tree that a machine gives them. */
#ifndef LT_TESTS_PRODUCT_GRAPHS_H
#define LT_TESTS_PRODUCT_GRAPHS_H
#include <string.h>
#include "check/random/must.h"
#include "lt/lt.h"
#include "looptree/tree/tree.h"

/* A machine like many with vectors of 64 bytes. */
static const struct lt_target machine = { .size = sizeof machine,
	.name = "test",
	.vector_bytes = 64,
	.vector_registers = 32,
	.cores = 2,
	.cache_line = 64,
	.l1_bytes = 32 << 10,
	.l2_bytes = 1 << 20,
	.l3_bytes = 32 << 20 };

struct made { struct lt_context *ctx; struct lt_graph *g; struct lt_looptree *t; };

static inline struct made make(const char *text, const struct lt_target *target)
{
	struct made m;
	must(!lt_context_new(&m.ctx) && !lt_graph_parse(m.ctx, text, strlen(text), "test", &m.g), "%s", text);
	must(!lt_looptree_auto(m.g, target, &m.t), "%s", lt_context_message(m.ctx));
	return m;
}

static inline void drop(struct made *m)
{
	lt_looptree_free(m->t);
	lt_graph_free(m->g);
	lt_context_free(m->ctx);
}

#define VARS(m, k, n) "graph 1\nvar m " #m "\nvar k " #k "\nvar n " #n "\n"
#define PLAIN \
	"%a = f32[m, k] input \"a\"\n%b = f32[k, n] input \"b\"\n%p = f32[m, k, n] mul %a, %b\n%c = f32[m, n] " \
	"add.reduce %p\n"
#define END(x) "result \"y\" = %" #x "\n"

#define ROW_OF(kind, k, n) \
	"graph 1\nvar k " #k "\nvar n " #n "\n%a = f32[k] input \"a\"\n%b = f32[k, n] " kind " \"b\"\n" \
	"%p = f32[k, n] mul %a, %b\n%c = f32[n] add.reduce %p\n" END(c)
#define ROW(k, n) ROW_OF("constant", k, n)
#endif
