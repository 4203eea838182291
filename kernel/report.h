/* kernel/report.h -- telling a diag one formatted reason. */
#ifndef LT_KERNEL_REPORT_H
#define LT_KERNEL_REPORT_H
#include "lt/backend.h"

/* Returns code.  diag and remedy may be NULL; loop, stmt: index into the tree or -1. */
lt_status lt__report(struct lt_diag *diag, lt_status code, int32_t loop, int32_t stmt, const char *remedy,
	const char *fmt, ...) __attribute__((format(printf, 6, 7)));
#endif
