/* start_process.c -- a program that is run once: how long it takes, and how much memory. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include "tools/bench/start.h"
#include "tools/tensor/tensor.h"

/* Where what it writes goes; out NULL: nowhere. */
struct logs { char *out, *err; };

static _Noreturn void program_become(char *const *words, const struct bench_options *o, const struct logs *logs)
{
	const int nowhere = open("/dev/null", O_RDWR);

	/* A Ctrl-C is for lt-bench, which ends it. */
	setpgid(0, 0);
	if (setenv("CC", o->cc, 1) || nowhere < 0 || dup2(nowhere, STDIN_FILENO) < 0 || dup2(nowhere, STDOUT_FILENO) < 0
		|| (logs->out && !freopen(logs->out, "w", stdout)) || !freopen(logs->err, "w", stderr))
		_exit(126);
	execv(words[0], words);
	_exit(127);
}

/* The text of /proc/PID/NAME. */
static bool read_proc(const char *pid, const char *name, char *out, size_t bytes)
{
	char path[300];
	FILE *f;
	size_t n;

	snprintf(path, sizeof path, "/proc/%.200s/%s", pid, name);
	f = fopen(path, "r");
	if (!f)
		return false;
	n = fread(out, 1, bytes - 1, f);
	out[n] = 0;
	fclose(f);
	return n > 0;
}

/* but: while it has this name, which is lt-bench's, it is still a copy of that; NULL: it has long begun. */
static int64_t process_peak(const char *pid, const char *but)
{
	char text[4096], *at = read_proc(pid, "status", text, sizeof text) ? strstr(text, "\nVmHWM:") : NULL;
	const char *name = at ? text + strcspn(text, "\t") + 1 : "";

	if (!at || (but && strcspn(name, "\n") == strlen(but) && !strncmp(name, but, strlen(but))))
		return 0;
	return strtoll(at + 7, NULL, 10) * 1024;
}

/* The first line that a program has said on standard error. */
static void first_words(const char *log, char *out, size_t bytes)
{
	FILE *f = fopen(log, "r");

	*out = 0;
	if (f && fgets(out, (int)bytes, f))
		out[strcspn(out, "\n")] = 0;
	if (f)
		fclose(f);
}

/* Until the pipe's other end is closed, which the program's end does at once: waiting for a process has no limit.
 * Meanwhile the most memory that it has had is read again and again: what the system says at its end is no less than
 * what lt-bench had, of which it was a copy before it became the program (program_peak). */
static bool program_ends(pid_t pid, int gone, double until, int64_t *peak)
{
	enum { MS = 5 };
	struct pollfd p = { .fd = gone, .events = POLLIN };
	int64_t now;
	char name[24], copy[20] = "";

	(void)prctl(PR_GET_NAME, copy);
	snprintf(name, sizeof name, "%d", (int)pid);
	while (machine_now() < until && !lt__interrupted(NULL)) {
		if (poll(&p, 1, MS) > 0)
			return true;
		now = process_peak(name, copy);
		*peak = now > *peak ? now : *peak;
	}
	return false;
}

/* What the system says at the end is exact where it is more than lt-bench's own; the rest is what was read in time. */
static int64_t program_peak(int64_t seen, const struct rusage *ended)
{
	struct rusage own;

	getrusage(RUSAGE_SELF, &own);
	return ended->ru_maxrss > own.ru_maxrss ? (int64_t)ended->ru_maxrss * 1024 : seen;
}

static lt_status program_watch(struct lt_context *ctx, pid_t pid, int gone, const char *log,
	const struct bench_options *o, double begin, struct bench_program *p)
{
	const bool ends = program_ends(pid, gone, begin + o->patience, &p->peak);
	char words[256];
	struct rusage ended;
	int status;

	p->seconds = machine_now() - begin;
	if (!ends)
		kill(-pid, SIGKILL);
	while (wait4(pid, &status, 0, &ended) < 0)
		if (errno != EINTR)
			return lt_fail(ctx, LT_EIO, "it cannot be waited for: %s", strerror(errno));
	p->peak = program_peak(p->peak, &ended);
	if (lt__interrupted(NULL))
		return lt_fail(ctx, LT_ECANCELLED, "interrupted");
	if (!ends)
		return lt_fail(ctx, LT_EIO, "it has not ended for %g seconds, and was ended; --patience SECONDS gives it more",
			o->patience);
	first_words(log, words, sizeof words);
	if (WIFSIGNALED(status))
		return lt_fail(ctx, LT_EIO, "it died of signal %d (%s)", WTERMSIG(status), strsignal(WTERMSIG(status)));
	return !WEXITSTATUS(status) ? LT_OK
		: lt_fail(ctx, LT_EIO, "it ended with exit code %d%s%s", WEXITSTATUS(status), *words ? ": " : "", words);
}

static lt_status program_start(struct lt_context *ctx, char *const *words, const struct bench_options *o,
	const struct logs *logs, struct bench_program *p)
{
	int gone[2] = { -1, -1 };
	pid_t pid;
	lt_status st;
	double begin;

	if (pipe(gone) || fcntl(gone[0], F_SETFD, FD_CLOEXEC))
		st = lt_fail(ctx, LT_EIO, "no pipe can be made: %s", strerror(errno));
	else {
		begin = machine_now();
		pid = fork();
		if (pid == 0)
			program_become(words, o, logs);
		close(gone[1]);
		gone[1] = -1;
		if (pid > 0)
			setpgid(pid, pid);
		st = pid > 0 ? program_watch(ctx, pid, gone[0], logs->err, o, begin, p)
			: lt_fail(ctx, LT_EIO, "no process can be made: %s", strerror(errno));
	}
	for (int i = 0; i < 2; i++)
		if (gone[i] >= 0)
			close(gone[i]);
	return st;
}

/* What is in a file, as a text, malloc. */
static lt_status text_of(struct lt_context *ctx, const char *path, char **out)
{
	struct lt_bytes b = { .n = 0 };

	LT_TRY(lt__bytes_read(ctx, path, &b));
	*out = lt__must_format("%.*s", (int)b.n, b.at ? (const char *)b.at : "");
	lt__bytes_free(&b);
	return LT_OK;
}

static void logs_remove(struct logs *logs)
{
	char *const path[] = { logs->out, logs->err };

	for (int i = 0; i < 2; i++) {
		if (path[i])
			unlink(path[i]);
		free(path[i]);
	}
}

lt_status bench_program_run(struct lt_context *ctx, char *const *words, const struct bench_options *o,
	struct bench_program *p)
{
	struct logs logs = { NULL, NULL };
	const bool says = p->says;
	lt_status st = lt__tmp_file(ctx, &logs.err);

	*p = (struct bench_program){ .says = says };
	if (!st && says)
		st = lt__tmp_file(ctx, &logs.out);
	st = st ? st : program_start(ctx, words, o, &logs, p);
	if (!st && says) {
		st = text_of(ctx, logs.out, &p->text);
		st = st ? st : text_of(ctx, logs.err, &p->errors);
	}
	logs_remove(&logs);
	return st;
}

void bench_program_free(struct bench_program *p)
{
	free(p->text);
	free(p->errors);
	p->text = p->errors = NULL;
}

int64_t bench_group_peak(pid_t group)
{
	DIR *d = opendir("/proc");
	struct dirent *e;
	int64_t peak = 0;

	while (d && (e = readdir(d))) {
		char text[4096], *at;
		int64_t one;
		int of = 0;

		if (*e->d_name < '1' || *e->d_name > '9' || !read_proc(e->d_name, "stat", text, sizeof text))
			continue;
		/* pid (name) state parent group: the name may have anything in it. */
		at = strrchr(text, ')');
		if (!at || sscanf(at + 1, " %*c %*d %d", &of) != 1 || of != group)
			continue;
		one = process_peak(e->d_name, NULL);
		peak = one > peak ? one : peak;
	}
	if (d)
		closedir(d);
	return peak;
}
