/* simulated_tree.h -- a frozen tree lowered and run in the simulator, with zeros for data: what is counted. */
#ifndef TESTS_SIMULATED_TREE_H
#define TESTS_SIMULATED_TREE_H
#include <stdbool.h>
#include "lt/tree.h"

struct simulated_tree { int64_t executions, operations; int teams; };
/* teams: parallel loops are run by teams, and small locals are arrays. */
void simulated_tree_run(const struct lt_tree *, bool teams, struct simulated_tree *);
#endif
