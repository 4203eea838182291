/* cases.h -- the models of the .npz files of this folder (made by make_*.py), with what they
 * are given and must give. */
#ifndef TESTS_ONNX_CASES_H
#define TESTS_ONNX_CASES_H
#include "lt/lt.h"
#include "tools/tensor/tensor.h"

enum { ONNX_MAX_GIVEN = 14, ONNX_MAX_CASES = 800, ONNX_MAX_RUNS = 8, ONNX_FILES = 8 };
/* What one run is given, and gives. */
struct onnx_given {
	const struct lt_tensor *in[ONNX_MAX_GIVEN], *out[ONNX_MAX_GIVEN];
	int n_in, n_out;
};
struct onnx_case {
	char name[80];
	const struct lt_tensor *model, *error;
	const char *dim[4];
	char dims[200];
	struct lt_fixed fixed[ONNX_MAX_GIVEN];
	struct onnx_given run[ONNX_MAX_RUNS];
	int n_dim, n_fixed, n_run;
};
struct onnx_cases { struct lt_tensors file[ONNX_FILES]; struct onnx_case at[ONNX_MAX_CASES]; int n; };

/* All of the files; fails the test if there are none. */
void onnx_cases_read(struct lt_context *, struct onnx_cases *);
void onnx_cases_free(struct onnx_cases *);
/* The last word of an entry's name: of "conv/in/a" "a". */
const char *onnx_case_tensor(const struct lt_tensor *);
lt_status onnx_case_parse(struct lt_context *, const struct onnx_case *, const void *model, size_t bytes,
	struct lt_graph **out);
#endif
