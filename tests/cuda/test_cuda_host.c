/* test_cuda_host.c -- the backend cuda on a device: kernel programs, compiled by NVRTC, run. */
#define _GNU_SOURCE 1
#include <pthread.h>
#include "tests/cuda/cuda_program.h"
#include "tests/cuda/cuda_session.h"

static void gpu_begin(void)
{
	struct keeper k = keeper_new();
	struct lt_session *s;
	if (cuda_backend()->open(NULL, "", &s, &k.diag))
		cr_skip_test("%s", k.text);
	cuda_backend()->close(s);
}
TestSuite(gpu_cuda, .init = gpu_begin, .timeout = 120);

/* A program over `blocks` of `threads`. */
static struct lt_object *gpu_object(
	struct lt_session *s, const struct lt_tree *t, const char *name, int64_t elems, int blocks, int threads, int64_t n)
{
	struct keeper k = keeper_new();
	struct lt_cuda_code code;
	struct lt_object *o;
	cr_assert_eq(lt__cuda_code_print(cuda_program(name, (struct cuda_shape){ elems, blocks, threads, n }), &code,
		&k.diag), LT_OK, "%s", k.text);
	cr_assert_eq(lt__cuda_compile(s, &t, &code, 1, &o, &k.diag), LT_OK, "%s", k.text);
	return o;
}

static void gpu_run(struct lt_object *o, const struct lt_slot *slot, uint32_t n, struct lt_fault *fault)
{
	struct keeper k = keeper_new();
	struct lt_args args = cuda_args(slot, n, fault);
	cr_assert_eq(lt__cuda_run(o, &args, &k.diag), LT_OK, "%s", k.text);
}

Test(gpu_cuda, kernels_run_and_gather_faults_are_reported)
{
	struct lt_session *s = cuda_open("");
	struct cuda_tree t, u;
	struct lt_fault fault;
	enum { N = 1 << 20 };
	float *x = malloc(N * 4), *y = malloc(N * 4);
	for (int i = 0; i < N; i++) {
		x[i] = (float)(i % 1000) / 8;
		y[i] = (float)i;
	}
	struct lt_object *axpy = gpu_object(s, cuda_tree(&t, "axpy", 2, N), "axpy", N, N / 256, 256, N),
		*check = gpu_object(s, cuda_tree(&u, "check", 1, N), "check", N, N / 256, 256, N);
	struct lt_slot slot[2] = { cuda_floats(s, x, N), cuda_floats(s, y, N) };
	gpu_run(axpy, slot, 2, &fault);
	cuda_fetch(s, &slot[1], y, N * 4);
	for (int i = 0; i < N; i++)
		cr_assert_eq(y[i], (float)i + 2 * x[i], "%d", i);
	gpu_run(check, slot, 1, &fault);
	int64_t want = 0;
	for (int i = 0; i < N; i++)
		want += x[i] > 100;
	cr_assert(fault.n == want && fault.stmt == 3 && fault.access == 5 && fault.value >= 100 && fault.value < 125);
	memset(x, 0, N * 4);
	slot[0] = cuda_floats(s, x, N);
	gpu_run(check, slot, 1, &fault);
	cr_assert_eq(fault.n, 0);
	lt__cuda_destroy(axpy);
	lt__cuda_destroy(check);
	cuda_backend()->close(s);
	free(x);
	free(y);
}

/* All of the shared memory that a block may have, which has to be asked for. */
Test(gpu_cuda, large_shared_memory)
{
	struct lt_session *s = cuda_open("");
	struct cuda_tree t;
	struct lt_fault fault;
	const int n = (int)(cuda_backend()->caps(s)->target->shared_bytes / 4);
	float *x = malloc((size_t)n * 4);
	for (int i = 0; i < n; i++)
		x[i] = (float)i;
	struct lt_object *o = gpu_object(s, cuda_tree(&t, "turned", 2, n), "turned", n, 1, 256, n);
	struct lt_slot slot[2] = { cuda_floats(s, x, n), cuda_floats(s, x, n) };
	gpu_run(o, slot, 2, &fault);
	cuda_fetch(s, &slot[1], x, (size_t)n * 4);
	for (int i = 0; i < n; i++)
		cr_assert_eq(x[i], (float)(n - 1 - i));
	lt__cuda_destroy(o);
	cuda_backend()->close(s);
	free(x);
}

/* A graph that follows a scalar in the device's memory, without being recorded again. */
Test(gpu_cuda, recorded_runs_read_scalars_from_the_device)
{
	struct lt_session *s = cuda_open("");
	struct keeper k = keeper_new();
	struct cuda_tree t, u;
	struct lt_fault fault[2] = { 0 };
	float x[32];
	for (int i = 0; i < 32; i++)
		x[i] = (float)i;
	int64_t pos = 1;
	struct lt_slot slot[3] = { cuda_floats(s, x, 32), cuda_floats(s, NULL, 32), cuda_floats(s, NULL, 32) },
		here = { &pos, 0, 8 };
	struct lt_object *scaled = gpu_object(s, cuda_tree(&t, "scaled", 3, 32), "scaled", 32, 1, 32, 32),
		*check = gpu_object(s, cuda_tree(&u, "check", 1, 32), "check", 32, 1, 32, 32), *object[] = { scaled, check };
	struct lt_args args[] = { cuda_args(slot, 3, &fault[0]), cuda_args(&slot[1], 1, &fault[1]) };
	struct lt_capture *c;
	cr_assert_eq(lt__cuda_capture(s, object, args, 2, &c, &k.diag), LT_OK, "%s", k.text);
	for (pos = 1; pos < 6; pos++) {
		float y[32];
		fault[1] = (struct lt_fault){ 0 };
		cr_assert_eq(lt__cuda_mem_copy(s, &slot[2], &here, 8, LT_COPY_TO_DEVICE, NULL, &k.diag), LT_OK, "%s", k.text);
		cr_assert_eq(lt__cuda_replay(c, &k.diag), LT_OK, "%s", k.text);
		cuda_fetch(s, &slot[1], y, sizeof y);
		int64_t above = 0;
		for (int i = 0; i < 32; i++) {
			cr_assert_eq(y[i], x[i] * (float)pos);
			above += y[i] > 100;
		}
		cr_assert_eq(fault[1].n, above);
	}
	lt__cuda_capture_free(c);
	lt__cuda_destroy(scaled);
	lt__cuda_destroy(check);
	cuda_backend()->close(s);
}

Test(gpu_cuda, asynchronous_runs_in_a_stream_of_the_caller)
{
	struct lt_session *s = cuda_open("");
	struct keeper k = keeper_new();
	struct cuda_tree t, u;
	struct lt_fault fault[200];
	float x[256], y[256];
	for (int i = 0; i < 256; i++) {
		x[i] = 1;
		y[i] = 0;
	}
	struct lt_object *axpy = gpu_object(s, cuda_tree(&t, "axpy", 2, 256), "axpy", 256, 1, 256, 256),
		*check = gpu_object(s, cuda_tree(&u, "check", 1, 256), "check", 256, 1, 256, 256);
	struct lt_slot slot[2] = { cuda_floats(s, x, 256), cuda_floats(s, y, 256) };
	CUstream stream;
	cr_assert_eq(lt__cuda_enter(s, NULL), LT_OK);
	cr_assert_eq(s->cuda.stream_new(&stream, CU_STREAM_NON_BLOCKING), CUDA_SUCCESS);
	lt__cuda_leave(s);
	for (int own = 0; own < 2; own++) {
		for (int i = 0; i < 200; i++) {
			struct lt_args args = i % 2 ? cuda_args(slot, 2, &fault[i]) : cuda_args(&slot[1], 1, &fault[i]);
			args.async = 1;
			args.stream = own ? NULL : stream;
			cr_assert_eq(lt__cuda_run(i % 2 ? axpy : check, &args, &k.diag), LT_OK, "%s", k.text);
		}
		cr_assert_eq(lt__cuda_sync(s, own ? NULL : stream, &k.diag), LT_OK, "%s", k.text);
		for (int i = 0; i < 200; i += 2)
			cr_assert_eq(fault[i].n, own || i > 100 ? 256 : 0, "%d", i);
	}
	cuda_fetch(s, &slot[1], y, sizeof y);
	cr_assert(y[0] == 400 && y[255] == 400);
	cr_assert_eq(s->cuda.stream_free(stream), CUDA_SUCCESS);
	lt__cuda_destroy(axpy);
	lt__cuda_destroy(check);
	cuda_backend()->close(s);
}

Test(gpu_cuda, time_on_the_device)
{
	struct lt_session *s = cuda_open("");
	struct keeper k = keeper_new();
	struct cuda_tree t;
	struct lt_fault fault;
	struct lt_event *e[2];
	int64_t ns[2];
	struct lt_slot slot[2] = { cuda_floats(s, NULL, 1), cuda_floats(s, NULL, 1) };
	for (int i = 0; i < 2; i++)
		cr_assert_eq(lt__cuda_event_new(s, &e[i], &k.diag), LT_OK);
	for (int i = 0; i < 2; i++) {           /* the longer one first: clocks rise while it runs */
		struct lt_object *o = gpu_object(s, cuda_tree(&t, "slow", 2, 1), "slow", 1, 1, 1, i ? 100000 : 400000);
		gpu_run(o, slot, 2, &fault);
		cr_assert_eq(lt__cuda_event_record(e[0], NULL, &k.diag), LT_OK);
		gpu_run(o, slot, 2, &fault);
		cr_assert_eq(lt__cuda_event_record(e[1], NULL, &k.diag), LT_OK);
		cr_assert_eq(lt__cuda_event_ns(e[0], e[1], &ns[i], &k.diag), LT_OK);
		lt__cuda_destroy(o);
	}
	cr_assert(ns[1] > 50000 && ns[0] > 2 * ns[1], "%lld and %lld ns", (long long)ns[0], (long long)ns[1]);
	for (int i = 0; i < 2; i++)
		lt__cuda_event_free(e[i]);
	cuda_backend()->close(s);
}

Test(gpu_cuda, out_of_memory_is_an_error_and_the_session_goes_on)
{
	struct lt_session *s = cuda_open("");
	struct keeper k = keeper_new();
	void *p[64];
	int n = 0;
	const size_t part = s->facts.memory_bytes / 16;
	while (n < 64 && lt__cuda_mem_new(s, part, &p[n], &k.diag) == LT_OK)
		n++;
	cr_assert(n > 0 && n < 17, "%d of 16 parts", n);
	cr_assert(strstr(k.text, "device 0 has no memory for"), "%s", k.text);
	while (n > 0)
		lt__cuda_mem_free(s, p[--n]);
	cr_assert_eq(lt__cuda_mem_new(s, 4 * part, &p[0], &k.diag), LT_OK, "what is kept goes back: %s", k.text);
	lt__cuda_mem_free(s, p[0]);
	const float x[4] = { 1, 2, 3, 4 };
	struct lt_slot slot = cuda_floats(s, x, 4);
	cuda_fetch_is(s, &slot, x, 4);
	cuda_backend()->close(s);
}

Test(gpu_cuda, a_stray_store_loses_the_device)
{
	struct lt_session *s = cuda_open("");
	struct keeper k = keeper_new();
	struct cuda_tree t;
	struct lt_fault fault;
	struct lt_slot slot[2] = { cuda_floats(s, NULL, 4), cuda_floats(s, NULL, 4) };
	struct lt_object *o = gpu_object(s, cuda_tree(&t, "stray", 2, 4), "stray", 4, 1, 32, 1);
	struct lt_args args = cuda_args(slot, 2, &fault);
	cr_assert_eq(lt__cuda_run(o, &args, &k.diag), LT_EDEVICE);
	cr_assert(strstr(k.text, "kernel stray") && strstr(k.text, "CUDA_ERROR_ILLEGAL_ADDRESS"), "%s", k.text);
	cr_assert_eq(lt__cuda_mem_new(s, 4, &slot[0].base, &k.diag), LT_EDEVICE);
	cr_assert(strstr(k.text, "device 0 is lost since kernel stray"), "%s", k.text);
	lt__cuda_destroy(o);
	cuda_backend()->close(s);
}

enum { THREADS = 4, RUNS = 300 };
struct gpu_together { struct lt_object *o; struct lt_slot slot[2]; int wrong; };
static void *gpu_thread(void *arg)
{
	struct gpu_together *x = arg;
	struct lt_fault fault;
	for (int i = 0; i < RUNS; i++) {
		struct lt_args args = cuda_args(x->slot, 2, &fault);
		x->wrong += lt__cuda_run(x->o, &args, NULL) != LT_OK;
	}
	return NULL;
}

Test(gpu_cuda, threads_run_one_object)
{
	struct lt_session *s = cuda_open("");
	struct cuda_tree t;
	struct gpu_together x[THREADS];
	pthread_t thread[THREADS];
	const float one[4] = { 1, 2, 3, 4 }, zeros[4] = { 0 };
	struct lt_object *o = gpu_object(s, cuda_tree(&t, "axpy", 2, 4), "axpy", 4, 1, 32, 4);
	for (int i = 0; i < THREADS; i++)
		x[i] = (struct gpu_together){ o, { cuda_floats(s, one, 4), cuda_floats(s, zeros, 4) }, 0 };
	for (int i = 0; i < THREADS; i++)
		cr_assert_eq(pthread_create(&thread[i], NULL, gpu_thread, &x[i]), 0);
	for (int i = 0; i < THREADS; i++) {
		cr_assert_eq(pthread_join(thread[i], NULL), 0);
		cr_assert_eq(x[i].wrong, 0);
		cuda_fetch_is(s, &x[i].slot[1], (float[]){ 2 * RUNS, 4 * RUNS, 6 * RUNS, 8 * RUNS }, 4);
	}
	lt__cuda_destroy(o);
	cuda_backend()->close(s);
}

struct gpu_bytes { char *at; size_t n; };
static void gpu_add(void *user, const char *data, size_t bytes)
{
	struct gpu_bytes *b = user;
	b->at = realloc(b->at, b->n + bytes + 1);
	memcpy(b->at + b->n, data, bytes);
	b->n += bytes;
	b->at[b->n] = '\0';
}

Test(gpu_cuda, a_saved_cubin_runs_and_says_its_numbers)
{
	struct lt_session *s = cuda_open("");
	struct keeper k = keeper_new();
	struct cuda_tree t;
	struct lt_fault fault;
	struct gpu_bytes saved = { 0 }, stats = { 0 };
	struct lt_object *o = gpu_object(s, cuda_tree(&t, "axpy", 2, 4), "axpy", 4, 1, 32, 4);
	cr_assert_eq(lt__cuda_save(o, gpu_add, &saved, &k.diag), LT_OK);
	lt__cuda_destroy(o);
	cr_assert_eq(lt__cuda_load(s, &t.tree, saved.at, saved.n, &o, &k.diag), LT_OK, "%s", k.text);
	const float x[4] = { 1, 2, 3, 4 };
	struct lt_slot slot[2] = { cuda_floats(s, x, 4), cuda_floats(s, x, 4) };
	gpu_run(o, slot, 2, &fault);
	cuda_fetch_is(s, &slot[1], (float[]){ 3, 6, 9, 12 }, 4);
	cr_assert_eq(lt__cuda_dump(o, LT_DUMP_STATS, gpu_add, &stats), LT_OK);
	int registers = 0, resident = 0;
	const char *at = strstr(stats.at, "axpy_1.registers "), *blocks = strstr(stats.at, "axpy_1.resident_blocks ");
	cr_assert(at && blocks && sscanf(at, "axpy_1.registers %d", &registers) == 1
		&& sscanf(blocks, "axpy_1.resident_blocks %d", &resident) == 1, "%s", stats.at);
	cr_assert(registers >= 8 && registers <= 64 && resident >= 16, "%s", stats.at);
	lt__cuda_destroy(o);
	cuda_backend()->close(s);
	free(saved.at);
	free(stats.at);
}
