/* tests/plugins/newer.c -- one of a newer minor version: its table goes on. */
#include "null.h"
static const struct { struct lt_backend table; void *more[8]; } longer = {
	NULL_BACKEND(.name = "newer", .size = sizeof longer, .abi = LT_ABI + 7), { 0 }
};
LT_BACKEND(longer.table)
