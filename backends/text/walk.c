/* walk.c -- the instructions of a region in their order, as statements.
 *
 * A value that is used once, in its own block, waits until it is used: then it stands there.  It is printed before, as
 * a constant with a name, if what it reads is about to change.
 */
#include <string.h>
#include "backends/text/part.h"

enum { MAX_TEXT = 100 };        /* of an expression that stands in another one */

static void make_value(struct text *t, int32_t i)
{
	struct text_value *v = &t->value[i];
	v->expr = lt__text_value(t, i);
	/* What threads do together is done where it stands. */
	v->pending = text_at(t, i)->opcode != LT_OPCODE_exchange && text_at(t, i)->opcode != LT_OPCODE_fragment
		&& v->uses == 1 && t->value[v->user].block == v->block && strlen(v->expr.text) <= MAX_TEXT;
	if (v->pending)
		t->pending[t->n_pending++] = i;
	else
		lt__text_name(t, i);
}

static const char *use_text(struct text *t, int32_t value) { return lt__text_use(t, value).text; }

/* A mask of several lanes has a width. */
static uint32_t variable_bits(struct text *t, int32_t variable)
{
	const struct lt_variable *v = &t->k->variables[variable];
	uint32_t *bits = &t->variable_mask_bits[variable];
	if (!t->d->packs && v->dtype == LT_LANE_MASK && v->lanes > 1 && !*bits && t->variable_get[variable])
		*bits = lt__text_user_bits(t, t->variable_get[variable] - 1);
	return *bits;
}

static const char *variable_type(struct text *t, int32_t variable)
{
	const struct lt_variable *v = &t->k->variables[variable];
	return lt__text_type(t, (struct lt_value_type){ v->dtype, v->lanes }, variable_bits(t, variable));
}

/* A value for a variable. */
static struct text_expr operand_of(struct text *t, int32_t value, int32_t variable)
{
	uint32_t bits = variable_bits(t, variable);
	return bits ? lt__text_mask(t, value, bits) : lt__text_use(t, value);
}

static void set_variable(struct text *t, int32_t i)
{
	const struct lt_instruction *x = text_at(t, i);
	struct text_expr value = operand_of(t, x->operand[0], x->what);
	const char *name = t->variable[x->what];
	lt__text_flush(t, false, true);
	if (!t->value[i].declares && strcmp(name, value.text) == 0)     /* of which compilers warn */
		return;
	lt__text_line(t, "%s%s%s = %s;", t->value[i].declares ? variable_type(t, x->what) : "",
		t->value[i].declares ? " " : "", name, value.text);
}

static void update_variable(struct text *t, int32_t i)
{
	const struct lt_instruction *x = text_at(t, i);
	const struct lt_variable *v = &t->k->variables[x->what];
	const char *name = t->variable[x->what];
	struct text_expr operand[3] = { { .text = name }, operand_of(t, x->operand[0], x->what), { 0 } };
	lt__text_flush(t, false, true);
	if (!(t->d->packs && v->lanes > 1) && (x->number == LT_OPCODE_add || x->number == LT_OPCODE_mul)
		&& lt__text_element(v->dtype)->kind == 'F' && !(t->d->madds && operand[1].factor[0])) {
		lt__text_line(t, "%s %c= %s;", name, x->number == LT_OPCODE_add ? '+' : '*', operand[1].text);
		return;
	}
	struct text_expr value = v->lanes > 1 ? (t->d->packs ? lt__text_pack_update : lt__text_update)(t, x, operand)
		: lt__text_operator(t, (uint32_t)x->number, (struct lt_value_type){ v->dtype, 1 }, operand);
	lt__text_line(t, "%s = %s;", name, value.text);
}

static void begin_array(struct text *t, const struct lt_instruction *x)
{
	const struct lt_kernel_buffer *b = &t->k->buffers[x->what];
	const char *aligned = t->d->aligned ? lt__text_formatted(t, t->d->aligned, (long long)b->align) : "";
	lt__text_line(t, "%s%s %s[%lld];", aligned, lt__text_element(b->dtype)->type, t->buffer[x->what],
		(long long)(b->elems > 0 ? b->elems : 1));
}

/* Blocks of one thread run what nobody has made for a device: copies of its loops, which NVRTC makes by itself, take it
 * seconds and gain nothing. */
static bool loop_is_rolled(const struct text *t)
{
	const struct lt_region *r = &t->k->regions[t->region];
	return t->d->device && t->d->device->rolled && r->threads[0] * r->threads[1] * r->threads[2] == 1;
}

static void begin_loop(struct text *t, int32_t i)
{
	const struct lt_instruction *x = text_at(t, i);
	const char *known = lt__text_open_loop(t, x->origin);
	const char *name = known ? known : lt__text_formatted(t, "i%d", (int)t->value[i].number);
	struct text_expr from = lt__text_use(t, x->operand[0]);
	lt__text_flush(t, true, true);
	const char *to = use_text(t, x->operand[1]);
	const char *step = x->number == 1 ? lt__text_formatted(t, "%s++", name)
		: lt__text_formatted(t, "%s += %lld", name, (long long)x->number);
	if (loop_is_rolled(t))
		lt__text_line(t, "%s", t->d->device->rolled);
	else if (t->d->unroll && x->flags & LT_INSTRUCTION_UNROLL)
		lt__text_line(t, t->d->unroll, (long long)x->stride);
	lt__text_line(t, "for (int%d_t %s = %s; %s < %s; %s) {", t->value[i].narrow ? t->value[i].narrow : 64, name,
		from.text, name, to, step);
	t->value[i].expr = (struct text_expr){ .text = name };
	t->indent++;
	/* A loop of few iterations may become a copy of its body for each, under a condition. */
	t->branches = t->branches
		|| (t->value[i].block >= 0 && text_at(t, x->operand[1])->opcode != LT_OPCODE_const);
}

static void leave_fault(struct text *t, const struct lt_instruction *x)
{
	uint32_t lanes = text_at(t, x->operand[0])->lanes;
	if (t->d->bare) {               /* what was wrong is the caller's to find: a number is all that is said */
		lt__text_line(t, "if (%s)", use_text(t, x->operand[0]));
		lt__text_line(t, "\t*fault = 1;");
		return;
	}
	const char *space = t->d->device ? t->d->device->space[LT_SPACE_SLOT] : "";
	const char *mask = lanes > 1 && !t->d->packs ? lt__text_mask(t, x->operand[0], 64).text : use_text(t, x->operand[0]);
	const char *index = lt__text_plain(t, lt__text_use(t, x->operand[1]), LT_I64).text;
	struct lt_out o = lt__out_new(&t->pool);
	lt__outf(&o, "%s%svoid lt_fault_at(%sstruct lt_kernel_fault *fault, int64_t value, int32_t stmt, int32_t access)\n"
		"{\n\tif (%s == 0) {\n\t\tfault->stmt = stmt;\n\t\tfault->access = access;\n\t\tfault->value = value;\n\t}\n}\n",
		t->d->counting, t->d->device ? t->d->inlined : "static ", space, t->d->counted);
	lt__text_define(t, "lt_fault_at", o.at);
	if (lanes > 1 && t->d->packs) {
		lt__text_line(t, "for (int i = 0; i < %u; i++)", (unsigned)lanes);
		lt__text_line(t, "\tif (%s >> i & 1)", lt__text_in(t, (struct text_expr){ .text = mask, .tight = TEXT_ANY },
			TEXT_PRIMARY));
		lt__text_line(t, "\t\tlt_fault_at(fault, (%s).v[i], %d, %d);", index, (int)x->origin, (int)x->what);
		return;
	}
	if (lanes > 1) {
		const char *each = lt__text_helper(t, "fault", (struct lt_value_type){ LT_I64, lanes });
		lt__text_line(t, "%s(fault, %s, %s, %d, %d);", each, mask, index, (int)x->origin, (int)x->what);
		return;
	}
	lt__text_line(t, "if (%s)", mask);
	lt__text_line(t, "\tlt_fault_at(fault, %s, %d, %d);", index, (int)x->origin, (int)x->what);
}

enum { ARGUMENT_BITS = 32 };    /* of a mask that is handed over */

static const char *handed(struct text *t, int32_t value)
{
	const struct lt_instruction *x = text_at(t, value);
	if (x->dtype == LT_LANE_MASK && x->lanes > 1)
		return lt__text_mask(t, value, ARGUMENT_BITS).text;
	return lt__text_plain(t, lt__text_use(t, value), x->dtype).text;
}

/* Whether the region has stores past the caches, maybe in an earlier iteration. */
static bool walk_streams(const struct text *t)
{
	const struct lt_region *r = &t->k->regions[t->region];
	for (int32_t i = r->first; i < r->first + r->n; i++)
		if (t->k->instructions[i].opcode == LT_OPCODE_store && t->k->instructions[i].flags & LT_INSTRUCTION_STREAM)
			return true;
	return false;
}

static void launch_team(struct text *t, const struct lt_instruction *x)
{
	struct lt_out values = lt__out_new(&t->pool);
	const struct text_region *u = &t->uses[x->what];
	const char *points = lt__text_plain(t, lt__text_use(t, x->operand[0]), LT_I64).text;
	for (uint32_t b = 0; b < t->k->n_buffer; b++)
		if (u->buffer[b] && t->k->buffers[b].space <= LT_SPACE_WORKSPACE)
			lt__outf(&values, ", %s", t->buffer[b]);
	for (uint32_t p = 0; p < t->k->n_param; p++)
		if (u->param[p])
			lt__outf(&values, ", %s", t->param[p]);
	for (int32_t e = 0; e < x->n_extra; e++)
		if (u->argument[e])
			lt__outf(&values, ", %s", handed(t, (int32_t)t->k->extras[x->first_extra + e]));
	lt__out(&values, u->fault ? ", fault" : "");
	lt__out(&values, u->own ? ", private_" : "");
	lt__text_flush(t, true, true);
	if (walk_streams(t)) {
		t->streams = true;
		lt__text_line(t, "LT_STREAMED();");
	}
	lt__text_line(t, "{");
	t->indent++;
	if (values.n)
		lt__text_line(t, "struct %s_%d_args args = { %s };", t->function, (int)x->what, values.at + 2);
	lt__text_line(t, "team->parallel_for(team->host, team->n_thread, %s, %s_%d_team, %s);", points, t->function,
		(int)x->what, values.n ? "&args" : "0");
	t->indent--;
	lt__text_line(t, "}");
}

/* What has a name of its own. */
static bool name_value(struct text *t, int32_t i)
{
	const struct lt_instruction *x = text_at(t, i);
	struct text_expr *e = &t->value[i].expr;
	switch (x->opcode) {
	case LT_OPCODE_const: return true;
	case LT_OPCODE_param: *e = (struct text_expr){ .text = t->param[x->what] }; return true;
	case LT_OPCODE_argument: *e = (struct text_expr){ .text = lt__text_formatted(t, "a%d", (int)x->what),
		.mask_bits = !t->d->packs && x->dtype == LT_LANE_MASK && x->lanes > 1 ? ARGUMENT_BITS : 0 }; return true;
	case LT_OPCODE_first: *e = (struct text_expr){ .text = "first" }; return true;
	case LT_OPCODE_last: *e = (struct text_expr){ .text = "last" }; return true;
	case LT_OPCODE_get: *e = (struct text_expr){ .text = t->variable[x->what], .variable = true,
		.mask_bits = variable_bits(t, x->what) }; return true;
	default: return false;
	}
}

/* Their origins are loops, or nothing that a comment would say of what is printed for them. */
static bool is_block_part(uint32_t opcode)
{
	return opcode == LT_OPCODE_loop || opcode == LT_OPCODE_if || opcode == LT_OPCODE_else || opcode == LT_OPCODE_end
		|| opcode == LT_OPCODE_variable || opcode == LT_OPCODE_array || opcode == LT_OPCODE_launch;
}

static void print_instruction(struct text *t, int32_t i)
{
	const struct lt_instruction *x = text_at(t, i);
	const struct lt_variable *v;
	t->at = is_block_part(x->opcode) ? -1 : i;
	switch (x->opcode) {
	case LT_OPCODE_set: set_variable(t, i); break;
	case LT_OPCODE_update: update_variable(t, i); break;
	case LT_OPCODE_store: lt__text_store(t, i); break;
	case LT_OPCODE_prefetch: lt__text_prefetch(t, i); break;
	case LT_OPCODE_array: begin_array(t, x); break;
	case LT_OPCODE_variable:
		v = &t->k->variables[x->what];
		if (!t->value[i].declares)
			lt__text_line(t, "%s %s = %s;", variable_type(t, x->what), t->variable[x->what], v->lanes > 1 ? "{ 0 }" : "0");
		break;
	case LT_OPCODE_fault: leave_fault(t, x); break;
	case LT_OPCODE_launch: launch_team(t, x); break;
	case LT_OPCODE_loop: begin_loop(t, i); break;
	case LT_OPCODE_if: {
		const char *mask = use_text(t, x->operand[0]);
		lt__text_flush(t, true, true);
		t->where = lt__text_copies_only(t, i) ? mask : NULL;
		if (t->where) {
			t->where = lt__text_formatted(t, "lt_if%d", (int)i);
			lt__text_line(t, "const int %s = %s;", t->where, mask);
			lt__text_line(t, "{");
		} else {
			lt__text_line(t, "if (%s) {", mask);
		}
		t->indent++;
		t->branches = true;
		break;
	}
	case LT_OPCODE_else:
	case LT_OPCODE_end:
		lt__text_flush(t, true, true);
		t->indent--;
		lt__text_line(t, x->opcode == LT_OPCODE_else ? "} else {" : "}");
		t->where = NULL;
		if (text_at(t, x->what)->opcode == LT_OPCODE_loop)
			lt__text_close_loop(t, t->value[x->what].expr.text);
		t->indent += x->opcode == LT_OPCODE_else;
		break;
	default:
		if (t->d->device && lt__text_grid_opcode(x->opcode) && t->value[i].number < 0)
			lt__text_grid_step(t, i);
		else if (!name_value(t, i))
			make_value(t, i);
		break;
	}
}

void lt__text_walk(struct text *t, int32_t region)
{
	const struct lt_region *r = &t->k->regions[region];
	t->region = region;
	t->n_pending = 0;
	t->pending = lt__pool_alloc(&t->pool, (size_t)r->n, sizeof *t->pending);
	t->fragment = lt__pool_alloc(&t->pool, t->k->n_instruction, sizeof *t->fragment);
	t->where = NULL;
	t->indent = 1;
	t->body = lt__out_new(&t->pool);
	for (int32_t i = r->first; i < r->first + r->n; i++)
		if (t->value[i].live)
			print_instruction(t, i);
	t->at = -1;
	/* What went past the caches is there for other threads only behind this: at the end, and before a launch. */
	if (t->streams)
		lt__text_line(t, "LT_STREAMED();");
	if (t->streams)
		lt__text_define(t, "LT_STREAMED", "#ifdef __SSE2__\n#define LT_STREAMED() __builtin_ia32_sfence()\n#else\n"
			"#define LT_STREAMED() ((void)0)\n#endif\n");
	t->streams = false;
}
