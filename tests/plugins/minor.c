/* tests/plugins/minor.c -- one of another minor version: while the major is 0, that is another interface. */
#include "null.h"
static const struct lt_backend table = NULL_BACKEND(.name = "minor", .abi = LT_ABI - 1);
LT_BACKEND(table)
