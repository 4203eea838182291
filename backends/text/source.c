/* source.c -- the grids of a kernel as a text for people, as LT_DUMP_SOURCE has it. */
#include <stdio.h>
#include <string.h>
#include "backends/text/text.h"

lt_status lt__text_grids_write(const struct lt_text_dialect *d, const struct lt_kernel *k, const struct lt_tree *t,
	lt_write *write, void *user)
{
	struct lt_text_tree_names names = { .t = t };
	const struct lt_text_origins origins = lt__text_tree_origins(&names);
	struct lt_text_grids *grids;
	char mark[160];
	lt_status status = lt__text_grids(d, k, &origins, &grids, NULL);
	if (status)
		return status;
	const char *kernel = grids->text + grids->definitions;
	lt__text_definitions(grids->text, grids->definitions, write, user);
	int n = snprintf(mark, sizeof mark, "/* kernel %.100s */\n", t->name ? t->name : "?");
	write(user, mark, (size_t)n);
	kernel += strspn(kernel, "\n");
	write(user, kernel, strlen(kernel));
	lt__text_grids_free(grids);
	return LT_OK;
}
