/* test_llvm.c -- the backend llvm: random layers, graphs and schedules beside the evaluator, the examples, its
 * texts, objects that are saved and loaded, recorded runs, sessions on two threads.  Its operators:
 * tests/test_llvm_ops.c.
 */
#include <criterion/criterion.h>
#include <pthread.h>
#include "looptree/tree/tree.h"
#include "tests/built.h"
#include "tests/llvm_plugin.h"
#include "tests/random_layer.h"
#include "tests/random_schedule.h"
#include "tests/treerun.h"

TestSuite(llvm, .init = llvm_load, .fini = scratch_remove, .timeout = 120);

Test(llvm, layers_and_graphs_come_out_as_the_evaluator_says)
{
	struct layer_tally tally = { 0 };
	const struct layer_plan layers = { .backends = "llvm", .seed = 4001, .graphs = 8, .together = 4, .work = 20000 };
	const struct layer_plan graphs = {
		.backends = "llvm", .seed = 5001, .graphs = 30, .together = 10, .work = 2000, .any = true
	};
	layer_runs(&layers, &tally);
	layer_runs(&graphs, &tally);
	cr_expect_eq(tally.failed, 0, "%d of %d graphs", tally.failed, tally.graphs);
	cr_expect_gt(tally.elements, 5000);
}

Test(llvm, random_schedules_come_out_as_the_evaluator_says)
{
	struct schedule_tally tally = { 0 };
	const struct schedule_plan plan = {
		.backends = "llvm", .skip = "bind call", .seed = 6001, .graphs = 7, .sequences = 4, .together = 8
	};
	random_schedules(&plan, &tally);
	cr_expect_eq(tally.failed, 0, "%d of %d sequences", tally.failed, tally.sequences);
	cr_expect_geq(tally.sequences, 20);
}

static char out[1 << 20], err[1 << 16];

/* lt-run with the plug-in; its exit code. */
static int lt_run(const char *options)
{
	char command[2048];
	(void)snprintf(command, sizeof command, "%s -B %s -b llvm --strict %s", built("lt-run"), llvm_path(),
		options);
	return run_command(command, out, sizeof out, err, sizeof err);
}

Test(llvm, the_examples_are_right)
{
	static const char *const scripts[] = {
		"examples/matmul.lt",
		"examples/softmax.lt",
		"examples/layernorm.lt",
		"examples/conv.lt",
		"examples/attention.lt",
		"examples/mlp.lt",
		"examples/matmul.lt --schedule=examples/schedules/matmul-registers.tree",
		"examples/matmul.lt --schedule=examples/schedules/matmul-blocks.tree",
		"examples/softmax.lt --schedule=examples/schedules/softmax-rows.tree",
		"examples/softmax.lt --schedule=examples/schedules/softmax-vectors.tree",
		"examples/conv.lt --schedule=examples/schedules/conv-window.tree",
	};
	for (size_t i = 0; i < sizeof scripts / sizeof *scripts; i++) {
		char options[512];
		(void)snprintf(options, sizeof options,
			"%s --threads %d -i '*=random' -c '*=random' --verify --no-cache", scripts[i],
			1 + (int)(i % 3 == 0));
		cr_expect_eq(lt_run(options), 0, "%s: %s", options, err);
		cr_expect(strstr(out, "verify: passed") || strstr(err, "verify: passed"), "%s: %s", options, err);
	}
}

Test(llvm, its_source_is_llvm_ir_and_its_assembly_the_machine_s)
{
	cr_assert_eq(lt_run("--dump=source examples/matmul.lt"), 0, "%s", err);
	cr_expect(strstr(out, "define dso_local void @lt_kernel(") || strstr(out, "define void @lt_kernel("));
	cr_expect(strstr(out, "fmul contract") != NULL);
	cr_assert_eq(lt_run("--dump=asm examples/matmul.lt"), 0, "%s", err);
	cr_expect(strstr(out, "lt_kernel:") != NULL);
	cr_expect_neq(lt_run("--dump=source -b llvm:level=9 examples/matmul.lt"), 0);
	cr_expect(strstr(err, "the option level does not take '9'") && strstr(err, "from 0 to 3"), "%s", err);
}

/* A function takes time to compile, however short it is. */
Test(llvm, functions_that_only_hand_over_are_few_and_quick_to_make)
{
	cr_assert_eq(lt_run("--dump=source --threads 2 examples/matmul.lt "
		"--schedule=examples/schedules/matmul-blocks.tree"), 0, "%s", err);
	cr_expect(strstr(out, "@body1(") && strstr(out, "@lt_kernel(") && !strstr(out, "@kernel("), "%s", out);
	cr_expect(strstr(out, " optnone ") != NULL, "what only hands over is improved");
	cr_assert_eq(lt_run("--dump=source --threads 2 examples/matmul.lt "
		"--schedule=examples/schedules/matmul-registers.tree --apply='serial m'"), 0, "%s", err);
	cr_expect(!strstr(out, "@body1(") && strstr(out, "@lt_kernel(") && strstr(out, "@kernel("), "%s", out);
	cr_expect(!strstr(out, "optnone"), "a small kernel is left as it is");
}

/* Whether lt-run, with the plug-in in that file, compiles the kernels of a script, or takes them from the cache. */
static void expect_kernels(const char *plugin, const char *script, const char *want)
{
	char command[2048];
	(void)snprintf(command, sizeof command,
		"%s -B %s -b llvm --strict --cache-dir %s -i '*=random' -c '*=random' --verify --time=1 %s",
		built("lt-run"), plugin, scratch("cache"), script);
	cr_assert_eq(run_command(command, out, sizeof out, err, sizeof err), 0, "%s", err);
	const char *kernels = strstr(out, "\nkernels: ");       /* of --time; --verify tells of kernels, too */
	cr_assert(kernels != NULL);
	cr_expect(strncmp(kernels + 1, want, strlen(want)) == 0, "%s: %.60s", plugin, kernels + 1);
}
Test(llvm, the_host_keeps_its_objects_on_disk)
{
	expect_kernels(llvm_path(), "examples/matmul.lt", "kernels: 1, 1 compiled, 0 from the cache");
	expect_kernels(llvm_path(), "examples/matmul.lt", "kernels: 1, 0 compiled, 1 from the cache");
}

static char *find_bytes(char *in, size_t n, const char *what, size_t bytes)
{
	for (size_t i = 0; i + bytes <= n; i++)
		if (memcmp(in + i, what, bytes) == 0)
			return in + i;
	return NULL;
}

static void write_file(const char *name, const char *at, size_t n)
{
	FILE *f = fopen(name, "wb");
	cr_assert(f && fwrite(at, 1, n, f) == n && fclose(f) == 0, "%s", name);
}

static void expect_build(const char *plugin, bool kept)
{
	static const char graph[] = "graph 1\nvar i 9\n%x = f32[i] input \"x\"\n%y = f32[i] neg %x\nresult \"y\" = %y\n";
	write_file(scratch("small.graph"), graph, sizeof graph - 1);
	expect_kernels(plugin, scratch("small.graph"), kept
		? "kernels: 1, 0 compiled, 1 from the cache"
		: "kernels: 1, 1 compiled, 0 from the cache");
}

/* Plug-ins that are built from other code do not take each other's objects: the linker's hash is another one, or there
 * is none, and some byte is. */
Test(llvm, another_build_does_not_take_the_objects_of_this_one)
{
	static const char note[] = "\x14\0\0\0\3\0\0\0GNU";              /* of the build ID: 20 bytes, the third kind */
	static char file[64 << 20], name[2][512];
	FILE *f = fopen(llvm_path(), "rb");
	size_t n = f ? fread(file, 1, sizeof file, f) : 0;
	cr_assert(f && n > 0 && n < sizeof file && fclose(f) == 0);
	char *id = find_bytes(file, n, note, sizeof note), *summary = find_bytes(file, n, "LLVM IR, compiled in memory", 27);
	(void)snprintf(name[0], sizeof name[0], "%s", scratch("one.so"));
	(void)snprintf(name[1], sizeof name[1], "%s", scratch("other.so"));
	expect_build(llvm_path(), false);
	write_file(name[0], file, n);
	expect_build(name[0], true);                  /* it is not the name of the file */
	if (id) {
		id[sizeof note] ^= 1;
		write_file(name[1], file, n);
		expect_build(name[1], false);
		id[4] = 99;                             /* another kind of note */
		write_file(name[0], file, n);
		expect_build(name[0], false);
		expect_build(name[0], true);
	}
	cr_assert(summary != NULL);
	summary[0] = 'l';
	write_file(name[0], file, n);
	expect_build(name[0], false);
	expect_build(name[0], true);
	expect_build(llvm_path(), true);
}

/* y[i] = sum over j of x[i, j] in parallel rows; what is the same in each of `n` benches. */
enum { ROWS = 37, COLUMNS = 83 };

static struct tb *sum_tree(void)
{
	struct tb *b = tb_new("sums", 0, 2, 0);
	int32_t i = tb_loop(b, -1, LT_PARALLEL, ROWS, NULL, "i"), j = tb_loop(b, i, LT_VECTOR, COLUMNS, NULL, "j");
	int32_t x = tb_buffer(b, "x", LT_F32, LT_INPUT, -1, ROWS * COLUMNS),
		y = tb_buffer(b, "y", LT_F32, LT_OUTPUT, -1, ROWS);
	int32_t add = tb_op(b, "add", LT_F32, LT_F32);
	tb_reset(b, add, i, tb_access(b, y, "i0"), "y", 1);
	tb_stmt(b, LT_COMBINE, add, j, tb_access(b, y, "i0"), NULL, "y", 1)->reducing = j;
	tb_read(b, tb_access(b, x, "83*i0 + i1"));
	return b;
}

static void fill(struct bench *n, int seed)
{
	for (int i = 0; i < ROWS * COLUMNS; i++)
		((float *)data(n, 0))[i] = (float)((i * 7 + seed) % 31 - 15) * 0.25f;
	memset(data(n, 1), 0xa5, ROWS * sizeof(float));
}

static bool is_right(struct bench *n)
{
	for (int i = 0; i < ROWS; i++) {
		float want = 0;
		for (int j = 0; j < COLUMNS; j++)
			want += ((float *)data(n, 0))[i * COLUMNS + j];         /* exact: multiples of 1/4 */
		if (((float *)data(n, 1))[i] != want)
			return false;
	}
	return true;
}

struct bytes { char at[1 << 16]; size_t n; };
static void keep(void *user, const char *text, size_t n)
{
	struct bytes *b = user;
	cr_assert_leq(b->n + n, sizeof b->at);
	memcpy(b->at + b->n, text, n);
	b->n += n;
}

Test(llvm, an_object_that_was_saved_is_loaded_and_a_damaged_one_is_not)
{
	static struct bytes b;
	struct tb *tree = sum_tree();
	struct bench n;
	struct lt_object *again = NULL;
	open_bench(&n, "llvm", tree);
	const struct lt_tree *t = tb_done(tree);
	cr_assert_eq(n.backend->save(n.object, keep, &b, &n.k.diag), LT_OK);
	for (size_t cut = 0; cut < b.n; cut += 97) {
		cr_expect_eq(n.backend->load(n.session, t, b.at, cut, &again, &n.k.diag), LT_EINVAL);
		cr_expect_null(again);
		b.at[cut] ^= 4;
		cr_expect_eq(n.backend->load(n.session, t, b.at, b.n, &again, &n.k.diag), LT_EINVAL);
		b.at[cut] ^= 4;
	}
	cr_assert_eq(n.backend->load(n.session, t, b.at, b.n, &again, &n.k.diag), LT_OK, "%s", n.k.text);
	n.backend->destroy(n.object);
	n.object = again;
	fill(&n, 3);
	cr_assert_eq(run(&n, 2), LT_OK, "%s", n.k.text);
	cr_expect(is_right(&n));
	close_bench(&n);
	free(tree);
}

Test(llvm, recorded_runs_are_run_again_in_order)
{
	struct tb *tree = sum_tree();
	struct bench n;
	struct lt_capture *c = NULL;
	open_bench(&n, "llvm", tree);
	struct lt_object *const object[2] = { n.object, n.object };
	struct lt_slot slot[2] = { n.slot[0], n.slot[1] };
	struct lt_args args[2] = { { .size = sizeof args[0],
		.n_slot = 2,
		.slot = slot,
		.workspace = n.workspace,
		.n_thread = 1,
		.fault = &n.fault } };
	args[1] = args[0];
	cr_assert_eq(n.backend->capture(n.session, object, args, 2, &c, &n.k.diag), LT_OK, "%s", n.k.text);
	memset(slot, 0, sizeof slot);           /* they were copied */
	memset(args, 0, sizeof args);
	for (int time = 0; time < 3; time++) {
		fill(&n, time);
		cr_assert_eq(n.backend->replay(c, &n.k.diag), LT_OK);
		cr_expect(is_right(&n), "replay %d", time);
	}
	n.backend->capture_free(c);
	struct lt_args bad = { .size = sizeof bad, .n_slot = 1, .slot = n.slot, .fault = &n.fault };
	cr_expect_eq(n.backend->capture(n.session, object, &bad, 1, &c, &n.k.diag), LT_EINVAL);
	cr_expect_null(c);
	close_bench(&n);
	free(tree);
}

static void *work(void *arg)
{
	int seed = *(int *)arg;
	intptr_t wrong = 0;
	for (int time = 0; time < 4; time++) {
		struct tb *tree = sum_tree();
		struct bench n;
		open_bench(&n, "llvm", tree);
		for (int i = 0; i < 200; i++) {
			fill(&n, seed + i);
			wrong += run(&n, 2) != LT_OK || !is_right(&n);
		}
		close_bench(&n);
		free(tree);
	}
	return (void *)wrong;
}

Test(llvm, two_sessions_compile_and_run_on_two_threads)
{
	pthread_t thread[2];
	int seed[2] = { 1, 1000 };
	for (int i = 0; i < 2; i++)
		cr_assert_eq(pthread_create(&thread[i], NULL, work, &seed[i]), 0);
	for (int i = 0; i < 2; i++) {
		void *wrong;
		pthread_join(thread[i], &wrong);
		cr_expect_null(wrong);
	}
}

Test(llvm, what_it_does_not_take_it_refuses_with_a_reason)
{
	struct tb *b = tb_new("grid", 0, 1, 0);
	struct keeper k = keeper_new();
	struct lt_session *s = NULL;
	const struct lt_backend *llvm = lt_backend_find("llvm");
	const struct lt_host host = { .size = sizeof host };
	int32_t i = tb_loop(b, -1, LT_GRID, 4, NULL, "i"), x = tb_buffer(b, "x", LT_F32, LT_INPUT, -1, 4),
		y = tb_buffer(b, "y", LT_F32, LT_OUTPUT, -1, 4);
	tb_stmt(b, LT_MAP, tb_op(b, "abs", LT_F32, LT_F32), i, tb_access(b, y, "i0"), NULL, "y", 1);
	tb_read(b, tb_access(b, x, "i0"));
	cr_assert_eq(llvm->open(&host, "", &s, &k.diag), LT_OK, "%s", k.text);
	cr_expect_eq(llvm->accepts(s, tb_done(b), &k.diag), LT_EUNSUPPORTED);
	cr_expect(strstr(k.text, "loop i") && k.loop == 0 && k.remedy[0], "%s", k.text);
	llvm->close(s);
	free(b);
	s = NULL;
	cr_expect_eq(llvm->open(&host, "fast", &s, &k.diag), LT_EINVAL);
	cr_expect(strstr(k.text, "fast") && !s, "%s", k.text);
	cr_expect_eq(llvm->score("fast", &k.diag), 0);
}
