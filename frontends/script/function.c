/* function.c -- functions and repeats: text that is read again at each call, in each round. */
#include <string.h>
#include "frontends/script/script.h"

enum {
	DEPTH_MAX = 200,                /* expressions, calls and repeats within each other */
	TEXT_MAX = 1 << 26,             /* bytes of all calls and rounds, */
	TEXT_EACH = 16                  /* each of which counts for some more */
};

lt_status lt__script_enter(struct lt_script *s)
{
	if (++s->depth > DEPTH_MAX)
		return lt__script_fail(s, s->cursor.position, LT_EUNSUPPORTED,
			"Nested too deeply, the limit is %d levels", DEPTH_MAX);
	return LT_OK;
}

/* To the '}' of a block; names of tensors and results may have braces of their own. */
static lt_status skip_block(struct lt_script *s, struct lt_position open)
{
	bool begin = true;              /* of a statement */
	int32_t depth = 1;
	for (int c; (c = lt__lex_peek(&s->cursor)) >= 0;) {
		const char *word;
		int32_t n = lt__lex_word(&s->cursor, &word);
		int32_t type = n ? lt__names_find(s->types, word, (size_t)n) : -1;
		if (type >= 0 && strncmp(s->type[type].pattern, "name", 4) == 0 && lt__lex_peek(&s->cursor) == '(') {
			lt__lex_step(&s->cursor);
			lt__lex_name(&s->cursor, ",)", &word);
		} else if (begin && n == 6 && memcmp(word, "result", 6) == 0) {
			lt__lex_name(&s->cursor, "=;,)", &word);
		} else if (!n) {
			depth += (c == '{') - (c == '}');
			if (!depth)
				return LT_OK;
			lt__lex_step(&s->cursor);
		}
		begin = !n && (c == ';' || c == '{' || c == '}');
	}
	return lt__script_fail(s, s->cursor.position, LT_ESYNTAX,
		"Unexpected end of script, expected '}' for the '{' of line %d", open.line);
}

/* The '{' at the cursor up to its '}', and what reading it n times costs; the cursor is after it then. */
static lt_status find_block(struct lt_script *s, struct lt_cursor *body, struct lt_cursor *end)
{
	LT_TRY(lt__script_expect(s, '{', "'{'"));
	struct lt_position open = s->cursor.position;
	*body = s->cursor;
	LT_TRY(skip_block(s, open));
	*end = s->cursor;
	lt__lex_step(&s->cursor);
	s->names_used = true;
	return LT_OK;
}

static lt_status count_text(
	struct lt_script *s, struct lt_position at, const struct lt_cursor *body, const struct lt_cursor *end, int64_t times)
{
	int64_t bytes;
	if (lt__mul_overflow(end->at - body->at + TEXT_EACH, times, &bytes) || bytes > TEXT_MAX - s->text_read)
		return lt__script_fail(s, at, LT_EUNSUPPORTED,
			"Functions and repeats go through too much text: more than %d bytes, each round and each call counted", TEXT_MAX);
	s->text_read += bytes;
	return LT_OK;
}

static lt_status read_new_name(struct lt_script *s, const char *expected, const char **name, int32_t *bytes)
{
	lt__lex_peek(&s->cursor);
	struct lt_position at = s->cursor.position;
	*bytes = lt__lex_word(&s->cursor, name);
	if (!*bytes)
		return lt__script_unexpected(s, expected);
	return lt__script_check_name(s, *name, *bytes, at);
}

static lt_status read_parameter(struct lt_script *s, struct lt_script_function *f)
{
	struct lt_parameter p = { .name = NULL };
	lt__lex_peek(&s->cursor);
	struct lt_position at = s->cursor.position;
	LT_TRY(read_new_name(s, "the name of a parameter", &p.name, &p.bytes));
	for (int32_t i = 0; i < f->n_parameter; i++)
		if (f->parameter[i].bytes == p.bytes && memcmp(f->parameter[i].name, p.name, (size_t)p.bytes) == 0)
			return lt__script_fail(s, at, LT_EEXIST, "Parameter '%.*s' is defined twice", p.bytes, p.name);
	p.has_default = lt__lex_peek(&s->cursor) == '=';
	if (p.has_default) {
		lt__lex_step(&s->cursor);
		LT_TRY(lt__script_argument(s, &p.value));
	} else if (f->n_parameter && f->parameter[f->n_parameter - 1].has_default) {
		return lt__script_fail(s, at, LT_ESYNTAX, "Parameter '%.*s' has no default, but the one before it has",
			p.bytes, p.name);
	}
	LT_GROW(s->arena, f->parameter, f->n_parameter, f->cap_parameter);
	f->parameter[f->n_parameter++] = p;
	return LT_OK;
}

lt_status lt__script_define(struct lt_script *s, struct lt_position at)
{
	struct lt_script_function f = { .position = at };
	const char *name;
	if (s->frame)
		return lt__script_fail(s, at, LT_ESYNTAX, "Unexpected def: a function is defined outside of functions and repeats");
	lt__lex_peek(&s->cursor);
	struct lt_position name_at = s->cursor.position;
	f.bytes = lt__lex_word(&s->cursor, &name);
	int32_t before = lt__script_function(s, name, f.bytes);
	if (before >= 0)
		return lt__script_fail(s, name_at, LT_EEXIST, "Function is defined twice: '%.*s', first at line %d", f.bytes, name,
			s->function[before].position.line);
	if (!f.bytes)
		return lt__script_unexpected(s, "the name of a function");
	LT_TRY(lt__script_check_name(s, name, f.bytes, name_at));
	if (lt__script_lookup(s, name, f.bytes))
		return lt__script_fail(s, name_at, LT_EEXIST, "'%.*s' is the name of a value: a function needs another one", f.bytes,
			name);
	LT_TRY(lt__script_expect(s, '(', "'('"));
	while (lt__lex_peek(&s->cursor) != ')') {
		if (f.n_parameter)
			LT_TRY(lt__script_expect(s, ',', "',' or ')'"));
		LT_TRY(read_parameter(s, &f));
	}
	lt__lex_step(&s->cursor);
	LT_TRY(find_block(s, &f.body, &f.end));
	lt__script_scope_new(s, &f.scope);
	LT_GROW(s->arena, s->function, s->n_function, s->cap_function);
	f.name = lt__names_add(s->functions, name, (size_t)f.bytes, s->n_function);
	s->function[s->n_function++] = f;
	return LT_OK;
}

/* "f(x, w, heads=...)" */
static const char *signature(struct lt_script *s, const struct lt_script_function *f)
{
	struct lt_text t = { .arena = s->arena };
	for (int32_t i = 0; i < f->n_parameter; i++)
		lt__text_format(&t, "%s%.*s%s", i ? ", " : "", f->parameter[i].bytes, f->parameter[i].name,
			f->parameter[i].has_default ? "=..." : "");
	return lt__arena_format(s->arena, "%s(%s)", f->name, t.n ? t.at : "");
}

/* Arguments become the function's names, which hold for this call. */
static lt_status read_arguments(struct lt_script *s, struct lt_script_function *f)
{
	int32_t first = s->n_arg, n = 0;
	LT_TRY(lt__script_expect(s, '(', "'('"));
	for (; lt__lex_peek(&s->cursor) != ')'; n++) {
		struct lt_arg value;
		if (n)
			LT_TRY(lt__script_expect(s, ',', "',' or ')'"));
		lt__lex_peek(&s->cursor);
		if (n == f->n_parameter)
			return lt__script_fail(s, s->cursor.position, LT_ESYNTAX, "Too many arguments, expected %s", signature(s, f));
		LT_TRY(lt__script_argument(s, &value));
		*lt__script_new_arg(s, value.kind) = value;
	}
	if (n < f->n_parameter && !f->parameter[n].has_default)
		return lt__script_fail(s, s->cursor.position, LT_ESYNTAX, "Too few arguments, expected %s", signature(s, f));
	lt__lex_step(&s->cursor);
	struct lt_script_scope *outer = s->scope;
	f->scope.call++;
	s->scope = &f->scope;
	for (int32_t i = 0; i < f->n_parameter; i++)
		lt__script_bind(s, f->parameter[i].name, f->parameter[i].bytes,
			i < n ? &s->arg[first + i] : &f->parameter[i].value);
	s->scope = outer;
	s->n_arg = first;
	return LT_OK;
}

/* The body: statements, and at its end "return" with values, which are left in s->arg. */
static lt_status run_body(struct lt_script *s, const struct lt_script_function *f)
{
	const char *word;
	LT_TRY(s->block(s));
	struct lt_position at = s->cursor.position;
	if (lt__lex_peek(&s->cursor) == '}')
		return lt__script_fail(s, at, LT_ESYNTAX, "The function '%s' ends without return", f->name);
	lt__lex_word(&s->cursor, &word);
	const struct lt_script_target target = { .path = lt__script_path(s, "", 0), .position = at, .named = true };
	LT_TRY(s->values(s, &target, 1, "a value to return"));
	LT_TRY(lt__script_end(s));
	if (lt__lex_peek(&s->cursor) != '}')
		return lt__script_fail(s, s->cursor.position, LT_ESYNTAX,
			"Unexpected statement: return is the last one of a function");
	return LT_OK;
}

lt_status lt__script_call(struct lt_script *s, int32_t function, const struct lt_cursor *from, struct lt_arg *out)
{
	struct lt_script_function *f = &s->function[function];  /* no other is defined meanwhile */
	int32_t first = s->n_arg, level = s->level;
	if (f->running)
		return lt__script_fail(s, from->position, LT_EUNSUPPORTED,
			"The function '%s' calls itself: there is no recursion, repeat runs statements again", f->name);
	LT_TRY(lt__script_enter(s));
	LT_TRY(read_arguments(s, f));
	LT_TRY(count_text(s, from->position, &f->body, &f->end, 1));
	struct lt_cursor back = s->cursor;
	struct lt_script_scope *scope = s->scope;
	struct lt_script_target target = s->target;
	const struct lt_script_frame *up = s->frame, frame = { .function = f->name, .position = from->position, .up = up };
	f->running = true;
	s->frame = &frame;
	s->scope = &f->scope;
	s->cursor = f->body;
	LT_TRY(run_body(s, f));
	f->running = false;
	s->frame = up;
	s->scope = scope;
	s->cursor = back;
	s->target = target;
	s->level = level;
	s->depth--;
	int32_t n = s->n_arg - first;
	if (n == 1)
		*out = s->arg[first];
	else
		*out = (struct lt_arg){ .kind = LT_ARG_MANY, .statement = -1, .node = -1, .n = n,
			.many = lt__arena_copy(s->arena, s->arg + first, (size_t)n * sizeof *s->arg) };
	out->position = from->position;
	out->literal = false;
	out->shown = lt__script_quote(s, from);
	s->n_arg = first;
	return LT_OK;
}

lt_status lt__script_repeat(struct lt_script *s, struct lt_position at)
{
	const char *name, *word;
	int32_t bytes;
	struct lt_arg begin, end;
	struct lt_cursor body, after;
	LT_TRY(lt__script_enter(s));
	LT_TRY(read_new_name(s, "the name of a counter, as in repeat i in 0..12", &name, &bytes));
	lt__lex_peek(&s->cursor);
	struct lt_cursor in = s->cursor;
	if (lt__lex_word(&s->cursor, &word) != 2 || memcmp(word, "in", 2) != 0) {
		s->cursor = in;
		return lt__script_unexpected(s, "'in', as in repeat i in 0..12");
	}
	s->level = 1;
	LT_TRY(lt__script_take(s, LT_ARG_INT, "an integer", &begin));
	LT_TRY(lt__script_expect(s, '.', "'..', as in 0..12"));
	LT_TRY(lt__script_expect(s, '.', "'..', as in 0..12"));
	LT_TRY(lt__script_take(s, LT_ARG_INT, "an integer", &end));
	s->level = 0;
	if (end.i < begin.i)
		return lt__script_fail(s, end.position, LT_EINVAL, "Invalid range %lld .. %lld: the end is below the begin",
			(long long)begin.i, (long long)end.i);
	LT_TRY(find_block(s, &body, &after));
	uint64_t rounds = (uint64_t)end.i - (uint64_t)begin.i;
	LT_TRY(count_text(s, at, &body, &after, rounds > INT64_MAX ? INT64_MAX : (int64_t)rounds));
	struct lt_cursor back = s->cursor;
	const char *counter = lt__arena_format(s->arena, "%.*s", bytes, name);
	struct lt_script_frame frame = { .counter = counter, .position = at, .up = s->frame };
	for (frame.round = begin.i; frame.round < end.i; frame.round++) {
		const struct lt_arg i = { .kind = LT_ARG_NUMBER, .position = at, .statement = -1, .node = -1, .whole = true,
			.i = frame.round, .number = (double)frame.round };
		lt__script_bind(s, name, bytes, &i);
		s->frame = &frame;
		s->cursor = body;
		LT_TRY(s->block(s));
		if (lt__lex_peek(&s->cursor) != '}')
			return lt__script_fail(s, s->cursor.position, LT_ESYNTAX, "Unexpected return: a function returns after its repeats");
		s->frame = frame.up;
	}
	s->cursor = back;
	s->depth--;
	return LT_OK;
}
