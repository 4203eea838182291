/* head.c -- the line LT_KERNEL(NAME, TYPES, WORKSPACE) of a kernel: which types it takes, and what it needs. */
#include <string.h>
#include "program/own/own.h"

struct own_head { struct lt_context *ctx; const char *path; const char *at; int32_t line; };

static bool is_letter(char c)
{
	return c == '_' || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

/* Over a comment, a string or one byte. */
static void step_over(struct own_head *h)
{
	const char *end = h->at + 1;
	if (h->at[0] == '/' && h->at[1] == '*') {
		end = strstr(h->at + 2, "*/");
		end = end ? end + 2 : h->at + strlen(h->at);
	} else if (h->at[0] == '/' && h->at[1] == '/') {
		end = h->at + strcspn(h->at, "\n");
	} else if (*h->at == '"' || *h->at == '\'') {
		while (*end && *end != *h->at && *end != '\n')
			end += 1 + (*end == '\\' && end[1]);
		end += *end == *h->at;
	}
	for (; h->at < end; h->at++)
		h->line += *h->at == '\n';
}

/* The next such word with a '(' behind it; false: there is none. */
static bool find_word(struct own_head *h, const char *word)
{
	const size_t n = strlen(word);
	for (char before = '\n'; *h->at; before = h->at[-1]) {
		int line;
		if (before == '\n' && sscanf(h->at, "#line %d ", &line) == 1)
			h->line = line - 1;
		if (!is_letter(before) && strncmp(h->at, word, n) == 0 && !is_letter(h->at[n])) {
			h->at += n;
			h->at += strspn(h->at, " \t");
			if (*h->at == '(') {
				h->at++;
				return true;
			}
			continue;
		}
		step_over(h);
	}
	return false;
}

/* Whether that is the next byte, behind blanks and comments. */
static bool follows(struct own_head *h, char what)
{
	for (;;) {
		if (h->at[0] == '/' && (h->at[1] == '*' || h->at[1] == '/'))
			step_over(h);
		else if (*h->at && strchr(" \t\r\n", *h->at))
			step_over(h);
		else
			return *h->at == what;
	}
}

/* An argument: up to a ',' or ')' outside of brackets, without blanks around it. */
static bool take_argument(struct own_head *h, char end, const char **at, size_t *n)
{
	int depth = 0;
	h->at += strspn(h->at, " \t\n");
	*at = h->at;
	while (*h->at && (depth || (*h->at != ',' && *h->at != ')'))) {
		depth += (*h->at == '(') - (*h->at == ')');
		step_over(h);
	}
	*n = (size_t)(h->at - *at);
	while (*n && strchr(" \t\n", (*at)[*n - 1]))
		--*n;
	return *h->at == end && h->at++;
}

static lt_status read_types(const struct own_head *h, const char *at, size_t n, uint32_t *types)
{
	*types = 0;
	for (const char *end = at + n; at < end;) {
		const size_t word = strcspn(at, " \t\n,)");
		char name[16] = "";
		if (word < sizeof name)
			memcpy(name, at, word);
		const int dtype = lt__dtype_find(name);
		const char *near = dtype < 1 ? lt__nearest_dtype(h->ctx, false, at, word) : "";
		if (!strcmp(name, "any"))
			*types = UINT32_MAX;
		else if (dtype < 1)
			return lt_fail(h->ctx, LT_ESYNTAX, "%s:%d: LT_KERNEL: '%.*s' is no element type%s", h->path, h->line,
				word < 40 ? (int)word : 40, at, *near ? near
				: "; there are f32, f64, f16, bf16, i8, i16, i32, i64, u8, u16, u32, u64, bool, and any for all of them");
		else
			*types |= 1u << dtype;
		at += word;
		at += strspn(at, " \t\n");
	}
	return *types ? LT_OK : lt_fail(h->ctx, LT_ESYNTAX, "%s:%d: LT_KERNEL names no element type; any takes each", h->path,
		h->line);
}

static lt_status ends_there(struct own_head *h, const char *word)
{
	const int32_t line = h->line;
	return follows(h, ';') ? LT_OK : lt_fail(h->ctx, LT_ESYNTAX, "%s:%d: %s(...) ends with a ';'", h->path, line, word);
}

/* LT_TAKES(NAME, CONDITION), if it is there. */
static lt_status read_takes(struct own_head h, const char *name, struct lt_ownhead *out)
{
	const char *at;
	size_t n;
	out->takes = NULL;
	if (!find_word(&h, "LT_TAKES"))
		return LT_OK;
	if (!take_argument(&h, ',', &at, &n) || strlen(name) != n || memcmp(at, name, n) != 0
		|| !take_argument(&h, ')', &out->takes, &out->takes_bytes))
		return lt_fail(h.ctx, LT_ESYNTAX,
			"%s:%d: LT_TAKES has the kernel's name and a condition: LT_TAKES(%s, rank(0) == 2);", h.path, h.line, name);
	out->takes_line = h.line;
	LT_TRY(ends_there(&h, "LT_TAKES"));
	return find_word(&h, "LT_TAKES") ? lt_fail(h.ctx, LT_EINVAL,
		"%s:%d: LT_TAKES stands there a second time; && joins two conditions", h.path, h.line) : LT_OK;
}

/* LT_ROUTINE(NAME), if it is there: frontends look for it. */
static lt_status read_routine(struct own_head h, const char *name)
{
	const char *at;
	size_t n;
	if (!find_word(&h, "LT_ROUTINE"))
		return LT_OK;
	return take_argument(&h, ')', &at, &n) && strlen(name) == n && !memcmp(at, name, n) ? ends_there(&h, "LT_ROUTINE")
		: lt_fail(h.ctx, LT_ESYNTAX, "%s:%d: LT_ROUTINE has the kernel's name: LT_ROUTINE(%s);", h.path, h.line, name);
}

lt_status lt__own_head(struct lt_context *ctx, const char *path, const char *text, const char *name,
	struct lt_ownhead *out)
{
	struct own_head h = { ctx, path, text, 1 };
	const char *at;
	size_t n;
	LT_TRY(read_takes(h, name, out));
	LT_TRY(read_routine(h, name));
	if (!find_word(&h, "LT_KERNEL"))
		return lt_fail(ctx, LT_EINVAL, "%s defines no kernel: it has no LT_KERNEL(%s, f32, 0) { ... } (lt/own.h)", path,
			name);
	const bool named = take_argument(&h, ',', &at, &n);
	if (!named || strlen(name) != n || memcmp(at, name, n) != 0)
		return lt_fail(ctx, LT_EINVAL, "%s:%d: LT_KERNEL(%.*s, ...) is the kernel of another name: the file's is %s", path,
			h.line, n < 40 ? (int)n : 40, at, name);
	out->line = h.line;
	if (!take_argument(&h, ',', &at, &n))
		return lt_fail(ctx, LT_ESYNTAX, "%s:%d: LT_KERNEL has three arguments: LT_KERNEL(%s, f32, 0)", path, h.line, name);
	LT_TRY(read_types(&h, at, n, &out->types));
	if (!take_argument(&h, ')', &out->workspace, &out->workspace_bytes))
		return lt_fail(ctx, LT_ESYNTAX, "%s:%d: LT_KERNEL has three arguments: LT_KERNEL(%s, f32, 0)", path, h.line, name);
	if (follows(&h, ';'))
		return lt_fail(ctx, LT_ESYNTAX, "%s:%d: LT_KERNEL(%s, ...) begins the kernel: { ... } follows it, and no ';'", path,
			h.line, name);
	if (find_word(&h, "LT_KERNEL"))
		return lt_fail(ctx, LT_EINVAL, "%s:%d: LT_KERNEL stands there a second time: a file has the kernel of its name alone",
			path, h.line);
	return LT_OK;
}

/* -- the workspace, and the condition: whole numbers; a comparison gives 1 or 0 -- */

struct own_sum {
	struct lt_context *ctx;
	const char *path, *at, *end;
	int32_t line, depth;
	const struct lt_graph *g;
	const struct lt_owncall *c;
	int64_t threads;
	const char *what;               /* for messages: "the workspace of LT_KERNEL" */
	bool condition;                 /* an axis that is not there has the extent 0, and so on */
};

static lt_status sum_of(struct own_sum *s, int64_t *out);

static lt_status sum_wrong(const struct own_sum *s, const char *expected)
{
	const size_t n = (size_t)(s->end - s->at);
	return lt_fail(s->ctx, LT_ESYNTAX, "%s:%d: %s: expected %s, found '%.*s'", s->path, s->line, s->what, expected,
		n < 40 ? (int)n : 40, s->at);
}

static bool sum_sign(struct own_sum *s, char sign)
{
	while (s->at < s->end && strchr(" \t\n", *s->at))
		s->at++;
	return s->at < s->end && *s->at == sign && s->at++;
}

static bool sum_word(struct own_sum *s, const char *word)
{
	const size_t n = strlen(word);
	(void)sum_sign(s, '\0');
	if ((size_t)(s->end - s->at) < n || memcmp(s->at, word, n) != 0 || (s->at + n < s->end && is_letter(s->at[n])))
		return false;
	s->at += n;
	return true;
}

enum operand_fact { OWN_RANK, OWN_ELEMS, OWN_EXTENT };

static lt_status operand_number(struct own_sum *s, enum operand_fact fact, int64_t *out)
{
	int64_t k = 0, i = 0;
	if (!sum_sign(s, '('))
		return sum_wrong(s, "'('");
	LT_TRY(sum_of(s, &k));
	if (fact == OWN_EXTENT && !sum_sign(s, ','))
		return sum_wrong(s, "',' and an axis");
	if (fact == OWN_EXTENT)
		LT_TRY(sum_of(s, &i));
	if (!sum_sign(s, ')'))
		return sum_wrong(s, "')'");
	const int32_t rank = k < 0 || k >= s->c->n_operand ? -1 : s->g->node[s->c->operand[k]].n_dim;
	const bool there = rank >= 0 && (fact != OWN_EXTENT || (i >= 0 && i < rank));
	/* A parameter that is given no tensor is a number here, or several. */
	const bool left_out = s->condition && k >= s->c->n_operand && k < s->c->n_operand + s->c->n_number;
	if ((rank < 0 && !left_out) || (!there && !s->condition))
		return lt_fail(s->ctx, LT_EINVAL, "%s:%d: %s asks for %s %lld, and there are %d of them, from 0 on", s->path, s->line,
			s->what, rank < 0 ? "operand" : "axis", (long long)(rank < 0 ? k : i), rank < 0 ? s->c->n_operand : rank);
	*out = fact == OWN_RANK ? rank : !there ? 0 : fact == OWN_ELEMS ? lt__node_elems(s->g, s->c->operand[k])
		: s->g->var[s->g->node[s->c->operand[k]].dim[i]].extent;
	return LT_OK;
}

static lt_status sum_atom(struct own_sum *s, int64_t *out)
{
	if (sum_sign(s, '(')) {
		LT_TRY(sum_of(s, out));
		return sum_sign(s, ')') ? LT_OK : sum_wrong(s, "')'");
	}
	if (sum_word(s, "threads")) {
		*out = s->threads;
		return LT_OK;
	}
	if (sum_word(s, "extent"))
		return operand_number(s, OWN_EXTENT, out);
	if (sum_word(s, "elems"))
		return operand_number(s, OWN_ELEMS, out);
	if (sum_word(s, "rank"))
		return operand_number(s, OWN_RANK, out);
	if (s->at == s->end || *s->at < '0' || *s->at > '9')
		return sum_wrong(s, "a whole number, rank(K), extent(K, AXIS), elems(K) or threads");
	for (*out = 0; s->at < s->end && *s->at >= '0' && *s->at <= '9'; s->at++)
		*out = lt__add_sat(lt__mul_sat(*out, 10), *s->at - '0');
	return LT_OK;
}

static lt_status sum_product(struct own_sum *s, int64_t *out)
{
	LT_TRY(sum_atom(s, out));
	for (;;) {
		const char sign = sum_sign(s, '*') ? '*' : sum_sign(s, '/') ? '/' : sum_sign(s, '%') ? '%' : '\0';
		int64_t x;
		if (!sign)
			return LT_OK;
		LT_TRY(sum_atom(s, &x));
		if (sign != '*' && x < 1)
			return sum_wrong(s, "a divisor of at least 1");
		*out = sign == '/' ? *out / x : sign == '%' ? *out % x : lt__mul_sat(*out, x);
	}
}

static lt_status sum_terms(struct own_sum *s, int64_t *out)
{
	LT_TRY(sum_product(s, out));
	for (;;) {
		const bool minus = sum_sign(s, '-');
		int64_t x;
		if (!minus && !sum_sign(s, '+'))
			return LT_OK;
		LT_TRY(sum_product(s, &x));
		*out = minus ? *out - x : lt__add_sat(*out, x);
	}
}

static bool sum_signs(struct own_sum *s, const char *two)
{
	(void)sum_sign(s, '\0');
	if (s->end - s->at < 2 || memcmp(s->at, two, 2) != 0)
		return false;
	s->at += 2;
	return true;
}

static lt_status sum_comparison(struct own_sum *s, int64_t *out)
{
	int64_t l, r;
	LT_TRY(sum_terms(s, &l));
	*out = l;
	static const char *const signs[] = { "==", "!=", ">=", "<=" };
	char sign = '\0';
	for (int i = 0; i < 4 && !sign; i++)
		sign = sum_signs(s, signs[i]) ? "=!gl"[i] : '\0';
	sign = sign ? sign : sum_sign(s, '>') ? '>' : sum_sign(s, '<') ? '<' : '\0';
	if (!sign)
		return LT_OK;
	LT_TRY(sum_terms(s, &r));
	*out = sign == '=' ? l == r : sign == '!' ? l != r : sign == 'g' ? l >= r : sign == 'l' ? l <= r
		: sign == '>' ? l > r : l < r;
	return LT_OK;
}

static lt_status sum_both(struct own_sum *s, int64_t *out)
{
	LT_TRY(sum_comparison(s, out));
	while (sum_signs(s, "&&")) {
		int64_t x;
		LT_TRY(sum_comparison(s, &x));
		*out = *out && x;
	}
	return LT_OK;
}

static lt_status sum_of(struct own_sum *s, int64_t *out)
{
	if (++s->depth > 64)
		return sum_wrong(s, "fewer parentheses");
	LT_TRY(sum_both(s, out));
	while (sum_signs(s, "||")) {
		int64_t x;
		LT_TRY(sum_both(s, &x));
		*out = *out || x;
	}
	s->depth--;
	return LT_OK;
}

static lt_status workspace_for(struct own_sum s, int64_t threads, int64_t *out)
{
	s.threads = threads;
	LT_TRY(sum_of(&s, out));
	if (s.at < s.end)
		return sum_wrong(&s, "an operator or the end");
	return *out < 0 || *out > (INT64_C(1) << 46) ? lt_fail(s.ctx, LT_EINVAL,
		"%s:%d: the workspace of LT_KERNEL is %lld bytes with %lld threads", s.path, s.line, (long long)*out,
		(long long)threads) : LT_OK;
}

lt_status lt__own_workspace(struct lt_context *ctx, const char *path, const struct lt_ownhead *head,
	const struct lt_graph *g, const struct lt_owncall *c, int64_t out[2])
{
	const struct own_sum s = { .ctx = ctx, .path = path, .at = head->workspace,
		.end = head->workspace + head->workspace_bytes, .line = head->line, .g = g, .c = c,
		.what = "the workspace of LT_KERNEL" };
	int64_t none, one, two;
	LT_TRY(workspace_for(s, 0, &none));
	LT_TRY(workspace_for(s, 1, &one));
	LT_TRY(workspace_for(s, 2, &two));
	if (two - one != one - none || one < none)
		return lt_fail(ctx, LT_EINVAL, "%s:%d: the workspace of LT_KERNEL is no number of bytes, and one for each thread",
			path, head->line);
	out[0] = none;
	out[1] = one - none;
	return LT_OK;
}

lt_status lt__own_takes(struct lt_context *ctx, const char *path, const struct lt_ownhead *head,
	const struct lt_graph *g, const struct lt_owncall *c, bool *takes)
{
	struct own_sum s = { .ctx = ctx, .path = path, .at = head->takes, .end = head->takes + head->takes_bytes,
		.line = head->takes_line, .g = g, .c = c, .what = "LT_TAKES", .condition = true };
	int64_t x = 1;
	*takes = true;
	for (int32_t k = 0; k < c->n_operand + c->n_result && *takes; k++)
		*takes = head->types >> g->node[k < c->n_operand ? c->operand[k] : c->result[k - c->n_operand]].dtype & 1;
	if (!head->takes)
		return LT_OK;
	LT_TRY(sum_of(&s, &x));
	*takes = *takes && x;
	return s.at < s.end ? sum_wrong(&s, "an operator or the end") : LT_OK;
}
