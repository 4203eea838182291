/* local.c -- the locals of values: how wide a lane is, how many chunks of 16 bytes, and what holds them. */
#include <stdio.h>
#include "backends/wasm/print.h"

enum { CHUNK = 16 };
#define C (&p->code)

uint32_t lt__wasm_width(const struct wasm_print *p, int32_t v)
{
	const struct lt_instruction *x = wasm_made(p, v);
	return x->dtype == LT_LANE_MASK ? (p->width[v] ? p->width[v] : 4) : lt__number_bytes(x->dtype);
}

uint32_t lt__wasm_chunks_of(uint32_t lanes, uint32_t width)
{
	return lanes == 1 ? 1 : (lanes * width + CHUNK - 1) / CHUNK;
}

uint32_t lt__wasm_chunks(const struct wasm_print *p, int32_t v)
{
	return lt__wasm_chunks_of(wasm_made(p, v)->lanes, lt__wasm_width(p, v));
}

enum wasm_type lt__wasm_scalar(uint32_t dtype)
{
	return dtype == LT_F32 ? WASM_F32 : dtype == LT_F64 ? WASM_F64 : dtype == LT_I64 || dtype == LT_U64 ? WASM_I64
		: WASM_I32;
}

int32_t lt__wasm_new_locals(struct wasm_print *p, uint32_t dtype, uint32_t lanes, uint32_t width, bool parameter,
	const char *name)
{
	const uint32_t n = lt__wasm_chunks_of(lanes, width);
	const enum wasm_type type = lanes == 1 ? lt__wasm_scalar(dtype) : WASM_V128;
	uint32_t first = 0;
	for (uint32_t c = 0; c < n; c++) {
		const uint32_t local = c ? lt__wasm_local(C, type, parameter, "%s:%u", name, (unsigned)c)
			: lt__wasm_local(C, type, parameter, "%s", name);
		first = c ? first : local;
	}
	return (int32_t)first;
}

void lt__wasm_new_value(struct wasm_print *p, int32_t v)
{
	const struct lt_instruction *x = wasm_made(p, v);
	char name[16];
	(void)snprintf(name, sizeof name, "%%%d", (int)p->number[v]);
	p->value[v] = lt__wasm_new_locals(p, x->dtype, x->lanes, lt__wasm_width(p, v), false, name);
}

void lt__wasm_set(struct wasm_print *p, int32_t v, uint32_t chunk)
{
	lt__wasm_at(C, WASM_local_set, (uint32_t)p->value[v] + chunk);
}

int32_t lt__wasm_temporary(struct wasm_print *p, enum wasm_type type)
{
	int32_t *t = &p->temporary[type == WASM_I64];
	if (*t < 0)
		*t = (int32_t)lt__wasm_local(C, type, false, ":%s", lt__wasm_type_name(type));
	return *t;
}
