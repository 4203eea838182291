/* out.c -- a file that appears under its name whole, or not at all. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/arena.h"
#include "tools/common/common.h"

/* A signal that came meanwhile ends the process here, where nothing is left after. */
static void out_forget(struct lt_outfile *o)
{
	free(o->path);
	free(o->temporary);
	memset(o, 0, sizeof *o);
	lt__interrupt_unfinished(NULL);
	lt__interrupt_release();
}

/* What is no regular file (a device, a pipe, a link) is written through its name; anything else is written
 * beside it and renamed. */
lt_status lt__out_open(struct lt_context *ctx, const char *path, struct lt_outfile *o)
{
	struct stat st;
	bool through = lstat(path, &st) == 0 && !S_ISREG(st.st_mode);
	int fd, code;

	memset(o, 0, sizeof *o);
	lt__interrupt_catch(LT_INTERRUPT_MS);
	o->path = strdup(path);
	o->temporary = malloc(strlen(path) + 64);
	if (!o->path || !o->temporary) {
		out_forget(o);
		return lt_fail(ctx, LT_ENOMEM, "%s: out of memory", path);
	}
	for (int attempt = 0;; attempt++) {
		sprintf(o->temporary, "%s.%ld-%d.part", path, (long)getpid(), attempt);
		fd = through ? open(path, O_WRONLY | O_TRUNC | O_CLOEXEC)
			: open(o->temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
		if (fd >= 0 || errno != EEXIST || attempt == 100)
			break;
	}
	code = errno;
	if (through) {
		free(o->temporary);
		o->temporary = NULL;
	}
	if (fd >= 0 && !(o->file = fdopen(fd, "wb"))) {
		code = errno;
		close(fd);
		if (o->temporary)
			unlink(o->temporary);
	}
	lt__interrupt_unfinished(o->temporary);
	if (!o->file) {
		out_forget(o);
		return code == ENOMEM ? lt_fail(ctx, LT_ENOMEM, "%s: out of memory", path)
			: lt_fail(ctx, LT_EIO, "%s: cannot be written: %s", path, strerror(code));
	}
	return LT_OK;
}

/* What is written through its name is not touched: a pipe may have nobody who reads. */
lt_status lt__out_check(struct lt_context *ctx, const char *path)
{
	struct lt_outfile o;
	struct stat st;

	if (lstat(path, &st) == 0 && !S_ISREG(st.st_mode)) {
		const bool folder = stat(path, &st) == 0 && S_ISDIR(st.st_mode);

		return !folder && access(path, W_OK) == 0 ? LT_OK
			: lt_fail(ctx, LT_EIO, "%s: cannot be written: %s", path, strerror(folder ? EISDIR : errno));
	}
	LT_TRY(lt__out_open(ctx, path, &o));
	return lt__out_close(ctx, &o, false);
}

lt_status lt__out_close(struct lt_context *ctx, struct lt_outfile *o, bool ok)
{
	bool bad = fflush(o->file) != 0 || ferror(o->file);
	int code = errno;
	lt_status s = LT_OK;

	if (fclose(o->file) != 0 && !bad) {
		bad = true;
		code = errno;
	}
	ok = ok && !lt__interrupted(NULL);
	if (ok && !bad && o->temporary && rename(o->temporary, o->path) != 0) {
		bad = true;
		code = errno;
	}
	if ((bad || !ok) && o->temporary)
		unlink(o->temporary);
	if (ok && bad)
		s = lt_fail(ctx, LT_EIO, "%s: cannot be written: %s", o->path, strerror(code));
	out_forget(o);
	return s;
}

lt_status lt__out_flush(struct lt_context *ctx)
{
	errno = 0;
	if (!fflush(stdout) && !ferror(stdout))
		return LT_OK;
	return lt_fail(ctx, LT_EIO, "standard output cannot be written%s%s", errno ? ": " : "", errno ? strerror(errno) : "");
}
