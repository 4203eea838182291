/* print.c -- the text of a kernel program (docs/kernel.md), which kernel/parse/parse.c reads back: what stands before
 * the regions, and the whole.
 *
 * A program that breaks rules is printed, too, as far as it can be.  Where a number is no index of anything it is `?`.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "kernel/print/print.h"
#include "kernel/print/printer.h"

enum { MAX_TABS = 40 };         /* deeper blocks are indented no further: text stays linear */

static void print_extents(struct lt_kernel_printer *p, const struct lt_region *r)
{
	lt__printf(p, " blocks (%" PRId64 ", %" PRId64 ", %" PRId64 ") threads (%" PRId32 ", %" PRId32 ", %" PRId32 ")",
		r->blocks[0], r->blocks[1], r->blocks[2], r->threads[0], r->threads[1], r->threads[2]);
	lt__printf(p, " subgroup %" PRId32 " shared %" PRId64, r->subgroup, r->shared_bytes);
	if (r->resident)
		lt__printf(p, " resident %" PRId32, r->resident);
}

static void print_region(struct lt_kernel_printer *p, const struct lt_region *r)
{
	int32_t depth = 1;
	if (r->kind == LT_REGION_HOST)
		lt__print_text(p, "region host");
	else
		lt__printf(p, "region %s %d", r->kind == LT_REGION_TEAM ? "team" : "grid", (int)(r - p->k->regions));
	if (r->kind == LT_REGION_GRID)
		print_extents(p, r);
	if (r->origin >= 0)
		lt__printf(p, " @%" PRId32, r->origin);
	lt__print_text(p, "\n");
	p->region = r;
	for (int32_t at = r->first; at < r->first + r->n; at++) {
		const struct lt_instruction *i = &p->k->instructions[at];
		if (!lt__print_is_written(i))
			continue;
		depth -= i->opcode == LT_OPCODE_else || i->opcode == LT_OPCODE_end;
		for (int32_t tab = 0; tab < depth && tab < MAX_TABS; tab++)
			lt__print_text(p, "\t");
		lt__print_instruction(p, i);
		depth += i->opcode == LT_OPCODE_else || i->opcode == LT_OPCODE_loop || i->opcode == LT_OPCODE_if;
	}
}

static void print_buffer(struct lt_kernel_printer *p, const struct lt_kernel_buffer *b)
{
	lt__print_text(p, "buffer ");
	lt__print_name(p, b->name);
	lt__print_text(p, " ");
	lt__print_type(p, (struct lt_value_type){ b->dtype, 1 });
	lt__printf(p, "[%" PRId64 "] ", b->elems);
	switch (b->space) {
	case LT_SPACE_SLOT: lt__printf(p, "slot %" PRId32, b->slot); break;
	case LT_SPACE_WORKSPACE: lt__printf(p, "workspace %" PRId64, b->offset); break;
	case LT_SPACE_THREAD: lt__printf(p, "thread %" PRId64, b->offset); break;
	case LT_SPACE_ARRAY: lt__print_text(p, "array"); break;
	case LT_SPACE_SHARED: lt__printf(p, "shared %" PRId64, b->offset); break;
	default: lt__print_text(p, "?"); break;
	}
	if (b->swizzle)
		lt__printf(p, " swizzle %" PRId32, b->swizzle);
	lt__printf(p, " align %" PRId64 "%s%s", b->align, b->exclusive ? " exclusive" : "", b->written ? " written" : "");
	if (b->origin >= 0)
		lt__printf(p, " @%" PRId32, b->origin);
	lt__print_text(p, "\n");
}

static void print_operator(struct lt_kernel_printer *p, const struct lt_op *op)
{
	lt__print_text(p, "operator ");
	lt__print_name(p, op->name);
	lt__print_text(p, " ");
	lt__print_type(p, (struct lt_value_type){ op->out, 1 });
	lt__print_text(p, " (");
	for (int32_t i = 0; i < op->arity && i < 3; i++) {
		lt__print_text(p, i ? ", " : "");
		lt__print_type(p, (struct lt_value_type){ op->in[i], 1 });
	}
	lt__printf(p, ") identity 0x%" PRIx64 " ", op->identity);
	lt__print_quoted(p, op->source ? op->source : "", op->source ? strlen(op->source) : 0);
	lt__print_text(p, "\n");
}

/* (k1, m8) */
static void print_bits(struct lt_kernel_printer *p, const struct lt_matrix_bit *bit, uint8_t n)
{
	lt__print_text(p, " (");
	for (int i = 0; i < n && i < LT_MATRIX_BITS; i++)
		lt__printf(p, "%s%c%" PRIu64, i ? ", " : "", bit[i].axis < 3 ? "mnk"[bit[i].axis] : '?',
			UINT64_C(1) << (bit[i].power & 63));
	lt__print_text(p, ")");
}

static void print_matrix(struct lt_kernel_printer *p, const struct lt_kernel_matrix *x)
{
	lt__print_text(p, "matrix ");
	lt__print_name(p, x->name);
	lt__printf(p, " (%" PRId32 ", %" PRId32 ", %" PRId32 ") threads %" PRId32, x->extent[0], x->extent[1], x->extent[2],
		x->threads);
	for (int i = 0; i < LT_NMATRIX; i++) {
		lt__printf(p, " %c ", "abc"[i]);
		lt__print_type(p, (struct lt_value_type){ x->part[i].dtype, 1 });
		print_bits(p, x->part[i].element, x->part[i].n_element);
		print_bits(p, x->part[i].thread, x->part[i].n_thread);
	}
	lt__print_text(p, "\n");
}

/* (128, 1, 0) */
static void print_strides(struct lt_kernel_printer *p, const struct lt_kernel_call *c, const int64_t *stride)
{
	lt__print_text(p, " (");
	for (int32_t d = 0; d < c->n_dim; d++)
		lt__printf(p, "%s%" PRId64, d ? ", " : "", stride[d]);
	lt__print_text(p, ")");
}

static void print_dims(struct lt_kernel_printer *p, const struct lt_kernel_call *c)
{
	lt__print_text(p, " (");
	for (int32_t d = 0; d < c->n_dim; d++) {
		const struct lt_kernel_call_dim *x = &c->dims[d];
		lt__printf(p, "%s%s ", d ? ", " : "", x->role >= 0 && x->role <= LT_DIM_OTHER ? lt__call_roles[x->role] : "?");
		lt__print_name(p, x->var);
		lt__printf(p, " %" PRId64, x->extent);
	}
	lt__print_text(p, ")");
}

/* (m, n) */
static void print_dim_set(struct lt_kernel_printer *p, const struct lt_kernel_call *c, uint64_t set)
{
	const char *gap = " (";
	for (int32_t d = 0; d < c->n_dim; d++)
		if (set >> d & 1) {
			lt__print_text(p, gap);
			lt__print_name(p, c->dims[d].var);
			gap = ", ";
		}
	lt__print_text(p, *gap == ' ' ? " ()" : ")");
}

static void print_call_op(
	struct lt_kernel_printer *p, const struct lt_kernel_call *c, const struct lt_kernel_call_op *o)
{
	static const char *const kind[] = { "map", "reduce", "cast" };
	const char *name = lt_opcode_name(o->opcode);
	lt__printf(p, "\t%s ", o->kind >= 0 && o->kind < 3 ? kind[o->kind] : "?");
	lt__print_type(p, (struct lt_value_type){ o->dtype, 1 });
	if (o->kind != LT_CALL_CAST)
		lt__printf(p, " %s", name ? name : "?");
	print_dim_set(p, c, o->dims);
	if (o->kind == LT_CALL_REDUCE) {
		lt__print_text(p, " along");
		print_dim_set(p, c, o->reduced);
	}
	for (int32_t v = 0; v < o->n_value; v++) {
		const struct lt_kernel_call_value *x = &o->values[v];
		lt__print_text(p, v ? ", " : " ");
		if (x->kind == LT_VALUE_BITS) {
			lt__print_type(p, (struct lt_value_type){ x->dtype, 1 });
			lt__printf(p, " 0x%" PRIx64, x->bits);
		} else if (x->kind == LT_VALUE_PLACE) {
			lt__print_text(p, "place");
			print_strides(p, c, x->strides);
		} else {
			lt__printf(p, "%c%" PRId32, x->kind == LT_VALUE_READ ? 'r' : 'o', x->at);
		}
	}
	lt__print_text(p, o->may_skip == 2 ? " may\n" : o->may_skip ? " skip\n" : "\n");
}

/* call graph (row m 64, deep k 256) @7, then a line for each result, read and op, and `end`. */
static void print_description(struct lt_kernel_printer *p, const struct lt_kernel_call *c)
{
	print_dims(p, c);
	if (c->origin >= 0)
		lt__printf(p, " @%" PRId32, c->origin);
	lt__print_text(p, "\n");
	for (int32_t o = 0; o < c->n_operand; o++) {
		const struct lt_kernel_call_operand *x = &c->operands[o];
		lt__print_text(p, o < c->n_result ? "\tresult " : "\tread ");
		lt__print_name(p, lt__print_buffer_name(p, x->buffer));
		print_strides(p, c, x->strides);
		if (o < c->n_result)
			lt__printf(p, " o%" PRId32, x->op);
		for (int32_t g = 0; o >= c->n_result && g < x->n_guard; g++) {
			lt__print_text(p, " if");
			print_strides(p, c, x->guards + (int64_t)g * c->n_dim);
		}
		if (o >= c->n_result && x->n_guard)
			lt__printf(p, " else 0x%" PRIx64, x->fill);
		lt__print_text(p, "\n");
	}
	for (int32_t o = 0; o < c->n_op; o++)
		print_call_op(p, c, &c->ops[o]);
	lt__print_text(p, "\tend\n");
}

/* call gemm f32 (bias) (row m 64, column n 128, deep k 256) c (128, 1, 0) a ... @7 */
static void print_call(struct lt_kernel_printer *p, const struct lt_kernel_call *c)
{
	const char *gap = "";
	lt__print_text(p, "call ");
	lt__print_name(p, c->routine);
	if (c->n_result) {
		print_description(p, c);
		return;
	}
	lt__print_text(p, " ");
	lt__print_type(p, (struct lt_value_type){ c->sum, 1 });
	lt__print_text(p, " (");
	for (int i = 0; i < LT_N_EPILOGUE; i++)
		if (c->epilogues >> i & 1) {
			lt__printf(p, "%s%s", gap, lt__call_epilogues[i]);
			gap = ", ";
		}
	lt__print_text(p, ")");
	print_dims(p, c);
	for (int32_t o = 0; o < c->n_operand; o++) {
		lt__print_text(p, " ");
		lt__print_name(p, lt__print_buffer_name(p, c->operands[o].buffer));
		print_strides(p, c, c->operands[o].strides);
	}
	if (c->origin >= 0)
		lt__printf(p, " @%" PRId32, c->origin);
	lt__print_text(p, "\n");
}

/* Slots that no buffer has are told; else buffers tell how many there are. */
static void print_head(struct lt_kernel_printer *p)
{
	const struct lt_kernel *k = p->k;
	int64_t slots = 0;
	for (uint32_t i = 0; i < k->n_buffer; i++)
		slots = k->buffers[i].space == LT_SPACE_SLOT && k->buffers[i].slot >= slots ? (int64_t)k->buffers[i].slot + 1 : slots;
	lt__print_text(p, "kernel 1\nname ");
	lt__print_name(p, k->name);
	lt__printf(p, "\nworkspace %" PRId64 " thread %" PRId64, k->workspace_bytes, k->thread_bytes);
	if (slots != (int64_t)k->n_slot)
		lt__printf(p, " slots %" PRIu32, k->n_slot);
	lt__print_text(p, "\n");
	for (const char *line = k->prelude ? k->prelude : "", *next; *line; line = next) {
		next = strchr(line, '\n');
		next = next ? next + 1 : line + strlen(line);
		lt__print_text(p, "prelude ");
		lt__print_quoted(p, line, (size_t)(next - line));
		lt__print_text(p, "\n");
	}
	for (uint32_t i = 0; i < k->n_op; i++)
		print_operator(p, &k->ops[i]);
	for (uint32_t i = 0; i < k->n_buffer; i++)
		print_buffer(p, &k->buffers[i]);
	for (uint32_t i = 0; i < k->n_variable; i++) {
		lt__print_text(p, "variable ");
		lt__print_name(p, k->variables[i].name);
		lt__print_text(p, " ");
		lt__print_type(p, (struct lt_value_type){ k->variables[i].dtype, k->variables[i].lanes });
		lt__print_text(p, "\n");
	}
	for (uint32_t i = 0; i < k->n_param; i++) {
		lt__print_text(p, "param ");
		lt__print_name(p, k->params[i].name);
		lt__print_text(p, " buffer ");
		lt__print_name(p, lt__print_buffer_name(p, k->params[i].buffer));
		lt__printf(p, " element %" PRId64 " range %" PRId64 "..%" PRId64 "\n", k->params[i].element, k->params[i].low,
			k->params[i].high);
	}
	for (uint32_t i = 0; i < k->n_matrix; i++)
		print_matrix(p, &k->matrices[i]);
	for (uint32_t i = 0; i < k->n_call; i++)
		print_call(p, &k->calls[i]);
}

void lt_kernel_print(const struct lt_kernel *k, lt_write *write, void *user)
{
	struct lt_kernel_printer p = { .k = k, .write = write, .user = user, .gap = " " };
	p.number = malloc(((size_t)k->n_instruction + 1) * sizeof *p.number);
	print_head(&p);
	for (uint32_t r = 0; r < k->n_region; r++) {
		const struct lt_region *region = &k->regions[r];
		int32_t n = 0;
		for (int32_t i = region->first; p.number && i < region->first + region->n; i++) {
			p.number[i] = n;
			n += lt__print_has_value(&k->instructions[i]);
		}
		print_region(&p, region);
	}
	free(p.number);
}

int32_t lt_kernel_line(const struct lt_kernel *k, int32_t instruction)
{
	return lt__kernel_line(k, LT_PART_INSTRUCTION, instruction);
}

/* Lines of the descriptions of the first n calls, besides one each. */
static int64_t lines_inside(const struct lt_kernel *k, uint32_t n)
{
	int64_t line = 0;
	for (uint32_t i = 0; i < n && i < k->n_call; i++)
		line += k->calls[i].n_result ? k->calls[i].n_operand + k->calls[i].n_op + 1 : 0;
	return line;
}

int32_t lt__kernel_line(const struct lt_kernel *k, enum lt_kernel_part part, int32_t index)
{
	int64_t line = 4, in_part = part == LT_PART_WHOLE ? 0 : index;
	uint32_t before[] = { k->n_op, k->n_buffer, k->n_variable, k->n_param, k->n_matrix, k->n_call };
	if (part == LT_PART_WHOLE)
		return 1;
	for (const char *c = k->prelude ? k->prelude : ""; *c; c++)
		line += *c == '\n' || c[1] == '\0';
	for (int i = 0; i < (int)part - LT_PART_OPERATOR && i < 6; i++)
		line += before[i];
	if (part < LT_PART_REGION)
		return (int32_t)(line + in_part + (part == LT_PART_CALL ? lines_inside(k, (uint32_t)in_part) : 0));
	line += lines_inside(k, k->n_call);
	for (uint32_t r = 0; r < k->n_region; r++) {
		const struct lt_region *region = &k->regions[r];
		if (part == LT_PART_REGION && (int64_t)r == in_part)
			return (int32_t)line;
		line++;
		for (int32_t i = region->first; i < region->first + region->n; i++) {
			if (part == LT_PART_INSTRUCTION && i == in_part)
				return (int32_t)line;
			line += lt__print_is_written(&k->instructions[i]);
		}
	}
	return (int32_t)line;
}
