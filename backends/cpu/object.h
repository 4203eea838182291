/* object.h -- a compiled kernel. */
#ifndef LT_CPU_OBJECT_H
#define LT_CPU_OBJECT_H
#include "backends/cpu/cpu.h"

struct lt_object {
	struct lt_session *s;
	const struct lt_tree *tree;
	void *handle;                   /* NULL: the code is the session's file's */
	lt_cpu_entry *kernel;           /* NULL: of a target that this machine does not run */
	struct lt_cpu_need need;
	const char *own;                /* of a kernel of one's own: its name, for the host; else NULL */
	char *code; size_t code_bytes;  /* of the shared object; NULL: not kept */
};
/* object.c: threads of a run for which the host says n, and the workspace of so many. */
uint32_t lt__cpu_threads(const struct lt_object *, uint32_t n);
int64_t lt__cpu_workspace(const struct lt_object *, uint32_t n_thread);
/* Whether the host has threads for parallel loops. */
bool lt__cpu_has_threads(const struct lt_session *);
/* A run that has been checked. */
struct lt_cpu_call {
	lt_cpu_entry *kernel;
	const struct lt_slot *slot;
	void *workspace;
	struct lt_fault *fault;
	struct lt_team team;
	const char *own;
};
void lt__cpu_call(const struct lt_cpu_call *);
/* Whether a run with these arguments can be, and its team. */
lt_status lt__cpu_check(const struct lt_object *, const struct lt_args *, struct lt_team *, struct lt_diag *);
#endif
