/* minor.c -- one of a later minor version, which goes with this one. */
#include "null.h"
static const struct lt_backend table = NULL_BACKEND(.name = "minor", .abi = LT_ABI + 1);
LT_BACKEND(table)
