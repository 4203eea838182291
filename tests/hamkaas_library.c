/* hamkaas_library.c -- see tests/hamkaas_library.h. */
#include <criterion/criterion.h>
#include <dlfcn.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "tests/built.h"
#include "tests/hamkaas_library.h"

__typeof__(&HamKaasInitialize) Initialize;
__typeof__(&HamKaasFinalize) Finalize;
__typeof__(&HamKaasCompileModel) CompileModel;
__typeof__(&HamKaasFreeModel) FreeModel;
__typeof__(&HamKaasEvaluateModel) EvaluateModel;
__typeof__(&HamKaasFreeErrorMessage) FreeErrorMessage;
__typeof__(&HamKaasInverseElements) InverseElements;

static void *symbol(void *library, const char *name)
{
	void *at = dlsym(library, name);

	cr_assert_not_null(at, "%s", name);
	return at;
}

void hamkaas_set_up(void)
{
	void *library = dlopen(built("libhamkaas.so"), RTLD_NOW | RTLD_LOCAL);

	cr_assert_not_null(library, "%s", dlerror());
	*(void **)&Initialize = symbol(library, "HamKaasInitialize");
	*(void **)&Finalize = symbol(library, "HamKaasFinalize");
	*(void **)&CompileModel = symbol(library, "HamKaasCompileModel");
	*(void **)&FreeModel = symbol(library, "HamKaasFreeModel");
	*(void **)&EvaluateModel = symbol(library, "HamKaasEvaluateModel");
	*(void **)&FreeErrorMessage = symbol(library, "HamKaasFreeErrorMessage");
	*(void **)&InverseElements = symbol(library, "HamKaasInverseElements");
	setenv("XDG_CACHE_HOME", scratch(""), 1);
}

void *hamkaas_initialize(void)
{
	struct TInitializationResult r = Initialize();

	cr_assert_null(r.ErrorMessage, "%s", r.ErrorMessage);
	cr_assert_not_null(r.Handle);
	return r.Handle;
}

const void *hamkaas_compile(const void *handle, const char *script, const struct TNamedTensor *constants, int n)
{
	struct TCompilationResult r = CompileModel(handle, (struct TCompilationOptions){ false, false }, script, constants, n);

	cr_assert_null(r.ErrorMessage, "%s", r.ErrorMessage);
	cr_assert_not_null(r.Model);
	return r.Model;
}

void hamkaas_evaluate(const void *handle, const void *model, const struct TNamedTensor *inputs, int n, void *output)
{
	const char *message = EvaluateModel(handle, model, inputs, n, output);

	cr_assert_null(message, "%s", message);
}

void hamkaas_expect(const char *message, const char *says)
{
	cr_assert_not_null(message, "no message that says '%s'", says);
	cr_assert(strstr(message, says), "'%s' does not say '%s'", message, says);
	FreeErrorMessage((char *)(uintptr_t)message);
}
