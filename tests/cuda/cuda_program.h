/* cuda_program.h -- kernel programs of one function over n elements, as a device runs them.
 *
 *   axpy    y[i] += 2 x[i]                    check   what is above 100 is out of range: access 5 of statement 3
 *   scaled  y[i] = x[i] * n, a run-time scalar in slot 2
 *   turned  y[i] = x[n - 1 - i], through all of the shared memory
 *   stray   writes far outside of y           slow    n dependent sums
 *   empty   nothing                           copied  y = x, 4 elements at a time
 */
#ifndef TESTS_CUDA_PROGRAM_H
#define TESTS_CUDA_PROGRAM_H
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "lt/kernel.h"
#include "tests/keeper.h"

struct cuda_shape { int64_t elems; int blocks, threads; int64_t number; };

#define CUDA_BUFFER(name, slot, written) "buffer " name " f32[%1$lld] slot " slot " align 16" written "\n"
#define CUDA_HOST "region host\n\tlaunch_grid 1 %2$d 1 1 (i64 %4$lld)\n"
#define CUDA_GRID(shared) \
	"region grid 1 blocks (%2$d, 1, 1) threads (%3$d, 1, 1) subgroup 1 shared " shared "\n\t%%n = argument i64 0\n" \
	"\t%%b = block 0\n\t%%t = thread 0\n\t%%first = mul i64 %%b %3$d\n\t%%i = add i64 %%first %%t\n" \
	"\t%%there = less i64 %%i %%n\n"
#define CUDA_XY CUDA_BUFFER("x", "0", " exclusive") CUDA_BUFFER("y", "1", " exclusive written")

static const struct { const char *name, *text; } cuda_programs[] = {
	{ "axpy", CUDA_XY CUDA_HOST CUDA_GRID("0") "\t%%x = load f32 x[%%i] mask %%there\n"
		"\t%%y = load f32 y[%%i] mask %%there\n\t%%two = mul f32 %%x 2\n\t%%z = add f32 %%y %%two\n"
		"\tstore y[%%i] %%z mask %%there\n" },
	{ "check", CUDA_BUFFER("x", "0", " exclusive") CUDA_HOST CUDA_GRID("0") "\t%%x = load f32 x[%%i] mask %%there\n"
		"\t%%large = greater f32 %%x 100\n\t%%wrong = and mask %%large %%there\n\t%%at = cast i64 from f32 %%x\n"
		"\tfault %%wrong %%at access 5 @3\n" },
	{ "scaled", CUDA_XY "buffer n i64[1] slot 2 align 8 exclusive\nparam n buffer n element 0 range 0..100\n" CUDA_HOST
		CUDA_GRID("0") "\t%%p = param 0\n\t%%f = cast f32 from i64 %%p\n\t%%x = load f32 x[%%i] mask %%there\n"
		"\t%%z = mul f32 %%x %%f\n\tstore y[%%i] %%z mask %%there\n" },
	{ "turned", CUDA_XY "buffer s f32[%1$lld] shared 0 align 16 written\n" CUDA_HOST CUDA_GRID("%5$lld")
		"\tloop %%j from %%t to %%n step %3$d\n\t\t%%x = load f32 x[%%j]\n\t\t%%r = sub i64 %%n %%j\n"
		"\t\t%%q = sub i64 %%r 1\n\t\tstore s[%%q] %%x\n\tend\n\tbarrier block 0 threads %3$d\n"
		"\tloop %%k from %%t to %%n step %3$d\n\t\t%%y = load f32 s[%%k]\n\t\tstore y[%%k] %%y\n\tend\n" },
	{ "stray", CUDA_XY CUDA_HOST CUDA_GRID("0") "\t%%far = mul i64 %%n 1099511627776\n\tstore y[%%far] 1\n" },
	{ "slow", CUDA_BUFFER("x", "0", " exclusive written") "variable v f32\n" CUDA_HOST CUDA_GRID("0")
		"\tvariable v\n\tset v 1\n\tloop %%j from 0 to %%n\n\t\t%%g = get v\n\t\t%%m = mul f32 %%g 1.5\n"
		"\t\t%%a = add f32 %%m 1\n\t\t%%d = mul f32 %%a 0.5\n\t\tset v %%d\n\tend\n\t%%r = get v\n\tstore x[0] %%r\n" },
	{ "empty", CUDA_BUFFER("x", "0", " exclusive written") CUDA_HOST CUDA_GRID("0")
		"\t%%never = less i64 %%n 0\n\tif %%never\n\t\tstore x[%%i] 1\n\tend\n" },
	{ "copied", CUDA_XY CUDA_HOST CUDA_GRID("0") "\tif %%there\n\t\t%%at = mul i64 %%i 4\n\t\t%%x = load f32x4 x[%%at]\n"
		"\t\tstore y[%%at] %%x\n\tend\n" },
};

/* The caller's, as a text; name: that of the kernel, which begins with that of the program up to a digit or the end. */
static inline struct lt_kernel *cuda_parse(const char *text)
{
	struct keeper k = keeper_new();
	struct lt_kernel *made;
	if (lt_kernel_parse(text, strlen(text), &made, &k.diag)) {
		(void)fprintf(stderr, "%s\n%s\n", k.text, text);
		abort();
	}
	return made;
}

static inline struct lt_kernel *cuda_program(const char *name, struct cuda_shape shape)
{
	static char head[120], text[4096];
	for (size_t i = 0; i < sizeof cuda_programs / sizeof *cuda_programs; i++)
		if (strncmp(name, cuda_programs[i].name, strlen(cuda_programs[i].name)) == 0) {
			int n = snprintf(head, sizeof head, "kernel 1\nname %s\nworkspace 0 thread 0\n", name);
			memcpy(text, head, (size_t)n);
			(void)snprintf(text + n, sizeof text - (size_t)n, cuda_programs[i].text, (long long)shape.elems, shape.blocks,
				shape.threads, (long long)shape.number, (long long)shape.elems * 4);
			return cuda_parse(text);
		}
	abort();
}
#endif
