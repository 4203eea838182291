/* tests/test_cgen.c -- the printed text: what it says, that it does not depend on names, that its literals are
 * exact. */
#include <criterion/criterion.h>
#include <math.h>
#include "backends/cgen/cgen.h"
#include "backends/cgen/prelude.h"
#include "treebuild.h"

struct diagnostic_keeper { struct lt_diag diag; char text[512]; int32_t loop, stmt; };
static void keep(struct lt_diag *d, const struct lt_diagnostic *n)
{
	struct diagnostic_keeper *k = (struct diagnostic_keeper *)(void *)d;
	(void)snprintf(k->text, sizeof k->text, "%s", n->text);
	k->loop = n->loop;
	k->stmt = n->stmt;
}

static char *print(struct tb *b, int named)
{
	char *text;
	struct lt_cgen_need need;
	struct diagnostic_keeper k = { .diag = { sizeof k.diag, keep } };
	lt_status status = lt__cgen_print(&lt__dialect_c, tb_done(b), named, &text, &need, &k.diag);
	cr_assert_eq(status, LT_OK, "%s", k.text);
	return text;
}

static void has(const char *text, const char *part)
{
	cr_expect(strstr(text, part) != NULL, "no \"%s\" in\n%s", part, text);
}
static void lacks(const char *text, const char *part)
{
	cr_expect(strstr(text, part) == NULL, "\"%s\" in\n%s", part, text);
}

Test(cgen, a_product_reads_like_its_tree)
{
	struct tb *b = tb_product(12, 10, 64);
	char *text = print(b, 1);
	has(text,
		"void product(const float *restrict A, const float *restrict B, const float *restrict bias, float *restrict relu)\n"
		"{\n"
		"\tfor (int64_t m = 0; m < 12; m++) {\n"
		"\t\tfor (int64_t n = 0; n < 10; n++) {\n"
		"\t\t\t/* %4 = add.reduce, line 7 */\n"
		"\t\t\tfloat v4 = 0.0f;\n"
		"\t\t\tfor (int64_t k = 0; k < 64; k++) {\n"
		"\t\t\t\t/* %4.mul = mul, line 7 */\n"
		"\t\t\t\tconst float v4_mul = A[64*m + k] * B[10*k + n];\n"
		"\t\t\t\tv4 += v4_mul;\n"
		"\t\t\t}\n"
		"\t\t\t/* %5 = add, line 8 */\n"
		"\t\t\tconst float v5 = v4 + bias[n];\n"
		"\t\t\t/* %relu = max, line 9 */\n"
		"\t\t\trelu[10*m + n] = lt_max_f32(v5, 0.0f);\n"
		"\t\t}\n"
		"\t}\n"
		"}\n");
	free(text);
	free(b);
}

/* What is compiled, and so what the cache looks for, is the same whatever things are called. */
Test(cgen, compiled_text_has_no_names)
{
	struct tb *a = tb_product(12, 10, 64), *b = tb_product(12, 10, 64);
	b->tree.name = "another";
	for (int i = 0; i < b->n_buffer; i++)
		b->buffer[i].name = "x*/y\n";
	for (int i = 0; i < b->n_loop; i++)
		b->loop[i].var = "int";
	for (int i = 0; i < b->n_stmt; i++)
		b->stmt[i].name = "*/ #error\n", b->stmt[i].line = 99;
	char *first = print(a, 0), *second = print(b, 0), *named = print(b, 1);
	cr_expect_str_eq(first, second);
	lacks(first, "/*");
	lacks(named, "*/ #error");              /* a comment cannot be left */
	has(named, "for (int64_t int_2 = 0; int_2 < 12; int_2++) {");
	has(named, "for (int64_t int_3 = 0; int_3 < 10; int_3++) {");
	has(named, "x__y_, ");
	has(named, "x__y__2");
	free(first);
	free(second);
	free(named);
	free(a);
	free(b);
}

/* One statement "b0[0] = ROW" for each row, on param p0 in 0..9, loops of 5, a division. */
Test(cgen, rows_are_simple)
{
	static const struct { const char *row, *text;
	} rows[] = {
		{ "0", "0" },
		{ "7", "7" },
		{ "0-3", "-3" },
		{ "i0", "i0" },
		{ "i0 + 1", "i0 + 1" },
		{ "i0 - 1", "i0 - 1" },
		{ "i1 + 128*i0", "128*i0 + i1" },
		{ "3 - i0", "3 - i0" },
		{ "0 - i0", "-i0" },
		{ "0 - i0 - 2", "-i0 - 2" },
		{ "i0 - i1", "i0 - i1" },
		{ "i0 - i1 + 4", "i0 + 4 - i1" },
		{ "i0 - i1 - 4", "i0 - i1 - 4" },
		{ "i0 - 3*d0", "i0 - 3*d0" },
		{ "p0 + i1", "i1 + p0" },
		{ "4294967296*i0 + 1", "4294967296*i0 + 1" },
		{ "i0 - 2*i1 - 3*d0", "i0 - 3*d0 - 2*i1" },
	};
	static const struct { const char *row, *text;
	} guards[] = {
		{ "i0 - 1", "i0 >= 1" },
		{ "3 - i0", "i0 <= 3" },
		{ "0 - i0", "i0 <= 0" },
		{ "i0 - i1", "i0 >= i1" },
		{ "i0 - i1 - 1", "i0 > i1" },
		{ "i0 - i1 - 2", "i0 >= i1 + 2" },
		{ "i0 - i1 + 2", "i0 + 2 >= i1" },
		{ "p0 - 2*i1", "2*i1 <= p0" },
		{ "p0 - i0 - 1", "i0 < p0" },
		{ "p0 - i0 + 2", "i0 <= p0 + 2" },
		{ "p0 - i0 - 4", "i0 + 4 <= p0" },
		{ "i0 - p0 - 1", "i0 > p0" },
		{ "5 - i0 - i1", "i0 + i1 <= 5" },
	};
	static const char *const always[] = { "7", "i0 + 1", "5 - i0", "p0 - i0 + 4" },
				 *const never[] = { "0-7", "0 - i0 - i1 - 2", "i0 - 5" };
	enum { N_ROW = sizeof rows / sizeof *rows, N_GUARD = sizeof guards / sizeof *guards };
	struct tb *b = tb_new("rows", 1, 2, 1);
	int32_t l0 = tb_loop(b, -1, LT_SERIAL, 5, NULL, "i0"), l1 = tb_loop(b, l0, LT_SERIAL, 5, NULL, "i1");
	int32_t out = tb_buffer(b, "out", LT_I64, LT_OUTPUT, -1, 1), copy = tb_op(b, "copy", LT_I64, LT_I64),
		p = tb_buffer(b, "p", LT_I64, LT_INPUT, -1, 1);
	int32_t to = tb_access(b, out, "0");
	tb_param(b, "pos", p, 0, 0, 9);
	tb_div(b, "i0 + p0", 3, l0);
	for (int i = 0; i < N_ROW; i++) {
		tb_stmt(b, LT_MAP, copy, l1, to, NULL, "row", 0);
		tb_affine(b, rows[i].row);
	}
	for (int i = 0; i < N_GUARD; i++) {
		tb_stmt(b, LT_MAP, copy, l1, to, guards[i].row, "row", 0);
		tb_affine(b, "0");
	}
	for (int i = 0; i < 7; i++) {
		tb_stmt(b, LT_MAP, copy, l1, to, i < 4 ? always[i] : never[i - 4], "row", 0);
		tb_affine(b, i < 4 ? "777777" : "787878");
	}
	char *text = print(b, 0), want[128], *at = text;
	lacks(text, "787878");
	for (const char *s = text; (s = strstr(s, "= 777777;")) != NULL; s++)
		cr_expect(strncmp(s - 9, "\t\t\tb0[0] ", 9) == 0, "a guard that always holds is not asked");
	has(text, "\tconst int64_t p0 = b1[0];\n");
	has(text, "\t\tconst int64_t d0 = (i0 + p0) / 3;\n");
	for (int i = 0; i < N_ROW; i++) {
		(void)snprintf(want, sizeof want, "\t\t\tb0[0] = %s;\n", rows[i].text);
		char *found = strstr(at, want);
		cr_expect(found != NULL, "%s: no %s in %.200s", rows[i].row, want, at);
		at = found ? found + 1 : at;
	}
	for (int i = 0; i < N_GUARD; i++) {
		(void)snprintf(want, sizeof want, "\t\t\tif (%s) {\n", guards[i].text);
		char *found = strstr(at, want);
		cr_expect(found != NULL, "%s: no %s in %.200s", guards[i].row, want, at);
		at = found ? found + 1 : at;
	}
	free(text);
	free(b);
}

Test(cgen, trips_are_the_least_of_what_can_bind)
{
	struct tb *b = tb_new("trips", 0, 4, 1);
	int32_t l0 = tb_loop(b, -1, LT_SERIAL, 4, NULL, "m"), l1 = tb_loop(b, l0, LT_SERIAL, 13, "41 - 13*i0", "m'");
	int32_t l2 = tb_loop(b, l1, LT_SERIAL, 3, "50;3", "n"), l3 = tb_loop(b, l2, LT_GROUP, 1, NULL, "group");
	int32_t out = tb_buffer(b, "out", LT_I64, LT_OUTPUT, -1, 100), copy = tb_op(b, "copy", LT_I64, LT_I64);
	tb_div(b, "i1 - 7", 2, l1);
	tb_stmt(b, LT_MAP, copy, l3, tb_access(b, out, "13*i0 + i1"), NULL, "row", 0);
	tb_affine(b, "d0");
	char *text = print(b, 1);
	has(text,
		"\t\tconst int64_t m_1_trips = lt_min_i64(13, 41 - 13*m);\n\t\tfor (int64_t m_1 = 0; m_1 < m_1_trips; "
		"m_1++) {\n");
	has(text, "\t\t\tconst int64_t d0 = lt_floordiv_i64(m_1 - 7, 2);\n");
	has(text,
		"\t\t\tfor (int64_t n = 0; n < 3; n++) {\n\t\t\t\t{\n\t\t\t\t\t/* %row = copy */\n\t\t\t\t\tout[13*m + "
		"m_1] = d0;\n");
	free(text);
	free(b);
}

Test(cgen, storage_follows_size_scope_and_aliases)
{
	struct tb *b = tb_new("places", 0, 1, 0);
	int32_t l = tb_loop(b, -1, LT_SERIAL, 3, NULL, "i"), copy = tb_op(b, "copy", LT_F32, LT_F32),
		other = tb_op(b, "copy", LT_I32, LT_I32);
	int32_t in = tb_buffer(b, "in", LT_F32, LT_INPUT, -1, 9), out = tb_buffer(b, "out", LT_F32, LT_OUTPUT, -1, 9);
	int32_t same = tb_buffer(b, "same", LT_F32, LT_OUTPUT, -1, 9), bits = tb_buffer(b, "bits", LT_I32, LT_OUTPUT, -1, 9);
	int32_t row = tb_buffer(b, "row", LT_F32, LT_LOCAL, l, 4096), big = tb_buffer(b, "big", LT_F32, LT_LOCAL, l, 4097);
	int32_t big2 = tb_buffer(b, "big2", LT_F32, LT_LOCAL, -1, 5000), maybe = tb_buffer(b, "maybe", LT_F32, LT_LOCAL, l, 1);
	b->buffer[same].alias_of = out;         /* the same elements: one pointer */
	b->buffer[same].slot = b->buffer[out].slot;
	b->buffer[bits].alias_of = in;          /* the same elements as another type */
	int32_t a[] = { row, big, big2, maybe, same };
	for (int i = 0; i < 5; i++) {
		tb_stmt(b, LT_MAP, copy, l, tb_access(b, a[i], i == 0 ? "i0" : "0"), i == 3 ? "i0 - 1" : NULL, "v", 0);
		tb_read(b, tb_access(b, in, "i0"));
	}
	tb_stmt(b, LT_MAP, other, l, tb_access(b, bits, "0"), NULL, "w", 0);
	tb_imm(b, LT_I32, tb_i(5));
	char *text;
	struct lt_cgen_need need;
	cr_assert_eq(lt__cgen_print(&lt__dialect_c, tb_done(b), 1, &text, &need, NULL), LT_OK);
	has(text, "places(const float *in, float *restrict out, int32_t *bits, float *restrict big, float *restrict big2)");
	has(text, "\t\t_Alignas(64) float row[4096];\n");
	has(text, "\t\tfloat maybe;\n");
	has(text, "\t\tout[0] = in[i];\n");
	cr_expect_eq(need.shared, 16448 + 20032);
	has(text,
		"\nvoid places_entry(const struct lt_slot *slot, char *workspace, struct lt_fault *fault, const struct lt_team "
		"*team)\n{\n\t(void)workspace, (void)fault, (void)team;\n\tplaces(");
	cr_expect_eq(strncmp(text + need.definitions, "\nLT_KERNEL_BRANCHES void places(", 32), 0);
	free(text);
	text = print(b, 0);
	has(text, "(void *)(workspace + 0), (void *)(workspace + 16448))");
	free(text);
	free(b);
}

/* Compilers make conditions of few trips some of which may be missing, and memory that is read in conditions is of
 * account. */
Test(cgen, few_trips_that_may_be_missing_are_branches)
{
	static const struct { int64_t outer, inner; const char *bound; bool reads, both, branches; } rows[] = {
		{ 13, 3, "p0 - 3*i0", true, true, true }, { 13, 16, "p0 - 16*i0", true, true, true },
		{ 13, 17, "p0 - 17*i0", true, true, false },    /* too many */
		{ 13, 3, NULL, true, true, false },             /* all are there */
		{ 13, 3, "p0 - 3*i0", false, true, false },     /* nothing is read */
		{ 1, 3, "p0", true, false, false },             /* no loop around, of which it could be a part */
	};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		char *text;
		struct lt_cgen_need need;
		struct tb *b = tb_new("few", 1, 1 + rows[i].both, 0);
		int32_t l = rows[i].both ? tb_loop(b, -1, LT_SERIAL, rows[i].outer, NULL, "j") : -1;
		tb_loop(b, l, LT_SERIAL, rows[i].inner, rows[i].bound, "i");
		int32_t x = tb_buffer(b, "x", LT_F32, LT_INPUT, -1, 400), y = tb_buffer(b, "y", LT_F32, LT_OUTPUT, -1, 400);
		char row[20] = "i0";
		if (rows[i].both)
			(void)snprintf(row, sizeof row, "%d*i0 + i1", (int)rows[i].inner);
		tb_param(b, "p", tb_buffer(b, "p", LT_I64, LT_INPUT, -1, 1), 0, 0, 39);
		tb_stmt(b, LT_MAP, tb_op(b, "copy", LT_F32, LT_F32), l + 1, tb_access(b, y, row), NULL, "y", 1);
		if (rows[i].reads)
			tb_read(b, tb_access(b, x, row));
		else
			tb_imm(b, LT_F32, tb_f(2));
		cr_assert_eq(lt__cgen_print(&lt__dialect_c, tb_done(b), 1, &text, &need, NULL), LT_OK);
		cr_expect_eq(strncmp(text + need.definitions, "\nLT_KERNEL_BRANCHES void few(", 29) == 0,
			rows[i].branches, "row %d: %s", (int)i, text + need.definitions);
		free(text);
		free(b);
	}
}

/* An operand that the operator names twice is not computed twice. */
Test(cgen, operands_are_evaluated_once)
{
	struct tb *b = tb_new("twice", 0, 1, 0);
	int32_t l = tb_loop(b, -1, LT_SERIAL, 3, NULL, "i"), op = tb_op(b, "neg", LT_F32, LT_F32);
	b->op[op].source = "($0 * $0)";
	int32_t in = tb_buffer(b, "in", LT_F32, LT_INPUT, -1, 3), out = tb_buffer(b, "out", LT_F32, LT_OUTPUT, -1, 3);
	tb_stmt(b, LT_MAP, op, l, tb_access(b, out, "i0"), NULL, "v", 0);
	tb_read(b, tb_access(b, in, "i0"));
	tb_stmt(b, LT_MAP, op, l, tb_access(b, out, "i0"), NULL, "w", 0);
	tb_imm(b, LT_F32, tb_f(-2.5));
	tb_stmt(b, LT_MAP, tb_op(b, "neg", LT_F32, LT_F32), l, tb_access(b, out, "i0"), NULL, "x", 0);
	tb_imm(b, LT_F32, tb_f(-2.5));
	char *text = print(b, 1);
	has(text, "const float t0 = in[i];\n");
	has(text, "out[i] = t0 * t0;\n");
	has(text, "out[i] = -(-2.5f);\n");
	free(text);
	free(b);
}

Test(cgen, literals_are_exact)
{
	static const double values[] = { 0.0, 1, 0.5, 0.125, 999999.875, 1e6, 1e-5, 3.14159265358979, 1.0 / 3, 0x1p-149,
		0x1.8p-1022, 0x1p-1074, 1.7976931348623157e308, 0x1.fffffep127 };
	for (int single = 0; single < 2; single++)
		for (size_t i = 0; i < 2 * sizeof values / sizeof *values; i++) {
			double v = i % 2 ? -values[i / 2] : values[i / 2];
			enum lt_dtype t = single ? LT_F32 : LT_F64;
			struct tb *b = tb_new("literal", 0, 0, 0);
			int32_t out = tb_buffer(b, "out", t, LT_OUTPUT, -1, 1);
			v = lt__round_to(tb_f(v), t).f;
			tb_stmt(b, LT_MAP, tb_op(b, "copy", t, t), -1, tb_access(b, out, "0"), NULL, "v", 0);
			tb_imm(b, t, tb_f(v));
			char *text = print(b, 0), *at = strstr(text, "b0[0] = "), *end;
			cr_assert(at != NULL);
			if (isinf(v)) {
				has(at, v < 0 ? "= -INFINITY;" : "= INFINITY;");
			} else {
				double got = single ? (double)strtof(at + 8, &end) : strtod(at + 8, &end);
				cr_expect(got == v && signbit(got) == signbit(v), "%a became %s", v, at);
				cr_expect_eq(*end, single ? 'f' : ';', "the end of %s", at);
			}
			free(text);
			free(b);
		}
}

/* Many vectors are added to one, which is folded once; its rest is folded by itself. */
Test(cgen, lanes_are_folded_behind_their_loop)
{
	struct tb *b = tb_new("sum", 0, 1, 0);
	int32_t l = tb_loop(b, -1, LT_VECTOR, 1003, NULL, "k"), add = tb_op(b, "add", LT_F32, LT_F32);
	int32_t x = tb_buffer(b, "x", LT_F32, LT_INPUT, -1, 1003), y = tb_buffer(b, "y", LT_F32, LT_OUTPUT, -1, 1);
	tb_reset(b, add, -1, tb_access(b, y, "0"), "y", 0);
	tb_stmt(b, LT_COMBINE, add, l, tb_access(b, y, "0"), NULL, "y", 0);
	tb_read(b, tb_access(b, x, "i0"));
	char *text = print(b, 1);
	has(text,
		"\tlt_f32x4 t0 = lt_all_f32x4(0.0f);\n\tfor (int64_t k_from = 0; k_from < 1000; k_from += 4) {\n\t\tt0 "
		"= t0 + (*(const lt_f32x4_u *)(x + k_from));\n\t}\n"
		"\ty[0] = y[0] + lt_fold_add_f32x4(t0);\n\ty[0] = y[0] + lt_fold_add_f32x2(*(const lt_f32x2_u *)(x + "
		"1000));\n\ty[0] += x[1002];\n");
	free(text);
	free(b);
}

Test(cgen, refuses_with_a_reason)
{
	struct diagnostic_keeper k = { .diag = { sizeof k.diag, keep } };
	struct tb *b = tb_product(2, 2, 2);
	tb_done(b);
	b->loop[1].kind = LT_GRID;
	cr_expect_eq(lt__cgen_accepts(&lt__dialect_c, &b->tree, &k.diag), LT_EUNSUPPORTED);
	cr_expect_str_eq(k.text, "loop n: a loop of kind grid cannot be printed in C");
	cr_expect_eq(k.loop, 1);
	b->loop[1].kind = LT_VECTOR;
	cr_expect_eq(lt__cgen_accepts(&lt__dialect_c, &b->tree, &k.diag), LT_OK);
	b->stmt[2].kind = 9;
	cr_expect_eq(lt__cgen_accepts(&lt__dialect_c, &b->tree, &k.diag), LT_EUNSUPPORTED);
	has(k.text, "a statement of kind 9");
	cr_expect_eq(k.stmt, 2);
	b->stmt[2].kind = LT_REDUCE;
	b->buffer[0].depth = 2;         /* the rows have it already */
	cr_expect_eq(lt__cgen_accepts(&lt__dialect_c, &b->tree, &k.diag), LT_OK, "%s", k.text);
	b->buffer[0].depth = 1;
	b->op[1].source = "";
	cr_expect_eq(lt__cgen_accepts(&lt__dialect_c, &b->tree, &k.diag), LT_EUNSUPPORTED);
	cr_expect_str_eq(k.text, "%4.mul: operator mul has no C text");
	b->op[1].source = "($0 * $1)";
	b->tree.needs |= UINT64_C(1) << 40;
	cr_expect_eq(lt__cgen_accepts(&lt__dialect_c, &b->tree, &k.diag), LT_EUNSUPPORTED);
	has(k.text, "bit 40");
	b->tree.needs = 0;
	b->buffer[0].elems = INT64_MAX / 2;
	cr_expect_eq(lt__cgen_accepts(&lt__dialect_c, &b->tree, &k.diag), LT_EOVERFLOW);
	free(b);
}

/* A third party's operator brings its own text. */
Test(cgen, the_tree_may_bring_a_prelude)
{
	struct tb *b = tb_new("own", 0, 0, 0);
	int32_t op = tb_op(b, "neg", LT_F32, LT_F32), out = tb_buffer(b, "out", LT_F32, LT_OUTPUT, -1, 1);
	b->op[op].source = "twice_f32($0)";
	b->tree.prelude = "LT_FN float twice_f32(float x) { return lt_max_f32(x, x) * 2; }";
	tb_stmt(b, LT_MAP, op, -1, tb_access(b, out, "0"), NULL, "v", 0);
	tb_imm(b, LT_F32, tb_f(1));
	char *text = print(b, 1);
	has(text, "out[0] = twice_f32(1.0f);");
	cr_expect(strstr(text, "float lt_max_f32(") < strstr(text, "float twice_f32("));
	lacks(text, "lt_min_f32");
	free(text);
	free(b);
	/* Ours is not put in a second time. */
	static char ours[32768];
	size_t n = lt__cgen_prelude(ours, sizeof ours);
	cr_assert(n < sizeof ours && n == strlen(ours) && lt__cgen_prelude(NULL, 0) == n);
	has(ours, "LT_FN float lt_max_f32(float a, float b)");
	lacks(ours, "#include");
	b = tb_product(2, 2, 2);
	char *without = print(b, 0);
	b->tree.prelude = ours;
	text = print(b, 0);
	cr_expect_str_eq(text, without);
	free(text);
	free(without);
	free(b);
}

/* The functions themselves, beside the table's own arithmetic.  (Casts: test_backend.c, through a compiler.) */
Test(cgen, prelude_functions)
{
	static const int64_t ints[] = { INT32_MIN, INT32_MIN + 1, -7, -1, 0, 1, 2, 7, INT32_MAX };
	static const double floats[] = { -INFINITY, -7.5, -1, -0.25, 0, 0.25, 3, 7.5, INFINITY, NAN };
	enum { NI = sizeof ints / sizeof *ints, NF = sizeof floats / sizeof *floats };
	for (int i = 0; i < NI * NI; i++) {
		union lt_scalar x[2] = { tb_i(ints[i / NI]), tb_i(ints[i % NI]) };
		int32_t a = (int32_t)x[0].i, c = (int32_t)x[1].i;
		cr_expect_eq(lt_floordiv_i32(a, c), lt__round_to(lt__op_value(LT_OP_div, LT_CLASS_INT, x), LT_I32).i);
		cr_expect_eq(lt_mod_i32(a, c), lt__op_value(LT_OP_mod, LT_CLASS_INT, x).i);
		cr_expect_eq(lt_min_i32(a, c), lt__op_value(LT_OP_min, LT_CLASS_INT, x).i);
		cr_expect_eq(lt_abs_i32(a), lt__round_to(lt__op_value(LT_OP_abs, LT_CLASS_INT, x), LT_I32).i);
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
			double want = lt__op_value(ops[o], LT_CLASS_FLOAT, x).f;
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
