/* kernel_text.c -- see kernel_text.h. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "tests/kernel_text.h"

char kernel_message[2200];
bool kernel_has_remedy;

void kernel_text_add(void *text, const char *more, size_t bytes)
{
	struct kernel_text *x = text;
	if (x->n + bytes + 1 > x->cap) {
		x->cap = 2 * (x->n + bytes + 1);
		x->at = realloc(x->at, x->cap);
		if (!x->at)
			abort();
	}
	memcpy(x->at + x->n, more, bytes);
	x->n += bytes;
	x->at[x->n] = '\0';
}

static void keep_message(struct lt_diag *diag, const struct lt_diagnostic *d)
{
	(void)diag;
	kernel_has_remedy = d->remedy && *d->remedy;
	(void)snprintf(kernel_message, sizeof kernel_message, "%s%s%s", d->text, d->remedy ? "; " : "",
		d->remedy ? d->remedy : "");
}

lt_status kernel_parse(const char *text, size_t bytes, struct lt_kernel **out)
{
	struct lt_diag diag = { sizeof diag, keep_message };
	*kernel_message = '\0';
	return lt_kernel_parse(text, bytes, out, &diag);
}

lt_status kernel_verify(const struct lt_kernel *k)
{
	struct lt_diag diag = { sizeof diag, keep_message };
	*kernel_message = '\0';
	return lt_kernel_verify(k, &diag);
}
