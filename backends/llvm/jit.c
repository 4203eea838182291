/* jit.c -- from a module to a function that can be called: passes, object file, ORC.
 *
 * Each object file has a dynamic library of ORC's of its own, so that all can have the one name lt_kernel.  ORC keeps
 * such libraries until its session ends; those of objects that are gone are used again.
 */
#include <stdio.h>
#include <stdlib.h>
#include <llvm-c/Analysis.h>
#include <llvm-c/LLJIT.h>
#include <llvm-c/Orc.h>
#include <llvm-c/Transforms/PassBuilder.h>
#include <llvm/Config/llvm-config.h>
#include "jit.h"
#include "diagnostic.h"

/* Addresses and loops come as they should be: what is left is to make registers of the variables, and to tidy up.
 * Conditions that several statements have are tested once: jump-threading joins what they guard, before selects are
 * made of it; what these statements have in common besides is found last.  Fewer instructions are less work for the
 * code generator, which takes four times as long as all of these. */
#if LLVM_VERSION_MAJOR >= 18            /* it need not look whether a second round would find more */
#define INSTCOMBINE "instcombine<no-verify-fixpoint>"
#else
#define INSTCOMBINE "instcombine"
#endif
#define PASSES "sroa,early-cse<memssa>,jump-threading,simplifycfg," INSTCOMBINE ",early-cse"
static const char vectors[] = "function(" PASSES ")";
/* Where a program has only scalars, small nests come as copies of their statements: stores that are overwritten go,
 * what stands side by side becomes vectors. */
static const char scalars[] = "function(" PASSES ",dse,slp-vectorizer,early-cse)";

struct lt_llvm_code {
	struct lt_llvm_jit *jit;
	LLVMOrcJITDylibRef library;
	LLVMOrcResourceTrackerRef tracker;      /* of what is in it now */
	struct lt_llvm_code *next;              /* one that is free */
};
struct lt_llvm_jit { LLVMOrcLLJITRef lljit; struct lt_llvm_code *unused; unsigned n; };

static lt_status failed(struct lt_diag *diag, LLVMErrorRef e, const char *what)
{
	char *text = LLVMGetErrorMessage(e);
	lt_status status = lt_llvm_report(diag, LT_ECOMPILE, -1, -1, NULL, "%s: %s", what, text);
	LLVMDisposeErrorMessage(text);
	return status;
}

/* What fails is said by the call that fails; ORC would print it, too. */
static void silent(void *user, LLVMErrorRef e)
{
	(void)user;
	LLVMConsumeError(e);
}

lt_status lt_llvm_jit_open(struct lt_llvm_jit **out, struct lt_diag *diag)
{
	struct lt_llvm_jit *j = *out = calloc(1, sizeof *j);
	if (!j)
		return lt_llvm_report(diag, LT_ENOMEM, -1, -1, NULL, "no memory for a session");
	LLVMErrorRef e = LLVMOrcCreateLLJIT(&j->lljit, NULL);
	if (!e) {
		LLVMOrcExecutionSessionSetErrorReporter(LLVMOrcLLJITGetExecutionSession(j->lljit), silent, NULL);
		return LT_OK;
	}
	free(j);
	*out = NULL;
	return failed(diag, e, "LLVM's linker cannot be started");
}

void lt_llvm_jit_close(struct lt_llvm_jit *j)
{
	LLVMErrorRef e = LLVMOrcDisposeLLJIT(j->lljit);
	if (e)
		LLVMConsumeError(e);
	while (j->unused) {
		struct lt_llvm_code *c = j->unused;
		j->unused = c->next;
		free(c);
	}
	free(j);
}

bool lt_llvm_optimise(LLVMModuleRef m, LLVMTargetMachineRef machine, bool only_scalars, bool verify, char **why)
{
	*why = NULL;
	if (verify && LLVMVerifyModule(m, LLVMReturnStatusAction, why))
		return false;
	if (*why)
		LLVMDisposeMessage(*why);
	*why = NULL;
	LLVMPassBuilderOptionsRef options = LLVMCreatePassBuilderOptions();
	LLVMErrorRef e = LLVMRunPasses(m, only_scalars ? scalars : vectors, machine, options);
	LLVMDisposePassBuilderOptions(options);
	if (!e)
		return true;
	char *text = LLVMGetErrorMessage(e);
	*why = LLVMCreateMessage(text);
	LLVMDisposeErrorMessage(text);
	return false;
}

/* Functions that code calls are those of the process, and of the C library's parts for mathematics. */
static LLVMErrorRef add_functions(struct lt_llvm_jit *j, LLVMOrcJITDylibRef library)
{
	static const char *const files[] = { NULL, "libm.so.6", "libmvec.so.1" };
	char prefix = LLVMOrcLLJITGetGlobalPrefix(j->lljit);
	for (int i = 0; i < 3; i++) {
		LLVMOrcDefinitionGeneratorRef g;
		LLVMErrorRef e = files[i] ? LLVMOrcCreateDynamicLibrarySearchGeneratorForPath(&g, files[i], prefix, NULL, NULL)
			: LLVMOrcCreateDynamicLibrarySearchGeneratorForProcess(&g, prefix, NULL, NULL);
		if (!e)
			LLVMOrcJITDylibAddGenerator(library, g);
		else if (!files[i])
			return e;
		else
			LLVMConsumeError(e);    /* what is called from there is missed when it is linked */
	}
	return NULL;
}

static lt_status new_code(struct lt_llvm_jit *j, struct lt_llvm_code **out, struct lt_diag *diag)
{
	struct lt_llvm_code *c = j->unused;
	char name[32];
	if (c) {
		j->unused = c->next;
		*out = c;
		return LT_OK;
	}
	c = calloc(1, sizeof *c);
	if (!c)
		return lt_llvm_report(diag, LT_ENOMEM, -1, -1, NULL, "no memory for a kernel");
	(void)snprintf(name, sizeof name, "kernel%u", j->n++);
	c->jit = j;
	c->library = LLVMOrcExecutionSessionCreateBareJITDylib(LLVMOrcLLJITGetExecutionSession(j->lljit), name);
	LLVMErrorRef e = add_functions(j, c->library);
	if (e) {
		c->next = j->unused;
		j->unused = c;
		return failed(diag, e, "the functions of this process cannot be found");
	}
	*out = c;
	return LT_OK;
}

struct found { LLVMErrorRef error; LLVMOrcExecutorAddress address; };

static void found(LLVMErrorRef e, LLVMOrcCSymbolMapPairs pair, size_t n, void *arg)
{
	struct found *f = arg;
	f->error = e;
	if (!e && n == 1)
		f->address = pair->Sym.Address;
}

static struct found look_up(const struct lt_llvm_code *c)
{
	LLVMOrcExecutionSessionRef session = LLVMOrcLLJITGetExecutionSession(c->jit->lljit);
	LLVMOrcCJITDylibSearchOrderElement where = { c->library, LLVMOrcJITDylibLookupFlagsMatchExportedSymbolsOnly };
	LLVMOrcCLookupSetElement what = { LLVMOrcLLJITMangleAndIntern(c->jit->lljit, "lt_kernel"),
		LLVMOrcSymbolLookupFlagsRequiredSymbol };
	struct found f = { NULL, 0 };
	LLVMOrcExecutionSessionLookup(session, LLVMOrcLookupKindStatic, &where, 1, &what, 1, found, &f);
	return f;
}

lt_status lt_llvm_link(struct lt_llvm_jit *j, LLVMMemoryBufferRef object, const char *name, struct lt_llvm_code **out,
	lt_llvm_kernel_fn **kernel, struct lt_diag *diag)
{
	struct lt_llvm_code *c = NULL;
	char what[256];
	*out = NULL;
	lt_status status = new_code(j, &c, diag);
	if (status) {
		LLVMDisposeMemoryBuffer(object);
		return status;
	}
	(void)snprintf(what, sizeof what, "kernel %s cannot be linked", name);
	c->tracker = LLVMOrcJITDylibCreateResourceTracker(c->library);
	LLVMErrorRef e = LLVMOrcLLJITAddObjectFileWithRT(j->lljit, c->tracker, object);
	struct found f = { e, 0 };
	if (!e)
		f = look_up(c);
	if (f.error) {
		lt_llvm_unlink(c);
		return failed(diag, f.error, what);
	}
	*kernel = (lt_llvm_kernel_fn *)(uintptr_t)f.address;
	*out = c;
	return LT_OK;
}

void lt_llvm_unlink(struct lt_llvm_code *c)
{
	LLVMErrorRef e = LLVMOrcResourceTrackerRemove(c->tracker);
	if (e)
		LLVMConsumeError(e);
	LLVMOrcReleaseResourceTracker(c->tracker);
	c->next = c->jit->unused;
	c->jit->unused = c;
}
