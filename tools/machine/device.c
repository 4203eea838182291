/* device.c -- a backend that runs on a device: memory there for the tensors of its contestants, and what
 * the device can do at best, instead of the processor's peak and bandwidth.
 *
 * Its peak is measured with a kernel of its own, timed by the device: by CUDA where that knows it (cuda.c), else
 * by the backend, a chain of multiply-adds on each element; the bandwidth with the copies that the backend makes within
 * its memory.
 */
#include <stdlib.h>
#include <string.h>
#include "tools/common/common.h"
#include "tools/machine/machine.h"
#include "tools/option/option.h"

/* Bytes of a copy: the most, and the least of a quick one. */
enum { STEPS = 512, MAX_COPY = 1 << 30, MIN_COPY = 1 << 20 };

struct machine_device {
	struct lt_context *ctx;
	const struct lt_backend *backend;
	struct lt_host host;
	struct lt_heard heard;
	struct lt_session *session;
	/* of the copies */
	void *buffer[2];
	int64_t bytes;
	struct lt_event *event[2];
	/* of the multiply-adds: by CUDA, or a program */
	struct machine_cuda *cuda;
	int64_t elements;
	struct lt_program *program;
	struct lt_instance *instance;
	void *x, *y;
};

static lt_status device_fail(struct machine_device *d, lt_status s, const char *what)
{
	return s ? lt_fail(d->ctx, s, "backend %s: %s: %s", d->backend->name, what, lt__heard_reason(&d->heard)) : LT_OK;
}

lt_status machine_device_open(struct lt_context *ctx, const char *backend, struct machine_device **out)
{
	const size_t n = strcspn(backend, ":");
	struct machine_device *d = *out = lt__must_alloc(sizeof *d);

	d->ctx = ctx;
	d->host = (struct lt_host){ .size = sizeof d->host, .temp_dir = lt__temp_dir() };
	d->heard = lt__heard();
	LT_TRY(lt__backend_named(ctx, backend, n, &d->backend));
	return device_fail(d, d->backend->open(&d->host, backend[n] ? backend + n + 1 : "", &d->session, &d->heard.diag),
		"it cannot be opened");
}

bool machine_device_is(const struct machine_device *d)
{
	const struct lt_caps *caps = d->backend->caps(d->session);

	return caps->device_memory && LT_HAS(struct lt_backend, d->backend, mem_new)
		&& LT_HAS(struct lt_backend, d->backend, event_new);
}

void machine_device_close(struct machine_device *d)
{
	if (!d)
		return;
	machine_cuda_close(d->cuda);
	lt_instance_free(d->instance);
	lt_program_free(d->program);
	void *const memory[] = { d->buffer[0], d->buffer[1], d->x, d->y };
	for (int i = 0; i < 4; i++)
		machine_device_free(d, memory[i]);
	for (int i = 0; i < 2; i++)
		if (d->event[i])
			d->backend->event_free(d->event[i]);
	if (d->session)
		d->backend->close(d->session);
	free(d);
}

lt_status machine_device_memory(struct machine_device *d, int64_t bytes, void **out)
{
	*out = NULL;
	return device_fail(d, d->backend->mem_new(d->session, (size_t)bytes, out, &d->heard.diag), "memory");
}

void machine_device_free(struct machine_device *d, void *memory)
{
	if (memory)
		d->backend->mem_free(d->session, memory);
}

lt_status machine_device_copy(struct machine_device *d, void *to, const void *from, int64_t bytes, enum lt_copy way)
{
	const struct lt_slot dst = { to, 0, bytes }, src = { (void *)(uintptr_t)from, 0, bytes };

	return device_fail(d, d->backend->mem_copy(d->session, &dst, &src, (size_t)bytes, way, NULL, &d->heard.diag),
		"a copy");
}

/* Contestants whose tensors the last cache holds would not be limited by memory: as many sets of them, in turn, as are
 * three times as large; one if they are so small that time is not spent there, or that a network would keep them. */
int machine_device_sets(const struct machine_device *d, int64_t bytes)
{
	const int64_t cache = (int64_t)d->backend->caps(d->session)->target->l2_bytes;
	const int64_t sets = (3 * cache + bytes - 1) / bytes;

	return 8 * bytes < cache || sets < 1 ? 1 : sets > MACHINE_SETS ? MACHINE_SETS : (int)sets;
}

/* ---- what the device can do ---- */

static lt_status chain_new(struct machine_device *d, const char *backend, bool quick)
{
	const int64_t n = d->elements = INT64_C(1) << (quick ? 14 : 21);
	char *script = lt__must_alloc(STEPS * 160 + 200);
	size_t at = (size_t)sprintf(script, "$1 = InputTensor(x, float32, [%lld]);\n$2 = FullNode(float32, [], 0.999);\n"
		"$3 = FullNode(float32, [], 0.001);\n$4 = MultiplyNode($1, $2);\n", (long long)n);
	struct lt_graph *g = NULL;
	const struct lt_options o = { .size = sizeof o, .backends = backend, .strict = 1, .on_device = "*",
		.temp_dir = lt__temp_dir(), .cancelled = lt__interrupted, .device_time = 1, .n_thread = 1 };

	for (int i = 0; i < STEPS; i++)
		at += (size_t)sprintf(script + at, "$%d = MultiplyNode($%d, $2);\n$%d = AddNode($%d, $3);\n", 2 * i + 5, 2 * i + 4,
			2 * i + 6, 2 * i + 5);
	sprintf(script + at, "result = $%d;\n", 2 * STEPS + 4);
	lt_status s = lt_parse(d->ctx, script, strlen(script), "multiply-adds", NULL, &g);
	s = s ? s : lt_compile(d->ctx, g, &o, &d->program);
	lt_graph_free(g);
	free(script);
	if (!s && lt_instance_new(d->program, &d->instance))
		s = lt_fail(d->ctx, lt_instance_code(d->instance), "%-s", lt_instance_message(d->instance));
	s = s ? s : machine_device_memory(d, 4 * n, &d->x);
	return s ? s : machine_device_memory(d, 4 * n, &d->y);
}

/* What the last cache holds would be copied in it. */
static int64_t copy_bytes(const struct machine_device *d, bool quick)
{
	const int64_t cache = (int64_t)d->backend->caps(d->session)->target->l2_bytes;
	int64_t bytes = quick ? MIN_COPY : MAX_COPY;

	while (bytes < 4 * cache && bytes < MAX_COPY)
		bytes *= 2;
	return bytes;
}

static lt_status copies_new(struct machine_device *d, bool quick)
{
	d->bytes = copy_bytes(d, quick);
	for (int i = 0; i < 2; i++) {
		LT_TRY(machine_device_memory(d, d->bytes, &d->buffer[i]));
		LT_TRY(device_fail(d, d->backend->event_new(d->session, &d->event[i], &d->heard.diag), "an event"));
	}
	return LT_OK;
}

/* Whether CUDA measures it. */
static bool cuda_peak_new(struct machine_device *d, bool quick)
{
	if (!machine_cuda_open(d->ctx, d->buffer[0], &d->cuda) && !machine_cuda_peak_new(d->cuda, quick))
		return true;
	machine_cuda_close(d->cuda);
	d->cuda = NULL;
	return false;
}

lt_status machine_device_measures(struct machine_device *d, const char *backend, bool quick)
{
	LT_TRY(copies_new(d, quick));
	return cuda_peak_new(d, quick) ? LT_OK : chain_new(d, backend, quick);
}

const struct machine_cuda *machine_device_cuda(const struct machine_device *d) { return d->cuda; }

double machine_device_unit(const struct machine_device *d, enum machine_bound bound)
{
	return bound != MACHINE_FLOPS ? 2.0 * (double)d->bytes
		: d->cuda ? machine_cuda_peak_unit(d->cuda) : (2.0 * STEPS + 1) * (double)d->elements;
}

static lt_status run_chain(struct machine_device *d, int64_t n, double *seconds)
{
	struct lt_stats before = { .size = sizeof before }, after = { .size = sizeof after };

	lt_program_stats(d->program, &before);
	for (int64_t i = 0; i < n; i++)
		if (lt_instance_run(d->instance, (const void *const[]){ d->x }, (void *const[]){ d->y }))
			return lt_fail(d->ctx, lt_instance_code(d->instance), "%-s", lt_instance_message(d->instance));
	lt_program_stats(d->program, &after);
	*seconds = (double)(after.device_ns - before.device_ns) * 1e-9;
	return LT_OK;
}

static lt_status run_copies(struct machine_device *d, int64_t n, double *seconds)
{
	int64_t ns = 0, all = 0;

	for (int64_t i = 0; i < n; i++) {
		LT_TRY(device_fail(d, d->backend->event_record(d->event[0], NULL, &d->heard.diag), "an event"));
		LT_TRY(machine_device_copy(d, d->buffer[i & 1], d->buffer[!(i & 1)], d->bytes, LT_COPY_DEVICE));
		LT_TRY(device_fail(d, d->backend->event_record(d->event[1], NULL, &d->heard.diag), "an event"));
		LT_TRY(device_fail(d, d->backend->event_ns(d->event[0], d->event[1], &ns, &d->heard.diag), "its time"));
		all += ns;
	}
	*seconds = (double)all * 1e-9;
	return LT_OK;
}

lt_status machine_device_run(struct machine_device *d, enum machine_bound bound, int64_t n, double *seconds)
{
	return bound != MACHINE_FLOPS ? run_copies(d, n, seconds)
		: d->cuda ? machine_cuda_peak_run(d->cuda, n, seconds) : run_chain(d, n, seconds);
}
