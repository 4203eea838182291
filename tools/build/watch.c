/* watch.c -- a signal ends lt-build soon, whatever it does: a thread gives it a moment to come to its end in order,
 * and then ends what it has started, removes its folder, and ends the process by the signal. */
#define _GNU_SOURCE 1
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <unistd.h>
#include "tools/build/build.h"
#include "tools/common/common.h"

/* How often it looks; how long the process has then; how often a folder is emptied in which files still appear. */
enum { LOOK_MS = 20, ORDER_MS = 60, ROUNDS = 50 };

static _Noreturn void end_process(const struct lt_folder *folder)
{
	const int by = lt__interrupted(NULL);

	lt__folder_end_users(folder->path);
	for (int round = 0; round < ROUNDS && access(folder->path, F_OK) == 0; round++) {
		struct lt_folder f = *folder;

		f.fd = -1;              /* the other thread's to close */
		lt__folder_remove(&f);
	}
	(void)signal(by, SIG_DFL);
	(void)raise(by);
	_exit(128 + by);
}

/* The pipe ends when the process has come to its end in order. */
static void *watch(void *arg)
{
	const struct build_watch *w = arg;
	struct pollfd end = { .fd = w->end[0], .events = POLLIN };

	while (!lt__interrupted(NULL))
		if (poll(&end, 1, LOOK_MS) > 0)
			return NULL;
	if (poll(&end, 1, ORDER_MS) <= 0)
		end_process(&w->folder);
	return NULL;
}

void build_watch_begin(struct build_watch *w, const struct lt_folder *folder)
{
	w->folder = *folder;
	if (pipe2(w->end, O_CLOEXEC) != 0)
		return;
	w->on = pthread_create(&w->thread, NULL, watch, w) == 0;
	if (!w->on) {
		close(w->end[0]);
		close(w->end[1]);
	}
}

void build_watch_end(struct build_watch *w)
{
	if (!w->on)
		return;
	close(w->end[1]);
	(void)pthread_join(w->thread, NULL);
	close(w->end[0]);
	w->on = false;
}
