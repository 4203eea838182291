/* narrow.c -- one for f32 in loops that are serial or parallel, which is not ready for anything that its
 * caps do not name. */
#include "null.h"

enum { LOOPS = 1 << LT_SERIAL | 1 << LT_PARALLEL };

static lt_status open_narrow(
	const struct lt_host *host, const char *config, struct lt_session **out, struct lt_diag *diag)
{
	lt_status st = open_(host, config, out, diag);
	if (!st) {
		(*out)->caps.dtypes = 1 << LT_F32;
		(*out)->caps.loops = LOOPS;
		(*out)->target.vector_bytes = 32;
	}
	return st;
}
static lt_status accepts_narrow(struct lt_session *s, const struct lt_tree *t, struct lt_diag *diag)
{
	for (uint32_t i = 0; i < t->buffers.n; i++)
		if (LT_AT(struct lt_type, t->types, LT_AT(struct lt_buffer, t->buffers, i)->type)->dtype != LT_F32)
			abort();
	for (int32_t i = 0; i < t->n_loop; i++)
		if (!(LOOPS >> LT_AT(struct lt_loop, t->loops, i)->kind & 1))
			abort();
	return accepts(s, t, diag);
}
static const struct lt_backend table = NULL_BACKEND(.name = "narrow", .open = open_narrow, .accepts = accepts_narrow);
LT_BACKEND(table)
