/* fixed.h -- what the builders of fixed point share; included by ir/build/ only. */
#ifndef LT_IR_BUILD_FIXED_H
#define LT_IR_BUILD_FIXED_H
#include "ir/build/parts.h"

/* requant.c */
/* known: of contents or literals, and not of the type. */
struct fixed_range { int64_t least, most; bool known; };
struct fixed_range lt__fixed_type_range(enum lt_dtype);
/* Looks through casts, clamps and views. */
struct fixed_range lt__fixed_range(const struct lt_graph *, lt_node);
/* An integer, but u32 and u64; a sentence about `what` if not. */
bool lt__fixed_is_whole(struct lt_graph *, lt_node, const char *what);
#endif
