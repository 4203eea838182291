/* find.c -- the sentence of a finding: where, what, and the way out. */
#include <stdarg.h>
#include <stdio.h>
#include "kernel/print/print.h"
#include "kernel/form/form.h"
#include "kernel/simulate/part.h"

static const struct { const char *name, *way; } checks[LT_NSIMULATE] = {
#define LT_SIMULATE_ROW(name, way) { #name, way },
	LT_SIMULATE_MAP(LT_SIMULATE_ROW)
#undef LT_SIMULATE_ROW
};

const char *lt__simulate_name(enum lt_simulate_check check)
{
	return check < LT_NSIMULATE ? checks[check].name : NULL;
}

void lt__simulate_range_text(const struct simulation *s, uint32_t range, char *text, size_t cap)
{
	int64_t first, last;
	simulate_range_bounds(s, range, &first, &last);
	if (last - first <= 1)
		(void)snprintf(text, cap, "point %lld", (long long)first);
	else
		(void)snprintf(text, cap, "points %lld..%lld", (long long)first, (long long)last - 1);
}

void lt__simulate_thread_text(const struct simulation *s, int32_t thread, char *text, size_t cap)
{
	const struct simulate_grid *g = s->grid;
	(void)snprintf(text, cap, "thread %d of block (%lld, %lld, %lld)", (int)thread, (long long)g->block[0],
		(long long)g->block[1], (long long)g->block[2]);
}

static int32_t region_of(const struct lt_kernel *k, int32_t instruction)
{
	for (int32_t r = (int32_t)k->n_region; r-- > 0; )
		if (instruction >= k->regions[r].first)
			return r;
	return -1;
}

void lt__simulate_position_text(const struct simulation *s, int32_t instruction, char *text, size_t cap)
{
	const struct lt_instruction *i = &s->k->instructions[instruction];
	const char *name = lt_opcode_name(i->opcode);
	int32_t region = region_of(s->k, instruction);
	const char *kind = region >= 0 && s->k->regions[region].kind == LT_REGION_GRID ? "grid" : "team";
	int n = snprintf(text, cap, "%s in line %d", name ? name : "?",
		(int)lt__kernel_line(s->k, LT_PART_INSTRUCTION, instruction));
	if (region > 0)
		n += snprintf(text + n, cap - (size_t)n, " of %s %d", kind, (int)region);
	else
		n += snprintf(text + n, cap - (size_t)n, " of the host's region");
	if (i->origin >= 0)
		(void)snprintf(text + n, cap - (size_t)n, ", %s %d",
			i->opcode == LT_OPCODE_loop || i->opcode == LT_OPCODE_end ? "loop" : "statement", (int)i->origin);
}

/* Whether it follows from an undefined value: an index that is out of range names element 0, which may be undefined,
 * too, where an axis has no elements in this run; all that is made of it is not looked at. */
static bool follows_fault(const struct simulation *s, enum lt_simulate_check check)
{
	const uint64_t undefined = UINT64_C(1) << LT_SIMULATE_address | UINT64_C(1) << LT_SIMULATE_condition
		| UINT64_C(1) << LT_SIMULATE_stored | UINT64_C(1) << LT_SIMULATE_faulted | UINT64_C(1) << LT_SIMULATE_exchanged
		| UINT64_C(1) << LT_SIMULATE_result;
	return s->faulted && (undefined >> check & 1);
}

void lt__simulate_find(struct simulation *s, enum lt_simulate_check check, int32_t instruction, int32_t buffer,
	int64_t element, const char *fmt, ...)
{
	char what[700], position[160] = "", points[64] = "";
	va_list ap;
	if (s->status || (s->options.off >> check & 1) || follows_fault(s, check))
		return;
	va_start(ap, fmt);
	(void)vsnprintf(what, sizeof what, fmt, ap);
	va_end(ap);
	if (instruction >= 0)
		lt__simulate_position_text(s, instruction, position, sizeof position);
	if (s->grid)
		lt__simulate_thread_text(s, s->grid->now < 0 ? 0 : s->grid->now, points, sizeof points);
	else if (s->launch && s->n_range > 0 && s->region > 0)
		lt__simulate_range_text(s, s->range_now, points, sizeof points);
	const struct lt_instruction *i = instruction < 0 ? NULL : &s->k->instructions[instruction];
	bool is_loop = i && (i->opcode == LT_OPCODE_loop || i->opcode == LT_OPCODE_end);
	s->found = (struct lt_simulate_finding){ check, i ? region_of(s->k, instruction) : -1, instruction,
		i ? i->origin : -1, buffer, element };
	s->status = lt__report(s->diag, LT_EDEVICE, is_loop ? i->origin : -1, i && !is_loop ? i->origin : -1,
		checks[check].way, "kernel %s%s%s%s%s%s: %s (check %s)", s->k->name, i ? ", " : "", position, *points ? ", " : "",
		*points ? "at " : "", points, what, checks[check].name);
}
