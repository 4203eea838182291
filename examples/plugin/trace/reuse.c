/* reuse.c -- LRU stack distances: how many other lines were accessed since a line was accessed last.
 *
 * Each line has the time of its last access.  Times in use are marked in a Fenwick tree, so that those after a given
 * one are counted in O(log n).  When times run out, those in use are numbered again from 0: memory is that of the
 * lines, not that of the accesses.
 */
#include <stdlib.h>
#include <string.h>
#include "trace.h"

struct reuse {
	int64_t n_line, cap, now, live;        /* times: 0 .. now-1, less than cap; live of them in use */
	int64_t *last;                          /* by line: its time; -1: not accessed yet */
	int64_t *line;                          /* by time: whose it was */
	int32_t *sum;                           /* the tree: sum[t] over times t - (t & -t) .. t - 1 */
};

struct reuse *reuse_new(int64_t n_line)
{
	struct reuse *r = calloc(1, sizeof *r);
	if (!r)
		return NULL;
	r->n_line = n_line;
	r->cap = 2 * n_line + 64;
	r->last = malloc((size_t)(n_line + 1) * sizeof *r->last);
	r->line = malloc((size_t)r->cap * sizeof *r->line);
	r->sum = malloc((size_t)(r->cap + 1) * sizeof *r->sum);
	if (!r->last || !r->line || !r->sum || n_line > INT32_MAX) {
		reuse_free(r);
		return NULL;
	}
	reuse_reset(r);
	return r;
}

void reuse_free(struct reuse *r)
{
	if (!r)
		return;
	free(r->last);
	free(r->line);
	free(r->sum);
	free(r);
}

void reuse_reset(struct reuse *r)
{
	r->now = r->live = 0;
	memset(r->last, 0xff, (size_t)(r->n_line + 1) * sizeof *r->last);
	memset(r->sum, 0, (size_t)(r->cap + 1) * sizeof *r->sum);
}

static void mark(struct reuse *r, int64_t time, int32_t by)
{
	for (int64_t t = time + 1; t <= r->cap; t += t & -t)
		r->sum[t] += by;
}

/* Times in use up to and with this one. */
static int64_t upto(const struct reuse *r, int64_t time)
{
	int64_t n = 0;
	for (int64_t t = time + 1; t > 0; t -= t & -t)
		n += r->sum[t];
	return n;
}

static void renumber(struct reuse *r)
{
	int64_t n = 0;
	for (int64_t t = 0; t < r->now; t++)
		if (r->last[r->line[t]] == t) {
			r->line[n] = r->line[t];
			r->last[r->line[n]] = n;
			n++;
		}
	r->now = n;
	for (int64_t t = 1; t <= r->cap; t++)
		r->sum[t] = t <= n;
	for (int64_t t = 1; t <= r->cap; t++)
		if (t + (t & -t) <= r->cap)
			r->sum[t + (t & -t)] += r->sum[t];
}

int64_t reuse_access(struct reuse *r, int64_t line)
{
	int64_t last = r->last[line], distance = -1;
	if (last >= 0 && last == r->now - 1)
		return 0;
	if (last >= 0) {
		distance = r->live - upto(r, last);
		mark(r, last, -1);
	} else {
		r->live++;
	}
	r->last[line] = -1;
	if (r->now == r->cap)
		renumber(r);
	r->last[line] = r->now;
	r->line[r->now] = line;
	mark(r, r->now++, 1);
	return distance;
}
