/* name.c -- element types as C has them, and identifiers from the names of buffers, variables and
 * params. */
#include <string.h>
#include "backends/text/part.h"

static const struct text_element elements[] = {
	[LT_F32] = { "f32", "float", "uint32_t", 'F', 4, 1 },
	[LT_F64] = { "f64", "double", "uint64_t", 'F', 8, 1 },
	[LT_F16] = { "f16", "uint16_t", "uint16_t", 'H', 2, 0 },
	[LT_BF16] = { "bf16", "uint16_t", "uint16_t", 'H', 2, 0 },
	[LT_I8] = { "i8", "int8_t", "uint8_t", 'N', 1, 1 },
	[LT_U8] = { "u8", "uint8_t", "uint8_t", 'N', 1, 0 },
	[LT_I16] = { "i16", "int16_t", "uint16_t", 'N', 2, 1 },
	[LT_I32] = { "i32", "int32_t", "uint32_t", 'I', 4, 1 },
	[LT_I64] = { "i64", "int64_t", "uint64_t", 'I', 8, 1 },
	[LT_BOOL] = { "bool", "uint8_t", "uint8_t", 'B', 1, 0 },
	[LT_U16] = { "u16", "uint16_t", "uint16_t", 'N', 2, 0 },
	[LT_U32] = { "u32", "uint32_t", "uint32_t", 'U', 4, 0 },
	[LT_U64] = { "u64", "uint64_t", "uint64_t", 'U', 8, 0 },
	[LT_LANE_MASK] = { "mask", "int", "unsigned", 'M', 4, 1 },
};

const struct text_element *lt__text_element(uint32_t dtype) { return &elements[dtype]; }

/* Words of C, what texts of ours use, and what preludes may. */
static const char *const taken[] = { "a", "arg", "args", "asm", "auto", "break", "case", "char", "const", "continue",
	"default", "do", "double", "else", "enum", "extern", "fault", "first", "float", "for", "goto", "if", "inline", "int",
	"last", "linux", "long", "main", "own", "point", "private_", "register", "restrict", "return", "short", "signed",
	"sizeof", "slot", "static", "struct", "switch", "team", "thread", "typedef", "typeof", "union", "unix", "unsigned",
	"void", "volatile", "while", "workspace", "bool", "true", "false", "nullptr", "alignas", "alignof",
	"constexpr", "static_assert", "thread_local", "typeof_unqual", "uintptr_t", "int8_t", "int16_t", "int32_t", "int64_t",
	"uint8_t", "uint16_t", "uint32_t", "uint64_t", "exp", "expf", "log", "logf", "sqrt", "sqrtf", "tanh", "tanhf", "erf",
	"erff", "sin", "sinf", "cos", "cosf", "floor", "floorf", "ceil", "ceilf", "rint", "rintf", "pow", "powf", "fabs",
	"fabsf", "fmod", "fmodf", "math_errhandling",
	"signbit", "isnan", "copysign", "copysignf" };

static bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
static bool is_digit(char c) { return c >= '0' && c <= '9'; }

/* Whether a text uses the name for something else: v7, i7 and a7 are values, LIMIT and M_PIf may be macros. */
static bool is_special(const char *name)
{
	size_t n = strlen(name);
	bool value = n > 1 && strchr("aiv", name[0]) && strspn(name + 1, "0123456789") == n - 1;
	return value || strcspn(name, "abcdefghijklmnopqrstuvwxyz") >= (n < 2 ? n : 2);
}

const char *lt__text_unique(struct text *t, const char *name)
{
	const char *base, *at;
	char *c, *made = lt__pool_alloc(&t->pool, strlen(name) + 4, 1);
	for (c = made; *name == '%' || *name == '_'; name++)
		;
	if (!is_letter(*name) || strncmp(name, "lt_", 3) == 0)
		*c++ = 'x';
	for (; *name; name++)
		*c++ = is_letter(*name) || is_digit(*name) ? *name : '_';
	if (is_special(made))
		*c = '_';
	base = at = made;
	for (int i = 2; lt__nameset_find(&t->names, at); i++)
		at = lt__text_formatted(t, "%s_%d", base, i);
	lt__nameset_add(&t->names, at, 1);
	return at;
}

/* m'' is m_2. */
static const char *loop_base(struct text *t, const char *variable)
{
	size_t n = strlen(variable), primes = 0;
	while (n > 1 && variable[n - 1] == '\'')
		n--, primes++;
	char *base = lt__pool_alloc(&t->pool, n + 1, 1);
	memcpy(base, variable, n);
	return primes ? lt__text_formatted(t, "%s_%zu", base, primes) : base;
}

const char *lt__text_open_loop(struct text *t, int32_t loop)
{
	const char *variable = t->origins && loop >= 0 ? t->origins->loop(t->origins->user, loop) : NULL;
	if (!variable || !*variable)
		return NULL;
	const char *base = loop_base(t, variable);
	struct text_loop *l = t->loops;
	while (l && (l->open || strcmp(l->base, base) != 0))
		l = l->next;
	if (!l) {
		l = lt__pool_alloc(&t->pool, 1, sizeof *l);
		*l = (struct text_loop){ base, lt__text_unique(t, base), true, t->loops };
		t->loops = l;
	}
	l->open = true;
	return l->name;
}

void lt__text_close_loop(struct text *t, const char *name)
{
	for (struct text_loop *l = t->loops; l; l = l->next)
		l->open = l->open && l->name != name;
}

/* Words of the operators' texts. */
static void keep_words(struct text *t, const char *s)
{
	while (*s) {
		size_t n = 0;
		while (is_letter(s[n]) || (n && is_digit(s[n])))
			n++;
		if (n) {
			char *word = lt__pool_alloc(&t->pool, n + 1, 1);
			memcpy(word, s, n);
			lt__nameset_add(&t->names, word, 1);
		}
		s += n ? n : 1;
	}
}

void lt__text_names(struct text *t)
{
	const struct lt_kernel *k = t->k;
	t->names = t->defined = (struct lt_nameset){ .pool = &t->pool };
	for (size_t i = 0; i < sizeof taken / sizeof *taken; i++)
		lt__nameset_add(&t->names, taken[i], 1);
	for (uint32_t i = 0; i < k->n_op; i++)
		keep_words(t, k->ops[i].source ? k->ops[i].source : "");
	if (k->n_op && k->prelude)
		keep_words(t, k->prelude);
	if (t->d->device)
		keep_words(t, t->d->device->taken);
	lt__nameset_add(&t->names, t->entry, 1);
	t->function = lt__text_unique(t, k->name);
	for (uint32_t r = 1; r < k->n_region; r++) {
		lt__nameset_add(&t->names, lt__text_formatted(t, "%s_%u", t->function, (unsigned)r), 1);
		lt__nameset_add(&t->names, lt__text_formatted(t, "%s_%u_team", t->function, (unsigned)r), 1);
		lt__nameset_add(&t->names, lt__text_formatted(t, "%s_%u_args", t->function, (unsigned)r), 1);
	}
	t->buffer = lt__pool_alloc(&t->pool, k->n_buffer, sizeof *t->buffer);
	t->variable = lt__pool_alloc(&t->pool, k->n_variable, sizeof *t->variable);
	t->param = lt__pool_alloc(&t->pool, k->n_param, sizeof *t->param);
	for (uint32_t i = 0; i < k->n_param; i++)
		t->param[i] = lt__text_unique(t, k->params[i].name);
	for (uint32_t i = 0; i < k->n_buffer; i++)
		t->buffer[i] = lt__text_unique(t, k->buffers[i].name);
	for (uint32_t i = 0; i < k->n_variable; i++)
		t->variable[i] = lt__text_unique(t, k->variables[i].name);
}

/* Lanes of a vector: the next power of two. */
static unsigned width_of(uint32_t lanes)
{
	unsigned n = 1;
	while (n < lanes)
		n *= 2;
	return n;
}

const char *lt__text_short(struct text *t, struct lt_value_type type)
{
	const char *name = elements[type.dtype].name;
	return type.lanes == 1 ? name : lt__text_formatted(t, "%sx%u", name, (unsigned)type.lanes);
}

/* A struct of all lanes; a mask is a number with a bit for each. */
static const char *pack_type(struct text *t, struct lt_value_type type)
{
	const struct text_element *e = &elements[type.dtype];
	if (e->kind == 'M')
		return type.lanes > 32 ? "uint64_t" : "uint32_t";
	const char *name = e->kind == 'F' ? lt__text_formatted(t, "lt_%sx%u", e->name, (unsigned)type.lanes)
		: lt__text_formatted(t, "lt_%c%ux%u", e->is_signed ? 'i' : 'u', 8u * e->bytes, (unsigned)type.lanes);
	lt__text_define(t, name, lt__text_formatted(t, "typedef struct { %s v[%u]; } %s;\n", e->type, (unsigned)type.lanes,
		name));
	return name;
}

const char *lt__text_type(struct text *t, struct lt_value_type type, uint32_t mask_bits)
{
	const struct text_element *e = &elements[type.dtype];
	unsigned n = width_of(type.lanes), bits = e->kind == 'M' ? mask_bits : 8u * e->bytes;
	if (type.lanes == 1)
		return e->type;
	if (t->d->packs)
		return pack_type(t, type);
	if (t->d->quads)
		return "uint32_t";
	/* One name for all that is the same vector: halves and bools are numbers. */
	const char *name = e->kind == 'F' ? lt__text_formatted(t, "lt_%sx%u", e->name, n)
		: lt__text_formatted(t, "lt_%c%ux%u", e->is_signed ? 'i' : 'u', bits, n);
	const char *c = e->kind == 'F' ? e->type : lt__text_formatted(t, "%sint%u_t", e->is_signed ? "" : "u", bits);
	lt__text_define(t, name,
		lt__text_formatted(t, "typedef %s %s __attribute__((vector_size(%u)));\n", c, name, n * bits / 8));
	return name;
}

/* Of unsigned numbers of as many bits. */
const char *lt__text_word(struct text *t, struct lt_value_type type)
{
	return lt__text_type(t, (struct lt_value_type){ elements[type.dtype].bytes == 8 ? LT_U64 : LT_U32,
		type.lanes }, 0);
}

/* In memory: anywhere that its elements may be, and of any type. */
const char *lt__text_loose(struct text *t, struct lt_value_type type)
{
	const struct text_element *e = &elements[type.dtype];
	const char *name = lt__text_formatted(t, "%s_u", lt__text_type(t, type, 0));
	lt__text_define(t, name, lt__text_formatted(t, "typedef %s %s __attribute__((vector_size(%u), aligned(%u), "
		"may_alias));\n", e->type, name, e->bytes * width_of(type.lanes), (unsigned)e->bytes));
	return name;
}
