/* built.h -- where a test finds what was built with it: programs, libraries, and a folder for what it writes. */
#ifndef TESTS_BUILT_H
#define TESTS_BUILT_H
#include <stdarg.h>
#include <stddef.h>

/* The path of a file in the build folder, which is the one above the test's own; static storage, a few at a time. */
const char *built(const char *name);
/* Makes a folder of the test's own, once a process; its path, or that of a file in it; static storage. */
const char *scratch(const char *name);
void scratch_remove(void);
/* Runs a command line through the shell; what it wrote to standard output and standard error, each cut to fit; its
 * exit code, -1 if a signal ended it. */
int run_command(const char *command, char *out, size_t out_bytes, char *err, size_t err_bytes);
/* The same of "cd FOLDER && BEGIN" in the test's folder, and what the format and its arguments say after that. */
int run_in_scratch(
	char *out, size_t out_bytes, char *err, size_t err_bytes, const char *begin, const char *fmt, va_list);
#endif
