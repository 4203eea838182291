/* printed.h -- a graph printed as a script, read back, printed again, and evaluated beside what it was. */
#ifndef TESTS_PRINTED_H
#define TESTS_PRINTED_H
#include "check/random/random.h"

struct printed_tally { int computed, settled; };        /* runs; graphs whose second text was not yet the first */
/* Fails the test where something differs.  random: who made it, and gives its data; NULL: small numbers. */
void printed_check(struct lt_context *, const struct lt_graph *, const char *what, uint64_t seed,
	struct random_graph *random, int n_run, struct printed_tally *);
#endif
