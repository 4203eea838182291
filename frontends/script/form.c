/* form.c -- one call alone, on nodes that are there: of a type of node, for what prints graphs as scripts, and of an
 * operation of the user's own.
 */
#include <string.h>
#include "frontends/script/reader.h"
#include "frontends/script/script.h"

struct lt_script_language *lt__script_language(struct lt_arena *arena)
{
	struct lt_script_language *l = LT_NEW(arena, struct lt_script_language, 1);
	l->n = lt__script_nodes(NULL, 0);
	l->type = LT_NEW(arena, struct lt_script_node, l->n);
	l->names = lt__names_new(arena);
	lt__script_nodes(l->type, l->n);
	for (int32_t i = 0; i < l->n; i++)
		lt__names_add(l->names, l->type[i].name, strlen(l->type[i].name), i);
	return l;
}

const char *lt__script_op_name(const struct lt_script_language *l, enum lt_opcode op)
{
	for (int32_t i = 0; i < l->n; i++)
		if (l->type[i].op == op)
			return l->type[i].name;
	return NULL;
}

/* A script whose statements are the operands. */
static void begin_on(struct lt_script *s, const struct lt_script_language *l, struct lt_graph *g, int32_t n,
	const lt_node *operand)
{
	struct lt_arena *arena = g->arena;
	*s = (struct lt_script){ .ctx = g->ctx, .arena = arena, .graph = g, .file = "form", .type = l->type, .n_type = l->n,
		.types = l->names, .ids = lt__names_new(arena), .functions = lt__names_new(arena), .shown = "$",
		.target = { .path = "form" } };
	lt__script_scope_new(s, &s->script_scope);
	s->scope = &s->script_scope;
	s->sourced = LT_NEW(arena, bool, g->n_node);
	for (int32_t k = 0; k < n; k++) {
		char id[16];
		int32_t length = snprintf(id, sizeof id, "%d", k);
		const char *shown = lt__arena_format(arena, "$%d", k);
		struct lt_statement st = { .shown = shown, .node = operand[k], .type = l->type, .chain = -1, .previous = -1 };
		lt__names_add(s->ids, id, (size_t)length, k);
		LT_GROW(arena, s->id, s->n_id, s->cap_id);
		s->id[s->n_id++] = (struct lt_binding){ .value = { .kind = LT_ARG_NODE, .statement = k, .node = st.node,
			.shown = shown } };
		LT_GROW(arena, s->statement, s->n_statement, s->cap_statement);
		s->statement[s->n_statement++] = st;
	}
}

/* The text is parsed after the operands. */
lt_node lt__script_build(const struct lt_script_language *l, struct lt_graph *g, int32_t n, const lt_node *operand,
	const char *text, size_t bytes)
{
	struct lt_script s;
	begin_on(&s, l, g, n, operand);
	s.cursor = (struct lt_cursor){ text, text + bytes, { 1, 1 } };
	const char *word;
	int32_t length = lt__lex_word(&s.cursor, &word), i = lt__names_find(l->names, word, (size_t)length);
	return i < 0 || lt__script_args(&s, &l->type[i]) ? -1 : l->type[i].build(&s, &l->type[i], s.arg, s.n_arg);
}

/* The argument of that name; else the next operand. */
static lt_status own_argument(struct lt_script *s, const struct lt_parameter *p, const struct lt_own_given *given,
	int32_t n_operand, int32_t *next)
{
	for (int32_t k = 0; k < given->n_named; k++) {
		const struct lt_own_named *x = &given->named[k];
		if (strlen(x->name) != (size_t)p->bytes || memcmp(x->name, p->name, (size_t)p->bytes) != 0)
			continue;
		struct lt_arg *a = lt__script_new_arg(s, x->list ? LT_ARG_LIST : LT_ARG_NUMBER);
		given->used[k] = true;
		a->list = x->list;
		a->n = x->n;
		a->number = x->number;
		a->whole = x->whole;
		a->i = x->i;
		return LT_OK;
	}
	if (*next < n_operand) {
		const int32_t k = (*next)++;
		if (given->operand[k] >= 0) {
			*lt__script_new_arg(s, LT_ARG_NODE) = s->id[k].value;
			return LT_OK;
		}
	}
	if (!p->has_default)
		return lt_fail(s->ctx, LT_EINVAL, "%s has a parameter '%.*s', which neither an input nor an attribute gives", s->file,
			p->bytes, p->name);
	*lt__script_new_arg(s, p->value.kind) = p->value;
	return LT_OK;
}

/* The functions of a folder that the operation `name` may call, and itself, whose number is *out: those of its domain,
 * and of the others those in the folder itself. */
static lt_status load_functions(struct lt_script *s, const struct lt_ownfolder *folder, const char *name, int32_t *out)
{
	const char *slash = strrchr(name, '/'), *stem = slash ? slash + 1 : name;
	const size_t domain = (size_t)(stem - name);
	s->folder = folder;
	for (int32_t i = 0; i < folder->n; i++) {
		const char *other = strrchr(folder->name[i], '/');
		const bool beside = other && (size_t)(other + 1 - folder->name[i]) == domain
			&& !strncmp(folder->name[i], name, domain);
		const char *same = lt__arena_format(s->arena, "%.*s%s", (int)domain, name, folder->name[i]);
		if (beside || (!other && (!domain || lt__ownfolder_find(folder, same, strlen(same)) < 0)))
			LT_TRY(lt__script_load_own(s, folder->name[i]));
	}
	*out = lt__script_function(s, stem, (int32_t)strlen(stem));
	return LT_OK;
}

lt_status lt__script_own_inputs(const struct lt_script_language *l, struct lt_context *ctx, struct lt_arena *a,
	const struct lt_ownfolder *folder, const char *name, int32_t *n)
{
	struct lt_graph g = { .ctx = ctx, .arena = a };
	struct lt_script s;
	int32_t function;
	begin_on(&s, l, &g, 0, NULL);
	LT_TRY(load_functions(&s, folder, name, &function));
	*n = 0;
	for (int32_t i = 0; i < s.function[function].n_parameter; i++)
		*n += !s.function[function].parameter[i].has_default;
	return LT_OK;
}

lt_status lt__script_own(const struct lt_script_language *l, struct lt_graph *g, const struct lt_ownfolder *folder,
	const char *name, const struct lt_own_given *given, int32_t *n, lt_node **out)
{
	const struct lt_position here = { g->line ? g->line : 1, g->column };
	struct lt_script s;
	struct lt_arg value;
	int32_t next = 0;
	begin_on(&s, l, g, given->n_operand, given->operand);
	int32_t function;
	LT_TRY(load_functions(&s, folder, name, &function));
	const struct lt_script_function *f = &s.function[function];
	const struct lt_cursor from = { .position = here };
	s.target.path = f->name;
	s.file = f->file;
	for (int32_t i = 0; i < f->n_parameter; i++)
		LT_TRY(own_argument(&s, &f->parameter[i], given, given->n_operand, &next));
	if (next < given->n_operand)
		return lt_fail(g->ctx, LT_EINVAL, "%s has %d parameter%s for inputs, and %d inputs are given", f->file, next,
			next == 1 ? "" : "s", given->n_operand);
	const int32_t line = g->line, column = g->column;
	LT_TRY(lt__script_call(&s, function, 0, &from, &value));
	lt_graph_at(g, line, column);
	*n = value.kind == LT_ARG_MANY ? value.n : 1;
	*out = LT_NEW(g->arena, lt_node, *n);
	for (int32_t i = 0; i < *n; i++) {
		(*out)[i] = value.kind == LT_ARG_MANY ? value.many[i].node : value.node;
		if ((*out)[i] < 0)
			return lt_fail(g->ctx, LT_ETYPE, "%s gives a number, and not a tensor", f->file);
	}
	return LT_OK;
}
