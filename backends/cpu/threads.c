/* backends/cpu/threads.c -- OpenMP: whether the compiler has it.
 *
 * Parallel loops are OpenMP's; kernels without any are neither compiled nor linked with it.  All kernels share the
 * run-time library's one team for each thread that runs programs.
 */
#define _GNU_SOURCE 1
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "backends/cpu/cpu.h"

/* A compiler that knows the flag but lacks the library fails here as well. */
static const char probe[] =
	"#ifndef _OPENMP\n#error the compiler does not know OpenMP\n#endif\n"
	"int omp_get_thread_num(void);\n"
	"void lt_kernel(int *at, int n)\n{\n#pragma omp parallel num_threads(n)\n\tat[omp_get_thread_num()] = 1;\n}\n";

struct hear { struct lt_diag diag; struct lt_session *s; };

static void openmp_hear(struct lt_diag *d, const struct lt_diagnostic *note)
{
	struct lt_session *s = ((struct hear *)(void *)d)->s;
	(void)snprintf(s->why_no_openmp, sizeof s->why_no_openmp, "%s", note->text);
}

/* Compiles the probe as kernels are, but does not show the host. */
static lt_status try_probe(struct lt_session *s)
{
	struct lt_cpu_job job = { .name = "a test for OpenMP", .no_kernel = true, .source = probe, .threads = true };
	struct hear h = { .diag = { sizeof h.diag, openmp_hear }, .s = s };
	void (*progress)(void *, int32_t, int32_t) = s->progress;
	s->progress = NULL;
	lt_status status = lt__cpu_compile(s, &job, 1, &h.diag);
	s->progress = progress;
	if (job.handle)
		(void)dlclose(job.handle);
	return status;
}

/* That it can is kept by the host; that it cannot is asked again, so that what gets installed is found. */
lt_status lt__cpu_openmp(struct lt_session *s, bool *can, struct lt_diag *diag)
{
	char *key = NULL;
	lt_status status = LT_OK;
	*can = s->openmp == LT_CAN;
	if (s->openmp != LT_NOT_ASKED)
		return LT_OK;
	if (LT_HAS(struct lt_host, s->host, recall)) {
		status = s->identity ? LT_OK : lt__cpu_identity(s, diag);
		if (!status && asprintf(&key, "cpu: OpenMP for %s\n%s", s->model->name, s->identity) < 0) {
			key = NULL;
			status = lt__cpu_no_memory(diag);
		}
	}
	char *known = NULL;
	if (key)
		status = lt__cpu_recall(s, key, &known, diag);
	lt_status tried = status || known ? LT_OK : try_probe(s);
	/* If the compiler fails, it cannot compile OpenMP; if memory runs out or the call is cancelled, nothing is known. */
	if (tried == LT_ENOMEM || tried == LT_ECANCELLED || s->late)
		status = lt__report(diag, tried, -1, -1, NULL, "%s", s->why_no_openmp);
	if (!status) {
		s->openmp = tried ? LT_CANNOT : LT_CAN;
		*can = !tried;
		if (key && !known && !tried)
			lt__cpu_keep(s, key, "yes");
	}
	free(known);
	free(key);
	return status;
}
