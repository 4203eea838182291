/* name.c -- the names of the files in a cache. */
#include <string.h>
#include "program/cache/cache.h"

static bool is_hex(const char *text, size_t digits) { return strspn(text, "0123456789abcdef") == digits; }
bool lt__cache_is_kernel(const char *name) { return is_hex(name, 32) && strcmp(name + 32, ".ltk") == 0; }
bool lt__cache_is_plan(const char *name) { return is_hex(name, 32) && strcmp(name + 32, ".ltp") == 0; }
static bool is_fact(const char *name) { return is_hex(name, 32) && strcmp(name + 32, ".lti") == 0; }

bool lt__cache_is_temporary(const char *name)
{
	return strncmp(name, "new-", 4) == 0 && is_hex(name + 4, 16) && name[20] == '\0';
}

bool lt__cache_is_entry(const char *name)
{
	return lt__cache_is_kernel(name) || lt__cache_is_plan(name) || is_fact(name);
}
