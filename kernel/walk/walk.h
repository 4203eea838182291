/* walk.h -- what a kernel program does by its loops alone, without data: how often each instruction runs, and how far
 * what it writes runs ahead of what it still reads.
 *
 * Loops are walked with the numbers of their iterations; what depends on a load is not known.  Programs of one region,
 * the host's, without params: those of machines that have no teams (struct lt_machine).
 */
#ifndef LT_KERNEL_WALK_WALK_H
#define LT_KERNEL_WALK_WALK_H
#include <stdbool.h>
#include "lt/kernel.h"

/* By instruction, how often it runs: runs has n_instruction elements.  Where it is not known which side of an `if`
 * runs, both count.  LT_EUNSUPPORTED: other regions, params, or a loop whose end depends on a load; LT_ENOMEM. */
lt_status lt__walk_counts(const struct lt_kernel *, int64_t *runs, struct lt_diag *);

/* Marks what conditions and ends of loops are made of, and addresses, if they are asked for: part has n_instruction
 * elements, all false. */
void lt__walk_parts(const struct lt_kernel *, bool addresses, bool *part);

/* work.c: kinds of work, and how much of each a run does: accesses and their bytes, products of numbers of 8, 16 and
 * 32 bits before they are cast, of bytes by four, other operators of integers up to 32 bits, all of 64 and of floats,
 * iterations of loops, loops that are entered, conditions that are asked, 1 for the launch. */
enum lt_work_kind { LT_WORK_LOAD, LT_WORK_LOAD_BYTES, LT_WORK_STORE, LT_WORK_STORE_BYTES, LT_WORK_PRODUCT8,
	LT_WORK_PRODUCT16, LT_WORK_PRODUCT32, LT_WORK_DOT, LT_WORK_SUM, LT_WORK_SHIFT, LT_WORK_CHOICE, LT_WORK_QUOTIENT,
	LT_WORK_WIDE, LT_WORK_FLOAT, LT_WORK_ITERATION, LT_WORK_ENTERED, LT_WORK_BRANCH, LT_WORK_LAUNCH, LT_NWORK };
struct lt_walk_work { int64_t n[LT_NWORK]; };
/* As lt__walk_counts. */
lt_status lt__walk_work(const struct lt_kernel *, struct lt_walk_work *, struct lt_diag *);

/* Memory that a kernel writes may begin so many bytes before memory that it reads, though they share bytes, and each
 * read still gives what was there: at a[written slot * n_slot + read slot].  Example: `y[i] = x[i]` of as many bytes
 * gives 0: y may lie where x does, or before it.  Where y is wider it ends where x does, or earlier: of 64 bytes that
 * become i32, y begins 189 bytes ahead.  -1: nothing is known of the two, or a slot is both read and written.
 * Orders are those of the program: who prints and compiles it must keep them. */
lt_status lt__walk_ahead(const struct lt_kernel *, int64_t *a, struct lt_diag *);
#endif
