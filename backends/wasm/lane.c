/* lane.c -- lanes of values: pushed one by one, as chunks of 16 bytes, and moved between places. */
#include <string.h>
#include "backends/wasm/print.h"

enum { CHUNK = 16 };
#define C (&p->code)

/* -- constants */

/* A number of a type as i32, with the bits above as its sign has them. */
static int32_t narrow(uint32_t dtype, uint64_t bits)
{
	switch (dtype) {
	case LT_I8: return (int8_t)bits;
	case LT_I16: return (int16_t)bits;
	case LT_U8:
	case LT_BOOL: return (uint8_t)bits;
	case LT_F16:
	case LT_BF16:
	case LT_U16: return (uint16_t)bits;
	case LT_LANE_MASK: return (int32_t)(bits & 1);
	default: return (int32_t)bits;
	}
}

static void push_number(struct wasm_print *p, uint32_t dtype, uint64_t bits)
{
	switch (lt__wasm_scalar(dtype)) {
	case WASM_F32: lt__wasm_f32(C, (uint32_t)bits); break;
	case WASM_F64: lt__wasm_f64(C, bits); break;
	case WASM_I64: lt__wasm_i64(C, (int64_t)bits); break;
	default: lt__wasm_i32(C, narrow(dtype, bits)); break;
	}
}

void lt__wasm_push_all(struct wasm_print *p, uint32_t dtype, uint64_t bits)
{
	const uint32_t width = lt__number_bytes(dtype);
	uint8_t byte[CHUNK];
	for (uint32_t b = 0; b < CHUNK; b++)
		byte[b] = (uint8_t)(bits >> 8 * (b % width));
	lt__wasm_v128(C, byte);
}

void lt__wasm_push_zero(struct wasm_print *p) { lt__wasm_v128(C, (const uint8_t[CHUNK]){ 0 }); }

static void push_constant_mask(struct wasm_print *p, uint64_t bits, uint32_t chunk, uint32_t width)
{
	uint8_t byte[CHUNK];
	for (uint32_t b = 0; b < CHUNK; b++) {
		const uint32_t l = (chunk * CHUNK + b) / width;
		byte[b] = l < 64 && bits >> l & 1 ? 0xff : 0;
	}
	lt__wasm_v128(C, byte);
}

/* -- one lane */

void lt__wasm_push(struct wasm_print *p, int32_t v)
{
	const struct lt_instruction *x = wasm_made(p, v);
	if (x->opcode == LT_OPCODE_const)
		push_number(p, x->dtype, (uint64_t)x->number);
	else
		lt__wasm_at(C, WASM_local_get, (uint32_t)p->value[v]);
}

void lt__wasm_extract(struct wasm_print *p, uint32_t dtype, uint32_t width, uint32_t l)
{
	const bool sign = lt__number_is_signed(dtype);
	if (dtype == LT_F32 || dtype == LT_F64)
		lt__wasm_lane(C, dtype == LT_F32 ? WASM_f32x4_extract_lane : WASM_f64x2_extract_lane, l);
	else if (width == 8)
		lt__wasm_lane(C, WASM_i64x2_extract_lane, l);
	else if (width == 4)
		lt__wasm_lane(C, WASM_i32x4_extract_lane, l);
	else if (width == 2)
		lt__wasm_lane(C, sign ? WASM_i16x8_extract_lane_s : WASM_i16x8_extract_lane_u, l);
	else
		lt__wasm_lane(C, sign ? WASM_i8x16_extract_lane_s : WASM_i8x16_extract_lane_u, l);
	if (dtype != LT_LANE_MASK)
		return;
	if (width == 8)
		lt__wasm(C, WASM_i32_wrap_i64);
	lt__wasm_i32(C, 1);
	lt__wasm(C, WASM_i32_and);
}

/* Of a mask: 0 or -1, i32. */
void lt__wasm_replace(struct wasm_print *p, uint32_t dtype, uint32_t width, uint32_t l)
{
	if (dtype == LT_LANE_MASK && width == 8)
		lt__wasm(C, WASM_i64_extend_i32_s);
	lt__wasm_lane(C, dtype == LT_F32 ? WASM_f32x4_replace_lane : dtype == LT_F64 ? WASM_f64x2_replace_lane
		: width == 8 ? WASM_i64x2_replace_lane : width == 4 ? WASM_i32x4_replace_lane
		: width == 2 ? WASM_i16x8_replace_lane : WASM_i8x16_replace_lane, l);
}

void lt__wasm_splat(struct wasm_print *p, uint32_t dtype, uint32_t width)
{
	if (dtype == LT_LANE_MASK && width == 8)
		lt__wasm(C, WASM_i64_extend_i32_s);
	lt__wasm(C, dtype == LT_F32 ? WASM_f32x4_splat : dtype == LT_F64 ? WASM_f64x2_splat
		: width == 8 ? WASM_i64x2_splat : width == 4 ? WASM_i32x4_splat : width == 2 ? WASM_i16x8_splat
		: WASM_i8x16_splat);
}

void lt__wasm_push_lane(struct wasm_print *p, int32_t v, uint32_t l)
{
	const struct lt_instruction *x = wasm_made(p, v);
	if (x->lanes == 1) {
		lt__wasm_push(p, v);
	} else if (x->opcode == LT_OPCODE_const) {
		push_number(p, x->dtype, x->dtype == LT_LANE_MASK ? (uint64_t)x->number >> l & 1 : (uint64_t)x->number);
	} else {
		const uint32_t width = lt__wasm_width(p, v), each = CHUNK / width;
		lt__wasm_push_chunk(p, v, l / each);
		lt__wasm_extract(p, x->dtype, width, l % each);
	}
}

/* -- chunks */

void lt__wasm_push_chunk(struct wasm_print *p, int32_t v, uint32_t chunk)
{
	const struct lt_instruction *x = wasm_made(p, v);
	if (x->dtype == LT_LANE_MASK && (x->lanes == 1 || x->opcode == LT_OPCODE_const)) {
		lt__wasm_push_mask(p, v, chunk, lt__wasm_width(p, v));
	} else if (x->opcode == LT_OPCODE_const) {
		lt__wasm_push_all(p, x->dtype, (uint64_t)x->number);
	} else if (x->lanes == 1) {
		lt__wasm_push(p, v);
		lt__wasm_splat(p, x->dtype, lt__wasm_width(p, v));
	} else {
		lt__wasm_at(C, WASM_local_get, (uint32_t)p->value[v] + chunk);
	}
}

void lt__wasm_push_mask(struct wasm_print *p, int32_t v, uint32_t chunk, uint32_t width)
{
	const struct lt_instruction *x = wasm_made(p, v);
	const uint32_t own = lt__wasm_width(p, v);
	int32_t from[CHUNK];
	if (x->opcode == LT_OPCODE_const) {
		push_constant_mask(p, x->lanes == 1 && x->number & 1 ? UINT64_MAX : (uint64_t)x->number, chunk, width);
	} else if (x->lanes == 1) {
		lt__wasm_i32(C, 0);
		lt__wasm_push(p, v);
		lt__wasm(C, WASM_i32_sub);
		lt__wasm_splat(p, LT_LANE_MASK, width);
	} else if (width == own) {
		lt__wasm_at(C, WASM_local_get, (uint32_t)p->value[v] + chunk);
	} else {
		for (uint32_t b = 0; b < CHUNK; b++) {
			const uint32_t at = chunk * CHUNK + b, l = at / width;
			from[b] = l < x->lanes ? (int32_t)(l * own + at % width % own) : -1;
		}
		lt__wasm_push_bytes(p, v, -1, own, from);
	}
}

static void push_source(struct wasm_print *p, int32_t x, int32_t y, uint32_t width, uint32_t chunk)
{
	const uint32_t n = x >= 0 ? lt__wasm_chunks(p, x) : 0;
	const int32_t v = chunk < n ? x : y;
	chunk = chunk < n ? chunk : chunk - n;
	if (wasm_made(p, v)->dtype == LT_LANE_MASK)
		lt__wasm_push_mask(p, v, chunk, width);
	else
		lt__wasm_push_chunk(p, v, chunk);
}

void lt__wasm_push_bytes(struct wasm_print *p, int32_t x, int32_t y, uint32_t width, const int32_t from[CHUNK])
{
	uint32_t source[CHUNK], n = 0;
	uint8_t order[CHUNK];
	bool as_it_is = true;
	for (int32_t b = 0; b < CHUNK; b++) {
		const uint32_t chunk = (uint32_t)from[b] / CHUNK;
		uint32_t i = 0;
		if (from[b] < 0)
			continue;
		as_it_is = as_it_is && from[b] % CHUNK == b;
		while (i < n && source[i] != chunk)
			i++;
		if (i == n)
			source[n++] = chunk;
	}
	if (n == 0) {
		lt__wasm_push_zero(p);
		return;
	}
	push_source(p, x, y, width, source[0]);
	if (n == 1 && as_it_is)
		return;
	/* Each further source goes onto what has been put together. */
	for (uint32_t i = n > 1; i < n || i == 0; i++) {
		push_source(p, x, y, width, source[i]);
		for (uint32_t b = 0; b < CHUNK; b++) {
			const bool is_new = from[b] >= 0 && (uint32_t)from[b] / CHUNK == source[i];
			const bool is_first = i <= 1 && from[b] >= 0 && (uint32_t)from[b] / CHUNK == source[0];
			order[b] = (uint8_t)(is_first ? from[b] % CHUNK : is_new ? CHUNK + from[b] % CHUNK : (int32_t)b);
		}
		lt__wasm_shuffle(C, order);
	}
}

/* -- masks */

void lt__wasm_bitmask(struct wasm_print *p, uint32_t width)
{
	lt__wasm(C, width == 8 ? WASM_i64x2_bitmask : width == 4 ? WASM_i32x4_bitmask : width == 2 ? WASM_i16x8_bitmask
		: WASM_i8x16_bitmask);
}

static uint32_t lanes_in(const struct wasm_print *p, int32_t v, uint32_t chunk)
{
	const uint32_t each = CHUNK / lt__wasm_width(p, v), left = wasm_made(p, v)->lanes - chunk * each;
	return left < each ? left : each;
}

void lt__wasm_push_bits(struct wasm_print *p, int32_t v, uint32_t chunk)
{
	const uint32_t width = lt__wasm_width(p, v), n = lanes_in(p, v, chunk);
	if (wasm_made(p, v)->lanes == 1) {
		lt__wasm_push(p, v);
		return;
	}
	lt__wasm_push_mask(p, v, chunk, width);
	lt__wasm_bitmask(p, width);
	if (n * width == CHUNK)
		return;
	lt__wasm_i32(C, (int32_t)((UINT32_C(1) << n) - 1));
	lt__wasm(C, WASM_i32_and);
}

void lt__wasm_push_any(struct wasm_print *p, int32_t v)
{
	const uint32_t n = lt__wasm_chunks(p, v), width = lt__wasm_width(p, v);
	const bool is_full = wasm_made(p, v)->lanes * width % CHUNK == 0;
	if (wasm_made(p, v)->lanes == 1) {
		lt__wasm_push(p, v);
		return;
	}
	for (uint32_t c = 0; c < n; c++) {
		if (is_full)
			lt__wasm_push_mask(p, v, c, width);
		else
			lt__wasm_push_bits(p, v, c);
		if (c)
			lt__wasm(C, is_full ? WASM_v128_or : WASM_i32_or);
	}
	if (is_full) {
		lt__wasm(C, WASM_v128_any_true);
	} else {
		lt__wasm_i32(C, 0);
		lt__wasm(C, WASM_i32_ne);
	}
}

static void push_every(struct wasm_print *p, int32_t v)
{
	const uint32_t n = lt__wasm_chunks(p, v);
	if (wasm_made(p, v)->lanes == 1) {
		lt__wasm_push(p, v);
		return;
	}
	for (uint32_t c = 0; c < n; c++) {
		lt__wasm_push_bits(p, v, c);
		lt__wasm_i32(C, (int32_t)((UINT32_C(1) << lanes_in(p, v, c)) - 1));
		lt__wasm(C, WASM_i32_eq);
		if (c)
			lt__wasm(C, WASM_i32_and);
	}
}

/* -- instructions */

static void print_splat(struct wasm_print *p, int32_t i)
{
	const struct lt_instruction *x = wasm_made(p, i);
	const int32_t v = x->operand[0];
	const uint32_t n = lt__wasm_chunks(p, i);
	if (x->lanes == 1) {
		lt__wasm_new_value(p, i);
		lt__wasm_push(p, v);
		lt__wasm_set(p, i, 0);
		return;
	}
	if (wasm_is_spread(p, v) && n == 1) {           /* it was read into all lanes */
		p->value[i] = p->value[v];
		return;
	}
	lt__wasm_new_value(p, i);
	for (uint32_t c = 0; c < n; c++) {
		if (c)
			lt__wasm_at(C, WASM_local_get, (uint32_t)p->value[i]);
		else if (wasm_is_spread(p, v))
			lt__wasm_at(C, WASM_local_get, (uint32_t)p->value[v]);
		else if (x->dtype == LT_LANE_MASK)
			lt__wasm_push_mask(p, v, 0, lt__wasm_width(p, i));
		else
			lt__wasm_push_chunk(p, v, 0);
		lt__wasm_set(p, i, c);
	}
}

/* Numbers of lanes, from that of chunk c on. */
static void push_numbers(struct wasm_print *p, uint32_t width, uint32_t chunk)
{
	uint8_t byte[CHUNK];
	for (uint32_t b = 0; b < CHUNK; b++)
		byte[b] = b % width ? 0 : (uint8_t)((chunk * CHUNK + b) / width);
	lt__wasm_v128(C, byte);
}

static void print_lane(struct wasm_print *p, int32_t i)
{
	const struct lt_instruction *x = wasm_made(p, i);
	lt__wasm_new_value(p, i);
	for (uint32_t c = 0; c < lt__wasm_chunks(p, i); c++) {
		if (x->lanes == 1)
			push_number(p, x->dtype, 0);
		else
			push_numbers(p, lt__wasm_width(p, i), c);
		lt__wasm_set(p, i, c);
	}
}

/* A count is cut to 0 .. 64, which a lane of any width holds. */
static void print_below(struct wasm_print *p, int32_t i)
{
	const struct lt_instruction *x = wasm_made(p, i);
	const uint32_t width = lt__wasm_width(p, i);
	const enum wasm_instruction less = width == 8 ? WASM_i64x2_lt_s : width == 4 ? WASM_i32x4_lt_s
		: width == 2 ? WASM_i16x8_lt_s : WASM_i8x16_lt_s;
	lt__wasm_new_value(p, i);
	if (x->lanes == 1) {
		lt__wasm_push(p, x->operand[0]);
		lt__wasm_i64(C, 0);
		lt__wasm(C, WASM_i64_gt_s);
		lt__wasm_set(p, i, 0);
		return;
	}
	const int32_t n = lt__wasm_temporary(p, WASM_I64);
	lt__wasm_push(p, x->operand[0]);
	lt__wasm_i64(C, LT_MAX_LANES);
	lt__wasm_push(p, x->operand[0]);
	lt__wasm_i64(C, LT_MAX_LANES);
	lt__wasm(C, WASM_i64_lt_s);
	lt__wasm(C, WASM_select);
	lt__wasm_at(C, WASM_local_tee, (uint32_t)n);
	lt__wasm_i64(C, 0);
	lt__wasm_at(C, WASM_local_get, (uint32_t)n);
	lt__wasm_i64(C, 0);
	lt__wasm(C, WASM_i64_gt_s);
	lt__wasm(C, WASM_select);
	lt__wasm_at(C, WASM_local_set, (uint32_t)n);
	for (uint32_t c = 0; c < lt__wasm_chunks(p, i); c++) {
		push_numbers(p, width, c);
		lt__wasm_at(C, WASM_local_get, (uint32_t)n);
		if (width != 8)
			lt__wasm(C, WASM_i32_wrap_i64);
		lt__wasm_splat(p, width == 8 ? LT_I64 : LT_I32, width);
		lt__wasm(C, less);
		lt__wasm_set(p, i, c);
	}
}

/* The value that lane `at` of a shuffle is of, and which one there. */
static int32_t shuffled(const struct wasm_print *p, const struct lt_instruction *x, int64_t at, uint32_t *l)
{
	const uint32_t n = wasm_made(p, x->operand[0])->lanes;
	*l = at < (int64_t)n ? (uint32_t)at : (uint32_t)at - n;
	return x->operand[at < (int64_t)n ? 0 : 1];
}

/* Masks of several widths: lane by lane. */
static void shuffle_masks(struct wasm_print *p, int32_t i)
{
	const struct lt_instruction *x = wasm_made(p, i);
	const uint32_t width = lt__wasm_width(p, i), each = CHUNK / width;
	for (uint32_t c = 0; c < lt__wasm_chunks(p, i); c++) {
		lt__wasm_push_zero(p);
		for (uint32_t j = 0; j < each && c * each + j < x->lanes; j++) {
			uint32_t l;
			const int32_t v = shuffled(p, x, p->k->extras[x->first_extra + (int32_t)(c * each + j)], &l);
			lt__wasm_i32(C, 0);
			lt__wasm_push_lane(p, v, l);
			lt__wasm(C, WASM_i32_sub);
			lt__wasm_replace(p, LT_LANE_MASK, width, j);
		}
		lt__wasm_set(p, i, c);
	}
}

static void print_shuffle(struct wasm_print *p, int32_t i)
{
	const struct lt_instruction *x = wasm_made(p, i);
	const uint32_t width = lt__wasm_width(p, i), first = lt__wasm_chunks(p, x->operand[0]) * CHUNK;
	const int64_t *numbers = &p->k->extras[x->first_extra];
	uint32_t l;
	lt__wasm_new_value(p, i);
	if (x->lanes == 1) {
		const int32_t v = shuffled(p, x, numbers[0], &l);
		lt__wasm_push_lane(p, v, l);
		lt__wasm_set(p, i, 0);
		return;
	}
	if (x->dtype == LT_LANE_MASK && (lt__wasm_width(p, x->operand[0]) != width
			|| lt__wasm_width(p, x->operand[1]) != width)) {
		shuffle_masks(p, i);
		return;
	}
	for (uint32_t c = 0; c < lt__wasm_chunks(p, i); c++) {
		int32_t from[CHUNK];
		for (uint32_t b = 0; b < CHUNK; b++) {
			const uint32_t at = (c * CHUNK + b) / width;
			from[b] = -1;
			if (at >= x->lanes)
				continue;
			const bool second = shuffled(p, x, numbers[at], &l) == x->operand[1] && numbers[at]
				>= (int64_t)wasm_made(p, x->operand[0])->lanes;
			from[b] = (int32_t)((second ? first : 0) + l * width + b % width);
		}
		lt__wasm_push_bytes(p, x->operand[0], x->operand[1], width, from);
		lt__wasm_set(p, i, c);
	}
}

/* A mask as bools, bools as a mask: bytes both. */
static void print_flag(struct wasm_print *p, int32_t i)
{
	const struct lt_instruction *x = wasm_made(p, i);
	lt__wasm_new_value(p, i);
	for (uint32_t c = 0; c < lt__wasm_chunks(p, i); c++) {
		if (x->lanes == 1) {
			lt__wasm_push(p, x->operand[0]);
		} else {
			lt__wasm_push_mask(p, x->operand[0], c, 1);
			lt__wasm_push_all(p, LT_U8, 1);
			lt__wasm(C, WASM_v128_and);
		}
		lt__wasm_set(p, i, c);
	}
}

static void print_test(struct wasm_print *p, int32_t i)
{
	const struct lt_instruction *x = wasm_made(p, i);
	lt__wasm_new_value(p, i);
	for (uint32_t c = 0; c < lt__wasm_chunks(p, i); c++) {
		if (x->lanes == 1) {
			lt__wasm_push(p, x->operand[0]);
			lt__wasm_i32(C, 0);
			lt__wasm(C, WASM_i32_ne);
		} else {
			lt__wasm_push_chunk(p, x->operand[0], c);
			lt__wasm_push_zero(p);
			lt__wasm(C, WASM_i8x16_ne);
		}
		lt__wasm_set(p, i, c);
	}
}

void lt__wasm_print_lanes(struct wasm_print *p, int32_t i)
{
	const struct lt_instruction *x = wasm_made(p, i);
	switch (x->opcode) {
	case LT_OPCODE_splat: print_splat(p, i); break;
	case LT_OPCODE_lane: print_lane(p, i); break;
	case LT_OPCODE_below: print_below(p, i); break;
	case LT_OPCODE_shuffle: print_shuffle(p, i); break;
	case LT_OPCODE_flag: print_flag(p, i); break;
	case LT_OPCODE_test: print_test(p, i); break;
	default:
		lt__wasm_new_value(p, i);
		if (x->opcode == LT_OPCODE_any)
			lt__wasm_push_any(p, x->operand[0]);
		else
			push_every(p, x->operand[0]);
		lt__wasm_set(p, i, 0);
		break;
	}
}
