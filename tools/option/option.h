/* option.h -- the options of a tool, all in one table: the command line is read by it, --help, the man page
 * and the completion of shells are printed from it.
 *
 * A row that begins with a letter or a name is an option, one that has a help alone is the heading of those after
 * it.  Each tool ends with the same rows (--help, --version, --completion), which are not in its own table.
 * Whatever is wrong on a command line is LT_EINVAL and a sentence in the context.
 */
#ifndef LT_TOOLS_OPTION_OPTION_H
#define LT_TOOLS_OPTION_OPTION_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include "lt/backend.h"
#include "tools/common/common.h"

/* Where a value goes: a bool; a text; all texts in order; one of the words that `values` has; a whole number;
 * seconds; a timeout in milliseconds; what the row's own function makes of it. */
enum lt_take { TAKE_FLAG, TAKE_TEXT, TAKE_LIST, TAKE_CHOICE, TAKE_COUNT, TAKE_SECONDS, TAKE_TIMEOUT, TAKE_OWN };
typedef lt_status lt_take_text(struct lt_context *, void *options, char *value);

struct lt_tool_option {
	char letter;                    /* 0: none */
	const char *name;               /* NULL: none */
	/* As the help shows it; NULL: none.  "=KIND" is written with =, "[=N]" may be left out, "N[,N...]" is a list with
	 * commas, and completion of "NAME=SPEC" begins after the =. */
	const char *arg;
	enum lt_take take;
	size_t at, bytes;               /* the member of the tool's struct (LT_MEMBER) */
	/* a fragment of a sentence; %v is the words of `values` and `list`.  NULL: the option is not shown */
	const char *help;
	unsigned with;                  /* bits of the modes it has a meaning in; 0: all */
	/* for completion, and the words of TAKE_CHOICE; NULL ends them.  "*.npy": files; "/": folders */
	const char *const *values;
	const char *(*list)(int i);     /* more of them; NULL after the last */
	double min, max;                /* of a number; max 0: the usual ones, 1 to 1000000000 or seconds up to 1000000 */
	lt_take_text *own;
};
#define LT_MEMBER(type, member) offsetof(type, member), sizeof(((type *)0)->member)
#define LT_VALUES(...) (const char *const []){ __VA_ARGS__, NULL }

/* What the command line as a whole asks for.  which: as in "--json does not go with --list, which lists cases";
 * NULL: nothing special. */
struct lt_mode { unsigned bit; const char *name, *which; };

struct lt_tool {
	const char *name;
	const char *usage;              /* lines after "usage: " */
	const char *about;              /* what it does, a sentence */
	struct lt_tool_option operand;       /* what is no option: arg, values and list; with a help it is shown */
	const struct lt_tool_option *option; /* an empty row ends them */
	const struct lt_mode *mode;     /* an empty row ends them; NULL: there are none */
	const char *end;                /* the end of the help: exit codes, examples */
};
struct lt_given {
	uint64_t rows;                  /* bit i: row i of the table was given */
	int first;                      /* the first operand: argv is in order from there on */
	bool done;                      /* help or the like was printed: nothing is left to do */
};

/* options.c.  Options that take a list are to be freed by lt__options_free, whatever the answer is. */
lt_status lt__options_read(struct lt_context *, const struct lt_tool *, int argc, char **argv, void *options,
	struct lt_given *);
/* An option that was given and has no meaning in any of these modes, bits of them, is refused, not ignored in
 * silence. */
lt_status lt__options_together(struct lt_context *, const struct lt_tool *, const struct lt_given *, unsigned modes);
bool lt__option_given(const struct lt_tool *, const struct lt_given *, const char *name);
void lt__options_free(const struct lt_tool *, void *options);
/* A number as TAKE_COUNT and TAKE_SECONDS read it; option: "--threads". */
lt_status lt__count_read(struct lt_context *, const char *option, const char *text, int64_t min, int64_t max,
	int64_t *out);

/* optionrows.c.  How many rows the tool's own table has. */
int lt__option_count(const struct lt_tool *);
/* They, then the common ones; NULL after the last. */
const struct lt_tool_option *lt__option_at(const struct lt_tool *, int i);
/* Value i that completion offers; NULL after the last. */
const char *lt__option_value(const struct lt_tool_option *, int i);
/* "graph, dot, tree": those of them that are words. */
void lt__option_words(const struct lt_tool_option *, char *out, size_t bytes);

/* help.c */
void lt__help_print(const struct lt_tool *, FILE *);
/* Copies a man page; what is between the lines  .\" [ --NAME  and  .\" ]  is printed again from the table.
 * LT_EINVAL: an option is missing there. */
lt_status lt__man_print(struct lt_context *, const struct lt_tool *, FILE *from, FILE *to);
/* The help of an option with its words filled in, malloc; NULL: no memory. */
char *lt__option_help(const struct lt_tool_option *);

/* backends.c */
/* The name of a backend by number, for the values of an option; NULL after the last. */
const char *lt__backend_name(int i);
/* The same for who types one: with llvm, which need not be loaded yet. */
const char *lt__backend_offered(int i);
/* How to get a backend that need not have been built: what a sentence ends with; "" for other names. */
void lt__backend_how_to_get(const char *name, size_t bytes, char *out, size_t cap);
/* The backend of that name; LT_EINVAL: there is none, and the sentence says which there are and which one was meant. */
lt_status lt__backend_named(struct lt_context *, const char *name, size_t bytes, const struct lt_backend **out);

/* budget.c */
const char *lt__budget_name(int i);     /* as lt_budget_name, for `list` */
/* "elements=100000000", to the context */
lt_status lt__budget_take(struct lt_context *, void *options, char *value);
#define LT_BUDGET_OPTION(modes) { 0, "budget", "NAME=N", TAKE_OWN, 0, 0, .help = "what reading the model, a pass, " \
	"the tree, a schedule or freezing may each make at most (%v; 0: any number); may be given several times", modes, \
	.list = lt__budget_name, .own = lt__budget_take }

/* complete.c: what bash, zsh or fish reads to complete the tool's command line. */
lt_status lt__complete_print(struct lt_context *, const struct lt_tool *, const char *shell, FILE *);

/* The exit code of all tools: 0; 2 for a mistake in what the user wrote (LT_EINVAL, LT_ESYNTAX, LT_ETYPE,
 * LT_EMISSING), else 1.  Prints the sentence of a failure on standard error; what was printed and cannot be written
 * is a failure, too. */
/* OPEN: nothing is known to be wrong, and not all could be judged */
enum lt_exit { LT_EXIT_OK, LT_EXIT_FAILED, LT_EXIT_USAGE, LT_EXIT_OPEN };
int lt__tool_end(struct lt_context *, const struct lt_tool *, lt_status);
/* Whatever is wrong with a file or a script that the user named is the user's mistake. */
static inline lt_status lt__mistake(lt_status s) { return s && s != LT_ENOMEM ? LT_EINVAL : s; }
#endif
