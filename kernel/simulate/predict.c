/* predict.c -- what bounds the loops of a grid on a machine, by what the simulator counted. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "kernel/print/print.h"
#include "kernel/form/form.h"
#include "kernel/simulate/simulate.h"

/* NVIDIA's data sheets and whitepapers: A100 SXM 80 GB, 108 multiprocessors of 64 lanes, 1.41 GHz, 2.04 TB/s, 312
 * TFLOPS of 16-bit products, 40 MB L2, 163 KB a block; H100 SXM 80 GB, 132 of 128 lanes, 3.35 TB/s, 989 TFLOPS, 50 MB,
 * 227 KB; H200 SXM, the same with 4.8 TB/s.  1.83 GHz is their clock for products; for float32 they say 1.98, that is
 * 67 TFLOPS.  Memory and products are the whole divided by multiprocessors and clock. */
static const struct lt_simulate_machine machines[] = {
	{ "a100", 108, 1.41e9, 4, 64, 13.3, 1, 1024, 166912, 65536, 40 << 20 },
	{ "h100", 132, 1.83e9, 4, 128, 13.9, 1, 2048, 232448, 65536, 50 << 20 },
	{ "h200", 132, 1.83e9, 4, 128, 19.9, 1, 2048, 232448, 65536, 50 << 20 },
};

const struct lt_simulate_machine *lt__simulate_machine(const char *name)
{
	for (size_t i = 0; i < sizeof machines / sizeof *machines; i++)
		if (strcmp(machines[i].name, name) == 0)
			return &machines[i];
	return NULL;
}

/* Where a value or a variable is used last: in a loop that begins behind it, at that loop's end. */
struct life_work { const struct lt_kernel *k; int32_t *first, *last; int32_t loop[LT_MAX_BLOCKS], n_loop; };

static void life_use(struct life_work *w, int32_t what, int32_t at)
{
	int32_t end = at;
	for (int32_t l = w->n_loop; l-- > 0 && w->loop[l] > w->first[what]; )
		end = w->k->instructions[w->loop[l]].what;
	w->last[what] = end > w->last[what] ? end : w->last[what];
}

static int64_t registers_of(uint32_t dtype, uint32_t lanes)
{
	return dtype == LT_LANE_MASK ? 0 : ((int64_t)lt__number_bytes(dtype) * lanes + 3) / 4;
}

static bool is_variable(uint32_t opcode)
{
	return opcode == LT_OPCODE_get || opcode == LT_OPCODE_set || opcode == LT_OPCODE_update
		|| opcode == LT_OPCODE_variable;
}

/* Variables are numbered behind values.  A get is its variable's register. */
static void find_lives(struct life_work *w, const struct lt_region *r)
{
	const struct lt_kernel *k = w->k;
	int32_t n = (int32_t)k->n_instruction;
	for (int32_t i = r->first; i < r->first + r->n; i++) {
		const struct lt_instruction *x = &k->instructions[i];
		w->first[i] = w->last[i] = i;
		if (x->opcode == LT_OPCODE_variable)
			w->first[n + x->what] = w->last[n + x->what] = i;
		else if (is_variable(x->opcode))
			life_use(w, n + x->what, i);
		for (int32_t e = 2 * LT_MATRIX_LOCATION; x->opcode == LT_OPCODE_matrix && e < x->n_extra; e++)
			life_use(w, n + (int32_t)k->extras[x->first_extra + e], i);
		for (int o = 0; o < 4; o++)
			if (x->operand[o] >= 0)
				life_use(w, x->operand[o], i);
		if (x->opcode == LT_OPCODE_loop) {      /* it counts, and compares, until its end */
			w->loop[w->n_loop++] = i;
			w->last[i] = x->what;
			life_use(w, x->operand[1], i);
		}
		if (x->opcode == LT_OPCODE_end && k->instructions[x->what].opcode == LT_OPCODE_loop)
			w->n_loop--;
	}
}

lt_status lt__simulate_registers(const struct lt_kernel *k, int32_t region, int64_t *out)
{
	const struct lt_region *r = &k->regions[region];
	size_t all = (size_t)k->n_instruction + k->n_variable + 1;
	struct life_work *w = calloc(1, sizeof *w);
	int32_t *first = calloc(all, sizeof *first), *last = calloc(all, sizeof *last);
	int64_t *change = calloc((size_t)k->n_instruction + 2, sizeof *change), now = 0;
	*out = 0;
	lt_status status = w && first && last && change ? LT_OK : LT_ENOMEM;
	if (!status) {
		*w = (struct life_work){ .k = k, .first = first, .last = last };
		memset(first, 0xff, all * sizeof *first);
		find_lives(w, r);
		for (int32_t i = r->first; i < r->first + r->n; i++) {
			const struct lt_instruction *x = &k->instructions[i];
			if (!x->dtype || x->opcode == LT_OPCODE_const || x->opcode == LT_OPCODE_get || last[i] == i)
				continue;
			change[i] += registers_of(x->dtype, x->lanes);
			change[last[i]] -= registers_of(x->dtype, x->lanes);
		}
		for (uint32_t v = 0; v < k->n_variable; v++)
			if (first[k->n_instruction + v] >= 0) {
				change[first[k->n_instruction + v]] += registers_of(k->variables[v].dtype, k->variables[v].lanes);
				change[last[k->n_instruction + v] + 1] -= registers_of(k->variables[v].dtype, k->variables[v].lanes);
			}
		for (int32_t i = r->first; i < r->first + r->n; i++) {
			now += change[i];
			*out = now > *out ? now : *out;
		}
	}
	free(w);
	free(first);
	free(last);
	free(change);
	return status;
}

enum { BY_ISSUE, BY_ARITHMETIC, BY_MEMORY, BY_SHARED, BY_PRODUCTS, N_BY };
static const char *const bound_names[N_BY] = { "instructions", "arithmetic", "memory", "shared memory", "products" };

static bool is_free(uint32_t opcode)
{
	return opcode == LT_OPCODE_const || is_variable(opcode) || opcode == LT_OPCODE_array || opcode == LT_OPCODE_argument
		|| opcode == LT_OPCODE_param || opcode == LT_OPCODE_splat || opcode == LT_OPCODE_shuffle || opcode == LT_OPCODE_else
		|| opcode == LT_OPCODE_copy;
}

/* A sum of floats, one of which is a product: that and this are one instruction, which the product counts as. */
static bool is_fused(const struct lt_kernel *k, const struct lt_instruction *x)
{
	bool update = x->opcode == LT_OPCODE_update;
	uint32_t dtype = update ? k->variables[x->what].dtype : x->dtype;
	if (dtype != LT_F32 && dtype != LT_F64)
		return false;
	if (update ? x->number != LT_OPCODE_add : x->opcode != LT_OPCODE_add && x->opcode != LT_OPCODE_sub)
		return false;
	return (x->operand[0] >= 0 && k->instructions[x->operand[0]].opcode == LT_OPCODE_mul)
		|| (!update && k->instructions[x->operand[1]].opcode == LT_OPCODE_mul);
}

/* Cycles of each kind that an instruction takes, on one multiprocessor. */
static void add_cycles(const struct lt_kernel *k, const struct lt_simulate_count *c, const struct lt_region *r,
	int32_t i,
	const struct lt_simulate_machine *m, double *cycles)
{
	const struct lt_instruction *x = &k->instructions[i];
	const struct lt_simulate_request *q = &c->request[i];
	bool computes = (x->opcode >= 1 && x->opcode < LT_NOPERATOR_OPCODE && x->opcode != LT_OPCODE_copy)
		|| x->opcode == LT_OPCODE_update;
	if (is_fused(k, x))
		return;
	double runs = (double)c->runs[i], lanes = x->opcode == LT_OPCODE_update ? k->variables[x->what].lanes : x->lanes;
	double subgroup = r->subgroup > 1 ? r->subgroup : 32, requests = (double)(q->requests + q->shared_requests);
	if (requests > 0)
		cycles[BY_ISSUE] += requests / m->instructions;
	else if (computes)
		cycles[BY_ISSUE] += runs * lanes / subgroup / m->instructions;
	else if (!is_free(x->opcode))
		cycles[BY_ISSUE] += runs / subgroup / m->instructions;
	if (computes)
		cycles[BY_ARITHMETIC] += runs * lanes / m->lanes;
	cycles[BY_MEMORY] += (double)q->sectors * 32 / m->memory_bytes;
	cycles[BY_SHARED] += (double)q->cycles / m->shared_cycles;
	if (x->opcode == LT_OPCODE_matrix) {
		const struct lt_kernel_matrix *a = &k->matrices[x->what];
		double bytes = lt__number_bytes(a->part[LT_MATRIX_A].dtype);
		cycles[BY_PRODUCTS] += runs / a->threads * a->extent[0] * a->extent[1] * a->extent[2] * bytes / 2 / m->products;
	}
}

static void print_bound(const char *who, double *cycles, double share, const struct lt_simulate_machine *m,
	lt_write *write,
	void *user)
{
	char line[400];
	int bound = 0, n;
	for (int b = 0; b < N_BY; b++) {
		cycles[b] /= share;
		bound = cycles[b] > cycles[bound] ? b : bound;
	}
	n = snprintf(line, sizeof line, "%s: bound by %s, %.0f cycles (%.3g us);", who, bound_names[bound], cycles[bound],
		cycles[bound] / m->cycles_per_second * 1e6);
	for (int b = 0; b < N_BY; b++)
		if (b != bound)
			n += snprintf(line + n, sizeof line - (size_t)n, "%s %s %.0f", b > (bound == 0) ? "," : "", bound_names[b],
				cycles[b]);
	n += snprintf(line + n, sizeof line - (size_t)n, "\n");
	write(user, line, (size_t)n);
}

static lt_status predict_region(const struct lt_kernel *k, const struct lt_simulate_count *c, int32_t region,
	const struct lt_simulate_machine *m, lt_write *write, void *user)
{
	const struct lt_region *r = &k->regions[region];
	char who[100];
	int64_t registers, blocks;
	lt_status status = lt__simulate_registers(k, region, &registers);
	if (status || r->n == 0)
		return status;
	blocks = c->runs[r->first] / ((int64_t)r->threads[0] * r->threads[1] * r->threads[2]);
	double share = blocks < 1 ? 1 : (double)blocks < m->multiprocessors ? (double)blocks : m->multiprocessors;
	int n = snprintf(who, sizeof who, "grid %d: %lld blocks, %lld bytes of shared memory, at least %lld registers\n",
		(int)region, (long long)blocks, (long long)r->shared_bytes, (long long)registers);
	write(user, who, (size_t)n);
	for (int32_t at = r->first - 1; at < r->first + r->n; at++) {
		bool whole = at < r->first;
		if (!whole && k->instructions[at].opcode != LT_OPCODE_loop)
			continue;
		double cycles[N_BY] = { 0 };
		int32_t end = whole ? r->first + r->n : k->instructions[at].what + 1;
		for (int32_t i = whole ? r->first : at; i < end; i++)
			add_cycles(k, c, r, i, m, cycles);
		if (whole)
			(void)snprintf(who, sizeof who, "grid %d", (int)region);
		else
			(void)snprintf(who, sizeof who, "grid %d, loop in line %d", (int)region,
				(int)lt__kernel_line(k, LT_PART_INSTRUCTION, at));
		print_bound(who, cycles, share, m, write, user);
	}
	return LT_OK;
}

lt_status lt__simulate_predict(const struct lt_kernel *k, const struct lt_simulate_count *c,
	const struct lt_simulate_machine *m, lt_write *write, void *user)
{
	lt_status status = LT_OK;
	for (int32_t r = 1; !status && r < (int32_t)k->n_region; r++)
		if (k->regions[r].kind == LT_REGION_GRID)
			status = predict_region(k, c, r, m, write, user);
	return status;
}
