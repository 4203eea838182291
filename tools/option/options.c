/* options.c -- reads a command line by the table of a tool. */
#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/arena.h"
#include "base/nearest.h"
#include "lt/lt.h"
#include "tools/option/option.h"
#include "tools/common/common.h"

enum { MAX_ROWS = 60, LONG = 256 };         /* rows of a table; what getopt answers for the first long option */

bool lt__option_given(const struct lt_tool *t, const struct lt_given *given, const char *name)
{
	for (int i = 0; i < lt__option_count(t); i++)
		if (t->option[i].name && !strcmp(t->option[i].name, name))
			return given->rows >> i & 1;
	return false;
}

/* "--name", or "-d" of an option without one. */
static const char *spelled(struct lt_context *ctx, const struct lt_tool_option *o)
{
	return o->name ? lt__scratch(ctx, "--%s", o->name) : lt__scratch(ctx, "-%c", o->letter);
}

lt_status lt__count_read(struct lt_context *ctx, const char *option, const char *text, int64_t min, int64_t max,
	int64_t *out)
{
	char *end;

	errno = 0;
	*out = strtoll(text, &end, 10);
	if (errno || end == text || *end || *out < min || *out > max)
		return lt_fail(ctx, LT_EINVAL, "%s takes a whole number from %lld to %lld, not '%s'", option, (long long)min,
			(long long)max, text);
	return LT_OK;
}

static lt_status option_seconds(struct lt_context *ctx, const struct lt_tool_option *o, const char *text, double *out)
{
	const double max = o->max > 0 ? o->max : 1e6;
	char *end;

	*out = strtod(text, &end);
	if (end == text || *end || !(o->min < 0 ? *out >= 0 : *out > 0) || !(*out <= max))
		return lt_fail(ctx, LT_EINVAL, "%s takes seconds, %s and at most %.0f, not '%s'", spelled(ctx, o), o->min < 0 ?
			"0 for no limit" : "more than 0",
			max, text);
	return LT_OK;
}

static lt_status option_choice(struct lt_context *ctx, const struct lt_tool_option *o, const char *text)
{
	struct lt_nearest near;
	char words[256];
	const char *word;

	lt__nearest_begin(&near, text, strlen(text));
	for (int i = 0; (word = lt__option_value(o, i)); i++) {
		if (!strcmp(word, text))
			return LT_OK;
		lt__nearest_add(&near, word);
	}
	near.n = near.n > 0;
	lt__option_words(o, words, sizeof words);
	return lt_fail(ctx, LT_EINVAL, "%s has no '%s'%s (%s)", spelled(ctx, o), text, lt__nearest_hint(ctx, &near, "'", "'"),
		words);
}

/* A file or a folder has a name. */
static lt_status option_path(struct lt_context *ctx, const struct lt_tool_option *o, const char *text)
{
	const char *value = lt__option_value(o, 0);
	bool folder = value && *value == '/';

	if (*text || !value || (*value != '*' && !folder))
		return LT_OK;
	return lt_fail(ctx, LT_EINVAL, "%s takes the name of a %s, and it is empty", spelled(ctx, o), folder ? "folder" :
		"file");
}

/* The whole numbers of the tools' structs are int64_t, int or uint32_t. */
static lt_status option_count(struct lt_context *ctx, const struct lt_tool_option *o, const char *text, void *at)
{
	int64_t n;

	LT_TRY(lt__count_read(ctx, spelled(ctx, o), text, o->max > 0 ? (int64_t)o->min : 1, o->max > 0 ? (int64_t)o->max :
		1000000000, &n));
	if (o->bytes == sizeof n)
		memcpy(at, &n, sizeof n);
	else
		memcpy(at, &(int32_t){ (int32_t)n }, sizeof(int32_t));
	return LT_OK;
}

/* text: NULL where the option may be given without a value, and is. */
static lt_status option_take(struct lt_context *ctx, const struct lt_tool_option *o, void *options, char *text)
{
	void *at = (char *)options + o->at;
	double seconds;

	if (text)
		LT_TRY(option_path(ctx, o, text));
	switch (o->take) {
	case TAKE_FLAG:
		*(bool *)at = true;
		return LT_OK;
	case TAKE_CHOICE:
		LT_TRY(option_choice(ctx, o, text));
		*(const char **)at = text;
		return LT_OK;
	case TAKE_TEXT:
		*(const char **)at = text;
		return LT_OK;
	case TAKE_LIST:
		return lt__texts_add(ctx, at, text);
	case TAKE_COUNT:
		return option_count(ctx, o, text, at);
	case TAKE_SECONDS:
		return option_seconds(ctx, o, text, at);
	case TAKE_TIMEOUT:
		LT_TRY(option_seconds(ctx, o, text, &seconds));
		*(uint32_t *)at = seconds * 1e3 < 1 ? 1 : (uint32_t)(seconds * 1e3);
		return LT_OK;
	default:
		if (text && *o->arg == '[' && lt__option_value(o, 0) && *lt__option_value(o, 0) != '*')
			LT_TRY(option_choice(ctx, o, text));
		return o->own(ctx, options, text);
	}
}

/* getopt has refused a word: optopt is the letter, the long option that takes no value, or 0. */
static lt_status option_refuse(struct lt_context *ctx, const struct lt_tool *t, const struct option *longs,
	const char *word)
{
	struct lt_nearest near;
	const size_t n = strcspn(word, "=") - 2;
	char fits[256] = "";
	int n_fit = 0;

	if (optopt > 0 && optopt < LONG)
		return lt_fail(ctx, LT_EINVAL, "there is no option -%c (%s -h lists them)", optopt, t->name);
	word += 2;
	if (optopt)
		return lt_fail(ctx, LT_EINVAL, "the option --%.*s takes no value", (int)n, word);
	lt__nearest_begin(&near, word, n);
	for (int i = 0; longs[i].name; i++) {
		lt__nearest_add(&near, longs[i].name);
		if (!strncmp(longs[i].name, word, n) && strlen(fits) + 40 < sizeof fits)
			strcat(strcat(fits, n_fit++ ? ", --" : "--"), longs[i].name);
	}
	near.n = near.n > 0;
	if (n_fit > 1)
		return lt_fail(ctx, LT_EINVAL, "the option --%.*s is short for several: %s", (int)n, word, fits);
	if (near.n)
		return lt_fail(ctx, LT_EINVAL, "there is no option --%.*s%s", n < 60 ? (int)n : 60, word, lt__nearest_hint(ctx, &near,
			"--", ""));
	return lt_fail(ctx, LT_EINVAL, "there is no option --%.*s%s (%s -h lists them)", n < 60 ? (int)n : 60, word, n < 60 ?
		"" : "...", t->name);
}

static lt_status option_common(struct lt_context *ctx, const struct lt_tool *t, const struct lt_tool_option *o,
	const char *text)
{
	if (!strcmp(o->name, "help"))
		lt__help_print(t, stdout);
	else if (!strcmp(o->name, "version"))
		printf("%s %s\n", t->name, lt_version());
	else if (!strcmp(o->name, "manual"))
		return lt__man_print(ctx, t, stdin, stdout);
	else {
		LT_TRY(option_choice(ctx, o, text));
		return lt__complete_print(ctx, t, text, stdout);
	}
	return LT_OK;
}

/* What getopt_long reads: the long names, and the letters. */
static void make_getopt(const struct lt_tool *t, struct option *longs, char *letters)
{
	const struct lt_tool_option *o;

	*letters++ = ':';
	for (int i = 0; (o = lt__option_at(t, i)) && i < MAX_ROWS; i++) {
		const int has = !o->arg ? no_argument : *o->arg == '[' ? optional_argument : required_argument;

		if (o->name)
			*longs++ = (struct option){ o->name, has, NULL, LONG + i };
		if (o->letter) {
			*letters++ = o->letter;
			*letters = ':';
			letters += has == required_argument;
		}
	}
	*letters = '\0';
	*longs = (struct option){ 0 };
}

static int option_row(const struct lt_tool *t, int c)
{
	int i = c - LONG;

	if (i < 0)
		for (i = 0; lt__option_at(t, i)->letter != c;)
			i++;
	return i;
}

lt_status lt__options_read(struct lt_context *ctx, const struct lt_tool *t, int argc, char **argv, void *options,
	struct lt_given *given)
{
	struct option longs[MAX_ROWS + 1];
	char letters[2 * MAX_ROWS + 2];
	int c;

	*given = (struct lt_given){ 0 };
	make_getopt(t, longs, letters);
	opterr = 0;
	optind = 0;
	for (;;) {
		optopt = 0;
		c = getopt_long(argc, argv, letters, longs, NULL);
		if (c == -1)
			break;
		if (c == '?')
			return option_refuse(ctx, t, longs, argv[optind - 1]);
		if (c == ':')
			return lt_fail(ctx, LT_EINVAL, "the option %s needs a value", argv[optind - 1]);
		const int i = option_row(t, c);

		if (i >= lt__option_count(t)) {
			given->done = true;
			return option_common(ctx, t, lt__option_at(t, i), optarg);
		}
		given->rows |= UINT64_C(1) << i;
		LT_TRY(option_take(ctx, &t->option[i], options, optarg));
	}
	given->first = optind;
	return LT_OK;
}

/* "A or B": the modes that an option is for, without those that are special where others are there. */
static int modes_of(const struct lt_tool *t, unsigned with, char *out, size_t bytes)
{
	const struct lt_mode *m;
	int n = 0;
	bool usual = false;

	for (m = t->mode; m->bit; m++)
		usual = usual || (m->bit & with && !m->which);
	for (m = t->mode, *out = '\0'; m->bit; m++)
		if (m->bit & with && (usual ? !m->which : n == 0)) {
			const size_t used = strlen(out);

			snprintf(out + used, bytes - used, "%s%s", n++ ? " or " : "", m->name);
		}
	return n;
}

lt_status lt__options_together(struct lt_context *ctx, const struct lt_tool *t, const struct lt_given *given,
	unsigned modes)
{
	const struct lt_mode *now = t->mode;
	char names[256];

	while (!(now->bit & modes))
		now++;
	for (int i = 0; i < lt__option_count(t); i++) {
		const struct lt_tool_option *o = &t->option[i];

		if (!(given->rows >> i & 1) || !o->with || o->with & modes)
			continue;
		if (now->which)
			return lt_fail(ctx, LT_EINVAL, "%s does not go with %s, %s", spelled(ctx, o), now->name, now->which);
		const int n = modes_of(t, o->with, names, sizeof names);
		return lt_fail(ctx, LT_EINVAL, "%s is only for %s, %s given", spelled(ctx, o), names, n > 1 ?
			"none of which is" : "which is not");
	}
	return LT_OK;
}

void lt__options_free(const struct lt_tool *t, void *options)
{
	for (int i = 0; i < lt__option_count(t); i++)
		if (t->option[i].take == TAKE_LIST)
			free(((struct lt_texts *)(void *)((char *)options + t->option[i].at))->at);
}

int lt__tool_end(struct lt_context *ctx, const struct lt_tool *t, lt_status s)
{
	/* What was written first and failed is told, with its reason. */
	s = s ? s : lt__out_flush(ctx);
	if (s) {
		const char *text = lt_context_message(ctx);

		fprintf(stderr, "%s: ", t->name);
		lt__say(stderr, "%s\n", *text ? text : lt_status_text(s));
	}
	return !s ? LT_EXIT_OK : s == LT_EINVAL || s == LT_ESYNTAX || s == LT_ETYPE || s == LT_EMISSING ? LT_EXIT_USAGE :
		LT_EXIT_FAILED;
}
