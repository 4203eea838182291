/* nest.h -- the root nests of a tree as frozen trees, and which backend takes which.
 *
 * Of program/, this folder uses backend/ and copy/, and what these use: host/, storage/.
 */
#ifndef LT_PROGRAM_NEST_NEST_H
#define LT_PROGRAM_NEST_NEST_H
#include <stdbool.h>
#include "lt/backend.h"
#include "base/arena.h"
#include "program/backend/backend.h"
#include "program/copy/copy.h"
#include "looptree/tree/tree.h"
#include "lt/program.h"
#include "program/storage/storage.h"

/* -- the tree that a program is run by: the default one, or what the user's schedule says (schedule.c). */
/* base: materialised.  Reads the members schedule, schedule_bytes, schedule_name and apply of the options. */
lt_status lt__first_tree(const struct lt_graph *base, const struct lt_target *, const struct lt_options *,
	struct lt_looptree **out);

/* recipe.c: the default tree of a target without vectors, with each sum of products as a text of primitives has it, or
 * as it was, where that is refused. */
lt_status lt__recipe_apply(const struct lt_target *, struct lt_looptree **tree);

/* What one nest was refused for, by the backends before its own. */
struct lt_refusals { int32_t n, cap; const struct lt_refusal **at; };

struct lt_nests {
	struct lt_arena *arena;                 /* of all this, which goes with the tree */
	struct lt_assigned assigned;
	int32_t n;                              /* in the order of the tree's roots, as all that is by nest */
	lt_tnode failed;                        /* the root that cannot be frozen */
	struct lt_frozen *frozen;
	struct lt_blocks **blocks;              /* how it is copied without a kernel, NULL: it has one */
	int32_t *opened_of;                     /* the backend that takes it; -1: none */
	struct lt_refusals *refused;
};
/* nest.c.  Begins the table of another tree. */
lt_status lt__nests_reset(struct lt_nests *, struct lt_context *, const struct lt_looptree *);
/* prelude: what the operators' C texts call. */
lt_status lt__nests_freeze(struct lt_nests *, struct lt_looptree *, const char *prelude);
/* For a backend that is asked next: how its slots are aligned.  device: they are memory of its own, and all begin as
 * the workspace does; else what a caller binds has an element's alignment. */
void lt__nest_align(struct lt_nests *, int32_t nest, bool device);
bool lt__nests_taken(const struct lt_nests *);

/* offer.c: nests are offered to backends. */
struct lt_offers;
/* fixed: the tree is the user's, and never rebuilt.  backends NULL: each nest is taken, for the first target. */
struct lt_offers *lt__offers_new(const struct lt_graph *base, const struct lt_target *const *target, int32_t n_target,
	const struct lt_opened_backends *, const struct lt_options *, bool fixed, struct lt_arena *);
/* Fills opened_of and refused.  *again: some nests are refused, but their nodes are for the next backend in another
 * tree. */
lt_status lt__offer_nests(struct lt_offers *, struct lt_looptree *, struct lt_nests *, bool *again);
/* Whether a root of the tree that cannot be frozen has a plainer one in another tree. */
bool lt__offers_plainer(struct lt_offers *, const struct lt_looptree *, lt_tnode failed, lt_status);
/* That tree, in the place of the one before. */
lt_status lt__offers_tree(const struct lt_offers *, struct lt_looptree **);
/* That a tree of the user's is for another target; NULL: it is not. */
const char *lt__offers_elsewhere(const struct lt_offers *, const struct lt_looptree *);
/* LT_EUNSUPPORTED, with a sentence about the first nest that no backend takes. */
lt_status lt__offers_refused(const struct lt_offers *, const struct lt_nests *);
#endif
