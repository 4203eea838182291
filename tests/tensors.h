/* tensors.h -- what the tests of tensor files share. */
#ifndef TESTS_TENSORS_H
#define TESTS_TENSORS_H
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>
#include "ir/op/op.h"
#include "tests/built.h"
#include "tools/tensor/tensor.h"

static struct lt_context *ctx;

static inline void tensors_set_up(void) { cr_assert_eq(lt_context_new(&ctx), LT_OK); }

static inline void tensors_tear_down(void)
{
	lt_context_free(ctx);
	scratch_remove();
}

/* A value as a number, whatever its type. */
static inline double number(const struct lt_tensor *t, int64_t i)
{
	union lt_scalar v = lt__load(t->data, i, t->dtype);

	return lt__dtype_info(t->dtype)->cls == LT_CLASS_FLOAT ? v.f : (double)v.i;
}

/* A .npy of that version, header and data; its size. */
static inline size_t write_npy(unsigned char *out, int version, const char *header, const void *data, size_t bytes)
{
	size_t n = strlen(header), at = version == 1 ? 10 : 12;

	memcpy(out, "\x93NUMPY", 6);
	out[6] = (unsigned char)version;
	out[7] = 0;
	for (size_t i = 8; i < at; i++)
		out[i] = (unsigned char)(n >> 8 * (i - 8));
	memcpy(out + at, header, n);
	if (bytes)
		memcpy(out + at + n, data, bytes);
	return at + n + bytes;
}

/* The file is refused with that sentence, which begins with the file's name, and nothing is given. */
static inline void expect_bad(const char *path, const char *says)
{
	struct lt_tensors t;

	cr_assert_neq(lt__tensors_read(ctx, path, &t), LT_OK, "%s", path);
	cr_assert(strstr(lt_context_message(ctx), says), "%s", lt_context_message(ctx));
	cr_assert_eq(strncmp(lt_context_message(ctx), path, strlen(path)), 0, "%s", lt_context_message(ctx));
	cr_assert(t.n == 0 && !t.at);
}
#endif
