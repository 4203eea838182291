/* weights.c -- the weights of a script in a file beside it: --dump=script writes it, a run finds it. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "tools/run/run.h"
#include "tools/common/common.h"

char *run_weights_path(const char *script)
{
	static const char ending[] = ".lt", weights[] = ".safetensors";
	size_t n = strlen(script), stem = n > 3 && !strcmp(script + n - 3, ending) ? n - 3 : n;
	char *path = malloc(stem + sizeof weights);

	if (path) {
		memcpy(path, script, stem);
		memcpy(path + stem, weights, sizeof weights);
	}
	return path;
}

/* Constants of the script that have a content; their bytes. */
static int32_t count_weights(const struct run *r, struct lt_tensors *out, size_t *bytes)
{
	const struct run_bindings *b = &r->binding[LT_BINDING_CONSTANT];

	*bytes = 0;
	for (int32_t i = 0; i < b->n; i++) {
		const struct run_binding *p = &b->at[i];
		struct lt_tensor t = { .name = (char *)(uintptr_t)p->name, .dtype = p->dtype, .rank = p->rank,
			.shape = p->shape, .data = (void *)(uintptr_t)p->content };

		if (!p->content || !p->needed || !lt__tensor_bytes(t.dtype, t.rank, t.shape, &t.bytes))
			continue;
		out->at[out->n++] = t;
		*bytes += t.bytes;
	}
	return out->n;
}

/* The name without its folders. */
static const char *own_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

static lt_status weights_write(struct run *r, const struct lt_tensors *t, char **name)
{
	char *path = run_weights_path(r->o.output);
	lt_status s = path ? lt__safetensors_write(r->ctx, path, t) : lt_fail(r->ctx, LT_ENOMEM, "out of memory");

	*name = path && !s ? strdup(own_name(path)) : NULL;
	free(path);
	return s || *name ? s : lt_fail(r->ctx, LT_ENOMEM, "out of memory");
}

lt_status run_weights_dump(struct run *r, char **name)
{
	struct lt_tensors t = { .at = calloc((size_t)r->binding[LT_BINDING_CONSTANT].n + 1, sizeof *t.at) };
	size_t bytes;
	lt_status s = LT_OK;

	*name = NULL;
	if (!t.at)
		return lt_fail(r->ctx, LT_ENOMEM, "out of memory");
	if (r->o.output && lt__tensorfile_kind(r->o.output) != LT_FILE_OTHER)
		s = lt_fail(r->ctx, LT_EINVAL, "--output takes the script's name, such as model.lt, not '%s': its weights are "
			"written beside it", r->o.output);
	else if (count_weights(r, &t, &bytes) && r->o.output)
		s = weights_write(r, &t, name);
	else if (t.n && !r->o.quiet)
		lt__say(stderr, "%s: the script's %d weight%s (%.3g MB) %s not printed: -o FILE.lt writes the script, and "
			"FILE.safetensors beside it\n", r->o.tool, t.n, run_s(t.n), (double)bytes / 1e6, t.n == 1 ? "is" : "are");
	free(t.at);
	return s;
}

bool run_weights_beside(const struct run_options *o, char **path)
{
	size_t n = strlen(o->script);

	*path = NULL;
	if (n <= 3 || strcmp(o->script + n - 3, ".lt") != 0)
		return true;
	if (!(*path = run_weights_path(o->script)))
		return false;
	if (access(*path, F_OK)) {
		free(*path);
		*path = NULL;
	}
	return true;
}
