/* parsed.h -- a graph from its text, its programs and instances; what cannot be made fails the test. */
#ifndef TESTS_PARSED_H
#define TESTS_PARSED_H
#include <criterion/criterion.h>
#include <string.h>
#include "ir/graph/graph.h"
#include "lt/lt.h"

static inline struct lt_graph *parsed_in(struct lt_context *ctx, const char *text)
{
	struct lt_graph *g;
	cr_assert_eq(lt_graph_parse(ctx, text, strlen(text), "test", &g), LT_OK, "%s\n%s", lt_context_message(ctx), text);
	return g;
}

/* In a context of its own, which parsed_free frees with it. */
static inline struct lt_graph *parsed(const char *text)
{
	struct lt_context *ctx;
	cr_assert_eq(lt_context_new(&ctx), LT_OK);
	return parsed_in(ctx, text);
}

static inline void parsed_free(struct lt_graph *g)
{
	struct lt_context *ctx = g->ctx;
	lt_graph_free(g);
	lt_context_free(ctx);
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

static inline struct lt_instance *instance_of(struct lt_program *p)
{
	struct lt_instance *r;
	cr_assert_eq(lt_instance_new(p, &r), LT_OK, "%s", lt_instance_message(r));
	return r;
}
/* The status, and what the sentence has to say. */
static inline void expect_message(struct lt_graph *g, lt_status got, lt_status want, const char *say)
{
	cr_assert_eq(got, want, "%s: %s", lt_status_name(got), lt_context_message(g->ctx));
	cr_assert(strstr(lt_context_message(g->ctx), say), "'%s' does not say '%s'", lt_context_message(g->ctx), say);
}
#endif
