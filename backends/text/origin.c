/* origin.c -- what the loops and statements of a frozen tree are called, in a text for people. */
#include <stdio.h>
#include "backends/text/text.h"

static const char *loop_variable(void *names, int32_t loop)
{
	const struct lt_tree *t = ((const struct lt_text_tree_names *)names)->t;
	return loop < t->n_loop ? LT_AT(struct lt_loop, t->loops, loop)->var : NULL;
}

/* "%4 = add.reduce, line 7" */
static const char *statement_comment(void *names, int32_t stmt)
{
	struct lt_text_tree_names *o = names;
	if (stmt >= (int32_t)o->t->stmts.n)
		return NULL;
	const struct lt_stmt *s = LT_AT(struct lt_stmt, o->t->stmts, stmt);
	const char *name = s->name ? s->name : "", *mark = name[0] == '%' ? "" : "%";
	int n = snprintf(o->comment, sizeof o->comment, "%s%.100s", mark, name);
	if (s->kind < LT_BARRIER)
		n += snprintf(o->comment + n, sizeof o->comment - (size_t)n, " = %.60s%s",
			LT_AT(struct lt_op, o->t->ops, s->op)->name, s->kind == LT_MAP ? "" : ".reduce");
	if (s->line > 0)
		(void)snprintf(o->comment + n, sizeof o->comment - (size_t)n, ", line %d", (int)s->line);
	return name[0] ? o->comment : NULL;
}

struct lt_text_origins lt__text_tree_origins(struct lt_text_tree_names *names)
{
	return (struct lt_text_origins){ loop_variable, statement_comment, names };
}
