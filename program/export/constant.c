/* Constants of an exported program: which bytes a run reads, and how they are written. */
#include <string.h>
#include "lt/kernel.h"
#include "program/nest/nest.h"
#include "program/export/export.h"

static void constant_use(struct lt_export *x, int32_t storage)
{
	const struct lt_program *p = x->p;
	const struct lt_storage *s = storage >= 0 ? &p->nests.assigned.storage[storage] : NULL;
	if (!s || !lt__space_is_early(s->space) || x->constant_of[storage] >= 0 || s->elems == 0)
		return;
	const int64_t end = lt__export_constant_bytes(x);
	const struct lt_addresses at = { .constant = p->constants.data, .prepared = x->prepared };
	x->constant_of[storage] = x->n_constant;
	x->constant[x->n_constant] = (struct lt_export_constant){ .storage = storage,
		.name = lt__arena_format(x->a, "%s_constant%d", x->o.name, (int)x->n_constant),
		.at = lt__storage_address(p, storage, &at),
		.bytes = (int64_t)lt__storage_bytes(s),
		.offset = (end + LT_EXPORT_ALIGN - 1) / LT_EXPORT_ALIGN * LT_EXPORT_ALIGN };
	x->n_constant++;
}

void lt__export_constants(struct lt_export *x)
{
	const struct lt_program *p = x->p;
	const int32_t n = p->nests.assigned.n_storage;
	x->constant = LT_NEW(x->a, struct lt_export_constant, n + 1);
	x->constant_of = LT_NEW(x->a, int32_t, n + 1);
	for (int32_t i = 0; i < n; i++)
		x->constant_of[i] = -1;
	for (int32_t i = 0; i < p->plan.n_run; i++) {
		const struct lt_pstep *s = &p->plan.run[i];
		const struct lt_frozen *f = s->kind == LT_STEP_RUN ? &p->nests.frozen[s->nest] : NULL;
		const struct lt_blocks *b = s->kind == LT_STEP_BLOCKS ? p->nests.blocks[s->nest] : NULL;
		if (s->kind == LT_STEP_COPY)
			constant_use(x, s->from);
		for (int32_t k = 0; f && k < f->n_bind; k++)
			constant_use(x, f->bind[k].storage);
		for (int32_t k = 0; b && k < b->n; k++)
			constant_use(x, b->at[k].from);
	}
}

/* A kernel of one's own reads by plain pointers. */
const char *lt__export_flash(const struct lt_export *x, int32_t storage)
{
	const struct lt_program *p = x->p;
	for (int32_t i = 0; x->o.flash && i < p->plan.n_run; i++) {
		const struct lt_pstep *s = &p->plan.run[i];
		const struct lt_frozen *f = s->kind == LT_STEP_RUN ? &p->nests.frozen[s->nest] : NULL;
		for (int32_t k = 0; f && lt_kernel_own_name(&f->tree) && k < f->n_bind; k++)
			if (f->bind[k].storage == storage)
				return NULL;
	}
	return x->o.flash;
}

static const struct lt_dtypeinfo *constant_type(const struct lt_export *x, const struct lt_export_constant *c)
{
	return lt__dtype_info(x->p->nests.assigned.storage[c->storage].dtype);
}

static void constant_declaration(const struct lt_export *x, struct lt_text *t, const struct lt_export_constant *c)
{
	const struct lt_dtypeinfo *type = constant_type(x, c);
	const char *flash = lt__export_flash(x, c->storage);
	lt__text_format(t, "extern const %s%s%s %s[%lld]%s;\n", flash ? flash : "", flash ? " " : "",
		type->ctype, c->name, (long long)(c->bytes / type->bytes),
		x->o.strict ? "" : lt__arena_format(x->a, " %s_HIDDEN", x->upper));
}

/* The function's file and the constants' declare them alike. */
void lt__export_extern(const struct lt_export *x, struct lt_text *t)
{
	if (!x->n_constant)
		return;
	if (!x->o.strict)
		lt__text_format(t, "#ifdef __ELF__\n#define %s_HIDDEN __attribute__((visibility(\"hidden\")))\n#else\n"
			"#define %s_HIDDEN\n#endif\n", x->upper, x->upper);
	if (x->o.data != LT_EXPORT_ARRAYS)
		lt__text_format(t, "extern const unsigned char %s_bytes[%lld]%s;\n", x->o.name,
			(long long)lt__export_constant_bytes(x), x->o.strict ? "" : lt__arena_format(x->a, " %s_HIDDEN", x->upper));
	else
		for (int32_t i = 0; i < x->n_constant; i++)
			constant_declaration(x, t, &x->constant[i]);
	lt__text_add(t, "\n", 1);
}

/* Exact, and the same in every locale. */
static void float_text(struct lt_text *t, double v, const char *suffix)
{
	uint64_t bits;
	memcpy(&bits, &v, sizeof bits);
	const char *sign = bits >> 63 ? "-" : "";
	const int exponent = (int)(bits >> 52 & 2047);
	uint64_t m = bits & 0xfffffffffffffu;
	int digits = 13;
	if (exponent == 2047) {
		lt__text_format(t, "%s%s", m ? "" : sign, m ? "NAN" : "INFINITY");
		return;
	}
	if (exponent == 0 && m == 0) {
		lt__text_format(t, "%s0.0%s", sign, suffix);
		return;
	}
	while (digits > 1 && (m & 15) == 0)
		m >>= 4, digits--;
	lt__text_format(t, "%s0x%d.%0*llxp%d%s", sign, exponent != 0, digits, (unsigned long long)m,
		exponent ? exponent - 1023 : -1022, suffix);
}

static void element_text(struct lt_text *t, const void *at, int64_t i, enum lt_dtype dtype)
{
	float single;
	double number;
	uint16_t half;
	union lt_scalar v;
	switch (dtype) {
	case LT_F32:
		memcpy(&single, (const char *)at + i * 4, sizeof single);
		float_text(t, (double)single, "f");
		return;
	case LT_F64:
		memcpy(&number, (const char *)at + i * 8, sizeof number);
		float_text(t, number, "");
		return;
	case LT_F16:
	case LT_BF16:
		memcpy(&half, (const char *)at + i * 2, sizeof half);
		lt__text_format(t, "0x%04x", (unsigned)half);
		return;
	default:
		v = lt__load(at, i, dtype);
		if (dtype == LT_U32 || dtype == LT_U64)
			lt__text_format(t, "%su", lt__whole_text(v, dtype).text);
		else if (v.i == INT64_MIN)
			lt__text_format(t, "(-9223372036854775807 - 1)");
		else if (dtype == LT_I32 && v.i == INT32_MIN)
			lt__text_format(t, "(-2147483647 - 1)");
		else
			lt__text_format(t, "%lld", (long long)v.i);
	}
}

static void constant_array(
	const struct lt_export *x, struct lt_text *t, const struct lt_export_constant *c, lt_write *write, void *user)
{
	const struct lt_dtypeinfo *type = constant_type(x, c);
	const int64_t n = c->bytes / type->bytes;
	if (!x->o.strict)
		lt__text_format(t, "%s_ALIGNED(%d)\n", x->upper, (int)LT_EXPORT_ALIGN);
	const char *flash = lt__export_flash(x, c->storage);
	lt__text_format(t, "const %s%s%s %s[%lld] = {", flash ? flash : "", flash ? " " : "", type->ctype,
		c->name, (long long)n);
	for (int64_t i = 0; i < n; i++) {
		lt__text_format(t, "%s", i % 8 ? " " : "\n\t");
		element_text(t, c->at, i, x->p->nests.assigned.storage[c->storage].dtype);
		lt__text_add(t, ",", 1);
		if (t->n > 1 << 16) {
			write(user, t->at, t->n);
			t->n = 0;
		}
	}
	lt__text_format(t, "\n};\n");
}

static const char *path_text(const struct lt_export *x, const char *path)
{
	struct lt_text t = { .arena = x->a };
	for (const char *c = path; *c; c++)     /* a string of the assembler, in a string of C */
		lt__text_format(&t, "%s%c", *c == '\\' ? "\\\\\\" : *c == '"' ? "\\\\\\" : "", *c);
	return t.n ? t.at : "";
}

lt_status lt__export_define(const struct lt_export *x, lt_write *write, void *user)
{
	struct lt_text t = { .arena = x->a };
	if (x->o.data == LT_EXPORT_LOADED) {
		lt__text_format(&t, "/* %s\n * Where the constants are put. */\n"
			"unsigned char %s_bytes[%lld] __attribute__((aligned(%d), visibility(\"hidden\")));\n", x->o.about, x->o.name,
			(long long)(lt__export_constant_bytes(x) + 7) / 8 * 8, (int)LT_EXPORT_ALIGN);
		write(user, t.at, t.n);
		return LT_OK;
	}
	lt__text_format(&t, "/* %s\n * The constants. */\n%s#include <stdint.h>\n", x->o.about,
		x->o.integer ? "" : "#include <math.h>\n");
	lt__export_extern(x, &t);
	if (!x->o.strict)
		lt__text_format(&t, "#ifdef __GNUC__\n#define %s_ALIGNED(n) __attribute__((aligned(n)))\n#else\n"
			"#define %s_ALIGNED(n)\n#endif\n", x->upper, x->upper);
	if (x->o.data == LT_EXPORT_INCBIN && x->n_constant)
		lt__text_format(&t, "__asm__(\".pushsection .rodata\\n\"\n\t\".balign %d\\n\"\n\t\".globl %s_bytes\\n\"\n"
			"\t\".hidden %s_bytes\\n\"\n\t\"%s_bytes:\\n\"\n\t\".incbin \\\"%s\\\"\\n\"\n\t\".popsection\\n\");\n",
			(int)LT_EXPORT_ALIGN, x->o.name, x->o.name, x->o.name, path_text(x, x->o.bytes));
	for (int32_t i = 0; x->o.data == LT_EXPORT_ARRAYS && i < x->n_constant; i++) {
		lt__text_add(&t, "\n", 1);
		constant_array(x, &t, &x->constant[i], write, user);
	}
	write(user, t.at, t.n);
	return LT_OK;
}

void lt__export_bytes(const struct lt_export *x, lt_write *write, void *user)
{
	static const char zeros[LT_EXPORT_ALIGN];
	int64_t end = 0;
	for (int32_t i = 0; i < x->n_constant; i++) {
		const struct lt_export_constant *c = &x->constant[i];
		if (c->offset > end)
			write(user, zeros, (size_t)(c->offset - end));
		write(user, c->at, (size_t)c->bytes);
		end = c->offset + c->bytes;
	}
}
