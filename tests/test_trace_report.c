/* test_trace_report.c -- the plug-in trace: what it refuses, and where its report goes. */
#include <criterion/criterion.h>
#include "tests/built.h"
#include "tests/traced.h"
#include "tests/treerun.h"

static void setup(void) { (void)traced_backend(); }
TestSuite(trace_report, .init = setup, .fini = scratch_remove, .timeout = 120);

Test(trace_report, bad_options_have_a_sentence)
{
	static const struct { const char *config, *text, *remedy; } cases[] = {
		{ "L1", "the option L1 has no value", "write L1=SIZE/WAYS/LINE" },
		{ "L4=1m/8/64", "unknown option 'L4=1m'", "there is L1=SIZE/WAYS/LINE, L2=" },
		{ "L1=32k", "'L1=32k' is not a size, a number of ways and a size of lines", "write it as L1=32k/8/64" },
		{ "L1=32k/8", "'L1=32k/8' is not a size", "write it as" },
		{ "L1=32k/8/64/2", "is not a size", "write it as" },
		{ "L1=0/8/64", "is not a size", "write it as" },
		{ "L1=32x/8/64", "is not a size", "write it as" },
		{ "L1=-1/8/64", "is not a size", "write it as" },
		{ "L1=32k/8/48", "lines of 48 bytes are no power of two from 8 to 4096", "take 64" },
		{ "L1=32k/8/4", "lines of 4 bytes are no power of two", "take 64" },
		{ "L1=32k/7/64", "7 ways with lines of 64 bytes do not divide 32768 bytes", "take a size that they divide" },
		{ "L2=1m/8/64", "'L2=1m/8/64' is no level behind 0 others", "begin with L1" },
		{ "L1=32k/8/64/L3=1m/8/64", "'L3=1m/8/64' is no level behind 1 others", "begin with L1" },
		{ "L1=32k/8/64/L1=64k/8/64", "the option L1 is given twice", "leave one" },
		{ "L1=32k/8/64/L2=32k/8/64", "'L2=32k/8/64' does not fit behind the level before it", "give each level" },
		{ "L1=32k/8/64;L2=1m/8/128", "does not fit behind", "give each level the same lines" },
		{ "file=", "the option file has no value", "write file=PATH" },
		{ "file=/dev/null/folder/x", "/dev/null/folder/x cannot be written: Not a directory", "" },
	};
	const struct lt_backend *b = traced_backend();
	const struct lt_host host = { .size = sizeof host };
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct keeper k = keeper_new();
		struct lt_session *s = (struct lt_session *)(void *)&k;
		bool is_word = strncmp(cases[i].config, "file=/", 6) != 0;
		cr_expect_eq(b->open(&host, cases[i].config, &s, &k.diag), is_word ? LT_EINVAL : LT_EIO, "%s", cases[i].config);
		cr_expect(s == NULL && k.n == 1);
		cr_expect(strstr(k.text, cases[i].text) && strstr(k.remedy, cases[i].remedy), "%s: %s; %s",
			cases[i].config, k.text, k.remedy);
		cr_expect_eq(b->open(&host, cases[i].config, &s, NULL), is_word ? LT_EINVAL : LT_EIO);
		cr_expect_eq(b->score(cases[i].config, NULL) == 0, is_word);
	}
	struct keeper k = keeper_new();
	cr_expect_gt(b->score("L1=48k/12/64;L2=2m/16/64;L3=36m/12/64", &k.diag), 0, "%s", k.text);
	cr_expect_gt(b->score(NULL, NULL), 0);
}

static struct tb *small_tree(void)
{
	struct tb *b = tb_new("small", 0, 1, 0);
	int32_t l = tb_loop(b, -1, LT_SERIAL, 4, NULL, "i"), x = tb_buffer(b, "x", LT_F32, LT_INPUT, -1, 4),
		y = tb_buffer(b, "y", LT_F32, LT_OUTPUT, -1, 4);
	tb_stmt(b, LT_MAP, tb_op(b, "exp", LT_F32, LT_F32), l, tb_access(b, y, "i0"), NULL, "y", 1);
	tb_read(b, tb_access(b, x, "i0"));
	return b;
}

static void expect_refused(struct tb *b, const char *text, const char *remedy)
{
	const struct lt_backend *t = traced_backend();
	const struct lt_host host = { .size = sizeof host };
	const struct lt_tree *tree = tb_done(b);
	struct keeper k = keeper_new();
	struct lt_session *s;
	struct lt_object *object = (struct lt_object *)(void *)&k;
	cr_assert_eq(t->open(&host, "", &s, &k.diag), LT_OK);
	cr_expect_eq(t->accepts(s, tree, &k.diag), LT_EUNSUPPORTED);
	cr_expect(strstr(k.text, text) && strstr(k.remedy, remedy), "%s; %s", k.text, k.remedy);
	cr_expect_eq(t->compile(s, &tree, 1, &object, NULL), LT_EUNSUPPORTED);
	cr_expect_null(object);
	t->close(s);
	free(b);
}

Test(trace_report, what_it_does_not_know_is_refused)
{
	struct tb *b = small_tree();
	b->op[0].name = "lgamma";
	expect_refused(b, "%y: it knows no operator 'lgamma' of these types", "");
	b = small_tree();
	b->op[0].in[0] = b->op[0].out = LT_I32;
	expect_refused(b, "%y: it knows no operator 'exp' of these types", "");
	b = small_tree();
	b->stmt[0].kind = 9;
	expect_refused(b, "%y is a statement of kind 9, which it does not know", "");
	b = small_tree();
	b->tree.needs = 128;
	expect_refused(b, "the tree needs a feature (bit 7) that it does not know", "");
}

static void add_text(void *user, const char *text, size_t bytes)
{
	char *to = user;
	size_t n = strlen(to);
	(void)snprintf(to + n, 200 - n, "%.*s", (int)bytes, text);
}

Test(trace_report, wrong_calls_have_a_sentence)
{
	struct tb *b = small_tree();
	struct bench n;
	char text[200] = "";
	open_bench_with(&n, "trace", "file=/dev/null", b);
	cr_expect_eq(n.backend->dump(n.object, LT_DUMP_SOURCE, add_text, text), LT_EUNSUPPORTED);
	cr_expect_str_eq(text, "it makes no code; a run makes its report");
	cr_expect_eq(run(&n, 1), LT_EINVAL);
	cr_expect_str_eq(n.k.text, "kernel small takes 2 buffers and a workspace; 1 were given");
	n.slot[1].bytes = 15;
	struct lt_args args = {
		.size = sizeof args, .n_slot = 2, .slot = n.slot, .workspace = n.workspace, .fault = &n.fault
	};
	cr_expect_eq(n.backend->run(n.object, &args, &n.k.diag), LT_EINVAL);
	cr_expect_str_eq(n.k.text, "kernel small: buffer y has 15 bytes and needs 16");
	cr_expect_eq(n.backend->run(n.object, &args, NULL), LT_EINVAL);
	n.slot[1].bytes = 16;
	cr_expect_eq(run(&n, 2), LT_OK, "%s", n.k.text);
	b->buffer[0].elems = 3;                 /* a tree that names an element beyond its buffer */
	cr_expect_eq(run(&n, 2), LT_EILLEGAL);
	cr_expect_str_eq(n.k.text, "kernel small, statement 0: element 3 of buffer x, which has 3");
	b->buffer[0].elems = 4;
	close_bench(&n);
	free(b);
}

/* -- where the report goes -- */

struct heard { struct lt_host host; char text[1 << 14]; int lines; };
static void hear(const struct lt_host *host, enum lt_log level, const char *text)
{
	struct heard *h = (struct heard *)(uintptr_t)host;
	cr_expect(level == LT_LOG_INFO && !strchr(text, '\n'));
	size_t n = strlen(h->text);
	(void)snprintf(h->text + n, sizeof h->text - n, "%s\n", text);
	h->lines++;
}

Test(trace_report, the_host_hears_the_report)
{
	static struct heard h = { .host = { .size = sizeof h.host, .log = hear } };
	struct tb *b = small_tree();
	const struct lt_tree *tree = tb_done(b);
	const struct lt_backend *t = traced_backend();
	struct lt_session *s;
	struct lt_object *object;
	float x[4] = { 0 }, y[4];
	char workspace[1024];
	struct lt_fault fault = { 0 };
	const struct lt_slot slot[] = { { x, 0, sizeof x }, { y, 0, sizeof y } };
	const struct lt_args args = {
		.size = sizeof args, .n_slot = 2, .slot = slot, .workspace = workspace, .fault = &fault
	};
	cr_assert_eq(t->open(&h.host, "L1=4k/4/64", &s, NULL), LT_OK);
	cr_assert_eq(t->compile(s, &tree, 1, &object, NULL), LT_OK);
	t->destroy(object);
	cr_expect_eq(h.lines, 0, "a kernel that never ran has no report: %s", h.text);
	cr_assert_eq(t->compile(s, &tree, 1, &object, NULL), LT_OK);
	for (int i = 0; i < 3; i++)
		cr_assert_eq(t->run(object, &args, NULL), LT_OK);
	t->destroy(object);
	t->close(s);
	cr_expect(strstr(h.text, "kernel small, 3 runs\n"), "%s", h.text);
	cr_expect(strstr(h.text,
			  "  L1, 4k bytes, 4 ways, lines of 64: 24 accesses, 18 hits (75.0 %), 3 lines written back\n"),
		"%s", h.text);
	cr_expect(strstr(h.text,
			  "in all: kernels 1, runs 3, reads 12, writes 12; footprints together 16 bytes read, 16 "
			  "written\n"),
		"%s", h.text);
	free(b);
}

/* Names of the rows of locals in the report's first table. */
static int local_rows(const char *text, char names[][96], int max)
{
	const char *at = strstr(text, "\n  buffer "), *end = at ? strstr(at, "\n  accesses by") : NULL;
	int n = 0;
	cr_assert_not_null(end, "%s", text);
	while ((at = strchr(at + 1, '\n')) < end && n < max) {
		const char *role = strstr(at, " local "), *stop = strchr(at + 1, '\n');
		size_t width = role && role < stop ? (size_t)(role - at) : 0;
		while (width > 3 && at[width - 1] == ' ')
			width--;
		if (width > 3)
			(void)snprintf(names[n++], 96, "%.*s", (int)width - 3, at + 3);
	}
	return n;
}

/* The rest of a peeled loop has locals of its own: rows say which, and no two are alike. */
Test(trace_report, rows_of_a_peeled_rest_are_told_apart)
{
	static char command[2048], out[1 << 16], err[1 << 16], names[32][96];
	static const struct { const char *steps; int rows; const char *row[3];
	} cases[] = { { "split m 4", 2, { "3", "3.mul" } },
		{ "split m 4; tail m peel", 4, { "3.mul", "3, m from 4", "3.mul, m from 4" } },
		{ "split m 4; tail m peel; split k 3; tail k peel", 6,
			{ "3.mul, k from 3", "3.mul, m from 4", "3.mul, m from 4, k from 3" } } };
	FILE *f = fopen(scratch("mm.lt"), "w");
	cr_assert(f
		&& fputs("$1 = InputTensor(x, float32, [5, 4]);\n$2 = InputTensor(w, float32, [4, 3]);\n$3 = "
			 "MatMulNode($1, $2);\n"
			 "$4 = ReLUNode($3);\nresult = $4;\n",
			   f)
			> 0
		&& fclose(f) == 0);
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		(void)snprintf(command, sizeof command, "%s %s -B %s -b trace -q --apply '%s'", built("lt-run"), scratch("mm.lt"),
			built("examples/plugin/trace.so"), cases[i].steps);
		cr_assert_eq(run_command(command, out, sizeof out, err, sizeof err), 0, "%s: %s", command, err);
		int n = local_rows(err, names, 32);
		cr_expect_eq(n, cases[i].rows, "%s: %d rows\n%s", cases[i].steps, n, err);
		for (int k = 0; k < 3; k++) {
			int found = cases[i].row[k] == NULL;
			for (int r = 0; r < n; r++)
				found += cases[i].row[k] && !strcmp(names[r], cases[i].row[k]);
			cr_expect_eq(found, 1, "%s: %s\n%s", cases[i].steps, cases[i].row[k], err);
		}
	}
}
