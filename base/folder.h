/* folder.h -- a folder of the user's own operations: of each, NAME.lt says what it means, NAME.c is its kernel.
 *
 * Operations of a domain of ONNX are in a folder of its name in that folder, and are called DOMAIN/NAME.
 */
#ifndef LT_BASE_FOLDER_H
#define LT_BASE_FOLDER_H
#include "base/arena.h"

/* kernel: by operation, whether NAME.c is there. */
struct lt_ownfolder {
	const char *path;
	int32_t n;
	const char **name;              /* sorted: "hard_swish", "com.mine/hard_swish" */
	bool *kernel;
};
/* Within lt__protect.  Nothing is kept open. */
lt_status lt__ownfolder_read(struct lt_context *, struct lt_arena *, const char *path, struct lt_ownfolder *out);
int32_t lt__ownfolder_find(const struct lt_ownfolder *, const char *name, size_t bytes);        /* -1: no such */
/* The whole file, then a 0; a sentence where it cannot be read, or is no text.  Within lt__protect. */
lt_status lt__text_read(struct lt_context *, struct lt_arena *, const char *path, char **text, size_t *bytes);
#endif
