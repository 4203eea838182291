/* code.h -- a function of WebAssembly, written as binary and as text at once: each call here appends one instruction to
 * both, by its row in instruction.def.
 *
 * What goes wrong for want of memory is kept in `failed`; nothing need be asked before the end.
 */
#ifndef LT_WASM_CODE_H
#define LT_WASM_CODE_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum wasm_instruction {
	WASM_NONE,
#define WASM(id, text, prefix, code, immediates) WASM_##id,
#include "backends/wasm/instruction.def"
#undef WASM
	WASM_N
};
/* Types as the binary has them. */
enum wasm_type { WASM_EMPTY = 0x40, WASM_V128 = 0x7b, WASM_F64 = 0x7c, WASM_F32 = 0x7d, WASM_I64 = 0x7e,
	WASM_I32 = 0x7f };
const char *lt__wasm_type_name(enum wasm_type);

/* Bytes that grow; at NULL: none yet. */
struct wasm_bytes { char *at; size_t n, cap; bool failed; };
void lt__wasm_bytes(struct wasm_bytes *, const void *, size_t);
void lt__wasm_byte(struct wasm_bytes *, uint8_t);
void lt__wasm_unsigned(struct wasm_bytes *, uint64_t);          /* LEB128 */
void lt__wasm_signed(struct wasm_bytes *, int64_t);
void lt__wasm_name(struct wasm_bytes *, const char *);          /* its length, and its letters */
void lt__wasm_text(struct wasm_bytes *, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* A section or a function's body: its length, then its bytes, which are freed. */
void lt__wasm_sized(struct wasm_bytes *, struct wasm_bytes *part);

/* Parameters of a function, at most: what engines take. */
enum { WASM_MOST_PARAMETERS = 1000 };
/* A local: its type, and its name in the text. */
enum { WASM_NAME = 80 };
struct wasm_local { uint8_t type; char name[WASM_NAME]; };
struct wasm_code {
	struct wasm_bytes binary, text;         /* of the body */
	struct wasm_local *local;
	uint32_t n_parameter, n_local, cap;     /* n_local: parameters, too, which come first */
	uint32_t depth;                         /* of the text's indentation */
	bool has_text, failed;
	size_t before_else[2], after_else;      /* bytes of binary and text before the last else, of the binary behind it */
};
/* A new local; before the first instruction `parameter` may be true.  Its number. */
uint32_t lt__wasm_local(struct wasm_code *, enum wasm_type, bool parameter, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));
void lt__wasm_code_drop(struct wasm_code *);
bool lt__wasm_code_failed(const struct wasm_code *);

/* One instruction each, by what follows it. */
void lt__wasm(struct wasm_code *, enum wasm_instruction);
/* The local is there. */
void lt__wasm_at(struct wasm_code *, enum wasm_instruction, uint32_t local);
/* else; the end of a block, which takes away an else with nothing behind it. */
void lt__wasm_else(struct wasm_code *);
void lt__wasm_end(struct wasm_code *);
/* block, loop, if; type: what it leaves, WASM_EMPTY: nothing. */
void lt__wasm_open(struct wasm_code *, enum wasm_instruction, enum wasm_type);
void lt__wasm_branch(struct wasm_code *, enum wasm_instruction, uint32_t label);
void lt__wasm_call(struct wasm_code *, uint32_t function, const char *name);
void lt__wasm_lane(struct wasm_code *, enum wasm_instruction, uint32_t lane);
/* align: bytes, a power of two; lane: of load32_lane and its like. */
void lt__wasm_memory(struct wasm_code *, enum wasm_instruction, uint32_t offset, uint32_t align, uint32_t lane);
void lt__wasm_i32(struct wasm_code *, int32_t);
void lt__wasm_i64(struct wasm_code *, int64_t);
void lt__wasm_f32(struct wasm_code *, uint32_t bits);
void lt__wasm_f64(struct wasm_code *, uint64_t bits);
void lt__wasm_v128(struct wasm_code *, const uint8_t byte[16]);
void lt__wasm_shuffle(struct wasm_code *, const uint8_t from[16]);
#endif
