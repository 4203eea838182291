/* merge.c -- the texts of several kernels as one, in which each definition is written once. */
#include <stdlib.h>
#include <string.h>
#include "backends/opencl/session.h"
#include "kernel/form/form.h"

static void merge_add(void *out, const char *text, size_t bytes) { lt__out_bytes(out, text, bytes); }

/* Definitions, with an empty line between them, that no earlier kernel has. */
static void merge_definitions(struct lt_pool *pool, struct lt_nameset *seen, const struct lt_text_grids *g,
	struct lt_out *to)
{
	struct lt_out own = lt__out_new(pool);
	lt__text_definitions(g->text, g->definitions, merge_add, &own);
	for (char *at = own.at, *next; at; at = next) {
		next = strstr(at, "\n\n");
		if (next) {
			*next = '\0';
			next += 2;
		}
		if (!*at || lt__nameset_find(seen, at))
			continue;
		lt__nameset_add(seen, at, 1);
		lt__outf(to, "%s\n", at);
	}
}

static bool merge_names(struct lt_nameset *seen, const struct lt_text_grids *g)
{
	for (uint32_t i = 0; i < g->n_grid; i++) {
		if (lt__nameset_find(seen, g->grids[i].name))
			return false;
		lt__nameset_add(seen, g->grids[i].name, 1);
	}
	return true;
}

char *lt__opencl_merge(struct lt_object *const *object, uint32_t n)
{
	struct lt_pool *pool = calloc(1, sizeof *pool);
	char *volatile text = NULL;
	if (pool && setjmp(pool->jump) == 0) {
		struct lt_nameset definitions = { .pool = pool }, names = { .pool = pool };
		struct lt_out before = lt__out_new(pool), all = lt__out_new(pool);
		bool distinct = true;
		for (uint32_t i = 0; i < n && distinct; i++) {
			const struct lt_text_grids *g = object[i]->grids;
			distinct = merge_names(&names, g);
			merge_definitions(pool, &definitions, g, &before);
			lt__out(&all, g->text + g->definitions);
		}
		lt__out(&before, all.at);
		text = distinct ? malloc(before.n + 1) : NULL;
		if (text)
			memcpy(text, before.at, before.n + 1);
	}
	if (pool)
		lt__pool_free(pool);
	free(pool);
	return text;
}
