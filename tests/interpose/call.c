/* call.c -- a call of the system fails: preloaded (LD_PRELOAD), for tests of what cannot be done.
 *
 * LT_FAIL_PROGRAM: the program's name; others, such as compilers, are left alone.  LT_FAIL_CALL: which function.
 * LT_FAIL_AT: which call of it, in each process, from 1 on; 0: all.  It fails as it would for want of memory; waitpid
 * as where children are ignored.
 */
#define _GNU_SOURCE 1
#include <dlfcn.h>
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

static const char *failing;
static long count, fail_at;

__attribute__((constructor)) static void start(void)
{
	const char *program = getenv("LT_FAIL_PROGRAM"), *at = getenv("LT_FAIL_AT");
	if (!program || strcmp(program, program_invocation_short_name) != 0)
		return;
	failing = getenv("LT_FAIL_CALL");
	fail_at = at ? atol(at) : 0;
}

static int fails(const char *name, int error)
{
	if (!failing || strcmp(failing, name) != 0)
		return 0;
	long at = __atomic_add_fetch(&count, 1, __ATOMIC_RELAXED);
	if (fail_at && at != fail_at)
		return 0;
	errno = error;
	return 1;
}

/* The next definition of a function. */
#define REAL(name) __extension__ ({ __typeof__(&name) real; *(void **)&real = dlsym(RTLD_NEXT, #name); real; })

#pragma GCC visibility push(default)

pid_t fork(void) { return fails("fork", ENOMEM) ? -1 : REAL(fork)(); }
int pipe(int fd[2]) { return fails("pipe", ENFILE) ? -1 : REAL(pipe)(fd); }
pid_t waitpid(pid_t pid, int *status, int options)
{
	return fails("waitpid", ECHILD) ? -1 : REAL(waitpid)(pid, status, options);
}
int poll(struct pollfd *at, nfds_t n, int ms) { return fails("poll", ENOMEM) ? -1 : REAL(poll)(at, n, ms); }
int memfd_create(const char *name, unsigned flags)
{
	return fails("memfd_create", ENOMEM) ? -1 : REAL(memfd_create)(name, flags);
}

int pthread_create(pthread_t *thread, const pthread_attr_t *how, void *(*run)(void *), void *arg)
{
	return fails("pthread_create", EAGAIN) ? EAGAIN : REAL(pthread_create)(thread, how, run, arg);
}
