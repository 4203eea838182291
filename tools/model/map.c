/* map.c -- a checkpoint or a tokenizer, mapped: gigabytes of weights stay in the file.
 *
 * A file that is cut short while it is used ends the process by SIGBUS, as it does any program that maps files.
 */
#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "tools/common/common.h"
#include "tools/model/model.h"
#include "tools/option/option.h"

static lt_status map_open(struct lt_context *ctx, int fd, const struct stat *st, const char *path, const char *what,
	struct model_mapped *out)
{
	void *at;

	if (!S_ISREG(st->st_mode))
		return lt_fail(ctx, LT_EINVAL, "%s: the %s has to be a file, which can be mapped", path, what);
	if (st->st_size == 0)
		return lt_fail(ctx, LT_EINVAL, "%s: the %s is empty: it has no bytes at all", path, what);
	at = mmap(NULL, (size_t)st->st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (at == MAP_FAILED)
		return lt_fail(ctx, LT_EINVAL, "%s: it cannot be mapped: %s", path, strerror(errno));
	*out = (struct model_mapped){ at, (size_t)st->st_size };
	return LT_OK;
}

lt_status model_map(struct lt_context *ctx, const char *path, const char *what, struct model_mapped *out)
{
	struct stat st;
	int fd;

	*out = (struct model_mapped){ 0 };
	LT_TRY(lt__mistake(lt__in_open(ctx, path, what, &fd, &st)));
	lt_status s = map_open(ctx, fd, &st, path, what, out);
	close(fd);
	return s;
}

void model_unmap(struct model_mapped *m)
{
	if (m->at)
		munmap((void *)(uintptr_t)m->at, m->n);
	*m = (struct model_mapped){ 0 };
}
