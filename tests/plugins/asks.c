/* asks.c -- asks for many environment variables while it is loaded: lt-check hears those of another
 * plug-in all the same. */
#include <stdio.h>
#include <stdlib.h>
#include "null.h"
static const struct lt_backend table = NULL_BACKEND(.name = "asks");
LT_BACKEND(table)

__attribute__((constructor)) static void ask(void)
{
	char name[20];
	for (int i = 0; i < 1200; i++) {
		(void)snprintf(name, sizeof name, "ASKS_%d", i < 600 ? 0 : i);
		if (getenv(name))
			abort();
	}
}
