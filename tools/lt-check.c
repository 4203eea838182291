/* tools/lt-check.c -- the conformance suite for backends: docs/lt-check.1. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "ir/arena.h"
#include "tools/check.h"
#include "tools/interrupt.h"
#include "tools/plugins.h"
#include "tools/say.h"

enum { MAX_REDUCED = 8, MAX_REPORTED = 4 * CHECK_COMMAND };
struct suite {
	struct check_report report;
	struct check_options *o;
	struct check_outcome *outcome;
	struct check_progress progress;
	double begin;
	int64_t n_failed;
	int n_reduced;
	const char *reduced[MAX_REDUCED];      /* rows that were: one failure of an operator tells as much as ten */
};

/* -- reducing -- */

struct again { const struct check_options *o; struct check_data data; char unrun[200]; };

static bool still_fails(void *user, const struct lt_graph *g, const char *schedule, struct check_outcome *out)
{
	struct again *a = user;
	lt__check_child_graph(a->o, g, &(struct check_tree){ .text = schedule, .replay = true }, &a->data, out);
	if (out->unrun)
		(void)snprintf(a->unrun, sizeof a->unrun, "%.190s", out->text);
	return out->done && !out->unrun && out->status == CHECK_FAILED;
}

static bool is_worth_reducing(const struct suite *s, const struct check_case *c)
{
	if (s->o->no_reduce || c->clause || lt__interrupted(NULL) || s->n_reduced == MAX_REDUCED)
		return false;
	for (int i = 0; i < s->n_reduced; i++)
		if (c->row && s->reduced[i] && !strcmp(c->row, s->reduced[i]))
			return false;
	return true;
}

static void reduce_case(struct suite *s, int32_t i)
{
	lt__check_progress_show(&s->progress, &s->report, "a failure is made smaller", true);
	const struct check_case *c = s->report.chosen[i];
	struct again a = { s->o, { c->seed, s->outcome[i].set, c->special, c->wild }, "" };
	struct lt_context *ctx = NULL;
	struct lt_graph *g = NULL;
	char backend[CHECK_COMMAND], limits[80], *told = calloc(1, MAX_REPORTED);
	if (mkdir(s->o->keep, 0777) && errno != EEXIST) {
		lt__say(stderr, "lt-check: %s: cannot be made: %s\n", s->o->keep, strerror(errno));
		free(told);
		return;
	}
	lt__check_backend_words(s->o, backend, sizeof backend);
	lt__check_limits(s->o, limits, sizeof limits);
	if (told && !lt_context_new(&ctx) && !lt__check_graph(ctx, c, &g)) {
		const struct check_failure f = { .name = c->name,
			.graph = g,
			.schedule = s->outcome[i].schedule,
			.data_seed = c->seed,
			.set = s->outcome[i].set,
			.special = c->special,
			.wild = c->wild,
			.what = s->outcome[i].text,
			.keep = s->o->keep,
			.backend = backend,
			.limits = limits };
		if (lt__check_reduce(&f, still_fails, &a, told, MAX_REPORTED) && a.unrun[0])
			(void)snprintf(told, MAX_REPORTED, "not reduced: %s", a.unrun);
		s->report.more[i] = told;
		s->reduced[s->n_reduced++] = c->row;
	} else {
		free(told);
	}
	lt_graph_free(g);
	lt_context_free(ctx);
}

/* -- the suite -- */

static bool report_backend(void *user, int32_t i)
{
	struct suite *s = user;
	static const char *const words[] = { "passed", "refused", "FAILED", "skipped" };
	const struct check_outcome *out = &s->outcome[i];
	if (s->o->verbose || out->status == CHECK_FAILED)
		lt__check_progress_wipe(&s->progress);
	if (s->o->verbose && !s->o->json)
		lt__say(stdout, "%-7s %s%s%s\n", words[out->status], s->report.chosen[i]->name, out->text[0] ? ": " : "", out->text);
	if (out->status == CHECK_FAILED && s->n_failed++ < 200) {
		if (!out->unrun && is_worth_reducing(s, s->report.chosen[i]))
			reduce_case(s, i);
		lt__check_progress_wipe(&s->progress);
		if (!s->o->json)
			lt__check_report_failure(&s->report, i, stdout);
	}
	(void)fflush(stdout);
	if (s->o->seconds > 0 && lt__check_now() - s->begin > s->o->seconds) {
		for (int32_t k = 0; k < s->report.n; k++)
			if (!s->outcome[k].done) {
				(void)lt__check_end(&s->outcome[k], CHECK_SKIPPED, "the time was up");
				s->outcome[k].late = true;
			}
		return false;
	}
	return true;
}

static void at_case(void *user, int32_t i)
{
	struct suite *s = user;
	lt__check_progress_show(&s->progress, &s->report, lt__check_group(s->report.chosen[i]->group)->name, false);
}

static int list_cases(const struct check_list *list)
{
	int group = -1;
	for (int32_t i = 0; i < list->n; i++) {
		if (list->at[i].group != group) {
			group = list->at[i].group;
			lt__say(stdout, "# %s: %s\n", lt__check_group(group)->name, lt__check_group(group)->doc);
		}
		lt__say(stdout, "%s\n", list->at[i].name);
	}
	return 0;
}

static int write_report(const struct suite *s)
{
	FILE *f = fopen(s->o->report, "w");
	lt_status st = f ? lt__check_html(&s->report, f) : LT_EIO;
	if ((f && fclose(f)) || st) {
		lt__say(stderr, "lt-check: %s: cannot be written: %s\n", s->o->report, strerror(errno));
		return CHECK_EXIT_FAILED;
	}
	return 0;
}

static int run_suite(struct suite *s, const struct check_list *list)
{
	const struct check_case **chosen = calloc((size_t)list->n + 1, sizeof *chosen);
	int code = 0;
	s->outcome = calloc((size_t)list->n + 1, sizeof *s->outcome);
	s->report.more = calloc((size_t)list->n + 1, sizeof *s->report.more);
	if (!chosen || !s->outcome || !s->report.more) {
		(void)fputs("lt-check: out of memory\n", stderr);
		return CHECK_EXIT_FAILED;
	}
	for (int32_t i = 0; i < list->n; i++)
		chosen[i] = &list->at[i];
	s->report.list = list;
	s->report.chosen = chosen;
	s->report.n = list->n;
	s->report.outcome = s->outcome;
	lt__check_progress_begin(&s->progress, !s->o->json);
	s->report.n_run = lt__check_children(
		s->o, chosen, list->n, s->outcome, &(struct check_watch){ report_backend, at_case, s });
	lt__check_progress_wipe(&s->progress);
	if (lt__interrupted(NULL)) {
		(void)fputs("lt-check: interrupted\n", stderr);
		(void)fflush(stdout);
		lt__interrupt_release();
	}
	s->report.seconds = lt__check_now() - s->begin;
	if (s->o->json)
		code = lt__check_json(&s->report, stdout) ? CHECK_EXIT_FAILED : 0;
	else
		lt__check_report_all(&s->report, stdout);
	if (s->o->report && code == 0)
		code = write_report(s);
	const int verdict = lt__check_exit(&s->report);
	for (int32_t i = 0; i < list->n; i++) {
		free(s->outcome[i].schedule);
		free(s->report.more[i]);
	}
	if (code == 0)
		code = verdict;
	free(s->outcome);
	free(s->report.more);
	free(chosen);
	return code;
}

/* The backend that is named; else that of the last plug-in; else cpu. */
static void choose_backend(struct check_options *o)
{
	o->backend = o->word = "cpu";
	for (int32_t k = 0; k < o->n_load; k++)         /* one that names a file again has given none */
		for (uint32_t i = 0; i < lt_backend_count(); i++) {
			const char *origin = lt_backend_origin(lt_backend_at(i));
			if (origin && !strcmp(origin, o->load[k]))
				o->backend = o->word = lt_backend_at(i)->name;
		}
}

static lt_status find_backend(struct lt_context *ctx, struct check_options *o)
{
	struct check_diagnostics told;
	int32_t score = 0;
	char how[200];
	if (!o->backend)
		choose_backend(o);
	const struct lt_backend *b;
	if (strchr(o->backend, ','))
		return lt_fail(ctx, LT_EINVAL, "-b takes one backend, not '%s'", o->word);
	LT_TRY(lt__backend_named(ctx, o->backend, strlen(o->backend), &b));
	if (!lt__check_score(b, o, &score, &told, how, sizeof how))
		return lt_fail(ctx, LT_EDEVICE, "%s: FAILED: in score: %s", o->backend, how);
	if (score <= 0)
		return lt_fail(ctx, LT_EINVAL, "%s cannot be used here: %s%s%s", o->backend,
			told.text[0] ? told.text : "it does not say why", told.remedy[0] ? "; " : "", told.remedy);
	return LT_OK;
}

/* Of the suite, or of the list of its cases. */
static lt_status check_all(struct lt_context *ctx, struct check_options *o, int *verdict)
{
	struct suite s = { .o = o, .begin = lt__check_now(), .report = { .o = o, .backend = lt_backend_find(o->backend) } };
	struct check_list list;
	lt_status st = LT_OK;
	lt__check_cases(o, &list);
	if (list.lost)
		st = lt_fail(ctx, LT_ENOMEM, "out of memory");
	else if (list.n == 0 && o->n_part > 0)
		st = lt_fail(ctx, LT_EINVAL, "there is no case in part %d/%d (lt-check --list shows all)", o->part, o->n_part);
	else if (list.n == 0)
		st = lt_fail(ctx, LT_EINVAL, "no case fits '%s' (lt-check --list shows all)", o->filter ? o->filter : "");
	else
		*verdict = o->list ? list_cases(&list) : run_suite(&s, &list);
	lt__check_cases_free(&list);
	return st;
}

static lt_status check_begin(struct lt_context *ctx, int argc, char **argv, struct check_options *o, int *verdict)
{
	/* Files that are opened would take its place. */
	if (fcntl(STDOUT_FILENO, F_GETFD) < 0)
		return lt_fail(ctx, LT_EIO, "standard output cannot be written: %s", strerror(errno));
	LT_TRY(lt__check_options(ctx, argc, argv, o));
	if (o->given.done)
		return LT_OK;
	lt_status st = lt__plugins_load(ctx, check_tool.name, o->load, o->n_load, true);
	if (st)
		return st == LT_ENOMEM ? st : LT_EINVAL;
	LT_TRY(find_backend(ctx, o));
	if (!o->script)
		return check_all(ctx, o, verdict);
	*verdict = lt__check_again(o);
	return LT_OK;
}

int main(int argc, char **argv)
{
/* Of the suite, or of the list of its cases. */
	struct check_options o = { 0 };
	struct lt_context *ctx;
	int verdict = LT_EXIT_OK;
	if (lt_context_new(&ctx)) {
		(void)fputs("lt-check: out of memory\n", stderr);
		return LT_EXIT_FAILED;
	}
	lt__interrupt_catch(LT_INTERRUPT_SECONDS);
	const int code = lt__tool_end(ctx, &check_tool, check_begin(ctx, argc, argv, &o, &verdict));
	lt__check_options_free(&o);
	lt_context_free(ctx);
	lt__interrupt_release();
	return code ? code : verdict;
}
