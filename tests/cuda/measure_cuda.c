/* measure_cuda.c -- what the host's side of the backend cuda costs on a device: lines "NAME VALUE UNIT" for
 * tools/gpu-check.sh.  Times are medians; each thing is done some times before it is measured. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "backends/cuda/session.h"
#include "tests/cuda/cuda_program.h"
#include "tests/keeper.h"

enum { LARGE = 1 << 30, TINY = 4096, MANY = 100, SAMPLES = 21 };
static struct keeper keeper;
static struct lt_session *session;

static void must(lt_status status, const char *what)
{
	if (!status)
		return;
	(void)fprintf(stderr, "measure_cuda: %s: %s\n", what, keeper.text);
	exit(1);
}

static double now_us(void)
{
	struct timespec t;
	(void)clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e6 + (double)t.tv_nsec / 1e3;
}

static int compare(const void *a, const void *b)
{
	const double x = *(const double *)a, y = *(const double *)b;
	return (x > y) - (x < y);
}

/* Median of the time that `work` takes, in microseconds. */
static double median_us(void (*work)(void *), void *arg, int n)
{
	double us[SAMPLES];
	work(arg);
	for (int i = 0; i < n; i++) {
		double from = now_us();
		work(arg);
		us[i] = now_us() - from;
	}
	qsort(us, (size_t)n, sizeof *us, compare);
	return us[n / 2];
}

static void show(const char *name, double value, const char *unit)
{
	(void)printf("%-28s %10.2f %s\n", name, value, unit);
}

/* ---- what is measured ---- */

struct copying { struct lt_slot to, from; enum lt_copy direction; };
static void copy(void *arg)
{
	const struct copying *c = arg;
	must(lt__cuda_mem_copy(session, &c->to, &c->from, (size_t)c->to.bytes, c->direction, NULL, &keeper.diag), "a copy");
}

struct running { struct lt_object *o; struct lt_args args; int n; };
static void run(void *arg)
{
	const struct running *r = arg;
	struct lt_args args = r->args;
	for (int i = 0; i < r->n; i++) {
		args.async = i + 1 < r->n;
		must(lt__cuda_run(r->o, &args, &keeper.diag), "a run");
	}
}

/* The driver's share of a launch. */
static void launch_bare(void *arg)
{
	const struct running *r = arg;
	uint64_t at = (uint64_t)(uintptr_t)r->args.slot[0].base, n = 0;
	void *values[] = { &at, &n };
	must(lt__cuda_enter(session, &keeper.diag), "context");
	const CUlaunchConfig config = { .gridDimX = 1, .gridDimY = 1, .gridDimZ = 1, .blockDimX = 256, .blockDimY = 1,
		.blockDimZ = 1, .hStream = session->queues->stream };
	for (int i = 0; i < r->n; i++)
		must(lt__cuda_check(session, session->cuda.launch(&config, r->o->function[0], values, NULL), &keeper.diag,
			"a bare launch"), "launch");
	must(lt__cuda_check(session, session->cuda.stream_wait(session->queues->stream), &keeper.diag, "wait"), "wait");
	lt__cuda_leave(session);
}

static void replay(void *arg) { must(lt__cuda_replay(arg, &keeper.diag), "a replay"); }

static void score(void *config)
{
	if (lt_backend_find("cuda")->score(config, &keeper.diag) <= 0)
		must(LT_EDEVICE, "score");
}

static void open_and_close(void *config)
{
	static const struct lt_host host = { .size = sizeof host };
	struct lt_session *s;
	must(lt_backend_find("cuda")->open(&host, config, &s, &keeper.diag), "open");
	lt_backend_find("cuda")->close(s);
}

/* ---- objects ---- */

static struct lt_type type = { .name = "float32", .ctype = "float", .dtype = LT_F32, .bytes = 4 };
static struct lt_tree tree = { .size = sizeof tree, .name = "measured", .n_slot = 2 };

static struct lt_object *object(const char *function, int64_t bytes)
{
	const int64_t n = bytes / 16;
	const struct lt_tree *trees[] = { &tree };
	struct lt_cuda_code code;
	struct lt_object *o;
	must(lt__cuda_code_print(cuda_program(function, (struct cuda_shape){ bytes / 4, (int)((n + 255) / 256), 256, n }),
		&code, &keeper.diag), function);
	must(lt__cuda_compile(session, trees, &code, 1, &o, &keeper.diag), function);
	return o;
}

static void compile_one(void *unused)
{
	(void)unused;
	lt__cuda_destroy(object("empty", TINY));
}

struct saved { char *at; size_t n; };
static void saved_add(void *user, const char *data, size_t bytes)
{
	struct saved *s = user;
	s->at = realloc(s->at, s->n + bytes);
	memcpy(s->at + s->n, data, bytes);
	s->n += bytes;
}
static void load_one(void *arg)
{
	const struct saved *s = arg;
	struct lt_object *o;
	must(lt__cuda_load(session, &tree, s->at, s->n, &o, &keeper.diag), "load");
	lt__cuda_destroy(o);
}

static struct lt_slot device(size_t bytes)
{
	struct lt_slot slot = { .bytes = (int64_t)bytes };
	must(lt__cuda_mem_new(session, bytes, &slot.base, &keeper.diag), "memory");
	return slot;
}

/* ---- groups ---- */

static void measure_start(void)
{
	char none[] = "";
	double from = now_us();
	score(none);
	show("first score", (now_us() - from) / 1e3, "ms");
	show("score again", median_us(score, none, 5) / 1e3, "ms");
	from = now_us();
	open_and_close(none);
	show("first open and close", (now_us() - from) / 1e3, "ms");
	show("open and close again", median_us(open_and_close, none, 5) / 1e3, "ms");
}

static void measure_copies(struct lt_slot *slot)
{
	char *pageable = malloc(LARGE);
	void *pinned;
	must(lt__cuda_enter(session, &keeper.diag), "context");
	must(lt__cuda_check(session, session->cuda.pinned_new(&pinned, LARGE, 0), &keeper.diag, "pinned memory"), "pinned");
	lt__cuda_leave(session);
	memset(pageable, 1, LARGE);
	memset(pinned, 1, LARGE);
	const double gb = (double)LARGE / 1e3;          /* bytes a microsecond are MB/s */
	const struct lt_slot host[] = { { pageable, 0, LARGE }, { pinned, 0, LARGE } };
	for (int i = 0; i < 2; i++) {
		struct copying in = { slot[0], host[i], LT_COPY_TO_DEVICE }, out = { host[i], slot[0], LT_COPY_TO_HOST };
		show(i ? "to the device, pinned" : "to the device, pageable", gb / median_us(copy, &in, 5), "GB/s");
		show(i ? "to the host, pinned" : "to the host, pageable", gb / median_us(copy, &out, 5), "GB/s");
	}
	struct copying within = { slot[1], slot[0], LT_COPY_DEVICE };
	show("copy on the device", 2 * gb / median_us(copy, &within, SAMPLES), "GB/s read and written");
	struct copying small = { { slot[0].base, 0, TINY }, { pageable, 0, TINY }, LT_COPY_TO_DEVICE };
	show("4 KiB to the device", median_us(copy, &small, SAMPLES), "us");
	free(pageable);
	must(lt__cuda_enter(session, &keeper.diag), "context");
	(void)session->cuda.pinned_free(pinned);
	lt__cuda_leave(session);
}

static void measure_runs(const struct lt_slot *slot)
{
	static struct lt_fault fault;
	const struct lt_args args_of_one = { .size = sizeof args_of_one, .n_slot = 2, .slot = slot, .fault = &fault };
	struct running r = { object("copied", LARGE), args_of_one, 1 };
	show("copy by a kernel", 2 * (double)LARGE / 1e3 / median_us(run, &r, SAMPLES), "GB/s read and written");
	lt__cuda_destroy(r.o);
	r.o = object("empty", TINY);
	show("empty run", median_us(run, &r, SAMPLES), "us");
	r.n = MANY;
	show("one of 100 empty runs", median_us(run, &r, SAMPLES) / MANY, "us");
	show("one of 100 bare launches", median_us(launch_bare, &r, SAMPLES) / MANY, "us");
	struct lt_object *objects[MANY];
	struct lt_args args[MANY];
	struct lt_capture *c;
	for (int i = 0; i < MANY; i++) {
		objects[i] = r.o;
		args[i] = r.args;
	}
	must(lt__cuda_capture(session, objects, args, MANY, &c, &keeper.diag), "capture");
	show("one of 100 recorded", median_us(replay, c, SAMPLES) / MANY, "us");
	lt__cuda_capture_free(c);
	struct saved saved = { NULL, 0 };
	must(lt__cuda_save(r.o, saved_add, &saved, &keeper.diag), "save");
	show("text to a loaded cubin", median_us(compile_one, NULL, 5) / 1e3, "ms");
	show("load a saved cubin", median_us(load_one, &saved, SAMPLES) / 1e3, "ms");
	free(saved.at);
	lt__cuda_destroy(r.o);
}

int main(void)
{
	static const struct lt_host host = { .size = sizeof host };
	struct lt_buffer buffer[] = { { .name = "x", .slot = 0, .alias_of = -1 }, { .name = "y", .slot = 1, .alias_of = -1 } };
	tree.types = (struct lt_array){ &type, 1, sizeof type };
	tree.buffers = (struct lt_array){ buffer, 2, sizeof *buffer };
	keeper = keeper_new();
	measure_start();
	must(lt_backend_find("cuda")->open(&host, "", &session, &keeper.diag), "open");
	struct lt_slot slot[2] = { device(LARGE), device(LARGE) };
	measure_copies(slot);
	measure_runs(slot);
	lt_backend_find("cuda")->close(session);
	return 0;
}
