/* weights.c -- the weights of a script in a file beside it: --dump=script writes it, a run finds it. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "tools/common/common.h"
#include "tools/model/binder.h"

char *model_weights_path(const char *script)
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
static int32_t count_weights(const struct model *m, struct lt_tensors *out, size_t *bytes)
{
	const struct model_bindings *b = &m->binding[LT_BINDING_CONSTANT];

	*bytes = 0;
	for (int32_t i = 0; i < b->n; i++) {
		const struct model_binding *p = &b->at[i];
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

static lt_status weights_write(struct lt_context *ctx, const char *to, const struct lt_tensors *t, char **name)
{
	char *path = model_weights_path(to);
	lt_status s = path ? lt__safetensors_write(ctx, path, t) : lt_fail(ctx, LT_ENOMEM, "out of memory");

	*name = path && !s ? strdup(own_name(path)) : NULL;
	free(path);
	return s || *name ? s : lt_fail(ctx, LT_ENOMEM, "out of memory");
}

lt_status model_weights_dump(struct lt_context *ctx, const struct model_options *o, const struct model *m,
	const char *to,
	char **name)
{
	struct lt_tensors t = { .at = calloc((size_t)m->binding[LT_BINDING_CONSTANT].n + 1, sizeof *t.at) };
	size_t bytes;
	lt_status s = LT_OK;

	*name = NULL;
	if (!t.at)
		return lt_fail(ctx, LT_ENOMEM, "out of memory");
	if (to && lt__tensorfile_kind(to) != LT_FILE_OTHER)
		s = lt_fail(ctx, LT_EINVAL, "--output takes the script's name, such as model.lt, not '%s': its weights are "
			"written beside it", to);
	else if (count_weights(m, &t, &bytes) && to)
		s = weights_write(ctx, to, &t, name);
	else if (t.n && !o->quiet)
		lt__say(stderr, "%s: the script's %d weight%s (%.3g MB) %s not printed: -o FILE.lt writes the script, and "
			"FILE.safetensors beside it\n", o->tool, t.n, lt__plural(t.n), (double)bytes / 1e6, t.n == 1 ? "is" : "are");
	free(t.at);
	return s;
}

char *model_weights_named(const char *script)
{
	static const char says[] = "# weights: ";
	const size_t n = strlen(script), word = sizeof says - 1, folder = (size_t)(own_name(script) - script);
	FILE *f = n > 3 && !strcmp(script + n - 3, ".lt") ? fopen(script, "r") : NULL;
	char *line = NULL, *path = NULL;
	size_t room = 0;

	while (f && !path && getline(&line, &room, f) > 0 && *line == '#') {
		line[strcspn(line, "\n")] = '\0';
		if (strncmp(line, says, word) != 0 || !(path = malloc(folder + strlen(line + word) + 1)))
			continue;
		memcpy(path, script, folder);
		strcpy(path + folder, line + word);
		if (lt__tensorfile_kind(path) == LT_FILE_SAFETENSORS && !access(path, R_OK))
			break;
		free(path);
		path = NULL;
	}
	free(line);
	if (f)
		fclose(f);
	return path;
}

bool model_weights_beside(const char *script, char **path)
{
	size_t n = strlen(script);

	*path = NULL;
	if (n <= 3 || strcmp(script + n - 3, ".lt") != 0)
		return true;
	if (!(*path = model_weights_path(script)))
		return false;
	if (access(*path, F_OK)) {
		free(*path);
		*path = NULL;
	}
	return true;
}
