/* accept.h -- asking backends, for offer.c. */
#ifndef LT_PROGRAM_NEST_ACCEPT_H
#define LT_PROGRAM_NEST_ACCEPT_H
#include "program/nest/nest.h"

/* accept.c: asks a backend whether it takes a nest; what it says is remembered by the nest's text. */
struct lt_asked;
struct lt_asked *lt__asked_new(const struct lt_opened_backends *, const struct lt_options *, struct lt_arena *);
/* Whether the backend has memory of its own. */
bool lt__asked_device(const struct lt_asked *, int32_t opened);
/* graph: the tree's.  False also where accepts fails otherwise, which lt__asked_failed tells. */
bool lt__accepts(struct lt_asked *, const struct lt_looptree *, const struct lt_frozen *, int32_t opened,
	struct lt_refusals *why);
/* Asks for several trees at once, where the backend has that and they are not known yet: lt__accepts will know them. */
void lt__accepts_ahead(struct lt_asked *, const struct lt_tree *const *, int32_t n, int32_t opened);
lt_status lt__asked_failed(const struct lt_asked *);
#endif
