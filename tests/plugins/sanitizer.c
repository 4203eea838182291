/* sanitizer.c -- one that was built the other way with regard to the address sanitizer. */
#include "null.h"
static const struct lt_backend table = NULL_BACKEND(.name = "sanitizer", .build = LT_BUILD ^ 1);
LT_BACKEND(table)
