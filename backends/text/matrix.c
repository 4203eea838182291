/* matrix.c -- matrix instructions of NVIDIA's devices, sm_80 and later: the fragments as words, from registers or from
 * shared memory, and the products.
 */
#include <string.h>
#include "backends/text/part.h"
#include "kernel/form/form.h"

/* Registers that a thread's part of a or b is. */
static uint32_t text_matrix_words(const struct lt_kernel_matrix *m, int part)
{
	return (uint32_t)lt__matrix_lanes(m, part) * lt__text_element(m->part[part].dtype)->bytes / 4;
}
/* "%FIRST, %FIRST+1 ...", n of them. */
static void text_matrix_numbers(struct lt_out *o, uint32_t first, uint32_t n)
{
	for (uint32_t w = 0; w < n; w++)
		lt__outf(o, "%s%%%u", w ? ", " : "", (unsigned)(first + w));
}

/* -- fragments from shared memory: rows of eight halves by ldmatrix where they lie so, two fragments together where
 * four words can be had at once; else element by element. -- */

/* The sum of what bits of lt_lane add along an axis; those that follow one another are taken together. */
static const char *coordinate(struct text *t, const struct lt_matrix_bit *bit, int n, int axis)
{
	struct lt_out o = lt__out_new(&t->pool);
	for (int b = 0, run; b < n; b += run) {
		for (run = 1; bit[b].axis == axis && b + run < n && bit[b + run].axis == axis
			&& bit[b + run].power == bit[b].power + run; run++)
			;
		if (bit[b].axis == axis)
			lt__outf(&o, "%s(lt_lane >> %d & %d) * %d", o.n ? " + " : "", b, (1 << run) - 1, 1 << bit[b].power);
	}
	return o.n ? o.at : "0";
}

static const char *swizzle_function(struct text *t)
{
	lt__text_define(t, "lt_swizzled", lt__text_formatted(t,
		"%sconst void *lt_swizzled(const void *p, const uint8_t *shared, "
		"uint32_t mask)\n{\n\tuint32_t at = (uint32_t)((const uint8_t *)p - shared);\n"
		"\treturn shared + (at ^ (at >> 7 & mask) << 4);\n}\n", t->d->inlined));
	return "lt_swizzled";
}

/* Elements of shared memory, one by one, as words. */
static const char *gather_function(struct text *t, const struct lt_kernel_matrix *m, int part)
{
	const struct lt_matrix_part *p = &m->part[part];
	const char *name = lt__text_formatted(t, "lt_matrix%d_%c", (int)(m - t->k->matrices), 'a' + part);
	const char *type = lt__text_element(p->dtype)->type;
	const int lanes = (int)lt__matrix_lanes(m, part), axis[2] = { lt__matrix_row_axis(part),
		lt__matrix_column_axis(part) };
	struct lt_out o = lt__out_new(&t->pool);
	lt__outf(&o, "%svoid %s(uint32_t *w, const %s *p, int64_t rows, int64_t columns, const uint8_t *shared, uint32_t "
		"mask, int lt_lane)\n{\n\tunion { %s v[%d]; uint32_t w[%u]; } u;\n\tp += (%s) * rows + (%s) * columns;\n",
		t->d->inlined, name, type, type, lanes, (unsigned)text_matrix_words(m, part),
		coordinate(t, p->thread, p->n_thread, axis[0]),
		coordinate(t, p->thread, p->n_thread, axis[1]));
	for (int r = 0; r < lanes; r++) {
		int at[3] = { 0, 0, 0 };
		for (int b = 0; b < p->n_element; b++)
			at[p->element[b].axis] += (r >> b & 1) << p->element[b].power;
		lt__outf(&o, "\tu.v[%d] = *(const %s *)%s(p + %d * rows + %d * columns, shared, mask);\n", r, type,
			swizzle_function(t),
			at[axis[0]], at[axis[1]]);
	}
	lt__outf(&o, "#pragma unroll\n\tfor (int i = 0; i < %u; i++)\n\t\tw[i] = u.w[i];\n}\n",
		(unsigned)text_matrix_words(m, part));
	lt__text_define(t, name, o.at);
	return name;
}

/* A power of two of which the value is a multiple, as far as its operators tell. */
static int64_t multiple_of(const struct text *t, int32_t value, int depth)
{
	enum { ENOUGH = 1024, MAX_DEPTH = 12 };
	if (value < 0)
		return ENOUGH;
	const struct lt_instruction *i = text_at(t, value);
	int64_t x, y, number = i->opcode == LT_OPCODE_loop || i->opcode == LT_OPCODE_const ? i->number : 0;
	if (i->opcode == LT_OPCODE_const)
		return number == 0 || number % ENOUGH == 0 ? ENOUGH : number & -number;
	if (depth == MAX_DEPTH || (i->opcode != LT_OPCODE_mul && i->opcode != LT_OPCODE_add && i->opcode != LT_OPCODE_sub
		&& i->opcode != LT_OPCODE_loop))
		return 1;
	x = multiple_of(t, i->operand[0], depth + 1);
	if (i->opcode == LT_OPCODE_loop)
		y = number % ENOUGH == 0 ? ENOUGH : number & -number;
	else
		y = multiple_of(t, i->operand[1], depth + 1);
	if (i->opcode == LT_OPCODE_mul)
		return x * y > ENOUGH ? ENOUGH : x * y;
	return x < y ? x : y;
}

/* Whether ldmatrix can load it: rows of eight halves side by side, at multiples of 16 bytes; *across: the other way
 * round than the fragment has them. */
static bool loads_rows(const struct text *t, const struct lt_kernel_matrix *m, int part, int32_t address,
	const struct lt_matrix_location *x, bool *across)
{
	const struct lt_matrix_part *p = &m->part[part];
	if (lt__text_element(p->dtype)->bytes != 2)
		return false;
	bool pairs_are_columns = p->element[0].axis == lt__matrix_column_axis(part);
	*across = x->stride[pairs_are_columns] != 1;
	int64_t side = x->stride[*across ? !pairs_are_columns : pairs_are_columns];
	int64_t other = x->stride[*across ? pairs_are_columns : !pairs_are_columns];
	return side == 1 && other % 8 == 0 && x->number % 8 == 0 && multiple_of(t, address, 0) % 8 == 0
		&& t->k->buffers[x->buffer].align >= 16;
}

/* Which row of eight a lane names: by bits of its number; further: elements that the bit above them adds. */
struct text_rows { struct lt_matrix_bit bit[3 + LT_MATRIX_BITS]; int n; int64_t further; };

/* Which bits the number of an element may have that a thread's row begins at, without the constant part. */
static int64_t bits_of_rows(const struct text *t, int32_t address, const struct lt_matrix_location *x,
	const struct text_rows *r, int column)
{
	const int64_t multiple = multiple_of(t, address, 0);
	int64_t bits = -multiple;
	for (int b = 0; b <= r->n; b++) {
		int64_t more = b == r->n ? r->further : x->stride[r->bit[b].axis == column] << r->bit[b].power;
		int64_t low = more & (multiple - 1);
		if ((low & (low - 1)) || (bits & low))
			return -1;
		bits |= low;
	}
	return bits;
}

/* What is added for the lane's row: "(lt_lane >> 0 & 15) * 64 + ...". */
static const char *row_of_lane(
	struct text *t, int part, const struct lt_matrix_location *x, const struct text_rows *r)
{
	struct lt_out o = lt__out_new(&t->pool);
	for (int i = 0; i < 2; i++) {
		int axis = i ? lt__matrix_column_axis(part) : lt__matrix_row_axis(part);
		lt__outf(&o, " + (%s) * %lld", coordinate(t, r->bit, r->n, axis), (long long)x->stride[i]);
	}
	if (r->further)
		lt__outf(&o, " + (lt_lane >> %d & 1) * %lld", r->n, (long long)r->further);
	return o.at;
}

/* In a buffer with a swizzle.  A constant part that has other bits than the rest is xored, too, so that the rest is
 * computed once for many matrices. */
static const char *swizzled_row(struct text *t, int part, int32_t address,
	const struct lt_matrix_location *x, const struct text_rows *r)
{
	const int32_t buffer = (int32_t)x->buffer;
	const int64_t bytes = lt__text_element(t->k->buffers[buffer].dtype)->bytes;
	const int64_t low = x->number & (lt__text_swizzle_period(t, buffer) - 1);
	bool apart = (bits_of_rows(t, address, x, r, lt__matrix_column_axis(part)) & low) == 0;
	const char *row = lt__text_formatted(t, "%s%s", lt__text_address(t, address, apart ? 0 : low).text,
		row_of_lane(t, part, x, r));
	const int64_t flip = apart ? lt__swizzled_byte(low * bytes, t->k->buffers[buffer].swizzle) / bytes : 0;
	return lt__text_formatted(t, "&%s[(%s ^ %lld) + %lld]", t->buffer[buffer], lt__text_swizzled(t, buffer, row),
		(long long)flip, (long long)(x->number - low));
}

static const char *load_function(struct text *t, uint32_t n, bool across)
{
	struct lt_out o = lt__out_new(&t->pool);
	const char *name = lt__text_formatted(t, "lt_ldmatrix_x%u%s", (unsigned)n, across ? "_trans" : "");
	lt__outf(&o, "%svoid %s(uint32_t *w, const void *p)\n{\n\tasm volatile(\"ldmatrix.sync.aligned.m8n8.x%u%s"
		".shared.b16 {", t->d->inlined, name, (unsigned)n, across ? ".trans" : "");
	text_matrix_numbers(&o, 0, n);
	lt__outf(&o, "}, [%%%u];\"\n\t\t: ", (unsigned)n);
	for (uint32_t w = 0; w < n; w++)
		lt__outf(&o, "%s\"=r\"(w[%u])", w ? ", " : "", (unsigned)w);
	lt__out(&o, " : \"r\"((uint32_t)__cvta_generic_to_shared(p)) : \"memory\");\n}\n");
	lt__text_define(t, name, o.at);
	return name;
}

/* Lane 8 j + i says where row i of matrix j is. */
static void load_rows(struct text *t, const struct lt_kernel_matrix *m, int part, int32_t address,
	const struct lt_matrix_location *x, int64_t further, bool across, const char *words)
{
	const struct lt_matrix_part *p = &m->part[part];
	const int row = lt__matrix_row_axis(part), column = lt__matrix_column_axis(part);
	struct text_rows r = { .n = 2 + p->n_element, .further = further };
	const int eight = p->element[0].axis == row ? column : row;
	for (uint8_t b = 0; b < 3; b++)
		r.bit[b] = (struct lt_matrix_bit){ (uint8_t)(across ? p->element[0].axis : eight), b };
	memcpy(r.bit + 3, p->element + 1, (size_t)(p->n_element - 1) * sizeof *r.bit);
	const char *at = t->k->buffers[x->buffer].swizzle ? swizzled_row(t, part, address, x, &r)
		: lt__text_formatted(t, "&%s[%s]%s", t->buffer[x->buffer], lt__text_address(t, address, x->number).text,
			row_of_lane(t, part, x, &r));
	if (x->swizzle)
		at = lt__text_formatted(t, "%s(%s, lt_shared, %lld)", swizzle_function(t), at,
			(long long)lt__swizzle_mask(x->swizzle));
	lt__text_line(t, "%s(%s, %s);", load_function(t, text_matrix_words(m, part) * (further ? 2 : 1), across), words, at);
}

/* Fills the array `words` with a fragment from shared memory, and, if `further` is not 0, with the one that is so many
 * elements behind it. */
static void matrix_load(struct text *t, const struct lt_kernel_matrix *m, int part, int32_t address,
	const struct lt_matrix_location *x, int64_t further, const char *words)
{
	bool across = false;
	if (loads_rows(t, m, part, address, x, &across)) {
		load_rows(t, m, part, address, x, further, across, words);
		return;
	}
	lt__text_line(t, "%s(%s, &%s[%s], %lld, %lld, lt_shared, %lld, lt_lane);", gather_function(t, m, part), words,
		t->buffer[x->buffer], lt__text_address(t, address, x->number).text, (long long)x->stride[0],
		(long long)x->stride[1], (long long)lt__swizzle_mask(x->swizzle ? x->swizzle
			: t->k->buffers[x->buffer].swizzle));
}

/* Whether what a fragment reads is the same behind the instruction, in the same block. */
static bool keeps_shared(const struct lt_instruction *i)
{
	return (i->opcode < LT_OPCODE_fault && i->opcode != LT_OPCODE_store) || i->opcode == LT_OPCODE_get
		|| i->opcode == LT_OPCODE_set || i->opcode == LT_OPCODE_update || i->opcode == LT_OPCODE_variable
		|| i->opcode == LT_OPCODE_matrix || i->opcode == LT_OPCODE_fragment || i->opcode == LT_OPCODE_array;
}

/* A fragment behind this one that one instruction reads with it: ldmatrix has four words, and this one two.  -1. */
static int32_t fragment_beside(const struct text *t, int32_t at)
{
	const struct lt_instruction *i = text_at(t, at);
	const struct lt_matrix_location x = lt__matrix_location(t->k, i, 0);
	const struct lt_kernel_matrix *m = &t->k->matrices[i->what];
	const struct lt_region *r = &t->k->regions[t->region];
	bool across;
	if (text_matrix_words(m, (int)i->number) != 2 || !loads_rows(t, m, (int)i->number, i->operand[0], &x, &across))
		return -1;
	for (int32_t n = at + 1; n < r->first + r->n && keeps_shared(text_at(t, n)); n++) {
		const struct lt_instruction *j = text_at(t, n);
		if (j->opcode != LT_OPCODE_fragment || j->what != i->what || j->number != i->number
			|| j->operand[0] != i->operand[0] || !t->value[n].live || t->fragment[n])
			continue;
		const struct lt_matrix_location y = lt__matrix_location(t->k, j, 0);
		if (y.buffer == x.buffer && y.stride[0] == x.stride[0] && y.stride[1] == x.stride[1] && y.swizzle == x.swizzle
			&& y.number > x.number && (y.number - x.number) % 8 == 0)
			return n;
	}
	return -1;
}

static const char *fragment_function(struct text *t, const struct lt_instruction *i)
{
	const struct lt_value_type type = { i->dtype, i->lanes };
	const char *c = lt__text_type(t, type, 0);
	const char *name = lt__text_formatted(t, "lt_%s_of_words", lt__text_short(t, type));
	const unsigned n = text_matrix_words(&t->k->matrices[i->what], (int)i->number);
	lt__text_define(t, name, lt__text_formatted(t,
		"%s%s %s(const uint32_t *w)\n{\n\tunion { %s v; uint32_t w[%u]; } u;\n"
		"#pragma unroll\n\tfor (int i = 0; i < %u; i++)\n\t\tu.w[i] = w[i];\n\treturn u.v;\n}\n", t->d->inlined, c, name, c,
		n, n));
	return name;
}

/* Reads it, and one beside it. */
static void read_fragment(struct text *t, int32_t at)
{
	const struct lt_instruction *i = text_at(t, at);
	const struct lt_matrix_location x = lt__matrix_location(t->k, i, 0);
	const int32_t beside = fragment_beside(t, at);
	const unsigned n = text_matrix_words(&t->k->matrices[i->what], (int)i->number);
	const char *words = lt__text_formatted(t, "lt_w%d", (int)t->value[at].number);
	t->self = true;
	lt__text_line(t, "uint32_t %s[%u];", words, beside < 0 ? n : 2 * n);
	lt__text_line(t, "{");
	t->indent++;
	lt__text_line(t, "const int lt_lane = lt_self & 31;");
	matrix_load(t, &t->k->matrices[i->what], (int)i->number, i->operand[0], &x, beside < 0 ? 0
		: lt__matrix_location(t->k, text_at(t, beside), 0).number - x.number, words);
	t->indent--;
	lt__text_line(t, "}");
	t->fragment[at] = words;
	if (beside >= 0)
		t->fragment[beside] = lt__text_formatted(t, "%s + %u", words, n);
}

/* In front of a product: the fragments of those that follow soon, so that they are read meanwhile.  Assemblers keep
 * reads and products in the order in which they are written. */
static void fragments_ahead(struct text *t, int32_t at)
{
	enum { PRODUCTS = 32, WORDS = 64 };     /* registers: as many as two warps' parts of 64 by 16 elements take */
	const struct lt_region *r = &t->k->regions[t->region];
	uint32_t words = 0;
	int products = 0;
	for (int32_t i = at + 1; i < r->first + r->n && products < PRODUCTS && keeps_shared(text_at(t, i)); i++) {
		const struct lt_instruction *x = text_at(t, i);
		products += x->opcode == LT_OPCODE_matrix;
		if (x->opcode != LT_OPCODE_fragment || !t->value[i].live)
			continue;
		words += text_matrix_words(&t->k->matrices[x->what], (int)x->number);
		if (words > WORDS || x->operand[0] >= at)
			return;
		if (!t->fragment[i])
			read_fragment(t, i);
	}
}

struct text_expr lt__text_fragment(struct text *t, int32_t at)
{
	const char *name = fragment_function(t, text_at(t, at));
	if (!t->fragment[at]) {
		lt__text_flush(t, true, true);
		read_fragment(t, at);
	}
	return (struct text_expr){ .text = lt__text_formatted(t, "%s(%s)", name, t->fragment[at]), .memory = true };
}

/* -- products -- */

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
	matrix_load(t, m, part, value, &x, 0, part ? "b" : "a");
}

void lt__text_matrix(struct text *t, int32_t at)
{
	const struct lt_instruction *i = text_at(t, at);
	const struct lt_kernel_matrix *m = &t->k->matrices[i->what];
	struct lt_out lanes = lt__out_new(&t->pool);
	lt__text_flush(t, true, true);
	fragments_ahead(t, at);
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
