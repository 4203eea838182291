/* report.h -- telling a diag one formatted reason, and a listener one decision. */
#ifndef LT_KERNEL_FORM_REPORT_H
#define LT_KERNEL_FORM_REPORT_H
#include "lt/kernel.h"
#include "lt/kernel.h"

/* Returns code.  diag and remedy may be NULL; loop, stmt: index into the tree or -1. */
lt_status lt__report(struct lt_diag *diag, lt_status code, int32_t loop, int32_t stmt, const char *remedy,
	const char *fmt, ...) __attribute__((format(printf, 6, 7)));

/* One decision of step `letter`; report may be NULL.  loop, stmt, buffer: index into the tree or -1. */
void lt__decide(struct lt_kernel_report *report, char letter, int32_t loop, int32_t stmt, int32_t buffer,
	const char *fmt, ...) __attribute__((format(printf, 6, 7)));
/* LT_EUNSUPPORTED: the program has a grid. */
lt_status lt__report_grids(const struct lt_kernel *, struct lt_diag *);
#endif
