/* own.c -- kernels of one's own: C, which the host's C compiler makes a shared object of. */
#define _GNU_SOURCE 1
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "diagnostic.h"
#include "session.h"

extern char **environ;
enum { MAX_WORDS = 32, PATH_BYTES = 4096, MAX_SAID = 3000, STEP_MS = 5, TIMEOUT_MS = 60000 };

/* A folder of its own, with a text, what becomes of it, and what the compiler says. */
struct own_folder { char path[PATH_BYTES - 16], text[PATH_BYTES], library[PATH_BYTES], said[PATH_BYTES]; };

static bool folder_new(const struct lt_session *s, struct own_folder *f)
{
	const char *dir = LT_HAS(struct lt_host, s->host, temp_dir) ? s->host->temp_dir : "/tmp";
	(void)snprintf(f->path, sizeof f->path, "%s/looptree-own-XXXXXX", dir);
	if (!mkdtemp(f->path))
		return false;
	(void)snprintf(f->text, sizeof f->text, "%s/k.c", f->path);
	(void)snprintf(f->library, sizeof f->library, "%s/k.so", f->path);
	(void)snprintf(f->said, sizeof f->said, "%s/said", f->path);
	return true;
}

static void folder_end(const struct own_folder *f)
{
	(void)unlink(f->text);
	(void)unlink(f->library);
	(void)unlink(f->said);
	(void)rmdir(f->path);
}

static void write_piece(void *file, const char *text, size_t bytes) { (void)fwrite(text, 1, bytes, file); }

static void write_format(lt_write *write, void *user, const char *text, long long number, const char *name)
{
	char line[300];
	const int n = snprintf(line, sizeof line, text, number, name);
	write(user, line, n < (int)sizeof line ? (size_t)n : sizeof line - 1);
}

void lt_llvm_own_write(const struct lt_tree *t, lt_write *write, void *user)
{
	static const char entry[] = "void lt_kernel(void *const *slot, void *workspace, void *fault,\n"
		"\tvoid (*parallel_for)(const struct lt_host *, uint32_t n_thread, int64_t n, lt_own_body *, void *arg),\n"
		"\tconst struct lt_host *host, uint32_t n_thread)\n{\n\tvoid *const data[] = {";
	lt_kernel_own_definitions(t, 1, write, user);
	lt_kernel_own_function(t, write, user);
	write(user, entry, sizeof entry - 1);
	for (int32_t k = 0; k < lt_kernel_own_need(t).n_tensor; k++)
		write_format(write, user, " slot[%lld],%s", lt_kernel_own_slot(t, k), "");
	write_format(write, user, " };\n\t(void)fault;\n\t%2$s_own(data, workspace, n_thread, parallel_for, host);\n}\n", 0,
		name_of(t));
}

static bool write_source(const struct own_folder *f, const struct lt_tree *t)
{
	FILE *file = fopen(f->text, "we");
	if (file)
		lt_llvm_own_write(t, write_piece, file);
	const bool bad = file && ferror(file);
	return file && fclose(file) == 0 && !bad;
}

/* Waits for the compiler, as long as the host wants and its time lasts.  -1: it was ended. */
static int own_wait(const struct lt_session *s, pid_t child, bool (*cancelled)(void *), void *user)
{
	const int64_t most = LT_HAS(struct lt_host, s->host, cc_timeout_ms) ? s->host->cc_timeout_ms : TIMEOUT_MS;
	const struct timespec step = { 0, STEP_MS * 1000000 };
	int code = 0;
	for (int64_t ms = 0; ; ms += STEP_MS) {
		const pid_t got = waitpid(child, &code, WNOHANG);
		if (got == child)
			return code;
		if (got < 0 && errno != EINTR)
			return -1;
		if (ms >= most || cancelled(user)) {
			(void)kill(-child, SIGKILL);
			(void)waitpid(child, &code, 0);
			return -1;
		}
		(void)nanosleep(&step, NULL);
	}
}

/* The compiler's command may be several words. */
static int own_compile(const struct lt_session *s, const struct own_folder *f, bool (*cancelled)(void *), void *user)
{
	const char *cc = LT_HAS(struct lt_host, s->host, cc) ? s->host->cc : "cc";
	char *words = strdup(cc), *rest = NULL, *argv[MAX_WORDS + 20];
	/* As the backend cpu compiles: NaN and infinity are data. */
	const char *const end[] = { s->config.cpu == lt_llvm_cpu_at(0) ? "-march=native" : "-O3", "-O3", "-fwrapv",
		"-fno-math-errno", "-fno-trapping-math", "-ffp-contract=fast", "-fno-strict-aliasing", "-fPIC", "-std=gnu11", "-w",
		"-shared",
		"-o", f->library, f->text, "-lm", NULL };
	posix_spawn_file_actions_t files;
	posix_spawnattr_t own;
	int n = 0, code = -1;
	pid_t child;
	for (char *word = words ? strtok_r(words, " \t", &rest) : NULL; word && n < MAX_WORDS;
		word = strtok_r(NULL, " \t", &rest))
		argv[n++] = word;
	memcpy(argv + n, end, sizeof end);
	(void)posix_spawn_file_actions_init(&files);
	(void)posix_spawn_file_actions_addopen(&files, 0, "/dev/null", O_RDONLY, 0);
	(void)posix_spawn_file_actions_addopen(&files, 1, f->said, O_WRONLY | O_CREAT | O_TRUNC, 0600);
	(void)posix_spawn_file_actions_adddup2(&files, 1, 2);
	(void)posix_spawnattr_init(&own);
	(void)posix_spawnattr_setflags(&own, POSIX_SPAWN_SETPGROUP);
	if (n > 0 && posix_spawnp(&child, argv[0], &files, &own, argv, environ) == 0)
		code = own_wait(s, child, cancelled, user);
	else
		code = -2;
	(void)posix_spawnattr_destroy(&own);
	(void)posix_spawn_file_actions_destroy(&files);
	free(words);
	return code;
}

/* The file's bytes, then a 0, malloc; NULL. */
static char *read_whole(const char *path, size_t most, size_t *bytes)
{
	FILE *file = fopen(path, "re");
	char *at = NULL;
	*bytes = 0;
	if (file && fseek(file, 0, SEEK_END) == 0 && ftell(file) >= 0) {
		*bytes = (size_t)ftell(file) < most ? (size_t)ftell(file) : most;
		rewind(file);
		at = malloc(*bytes + 1);
		if (at) {
			*bytes = fread(at, 1, *bytes, file);
			at[*bytes] = '\0';
		}
	}
	if (file)
		(void)fclose(file);
	return at;
}

static char *own_why(const struct lt_session *s, const struct own_folder *f, int code)
{
	const char *cc = LT_HAS(struct lt_host, s->host, cc) ? s->host->cc : "cc";
	char text[MAX_SAID + 400];
	size_t bytes;
	char *said = read_whole(f->said, MAX_SAID, &bytes);
	if (code == -2)
		(void)snprintf(text, sizeof text, "a kernel of one's own needs a C compiler, and '%.100s' cannot be run; name one "
			"in CC, or leave out --kernels", cc);
	else if (code == -1)
		(void)snprintf(text, sizeof text, "'%.100s' was ended before it had compiled it", cc);
	else
		(void)snprintf(text, sizeof text, "'%.100s' does not compile it: %s", cc, said ? said : "");
	free(said);
	return LLVMCreateMessage(text);
}

lt_status lt_llvm_own_build(const struct lt_session *s, const struct lt_tree *t, bool (*cancelled)(void *), void *user,
	char **file, size_t *bytes, char **why)
{
	struct own_folder *f = malloc(sizeof *f);
	*file = NULL;
	if (!f)
		return LT_ENOMEM;
	if (!folder_new(s, f)) {
		free(f);
		*why = LLVMCreateMessage("there is no folder for the text of a kernel of one's own");
		return LT_EIO;
	}
	const int code = write_source(f, t) ? own_compile(s, f, cancelled, user) : -1;
	if (code == 0)
		*file = read_whole(f->library, SIZE_MAX - 1, bytes);
	else
		*why = own_why(s, f, code);
	folder_end(f);
	free(f);
	return *file ? LT_OK : *why ? LT_ECOMPILE : LT_ENOMEM;
}

lt_status lt_llvm_own_take(struct lt_object *o, const void *bytes, size_t n, struct lt_diag *diag)
{
	struct own_folder *f = malloc(sizeof *f);
	void *at = NULL;
	if (!f)
		return lt_llvm_report(diag, LT_ENOMEM, -1, -1, NULL, "no memory for kernel %s", name_of(o->tree));
	const bool there = folder_new(o->s, f);
	FILE *file = there ? fopen(f->library, "we") : NULL;
	if (file && fwrite(bytes, 1, n, file) == n && fclose(file) == 0) {
		o->library = dlopen(f->library, RTLD_NOW | RTLD_LOCAL);
		at = o->library ? dlsym(o->library, "lt_kernel") : NULL;
	}
	memcpy(&o->kernel, &at, sizeof at);     /* ISO C has no conversion from dlsym's pointer */
	const char *error = at ? NULL : dlerror();
	const lt_status status = at ? LT_OK : lt_llvm_report(diag, LT_ELOAD, -1, -1, NULL,
		"kernel %s, one's own, cannot be loaded: %s", name_of(o->tree), error ? error : "its file cannot be written");
	if (there)
		folder_end(f);
	free(f);
	return status;
}
