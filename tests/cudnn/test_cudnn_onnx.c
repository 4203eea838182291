/* test_cudnn_onnx.c -- attention of ONNX models: what each is cut into by default, as tests/groups/onnx-NAME.txt
 * has it (LT_BLESS=1 rewrites it).  What such calls give is test_cudnn.c's.
 */
#include <criterion/criterion.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "lt/frontend.h"
#include "tests/built.h"
#include "tests/partition.h"

TestSuite(cudnn_onnx, .timeout = 300);

/* calls: of libraries; what a mask adds by numbers is not handed over by default, and where keys count by lengths
 * the two products alone are. */
static const struct { const char *name; int calls; } cases[] = { { "plain", 1 }, { "causal", 1 },
	{ "float32_inside", 1 }, { "boolean", 1 }, { "added", 1 }, { "lengths", 1 }, { "shared_heads", 1 },
	{ "multi_head", 1 }, { "multi_head_causal", 1 }, { "multi_head_added", 1 }, { "multi_head_keys", 0 },
	{ "group_query", 1 }, { "root_of_a_shape", 1 }, { "kept_booleans", 1 }, { "kept_numbers", 1 },
	{ "triangle_of_ones", 1 }, { "padded", 2 }, { "padded_causal", 2 }, { "projected", 1 },
	{ "projected_biased", 1 }, { "projected_masked", 1 }, { "projected_biased_masked", 1 } };
enum { N_CASE = sizeof cases / sizeof *cases };

Test(cudnn_onnx, partitions)
{
	static const char *const mocks[] = { "tests/cuda/libcuda.so.1", "tests/cuda/libcublasLt.so.13",
		"tests/cudnn/libcudnn.so.9", "tests/cudnn/libnvrtc.so.13" };
	if (!lt_frontend_find("onnx"))
		cr_skip_test("it needs the front end onnx");
	for (size_t i = 0; i < sizeof mocks / sizeof *mocks; i++)
		cr_assert_not_null(dlopen(built(mocks[i]), RTLD_NOW | RTLD_LOCAL), "%s", dlerror());
	for (size_t i = 0; i < N_CASE; i++) {
		char path[80], model[80];
		size_t bytes;
		(void)snprintf(model, sizeof model, "tests/onnx/attention/%s.onnx", cases[i].name);
		(void)snprintf(path, sizeof path, "tests/groups/onnx-%s.txt", cases[i].name);
		char *text = partition_script(model, NULL, &bytes);
		cr_expect_eq(partition_compare(path, cases[i].name, text, bytes, "cudnn"), cases[i].calls, "%s", cases[i].name);
		free(text);
	}
}
