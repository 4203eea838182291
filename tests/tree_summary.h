/* tree_summary.h -- what the default tree of a whole network does with each of its layers, a line each. */
#ifndef TESTS_TREE_SUMMARY_H
#define TESTS_TREE_SUMMARY_H
#include <stdio.h>
#include "program/run/run.h"

/* A nest of a run.  The leaf that is run most often says what it does; of its loops that are lanes or written out. */
struct layer {
	lt_tnode root;
	int32_t nest, kernel;
	bool early;                     /* it depends on constants only, and is run once before the first run */
	lt_node main;
	double work;                    /* iterations of the main leaf */
	int64_t lanes;                  /* 0: it is scalar */
	lt_tnode parallel;              /* -1: one thread runs it */
};
/* A table of those that are run each time, for a machine with grids; `what` begins each line. */
void layers_print_grids(const struct lt_program *, const struct layer *, int32_t n, const char *what, FILE *);
/* Elements of the main leaf that a thread has at a time: iterations of its loops that are written out, and lanes. */
int64_t layer_each(const struct lt_program *, const struct layer *);
/* The layers of a program that is planned, in order; the caller's to free. */
struct layer *layers_of(const struct lt_program *, int32_t *n);
/* A table of them, and the tree of each kernel once. */
void layers_print(const struct lt_program *, const struct layer *, int32_t n, FILE *);
/* What such a table's file has, the caller's to free; NULL: it cannot be read. */
char *layers_read(const char *path);
#endif
