/* diagnostics.h -- what backends report with a status: one by one, and as one text. */
#ifndef LT_PROGRAM_NEST_DIAGNOSTICS_H
#define LT_PROGRAM_NEST_DIAGNOSTICS_H
#include "lt/backend.h"

enum { LT_MAX_DIAGNOSTICS = 8 };
struct lt_diagnostics {
	struct lt_diag diag;
	int32_t n_diagnostic;
	/* offsets in pool; remedy 0: none */
	struct { lt_status code; int32_t loop, stmt; size_t text, remedy; } entry[LT_MAX_DIAGNOSTICS];
	size_t n, n_pool;
	char text[1500], pool[3000];
};
void lt__diagnostics_init(struct lt_diagnostics *);
/* A backend's sentence without its own name in front, which the message has already. */
const char *lt__diagnostic_text(const char *text, const char *backend);
/* That, or what the status means where it reported nothing; call: the function that gave the status, which its author
 * has to mend if there is no such status. */
const char *lt__diagnostic_reason(struct lt_diagnostics *, lt_status, const char *backend, const char *call);
#endif
