/* test_kernel_text.c -- the text of kernel programs: it prints, parses and prints the same; what is wrong in it
 * is said with line and column; no text crashes the parser or takes it longer than its length. */
#include <criterion/criterion.h>
#include <locale.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include "kernel/form/form.h"
#include "tests/call_kernel.h"
#include "tests/grid_kernel.h"
#include "tests/kernel_text.h"
#include "tests/random_kernel.h"

TestSuite(kernel_text, .timeout = 120);

static void expect_round_trip(const struct lt_kernel *k, const char *what)
{
	struct kernel_text first = { 0 }, second = { 0 };
	struct lt_kernel *again = NULL;
	lt_kernel_print(k, kernel_text_add, &first);
	lt_status status = kernel_parse(first.at, first.n, &again);
	cr_assert_eq(status, LT_OK, "%s: %s\n%s", what, kernel_message, first.at);
	lt_kernel_print(again, kernel_text_add, &second);
	cr_assert_str_eq(first.at, second.at, "%s", what);
	lt_kernel_free(again);
	free(first.at);
	free(second.at);
}

/* Programs of all opcodes, and how often each was there. */
Test(kernel_text, random_programs_come_back)
{
	static int seen[LT_NOPCODE];
	const uint64_t seed = 1;
	for (uint64_t i = 0; i < 400; i++) {
		char what[64];
		unsigned flags = (unsigned)(i & 7);
		struct lt_kernel *k = random_kernel(seed + i, flags);
		(void)snprintf(what, sizeof what, "random_kernel(%llu, %u)", (unsigned long long)(seed + i), flags);
		cr_assert_not_null(k);
		if (kernel_verify(k)) {
			struct kernel_text text = { 0 };
			lt_kernel_print(k, kernel_text_add, &text);
			cr_assert_fail("%s: %s\n%s", what, kernel_message, text.at);
		}
		expect_round_trip(k, what);
		for (uint32_t at = 0; at < k->n_instruction; at++)
			seen[k->instructions[at].opcode]++;
		lt_kernel_free(k);
	}
	static const char *const others[] = { grid_kernel, call_kernel };       /* what random programs do not have */
	for (int i = 0; i < 2; i++) {
		struct lt_kernel *k = NULL;
		cr_assert_eq(kernel_parse(others[i], strlen(others[i]), &k), LT_OK, "%s", kernel_message);
		for (uint32_t at = 0; at < k->n_instruction; at++)
			seen[k->instructions[at].opcode]++;
		lt_kernel_free(k);
	}
	for (uint32_t opcode = 0; opcode < LT_NOPCODE; opcode++)
		cr_expect(!lt_opcode_name(opcode) || seen[opcode], "no program has %s", lt_opcode_name(opcode));
}

/* Every opcode of both maps has a row, by its own name. */
Test(kernel_text, opcodes_have_names)
{
#define ROW(name, ...) \
	cr_expect_str_eq(lt_opcode_name(LT_OPCODE_##name), #name); \
	cr_expect_eq(lt__opcode_find(#name, strlen(#name)), LT_OPCODE_##name);
	LT_OPERATOR_MAP(ROW)
	LT_MACHINE_MAP(ROW)
	cr_expect_null(lt_opcode_name(0));
	cr_expect_null(lt_opcode_name(LT_NOPCODE));
	cr_expect_null(lt_opcode_name(UINT32_MAX));
	cr_expect_eq(lt__opcode_find("ad", 2), -1);
}

/* docs/kernel.md has every opcode: operators in one table, the machine's with what the header says of them. */
Test(kernel_text, opcodes_are_documented)
{
	struct kernel_text page = { 0 };
	char some[4096], row[400];
	FILE *f = fopen("docs/kernel.md", "r");
	cr_assert_not_null(f);
	for (size_t n; (n = fread(some, 1, sizeof some, f)) > 0; )
		kernel_text_add(&page, some, n);
	(void)fclose(f);
	for (uint32_t opcode = 0; opcode < LT_NOPCODE; opcode++) {
		const struct lt_opcode_facts *x = lt__opcode(opcode);
		if (!x)
			continue;
		bool machine = opcode >= LT_OPCODE_const;
		(void)snprintf(row, sizeof row, machine ? "\n| %u | `" : "`", (unsigned)opcode);
		(void)snprintf(row + strlen(row), sizeof row - strlen(row), machine ? "%s" : "%s`", x->name);
		const char *at = strstr(page.at, row), *end = at ? strchr(at + 1, '\n') : NULL;
		size_t n = strlen(x->doc);
		cr_expect(at && (!machine || (end - at > (ptrdiff_t)n + 4 && memcmp(end - n - 2, x->doc, n) == 0)),
			"docs/kernel.md has no row for %s", x->name);
	}
	free(page.at);
}

#define HEAD "kernel 1\nname k\nworkspace 0 thread 0\nbuffer y f32[8] slot 0 align 4 exclusive written\n" \
	"buffer d f64[8] slot 1 align 8 exclusive written\nbuffer h f16[8] slot 2 align 2 exclusive written\n" \
	"buffer i i8[8] slot 3 align 8 exclusive written\nbuffer l i64[8] slot 4 align 8 exclusive written\n" \
	"buffer b bool[8] slot 5 align 8 exclusive written\n"
#define BODY "region host\n\tstore d[0] 1\n\tstore h[0] 0x3c00\n\tstore i[0] -128\n" \
	"\tstore l[0] -9223372036854775808\n\tstore b[0] 1\n\tstore y[0] "

/* A constant, and how it is printed. */
static const struct { const char *given, *printed; } constants[] = {
	{ "0", "0" }, { "-0", "-0" }, { "0.1", "0.100000001" }, { "inf", "inf" }, { "-inf", "-inf" },
	{ "nan:0x7fc00001", "nan:0x7fc00001" }, { "0xff800001", "nan:0xff800001" }, { "0x3f800000", "1" },
	{ "1e-45", "1.40129846e-45" }, { "16777217", "16777216" }, { "3.4028234e38", "3.40282347e+38" },
};
Test(kernel_text, constants_keep_their_bits)
{
	static const char *const locales[] = { "C", "de_DE.UTF-8", "fr_FR.UTF-8" };
	for (size_t i = 0; i < 3 * sizeof constants / sizeof *constants; i++) {
		char text[1024];
		struct lt_kernel *k = NULL;
		struct kernel_text printed = { 0 };
		(void)setlocale(LC_ALL, locales[i % 3]);
		(void)snprintf(text, sizeof text, HEAD BODY "%s\n", constants[i / 3].given);
		cr_assert_eq(kernel_parse(text, strlen(text), &k), LT_OK, "%s", kernel_message);
		expect_round_trip(k, constants[i / 3].given);
		lt_kernel_print(k, kernel_text_add, &printed);
		const char *last = strstr(printed.at, "store y[0] ");
		(void)snprintf(text, sizeof text, "store y[0] %s\n", constants[i / 3].printed);
		cr_expect_str_eq(last, text);
		lt_kernel_free(k);
		free(printed.at);
	}
}

/* Forms that a person may write, and the printer does not. */
Test(kernel_text, what_people_write)
{
	static const char text[] = "# a comment\n\nkernel 1   # another\r\nname k\n"
		"buffer f32 f32[8] slot 3 align 4 exclusive written\n"
		"region host\n%sum.1 = neg i64 3\nloop %i from 0 to %sum.1\n"
		"store f32 f32[%i + 0] 1\n store f32[%i] 2\nstore f32x2 f32[0] 2\nend\n";
	struct lt_kernel *k = NULL;
	cr_assert_eq(kernel_parse(text, sizeof text - 1, &k), LT_OK, "%s", kernel_message);
	cr_expect_eq(k->n_slot, 4);
	expect_round_trip(k, "by hand");
	struct kernel_text printed = { 0 };
	lt_kernel_print(k, kernel_text_add, &printed);
	cr_expect_str_eq(strstr(printed.at, "region"), "region host\n\t%0 = neg i64 3\n\tloop %1 from 0 to %0\n"
		"\t\tstore f32[%1] 1\n\t\tstore f32[%1] 2\n\t\tstore f32x2 f32[0] 2\n\tend\n");
	lt_kernel_free(k);
	free(printed.at);
}

#define SMALL "kernel 1\nname k\nbuffer y f32[8] slot 0 align 4 exclusive written\nvariable s f32\nregion host\n"

/* A text behind SMALL (line 6 is its first), or a whole one, and the message. */
static const struct { const char *text, *message; } mistakes[] = {
	{ "!", "kernel:1:1: a kernel program begins with the line `kernel 1`, not with the end of the text" },
	{ "!kernel 2\n", "kernel:1:8: a kernel program begins with the line `kernel 1`, not with '2'" },
	{ "!kernel 1\nname k\n", "kernel:3:1: the text has no `region host`, where a program begins" },
	{ "!kernel 1\nregion host\n", "kernel:3:1: the program has no name; add a line such as `name softmax`" },
	{ "!kernel 1\nbufer x\n", "kernel:2:1: expected a line that begins with name, workspace, prelude, operator, buffer, "
		"variable, param, matrix, call or region, found 'bufer'" },
	{ "!kernel 1\nbuffer x f32[0]", "kernel:2:14: expected how many elements, a whole number from 1 to "
		"9223372036854775807, found '0'" },
	{ "!kernel 1\nbuffer x f32x4[2]", "kernel:2:10: expected the type of one element, such as f32" },
	{ "!kernel 1\nvariable x f32\nvariable x f32", "kernel:3:10: 'x' is declared twice; all names are "
		"different" },
	{ "!kernel 1\nvariable x f32x65", "kernel:2:12: 'f32x65' has a number of lanes that is not from 1 to 64" },
	{ "!kernel 1\nvariable x f32x1000000000", "kernel:2:12: 'f32x1000000000' has a number of lanes" },
	{ "!kernel 1\nprelude \"a\\q\"", "kernel:2:9: a text has a byte 0 or an escape other than" },
	{ "!kernel 1\nprelude \"a", "kernel:2:9: expected C text between quotes, found a text without its closing quote" },
	{ "!kernel 1\nparam p buffer y element 0 range 0..1", "kernel:2:16: expected the name of a buffer that a line above "
		"declares, found 'y'" },
	{ "\tad f32 1 2\n", "kernel:6:2: expected an instruction, found 'ad'; did you mean 'add'?" },
	{ "\tadd f32 1 2\n", "kernel:6:2: 'add' makes a value: write %NAME = add ..." },
	{ "\t%0 = set s 1\n", "kernel:6:7: 'set' makes no value; write no %0 = before it" },
	{ "\t%0 = loop %1 from 0 to 2\n", "kernel:6:7: 'loop' names its value itself; write no %0 = before it" },
	{ "\t%0 = const f32 1\n", "kernel:6:7: a constant is written where it is used: `add i64 %0 4`" },
	{ "\t%0 = add f32 %1 2\n", "kernel:6:15: no line above in this region makes '%1'" },
	{ "\t%0 = add f32 1 2\n\t%0 = add f32 1 2\n", "kernel:7:2: '%0' is made twice in this region" },
	{ "\t%0 = add f32 1 2\n\t%1 = add i32 %0 2\n", "kernel:7:15: '%0' is f32; i32 is needed here" },
	{ "\t%0 = add f16 1 2\n", "kernel:6:11: 'add' does not exist for type f16" },
	{ "\t%0 = add i8 1 2\n", "kernel:6:11: 'add' does not exist for type i8" },
	{ "\t%0 = add i32 1 2147483648\n", "kernel:6:17: expected a value such as %0 or a constant of type i32" },
	{ "\t%0 = add f32 1 1e39\n", "kernel:6:17: expected a value such as %0 or a constant of type f32" },
	{ "\t%0 = cast f16 from f16 1\n", "kernel:6:25: expected a value such as %0 or a constant of type f16 (its bits: "
		"0x3c00), found '1'" },
	{ "\t%0 = cast f32x2 from i32 1\n", "kernel:6:23: f32x2 from i32: both have as many lanes" },
	{ "\t%0 = load f32 z[0]\n", "kernel:6:16: expected the name of a buffer that a line above the regions declares" },
	{ "\t%0 = load f32 s[0]\n", "kernel:6:16: expected the name of a buffer, found 's', which is a variable" },
	{ "\t%0 = load i32 y[0]\n", "kernel:6:16: the buffer's elements are f32, not i32" },
	{ "\t%0 = load f32 y[%9]\n", "kernel:6:18: no line above in this region makes '%9'" },
	{ "\tstore y[0] 1 @-1\n", "kernel:6:16: expected what it comes from, a whole number from 0 to 2147483647" },
	{ "\tstore y[0] 1 2\n", "kernel:6:15: the line should end here, not go on with '2'" },
	{ "\tend\n", "kernel:6:2: this 'end' ends nothing: no loop and no if is open" },
	{ "\telse\n", "kernel:6:2: 'else' without an 'if' that is open: the block here is the region" },
	{ "\tif 0x1\n\telse\n\telse\n", "kernel:8:2: 'else' without an 'if' that is open: the block here is an else" },
	{ "\tif 0x1\n", "kernel:6:2: this 'if' has no 'end'" },
	{ "\tif 0x2\n\tend\n", "kernel:6:5: expected a value such as %0 or a constant of type mask (a bit for each lane: "
		"0x1), found '0x2'" },
	{ "region host\n", "kernel:6:8: there is one host region, and it is the first" },
	{ "region team 2\n", "kernel:6:13: regions are numbered in their order; this one is 1" },
	{ "\tupdate s sin 1\n", "kernel:6:11: expected an operator of two operands such as add or max, found 'sin'" },
	{ "\t%0 = each f32 select 1\n",
		"kernel:6:16: expected an operator of one or two operands such as sin or pow, found 'select'" },
	{ "\t%0 = convert f16 from f32 1\n", "kernel:6:15: 'convert' does not exist for type f16" },
	{ "\t%0 = text f32 0 1\n", "kernel:6:16: there is no operator 0; 0 are declared, from 0 on" },
	{ "\t%0 = shuffle f32x2 1 2 (0 1)\n", "kernel:6:28: expected ',', found '1'" },
	{ "\t%0 = load f32 y[1 + -1]\n", "kernel:6:22: expected what is added to the address, a number such as 0x1f" },
	{ "\tprefetch f32x4 y[0]\n",
		"kernel:6:2: a prefetch without index and mask is of one address; leave out the type" },
	{ "\tstor y[0] 1\n", "kernel:6:2: expected an instruction, found 'stor'; did you mean 'store'?" },
	{ "\tabracadabra\n", "kernel:6:2: expected an instruction, found 'abracadabra'; docs/kernel.md lists them" },
	{ "\t\1\n", "kernel:6:2: expected an instruction, found '?'" },
};
Test(kernel_text, mistakes_are_said)
{
	for (size_t i = 0; i < sizeof mistakes / sizeof *mistakes; i++) {
		char text[1024];
		struct lt_kernel *k = NULL;
		bool whole = *mistakes[i].text == '!';
		(void)snprintf(text, sizeof text, "%s%s", whole ? "" : SMALL, mistakes[i].text + whole);
		cr_expect_neq(kernel_parse(text, strlen(text), &k), LT_OK, "%s", text);
		cr_expect_null(k);
		cr_expect(strncmp(kernel_message, mistakes[i].message, strlen(mistakes[i].message)) == 0,
			"\n%s\nsays %s\nnot  %s", text, kernel_message, mistakes[i].message);
	}
}

/* Any change of a text is read, or refused with a place: with a sanitizer, nothing else happens. */
Test(kernel_text, mutations_never_crash)
{
	static const char *const words[] = { "%0", "%99", "[", "]", "(", ")", ",", "=", "@", "-", "+", "f32", "maskx64",
		"i64x0", "end", "else", "loop", "if", "0x", "9223372036854775808", "-1", "1e999", "\"", "\\", "region team 1\n", "\n",
		"by", "at", "mask", "from", "to", "step", "..", "\xff" };
	const uint64_t seed = 1;
	uint64_t state = seed;
	int taken = 0, n_trial = 0;
	for (uint64_t i = 0; i < 40; i++) {
		struct kernel_text text = { 0 };
		struct lt_kernel *k = random_kernel(seed + i, (unsigned)(i & 7));
		lt_kernel_print(k, kernel_text_add, &text);
		lt_kernel_free(k);
		for (int trial = 0; trial < 60; trial++, n_trial++) {
			size_t n = text.n, at = 0;
			char *copy = malloc(n + 64);
			memcpy(copy, text.at, n);
			for (int edit = 0; edit < 1 + trial % 3; edit++) {
				state = state * UINT64_C(6364136223846793005) + 1442695040888963407u;
				at = (size_t)(state >> 33) % n;
				const char *word = words[(state >> 20) % (sizeof words / sizeof *words)];
				if (state >> 10 & 1) {
					copy[at] = (char)(state >> 40);
				} else if (state >> 11 & 1) {
					size_t cut = (size_t)(state >> 50) % 20;
					cut = cut < n - at ? cut : n - at - 1;
					memmove(copy + at, copy + at + cut, n - at - cut);
					n -= cut;
				} else if (n + strlen(word) < text.n + 64) {
					memmove(copy + at + strlen(word), copy + at, n - at);
					memcpy(copy + at, word, strlen(word));
					n += strlen(word);
				}
			}
			char *exact = malloc(n);                /* a byte that is read behind it is found */
			memcpy(exact, copy, n);
			k = NULL;
			if (!kernel_parse(exact, n, &k)) {
				expect_round_trip(k, "a mutation");
				taken++;
			} else {
				cr_assert_null(k);
				cr_assert(strncmp(kernel_message, "kernel:", 7) == 0, "%s", kernel_message);
			}
			lt_kernel_free(k);
			free(exact);
			free(copy);
		}
		free(text.at);
	}
	cr_expect(taken > n_trial / 400 && taken < n_trial, "%d of %d are taken: the mutations are no test", taken, n_trial);
}

static double seconds_of(const char *line, int n, const char *line_end)
{
	struct kernel_text text = { 0 };
	struct timespec a, b;
	struct lt_kernel *k = NULL;
	char some[128];
	kernel_text_add(&text, SMALL, strlen(SMALL));
	for (int half = 0; half < 2; half++)
		for (int i = 0; i < n; i++) {
			int bytes = snprintf(some, sizeof some, half ? line_end : line, i, i);
			kernel_text_add(&text, some, (size_t)bytes);
		}
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &a);
	(void)kernel_parse(text.at, text.n, &k);
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &b);
	lt_kernel_free(k);
	free(text.at);
	return (double)(b.tv_sec - a.tv_sec) + (double)(b.tv_nsec - a.tv_nsec) / 1e9;
}

/* Changes of many variables in loops in one another are listed once, and not for each loop: that was 1.3 GB. */
Test(kernel_text, memory_grows_with_the_text)
{
	enum { LOOPS = 999, VARIABLES = 20000 };
	struct kernel_text text = { 0 };
	struct rusage before, after;
	struct lt_kernel *k = NULL;
	char some[64];
	kernel_text_add(&text, "kernel 1\nname k\n", 16);
	for (int i = 0; i < VARIABLES; i++)
		kernel_text_add(&text, some, (size_t)snprintf(some, sizeof some, "variable v%d f32\n", i));
	kernel_text_add(&text, "region host\n", 12);
	for (int i = 0; i < LOOPS; i++)
		kernel_text_add(&text, some, (size_t)snprintf(some, sizeof some, "loop %%l%d from 0 to 2\n", i));
	for (int i = 0; i < VARIABLES; i++)
		kernel_text_add(&text, some, (size_t)snprintf(some, sizeof some, "variable v%d\nset v%d 1\n", i, i));
	for (int i = 0; i < LOOPS; i++)
		kernel_text_add(&text, "end\n", 4);
	cr_assert_eq(getrusage(RUSAGE_SELF, &before), 0);
	cr_assert_eq(kernel_parse(text.at, text.n, &k), LT_OK, "%s", kernel_message);
	cr_assert_eq(getrusage(RUSAGE_SELF, &after), 0);
	cr_expect_lt(after.ru_maxrss - before.ru_maxrss, 300 * 1024, "%ld KB for %zu bytes",
		after.ru_maxrss - before.ru_maxrss, text.n);
	lt_kernel_free(k);
	free(text.at);
}

/* Texts that would be slow if anything were looked for by walking: four times the text takes about four times as
 * long. */
Test(kernel_text, time_grows_with_the_text)
{
	static const struct { const char *line, *end; int n; } cases[] = {
		{ "%%v%d = add f32 1 2\n", "", 20000 },
		{ "loop %%v%d from 0 to 2\nset s 1\nupdate s add 1\n", "end\n", 900 },
		{ "if 0x1\nset s 1\nelse\nset s 2\nend\n%%g%d = get s\n", "", 10000 },
		{ "launch 1000000000 %d ()\n", "", 20000 },
		{ "store y[0] 1\n", "", 40000 },
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		double one = 1e9, four = 1e9;
		for (int try = 0; try < 5 && !(four < 10 * one + 0.02); try++) {
			double a = seconds_of(cases[i].line, cases[i].n / 4, cases[i].end);
			double b = seconds_of(cases[i].line, cases[i].n, cases[i].end);
			one = try && one < a ? one : a;
			four = try && four < b ? four : b;
		}
		cr_expect(four < 10 * one + 0.02, "%s: %g s, four times as much: %g s", cases[i].line, one, four);
	}
}
