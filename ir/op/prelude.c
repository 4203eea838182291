/* prelude.c -- prelude.h as text, and its conversions of halves for C that is not generated. */
#include <stdio.h>
#include <string.h>
#include "ir/op/op.h"
#include "ir/op/prelude.h"

/* One string a line, made when the library is built. */
static const char *const lines[] = {
#include "ir/op/prelude_text.h"
};

size_t lt__op_prelude(char *text, size_t bytes)
{
	size_t n = 0;
	for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
		if (strncmp(lines[i], "#include", 8) != 0) {
			int more = snprintf(n < bytes ? text + n : NULL, n < bytes ? bytes - n : 0, "%s\n", lines[i]);
			n += more > 0 ? (size_t)more : 0;
		}
	return n;
}

float lt__half_load(uint16_t half, enum lt_dtype t)
{
	return t == LT_BF16 ? lt_cast_bf16_f32(half) : lt_cast_f16_f32(half);
}

uint16_t lt__half_store(float x, enum lt_dtype t)
{
	return t == LT_BF16 ? lt_cast_f32_bf16(x) : lt_cast_f32_f16(x);
}
