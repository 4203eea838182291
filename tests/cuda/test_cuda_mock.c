/* test_cuda_mock.c -- the backend cuda on a driver that is not there: devices, memory, runs, graphs, the
 * host's cache, threads. */
#include <errno.h>
#include <pthread.h>
#include <sys/resource.h>
#include <unistd.h>
#include "tests/cuda/mock_kernels.h"

TestSuite(cuda_mock, .init = mock_begin, .timeout = 60);

/* ---- options and devices ---- */

Test(cuda_mock, options_and_devices)
{
	static const struct { const char *config; lt_status status; const char *text; } cases[] = {
		{ NULL, LT_OK, "" },
		{ "", LT_OK, "" },
		{ "device=1", LT_OK, "" },
		{ "device=1/tf32", LT_OK, "" },
		{ "generated/tf32/gelu", LT_OK, "" },
		{ "tf32//device=0/", LT_OK, "" },
		{ "device=2", LT_EINVAL, "there is no device 2: this machine has 0 to 1" },
		{ "device=", LT_EINVAL, "the option device has no value" },
		{ "device=x", LT_EINVAL, "the option device does not take 'x'" },
		{ "device=1234", LT_EINVAL, "the option device does not take '1234'" },
		{ "tf32/device=1;tf32", LT_EINVAL, "the option tf32 is given twice" },
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct keeper k = keeper_new();
		struct lt_session *s;
		cr_expect_eq(cuda_backend()->open(NULL, cases[i].config, &s, &k.diag), cases[i].status, "%s", cases[i].config);
		cr_expect_str_eq(k.text, cases[i].text);
		cr_expect_eq(!s, cases[i].status != LT_OK);
		/* The score opens no device: that the number is too large, only open says. */
		cr_expect_eq(cuda_backend()->score(cases[i].config, NULL) > 0,
			cases[i].status == LT_OK || strstr(k.text, "there is no"));
		if (s)
			mock_end(s);
	}
	struct lt_session *s[2] = { cuda_open("device=0"), cuda_open("device=1/tf32") };
	const struct lt_target *t[2] = { cuda_backend()->caps(s[0])->target, cuda_backend()->caps(s[1])->target };
	cr_expect_str_eq(t[0]->name, "cuda:sm_90a");
	cr_expect_str_eq(t[1]->name, "cuda:sm_80");
	cr_expect(t[0]->multiprocessors == 132 && t[1]->multiprocessors == 108 && t[0]->warp == 32 && t[0]->max_block == 1024);
	cr_expect(t[0]->shared_bytes == 232448 && t[0]->registers == 65536 && t[0]->l2_bytes == 50 << 20);
	cr_expect(!s[0]->config.tf32 && s[1]->config.tf32);
	/* Both at once, each with its own memory. */
	float x[4] = { 1, 2, 3, 4 };
	struct lt_slot a = cuda_floats(s[0], x, 4), b = cuda_floats(s[1], x, 4);
	cuda_fetch_is(s[0], &a, x, 4);
	cuda_fetch_is(s[1], &b, x, 4);
	cuda_backend()->close(s[0]);
	mock_end(s[1]);
}

Test(cuda_mock, no_device_at_all)
{
	struct keeper k = keeper_new();
	struct lt_session *s;
	mock->n_device = 0;
	cr_expect_eq(cuda_backend()->open(NULL, "", &s, &k.diag), LT_EDEVICE);
	cr_expect_str_eq(k.text, "NVIDIA's driver finds no device that runs CUDA");
	cr_expect_null(s);
}

/* It is asked by every lt-run: the driver is not started. */
Test(cuda_mock, the_score_starts_nothing)
{
	(void)snprintf(mock->fail, sizeof mock->fail, "cuInit");
	mock->fail_at = 1;
	mock->fail_with = CUDA_ERROR_NO_DEVICE;
	const int32_t score = cuda_backend()->score("", NULL);
	cr_expect_eq(mock->fail_at, 1, "cuInit was not called");
	cr_expect(score > 0 && score < lt_backend_find("cpu")->score("", NULL),
		"%d: it is used where it is named", (int)score);
}

/* ---- memory ---- */

Test(cuda_mock, memory_is_kept_for_the_next_and_given_back_when_it_runs_out)
{
	struct lt_session *s = cuda_open("");
	struct keeper k = keeper_new();
	enum { MANY = 100, MIB = 1 << 20 };
	void *p[MANY], *large;
	for (int round = 0; round < 3; round++) {
		for (int i = 0; i < MANY; i++) {
			cr_assert_eq(lt__cuda_mem_new(s, (size_t)i * 37 + 1, &p[i], &k.diag), LT_OK);
			cr_assert_eq((uintptr_t)p[i] % 256, 0);
			for (int q = 0; q < i; q++)
				cr_assert((uintptr_t)p[q] + (size_t)q * 37 + 1 <= (uintptr_t)p[i]
					|| (uintptr_t)p[i] + (size_t)i * 37 + 1 <= (uintptr_t)p[q]);
		}
		cr_assert_eq(mock->blocks, 1, "small ones share a chunk, also the next time: %d", mock->blocks);
		for (int i = 0; i < MANY; i++)
			lt__cuda_mem_free(s, p[i * 7 % MANY]);
		cr_assert_eq(s->pool.bytes, 0);
	}
	/* 64 MiB are there.  A large block is cut for smaller ones. */
	cr_assert_eq(lt__cuda_mem_new(s, 40 * MIB, &large, &k.diag), LT_OK);
	lt__cuda_mem_free(s, large);
	cr_assert_eq(lt__cuda_mem_new(s, 10 * MIB, &p[0], &k.diag), LT_OK);
	cr_assert_eq(lt__cuda_mem_new(s, 20 * MIB, &p[1], &k.diag), LT_OK);
	cr_assert_eq(mock->bytes, 42 * MIB);
	lt__cuda_mem_free(s, p[1]);
	lt__cuda_mem_free(s, p[0]);
	cr_assert_eq(lt__cuda_mem_new(s, 60 * MIB, &large, &k.diag), LT_OK, "what is kept goes back first: %s", k.text);
	cr_assert_eq(lt__cuda_mem_new(s, 20 * MIB, &p[0], &k.diag), LT_ENOMEM);
	cr_assert_null(p[0]);
	cr_assert_str_eq(k.text, "device 0 has no memory for 20971520 bytes: 4 of its 64 MiB are free, and 60 MiB are this "
		"session's");
	cr_assert_eq(lt__cuda_mem_new(s, SIZE_MAX - 5, &p[0], &k.diag), LT_ENOMEM);
	/* And it goes on. */
	float x[4] = { 1, 2, 3, 4 };
	struct lt_slot a = cuda_floats(s, x, 4);
	cuda_fetch_is(s, &a, x, 4);
	lt__cuda_mem_free(s, large);
	mock_end(s);
}

/* The driver that is not there: what nobody has written is 0xa5, in each block anew, and takes no memory; behind a
 * large block is none. */
Test(cuda_mock, memory_that_nobody_has_written)
{
	static const size_t sizes[] = { 1, 1000, (2 << 20) - 1, 2 << 20, (5 << 20) + 700, 32 << 20 };
	struct lt_session *s = cuda_open("");
	int pipes[2];
	cr_assert(!pipe(pipes) && lt__cuda_enter(s, NULL) == LT_OK);
	for (size_t i = 0; i < 2 * sizeof sizes / sizeof *sizes; i++) {
		const size_t bytes = sizes[i / 2], end = (bytes + 511) / 512 * 512;
		struct rusage before, after;
		CUdeviceptr p;
		(void)getrusage(RUSAGE_SELF, &before);
		cr_assert_eq(s->cuda.memory_new(&p, bytes), CUDA_SUCCESS);
		(void)getrusage(RUSAGE_SELF, &after);
		unsigned char *const at = mock->host(p);
		cr_expect(bytes < 32 << 20 || after.ru_minflt - before.ru_minflt < 1000, "%ld pages are taken",
			after.ru_minflt - before.ru_minflt);
		for (size_t k = 0; k < bytes; k++)
			cr_assert_eq(at[k], 0xa5, "byte %zu of %zu is %d", k, bytes, at[k]);
		if (bytes >= 2 << 20)
			cr_expect(write(pipes[1], at + end, 1) < 0 && errno == EFAULT, "behind %zu bytes are others", bytes);
		memset(at, 1, bytes);
		cr_assert_eq(s->cuda.memory_free(p), CUDA_SUCCESS);
	}
	(void)close(pipes[0]), (void)close(pipes[1]);
	lt__cuda_leave(s);
	mock_end(s);
}

Test(cuda_mock, copies)
{
	struct lt_session *s = cuda_open("");
	struct keeper k = keeper_new();
	float x[8] = { 1, 2, 3, 4, 5, 6, 7, 8 };
	struct lt_slot a = cuda_floats(s, x, 8), b = cuda_floats(s, x, 8), from = a, to = b;
	from.offset = 4;
	to.offset = 16;
	cr_assert_eq(lt__cuda_mem_copy(s, &to, &from, 8, LT_COPY_DEVICE, NULL, &k.diag), LT_OK);
	cuda_fetch_is(s, &b, (float[]){ 1, 2, 3, 4, 2, 3, 7, 8 }, 8);
	mock_end(s);
}

/* ---- runs ---- */

Test(cuda_mock, a_run_launches_and_waits)
{
	struct lt_session *s = cuda_open("");
	struct keeper k = keeper_new();
	struct cuda_tree t;
	struct lt_fault fault;
	float x[4] = { 1, 2, 3, 4 }, y[6] = { 9, 9, 10, 20, 30, 40 };
	struct lt_object *o = mock_kernel_object(s, cuda_tree(&t, "k", 2, 4), "axpy", 4, &k.diag);
	struct lt_slot slot[2] = { cuda_floats(s, x, 4), cuda_floats(s, y, 6) };
	slot[1].offset = 8;
	slot[1].bytes -= 8;
	struct lt_args args = cuda_args(slot, 2, &fault);
	cr_assert_eq(lt__cuda_run(o, &args, &k.diag), LT_OK, "%s", k.text);
	cr_assert(mock->launches == 1 && mock->blocks_of_launch[0] == 4 && mock->threads_of_launch[0] == 128);
	cuda_fetch_is(s, &slot[1], (float[]){ 12, 24, 36, 48 }, 4);
	/* Nothing is touched before all is checked. */
	args.n_slot = 1;
	cr_expect_eq(lt__cuda_run(o, &args, &k.diag), LT_EINVAL);
	cr_expect_str_eq(k.text, "kernel k takes 2 buffers, 1 were given");
	args.n_slot = 2;
	slot[0].bytes = 15;
	cr_expect_eq(lt__cuda_run(o, &args, &k.diag), LT_EINVAL);
	cr_expect_str_eq(k.text, "kernel k: buffer x has 15 bytes and needs 16");
	cr_expect_eq(mock->launches, 1);
	lt__cuda_destroy(o);
	mock_end(s);
}

/* The same bytes of the workspace by two names, so that the order of parameters differs. */
static const char three_launches[] = "kernel 1\nname axpy\nworkspace 272 thread 0\n"
	"buffer w f32[4] workspace 256 align 16\nbuffer x f32[4] slot 0 align 4 exclusive written\n"
	"buffer v f32[4] workspace 256 align 16 written\nbuffer s f32[15000] shared 0 align 16 written\n"
	"region host\n\t%none = sub i64 4 4\n\tlaunch_grid 1 1 1 1 (i64 4)\n\tlaunch_grid 1 %none 1 1 (i64 4)\n"
	"\tlaunch_grid 2 1 2 3 (i64 4)\n"
	"region grid 1 blocks (1, 1, 1) threads (32, 1, 1) subgroup 1 shared 0\n\t%n = argument i64 0\n"
	"\t%x = load f32 x[%n]\n\tstore v[%n] %x\n"
	"region grid 2 blocks (1, 2, 3) threads (8, 4, 2) subgroup 1 shared 60000\n\t%n = argument i64 0\n"
	"\t%x = load f32 w[%n]\n\tstore x[%n] %x\n\tstore s[%n] %x\n";

/* Numbers, the workspace, launches in order; one of no blocks does not run. */
Test(cuda_mock, launches_of_one_kernel)
{
	struct lt_session *s = cuda_open("");
	struct keeper k = keeper_new();
	struct cuda_tree t;
	struct lt_fault fault;
	struct lt_object *o;
	size_t bytes, align;
	o = mock_object(s, cuda_tree(&t, "k", 1, 4), "code", cuda_parse(three_launches), &k.diag);
	cr_assert_not_null(o, "%s", k.text);
	cuda_backend()->need(o, 1, &bytes, &align);
	cr_assert(bytes == 272 && align == 256);
	float x[4] = { 1, 2, 3, 4 }, zeros[68] = { 0 };
	struct lt_slot slot = cuda_floats(s, x, 4), work = cuda_floats(s, zeros, 68);
	struct lt_args args = cuda_args(&slot, 1, &fault);
	cr_expect_eq(lt__cuda_run(o, &args, &k.diag), LT_EINVAL);
	cr_expect_str_eq(k.text, "kernel k needs a workspace of 272 bytes");
	args.workspace = work.base;
	cr_assert_eq(lt__cuda_run(o, &args, &k.diag), LT_OK, "%s", k.text);
	cr_assert(mock->launches == 2 && mock->shared_of_launch == 60000 && mock->blocks_of_launch[2] == 3
		&& mock->threads_of_launch[1] == 4);
	cuda_fetch_is(s, &slot, (float[]){ 5, 10, 15, 20 }, 4);
	lt__cuda_destroy(o);
	mock_end(s);
}

/* Blocks may come before the kernel in front is done where the text waits: from Hopper on. */
Test(cuda_mock, blocks_come_early_on_hopper)
{
	for (int device = 0; device < 2; device++) {
		struct lt_session *s = cuda_open(device ? "device=1" : "device=0");
		struct keeper k = keeper_new();
		struct cuda_tree t;
		struct lt_fault fault;
		struct lt_object *o = mock_kernel_object(s, cuda_tree(&t, "k", 2, 4), "axpy", 4, &k.diag);
		struct lt_slot slot[2] = { cuda_floats(s, (float[]){ 1, 2, 3, 4 }, 4), cuda_floats(s, (float[]){ 0, 0, 0, 0 }, 4) };
		struct lt_args args = cuda_args(slot, 2, &fault);
		const int launches = mock->launches, early = mock->early;
		cr_assert_eq(lt__cuda_run(o, &args, &k.diag), LT_OK, "%s", k.text);
		cr_expect_eq(mock->launches - launches, 1);
		cr_expect_eq(mock->early - early, !device);
		lt__cuda_destroy(o);
		mock_end(s);
	}
}

Test(cuda_mock, asynchronous_runs_are_done_when_somebody_waits)
{
	struct lt_session *s = cuda_open("");
	struct keeper k = keeper_new();
	struct cuda_tree t, u;
	struct lt_object *axpy = mock_kernel_object(s, cuda_tree(&t, "k", 2, 4), "axpy", 4, &k.diag),
		*check = mock_kernel_object(s, cuda_tree(&u, "c", 1, 4), "check", 4, &k.diag);
	float x[4] = { 1, 2, 3, 4 }, y[4] = { 0 };
	struct lt_slot slot[2] = { cuda_floats(s, x, 4), cuda_floats(s, y, 4) };
	enum { MANY = 100 };                    /* more than a queue has records */
	struct lt_fault fault[MANY], none;
	struct lt_args args = cuda_args(slot, 2, &none);
	args.async = 1;
	int launches = mock->launches;
	cr_assert_eq(lt__cuda_run(axpy, &args, &k.diag), LT_OK);
	cr_assert_eq(mock->launches, launches, "nothing waits for it");
	for (int i = 0; i < MANY; i++) {
		args = cuda_args(&slot[1], 1, &fault[i]);
		args.async = 1;
		cr_assert_eq(lt__cuda_run(check, &args, &k.diag), LT_OK);
		if (i == 70) {
			args = cuda_args(slot, 2, &none);
			args.async = 1;
			for (int q = 0; q < 20; q++)
				cr_assert_eq(lt__cuda_run(axpy, &args, &k.diag), LT_OK);
		}
	}
	cr_assert_eq(lt__cuda_sync(s, NULL, &k.diag), LT_OK);
	for (int i = 0; i < MANY; i++)
		cr_assert_eq(fault[i].n, i > 70 ? 2 : 0, "%d: %d", i, (int)fault[i].n);
	cr_assert(fault[80].stmt == 3 && fault[80].access == 5 && fault[80].value == 126);
	/* A caller's stream. */
	CUstream stream, other;
	cr_assert_eq(lt__cuda_enter(s, NULL), LT_OK);
	cr_assert(!s->cuda.stream_new(&stream, 0) && !s->cuda.stream_new(&other, 0));
	lt__cuda_leave(s);
	args = cuda_args(&slot[1], 1, &none);
	args.async = 1;
	args.stream = stream;
	cr_assert_eq(lt__cuda_run(check, &args, &k.diag), LT_OK);
	launches = mock->launches;
	cr_assert_eq(lt__cuda_sync(s, other, &k.diag), LT_OK);
	cr_assert(mock->launches == launches && none.n == 0, "another stream is nothing to it");
	cr_assert_eq(lt__cuda_sync(s, stream, &k.diag), LT_OK);
	cr_assert(mock->launches == launches + 1 && none.n == 2);
	for (int i = 0; i < 10; i++)
		cr_assert_eq(lt__cuda_sync(s, i % 2 ? stream : other, &k.diag), LT_OK);
	int n_queue = 0;
	for (const struct lt_cuda_queue *q = s->queues; q; q = q->next)
		n_queue++;
	cr_assert_leq(n_queue, 3, "a queue serves one stream after the other");
	cr_assert(!s->cuda.stream_free(stream) && !s->cuda.stream_free(other));
	lt__cuda_destroy(axpy);
	lt__cuda_destroy(check);
	mock_end(s);
}

/* ---- graphs ---- */

Test(cuda_mock, recorded_runs)
{
	struct lt_session *s = cuda_open("");
	struct keeper k = keeper_new();
	struct cuda_tree t, u;
	struct lt_object *axpy = mock_kernel_object(s, cuda_tree(&t, "k", 2, 4), "axpy", 4, &k.diag),
		*check = mock_kernel_object(s, cuda_tree(&u, "c", 1, 4), "check", 4, &k.diag),
		*object[] = { check, axpy, check, axpy };
	float x[4] = { 1, 2, 3, 30 }, y[4] = { 0, 0, 0, 60 };
	struct lt_slot slot[2] = { cuda_floats(s, x, 4), cuda_floats(s, y, 4) };
	struct lt_fault fault[4];
	/* Elements that are longer than ours. */
	struct { struct lt_args args; uint64_t more; } run[4] = { 0 };
	for (int i = 0; i < 4; i++) {
		run[i].args = i % 2 ? cuda_args(slot, 2, &fault[i]) : cuda_args(&slot[1], 1, &fault[i]);
		run[i].args.size = sizeof run[i];
	}
	struct lt_capture *c;
	cr_assert_eq(lt__cuda_capture(s, object, &run[0].args, 4, &c, &k.diag), LT_OK, "%s", k.text);
	cr_assert_eq(mock->launches, 0, "capture runs nothing");
	/* What is in the memory is what it is when the graph runs: y is 60, then 180. */
	for (int i = 0; i < 2; i++) {
		memset(fault, 0, sizeof fault);
		cr_assert_eq(lt__cuda_replay(c, &k.diag), LT_OK, "%s", k.text);
		cr_assert(mock->graph_launches == i + 1 && mock->launches == 4 * (i + 1));
		cr_assert(fault[0].n == i && fault[2].n == 1 && fault[2].value == (i ? 240 : 120) && !fault[1].n && !fault[3].n);
	}
	cuda_fetch_is(s, &slot[1], (float[]){ 8, 16, 24, 300 }, 4);
	run[2].args.n_slot = 7;
	struct lt_capture *bad;
	cr_assert_eq(lt__cuda_capture(s, object, &run[0].args, 4, &bad, &k.diag), LT_EINVAL);
	cr_assert_null(bad);
	lt__cuda_destroy(axpy);
	lt__cuda_capture_free(c);
	lt__cuda_destroy(check);
	mock_end(s);
}

/* ---- time ---- */

Test(cuda_mock, events)
{
	struct lt_session *s = cuda_open("");
	struct keeper k = keeper_new();
	struct cuda_tree t;
	struct lt_fault fault;
	struct lt_event *e[2];
	int64_t ns;
	struct lt_object *o = mock_kernel_object(s, cuda_tree(&t, "k", 2, 4), "axpy", 4, &k.diag);
	struct lt_slot slot[2] = { cuda_floats(s, NULL, 4), cuda_floats(s, NULL, 4) };
	struct lt_args args = cuda_args(slot, 2, &fault);
	for (int i = 0; i < 2; i++)
		cr_assert_eq(lt__cuda_event_new(s, &e[i], &k.diag), LT_OK);
	for (int round = 1; round < 4; round++) {
		cr_assert_eq(lt__cuda_event_record(e[0], NULL, &k.diag), LT_OK);
		for (int i = 0; i < round; i++)
			cr_assert_eq(lt__cuda_run(o, &args, &k.diag), LT_OK);
		cr_assert_eq(lt__cuda_event_record(e[1], NULL, &k.diag), LT_OK);
		cr_assert_eq(lt__cuda_event_ns(e[0], e[1], &ns, &k.diag), LT_OK);
		cr_assert(llabs(ns - 1000 * round) <= 1, "the clock ticks 1 us a launch: %lld ns", (long long)ns);
	}
	for (int i = 0; i < 2; i++)
		lt__cuda_event_free(e[i]);
	lt__cuda_destroy(o);
	mock_end(s);
}

/* ---- the host's cache ---- */

struct cuda_bytes { char at[8192]; size_t n; };
static void bytes_add(void *user, const char *text, size_t bytes)
{
	struct cuda_bytes *b = user;
	cr_assert_leq(b->n + bytes, sizeof b->at);
	memcpy(b->at + b->n, text, bytes);
	b->n += bytes;
}

Test(cuda_mock, what_is_saved_is_loaded_and_nothing_else)
{
	struct lt_session *s = cuda_open("");
	struct keeper k = keeper_new();
	struct cuda_tree t;
	struct lt_fault fault;
	struct cuda_bytes saved = { .n = 0 }, again = { .n = 0 }, who = { .n = 0 };
	struct lt_object *o = mock_kernel_object(s, cuda_tree(&t, "k", 2, 4), "axpy", 4, &k.diag), *p;
	cr_assert_eq(lt__cuda_save(o, bytes_add, &saved, &k.diag), LT_OK);
	lt__cuda_destroy(o);
	char *data = malloc(saved.n);           /* aligned as malloc does, and not ours after the call */
	memcpy(data, saved.at, saved.n);
	cr_assert_eq(lt__cuda_load(s, &t.tree, data, saved.n, &o, &k.diag), LT_OK, "%s", k.text);
	memset(data, 0, saved.n);
	cr_assert_eq(lt__cuda_save(o, bytes_add, &again, &k.diag), LT_OK);
	cr_assert(again.n == saved.n && memcmp(again.at, saved.at, saved.n) == 0);
	struct lt_slot slot[2] = { cuda_floats(s, (float[]){ 1, 2, 3, 4 }, 4), cuda_floats(s, (float[]){ 0, 0, 0, 1 }, 4) };
	struct lt_args args = cuda_args(slot, 2, &fault);
	cr_assert_eq(lt__cuda_run(o, &args, &k.diag), LT_OK);
	cuda_fetch_is(s, &slot[1], (float[]){ 2, 4, 6, 9 }, 4);
	for (size_t n = 0; n < saved.n; n++) {
		memcpy(data, saved.at, saved.n);
		cr_assert_eq(lt__cuda_load(s, &t.tree, data, n, &p, NULL), LT_EINVAL, "%zu of %zu bytes", n, saved.n);
		data[n] ^= 64;
		cr_assert_eq(lt__cuda_load(s, &t.tree, data, saved.n, &p, NULL), LT_EINVAL, "byte %zu", n);
		cr_assert_null(p);
	}
	free(data);
	/* A driver that does not take the code. */
	strcpy(mock->fail, "cuModuleLoadData");
	mock->fail_at = 1;
	mock->fail_with = CUDA_ERROR_NO_BINARY_FOR_GPU;
	cr_assert_eq(lt__cuda_load(s, &t.tree, saved.at, saved.n, &p, &k.diag), LT_EINVAL);
	cr_assert_eq(lt__cuda_identity(s, bytes_add, &who, &k.diag), LT_OK);
	who.at[who.n] = '\0';
	cr_assert(strstr(who.at, "architecture sm_90a\nshared 232448\nNVRTC ") && strstr(who.at, "--std=c++17"), "%s", who.at);
	lt__cuda_destroy(o);
	mock_end(s);
}

Test(cuda_mock, numbers_of_an_object)
{
	struct lt_session *s = cuda_open("");
	struct cuda_tree t;
	struct cuda_bytes out = { .n = 0 };
	struct lt_object *o = mock_kernel_object(s, cuda_tree(&t, "k", 2, 4), "axpy", 4, NULL);
	cr_assert_eq(lt__cuda_dump(o, LT_DUMP_STATS, bytes_add, &out), LT_OK);
	out.at[out.n] = '\0';
	cr_assert(strstr(out.at, "from_cache 0\n") && strstr(out.at, "axpy_1.registers 32\n")
		&& strstr(out.at, "axpy_1.spilled_bytes 0\naxpy_1.resident_blocks 16\n"), "%s", out.at);
	out.n = 0;
	lt__cuda_describe(s, bytes_add, &out);
	out.at[out.n] = '\0';
	cr_assert(strstr(out.at, "device 0, Mock 0\narchitecture sm_90a\ndriver for CUDA 13.0\n")
		&& strstr(out.at, "memory 64 MiB\nmultiprocessors 132\n"), "%s", out.at);
	lt__cuda_destroy(o);
	mock_end(s);
}

/* ---- threads ---- */

enum { THREADS = 4, RUNS = 200 };
struct together { struct lt_object *axpy, *check; struct lt_slot slot[2]; int wrong; };
static void *run_together(void *arg)
{
	struct together *x = arg;
	struct lt_fault fault;
	for (int i = 0; i < RUNS; i++) {
		struct lt_args args = cuda_args(x->slot, 2, &fault);
		x->wrong += lt__cuda_run(x->axpy, &args, NULL) != LT_OK;
		args = cuda_args(&x->slot[1], 1, &fault);
		x->wrong += lt__cuda_run(x->check, &args, NULL) != LT_OK || fault.n != (2 * (i + 1) > 100);
	}
	return NULL;
}

Test(cuda_mock, objects_of_one_session_run_together)
{
	struct lt_session *s = cuda_open("");
	struct cuda_tree t, u;
	struct lt_object *axpy = mock_kernel_object(s, cuda_tree(&t, "k", 2, 4), "axpy", 4, NULL),
		*check = mock_kernel_object(s, cuda_tree(&u, "c", 1, 4), "check", 4, NULL);
	struct together x[THREADS];
	pthread_t thread[THREADS];
	float zeros[4] = { 0 }, one[4] = { 1, 0, 0, 0 };
	cr_assert(cuda_backend()->caps(s)->promises & LT_PROMISE_RUN_TOGETHER);
	for (int i = 0; i < THREADS; i++)
		x[i] = (struct together){ axpy, check, { cuda_floats(s, one, 4), cuda_floats(s, zeros, 4) }, 0 };
	for (int i = 0; i < THREADS; i++)
		cr_assert_eq(pthread_create(&thread[i], NULL, run_together, &x[i]), 0);
	for (int i = 0; i < THREADS; i++) {
		cr_assert_eq(pthread_join(thread[i], NULL), 0);
		cr_assert_eq(x[i].wrong, 0);
		cuda_fetch_is(s, &x[i].slot[1], (float[]){ 2 * RUNS, 0, 0, 0 }, 4);
	}
	cr_assert_leq(mock->streams, THREADS);
	lt__cuda_destroy(axpy);
	lt__cuda_destroy(check);
	mock_end(s);
}
