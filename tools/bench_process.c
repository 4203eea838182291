/* tools/bench_process.c -- a peer as a contestant: a process that is reported a case, and answers samples, in lines of
 * text. */
#define _GNU_SOURCE 1
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "tools/bench.h"

struct peer_contestant {
	pid_t pid;
	int in, out;                    /* its standard input and output */
	char *log;                      /* a file with what it says on standard error */
	char line[1024];                /* what has come of an answer, or more than one */
	size_t n;
	bool gone;
	double patience;                /* seconds for one answer */
};

/* The last line that it has said on standard error; "" if there is none.  The shell's, that says a signal's name, is
 * not its own. */
static void last_words(const struct peer_contestant *s, int signal_number, char *out, size_t bytes)
{
	FILE *f = fopen(s->log, "r");
	char line[256];

	*out = 0;
	while (f && fgets(line, sizeof line, f)) {
		line[strcspn(line, "\n")] = 0;
		if (*line && !(signal_number && strstr(line, strsignal(signal_number))))
			snprintf(out, bytes, "%s", line);
	}
	if (f)
		fclose(f);
}

/* With all that it has started; what the process ended with. */
static int stop(struct peer_contestant *s)
{
	int status = 0;

	if (!s->gone) {
		kill(-s->pid, SIGKILL);
		waitpid(s->pid, &status, 0);
	}
	s->gone = true;
	return status;
}

static bool lost(struct peer_contestant *s, char *why)
{
	char words[256];
	int status = stop(s);

	last_words(s, 0, words, sizeof words);
	if (WIFSIGNALED(status) && WTERMSIG(status) != SIGKILL)
		return bench_why(why, "the peer died of signal %d (%s)%s%s", WTERMSIG(status),
			strsignal(WTERMSIG(status)), *words ? ": " : "", words);
	return bench_why(why, "the peer is gone%s%s", *words ? ": " : "", words);
}

/* What the shell was ended by, or says that its last command was; 0: by no signal. */
static int signal_of(int status)
{
	int n = WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status) - 128;

	return n > 0 && (n < SIGRTMIN || WIFSIGNALED(status)) ? n : 0;
}

/* A process that has ended by itself says more by how it did than one that is killed now. */
static bool ended(struct peer_contestant *s, char *why)
{
	char words[256];
	int status = 0;

	for (int i = 0; i < 100 && !s->gone; i++) {
		if (waitpid(s->pid, &status, WNOHANG) == s->pid) {
			s->gone = true;
			last_words(s, signal_of(status), words, sizeof words);
			if (signal_of(status))
				return bench_why(why, "the peer died of signal %d (%s)%s%s", signal_of(status),
					strsignal(signal_of(status)), *words ? ": " : "", words);
			return bench_why(why, "the peer ended with exit code %d%s%s", WEXITSTATUS(status), *words ? ": " : "", words);
		}
		poll(NULL, 0, 10);
	}
	return lost(s, why);
}

/* Until there is something to read, or room to write; a peer that takes too long for it is ended. */
static bool wait_for(struct peer_contestant *s, int file, short events, double until, char *why)
{
	struct pollfd p = { .fd = file, .events = events };
	double left;
	char words[256];

	while ((left = until - bench_now()) > 0 && !bench_interrupted())
		if (poll(&p, 1, left < 0.2 ? (int)(left * 1000) + 1 : 200) > 0)
			return true;
	stop(s);
	if (bench_interrupted())
		return bench_why(why, "interrupted");
	last_words(s, 0, words, sizeof words);
	return bench_why(why,
		"the peer has not answered for %g seconds, and was ended; --patience SECONDS gives it more%s%s",
		s->patience, *words ? "; it said last: " : "", words);
}

/* One line, without its end; overlong ones are cut. */
static bool peer_read_line(struct peer_contestant *s, char *out, size_t bytes, char *why)
{
	double until = bench_now() + s->patience;

	for (;;) {
		char *end = memchr(s->line, '\n', s->n);
		ssize_t got;

		if (end || s->n == sizeof s->line) {
			size_t n = end ? (size_t)(end - s->line) : s->n;

			snprintf(out, bytes, "%.*s", (int)n, s->line);
			s->n -= n + (end != NULL);
			memmove(s->line, s->line + n + (end != NULL), s->n);
			return true;
		}
		if (!wait_for(s, s->out, POLLIN, until, why))
			return false;
		got = read(s->out, s->line + s->n, sizeof s->line - s->n);
		if (got == 0 || (got < 0 && errno != EINTR))
			return ended(s, why);
		if (got > 0)
			s->n += (size_t)got;
	}
}

static bool write_all(struct peer_contestant *s, const char *text, size_t n, char *why)
{
	double until = bench_now() + s->patience;

	while (n > 0) {
		ssize_t put = write(s->in, text, n);

		if (put < 0 && errno == EAGAIN && !wait_for(s, s->in, POLLOUT, until, why))
			return false;
		if (put < 0 && errno != EINTR && errno != EAGAIN)
			return ended(s, why);
		if (put > 0) {
			text += put;
			n -= (size_t)put;
		}
	}
	return true;
}

static bool peer_ask(struct peer_contestant *s, char *answer, size_t bytes, char *why, const char *fmt, ...)
	__attribute__((format(printf, 5, 6)));
static bool peer_ask(struct peer_contestant *s, char *answer, size_t bytes, char *why, const char *fmt, ...)
{
	va_list args;
	char *text = NULL;
	bool ok;

	if (s->gone)
		return bench_why(why, "the peer is gone since an earlier case");
	va_start(args, fmt);
	if (vasprintf(&text, fmt, args) < 0)
		text = NULL;
	va_end(args);
	ok = text ? true : bench_why(why, "out of memory");
	ok = ok && write_all(s, text, strlen(text), why) && peer_read_line(s, answer, bytes, why);
	free(text);
	return ok;
}

/* What comes after the first word. */
static const char *answer_remainder(const char *answer)
{
	answer += strcspn(answer, " ");
	return answer + strspn(answer, " ");
}

static bool is(const char *answer, const char *word)
{
	size_t n = strlen(word);

	return !strncmp(answer, word, n) && (!answer[n] || answer[n] == ' ');
}

static bool refused(const char *answer, const char *wanted, char *why)
{
	if (is(answer, "failed"))
		return bench_why(why, "%s", *answer_remainder(answer) ? answer_remainder(answer) : "it does not say why");
	return bench_why(why, "the peer answers '%s' where %s is due", answer, wanted);
}

static json_t *tensor_json(const struct bench_tensor *t)
{
	json_t *shape = json_array(), *o;

	for (int i = 0; i < t->rank; i++)
		json_array_append_new(shape, json_integer((json_int_t)t->shape[i]));
	o = json_pack("{s:s,s:o,s:s}", "name", t->name, "shape", shape, "dtype", "float32");
	if (t->file)
		json_object_set_new(o, "file", json_string(t->file));
	return o;
}

json_t *bench_process_case(const struct bench_case *c, int threads)
{
	json_t *o = json_pack("{s:s,s:s,s:s,s:i,s:s}", "suite", c->suite, "name", c->name, "op", c->op, "threads",
		threads, "script", c->script);
	json_t *number = json_object(), *in = json_array();

	for (int i = 0; i < c->n_number; i++)
		json_object_set_new(number, c->number[i].name, json_integer((json_int_t)c->number[i].value));
	for (int i = 0; i < c->n_in; i++) {
		json_t *t = tensor_json(&c->in[i]);

		json_object_set_new(t, "constant", json_boolean(c->in[i].constant));
		json_array_append_new(in, t);
	}
	json_object_set_new(o, "numbers", number);
	json_object_set_new(o, "inputs", in);
	json_object_set_new(o, "result", tensor_json(&c->out));
	return o;
}

static enum bench_answer peer_begin(struct bench_contestant *k, const struct bench_case *c, int threads, char *why)
{
	json_t *o = bench_process_case(c, threads);
	char *text = json_dumps(o, JSON_COMPACT), answer[BENCH_WHY];
	double start = bench_now();
	bool ok = peer_ask(k->state, answer, sizeof answer, why, "case %s\n", text);

	free(text);
	json_decref(o);
	if (!ok)
		return BENCH_BAD;
	if (is(answer, "skip")) {
		bench_why(why, "%s", answer_remainder(answer));
		return BENCH_SKIP;
	}
	if (!is(answer, "ok")) {
		refused(answer, "'ok', 'skip' or 'failed'", why);
		return BENCH_BAD;
	}
	k->prepare = *answer_remainder(answer) ? strtod(answer_remainder(answer), NULL) : bench_now() - start;
	return BENCH_READY;
}

static bool peer_run(struct bench_contestant *k, int64_t n, double *seconds, char *why)
{
	char answer[BENCH_WHY], *end;

	if (!peer_ask(k->state, answer, sizeof answer, why, "sample %lld\n", (long long)n))
		return false;
	*seconds = strtod(answer, &end);
	return (end != answer && !*end && *seconds > 0) || refused(answer, "a number of seconds", why);
}

static bool peer_result(struct bench_contestant *k, const struct bench_case *c, float *out, char *why)
{
	char answer[BENCH_WHY], *path = bench_temporary();
	FILE *f = NULL;
	size_t n = 0;
	bool ok = path ? peer_ask(k->state, answer, sizeof answer, why, "result %s\n", path)
		       : bench_why(why, "no file can be made for the result");

	if (ok && !is(answer, "ok"))
		ok = refused(answer, "'ok'", why);
	if (ok) {
		f = fopen(path, "rb");
		n = f ? fread(out, sizeof *out, (size_t)c->out.n, f) : 0;
		ok = (n == (size_t)c->out.n && fgetc(f) == EOF)
			|| bench_why(why, "the result has %s than the %lld elements it should",
				n < (size_t)c->out.n ? "less" : "more", (long long)c->out.n);
	}
	if (f)
		fclose(f);
	if (path)
		unlink(path);
	free(path);
	return ok;
}

static void peer_end(struct bench_contestant *k)
{
	struct peer_contestant *s = k->state;
	char answer[BENCH_WHY], why[BENCH_WHY];

	if (!s->gone)
		peer_ask(s, answer, sizeof answer, why, "end\n");
}

static void peer_close(struct bench_contestant *k)
{
	struct peer_contestant *s = k->state;
	char why[BENCH_WHY];

	if (!s->gone && s->pid > 0) {
		write_all(s, "quit\n", 5, why);
		close(s->in);
		s->in = -1;
		for (int i = 0; i < 200 && !s->gone; i++) {
			s->gone = waitpid(s->pid, NULL, WNOHANG) == s->pid;
			if (!s->gone)
				poll(NULL, 0, 10);
		}
		stop(s);
	}
	if (s->in >= 0)
		close(s->in);
	if (s->out >= 0)
		close(s->out);
	if (s->log)
		unlink(s->log);
	free(s->log);
	free(s);
}

static const struct bench_ops ops = { peer_begin, peer_run, peer_result, peer_end, peer_close };

static _Noreturn void become(
	const char *command, const char *environment, const char *log, const int in[2], const int out[2])
{
	int name = environment ? (int)strcspn(environment, "=") : 0;

	/* A Ctrl-C is for lt-bench, which ends its peers itself. */
	setpgid(0, 0);
	if (environment)
		setenv(bench_format("%.*s", name, environment), environment + name + 1, 1);
	if (!freopen(log, "w", stderr) || dup2(in[0], STDIN_FILENO) < 0 || dup2(out[1], STDOUT_FILENO) < 0)
		_exit(126);
	for (int i = 0; i < 2; i++) {
		close(in[i]);
		close(out[i]);
	}
	execl("/bin/sh", "sh", "-c", command, (char *)NULL);
	_exit(127);
}

static bool start(struct peer_contestant *s, const char *command, const char *environment, char *why)
{
	int in[2] = { -1, -1 }, out[2] = { -1, -1 };

	s->log = bench_temporary();
	if (!s->log || pipe2(in, O_CLOEXEC) || pipe2(out, O_CLOEXEC))
		return bench_why(why, "no pipe can be made: %s", strerror(errno));
	s->pid = fork();
	if (s->pid == 0)
		become(command, environment, s->log, in, out);
	/* Here, too, so that it is so before it is ended; what it does not read must not hold us up. */
	if (s->pid > 0)
		setpgid(s->pid, s->pid);
	fcntl(in[1], F_SETFL, O_NONBLOCK);
	s->in = in[1];
	s->out = out[0];
	close(in[0]);
	close(out[1]);
	return s->pid > 0 || bench_why(why, "no process can be made: %s", strerror(errno));
}

bool bench_process_open(
	struct bench_contestant *k, const char *command, const char *environment, double patience, char *why)
{
	struct peer_contestant *s = bench_alloc(sizeof *s);
	char answer[BENCH_WHY];

	s->in = s->out = -1;
	s->patience = patience;
	k->ops = &ops;
	k->state = s;
	k->files = true;
	signal(SIGPIPE, SIG_IGN);
	if (!start(s, command, environment, why) || !peer_read_line(s, answer, sizeof answer, why))
		return false;
	if (is(answer, "absent"))
		return bench_why(why, "%s", answer_remainder(answer));
	if (!is(answer, "peer") || !is(answer_remainder(answer), "1"))
		return bench_why(why, "the peer begins with '%s', not with 'peer 1 NAME'", answer);
	snprintf(k->about, sizeof k->about, "%s", answer_remainder(answer_remainder(answer)));
	if (!*k->label)
		snprintf(k->label, sizeof k->label, "%.*s", (int)strcspn(k->about, " "), k->about);
	return *k->label ? true : bench_why(why, "the peer does not say its name ('peer 1 NAME')");
}
