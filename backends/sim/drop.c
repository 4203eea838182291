/* drop.c -- a program without one of its barriers: tests see that the simulator finds that. */
#include <stdlib.h>
#include <string.h>
#include "backends/sim/sim.h"
#include "kernel/form/form.h"

struct drop_text { char *at; size_t n; bool failed; };

static void drop_add(void *user, const char *more, size_t n)
{
	struct drop_text *t = user;
	char *at = t->failed ? NULL : realloc(t->at, t->n + n + 1);
	t->failed = at == NULL;
	if (t->failed)
		return;
	t->at = at;
	memcpy(t->at + t->n, more, n);
	t->n += n;
	t->at[t->n] = '\0';
}

/* The line of barrier number n, from 1; NULL: there are fewer. */
static char *drop_line(char *text, uint64_t n)
{
	for (char *line = text; line; line = strchr(line, '\n')) {
		line += strspn(line, "\n\t");
		if (strncmp(line, "barrier ", 8) == 0 && --n == 0)
			return line;
	}
	return NULL;
}

lt_status lt__sim_drop(struct lt_kernel **k, uint64_t drop, struct lt_diag *diag)
{
	struct drop_text text = { NULL, 0, false };
	struct lt_kernel *made;
	lt_kernel_print(*k, drop_add, &text);
	if (text.failed || !text.at) {
		free(text.at);
		return lt__report(diag, LT_ENOMEM, -1, -1, NULL, "out of memory");
	}
	char *line = drop_line(text.at, drop);
	lt_status status = LT_OK;
	if (line) {
		line[0] = '#';
		status = lt_kernel_parse(text.at, text.n, &made, diag);
		if (!status) {
			lt_kernel_free(*k);
			*k = made;
		}
	}
	free(text.at);
	return status;
}
