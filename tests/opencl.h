/* opencl.h -- kernel programs printed as OpenCL C and run on the first device that there is: PoCL makes one of
 * any processor. */
#ifndef TESTS_OPENCL_H
#define TESTS_OPENCL_H
#include <stdbool.h>
#include "backends/text/text.h"

bool opencl_is_there(void);     /* a loader, and a device */
/* slot[i]: memory of bytes[i].  On the device each lies between sentinels, and the workspace is poisoned.  False: what
 * went wrong is in `message`. */
bool opencl_run(const struct lt_kernel *, void *const *slot, const int64_t *bytes, struct lt_fault *, char *message,
	size_t cap);
#endif
