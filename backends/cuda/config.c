/* backends/cuda/config.c -- the items after "cuda:", separated by '/': device=N, tf32. */
#include <string.h>
#include "backends/cuda/session.h"

/* "device=N", N below 1000. */
static bool is_device(const char *at, size_t n, int *out)
{
	enum { STEM = 7, DIGITS = 3 };
	if (n <= STEM || n > STEM + DIGITS || memcmp(at, "device=", STEM) != 0)
		return false;
	int number = 0;
	for (size_t i = STEM; i < n; i++) {
		if (at[i] < '0' || at[i] > '9')
			return false;
		number = number * 10 + at[i] - '0';
	}
	*out = number;
	return true;
}

lt_status lt__cuda_config(const char *text, struct lt_cuda_config *out, struct lt_diag *diag)
{
	*out = (struct lt_cuda_config){ 0 };
	for (const char *at = text ? text : ""; *at; ) {
		size_t n = strcspn(at, "/");
		if (n == 4 && memcmp(at, "tf32", 4) == 0)
			out->tf32 = true;
		else if (n && !is_device(at, n, &out->device))
			return lt__report(diag, LT_EINVAL, -1, -1, "write device=N, or tf32, with / between them",
				"unknown option '%.*s'", (int)(n < 60 ? n : 60), at);
		at += n + (at[n] == '/');
	}
	return LT_OK;
}
