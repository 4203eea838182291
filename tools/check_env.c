/* tools/check_env.c -- a backend reads no environment: two processes of this program, whose environments differ, get the same from it.
 *
 * Each runs a few kernels and writes a line for all that it is given: values, dumps, what describe and identity say.  What differs between
 * two processes of one environment, such as measured times, is left out.  Variables that the backend's own file asks getenv for are lines,
 * too, and fail whatever they are good for.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "tools/check_parts.h"

extern char **environ;

/* -- in such a process -- */

/* What it is, how it begins, and a hash of all of it. */
static void env_print(FILE *f, const char *kernel, const char *what, const void *at, size_t n)
{
	const unsigned char *byte = at;
	uint64_t h = UINT64_C(0xcbf29ce484222325);
	for (size_t i = 0; i < n; i++)
		h = (h ^ byte[i]) * UINT64_C(0x100000001b3);
	(void)fprintf(f, "%s%s%s\t%zu bytes '", kernel ? kernel : "", kernel ? ": " : "", what, n);
	for (size_t i = 0; i < n && i < 40; i++)
		(void)fputc(isprint(byte[i]) ? byte[i] : '.', f);
	(void)fprintf(f, "%s' (hash %016llx)\n", n > 40 ? " .." : "", (unsigned long long)h);
}

static bool probe(struct check_work *w, const struct check_trial *t)
{
	static const char *const dumps[] = { "dump of the source", "dump of the assembly", "dump of statistics" };
	const struct lt_backend *b = w->device->backend;
	FILE *f = w->device->probe;
	int32_t nest = lt__check_nest(w);
	char kernel[40];
	struct check_guarded room;
	size_t bytes = 0, align = 0;
	(void)snprintf(kernel, sizeof kernel, "kernel %.25s", w->p->nests.frozen[nest].tree.name);
	for (int kind = LT_DUMP_SOURCE; LT_HAS(struct lt_backend, b, dump) && kind <= LT_DUMP_STATS; kind++) {
		struct check_text text = { NULL, 0 };
		if (!b->dump(w->object[nest], (enum lt_dump)kind, lt__check_text_add, &text) && text.at)
			env_print(f, kernel, dumps[kind], text.at, text.n);
		free(text.at);
	}
	if (LT_HAS(struct lt_backend, b, need))
		b->need(w->object[nest], 1, &bytes, &align);
	(void)fprintf(f, "%s: need\t%zu bytes, alignment %zu\n", kernel, bytes, align);
	lt__check_guarded_new(w, 0, &room);
	bool good = lt__check_guarded_run(&room, t, 0x5A, 0x5A, 1) && lt__check_guarded_judge(&room, t);
	for (int32_t i = 0; good && i < room.n; i++)
		if (w->p->nests.assigned.storage[i].space == LT_SPACE_RESULT)
			env_print(f, kernel, "values", room.block[i].block + room.block[i].at, room.block[i].bytes);
	lt__check_guarded_free(&room);
	return good;
}

static void say_session(const struct check_device *d, FILE *f)
{
	const struct lt_backend *b = d->backend;
	struct check_text text = { NULL, 0 };
	struct check_diagnostics told;
	lt__check_diagnostics_init(&told);
	if (LT_HAS(struct lt_backend, b, identity) && !b->identity(d->session, lt__check_text_add, &text, &told.diag) && text.at)
		env_print(f, NULL, "identity", text.at, text.n);
	text.n = 0;
	if (LT_HAS(struct lt_backend, b, describe))
		b->describe(d->session, lt__check_text_add, &text);
	if (text.n > 0)
		env_print(f, NULL, "describe", text.at, text.n);
	env_print(f, NULL, "the name of caps.target", d->caps->target->name, strlen(d->caps->target->name));
	free(text.at);
}

int lt__check_probe(const struct check_options *o)
{
	struct check_device d;
	struct check_outcome out = { 0 };
	const struct check_case c = { .name = "errors/environment", .group = CHECK_errors, .seed = 1 };
	FILE *f = fdopen(dup(STDOUT_FILENO), "w");
	const struct lt_backend *b = lt_backend_find(o->backend);
	if (!lt_backend_origin(b))      /* linked in, it is in one file with this program */
		lt__check_unhear();
	lt__check_print_catch(-1, false);
	if (!f || !lt__check_open(&d, o, &out)) {
		(void)(f && fprintf(f, "open\t%s\n", out.text));
		return f && !fclose(f) ? 0 : 2;
	}
	d.probe = f;
	lt__check_samples(&d, &c, &out, CHECK_S_BASIC, probe);
	say_session(&d, f);
	if (out.status == CHECK_FAILED)
		(void)fprintf(f, "what is said\t%s\n", out.text);
	lt__check_close(&d);
	const char *name = lt__check_heard_from(__extension__ (const void *)b->open);
	if (name)
		(void)fprintf(f, "getenv\t%s\n", name);
	return fclose(f) ? 2 : 0;
}

/* -- in the case -- */

/* What a process of this kind needs to find its files at all stays; the rest is gone, and these are odd. */
static const char *const stays[] = { "PATH=", "HOME=", "LD_", "DYLD_", "ASAN_", "LSAN_", "TSAN_", "UBSAN_", "MSAN_", "LT_BACKEND_PATH=" };
static const char *const odd[] = { "TMPDIR=/no/such/folder", "TMP=/no/such/folder", "XDG_CACHE_HOME=/no/such/folder", "LANG=xx_YY", "USER=nobody",
	"CC=/no/such/compiler", "CFLAGS=-O0", "OMP_NUM_THREADS=3", "OMP_DYNAMIC=true", "OMP_SCHEDULE=dynamic,1", "LT_CC=/no/such/compiler",
	"LT_THREADS=1", "LT_DEBUG=1", "LT_VERBOSE=1", "LT_CACHE=/no/such/folder", "LT_OPT=0" };
/* Behind the backend's name in capitals. */
static const char *const endings[] = { "=1", "_DEBUG=1", "_THREADS=1", "_NUM_THREADS=1", "_CONFIG=odd", "_OPTIONS=odd", "_FLAGS=-odd",
	"_PATH=/no/such/folder", "_CACHE=/no/such/folder", "_DEVICE=7", "_OPT=0" };
enum { N_ODD = sizeof odd / sizeof *odd, N_ENDING = sizeof endings / sizeof *endings };

static bool is_kept(const char *variable)
{
	for (size_t i = 0; i < sizeof stays / sizeof *stays; i++)
		if (!strncmp(variable, stays[i], strlen(stays[i])))
			return true;
	return false;
}

static char **other_environment(const char *backend)
{
	size_t n = 0, most = 0;
	while (environ[most])
		most++;
	char **all = calloc(most + N_ODD + N_ENDING + 1, sizeof *all);
	for (size_t i = 0; all && i < most; i++)
		if (is_kept(environ[i]))
			all[n++] = strdup(environ[i]);
	for (size_t i = 0; all && i < N_ODD; i++)
		all[n++] = strdup(odd[i]);
	for (size_t i = 0; all && i < N_ENDING; i++) {
		char word[200];
		(void)snprintf(word, sizeof word, "%.100s%s", backend, endings[i]);
		for (char *c = word; *c && *c != '='; c++)
			*c = (char)toupper((unsigned char)*c);
		all[n++] = strdup(word);
	}
	return all;
}

static void free_environment(char **all)
{
	for (char **e = all; e && *e; e++)
		free(*e);
	free(all);
}

/* What such a process writes, with this environment; NULL, with its sentence: there is none.  which: words for it.  The caller's to free. */
static char *env_ask(const struct check_options *o, char **environment, const char *which, struct check_outcome *out)
{
	struct check_text text = { NULL, 0 };
	char words[CHECK_COMMAND], command[2 * CHECK_COMMAND], part[4096], **mine = environ;
	lt__check_backend_words(o, words, sizeof words);
	(void)snprintf(command, sizeof command, "exec /proc/%ld/exe %s --threads %u --probe", (long)getpid(), words, (unsigned)o->n_thread);
	lt__check_word(o->temp_dir ? o->temp_dir : "/tmp", command, sizeof command);
	environ = environment;
	FILE *f = popen(command, "r");
	environ = mine;
	for (size_t n; f && (n = fread(part, 1, sizeof part, f)) > 0; )
		lt__check_text_add(&text, part, n);
	int error = errno, status = f ? pclose(f) : -1;
	if (status == 0 && text.at)
		return text.at;
	free(text.at);
	if (status == -1)
		(void)lt__check_end(out, CHECK_FAILED, "no other process can be asked: %s", strerror(error));
	else if (WIFSIGNALED(status))
		(void)lt__check_end(out, CHECK_FAILED, "in a process with %s it ended by a signal: %s", which, strsignal(WTERMSIG(status)));
	else
		(void)lt__check_end(out, CHECK_FAILED, "a process with %s cannot use it", which);
	return NULL;
}

/* The i-th line; its length. */
static int line_of(const char *text, int i, const char **line)
{
	for (; i > 0 && *text; i--) {
		text += strcspn(text, "\n");
		text += *text == '\n';
	}
	*line = text;
	return (int)strcspn(text, "\n");
}

/* again: what the same environment gave once more. */
static bool are_same(struct check_outcome *out, const char *first, const char *other, const char *again)
{
	for (int i = 0;; i++) {
		const char *a, *b, *c;
		int n = line_of(first, i, &a), m = line_of(other, i, &b), k = line_of(again, i, &c);
		if (n == 0 && m == 0)
			return true;
		if ((n == m && !memcmp(a, b, (size_t)n)) || n != k || memcmp(a, c, (size_t)n))
			continue;
		int name = (int)strcspn(a, "\t\n"), value = name < n ? name + 1 : n, name2 = (int)strcspn(b, "\t\n"), value2 = name2 < m ? name2 + 1 : m;
		return lt__check_end(out, CHECK_FAILED, "%.*s: %.*s, and in a process with another environment %.*s%s%.*s", name, a, n - value, a + value,
			name == name2 && !memcmp(a, b, (size_t)name) ? 0 : name2, b, name == name2 && !memcmp(a, b, (size_t)name) ? "" : ": ", m - value2,
			b + value2);
	}
}

static bool asks_for_none(struct check_outcome *out, const char *text)
{
	const char *at = strstr(text, "getenv\t");
	return !at || lt__check_end(out, CHECK_FAILED, "it asks for the environment variable %.*s; what a backend is to know stands in its config",
		(int)strcspn(at + 7, "\n"), at + 7);
}

void lt__check_errors_environment(struct check_device *d, const struct check_case *c, struct check_outcome *out)
{
	char **environment = other_environment(d->backend->name);
	static const char same[] = "this environment", odder[] = "another environment";
	char *first = env_ask(d->options, environ, same, out), *other = first ? env_ask(d->options, environment, odder, out) : NULL;
	char *again = other && strcmp(first, other) != 0 ? env_ask(d->options, environ, same, out) : NULL;
	(void)c;
	if (other && asks_for_none(out, first) && asks_for_none(out, other) && again)
		(void)are_same(out, first, other, again);
	free(first);
	free(other);
	free(again);
	free_environment(environment);
}
