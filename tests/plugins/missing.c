/* missing.c -- one without a mandatory function. */
#include "null.h"
static const struct lt_backend table = NULL_BACKEND(.name = "missing", .sync = NULL);
LT_BACKEND(table)
