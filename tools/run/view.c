/* view.c -- --view=FILE.html: the loop tree as a page that needs no server and no network: tools/run/view.html
 * with the tree, its kernels' times and the script as JSON in it.
 *
 * The script stands beside the tree where its nodes name lines of it; of a model, which has none, it is the graph's
 * text, a line a node.
 */
#include <stdlib.h>
#include <string.h>
#include "base/names.h"
#include "looptree/count/count.h"
#include "looptree/tree/tree.h"
#include "program/run/run.h"
#include "tools/common/common.h"
#include "tools/run/profile.h"

static const char *const page[] = {
#include "tools/run/view_text.h"
};

struct view { struct run *r; struct lt_arena *a; json_t *data; struct lt_text text; bool lines; };

static void view_add(void *user, const char *text, size_t bytes) { lt__text_add(user, text, bytes); }

/* One line of a text, without its end; NULL after the last. */
static const char *view_line(struct lt_arena *a, const char **at)
{
	const char *from = *at;
	size_t n = strcspn(from, "\n");

	if (!*from)
		return NULL;
	*at = from + n + (from[n] == '\n');
	return lt__arena_format(a, "%.*s", (int)n, from);
}

static json_t *view_lines(struct view *v, const char *text)
{
	json_t *list = json_array();

	for (const char *line; (line = view_line(v->a, &text)); )
		json_array_append_new(list, lt__json_text(line));
	return list;
}

/* Whether nodes are made from lines of the text that was read; a graph's own text names those of its script. */
static bool view_has_lines(const struct run *r, const char *text)
{
	const struct lt_graph *g = r->program->tree->graph;
	int32_t max = 0, n = 0;

	for (lt_node i = 0; i < g->n_node; i++)
		max = g->node[i].line > max ? g->node[i].line : max;
	for (const char *at = text; *at; at++)
		n += *at == '\n';
	return max > 0 && max <= n + 1 && strncmp(text, "graph ", 6) != 0;
}

/* The lines of a graph's text that are nodes, each with the node of the model that it is of. */
static json_t *view_nodes(struct view *v, const char *text)
{
	const struct lt_graph *g = v->r->program->base;
	json_t *list = json_array();

	for (const char *line; (line = view_line(v->a, &text)); ) {
		const size_t n = *line == '%' ? strcspn(line, " ") - 1 : 0;
		const int32_t at = n ? lt__names_find(g->node_names, line + 1, n) : -1;
		const char *part = at < 0 ? NULL : lt__part_name(g, g->node[at].line);

		if (n || !strncmp(line, "result ", 7) || !strncmp(line, "set ", 4))
			json_array_append_new(list, lt__json_text(part ? lt__arena_format(v->a, "%s  # %s", line, part) : line));
	}
	return list;
}

static lt_status view_source(struct view *v)
{
	const struct run *r = v->r;
	const char *text = r->model.script.at ? (const char *)r->model.script.at : "";
	const char *script = lt__arena_format(v->a, "%.*s", (int)strnlen(text, r->model.script.n), text);

	v->lines = view_has_lines(r, script);
	json_object_set_new(v->data, "model", json_boolean(!v->lines));
	if (v->lines) {
		json_object_set_new(v->data, "source", view_lines(v, script));
		return LT_OK;
	}
	v->text.n = 0;
	LT_TRY(lt_graph_print(r->program->base, view_add, &v->text));
	lt__text_add(&v->text, "", 1);
	json_object_set_new(v->data, "source", view_nodes(v, v->text.at));
	return LT_OK;
}

/* How often a leaf runs: elements, and what is reduced of each. */
static json_int_t visits_of(const struct view *v, lt_node n)
{
	const struct lt_graph *g = v->r->program->tree->graph;
	lt_var *loop = LT_NEW(v->a, lt_var, LT_MAX_RANK * 4);
	int64_t visits = 1;

	for (int32_t i = lt__node_loops(g, n, loop); i-- > 0;)
		visits = lt__mul_overflow(visits, g->var[loop[i]].extent, &visits) ? INT64_MAX : visits;
	return (json_int_t)visits;
}

/* The line of the source that a node is made from; a copy that the tree added has that of what it copies. */
static void view_node(const struct view *v, json_t *o, lt_node n)
{
	const struct lt_graph *g = v->r->program->tree->graph;
	const struct lt_nodedef *d = &g->node[n];

	json_object_set_new(o, "node", lt__json_text(d->name));
	json_object_set_new(o, "visits", json_integer(visits_of(v, n)));
	if (lt__names_find(v->r->program->tree->base->node_names, d->name, strlen(d->name)) < 0)
		json_object_set_new(o, "added", json_true());
	if (v->lines && d->line > 0)
		json_object_set_new(o, "line", json_integer(d->line));
	if (lt__part_name(g, d->line))
		json_object_set_new(o, "part", lt__json_text(lt__part_name(g, d->line)));
}

static lt_status view_tree(struct view *v)
{
	struct lt_looptree *t = v->r->program->tree;
	struct lt_fact *fact = LT_NEW(v->a, struct lt_fact, t->n_node + 1);
	json_t *lines = json_array();

	v->text.n = 0;
	LT_TRY(lt_looptree_print(t, view_add, &v->text));
	LT_TRY(lt__fill_facts(t, v->a, fact));
	lt__text_add(&v->text, "", 1);
	const char *at = strstr(v->text.at, "\ntree\n"), *text;
	at = at ? at + 6 : "";
	for (lt_tnode x = lt_looptree_after(t, -1); x >= 0 && (text = view_line(v->a, &at)); x = lt_looptree_after(t, x)) {
		static const char *const kinds[] = { [LT_TLOOP] = "loop", [LT_TGROUP] = "group", [LT_TLEAF] = "leaf" };
		const int depth = (int)(strspn(text, " ") / 2);
		const char *note = strstr(text, "  # ");
		json_t *o = json_pack("{s:s,s:i,s:o,s:o}", "kind", kinds[t->node[x].kind], "depth", depth, "text",
			lt__json_text(lt__arena_format(v->a, "%.*s", note ? (int)(note - text) - 2 * depth : -1, text + 2 * depth)),
			"facts", lt__json_text(note ? note + 4 : ""));

		if (t->node[x].kind == LT_TLEAF)
			view_node(v, o, t->node[x].leaf);
		else
			json_object_update_new(o, json_pack("{s:s,s:I,s:I,s:I}", "how", lt__kind_word(t->node[x].loop, t->node[x].arg)->word,
				"flops", (json_int_t)fact[x].flops, "bytes", (json_int_t)fact[x].bytes, "iterations",
				(json_int_t)(t->node[x].kind == LT_TLOOP ? lt_looptree_trip_count(t, x) : 1)));
		json_array_append_new(lines, o);
	}
	json_object_set_new(v->data, "tree", lines);
	return LT_OK;
}

/* By nest: what the profile says of it; a nest that no run has is computed once, from constants. */
static void view_nests(struct view *v)
{
	const struct lt_program *p = v->r->program;
	json_t *nests = json_array(), *profile = json_object_get(v->data, "profile"), *k;
	size_t i;

	for (int32_t n = 0; n < p->nests.n; n++) {
		json_t *o = json_pack("{s:o}", "name", lt__json_text(p->nests.frozen[n].tree.name));

		json_array_foreach(json_object_get(profile, "kernels"), i, k)
			if (!strcmp(json_string_value(json_object_get(k, "name")), p->nests.frozen[n].tree.name)) {
				json_object_update_missing(o, k);
				json_object_del(o, "nodes");
				break;
			}
		json_array_append_new(nests, o);
	}
	json_object_set_new(v->data, "nests", nests);
	json_object_del(profile, "kernels");
}

static lt_status view_fill(void *arg)
{
	struct view *v = arg;

	v->text = (struct lt_text){ .arena = v->a };
	json_object_set_new(v->data, "script", lt__json_text(v->r->o.script));
	json_object_set_new(v->data, "backends", lt__json_text(v->r->backends));
	json_object_set_new(v->data, "target", lt__json_text(v->r->program->tree->target));
	json_object_set_new(v->data, "version", json_string(lt_version()));
	json_object_set_new(v->data, "profile", run_profile_object(v->r));
	LT_TRY(view_source(v));
	LT_TRY(view_tree(v));
	view_nests(v);
	return LT_OK;
}

/* JSON within HTML: no character of it may end the element that it is in. */
static int view_escape(const char *text, size_t bytes, void *file)
{
	for (size_t i = 0; i < bytes; i++)
		if (strchr("<>&", text[i]) && text[i])
			(void)fprintf(file, "\\u%04x", (unsigned)text[i]);
		else
			(void)fputc(text[i], file);
	return 0;
}

static lt_status view_write(struct view *v, const char *path)
{
	struct lt_outfile out;
	bool whole = true;

	LT_TRY(lt__out_open(v->r->ctx, path, &out));
	for (size_t i = 0; i < sizeof page / sizeof *page; i++)
		if (strcmp(page[i], "@DATA@") != 0)
			(void)fprintf(out.file, "%s\n", page[i]);
		else
			whole = !json_dump_callback(v->data, view_escape, out.file, JSON_COMPACT | LT_JSON_PLAIN | JSON_REAL_PRECISION(9));
	const lt_status s = lt__out_close(v->r->ctx, &out, whole);
	return s || whole ? s : lt_fail(v->r->ctx, LT_ENOMEM, "%s: out of memory", path);
}

lt_status run_view_write(struct run *r, const char *path)
{
	struct view v = { .r = r, .data = json_object() };
	lt_status st = v.data ? lt__arena_new(r->ctx, &v.a) : lt_fail(r->ctx, LT_ENOMEM, "out of memory");

	if (!st)
		st = lt__protect(r->ctx, view_fill, &v);
	if (!st)
		st = view_write(&v, path);
	lt__arena_free(v.a);
	json_decref(v.data);
	return st;
}
