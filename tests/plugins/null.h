/* null.h -- a backend that takes every tree and computes nothing: the plug-ins here are variants of
 * it. */
#include <stdlib.h>
#include <string.h>
#include "lt/backend.h"

struct lt_session { struct lt_target target; struct lt_caps caps; };
struct lt_object { const struct lt_tree *tree; };

static int32_t score(const char *config, struct lt_diag *diag)
{
	(void)config, (void)diag;
	return 1;
}
static lt_status open_(const struct lt_host *host, const char *config, struct lt_session **out, struct lt_diag *diag)
{
	(void)host, (void)config, (void)diag;
	*out = calloc(1, sizeof **out);
	if (!*out)
		return LT_ENOMEM;
	(*out)->target =
		(struct lt_target){ .size = sizeof(struct lt_target), .name = "null", .vector_bytes = 4, .cores = 1 };
	(*out)->caps = (struct lt_caps){ .size = sizeof (struct lt_caps), .dtypes = ~UINT64_C(0), .loops = ~UINT64_C(0),
		.understands = ~UINT64_C(0), .target = &(*out)->target };
	return LT_OK;
}
static void close_(struct lt_session *s) { free(s); }
static const struct lt_caps *caps(const struct lt_session *s) { return &s->caps; }
static lt_status accepts(struct lt_session *s, const struct lt_tree *t, struct lt_diag *diag)
{
	(void)s, (void)t, (void)diag;
	return LT_OK;
}
static lt_status compile(struct lt_session *s, const struct lt_tree *const *tree, uint32_t n, struct lt_object **object,
	struct lt_diag *diag)
{
	(void)s, (void)diag;
	memset(object, 0, n * sizeof *object);
	for (uint32_t i = 0; i < n; i++) {
		object[i] = calloc(1, sizeof **object);
		if (!object[i])
			return LT_ENOMEM;
		object[i]->tree = tree[i];
	}
	return LT_OK;
}
static lt_status run(struct lt_object *o, const struct lt_args *args, struct lt_diag *diag)
{
	(void)o, (void)args, (void)diag;
	return LT_OK;
}
static lt_status sync_(struct lt_session *s, void *stream, struct lt_diag *diag)
{
	(void)s, (void)stream, (void)diag;
	return LT_OK;
}
static void destroy(struct lt_object *o) { free(o); }

/* The last of several designated values for a member counts. */
#define NULL_BACKEND(...) { \
	.size = sizeof (struct lt_backend), .abi = LT_ABI, .build = LT_BUILD, .summary = "computes nothing", .version = "1", \
	.score = score, .open = open_, .close = close_, .caps = caps, .accepts = accepts, .compile = compile, .run = run, \
	.sync = sync_, .destroy = destroy, __VA_ARGS__ }
#pragma GCC diagnostic ignored "-Woverride-init"
#pragma GCC diagnostic ignored "-Wunused-function"
