/* tests/test_vector.c -- exact operators, folds and helpers over GNU vectors, bit for bit beside the scalar ones. */
#define _GNU_SOURCE 1
#include <criterion/criterion.h>
#include <dlfcn.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "vectors.h"

enum { N_VALUE = 1 << 14, SIDE = 64 };

static bool is_nan(const void *at, int64_t i, enum lt_dtype t)
{
	return lt__dtype_info(t)->cls == LT_CLASS_FLOAT && isnan(lt__load(at, i, t).f);
}

/* Each case on random and special values, all against all where there are two; results stand between sentinels. */
static void compare(const struct vector_set *s, const char *command, uint64_t seed)
{
	char *x[3], *got = malloc(N_VALUE * 8 + 2 * SIDE), *want = malloc(N_VALUE * 8);
	for (int k = 0; k < 3; k++)
		x[k] = (char *)malloc(N_VALUE * 8 + 1) + 1;    /* no alignment may be taken for granted */
	for (int i = 0; i < s->n; i++) {
		const struct vector_case *c = &s->at[i];
		enum lt_dtype to = (enum lt_dtype)c->op.out;
		size_t bytes = lt__dtype_info(to)->bytes;
		for (int k = 0; k < c->op.arity; k++)
			vector_values(x[k], (enum lt_dtype)c->op.in[k], N_VALUE, seed + (uint64_t)k * 7);
		memset(got, 0xa5, N_VALUE * 8 + 2 * SIDE);
		c->run(x[0], x[1], x[2], got + SIDE, N_VALUE);
		c->scalar(x[0], x[1], x[2], want, N_VALUE);
		for (int64_t k = 0; k < SIDE; k++)
			cr_assert(got[k] == (char)0xa5 && got[SIDE + N_VALUE * (int64_t)bytes + k] == (char)0xa5);
		for (int64_t k = 0; k < N_VALUE; k++)
			if (memcmp(got + SIDE + k * (int64_t)bytes, want + k * (int64_t)bytes, bytes) != 0
			    && !(is_nan(got + SIDE, k, to) && is_nan(want, k, to))) {
				union lt_scalar v[3] = { { 0 } }, g = lt__load(got + SIDE, k, to), w = lt__load(want, k, to);
				for (int a = 0; a < c->op.arity; a++)
					v[a] = lt__load(x[a], k, (enum lt_dtype)c->op.in[a]);
				cr_expect(false,
					"%s: %s%s %s to %s, %d lanes, seed %llu: of (%a %a | %lld %lld) %a/%lld, not "
					"%a/%lld",
					command, c->fold ? "fold " : "", c->op.name,
					lt__dtype_info((enum lt_dtype)c->op.in[c->op.arity - 1])->name,
					lt__dtype_info(to)->name, c->lanes, (unsigned long long)seed, v[0].f, v[1].f,
					(long long)v[0].i, (long long)v[1].i, g.f, (long long)g.i, w.f, (long long)w.i);
				break;
			}
	}
	free(got);
	free(want);
	for (int k = 0; k < 3; k++)
		free(x[k] - 1);
}

static void exact_on(const struct vector_target *target)
{
	struct vector_set s;
	if (!vector_runs(target))
		cr_skip_test("the processor does not have %s", target->feature);
	vector_set_fill(&s, vector_exact, 0);
	if (!vector_set_build(&s, target->command, lt__vector_library()))
		cr_skip_test("no %s", target->command);
	compare(&s, target->command, 20240611);
	vector_set_free(&s);
}

TestSuite(vector, .timeout = 300);
Test(vector, exact_gcc_native) { exact_on(&vector_targets[0]); }
Test(vector, exact_gcc_avx2) { exact_on(&vector_targets[1]); }
Test(vector, exact_gcc_plain) { exact_on(&vector_targets[2]); }
Test(vector, exact_clang_native) { exact_on(&vector_targets[3]); }
Test(vector, exact_clang_avx2) { exact_on(&vector_targets[4]); }

/* The helpers that vector.h lists, at every type: a kernel of them is built, and each of its results is looked at
 * here. */
static const char *const element[] = { "f32", "f64", "i8", "u8", "i16", "u16", "i32", "i64" };
static const char *const lane_type[] = { "float", "double", "int8_t", "uint8_t", "int16_t", "uint16_t", "int32_t",
	"int64_t" };
static const int lane_bytes[] = { 4, 8, 1, 1, 2, 2, 4, 8 };
enum { N_ELEMENT = 8 };

static void helpers_text(struct lt_pool *pool, FILE *f)
{
	struct lt_out body = lt__out_new(pool), defs = lt__out_new(pool);
	for (int e = 0; e < N_ELEMENT; e++)
		for (int lanes = 2; lanes * lane_bytes[e] <= LT_VECTOR_BYTES; lanes *= 2) {
			const char *t = element[e], *c = lane_type[e];
			lt__outf(&body,
				"void load_%s_%d(const %s *p, int64_t n, %s *r) { *(lt_%sx%d_u *)r = lt_load_%sx%d(p, "
				"n); }\n",
				t, lanes, c, c, t, lanes, t, lanes);
			lt__outf(&body,
				"void store_%s_%d(%s *p, int64_t n, const %s *v) { lt_store_%sx%d(p, *(const "
				"lt_%sx%d_u *)v, n); }\n",
				t, lanes, c, c, t, lanes, t, lanes);
			lt__outf(&body,
				"void all_%s_%d(const %s *x, int64_t n, %s *r) { *(lt_%sx%d_u *)r = lt_all_%sx%d(*x); "
				"}\n",
				t, lanes, c, c, t, lanes, t, lanes);
			lt__outf(&body,
				"void lane_%s_%d(const %s *x, int64_t n, %s *r) { *(lt_%sx%d_u *)r = lt_lane_%sx%d(); "
				"}\n",
				t, lanes, c, c, t, lanes, t, lanes);
			lt__outf(&body,
				"void below_%s_%d(const %s *x, int64_t n, uint8_t *r) { *(lt_u8x%d_u *)r = "
				"lt_below_u8x%d(n); }\n",
				t, lanes, c, lanes, lanes);
			lt__outf(&body,
				"void blend_%s_%d(const %s *x, int64_t n, %s *r) { lt_%sx%d v = *(const lt_%sx%d_u "
				"*)x; "
				"*(lt_%sx%d_u *)r = lt_blend_%sx%d(lt_below_u8x%d(n), v, lt_all_%sx%d(x[0])); }\n",
				t, lanes, c, c, t, lanes, t, lanes, t, lanes, t, lanes, lanes, t, lanes);
		}
	lt__vector_defs(pool, body.at, &defs);
	(void)fprintf(f, "#include <math.h>\n#include <stdint.h>\n%s\n%s\n", defs.at, body.at);
}

/* Memory that ends where no more may be read: n elements stand before it. */
static char *at_the_end(size_t bytes)
{
	static char *page;
	size_t size = (size_t)sysconf(_SC_PAGESIZE);
	if (!page) {
		page = mmap(NULL, 2 * size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		cr_assert(page != MAP_FAILED);
		cr_assert_eq(mprotect(page + size, size, PROT_NONE), 0);
	}
	memset(page, 0xa5, size);
	return page + size - bytes;
}

typedef void helper(void *, int64_t, void *);
static helper *find(void *handle, const char *what, int e, int lanes)
{
	char name[64];
	helper *found;
	(void)snprintf(name, sizeof name, "%s_%s_%d", what, element[e], lanes);
	*(void **)&found = dlsym(handle, name);
	cr_assert(found != NULL, "%s", name);
	return found;
}

static void check_helpers(void *handle, const char *command, int e, int lanes)
{
	size_t b = (size_t)lane_bytes[e], all = b * (size_t)lanes;
	unsigned char value[LT_VECTOR_BYTES], got[LT_VECTOR_BYTES + 16], flags[64 + 16];
	for (size_t i = 0; i < all; i++)
		value[i] = (unsigned char)(i * 7 + 1);
	for (int turn = 0; turn < lanes + 7; turn++) {
		static const int64_t far[] = { 256, 65536, 4294967296, INT64_MAX, INT64_MIN };
		int64_t n = turn < 5 ? far[turn] : turn - 6;
		size_t on = n < 0 ? 0 : n >= lanes ? all : b * (size_t)n;
		char *p = at_the_end(on);
		memcpy(p, value, on);
		find(handle, "load", e, lanes)(p, n, got);
		for (size_t i = 0; i < all; i++)
			cr_assert_eq(got[i], i < on ? value[i] : 0, "%s: load %s x%d, %d of them", command, element[e], lanes, (int)n);
		p = at_the_end(on);
		find(handle, "store", e, lanes)(p, n, value);
		cr_assert(memcmp(p, value, on) == 0 && p[-1] == (char)0xa5, "%s: store %s x%d, %d of them", command,
			element[e], lanes, (int)n);
		memset(flags, 0xa5, sizeof flags);
		find(handle, "below", e, lanes)(value, n, flags);
		for (int i = 0; i < lanes; i++)
			cr_assert_eq(flags[i], i < n, "%s: below x%d", command, lanes);
		find(handle, "blend", e, lanes)(value, n, got);
		for (size_t i = 0; i < all; i++)
			cr_assert_eq(got[i], value[i < on ? i : i % b], "%s: blend %s x%d", command, element[e], lanes);
	}
	find(handle, "all", e, lanes)(value, 0, got);
	for (size_t i = 0; i < all; i++)
		cr_assert_eq(got[i], value[i % b], "%s: all %s x%d", command, element[e], lanes);
	find(handle, "lane", e, lanes)(value, 0, got);
	for (int i = 0; i < lanes; i++)
		cr_assert(e == 0         ? ((float *)(void *)got)[i] == (float)i
				: e == 1 ? ((double *)(void *)got)[i] == i
					 : got[b * (size_t)i] == i,
			"%s: lane %s x%d", command, element[e], lanes);
	/* zeros keep their signs */
	if (e < 2) {
		memset(value, 0, sizeof value);
		value[b - 1] = 0x80;
		find(handle, "all", e, lanes)(value, 0, got);
		cr_assert_eq(got[all - 1], 0x80, "%s: all of -0", command);
	}
}

Test(vector, helpers)
{
	int built = 0;
	for (int i = 0; i < N_VECTOR_TARGET; i++) {
		void *handle = vector_runs(&vector_targets[i]) ? vector_build(vector_targets[i].command, helpers_text) : NULL;
		for (int e = 0; handle && e < N_ELEMENT; e++)
			for (int lanes = 2; lanes * lane_bytes[e] <= LT_VECTOR_BYTES; lanes *= 2)
				check_helpers(handle, vector_targets[i].command, e, lanes);
		built += handle != NULL;
		if (handle)
			(void)dlclose(handle);
	}
	cr_expect(built > 0);
}

/* What a text says, and what its definitions are. */
static const char *text_of(
	struct lt_pool *pool, const char *name, enum lt_dtype t, enum lt_dtype to, int lanes, int library)
{
	static char source[256];
	int code = lt__op_find(name), arity = lt__op_info((enum lt_opcode)code)->arity;
	struct lt_op op = { .name = name, .source = source, .arity = arity, .out = to, .in = { t, t, t } };
	if (code == LT_OP_select)
		op.in[0] = LT_BOOL;
	lt__op_csource((enum lt_opcode)code, t, to, source, sizeof source);
	return lt__vector_op(pool, &op, lanes, library);
}

Test(vector, texts)
{
	static const struct { const char *name; enum lt_dtype t, to; int lanes, library; const char *text;
	} rows[] = {
		{ "add", LT_F32, LT_F32, 16, 0, "($0 + $1)" },
		{ "add", LT_I32, LT_I32, 8, 0, "(lt_i32x8)((lt_u32x8)$0 + (lt_u32x8)$1)" },
		{ "less", LT_F64, LT_BOOL, 4, 0, "lt_flag_i64x4((lt_i64x4)($0 < $1))" },
		{ "copy", LT_F16, LT_F16, 32, 0, "$0" },
		{ "select", LT_BF16, LT_BF16, 8, 0, "lt_blend_u16x8($0, $1, $2)" },
		{ "cast", LT_F32, LT_F32, 4, 0, "$0" },
		{ "cast", LT_F16, LT_I8, 4, 0, "lt_cast_f16_i8x4($0)" },
		{ "exp", LT_F32, LT_F32, 16, 236, "lt_exp_f32x16($0)" },
		{ "exp", LT_F64, LT_F64, 8, 222, "lt_mvec_exp_f64x8($0)" },
		{ "exp", LT_F64, LT_F64, 8, 221, "lt_each_exp_f64x8($0)" },
		{ "erf", LT_F64, LT_F64, 8, 235, "lt_mvec_erf_f64x8($0)" },
		{ "erf", LT_F64, LT_F64, 8, 234, "lt_each_erf_f64x8($0)" },
		{ "sigmoid", LT_F64, LT_F64, 2, 222, "(1 / (1 + lt_mvec_exp_f64x2(-$0)))" },
		/* no vectors of 3 lanes, of 1, or of more than 64 bytes */
		{ "add", LT_F32, LT_F32, 3, 0, NULL },
		{ "add", LT_F32, LT_F32, 1, 0, NULL },
		{ "add", LT_F32, LT_F32, 0, 0, NULL },
		{ "add", LT_F32, LT_F32, 32, 0, NULL },
		{ "copy", LT_I8, LT_I8, 64, 0, "$0" },
		{ "copy", LT_I8, LT_I8, 128, 0, NULL },
		{ "cast", LT_F32, LT_F64, 16, 0, NULL },
		{ "cast", LT_F64, LT_I8, 16, 0, NULL },
	};
	struct lt_pool *pool = calloc(1, sizeof *pool);
	cr_assert(pool && setjmp(pool->jump) == 0);
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		const char *text = text_of(pool, rows[i].name, rows[i].t, rows[i].to, rows[i].lanes, rows[i].library);
		cr_expect(rows[i].text ? text && !strcmp(text, rows[i].text) : !text, "row %d: %s", (int)i, text ? text : "NULL");
	}
	struct lt_op op = { .name = "add", .source = "plus($0, $1)", .arity = 2, .in = { LT_F32, LT_F32 }, .out = LT_F32 };
	cr_expect(!lt__vector_op(pool, &op, 4, 0) && !lt__vector_fold(pool, &op, 4), "another operator of that name");
	op.source = "($0 + $1)";
	cr_expect_str_eq(lt__vector_fold(pool, &op, 4), "lt_fold_add_f32x4($0)");
	op.name = "frobnicate";
	cr_expect(!lt__vector_op(pool, &op, 4, 0));
	op = (struct lt_op){ .name = "sub", .arity = 2, .in = { LT_F32, LT_F32 }, .out = LT_F32 };
	cr_expect(lt__vector_op(pool, &op, 4, 0) && !lt__vector_fold(pool, &op, 4));
	op = (struct lt_op){ .name = "exp", .arity = 1, .in = { LT_F16 }, .out = LT_F16 };
	cr_expect(!lt__vector_op(pool, &op, 4, 0), "not a compute type");
	cr_expect_str_eq(lt__vector_type(pool, LT_BOOL, 64), "lt_u8x64");
	cr_expect(!lt__vector_type(pool, LT_F64, 16) && !lt__vector_type(pool, 0, 4) && !lt__vector_type(pool, LT_NDTYPE, 4));
	lt__pool_free(pool);
	free(pool);
}

/* The scalar texts of vector_op.def are those of ir/op.def: with its source each operator has the text that its name
 * alone has. */
Test(vector, sources)
{
	struct lt_pool *pool = calloc(1, sizeof *pool);
	volatile int n = 0;     /* after setjmp */
	cr_assert(pool && setjmp(pool->jump) == 0);
	for (int code = 0; code < LT_NOP; code++)
		for (int t = 1; t < LT_NDTYPE; t++)
			for (int to = 1; to < LT_NDTYPE; to++) {
				const struct lt_opinfo *info = lt__op_info((enum lt_opcode)code);
				char source[256];
				if (code == LT_OP_cast ? false : info->data || to != t || !lt__op_takes((enum lt_opcode)code, (enum lt_dtype)t))
					continue;
				uint32_t out = info->to_bool ? LT_BOOL : (uint32_t)to, in = (uint32_t)t;
				struct lt_op op = { .name = info->name, .arity = info->arity, .out = out, .in = { in, in, in } };
				if (code == LT_OP_select)
					op.in[0] = LT_BOOL;
				const char *by_name = lt__vector_op(pool, &op, 4, 0);
				lt__op_csource((enum lt_opcode)code, (enum lt_dtype)t, (enum lt_dtype)to, source, sizeof source);
				op.source = source;
				const char *text = lt__vector_op(pool, &op, 4, 0);
				cr_expect(by_name && text && strcmp(by_name, text) == 0, "%s %s to %s: source %s", info->name,
					lt__dtype_info((enum lt_dtype)t)->name, lt__dtype_info((enum lt_dtype)to)->name, source);
				source[strlen(source) - 1] = ' ';
				cr_expect(!lt__vector_op(pool, &op, 4, 0), "%s", source);
				n++;
			}
	cr_expect(n > 150);
	lt__pool_free(pool);
	free(pool);
}

static int count(const char *text, const char *part)
{
	int n = 0;
	for (; (text = strstr(text, part)); text++)
		n++;
	return n;
}

/* Each definition once, after what it uses, and nothing that is not used; names that only look like ours are left
 * alone. */
Test(vector, definitions)
{
	struct lt_pool *pool = calloc(1, sizeof *pool);
	cr_assert(pool && setjmp(pool->jump) == 0);
	struct lt_out none = lt__out_new(pool), one = lt__out_new(pool), defs = lt__out_new(pool);
	lt__vector_defs(pool,
		"lt_max_f32(a, b) + xlt_f32x4 + lt_f32x4y + lt_f32x5 + lt_u7x4 + lt_nonsense_f32x4 + lt_f32x1 + lt_ + "
		"lt_x4",
		&none);
	cr_expect_str_eq(none.at, "");
	lt__vector_defs(pool, "*(lt_f32x4_u *)p", &one);
	cr_expect_str_eq(one.at, "typedef float lt_f32x4_u __attribute__((vector_size(16), aligned(1), may_alias));\n");
	lt__vector_defs(pool, "lt_f32x8 y = lt_tanh_f32x8(lt_exp_f32x8(x)), z = lt_tanh_f32x8(x);", &defs);
	cr_expect_eq(count(defs.at, "lt_f32x8 lt_exp_f32x8("), 1);
	cr_expect_eq(count(defs.at, "lt_f32x8 lt_tanh_f32x8("), 1);
	cr_expect_eq(count(defs.at, "typedef float lt_f32x8 "), 1);
	cr_expect_eq(count(defs.at, "#define LT_VFN"), 1);
	cr_expect_eq(count(defs.at, "_u "), 0);
	cr_expect(strstr(defs.at, "LT_VFN lt_f32x8 lt_exp_f32x8(") < strstr(defs.at, "LT_VFN lt_f32x8 lt_tanh_f32x8("));
	cr_expect(count(defs.at, "\n") < 60, "a kernel carries no more than it uses: %s", defs.at);
	lt__pool_free(pool);
	free(pool);
}
