/* older.c -- one whose table ends before the optional functions. */
#include "null.h"
static const struct lt_backend table = NULL_BACKEND(.name = "older", .size = offsetof(struct lt_backend, need));
LT_BACKEND(table)
