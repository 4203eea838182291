/* llama_tokenizer.c -- fuzz target: a tokenizer of llama2.c, and a text that it makes tokens of.  The first
 * four bytes: how many tokens the model has, and how long the text before the file is. */
#include "frontends/llama2/llama2.h"
#include "tests/fuzz/fuzz.h"

/* Each token is one of the vocabulary, and no longer than a text may be. */
static void check_tokens(const struct lt_llama_tokenizer *t, const int32_t *token, size_t n, int32_t vocab)
{
	for (size_t i = 0; i < n; i++) {
		if (token[i] < 0 || token[i] >= vocab)
			abort();
		const struct lt_llama_piece p = lt__llama_decode(t, i ? token[i - 1] : 0, token[i]);
		for (size_t k = 0; k < p.n; k++)
			(void)*(volatile const char *)(p.at + k);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
	if (bytes < 4)
		return 0;
	const int32_t vocab = (data[0] | data[1] << 8) + 3;
	const size_t asked = (size_t)(data[2] | data[3] << 8), n_text = asked < bytes - 4 ? asked : bytes - 4;
	struct lt_context *ctx = fuzz_context();
	struct lt_llama_tokenizer *t;
	int32_t *token = malloc((n_text + 3) * sizeof *token);
	size_t n;

	lt_status status = lt__llama_tokenizer_read(ctx, data + 4 + n_text, bytes - 4 - n_text, "fuzz.bin", vocab, &t);
	fuzz_check_message(ctx, status);
	if (!status) {
		status = lt__llama_encode(ctx, t, (const char *)data + 4, n_text, true, true, token, &n);
		fuzz_check_message(ctx, status);
		if (!status)
			check_tokens(t, token, n, vocab);
	}
	lt__llama_tokenizer_free(t);
	free(token);
	lt_context_free(ctx);
	return 0;
}
