/* process.c -- a peer as a contestant: a process that is reported a case, and answers samples, in lines of
 * text. */
#define _GNU_SOURCE 1
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "tools/bench/net.h"

struct peer_contestant {
	struct lt_context *ctx;
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

static lt_status died(struct peer_contestant *s, int signal_number)
{
	char words[256];

	last_words(s, signal_number, words, sizeof words);
	return lt_fail(s->ctx, LT_EIO, "the peer died of signal %d (%s)%s%s", signal_number, strsignal(signal_number),
		*words ? ": " : "", words);
}

static lt_status lost(struct peer_contestant *s)
{
	char words[256];
	int status = stop(s);

	if (WIFSIGNALED(status) && WTERMSIG(status) != SIGKILL)
		return died(s, WTERMSIG(status));
	last_words(s, 0, words, sizeof words);
	return lt_fail(s->ctx, LT_EIO, "the peer is gone%s%s", *words ? ": " : "", words);
}

/* What the shell was ended by, or says that its last command was; 0: by no signal. */
static int signal_of(int status)
{
	int n = WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status) - 128;

	return n > 0 && (n < SIGRTMIN || WIFSIGNALED(status)) ? n : 0;
}

/* A process that has ended by itself says more by how it did than one that is killed now. */
static lt_status ended(struct peer_contestant *s)
{
	char words[256];
	int status = 0;

	for (int i = 0; i < 100 && !s->gone; i++) {
		if (waitpid(s->pid, &status, WNOHANG) == s->pid) {
			s->gone = true;
			if (signal_of(status))
				return died(s, signal_of(status));
			last_words(s, 0, words, sizeof words);
			return lt_fail(s->ctx, LT_EIO, "the peer ended with exit code %d%s%s", WEXITSTATUS(status), *words ? ": " : "",
				words);
		}
		poll(NULL, 0, 10);
	}
	return lost(s);
}

/* Until there is something to read, or room to write; a peer that takes too long for it is ended. */
static lt_status wait_for(struct peer_contestant *s, int file, short events, double until)
{
	struct pollfd p = { .fd = file, .events = events };
	double left;
	char words[256];

	while ((left = until - machine_now()) > 0 && !lt__interrupted(NULL))
		if (poll(&p, 1, left < 0.2 ? (int)(left * 1000) + 1 : 200) > 0)
			return LT_OK;
	stop(s);
	if (lt__interrupted(NULL))
		return lt_fail(s->ctx, LT_ECANCELLED, "interrupted");
	last_words(s, 0, words, sizeof words);
	return lt_fail(s->ctx, LT_EIO,
		"the peer has not answered for %g seconds, and was ended; --patience SECONDS gives it more%s%s",
		s->patience, *words ? "; it said last: " : "", words);
}

/* One line, without its end; overlong ones are cut. */
static lt_status peer_read_line(struct peer_contestant *s, char out[BENCH_WHY])
{
	double until = machine_now() + s->patience;

	for (;;) {
		char *end = memchr(s->line, '\n', s->n);
		ssize_t got;

		if (end || s->n == sizeof s->line) {
			size_t n = end ? (size_t)(end - s->line) : s->n;

			snprintf(out, BENCH_WHY, "%.*s", (int)n, s->line);
			s->n -= n + (end != NULL);
			memmove(s->line, s->line + n + (end != NULL), s->n);
			return LT_OK;
		}
		LT_TRY(wait_for(s, s->out, POLLIN, until));
		got = read(s->out, s->line + s->n, sizeof s->line - s->n);
		if (got == 0 || (got < 0 && errno != EINTR))
			return ended(s);
		if (got > 0)
			s->n += (size_t)got;
	}
}

static lt_status write_all(struct peer_contestant *s, const char *text)
{
	double until = machine_now() + s->patience;

	while (*text) {
		ssize_t written = write(s->in, text, strlen(text));
		bool full = written < 0 && errno == EAGAIN;

		if (written < 0 && !full && errno != EINTR)
			return ended(s);
		if (full)
			LT_TRY(wait_for(s, s->in, POLLOUT, until));
		text += written > 0 ? written : 0;
	}
	return LT_OK;
}

/* The answer to a line, which is freed. */
static lt_status peer_ask(struct peer_contestant *s, char *line, char answer[BENCH_WHY])
{
	lt_status st = s->gone ? lt_fail(s->ctx, LT_EIO, "the peer is gone since an earlier case") : write_all(s, line);

	free(line);
	return st ? st : peer_read_line(s, answer);
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

static lt_status refused(const struct peer_contestant *s, const char *answer, const char *wanted)
{
	if (is(answer, "failed"))
		return lt_fail(s->ctx, LT_EDEVICE, "%s", *answer_remainder(answer) ? answer_remainder(answer) :
			"it does not say why");
	return lt_fail(s->ctx, LT_EIO, "the peer answers '%s' where %s is due", answer, wanted);
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
	if (c->net) {
		json_t *net = bench_net_json(c->net);

		json_object_update_new(net, json_pack("{s:s,s:s,s:s,s:i}", "suite", c->suite, "name", c->name, "op", c->op,
			"threads", threads));
		return net;
	}
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

static lt_status peer_begin(struct bench_contestant *k, const struct bench_case *c, int threads)
{
	struct peer_contestant *s = k->state;
	json_t *o = bench_process_case(c, threads);
	char *text = json_dumps(o, JSON_COMPACT), answer[BENCH_WHY];
	double start = machine_now();
	lt_status st = peer_ask(s, lt__must_format("case %s\n", text), answer);

	free(text);
	json_decref(o);
	if (st)
		return st;
	if (is(answer, "skip"))
		return lt_fail(s->ctx, LT_EUNSUPPORTED, "%s", answer_remainder(answer));
	if (!is(answer, "ok"))
		return refused(s, answer, "'ok', 'skip' or 'failed'");
	k->prepare = *answer_remainder(answer) ? strtod(answer_remainder(answer), NULL) : machine_now() - start;
	return LT_OK;
}

static lt_status peer_run(struct bench_contestant *k, int64_t n, double *seconds)
{
	char answer[BENCH_WHY], *end;

	LT_TRY(peer_ask(k->state, lt__must_format("sample %lld\n", (long long)n), answer));
	*seconds = strtod(answer, &end);
	return end != answer && !*end && *seconds > 0 ? LT_OK : refused(k->state, answer, "a number of seconds");
}

/* Of a model: its results one after the other. */
static lt_status read_results(const struct peer_contestant *s, const char *path, const struct bench_net *net, char *to)
{
	const struct model_bindings *results = &net->binding[LT_BINDING_RESULT];
	FILE *f = fopen(path, "rb");
	lt_status st = LT_OK;

	for (int32_t i = 0; i < results->n && !st; i++) {
		const size_t bytes = bench_net_result_bytes(net, i), n = f ? fread(to + net->at[i], 1, bytes, f) : 0;

		if (n < bytes)
			st = lt_fail(s->ctx, LT_EIO, "its file of results ends in '%s', after %zu of its %zu bytes",
				results->at[i].name, n, bytes);
	}
	if (!st && fgetc(f) != EOF)
		st = lt_fail(s->ctx, LT_EIO, "its file of results goes on after the last of them");
	if (f)
		fclose(f);
	return st;
}

static lt_status read_result(const struct peer_contestant *s, const char *path, const struct bench_case *c, float *out)
{
	if (c->net)
		return read_results(s, path, c->net, (char *)out);
	FILE *f = fopen(path, "rb");
	size_t n = f ? fread(out, sizeof *out, (size_t)c->out.n, f) : 0;
	bool whole = n == (size_t)c->out.n && fgetc(f) == EOF;

	if (f)
		fclose(f);
	return whole ? LT_OK : lt_fail(s->ctx, LT_EIO, "the result has %s than the %lld elements it should",
		n < (size_t)c->out.n ? "less" : "more", (long long)c->out.n);
}

static lt_status peer_result(struct bench_contestant *k, const struct bench_case *c, float *out)
{
	struct peer_contestant *s = k->state;
	char answer[BENCH_WHY], *path;
	lt_status st;

	LT_TRY(lt__tmp_file(s->ctx, &path));
	st = peer_ask(s, lt__must_format("result %s\n", path), answer);
	if (!st)
		st = is(answer, "ok") ? read_result(s, path, c, out) : refused(s, answer, "'ok'");
	unlink(path);
	free(path);
	return st;
}

static void peer_end(struct bench_contestant *k)
{
	struct peer_contestant *s = k->state;
	char answer[BENCH_WHY];

	if (!s->gone)
		(void)peer_ask(s, lt__must_format("end\n"), answer);
}

static void peer_close(struct bench_contestant *k)
{
	struct peer_contestant *s = k->state;

	if (!s->gone && s->pid > 0) {
		(void)write_all(s, "quit\n");
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
		setenv(lt__must_format("%.*s", name, environment), environment + name + 1, 1);
	if (!freopen(log, "w", stderr) || dup2(in[0], STDIN_FILENO) < 0 || dup2(out[1], STDOUT_FILENO) < 0)
		_exit(126);
	for (int i = 0; i < 2; i++) {
		close(in[i]);
		close(out[i]);
	}
	execl("/bin/sh", "sh", "-c", command, (char *)NULL);
	_exit(127);
}

static lt_status start(struct peer_contestant *s, const char *command, const char *environment)
{
	int in[2] = { -1, -1 }, out[2] = { -1, -1 };

	LT_TRY(lt__tmp_file(s->ctx, &s->log));
	if (pipe2(in, O_CLOEXEC) || pipe2(out, O_CLOEXEC))
		return lt_fail(s->ctx, LT_EIO, "no pipe can be made: %s", strerror(errno));
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
	return s->pid > 0 ? LT_OK : lt_fail(s->ctx, LT_EIO, "no process can be made: %s", strerror(errno));
}

pid_t bench_process_id(const struct bench_contestant *k)
{
	return ((const struct peer_contestant *)k->state)->pid;
}

lt_status bench_process_start(struct lt_context *ctx, struct bench_contestant *k, const char *command,
	const char *environment, double patience)
{
	struct peer_contestant *s = lt__must_alloc(sizeof *s);

	s->ctx = ctx;
	s->in = s->out = -1;
	s->patience = patience;
	k->ops = &ops;
	k->state = s;
	k->files = true;
	signal(SIGPIPE, SIG_IGN);
	return start(s, command, environment);
}

lt_status bench_process_greet(struct bench_contestant *k)
{
	struct peer_contestant *s = k->state;
	struct lt_context *ctx = s->ctx;
	char answer[BENCH_WHY];

	LT_TRY(peer_read_line(s, answer));
	if (is(answer, "absent"))
		return lt_fail(ctx, LT_ELOAD, "%s", answer_remainder(answer));
	if (!is(answer, "peer") || !is(answer_remainder(answer), "1"))
		return lt_fail(ctx, LT_EIO, "the peer begins with '%s', not with 'peer 1 NAME'", answer);
	snprintf(k->about, sizeof k->about, "%s", answer_remainder(answer_remainder(answer)));
	if (!*k->label)
		snprintf(k->label, sizeof k->label, "%.*s", (int)strcspn(k->about, " "), k->about);
	return *k->label ? LT_OK : lt_fail(ctx, LT_EIO, "the peer does not say its name ('peer 1 NAME')");
}

lt_status bench_process_open(struct lt_context *ctx, struct bench_contestant *k, const char *command,
	const char *environment, double patience)
{
	LT_TRY(bench_process_start(ctx, k, command, environment, patience));
	return bench_process_greet(k);
}
