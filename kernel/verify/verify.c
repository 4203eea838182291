/* verify.c -- whether a kernel program keeps the rules of lt/kernel.h: the whole, and regions
 * (verifier.h). */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "kernel/form/form.h"
#include "kernel/verify/verifier.h"

static void check_identifier(struct lt_kernel_verifier *v)
{
	const char *name = v->k->name ? v->k->name : "";
	for (const char *c = name; *c; c++)
		if (!((*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z') || *c == '_' || (*c >= '0' && *c <= '9' && c > name)))
			name = "";
	if (!*name)
		lt__verify_fail_at(v, LT_PART_WHOLE, 0, "use letters, digits and _, no digit first",
			"the program's name is no C identifier");
}

static void check_counts(struct lt_kernel_verifier *v)
{
	const struct lt_kernel *k = v->k;
	uint32_t count[] = { k->n_instruction, k->n_region, k->n_buffer, k->n_variable, k->n_param, k->n_op, k->n_extra,
		k->n_slot, k->n_call };
	if (k->n_matrix > LT_MAX_MATRICES)
		lt__verify_fail_at(v, LT_PART_WHOLE, 0, "cut the program in two",
			"there are at most %d matrix descriptions", (int)LT_MAX_MATRICES);
	for (size_t i = 0; i < sizeof count / sizeof *count; i++)
		if (count[i] > INT32_MAX)
			lt__verify_fail_at(v, LT_PART_WHOLE, 0, "cut the program in two", "there are at most 2147483647 of everything");
	if (!k->prelude)
		lt__verify_fail_at(v, LT_PART_WHOLE, 0, "\"\" is none", "the prelude is NULL");
	if (k->workspace_bytes < 0 || k->thread_bytes < 0)
		lt__verify_fail_at(v, LT_PART_WHOLE, 0, "write 0 where there is none",
			"the workspace, or a thread's part, has less than 0 bytes");
}

static void check_regions(struct lt_kernel_verifier *v)
{
	const struct lt_kernel *k = v->k;
	int64_t at = 0;
	if (k->n_region == 0)
		lt__verify_fail_at(v, LT_PART_WHOLE, 0, "make region 0 the host's, empty if it does nothing",
			"there is no host region");
	for (int32_t r = 0; r < (int32_t)k->n_region; r++) {
		const struct lt_region *x = &k->regions[r];
		if (r ? x->kind != LT_REGION_TEAM && x->kind != LT_REGION_GRID : x->kind != LT_REGION_HOST)
			lt__verify_fail_at(v, LT_PART_WHOLE, 0, "move the host's to the front",
				"region 0 is the host's, all others are teams or grids");
		if (x->first != at || x->n < 0 || at + x->n > (int64_t)k->n_instruction || x->origin < -1)
			lt__verify_fail_at(v, LT_PART_WHOLE, 0, "let `first` be where the region before ends; an origin is -1 or an index",
				"regions lie one after the other in the instructions");
		if (x->n_argument < 0 || (r == 0 && x->n_argument))
			lt__verify_fail_at(v, LT_PART_WHOLE, 0, "count what its launches hand over; the host's region has 0",
				"region %" PRId32 " has a wrong number of arguments", r);
		at += x->n;
	}
	if (at != (int64_t)k->n_instruction)
		lt__verify_fail_at(v, LT_PART_WHOLE, 0, "make n_instruction the sum of all n",
			"%" PRId64 " instructions are in regions, of %" PRIu32, at,
			k->n_instruction);
}

/* Every team and every grid is launched, by the host: the first launch says of which types its arguments are. */
static void find_launches(struct lt_kernel_verifier *v)
{
	const struct lt_kernel *k = v->k;
	for (v->region = 0; v->region < (int32_t)k->n_region; v->region++) {
		const struct lt_region *r = &k->regions[v->region];
		for (v->at = r->first; v->at < r->first + r->n; v->at++) {
			const struct lt_instruction *i = &k->instructions[v->at];
			if (!lt__opcode_launches(i->opcode))
				continue;
			if (v->region)
				lt__verify_fail(v, -1, "move the launch there, or write a loop", "only the host region launches");
			lt__verify_what(v, i, lt__opcode(i->opcode));
			if (v->first_launch[i->what] < 0)
				v->first_launch[i->what] = v->at;
		}
	}
	for (int32_t r = 1; r < (int32_t)k->n_region; r++)
		if (v->first_launch[r] < 0)
			lt__verify_fail_at(v, LT_PART_REGION, r, "remove it", "no launch runs this region");
}

static void *minus_ones(struct lt_kernel_verifier *v, uint32_t n, size_t size)
{
	void *at = lt__pool_alloc(&v->pool, (size_t)n + 1, size);
	memset(at, 0xff, ((size_t)n + 1) * size);
	return at;
}

static void check_written(struct lt_kernel_verifier *v)
{
	for (int32_t i = 0; i < (int32_t)v->k->n_buffer; i++)
		if (v->k->buffers[i].written && !v->stored[i])
			lt__verify_fail_at(v, LT_PART_BUFFER, i, "declare it without `written`",
				"buffer %s is declared as written, but nothing writes it", v->k->buffers[i].name);
}

static void check_program(struct lt_kernel_verifier *v)
{
	const struct lt_kernel *k = v->k;
	check_identifier(v);
	check_counts(v);
	check_regions(v);               /* from here on every part has a line */
	for (int32_t i = 0; i < (int32_t)k->n_region; i++)
		lt__verify_extents(v, i);
	v->first_launch = minus_ones(v, k->n_region, sizeof *v->first_launch);
	v->shared_region = minus_ones(v, k->n_buffer, sizeof *v->shared_region);
	lt__verify_find_shared(v);
	lt__verify_declared(v);
	v->block = minus_ones(v, k->n_instruction, sizeof *v->block);
	v->got = minus_ones(v, k->n_instruction, sizeof *v->got);
	v->is_open = lt__pool_alloc(&v->pool, k->n_instruction, sizeof *v->is_open);
	v->open = lt__pool_alloc(&v->pool, LT_MAX_BLOCKS, sizeof *v->open);
	v->array = minus_ones(v, k->n_buffer, sizeof *v->array);
	v->variable = minus_ones(v, k->n_variable, sizeof *v->variable);
	lt__verify_find_changes(v);
	v->version = lt__pool_alloc(&v->pool, k->n_variable, sizeof *v->version);
	v->stored = lt__pool_alloc(&v->pool, k->n_buffer, sizeof *v->stored);
	find_launches(v);
	lt__verify_regions(v);
	check_written(v);
	lt__verify_uniform(v);
}

static lt_status check_protected(struct lt_kernel_verifier *v)
{
	if (setjmp(v->pool.jump))
		return v->status;
	check_program(v);
	return LT_OK;
}

lt_status lt__kernel_check(const struct lt_kernel *k, struct lt_broken_rule *out)
{
	struct lt_kernel_verifier v = { .k = k, .out = out, .status = LT_ENOMEM };
	lt_status status = check_protected(&v);
	lt__pool_free(&v.pool);
	return status;
}

lt_status lt_kernel_verify(const struct lt_kernel *k, struct lt_diag *diag)
{
	struct lt_broken_rule broken;
	lt_status status = lt__kernel_check(k, &broken);
	if (status == LT_ENOMEM)
		return lt__report(diag, status, -1, -1, NULL, "out of memory");
	if (!status)
		return LT_OK;
	struct lt_text_position at = { lt__kernel_line(k, broken.part, broken.index), 0 };
	return lt__kernel_refuse(diag, &broken, at,
		broken.other < 0 ? 0 : lt__kernel_line(k, LT_PART_INSTRUCTION, broken.other));
}
