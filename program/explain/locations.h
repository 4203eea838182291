/* locations.h -- what a device makes of a tree: facts for its text. */
#ifndef LT_PROGRAM_EXPLAIN_LOCATIONS_H
#define LT_PROGRAM_EXPLAIN_LOCATIONS_H
#include "looptree/text/text.h"
#include "program/run/run.h"

/* Kernels, their grids, where each value lives, and barriers; nothing of nests without grids and block loops. */
lt_status lt__find_locations(const struct lt_program *, struct lt_arena *, struct lt_treecomments *out);
#endif
