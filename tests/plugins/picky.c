/* picky.c -- one that refuses much, each time with a note: gathers, params and divs (not understood),
 * float16, parallel loops, and the operators exp and tanh, at their statement and loop. */
#include <stdio.h>
#include "null.h"

static lt_status open_picky(
	const struct lt_host *host, const char *config, struct lt_session **out, struct lt_diag *diag)
{
	lt_status st = open_(host, config, out, diag);
	if (st)
		return st;
	(*out)->caps.understands = LT_NEED_PIECES | LT_NEED_GUARDED;
	(*out)->caps.dtypes &= ~(UINT64_C(1) << LT_F16);
	(*out)->caps.loops &= ~(UINT64_C(1) << LT_PARALLEL);
	(*out)->target.name = "picky";
	return LT_OK;
}

static lt_status accepts_picky(struct lt_session *s, const struct lt_tree *t, struct lt_diag *diag)
{
	lt_status st = LT_OK;
	(void)s;
	for (uint32_t i = 0; i < t->stmts.n; i++) {
		const struct lt_stmt *x = LT_AT(struct lt_stmt, t->stmts, i);
		const char *name = x->op < 0 ? "" : LT_AT(struct lt_op, t->ops, x->op)->name;
		char text[64];
		if (strcmp(name, "exp") != 0 && strcmp(name, "tanh") != 0)
			continue;
		snprintf(text, sizeof text, "picky: it has no %s", name);
		const struct lt_diagnostic diagnostic = { sizeof diagnostic, st = LT_EUNSUPPORTED, x->loop, (int32_t)i, text,
			"write a polynomial" };
		if (diag)
			diag->report(diag, &diagnostic);
	}
	return st;
}

static const struct lt_backend picky = NULL_BACKEND(.name = "picky", .open = open_picky, .accepts = accepts_picky);
LT_BACKEND(picky)
