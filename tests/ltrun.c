/* ltrun.c -- lt-run in a process of its own, in a folder with a few scripts. */
#include <criterion/criterion.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include "tests/built.h"
#include "tests/ltrun.h"

struct lt_context *ltrun_ctx;
char ltrun_out[1 << 20], ltrun_err[1 << 16];

void ltrun_write_text(const char *name, const char *text)
{
	FILE *f = fopen(scratch(name), "w");

	cr_assert_not_null(f);
	fputs(text, f);
	fclose(f);
}

void ltrun_set_up(void)
{
	cr_assert_eq(lt_context_new(&ltrun_ctx), LT_OK);
	setenv("XDG_CACHE_HOME", scratch(""), 1);
	unsetenv("LT_BACKEND_PATH");
	unsetenv("CC");
	ltrun_write_text("add.lt",
		"$1 = InputTensor(x, float32, [2, 3]);\n$2 = ConstantTensor(w, float32, [1, 3]);\n$3 = SumNode($1, "
		"$2);\nresult = $3;\n");
	ltrun_write_text("large.lt", "$1 = InputTensor(x, float32, [1000000000, 1000000]);\nresult = $1;\n");
	ltrun_write_text("two.lt",
		"$1 = InputTensor(x, float32, [2]); $2 = SumNode($1, $1); result = $2; $3 = HadamardProductNode($1, "
		"$1); result square = $3;");
	ltrun_write_text("count.lt",
		"$1 = BufferTensor(total, float32, [4]); $2 = InputTensor(part, float32, [2]); $3 = InputTensor(begin, "
		"int64, [1]);$4 = InputTensor(end, int64, [1]); $5 = ReplaceSliceNode($1, $2, $3, $4); result = $5;");
	ltrun_write_text("copy.lt", "$1 = InputTensor(a=b, float32, [3]); $2 = InputTensor(unused, int64, [5]); result = $1;");
}

void ltrun_tear_down(void)
{
	lt_context_free(ltrun_ctx);
	scratch_remove();
}

int ltrun(const char *fmt, ...)
{
	va_list args;
	int code;

	va_start(args, fmt);
	code = run_in_scratch(ltrun_out, sizeof ltrun_out, ltrun_err, sizeof ltrun_err, built("lt-run"), fmt, args);
	va_end(args);
	return code;
}

void ltrun_read(const char *name, struct lt_tensors *t)
{
	cr_assert_eq(lt__tensors_read(ltrun_ctx, scratch(name), t), LT_OK, "%s", lt_context_message(ltrun_ctx));
}

void ltrun_write(const char *name, int n, const struct lt_tensor *at)
{
	const struct lt_tensors t = { .at = (struct lt_tensor *)(uintptr_t)at, .n = n };

	cr_assert_eq(lt__tensors_write(ltrun_ctx, scratch(name), &t), LT_OK, "%s", lt_context_message(ltrun_ctx));
}

struct lt_tensor ltrun_tensor(
	const char *name, enum lt_dtype dtype, int32_t rank, const int64_t *shape, const void *data)
{
	struct lt_tensor t = { .name = (char *)(uintptr_t)name,
		.dtype = dtype,
		.rank = rank,
		.shape = (int64_t *)(uintptr_t)shape,
		.data = (void *)(uintptr_t)data };

	lt__tensor_bytes(dtype, rank, shape, &t.bytes);
	return t;
}
