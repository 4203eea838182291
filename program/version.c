/* The library's version, once. */
#include "lt/lt.h"

const char *lt_version(void) { return LT_VERSION; }
