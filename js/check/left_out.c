/* left_out.c -- parts of lt-check that want what is not here: a library for JSON, a compiler of C, folders for what it
 * makes.  Options that ask for them are refused before. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include "backends/command/command.h"
#include "tools/check/check.h"
#include "tools/common/common.h"
#include "tools/tensor/tensor.h"

lt_status lt__check_json(const struct check_report *r, FILE *f)
{
	(void)r, (void)f;
	return LT_EUNSUPPORTED;
}

lt_status lt__check_own_cases(struct lt_context *ctx, const struct check_options *o, struct check_list *list)
{
	(void)o, (void)list;
	return lt_fail(ctx, LT_EUNSUPPORTED, "there is no compiler of C here");
}

lt_status lt__tensors_write(struct lt_context *ctx, const char *path, const struct lt_tensors *t)
{
	(void)t;
	return lt_fail(ctx, LT_EUNSUPPORTED, "%s: is not written here", path);
}

lt_status lt__in_open(struct lt_context *ctx, const char *path, const char *what, int *out, struct stat *st)
{
	(void)what;
	*out = open(path, O_RDONLY);
	return *out < 0 || fstat(*out, st) ? lt_fail(ctx, LT_EIO, "%s: cannot be read: %s", lt__shown(path).text,
		strerror(errno)) : LT_OK;
}

void lt__folder_leave_none(void) { }
void lt__folder_disown(void) { }
