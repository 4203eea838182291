/* saves_next.c -- the next version of it. */
#include "saves.h"
static const struct lt_backend table = SAVES_BACKEND(.version = "2");
LT_BACKEND(table)
