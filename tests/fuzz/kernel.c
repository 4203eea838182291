/* kernel.c -- fuzz target: the text of a kernel program.  What parses keeps the rules, prints, and parses
 * again to the same text; what does not is refused with a sentence that says where. */
#include <stdlib.h>
#include <string.h>
#include "lt/kernel.h"
#include "tests/fuzz/fuzz.h"

struct printed { char *at; size_t n, cap; };

static void collect(void *user, const char *text, size_t bytes)
{
	struct printed *p = user;
	if (p->n + bytes > p->cap) {
		p->cap = 2 * (p->n + bytes);
		p->at = realloc(p->at, p->cap);
		if (!p->at)
			abort();
	}
	memcpy(p->at + p->n, text, bytes);
	p->n += bytes;
}

struct listener { struct lt_diag diag; int heard; };
static void hear(struct lt_diag *diag, const struct lt_diagnostic *d)
{
	struct listener *l = (struct listener *)(void *)diag;
	l->heard++;
	if (strncmp(d->text, "kernel:", 7) != 0)
		abort();
	for (const char *c = d->text; *c; c++)
		if ((unsigned char)*c < ' ' || (unsigned char)*c >= 127)
			abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
	struct listener l = { { sizeof l.diag, hear }, 0 };
	struct printed first = { NULL, 0, 0 }, second = { NULL, 0, 0 };
	struct lt_kernel *k = NULL, *again = NULL;
	if (lt_kernel_parse((const char *)data, bytes, &k, &l.diag)) {
		if (k || l.heard != 1)
			abort();
		return 0;
	}
	if (lt_kernel_verify(k, NULL))
		abort();
	lt_kernel_print(k, collect, &first);
	if (lt_kernel_parse(first.at, first.n, &again, NULL))
		abort();
	lt_kernel_print(again, collect, &second);
	if (first.n != second.n || memcmp(first.at, second.at, first.n))
		abort();
	lt_kernel_free(k);
	lt_kernel_free(again);
	free(first.at);
	free(second.at);
	return 0;
}
