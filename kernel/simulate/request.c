/* request.c -- what the threads of a subgroup ask memory for together: sectors of 32 bytes, and words
 * of banks of shared memory. */
#include <stdlib.h>
#include "kernel/simulate/part.h"

enum { SECTOR = 32, BANKS = 32, WORD = 4 };

void lt__simulate_log(
	struct simulation *s, int32_t instruction, int32_t part, int32_t buffer, int64_t element, int64_t n)
{
	struct simulate_grid *g = s->grid;
	if (!s->count || !s->count->request)
		return;
	g->log = lt__pool_grown(&s->pool, g->log, g->n_log, &g->cap_log, sizeof *g->log);
	g->log[g->n_log++] = (struct simulate_logged){ .instruction = instruction, .thread = g->now,
		.bytes = (int32_t)(n * s->element_bytes[buffer]),
		.key = (g->thread[g->now].iterations + (uint64_t)part) * UINT64_C(0x9e3779b97f4a7c15),
		.byte = s->base[buffer]
			+ lt__swizzled_byte(element * s->element_bytes[buffer], s->k->buffers[buffer].swizzle),
		.shared = s->k->buffers[buffer].space == LT_SPACE_SHARED };
}

static int by_request(const void *a, const void *b)
{
	const struct simulate_logged *x = a, *y = b;
	if (x->instruction != y->instruction)
		return x->instruction < y->instruction ? -1 : 1;
	if (x->key != y->key)
		return x->key < y->key ? -1 : 1;
	return x->thread < y->thread ? -1 : x->thread > y->thread;
}

static int by_number(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
	return x < y ? -1 : x > y;
}

/* How many different numbers; they are sorted. */
static int64_t distinct(int64_t *all, int n)
{
	int64_t count = 0;
	qsort(all, (size_t)n, sizeof *all, by_number);
	for (int i = 0; i < n; i++)
		count += i == 0 || all[i] != all[i - 1];
	return count;
}

enum { MAX_MEMBERS = 64 };

static void count_sectors(const struct simulate_logged *x, int n, struct lt_simulate_request *to)
{
	int64_t sector[2 * MAX_MEMBERS];
	int all = 0;
	to->requests++;
	for (int i = 0; i < n; i++) {
		to->bytes += x[i].bytes;
		sector[all++] = x[i].byte / SECTOR;
		sector[all++] = (x[i].byte + x[i].bytes - 1) / SECTOR;
	}
	to->sectors += distinct(sector, all);
}

/* The most words that one bank has to give. */
static int64_t phase_cycles(const struct simulate_logged *x, int n)
{
	int64_t word[4 * MAX_MEMBERS], max = 0, of_bank[BANKS] = { 0 };
	int all = 0;
	for (int i = 0; i < n; i++)
		for (int64_t w = x[i].byte / WORD; w <= (x[i].byte + x[i].bytes - 1) / WORD; w++)
			word[all++] = w;
	qsort(word, (size_t)all, sizeof *word, by_number);
	for (int i = 0; i < all; i++)
		if (i == 0 || word[i] != word[i - 1])
			of_bank[word[i] % BANKS]++;
	for (int b = 0; b < BANKS; b++)
		max = of_bank[b] > max ? of_bank[b] : max;
	return max;
}

static void count_banks(const struct simulate_logged *x, int n, int32_t subgroup, struct lt_simulate_request *to)
{
	int32_t widest = 1;
	for (int i = 0; i < n; i++)
		widest = x[i].bytes > widest ? x[i].bytes : widest;
	int32_t together = widest > 8 ? 8 : widest > WORD ? 16 : 32;
	to->shared_requests++;
	for (int i = 0, end; i < n; i = end) {
		int32_t phase = x[i].thread % subgroup / together;
		for (end = i; end < n && x[end].thread % subgroup / together == phase; end++)
			to->shared_bytes += x[end].bytes;
		to->phases++;
		to->cycles += phase_cycles(x + i, end - i);
	}
}

void lt__simulate_requests(struct simulation *s)
{
	struct simulate_grid *g = s->grid;
	int32_t subgroup = g->region->subgroup, n = g->n_log;
	g->n_log = 0;
	if (!s->count || !s->count->request || n == 0)
		return;
	/* A grid without subgroups is told of as one of 32 threads would be. */
	subgroup = subgroup == 1 ? 32 : subgroup;
	qsort(g->log, (size_t)n, sizeof *g->log, by_request);
	for (int32_t i = 0, end; i < n; i = end) {
		const struct simulate_logged *x = &g->log[i];
		for (end = i + 1; end < n && end - i < MAX_MEMBERS && g->log[end].instruction == x->instruction
			&& g->log[end].key == x->key && g->log[end].thread / subgroup == x->thread / subgroup; )
			end++;
		if (x->shared)
			count_banks(x, end - i, subgroup, &s->count->request[x->instruction]);
		else
			count_sectors(x, end - i, &s->count->request[x->instruction]);
	}
}
