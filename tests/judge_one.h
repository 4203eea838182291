/* judge_one.h -- a judge of one result, and a copy of the reference to spoil. */
#ifndef TESTS_JUDGE_ONE_H
#define TESTS_JUDGE_ONE_H
#include "program/judge/judge.h"
#include "tests/oracle.h"

/* Seed 7, one thread. */
extern const struct lt_judge_options judge_one_options;
/* Of the one result y; the copy is the caller's. */
struct lt_judge *judge_one(struct oracle *, lt_node y, void **copy);
struct lt_report judge_one_report(struct lt_judge *, const void *got);
/* Frees all of it. */
void judge_one_end(struct oracle *, struct lt_judge *, void *copy);
#endif
