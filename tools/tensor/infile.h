/* infile.h -- files that are read. */
#ifndef LT_TOOLS_TENSOR_INFILE_H
#define LT_TOOLS_TENSOR_INFILE_H
#include <sys/stat.h>
#include "lt/context.h"

/* A regular file, a pipe without a name, a terminal or /dev/null, open for reading; *out is the caller's to close.
 * Returns at once; others (folders, named pipes, devices, sockets) are LT_EIO and a sentence, which says what it is to
 * be ("tokenizer"; NULL: nothing). */
lt_status lt__in_open(struct lt_context *, const char *path, const char *what, int *out, struct stat *);
#endif
