/* tokenizer.h -- the tokens of a model, for those who read and write texts. */
#ifndef LT_FRONTENDS_LLAMA2_TOKENIZER_H
#define LT_FRONTENDS_LLAMA2_TOKENIZER_H
#include "frontends/llama2/llama2.h"

struct lt_llama_token { const char *at; int32_t n; float score; };
struct lt_llama_tokenizer {
	const char *file;               /* for messages, borrowed */
	int32_t vocab, longest;         /* bytes of the longest token */
	struct lt_llama_token *token;
	/* tokens by their bytes; of equal ones the first one first */
	struct lt_llama_sorted { const char *at; int32_t n, token; } *sorted;
	struct lt_llama_piece byte[256];
	char bytes[256];
};
/* The token of these bytes; -1: there is none. */
int32_t lt__llama_token_find(const struct lt_llama_tokenizer *, const char *at, size_t n);
#endif
