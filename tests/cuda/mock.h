/* mock.h -- a driver of CUDA that is not there: libcuda.so.1 for tests, with memory of the host; and
 * libcublasLt.so.13 on it.
 *
 * An address of a device is no address of the host: using it ends the test.  What is enqueued runs when somebody waits
 * for it, so that a wait that is missing is seen.  Kernels are functions of the test; a module is any bytes, and has
 * every kernel that the test gave, with any number after its name (axpy_1), unless they begin with "none".  Code that
 * NVRTC has made has the functions that it names; the test runs them (run_code), else they cannot run.  What the real
 * driver would not forgive is in `wrong`.
 */
#ifndef TESTS_CUDA_MOCK_H
#define TESTS_CUDA_MOCK_H
#include <cuda.h>
#include <stddef.h>
#include <stdint.h>

/* arg[i]: the 8 bytes of argument i.  shared: what it declares.  Not 0: what the device fails of then. */
struct mock_kernel {
	const char *name;
	CUresult (*run)(const uint64_t *arg, const unsigned blocks[3], const unsigned threads[3]);
	int n_argument, registers, max_threads, shared;
};
/* A launch of a function of such code. */
struct mock_launch {
	const void *code;
	const char *function;
	const uint64_t *arg;
	unsigned blocks[3], threads[3], shared;
};
struct mock_cuda {
	int n_device;
	size_t memory[2];               /* of each device, bytes */
	/* The n-th call of this function, by its symbol, fails; 0: none does */
	char fail[64];
	int fail_at;
	CUresult fail_with;
	CUresult lost;                  /* every call gives it from now on */
	/* Of what is alive; bytes: on all devices */
	int blocks, pinned, streams, events, modules, contexts, graphs, graphs_made, handles;
	size_t bytes;
	/* Ever */
	int launches, graph_launches, copies, waits;
	int early;                      /* of the launches: those that may come before the one in front is done */
	int calls, choices, compute;    /* of cublasLt (mock_blas.c); compute: cublasComputeType_t of the last product */
	unsigned blocks_of_launch[3], threads_of_launch[3], shared_of_launch;
	int device_of_launch;
	char wrong[200];
	/* The host's memory behind an address of a device. */
	void *(*host)(uint64_t address);
	void (*kernels)(const struct mock_kernel *, int n);
	/* Both or none: how many parameters of 8 bytes a function takes; the function. */
	int (*parameters)(const void *code, const char *function);
	CUresult (*run_code)(const struct mock_launch *);
};
/* The symbol that the library has beside the driver's. */
typedef struct mock_cuda *mock_cuda_entry(void);
#define MOCK_ENTRY "mock_cuda"
#endif
