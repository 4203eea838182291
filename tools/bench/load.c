/* load.c -- busy processes while something is measured (--busy): what is reached on a machine
 * that others use. */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>
#include "tools/bench/bench.h"
#include "tools/common/common.h"

/* In the child.  It ends with the thread that made it, lt-bench's first, however that ends; and holds no pipe open that
 * a peer waits at. */
static _Noreturn void load_spin(pid_t parent)
{
	enum { MAX_FILES = 1024 };

	lt__interrupt_forget();
	(void)prctl(PR_SET_PDEATHSIG, SIGKILL);
	(void)prctl(PR_SET_NAME, "lt-bench-busy");
	if (getppid() != parent)
		_exit(0);
	for (int fd = 0; fd < MAX_FILES; fd++)
		(void)close(fd);
	for (volatile uint64_t i = 0;; i++)
		;
}

lt_status bench_load_begin(struct lt_context *ctx, struct bench_load *l, int n)
{
	const pid_t parent = getpid();

	l->pid = lt__must_alloc(((size_t)n + 1) * sizeof *l->pid);
	for (l->n = 0; l->n < n; l->n++) {
		l->pid[l->n] = fork();
		if (l->pid[l->n] == 0)
			load_spin(parent);
		if (l->pid[l->n] < 0)
			return lt_fail(ctx, LT_EIO, "--busy %d: no process can be made: %s", n, strerror(errno));
	}
	return LT_OK;
}

void bench_load_end(struct bench_load *l)
{
	for (int i = 0; i < l->n; i++)
		(void)kill(l->pid[i], SIGKILL);
	for (int i = 0; i < l->n; i++)
		(void)waitpid(l->pid[i], NULL, 0);
	free(l->pid);
	*l = (struct bench_load){ .n = 0 };
}
