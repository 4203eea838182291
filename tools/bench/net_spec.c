/* net_spec.c -- how a model is named as a case: --model FILE[:NAME=VALUE,...], and in the JSON that a peer
 * is given. */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include "ir/op/op.h"
#include "tools/bench/net.h"

/* Where the file's name ends: at a colon that a NAME= follows, since paths may have colons, too. */
static size_t path_end(const char *spec)
{
	for (const char *at = spec; (at = strchr(at, ':')); at++)
		if (at[1 + strcspn(at + 1, ":=,/")] == '=')
			return (size_t)(at - spec);
	return strlen(spec);
}

/* The most that an extent is; false: the value is none, "8" or "1..8". */
static bool is_extent(const char *value, int64_t *max)
{
	const char *to = strstr(value, ".."), *last = to ? to + 2 : value;
	char *end;

	if (!*last || last[strspn(last, "0123456789")] || (to && strspn(value, "0123456789") != (size_t)(to - value)))
		return false;
	errno = 0;
	*max = strtoll(last, &end, 10);
	return !errno;
}

/* As the frontend and as a peer take it.  An extent of 1 leaves nothing open. */
static lt_status add_dim(
	struct lt_context *ctx, struct bench_net *net, const char *name, const char *value, int64_t max)
{
	const bool opens = net->run_time && max > 1 && !strstr(value, "..");

	LT_TRY(lt__texts_add(ctx, &net->fixed, lt__must_format("%s=%lld", name, (long long)max)));
	return lt__texts_add(ctx, &net->dim, lt__must_format(opens ? "%s=1..%s" : "%s=%s", name, value));
}

static lt_status take_pair(struct lt_context *ctx, struct bench_net *net, const char *spec, const char *pair)
{
	const size_t n = strcspn(pair, "=");
	char *name = lt__must_format("%.*s", (int)n, pair);
	int64_t max = 0;
	lt_status st;

	if (!n || !pair[n] || !pair[n + 1])
		st = lt_fail(ctx, LT_EINVAL, "--model '%s': '%s' is no NAME=VALUE", spec, pair);
	else if (is_extent(pair + n + 1, &max))
		st = add_dim(ctx, net, name, pair + n + 1, max);
	else
		st = lt__texts_add(ctx, &net->given, lt__must_format("%s", pair));
	free(name);
	return st;
}

static lt_status take_pairs(struct lt_context *ctx, struct bench_net *net, const char *spec, char *pairs)
{
	for (char *at = pairs, *next; at; at = next) {
		next = strchr(at, ',');
		if (next)
			*next++ = 0;
		LT_TRY(take_pair(ctx, net, spec, at));
	}
	return LT_OK;
}

/* The file's name without its folder and ending; with its extents if there is another case of the name. */
static void net_name(const struct bench_cases *l, struct bench_case *c)
{
	const char *slash = strrchr(c->net->path, '/'), *base = slash ? slash + 1 : c->net->path;
	const char *dot = strrchr(base, '.');
	size_t at;

	snprintf(c->name, sizeof c->name, "%.*s", (int)(dot && dot > base ? (size_t)(dot - base) : strlen(base)), base);
	for (int i = 0; i < l->n; i++) {
		if (&l->at[i] == c || strcmp(l->at[i].name, c->name) != 0)
			continue;
		for (int32_t k = 0; k < c->net->fixed.n; k++) {
			at = strlen(c->name);
			snprintf(c->name + at, sizeof c->name - at, "-%s", c->net->fixed.at[k]);
		}
		break;
	}
}

lt_status bench_net_add(
	struct lt_context *ctx, struct bench_cases *l, const char *suite, const char *spec, const struct bench_options *o)
{
	struct bench_case *c = bench_case_add(l, suite, "network", "model", "");
	const size_t end = path_end(spec);
	char *path = lt__must_format("%.*s", (int)end, spec), *pairs = lt__must_format("%s", spec[end] ? spec + end + 1 : "");
	lt_status st = LT_OK;

	c->net = lt__must_alloc(sizeof *c->net);
	c->net->run_time = o->runtime_extents;
	c->net->unjudged = o->no_evaluator;
	if (o->kernels && !(c->net->kernels = realpath(o->kernels, NULL)))
		c->net->kernels = lt__must_format("%s", o->kernels);    /* whoever reads it says what is wrong */
	c->net->path = realpath(path, NULL);
	c->flops = -1;
	c->bound = MACHINE_FLOPS;
	if (!c->net->path)
		st = lt_fail(ctx, LT_EINVAL, "--model: '%s' cannot be read: %s", path, strerror(errno));
	else if (*pairs)
		st = take_pairs(ctx, c->net, spec, pairs);
	free(path);
	free(pairs);
	if (!st)
		net_name(l, c);
	return st;
}

static json_t *binding_json(const struct model_binding *p)
{
	json_t *shape = json_array();

	for (int32_t i = 0; i < p->rank; i++)
		json_array_append_new(shape, json_integer((json_int_t)p->shape[i]));
	return json_pack("{s:s,s:o,s:s}", "name", p->name, "shape", shape, "dtype", lt__dtype_info(p->dtype)->script);
}

json_t *bench_net_json(const struct bench_net *net)
{
	json_t *dims = json_object(), *in = json_array(), *results = json_array();

	for (int32_t i = 0; i < net->fixed.n; i++) {
		const char *text = net->fixed.at[i];
		const size_t n = strcspn(text, "=");
		char *name = lt__must_format("%.*s", (int)n, text);

		json_object_set_new(dims, name, json_integer(strtoll(text + n + 1, NULL, 10)));
		free(name);
	}
	for (int32_t i = 0; i < net->binding[LT_BINDING_INPUT].n; i++)
		if (!net->extent[i]) {
			json_t *t = binding_json(&net->binding[LT_BINDING_INPUT].at[i]);

			if (net->file[i])
				json_object_set_new(t, "file", json_string(net->file[i]));
			json_object_set_new(t, "constant", json_false());
			json_array_append_new(in, t);
		}
	for (int32_t i = 0; i < net->binding[LT_BINDING_RESULT].n; i++)
		json_array_append_new(results, binding_json(&net->binding[LT_BINDING_RESULT].at[i]));
	return json_pack("{s:s,s:s*,s:o,s:b,s:o,s:o}", "model", net->path, "kernels", net->kernels, "dims", dims,
		"runtime_extents", net->run_time, "inputs", in, "results", results);
}

lt_status bench_net_served(struct lt_context *ctx, const json_t *o, struct bench_net **out)
{
	struct bench_net *net = *out = lt__must_alloc(sizeof *net);
	const json_t *dims = json_object_get(o, "dims");
	const char *kernels = json_string_value(json_object_get(o, "kernels"));

	net->path = lt__must_format("%s", json_string_value(json_object_get(o, "model")));
	net->kernels = kernels ? lt__must_format("%s", kernels) : NULL;
	net->run_time = json_is_true(json_object_get(o, "runtime_extents"));
	/* Iterators go over objects that they do not change. */
	for (void *it = json_object_iter((json_t *)(uintptr_t)dims); it;
	     it = json_object_iter_next((json_t *)(uintptr_t)dims, it)) {
		char *pair = lt__must_format("%s=%lld", json_object_iter_key(it),
			(long long)json_integer_value(json_object_iter_value(it)));
		lt_status st = take_pair(ctx, net, net->path, pair);

		free(pair);
		LT_TRY(st);
	}
	return LT_OK;
}
