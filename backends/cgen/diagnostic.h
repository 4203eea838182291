/* backends/cgen/diagnostic.h -- telling a diag one formatted reason; what the system's loader says, to be put into
 * one. */
#ifndef LT_CGEN_DIAGNOSTIC_H
#define LT_CGEN_DIAGNOSTIC_H
#include "lt/backend.h"

/* Returns code.  diag and remedy may be NULL; loop, stmt: index into the tree or -1. */
lt_status lt__report(struct lt_diag *diag, lt_status code, int32_t loop, int32_t stmt, const char *remedy,
	const char *fmt, ...) __attribute__((format(printf, 6, 7)));
/* What dlopen or dlsym failed of, without the name of the file that it may begin with: who tells it has named the file,
 * or has made one that nobody knows.  Borrowed until the thread's next call of these. */
const char *lt__load_error(const char *file);
#endif
