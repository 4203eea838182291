/* diagnostic.h -- saying why a call fails. */
#ifndef LT_LLVM_DIAGNOSTIC_H
#define LT_LLVM_DIAGNOSTIC_H
#include "lt/backend.h"

/* Tells diag, if anybody listens, and gives code back.  loop, stmt: -1 for none; remedy: NULL for none. */
lt_status lt_llvm_report(struct lt_diag *diag, lt_status code, int32_t loop, int32_t stmt, const char *remedy,
	const char *fmt, ...) __attribute__((format(printf, 6, 7)));
#endif
