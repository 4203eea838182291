/* keep.c -- --keep: everything is made in a folder of the user's and stays there, with the commands that made it. */
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include "tools/build/build.h"
#include "tools/common/common.h"

static const char list_name[] = "commands.sh", first_line[] = "#!/bin/sh\n# Made by lt-build from ";

/* Empty, or what an earlier --keep has made: that may be written over. */
static bool keep_is_free(const char *path, const char *list)
{
	DIR *d = opendir(path);
	char line[sizeof first_line] = "";
	bool empty = d != NULL;
	FILE *f;

	for (const struct dirent *e; d && (e = readdir(d)); )
		empty = empty && (!strcmp(e->d_name, ".") || !strcmp(e->d_name, ".."));
	if (d)
		closedir(d);
	if (empty)
		return true;
	f = fopen(list, "re");
	if (f) {
		(void)fread(line, 1, sizeof line - 1, f);
		fclose(f);
	}
	return !strcmp(line, first_line);
}

lt_status build_keep_begin(struct building *b)
{
	const char *dir = b->o.keep;
	char list[BUILD_PATH];
	char *real;

	if (mkdir(dir, 0777) != 0 && errno != EEXIST)
		return lt_fail(b->ctx, LT_EIO, "%s: the folder of --keep cannot be made: %s", dir, strerror(errno));
	real = realpath(dir, NULL);
	if (!real || strlen(real) >= sizeof b->place) {
		free(real);
		return lt_fail(b->ctx, LT_EIO, "%s: the folder of --keep cannot be used: %s", dir, strerror(real ? ENAMETOOLONG
			: errno));
	}
	snprintf(b->place, sizeof b->place, "%s", real);
	free(real);
	snprintf(list, sizeof list, "%s/%s", b->place, list_name);
	if (!keep_is_free(b->place, list))
		return lt_fail(b->ctx, LT_EINVAL, "--keep %s: there are files in it that lt-build has not made: name a new folder, "
			"or an empty one", dir);
	b->commands = fopen(list, "we");
	if (!b->commands)
		return lt_fail(b->ctx, LT_EIO, "%s: cannot be written: %s", list, strerror(errno));
	(void)setvbuf(b->commands, NULL, _IOLBF, 0);
	lt__say(b->commands, "%s%s, in this order.\n", first_line, build_last_name(b->o.model));
	return LT_OK;
}

void build_keep_command(const struct building *b, const struct build_command *c)
{
	for (size_t i = 0; i < c->n_word; i++) {
		fputc('\'', b->commands);
		for (const char *at = c->word[i]; *at; at++)
			fprintf(b->commands, "%s%c", *at == '\'' ? "'\\'" : "", *at);
		fputs(i + 1 < c->n_word ? "' " : "'\n", b->commands);
	}
}
