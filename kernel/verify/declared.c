/* declared.c -- what stands before the regions: operators, buffers, variables, params, descriptions of
 * matrices (verifier.h). */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "kernel/verify/verifier.h"

static bool is_element(uint32_t dtype) { return dtype > 0 && dtype < LT_NDTYPE; }

static void check_operators(struct lt_kernel_verifier *v)
{
	for (int32_t i = 0; i < (int32_t)v->k->n_op; i++) {
		const struct lt_op *op = &v->k->ops[i];
		bool good = op->name && op->source && op->arity >= 1 && op->arity <= 3 && is_element(op->out);
		for (int32_t o = 0; good && o < op->arity; o++)
			good = is_element(op->in[o]);
		if (!good)
			lt__verify_fail_at(v, LT_PART_OPERATOR, i, "fill in what is missing",
				"an operator has a name, a C text, one to three operands, and element types");
		if (op->opcode != LT_OPCODE_TEXT)
			lt__verify_fail_at(v, LT_PART_OPERATOR, i, "use that opcode", "operator %s has an opcode of its own", op->name);
	}
}

/* Of a buffer or a variable. */
static void check_name(
	struct lt_kernel_verifier *v, struct lt_kernel_names *names, enum lt_kernel_part part, int32_t i, const char *name)
{
	if (!name || !lt__kernel_is_name(name, strlen(name)))
		lt__verify_fail_at(v, part, i, "rename it",
			"a name begins with a letter or _, goes on with these, digits and points, and has at most %d bytes",
			(int)LT_MAX_NAME);
	if (lt__kernel_name_find(names, name, strlen(name)) >= 0)
		lt__verify_fail_at(v, part, i, "rename one of them", "%s is declared twice; all names are different", name);
	lt__kernel_name_add(names, name, strlen(name), i);
}

/* A part of the workspace, or of a thread's. */
static void check_part(struct lt_kernel_verifier *v, int32_t i, int64_t bytes, int64_t all, const char *of)
{
	const struct lt_kernel_buffer *b = &v->k->buffers[i];
	if (b->offset < 0 || b->offset > all || bytes > all - b->offset)
		lt__verify_fail_at(v, LT_PART_BUFFER, i, "make `workspace` or `thread` larger, or the offset smaller",
			"buffer %s ends behind the %" PRId64 " bytes of the %s", b->name, all,
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
		lt__verify_fail_at(v, LT_PART_BUFFER, i, "round the offset up",
			"offset %" PRId64 " of buffer %s is no multiple of its alignment",
			b->offset, b->name);
}

static void check_buffer(struct lt_kernel_verifier *v, struct lt_kernel_names *names, int32_t i)
{
	const struct lt_kernel_buffer *b = &v->k->buffers[i];
	int64_t bytes;
	check_name(v, names, LT_PART_BUFFER, i, b->name);
	if (!is_element(b->dtype) || b->space >= LT_NSPACE || b->written > 1 || b->exclusive > 1 || b->origin < -1)
		lt__verify_fail_at(v, LT_PART_BUFFER, i, "take one of lt/kernel.h; flags are 0 or 1, no origin is -1",
			"buffer %s has a type, a space, a flag or an origin that there is not",
			b->name);
	if (b->elems < 1 || __builtin_mul_overflow(b->elems, (int64_t)lt__kernel_element_bytes(b->dtype), &bytes))
		lt__verify_fail_at(v, LT_PART_BUFFER, i, "give it as many as are accessed",
			"buffer %s has %" PRId64 " elements, not at least 1 of less than 2^63 "
			"bytes", b->name, b->elems);
	if (b->align < 1 || (b->align & (b->align - 1)) || b->align < (int64_t)lt__kernel_element_bytes(b->dtype))
		lt__verify_fail_at(v, LT_PART_BUFFER, i, "take the bytes of an element, or 64",
			"the alignment of buffer %s is no power of two, or less than an element has bytes", b->name);
	if (b->space == LT_SPACE_SLOT ? b->slot < 0 || b->slot >= (int32_t)v->k->n_slot : b->slot != -1)
		lt__verify_fail_at(v, LT_PART_BUFFER, i, "make n_slot larger, or change `slot`",
			"buffer %s has slot %" PRId32 "; %s", b->name, b->slot,
			b->space == LT_SPACE_SLOT ? "the program has fewer" : "only a buffer in a slot has one, others have -1");
	if (b->swizzle && b->space != LT_SPACE_SHARED)
		lt__verify_fail_at(v, LT_PART_BUFFER, i, "make it 0", "buffer %s has a swizzle, and is not in shared memory",
			b->name);
	if (b->space == LT_SPACE_WORKSPACE)
		check_part(v, i, bytes, v->k->workspace_bytes, "workspace");
	else if (b->space == LT_SPACE_THREAD)
		check_part(v, i, bytes, v->k->thread_bytes, "part of a thread");
	else if (b->space == LT_SPACE_SHARED)
		lt__verify_shared(v, i);
	else if (b->offset)
		lt__verify_fail_at(v, LT_PART_BUFFER, i, "make it 0", "buffer %s has an offset, but its space has none", b->name);
}

static void check_variables(struct lt_kernel_verifier *v, struct lt_kernel_names *names)
{
	for (int32_t i = 0; i < (int32_t)v->k->n_variable; i++) {
		const struct lt_variable *x = &v->k->variables[i];
		check_name(v, names, LT_PART_VARIABLE, i, x->name);
		if ((!is_element(x->dtype) && x->dtype != LT_LANE_MASK) || x->lanes < 1 || x->lanes > LT_MAX_LANES)
			lt__verify_fail_at(v, LT_PART_VARIABLE, i, "give it one such as f32 or maskx8",
				"variable %s has no type: an element or a mask, of 1 to %d lanes",
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
static void check_overlap(struct lt_kernel_verifier *v)
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

static void check_params(struct lt_kernel_verifier *v)
{
	for (int32_t i = 0; i < (int32_t)v->k->n_param; i++) {
		const struct lt_kernel_param *p = &v->k->params[i];
		const struct lt_kernel_buffer *b = p->buffer >= 0 && p->buffer < (int32_t)v->k->n_buffer
			? &v->k->buffers[p->buffer] : NULL;
		if (!p->name)
			lt__verify_fail_at(v, LT_PART_PARAM, i, "name it", "a param has a name");
		if (!b || b->dtype != LT_I64 || b->space != LT_SPACE_SLOT)
			lt__verify_fail_at(v, LT_PART_PARAM, i, "declare it of a buffer of i64 in a slot",
				"param %s is no element of a buffer of type i64 in a slot", p->name);
		if (p->element < 0 || p->element >= b->elems)
			lt__verify_fail_at(v, LT_PART_PARAM, i, "make `element` smaller, or the buffer larger",
				"param %s is element %" PRId64 " of buffer %s, which has %" PRId64,
				p->name, p->element, b->name, b->elems);
		if (p->low > p->high)
			lt__verify_fail_at(v, LT_PART_PARAM, i, "write the smaller number first",
				"the range of param %s is empty: %" PRId64 "..%" PRId64, p->name,
				p->low, p->high);
	}
}

void lt__verify_declared(struct lt_kernel_verifier *v)
{
	struct lt_kernel_names names = { .pool = &v->pool };
	check_operators(v);
	for (int32_t i = 0; i < (int32_t)v->k->n_buffer; i++)
		check_buffer(v, &names, i);
	check_variables(v, &names);
	check_overlap(v);
	check_params(v);
	for (int32_t i = 0; i < (int32_t)v->k->n_matrix; i++) {
		check_name(v, &names, LT_PART_MATRIX, i, v->k->matrices[i].name);
		lt__verify_description(v, i);
	}
	for (int32_t i = 0; i < (int32_t)v->k->n_call; i++)
		lt__verify_call_description(v, i);
}
