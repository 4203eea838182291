/* test_tensorfile.c -- .npy put together by hand, by NumPy, and lying; every format written, cut and changed. */
#include <stdint.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>
#include "tools/common/common.h"
#include "tests/tensors.h"

TestSuite(tensorfile, .init = tensors_set_up, .fini = tensors_tear_down, .timeout = 60);

/* ---- .npy put together by hand ---- */

/* What six elements 1, 2, 3, 4, 5, 100 are in each type, most significant byte first. */
static const struct { const char *code; enum lt_dtype dtype; int bytes; uint64_t bits[6];
} types[] = {
	{ "f4", LT_F32, 4, { 0x3f800000, 0x40000000, 0x40400000, 0x40800000, 0x40a00000, 0x42c80000 } },
	{ "f8", LT_F64, 8,
		{ 0x3ff0000000000000, 0x4000000000000000, 0x4008000000000000, 0x4010000000000000, 0x4014000000000000,
			0x4059000000000000 } },
	{ "f2", LT_F16, 2, { 0x3c00, 0x4000, 0x4200, 0x4400, 0x4500, 0x5640 } },
	{ "i1", LT_I8, 1, { 1, 2, 3, 4, 5, 100 } },
	{ "u1", LT_U8, 1, { 1, 2, 3, 4, 5, 100 } },
	{ "i2", LT_I16, 2, { 1, 2, 3, 4, 5, 100 } },
	{ "i4", LT_I32, 4, { 1, 2, 3, 4, 5, 100 } },
	{ "i8", LT_I64, 8, { 1, 2, 3, 4, 5, 100 } },
	{ "b1", LT_BOOL, 1, { 1, 2, 3, 4, 5, 100 } },
};
static const double six[] = { 1, 2, 3, 4, 5, 100 };

Test(tensorfile, npy_every_type_order_and_version)
{
	unsigned char file[512], data[48];
	char header[256];
	struct lt_tensor t;

	for (size_t k = 0; k < sizeof types / sizeof *types; k++)
		for (int variant = 0; variant < 12; variant++) {
			bool big = variant & 1, fortran = variant & 2;
			int version = 1 + variant / 4, w = types[k].bytes;

			/* Shape (2, 3); in Fortran order element (i, j) is the (i + 2 j)-th. */
			for (int i = 0; i < 2; i++)
				for (int j = 0; j < 3; j++) {
					int at = fortran ? i + 2 * j : 3 * i + j;

					for (int b = 0; b < w; b++)
						data[at * w + (big ? w - 1 - b : b)] = (unsigned char)(types[k].bits[3 * i + j] >> 8 * b);
				}
			snprintf(header, sizeof header, "{'descr': '%c%s', 'fortran_order': %s, 'shape': (2, 3), }\n",
				w == 1        ? '|'
					: big ? '>'
					      : '<',
				types[k].code, fortran ? "True" : "False");
			size_t n = write_npy(file, version, header, data, (size_t)(6 * w));
			cr_assert_eq(lt__npy_parse(ctx, "x.npy", "x", file, n, &t), LT_OK, "%s: %s", header, lt_context_message(ctx));
			cr_assert_eq(t.dtype, types[k].dtype);
			cr_assert_eq(t.rank, 2);
			cr_assert(t.shape[0] == 2 && t.shape[1] == 3 && t.bytes == (size_t)(6 * w));
			for (int i = 0; i < 6; i++)
				cr_assert_eq(number(&t, i), t.dtype == LT_BOOL ? 1 : six[i], "%s element %d is %g", header, i, number(&t, i));
			lt__tensor_free(&t);
		}
}

/* The third dim shows what two could hide. */
Test(tensorfile, npy_fortran_of_rank_three)
{
	unsigned char file[512], data[24];
	struct lt_tensor t;

	for (int i = 0; i < 2; i++)
		for (int j = 0; j < 3; j++)
			for (int k = 0; k < 4; k++)
				data[i + 2 * j + 6 * k] = (unsigned char)(100 * i + 10 * j + k);
	size_t n = write_npy(file, 1, "{\"shape\":(2,3,4),\"descr\":\"|u1\",\"fortran_order\":True}", data, 24);
	cr_assert_eq(lt__npy_parse(ctx, "x.npy", "", file, n, &t), LT_OK, "%s", lt_context_message(ctx));
	for (int i = 0; i < 24; i++)
		cr_assert_eq(((unsigned char *)t.data)[i], 100 * (i / 12) + 10 * (i / 4 % 3) + i % 4);
	lt__tensor_free(&t);
}

static const struct { const char *header; size_t data; const char *says;
} bad_npy[] = {
	{ "{'descr': '<f4', 'fortran_order': False, 'shape': (3,), }", 11,
		"is truncated: shape (3,) of float32 takes 12 "
		"bytes, after the header are 11" },
	{ "{'descr': '<f4', 'fortran_order': False, 'shape': (3,), }", 13, "is too long" },
	{ "{'descr': '<f4', 'fortran_order': False, 'shape': (1099511627776,), }", 4, "is truncated" },
	{ "{'descr': '<f4', 'fortran_order': False, 'shape': (4294967296, 4294967296), }", 4, "exceeds 63 bits" },
	{ "{'descr': '<f4', 'fortran_order': False, 'shape': (99999999999999999999,), }", 4,
		"an extent of the shape exceeds 63 bits" },
	{ "{'descr': '<f4', 'fortran_order': False, 'shape': (-3,), }", 4, "an extent that is not negative" },
	{ "{'descr': '<f4', 'fortran_order': False, 'shape': (3 3), }", 36, "',' or ')'" },
	{ "{'descr': '<f4', 'fortran_order': False, 'shape': 3, }", 12, "the shape in parentheses" },
	{ "{'descr': '<f4', 'fortran_order': 0, 'shape': (3,), }", 12, "True or False" },
	{ "{'descr': '<c8', 'fortran_order': False, 'shape': (3,), }", 24, "elements of type '<c8'" },
	{ "{'descr': '<c4', 'fortran_order': False, 'shape': (3,), }", 12, "elements of type '<c4'" },
	{ "{'descr': '|O', 'fortran_order': False, 'shape': (3,), }", 12, "elements of type '|O'" },
	{ "{'descr': '|V2', 'fortran_order': False, 'shape': (3,), }", 6, "bfloat16 comes from .safetensors" },
	{ "{'descr': 'f4', 'fortran_order': False, 'shape': (3,), }", 12, "elements of type 'f4'" },
	{ "{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (3,), }", 12, "structured array" },
	{ "{'descr': '<f4', 'fortran_order': False, }", 12, "lacks the key 'shape'" },
	{ "{'descr': '<f4', 'shape': (3,), }", 12, "lacks the key 'fortran_order'" },
	{ "{'descr': '<f4', 'descr': '<f4', 'fortran_order': False, 'shape': (3,), }", 12, "the key 'descr' twice" },
	{ "{'descr': '<f4', 'fortran_order': False, 'shape': (3,), 'x': 1}", 12, "an unknown key 'x'" },
	{ "{'descr': '<f4', 'fortran_order': False, 'shape': (3,), } x", 12, "the end of the header" },
	{ "{'descr': '<f4", 12, "the element type in quotes" },
	{ "", 0, "expected '{'" },
};

Test(tensorfile, npy_that_lies)
{
	unsigned char file[512], data[64] = { 0 };
	struct lt_tensor t;
	size_t n;

	for (size_t i = 0; i < sizeof bad_npy / sizeof *bad_npy; i++) {
		n = write_npy(file, 1, bad_npy[i].header, data, bad_npy[i].data);
		cr_assert_neq(lt__npy_parse(ctx, "my.npy", "", file, n, &t), LT_OK, "%s", bad_npy[i].header);
		cr_assert(strstr(lt_context_message(ctx), bad_npy[i].says), "%s: %s", bad_npy[i].header, lt_context_message(ctx));
		cr_assert_eq(strncmp(lt_context_message(ctx), "my.npy: ", 8), 0, "%s", lt_context_message(ctx));
		cr_assert_null(t.data);
	}
	/* Magic, version and length of the header. */
	n = write_npy(file, 1, "{'descr': '<f4', 'fortran_order': False, 'shape': (3,), }", data, 12);
	file[6] = 4;
	cr_assert_neq(lt__npy_parse(ctx, "x", "", file, n, &t), LT_OK);
	cr_assert(strstr(lt_context_message(ctx), "is .npy version 4.0"));
	file[6] = 1;
	file[9] = 0xff;
	cr_assert_neq(lt__npy_parse(ctx, "x", "", file, n, &t), LT_OK);
	cr_assert(strstr(lt_context_message(ctx), "its header is said to have 653"), "%s", lt_context_message(ctx));
	file[1] = 'X';
	cr_assert_neq(lt__npy_parse(ctx, "x", "", file, n, &t), LT_OK);
	cr_assert(strstr(lt_context_message(ctx), "is not a .npy file"));
	cr_assert_neq(lt__npy_parse(ctx, "x", "", file, 9, &t), LT_OK);
	cr_assert(strstr(lt_context_message(ctx), "too short"));
}

/* ---- files that NumPy wrote ---- */

static const struct { const char *path; const char *name; enum lt_dtype dtype; bool bools; } numpys[] = {
	{ "tests/fuzz/corpus/npy/f4.npy", "", LT_F32, 0 },         { "tests/fuzz/corpus/npy/big-endian.npy", "", LT_F32, 0 },
	{ "tests/fuzz/corpus/npy/fortran.npy", "", LT_F32, 0 },    { "tests/fuzz/corpus/npy/f8-v2.npy", "", LT_F64, 0 },
	{ "tests/fuzz/corpus/npy/i8-v3.npy", "", LT_I64, 0 },      { "tests/fuzz/corpus/npy/bool.npy", "", LT_BOOL, 1 },
	{ "tests/fuzz/corpus/npz/stored.npz", "x", LT_F32, 0 },    { "tests/fuzz/corpus/npz/deflated.npz", "x", LT_F32, 0 },
};

Test(tensorfile, numpys_own_files)
{
	struct lt_tensors t;

	for (size_t i = 0; i < sizeof numpys / sizeof *numpys; i++) {
		cr_assert_eq(lt__tensors_read(ctx, numpys[i].path, &t), LT_OK, "%s", lt_context_message(ctx));
		cr_assert_str_eq(t.at[0].name, numpys[i].name);
		cr_assert_eq(t.at[0].dtype, numpys[i].dtype, "%s", numpys[i].path);
		cr_assert(t.at[0].rank == 2 && t.at[0].shape[0] == 2 && t.at[0].shape[1] == 3);
		for (int k = 0; k < 6; k++)
			cr_assert_eq(number(&t.at[0], k), numpys[i].bools ? k > 2 : k, "%s element %d", numpys[i].path, k);
		if (!strcmp(numpys[i].path, "tests/fuzz/corpus/npz/deflated.npz")) {
			cr_assert_eq(t.n, 2);
			cr_assert_str_eq(t.at[1].name, "y");
			cr_assert_eq(t.at[1].dtype, LT_I64);
			cr_assert_eq(number(&t.at[1], 5), 5);
		}
		lt__tensors_free(&t);
	}
	cr_assert_eq(lt__tensors_read(ctx, "tests/fuzz/corpus/npy/scalar.npy", &t), LT_OK);
	cr_assert(t.at[0].rank == 0 && t.at[0].dtype == LT_F16 && number(&t.at[0], 0) == 3);
	lt__tensors_free(&t);
	cr_assert_eq(lt__tensors_read(ctx, "tests/fuzz/corpus/npy/empty.npy", &t), LT_OK);
	cr_assert(t.at[0].rank == 2 && t.at[0].bytes == 0 && t.at[0].shape[0] == 0 && t.at[0].shape[1] == 3);
	lt__tensors_free(&t);
}

/* What is written is, byte for byte, what NumPy writes. */
Test(tensorfile, npy_is_written_as_numpy_writes_it)
{
	float data[] = { 0, 1, 2, 3, 4, 5 };
	int64_t shape[] = { 2, 3 };
	const struct lt_tensor t = {
		.name = (char[]){ "" }, .dtype = LT_F32, .rank = 2, .shape = shape, .bytes = 24, .data = data
	};
	struct lt_bytes a, b;

	cr_assert_eq(lt__npy_write(ctx, scratch("w.npy"), &t), LT_OK, "%s", lt_context_message(ctx));
	cr_assert_eq(lt__bytes_read(ctx, scratch("w.npy"), &a), LT_OK);
	cr_assert_eq(lt__bytes_read(ctx, "tests/fuzz/corpus/npy/f4.npy", &b), LT_OK);
	cr_assert(a.n == b.n && !memcmp(a.at, b.at, a.n));
	lt__bytes_free(&a);
	lt__bytes_free(&b);
}

/* ---- all formats ---- */

static struct lt_tensor make(char *name, enum lt_dtype dtype, int32_t rank, int64_t *shape, void *data)
{
	struct lt_tensor t = { .name = name, .dtype = dtype, .rank = rank, .shape = shape, .data = data };

	lt__tensor_bytes(dtype, rank, shape, &t.bytes);
	return t;
}

Test(tensorfile, what_is_written_is_read_back)
{
	static const char *const paths[] = { "r.npz", "r.safetensors" };
	int64_t shape[] = { 2, 1, 3, 5 };
	struct lt_tensor all[2 * LT_NDTYPE];
	unsigned char data[2 * LT_NDTYPE][240];
	char names[2 * LT_NDTYPE][32];

	for (int format = 0; format < 2; format++) {
		struct lt_tensors written = { .at = all }, back;

		for (int d = 1; d < LT_NDTYPE; d++)
			for (int32_t rank = 0; rank <= 4; rank += 4) {
				int k = written.n;

				if (d == LT_BF16 && format == 0)
					continue;
				for (int i = 0; i < 240; i++)
					data[k][i] = (unsigned char)(d == LT_BOOL ? (i ^ k) & 1 : 37 * i + k);
				snprintf(names[k], sizeof names[k], "t%d_%d", d, rank);
				all[written.n++] = make(names[k], (enum lt_dtype)d, rank, shape, data[k]);
			}
		cr_assert_eq(lt__tensors_write(ctx, scratch(paths[format]), &written), LT_OK, "%s", lt_context_message(ctx));
		cr_assert_eq(lt__tensors_read(ctx, scratch(paths[format]), &back), LT_OK, "%s", lt_context_message(ctx));
		cr_assert_eq(back.n, written.n);
		for (int i = 0; i < back.n; i++) {
			int k = 0;

			while (strcmp(all[k].name, back.at[i].name) != 0)
				k++;
			cr_assert(back.at[i].dtype == all[k].dtype && back.at[i].rank == all[k].rank && back.at[i].bytes == all[k].bytes);
			cr_assert_eq(memcmp(back.at[i].shape, shape, (size_t)all[k].rank * sizeof *shape), 0);
			cr_assert_eq(memcmp(back.at[i].data, all[k].data, all[k].bytes), 0, "%s", all[k].name);
			cr_assert_eq(back.at[i].borrowed, format == 1, "%s: a part of one block or not", all[k].name);
		}
		lt__tensors_free(&back);
	}
	for (int d = 1; d < LT_NDTYPE; d++) {
		struct lt_tensors one = { .at = all, .n = 1 }, back;

		if (d == LT_BF16)
			continue;
		all[0] = make(names[0], (enum lt_dtype)d, 4, shape, data[d]);
		memset(data[d], 1, sizeof data[d]);
		cr_assert_eq(lt__tensors_write(ctx, scratch("one.npy"), &one), LT_OK);
		cr_assert_eq(lt__tensors_read(ctx, scratch("one.npy"), &back), LT_OK);
		cr_assert(back.at[0].dtype == (enum lt_dtype)d && !memcmp(back.at[0].data, data[d], all[0].bytes));
		lt__tensors_free(&back);
	}
}

/* What others do to a file after it was read: its end is cut off, and its bytes are changed. */
Test(tensorfile, files_that_change_when_they_were_read)
{
	static const char *const paths[] = { "live.npy", "live.npz", "live.safetensors" };
	enum { N = 1 << 20 };
	int64_t shape[] = { N };
	int32_t *data = malloc(N * sizeof *data);

	for (int32_t i = 0; i < N; i++)
		data[i] = 7 * i;
	for (size_t p = 0; p < sizeof paths / sizeof *paths; p++) {
		struct lt_tensor t = make((char[]){ "x" }, LT_I32, 1, shape, data);
		struct lt_tensors one = { .at = &t, .n = 1 }, back;

		cr_assert_eq(lt__tensors_write(ctx, scratch(paths[p]), &one), LT_OK, "%s", lt_context_message(ctx));
		cr_assert_eq(lt__tensors_read(ctx, scratch(paths[p]), &back), LT_OK, "%s", lt_context_message(ctx));
		FILE *f = fopen(scratch(paths[p]), "r+b");
		cr_assert(f && !fseek(f, 2000, SEEK_SET) && fwrite(data, 1, 4000, f) == 4000 && !fclose(f));
		cr_assert_eq(memcmp(back.at[0].data, data, N * sizeof *data), 0, "%s: another's bytes are used", paths[p]);
		cr_assert_eq(truncate(scratch(paths[p]), 1000), 0);
		cr_assert_eq(memcmp(back.at[0].data, data, N * sizeof *data), 0, "%s", paths[p]);
		lt__tensors_free(&back);
	}
	free(data);
}

Test(tensorfile, writing_that_fails)
{
	int64_t shape[] = { 1 << 20 };
	struct lt_tensor t = make((char[]){ "x" }, LT_F32, 1, shape, calloc(1 << 20, 4)), two[] = { t, t };
	struct lt_tensors one = { .at = &t, .n = 1 }, both = { .at = two, .n = 2 };
	struct lt_tensor half = make((char[]){ "x" }, LT_BF16, 1, shape, t.data);
	struct lt_tensors halves = { .at = &half, .n = 1 };
	const struct { const char *path; const struct lt_tensors *what; const char *says; } cases[] = {
		{ "/tmp/there-is-no-such-folder/x.npy", &one, "cannot be written: No such file or directory" },
		{ "/tmp/there-is-no-such-folder/x.npz", &one, "cannot be written" },
		{ "/tmp/there-is-no-such-folder/x.safetensors", &one, "cannot be written: No such file or directory" },
		{ "x.txt", &one, "end in .npy, .npz or .safetensors" },
		{ "x.npy", &both, "a .npy holds one tensor, not 2" },
		{ "x.npz", &both, "two tensors are named 'x'" },
		{ "x.safetensors", &both, "the name 'x' is taken" },
		{ "x.npy", &halves, "NumPy's format has no bfloat16; write a .safetensors" },
		{ "x.npz", &halves, "NumPy's format has no bfloat16; write a .safetensors" },
	};

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		cr_assert_neq(lt__tensors_write(ctx, cases[i].path, cases[i].what), LT_OK, "%s", cases[i].path);
		cr_assert(strstr(lt_context_message(ctx), cases[i].says), "%s", lt_context_message(ctx));
		cr_assert_neq(access(cases[i].path, F_OK), 0);
	}
	/* A full disk: the failure is seen although it comes late. */
	cr_assert_eq(symlink("/dev/full", scratch("full.npy")), 0);
	cr_assert_eq(lt__tensors_write(ctx, scratch("full.npy"), &one), LT_EIO);
	cr_assert(strstr(lt_context_message(ctx), "No space left"), "%s", lt_context_message(ctx));
	cr_assert_eq(symlink("/dev/full", scratch("full.safetensors")), 0);
	cr_assert_eq(lt__tensors_write(ctx, scratch("full.safetensors"), &one), LT_EIO);
	free(t.data);
}

/* A file that could not be replaced is still the old one, and nothing is left beside it. */
Test(tensorfile, writing_is_all_or_nothing)
{
	struct lt_bytes b;
	struct lt_outfile o;
	FILE *f = fopen(scratch("old.npy"), "wb");

	fputs("old", f);
	fclose(f);
	cr_assert_eq(lt__out_open(ctx, scratch("old.npy"), &o), LT_OK);
	fputs("half of the new", o.file);
	cr_assert_eq(lt__out_close(ctx, &o, false), LT_OK);
	cr_assert_eq(lt__bytes_read(ctx, scratch("old.npy"), &b), LT_OK);
	cr_assert(b.n == 3 && !memcmp(b.at, "old", 3));
	lt__bytes_free(&b);
	unlink(scratch("old.npy"));
	cr_assert_eq(rmdir(scratch("")), 0, "something is left in %s", scratch(""));
	cr_assert_eq(mkdir(scratch(""), 0700), 0);
}

/* Every beginning of a good file, and every file with one byte changed: an answer, and no access out of bounds. */
Test(tensorfile, cut_and_changed_anywhere)
{
	static const char *const paths[] = { "tests/fuzz/corpus/npy/fortran.npy", "tests/fuzz/corpus/npz/deflated.npz",
		"tests/fuzz/corpus/safetensors/two.safetensors" };

	for (size_t p = 0; p < sizeof paths / sizeof *paths; p++) {
		struct lt_bytes b;

		cr_assert_eq(lt__bytes_read(ctx, paths[p], &b), LT_OK);
		for (size_t i = 0; i < 2 * b.n; i++) {
			size_t n = i < b.n ? i : b.n;
			unsigned char *copy = malloc(n + 1);
			struct lt_tensors t = { 0 };
			lt_status s;

			memcpy(copy, b.at, n);
			if (i >= b.n)
				copy[i - b.n] ^= (unsigned char)(1 << i % 8);
			copy = realloc(copy, n ? n : 1);
			if (p == 0) {
				t.at = calloc(1, sizeof *t.at);
				s = lt__npy_parse(ctx, "x", "", copy, n, t.at);
				t.n = !s;
				if (s)
					free(t.at);
			} else {
				s = lt__tensors_parse(ctx, p == 1 ? LT_FILE_NPZ : LT_FILE_SAFETENSORS, "x", copy, n, &t);
			}
			cr_assert(i >= b.n || s != LT_OK, "%s cut to %zu bytes", paths[p], n);
			if (!s)
				lt__tensors_free(&t);
			free(copy);
		}
		lt__bytes_free(&b);
	}
}

Test(tensorfile, files_that_are_not_there)
{
	expect_bad("/tmp/there-is-no-such.npy", "cannot be opened: No such file or directory");
	expect_bad("tests/there-is-no-such.npz", "cannot be opened");
	expect_bad("README.txt", "end in .npy, .npz or .safetensors");
	cr_assert_eq(mkdir(scratch("folder.npy"), 0700), 0);
	expect_bad(scratch("folder.npy"), "is a folder");
	fclose(fopen(scratch("nothing.npy"), "wb"));
	expect_bad(scratch("nothing.npy"), "too short");
	fclose(fopen(scratch("nothing.npz"), "wb"));
	expect_bad(scratch("nothing.npz"), "zip");
}

/* A pipe whose other end somebody holds is read; what may never come, or never end, is refused, and at once. */
Test(tensorfile, nothing_is_waited_for, .timeout = 20)
{
	struct sockaddr_un at = { .sun_family = AF_UNIX };
	const int s = socket(AF_UNIX, SOCK_STREAM, 0);
	char path[32];
	int end[2];
	struct lt_bytes b;

	cr_assert_eq(mkfifo(scratch("fifo.npy"), 0600), 0);
	expect_bad(scratch("fifo.npy"), "is a named pipe (FIFO)");
	cr_assert_eq(symlink("/dev/zero", scratch("zero.npy")), 0);
	expect_bad(scratch("zero.npy"), "is a device");
	cr_assert_lt(strlen(scratch("s.npy")), sizeof at.sun_path);
	strcpy(at.sun_path, scratch("s.npy"));
	cr_assert(s >= 0 && bind(s, (struct sockaddr *)&at, sizeof at) == 0);
	expect_bad(scratch("s.npy"), "is a socket");
	close(s);

	cr_assert_eq(pipe(end), 0);
	cr_assert_eq(write(end[1], "piped", 5), 5);
	close(end[1]);
	sprintf(path, "/dev/fd/%d", end[0]);
	cr_assert_eq(lt__bytes_read(ctx, path, &b), LT_OK, "%s", lt_context_message(ctx));
	cr_expect(b.n == 5 && !memcmp(b.at, "piped", 5));
	lt__bytes_free(&b);
	close(end[0]);
	cr_assert_eq(lt__bytes_read(ctx, "/dev/null", &b), LT_OK, "%s", lt_context_message(ctx));
	cr_expect_eq(b.n, 0);
	lt__bytes_free(&b);
}
