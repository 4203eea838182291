/* row.c -- row.inc for any processor, and for those with AVX2. */
#define LT_FORM(name) name##_any
#include "ir/eval/row.inc"
#undef LT_FORM

#ifdef __x86_64__
#include <immintrin.h>
#ifdef __clang__
#pragma clang attribute push(__attribute__((target("avx2,fma"))), apply_to = function)
#else
#pragma GCC push_options
#pragma GCC target("avx2,fma")
#endif
#define LT_FORM(name) name##_avx2
#define LT_FORM_AVX
#include "ir/eval/row.inc"
#undef LT_FORM_AVX
#undef LT_FORM
#ifdef __clang__
#pragma clang attribute pop
#else
#pragma GCC pop_options
#endif
#endif

const struct lt_eval_rows *lt__rows(void)
{
#ifdef __x86_64__
	if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
		return &rows_avx2;
#endif
	return &rows_any;
}
