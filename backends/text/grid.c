/* grid.c -- what only the threads of a grid do: their numbers, barriers, exchanges, copies that are
 * waited for.
 *
 * A device without subgroups exchanges values through shared memory, between barriers of the block; its copies are done
 * where they stand.
 */
#include "backends/text/part.h"

bool lt__text_grid_opcode(uint32_t opcode) { return opcode >= LT_OPCODE_block && opcode != LT_OPCODE_launch_grid; }

static const struct lt_region *region_of(const struct text *t) { return &t->k->regions[t->region]; }

static struct text_expr number_of(struct text *t, bool narrow, const char *text)
{
	return (struct text_expr){ .text = lt__text_formatted(t, "(int%d_t)%s", narrow ? 32 : 64, text),
		.tight = TEXT_UNARY };
}

/* By the thread's number in its block, lt_self: how many threads lie before, and which part of it that is. */
static struct text_expr part_of_self(struct text *t, bool narrow, char sign, int64_t threads)
{
	t->self = true;
	return number_of(t, narrow, lt__text_formatted(t, "(lt_self %c %lld)", sign, (long long)threads));
}

/* Of the subgroup, for instructions that name the threads: their bits in 32. */
static const char *members(struct text *t)
{
	int32_t n = region_of(t)->subgroup;
	if (n == 32)
		return "0xffffffffu";
	t->self = true;
	return lt__text_formatted(t, "0x%xu << (lt_self & %d)", (1u << n) - 1, 31 & ~(n - 1));
}

/* The same text for each lane of a value; x is a name. */
static struct text_expr exchanged(struct text *t, const struct lt_instruction *i, const char *(*one)(struct text *,
	const struct lt_instruction *, const char *x, const char *by), const char *by)
{
	struct lt_value_type type = { i->dtype, i->lanes };
	struct text_expr x = lt__text_plain(t, lt__text_use(t, i->operand[0]), i->dtype);
	if (i->lanes == 1 || i->dtype == LT_LANE_MASK)
		return (struct text_expr){ .text = one(t, i, x.text, by) };
	const char *name = lt__text_formatted(t, "lt_x%d", (int)(i - t->k->instructions));
	lt__text_line(t, "%s %s = %s;", lt__text_type(t, type, 0), name, x.text);
	for (uint32_t lane = 0; lane < i->lanes; lane++) {
		const char *at = lt__text_formatted(t, "%s.v[%u]", name, (unsigned)lane);
		lt__text_line(t, "%s = %s;", at, one(t, i, at, by));
	}
	return (struct text_expr){ .text = name };
}

static const char *exchange_of_warp(struct text *t, const struct lt_instruction *i, const char *x, const char *by)
{
	static const char *const names[] = { "__shfl_up_sync", "__shfl_down_sync", "__shfl_xor_sync", "__shfl_sync" };
	const struct text_element *e = lt__text_element(i->dtype);
	const int32_t n = region_of(t)->subgroup;
	bool narrow = e->bytes < 4, far = i->what <= LT_EXCHANGE_DOWN && text_at(t, i->operand[1])->opcode != LT_OPCODE_const;
	const char *call = lt__text_formatted(t, "%s(%s, %s%s, %s%s)", names[i->what], members(t), narrow ? "(int)" : "", x,
		by,
		n == 32 ? "" : lt__text_formatted(t, ", %d", (int)n));
	if (narrow)
		call = lt__text_formatted(t, "(%s)%s", e->type, call);
	/* Of a distance the instruction looks at five bits. */
	return far ? lt__text_formatted(t, "(%s < %d ? %s : %s)", by, (int)n, call, x) : call;
}

/* PoCL makes a loop over a block's threads of what stands between two barriers, and ends the process by an assertion
 * where that begins in two places: where its optimiser leaves nothing but a branch behind a barrier, and the paths meet
 * again.  An instruction that no compiler may remove keeps the two apart. */
static void define_barrier(struct text *t)
{
	lt__text_define(t, "LT_BARRIER", "#if defined POCL_DEVICE_ADDRESS_BITS && !defined __SPIR__ && !defined __SPIRV__\n"
		"#define LT_BARRIER(memory) barrier(memory); __asm__ volatile(\"\")\n#else\n"
		"#define LT_BARRIER(memory) barrier(memory)\n#endif\n");
}

static const char *exchange_of_block(struct text *t, const struct lt_instruction *i, const char *x, const char *by)
{
	uint32_t dtype = i->dtype == LT_LANE_MASK && i->lanes > 1 ? i->lanes > 32 ? LT_U64 : LT_U32 : i->dtype;
	t->passes = true;
	define_barrier(t);
	return lt__text_formatted(t, "%s(lt_passed, lt_self, %s, %s)", lt__text_helper(t, "pass",
		(struct lt_value_type){ dtype,
		1 }), by, x);
}

/* The number in the block of the thread whose value it is. */
static const char *source_of_value(struct text *t, const struct lt_instruction *i, const char *by)
{
	const int n = region_of(t)->subgroup;
	switch (i->what) {
	case LT_EXCHANGE_UP: return lt__text_formatted(t, "lt_self - ((lt_self & %d) >= %s ? %s : 0)", n - 1, by, by);
	case LT_EXCHANGE_DOWN: return lt__text_formatted(t, "lt_self + ((lt_self & %d) + %s < %d ? %s : 0)", n - 1, by, n, by);
	case LT_EXCHANGE_XOR: return lt__text_formatted(t, "lt_self ^ %s", by);
	default: return lt__text_formatted(t, "(lt_self & ~%d) + %s", n - 1, by);
	}
}

static struct text_expr exchange(struct text *t, const struct lt_instruction *i)
{
	if (t->value[i->operand[1]].pending)
		lt__text_name(t, i->operand[1]);
	const char *by = lt__text_in(t, lt__text_plain(t, lt__text_use(t, i->operand[1]), LT_I64), TEXT_PRIMARY);
	if (t->d->device->warps) {
		if (text_at(t, i->operand[1])->opcode != LT_OPCODE_const)
			by = lt__text_formatted(t, "(int)%s", by);
		if (t->value[i->operand[0]].pending)
			lt__text_name(t, i->operand[0]);
		return exchanged(t, i, exchange_of_warp, by);
	}
	t->self = true;
	return exchanged(t, i, exchange_of_block, source_of_value(t, i, by));
}

struct text_expr lt__text_grid_value(struct text *t, int32_t at)
{
	const struct lt_instruction *i = text_at(t, at);
	bool narrow = t->value[at].narrow;
	switch (i->opcode) {
	case LT_OPCODE_block: return number_of(t, narrow, t->d->device->block[i->what]);
	case LT_OPCODE_thread: return number_of(t, narrow, t->d->device->thread[i->what]);
	case LT_OPCODE_subgroup: return part_of_self(t, narrow, '/', (int64_t)i->what * region_of(t)->subgroup);
	case LT_OPCODE_member: return part_of_self(t, narrow, '%', region_of(t)->subgroup);
	case LT_OPCODE_fragment: return lt__text_fragment(t, at);
	default: return exchange(t, i);
	}
}

static void barrier(struct text *t, const struct lt_instruction *i)
{
	bool whole = i->what == LT_BARRIER_BLOCK;
	lt__text_flush(t, true, false);
	if (!t->d->device->warps) {
		define_barrier(t);
		lt__text_line(t, "LT_BARRIER(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);");
	} else if (whole && i->number == 0)
		lt__text_line(t, "__syncthreads();");
	else if (whole)
		lt__text_line(t, "asm volatile(\"bar.sync %lld, %lld;\" ::: \"memory\");", (long long)i->number,
			(long long)i->stride);
	else
		lt__text_line(t, "__syncwarp(%s);", region_of(t)->subgroup == 32 ? "" : members(t));
}

/* A function that copies so many bytes, or writes zeros; where: or, where a third parameter is 0, does nothing. */
static const char *copy_function(struct text *t, int64_t bytes, bool where)
{
	uint32_t n;
	const char *name = lt__text_formatted(t, "lt_copy%lld%s", (long long)bytes, where ? "_where" : "");
	const char *chunk = lt__text_chunk(t, (uint32_t)bytes, &n);
	if (t->d->device->warps)
		lt__text_define(t, name, lt__text_formatted(t, "%svoid %s(void *to, const void *from, int on%s)\n{\n"
			"\tasm volatile(\"%scp.async.%s.shared.global [%%0], [%%1], %lld, %%2;%s\"\n"
			"\t\t:: \"r\"((uint32_t)__cvta_generic_to_shared(to)), \"l\"(from), \"r\"(on ? %lld : 0)%s : \"memory\");\n}\n",
			t->d->inlined, name, where ? ", int where" : "", where ? "{ .reg .pred p; setp.ne.b32 p, %3, 0; @p " : "",
			bytes == 16 ? "cg" : "ca", (long long)bytes, where ? " }" : "", (long long)bytes, where ? ", \"r\"(where)" : ""));
	else
		lt__text_define(t, name, lt__text_formatted(t, "%svoid %s(__local void *to, const __global void *from, int on)\n{\n"
			"\t%s x = 0;\n\tif (on)\n\t\tx = *(const __global %s *)from;\n\t*(__local %s *)to = x;\n}\n", t->d->inlined, name,
			chunk, chunk, chunk));
	return name;
}

/* What may be computed where the condition does not hold: nothing is read or divided by what may be 0. */
static bool is_harmless(const struct text *t, const struct lt_instruction *i)
{
	const bool divides = i->opcode == LT_OPCODE_quotient || i->opcode == LT_OPCODE_remainder;
	const struct lt_instruction *by = divides ? text_at(t, i->operand[1]) : NULL;
	return (i->opcode > LT_OPCODE_TEXT && i->opcode < LT_OPCODE_const) || (by && by->opcode == LT_OPCODE_const)
		|| (i->opcode >= LT_OPCODE_const && i->opcode <= LT_OPCODE_argument) || i->opcode == LT_OPCODE_get
		|| (i->opcode >= LT_OPCODE_shift_left && i->opcode <= LT_OPCODE_shift_right)
		|| (i->opcode >= LT_OPCODE_block && i->opcode <= LT_OPCODE_member);
}

/* An if around copies alone is a condition of each: without a branch the assembler moves what is around between them.
 * Beside matrix instructions; beside others it then reads less far ahead of its use (seen in the code of a product). */
bool lt__text_copies_only(const struct text *t, int32_t at)
{
	const int32_t end = text_at(t, at)->what;
	bool copies = false;
	if (!t->d->device || !t->d->device->warps || !t->k->n_matrix || text_at(t, end)->opcode != LT_OPCODE_end)
		return false;
	for (int32_t i = at + 1; i < end; i++) {
		copies = copies || text_at(t, i)->opcode == LT_OPCODE_copy_async;
		if (t->value[i].live && text_at(t, i)->opcode != LT_OPCODE_copy_async && !is_harmless(t, text_at(t, i)))
			return false;
	}
	return copies;
}

static void begin_copy(struct text *t, const struct lt_instruction *i)
{
	const int32_t from = (int32_t)t->k->extras[i->first_extra];
	const char *mask = i->operand[2] >= 0 ? lt__text_use(t, i->operand[2]).text : "1";
	const char *to = lt__text_subscript(t, i->what, i->operand[0], i->number).text;
	const char *source = lt__text_address(t, i->operand[3], t->k->extras[i->first_extra + 1]).text;
	int64_t bytes = i->stride * lt__text_element(t->k->buffers[i->what].dtype)->bytes;
	lt__text_flush(t, true, false);
	lt__text_line(t, "%s(&%s[%s], &%s[%s], %s%s%s);", copy_function(t, bytes, t->where), t->buffer[i->what], to,
		t->buffer[from], source, mask, t->where ? ", " : "", t->where ? t->where : "");
}

/* A barrier behind a return is one that OpenCL's compilers know less of than one in a condition: PoCL without its
 * optimiser loses threads there.  So the rest of the kernel is a block (kernel.c ends it). */
static void leave(struct text *t, const struct lt_instruction *i)
{
	const char *mask = lt__text_in(t, lt__text_use(t, i->operand[0]), t->d->device->warps ? TEXT_ANY : TEXT_PRIMARY);
	if (t->d->device->warps) {
		lt__text_line(t, "if (%s)", mask);
		lt__text_line(t, "\treturn;");
	} else {
		lt__text_line(t, "if (!%s) {", mask);
		t->indent++;
	}
}

void lt__text_grid_step(struct text *t, int32_t at)
{
	const struct lt_instruction *i = text_at(t, at);
	bool asks = t->d->device->warps && i->what == LT_FLIGHT_COPIES;
	switch (i->opcode) {
	case LT_OPCODE_leave: leave(t, i); break;
	case LT_OPCODE_barrier: barrier(t, i); break;
	case LT_OPCODE_copy_async: begin_copy(t, i); break;
	case LT_OPCODE_commit:
		lt__text_flush(t, true, false);
		if (asks)
			lt__text_line(t, "asm volatile(\"cp.async.commit_group;\" ::: \"memory\");");
		break;
	case LT_OPCODE_wait:
		lt__text_flush(t, true, false);
		if (asks)
			lt__text_line(t, "asm volatile(\"cp.async.wait_group %lld;\" ::: \"memory\");", (long long)i->number);
		break;
	case LT_OPCODE_matrix: lt__text_matrix(t, at); break;
	default: break;
	}
}
