/* ltcheck.c -- see tests/ltcheck.h. */
#include <stdarg.h>
#include <stdio.h>
#include "tests/built.h"
#include "tests/ltcheck.h"

char ltcheck_out[1 << 20], ltcheck_err[1 << 14];

static int run_with(const char *options, const char *fmt, va_list args)
{
	char begin[2048];
	(void)snprintf(begin, sizeof begin, "%s %s --keep kept", built("lt-check"), options);
	return run_in_scratch(
		ltcheck_out, sizeof ltcheck_out, ltcheck_err, sizeof ltcheck_err, begin, fmt, args);
}

int ltcheck(const char *fmt, ...)
{
	va_list args;
	va_start(args, fmt);
	int code = run_with("", fmt, args);
	va_end(args);
	return code;
}

int ltcheck_fault(const char *fault, const char *fmt, ...)
{
	char path[200], options[1024];
	va_list args;
	(void)snprintf(path, sizeof path, "tests/faults/%s.so", fault);
	(void)snprintf(options, sizeof options, "-B %s --no-reduce", built(path));
	va_start(args, fmt);
	int code = run_with(options, fmt, args);
	va_end(args);
	return code;
}
