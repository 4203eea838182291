/* bound.c -- what bounds each kernel of a profile: its operations and bytes beside what the machine does. */
#include <stdlib.h>
#include <string.h>
#include "tools/run/profile.h"

/* NEAR: a limit explains a time of which it is this part.  LAUNCH_NS: kernels below it are mostly their own start.
 * IDLE: the part of the threads that computes where the others wait for them. */
#define NEAR 0.6
#define LAUNCH_NS 5000.0
#define IDLE 0.75

static const struct { const char *name, *advice; } bounds[] = {
	[RUN_BOUND_NONE] = { "-", NULL },
	[RUN_BOUND_COMPUTE] = { "compute", "multiply-adds: only fewer operations, or smaller types, make it faster" },
	[RUN_BOUND_MEMORY] = { "memory", "bytes: fuse it with what it reads or what reads it, or store fewer bits" },
	[RUN_BOUND_LAUNCH] = { "launch", "its own start: fuse it with a neighbour" },
	[RUN_BOUND_THREADS] = { "threads", "threads wait: a parallel loop is missing, or too few iterations" },
	[RUN_BOUND_LATENCY] = { "latency", "neither limit: scalar code, functions, short vectors; look at its loops" },
};

const char *run_bound_name(enum run_bound b) { return bounds[b].name; }
const char *run_bound_advice(enum run_bound b) { return bounds[b].advice; }

static int run_by_number(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return (x > y) - (x < y);
}

int64_t run_median(int64_t *values, int64_t n)
{
	if (n > 0)
		qsort(values, (size_t)n, sizeof *values, run_by_number);
	return n > 0 ? values[n / 2] : 0;
}

static void bound_kernel(const struct run_profile *p, struct run_kernel *k)
{
	const struct run_limits *l = &p->limits;
	double compute = l->flops > 0 ? (double)k->step.useful / l->flops * 1e9 : 0;
	double memory = l->copy > 0 ? (double)k->step.bytes / (l->copy > l->read ? l->copy : l->read) * 1e9 : 0;

	k->flops = k->median_ns > 0 ? (double)k->step.useful / k->median_ns * 1e9 : 0;
	k->bytes = k->median_ns > 0 ? (double)k->step.bytes / k->median_ns * 1e9 : 0;
	k->share = p->median_steps > 0 ? k->median_ns / (double)p->median_steps : 0;
	/* What a device's kernel does on the host, or a host's beside a device, has no limit here, nor has the bus. */
	if (l->flops <= 0 || k->step.kind == LT_PROFILE_MOVE || (k->step.clock == LT_PROFILE_DEVICE) != l->device)
		return;
	k->of_flops = k->median_ns > 0 ? compute / k->median_ns : 0;
	k->of_bytes = k->median_ns > 0 ? memory / k->median_ns : 0;
	k->predicted_ns = compute > memory ? compute : memory;
	k->bound = k->predicted_ns >= NEAR * k->median_ns ? (compute > memory ? RUN_BOUND_COMPUTE : RUN_BOUND_MEMORY)
		: k->median_ns < LAUNCH_NS ? RUN_BOUND_LAUNCH
		: !l->device && k->threads < IDLE * l->threads ? RUN_BOUND_THREADS : RUN_BOUND_LATENCY;
}

static int run_by_time(const void *a, const void *b)
{
	const struct run_rank *x = a, *y = b;

	return x->ns != y->ns ? (x->ns < y->ns) - (x->ns > y->ns) : (x->at > y->at) - (x->at < y->at);
}

void run_bound_find(struct run_profile *p)
{
	p->median_kernels = p->median_steps = 0;
	for (int32_t i = 0; i < p->n_kernel; i++) {
		struct run_kernel *k = &p->kernel[i];
		double busy = (double)run_median(k->busy, p->n_sample);

		k->median_ns = (double)run_median(k->ns, p->n_sample);
		k->threads = k->step.clock == LT_PROFILE_DEVICE || k->median_ns <= 0 ? 0 : busy / k->median_ns;
		p->median_steps += (int64_t)k->median_ns;
		p->median_kernels += run_computes(k) ? (int64_t)k->median_ns : 0;
		p->order[i] = (struct run_rank){ k->median_ns, i };
	}
	for (int32_t i = 0; i < p->n_kernel; i++)
		bound_kernel(p, &p->kernel[i]);
	qsort(p->order, (size_t)p->n_kernel, sizeof *p->order, run_by_time);
	p->median_run = run_median(p->run_ns, p->n_sample);
	double way[LT_PROFILE_BETWEEN + 1];
	for (int i = 0; i <= LT_PROFILE_BETWEEN; i++)
		way[i] = (double)run_median(p->copy_ns[i], p->n_sample);
	const double rest = (double)p->median_run - way[LT_PROFILE_SENT] - way[LT_PROFILE_BROUGHT] - way[LT_PROFILE_BETWEEN];
	p->crossing = (struct run_crossing){ way[LT_PROFILE_SENT], way[LT_PROFILE_BROUGHT], way[LT_PROFILE_BETWEEN],
		rest > 0 ? rest : 0 };
}
