/* test_cpu_save.c -- the backend cpu: kernels as bytes and back, and runs that are recorded and repeated. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "built.h"
#include "keeper.h"
#include "program/host/host.h"
#include "treebuild.h"

static struct keeper k;
static const struct lt_backend *cpu;
static struct lt_session *s;

static struct lt_session *open_session(const char *config, const char *cc, uint32_t n_thread)
{
	static struct lt_host host[16];         /* each lives as long as its session */
	static int n;
	struct lt_host *own = &host[n++ % 16];
	struct lt_session *out;
	*own = (struct lt_host){ .size = sizeof *own, .cc = cc, .n_thread = n_thread,
		.parallel_for = lt__host_parallel_for };
	cr_assert_eq(cpu->open(own, config, &out, &k.diag), LT_OK, "%s", k.text);
	return out;
}
static void setup(void)
{
	k = keeper_new();
	cpu = lt_backend_find("cpu");
	s = open_session("O1", NULL, 2);
}
static void teardown(void) { cpu->close(s); }
TestSuite(cpu_save, .init = setup, .fini = teardown, .timeout = 60);

struct text { char *at; size_t n; };
static void append(void *user, const char *text, size_t bytes)
{
	struct text *t = user;
	t->at = realloc(t->at, t->n + bytes + 1);
	memcpy(t->at + t->n, text, bytes);
	t->n += bytes;
	t->at[t->n] = '\0';
}

static struct lt_object *compiled(const struct lt_tree *t)
{
	struct lt_object *o;
	cr_assert_eq(cpu->compile(s, &t, 1, &o, &k.diag), LT_OK, "%s", k.text);
	return o;
}

/* Of tb_product(2, 2, 3): what C is for A = a, B = 1 and a bias of 1, -100. */
static void expect_product(struct lt_object *o, float a)
{
	float A[6], B[6], bias[2] = { 1, -100 }, C[4] = { -1, -1, -1, -1 };
	struct lt_slot slot[4] = { { A, 0, sizeof A }, { B, 0, sizeof B }, { bias, 0, sizeof bias }, { C, 0, sizeof C } };
	struct lt_fault fault = { 0 };
	struct lt_args args = { .size = sizeof args, .n_slot = 4, .slot = slot, .fault = &fault };
	for (int e = 0; e < 6; e++)
		A[e] = a, B[e] = 1;
	cr_expect_eq(cpu->run(o, &args, &k.diag), LT_OK, "%s", k.text);
	cr_expect(C[0] == 3 * a + 1 && C[1] == 0 && C[2] == 3 * a + 1 && C[3] == 0, "%g %g", (double)C[0], (double)C[1]);
}

Test(cpu_save, loaded_again_it_computes_the_same)
{
	struct tb *b = tb_product(2, 2, 3);
	const struct lt_tree *t = tb_done(b);
	struct text saved = { 0 }, again = { 0 };
	struct lt_object *first = compiled(t), *loaded[3];
	cr_assert_eq(cpu->save(first, append, &saved, &k.diag), LT_OK, "%s", k.text);
	cpu->destroy(first);
	struct lt_session *other = open_session("O1", NULL, 1);
	for (int i = 0; i < 3; i++)             /* each is a library of its own */
		cr_assert_eq(cpu->load(other, t, saved.at, saved.n, &loaded[i], &k.diag), LT_OK, "%s", k.text);
	cr_assert_eq(cpu->save(loaded[1], append, &again, &k.diag), LT_OK);
	cr_expect(again.n == saved.n && memcmp(again.at, saved.at, saved.n) == 0);
	memset(saved.at, 0, saved.n);           /* borrowed for the call */
	for (int i = 0; i < 3; i++) {
		expect_product(loaded[i], (float)(i + 2));
		cpu->destroy(loaded[i]);
	}
	cpu->close(other);
	free(saved.at);
	free(again.at);
	free(b);
}

/* Parallel loops: workspace and threads come back, too. */
Test(cpu_save, needs_are_saved)
{
	struct tb *b = tb_product(2, 2, 3);
	b->loop[0].kind = LT_PARALLEL;
	const struct lt_tree *t = tb_done(b);
	struct text saved = { 0 };
	struct lt_object *first = compiled(t), *loaded;
	size_t bytes[2], align[2];
	cr_assert_eq(cpu->save(first, append, &saved, &k.diag), LT_OK, "%s", k.text);
	cr_assert_eq(cpu->load(s, t, saved.at, saved.n, &loaded, &k.diag), LT_OK, "%s", k.text);
	cpu->need(first, 2, &bytes[0], &align[0]);
	cpu->need(loaded, 2, &bytes[1], &align[1]);
	cr_expect(bytes[0] == bytes[1] && align[0] == align[1]);
	struct text stats[2] = { { 0 } };
	cpu->dump(first, LT_DUMP_STATS, append, &stats[0]);
	cpu->dump(loaded, LT_DUMP_STATS, append, &stats[1]);
	cr_expect(strstr(stats[0].at, "parallel 1\n") && strcmp(stats[0].at, stats[1].at) == 0, "%s", stats[1].at);
	expect_product(loaded, 5);
	cpu->destroy(first);
	cpu->destroy(loaded);
	free(stats[0].at);
	free(stats[1].at);
	free(saved.at);
	free(b);
}

Test(cpu_save, what_is_damaged_is_none_of_ours)
{
	struct tb *b = tb_product(2, 2, 3);
	const struct lt_tree *t = tb_done(b);
	struct text saved = { 0 };
	struct lt_object *first = compiled(t), *loaded = (void *)1;
	cr_assert_eq(cpu->save(first, append, &saved, &k.diag), LT_OK);
	cpu->destroy(first);
	for (size_t at = 0; at < saved.n; at += at < 8 ? 1 : at >= 24 && at < 32 ? 8 : saved.n / 50 + 1) {
		if (at >= 8 && at < 32)         /* sizes of the workspace: any would do */
			continue;
		loaded = (void *)1;
		saved.at[at] = (char)(saved.at[at] ^ 16);
		cr_expect_eq(cpu->load(s, t, saved.at, saved.n, &loaded, &k.diag), LT_EINVAL, "byte %d", (int)at);
		cr_expect(!loaded && strstr(k.text, "cpu: the cached object is not a kernel of this backend"), "%s", k.text);
		saved.at[at] = (char)(saved.at[at] ^ 16);
	}
	for (size_t n = 0; n < saved.n; n += n < 48 ? 12 : saved.n / 5)
		cr_expect_eq(cpu->load(s, t, saved.at, n, &loaded, &k.diag), LT_EINVAL, "%d bytes", (int)n);
	cr_expect_eq(cpu->load(s, t, saved.at, saved.n, &loaded, &k.diag), LT_OK);
	cpu->destroy(loaded);
	free(saved.at);
	free(b);
}

/* A library that cannot be loaded again: why, without the name of the file that was made of the bytes. */
Test(cpu_save, what_cannot_be_loaded_says_why)
{
	static char out[4096], err[4096], command[4096];
	char compiler[512];
	struct tb *b = tb_product(2, 2, 3);
	const struct lt_tree *t = tb_done(b);
	struct text saved = { 0 };
	struct lt_object *o;
	(void)snprintf(compiler, sizeof compiler, "%s", scratch("compiler"));
	(void)snprintf(command, sizeof command,
		"cd %s && echo 'int gone(void) { return 1; }' >gone.c && echo 'int gone(void); int f(void) { return "
		"gone(); }' >f.c && cc -shared -fPIC -o libgone.so gone.c && printf '#!/bin/sh\nexec cc \"$@\" %s/f.c "
		"-L%s -lgone -Wl,-rpath,%s\n' >compiler && chmod 700 compiler",
		scratch(""), scratch(""), scratch(""), scratch(""));
	cr_assert_eq(run_command(command, out, sizeof out, err, sizeof err), 0, "%s", err);
	struct lt_session *other = open_session("O1", compiler, 1);
	cr_assert_eq(cpu->compile(other, &t, 1, &o, &k.diag), LT_OK, "%s", k.text);
	cr_assert_eq(cpu->save(o, append, &saved, &k.diag), LT_OK, "%s", k.text);
	cpu->destroy(o);
	(void)snprintf(command, sizeof command, "cd %s && cc -shared -fPIC -o libgone.so -x c /dev/null", scratch(""));
	cr_assert_eq(run_command(command, out, sizeof out, err, sizeof err), 0, "%s", err);
	cr_expect_eq(cpu->load(other, t, saved.at, saved.n, &o, &k.diag), LT_EINVAL);
	cr_expect_str_eq(k.text, "cpu: the cached object is not a kernel of this backend: undefined symbol: gone");
	cpu->close(other);
	scratch_remove();
	free(saved.at);
	free(b);
}

static struct text identity_of(const char *config, const char *cc)
{
	struct lt_session *session = open_session(config, cc, 1);
	struct text t = { 0 };
	lt_status status = cpu->identity(session, append, &t, &k.diag);
	cr_expect_eq(status == LT_OK, t.at != NULL, "%s", k.text);
	cr_expect(!status || status == LT_EUNSUPPORTED);
	cpu->close(session);
	return t;
}

Test(cpu_save, identity_is_what_code_depends_on)
{
	struct text a = identity_of("", "cc"), b = identity_of("", NULL), level = identity_of("O1", "cc"),
		    command = identity_of("", "env cc");
	cr_expect(strcmp(a.at, b.at) == 0 && strstr(a.at, " -O3 ") && strstr(a.at, "processor\n")
			&& strstr(a.at, "printer "),
		"%s", a.at);
	cr_expect(strcmp(a.at, level.at) != 0 && strcmp(a.at, command.at) != 0);
	free(a.at);
	free(b.at);
	free(level.at);
	free(command.at);
	FILE *f = fopen(scratch("edited.c"), "w");
	cr_assert(f && fputs("int x;\n", f) >= 0 && fclose(f) == 0);
	char config[300];
	(void)snprintf(config, sizeof config, "source=%s", scratch("edited.c"));
	cr_expect_null(identity_of(config, "cc").at);
	cr_expect_str_eq(k.text, "cpu: code compiled from an edited C file is not cached");
#if defined(__x86_64__)
	cr_expect_null(identity_of("target=neon", "cc").at);
#endif
	scratch_remove();
}

/* y[i] = x[i] + x[index[i]]. */
static struct tb *gathers(void)
{
	struct tb *b = tb_new("gathers", 0, 1, 0);
	int32_t x = tb_buffer(b, "x", LT_F32, LT_INPUT, -1, 4), index = tb_buffer(b, "index", LT_I64, LT_INPUT, -1, 4);
	int32_t y = tb_buffer(b, "y", LT_F32, LT_OUTPUT, -1, 4), add = tb_op(b, "add", LT_F32, LT_F32);
	tb_loop(b, -1, LT_SERIAL, 4, NULL, "i");
	tb_stmt(b, LT_MAP, add, 0, tb_access(b, y, "i0"), NULL, "y", 3);
	tb_read(b, tb_access(b, x, "i0"));
	tb_read(b, tb_gather(b, x, "0", tb_access(b, index, "i0"), 4, 1));
	return b;
}

/* Two runs in a row: z is made of y, which is made of x; their args and slots are gone when they are repeated. */
struct row { float x[4], y[4], z[4]; int64_t index[4]; struct lt_fault fault; };

static void args_of(struct row *r, struct lt_slot slot[6], struct lt_args args[2])
{
	for (int i = 0; i < 2; i++) {
		slot[3 * i] = (struct lt_slot){ r, (int64_t)(i ? offsetof(struct row, y) : offsetof(struct row, x)), 16 };
		slot[3 * i + 1] = (struct lt_slot){ r, offsetof(struct row, index), 32 };
		slot[3 * i + 2] = (struct lt_slot){ r, (int64_t)(i ? offsetof(struct row, z) : offsetof(struct row, y)), 16 };
		args[i] = (struct lt_args){ .size = sizeof *args, .n_slot = 3, .slot = slot + 3 * i, .fault = &r->fault };
	}
}

Test(cpu_save, a_capture_is_the_runs_again)
{
	struct tb *b = gathers();
	struct lt_object *o = compiled(tb_done(b)), *both[2] = { o, o };
	struct row r, want;
	struct lt_slot slot[6], other[6];
	struct lt_args args[2], now[2];
	struct lt_capture *c;
	args_of(&r, slot, args);
	cr_assert_eq(cpu->capture(s, both, args, 2, &c, &k.diag), LT_OK, "%s", k.text);
	memset(slot, 0xff, sizeof slot);
	memset(args, 0xff, sizeof args);
	for (int turn = 0; turn < 5; turn++) {
		memset(&r, 0xff, sizeof r);
		r.fault = (struct lt_fault){ 0 };
		for (int i = 0; i < 4; i++) {
			r.x[i] = (float)(10 * turn + i);
			r.index[i] = turn == 3 && i == 2 ? 7 : (i + turn) % 4;          /* one of them is out of range */
		}
		want = r;
		args_of(&want, other, now);
		for (int i = 0; i < 2; i++)
			cr_assert_eq(cpu->run(o, &now[i], &k.diag), LT_OK);
		cr_assert_eq(cpu->replay(c, &k.diag), LT_OK);
		cr_expect(memcmp(r.x, want.x, offsetof(struct row, fault)) == 0, "turn %d: %g %g", turn, (double)r.z[0],
			(double)want.z[0]);
		for (int i = 0; i < 4 && turn != 3; i++) {
			float y[4];
			for (int e = 0; e < 4; e++)
				y[e] = r.x[e] + r.x[r.index[e]];
			cr_expect_eq(r.z[i], y[i] + y[r.index[i]]);
		}
		cr_expect(r.fault.n == want.fault.n && r.fault.stmt == want.fault.stmt && r.fault.value == want.fault.value
			&& (r.fault.n > 0) == (turn == 3), "turn %d: %d faults", turn, (int)r.fault.n);
	}
	cpu->capture_free(c);
	cpu->destroy(o);
	free(b);
}

/* All is looked at when it is recorded; a newer host's args are longer. */
Test(cpu_save, a_capture_is_checked_once)
{
	struct { struct lt_args args; char more[64]; } longer[2];
	struct tb *b = gathers();
	struct lt_object *o = compiled(tb_done(b)), *both[2] = { o, o };
	struct row r = { .x = { 1, 2, 3, 4 } };
	struct lt_slot slot[6];
	struct lt_args args[2];
	struct lt_capture *c = (void *)1;
	args_of(&r, slot, args);
	args[1].n_slot = 2;
	cr_expect_eq(cpu->capture(s, both, args, 2, &c, &k.diag), LT_EINVAL);
	cr_expect(!c && strcmp(k.text, "kernel gathers takes 3 buffers, 2 were given") == 0, "%s", k.text);
	args[1].n_slot = 3;
	slot[4].bytes = 31;
	cr_expect_eq(cpu->capture(s, both, args, 2, &c, &k.diag), LT_EINVAL);
	cr_expect_str_eq(k.text, "kernel gathers: buffer index has 31 bytes and needs 32");
	slot[4].bytes = 32;
	memset(longer, 0xff, sizeof longer);
	for (int i = 0; i < 2; i++) {
		longer[i].args = args[i];
		longer[i].args.size = sizeof *longer;
	}
	cr_assert_eq(cpu->capture(s, both, &longer->args, 2, &c, &k.diag), LT_OK, "%s", k.text);
	cr_assert_eq(cpu->replay(c, NULL), LT_OK);
	cr_expect(r.y[3] == 5 && r.z[3] == 7, "%g %g", (double)r.y[3], (double)r.z[3]);
	cpu->capture_free(c);
	cr_assert_eq(cpu->capture(s, both, NULL, 0, &c, &k.diag), LT_OK);          /* of nothing */
	cr_expect_eq(cpu->replay(c, NULL), LT_OK);
	cpu->capture_free(c);
	cpu->capture_free(NULL);
	cpu->destroy(o);
	free(b);
}
