/* lower.c -- from a graph to the frozen trees that a backend is given.
 *
 * The library lowers for the target of the backend which is checked, and asks no backend on the way.  So whether that
 * one accepts a tree is asked here.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <stdlib.h>
#include <string.h>
#include "check/random/random.h"
#include "looptree/schedule/schedule.h"
#include "tools/check/parts.h"
#include "program/program.h"

static lt_status lower_for_device(const struct check_device *device, const struct lt_graph *g, const char *schedule,
	const char *apply, struct lt_program **out)
{
	const struct lt_options o = { .size = sizeof o,
		.n_thread = device->n_thread,
		.strict = 1,
		.no_passes = 1,
		.plan_only = 1,
		.schedule = schedule,
		.schedule_bytes = schedule ? strlen(schedule) : 0,
		.schedule_name = "tree",
		.apply = apply,
		.kernels = device->kernels };
	return lt__compile_for(g->ctx, g, device->caps->target, &o, out);
}

/* -- steps -- */

/* Steps that a tree has taken one after the other, a line each; the others are left out. */
enum { MAX_STEPS = 3000, MAX_STEP = 1200, MAX_TRIES = 24, MAX_NODES = 400 };
struct taken { const struct lt_looptree *t; struct lt_looptree *mine; char list[MAX_STEPS]; size_t n; };

static bool steps_fit(const struct taken *x) { return x->n + MAX_STEP + 3 < MAX_STEPS; }

static bool steps_take(struct taken *x, const char *step)
{
	struct lt_looptree *next;
	if (!steps_fit(x) || lt_looptree_apply(x->t, step, strlen(step), "s", 0, NULL, &next, NULL))
		return false;
	lt_looptree_free(x->mine);
	x->t = x->mine = next;
	x->n += (size_t)snprintf(x->list + x->n, MAX_STEPS - x->n, "%s\n", step);
	return true;
}

/* Loops of a device's launch are not drawn: their trees are a matter of the target. */
static void steps_draw(struct taken *x, const struct check_tree *how)
{
	uint64_t rng = how->seed;
	int wanted = (int)random_between(&rng, 2, 6), kind;
	char step[MAX_STEP];
	for (int i = 0; i < MAX_TRIES && wanted > 0 && x->t->n_node < MAX_NODES && steps_fit(x); i++)
		if (random_step(x->t, &rng, "bind call", &kind, step, sizeof step) && steps_take(x, step))
			wanted--;
}

/* Those of another graph's schedule that fit this one, too. */
static void steps_replay(struct taken *x, const struct check_tree *how)
{
	char step[MAX_STEP];
	for (const char *line = how->text; *line; line += strcspn(line, "\n"), line += *line == '\n') {
		(void)snprintf(step, sizeof step, "%.*s", (int)strcspn(line, "\n"), line);
		(void)steps_take(x, step);
	}
}

char *lt__check_replay(const struct lt_looptree *from, const char *steps)
{
	struct taken x = { .t = from };
	steps_replay(&x, &(struct check_tree){ .text = steps });
	lt_looptree_free(x.mine);
	return strdup(x.list);
}

/* -- loops in vectors -- */

/* Which loop of a nest: 0: it has none inside, 1: those inside have none, and so on. */
static int height_of(const struct lt_looptree *t, lt_tnode loop)
{
	int max = 0;
	for (lt_tnode c = t->node[loop].child; c >= 0; c = t->node[c].next)
		if (t->node[c].kind != LT_TLEAF) {
			int h = height_of(t, c) + (t->node[c].kind == LT_TLOOP);
			max = h > max ? h : max;
		}
	return max;
}

/* Steps that make a loop a vector, as the kind of tree has it; none for a loop that stays.  STRIPS: each lane runs over
 * neighbours, the last over fewer; of a loop that run-time scalars bound two lanes are left, that these turn off. */
static void vector_steps(const struct lt_looptree *t, lt_tnode loop, int kind, char *step, size_t bytes)
{
	const char *path = lt__loop_path(t, loop),
		   *tail = kind == CHECK_PEELED ? "peel"
		: kind == CHECK_PADDED          ? "pad"
						: "mask";
	const struct lt_vardef *v = &t->graph->var[t->node[loop].var];
	int height = height_of(t, loop), lanes = kind == CHECK_OUTER || (kind == CHECK_NESTED && height == 1) ? 4 : 8;
	long long part = (v->extent + 3) / 4;
	bool wanted = kind == CHECK_MASKED || kind == CHECK_PEELED ? !strcmp(lt__loop_name(t, loop), "n")
		: kind == CHECK_OUTER ? height == 1 : kind == CHECK_NESTED ? height <= 1 : height == 0;
	while (kind >= CHECK_INNER && lanes > 2 && lanes >= v->extent)
		lanes /= 2;
	step[0] = '\0';
	if (!wanted)
		return;
	if (kind != CHECK_STRIPS)
		(void)snprintf(step, bytes, "split %.200s %d; tail %.200s %s; vectorize %.200s'", path, lanes, path, tail, path);
	else if (part > 1 && v->bounded)
		(void)snprintf(step, bytes, "split %.200s %lld; split %.200s %lld; tail %.200s mask; vectorize %.200s'",
			path, part, path, 2 * part, path, path);
	else if (part > 1)
		(void)snprintf(step, bytes, "split %.200s %lld; vectorize %.200s", path, part, path);
}

/* Loops that cannot be vectors stay as they are. */
static void make_vectors(struct taken *x, const struct check_tree *how)
{
	const struct lt_looptree *first = x->t;
	char step[MAX_STEP];
	for (lt_tnode at = 0; at < first->n_node; at++) {
		if (first->node[at].kind != LT_TLOOP)
			continue;
		vector_steps(first, at, how->kind, step, sizeof step);
		if (step[0])
			(void)steps_take(x, step);
	}
}

/* -- trees -- */

/* A tail that cannot be had is reported when the tree is frozen: then fewer steps are taken. */
static lt_status lower_steps(const struct check_device *device, const struct lt_graph *g, const char *begin, char *list,
	struct lt_program **out)
{
	for (;;) {
		lt_status st = lower_for_device(device, g, begin, list[0] ? list : NULL, out);
		if (!st || (st != LT_EILLEGAL && st != LT_EUNSUPPORTED) || !list[0])
			return st;
		size_t n = strlen(list) - 1;
		while (n > 0 && list[n - 1] != ';' && list[n - 1] != '\n')
			n--;
		list[n > 0 && list[n - 1] == ';' ? n - 1 : n] = '\0';
	}
}

static lt_status lower_made(const struct check_device *device, const struct lt_graph *g, const char *begin,
	const struct check_tree *how, void (*make)(struct taken *, const struct check_tree *), struct lt_program **out,
	char **schedule)
{
	struct taken x = { .n = 0 };
	struct lt_program *p;
	if (make) {
		LT_TRY(lower_for_device(device, g, begin, NULL, &p));
		x.t = p->tree;
		if (p->tree->root >= 0)
			make(&x, how);
		lt_looptree_free(x.mine);
		lt_program_free(p);
	}
	LT_TRY(lower_steps(device, g, begin, x.list, out));
	if (!begin && !x.list[0])
		return LT_OK;
	if (asprintf(schedule, "%s%s", begin ? begin : "", x.list) >= 0)
		return LT_OK;
	lt_program_free(*out);
	*out = NULL;
	*schedule = NULL;
	return lt_fail(g->ctx, LT_ENOMEM, "out of memory");
}

lt_status lt__check_lower(const struct check_device *device, const struct lt_graph *g, const struct check_tree *how,
	struct lt_program **out, char **schedule)
{
	static const char plain[] = "schedule 1\n";
	const size_t head = sizeof plain - 1;
	struct check_tree mine = *how;
	*out = NULL;
	*schedule = NULL;
	if (how->text && !how->replay) {
		bool steps = strncmp(how->text, "schedule", 8) != 0 && strncmp(how->text, "looptree", 8) != 0;
		return lower_for_device(device, g, steps ? NULL : how->text, steps ? how->text : NULL, out);
	}
	if (how->text && !strncmp(how->text, plain, head)) {
		mine.text += head;
		return lower_made(device, g, plain, &mine, steps_replay, out, schedule);
	}
	if (how->text)
		return lower_made(device, g, NULL, how, steps_replay, out, schedule);
	switch (how->kind) {
	case CHECK_PLAIN:  return lower_made(device, g, plain, how, NULL, out, schedule);
	case CHECK_DRAWN:  return lower_made(device, g, plain, how, steps_draw, out, schedule);
	case CHECK_DRAWN2:
		mine.seed++;
		return lower_made(device, g, NULL, &mine, steps_draw, out, schedule);
	case CHECK_DEFAULT: return lower_for_device(device, g, NULL, NULL, out);
	default:           return lower_made(device, g, plain, how, make_vectors, out, schedule);
	}
}
