/* tools/check_lower.c -- from a graph to the frozen trees that a backend is given.
 *
 * The library lowers for the target of the backend which is checked, and asks no backend on the way.  So whether that one accepts a tree is
 * asked here.
 */
#include <string.h>
#include "check/random_graph.h"
#include "check/random_steps.h"
#include "looptree/edit.h"
#include "looptree/schedule.h"
#include "tools/check_parts.h"

static lt_status lower_for_device(const struct check_device *device, const struct lt_graph *g, const char *schedule, const char *apply, struct lt_program **out)
{
	const struct lt_options o = { .size = sizeof o, .n_thread = device->n_thread, .strict = 1, .no_passes = 1, .plan_only = 1,
		.schedule = schedule, .schedule_bytes = schedule ? strlen(schedule) : 0, .schedule_name = "tree", .apply = apply };
	return lt__compile_for(g->ctx, g, device->caps->target, &o, out);
}

/* Steps that are accepted one after the other, as a list.  Loops of a device's launch are not drawn: their trees are a matter of the target. */
enum { MAX_STEPS = 3000, MAX_TRIES = 24, MAX_NODES = 400 };

static void draw(const struct lt_looptree *first, uint64_t seed, char *list)
{
	const struct lt_looptree *t = first;
	struct lt_looptree *mine = NULL, *next;
	uint64_t rng = seed;
	int wanted = (int)random_between(&rng, 2, 6), kind;
	size_t n = 0;
	char step[800];
	list[0] = '\0';
	for (int i = 0; i < MAX_TRIES && wanted > 0 && t->n_node < MAX_NODES && n + sizeof step + 3 < MAX_STEPS; i++) {
		if (!random_step(t, &rng, "bind call", &kind, step, sizeof step) || lt__schedule_steps(t, step, strlen(step), "s", 0, NULL, &next))
			continue;
		lt_looptree_free(mine);
		t = mine = next;
		n += (size_t)snprintf(list + n, MAX_STEPS - n, "%s%s", n ? "; " : "", step);
		wanted--;
	}
	lt_looptree_free(mine);
}

/* A tail that cannot be had is told when the tree is frozen: then fewer steps are taken. */
static lt_status lower_steps(const struct check_device *device, const struct lt_graph *g, const char *begin, char *list, struct lt_program **out)
{
	for (;;) {
		lt_status st = lower_for_device(device, g, begin, list[0] ? list : NULL, out);
		char *last = strrchr(list, ';');
		if (!st || (st != LT_EILLEGAL && st != LT_EUNSUPPORTED) || !list[0])
			return st;
		*(last ? last : list) = '\0';
	}
}

static lt_status lower_drawn(const struct check_device *device, const struct lt_graph *g, const char *begin, uint64_t seed, struct lt_program **out)
{
	char list[MAX_STEPS];
	struct lt_program *p;
	LT_TRY(lower_for_device(device, g, begin, NULL, &p));
	if (p->tree->root < 0) {
		*out = p;
		return LT_OK;
	}
	draw(p->tree, seed, list);
	lt_program_free(p);
	return lower_steps(device, g, begin, list, out);
}

/* -- loops in vectors -- */

/* Which loop of a nest: 0: it has none inside, 1: those inside have none, and so on. */
static int height_of(const struct lt_looptree *t, lt_tnode loop)
{
	int most = 0;
	for (lt_tnode c = t->node[loop].child; c >= 0; c = t->node[c].next)
		if (t->node[c].kind != LT_TLEAF) {
			int h = height_of(t, c) + (t->node[c].kind == LT_TLOOP);
			most = h > most ? h : most;
		}
	return most;
}

/* Steps that make a loop a vector, as the kind of tree has it; none for a loop that stays.  STRIPS: each lane runs over neighbours, the last
 * over fewer; of a loop that run-time scalars bound two lanes are left, that these turn off. */
static void vector_steps(const struct lt_looptree *t, lt_tnode loop, int kind, char *step, size_t bytes)
{
	const char *path = lt__loop_path(t, loop), *tail = kind == CHECK_PEELED ? "peel" : kind == CHECK_PADDED ? "pad" : "mask";
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
		(void)snprintf(step, bytes, "split %.200s %lld; split %.200s %lld; tail %.200s mask; vectorize %.200s'", path, part, path, 2 * part, path,
			path);
	else if (part > 1)
		(void)snprintf(step, bytes, "split %.200s %lld; vectorize %.200s", path, part, path);
}

/* Loops that cannot be vectors stay as they are. */
static lt_status lower_vectors(const struct check_device *device, const struct lt_graph *g, const char *begin, int kind, struct lt_program **out)
{
	char list[MAX_STEPS] = "", step[1200];
	struct lt_program *p;
	struct lt_looptree *mine = NULL, *next;
	size_t n = 0;
	LT_TRY(lower_for_device(device, g, begin, NULL, &p));
	for (lt_tnode at = 0; at < p->tree->n_node && n + sizeof step + 3 < MAX_STEPS; at++) {
		if (p->tree->node[at].kind != LT_TLOOP)
			continue;
		vector_steps(p->tree, at, kind, step, sizeof step);
		if (!step[0] || lt__schedule_steps(mine ? mine : p->tree, step, strlen(step), "s", 0, NULL, &next))
			continue;
		lt_looptree_free(mine);
		mine = next;
		n += (size_t)snprintf(list + n, MAX_STEPS - n, "%s%s", n ? "; " : "", step);
	}
	lt_looptree_free(mine);
	lt_program_free(p);
	return lower_steps(device, g, begin, list, out);
}

lt_status lt__check_lower(const struct check_device *device, const struct lt_graph *g, const struct check_tree *how, struct lt_program **out)
{
	static const char plain[] = "schedule 1\n";
	*out = NULL;
	if (how->text)
		return lower_for_device(device, g, how->text, NULL, out);
	switch (how->kind) {
	case CHECK_PLAIN:  return lower_for_device(device, g, plain, NULL, out);
	case CHECK_DRAWN:  return lower_drawn(device, g, plain, how->seed, out);
	case CHECK_DRAWN2: return lower_drawn(device, g, NULL, how->seed + 1, out);
	case CHECK_MASKED: case CHECK_PEELED: case CHECK_INNER: case CHECK_PADDED: case CHECK_OUTER: case CHECK_NESTED: case CHECK_STRIPS:
		return lower_vectors(device, g, plain, how->kind, out);
	default:           return lower_for_device(device, g, NULL, NULL, out);
	}
}

char *lt__check_tree_text(const struct lt_program *p)
{
	struct check_text t = { NULL, 0 };
	(void)lt_looptree_print(p->tree, lt__check_text_add, &t);
	return t.at;
}
