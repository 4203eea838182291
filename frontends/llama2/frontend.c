/* frontend.c -- checkpoints of llama2.c as a frontend: a model's step, with its weights. */
#include <stdlib.h>
#include <string.h>
#include "frontends/llama2/llama2.h"
#include "base/arena.h"
#include "lt/frontend.h"

static lt_status llama2_parse(struct lt_context *ctx, const char *text, size_t bytes, const char *file,
	struct lt_graph **out)
{
	const struct lt_llama_options step = { .tokens = 1 };
	struct lt_llama m;
	void *copy;

	*out = NULL;
	LT_TRY(lt__llama_read(ctx, text, bytes, file, &m));
	/* The graph outlives the text. */
	copy = malloc(bytes);
	if (!copy)
		return lt_fail(ctx, LT_ENOMEM, "%s: out of memory: it has %zu bytes", file, bytes);
	memcpy(copy, text, bytes);
	lt_status st = lt__llama_read(ctx, copy, bytes, file, &m);
	st = st ? st : lt__llama_graph(ctx, &m, &step, out);
	if (!st && !(st = lt_graph_hold(*out, free, copy)))
		return LT_OK;
	if (*out)
		lt_graph_free(*out);
	*out = NULL;
	free(copy);
	return st;
}

/* Whether the first number is a size or version 1's magic, as no text's first bytes are. */
static bool may_be_header(const char *text, size_t bytes)
{
	return bytes >= 28 && (!memcmp(text, "24ka", 4) || text[3] == 0 || (text[3] == 1 && !text[0] && !text[1] && !text[2]));
}

/* Its sizes have to be the file's, to the byte; of another one that says that it is one, or of a tokenizer, this
 * frontend knows best what is wrong. */
static int llama2_recognize(const char *text, size_t bytes)
{
	struct lt_context *ctx;
	struct lt_llama m;
	int sure = 0;

	if (!may_be_header(text, bytes) || lt_context_new(&ctx))
		return 0;
	if (!lt__llama_read(ctx, text, bytes, "", &m))
		sure = 95;
	else if (!memcmp(text, "24ka", 4) || lt__llama_is_header(ctx, text, bytes) || lt__llama_is_tokenizer(text, bytes))
		sure = 80;
	lt_context_free(ctx);
	return sure;
}

static const struct lt_frontend llama2 = {
	.size = sizeof llama2,
	.name = "llama2",
	.summary = "checkpoints of llama2.c, as a step of one token (docs/llama.md)",
	.suffix = "bin",
	.recognize = llama2_recognize,
	.parse = llama2_parse,
};
LT_FRONTEND(llama2)
