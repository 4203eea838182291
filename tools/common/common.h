/* common.h -- what every tool needs: printing, what it is doing, signals, plug-ins, files, temporary ones, texts of
 * JSON, values of sources. */
#ifndef LT_TOOLS_COMMON_COMMON_H
#define LT_TOOLS_COMMON_COMMON_H
#include <errno.h>
#include <jansson.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "lt/backend.h"
#include "lt/context.h"
#include "base/arena.h"
#include "ir/graph/graph.h"

/* -- what tools print: no control character of a file, a name or a backend reaches a terminal.
 *
 * What may not be shown (base/plain.h) is printed byte by byte as \x1b.  Lines and tabs stay in messages; a name is one
 * line.
 */
/* As fprintf. */
void lt__say(FILE *, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void lt__vsay(FILE *, const char *fmt, va_list) __attribute__((format(printf, 2, 0)));

/* A name between other words: lt__shown(name).text, to the end of the expression.  A long one loses its middle. */
struct lt_shown { char text[1024]; };
struct lt_shown lt__shown(const char *name);

/* A word as a shell reads it, quoted where it must be: lt__shell(word).text.  What may not be shown is \x1b within
 * $'...', as bash and zsh read it. */
struct lt_shown lt__shell(const char *word);

/* The ending of a plural. */
static inline const char *lt__plural(int64_t n) { return n == 1 ? "" : "s"; }

/* A text that comes in pieces, as an lt_write; lt__say_end after the last. */
struct lt_says { FILE *to; size_t n; char held[4]; };
void lt__say_piece(void *says, const char *text, size_t bytes);
void lt__say_end(struct lt_says *);

/* -- SIGINT, SIGTERM, SIGHUP and SIGQUIT: the process ends by them, and leaves no temporary folder, nothing that runs
 * in one, and no part of a file.
 *
 * At once, or, between catch and release, after what is in hand: they are noted, and died of afterwards.  One call of
 * catch for each of release; they may be nested.  A second signal of the same kind ends the process at once.
 */
enum { LT_INTERRUPT_MS = 100 };

/* At the beginning of a program. */
void lt__interrupt_begin(void);
/* From here on these signals are noted; one that is ignored stays so.  ms: by then the process ends by the signal,
 * whatever it does; 0: no such time. */
void lt__interrupt_catch(unsigned ms);
/* A file that is removed if the process ends by a signal; NULL: there is none any more. */
void lt__interrupt_unfinished(const char *path);
/* Whether one has come; as lt_options.cancelled. */
int lt__interrupted(void *user);
/* While held, lt__interrupted says that none has come: what is written then is written to its end. */
void lt__interrupt_hold(bool);
/* The signals are as they were; if one has come, the process ends by it here. */
void lt__interrupt_release(void);
/* In a child, after fork: as if nothing had been caught. */
void lt__interrupt_forget(void);

/* -- what a tool is doing, on a terminal, once it has done it for a second: "reading net.onnx, 3 s".
 *
 * A thread of its own writes the line, so that whatever is waited for needs not tell how far it is.  Where that would
 * disturb what is measured, lt__phase_between writes it from the caller's thread.  On standard error; wiped before
 * anything else is written.  In a pipe nothing is written, and there is no thread.
 */
struct lt_phases {
	bool on, running, stop, shown;
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t changed;
	char text[200];                 /* "" : nothing that takes time */
	int64_t begin_ns, written_ns;
};
void lt__phases_begin(struct lt_phases *, bool wanted);
void lt__phases_end(struct lt_phases *);
/* What is done from now on; NULL: nothing, and the line is gone. */
void lt__phase(struct lt_phases *, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* The same without a thread: writes the line now, if the last is half a second old, and a second has gone since the
 * first after lt__phases_begin or lt__phase(NULL). */
void lt__phase_between(struct lt_phases *, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* -- progress while results are judged. */
/* when: what is judged (" of run 2"), or "".  shown: a line stands on the terminal. */
struct progress_line { char when[40]; int64_t begin_ns, written_ns; bool shown; };

/* lt_judge_options.progress with a struct progress_line as user.  On a terminal: a line that is written again and again
 * once it has taken a second; elsewhere a line every ten seconds. */
void lt__progress_show(void *line, const char *what, double share);
/* The line is gone. */
void lt__progress_end(struct progress_line *);

/* -- which backends there are: where the programs look for those that are not linked in, and what they
 * say. */
/* Keeps the first sentence that a backend says, in one line. */
struct lt_heard { struct lt_diag diag; char text[1024]; };
struct lt_heard lt__heard(void);
const char *lt__heard_reason(const struct lt_heard *);

/* Loads the files given (-B).  Each must load: otherwise loading ends there and fails. */
lt_status lt__plugins_load(struct lt_context *, const char *tool, const char *const *files, int32_t n);
/* Loads, in this order, the files and folders in $LT_BACKEND_PATH, what is in the folder `backends` beside the program,
 * and in the one that plug-ins are installed in; never from the current directory.  What cannot be loaded is left out,
 * and a line on standard error that begins with "TOOL: " says so.  One whose name a file of an earlier source has is
 * left out without a word: what is given by hand is the one that is meant.  It takes time: for those who need it. */
lt_status lt__plugins_find(struct lt_context *, const char *tool);
/* Where that looks, as a part of a sentence. */
void lt__plugins_folders(char *out, size_t bytes);
/* Whether each backend of "NAME[:CONFIG],NAME ..." is there already. */
bool lt__plugins_there(const char *list);
/* For a library, which says nothing and is told nothing: loads NAME.so from the folder `backends` beside the library's
 * own file, or from the one that plug-ins are installed in.  Whether there is such a backend now. */
bool lt__plugins_find_own(struct lt_context *, const char *name);

/* The backend that is taken where none is named: of those that work here, the one of the highest score.  A plug-in that
 * cannot be opened is left out, and a line on standard error that begins with "TOOL: " says so; host NULL: that is not
 * tried.  NULL: none works. */
const struct lt_backend *lt__backend_default(const char *tool, const struct lt_host *);

/* -- whether code that nobody named may be loaded from a path: only this user and root can change
 * it. */
/* path: a file or folder, without links in it (realpath).  It belongs to the effective user or root and nobody else may
 * write to it; nobody else can exchange a folder above it.  Else LT_EIO, "its group may write to it". */
lt_status lt__path_trusted(struct lt_context *, const char *path);

/* -- the folder in which lt-run and libhamkaas.so keep compiled code, from the environment.
 *
 * In a header, because libhamkaas.so is linked without the parts of lt-run.
 */
/* $XDG_CACHE_HOME/looptree or ~/.cache/looptree, malloc.  LT_EMISSING: the environment names neither, or it names
 * what belongs to another user, as with sudo: folders that are made there would be in that user's way. */
static inline lt_status lt__cachedir_default(struct lt_context *ctx, char **out)
{
	const char *xdg = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
	bool has_xdg = xdg && *xdg == '/';
	const char *base = has_xdg ? xdg : home, *variable = has_xdg ? "XDG_CACHE_HOME" : "HOME";
	struct stat st;

	*out = NULL;
	if (!base || *base != '/')
		return lt_fail(ctx, LT_EMISSING, "HOME %s", home && *home ? "is not an absolute path" : "is not set");
	bool there = stat(base, &st) == 0;
	if (!there && (!has_xdg || errno != ENOENT))
		return lt_fail(ctx, LT_EMISSING, "%s is '%s': %s", variable, base, strerror(errno));
	if (there && st.st_uid != geteuid())
		return lt_fail(ctx, LT_EMISSING, "%s is '%s', which belongs to another user (uid %lu)", variable, base,
			(unsigned long)st.st_uid);
	*out = malloc(strlen(base) + 32);
	if (!*out)
		return lt_fail(ctx, LT_ENOMEM, "out of memory");
	sprintf(*out, "%s%s/looptree", base, has_xdg ? "" : "/.cache");
	return LT_OK;
}

/* -- microcontrollers, as tools' --target names them. */
/* A board of Arduino, and the microcontroller on it, a model of the backend cpu.  ram, flash: bytes that a sketch takes
 * without the model. */
struct lt_board { const char *name, *model; int64_t ram, flash; };
/* NULL: no board is called that; boards by number, NULL after the last. */
const struct lt_board *lt__board_find(const char *name);
const struct lt_board *lt__board_at(int i);
/* Microcontrollers, then boards, by number; NULL after the last. */
const char *lt__micro_at(int i);

/* -- texts that belong to others, in order. */
struct lt_texts { const char **at; int32_t n, cap; };
lt_status lt__texts_add(struct lt_context *, struct lt_texts *, const char *);

/* -- files that are read. */
/* A regular file, a pipe without a name, a terminal or /dev/null, open for reading; *out is the caller's to close.
 * Returns at once; others (folders, named pipes, devices, sockets) are LT_EIO and a sentence, which says what it is to
 * be ("tokenizer"; NULL: nothing). */
lt_status lt__in_open(struct lt_context *, const char *path, const char *what, int *out, struct stat *);

/* -- files that are written. */
/* A file that is written: it appears under its name whole, or not at all. */
struct lt_outfile { FILE *file; char *path, *temporary; };
lt_status lt__out_open(struct lt_context *, const char *path, struct lt_outfile *);
/* Before any work: whether it can be opened so, as far as can be seen without writing; nothing is left. */
lt_status lt__out_check(struct lt_context *, const char *path);
/* What standard output has is written now. */
lt_status lt__out_flush(struct lt_context *);
/* Closes; with ok false, or when something could not be written, removes what there is. */
lt_status lt__out_close(struct lt_context *, struct lt_outfile *, bool ok);

/* -- no output takes the place of an input, by whatever names the two are called. */
/* What a tool reads; NULL: none of it. */
struct lt_tool_inputs {
	const char *model, *schedule;
	const struct lt_texts *read;            /* files that the model names */
	const struct lt_texts *weights, *inputs, *constant, *input, *fix;      /* as the options of these names give them */
};
/* LT_EINVAL, with a sentence, where the file `to` is one of them; there need be no such file. */
lt_status lt__overwrite_check(struct lt_context *, const char *to, const struct lt_tool_inputs *);

/* -- where tools make temporary files: $TMPDIR, which the library does not read itself.
 *
 * In a header, because libhamkaas.so is linked without the parts of lt-run.
 */
/* For lt_options.temp_dir and lt_host.temp_dir; NULL: the environment names none.  A folder that does not work is no
 * reason to take another one: what is made there says so. */
static inline const char *lt__temp_dir(void)
{
	const char *dir = getenv("TMPDIR");

	return dir && *dir ? dir : NULL;
}

/* The same, with the usual folder in place of NULL. */
static inline const char *lt__temp_folder(void)
{
	const char *dir = lt__temp_dir();

	return dir ? dir : "/tmp";
}

/* The one folder in which a program makes temporary files: removed at the end, or, after a kill, by the next process
 * that makes one there. */
lt_status lt__tmp_home(struct lt_context *, const char **out);
void lt__tmp_remove(void);
/* The path of a new empty file there, malloc. */
lt_status lt__tmp_file(struct lt_context *, char **out);
/* An empty folder there for a cache, malloc; drop removes it with what is in it, and frees. */
lt_status lt__tmp_folder(struct lt_context *, char **out);
void lt__tmp_folder_drop(char *path);

/* -- memory for programs that end where there is none. */
/* memory.c: whether so much is more than the machine has at all, which the system may promise and then end a process
 * for. */
bool lt__memory_lacks(double bytes, double *has);

_Noreturn void lt__must_end(const char *text);          /* where nothing can go on */
void *lt__must_alloc(size_t bytes);                     /* zeroed */
/* An array with room for one more than n elements. */
void *lt__must_grow(void *at, int n, int *cap, size_t bytes);
char *lt__must_format(const char *fmt, ...) __attribute__((format(printf, 1, 2)));      /* malloc */

/* -- strings that come from outside, as JSON, which holds UTF-8 only. */
/* What a terminal may be shown: everything beyond ASCII is escaped. */
#define LT_JSON_PLAIN JSON_ENSURE_ASCII

/* The text, or, where it is not UTF-8, as it is shown (lt__shown); null for NULL. */
static inline json_t *lt__json_text(const char *text)
{
	json_t *s = text ? json_string(text) : json_null();

	return s ? s : json_string(lt__shown(text).text);
}

/* -- which values a graph's sources may have: for data that is drawn.
 *
 * What a gather takes as index, and what a run-time scalar is read from, has to be within bounds.  They are handed back
 * through views and casts to the sources.
 */
struct lt_source_range {
	bool given, bounded;    /* bounded: by a run-time scalar; high is its least */
	int64_t low, high;
};
/* By node, malloc; NULL: no memory.  scalars: a source that run-time scalars are read from has their range as a whole;
 * else only where it is a view that they are read from, since the caller sets single elements himself. */
struct lt_source_range *lt__source_ranges(const struct lt_graph *, bool scalars);
/* crash.c: a process that a kernel of one's own brings to its end says which one, and ends by that signal.  running: as
 * lt_options.running. */
void lt__crash_catch(const char *tool);
void lt__crash_running(void *user, const char *name);

#endif
