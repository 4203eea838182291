/* plain.c -- a plug-in as it should be. */
#include "null.h"
static const struct lt_backend table = NULL_BACKEND(.name = "plain");
LT_BACKEND(table)
