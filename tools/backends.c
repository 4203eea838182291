/* tools/backends.c -- backends by name, for the values of options. */
#include <string.h>
#include "ir/arena.h"
#include "ir/nearest.h"
#include "lt/backend.h"
#include "tools/options.h"
#include "tools/plugins.h"

const char *lt__backend_name(int i)
{
	return i < (int)lt_backend_count() ? lt_backend_at((uint32_t)i)->name : NULL;
}

const char *lt__backend_offered(int i)
{
	const int n = (int)lt_backend_count();

	return i < n ? lt__backend_name(i) : i == n && !lt_backend_find("llvm") ? "llvm" : NULL;
}

lt_status lt__backend_named(struct lt_context *ctx, const char *name, size_t bytes, const struct lt_backend **out)
{
	char names[512];
	struct lt_nearest near;

	lt__nearest_begin(&near, name, bytes);
	for (uint32_t i = 0; i < lt_backend_count(); i++) {
		*out = lt_backend_at(i);
		if (strlen((*out)->name) == bytes && !memcmp((*out)->name, name, bytes))
			return LT_OK;
		lt__nearest_add(&near, (*out)->name);
	}
	*out = NULL;
	lt__option_words(&(struct lt_option){ .list = lt__backend_name }, names, sizeof names);
	return lt_fail(ctx, LT_EINVAL, "there is no backend '%.*s'%s (there are: %s)", (int)bytes, name,
		lt__nearest_hint(ctx, &near, "'", "'"), names);
}
