/* test_unsigned.c -- uint16, uint32 and uint64 against C's own unsigned arithmetic: operators, reductions, casts,
 * indices, literals as texts, and the same with operands that are known before the run. */
#include <criterion/criterion.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "ir/eval/eval.h"
#include "ir/pass/pass.h"
#include "lt/frontend.h"
#include "tests/oracle.h"
#include "tests/script_run.h"

enum { N = 14 };
static const enum lt_dtype types[] = { LT_U16, LT_U32, LT_U64 };
static uint64_t top_of(enum lt_dtype t) { return UINT64_MAX >> (64 - 8 * lt_dtype_bytes(t)); }

/* Small numbers, the ends, and what looks negative as a signed number. */
static void fill_values(enum lt_dtype t, uint64_t *x)
{
	const uint64_t top = top_of(t), half = top / 2 + 1;
	const uint64_t all[N] = { 0, 1, 2, 3, 7, 10, 255, half - 1, half, half + 1, half + 7, top - 2, top - 1, top };
	memcpy(x, all, sizeof all);
}

enum { N_OP = 22 };
static const char *const names[N_OP] = { "add", "sub", "mul", "div", "mod", "min", "max", "and", "or", "xor", "eq",
	"ne", "less", "lessequal", "greater", "greaterequal", "neg", "abs", "sign", "copy",
	"shl", "shr" };
static bool takes_one(int op) { return op >= 16 && op < 20; }
#define OF_TYPE(T) \
	static uint64_t want_##T(int op, T a, T b) \
	{ \
		const T value[N_OP] = { (T)(a + b), (T)(a - b), (T)((uint64_t)a * b), (T)(b ? a / b : 0), (T)(b ? a % b : 0), \
			a < b ? a : b, a < b ? b : a, a & b, a | b, a ^ b, a == b, a != b, a < b, a <= b, a > b, a >= b, (T)(0 - a), a, \
			a ? 1 : 0, a, (T)(b < 8 * sizeof a ? (uint64_t)a << b : 0), (T)(b < 8 * sizeof a ? a >> b : 0) }; \
		return value[op]; \
	}
OF_TYPE(uint16_t)
OF_TYPE(uint32_t)
OF_TYPE(uint64_t)
static uint64_t want(enum lt_dtype t, int op, uint64_t a, uint64_t b)
{
	return t == LT_U16 ? want_uint16_t(op, (uint16_t)a, (uint16_t)b)
		: t == LT_U32 ? want_uint32_t(op, (uint32_t)a, (uint32_t)b) : want_uint64_t(op, a, b);
}

static void store_values(struct oracle *b, lt_node n, enum lt_dtype t, const uint64_t *x)
{
	for (int i = 0; i < N; i++)
		lt__store(b->data[n], i, t, lt__scalar_of(x[i], t));
}

static uint64_t bits_at(const void *data, int64_t i, enum lt_dtype t) { return lt__bits_of(lt__load(data, i, t), t); }

Test(unsigned, operators)
{
	uint64_t x[N];
	for (size_t k = 0; k < sizeof types / sizeof *types; k++)
		for (int op = 0; op < N_OP; op++) {
			enum lt_dtype t = types[k];
			struct oracle *b = oracle_open(LT_F32);
			lt_var v = lt_graph_var(b->g, "v", N), w = lt_graph_var(b->g, "w", N);
			lt_node in[2] = { oracle_input(b, t, 1, &v, NULL), oracle_input(b, t, 1, &w, NULL) };
			fill_values(t, x);
			store_values(b, in[0], t, x);
			store_values(b, in[1], t, x);
			lt_node y = lt_graph_op(b->g, names[op], takes_one(op) ? 1 : 2, in);
			enum lt_dtype out = lt_node_dtype(b->g, y);
			cr_assert_eq(out, op >= 10 && op < 16 ? LT_BOOL : t);
			const void *got = oracle_run(b, y, NULL);
			for (int i = 0; i < (takes_one(op) ? N : N * N); i++) {
				uint64_t p = x[takes_one(op) ? i : i / N], q = x[i % N];
				cr_expect_eq(bits_at(got, i, out), want(t, op, p, q), "%s of %s %" PRIu64 ", %" PRIu64 ": %" PRIu64, names[op],
					lt_dtype_name(t), p, q, bits_at(got, i, out));
			}
			oracle_close(b);
		}
}

/* The passes know what literals give. */
Test(unsigned, operators_of_literals)
{
	uint64_t x[N];
	for (size_t k = 0; k < sizeof types / sizeof *types; k++)
		for (int op = 0; op < N_OP; op++)
			for (int i = 0; i < N * N; i++) {
				enum lt_dtype t = types[k];
				struct oracle *b = oracle_open(LT_F32);
				struct lt_graph *folded;
				fill_values(t, x);
				lt_node in[2] = { lt_graph_literal_int(b->g, t, (int64_t)x[i / N]),
					lt_graph_literal_int(b->g, t, (int64_t)x[i % N]) };
				lt_node y = lt_graph_op(b->g, names[op], takes_one(op) ? 1 : 2, in);
				cr_assert_eq(lt_graph_result(b->g, "y", y), LT_OK);
				cr_assert_eq(lt__passes_run(b->g, NULL, NULL, &folded), LT_OK, "%s", lt_context_message(b->ctx));
				const struct lt_nodedef *d = &folded->node[folded->result[0].node];
				cr_expect(d->op == LT_OP_lit && d->bits == want(t, op, x[i / N], x[i % N]), "%s of %s %" PRIu64 ", %" PRIu64,
					names[op], lt_dtype_name(t), x[i / N], x[i % N]);
				lt_graph_free(folded);
				oracle_close(b);
			}
}

Test(unsigned, reductions)
{
	static const char *const folds[] = { "add", "mul", "min", "max" };
	static const int op_of[] = { 0, 2, 5, 6 };
	uint64_t x[N];
	for (size_t k = 0; k < sizeof types / sizeof *types; k++)
		for (int f = 0; f < 4; f++) {
			enum lt_dtype t = types[k];
			struct oracle *b = oracle_open(LT_F32);
			lt_var v = lt_graph_var(b->g, "v", N);
			lt_node in = oracle_input(b, t, 1, &v, NULL);
			fill_values(t, x);
			x[0] = x[1] = 5;                /* so that a product is not 0 */
			store_values(b, in, t, x);
			uint64_t all = x[0];
			for (int i = 1; i < N; i++)
				all = want(t, op_of[f], all, x[i]);
			const void *got = oracle_run(b, lt_graph_reduce(b->g, folds[f], in, 1, &v), NULL);
			cr_expect_eq(bits_at(got, 0, t), all, "%s of %s: %" PRIu64 ", not %" PRIu64, folds[f], lt_dtype_name(t),
				bits_at(got, 0, t), all);
			oracle_close(b);
		}
}

/* C rounds to nearest; a float that does not fit is the end of the type that is next to it, NaN is 0. */
static uint64_t of_float(double x, enum lt_dtype t)
{
	long double top = (long double)top_of(t);
	return isnan(x) || x <= 0 ? 0 : (long double)x >= top ? top_of(t) : (uint64_t)truncl((long double)x);
}

Test(unsigned, casts)
{
	static const double floats[N] = { 0, -0.0, 0.9, -0.9, -5, 255.5, 65535.5, 65536, 0x1p32, 0x1.fffffffffffffp63, 0x1p64,
		1e30, -INFINITY, NAN };
	uint64_t x[N];
	for (size_t k = 0; k < sizeof types / sizeof *types; k++) {
		enum lt_dtype t = types[k];
		struct oracle *b = oracle_open(LT_F32);
		lt_var v = lt_graph_var(b->g, "v", N);
		lt_node f = oracle_input(b, LT_F64, 1, &v, floats), u = oracle_input(b, t, 1, &v, NULL);
		fill_values(t, x);
		store_values(b, u, t, x);
		const void *got = oracle_run(b, lt_graph_cast(b->g, f, t), NULL);
		for (int i = 0; i < N; i++)
			cr_expect_eq(bits_at(got, i, t), of_float(floats[i], t), "%g to %s", floats[i], lt_dtype_name(t));
		static const enum lt_dtype to[] = { LT_F64, LT_F32, LT_I8, LT_I64, LT_U32, LT_U64, LT_BOOL };
		for (size_t j = 0; j < sizeof to / sizeof *to; j++) {
			char name[8];
			(void)snprintf(name, sizeof name, "y%zu", j);
			lt_eval_free(b->e);
			b->e = NULL;
			cr_assert_eq(lt_graph_result(b->g, name, lt_graph_cast(b->g, u, to[j])), LT_OK);
			cr_assert_eq(lt_eval(b->g, b->source, true, &b->e), LT_OK);
			got = lt_eval_result(b->e, (int32_t)j + 1, NULL);
			for (int i = 0; i < N; i++) {
				double real = to[j] == LT_F64 ? (double)x[i] : (double)(float)x[i];
				uint64_t whole = to[j] == LT_I8 ? (uint8_t)x[i] : to[j] == LT_U32 ? (uint32_t)x[i] : to[j] == LT_BOOL ? x[i] != 0
					: x[i];
				if (j < 2)
					cr_expect_eq(lt__load(got, i, to[j]).f, real, "%" PRIu64 " to %s", x[i], lt_dtype_name(to[j]));
				else
					cr_expect_eq(bits_at(got, i, to[j]), whole, "%" PRIu64 " to %s", x[i], lt_dtype_name(to[j]));
			}
		}
		oracle_close(b);
	}
}

/* Above INT64_MAX an index is out of range, and no negative one that is counted from somewhere. */
Test(unsigned, indices)
{
	static const float data[4] = { 10, 11, 12, 13 };
	for (size_t k = 0; k < sizeof types / sizeof *types; k++)
		for (int wild = 0; wild < 2; wild++) {
			enum lt_dtype t = types[k];
			struct oracle *b = oracle_open(LT_F32);
			lt_var v = lt_graph_var(b->g, "v", 4), w = lt_graph_var(b->g, "w", 2);
			lt_node x = oracle_input(b, LT_F32, 1, &v, data), at = oracle_input(b, t, 1, &w, NULL);
			lt__store(b->data[at], 0, t, lt__scalar_of(3, t));
			lt__store(b->data[at], 1, t, lt__scalar_of(wild ? top_of(t) : 1, t));
			cr_assert_eq(lt_graph_result(b->g, "y", lt_graph_gather(b->g, x, at, 0)), LT_OK);
			lt_status status = lt_eval(b->g, b->source, false, &b->e);
			cr_expect_eq(status, wild ? LT_EFAULT : LT_OK, "%s", lt_dtype_name(t));
			if (!status) {
				const float *y = lt_eval_result(b->e, 0, NULL);
				cr_expect(y[0] == 13 && y[1] == 11);
			}
			oracle_close(b);
		}
}

Test(unsigned, numbers_in_scripts)
{
	cr_expect_str_eq(script_error("$1 = FullNode(uint64, [2], 18446744073709551615);\nresult = $1;\n", "s"), "");
	cr_expect_str_eq(script_error("$1 = FullNode(uint32, [2], 4294967295);\nresult = $1;\n", "s"), "");
	static const char *const refused[] = { "uint64, [2], 18446744073709551616", "uint64, [2], -1",
		"uint32, [2], 4294967296", "uint16, [2], 65536", "uint16, [2], -1", "uint64, [2], 0.5" };
	for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
		char text[128];
		(void)snprintf(text, sizeof text, "$1 = FullNode(%s);\nresult = $1;\n", refused[i]);
		cr_expect_not_null(strstr(script_error(text, "s"), "is not a number of type"), "%s: %s", refused[i],
			script_error(text, "s"));
	}
}

static void write_file(void *f, const char *text, size_t n) { (void)fwrite(text, 1, n, f); }

/* The graph's own text, both ways. */
Test(unsigned, numbers_in_graphs)
{
	static const char text[] = "graph 1\n%a = u64[] lit 18446744073709551615\n%b = u64[] lit 9223372036854775808\n"
		"%c = u32[] lit 4294967295\n%d = u16[] lit 65535\nresult \"a\" = %a\nresult \"b\" = %b\nresult \"c\" = %c\n"
		"result \"d\" = %d\n";
	static const char *const refused[] = { "u64[] lit -1", "u64[] lit 18446744073709551616", "u32[] lit 4294967296",
		"u16[] lit -1" };
	const uint64_t bits[] = { UINT64_MAX, UINT64_C(1) << 63, UINT32_MAX, 65535 };
	struct oracle *b = oracle_open(LT_F32);
	struct lt_graph *g;
	char *out = NULL;
	size_t n = 0;
	cr_assert_eq(lt_parse(b->ctx, text, strlen(text), "t", "graph", &g), LT_OK, "%s", lt_context_message(b->ctx));
	for (int i = 0; i < 4; i++)
		cr_expect_eq(g->node[g->result[i].node].bits, bits[i]);
	FILE *f = open_memstream(&out, &n);
	cr_assert_eq(lt_graph_print(g, write_file, f), LT_OK);
	(void)fclose(f);
	cr_expect_str_eq(out, text);
	free(out);
	lt_graph_free(g);
	for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
		char one[128];
		(void)snprintf(one, sizeof one, "graph 1\n%%a = %s\nresult \"a\" = %%a\n", refused[i]);
		cr_expect_eq(lt_parse(b->ctx, one, strlen(one), "t", "graph", &g), LT_ESYNTAX, "%s", refused[i]);
	}
	oracle_close(b);
}
