/* newer.c -- one whose table goes on: with members that this library does not know. */
#include "null.h"
static const struct { struct lt_backend table; void *more[8]; } longer = {
	NULL_BACKEND(.name = "newer", .size = sizeof longer), { 0 }
};
LT_BACKEND(longer.table)
