/* fold.c -- all lanes of a value by an operator: the upper half onto the lower, until there is one. */
#include "backends/wasm/print.h"

enum { CHUNK = 16 };
#define C (&p->code)

/* The lanes of a chunk from byte `at` on, at its beginning. */
static void push_moved(struct wasm_print *p, uint32_t local, uint32_t at)
{
	uint8_t from[CHUNK];
	for (uint32_t b = 0; b < CHUNK; b++)
		from[b] = (uint8_t)((b + at) % CHUNK);
	lt__wasm_at(C, WASM_local_get, local);
	lt__wasm_at(C, WASM_local_get, local);
	lt__wasm_shuffle(C, from);
}

void lt__wasm_print_fold(struct wasm_print *p, int32_t i)
{
	const struct lt_instruction *x = wasm_made(p, i);
	const int32_t v = x->operand[0];
	const uint32_t width = lt__wasm_width(p, v), lanes = wasm_made(p, v)->lanes;
	uint32_t local[LT_MAX_LANES / 2], n = lt__wasm_chunks(p, v);
	lt__wasm_new_value(p, i);
	if (lanes == 1) {
		lt__wasm_push(p, v);
		lt__wasm_set(p, i, 0);
		return;
	}
	for (uint32_t c = 0; c < n; c++) {
		local[c] = lt__wasm_local(C, WASM_V128, false, "v%d.fold:%u", (int)p->number[i], (unsigned)c);
		lt__wasm_push_chunk(p, v, c);
		lt__wasm_at(C, WASM_local_set, local[c]);
	}
	for (; n > 1; n /= 2)
		for (uint32_t c = 0; c < n / 2; c++) {
			lt__wasm_at(C, WASM_local_get, local[c]);
			lt__wasm_at(C, WASM_local_get, local[c + n / 2]);
			lt__wasm(C, lt__wasm_operator((uint32_t)x->what, x->dtype, true));
			lt__wasm_at(C, WASM_local_set, local[c]);
		}
	for (uint32_t bytes = (lanes * width < CHUNK ? lanes * width : CHUNK) / 2; bytes >= width; bytes /= 2) {
		lt__wasm_at(C, WASM_local_get, local[0]);
		push_moved(p, local[0], bytes);
		lt__wasm(C, lt__wasm_operator((uint32_t)x->what, x->dtype, true));
		lt__wasm_at(C, WASM_local_set, local[0]);
	}
	lt__wasm_at(C, WASM_local_get, local[0]);
	lt__wasm_extract(p, x->dtype, width, 0);
	lt__wasm_set(p, i, 0);
}
