/* text.c -- times and sizes as people read them. */
#include "tools/run/run.h"

const char *run_time_text(double ns, char *out, size_t bytes)
{
	snprintf(out, bytes, ns < 1e3 ? "%.0f ns" : ns < 1e6 ? "%.4g us" : ns < 1e9 ? "%.4g ms" : "%.4g s",
		ns < 1e3 ? ns : ns < 1e6 ? ns / 1e3 : ns < 1e9 ? ns / 1e6 : ns / 1e9);
	return out;
}

const char *run_bytes_text(double bytes, char *out, size_t n)
{
	snprintf(out, n,
		bytes == 1            ? "%.0f byte"
			: bytes < 1e3 ? "%.0f bytes"
			: bytes < 1e6 ? "%.4g kB"
			: bytes < 1e9 ? "%.4g MB"
				      : "%.4g GB",
		bytes < 1e3           ? bytes
			: bytes < 1e6 ? bytes / 1e3
			: bytes < 1e9 ? bytes / 1e6
				      : bytes / 1e9);
	return out;
}
