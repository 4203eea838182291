/* test_cpu_threads.c -- the threads of the backend cpu: how many, what memory they are given, how long they
 * live. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "program/host/host.h"
#include "tests/cpu_session.h"
#include "tests/ltrun.h"
#include "treebuild.h"
#include "keeper.h"

TestSuite(cpu_threads, .init = ltrun_set_up, .fini = ltrun_tear_down, .timeout = 120);

static void append(void *user, const char *text, size_t bytes)
{
	char *to = user;
	size_t n = strlen(to);
	cr_assert(n + bytes < 1 << 16);
	memcpy(to + n, text, bytes);
	to[n + bytes] = '\0';
}

/* The product of tb_product(2, 2, 3) with an entry of our own: C = how many points its threads were given, its threads,
 * at most 4, and 1 if one of them had another number. */
static void write_counting(const struct lt_tree *t)
{
	static const char entry[] =
		"#include <string.h>\nstruct counts { int points, n_thread, bad; };\n"
		"static void count(void *arg, int64_t first, int64_t last, uint32_t thread)\n{\n"
		"\tstruct counts *c = arg;\n\t__atomic_fetch_add(&c->points, (int)(last - first), __ATOMIC_RELAXED);\n"
		"\tif (thread >= (uint32_t)c->n_thread)\n\t\t__atomic_store_n(&c->bad, 1, __ATOMIC_RELAXED);\n}\n"
		"void product_entry(const struct lt_slot *slot, char *workspace, struct lt_fault *fault, "
		"const struct lt_team *team)\n{\n"
		"\tfloat *c = lt_slot_at(slot, 3);\n\tstruct counts n = { 0, (int)team->n_thread, 0 };\n\t(void)fault;\n"
		"\tteam->parallel_for(team->host, team->n_thread, 1000, count, &n);\n"
		"\tmemset(workspace, 1, 64 + (size_t)team->n_thread * 128);\n"
		"\tc[0] = (float)n.points;\n\tc[1] = (float)n.n_thread;\n\tc[2] = (float)n.bad;\n}\n";
	static char text[1 << 16];
	struct keeper k = keeper_new();
	struct lt_session *s = cpu_session("", 1, &k);
	struct lt_object *object;
	cr_assert_eq(lt_backend_find("cpu")->compile(s, &t, 1, &object, &k.diag), LT_OK, "%s", k.text);
	text[0] = '\0';
	cr_assert_eq(lt_backend_find("cpu")->dump(object, LT_DUMP_SOURCE, append, text), LT_OK);
	char *mark = strstr(text, ", workspace 0 + 0 "), *own = strstr(text, "\nLT_ENTRY void product_entry(");
	cr_assert(mark && own);
	*own = '\0';
	char changed[1 << 16];
	(void)snprintf(changed, sizeof changed, "%.*s, workspace 64 + 128 %s\n%s", (int)(mark - text), text,
		mark + strlen(", workspace 0 + 0 "), entry);
	ltrun_write_text("count.c", changed);
	lt_backend_find("cpu")->destroy(object);
	lt_backend_find("cpu")->close(s);
}

/* One session, from open to close, with runs on 0 (which is the session's 3) to 4 threads. */
static void count_in_a_session(const struct lt_tree *t)
{
	const struct lt_backend *cpu = lt_backend_find("cpu");
	char config[512];
	struct keeper k = keeper_new();
	struct lt_object *object;
	(void)snprintf(config, sizeof config, "source=%s", scratch("count.c"));
	struct lt_session *s = cpu_session(config, 3, &k);
	cr_assert_eq(cpu->compile(s, &t, 1, &object, &k.diag), LT_OK, "%s", k.text);
	for (uint32_t n = 0; n < 5; n++) {
		float A[6] = { 0 }, B[6] = { 0 }, bias[2] = { 0 }, C[4] = { 0 };
		_Alignas(64) char workspace[64 + 128 * 4 + 64];
		struct lt_slot slot[4] = { { A, 0, sizeof A }, { B, 0, sizeof B }, { bias, 0, sizeof bias }, { C, 0, sizeof C } };
		struct lt_fault fault = { 0 };
		struct lt_args args = { .size = sizeof args, .n_slot = 4, .slot = slot, .fault = &fault, .n_thread = n };
		size_t bytes, align;
		uint32_t want = n ? n : 3;
		cpu->need(object, n, &bytes, &align);
		cr_expect_eq(bytes, 64 + 128 * want);
		cr_expect_eq(align, 64);
		cr_expect_eq(cpu->run(object, &args, &k.diag), LT_EINVAL);
		cr_expect(strstr(k.text, "kernel product needs a workspace of "), "%s", k.text);
		memset(workspace, 0, sizeof workspace);
		args.workspace = workspace;
		cr_assert_eq(cpu->run(object, &args, &k.diag), LT_OK, "%s", k.text);
		cr_expect(C[0] == 1000 && C[1] == (float)want && C[2] == 0, "%g points, %g threads for %u", (double)C[0],
			(double)C[1], (unsigned)want);
		cr_expect(workspace[bytes - 1] == 1 && workspace[bytes] == 0);
	}
	size_t bytes, max;
	cpu->need(object, UINT32_MAX, &max, &bytes);
	cr_expect(max >= 64 + 128 * 256 && max < 1 << 24, "%zu bytes for all the threads there could be", max);
	cpu->destroy(object);
	cpu->close(s);
}

Test(cpu_threads, as_many_as_the_run_may_have)
{
	struct tb *b = tb_product(2, 2, 3);
	const struct lt_tree *t = tb_done(b);
	write_counting(t);
	count_in_a_session(t);
	free(b);
}

/* Kernels with threads are unloaded while the threads still wait for work. */
Test(cpu_threads, outlive_their_kernels)
{
	struct tb *b = tb_product(2, 2, 3);
	const struct lt_tree *t = tb_done(b);
	write_counting(t);
	for (int round = 0; round < 4; round++) {
		count_in_a_session(t);
		usleep((useconds_t)round * 10000);      /* the threads spin, then sleep */
	}
	free(b);
}

static void expect_equal(const char *a, const char *b, const char *what)
{
	struct lt_tensors x, y;
	ltrun_read(a, &x);
	ltrun_read(b, &y);
	cr_expect_eq(x.n, y.n);
	for (int i = 0; i < x.n; i++)
		cr_expect(x.at[i].bytes == y.at[i].bytes && memcmp(x.at[i].data, y.at[i].data, x.at[i].bytes) == 0,
			"%s: %s differs", what, x.at[i].name);
	lt__tensors_free(&x);
	lt__tensors_free(&y);
}

/* The same bits, whoever runs a trip: default trees, and rows whose buffers are too large for a stack. */
Test(cpu_threads, never_change_a_result)
{
	static const struct { const char *name, *text, *apply;
	} cases[] = {
		{ "product",
			"$1 = InputTensor(x, float32, [100, 200]); $2 = InputTensor(w, float32, [200, 130]); $3 = "
			"MatMulNode($1, $2); result = $3;",
			"" },
		{ "large",
			"$1 = InputTensor(x, float32, [384, 256]); $2 = ConstantTensor(w, float32, [256, 400]); $3 = "
			"MatMulNode($1, $2); result = $3;",
			"" },
		{ "rows", "$1 = InputTensor(x, float32, [13, 20000]); $2 = SoftmaxNode($1, 1); result = $2;", "" },
		{ "parallel-rows", "$1 = InputTensor(x, float32, [13, 20000]); $2 = SoftmaxNode($1, 1); result = $2;",
			"--apply 'parallel i'" },
		{ "wide",
			"$1 = InputTensor(x, float32, [300000]); $2 = ReLUNode($1); $3 = SumNode($2, $1); result = $3;",
			"" },
	};
	for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
		char script[64], first[64], next[64], want[64];
		(void)snprintf(script, sizeof script, "%s.lt", cases[c].name);
		(void)snprintf(first, sizeof first, "%s1.npy", cases[c].name);
		ltrun_write_text(script, cases[c].text);
		cr_assert_eq(ltrun("%s %s -i '*=random' -c '*=random' -q --verify --threads 1 -o %s", script,
				     cases[c].apply, first),
			0, "%s", ltrun_err);
		for (int n = 2; n < 6; n++) {
			(void)snprintf(next, sizeof next, "%s%d.npy", cases[c].name, n);
			cr_assert_eq(ltrun("%s %s -i '*=random' -c '*=random' -q --time=2 --threads %d -o %s", script,
					     cases[c].apply, n, next),
				0, "%s", ltrun_err);
			expect_equal(first, next, cases[c].name);
			if (!cases[c].apply[0])
				continue;
			/* A row of exponentials for each thread. */
			(void)snprintf(want, sizeof want, "\nthreads: %d; 1 kernel with parallel loops\n", n);
			cr_expect(strstr(ltrun_out, want), "%s", ltrun_out);
			(void)snprintf(want, sizeof want, "; %d kB within kernels\n", 80 * n);
			cr_expect(strstr(ltrun_out, want), "%s", ltrun_out);
		}
	}
}
