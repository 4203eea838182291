/* llvm_plugin.h -- the backend llvm, loaded for a test, which is skipped where it is not built. */
#ifndef TESTS_LLVM_PLUGIN_H
#define TESTS_LLVM_PLUGIN_H
#include <criterion/criterion.h>
#include <stdio.h>
#include <unistd.h>
#include "lt/lt.h"
#include "tests/built.h"
#include "tests/keeper.h"

/* Its file; static storage. */
static inline const char *llvm_path(void)
{
	static char path[512];
	(void)snprintf(path, sizeof path, "%s", built("backends/llvm.so"));
	return path;
}

static inline void llvm_load(void)
{
	struct keeper k = keeper_new();
	if (access(llvm_path(), R_OK) != 0)
		cr_skip_test("no %s: it needs LLVM's development files", llvm_path());
	cr_assert_eq(lt_backend_load(llvm_path(), &k.diag), LT_OK, "%s", k.text);
}
#endif
