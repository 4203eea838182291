/* duplicate.c -- one whose name is taken. */
#include "null.h"
static const struct lt_backend table = NULL_BACKEND(.name = "ref", .summary = "another ref");
LT_BACKEND(table)
