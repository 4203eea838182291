/* isl.c -- isl's contexts and numbers, for all that asks isl; and questions that can be ended. */
#include <isl/aff.h>
#include <isl/ctx.h>
#include <isl/options.h>
#include <isl/set.h>
#include <isl/val.h>
#include <pthread.h>
#include <time.h>
#include "base/arena.h"
#include "base/thread.h"
#include "ir/isl/isl.h"

/* A question that needs more than this part of its operations is long; how often its caller is asked. */
enum { PART = 20, ASK_NS = 20000000 };

static lt_give isl_ctx *open_for(int64_t operations)
{
	isl_ctx *ctx = isl_ctx_alloc();

	if (!ctx)
		return NULL;
	isl_options_set_on_error(ctx, ISL_ON_ERROR_CONTINUE);
	isl_ctx_set_max_operations(ctx, (unsigned long)operations);
	return ctx;
}

lt_give isl_ctx *lt__isl_open(struct lt_context *of, int64_t operations)
{
	of->labour.isl++;
	return open_for(operations);
}

/* -- questions that can be ended --
 *
 * isl asks nobody while it works, and can only be told from outside that it is not wanted any more (isl_ctx_abort,
 * which sets a number that each of its operations looks at).  The caller is asked on its own thread; so a long question
 * is answered on another one.  Which are long shows when they have spent a part of their operations: then they are
 * asked once more, from the start, for isl has no answer to go on from.
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
		do {
			unwanted = lt__unwanted(of);
			if (unwanted)
				isl_ctx_abort(a->ctx);
		} while (!unwanted && !wait_for_answer(a));
		(void)pthread_join(thread, NULL);
	} else {
		a->question(a->ctx, a->user);
	}
	(void)pthread_mutex_destroy(&a->lock);
	(void)pthread_cond_destroy(&a->answered);
	return unwanted ? LT_ECANCELLED : LT_OK;
}

/* The context's last error, which ends it. */
static enum isl_error close_context(isl_ctx *ctx)
{
	const enum isl_error error = isl_ctx_last_error(ctx);

	isl_ctx_free(ctx);
	return error;
}

lt_status lt__isl_ask(struct lt_context *of, int64_t operations, lt_isl_question *question, void *user)
{
	const bool may_be_long = lt__is_asked(of) && operations >= PART;
	struct asking a = { .ctx = lt__isl_open(of, may_be_long ? operations / PART : operations), .question = question,
		.user = user };
	lt_status st = LT_OK;

	if (!a.ctx)
		return LT_ENOMEM;
	question(a.ctx, user);
	enum isl_error error = close_context(a.ctx);
	/* Whatever the error is called: what spends the operations may go on to another one. */
	if (may_be_long && error != isl_error_none) {
		a.ctx = open_for(operations);
		if (!a.ctx)
			return LT_ENOMEM;
		st = ask_beside(of, &a);
		error = close_context(a.ctx);
	}
	return st ? st : error == isl_error_alloc ? LT_ENOMEM : LT_OK;
}

lt_give isl_set *lt__isl_nonnegative(lt_take isl_aff *aff) { return isl_pw_aff_nonneg_set(isl_pw_aff_from_aff(aff)); }

bool lt__isl_number(lt_take isl_val *v, int64_t *out)
{
	bool fits = isl_val_is_int(v) == isl_bool_true && isl_val_cmp_si(v, INT64_MAX) <= 0
		&& isl_val_cmp_si(v, INT64_MIN + 1) >= 0;

	*out = fits ? isl_val_get_num_si(v) : 0;
	isl_val_free(v);
	return fits;
}
