/* plugins.c -- loads the backends of -B, of $LT_BACKEND_PATH, of the folder beside the program and of the one
 * that plug-ins are installed in.
 */
#define _GNU_SOURCE 1
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "backends/backends.h"
#include "base/arena.h"
#include "tools/common/common.h"

/* Who is reported, and of which source: "--load", "LT_BACKEND_PATH", the folder; and the plug-ins of the sources before
 * it, whose names win: who gives the file that was built just now has the installed one in mind, too.
 * trusted: who may change these files may change the program, too. */
struct loader {
	struct lt_context *ctx;
	const char *tool, *source;
	bool named, trusted;
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
	if (l->trusted || !lt__path_trusted(l->ctx, real))
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

lt_status lt__plugins_load(struct lt_context *ctx, const char *tool, const char *const *files, int32_t n)
{
	struct loader given = { .ctx = ctx, .tool = tool, .source = "--load", .named = true };

	for (int32_t i = 0; i < n; i++)
		LT_TRY(load(&given, files[i], ""));
	if (lt_backend_complaint())
		lt__say(stderr, "%s: %s\n", tool, lt_backend_complaint());
	return LT_OK;
}

/* The file that this code is in: a library, or the program. */
static char *own_file(bool is_library)
{
	Dl_info at;

	if (!is_library)
		return realpath("/proc/self/exe", NULL);
	return dladdr((const void *)(uintptr_t)own_file, &at) && at.dli_fname ? realpath(at.dli_fname, NULL) : NULL;
}

/* "FOLDER/backends" of the file, or NULL. */
static char *folder_beside(const char *file)
{
	static const char name[] = "backends";
	const char *slash = file ? strrchr(file, '/') : NULL;
	const size_t n = slash ? (size_t)(slash - file) + 1 : 0;
	char *folder = slash ? malloc(n + sizeof name) : NULL;

	if (folder)
		sprintf(folder, "%.*s%s", (int)n, file, name);
	return folder;
}

static lt_status load_from(struct loader *l, const char *list, const char *folder)
{
	if (count_before(l))
		return LT_ENOMEM;
	if (list)
		load_path(l, list);
	if (folder)
		load_folder(l, folder, true);
	free(l->before);
	return LT_OK;
}

static bool is_there(const char *name, size_t bytes)
{
	for (uint32_t i = 0; i < lt_backend_count(); i++)
		if (strlen(lt_backend_at(i)->name) == bytes && memcmp(lt_backend_at(i)->name, name, bytes) == 0)
			return true;
	return false;
}

bool lt__plugins_there(const char *list)
{
	for (const char *at = list; *at; at += strcspn(at, ","), at += *at == ',')
		if (!is_there(at, strcspn(at, ":,")))
			return false;
	return true;
}

#ifdef LT_BACKEND_DIR
static const char *const installed_folder = LT_BACKEND_DIR;
#else
static const char *const installed_folder;
#endif

lt_status lt__plugins_find(struct lt_context *ctx, const char *tool)
{
	char *file = own_file(false), *folder = folder_beside(file);
	struct loader path = { .ctx = ctx, .tool = tool, .source = "LT_BACKEND_PATH" },
		      beside = { .ctx = ctx, .tool = tool, .source = "backends beside the program",
			      .trusted = file && lt__path_trusted(ctx, file) },
		      installed = { .ctx = ctx, .tool = tool, .source = "installed backends" };
	lt_status s = file && !folder ? LT_ENOMEM : load_from(&path, getenv("LT_BACKEND_PATH"), NULL);

	if (file && !folder)
		no_memory(&beside);
	if (!s)
		s = load_from(&beside, NULL, folder);
	if (!s)
		s = load_from(&installed, NULL, installed_folder);
	free(folder);
	free(file);
	return s;
}

void lt__plugins_folders(char *out, size_t bytes)
{
	char *file = own_file(false), *folder = folder_beside(file);

	snprintf(out, bytes, "$LT_BACKEND_PATH%s%.1400s%s%.1400s", folder ? ", " : "", folder ? lt__shown(folder).text : "",
		installed_folder ? ", " : "", installed_folder ? installed_folder : "");
	free(folder);
	free(file);
}

/* Whether the backend is there now. */
static bool load_own(struct lt_context *ctx, const char *folder, const char *name, bool trusted)
{
	char *path = folder ? malloc(strlen(folder) + strlen(name) + 5) : NULL, *real = NULL;
	if (path) {
		sprintf(path, "%s/%s.so", folder, name);
		real = realpath(path, NULL);
	}
	if (real && (trusted || !lt__path_trusted(ctx, real)))
		(void)lt__backend_load_behind(path, real, NULL, 0, NULL);
	free(real);
	free(path);
	return lt_backend_find(name) != NULL;
}

bool lt__plugins_find_own(struct lt_context *ctx, const char *name)
{
	char *file = own_file(true), *folder = folder_beside(file);
	const bool found = lt_backend_find(name) || load_own(ctx, folder, name, file && lt__path_trusted(ctx, file)) ||
		load_own(ctx, installed_folder, name, false);

	free(folder);
	free(file);
	lt_context_clear(ctx);
	return found;
}
