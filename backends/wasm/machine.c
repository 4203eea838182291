/* machine.c -- WebAssembly as a machine: what it has by itself, and the target of default trees. */
#include "backends/wasm/wasm.h"

enum { MAX_ARRAY = 16 << 10, MAX_STACK = 128 << 10, UNROLLED = 1024, COPIED = 64 };
enum { FLOATS = 1 << LT_F32 | 1 << LT_F64, I32 = 1 << LT_I32 };

/* Registers are the engine's, which has 16 on x86-64 and keeps one to itself; tiles that would fill them are spilled.
 * Caches that most processors have at least. */
const struct lt_target lt__wasm_target = { .size = sizeof lt__wasm_target, .name = "wasm", .vector_bytes = 16,
	.vector_registers = 12, .cores = 1, .cache_line = 64, .l1_bytes = 32 << 10, .l1_ways = 8, .l2_bytes = 256 << 10,
	.l2_ways = 8, .l3_bytes = 4 << 20, .l3_ways = 16 };

/* Instructions; of one lane, functions of the library (function.c). */
static const struct lt_machine_operator operators[] = {
	{ LT_OPCODE_sqrt, FLOATS, FLOATS, 0 }, { LT_OPCODE_abs, FLOATS, FLOATS, 0 },
	{ LT_OPCODE_floor, FLOATS, FLOATS, 0 }, { LT_OPCODE_ceil, FLOATS, FLOATS, 0 },
	{ LT_OPCODE_round, FLOATS, FLOATS, 0 }, { LT_OPCODE_dot, I32, I32, 0 },
	{ LT_OPCODE_exp, FLOATS, 0, 0 }, { LT_OPCODE_log, FLOATS, 0, 0 }, { LT_OPCODE_tanh, FLOATS, 0, 0 },
	{ LT_OPCODE_erf, FLOATS, 0, 0 }, { LT_OPCODE_sin, FLOATS, 0, 0 }, { LT_OPCODE_cos, FLOATS, 0, 0 },
	{ LT_OPCODE_pow, FLOATS, 0, 0 }, { LT_OPCODE_remainder, FLOATS, 0, 0 },
};

struct lt_machine lt__wasm_machine(void)
{
	return (struct lt_machine){ .array_bytes = MAX_ARRAY, .stack_bytes = MAX_STACK, .teams = 1, .vector_bytes = 16,
		.dot_bytes = 16, .unrolled = UNROLLED, .copied = COPIED, .max_variables = 128, .tile_lanes = 8, .page_bytes = 4096,
		.n_operator = sizeof operators / sizeof *operators, .operators = operators };
}
