/* backends/cgen/dialect_c.c -- the dialect C: gcc and clang, one thread. */
#include "backends/cgen/cgen.h"

#define INT(type, of) { type, "typedef __" of "_TYPE__ " type ";\n", "stdint.h" }
#define F1(name) { #name, "double " #name "(double);\n", "math.h" }, { #name "f", "float " #name "f(float);\n", "math.h" }
#define F2(name) { #name, "double " #name "(double, double);\n", "math.h" }, { #name "f", "float " #name "f(float, float);\n", "math.h" }

/* The compiler's own headers would cost a tenth of the time that a kernel takes to compile. */
static const struct lt_chunk chunks[] = {
	INT("int8_t", "INT8"), INT("int16_t", "INT16"), INT("int32_t", "INT32"), INT("int64_t", "INT64"),
	INT("uint8_t", "UINT8"), INT("uint16_t", "UINT16"), INT("uint32_t", "UINT32"), INT("uint64_t", "UINT64"),
	F2(pow), F2(fmod), F1(fabs), F1(exp), F1(log), F1(sqrt), F1(tanh), F1(erf), F1(sin), F1(cos), F1(floor), F1(ceil),
	F1(rint), F1(trunc), F1(expm1), F1(log1p), F1(exp2), F1(log2),
	{ "INFINITY", "#define INFINITY __builtin_inff()\n", "math.h" },
	/* Inlined into its entry, gcc would forget that its pointers are restrict. */
	{ "LT_KERNEL", "#define LT_KERNEL static __attribute__((noinline))\n", NULL },
	/* gcc up to 12.3, and 13 up to 13.2, vectorises reads under a condition wrongly (its bug 114375: lanes of a masked load change
	 * places), so there such loops stay scalar. */
	{ "LT_KERNEL_BRANCHES", "#if defined(__GNUC__) && !defined(__clang__) && (__GNUC__ < 12 || (__GNUC__ == 12 && __GNUC_MINOR__ < 4) "
		"|| (__GNUC__ == 13 && __GNUC_MINOR__ < 3))\n#pragma GCC optimize(\"no-tree-loop-if-convert\")\n#endif\n"
		"#define LT_KERNEL_BRANCHES static __attribute__((noinline))\n", NULL },
	{ "LT_FN", "#define LT_FN static inline\n", NULL },
	{ "lt_slot", "struct lt_slot { void *base; int64_t offset, bytes; };\n", NULL },
	{ "lt_slot_at", "static inline void *lt_slot_at(const struct lt_slot *slot, int i) { return (char *)slot[i].base + slot[i].offset; }\n", NULL },
	{ NULL, NULL, NULL }
};

const struct lt_dialect lt__dialect_c = {
	.name = "C",
	.function = "LT_KERNEL void", .branching_function = "LT_KERNEL_BRANCHES void", .named_function = "void",
	.pointer = "restrict ",
	.array = "_Alignas(64) ",
	.entry = "lt_kernel",
	.chunks = chunks,
	.head = {
		[LT_SERIAL] = LT_HEAD_FOR, [LT_UNROLL] = LT_HEAD_FOR, [LT_VECTOR] = LT_HEAD_FOR, [LT_PARALLEL] = LT_HEAD_FOR,
		[LT_GROUP] = LT_HEAD_BLOCK,
	},
	.max_array_bytes = 16 << 10,
	.max_stack_bytes = 128 << 10,
};
