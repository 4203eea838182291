/* cache.c -- levels of a cache: sets with least-recently-used replacement, allocation on writes, lines written back
 * when they are replaced.  What a level has not is asked of the next one; a line that is written back goes there whole.
 */
#include <stdlib.h>
#include <string.h>
#include "trace.h"

struct way { int64_t line; bool changed; };     /* line -1: nothing */
struct store {
	int64_t n_set;
	uint32_t n_way;
	struct way *way;                        /* set by set, the most recent first */
	struct level_count count;
};
struct cache { int n_level; uint32_t line; struct store level[MAX_LEVEL]; };

struct cache *cache_new(const struct config *config)
{
	struct cache *c = calloc(1, sizeof *c);
	if (!c)
		return NULL;
	c->n_level = config->n_level;
	c->line = config->level[0].line;
	for (int i = 0; i < c->n_level; i++) {
		struct store *s = &c->level[i];
		s->n_way = config->level[i].ways;
		s->n_set = (int64_t)(config->level[i].bytes / c->line / s->n_way);
		s->way = calloc((size_t)s->n_set * s->n_way, sizeof *s->way);
		if (!s->way) {
			cache_free(c);
			return NULL;
		}
	}
	cache_reset(c);
	return c;
}

void cache_free(struct cache *c)
{
	for (int i = 0; c && i < c->n_level; i++)
		free(c->level[i].way);
	free(c);
}

void cache_reset(struct cache *c)
{
	for (int i = 0; i < c->n_level; i++)
		for (int64_t w = 0; w < c->level[i].n_set * c->level[i].n_way; w++)
			c->level[i].way[w] = (struct way){ -1, false };
}

/* Makes the line the most recent of its set; whether it was there.  Out: what it took the place of. */
static bool touch(struct store *s, int64_t line, bool write, struct way *out)
{
	struct way *set = s->way + line % s->n_set * s->n_way;
	uint32_t at = 0;
	while (at < s->n_way - 1 && set[at].line != line)
		at++;
	struct way now = set[at];
	bool hit = now.line == line;
	*out = hit ? (struct way){ -1, false } : now;
	memmove(set + 1, set, at * sizeof *set);
	set[0] = (struct way){ line, (hit && now.changed) || write };
	return hit;
}

static void write_back(struct cache *c, int level, int64_t line)
{
	struct way out = { line, true };
	for (; out.changed; level++) {
		int64_t goes = out.line;
		c->level[level].count.written_back++;
		if (level + 1 == c->n_level)
			return;
		(void)touch(&c->level[level + 1], goes, true, &out);
	}
}

int cache_access(struct cache *c, int64_t address, bool write, bool *hit)
{
	int64_t line = address / c->line;
	int asked = 0;
	do {
		struct store *s = &c->level[asked];
		struct way out;
		hit[asked] = touch(s, line, write && asked == 0, &out);
		s->count.seen++;
		s->count.hit += hit[asked];
		if (out.changed)
			write_back(c, asked, out.line);
	} while (!hit[asked++] && asked < c->n_level);
	return asked;
}

void cache_flush(struct cache *c)
{
	for (int i = 0; i < c->n_level; i++) {
		struct store *s = &c->level[i];
		for (int64_t w = 0; w < s->n_set * s->n_way; w++) {
			if (!s->way[w].changed)
				continue;
			s->way[w].changed = false;
			write_back(c, i, s->way[w].line);
		}
	}
}

const struct level_count *cache_count(const struct cache *c, int level) { return &c->level[level].count; }
