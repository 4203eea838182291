/* backends/cgen/dialect_c.c -- the dialect C: gcc and clang, GNU vectors. */
#include "backends/cgen/cgen.h"

#define INT(type, of) { type, "typedef __" of "_TYPE__ " type ";\n", "stdint.h" }
#define F1(name) \
	{ #name, "double " #name "(double);\n", "math.h" }, { #name "f", "float " #name "f(float);\n", "math.h" }
#define F2(name) \
	{ #name, "double " #name "(double, double);\n", "math.h" }, \
	{ \
#name "f", "float " #name "f(float, float);\n", "math.h" \
	}

/* The compiler's own headers would cost a tenth of the time that a kernel takes to compile. */
static const struct lt_chunk chunks[] = { INT("int8_t", "INT8"), INT("int16_t", "INT16"), INT("int32_t", "INT32"),
	INT("int64_t", "INT64"), INT("uint8_t", "UINT8"), INT("uint16_t", "UINT16"), INT("uint32_t", "UINT32"),
	INT("uint64_t", "UINT64"), F2(pow), F2(fmod), F1(fabs), F1(exp), F1(log), F1(sqrt), F1(tanh), F1(erf), F1(sin),
	F1(cos), F1(floor), F1(ceil), F1(rint), F1(trunc), F1(expm1), F1(log1p), F1(exp2), F1(log2),
	{ "INFINITY", "#define INFINITY __builtin_inff()\n", "math.h" },
	/* Inlined into its entry, gcc would forget that its pointers are restrict. */
	{ "LT_KERNEL", "#define LT_KERNEL static __attribute__((noinline))\n", NULL },
	/* gcc up to 12.3, and 13 up to 13.2, vectorises reads under a condition wrongly (its bug 114375: lanes of a
	 * masked load change places), so there such loops stay scalar. */
	{ "LT_KERNEL_BRANCHES",
		"#if defined(__GNUC__) && !defined(__clang__) && (__GNUC__ < 12 || (__GNUC__ == 12 && __GNUC_MINOR__ < "
		"4) || (__GNUC__ == 13 && __GNUC_MINOR__ < 3))\n#pragma GCC "
		"optimize(\"no-tree-loop-if-convert\")\n#endif\n"
		"#define LT_KERNEL_BRANCHES static __attribute__((noinline))\n",
		NULL },
	{ "LT_FN", "#define LT_FN static inline\n", NULL },
	{ "lt_slot", "struct lt_slot { void *base; int64_t offset, bytes; };\n", NULL },
	{ "lt_slot_at",
		"static inline void *lt_slot_at(const struct lt_slot *slot, int i) { return (char *)slot[i].base + "
		"slot[i].offset; }\n",
		NULL },
	{ "lt_team",
		"struct lt_host;\nstruct lt_team {\n\tvoid (*parallel_for)(const struct lt_host *, uint32_t n_thread, int64_t n,\n"
		"\t\tvoid (*body)(void *arg, int64_t first, int64_t last, uint32_t thread), void *arg);\n"
		"\tconst struct lt_host *host;\n\tuint32_t n_thread;\n};\n",
		NULL },
	{ "LT_SHUFFLE",
		"#ifdef __clang__\n#define LT_SHUFFLE(v, type, ...) __builtin_shufflevector(v, v, __VA_ARGS__)\n#else\n"
		"#define LT_SHUFFLE(v, type, ...) __builtin_shuffle(v, (type){ __VA_ARGS__ })\n#endif\n",
		NULL },
	/* Only gcc has these by bytes; clang has one for all. */
	{ "LT_STREAM",
		"#define LT_STREAM(type, to, ...) do { void *const lt_to = (to); const type lt_value = (__VA_ARGS__); "
		"\\\n"
		"\tif ((unsigned long)lt_to % sizeof(type) == 0) lt_stream((type *)lt_to, &lt_value); "
		"else __builtin_memcpy(lt_to, &lt_value, sizeof(type)); } while (0)\n"
		"#ifdef __clang__\n#define lt_stream(to, from) __builtin_nontemporal_store(*(from), to)\n"
		"#elif defined __SSE2__\n"
		"typedef long long lt_bits16 __attribute__((vector_size(16), may_alias));\n"
		"typedef long long lt_bits32 __attribute__((vector_size(32), may_alias));\n"
		"typedef long long lt_bits64 __attribute__((vector_size(64), may_alias));\n"
		"#define lt_stream(to, from) (sizeof *(from) == 64 ? lt_stream64(to, from) : sizeof *(from) == 32 ? "
		"lt_stream32(to, from) : lt_stream16(to, from))\n"
		"static inline __attribute__((always_inline)) void lt_stream16(void *to, const void *from)\n"
		"{\n\t__builtin_ia32_movntdq((lt_bits16 *)to, *(const lt_bits16 *)from);\n}\n"
		"static inline __attribute__((always_inline)) void lt_stream32(void *to, const void *from)\n{\n"
		"#ifdef __AVX__\n\t__builtin_ia32_movntdq256((lt_bits32 *)to, *(const lt_bits32 *)from);\n"
		"#else\n\tlt_stream16(to, from);\n\tlt_stream16((char *)to + 16, (const char *)from + 16);\n#endif\n}\n"
		"static inline __attribute__((always_inline)) void lt_stream64(void *to, const void *from)\n{\n"
		"#ifdef __AVX512F__\n\t__builtin_ia32_movntdq512((lt_bits64 *)to, *(const lt_bits64 *)from);\n"
		"#else\n\tlt_stream32(to, from);\n\tlt_stream32((char *)to + 32, (const char *)from + 32);\n#endif\n}\n"
		"#else\n#define lt_stream(to, from) (*(to) = *(from))\n#endif\n",
		NULL },
	{ "LT_STREAMED",
		"#ifdef __SSE2__\n#define LT_STREAMED() __builtin_ia32_sfence()\n#else\n#define LT_STREAMED() "
		"((void)0)\n#endif\n",
		NULL },
	{ "LT_SHUFFLE2",
		"#ifdef __clang__\n#define LT_SHUFFLE2(a, b, type, ...) __builtin_shufflevector(a, b, "
		"__VA_ARGS__)\n#else\n"
		"#define LT_SHUFFLE2(a, b, type, ...) __builtin_shuffle(a, b, (type){ __VA_ARGS__ })\n#endif\n",
		NULL },
	{ "lt_fault", "struct lt_fault { int64_t n; int32_t stmt, access; int64_t value; };\n", NULL },
	/* lt_gather where threads may meet: the first that counts writes. */
	{ "lt_gather_shared",
		"static inline int64_t lt_gather_shared(struct lt_fault *fault, int64_t v, int64_t extent, int32_t "
		"stmt, int32_t access)\n"
		"{\n\tif (v >= 0 && v < extent)\n\t\treturn v;\n\tif (__atomic_fetch_add(&fault->n, 1, "
		"__ATOMIC_RELAXED) == 0) {\n"
		"\t\tfault->stmt = stmt;\n\t\tfault->access = access;\n\t\tfault->value = v;\n\t}\n\treturn 0;\n}\n",
		NULL },
	{ NULL, NULL, NULL } };

const struct lt_dialect lt__dialect_c = {
	.name = "C",
	.function = "LT_KERNEL void", .branching_function = "LT_KERNEL_BRANCHES void",
	.pointer = "restrict ",
	.array = "_Alignas(64) ",
	.entry = "lt_kernel",
	.chunks = chunks,
	.head = {
		[LT_SERIAL] = LT_HEAD_FOR, [LT_UNROLL] = LT_HEAD_FOR, [LT_VECTOR] = LT_HEAD_FOR, [LT_PARALLEL] = LT_HEAD_FOR,
		[LT_GROUP] = LT_HEAD_BLOCK,
	},
	.regions = true,
	.max_array_bytes = 16 << 10,
	.max_stack_bytes = 128 << 10,
	.vector_bytes = 16,
	.vector_registers = 16,
};
