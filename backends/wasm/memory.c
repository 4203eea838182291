/* memory.c -- loads and stores of all forms, and faults.
 *
 * Lanes side by side are read 16 bytes at a time, and what is left by 8, 4, 2 and 1; under a mask, by a stride or at
 * indices each lane is read by itself.
 */
#include <stddef.h>
#include "backends/wasm/print.h"

enum { CHUNK = 16 };
#define C (&p->code)

/* An access: its buffer's elements, its lanes. */
struct access { int32_t i, index, mask; uint32_t dtype, width, lanes; int64_t stride; };

static struct access access_of(const struct wasm_print *p, int32_t i, uint32_t lanes)
{
	const struct lt_instruction *x = wasm_made(p, i);
	const uint32_t dtype = p->k->buffers[x->what].dtype;
	return (struct access){ i, x->operand[1], x->operand[2], dtype, lt__number_bytes(dtype), lanes, x->stride };
}

/* The address of lane l, but for what is added to it. */
static void push_lane_address(struct wasm_print *p, const struct access *a, uint32_t l, uint32_t *offset)
{
	lt__wasm_push_address(p, a->i, a->index >= 0 ? 0 : (int64_t)((uint64_t)a->stride * l), offset);
	if (a->index < 0)
		return;
	lt__wasm_push_lane(p, a->index, l);
	lt__wasm(C, WASM_i32_wrap_i64);
	if (a->width > 1) {
		lt__wasm_i32(C, __builtin_ctz(a->width));
		lt__wasm(C, WASM_i32_shl);
	}
	lt__wasm(C, WASM_i32_add);
}

/* By bytes: 1, 2, 4, 8. */
static enum wasm_instruction by_bytes(uint32_t bytes, const uint16_t instruction[4])
{
	return (enum wasm_instruction)instruction[__builtin_ctz(bytes)];
}
static const uint16_t load_lane[4] = { WASM_v128_load8_lane, WASM_v128_load16_lane, WASM_v128_load32_lane,
	WASM_v128_load64_lane };
static const uint16_t store_lane[4] = { WASM_v128_store8_lane, WASM_v128_store16_lane, WASM_v128_store32_lane,
	WASM_v128_store64_lane };
static const uint16_t load_splat[4] = { WASM_v128_load8_splat, WASM_v128_load16_splat, WASM_v128_load32_splat,
	WASM_v128_load64_splat };

static enum wasm_instruction load_scalar(uint32_t dtype)
{
	switch (dtype) {
	case LT_F32: return WASM_f32_load;
	case LT_F64: return WASM_f64_load;
	case LT_I8: return WASM_i32_load8_s;
	case LT_U8:
	case LT_BOOL: return WASM_i32_load8_u;
	case LT_I16: return WASM_i32_load16_s;
	case LT_U16:
	case LT_F16:
	case LT_BF16: return WASM_i32_load16_u;
	default: return lt__number_bytes(dtype) == 8 ? WASM_i64_load : WASM_i32_load;
	}
}

static enum wasm_instruction store_scalar(uint32_t dtype)
{
	const uint32_t width = lt__number_bytes(dtype);
	return dtype == LT_F32 ? WASM_f32_store : dtype == LT_F64 ? WASM_f64_store : width == 1 ? WASM_i32_store8
		: width == 2 ? WASM_i32_store16 : width == 8 ? WASM_i64_store : WASM_i32_store;
}

static void push_scalar_zero(struct wasm_print *p, uint32_t dtype)
{
	switch (lt__wasm_scalar(dtype)) {
	case WASM_F32: lt__wasm_f32(C, 0); break;
	case WASM_F64: lt__wasm_f64(C, 0); break;
	case WASM_I64: lt__wasm_i64(C, 0); break;
	default: lt__wasm_i32(C, 0); break;
	}
}

/* The largest power of two of bytes that are left of a chunk from `at` on. */
static uint32_t next_part(uint32_t at, uint32_t end)
{
	uint32_t part = CHUNK / 2;
	while (part > end - at)
		part /= 2;
	return part;
}

static uint32_t bytes_in(const struct access *a, uint32_t chunk)
{
	const uint32_t left = a->lanes * a->width - chunk * CHUNK;
	return left < CHUNK ? left : CHUNK;
}

/* -- loads */

static void load_one(struct wasm_print *p, const struct access *a)
{
	uint32_t offset;
	if (a->mask >= 0) {
		lt__wasm_push(p, a->mask);
		lt__wasm_open(C, WASM_if, lt__wasm_scalar(a->dtype));
	}
	push_lane_address(p, a, 0, &offset);
	lt__wasm_memory(C, load_scalar(a->dtype), offset, a->width, 0);
	if (a->mask >= 0) {
		lt__wasm(C, WASM_else);
		push_scalar_zero(p, a->dtype);
		lt__wasm(C, WASM_end);
	}
	lt__wasm_set(p, a->i, 0);
}

/* Less than 16 bytes, side by side. */
static void load_parts(struct wasm_print *p, const struct access *a, uint32_t chunk)
{
	const uint32_t end = bytes_in(a, chunk);
	uint32_t offset, part;
	for (uint32_t at = 0; at < end; at += part) {
		part = next_part(at, end);
		lt__wasm_push_address(p, a->i, (chunk * CHUNK + at) / a->width, &offset);
		if (at == 0 && part >= 4) {
			lt__wasm_memory(C, part == 8 ? WASM_v128_load64_zero : WASM_v128_load32_zero, offset, a->width, 0);
		} else {
			if (at == 0)
				lt__wasm_push_zero(p);
			else
				lt__wasm_at(C, WASM_local_get, (uint32_t)p->value[a->i] + chunk);
			lt__wasm_memory(C, by_bytes(part, load_lane), offset, a->width, at / part);
		}
		lt__wasm_set(p, a->i, chunk);
	}
}

static void push_reversed(struct wasm_print *p, uint32_t width)
{
	uint8_t from[CHUNK];
	for (uint32_t b = 0; b < CHUNK; b++)
		from[b] = (uint8_t)((CHUNK - width - b / width * width) + b % width);
	lt__wasm_shuffle(C, from);
}

/* Lane by lane; those that are off are 0. */
static void load_lanes(struct wasm_print *p, const struct access *a, uint32_t chunk)
{
	const uint32_t each = CHUNK / a->width;
	const int32_t bits = a->mask >= 0 ? lt__wasm_temporary(p, WASM_I32) : -1;
	uint32_t offset;
	if (a->mask >= 0) {
		/* Of a mask with other lanes: those of this chunk. */
		lt__wasm_push_mask(p, a->mask, chunk, a->width);
		lt__wasm_bitmask(p, a->width);
		lt__wasm_at(C, WASM_local_set, (uint32_t)bits);
	}
	lt__wasm_push_zero(p);
	lt__wasm_set(p, a->i, chunk);
	for (uint32_t j = 0; j < each && chunk * each + j < a->lanes; j++) {
		if (bits >= 0) {
			lt__wasm_at(C, WASM_local_get, (uint32_t)bits);
			lt__wasm_i32(C, (int32_t)(UINT32_C(1) << j));
			lt__wasm(C, WASM_i32_and);
			lt__wasm_open(C, WASM_if, WASM_EMPTY);
		}
		push_lane_address(p, a, chunk * each + j, &offset);
		lt__wasm_at(C, WASM_local_get, (uint32_t)p->value[a->i] + chunk);
		lt__wasm_memory(C, by_bytes(a->width, load_lane), offset, a->width, j);
		lt__wasm_set(p, a->i, chunk);
		if (bits >= 0)
			lt__wasm(C, WASM_end);
	}
}

static void load_chunk(struct wasm_print *p, const struct access *a, uint32_t chunk)
{
	const uint32_t each = CHUNK / a->width;
	uint32_t offset;
	if (a->mask >= 0 || a->index >= 0 || (a->stride != 1 && a->stride != 0 && a->stride != -1)) {
		load_lanes(p, a, chunk);
	} else if (a->stride == 0) {
		lt__wasm_push_address(p, a->i, 0, &offset);
		lt__wasm_memory(C, by_bytes(a->width, load_splat), offset, a->width, 0);
		lt__wasm_set(p, a->i, chunk);
	} else if (bytes_in(a, chunk) < CHUNK) {
		if (a->stride == 1)
			load_parts(p, a, chunk);
		else
			load_lanes(p, a, chunk);
	} else {
		lt__wasm_push_address(p, a->i, a->stride == 1 ? chunk * each : -(int64_t)(chunk * each + each - 1), &offset);
		lt__wasm_memory(C, WASM_v128_load, offset, a->width, 0);
		lt__wasm_set(p, a->i, chunk);
		if (a->stride == 1)
			return;
		lt__wasm_at(C, WASM_local_get, (uint32_t)p->value[a->i] + chunk);
		lt__wasm_at(C, WASM_local_get, (uint32_t)p->value[a->i] + chunk);
		push_reversed(p, a->width);
		lt__wasm_set(p, a->i, chunk);
	}
}

/* A load of this block that gave the same, with no store behind it that may have changed it; -1: none. */
static int32_t find_same(const struct wasm_print *p, int32_t i)
{
	const struct lt_instruction *x = wasm_made(p, i);
	for (int32_t s = 0; s < p->n_seen; s++) {
		const struct lt_instruction *y = wasm_made(p, p->seen[s]);
		if (x->what == y->what && x->operand[0] == y->operand[0] && x->number == y->number && x->lanes == y->lanes
			&& (x->lanes == 1 || x->stride == y->stride) && p->within[i] == p->within[p->seen[s]])
			return p->seen[s];
	}
	return -1;
}

static void forget(struct wasm_print *p, int32_t buffer)
{
	const bool alone = p->k->buffers[buffer].exclusive;
	int32_t n = 0;
	for (int32_t s = 0; s < p->n_seen; s++) {
		const int32_t b = wasm_made(p, p->seen[s])->what;
		if (b != buffer && (alone || p->k->buffers[b].exclusive))
			p->seen[n++] = p->seen[s];
	}
	p->n_seen = n;
}

void lt__wasm_print_load(struct wasm_print *p, int32_t i)
{
	const struct lt_instruction *x = wasm_made(p, i);
	const struct access a = access_of(p, i, x->lanes);
	const bool plain = a.index < 0 && a.mask < 0;
	const int32_t same = plain ? find_same(p, i) : -1;
	uint32_t offset;
	if (same >= 0) {
		p->value[i] = p->value[same];
		return;
	}
	if (plain)
		p->seen[p->n_seen++] = i;
	if (p->within[i]) {
		p->value[i] = (int32_t)lt__wasm_local(C, WASM_V128, false, "v%d", (int)p->number[i]);
		lt__wasm_push_address(p, i, 0, &offset);
		lt__wasm_memory(C, by_bytes(a.width, load_splat), offset, a.width, 0);
		lt__wasm_at(C, WASM_local_set, (uint32_t)p->value[i]);
		return;
	}
	lt__wasm_new_value(p, i);
	if (x->lanes == 1)
		load_one(p, &a);
	else
		for (uint32_t c = 0; c < lt__wasm_chunks(p, i); c++)
			load_chunk(p, &a, c);
}

/* -- stores */

static void store_one(struct wasm_print *p, const struct access *a, int32_t v)
{
	uint32_t offset;
	if (a->mask >= 0) {
		lt__wasm_push(p, a->mask);
		lt__wasm_open(C, WASM_if, WASM_EMPTY);
	}
	push_lane_address(p, a, 0, &offset);
	lt__wasm_push(p, v);
	lt__wasm_memory(C, store_scalar(a->dtype), offset, a->width, 0);
	if (a->mask >= 0)
		lt__wasm(C, WASM_end);
}

static void store_parts(struct wasm_print *p, const struct access *a, int32_t v, uint32_t chunk)
{
	const uint32_t end = bytes_in(a, chunk);
	uint32_t offset, part;
	for (uint32_t at = 0; at < end; at += part) {
		part = next_part(at, end);
		lt__wasm_push_address(p, a->i, (chunk * CHUNK + at) / a->width, &offset);
		lt__wasm_push_chunk(p, v, chunk);
		lt__wasm_memory(C, by_bytes(part, store_lane), offset, a->width, at / part);
	}
}

static void store_lanes(struct wasm_print *p, const struct access *a, int32_t v, uint32_t chunk)
{
	const uint32_t each = CHUNK / a->width;
	const int32_t bits = a->mask >= 0 ? lt__wasm_temporary(p, WASM_I32) : -1;
	uint32_t offset;
	if (a->mask >= 0) {
		lt__wasm_push_mask(p, a->mask, chunk, a->width);
		lt__wasm_bitmask(p, a->width);
		lt__wasm_at(C, WASM_local_set, (uint32_t)bits);
	}
	for (uint32_t j = 0; j < each && chunk * each + j < a->lanes; j++) {
		if (bits >= 0) {
			lt__wasm_at(C, WASM_local_get, (uint32_t)bits);
			lt__wasm_i32(C, (int32_t)(UINT32_C(1) << j));
			lt__wasm(C, WASM_i32_and);
			lt__wasm_open(C, WASM_if, WASM_EMPTY);
		}
		push_lane_address(p, a, chunk * each + j, &offset);
		lt__wasm_push_chunk(p, v, chunk);
		lt__wasm_memory(C, by_bytes(a->width, store_lane), offset, a->width, j);
		if (bits >= 0)
			lt__wasm(C, WASM_end);
	}
}

static void store_chunk(struct wasm_print *p, const struct access *a, int32_t v, uint32_t chunk)
{
	const uint32_t each = CHUNK / a->width;
	uint32_t offset;
	if (a->mask >= 0 || a->index >= 0 || (a->stride != 1 && a->stride != -1)) {
		store_lanes(p, a, v, chunk);
	} else if (bytes_in(a, chunk) < CHUNK) {
		if (a->stride == 1)
			store_parts(p, a, v, chunk);
		else
			store_lanes(p, a, v, chunk);
	} else {
		lt__wasm_push_address(p, a->i, a->stride == 1 ? chunk * each : -(int64_t)(chunk * each + each - 1), &offset);
		lt__wasm_push_chunk(p, v, chunk);
		if (a->stride == -1) {
			lt__wasm_push_chunk(p, v, chunk);
			push_reversed(p, a->width);
		}
		lt__wasm_memory(C, WASM_v128_store, offset, a->width, 0);
	}
}

void lt__wasm_print_store(struct wasm_print *p, int32_t i)
{
	const struct lt_instruction *x = wasm_made(p, i);
	const struct access a = access_of(p, i, wasm_made(p, x->operand[3])->lanes);
	forget(p, x->what);
	if (a.lanes == 1) {
		store_one(p, &a, x->operand[3]);
		return;
	}
	for (uint32_t c = 0; c * CHUNK < a.lanes * a.width; c++)
		store_chunk(p, &a, x->operand[3], c);
}

/* -- faults */

/* The value in the lowest lane that is on: the last one that is written. */
static void store_first_value(struct wasm_print *p, const struct lt_instruction *x)
{
	const uint32_t lanes = wasm_made(p, x->operand[0])->lanes;
	for (uint32_t l = lanes; l-- > 0; ) {
		lt__wasm_push_lane(p, x->operand[0], l);
		lt__wasm_open(C, WASM_if, WASM_EMPTY);
		lt__wasm_at(C, WASM_local_get, (uint32_t)p->fault);
		lt__wasm_push_lane(p, x->operand[1], l);
		lt__wasm_memory(C, WASM_i64_store, offsetof(struct lt_fault, value), 8, 0);
		lt__wasm(C, WASM_end);
	}
}

static void store_number(struct wasm_print *p, int32_t number, size_t offset)
{
	lt__wasm_at(C, WASM_local_get, (uint32_t)p->fault);
	lt__wasm_i32(C, number);
	lt__wasm_memory(C, WASM_i32_store, (uint32_t)offset, 4, 0);
}

void lt__wasm_print_fault(struct wasm_print *p, int32_t i)
{
	const struct lt_instruction *x = wasm_made(p, i);
	lt__wasm_push_any(p, x->operand[0]);
	lt__wasm_open(C, WASM_if, WASM_EMPTY);
	lt__wasm_at(C, WASM_local_get, (uint32_t)p->fault);
	lt__wasm_memory(C, WASM_i64_load, offsetof(struct lt_fault, n), 8, 0);
	lt__wasm(C, WASM_i64_eqz);
	lt__wasm_open(C, WASM_if, WASM_EMPTY);
	store_number(p, x->origin, offsetof(struct lt_fault, stmt));
	store_number(p, x->what, offsetof(struct lt_fault, access));
	store_first_value(p, x);
	lt__wasm(C, WASM_end);
	lt__wasm_at(C, WASM_local_get, (uint32_t)p->fault);
	lt__wasm_at(C, WASM_local_get, (uint32_t)p->fault);
	lt__wasm_memory(C, WASM_i64_load, offsetof(struct lt_fault, n), 8, 0);
	for (uint32_t c = 0; c < lt__wasm_chunks(p, x->operand[0]); c++) {
		lt__wasm_push_bits(p, x->operand[0], c);
		lt__wasm(C, WASM_i32_popcnt);
		lt__wasm(C, WASM_i64_extend_i32_u);
		lt__wasm(C, WASM_i64_add);
	}
	lt__wasm_memory(C, WASM_i64_store, offsetof(struct lt_fault, n), 8, 0);
	lt__wasm(C, WASM_end);
}
