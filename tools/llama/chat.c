/* chat.c -- a conversation: what the user says, in the form that chat models know, and answers. */
#include <stdlib.h>
#include <string.h>
#include "tools/common/common.h"
#include "tools/llama/llama.h"

/* A line of standard input, malloc, without its end; NULL: there is none. */
static char *ask(const char *what)
{
	char *line = NULL;
	size_t cap = 0;

	fputs(what, stdout);
	fflush(stdout);
	const ssize_t n = getline(&line, &cap, stdin);
	if (n < 0) {
		free(line);
		return NULL;
	}
	if (n > 0 && line[n - 1] == '\n')
		line[n - 1] = '\0';
	return line;
}

/* What the model is given of a turn, malloc; NULL: no memory. */
static char *render(const char *system, const char *user)
{
	char *text = NULL;
	size_t bytes;
	FILE *to = open_memstream(&text, &bytes);

	if (!to)
		return NULL;
	if (system && *system)
		fprintf(to, "[INST] <<SYS>>\n%s\n<</SYS>>\n\n%s [/INST]", system, user);
	else
		fprintf(to, "[INST] %s [/INST]", user);
	return fclose(to) ? (free(text), NULL) : text;
}

/* The first turn is the command line's, where it has one.  *tokens NULL: nobody says anything any more. */
static lt_status user_turn(struct llama *l, bool first, int32_t **tokens, int32_t *n)
{
	char *system = !first ? NULL : l->o.system ? strdup(l->o.system) : ask("Enter system prompt (optional): ");
	char *user = first && l->o.prompt ? strdup(l->o.prompt) : ask("User: ");
	char *text = user ? render(system, user) : NULL;
	lt_status s = LT_OK;

	*tokens = NULL;
	if (text)
		s = llama_tokens_of(l, text, tokens, n);
	else if (user)
		s = lt_fail(l->ctx, LT_ENOMEM, "out of memory");
	free(system);
	free(user);
	free(text);
	return s;
}

/* The answer to what was fed last, up to its end, which is fed, too. */
static lt_status answer(struct llama *l, int32_t token, float *logits)
{
	while (logits && !lt__interrupted(NULL)) {
		LT_TRY(llama_keep_logits(l, logits));
		int32_t next;

		LT_TRY(llama_next(l, logits, &next));

		if (next != LT_LLAMA_END)
			LT_TRY(llama_say(l, token, next));
		token = next;
		if (l->position >= l->steps)
			break;
		LT_TRY(llama_feed_made(l, token, &logits));
		if (next == LT_LLAMA_END) {
			/* llama2.c draws here, too */
			lt__llama_sample_skip(&l->sampler);
			break;
		}
	}
	llama_line_end(l);
	return LT_OK;
}

/* The context's end is the model's, that of -n, 256 by default, the user's. */
static const char *what_is_full(const struct llama *l)
{
	return l->steps < l->model.context ? "-n (--steps) allows no more" : "the context is full";
}

static lt_status say_turn(struct llama *l, const int32_t *tokens, int32_t n)
{
	float *logits;

	fputs("Assistant: ", stdout);
	fflush(stdout);
	if (n > l->steps - l->position) {
		llama_line_end(l);
		return lt_fail(l->ctx, LT_EINVAL, "%s: %d positions are left of %d, and this has %d tokens", what_is_full(l),
			l->steps - l->position, l->steps, n);
	}
	/* llama2.c draws a number for each token, also for those that are given. */
	for (int32_t i = 0; i + 1 < n; i++)
		lt__llama_sample_skip(&l->sampler);
	LT_TRY(llama_feed(l, tokens, n, &logits));
	return answer(l, tokens[n - 1], logits);
}

lt_status llama_chat(struct llama *l)
{
	lt_status s = LT_OK;

	while (!s && l->position < l->steps && !lt__interrupted(NULL)) {
		int32_t *tokens, n;

		s = user_turn(l, l->position == 0, &tokens, &n);
		if (!s && tokens)
			s = say_turn(l, tokens, n);
		free(tokens);
		if (!tokens)
			break;
	}
	if (!s && l->position >= l->steps && !l->o.quiet)
		lt__say(stderr, "lt-llama: %s: all %d positions are used\n", what_is_full(l), l->steps);
	return s;
}
