/* ltcheck.h -- lt-check in a process of its own, in the test's folder, where it keeps what failed in "kept". */
#ifndef TESTS_LTCHECK_H
#define TESTS_LTCHECK_H

extern char ltcheck_out[1 << 20], ltcheck_err[1 << 14];        /* what the last run wrote */
/* Runs lt-check with these arguments; its exit code. */
int ltcheck(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
/* The same with a plug-in of tests/faults, whose failures are not reduced. */
int ltcheck_fault(const char *fault, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
#endif
