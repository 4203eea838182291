/* backends/cpu/identity.c -- which compiler and processor it is: what compiled code depends on beside its text.
 *
 * For each word of the command that names a program: its path, size and age; then what the command says of its version, which takes as
 * long as all else that is done for a kernel from the cache.  Of a command that is one binary the host keeps it, for as long as
 * that file is the same.
 */
#define _GNU_SOURCE 1
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "backends/cpu/cpu.h"

/* Runs the shell's script on the words; it is the shell that looks programs up. */
static bool ask(const char *script, const char *const *word, uint32_t n, struct lt_command *c)
{
	const char **argv = malloc((n + 5) * sizeof *argv);
	if (!argv)
		return false;
	memcpy(argv, (const char *[]){ "/bin/sh", "-c", script, "sh" }, 4 * sizeof *argv);
	memcpy(argv + 4, word, (n + 1) * sizeof *argv);
	c->argv = argv;
	lt__cpu_run(c, 1, 1, NULL, NULL);
	free(argv);
	return true;
}

/* A script may hand over to another compiler, which it names or not. */
static bool is_binary(const char *path)
{
	char start[4] = "";
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	bool ok = fd >= 0 && read(fd, start, sizeof start) == (ssize_t)sizeof start && memcmp(start, "\177ELF", 4) == 0;
	if (fd >= 0)
		close(fd);
	return ok;
}

/* The files that the shell named, one a line, with their sizes and ages; returns whether all there is to the command is one binary. */
static bool put_files(FILE *out, char *paths, uint32_t n_word)
{
	char *rest = NULL;
	uint32_t n_binary = 0;
	for (char *line = strtok_r(paths, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
		struct stat st;
		if (stat(line, &st) != 0)
			continue;
		(void)fprintf(out, "%s\n%lld bytes %lld.%09ld\n", line, (long long)st.st_size, (long long)st.st_mtim.tv_sec, st.st_mtim.tv_nsec);
		n_binary += is_binary(line);
	}
	return n_word == 1 && n_binary == 1;
}

struct text { char *at; size_t n; bool failed; };

static void append(void *user, const char *text, size_t bytes)
{
	struct text *t = user;
	char *at = t->failed ? NULL : realloc(t->at, t->n + bytes + 1);
	t->failed = !at;
	if (!at)
		return;
	memcpy(at + t->n, text, bytes);
	t->at = at;
	t->n += bytes;
	at[t->n] = '\0';
}

char *lt__cpu_recall(const struct lt_session *s, const char *key)
{
	struct text t = { 0 };
	if (LT_HAS(struct lt_host, s->host, recall) && !s->host->recall(s->host, key, strlen(key), append, &t) && !t.failed && t.at)
		return t.at;
	free(t.at);
	return NULL;
}

void lt__cpu_keep(const struct lt_session *s, const char *key, const char *text)
{
	if (LT_HAS(struct lt_host, s->host, keep))
		s->host->keep(s->host, key, strlen(key), text, strlen(text));
}

/* What the command says of its version, its first line; NULL: no memory. */
static char *find_version(const struct lt_session *s, const char *const *word, uint32_t n, const char *key, bool kept)
{
	char *version = kept ? lt__cpu_recall(s, key) : NULL;
	if (version)
		return version;
	struct lt_command c = { .status = -1 };
	if (!ask("exec \"$@\" --version", word, n, &c))
		return NULL;
	c.output[strcspn(c.output, "\n")] = '\0';
	if (kept && c.status == 0)
		lt__cpu_keep(s, key, c.output);
	return strdup(c.output);
}

lt_status lt__cpu_identity(struct lt_session *s, struct lt_diag *diag)
{
	uint32_t n = 0;
	const char **word = lt__cpu_words(s->cc, 0, &n);
	char *processor = lt__cpu_processor(), *key = NULL, *version = NULL;
	size_t bytes;
	struct lt_command c = { .status = -1 };
	FILE *out = word && processor && ask("for w; do command -v \"$w\"; done", word, n, &c) ? open_memstream(&key, &bytes) : NULL;
	if (out) {
		(void)fprintf(out, "cpu: compiler %s\n", s->cc);
		bool kept = put_files(out, c.output, n);
		if (fclose(out) == 0)
			version = find_version(s, word, n, key, kept);
	}
	if (version && asprintf(&s->identity, "%s%s\nprocessor\n%s", key, version, processor) < 0)
		s->identity = NULL;
	free(version);
	free(key);
	free(processor);
	free(word);
	return s->identity ? LT_OK : lt__note(diag, LT_ENOMEM, -1, -1, NULL, "cpu: no memory to compile");
}
