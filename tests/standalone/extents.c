/* extents.c -- calls the function that lt-build made of a script with two run-time axes: inputs that are dense at a
 * run's extents and end where no memory is any more, sizes that are handed over, right and wrong. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "two.h"

/* So many bytes, and behind them a page that nobody may read. */
static float *at_the_end(size_t bytes)
{
	const size_t page = (size_t)sysconf(_SC_PAGESIZE), whole = (bytes + page - 1) / page * page;
	char *at = mmap(NULL, whole + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (at == MAP_FAILED || mprotect(at + whole, page, PROT_NONE) != 0)
		abort();
	return (float *)(void *)(at + whole - bytes);
}

static int run(int64_t batch, int64_t length, void *workspace)
{
	const size_t bytes = (size_t)(batch * length) * 3 * sizeof(float);
	static float y[TWO_out_result_ELEMENTS];
	float *x = at_the_end(bytes);
	struct two_args a = { 0 };
	for (size_t i = 0; i < bytes / sizeof *x; i++)
		x[i] = (float)i;
	a.in_batch = batch;
	a.in_length = length;
	a.in_x = x;
	a.out_result = y;
	a.workspace = workspace;
	memset(y, 0xff, sizeof y);
	a.in_x_bytes = bytes + 4;
	if (two(&a) != TWO_SIZE || a.value != (int64_t)bytes + 4)
		return printf("a wrong size of an input: %s\n", a.message), 1;
	a.in_x_bytes = bytes;
	a.out_result_bytes = TWO_out_result_BYTES - 4;
	if (two(&a) != TWO_SIZE)
		return printf("a result that is too small: %s\n", a.message), 1;
	for (int known = 0; known < 2; known++) {
		a.in_x_bytes = known ? bytes : 0;
		a.out_result_bytes = known ? sizeof y : 0;
		if (two(&a) != TWO_OK || a.out_result_dim0 != batch || a.out_result_dim1 != length)
			return printf("%s (%lld)\n", a.message, (long long)a.value), 1;
		for (int64_t i = 0; i < batch; i++)
			for (int64_t j = 0; j < length * 3; j++)
				if (y[i * TWO_out_result_DIM1 * 3 + j] != x[i * length * 3 + j] + 1)
					return printf("%lld, %lld: wrong at %lld, %lld\n", (long long)batch, (long long)length, (long long)i, (long
						long)j), 1;
	}
	return 0;
}

int main(void)
{
	static char workspace[TWO_WORKSPACE_BYTES];
	for (int64_t batch = 1; batch <= TWO_in_x_DIM0; batch++)
		for (int64_t length = 1; length <= TWO_in_x_DIM1; length++) {
			memset(workspace, 0xff, sizeof workspace);
			if (run(batch, length, NULL) || run(batch, length, workspace))
				return 1;
		}
	return 0;
}
