/* rounds.c -- repeats of as many rounds as a run says: repeat t in 0..length.
 *
 * There are as many rounds as the count may be at most, each of nodes of its own (ir/build/rounds.c).  What names stand
 * for is noted after each, and what those that change stand for after the last round of a run is taken from all these.
 * A round that a run does not have reads nothing that is not there: of x[t] it reads x[0] (build.c), elements that are
 * taken at places that are computed it takes at 0, and it begins from what the first round began from then.
 */
#include <string.h>
#include "frontends/script/reader.h"
#include "ir/build/build.h"

enum { NOTHING = -2, NUMBER = -1 };     /* in place of a statement: of no value, of a number or a list */

/* What a name stands for, and by which giving: that tells numbers and lists that a round gave from those before it. */
struct lt_script_given { int32_t statement; lt_node node; int64_t given; };

static struct lt_script_given *all_given(struct lt_script *s)
{
	struct lt_script_given *out = LT_NEW(s->arena, struct lt_script_given, s->scope->n_binding + 1);
	for (int32_t i = 0; i < s->scope->n_binding; i++) {
		const struct lt_binding *b = &s->scope->binding[i];
		const bool holds = b->call == s->scope->call && !b->lost, is_node = holds && b->value.kind == LT_ARG_NODE;
		out[i] = (struct lt_script_given){ is_node ? b->value.statement : holds ? NUMBER : NOTHING,
			is_node ? b->value.node : LT_NONE, b->given };
	}
	return out;
}

/* What a name was before the rounds. */
static struct lt_script_given given_before(const struct lt_script_rounds *r, int32_t name)
{
	return name < r->n_before ? r->before[name] : (struct lt_script_given){ NOTHING, LT_NONE, 0 };
}

/* Whether a graph can have an axis of as many positions: what is summed stays below 2^62, too. */
static bool are_counted(int64_t begin, int64_t least, int64_t most)
{
	const int64_t far = INT64_C(1) << 62;
	return -far < begin && begin < far && -far < least && most < far && most - begin < far;
}

lt_status lt__script_rounds_begin(
	struct lt_script *s, struct lt_script_rounds *r, int64_t begin, const struct lt_arg *end)
{
	const struct lt_statement *st = &s->statement[end->statement];
	if (st->least < begin)
		return lt__script_fail(s, end->position, LT_EINVAL,
			"Invalid range %lld .. %s: the end may be below the begin, as it is at least %lld%s", (long long)begin,
			end->shown, (long long)st->least, begin > st->most ? "" : lt__scratch(s->ctx,
				": have it be %lld at least, ScalarNode(.., %lld, %lld)", (long long)begin, (long long)begin,
				(long long)st->most));
	*r = (struct lt_script_rounds){ .count = *end, .begin = begin, .n_before = s->scope->n_binding,
		.before = all_given(s), .steps = LT_NONE, .there = LT_NONE, .next_node = s->graph->n_node,
		.first_statement = s->n_statement, .n_param = s->graph->n_param, .n_require = s->graph->n_require };
	if (!are_counted(begin, st->least, st->most))
		return lt__script_fail(s, end->position, LT_EOVERFLOW,
			"The number of rounds, %s less %lld, exceeds 62 bits: narrow the range of %s%s", end->shown, (long long)begin,
			end->shown, begin < 0 ? ", and begin nearer to 0" : "");
	r->most = st->most - begin;
	const lt_param p = st->scalar - 1;
	if (r->most && p >= 0)
		r->steps = lt_graph_var_bounded(s->graph, NULL, r->most, -begin, 1, &p, (int64_t[]){ 1 });
	return r->most && p >= 0 && r->steps < 0 ? lt__script_locate(s) : LT_OK;
}

/* Whether a run has round number i. */
static lt_node round_is_there(struct lt_script *s, struct lt_script_rounds *r, int64_t i)
{
	if (r->there == LT_NONE)
		r->there = lt__rounds_there(s->graph, r->steps);
	return lt__pos_at(s->graph, r->there, 0, i);
}

lt_node lt__script_places(struct lt_script *s, lt_node index)
{
	for (const struct lt_script_frame *f = s->frame; f; f = f->up) {
		if (index < 0 || !f->rounds || f->round < s->statement[f->rounds->count.statement].least)
			continue;
		const lt_node there = round_is_there(s, f->rounds, f->round - f->rounds->begin),
			first = lt_graph_literal_int(s->graph, lt_node_dtype(s->graph, index), 0);
		index = lt__pos_select(s->graph, there, index, first);
	}
	return index;
}

/* Of the count, what a name was before, and what it is now: what the next round begins from. */
static lt_node build_held(struct lt_script *s, const struct lt_script_node *type, const struct lt_arg *a, int32_t n)
{
	struct lt_script_rounds *r = s->frame->rounds;
	(void)type;
	(void)n;
	if (!r->takes || !lt__rounds_same(s->graph, a[1].node, a[2].node))
		return a[2].node;
	return lt__pos_select(s->graph, round_is_there(s, r, r->n_after), a[2].node, a[1].node);
}

/* Of the count, what a name was before the rounds, and after each: what it is after the last one of a run. */
static lt_node build_last(struct lt_script *s, const struct lt_script_node *type, const struct lt_arg *a, int32_t n)
{
	struct lt_graph *g = s->graph;
	struct lt_script_rounds *r = s->ended;
	lt_node *y = LT_NEW(s->arena, lt_node, n);
	(void)type;
	for (int32_t i = 2; i < n; i++) {
		if (!lt__rounds_same(g, a[1].node, a[i].node))
			return lt__script_refuse(s, a[0].position, LT_ETYPE,
				"'%s' is %s before a round, and %s after it: while the number of rounds differs from run to run it has to stay "
				"of one type and shape; give the other value another name", s->target.shown,
				lt__script_value(s, &a[i == 2 ? 1 : i - 1]), lt__script_value(s, &a[i]));
		y[i - 2] = lt__pos_insert(g, a[i].node, 0);
	}
	return lt__rounds_last(g, r->steps, lt__rounds_joined(g, r->steps, y, false), a[1].node);
}

/* An argument of such a node: what the name stood for then. */
static void push(struct lt_script *s, struct lt_arg value, struct lt_script_given then)
{
	value.statement = then.statement;
	value.node = then.node;
	value.given = true;
	*lt__script_new_arg(s, LT_ARG_NODE) = value;
}

static lt_status rebind(struct lt_script *s, const struct lt_script_node *type, int32_t name, struct lt_position at,
	int32_t first)
{
	const struct lt_binding *b = &s->scope->binding[name];
	const int32_t bytes = (int32_t)strlen(b->name);
	struct lt_arg out;
	s->target = (struct lt_script_target){ .shown = b->name, .path = lt__script_path(s, b->name, bytes), .position = at,
		.named = true };
	const struct lt_cursor from = { .position = at };
	LT_TRY(lt__script_add(s, type, first, &from, true, &out));
	lt__script_bind(s, b->name, bytes, &out);
	return LT_OK;
}

/* A round must not ask for what only a run with this round has. */
static lt_status check_round(struct lt_script *s, struct lt_script_rounds *r, struct lt_position at)
{
	const struct lt_graph *g = s->graph;
	for (int32_t i = r->first_statement; i < s->n_statement; i++)
		if (s->statement[i].chain >= 0)
			return lt__script_fail(s, s->statement[i].position, LT_EUNSUPPORTED,
				"A buffer is updated in a repeat whose number of rounds differs from run to run: carry its content by a name, "
				"and set the buffer after the repeat");
	if (g->n_param > r->n_param || g->n_require > r->n_require)
		return lt__script_fail(s, at, LT_EUNSUPPORTED, "A run-time value decides a shape or a place in the body of this "
			"repeat, whose number of rounds differs from run to run: what it decides has to be before the repeat");
	for (; r->next_node < g->n_node; r->next_node++)
		r->takes = r->takes || g->node[r->next_node].op == LT_OP_gather || g->node[r->next_node].op == LT_OP_update;
	if (r->takes && s->statement[r->count.statement].least <= r->begin)
		return lt__script_fail(s, at, LT_EUNSUPPORTED, "The body of this repeat takes elements at places that are computed, "
			"and there may be no round: %s has to be at least %lld", r->count.shown, (long long)r->begin + 1);
	return LT_OK;
}

lt_status lt__script_rounds_next(struct lt_script *s, struct lt_position at)
{
	static const struct lt_script_node held = { .name = "repeat", .pattern = "$count, $before, $x", .build = build_held,
		.op = LT_NOP };
	struct lt_script_rounds *r = s->frame->rounds;
	LT_TRY(check_round(s, r, at));
	r->first_statement = s->n_statement;
	struct lt_script_given *now = all_given(s);
	LT_GROW(s->arena, r->after, r->n_after, r->cap_after);
	r->after[r->n_after++] = now;
	for (int32_t i = 0; i < r->n_before && r->n_after < r->most; i++) {
		const struct lt_arg value = s->scope->binding[i].value;
		const int32_t first = s->n_arg;
		if (now[i].statement < 0 || r->before[i].statement < 0 || now[i].statement == r->before[i].statement)
			continue;
		push(s, r->count, (struct lt_script_given){ r->count.statement, r->count.node, 0 });
		push(s, value, r->before[i]);
		push(s, value, now[i]);
		LT_TRY(rebind(s, &held, i, at, first));
	}
	r->next_node = s->graph->n_node;
	return LT_OK;
}

/* Whether rounds gave a name another value: another node, or any number or list. */
static bool changes(const struct lt_script_rounds *r, int32_t name)
{
	const struct lt_script_given before = given_before(r, name);
	bool does = false;
	for (int32_t i = 0; i < r->n_after; i++)
		does = does || r->after[i][name].statement != before.statement
			|| (before.statement == NUMBER && r->after[i][name].given != before.given);
	return does;
}

lt_status lt__script_rounds_end(struct lt_script *s, struct lt_script_rounds *r, struct lt_position at)
{
	static const struct lt_script_node last = { .name = "repeat", .pattern = "$count, $before, [$after]",
		.build = build_last, .op = LT_NOP };
	const bool some = s->statement[r->count.statement].least > r->begin;
	s->ended = r;
	for (int32_t i = 0; r->n_after && i < s->scope->n_binding; i++) {
		struct lt_binding *b = &s->scope->binding[i];
		const struct lt_arg value = b->value;
		const struct lt_script_given before = given_before(r, i);
		const int32_t first = s->n_arg;
		if (b->call != s->scope->call || b->lost || !changes(r, i))
			continue;
		bool carried = before.statement >= 0 || (before.statement == NOTHING && some);
		for (int32_t k = 0; k < r->n_after; k++)
			carried = carried && r->after[k][i].statement >= 0;
		if (!carried) {
			b->lost = true;
			b->value.position = at;
			continue;
		}
		push(s, r->count, (struct lt_script_given){ r->count.statement, r->count.node, 0 });
		push(s, value, before.statement >= 0 ? before : r->after[0][i]);
		for (int32_t k = 0; k < r->n_after; k++)
			push(s, value, r->after[k][i]);
		LT_TRY(rebind(s, &last, i, at, first));
	}
	return LT_OK;
}
