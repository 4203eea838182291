/* explain.c -- what was decided while a kernel program was made, as lines (LT_DUMP_DECISIONS). */
#include <stdlib.h>
#include <string.h>
#include "kernel/form/form.h"

/* One that hears of decisions.  Unrolled copies are told of one by one: each line is written once. */
struct explain_listener {
	struct lt_kernel_report report;
	struct lt_pool pool;
	struct lt_nameset said;
	lt_write *write;
	void *user;
	bool failed;                    /* memory ran out: nothing more is written */
};

static void explain_line(struct explain_listener *e, const struct lt_kernel_decision *d)
{
	struct lt_out line = lt__out_new(&e->pool);
	lt__outf(&line, "%d %d %d %s\n", (int)d->loop, (int)d->stmt, (int)d->buffer, d->text);
	if (lt__nameset_find(&e->said, line.at))
		return;
	lt__nameset_add(&e->said, line.at, 1);
	e->write(e->user, line.at, line.n);
}

static void explain_take(struct lt_kernel_report *r, const struct lt_kernel_decision *d)
{
	struct explain_listener *e = (struct explain_listener *)(void *)r;
	if (e->failed)
		return;
	if (setjmp(e->pool.jump))
		e->failed = true;
	else
		explain_line(e, d);
}

lt_status lt_kernel_explain(const struct lt_tree *t, const struct lt_machine *m, const struct lt_kernel_options *o,
	lt_write *write, void *user)
{
	struct explain_listener e = { .report = { explain_take }, .write = write, .user = user };
	struct lt_kernel_options options = o ? *o : (struct lt_kernel_options){ 0 };
	struct lt_kernel *k;
	e.said.pool = &e.pool;
	options.report = &e.report;
	lt_status status = lt_kernel_new(t, m, &options, &k, NULL);
	lt_kernel_free(k);
	status = !status && e.failed ? LT_ENOMEM : status;
	lt__pool_free(&e.pool);
	return status;
}
