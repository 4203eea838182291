/* command.h -- running other programs, with an end to it; and the private folder that their files are in.
 *
 * Each program leads a process group of its own, so that it is ended with all that it has started.  Includes nothing of
 * a backend: tools that run compilers of their own use it, too.
 */
#ifndef LT_BACKENDS_COMMAND_COMMAND_H
#define LT_BACKENDS_COMMAND_COMMAND_H
#include <stdbool.h>
#include <stdint.h>

enum { LT_CC_TIMEOUT_MS = 60000 };      /* of a program, unless another time is given */

struct lt_command {
	const char *const *argv;        /* ends with NULL; argv[0] is looked for as a shell would */
	const char *on;                 /* for messages: what it works on; NULL: nothing to name */
	char output[4096];              /* how its output and errors began, a string */
	int status;                     /* exit status; -1: could not be started, errno in `error`; 128 + signal */
	int error;
	bool late;                      /* it was ended, because it took too long */
};
struct lt_command_limits {
	uint32_t ms;                    /* that each may take; 0: LT_CC_TIMEOUT_MS */
	int (*cancelled)(void *user);   /* asked a few times a second; not 0: all are ended.  NULL: never */
	void *user;
	const char *folder;             /* TMPDIR for the programs only; NULL: none */
};
/* Runs n programs, at most `width` at a time, and waits for all; ended(user), if there is one, after each.  What a
 * program leaves running is not waited for.  False: it was cancelled, and no program runs any more. */
bool lt__command_run(struct lt_command *, uint32_t n, uint32_t width, const struct lt_command_limits *,
	void (*ended)(void *), void *user);
/* "ccache gcc" as words, then room for `more` others.  One block, the caller's to free; NULL: no memory. */
const char **lt__command_words(const char *text, uint32_t more, uint32_t *n);

/* folder.c: a folder of its own for the temporary files of one process, which no other user may open. */
struct lt_folder {
	char path[4096 - 64];           /* "": there is none */
	int fd;                         /* locked as long as the process lives */
};
/* In `dir`, NULL: /tmp; 0, or errno.  path begins with the real path of dir: absolute, without links.  Folders of
 * processes that are gone are removed from `dir` first, and what they left running ended. */
int lt__folder_new(struct lt_folder *, const char *dir);
/* With all that is in it; nothing, if there is none. */
void lt__folder_remove(struct lt_folder *);
/* Ends every process whose TMPDIR it is, or is in it: of a program that has made one of its own there. */
void lt__folder_end_users(const char *path);
/* All that this process has made and not removed, with what runs in them; for a signal's handler. */
void lt__folder_leave_none(void);
/* In a child, after fork: those of its parent are none of its own. */
void lt__folder_disown(void);
#endif
