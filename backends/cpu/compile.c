/* backends/cpu/compile.c -- C texts to loaded code: from the cache, else by the system's compiler, side by side. */
#define _GNU_SOURCE 1
#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "backends/cpu/cpu.h"

#ifndef LT_VERSION                      /* of the library: the Makefile's */
#define LT_VERSION "0"
#endif

/* No -ffast-math: NaN and infinity are data, and sums are re-associated by the tree. */
static const char *const flags[] = {
	"-march=native", "-fwrapv", "-fno-math-errno", "-fno-trapping-math", "-ffp-contract=fast", "-fno-strict-aliasing",
	"-shared", "-fPIC", "-nostartfiles", "-std=gnu11", "-w"
};
enum { N_FLAG = sizeof flags / sizeof *flags, PATH_BYTES = 4096 };

struct work { struct lt_session *s; struct lt_job *job; uint32_t n, n_done; struct lt_diag *diag; char dir[PATH_BYTES - 64]; };

static void one_done(void *work)
{
	struct work *w = work;
	w->n_done++;
	if (w->s->progress)
		w->s->progress(w->s->user, (int32_t)w->n_done, (int32_t)w->n);
}

static lt_status no_memory(struct lt_diag *diag)
{
	return lt__note(diag, LT_ENOMEM, -1, -1, NULL, "cpu: no memory to compile");
}

/* Which compiler it is: for each word of the command that names a program its path, size and age, then what it says
 * of its version.  The shell looks the words up. */
static lt_status ask_identity(struct lt_session *s, struct lt_diag *diag)
{
	static const char script[] = "for w; do command -v \"$w\"; done; \"$@\" --version | head -n 1";
	uint32_t n;
	const char **word = lt__cpu_words(s->cc, 0, &n), **argv = word ? malloc((n + 5) * sizeof *argv) : NULL;
	char *text = NULL, *processor = lt__cpu_processor();
	size_t bytes;
	FILE *out = argv && processor ? open_memstream(&text, &bytes) : NULL;
	if (out) {
		memcpy(argv, (const char *[]){ "/bin/sh", "-c", script, "sh" }, 4 * sizeof *argv);
		memcpy(argv + 4, word, (n + 1) * sizeof *argv);
		struct lt_command c = { .argv = argv };
		lt__cpu_run(&c, 1, 1, NULL, NULL);
		(void)fprintf(out, "compiler %s\n%s", s->cc, c.output);
		char *rest = NULL;
		for (char *line = strtok_r(c.output, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
			struct stat st;
			if (stat(line, &st) == 0)
				(void)fprintf(out, "%lld bytes %lld.%09ld\n", (long long)st.st_size, (long long)st.st_mtim.tv_sec, st.st_mtim.tv_nsec);
		}
		(void)fprintf(out, "processor\n%s", processor);
		if (fclose(out) == 0)
			s->identity = text;
		else
			free(text);
	}
	free(processor);
	free(argv);
	free(word);
	return s->identity ? LT_OK : no_memory(diag);
}

static lt_status make_key(struct work *w, struct lt_job *job)
{
	FILE *out = open_memstream(&job->key, &job->key_bytes);
	if (!out)
		return no_memory(w->diag);
	(void)fprintf(out, "looptree %s build %u\nbackend cpu %s\nflags -O%c", LT_VERSION, (unsigned)LT_BUILD,
		LT_CPU_VERSION, w->s->level);
	for (int i = 0; i < N_FLAG; i++)
		(void)fprintf(out, " %s", flags[i]);
	(void)fprintf(out, "\n%stree\n%s\nsource\n%s", w->s->identity, job->text ? job->text : "", job->source);
	return fclose(out) == 0 ? LT_OK : no_memory(w->diag);
}

static void job_path(const struct work *w, uint32_t i, const char *suffix, char *path)
{
	(void)snprintf(path, PATH_BYTES, "%s/k%u%s", w->dir, (unsigned)i, suffix);
}

/* A folder that only we know the name of. */
static lt_status make_folder(struct work *w)
{
	const char *dir = w->s->cache_dir;
	int n = snprintf(w->dir, sizeof w->dir, dir ? "%s/tmp-XXXXXX" : "%s/looptree-XXXXXX", dir ? dir : P_tmpdir);
	if (n < 0 || (size_t)n >= sizeof w->dir || !mkdtemp(w->dir)) {
		int error = n < 0 || (size_t)n >= sizeof w->dir ? ENAMETOOLONG : errno;
		w->dir[0] = '\0';
		return lt__note(w->diag, LT_EIO, -1, -1, "free some space there, or give another cache folder",
			"cpu: no temporary folder can be made in '%s': %s", dir ? dir : P_tmpdir, strerror(error));
	}
	return LT_OK;
}

static void remove_folder(const struct work *w)
{
	char path[PATH_BYTES];
	if (!w->dir[0])
		return;
	for (uint32_t i = 0; i < w->n; i++) {
		job_path(w, i, ".c", path);
		(void)unlink(path);
		job_path(w, i, ".so", path);
		(void)unlink(path);
	}
	(void)rmdir(w->dir);
}

static bool from_cache(struct work *w, uint32_t i)
{
	char path[PATH_BYTES];
	struct lt_job *job = &w->job[i];
	job_path(w, i, ".so", path);
	if (!job->key || !lt__cpu_cache_get(w->s->cache_dir, job->key, job->key_bytes, path))
		return false;
	job->handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	job->cached = job->handle != NULL;
	if (!job->cached)
		(void)unlink(path);
	return job->cached;
}

static lt_status write_source(const struct work *w, uint32_t i)
{
	char path[PATH_BYTES];
	job_path(w, i, ".c", path);
	FILE *f = fopen(path, "we");
	bool ok = f && fputs(w->job[i].source, f) >= 0;
	if (f && fclose(f) != 0)
		ok = false;
	return ok ? LT_OK : lt__note(w->diag, LT_EIO, -1, -1, "free some space there, or give another cache folder",
		"cpu: '%s' cannot be written: %s", path, strerror(errno));
}

static lt_status explain(const struct work *w, const char *program, const struct lt_command *c, const char *kernel)
{
	if (c->status == -1 && c->error == ENOENT)
		return lt__note(w->diag, LT_ECOMPILE, -1, -1, "install gcc or give --cc", "%s: not found", program);
	if (c->status == -1)
		return lt__note(w->diag, LT_ECOMPILE, -1, -1, NULL, "%s cannot be started: %s", program, strerror(c->error));
	size_t bytes = 0;
	for (int lines = 0; c->output[bytes] && lines < 8 && bytes < 1500; bytes++)
		lines += c->output[bytes] == '\n';
	while (bytes && c->output[bytes - 1] == '\n')
		bytes--;
	const char *said = bytes ? c->output : "it said nothing";
	bytes = bytes ? bytes : strlen(said);
	if (c->status > 128)
		return lt__note(w->diag, LT_ECOMPILE, -1, -1, NULL, "%s was ended by signal %d on kernel %s: %.*s", w->s->cc,
			c->status - 128, kernel, (int)bytes, said);
	return lt__note(w->diag, LT_ECOMPILE, -1, -1, NULL, "%s failed on kernel %s (exit status %d): %.*s", w->s->cc, kernel, c->status,
		(int)bytes, said);
}

/* One compiler for each kernel that is still missing.  missing: their numbers. */
static lt_status compile_missing(struct work *w, const uint32_t *missing, uint32_t n)
{
	enum { MORE = N_FLAG + 6 };
	uint32_t n_word;
	struct lt_command *c = calloc(n, sizeof *c);
	const char **word = lt__cpu_words(w->s->cc, 0, &n_word);
	char level[] = { '-', 'O', w->s->level, '\0' };
	size_t width = (word ? n_word : 0) + MORE;
	const char **argv = calloc(n * width, sizeof *argv);
	char (*path)[2][PATH_BYTES] = malloc(n * sizeof *path);
	lt_status status = c && word && argv && path ? LT_OK : no_memory(w->diag);
	if (!status && n_word == 0)
		status = lt__note(w->diag, LT_EINVAL, -1, -1, "give --cc a command", "cpu: the name of the C compiler is empty");
	for (uint32_t i = 0; !status && i < n; i++) {
		const char **a = argv + i * width;
		job_path(w, missing[i], ".c", path[i][0]);
		job_path(w, missing[i], ".so", path[i][1]);
		memcpy(a, word, n_word * sizeof *a);
		a += n_word;
		*a++ = level;
		memcpy(a, flags, sizeof flags);
		a += N_FLAG;
		memcpy(a, (const char *[]){ "-o", path[i][1], path[i][0], "-lm" }, 4 * sizeof *a);
		c[i].argv = argv + i * width;
		status = write_source(w, missing[i]);
	}
	if (!status)
		lt__cpu_run(c, n, w->s->n_thread, one_done, w);
	for (uint32_t i = 0; !status && i < n; i++) {
		struct lt_job *job = &w->job[missing[i]];
		if (c[i].status != 0) {
			status = explain(w, word[0], &c[i], job->name);
			break;
		}
		job->handle = dlopen(path[i][1], RTLD_NOW | RTLD_LOCAL);
		if (job->handle && job->key)
			lt__cpu_cache_put(w->s->cache_dir, job->key, job->key_bytes, path[i][1]);
		if (!job->handle)
			status = lt__note(w->diag, LT_ECOMPILE, -1, -1, NULL, "cpu: kernel %s was compiled but cannot be loaded: %s", job->name,
				dlerror());
	}
	free(path);
	free(argv);
	free(word);
	free(c);
	return status;
}

static lt_status load_all(struct work *w)
{
	lt_status status = LT_OK;
	uint32_t n_missing = 0, *missing = malloc(w->n * sizeof *missing);
	if (!missing)
		return no_memory(w->diag);
	if (w->s->cache_dir)
		status = lt__cpu_cache_make(w->s->cache_dir, w->diag);
	if (!status && w->s->cache_dir && !w->s->identity)
		status = ask_identity(w->s, w->diag);
	for (uint32_t i = 0; !status && w->s->cache_dir && i < w->n; i++)
		status = make_key(w, &w->job[i]);
	if (!status)
		status = make_folder(w);
	for (uint32_t i = 0; !status && i < w->n; i++)
		if (from_cache(w, i))
			one_done(w);
		else
			missing[n_missing++] = i;
	if (!status && n_missing)
		status = compile_missing(w, missing, n_missing);
	free(missing);
	return status;
}

lt_status lt__cpu_compile(struct lt_session *s, struct lt_job *job, uint32_t n, struct lt_diag *diag)
{
	struct work *w = n ? calloc(1, sizeof *w) : NULL;
	if (!w)
		return n ? no_memory(diag) : LT_OK;
	*w = (struct work){ .s = s, .job = job, .n = n, .diag = diag };
	lt_status status = load_all(w);
	remove_folder(w);
	for (uint32_t i = 0; i < n; i++) {
		free(job[i].key);
		job[i].key = NULL;
		if (status && job[i].handle) {
			(void)dlclose(job[i].handle);
			job[i].handle = NULL;
		}
	}
	free(w);
	return status;
}
