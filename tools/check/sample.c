/* sample.c -- the kernels that clauses of the contract are tried on. */
#include "tools/check/parts.h"

#define OF(bit, text, g, ...) { bit, { .name = text, .group = CHECK_##g, .spec = { .dtype = LT_F32, __VA_ARGS__ } } }
#define OP(bit, text, opcode, ...) OF(bit, text, op, .op = LT_OP_##opcode, __VA_ARGS__)
#define SUM(bit, text, opcode) OF(bit, text, reduce, .op = LT_OP_##opcode, .shape = CHECK_ABOVE)
static const struct { unsigned bit; struct check_case c; } samples[] = {
	OP(CHECK_S_CHAIN, "chain", mul, .shape = CHECK_PRIME, .neighbour = CHECK_BOTH),
	SUM(CHECK_S_SUM, "sum", add),
	OF(CHECK_S_PRODUCT, "product", product, .shape = CHECK_ABOVE, .variant = CHECK_BIAS_RELU),
	OF(CHECK_S_LARGE, "large", product, .shape = CHECK_DEEP, .variant = CHECK_BIAS_RELU),
	OF(CHECK_S_SOFTMAX, "softmax", product, .shape = CHECK_ABOVE, .variant = CHECK_SOFTMAX),
	OF(CHECK_S_STATE, "state", state, .variant = CHECK_APPEND),
	OF(CHECK_S_PARAM, "param", param, .variant = CHECK_P_SUM),
	OP(CHECK_S_PIECES, "pad", neg, .shape = CHECK_PRIME, .view = CHECK_PAD),
	OP(CHECK_S_PIECES, "plain pad", neg, .shape = CHECK_PRIME, .view = CHECK_PAD, .schedule = CHECK_PLAIN),
	OP(CHECK_S_PIECES, "concat", neg, .shape = CHECK_ABOVE, .view = CHECK_CONCAT, .schedule = CHECK_PLAIN),
	OF(CHECK_S_PIECES, "conv", product, .shape = CHECK_PRIME, .variant = CHECK_CONV),
	OF(CHECK_S_PIECES, "plain conv", product, .shape = CHECK_ONE, .variant = CHECK_CONV, .schedule = CHECK_PLAIN),
	OF(CHECK_S_GATHER, "gather", gather, .other = LT_I64),
	OP(CHECK_S_ADD, "add", add, .shape = CHECK_PRIME),
	OP(CHECK_S_SUB, "difference", sub, .shape = CHECK_PRIME),
	OP(CHECK_S_ONE, "one element", mul, .shape = CHECK_ONE),
	SUM(CHECK_S_MAX, "maximum", max),
	SUM(CHECK_S_MIN, "minimum", min),
};
enum { N_SAMPLE = sizeof samples / sizeof *samples };

const struct check_case *lt__check_sample(unsigned bit)
{
	int i = 0;
	while (i < N_SAMPLE - 1 && samples[i].bit != bit)
		i++;
	return &samples[i].c;
}

/* False: it failed. */
static bool try_sample(
	struct check_device *d, const struct check_case *c, check_on_sample *fn, struct check_outcome *out, int *n_done)
{
	struct check_outcome mine = { 0 };
	struct check_work w;
	struct check_trial t = { 0 };
	if (lt__check_work_open(&w, d, c, d->seed, &mine) && lt__check_work_compile(&w)
		&& lt__check_trial_new(&w, 0, w.seed, &t) && fn(&w, &t))
		++*n_done;
	bool failed = mine.done && mine.status == CHECK_FAILED;
	if (failed)
		(void)lt__check_fail(out, "kernel %s: %s", c->name, mine.text);
	else if (mine.done && mine.status == CHECK_REFUSED)
		(void)snprintf(out->text, sizeof out->text, "%s", mine.text);
	else if (mine.done && mine.status == CHECK_SKIPPED)
		(void)lt__check_end(out, CHECK_SKIPPED, "%s", mine.text);
	lt__check_trial_free(&w, &t);
	lt__check_work_close(&w);
	return !failed;
}

void lt__check_samples(struct check_device *d, struct check_outcome *out, unsigned which, check_on_sample *fn)
{
	int n_done = 0;
	for (int i = 0; i < N_SAMPLE; i++)
		if ((samples[i].bit & which) && !try_sample(d, &samples[i].c, fn, out, &n_done))
			return;
	if (n_done == 0 && !out->done) {        /* as the last refusal says */
		out->status = CHECK_REFUSED;
		out->done = true;
	}
	(void)lt__check_end(out, CHECK_PASSED, "%s", "");
}
