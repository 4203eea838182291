/* tests/vectors.c -- see vectors.h. */
#define _GNU_SOURCE 1
#include <criterion/criterion.h>
#include <dlfcn.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "backends/cgen/cgen.h"
#include "vectors.h"
#include "tools/temporary.h"

const struct vector_target vector_targets[N_VECTOR_TARGET] = {
	{ "gcc -O2 -march=native -ffp-contract=fast", "" },
	{ "gcc -O1 -mavx2 -mfma -mf16c", "avx2" },
	{ "gcc -O1", "" },
	{ "clang -O1 -march=native -ffp-contract=fast", "" },
	{ "clang -O1 -mavx2", "avx2" },
};

bool vector_runs(const struct vector_target *t)
{
#if defined(__x86_64__)
	__builtin_cpu_init();
	return !*t->feature || (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"));
#else
	return !*t->feature;
#endif
}

bool vector_exact(const struct lt_op *op)
{
	const struct lt_opinfo *info = lt__op_info((enum lt_opcode)lt__op_find(op->name));
	return lt__dtype_info((enum lt_dtype)op->in[0])->cls != LT_CLASS_FLOAT || info->ulp == 0 || !strcmp(op->name, "mul");
}

static void add_lanes(struct vector_set *s, const struct lt_op *op, const char *source, bool fold, int only)
{
	uint32_t max = lt__dtype_info((enum lt_dtype)op->out)->bytes;
	for (int i = 0; i < op->arity; i++) {
		uint32_t bytes = lt__dtype_info((enum lt_dtype)op->in[i])->bytes;
		max = bytes > max ? bytes : max;
	}
	for (int lanes = 2; lanes * (int)max <= LT_VECTOR_BYTES; lanes *= 2) {
		if (only && lanes * (int)max != only)
			continue;
		cr_assert(s->n < MAX_VECTOR);
		struct vector_case *c = &s->at[s->n++];
		*c = (struct vector_case){ .op = *op, .lanes = lanes, .fold = fold };
		(void)snprintf(c->source, sizeof c->source, "%s", source);
	}
}

static void add_op(
	struct vector_set *s, vector_wanted *wanted, enum lt_opcode code, enum lt_dtype t, enum lt_dtype to, int only)
{
	const struct lt_opinfo *info = lt__op_info(code);
	struct lt_op op = { .name = info->name, .arity = info->arity, .out = info->to_bool ? LT_BOOL : to };
	char source[256];
	for (int i = 0; i < op.arity; i++)
		op.in[i] = code == LT_OP_select && i == 0 ? LT_BOOL : t;
	if (!wanted(&op))
		return;
	lt__op_csource(code, t, to, source, sizeof source);
	add_lanes(s, &op, source, false, only);
	if (op.arity == 2 && op.in[0] == op.out
		&& (code == LT_OP_add || code == LT_OP_mul || code == LT_OP_min || code == LT_OP_max
			|| code == LT_OP_and || code == LT_OP_or || code == LT_OP_xor))
		add_lanes(s, &op, source, true, only);
}

void vector_set_fill(struct vector_set *s, vector_wanted *wanted, int only)
{
	*s = (struct vector_set){ .at = calloc(MAX_VECTOR, sizeof *s->at) };
	for (int op = 0; op < LT_NOP; op++)
		for (int t = 1; t < LT_NDTYPE; t++) {
			if (!lt__op_info((enum lt_opcode)op)->data && lt__op_takes((enum lt_opcode)op, (enum lt_dtype)t))
				add_op(s, wanted, (enum lt_opcode)op, (enum lt_dtype)t, (enum lt_dtype)t, only);
			for (int to = 1; op == LT_OP_cast && to < LT_NDTYPE; to++)
				add_op(s, wanted, LT_OP_cast, (enum lt_dtype)t, (enum lt_dtype)to, only);
		}
}

static const char *ctype(uint32_t t) { return lt__dtype_info((enum lt_dtype)t)->ctype; }

/* $0 .. in text become fmt of the operand's C type (and vector type) and name. */
static void apply(struct lt_out *o, struct lt_pool *pool, const struct vector_case *c, const char *text, bool vector)
{
	for (const char *s = text; *s; s++) {
		if (*s != '$') {
			lt__out_bytes(o, s, 1);
			continue;
		}
		int i = *++s - '0';
		if (vector)
			lt__outf(o, "(*(const %s_u *)((const %s *)%c + i))",
				lt__vector_type(pool, c->op.in[i], c->lanes), ctype(c->op.in[i]), "abc"[i]);
		else
			lt__outf(o, "(((const %s *)%c)[i])", ctype(c->op.in[i]), "abc"[i]);
	}
}

/* In the order that the header of vector.h states, by a loop that halves. */
static void scalar_fold(struct lt_out *o, const struct vector_case *c, int number)
{
	const char *t = ctype(c->op.out);
	lt__outf(o,
		"void s%d(const void *a, const void *b, const void *c, void *r, int64_t n)\n{\n\tfor (int64_t i = 0; i "
		"< n; i += %d) {\n"
		"\t\t%s v[%d];\n\t\tfor (int k = 0; k < %d; k++)\n\t\t\tv[k] = ((const %s *)a)[i + k];\n"
		"\t\tfor (int h = %d; h; h /= 2)\n\t\t\tfor (int k = 0; k < h; k++)\n\t\t\t\tv[k] = ",
		number, c->lanes, t, c->lanes, c->lanes, t, c->lanes / 2);
	for (const char *s = c->source; *s; s++)
		if (*s == '$')
			lt__out(o, *++s == '0' ? "v[k]" : "v[k + h]");
		else
			lt__out_bytes(o, s, 1);
	lt__outf(o, ";\n\t\tfor (int k = 0; k < %d; k++)\n\t\t\t((%s *)r)[i + k] = v[0];\n\t}\n}\n", c->lanes, t);
}

static void print(struct lt_pool *pool, const struct vector_set *s, int library, FILE *f)
{
	struct lt_out body = lt__out_new(pool), defs = lt__out_new(pool);
	static char prelude[1 << 17];
	for (int i = 0; i < s->n; i++) {
		const struct vector_case *c = &s->at[i];
		const char *text = c->fold ? lt__vector_fold(pool, &c->op, c->lanes) : lt__vector_op(pool, &c->op, c->lanes, library);
		cr_assert(text != NULL, "no text: %s %s to %s, %d lanes", c->op.name, ctype(c->op.in[0]), ctype(c->op.out), c->lanes);
		lt__outf(&body, "void v%d(const void *a, const void *b, const void *c, void *r, int64_t n)\n{\n"
			"\tfor (int64_t i = 0; i < n; i += %d)\n\t\t", i, c->lanes);
		if (c->fold)
			lt__outf(&body, "{ %s x = ", ctype(c->op.out));
		else
			lt__outf(&body, "*(%s_u *)((%s *)r + i) = ", lt__vector_type(pool, c->op.out, c->lanes), ctype(c->op.out));
		apply(&body, pool, c, text, true);
		if (c->fold)
			lt__outf(&body, "; for (int k = 0; k < %d; k++) ((%s *)r)[i + k] = x; }\n}\n", c->lanes, ctype(c->op.out));
		else
			lt__out(&body, ";\n}\n");
		if (c->fold) {
			scalar_fold(&body, c, i);
			continue;
		}
		lt__outf(&body, "void s%d(const void *a, const void *b, const void *c, void *r, int64_t n)\n{\n"
			"\tfor (int64_t i = 0; i < n; i++)\n\t\t((%s *)r)[i] = ", i, ctype(c->op.out));
		apply(&body, pool, c, c->source, false);
		lt__out(&body, ";\n}\n");
	}
	lt__vector_defs(pool, body.at, &defs);
	cr_assert(lt__cgen_prelude(prelude, sizeof prelude) < sizeof prelude);
	(void)fprintf(f, "#include <math.h>\n#include <stdint.h>\n%s\n%s\n%s\n", prelude, defs.at, body.at);
}

/* The set whose text is printed, for the callback. */
static struct { const struct vector_set *set; int library; } printed;
static void print_set(struct lt_pool *pool, FILE *f) { print(pool, printed.set, printed.library, f); }

void *vector_build(const char *command, void (*text)(struct lt_pool *, FILE *))
{
	char dir[300], source[320], so[320], line[1600];
	(void)snprintf(line, sizeof line, "set -- %s; command -v \"$1\" >/dev/null", command);
	if (system(line) != 0)
		return NULL;
	(void)snprintf(dir, sizeof dir, "%s/looptree-vectors-XXXXXX", lt__temp_folder());
	cr_assert(mkdtemp(dir) != NULL);
	(void)snprintf(source, sizeof source, "%s/v.c", dir);
	(void)snprintf(so, sizeof so, "%s/v.so", dir);
	FILE *f = fopen(source, "w");
	struct lt_pool *pool = calloc(1, sizeof *pool);
	cr_assert(f && pool);
	cr_assert_eq(setjmp(pool->jump), 0, "no memory");
	text(pool, f);
	lt__pool_free(pool);
	free(pool);
	cr_assert_eq(fclose(f), 0);
	(void)snprintf(line, sizeof line,
		"%s -fwrapv -fno-math-errno -fno-trapping-math -fno-strict-aliasing -shared -fPIC -std=gnu11 -w "
		"-Wno-psabi -o %s %s -lm",
		command, so, source);
	cr_assert_eq(system(line), 0, "%s", line);
	void *handle = dlopen(so, RTLD_NOW | RTLD_LOCAL);
	cr_assert(handle != NULL, "%s", dlerror());
	(void)unlink(source);
	(void)unlink(so);
	(void)rmdir(dir);
	return handle;
}

bool vector_set_build(struct vector_set *s, const char *command, int library)
{
	char name[16];
	printed.set = s;
	printed.library = library;
	s->handle = vector_build(command, print_set);
	if (!s->handle)
		return false;
	for (int i = 0; i < s->n; i++) {
		(void)snprintf(name, sizeof name, "v%d", i);
		*(void **)&s->at[i].run = dlsym(s->handle, name);
		(void)snprintf(name, sizeof name, "s%d", i);
		*(void **)&s->at[i].scalar = dlsym(s->handle, name);
		cr_assert(s->at[i].run && s->at[i].scalar);
	}
	return true;
}

void vector_set_free(struct vector_set *s)
{
	if (s->handle)
		(void)dlclose(s->handle);
	free(s->at);
}

static const double floats[] = { 0.0, -0.0, 0.25, -0.5, 0.5, 1, -1, 1.5, 2.5, -2.5, 3, -7.25, 10, -20, 0x1p-30, 127,
	127.5, 128, -128, -128.5, -129, 255, 255.5, 256, -0.75, 32767, 32767.5, 32768, -32768.5, -32769, 65504, 65519,
	65520, 2147483520.0, 2147483647.0, 2147483647.5, 2147483648.0, -2147483648.0, -2147483648.5, -2147483649.0,
	-2147483904.0, 9.2e18, 9223371487098961920.0, 9223372036854774784.0, 9223372036854775808.0,
	-9223372036854775808.0, -9223373136366403584.0, 1e30, -1e30, 0x1p-14, 0x1p-24, 0x1p-25, 0x1.8p-25, 0x1p-26,
	0x1.ffcp-15, 0x1p-126, 0x1p-133, 0x1p-134, 0x1.8p-134, 0x1p-149, 0x1p-150, 0x1.8p-150, 0x1p-1022, 0x1p-1074,
	0x1.01p0, 0x1.03p0, 0x1.00010001p0, 0x1.002p0, 0x1.006p0, 0x1.0020000001p0, 0x1.0060000001p0,
	0x1.010000000001p0, 0x1.fep127, 0x1.ffp127, 0x1.fffffep127, 0x1.ffffffp127, 3.3e38, 0x1.fffffffffffffp1023,
	0x1p52, 0x1p23, 0x1.8p22, INFINITY, -INFINITY, NAN };
static const int64_t ints[] = { 0, 1, -1, 2, 3, -3, 7, -8, 100, 127, 128, -128, -129, 255, 256, 32767, 32768, -32768,
	65519, 65520, 65535, 16777217, 16777219, 2147483647, -2147483648, 4294967295, 4611686018427387905,
	0x4040000000000001, 0x4040000000000000, 0x40c0000000000000, 9223372036854775807, (-9223372036854775807 - 1),
	9007199254740993, 9007199791611905, 33554433, -33554435 };
enum { N_FLOAT = sizeof floats / sizeof *floats, N_INT = sizeof ints / sizeof *ints };

static uint64_t next(uint64_t *seed)
{
	uint64_t x = *seed += 0x9e3779b97f4a7c15u;
	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
	x = (x ^ x >> 27) * 0x94d049bb133111ebu;
	return x ^ x >> 31;
}

void vector_values(void *at, enum lt_dtype t, int64_t n, uint64_t seed)
{
	const struct lt_dtypeinfo *info = lt__dtype_info(t);
	uint64_t turn = seed;
	for (int64_t i = 0; i < n; i++) {
		uint64_t bits = next(&seed);
		bool special = bits >> 62 != 0;
		union lt_scalar v;
		if (info->cls == LT_CLASS_BOOL)
			v.i = bits & 1;
		else if (info->cls == LT_CLASS_FLOAT && special)
			v.f = floats[turn++ % N_FLOAT];
		else if (info->cls == LT_CLASS_INT && special)
			v.i = (int64_t)((uint64_t)ints[turn++ % N_INT] + (bits & 1 ? 0 : (bits >> 8 & 3) - 1));
		else if (t == LT_F64 && bits & 1)       /* as far as f32 goes */
			v.f = ldexp((double)(int64_t)next(&seed), (int)(bits >> 8 & 255) - 190);
		else
			v = lt__scalar_of(bits >> (bits & 2 && info->cls == LT_CLASS_INT ? 40 : 0), t);
		lt__store(at, i, t, lt__round_to(v, t));
	}
}
