/* examples/plugin/llvm/llvm.c -- a backend as somebody outside of Looptree would write it: LLVM IR, compiled and run in
 * memory.
 *
 * It uses the headers of include/lt, LLVM's C interface, and nothing else.
 *
 * Behind "llvm:" stand words with ';' between them ("llvm:cpu=x86-64-v3;level=3"):
 *   cpu=NAME    code for another processor than this one, which has to run it: x86-64 (SSE2), x86-64-v2 (SSE4),
 *               x86-64-v3 (AVX2), x86-64-v4 (AVX-512), sapphirerapids; generic on 64-bit ARM; native, if not said.
 *               lt-run --list-backends tells which run here
 *   level=N     how far LLVM's code generator optimises, 0 to 3; 2, if not said
 *   verify      LLVM checks every module that it is given, as it always does in a debug build of the plug-in
 *
 *   llvm.c      the table; sessions                        compile.c   trees become objects
 *   run.c       runs, and sequences of them                keep.c      objects on the host's disk    dump.c    as text
 *   build.c     which build of the backend it is
 *   accept.c    what trees are taken                       jit.c       passes, object files, linking (ORC)
 *   machine.c   the processor    config.c   the words       kernel.c    a tree becomes a module
 *   plan.c      how each loop is emitted                   storage.c     where each buffer lives
 *   nest.c      loops        region.c   parallel loops     function.c  functions and their variables
 *   stmt.c      statements   sum.c      reductions over the lanes of a vector loop
 *   column.c    what is known of loops and divs            row.c       affine values        guard.c    conditions,
 *               masks
 *   access.c    reading and writing                        fault.c     checked indices       prefetch.c  asking for
 *               memory early
 *   tile.c      vectors across rows: squares that are turned in registers
 *   ops.c, convert.c, math.c   operators                   diagnostic.c      saying why
 *
 * The way of a tree: accept.c, then plan.c and storage.c decide, nest.c walks the loops and stmt.c emits what is in
 * them.
 */
#include <stdlib.h>
#include <string.h>
#include "accept.h"
#include "diagnostic.h"
#include "session.h"

static int32_t score(const char *config, struct lt_diag *diag)
{
	struct lt_llvm_config c;
	struct lt_llvm_host machine;
	if (lt_llvm_configure(config, &c, diag) || lt_llvm_host_open(&machine, c.cpu, diag))
		return 0;
	lt_llvm_host_close(&machine);
	return 50;
}

static void close_(struct lt_session *s)
{
	if (s->jit)
		lt_llvm_jit_close(s->jit);
	if (s->machine.triple)
		lt_llvm_host_close(&s->machine);
	free(s);
}

static lt_status open_(const struct lt_host *host, const char *config, struct lt_session **out, struct lt_diag *diag)
{
	*out = NULL;
	struct lt_session *s = calloc(1, sizeof *s);
	lt_status status = s ? LT_OK : lt_llvm_report(diag, LT_ENOMEM, -1, -1, NULL, "no memory for a session");
	if (!status)
		status = lt_llvm_configure(config, &s->config, diag);
	if (!status)
		status = lt_llvm_host_open(&s->machine, s->config.cpu, diag);
	if (!status)
		status = lt_llvm_jit_open(&s->jit, diag);
	if (status) {
		if (s)
			close_(s);
		return status;
	}
	s->host = host;
	s->n_core = lt_llvm_cores();
	s->n_thread = LT_HAS(struct lt_host, host, n_thread) ? host->n_thread : s->n_core;
	if (s->n_thread < s->machine.target.cores)
		s->machine.target.cores = s->n_thread;
	s->caps = (struct lt_caps){ .size = sizeof s->caps, .dtypes = ((UINT64_C(1) << LT_NDTYPE) - 1) & ~UINT64_C(1),
		.loops = LT_LLVM_LOOPS, .understands = LT_LLVM_NEEDS, .target = &s->machine.target };
	*out = s;
	return LT_OK;
}

static const struct lt_caps *caps(const struct lt_session *s) { return &s->caps; }

static lt_status accepts(struct lt_session *s, const struct lt_tree *t, struct lt_diag *diag)
{
	(void)s;
	return lt_llvm_accepts(t, diag);
}

static lt_status compile(struct lt_session *s, const struct lt_tree *const *tree, uint32_t n, struct lt_object **object,
	struct lt_diag *diag)
{
	lt_status status = LT_OK;
	memset(object, 0, n * sizeof *object);
	for (uint32_t i = 0; !status && i < n; i++)
		status = lt_llvm_accepts(tree[i], diag);
	return status ? status : lt_llvm_compile(s, tree, n, object, diag);
}

static lt_status sync_(struct lt_session *s, void *stream, struct lt_diag *diag)
{
	(void)s, (void)stream, (void)diag;
	return LT_OK;
}

static const struct lt_backend llvm = {
	.size = sizeof llvm,
	.abi = LT_ABI,
	.build = LT_BUILD,
	.name = "llvm",
	.summary = "LLVM IR, compiled in memory by LLVM's ORC",
	.version = "1",
	.score = score,
	.open = open_,
	.close = close_,
	.caps = caps,
	.accepts = accepts,
	.compile = compile,
	.run = lt_llvm_run,
	.sync = sync_,
	.destroy = lt_llvm_destroy,
	.need = lt_llvm_workspace,
	.dump = lt_llvm_dump,
	.describe = lt_llvm_describe,
	.identity = lt_llvm_identity,
	.save = lt_llvm_save,
	.load = lt_llvm_load,
	.capture = lt_llvm_capture,
	.replay = lt_llvm_replay,
	.capture_free = lt_llvm_capture_free,
};
LT_BACKEND(llvm)
