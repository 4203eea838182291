/* env.c -- a backend reads no environment: where that changes, a session gives the same.
 *
 * A session runs a few kernels, and a line is kept of all that it gives: values, dumps, what describe and identity say;
 * then one whose process has another environment does the same.  What differs between two sessions of one environment,
 * such as measured times, is left out.  A variable that the backend's own file asks getenv for fails, whatever it is
 * good for.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "tools/check/parts.h"

/* -- what a session gives -- */

/* What it is, how it begins, and a hash of all of it. */
static void keep_fact(struct check_text *facts, const char *what, const void *at, size_t n)
{
	const unsigned char *byte = at;
	char begin[41] = "", line[200];
	for (size_t i = 0; i < n && i < sizeof begin - 1; i++)
		begin[i] = (char)(isprint(byte[i]) ? byte[i] : '.');
	int m = snprintf(line, sizeof line, "%.80s: %zu bytes '%s%s' (hash %016llx)\n", what, n, begin,
		n >= sizeof begin ? " .." : "", (unsigned long long)lt__check_hash(at, n, 0));
	lt__check_text_add(facts, line, (size_t)m);
}

static bool keep_kernel(struct check_work *w, const struct check_trial *t)
{
	const struct lt_backend *b = w->device->backend;
	struct check_text *facts = w->device->facts;
	int32_t nest = lt__check_nest(w);
	size_t need[2] = { 0, 0 };
	char what[80];
	struct check_guarded guarded;
	for (int kind = LT_DUMP_SOURCE; LT_HAS(struct lt_backend, b, dump) && kind <= LT_DUMP_LOCATIONS; kind++) {
		struct check_text text = { NULL, 0 };
		(void)snprintf(what, sizeof what, "kernel %.25s: dump %d", w->p->nests.frozen[nest].tree.name, kind);
		if (!b->dump(w->object[nest], (enum lt_dump)kind, lt__check_text_add, &text) && text.at)
			keep_fact(facts, what, text.at, text.n);
		free(text.at);
	}
	if (LT_HAS(struct lt_backend, b, need))
		b->need(w->object[nest], 1, &need[0], &need[1]);
	(void)snprintf(what, sizeof what, "kernel %.25s: need of %zu bytes, alignment %zu",
		w->p->nests.frozen[nest].tree.name, need[0], need[1]);
	keep_fact(facts, what, NULL, 0);
	lt__check_guarded_new(w, NULL, &guarded);
	bool good = lt__check_guarded_run(&guarded, t, 0x5A, 0x5A, 1) && lt__check_guarded_judge(&guarded, t);
	(void)snprintf(what, sizeof what, "kernel %.25s: values", w->p->nests.frozen[nest].tree.name);
	for (int32_t i = 0; good && i < guarded.n; i++)
		if (w->p->nests.assigned.storage[i].space == LT_STORAGE_RESULT)
			keep_fact(facts, what, guarded.block[i].block + guarded.block[i].at, guarded.block[i].bytes);
	lt__check_guarded_free(&guarded);
	return good;
}

/* The caller's to free. */
static char *facts_of(const struct check_device *d)
{
	const struct lt_backend *b = d->backend;
	struct check_text facts = { NULL, 0 }, text = { NULL, 0 };
	struct check_device mine;
	struct check_outcome out = { 0 };
	struct check_diagnostics diags = lt__check_listen();
	if (lt__check_open_again(d, &mine, &out)) {
		mine.facts = &facts;
		lt__check_samples(&mine, &out, CHECK_S_BASIC, keep_kernel);
		if (LT_HAS(struct lt_backend, b, identity)
			&& !b->identity(mine.session, lt__check_text_add, &text, &diags.diag) && text.at)
			keep_fact(&facts, "identity", text.at, text.n);
		text.n = 0;
		if (LT_HAS(struct lt_backend, b, describe))
			b->describe(mine.session, lt__check_text_add, &text);
		keep_fact(&facts, "describe", text.at, text.n);
		keep_fact(&facts, "the name of caps.target", mine.caps->target->name, strlen(mine.caps->target->name));
		free(text.at);
		lt__check_close(&mine);
	}
	if (out.status == CHECK_FAILED)
		keep_fact(&facts, "what is said", out.text, strlen(out.text));
	return facts.at;
}

/* -- another environment -- */

/* What a process needs to find its files at all stays; the rest is gone, and these are odd; so are those after the
 * backend's name in capitals. */
static const char *const stays[] = { "PATH=", "HOME=", "LD_", "DYLD_", "ASAN_", "LSAN_", "TSAN_", "UBSAN_", "MSAN_",
	"LT_BACKEND_PATH=", NULL };
static const char *const odd[] = { "TMPDIR=/dev/null/folder", "TMP=/dev/null/folder", "XDG_CACHE_HOME=/dev/null/folder",
	"LANG=xx_YY", "USER=nobody", "CC=/dev/null/compiler", "CFLAGS=-O0", "OMP_NUM_THREADS=3", "OMP_DYNAMIC=true",
	"OMP_SCHEDULE=dynamic,1", "LT_CC=/dev/null/compiler", "LT_THREADS=1", "LT_DEBUG=1", "LT_VERBOSE=1",
	"LT_CACHE=/dev/null/folder", "LT_OPT=0" };
static const char *const endings[] = { "=1", "_DEBUG=1", "_THREADS=1", "_NUM_THREADS=1", "_CONFIG=odd", "_OPTIONS=odd",
	"_FLAGS=-odd", "_PATH=/dev/null/folder", "_CACHE=/dev/null/folder", "_DEVICE=7", "_OPT=0" };

static bool stays_there(const char *variable)
{
	for (int i = 0; stays[i]; i++)
		if (!strncmp(variable, stays[i], strlen(stays[i])))
			return true;
	return false;
}

/* It and its words are as long there as the process of the case. */
static char **other_environment(const char *backend)
{
	size_t n = 0, n_max = sizeof odd / sizeof *odd + sizeof endings / sizeof *endings + 1;
	for (char **e = environ; *e; e++)
		n_max++;
	char **all = calloc(n_max, sizeof *all);
	for (char **e = environ; all && *e; e++)
		if (stays_there(*e))
			all[n++] = *e;
	for (size_t i = 0; all && i < sizeof odd / sizeof *odd; i++)
		all[n++] = (char *)(uintptr_t)odd[i];
	for (size_t i = 0; all && i < sizeof endings / sizeof *endings; i++) {
		char *word = NULL;
		if (asprintf(&word, "%s%s", backend, endings[i]) < 0)
			break;
		for (char *c = word; *c && *c != '='; c++)
			*c = (char)toupper((unsigned char)*c);
		all[n++] = word;
	}
	return all;
}

/* -- the case -- */

/* The first line that differs where another environment is; what the same environment gave once more differs by
 * chance. */
static bool are_same(struct check_outcome *out, const char *first, const char *other, const char *again)
{
	while (*first || *other) {
		size_t n = strcspn(first, "\n"), m = strcspn(other, "\n"), k = strcspn(again, "\n");
		if ((n != m || memcmp(first, other, n)) && n == k && !memcmp(first, again, n))
			return lt__check_fail(out, "%.*s, and with another environment %.*s", (int)n, first, (int)m, other);
		first += n + (first[n] == '\n');
		other += m + (other[m] == '\n');
		again += k + (again[k] == '\n');
	}
	return true;
}

bool lt__check_errors_environment(struct check_device *d, struct check_outcome *out)
{
	const struct lt_backend *b = lt_backend_find(d->backend->name);
	if (!lt_backend_origin(b))      /* linked in, it is in one file with this program */
		lt__check_unhear();
	char **mine = environ, **odder = other_environment(b->name), *first = facts_of(d), *other = NULL, *again = NULL;
	if (odder) {
		environ = odder;
		other = facts_of(d);
		environ = mine;
		again = facts_of(d);
	}
	const char *name = lt__check_heard_from(__extension__ (const void *)b->open);
	if (name)
		(void)lt__check_fail(out, "it asks for the environment variable %s; what a backend has to know comes in its config",
			name);
	else if (!first || !other || !again)
		(void)lt__check_fail(out, "out of memory");
	else
		(void)are_same(out, first, other, again);
	free(first);
	free(other);
	free(again);
	free(odder);
	return true;
}
