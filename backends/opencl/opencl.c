/* opencl.c -- the backend opencl: any vendor's device, by OpenCL C 1.2.
 *
 * The loader of drivers is opened with a session, and nothing is linked with it.  After "opencl:" stand items with '/'
 * between them ("opencl:platform=0/device=1"):
 *   platform=N  the N-th driver, as the loader counts them; the first that has a device, if not said
 *   device=N    its N-th device; 0, if not said
 *   O0          the compiler does not optimise, and compiles all kernels of a program together
 *
 *   opencl.c    the table; sessions                  driver.c   the loader             config.c   the items
 *   device.c    the device, its target, its machine  error.c    names of errors        memory.c   memory
 *   lower.c     a tree to a text                     program.c  a text to a program    compile.c  trees become objects
 *   run.c       runs                                 queue.c    waiting for them       record.c   fault records
 *   event.c     time                                 save.c     the host's cache       dump.c     texts and numbers
 *   merge.c     several texts in one         context.c  what sessions of a device share
 */
#include <stdlib.h>
#include "backends/opencl/session.h"

static const struct lt_host nobody = { .size = sizeof nobody };

static void opencl_close(struct lt_session *s)
{
	lt__opencl_forget(s);
	if (s->queue) {
		(void)lt__opencl_wait(s, s->queue, NULL, NULL);
		lt__opencl_records_free(s);
		(void)s->cl.queue_free(s->queue);
	}
	lt__opencl_context_give(s);
	(void)pthread_mutex_destroy(&s->lock);
	free(s);
}

/* Only the loader: it opens the drivers when it is asked for them, which takes some thirty milliseconds. */
static int32_t opencl_score(const char *config, struct lt_diag *diag)
{
	enum { USABLE = 5 };                    /* less than cpu */
	struct lt_opencl_config c;
	struct lt_opencl_driver cl;
	lt_status status = lt__opencl_config(config, &c, diag);
	if (!status)
		status = lt__opencl_driver_load(&cl, diag);
	return status ? 0 : USABLE;
}

static lt_status open_queue(struct lt_session *s, struct lt_diag *diag)
{
	void *queue = NULL;
	lt_status status = lt__opencl_context_take(s, diag);
	if (!status)
		status = lt__opencl_stream_new(s, &queue, diag);
	s->queue = queue;
	return status;
}

static lt_status opencl_open(
	const struct lt_host *host, const char *config, struct lt_session **out, struct lt_diag *diag)
{
	*out = NULL;
	struct lt_session *s = calloc(1, sizeof *s);
	if (!s || pthread_mutex_init(&s->lock, NULL)) {
		free(s);
		return lt__report(diag, LT_ENOMEM, -1, -1, NULL, "no memory for a session");
	}
	s->host = host ? host : &nobody;
	lt_status status = lt__opencl_config(config, &s->config, diag);
	if (!status)
		status = lt__opencl_driver_load(&s->cl, diag);
	if (!status)
		status = lt__opencl_device(s, diag);
	if (!status)
		status = open_queue(s, diag);
	if (status)
		opencl_close(s);
	else
		*out = s;
	return status;
}

static const struct lt_caps *opencl_caps(const struct lt_session *s) { return &s->caps; }

static lt_status opencl_accepts(struct lt_session *s, const struct lt_tree *t, struct lt_diag *diag)
{
	struct lt_kernel *kernel;
	struct lt_text_grids *grids;
	lt_status status = lt__opencl_lower(s, t, &kernel, &grids, diag);
	lt__text_grids_free(grids);
	lt_kernel_free(kernel);
	return status;
}

static void opencl_need(const struct lt_object *o, uint32_t n_thread, size_t *bytes, size_t *align)
{
	(void)n_thread;
	*bytes = (size_t)o->kernel->workspace_bytes;
	*align = LT_MAX_ALIGN;
}

static const struct lt_backend opencl = {
	.size = sizeof opencl,
	.abi = LT_ABI,
	.build = LT_BUILD,
	.name = "opencl",
	.summary = "devices of any vendor, through OpenCL",
	.version = "1",
	.score = opencl_score,
	.open = opencl_open,
	.close = opencl_close,
	.caps = opencl_caps,
	.accepts = opencl_accepts,
	.compile = lt__opencl_compile,
	.run = lt__opencl_run,
	.sync = lt__opencl_sync,
	.destroy = lt__opencl_destroy,
	.need = opencl_need,
	.dump = lt__opencl_dump,
	.describe = lt__opencl_describe,
	.mem_new = lt__opencl_mem_new,
	.mem_free = lt__opencl_mem_free,
	.mem_copy = lt__opencl_mem_copy,
	.identity = lt__opencl_identity,
	.save = lt__opencl_save,
	.load = lt__opencl_load,
	.event_new = lt__opencl_event_new,
	.event_record = lt__opencl_event_record,
	.event_ns = lt__opencl_event_ns,
	.event_free = lt__opencl_event_free,
	.stream_new = lt__opencl_stream_new,
	.stream_free = lt__opencl_stream_free,
	.options = &lt__opencl_options,
};
LT_BACKEND(opencl)
