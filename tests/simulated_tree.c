/* simulated_tree.c -- what the simulator counts: of a program, of a frozen tree with zeros for data. */
#include <stdlib.h>
#include <string.h>
#include "check/random/must.h"
#include "tests/simulated.h"
#include "tests/simulated_tree.h"

struct text { char *at; size_t n; };
static void text_add(void *user, const char *more, size_t n)
{
	struct text *t = user;
	must((t->at = realloc(t->at, t->n + n + 1)) != NULL, "out of memory");
	memcpy(t->at + t->n, more, n);
	t->at[t->n += n] = '\0';
}

struct lt_simulate_statement *simulated_statements(
	const struct lt_kernel *k, void *const *slot, int32_t *n, char **lines)
{
	struct lt_simulate_count c = { .runs = calloc(k->n_instruction + 1u, 8),
		.lanes = calloc(k->n_instruction + 1u, 8) };
	struct lt_simulate_statement *all;
	struct text text = { NULL, 0 };
	struct simulated s;
	*n = lt__simulate_n_statement(k);
	all = calloc((size_t)*n + 1, sizeof *all);
	must(c.runs && c.lanes && all, "out of memory");
	simulated_run(k, slot, NULL, &c, &s);
	must(!s.status, "%s", s.diags.text);
	must(!lt__simulate_statements(k, &c, *n, all), "out of memory");
	if (lines) {
		must(!lt__simulate_print_counts(k, &c, text_add, &text), "out of memory");
		*lines = text.at;
	}
	free(c.runs);
	free(c.lanes);
	return all;
}

/* Zeros: memory of each slot as its largest buffer needs it. */
static void **slots_new(const struct lt_tree *t)
{
	void **slot = calloc((size_t)t->n_slot + 1, sizeof *slot);
	int64_t *bytes = calloc((size_t)t->n_slot + 1, sizeof *bytes);
	must(slot && bytes, "out of memory");
	for (uint32_t i = 0; i < t->buffers.n; i++) {
		const struct lt_buffer *b = LT_AT(struct lt_buffer, t->buffers, i);
		int64_t size = b->elems * LT_AT(struct lt_type, t->types, b->type)->bytes;
		if (b->slot >= 0 && size >= bytes[b->slot]) {
			free(slot[b->slot]);
			bytes[b->slot] = size;
			must((slot[b->slot] = aligned_alloc(64, ((size_t)size + 127) / 64 * 64)) != NULL, "out of memory");
			memset(slot[b->slot], 0, (size_t)size);
		}
	}
	free(bytes);
	return slot;
}

void simulated_tree_run(const struct lt_tree *t, bool teams, struct simulated_tree *out)
{
	const struct lt_machine machine = { .array_bytes = teams ? 4096 : 0, .stack_bytes = teams ? 65536 : 0,
		.teams = teams };
	const struct lt_kernel_options options = { .last = 'L' };          /* what is counted is as in the tree */
	struct keeper k = keeper_new();
	struct lt_kernel *kernel;
	void **slot = slots_new(t);
	int32_t n;
	must(!lt_kernel_new(t, &machine, &options, &kernel, &k.diag), "%s", k.text);
	struct lt_simulate_statement *all = simulated_statements(kernel, slot, &n, NULL);
	*out = (struct simulated_tree){ .teams = (int)kernel->n_region - 1 };
	for (int32_t s = 0; s <= n; s++) {
		out->executions += all[s].executions;
		out->operations += all[s].operations;
	}
	for (int32_t s = 0; s < t->n_slot; s++)
		free(slot[s]);
	free(slot);
	free(all);
	lt_kernel_free(kernel);
}
