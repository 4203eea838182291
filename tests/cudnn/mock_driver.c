/* mock_driver.c -- what cuDNN asks of a driver when it compiles a plan, beside what tests/cuda/mock.c has: enough for
 * plans to be built for a device that is not there, and nothing to run them.
 *
 * Names are those that the library looks for, of which some are older ones, so that cuda.h is not included: it renames
 * them.
 */
#include <stddef.h>

#define API __attribute__((visibility("default")))

static int something;
static char image[4096];

/* A function that gives something: a context, a library, a kernel. */
#define GIVES(name, ...) \
	API int name(__VA_ARGS__); \
	API int name(__VA_ARGS__) \
	{ \
		*out = &something; \
		return 0; \
	}
/* A function that gives a number. */
#define COUNTS(name, type, number) \
	API int name(type *out); \
	API int name(type *out) \
	{ \
		*out = number; \
		return 0; \
	}
/* It looks for these, and what they give is not read. */
#define PASSES(name) \
	API int name(void); \
	API int name(void) { return 0; }

GIVES(cuCtxGetCurrent, void **out)
GIVES(cuLibraryLoadData, void **out)
GIVES(cuLibraryGetKernel, void **out)
GIVES(cuKernelGetFunction, void **out)
COUNTS(cuCtxGetLimit, size_t, 1024)
COUNTS(cuKernelGetAttribute, int, 0)
COUNTS(cuOccupancyMaxPotentialClusterSize, int, 8)
COUNTS(cuOccupancyMaxActiveClusters, int, 16)
PASSES(cuCtxPopCurrent) PASSES(cuCtxPushCurrent) PASSES(cuKernelSetAttribute) PASSES(cuLaunchCooperativeKernel)
PASSES(cuLibraryLoadFromFile) PASSES(cuLibraryUnload) PASSES(cuLinkCreate) PASSES(cuLinkAddData) PASSES(cuLinkDestroy)
PASSES(cuStreamGetCtx)

API int cuLinkComplete(void *state, void **out, size_t *bytes);
API int cuLinkComplete(void *state, void **out, size_t *bytes)
{
	(void)state;
	*out = image;
	*bytes = sizeof image;
	return 0;
}
