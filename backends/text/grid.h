/* grid.h -- the grids of a kernel program as functions of a text for a device, and what the host does: an
 * order of launches.
 *
 * A backend prints the program once, compiles the text, and for each run asks for the launches.  It gives a function
 * its parameters in their order:
 *
 *     CUDA C     NAME<<<blocks, region.threads, grid.dynamic_bytes>>>(parameters)
 *     OpenCL C   clEnqueueNDRangeKernel, local sizes region.threads, global sizes blocks times those
 *
 * and runs launches and calls one after the other: what one writes, those behind it read.  Nothing else runs on the
 * host.
 */
#ifndef LT_TEXT_GRID_H
#define LT_TEXT_GRID_H
#include "backends/text/text.h"

extern const struct lt_text_dialect lt__text_cuda;      /* for NVRTC; sm_80 and later */
extern const struct lt_text_dialect lt__text_opencl;    /* OpenCL C 1.2, with doubles only if the program has some */

enum lt_text_parameter_kind {
	LT_TEXT_BUFFER,         /* the buffer `index`: CUDA: its address; OpenCL: the memory object that it is in */
	LT_TEXT_OFFSET,         /* of it: OpenCL only: bytes from the object's begin, a cl_long: lt_slot.offset, or that of
	                         * the workspace plus lt_kernel_buffer.offset */
	LT_TEXT_ARGUMENT,       /* value `index` of the launch, as many bytes as `dtype` has (a mask: an int, 1 or 0) */
	LT_TEXT_FAULT           /* the address, or object, of a struct lt_fault on the device: zeros before a run */
};
struct lt_text_parameter { enum lt_text_parameter_kind kind; int32_t index; uint32_t dtype; };

/* One grid. */
struct lt_text_grid {
	const char *name;               /* the function's */
	int32_t region;                 /* its threads and blocks are there */
	int64_t shared_bytes;           /* of each block */
	int64_t dynamic_bytes;          /* of these, what a launch has to ask for: the others stand in the text.  Above 48 KB
	                                 * the function must be allowed to (CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES) */
	uint32_t n_parameter;
	const struct lt_text_parameter *parameters;
};
/* definitions: bytes of the text before the first function: what other kernels may define, too. */
struct lt_text_grids { const char *text; uint32_t n_grid; const struct lt_text_grid *grids; size_t definitions; };

/* The caller's, to free with lt__text_grids_free (NULL is fine).  LT_EUNSUPPORTED says what the dialect cannot express:
 * teams, work of the host besides launches, subgroups of other sizes, a matrix that the device has no instruction
 * for. */
lt_status lt__text_grids(const struct lt_text_dialect *, const struct lt_kernel *, const struct lt_text_origins *,
	struct lt_text_grids **, struct lt_diag *);
void lt__text_grids_free(struct lt_text_grids *);
/* The text of a tree's program as LT_DUMP_SOURCE has it: with the names of loops, what statements compute, and
 * definitions apart from each other. */
lt_status lt__text_grids_write(const struct lt_text_dialect *, const struct lt_kernel *, const struct lt_tree *,
	lt_write *, void *user);

/* One launch: `argument` has the bits of each value that is handed over.  Borrowed during the call. */
struct lt_text_launch { int32_t region; int64_t blocks[3]; int32_t n_argument; const uint64_t *argument; };
/* One call of a routine: from which element of its buffer on each operand lies, how many there are of each dim, none of
 * them 0 but of those that are summed over.  Borrowed during the call. */
struct lt_text_call { const struct lt_kernel_call *what; int32_t number; const int64_t *begin, *count; };
struct lt_text_launcher {       /* a caller puts it in front of what it needs itself */
	lt_status (*launch)(struct lt_text_launcher *, const struct lt_text_launch *);
	lt_status (*call)(struct lt_text_launcher *, const struct lt_text_call *);     /* NULL: it calls no routines */
};
/* Tells of each launch and call of a run in its order, those without a block or without a result left out.  param: the
 * value of each run-time scalar. NULL: a recorded run, good for all values: each launch that depends on them has as
 * many blocks as its region may have; LT_EUNSUPPORTED says which argument, number of a call, condition or loop depends
 * on them.  Another status is the launcher's own. */
lt_status lt__text_launches(const struct lt_kernel *, const int64_t *param, struct lt_text_launcher *,
	struct lt_diag *);
#endif
