/* text_run.c -- see text_run.h. */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "check/random/must.h"
#include "tests/keeper.h"
#include "tests/text_run.h"
#include "tools/common/common.h"

struct team {
	void (*parallel_for)(const struct lt_host *, uint32_t n_thread, int64_t n,
		void (*body)(void *arg, int64_t first, int64_t last, uint32_t thread), void *arg);
	const struct lt_host *host;
	uint32_t n_thread;
};

/* n_thread: points of a range. */
static void in_ranges(const struct lt_host *host, uint32_t n_thread, int64_t n,
	void (*body)(void *arg, int64_t first, int64_t last, uint32_t thread), void *arg)
{
	uint32_t thread = 0;
	(void)host;
	for (int64_t at = 0; at < n; at += n_thread, thread++)
		body(arg, at, at + n_thread < n ? at + n_thread : n, thread % 4);
}

void text_run_compile(struct text_run *r, const struct lt_text_dialect *d, const char *command)
{
	char folder[200], line[8192], path[240], entry[32];
	(void)snprintf(folder, sizeof folder, "%s/lt-text-XXXXXX", lt__temp_folder());
	must(mkdtemp(folder) != NULL, "mkdtemp");
	int n = snprintf(line, sizeof line, "cd %s && %s -shared -fPIC -o all.so", folder, command);
	for (int i = 0; i < r->n; i++) {
		struct keeper k = keeper_new();
		size_t definitions;
		char *text;
		(void)snprintf(path, sizeof path, "%s/k%d.c", folder, i);
		(void)snprintf(entry, sizeof entry, "entry_%d", i);
		must(!lt__text_print(d, r->kernel[i], entry, NULL, &text, &definitions, &k.diag), "%s", k.text);
		FILE *f = fopen(path, "w");
		must(f && fputs(text, f) >= 0 && fclose(f) == 0, "%s", path);
		free(text);
		n += snprintf(line + n, sizeof line - (size_t)n, " k%d.c", i);
	}
	(void)snprintf(line + n, sizeof line - (size_t)n, " -lm >said 2>&1; "
		"status=$?; cat said >&2; test ! -s said && exit $status");
	must(system(line) == 0, "%s", line);
	(void)snprintf(line, sizeof line, "%s/all.so", folder);
	r->handle = dlopen(line, RTLD_NOW | RTLD_LOCAL);
	must(r->handle != NULL, "%s", dlerror());
	(void)snprintf(line, sizeof line, "rm -rf %s", folder);
	must(system(line) == 0, "%s", line);
}

void text_run_one(const struct text_run *r, int i, void *const *slot, int64_t range, struct lt_fault *fault)
{
	const struct lt_kernel *k = r->kernel[i];
	const struct team team = { .parallel_for = in_ranges, .n_thread = (uint32_t)range };
	void (*entry)(const struct lt_slot *, void *, struct lt_fault *, const struct team *);
	struct lt_slot *slots = calloc(k->n_slot + 1u, sizeof *slots);
	char name[32];
	size_t bytes = (size_t)(k->workspace_bytes + 4 * k->thread_bytes + 64) / 64 * 64;
	void *workspace = aligned_alloc(64, bytes);
	must(slots && workspace, "out of memory");
	memset(workspace, 0xff, bytes);
	for (uint32_t s = 0; s < k->n_slot; s++)
		slots[s].base = slot[s];
	(void)snprintf(name, sizeof name, "entry_%d", i);
	*(void **)&entry = dlsym(r->handle, name);
	must(entry != NULL, "%s", dlerror());
	entry(slots, workspace, fault, &team);
	free(workspace);
	free(slots);
}

void text_run_end(struct text_run *r)
{
	(void)dlclose(r->handle);
}
