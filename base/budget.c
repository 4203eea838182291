/* budget.c -- see budget.h. */
#include <string.h>
#include <time.h>
#include "base/arena.h"
#include "base/budget.h"

/* A clock is looked at every so many polls, and the caller is asked this long after the last time. */
enum { POLLS = 64, ASK_NS = 20000000 };

struct budget_row { const char *name; int64_t most; const char *what; };
static const struct budget_row rows[LT_NBUDGET] = {
#define LT_BUDGET_ROW(id, name, most, what) { name, most, what },
	LT_BUDGET_MAP(LT_BUDGET_ROW)
#undef LT_BUDGET_ROW
};

const char *lt_budget_name(enum lt_budget b) { return (unsigned)b < LT_NBUDGET ? rows[b].name : NULL; }
int64_t lt_budget_default(enum lt_budget b) { return (unsigned)b < LT_NBUDGET ? rows[b].most : 0; }

void lt_context_budget(struct lt_context *ctx, enum lt_budget b, int64_t most)
{
	if ((unsigned)b < LT_NBUDGET)
		ctx->most[b] = most > 0 ? most : INT64_MAX;
}

void lt_context_cancel(struct lt_context *ctx, int (*cancelled)(void *user), void *user)
{
	ctx->cancelled = cancelled;
	ctx->cancelled_user = user;
}

void lt__spending_begin(struct lt_context *ctx, struct lt_spending *s, const char *call)
{
	*s = (struct lt_spending){ .up = ctx->spending, .call = call, .doing = call };
	if (s->up) {
		s->cancelled = s->up->cancelled;
		s->user = s->up->user;
	}
	ctx->spending = s;
}

void lt__spending_end(struct lt_context *ctx, const struct lt_spending *s) { ctx->spending = s->up; }

void lt__doing(struct lt_context *ctx, const char *doing, const char *at)
{
	if (!ctx->spending)
		return;
	ctx->spending->doing = doing ? doing : ctx->spending->doing;
	ctx->spending->at = at;
}

bool lt__unwanted(struct lt_context *ctx)
{
	const struct lt_spending *s = ctx->spending;
	bool stop = s && s->cancelled ? s->cancelled(s->user) : ctx->cancelled && ctx->cancelled(ctx->cancelled_user);
	if (!stop)
		return false;
	const struct lt_spending *outer = s;
	while (outer && outer->up)
		outer = outer->up;
	if (s && s->doing != outer->call)
		lt_fail(ctx, LT_ECANCELLED, "%s was cancelled while %s", outer->call, s->doing);
	else
		lt_fail(ctx, LT_ECANCELLED, "%s was cancelled", s ? outer->call : "this");
	return true;
}

/* Whether the last answer is older than it may be. */
static bool is_due(struct lt_context *ctx, uint32_t polls)
{
	struct timespec now;
	ctx->polls += polls;
	if (!ctx->asks_always && ctx->polls < POLLS)
		return false;
	ctx->polls = 0;
	(void)clock_gettime(CLOCK_MONOTONIC, &now);
	const int64_t ns = (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
	if (!ctx->asks_always && ns - ctx->asked_ns < ASK_NS)
		return false;
	ctx->asked_ns = ns;
	return true;
}

static bool unwinds(const struct lt_context *ctx) { return ctx->top && ctx->top->forwards; }

bool lt__is_asked(const struct lt_context *ctx)
{
	return unwinds(ctx) && (ctx->cancelled || (ctx->spending && ctx->spending->cancelled));
}

static void poll_after(struct lt_context *ctx, uint32_t polls)
{
	if (lt__is_asked(ctx) && is_due(ctx, polls) && lt__unwanted(ctx))
		longjmp(ctx->top->jump, 1);
}

void lt__poll(struct lt_context *ctx) { poll_after(ctx, 1); }

void lt__poll_long(struct lt_context *ctx) { poll_after(ctx, POLLS); }

void lt__forward(struct lt_context *ctx)
{
	if (!unwinds(ctx))
		lt_bug("a failure is forwarded outside lt__protect");
	longjmp(ctx->top->jump, 1);
}

void lt__spend(struct lt_context *ctx, enum lt_budget b, int64_t n, const char *name)
{
	struct lt_spending *s = ctx->spending;
	lt__poll(ctx);
	if (!s || !unwinds(ctx))
		return;
	const int64_t most = ctx->most[b] ? ctx->most[b] : rows[b].most;
	s->spent[b] = lt__add_sat(s->spent[b], n);
	if (s->spent[b] <= most)
		return;
	lt_fail(ctx, LT_EBUDGET, "%s: %s%s%s%s%s%s%lld %s, and at most %lld may be: --budget %s=N allows more", s->doing,
		s->at ? s->at : "", s->at ? ": " : "", name ? "node '" : "", name ? name : "", name ? "'" : "", name ? ": " : "",
		(long long)s->spent[b], rows[b].what, (long long)most, rows[b].name);
	longjmp(ctx->top->jump, 1);
}
