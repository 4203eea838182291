/* test_isl_ask.c -- questions to isl that take long: who answers them, and how a caller ends them. */
#include <criterion/criterion.h>
#include <isl/ctx.h>
#include <isl/ilp.h>
#include <isl/point.h>
#include <isl/set.h>
#include <isl/val.h>
#include <pthread.h>
#include <string.h>
#include "base/arena.h"
#include "ir/isl/isl.h"

/* Of EXTENT numbers those are taken away whose remainder by MODULUS is not LEFT_OUT, one class after the other.  That
 * takes more than SPENT operations, and less than PLENTY. */
enum { EXTENT = 6000, MODULUS = 29, LEFT_OUT = 17, SPENT = 1000, PLENTY = 1000000 };

struct asked {
	struct lt_context *ctx;
	int64_t operations, first, last;
	int times, elsewhere;
	bool is_known;
	pthread_t caller;
};

static void take_away(isl_ctx *ctx, void *user)
{
	struct asked *a = user;
	char text[128];
	snprintf(text, sizeof text, "{ [i] : 0 <= i < %d }", EXTENT);
	isl_set *left = isl_set_read_from_str(ctx, text);
	for (int k = 0; k < MODULUS; k++)
		if (k != LEFT_OUT) {
			snprintf(text, sizeof text, "{ [i] : exists e : i = %d e + %d }", MODULUS, k);
			left = isl_set_coalesce(isl_set_subtract(left, isl_set_read_from_str(ctx, text)));
		}
	a->is_known = lt__isl_number(isl_set_dim_min_val(isl_set_copy(left), 0), &a->first)
		&& lt__isl_number(isl_set_dim_max_val(left, 0), &a->last);
	a->times++;
	a->elsewhere += !pthread_equal(a->caller, pthread_self());
}

static int go_on(void *user)
{
	(void)user;
	return 0;
}

static lt_status ask_it(void *user)
{
	struct asked *a = user;
	return lt__isl_ask(a->ctx, a->operations, take_away, a);
}

static struct asked asked(int (*cancelled)(void *), int64_t operations)
{
	struct asked a = { .operations = operations, .caller = pthread_self() };
	cr_assert_eq(lt_context_new(&a.ctx), LT_OK);
	lt_context_cancel(a.ctx, cancelled, NULL);
	cr_assert_eq(lt__protect(a.ctx, ask_it, &a), LT_OK, "%s", lt_context_message(a.ctx));
	cr_expect_eq(a.ctx->labour.isl, 1);
	lt_context_free(a.ctx);
	return a;
}

/* As counting says it, whoever answers. */
Test(isl_ask, an_answer_is_the_same_with_and_without_a_caller_who_is_asked)
{
	int first = -1, last = -1;
	for (int i = 0; i < EXTENT; i++)
		if (i % MODULUS == LEFT_OUT) {
			first = first < 0 ? i : first;
			last = i;
		}
	const struct asked alone = asked(NULL, PLENTY), beside = asked(go_on, PLENTY);
	cr_expect(alone.is_known && alone.first == first && alone.last == last);
	cr_expect(beside.is_known && beside.first == first && beside.last == last);
	cr_expect(alone.times == 1 && alone.elsewhere == 0);
	cr_expect(beside.times == 1 && beside.elsewhere == 1);
}

/* It stays open, whoever is asked. */
Test(isl_ask, a_spent_budget_is_no_answer)
{
	const struct asked alone = asked(NULL, SPENT), beside = asked(go_on, SPENT);
	cr_expect(!alone.is_known && alone.times == 1);
	cr_expect(!beside.is_known && beside.times == 1);
}

struct patience { int left; enum isl_error ended_by; };

static int count_down(void *user) { return --((struct patience *)user)->left <= 0; }

/* Without an end of its own. */
static void work(isl_ctx *ctx, void *user)
{
	while (isl_ctx_last_error(ctx) == isl_error_none)
		isl_set_free(isl_set_read_from_str(ctx, "{ [i] : exists e : 0 <= i < 100 and i = 3 e }"));
	((struct patience *)user)->ended_by = isl_ctx_last_error(ctx);
}

struct endless { struct lt_context *ctx; struct patience patience; };

static lt_status ask_without_end(void *user)
{
	struct endless *e = user;
	/* A minute and more of work. */
	return lt__isl_ask(e->ctx, INT64_C(1000000000), work, &e->patience);
}

Test(isl_ask, a_caller_ends_it, .timeout = 120)
{
	struct endless e = { .patience = { .left = 3 } };
	cr_assert_eq(lt_context_new(&e.ctx), LT_OK);
	lt_context_cancel(e.ctx, count_down, &e.patience);
	cr_expect_eq(lt__protect(e.ctx, ask_without_end, &e), LT_ECANCELLED);
	cr_expect(e.patience.left == 0 && e.patience.ended_by != isl_error_none);
	cr_expect_str_eq(lt_context_message(e.ctx), "this was cancelled");
	lt_context_free(e.ctx);
}
