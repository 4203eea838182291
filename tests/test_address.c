/* test_address.c -- which accesses are apart (kernel/step/address.h): against enumeration of the elements that they
 * reach, for random sums and values, those included whose sums wrap.
 *
 * LT_SEED=N begins with another case, LT_PAIRS=N takes another number of them.
 */
#include <criterion/criterion.h>
#include <inttypes.h>
#include "check/random/must.h"
#include "kernel/step/address.h"
#include "tests/simulated.h"

TestSuite(address, .timeout = 60);

enum { N_PART = 3, N_TRY = 200 };

static int64_t small(uint64_t *state, int64_t from, int64_t to)
{
	return from + (int64_t)(simulated_random(state) % (uint64_t)(to - from + 1));
}

/* Parts of both are the same values; of some it has none. */
static struct lt_address_reach random_reach(uint64_t *state, struct lt_address_part *part)
{
	struct lt_address_reach r = { .n = 1u << small(state, 0, 3), .stride = small(state, -3, 9) };
	r.first.part = part;
	r.first.number = small(state, -9, 40);
	for (int v = 0; v < N_PART; v++) {
		int64_t times = small(state, 0, 2) ? small(state, -4, 4) * (INT64_C(1) << small(state, 0, 4)) : 0;
		if (!small(state, 0, 9))
			times = (int64_t)simulated_random(state);
		if (times)
			part[r.first.n++] = (struct lt_address_part){ v, times };
	}
	return r;
}

static uint64_t element(const struct lt_address_reach *r, const uint64_t *value, uint32_t lane)
{
	uint64_t sum = (uint64_t)r->first.number + lane * (uint64_t)r->stride;
	for (int32_t i = 0; i < r->first.n; i++)
		sum += (uint64_t)r->first.part[i].times * value[r->first.part[i].value];
	return sum;
}

static bool meet(const struct lt_address_reach *a, const struct lt_address_reach *b, const uint64_t *value)
{
	for (uint32_t i = 0; i < a->n; i++)
		for (uint32_t j = 0; j < b->n; j++)
			if (element(a, value, i) == element(b, value, j))
				return true;
	return false;
}

/* Whether some values of the parts were found by which they meet. */
static bool try_values(const struct lt_address_reach *a, const struct lt_address_reach *b, uint64_t *state)
{
	for (int t = 0; t < N_TRY; t++) {
		uint64_t value[N_PART];
		for (int v = 0; v < N_PART; v++)
			value[v] = small(state, 0, 19) ? (uint64_t)small(state, -8, 8) : simulated_random(state);
		if (meet(a, b, value))
			return true;
	}
	return false;
}

Test(address, what_is_apart_never_meets)
{
	uint64_t seed = must_number("LT_SEED", 1), n = must_draws("LT_PAIRS", 20000), apart = 0, missed = 0;
	for (uint64_t i = 0; i < n; i++) {
		uint64_t state = seed + i;
		struct lt_address_part x[N_PART], y[N_PART];
		struct lt_address_reach a = random_reach(&state, x), b = random_reach(&state, y);
		if (small(&state, 0, 1)) {      /* the same parts, which is the usual case */
			b.first.n = a.first.n;
			memcpy(y, x, sizeof x);
		}
		bool said = lt__address_apart(&a, &b), same = lt__address_same_parts(&a.first, &b.first);
		cr_assert_eq(said, lt__address_apart(&b, &a), "pair %" PRIu64, seed + i);
		bool met = try_values(&a, &b, &state);
		cr_assert_not(said && met, "pair %" PRIu64 " is apart, and meets", seed + i);
		/* With the same parts all is known. */
		cr_assert_not(same && said == met, "pair %" PRIu64 " of the same parts", seed + i);
		apart += said;
		missed += !said && !met;
	}
	cr_expect(apart > n / 10, "%" PRIu64 " are apart, %" PRIu64 " were not seen to be", apart, missed);
}

/* Sums of a program's values, by hand. */
Test(address, sums_of_values)
{
	struct lt_kernel *k = simulated_kernel("kernel 1\nname k\nworkspace 0 thread 0\n"
		"buffer y i64[4] slot 0 align 8 exclusive written\nregion host\n"
		"\tloop %%i from 0 to 3\n\t\t%%a = mul i64 %%i 5\n\t\t%%b = add i64 %%a 7\n\t\t%%c = mul i64 -3 %%b\n"
		"\t\t%%d = sub i64 %%c %%i\n\t\t%%e = div i64 %%d 2\n\t\t%%f = add i64 %%e %%d\n\t\t%%g = neg i64 %%f\n"
		"\t\t%%h = add i64 %%g %%f\n\t\t%%p = mul i64 %%e %%d\n\t\t%%q = copy i64 %%p\n\t\tstore y[%%i] %%h\n"
		"\t\tstore y[%%i] %%q\n\tend\n");
	struct lt_pool pool = { 0 };
	if (setjmp(pool.jump))
		cr_assert_fail("no memory");
	const struct lt_address_sum *v = lt__address_values(k, &pool);
	int32_t loop = -1, div = -1, mul = -1;
	for (int32_t at = 0; at < (int32_t)k->n_instruction; at++) {
		const struct lt_instruction *i = &k->instructions[at];
		loop = i->opcode == LT_OPCODE_loop ? at : loop;
		div = i->opcode == LT_OPCODE_div ? at : div;
		if (i->opcode == LT_OPCODE_sub)
			cr_expect(v[at].n == 1 && v[at].number == -21 && lt__address_times(&v[at], loop) == -16);
		if (i->opcode == LT_OPCODE_neg)
			cr_expect(v[at].n == 2 && v[at].number == 21 && lt__address_times(&v[at], loop) == 16
				&& lt__address_times(&v[at], div) == -1);
		if (i->opcode == LT_OPCODE_mul)
			mul = at;
		if (i->opcode == LT_OPCODE_copy)
			cr_expect(v[at].n == 1 && lt__address_times(&v[at], mul) == 1);
		if (i->opcode == LT_OPCODE_store && k->instructions[i->operand[3]].opcode == LT_OPCODE_add)
			cr_expect(v[i->operand[3]].n == 0 && v[i->operand[3]].number == 0);
	}
	cr_expect(div >= 0 && mul > div);
	lt__pool_free(&pool);
	lt_kernel_free(k);
}
