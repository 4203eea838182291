/* lower.h -- the pipeline from a graph to a program, and what it is asked for. */
#ifndef LT_PROGRAM_LOWER_H
#define LT_PROGRAM_LOWER_H
#include "program/run/run.h"

/* What is lowered, and for what. */
struct lt_request {
	const struct lt_graph *graph;
	const struct lt_options *options;
	struct lt_graph *base;                  /* its lowered form and a finished tree over that; NULL: not given */
	struct lt_looptree *tree;
	const struct lt_target *target;         /* for this one, and for no backend; NULL: for the options' backends */
	bool tree_only;                         /* whether there are nests that backends take */
};
/* lower.c: fills a program that has its context, arena, options and services, and the request's base and tree. */
lt_status lt__lower(struct lt_program *, const struct lt_request *);
#endif
