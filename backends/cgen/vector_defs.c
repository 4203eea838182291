/* backends/cgen/vector_defs.c -- the definitions that a text of vector operators needs, in order. */
#include <string.h>
#include "backends/cgen/vector_part.h"

static const struct lt_velement elements[] = {
	{ "f32", "f32", "float", "i32", "u32", LT_F32, 32, 'F' },
	{ "f64", "f64", "double", "i64", "u64", LT_F64, 64, 'F' },
	{ "f16", "u16", "uint16_t", "i16", "u16", LT_F16, 16, 'H' },
	{ "bf16", "u16", "uint16_t", "i16", "u16", LT_BF16, 16, 'H' },
	{ "i8", "i8", "int8_t", "i8", "u8", LT_I8, 8, 'I' },
	{ "u8", "u8", "uint8_t", "i8", "u8", LT_U8, 8, 'U' },
	{ "i16", "i16", "int16_t", "i16", "u16", LT_I16, 16, 'I' },
	{ "i32", "i32", "int32_t", "i32", "u32", LT_I32, 32, 'I' },
	{ "i64", "i64", "int64_t", "i64", "u64", LT_I64, 64, 'I' },
	{ "bool", "u8", "uint8_t", "i8", "u8", LT_BOOL, 8, 'B' },
	{ "u16", "u16", "uint16_t", "i16", "u16", 0, 16, 'U' },
	{ "u32", "u32", "uint32_t", "i32", "u32", 0, 32, 'U' },
	{ "u64", "u64", "uint64_t", "i64", "u64", 0, 64, 'U' },
};
enum { N_ELEMENT = sizeof elements / sizeof *elements };

static const struct { const char *name, *on, *text; } templates[] = {
#define FN(name, on, text) { #name, on, text },
#include "backends/cgen/vector_fn.def"
};
enum { N_TEMPLATE = sizeof templates / sizeof *templates };

const struct lt_velement *lt__velement_of(uint32_t dtype)
{
	for (int i = 0; i < N_ELEMENT; i++)
		if (dtype && elements[i].dtype == dtype)
			return &elements[i];
	return NULL;
}

const struct lt_velement *lt__velement_named(const char *name, size_t bytes)
{
	for (int i = 0; i < N_ELEMENT; i++)
		if (strlen(elements[i].name) == bytes && memcmp(elements[i].name, name, bytes) == 0)
			return &elements[i];
	return NULL;
}

static void limit(struct lt_out *o, const struct lt_velement *e, const struct lt_velement *from, char mark)
{
	bool is_signed = e->kind == 'I';
	int bits = (int)e->bits - is_signed;

	if (mark == 'x')
		lt__outf(o, "%lld", (long long)(UINT64_MAX >> (64 - bits)));
	else if (mark == 'l' && !is_signed)
		lt__outf(o, "0.0%s", from->bits == 32 ? "f" : "");
	else if (mark == 'l')
		lt__outf(o, "-0x1p%d%s", bits, from->bits == 32 ? "f" : "");
	else
		lt__outf(o, "%lld.0%s", (long long)(UINT64_MAX >> (64 - bits)), from->bits == 32 ? "f" : "");
}

static void numbers(struct lt_out *o, int n)
{
	for (int i = 0; i < n; i++)
		lt__outf(o, i ? ", %d" : "%d", i);
}

void lt__vector_expand(
	struct lt_out *o, const char *text, const struct lt_velement *e, const struct lt_velement *from, int lanes)
{
	static const char *const on[] = { "uint8_t", "uint16_t", "uint32_t", "uint64_t" };

	for (const char *s = text; *s; s++) {
		if (*s != '@') {
			size_t n = strcspn(s, "@");
			lt__out_bytes(o, s, n);
			s += n - 1;
			continue;
		}
		switch (*++s) {
		case 'V': lt__outf(o, "lt_%sx%d", e->type, lanes); break;
		case 'Y': lt__outf(o, "lt_%sx%d", e->type, lanes / 2); break;
		case 'M': lt__outf(o, "lt_%sx%d", e->mask, lanes); break;
		case 'W': lt__outf(o, "lt_%sx%d", e->word, lanes); break;
		case 'B': lt__outf(o, "lt_u8x%d", lanes); break;
		case 'F': lt__outf(o, "lt_%sx%d", from->type, lanes); break;
		case 'N': lt__outf(o, "lt_%sx%d", from->mask, lanes); break;
		case 'E': lt__out(o, e->ctype); break;
		case 'i': lt__outf(o, "int%u_t", (unsigned)e->bits); break;
		case 'u': lt__outf(o, "uint%u_t", (unsigned)e->bits); break;
		case 'k': lt__out(o, on[lanes <= 8 ? 0 : lanes <= 16 ? 1 : lanes <= 32 ? 2 : 3]); break;
		case 'n': lt__out(o, e->name); break;
		case 't': lt__out(o, e->type); break;
		case 'm': lt__out(o, e->mask); break;
		case 'f': lt__out(o, from->name); break;
		case 'g': lt__out(o, from->mask); break;
		case 's': lt__out(o, e->bits == 64 ? "" : "f"); break;
		case 'p': lt__out(o, e->bits == 64 ? "d" : "s"); break;
		case 'q': lt__out(o, e->bits == 64 ? "2d" : "4s"); break;
		case 'L': lt__outf(o, "%d", lanes); break;
		case 'H': lt__outf(o, "%d", lanes / 2); break;
		case 'b': lt__outf(o, "%u", (unsigned)e->bits); break;
		case 'z': lt__outf(o, "%u", (unsigned)e->bits / 8 * (unsigned)lanes); break;
		case 'o': lt__outf(o, "%u", (unsigned)from->bits); break;
		case 'r': lt__outf(o, "%u", (unsigned)from->bits / 2); break;
		case 'e': lt__outf(o, "%u", 512 / (unsigned)e->bits); break;
		case 'd': lt__outf(o, "%u", 256 / (unsigned)e->bits); break;
		case 'c': lt__outf(o, "%u", 128 / (unsigned)e->bits); break;
		case 'R': numbers(o, lanes); break;
		default: limit(o, e, from, *s);
		}
	}
}

/* What an identifier of the text means.  n_stem 0: a type. */
struct meaning { const struct lt_velement *e, *from; const char *stem, *text; size_t n_stem; int lanes; };

static bool word(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

bool lt__velement_fits(const char *on, const struct lt_velement *e)
{
	return strchr(on, 'A') || strchr(on, e->kind) || (strchr(on, 'f') && e->dtype == LT_F32)
		|| (strchr(on, 'd') && e->dtype == LT_F64);
}

static const char *find_template(struct meaning *m)
{
	if (m->n_stem > 5 && memcmp(m->stem, "cast_", 5) == 0) {
		m->from = lt__velement_named(m->stem + 5, m->n_stem - 5);
		return m->from ? lt__vector_cast(m->from, m->e) : NULL;
	}
	for (int i = 0; i < N_TEMPLATE; i++)
		if (strlen(templates[i].name) == m->n_stem && memcmp(templates[i].name, m->stem, m->n_stem) == 0
			&& lt__velement_fits(templates[i].on, m->e))
			return templates[i].text;
	return NULL;
}

/* lt_[stem_]ELEMENTxLANES, and _u behind a type. */
static bool understand(const char *name, size_t n, struct meaning *m)
{
	*m = (struct meaning){ .stem = name + 3 };
	if (n < 6 || memcmp(name, "lt_", 3) != 0)
		return false;
	bool in_memory = name[n - 2] == '_' && name[n - 1] == 'u';
	if (in_memory)
		n -= 2;
	size_t digits = n;
	while (digits > 3 && name[digits - 1] >= '0' && name[digits - 1] <= '9')
		digits--;
	if (digits == n || n - digits > 2 || name[digits - 1] != 'x')
		return false;
	for (size_t i = digits; i < n; i++)
		m->lanes = m->lanes * 10 + name[i] - '0';
	size_t begin = digits - 1;
	while (begin > 3 && name[begin - 1] != '_')
		begin--;
	m->e = lt__velement_named(name + begin, digits - 1 - begin);
	m->n_stem = begin > 3 ? begin - 4 : 0;
	if (!m->e || m->lanes < 2 || m->lanes > 64 || (m->lanes & (m->lanes - 1)))
		return false;
	m->text = m->n_stem ? find_template(m)
		: in_memory ? "typedef @E @V_u __attribute__((vector_size(@z), aligned(1), may_alias));\n"
			    : "typedef @E @V __attribute__((vector_size(@z)));\n";
	return m->text != NULL;
}

struct defs { struct lt_pool *pool; struct lt_nameset done; struct lt_out *out; };

/* Each template names only what stands before it or fewer lanes, so this ends. */
static void define(struct defs *d, const char *text)
{
	for (size_t n; *text; text += n) {
		struct meaning m;
		for (n = 0; word(text[n]); )
			n++;
		if (n == 0) {
			n = 1;
			continue;
		}
		if (!understand(text, n, &m))
			continue;
		struct lt_out name = lt__out_new(d->pool), body = lt__out_new(d->pool);
		lt__out_bytes(&name, text, n);
		if (lt__nameset_find(&d->done, name.at))
			continue;
		lt__nameset_add(&d->done, name.at, 1);
		lt__vector_expand(&body, m.text, m.e, m.from, m.lanes);
		define(d, body.at);
		if (m.n_stem && !lt__nameset_find(&d->done, "LT_VFN")) {
			lt__nameset_add(&d->done, "LT_VFN", 1);
			lt__out(d->out, "#define LT_VFN static inline __attribute__((always_inline, unused))\n");
		}
		lt__out(d->out, body.at);
	}
}

void lt__vector_defs(struct lt_pool *pool, const char *text, struct lt_out *out)
{
	struct defs d = { .pool = pool, .done = { .pool = pool }, .out = out };
	define(&d, text);
}
