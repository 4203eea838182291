/* value.c -- values: of one lane, of chunks of 16 bytes, and lane by lane where there are no vectors of them. */
#include "backends/wasm/print.h"

enum { CHUNK = 16 };
#define C (&p->code)

static int n_operand(const struct lt_instruction *x)
{
	int n = 0;
	while (n < 3 && x->operand[n] >= 0)
		n++;
	return n;
}

static bool chooses(uint32_t opcode) { return opcode == LT_OPCODE_lesser || opcode == LT_OPCODE_larger; }

static bool shifts(uint32_t opcode)
{
	return opcode == LT_OPCODE_shift_left || opcode == LT_OPCODE_shift_right || opcode == LT_OPCODE_shift_signed;
}

/* Lane l of an operator, on the stack. */
static void push_result(struct wasm_print *p, const struct lt_instruction *x, uint32_t l)
{
	const uint32_t dtype = wasm_made(p, x->operand[0])->dtype;
	const uint32_t opcode = x->opcode == LT_OPCODE_each ? (uint32_t)x->what : x->opcode;
	const int function = lt__wasm_function(opcode, dtype);
	if (opcode == LT_OPCODE_select) {
		lt__wasm_push_lane(p, x->operand[1], l);
		lt__wasm_push_lane(p, x->operand[2], l);
		lt__wasm_push_lane(p, x->operand[0], l);
		lt__wasm(C, WASM_select);
		return;
	}
	for (int k = 0; k < n_operand(x); k++)
		lt__wasm_push_lane(p, x->operand[k], l);
	if (opcode == LT_OPCODE_copy)
		return;
	if (function >= 0) {
		lt__wasm_call(C, p->import[function], lt__wasm_function_name(function));
		return;
	}
	for (int k = 0; chooses(opcode) && k < 2; k++)
		lt__wasm_push_lane(p, x->operand[k], l);
	lt__wasm(C, lt__wasm_operator(opcode, dtype, false));
	if (chooses(opcode))
		lt__wasm(C, WASM_select);
}

/* A shift of all lanes by one count, as i32. */
static bool push_count(struct wasm_print *p, int32_t v)
{
	const struct lt_instruction *x = wasm_made(p, v);
	if (x->opcode == LT_OPCODE_const) {
		lt__wasm_i32(C, (int32_t)x->number);
		return true;
	}
	if (x->opcode != LT_OPCODE_splat || wasm_is_spread(p, x->operand[0]))
		return false;
	lt__wasm_push(p, x->operand[0]);
	if (lt__number_bytes(x->dtype) == 8)
		lt__wasm(C, WASM_i32_wrap_i64);
	return true;
}

/* A chunk by instructions of vectors; false: there are none, and nothing was pushed. */
static bool push_chunk(struct wasm_print *p, const struct lt_instruction *x, uint32_t chunk, uint32_t width)
{
	const uint32_t dtype = wasm_made(p, x->operand[0])->dtype;
	const enum wasm_instruction instruction = lt__wasm_operator(x->opcode, dtype, true);
	if (x->opcode == LT_OPCODE_copy) {
		lt__wasm_push_chunk(p, x->operand[0], chunk);
		return true;
	}
	if (x->opcode == LT_OPCODE_select) {
		for (int k = 1; k <= 2; k++)
			if (x->dtype == LT_LANE_MASK)
				lt__wasm_push_mask(p, x->operand[k], chunk, width);
			else
				lt__wasm_push_chunk(p, x->operand[k], chunk);
		lt__wasm_push_mask(p, x->operand[0], chunk, width);
		lt__wasm(C, WASM_v128_bitselect);
		return true;
	}
	if (shifts(x->opcode)) {
		const struct lt_instruction *count = wasm_made(p, x->operand[1]);
		if (count->opcode != LT_OPCODE_const && (count->opcode != LT_OPCODE_splat || wasm_is_spread(p, count->operand[0])))
			return false;
		lt__wasm_push_chunk(p, x->operand[0], chunk);
		(void)push_count(p, x->operand[1]);
		lt__wasm(C, instruction);
		return true;
	}
	if (!instruction)
		return false;
	for (int k = 0; k < n_operand(x); k++) {
		const int32_t v = x->operand[chooses(x->opcode) && wasm_is_float(dtype) ? 1 - k : k];
		if (dtype == LT_LANE_MASK)
			lt__wasm_push_mask(p, v, chunk, width);
		else
			lt__wasm_push_chunk(p, v, chunk);
	}
	lt__wasm(C, instruction);
	return true;
}

static void push_lanes(struct wasm_print *p, int32_t i, uint32_t chunk)
{
	const struct lt_instruction *x = wasm_made(p, i);
	const uint32_t width = lt__wasm_width(p, i), each = CHUNK / width;
	lt__wasm_push_zero(p);
	for (uint32_t j = 0; j < each && chunk * each + j < x->lanes; j++) {
		if (x->dtype == LT_LANE_MASK)
			lt__wasm_i32(C, 0);
		push_result(p, x, chunk * each + j);
		if (x->dtype == LT_LANE_MASK)
			lt__wasm(C, WASM_i32_sub);
		lt__wasm_replace(p, x->dtype, width, j);
	}
}

/* A sum of a product that is printed with it: one rounding, or two.  value: the product; the addend is on the stack
 * behind it. */
static void push_product(struct wasm_print *p, int32_t product, uint32_t chunk)
{
	lt__wasm_push_chunk(p, wasm_made(p, product)->operand[0], chunk);
	lt__wasm_push_chunk(p, wasm_made(p, product)->operand[1], chunk);
}

static enum wasm_instruction madd(uint32_t dtype)
{
	return dtype == LT_F32 ? WASM_f32x4_relaxed_madd : WASM_f64x2_relaxed_madd;
}

static bool is_fused(const struct wasm_print *p, int32_t v)
{
	return v >= 0 && wasm_made(p, v)->opcode == LT_OPCODE_mul && p->within[v];
}

static void print_operator(struct wasm_print *p, int32_t i)
{
	const struct lt_instruction *x = wasm_made(p, i);
	const int32_t fused = x->opcode != LT_OPCODE_add ? -1 : is_fused(p, x->operand[0]) ? 0
		: is_fused(p, x->operand[1]) ? 1 : -1;
	if (x->opcode == LT_OPCODE_mul && p->within[i])
		return;
	lt__wasm_new_value(p, i);
	for (uint32_t c = 0; c < lt__wasm_chunks(p, i); c++) {
		if (fused >= 0) {
			push_product(p, x->operand[fused], c);
			lt__wasm_push_chunk(p, x->operand[1 - fused], c);
			lt__wasm(C, madd(x->dtype));
		} else if (x->lanes == 1) {
			push_result(p, x, 0);
		} else if (!push_chunk(p, x, c, lt__wasm_width(p, i))) {
			push_lanes(p, i, c);
		}
		lt__wasm_set(p, i, c);
	}
}

void lt__wasm_print_update(struct wasm_print *p, int32_t i)
{
	const struct lt_instruction *x = wasm_made(p, i);
	const struct lt_variable *v = &p->k->variables[x->what];
	const uint32_t width = v->dtype == LT_LANE_MASK ? p->variable_width[x->what] : lt__number_bytes(v->dtype);
	const uint32_t n = v->lanes == 1 ? 1 : (v->lanes * width + CHUNK - 1) / CHUNK;
	for (uint32_t c = 0; c < n; c++) {
		const uint32_t local = (uint32_t)p->variable[x->what] + c;
		if (is_fused(p, x->operand[0])) {
			push_product(p, x->operand[0], c);
			lt__wasm_at(C, WASM_local_get, local);
			lt__wasm(C, madd(v->dtype));
		} else {
			lt__wasm_at(C, WASM_local_get, local);
			if (v->lanes == 1)
				lt__wasm_push(p, x->operand[0]);
			else if (v->dtype == LT_LANE_MASK)
				lt__wasm_push_mask(p, x->operand[0], c, width);
			else
				lt__wasm_push_chunk(p, x->operand[0], c);
			lt__wasm(C, lt__wasm_operator((uint32_t)x->number, v->dtype, v->lanes > 1));
		}
		lt__wasm_at(C, WASM_local_set, local);
	}
}

/* Every second byte of a value as a word, the odd ones or the even ones. */
static void push_words(struct wasm_print *p, int32_t v, uint32_t chunk, bool odd)
{
	lt__wasm_push_chunk(p, v, chunk);
	if (!odd) {
		lt__wasm_i32(C, 8);
		lt__wasm(C, WASM_i16x8_shl);
	}
	lt__wasm_i32(C, 8);
	lt__wasm(C, wasm_made(p, v)->dtype == LT_I8 ? WASM_i16x8_shr_s : WASM_i16x8_shr_u);
}

/* Sums of four products of bytes: those of even bytes and of odd ones, in words, two of which go to each lane. */
static void print_dot(struct wasm_print *p, int32_t i)
{
	const struct lt_instruction *x = wasm_made(p, i);
	lt__wasm_new_value(p, i);
	for (uint32_t c = 0; c < lt__wasm_chunks(p, i); c++) {
		for (int odd = 0; odd < 2; odd++) {
			push_words(p, x->operand[0], c, odd);
			push_words(p, x->operand[1], c, odd);
			lt__wasm(C, WASM_i32x4_dot_i16x8_s);
		}
		lt__wasm(C, WASM_i32x4_add);
		if (x->lanes == 1)
			lt__wasm_extract(p, LT_I32, 4, 0);
		lt__wasm_push_chunk(p, x->operand[2], c);
		if (x->lanes == 1)
			lt__wasm_extract(p, LT_I32, 4, 0);
		lt__wasm(C, x->lanes == 1 ? WASM_i32_add : WASM_i32x4_add);
		lt__wasm_set(p, i, c);
	}
}

/* Constants stand where they are used; params, arguments and what variables hold are locals already. */
void lt__wasm_print_value(struct wasm_print *p, int32_t i)
{
	const struct lt_instruction *x = wasm_made(p, i);
	switch (x->opcode) {
	case LT_OPCODE_const: break;
	case LT_OPCODE_param: p->value[i] = p->param[x->what]; break;
	case LT_OPCODE_argument: p->value[i] = p->argument[x->what]; break;
	case LT_OPCODE_first: p->value[i] = p->first; break;
	case LT_OPCODE_last: p->value[i] = p->last; break;
	case LT_OPCODE_get: p->value[i] = p->variable[x->what]; break;
	case LT_OPCODE_splat:
	case LT_OPCODE_lane:
	case LT_OPCODE_below:
	case LT_OPCODE_shuffle:
	case LT_OPCODE_any:
	case LT_OPCODE_all:
	case LT_OPCODE_flag:
	case LT_OPCODE_test: lt__wasm_print_lanes(p, i); break;
	case LT_OPCODE_fold: lt__wasm_print_fold(p, i); break;
	case LT_OPCODE_bits: lt__wasm_print_bits(p, i); break;
	case LT_OPCODE_convert: lt__wasm_print_convert(p, i); break;
	case LT_OPCODE_dot: print_dot(p, i); break;
	case LT_OPCODE_load: lt__wasm_print_load(p, i); break;
	default: print_operator(p, i); break;
	}
}
