/* live.c -- where each instruction stands, how often each value is used and by whom, and what each region
 * uses.  What is printed at all is what is needed (kernel/form/needed.c): expanding leaves some that is not. */
#include <string.h>
#include "backends/text/part.h"
#include "kernel/form/form.h"

static bool has_value(const struct lt_instruction *i)
{
	const struct lt_opcode_facts *f = lt__opcode(i->opcode);
	return f->pattern && f->value != LT_RULE_NONE;
}

/* Numbers as in the program's text. */
static void fill_positions(struct text *t, const int32_t *block, const bool *needed)
{
	for (uint32_t r = 0; r < t->k->n_region; r++) {
		const struct lt_region *region = &t->k->regions[r];
		for (int32_t i = region->first, n = 0; i < region->first + region->n; i++) {
			struct text_value *v = &t->value[i];
			v->number = has_value(text_at(t, i)) ? n++ : -1;
			v->block = block[i];
			v->live = needed[i];
		}
	}
}

static void mark_uses(struct text *t, struct text_region *u, int32_t i)
{
	const struct lt_instruction *x = text_at(t, i);
	switch (x->opcode) {
	case LT_OPCODE_load:
	case LT_OPCODE_prefetch:
	case LT_OPCODE_store:
		u->buffer[x->what] = true;
		*(x->opcode == LT_OPCODE_store ? &u->stored[x->what] : &u->loaded[x->what]) = true;
		u->own = u->own || t->k->buffers[x->what].space == LT_SPACE_THREAD;
		break;
	case LT_OPCODE_copy_async:
		u->buffer[x->what] = u->buffer[t->k->extras[x->first_extra]] = true;
		u->stored[x->what] = u->loaded[t->k->extras[x->first_extra]] = true;
		break;
	case LT_OPCODE_barrier: u->meets = true; break;
	case LT_OPCODE_matrix:
		for (int part = 0; part < 2; part++) {
			const struct lt_matrix_location at = lt__matrix_location(t->k, x, part);
			if (at.buffer >= 0)
				u->buffer[at.buffer] = true;
		}
		break;
	case LT_OPCODE_fragment: u->buffer[t->k->extras[x->first_extra]] = true; break;
	case LT_OPCODE_fault: u->fault = true; break;
	case LT_OPCODE_param:
		u->param[x->what] = true;
		u->buffer[t->k->params[x->what].buffer] = u->buffer[t->k->params[x->what].buffer] || t->d->device;
		break;
	case LT_OPCODE_argument: u->argument[x->what] = i; break;
	case LT_OPCODE_get: t->variable_get[x->what] = t->variable_get[x->what] ? t->variable_get[x->what] : i + 1; break;
	default: break;
	}
}

static void fill_region(struct text *t, struct text_region *u, const struct lt_region *r)
{
	u->buffer = lt__pool_alloc(&t->pool, t->k->n_buffer, 1);
	u->loaded = lt__pool_alloc(&t->pool, t->k->n_buffer, 1);
	u->stored = lt__pool_alloc(&t->pool, t->k->n_buffer, 1);
	u->param = lt__pool_alloc(&t->pool, t->k->n_param, 1);
	u->argument = lt__pool_alloc(&t->pool, (size_t)r->n_argument, sizeof *u->argument);
	for (int32_t i = r->first; i < r->first + r->n; i++)
		if (t->value[i].live)
			mark_uses(t, u, i);
}

static void use(struct text *t, int32_t value, int32_t user)
{
	t->value[value].uses++;
	t->value[value].user = user;
}

static void count_uses(struct text *t, const struct lt_region *r)
{
	for (int32_t i = r->first; i < r->first + r->n; i++) {
		const struct lt_instruction *x = text_at(t, i);
		if (!t->value[i].live)
			continue;
		for (int k = 0; k < 4; k++)
			if (lt__needs_operand(t->k, x, k))
				use(t, x->operand[k], i);
		for (int32_t e = 0; x->opcode == LT_OPCODE_launch && e < x->n_extra; e++)
			if (t->uses[x->what].argument[e])
				use(t, (int32_t)t->k->extras[x->first_extra + e], i);
		if (x->opcode == LT_OPCODE_loop)                /* its end is looked at in each iteration */
			use(t, x->operand[1], i);
	}
}

/* Whether an instruction is such an operator of an i32 and a number. */
static bool has_number(const struct text *t, const struct lt_instruction *i, uint32_t opcode, int32_t number)
{
	const struct lt_instruction *x = i->operand[1] < 0 ? NULL : text_at(t, i->operand[1]);
	return i->opcode == opcode && i->dtype == LT_I32 && i->lanes == 1 && x && x->opcode == LT_OPCODE_const
		&& (int32_t)x->number == number;
}

/* The least of the greatest of x and the two ends of a type are one function of x, where ints have 32 bits. */
static void find_clamps(struct text *t, const struct lt_region *r)
{
	static const struct { const char *name; int32_t low, high; } ends[] = {
		{ "clamp_i8", INT8_MIN, INT8_MAX }, { "clamp_i16", INT16_MIN, INT16_MAX }, { "clamp_u8", 0, UINT8_MAX },
		{ "clamp_u16", 0, UINT16_MAX } };
	for (int32_t i = r->first; i < r->first + r->n && t->d->bare && t->d->int_bits == 32; i++) {
		const struct lt_instruction *min = text_at(t, i);
		for (size_t k = 0; k < sizeof ends / sizeof *ends && t->value[i].live && !t->value[i].clamp; k++) {
			if (!has_number(t, min, LT_OPCODE_min, ends[k].high)
				|| !has_number(t, text_at(t, min->operand[0]), LT_OPCODE_max, ends[k].low)
				|| t->value[min->operand[0]].uses != 1)
				continue;
			struct text_value *x = &t->value[text_at(t, min->operand[0])->operand[0]];
			t->value[i].clamp = ends[k].name;
			t->value[min->operand[0]].live = false;
			x->user = x->user == min->operand[0] ? i : x->user;
		}
	}
}

/* A variable whose first mention is a set in the same block begins there. */
static void find_declarations(struct text *t, const struct lt_region *r)
{
	int32_t *next = lt__pool_alloc(&t->pool, t->k->n_variable, sizeof *next);
	for (int32_t i = r->first + r->n; i-- > r->first; ) {
		const struct lt_instruction *x = text_at(t, i);
		if (!t->value[i].live || lt__opcode_names(x->opcode) != LT_NAMES_VARIABLE)
			continue;
		if (x->opcode != LT_OPCODE_variable) {
			next[x->what] = i;
			continue;
		}
		int32_t at = next[x->what];
		next[x->what] = 0;
		if (at && text_at(t, at)->opcode == LT_OPCODE_set && t->value[at].block == t->value[i].block)
			t->value[at].declares = t->value[i].declares = true;
	}
}

/* What the host needs for the teams that it launches. */
static void hand_down(struct text *t)
{
	struct text_region *host = &t->uses[0];
	for (uint32_t r = 1; r < t->k->n_region; r++) {
		const struct text_region *u = &t->uses[r];
		for (uint32_t b = 0; b < t->k->n_buffer; b++)
			host->buffer[b] = host->buffer[b] || u->buffer[b];
		for (uint32_t p = 0; p < t->k->n_param; p++)
			host->param[p] = host->param[p] || u->param[p];
		host->fault = host->fault || u->fault;
		host->own = host->own || u->own;
	}
	for (uint32_t p = 0; p < t->k->n_param; p++)
		if (host->param[p])
			host->buffer[t->k->params[p].buffer] = true;
}

/* Values that something uses, and all that does something. */
static bool *needed_of_grids(struct text *t)
{
	const struct lt_kernel *k = t->k;
	bool *needed = lt__pool_alloc(&t->pool, k->n_instruction, sizeof *needed);
	for (int32_t i = (int32_t)k->n_instruction; i-- > 0; ) {
		const struct lt_instruction *x = text_at(t, i);
		needed[i] = x->opcode != LT_OPCODE_prefetch && (needed[i] || !has_value(x) || x->opcode == LT_OPCODE_loop
			|| x->opcode == LT_OPCODE_exchange);
		for (int o = 0; o < 4 && needed[i]; o++)
			if (x->operand[o] >= 0)
				needed[x->operand[o]] = true;
	}
	return needed;
}

void lt__text_live(struct text *t)
{
	const struct lt_kernel *k = t->k;
	t->value = lt__pool_alloc(&t->pool, k->n_instruction, sizeof *t->value);
	t->variable_get = lt__pool_alloc(&t->pool, k->n_variable, sizeof *t->variable_get);
	t->variable_mask_bits = lt__pool_alloc(&t->pool, k->n_variable, sizeof *t->variable_mask_bits);
	t->uses = lt__pool_alloc(&t->pool, k->n_region, sizeof *t->uses);
	fill_positions(t, lt__kernel_blocks(k, &t->pool), t->d->device ? needed_of_grids(t)
		: lt__needed(k, &t->pool, t->d->lanes ? LT_NEEDED_PREFETCHES : 0));
	for (uint32_t r = 0; r < k->n_region; r++)
		fill_region(t, &t->uses[r], &k->regions[r]);
	for (uint32_t r = 0; r < k->n_region; r++) {
		count_uses(t, &k->regions[r]);
		find_clamps(t, &k->regions[r]);
		find_declarations(t, &k->regions[r]);
	}
	hand_down(t);
}
