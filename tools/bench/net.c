/* net.c -- the graph and the tensors of a model that is a case; net_spec.c reads how it is named. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "ir/op/op.h"
#include "tools/bench/net.h"

static void net_texts_free(struct lt_texts *l)
{
	for (int32_t i = 0; i < l->n; i++)
		free((void *)(uintptr_t)l->at[i]);
	free(l->at);
}

void bench_net_free(struct bench_net *net)
{
	if (!net)
		return;
	bench_net_close(net);
	net_texts_free(&net->dim);
	net_texts_free(&net->fixed);
	net_texts_free(&net->given);
	free(net->path);
	free(net->kernels);
	free(net);
}

static lt_status net_parse(struct lt_context *ctx, struct bench_net *net)
{
	const char *slash = strrchr(net->path, '/');
	char *folder = slash ? lt__must_format("%.*s", (int)(slash - net->path) + 1, net->path) : lt__must_format(".");
	const struct lt_parse_options options = { .size = sizeof options, .dim = net->dim.at, .n_dim = (uint32_t)net->dim.n,
		.folder = folder, .kernels = net->kernels };
	struct lt_bytes text = { .n = 0 };
	lt_status st = lt__bytes_read(ctx, net->path, &text);

	if (!st)
		st = lt_parse_with(ctx, (const char *)text.at, text.n, net->path, NULL, &options, &net->graph);
	lt__bytes_free(&text);
	free(folder);
	if (st && strstr(lt_context_message(ctx), "--dim ")) {
		char *said = lt__must_format("%s", lt_context_message(ctx));

		(void)lt_fail(ctx, st, "%-s\n  (in lt-bench: --model %s:NAME=VALUE for --dim NAME=VALUE)", said, net->path);
		free(said);
	}
	return st ? st : model_bindings_find(net->graph, net->binding);
}

/* What the option gives for it; NULL: nothing. */
static const char *net_given(const struct bench_net *net, const char *name)
{
	const size_t n = strlen(name);

	for (int32_t i = net->given.n; i-- > 0; )
		if (!strncmp(net->given.at[i], name, n) && net->given.at[i][n] == '=')
			return net->given.at[i] + n + 1;
	return NULL;
}

/* Random numbers; integers that nothing bounds are most often masks, and ones hide nothing. */
static const char *net_usual(const struct model_binding *p)
{
	return lt__dtype_info(p->dtype)->cls == LT_CLASS_FLOAT || p->range.given ? "random" : "ones";
}

static lt_status net_tensor(struct lt_context *ctx, const struct bench_net *net, const struct model_binding *p,
	const char *spec, struct lt_tensor *out)
{
	char want[200], have[200];

	bool fits;

	LT_TRY(model_spec_make(ctx, p, "--weights", spec, out));
	fits = out->dtype == p->dtype && out->rank == p->rank;
	for (int32_t d = 0; d < p->rank && fits; d++)
		fits = out->shape[d] == p->shape[d];
	if (fits)
		return LT_OK;
	return lt_fail(ctx, LT_EINVAL, "%s: '%s' is %s %s in %s, and has to be %s", net->path, p->name,
		lt__dtype_info(out->dtype)->script, lt__shape_text(have, sizeof have, out->rank, out->shape), spec,
		model_binding_text(p, want, sizeof want));
}

static void find_extents(struct bench_net *net)
{
	const struct model_bindings *in = &net->binding[LT_BINDING_INPUT];

	for (int32_t i = 0; i < in->n; i++)
		for (int32_t d = 0; d < in->at[i].rank; d++) {
			if (in->at[i].extent_from[d] >= 0)
				net->extent[in->at[i].extent_from[d]] = true;
			for (int32_t k = 0; k < in->at[i].sum[d].n; k++)
				net->extent[in->at[i].sum[d].from[k]] = true;
		}
}

static lt_status make_inputs(struct lt_context *ctx, struct bench_net *net)
{
	const struct model_bindings *in = &net->binding[LT_BINDING_INPUT];

	for (int32_t i = 0; i < in->n; i++) {
		const struct model_binding *p = &in->at[i];
		const char *given = net_given(net, p->name);
		char most[32];

		snprintf(most, sizeof most, "%lld", (long long)p->range.high);
		LT_TRY(net_tensor(ctx, net, p, net->extent[i] ? most : given ? given : net_usual(p), &net->input[i]));
	}
	return LT_OK;
}

static lt_status make_constants(struct lt_context *ctx, struct bench_net *net)
{
	const struct model_bindings *all = &net->binding[LT_BINDING_CONSTANT];

	for (int32_t i = 0; i < all->n; i++) {
		const struct model_binding *p = &all->at[i];
		const char *given = net_given(net, p->name);

		if (!p->content || given)
			LT_TRY(net_tensor(ctx, net, p, given ? given : net_usual(p), &net->constant[i]));
	}
	return LT_OK;
}

static lt_status check_given(struct lt_context *ctx, const struct bench_net *net)
{
	for (int32_t i = 0; i < net->given.n; i++) {
		const char *text = net->given.at[i];
		const size_t n = strcspn(text, "=");
		const char *names = "";
		bool found = false;

		for (int kind = LT_BINDING_INPUT; kind <= LT_BINDING_CONSTANT; kind++)
			found = found || model_binding_index(&net->binding[kind], text, n) >= 0;
		for (int32_t k = 0; k < net->binding[LT_BINDING_INPUT].n && !found; k++)
			names = lt__scratch(ctx, "%s%s%s", names, k ? ", " : "", net->binding[LT_BINDING_INPUT].at[k].name);
		if (!found)
			return lt_fail(ctx, LT_EINVAL, "--model %s: there is no input '%.*s' (there are: %s)", net->path, (int)n, text,
				names);
	}
	return LT_OK;
}

size_t bench_net_result_bytes(const struct bench_net *net, int32_t i)
{
	const struct model_binding *p = &net->binding[LT_BINDING_RESULT].at[i];
	size_t bytes = 0;

	(void)lt__tensor_bytes(p->dtype, p->rank, p->shape, &bytes);
	return bytes;
}

lt_status bench_net_open(struct lt_context *ctx, struct bench_net *net)
{
	int32_t n_in, n_result;

	LT_TRY(net_parse(ctx, net));
	n_in = net->binding[LT_BINDING_INPUT].n;
	n_result = net->binding[LT_BINDING_RESULT].n;
	net->input = lt__must_alloc(((size_t)n_in + 1) * sizeof *net->input);
	net->extent = lt__must_alloc(((size_t)n_in + 1) * sizeof *net->extent);
	net->file = lt__must_alloc(((size_t)n_in + 1) * sizeof *net->file);
	net->constant = lt__must_alloc(((size_t)net->binding[LT_BINDING_CONSTANT].n + 1) * sizeof *net->constant);
	net->at = lt__must_alloc(((size_t)n_result + 1) * sizeof *net->at);
	for (int32_t i = 0; i < n_result; i++) {
		net->at[i] = net->bytes;
		net->bytes += (bench_net_result_bytes(net, i) + BENCH_NET_ALIGN - 1) / BENCH_NET_ALIGN * BENCH_NET_ALIGN;
	}
	if (net->binding[LT_BINDING_STATE].n > 0)
		return lt_fail(ctx, LT_EUNSUPPORTED, "%s: each run changes its state '%s', so that no two runs are alike",
			net->path, net->binding[LT_BINDING_STATE].at[0].name);
	find_extents(net);
	LT_TRY(check_given(ctx, net));
	LT_TRY(make_inputs(ctx, net));
	return make_constants(ctx, net);
}

void bench_net_close(struct bench_net *net)
{
	for (int32_t i = 0; net->input && i < net->binding[LT_BINDING_INPUT].n; i++) {
		lt__tensor_free(&net->input[i]);
		if (net->file[i])
			unlink(net->file[i]);
		free(net->file[i]);
	}
	for (int32_t i = 0; net->constant && i < net->binding[LT_BINDING_CONSTANT].n; i++)
		lt__tensor_free(&net->constant[i]);
	free(net->input);
	free(net->constant);
	free(net->extent);
	free(net->file);
	free(net->at);
	net->input = net->constant = NULL;
	net->extent = NULL;
	net->file = NULL;
	net->at = NULL;
	net->bytes = 0;
	model_bindings_free(net->binding);
	lt_graph_free(net->graph);
	net->graph = NULL;
}

void bench_net_describe(struct bench_case *c)
{
	const struct bench_net *net = c->net;
	size_t bytes = 0, one = 0;

	for (int kind = LT_BINDING_INPUT; kind <= LT_BINDING_RESULT; kind++)
		for (int32_t i = 0; i < net->binding[kind].n; i++) {
			const struct model_binding *p = &net->binding[kind].at[i];

			if (lt__tensor_bytes(p->dtype, p->rank, p->shape, &one))
				bytes += one;
		}
	c->bytes = (int64_t)bytes;
	c->out.name = "result";
	c->out.n = (int64_t)(net->bytes / sizeof(float));
}

lt_status bench_net_write(struct lt_context *ctx, struct bench_net *net)
{
	for (int32_t i = 0; i < net->binding[LT_BINDING_INPUT].n; i++) {
		const struct lt_tensor *t = &net->input[i];
		FILE *f;
		bool ok;

		if (net->file[i] || net->extent[i])
			continue;
		LT_TRY(lt__tmp_file(ctx, &net->file[i]));
		f = fopen(net->file[i], "wb");
		ok = f && fwrite(t->data, 1, t->bytes, f) == t->bytes;
		if (f && fclose(f))
			ok = false;
		if (!ok)
			return lt_fail(ctx, LT_EIO, "the input '%s' cannot be written for peers: %s; $TMPDIR names the folder",
				net->binding[LT_BINDING_INPUT].at[i].name, strerror(errno));
	}
	return LT_OK;
}
