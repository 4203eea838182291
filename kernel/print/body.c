/* body.c -- instructions of a kernel program's text, element by element as kernel/form/form.h has them (printer.h). */
#include <inttypes.h>
#include <string.h>
#include "kernel/print/printer.h"

bool lt__print_is_written(const struct lt_instruction *i)
{
	const struct lt_opcode_facts *f = lt__opcode(i->opcode);
	return !f || f->pattern;
}
bool lt__print_has_value(const struct lt_instruction *i)
{
	const struct lt_opcode_facts *f = lt__opcode(i->opcode);
	return f && f->pattern && f->value != LT_RULE_NONE;
}

/* Values are numbered within their region, in the order in which they are made; constants have no number. */
static int32_t print_number(const struct lt_kernel_printer *p, int32_t value)
{
	int32_t n = 0;
	if (p->number)
		return p->number[value];
	for (int32_t i = p->region->first; i < value; i++)
		n += lt__print_has_value(&p->k->instructions[i]);
	return n;
}

static const struct lt_instruction *instruction_at(const struct lt_kernel_printer *p, int64_t value)
{
	return value >= 0 && value < (int64_t)p->k->n_instruction ? &p->k->instructions[value] : NULL;
}

static void print_value(struct lt_kernel_printer *p, int64_t value, bool typed)
{
	const struct lt_instruction *i = instruction_at(p, value);
	if (!i || (i->opcode != LT_OPCODE_const && !lt__print_has_value(i))) {
		lt__print_text(p, "%?");
	} else if (i->opcode != LT_OPCODE_const) {
		lt__printf(p, "%%%" PRId32, print_number(p, (int32_t)value));
	} else {
		if (typed) {
			lt__print_type(p, (struct lt_value_type){ i->dtype, i->lanes });
			lt__print_text(p, " ");
		}
		lt__print_const(p, i->dtype, (uint64_t)i->number);
	}
}

const char *lt__print_buffer_name(const struct lt_kernel_printer *p, int64_t buffer)
{
	return buffer >= 0 && buffer < (int64_t)p->k->n_buffer ? p->k->buffers[buffer].name : "?";
}

/* NAME[5, NAME[%3 + 5: without the end. */
static void print_base(struct lt_kernel_printer *p, int64_t buffer, int32_t address, int64_t number)
{
	const struct lt_instruction *value = instruction_at(p, address);
	uint64_t size = number < 0 ? 0 - (uint64_t)number : (uint64_t)number;
	lt__print_name(p, lt__print_buffer_name(p, buffer));
	lt__print_text(p, "[");
	if (address < 0) {
		lt__printf(p, "%" PRId64, number);
		return;
	}
	print_value(p, address, false);
	if (number || (value && value->opcode == LT_OPCODE_const))
		lt__printf(p, " %c %" PRIu64, number < 0 ? '-' : '+', size);
}

/* NAME[5], NAME[%3 + 5 by 4], NAME[%3 at %7]. */
static void print_address(struct lt_kernel_printer *p, const struct lt_instruction *i)
{
	bool has_stride = i->opcode == LT_OPCODE_load || i->opcode == LT_OPCODE_store;
	print_base(p, i->what, i->operand[0], i->number);
	if (i->operand[1] >= 0) {
		lt__print_text(p, " at ");
		print_value(p, i->operand[1], false);
	} else if (i->stride != 1 && has_stride) {
		lt__printf(p, " by %" PRId64, i->stride);
	}
	lt__print_text(p, "]");
}

/* How many extras there really are. */
static int64_t extras_of(const struct lt_kernel_printer *p, const struct lt_instruction *i)
{
	return i->first_extra < 0 || i->n_extra < 0 || (int64_t)i->first_extra + i->n_extra > (int64_t)p->k->n_extra ? 0
		: i->n_extra;
}

/* What is copied: NAME[%3 + 5]. */
static void print_source(struct lt_kernel_printer *p, const struct lt_instruction *i)
{
	if (extras_of(p, i) < 2) {
		lt__print_text(p, "?");
		return;
	}
	print_base(p, p->k->extras[i->first_extra], i->operand[3], p->k->extras[i->first_extra + 1]);
	lt__print_text(p, "]");
}

/* NAME[%3 + 5 by 64, 1 swizzle 128]. */
static void print_location(struct lt_kernel_printer *p, struct lt_matrix_location at, int32_t address)
{
	print_base(p, at.buffer, address, at.number);
	lt__printf(p, " by %" PRId64 ", %" PRId64, at.stride[0], at.stride[1]);
	if (at.swizzle)
		lt__printf(p, " swizzle %" PRId64, at.swizzle);
	lt__print_text(p, "]");
}

/* %3, or a location. */
static void print_matrix_operand(struct lt_kernel_printer *p, const struct lt_instruction *i, int operand)
{
	if (extras_of(p, i) < 2 * LT_MATRIX_LOCATION) {
		lt__print_text(p, "?");
		return;
	}
	struct lt_matrix_location at = lt__matrix_location(p->k, i, operand);
	if (at.buffer < 0) {
		print_value(p, i->operand[operand], false);
		return;
	}
	print_location(p, at, i->operand[operand]);
}

static const char *variable_name(const struct lt_kernel_printer *p, int64_t variable)
{
	return variable >= 0 && variable < (int64_t)p->k->n_variable ? p->k->variables[variable].name : "?";
}

static void print_accumulators(struct lt_kernel_printer *p, const struct lt_instruction *i)
{
	int64_t first = (int64_t)i->first_extra + 2 * LT_MATRIX_LOCATION, end = i->first_extra + extras_of(p, i);
	lt__print_text(p, "(");
	for (int64_t e = first; e < end; e++) {
		lt__print_text(p, e > first ? ", " : "");
		lt__print_name(p, variable_name(p, p->k->extras[e]));
	}
	lt__print_text(p, ")");
}

static const char *word_of(const struct lt_instruction *i)
{
	const char *const *words = lt__opcode_words(i->opcode);
	for (int32_t w = 0; words && words[w]; w++)
		if (w == i->what)
			return words[w];
	return "?";
}

/* Where the numbers end, a list that is wrong ends, too: it may claim any length. */
static void print_list(struct lt_kernel_printer *p, const struct lt_instruction *i, bool values)
{
	lt__print_text(p, "(");
	for (int32_t e = 0; e < i->n_extra; e++) {
		int64_t at = (int64_t)i->first_extra + e;
		lt__print_text(p, e ? ", " : "");
		if (at < 0 || at >= (int64_t)p->k->n_extra) {
			lt__print_text(p, "?");
			break;
		}
		if (values)
			print_value(p, p->k->extras[at], true);
		else
			lt__printf(p, "%" PRId64, p->k->extras[at]);
	}
	lt__print_text(p, ")");
}

static void print_operands(struct lt_kernel_printer *p, const struct lt_instruction *i)
{
	for (int k = 0; k < 4 && i->operand[k] >= 0; k++) {
		lt__print_text(p, k ? " " : "");
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
	case 'q': return i->flags & LT_INSTRUCTION_ASYNC;
	case 'p': return i->number != 1 || i->flags & LT_INSTRUCTION_UNROLL;
	default: return true;
	}
}

static void print_element(struct lt_kernel_printer *p, char element, const struct lt_instruction *i)
{
	struct lt_value_type t = lt__instruction_type(p->k, i);
	const struct lt_instruction *x = instruction_at(p, i->operand[0]);
	if (!is_there(element, i, t))
		return;
	lt__print_text(p, p->gap);
	switch (element) {
	case 't':
	case 'l': lt__print_type(p, t); break;
	case '0':
	case '1':
	case '2':
	case '3': print_value(p, i->operand[element - '0'], false); break;
	case 'i': print_operands(p, i); break;
	case 'f':
		lt__print_text(p, "from ");
		lt__print_type(p, x ? (struct lt_value_type){ x->dtype, x->lanes } : (struct lt_value_type){ 0, 1 });
		break;
	case 'd': print_value(p, i - p->k->instructions, false); break;
	case 'n': lt__printf(p, "%" PRId32, i->what); break;
	case 'v': lt__print_name(p, variable_name(p, i->what)); break;
	case 'b': lt__print_name(p, lt__print_buffer_name(p, i->what)); break;
	case 'e':
	case 'o':
	case 'u': {
		int64_t opcode = element == 'u' ? i->number : i->what;
		const char *name = opcode >= 0 && opcode < LT_NOPCODE ? lt_opcode_name((uint32_t)opcode) : NULL;
		lt__print_text(p, name ? name : "?");
		break;
	}
	case 'a': print_address(p, i); break;
	case 'm':
		lt__print_text(p, "mask ");
		print_value(p, i->operand[2], false);
		break;
	case 's': lt__print_text(p, "stream"); break;
	case 'q': lt__print_text(p, "async"); break;
	case 'w': lt__print_text(p, word_of(i)); break;
	case 'c': lt__printf(p, "%" PRId64, i->number); break;
	case 'j': lt__printf(p, "%" PRId64, i->stride); break;
	case 'y': print_source(p, i); break;
	case 'g':
		lt__print_name(p, i->what >= 0 && (uint32_t)i->what < p->k->n_matrix ? p->k->matrices[i->what].name : "?");
		break;
	case 'z': print_accumulators(p, i); break;
	case 'A':
	case 'B': print_matrix_operand(p, i, element - 'A'); break;
	case 'r': lt__print_text(p, i->number ? "b" : "a"); break;
	case 'x':
		if (extras_of(p, i) < LT_MATRIX_LOCATION)
			lt__print_text(p, "?");
		else
			print_location(p, lt__matrix_location(p->k, i, 0), i->operand[0]);
		break;
	case 'k': print_list(p, i, false); break;
	case 'h': print_list(p, i, true); break;
	case 'p':
		if (i->number != 1)
			lt__printf(p, "step %" PRId64, i->number);
		if (i->flags & LT_INSTRUCTION_UNROLL)
			lt__printf(p, "%sunroll %" PRId64, i->number != 1 ? " " : "", i->stride);
		break;
	default: break;
	}
	p->gap = " ";
}

void lt__print_instruction(struct lt_kernel_printer *p, const struct lt_instruction *i)
{
	const struct lt_opcode_facts *f = lt__opcode(i->opcode);
	if (lt__print_has_value(i) && *f->pattern != 'd') {
		print_value(p, i - p->k->instructions, false);
		lt__print_text(p, " = ");
	}
	lt__print_text(p, f ? f->name : "?");
	p->gap = " ";
	for (const char *e = f ? f->pattern : ""; *e; e += *e == ' ') {
		size_t n = strcspn(e, " ");
		if (n == 1) {
			print_element(p, *e, i);
		} else {
			lt__print_text(p, " ");
			p->write(p->user, e, n);
		}
		e += n;
	}
	if (i->origin >= 0)
		lt__printf(p, " @%" PRId32, i->origin);
	lt__print_text(p, "\n");
}
