/* schedule.c -- the tree that a program is run by: the default one, or what the user's schedule says. */
#include <stdio.h>
#include <string.h>
#include "base/document.h"
#include "looptree/schedule/schedule.h"
#include "program/nest/nest.h"

/* The first word of a schedule says what it is; blank lines and comments may come before it. */
static const char *first_word(const char *text, size_t bytes, size_t *n)
{
	const char *end = text + bytes;
	while (text < end && memchr(" \t\r\n#", *text, 5))
		if (*text == '#')
			while (text < end && *text != '\n')
				text++;
		else
			text++;
	for (*n = 0; text + *n < end && !memchr(" \t\r\n#", text[*n], 5); (*n)++)
		;
	return text;
}

/* What a list of primitives begins with: no machine's tiles, vectors, copies or threads, so that it is replayed on
 * every one. */
static lt_status plain_tree(const struct lt_graph *base, const struct lt_target *target, struct lt_looptree **out)
{
	LT_TRY(lt_looptree_auto(base, NULL, out));
	(*out)->target = target ? target->name : NULL;
	return LT_OK;
}

static lt_status default_tree(const struct lt_graph *base, const struct lt_target *target, struct lt_looptree **out)
{
	LT_TRY(lt_looptree_auto(base, target, out));
	lt_status st = lt__recipe_apply(target, out);
	if (st) {
		lt_looptree_free(*out);
		*out = NULL;
	}
	return st;
}

/* Where a library's version stands in the name of a target, "cudnn:sm_90a/9.14"; NULL: it has none. */
static const char *version_in(const char *target)
{
	const char *at = target ? strrchr(target, '/') : NULL;

	return at && at[1] >= '0' && at[1] <= '9' ? at + 1 : NULL;
}

static bool has_call(const struct lt_looptree *t)
{
	for (lt_tnode n = 0; n < t->n_node; n++)
		if (t->node[n].loop == LT_CALL)
			return true;
	return false;
}

/* What a tree hands to a library was chosen for the version that it was made for: right with any, slower maybe. */
static void check_version(const struct lt_looptree *t, const struct lt_target *target, const struct lt_options *o,
	const char *name)
{
	const char *made = version_in(t->target), *now = target ? version_in(target->name) : NULL;
	char text[400];

	if (!o->log || !made || !now || !strcmp(made, now) || made - t->target != now - target->name
		|| memcmp(t->target, target->name, (size_t)(made - t->target)) || !has_call(t))
		return;
	(void)snprintf(text, sizeof text, "%.150s: the tree is of %.60s, and the library here is %.20s: what it calls was "
		"chosen for the other; --dump=tree without a schedule makes one for this", name, t->target, now);
	o->log(o->user, LT_LOG_WARNING, text);
}

static lt_status first_tree(const struct lt_graph *base, const struct lt_target *target, const struct lt_options *o,
	struct lt_looptree **out)
{
	const char *text = o->schedule, *name = o->schedule_name ? o->schedule_name : "schedule";
	if (!text)
		return default_tree(base, target, out);
	const size_t bytes = o->schedule_bytes ? o->schedule_bytes : strlen(text);
	size_t n;
	const char *word = first_word(text, bytes, &n);
	if (n == 8 && !memcmp(word, "looptree", n)) {
		LT_TRY(lt_looptree_parse(base, text, bytes, name, out));
		check_version(*out, target, o, name);
		return LT_OK;
	}
	if (n == 8 && !memcmp(word, "schedule", n)) {
		struct lt_looptree *from;
		LT_TRY(plain_tree(base, target, &from));
		lt_status st = lt_looptree_apply(from, text, bytes, name, 0, NULL, out, NULL);
		lt_looptree_free(from);
		return st;
	}
	/* The line that it stands in, as it was given. */
	size_t line = 1, at = 0, rest = n;
	for (const char *c = text; c < word; c++, at++)
		if (*c == '\n') {
			line++;
			at = (size_t)-1;
		}
	while (word + rest < text + bytes && word[rest] != '\n' && word[rest] != '\r')
		rest++;
	return lt_fail(base->ctx, LT_ESYNTAX,
		"%.200s:%zu:%zu: a schedule begins with 'looptree 1' (a tree, as lt-run --dump=tree prints it) or with "
		"'schedule 1' (a list of primitives), not with '%.*s'%s",
		name, line, at + 1, rest < 40 ? (int)rest : 40, word, rest ? "" : ": it is empty");
}

lt_status lt__first_tree(const struct lt_graph *base, const struct lt_target *target, const struct lt_options *o,
	struct lt_looptree **out)
{
	struct lt_looptree *from;
	if (!o->apply)
		return first_tree(base, target, o, out);
	if (lt__schedule_is_empty(o->apply, strlen(o->apply)))
		return lt_fail(base->ctx, LT_ESYNTAX,
			"apply: there is no step in '%.40s'; give one, such as \"split m 8\" (%s), or leave it out",
			o->apply, LT_DOCUMENT("schedule.md"));
	LT_TRY(first_tree(base, target, o, &from));
	lt_status st = lt_looptree_apply(from, o->apply, strlen(o->apply), "apply", 0, NULL, out, NULL);
	lt_looptree_free(from);
	return st;
}
