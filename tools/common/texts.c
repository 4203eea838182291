/* texts.c -- a list of texts that belong to others. */
#include <stdlib.h>
#include "base/arena.h"
#include "tools/common/common.h"

lt_status lt__texts_add(struct lt_context *ctx, struct lt_texts *w, const char *text)
{
	if (w->n == w->cap) {
		int32_t cap = w->cap ? 2 * w->cap : 8;
		const char **at = realloc(w->at, (size_t)cap * sizeof *at);

		if (!at)
			return lt_fail(ctx, LT_ENOMEM, "out of memory");
		w->at = at;
		w->cap = cap;
	}
	w->at[w->n++] = text;
	return LT_OK;
}
