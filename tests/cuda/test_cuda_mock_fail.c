/* test_cuda_mock_fail.c -- the backend cuda when calls of the driver fail: what is said, what is left, and
 * that a session goes on unless its device is lost. */
#include "tests/cuda/mock_kernels.h"

TestSuite(cuda_fail, .init = mock_begin, .timeout = 60);

static void fail_at(const char *function, int n, CUresult with)
{
	(void)snprintf(mock->fail, sizeof mock->fail, "%s", function);
	mock->fail_at = n;
	mock->fail_with = with;
}

/* ---- what the device cannot launch is said when the code is loaded ---- */

Test(cuda_fail, launches_that_the_device_cannot_make)
{
	static const struct { const char *name, *cubin; int threads; int64_t shared; const char *text; } cases[] = {
		{ "large", "code", 512, 0,
			"kernel k: function large_1 takes 255 registers a thread, so that a block has at most 256 threads, not 512" },
		{ "large", "code", 32, 232000,
			"kernel k: function large_1 needs 233024 bytes of shared memory a block, and the device has 232448" },
		{ "nobody", "code", 32, 0, "kernel k: its function nobody_1: CUDA_ERROR" },
		{ "axpy", "none", 32, 0, "kernel k: its function axpy_1: CUDA_ERROR" },
	};
	struct lt_session *s = cuda_open("");
	struct cuda_tree t;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct keeper k = keeper_new();
		char text[800];
		(void)snprintf(text, sizeof text, "kernel 1\nname %s\nworkspace 0 thread 0\n"
			"buffer s u8[232000] shared 0 align 16 written\nregion host\n\tlaunch_grid 1 1 1 1 ()\n"
			"region grid 1 blocks (1, 1, 1) threads (%d, 1, 1) subgroup 1 shared %lld\n\t%%i = thread 0\n%s",
			cases[i].name, cases[i].threads, (long long)cases[i].shared, cases[i].shared ? "\tstore s[%i] 1\n" : "");
		if (!cases[i].shared)
			memmove(strstr(text, "buffer"), strstr(text, "region host"), strlen(strstr(text, "region host")) + 1);
		cr_expect_null(mock_object(s, cuda_tree(&t, "k", 2, 4), cases[i].cubin, cuda_parse(text), &k.diag));
		cr_expect(strstr(k.text, cases[i].text), "%s", k.text);
		cr_expect_eq(k.n, 1);
	}
	mock_end(s);
}

/* ---- one launch, or one wait, that fails ---- */

Test(cuda_fail, a_launch_that_fails_is_not_the_end)
{
	struct lt_session *s = cuda_open("");
	struct keeper k = keeper_new();
	struct cuda_tree t, u;
	struct lt_fault fault[2];
	struct lt_object *o = mock_kernel_object(s, cuda_tree(&t, "k", 2, 4), "axpy", 4, &k.diag),
		*check = mock_kernel_object(s, cuda_tree(&u, "c", 1, 4), "check", 4, &k.diag);
	struct lt_slot slot[2] = { cuda_floats(s, (float[]){ 1, 2, 3, 4 }, 4), cuda_floats(s, (float[]){ 0, 0, 0, 0 }, 4) };
	struct lt_args args = cuda_args(slot, 2, &fault[0]);
	fail_at("cuLaunchKernelEx", 1, CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES);
	cr_assert_eq(lt__cuda_run(o, &args, &k.diag), LT_EDEVICE);
	cr_assert_str_eq(k.text, "kernel k: launching axpy_1: CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES, too many resources "
		"requested for launch");
	cr_assert_eq(lt__cuda_run(o, &args, &k.diag), LT_OK);
	/* While runs are recorded: the recording ends. */
	struct lt_object *object[2] = { check, o };
	struct lt_args run[2] = { cuda_args(&slot[1], 1, &fault[0]), cuda_args(slot, 2, &fault[1]) };
	struct lt_capture *c;
	fail_at("cuLaunchKernelEx", 2, CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES);
	cr_assert_eq(lt__cuda_capture(s, object, run, 2, &c, &k.diag), LT_EDEVICE);
	cr_assert_null(c);
	cr_assert_eq(lt__cuda_capture(s, object, run, 2, &c, &k.diag), LT_OK, "%s", k.text);
	cr_assert_eq(lt__cuda_replay(c, &k.diag), LT_OK);
	cuda_fetch_is(s, &slot[1], (float[]){ 4, 8, 12, 16 }, 4);
	lt__cuda_capture_free(c);
	lt__cuda_destroy(check);
	lt__cuda_destroy(o);
	mock_end(s);
}

/* ---- a device that is lost ---- */

Test(cuda_fail, a_lost_device_is_said_by_every_call)
{
	struct lt_session *s = cuda_open("");
	struct keeper k = keeper_new();
	struct cuda_tree t;
	struct lt_fault fault;
	struct lt_event *e;
	void *p;
	struct lt_object *o = mock_object(s, cuda_tree(&t, "gone", 2, 4), "code",
		cuda_program("stray", (struct cuda_shape){ 4, 1, 32, 4 }), &k.diag);
	struct lt_slot slot[2] = { cuda_floats(s, NULL, 4), cuda_floats(s, NULL, 4) };
	struct lt_args args = cuda_args(slot, 2, &fault);
	cr_assert_eq(lt__cuda_run(o, &args, &k.diag), LT_EDEVICE);
	cr_assert_str_eq(k.text, "kernel gone, or what was enqueued before it: CUDA_ERROR_ILLEGAL_ADDRESS, an illegal memory "
		"access was encountered");
	cr_assert_str_eq(k.remedy, "start the process again");
	const char *again = "device 0 is lost since kernel gone, or what was enqueued before it: CUDA_ERROR_ILLEGAL_ADDRESS";
	for (int i = 0; i < 5; i++) {
		struct keeper n = keeper_new();
		lt_status status = i == 0 ? lt__cuda_run(o, &args, &n.diag)
			: i == 1 ? lt__cuda_mem_new(s, 4, &p, &n.diag)
			: i == 2 ? lt__cuda_mem_copy(s, &slot[0], &slot[0], 4, LT_COPY_DEVICE, NULL, &n.diag)
			: i == 3 ? lt__cuda_event_new(s, &e, &n.diag) : lt__cuda_sync(s, NULL, &n.diag);
		cr_expect_eq(status, LT_EDEVICE, "%d", i);
		cr_expect(strncmp(n.text, again, strlen(again)) == 0, "%d: %s", i, n.text);
	}
	for (int i = 0; i < 2; i++)
		lt__cuda_mem_free(s, slot[i].base);
	lt__cuda_destroy(o);
	cuda_backend()->close(s);
	cr_assert_eq(mock->contexts, 0);
	cr_assert_str_eq(mock->wrong, "");
}

/* ---- each call of each function ---- */

/* With much shared memory, and as many blocks as a run-time scalar says that no recorded run has. */
static const char checking[] = "kernel 1\nname check\nworkspace 0 thread 0\nbuffer x f32[4] slot 0 align 4\n"
	"buffer s f32[15000] shared 0 align 16 written\nregion host\n\tlaunch_grid 1 1 1 1 (i64 4)\n"
	"region grid 1 blocks (1, 1, 1) threads (32, 1, 1) subgroup 1 shared 60000\n\t%n = argument i64 0\n"
	"\t%x = load f32 x[%n]\n\tstore s[%n] %x\n\t%large = greater f32 %x 100\n\tfault %large %n access 5 @3\n";

/* Everything once; the first status that is not LT_OK.  Whatever has been made is freed. */
static lt_status use_everything(struct lt_diag *diag)
{
	static const struct lt_host host = { .size = sizeof host };
	struct lt_session *s;
	struct lt_object *o = NULL;
	struct lt_capture *c = NULL;
	struct lt_event *e = NULL;
	struct cuda_tree t;
	struct lt_fault fault;
	float x[4] = { 1, 2, 3, 400 };
	int64_t ns;
	void *stream = NULL, *pinned = NULL;
	struct lt_slot slot = { NULL, 0, sizeof x }, here = { x, 0, sizeof x };
	lt_status status = cuda_backend()->open(&host, "", &s, diag);
	if (status)
		return status;
	struct lt_cuda_code code;
	cr_assert_eq(lt__cuda_code_print(cuda_parse(checking), &code, diag), LT_OK);
	code.cubin = strdup("code");
	code.cubin_bytes = 5;
	struct lt_args args = cuda_args(&slot, 1, &fault);
#define STEP(call) status = status ? status : (call)
	STEP(lt__cuda_object(s, cuda_tree(&t, "k", 1, 4), &code, &o, diag));
	lt__cuda_code_free(&code);
	STEP(lt__cuda_mem_new(s, sizeof x, &slot.base, diag));
	STEP(lt__cuda_mem_copy(s, &slot, &here, sizeof x, LT_COPY_TO_DEVICE, NULL, diag));
	STEP(lt__cuda_event_new(s, &e, diag));
	STEP(lt__cuda_event_record(e, NULL, diag));
	STEP(lt__cuda_run(o, &args, diag));
	STEP(fault.n == 1 ? LT_OK : LT_EFAULT);
	STEP(lt__cuda_event_ns(e, e, &ns, diag));
	STEP(lt__cuda_capture(s, &o, &args, 1, &c, diag));
	fault = (struct lt_fault){ 0 };
	STEP(lt__cuda_replay(c, diag));
	STEP(fault.n == 1 ? LT_OK : LT_EFAULT);
	STEP(lt__cuda_mem_copy(s, &slot, &slot, sizeof x, LT_COPY_DEVICE, NULL, diag));
	x[3] = 0;
	STEP(lt__cuda_mem_copy(s, &here, &slot, sizeof x, LT_COPY_TO_HOST, NULL, diag));
	STEP(x[3] == 400 ? LT_OK : LT_EFAULT);
	STEP(lt__cuda_stream_new(s, &stream, diag));
	STEP(lt__cuda_stream_wait(s, stream, e, diag));
	STEP(lt__cuda_mem_peer(s, &slot, s, &slot, sizeof x, stream, diag));
	STEP(lt__cuda_event_wait(e, diag));
	STEP(lt__cuda_host_new(s, 100, &pinned, diag));
	STEP(lt__cuda_sync(s, NULL, diag));
#undef STEP
	if (pinned)
		lt__cuda_host_free(s, pinned);
	if (stream) {
		(void)lt__cuda_sync(s, stream, NULL);
		lt__cuda_stream_free(s, stream);
	}
	lt__cuda_event_free(e);
	lt__cuda_capture_free(c);
	lt__cuda_destroy(o);
	lt__cuda_mem_free(s, slot.base);
	cuda_backend()->close(s);
	return status;
}

static bool gives_back(const char *symbol)
{
	return strstr(symbol, "Free") || strstr(symbol, "Destroy") || strstr(symbol, "Release") || strstr(symbol, "Unload")
		|| strstr(symbol, "CtxPush") || strstr(symbol, "CtxPop")
		|| strstr(symbol, "WaitEvent");  /* and what only threads need */
}

/* Functions that only say more about an error, or a name, or that a queue may be used again, may fail and nothing else
 * does. */
static bool only_says(const char *symbol)
{
	return strstr(symbol, "GetError") || strstr(symbol, "GetName") || strstr(symbol, "TotalMem")
		|| strstr(symbol, "GetInfo") || strstr(symbol, "PointerGet") || strstr(symbol, "EventQuery")
		|| strstr(symbol, "Occupancy");
}

Test(cuda_fail, every_call_of_the_driver)
{
	static const char *const symbols[] = {
#define NAME(member, function, symbol) symbol,
		LT_CUDA_DRIVER_MAP(NAME)
#undef NAME
	};
	int failed = 0, unstaged = 0;
	struct keeper k = keeper_new();
	cr_assert_eq(use_everything(&k.diag), LT_OK, "%s", k.text);
	for (size_t i = 0; i < sizeof symbols / sizeof *symbols; i++) {
		if (gives_back(symbols[i]) || only_says(symbols[i]))
			continue;
		for (int n = 1;; n++) {
			k = keeper_new();
			fail_at(symbols[i], n, CUDA_ERROR_UNKNOWN);
			lt_status status = use_everything(&k.diag);
			if (mock->fail_at > 0) {                /* it is not called so often */
				cr_assert(status == LT_OK && n > 1, "%s is called %d times", symbols[i], n - 1);
				break;
			}
			failed++;
			if (status == LT_OK && strcmp(symbols[i], "cuMemHostAlloc") == 0) {
				unstaged++;                     /* a copy to pageable memory goes there without */
				continue;
			}
			/* Numbers of a device that cannot be had are 0; close() waits, and has nobody to tell. */
			if (strcmp(symbols[i], "cuDeviceGetAttribute") != 0
				&& (strcmp(symbols[i], "cuStreamSynchronize") != 0 || n < 8))
				cr_assert(status != LT_OK && k.n > 0 && k.text[0], "call %d of %s", n, symbols[i]);
			cr_assert_str_eq(mock->wrong, "", "call %d of %s: %s", n, symbols[i], mock->wrong);
			cr_assert(!mock->blocks && !mock->pinned && !mock->streams && !mock->events && !mock->modules
				&& !mock->contexts && !mock->graphs && !mock->graphs_made, "call %d of %s: something is left: %d %d %d %d "
				"%d %d %d %d", n, symbols[i], mock->blocks, mock->pinned, mock->streams, mock->events, mock->modules,
				mock->contexts, mock->graphs, mock->graphs_made);
		}
		mock->fail_at = 0;
	}
	cr_assert_geq(failed, 40);
	cr_assert_eq(unstaged, 1);
	cr_assert_eq(use_everything(&k.diag), LT_OK);
}
