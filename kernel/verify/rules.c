/* rules.c -- what single opcodes ask for, besides members and types (verifier.h). */
#include <inttypes.h>
#include <string.h>
#include "kernel/verify/verifier.h"

static void check_const(struct lt_kernel_verifier *v, const struct lt_instruction *i)
{
	uint64_t bits = (uint64_t)i->number;
	if (bits == lt__constant_bits(i->dtype, i->lanes, bits))
		return;
	if (i->dtype == LT_LANE_MASK)
		lt__verify_fail(v, -1, "clear them", "a mask of %" PRIu32 " lanes has bits for more: 0x%" PRIx64, i->lanes, bits);
	if (i->dtype == LT_BOOL)
		lt__verify_fail(v, -1, "write 1 for true", "a constant of type bool is 0 or 1");
	lt__verify_fail(v, -1, "clear them, also of a number below 0", "a constant of type %s has bits above its type's: "
		"0x%" PRIx64, lt__kernel_element_name(i->dtype), bits);
}

/* Where an access without a mask goes is known if its address and its lanes are. */
static void check_address(struct lt_kernel_verifier *v, const struct lt_instruction *i, uint32_t lanes)
{
	const struct lt_kernel_buffer *b = &v->k->buffers[i->what];
	int64_t first = 0, last, far;
	if ((i->operand[0] >= 0 && !lt__verify_constant(v->k, i->operand[0], &first)) || i->operand[1] >= 0
		|| i->operand[2] >= 0)
		return;
	if (__builtin_add_overflow(first, i->number, &first) || __builtin_mul_overflow((int64_t)lanes - 1, i->stride, &far)
		|| __builtin_add_overflow(first, far, &last) || first < 0 || first >= b->elems || last < 0 || last >= b->elems)
		lt__verify_fail(v, -1, "change the address, or give the buffer more elements",
			"the address is outside buffer %s, which has %" PRId64 " elements", b->name, b->elems);
}

/* What is 16 bytes apart may be anywhere. */
static void check_swizzled(struct lt_kernel_verifier *v, const struct lt_instruction *i, uint32_t lanes)
{
	const struct lt_kernel_buffer *b = &v->k->buffers[i->what];
	int64_t bytes = (int64_t)lanes * lt__kernel_element_bytes(b->dtype);
	if (b->swizzle && lanes > 1 && (i->operand[1] >= 0 || i->stride != 1 || bytes > LT_SWIZZLE_CHUNK
		|| (bytes & (bytes - 1))))
		lt__verify_fail(v, -1, "access its lanes one by one",
			"buffer %s has a swizzle: lanes of an access lie side by side in 1, 2, 4, 8 or 16 bytes", b->name);
}

static void check_access(struct lt_kernel_verifier *v, const struct lt_instruction *i)
{
	const struct lt_kernel_buffer *b = &v->k->buffers[i->what];
	struct lt_value_type t = lt__instruction_type(v->k, i);
	if (t.dtype != b->dtype)
		lt__verify_fail(v, -1, "load elements of that type, and cast them",
			"buffer %s has elements of type %s, not %s", b->name,
			lt__kernel_element_name(b->dtype), lt__shown_type((struct lt_value_type){ t.dtype, 1 }).text);
	lt__verify_buffer(v, i->what);
	check_swizzled(v, i, t.lanes);
	if (i->opcode != LT_OPCODE_prefetch)
		check_address(v, i, t.lanes);
	if (i->opcode == LT_OPCODE_store)
		lt__verify_written(v, i->what);
}

/* An array or a variable begins. */
static void check_begin(struct lt_kernel_verifier *v, const struct lt_instruction *i)
{
	bool array = i->opcode == LT_OPCODE_array;
	struct lt_begun *b = array ? &v->array[i->what] : &v->variable[i->what];
	const char *name = array ? v->k->buffers[i->what].name : v->k->variables[i->what].name;
	if (array && v->k->buffers[i->what].space != LT_SPACE_ARRAY)
		lt__verify_fail(v, -1, "remove the line, or declare the buffer as array",
			"buffer %s does not begin in a block: it is no array", name);
	if (b->region >= 0 && b->region != v->region)
		lt__verify_fail(v, -1, "give each region its own", "%s %s begins in region %" PRId32 ", too",
			lt_opcode_name(i->opcode), name, b->region);
	if (b->region >= 0 && (b->block < 0 || v->is_open[b->block]))
		lt__verify_fail(v, -1, "remove one of the two",
			"%s %s begins twice: it exists here already", lt_opcode_name(i->opcode), name);
	*b = (struct lt_begun){ v->region, v->n_open ? v->open[v->n_open - 1].opener : -1 };
	if (!array)
		lt__verify_changed(v, i->what);
}

static void check_operator(struct lt_kernel_verifier *v, const struct lt_instruction *i, int64_t opcode)
{
	struct lt_value_type t = lt__instruction_type(v->k, i);
	const struct lt_opcode_facts *f = opcode < 0 || opcode >= LT_NOPCODE ? NULL : lt__opcode((uint32_t)opcode);
	if (!f || !lt__opcode_folds((uint32_t)opcode))
		lt__verify_fail(v, -1, "take one such as add or max",
			"'%s' needs an operator of two operands and one type; %s is none", lt_opcode_name(i->opcode), f ? f->name
			: "this number");
	if (!(f->types >> t.dtype & 1))
		lt__verify_fail(v, -1, "cast to a type that it has (docs/kernel.md)",
			"'%s' does not exist for type %s", f->name, lt__shown_type(t).text);
	if (i->opcode == LT_OPCODE_fold && (t.lanes & (t.lanes - 1)))
		lt__verify_fail(v, -1, "fill the lanes up with the operator's identity",
			"'fold' halves its lanes until there is one; %" PRIu32 " is no power of two", t.lanes);
}

static void check_shuffle(struct lt_kernel_verifier *v, const struct lt_instruction *i)
{
	int64_t lanes = 2 * (int64_t)lt__instruction_type(v->k, i).lanes;
	for (int32_t e = i->first_extra; e < i->first_extra + i->n_extra; e++)
		if (v->k->extras[e] < 0 || v->k->extras[e] >= lanes)
			lt__verify_fail(v, -1, "take smaller numbers",
				"there is no lane %" PRId64 ": the two values have %" PRId64, v->k->extras[e], lanes);
}

static struct lt_value_type handed(const struct lt_kernel *k, const struct lt_instruction *launch, int32_t i)
{
	const struct lt_instruction *x = &k->instructions[k->extras[launch->first_extra + i]];
	return (struct lt_value_type){ x->dtype, x->lanes };
}

static void check_launch(struct lt_kernel_verifier *v, const struct lt_instruction *i)
{
	const struct lt_kernel *k = v->k;
	const struct lt_instruction *first = &k->instructions[v->first_launch[i->what]];
	if (i->n_extra != k->regions[i->what].n_argument)
		lt__verify_fail(v, -1, "hand over as many at each launch",
			"region %" PRId32 " takes %" PRId32 " arguments, but %" PRId32 " are handed over",
			i->what, k->regions[i->what].n_argument, i->n_extra);
	for (int32_t e = 0; e < i->n_extra && first != i; e++) {
		struct lt_value_type a = handed(k, i, e), b = handed(k, first, e);
		if (a.dtype != b.dtype || a.lanes != b.lanes)
			lt__verify_fail(v, (int32_t)(first - k->instructions), "cast it",
				"argument %" PRId32 " is %s; another launch of region %" PRId32 " hands over %s", e, lt__shown_type(a).text,
				i->what, lt__shown_type(b).text);
	}
}

static void check_argument(struct lt_kernel_verifier *v, const struct lt_instruction *i)
{
	const struct lt_kernel *k = v->k;
	if (v->region == 0 || i->what >= k->regions[v->region].n_argument)
		lt__verify_fail(v, -1, "hand it over at each launch",
			"there is no argument %" PRId32 ": region %" PRId32 " takes %" PRId32, i->what,
			v->region, k->regions[v->region].n_argument);
	const struct lt_instruction *launch = &k->instructions[v->first_launch[v->region]];
	struct lt_value_type t = handed(k, launch, i->what);
	if (t.dtype != i->dtype || t.lanes != i->lanes)
		lt__verify_fail(v, v->first_launch[v->region], "write that type, and cast it afterwards",
			"argument %" PRId32 " is %s here, but %s is handed over",
			i->what, lt__shown_type((struct lt_value_type){ i->dtype, i->lanes }).text, lt__shown_type(t).text);
}

/* Of an operand that is a constant; others are for those who run it (kernel/form/form.h). */
static void check_contract(struct lt_kernel_verifier *v, const struct lt_instruction *i)
{
	enum lt_contract contract = lt__opcode_contract(i->opcode, i->dtype);
	int64_t y;
	if (!lt__verify_constant(v->k, i->operand[1], &y) || lt__contract_holds(contract, i->dtype, 0, (uint64_t)y))
		return;
	if (contract == LT_CONTRACT_DIVISOR)
		lt__verify_fail(v, -1, "take `div` or `mod`", "the divisor of '%s' is neither 0 nor -1", lt_opcode_name(i->opcode));
	lt__verify_fail(v, -1, "select 0 where it would be further", "a shift of %s is by 0 to %" PRIu32 ", not by %" PRId64,
		lt__kernel_element_name(i->dtype), 8 * lt__kernel_element_bytes(i->dtype) - 1, y);
}

static void check_loop(struct lt_kernel_verifier *v, const struct lt_instruction *i)
{
	if (i->number < 1)
		lt__verify_fail(v, -1, "count upwards, and subtract from the end",
			"the step of a loop is at least 1, not %" PRId64, i->number);
	if (i->flags & LT_INSTRUCTION_UNROLL && i->stride < 1)
		lt__verify_fail(v, -1, "leave out `unroll`", "a loop is unrolled at least once, not %" PRId64 " times", i->stride);
}

static void check_bits(struct lt_kernel_verifier *v, const struct lt_instruction *i)
{
	uint32_t from = v->k->instructions[i->operand[0]].dtype;
	if (lt__kernel_element_bytes(from) != lt__kernel_element_bytes(i->dtype))
		lt__verify_fail(v, -1, "take `cast`", "'bits' is from a type of as many bytes: %s and %s differ",
			lt__kernel_element_name(i->dtype), lt__kernel_element_name(from));
}

/* Its value's type is in the row. */
static void check_convert(struct lt_kernel_verifier *v, const struct lt_instruction *i)
{
	uint32_t from = v->k->instructions[i->operand[0]].dtype;
	if (from == LT_F16 || from == LT_BF16)
		lt__verify_fail(v, -1, "take `cast`, or `bits` of i16", "'convert' takes no half types, such as %s",
			lt__kernel_element_name(from));
}

static void check_each(struct lt_kernel_verifier *v, const struct lt_instruction *i)
{
	int n = i->what < 0 ? 0 : lt__opcode_each((uint32_t)i->what);
	const char *name = i->what < 0 ? NULL : lt_opcode_name((uint32_t)i->what);
	if (!n || !(lt__opcode((uint32_t)i->what)->types >> i->dtype & 1))
		lt__verify_fail(v, -1, "take one such as sin or pow", "'each' needs an operator of floats; %s is none",
			name ? name : "this number");
	if ((i->operand[1] >= 0) != (n == 2))
		lt__verify_fail(v, -1, "give it as many", "'%s' takes %d operands", name, n);
}

static void check_text(struct lt_kernel_verifier *v, const struct lt_instruction *i)
{
	const struct lt_op *op = &v->k->ops[i->what];
	if (op->out != i->dtype)
		lt__verify_fail(v, -1, "write that type, and cast it afterwards",
			"operator %s gives %s, not %s", op->name, lt__kernel_element_name(op->out),
			lt__kernel_element_name(i->dtype));
	for (int32_t o = 0; o < 3; o++)
		if ((i->operand[o] >= 0) != (o < op->arity))
			lt__verify_fail(v, -1, "give it as many", "operator %s takes %" PRId32 " operands", op->name, op->arity);
}

static void check_team(struct lt_kernel_verifier *v, const struct lt_instruction *i)
{
	if (v->k->regions[v->region].kind != LT_REGION_TEAM)
		lt__verify_fail(v, -1, "loop over the points, or hand a number over",
			"'%s' is a point of a team; the %s region has none", lt_opcode_name(i->opcode),
			v->region ? "grid's" : "host");
}

/* How many things of its kind `what` may name; -1: it names none. */
static int64_t extent_of_what(
	const struct lt_kernel *k, const struct lt_instruction *i, const struct lt_opcode_facts *f)
{
	switch (lt__opcode_names(i->opcode)) {
	case LT_NAMES_BUFFER: return k->n_buffer;
	case LT_NAMES_VARIABLE: return k->n_variable;
	default: break;
	}
	if (i->opcode == LT_OPCODE_param)
		return k->n_param;
	if (i->opcode == LT_OPCODE_text)
		return k->n_op;
	if (i->opcode == LT_OPCODE_matrix || i->opcode == LT_OPCODE_fragment)
		return k->n_matrix;
	if (i->opcode == LT_OPCODE_call)
		return k->n_call;
	for (const char *e = f->pattern ? f->pattern : ""; *e; e += strcspn(e, " "), e += *e == ' ')
		if (strcspn(e, " ") == 1 && *e == 'n')
			return INT64_MAX;
	return -1;
}

static void check_region(struct lt_kernel_verifier *v, const struct lt_instruction *i)
{
	bool grid = i->opcode == LT_OPCODE_launch_grid;
	if (i->what < 1 || i->what >= (int32_t)v->k->n_region)
		lt__verify_fail(v, -1, "write that region, or launch another one",
			"there is no region %" PRId32 " to launch: the program has %s%" PRIu32, i->what,
			v->k->n_region > 2 ? "1 to " : v->k->n_region == 2 ? "region " : "none but the host's, ", v->k->n_region - 1);
	if (v->k->regions[i->what].kind != (grid ? LT_REGION_GRID : LT_REGION_TEAM))
		lt__verify_fail(v, -1, grid ? "write `launch`" : "write `launch_grid`",
			"region %" PRId32 " is a %s, which '%s' does "
			"not launch", i->what, grid ? "team" : "grid", lt_opcode_name(i->opcode));
}

void lt__verify_what(struct lt_kernel_verifier *v, const struct lt_instruction *i, const struct lt_opcode_facts *f)
{
	const char *const *words = lt__opcode_words(i->opcode);
	int32_t n_word = 0;
	if (lt__opcode_launches(i->opcode)) {
		check_region(v, i);
		return;
	}
	while (words && words[n_word])
		n_word++;
	if (words && (i->what < 0 || i->what >= n_word))
		lt__verify_fail(v, -1, "take a smaller number",
			"'%s' has %" PRId32 " kinds; there is no kind %" PRId32, f->name, n_word, i->what);
	int64_t extent = extent_of_what(v->k, i, f);
	if (extent >= 0 && (i->what < 0 || i->what >= extent))
		lt__verify_fail(v, -1, "take a smaller number, or declare another one",
			"'%s' names number %" PRId32 "; there are %" PRId64, f->name, i->what, extent);
}

void lt__verify_opcode(struct lt_kernel_verifier *v, const struct lt_instruction *i)
{
	switch (i->opcode) {
	case LT_OPCODE_const: check_const(v, i); break;
	case LT_OPCODE_argument: check_argument(v, i); break;
	case LT_OPCODE_first:
	case LT_OPCODE_last: check_team(v, i); break;
	case LT_OPCODE_shuffle: check_shuffle(v, i); break;
	case LT_OPCODE_fold: check_operator(v, i, i->what); break;
	case LT_OPCODE_bits: check_bits(v, i); break;
	case LT_OPCODE_quotient:
	case LT_OPCODE_remainder:
	case LT_OPCODE_shift_left:
	case LT_OPCODE_shift_right:
	case LT_OPCODE_shift_signed: check_contract(v, i); break;
	case LT_OPCODE_convert: check_convert(v, i); break;
	case LT_OPCODE_each: check_each(v, i); break;
	case LT_OPCODE_text: check_text(v, i); break;
	case LT_OPCODE_load:
	case LT_OPCODE_store:
	case LT_OPCODE_prefetch: check_access(v, i); break;
	case LT_OPCODE_get:
	case LT_OPCODE_set: lt__verify_variable(v, i->what); break;
	case LT_OPCODE_update:
		lt__verify_variable(v, i->what);
		check_operator(v, i, i->number);
		break;
	case LT_OPCODE_array:
	case LT_OPCODE_variable: check_begin(v, i); break;
	case LT_OPCODE_loop: check_loop(v, i); break;
	case LT_OPCODE_launch: check_launch(v, i); break;
	case LT_OPCODE_launch_grid:
		check_launch(v, i);
		lt__verify_grid(v, i);
		break;
	case LT_OPCODE_block:
	case LT_OPCODE_thread:
	case LT_OPCODE_subgroup:
	case LT_OPCODE_member:
	case LT_OPCODE_leave:
	case LT_OPCODE_barrier:
	case LT_OPCODE_exchange:
	case LT_OPCODE_copy_async:
	case LT_OPCODE_commit:
	case LT_OPCODE_wait: lt__verify_grid(v, i); break;
	case LT_OPCODE_matrix: lt__verify_matrix(v, i); break;
	case LT_OPCODE_fragment: lt__verify_fragment(v, i); break;
	case LT_OPCODE_call: lt__verify_call(v, i); break;
	default: break;
	}
}
