/* help.c -- what --help prints of a tool's options, and what its man page says of each. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include "base/arena.h"
#include "tools/option/option.h"

enum { INDENT = 29, WIDTH = 110 };

char *lt__option_help(const struct lt_tool_option *o)
{
	const char *at = strstr(o->help, "%v");
	char words[512], *text = malloc(strlen(o->help) + sizeof words);

	if (!text)
		return NULL;
	lt__option_words(o, words, sizeof words);
	if (at)
		sprintf(text, "%.*s%s%s", (int)(at - o->help), o->help, words, at + 2);
	else
		strcpy(text, o->help);
	return text;
}

/* Words from column `at` on; the next lines begin at `indent`. */
static void print_wrapped(FILE *f, const char *text, int at, int indent)
{
	while (*text) {
		int n = (int)strcspn(text, " ");

		if (at > indent && at + 1 + n > WIDTH) {
			fprintf(f, "\n%*s", indent, "");
			at = indent;
		} else if (at > indent) {
			fputc(' ', f);
			at++;
		}
		fprintf(f, "%.*s", n, text);
		at += n;
		text += n + (text[n] == ' ');
	}
	fputc('\n', f);
}

static void help_row(FILE *f, const struct lt_tool_option *o)
{
	char head[120] = "  ";
	char *text = lt__option_help(o);
	int n = 2;

	if (o->letter)
		n += sprintf(head + n, "-%c%s", o->letter, o->name ? ", " : "");
	else if (o->name)
		n += sprintf(head + n, "    ");
	if (o->name)
		n += sprintf(head + n, "--%s", o->name);
	if (o->arg)
		n += sprintf(head + n, "%s%s", n == 2 || *o->arg == '=' || *o->arg == '[' ? "" : " ", o->arg);
	fputs(head, f);
	if (n + 2 > INDENT)
		fprintf(f, "\n%*s", INDENT, "");
	else
		fprintf(f, "%*s", INDENT - n, "");
	print_wrapped(f, text ? text : o->help, INDENT, INDENT);
	free(text);
}

static bool may_repeat(const struct lt_tool_option *o)
{
	return o->take == TAKE_LIST || (o->take == TAKE_OWN && o->bytes == sizeof(struct lt_texts));
}

/* What counts where an option stands twice. */
static void print_repeats(const struct lt_tool *t, FILE *f)
{
	char text[512] = "Of an option that is given twice the last counts";
	bool any = false;
	for (int i = 0; i < lt__option_count(t); i++) {
		const struct lt_tool_option *o = &t->option[i];
		const size_t n = strlen(text);
		if (may_repeat(o))
			(void)snprintf(text + n, sizeof text - n, "%s --%s", any ? "," : "; these add up:", o->name);
		any = any || may_repeat(o);
	}
	print_wrapped(f, text, 0, 0);
}

void lt__help_print(const struct lt_tool *t, FILE *f)
{
	const struct lt_tool_option *o;

	fprintf(f, "usage: %s\n\n", t->usage);
	print_wrapped(f, t->about, 0, 0);
	if (t->operand.help || t->option[0].letter || t->option[0].name)
		fputc('\n', f);
	if (t->operand.help)
		help_row(f, &t->operand);
	for (int i = 0; (o = lt__option_at(t, i)); i++) {
		if (o->letter || o->name ? !o->help : false)
			continue;
		if (o->letter || o->name)
			help_row(f, o);
		else
			fprintf(f, "\n%s\n", o->help);
	}
	fputc('\n', f);
	if (lt__option_count(t) > 0)
		print_repeats(t, f);
	fprintf(f, "\n%s", t->end);
}

/* -- man pages -- */

static void man_text(FILE *f, const char *text, size_t n)
{
	for (size_t i = 0; i < n; i++)
		fputs(text[i] == '-' ? "\\-" : text[i] == '\\' ? "\\e" : (char [2]){ text[i], '\0' }, f);
}

/* One of the words in capitals that the option's argument has, such as FILE: it stands for something. */
static size_t placeholder(const struct lt_tool_option *o, const char *word, size_t n)
{
	size_t letters = 0;

	while (letters < n && isupper((unsigned char)word[letters]))
		letters++;
	for (const char *at = o->arg; at && letters > 0 && (at = strchr(at, *word)); at++)
		if (!strncmp(at, word, letters) && !isupper((unsigned char)at[letters]) && (at == o->arg ||
			!isupper((unsigned char)at[-1])) &&
				(letters == n || ispunct((unsigned char)word[letters])))
			return letters;
	return 0;
}

/* The fragment as a sentence: options in bold, what an argument stands for in italics. */
static void man_sentence(FILE *f, const struct lt_tool_option *o, char *text)
{
	size_t n, special;
	bool first = true;
	size_t at = 0;

	text[0] = (char)toupper((unsigned char)text[0]);
	for (; *text; text += n + (text[n] == ' '), first = false) {
		n = strcspn(text, " ");
		if (at + n > 100) {
			fputs(*text == '.' || *text == '\'' ? "\n\\&" : "\n", f);
			at = 0;
		} else if (!first) {
			fputc(' ', f);
		}
		at += n + 1;
		special = *text == '-' && n > 1 ? strcspn(text, " ,;:)") : placeholder(o, text, n);
		if (special > 0)
			fputs(*text == '-' ? "\\fB" : "\\fI", f);
		man_text(f, text, special);
		if (special > 0)
			fputs("\\fR", f);
		man_text(f, text + special, n - special);
	}
	fputs(".\n", f);
}

static void man_entry(FILE *f, const struct lt_tool_option *o, char *text)
{
	fputs(".TP\n", f);
	if (o->letter)
		fprintf(f, "\\fB\\-%c\\fR%s", o->letter, o->name ? ", " : "");
	if (o->name) {
		fputs("\\fB\\-\\-", f);
		man_text(f, o->name, strlen(o->name));
		fputs("\\fR", f);
	}
	if (o->arg) {
		fputs(*o->arg == '=' || *o->arg == '[' || !o->name ? "\\fI" : " \\fI", f);
		man_text(f, o->arg, strlen(o->arg));
		fputs("\\fR", f);
	}
	fputc('\n', f);
	man_sentence(f, o, text);
}

/* The row that a line of the page names: "--NAME" or "-d"; -1: none. */
static int man_row(const struct lt_tool *t, const char *name)
{
	const struct lt_tool_option *o;

	for (int i = 0; (o = lt__option_at(t, i)); i++)
		if (o->help && ((o->name && !strncmp(name, "--", 2) && !strcmp(name + 2, o->name)) ||
				(!o->name && o->letter && name[0] == '-' && name[1] == o->letter && !name[2])))
			return i;
	return -1;
}

static lt_status man_found(struct lt_context *ctx, const struct lt_tool *t, const char *name, uint64_t *seen,
	FILE *to)
{
	const int row = man_row(t, name);

	if (row < 0)
		return lt_fail(ctx, LT_EINVAL, "the page has an entry '%s', and there is no such option", name);
	if (*seen >> row & 1)
		return lt_fail(ctx, LT_EINVAL, "the page has two entries '%s'", name);
	*seen |= UINT64_C(1) << row;
	char *text = lt__option_help(lt__option_at(t, row));

	if (!text)
		return lt_fail(ctx, LT_ENOMEM, "out of memory");
	man_entry(to, lt__option_at(t, row), text);
	free(text);
	return LT_OK;
}

static const char *man_name(const struct lt_tool_option *o, char letter[2])
{
	letter[0] = o->letter;
	letter[1] = '\0';
	return o->name ? o->name : letter;
}

lt_status lt__man_print(struct lt_context *ctx, const struct lt_tool *t, FILE *from, FILE *to)
{
	static const char begin[] = ".\\\" [ ", end[] = ".\\\" ]\n";
	const struct lt_tool_option *o;
	char line[4096];
	char letter[2];
	uint64_t seen = 0;
	bool within = false;

	while (fgets(line, sizeof line, from)) {
		within = within && strcmp(line, end) != 0;
		if (within)
			continue;
		fputs(line, to);
		if (!strncmp(line, begin, sizeof begin - 1)) {
			line[strcspn(line, "\n")] = '\0';
			LT_TRY(man_found(ctx, t, line + sizeof begin - 1, &seen, to));
			within = true;
		}
	}
	for (int i = 0; (o = lt__option_at(t, i)); i++)
		if (o->help && (o->name || o->letter) && !(seen >> i & 1))
			return lt_fail(ctx, LT_EINVAL, "the page has no entry of %s%s: it needs the lines  .\\\" [ %s%s  and  .\\\" ]",
				o->name ? "--" : "-",
				man_name(o, letter), o->name ? "--" : "-", man_name(o, letter));
	return within ? lt_fail(ctx, LT_EINVAL, "the page ends within an entry") : LT_OK;
}
