/* hamkaas.c -- a program written for HamKaas: compiles a script, evaluates it, prints the output. */
#include <stdio.h>
#include <string.h>
#include <hamkaas.h>

int main(void)
{
	const char *script = "$1 = InputTensor(x, float32, [3]);\n$2 = ReLUNode($1);\n$3 = SumNode($2, $2);\nresult = $3;\n";
	const float x[3] = { -1, 2, 3 };
	float y[3];
	struct TNamedTensor in = { "x", (const char *)x };
	struct TCompilationOptions options = { 0 };
	struct TInitializationResult start = HamKaasInitialize();

	if (start.ErrorMessage)
		return puts(start.ErrorMessage), 1;
	struct TCompilationResult compiled = HamKaasCompileModel(start.Handle, options, script, NULL, 0);
	if (compiled.ErrorMessage)
		return puts(compiled.ErrorMessage), 1;
	const char *error = HamKaasEvaluateModel(start.Handle, compiled.Model, &in, 1, (char *)y);
	if (error)
		return puts(error), 1;
	printf("%g %g %g\n", (double)y[0], (double)y[1], (double)y[2]);
	HamKaasFreeModel(start.Handle, compiled.Model);
	HamKaasFinalize(start.Handle);
	return 0;
}
