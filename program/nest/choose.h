/* choose.h -- the backends that a program may use, in the order that they are asked. */
#ifndef LT_PROGRAM_NEST_CHOOSE_H
#define LT_PROGRAM_NEST_CHOOSE_H
#include "base/arena.h"
#include "lt/backend.h"
#include "program/host/turn.h"

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
#endif
