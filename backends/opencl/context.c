/* context.c -- one context for each device of the process.
 *
 * Memory objects and queues belong to a context, and kernels take only those of their own.  A caller that hands over
 * memory or a queue has them from another session than the program's, so the sessions of a device share one context, as
 * CUDA's do by themselves.  It is there as long as one of them is.
 */
#include <pthread.h>
#include <stdlib.h>
#include "backends/opencl/session.h"

struct opencl_shared { struct opencl_shared *next; cl_device_id device; cl_context context; int users; };
static pthread_mutex_t shared_lock = PTHREAD_MUTEX_INITIALIZER;
static struct opencl_shared *shared_contexts;

/* With the lock. */
static lt_status context_find(struct lt_session *s, struct lt_diag *diag)
{
	struct opencl_shared *x = shared_contexts;
	cl_int r = CL_SUCCESS;
	while (x && x->device != s->device)
		x = x->next;
	if (!x) {
		x = calloc(1, sizeof *x);
		if (!x)
			return lt__report(diag, LT_ENOMEM, -1, -1, NULL, "no memory for a context");
		x->device = s->device;
		x->context = s->cl.context_new(NULL, 1, &s->device, NULL, NULL, &r);
		if (r) {
			free(x);
			return lt__opencl_check(r, diag, "opening device %d", s->config.device);
		}
		x->next = shared_contexts;
		shared_contexts = x;
	}
	x->users++;
	s->context = x->context;
	return LT_OK;
}

lt_status lt__opencl_context_take(struct lt_session *s, struct lt_diag *diag)
{
	(void)pthread_mutex_lock(&shared_lock);
	lt_status status = context_find(s, diag);
	(void)pthread_mutex_unlock(&shared_lock);
	return status;
}

void lt__opencl_context_give(struct lt_session *s)
{
	if (!s->context)
		return;
	(void)pthread_mutex_lock(&shared_lock);
	struct opencl_shared **at = &shared_contexts, *x;
	while ((*at)->context != s->context)
		at = &(*at)->next;
	x = *at;
	if (--x->users == 0) {
		*at = x->next;
		(void)s->cl.context_free(x->context);
		free(x);
	}
	(void)pthread_mutex_unlock(&shared_lock);
	s->context = NULL;
}
