/* test_sim.c -- the backend sim: its words, what it dumps, and how what it finds ends a run. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>
#include "tests/built.h"
#include "tests/keeper.h"

static char out[1 << 20], err[1 << 16];
static int run(const char *options)
{
	char command[2048];
	(void)snprintf(command, sizeof command, "%s --no-cache %s", built("lt-run"), options);
	return run_command(command, out, sizeof out, err, sizeof err);
}

static void teardown(void) { scratch_remove(); }
TestSuite(sim, .fini = teardown, .timeout = 120);

Test(sim, words_after_its_name)
{
	static const struct { const char *config; bool good; } cases[] = { { "", true }, { "seed=7", true },
		{ "grid/shared=900", true }, { "h100/shared=900", true }, { "shared=900", false }, { "calls/grid", false },
		{ "h100/a100", false },
		{ "order=forward/range=3", true }, { "order=backward", true }, { "order=random;seed=12345678901234", true },
		{ "counts", true }, { "expand", true }, { "off=exclusive/off=ranges", true }, { "skip=VV", true },
		{ "array=0;teams=0", true }, { "array=64;teams=1", true }, { "teams=2", false }, { "array=", false },
		{ "skip=v", false }, { "skip=", false }, { "order=sideways", false }, { "seed=", false },
		{ "lanes=8/unroll=64/array=0/teams=0/masked/gathered", true }, { "lanes=2;moved=4", true }, { "moved=3", false },
		{ "copied=32", true }, { "copied=", false },
		{ "lanes=3", false }, { "lanes=128", false },
		{ "lanes=0", false },
		{ "seed=x", false }, { "range=0", false }, { "off=nothing", false }, { "range", false } };
	const struct lt_backend *b = lt_backend_find("sim");
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct keeper k = keeper_new();
		cr_expect_eq(b->score(cases[i].config, &k.diag) > 0, cases[i].good, "%s", cases[i].config);
		cr_expect(cases[i].good || strstr(k.text, " has no value") || strstr(k.text, " does not fit here")
				|| strstr(k.text, " does not take '"),
			"%s: %s", cases[i].config, k.text);
	}
}

Test(sim, is_never_what_runs_by_default)
{
	struct keeper k = keeper_new();
	int32_t sim = lt_backend_find("sim")->score("", &k.diag);
	cr_expect(sim > 0 && sim <= lt_backend_find("ref")->score("", &k.diag) && sim < lt_backend_find("cpu")->score("",
		&k.diag));
}

Test(sim, shows_what_it_runs)
{
	cr_assert_eq(run("-b sim --dump=kernel examples/softmax.lt"), 0, "%s", err);
	cr_expect(strncmp(out, "kernel 1\n", 9) == 0 && strstr(out, "region host\n"), "%s", out);
	/* After a step; the last one is what it runs. */
	cr_assert_eq(run("-b sim --dump=kernel -k L examples/softmax.lt"), 0, "%s", err);
	cr_assert_eq(run("-b sim:skip=Q --dump=kernel examples/softmax.lt"), 2);
	cr_expect_not_null(strstr(err, "kernel programs have no step 'Q'; the steps are L (lower), "), "%s", err);
	cr_assert_eq(run("-b sim --dump=source examples/softmax.lt"), 2);
	cr_expect_not_null(strstr(err, "backend sim has no source to show"), "%s", err);
	cr_assert_eq(run("-q -b sim:counts examples/softmax.lt -i x=random"), 0, "%s", err);
	cr_expect_not_null(strstr(err, ".operations 64000\n"), "%s", err);
	cr_expect(!strstr(out, " larger f32 "));
	cr_assert_eq(run("-b sim:expand --dump=kernel examples/softmax.lt"), 0, "%s", err);
	cr_expect(strstr(out, " larger f32 ") && !strstr(out, " exp f32 "), "%s", out);
	cr_assert_eq(run("-q -b sim:expand --verify examples/softmax.lt -i x=random"), 0, "%s", err);
}

/* --explain has what was decided, of which loop and line, also as JSON; a step that is left out decides nothing. */
Test(sim, decisions_are_explained)
{
	static const char why[] = "array n3 stays in memory: its elements are chosen by a loop; unroll that";
	char text[200];
	cr_assert_eq(run("-b sim -q --explain -c w=1 -i x=1 examples/first.lt"), 0, "%s", err);
	(void)snprintf(text, sizeof text, "\n  loop n, %%3 (examples/first.lt:4:1): %s\n", why);
	cr_expect(strncmp(out, "k0_6 -> sim\n", 12) == 0 && strstr(out, text), "%s", out);
	cr_assert_eq(run("-b sim -q --explain --json -c w=1 -i x=1 examples/first.lt"), 0, "%s", err);
	cr_expect(strstr(out, "\"decisions\"") && strstr(out, why), "%s", out);
	cr_assert_eq(run("-b sim:skip=V -q --explain -c w=1 -i x=1 examples/first.lt"), 0, "%s", err);
	cr_expect_null(strstr(out, why), "%s", out);
}

/* Locals that are too large for an array are in the workspace; without teams one thread runs everything. */
Test(sim, machines_differ)
{
	cr_assert_eq(run("-b sim --apply='parallel m' --dump=kernel examples/first.lt"), 0, "%s", err);
	cr_expect(strstr(out, "] array ") && strstr(out, "region team 1") && strstr(out, "workspace 0 thread 0"), "%s", out);
	cr_assert_eq(run("-b 'sim:array=8/teams=0' --apply='parallel m' --dump=kernel examples/first.lt"), 0, "%s", err);
	cr_expect(!strstr(out, "] array ") && !strstr(out, "region team"), "%s", out);
	cr_expect_null(strstr(out, "workspace 0 thread 0"), "%s", out);
}

/* A text by hand: run, told of, and what it leaves. */
Test(sim, runs_texts_of_kernel_programs)
{
	char command[2048];
	(void)snprintf(command, sizeof command, "%s tests/kernels/sum.kernel --machine=h100 --counts", built("simulate"));
	cr_assert_eq(run_command(command, out, sizeof out, err, sizeof err), 0, "%s", err);
	cr_expect(strstr(out, "grid 1: 16 blocks, 32 bytes of shared memory") && strstr(out, "grid 1: bound by "), "%s", out);
	(void)snprintf(command, sizeof command, "%s tests/kernels/sum.kernel --machine=abacus", built("simulate"));
	cr_assert_eq(run_command(command, out, sizeof out, err, sizeof err), 2);
	cr_expect_str_eq(err, "simulate: --machine takes a100, h100 or h200, not abacus\n");
}

/* A machine by its name: default trees are for it, and what bounds its grids is said; of some of the blocks, too. */
Test(sim, machines_have_names)
{
	static const char bind[] = "--apply='split %3/n 2; bind m grid.x; bind %3/n block.x'";
	char options[200];
	cr_assert_eq(run("-b sim:h200 --dump=tree examples/first.lt"), 0, "%s", err);
	cr_expect(strstr(out, "\ntarget sim:h200\n"), "%s", out);
	for (int some = 0; some < 2; some++) {
		(void)snprintf(options, sizeof options, "-b 'sim:h200/counts%s' -c w=1 -i x=1 -v %s examples/first.lt",
			some ? "/blocks=1" : "", bind);
		cr_assert_eq(run(options), 0, "%s", err);
		cr_expect(strstr(err, "  grid 1: 2 blocks, ") && strstr(err, "  grid 1: bound by "), "%s", err);
	}
	cr_assert_eq(run("-b 'sim:grid/counts' -c w=1 -i x=1 -v examples/first.lt"), 0, "%s", err);
	cr_expect_null(strstr(err, "bound by"), "%s", err);
	cr_expect_eq(run("-b sim:h300 -c w=1 -i x=1 examples/first.lt"), 2);
}

/* cpu is proposed for what it gets loops of its own for, not for loops of a GPU that the user wrote. */
Test(sim, cpu_is_proposed_where_it_helps)
{
	static const char bind[] = "--apply='split %3/n 2; bind m grid.x; bind %3/n block.x' -c w=1 -i x=1 examples/first.lt";
	char options[300];
	(void)snprintf(options, sizeof options, "-b sim %s", bind);
	cr_expect_neq(run(options), 0);
	cr_expect(strstr(err, "sim refuses it") && !strstr(err, "name another backend"), "%s", err);
}

/* An update writes a part of what the host has put there; whoever reads the rest in the same kernel reads that. */
Test(sim, updates_are_of_what_was_there)
{
	static const char graph[] = "graph 1\nvar i 7\nvar k 3\n%c = f32[i] input \"c\"\n%x = f32[k] input \"x\"\n"
		"%n = f32[i] update %c, %x at [1]\n%y = f32[i] neg %n\nresult \"n\" = %n\nresult \"y\" = %y\n";
	static const char *const steps[] = { "group k %y/i", "split k 2; tail k mask; vectorize k'; group k %y/i" };
	char options[600];
	const char *path = scratch("update.lt");
	FILE *f = fopen(path, "w");
	cr_assert(f && fputs(graph, f) >= 0 && fclose(f) == 0);
	for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
		(void)snprintf(options, sizeof options, "-b sim --no-passes --strict --verify -i '*=iota' --apply=\"%s\" %s",
			steps[i], path);
		cr_expect_eq(run(options), 0, "%s: %s%s", steps[i], out, err);
	}
}

/* Results that are written in place by several kernels: each writes rows with gaps, where others write theirs. */
Test(sim, pieces_of_a_result_leave_gaps)
{
	static const char *const graphs[] = {
		"graph 1\nvar a 3\nvar b 4\nvar c 8\n%x = f32[a, b] input \"x\"\n%y = f32[a, b] tanh %x\n%z = f32[a, b] exp %x\n"
		"%v = f32[a, c] view { %y[a, c] if 3 - c >= 0; %z[a, c - 4] if c - 4 >= 0 }\nresult \"v\" = %v\n",
		"graph 1\nvar a 3\nvar k 5\nvar b 4\nvar c 8\n%x = f32[a, b, k] input \"x\"\n%y = f32[a, b] add.reduce %x\n"
		"%z = f32[a, b] max.reduce %x\n%v = f32[a, c] view { %y[a, c] if 3 - c >= 0; %z[a, c - 4] if c - 4 >= 0 }\n"
		"%w = f32[b, a] neg %y\nresult \"v\" = %v\nresult \"w\" = %w\n",
		"graph 1\nvar one 1\nvar a 3 limit to\nvar b 16\nvar c 2\nvar d 32\nparam to = %q[0] in 0..3\n"
		"%q = i64[one] input \"to\"\n%x = f32[a, b, c] input \"x\"\n%y = f32[a, b, c] exp %x\n%z = f32[a, b, c] neg %x\n"
		"%v = f32[a, d, c] view { %y[a, d, c] if 15 - d >= 0; %z[a, d - 16, c] if d - 16 >= 0 }\n"
		"%w = f32[d, a, c] view { %z[a, d, c] if 15 - d >= 0; %y[a, d - 16, c] if d - 16 >= 0 }\n"
		"result \"v\" = %v\nresult \"w\" = %w\n" };
	const char *path = scratch("pieces.graph");
	char options[600];
	for (size_t i = 0; i < sizeof graphs / sizeof *graphs; i++) {
		FILE *f = fopen(path, "w");
		cr_assert(f && fputs(graphs[i], f) >= 0 && fclose(f) == 0);
		(void)snprintf(options, sizeof options, "-b sim --verify -i '*=iota'%s %s", i == 2 ? " -i to=3" : "", path);
		cr_expect_eq(run(options), 0, "%zu: %s%s", i, out, err);
	}
}

/* Loops whose iterations go on one after the other are one, on a machine without vectors: also where the innermost has
 * one iteration and the others do not.  A loop of one iteration stays where its extent depends on an input. */
Test(sim, loops_that_go_on_are_one)
{
	static const char graph[] = "graph 1\nvar a 2\nvar b 3\nvar c 1 limit 1 - q\nvar one 1\nparam q = %q[0] in 0..0\n"
		"%q = i64[one] input \"q\"\n%x = f32[a, b, c] input \"x\"\n%y = f32[a, b, c] neg %x\nresult \"y\" = %y\n";
	const char *path = scratch("one.graph");
	char options[600];
	FILE *f = fopen(path, "w");
	cr_assert(f && fputs(graph, f) >= 0 && fclose(f) == 0);
	(void)snprintf(options, sizeof options,
		"-b sim:array=0/teams=0 --no-passes --dump=kernel %s", path);
	cr_expect_eq(run(options), 0, "%s%s", out, err);
	cr_expect(strstr(out, "from 0 to 6") && !strstr(out, "y[0]"), "%s", out);
	(void)snprintf(options, sizeof options, "-b sim:array=0/teams=0 --no-passes --verify -i x=iota -i q=zeros %s", path);
	cr_expect_eq(run(options), 0, "%s%s", out, err);
}

/* Vectors of copies are folded together behind the last copy: not those that a branch makes, which asks whether a
 * quotient is the same in all lanes.  A single vector stands in no loop, however many statements it has. */
Test(sim, vectors_of_copies_are_folded_together)
{
	static const struct { const char *view, *steps, *backend; bool joined; } cases[] = {
		{ "floor((i + k) / 3) + m", "unroll m; vectorize k", "sim:lanes=16", false },
		{ "floor((i - k) / 5) + m + 3", "unroll m; vectorize k", "sim:lanes=32/masked/gathered", false },
		{ "i + k - m + 6", "vectorize k", "sim:lanes=32/copied=50/unroll=0", true },
		{ "i + k - m + 6", "vectorize k", "sim:lanes=16/copied=50/unroll=0", true } };
	char options[600], path[256];
	(void)snprintf(path, sizeof path, "%s", scratch("copies.graph"));
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		FILE *f = fopen(path, "w");
		cr_assert(f && fprintf(f, "graph 1\nvar i 5\nvar m 7\nvar k 13\nvar e 25\n%%x = f32[e] input \"x\"\n"
			"%%n = f32[e] neg %%x\n%%v = f32[i, m, k] view { %%n[%s] }\n%%y = f32[i, m] min.reduce %%v\n"
			"result \"n\" = %%n\nresult \"y\" = %%y\n", cases[i].view) > 0 && fclose(f) == 0);
		for (int shown = 0; shown < 2; shown++) {
			(void)snprintf(options, sizeof options, "-b %s --apply='%s' %s %s", cases[i].backend, cases[i].steps,
				shown ? "--dump=kernel" : "--verify -i x=random", path);
			cr_expect_eq(run(options), 0, "%zu: %s%s", i, out, err);
		}
		cr_expect_eq(strstr(out, "shuffle f32") != NULL, cases[i].joined, "%zu: %s", i, out);
	}
}

/* What became of vectors, and why it was not better. */
Test(sim, vectors_are_explained)
{
	static const struct { const char *options, *why; } cases[] = {
		{ "-b sim:lanes=8 tests/golden/lanes-conv.lt", ": what is read differs among lanes: masked\n" },
		{ "-b sim:lanes=8 tests/golden/lanes-conv.lt", "loop x': vectors of 4 lanes, each with a copy\n" },
		{ "-b sim:lanes=8 --apply='vectorize %5/n' examples/first.lt", "loop n: vectors of 4 lanes" },
		{ "-b 'sim:lanes=8/moved=2' tests/golden/lanes-product.lt", "loop n': vectors of 2 lanes, each with a copy\n" },
		{ "-b 'sim:lanes=8/moved=2' tests/golden/lanes-product.lt", "loop n': vectors of 8 lanes, each with a copy\n" },
		{ "-b 'sim:lanes=8/copied=64' tests/golden/lanes-depthwise.lt", "loop l2: 3 copies\n" },
		{ "-b sim:lanes=8 tests/golden/lanes-transpose.lt", ": n1: strided by 24\n" },
		{ "-b 'sim:lanes=2/unroll=1' --apply='unroll m' examples/first.lt", ": the copies would be too many statements\n" },
		{ "-b sim:lanes=8 --apply='parallel m' examples/first.lt", "loop m: a team\n" } };
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		char options[300];
		(void)snprintf(options, sizeof options, "-q --explain -c '*=1' -i '*=1' %s", cases[i].options);
		cr_assert_eq(run(options), 0, "%s", err);
		cr_expect(strstr(out, cases[i].why), "%s: %s", cases[i].options, out);
	}
}

/* A finding is a failure of the device, and says its sentence with the way out: here of a slot that is not aligned. */
Test(sim, a_finding_fails_the_run)
{
	static const struct lt_type types[] = { { "f32", "float", LT_F32, 4 } };
	static const struct lt_op ops[] = { { .name = "neg", .source = "(-$0)", .arity = 1, .out = LT_F32, .in = { LT_F32 },
		.opcode = LT_OPCODE_neg } };
	static const struct lt_loop loops[] = { { .parent = -1, .kind = LT_PARALLEL, .var = "i", .step = 1,
		.max_trip_count = 4,
		.n_stmt = 1 } };
	static const struct lt_buffer buffers[] = {
		{ .name = "x", .role = LT_INPUT, .scope = -1, .elems = 4, .align = 16, .slot = 0, .alias_of = -1 },
		{ .name = "y", .role = LT_OUTPUT, .scope = -1, .elems = 4, .align = 16, .slot = 1, .written = 1, .alias_of = -1 } };
	static const struct lt_access accesses[] = { { .buffer = 0, .row = 1, .index = -1 },
		{ .buffer = 1, .row = 1, .index = -1 } };
	static const struct lt_piece pieces[] = { { .kind = LT_READ, .access = 0 } };
	static const struct lt_operand operands[] = { { 0, 1, LT_F32 } };
	static const struct lt_stmt stmts[] = { { .kind = LT_MAP, .dest = 1, .n_operand = 1, .reducing = -1, .name = "y" } };
	static const int64_t rows[] = { 0, 0, 0, 1 };
#define ALL(a) { a, sizeof a / sizeof *a, sizeof *a }
	const struct lt_tree t = { .size = sizeof t, .name = "negate", .n_loop = 1, .n_column = 2, .n_row = 2, .n_slot = 2,
		.rows = rows, .types = ALL(types), .ops = ALL(ops), .loops = ALL(loops), .buffers = ALL(buffers),
		.accesses = ALL(accesses), .pieces = ALL(pieces), .operands = ALL(operands), .stmts = ALL(stmts), .prelude = "",
		.text = "" };
	const struct lt_tree *tree = &t;
	const struct lt_backend *b = lt_backend_find("sim");
	const struct lt_host host = { .size = sizeof host };
	struct keeper k = keeper_new();
	struct lt_session *session;
	struct lt_object *object;
	_Alignas(16) float x[8] = { 1, 2, 3, 4 }, y[8] = { 0 };
	struct lt_fault fault = { 0 };
	cr_assert_eq(b->open(&host, "", &session, &k.diag), LT_OK, "%s", k.text);
	cr_assert_eq(b->accepts(session, tree, &k.diag), LT_OK, "%s", k.text);
	cr_assert_eq(b->compile(session, &tree, 1, &object, &k.diag), LT_OK, "%s", k.text);
	for (int off = 0; off < 2; off++) {
		const struct lt_slot slot[] = { { x, 0, 16 }, { y, off * 4, 16 } };
		const struct lt_args args = { .size = sizeof args, .n_slot = 2, .slot = slot, .fault = &fault };
		cr_expect_eq(b->run(object, &args, &k.diag), off ? LT_EDEVICE : LT_OK, "%s", k.text);
	}
	cr_expect(y[0] == -1 && y[3] == -4);
	cr_expect_str_eq(k.text, "kernel negate: the base of buffer y is 4 bytes behind a multiple of 16 (check align)");
	cr_expect(k.remedy[0] != '\0');
	b->destroy(object);
	b->close(session);
}
