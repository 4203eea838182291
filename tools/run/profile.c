/* profile.c -- --profile: runs the program some times, and says what was found. */
#include <sys/resource.h>
#include "program/host/host.h"
#include "tools/run/profile.h"

/* ENOUGH_NS, MIN, MAX: of samples, when their number is not given. */
enum { ENOUGH_NS = 500000000, MIN_SAMPLES = 3, MAX_SAMPLES = 10000 };

/* With the last evaluation's inputs, after one that warms the caches. */
static lt_status profile_sample(struct run *r)
{
	struct run_profile *p = r->profile;
	const int64_t wanted = r->o.time, begin = lt__now_ns();
	struct rusage before, after;

	LT_TRY(run_instance(r));
	getrusage(RUSAGE_SELF, &before);
	p->sampling = true;
	while (wanted > 0 ? p->n_sample < wanted
		: p->n_sample < MIN_SAMPLES || (lt__now_ns() - begin < ENOUGH_NS && p->n_sample < MAX_SAMPLES))
		LT_TRY(run_instance(r));
	p->sampling = false;
	getrusage(RUSAGE_SELF, &after);
	p->lost = (double)(after.ru_nivcsw - before.ru_nivcsw) / (double)p->n_sample;
	return LT_OK;
}

/* A kernel cannot do more operations than the machine: then the limits were measured while others computed, too. */
static bool profile_above(const struct run_profile *p)
{
	for (int32_t i = 0; i < p->n_kernel; i++)
		if (p->kernel[i].of_flops > 1.03 && p->kernel[i].median_ns > 20000)
			return true;
	return false;
}

lt_status run_profile(struct run *r)
{
	struct run_profile *p = r->profile;
	lt_status sampled;

	p->work.size = sizeof p->work;
	p->stats.size = sizeof p->stats;
	lt_program_stats(r->program, &p->stats);
	p->threads = p->stats.n_thread;
	lt__phase(&r->phases, "timing kernels");
	sampled = profile_sample(r);
	lt__phase(&r->phases, NULL);
	LT_TRY(sampled);
	if (lt_instance_work(r->instance, &p->work))
		return lt_fail(r->ctx, lt_instance_code(r->instance), "%s", lt_instance_message(r->instance));
	LT_TRY(run_limits_find(r, p->device, false, &p->limits));
	run_bound_find(p);
	if (!p->device && profile_above(p)) {
		LT_TRY(run_limits_find(r, false, true, &p->limits));
		run_bound_find(p);
	}
	if (r->o.trace)
		LT_TRY(run_trace_write(r, r->o.trace));
	if (r->o.view)
		LT_TRY(run_view_write(r, r->o.view));
	if (!r->o.profile)
		return LT_OK;
	if (r->json) {
		json_object_set_new(r->json, "profile", run_profile_object(r));
		return LT_OK;
	}
	return run_profile_print(r);
}
