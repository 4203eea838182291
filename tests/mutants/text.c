/* text.c -- tokens of printed C, and what stands where. */
#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include "check/random/must.h"
#include "tests/mutants/text.h"

bool text_is(const struct text *t, int i, const char *word)
{
	return i >= 0 && i < t->n_tok && t->tok[i].n == strlen(word) && !memcmp(t->at + t->tok[i].at, word, t->tok[i].n);
}

bool text_same(const struct text *t, int i, int j)
{
	return t->tok[i].n == t->tok[j].n && !memcmp(t->at + t->tok[i].at, t->at + t->tok[j].at, t->tok[i].n);
}

bool text_starts(const struct text *t, int i, const char *with)
{
	return t->tok[i].n >= strlen(with) && !memcmp(t->at + t->tok[i].at, with, strlen(with));
}

bool text_ends(const struct text *t, int i, const char *with)
{
	const size_t n = strlen(with);
	return t->tok[i].n >= n && !memcmp(t->at + t->tok[i].at + t->tok[i].n - n, with, n);
}

/* -- tokens -- */

static size_t number_end(const char *p, size_t i, bool *real)
{
	bool hex = p[i] == '0' && (p[i + 1] == 'x' || p[i + 1] == 'X');
	*real = false;
	for (; isalnum((unsigned char)p[i]) || p[i] == '.' || p[i] == '_'; i++) {
		bool power = hex ? p[i] == 'p' || p[i] == 'P' : p[i] == 'e' || p[i] == 'E';
		*real |= power || p[i] == '.';
		if (power && (p[i + 1] == '+' || p[i + 1] == '-'))
			i++;
	}
	return i;
}

static size_t mark_bytes(const char *p)
{
	static const char *const longer[] = { "<<=", ">>=", "<=", ">=", "==", "!=", "<<", ">>", "&&", "||",
		"+=", "-=", "*=", "/=", "|=", "&=", "^=", "++", "--", "->", NULL };
	for (int k = 0; longer[k]; k++)
		if (!strncmp(p, longer[k], strlen(longer[k])))
			return strlen(longer[k]);
	return 1;
}

static size_t skip_line(const char *p, size_t i)
{
	while (p[i] && p[i] != '\n')
		i += p[i] == '\\' && p[i + 1] ? 2 : 1;
	return i;
}

static size_t string_end(const char *p, size_t i)
{
	const char quote = p[i++];
	while (p[i] && p[i] != quote)
		i += p[i] == '\\' && p[i + 1] ? 2 : 1;
	return p[i] ? i + 1 : i;
}

static void add_token(struct text *t, size_t from, size_t to, enum token_kind kind)
{
	if (t->n_tok % 1024 == 0) {
		t->tok = realloc(t->tok, sizeof *t->tok * ((size_t)t->n_tok + 1024));
		must(t->tok != NULL, "out of memory");
	}
	t->tok[t->n_tok++] = (struct token){
		.at = from, .n = to - from, .kind = kind, .pair = -1, .left = -1, .right = -1, .body = -1
	};
}

/* Past the lines that `#if 8 == 2` leaves out, up to #else or #endif; from an #else that is reached up to #endif.  Of
 * other conditions both sides are read. */
static size_t skip_directive(const char *p, size_t i, bool *taken)
{
	long a, b;
	bool known = sscanf(p + i, "#if %ld == %ld", &a, &b) == 2;
	bool left_out = known ? a != b : *taken && !strncmp(p + i, "#else", 5);
	*taken = known && a == b;
	i = skip_line(p, i);
	while (left_out && p[i] && strncmp(p + i, "\n#else", 6) != 0 && strncmp(p + i, "\n#endif", 7) != 0)
		i++;
	return left_out && p[i] ? skip_line(p, i + 1) : i;
}

/* Comments and lines of the preprocessor are none. */
static void find_tokens(struct text *t)
{
	const char *p = t->at;
	bool fresh = true, taken = false, real;
	for (size_t i = 0, to; p[i]; i = to) {
		to = i + 1;
		if (p[i] == '\n' || isspace((unsigned char)p[i])) {
			fresh |= p[i] == '\n';
			continue;
		}
		if (p[i] == '/' && p[i + 1] == '*') {
			const char *end = strstr(p + i + 2, "*/");
			to = end ? (size_t)(end + 2 - p) : t->n;
			continue;
		}
		if (p[i] == '#' && fresh) {
			to = skip_directive(p, i, &taken);
			continue;
		}
		fresh = false;
		if (isdigit((unsigned char)p[i]) || (p[i] == '.' && isdigit((unsigned char)p[i + 1]))) {
			to = number_end(p, i, &real);
			add_token(t, i, to, real ? TOKEN_FLOAT : TOKEN_INT);
		} else if (isalpha((unsigned char)p[i]) || p[i] == '_') {
			while (isalnum((unsigned char)p[to]) || p[to] == '_')
				to++;
			add_token(t, i, to, TOKEN_NAME);
		} else {
			to = p[i] == '"' || p[i] == '\'' ? string_end(p, i) : i + mark_bytes(p + i);
			add_token(t, i, to, TOKEN_MARK);
		}
	}
}

static void find_pairs(struct text *t)
{
	int *open = calloc((size_t)t->n_tok + 1, sizeof *open), depth = 0;
	must(open != NULL, "out of memory");
	for (int i = 0; i < t->n_tok; i++) {
		if (t->tok[i].kind != TOKEN_MARK || t->tok[i].n != 1)
			continue;
		if (strchr("([{", t->at[t->tok[i].at]))
			open[depth++] = i;
		else if (strchr(")]}", t->at[t->tok[i].at]) && depth > 0) {
			t->tok[i].pair = open[--depth];
			t->tok[open[depth]].pair = i;
		}
	}
	free(open);
}

/* -- zones -- */

/* Kernels and their teams are the functions that are not put into others.  A function that gives a pointer is none of
 * those that compute. */
static enum zone zone_of(const struct text *t, int i)
{
	if (text_is(t, i, "LT_LANES"))
		return ZONE_FUNCTION;
	if (!text_is(t, i, "static"))
		return ZONE_NONE;
	if (text_is(t, i + 1, "inline"))
		return text_is(t, i + 3, "*") ? ZONE_NONE : ZONE_FUNCTION;
	return text_is(t, i + 1, "__attribute__") ? ZONE_KERNEL : ZONE_NONE;
}

static void find_zones(struct text *t)
{
	enum zone zone = ZONE_NONE;
	for (int i = 0; i < t->n_tok; i++) {
		if (zone_of(t, i))
			zone = zone_of(t, i);
		if (text_is(t, i, ";"))
			zone = ZONE_NONE;
		if (!text_is(t, i, "{") || t->tok[i].pair < 0)
			continue;
		for (int k = i + 1; zone && k < t->tok[i].pair; k++) {
			t->tok[k].zone = zone;
			t->tok[k].body = i;
		}
		i = t->tok[i].pair;
		zone = ZONE_NONE;
	}
}

/* -- statements -- */

static bool is_headed(const struct text *t, int close)
{
	int open = close >= 0 && text_is(t, close, ")") ? t->tok[close].pair : -1;
	return open > 0
		&& (text_is(t, open - 1, "for") || text_is(t, open - 1, "if") || text_is(t, open - 1, "while")
			|| text_is(t, open - 1, "switch"));
}

/* A { that begins a block, not a value. */
static bool is_block(const struct text *t, int i)
{
	return text_is(t, i, "{")
		&& (t->tok[i + 1].body == i || text_is(t, i - 1, ";") || text_is(t, i - 1, "{")
			|| text_is(t, i - 1, "}") || text_is(t, i - 1, "else") || is_headed(t, i - 1));
}

static void find_statements(struct text *t)
{
	int header = -1;
	for (int i = 1; i < t->n_tok; i++) {
		struct token *k = &t->tok[i];
		if (text_is(t, i - 1, "for") && k->pair > 0)
			header = k->pair;
		k->header = i <= header;
		if (!k->zone || k->header || text_is(t, i, "}"))
			continue;
		k->begins = i - 1 == k->body || (text_is(t, i - 1, ";") && !t->tok[i - 1].header)
			|| text_is(t, i - 1, "else") || is_headed(t, i - 1)
			|| (text_is(t, i - 1, "{") && is_block(t, i - 1))
			|| (text_is(t, i - 1, "}") && t->tok[i - 1].pair > 0 && is_block(t, t->tok[i - 1].pair)
				&& !text_is(t, i, "else"));
	}
}

static int skip(const struct text *t, int i) { return t->tok[i].pair > i ? t->tok[i].pair + 1 : i + 1; }

int text_comma(const struct text *t, int i)
{
	while (i < t->n_tok && !text_is(t, i, ",") && !(t->tok[i].pair >= 0 && t->tok[i].pair < i))
		i = skip(t, i);
	return i;
}

int text_end(const struct text *t, int i)
{
	if (text_is(t, i, "{"))
		return t->tok[i].pair;
	if ((text_is(t, i, "for") || text_is(t, i, "if") || text_is(t, i, "while")) && t->tok[i + 1].pair > 0) {
		int end = text_end(t, t->tok[i + 1].pair + 1);
		return text_is(t, i, "if") && text_is(t, end + 1, "else") ? text_end(t, end + 2) : end;
	}
	while (i + 1 < t->n_tok && !text_is(t, i, ";"))
		i = skip(t, i);
	return i;
}

int text_begin(const struct text *t, int i)
{
	while (i > 0 && !t->tok[i].begins)
		i--;
	return i;
}

bool text_is_type(const struct text *t, int i)
{
	static const char *const words[] = { "const", "restrict", "_Alignas", "float", "double", "char", "int", "void",
		"bool", "_Bool", "struct", "union", "unsigned", "_Float16", NULL };
	if (i < 0 || i >= t->n_tok || t->tok[i].kind != TOKEN_NAME)
		return false;
	for (int k = 0; words[k]; k++)
		if (text_is(t, i, words[k]))
			return true;
	if ((text_starts(t, i, "int") || text_starts(t, i, "uint")) && text_ends(t, i, "_t"))
		return true;
	const size_t type = text_type_bytes(t, i);
	return type && (type == t->tok[i].n || (type + 2 == t->tok[i].n && text_ends(t, i, "_u")));
}

size_t text_type_bytes(const struct text *t, int i)
{
	static const char digits[] = "0123456789";
	const char *at = t->at + t->tok[i].at;
	if (t->tok[i].kind != TOKEN_NAME || !text_starts(t, i, "lt_") || !strchr("fiu", at[3]))
		return 0;
	const size_t bits = strspn(at + 4, digits), lanes = at[4 + bits] == 'x' ? strspn(at + 5 + bits, digits) : 0;
	return bits && lanes ? 5 + bits + lanes : 0;
}

int text_lanes(const struct text *t, int i)
{
	const char *at = t->at + t->tok[i].at;
	return text_type_bytes(t, i) ? (int)strtol(strchr(at, 'x') + 1, NULL, 10) : 0;
}

bool text_is_cast(const struct text *t, int i)
{
	if (!text_is(t, i, "(") || t->tok[i].pair < 0 || t->tok[i].pair == i + 1)
		return false;
	for (int k = i + 1; k < t->tok[i].pair; k++)
		if (!text_is_type(t, k) && !text_is(t, k, "*"))
			return false;
	return true;
}

bool text_is_declaration(const struct text *t, int begin)
{
	return text_is_type(t, begin);
}

int text_assign(const struct text *t, int begin)
{
	if (text_is(t, begin, "for") || text_is(t, begin, "if") || text_is(t, begin, "{") || text_is(t, begin, "return"))
		return -1;
	for (int i = begin; i < t->n_tok && !text_is(t, i, ";"); i = skip(t, i)) {
		if (text_is(t, i, "=") || text_is(t, i, "+=") || text_is(t, i, "*="))
			return i;
		/* Several names are declared at once: none of them. */
		if (text_is(t, i, ","))
			return -1;
	}
	return -1;
}

/* -- operators -- */

static int precedence(const struct text *t, int i)
{
	static const char *const by[] = { "||", "&&", "|", "^", "&", "== !=", "< > <= >=", "<< >>", "+ -", "* / %", NULL };
	if (i >= t->n_tok || t->tok[i].kind != TOKEN_MARK)
		return -1;
	for (int level = 0; by[level]; level++)
		for (const char *p = by[level]; *p;) {
			size_t n = strcspn(p, " ");
			if (n == t->tok[i].n && !memcmp(p, t->at + t->tok[i].at, n))
				return level;
			p += n + (p[n] == ' ');
		}
	return -1;
}

/* Past an operand with what stands before and after it. */
static int operand(const struct text *t, int i, int end)
{
	while (i < end
		&& (text_is(t, i, "*") || text_is(t, i, "-") || text_is(t, i, "+") || text_is(t, i, "!")
			|| text_is(t, i, "~") || text_is(t, i, "&") || text_is(t, i, "++") || text_is(t, i, "--")))
		i++;
	if (i < end && text_is_cast(t, i) && !text_is(t, t->tok[i].pair + 1, "{"))
		return operand(t, t->tok[i].pair + 1, end);
	if (i < end)
		i = skip(t, i);
	while (i < end
		&& (text_is(t, i, "(") || text_is(t, i, "[") || text_is(t, i, "{") || text_is(t, i, "++")
			|| text_is(t, i, "--")))
		i = skip(t, i);
	while (i + 1 < end && (text_is(t, i, ".") || text_is(t, i, "->"))) {
		i += 2;
		while (i < end && (text_is(t, i, "(") || text_is(t, i, "[")))
			i = skip(t, i);
	}
	return i;
}

int text_operand(const struct text *t, int i) { return operand(t, i, t->n_tok); }

static int climb(struct text *t, int i, int end, int min)
{
	const int begin = i;
	if (i >= end || (text_is_type(t, i) && !text_is(t, i + 1, "(")))
		return end;
	i = operand(t, i, end);
	for (int level; i < end && (level = precedence(t, i)) >= min;) {
		int op = i;
		i = climb(t, op + 1, end, level + 1);
		t->tok[op].left = begin;
		t->tok[op].right = i - 1;
	}
	return i;
}

/* Every part between commas and the like is an expression of its own. */
static void find_operators(struct text *t, int i, int end)
{
	static const char *const ends[] = { ",", ";", "=", "?", ":", "+=", "-=", "*=", "|=", "&=", NULL };
	for (int part = i; i <= end; i = i < end ? skip(t, i) : i + 1) {
		bool over = i == end;
		for (int k = 0; ends[k] && !over; k++)
			over = text_is(t, i, ends[k]);
		if (i < end && t->tok[i].pair > i)
			find_operators(t, i + 1, t->tok[i].pair);
		if (i < end
			&& (text_is(t, i, "return") || (t->tok[i].begins && i > part)
				|| (t->tok[i].pair > i && is_block(t, i)))) {
			(void)climb(t, part, i, 0);
			part = text_is(t, i, "return") ? i + 1 : is_block(t, i) ? t->tok[i].pair + 1 : i;
		}
		if (over) {
			(void)climb(t, part, i, 0);
			part = i + 1;
		}
	}
}

void text_read(struct text *t, char *at)
{
	*t = (struct text){ .at = at, .n = strlen(at) };
	find_tokens(t);
	if (t->n_tok == 0)      /* a program of copies alone has no kernel */
		return;
	find_pairs(t);
	find_zones(t);
	find_statements(t);
	for (int i = 0; i < t->n_tok; i++)
		if (t->tok[i].zone && t->tok[i].body == i - 1)
			find_operators(t, i, t->tok[i - 1].pair);
	text_indices(t);
}

void text_free(struct text *t)
{
	free(t->at);
	free(t->tok);
	*t = (struct text){ 0 };
}
