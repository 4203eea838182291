/* samples.c -- --profile: what each step took, in the first run and in those that are samples. */
#include <stdlib.h>
#include <string.h>
#include "tools/run/profile.h"

static lt_status profile_memory(const struct run *r)
{
	return lt_fail(r->ctx, LT_ENOMEM, "out of memory");
}

lt_status run_profile_begin(struct run *r)
{
	r->profile = calloc(1, sizeof *r->profile);
	return r->profile ? LT_OK : profile_memory(r);
}

static void profile_release(struct run_profile *p)
{
	for (int32_t i = 0; i < p->n_kernel; i++) {
		free(p->kernel[i].ns);
		free(p->kernel[i].busy);
	}
	for (int i = 0; i < p->n_traced; i++)
		free(p->traced[i].span);
	int64_t *const by_sample[] = { p->run_ns, p->check_ns, p->launch_ns, p->wait_ns, p->stamps };
	for (size_t i = 0; i < sizeof by_sample / sizeof *by_sample; i++)
		free(by_sample[i]);
	for (int i = 0; i <= LT_PROFILE_BETWEEN; i++)
		free(p->copy_ns[i]);
	for (uint32_t i = 0; i < p->n_lane; i++)
		free(p->lane[i]);
	free(p->lane);
	free(p->kernel);
	free(p->order);
}

void run_profile_free(struct run *r)
{
	if (r->profile)
		profile_release(r->profile);
	free(r->profile);
	r->profile = NULL;
}

/* Room for the first run: the kernels are known. */
static lt_status profile_allocate(struct run *r, const struct lt_profile *now)
{
	struct run_profile *p = r->profile;

	p->kernel = calloc((size_t)now->n_step + 1, sizeof *p->kernel);
	p->order = calloc((size_t)now->n_step + 1, sizeof *p->order);
	p->lane = calloc((size_t)now->n_lane + 1, sizeof *p->lane);
	if (!p->kernel || !p->order || !p->lane)
		return profile_memory(r);
	p->n_kernel = (int32_t)now->n_step;
	for (; p->n_lane < now->n_lane; p->n_lane++)
		if (!(p->lane[p->n_lane] = strdup(now->lane[p->n_lane])))
			return profile_memory(r);
	return LT_OK;
}

static bool profile_grow(int64_t **at, int64_t n)
{
	int64_t *grown = realloc(*at, (size_t)n * sizeof **at);

	*at = grown ? grown : *at;
	return grown;
}

/* Room for one more sample. */
static lt_status profile_samples(struct run *r)
{
	struct run_profile *p = r->profile;
	int64_t n = p->cap_sample ? 2 * p->cap_sample : 64;
	int64_t **const by_sample[] = { &p->run_ns, &p->check_ns, &p->launch_ns, &p->wait_ns, &p->stamps };
	bool good = true;

	if (p->n_sample < p->cap_sample)
		return LT_OK;
	for (size_t i = 0; i < sizeof by_sample / sizeof *by_sample; i++)
		good = profile_grow(by_sample[i], n) && good;
	for (int i = 0; i <= LT_PROFILE_BETWEEN; i++)
		good = profile_grow(&p->copy_ns[i], n) && good;
	for (int32_t i = 0; i < p->n_kernel; i++)
		good = profile_grow(&p->kernel[i].ns, n) && profile_grow(&p->kernel[i].busy, n) && good;
	p->cap_sample = good ? n : p->cap_sample;
	return good ? LT_OK : profile_memory(r);
}

static lt_status profile_keep_spans(struct run *r, const struct lt_profile *now, bool first)
{
	struct run_profile *p = r->profile;
	struct run_traced *t = &p->traced[p->n_traced];

	if (!r->o.trace || p->n_traced == (int)(sizeof p->traced / sizeof *p->traced))
		return LT_OK;
	*t = (struct run_traced){ .begin_ns = now->begin_ns, .run_ns = now->run_ns, .n_span = now->n_span, .first = first,
		.span = malloc((size_t)now->n_span * sizeof *t->span + 1) };
	if (!t->span)
		return profile_memory(r);
	memcpy(t->span, now->span, (size_t)now->n_span * sizeof *t->span);
	p->n_traced++;
	return LT_OK;
}

static void profile_add(struct run_profile *p, const struct lt_profile *now)
{
	const int64_t at = p->n_sample++;

	p->run_ns[at] = now->run_ns;
	p->check_ns[at] = now->check_ns;
	p->launch_ns[at] = now->launch_ns;
	p->wait_ns[at] = now->wait_ns;
	p->stamps[at] = now->n_stamp;
	for (int i = 0; i <= LT_PROFILE_BETWEEN; i++)
		p->copy_ns[i][at] = 0;
	for (int32_t i = 0; i < p->n_kernel; i++) {
		p->kernel[i].ns[at] = now->step[i].ns;
		p->kernel[i].busy[at] = now->step[i].busy_ns;
		if (now->step[i].kind >= LT_PROFILE_COPY)
			p->copy_ns[now->step[i].way][at] += now->step[i].ns;
	}
}

lt_status run_profile_see(struct run *r)
{
	struct run_profile *p = r->profile;
	const struct lt_profile *now;
	const bool first = !p->kernel;

	if (!first && !p->sampling)
		return LT_OK;
	lt_status st = lt_instance_profile(r->instance, &now);
	if (st)
		return lt_fail(r->ctx, st, "%s", lt_instance_message(r->instance));
	if (first)
		LT_TRY(profile_allocate(r, now));
	p->stamp_ps = now->stamp_ps;
	p->n_dropped = now->n_dropped > p->n_dropped ? now->n_dropped : p->n_dropped;
	for (int32_t i = 0; i < p->n_kernel; i++) {
		p->kernel[i].step = now->step[i];
		p->device |= now->step[i].clock == LT_PROFILE_DEVICE;
		p->host_clock |= now->step[i].clock == LT_PROFILE_HOST && now->step[i].lane > 0
			&& now->step[i].kind == LT_PROFILE_KERNEL;
	}
	if (first) {
		p->first_ns = now->run_ns;
		for (int32_t i = 0; i < p->n_kernel; i++)
			p->kernel[i].first_ns = now->step[i].ns;
		return profile_keep_spans(r, now, true);
	}
	LT_TRY(profile_samples(r));
	profile_add(p, now);
	return profile_keep_spans(r, now, false);
}
