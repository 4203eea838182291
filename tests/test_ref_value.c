/* test_ref_value.c -- ref's numbers and operators, which are read from their sources, beside those of the graph
 * evaluator. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "backends/ref/value.h"
#include "ir/op/op.h"

struct random { uint64_t state; };

static uint64_t random_next(struct random *r)
{
	uint64_t z = r->state += 0x9e3779b97f4a7c15;
	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
	z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
	return z ^ (z >> 31);
}

static uint64_t random_below(struct random *r, uint64_t n) { return random_next(r) % n; }

static bool is_float(int t) { return lt__dtype_info((enum lt_dtype)t)->cls == LT_CLASS_FLOAT; }

static bool same(union lt_number a, union lt_scalar b, int t)
{
	return is_float(t) ? (isnan(a.f) && isnan(b.f)) || (a.f == b.f && signbit(a.f) == signbit(b.f)) : a.i == b.i;
}

/* Special values, halfway cases of every format, random bits. */
static double any_double(struct random *r)
{
	static const double special[] = { 0, 1, 0.5, 1.5, 2.5, 65504, 65519.99, 65520, 0x1p-14, 0x1p-24, 0x1p-25,
		0x1.8p-24, 0x1p-133, 0x1p-134, 0x1.ffp127, 0x1.fep127, 0x1.fefffffp127, 127.5, 255.5, 2147483647.5,
		0x1p63, 0x1p31, 1e300, 0x1p-1074 };
	uint64_t bits = random_next(r);
	double x, sign = random_below(r, 2) ? -1 : 1;
	switch (random_below(r, 4)) {
	case 0: return sign * special[random_below(r, sizeof special / sizeof *special)];
	case 1: return sign * ldexp(1 + (double)random_below(r, 4096) / 4096, (int)random_below(r, 60) - 30);
	case 2:
		return random_below(r, 8)    ? sign * (double)random_below(r, 1000) / 8
			: random_below(r, 2) ? sign * (double)INFINITY
					     : (double)NAN;
	default: memcpy(&x, &bits, sizeof x); return x;
	}
}

static int64_t any_int(struct random *r)
{
	int64_t v = (int64_t)(random_next(r) >> random_below(r, 64));
	return random_below(r, 2) ? v : (int64_t)(0 - (uint64_t)v);
}

Test(ref_value, every_half)
{
	static const enum lt_dtype half[] = { LT_F16, LT_BF16 };
	for (int k = 0; k < 2; k++)
		for (uint32_t bits = 0; bits < 65536; bits++) {
			union lt_number x = lt__number_of_bits(bits, half[k]);
			uint16_t back, want = (uint16_t)bits;
			cr_assert(same(x, lt__scalar_of(bits, half[k]), (int)half[k]), "%x", (unsigned)bits);
			lt__number_store(&back, 0, half[k], x);
			cr_assert(isnan(x.f) || memcmp(&back, &want, 2) == 0, "%x", (unsigned)bits);
		}
}

Test(ref_value, rounding_and_casts)
{
	struct random r = { 7 };
	for (int i = 0; i < 20000; i++)
		for (int from = 1; from < LT_NDTYPE; from++) {
			union lt_number x = { 0 };
			union lt_scalar want = { 0 };
			if (is_float(from))
				want.f = any_double(&r);
			else
				want.i = any_int(&r);
			memcpy(&x, &want, sizeof x);
			x = lt__number_round(x, (uint32_t)from);
			want = lt__round_to(want, (enum lt_dtype)from);
			cr_assert(same(x, want, from), "round to %s", lt__dtype_info((enum lt_dtype)from)->name);
			int to = 1 + i % (LT_NDTYPE - 1);
			cr_assert(same(lt__number_convert(x, (uint32_t)from, (uint32_t)to),
					  lt__convert(want, (enum lt_dtype)from, (enum lt_dtype)to), to),
				"%s to %s: %a %lld", lt__dtype_info((enum lt_dtype)from)->name,
				lt__dtype_info((enum lt_dtype)to)->name, want.f, (long long)want.i);
			char a[8] = { 0 }, b[8] = { 0 };
			lt__number_store(a, 0, (uint32_t)from, x);
			lt__store(b, 0, (enum lt_dtype)from, want);
			cr_assert((is_float(from) && isnan(x.f)) || memcmp(a, b, 8) == 0);
			cr_assert(same(lt__number_load(a, 0, (uint32_t)from), want, from) || (is_float(from) && isnan(x.f)));
		}
}

/* Every operator at every type, by its source. */
Test(ref_value, operators)
{
	struct random r = { 11 };
	int n = 0;
	for (int code = 0; code < LT_NOP; code++)
		for (int t = 1; t < LT_NDTYPE; t++) {
			const struct lt_opinfo *info = lt__op_info((enum lt_opcode)code);
			if (info->data || !lt__op_takes((enum lt_opcode)code, (enum lt_dtype)t))
				continue;
			char source[256];
			const char *at = "";
			uint32_t in = (uint32_t)t;
			struct lt_op op = { .name = "anything",
				.source = source,
				.arity = info->arity,
				.out = info->to_bool ? LT_BOOL : in,
				.in = { in, in, in } };
			struct lt_ref_value value;
			if (code == LT_OP_select)
				op.in[0] = LT_BOOL;
			lt__op_csource((enum lt_opcode)code, (enum lt_dtype)t, (enum lt_dtype)t, source, sizeof source);
			cr_assert(lt__ref_value_read(&op, &value, &at), "%s: %s from %s", info->name, source, at);
			for (int i = 0; i < 2000; i++) {
				union lt_scalar x[3] = { { 0 } };
				union lt_number y[3];
				for (int k = 0; k < op.arity; k++)
					if (is_float((int)op.in[k]))
						x[k].f = lt__round_to((union lt_scalar){ .f = any_double(&r) }, (enum lt_dtype)op.in[k]).f;
					else
						x[k] = lt__round_to(
							(union lt_scalar){ .i = random_below(&r, 3)
									? any_int(&r)
									: (int64_t)random_below(&r, 5) - 2 },
							(enum lt_dtype)op.in[k]);
				memcpy(y, x, sizeof y);
				union lt_scalar want = lt__round_to(
					lt__op_value((enum lt_opcode)code, (enum lt_dtype)t, x),
					(enum lt_dtype)op.out);
				union lt_number got = lt__number_round(lt__ref_value_of(&value, y), op.out);
				cr_assert(same(got, want, (int)op.out),
					"%s of %s: %a %a, %lld %lld: %a/%lld, not %a/%lld", info->name,
					lt__dtype_info((enum lt_dtype)t)->name, x[0].f, x[1].f, (long long)x[0].i,
					(long long)x[1].i, got.f, (long long)got.i, want.f, (long long)want.i);
			}
			n++;
		}
	cr_expect(n > 80);
}

/* Sources that nobody has written yet, and what is no source: where it ends. */
Test(ref_value, sources)
{
	static const struct { const char *source; double x, y, want; const char *end;
	} rows[] = {
		{ "$0 - $1 - 1", 7, 2, 4, NULL },
		{ "$0 * $0 + 3 * $1", 2, 5, 19, NULL },
		{ "-$0 / (2 * $1)", 8, 2, -2, NULL },
		{ "$0 < $1 ? $0 : $1 < 0 ? 1.5f : 2.5", 3, 2, 2.5, NULL },
		{ "($0 > 0) + ($1 > 0) + 0.25", 1, 1, 2.25, NULL },
		{ "(float)(int32_t)7 + fabsf($0)", -2, 0, 9, NULL },
		{ "pow(lt_max_f32($0, $1), 2.0)", 3, 4, 16, NULL },
		{ "1 | 2 ^ 3 & 6", 0, 0, 1, NULL },
		{ "", 0, 0, 0, "" },
		{ "$0 +", 0, 0, 0, "" },
		{ "$2", 0, 0, 0, "2" },
		{ "$0 $1", 0, 0, 0, "$1" },
		{ "frob($0)", 0, 0, 0, "frob($0)" },
		{ "fabsf($0, $1)", 0, 0, 0, ", $1)" },
		{ "$0 & 1", 0, 0, 0, "" },
		{ "(int32_t)$0", 0, 0, 0, "" },
		{ "7 / 2", 0, 0, 0, "" },
		{ "(uint64_t)1 < $0", 0, 0, 0, "" },
		{ "fabsg($0)", 0, 0, 0, "fabsg($0)" },
		{ "lt_max($0, $1)", 0, 0, 0, "lt_max($0, $1)" },
	};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct lt_op op = { .name = "new", .source = rows[i].source, .arity = 2, .out = LT_F64, .in = { LT_F64, LT_F64 } };
		struct lt_ref_value value;
		const char *at = NULL;
		bool ok = lt__ref_value_read(&op, &value, &at);
		cr_assert_eq(ok, !rows[i].end, "%s", rows[i].source);
		if (!ok) {
			cr_expect_str_eq(at, rows[i].end, "%s: '%s'", rows[i].source, at);
			continue;
		}
		union lt_number x[2] = { { .f = rows[i].x }, { .f = rows[i].y } };
		cr_expect_eq(lt__ref_value_of(&value, x).f, rows[i].want, "%s: %g", rows[i].source, lt__ref_value_of(&value, x).f);
	}
	char deep[400];
	memset(deep, '(', sizeof deep);
	deep[399] = '\0';
	struct lt_op op = { .name = "new", .source = deep, .arity = 1, .out = LT_F64, .in = { LT_F64 } };
	struct lt_ref_value value;
	const char *at;
	cr_expect(!lt__ref_value_read(&op, &value, &at), "as deep as it likes");
}
