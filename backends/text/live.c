/* backends/text/live.c -- what of a program is printed at all: what changes memory, leaves a fault or decides what
 * runs, and what that is computed from; how often each value is used, and where. */
#include <string.h>
#include "backends/text/part.h"

static bool has_value(const struct lt_instruction *i)
{
	const struct lt_opcode_facts *f = lt__opcode(i->opcode);
	return f->pattern && f->value != LT_RULE_NONE;
}

/* Numbers as in the program's text, and blocks. */
static void fill_positions(struct text *t, const struct lt_region *r)
{
	int32_t open[LT_MAX_BLOCKS + 1] = { -1 }, n_open = 0, n = 0;
	for (int32_t i = r->first; i < r->first + r->n; i++) {
		const struct lt_instruction *x = text_at(t, i);
		struct text_value *v = &t->value[i];
		v->number = has_value(x) ? n++ : -1;
		n_open -= x->opcode == LT_OPCODE_end || x->opcode == LT_OPCODE_else;
		v->block = open[n_open];
		if (x->opcode == LT_OPCODE_loop || x->opcode == LT_OPCODE_if || x->opcode == LT_OPCODE_else)
			open[++n_open] = i;
	}
}

/* Whether the instruction has to be there, whoever uses its value. */
static bool acts(const struct text *t, const struct lt_instruction *x)
{
	switch (x->opcode) {
	case LT_OPCODE_set:
	case LT_OPCODE_update:
	case LT_OPCODE_variable: return t->variable_live[x->what];
	case LT_OPCODE_store:
	case LT_OPCODE_array: return t->k->buffers[x->what].space != LT_SPACE_ARRAY || t->buffer_live[x->what];
	case LT_OPCODE_prefetch: return t->d->lanes;
	case LT_OPCODE_loop:
	case LT_OPCODE_if:
	case LT_OPCODE_else:
	case LT_OPCODE_end:
	case LT_OPCODE_fault:
	case LT_OPCODE_launch: return true;
	default: return false;
	}
}

static int32_t handed(const struct text *t, const struct lt_instruction *x, int32_t e)
{
	return (int32_t)t->k->extras[x->first_extra + e];
}

static bool is_handed(const struct text *t, const struct lt_instruction *x, int32_t e)
{
	return x->opcode == LT_OPCODE_launch && t->uses[x->what].argument[e];
}

/* Of a shuffle of one lane only one operand is there. */
static bool needs_operand(const struct text *t, const struct lt_instruction *x, int k)
{
	bool chooses = x->opcode == LT_OPCODE_shuffle && x->lanes == 1 && text_at(t, x->operand[0])->lanes == 1;
	return x->operand[k] >= 0 && (!chooses || t->k->extras[x->first_extra] == k);
}

/* What the instruction, which is live, needs of others; of the region. */
static void mark_needs(struct text *t, int32_t region, const struct lt_instruction *x)
{
	struct text_region *u = &t->uses[region];
	for (int k = 0; k < 4; k++)
		if (needs_operand(t, x, k))
			t->value[x->operand[k]].live = true;
	for (int32_t e = 0; e < x->n_extra; e++)
		if (is_handed(t, x, e))
			t->value[handed(t, x, e)].live = true;
	switch (x->opcode) {
	case LT_OPCODE_get: t->variable_live[x->what] = true; break;
	case LT_OPCODE_load:
	case LT_OPCODE_prefetch: t->buffer_live[x->what] = u->buffer[x->what] = true; break;
	case LT_OPCODE_store: u->buffer[x->what] = true; break;
	case LT_OPCODE_fault: u->fault = true; break;
	case LT_OPCODE_param: u->param[x->what] = true; break;
	case LT_OPCODE_argument: u->argument[x->what] = true; break;
	default: break;
	}
	if ((x->opcode == LT_OPCODE_load || x->opcode == LT_OPCODE_store || x->opcode == LT_OPCODE_prefetch)
		&& t->k->buffers[x->what].space == LT_SPACE_THREAD)
		u->own = true;
}

/* From the end to the beginning, until nothing new is found: what a loop's beginning reads may be set at its end. */
static void mark_live(struct text *t, int32_t region)
{
	const struct lt_region *r = &t->k->regions[region];
	for (bool more = true; more; ) {
		more = false;
		for (int32_t i = r->first + r->n; i-- > r->first; ) {
			struct text_value *v = &t->value[i];
			const struct lt_instruction *x = text_at(t, i);
			bool needed = v->live || acts(t, x);
			if (!needed || v->uses)                 /* uses: its needs are marked */
				continue;
			more = v->live = true;
			v->uses = 1;
			mark_needs(t, region, x);
		}
	}
}

static void use(struct text *t, int32_t value, int32_t user)
{
	t->value[value].uses++;
	t->value[value].user = user;
}

static void count_uses(struct text *t, const struct lt_region *r)
{
	for (int32_t i = r->first; i < r->first + r->n; i++)
		t->value[i].uses = 0;
	for (int32_t i = r->first; i < r->first + r->n; i++) {
		const struct lt_instruction *x = text_at(t, i);
		for (int k = 0; t->value[i].live && k < 4; k++)
			if (needs_operand(t, x, k))
				use(t, x->operand[k], i);
		for (int32_t e = 0; t->value[i].live && e < x->n_extra; e++)
			if (is_handed(t, x, e))
				use(t, handed(t, x, e), i);
		if (x->opcode == LT_OPCODE_loop)                /* its end is looked at in each iteration */
			use(t, x->operand[1], i);
	}
}

/* A variable whose first mention is a set in the same block begins there. */
static void find_declarations(struct text *t, const struct lt_region *r)
{
	int32_t *next = lt__pool_alloc(&t->pool, t->k->n_variable, sizeof *next);
	for (int32_t i = r->first + r->n; i-- > r->first; ) {
		const struct lt_instruction *x = text_at(t, i);
		bool mentions = x->opcode == LT_OPCODE_get || x->opcode == LT_OPCODE_set || x->opcode == LT_OPCODE_update;
		if (mentions && t->value[i].live)
			next[x->what] = i;
		if (x->opcode != LT_OPCODE_variable || !t->value[i].live || !next[x->what])
			continue;
		int32_t at = next[x->what];
		if (text_at(t, at)->opcode == LT_OPCODE_set && t->value[at].block == t->value[i].block)
			t->value[at].declares = t->value[i].declares = true;
		next[x->what] = 0;
	}
}

static void fill_region(struct text *t, struct text_region *u, const struct lt_region *r)
{
	u->buffer = lt__pool_alloc(&t->pool, t->k->n_buffer, 1);
	u->param = lt__pool_alloc(&t->pool, t->k->n_param, 1);
	u->argument = lt__pool_alloc(&t->pool, (size_t)r->n_argument, 1);
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

void lt__text_live(struct text *t)
{
	const struct lt_kernel *k = t->k;
	t->value = lt__pool_alloc(&t->pool, k->n_instruction, sizeof *t->value);
	t->variable_live = lt__pool_alloc(&t->pool, k->n_variable, 1);
	t->variable_mask_bits = lt__pool_alloc(&t->pool, k->n_variable, sizeof *t->variable_mask_bits);
	t->buffer_live = lt__pool_alloc(&t->pool, k->n_buffer, 1);
	t->uses = lt__pool_alloc(&t->pool, k->n_region, sizeof *t->uses);
	for (int32_t r = (int32_t)k->n_region; r-- > 0; ) {     /* teams first: the host hands over what they use */
		const struct lt_region *region = &k->regions[r];
		fill_region(t, &t->uses[r], region);
		fill_positions(t, region);
		mark_live(t, r);
		count_uses(t, region);
		find_declarations(t, region);
	}
	hand_down(t);
}
