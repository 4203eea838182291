/* function.c -- functions that WebAssembly has no instructions for: those of the library's own C library, which modules
 * import. */
#include <math.h>
#include "backends/wasm/print.h"

#define ONE(name, opcode) \
	{ LT_OPCODE_##opcode, LT_F32, 1, #name "f", (wasm_function_fn *)name##f }, \
	{ LT_OPCODE_##opcode, LT_F64, 1, #name, (wasm_function_fn *)name }
#define TWO(name, opcode) \
	{ LT_OPCODE_##opcode, LT_F32, 2, #name "f", (wasm_function_fn *)name##f }, \
	{ LT_OPCODE_##opcode, LT_F64, 2, #name, (wasm_function_fn *)name }
static const struct { uint16_t opcode, dtype; int n; const char *name; wasm_function_fn *at; } functions[] = {
	ONE(exp, exp), ONE(log, log), ONE(tanh, tanh), ONE(erf, erf), ONE(sin, sin), ONE(cos, cos), TWO(pow, pow),
	TWO(fmod, remainder),
};
#undef ONE
#undef TWO
enum { N_FUNCTION = sizeof functions / sizeof *functions };

int lt__wasm_function(uint32_t opcode, uint32_t dtype)
{
	for (int i = 0; i < N_FUNCTION; i++)
		if (functions[i].opcode == opcode && functions[i].dtype == dtype)
			return i;
	return -1;
}

const char *lt__wasm_function_name(int i) { return functions[i].name; }
wasm_function_fn *lt__wasm_function_at(int i) { return functions[i].at; }
int lt__wasm_function_operands(int i) { return functions[i].n; }
bool lt__wasm_function_is_f32(int i) { return functions[i].dtype == LT_F32; }
