/* tensor.c -- tensors in memory. */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include "base/arena.h"
#include "ir/op/op.h"
#include "tools/common/common.h"
#include "tools/tensor/tensor.h"

bool lt__tensor_bytes(enum lt_dtype dtype, int32_t rank, const int64_t *shape, size_t *bytes)
{
	int64_t n = lt__dtype_info(dtype)->bytes;

	for (int32_t i = 0; i < rank; i++)
		if (shape[i] < 0 || lt__mul_overflow(n, shape[i], &n))
			return false;
	*bytes = (size_t)n;
	return true;
}

lt_status lt__tensor_head(struct lt_context *ctx, const char *file, const char *name, enum lt_dtype dtype, int32_t rank,
	const int64_t *shape, struct lt_tensor *out)
{
	struct lt_tensor t = { .dtype = dtype, .rank = rank };

	memset(out, 0, sizeof *out);
	if (!lt__tensor_bytes(dtype, rank, shape, &t.bytes) || t.bytes > SIZE_MAX - 128)
		return lt_fail(ctx, LT_EOVERFLOW, "%s: the size of '%s' exceeds 63 bits", file, name);
	t.name = strdup(name);
	t.shape = malloc((size_t)rank * sizeof *shape + 1);
	if (!t.name || !t.shape) {
		lt__tensor_free(&t);
		return lt_fail(ctx, LT_ENOMEM, "%s: out of memory", file);
	}
	if (rank > 0)
		memcpy(t.shape, shape, (size_t)rank * sizeof *shape);
	*out = t;
	return LT_OK;
}

lt_status lt__tensor_room(struct lt_context *ctx, const char *file, struct lt_tensor *t)
{
	double has;

	t->data = NULL;
	if (lt__memory_lacks((double)t->bytes, &has))
		return lt_fail(ctx, LT_ENOMEM, "%s: out of memory: '%s' takes %.1f GB, and this machine has %.1f GB", file, t->name,
			(double)t->bytes / 1e9, has / 1e9);
	t->data = aligned_alloc(64, (t->bytes + 127) / 64 * 64);
	return t->data ? LT_OK :
		lt_fail(ctx, LT_ENOMEM, "%s: out of memory: '%s' takes %zu bytes", file, t->name, t->bytes);
}

lt_status lt__tensor_new(struct lt_context *ctx, const char *file, const char *name, enum lt_dtype dtype, int32_t rank,
	const int64_t *shape, struct lt_tensor *out)
{
	LT_TRY(lt__tensor_head(ctx, file, name, dtype, rank, shape, out));
	lt_status status = lt__tensor_room(ctx, file, out);
	if (status)
		lt__tensor_free(out);
	return status;
}

bool lt__tensor_is_wanted(const struct lt_wanted *wanted, const struct lt_tensor *t)
{
	return !wanted || wanted->is_wanted(wanted->user, t);
}

void lt__tensor_free(struct lt_tensor *t)
{
	free(t->name);
	free(t->shape);
	if (!t->borrowed)
		free(t->data);
	t->name = NULL;
	t->shape = NULL;
	t->data = NULL;
}

void lt__bytes_free(struct lt_bytes *b)
{
	if (b->mapped)
		munmap((void *)(uintptr_t)b->at, b->n);
	free(b->heap);
	memset(b, 0, sizeof *b);
}

void lt__tensors_free(struct lt_tensors *t)
{
	for (int32_t i = 0; i < t->n; i++)
		lt__tensor_free(&t->at[i]);
	free(t->at);
	lt__bytes_free(&t->file);
	t->at = NULL;
	t->n = 0;
}

const char *lt__shape_text(char *out, size_t bytes, int32_t rank, const int64_t *shape)
{
	size_t n = (size_t)snprintf(out, bytes, "(");

	for (int32_t i = 0; i < rank; i++) {
		if (n + 40 > bytes) {
			n += (size_t)snprintf(out + n, bytes - n, "...");
			break;
		}
		n += (size_t)snprintf(out + n, bytes - n, i ? ", %lld" : "%lld", (long long)shape[i]);
	}
	snprintf(out + n, bytes - n, rank == 1 ? ",)" : ")");
	return out;
}

static int by_name(const void *a, const void *b)
{
	return strcmp((*(const struct lt_tensor *const *)a)->name, (*(const struct lt_tensor *const *)b)->name);
}

bool lt__tensors_twice(const struct lt_tensors *t, const char **twice)
{
	const struct lt_tensor **sorted = malloc(((size_t)t->n + 1) * sizeof(struct lt_tensor *));

	*twice = NULL;
	if (!sorted)
		return false;
	for (int32_t i = 0; i < t->n; i++)
		sorted[i] = &t->at[i];
	qsort(sorted, (size_t)t->n, sizeof(struct lt_tensor *), by_name);
	for (int32_t i = 1; i < t->n && !*twice; i++)
		if (!strcmp(sorted[i]->name, sorted[i - 1]->name))
			*twice = sorted[i]->name;
	free(sorted);
	return true;
}
