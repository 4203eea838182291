/* mock_state.h -- what the files of the driver that is not there share. */
#ifndef TESTS_CUDA_MOCK_STATE_H
#define TESTS_CUDA_MOCK_STATE_H
#include <pthread.h>
#include "tests/cuda/mock.h"

#define API __attribute__((visibility("default")))

extern API struct mock_cuda mock;
extern API pthread_mutex_t mock_lock;
extern int mock_capturing;              /* streams that are being recorded */
struct CUmod_st { const char *image; struct CUfunc_st *functions; };
/* name: of code that NVRTC has made; else NULL */
struct CUfunc_st {
	struct CUfunc_st *next;
	const struct mock_kernel *kernel;
	int dynamic;
	const char *code;
	char *name;
};

/* mock.c
 * begin: what every function begins with: the device is lost, the test has it fail, no context is current. */
API void mock_wrong(const char *what);
API CUresult mock_begin_call(const char *name, int context);
API int mock_device(void);                  /* of the current context */
/* The host's memory of a range that is in one block of a device; NULL: it is not. */
API char *mock_range(CUdeviceptr, size_t bytes, int device);
/* mock_queue.c */
void mock_drain_all(void);
/* What a library enqueues: run on a device, with a copy of these bytes.  With the lock. */
typedef CUresult mock_work_fn(void *arg, int device);
API void mock_pass(float ms);               /* it takes the device so long */
API CUresult mock_work(const char *name, CUstream, mock_work_fn *, const void *arg, size_t bytes);

static inline void mock_unlock(pthread_mutex_t **l) { (void)pthread_mutex_unlock(*l); }
#define LOCKED \
	__attribute__((cleanup(mock_unlock))) pthread_mutex_t *locked_ = &mock_lock; \
	(void)pthread_mutex_lock(locked_)
#define BEGIN(context) \
	LOCKED; \
	CUresult begun_ = mock_begin_call(__func__, context); \
	if (begun_) \
	return begun_
struct CUctx_st { int device, retained; };
#endif
