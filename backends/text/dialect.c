/* dialect.c -- one row of spellings for each dialect. */
#include "backends/text/text.h"

/* What compilers add to C is used where they say that they have it: each of these texts is also one without it.
 *
 * Inlined into its entry, gcc would forget that the pointers of a function are restrict; and where it knows the
 * addresses of constants it would keep those in registers, and not what a tile adds up.  An AVR's are in its
 * instructions. */
#define HEAD(when) "#" when "\n#define LT_NOINLINE static __attribute__((noinline))\n" \
	"#else\n#define LT_NOINLINE static\n" \
	"#endif\n"

/* One lane has a spelling, or a short function, for every operator but `scale`; vectors have what processors have, and
 * last what the C library has. */
enum { ALL = UINT16_MAX, F64 = 1 << LT_F64, FLOATS = 1 << LT_F32 | F64 };
#define ROW(name, many) { LT_OPCODE_##name, ALL, many, ALL }
static const struct lt_machine_operator operators[] = {
	{ LT_OPCODE_dot, 1 << LT_I32, 0, 0 },                           /* only of dialects with quads: the first row */
	{ LT_OPCODE_scale, 0, 1 << LT_F32, 0 },                         /* only where the processor scales: the next one */
	ROW(round, 0), ROW(erf, 0),                                     /* only where the C library has them */
	{ LT_OPCODE_dot, 0, 1 << LT_I32, 0 }, { LT_OPCODE_round, 0, FLOATS, 0 },
	ROW(sqrt, FLOATS), ROW(floor, FLOATS), ROW(ceil, FLOATS), ROW(div, 0), ROW(mod, 0), ROW(pow, 0),
	ROW(min, 0), ROW(max, 0), ROW(not, 0), ROW(neg, 0), ROW(abs, 0), ROW(sign, 0), ROW(reciprocal, 0), ROW(exp, 0),
	ROW(log, 0), ROW(rsqrt, 0), ROW(tanh, 0), ROW(sigmoid, 0), ROW(sin, 0), ROW(cos, 0), ROW(remainder, 0),
	ROW(cast, 0),
#define FUNCTION(name, n, types, since) { LT_OPCODE_##name, 0, types, 0 },
#include "backends/text/library.def"
#undef FUNCTION
};
#undef ROW
static const int library_since[] = {
#define FUNCTION(name, n, types, since) since,
#include "backends/text/library.def"
#undef FUNCTION
};

const struct lt_machine_operator *lt__text_operators(
	const struct lt_text_dialect *d, bool scales, bool avr_libc, int vector_library, uint32_t *n)
{
	const uint32_t first = avr_libc ? 4 : d->quads ? 0 : scales ? 1 : 2;
	enum { N_FUNCTION = sizeof library_since / sizeof *library_since };
	uint32_t own = (uint32_t)(sizeof operators / sizeof *operators) - N_FUNCTION, end = own;
	while (end < own + N_FUNCTION && library_since[end - own] <= vector_library)
		end++;
	*n = end - first;
	return operators + first;
}

const struct lt_text_dialect lt__text_c99 = {
	.name = "C99",
	.headers = true,
	.function = "LT_NOINLINE ",
	.head = HEAD("ifdef __GNUC__"),
	.counting = "#ifdef __GNUC__\n#define LT_COUNT(n) __atomic_fetch_add(&(n), 1, __ATOMIC_RELAXED)\n#else\n"
		"#define LT_COUNT(n) (n)++\n#endif\n",
	.counted = "LT_COUNT(fault->n)",
	.inlined = "static inline ",
};

const struct lt_text_dialect lt__text_bare = {
	.name = "bare C99",
	.headers = true,
	.function = "LT_NOINLINE ",
	.head = HEAD("if defined(__GNUC__) && !defined(__AVR__)"),
	.counting = "",
	.inlined = "static inline ",
	.bare = true,
	.quads = true,
	.int_bits = 32,
};

const struct lt_text_dialect lt__text_c = {
	.name = "C",
	.lanes = true,
	.wraps = true,
	.function = "static __attribute__((noinline)) ",
	.head = "",
	.counting = "",
	.aligned = "__attribute__((aligned(%lld))) ",
	.counted = "__atomic_fetch_add(&fault->n, 1, __ATOMIC_RELAXED)",
	.inlined = "static inline ",
	.unroll = "#pragma GCC unroll %lld",
};
