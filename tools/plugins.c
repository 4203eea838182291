/* tools/plugins.c -- loads the backends of -B, of $LT_BACKEND_PATH and of the folder that plug-ins are installed in. */
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include "backends/registry.h"
#include "tools/plugins.h"

/* Keeps the first sentence that a backend says, in one line. */
struct heard { struct lt_diag diag; char text[1024]; };

static void hear(struct lt_diag *d, const struct lt_note *n)
{
	struct heard *h = (struct heard *)(void *)d;

	if (!h->text[0] && n->text)
		snprintf(h->text, sizeof h->text, "%s%s%s", n->text, n->remedy ? "; " : "", n->remedy ? n->remedy : "");
	for (char *c = h->text; *c; c++)
		if ((unsigned char)*c < ' ' || *c == 127)
			*c = ' ';
}

/* Who is told, and of which source: "--load", "LT_BACKEND_PATH", the folder; and the plug-ins of the sources before it, whose names win: who
 * gives the file that was built just now has the installed one in mind, too. */
struct loader { const char *tool, *source; FILE *err; uint32_t n; const struct lt_backend **before; };

static void count_before(struct loader *l)
{
	l->n = 0;
	l->before = calloc(lt_backend_count() + 1, sizeof(struct lt_backend *));
	for (uint32_t i = 0; l->before && i < lt_backend_count(); i++)
		if (lt_backend_origin(lt_backend_at(i)))
			l->before[l->n++] = lt_backend_at(i);
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

static lt_status load(const struct loader *l, const char *path, const char *end)
{
	struct heard h = { .diag = { sizeof h.diag, hear } };
	lt_status st;

	if (is_loaded(path))
		return LT_OK;
	st = lt__backend_load_behind(path, l->before, l->n, &h.diag);

	if (st)
		fprintf(l->err, "%s: %s: %s%s\n", l->tool, l->source, h.text[0] ? h.text : lt_status_text(st), end);
	return st;
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
	int n = scandir(folder, &list, is_so, alphasort);

	if (n < 0 && !(may_be_absent && errno == ENOENT))
		fprintf(l->err, "%s: %s: %s: cannot be read: %s (left out)\n", l->tool, l->source, folder, strerror(errno));
	for (int i = 0; i < n; i++) {
		char *path = malloc(strlen(folder) + strlen(list[i]->d_name) + 2);

		if (path) {
			sprintf(path, "%s/%s", folder, list[i]->d_name);
			(void)load(l, path, " (left out)");
		}
		free(path);
		free(list[i]);
	}
	if (n >= 0)
		free(list);
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
	free(copy);
}

lt_status lt__plugins_load(const char *tool, const char *const *files, int32_t n, bool environment, FILE *err)
{
	struct loader given = { tool, "--load", err, 0, NULL }, path = { tool, "LT_BACKEND_PATH", err, 0, NULL };

	for (int32_t i = 0; i < n; i++) {
		lt_status st = load(&given, files[i], "");

		if (st)
			return st;
	}
	if (environment) {
		count_before(&path);
		load_path(&path, getenv("LT_BACKEND_PATH"));
		free(path.before);
	}
#ifdef LT_BACKEND_DIR
	if (environment) {
		struct loader installed = { tool, "installed backends", err, 0, NULL };

		count_before(&installed);
		load_folder(&installed, LT_BACKEND_DIR, true);
		free(installed.before);
	}
#endif
	if (lt_backend_complaint())
		fprintf(err, "%s: %s\n", tool, lt_backend_complaint());
	return LT_OK;
}
