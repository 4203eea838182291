/* call.c -- what routines are called for, and the instruction (verifier.h). */
#include <inttypes.h>
#include <string.h>
#include "kernel/form/form.h"
#include "kernel/verify/verifier.h"

static const char *const operand_names[] = { "the result", "left", "right", "the bias", "the residual" };

static const char *operand_name(const struct lt_kernel_call *c, int32_t o)
{
	return operand_names[o < 3 ? o : lt__call_reads(c, o) == LT_EPILOGUE_BIAS ? 3 : 4];
}

/* Whether an operand may have a dim of that role: bits of roles. */
static uint32_t roles_of(const struct lt_kernel_call *c, int32_t o)
{
	static const uint32_t batch = 1 << LT_DIM_BATCH, row = 1 << LT_DIM_ROW, column = 1 << LT_DIM_COLUMN,
		deep = 1 << LT_DIM_DEEP;
	return o == 1 ? batch | row | deep : o == 2 ? batch | column | deep
		: lt__call_reads(c, o) == LT_EPILOGUE_BIAS ? column : batch | row | column;
}

static void check_dims(struct lt_kernel_verifier *v, int32_t call)
{
	const struct lt_kernel_call *c = &v->k->calls[call];
	bool good = c->routine && *c->routine && !(c->epilogues >> LT_N_EPILOGUE) && c->n_dim >= 0
		&& c->n_dim <= LT_MAX_CALL_DIMS && c->sum > 0 && c->sum < LT_NDTYPE && c->origin >= -1;
	for (int32_t d = 0; good && d < c->n_dim; d++)
		good = c->dims[d].var && c->dims[d].role >= LT_DIM_BATCH && c->dims[d].role <= LT_DIM_DEEP && c->dims[d].extent > 0;
	if (!good)
		lt__verify_fail_at(v, LT_PART_CALL, call, "fill in what is missing",
			"a call has a routine's name, the type of a sum, epilogues and roles that there are, and at most %d dims, which "
			"have names and at least one element", (int)LT_MAX_CALL_DIMS);
	int32_t n = 3 + !!(c->epilogues & LT_EPILOGUE_BIAS) + !!(c->epilogues & LT_EPILOGUE_RESIDUAL);
	if (c->n_operand != n)
		lt__verify_fail_at(v, LT_PART_CALL, call, "name the result, left, right, then a bias and a residual if there are",
			"this call of %s has %" PRId32 " operands, not %" PRId32, c->routine, n, c->n_operand);
}

static void check_call_operand(struct lt_kernel_verifier *v, int32_t call, int32_t o)
{
	const struct lt_kernel_call *c = &v->k->calls[call];
	const char *name = operand_name(c, o);
	int32_t buffer = c->operands[o].buffer;
	if (buffer < 0 || buffer >= (int32_t)v->k->n_buffer)
		lt__verify_fail_at(v, LT_PART_CALL, call, "name a buffer that there is", "%s is no buffer", name);
	const struct lt_kernel_buffer *b = &v->k->buffers[buffer];
	if (b->space != LT_SPACE_SLOT && b->space != LT_SPACE_WORKSPACE)
		lt__verify_fail_at(v, LT_PART_CALL, call, "put it in the workspace",
			"%s, %s, is neither in a slot nor in the workspace, where a routine finds it", b->name, name);
	if (lt__number_is_whole(b->dtype) != lt__number_is_whole(c->sum) || b->dtype == LT_BOOL || c->sum == LT_BOOL)
		lt__verify_fail_at(v, LT_PART_CALL, call, "cast it before", "%s, %s, has elements of type %s, and the sum is of %s",
			b->name, name, lt__kernel_element_name(b->dtype), lt__kernel_element_name(c->sum));
	for (int32_t d = 0; d < c->n_dim; d++) {
		bool has = roles_of(c, o) >> c->dims[d].role & 1;
		int64_t stride = c->operands[o].strides[d];
		if (!has && stride && c->dims[d].extent > 1)
			lt__verify_fail_at(v, LT_PART_CALL, call, "write 0", "%s, %s, does not have the %s %s, but moves along it by %"
				PRId64, b->name, name, lt__call_roles[c->dims[d].role], c->dims[d].var, stride);
		if (o == 0 && has && !stride && c->dims[d].extent > 1)
			lt__verify_fail_at(v, LT_PART_CALL, call, "let it move along each dim that it has",
				"%s, the result, would be written %" PRId64 " times along %s", b->name, c->dims[d].extent, c->dims[d].var);
	}
}

void lt__verify_call_description(struct lt_kernel_verifier *v, int32_t call)
{
	if (v->k->calls[call].n_result) {
		lt__verify_described(v, call);
		return;
	}
	check_dims(v, call);
	for (int32_t o = 0; o < v->k->calls[call].n_operand; o++)
		check_call_operand(v, call, o);
}

/* Where an operand goes is known if where it begins is, and how many there are. */
static void check_begin(struct lt_kernel_verifier *v, const struct lt_instruction *i, int32_t o)
{
	const struct lt_kernel_call *c = &v->k->calls[i->what];
	const int64_t *value = v->k->extras + i->first_extra;
	const struct lt_kernel_buffer *b = &v->k->buffers[c->operands[o].buffer];
	int64_t low, high, n, far;
	if (!lt__verify_constant(v->k, (int32_t)value[o], &low))
		return;
	high = low;
	bool inside = true;
	for (int32_t d = 0; d < c->n_dim && inside; d++) {
		if (!lt__verify_constant(v->k, (int32_t)value[c->n_operand + d], &n) || n <= 0)
			return;
		inside = !__builtin_mul_overflow(n - 1, c->operands[o].strides[d], &far)
			&& !__builtin_add_overflow(far < 0 ? low : high, far, far < 0 ? &low : &high);
	}
	if (!inside || low < 0 || high >= b->elems)
		lt__verify_fail(v, -1, "change where it begins or its strides, or give the buffer more elements",
			"%s goes outside of buffer %s, which has %" PRId64 " elements", operand_name(c, o), b->name, b->elems);
}

void lt__verify_call(struct lt_kernel_verifier *v, const struct lt_instruction *i)
{
	const struct lt_kernel *k = v->k;
	const struct lt_kernel_call *c = &k->calls[i->what];
	int64_t n;
	if (v->region)
		lt__verify_fail(v, -1, "move it there", "only the host region calls routines");
	if (i->n_extra != lt__call_n_value(c))
		lt__verify_fail(v, -1, "say where each operand begins, then how many of each dim there are",
			"a call of %s takes %" PRId32 " values, not %" PRId32, c->routine, lt__call_n_value(c), i->n_extra);
	for (int32_t e = 0; e < i->n_extra; e++) {
		const struct lt_instruction *x = &k->instructions[k->extras[i->first_extra + e]];
		if (x->dtype != LT_I64 || x->lanes != 1)
			lt__verify_fail(v, (int32_t)(x - k->instructions), "cast it", "value %" PRId32 " of 'call' is %s; i64 is needed",
				e, lt__shown_type((struct lt_value_type){ x->dtype, x->lanes }).text);
	}
	for (int32_t d = 0; d < c->n_dim; d++)
		if (lt__verify_constant(k, (int32_t)k->extras[i->first_extra + c->n_operand + d], &n) && n > c->dims[d].extent)
			lt__verify_fail(v, -1, "make its extent larger", "%" PRId64 " of %s, but there are at most %" PRId64, n,
				c->dims[d].var, c->dims[d].extent);
	for (int32_t o = 0; o < c->n_operand && !c->n_result; o++)
		check_begin(v, i, o);
	if (c->n_result)
		lt__verify_described_begins(v, i);
	for (int32_t o = 0; o < lt__call_n_written(c); o++)
		lt__verify_written(v, c->operands[o].buffer);
}
