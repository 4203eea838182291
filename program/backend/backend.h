/* backend.h -- the backends of a program: opened by the list that was asked for, what they report, and what
 * their caps refuse.
 *
 * Of program/, this folder uses host/ alone.
 */
#ifndef LT_PROGRAM_BACKEND_BACKEND_H
#define LT_PROGRAM_BACKEND_BACKEND_H
#include <stdbool.h>
#include "lt/backend.h"
#include "base/arena.h"
#include "program/host/host.h"

/* -- the backends that a program may use, in the order that they are asked (open.c). */
struct lt_opened {
	const struct lt_backend *backend;
	const char *config;
	struct lt_session *session;
	bool together;                          /* run and replay are called by several threads at once; all else under lock */
	struct lt_lock *lock;
};
struct lt_opened_backends { int32_t n; struct lt_opened *at; };

/* list: "cpu", "mine:config,cpu".  lt__backends_close it, on failure too. */
lt_status lt__backends_open(
	const char *list, const struct lt_host *, struct lt_arena *, struct lt_opened_backends *out);
void lt__backends_close(struct lt_opened_backends *);
/* By choice: the target that its trees are made for. */
const struct lt_target **lt__backend_targets(const struct lt_opened_backends *, bool unpacked, struct lt_arena *);

/* -- what backends report with a status: one by one, and as one text (diagnostics.c). */
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
#endif
