/* optionrows.c -- the rows of a tool's options: its own, then those that all tools have. */
#include <stdio.h>
#include <string.h>
#include "tools/option/option.h"

static const struct lt_tool_option common[] = {
	{ 'h', "help", .help = "this text" },
	{ 0, "version", .help = "the version" },
	{ 0, "completion", "=SHELL", TAKE_OWN, .values = LT_VALUES("bash", "zsh", "fish"), .help =
		"prints what a shell reads to complete these options (%v)" },
	/* for `make bless`: the man page on standard input, with what this table says of each option */
	{ 0, "manual", .help = NULL },
};
enum { N_COMMON = sizeof common / sizeof *common };

int lt__option_count(const struct lt_tool *t)
{
	int n = 0;

	while (t->option[n].letter || t->option[n].name || t->option[n].help)
		n++;
	return n;
}

const struct lt_tool_option *lt__option_at(const struct lt_tool *t, int i)
{
	const int n = lt__option_count(t);

	return i < n ? &t->option[i] : i < n + N_COMMON ? &common[i - n] : NULL;
}

const char *lt__option_value(const struct lt_tool_option *o, int i)
{
	int n = 0;

	for (; o->values && o->values[n]; n++)
		if (n == i)
			return o->values[n];
	return o->list ? o->list(i - n) : NULL;
}

void lt__option_words(const struct lt_tool_option *o, char *out, size_t bytes)
{
	const char *word;
	size_t n = 0;

	out[0] = '\0';
	for (int i = 0; (word = lt__option_value(o, i)) && n < bytes; i++)
		if (*word != '*' && *word != '/')
			n += (size_t)snprintf(out + n, bytes - n, "%s%s", n ? ", " : "", word);
}
