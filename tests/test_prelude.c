/* test_prelude.c -- what the operators' C texts call, as functions and as the text that trees bring. */
#include <criterion/criterion.h>
#include <math.h>
#include <string.h>
#include "ir/op/op.h"
#include "ir/op/prelude.h"
#include "treebuild.h"

Test(prelude, is_a_text_without_includes)
{
	static char text[32768];
	size_t n = lt__op_prelude(text, sizeof text);
	cr_assert(n < sizeof text && n == strlen(text) && lt__op_prelude(NULL, 0) == n);
	cr_expect(strstr(text, "LT_FN float lt_max_f32(float a, float b)") != NULL);
	cr_expect(strstr(text, "#include") == NULL);
}

/* The functions themselves, beside the table's own arithmetic.  (Casts: test_backend.c, through a compiler.) */
Test(prelude, functions)
{
	static const int64_t ints[] = { INT32_MIN, INT32_MIN + 1, -7, -1, 0, 1, 2, 7, INT32_MAX };
	static const double floats[] = { -INFINITY, -7.5, -1, -0.25, 0, 0.25, 3, 7.5, INFINITY, NAN };
	enum { NI = sizeof ints / sizeof *ints, NF = sizeof floats / sizeof *floats };
	for (int i = 0; i < NI * NI; i++) {
		union lt_scalar x[2] = { tb_i(ints[i / NI]), tb_i(ints[i % NI]) };
		int32_t a = (int32_t)x[0].i, c = (int32_t)x[1].i;
		cr_expect_eq(lt_floordiv_i32(a, c), lt__round_to(lt__op_value(LT_OP_div, LT_I64, x), LT_I32).i);
		cr_expect_eq(lt_mod_i32(a, c), lt__op_value(LT_OP_mod, LT_I64, x).i);
		cr_expect_eq(lt_min_i32(a, c), lt__op_value(LT_OP_min, LT_I64, x).i);
		cr_expect_eq(lt_abs_i32(a), lt__round_to(lt__op_value(LT_OP_abs, LT_I64, x), LT_I32).i);
	}
	cr_expect_eq(lt_floordiv_i64(INT64_MIN, -1), INT64_MIN);
	cr_expect_eq(lt_mod_i64(INT64_MIN, -1), 0);
	cr_expect_eq(lt_abs_i64(INT64_MIN), INT64_MIN);
	for (int i = 0; i < NF * NF; i++) {
		union lt_scalar x[2] = { tb_f(floats[i / NF]), tb_f(floats[i % NF]) };
		static const enum lt_opcode ops[] = { LT_OP_min, LT_OP_max, LT_OP_mod, LT_OP_sign };
		double got[] = { (double)lt_min_f32((float)x[0].f, (float)x[1].f), lt_max_f64(x[0].f, x[1].f),
			lt_mod_f64(x[0].f, x[1].f), lt_sign_f64(x[0].f) };
		for (int o = 0; o < 4; o++) {
			double want = lt__op_value(ops[o], LT_F64, x).f;
			cr_expect(got[o] == want || (isnan(got[o]) && isnan(want)), "%s(%g, %g) = %g, not %g",
				lt__op_info(ops[o])->name, x[0].f, x[1].f, got[o], want);
		}
	}
	for (uint32_t h = 0; h < 65536; h++) {
		double want = lt__scalar_of(h, LT_F16).f, got = (double)lt_cast_f16_f32((uint16_t)h);
		cr_expect(got == want || (isnan(got) && isnan(want)), "f16 0x%04x: %g, not %g", h, got, want);
		cr_expect(isnan(want) || lt_cast_f32_f16((float)want) == h, "f16 0x%04x comes back as 0x%04x", h,
			lt_cast_f32_f16((float)want));
		cr_expect(isnan(want) || lt_cast_f64_f16(want) == h);
	}
}
