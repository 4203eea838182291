/* backends.c -- backends by name, for the values of options. */
#include <stdio.h>
#include <string.h>
#include "base/arena.h"
#include "base/nearest.h"
#include "lt/backend.h"
#include "tools/option/option.h"
#include "tools/common/common.h"

const char *lt__backend_name(int i)
{
	return i < (int)lt_backend_count() ? lt_backend_at((uint32_t)i)->name : NULL;
}

const char *lt__backend_offered(int i)
{
	const int n = (int)lt_backend_count();

	return i < n ? lt__backend_name(i) : i == n && !lt_backend_find("llvm") ? "llvm" : NULL;
}

static bool is_called(const char *name, size_t bytes, const char *word)
{
	return strlen(word) == bytes && !memcmp(name, word, bytes);
}

void lt__backend_how_to_get(const char *name, size_t bytes, char *out, size_t cap)
{
	char folders[3000];

	out[0] = 0;
	if (is_called(name, bytes, "cuda"))
		snprintf(out, cap, "; it was left out when this was built, as cuda.h and nvrtc.h were not found: install NVIDIA's "
			"CUDA toolkit (nvidia-cuda-toolkit of Debian and Ubuntu), then run make again; make CUDA=FOLDER names its headers");
	else if (is_called(name, bytes, "cudnn"))
		snprintf(out, cap, "; it was left out when this was built, as cudnn_graph.h of cuDNN 9 was not found beside the "
			"headers of the CUDA toolkit: install cuDNN (cudnn9-cuda-13 of NVIDIA's packages), then run make again");
	else if (is_called(name, bytes, "opencl"))
		snprintf(out, cap, "; it was left out when this was built, as CL/cl.h was not found: apt-get install "
			"opencl-c-headers ocl-icd-libopencl1, then run make again");
	if (!is_called(name, bytes, "llvm"))
		return;
	lt__plugins_folders(folders, sizeof folders);
	snprintf(out, cap, "; it is a file of its own, llvm.so, looked for in %s; make builds it where it finds LLVM's "
		"llvm-config, 15 or newer (apt-get install llvm-19-dev); -B FILE.so names one that is elsewhere", folders);
}

lt_status lt__backend_named(struct lt_context *ctx, const char *name, size_t bytes, const struct lt_backend **out)
{
	char names[512], where[3300];
	struct lt_nearest near;

	lt__nearest_begin(&near, name, bytes);
	for (uint32_t i = 0; i < lt_backend_count(); i++) {
		*out = lt_backend_at(i);
		if (strlen((*out)->name) == bytes && !memcmp((*out)->name, name, bytes))
			return LT_OK;
		lt__nearest_add(&near, (*out)->name);
	}
	*out = NULL;
	lt__option_words(&(struct lt_tool_option){ .list = lt__backend_name }, names, sizeof names);
	lt__backend_how_to_get(name, bytes, where, sizeof where);
	return lt_fail(ctx, LT_EINVAL, "there is no backend '%.*s'%s (there are: %s)%s", (int)bytes, name,
		lt__nearest_hint(ctx, &near, "'", "'"), names, *where ? where
		: "; one of your own is loaded from a folder in LT_BACKEND_PATH, by lt-run, lt-check and lt-bench also by "
		"-B FILE.so");
}
