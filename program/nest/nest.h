/* nest.h -- the root nests of a tree as frozen trees, and which backend takes which. */
#ifndef LT_PROGRAM_NEST_NEST_H
#define LT_PROGRAM_NEST_NEST_H
#include <stdbool.h>
#include "lt/backend.h"
#include "base/arena.h"
#include "program/host/host.h"
#include "looptree/tree/tree.h"
#include "lt/program.h"
#include "program/storage/storage.h"

/* -- what backends report with a status: one by one, and as one text. */
enum { LT_MAX_DIAGNOSTICS = 8 };
struct lt_diagnostics {
	struct lt_diag diag;
	int32_t n_diagnostic;
	/* offsets in pool; remedy 0: none */
	struct { lt_status code; int32_t loop, stmt; size_t text, remedy; } entry[LT_MAX_DIAGNOSTICS];
	size_t n, n_pool;
	char text[1500], pool[3000];
};
void lt__diagnostics_init(struct lt_diagnostics *);
/* A backend's sentence without its own name in front, which the message has already. */
const char *lt__diagnostic_text(const char *text, const char *backend);
/* That, or what the status means where it reported nothing; call: the function that gave the status, which its author
 * has to mend if there is no such status. */
const char *lt__diagnostic_reason(struct lt_diagnostics *, lt_status, const char *backend, const char *call);

/* -- comparing a tree with a backend's caps. */
/* caps_refuse.c: what a tree needs beyond what a backend says that it takes, reported as the backend would. */
lt_status lt__refuse_by_caps(const struct lt_tree *, const struct lt_caps *, struct lt_diag *);
/* caps.c */
uint64_t lt__known_needs(void);                                         /* all LT_NEED_* bits that there are */
const char *lt__need_words(uint64_t needs, char *out, size_t bytes);    /* "params, gather"; out */

/* Between the files that do so.  Piece `piece` of operand `operand` of a statement; NULL: it has no such. */
const struct lt_piece *lt__caps_piece(const struct lt_tree *, const struct lt_stmt *, int32_t operand, int32_t piece);
/* What a statement writes; NULL: nothing. */
const struct lt_buffer *lt__caps_dest(const struct lt_tree *, const struct lt_stmt *);
/* The first statement that uses a feature; -1: none. */
int32_t lt__caps_stmt(const struct lt_tree *, uint64_t need);
void lt__caps_report(struct lt_diag *, int32_t loop, int32_t stmt, const char *text, const char *remedy);
/* Features that the backend does not understand. */
bool lt__refuse_features(const struct lt_tree *, uint64_t understands, struct lt_diag *);
/* caps_types.c: types that are not in `dtypes`. */
bool lt__refuse_types(const struct lt_tree *, uint64_t dtypes, struct lt_diag *);

/* -- the backends that a program may use, in the order that they are asked. */
struct lt_opened {
	const struct lt_backend *backend;
	const char *config;
	struct lt_session *session;
	bool together;                          /* run and replay are called by several threads at once; all else in turns */
	struct lt_turn *turn;
};
struct lt_opened_backends { int32_t n; struct lt_opened *at; };

/* list: "cpu", "mine:config,cpu".  lt__backends_close it, on failure too. */
lt_status lt__backends_open(
	const char *list, const struct lt_host *, struct lt_arena *, struct lt_opened_backends *out);
void lt__backends_close(struct lt_opened_backends *);
/* By choice: the target that its trees are made for. */
const struct lt_target **lt__backend_targets(const struct lt_opened_backends *, bool unpacked, struct lt_arena *);

/* -- the tree that a program is run by: the default one, or what the user's schedule says. */
/* base: materialised.  Reads the members schedule, schedule_bytes, schedule_name and apply of the options. */
lt_status lt__first_tree(const struct lt_graph *base, const struct lt_target *, const struct lt_options *,
	struct lt_looptree **out);

struct lt_blocks;
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
/* LT_EUNSUPPORTED, with a sentence about the first nest that no backend takes. */
lt_status lt__offers_refused(const struct lt_offers *, const struct lt_nests *);

/* accept.c: asks a backend whether it takes a nest; what it says is remembered by the nest's text. */
struct lt_asked;
struct lt_asked *lt__asked_new(const struct lt_opened_backends *, const struct lt_options *, struct lt_arena *);
/* Whether the backend has memory of its own. */
bool lt__asked_device(const struct lt_asked *, int32_t opened);
/* graph: the tree's.  False also where accepts fails otherwise, which lt__asked_failed tells. */
bool lt__accepts(struct lt_asked *, const struct lt_looptree *, const struct lt_frozen *, int32_t opened,
	struct lt_refusals *why);
lt_status lt__asked_failed(const struct lt_asked *);
/* "a refuses it at %n (s.lt:1:1): because; b ..." */
const char *lt__refusals_text(struct lt_arena *, const struct lt_refusals *);            /* explain.c */

/* -- copies of very many pieces, made block by block by the program. */
/* A run of elements that are `to` and `from` apart, outermost first.  limit: the dim ends where a run-time scalar says,
 * the run begins at `low`. */
struct lt_blockdim { int64_t size, to, from, low; const struct lt_linear *limit; };
struct lt_blockterm { lt_param param; int64_t coef; };
struct lt_block {
	int32_t from;                   /* storage; -1: every element is `bits` */
	int32_t n_dim, first_dim, n_term, first_term;
	int64_t to_at, from_at;         /* elements; terms: what run-time scalars add to from_at */
	uint64_t bits;
};
struct lt_blocks {
	int32_t to;                     /* storage */
	uint32_t unit;                  /* bytes of an element */
	int32_t n, cap; struct lt_block *at;
	int32_t n_dim, cap_dim; struct lt_blockdim *dim;
	int32_t n_term, cap_term; struct lt_blockterm *term;
	int64_t elems, read;            /* of all blocks; of them copied */
	bool runs;                      /* each block is one run of neighbours in both, no more: a device can copy it */
};

/* Finds the nests that are such copies: *out by root, NULL: it is none.  Sources that nobody else reads become parts of
 * the copy, which their leaves write then: their locations change. */
lt_status lt__find_blocks(struct lt_looptree *, struct lt_assigned *, struct lt_arena *, struct lt_blocks ***out);
/* One of them, in the host's memory; at: by storage. */
typedef struct lt_slot lt_slot_find(const void *user, int32_t storage);
void lt__blocks_run(const struct lt_host *, uint32_t n_thread, const struct lt_blocks *, const int64_t *param,
	lt_slot_find *, const void *user);
#endif
