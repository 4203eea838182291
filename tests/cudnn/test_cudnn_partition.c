/* test_cudnn_partition.c -- which groups whole networks are cut into for the rows of this backend's table, as
 * tests/groups/cudnn-NAME.txt has it (LT_BLESS=1 rewrites it).  The library is asked for nothing but its version.
 */
#include <criterion/criterion.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include "tests/built.h"
#include "tests/partition.h"

TestSuite(cudnn_partition, .timeout = 300);

/* net: of networks.h, or a file of a script.  calls: at least. */
static const struct { const char *name, *backend, *net, *type; int calls; } cases[] = {
	{ "resnet50", "cudnn", "resnet50", "float32", 30 }, { "resnet50-tf32", "cudnn:tf32", "resnet50", "float32", 30 },
	{ "resnet50-f16", "cudnn", "resnet50", "float16", 53 },
	{ "vgg11", "cudnn", "tests/groups/vgg11.lt", NULL, 8 },
	{ "mobilenetv2", "cudnn", "mobilenetv2", "float32", 0 }, { "mobilenetv2-f16", "cudnn", "mobilenetv2", "float16", 17 },
	{ "squeezenet", "cudnn", "squeezenet", "float32", 9 }, { "squeezenet-f16", "cudnn", "squeezenet", "float16", 10 },
	{ "densenet121-f16", "cudnn", "densenet121", "float16", 41 },
	{ "efficientnet_b0-f16", "cudnn", "efficientnet_b0", "float16", 19 },
	{ "inception_v3", "cudnn", "inception_v3", "float32", 53 },
	{ "inception_v3-f16", "cudnn", "inception_v3", "float16", 69 },
	{ "bert", "cudnn", "bert", "float32", 2 * 12 }, { "bert-f16", "cudnn", "bert", "float16", 7 * 12 },
	{ "padded", "cudnn", "tests/groups/padded.lt", NULL, 0 },
	{ "mnist", "cudnn", "examples/hamkaas-mnist.lt", NULL, 0 },
	{ "llama_step", "cudnn", "examples/llama/stories15M.lt", NULL, 0 },
	{ "silu", "cudnn", "tests/golden/groups-silu.lt", NULL, 0 },
};

Test(cudnn_partition, of_whole_networks)
{
	static const char *const mocks[] = { "tests/cuda/libcuda.so.1", "tests/cuda/libcublasLt.so.13",
		"tests/cudnn/libcudnn.so.9", "tests/cudnn/libnvrtc.so.13" };
	for (size_t i = 0; i < sizeof mocks / sizeof *mocks; i++)
		cr_assert_not_null(dlopen(built(mocks[i]), RTLD_NOW | RTLD_LOCAL), "%s", dlerror());
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		char path[64];
		size_t bytes;
		char *text = partition_script(cases[i].net, cases[i].type, &bytes);
		(void)snprintf(path, sizeof path, "tests/groups/cudnn-%s.txt", cases[i].name);
		int calls = partition_compare(path, cases[i].name, text, bytes, cases[i].backend);
		cr_expect_geq(calls, cases[i].calls, "%s: %d calls", cases[i].name, calls);
		free(text);
	}
}
