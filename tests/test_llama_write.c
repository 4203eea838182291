/* Checkpoints that are written: the bytes that the tests' own writer makes of the same numbers; what is read back. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "frontends/llama2/llama2.h"
#include "lt/lt.h"
#include "tests/checkpoint.h"

static const struct checkpoint_sizes sizes = { 64, 128, 2, 4, 2, 9, 12 };
enum { ROTATIONS = 2 * 12 * 8 };        /* numbers in both tables: positions by half a head */

static struct lt_context *ctx;

static void set_up(void) { cr_assert(!lt_context_new(&ctx)); }
static void tear_down(void) { lt_context_free(ctx); }
TestSuite(llama_write, .init = set_up, .fini = tear_down);

static struct lt_llama read_model(const void *at, size_t n)
{
	struct lt_llama m;

	cr_assert(!lt__llama_read(ctx, at, n, "test.bin", &m), "%s", lt_context_message(ctx));
	return m;
}

/* The checkpoint as a file whose matrices have this type; malloc. */
static unsigned char *written(const struct checkpoint *c, enum lt_dtype dtype, size_t *n)
{
	struct lt_llama m = read_model(c->file, c->n), narrow;
	void *memory = NULL;
	char *at;
	FILE *to = open_memstream(&at, n);

	if (dtype != LT_F32) {
		cr_assert(!lt__llama_convert(ctx, &m, dtype, &narrow, &memory), "%s", lt_context_message(ctx));
		m = narrow;
	}
	lt__llama_write(&m, dtype == LT_F32, to);
	cr_assert(!fclose(to));
	free(memory);
	return (unsigned char *)at;
}

Test(llama_write, int8_is_version_2_byte_for_byte)
{
	for (int shared = 0; shared < 2; shared++) {
		struct checkpoint *from = checkpoint_new(&sizes, shared, shared, 0, 3), *want = checkpoint_new(&sizes, shared, 2,
			64, 3);
		size_t n;
		unsigned char *got = written(from, LT_I8, &n);

		cr_assert_eq(n, want->n);
		for (size_t i = 0; i < n; i++)
			cr_assert_eq(got[i], want->file[i], "byte %zu is %d, not %d", i, got[i], want->file[i]);
		free(got);
		checkpoint_free(from);
		checkpoint_free(want);
	}
}

/* Also of a file of version 1, and of what int8 means. */
Test(llama_write, floats_are_version_0)
{
	for (int k = 0; k < 6; k++) {
		const bool shared = k % 2;
		struct checkpoint *from = checkpoint_new(&sizes, shared, k / 2, k / 2 == 2 ? 64 : 0, 3);
		struct checkpoint *want = checkpoint_new(&sizes, shared, 0, 0, 3);
		const size_t tables = want->n - (shared ? 0 : sizeof (float[9 * 64])) - sizeof (float[ROTATIONS]);
		size_t n;
		unsigned char *got = written(from, LT_F32, &n);
		const float *table = (const float *)(const void *)(got + tables);

		cr_assert_eq(n, want->n);
		if (k / 2 < 2) {
			cr_assert(!memcmp(got, want->file, tables), "file %d", k);
			cr_assert(!memcmp(table + ROTATIONS, want->file + tables + sizeof (float[ROTATIONS]),
				n - tables - sizeof (float[ROTATIONS])), "file %d", k);
		} else {
			cr_assert(!memcmp(got + 28, from->embedding, sizeof (float[9 * 64])));
		}
		for (int i = 0; i < ROTATIONS; i++) {
			const double angle = i % (ROTATIONS / 2) / 8 * pow(10000, -(i % 8) / 8.0);

			cr_assert_float_eq(table[i], i < ROTATIONS / 2 ? cos(angle) : sin(angle), 1e-5, "entry %d", i);
		}
		free(got);
		checkpoint_free(from);
		checkpoint_free(want);
	}
}

/* Norms as they are; matrices rounded once: to 8 significant bits, or to 11 that are not below 2^-24. */
Test(llama_write, halves_are_read_back)
{
	for (int k = 0; k < 4; k++) {
		struct checkpoint *c = checkpoint_new(&sizes, k % 2, 0, 0, 3);
		const enum lt_dtype dtype = k < 2 ? LT_BF16 : LT_F16;
		size_t n;
		unsigned char *file = written(c, dtype, &n);
		const struct lt_llama m = read_model(file, n), whole = read_model(c->file, c->n);

		cr_assert(m.version == 100 && m.shared == (k % 2 == 1) && m.parameters == whole.parameters);
		cr_assert_eq(n, 256 + 2 * (size_t)m.parameters + sizeof (float[(2 * 2 + 1) * 64 / 2]));
		for (int i = 0; i < LT_LLAMA_KINDS; i++) {
			const enum lt_llama_kind kind = (enum lt_llama_kind)i;
			const struct lt_llama_weights *w = &m.weights[kind];

			cr_assert(!w->at || w->dtype == (w->rows == 1 ? LT_F32 : dtype));
			for (int32_t layer = 0; w->at && layer < (lt__llama_layered(kind) ? m.layers : 1); layer++)
				for (int64_t j = 0; j < w->rows * w->columns; j++) {
					const double x = (double)lt__llama_weight(&whole, kind, layer, j);
					const double y = (double)lt__llama_weight(&m, kind, layer, j);
					const double step = w->rows == 1 ? 0 : dtype == LT_BF16 ? 0x1p-8 * fabs(x) : 0x1p-11 * fabs(x) + 0x1p-25;

					cr_assert(fabs(x - y) <= step, "kind %d, layer %d, number %lld: %g is %g", i, layer, (long long)j, x, y);
				}
		}
		for (size_t cut = 256; cut < n; cut += 97) {
			struct lt_llama none;

			cr_assert(lt__llama_read(ctx, file, cut, "test.bin", &none));
		}
		file[37] = 3;
		struct lt_llama none;
		cr_assert_eq(lt__llama_read(ctx, file, n, "test.bin", &none), LT_EUNSUPPORTED);
		cr_assert(strstr(lt_context_message(ctx), "its matrices have type 3"), "%s", lt_context_message(ctx));
		free(file);
		checkpoint_free(c);
	}
}

/* Of hidden_dim 1, w1 and w3 have one row, and are matrices nevertheless. */
Test(llama_write, a_matrix_of_one_row_is_converted)
{
	static const struct checkpoint_sizes thin = { 8, 1, 1, 2, 2, 9, 12 };
	struct checkpoint *from = checkpoint_new(&thin, true, 2, 4, 3);
	struct lt_llama m = read_model(from->file, from->n), narrow;
	void *memory = NULL;

	cr_assert(!lt__llama_convert(ctx, &m, LT_BF16, &narrow, &memory), "%s", lt_context_message(ctx));
	for (int k = 0; k < LT_LLAMA_KINDS; k++)
		if (narrow.weights[k].at)
			cr_expect_eq(narrow.weights[k].dtype, lt__llama_is_vector((enum lt_llama_kind)k) ? LT_F32 : LT_BF16, "%d", k);
	cr_expect(lt__llama_is_vector(LT_LLAMA_RMS_FINAL) && !lt__llama_is_vector(LT_LLAMA_W1));
	free(memory);
	checkpoint_free(from);
}
