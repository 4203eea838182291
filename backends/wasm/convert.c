/* convert.c -- casts as C does them, and bits as another type. */
#include "backends/wasm/print.h"

enum { CHUNK = 16 };
#define C (&p->code)

void lt__wasm_normalise(struct wasm_print *p, uint32_t dtype)
{
	switch (dtype) {
	case LT_I8: lt__wasm(C, WASM_i32_extend8_s); break;
	case LT_I16: lt__wasm(C, WASM_i32_extend16_s); break;
	case LT_U8:
	case LT_BOOL:
		lt__wasm_i32(C, 0xff);
		lt__wasm(C, WASM_i32_and);
		break;
	case LT_U16:
	case LT_F16:
	case LT_BF16:
		lt__wasm_i32(C, 0xffff);
		lt__wasm(C, WASM_i32_and);
		break;
	default: break;
	}
}

/* Of one lane, by what it is here: the rows are from, the columns to f32, f64, 32 bits, 64 bits; signed, unsigned. */
enum { TO_F32, TO_F64, TO_32, TO_64, N_TO };
static const uint16_t scalars[][N_TO][2] = {
	[TO_F32] = { [TO_F64] = { WASM_f64_promote_f32, WASM_f64_promote_f32 },
		[TO_32] = { WASM_i32_trunc_sat_f32_s, WASM_i32_trunc_sat_f32_u },
		[TO_64] = { WASM_i64_trunc_sat_f32_s, WASM_i64_trunc_sat_f32_u } },
	[TO_F64] = { [TO_F32] = { WASM_f32_demote_f64, WASM_f32_demote_f64 },
		[TO_32] = { WASM_i32_trunc_sat_f64_s, WASM_i32_trunc_sat_f64_u },
		[TO_64] = { WASM_i64_trunc_sat_f64_s, WASM_i64_trunc_sat_f64_u } },
	[TO_32] = { [TO_F32] = { WASM_f32_convert_i32_s, WASM_f32_convert_i32_u },
		[TO_F64] = { WASM_f64_convert_i32_s, WASM_f64_convert_i32_u },
		[TO_64] = { WASM_i64_extend_i32_s, WASM_i64_extend_i32_u } },
	[TO_64] = { [TO_F32] = { WASM_f32_convert_i64_s, WASM_f32_convert_i64_u },
		[TO_F64] = { WASM_f64_convert_i64_s, WASM_f64_convert_i64_u },
		[TO_32] = { WASM_i32_wrap_i64, WASM_i32_wrap_i64 } },
};

static int kind_of(uint32_t dtype)
{
	return dtype == LT_F32 ? TO_F32 : dtype == LT_F64 ? TO_F64 : lt__number_bytes(dtype) == 8 ? TO_64 : TO_32;
}

/* The scalar on the stack.  What a number is converted from says how it is read, but of floats what it becomes. */
static void convert_scalar(struct wasm_print *p, uint32_t from, uint32_t to)
{
	const bool no_sign = !lt__number_is_signed(wasm_is_float(from) ? to : from);
	const uint16_t instruction = scalars[kind_of(from)][kind_of(to)][no_sign];
	if (instruction)
		lt__wasm(C, (enum wasm_instruction)instruction);
	if (lt__number_bytes(to) < 4 && (lt__number_bytes(from) > lt__number_bytes(to) || from != to))
		lt__wasm_normalise(p, to);
}

static void convert_lanes(struct wasm_print *p, int32_t i, uint32_t chunk)
{
	const struct lt_instruction *x = wasm_made(p, i);
	const uint32_t width = lt__wasm_width(p, i), each = CHUNK / width;
	lt__wasm_push_zero(p);
	for (uint32_t j = 0; j < each && chunk * each + j < x->lanes; j++) {
		lt__wasm_push_lane(p, x->operand[0], chunk * each + j);
		convert_scalar(p, wasm_made(p, x->operand[0])->dtype, x->dtype);
		lt__wasm_replace(p, x->dtype, width, j);
	}
}

/* The upper half of a chunk where its lower one was. */
static void push_half(struct wasm_print *p, int32_t v, uint32_t chunk, bool upper)
{
	static const uint8_t down[CHUNK] = { 8, 9, 10, 11, 12, 13, 14, 15, 8, 9, 10, 11, 12, 13, 14, 15 };
	lt__wasm_push_chunk(p, v, chunk);
	if (!upper)
		return;
	lt__wasm_push_chunk(p, v, chunk);
	lt__wasm_shuffle(C, down);
}

/* Integers made wider, twice as wide at a time: of bytes from `at` on in the value. */
static void push_extended(struct wasm_print *p, int32_t v, uint32_t at, uint32_t to)
{
	static const uint16_t step[9][2][2] = {         /* bytes; lower or upper half; signed or not */
		[1] = { { WASM_i16x8_extend_low_i8x16_s, WASM_i16x8_extend_low_i8x16_u },
			{ WASM_i16x8_extend_high_i8x16_s, WASM_i16x8_extend_high_i8x16_u } },
		[2] = { { WASM_i32x4_extend_low_i16x8_s, WASM_i32x4_extend_low_i16x8_u },
			{ WASM_i32x4_extend_high_i16x8_s, WASM_i32x4_extend_high_i16x8_u } },
		[4] = { { WASM_i64x2_extend_low_i32x4_s, WASM_i64x2_extend_low_i32x4_u },
			{ WASM_i64x2_extend_high_i32x4_s, WASM_i64x2_extend_high_i32x4_u } },
	};
	const bool no_sign = !lt__number_is_signed(wasm_made(p, v)->dtype);
	uint32_t in = at % CHUNK;
	lt__wasm_push_chunk(p, v, at / CHUNK);
	for (uint32_t width = lt__wasm_width(p, v); width < to; width *= 2) {
		lt__wasm(C, (enum wasm_instruction)step[width][in >= CHUNK / 2][no_sign]);
		in = in % (CHUNK / 2) * 2;
	}
}

/* What two chunks of f64 become in half as many bytes: the first ones' lower halves side by side. */
static void push_joined(struct wasm_print *p, int32_t v, uint32_t chunk, enum wasm_instruction half)
{
	static const uint8_t both[CHUNK] = { 0, 1, 2, 3, 4, 5, 6, 7, 16, 17, 18, 19, 20, 21, 22, 23 };
	lt__wasm_push_chunk(p, v, 2 * chunk);
	lt__wasm(C, half);
	if (2 * chunk + 1 >= lt__wasm_chunks(p, v))
		return;
	lt__wasm_push_chunk(p, v, 2 * chunk + 1);
	lt__wasm(C, half);
	lt__wasm_shuffle(C, both);
}

static void convert_integers(struct wasm_print *p, int32_t i, uint32_t chunk)
{
	const struct lt_instruction *x = wasm_made(p, i);
	const int32_t v = x->operand[0];
	const uint32_t from = lt__wasm_width(p, v), to = lt__wasm_width(p, i);
	int32_t byte[CHUNK];
	if (to > from) {
		push_extended(p, v, chunk * CHUNK / to * from, to);
		return;
	}
	for (uint32_t b = 0; b < CHUNK; b++) {
		const uint32_t l = (chunk * CHUNK + b) / to;
		byte[b] = l < x->lanes ? (int32_t)(l * from + b % to) : -1;
	}
	lt__wasm_push_bytes(p, v, -1, from, byte);
}

static void convert_chunk(struct wasm_print *p, int32_t i, uint32_t chunk)
{
	const struct lt_instruction *x = wasm_made(p, i);
	const int32_t v = x->operand[0];
	const uint32_t from = wasm_made(p, v)->dtype, to = x->dtype;
	const bool is_signed = lt__number_is_signed(wasm_is_float(from) ? to : from), upper = chunk % 2;
	if (from == to) {
		lt__wasm_push_chunk(p, v, chunk);
	} else if (!wasm_is_float(from) && !wasm_is_float(to)) {
		convert_integers(p, i, chunk);
	} else if (from == LT_F32 && to == LT_F64) {
		push_half(p, v, chunk / 2, upper);
		lt__wasm(C, WASM_f64x2_promote_low_f32x4);
	} else if (from == LT_F64 && to == LT_F32) {
		push_joined(p, v, chunk, WASM_f32x4_demote_f64x2_zero);
	} else if (lt__number_bytes(from) != 4 && lt__number_bytes(to) != 4) {
		convert_lanes(p, i, chunk);             /* f64 and integers of 64 bits */
	} else if (from == LT_F64 && lt__number_bytes(to) == 4) {
		push_joined(p, v, chunk, is_signed ? WASM_i32x4_trunc_sat_f64x2_s_zero : WASM_i32x4_trunc_sat_f64x2_u_zero);
	} else if (to == LT_F64 && lt__number_bytes(from) == 4) {
		push_half(p, v, chunk / 2, upper);
		lt__wasm(C, is_signed ? WASM_f64x2_convert_low_i32x4_s : WASM_f64x2_convert_low_i32x4_u);
	} else if (from == LT_F32 && lt__number_bytes(to) == 4) {
		lt__wasm_push_chunk(p, v, chunk);
		lt__wasm(C, is_signed ? WASM_i32x4_trunc_sat_f32x4_s : WASM_i32x4_trunc_sat_f32x4_u);
	} else if (to == LT_F32 && lt__number_bytes(from) == 4) {
		lt__wasm_push_chunk(p, v, chunk);
		lt__wasm(C, is_signed ? WASM_f32x4_convert_i32x4_s : WASM_f32x4_convert_i32x4_u);
	} else {
		convert_lanes(p, i, chunk);
	}
}

void lt__wasm_print_convert(struct wasm_print *p, int32_t i)
{
	const struct lt_instruction *x = wasm_made(p, i);
	lt__wasm_new_value(p, i);
	for (uint32_t c = 0; c < lt__wasm_chunks(p, i); c++) {
		if (x->lanes == 1) {
			lt__wasm_push(p, x->operand[0]);
			convert_scalar(p, wasm_made(p, x->operand[0])->dtype, x->dtype);
		} else {
			convert_chunk(p, i, c);
		}
		lt__wasm_set(p, i, c);
	}
}

void lt__wasm_print_bits(struct wasm_print *p, int32_t i)
{
	const struct lt_instruction *x = wasm_made(p, i);
	const bool is_float = wasm_is_float(x->dtype), was_float = wasm_is_float(wasm_made(p, x->operand[0])->dtype);
	const bool wide = lt__number_bytes(x->dtype) == 8;
	lt__wasm_new_value(p, i);
	if (x->lanes == 1) {
		lt__wasm_push(p, x->operand[0]);
		if (is_float && !was_float)
			lt__wasm(C, wide ? WASM_f64_reinterpret_i64 : WASM_f32_reinterpret_i32);
		else if (was_float && !is_float)
			lt__wasm(C, wide ? WASM_i64_reinterpret_f64 : WASM_i32_reinterpret_f32);
		lt__wasm_normalise(p, x->dtype);
		lt__wasm_set(p, i, 0);
		return;
	}
	for (uint32_t c = 0; c < lt__wasm_chunks(p, i); c++) {
		lt__wasm_push_chunk(p, x->operand[0], c);
		lt__wasm_set(p, i, c);
	}
}
