/* test_walk.c -- kernel programs walked without data: counts against the simulator's, and memory that is shared against
 * memory that is not. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "check/random/random.h"
#include "kernel/form/form.h"
#include "kernel/simulate/simulate.h"
#include "kernel/walk/walk.h"
#include "tests/keeper.h"

TestSuite(walk, .timeout = 60);

enum { LOOPS = 3, READ_AT = 4096, MEMORY = 8192 };       /* bytes */
/* bytes: that it reads and writes, from where these begin. */
struct drawn_kernel { char body[3000]; int n_loop; int64_t extent[LOOPS], bytes[2]; uint32_t type[2]; };

static const char *name_of(uint32_t type) { return lt__kernel_element_name(type); }

/* "%9 = add i64 %7 %8" and so on for an index over the loops, which begins at 0; its end. */
static int draw_index(uint64_t *r, char *text, int *value, const int64_t *extent, int n_loop, int64_t *end)
{
	int64_t low = 0, high = 0;
	int sum = -1;
	char *at = text + strlen(text);
	for (int l = 0; l < n_loop; l++) {
		const int64_t by = random_between(r, -1, 3);
		low += by < 0 ? by * (extent[l] - 1) : 0;
		high += by > 0 ? by * (extent[l] - 1) : 0;
		at += sprintf(at, "%%%d = mul i64 %%%d %lld\n", (*value)++, l, (long long)by);
		if (sum >= 0) {
			at += sprintf(at, "%%%d = add i64 %%%d %%%d\n", *value, sum, *value - 1);
			(*value)++;
		}
		sum = *value - 1;
	}
	at += sprintf(at, "%%%d = add i64 %%%d %lld\n", *value, sum, (long long)-low);
	*end = high - low + 1;
	return (*value)++;
}

static uint32_t size_of(uint32_t type) { return lt__kernel_element_bytes(type); }

/* y[..] = x[..] + x[..] in up to three loops, the second read in some iterations only.  XXXX and YYYY: where they
 * begin. */
static void draw_kernel(uint64_t *r, struct drawn_kernel *k)
{
	static const uint32_t types[] = { LT_U8, LT_I16, LT_I32 };
	int64_t end[3];
	char *at;
	int value = k->n_loop = (int)random_between(r, 1, LOOPS), index[3];
	k->type[0] = types[random_between(r, 0, 2)];
	k->type[1] = types[random_between(r, 0, 2)];
	k->body[0] = '\0';
	for (int l = 0; l < k->n_loop; l++)
		k->extent[l] = random_between(r, 1, 5);
	for (int i = 0; i < 3; i++)
		index[i] = draw_index(r, k->body, &value, k->extent, k->n_loop, &end[i]);
	at = k->body + strlen(k->body);
	at += sprintf(at, "%%%d = load %s x[%%%d + XXXX]\n%%%d = cast i32 from %s %%%d\n", value, name_of(k->type[0]),
		index[0], value + 1, name_of(k->type[0]), value);
	at += sprintf(at, "variable s\nset s %%%d\n%%%d = greaterequal i64 %%%d %lld\nif %%%d\n", value + 1, value + 2,
		index[1], (long long)random_between(r, 0, 6), value + 2);
	at += sprintf(at, "%%%d = load %s x[%%%d + XXXX]\n%%%d = cast i32 from %s %%%d\nupdate s add %%%d\nend\n"
		"%%%d = get s\n", value + 3, name_of(k->type[0]), index[1], value + 4, name_of(k->type[0]), value + 3, value + 4,
		value + 5);
	value += 5;
	if (k->type[1] != LT_I32) {
		at += sprintf(at, "%%%d = cast %s from i32 %%%d\n", value + 1, name_of(k->type[1]), value);
		value++;
	}
	sprintf(at, "store y[%%%d + YYYY] %%%d\n", index[2], value);
	k->bytes[0] = (end[0] > end[1] ? end[0] : end[1]) * size_of(k->type[0]);
	k->bytes[1] = end[2] * size_of(k->type[1]);
}

static void put_number(char *text, const char *word, int64_t number)
{
	char digits[24];
	snprintf(digits, sizeof digits, "%04lld", (long long)number);
	for (char *at = text; (at = strstr(at, word)); )
		memcpy(at, digits, 4);
}

/* y in memory of its own, or (shared) in that of x, so many bytes ahead of what is read. */
static const char *text_of(const struct drawn_kernel *d, bool shared, int64_t ahead)
{
	static char text[4000];
	char *at = text + sprintf(text, "kernel 1\nname k\nworkspace 0 thread 0\nbuffer x %s[%u] slot 0 align %u\n"
		"buffer y %s[%u] slot %d align %u written\nvariable s i32\nregion host\n", name_of(d->type[0]),
		MEMORY / size_of(d->type[0]), size_of(d->type[0]), name_of(d->type[1]), MEMORY / size_of(d->type[1]), !shared,
		size_of(d->type[1]));
	for (int l = 0; l < d->n_loop; l++)
		at += sprintf(at, "loop %%%d from 0 to %lld\n", l, (long long)d->extent[l]);
	at += sprintf(at, "%s", d->body);
	for (int l = 0; l < d->n_loop; l++)
		at += sprintf(at, "end\n");
	put_number(text, "XXXX", READ_AT / size_of(d->type[0]));
	put_number(text, "YYYY", (READ_AT - ahead) / size_of(d->type[1]));
	return text;
}

static struct lt_kernel *parse(const char *text)
{
	struct keeper said = keeper_new();
	struct lt_kernel *k;
	cr_assert_eq(lt_kernel_parse(text, strlen(text), &k, &said.diag), LT_OK, "%s\n%s", said.text, text);
	return k;
}

static void run(const struct lt_kernel *k, void *x, void *y, struct lt_simulate_count *count)
{
	struct keeper said = keeper_new();
	struct lt_fault fault = { 0 };
	const struct lt_slot slot[2] = { { x, 0, MEMORY }, { y, 0, MEMORY } };
	const struct lt_args args = { .size = sizeof args, .n_slot = k->n_slot, .slot = slot, .n_thread = 1, .fault = &fault };
	const struct lt_simulate_options options = { .seed = 1 };
	cr_assert_eq(lt__simulate(k, &args, &options, count, NULL, &said.diag), LT_OK, "%s", said.text);
}

/* What is written so many bytes ahead of what is read; x stays. */
static const unsigned char *run_at(const struct drawn_kernel *d, bool shared, int64_t ahead, const unsigned char *x)
{
	static _Alignas(64) unsigned char memory[MEMORY], other[MEMORY];
	struct lt_kernel *k = parse(text_of(d, shared, ahead));
	memcpy(memory, x, MEMORY);
	memset(other, 0, MEMORY);
	run(k, memory, other, NULL);
	lt_kernel_free(k);
	return (shared ? memory : other) + READ_AT - ahead;
}

Test(walk, what_is_written_ahead_of_what_is_read)
{
	uint64_t r = getenv("LT_SEED") ? strtoull(getenv("LT_SEED"), NULL, 10) : 1;
	int tight = 0, less = 0, nearer = 0;
	cr_log_info("LT_SEED=%llu", (unsigned long long)r);
	for (int round = 0; round < 400; round++) {
		static _Alignas(64) unsigned char x[MEMORY], alone[MEMORY];
		struct drawn_kernel d;
		int64_t ahead[4];
		bool differs = false;
		draw_kernel(&r, &d);
		struct lt_kernel *k = parse(text_of(&d, false, 0));
		const int64_t align = size_of(d.type[1]);
		cr_assert_eq(lt__walk_ahead(k, ahead, NULL), LT_OK);
		lt_kernel_free(k);
		/* Both begin at the same byte of their buffers, but what is behind y's begin only counts from READ_AT on. */
		cr_assert(ahead[0] == -1 && ahead[1] == -1 && ahead[3] == -1);
		cr_assert(ahead[2] >= 0 && ahead[2] <= d.bytes[1], "%lld of %lld\n%s", (long long)ahead[2], (long long)d.bytes[1],
			text_of(&d, false, 0));
		for (int64_t i = 0; i < MEMORY; i++)
			x[i] = (unsigned char)random_between(&r, 1, 255);
		memcpy(alone, run_at(&d, false, 0, x), (size_t)d.bytes[1]);
		const int64_t least = (ahead[2] + align - 1) / align * align;
		/* Elements that nobody writes are what they were. */
		for (int64_t by = least - align; by <= d.bytes[1]; by += align) {
			const unsigned char *shared = by < 0 ? alone : run_at(&d, true, by, x);
			for (int64_t i = 0; i < d.bytes[1]; i += align) {
				const bool written = memcmp(alone + i, "\0\0\0", (size_t)align);
				const bool same = !memcmp(alone + i, shared + i, (size_t)align);
				differs = differs || (by < least && written && !same);
				cr_assert(by < least || !written || same, "byte %lld, %lld ahead\n%s", (long long)i, (long long)by,
					text_of(&d, true, by));
			}
		}
		less += least < d.bytes[1];
		nearer += least >= align;
		tight += differs;
	}
	cr_log_info("%d of 400 may share bytes; of %d, %d are wrong where they are an element nearer", less, nearer, tight);
	cr_expect_geq(less, 150);
	cr_expect_geq(tight, nearer / 2);
}

Test(walk, counts_are_the_simulators)
{
	uint64_t r = 2;
	for (int round = 0; round < 200; round++) {
		static _Alignas(64) unsigned char x[MEMORY], y[MEMORY];
		struct drawn_kernel d;
		int64_t runs[200], simulated[200] = { 0 }, lanes[200] = { 0 };
		struct lt_simulate_count count = { .runs = simulated, .lanes = lanes };
		draw_kernel(&r, &d);
		struct lt_kernel *k = parse(text_of(&d, false, 0));
		cr_assert(k->n_instruction <= 200);
		cr_assert_eq(lt__walk_counts(k, runs, NULL), LT_OK);
		run(k, x, y, &count);
		for (uint32_t i = 0; i < k->n_instruction; i++)
			if (k->instructions[i].opcode == LT_OPCODE_load || k->instructions[i].opcode == LT_OPCODE_store
					|| k->instructions[i].opcode == LT_OPCODE_cast || k->instructions[i].opcode == LT_OPCODE_update)
				cr_assert_eq(runs[i], simulated[i], "instruction %u runs %lld times, not %lld\n%s", i, (long long)simulated[i],
					(long long)runs[i], text_of(&d, false, 0));
		lt_kernel_free(k);
	}
}

static lt_status ahead_of(const char *text, int64_t *ahead)
{
	struct lt_kernel *k = parse(text);
	const lt_status st = lt__walk_ahead(k, ahead, NULL);
	lt_kernel_free(k);
	return st;
}

#define HEAD "kernel 1\nname k\nworkspace 0 thread 0\nbuffer x %s slot 0 align 4\nbuffer y %s slot 1 align 4 written\n"
#define LOOP "loop %0 from 0 to 64\n"
Test(walk, by_hand)
{
	static const struct { const char *x, *y, *body; int64_t ahead; } cases[] = {
		/* y[i] = x[i], four times as large, a quarter; from the end; what is summed first */
		{ "i32[64]", "i32[64]", LOOP "%1 = load i32 x[%0]\nstore y[%0] %1\nend\n", 0 },
		{ "u8[64]", "i32[64]", LOOP "%1 = load u8 x[%0]\n%2 = cast i32 from u8 %1\nstore y[%0] %2\nend\n", 189 },
		{ "i32[64]", "u8[64]", LOOP "%1 = load i32 x[%0]\n%2 = cast u8 from i32 %1\nstore y[%0] %2\nend\n", 0 },
		{ "i32[64]", "i32[64]", LOOP "%1 = mul i64 %0 -1\n%2 = load i32 x[%1 + 63]\nstore y[%1 + 63] %2\nend\n", 256 },
		{ "i32[64]", "i32[64]", "%0 = load i32 x[63]\nloop %1 from 0 to 64\nstore y[%1] %0\nend\n", 0 },
		/* where x is read depends on x */
		{ "i32[64]", "i32[64]", LOOP "%1 = load i32 x[%0]\n%2 = cast i64 from i32 %1\n%3 = load i32 x[%2]\n"
			"store y[%0] %3\nend\n", 252 },
	};
	int64_t ahead[4];
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		char text[2000];
		snprintf(text, sizeof text, HEAD "region host\n%s", cases[i].x, cases[i].y, cases[i].body);
		cr_assert_eq(ahead_of(text, ahead), LT_OK);
		cr_expect_eq(ahead[2], cases[i].ahead, "case %zu: %lld, not %lld", i, (long long)ahead[2],
			(long long)cases[i].ahead);
	}
	/* y is read, too; a loop whose end is data. */
	cr_assert_eq(ahead_of("kernel 1\nname k\nworkspace 0 thread 0\nbuffer x i32[4] slot 0 align 4\n"
		"buffer y i32[4] slot 1 align 4 written\nregion host\n%0 = load i32 x[0]\nstore y[0] %0\n%1 = load i32 y[1]\n"
		"store y[2] %1\n", ahead), LT_OK);
	for (int i = 0; i < 4; i++)
		cr_expect_eq(ahead[i], i == 2 ? 0 : -1);
	cr_expect_eq(ahead_of("kernel 1\nname k\nworkspace 0 thread 0\nbuffer x i64[4] slot 0 align 8\n"
		"buffer y i64[4] slot 1 align 8 written\nregion host\n%0 = load i64 x[0]\nloop %1 from 0 to %0\nstore y[0] %0\nend\n",
		ahead), LT_EUNSUPPORTED);
}

/* 6 times 4, which is short: two loads of bytes, and a product that a variable adds; what is loaded by the outer loop
 * alone is loaded 6 times.  Of two stores where one condition holds, which loops decide, that is asked once.  A table
 * of 8: where it is asked is made of what was loaded, and counts; of i and 6 alone it does not, but a quotient of i
 * does.  What is of 64 bits or of floats is apart, a comparison by what is compared; a float that is one of two choices
 * is asked for in half of the cases. */
Test(walk, work_by_kinds)
{
	static const struct {
		const char *text;
		int64_t want[LT_NWORK];
	} cases[] = {
		{ "buffer x i8[24] slot 0 align 1\nbuffer y i32[6] slot 1 align 4 written\nvariable s i32\nregion host\n"
			"loop %0 from 0 to 6\nvariable s\nset s 0\n"
			"loop %1 from 0 to 4\n%2 = mul i64 %0 4\n%3 = add i64 %2 %1\n%4 = load i8 x[%3]\n%5 = load i8 x[%1]\n"
			"%6 = cast i32 from i8 %4\n%7 = cast i32 from i8 %5\n%8 = mul i32 %6 %7\nupdate s add %8\n"
			"%12 = load i8 x[%0]\n%13 = cast i32 from i8 %12\nupdate s xor %13\nend\n%9 = get s\n"
			"%10 = shift_signed i32 %9 11\n%11 = greaterequal i64 %0 3\nif %11\nstore y[%0] %10\nend\nif %11\n"
			"store y[0] %10\nend\nend\n",
			{ [LT_WORK_LOAD] = 54, [LT_WORK_LOAD_BYTES] = 54, [LT_WORK_STORE] = 6, [LT_WORK_STORE_BYTES] = 24,
			[LT_WORK_PRODUCT8] = 24, [LT_WORK_SUM] = 24, [LT_WORK_BYTES] = 24 * 4, [LT_WORK_SHIFT] = 6,
			[LT_WORK_SHIFT_BITS] = 6 * 11 * 4, [LT_WORK_ITERATION] = 6,
			[LT_WORK_SHORT_ITERATION] = 24, [LT_WORK_ENTERED] = 7, [LT_WORK_BRANCH] = 6,
			[LT_WORK_LAUNCH] = 1 } },
		{ "buffer x i16[6] slot 0 align 2\nbuffer y i16[8] slot 1 align 2\nbuffer z i32[6] slot 2 align 4 written\n"
			"region host\nloop %0 from 0 to 6\n%1 = load i16 x[%0]\n%2 = cast i64 from i16 %1\n%3 = max i64 %2 0\n"
			"%4 = min i64 %3 7\n%5 = load i16 y[%4]\n%6 = cast i32 from i16 %5\n%7 = quotient i32 %6 7\n"
			"%10 = quotient i32 %7 %6\n"
			"%8 = mul i32 %10 %6\n%9 = shift_signed i32 %8 %6\n%11 = quotient i64 %0 3\n%12 = mul i64 %11 2\n"
			"%13 = quotient i32 %9 4\n%14 = greater i32 %13 3\nif %14\nstore z[%12] %9\nend\nend\n",
			{ [LT_WORK_LOAD] = 12, [LT_WORK_LOAD_BYTES] = 24, [LT_WORK_STORE] = 6, [LT_WORK_STORE_BYTES] = 24,
			[LT_WORK_CHOICE] = 12, [LT_WORK_COMPARISON] = 6, [LT_WORK_BYTES] = 12 * 2 + 6 * 4,
			[LT_WORK_KNOWN_QUOTIENT] = 6, [LT_WORK_QUOTIENT] = 6,
			[LT_WORK_PLACE_QUOTIENT] = 6, [LT_WORK_PRODUCT8] = 6, [LT_WORK_PRODUCT32] = 6, [LT_WORK_SHIFT] = 12,
			[LT_WORK_SHIFT_BITS] = 6 * 8 * 4 + 6 * 2 * 4, [LT_WORK_SHORT_ITERATION] = 6, [LT_WORK_ENTERED] = 1,
			[LT_WORK_BRANCH] = 6, [LT_WORK_LAUNCH] = 1 } },
		{ "buffer x i64[1] slot 0 align 8\nbuffer y f32[1] slot 1 align 4 written\nregion host\n%0 = load i64 x[0]\n"
			"%1 = mul i64 %0 %0\n%13 = cast i32 from i64 %0\n%14 = cast i64 from i32 %13\n%15 = mul i64 %14 99999\n"
			"%16 = cast i16 from i32 %13\n%17 = cast i64 from i16 %16\n%18 = mul i64 %17 7\n%19 = add i64 %15 %18\n"
			"%20 = xor i64 %19 %1\n%2 = quotient i64 %20 3\n%3 = shift_signed i64 %2 40\n%4 = sub i64 %3 1\n"
			"%5 = convert f32 from i64 %4\n%6 = mul f32 %5 %5\n%7 = div f32 %6 %5\n%8 = exp f32 %7\n%9 = floor f32 %8\n"
			"%10 = less f32 %9 %5\n%11 = select f32 %10 %9 %8\n%12 = abs f32 %11\n%21 = rsqrt f32 %12\n"
			"%22 = cast f64 from f32 %21\n%23 = add f64 %22 %22\n%24 = cast f32 from f64 %23\n%25 = sub f32 %24 %12\n"
			"%26 = mul i64 %0 %20\nstore y[0] %25\n",
			{ [LT_WORK_LOAD] = 1, [LT_WORK_LOAD_BYTES] = 8, [LT_WORK_STORE] = 1,
			[LT_WORK_STORE_BYTES] = 4, [LT_WORK_WIDE] = 2,
			[LT_WORK_WIDE_PRODUCT] = 1, [LT_WORK_LONG_PRODUCT] = 1, [LT_WORK_PRODUCT16] = 1,
			[LT_WORK_CAST] = 4, [LT_WORK_BYTES] = 4 + 8 + 2 + 8 + 4 + 4,
			[LT_WORK_WIDE_KNOWN_QUOTIENT] = 1, [LT_WORK_WIDE_SHIFT] = 1, [LT_WORK_WIDE_CONVERT] = 1,
			[LT_WORK_CONVERT] = 2, [LT_WORK_DOUBLE] = 1, [LT_WORK_ROOT] = 1,
			[LT_WORK_FLOAT_PRODUCT] = 1, [LT_WORK_FLOAT_QUOTIENT] = 2, [LT_WORK_FUNCTION] = 1, [LT_WORK_ROUND] = 1,
			[LT_WORK_FLOAT] = 1, [LT_WORK_FLOAT_CHOICE] = 1, [LT_WORK_CHOICE] = 1, [LT_WORK_SUM] = 1,
			[LT_WORK_LAUNCH] = 1 } },
		{ "buffer x f32[6] slot 0 align 4\nbuffer y f16[6] slot 1 align 2 written\nregion host\nloop %0 from 0 to 6\n"
			"%1 = load f32 x[%0]\n%2 = less f32 %1 0\n%3 = flag mask %2\n%4 = pow f32 %1 1.5\n%5 = test bool %3\n"
			"%6 = select f32 %5 %4 %1\n%8 = cast i64 from f32 %6\n%9 = max i64 %8 7\n"
			"%10 = convert f32 from i64 %9\n%7 = cast f16 from f32 %10\nstore y[%0] %7\nend\n",
			{ [LT_WORK_LOAD] = 6, [LT_WORK_LOAD_BYTES] = 24, [LT_WORK_STORE] = 6, [LT_WORK_STORE_BYTES] = 12,
			[LT_WORK_FLOAT_CHOICE] = 6 * 3, [LT_WORK_WIDE_CONVERT] = 12, [LT_WORK_WIDE_CHOICE] = 6,
			[LT_WORK_POWER] = 3, [LT_WORK_CHOICE] = 6, [LT_WORK_BYTES] = 24,
			[LT_WORK_HALF] = 6, [LT_WORK_SHORT_ITERATION] = 6, [LT_WORK_ENTERED] = 1, [LT_WORK_LAUNCH] = 1 } },
	};
	static const char *const words[LT_NWORK] = {
#define WORD(kind, word) [LT_WORK_##kind] = #word,
		LT_WORK_MAP(WORD)
#undef WORD
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct lt_walk_work w;
		char text[2000];
		snprintf(text, sizeof text, "kernel 1\nname k\nworkspace 0 thread 0\n%s", cases[i].text);
		struct lt_kernel *k = parse(text);
		cr_assert_eq(lt__walk_work(k, &w, NULL), LT_OK);
		for (int kind = 0; kind < LT_NWORK; kind++)
			cr_expect_eq(w.n[kind], cases[i].want[kind], "case %zu, %s: %lld, not %lld", i, words[kind],
				(long long)w.n[kind], (long long)cases[i].want[kind]);
		lt_kernel_free(k);
	}
}
