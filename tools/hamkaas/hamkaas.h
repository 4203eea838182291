/* hamkaas.h -- the C interface of HamKaas, unchanged, as libhamkaas.so offers it.
 *
 * A message that is not NULL says what went wrong and is the caller's, to be freed with HamKaasFreeErrorMessage.  A
 * handle and a model may be used by several threads; evaluations of one model wait for one another, those of
 * different models do not.  A BufferTensor belongs to its model and keeps its content from one evaluation to the next.
 */
#ifndef HAMKAAS_H
#define HAMKAAS_H
#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif
#define HAMKAAS_API __attribute__((visibility("default")))

struct TInitializationResult { void *Handle; const char *ErrorMessage; };
struct TNamedTensor          { const char *Name; const char *Data; };
struct TCompilationOptions   { bool UseGpu; bool UseCudnn; };
struct TCompilationResult    { const void *Model; const char *ErrorMessage; };

HAMKAAS_API struct TInitializationResult HamKaasInitialize(void);
HAMKAAS_API void HamKaasFinalize(void *handle);
/* Constants are copied. UseGpu takes the backend `cuda`, UseCudnn the backend `cudnn`; compilation fails where it is
 * not usable. Of equal names in `constants` the last counts, names that the script does not have are passed over. */
HAMKAAS_API struct TCompilationResult HamKaasCompileModel(const void *handle, struct TCompilationOptions options,
	const char *script, const struct TNamedTensor *constants, int n_constants);
HAMKAAS_API void HamKaasFreeModel(const void *handle, const void *model);
/* Inputs are found by their names as constants are, and read during the call. output: room for the script's result,
 * written row-major and without gaps. */
HAMKAAS_API const char *HamKaasEvaluateModel(
	const void *handle, const void *model, const struct TNamedTensor *inputs, int n_inputs, char *output);
HAMKAAS_API void HamKaasFreeErrorMessage(char *message);
/* out[i] = 1 / in[i]; stops with "Division by zero (index = i)". */
HAMKAAS_API char *HamKaasInverseElements(float *in, float *out, int size);

#ifdef __cplusplus
}
#endif
#endif
