/* test_grid_trees.c -- trees with grid and block loops: what legality accepts runs on a grid without a finding
 * and gives what the evaluator says. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>
#include "check/random/must.h"
#include "lt/backend.h"
#include "tests/keeper.h"
#include "tests/ltrun.h"
#include "tests/random_schedule.h"

TestSuite(grid_trees, .init = ltrun_set_up, .fini = ltrun_tear_down, .timeout = 300);

/* -- trees by hand: where their barriers are, and that each is needed -- */

#define PRODUCT "graph 1\nvar m 70\nvar k 50\nvar n 90\n%a = f32[m, k] input \"a\"\n%b = f32[k, n] input \"b\"\n" \
	"%p = f32[m, k, n] mul %a, %b\n%c = f32[m, n] add.reduce %p\nresult \"c\" = %c\n"
#define SOFTMAX "graph 1\nvar i 5\nvar j 100\n%x = f32[i, j] input \"x\"\n%m = f32[i] max.reduce %x\n" \
	"%d = f32[i, j] sub %x, %m\n%e = f32[i, j] exp %d\n%s = f32[i] add.reduce %e\n%y = f32[i, j] div %e, %s\n" \
	"result \"y\" = %y\n"
#define SHIFT "graph 1\nvar i 7\nvar j 40\n%x = f32[i, j] input \"x\"\n%y = f32[i, j] neg %x\n" \
	"%w = f32[i, j] view { %y[i, 39 - j] }\n%z = f32[i, j] add %w, %x\nresult \"z\" = %z\n"
#define MOMENTS "graph 1\nvar i 6\nvar j 768\n%x = f32[i, j] input \"x\"\n%q = f32[i, j] mul %x, %x\n" \
	"%s = f32[i] add.reduce %x\n%t = f32[i] add.reduce %q\n%u = f32[i] mul %s, %t\nresult \"u\" = %u\n"
/* Tiles of both operands in shared memory, sums in registers. */
#define STAGED "split m 32; tail m mask; split n 32; tail n mask; split m' 4; split n' 2; split k 8; tail k mask; " \
	"reorder m n k m' n' k' m'' n''; materialize %c at n; stage %p %a at k; stage %p %b at k; bind m grid.y; " \
	"bind n grid.x; bind %p/m' block.y; bind %p/n' block.x; split %a.copy/m' 2; bind %a.copy/m' block.x; " \
	"bind %a.copy/k' block.y; bind %b.copy/k' block.y; split %b.copy/n' 2; bind %b.copy/n' block.x; " \
	"split %c.copy/m' 4; bind %c.copy/m' block.y; split %c.copy/n' 2; reorder %c.copy/n' %c.copy/m''; " \
	"bind %c.copy/n' block.x; unroll %p/m''; unroll %p/n''"
#define ROWS(step) "bind i grid.x; split %m/j 64; tail %m/j mask; bind %m/j' block.x; split %s/j 64; tail %s/j mask; " \
	"bind %s/j' block.x; split %y/j " step "; tail %y/j mask; bind %y/j' block.x"

static const struct {
	const char *graph, *steps;
	int frozen;             /* barriers of the frozen tree */
	int all;                /* of the program: those of reductions, too */
	int shared;             /* bytes of a block */
} cases[] = {
	{ PRODUCT, STAGED, 2, 2, 2048 },
	/* What a thread sums in its own registers needs no other one. */
	{ PRODUCT, "split m 8; tail m mask; bind m grid.x; bind m' block.y; split n 32; tail n mask; bind n' block.x", 0,
		0, 0 },
	/* Each thread has its elements of a row in registers, or, where another thread reads them, in shared memory. */
	{ SOFTMAX, ROWS("64"), 2, 4, 4 + 12 + 4 + 12 + 16 + 16 },
	{ SOFTMAX, ROWS("32"), 2, 4, 4 + 12 + 4 + 12 + 400 + 16 + 16 },
	/* What a thread has in a loop of its own is combined first, and two sums between the same barriers. */
	{ SOFTMAX, "bind i grid.x; split %m/j 4; bind %m/j block.x; vectorize %m/j'; split %s/j 4; bind %s/j block.x; "
		"vectorize %s/j'; split %y/j 4; bind %y/j block.x; vectorize %y/j'", 2, 4, -1 },
	{ MOMENTS, "bind i grid.x; split j 8; bind j block.x; unroll j'", 0, 1, -1 },
	/* One row in each subgroup: reductions without shared memory. */
	{ SOFTMAX, "bind i block.y; split %m/j 32; tail %m/j mask; bind %m/j' block.x; split %s/j 32; tail %s/j mask; "
		"bind %s/j' block.x; split %y/j 32; tail %y/j mask; bind %y/j' block.x", 2, 2, -1 },
	{ SHIFT, "bind i grid.x; bind %y/j block.x; bind %z/j block.x", 1, 1, 160 },
	{ SHIFT, "bind %y/j block.x; bind %z/j block.x", 2, 2, 160 },
};
enum { N_CASE = sizeof cases / sizeof *cases };

static int count(const char *text, const char *word)
{
	int n = 0;
	for (const char *at = text; (at = strstr(at, word)); at += strlen(word))
		n++;
	return n;
}

static int grid_run(int i, const char *config, const char *options)
{
	ltrun_write_text("case.graph", cases[i].graph);
	ltrun_write_text("plain", "schedule 1\n");
	return ltrun("--no-cache --no-passes --strict -b '%s' --schedule=plain --apply=\"%s\" %s case.graph", config,
		cases[i].steps, options);
}

Test(grid_trees, barriers_are_where_threads_need_each_other)
{
	for (int i = 0; i < N_CASE; i++) {
		cr_assert_eq(grid_run(i, "sim:grid", "--dump=frozen"), 0, "case %d: %s", i, ltrun_err);
		cr_expect_eq(count(ltrun_out, " barrier\n"), cases[i].frozen, "case %d: %s", i, ltrun_out);
		cr_assert_eq(grid_run(i, "sim:grid", "--dump=kernel"), 0, "case %d: %s", i, ltrun_err);
		cr_expect_eq(count(ltrun_out, "\tbarrier "), cases[i].all, "case %d: %s", i, ltrun_out);
		const char *shared = strstr(strstr(ltrun_out, "region grid"), " shared ");
		cr_expect(cases[i].shared < 0 || atoi(shared + 8) == cases[i].shared, "case %d: %s", i, ltrun_out);
		static const char *const configs[] = { "sim:grid", "sim:grid/order=backward", "sim:grid/subgroup=8",
			"sim:grid/subgroup=1", "sim:grid/seed=3" };
		for (int k = 0; k < 5; k++)
			cr_expect_eq(grid_run(i, configs[k], "-q --verify -i '*=random'"), 0, "case %d, %s: %s", i, configs[k],
				ltrun_err);
	}
}

Test(grid_trees, none_is_too_many)
{
	for (int i = 0; i < N_CASE; i++)
		for (int n = 1; n <= cases[i].all + 1; n++) {
			char config[40];
			(void)snprintf(config, sizeof config, "sim:grid/drop=%d", n);
			int code = grid_run(i, config, "-q -i '*=random'");
			cr_expect_eq(code != 0, n <= cases[i].all, "case %d without barrier %d: %s", i, n, ltrun_err);
			cr_expect(code == 0 || strstr(ltrun_err, "(check threads)") || strstr(ltrun_err, "(check stored)"),
				"case %d without barrier %d: %s", i, n, ltrun_err);
		}
}

/* What a caller binds is copied to memory of the device, which is aligned; the host's kernels read it where it is. */
Test(grid_trees, memory_of_a_device_is_aligned)
{
	ltrun_write_text("case.graph", SHIFT);
	for (int grid = 0; grid < 2; grid++) {
		cr_assert_eq(ltrun("--no-cache --no-passes -b 'sim%s' --dump=frozen case.graph", grid ? ":grid" : ""), 0, "%s",
			ltrun_err);
		cr_expect_eq(count(ltrun_out, "input, 280 elements, aligned to 64"), grid, "%s", ltrun_out);
		cr_expect_eq(count(ltrun_out, "input, 280 elements, aligned to 4"), !grid, "%s", ltrun_out);
		cr_expect_eq(count(ltrun_out, "output, 280 elements, aligned to 64"), grid, "%s", ltrun_out);
	}
}

static const struct { const char *graph, *steps, *config, *says; } refused[] = {
	{ SHIFT, "bind i grid.x; bind %y/j grid.y", "", "loop j: grid loops are the outermost of their nest" },
	{ SHIFT, "bind i block.x; bind %z/j grid.x", "", "a grid loop is inside this block loop" },
	{ PRODUCT, "split m 64; tail m mask; bind m' block.y; bind n block.x", "",
		"its blocks would have 5760 threads, and 1024 are the most" },
	{ SHIFT, "bind i grid.x; bind %y/j block.x; bind %z/j block.x", ";shared=100",
		"y takes 160 bytes of shared memory, and a block has 100 left" },
	{ SOFTMAX, "bind i grid.x", ";array=64", "each thread would keep 400 bytes of e, and has room for 64" },
};

Test(grid_trees, refusals_name_the_loop)
{
	for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
		ltrun_write_text("case.graph", refused[i].graph);
		ltrun_write_text("plain", "schedule 1\n");
		int code = ltrun("--no-cache --no-passes --strict -b 'sim:grid%s' --schedule=plain --apply=\"%s\" -q -i '*=random' "
			"case.graph", refused[i].config, refused[i].steps);
		cr_expect_neq(code, 0, "case %d", (int)i);
		cr_expect_not_null(strstr(ltrun_err, refused[i].says), "case %d: %s", (int)i, ltrun_err);
	}
}

/* What is past a thread's own array is not read where a padded loop stores nothing. */
Test(grid_trees, a_padded_loop_reads_what_is_there)
{
	static const char *const binds[] = { "", "; bind %z/i block.y", "; bind %z/i grid.y" };
	ltrun_write_text("case.graph", "graph 1\nvar i 3\nvar j 7\n%x = f32[i, j] input \"x\"\n%y = f32[i, j] cos %x\n"
		"%z = f32[i, j] neg %y\nresult \"y\" = %y\nresult \"z\" = %z\n");
	ltrun_write_text("plain", "schedule 1\n");
	for (int i = 0; i < 3; i++)
		cr_expect_eq(ltrun("--no-cache --no-passes --strict -b sim:grid --schedule=plain --apply=\"fission %%z i; "
			"split %%z/j 4; tail %%z/j pad; stage %%z %%y at %%z/i%s\" -q --verify -i '*=random' case.graph", binds[i]), 0,
			"%d: %s", i, ltrun_err);
}

/* What each thread has is a vector or straight code, the last of them a part of one: as the extent or a run-time scalar
 * says. */
#define ROWS_OF(extent) "graph 1\nvar l 3\n" extent "%x = f32[l, m] input \"x\"\n%z = f32[l, m] exp %x\n" \
	"result \"z\" = %z\n"
Test(grid_trees, the_last_vector_keeps_its_mask)
{
	static const char *const graphs[] = { ROWS_OF("var m 23\n"),
		ROWS_OF("var m 29 limit at\nparam at = %at[0] in 0..29\n%at = i64[] input \"at\"\n") };
	/* Those for constant extents alone come first. */
	enum { CONSTANT = 3 };
	static const char *const steps[] = { "split m 2; tail m mask; bind m block.x; vectorize m'",
		"split m 4; tail m mask; bind m block.x; vectorize m'", "split m 4; tail m mask; bind m block.x; unroll m'",
		"split m 4; tail m mask; bind m grid.x; vectorize m'",
		"split m 16; tail m mask; split m' 8; unroll m'; split m'' 4; bind m'' block.x; vectorize m'''",
		"split m 6; tail m mask; split m' 4; tail m' mask; bind m' block.x; vectorize m''",
		"split m 10; tail m mask; bind m grid.x; split m' 4; tail m' mask; bind m' block.x; unroll m''" };
	ltrun_write_text("plain", "schedule 1\n");
	for (int g = 0; g < 2; g++) {
		ltrun_write_text("case.graph", graphs[g]);
		for (size_t i = g ? CONSTANT : 0; i < sizeof steps / sizeof *steps; i++)
			for (int at = 1; at < (g ? 30 : 2); at += 4) {
				char input[20] = "";
				if (g)
					(void)snprintf(input, sizeof input, "-i at=%d", at);
				cr_expect_eq(ltrun("--no-cache --no-passes --strict -b sim:grid --schedule=plain --apply=\"bind l %s; %s\" -q "
					"--verify %s -i x=random case.graph", strstr(steps[i], "grid") ? "grid.y" : "block.y", steps[i], input), 0,
					"graph %d, `%s`, at %d: %s", g, steps[i], at, ltrun_err);
			}
	}
}

/* -- on an OpenCL device -- */

/* Without its optimiser PoCL compiles in half the time. */
#define DEVICE "opencl:O0"

static void need_device(void)
{
	struct keeper k = keeper_new();
	const struct lt_backend *b = lt_backend_find("opencl");
	struct lt_session *s = NULL;
	if (!b)
		cr_skip_test("the backend opencl is left out: its headers are not there");
	if (b->open(NULL, "O0", &s, &k.diag))
		cr_skip_test("%s", k.text);
	b->close(s);
}

/* Loops of the host around a grid: how many launches there are depends on a run-time scalar. */
#define LAUNCHES "graph 1\nvar t 9 limit pos\nvar i 5\nparam pos = %at[0] in 0..9\n%at = i64[] input \"at\"\n" \
	"%x = f32[t, i] input \"x\"\n%y = f32[t, i] neg %x\n%z = f32[i] add.reduce %y\nresult \"z\" = %z\n" \
	"result \"y\" = %y\n"

Test(grid_trees, a_device_gives_what_the_evaluator_says)
{
	need_device();
	/* A third of them, but in check-more. */
	for (int i = 0; i < N_CASE; i += must_draws("LT_CASES", 3) < 3 ? 3 : 1)
		cr_expect_eq(grid_run(i, DEVICE, "-q --verify -i '*=random'"), 0, "case %d: %s", i, ltrun_err);
	ltrun_write_text("case.graph", LAUNCHES);
	for (int at = 0; at < 10; at += 3)
		cr_expect_eq(ltrun("--no-cache --no-passes --strict -b " DEVICE " --schedule=plain --apply='bind %%y/i grid.x' -q "
			"--verify -i at=%d -i x=random case.graph", at), 0, "at %d: %s", at, ltrun_err);
}

/* All threads meet behind a write of one of them, the last step of a loop; behind the loop one of them goes on.  PoCL's
 * optimiser joins the two conditions, and what is left behind the barrier is a branch. */
Test(grid_trees, a_device_takes_a_branch_behind_a_barrier)
{
	static const char *const binds[] = { "bind %b/j' block.x", "bind %b/j' block.x; unroll j; parallel i",
		"bind i grid.x; bind %b/j' block.x" };
	need_device();
	ltrun_write_text("plain", "schedule 1\n");
	ltrun_write_text("case.graph", "graph 1\nvar i 2\nvar j 9\n%x = i32[i, j] input \"x\"\n%a = i32[i, j] neg %x\n"
		"%b = i32[i, j] neg %a\n%c = i32[i, j] neg %b\nresult \"c\" = %c\n");
	for (int i = 0; i < 3; i++)
		cr_expect_eq(ltrun("--no-cache --no-passes --strict -b opencl --schedule=plain --apply=\"split j 4; tail j peel; "
			"fission %%c j'; fission %%b j'; %s\" -q --verify -i x=random case.graph", binds[i]), 0, "%s: %s", binds[i],
			ltrun_err);
}

/* Wide copies whose guard ends within the last of them: with a row of its own, peeled, whose address is a multiple. */
Test(grid_trees, no_part_of_a_wide_copy_is_behind_its_guard)
{
	static const char steps[] = "split m 16; tail m peel; split m' 4; split k 8; tail k pad; reorder m k m' n k' m''; "
		"stage %p %a at k depth 2 async; bind m grid.x; bind %p/m' block.y; split %a.copy/m' 8; bind %a.copy/m' block.x; "
		"split %a.copy/k' 4; bind %a.copy/k' block.y; vectorize %a.copy/k''";
	ltrun_write_text("plain", "schedule 1\n");
	for (int k = 9; k < 16; k++) {
		char graph[400];
		(void)snprintf(graph, sizeof graph, "graph 1\nvar m 33\nvar k %d\nvar n 3\n%%a = f64[m, k] input \"a\"\n"
			"%%b = f64[k, n] input \"b\"\n%%p = f64[m, k, n] mul %%a, %%b\n%%c = f64[m, n] add.reduce %%p\n"
			"result \"c\" = %%c\n", k);
		ltrun_write_text("case.graph", graph);
		cr_expect_eq(ltrun("--no-passes --strict -b sim:grid --schedule=plain --apply=\"%s\" -q --verify -i '*=random' "
			"case.graph", steps), 0, "k %d: %s", k, ltrun_err);
	}
}

/* Each thread writes an element; the first one reads that of the block's number, which moves one of the two alone. */
Test(grid_trees, threads_wait_where_a_loop_around_the_buffer_moves_the_reader)
{
	ltrun_write_text("case.graph", "graph 1\nvar d 2\nvar d2 4\n%x = i64[d] input \"x\"\n%n4 = i64[d] neg %x\n"
		"%n5 = i64[d2] view { %n4[d2] if 1 - d2 >= 0; else -3 }\nresult \"r\" = %n5\n");
	ltrun_write_text("case.tree", "looptree 1\ngraph 4b38dea761365fea\ntarget sim:grid\nvar d 2\nvar d2 4\n"
		"value %x i64[d] = input\nvalue %n5 i64[d2] = view %n4\ntree\nfor d2 grid.x\n  for d block.y\n"
		"    %n4 i64[d] = neg %x\n  %n5.copy i64[d2] = copy %n5\n");
	cr_expect_eq(ltrun("--no-passes --strict -b sim:grid/order=random --schedule=case.tree -q --verify -i x=random "
		"case.graph"), 0, "%s", ltrun_err);
}

/* The last part of a peeled loop is there for threads that are not the one which adds up what all of them have. */
Test(grid_trees, the_first_thread_adds_what_it_has_no_part_of)
{
	ltrun_write_text("case.graph", "graph 1\nvar r 17\nvar c 15\n%x = f32[r, c] input \"x\"\n%q = f32[r, c] mul %x, %x\n"
		"%s = f32[r] add.reduce %x\n%t = f32[r] add.reduce %q\n%u = f32[r] mul %s, %s\n"
		"%w = f32[r] add %t, %u\n%y = f32[r, c] sub %x, %w\nresult \"y\" = %y\n");
	ltrun_write_text("case.tree", "looptree 1\ngraph b880d4c8ec54ece3\ntarget sim:grid\n"
		"own %s.part = partial %s over c step 1 below 8 as c_1\nown %w.copy = copy %w for %y\n"
		"own %x.copy = copy %x for %s.part\nvar r 17\nvar c 15\nvar c_1 8\n"
		"value %x f32[r c] = input\ntree\ngroup\n  for r block.y\n"
		"    for c step 8 block.x  tail mask\n      for c' step 4  tail peel\n"
		"        for c'' block.x\n          %x.copy f32[r c] = copy %x\n"
		"          %s.part f32[r c_1] = add.reduce[c] %x.copy\n          %q f32[r c] = mul %x %x\n"
		"          %t f32[r] = add.reduce[c c' c''] %q\n    for c_1 block.x\n"
		"      %s f32[r] = add.reduce[c_1] %s.part\n    %u f32[r] = mul %s %s\n"
		"    %w f32[r] = add %t %u\n    %w.copy f32[r] = copy %w\n    for c\n"
		"      %y f32[r c] = sub %x %w.copy\n");
	cr_expect_eq(ltrun("--no-passes --strict -b sim:grid --schedule=case.tree -q --verify -i x=random case.graph"), 0,
		"%s", ltrun_err);
}

/* Both factors of the product are one cast, which something else reads, too: it is cloned once. */
Test(grid_trees, a_cast_of_bytes_by_itself)
{
	ltrun_write_text("case.graph", "graph 1\nvar m 48\n%x = u8[m] input \"x\"\n%a = i32[m] cast %x\n"
		"%b = bool[m] lessequal %a, %a\n%p = i32[m] mul %a, %a\n%s = i32[] add.reduce %p\nresult \"s\" = %s\n"
		"result \"b\" = %b\n");
	cr_expect_eq(ltrun("--no-passes --strict -b sim:grid -q --verify -i x=random case.graph"), 0, "%s", ltrun_err);
}

/* -- drawn trees -- */

static void draw(const char *backends, uint64_t first, uint64_t graphs)
{
	struct schedule_tally tally = { 0 };
	struct schedule_plan plan = { .backends = backends, .skip = "bind call tile", .seed = must_number("LT_SEED", first),
		.graphs = (int)must_draws("LT_GRAPHS", graphs), .sequences = 4, .together = 1, .grids = true };
	random_schedules(&plan, &tally);
	random_schedules_report(&plan, &tally);
	cr_expect_eq(tally.failed, 0, "%d of %d sequences", tally.failed, tally.sequences);
	cr_expect(tally.sequences < 40 || tally.uses[GPU_grids] > tally.sequences / 3, "%d grids of %d sequences",
		tally.uses[GPU_grids], tally.sequences);
	cr_expect_lt(tally.refused, 2 * tally.sequences);       /* what is drawn upon large tiles asks for too many threads */
}

/* build/gpu_trees draws many more. */
Test(grid_trees, in_warps) { draw("sim:grid", 501, 13); }
Test(grid_trees, in_small_subgroups) { draw("sim:grid/subgroup=4/order=backward", 701, 13); }
Test(grid_trees, without_subgroups) { draw("sim:grid/subgroup=1", 901, 13); }
Test(grid_trees, on_a_device)
{
	need_device();
	draw(DEVICE, 1101, 8);
}

/* -- on a device that runs CUDA, if there is one: make check leaves these out -- */

/* It stays open: to begin with a device takes longer than to draw a tree. */
static struct lt_session *gpu_session;

static void gpu_set_up(void)
{
	const struct lt_backend *cuda = lt_backend_find("cuda");
	if (!cuda || cuda->open(NULL, "", &gpu_session, NULL))
		cr_skip_test("no device that runs CUDA is there");
	ltrun_set_up();
}
static void gpu_tear_down(void)
{
	if (gpu_session)
		lt_backend_find("cuda")->close(gpu_session);
	ltrun_tear_down();
}
TestSuite(gpu_grid_trees, .init = gpu_set_up, .fini = gpu_tear_down, .timeout = 120);

Test(gpu_grid_trees, by_hand)
{
	for (int i = 0; i < N_CASE; i++)
		cr_expect_eq(grid_run(i, "cuda", "-q --verify -i '*=random'"), 0, "case %d: %s", i, ltrun_err);
}

Test(gpu_grid_trees, drawn) { draw("cuda", 1101, 12); }
