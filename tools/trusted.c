/* tools/trusted.c -- see trusted.h. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "ir/owner.h"
#include "tools/trusted.h"

/* Names in a folder with a sticky bit are their owners' to exchange, and a group that root gave a folder to is the
 * administrator's choice, as Debian's staff for /usr/local; not where (own) the thing itself is. */
static bool may_exchange(const struct stat *st, bool own, char *why, size_t bytes)
{
	if (st->st_uid != 0 && st->st_uid != geteuid())
		snprintf(why, bytes, "belongs to another user (uid %lu)", (unsigned long)st->st_uid);
	else if (lt__owner_is_open(st))
		snprintf(why, bytes, "may be written to by everybody");
	else if ((st->st_mode & S_IWGRP) && !(st->st_mode & S_ISVTX) && (own || st->st_uid != 0))
		snprintf(why, bytes, "may be written to by its group (chmod g-w fixes that)");
	else
		return false;
	return true;
}

static bool is_alone(const char *path, char *why, size_t bytes)
{
	struct stat st;

	if (lstat(path, &st) != 0)
		snprintf(why, bytes, "%s", strerror(errno));
	else if (S_ISLNK(st.st_mode))
		snprintf(why, bytes, "it is a link");
	else
		return lt__owner_alone(&st, true, why, bytes);
	return false;
}

/* From the root on: where nobody else can exchange a folder's names, what the next one says holds still. */
bool lt__path_is_trusted(const char *path, char *why, size_t bytes)
{
	char *at = strdup(path), said[200];
	bool good = at && *at == '/';

	if (!good)
		snprintf(why, bytes, at ? "it is not an absolute path" : "out of memory");
	for (char *end = at; good && end; end = strchr(end + 1, '/')) {
		char kept = end == at ? end[1] : *end, *cut = end == at ? end + 1 : end;
		struct stat st;

		*cut = '\0';
		if (lstat(at, &st) != 0) {
			snprintf(why, bytes, "'%s', which it is in: %s", at, strerror(errno));
			good = false;
		} else if (S_ISLNK(st.st_mode)) {
			snprintf(why, bytes, "'%s', which it is in, is a link", at);
			good = false;
		} else if (may_exchange(&st, !strchr(end + 1, '/'), said, sizeof said)) {
			snprintf(why, bytes, "'%s', which it is in, %s", at, said);
			good = false;
		}
		*cut = kept;
	}
	free(at);
	return good && is_alone(path, why, bytes);
}
