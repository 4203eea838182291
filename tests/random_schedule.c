/* random_schedule.c -- random sequences of primitives, drawn, checked and run. */
#include <signal.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>
#include "looptree/schedule/schedule.h"
#include "program/run/run.h"
#include "check/random/must.h"
#include "check/random/random.h"
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
	bool has_recipe; struct random_recipe recipe;   /* of a GPU's tree */
	char config[100];               /* the backends */
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
	if (lt_looptree_apply(t, text, strlen(text), "s", 1, &cursor, &cut, NULL))
		return;
	(void)snprintf(text, sizeof text, "merge %.200s", lt__loop_path(cut, cursor));
	if (expect(s, lt_looptree_apply(cut, text, strlen(text), "s", 1, &cursor, &whole, NULL) == LT_OK,
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
static void check_text(struct state *s, const struct lt_looptree *t, uint64_t seed, const char *steps)
{
	struct run_text why;
	bool same = tree_reads_back(t, &why);
	expect(s, same, "seed %llu after `%s`: %s", (unsigned long long)seed, steps, why.at);
	run_text_free(&why);
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
	lt_status done = lt_looptree_apply(t, step, strlen(step), "s", t->n_node, cursor, next, NULL);
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

/* Steps that are accepted one after the other, and the tree that they make. */
struct sequel { char *list; size_t n; struct lt_looptree *mine; };

static const struct lt_looptree *sequel_tree(const struct job *j, const struct sequel *q)
{
	return q->mine ? q->mine : j->p->tree;
}

static bool sequel_fits(const struct job *j, const struct sequel *q, size_t bytes)
{
	return sequel_tree(j, q)->n_node < MAX_NODES && q->n + bytes + 3 < MAX_STEPS;
}

static void sequel_add(struct sequel *q, const char *step, struct lt_looptree *next)
{
	lt_looptree_free(q->mine);
	q->mine = next;
	q->n += (size_t)snprintf(q->list + q->n, MAX_STEPS - q->n, "%s%s", q->n ? "; " : "", step);
}

static void draw_steps(struct state *s, struct job *j, struct sequel *q, int wanted)
{
	char step[1000];
	struct lt_looptree *next;
	for (int i = 0; i < MAX_TRIES && wanted > 0 && sequel_fits(j, q, sizeof step); i++)
		if (try_step(s, j, sequel_tree(j, q), step, sizeof step, &next)) {
			sequel_add(q, step, next);
			wanted--;
		}
}

/* A step of a GPU's tree, if it is legal. */
static bool take_gpu(struct state *s, struct job *j, struct sequel *q, const char *step)
{
	struct lt_looptree *next = NULL;
	const struct lt_looptree *t = sequel_tree(j, q);
	if (!sequel_fits(j, q, strlen(step)))
		return false;
	begin(j->seed, step);
	lt_status done = lt_looptree_apply(t, step, strlen(step), "s", 0, NULL, &next, NULL);
	end();
	expect(s, done == LT_OK || done == LT_EILLEGAL || done == LT_ESYNTAX || done == LT_EUNSUPPORTED,
		"seed %llu: `%s`: %s: %s", (unsigned long long)j->seed, step, lt_status_name(done), lt_context_message(t->ctx));
	if (!done)
		sequel_add(q, step, next);
	return !done;
}

static void draw_gpu(struct state *s, struct job *j, struct sequel *q)
{
	static const struct { int low, high; } tries[GPU_N_PHASE] = { { 0, 2 }, { 0, 3 }, { 1, 5 }, { 4, 16 }, { 0, 2 } };
	char step[1000];
	if (j->has_recipe) {
		char steps[4000], *rest = NULL;
		random_recipe_steps(&j->recipe, &j->rng, steps, sizeof steps);
		for (char *line = strtok_r(steps, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest))
			(void)take_gpu(s, j, q, line);
		draw_steps(s, j, q, (int)random_between(&j->rng, 0, 2));
		return;
	}
	draw_steps(s, j, q, (int)random_between(&j->rng, 0, 4));
	for (int phase = 0; phase < GPU_N_PHASE; phase++)
		for (int i = (int)random_between(&j->rng, tries[phase].low, tries[phase].high); i > 0; i--)
			if (random_gpu_step(sequel_tree(j, q), (enum random_gpu_phase)phase, &j->rng, step, sizeof step))
				(void)take_gpu(s, j, q, step);
	draw_steps(s, j, q, (int)random_between(&j->rng, 0, 1));
}

/* Steps as a list; NULL: none was accepted. */
static char *draw_sequence(struct state *s, struct job *j)
{
	const struct lt_looptree *first = j->p->tree;
	struct sequel q = { calloc(MAX_STEPS, 1), 0, NULL };
	struct lt_looptree *next;
	must(q.list != NULL, "out of memory");
	for (int i = 0; i < 3 && s->plan->grids && (!q.mine || !gpu_is_bound(q.mine)); i++)
		draw_gpu(s, j, &q);
	if (!s->plan->grids)
		draw_steps(s, j, &q, (int)random_between(&j->rng, 1, 8));
	if (!q.mine || (s->plan->grids && !gpu_is_bound(q.mine))) {
		lt_looptree_free(q.mine);
		free(q.list);
		return NULL;
	}
	if (s->plan->grids && !random_chance(&j->rng, 25))      /* others try these with many more */
		goto done;
	check_text(s, q.mine, j->seed, q.list);
	check_inverse(s, q.mine, &j->rng, j->seed, q.list);
	if (expect(s, lt_looptree_apply(first, q.list, q.n, "s", 0, NULL, &next, NULL) == LT_OK, "seed %llu: `%s`: %s",
		    (unsigned long long)j->seed, q.list, lt_context_message(first->ctx)))
		expect_same(s, q.mine, next, j->seed, q.list, "step by step and as a list");
	lt_looptree_free(next);
done:
	lt_looptree_free(q.mine);
	return q.list;
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

static struct lt_options options_of(const struct state *s, const struct job *j, const char *apply)
{
	struct lt_options o = { .size = sizeof(struct lt_options),
		.n_thread = 2,
		.backends = j->config,
		.strict = 1,
		.no_passes = 1,
		.apply = apply };
	begin_plain(s->plan, &o);
	return o;
}

static void new_graph(const struct schedule_plan *plan, struct job *j)
{
	must(lt_context_new(&j->ctx) == LT_OK, "no context");
	j->has_recipe = plan->grids && random_recipe(&j->rng, &j->recipe);
	if (plan->backends)
		(void)snprintf(j->config, sizeof j->config, "%s", plan->backends);
	else
		random_machine(&j->rng, j->has_recipe && j->recipe.kind == RECIPE_MATRIX, j->config, sizeof j->config);
	if (j->has_recipe) {
		j->r = (struct random_graph){ .exact = j->recipe.kind == RECIPE_MATRIX || random_chance(&j->rng, 50) };
		must(lt_graph_parse(j->ctx, j->recipe.graph, strlen(j->recipe.graph), "recipe", &j->r.g) == LT_OK, "%s\n%s",
			lt_context_message(j->ctx), j->recipe.graph);
		return;
	}
	if (random_chance(&j->rng, 50)) {
		random_nest_new(j->ctx, j->seed, plan->grids ? 17 : 0, plan->floats, &j->r, j->text, sizeof j->text);
		return;
	}
	struct random_options o = { .n_node = (int32_t)random_between(&j->rng, 3, 14), .floats = plan->floats, .views = true };
	o.params = random_chance(&j->rng, plan->grids ? 50 : 30);
	o.states = random_chance(&j->rng, 20);
	o.composites = random_chance(&j->rng, 50);
	random_graph_new(j->ctx, j->seed, &o, &j->r);
}

static bool has_state(const struct lt_graph *g)
{
	for (lt_node n = 0; n < g->n_node; n++)
		if (g->node[n].op == LT_OP_state)
			return true;
	return false;
}

/* A graph, what the oracle says of it, and sequences; with a backend that compiles later, their kernels are known to
 * it. */
static void open_job(struct state *s, uint64_t seed, struct job *j)
{
	*j = (struct job){ .seed = seed, .rng = seed * 977 + 5 };
	new_graph(s->plan, j);
	struct filler d = { &j->r, seed };
	run_want_new(j->r.g, s->plan->grids && !has_state(j->r.g) ? 1 : 2, fill, &d, &j->want);
	must(j->want.status == LT_OK || j->want.status == LT_EFAULT, "seed %llu: %s", (unsigned long long)seed,
		j->want.message);
	if (j->want.status)             /* a gather out of range: others test those */
		return;
	struct lt_options o = options_of(s, j, NULL);
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
		o = options_of(s, j, q->text);
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

struct applied { const struct schedule_plan *plan; const char *text; uint32_t uses; };

static lt_status compile_with(
	void *user, const struct lt_graph *g, const struct lt_options *options, struct lt_program **out)
{
	struct applied *applied = user;
	struct lt_options o = *options;
	struct run_text kernels = { NULL, 0 };
	o.apply = applied->text;
	begin_plain(applied->plan, &o);
	lt_status st = lt_compile(g->ctx, g, &o, out);
	if (st || !applied->plan->grids)
		return st;
	if (!lt_program_dump(*out, LT_SHOW_KERNEL, run_text_add, &kernels))
		applied->uses = gpu_uses((*out)->tree, kernels.at ? kernels.at : "");
	run_text_free(&kernels);
	return LT_OK;
}

static void report_failure(const struct job *j, const struct sequence *q, const char *why)
{
	struct run_text text = { NULL, 0 };
	struct lt_looptree *t;
	(void)lt_graph_print(j->r.g, run_text_add, &text);
	if (!lt_looptree_apply(j->p->tree, q->text, strlen(q->text), "s", 0, NULL, &t, NULL)) {
		(void)lt_looptree_print(t, run_text_add, &text);
		lt_looptree_free(t);
	}
	(void)fprintf(stderr, "FAILED: seed %llu on %s after `%s`: %s\n%s\n", (unsigned long long)j->seed,
		j->config, q->text, why, text.at);
	run_text_free(&text);
}

static void run_job(struct state *s, struct job *j)
{
	for (int i = 0; i < j->n && s->tally->failed < MAX_FAILED; i++) {
		struct sequence *q = &j->sequence[i];
		char why[2000] = "";
		struct run_tally run = { 0 };
		struct applied applied = { s->plan, q->text, 0 };
		struct run_config config = {
			.backends = j->config, .no_passes = true, .compile = compile_with, .user = &applied
		};
		if (q->refused)
			continue;
		begin(j->seed, q->text);
		bool good = run_compare(&j->want, j->r.g, &config, NULL, NULL, &run, why, sizeof why);
		end();
		if (!good) {
			report_failure(j, q, why);
			s->tally->failed++;
		}
		for (int use = 0; use < GPU_N_USE; use++)
			s->tally->uses[use] += good && applied.uses >> use & 1;
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
		p->backends ? p->backends : "simulators of GPUs", (unsigned long long)p->seed,
		(unsigned long long)(p->seed + (uint64_t)p->graphs - 1), t->sequences, (long long)t->steps, t->failed, t->refused,
		t->slow, (long long)t->elements);
	for (int i = 0; i < random_step_count(); i++)
		(void)fprintf(stderr, " %s %d/%d", random_step_name(i), t->accepted[i], t->tried[i]);
	for (int i = 0; i < GPU_N_USE && p->grids; i++)
		(void)fprintf(stderr, "%s %d %s", i ? "," : "\ntrees with", t->uses[i], gpu_use_name((enum gpu_use)i));
	(void)fprintf(stderr, "\n%s%s%s", t->refused ? "last refusal: " : "", t->refusal, t->refused ? "\n" : "");
}
