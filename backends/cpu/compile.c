/* compile.c -- C texts to loaded code, or to assembly, by the system's compiler, side by side. */
#define _GNU_SOURCE 1
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "backends/cpu/cpu.h"

/* No -ffast-math: NaN and infinity are data, and sums are re-associated by the tree. */
static const char *const flags[] = {
	"-fwrapv", "-fno-math-errno", "-fno-trapping-math", "-ffp-contract=fast", "-fno-strict-aliasing", "-fPIC",
	"-std=gnu11", "-w",
	"-fno-tree-slp-vectorize" /* gcc 12 exchanges lanes with it where vectors are taken apart; ours are explicit */
};
static const char *const library_flags[] = { "-shared", "-nostartfiles" };
/* Functions have names in any case; these are the lines of the text. */
static const char *const symbol_flags[] = { "-g1", "-fno-omit-frame-pointer" };
/* The compiler's comments name variables; lines for debuggers and unwinders would be most of the text. */
static const char *const assembly_flags[] = { "-S", "-fverbose-asm", "-fno-asynchronous-unwind-tables", "-g0" };
enum {
	N_FLAG = sizeof flags / sizeof *flags,
	N_LIBRARY = sizeof library_flags / sizeof *library_flags,
	N_ASSEMBLY = sizeof assembly_flags / sizeof *assembly_flags,
	N_SYMBOL = sizeof symbol_flags / sizeof *symbol_flags,
	MAX_FLAGS = 1 + 3 + N_FLAG + N_ASSEMBLY + N_SYMBOL + 1,
	PATH_BYTES = 4096
};

struct work {
	struct lt_session *s;
	struct lt_cpu_job *job;
	uint32_t n, n_done;
	struct lt_diag *diag;
	char level[4], machine[64];     /* "-O3"; what makes the compiler write for another machine, "" for this one */
	struct lt_folder folder;
};

static void one_done(void *work)
{
	struct work *w = work;
	w->n_done++;
	if (w->s->progress)
		w->s->progress(w->s->user, (int32_t)w->n_done, (int32_t)w->n);
}

/* What makes the compiler write for the session's target, among a family of processors. */
static uint32_t machine_flags(const struct lt_session *s, const char **out)
{
	uint32_t n = 0;
	for (int i = 0; s->model->flags[i]; i++)
		out[n++] = s->model->flags[i];
	if (s->model->target.size == 0 && s->target.vector_bytes == 64)
		out[n++] = "-mprefer-vector-width=512";
	return n;
}

/* At most MAX_FLAGS; returns their number. */
static uint32_t job_flags(const struct lt_session *s, const char *level, const char *machine,
	const struct lt_cpu_job *job, const char **out)
{
	bool library = job->product == LT_LIBRARY;
	uint32_t n = 0;
	out[n++] = level;
	if (machine[0])
		out[n++] = machine;
	n += machine_flags(s, out + n);
	for (int i = 0; i < N_FLAG; i++)
		out[n++] = flags[i];
	for (int i = 0; i < (library ? N_LIBRARY : N_ASSEMBLY); i++)
		out[n++] = library ? library_flags[i] : assembly_flags[i];
	for (int i = 0; library && s->symbols && i < N_SYMBOL; i++)
		out[n++] = symbol_flags[i];
	return n;
}

void lt__cpu_flags(const struct lt_session *s, FILE *out)
{
	const char *flag[MAX_FLAGS], level[] = { '-', 'O', s->level, '\0' };
	const struct lt_cpu_job job = { .product = LT_LIBRARY };
	uint32_t n = job_flags(s, level, "", &job, flag);
	for (uint32_t i = 0; i < n; i++)
		(void)fprintf(out, " %s", flag[i]);
}

void lt__cpu_code_flags(const struct lt_session *s, bool machine, FILE *out)
{
	const char *flag[MAX_FLAGS];
	const uint32_t n = machine ? machine_flags(s, flag) : 0;
	(void)fprintf(out, "-O%c", s->level);
	for (uint32_t i = 0; i < n; i++)
		(void)fprintf(out, " %s", flag[i]);
	for (int i = 0; i < N_FLAG; i++)
		(void)fprintf(out, " %s", flags[i]);
}

char *lt__cpu_read_file(const char *path, size_t *bytes)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct stat st;
	char *at = NULL;
	if (fd < 0)
		return NULL;
	if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && (at = malloc((size_t)st.st_size + 1))) {
		size_t n = 0;
		for (ssize_t got; n < (size_t)st.st_size && (got = read(fd, at + n, (size_t)st.st_size - n)) != 0; ) {
			if (got < 0 && errno != EINTR)
				break;
			n += got > 0 ? (size_t)got : 0;
		}
		at[n] = '\0';
		*bytes = n;
	}
	close(fd);
	return at;
}

static const char *suffix_of(const struct lt_cpu_job *job) { return job->product == LT_LIBRARY ? ".so" : ".s"; }

static void job_path(const struct work *w, uint32_t i, const char *suffix, char *path)
{
	if (w->s->symbols && w->job[i].product == LT_LIBRARY && !w->job[i].no_kernel)
		(void)snprintf(path, PATH_BYTES, "%s/%s%s", w->s->symbols, w->job[i].name, suffix);
	else
		(void)snprintf(path, PATH_BYTES, "%s/k%u%s", w->folder.path, (unsigned)i, suffix);
}

/* The compiler's comments say where it read the text: a file that is gone by then, so they say the kernel's name.
 * NULL: no memory. */
static char *name_kernel(char *assembly, const char *path, const char *name)
{
	char *text = NULL;
	size_t bytes, n = strlen(path);
	FILE *out = assembly ? open_memstream(&text, &bytes) : NULL;
	for (const char *at = out ? assembly : NULL, *hit; at; at = hit ? hit + n : NULL) {
		hit = strstr(at, path);
		(void)fwrite(at, 1, hit ? (size_t)(hit - at) : strlen(at), out);
		if (hit)
			(void)fprintf(out, "%s.c", name);
	}
	free(assembly);
	if (out && fclose(out) == 0)
		return text;
	free(text);
	return NULL;
}

static lt_status no_product(const struct work *w, const struct lt_cpu_job *job, const char *why)
{
	char fault[PATH_BYTES];
	return lt__report(w->diag, LT_ECOMPILE, -1, -1, lt__cpu_folder_fault(&w->folder, why, fault, sizeof fault),
		"cpu: %s%s was compiled but cannot be loaded: %s", job->no_kernel ? "" : "kernel ", job->name, why);
}

/* The file of a job's product becomes the product.  Nobody knows the file's name. */
static lt_status take_product(struct work *w, uint32_t i)
{
	char path[PATH_BYTES], source[PATH_BYTES];
	size_t bytes;
	struct lt_cpu_job *job = &w->job[i];
	job_path(w, i, suffix_of(job), path);
	job_path(w, i, ".c", source);
	errno = 0;
	char *file = job->keep || job->product == LT_ASSEMBLY ? lt__cpu_read_file(path, &bytes) : NULL;
	if (job->product == LT_ASSEMBLY && file && !(file = name_kernel(file, source, job->name)))
		errno = ENOMEM;
	if ((job->keep || job->product == LT_ASSEMBLY) && !file)
		return errno == ENOMEM ? lt__cpu_no_memory(w->diag) : no_product(w, job, strerror(errno ? errno : EIO));
	if (job->product == LT_ASSEMBLY) {
		job->assembly = file;
		return LT_OK;
	}
	job->code = file;
	job->code_bytes = file ? bytes : 0;
	job->handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	if (!job->handle)
		return no_product(w, job, lt__load_error(path));
	return LT_OK;
}

static lt_status write_source(const struct work *w, uint32_t i)
{
	char path[PATH_BYTES];
	job_path(w, i, ".c", path);
	FILE *f = fopen(path, "we");
	bool ok = f && fputs(w->job[i].source, f) >= 0;
	if (f && fclose(f) != 0)
		ok = false;
	return ok                 ? LT_OK
		: errno == ENOMEM ? lt__cpu_no_memory(w->diag)
				  : lt__report(w->diag, LT_EIO, -1, -1, LT_CPU_OTHER_FOLDER,
					  "cpu: '%s' cannot be written: %s", path, strerror(errno));
}

static lt_status explain(
	const struct work *w, const char *program, const struct lt_command *c, const struct lt_cpu_job *job)
{
	const char *what = job->no_kernel ? "" : "kernel ";
	char fault[PATH_BYTES];
	const char *remedy = c->status == -1 ? NULL : lt__cpu_folder_fault(&w->folder, c->output, fault, sizeof fault);
	if (c->status == -1 && c->error == ENOENT)
		return lt__report(w->diag, LT_ECOMPILE, -1, -1, "install gcc or give --cc; without a compiler "
			"-b llvm works where it was built, and -b ref always", "%s: not found", program);
	if (c->status == -1)
		return lt__report(w->diag, LT_ECOMPILE, -1, -1, NULL, "%s cannot be started: %s", program, strerror(c->error));
	size_t bytes = 0;
	for (int lines = 0; c->output[bytes] && lines < 8 && bytes < 1500; bytes++)
		lines += c->output[bytes] == '\n';
	while (bytes && c->output[bytes - 1] == '\n')
		bytes--;
	const char *printed = bytes ? c->output : "it said nothing";
	bytes = bytes ? bytes : strlen(printed);
	if (c->status > 128)
		return lt__report(w->diag, LT_ECOMPILE, -1, -1, remedy, "%s was ended by signal %d on %s%s: %.*s", w->s->cc,
			c->status - 128, what, job->name, (int)bytes, printed);
	return lt__report(w->diag, LT_ECOMPILE, -1, -1, remedy, "%s failed on %s%s (exit status %d): %.*s", w->s->cc,
		what, job->name, c->status, (int)bytes, printed);
}

/* One compiler for each. */
static lt_status compile_all(struct work *w)
{
	uint32_t n_word, n = w->n;
	struct lt_command *c = calloc(n, sizeof *c);
	const char **word = lt__command_words(w->s->cc, 0, &n_word);
	size_t width = (word ? n_word : 0) + MAX_FLAGS + 5;
	const char **argv = calloc(n * width, sizeof *argv);
	char (*path)[2][PATH_BYTES] = malloc(n * sizeof *path);
	lt_status status = c && word && argv && path ? LT_OK : lt__cpu_no_memory(w->diag);
	if (!status && n_word == 0)
		status = lt__report(w->diag, LT_EINVAL, -1, -1, "give --cc a command", "cpu: the name of the C compiler is empty");
	for (uint32_t i = 0; !status && i < n; i++) {
		const char **a = argv + i * width;
		const struct lt_cpu_job *job = &w->job[i];
		job_path(w, i, ".c", path[i][0]);
		job_path(w, i, suffix_of(job), path[i][1]);
		memcpy(a, word, n_word * sizeof *a);
		a += n_word;
		a += job_flags(w->s, w->level, w->machine, job, a);
		memcpy(a, (const char *[]){ "-o", path[i][1], path[i][0], job->product == LT_LIBRARY ? "-lm" : NULL }, 4 * sizeof *a);
		if (w->s->symbols)
			(void)unlink(path[i][1]);       /* who runs an older one keeps it */
		c[i].argv = argv + i * width;
		c[i].on = job->name;
		status = write_source(w, i);
	}
	if (!status)
		status = lt__cpu_run(w->s, c, n, &w->folder, one_done, w, w->diag);
	for (uint32_t i = 0; !status && i < n; i++)
		status = c[i].status == 0 ? take_product(w, i) : explain(w, word[0], &c[i], &w->job[i]);
	free(path);
	free(argv);
	free(word);
	free(c);
	return status;
}

/* A target of another machine needs a compiler that writes for it: one made for it, or clang, which gets the target as
 * a flag. */
static lt_status find_machine(struct work *w)
{
	const char *machine = w->s->model->machine;
	uint32_t n;
	if (strcmp(machine, lt__cpu_machine()) == 0)
		return LT_OK;
	const char **word = lt__command_words(w->s->cc, 1, &n);
	if (!word)
		return lt__cpu_no_memory(w->diag);
	word[n] = "-dumpmachine";
	word[n + 1] = NULL;
	struct lt_command c = { .argv = word };
	lt_status status = lt__cpu_run(w->s, &c, 1, &w->folder, NULL, NULL, w->diag);
	free(word);
	if (!status && !w->s->identity)
		status = lt__cpu_identity(w->s, w->diag);
	if (status || (c.status == 0 && strncmp(c.output, machine, strlen(machine)) == 0))
		return status;
	c.output[strcspn(c.output, "\n")] = '\0';
	if (!strstr(w->s->identity, "clang version"))
		return lt__report(w->diag, LT_ECOMPILE, -1, -1,
			"give --cc=clang, or a gcc for that machine, such as --cc=aarch64-linux-gnu-gcc",
			"cpu: %s generates code for %s, but the target %s is %s", w->s->cc,
			c.status == 0 ? c.output : "this machine", w->s->model->name, machine);
	(void)snprintf(w->machine, sizeof w->machine, "--target=%s-linux-gnu", machine);
	return LT_OK;
}

lt_status lt__cpu_compile(struct lt_session *s, struct lt_cpu_job *job, uint32_t n, struct lt_diag *diag)
{
	struct work *w = n ? calloc(1, sizeof *w) : NULL;
	if (!w)
		return n ? lt__cpu_no_memory(diag) : LT_OK;
	*w = (struct work){ .s = s, .job = job, .n = n, .diag = diag, .level = { '-', 'O', s->level } };
	lt_status status = lt__cpu_folder(s, &w->folder, diag);
	status = status ? status : find_machine(w);
	status = status ? status : compile_all(w);
	lt__folder_remove(&w->folder);
	for (uint32_t i = 0; status && i < n; i++) {
		if (job[i].handle)
			(void)dlclose(job[i].handle);
		free(job[i].code);
		free(job[i].assembly);
		job[i].handle = NULL;
		job[i].code = job[i].assembly = NULL;
	}
	free(w);
	return status;
}
