/* blocks.h -- whether a device has what the blocks of a kernel program ask for. */
#ifndef LT_KERNEL_FORM_BLOCKS_H
#define LT_KERNEL_FORM_BLOCKS_H
#include "lt/kernel.h"

/* threads: of a block, at most.  shared_bytes: of a block, at most; what threads are combined through counts, too.
 * LT_EUNSUPPORTED. */
lt_status lt__blocks_fit(const struct lt_kernel *, int64_t threads, int64_t shared_bytes, struct lt_diag *);
#endif
