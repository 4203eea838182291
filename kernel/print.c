/* kernel/print.c -- the text of a kernel program (docs/kernel.md), which kernel/parse.c reads back.
 *
 * A program that breaks rules is printed, too, as far as it can be.  Where a number is no index of anything it is `?`.
 */
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "kernel/opcode.h"
#include "kernel/text.h"

struct printer {
	const struct lt_kernel *k;
	lt_write *write;
	void *user;
	int32_t *number;                /* in the text, of each instruction; NULL: there was no memory */
	const struct lt_region *region;
	const char *gap;                /* what stands before the next element */
};

static void print_text(struct printer *p, const char *text) { p->write(p->user, text, strlen(text)); }

static void __attribute__((format(printf, 2, 3))) putf(struct printer *p, const char *fmt, ...)
{
	char text[256];
	va_list list;
	va_start(list, fmt);
	(void)vsnprintf(text, sizeof text, fmt, list);
	va_end(list);
	print_text(p, text);
}

static void print_quoted(struct printer *p, const char *text, size_t n)
{
	char some[128];
	size_t at = 0;
	some[at++] = '"';
	for (size_t i = 0; i < n; i++) {
		unsigned char c = (unsigned char)text[i];
		if (at > sizeof some - 8) {
			p->write(p->user, some, at);
			at = 0;
		}
		if (c == '"' || c == '\\' || c == '\n' || c == '\t') {
			some[at++] = '\\';
			some[at++] = c == '\n' ? 'n' : c == '\t' ? 't' : (char)c;
		} else if (c >= ' ' && c < 127) {
			some[at++] = (char)c;
		} else {
			at += (size_t)snprintf(some + at, 5, "\\x%02x", c);
		}
	}
	some[at++] = '"';
	p->write(p->user, some, at);
}

/* As it is where it is one word, else between quotes. */
static void print_name(struct printer *p, const char *name)
{
	size_t n = name ? strlen(name) : 0;
	if (lt__kernel_is_name(name, n))
		print_text(p, name);
	else
		print_quoted(p, name ? name : "", n);
}

static void print_type(struct printer *p, struct lt_value_type t)
{
	const char *name = lt__kernel_element_name(t.dtype);
	print_text(p, name ? name : "?");
	if (t.lanes != 1)
		putf(p, "x%" PRIu32, t.lanes);
}

/* With a point, whatever the host's locale has. */
static void print_float(struct printer *p, double x, int digits)
{
	char text[64], plain[64];
	size_t n = 0;
	(void)snprintf(text, sizeof text, "%.*g", digits, x);
	for (const char *c = text; *c; c++)
		if ((*c >= '0' && *c <= '9') || (*c && strchr("+-einf", *c)))
			plain[n++] = *c;
		else if (n == 0 || plain[n - 1] != '.')
			plain[n++] = '.';
	plain[n] = '\0';
	print_text(p, plain);
}

static void print_const(struct printer *p, uint32_t dtype, uint64_t bits)
{
	double f64;
	float f32;
	uint32_t low = (uint32_t)bits;
	memcpy(&f64, &bits, sizeof f64);
	memcpy(&f32, &low, sizeof f32);
	switch (dtype) {
	case LT_F32:
		if (isnan(f32))
			putf(p, "nan:0x%" PRIx32, low);
		else
			print_float(p, (double)f32, 9);
		break;
	case LT_F64:
		if (isnan(f64))
			putf(p, "nan:0x%" PRIx64, bits);
		else
			print_float(p, f64, 17);
		break;
	case LT_I8: putf(p, "%d", (int)(int8_t)(uint8_t)bits); break;
	case LT_I16: putf(p, "%d", (int)(int16_t)(uint16_t)bits); break;
	case LT_I32: putf(p, "%" PRId32, (int32_t)low); break;
	case LT_I64: putf(p, "%" PRId64, (int64_t)bits); break;
	case LT_U8:
	case LT_BOOL: putf(p, "%u", (unsigned)(uint8_t)bits); break;
	case LT_F16:
	case LT_BF16: putf(p, "0x%04x", (unsigned)(uint16_t)bits); break;
	default: putf(p, "0x%" PRIx64, bits); break;
	}
}

static bool is_written(const struct lt_instruction *i)
{
	const struct lt_opcode_facts *f = lt__opcode(i->opcode);
	return !f || f->pattern;
}
static bool has_value(const struct lt_instruction *i)
{
	const struct lt_opcode_facts *f = lt__opcode(i->opcode);
	return f && f->pattern && f->value != LT_RULE_NONE;
}

/* Values are numbered within their region, in the order in which they are made; constants have no number. */
static int32_t print_number(const struct printer *p, int32_t value)
{
	int32_t n = 0;
	if (p->number)
		return p->number[value];
	for (int32_t i = p->region->first; i < value; i++)
		n += has_value(&p->k->instructions[i]);
	return n;
}

static const struct lt_instruction *instruction_at(const struct printer *p, int64_t value)
{
	return value >= 0 && value < (int64_t)p->k->n_instruction ? &p->k->instructions[value] : NULL;
}

static void print_value(struct printer *p, int64_t value, bool typed)
{
	const struct lt_instruction *i = instruction_at(p, value);
	if (!i || (i->opcode != LT_OPCODE_const && !has_value(i))) {
		print_text(p, "%?");
	} else if (i->opcode != LT_OPCODE_const) {
		putf(p, "%%%" PRId32, print_number(p, (int32_t)value));
	} else {
		if (typed) {
			print_type(p, (struct lt_value_type){ i->dtype, i->lanes });
			print_text(p, " ");
		}
		print_const(p, i->dtype, (uint64_t)i->number);
	}
}

static const char *buffer_name(const struct printer *p, int32_t buffer)
{
	return buffer >= 0 && (uint32_t)buffer < p->k->n_buffer ? p->k->buffers[buffer].name : "?";
}

/* NAME[5], NAME[%3 + 5 by 4], NAME[%3 at %7]. */
static void print_address(struct printer *p, const struct lt_instruction *i)
{
	const struct lt_instruction *value = instruction_at(p, i->operand[0]);
	uint64_t size = i->number < 0 ? 0 - (uint64_t)i->number : (uint64_t)i->number;
	print_name(p, buffer_name(p, i->what));
	print_text(p, "[");
	if (i->operand[0] < 0) {
		putf(p, "%" PRId64, i->number);
	} else {
		print_value(p, i->operand[0], false);
		if (i->number || (value && value->opcode == LT_OPCODE_const))
			putf(p, " %c %" PRIu64, i->number < 0 ? '-' : '+', size);
	}
	if (i->operand[1] >= 0) {
		print_text(p, " at ");
		print_value(p, i->operand[1], false);
	} else if (i->stride != 1 && i->opcode != LT_OPCODE_prefetch) {
		putf(p, " by %" PRId64, i->stride);
	}
	print_text(p, "]");
}

static void print_list(struct printer *p, const struct lt_instruction *i, bool values)
{
	print_text(p, "(");
	for (int32_t e = 0; e < i->n_extra; e++) {
		int64_t at = (int64_t)i->first_extra + e;
		print_text(p, e ? ", " : "");
		if (at < 0 || at >= (int64_t)p->k->n_extra)
			print_text(p, "?");
		else if (values)
			print_value(p, p->k->extras[at], true);
		else
			putf(p, "%" PRId64, p->k->extras[at]);
	}
	print_text(p, ")");
}

static void print_operands(struct printer *p, const struct lt_instruction *i)
{
	for (int k = 0; k < 4 && i->operand[k] >= 0; k++) {
		print_text(p, k ? " " : "");
		print_value(p, i->operand[k], false);
	}
}

/* Whether the element is there at all. */
static bool is_there(char element, const struct lt_instruction *i, struct lt_value_type t)
{
	switch (element) {
	case 'l': return t.lanes > 1;
	case 'm': return i->operand[2] >= 0;
	case 's': return i->flags & LT_INSTRUCTION_STREAM;
	case 'p': return i->number != 1 || i->flags & LT_INSTRUCTION_UNROLL;
	default: return true;
	}
}

static void print_element(struct printer *p, char element, const struct lt_instruction *i)
{
	struct lt_value_type t = lt__instruction_type(p->k, i);
	const struct lt_instruction *x = instruction_at(p, i->operand[0]);
	if (!is_there(element, i, t))
		return;
	print_text(p, p->gap);
	switch (element) {
	case 't':
	case 'l': print_type(p, t); break;
	case '0':
	case '1':
	case '2':
	case '3': print_value(p, i->operand[element - '0'], false); break;
	case 'i': print_operands(p, i); break;
	case 'f':
		print_text(p, "from ");
		print_type(p, x ? (struct lt_value_type){ x->dtype, x->lanes } : (struct lt_value_type){ 0, 1 });
		break;
	case 'd': print_value(p, i - p->k->instructions, false); break;
	case 'n': putf(p, "%" PRId32, i->what); break;
	case 'v':
		print_name(p, i->what >= 0 && (uint32_t)i->what < p->k->n_variable ? p->k->variables[i->what].name : "?");
		break;
	case 'b': print_name(p, buffer_name(p, i->what)); break;
	case 'e':
	case 'o':
	case 'u': {
		int64_t opcode = element == 'u' ? i->number : i->what;
		const char *name = opcode >= 0 && opcode < LT_NOPCODE ? lt_opcode_name((uint32_t)opcode) : NULL;
		print_text(p, name ? name : "?");
		break;
	}
	case 'a': print_address(p, i); break;
	case 'm':
		print_text(p, "mask ");
		print_value(p, i->operand[2], false);
		break;
	case 's': print_text(p, "stream"); break;
	case 'k': print_list(p, i, false); break;
	case 'h': print_list(p, i, true); break;
	case 'p':
		if (i->number != 1)
			putf(p, "step %" PRId64, i->number);
		if (i->flags & LT_INSTRUCTION_UNROLL)
			putf(p, "%sunroll %" PRId64, i->number != 1 ? " " : "", i->stride);
		break;
	default: break;
	}
	p->gap = " ";
}

static void print_instruction(struct printer *p, const struct lt_instruction *i)
{
	const struct lt_opcode_facts *f = lt__opcode(i->opcode);
	if (has_value(i) && *f->pattern != 'd') {
		print_value(p, i - p->k->instructions, false);
		print_text(p, " = ");
	}
	print_text(p, f ? f->name : "?");
	p->gap = " ";
	for (const char *e = f ? f->pattern : ""; *e; e += *e == ' ') {
		size_t n = strcspn(e, " ");
		if (n == 1) {
			print_element(p, *e, i);
		} else {
			print_text(p, " ");
			p->write(p->user, e, n);
		}
		e += n;
	}
	if (i->origin >= 0)
		putf(p, " @%" PRId32, i->origin);
	print_text(p, "\n");
}

enum { MAX_TABS = 40 };         /* deeper blocks are indented no further: text stays linear */

static void print_region(struct printer *p, const struct lt_region *r)
{
	int32_t depth = 1;
	if (r->kind == LT_REGION_TEAM)
		putf(p, "region team %d", (int)(r - p->k->regions));
	else
		print_text(p, "region host");
	if (r->origin >= 0)
		putf(p, " @%" PRId32, r->origin);
	print_text(p, "\n");
	p->region = r;
	for (int32_t at = r->first; at < r->first + r->n; at++) {
		const struct lt_instruction *i = &p->k->instructions[at];
		if (!is_written(i))
			continue;
		depth -= i->opcode == LT_OPCODE_else || i->opcode == LT_OPCODE_end;
		for (int32_t tab = 0; tab < depth && tab < MAX_TABS; tab++)
			print_text(p, "\t");
		print_instruction(p, i);
		depth += i->opcode == LT_OPCODE_else || i->opcode == LT_OPCODE_loop || i->opcode == LT_OPCODE_if;
	}
}

static void print_buffer(struct printer *p, const struct lt_kernel_buffer *b)
{
	print_text(p, "buffer ");
	print_name(p, b->name);
	print_text(p, " ");
	print_type(p, (struct lt_value_type){ b->dtype, 1 });
	putf(p, "[%" PRId64 "] ", b->elems);
	switch (b->space) {
	case LT_SPACE_SLOT: putf(p, "slot %" PRId32, b->slot); break;
	case LT_SPACE_WORKSPACE: putf(p, "workspace %" PRId64, b->offset); break;
	case LT_SPACE_THREAD: putf(p, "thread %" PRId64, b->offset); break;
	case LT_SPACE_ARRAY: print_text(p, "array"); break;
	default: print_text(p, "?"); break;
	}
	putf(p, " align %" PRId64 "%s%s", b->align, b->exclusive ? " exclusive" : "", b->written ? " written" : "");
	if (b->origin >= 0)
		putf(p, " @%" PRId32, b->origin);
	print_text(p, "\n");
}

static void print_operator(struct printer *p, const struct lt_op *op)
{
	print_text(p, "operator ");
	print_name(p, op->name);
	print_text(p, " ");
	print_type(p, (struct lt_value_type){ op->out, 1 });
	print_text(p, " (");
	for (int32_t i = 0; i < op->arity && i < 3; i++) {
		print_text(p, i ? ", " : "");
		print_type(p, (struct lt_value_type){ op->in[i], 1 });
	}
	putf(p, ") identity 0x%" PRIx64 " ", op->identity);
	print_quoted(p, op->source ? op->source : "", op->source ? strlen(op->source) : 0);
	print_text(p, "\n");
}

/* Slots that no buffer has are told; else buffers tell how many there are. */
static void print_head(struct printer *p)
{
	const struct lt_kernel *k = p->k;
	int64_t slots = 0;
	for (uint32_t i = 0; i < k->n_buffer; i++)
		slots = k->buffers[i].space == LT_SPACE_SLOT && k->buffers[i].slot >= slots ? (int64_t)k->buffers[i].slot + 1 : slots;
	print_text(p, "kernel 1\nname ");
	print_name(p, k->name);
	putf(p, "\nworkspace %" PRId64 " thread %" PRId64, k->workspace_bytes, k->thread_bytes);
	if (slots != (int64_t)k->n_slot)
		putf(p, " slots %" PRIu32, k->n_slot);
	print_text(p, "\n");
	for (const char *line = k->prelude ? k->prelude : "", *next; *line; line = next) {
		next = strchr(line, '\n');
		next = next ? next + 1 : line + strlen(line);
		print_text(p, "prelude ");
		print_quoted(p, line, (size_t)(next - line));
		print_text(p, "\n");
	}
	for (uint32_t i = 0; i < k->n_op; i++)
		print_operator(p, &k->ops[i]);
	for (uint32_t i = 0; i < k->n_buffer; i++)
		print_buffer(p, &k->buffers[i]);
	for (uint32_t i = 0; i < k->n_variable; i++) {
		print_text(p, "variable ");
		print_name(p, k->variables[i].name);
		print_text(p, " ");
		print_type(p, (struct lt_value_type){ k->variables[i].dtype, k->variables[i].lanes });
		print_text(p, "\n");
	}
	for (uint32_t i = 0; i < k->n_param; i++) {
		print_text(p, "param ");
		print_name(p, k->params[i].name);
		print_text(p, " buffer ");
		print_name(p, buffer_name(p, k->params[i].buffer));
		putf(p, " element %" PRId64 " range %" PRId64 "..%" PRId64 "\n", k->params[i].element, k->params[i].low,
			k->params[i].high);
	}
}

void lt_kernel_print(const struct lt_kernel *k, lt_write *write, void *user)
{
	struct printer p = { .k = k, .write = write, .user = user, .gap = " " };
	p.number = malloc(((size_t)k->n_instruction + 1) * sizeof *p.number);
	print_head(&p);
	for (uint32_t r = 0; r < k->n_region; r++) {
		const struct lt_region *region = &k->regions[r];
		int32_t n = 0;
		for (int32_t i = region->first; p.number && i < region->first + region->n; i++) {
			p.number[i] = n;
			n += has_value(&k->instructions[i]);
		}
		print_region(&p, region);
	}
	free(p.number);
}

int32_t lt__kernel_line(const struct lt_kernel *k, enum lt_kernel_part part, int32_t index)
{
	int64_t line = 4, in_part = part == LT_PART_WHOLE ? 0 : index;
	uint32_t before[] = { k->n_op, k->n_buffer, k->n_variable, k->n_param };
	if (part == LT_PART_WHOLE)
		return 1;
	for (const char *c = k->prelude ? k->prelude : ""; *c; c++)
		line += *c == '\n' || c[1] == '\0';
	for (int i = 0; i < (int)part - LT_PART_OPERATOR && i < 4; i++)
		line += before[i];
	if (part < LT_PART_REGION)
		return (int32_t)(line + in_part);
	for (uint32_t r = 0; r < k->n_region; r++) {
		const struct lt_region *region = &k->regions[r];
		if (part == LT_PART_REGION && (int64_t)r == in_part)
			return (int32_t)line;
		line++;
		for (int32_t i = region->first; i < region->first + region->n; i++) {
			if (part == LT_PART_INSTRUCTION && i == in_part)
				return (int32_t)line;
			line += is_written(&k->instructions[i]);
		}
	}
	return (int32_t)line;
}
