/* kernel/rewrite.c -- copying a kernel program with changes (step.h). */
#include <string.h>
#include "kernel/opcode.h"
#include "kernel/step.h"

void lt__rewrite_begin(struct lt_stepping *s)
{
	const struct lt_kernel *k = s->k;
	lt__builder_begin(&s->b);
	s->b.name = lt__build_string(&s->b, k->name);
	s->b.prelude = lt__build_string(&s->b, k->prelude);
	s->b.n_slot = (int32_t)k->n_slot;
	s->b.workspace_bytes = k->workspace_bytes;
	s->b.thread_bytes = k->thread_bytes;
	for (uint32_t i = 0; i < k->n_op; i++)
		(void)lt__build_op(&s->b, &k->ops[i]);
	for (uint32_t i = 0; i < k->n_buffer; i++)
		(void)lt__build_buffer(&s->b, &k->buffers[i]);
	for (uint32_t i = 0; i < k->n_variable; i++)
		(void)lt__build_variable(&s->b, k->variables[i].name, k->variables[i].dtype, k->variables[i].lanes);
	for (uint32_t i = 0; i < k->n_param; i++)
		(void)lt__build_param(&s->b, &k->params[i]);
	s->b.region[0].region = k->regions[0];
	for (uint32_t r = 1; r < k->n_region; r++) {
		(void)lt__build_region(&s->b, (enum lt_region_kind)k->regions[r].kind, k->regions[r].n_argument,
			k->regions[r].origin);
		s->b.region[r].region = k->regions[r];
	}
	s->to = lt__pool_alloc(&s->b.pool, (size_t)k->n_instruction + 1, sizeof *s->to);
	memset(s->to, 0xff, ((size_t)k->n_instruction + 1) * sizeof *s->to);
}

void lt__rewrite_region(struct lt_stepping *s, int32_t region) { s->b.now = region; }

/* What stands in extras is copied anew: values have other numbers. */
static int32_t rewrite_extras(struct lt_stepping *s, const struct lt_instruction *i)
{
	int32_t first = s->b.n_extra;
	for (int32_t e = i->first_extra; e < i->first_extra + i->n_extra; e++) {
		int64_t x = s->k->extras[e];
		if (i->opcode == LT_OPCODE_launch)
			x = s->to[x];
		(void)lt__build_extras(&s->b, &x, 1);
	}
	return first;
}

struct lt_instruction lt__rewrite_mapped(const struct lt_stepping *s, int32_t at)
{
	struct lt_instruction i = s->k->instructions[at];
	for (int k = 0; k < 4; k++)
		i.operand[k] = i.operand[k] < 0 ? -1 : s->to[i.operand[k]];
	return i;
}

int32_t lt__rewrite_put(struct lt_stepping *s, int32_t at, struct lt_instruction i)
{
	return s->to[at] = lt__build(&s->b, i);
}

int32_t lt__rewrite_copy(struct lt_stepping *s, int32_t at)
{
	struct lt_instruction i = lt__rewrite_mapped(s, at);
	if (i.n_extra)
		i.first_extra = rewrite_extras(s, &s->k->instructions[at]);
	return lt__rewrite_put(s, at, i);
}

void lt__rewrite_all(struct lt_stepping *s)
{
	lt__rewrite_begin(s);
	for (int32_t r = 0; r < (int32_t)s->k->n_region; r++) {
		lt__rewrite_region(s, r);
		for (int32_t at = s->k->regions[r].first; at < s->k->regions[r].first + s->k->regions[r].n; at++)
			(void)lt__rewrite_copy(s, at);
	}
}

void lt__rewrite_end(struct lt_stepping *s)
{
	for (int32_t b = 0; b < s->b.n_buffer; b++)
		s->b.buffer[b].written = 0;
	for (int32_t r = 0; r < s->b.n_region; r++)
		for (int32_t i = 0; i < s->b.region[r].n; i++)
			if (s->b.region[r].at[i].opcode == LT_OPCODE_store)
				s->b.buffer[s->b.region[r].at[i].what].written = 1;
}
