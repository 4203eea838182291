/* checkpoint.h -- the layout of checkpoints, for those who read and write them. */
#ifndef LT_FRONTENDS_LLAMA2_CHECKPOINT_H
#define LT_FRONTENDS_LLAMA2_CHECKPOINT_H
#include "frontends/llama2/llama2.h"

enum { LT_LLAMA_MAGIC = 0x616b3432, LT_LLAMA_HEADER = 256, LT_LLAMA_LEGACY_HEADER = 28 };
/* Where a header behind the magic has which; GROUP: in version 2 the numbers of a group, in HALVES the type. */
enum { LT_LLAMA_VERSION_AT = 4, LT_LLAMA_SIZES_AT = 8, LT_LLAMA_SHARED_AT = 36, LT_LLAMA_GROUP_AT = 37 };
/* Version 1 but for the type of the matrices; a format of this project alone. */
enum { LT_LLAMA_HALVES = 100, LT_LLAMA_IS_BF16 = 1, LT_LLAMA_IS_F16 = 2 };

/* Tables of cosines and sines, in version 0. */
enum { LT_LLAMA_ROTATIONS = LT_LLAMA_KINDS };
/* The kinds of weights in the order of the file, ROTATIONS among them; their number. */
int lt__llama_order(const struct lt_llama *, int32_t version, const int **kind);
static inline bool lt__llama_is_norm(int kind)
{
	return kind == LT_LLAMA_RMS_ATTENTION || kind == LT_LLAMA_RMS_FFN || kind == LT_LLAMA_RMS_FINAL;
}
#endif
