/* masks.c -- how wide the lanes of each mask are: as those that it was compared from; one that is not compared, as who
 * uses it wants it. */
#include "backends/wasm/print.h"

static bool is_mask(const struct wasm_print *p, int32_t v)
{
	return v >= 0 && wasm_made(p, v)->dtype == LT_LANE_MASK && wasm_made(p, v)->lanes > 1;
}

/* What the user of a mask has in its lanes; 0: whatever the mask has. */
static uint32_t wanted(const struct wasm_print *p, const struct lt_instruction *x, int operand)
{
	switch (x->opcode) {
	case LT_OPCODE_select: return x->dtype != LT_LANE_MASK ? lt__number_bytes(x->dtype) : 0;
	case LT_OPCODE_flag: return 1;
	case LT_OPCODE_load:
	case LT_OPCODE_store: return operand == 2 ? lt__number_bytes(p->k->buffers[x->what].dtype) : 0;
	default: return 0;
	}
}

/* Forwards: what is known of itself, or by operands. */
static void forwards(struct wasm_print *p, int32_t i)
{
	const struct lt_instruction *x = wasm_made(p, i);
	if (x->opcode == LT_OPCODE_set && is_mask(p, x->operand[0]) && !p->variable_width[x->what])
		p->variable_width[x->what] = p->width[x->operand[0]];
	if (!is_mask(p, i) || p->width[i])
		return;
	if (x->opcode == LT_OPCODE_test)
		p->width[i] = 1;
	else if (x->opcode == LT_OPCODE_get)
		p->width[i] = p->variable_width[x->what];
	else if (x->opcode >= LT_OPCODE_eq && x->opcode <= LT_OPCODE_greaterequal)
		p->width[i] = (uint8_t)lt__number_bytes(wasm_made(p, x->operand[0])->dtype);
	for (int k = 0; k < 3 && !p->width[i]; k++)
		if (is_mask(p, x->operand[k]))
			p->width[i] = p->width[x->operand[k]];
}

/* Backwards: as users want it. */
static void backwards(struct wasm_print *p, int32_t i)
{
	const struct lt_instruction *x = wasm_made(p, i);
	for (int k = 0; k < 4; k++) {
		const int32_t v = x->operand[k];
		const uint32_t as = is_mask(p, v) ? wanted(p, x, k) : 0;
		if (is_mask(p, v) && !p->width[v])
			p->width[v] = (uint8_t)(as ? as : is_mask(p, i) ? p->width[i] : 0);
	}
	if (x->opcode == LT_OPCODE_get && is_mask(p, i) && !p->variable_width[x->what])
		p->variable_width[x->what] = p->width[i];
}

void lt__wasm_find_widths(struct wasm_print *p)
{
	const int32_t n = (int32_t)p->k->n_instruction;
	for (int32_t i = 0; i < n; i++)
		forwards(p, i);
	for (int32_t i = n; i-- > 0; )
		backwards(p, i);
	for (int32_t i = 0; i < n; i++)
		forwards(p, i);
	for (uint32_t v = 0; v < p->k->n_variable; v++)
		p->variable_width[v] = p->variable_width[v] ? p->variable_width[v] : 4;
	for (int32_t i = 0; i < n; i++) {
		const struct lt_instruction *x = wasm_made(p, i);
		/* What is a local of something else has its lanes. */
		if (x->opcode == LT_OPCODE_get)
			p->width[i] = p->variable_width[x->what];
		else if (x->opcode == LT_OPCODE_argument || !p->width[i])
			p->width[i] = 4;
	}
}
