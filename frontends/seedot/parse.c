/* parse.c -- the grammar: words to a syntax tree.
 *
 * From tight to loose: x^T x[..], -x, * |*| <*> <+> <->, + -, x >= 0 ? a : b.  What $, loop and let are before goes
 * as far
 * as it can: the bodies of $ and loop to a "?", that of let to its end.
 */
#include <string.h>
#include "base/decimal.h"
#include "frontends/seedot/seedot.h"

enum { CHOOSES, ADDS, MULTIPLIES, UNARY };
enum { DEEPEST = 500, MOST_ARGUMENTS = 64 };
struct sd_parser { struct sd_program *p; const struct sd_word *at; int32_t depth; };

static struct sd_expr *parse_level(struct sd_parser *, int level);

static bool is(const struct sd_word *w, const char *text)
{
	return (w->kind == SD_MARK || w->kind == SD_IDENTIFIER) && (size_t)w->n == strlen(text) && !memcmp(w->at, text,
		strlen(text));
}

static const char *shown(const struct sd_parser *q, const struct sd_word *w)
{
	return w->kind == SD_END ? "the end" : lt__scratch(q->p->ctx, "'%.*s'", w->n > 40 ? 40 : w->n, w->at);
}

static bool expected(struct sd_parser *q, const char *what)
{
	return lt__sd_refuse(q->p, q->at->place, "expected %s before %s", what, shown(q, q->at));
}

static bool take(struct sd_parser *q, const char *mark)
{
	if (!is(q->at, mark))
		return expected(q, lt__scratch(q->p->ctx, "'%s'", mark));
	q->at++;
	return true;
}

static bool take_integer(struct sd_parser *q, int64_t *out)
{
	enum { MOST = INT32_MAX };
	int64_t x = 0;

	if (q->at->kind != SD_INTEGER)
		return expected(q, "a whole number");
	for (int32_t i = 0; i < q->at->n && x <= MOST; i++)
		x = 10 * x + (q->at->at[i] - '0');
	if (x > MOST)
		return lt__sd_refuse(q->p, q->at->place, "a whole number is at most %d, not %s", MOST, shown(q, q->at));
	q->at++;
	*out = x;
	return true;
}

/* A number with or without a sign; slack: half a unit of its last decimal, 0 without one. */
static bool take_number(struct sd_parser *q, double *out, double *slack)
{
	const bool negative = is(q->at, "-");
	char text[64];

	if (negative || is(q->at, "+"))
		q->at++;
	const struct sd_word *w = q->at;
	if (w->kind != SD_INTEGER && w->kind != SD_DECIMAL)
		return expected(q, "a number");
	if ((size_t)w->n >= sizeof text)
		return lt__sd_refuse(q->p, w->place, "a number of %d characters is too long", w->n);
	memcpy(text, w->at, (size_t)w->n);
	text[w->n] = 0;
	*out = lt__decimal(text, NULL) * (negative ? -1 : 1);
	const char *point = strchr(text, '.'), *exponent = strpbrk(text, "eE");
	*slack = point ? 0.5 : 0;
	for (const char *at = point ? point + 1 : ""; *at >= '0' && *at <= '9'; at++)
		*slack /= 10;
	if (exponent)
		*slack *= lt__decimal(lt__scratch(q->p->ctx, "1%s", exponent), NULL);
	if (!(*out >= -__FLT_MAX__ && *out <= __FLT_MAX__))
		return lt__sd_refuse(q->p, w->place, "%s is no float of 32 bits: the largest is %g", shown(q, w),
			(double)__FLT_MAX__);
	q->at++;
	return true;
}

static const char *take_name(struct sd_parser *q)
{
	static const char *const words[] = { "let", "in", "loop" };

	if (q->at->kind != SD_IDENTIFIER)
		return expected(q, "a name"), NULL;
	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		if (is(q->at, words[i]))
			return expected(q, "a name"), NULL;
	if (lt__sd_operator(q->at->at, q->at->n, false)) {
		lt__sd_refuse(q->p, q->at->place, "%s is an operator: a name is another word", shown(q, q->at));
		return NULL;
	}
	const char *name = lt__arena_format(q->p->arena, "%.*s", q->at->n, q->at->at);
	q->at++;
	return name;
}

/* -- expressions -- */
static struct sd_expr *make(struct sd_parser *q, enum sd_kind kind, struct sd_place place)
{
	struct sd_expr *e = LT_NEW(q->p->arena, struct sd_expr, 1);

	e->kind = kind;
	e->place = place;
	return e;
}

static bool add_arg(struct sd_parser *q, struct sd_expr *e, struct sd_expr *arg)
{
	struct sd_expr **grown;

	if (!arg)
		return false;
	if (e->n_arg == MOST_ARGUMENTS)
		return lt__sd_refuse(q->p, arg->place, "%d arguments are the most", MOST_ARGUMENTS);
	grown = LT_NEW(q->p->arena, struct sd_expr *, e->n_arg + 1);
	for (int32_t i = 0; i < e->n_arg; i++)
		grown[i] = e->arg[i];
	grown[e->n_arg++] = arg;
	e->arg = grown;
	e->depth = arg->depth >= e->depth ? arg->depth + 1 : e->depth;
	return e->depth <= DEEPEST || lt__sd_refuse(q->p, arg->place, "expressions are at most %d deep", DEEPEST);
}

static void add_number(struct sd_parser *q, struct sd_list *list, int64_t x)
{
	int64_t *grown = LT_NEW(q->p->arena, int64_t, list->n + 1);

	for (int32_t i = 0; i < list->n; i++)
		grown[i] = list->at[i];
	grown[list->n++] = x;
	list->at = grown;
}

static bool take_integers(struct sd_parser *q, struct sd_list *list)
{
	int64_t x;

	do {
		if (list->n == SD_MAX_RANK)
			return lt__sd_refuse(q->p, q->at->place, "a tensor has at most %d axes", SD_MAX_RANK);
		if (!take_integer(q, &x))
			return false;
		add_number(q, list, x);
	} while (is(q->at, ",") && q->at++);
	return true;
}

/* One word of a row's pattern (seedot.h). */
static bool take_pattern(struct sd_parser *q, struct sd_expr *e, const char *word)
{
	struct sd_list *list = &e->list[e->n_list];
	int64_t x;
	double slack;

	switch (word[0]) {
	case 'e':
		return add_arg(q, e, parse_level(q, CHOOSES));
	case 'f':
		return take_number(q, &e->real, &slack);
	case 'n':
		e->n_list++;
		if (!take_integer(q, &x))
			return false;
		add_number(q, list, x);
		return true;
	case '{':
		e->n_list++;
		if (!take(q, lt__scratch(q->p->ctx, "{%c", word[1])))
			return false;
		for (int32_t i = 0; i < word[2] - '0'; i++) {
			if (!take_integer(q, &x))
				return false;
			add_number(q, list, x);
		}
		return take(q, "}");
	default:
		if (!take(q, word[0] == '(' ? "(" : "["))
			return false;
		if (word[1] == 'e') {
			for (int32_t i = 0; i < word[2] - '0'; i++)
				if ((i && !take(q, ",")) || !add_arg(q, e, parse_level(q, CHOOSES)))
					return false;
		} else {
			e->n_list++;
			if (!take_integers(q, list))
				return false;
		}
		return take(q, word[0] == '(' ? ")" : "]");
	}
}

static struct sd_expr *parse_operator(struct sd_parser *q, const struct sd_operator *op)
{
	struct sd_expr *e = make(q, SD_OPERATOR, q->at->place);

	e->op = op;
	q->at++;
	if (!take(q, "("))
		return NULL;
	for (const char *word = op->pattern; word; word = strchr(word, ' ') ? strchr(word, ' ') + 1 : NULL)
		if ((word != op->pattern && !take(q, ",")) || !take_pattern(q, e, word))
			return NULL;
	return take(q, ")") ? e : NULL;
}

static struct sd_expr *parse_own(struct sd_parser *q)
{
	struct sd_expr *e = make(q, SD_OWN, q->at->place);

	e->name = take_name(q);
	if (!e->name || !take(q, "("))
		return NULL;
	do {
		if (!add_arg(q, e, parse_level(q, CHOOSES)))
			return NULL;
	} while (is(q->at, ",") && q->at++);
	return take(q, ")") ? e : NULL;
}

/* (3, 4) in [-1, 1]: whether it comes, which begins as (3) may. */
static bool declares(const struct sd_word *w)
{
	if (!is(w, "("))
		return false;
	do {
		if ((++w)->kind != SD_INTEGER)
			return false;
		w++;
	} while (is(w, ","));
	return is(w, ")") && is(w + 1, "in") && is(w + 2, "[");
}

static struct sd_expr *parse_declared(struct sd_parser *q)
{
	struct sd_expr *e = make(q, SD_DECLARE, q->at->place);

	e->n_list = 1;
	if (!take(q, "(") || !take_integers(q, &e->list[0]) || !take(q, ")") || !take(q, "in") || !take(q, "[")
	    || !take_number(q, &e->low, &e->low_slack) || !take(q, ",") || !take_number(q, &e->high, &e->high_slack)
	    || !take(q, "]"))
		return NULL;
	return e;
}

/* $(i = [0:3]) body, loop(i = [0:3], H) body */
static struct sd_expr *parse_trips(struct sd_parser *q)
{
	const bool sums = is(q->at, "$");
	struct sd_expr *e = make(q, sums ? SD_SUM : SD_LOOP, q->at->place);
	int64_t begin, end;

	q->at++;
	if (!take(q, "(") || !(e->name = take_name(q)) || !take(q, "=") || !take(q, "[") || !take_integer(q, &begin)
	    || !take(q, ":") || !take_integer(q, &end) || !take(q, "]"))
		return NULL;
	add_number(q, &e->list[0], begin);
	add_number(q, &e->list[0], end);
	e->n_list = 1;
	if (!sums && (!take(q, ",") || !(e->accumulator = take_name(q))))
		return NULL;
	return take(q, ")") && add_arg(q, e, parse_level(q, ADDS)) ? e : NULL;
}

/* [e :+ n] after x: one more axis of a slice. */
static bool take_part(struct sd_parser *q, struct sd_expr *e, struct sd_expr *begin)
{
	int64_t n;

	e->n_list = 1;
	if (e->list[0].n == SD_MAX_RANK)
		return lt__sd_refuse(q->p, q->at->place, "a tensor has at most %d axes", SD_MAX_RANK);
	if (!begin || !take(q, ":+") || !take_integer(q, &n) || !add_arg(q, e, begin))
		return false;
	add_number(q, &e->list[0], n);
	return take(q, "]");
}

/* let NAME = value in, or let NAME[begin :+ n].. = value in; the rest comes later. */
static struct sd_expr *parse_binding(struct sd_parser *q)
{
	struct sd_expr *parts = make(q, SD_SLICE, q->at->place), *let, *value;

	q->at++;
	let = make(q, SD_LET, q->at->place);
	if (!(let->name = take_name(q)))
		return NULL;
	while (is(q->at, "[") && q->at++)
		if (!take_part(q, parts, parse_level(q, CHOOSES)))
			return NULL;
	if (!take(q, "=") || !(value = parse_level(q, CHOOSES)) || !take(q, "in") || !add_arg(q, let, value))
		return NULL;
	if (value->kind == SD_DECLARE)
		value->name = let->name;
	let->list[0] = parts->list[0];
	let->n_list = parts->n_list;
	let->depth = parts->depth > let->depth ? parts->depth : let->depth;
	let->n_arg = 2 + parts->n_arg;
	let->arg = LT_NEW(q->p->arena, struct sd_expr *, let->n_arg);
	let->arg[0] = value;
	for (int32_t i = 0; i < parts->n_arg; i++)
		let->arg[2 + i] = parts->arg[i];
	return let;
}

/* One let after the other in a loop: a program is nothing else. */
static struct sd_expr *parse_let(struct sd_parser *q)
{
	struct sd_expr **chain = NULL;
	int32_t n = 0, cap = 0;

	while (is(q->at, "let")) {
		LT_GROW(q->p->arena, chain, n, cap);
		if (!(chain[n++] = parse_binding(q)))
			return NULL;
	}
	struct sd_expr *rest = parse_level(q, CHOOSES);
	for (int32_t i = n; rest && i-- > 0; rest = chain[i]) {
		chain[i]->arg[1] = rest;
		chain[i]->depth = rest->depth > chain[i]->depth ? rest->depth : chain[i]->depth;
	}
	return rest;
}

static struct sd_expr *parse_sign(struct sd_parser *q)
{
	struct sd_expr *e = make(q, SD_SIGN, q->at->place);

	e->negative = is(q->at, "-");
	q->at++;
	return add_arg(q, e, parse_level(q, UNARY)) ? e : NULL;
}

static struct sd_expr *parse_primary(struct sd_parser *q)
{
	const struct sd_word *w = q->at;
	struct sd_expr *e;
	double slack;

	if (w->kind == SD_INTEGER) {
		int64_t x;

		e = make(q, SD_WHOLE, w->place);
		if (!take_integer(q, &x))
			return NULL;
		add_number(q, &e->list[0], x);
		return e;
	}
	if (w->kind == SD_DECIMAL) {
		e = make(q, SD_REAL, w->place);
		return take_number(q, &e->real, &slack) ? e : NULL;
	}
	if (is(w, "$") || is(w, "loop"))
		return parse_trips(q);
	if (is(w, "let"))
		return parse_let(q);
	if (is(w, "+") || is(w, "-"))
		return parse_sign(q);
	if (declares(w))
		return parse_declared(q);
	if (is(w, "(")) {
		q->at++;
		e = parse_level(q, CHOOSES);
		if (e && is(q->at, ","))
			return lt__sd_refuse(q->p, q->at->place, "expected ')' before ','; a tensor is declared with its least and its "
				"greatest number, (3, 4) in [-1.0, 1.0]"), NULL;
		return e && take(q, ")") ? e : NULL;
	}
	if (w->kind == SD_IDENTIFIER && lt__sd_operator(w->at, w->n, false))
		return parse_operator(q, lt__sd_operator(w->at, w->n, false));
	if (w->kind == SD_IDENTIFIER && is(w + 1, "(") && !is(w, "in"))
		return parse_own(q);
	if (w->kind != SD_IDENTIFIER || is(w, "in"))
		return expected(q, "an expression"), NULL;
	e = make(q, SD_NAME, w->place);
	e->name = take_name(q);
	return e->name ? e : NULL;
}

/* x[e :+ n][e :+ n] is one slice of two axes, x[e] an element of the first. */
static struct sd_expr *parse_brackets(struct sd_parser *q, struct sd_expr *of)
{
	struct sd_expr *slice = make(q, SD_SLICE, of->place), *inside;
	const struct sd_word *begin;

	if (!add_arg(q, slice, of))
		return NULL;
	while (is(q->at, "[")) {
		begin = q->at++;
		inside = parse_level(q, CHOOSES);
		if (!inside)
			return NULL;
		if (is(q->at, "]")) {
			struct sd_expr *index = make(q, SD_INDEX, of->place);

			if (slice->n_arg > 1) {
				q->at = begin;
				break;
			}
			q->at++;
			return add_arg(q, index, of) && add_arg(q, index, inside) ? index : NULL;
		}
		if (!take_part(q, slice, inside))
			return NULL;
	}
	return slice;
}

static struct sd_expr *parse_postfix(struct sd_parser *q)
{
	struct sd_expr *e = parse_primary(q), *of;

	while (e && (is(q->at, "^T") || is(q->at, "["))) {
		if (is(q->at, "[")) {
			e = parse_brackets(q, e);
			continue;
		}
		of = e;
		e = make(q, SD_TRANSPOSE, of->place);
		q->at++;
		if (!add_arg(q, e, of))
			return NULL;
	}
	return e;
}

static struct sd_expr *parse_choice(struct sd_parser *q, struct sd_expr *of)
{
	struct sd_expr *e = make(q, SD_CHOOSE, of->place);
	int64_t x;

	q->at++;
	if (!take_integer(q, &x) || !take(q, "?") || !add_arg(q, e, of) || !add_arg(q, e, parse_level(q, CHOOSES))
	    || !take(q, ":") || !add_arg(q, e, parse_level(q, ADDS)))
		return NULL;
	add_number(q, &e->list[0], x);
	return e;
}

static struct sd_expr *parse_infix(struct sd_parser *q, struct sd_expr *left, const struct sd_operator *op, int level)
{
	struct sd_expr *e = make(q, SD_OPERATOR, q->at->place);

	e->op = op;
	q->at++;
	return add_arg(q, e, left) && add_arg(q, e, parse_level(q, level + 1)) ? e : NULL;
}

static struct sd_expr *parse_operands(struct sd_parser *q, int level)
{
	struct sd_expr *e = parse_postfix(q);

	while (e) {
		const struct sd_operator *op = q->at->kind == SD_MARK ? lt__sd_operator(q->at->at, q->at->n, true) : NULL;

		if (op && op->level == SD_MULTIPLIES && level <= MULTIPLIES)
			e = parse_infix(q, e, op, MULTIPLIES);
		else if (op && op->level == SD_ADDS && level <= ADDS)
			e = parse_infix(q, e, op, ADDS);
		else if (is(q->at, ">=") && level <= CHOOSES)
			e = parse_choice(q, e);
		else
			break;
	}
	return e;
}

static struct sd_expr *parse_level(struct sd_parser *q, int level)
{
	if (q->depth == DEEPEST)
		return lt__sd_refuse(q->p, q->at->place, "expressions are at most %d deep", DEEPEST), NULL;
	q->depth++;
	struct sd_expr *e = parse_operands(q, level);
	q->depth--;
	return e;
}

bool lt__sd_parse(struct sd_program *p, const char *text, size_t bytes)
{
	struct sd_parser q = { .p = p };
	struct sd_word *words;

	if (!lt__sd_lex(p, text, bytes, &words))
		return false;
	q.at = words;
	p->root = parse_level(&q, CHOOSES);
	return p->root && (q.at->kind == SD_END || expected(&q, "the end"));
}
