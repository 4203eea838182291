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

/* work.c: kinds of work, and how much of each a run does.  X(KIND, word) */
#define LT_WORK_MAP(X) \
	/* accesses, and their bytes */ \
	X(LOAD, load) X(LOAD_BYTES, load_bytes) X(STORE, store) X(STORE_BYTES, store_bytes) \
	/* products of numbers of 8, 16 and 32 bits before they are cast, with what adds them; of bytes by four */ \
	X(PRODUCT8, product8) X(PRODUCT16, product16) X(PRODUCT32, product32) X(DOT, dot) \
	/* other operators of integers up to 32 bits: sums and bits, comparisons, one value or another, numbers that become as
	 * wide as their type; bytes of these that are asked for; shifts, and bits beyond whole bytes of each such byte */ \
	X(SUM, sum) X(COMPARISON, comparison) X(CHOICE, choice) X(CAST, cast) X(BYTES, bytes) \
	X(SHIFT, shift) X(SHIFT_BITS, shift_bits) \
	/* quotients and remainders: of a divisor that is known, which may be a product; of numbers of loops; of others */ \
	X(KNOWN_QUOTIENT, known_quotient) X(PLACE_QUOTIENT, place_quotient) X(QUOTIENT, quotient) \
	/* products of 32 bits that have 64; operators of 64 bits: sums and bits; comparisons, one value or another */ \
	X(LONG_PRODUCT, long_product) X(WIDE, wide) X(WIDE_CHOICE, wide_choice) X(WIDE_PRODUCT, wide_product) \
	X(WIDE_SHIFT, wide_shift) \
	X(WIDE_KNOWN_QUOTIENT, wide_known_quotient) X(WIDE_QUOTIENT, wide_quotient) \
	/* of floats: sums, comparisons with what chooses by them, products; functions such as exp */ \
	X(FLOAT, float) X(FLOAT_CHOICE, float_choice) X(FLOAT_PRODUCT, float_product) X(FLOAT_QUOTIENT, float_quotient) \
	X(ROUND, round) X(ROOT, root) X(POWER, power) X(FUNCTION, function) \
	/* the same of 64 bits */ \
	X(DOUBLE, double) X(DOUBLE_PRODUCT, double_product) X(DOUBLE_QUOTIENT, double_quotient) \
	X(DOUBLE_FUNCTION, double_function) \
	/* floats from integers and back, from half types and back */ \
	X(CONVERT, convert) X(WIDE_CONVERT, wide_convert) X(HALF, half) X(BRAIN, brain) \
	/* iterations of loops, of those that a compiler may write out, and of those among these that copy; loops that are
	 * entered, conditions that are asked, 1 for the launch */ \
	X(ITERATION, iteration) X(SHORT_ITERATION, short_iteration) X(COPIED, copied) X(ENTERED, entered) \
	X(BRANCH, branch) X(LAUNCH, launch)
enum lt_work_kind {
#define LT_WORK_KIND(kind, word) LT_WORK_##kind,
	LT_WORK_MAP(LT_WORK_KIND)
#undef LT_WORK_KIND
	LT_NWORK
};
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
