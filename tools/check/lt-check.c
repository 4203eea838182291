/* lt-check.c -- the conformance suite for backends: docs/lt-check.1. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/arena.h"
#include "tools/check/check.h"
#include "tools/common/common.h"

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

struct again { const struct check_options *o; struct check_data data; };

static bool still_fails(void *user, const struct lt_graph *g, const char *schedule, struct check_outcome *out)
{
	const struct again *a = user;
	lt__check_child_graph(a->o, g, &(struct check_tree){ .text = schedule, .replay = true }, &a->data, out);
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
	const struct check_case *c = &s->report.c[i];
	const struct check_outcome *out = &s->outcome[i];
	struct again a = { s->o, { c->seed, out->set, c->special, c->wild } };
	struct lt_context *ctx = NULL;
	struct lt_graph *g = NULL;
	char backend[CHECK_COMMAND] = "", limits[80] = "", *text = calloc(1, MAX_REPORTED);
	lt__check_backend_words(s->o, backend, sizeof backend);
	lt__check_limits(s->o, limits, sizeof limits);
	if (text && !lt_context_new(&ctx) && !lt__check_graph(ctx, c, &g)) {
		const struct check_failure f = { .name = c->name, .graph = g, .schedule = out->schedule, .data_seed = c->seed,
			.set = out->set, .special = c->special, .wild = c->wild, .what = out->text, .keep = s->o->keep,
			.backend = backend, .limits = limits };
		(void)lt__check_reduce(&f, still_fails, &a, text, MAX_REPORTED);
		s->report.more[i] = text;
		s->reduced[s->n_reduced++] = c->row;
	} else {
		free(text);
	}
	lt_graph_free(g);
	lt_context_free(ctx);
}

/* -- the suite -- */

/* Those that have not run. */
static void skip_others(struct suite *s, const char *why)
{
	for (int32_t i = 0; i < s->report.n; i++)
		if (!s->outcome[i].done) {
			(void)lt__check_end(&s->outcome[i], CHECK_SKIPPED, "%s", why);
			s->outcome[i].late = true;
		}
}

static bool report_backend(void *user, int32_t i)
{
	struct suite *s = user;
	const struct check_outcome *out = &s->outcome[i];
	if (s->o->verbose || out->status == CHECK_FAILED)
		lt__check_progress_wipe(&s->progress);
	if (s->o->verbose && !s->o->json)
		lt__say(stdout, "%-7s %s%s%s\n", lt__check_loud[out->status], s->report.c[i].name,
			out->text[0] ? ": " : "", out->text);
	if (out->status == CHECK_FAILED && s->n_failed++ < 200) {
		if (!out->unrun && is_worth_reducing(s, &s->report.c[i]))
			reduce_case(s, i);
		lt__check_progress_wipe(&s->progress);
		if (!s->o->json)
			lt__check_report_failure(&s->report, i, stdout);
	}
	(void)fflush(stdout);
	if (s->o->seconds > 0 && lt__check_now() - s->begin > s->o->seconds) {
		skip_others(s, "the time was up");
		return false;
	}
	return true;
}

static void at_case(void *user, int32_t i)
{
	struct suite *s = user;
	lt__check_progress_show(&s->progress, &s->report, lt__check_group(s->report.c[i].group)->name, false);
}

static void list_cases(const struct check_list *list)
{
	int group = -1;
	for (int32_t i = 0; i < list->n; i++) {
		if (list->at[i].group != group) {
			group = list->at[i].group;
			lt__say(stdout, "# %s: %s\n", lt__check_group(group)->name, lt__check_group(group)->doc);
		}
		lt__say(stdout, "%s\n", list->at[i].name);
	}
}

static lt_status write_report(struct lt_context *ctx, const struct suite *s)
{
	FILE *f = fopen(s->o->report, "w");
	lt_status st = f ? lt__check_html(&s->report, f) : LT_EIO;
	return (f && fclose(f)) || st ? lt_fail(ctx, LT_EIO, "%s: cannot be written: %s", s->o->report, strerror(errno))
		: LT_OK;
}

static lt_status run_suite(struct lt_context *ctx, struct suite *s, int *verdict)
{
	lt_status st = LT_OK;
	lt__check_progress_begin(&s->progress, !s->o->json);
	s->report.n_run = lt__check_children(
		s->o, s->report.c, s->report.n, s->outcome, &(struct check_watch){ report_backend, at_case, s });
	lt__check_progress_wipe(&s->progress);
	const bool interrupted = lt__interrupted(NULL);
	if (interrupted)
		skip_others(s, "lt-check was interrupted");
	s->report.seconds = lt__check_now() - s->begin;
	if (s->o->json)
		st = lt__check_json(&s->report, stdout) ? lt_fail(ctx, LT_EIO, "the report cannot be written") : LT_OK;
	else
		lt__check_report_all(&s->report, stdout);
	*verdict = lt__check_exit(&s->report);
	st = st || !s->o->report ? st : write_report(ctx, s);
	if (interrupted) {
		(void)fflush(stdout);
		(void)fputs("lt-check: interrupted: the report is of what had run\n", stderr);
		lt__interrupt_release();
	}
	return st;
}

static lt_status begin_suite(
	struct lt_context *ctx, struct check_options *o, const struct check_list *list, int *verdict)
{
	const size_t n = (size_t)list->n + 1;
	struct suite s = { .o = o, .begin = lt__check_now(), .outcome = calloc(n, sizeof *s.outcome),
		.report = { .o = o, .backend = lt_backend_find(o->backend), .c = list->at, .n = list->n,
			.more = calloc(n, sizeof *s.report.more) } };
	s.report.outcome = s.outcome;
	lt_status st = s.outcome && s.report.more ? run_suite(ctx, &s, verdict) : lt_fail(ctx, LT_ENOMEM, "out of memory");
	for (int32_t i = 0; s.outcome && s.report.more && i < list->n; i++) {
		free(s.outcome[i].schedule);
		free(s.report.more[i]);
	}
	free(s.outcome);
	free(s.report.more);
	return st;
}

/* The backend that is named; else that of the last plug-in; else the best. */
static lt_status choose_backend(struct lt_context *ctx, struct check_options *o)
{
	for (int32_t k = 0; k < o->n_load; k++)         /* one that names a file again has given none */
		for (uint32_t i = 0; i < lt_backend_count(); i++) {
			const char *origin = lt_backend_origin(lt_backend_at(i));
			if (origin && !strcmp(origin, o->load[k]))
				o->backend = o->word = lt_backend_at(i)->name;
		}
	if (o->backend)
		return LT_OK;
	LT_TRY(lt__plugins_find(ctx, check_tool.name));
	const struct lt_backend *best = lt__backend_default(check_tool.name, NULL);
	o->backend = o->word = best ? best->name : "cpu";
	return LT_OK;
}

static lt_status find_backend(struct lt_context *ctx, struct check_options *o)
{
	struct check_outcome score;
	const struct lt_backend *b;
	if (!o->backend)
		LT_TRY(choose_backend(ctx, o));
	else if (!lt__plugins_there(o->backend))
		LT_TRY(lt__plugins_find(ctx, check_tool.name));
	if (strchr(o->backend, ','))
		return lt_fail(ctx, LT_EINVAL, "-b takes one backend, not '%s'", o->word);
	LT_TRY(lt__backend_named(ctx, o->backend, strlen(o->backend), &b));
	lt__check_child_score(o, b, &score);
	if (!score.done || score.status == CHECK_FAILED)
		return lt_fail(ctx, LT_EDEVICE, "%s: FAILED: %s%s", o->backend, score.unrun ? "in score: " : "",
			score.done ? score.text : "in score: interrupted");
	return score.status == CHECK_PASSED ? LT_OK
		: lt_fail(ctx, LT_EINVAL, "%s cannot be used here: %s", o->backend, score.text);
}

/* Of the suite, or of the list of its cases. */
static lt_status check_all(struct lt_context *ctx, struct check_options *o, int *verdict)
{
	struct check_list list = { .n = 0 };
	lt_status st = LT_OK;
	if (o->kernels)
		st = lt__check_own_cases(ctx, o, &list);
	else
		lt__check_cases(o, &list);
	if (st)
		;
	else if (list.lost)
		st = lt_fail(ctx, LT_ENOMEM, "out of memory");
	else if (list.n == 0 && o->n_part > 0)
		st = lt_fail(ctx, LT_EINVAL, "there is no case in part %d/%d (lt-check --list shows all)", o->part, o->n_part);
	else if (list.n == 0)
		st = lt_fail(ctx, LT_EINVAL, "no case fits '%s' (lt-check --list shows all)", o->filter ? o->filter : "");
	else if (o->list)
		list_cases(&list);
	else
		st = begin_suite(ctx, o, &list, verdict);
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
	lt_status st = lt__plugins_load(ctx, check_tool.name, o->load, o->n_load);
	if (st)
		return st == LT_ENOMEM ? st : LT_EINVAL;
	LT_TRY(find_backend(ctx, o));
	return o->script ? lt__check_again(ctx, o, verdict) : check_all(ctx, o, verdict);
}

int main(int argc, char **argv)
{
	struct check_options o = { 0 };
	struct lt_context *ctx;
	int verdict = LT_EXIT_OK;
	if (lt_context_new(&ctx)) {
		(void)fputs("lt-check: out of memory\n", stderr);
		return LT_EXIT_FAILED;
	}
	/* What had run is reported; a device may take its time to end. */
	lt__interrupt_catch(4000);
	const int code = lt__tool_end(ctx, &check_tool, check_begin(ctx, argc, argv, &o, &verdict));
	lt__check_options_free(&o);
	lt_context_free(ctx);
	lt__interrupt_release();
	return code ? code : verdict;
}
