/* nosymbol.c -- a library that is no backend. */
#include "lt/status.h"
LT_API int lt_not_a_backend(void);
int lt_not_a_backend(void) { return 0; }
