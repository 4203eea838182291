/* tools/llama_files.c -- a checkpoint or a tokenizer, mapped: gigabytes of weights stay in the file.
 *
 * A file that is cut short while it is used ends the process by SIGBUS, as it does any program that maps files.
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include "tools/llama.h"

static lt_status map_open(struct lt_context *ctx, int fd, const char *path, const char *what, struct llama_mapped *out)
{
	struct stat st;
	void *at;

	if (fstat(fd, &st))
		return lt_fail(ctx, LT_EINVAL, "%s: %s", path, strerror(errno));
	if (!S_ISREG(st.st_mode))
		return lt_fail(ctx, LT_EINVAL, "%s: a %s is a file, and this is none", path, what);
	if (st.st_size == 0)
		return lt_fail(ctx, LT_EINVAL, "%s: a %s is not empty", path, what);
	at = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (at == MAP_FAILED)
		return lt_fail(ctx, LT_EINVAL, "%s: it cannot be mapped: %s", path, strerror(errno));
	*out = (struct llama_mapped){ at, (size_t)st.st_size };
	return LT_OK;
}

lt_status llama_map(struct lt_context *ctx, const char *path, const char *what, struct llama_mapped *out)
{
	const int fd = open(path, O_RDONLY | O_CLOEXEC);

	*out = (struct llama_mapped){ 0 };
	if (fd < 0)
		return lt_fail(ctx, LT_EINVAL, "%s: the %s cannot be opened: %s", path, what, strerror(errno));
	lt_status s = map_open(ctx, fd, path, what, out);
	close(fd);
	return s;
}

void llama_unmap(struct llama_mapped *m)
{
	if (m->at)
		munmap((void *)(uintptr_t)m->at, m->n);
	*m = (struct llama_mapped){ 0 };
}
