/* tests/test_tensorfile.c -- .npy, .npz and .safetensors: files that NumPy wrote, files put together by hand, files that lie. */
#include <criterion/criterion.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zip.h>
#include "ir/op.h"
#include "tools/tensorfile.h"

static struct lt_context *ctx;
static char folder[] = "/tmp/lt-tensorfile-XXXXXX";

static void set_up(void)
{
	cr_assert_eq(lt_context_new(&ctx), LT_OK);
	cr_assert_not_null(mkdtemp(folder));
}

static void tear_down(void)
{
	char command[64];

	lt_context_free(ctx);
	snprintf(command, sizeof command, "rm -rf %s", folder);
	cr_assert_eq(system(command), 0);
}

TestSuite(tensorfile, .init = set_up, .fini = tear_down, .timeout = 60);

static const char *in_folder(const char *name)
{
	static char path[256];

	snprintf(path, sizeof path, "%s/%s", folder, name);
	return path;
}

/* A value as a number, whatever its type. */
static double number(const struct lt_tensor *t, int64_t i)
{
	union lt_scalar v = lt__load(t->data, i, t->dtype);

	return lt__dtype_info(t->dtype)->cls == LT_CLASS_FLOAT ? v.f : (double)v.i;
}

/* ---- .npy put together by hand ---- */

static size_t put_npy(unsigned char *out, int version, const char *header, const void *data, size_t bytes)
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

/* What six elements 1, 2, 3, 4, 5, 100 are in each type, most significant byte first. */
static const struct { const char *code; enum lt_dtype dtype; int bytes; uint64_t bits[6]; } types[] = {
	{ "f4", LT_F32, 4, { 0x3f800000, 0x40000000, 0x40400000, 0x40800000, 0x40a00000, 0x42c80000 } },
	{ "f8", LT_F64, 8, { 0x3ff0000000000000, 0x4000000000000000, 0x4008000000000000, 0x4010000000000000, 0x4014000000000000,
		0x4059000000000000 } },
	{ "f2", LT_F16, 2, { 0x3c00, 0x4000, 0x4200, 0x4400, 0x4500, 0x5640 } },
	{ "i1", LT_I8, 1, { 1, 2, 3, 4, 5, 100 } },  { "u1", LT_U8, 1, { 1, 2, 3, 4, 5, 100 } },
	{ "i2", LT_I16, 2, { 1, 2, 3, 4, 5, 100 } }, { "i4", LT_I32, 4, { 1, 2, 3, 4, 5, 100 } },
	{ "i8", LT_I64, 8, { 1, 2, 3, 4, 5, 100 } }, { "b1", LT_BOOL, 1, { 1, 2, 3, 4, 5, 100 } },
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
			snprintf(header, sizeof header, "{'descr': '%c%s', 'fortran_order': %s, 'shape': (2, 3), }\n", w == 1 ? '|' : big ? '>' : '<',
				types[k].code, fortran ? "True" : "False");
			size_t n = put_npy(file, version, header, data, (size_t)(6 * w));
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
	size_t n = put_npy(file, 1, "{\"shape\":(2,3,4),\"descr\":\"|u1\",\"fortran_order\":True}", data, 24);
	cr_assert_eq(lt__npy_parse(ctx, "x.npy", "", file, n, &t), LT_OK, "%s", lt_context_message(ctx));
	for (int i = 0; i < 24; i++)
		cr_assert_eq(((unsigned char *)t.data)[i], 100 * (i / 12) + 10 * (i / 4 % 3) + i % 4);
	lt__tensor_free(&t);
}

static const struct { const char *header; size_t data; const char *says; } bad_npy[] = {
	{ "{'descr': '<f4', 'fortran_order': False, 'shape': (3,), }", 11, "is truncated: shape (3,) of float32 takes 12 bytes, behind the header are 11" },
	{ "{'descr': '<f4', 'fortran_order': False, 'shape': (3,), }", 13, "is too long" },
	{ "{'descr': '<f4', 'fortran_order': False, 'shape': (1099511627776,), }", 4, "is truncated" },
	{ "{'descr': '<f4', 'fortran_order': False, 'shape': (4294967296, 4294967296), }", 4, "exceeds 63 bits" },
	{ "{'descr': '<f4', 'fortran_order': False, 'shape': (99999999999999999999,), }", 4, "an extent of the shape exceeds 63 bits" },
	{ "{'descr': '<f4', 'fortran_order': False, 'shape': (-3,), }", 4, "an extent that is not negative" },
	{ "{'descr': '<f4', 'fortran_order': False, 'shape': (3 3), }", 36, "',' or ')'" },
	{ "{'descr': '<f4', 'fortran_order': False, 'shape': 3, }", 12, "the shape in parentheses" },
	{ "{'descr': '<f4', 'fortran_order': 0, 'shape': (3,), }", 12, "True or False" },
	{ "{'descr': '<c8', 'fortran_order': False, 'shape': (3,), }", 24, "elements of type '<c8'" },
	{ "{'descr': '<u4', 'fortran_order': False, 'shape': (3,), }", 12, "elements of type '<u4'" },
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
		n = put_npy(file, 1, bad_npy[i].header, data, bad_npy[i].data);
		cr_assert_neq(lt__npy_parse(ctx, "my.npy", "", file, n, &t), LT_OK, "%s", bad_npy[i].header);
		cr_assert(strstr(lt_context_message(ctx), bad_npy[i].says), "%s: %s", bad_npy[i].header, lt_context_message(ctx));
		cr_assert_eq(strncmp(lt_context_message(ctx), "my.npy: ", 8), 0, "%s", lt_context_message(ctx));
		cr_assert_null(t.data);
	}
	/* Magic, version and length of the header. */
	n = put_npy(file, 1, "{'descr': '<f4', 'fortran_order': False, 'shape': (3,), }", data, 12);
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
	const struct lt_tensor t = { .name = (char[]){ "" }, .dtype = LT_F32, .rank = 2, .shape = shape, .bytes = 24, .data = data };
	struct lt_bytes a, b;

	cr_assert_eq(lt__npy_write(ctx, in_folder("w.npy"), &t), LT_OK, "%s", lt_context_message(ctx));
	cr_assert_eq(lt__bytes_read(ctx, in_folder("w.npy"), &a), LT_OK);
	cr_assert_eq(lt__bytes_read(ctx, "tests/fuzz/corpus/npy/f4.npy", &b), LT_OK);
	cr_assert(a.n == b.n && !memcmp(a.at, b.at, a.n));
	lt__bytes_free(&a);
	lt__bytes_free(&b);
}

/* ---- .npz ---- */

/* An archive of entries with that data. */
static void make_zip(const char *path, const char *const *name, const void *data, size_t bytes, int n, int method)
{
	int code = 0;
	zip_t *z = zip_open(path, ZIP_CREATE | ZIP_TRUNCATE, &code);

	cr_assert_not_null(z);
	for (int i = 0; i < n; i++)
		cr_assert(zip_file_add(z, name[i], zip_source_buffer(z, data, bytes, 0), 0) == i &&
			zip_set_file_compression(z, (zip_uint64_t)i, method, 0) == 0);
	cr_assert_eq(zip_close(z), 0);
}

static void expect_bad(const char *path, const char *says)
{
	struct lt_tensors t;

	cr_assert_neq(lt__tensors_read(ctx, path, &t), LT_OK, "%s", path);
	cr_assert(strstr(lt_context_message(ctx), says), "%s", lt_context_message(ctx));
	cr_assert_eq(strncmp(lt_context_message(ctx), path, strlen(path)), 0, "%s", lt_context_message(ctx));
	cr_assert(t.n == 0 && !t.at);
}

/* Changes one 32-bit number of the file at `at`, counted from the end if negative. */
static void change(const char *path, long at, uint32_t to)
{
	FILE *f = fopen(path, "r+b");

	cr_assert_not_null(f);
	fseek(f, at, at < 0 ? SEEK_END : SEEK_SET);
	for (int i = 0; i < 4; i++)
		fputc((int)(to >> 8 * i & 255), f);
	fclose(f);
}

static long find_central(const char *path)
{
	struct lt_bytes b;
	long at = -1;

	cr_assert_eq(lt__bytes_read(ctx, path, &b), LT_OK);
	for (size_t i = 0; i + 4 < b.n; i++)
		if (!memcmp(b.at + i, "PK\1\2", 4))
			at = (long)i;
	lt__bytes_free(&b);
	return at;
}

Test(tensorfile, npz_that_lies)
{
	unsigned char npy[8192];
	float zeros[1024] = { 0 };
	size_t n = put_npy(npy, 1, "{'descr': '<f4', 'fortran_order': False, 'shape': (1024,), }", zeros, sizeof zeros);
	const char *one[] = { "a.npy" }, *text[] = { "a.txt" };
	struct lt_tensors t;
	long central;

	make_zip(in_folder("a.npz"), text, npy, n, 1, ZIP_CM_STORE);
	expect_bad(in_folder("a.npz"), "the entry 'a.txt' is not a .npy");
	make_zip(in_folder("b.npz"), one, npy, n - 1, 1, ZIP_CM_STORE);
	expect_bad(in_folder("b.npz"), "b.npz: a.npy: is truncated");
	expect_bad("tests/fuzz/corpus/npz/truncated.npz", "is not a readable .npz (zip) file");
	/* The directory claims a size that no packing explains: nothing is allocated for it. */
	make_zip(in_folder("c.npz"), one, npy, n, 1, ZIP_CM_STORE);
	cr_assert_eq(lt__tensors_read(ctx, in_folder("c.npz"), &t), LT_OK, "%s", lt_context_message(ctx));
	cr_assert(t.at[0].bytes == 4096 && number(&t.at[0], 1023) == 0);
	lt__tensors_free(&t);
	change(in_folder("c.npz"), 2000, 0x12345678);
	expect_bad(in_folder("c.npz"), "'a.npy' is damaged: CRC error");
	make_zip(in_folder("c.npz"), one, npy, n, 1, ZIP_CM_DEFLATE);
	central = find_central(in_folder("c.npz"));
	change(in_folder("c.npz"), central + 24, 0xfffffff0u);
	expect_bad(in_folder("c.npz"), "which cannot be packed in");
	change(in_folder("c.npz"), central + 24, (uint32_t)n + 8);
	expect_bad(in_folder("c.npz"), "c.npz: ");
	change(in_folder("c.npz"), central + 24, (uint32_t)n - 8);
	expect_bad(in_folder("c.npz"), "c.npz: ");
}

/* Two entries of one name: the second's name is changed in the finished archive. */
Test(tensorfile, npz_names_twice)
{
	unsigned char npy[256];
	const char *two[] = { "ab.npy", "aX.npy" };
	size_t n = put_npy(npy, 1, "{'descr': '|u1', 'fortran_order': False, 'shape': (1,), }", "x", 1);
	struct lt_bytes b;
	char copy[2048];
	FILE *f;

	make_zip(in_folder("t.npz"), two, npy, n, 2, ZIP_CM_STORE);
	cr_assert_eq(lt__bytes_read(ctx, in_folder("t.npz"), &b), LT_OK);
	cr_assert_lt(b.n, sizeof copy);
	memcpy(copy, b.at, b.n);
	for (size_t i = 0; i + 6 < b.n; i++)
		if (!memcmp(copy + i, "aX.npy", 6))
			copy[i + 1] = 'b';
	f = fopen(in_folder("u.npz"), "wb");
	fwrite(copy, 1, b.n, f);
	fclose(f);
	lt__bytes_free(&b);
	expect_bad(in_folder("u.npz"), "'ab.npy' is there twice");
}

/* ---- .safetensors ---- */

static size_t put_safetensors(unsigned char *out, const char *header, uint64_t length, const void *data, size_t bytes)
{
	size_t n = strlen(header);

	for (int i = 0; i < 8; i++)
		out[i] = (unsigned char)(length >> 8 * i);
	memcpy(out + 8, header, n);
	if (bytes)
		memcpy(out + 8 + n, data, bytes);
	return 8 + n + bytes;
}

Test(tensorfile, safetensors_with_every_type)
{
	static const unsigned char data[] = {
		0, 0, 0x80, 0x3f, 0, 0, 0, 0xc0,                        /* F32 1, -2 */
		0, 0, 0, 0, 0, 0, 0xf0, 0x3f,                           /* F64 1 */
		0x80, 0x3f, 0x00, 0xc0,                                 /* BF16 1, -2 */
		0, 0x3c,                                                /* F16 1 */
		0xff, 0xff, 2,                                          /* I8 -1; U8 255; BOOL, to be 1 */
		0xfe, 0xff,                                             /* I16 -2 */
		0xfd, 0xff, 0xff, 0xff,                                 /* I32 -3 */
		0xfc, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,         /* I64 -4 */
	};
	static const struct { const char *name; enum lt_dtype dtype; double first; int32_t rank; } want[] = {
		{ "a", LT_F32, 1, 2 }, { "b", LT_F64, 1, 0 }, { "c", LT_BF16, 1, 1 }, { "d", LT_F16, 1, 1 }, { "e", LT_I8, -1, 1 },
		{ "f", LT_U8, 255, 1 }, { "g", LT_BOOL, 1, 1 }, { "h", LT_I16, -2, 1 }, { "i", LT_I32, -3, 1 }, { "j \xc3\xa4", LT_I64, -4, 1 },
	};
	const char *header = "{\"__metadata__\":{\"k\":\"v\"},\"a\":{\"dtype\":\"F32\",\"shape\":[2,1],\"data_offsets\":[0,8]},"
		"\"b\":{\"dtype\":\"F64\",\"shape\":[],\"data_offsets\":[8,16]},\"c\":{\"dtype\":\"BF16\",\"shape\":[2],\"data_offsets\":[16,20]},"
		"\"d\":{\"dtype\":\"F16\",\"shape\":[1],\"data_offsets\":[20,22]},\"e\":{\"dtype\":\"I8\",\"shape\":[1],\"data_offsets\":[22,23]},"
		"\"f\":{\"dtype\":\"U8\",\"shape\":[1],\"data_offsets\":[23,24]},\"g\":{\"dtype\":\"BOOL\",\"shape\":[1],\"data_offsets\":[24,25]},"
		"\"h\":{\"dtype\":\"I16\",\"shape\":[1],\"data_offsets\":[25,27]},\"i\":{\"dtype\":\"I32\",\"shape\":[1],\"data_offsets\":[27,31]},"
		"\"j \\u00e4\":{\"dtype\":\"I64\",\"shape\":[1],\"data_offsets\":[31,39]}}   ";
	unsigned char file[2048];
	size_t n = put_safetensors(file, header, strlen(header), data, sizeof data);
	struct lt_tensors t;

	cr_assert_eq(lt__safetensors_parse(ctx, "x", file, n, &t), LT_OK, "%s", lt_context_message(ctx));
	cr_assert_eq(t.n, 10);
	for (int i = 0; i < 10; i++) {
		cr_assert_str_eq(t.at[i].name, want[i].name);
		cr_assert(t.at[i].dtype == want[i].dtype && t.at[i].rank == want[i].rank);
		cr_assert_eq(number(&t.at[i], 0), want[i].first, "%s is %g", want[i].name, number(&t.at[i], 0));
	}
	cr_assert_eq(number(&t.at[0], 1), -2);
	cr_assert_eq(number(&t.at[2], 1), -2);
	lt__tensors_free(&t);
}

static const struct { const char *header; size_t data; const char *says; } bad_safetensors[] = {
	{ "{\"a\":{\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[0,8]}}", 7, "the file has 7 bytes of data" },
	{ "{\"a\":{\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[0,8]}}", 9, "is too long" },
	{ "{\"a\":{\"dtype\":\"F32\",\"shape\":[3],\"data_offsets\":[0,8]}}", 8, "'a', shape (3,) of F32, takes 12 bytes" },
	{ "{\"a\":{\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[8,0]}}", 8, "is said to be at 8..0" },
	{ "{\"a\":{\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[-8,0]}}", 8, "is said to be at -8..0" },
	{ "{\"a\":{\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[0]}}", 8, "not a list of two whole numbers" },
	{ "{\"a\":{\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[0,8.5]}}", 8, "not a list of two whole numbers" },
	{ "{\"a\":{\"dtype\":\"U16\",\"shape\":[2],\"data_offsets\":[0,4]}}", 4, "elements of type U16" },
	{ "{\"a\":{\"dtype\":\"F8_E4M3\",\"shape\":[2],\"data_offsets\":[0,2]}}", 2, "elements of type F8_E4M3" },
	{ "{\"a\":{\"shape\":[2],\"data_offsets\":[0,8]}}", 8, "'a' has no dtype" },
	{ "{\"a\":[]}", 0, "'a' has no dtype" },
	{ "{\"a\":{\"dtype\":\"F32\",\"shape\":2,\"data_offsets\":[0,8]}}", 8, "the shape of 'a' is not a list" },
	{ "{\"a\":{\"dtype\":\"F32\",\"shape\":[-2],\"data_offsets\":[0,8]}}", 8, "not a whole number" },
	{ "{\"a\":{\"dtype\":\"F32\",\"shape\":[4294967296,4294967296],\"data_offsets\":[0,8]}}", 8, "exceeds 63 bits" },
	{ "{\"a\":{\"dtype\":\"I8\",\"shape\":[4],\"data_offsets\":[0,4]},\"b\":{\"dtype\":\"I8\",\"shape\":[4],\"data_offsets\":[2,6]}}", 6,
		"the data of 'a' and of 'b' overlap" },
	{ "{\"a\":{\"dtype\":\"I8\",\"shape\":[2],\"data_offsets\":[0,2]},\"b\":{\"dtype\":\"I8\",\"shape\":[2],\"data_offsets\":[4,6]}}", 6,
		"a hole before 'b': nothing is at 2..4" },
	{ "{\"a\":{\"dtype\":\"I8\",\"shape\":[2],\"data_offsets\":[0,2]},\"a\":{\"dtype\":\"I8\",\"shape\":[2],\"data_offsets\":[2,4]}}", 4,
		"duplicate object key" },
	{ "{\"a\":", 0, "the header is not JSON" },
	{ "[1]", 0, "does not begin with '{'" },
	{ "{\"a\xff\":1}", 0, "the header is not JSON" },
};

Test(tensorfile, safetensors_that_lies)
{
	unsigned char file[1024], data[64] = { 0 };
	struct lt_tensors t;

	for (size_t i = 0; i < sizeof bad_safetensors / sizeof *bad_safetensors; i++) {
		const char *h = bad_safetensors[i].header;
		size_t n = put_safetensors(file, h, strlen(h), data, bad_safetensors[i].data);

		cr_assert_neq(lt__safetensors_parse(ctx, "my.st", file, n, &t), LT_OK, "%s", h);
		cr_assert(strstr(lt_context_message(ctx), bad_safetensors[i].says), "%s: %s", h, lt_context_message(ctx));
		cr_assert_eq(strncmp(lt_context_message(ctx), "my.st: ", 7), 0);
	}
	cr_assert_neq(lt__safetensors_parse(ctx, "x", file, put_safetensors(file, "{}", 3, NULL, 0), &t), LT_OK);
	cr_assert(strstr(lt_context_message(ctx), "more than the file has"));
	cr_assert_neq(lt__safetensors_parse(ctx, "x", file, put_safetensors(file, "{}", UINT64_MAX, NULL, 0), &t), LT_OK);
	cr_assert(strstr(lt_context_message(ctx), "more than the file has"));
	cr_assert_neq(lt__safetensors_parse(ctx, "x", file, 7, &t), LT_OK);
	cr_assert(strstr(lt_context_message(ctx), "too short"));
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
		cr_assert_eq(lt__tensors_write(ctx, in_folder(paths[format]), &written), LT_OK, "%s", lt_context_message(ctx));
		cr_assert_eq(lt__tensors_read(ctx, in_folder(paths[format]), &back), LT_OK, "%s", lt_context_message(ctx));
		cr_assert_eq(back.n, written.n);
		for (int i = 0; i < back.n; i++) {
			int k = 0;

			while (strcmp(all[k].name, back.at[i].name) != 0)
				k++;
			cr_assert(back.at[i].dtype == all[k].dtype && back.at[i].rank == all[k].rank && back.at[i].bytes == all[k].bytes);
			cr_assert_eq(memcmp(back.at[i].shape, shape, (size_t)all[k].rank * sizeof *shape), 0);
			cr_assert_eq(memcmp(back.at[i].data, all[k].data, all[k].bytes), 0, "%s", all[k].name);
		}
		lt__tensors_free(&back);
	}
	for (int d = 1; d < LT_NDTYPE; d++) {
		struct lt_tensors one = { .at = all, .n = 1 }, back;

		if (d == LT_BF16)
			continue;
		all[0] = make(names[0], (enum lt_dtype)d, 4, shape, data[d]);
		memset(data[d], 1, sizeof data[d]);
		cr_assert_eq(lt__tensors_write(ctx, in_folder("one.npy"), &one), LT_OK);
		cr_assert_eq(lt__tensors_read(ctx, in_folder("one.npy"), &back), LT_OK);
		cr_assert(back.at[0].dtype == (enum lt_dtype)d && !memcmp(back.at[0].data, data[d], all[0].bytes));
		lt__tensors_free(&back);
	}
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
	cr_assert_eq(symlink("/dev/full", in_folder("full.npy")), 0);
	cr_assert_eq(lt__tensors_write(ctx, in_folder("full.npy"), &one), LT_EIO);
	cr_assert(strstr(lt_context_message(ctx), "No space left"), "%s", lt_context_message(ctx));
	cr_assert_eq(symlink("/dev/full", in_folder("full.safetensors")), 0);
	cr_assert_eq(lt__tensors_write(ctx, in_folder("full.safetensors"), &one), LT_EIO);
	free(t.data);
}

/* A file that could not be replaced is still the old one, and nothing is left beside it. */
Test(tensorfile, writing_is_all_or_nothing)
{
	struct lt_bytes b;
	struct lt_out o;
	FILE *f = fopen(in_folder("old.npy"), "wb");

	fputs("old", f);
	fclose(f);
	cr_assert_eq(lt__out_open(ctx, in_folder("old.npy"), &o), LT_OK);
	fputs("half of the new", o.file);
	cr_assert_eq(lt__out_close(ctx, &o, false), LT_OK);
	cr_assert_eq(lt__bytes_read(ctx, in_folder("old.npy"), &b), LT_OK);
	cr_assert(b.n == 3 && !memcmp(b.at, "old", 3));
	lt__bytes_free(&b);
	unlink(in_folder("old.npy"));
	cr_assert_eq(rmdir(folder), 0, "something is left in %s", folder);
	cr_assert_not_null(mkdtemp(strcpy(folder, "/tmp/lt-tensorfile-XXXXXX")));
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
				s = p == 1 ? lt__npz_parse(ctx, "x", copy, n, &t) : lt__safetensors_parse(ctx, "x", copy, n, &t);
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
	cr_assert_eq(mkdir(in_folder("folder.npy"), 0700), 0);
	expect_bad(in_folder("folder.npy"), "is a folder");
	fclose(fopen(in_folder("nothing.npy"), "wb"));
	expect_bad(in_folder("nothing.npy"), "too short");
	fclose(fopen(in_folder("nothing.npz"), "wb"));
	expect_bad(in_folder("nothing.npz"), "zip");
}
