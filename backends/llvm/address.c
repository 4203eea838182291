/* address.c -- where an access goes: buffer + a sum of values times constants, in elements.
 *
 * Each summand is added where the last value that it needs is made, outer loops first: what an inner loop repeats is
 * computed before it, and equal sums are computed once.  In a loop without loops in it the address itself is what goes
 * from iteration to iteration.  LLVM would find most of this, by far its most expensive pass (loop-reduce).
 */
#include <string.h>
#include "print.h"

/* number * the value of an instruction. */
struct summand { int32_t value; int64_t number; };
enum { MAX_SUMMANDS = 32, MAX_DEPTH = 64 };
struct sum { struct summand at[MAX_SUMMANDS]; unsigned n; int64_t constant; bool is_whole; };

static int64_t times(int64_t a, int64_t b) { return (int64_t)((uint64_t)a * (uint64_t)b); }
static int64_t plus(int64_t a, int64_t b) { return (int64_t)((uint64_t)a + (uint64_t)b); }

static void sum_add(struct sum *s, int32_t value, int64_t number)
{
	unsigned i = 0;
	while (i < s->n && s->at[i].value < value)
		i++;
	if (i < s->n && s->at[i].value == value) {
		s->at[i].number = plus(s->at[i].number, number);
		return;
	}
	if (s->n == MAX_SUMMANDS) {
		s->is_whole = false;
		return;
	}
	memmove(&s->at[i + 1], &s->at[i], (s->n++ - i) * sizeof s->at[0]);
	s->at[i] = (struct summand){ value, number };
}

static const struct lt_instruction *constant_of(const struct lt_kernel *k, int32_t value)
{
	const struct lt_instruction *x = &k->instructions[value];
	return x->opcode == LT_OPCODE_const ? x : NULL;
}

/* Values by instruction: those of outer loops come first. */
static void sum_find(const struct lt_kernel *k, int32_t value, int64_t number, int depth, struct sum *s)
{
	const struct lt_instruction *x = &k->instructions[value], *c;
	if (x->opcode == LT_OPCODE_const) {
		s->constant = plus(s->constant, times(number, x->number));
	} else if (depth < MAX_DEPTH && (x->opcode == LT_OPCODE_add || x->opcode == LT_OPCODE_sub)) {
		sum_find(k, x->operand[0], number, depth + 1, s);
		sum_find(k, x->operand[1], x->opcode == LT_OPCODE_sub ? times(number, -1) : number, depth + 1, s);
	} else if (depth < MAX_DEPTH && x->opcode == LT_OPCODE_mul && (c = constant_of(k, x->operand[1])) != NULL) {
		sum_find(k, x->operand[0], times(number, c->number), depth + 1, s);
	} else if (depth < MAX_DEPTH && x->opcode == LT_OPCODE_mul && (c = constant_of(k, x->operand[0])) != NULL) {
		sum_find(k, x->operand[1], times(number, c->number), depth + 1, s);
	} else {
		sum_add(s, value, number);
	}
}

static LLVMValueRef add_bytes(struct printing *p, LLVMValueRef from, LLVMValueRef value, int64_t bytes)
{
	LLVMValueRef by = LLVMBuildMul(p->e.b, value, lt_llvm_i64(&p->e, bytes), "");
	return LLVMBuildGEP2(p->e.b, LLVMInt8TypeInContext(p->e.c), from, &by, 1, "");
}

static const struct opened *innermost_loop(const struct printing *p, int32_t value)
{
	for (int32_t i = p->n_open; i-- > 0; )
		if (p->open[i].at == value)
			return p->has_loops[value] ? NULL : &p->open[i];
	return NULL;
}

/* The address goes along: it is the sum for the loop's first number, and moves on when the loop does. */
static LLVMValueRef step_along(struct printing *p, const struct opened *o, LLVMValueRef from, int64_t bytes)
{
	const struct lt_instruction *x = &p->k->instructions[o->at];
	LLVMBasicBlockRef before = o->before;
	LLVMPositionBuilderBefore(p->e.b, LLVMGetBasicBlockTerminator(before));
	LLVMValueRef first = add_bytes(p, from, printing_operand(p, x, 0), bytes);
	LLVMPositionBuilderBefore(p->e.b, LLVMGetFirstInstruction(o->head));
	LLVMValueRef phi = LLVMBuildPhi(p->e.b, LLVMTypeOf(from), "");
	LLVMAddIncoming(phi, &first, &before, 1);
	return phi;
}

/* Behind what makes the value. */
static void go_behind(struct printing *p, LLVMValueRef v)
{
	if (!LLVMIsAInstruction(v)) {           /* a parameter of the function */
		LLVMPositionBuilderBefore(p->e.b, p->mark);
		return;
	}
	LLVMValueRef next = LLVMGetNextInstruction(v);
	while (LLVMIsAPHINode(v) && next && LLVMIsAPHINode(next))
		next = LLVMGetNextInstruction(next);
	if (next)
		LLVMPositionBuilderBefore(p->e.b, next);
	else
		LLVMPositionBuilderAtEnd(p->e.b, LLVMGetInstructionParent(v));
}

static LLVMValueRef step_make(struct printing *p, LLVMValueRef from, const struct summand *s, int64_t bytes, bool kept)
{
	LLVMBasicBlockRef here = LLVMGetInsertBlock(p->e.b);
	const struct opened *o = kept ? innermost_loop(p, s->value) : NULL;
	LLVMValueRef to;
	if (o) {
		to = step_along(p, o, from, bytes);
	} else {
		go_behind(p, p->value[s->value]);
		to = add_bytes(p, from, p->value[s->value], bytes);
	}
	LLVMPositionBuilderAtEnd(p->e.b, here);
	return to;
}

/* When a value is there: from the function's start on; from where its instruction stands; or it may be one that was
 * made elsewhere, which is not looked for. */
enum when { FROM_START, FROM_ITSELF, UNKNOWN };

static enum when value_is_there(const struct printing *p, int32_t value)
{
	if (LLVMIsAConstant(p->value[value]))
		return UNKNOWN;
	switch (p->k->instructions[value].opcode) {
	case LT_OPCODE_param:
	case LT_OPCODE_argument:
	case LT_OPCODE_first:
	case LT_OPCODE_last: return FROM_START;
	case LT_OPCODE_loop:
	case LT_OPCODE_add:
	case LT_OPCODE_sub:
	case LT_OPCODE_mul:
	case LT_OPCODE_quotient:
	case LT_OPCODE_remainder:
	case LT_OPCODE_lesser:
	case LT_OPCODE_larger:
	case LT_OPCODE_load: return FROM_ITSELF;
	default: return UNKNOWN;
	}
}

static LLVMValueRef step(struct printing *p, LLVMValueRef from, const struct summand *s, int64_t bytes)
{
	struct lt_llvm_step *at = p->steps;
	for (uint32_t i = 0; i < p->n_step; i++)
		if (at[i].from == from && at[i].value == s->value && at[i].bytes == bytes)
			return at[i].to;
	const bool kept = p->n_step < p->k->n_instruction;
	LLVMValueRef to = step_make(p, from, s, bytes, kept);
	if (kept)
		at[p->n_step++] = (struct lt_llvm_step){ from, to, s->value, bytes };
	return to;
}

LLVMValueRef lt_llvm_address(struct printing *p, LLVMValueRef base, int32_t index, int64_t number, uint32_t bytes)
{
	struct sum s = { .constant = number, .is_whole = true };
	if (index >= 0)
		sum_find(p->k, index, 1, 0, &s);
	if (!s.is_whole) {
		s = (struct sum){ .constant = number };
		base = add_bytes(p, base, p->value[index], bytes);
	}
	for (unsigned i = 0; i < s.n; i++)
		if (LLVMIsAConstantInt(p->value[s.at[i].value])) {      /* the builder has found out */
			const int64_t value = LLVMConstIntGetSExtValue(p->value[s.at[i].value]);
			s.constant = plus(s.constant, times(value, s.at[i].number));
			s.at[i].number = 0;
		}
	for (enum when w = FROM_START; w <= UNKNOWN; w++)
		for (unsigned i = 0; i < s.n; i++)
			if (!s.at[i].number || value_is_there(p, s.at[i].value) != w)
				continue;
			else if (w == UNKNOWN)
				base = add_bytes(p, base, p->value[s.at[i].value], times(s.at[i].number, bytes));
			else
				base = step(p, base, &s.at[i], times(s.at[i].number, bytes));
	LLVMValueRef by = lt_llvm_i64(&p->e, times(s.constant, bytes));
	return s.constant ? LLVMBuildGEP2(p->e.b, LLVMInt8TypeInContext(p->e.c), base, &by, 1, "") : base;
}

/* The addresses that go along with a loop that ends here. */
void lt_llvm_addresses_end(struct printing *p, const struct opened *o)
{
	LLVMBasicBlockRef here = LLVMGetInsertBlock(p->e.b);
	for (uint32_t i = 0; i < p->n_step; i++) {
		const struct lt_llvm_step *at = &p->steps[i];
		if (at->value != o->at || !LLVMIsAPHINode(at->to))
			continue;
		LLVMValueRef by = lt_llvm_i64(&p->e, times(at->bytes, p->k->instructions[o->at].number));
		LLVMValueRef next = LLVMBuildGEP2(p->e.b, LLVMInt8TypeInContext(p->e.c), at->to, &by, 1, "");
		LLVMAddIncoming(at->to, &next, &here, 1);
	}
}
