/* text.c -- what comes out as it comes: text or numbers of tokens, and for the end text, tokens, logits. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "tools/common/common.h"
#include "tools/llama/llama.h"
#include "tools/tensor/tensor.h"

/* As llama2.c does, a single byte that cannot be shown is left out.  Other control characters do not reach a terminal;
 * files and pipes get the bytes as they are. */
static void say_piece(struct lt_llama_piece p)
{
	struct lt_says says = { .to = stdout };

	if (p.n == 1 && !isprint((unsigned char)*p.at) && !isspace((unsigned char)*p.at))
		return;
	if (!isatty(STDOUT_FILENO)) {
		fwrite(p.at, 1, p.n, stdout);
		return;
	}
	lt__say_piece(&says, p.at, p.n);
	lt__say_end(&says);
}

static bool keep_token(struct llama_out *out, int32_t token)
{
	if (out->n == out->cap) {
		const size_t cap = out->cap ? 2 * out->cap : 256;
		int32_t *more = realloc(out->token, cap * sizeof *more);

		if (!more)
			return false;
		out->token = more;
		out->cap = cap;
	}
	out->token[out->n++] = token;
	return true;
}

lt_status llama_say(struct llama *l, int32_t before, int32_t token)
{
	struct llama_out *out = &l->out;

	if (l->json) {
		const struct lt_llama_piece p = l->tokenizer ? lt__llama_decode(l->tokenizer, before, token) :
			(struct lt_llama_piece){ "", 0 };

		if (!out->keep)
			out->keep = open_memstream(&out->text, &out->bytes);
		if (!out->keep || !keep_token(out, token))
			return lt_fail(l->ctx, LT_ENOMEM, "out of memory");
		fwrite(p.at, 1, p.n, out->keep);
		return LT_OK;
	}
	if (l->o.tokens)
		printf("%s%d", out->any ? " " : "", token);
	else
		say_piece(lt__llama_decode(l->tokenizer, before, token));
	out->any = true;
	return lt__out_flush(l->ctx);
}

void llama_line_end(struct llama *l)
{
	if (!l->json)
		putchar('\n');
	fflush(stdout);
	l->out.any = false;
}

lt_status llama_keep_logits(struct llama *l, const float *logits)
{
	struct llama_out *out = &l->out;
	const size_t n = (size_t)l->model.vocab;

	if (!l->o.output)
		return LT_OK;
	if (out->n_logits == out->cap_logits) {
		const size_t cap = out->cap_logits ? 2 * out->cap_logits : 64;
		float *more = realloc(out->logits, cap * n * sizeof *more);

		if (!more)
			return lt_fail(l->ctx, LT_ENOMEM, "out of memory");
		out->logits = more;
		out->cap_logits = cap;
	}
	memcpy(out->logits + out->n_logits++ * n, logits, n * sizeof *logits);
	return LT_OK;
}

/* An interruption ends the text, and what was made of it is kept. */
lt_status llama_write_logits(struct llama *l)
{
	static char name[] = LT_LLAMA_LOGITS;
	int64_t shape[] = { (int64_t)l->out.n_logits, l->model.vocab };
	struct lt_tensor t = { .name = name, .dtype = LT_F32, .rank = 2, .shape = shape, .data = l->out.logits,
		.bytes = l->out.n_logits * (size_t)l->model.vocab * sizeof (float) };

	if (!l->o.output)
		return LT_OK;
	lt__interrupt_hold(true);
	const lt_status s = lt__tensors_write(l->ctx, l->o.output, &(struct lt_tensors){ .at = &t, .n = 1 });
	lt__interrupt_hold(false);
	return s;
}

void llama_text_free(struct llama *l)
{
	if (l->out.keep)
		fclose(l->out.keep);
	free(l->out.text);
	free(l->out.token);
	free(l->out.logits);
}
