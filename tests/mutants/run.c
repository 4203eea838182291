/* run.c -- lt-run on a file of kernels, under limits, and what came of it. */
#define _GNU_SOURCE 1
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "check/random/must.h"
#include "tests/mutants/mutants.h"

enum { MAX_ARGUMENTS = 128 };
/* Moved by less than this share of its norm: harmless. */
static const double enough = 1e-3;

struct command { const char *argv[MAX_ARGUMENTS]; int n; char backend[100], out[1024]; };

static void add(struct command *c, const char *word)
{
	must(c->n + 1 < MAX_ARGUMENTS, "more than %d arguments", MAX_ARGUMENTS);
	c->argv[c->n++] = word;
	c->argv[c->n] = NULL;
}

/* What the right kernels and every mutant have in common; printing: without what only runs take. */
static void begin_command(struct command *c, const struct setting *s, const struct subject *j, bool printing)
{
	c->n = 0;
	add(c, s->lt_run);
	for (int i = 0; i < j->n_option; i++) {
		if (printing && !strcmp(j->option[i], "-n"))
			i++;
		else
			add(c, j->option[i]);
	}
	(void)snprintf(c->backend, sizeof c->backend, "cpu:O0/target=%s", s->target);
	add(c, "-b");
	add(c, c->backend);
	/* As many of them as there are processors compile side by side. */
	add(c, "--cc-timeout");
	add(c, "300");
	add(c, "--threads");
	add(c, "2");
	if (printing)
		add(c, "-q");
}

static void run_arguments(struct command *c, const struct setting *s, const struct subject *j, const char *source)
{
	begin_command(c, s, j, false);
	add(c, "--use-source");
	add(c, source);
	add(c, j->verify);
}

void command_print(FILE *f, const struct setting *s, const struct subject *j, const char *source)
{
	struct command c;
	run_arguments(&c, s, j, source);
	for (int i = 0; i < c.n; i++)
		(void)fprintf(f, strpbrk(c.argv[i], "*;= ") ? "%s'%s'" : "%s%s", i ? " " : "", c.argv[i]);
	(void)fputc('\n', f);
}

/* In the child: what it may use, where its words go. */
static void limit(const char *log, double cpu_seconds)
{
	const rlim_t seconds = 20 + (rlim_t)(20 * cpu_seconds);
	const struct rlimit cpu = { .rlim_cur = seconds, .rlim_max = seconds + 1 }, core = { 0, 0 };
	int fd = open(log, O_WRONLY | O_CREAT | O_TRUNC, 0644), nothing = open("/dev/null", O_RDONLY);
	(void)setpgid(0, 0);
	(void)prctl(PR_SET_PDEATHSIG, SIGKILL);
	(void)setrlimit(RLIMIT_CPU, &cpu);
	(void)setrlimit(RLIMIT_CORE, &core);
	(void)setenv("LC_ALL", "C", 1);
	(void)dup2(nothing, 0);
	(void)dup2(fd, 1);
	(void)dup2(fd, 2);
}

/* Its exit code; -1: a signal ended it, or it took too long. */
static int run(const struct command *c, const char *log, double cpu_limit, double *cpu_seconds)
{
	const struct timespec nap = { .tv_nsec = 1000000 };
	struct rusage used;
	int status = 0;
	pid_t child = fork();
	must(child >= 0, "no process can be started");
	if (child == 0) {
		limit(log, cpu_limit);
		execvp(c->argv[0], (char **)(uintptr_t)c->argv);
		_exit(126);
	}
	/* Waiting without an end is no use of a processor: twice as long, and a minute, at a thousand looks a second. */
	int64_t looks = 100000 + (int64_t)(40000 * cpu_limit);
	while (wait4(child, &status, WNOHANG, &used) == 0) {
		(void)nanosleep(&nap, NULL);
		if (--looks == 0)
			(void)kill(-child, SIGKILL);
	}
	if (cpu_seconds)
		*cpu_seconds = (double)(used.ru_utime.tv_sec + used.ru_stime.tv_sec)
			+ 1e-6 * (double)(used.ru_utime.tv_usec + used.ru_stime.tv_usec);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

int dump(const struct setting *s, const struct subject *j, const char *what, const char *path)
{
	struct command c;
	char log[1024];
	(void)snprintf(log, sizeof log, "%s/print.log", j->dir);
	begin_command(&c, s, j, true);
	/* The graph is the script's alone. */
	if (!strcmp(what, "--dump=graph")) {
		c.n = 1;
		add(&c, j->option[0]);
	}
	add(&c, what);
	add(&c, "-o");
	add(&c, path);
	return run(&c, log, 100, NULL);
}

int right_run(const struct setting *s, struct subject *j, const char *source)
{
	struct command c;
	char log[1024];
	(void)snprintf(log, sizeof log, "%s/right.log", j->dir);
	run_arguments(&c, s, j, source);
	(void)snprintf(c.out, sizeof c.out, "%s/right.%%d.safetensors", j->dir);
	add(&c, "-o");
	add(&c, c.out);
	return run(&c, log, 100, &j->cpu_seconds);
}

/* The line of a text that holds byte `at`, without the space round it. */
static void copy_line(const char *text, size_t at, char out[200])
{
	while (at > 0 && text[at - 1] != '\n')
		at--;
	at += strspn(text + at, " \t");
	(void)snprintf(out, 200, "%.*s", (int)strcspn(text + at, "\n"), text + at);
}

void mutant_write(const struct subject *j, int kind, int n, const char *path, struct verdict *lines)
{
	const struct site *at = subject_site(j, kind, n);
	struct mutant m = { 0 };
	must(at != NULL && kinds[kind].find(&j->text, at->tok, at->variant, &m), "%s has no mutant %s %d", j->name,
		kinds[kind].name, n);
	char *text = mutant_text(&j->text, &m);
	FILE *f = fopen(path, "we");
	must(f != NULL && fputs(text, f) >= 0 && fclose(f) == 0, "%s cannot be written", path);
	copy_line(j->text.at, m.edit[0].at, lines->line);
	copy_line(text, m.edit[0].at, lines->became);
	free(text);
	mutant_free(&m);
}

/* lt-run's sentence about a compiler that refuses a text. */
static bool not_compiled(const char *log)
{
	char text[4096];
	FILE *f = fopen(log, "re");
	size_t n = f ? fread(text, 1, sizeof text - 1, f) : 0;
	text[n] = '\0';
	if (f)
		(void)fclose(f);
	return strstr(text, " failed on ") && strstr(text, "(exit status ");
}

void mutant_run(const struct setting *s, const struct subject *j, int kind, int n, struct verdict *out)
{
	struct command c;
	char base[512], source[600], log[600], right[600], path[700];
	int written = 0;
	*out = (struct verdict){ 0 };
	(void)snprintf(base, sizeof base, "%s/%s-%d", j->dir, kinds[kind].name, n);
	(void)snprintf(source, sizeof source, "%s.c", base);
	(void)snprintf(log, sizeof log, "%s.log", base);
	(void)snprintf(right, sizeof right, "%s/right", j->dir);
	mutant_write(j, kind, n, source, out);
	run_arguments(&c, s, j, source);
	(void)snprintf(c.out, sizeof c.out, "%s.%%d.safetensors", base);
	add(&c, "-o");
	add(&c, c.out);
	int code = run(&c, log, j->cpu_seconds, NULL);
	for (int i = 0; i < j->n_run; i++) {
		(void)snprintf(path, sizeof path, "%s.%d.safetensors", base, i);
		written += access(path, R_OK) == 0;
	}
	/* 1: judged wrong, or an error, which is one where the results are not all there; 3: not verified. */
	if (written < j->n_run)
		out->outcome = code == 1 && not_compiled(log) ? NOT_COMPILED : NOT_RUN;
	else if (code != 0 && code != 1 && code != 3)
		out->outcome = NOT_RUN;
	else {
		double results = moved(right, base, j->n_run);
		out->moved = fmax(results, state_moved(log));
		out->state = results < enough && out->moved >= enough;
		out->outcome = out->moved < enough ? HARMLESS : code == 0 ? SURVIVED : CAUGHT;
	}
	for (int i = 0; i < j->n_run; i++) {
		(void)snprintf(path, sizeof path, "%s.%d.safetensors", base, i);
		(void)unlink(path);
	}
	(void)unlink(log);
	if (out->outcome != SURVIVED)
		(void)unlink(source);
}
