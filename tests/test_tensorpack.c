/* test_tensorpack.c -- .npz and .safetensors: several tensors in a file, and what such files may lie about. */
#include <stdint.h>
#include <stdio.h>
#include <unistd.h>
#include <zip.h>
#include "tests/tensors.h"

TestSuite(tensorpack, .init = tensors_set_up, .fini = tensors_tear_down, .timeout = 60);

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

Test(tensorpack, npz_that_lies)
{
	unsigned char npy[8192];
	float zeros[1024] = { 0 };
	size_t n = write_npy(npy, 1, "{'descr': '<f4', 'fortran_order': False, 'shape': (1024,), }", zeros, sizeof zeros);
	const char *one[] = { "a.npy" }, *text[] = { "a.txt" };
	struct lt_tensors t;
	long central;

	make_zip(scratch("a.npz"), text, npy, n, 1, ZIP_CM_STORE);
	expect_bad(scratch("a.npz"), "the entry 'a.txt' is not a .npy");
	make_zip(scratch("b.npz"), one, npy, n - 1, 1, ZIP_CM_STORE);
	expect_bad(scratch("b.npz"), "b.npz: a.npy: is truncated");
	expect_bad("tests/fuzz/corpus/npz/truncated.npz", "is not a readable .npz (zip) file");
	/* The directory claims a size that no packing explains: nothing is allocated for it. */
	make_zip(scratch("c.npz"), one, npy, n, 1, ZIP_CM_STORE);
	cr_assert_eq(lt__tensors_read(ctx, scratch("c.npz"), &t), LT_OK, "%s", lt_context_message(ctx));
	cr_assert(t.at[0].bytes == 4096 && number(&t.at[0], 1023) == 0);
	lt__tensors_free(&t);
	change(scratch("c.npz"), 2000, 0x12345678);
	expect_bad(scratch("c.npz"), "'a.npy' is damaged: CRC error");
	make_zip(scratch("c.npz"), one, npy, n, 1, ZIP_CM_DEFLATE);
	central = find_central(scratch("c.npz"));
	change(scratch("c.npz"), central + 24, 0xfffffff0u);
	expect_bad(scratch("c.npz"), "which cannot be packed in");
	change(scratch("c.npz"), central + 24, (uint32_t)n + 8);
	expect_bad(scratch("c.npz"), "c.npz: ");
	change(scratch("c.npz"), central + 24, (uint32_t)n - 8);
	expect_bad(scratch("c.npz"), "c.npz: ");
}

/* Two entries of one name: the second's name is changed in the finished archive. */
Test(tensorpack, npz_names_twice)
{
	unsigned char npy[256];
	const char *two[] = { "ab.npy", "aX.npy" };
	size_t n = write_npy(npy, 1, "{'descr': '|u1', 'fortran_order': False, 'shape': (1,), }", "x", 1);
	struct lt_bytes b;
	char copy[2048];
	FILE *f;

	make_zip(scratch("t.npz"), two, npy, n, 2, ZIP_CM_STORE);
	cr_assert_eq(lt__bytes_read(ctx, scratch("t.npz"), &b), LT_OK);
	cr_assert_lt(b.n, sizeof copy);
	memcpy(copy, b.at, b.n);
	for (size_t i = 0; i + 6 < b.n; i++)
		if (!memcmp(copy + i, "aX.npy", 6))
			copy[i + 1] = 'b';
	f = fopen(scratch("u.npz"), "wb");
	fwrite(copy, 1, b.n, f);
	fclose(f);
	lt__bytes_free(&b);
	expect_bad(scratch("u.npz"), "'ab.npy' is there twice");
}

/* ---- .safetensors ---- */

static size_t write_safetensors(unsigned char *out, const char *header, uint64_t length, const void *data, size_t bytes)
{
	size_t n = strlen(header);

	for (int i = 0; i < 8; i++)
		out[i] = (unsigned char)(length >> 8 * i);
	memcpy(out + 8, header, n);
	if (bytes)
		memcpy(out + 8 + n, data, bytes);
	return 8 + n + bytes;
}

Test(tensorpack, safetensors_with_every_type)
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
	static const struct { const char *name; enum lt_dtype dtype; double first; int32_t rank;
	} want[] = {
		{ "a", LT_F32, 1, 2 },
		{ "b", LT_F64, 1, 0 },
		{ "c", LT_BF16, 1, 1 },
		{ "d", LT_F16, 1, 1 },
		{ "e", LT_I8, -1, 1 },
		{ "f", LT_U8, 255, 1 },
		{ "g", LT_BOOL, 1, 1 },
		{ "h", LT_I16, -2, 1 },
		{ "i", LT_I32, -3, 1 },
		{ "j \xc3\xa4", LT_I64, -4, 1 },
	};
	const char *header =
		"{\"__metadata__\":{\"k\":\"v\"},\"a\":{\"dtype\":\"F32\",\"shape\":[2,1],\"data_offsets\":[0,8]},"
		"\"b\":{\"dtype\":\"F64\",\"shape\":[],\"data_offsets\":[8,16]},\"c\":{\"dtype\":\"BF16\",\"shape\":[2]"
		",\"data_offsets\":[16,20]},\"d\":{\"dtype\":\"F16\",\"shape\":[1],\"data_offsets\":[20,22]},\"e\":{"
		"\"dtype\":\"I8\",\"shape\":[1],\"data_offsets\":[22,23]},\"f\":{\"dtype\":\"U8\",\"shape\":[1],\"data_"
		"offsets\":[23,24]},\"g\":{\"dtype\":\"BOOL\",\"shape\":[1],\"data_offsets\":[24,25]},\"h\":{\"dtype\":"
		"\"I16\",\"shape\":[1],\"data_offsets\":[25,27]},\"i\":{\"dtype\":\"I32\",\"shape\":[1],\"data_"
		"offsets\":[27,31]},\"j \\u00e4\":{\"dtype\":\"I64\",\"shape\":[1],\"data_offsets\":[31,39]}}   ";
	unsigned char file[2048];
	size_t n = write_safetensors(file, header, strlen(header), data, sizeof data);
	struct lt_tensors t;

	cr_assert_eq(lt__tensors_parse(ctx, LT_FILE_SAFETENSORS, "x", file, n, &t), LT_OK, "%s", lt_context_message(ctx));
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

static const struct { const char *header; size_t data; const char *says;
} bad_safetensors[] = {
	{ "{\"a\":{\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[0,8]}}", 7, "the file has 7 bytes of data" },
	{ "{\"a\":{\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[0,8]}}", 9, "is too long" },
	{ "{\"a\":{\"dtype\":\"F32\",\"shape\":[3],\"data_offsets\":[0,8]}}", 8,
		"'a', shape (3,) of F32, takes 12 bytes" },
	{ "{\"a\":{\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[8,0]}}", 8, "is said to be at 8..0" },
	{ "{\"a\":{\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[-8,0]}}", 8, "is said to be at -8..0" },
	{ "{\"a\":{\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[0]}}", 8, "not a list of two whole numbers" },
	{ "{\"a\":{\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[0,8.5]}}", 8, "not a list of two whole numbers" },
	{ "{\"a\":{\"dtype\":\"F8_E5M2\",\"shape\":[2],\"data_offsets\":[0,4]}}", 4, "elements of type F8_E5M2" },
	{ "{\"a\":{\"dtype\":\"F8_E4M3\",\"shape\":[2],\"data_offsets\":[0,2]}}", 2, "elements of type F8_E4M3" },
	{ "{\"a\":{\"shape\":[2],\"data_offsets\":[0,8]}}", 8, "'a' has no dtype" },
	{ "{\"a\":[]}", 0, "'a' has no dtype" },
	{ "{\"a\":{\"dtype\":\"F32\",\"shape\":2,\"data_offsets\":[0,8]}}", 8, "the shape of 'a' is not a list" },
	{ "{\"a\":{\"dtype\":\"F32\",\"shape\":[-2],\"data_offsets\":[0,8]}}", 8, "not a whole number" },
	{ "{\"a\":{\"dtype\":\"F32\",\"shape\":[4294967296,4294967296],\"data_offsets\":[0,8]}}", 8,
		"exceeds 63 bits" },
	{ "{\"a\":{\"dtype\":\"I8\",\"shape\":[4],\"data_offsets\":[0,4]},\"b\":{\"dtype\":\"I8\",\"shape\":[4],\"data_"
	  "offsets\":[2,6]}}",
		6, "the data of 'a' and of 'b' overlap" },
	{ "{\"a\":{\"dtype\":\"I8\",\"shape\":[2],\"data_offsets\":[0,2]},\"b\":{\"dtype\":\"I8\",\"shape\":[2],\"data_"
	  "offsets\":[4,6]}}",
		6, "a hole before 'b': nothing is at 2..4" },
	{ "{\"a\":{\"dtype\":\"I8\",\"shape\":[2],\"data_offsets\":[0,2]},\"a\":{\"dtype\":\"I8\",\"shape\":[2],\"data_"
	  "offsets\":[2,4]}}",
		4, "duplicate object key" },
	{ "{\"a\":", 0, "the header is not JSON" },
	{ "[1]", 0, "does not begin with '{'" },
	{ "{\"a\xff\":1}", 0, "the header is not JSON" },
};

Test(tensorpack, safetensors_that_lies)
{
	unsigned char file[1024], data[64] = { 0 };
	struct lt_tensors t;

	for (size_t i = 0; i < sizeof bad_safetensors / sizeof *bad_safetensors; i++) {
		const char *h = bad_safetensors[i].header;
		size_t n = write_safetensors(file, h, strlen(h), data, bad_safetensors[i].data);

		cr_assert_neq(lt__tensors_parse(ctx, LT_FILE_SAFETENSORS, "my.st", file, n, &t), LT_OK, "%s", h);
		cr_assert(strstr(lt_context_message(ctx), bad_safetensors[i].says), "%s: %s", h, lt_context_message(ctx));
		cr_assert_eq(strncmp(lt_context_message(ctx), "my.st: ", 7), 0);
	}
	cr_assert_neq(lt__tensors_parse(ctx, LT_FILE_SAFETENSORS, "x", file,
		write_safetensors(file, "{}", 3, NULL, 0), &t), LT_OK);
	cr_assert(strstr(lt_context_message(ctx), "more than the file has"));
	cr_assert_neq(lt__tensors_parse(ctx, LT_FILE_SAFETENSORS, "x", file,
		write_safetensors(file, "{}", UINT64_MAX, NULL, 0), &t), LT_OK);
	cr_assert(strstr(lt_context_message(ctx), "more than the file has"));
	cr_assert_neq(lt__tensors_parse(ctx, LT_FILE_SAFETENSORS, "x", file, 7, &t), LT_OK);
	cr_assert(strstr(lt_context_message(ctx), "too short"));
}

/* ---- names ---- */

/* What is unpacked, or listed, must lead nobody anywhere. */
Test(tensorpack, npz_names_are_plain)
{
	static const struct { const char *name, *why;
	} names[] = {
		{ "x", NULL },
		{ "layers/0/w", NULL },
		{ "a.b-c d:0", NULL },
		{ "..x", NULL },
		{ "x..", NULL },
		{ "...", NULL },
		{ "gr\xc3\xbc\xc3\x9f", NULL },
		{ "", "it is empty" },
		{ "/etc/x", "it begins with a slash" },
		{ "//x", "it begins with a slash" },
		{ "../x", "it has the folder . or .." },
		{ "a/../../x", "it has the folder . or .." },
		{ "a/..", "it has the folder . or .." },
		{ "..", "it has the folder . or .." },
		{ ".", "it has the folder . or .." },
		{ "./x", "it has the folder . or .." },
		{ "a//x", "it has a folder without a name" },
		{ "a/", "it has a folder without a name" },
		{ "a\\x", "it has a backslash" },
		{ "..\\x", "it has a backslash" },
		{ "a\x1b[31m", "it has a control character" },
		{ "a\nb", "it has a control character" },
		{ "a\x7f", "it has a control character" },
		{ "a\xc2\x85", "it has a control character" },
		{ "a\xe2\x80\xae", "it has a control character" },
		{ "a\xff", "or is not UTF-8" },
	};
	int64_t shape[] = { 1 };
	float data[16] = { 1 };
	char *longest = calloc(5000, 1);

	for (size_t i = 0; i <= sizeof names / sizeof *names; i++) {
		const bool last = i == sizeof names / sizeof *names;
		const char *name = last ? memset(longest, 'x', 4001) : names[i].name, *why = last ? "it is too long" : names[i].why;
		struct lt_tensor t = { .name = (char *)(uintptr_t)name,
			.dtype = LT_F32,
			.rank = 1,
			.shape = shape,
			.bytes = 4,
			.data = data };
		const struct lt_tensors all = { .at = &t, .n = 1 };
		struct lt_tensors back;

		unlink(scratch("n.npz"));
		cr_expect_eq(lt__tensors_write(ctx, scratch("n.npz"), &all) == LT_OK, why == NULL, "%s: %s", name,
			lt_context_message(ctx));
		if (why) {
			cr_expect(strstr(lt_context_message(ctx), why)
					&& strstr(lt_context_message(ctx), "cannot be the name of an entry"),
				"%s: %s", name, lt_context_message(ctx));
			cr_expect_neq(access(scratch("n.npz"), F_OK), 0);
		} else {
			cr_expect_eq(lt__tensors_read(ctx, scratch("n.npz"), &back), LT_OK, "%s: %s", name, lt_context_message(ctx));
			cr_expect(back.n == 1 && !strcmp(back.at[0].name, name), "%s", name);
			lt__tensors_free(&back);
		}
	}
	free(longest);
}

/* Odd names in files of others are names and nothing else: nothing is made or opened by them. */
Test(tensorpack, odd_names_are_read_as_names)
{
	static const char *const names[] = { "../up.npy", "/tmp/lt-absolute.npy", "a\\b.npy", "c\xc2\23331m.npy",
		"a//b/../c.npy", "C:\\x.npy" };
	static const unsigned char npy[] =
		"\x93NUMPY\x01\x00\x36\x00{'descr':'<f4','fortran_order':False,'shape':(1,)}     \n\0\0\200?";
	enum { N = sizeof names / sizeof *names };
	struct lt_tensors t;

	make_zip(scratch("odd.npz"), names, npy, 10 + 0x36 + 4, N, ZIP_CM_STORE);
	cr_assert_eq(lt__tensors_read(ctx, scratch("odd.npz"), &t), LT_OK, "%s", lt_context_message(ctx));
	cr_assert_eq(t.n, N);
	for (int i = 0; i < N; i++) {
		cr_expect(!strncmp(t.at[i].name, names[i], strlen(names[i]) - 4), "%s", t.at[i].name);
		cr_expect_eq(lt__npz_name(t.at[i].name) == NULL, false, "%s", t.at[i].name);
	}
	lt__tensors_free(&t);
	cr_expect_neq(access("/tmp/lt-absolute.npy", F_OK), 0);
	cr_expect_neq(access(scratch("../up.npy"), F_OK), 0);
}
