/* major.c -- one of another major version that says so only in its table. */
#include "null.h"
static const struct lt_backend table = NULL_BACKEND(.name = "major", .abi = (LT_ABI_MAJOR + 1) << 16);
LT_BACKEND(table)
