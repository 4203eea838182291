/* half_events.c -- one that offers a part of a group of members. */
#include "null.h"

static lt_status event_new(struct lt_session *s, struct lt_event **out, struct lt_diag *diag)
{
	(void)s, (void)diag;
	*out = NULL;
	return LT_EUNSUPPORTED;
}
static const struct lt_backend table = NULL_BACKEND(.name = "half_events", .event_new = event_new);
LT_BACKEND(table)
