/* tools/plugins.h -- where the programs look for backends that are not linked in. */
#ifndef LT_TOOLS_PLUGINS_H
#define LT_TOOLS_PLUGINS_H
#include <stdbool.h>
#include "lt/backend.h"
#include "lt/context.h"

/* Loads, in this order: the files given (-B), and where `environment` is set the files and folders in $LT_BACKEND_PATH, and the folder
 * that plug-ins are installed in; never the current directory.  A file that was given must load: otherwise loading ends there and fails.
 * Another one that cannot be loaded is left out, and a line on standard error that begins with "TOOL: " says so.  One whose name a file of an
 * earlier source has is left out without a word: what is given by hand is the one that is meant. */
lt_status lt__plugins_load(struct lt_context *, const char *tool, const char *const *files, int32_t n, bool environment);
#endif
