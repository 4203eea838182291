/* words.c -- the words for kinds and tails of loops in texts of trees and of steps. */
#include <string.h>
#include "looptree/tree/tree.h"

static const struct lt_kindword kinds[] = {
	{ "serial", LT_SERIAL, 0, false }, { "parallel", LT_PARALLEL, 0, false }, { "vector", LT_VECTOR, 0, false },
	{ "unroll", LT_UNROLL, 0, false }, { "rank", LT_RANK, 0, false },
	{ "grid.x", LT_GRID, 0, false }, { "grid.y", LT_GRID, 1, false }, { "grid.z", LT_GRID, 2, false },
	{ "block.x", LT_BLOCK, 0, false }, { "block.y", LT_BLOCK, 1, false }, { "block.z", LT_BLOCK, 2, false },
	{ "call", LT_CALL, 0, true }, { "tile", LT_TILE, 0, true },
};
static const char *const tails[] = { [LT_GUARD] = "guard", [LT_PEEL] = "peel", [LT_MASK] = "mask", [LT_PAD] = "pad" };
const char *const lt__loop_words[] = { "step", "serial", "parallel", "vector", "unroll", "rank", "grid.x", "grid.y",
	"grid.z", "block.x", "block.y", "block.z", "call", "tile", "tail", NULL };

static bool is_word(const char *word, const char *text, size_t bytes)
{
	return strlen(word) == bytes && !memcmp(word, text, bytes);
}

const struct lt_kindword *lt__kind_word(enum lt_loop_kind kind, int32_t arg)
{
	bool axis = kind == LT_GRID || kind == LT_BLOCK;
	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
		if (kinds[i].kind == kind && (!axis || kinds[i].arg == arg))
			return &kinds[i];
	return &kinds[0];
}

const struct lt_kindword *lt__kind_find(const char *word, size_t bytes)
{
	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
		if (is_word(kinds[i].word, word, bytes))
			return &kinds[i];
	return NULL;
}

const char *lt__tail_word(enum lt_tail tail) { return tails[tail]; }

int lt__tail_find(const char *word, size_t bytes)
{
	for (int i = 0; i < (int)(sizeof tails / sizeof *tails); i++)
		if (is_word(tails[i], word, bytes))
			return i;
	return -1;
}
