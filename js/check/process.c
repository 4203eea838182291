/* process.c -- tools/check/fork.c where a process is an instance of a module of WebAssembly (js/check/system.mjs).
 *
 * A child begins with a copy of its parent's memory, calls one function, and has ended when its parent goes on.  So one
 * that does not come back cannot be ended by its parent.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include "tools/check/check.h"
#include "tools/common/common.h"

#define PAGE(name) __attribute__((import_module("page"), import_name(name)))
/* The number of the child, and *fd, from which its parent reads what it has written. */
PAGE("fork") int page_fork(void (*body)(void *user, int fd), void *user, int *fd);
PAGE("wait") int page_wait(int pid);

const struct check_system lt__check_has = { .pages = false };

pid_t lt__check_fork(void (*body)(void *user, int fd), void *user, int *fd)
{
	(void)fflush(NULL);
	return page_fork(body, user, fd);
}

__attribute__((export_name("check_child"))) void check_child(void (*body)(void *user, int fd), void *user, int fd)
{
	body(user, fd);
	(void)fflush(NULL);
}

int lt__check_wait_read(int fd, double seconds)
{
	(void)fd, (void)seconds;
	return 1;
}

bool lt__check_wait(pid_t pid, int *status)
{
	*status = page_wait(pid);
	errno = ECHILD;
	return *status >= 0;
}

void lt__check_end_child(pid_t pid) { (void)pid; }

/* -- what emscripten's C library leaves out -- */

PAGE("memory_file") int page_memory_file(void);
PAGE("is_open") int page_is_open(int fd);

int memfd_create(const char *name, unsigned flags)
{
	(void)name, (void)flags;
	return page_memory_file();
}

/* A file in memory has one size, so that there is nothing to seal. */
int fcntl(int fd, int command, ...)
{
	(void)command;
	errno = EBADF;
	return page_is_open(fd) ? 0 : -1;
}
