/* explain.h -- what can be said of a program: its floors as text, why it is as it is, what a run does and how
 * long that takes.
 *
 * Of program/, this folder uses run/ and what is below it.
 */
#ifndef LT_PROGRAM_EXPLAIN_EXPLAIN_H
#define LT_PROGRAM_EXPLAIN_EXPLAIN_H
#include "program/run/run.h"

/* work.c.  enum lt_allow: what the options of the backends that have kernels let them do. */
uint32_t lt__program_allows(const struct lt_program *);
/* unrounded.c.  By node of a graph, what lt_eval_options says of `unrounded`, `rounded` and `call`; all NULL where n
 * and n_added are 0, the numbers of casts that may be left out and of values that may be rounded. */
struct lt_unrounded { bool *may; uint8_t *rounded; int32_t *call, n, n_added; };
/* graph: base, or the one that the program was made from, whose nodes are found by their names, and of which no calls
 * are told. */
lt_status lt__program_unrounded(const struct lt_program *, const struct lt_graph *, struct lt_unrounded *out);
void lt__unrounded_free(struct lt_unrounded *);
/* work.c: what a run does and needs, for the stats. */
lt_status lt__program_count(const struct lt_program *, struct lt_stats *);
/* dump.c: the definitions at the head of a kernel's source, except those that the source of a kernel before had; where
 * the kernel begins. */
const char *lt__source_definitions(
	struct lt_names *written, const char *text, size_t bytes, lt_write *write, void *user);
/* explain.c */
void lt__explain_each(const struct lt_program *, struct lt_arena *, void (*)(void *, const struct lt_explained *),
	void *user);
#endif
