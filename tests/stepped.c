/* stepped.c -- see stepped.h. */
#include <string.h>
#include "tests/stepped.h"

const struct lt_machine stepped_plain_machine = { .array_bytes = 4096, .stack_bytes = 65536, .teams = 1,
	.memory_bytes = 16, .max_variables = 128, .tile_lanes = 32, .stream_bytes = 16 | 32 | 64, .cache_bytes = 1 << 20,
	.page_bytes = 4096 };

bool stepped_machine(struct lt_machine *m, const char *member, int64_t n)
{
	if (strcmp(member, "max_variables") == 0)
		m->max_variables = (uint32_t)n;
	else if (strcmp(member, "tile_lanes") == 0)
		m->tile_lanes = (uint32_t)n;
	else if (strcmp(member, "stream_bytes") == 0)
		m->stream_bytes = (uint32_t)n;
	else if (strcmp(member, "cache_bytes") == 0)
		m->cache_bytes = n;
	else if (strcmp(member, "memory_bytes") == 0)
		m->memory_bytes = (uint32_t)n;
	else if (strcmp(member, "page_bytes") == 0)
		m->page_bytes = n;
	else if (strcmp(member, "masked") == 0)
		m->masked = (uint32_t)n;
	else
		return false;
	return true;
}

static void listener_take(struct lt_kernel_report *r, const struct lt_kernel_decision *d)
{
	struct stepped_listener *s = (struct stepped_listener *)(void *)r;
	kernel_text_add(&s->text, d->text, strlen(d->text));
	kernel_text_add(&s->text, "\n", 1);
}

struct stepped_listener stepped_listener(void)
{
	return (struct stepped_listener){ .report = { listener_take } };
}

lt_status stepped_only(const struct lt_kernel *k, const struct lt_machine *m, const char *letters,
	struct lt_kernel_report *report, struct lt_kernel **out, struct lt_diag *diag)
{
	char skip[64] = "";
	size_t n = 0;
	for (uint32_t i = 1; lt_kernel_step_at(i); i++)
		if (!strchr(letters, lt_kernel_step_at(i)->letter))
			skip[n++] = lt_kernel_step_at(i)->letter;
	return lt_kernel_optimize(k, m, &(struct lt_kernel_options){ .skip = skip, .verify = 1, .report = report }, out, diag);
}
