/* Reading a tree's header and its nodes, each held against the graph: the first difference is reported. */
#include <string.h>
#include "looptree/text/parse.h"

static bool is_token(const struct lt_lexer *x, const struct lt_lexer *y)
{
	return x->kind == y->kind && x->bytes == y->bytes && memcmp(x->at, y->at, x->bytes) == 0;
}

/* Whether two texts are the same tokens. */
static bool same_tokens(const char *a, size_t a_bytes, const char *b, size_t b_bytes)
{
	struct lt_lexer x, y;
	lt__lex_begin(&x, NULL, a, a_bytes);
	lt__lex_begin(&y, NULL, b, b_bytes);
	do {
		lt__lex_next(&x);
		lt__lex_next(&y);
		if (!is_token(&x, &y))
			return false;
	} while (x.kind != LT_TOKEN_END);
	return true;
}

/* A part of the line, compared with what the graph has there. */
struct line_part { const char *at; size_t bytes; struct lt_lexer l; };

/* Whose graph the leaves stand for; what a line `own` has made is mended there. */
static const char *what_holds(const struct lt_treereader *r)
{
	return r->g == r->t->base ? "in the graph" : "by the graph and the lines 'own' above";
}

static lt_status compare(struct lt_treereader *r, const struct line_part *p, const struct lt_text *want,
	const char *name, const char *what)
{
	const char *text = want->n ? want->at : "";
	if (same_tokens(p->at, p->bytes, text, want->n))
		return LT_OK;
	r->l = p->l;
	if (p->bytes == 0)
		return lt__tree_differs(r, "%s has no %s here, and %.200s %s", name, what, text, what_holds(r));
	return lt__tree_differs(r, "%s has %s %.*s here, and %.200s %s", name, what,
		p->bytes < 200 ? (int)p->bytes : 200, p->at, want->n ? text : "none", what_holds(r));
}

/* Gathers tokens into a part for as long as `takes` holds. */
static void begin_part(const struct lt_treereader *r, struct line_part *p)
{
	*p = (struct line_part){ .at = r->l.at, .l = r->l };
}
static void extend_part(struct lt_treereader *r, struct line_part *p)
{
	p->bytes = (size_t)(r->l.next - p->at);
	lt__tree_next(r);
}

static bool is_sign(const struct lt_treereader *r, const char *sign)
{
	return r->l.kind == LT_TOKEN_SIGN && lt__lex_is(&r->l, sign);
}

/* "[", names with primes if `primes`, "]" */
static lt_status read_list(struct lt_treereader *r, bool primes, struct line_part *p)
{
	begin_part(r, p);
	if (!is_sign(r, "["))
		return LT_TREE_SYNTAX(r, "'[' is expected, not %s", lt__lex_text(r->ctx, &r->l));
	extend_part(r, p);
	while (r->l.kind == LT_TOKEN_NAME || (primes && r->l.kind == LT_TOKEN_BAD && *r->l.at == '\''))
		extend_part(r, p);
	if (!is_sign(r, "]"))
		return LT_TREE_SYNTAX(r, "%s or ']' is expected, not %s", primes ? "a loop" : "a var", lt__lex_text(r->ctx, &r->l));
	extend_part(r, p);
	return LT_OK;
}

/* "= op" or "= op.reduce[loops]" */
static lt_status read_op(struct lt_treereader *r, lt_node n, bool leaf, lt_tnode parent, const char *name)
{
	const struct lt_nodedef *d = &r->g->node[n];
	struct lt_text want = { .arena = r->scratch }, loops = { .arena = r->scratch };
	struct line_part op, list = { 0 };
	if (!is_sign(r, "="))
		return LT_TREE_SYNTAX(r, "'=' is expected, not %s", lt__lex_text(r->ctx, &r->l));
	lt__tree_next(r);
	if (r->l.kind != LT_TOKEN_NAME)
		return LT_TREE_SYNTAX(r, "an operator is expected, not %s", lt__lex_text(r->ctx, &r->l));
	begin_part(r, &op);
	extend_part(r, &op);
	if (is_sign(r, ".")) {
		extend_part(r, &op);
		if (!lt__lex_is(&r->l, "reduce"))
			return LT_TREE_SYNTAX(r, "'reduce' is expected after the point, not %s", lt__lex_text(r->ctx, &r->l));
		extend_part(r, &op);
		LT_TRY(read_list(r, true, &list));
	}
	lt__text_format(&want, "%s%s", lt__op_info(d->op)->name, d->reduce ? ".reduce" : "");
	LT_TRY(compare(r, &op, &want, name, "operator"));
	if (!leaf || !d->reduce)
		return LT_OK;
	LT_TRY(lt__text_reduced(&loops, r->t, n, parent));
	if (same_tokens(list.at, list.bytes, loops.at, loops.n))
		return LT_OK;
	r->l = list.l;
	return lt__lex_fail(r->ctx, &r->l, LT_EILLEGAL,
		"%s names the loops %.*s; those around it that it reduces over are %.200s", name,
		list.bytes < 200 ? (int)list.bytes : 200, list.at, loops.at);
}

static lt_status read_remainder(struct lt_treereader *r, lt_node n, const char *name)
{
	struct lt_text operands = { .arena = r->scratch }, attribute = { .arena = r->scratch };
	struct line_part p;
	lt__text_operands(&operands, r->g, n);
	lt__text_attribute(&attribute, r->g, n);
	begin_part(r, &p);
	while (r->l.kind == LT_TOKEN_NODE)
		extend_part(r, &p);
	if (p.bytes) {          /* a node's token begins after its % */
		p.at--;
		p.bytes++;
	}
	LT_TRY(compare(r, &p, &operands, name, "operands"));
	begin_part(r, &p);
	/* A var may have the name of a word that comes after the attribute. */
	struct lt_lexer want;
	lt__lex_begin(&want, NULL, attribute.n ? attribute.at : "", attribute.n);
	lt__lex_next(&want);
	while (!lt__tree_at_end(r) && (is_token(&r->l, &want) || !(lt__tree_at_layout(r) || lt__tree_at_depth(r)
		|| lt__tree_at_stream(r)))) {
		extend_part(r, &p);
		lt__lex_next(&want);
	}
	return compare(r, &p, &attribute, name, "attribute");
}

bool lt__tree_at_layout(const struct lt_treereader *r)
{
	const char *next = r->l.next;
	while (next < r->l.end && *next == ' ')
		next++;
	return r->l.kind == LT_TOKEN_NAME && lt__lex_is(&r->l, "layout") && next < r->l.end && *next == '[';
}

bool lt__tree_at_depth(const struct lt_treereader *r)
{
	const char *next = r->l.next;
	while (next < r->l.end && *next == ' ')
		next++;
	return r->l.kind == LT_TOKEN_NAME && lt__lex_is(&r->l, "depth") && next < r->l.end && *next >= '0' && *next <= '9';
}

bool lt__tree_at_stream(const struct lt_treereader *r)
{
	const char *next = r->l.next;
	while (next < r->l.end && (*next == ' ' || *next == '\r'))
		next++;
	return r->l.kind == LT_TOKEN_NAME && lt__lex_is(&r->l, "stream")
		&& (next == r->l.end || *next == '\n' || *next == '#');
}

lt_status lt__tree_node(struct lt_treereader *r, bool leaf, lt_tnode parent, lt_node *out)
{
	struct lt_text dims = { .arena = r->scratch }, dtype = { .arena = r->scratch };
	struct line_part p;
	if (r->l.kind != LT_TOKEN_NODE)
		return LT_TREE_SYNTAX(r, "a node such as %%y is expected, not %s", lt__lex_text(r->ctx, &r->l));
	lt_node n = lt__names_find(r->g->node_names, r->l.at, r->l.bytes);
	const char *name = n < 0 ? "" : lt__arena_format(r->scratch, "%%%s", r->g->node[n].name);
	if (n < 0)
		return lt__tree_differs(r, "the graph has no node %s%s", lt__lex_text(r->ctx, &r->l),
			lt__nearest_node(r->g, NULL, r->l.at, r->l.bytes));
	if (lt__has_leaf(r->g, n) != leaf)
		return lt__tree_differs(r, leaf ? "%s has no leaf: it is a value of the header (%s), read where it is used" :
			"%s is not a value of the header: it is computed (%s), by a leaf of the tree", name,
			lt__op_info(r->g->node[n].op)->name);
	*out = n;
	lt__tree_next(r);
	if (r->l.kind != LT_TOKEN_NAME)
		return LT_TREE_SYNTAX(r, "the type of %s is expected, such as f32, not %s", name, lt__lex_text(r->ctx, &r->l));
	begin_part(r, &p);
	extend_part(r, &p);
	lt__text_format(&dtype, "%s", lt__dtype_info(r->g->node[n].dtype)->name);
	LT_TRY(compare(r, &p, &dtype, name, "type"));
	LT_TRY(read_list(r, false, &p));
	lt__text_dims(&dims, r->g, n);
	LT_TRY(compare(r, &p, &dims, name, "dims"));
	LT_TRY(read_op(r, n, leaf, parent, name));
	return read_remainder(r, n, name);
}

static lt_status read_var(struct lt_treereader *r, const bool *used, bool *seen)
{
	struct lt_text want = { .arena = r->scratch };
	struct line_part p;
	int64_t extent;
	lt__tree_next(r);
	if (r->l.kind != LT_TOKEN_NAME)
		return LT_TREE_SYNTAX(r, "the name of a var is expected, not %s", lt__lex_text(r->ctx, &r->l));
	lt_var v = lt__names_find(r->g->var_names, r->l.at, r->l.bytes);
	if (v < 0 || v >= r->g->n_var || !used[v])
		return lt__tree_differs(r, "the graph has no var %s", lt__lex_text(r->ctx, &r->l));
	const struct lt_vardef *d = &r->g->var[v];
	if (seen[v])
		return LT_TREE_SYNTAX(r, "var %s is declared twice", d->name);
	seen[v] = true;
	lt__tree_next(r);
	LT_TRY(lt__tree_number(r, "the extent of a var", 0, &extent));
	if (extent != d->extent)
		return lt__tree_differs(r, "var %s has extent %lld here, and %lld %s", d->name,
			(long long)extent, (long long)d->extent, what_holds(r));
	lt__tree_next(r);
	bool limited = lt__lex_is(&r->l, "limit");
	if (!limited)
		LT_TRY(lt__tree_end(r));
	else
		lt__tree_next(r);
	begin_part(r, &p);
	while (!lt__tree_at_end(r))
		extend_part(r, &p);
	if (limited && p.bytes == 0)
		return LT_TREE_SYNTAX(r, "the extent by run-time scalars is expected after 'limit'");
	if (d->bounded)
		lt__text_linear(&want, r->g, &d->limit);
	return compare(r, &p, &want, lt__arena_format(r->scratch, "var %s", d->name), "limit");
}

static lt_status read_value(struct lt_treereader *r, bool *seen)
{
	lt_node n;
	lt__tree_next(r);
	struct lt_lexer at = r->l;
	LT_TRY(lt__tree_node(r, false, -1, &n));
	if (!seen[n]) {
		seen[n] = true;
		return LT_OK;
	}
	r->l = at;
	return LT_TREE_SYNTAX(r, "value %%%s is declared twice", r->g->node[n].name);
}

static lt_status read_fingerprint(struct lt_treereader *r)
{
	uint64_t of_graph;
	LT_TRY(lt__tree_line(r));
	if (!lt__lex_is(&r->l, "graph"))
		return LT_TREE_SYNTAX(r, "'graph FINGERPRINT' is expected, not %s", lt__lex_text(r->ctx, &r->l));
	lt__tree_word(r);
	size_t digits = 0;
	while (digits < r->l.bytes && memchr("0123456789abcdef", r->l.at[digits], 16))
		digits++;
	if (r->l.bytes != 16 || digits != 16)
		return LT_TREE_SYNTAX(r, "the fingerprint of a graph is expected, 16 hexadecimal digits, not %s",
			lt__lex_text(r->ctx, &r->l));
	r->print_at = r->l;
	r->made_for = lt__arena_format(r->scratch, "%.16s", r->l.at);
	LT_TRY(lt__graph_fingerprint(r->g, &of_graph));
	r->given = lt__arena_format(r->scratch, "%016llx", (unsigned long long)of_graph);
	r->other = strcmp(r->made_for, r->given) != 0;
	lt__tree_next(r);
	return lt__tree_end(r);
}

/* The target's name is the rest of the line: it may hold anything. */
static lt_status read_target(struct lt_treereader *r)
{
	LT_TRY(lt__tree_line(r));
	if (!lt__lex_is(&r->l, "target"))
		return LT_TREE_SYNTAX(r, "'target NAME' is expected, not %s", lt__lex_text(r->ctx, &r->l));
	lt__tree_word(r);
	if (lt__tree_at_end(r))
		return LT_TREE_SYNTAX(r, "the name of a target is expected, or '-' for none");
	size_t bytes = (size_t)(r->l.end - r->l.at);
	const char *end = memchr(r->l.at, '\n', bytes);
	bytes = end ? (size_t)(end - r->l.at) : bytes;
	while (bytes > 0 && (r->l.at[bytes - 1] == ' ' || r->l.at[bytes - 1] == '\r'))
		bytes--;
	for (size_t i = 0; i < bytes; i++)
		if ((unsigned char)r->l.at[i] < ' ')
			return LT_TREE_SYNTAX(r, "the name of a target has no control characters, such as byte %zu of this one", i + 1);
	if (bytes != 1 || *r->l.at != '-') {
		char *name = lt__arena_alloc(r->t->arena, bytes + 1);
		memcpy(name, r->l.at, bytes);
		r->t->target = name;
	}
	r->l.next = r->l.at + bytes;
	lt__tree_next(r);
	return lt__tree_end(r);
}

static lt_status read_version(struct lt_treereader *r)
{
	int64_t version;
	LT_TRY(lt__tree_line(r));
	if (!lt__lex_is(&r->l, "looptree"))
		return LT_TREE_SYNTAX(r, "the text of a tree begins with 'looptree %d', not with %s", LT_TREE_VERSION,
			lt__lex_text(r->ctx, &r->l));
	lt__tree_next(r);
	LT_TRY(lt__tree_number(r, "a version", 1, &version));
	if (version != LT_TREE_VERSION)
		return lt__lex_fail(r->ctx, &r->l, LT_EUNSUPPORTED,
			"version %lld of the text of trees is not known, only %d; dump the tree again",
			(long long)version, LT_TREE_VERSION);
	lt__tree_next(r);
	return lt__tree_end(r);
}

lt_status lt__tree_header(struct lt_treereader *r)
{
	LT_TRY(read_version(r));
	LT_TRY(read_fingerprint(r));
	LT_TRY(read_target(r));
	LT_TRY(lt__tree_line(r));
	LT_TRY(lt__tree_derived_lines(r));
	const bool *used = lt__vars_used(r->g, r->scratch);
	bool *var_seen = LT_NEW(r->scratch, bool, r->g->n_var + 1), *value_seen = LT_NEW(r->scratch, bool, r->g->n_node + 1);
	for (; lt__lex_is(&r->l, "var"); ) {
		LT_TRY(read_var(r, used, var_seen));
		LT_TRY(lt__tree_line(r));
	}
	for (lt_var v = 0; v < r->g->n_var; v++)
		if (used[v] && !var_seen[v])
			return lt__tree_differs(r, "the graph has a var %s of extent %lld that this header lacks", r->g->var[v].name,
				(long long)r->g->var[v].extent);
	for (; lt__lex_is(&r->l, "value"); ) {
		LT_TRY(read_value(r, value_seen));
		LT_TRY(lt__tree_line(r));
	}
	if (!lt__lex_is(&r->l, "tree"))
		return LT_TREE_SYNTAX(r, "'value' or 'tree' is expected, not %s", lt__lex_text(r->ctx, &r->l));
	for (lt_node n = 0; n < r->g->n_node; n++)
		if (!lt__has_leaf(r->g, n) && !value_seen[n])
			return lt__tree_differs(r, "the graph has a value %%%s (%s) that this header lacks", r->g->node[n].name,
				lt__op_info(r->g->node[n].op)->name);
	lt__tree_next(r);
	return lt__tree_end(r);
}
