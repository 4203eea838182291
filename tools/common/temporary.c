/* temporary.c -- the one folder in which a program makes temporary files: removed at the end, or, after a kill,
 * by the next process that makes one there. */
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "backends/command/command.h"
#include "backends/cpu/cpu.h"
#include "base/owner.h"
#include "tools/common/common.h"

static struct lt_folder folder;
static pid_t owner;                     /* not a child of it that ends */

static void remove_at_exit(void)
{
	if (getpid() == owner)
		lt__folder_remove(&folder);
}

lt_status lt__tmp_home(struct lt_context *ctx, const char **out)
{
	struct stat st;
	int error;

	*out = folder.path;
	if (folder.path[0])
		return LT_OK;
	if (!owner)
		(void)atexit(remove_at_exit);
	owner = getpid();
	if (stat(lt__temp_folder(), &st) == 0 && lt__owner_is_open(&st))
		return lt_fail(ctx, LT_EIO, "everybody may write to '%s', which has no sticky bit; name another folder in TMPDIR",
			lt__temp_folder());
	error = lt__folder_new(&folder, lt__temp_dir());
	return !error ? LT_OK : lt_fail(ctx, LT_EIO, "no folder can be made in '%s': %s; name another one in TMPDIR",
		lt__temp_folder(), strerror(error));
}

lt_status lt__tmp_file(struct lt_context *ctx, char **out)
{
	const char *in;
	int fd;

	*out = NULL;
	LT_TRY(lt__tmp_home(ctx, &in));
	*out = lt__must_format("%s/XXXXXX", in);
	fd = mkstemp(*out);
	if (fd >= 0) {
		close(fd);
		return LT_OK;
	}
	lt_fail(ctx, LT_EIO, "no file can be made in '%s': %s; TMPDIR names another folder", in, strerror(errno));
	free(*out);
	*out = NULL;
	return LT_EIO;
}

lt_status lt__tmp_folder(struct lt_context *ctx, char **out)
{
	const char *in;

	*out = NULL;
	LT_TRY(lt__tmp_home(ctx, &in));
	*out = lt__must_format("%s/XXXXXX", in);
	if (mkdtemp(*out))
		return LT_OK;
	lt_fail(ctx, LT_EIO, "no folder can be made in '%s': %s", in, strerror(errno));
	free(*out);
	*out = NULL;
	return LT_EIO;
}

/* The folder was made by mkdtemp and holds files, and folders of files, of the cache only. */
static void folder_empty(const char *path, int depth)
{
	DIR *d = opendir(path);
	struct dirent *e;

	while (d && (e = readdir(d)))
		if (strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0) {
			char *name = lt__must_format("%s/%s", path, e->d_name);

			if (unlink(name) && depth < 4)
				folder_empty(name, depth + 1);
			free(name);
		}
	if (d)
		closedir(d);
	rmdir(path);
}

void lt__tmp_folder_drop(char *path)
{
	folder_empty(path, 0);
	free(path);
}

void lt__tmp_remove(void)
{
	lt__folder_remove(&folder);
}
