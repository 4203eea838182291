/* described.h -- programs whose nests are handed over as `call any`, for tests of descriptions. */
#ifndef LT_DESCRIBED_H
#define LT_DESCRIBED_H
#include "tests/tree_text.h"

lt_status described_step(struct lt_looptree **, const char *step);
/* The nests from one root to another as `call any`. */
lt_status described_roots(struct lt_looptree **, lt_tnode first, lt_tnode last);
/* A default tree with random steps, and calls of random nests; text: a struct described_drawn, which counts them. */
struct described_drawn { uint64_t rng; int calls; };
lt_status described_draw(const struct lt_graph *, const char *text, struct lt_looptree **out);
/* As a program is lowered, with passes or without, and with the tree that `make` makes of `what`; user: a struct
 * described_user. */
struct described_user { tree_maker *make; const void *what; bool passes; };
lt_status described_compile(void *user, const struct lt_graph *, const struct lt_options *, struct lt_program **out);
/* A script as one call. */
struct described_called {
	struct lt_context *ctx;
	struct lt_graph *g;
	struct lt_program *p;
	const struct lt_tree *t;
};
void described_called_new(const char *text, struct described_called *);
void described_called_free(struct described_called *);
#endif
