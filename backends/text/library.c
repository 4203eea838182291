/* library.c -- functions over vectors that the C library has (library.def), a register at a time.
 *
 * A symbol of libmvec tells its registers: b has 16 bytes, d 32 (AVX2), e 64 (AVX-512).  Which the processor has, the
 * compiler knows.
 */
#include "backends/text/part.h"

enum { F64 = 1 << LT_F64, FLOATS = 1 << LT_F32 | F64 };
static const struct library_function { uint16_t opcode, types; int n; const char *name; } functions[] = {
#define FUNCTION(name, n, types, since) { LT_OPCODE_##name, types, n, #name },
#include "backends/text/library.def"
#undef FUNCTION
};

static const struct library_register { char letter; uint32_t bytes; const char *macro; } registers[] = {
	{ 'e', 64, "__AVX512F__" }, { 'd', 32, "__AVX2__" }, { 'b', 16, NULL }
};
enum { N_REGISTER = sizeof registers / sizeof *registers };

static const struct library_function *library_find(uint32_t opcode, struct lt_value_type type)
{
	for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
		if (functions[i].opcode == opcode && functions[i].types >> type.dtype & 1 && type.lanes > 1)
			return &functions[i];
	return NULL;
}

/* The function by calls for one kind of register.  Lanes of the last one that are too many repeat the last lane: what
 * is there by chance may take longer. */
static void print_calls(struct text *t, struct lt_out *o, const struct library_function *f, struct lt_value_type type,
	const struct library_register *r, const char *name)
{
	const struct text_element *e = lt__text_element(type.dtype);
	const unsigned part = r->bytes / e->bytes, n = (type.lanes + part - 1) / part;
	const char *vector = lt__text_type(t, type, 0);
	const char *of_part = lt__text_type(t, (struct lt_value_type){ type.dtype, part }, 0);
	const char *symbol = lt__text_formatted(t, "_ZGV%cN%u%s_%s%s", r->letter, part, f->n == 1 ? "v" : "vv", f->name,
		e->bytes == 4 ? "f" : "");
	bool two = f->n == 2;
	lt__outf(o, "__attribute__((const)) %s %s(%s%s%s);\n", of_part, symbol, of_part, two ? ", " : "", two ? of_part : "");
	lt__outf(o, "LT_LANES %s %s(%s a%s%s%s)\n{\n", vector, name, vector, two ? ", " : "", two ? vector : "",
		two ? " b" : "");
	if (type.lanes == part) {
		lt__outf(o, "\treturn %s(a%s);\n}\n", symbol, two ? ", b" : "");
		return;
	}
	lt__outf(o, "\tunion { %s v; %s part[%u]; %s lane[%u]; } x = { a }", vector, of_part, n, e->type, n * part);
	lt__out(o, two ? ", y = { b };\n" : ";\n");
	if (n * part > type.lanes)
		lt__outf(o, "\tfor (int i = %u; i < %u; i++)\n\t\tx.lane[i] = x.lane[%u]%s%s;\n", (unsigned)type.lanes, n * part,
			(unsigned)type.lanes - 1, two ? ", y.lane[i] = y.lane[" : "",
			two ? lt__text_formatted(t, "%u]", (unsigned)type.lanes - 1) : "");
	lt__outf(o, "\tfor (int i = 0; i < %u; i++)\n\t\tx.part[i] = %s(x.part[i]%s);\n\treturn x.v;\n}\n", n, symbol,
		two ? ", y.part[i]" : "");
}

const char *lt__text_library(struct text *t, uint32_t opcode, struct lt_value_type type)
{
	const struct library_function *f = library_find(opcode, type);
	if (!f)
		return NULL;
	const char *name = lt__text_formatted(t, "lt_%s_%s", lt__text_short(t, type), f->name);
	struct lt_out o = lt__out_new(&t->pool);
	uint32_t bytes = type.lanes * lt__text_element(type.dtype)->bytes;
	lt__text_define(t, "LT_LANES", "#define LT_LANES static inline __attribute__((always_inline, unused))\n");
	for (int r = 0; r < N_REGISTER; r++) {
		if (registers[r].macro && 2 * bytes <= registers[r].bytes)
			continue;
		if (registers[r].macro)
			lt__outf(&o, o.n ? "#elif defined(%s)\n" : "#if defined(%s)\n", registers[r].macro);
		else
			lt__out(&o, o.n ? "#else\n" : "");
		print_calls(t, &o, f, type, &registers[r], name);
	}
	lt__out(&o, o.at[0] == '#' ? "#endif\n" : "");
	lt__text_define(t, name, o.at);
	return name;
}
