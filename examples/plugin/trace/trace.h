/* trace.h -- a backend that shows what a kernel's memory accesses are: what its files share.
 *
 * trace runs the frozen tree statement by statement, serially and in the order of the tree, and tells a meter of each
 * access: which buffer, which element, read or written.  The meter counts footprints, reuse distances, and the hits of
 * a simulated cache.  Addresses are the backend's own: the buffers of a kernel lie one after the other at their
 * alignment, so that the numbers are the same on every machine and run.
 *
 *   config.c   the words after `trace:`                     walk.c    runs a tree
 *   value.c    types and operators                           meter.c   footprints, and the parts below put together
 *   reuse.c    LRU stack distances                           cache.c   levels of a cache
 *   report.c   the tables that are printed                   trace.c   the backend's table
 *
 * Nothing is included but lt/backend.h, with the headers that it includes, and the C library.
 */
#ifndef TRACE_H
#define TRACE_H
#include <stdbool.h>
#include <stdio.h>
#include "lt/backend.h"

enum { MAX_LEVEL = 3, MAX_BUCKET = 40 };

/* Tells diag one sentence, and gives the code back. */
__attribute__((format(printf, 6, 7))) lt_status refuse(
	struct lt_diag *, lt_status code, int32_t loop, int32_t stmt, const char *remedy, const char *fmt, ...);

/* config.c */
struct level { uint64_t bytes; uint32_t ways, line; };
struct config { struct level level[MAX_LEVEL]; int n_level; char file[512], list[512]; };     /* paths: "" for none */
lt_status read_config(const char *text, struct config *, struct lt_diag *);

/* value.c: a number is a double, or an integer; which, the type says. */
union value { double f; int64_t i; };
struct op_row;
bool is_type(uint32_t dtype, uint32_t bytes);
union value load(const void *base, int64_t element, uint32_t dtype);
void store(void *base, int64_t element, uint32_t dtype, union value);
union value of_bits(uint64_t bits, uint32_t dtype);
union value convert(union value, uint32_t from, uint32_t to);
const struct op_row *find_op(const struct lt_op *);            /* NULL: not known, or not for these types */
union value compute(const struct op_row *, const struct lt_op *, const union value *x);

/* reuse.c */
struct reuse;
struct reuse *reuse_new(int64_t n_line);                        /* NULL: no memory */
void reuse_free(struct reuse *);
void reuse_reset(struct reuse *);
/* How many other lines were accessed since this one was; -1: it is the first access. */
int64_t reuse_access(struct reuse *, int64_t line);

/* cache.c: all counts are sums over runs; each run begins with an empty cache. */
struct cache;
struct level_count { int64_t seen, hit, written_back; };
struct cache *cache_new(const struct config *);                 /* NULL: no memory */
void cache_free(struct cache *);
void cache_reset(struct cache *);
/* One access; hit[i] tells whether level i had the line, for the levels that were asked.  Gives their number. */
int cache_access(struct cache *, int64_t address, bool write, bool *hit);
void cache_flush(struct cache *);                               /* what is changed is written back */
const struct level_count *cache_count(const struct cache *, int level);

/* meter.c */
struct tally {                  /* of one buffer; sums over runs, except elements: distinct ones of all runs */
	int64_t reads, writes, read_elems, written_elems;
	int64_t seen[MAX_LEVEL], hit[MAX_LEVEL];
	/* accesses to a line for the first time in a run, and by distance: 0, 1, 2..3, 4..7 ... */
	int64_t first, reuse[MAX_BUCKET];
	unsigned char *mark;
	int64_t address;
};
struct meter {
	const struct lt_tree *tree;
	const struct config *config;
	struct tally *tally;            /* by buffer */
	struct reuse *reuse;
	struct cache *cache;
	int64_t runs;
	FILE *list;                     /* each access is written there; may be NULL */
};
lt_status meter_open(struct meter *, const struct lt_tree *, const struct config *, FILE *list, struct lt_diag *);
void meter_close(struct meter *);
void meter_begin(struct meter *);
void meter_access(struct meter *, int32_t buffer, int32_t access, int64_t element, bool write);
void meter_end(struct meter *);
int bucket_of(int64_t distance);
int64_t bytes_of(const struct lt_tree *, int32_t buffer);       /* of an element */

/* walk.c */
struct walk;                    /* a tree prepared for running */
struct walk *walk_new(const struct lt_tree *);                  /* NULL: no memory */
void walk_free(struct walk *);
size_t walk_bytes(const struct walk *, size_t *align);          /* workspace of a run */
lt_status walk_run(const struct walk *, struct meter *, const struct lt_args *, struct lt_diag *);
lt_status walk_accepts(const struct lt_tree *, struct lt_diag *);

/* report.c */
struct total {
	int64_t kernels, runs, reads, writes, read_bytes, written_bytes, first, reuse[MAX_BUCKET];
	struct level_count level[MAX_LEVEL];
};
void add_total(struct total *, const struct meter *);
void report_kernel(const struct meter *, lt_write *, void *user);
void report_total(const struct total *, const struct config *, lt_write *, void *user);
void report_stats(const struct meter *, lt_write *, void *user);        /* "name number" */
#endif
