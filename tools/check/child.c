/* child.c -- cases in child processes: a crash or an endless loop is a failure of one case and not the end
 * of the suite.
 *
 * A child says what it does through a pipe: a line when it begins with a case, and the outcome of each.  One that dies,
 * or is silent for too long, has failed the case it was at; if it was at work for the whole batch (compiling), the
 * batch is halved until the case is found. Cases that could not be run, for no process could be made or heard, have
 * failed: a suite that did not run is no success.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "tools/check/parts.h"
#include "tools/common/common.h"

/* So many cases that end in one way, and no such call that comes back between them, say what the others would; those
 * that did not come back take long, each. */
enum { BATCH = 48, MAX_ENDED = 20, MAX_SILENT = 5 };
enum { AT_CASE = 1, OUTCOME = 2, AT_BATCH = 3, AT_TREE = 4, NO_SESSION = 5 };
/* After one of kind OUTCOME come the outcome and the bytes of its schedule. */
struct child_message { int32_t kind, i, n_schedule; };

struct parent {
	const struct check_options *o;
	const struct check_case *c; int32_t n;
	struct check_outcome *outcome;
	const struct check_watch *watch;
	const struct lt_backend *scored;        /* is asked for its score, and nothing else is done; NULL: cases are run */
	bool stopped;
	int print;                      /* file of what children print; -1: nobody asks */
	bool printed;                   /* a case has failed for what was printed */
	int32_t n_passed, n_alike;      /* n_alike: cases that ended as the last one did */
	char ended[CHECK_TEXT];         /* how that was */
	int64_t came_back;              /* what had come back then */
};
/* A child as its parent knows it. */
struct child {
	int fd;
	struct child_message last;
	int32_t first, n, n_done;       /* its cases; how many are known */
	bool silent;
	int lost;                       /* errno: why it cannot be heard; 0: it can */
};

/* -- in the child -- */

static void child_write(int fd, const void *at, size_t bytes)
{
	const char *from = at;
	while (bytes > 0) {
		ssize_t n = write(fd, from, bytes);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			_exit(3);
		from += n;
		bytes -= (size_t)n;
	}
}

/* out: NULL: there is none yet. */
static void child_say(int fd, int kind, int32_t i, const struct check_outcome *out)
{
	const struct child_message m = { kind, i, out && out->schedule ? (int32_t)strlen(out->schedule) + 1 : 0 };
	child_write(fd, &m, sizeof m);
	if (out) {
		child_write(fd, out, sizeof *out);
		child_write(fd, out->schedule, (size_t)m.n_schedule);
	}
}

/* A backend that prints fails the first case in which it does; a thousand more would say nothing new. */
static void has_printed(bool *known, struct check_outcome *out)
{
	struct check_outcome printed = { 0 };
	if (*known || out->status == CHECK_FAILED || lt__check_print_fail(&printed))
		return;
	*known = true;
	out->status = printed.status;
	memcpy(out->text, printed.text, sizeof out->text);
}

/* Cases first .. first + n - 1, which are graphs. */
static void run_graphs(const struct parent *p, struct check_device *d, int fd, int32_t first, int32_t n)
{
	struct check_work w[BATCH] = { { 0 } }, *open[BATCH];
	struct check_outcome out[BATCH] = { { 0 } };
	int32_t n_open = 0;
	bool known = p->printed || p->print < 0;
	for (int32_t i = 0; i < n; i++) {
		double begin = lt__check_now();
		child_say(fd, AT_TREE, first + i, NULL);
		if (lt__check_work_open(&w[i], d, &p->c[first + i], p->c[first + i].seed, &out[i]))
			open[n_open++] = &w[i];
		out[i].seconds = lt__check_now() - begin;
	}
	child_say(fd, AT_BATCH, first, NULL);
	if (n_open > 0)
		(void)lt__check_compile(open, n_open);
	for (int32_t i = 0; i < n; i++) {
		double begin = lt__check_now();
		child_say(fd, AT_CASE, first + i, NULL);
		if (!out[i].done)
			(void)lt__check_run(&w[i]);
		out[i].seconds += lt__check_now() - begin;
		has_printed(&known, &out[i]);
		if (out[i].status == CHECK_FAILED)
			out[i].schedule = w[i].schedule;
		child_say(fd, OUTCOME, first + i, &out[i]);
		lt__check_work_close(&w[i]);
	}
}

static void run_clause(const struct parent *p, struct check_device *d, int fd, int32_t i)
{
	struct check_outcome out = { 0 };
	double begin = lt__check_now();
	child_say(fd, AT_CASE, i, NULL);
	lt__check_clause(d, &p->c[i], &out);
	out.seconds = lt__check_now() - begin;
	child_say(fd, OUTCOME, i, &out);
}

static void ask_score(const struct parent *p, int fd)
{
	struct check_outcome out = { 0 };
	struct check_diagnostics diags = lt__check_listen();
	child_say(fd, AT_CASE, 0, NULL);
	if (lt__check_watch(p->scored)->score(p->o->config, &diags.diag) <= 0)
		(void)lt__check_end(&out, CHECK_REFUSED, "%s%s%s", diags.text[0] ? diags.text : "it does not say why",
			diags.remedy[0] ? "; " : "", diags.remedy);
	(void)lt__check_end(&out, CHECK_PASSED, "%s", "");
	child_say(fd, OUTCOME, 0, &out);
}

struct batch { const struct parent *p; int32_t first, n; };

static void run_child(void *user, int fd)
{
	const struct batch *batch = user;
	const struct parent *p = batch->p;
	const int32_t first = batch->first, n = batch->n;
	struct check_device d;
	struct check_outcome out = { 0 };
	lt__check_print_catch(p->print, p->o->verbose);
	if (p->scored) {
		ask_score(p, fd);
		return;
	}
	child_say(fd, AT_TREE, first, NULL);
	if (!lt__check_open(&d, p->o, &out)) {
		for (int32_t i = 0; i < n; i++) {
			child_say(fd, NO_SESSION, first + i, NULL);
			child_say(fd, OUTCOME, first + i, &out);
		}
		return;
	}
	if (p->c[first].clause)
		run_clause(p, &d, fd, first);
	else
		run_graphs(p, &d, fd, first, n);
	child_say(fd, AT_BATCH, first, NULL);
	lt__check_close(&d);
	(void)fflush(NULL);
}

/* -- in the parent -- */

/* As lt__check_wait_read, until its patience ends. */
static int wait_for(const struct parent *p, const struct child *c)
{
	static const double part = 0.2;
	for (double until = lt__check_now() + p->o->patience; ; ) {
		double left = until - lt__check_now();
		int ready = lt__check_wait_read(c->fd, left < part ? left : part);
		if (ready != 0 || left <= part)
			return ready;
		if (p->watch)
			p->watch->at(p->watch->user, c->last.i);
	}
}

/* All of `bytes`, a part at a time; false: the child is gone, is silent, or cannot be heard. */
static bool get(struct parent *p, struct child *c, void *at, size_t bytes)
{
	char *to = at;
	while (bytes > 0) {
		int ready = wait_for(p, c);
		ssize_t n = ready > 0 ? read(c->fd, to, bytes) : -1;
		if (ready > 0 && n < 0 && errno == EINTR)
			continue;
		c->silent = ready == 0;
		c->lost = ready != 0 && n < 0 && errno != EINTR ? errno : 0;
		if (n <= 0)
			return false;
		to += n;
		bytes -= (size_t)n;
	}
	return true;
}

static bool take_outcome(struct parent *p, struct child *c, const struct child_message *m, struct check_outcome *out)
{
	struct check_outcome new;
	if (!get(p, c, &new, sizeof new))
		return false;
	new.schedule = m->n_schedule ? malloc((size_t)m->n_schedule) : NULL;
	bool good = new.schedule || !m->n_schedule;
	c->lost = good ? 0 : ENOMEM;
	if (!good || !get(p, c, new.schedule, (size_t)m->n_schedule)) {
		free(new.schedule);
		return false;
	}
	free(out->schedule);
	new.done = true;
	*out = new;
	return true;
}

static void child_report(struct parent *p, int32_t i)
{
	p->n_passed += p->outcome[i].status == CHECK_PASSED;
	p->stopped = (p->watch && !p->watch->done(p->watch->user, i)) || p->stopped;
}

/* The cases that are left are not tried where so many ended as this one did.  member: what ended so, each time that it
 * was called; NULL: what stands there. */
static void count_alike(struct parent *p, const char *text, const char *member, const char *what, int32_t max)
{
	int64_t came_back = member ? lt__check_calls_good(member) : p->n_passed;
	bool alike = p->n_alike > 0 && p->came_back == came_back && !strcmp(p->ended, text);
	p->n_alike = alike ? p->n_alike + 1 : 1;
	p->came_back = came_back;
	(void)snprintf(p->ended, sizeof p->ended, "%s", text);
	if (p->n_alike < max || p->o->go_on || p->stopped)
		return;
	p->stopped = true;
	for (int32_t i = 0; i < p->n; i++)
		if (!p->outcome[i].done) {
			(void)lt__check_end(&p->outcome[i], CHECK_SKIPPED,
				"every %s%s ends so; the rest is not tried (--go-on tries it): %s",
				member ? "call of " : "", member ? member : what, text);
			p->outcome[i].left = true;
		}
}

/* Reads what a child says until it ends. */
static void listen_to(struct parent *p, struct child *c)
{
	struct child_message next;
	while (!p->stopped && get(p, c, &next, sizeof next)) {
		bool no_session = c->last.kind == NO_SESSION;
		c->last = next;
		if (p->watch)
			p->watch->at(p->watch->user, next.i);
		if (next.kind != OUTCOME)
			continue;
		if (!take_outcome(p, c, &next, &p->outcome[next.i]))
			break;
		c->n_done++;
		child_report(p, next.i);
		if (no_session)
			count_alike(p, p->outcome[next.i].text, NULL, "session", MAX_ENDED);
	}
	p->stopped = p->stopped || lt__interrupted(NULL);
}

/* How it ended. */
static void child_ended(const struct parent *p, int status, bool silent, char *out, size_t bytes)
{
	if (silent)
		(void)snprintf(out, bytes, "it did not come back within %g s", p->o->patience);
	else if (WIFSIGNALED(status))
		(void)snprintf(out, bytes, "it ended the process by a signal: %s", strsignal(WTERMSIG(status)));
	else
		(void)snprintf(out, bytes, "it ended the process with exit code %d", WEXITSTATUS(status));
}

/* phase: what was done, if no member of the table was called. */
static void fail_case(struct parent *p, int32_t i, const char *phase, const char *how, bool silent)
{
	const char *member = lt__check_calls_in();
	if (p->outcome[i].done)
		return;
	(void)lt__check_fail(&p->outcome[i], "%s%s: %s", member ? "in " : "", member ? member : phase, how);
	child_report(p, i);
	count_alike(p, p->outcome[i].text, member, "case", silent ? MAX_SILENT : MAX_ENDED);
}

/* A part of the suite that could not run is a failure of it.  error: errno. */
static void fail_batch(struct parent *p, int32_t first, int32_t n, const char *why, int error)
{
	for (int32_t i = first; i < first + n && !p->stopped; i++) {
		(void)lt__check_fail(&p->outcome[i], "it was not run: %s: %s", why, strerror(error));
		p->outcome[i].unrun = true;
		child_report(p, i);
		count_alike(p, p->outcome[i].text, NULL, "case", MAX_SILENT);
	}
}

/* Those that it has not reported have not run; nor is anything known of the end of its session. */
static void fail_unheard(struct parent *p, struct child *c, const char *why, int error)
{
	if (c->n_done == c->n)
		p->outcome[c->first + --c->n_done].done = false;
	fail_batch(p, c->first + c->n_done, c->n - c->n_done, why, error);
}

static void run_batch(struct parent *p, int32_t first, int32_t n)
{
	static const char opening[] = "while the session was opened, or the tree made and accepted";
	struct child c = { .first = first, .n = n, .last = { .kind = AT_TREE, .i = first } };
	int status = 0;
	char how[200];
	if (n <= 0 || p->stopped)
		return;
	lt__check_calls_clear();
	pid_t pid = lt__check_fork(run_child, &(struct batch){ p, first, n }, &c.fd);
	if (pid < 0) {
		fail_batch(p, first, n, "no process can be made", errno);
		return;
	}
	listen_to(p, &c);
	(void)close(c.fd);
	if (c.silent || c.lost || p->stopped)
		lt__check_end_child(pid);
	if (!lt__check_wait(pid, &status)) {
		fail_unheard(p, &c, "nothing is known of its process", errno);
		return;
	}
	if (c.lost) {
		fail_unheard(p, &c, "what its process says cannot be read", c.lost);
		return;
	}
	if (!p->c[first].clause || p->c[first].group == CHECK_errors)
		p->printed = p->printed || (p->print >= 0 && lseek(p->print, 0, SEEK_CUR) > 0);
	if ((c.n_done == n && status == 0 && !c.silent) || p->stopped)
		return;
	child_ended(p, status, c.silent, how, sizeof how);
	if (c.n_done == n) {            /* all cases were well; the end of the session was not */
		p->outcome[first].done = false;
		fail_case(p, first, "while objects and session were closed", how, c.silent);
	} else if (n == 1) {
		fail_case(p, first, c.last.kind == AT_BATCH ? "while it was compiled" : c.last.kind == AT_TREE ? opening
			: "while it ran", how, c.silent);
	} else if (c.last.kind == AT_CASE && c.last.i == first + c.n_done) {    /* those before it are known */
		fail_case(p, c.last.i, "while it ran", how, c.silent);
		run_batch(p, c.last.i + 1, first + n - c.last.i - 1);
	} else if (c.last.kind == AT_TREE) {    /* those before it were not compiled yet */
		fail_case(p, c.last.i, opening, how, c.silent);
		run_batch(p, first, c.last.i - first);
		run_batch(p, c.last.i + 1, first + n - c.last.i - 1);
	} else {
		run_batch(p, first, n / 2);
		run_batch(p, first + n / 2, n - n / 2);
	}
}

int64_t lt__check_children(const struct check_options *o, const struct check_case *c, int32_t n,
	struct check_outcome *outcome, const struct check_watch *watch)
{
	struct parent p = { .o = o, .c = c, .n = n, .outcome = outcome, .watch = watch, .print = lt__check_print_new() };
	if (p.print < 0)
		fail_batch(&p, 0, n, "there is no file for what backends print", errno);
	else if (!lt__check_calls_share())
		fail_batch(&p, 0, n, "there is no memory that processes share", errno);
	p.stopped = p.stopped || outcome[0].unrun;
	for (int32_t i = 0, k; i < n && !p.stopped; i = k) {
		for (k = i + 1; k < n && k - i < BATCH && !c[i].clause && !c[k].clause && c[k].group == c[i].group; k++)
			;
		run_batch(&p, i, k - i);
	}
	if (p.print >= 0)
		(void)close(p.print);
	return lt__check_calls_good("run");
}

/* What is printed is not asked about: a graph that is made smaller is to fail by what it computes. */
static void run_one(struct parent *p)
{
	p->n = 1;
	p->print = -1;
	*p->outcome = (struct check_outcome){ 0 };
	if (lt__check_calls_share())
		run_batch(p, 0, 1);
	else
		fail_batch(p, 0, 1, "there is no memory that processes share", errno);
}

void lt__check_child_graph(const struct check_options *o, const struct lt_graph *g, const struct check_tree *how,
	const struct check_data *data, struct check_outcome *out)
{
	const struct check_case c = { .group = CHECK_random, .graph = g, .how = *how, .seed = data->seed,
		.special = data->special, .wild = data->wild };
	run_one(&(struct parent){ .o = o, .c = &c, .outcome = out });
}

void lt__check_child_score(const struct check_options *o, const struct lt_backend *b, struct check_outcome *out)
{
	const struct check_case c = { .name = "score" };
	run_one(&(struct parent){ .o = o, .c = &c, .outcome = out, .scored = b });
}
