/* llvm.c -- the backend llvm: kernel programs printed as LLVM IR, compiled and run in memory.
 *
 * It uses lt/backend.h and lt/kernel.h with its library, LLVM's C interface, and nothing else.
 *
 * Memory that runs out inside of LLVM ends the process (docs/c-api.md).  A handler for fatal errors would not help:
 * LLVM does not call it then, and after one it exits; jumping out of it would leave LLVM's locks held.
 *
 * Behind "llvm:" stand items with '/' between them ("llvm:cpu=x86-64-v3/level=3"):
 *   cpu=NAME    code for another processor than this one, which has to run it: x86-64 (SSE2), x86-64-v2 (SSE4),
 *               x86-64-v3 (AVX2), x86-64-v4 (AVX-512), sapphirerapids; generic on 64-bit ARM; native, if not said.
 *               lt-run --list-backends tells which run here
 *   level=N     how far LLVM's code generator optimises, 0 to 3; 1, if not said
 *   symbols=FOLDER      kernels' texts and objects stay there, with symbols and lines
 *   verify      LLVM checks every module that it is given, as it always does in a debug build of the plug-in
 *
 *   llvm.c      the table; sessions                        compile.c   trees become objects
 *   run.c       runs, and sequences of them                keep.c      objects on the host's disk    dump.c    as text
 *   jit.c       passes, object files, linking (ORC)        machine.c   the processor    config.c   the words
 *   build.c     which build of the backend it is           diagnostic.c   saying why
 *   print.c     a program becomes a module: functions      step.c      one instruction
 *   memory.c    loads, stores, faults                      type.c      types and constants
 *   symbols.c   for debuggers and profilers
 *   function.c  operators that a machine has beyond what each must have            environment.c   none
 */
#include <stdlib.h>
#include <string.h>
#include "lt/kernel.h"
#include "diagnostic.h"
#include "session.h"

/* What trees may hold. */
enum { NEEDS = LT_NEED_PARAMS | LT_NEED_DIVS | LT_NEED_GATHER | LT_NEED_PIECES | LT_NEED_GUARDED | LT_NEED_COMBINE
	| LT_NEED_TILE | LT_NEED_OWN };
enum { LOOPS = 1u << LT_SERIAL | 1u << LT_PARALLEL | 1u << LT_VECTOR | 1u << LT_UNROLL | 1u << LT_GROUP
	| 1u << LT_TILE };

static int32_t score(const char *config, struct lt_diag *diag)
{
	struct lt_llvm_config c;
	struct lt_llvm_host machine;
	bool good = !lt_llvm_configure(config, &c, diag) && !lt_llvm_host_open(&machine, c.cpu, diag);
	free(c.symbols);
	if (!good)
		return 0;
	lt_llvm_host_close(&machine);
	return 110;             /* cpu has 100, and needs a compiler */
}

static void close_(struct lt_session *s)
{
	if (s->jit)
		lt_llvm_jit_close(s->jit);
	if (s->machine.triple)
		lt_llvm_host_close(&s->machine);
	free(s->config.symbols);
	free(s);
}

static lt_status open_(const struct lt_host *host, const char *config, struct lt_session **out, struct lt_diag *diag)
{
	*out = NULL;
	struct lt_session *s = calloc(1, sizeof *s);
	lt_status status = s ? LT_OK : lt_llvm_report(diag, LT_ENOMEM, -1, -1, NULL, "no memory for a session");
	if (!status)
		status = lt_llvm_configure(config, &s->config, diag);
	if (!status && s->config.symbols)
		status = lt_llvm_symbols_folder(s->config.symbols, diag);
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
	s->n_thread = LT_HAS(struct lt_host, host, n_thread) ? host->n_thread : lt_kernel_cores();
	if (s->n_thread < s->machine.target.cores)
		s->machine.target.cores = s->n_thread;
	s->caps = (struct lt_caps){ .size = sizeof s->caps, .dtypes = ((UINT64_C(1) << LT_NDTYPE) - 1) & ~UINT64_C(1),
		.loops = LOOPS, .understands = NEEDS, .target = &s->machine.target, .promises = LT_PROMISE_RUN_TOGETHER };
	*out = s;
	return LT_OK;
}

static const struct lt_caps *caps(const struct lt_session *s) { return &s->caps; }

static lt_status compile(struct lt_session *s, const struct lt_tree *const *tree, uint32_t n, struct lt_object **object,
	struct lt_diag *diag)
{
	return lt_llvm_compile(s, tree, n, object, diag);
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
	.summary = "kernel programs as LLVM IR, compiled in memory",
	.version = "1",
	.score = score,
	.open = open_,
	.close = close_,
	.caps = caps,
	.accepts = lt_llvm_accepts,
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
	.options = &lt_llvm_options,
};
LT_BACKEND(llvm)
