/* process.c -- compilers and what was built, run as programs of their own. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "lt/kernel.h"
#include "backends/cpu/cpu.h"
#include "tools/build/build.h"
#include "tools/common/common.h"

static bool process_run(struct building *b, struct lt_command *c, uint32_t n, uint32_t ms)
{
	const struct lt_command_limits limits = { .ms = ms, .cancelled = lt__interrupted,
		.folder = b->folder.path[0] ? b->folder.path : NULL };
	bool ran;

	lt__interrupt_catch(LT_INTERRUPT_MS);
	ran = lt__command_run(c, n, b->o.threads ? (uint32_t)b->o.threads : lt_kernel_cores(), &limits, NULL, NULL);
	lt__interrupt_release();
	return ran;
}

static lt_status process_failed(struct building *b, const struct lt_command *c)
{
	struct lt_context *ctx = b->ctx;

	if (c->status == -1 && c->error == ENOMEM)
		return lt_fail(ctx, LT_ENOMEM, "out of memory");
	if (c->status == -1)
		return lt_fail(ctx, LT_ECOMPILE, "%s cannot be started: %s", c->argv[0], strerror(c->error));
	if (c->late)
		return lt_fail(ctx, LT_ECOMPILE, "%s was ended on %s, because it took too long: give it more time with --cc-timeout",
			c->argv[0], c->on);
	return lt_fail(ctx, LT_ECOMPILE, "%s failed on %s (exit code %d)%-s%-s%-s", c->argv[0], c->on, c->status,
		b->o.kernels ? "; if it is in a kernel of one's own, lt-check --kernels says in which line; two of them "
			"define no name twice" : "",
		c->output[0] ? ":\n" : ": it said nothing; name another compiler with --cc", c->output);
}

static char *command_add(struct build_command *c, const char *word, size_t n)
{
	if (c->n_word + 1 >= c->cap) {
		const size_t cap = c->cap ? 2 * c->cap : 32;
		char **grown = realloc(c->word, cap * sizeof *grown);

		c->no_memory = c->no_memory || !grown;
		if (!grown)
			return NULL;
		c->word = grown;
		c->cap = cap;
	}
	c->word[c->n_word] = strndup(word, n);
	c->no_memory = c->no_memory || !c->word[c->n_word];
	if (!c->word[c->n_word])
		return NULL;
	c->word[++c->n_word] = NULL;
	return c->word[c->n_word - 1];
}

const char *build_command_word(struct build_command *c, const char *word)
{
	const char *kept = command_add(c, word, strlen(word));

	return kept ? kept : "";
}

void build_command_words(struct build_command *c, const char *words)
{
	for (const char *at = words + strspn(words, " \t\n"); *at; at += strspn(at, " \t\n")) {
		const size_t n = strcspn(at, " \t\n");

		(void)command_add(c, at, n);
		at += n;
	}
}

void build_command_free(struct build_command *c)
{
	for (size_t i = 0; i < c->n_word; i++)
		free(c->word[i]);
	free(c->word);
	*c = (struct build_command){ 0 };
}

static void command_show(const struct building *b, const struct build_command *c)
{
	for (size_t i = 0; b->o.verbose && i < c->n_word; i++)
		lt__say(stderr, "%s%s", lt__shell(c->word[i]).text, i + 1 < c->n_word ? " " : "\n");
	if (b->commands)
		build_keep_command(b, c);
}

static lt_status command_check(struct building *b, const struct build_command *c)
{
	return c->no_memory ? lt_fail(b->ctx, LT_ENOMEM, "out of memory")
		: !c->n_word ? lt_fail(b->ctx, LT_EINVAL, "the command on %s has no word: name one with --cc", c->on) : LT_OK;
}

lt_status build_run(struct building *b, struct build_command *command, int n)
{
	struct lt_command *c = calloc((size_t)n, sizeof *c);
	lt_status st = c ? LT_OK : lt_fail(b->ctx, LT_ENOMEM, "out of memory");

	for (int i = 0; i < n && !st; i++) {
		command_show(b, &command[i]);
		st = command_check(b, &command[i]);
		c[i].argv = (const char *const *)command[i].word;
		c[i].on = command[i].on;
	}
	if (!st && !process_run(b, c, (uint32_t)n, b->o.cc_timeout_ms))
		st = lt_fail(b->ctx, LT_ECANCELLED, "building was cancelled");
	for (int i = 0; i < n && !st; i++)
		if (c[i].status != 0)
			st = process_failed(b, &c[i]);
	for (int i = 0; i < n && !st; i++)
		if (command[i].makes && access(command[i].makes, F_OK) != 0)
			st = lt_fail(b->ctx, LT_ECOMPILE, "%s ended on %s as if all were well, but wrote no file: name another compiler "
				"with --cc", c[i].argv[0], c[i].on);
	free(c);
	return st;
}

lt_status build_execute(
	struct building *b, struct build_command *command, uint32_t ms, int *status, char *output, size_t bytes)
{
	struct lt_command c = { .on = command->on };

	command_show(b, command);
	LT_TRY(command_check(b, command));
	c.argv = (const char *const *)command->word;
	if (!process_run(b, &c, 1, ms))
		return lt_fail(b->ctx, LT_ECANCELLED, "building was cancelled");
	if (c.status == -1 && c.error == ENOMEM)
		return lt_fail(b->ctx, LT_ENOMEM, "out of memory");
	if (c.status == -1)
		return lt_fail(b->ctx, LT_EMISSING, "%s cannot be started: %s", c.argv[0],
			strerror(c.error));
	if (c.late)
		return lt_fail(b->ctx, LT_ECOMPILE, "%s was ended after %g s: give it more time with --verify-timeout",
			c.on, ms * 1e-3);
	*status = c.status;
	snprintf(output, bytes, "%s", c.output);
	return LT_OK;
}

lt_status build_ask(struct building *b, const char *words, char *out, size_t bytes)
{
	struct build_command c = { .on = "a question" };
	char said[4096];
	int status;
	lt_status st;

	build_command_words(&c, words);
	out[0] = '\0';
	st = build_execute(b, &c, 0, &status, said, sizeof said);
	build_command_free(&c);
	LT_TRY(st);
	if (status != 0)
		return lt_fail(b->ctx, LT_ECOMPILE, "'%s' failed", words);
	snprintf(out, bytes, "%.*s", (int)strcspn(said, "\r\n"), said);
	return LT_OK;
}
