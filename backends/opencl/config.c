/* backends/opencl/config.c -- the items after "opencl:", separated by '/': platform=N, device=N, O0. */
#include <string.h>
#include "backends/opencl/session.h"

/* "NAME=N", N below 1000. */
static bool is_number(const char *at, size_t n, const char *name, int *out)
{
	enum { DIGITS = 3 };
	const size_t stem = strlen(name);
	if (n <= stem || n > stem + DIGITS || memcmp(at, name, stem) != 0)
		return false;
	int number = 0;
	for (size_t i = stem; i < n; i++) {
		if (at[i] < '0' || at[i] > '9')
			return false;
		number = number * 10 + at[i] - '0';
	}
	*out = number;
	return true;
}

lt_status lt__opencl_config(const char *text, struct lt_opencl_config *out, struct lt_diag *diag)
{
	*out = (struct lt_opencl_config){ .platform = -1 };
	for (const char *at = text ? text : ""; *at; ) {
		size_t n = strcspn(at, "/");
		if (n == 2 && memcmp(at, "O0", 2) == 0)
			out->plain = true;
		else if (n && !is_number(at, n, "platform=", &out->platform) && !is_number(at, n, "device=", &out->device))
			return lt__report(diag, LT_EINVAL, -1, -1, "write platform=N, device=N, or O0, with / between them",
				"unknown option '%.*s'", (int)(n < 60 ? n : 60), at);
		at += n + (at[n] == '/');
	}
	return LT_OK;
}
