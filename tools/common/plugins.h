/* plugins.h -- which backends there are: where the programs look for those that are not linked in, and what they
 * say. */
#ifndef LT_TOOLS_COMMON_PLUGINS_H
#define LT_TOOLS_COMMON_PLUGINS_H
#include <stdbool.h>
#include <stddef.h>
#include "lt/backend.h"
#include "lt/context.h"

/* Keeps the first sentence that a backend says, in one line. */
struct lt_heard { struct lt_diag diag; char text[1024]; };
struct lt_heard lt__heard(void);
const char *lt__heard_reason(const struct lt_heard *);

/* The name of a backend by number, for the values of an option; NULL after the last. */
const char *lt__backend_name(int i);
/* The same for who types one: with llvm, which need not be loaded yet. */
const char *lt__backend_offered(int i);
/* The backend of that name; LT_EINVAL: there is none, and the sentence says which there are and which one was meant. */
lt_status lt__backend_named(struct lt_context *, const char *name, size_t bytes, const struct lt_backend **out);

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
#endif
