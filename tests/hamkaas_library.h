/* hamkaas_library.h -- libhamkaas.so, loaded as a program written for HamKaas loads it, and calls that may not
 * fail. */
#ifndef TESTS_HAMKAAS_LIBRARY_H
#define TESTS_HAMKAAS_LIBRARY_H
#include <stdbool.h>
#include "tools/hamkaas/hamkaas.h"

/* Set by hamkaas_set_up, which also keeps compiled code in the test's own folder. */
extern __typeof__(&HamKaasInitialize) Initialize;
extern __typeof__(&HamKaasFinalize) Finalize;
extern __typeof__(&HamKaasCompileModel) CompileModel;
extern __typeof__(&HamKaasFreeModel) FreeModel;
extern __typeof__(&HamKaasEvaluateModel) EvaluateModel;
extern __typeof__(&HamKaasFreeErrorMessage) FreeErrorMessage;
extern __typeof__(&HamKaasInverseElements) InverseElements;
void hamkaas_set_up(void);

void *hamkaas_initialize(void);
const void *hamkaas_compile(
	const void *handle, const char *script, const struct TNamedTensor *constants, int n);
void hamkaas_evaluate(
	const void *handle, const void *model, const struct TNamedTensor *inputs, int n, void *output);
/* The message is there and says that; frees it. */
void hamkaas_expect(const char *message, const char *says);
#define TENSOR(name, data) ((struct TNamedTensor){ name, (const char *)(data) })
#endif
