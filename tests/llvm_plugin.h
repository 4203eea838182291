/* tests/llvm_plugin.h -- the outside backend llvm, or with TEST_LLVM_KERNEL the optional one that prints kernel
 * programs, loaded for a test, which is skipped where it is not built. */
#ifndef TESTS_LLVM_PLUGIN_H
#define TESTS_LLVM_PLUGIN_H
#include <criterion/criterion.h>
#include <stdio.h>
#include <unistd.h>
#include "lt/lt.h"
#include "tests/built.h"
#include "tests/keeper.h"

#ifdef TEST_LLVM_KERNEL
#define LLVM_NAME "llvm_kernel"
#define LLVM_FILE "backends/llvm.so"
enum { LLVM_TURNS = 0 };                /* squares in registers: that is a matter of steps of kernel programs */
#else
#define LLVM_NAME "llvm"
#define LLVM_FILE "examples/plugin/llvm.so"
enum { LLVM_TURNS = 1 };
#endif

/* Its file; static storage. */
static inline const char *llvm_path(void)
{
	static char path[512];
	(void)snprintf(path, sizeof path, "%s", built(LLVM_FILE));
	return path;
}

static inline void llvm_load(void)
{
	struct keeper k = keeper_new();
	if (access(llvm_path(), R_OK) != 0)
		cr_skip_test("no %s: make plugins needs LLVM's development files", llvm_path());
	cr_assert_eq(lt_backend_load(llvm_path(), &k.diag), LT_OK, "%s", k.text);
}
#endif
