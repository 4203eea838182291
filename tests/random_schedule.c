/* tests/random_schedule.c -- random sequences of primitives, drawn, checked and run. */
#include <signal.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>
#include "looptree/edit.h"
#include "looptree/schedule.h"
#include "program/program.h"
#include "check/must.h"
#include "check/random_nest.h"
#include "tests/random_schedule.h"
#include "tests/run_graph.h"
#include "tests/tree_text.h"

enum { MAX_STEPS = 6000, MAX_NODES = 2000, MAX_TRIES = 40, MAX_FAILED = 10 };
static const double slow_seconds = 0.1;

struct sequence { char *text; bool refused; };
struct job {
	uint64_t seed, rng;
	struct lt_context *ctx;
	struct random_graph r;
	struct run_want want;
	struct lt_program *p;           /* has the tree that the sequences begin with */
	struct sequence *sequence; int n;
	char text[4000];                /* of a nest's graph */
};
struct state { const struct schedule_plan *plan; struct schedule_tally *tally; };

static double now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* -- what takes too long is a failure, with the steps in hand -- */

static char in_hand[MAX_STEPS + 100];

static void too_long(int signal)
{
	static const char text[] = "more than 20 s of one processor for ";
	(void)signal;
	(void)!write(2, text, sizeof text - 1);
	(void)!write(2, in_hand, strlen(in_hand));
	(void)!write(2, "\n", 1);
	_exit(1);
}

static void begin(uint64_t seed, const char *steps)
{
	const struct itimerval t = { .it_value = { .tv_sec = 20 } };
	(void)snprintf(in_hand, sizeof in_hand, "seed %llu: `%s`", (unsigned long long)seed, steps);
	(void)signal(SIGPROF, too_long);
	(void)setitimer(ITIMER_PROF, &t, NULL);
}

static void end(void)
{
	const struct itimerval t = { .it_value = { .tv_sec = 0 } };
	(void)setitimer(ITIMER_PROF, &t, NULL);
}

/* -- what holds of each tree -- */

/* What does not hold is reported and counted; true if it does. */
__attribute__((format(printf, 3, 4))) static bool expect(struct state *s, bool holds, const char *fmt, ...)
{
	va_list list;
	if (holds)
		return true;
	s->tally->failed++;
	va_start(list, fmt);
	(void)fputs("FAILED: ", stderr);
	(void)vfprintf(stderr, fmt, list);
	(void)fputc('\n', stderr);
	va_end(list);
	return false;
}

static void expect_same(struct state *s, const struct lt_looptree *a, const struct lt_looptree *b, uint64_t seed,
	const char *steps, const char *what)
{
	struct run_text x = tree_print(a), y = tree_print(b);
	expect(s, !strcmp(x.at, y.at), "seed %llu: %s after `%s`:\n%sand\n%s", (unsigned long long)seed, what, steps,
		x.at, y.at);
	run_text_free(&x);
	run_text_free(&y);
}

/* A split that is merged again leaves what was there. */
static void check_inverse(struct state *s, const struct lt_looptree *t, uint64_t *rng, uint64_t seed, const char *steps)
{
	lt_tnode loop = random_loop(t, rng), cursor = loop;
	char text[300];
	struct lt_looptree *cut, *whole;
	if (loop < 0)
		return;
	(void)snprintf(text, sizeof text, "split %.200s %lld", lt__loop_path(t, loop), (long long)(t->node[loop].step * 2));
	if (lt__schedule_steps(t, text, strlen(text), "s", 1, &cursor, &cut))
		return;
	(void)snprintf(text, sizeof text, "merge %.200s", lt__loop_path(cut, cursor));
	if (expect(s, lt__schedule_steps(cut, text, strlen(text), "s", 1, &cursor, &whole) == LT_OK,
		    "seed %llu: `%s` after `%s` and a split: %s", (unsigned long long)seed, text, steps,
		    lt_context_message(t->ctx))) {
		expect_same(s, t, whole, seed, steps, "split and merge");
		expect(s, whole->node[cursor].var == t->node[loop].var, "seed %llu: split and merge lose the loop",
			(unsigned long long)seed);
	}
	lt_looptree_free(cut);
	lt_looptree_free(whole);
}

static const char *var_name(const struct lt_looptree *t, lt_tnode loop)
{
	return t->graph->var[t->node[loop].var].name;
}
static const char *leaf_name(const struct lt_looptree *t, lt_tnode leaf)
{
	return t->graph->node[t->node[leaf].leaf].name;
}

/* Every loop is followed to one over its own var, every leaf to its own or (rfactor) to that of its partial results.
 * Only a value that is inlined goes, with the loops that it alone had. */
static void check_cursors(struct state *s, const struct lt_looptree *from, const lt_tnode *cursor,
	const struct lt_looptree *to, uint64_t seed, const char *step)
{
	bool may_go = strstr(step, "inline") != NULL, renames = strstr(step, "rfactor") != NULL;
	for (lt_tnode at = 0; at < from->n_node; at++) {
		lt_tnode now_at = cursor[at];
		must(now_at < to->n_node, "seed %llu: a cursor is past the tree after `%s`", (unsigned long long)seed, step);
		if (from->node[at].kind == LT_TGROUP || (now_at < 0 && may_go))
			continue;
		bool leaf = from->node[at].kind == LT_TLEAF;
		const char *was = leaf ? leaf_name(from, at) : var_name(from, at);
		expect(s, now_at >= 0 && to->node[now_at].kind == from->node[at].kind
			&& ((leaf && renames) || !strcmp(was, leaf ? leaf_name(to, now_at) : var_name(to, now_at))),
			"seed %llu: %s %s is lost after `%s`", (unsigned long long)seed, leaf ? "leaf" : "the loop over", was, step);
	}
}

/* Printed and read back. */
static void check_text(
	struct state *s, const struct lt_looptree *t, const struct lt_graph *base, uint64_t seed, const char *steps)
{
	struct run_text text = tree_print(t);
	struct lt_looptree *back;
	if (expect(s, lt_looptree_parse(base, text.at, text.n, "printed", &back) == LT_OK,
		    "seed %llu after `%s`: %s\n%s", (unsigned long long)seed, steps, lt_context_message(t->ctx),
		    text.at))
		expect_same(s, t, back, seed, steps, "printed and read back");
	lt_looptree_free(back);
	run_text_free(&text);
}

/* -- drawing -- */

/* Takes one step if it is legal. */
static bool try_step(struct state *s, struct job *j, const struct lt_looptree *t, char *step, size_t bytes,
	struct lt_looptree **next)
{
	lt_tnode cursor[MAX_NODES];
	int kind;
	if (!random_step(t, &j->rng, s->plan->skip, &kind, step, bytes))
		return false;
	for (lt_tnode at = 0; at < t->n_node; at++)
		cursor[at] = at;
	s->tally->tried[kind]++;
	begin(j->seed, step);
	lt_status done = lt__schedule_steps(t, step, strlen(step), "s", t->n_node, cursor, next);
	end();
	if (done) {
		const char *why = lt_context_message(t->ctx);
		expect(s, *next == NULL && strlen(why) > 20 && (done == LT_EILLEGAL || done == LT_ESYNTAX || done == LT_EUNSUPPORTED),
			"seed %llu: `%s`: %s: %s", (unsigned long long)j->seed, step, lt_status_name(done), why);
		return false;
	}
	s->tally->accepted[kind]++;
	s->tally->steps++;
	check_cursors(s, t, cursor, *next, j->seed, step);
	return true;
}

/* An outermost loop, or one directly in grid loops, becomes a grid's; another one, or a part of it, a block's. */
static bool draw_bind(const struct lt_looptree *t, uint64_t *rng, char *step, size_t bytes, bool *grid)
{
	static const char *const tails[] = { "mask", "mask", "peel", "pad" };
	lt_tnode loop = random_loop(t, rng);
	if (loop < 0)
		return false;
	if (random_chance(rng, 40))
		while (t->node[loop].parent >= 0 && t->node[t->node[loop].parent].loop != LT_GRID)
			loop = t->node[loop].parent;
	if (t->node[loop].kind != LT_TLOOP)
		return false;
	lt_tnode up = t->node[loop].parent;
	*grid = (up < 0 || t->node[up].loop == LT_GRID) && random_chance(rng, 70);
	const char *path = lt__loop_path(t, loop);
	int axis = random_chance(rng, 60) ? 0 : (int)random_between(rng, 0, 2);
	if (*grid || random_chance(rng, 50))
		(void)snprintf(step, bytes, "bind %.200s %s.%c", path, *grid ? "grid" : "block", "xyz"[axis]);
	else
		(void)snprintf(step, bytes, "split %.200s %lld; tail %.200s %s; bind %.200s' block.%c", path,
			(long long)(t->node[loop].step * (int64_t)random_between(rng, 2, 9)), path,
			tails[random_between(rng, 0, 3)], path, "xyz"[axis]);
	return true;
}

/* One more step of a grid; NULL: it is not legal. */
static struct lt_looptree *bind_one(
	struct state *s, struct job *j, const struct lt_looptree *t, char *step, size_t bytes)
{
	struct lt_looptree *next = NULL;
	bool grid;
	if (!draw_bind(t, &j->rng, step, bytes, &grid))
		return NULL;
	begin(j->seed, step);
	lt_status done = lt__schedule_steps(t, step, strlen(step), "s", 0, NULL, &next);
	end();
	expect(s, done == LT_OK || done == LT_EILLEGAL || done == LT_ESYNTAX || done == LT_EUNSUPPORTED,
		"seed %llu: `%s`: %s: %s", (unsigned long long)j->seed, step, lt_status_name(done), lt_context_message(t->ctx));
	s->tally->grids += !done && grid;
	s->tally->blocks += !done && !grid;
	return done ? NULL : next;
}

/* Steps that are accepted one after the other, as a list; NULL: none was. */
static char *draw_sequence(struct state *s, struct job *j)
{
	const struct lt_looptree *first = j->p->tree, *t = first;
	struct lt_looptree *mine = NULL, *next;
	char *list = calloc(MAX_STEPS, 1), step[1000];
	must(list != NULL, "out of memory");
	int wanted = (int)random_between(&j->rng, 1, 8);
	size_t n = 0;
	for (int i = 0; i < MAX_TRIES && wanted > 0 && t->n_node < MAX_NODES && n + sizeof step + 3 < MAX_STEPS; i++) {
		if (!try_step(s, j, t, step, sizeof step, &next))
			continue;
		lt_looptree_free(mine);
		t = mine = next;
		n += (size_t)snprintf(list + n, MAX_STEPS - n, "%s%s", n ? "; " : "", step);
		wanted--;
	}
	for (int i = s->plan->grids ? 0 : MAX_TRIES; i < MAX_TRIES / 3 && n + sizeof step + 3 < MAX_STEPS; i++)
		if ((next = bind_one(s, j, t, step, sizeof step))) {
			lt_looptree_free(mine);
			t = mine = next;
			n += (size_t)snprintf(list + n, MAX_STEPS - n, "%s%s", n ? "; " : "", step);
		}
	if (!mine) {
		free(list);
		return NULL;
	}
	check_text(s, mine, first->base, j->seed, list);
	check_inverse(s, mine, &j->rng, j->seed, list);
	if (expect(s, lt__schedule_steps(first, list, n, "s", 0, NULL, &next) == LT_OK, "seed %llu: `%s`: %s",
		    (unsigned long long)j->seed, list, lt_context_message(first->ctx)))
		expect_same(s, mine, next, j->seed, list, "step by step and as a list");
	lt_looptree_free(next);
	lt_looptree_free(mine);
	return list;
}

/* -- jobs -- */

struct filler { const struct random_graph *r; uint64_t seed; };
static void fill(void *user, int run, lt_node n, void *out)
{
	const struct filler *d = user;
	random_graph_fill(d->r, d->seed, run, n, out);
}

/* Where grid and block loops are drawn, the tree that they are bound in has none. */
static void begin_plain(const struct schedule_plan *plan, struct lt_options *o)
{
	static const char plain[] = "schedule 1\n";
	o->schedule = plan->grids ? plain : NULL;
	o->schedule_bytes = plan->grids ? sizeof plain - 1 : 0;
}

static struct lt_options options_of(const struct state *s, const char *apply)
{
	struct lt_options o = { .size = sizeof(struct lt_options),
		.n_thread = 2,
		.backends = s->plan->backends,
		.strict = 1,
		.no_passes = 1,
		.apply = apply };
	begin_plain(s->plan, &o);
	return o;
}

static void new_graph(struct job *j)
{
	must(lt_context_new(&j->ctx) == LT_OK, "no context");
	if (random_chance(&j->rng, 50)) {
		random_nest_new(j->ctx, j->seed, 0, &j->r, j->text, sizeof j->text);
		return;
	}
	struct random_options o = { .n_node = (int32_t)random_between(&j->rng, 3, 14), .views = true };
	o.params = random_chance(&j->rng, 30);
	o.states = random_chance(&j->rng, 20);
	o.composites = random_chance(&j->rng, 50);
	random_graph_new(j->ctx, j->seed, &o, &j->r);
}

/* A graph, what the oracle says of it, and sequences; with a backend that compiles later, their kernels are known to
 * it. */
static void open_job(struct state *s, uint64_t seed, struct job *j)
{
	*j = (struct job){ .seed = seed, .rng = seed * 977 + 5 };
	new_graph(j);
	struct filler d = { &j->r, seed };
	run_want_new(j->r.g, 2, fill, &d, &j->want);
	must(j->want.status == LT_OK || j->want.status == LT_EFAULT, "seed %llu: %s", (unsigned long long)seed,
		j->want.message);
	if (j->want.status)             /* a gather out of range: others test those */
		return;
	struct lt_options o = options_of(s, NULL);
	double since = now();
	o.plan_only = 1;
	must(lt_compile(j->ctx, j->r.g, &o, &j->p) == LT_OK, "seed %llu: %s", (unsigned long long)seed,
		lt_context_message(j->ctx));
	if (now() - since > slow_seconds) {
		s->tally->slow++;
		return;
	}
	j->sequence = calloc((size_t)s->plan->sequences, sizeof *j->sequence);
	must(j->sequence != NULL, "out of memory");
	for (int i = 0; i < s->plan->sequences && j->p->tree->root >= 0; i++) {
		struct sequence *q = &j->sequence[j->n];
		struct lt_program *p;
		q->text = draw_sequence(s, j);
		if (!q->text)
			continue;
		j->n++;
		o = options_of(s, q->text);
		begin(seed, q->text);
		lt_status st = lt_compile(j->ctx, j->r.g, &o, &p);
		/* a tail that cannot be had is reported when the tree is frozen */
		if (st == LT_EUNSUPPORTED || st == LT_EILLEGAL) {
			q->refused = true;
			s->tally->refused++;
			(void)snprintf(s->tally->refusal, sizeof s->tally->refusal, "%s", lt_context_message(j->ctx));
		}
		end();
		lt_program_free(p);
	}
}

struct applied { const struct schedule_plan *plan; const char *text; };

static lt_status compile_with(
	void *user, const struct lt_graph *g, const struct lt_options *options, struct lt_program **out)
{
	const struct applied *applied = user;
	struct lt_options o = *options;
	o.apply = applied->text;
	begin_plain(applied->plan, &o);
	return lt_compile(g->ctx, g, &o, out);
}

static void report_failure(const struct state *s, const struct job *j, const struct sequence *q, const char *why)
{
	struct run_text text = { NULL, 0 };
	struct lt_looptree *t;
	(void)lt_graph_print(j->r.g, run_text_add, &text);
	if (!lt__schedule_steps(j->p->tree, q->text, strlen(q->text), "s", 0, NULL, &t)) {
		(void)lt_looptree_print(t, run_text_add, &text);
		lt_looptree_free(t);
	}
	(void)fprintf(stderr, "FAILED: seed %llu on %s after `%s`: %s\n%s\n", (unsigned long long)j->seed,
		s->plan->backends, q->text, why, text.at);
	run_text_free(&text);
}

static void run_job(struct state *s, struct job *j)
{
	for (int i = 0; i < j->n && s->tally->failed < MAX_FAILED; i++) {
		struct sequence *q = &j->sequence[i];
		char why[2000] = "";
		struct run_tally run = { 0 };
		struct applied applied = { s->plan, q->text };
		struct run_config config = {
			.backends = s->plan->backends, .no_passes = true, .compile = compile_with, .user = &applied
		};
		if (q->refused)
			continue;
		begin(j->seed, q->text);
		bool good = run_compare(&j->want, j->r.g, &config, NULL, NULL, &run, why, sizeof why);
		end();
		if (!good) {
			report_failure(s, j, q, why);
			s->tally->failed++;
		}
		s->tally->elements += run.elements;
		s->tally->sequences++;
	}
}

static void close_job(struct job *j)
{
	for (int i = 0; i < j->n; i++)
		free(j->sequence[i].text);
	free(j->sequence);
	lt_program_free(j->p);
	run_want_free(&j->want);
	random_graph_free(&j->r);
	lt_context_free(j->ctx);
}

void random_schedules(const struct schedule_plan *plan, struct schedule_tally *tally)
{
	struct state s = { plan, tally };
	struct job *job = calloc((size_t)plan->together, sizeof *job);
	must(job != NULL, "out of memory");
	for (int at = 0; at < plan->graphs && tally->failed < MAX_FAILED; at += plan->together) {
		int n = plan->graphs - at < plan->together ? plan->graphs - at : plan->together;
		for (int i = 0; i < n; i++)
			open_job(&s, plan->seed + (uint64_t)(at + i), &job[i]);
		for (int i = 0; i < n; i++)
			run_job(&s, &job[i]);
		for (int i = 0; i < n; i++)
			close_job(&job[i]);
	}
	free(job);
}

void random_schedules_report(const struct schedule_plan *p, const struct schedule_tally *t)
{
	(void)fprintf(stderr,
		"%s, seeds %llu .. %llu: %d sequences of %lld steps ran, %d failed, %d refused by the backend, %d "
		"graphs left out as slow; %lld elements\naccepted of tried:",
		p->backends, (unsigned long long)p->seed, (unsigned long long)(p->seed + (uint64_t)p->graphs - 1),
		t->sequences, (long long)t->steps, t->failed, t->refused, t->slow, (long long)t->elements);
	for (int i = 0; i < random_step_count(); i++)
		(void)fprintf(stderr, " %s %d/%d", random_step_name(i), t->accepted[i], t->tried[i]);
	(void)fprintf(stderr, "\n%s%s%s", t->refused ? "last refusal: " : "", t->refusal, t->refused ? "\n" : "");
}
