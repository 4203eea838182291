/* keeper.h -- a diag that keeps the last note. */
#ifndef LT_KEEPER_H
#define LT_KEEPER_H
#include <stdio.h>
#include "lt/backend.h"

struct keeper { struct lt_diag diag; char text[2048], remedy[256]; lt_status code; int32_t loop, stmt; int n; };

static inline void keeper_report(struct lt_diag *d, const struct lt_diagnostic *n)
{
	struct keeper *k = (struct keeper *)(void *)d;
	(void)snprintf(k->text, sizeof k->text, "%s", n->text);
	(void)snprintf(k->remedy, sizeof k->remedy, "%s", n->remedy ? n->remedy : "");
	k->code = n->code;
	k->loop = n->loop;
	k->stmt = n->stmt;
	k->n++;
}

static inline struct keeper keeper_new(void)
{
	return (struct keeper){ .diag = { sizeof(struct lt_diag), keeper_report } };
}
#endif
