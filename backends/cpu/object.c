/* object.c -- a compiled kernel asked: its threads and workspace, and whether arguments fit it. */
#include "backends/backends.h"
#include "backends/cpu/object.h"

bool lt__cpu_has_threads(const struct lt_session *s) { return LT_HAS(struct lt_host, s->host, parallel_for); }

/* What a host without threads does. */
static void team_alone(const struct lt_host *host, uint32_t n_thread, int64_t n,
	void (*body)(void *arg, int64_t first, int64_t last, uint32_t thread), void *arg)
{
	(void)host, (void)n_thread;
	if (n > 0)
		body(arg, 0, n, 0);
}

/* Of a run for which the host says n, 0: the session's number.  Each thread has a part of the workspace, so there is a
 * limit. */
uint32_t lt__cpu_threads(const struct lt_object *o, uint32_t n)
{
	enum { MAX_THREADS = 256 };     /* as the host's pool has */
	n = o->need.threads && lt__cpu_has_threads(o->s) ? n ? n : o->s->n_thread : 1;
	return n < MAX_THREADS ? n : MAX_THREADS;
}

int64_t lt__cpu_workspace(const struct lt_object *o, uint32_t n_thread)
{
	return o->need.shared + (int64_t)n_thread * o->need.private_;
}

void lt__cpu_call(const struct lt_cpu_call *c)
{
	const struct lt_host *host = c->team.host;
	const bool tells = c->own && LT_HAS(struct lt_host, host, running);
	if (tells)
		host->running(host, c->own);
	c->kernel(c->slot, c->workspace, c->fault, &c->team);
	if (tells)
		host->running(host, NULL);
}

lt_status lt__cpu_check(
	const struct lt_object *o, const struct lt_args *args, struct lt_team *team, struct lt_diag *diag)
{
	const struct lt_tree *t = o->tree;
	if (!o->kernel && o->s->text_only)
		return lt__report(diag, LT_EUNSUPPORTED, -1, -1, "compile it without text_only",
			"cpu: kernel %s was printed, not compiled", t->name);
	if (!o->kernel)
		return lt__report(diag, LT_EUNSUPPORTED, -1, -1, "leave target= out, or only look at the text (--dump=source)",
			"cpu: this machine does not run code for the target %s", o->s->model->name);
	*team = (struct lt_team){ .parallel_for = lt__cpu_has_threads(o->s) ? o->s->host->parallel_for : team_alone,
		.host = o->s->host, .n_thread = lt__cpu_threads(o, args->n_thread) };
	return lt__check_arguments(t, args, lt__cpu_workspace(o, team->n_thread), diag);
}
