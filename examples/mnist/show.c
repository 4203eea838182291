/* show.c -- prints classified digits: mnist-show [-q] IMAGES.npy RESULTS.npz LABELS.npy
 *
 * RESULTS holds the tensor `probability` of mnist.lt.  Each digit is printed as it looks, two rows of pixels a line,
 * with what it was taken for and how surely; then how many are right.  -q: only that.
 */
#include <stdio.h>
#include <string.h>
#include "tools/tensor/tensor.h"

#define SIZE 28
#define CELL 20         /* columns a digit takes on the screen */
#define ACROSS 4

struct digits { int64_t n; const float *image, *probability; const uint8_t *label; };

/* The first of ten that is the greatest. */
static int best(const float *p)
{
	int at = 0;

	for (int i = 1; i < 10; i++)
		if (p[i] > p[at])
			at = i;
	return at;
}

static bool is_ink(const float *image, int y, int x)
{
	return y >= 0 && y < SIZE && x >= 0 && x < SIZE && image[y * SIZE + x] > 0.4f;
}

/* First and last row (or column) with ink; those of an empty image are 0. */
static void find_ink(const float *image, bool columns, int *first, int *last)
{
	*first = *last = -1;
	for (int i = 0; i < SIZE; i++)
		for (int j = 0; j < SIZE; j++)
			if (columns ? is_ink(image, j, i) : is_ink(image, i, j)) {
				*first = *first < 0 ? i : *first;
				*last = i;
			}
	if (*first < 0)
		*first = *last = 0;
}

static void print_line(const float *image, int line)
{
	static const char *const block[4] = { " ", "\u2584", "\u2580", "\u2588" };
	int top, bottom, left, right;

	find_ink(image, false, &top, &bottom);
	find_ink(image, true, &left, &right);
	int x0 = (left + right + 1 - CELL) / 2, y0 = (top + bottom + 1 - 20) / 2 + 2 * line;
	for (int x = x0; x < x0 + CELL; x++)
		fputs(block[2 * is_ink(image, y0, x) + is_ink(image, y0 + 1, x)], stdout);
}

static void print_digits(const struct digits *d)
{
	for (int64_t row = 0; row < d->n; row += ACROSS) {
		int64_t end = row + ACROSS < d->n ? row + ACROSS : d->n;

		for (int line = 0; line < 11; line++, putchar('\n'))
			for (int64_t i = row; i < end; i++)
				print_line(d->image + i * SIZE * SIZE, line);
		for (int64_t i = row; i < end; i++) {
			int digit = best(d->probability + 10 * i);
			printf("      %d  %5.1f %%    ", digit, 100 * (double)d->probability[10 * i + digit]);
		}
		printf("\n\n");
	}
}

static int64_t count_right(const struct digits *d)
{
	int64_t right = 0;

	for (int64_t i = 0; i < d->n; i++)
		right += best(d->probability + 10 * i) == d->label[i];
	return right;
}

/* The tensor of that name in a file, if it has that type and shape (-1: any extent). */
static const struct lt_tensor *find(const struct lt_tensors *in, const char *name, enum lt_dtype dtype, int32_t rank,
	const int64_t *shape)
{
	for (int32_t i = 0; i < in->n; i++) {
		const struct lt_tensor *t = &in->at[i];
		bool fits = !strcmp(t->name, name) && t->dtype == dtype && t->rank == rank;

		for (int32_t axis = 0; fits && axis < rank; axis++)
			fits = shape[axis] < 0 || shape[axis] == t->shape[axis];
		if (fits)
			return t;
	}
	return NULL;
}

static bool read_digits(struct lt_context *ctx, char **path, struct lt_tensors file[3], struct digits *out)
{
	for (int i = 0; i < 3; i++)
		if (lt__tensors_read(ctx, path[i], &file[i])) {
			fprintf(stderr, "%s\n", lt_context_message(ctx));
			return false;
		}
	const struct lt_tensor *image = find(&file[0], "", LT_F32, 3, (int64_t[]){ -1, SIZE, SIZE });
	int64_t n = image ? image->shape[0] : -1;
	const struct lt_tensor *probability = find(&file[1], "probability", LT_F32, 2, (int64_t[]){ n, 10 });
	const struct lt_tensor *label = find(&file[2], "", LT_U8, 1, &n);
	if (!image || !probability || !label) {
		fprintf(stderr, "mnist-show: %s, %s and %s do not hold images, their probabilities and labels\n",
			path[0], path[1], path[2]);
		return false;
	}
	*out = (struct digits){ n, image->data, probability->data, label->data };
	return true;
}

int main(int argc, char **argv)
{
	bool quiet = argc > 1 && !strcmp(argv[1], "-q");
	struct lt_tensors file[3] = { { 0 } };
	struct lt_context *ctx;
	struct digits d;
	bool ok;

	if (argc != 4 + quiet) {
		fprintf(stderr, "usage: mnist-show [-q] IMAGES.npy RESULTS.npz LABELS.npy\n");
		return 2;
	}
	if (lt_context_new(&ctx))
		return 1;
	ok = read_digits(ctx, argv + 1 + quiet, file, &d);
	if (ok) {
		if (!quiet)
			print_digits(&d);
		printf("%lld of %lld right", (long long)count_right(&d), (long long)d.n);
		printf(" (%.2f %%)\n", 100 * (double)count_right(&d) / (double)d.n);
	}
	for (int i = 0; i < 3; i++)
		lt__tensors_free(&file[i]);
	lt_context_free(ctx);
	return !ok;
}
