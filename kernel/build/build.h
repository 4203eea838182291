/* build.h -- a kernel program that grows: what lowering, the parser and steps make one with.
 *
 *   struct lt_kernel_builder b = { 0 };
 *   if (setjmp(b.pool.jump)) {                          // memory ran out, in whatever is called below
 *           lt__builder_free(&b);
 *           return LT_ENOMEM;
 *   }
 *   lt__builder_begin(&b);
 *   int32_t x = lt__build_const(&b, LT_I64, 7);
 *   struct lt_kernel *k = lt__builder_end(&b);          // what b has is k's now
 *
 * Instructions go to a region, the last one that was opened or gone back to; until the end, values are numbered in
 * their region.
 */
#ifndef LT_KERNEL_BUILD_BUILD_H
#define LT_KERNEL_BUILD_BUILD_H
#include "kernel/form/form.h"

struct lt_region_builder {
	struct lt_region region;                /* first and n are set at the end */
	struct lt_instruction *at;
	int32_t n, cap;
	int32_t *open;                          /* loops and ifs that have not ended, outermost first */
	int32_t n_open, cap_open;
};
struct lt_kernel_builder {
	struct lt_pool pool;
	const char *name, *prelude;
	struct lt_region_builder *region;
	struct lt_kernel_buffer *buffer;
	struct lt_variable *variable;
	struct lt_kernel_param *param;
	struct lt_op *op;
	int64_t *extra;
	int32_t n_region, cap_region, n_buffer, cap_buffer, n_variable, cap_variable, n_param, cap_param, n_op, cap_op;
	int32_t n_extra, cap_extra, n_matrix, cap_matrix, n_call, cap_call;
	struct lt_kernel_matrix *matrix;
	struct lt_kernel_call *call;
	struct lt_nameset names;                /* of buffers, variables and matrix descriptions */
	int32_t n_slot;
	int64_t workspace_bytes, thread_bytes;
	int32_t now;                            /* the region that instructions go to */
	int32_t origin;                         /* of the instructions that are built */
};

void lt__builder_begin(struct lt_kernel_builder *);     /* with region 0, the host's */
/* Marks the buffers that instructions write, and no others: a statement that never runs has none. */
void lt__build_written(struct lt_kernel_builder *);
/* All blocks have ended.  The program, of lt_kernel_free. */
struct lt_kernel *lt__builder_end(struct lt_kernel_builder *);
void lt__builder_free(struct lt_kernel_builder *);

/* Each gives the number of the new one.  Texts are copied; a name that is taken gets a number behind it. */
int32_t lt__build_region(struct lt_kernel_builder *, enum lt_region_kind, int32_t n_argument, int32_t origin);
/* The region in hand, which has no instruction yet, will have about n. */
void lt__build_room(struct lt_kernel_builder *, int32_t n);
int32_t lt__build_buffer(struct lt_kernel_builder *, const struct lt_kernel_buffer *);
int32_t lt__build_variable(struct lt_kernel_builder *, const char *name, uint32_t dtype, uint32_t lanes);
int32_t lt__build_param(struct lt_kernel_builder *, const struct lt_kernel_param *);
int32_t lt__build_matrix(struct lt_kernel_builder *, const struct lt_kernel_matrix *);
int32_t lt__build_op(struct lt_kernel_builder *, const struct lt_op *);
int32_t lt__build_call(struct lt_kernel_builder *, const struct lt_kernel_call *);      /* with dims and operands */
int32_t lt__build_extras(struct lt_kernel_builder *, const int64_t *, int32_t n);      /* where they begin */
const char *lt__build_string(struct lt_kernel_builder *, const char *);

/* The instruction as it is; its number in the region.  A loop, if or else opens a block, an end closes it; their `what`
 * is set here.  A constant's bits above its type's are cleared. */
int32_t lt__build(struct lt_kernel_builder *, struct lt_instruction);
const struct lt_instruction *lt__build_at(const struct lt_kernel_builder *, int32_t value);
/* build_instruction.c.  An instruction whose members are operands only, of one type: that of its value.  y -1: it has
 * one operand. */
int32_t lt__build_value(struct lt_kernel_builder *, int opcode, uint32_t dtype, uint32_t lanes, int32_t x, int32_t y);
int32_t lt__build_const(struct lt_kernel_builder *, uint32_t dtype, uint64_t bits);
int32_t lt__build_numbered(struct lt_kernel_builder *, int opcode, uint32_t dtype, int32_t what);  /* param, argument */
int32_t lt__build_test(struct lt_kernel_builder *, int opcode, int32_t x, int32_t y);   /* a comparison: a mask */
int32_t lt__build_select(struct lt_kernel_builder *, int32_t mask, int32_t x, int32_t y);
/* One element: buffer[address + number]; address -1: the number alone. */
int32_t lt__build_load(struct lt_kernel_builder *, int32_t buffer, int32_t address, int64_t number);
void lt__build_store(struct lt_kernel_builder *, int32_t buffer, int32_t address, int64_t number, int32_t value);
int32_t lt__build_get(struct lt_kernel_builder *, int32_t variable);
void lt__build_set(struct lt_kernel_builder *, int32_t variable, int32_t value);
void lt__build_begins(struct lt_kernel_builder *, int opcode, int32_t what);    /* array, variable */
int32_t lt__build_loop(struct lt_kernel_builder *, int32_t from, int32_t to, int64_t step, int32_t origin);
void lt__build_if(struct lt_kernel_builder *, int32_t mask);
void lt__build_else(struct lt_kernel_builder *);
void lt__build_end(struct lt_kernel_builder *);
#endif
