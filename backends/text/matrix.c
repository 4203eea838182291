/* matrix.c -- matrix instructions of NVIDIA's devices, sm_80 and later: the fragments as words, from
 * registers or from shared memory (matrix_load.c).
 */
#include "backends/text/matrix.h"

/* mma.sync.aligned.SHAPE.row.col.TYPES of a row of lt/tile.h. */
static const char *matrix_shape(struct text *t, const struct lt_kernel_matrix *m)
{
	return lt__text_formatted(t, "m%dn%dk%d", (int)m->extent[0], (int)m->extent[1], (int)m->extent[2]);
}

static const char *matrix_factor(const struct lt_kernel_matrix *m)
{
	const uint32_t type = m->part[LT_MATRIX_A].dtype;
	return type == LT_F16 ? "f16" : type == LT_BF16 ? "bf16" : "tf32";
}

const char *lt__text_matrix_name(const struct lt_text_device *d, const struct lt_kernel_matrix *m)
{
	const struct lt_tile_row *r = d->matrices ? lt__tile_row_of(m) : NULL;
	return r ? r->matrix.name : NULL;
}

static const char *product_function(struct text *t, const struct lt_kernel_matrix *m)
{
	const char *shape = matrix_shape(t, m), *factor = matrix_factor(m);
	const char *name = lt__text_formatted(t, "lt_mma_%s_%s", shape, factor);
	const uint32_t a = text_matrix_words(m, LT_MATRIX_A), b = text_matrix_words(m, LT_MATRIX_B);
	const uint32_t c = text_matrix_words(m, LT_MATRIX_C);
	struct lt_out o = lt__out_new(&t->pool);
	lt__outf(&o, "%svoid %s(", t->d->inlined, name);
	for (uint32_t i = 0; i < c; i++)
		lt__outf(&o, "float &c%u, ", (unsigned)i);
	lt__outf(&o, "const uint32_t *a, const uint32_t *b)\n{\n"
		"\tasm volatile(\"mma.sync.aligned.%s.row.col.f32.%s.%s.f32 \"\n"
		"\t\t\"{", shape, factor, factor);
	text_matrix_numbers(&o, 0, c);
	lt__out(&o, "}, {");
	text_matrix_numbers(&o, c, a);
	lt__out(&o, "}, {");
	text_matrix_numbers(&o, c + a, b);
	lt__out(&o, "}, {");
	text_matrix_numbers(&o, 0, c);
	lt__out(&o, "};\"\n\t\t: ");
	for (uint32_t i = 0; i < c; i++)
		lt__outf(&o, "%s\"+f\"(c%u)", i ? ", " : "", (unsigned)i);
	lt__out(&o, " : ");
	for (uint32_t i = 0; i < a + b; i++)
		lt__outf(&o, "%s\"r\"(%c[%u])", i ? ", " : "", i < a ? 'a' : 'b', (unsigned)(i < a ? i : i - a));
	lt__out(&o, ");\n}\n");
	lt__text_define(t, name, o.at);
	return name;
}

/* The words of a or b. */
static void fill_words(struct text *t, const struct lt_instruction *i, const struct lt_kernel_matrix *m, int part)
{
	const struct lt_matrix_location x = lt__matrix_location(t->k, i, part);
	const int32_t value = i->operand[part];
	if (x.buffer < 0) {
		struct lt_value_type type = { m->part[part].dtype, (uint32_t)lt__matrix_lanes(m, part) };
		const char *name = lt__text_formatted(t, "lt_%s_words", lt__text_short(t, type)), *c = lt__text_type(t, type, 0);
		const unsigned n = text_matrix_words(m, part);
		lt__text_define(t, name, lt__text_formatted(t,
			"%svoid %s(uint32_t *w, %s x)\n{\n\tunion { %s v; uint32_t w[%u]; } u;\n"
			"\tu.v = x;\n#pragma unroll\n\tfor (int i = 0; i < %u; i++)\n\t\tw[i] = u.w[i];\n}\n", t->d->inlined, name, c, c, n,
			n));
		lt__text_line(t, "%s(%c, %s);", name, 'a' + part, lt__text_use(t, value).text);
		return;
	}
	lt__text_matrix_load(t, m, part, value, &x, 0, part ? "b" : "a");
}

void lt__text_matrix(struct text *t, int32_t at)
{
	const struct lt_instruction *i = text_at(t, at);
	const struct lt_kernel_matrix *m = &t->k->matrices[i->what];
	struct lt_out lanes = lt__out_new(&t->pool);
	lt__text_flush(t, true, true);
	lt__text_fragments_ahead(t, at);
	for (int32_t e = 2 * LT_MATRIX_LOCATION; e < i->n_extra; e++) {
		const int32_t v = (int32_t)t->k->extras[i->first_extra + e];
		for (uint32_t lane = 0; lane < t->k->variables[v].lanes; lane++)
			lt__outf(&lanes, t->k->variables[v].lanes > 1 ? "%s.v[%u], " : "%s, ", t->variable[v], (unsigned)lane);
	}
	lt__text_line(t, "{");
	t->indent++;
	if (lt__matrix_location(t->k, i, LT_MATRIX_A).buffer >= 0 || lt__matrix_location(t->k, i, LT_MATRIX_B).buffer >= 0) {
		t->self = true;
		lt__text_line(t, "const int lt_lane = lt_self & 31;");
	}
	lt__text_line(t, "uint32_t a[%u], b[%u];", (unsigned)text_matrix_words(m, LT_MATRIX_A),
		(unsigned)text_matrix_words(m, LT_MATRIX_B));
	fill_words(t, i, m, LT_MATRIX_A);
	fill_words(t, i, m, LT_MATRIX_B);
	lt__text_line(t, "%s(%sa, b);", product_function(t, m), lanes.at);
	t->indent--;
	lt__text_line(t, "}");
}
