/* step.h -- steps: from a kernel program to a better one that does the same.
 *
 * step.c        the table, and what runs it
 * rewrite.c     copying a program with changes
 * address.c     addresses as sums of multiples of values; which accesses are apart
 * the others    a step each, with its contract
 *
 * A step looks at s->k, which does not change, and decides.  If it has something to do, it copies the program into s->b
 * with its changes:
 *
 *   lt__rewrite_begin(s, NULL, NULL);                   // all but the instructions
 *   for (int32_t r = 0; r < (int32_t)s->k->n_region; r++) {
 *           lt__rewrite_region(s, r);
 *           for (each instruction `at` of the region)
 *                   lt__rewrite_copy(s, at);            // or others in its place
 *   }
 *
 * Memory is the builder's pool; without any it jumps (build/build.h).
 */
#ifndef LT_KERNEL_STEP_STEP_H
#define LT_KERNEL_STEP_STEP_H
#include "kernel/build/build.h"

struct lt_stepping {
	struct lt_kernel_builder b;             /* after the step */
	const struct lt_kernel *k;              /* before it */
	const struct lt_machine *machine;
	struct lt_kernel_report *report;        /* may be NULL */
	char letter;
	int32_t *to;                            /* by instruction of k: its value in b; -1: none */
	int32_t *buffer_to, *variable_to;       /* by buffer and variable of k: that in b; -1: none */
};

/* A step, in a file of its own; false: nothing has changed, and s->b is not used.  The contracts are in the table
 * (step.c). */
typedef bool lt_step_run(struct lt_stepping *);
lt_step_run lt__step_constants, lt__step_guards, lt__step_variables, lt__step_forward, lt__step_tiles,
	lt__step_apart, lt__step_wide, lt__step_prefetches, lt__step_streams, lt__step_motion, lt__step_unused;

/* rewrite.c */
/* drop_buffer, drop_variable: those that b does not have; NULL: it has all. */
void lt__rewrite_begin(struct lt_stepping *, const bool *drop_buffer, const bool *drop_variable);
void lt__rewrite_region(struct lt_stepping *, int32_t region);
/* The instruction with its operands' new values: as it would be copied. */
struct lt_instruction lt__rewrite_mapped(const struct lt_stepping *, int32_t at);
int32_t lt__rewrite_add(struct lt_stepping *, int32_t at, struct lt_instruction);       /* in place of `at` */
int32_t lt__rewrite_copy(struct lt_stepping *, int32_t at);
void lt__rewrite_all(struct lt_stepping *);                     /* a copy of the whole */

/* A constant, in every lane. */
int32_t lt__rewrite_const(struct lt_stepping *, uint32_t dtype, uint32_t lanes, uint64_t bits);

/* A value of b in place of a constant integer, which the rules for constants do not see: in code that never runs an
 * address may be outside of its buffer, and a divisor 0.  Other values are handed back. */
int32_t lt__rewrite_hidden(struct lt_stepping *, int32_t value);

/* By instruction of k: the loop, if or else whose block it stands in; -1: the region. */
int32_t *lt__step_blocks(struct lt_stepping *);
/* The value is a constant integer, or there is none (-1), which is 0. */
bool lt__step_constant(const struct lt_kernel *, int32_t value, int64_t *out);
/* How many values an instruction may use, and use n of them: its four operands, then what a launch hands over; -1: that
 * one is not there. */
int32_t lt__step_uses(const struct lt_instruction *);
int32_t lt__step_use(const struct lt_kernel *, const struct lt_instruction *, int32_t n);

/* Says what was decided, if somebody listens. */
void lt__step_decide(struct lt_stepping *, int32_t loop, int32_t stmt, int32_t buffer, const char *fmt, ...)
	__attribute__((format(printf, 5, 6)));
#endif
