/* badname.c -- one whose name could not be written in -b a,b:config. */
#include "null.h"
static const struct lt_backend table = NULL_BACKEND(.name = "Bad,name");
LT_BACKEND(table)
