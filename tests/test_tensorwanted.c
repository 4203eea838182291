/* test_tensorwanted.c -- tensors of a file that nobody wants are not read: what is packed stays packed, and what is
 * large takes no memory; what is wanted is in memory once. */
#include <stdio.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include <zip.h>
#include "tests/sanitized.h"
#include "tests/tensors.h"

TestSuite(tensorwanted, .init = tensors_set_up, .fini = tensors_tear_down, .timeout = 120);

enum { MB = 1 << 20, LARGE = 96 * MB };

static bool by_name(void *name, const struct lt_tensor *t)
{
	cr_assert_null(t->data);
	return !strcmp(t->name, name);
}

static long peak_kb(void)
{
	struct rusage r;

	cr_assert_eq(getrusage(RUSAGE_SELF, &r), 0);
	return r.ru_maxrss;
}

/* The wanted one has data, the others have none, in less than so many MB more. */
static void read_one(const char *path, const char *name, int most_mb, struct lt_tensors *out)
{
	const struct lt_wanted wanted = { by_name, (void *)(uintptr_t)name };
	const long before = peak_kb();

	cr_assert_eq(lt__tensors_read_wanted(ctx, path, &wanted, out), LT_OK, "%s", lt_context_message(ctx));
	const long more = peak_kb() - before;
	cr_expect(SANITIZED || more < most_mb * 1024L, "%s of %s takes %ld KB", name, path, more);
	for (int i = 0; i < out->n; i++)
		cr_assert_eq(!!out->at[i].data, !strcmp(out->at[i].name, name), "%s", out->at[i].name);
}

/* Zeros, which are packed to a thousandth, and three numbers. */
static void write_packed(const char *path)
{
	static const float three[] = { 1, 2, 3 };
	unsigned char small[256];
	char header[200];
	int code = 0;
	unsigned char *large = calloc(1, LARGE + 256);

	snprintf(header, sizeof header, "{'descr': '|u1', 'fortran_order': False, 'shape': (%d,), }", LARGE);
	const size_t n = write_npy(large, 1, header, NULL, 0) + LARGE,
		     m = write_npy(small, 1, "{'descr': '<f4', 'fortran_order': False, 'shape': (3,), }", three, sizeof three);
	zip_t *z = zip_open(path, ZIP_CREATE | ZIP_TRUNCATE, &code);
	cr_assert_not_null(z);
	cr_assert_eq(zip_file_add(z, "large.npy", zip_source_buffer(z, large, n, 0), 0), 0);
	cr_assert_eq(zip_file_add(z, "small.npy", zip_source_buffer(z, small, m, 0), 0), 1);
	cr_assert_eq(zip_set_file_compression(z, 0, ZIP_CM_DEFLATE, 1), 0);
	cr_assert_eq(zip_close(z), 0);
	free(large);
}

/* Written by a process of its own: what that takes is none of the reader's. */
Test(tensorwanted, an_entry_of_an_npz)
{
	struct lt_tensors t;
	char *path = strdup(scratch("packed.npz"));
	const pid_t pid = fork();

	if (pid == 0) {
		write_packed(path);
		_exit(0);
	}
	cr_assert_eq(waitpid(pid, NULL, 0), pid);
	read_one(path, "none", 4, &t);
	cr_assert_eq(t.n, 2);
	lt__tensors_free(&t);
	read_one(path, "small", 4, &t);
	cr_assert_eq(t.at[1].bytes, 12);
	cr_assert_eq(number(&t.at[1], 2), 3);
	lt__tensors_free(&t);
	read_one(path, "large", LARGE / MB + 4, &t);
	cr_assert_eq(t.at[0].bytes, LARGE);
	lt__tensors_free(&t);
	free(path);
}

/* A file with holes, as large as it says. */
static void write_holes(const char *path, const void *begin, size_t bytes, off_t size)
{
	FILE *f = fopen(path, "wb");

	cr_assert_not_null(f);
	cr_assert_eq(fwrite(begin, 1, bytes, f), bytes);
	cr_assert_eq(fclose(f), 0);
	cr_assert_eq(truncate(path, size), 0);
}

Test(tensorwanted, a_large_npy)
{
	static const char header[] = "{'descr': '|u1', 'fortran_order': False, 'shape': (100000000000,), }";
	unsigned char begin[256];
	struct lt_tensors t;
	const size_t n = write_npy(begin, 1, header, NULL, 0);

	write_holes(scratch("large.npy"), begin, n, 100000000000 + (off_t)n);
	read_one(scratch("large.npy"), "none", 2, &t);
	cr_assert_eq(t.at[0].bytes, 100000000000);
	lt__tensors_free(&t);
}

Test(tensorwanted, a_tensor_of_a_safetensors)
{
	static const char header[] = "{\"large\":{\"dtype\":\"U8\",\"shape\":[100000000000],"
		"\"data_offsets\":[0,100000000000]},"
		"\"small\":{\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[100000000000,100000000008]}}";
	unsigned char begin[512] = { sizeof header - 1 };
	struct lt_tensors t;

	memcpy(begin + 8, header, sizeof header - 1);
	write_holes(scratch("large.safetensors"), begin, sizeof header + 7, 100000000008 + (off_t)sizeof header + 7);
	read_one(scratch("large.safetensors"), "small", 4, &t);
	cr_assert_eq(t.at[1].bytes, 8);
	lt__tensors_free(&t);
}

/* A header that is packed may be as large as it likes, too. */
Test(tensorwanted, a_header_without_end)
{
	unsigned char *file = calloc(1, 4 * MB);
	struct lt_tensor t;
	char *blanks = malloc(2 * MB);

	memset(blanks, ' ', 2 * MB);
	blanks[2 * MB - 1] = 0;
	const size_t n = write_npy(file, 2, blanks, NULL, 0);
	cr_assert_neq(lt__npy_parse(ctx, "x.npy", "", file, n, &t), LT_OK);
	cr_assert(strstr(lt_context_message(ctx), "x.npy: its header is said to have 2097151 bytes; at most 1048576 are read"),
		"%s", lt_context_message(ctx));
	free(file);
	free(blanks);
}

/* An array in Fortran's order that is read in several parts. */
Test(tensorwanted, fortran_in_parts)
{
	enum { M = 211, N = 97, K = 13 };
	int16_t *data = malloc(sizeof *data * M * N * K);
	unsigned char *file = malloc(sizeof *data * M * N * K + 256);
	struct lt_tensor t;

	for (int m = 0; m < M; m++)
		for (int n = 0; n < N; n++)
			for (int k = 0; k < K; k++)
				data[m + M * (n + N * k)] = (int16_t)((m * N + n) * K + k - 100000);
	const size_t bytes = write_npy(file, 1, "{'descr': '<i2', 'fortran_order': True, 'shape': (211, 97, 13), }", data,
		sizeof *data * M * N * K);
	cr_assert_eq(lt__npy_parse(ctx, "x.npy", "", file, bytes, &t), LT_OK, "%s", lt_context_message(ctx));
	for (int i = 0; i < M * N * K; i++)
		cr_assert_eq(((int16_t *)t.data)[i], (int16_t)(i - 100000), "%d", i);
	lt__tensor_free(&t);
	free(data);
	free(file);
}
