/* print.h -- the text of a kernel program (lt_kernel_print): what has a line in it, and which. */
#ifndef LT_KERNEL_PRINT_PRINT_H
#define LT_KERNEL_PRINT_PRINT_H
#include "lt/kernel.h"

enum lt_kernel_part { LT_PART_WHOLE, LT_PART_OPERATOR, LT_PART_BUFFER, LT_PART_VARIABLE, LT_PART_PARAM, LT_PART_MATRIX,
	LT_PART_CALL, LT_PART_REGION, LT_PART_INSTRUCTION, LT_NPART };
/* The line that the part has in what lt_kernel_print writes: of a constant, that of the instruction after it.  The
 * indices of regions, instructions and prelude are good. */
int32_t lt__kernel_line(const struct lt_kernel *, enum lt_kernel_part, int32_t index);
#endif
