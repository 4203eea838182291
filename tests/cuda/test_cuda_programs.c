/* test_cuda_programs.c -- programs on the backend cuda as their users see them: faults by their sentence,
 * instances side by side, run-time scalars and states between recorded runs, memory that is not there.  On the driver
 * that is not there, whose launches the simulator runs, and (gpu_programs) on a device. */
#include <math.h>
#include <pthread.h>
#include "lt/lt.h"
#include "check/random/must.h"
#include "tests/cuda/cuda_session.h"
#include "tests/cuda/simulated_device.h"

static const char *backend;             /* of the test */
static struct lt_context *ctx;

static void programs_begin(void)
{
	struct lt_cuda_nvrtc nvrtc;
	struct mock_cuda *mock = mock_load();
	if (lt__cuda_nvrtc_load(&nvrtc, 13000, NULL))
		cr_skip_test("it needs NVRTC");
	simulated_device(mock);
	backend = "cuda_sim";
	cr_assert_eq(lt_context_new(&ctx), LT_OK);
}

static void programs_begin_gpu(void)
{
	struct keeper k = keeper_new();
	struct lt_session *s;
	if (cuda_backend()->open(NULL, "", &s, &k.diag))
		cr_skip_test("%s", k.text);
	cuda_backend()->close(s);
	backend = "cuda";
	cr_assert_eq(lt_context_new(&ctx), LT_OK);
}

static void programs_end(void) { lt_context_free(ctx); }
TestSuite(cuda_programs, .init = programs_begin, .fini = programs_end, .timeout = 120);
TestSuite(gpu_programs, .init = programs_begin_gpu, .fini = programs_end, .timeout = 120);
#define BOTH(name) \
	static void name(void); \
	Test(cuda_programs, name) { name(); } \
	Test(gpu_programs, name) { name(); } \
	static void name(void)

static struct lt_program *program_with(const char *text, const char *backends, const char *on_device)
{
	struct lt_graph *g;
	struct lt_program *p;
	const struct lt_options o = { .size = sizeof o, .backends = backends, .strict = 1, .on_device = on_device };
	cr_assert_eq(lt_graph_parse(ctx, text, strlen(text), "test", &g), LT_OK, "%s", lt_context_message(ctx));
	cr_assert_eq(lt_compile(ctx, g, &o, &p), LT_OK, "%s", lt_context_message(ctx));
	lt_graph_free(g);
	return p;
}

static struct lt_program *program_of(const char *text, const char *backends)
{
	return program_with(text, backends, NULL);
}

static struct lt_instance *instance_of(struct lt_program *p)
{
	struct lt_instance *r;
	cr_assert_eq(lt_instance_new(p, &r), LT_OK, "%s", lt_instance_message(r));
	return r;
}

static int64_t replayed(const struct lt_program *p)
{
	struct lt_stats s = { .size = sizeof s };
	lt_program_stats(p, &s);
	return s.n_replayed;
}

/* ---- an index out of range ---- */

#define GATHER \
	"graph 1\nvar r 10\nvar c 4\nvar i 3\n%table = f32[r, c] input \"table\"\n%at = i64[i] input \"at\"\n" \
	"%rows = f32[i, c] gather %table, %at axis 0\n%sum = f32[i] add.reduce %rows\n%e = f32[i] exp %sum\n" \
	"result \"rows\" = %rows\nresult \"e\" = %e\n"

struct gathered { float table[40], rows[12], e[3]; int64_t at[3]; };

static lt_status gather_run(struct lt_instance *r, struct gathered *x)
{
	return lt_instance_run(r, (const void *const[]){ x->table, x->at }, (void *const[]){ x->rows, x->e });
}

BOTH(a_fault_names_node_and_index)
{
	struct lt_program *p = program_of(GATHER, backend), *ref = program_of(GATHER, "ref");
	struct lt_instance *r = instance_of(p), *want = instance_of(ref);
	static struct gathered x, y;
	for (int i = 0; i < 40; i++)
		x.table[i] = y.table[i] = (float)i / 16;
	/* The first run is not recorded, later ones are. */
	static const int64_t at[6][3] = { { 1, 12, 3 }, { 9, 0, 4 }, { 2, 2, -1 }, { 1, 2, 3 }, { 10, 1, 1 }, { 9, 9, 9 } };
	for (int n = 0; n < 6; n++) {
		memcpy(x.at, at[n], sizeof x.at);
		memcpy(y.at, at[n], sizeof y.at);
		lt_status status = gather_run(r, &x), wanted = gather_run(want, &y);
		cr_expect_eq(status, wanted, "run %d: %s", n, lt_instance_message(r));
		cr_expect_str_eq(lt_instance_message(r), lt_instance_message(want), "run %d", n);
		for (int i = 0; i < 12 && !status; i++)
			cr_expect_eq(x.rows[i], y.rows[i], "run %d: %d", n, i);
		for (int i = 0; i < 3 && !status; i++)
			cr_expect_lt(fabsf(x.e[i] / y.e[i] - 1), 1e-5f, "run %d: %d", n, i);
	}
	lt_instance_free(r);
	lt_instance_free(want);
	lt_program_free(p);
	lt_program_free(ref);
}

/* ---- instances at once ---- */

#define COUNT \
	"graph 1\nvar i 96\nvar j 8\n%s = f32[i] state \"s\"\n%x = f32[i, j] input \"x\"\n%r = f32[i] add.reduce %x\n" \
	"%t = f32[i] add %s, %r\n%d = f32[i] add %t, %t\nset %s = %t\nresult \"t\" = %t\nresult \"d\" = %d\n"

enum { INSTANCES = 3, RUNS = 20, COUNTED = 96 };
struct counting { struct lt_instance *r; float step; int wrong; float x[COUNTED * 8], t[COUNTED], d[COUNTED]; };

static void *count_runs(void *arg)
{
	struct counting *c = arg;
	for (int i = 0; i < COUNTED * 8; i++)
		c->x[i] = c->step;
	for (int n = 1; n <= RUNS; n++) {
		c->wrong += lt_instance_run(c->r, (const void *const[]){ c->x }, (void *const[]){ c->t, c->d }) != LT_OK;
		for (int i = 0; i < COUNTED; i++)
			c->wrong += c->t[i] != c->step * 8 * (float)n || c->d[i] != 2 * c->t[i];
	}
	return NULL;
}

BOTH(instances_run_at_once)
{
	static struct counting c[INSTANCES];
	pthread_t thread[INSTANCES];
	struct lt_program *p = program_of(COUNT, backend);
	for (int i = 0; i < INSTANCES; i++) {
		c[i].r = instance_of(p);
		c[i].step = (float)(i + 1);
	}
	for (int i = 0; i < INSTANCES; i++)
		cr_assert_eq(pthread_create(&thread[i], NULL, count_runs, &c[i]), 0);
	for (int i = 0; i < INSTANCES; i++)
		cr_assert_eq(pthread_join(thread[i], NULL), 0);
	for (int i = 0; i < INSTANCES; i++) {
		cr_expect_eq(c[i].wrong, 0, "instance %d: %d, %s", i, c[i].wrong, lt_instance_message(c[i].r));
		const float *s = lt_instance_state(c[i].r, 0);
		cr_expect(s && s[0] == c[i].step * 8 * RUNS && s[COUNTED - 1] == s[0]);
		lt_instance_free(c[i].r);
	}
	lt_program_free(p);
}

/* ---- run-time scalars: what was recorded follows them ---- */

#define UP_TO \
	"graph 1\nvar b 50 limit pos\nvar k 4\nparam pos = %at[0] in 0..50\n%at = i64[] input \"at\"\n" \
	"%w = f32[b, k] input \"w\"\n%x = f32[b] add.reduce %w\n%s = f32[] add.reduce %x\n%p = f32[b, k] mul %w, %x\n" \
	"%q = f32[k] add.reduce %p\n%u = f32[k] add %q, %s\nresult \"s\" = %s\nresult \"u\" = %u\n"

BOTH(recorded_runs_follow_scalars)
{
	struct lt_program *p = program_of(UP_TO, backend);
	struct lt_instance *r = instance_of(p);
	static const int64_t positions[] = { 0, 7, 50, 3, 1, 49 };
	static float x[50], w[200];
	for (int i = 0; i < 200; i++) {
		w[i] = (float)(i % 5);
		x[i / 4] += w[i];
	}
	int64_t at;
	float s, u[4];
	for (int n = 0; n < 6; n++) {
		at = positions[n];
		cr_assert_eq(lt_instance_run(r, (const void *const[]){ &at, w }, (void *const[]){ &s, u }), LT_OK, "%s",
			lt_instance_message(r));
		float want_s = 0, want_u[4] = { 0 };
		for (int i = 0; i < at; i++)
			want_s += x[i];
		for (int i = 0; i < at * 4; i++)
			want_u[i % 4] += w[i] * x[i / 4];
		cr_expect_eq(s, want_s, "at %d: %g, not %g", (int)at, (double)s, (double)want_s);
		for (int k = 0; k < 4; k++)
			cr_expect_eq(u[k], want_u[k] + want_s, "at %d: %g, not %g", (int)at, (double)u[k], (double)(want_u[k] + want_s));
	}
	at = 51;
	cr_expect_neq(lt_instance_run(r, (const void *const[]){ &at, w }, (void *const[]){ &s, u }), LT_OK);
	cr_expect_gt(replayed(p), 2);
	lt_instance_free(r);
	lt_program_free(p);
}

/* ---- the caller's memory on the device ---- */

/* Wide accesses need it aligned.  What is not is refused before anything runs: the device's own error would end the
 * context. */
BOTH(memory_that_is_not_aligned_is_refused)
{
	struct lt_program *p = program_with(
		"graph 1\nvar i 256\n%x = f32[i] input \"x\"\n%y = f32[i] add %x, %x\nresult \"y\" = %y\n", backend, "*");
	struct lt_instance *r = instance_of(p);
	struct keeper k = keeper_new();
	struct lt_session *s = cuda_open("");
	float x[300], got[256];
	for (int i = 0; i < 300; i++)
		x[i] = (float)i;
	struct lt_slot in = cuda_floats(s, x, 300), out = cuda_floats(s, x, 300), here = { got, 0, sizeof got };
	for (int shift = 0; shift < 300 - 256; shift++) {
		const bool aligned = shift % 16 == 0;
		const float *from = (const float *)in.base + shift;
		for (int way = 0; way < 2; way++) {
			const struct lt_run run = { sizeof run, NULL, (const void *const[]){ from }, (void *const[]){ out.base } };
			lt_status st = way ? lt_instance_enqueue(r, &run) : lt_instance_run(r, run.input, run.result);
			cr_assert_eq(st, aligned ? LT_OK : LT_EINVAL, "%d: %s", shift, lt_instance_message(r));
			cr_expect(aligned || strstr(lt_instance_message(r), "which is no multiple of 64 bytes"), "%s",
				lt_instance_message(r));
			cr_assert_eq(lt_instance_wait(r), LT_OK, "%s", lt_instance_message(r));
		}
		if (!aligned)
			continue;
		cr_assert_eq(lt__cuda_mem_copy(s, &here, &out, sizeof got, LT_COPY_TO_HOST, NULL, &k.diag), LT_OK, "%s", k.text);
		for (int i = 0; i < 256; i++)
			cr_assert_eq(got[i], 2 * x[i + shift]);
	}
	cuda_backend()->mem_free(s, in.base);
	cuda_backend()->mem_free(s, out.base);
	cuda_backend()->close(s);
	lt_instance_free(r);
	lt_program_free(p);
}

/* ---- more memory than the device has ---- */

Test(cuda_programs, out_of_memory_leaves_the_program_usable)
{
	struct lt_program *p = program_of("graph 1\nvar i 6000000\n%s = f32[i] state \"s\"\n%x = f32[i] input \"x\"\n"
		"%t = f32[i] add %s, %x\nset %s = %t\nresult \"t\" = %t\n", backend);
	struct lt_instance *r[2];                /* each has 72 MB, and the device 64 MiB */
	struct lt_program *small = program_of(COUNT, backend);
	cr_assert_eq(lt_instance_new(p, &r[0]), LT_ENOMEM);
	cr_expect(strstr(lt_instance_message(r[0]), "device 0 has no memory for"), "%s", lt_instance_message(r[0]));
	struct counting c = { .r = instance_of(small), .step = 3 };
	count_runs(&c);
	cr_expect_eq(c.wrong, 0, "%s", lt_instance_message(c.r));
	lt_instance_free(c.r);
	lt_instance_free(r[0]);
	lt_program_free(small);
	lt_program_free(p);
}
