/* rewrite.c -- copying a kernel program with changes (step.h). */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include "kernel/build/build.h"
#include "kernel/step/step.h"

static int32_t *numbers(struct lt_stepping *s, uint32_t n)
{
	int32_t *at = lt__pool_alloc(&s->b.pool, (size_t)n + 1, sizeof *at);
	memset(at, 0xff, ((size_t)n + 1) * sizeof *at);
	return at;
}

void lt__rewrite_begin(struct lt_stepping *s, const bool *drop_buffer, const bool *drop_variable)
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
	s->to = numbers(s, k->n_instruction);
	s->buffer_to = numbers(s, k->n_buffer);
	s->variable_to = numbers(s, k->n_variable);
	for (uint32_t i = 0; i < k->n_buffer; i++)
		if (!drop_buffer || !drop_buffer[i])
			s->buffer_to[i] = lt__build_buffer(&s->b, &k->buffers[i]);
	for (uint32_t i = 0; i < k->n_variable; i++)
		if (!drop_variable || !drop_variable[i])
			s->variable_to[i] = lt__build_variable(&s->b, k->variables[i].name, k->variables[i].dtype,
				k->variables[i].lanes);
	for (uint32_t i = 0; i < k->n_param; i++) {
		struct lt_kernel_param p = k->params[i];
		p.buffer = s->buffer_to[p.buffer];
		(void)lt__build_param(&s->b, &p);
	}
	for (uint32_t i = 0; i < k->n_call; i++) {
		struct lt_kernel_call c = k->calls[i];
		struct lt_kernel_call_operand *operand = lt__pool_alloc(&s->b.pool, (size_t)c.n_operand + 1, sizeof *operand);
		for (int32_t o = 0; o < c.n_operand; o++) {
			operand[o] = c.operands[o];
			operand[o].buffer = s->buffer_to[operand[o].buffer];
		}
		c.operands = operand;
		(void)lt__build_call(&s->b, &c);
	}
	for (uint32_t i = 0; i < k->n_matrix; i++)
		(void)lt__build_matrix(&s->b, &k->matrices[i]);
	s->b.region[0].region = k->regions[0];
	lt__build_room(&s->b, k->regions[0].n);
	for (uint32_t r = 1; r < k->n_region; r++) {
		(void)lt__build_region(&s->b, (enum lt_region_kind)k->regions[r].kind, k->regions[r].n_argument,
			k->regions[r].origin);
		s->b.region[r].region = k->regions[r];
		lt__build_room(&s->b, k->regions[r].n);
	}
}

void lt__rewrite_region(struct lt_stepping *s, int32_t region) { s->b.now = region; }

/* Number e of the extras of an instruction, as it is in b. */
static int64_t mapped_extra(const struct lt_stepping *s, const struct lt_instruction *i, int32_t e)
{
	int64_t x = s->k->extras[i->first_extra + e];
	switch (lt__opcode_extra(i->opcode, e)) {
	case LT_EXTRA_VALUE: return s->to[x];
	case LT_EXTRA_BUFFER: return x < 0 ? x : s->buffer_to[x];
	case LT_EXTRA_VARIABLE: return s->variable_to[x];
	default: return x;
	}
}

/* What stands in extras is copied anew: values, buffers and variables have other numbers. */
static int32_t rewrite_extras(struct lt_stepping *s, const struct lt_instruction *i)
{
	int32_t first = s->b.n_extra;
	for (int32_t e = 0; e < i->n_extra; e++) {
		int64_t x = mapped_extra(s, i, e);
		(void)lt__build_extras(&s->b, &x, 1);
	}
	return first;
}

struct lt_instruction lt__rewrite_mapped(const struct lt_stepping *s, int32_t at)
{
	struct lt_instruction i = s->k->instructions[at];
	i.first_extra = i.n_extra ? i.first_extra : 0;          /* an empty list is anywhere */
	for (int k = 0; k < 4; k++)
		i.operand[k] = i.operand[k] < 0 ? -1 : s->to[i.operand[k]];
	switch (lt__opcode_names(i.opcode)) {
	case LT_NAMES_BUFFER: i.what = s->buffer_to[i.what]; break;
	case LT_NAMES_VARIABLE: i.what = s->variable_to[i.what]; break;
	default: break;
	}
	return i;
}

int32_t lt__rewrite_add(struct lt_stepping *s, int32_t at, struct lt_instruction i)
{
	return s->to[at] = lt__build(&s->b, i);
}

int32_t lt__rewrite_copy(struct lt_stepping *s, int32_t at)
{
	struct lt_instruction i = lt__rewrite_mapped(s, at);
	if (i.n_extra)
		i.first_extra = rewrite_extras(s, &s->k->instructions[at]);
	return lt__rewrite_add(s, at, i);
}

void lt__rewrite_all(struct lt_stepping *s)
{
	lt__rewrite_begin(s, NULL, NULL);
	for (int32_t r = 0; r < (int32_t)s->k->n_region; r++) {
		lt__rewrite_region(s, r);
		for (int32_t at = s->k->regions[r].first; at < s->k->regions[r].first + s->k->regions[r].n; at++)
			(void)lt__rewrite_copy(s, at);
	}
}

int32_t lt__rewrite_const(struct lt_stepping *s, uint32_t dtype, uint32_t lanes, uint64_t bits)
{
	return lt__build(&s->b, (struct lt_instruction){ .opcode = LT_OPCODE_const, .dtype = (uint8_t)dtype, .lanes = lanes,
		.operand = { -1, -1, -1, -1 }, .what = -1, .origin = -1, .number = (int64_t)bits });
}

int32_t lt__rewrite_hidden(struct lt_stepping *s, int32_t value)
{
	const struct lt_instruction *i = lt__build_at(&s->b, value);
	int64_t number;
	return lt__constant_integer(i, &number)
		? lt__build_value(&s->b, LT_OPCODE_copy, i->dtype, i->lanes, value, -1) : value;
}

int32_t *lt__step_blocks(struct lt_stepping *s) { return lt__kernel_blocks(s->k, &s->b.pool); }

bool lt__step_constant(const struct lt_kernel *k, int32_t value, int64_t *out)
{
	*out = 0;
	return value < 0 || lt__constant_integer(&k->instructions[value], out);
}

int32_t lt__step_uses(const struct lt_instruction *i) { return lt__opcode_hands_over(i->opcode) ? 4 + i->n_extra : 4; }

int32_t lt__step_use(const struct lt_kernel *k, const struct lt_instruction *i, int32_t n)
{
	return n < 4 ? i->operand[n] : (int32_t)k->extras[i->first_extra + n - 4];
}

void lt__step_decide(struct lt_stepping *s, int32_t loop, int32_t stmt, int32_t buffer, const char *fmt, ...)
{
	char text[400];
	va_list ap;
	if (!s->report)
		return;
	va_start(ap, fmt);
	(void)vsnprintf(text, sizeof text, fmt, ap);
	va_end(ap);
	lt__decide(s->report, s->letter, loop, stmt, buffer, "%s", text);
}
