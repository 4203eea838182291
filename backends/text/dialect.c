/* backends/text/dialect.c -- one row of spellings for each dialect. */
#include "backends/text/text.h"

/* What compilers add to C is used where they say that they have it: each of these texts is also one without it.
 *
 * Inlined into its entry, gcc would forget that the pointers of a function are restrict. */
#define HEAD "#ifdef __GNUC__\n#define LT_KERNEL static __attribute__((noinline))\n#else\n#define LT_KERNEL static\n" \
	"#endif\n"

const struct lt_text_dialect lt__text_c99 = {
	.name = "C99",
	.function = "LT_KERNEL ",
	.head = HEAD,
	.counting = "#ifdef __GNUC__\n#define LT_COUNT(n) __atomic_fetch_add(&(n), 1, __ATOMIC_RELAXED)\n#else\n"
		"#define LT_COUNT(n) (n)++\n#endif\n",
	.counted = "LT_COUNT(fault->n)",
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
};
