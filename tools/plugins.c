/* tools/plugins.c -- loads the backends of -B, of $LT_BACKEND_PATH and of the folder that plug-ins are installed in. */
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include "backends/registry.h"
#include "ir/arena.h"
#include "ir/nearest.h"
#include "tools/options.h"
#include "tools/plugins.h"
#include "tools/say.h"
#include "tools/trusted.h"

static void backend_hear(struct lt_diag *d, const struct lt_diagnostic *n)
{
	struct lt_heard *h = (struct lt_heard *)(void *)d;

	if (!h->text[0] && n->text)
		snprintf(h->text, sizeof h->text, "%s%s%s", n->text, n->remedy ? "; " : "", n->remedy ? n->remedy : "");
	for (char *c = h->text; *c; c++)
		if ((unsigned char)*c < ' ' || *c == 127)
			*c = ' ';
}

struct lt_heard lt__heard(void)
{
	return (struct lt_heard){ .diag = { .size = sizeof(struct lt_diag), .report = backend_hear } };
}

const char *lt__heard_reason(const struct lt_heard *h) { return h->text[0] ? h->text : "it does not say why"; }

const char *lt__backend_name(int i)
{
	return i < (int)lt_backend_count() ? lt_backend_at((uint32_t)i)->name : NULL;
}

lt_status lt__backend_named(struct lt_context *ctx, const char *name, size_t bytes, const struct lt_backend **out)
{
	char names[512];
	struct lt_nearest near;

	lt__nearest_begin(&near, name, bytes);
	for (uint32_t i = 0; i < lt_backend_count(); i++) {
		*out = lt_backend_at(i);
		if (strlen((*out)->name) == bytes && !memcmp((*out)->name, name, bytes))
			return LT_OK;
		lt__nearest_add(&near, (*out)->name);
	}
	*out = NULL;
	lt__option_words(&(struct lt_option){ .list = lt__backend_name }, names, sizeof names);
	return lt_fail(ctx, LT_EINVAL, "there is no backend '%.*s'%s (there are: %s)", (int)bytes, name,
		lt__nearest_hint(ctx, &near, "'", "'"), names);
}

/* Who is reported, and of which source: "--load", "LT_BACKEND_PATH", the folder; and the plug-ins of the sources before
 * it, whose names win: who gives the file that was built just now has the installed one in mind, too. */
struct loader {
	struct lt_context *ctx;
	const char *tool, *source;
	bool named;
	uint32_t n;
	const struct lt_backend **before;
};

static lt_status count_before(struct loader *l)
{
	l->n = 0;
	l->before = calloc(lt_backend_count() + 1, sizeof(struct lt_backend *));
	if (!l->before)
		return lt_fail(l->ctx, LT_ENOMEM, "out of memory");
	for (uint32_t i = 0; i < lt_backend_count(); i++)
		if (lt_backend_origin(lt_backend_at(i)))
			l->before[l->n++] = lt_backend_at(i);
	return LT_OK;
}

/* Whether this very file gave a backend already: a file or a folder that is named twice is no mistake. */
static bool is_loaded(const char *path)
{
	char *file = realpath(path, NULL);
	bool found = false;

	for (uint32_t i = 0; file && !found && i < lt_backend_count(); i++) {
		const char *origin = lt_backend_origin(lt_backend_at(i));
		char *other = origin ? realpath(origin, NULL) : NULL;

		found = other && !strcmp(other, file);
		free(other);
	}
	free(file);
	return found;
}

/* Whether code may be loaded from there, or looked for in that folder; says why not.  A file that was named is the
 * user's own choice. */
static bool plugin_check(const struct loader *l, const char *path, const char *real, const char *end)
{
	if (!lt__path_trusted(l->ctx, real))
		return true;
	if (l->named)
		lt__say(stderr, "%s: %s: warning: others may change %s: %s\n", l->tool, l->source, lt__shown(path).text,
			lt_context_message(l->ctx));
	else
		lt__say(stderr,
			"%s: %s: %s: not loaded, because others may change it: %s; -B loads one file all the same%s\n",
			l->tool, l->source, lt__shown(path).text,
			lt_context_message(l->ctx), end);
	return l->named;
}

static lt_status load(const struct loader *l, const char *path, const char *end)
{
	struct lt_heard h = lt__heard();
	char *real;
	lt_status st;

	if (is_loaded(path))
		return LT_OK;
	real = realpath(path, NULL);
	if (!real && !l->named) {
		lt__say(stderr, "%s: %s: %s: cannot be loaded: %s%s\n", l->tool, l->source, lt__shown(path).text,
			strerror(errno), end);
		return LT_ELOAD;
	}
	/* Of a file that was named the loader says that it is not there. */
	if (real && !plugin_check(l, path, real, end)) {
		free(real);
		return LT_ELOAD;
	}
	st = lt__backend_load_behind(path, l->named ? NULL : real, l->before, l->n, &h.diag);
	free(real);
	if (st && l->named)
		return lt_fail(l->ctx, st, "%s: %s", l->source, h.text[0] ? h.text : lt_status_text(st));
	if (st)
		lt__say(stderr, "%s: %s: %s%s\n", l->tool, l->source, h.text[0] ? h.text : lt_status_text(st), end);
	return st;
}

static void no_memory(const struct loader *l)
{
	fprintf(stderr, "%s: %s: out of memory (left out)\n", l->tool, l->source);
}

static int is_so(const struct dirent *e)
{
	size_t n = strlen(e->d_name);

	return n > 3 && !strcmp(e->d_name + n - 3, ".so");
}

/* may_be_absent: a folder that nobody has made yet has nothing in it. */
static void load_folder(const struct loader *l, const char *folder, bool may_be_absent)
{
	struct dirent **list;
	char *real = realpath(folder, NULL);
	int n;

	if (real && !plugin_check(l, folder, real, " (left out)")) {
		free(real);
		return;
	}
	n = real ? scandir(real, &list, is_so, alphasort) : -1;
	if (n < 0 && !(may_be_absent && errno == ENOENT))
		lt__say(stderr, "%s: %s: %s: cannot be read: %s (left out)\n", l->tool, l->source,
			lt__shown(folder).text, strerror(errno));
	for (int i = 0; i < n; i++) {
		char *path = malloc(strlen(folder) + strlen(list[i]->d_name) + 2);

		if (path) {
			sprintf(path, "%s/%s", folder, list[i]->d_name);
			(void)load(l, path, " (left out)");
		} else {
			no_memory(l);
		}
		free(path);
		free(list[i]);
	}
	if (n >= 0)
		free(list);
	free(real);
}

static void load_path(const struct loader *l, const char *list)
{
	char *copy = list ? strdup(list) : NULL, *rest = NULL;

	for (char *at = copy ? strtok_r(copy, ":", &rest) : NULL; at; at = strtok_r(NULL, ":", &rest)) {
		struct stat st;

		if (stat(at, &st) == 0 && S_ISDIR(st.st_mode))
			load_folder(l, at, false);
		else
			(void)load(l, at, " (left out)");
	}
	if (list && !copy)
		no_memory(l);
	free(copy);
}

lt_status lt__plugins_load(
	struct lt_context *ctx, const char *tool, const char *const *files, int32_t n, bool environment)
{
	struct loader given = { ctx, tool, "--load", true, 0, NULL }, path = { ctx, tool, "LT_BACKEND_PATH", false, 0, NULL };

	for (int32_t i = 0; i < n; i++) {
		lt_status st = load(&given, files[i], "");

		if (st)
			return st;
	}
	if (environment) {
		if (count_before(&path))
			return LT_ENOMEM;
		load_path(&path, getenv("LT_BACKEND_PATH"));
		free(path.before);
	}
#ifdef LT_BACKEND_DIR
	if (environment) {
		struct loader installed = { ctx, tool, "installed backends", false, 0, NULL };

		if (count_before(&installed))
			return LT_ENOMEM;
		load_folder(&installed, LT_BACKEND_DIR, true);
		free(installed.before);
	}
#endif
	if (lt_backend_complaint())
		lt__say(stderr, "%s: %s\n", tool, lt_backend_complaint());
	return LT_OK;
}
