/* batch.c -- many kernels, one compiler. */
#define _GNU_SOURCE 1
#include <dlfcn.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include "backends/cpu/cpu.h"
#include "program/host/host.h"
#include "tests/batch.h"
#include "tools/common/common.h"
#include "check/random/must.h"

/* A text that was printed, with the processor it is for. */
struct entry { uint64_t hash; char *text; const struct lt_cpu_model *model; lt_cpu_entry *kernel; };
struct lt_object { const struct lt_tree *tree; int64_t entry; struct lt_cpu_need need; uint32_t n_thread; };
/* What cpu hands to a compiler that writes for a processor. */
struct flags { const struct lt_cpu_model *model; char *text; };
enum { MAX_MODELS = 32 };
static struct {
	struct entry *entry; int64_t n, cap, n_done;
	struct flags flags[MAX_MODELS]; int n_flags;
	const char *level;
	struct batch_tally told;
} batch;

static const struct lt_backend *cpu(void)
{
	const struct lt_backend *b = lt_backend_find("cpu");
	must(b != NULL, "the backend cpu is not linked");
	return b;
}

static int64_t now_ns(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static uint64_t hash_of(const char *text)
{
	uint64_t h = UINT64_C(0xcbf29ce484222325);
	for (; *text; text++)
		h = (h ^ (unsigned char)*text) * UINT64_C(0x100000001b3);
	return h;
}

/* Equal texts for one processor are one entry.  Takes the text. */
static int64_t enter(char *text, const struct lt_cpu_model *model)
{
	uint64_t hash = hash_of(text);
	for (int64_t i = 0; i < batch.n; i++)
		if (batch.entry[i].hash == hash && batch.entry[i].model == model && !strcmp(batch.entry[i].text, text)) {
			free(text);
			return i;
		}
	if (batch.n == batch.cap) {
		batch.cap = 2 * batch.cap + 64;
		batch.entry = realloc(batch.entry, sizeof *batch.entry * (size_t)batch.cap);
		must(batch.entry != NULL, "out of memory");
	}
	batch.entry[batch.n] = (struct entry){ hash, text, model, NULL };
	return batch.n++;
}

/* NULL: not known yet. */
static const char *flags_for(const struct lt_cpu_model *model)
{
	for (int i = 0; i < batch.n_flags; i++)
		if (batch.flags[i].model == model)
			return batch.flags[i].text;
	return NULL;
}

static void keep_flags(const struct lt_session *s)
{
	struct flags *f = &batch.flags[batch.n_flags];
	size_t bytes;
	if (flags_for(s->model))
		return;
	must(batch.n_flags < MAX_MODELS, "more than %d processors", MAX_MODELS);
	FILE *out = open_memstream(&f->text, &bytes);
	must(out != NULL, "out of memory");
	lt__cpu_flags(s, out);
	must(fclose(out) == 0, "out of memory");
	f->model = s->model;
	batch.n_flags++;
}

/* A text whose names with linkage, and types, all begin with lt_ or `kernel`: each gets a number after it. */
static void write_numbered(FILE *f, const char *text, int64_t number)
{
	for (const char *at = text; *at;) {
		size_t n = strspn(at, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_");
		if (n == 0) {
			(void)fputc(*at++, f);
			continue;
		}
		(void)fwrite(at, 1, n, f);
		if ((n > 3 && !memcmp(at, "lt_", 3)) || (n >= 6 && !memcmp(at, "kernel", 6)))
			(void)fprintf(f, "_%lld", (long long)number);
		at += n;
	}
	(void)fputc('\n', f);
}

static void *compile_file(const char *dir, const struct lt_cpu_model *model)
{
#if LT_BUILD_ASAN
	static const char sanitize[] = "-g -fsanitize=address ";
#else
	static const char sanitize[] = "";
#endif
#ifdef __clang__
	static const char cc[] = "clang";
#else
	static const char cc[] = "cc";
#endif
	char command[1200];
	/* What stands last counts: batch_open's level, and what else it asks for. */
	(void)snprintf(command, sizeof command, "%s%s %s%s -o %s/k.so %s/k.c -lm", cc, flags_for(model), sanitize,
		batch.level, dir, dir);
	int status = system(command);
	must(status == 0, "`%s` answers %d; its text is kept", command, status);
	(void)snprintf(command, sizeof command, "%s/k.so", dir);
	void *handle = dlopen(command, RTLD_NOW | RTLD_LOCAL);
	must(handle != NULL, "%s", dlerror());
	(void)unlink(command);
	return handle;
}

static void take_kernels(void *handle, const struct lt_cpu_model *model)
{
	for (int64_t i = batch.n_done; i < batch.n; i++) {
		char name[100];
		if (batch.entry[i].model != model)
			continue;
		(void)snprintf(name, sizeof name, "%s_%lld", LT_CPU_ENTRY, (long long)i);
		*(void **)&batch.entry[i].kernel = dlsym(handle, name);
		must(batch.entry[i].kernel != NULL, "the compiled file has no function %s", name);
		batch.told.kernels++;
	}
}

/* All for one processor that has been entered since the last time. */
static void compile_for(const struct lt_cpu_model *model)
{
	char dir[400], path[420];
	(void)snprintf(dir, sizeof dir, "%s/lt-batch-XXXXXX", lt__temp_folder());
	must(mkdtemp(dir) != NULL, "no folder can be made: %s", dir);
	(void)snprintf(path, sizeof path, "%s/k.c", dir);
	FILE *f = fopen(path, "we");
	must(f != NULL, "%s cannot be written", path);
	for (int64_t i = batch.n_done; i < batch.n; i++)
		if (batch.entry[i].model == model)
			write_numbered(f, batch.entry[i].text, i);
	must(fclose(f) == 0, "%s cannot be written", path);
	take_kernels(compile_file(dir, model), model);
	(void)unlink(path);
	(void)rmdir(dir);
	batch.told.files++;
}

static void compile_pending(void)
{
	int64_t begin = now_ns();
	for (int64_t i = batch.n_done; i < batch.n; i++)
		if (!batch.entry[i].kernel)
			compile_for(batch.entry[i].model);
	batch.n_done = batch.n;
	batch.told.compile_ns += now_ns() - begin;
}

/* -- the backend -- */

static int32_t score(const char *config, struct lt_diag *diag)
{
	(void)config, (void)diag;
	return 1;
}

static lt_status open_(const struct lt_host *host, const char *config, struct lt_session **out, struct lt_diag *diag)
{
	return cpu()->open(host, config, out, diag);
}

static void close_(struct lt_session *s) { cpu()->close(s); }
static const struct lt_caps *caps(const struct lt_session *s) { return cpu()->caps(s); }
static lt_status accepts(struct lt_session *s, const struct lt_tree *t, struct lt_diag *diag)
{
	return cpu()->accepts(s, t, diag);
}
static lt_status sync_(struct lt_session *s, void *stream, struct lt_diag *diag)
{
	return cpu()->sync(s, stream, diag);
}
static void destroy(struct lt_object *o) { free(o); }

static lt_status compile(struct lt_session *s, const struct lt_tree *const *tree, uint32_t n, struct lt_object **object,
	struct lt_diag *diag)
{
	memset(object, 0, n * sizeof *object);
	keep_flags(s);
	for (uint32_t i = 0; i < n; i++) {
		struct lt_object *o = object[i] = calloc(1, sizeof *o);
		char *text;
		must(o != NULL, "out of memory");
		*o = (struct lt_object){ .tree = tree[i], .n_thread = s->n_thread };
		struct lt_tree named = *tree[i];
		named.name = "kernel";          /* what write_numbered knows */
		lt_status st = lt__cpu_print(s, &named, LT_CPU_TEXT_COMPILED, &text, &o->need, diag);
		for (uint32_t k = 0; st && k <= i; k++) {
			free(object[k]);
			object[k] = NULL;
		}
		if (st)
			return st;
		o->entry = enter(text, s->model);
	}
	return LT_OK;
}

static uint32_t threads(const struct lt_object *o, uint32_t n)
{
	n = n ? n : o->n_thread;
	return o->need.threads && n ? n : 1;
}

static void need(const struct lt_object *o, uint32_t n_thread, size_t *bytes, size_t *align)
{
	*bytes = (size_t)(o->need.shared + (int64_t)threads(o, n_thread) * o->need.private_);
	*align = 64;
}

static lt_status run(struct lt_object *o, const struct lt_args *args, struct lt_diag *diag)
{
	(void)diag;
	if (o->entry >= batch.n_done)
		compile_pending();
	const struct lt_team team = { .parallel_for = lt__host_parallel_for, .n_thread = threads(o, args->n_thread) };
	batch.entry[o->entry].kernel(args->slot, args->workspace, args->fault, &team);
	return LT_OK;
}

static const struct lt_backend table = {
	.size = sizeof table,
	.abi = LT_ABI,
	.build = LT_BUILD,
	.name = "batch",
	.summary = "cpu, many kernels to a compiler",
	.version = "1",
	.score = score,
	.open = open_,
	.close = close_,
	.caps = caps,
	.accepts = accepts,
	.compile = compile,
	.run = run,
	.sync = sync_,
	.destroy = destroy,
	.need = need,
};

void batch_open(const char *level)
{
	batch.level = level;
	must(lt_backend_find("batch") || lt_backend_register(&table, NULL) == LT_OK, "the backend batch cannot be registered");
}

struct batch_tally batch_report(void) { return batch.told; }

void batch_close(void)
{
	for (int64_t i = 0; i < batch.n; i++)
		free(batch.entry[i].text);
	free(batch.entry);
	batch.entry = NULL;
	batch.n = batch.cap = batch.n_done = 0;
	while (batch.n_flags > 0)
		free(batch.flags[--batch.n_flags].text);
}
