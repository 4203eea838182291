/* tools/bench_folder.c -- the one folder in which lt-bench makes temporary files: removed at the end, or, after a kill,
 * by whoever next makes one beside it. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "backends/cpu/command.h"
#include "ir/owner.h"
#include "tools/bench.h"
#include "tools/temporary.h"

static struct lt_folder folder;
static pid_t owner;                     /* not a child of it that ends */

static void remove_at_exit(void)
{
	if (getpid() == owner)
		lt__folder_remove(&folder);
}

const char *bench_folder(char *why)
{
	struct stat st;
	int error;

	if (folder.path[0])
		return folder.path;
	if (!owner)
		(void)atexit(remove_at_exit);
	owner = getpid();
	if (stat(lt__temp_folder(), &st) == 0 && lt__owner_is_open(&st)) {
		bench_why(why, "everybody may write to '%s', which has no sticky bit; name another folder in TMPDIR",
			lt__temp_folder());
		return NULL;
	}
	error = lt__folder_new(&folder, lt__temp_dir());
	if (!error)
		return folder.path;
	bench_why(why, "no folder can be made in '%s': %s; name another one in TMPDIR", lt__temp_folder(), strerror(error));
	return NULL;
}

void bench_folder_remove(void)
{
	lt__folder_remove(&folder);
}
