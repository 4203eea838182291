/* compile.c -- texts become cubins, several at once, and cubins objects. */
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "backends/cuda/session.h"

struct compile_team {
	const struct lt_session *s;
	const struct lt_tree *const *tree;
	const struct lt_cuda_code *code;
	struct lt_cuda_cubin *cubin;
	uint32_t n;
	atomic_uint next;
	atomic_bool stopped;
};
struct compile_member { struct compile_team *team; bool asks; };

/* Only the thread that called the backend may ask the host. */
static int compile_stopped(void *member)
{
	struct compile_member *m = member;
	const struct lt_host *host = m->team->s->host;
	if (m->asks && LT_HAS(struct lt_host, host, cancelled) && host->cancelled(host))
		atomic_store(&m->team->stopped, true);
	return atomic_load(&m->team->stopped);
}

static void compile_some(void *arg, uint32_t i, uint32_t n)
{
	struct compile_team *team = arg;
	struct compile_member m = { team, i == 0 };
	(void)n;
	for (uint32_t k; (k = atomic_fetch_add(&team->next, 1)) < team->n; ) {
		struct lt_cuda_cubin *cubin = &team->cubin[k];
		if (compile_stopped(&m)) {
			cubin->status = LT_ECANCELLED;
			(void)snprintf(cubin->why, sizeof cubin->why, "compiling was cancelled");
			continue;
		}
		if (!team->code[k].grids->n_grid) {             /* it only calls */
			cubin->at = calloc(1, 1);
			cubin->status = cubin->at ? LT_OK : LT_ENOMEM;
			continue;
		}
		const struct lt_cuda_job job = { .arch = team->s->facts.arch, .name = cuda_name(team->tree[k]),
			.text = team->code[k].grids->text, .cancelled = compile_stopped, .user = &m };
		lt__cuda_nvrtc_compile(&team->s->nvrtc, &job, cubin);
	}
}

static void compile_all(struct compile_team *team)
{
	const struct lt_host *host = team->s->host;
	const uint32_t n_thread = LT_HAS(struct lt_host, host, n_thread) ? host->n_thread : 1;
	if (team->n > 1 && LT_HAS(struct lt_host, host, parallel))
		host->parallel(host, n_thread < team->n ? n_thread : team->n, compile_some, team);
	else
		compile_some(team, 0, 1);
}

static lt_status compile_take(struct lt_session *s, const struct lt_tree *t, struct lt_cuda_code *code,
	struct lt_cuda_cubin *cubin, struct lt_object **out, struct lt_diag *diag)
{
	if (cubin->log && cubin->log[0] && LT_HAS(struct lt_host, s->host, log))
		s->host->log(s->host, cubin->status ? LT_LOG_WARNING : LT_LOG_DEBUG, cubin->log);
	if (cubin->status)
		return lt__report(diag, cubin->status, -1, -1, NULL, "%s", cubin->why);
	code->cubin = cubin->at;
	code->cubin_bytes = cubin->bytes;
	cubin->at = NULL;
	return lt__cuda_object(s, t, code, out, diag);
}

lt_status lt__cuda_compile(struct lt_session *s, const struct lt_tree *const *tree, struct lt_cuda_code *code,
	uint32_t n, struct lt_object **object, struct lt_diag *diag)
{
	struct compile_team team = { .s = s, .tree = tree, .code = code, .cubin = calloc(n + 1, sizeof *team.cubin), .n = n };
	lt_status status = team.cubin ? LT_OK
		: lt__report(diag, LT_ENOMEM, -1, -1, NULL, "no memory for %u kernels", (unsigned)n);
	memset(object, 0, n * sizeof *object);
	if (!status && !LT_HAS(struct lt_host, s->host, text_only))
		compile_all(&team);
	for (uint32_t i = 0; !status && i < n; i++) {
		status = compile_take(s, tree[i], &code[i], &team.cubin[i], &object[i], diag);
		if (!status && LT_HAS(struct lt_host, s->host, progress))
			s->host->progress(s->host->user, (int32_t)i + 1, (int32_t)n);
	}
	for (uint32_t i = 0; i < n; i++) {
		lt__cuda_code_free(&code[i]);
		free(team.cubin ? team.cubin[i].at : NULL);
		free(team.cubin ? team.cubin[i].log : NULL);
		if (status) {
			lt__cuda_destroy(object[i]);
			object[i] = NULL;
		}
	}
	free(team.cubin);
	return status;
}
