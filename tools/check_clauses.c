/* tools/check_clauses.c -- the clauses of the contract that have cases of their own, and the kernels that they are
 * tried on. */
#include "tools/check_parts.h"

static const struct { int group; const char *name; check_clause *run; } clauses[] = {
	/* nothing but outputs is written, and nothing beside a slot */
	{ CHECK_slots, "sentinels", lt__check_slots_sentinels },
	/* slots begin where lt_buffer.align says, and no better */
	{ CHECK_slots, "alignment", lt__check_slots_alignment },
	{ CHECK_slots, "workspace", lt__check_slots_workspace },        /* need() bytes with any contents are enough */
	{ CHECK_slots, "unwritten", lt__check_slots_unwritten },        /* every element of an output is written */
	{ CHECK_slots, "again", lt__check_slots_again },                /* the same run gives the same bits */
	{ CHECK_slots, "interleaved", lt__check_slots_interleaved },    /* runs with different slots do not interfere */
	{ CHECK_slots, "async", lt__check_slots_async },                /* a run that is only enqueued is done after sync */
	{ CHECK_slots, "page", lt__check_slots_page },                  /* nothing before or after a slot is read */
	{ CHECK_accepts, "caps", lt__check_accepts_caps },              /* bits and numbers that can be */
	{ CHECK_accepts, "promise", lt__check_accepts_promise },        /* what accepts takes compiles */
	{ CHECK_accepts, "again", lt__check_accepts_again },            /* the same tree, the same answer */
	/* many trees in one call: object i is that of tree i */
	{ CHECK_accepts, "together", lt__check_accepts_together },
	{ CHECK_accepts, "forgets", lt__check_accepts_forgets },        /* a tree that was only shown is gone */
	{ CHECK_accepts, "no_diag", lt__check_accepts_no_diag },        /* diag may be NULL */
	{ CHECK_accepts, "unknown_feature", lt__check_accepts_unknown_feature },
	{ CHECK_accepts, "unknown_operator", lt__check_accepts_unknown_operator },      /* by its source, or refused */
	{ CHECK_threads, "sessions", lt__check_threads_sessions },      /* two sessions on two threads at once */
	{ CHECK_threads, "turns", lt__check_threads_turns },            /* three sessions in turn, in one thread */
	{ CHECK_threads, "number", lt__check_threads_number },          /* one object on 1, 2 and 3 threads */
	{ CHECK_threads, "moved", lt__check_threads_moved },            /* a session that another thread goes on with */
	/* one object on two threads at once, where caps promise it */
	{ CHECK_threads, "together", lt__check_threads_together },
	{ CHECK_memory, "runs", lt__check_memory_runs },
	{ CHECK_memory, "objects", lt__check_memory_objects },
	{ CHECK_memory, "sessions", lt__check_memory_sessions },
	{ CHECK_memory, "refusals", lt__check_memory_refusals },
	/* a tree is not written to, and goes with its object */
	{ CHECK_memory, "trees", lt__check_memory_trees },
	{ CHECK_memory, "borrowed", lt__check_memory_borrowed },        /* what is lent to a call is gone after it */
	{ CHECK_errors, "prints", lt__check_errors_prints },            /* nothing on the standard output */
	{ CHECK_errors, "environment", lt__check_errors_environment },  /* the same in another environment */
	{ CHECK_errors, "config", lt__check_errors_config },
	{ CHECK_errors, "slots", lt__check_errors_slots },              /* n_slot is not the tree's */
	{ CHECK_errors, "small_slot", lt__check_errors_small_slot },
	{ CHECK_errors, "workspace", lt__check_errors_workspace },      /* none, where need() says some */
	/* a gather out of range is reported, and element 0 taken */
	{ CHECK_errors, "fault", lt__check_errors_fault },
	{ CHECK_errors, "fault_value", lt__check_errors_fault_value },  /* statement, access and value of the first */
	{ CHECK_errors, "half", lt__check_errors_half },                /* one tree of several is not compiled: none is */
	{ CHECK_optional, "members", lt__check_optional_members },      /* all of a family or none; names */
	{ CHECK_optional, "need", lt__check_optional_need },
	{ CHECK_optional, "dump", lt__check_optional_dump },
	{ CHECK_optional, "describe", lt__check_optional_describe },
	{ CHECK_optional, "save", lt__check_optional_save },            /* saved, loaded in another session: the same bits */
	{ CHECK_optional, "load_other", lt__check_optional_load_other },        /* bytes that are none of its own */
	{ CHECK_optional, "capture", lt__check_optional_capture },
	{ CHECK_optional, "events", lt__check_optional_events },
	{ CHECK_optional, "memory", lt__check_optional_memory },
};

void lt__check_add_clauses(struct check_adder *a)
{
	for (size_t i = 0; i < sizeof clauses / sizeof *clauses; i++)
		lt__check_add(a, clauses[i].group, NULL, NULL, "%s", clauses[i].name)->clause = clauses[i].run;
}

/* -- samples -- */

static const struct { unsigned bit; struct check_case c;
} samples[] = {
	{ CHECK_S_CHAIN,
		{ .name = "chain",
			.group = CHECK_op,
			.spec = { .op = LT_OP_mul, .dtype = LT_F32, .shape = CHECK_PRIME, .neighbour = CHECK_BOTH } } },
	{ CHECK_S_SUM,
		{ .name = "sum",
			.group = CHECK_reduce,
			.spec = { .op = LT_OP_add, .dtype = LT_F32, .shape = CHECK_ABOVE } } },
	{ CHECK_S_PRODUCT,
		{ .name = "product",
			.group = CHECK_product,
			.spec = { .dtype = LT_F32, .shape = CHECK_ABOVE, .variant = CHECK_BIAS_RELU } } },
	{ CHECK_S_LARGE,
		{ .name = "large",
			.group = CHECK_product,
			.spec = { .dtype = LT_F32, .shape = CHECK_DEEP, .variant = CHECK_BIAS_RELU } } },
	{ CHECK_S_SOFTMAX,
		{ .name = "softmax",
			.group = CHECK_product,
			.spec = { .dtype = LT_F32, .shape = CHECK_ABOVE, .variant = CHECK_SOFTMAX } } },
	{ CHECK_S_STATE,
		{ .name = "state", .group = CHECK_state, .spec = { .dtype = LT_F32, .variant = CHECK_APPEND } } },
	{ CHECK_S_PARAM,
		{ .name = "param", .group = CHECK_param, .spec = { .dtype = LT_F32, .variant = CHECK_P_SUM } } },
	{ CHECK_S_PIECES,
		{ .name = "pad",
			.group = CHECK_op,
			.spec = { .op = LT_OP_neg, .dtype = LT_F32, .shape = CHECK_PRIME, .view = CHECK_PAD } } },
	{ CHECK_S_PIECES,
		{ .name = "plain pad",
			.group = CHECK_op,
			.spec = { .op = LT_OP_neg,
				.dtype = LT_F32,
				.shape = CHECK_PRIME,
				.view = CHECK_PAD,
				.schedule = CHECK_PLAIN } } },
	{ CHECK_S_PIECES,
		{ .name = "concat",
			.group = CHECK_op,
			.spec = { .op = LT_OP_neg,
				.dtype = LT_F32,
				.shape = CHECK_ABOVE,
				.view = CHECK_CONCAT,
				.schedule = CHECK_PLAIN } } },
	{ CHECK_S_PIECES,
		{ .name = "conv",
			.group = CHECK_product,
			.spec = { .dtype = LT_F32, .shape = CHECK_PRIME, .variant = CHECK_CONV } } },
	{ CHECK_S_PIECES,
		{ .name = "plain conv",
			.group = CHECK_product,
			.spec = { .dtype = LT_F32,
				.shape = CHECK_ONE,
				.variant = CHECK_CONV,
				.schedule = CHECK_PLAIN } } },
	{ CHECK_S_GATHER, { .name = "gather", .group = CHECK_gather, .spec = { .dtype = LT_F32, .other = LT_I64 } } },
};

/* False: it failed. */
static bool try_sample(struct check_device *d, const struct check_case *clause, const struct check_case *c,
	check_on_sample *fn, struct check_outcome *out, int *n_done)
{
	struct check_outcome mine = { 0 };
	struct check_work w;
	struct check_trial t = { 0 };
	if (lt__check_work_open(&w, d, c, clause->seed, &mine) && lt__check_work_compile(&w)
		&& lt__check_trial_new(&w, 0, w.seed, &t) && fn(&w, &t))
		++*n_done;
	bool failed = mine.done && mine.status == CHECK_FAILED;
	if (failed)
		(void)lt__check_end(out, CHECK_FAILED, "kernel %s: %s", c->name, mine.text);
	else if (mine.done && mine.status == CHECK_REFUSED)
		(void)snprintf(out->text, sizeof out->text, "%s", mine.text);
	else if (mine.done && mine.status == CHECK_SKIPPED)
		(void)lt__check_end(out, CHECK_SKIPPED, "%s", mine.text);
	lt__check_trial_free(&w, &t);
	lt__check_work_close(&w);
	return !failed;
}

void lt__check_samples(struct check_device *d, const struct check_case *clause, struct check_outcome *out,
	unsigned which, check_on_sample *fn)
{
	int n_done = 0;
	for (size_t i = 0; i < sizeof samples / sizeof *samples; i++)
		if ((samples[i].bit & which) && !try_sample(d, clause, &samples[i].c, fn, out, &n_done))
			return;
	if (n_done == 0 && !out->done) {
		char why[CHECK_TEXT];
		(void)snprintf(why, sizeof why, "%s", out->text);
		(void)lt__check_end(out, CHECK_REFUSED, "%s", why);
	} else if (!out->done) {
		(void)lt__check_end(out, CHECK_PASSED, "%s", "");
	}
}
