/* identity.c -- which compiler and processor it is: what compiled code depends on besides its text.
 *
 * For each word of the command that names a program: its path, which file that is, its size and age; then what the
 * command says of its version, which takes as long as all else that is done for a kernel from the cache.  Of a command
 * that is one binary the host keeps it, for as long as that file is the same.
 */
#define _GNU_SOURCE 1
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "backends/cpu/cpu.h"

/* The command's words, asked in a folder of their own if there is one: without it they are asked as well, and compiling
 * will say why. */
struct compiler_asking {
	struct lt_session *s;
	const char *const *word;
	uint32_t n;
	struct lt_folder folder;
	struct lt_diag *diag;
};

/* Runs the shell's script on the words; it is the shell that looks programs up. */
static lt_status compiler_ask(const struct compiler_asking *x, const char *script, struct lt_command *c)
{
	const char **argv = malloc((x->n + 5) * sizeof *argv);
	if (!argv)
		return lt__cpu_no_memory(x->diag);
	memcpy(argv, (const char *[]){ "/bin/sh", "-c", script, "sh" }, 4 * sizeof *argv);
	memcpy(argv + 4, x->word, (x->n + 1) * sizeof *argv);
	*c = (struct lt_command){ .argv = argv, .on = "being asked for its version" };
	lt_status status = lt__cpu_run(x->s, c, 1, &x->folder, NULL, NULL, x->diag);
	c->argv = NULL;
	free(argv);
	return status;
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

/* The files that the shell named, one a line, with what changes when one is replaced: whoever keeps size and time of
 * modification has another inode, or the time at which that file's content or name changed.  Returns whether all there
 * is to the command is one binary. */
static bool write_files(FILE *out, char *paths, uint32_t n_word)
{
	char *remainder = NULL;
	uint32_t n_binary = 0;
	for (char *line = strtok_r(paths, "\n", &remainder); line; line = strtok_r(NULL, "\n", &remainder)) {
		struct stat st;
		if (stat(line, &st) != 0)
			continue;
		(void)fprintf(out, "%s\n%lld bytes %lld.%09ld, inode %llu changed %lld.%09ld\n", line, (long long)st.st_size,
			(long long)st.st_mtim.tv_sec, st.st_mtim.tv_nsec, (unsigned long long)st.st_ino,
			(long long)st.st_ctim.tv_sec, st.st_ctim.tv_nsec);
		n_binary += is_binary(line);
	}
	return n_word == 1 && n_binary == 1;
}

struct identity_text { char *at; size_t n; bool failed; };

static void append(void *user, const char *text, size_t bytes)
{
	struct identity_text *t = user;
	char *at = t->failed ? NULL : realloc(t->at, t->n + bytes + 1);
	t->failed = !at;
	if (!at)
		return;
	memcpy(at + t->n, text, bytes);
	t->at = at;
	t->n += bytes;
	at[t->n] = '\0';
}

lt_status lt__cpu_recall(const struct lt_session *s, const char *key, char **text, struct lt_diag *diag)
{
	struct identity_text t = { 0 };
	lt_status status = LT_HAS(struct lt_host, s->host, recall)
		? s->host->recall(s->host, key, strlen(key), append, &t)
		: LT_EMISSING;
	*text = NULL;
	if (!status && !t.failed) {
		*text = t.at;
		return LT_OK;
	}
	free(t.at);
	return t.failed || status == LT_ENOMEM ? lt__cpu_no_memory(diag) : LT_OK;
}

void lt__cpu_keep(const struct lt_session *s, const char *key, const char *text)
{
	if (LT_HAS(struct lt_host, s->host, keep))
		s->host->keep(s->host, key, strlen(key), text, strlen(text));
}

/* What the command says of its version, its first line. */
static lt_status find_version(const struct compiler_asking *x, const char *key, bool cacheable, char **version)
{
	struct lt_command c;
	*version = NULL;
	lt_status status = cacheable ? lt__cpu_recall(x->s, key, version, x->diag) : LT_OK;
	if (!status && !*version)
		status = compiler_ask(x, "exec \"$@\" --version", &c);
	if (status || *version)
		return status;
	c.output[strcspn(c.output, "\n")] = '\0';
	if (cacheable && c.status == 0)
		lt__cpu_keep(x->s, key, c.output);
	*version = strdup(c.output);
	return *version ? LT_OK : lt__cpu_no_memory(x->diag);
}

/* What is found out of the words and the processor becomes the session's identity. */
static lt_status identify(const struct compiler_asking *x, const char *processor)
{
	char *key = NULL, *version = NULL;
	size_t bytes;
	struct lt_command c;
	lt_status status = compiler_ask(x, "for w; do command -v \"$w\"; done", &c);
	FILE *out = status ? NULL : open_memstream(&key, &bytes);
	if (out) {
		(void)fprintf(out, "cpu: compiler %s\n", x->s->cc);
		bool cacheable = write_files(out, c.output, x->n);
		status = fclose(out) == 0 ? find_version(x, key, cacheable, &version) : lt__cpu_no_memory(x->diag);
	} else if (!status) {
		status = lt__cpu_no_memory(x->diag);
	}
	if (!status && asprintf(&x->s->identity, "%s%s\nprocessor\n%s", key, version, processor) < 0) {
		x->s->identity = NULL;
		status = lt__cpu_no_memory(x->diag);
	}
	free(version);
	free(key);
	return status;
}

lt_status lt__cpu_identity(struct lt_session *s, struct lt_diag *diag)
{
	struct compiler_asking x = { .s = s, .diag = diag };
	const char **word = lt__command_words(s->cc, 0, &x.n);
	char *processor = lt__cpu_processor();
	lt_status status = word && processor ? LT_OK : lt__cpu_no_memory(diag);
	if (!status) {
		x.word = word;
		(void)lt__cpu_folder(s, &x.folder, NULL);
		status = identify(&x, processor);
		lt__folder_remove(&x.folder);
	}
	free(processor);
	free(word);
	return status;
}
