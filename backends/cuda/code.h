/* backends/cuda/code.h -- a kernel's code: its text with the launches that run it, and the cubin that NVRTC makes. */
#ifndef LT_CUDA_CODE_H
#define LT_CUDA_CODE_H
#include "backends/cuda/driver.h"

/* What a function is given, 8 bytes each. */
enum lt_cuda_argument_kind {
	LT_CUDA_SLOT,                   /* the address of slot `number`                             */
	LT_CUDA_WORKSPACE,              /* that of byte `number` of the workspace                   */
	LT_CUDA_FAULT,                  /* that of the fault record, a struct lt_fault              */
	LT_CUDA_NUMBER                  /* `number`, an int64                                       */
};
struct lt_cuda_argument { int64_t kind, number; };
enum { LT_CUDA_MAX_ARGUMENTS = 512 };   /* of one launch: 4 KiB, which every device takes */
/* One launch; those of a kernel run in their order.  Of 0 blocks along an axis: nothing runs. */
struct lt_cuda_launch {
	char function[64];
	uint32_t blocks[3], threads[3];
	uint32_t shared_bytes;          /* that the launch asks for, beside what the function declares */
	uint32_t first_argument, n_argument;
};
/* What the printer gives for a kernel; borrowed. */
struct lt_cuda_text {
	const char *text;               /* CUDA C++, its functions extern "C" */
	const struct lt_cuda_launch *launches;
	const struct lt_cuda_argument *arguments;
	uint32_t n_launch, n_argument;
	uint64_t workspace_bytes;
};
/* What becomes of it, in one piece of memory, which is saved as it is: see lt__cuda_code_new. */
struct lt_cuda_code {
	char *memory;                   /* of malloc */
	size_t bytes;
	const struct lt_cuda_launch *launches;
	const struct lt_cuda_argument *arguments;
	const char *cubin;
	uint32_t n_launch, n_argument;
	uint64_t workspace_bytes, cubin_bytes;
};

/* code.c
 * new: a copy of both.  read: a copy of what was saved; LT_EINVAL: it is something else, or damaged. */
lt_status lt__cuda_code_new(const struct lt_cuda_text *, const char *cubin, size_t bytes, struct lt_cuda_code *);
lt_status lt__cuda_code_read(const void *data, size_t bytes, struct lt_cuda_code *);
void lt__cuda_code_free(struct lt_cuda_code *);
bool lt__cuda_code_faults(const struct lt_cuda_code *);         /* whether a launch takes the fault record */
/* nvrtc.c
 * arch: the architecture of a device, "sm_90a"; LT_EUNSUPPORTED: NVRTC does not know it.  text: one text to a cubin,
 * which is malloc's; LT_ECOMPILE has the log's first error in its sentence, and the log goes to the host's.  cancelled:
 * asked while it compiles, or NULL; LT_ECANCELLED.  The flags that it compiles with, for the cache's key. */
lt_status lt__cuda_arch(
	const struct lt_cuda_nvrtc *, int major, int minor, char *arch, size_t bytes, struct lt_diag *);
struct lt_cuda_cubin {
	lt_status status;
	char *at; size_t bytes;
	char why[800];                  /* a sentence, if status is not LT_OK */
	char *log;                      /* malloc's, or NULL */
};
void lt__cuda_nvrtc_compile(const struct lt_cuda_nvrtc *, const char *arch, const char *name, const char *text,
	int (*cancelled)(void *), void *user, struct lt_cuda_cubin *);
extern const char *const lt__cuda_flags[];                      /* up to a NULL */
#endif
