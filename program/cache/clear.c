/* clear.c -- how much is in a cache, and its removal: by exact names, in folders that are ours only. */
#define _GNU_SOURCE 1
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/arena.h"
#include "program/cache/cache.h"

struct entry_count {
	struct lt_cache_sums sums;
	bool remove;
	int error;
}; /* error: of the first entry that could not be removed */

/* Regular files only: links are not followed, and folders are never entered. */
static void visit(int folder, const char *name, struct entry_count *c)
{
	struct stat st;
	if (!lt__cache_is_entry(name) && !lt__cache_is_temporary(name))
		return;
	if (fstatat(folder, name, &st, AT_SYMLINK_NOFOLLOW) != 0 || !S_ISREG(st.st_mode))
		return;
	if (lt__cache_is_kernel(name)) {
		c->sums.kernels++;
		c->sums.kernel_bytes += st.st_size;
	} else if (lt__cache_is_plan(name)) {
		c->sums.plans++;
		c->sums.plan_bytes += st.st_size;
	}
	if (c->remove && unlinkat(folder, name, 0) != 0 && errno != ENOENT && !c->error)
		c->error = errno;
}

static lt_status cache_walk(struct lt_context *ctx, const char *path, struct entry_count *c)
{
	struct lt_cache cache = { .fd = -1 };
	LT_TRY(lt__cache_open(ctx, &cache, path, false));
	DIR *dir = fdopendir(cache.fd);
	if (!dir) {
		int error = errno;
		lt__cache_close(&cache);
		return lt_fail(ctx, LT_EIO, "'%s' cannot be read: %s", path, strerror(error));
	}
	for (const struct dirent *d; (d = readdir(dir)); )
		visit(dirfd(dir), d->d_name, c);
	(void)closedir(dir);
	return LT_OK;
}

lt_status lt__cache_stats(struct lt_context *ctx, const char *dir, struct lt_cache_sums *out)
{
	struct entry_count c = { .remove = false };
	lt_status status = cache_walk(ctx, dir, &c);
	*out = c.sums;
	return status;
}

lt_status lt__cache_clear(struct lt_context *ctx, const char *dir)
{
	struct entry_count c = { .remove = true };
	lt_status status = cache_walk(ctx, dir, &c);
	return status || !c.error ? status : lt_fail(ctx, LT_EIO, "some entries cannot be removed: %s", strerror(c.error));
}
