/* pack_memory.c -- loads and stores of several lanes, as structs (pack.c): side by side in numbers of
 * up to 16 bytes, else one after the other.  They begin at a multiple of the power of two in their bytes (lt/kernel.h).
 */
#include "backends/text/part.h"

const char *lt__text_chunk(struct text *t, uint32_t bytes, uint32_t *n)
{
	uint32_t power = 4;
	while (bytes & ((1u << power) - 1))
		power--;
	*n = bytes >> power;
	return t->d->device->chunk[power];
}

/* How lanes are reached: parameters behind the pointer, what stands for one lane's place, and what is given. */
struct pack_access {
	struct lt_value_type type;
	const char *how, *parameters, *at, *space, *suffix;
	struct text_expr x[4];
	int n;
	bool masked, whole;
};

static struct pack_access access_of(struct text *t, const struct lt_instruction *i, struct lt_value_type type,
	const struct text_expr *value)
{
	const struct lt_kernel_buffer *b = &t->k->buffers[i->what];
	struct pack_access a = { .type = type, .n = 1, .masked = i->operand[2] >= 0, .space = t->d->device->space[b->space],
		.suffix = t->d->device->suffix[b->space], .at = "p[i]", .how = "", .parameters = "" };
	a.x[0] = lt__text_subscript(t, i->what, i->operand[0], i->number);
	a.x[0].text = lt__text_formatted(t, "&%s[%s]", t->buffer[i->what], a.x[0].text);
	a.whole = i->operand[1] < 0 && i->stride == 1;
	if (i->operand[1] >= 0) {
		a.how = "_at";
		a.parameters = lt__text_formatted(t, ", %s at", lt__text_type(t, (struct lt_value_type){ LT_I64, type.lanes }, 0));
		a.at = "p[at.v[i]]";
		a.x[a.n++] = lt__text_use(t, i->operand[1]);
	} else if (!a.whole) {
		a.how = "_by";
		a.parameters = ", int64_t n";
		a.at = "p[i * n]";
		a.x[a.n++] = lt__text_literal(t, LT_I64, (uint64_t)i->stride);
	}
	if (value) {
		a.parameters = lt__text_formatted(t, "%s, %s v", a.parameters, lt__text_type(t, type, 0));
		a.x[a.n++] = *value;
	}
	if (a.masked) {
		a.parameters = lt__text_formatted(t, "%s, %s m", a.parameters, lt__text_type(t,
			(struct lt_value_type){ LT_LANE_MASK, type.lanes }, 0));
		a.x[a.n++] = lt__text_use(t, i->operand[2]);
	}
	return a;
}

/* A union of the lanes with numbers as wide as may be, and the loop over these. */
static const char *chunks_text(struct text *t, const struct pack_access *a, bool stores)
{
	uint32_t n;
	const char *chunk = lt__text_chunk(t, a->type.lanes * lt__text_element(a->type.dtype)->bytes, &n);
	const char *number = lt__text_formatted(t, "((%s%s%s *)p)[i]", stores ? "" : "const ", a->space, chunk);
	return lt__text_formatted(t,
		"\tunion { %s w[%u]; %s v; } u;\n%s#pragma unroll\n\tfor (int i = 0; i < %u; i++)\n\t\t%s;\n"
		"%s", chunk, (unsigned)n, lt__text_type(t, a->type, 0), stores ? "\tu.v = v;\n" : "", (unsigned)n, stores
		? lt__text_formatted(t, "%s = u.w[i]", number) : lt__text_formatted(t, "u.w[i] = %s", number), stores ? ""
		: "\treturn u.v;\n");
}

static const char *lanes_text(struct text *t, const struct pack_access *a, bool stores)
{
	const char *on = a->masked ? stores ? "if (m >> i & 1)\n\t\t\t" : "m >> i & 1 ? " : "";
	const char *type = lt__text_type(t, a->type, 0);
	if (stores)
		return lt__text_formatted(t, "#pragma unroll\n\tfor (int i = 0; i < %u; i++)\n\t\t%s%s = v.v[i];\n",
			(unsigned)a->type.lanes, on, a->at);
	return lt__text_formatted(t,
		"\t%s r;\n#pragma unroll\n\tfor (int i = 0; i < %u; i++)\n\t\tr.v[i] = %s%s%s;\n\treturn r;\n",
		type, (unsigned)a->type.lanes, on, a->at, a->masked ? " : 0" : "");
}

static const char *access_function(struct text *t, const struct pack_access *a, bool stores);

/* Where all lanes are on, which is usual: as if there were no mask; where none is: nothing.  Of a mask that is one
 * condition for all a compiler then sees no other case. */
static const char *all_on_text(struct text *t, const struct pack_access *a, bool stores)
{
	struct pack_access all = *a;
	all.masked = false;
	all.parameters = stores ? lt__text_formatted(t, ", %s v", lt__text_type(t, a->type, 0)) : "";
	const char *none = stores ? "\tif (!m)\n\t\treturn;\n"
		: lt__text_formatted(t, "\tif (!m) {\n\t\t%s r;\n#pragma unroll\n\t\tfor (int i = 0; i < %u; i++)\n"
			"\t\t\tr.v[i] = 0;\n\t\treturn r;\n\t}\n", lt__text_type(t, a->type, 0), (unsigned)a->type.lanes);
	return lt__text_formatted(t, "\tif (m == 0x%llxu)%s%s(p%s);\n%s%s",
		(unsigned long long)(UINT64_MAX >> (64 - a->type.lanes)), stores ? " {\n\t\t" : "\n\t\treturn ",
		access_function(t, &all, stores), stores ? ", v" : "",
		stores ? "\t\treturn;\n\t}\n" : "", none);
}

static const char *access_function(struct text *t, const struct pack_access *a, bool stores)
{
	const char *name = lt__text_formatted(t, "lt_%s_%s%s%s%s", lt__text_short(t, a->type), stores ? "store" : "load",
		a->how, a->masked ? "_on" : "", a->suffix);
	const char *type = lt__text_type(t, a->type, 0), *body;
	if (lt__nameset_find(&t->defined, name))
		return name;
	if (!a->whole)
		body = lanes_text(t, a, stores);
	else if (!a->masked)
		body = chunks_text(t, a, stores);
	else
		body = lt__text_formatted(t, "%s%s", all_on_text(t, a, stores), lanes_text(t, a, stores));
	lt__text_define(t, name, lt__text_formatted(t, "%s%s %s(%s%s%s *p%s)\n{\n%s}\n", t->d->inlined,
		stores ? "void" : type, name, stores ? "" : "const ", a->space, lt__text_element(a->type.dtype)->type,
		a->parameters, body));
	return name;
}

struct text_expr lt__text_pack_load(struct text *t, int32_t at)
{
	const struct lt_instruction *i = text_at(t, at);
	struct pack_access a = access_of(t, i, (struct lt_value_type){ i->dtype, i->lanes }, NULL);
	struct text_expr e = lt__text_called(t, access_function(t, &a, false), a.x, a.n);
	e.memory = true;
	return e;
}

void lt__text_pack_store(struct text *t, int32_t at)
{
	const struct lt_instruction *i = text_at(t, at);
	const struct text_expr value = lt__text_use(t, i->operand[3]);
	const struct lt_value_type type = { t->k->buffers[i->what].dtype, text_at(t, i->operand[3])->lanes };
	struct pack_access a = access_of(t, i, type, &value);
	lt__text_flush(t, true, false);
	lt__text_line(t, "%s;", lt__text_called(t, access_function(t, &a, true), a.x, a.n).text);
}
