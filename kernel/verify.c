/* kernel/verify.c -- whether a kernel program keeps the rules of lt/kernel.h: what stands before the regions, and the
 * whole (verify.h). */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "kernel/report.h"
#include "kernel/verify.h"

static bool is_element(uint32_t dtype) { return dtype > 0 && dtype < LT_NDTYPE; }

static void check_identifier(struct lt_verifier *v)
{
	const char *name = v->k->name ? v->k->name : "";
	for (const char *c = name; *c; c++)
		if (!((*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z') || *c == '_' || (*c >= '0' && *c <= '9' && c > name)))
			name = "";
	if (!*name)
		lt__verify_fail_at(v, LT_PART_WHOLE, 0, NULL, "the program's name is no C identifier");
}

static void check_counts(struct lt_verifier *v)
{
	const struct lt_kernel *k = v->k;
	uint32_t count[] = { k->n_instruction, k->n_region, k->n_buffer, k->n_variable, k->n_param, k->n_op, k->n_extra,
		k->n_slot };
	if (k->n_matrix > LT_MAX_MATRICES)
		lt__verify_fail_at(v, LT_PART_WHOLE, 0, NULL, "there are at most %d matrix descriptions", (int)LT_MAX_MATRICES);
	for (size_t i = 0; i < sizeof count / sizeof *count; i++)
		if (count[i] > INT32_MAX)
			lt__verify_fail_at(v, LT_PART_WHOLE, 0, NULL, "there are at most 2147483647 of everything");
	if (!k->prelude)
		lt__verify_fail_at(v, LT_PART_WHOLE, 0, "\"\" is none", "the prelude is NULL");
	if (k->workspace_bytes < 0 || k->thread_bytes < 0)
		lt__verify_fail_at(v, LT_PART_WHOLE, 0, NULL, "the workspace, or a thread's part, has less than 0 bytes");
}

static void check_operators(struct lt_verifier *v)
{
	for (int32_t i = 0; i < (int32_t)v->k->n_op; i++) {
		const struct lt_op *op = &v->k->ops[i];
		bool good = op->name && op->source && op->arity >= 1 && op->arity <= 3 && is_element(op->out);
		for (int32_t o = 0; good && o < op->arity; o++)
			good = is_element(op->in[o]);
		if (!good)
			lt__verify_fail_at(v, LT_PART_OPERATOR, i, NULL,
				"an operator has a name, a C text, one to three operands, and element types");
		if (op->opcode != LT_OPCODE_TEXT)
			lt__verify_fail_at(v, LT_PART_OPERATOR, i, "use that opcode", "operator %s has an opcode of its own", op->name);
	}
}

/* Of a buffer or a variable. */
static void check_name(
	struct lt_verifier *v, struct lt_kernel_names *names, enum lt_kernel_part part, int32_t i, const char *name)
{
	if (!name || !lt__kernel_is_name(name, strlen(name)))
		lt__verify_fail_at(v, part, i, NULL,
			"a name begins with a letter or _, goes on with these, digits and points, and has at most %d bytes",
			(int)LT_MAX_NAME);
	if (lt__kernel_name_find(names, name, strlen(name)) >= 0)
		lt__verify_fail_at(v, part, i, NULL, "%s is declared twice; all names are different", name);
	lt__kernel_name_add(names, name, strlen(name), i);
}

/* A part of the workspace, or of a thread's. */
static void check_part(struct lt_verifier *v, int32_t i, int64_t bytes, int64_t all, const char *of)
{
	const struct lt_kernel_buffer *b = &v->k->buffers[i];
	if (b->offset < 0 || b->offset > all || bytes > all - b->offset)
		lt__verify_fail_at(v, LT_PART_BUFFER, i, NULL, "buffer %s ends behind the %" PRId64 " bytes of the %s", b->name, all,
			of);
	if (b->align > LT_MAX_ALIGN)
		lt__verify_fail_at(v, LT_PART_BUFFER, i, "align it to 64; a slot, or an array, may ask for more",
			"buffer %s is aligned to %" PRId64 " bytes, but the %s begins at a multiple of %d", b->name, b->align, of,
			(int)LT_MAX_ALIGN);
	/* Parts of threads lie one after the other, behind the workspace, which has the largest alignment of all. */
	if (all % b->align || (b->space == LT_SPACE_THREAD && v->k->workspace_bytes % b->align))
		lt__verify_fail_at(v, LT_PART_BUFFER, i, "round the bytes of workspace and thread up",
			"the %" PRId64 " bytes of the %s are no multiple of the alignment of buffer %s", all, of, b->name);
	if (b->offset % b->align)
		lt__verify_fail_at(v, LT_PART_BUFFER, i, NULL, "offset %" PRId64 " of buffer %s is no multiple of its alignment",
			b->offset, b->name);
}

static void check_buffer(struct lt_verifier *v, struct lt_kernel_names *names, int32_t i)
{
	const struct lt_kernel_buffer *b = &v->k->buffers[i];
	int64_t bytes;
	check_name(v, names, LT_PART_BUFFER, i, b->name);
	if (!is_element(b->dtype) || b->space >= LT_NSPACE || b->written > 1 || b->exclusive > 1 || b->origin < -1)
		lt__verify_fail_at(v, LT_PART_BUFFER, i, NULL, "buffer %s has a type, a space, a flag or an origin that there is not",
			b->name);
	if (b->elems < 1 || __builtin_mul_overflow(b->elems, (int64_t)lt__kernel_element_bytes(b->dtype), &bytes))
		lt__verify_fail_at(v, LT_PART_BUFFER, i, NULL, "buffer %s has %" PRId64 " elements, not at least 1 of less than 2^63 "
			"bytes", b->name, b->elems);
	if (b->align < 1 || (b->align & (b->align - 1)) || b->align < (int64_t)lt__kernel_element_bytes(b->dtype))
		lt__verify_fail_at(v, LT_PART_BUFFER, i, NULL,
			"the alignment of buffer %s is no power of two, or less than an element has bytes", b->name);
	if (b->space == LT_SPACE_SLOT ? b->slot < 0 || b->slot >= (int32_t)v->k->n_slot : b->slot != -1)
		lt__verify_fail_at(v, LT_PART_BUFFER, i, NULL, "buffer %s has slot %" PRId32 "; %s", b->name, b->slot,
			b->space == LT_SPACE_SLOT ? "the program has fewer" : "only a buffer in a slot has one, others have -1");
	if (b->space == LT_SPACE_WORKSPACE)
		check_part(v, i, bytes, v->k->workspace_bytes, "workspace");
	else if (b->space == LT_SPACE_THREAD)
		check_part(v, i, bytes, v->k->thread_bytes, "part of a thread");
	else if (b->space == LT_SPACE_SHARED)
		lt__verify_shared(v, i);
	else if (b->offset)
		lt__verify_fail_at(v, LT_PART_BUFFER, i, NULL, "buffer %s has an offset, but its space has none", b->name);
}

static void check_variables(struct lt_verifier *v, struct lt_kernel_names *names)
{
	for (int32_t i = 0; i < (int32_t)v->k->n_variable; i++) {
		const struct lt_variable *x = &v->k->variables[i];
		check_name(v, names, LT_PART_VARIABLE, i, x->name);
		if ((!is_element(x->dtype) && x->dtype != LT_LANE_MASK) || x->lanes < 1 || x->lanes > LT_MAX_LANES)
			lt__verify_fail_at(v, LT_PART_VARIABLE, i, NULL, "variable %s has no type: an element or a mask, of 1 to %d lanes",
				x->name, (int)LT_MAX_LANES);
	}
}

/* Where a buffer lies among those of its space. */
struct lt_buffer_span { uint32_t space; int64_t first, end; int32_t buffer; };
static int by_location(const void *a, const void *b)
{
	const struct lt_buffer_span *x = a, *y = b;
	if (x->space != y->space)
		return x->space < y->space ? -1 : 1;
	if (x->first != y->first)
		return x->first < y->first ? -1 : 1;
	return x->buffer < y->buffer ? -1 : x->buffer > y->buffer;
}

/* An exclusive buffer shares no byte with another one, and no slot. */
static void check_overlap(struct lt_verifier *v)
{
	const struct lt_kernel *k = v->k;
	struct lt_buffer_span *span = lt__pool_alloc(&v->pool, k->n_buffer, sizeof *span);
	size_t n = 0;
	for (uint32_t i = 0; i < k->n_buffer; i++) {
		const struct lt_kernel_buffer *b = &k->buffers[i];
		int64_t bytes = b->elems * (int64_t)lt__kernel_element_bytes(b->dtype);
		if (b->space == LT_SPACE_SLOT)
			span[n++] = (struct lt_buffer_span){ b->space, b->slot, (int64_t)b->slot + 1, (int32_t)i };
		else if (b->space == LT_SPACE_SHARED)   /* each grid's is another memory */
			span[n++] = (struct lt_buffer_span){ LT_NSPACE + (uint32_t)(v->shared_region[i] + 1), b->offset,
				b->offset + bytes, (int32_t)i };
		else if (b->space != LT_SPACE_ARRAY)
			span[n++] = (struct lt_buffer_span){ b->space, b->offset, b->offset + bytes, (int32_t)i };
	}
	qsort(span, n, sizeof *span, by_location);
	const struct lt_buffer_span *far = NULL, *exclusive = NULL;     /* those that end last */
	for (const struct lt_buffer_span *s = span; s < span + n; s++) {
		bool alone = k->buffers[s->buffer].exclusive;
		const struct lt_buffer_span *other = alone ? far : exclusive;
		if (other && other->space == s->space && other->end > s->first)
			lt__verify_fail_at(v, LT_PART_BUFFER, s->buffer > other->buffer ? s->buffer : other->buffer,
				"declare both without `exclusive`", "buffers %s and %s overlap, but %s is exclusive",
				k->buffers[s->buffer].name, k->buffers[other->buffer].name,
				k->buffers[alone ? s->buffer : other->buffer].name);
		if (!far || far->space != s->space || s->end > far->end)
			far = s;
		if (alone && (!exclusive || exclusive->space != s->space || s->end > exclusive->end))
			exclusive = s;
	}
}

static void check_params(struct lt_verifier *v)
{
	for (int32_t i = 0; i < (int32_t)v->k->n_param; i++) {
		const struct lt_kernel_param *p = &v->k->params[i];
		const struct lt_kernel_buffer *b = p->buffer >= 0 && p->buffer < (int32_t)v->k->n_buffer
			? &v->k->buffers[p->buffer] : NULL;
		if (!p->name)
			lt__verify_fail_at(v, LT_PART_PARAM, i, NULL, "a param has a name");
		if (!b || b->dtype != LT_I64 || b->space != LT_SPACE_SLOT)
			lt__verify_fail_at(v, LT_PART_PARAM, i, NULL, "param %s is no element of a buffer of type i64 in a slot", p->name);
		if (p->element < 0 || p->element >= b->elems)
			lt__verify_fail_at(v, LT_PART_PARAM, i, NULL, "param %s is element %" PRId64 " of buffer %s, which has %" PRId64,
				p->name, p->element, b->name, b->elems);
		if (p->low > p->high)
			lt__verify_fail_at(v, LT_PART_PARAM, i, NULL, "the range of param %s is empty: %" PRId64 "..%" PRId64, p->name,
				p->low, p->high);
	}
}

static void check_regions(struct lt_verifier *v)
{
	const struct lt_kernel *k = v->k;
	int64_t at = 0;
	if (k->n_region == 0)
		lt__verify_fail_at(v, LT_PART_WHOLE, 0, NULL, "there is no host region");
	for (int32_t r = 0; r < (int32_t)k->n_region; r++) {
		const struct lt_region *x = &k->regions[r];
		if (r ? x->kind != LT_REGION_TEAM && x->kind != LT_REGION_GRID : x->kind != LT_REGION_HOST)
			lt__verify_fail_at(v, LT_PART_WHOLE, 0, NULL, "region 0 is the host's, all others are teams or grids");
		if (x->first != at || x->n < 0 || at + x->n > (int64_t)k->n_instruction || x->origin < -1)
			lt__verify_fail_at(v, LT_PART_WHOLE, 0, NULL, "regions lie one after the other in the instructions");
		if (x->n_argument < 0 || (r == 0 && x->n_argument))
			lt__verify_fail_at(v, LT_PART_WHOLE, 0, NULL, "region %" PRId32 " has a wrong number of arguments", r);
		at += x->n;
	}
	if (at != (int64_t)k->n_instruction)
		lt__verify_fail_at(v, LT_PART_WHOLE, 0, NULL, "%" PRId64 " instructions are in regions, of %" PRIu32, at,
			k->n_instruction);
}

/* Every team and every grid is launched, by the host: the first launch says of which types its arguments are. */
static void find_launches(struct lt_verifier *v)
{
	const struct lt_kernel *k = v->k;
	for (v->region = 0; v->region < (int32_t)k->n_region; v->region++) {
		const struct lt_region *r = &k->regions[v->region];
		for (v->at = r->first; v->at < r->first + r->n; v->at++) {
			const struct lt_instruction *i = &k->instructions[v->at];
			if (!lt__opcode_launches(i->opcode))
				continue;
			if (v->region)
				lt__verify_fail(v, -1, NULL, "only the host region launches");
			lt__verify_what(v, i, lt__opcode(i->opcode));
			if (v->first_launch[i->what] < 0)
				v->first_launch[i->what] = v->at;
		}
	}
	for (int32_t r = 1; r < (int32_t)k->n_region; r++)
		if (v->first_launch[r] < 0)
			lt__verify_fail_at(v, LT_PART_REGION, r, "remove it", "no launch runs this region");
}

static void *minus_ones(struct lt_verifier *v, uint32_t n, size_t size)
{
	void *at = lt__pool_alloc(&v->pool, (size_t)n + 1, size);
	memset(at, 0xff, ((size_t)n + 1) * size);
	return at;
}

static void check_written(struct lt_verifier *v)
{
	for (int32_t i = 0; i < (int32_t)v->k->n_buffer; i++)
		if (v->k->buffers[i].written && !v->stored[i])
			lt__verify_fail_at(v, LT_PART_BUFFER, i, "declare it without `written`",
				"buffer %s is declared as written, but nothing writes it", v->k->buffers[i].name);
}

static void check_program(struct lt_verifier *v)
{
	const struct lt_kernel *k = v->k;
	struct lt_kernel_names names = { .pool = &v->pool };
	check_identifier(v);
	check_counts(v);
	check_regions(v);               /* from here on every part has a line */
	for (int32_t i = 0; i < (int32_t)k->n_region; i++)
		lt__verify_extents(v, i);
	check_operators(v);
	v->first_launch = minus_ones(v, k->n_region, sizeof *v->first_launch);
	v->shared_region = minus_ones(v, k->n_buffer, sizeof *v->shared_region);
	lt__verify_find_shared(v);
	for (int32_t i = 0; i < (int32_t)k->n_buffer; i++)
		check_buffer(v, &names, i);
	check_variables(v, &names);
	check_overlap(v);
	check_params(v);
	for (int32_t i = 0; i < (int32_t)k->n_matrix; i++) {
		check_name(v, &names, LT_PART_MATRIX, i, k->matrices[i].name);
		lt__verify_description(v, i);
	}
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

static lt_status check_protected(struct lt_verifier *v)
{
	if (setjmp(v->pool.jump))
		return v->status;
	check_program(v);
	return LT_OK;
}

lt_status lt__kernel_check(const struct lt_kernel *k, struct lt_broken_rule *out)
{
	struct lt_verifier v = { .k = k, .out = out, .status = LT_ENOMEM };
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
