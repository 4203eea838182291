/* load.c -- ref and cpu as plug-ins: linked into a test in place of the two backends themselves. */
#include <stdio.h>
#include <stdlib.h>
#include "lt/backend.h"
#include "tests/built.h"

static void say(struct lt_diag *diag, const struct lt_diagnostic *diagnostic)
{
	(void)diag;
	(void)fprintf(stderr, "%s\n", diagnostic->text);
}

__attribute__((constructor)) static void load_ours(void)
{
	static const char *const names[] = { "ref", "cpu" };
	struct lt_diag diag = { sizeof diag, say };
	for (int i = 0; i < 2; i++) {
		char file[32];
		(void)snprintf(file, sizeof file, "plugins/%s.so", names[i]);
		if (lt_backend_find(names[i]) || lt_backend_load(built(file), &diag)
			|| !lt_backend_origin(lt_backend_find(names[i]))) {
			(void)fprintf(stderr, "%s is no plug-in here\n", names[i]);
			abort();
		}
	}
}
