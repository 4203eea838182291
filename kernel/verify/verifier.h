/* verifier.h -- the rules of lt/kernel.h as they are checked: what the files of this folder share.
 *
 * verify.c          the whole; regions
 * declared.c what stands before the regions
 * body.c     the walk through instructions: blocks, which values, arrays and variables there are
 * rules.c    the rules of single opcodes
 * there.c    what is there to be used
 * change.c   which variables change while a value of them is still used
 * grid.c     grids: extents, shared memory, opcodes that only they have
 * matrix.c   descriptions of matrices, and the instruction
 * call.c     what routines are called for, and the instruction
 * uniform.c  which values are the same in which threads, and who has to be there
 * fail.c     sentences
 */
#ifndef LT_KERNEL_VERIFY_VERIFIER_H
#define LT_KERNEL_VERIFY_VERIFIER_H
#include "kernel/form/form.h"
#include "kernel/verify/verify.h"

/* A loop, if or else that has not ended. */
struct lt_open_block { int32_t opener; int32_t first_change; };
/* Where a variable or an array began: in no region yet: -1; block: the opener of the block, -1: the region itself. */
struct lt_begun { int32_t region, block; };
/* A variable's version before a change. */
struct lt_change { int32_t variable; int64_t version; };

struct lt_kernel_verifier {
	const struct lt_kernel *k;
	struct lt_pool pool;
	struct lt_broken_rule *out;
	lt_status status;                       /* of a jump */
	int32_t region, at;                     /* the region and the instruction that are looked at */
	int32_t *block;                         /* of an instruction: the opener of its block, -1: the region */
	bool *is_open;                          /* of an opener */
	struct lt_open_block *open;
	int32_t n_open;
	struct lt_begun *array, *variable;      /* by buffer, by variable */
	bool *stored;                           /* by buffer: a store writes it */
	int32_t *first_launch;                  /* by region; -1: none */
	int32_t *shared_region;                 /* by buffer: the grid that uses it; -1: none */
	/* change.c */
	int64_t *version;                       /* by variable: changes with it */
	int64_t *got;                           /* by instruction: the version that a get found */
	int64_t last_version;
	struct lt_change *change;               /* those since the outermost open if began */
	int32_t n_change, cap_change;
	int32_t *changed_at, *n_changed;        /* where variables change: n_changed of each, from first_changed on */
	int64_t *first_changed;
	int32_t *loop_end;                      /* by loop */
	int32_t *open_loop, n_open_loop;        /* that have not ended, outermost first */
};

/* fail.c.  They never return: the rule that is broken, at that part, or at the instruction that is looked at.
 * other: an instruction whose line the sentence names, too; -1: none. */
_Noreturn void lt__verify_fail_at(struct lt_kernel_verifier *, enum lt_kernel_part, int32_t index, const char *remedy,
	const char *fmt, ...) __attribute__((format(printf, 5, 6)));
_Noreturn void lt__verify_fail(struct lt_kernel_verifier *, int32_t other, const char *remedy, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));

/* declared.c: operators, buffers, variables, params, matrices; shared_region is filled. */
void lt__verify_declared(struct lt_kernel_verifier *);

/* body.c: all regions, which are known to lie one after the other. */
void lt__verify_regions(struct lt_kernel_verifier *);

/* rules.c: `what` names something; then, with members and operands checked, what else an opcode asks for. */
void lt__verify_what(struct lt_kernel_verifier *, const struct lt_instruction *, const struct lt_opcode_facts *);
void lt__verify_opcode(struct lt_kernel_verifier *, const struct lt_instruction *);

/* grid.c */
void lt__verify_extents(struct lt_kernel_verifier *, int32_t region);
void lt__verify_find_shared(struct lt_kernel_verifier *);
void lt__verify_shared(struct lt_kernel_verifier *, int32_t buffer);                   /* where it lies */
void lt__verify_grid(struct lt_kernel_verifier *, const struct lt_instruction *);     /* an opcode of grids */

/* matrix.c */
void lt__verify_description(struct lt_kernel_verifier *, int32_t matrix);
void lt__verify_fragment(struct lt_kernel_verifier *, const struct lt_instruction *);
void lt__verify_matrix(struct lt_kernel_verifier *, const struct lt_instruction *);

/* call.c */
void lt__verify_call_description(struct lt_kernel_verifier *, int32_t call);
/* described.c: the same of one that is described. */
void lt__verify_described(struct lt_kernel_verifier *, int32_t call);
void lt__verify_described_begins(struct lt_kernel_verifier *, const struct lt_instruction *);
void lt__verify_call(struct lt_kernel_verifier *, const struct lt_instruction *);

/* uniform.c: all other rules hold. */
void lt__verify_uniform(struct lt_kernel_verifier *);

/* there.c: a variable or a buffer is there to be used; the buffer may be written. */
void lt__verify_variable(struct lt_kernel_verifier *, int32_t variable);
void lt__verify_buffer(struct lt_kernel_verifier *, int32_t buffer);
void lt__verify_written(struct lt_kernel_verifier *, int32_t buffer);
/* A constant operand's bits as a number; false: it is none, or not of integers. */
bool lt__verify_constant(const struct lt_kernel *, int32_t value, int64_t *out);

/* change.c */
void lt__verify_find_changes(struct lt_kernel_verifier *);
bool lt__verify_is_stale(const struct lt_kernel_verifier *, int32_t get);       /* the variable may have changed */
void lt__verify_changed(struct lt_kernel_verifier *, int32_t variable);        /* set, update, variable */
void lt__verify_else(struct lt_kernel_verifier *, int32_t first_change);
void lt__verify_joined(struct lt_kernel_verifier *, int32_t first_change);     /* an if has ended */
#endif
