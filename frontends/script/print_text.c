/* print_text.c -- numbers, names, shapes and sums as a script has them. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "frontends/script/printer.h"

/* The shortest decimal that is read as the value. */
static void say_float(struct lt_text *t, uint64_t bits, enum lt_dtype dtype)
{
	double x = lt__scalar_of(bits, dtype).f;
	union lt_scalar nan = { .f = NAN };
	char text[40];
	if (isnan(x)) {
		if (bits == lt__bits_of(lt__round_to(nan, dtype), dtype))
			lt__text_format(t, "nan");
		else
			lt__text_format(t, "bits(0x%llx)", (unsigned long long)bits);
		return;
	}
	for (int digits = 1; digits <= 17; digits++) {
		snprintf(text, sizeof text, "%.*g", digits, x);
		if (lt__bits_of(lt__round_to((union lt_scalar){ .f = strtod(text, NULL) }, dtype), dtype) == bits)
			break;
	}
	for (char *c = text; *c; c++)   /* the point of the locale */
		if (!strchr("0123456789+-einf", *c))
			*c = '.';
	lt__text_format(t, "%s", text);
}

void lt__say_bits(struct lt_text *t, uint64_t bits, enum lt_dtype dtype)
{
	enum lt_class cls = lt__dtype_info(dtype)->cls;
	if (cls == LT_CLASS_FLOAT)
		say_float(t, bits, dtype);
	else if (cls == LT_CLASS_BOOL)
		lt__text_format(t, "%s", lt__scalar_of(bits, dtype).i ? "true" : "false");
	else if (dtype == LT_U64)
		lt__text_format(t, "%llu", (unsigned long long)bits);
	else
		lt__text_format(t, "%lld", (long long)lt__scalar_of(bits, dtype).i);
}

void lt__say_string(struct lt_text *t, const char *text)
{
	static const char special[] = "\"\\\n\t", letter[] = "\"\\nt";
	lt__text_add(t, "\"", 1);
	for (; *text; text++) {
		const char *found = strchr(special, *text);
		if (found)
			lt__text_format(t, "\\%c", letter[found - special]);
		else if ((unsigned char)*text < ' ' || *text == 0x7f)
			lt__text_format(t, "\\x%02x", (unsigned char)*text);
		else
			lt__text_add(t, text, 1);
	}
	lt__text_add(t, "\"", 1);
}

void lt__say_name(struct lt_text *t, const char *name, const char *stop)
{
	bool plain = *name && *name != '#' && strncmp(name, "//", 2) != 0 && !strpbrk(name, stop);
	for (const char *c = name; *c && plain; c++)
		plain = (unsigned char)*c > ' ' && *c != 0x7f;
	if (plain) {
		lt__text_format(t, "%s", name);
	} else {
		lt__text_format(t, "text ");
		lt__say_string(t, name);
	}
}

void lt__say_factor(struct lt_text *t, bool first, int64_t by, bool atom)
{
	uint64_t size = by < 0 ? 0 - (uint64_t)by : (uint64_t)by;
	lt__text_format(t, "%s", first ? (by < 0 ? "-" : "") : by < 0 ? " - " : " + ");
	if (!atom || size != 1)
		lt__text_format(t, "%llu%s", (unsigned long long)size, atom ? "*" : "");
}

/* A sum begins with no minus where a number can stand before it. */
void lt__say_linear(const struct lt_scripter *p, struct lt_text *t, const struct lt_linear *l)
{
	bool lead = l->n && l->coef[0] < 0, first = !lead;
	if (lead)
		lt__text_format(t, "%lld", (long long)l->constant);
	for (int32_t i = 0; i < l->n; i++, first = false) {
		lt__say_factor(t, first, l->coef[i], true);
		lt__text_format(t, "$%d", p->scalar[l->param[i]]);
	}
	if (!lead && (l->constant || first))
		lt__say_factor(t, first, l->constant, false);
}

void lt__say_dim(const struct lt_scripter *p, struct lt_text *t, lt_var v)
{
	const struct lt_vardef *d = &p->g->var[v];
	if (d->bounded) {
		lt__say_linear(p, t, &d->limit);
		lt__text_format(t, " <= ");
	}
	lt__text_format(t, "%lld", (long long)d->extent);
}

void lt__say_shape(const struct lt_scripter *p, struct lt_text *t, int32_t n, const lt_var *dim)
{
	lt__text_format(t, "[");
	for (int32_t i = 0; i < n; i++) {
		lt__text_format(t, "%s", i ? ", " : "");
		lt__say_dim(p, t, dim[i]);
	}
	lt__text_format(t, "]");
}

void lt__say_list(struct lt_text *t, int32_t n, const int64_t *x)
{
	lt__text_format(t, "[");
	for (int32_t i = 0; i < n; i++)
		lt__text_format(t, "%s%lld", i ? ", " : "", (long long)x[i]);
	lt__text_format(t, "]");
}
