/* diagnostic.h -- reasons of backends: what a loader or a compiler says, to be put into one. */
#ifndef LT_BACKENDS_DIAGNOSTIC_H
#define LT_BACKENDS_DIAGNOSTIC_H
#include "kernel/form/report.h"

/* What dlopen or dlsym failed of, without the name of the file that it may begin with: who tells it has named the file,
 * or has made one that nobody knows.  Borrowed until the thread's next call of these. */
const char *lt__load_error(const char *file);
/* The first line of a compiler's log that says "error", without blanks around it; of a log without one the last line
 * that there is. */
void lt__first_error(const char *log, char *out, size_t bytes);
#endif
