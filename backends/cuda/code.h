/* code.h -- a kernel's code: its program, the functions that its text has, and the cubin that NVRTC makes
 * of that. */
#ifndef LT_CUDA_CODE_H
#define LT_CUDA_CODE_H
#include "backends/cuda/driver.h"
#include "backends/text/text.h"

enum { LT_CUDA_MAX_PARAMETERS = 512 };  /* of one function: 4 KiB, which every device takes */
struct lt_cuda_code {
	struct lt_kernel *kernel;
	struct lt_text_grids *grids;    /* its text, and its functions */
	char *cubin;                    /* of malloc; NULL: not compiled */
	size_t cubin_bytes;
	char *choices;                  /* what was chosen for its calls, as it was saved (blas_plan.c); NULL: nothing */
	size_t choice_bytes;
	bool faults;                    /* a function takes the fault record */
};
/* One launch: function `grid`, with arguments argument[first_argument] and so on.  Or a call: where each operand
 * begins, then how many there are of each dim. */
struct lt_cuda_launch { int32_t call; uint32_t grid, blocks[3], first_argument; };      /* call -1: a launch */
struct lt_cuda_launches {
	struct lt_cuda_launch *launch;
	uint64_t *argument;
	uint32_t n_launch, n_argument, max_launch, max_argument;
	uint32_t n_call;                /* of the launches */
};

/* code.c
 * print: the text of a program, which it takes in any case; LT_EUNSUPPORTED says what CUDA C cannot express.
 * save: program, cubin and choices.  read: what was saved; LT_EINVAL: it is something else, or damaged. */
lt_status lt__cuda_code_print(struct lt_kernel *, struct lt_cuda_code *, struct lt_diag *);
lt_status lt__cuda_code_save(const struct lt_cuda_code *, lt_write *, void *user);
lt_status lt__cuda_code_read(const void *data, size_t bytes, struct lt_cuda_code *);
void lt__cuda_code_free(struct lt_cuda_code *);
/* launches.c: those of a run, for values of the run-time scalars; NULL: those that are good for all values,
 * LT_EUNSUPPORTED says why there are none.  free: of a zeroed struct, too. */
lt_status lt__cuda_launches(
	const struct lt_cuda_code *, const int64_t *param, struct lt_cuda_launches *, struct lt_diag *);
void lt__cuda_launches_free(struct lt_cuda_launches *);
/* nvrtc.c
 * arch: the architecture of a device, "sm_90a"; LT_EUNSUPPORTED: NVRTC does not know it.  text: one text to a cubin,
 * which is malloc's; LT_ECOMPILE has the log's first error in its sentence, and the log goes to the host's.  cancelled:
 * asked while it compiles, or NULL; LT_ECANCELLED.  ptx: that text instead.  The flags that it compiles with, for the
 * cache's key. */
lt_status lt__cuda_arch(
	const struct lt_cuda_nvrtc *, int major, int minor, char *arch, size_t bytes, struct lt_diag *);
struct lt_cuda_cubin {
	lt_status status;
	char *at; size_t bytes;
	char why[800];                  /* a sentence, if status is not LT_OK */
	char *log;                      /* malloc's, or NULL */
};
struct lt_cuda_job {
	const char *arch, *name, *text;
	bool ptx;
	int (*cancelled)(void *); void *user;
};
void lt__cuda_nvrtc_compile(const struct lt_cuda_nvrtc *, const struct lt_cuda_job *, struct lt_cuda_cubin *);
extern const char *const lt__cuda_flags[];                      /* up to a NULL */
#endif
