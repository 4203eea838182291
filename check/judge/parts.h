/* parts.h -- what the files of the judge share; included by them only. */
#ifndef LT_CHECK_JUDGE_PARTS_H
#define LT_CHECK_JUDGE_PARTS_H
#include "check/judge/judge.h"

/* What the callbacks of an evaluation are for. */
struct lt_judge_work { const struct lt_judge_options *o; char what[40]; void *user; };
/* Fills the parts of `eval` that have to do with threads and progress; both live as long as the evaluation. */
void lt__judge_threads(const struct lt_judge_options *, struct lt_judge_work *, struct lt_eval_options *eval);
void lt__judge_progress(void *work, double share);
void lt__judge_parallel(void *work, uint32_t n, void (*body)(void *arg, uint32_t i, uint32_t n), void *arg);
/* "state cache[3, 4] (%23) of evaluation 2": element `flat` of a node, at maximum extents. */
const char *lt__judge_location(const struct lt_graph *, lt_node, const char *kind, const char *name, int64_t flat,
	const char *when, char *out, size_t bytes);
#endif
