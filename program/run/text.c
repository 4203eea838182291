/* What messages and dumps call a storage and a place of the script. */
#include "program/run/parts.h"

const char *lt__space_word(enum lt_storage_space space)
{
	static const char *const word[] = { "input", "constant", "state", "result", "workspace", "prepared", "params" };
	return word[space];
}

const char *lt__storage_name(const struct lt_program *p, const struct lt_storage *s)
{
	static const enum lt_binding kind[] = { LT_BINDING_INPUT, LT_BINDING_CONSTANT, LT_BINDING_STATE, LT_BINDING_RESULT };
	return p->bindings[kind[s->space]].at[s->binding].name;
}

const char *lt__storage_text(struct lt_context *ctx, const struct lt_program *p, int32_t storage)
{
	const struct lt_storage *s = &p->nests.assigned.storage[storage];
	return s->binding >= 0 ? lt__scratch(ctx, "%s '%.200s'", lt__space_word(s->space), lt__storage_name(p, s))
			       : lt__scratch(ctx, "%s", lt__space_word(s->space));
}

const char *lt__location_text(struct lt_context *ctx, const struct lt_program *p, int32_t line, int32_t column)
{
	if (line <= 0)
		return "";
	const char *file = p->tree->graph->file;        /* a graph's text does not name its script */
	return file ? lt__scratch(ctx, "%s:%d:%d: ", file, (int)line, (int)column)
		: lt__scratch(ctx, "line %d:%d of its script: ", (int)line, (int)column);
}
