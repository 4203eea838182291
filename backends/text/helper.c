/* helper.c -- functions that a text uses, each defined once, behind those that it uses itself. */
#include <string.h>
#include "backends/text/part.h"

struct helper { const char *name, *kinds, *text; };
static const struct helper one_lane[] = {
#define HELPER(name, kinds, text) { #name, kinds, text },
#include "backends/text/helper.def"
#undef HELPER
};
static const struct helper many_lanes[] = {
#define VECTOR(name, kinds, text) { #name, kinds, text },
#define ONE(name, kinds, text)
#include "backends/text/vector.def"
#undef VECTOR
#undef ONE
};
static const struct helper one_lane_gnu[] = {
#define VECTOR(name, kinds, text)
#define ONE(name, kinds, text) { #name, kinds, text },
#include "backends/text/vector.def"
#undef VECTOR
#undef ONE
};

/* Rows of device.def, a column for each device. */
static const struct helper of_cuda[] = {
#define DEVICE(name, kinds, cuda, opencl) { #name, kinds, cuda },
#include "backends/text/device.def"
#undef DEVICE
};
static const struct helper of_opencl[] = {
#define DEVICE(name, kinds, cuda, opencl) { #name, kinds, opencl },
#include "backends/text/device.def"
#undef DEVICE
};
enum { N_DEVICE = sizeof of_cuda / sizeof *of_cuda };

static bool is_for(const struct helper *h, const char *name, uint32_t dtype)
{
	static const char single[] = { [LT_F32] = 'f', [LT_F64] = 'd', [LT_F16] = 'h', [LT_BF16] = 'b',
		[LT_LANE_MASK] = 0 };
	return strcmp(h->name, name) == 0 && (strchr(h->kinds, lt__text_element(dtype)->kind)
		|| (single[dtype] && strchr(h->kinds, single[dtype])));
}

static const struct helper *helper_row(const struct helper *rows, size_t n, const char *name, uint32_t dtype)
{
	for (size_t i = 0; i < n; i++)
		if (rows[i].text && is_for(&rows[i], name, dtype))
			return &rows[i];
	return NULL;
}

static const struct helper *device_row(const struct text *t, const char *name, uint32_t dtype)
{
	const struct lt_text_device *d = t->d->device;
	return d ? helper_row(strcmp(d->name, "cuda") == 0 ? of_cuda : of_opencl, N_DEVICE, name, dtype) : NULL;
}

bool lt__text_device_has(const struct text *t, const char *name, uint32_t dtype)
{
	return device_row(t, name, dtype) != NULL;
}

/* A template of vector.def, which has marks of its own, or of helper.def. */
struct helper_source { const char *text; bool vector; };
static struct helper_source source_of(const struct text *t, const char *name, struct lt_value_type type)
{
	enum { N_ONE = sizeof one_lane / sizeof *one_lane, N_GNU = sizeof one_lane_gnu / sizeof *one_lane_gnu,
		N_MANY = sizeof many_lanes / sizeof *many_lanes };
	const struct helper *h = t->d->quads ? NULL : type.lanes > 1 ? helper_row(many_lanes, N_MANY, name, type.dtype)
		: t->d->lanes ? helper_row(one_lane_gnu, N_GNU, name, type.dtype) : NULL;
	if (t->d->device)
		h = device_row(t, name, type.dtype);
	if (h && t->d->device)
		return (struct helper_source){ h->text, type.lanes > 1 };
	if (h || (type.lanes > 1 && !t->d->quads))
		return (struct helper_source){ h ? h->text : "", true };
	h = helper_row(one_lane, N_ONE, name, type.dtype);
	return (struct helper_source){ h ? h->text : "", false };
}

/* A mark that both kinds of templates have; false: it is none of them. */
static bool common_mark(struct text *t, struct lt_out *o, char mark, const char *name, struct lt_value_type type)
{
	const struct text_element *e = lt__text_element(type.dtype);
	switch (mark) {
	case 'F': lt__out(o, t->d->inlined); break;
	case 'N': lt__out(o, name); break;
	case 'n': lt__out(o, lt__text_short(t, type)); break;
	case 'T': lt__out(o, lt__text_type(t, type, 0)); break;
	case 's':
		lt__text_math(t, o, e->bytes == 4);
		break;
	default: return false;
	}
	return true;
}

static const char *vector_of(struct text *t, uint32_t dtype, uint32_t lanes)
{
	return lt__text_type(t, (struct lt_value_type){ dtype, lanes }, 0);
}

static void vector_mark(struct text *t, struct lt_out *o, char mark, struct lt_value_type type)
{
	static const char *const registers[] = { "uint8_t", "uint16_t", "uint32_t", "uint64_t" };
	const struct text_element *e = lt__text_element(type.dtype);
	const uint32_t n = type.lanes, bits = 8u * e->bytes;
	switch (mark) {
	case 'U': lt__out(o, lt__text_loose(t, type)); break;
	case 'E': lt__out(o, e->type); break;
	case 'M': lt__out(o, lt__text_type(t, (struct lt_value_type){ LT_LANE_MASK, n }, bits)); break;
	case 'W': lt__out(o, lt__text_word(t, type)); break;
	case 'H': lt__out(o, vector_of(t, type.dtype, n / 2)); break;
	case 'X': lt__out(o, vector_of(t, LT_I64, n)); break;
	case 'B': lt__out(o, vector_of(t, LT_BOOL, n)); break;
	case '1': lt__out(o, vector_of(t, LT_I16, n)); break;
	case '2': lt__out(o, vector_of(t, LT_I16, n / 2)); break;
	case '4': lt__out(o, vector_of(t, LT_I32, n / 4)); break;
	case '3': lt__out(o, vector_of(t, LT_I32, n)); break;
	case 'L': lt__outf(o, "%u", (unsigned)n); break;
	case 'b': lt__outf(o, "%u", (unsigned)bits); break;
	case 'z': lt__outf(o, "%u", (unsigned)(n * e->bytes)); break;
	case 'p': lt__out(o, bits == 64 ? "d" : "s"); break;
	case 'a': lt__out(o, bits == 64 ? "2d" : "4s"); break;
	case 'q': lt__out(o, bits == 64 ? "q" : bits == 32 ? "d" : bits == 16 ? "w" : "b"); break;
	case 'k': lt__out(o, registers[n <= 8 ? 0 : n <= 16 ? 1 : n <= 32 ? 2 : 3]); break;
	default: break;
	}
}

static char *stem_of(struct text *t, const char *c, char end, size_t *n)
{
	*n = (size_t)(strchr(c, end) - c);
	char *stem = lt__pool_alloc(&t->pool, *n + 1, 1);
	memcpy(stem, c, *n);
	return stem;
}

/* The text up to @], or @), once for each lane. */
static size_t each_lane(struct lt_out *o, const char *c, char end, uint32_t lanes)
{
	size_t n = 0;
	while (c[n] != '@' || c[n + 1] != end)
		n++;
	for (unsigned lane = 0; lane < lanes; lane++) {
		lt__out(o, lane && end == ']' ? ", " : "");
		for (size_t i = 0; i < n; i++)
			if (c[i] == '#')
				lt__outf(o, "%u", lane);
			else
				lt__out_bytes(o, c + i, 1);
	}
	return n + 1;
}

/* Functions of half the lanes are there where they are called. */
static const char *of_half(struct text *t, const char *stem, struct lt_value_type type)
{
	const struct lt_value_type half = { type.dtype, type.lanes / 2 };
	bool asks = strcmp(stem, "any") == 0 || strcmp(stem, "all") == 0;
	bool called = asks ? 8u * lt__text_element(type.dtype)->bytes * type.lanes > 128 : type.lanes > 2;
	return called && type.lanes % 2 == 0 ? lt__text_helper(t, stem, half)
		: lt__text_formatted(t, "lt_%s_%s", lt__text_short(t, half), stem);
}

const char *lt__text_helper(struct text *t, const char *stem, struct lt_value_type type)
{
	const char *name = lt__text_formatted(t, "lt_%s_%s", lt__text_short(t, type), stem);
	struct lt_out o = lt__out_new(&t->pool);
	size_t n;
	if (lt__nameset_find(&t->defined, name))
		return name;
	const struct helper_source source = source_of(t, stem, type);
	if (source.vector && !t->d->device)
		lt__text_define(t, "LT_LANES", "#define LT_LANES static inline __attribute__((always_inline, unused))\n");
	for (const char *c = source.text; *c; c++) {
		if (*c != '@') {
			n = strcspn(c, "@");
			lt__out_bytes(&o, c, n);
			c += n - 1;
		} else if (c[1] == '{') {
			(void)lt__text_helper(t, stem_of(t, c + 2, '}', &n), type);
			c += n + 2;
		} else if (c[1] == '/') {
			lt__out(&o, of_half(t, stem_of(t, c + 2, '/', &n), type));
			c += n + 2;
		} else if (c[1] == '[' || c[1] == '(') {
			c += 2;
			c += each_lane(&o, c, c[-1] == '[' ? ']' : ')', type.lanes);
		} else if (!common_mark(t, &o, *++c, name, type)) {
			if (source.vector)
				vector_mark(t, &o, *c, type);
			else
				lt__out(&o, lt__text_element(type.dtype)->word);
		}
	}
	t->math = t->math || strstr(o.at, "signbit");
	if (!t->d->headers && !t->d->device && strstr(o.at, "signbit"))
		lt__text_define(t, "signbit", "#define signbit(x) __builtin_signbit(x)\n");
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
	unsigned long long most = UINT64_MAX >> (64 - bits);
	const char *mark = bits > 16 && !x->is_signed ? "u" : "";
	const char *least = x->is_signed ? lt__text_formatted(t, "(-%llu - 1)", most) : "0";
	lt__text_define(t, name, lt__text_formatted(t, "%s%s %s(%s x)\n{\n"
		"\treturn x >= 0x1p%d%s ? %llu%s : x > %s ? (%s)x : x != x ? 0 : %s;\n}\n", t->d->inlined, x->type, name, f->type,
		bits, suffix, most, mark, low, x->type, least));
	return name;
}
