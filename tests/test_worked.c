/* test_worked.c -- the order of a large product in tiles, built by primitives: its structure, its proof, its
 * numbers, its registers. */
#include <criterion/criterion.h>
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "looptree/legality/legality.h"
#include "tests/ltrun.h"
#include "tests/derived_trees.h"
#include "tests/tree_marked.h"
#include "tests/tree_text.h"

TestSuite(worked, .init = ltrun_set_up, .fini = ltrun_tear_down, .timeout = 300);

enum { ROWS = 6, VECTORS = 4 };
static const char steps[] =
	"split m 84; split m' 6; split n 64; split n' 16; split k 512; reorder m n k m' k' m'' n' n''; rfactor %c k; "
	"tail m peel; tail m' peel; tail n pad; parallel m; stage %p %b at k; split %b.copy/n' 16; vectorize "
	"%b.copy/n''; unroll %p/m''; unroll %p/n'; vectorize %p/n''; unroll %c/m''; unroll %c/n'; vectorize %c/n''";
static const char want[] = "own %c.part = partial %c over k step 512 as k_512\nown %b.copy = copy %b for %p\n"
	"m step 84 parallel  tail peel\n"
	" n step 64  tail pad\n"
	"  k step 512\n"
	"   k'\n"
	"    n' step 16\n"
	"     n'' vector\n"
	"      %b.copy\n"
	"   m' step 6  tail peel\n"
	"    k'\n"
	"     m'' unroll\n"
	"      n' step 16 unroll\n"
	"       n'' vector\n"
	"        %p\n"
	"        %c.part\n"
	"    m'' unroll\n"
	"     n' step 16 unroll\n"
	"      n'' vector\n"
	"       %c\n";

/* The plain product of that size; *text: of its graph. */
static struct derived_case product(int m, int k, int n, char *text, size_t bytes)
{
	(void)snprintf(text, bytes,
		"graph 1\nvar m %d\nvar k %d\nvar n %d\n%%a = f32[m, k] input \"a\"\n%%b = f32[k, n] input \"b\"\n"
		"%%p = f32[m, n, k] mul %%a, %%b\n%%c = f32[m, n] add.reduce %%p\nresult \"c\" = %%c\n",
		m, k, n);
	return derived_open_text(text, "m\n n\n  k\n   %p\n   %c\n");
}

static double seconds(void)
{
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* Built by primitives, each of which is proven; the structure as it is drawn; the whole proof again, without the short
 * cut. */
Test(worked, is_built_and_proven)
{
	char text[400];
	struct derived_case p = product(1021, 1023, 1025, text, sizeof text);
	struct lt_looptree *t;
	struct run_text marks = { NULL, 0 };
	double begin = seconds();
	cr_assert_eq(derived_apply(&p, steps, &t), LT_OK, "%s", lt_context_message(p.ctx));
	double built = seconds();
	tree_marks(t, &marks);
	cr_expect_str_eq(marks.at, want);
	double printed = seconds();
	cr_expect_eq(lt__prove_tree(t), LT_OK, "%s", lt_context_message(p.ctx));
	double proven = seconds();
	cr_expect_eq(lt_looptree_verify(t), LT_OK, "%s", lt_context_message(p.ctx));
	double verified = seconds();
	cr_log_warn(
		"1021x1023x1025: %.1f ms for all steps, %.1f ms for the exact proof of the whole, %.1f ms for verify",
		(built - begin) * 1e3, (proven - printed) * 1e3, (verified - proven) * 1e3);
	derived_expect_text(&p, t, steps);
	run_text_free(&marks);
	lt_looptree_free(t);
	derived_close(&p);
}

/* Rests of 7 = 6 + 1 rows, 3 columns and 11 terms. */
Test(worked, computes_the_product)
{
	char text[400];
	struct derived_case p = product(91, 523, 67, text, sizeof text);
	struct lt_looptree *t;
	cr_assert_eq(derived_apply(&p, steps, &t), LT_OK, "%s", lt_context_message(p.ctx));
	derived_expect_run(&p, t, "cpu", false, steps);
	lt_looptree_free(t);
	derived_close(&p);
}

/* -- registers -- */

struct body { const char *at, *end; };
struct count { int fma, accumulators, stack; };

/* The next loop without a label inside: from a label to the first jump back to it. */
static bool next_loop(const char **from, struct body *out)
{
	for (const char *line = *from; line && *line; line = strchr(line, '\n'), line = line ? line + 1 : NULL) {
		char label[40];
		int bytes = 0;
		if (sscanf(line, "%30[.L0123456789]:%n", label, &bytes) != 1 || bytes == 0 || strncmp(label, ".L", 2) != 0)
			continue;
		for (const char *at = strchr(line, '\n'); at; at = strchr(at, '\n')) {
			char word[40], target[40];
			if (*++at == '.' && at[1] == 'L')
				break;
			if (sscanf(at, " %30s %30s", word, target) != 2 || *word != 'j')
				continue;
			if (strcmp(target, label) != 0)
				break;
			*out = (struct body){ line, at };
			*from = at;
			return true;
		}
	}
	return false;
}

static struct count count_loop(const struct body *b)
{
	struct count c = { 0 };
	bool seen[32] = { false };
	for (const char *line = b->at; line < b->end; line = strchr(line, '\n') + 1) {
		char text[200];
		(void)snprintf(text, sizeof text, "%.*s", (int)strcspn(line, "\n#"), line);
		const char *last = NULL;
		for (const char *at = strstr(text, "%zmm"); at; at = strstr(at + 1, "%zmm"))
			last = at;
		c.stack += last && (strstr(text, "(%rsp") || strstr(text, "(%rbp"));
		if (!last || !strstr(text, "vfmadd"))
			continue;
		int reg = isdigit((unsigned char)last[4]) ? atoi(last + 4) : -1;
		cr_assert(reg >= 0 && reg < 32, "%s", text);
		c.fma++;
		c.accumulators += !seen[reg];
		seen[reg] = true;
	}
	return c;
}

/* The register tile's loop over the terms of a block: a sum for each of 6 rows by 4 vectors, all in registers, and each
 * added to once. */
Test(worked, sums_stay_in_registers)
{
	char text[400];
	struct derived_case p = product(1021, 1023, 1025, text, sizeof text);
	struct lt_looptree *t;
	int tiles = 0, others = 0;
	cr_assert_eq(derived_apply(&p, steps, &t), LT_OK, "%s", lt_context_message(p.ctx));
	struct run_text tree = tree_print(t);
	ltrun_write_text("w.graph", text);
	ltrun_write_text("w.tree", tree.at);
	cr_assert_eq(ltrun("--dump=asm -b cpu w.graph --schedule=w.tree"), 0, "%s", ltrun_err);
	if (!strstr(ltrun_out, "%zmm")) {
		cr_log_warn("the compiler has no 64-byte registers for this machine, so that a tile of 6 rows by 4 "
			    "vectors is not held in registers");
	} else {
		const char *from = ltrun_out;
		for (struct body b; next_loop(&from, &b);) {
			struct count c = count_loop(&b);
			cr_expect(c.fma == 0 || c.stack == 0, "%d accesses to the stack in\n%.*s", c.stack, (int)(b.end - b.at), b.at);
			cr_expect_eq(c.accumulators, c.fma, "%.*s", (int)(b.end - b.at), b.at);
			tiles += c.fma == ROWS * VECTORS;
			others += c.fma > 0 && c.fma != ROWS * VECTORS;
		}
		cr_expect_geq(tiles, 1, "no loop has %d sums", ROWS * VECTORS);
		cr_expect_leq(others, 2, "%d loops have other numbers of sums; the rest of the rows needs one", others);
	}
	run_text_free(&tree);
	lt_looptree_free(t);
	derived_close(&p);
}
