/* partition.h -- which groups whole networks are cut into for routines: a line for each kind of call and nest, with
 * their number. */
#ifndef TESTS_PARTITION_H
#define TESTS_PARTITION_H
#include <stddef.h>

/* The script of a network of networks.h, or a file of a script. */
char *partition_script(const char *name, const char *type, size_t *bytes);
/* Fails unless a backend's default tree is as the file at path says, which is written where LT_BLESS is set; the
 * number of calls.  Nothing is compiled, and no library asked. */
int partition_compare(const char *path, const char *name, const char *text, size_t bytes, const char *backend);
#endif
