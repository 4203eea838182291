/* script_run.c -- runs a script with the oracle on values that stand in a text. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "ir/eval/eval.h"
#include "tests/script_run.h"

static char message[1500];

static const char *say(const char *what, const char *name)
{
	snprintf(message, sizeof message, "%s %s", what, name);
	return message;
}

/* After "NAME SEP " at the beginning of a line; NULL: there is none. */
static const char *value_text(const char *values, const char *name, const char *sep)
{
	size_t n = strlen(name), m = strlen(sep);
	for (const char *line = values; line && *line; line = strchr(line, '\n'), line = line ? line + 1 : NULL)
		if (strncmp(line, name, n) == 0 && strncmp(line + n, sep, m) == 0)
			return line + n + m;
	return NULL;
}

/* The next number of a line; false at its end. */
static bool next_number(const char **text, double *out)
{
	char *end;
	*text += strspn(*text, "[], ");
	if (!**text || **text == '\n')
		return false;
	*out = strtod(*text, &end);
	bool moved = end != *text;
	*text = end;
	return moved;
}

static void *read_source(const struct lt_graph *g, lt_node x, const char *text)
{
	enum lt_dtype t = lt_node_dtype(g, x);
	int64_t n = lt__node_elems(g, x);
	char *data = calloc((size_t)n + 1, lt__dtype_info(t)->bytes);
	double number;
	for (int64_t i = 0; i < n; i++) {
		if (!next_number(&text, &number)) {
			free(data);
			return NULL;
		}
		union lt_scalar v = lt__convert((union lt_scalar){ .f = number }, LT_F64, t);
		lt__store(data, i, t, v);
	}
	if (next_number(&text, &number)) {
		free(data);
		return NULL;
	}
	return data;
}

/* Compares with the line's numbers; elements of bounded dims that are not there count as 0. */
static const char *check(const struct lt_graph *g, lt_node x, const char *name, const void *data, const char *values)
{
	const char *text = value_text(values, name, " -> ");
	enum lt_dtype t = lt_node_dtype(g, x);
	int64_t n = lt__node_elems(g, x);
	double want;
	if (!text)
		return say("no value is given for", name);
	for (int64_t i = 0; i < n; i++) {
		union lt_scalar v = lt__load(data, i, t);
		double got = lt__dtype_info(t)->cls == LT_CLASS_FLOAT ? v.f : (double)v.i;
		if (!next_number(&text, &want))
			return say("too few numbers for", name);
		bool same = isnan(want) ? isnan(got) : isinf(want) ? got == want : fabs(got - want) <= 2e-6 + 4e-6 * fabs(want);
		if (!same) {
			snprintf(message, sizeof message, "%s: element %lld is %.9g, not %.9g", name, (long long)i, got, want);
			return message;
		}
	}
	return next_number(&text, &want) ? say("too many numbers for", name) : NULL;
}

static const char *run(
	struct lt_context *ctx, const struct lt_graph *g, void **source, const char *values, int *n_checked)
{
	struct lt_evaluation *e;
	const char *bad = NULL;
	for (lt_node x = 0; x < g->n_node; x++) {
		enum lt_opcode op = g->node[x].op;
		if (op != LT_OP_input && op != LT_OP_constant && op != LT_OP_state)
			continue;
		const char *text = value_text(values, g->node[x].label, " = ");
		if (!text && op != LT_OP_state)
			return say("no value is given for", g->node[x].label);
		source[x] = read_source(g, x, text ? text : "");
		if (text && !source[x])
			return say("the numbers do not fill", g->node[x].label);
		if (!source[x])
			source[x] = calloc((size_t)lt__node_elems(g, x), lt__dtype_info(g->node[x].dtype)->bytes);
	}
	if (lt_eval(g, (const void *const *)source, false, &e))
		return say("the oracle refuses:", lt_context_message(ctx));
	for (int32_t i = 0; i < g->n_result && !bad; i++, ++*n_checked)
		bad = check(g, g->result[i].node, g->result[i].name, lt_eval_result(e, i, NULL), values);
	for (int32_t i = 0; i < g->n_set && !bad; i++, ++*n_checked)
		bad = check(g, g->set[i].value, g->node[g->set[i].state].label, lt_eval_state(e, i, NULL), values);
	lt_eval_free(e);
	return bad;
}

const char *script_run(const char *script, const char *file, const char *values, int *n_checked)
{
	struct lt_context *ctx;
	struct lt_graph *g;
	const char *bad;
	int n = 0;
	lt_context_new(&ctx);
	if (lt_parse(ctx, script, strlen(script), file, NULL, &g)) {
		bad = say("refused:", lt_context_message(ctx));
	} else if (lt_graph_verify(g)) {
		bad = say("not a valid graph:", lt_context_message(ctx));
		lt_graph_free(g);
	} else {
		void **source = calloc((size_t)g->n_node, sizeof *source);
		bad = run(ctx, g, source, values, &n);
		for (lt_node x = 0; x < g->n_node; x++)
			free(source[x]);
		free(source);
		lt_graph_free(g);
	}
	lt_context_free(ctx);
	if (n_checked)
		*n_checked = n;
	return bad;
}

const char *script_error(const char *script, const char *file)
{
	struct lt_context *ctx;
	struct lt_graph *g;
	lt_context_new(&ctx);
	message[0] = 0;
	if (lt_parse(ctx, script, strlen(script), file, NULL, &g) == LT_OK)
		lt_graph_free(g);
	else
		snprintf(message, sizeof message, "%s", lt_context_message(ctx));
	lt_context_free(ctx);
	return message;
}

char *script_file(const char *path, size_t *bytes)
{
	FILE *f = fopen(path, "rb");
	size_t n = 0, cap = 1 << 16;
	char *text = f ? malloc(cap) : NULL;
	for (size_t more; text && (more = fread(text + n, 1, cap - n - 1, f)) > 0;
		text = n + 1 < cap ? text : realloc(text, cap *= 2))
		n += more;
	if (f)
		fclose(f);
	if (text)
		text[n] = 0;
	if (bytes)
		*bytes = n;
	return text;
}
