/* traced.h -- the plug-in trace (examples/plugin/trace), and a frozen tree that is run on it with zeros for
 * data. */
#ifndef TESTS_TRACED_H
#define TESTS_TRACED_H
#include "lt/backend.h"

/* One line of list=: an access as it happened. */
struct traced_access { int write; int32_t buffer, access; int64_t element, address; };
struct traced {
	int64_t n;
	struct traced_access *at;
	char *stats;                    /* what dump(LT_DUMP_STATS) wrote */
};
/* Loads the plug-in, once a process. */
const struct lt_backend *traced_backend(void);
/* config: the levels; "" for the default.  Each slot is zeros in memory of its own, except for the tree's params:
 * param[i] (NULL: zeros). */
void traced_run(const struct lt_tree *, const char *config, const int64_t *param, struct traced *out);
void traced_free(struct traced *);
/* A number of the stats: "buffer%d.reads"; 0 where there is no such line. */
int64_t traced_stat(const struct traced *, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
#endif
