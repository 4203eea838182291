/* score.c -- mutants of all kinds, drawn and run side by side; how many are caught. */
#include <pthread.h>
#include <string.h>
#include "check/random/must.h"
#include "check/random/random.h"
#include "tests/mutants/mutants.h"

/* From here on the mutants become fewer. */
static const double much_work = 4e6;

/* MANY: scripts, of which some has a place for each kind; FEW: mutants of one, at least. */
enum { MANY = 20, FEW = 4, MAX_NOT_RUN = 10 };
struct draw { int subject, kind, n; struct verdict verdict; };
struct score {
	const struct setting *setting;
	struct subject *subject; int n_subject;
	char (*why)[600];               /* by subject: what is wrong with the right kernels, "" nothing */
	struct draw *draw; int n_draw;
	pthread_mutex_t lock;
	int next;                       /* that nobody has taken */
};

/* -- side by side -- */

static int take(struct score *s, int n)
{
	(void)pthread_mutex_lock(&s->lock);
	int mine = s->next < n ? s->next++ : -1;
	(void)pthread_mutex_unlock(&s->lock);
	return mine;
}

static void *open_some(void *score)
{
	struct score *s = score;
	for (int i; (i = take(s, s->n_subject)) >= 0;)
		if (!subject_open(s->setting, &s->subject[i], s->why[i], sizeof s->why[i]) && !s->why[i][0])
			(void)snprintf(s->why[i], sizeof s->why[i], "no reason");
	return NULL;
}

static void *run_some(void *score)
{
	struct score *s = score;
	for (int i; (i = take(s, s->n_draw)) >= 0;) {
		struct draw *d = &s->draw[i];
		if (i % 50 == 0)
			(void)fprintf(stderr, "mutant %d of %d\n", i + 1, s->n_draw);
		mutant_run(s->setting, &s->subject[d->subject], d->kind, d->n, &d->verdict);
	}
	return NULL;
}

static void together(struct score *s, int jobs, void *work(void *))
{
	pthread_t thread[64];
	jobs = jobs < 64 ? jobs : 64;
	s->next = 0;
	for (int i = 0; i < jobs; i++)
		must(pthread_create(&thread[i], NULL, work, s) == 0, "no thread can be started");
	for (int i = 0; i < jobs; i++)
		(void)pthread_join(thread[i], NULL);
}

/* -- drawing -- */

static bool is_drawn(const struct score *s, int subject, int kind, int n)
{
	for (int i = s->n_draw - 1; i >= 0 && s->draw[i].subject == subject; i--)
		if (s->draw[i].kind == kind && s->draw[i].n == n)
			return true;
	return false;
}

/* A site of a kernel mostly, now and then one of a function that kernels call. */
static int draw_site(const struct subject *j, int kind, uint64_t *rng)
{
	int sites = subject_sites(j, kind), n = (int)random_between(rng, 0, sites - 1);
	for (int tries = random_chance(rng, 80) ? 20 : 0;
		tries > 0 && j->text.tok[subject_site(j, kind, n)->tok].zone != ZONE_KERNEL; tries--)
		n = (int)random_between(rng, 0, sites - 1);
	return n;
}

static uint64_t hash_of(const char *text)
{
	uint64_t h = UINT64_C(0xcbf29ce484222325);
	for (; *text; text++)
		h = (h ^ (unsigned char)*text) * UINT64_C(0x100000001b3);
	return h;
}

/* The kinds in turn, in a random order; of each a random site.  Fewer where a verification takes long. */
static void draw_some(struct score *s, int subject, int each)
{
	const struct subject *j = &s->subject[subject];
	uint64_t rng = s->setting->seed ^ hash_of(j->name);
	int order[64], got = 0, fewer = (int)(each * much_work / (j->work + 1));
	each = fewer > each ? each : fewer < FEW ? FEW : fewer;
	must(n_kind <= 64, "more than 64 kinds");
	for (int i = 0; i < n_kind; i++) {
		int at = (int)random_between(&rng, 0, i);
		order[i] = order[at];
		order[at] = i;
	}
	for (int tries = 0; j->n_site > 0 && got < each && tries < 20 * each; tries++) {
		int kind = order[tries % n_kind];
		if (subject_sites(j, kind) == 0)
			continue;
		int n = draw_site(j, kind, &rng);
		if (is_drawn(s, subject, kind, n))
			continue;
		s->draw[s->n_draw++] = (struct draw){ .subject = subject, .kind = kind, .n = n };
		got++;
	}
}

/* -- telling -- */

static void report_row(const struct score *s, const char *name, int subject, int kind)
{
	int count[N_OUTCOME] = { 0 }, n = 0;
	for (int i = 0; i < s->n_draw; i++)
		if ((subject < 0 || s->draw[i].subject == subject) && (kind < 0 || s->draw[i].kind == kind)) {
			count[s->draw[i].verdict.outcome]++;
			n++;
		}
	if (n)
		(void)printf("# %-42s %6d %8d %8d %8d %7d%s\n", name, count[CAUGHT], count[SURVIVED], count[HARMLESS],
			count[NOT_COMPILED], count[NOT_RUN], count[SURVIVED] ? " <" : "");
}

static void report_tables(const struct score *s)
{
	static const char head[] = "# %-42s %6s %8s %8s %8s %7s\n";
	(void)printf(head, "kind", "caught", "survived", "harmless", "not comp", "not run");
	for (int i = 0; i < n_kind; i++)
		report_row(s, kinds[i].name, -1, i);
	(void)printf(head, "script", "caught", "survived", "harmless", "not comp", "not run");
	for (int i = 0; i < s->n_subject; i++)
		report_row(s, s->subject[i].name, i, -1);
}

static int report_score(const struct score *s, double min)
{
	int count[N_OUTCOME] = { 0 }, wrong = 0, states = 0;
	for (int i = 0; i < s->n_subject; i++)
		if (s->why[i][0]) {
			(void)printf("not ok - mutants of %s: %.*s\n", s->subject[i].name, (int)strcspn(s->why[i], "\n"), s->why[i]);
			wrong++;
		}
	/* A kind that is found nowhere says that texts are printed in another way than it looks for. */
	for (int kind = 0; kind < n_kind && s->n_subject > MANY; kind++) {
		int sites = 0;
		for (int i = 0; i < s->n_subject; i++)
			sites += subject_sites(&s->subject[i], kind);
		if (sites == 0)
			(void)printf("not ok - mutants: no kernel has a place for '%s'\n", kinds[kind].name);
		wrong += sites == 0;
	}
	for (int i = 0; i < s->n_draw; i++) {
		const struct draw *d = &s->draw[i];
		count[d->verdict.outcome]++;
		states += d->verdict.state;
		if (d->verdict.outcome == SURVIVED)
			(void)printf("# show survives: %s --one %s %s %d  # moves a result by %.2g of its norm\n#   "
				     "`%s`\n#   `%s`\n",
				s->setting->self, s->subject[d->subject].name, kinds[d->kind].name, d->n,
				d->verdict.moved, d->verdict.line, d->verdict.became);
	}
	report_tables(s);
	if (states == 0 && s->n_subject > MANY) {
		(void)printf("not ok - mutants: none of them moves a state alone\n");
		wrong++;
	}
	const int counted = count[CAUGHT] + count[SURVIVED];
	const bool good = counted > 0 && 100.0 * count[CAUGHT] >= min * counted;
	(void)printf("# show mutants: %d of %d caught, %d harmless, %d not compiled, %d crashed or hung (seed %llu)\n",
		count[CAUGHT], counted, count[HARMLESS], count[NOT_COMPILED], count[NOT_RUN],
		(unsigned long long)s->setting->seed);
	(void)printf("%sok - mutants: at least %g %% are caught\n", good ? "" : "not ", min);
	/* One that does not run says nothing about the judge: many of them would leave it unjudged. */
	const bool ran = count[NOT_RUN] * MAX_NOT_RUN <= counted;
	(void)printf("%sok - mutants: at most one crashes or hangs for %d that are judged\n", ran ? "" : "not ", MAX_NOT_RUN);
	return !good || !ran || wrong;
}

int score(const struct setting *setting, const struct plan *plan)
{
	struct score s = { .setting = setting, .lock = PTHREAD_MUTEX_INITIALIZER };
	s.subject = subjects_new(setting, plan->n_graph, &s.n_subject);
	s.why = calloc((size_t)s.n_subject, sizeof *s.why);
	s.draw = calloc((size_t)(s.n_subject * (plan->each + FEW)), sizeof *s.draw);
	must(s.why && s.draw, "out of memory");
	together(&s, plan->jobs, open_some);
	for (int i = 0; i < s.n_subject; i++)
		if (!s.why[i][0])
			draw_some(&s, i, plan->each);
	together(&s, plan->jobs, run_some);
	int failed = report_score(&s, plan->min);
	for (int i = 0; i < s.n_subject; i++)
		subject_free(&s.subject[i]);
	free(s.subject);
	free(s.why);
	free(s.draw);
	return failed;
}
