/* saves.c -- one whose objects the host's cache can keep. */
#include "saves.h"
static const struct lt_backend table = SAVES_BACKEND(.version = "1");
LT_BACKEND(table)
