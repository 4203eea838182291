/* source.c -- C that people edit: kernels written with names, and such a file compiled in place of what
 * would be printed.
 *
 * A line above each kernel says which loop tree it is from and for what workspace it was printed.  A kernel is taken by
 * its name, and only for that tree: its text is the user's, but its parameters are not.
 */
#define _GNU_SOURCE 1
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#define XXH_INLINE_ALL
#include <xxhash.h>
#include "backends/cpu/cpu.h"
#include "backends/text/text.h"

struct lt_cpu_source {
	char *path, *text;              /* text: of the file after a line that names it to the compiler */
	void *handle;                   /* NULL: not compiled yet */
	bool threads;                   /* it calls its team */
};

#define MARK "/* kernel "
#define AGAIN "write the file again, with -b cpu --dump=source, and repeat the edits"

static void print_hash(const struct lt_tree *t, char out[33])
{
	const char *text = t->text ? t->text : "";
	XXH128_hash_t h = XXH3_128bits(text, strlen(text));
	(void)snprintf(out, 33, "%016llx%016llx", (unsigned long long)h.high64, (unsigned long long)h.low64);
}

lt_status lt__cpu_source_write(
	const struct lt_session *s, const struct lt_tree *t, lt_write *write, void *user, struct lt_diag *diag)
{
	struct lt_cpu_need need;
	char *text, mark[512], hash[33];
	lt_status status = lt__cpu_print(s, t, LT_CPU_TEXT_PEOPLE, &text, &need, diag);
	if (status)
		return status;
	print_hash(t, hash);
	int n = snprintf(mark, sizeof mark,
		MARK
		"%s: loop tree %s, workspace %lld + %lld bytes a thread (lt-run --use-source reads this line) */\n",
		t->name, hash, (long long)need.shared, (long long)need.private_);
	const size_t definitions = need.own ? need.own : need.definitions;
	lt__text_definitions(text, need.definitions, write, user);
	write(user, text + need.definitions, definitions - need.definitions);
	write(user, mark, (size_t)n);
	const char *kernel = text + definitions;
	kernel += strspn(kernel, "\n");
	write(user, kernel, strlen(kernel));
	free(text);
	return LT_OK;
}

/* What --dump=source writes for the backend llvm: a ';' begins its comments, and nothing in C begins so. */
static bool source_is_ir(const char *text)
{
	text += strspn(text, " \t\r\n");
	return *text == ';' || strncmp(text, "source_filename = ", 18) == 0;
}

lt_status lt__cpu_source_open(struct lt_session *s, const char *path, size_t bytes, struct lt_diag *diag)
{
	struct lt_cpu_source *source = s->source = calloc(1, sizeof *source);
	size_t n = 0, cap = 0;
	if (!source || !(source->path = strndup(path, bytes)))
		return lt__cpu_no_memory(diag);
	errno = 0;
	char *file = lt__cpu_read_file(source->path, &n);
	if (!file)
		return errno == ENOMEM
			? lt__cpu_no_memory(diag)
			: lt__report(diag, LT_EINVAL, -1, -1, NULL, "cpu: the C file '%.*s' cannot be read: %s",
				(int)bytes, path, strerror(errno ? errno : EINVAL));
	if (source_is_ir(file)) {
		free(file);
		return lt__report(diag, LT_EINVAL, -1, -1, AGAIN, "cpu: %s is LLVM IR, which the backend llvm prints, not C",
			source->path);
	}
	/* The compiler's messages name the user's file and its lines. */
	FILE *out = open_memstream(&source->text, &cap);
	if (out) {
		(void)fputs("#line 1 \"", out);
		for (const char *p = source->path; *p; p++)
			(void)fprintf(out, *p == '"' || *p == '\\' ? "\\%c" : "%c", *p);
		(void)fprintf(out, "\"\n%s", file);
	}
	free(file);
	if (!out || fclose(out) != 0)
		return lt__cpu_no_memory(diag);
	source->threads = strstr(source->text, "team->parallel_for") != NULL;
	return LT_OK;
}

void lt__cpu_source_close(struct lt_session *s)
{
	struct lt_cpu_source *source = s->source;
	if (!source)
		return;
	if (source->handle)
		(void)dlclose(source->handle);
	free(source->path);
	free(source->text);
	free(source);
	s->source = NULL;
}

/* The line above kernel `name` (or, without a name, the next kernel's), from `at` on; its name in word. */
static const char *next_mark(const char *at, const char *name, char word[128])
{
	while ((at = strstr(at, MARK))) {
		at += strlen(MARK);
		size_t n = strcspn(at, ": \n");
		if (at[n] != ':' || n >= 128)
			continue;
		memcpy(word, at, n);
		word[n] = '\0';
		if (!name || strcmp(word, name) == 0)
			return at + n;
	}
	return NULL;
}

static lt_status not_there(const struct lt_cpu_source *source, const char *name, struct lt_diag *diag)
{
	char names[512] = "", word[128];
	for (const char *at = source->text; (at = next_mark(at, NULL, word)) && strlen(names) < 300; ) {
		size_t n = strlen(names);
		(void)snprintf(names + n, sizeof names - n, "%s%s", n ? ", " : "", word);
	}
	return lt__report(diag, LT_EINVAL, -1, -1, AGAIN,
		"cpu: %s has no kernel %s; it has %s", source->path, name, names[0] ? names : "none");
}

static lt_status compile_file(struct lt_session *s, struct lt_diag *diag)
{
	struct lt_cpu_source *source = s->source;
	struct lt_cpu_job job = { .name = source->path, .no_kernel = true, .source = source->text };
	lt_status status = lt__cpu_compile(s, &job, 1, diag);
	source->handle = job.handle;
	return status;
}

lt_status lt__cpu_source_find(struct lt_session *s, const struct lt_tree *t, lt_cpu_entry **kernel,
	struct lt_cpu_need *need, struct lt_diag *diag)
{
	struct lt_cpu_source *source = s->source;
	char word[128], hash[33], entry[160];
	long long shared, private_;
	const char *mark = next_mark(source->text, t->name, word);
	if (!mark)
		return not_there(source, t->name, diag);
	print_hash(t, hash);
	if (strncmp(mark, ": loop tree ", 12) != 0 || strncmp(mark + 12, hash, 32) != 0)
		return lt__report(diag, LT_EINVAL, -1, -1, AGAIN,
			"cpu: %s: its kernel %s is from another loop tree: the script, the schedule, the target or the number of threads "
			"has changed", source->path, word);
	if (sscanf(mark + 44, ", workspace %lld + %lld bytes", &shared, &private_) != 2 || shared < 0 || private_ < 0
	    || shared > INT64_MAX / 4 || private_ > INT64_MAX >> 24)
		return lt__report(diag, LT_EINVAL, -1, -1, AGAIN,
			"cpu: %s: the line above kernel %s was changed: it no longer says which workspace the kernel has", source->path,
			word);
	lt_status status = source->handle ? LT_OK : compile_file(s, diag);
	if (status)
		return status;
	(void)snprintf(entry, sizeof entry, "%s_entry", word);
	*(void **)kernel = dlsym(source->handle, entry);
	*need = (struct lt_cpu_need){
		.shared = (shared + 63) & ~63ll, .private_ = (private_ + 63) & ~63ll, .threads = source->threads
	};
	return *kernel ? LT_OK
		       : lt__report(diag, LT_ECOMPILE, -1, -1, NULL, "cpu: %s has no function %s, which runs kernel %s",
			       source->path, entry, word);
}
