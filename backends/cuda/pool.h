/* pool.h -- a device's memory, kept for the next who asks. */
#ifndef LT_CUDA_POOL_H
#define LT_CUDA_POOL_H
#include "backends/cuda/driver.h"

struct lt_cuda_block;
/* All zero: empty.  bytes: in use; held: of the device, in use or not. */
/* None of the driver's. */
#define LT_CUDA_NO_HOST_MEMORY ((CUresult)0x7fffffff)

struct lt_cuda_pool { struct lt_cuda_block *first; size_t bytes, held; };

/* All with the context current, and one thread at a time.
 * new: at 256 bytes' alignment; what is unused goes back to the device before it is out of memory.
 * LT_CUDA_NO_HOST_MEMORY: the host has no memory.  free: what new gave; everything enqueued that uses it is done.
 * trim: what is unused goes back to the device.  close: everything does, whether in use or not. */
CUresult lt__cuda_pool_new(struct lt_cuda_pool *, const struct lt_cuda_driver *, size_t bytes, CUdeviceptr *);
void lt__cuda_pool_free(struct lt_cuda_pool *, CUdeviceptr);
void lt__cuda_pool_trim(struct lt_cuda_pool *, const struct lt_cuda_driver *);
void lt__cuda_pool_close(struct lt_cuda_pool *, const struct lt_cuda_driver *);
#endif
