/* device_run.h -- graphs as text, compiled for devices (tests/device.h) and run. */
#ifndef TESTS_DEVICE_RUN_H
#define TESTS_DEVICE_RUN_H
#include "tests/device.h"
#include "tests/parsed.h"

/* And what the devices count: nothing is wrong, and nothing of theirs is left. */
static inline void close_graph(struct lt_graph *g)
{
	parsed_free(g);
	const struct device_counts *c[] = { &device_one, &device_two };
	for (int i = 0; i < 2; i++) {
		cr_assert_str_eq(c[i]->wrong, "");
		cr_assert_eq(c[i]->blocks, 0);
		cr_assert_eq(c[i]->captures_alive, 0);
		cr_assert_eq(c[i]->events, 0);
		cr_assert_eq(c[i]->sessions, 0);
		cr_assert(c[i]->streams == 0 && c[i]->pinned == 0);
	}
}

/* Chains of kernels that no tree may fuse: each sums what the one before has made. */
#define LONG \
	"graph 1\nvar m 4\nvar n 4\n%x = f32[m, n] input \"x\"\n%a = f32[m] add.reduce %x\n%b = f32[m, n] add %x, " \
	"%a\n%c = f32[n] add.reduce %b\n" \
	"%d = f32[m, n] mul %x, %c\n%e = f32[m] max.reduce %d\n%f = f32[m, n] sub %d, %e\n%h = f32[n] add.reduce " \
	"%f\nresult \"h\" = %h\n"

static inline void run_long(struct lt_instance *r, float *x, float *h, float first)
{
	for (int i = 0; i < 16; i++)
		x[i] = first + (float)i;
	cr_assert_eq(lt_instance_run(r, (const void *[]){ x }, (void *[]){ h }), LT_OK, "%s", lt_instance_message(r));
}

/* An input and a constant, two results, and what is between. */
#define CHAIN \
	"graph 1\nvar m 5\nvar n 3\n%x = f32[m, n] input \"x\"\n%w = f32[m, n] constant \"w\"\n%e = f32[m, n] exp " \
	"%x\n%s = f32[m] add.reduce %e\n" \
	"%t = f32[m] tanh %s\n%y = f32[m, n] mul %e, %t\n%z = f32[m, n] add %y, %w\nresult \"z\" = %z\nresult \"t\" " \
	"= %t\n"

static inline void run_chain(struct lt_instance *r, float *z, float *t)
{
	float x[15];
	for (int i = 0; i < 15; i++)
		x[i] = (float)i / 8;
	memset(z, 0xa5, sizeof *z * 15);
	memset(t, 0xa5, sizeof *t * 5);
	cr_assert_eq(lt_instance_run(r, (const void *[]){ x }, (void *[]){ z, t }), LT_OK, "%s", lt_instance_message(r));
}
#endif
