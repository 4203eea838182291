/* tools/plugins.h -- which backends there are: where the programs look for those that are not linked in, and what they
 * say. */
#ifndef LT_TOOLS_PLUGINS_H
#define LT_TOOLS_PLUGINS_H
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
/* The backend of that name; LT_EINVAL: there is none, and the sentence says which there are and which one was meant. */
lt_status lt__backend_named(struct lt_context *, const char *name, size_t bytes, const struct lt_backend **out);

/* Loads, in this order: the files given (-B), and where `environment` is set the files and folders in $LT_BACKEND_PATH,
 * and the folder that plug-ins are installed in; never the current directory.  A file that was given must load:
 * otherwise loading ends there and fails. Another one that cannot be loaded is left out, and a line on standard error
 * that begins with "TOOL: " says so.  One whose name a file of an earlier source has is left out without a word: what
 * is given by hand is the one that is meant. */
lt_status lt__plugins_load(
	struct lt_context *, const char *tool, const char *const *files, int32_t n, bool environment);
#endif
