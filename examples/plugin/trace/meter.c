/* meter.c -- what is counted of each access: by buffer, and in the parts that see all of them. */
#include <stdlib.h>
#include <string.h>
#include "trace.h"

enum { READ = 1, WRITTEN = 2 };

int64_t bytes_of(const struct lt_tree *t, int32_t buffer)
{
	return LT_AT(struct lt_type, t->types, LT_AT(struct lt_buffer, t->buffers, buffer)->type)->bytes;
}

int bucket_of(int64_t distance)
{
	int b = 0;
	for (; distance > 0 && b < MAX_BUCKET - 1; distance >>= 1)
		b++;
	return b;
}

/* The buffers one after the other, each at its alignment; those with one storage at one place.  Gives the end. */
static int64_t lay_out(struct meter *m)
{
	int64_t end = 0;
	for (int32_t i = 0; i < (int32_t)m->tree->buffers.n; i++) {
		const struct lt_buffer *b = LT_AT(struct lt_buffer, m->tree->buffers, i);
		int64_t align = b->align > 1 ? b->align : 1;
		if (b->alias_of >= 0) {
			m->tally[i].address = m->tally[b->alias_of].address;
			continue;
		}
		m->tally[i].address = (end + align - 1) / align * align;
		end = m->tally[i].address + b->elems * bytes_of(m->tree, i);
	}
	return end;
}

lt_status meter_open(
	struct meter *m, const struct lt_tree *t, const struct config *config, FILE *list, struct lt_diag *diag)
{
	bool ok = true;
	*m = (struct meter){ .tree = t, .config = config, .list = list };
	m->tally = calloc(t->buffers.n + 1u, sizeof *m->tally);
	if (m->tally) {
		for (int32_t i = 0; i < (int32_t)t->buffers.n; i++) {
			m->tally[i].mark = calloc(1, (size_t)LT_AT(struct lt_buffer, t->buffers, i)->elems + 1);
			ok = ok && m->tally[i].mark;
		}
		m->reuse = reuse_new(lay_out(m) / config->level[0].line + 1);
		m->cache = cache_new(config);
	}
	if (ok && m->tally && m->reuse && m->cache)
		return LT_OK;
	meter_close(m);
	return refuse(diag, LT_ENOMEM, -1, -1, "run it on smaller tensors", "there is no memory to record kernel %s",
		t->name ? t->name : "?");
}

void meter_close(struct meter *m)
{
	for (uint32_t i = 0; m->tally && i < m->tree->buffers.n; i++)
		free(m->tally[i].mark);
	free(m->tally);
	reuse_free(m->reuse);
	if (m->cache)
		cache_free(m->cache);
	*m = (struct meter){ 0 };
}

void meter_begin(struct meter *m)
{
	m->runs++;
	reuse_reset(m->reuse);
	cache_reset(m->cache);
	if (m->list)
		(void)fprintf(m->list, "kernel %s\n", m->tree->name ? m->tree->name : "?");
}

void meter_access(struct meter *m, int32_t buffer, int32_t access, int64_t element, bool write)
{
	struct tally *t = &m->tally[buffer];
	int64_t address = t->address + element * bytes_of(m->tree, buffer);
	unsigned char bit = write ? WRITTEN : READ;
	bool hit[MAX_LEVEL];
	*(write ? &t->writes : &t->reads) += 1;
	if (!(t->mark[element] & bit)) {
		t->mark[element] |= bit;
		*(write ? &t->written_elems : &t->read_elems) += 1;
	}
	int64_t distance = reuse_access(m->reuse, address / m->config->level[0].line);
	*(distance < 0 ? &t->first : &t->reuse[bucket_of(distance)]) += 1;
	int asked = cache_access(m->cache, address, write, hit);
	for (int i = 0; i < asked; i++) {
		t->seen[i]++;
		t->hit[i] += hit[i];
	}
	if (m->list)
		(void)fprintf(m->list, "%c %d %d %lld %lld\n", write ? 'w' : 'r', (int)buffer, (int)access,
			(long long)element, (long long)address);
}

void meter_end(struct meter *m)
{
	cache_flush(m->cache);
	if (m->list)
		(void)fflush(m->list);
}
