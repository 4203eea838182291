/* examples/plugin/llvm/accept.h -- what trees are taken. */
#ifndef LT_LLVM_ACCEPT_H
#define LT_LLVM_ACCEPT_H
#include "lt/backend.h"

#define LT_LLVM_NEEDS \
	(LT_NEED_PARAMS | LT_NEED_DIVS | LT_NEED_GATHER | LT_NEED_PIECES | LT_NEED_GUARDED | LT_NEED_COMBINE)
#define LT_LLVM_LOOPS (1u << LT_SERIAL | 1u << LT_PARALLEL | 1u << LT_VECTOR | 1u << LT_UNROLL | 1u << LT_GROUP)

lt_status lt_llvm_accepts(const struct lt_tree *, struct lt_diag *);
#endif
