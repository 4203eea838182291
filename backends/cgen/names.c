/* backends/cgen/names.c -- identifiers: by number, or made from the names of the graph. */
#include <string.h>
#include "backends/cgen/gen.h"

static const char *const keywords[] = { "alignas", "alignof", "and", "args", "asm", "auto", "bool", "break", "case",
	"catch", "char", "class", "const", "continue", "default", "delete", "do", "double", "else", "enum", "extern", "false",
	"fault", "first", "float", "for", "goto", "half", "if", "inline", "int", "kernel", "global", "last", "local",
	"constant", "linux", "unix", "long", "main", "namespace", "new", "not", "or", "operator", "own", "point", "private",
	"private_", "public", "register", "restrict", "return", "short", "signed", "sizeof", "slot", "static", "struct",
	"switch", "team", "template", "this", "throw", "true", "try", "typedef", "typename", "typeof", "union", "unsigned",
	"using", "virtual", "void", "volatile", "while", "workspace", "xor", "NULL", "INFINITY", "NAN" };

static bool letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
static bool digit(char c) { return c >= '0' && c <= '9'; }

/* A C identifier from any text: %5.mul gives v5_mul, m'' gives m_2. */
static char *identifier(struct gen *g, const char *text)
{
	size_t n = text ? strlen(text) : 0, primes = 0;
	char *name = lt__pool_alloc(&g->pool, n + 32, 1), *at = name;
	if (n && text[0] == '%')
		text++, n--;
	while (n && text[n - 1] == '\'')
		n--, primes++;
	if (n == 0 || !letter(text[0]) || strncmp(text, "lt_", 3) == 0)
		*at++ = 'v';
	for (size_t i = 0; i < n && i < 40; i++)
		*at++ = letter(text[i]) || digit(text[i]) ? text[i] : '_';
	if (primes) {
		struct lt_out o = lt__out_new(&g->pool);
		lt__outf(&o, "_%zu", primes);
		memcpy(at, o.at, o.n + 1);
	}
	return name;
}

/* base, base_2, base_3 ...: the first that `taken` does not say is in use. */
static const char *pick(
	struct gen *g, const char *base, bool (*taken)(const struct gen *, const char *, int32_t), int32_t at)
{
	const char *name = base;
	for (int i = 2; taken(g, name, at); i++) {
		struct lt_out o = lt__out_new(&g->pool);
		lt__outf(&o, "%s_%d", base, i);
		name = o.at;
	}
	return name;
}

static bool taken(const struct gen *g, const char *name, int32_t at)
{
	(void)at;
	return lt__nameset_find(&g->names, name) != 0;
}

/* Loops that do not stand in each other may have one name. */
static bool taken_by_loop(const struct gen *g, const char *name, int32_t loop)
{
	int tag = lt__nameset_find(&g->names, name);
	if (tag != NAME_LOOP)
		return tag != 0;
	for (int32_t up = loop; (up = LT_AT(struct lt_loop, g->t->loops, up)->parent) >= 0; )
		if (g->loop[up] && strcmp(g->loop[up], name) == 0)
			return true;
	return false;
}

const char *lt__gen_unique(struct gen *g, const char *base)
{
	const char *name = pick(g, base, taken, -1);
	lt__nameset_add(&g->names, name, NAME_FIXED);
	return name;
}

static const char *number(struct gen *g, char letter_, int32_t i)
{
	struct lt_out o = lt__out_new(&g->pool);
	lt__outf(&o, "%c%d", letter_, (int)i);
	return o.at;
}

/* Names that the text of operators uses. */
static void reserve(struct gen *g)
{
	for (size_t i = 0; i < sizeof keywords / sizeof *keywords; i++)
		lt__nameset_add(&g->names, keywords[i], NAME_FIXED);
	for (const struct lt_chunk *c = g->d->chunks; c->name; c++)
		lt__nameset_add(&g->names, c->name, NAME_FIXED);
	for (uint32_t i = 0; i < g->t->ops.n; i++)
		for (const char *s = LT_AT(struct lt_op, g->t->ops, i)->source; s && *s; ) {
			size_t n = 0;
			while (letter(s[n]) || s[n] == '_' || (n && digit(s[n])))
				n++;
			if (n) {
				char *name = lt__pool_alloc(&g->pool, n + 1, 1);
				memcpy(name, s, n);
				lt__nameset_add(&g->names, name, NAME_FIXED);
			}
			s += n ? n : 1;
		}
}

const char *lt__gen_temp(struct gen *g)
{
	return lt__gen_unique(g, number(g, 't', g->n_temp++));
}

/* c_0, c_1 .. for the variables of c. */
static void registers(struct gen *g, int32_t b)
{
	struct place *p = &g->place[b];
	int n = 0;
	for (int64_t e = 0;
		p->root == b && p->home == HOME_REGISTERS && e < LT_AT(struct lt_buffer, g->t->buffers, b)->elems; e++)
		if (p->tile[e] == e) {
			struct lt_out o = lt__out_new(&g->pool);
			lt__outf(&o, "%s_%d", p->name, n++);
			p->reg[e] = g->named ? lt__gen_unique(g, o.at) : o.at;
		}
}

/* May be called again: it begins anew. */
void lt__gen_names(struct gen *g)
{
	g->names = g->said = (struct lt_nameset){ .pool = &g->pool };
	g->n_temp = g->n_region = 0;
	const struct lt_tree *t = g->t;
	g->param = lt__pool_alloc(&g->pool, (size_t)t->n_param, sizeof *g->param);
	g->loop = lt__pool_alloc(&g->pool, (size_t)t->n_loop, sizeof *g->loop);
	g->div = lt__pool_alloc(&g->pool, (size_t)t->n_div, sizeof *g->div);
	reserve(g);
	g->function = g->named ? lt__gen_unique(g, identifier(g, t->name)) : "kernel";
	for (int32_t i = 0; i < t->n_param; i++)
		g->param[i] = g->named ? lt__gen_unique(g, identifier(g, LT_AT(struct lt_tparam, t->params, i)->name))
				       : number(g, 'p', i);
	for (int32_t i = 0; i < (int32_t)t->buffers.n; i++)
		if (g->place[i].root == i)
			g->place[i].name = g->named ? lt__gen_unique(g, identifier(g, LT_AT(struct lt_buffer, t->buffers, i)->name))
				: number(g, 'b', i);
	for (int32_t i = 0; i < (int32_t)t->buffers.n; i++)
		g->place[i].name = g->place[g->place[i].root].name;
	for (int32_t i = 0; i < (int32_t)t->buffers.n; i++)
		registers(g, i);
	for (int32_t i = 0; i < t->n_div; i++)
		g->div[i] = g->named ? lt__gen_unique(g, number(g, 'd', i)) : number(g, 'd', i);
	for (int32_t i = 0; i < t->n_loop; i++) {
		g->loop[i] = number(g, 'i', i);
		if (g->named) {
			g->loop[i] = NULL;
			g->loop[i] = pick(g, identifier(g, LT_AT(struct lt_loop, t->loops, i)->var), taken_by_loop, i);
			lt__nameset_add(&g->names, g->loop[i], NAME_LOOP);
		}
	}
}
