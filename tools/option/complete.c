/* complete.c -- how bash, zsh and fish complete a tool's command line, printed from its table.
 *
 * Completion runs nothing: it knows the names of options, the words that an option takes, and files and folders by
 * their endings.
 */
#include <stdlib.h>
#include <string.h>
#include "base/arena.h"
#include "tools/option/option.h"

static bool is_list(const struct lt_tool_option *o) { return o->arg && strstr(o->arg, "[,"); }
static bool is_pair(const struct lt_tool_option *o) { return o->arg && !strncmp(o->arg, "NAME=", 5); }
static bool may_lack_value(const struct lt_tool_option *o) { return o->arg && *o->arg == '['; }
static bool is_option(const struct lt_tool_option *o) { return o->help && (o->letter || o->name); }

/* What completion is called in the shell: "_lt_run". */
static const char *function_of(const struct lt_tool *t, char out[40])
{
	snprintf(out, 40, "_%s", t->name);
	for (char *c = out; *c; c++)
		*c = *c == '-' ? '_' : *c;
	return out;
}

/* Words, endings of files ("npy"; "" for all) and folders that the row offers, each kind by itself. */
static int print_offers(FILE *f, const struct lt_tool_option *o, char kind, const char *before)
{
	const char *value;
	int n = 0;

	for (int i = 0; (value = lt__option_value(o, i)); i++) {
		char is = *value == '*' ? '*' : *value == '/' ? '/' : 'w';

		if (is == kind)
			fprintf(f, "%s%s", n++ ? " " : before, is == '*' ? value + 1 + (value[1] == '.') : value);
	}
	return n;
}

static bool offers(const struct lt_tool_option *o, char kind)
{
	const char *value;

	for (int i = 0; (value = lt__option_value(o, i)); i++)
		if (kind == (*value == '*' ? '*' : *value == '/' ? '/' : 'w'))
			return true;
	return false;
}

/* The first part of the help, without what a quoted string of zsh and fish would take for its own. */
static void print_short(FILE *f, const struct lt_tool_option *o)
{
	char *text = lt__option_help(o);
	const size_t n = text ? strcspn(text, ";(:") : 0;

	for (size_t i = 0; i < n && !(text[i] == ' ' && i + 1 == n); i++)
		if (!strchr("'\"[]\\:`$", text[i]))
			fputc(text[i], f);
	free(text);
}

/* -- bash -- */

/* $: the name of the function. */
static const char bash_begin[] =
	"$_words()\n"
	"{\n"
	"	mapfile -t -O ${#COMPREPLY[@]} COMPREPLY < <(compgen -P \"$list\" -W \"$*\" -- \"${word#\"$list\"}\")\n"
	"}\n"
	"$_files()\n"
	"{\n"
	"	local ending\n"
	"	for ending; do\n"
	"		mapfile -t -O ${#COMPREPLY[@]} COMPREPLY < <(compgen -f -X \"!*.$ending\" -- \"$word\")\n"
	"	done\n"
	"	$_folders\n"
	"}\n"
	"$_folders()\n"
	"{\n"
	"	compopt -o filenames 2>/dev/null\n"
	"	mapfile -t -O ${#COMPREPLY[@]} COMPREPLY < <(compgen -d -- \"$word\")\n"
	"}\n"
	"$()\n"
	"{\n"
	"	local at=$COMP_CWORD word=${COMP_WORDS[COMP_CWORD]} option= list=\n"
	"	COMPREPLY=()\n"
	"	# Readline makes three words of A=B; an option in front of NAME=VALUE is option: here.\n"
	"	[[ $word == = ]] && word= at=$((at + 1))\n"
	"	if ((at > 2)) && [[ ${COMP_WORDS[at-1]} == = ]]; then\n"
	"		option=${COMP_WORDS[at-2]}=\n"
	"		[[ $option == -* ]] || option=${COMP_WORDS[at-3]}:\n"
	"	elif ((at > 1)); then\n"
	"		option=${COMP_WORDS[at-1]}\n"
	"	fi\n"
	"	case $option in\n";

/* The shell has $ of its own: only the one that begins a name, as in $_files and $(), is replaced. */
static void print_bash_begin(FILE *f, const char *name)
{
	for (const char *c = bash_begin; *c; c++)
		if (*c == '$' && (c[1] == '_' || (c[1] == '(' && c[2] == ')')))
			fputs(name, f);
		else
			fputc(*c, f);
}

static void bash_offer(FILE *f, const char *name, const struct lt_tool_option *o)
{
	char call[64];

	if (is_list(o))
		fputs(" [[ $word == *,* ]] && list=${word%,*},;", f);
	snprintf(call, sizeof call, " %s_words ", name);
	if (print_offers(f, o, 'w', call))
		fputc(';', f);
	snprintf(call, sizeof call, " %s_files ", name);
	if (print_offers(f, o, '*', call))
		fputc(';', f);
	if (offers(o, '/'))
		fprintf(f, " %s_folders;", name);
}

/* The words after which a value of this option stands. */
static void bash_patterns(FILE *f, const struct lt_tool_option *o)
{
	const char *before = "";

	if (o->letter && !may_lack_value(o)) {
		fprintf(f, "-%c%s", o->letter, is_pair(o) ? ":" : "");
		before = " | ";
	}
	if (o->name && !may_lack_value(o)) {
		fprintf(f, "%s--%s%s", before, o->name, is_pair(o) ? ":" : "");
		before = " | ";
	}
	if (o->name && !is_pair(o))
		fprintf(f, "%s--%s=", before, o->name);
}

static void print_bash(const struct lt_tool *t, FILE *f)
{
	const struct lt_tool_option *o;
	char name[40];

	fprintf(f, "# bash completion for %s: printed by %s --completion=bash\n", t->name, t->name);
	print_bash_begin(f, function_of(t, name));
	for (int i = 0; (o = lt__option_at(t, i)); i++) {
		if (!is_option(o) || !o->arg)
			continue;
		fputc('\t', f);
		bash_patterns(f, o);
		fputc(')', f);
		bash_offer(f, name, o);
		fputs(" return ;;\n", f);
		if (is_pair(o))
			fprintf(f, "\t-%c | --%s) return ;;\n", o->letter, o->name);
	}
	fputs("	esac\n	local names='", f);
	for (int i = 0; (o = lt__option_at(t, i)); i++)
		if (is_option(o)) {
			if (o->letter)
				fprintf(f, " -%c", o->letter);
			if (o->name)
				fprintf(f, " --%s", o->name);
		}
	fputs("'\n	if [[ $word != -* ]]; then\n		:;", f);
	bash_offer(f, name, &t->operand);
	/* Where no word is begun and nothing can be offered: the options. */
	fprintf(f, "\n		[[ $word || ${#COMPREPLY[@]} -gt 0 ]] && return\n	fi\n	list=\n	%s_words \"$names\"\n}\n", name);
	fprintf(f, "complete -F %s %s\n", name, t->name);
}

/* -- zsh -- */

static void zsh_action(FILE *f, const struct lt_tool_option *o)
{
	bool files = offers(o, '*'), folders = offers(o, '/'), words = offers(o, 'w');
	const char *value;
	int n = 0;

	if (is_list(o) && words) {
		print_offers(f, o, 'w', "_sequence compadd - ");
		return;
	}
	if (is_pair(o)) {
		fputs("{ compset -P \"*=\" && { compadd ", f);
		print_offers(f, o, 'w', "");
		fputs("; _files -g \"*.npy\" } || _message \"NAME=SPEC\" }", f);
		return;
	}
	if (words && !files) {
		fputc('(', f);
		print_offers(f, o, 'w', "");
		fputc(')', f);
	} else if (files) {
		fputs("_files -g \"", f);
		for (int i = 0; (value = lt__option_value(o, i)); i++)
			if (*value == '*')
				fprintf(f, "%s%s", n++ ? " " : "", value);
		fputc('"', f);
	} else if (folders) {
		fputs("_files -/", f);
	} else {
		fputc(' ', f);
	}
}

static void zsh_spec(FILE *f, const struct lt_tool_option *o, const char *names)
{
	const char *arg = o->arg ? o->arg + strspn(o->arg, "[=") : NULL;
	bool repeats = o->take == TAKE_LIST;

	fputs("		'", f);
	if (repeats)
		fputc('*', f);
	fprintf(f, "%s[", names);
	print_short(f, o);
	fputc(']', f);
	if (arg) {
		fprintf(f, "%s%.*s:", may_lack_value(o) ? "::" : ":", (int)strcspn(arg, "[]:="), arg);
		zsh_action(f, o);
	}
	fputs("' \\\n", f);
}

static void print_zsh(const struct lt_tool *t, FILE *f)
{
	const struct lt_tool_option *o;
	char names[80], name[40];

	fprintf(f, "#compdef %s\n# zsh completion for %s: printed by %s --completion=zsh\n%s()\n{\n	_arguments -s -S \\\n",
		t->name, t->name, t->name,
		function_of(t, name));
	for (int i = 0; (o = lt__option_at(t, i)); i++) {
		if (!is_option(o))
			continue;
		if (o->letter) {
			snprintf(names, sizeof names, "-%c%s", o->letter, o->arg ? "+" : "");
			zsh_spec(f, o, names);
		}
		if (o->name) {
			snprintf(names, sizeof names, "--%s%s", o->name, may_lack_value(o) ? "=-" : o->arg ? "=" : "");
			zsh_spec(f, o, names);
		}
	}
	if (t->operand.arg) {
		fprintf(f, "		'*:%s:", t->operand.arg);
		zsh_action(f, &t->operand);
		fputs("'\n}\n", f);
	} else {
		fputs("		&& return\n}\n", f);
	}
	/* As an autoloaded function of $fpath, and where somebody sources it. */
	fprintf(f, "if [ \"$funcstack[1]\" = %s ]; then\n	%s \"$@\"\nelse\n	compdef %s %s\nfi\n", name, name, name, t->name);
}

/* -- fish -- */

static void fish_values(FILE *f, const struct lt_tool_option *o)
{
	const char *value;

	if (is_pair(o) || !lt__option_value(o, 0))
		return;
	/* A suffix is what comes first, if the order is kept. */
	fputs(offers(o, '*') ? " -k -a '" : " -a '", f);
	if (offers(o, 'w') && is_list(o)) {
		print_offers(f, o, 'w', "(__fish_append , ");
		fputc(')', f);
	} else {
		print_offers(f, o, 'w', "");
	}
	for (int i = 0; (value = lt__option_value(o, i)); i++)
		if (*value == '*')
			fprintf(f, "%s(__fish_complete_suffix %s)", i ? " " : "", value + 1);
		else if (*value == '/')
			fputs("(__fish_complete_directories)", f);
	fputc('\'', f);
}

static void print_fish(const struct lt_tool *t, FILE *f)
{
	const struct lt_tool_option *o;

	fprintf(f, "# fish completion for %s: printed by %s --completion=fish\ncomplete -c %s -f\n", t->name, t->name,
		t->name);
	if (offers(&t->operand, 'w') || offers(&t->operand, '*')) {
		fprintf(f, "complete -c %s", t->name);
		fish_values(f, &t->operand);
		fputc('\n', f);
	}
	for (int i = 0; (o = lt__option_at(t, i)); i++) {
		if (!is_option(o))
			continue;
		fprintf(f, "complete -c %s", t->name);
		if (o->letter)
			fprintf(f, " -s %c", o->letter);
		if (o->name)
			fprintf(f, " -l %s", o->name);
		if (o->arg)
			fputs(may_lack_value(o) ? " -f" : " -x", f);
		fish_values(f, o);
		fputs(" -d '", f);
		print_short(f, o);
		fputs("'\n", f);
	}
}

lt_status lt__complete_print(struct lt_context *ctx, const struct lt_tool *t, const char *shell, FILE *f)
{
	(!strcmp(shell, "bash") ? print_bash : !strcmp(shell, "zsh") ? print_zsh : print_fish)(t, f);
	return ferror(f) ? lt_fail(ctx, LT_EIO, "the completion cannot be written") : LT_OK;
}
