/* count.c -- what was counted by instruction, by statement of the frozen tree. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "kernel/simulate/part.h"

int32_t lt__simulate_n_statement(const struct lt_kernel *k)
{
	int32_t n = 0;
	for (uint32_t i = 0; i < k->n_instruction; i++) {
		const struct lt_instruction *x = &k->instructions[i];
		if (x->opcode != LT_OPCODE_loop && x->opcode != LT_OPCODE_end && x->origin >= n)
			n = x->origin + 1;
	}
	return n;
}

/* Whether a value goes into what is stored or set: into data, and not into an address, a guard or a count.  A value is
 * used behind where it is made. */
static void fill_data(const struct lt_kernel *k, uint8_t *data)
{
	for (int32_t i = (int32_t)k->n_instruction; i-- > 0; ) {
		const struct lt_instruction *x = &k->instructions[i];
		int32_t first = 0, end = 4;
		if (x->opcode == LT_OPCODE_store)
			first = 3;
		else if (x->opcode == LT_OPCODE_set || x->opcode == LT_OPCODE_update)
			end = 1;
		else if (!data[i] || x->opcode == LT_OPCODE_load || x->opcode == LT_OPCODE_loop)
			continue;
		else if (x->opcode == LT_OPCODE_select)
			first = 1;
		for (int32_t o = first; o < end; o++)
			if (x->operand[o] >= 0)
				data[x->operand[o]] = 1;
	}
}

/* Whether an instruction writes, and no later one of its block does so for the same statement. */
static bool is_last_write(const struct lt_kernel *k, int32_t i)
{
	const struct lt_instruction *x = &k->instructions[i];
	if (x->opcode != LT_OPCODE_store && x->opcode != LT_OPCODE_set && x->opcode != LT_OPCODE_update)
		return false;
	int32_t end = 0;
	for (uint32_t r = 0; r < k->n_region && end <= i; r++)
		end = k->regions[r].first + k->regions[r].n;
	for (int32_t depth = 0; ++i < end; ) {
		const struct lt_instruction *y = &k->instructions[i];
		depth += y->opcode == LT_OPCODE_loop;
		if (y->opcode == LT_OPCODE_end && k->instructions[y->what].opcode == LT_OPCODE_loop && depth-- == 0)
			return true;
		if (depth == 0 && y->origin == x->origin
			&& (y->opcode == LT_OPCODE_store || y->opcode == LT_OPCODE_set || y->opcode == LT_OPCODE_update))
			return false;
	}
	return true;
}

static int64_t operations(const struct lt_kernel *k, int32_t i, bool is_data, int64_t runs)
{
	const struct lt_instruction *x = &k->instructions[i];
	uint32_t opcode = x->opcode;
	if (opcode == LT_OPCODE_update)
		return runs * k->variables[x->what].lanes;
	if (opcode == LT_OPCODE_fold)
		return runs * (k->instructions[x->operand[0]].lanes - 1);
	if (opcode == LT_OPCODE_dot)            /* a product and a sum for each of its operands' lanes */
		return is_data ? runs * x->lanes * 8 : 0;
	bool moves = opcode == LT_OPCODE_copy || opcode == LT_OPCODE_select || opcode == LT_OPCODE_cast;
	return is_data && simulate_is_operator(opcode) && !moves ? runs * x->lanes : 0;
}

/* Lanes of a write to a variable are all of them. */
static int64_t lanes_of(const struct lt_kernel *k, const struct lt_simulate_count *c, int32_t i)
{
	const struct lt_instruction *x = &k->instructions[i];
	bool in_memory = x->opcode == LT_OPCODE_store || x->opcode == LT_OPCODE_load;
	return in_memory ? c->lanes[i] : c->runs[i] * k->variables[x->what].lanes;
}

static void count_add(const struct lt_kernel *k, const struct lt_simulate_count *c, int32_t i, bool is_data,
	struct lt_simulate_statement *to)
{
	const struct lt_instruction *x = &k->instructions[i];
	to->operations += operations(k, i, is_data, c->runs[i]);
	if (is_last_write(k, i))
		to->executions += lanes_of(k, c, i);
	if (x->opcode == LT_OPCODE_load)
		to->read_bytes += c->lanes[i] * lt__number_bytes(x->dtype);
	if (x->opcode == LT_OPCODE_store)
		to->written_bytes += c->lanes[i] * lt__number_bytes(k->buffers[x->what].dtype);
}

lt_status lt__simulate_statements(
	const struct lt_kernel *k, const struct lt_simulate_count *c, int32_t n, struct lt_simulate_statement *out)
{
	uint8_t *data = calloc((size_t)k->n_instruction + 1, 1);
	if (!data)
		return LT_ENOMEM;
	memset(out, 0, ((size_t)n + 1) * sizeof *out);
	fill_data(k, data);
	for (int32_t i = 0; i < (int32_t)k->n_instruction; i++) {
		const struct lt_instruction *x = &k->instructions[i];
		bool is_loop = x->opcode == LT_OPCODE_loop || x->opcode == LT_OPCODE_end;
		count_add(k, c, i, data[i], &out[x->origin < 0 || x->origin >= n || is_loop ? n : x->origin]);
	}
	free(data);
	return LT_OK;
}

static void print_line(lt_write *write, void *user, const char *who, const char *what, int64_t number)
{
	char line[160];
	int n = snprintf(line, sizeof line, "%s.%s %lld\n", who, what, (long long)number);
	write(user, line, (size_t)n);
}

lt_status lt__simulate_print_counts(
	const struct lt_kernel *k, const struct lt_simulate_count *c, lt_write *write, void *user)
{
	int32_t n = lt__simulate_n_statement(k);
	struct lt_simulate_statement *all = calloc((size_t)n + 1, sizeof *all);
	lt_status status = all ? lt__simulate_statements(k, c, n, all) : LT_ENOMEM;
	for (int32_t s = 0; !status && s < n; s++) {
		char who[40];
		(void)snprintf(who, sizeof who, "statement%d", (int)s);
		print_line(write, user, who, "executions", all[s].executions);
		print_line(write, user, who, "operations", all[s].operations);
		print_line(write, user, who, "read_bytes", all[s].read_bytes);
		print_line(write, user, who, "written_bytes", all[s].written_bytes);
	}
	free(all);
	return status;
}
