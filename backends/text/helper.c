/* backends/text/helper.c -- functions that a text uses, each defined once, behind those that it uses itself. */
#include <string.h>
#include "backends/text/part.h"

struct helper { const char *name, *kinds, *text; };
static const struct helper one_lane[] = {
#define HELPER(name, kinds, text) { #name, kinds, text },
#include "backends/text/helper.def"
#undef HELPER
};

static bool is_for(const struct helper *h, const char *name, uint32_t dtype)
{
	static const char single[] = { [LT_F32] = 'f', [LT_F64] = 'd', [LT_F16] = 'h', [LT_BF16] = 'b', [LT_I64] = 'i',
		[LT_LANE_MASK] = 0 };
	return strcmp(h->name, name) == 0 && (strchr(h->kinds, lt__text_element(dtype)->kind)
		|| (single[dtype] && strchr(h->kinds, single[dtype])));
}

static const char *template_of(const char *name, struct lt_value_type type)
{
	for (size_t i = 0; i < sizeof one_lane / sizeof *one_lane; i++)
		if (is_for(&one_lane[i], name, type.dtype))
			return one_lane[i].text;
	return "";
}

static void helper_mark(struct text *t, struct lt_out *o, char mark, const char *name, struct lt_value_type type)
{
	const struct text_element *e = lt__text_element(type.dtype);
	switch (mark) {
	case 'N': lt__out(o, name); break;
	case 'n': lt__out(o, lt__text_short(t, type)); break;
	case 'T': lt__out(o, lt__text_type(t, type, 0)); break;
	case 'U': lt__out(o, e->word); break;
	default:
		t->math = true;
		lt__out(o, e->bytes == 4 ? "f" : "");
		break;
	}
}

const char *lt__text_helper(struct text *t, const char *stem, struct lt_value_type type)
{
	const char *name = lt__text_formatted(t, "lt_%s_%s", lt__text_short(t, type), stem);
	struct lt_out o = lt__out_new(&t->pool);
	if (lt__nameset_find(&t->defined, name))
		return name;
	for (const char *c = template_of(stem, type); *c; c++) {
		if (*c != '@') {
			size_t n = strcspn(c, "@");
			lt__out_bytes(&o, c, n);
			c += n - 1;
		} else if (c[1] == '{') {
			size_t n = strcspn(c + 2, "}");
			char *other = lt__pool_alloc(&t->pool, n + 1, 1);
			memcpy(other, c + 2, n);
			(void)lt__text_helper(t, other, type);
			c += n + 2;
		} else {
			helper_mark(t, &o, *++c, name, type);
		}
	}
	t->math = t->math || strstr(o.at, "signbit");
	lt__text_define(t, name, o.at);
	return name;
}

/* Truncated, and the nearest number where there is none; NaN is 0. */
const char *lt__text_to_integer(struct text *t, uint32_t from, uint32_t to)
{
	const struct text_element *f = lt__text_element(from), *x = lt__text_element(to);
	const char *name = lt__text_formatted(t, "lt_%s_to_%s", f->name, x->name), *suffix = f->bytes == 4 ? "f" : "";
	int bits = 8 * x->bytes - x->is_signed;
	const char *low = x->is_signed ? lt__text_formatted(t, "-0x1p%d%s", bits, suffix) : "0";
	const char *least = x->is_signed ? lt__text_formatted(t, "INT%d_MIN", 8 * x->bytes) : "0";
	lt__text_define(t, name, lt__text_formatted(t, "static inline %s %s(%s x)\n{\n"
		"\treturn x >= 0x1p%d%s ? %sINT%d_MAX : x > %s ? (%s)x : x != x ? 0 : %s;\n}\n", x->type, name, f->type, bits, suffix,
		x->is_signed ? "" : "U", 8 * x->bytes, low, x->type, least));
	return name;
}
