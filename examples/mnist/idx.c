/* idx.c -- from MNIST's own format to NumPy's: mnist-idx FIRST COUNT OUT.npy <FILE.idx
 *
 * Takes COUNT records from record FIRST on.  Bytes of rank 1, the labels, stay bytes; those of rank 3, the images,
 * become float32 in 0..1.
 */
#include <stdio.h>
#include <stdlib.h>
#include "tools/tensor/tensor.h"

static int64_t read_extent(void)
{
	unsigned char b[4];

	if (fread(b, 1, 4, stdin) != 4)
		return -1;
	return (int64_t)b[0] << 24 | b[1] << 16 | b[2] << 8 | b[3];
}

/* Rank and shape; false if this is not an IDX file of bytes that holds the records wanted. */
static bool read_head(int64_t first, int64_t count, int32_t *rank, int64_t shape[3])
{
	unsigned char magic[4];

	if (fread(magic, 1, 4, stdin) != 4 || magic[0] || magic[1] || magic[2] != 8 || (magic[3] != 1 && magic[3] != 3))
		return false;
	*rank = magic[3];
	for (int i = 0; i < *rank; i++)
		if ((shape[i] = read_extent()) < 1 || shape[i] > 1000000)
			return false;
	return first >= 0 && count >= 1 && count <= shape[0] && first <= shape[0] - count;
}

static bool read_records(int64_t first, struct lt_tensor *t)
{
	size_t record = 1;

	for (int32_t i = 1; i < t->rank; i++)
		record *= (size_t)t->shape[i];
	for (size_t i = 0; i < record * (size_t)first; i++)
		if (getchar() == EOF)
			return false;
	for (size_t i = 0; i < record * (size_t)t->shape[0]; i++) {
		int c = getchar();

		if (c == EOF)
			return false;
		if (t->dtype == LT_U8)
			((uint8_t *)t->data)[i] = (uint8_t)c;
		else
			((float *)t->data)[i] = (float)c / 255;
	}
	return true;
}

int main(int argc, char **argv)
{
	struct lt_context *ctx;
	struct lt_tensor t;
	int64_t shape[3] = { 0 };
	int32_t rank = 0;
	int failed;

	if (argc != 4) {
		fprintf(stderr, "usage: mnist-idx FIRST COUNT OUT.npy <FILE.idx\n");
		return 2;
	}
	int64_t first = strtoll(argv[1], NULL, 10), count = strtoll(argv[2], NULL, 10);
	if (!read_head(first, count, &rank, shape)) {
		fprintf(stderr, "mnist-idx: no IDX file of bytes with records %s to %s+%s\n", argv[1], argv[1], argv[2]);
		return 1;
	}
	shape[0] = count;
	if (lt_context_new(&ctx))
		return 1;
	failed = lt__tensor_new(ctx, argv[3], "", rank == 1 ? LT_U8 : LT_F32, rank, shape, &t);
	if (!failed) {
		if (!read_records(first, &t)) {
			fprintf(stderr, "mnist-idx: the file ends early\n");
			failed = 1;
		}
		failed = failed || lt__npy_write(ctx, argv[3], &t);
		lt__tensor_free(&t);
	}
	if (*lt_context_message(ctx))
		fprintf(stderr, "%s\n", lt_context_message(ctx));
	lt_context_free(ctx);
	return failed != 0;
}
