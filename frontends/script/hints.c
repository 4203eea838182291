/* hints.c -- which node is meant by a name that there is not. */
#include <string.h>
#include "frontends/script/reader.h"
#include "base/nearest.h"

static const struct { const char *word, *node; } hints[] = {
#define HINT(word, node) { #word, #node },
#include "frontends/script/hints.def"
};

/* What other libraries call a node: global_max_pool, GlobalMaxPool; NULL. */
static const char *hint_of(const char *name, int32_t bytes)
{
	char word[48];
	size_t n = 0;
	if (bytes > 4 && memcmp(name + bytes - 4, "Node", 4) == 0)
		bytes -= 4;
	for (int32_t i = 0; i < bytes && n < sizeof word - 1; i++)
		if (name[i] != '_')
			word[n++] = (char)(name[i] >= 'A' && name[i] <= 'Z' ? name[i] - 'A' + 'a' : name[i]);
	word[n] = 0;
	for (size_t i = 0; i < sizeof hints / sizeof *hints; i++)
		if (strcmp(hints[i].word, word) == 0)
			return hints[i].node;
	return NULL;
}

/* ReLU: ReLUNode. */
const char *lt__script_nearest(const struct lt_script *s, const char *name, int32_t bytes)
{
	static const char *const ends[] = { "", "Node", "Tensor" };
	struct lt_nearest near;
	char whole[3][48];
	const char *hint = hint_of(name, bytes);
	if (hint || bytes >= 40)
		return hint;
	lt__nearest_begin(&near, name, (size_t)bytes);
	for (size_t k = 0; k < sizeof ends / sizeof *ends; k++) {
		near.limit = (size_t)bytes / 3 + (k == 0 ? 2 : 1);      /* letters that were not written say nothing */
		near.bytes = (size_t)snprintf(whole[k], sizeof whole[k], "%.*s%s", bytes, name, ends[k]);
		near.word = whole[k];
		for (int32_t i = 0; i < s->n_type; i++)
			lt__nearest_add(&near, s->type[i].name);
		for (int32_t i = 0; k == 0 && i < s->n_function; i++)
			lt__nearest_add(&near, s->function[i].name);
	}
	return near.n ? near.name[0] : NULL;
}
