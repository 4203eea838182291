/* isl.c -- isl's contexts and numbers, for all that asks isl; and questions that can be ended. */
#include <isl/aff.h>
#include <isl/ctx.h>
#include <isl/options.h>
#include <isl/set.h>
#include <isl/val.h>
#include <limits.h>
#include <pthread.h>
#include <time.h>
#include "base/arena.h"
#include "base/thread.h"
#include "ir/isl/isl.h"

enum { ASK_NS = 20000000 };     /* how often a caller is asked */

lt_give isl_ctx *lt__isl_open(struct lt_context *of, int64_t operations)
{
	isl_ctx *ctx = isl_ctx_alloc();

	of->labour.isl++;
	if (!ctx)
		return NULL;
	isl_options_set_on_error(ctx, ISL_ON_ERROR_CONTINUE);
	isl_ctx_set_max_operations(ctx, (unsigned long)operations);
	return ctx;
}

/* -- questions that can be ended --
 *
 * isl asks nobody while it works, and can only be told from outside that it is not wanted any more (isl_ctx_abort,
 * which sets a number that each of its operations looks at).  The caller is asked on its own thread; so where there is
 * one to ask, the question is answered on another one.
 */

struct asking {
	isl_ctx *ctx;
	lt_isl_question *question;
	void *user;
	pthread_mutex_t lock;
	pthread_cond_t answered;
	bool is_answered;
};

static void *answer(void *arg)
{
	struct asking *a = arg;

	a->question(a->ctx, a->user);
	(void)pthread_mutex_lock(&a->lock);
	a->is_answered = true;
	(void)pthread_cond_signal(&a->answered);
	(void)pthread_mutex_unlock(&a->lock);
	return NULL;
}

/* Whether it is answered within the time between two times that the caller is asked. */
static bool wait_for_answer(struct asking *a)
{
	struct timespec until;
	int late = 0;

	(void)clock_gettime(CLOCK_MONOTONIC, &until);
	until.tv_nsec += ASK_NS;
	if (until.tv_nsec >= 1000000000) {
		until.tv_sec++;
		until.tv_nsec -= 1000000000;
	}
	(void)pthread_mutex_lock(&a->lock);
	while (!a->is_answered && !late)
		late = pthread_cond_timedwait(&a->answered, &a->lock, &until);
	const bool is = a->is_answered;
	(void)pthread_mutex_unlock(&a->lock);
	return is;
}

static lt_status ask_beside(struct lt_context *of, struct asking *a)
{
	pthread_condattr_t clock;
	pthread_t thread;
	bool unwanted = false;

	a->is_answered = false;
	(void)pthread_condattr_init(&clock);
	(void)pthread_condattr_setclock(&clock, CLOCK_MONOTONIC);
	(void)pthread_cond_init(&a->answered, &clock);
	(void)pthread_condattr_destroy(&clock);
	(void)pthread_mutex_init(&a->lock, NULL);
	if (!lt__thread_start(&thread, answer, a)) {
		/* Tests that ask at each place count how often. */
		unwanted = of->asks_always && lt__unwanted(of);
		while (!unwanted && !wait_for_answer(a))
			unwanted = !of->asks_always && lt__unwanted(of);
		if (unwanted)
			isl_ctx_abort(a->ctx);
		(void)pthread_join(thread, NULL);
	} else {
		a->question(a->ctx, a->user);
	}
	(void)pthread_mutex_destroy(&a->lock);
	(void)pthread_cond_destroy(&a->answered);
	return unwanted ? LT_ECANCELLED : LT_OK;
}

lt_status lt__isl_ask(struct lt_context *of, int64_t operations, lt_isl_question *question, void *user)
{
	struct asking a = { .ctx = lt__isl_open(of, operations), .question = question, .user = user };
	lt_status st = LT_OK;

	if (!a.ctx)
		return LT_ENOMEM;
	if (lt__is_asked(of))
		st = ask_beside(of, &a);
	else
		question(a.ctx, user);
	const bool no_memory = isl_ctx_last_error(a.ctx) == isl_error_alloc;
	isl_ctx_free(a.ctx);
	return st ? st : no_memory ? LT_ENOMEM : LT_OK;
}

lt_give isl_set *lt__isl_nonnegative(lt_take isl_aff *aff) { return isl_pw_aff_nonneg_set(isl_pw_aff_from_aff(aff)); }

/* isl's functions of numbers take a long, which has 32 bits on some machines: what does not fit goes by its absolute
 * value, as one chunk of eight bytes. */
lt_give isl_val *lt__isl_value(isl_ctx *ctx, int64_t number)
{
	if (number >= LONG_MIN && number <= LONG_MAX)
		return isl_val_int_from_si(ctx, (long)number);
	const uint64_t size = number < 0 ? 0 - (uint64_t)number : (uint64_t)number;
	isl_val *v = isl_val_int_from_chunks(ctx, 1, sizeof size, &size);

	return number < 0 ? isl_val_neg(v) : v;
}

bool lt__isl_number(lt_take isl_val *v, int64_t *out)
{
	uint64_t size = 0;
	const bool fits = isl_val_is_int(v) == isl_bool_true && isl_val_n_abs_num_chunks(v, sizeof size) <= 1
		&& isl_val_get_abs_num_chunks(v, sizeof size, &size) == isl_stat_ok && size <= INT64_MAX;

	*out = !fits ? 0 : isl_val_sgn(v) < 0 ? -(int64_t)size : (int64_t)size;
	isl_val_free(v);
	return fits;
}
