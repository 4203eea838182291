/* tests/device_run.h -- graphs as text, compiled for devices (tests/device.h) and run. */
#ifndef TESTS_DEVICE_RUN_H
#define TESTS_DEVICE_RUN_H
#include <criterion/criterion.h>
#include <string.h>
#include "lt/lt.h"
#include "ir/graph.h"
#include "tests/device.h"

static inline struct lt_graph *parsed(const char *text)
{
	struct lt_context *ctx;
	struct lt_graph *g;
	cr_assert_eq(lt_context_new(&ctx), LT_OK);
	cr_assert_eq(lt_graph_parse(ctx, text, strlen(text), "test", &g), LT_OK, "%s\n%s", lt_context_message(ctx), text);
	return g;
}

static inline void close_graph(struct lt_graph *g)
{
	struct lt_context *ctx = g->ctx;
	lt_graph_free(g);
	lt_context_free(ctx);
	const struct device_counts *c[] = { &device_one, &device_two };
	for (int i = 0; i < 2; i++) {
		cr_assert_str_eq(c[i]->wrong, "");
		cr_assert_eq(c[i]->blocks, 0);
		cr_assert_eq(c[i]->captures_alive, 0);
		cr_assert_eq(c[i]->events, 0);
		cr_assert_eq(c[i]->sessions, 0);
	}
}

static inline struct lt_program *compiled_with(struct lt_graph *g, struct lt_options o)
{
	struct lt_program *p;
	o.size = sizeof o;
	cr_assert_eq(lt_compile(g->ctx, g, &o, &p), LT_OK, "%s", lt_context_message(g->ctx));
	return p;
}

static inline struct lt_program *compiled(struct lt_graph *g, const char *backends)
{
	return compiled_with(g, (struct lt_options){ .backends = backends });
}

static inline struct lt_instance *instance_of(struct lt_program *p, struct lt_graph *g)
{
	struct lt_instance *r;
	cr_assert_eq(lt_instance_new(p, &r), LT_OK, "%s", lt_context_message(g->ctx));
	return r;
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
#endif
