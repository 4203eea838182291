/* dims.c -- symbolic dimensions: what options say of them. */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "frontends/onnx/onnx.h"
#include "frontends/onnx/onnx.pb-c.h"
#include "base/nearest.h"

/* "NAME=8" or "NAME=1..64" of the name; false: not it. */
static bool dim_read(const char *option, const char *name, size_t n, int64_t *low, int64_t *high, bool *good)
{
	char *end;
	if (strncmp(option, name, n) || option[n] != '=')
		return false;
	errno = 0;
	*low = *high = strtoll(option + n + 1, &end, 10);
	*good = end != option + n + 1;
	if (*good && !strncmp(end, "..", 2)) {
		const char *second = end + 2;
		*high = strtoll(second, &end, 10);
		*good = end != second;
	}
	*good = *good && !*end && !errno && *low >= 0 && *high >= *low;
	return true;
}

/* The option for a name; false: there is none.  One that cannot be read is a failure. */
static bool dim_said(struct lt_onnx *m, const char *name, size_t n, int64_t *low, int64_t *high)
{
	for (uint32_t i = 0; i < m->options->n_dim; i++) {
		const char *option = m->options->dim[i];
		bool good = true;
		if (!dim_read(option, name, n, low, high, &good))
			continue;
		m->dim_used[i] = true;
		if (!good)
			lt__onnx_refuse(m, "--dim %s: an extent such as 8, or the least and the most such as 1..64, is expected", option);
		return true;
	}
	return false;
}

/* A name that options may give, for hints. */
static void dim_name(struct lt_onnx *m, const char *name)
{
	for (int32_t i = 0; i < m->n_dim_name; i++)
		if (!strcmp(m->dim_name[i], name))
			return;
	LT_GROW(m->arena, m->dim_name, m->n_dim_name, m->cap_dim_name);
	m->dim_name[m->n_dim_name++] = lt__arena_string(m->arena, name);
}

static bool is_input(const struct lt_onnx *m, const char *name)
{
	bool is = false;
	for (size_t i = 0; i < m->model->graph->n_input; i++)
		is = is || (m->model->graph->input[i]->name && !strcmp(m->model->graph->input[i]->name, name));
	return is;
}

/* The scalar of a symbol: an input of the graph by the symbol's name, or, where the model has an input of that name, by
 * that of the axis; an int64 without dims. */
static lt_param symbol_param(struct lt_onnx *m, const char *name, const char *own, int64_t low, int64_t high)
{
	int32_t i = 0;
	while (i < m->n_symbol && strcmp(m->symbol[i].name, name))
		i++;
	if (i == m->n_symbol) {
		lt_node source = lt_graph_input(m->graph, is_input(m, name) ? own : name, LT_I64, 0, NULL);
		LT_GROW(m->arena, m->symbol, m->n_symbol, m->cap_symbol);
		m->symbol[m->n_symbol++] = (struct lt_onnx_symbol){ lt__arena_string(m->arena, name),
			lt_graph_param(m->graph, source, 0, low, high) };
	}
	return m->symbol[i].param;
}

/* A sum of symbols and numbers, such as "past + length" or "length - 1". */
struct dim_sum {
	int32_t n;
	int64_t constant, most, coef[LT_MAX_RANK];
	lt_param param[LT_MAX_RANK];
	const char *unsaid;             /* a name that no option says; NULL: none */
};

static bool sum_name(struct lt_onnx *m, struct dim_sum *s, const char *name, size_t n, int64_t by, const char *own)
{
	int64_t low, high, part = 0;
	dim_name(m, lt__arena_format(m->arena, "%.*s", (int)n, name));
	if (!dim_said(m, name, n, &low, &high)) {
		s->unsaid = s->unsaid ? s->unsaid : lt__arena_format(m->arena, "%.*s", (int)n, name);
		return true;
	}
	if (lt__onnx_failed(m) || s->n == LT_MAX_RANK || lt__mul_overflow(by > 0 ? high : low, by, &part)
	    || lt__add_overflow(s->most, part, &s->most))
		return false;
	if (low == high)
		return !lt__add_overflow(s->constant, part, &s->constant);
	s->param[s->n] = symbol_param(m, lt__arena_format(m->arena, "%.*s", (int)n, name), own, low, high);
	s->coef[s->n++] = by;
	return true;
}

static bool is_letter(char c) { return isalpha((unsigned char)c) || c == '_'; }
static bool is_name(char c) { return isalnum((unsigned char)c) || c == '_' || c == '.'; }

/* [+-] 2 * name, name * 2, name, 2; false: it is something else. */
static bool sum_term(struct lt_onnx *m, struct dim_sum *s, const char **text, const char *own)
{
	const char *at = *text, *name = NULL;
	int64_t by = 1;
	size_t n = 0;
	bool number = false, more = true;
	for (; *at == '+' || *at == '-' || *at == ' '; at++)
		by = *at == '-' ? -by : by;
	while (more) {
		char *end;
		const int64_t x = isdigit((unsigned char)*at) ? strtoll(at, &end, 10) : 0;
		if (isdigit((unsigned char)*at)) {
			if (number || lt__mul_overflow(by, x, &by))
				return false;
			number = true;
			at = end;
		} else if (is_letter(*at) && !name) {
			for (name = at; is_name(*at); at++)
				n++;
		} else {
			return false;
		}
		while (*at == ' ')
			at++;
		more = *at == '*';
		for (at += more; *at == ' '; at++)
			;
	}
	*text = at;
	if (*at && *at != '+' && *at != '-')
		return false;
	if (name)
		return sum_name(m, s, name, n, by, own);
	return !lt__add_overflow(s->constant, by, &s->constant) && !lt__add_overflow(s->most, by, &s->most);
}

static bool sum_read(struct lt_onnx *m, const char *text, const char *own, struct dim_sum *s)
{
	int32_t terms = 0;
	*s = (struct dim_sum){ .n = 0 };
	while (*text) {
		if (!sum_term(m, s, &text, own))
			return false;
		terms++;
	}
	return terms > 1;
}

static lt_var sum_var(struct lt_onnx *m, const char *name, const struct dim_sum *s, bool *empty)
{
	*empty = s->most <= 0;
	if (*empty)
		return LT_NONE;
	return s->n ? lt_graph_var_bounded(m->graph, name, s->most, s->constant, s->n, s->param, s->coef) :
		lt_graph_var(m->graph, NULL, s->most);
}

static void refuse_unsaid(struct lt_onnx *m, int32_t axis, const char *symbol, const char *name)
{
	lt__onnx_refuse(m,
		"the extent of axis %d%s%s%s is not said: --dim %s=8 fixes it, --dim %s=1..8 lets it differ from run to run", axis,
		symbol ? ", '" : "", symbol ? symbol : "", symbol ? "'," : "", name, name);
}

lt_var lt__onnx_dim(struct lt_onnx *m, const char *symbol, const char *input, int32_t axis, bool *empty)
{
	static const int64_t one = 1;
	const char *own = lt__arena_format(m->arena, "%s.%d", input, axis);
	struct dim_sum sum;
	int64_t low = 0, high = 0;
	*empty = false;
	symbol = symbol && *symbol ? symbol : NULL;
	const bool by_axis = dim_said(m, own, strlen(own), &low, &high);
	if (!by_axis && !(symbol && dim_said(m, symbol, strlen(symbol), &low, &high))) {
		const bool sums = symbol && sum_read(m, symbol, own, &sum);
		if (!sums)
			dim_name(m, symbol ? symbol : own);
		if (!lt__onnx_failed(m) && sums && !sum.unsaid)
			return sum_var(m, symbol, &sum, empty);
		if (!lt__onnx_failed(m))
			refuse_unsaid(m, axis, symbol, sums ? sum.unsaid : symbol ? symbol : own);
		return LT_NONE;
	}
	dim_name(m, by_axis || !symbol ? own : symbol);
	if (lt__onnx_failed(m))
		return LT_NONE;
	if (low != high) {
		const lt_param p = symbol_param(m, symbol && !by_axis ? symbol : own, own, low, high);
		return lt_graph_var_bounded(m->graph, symbol ? symbol : own, high, 0, 1, &p, &one);
	}
	*empty = low == 0;
	return *empty ? LT_NONE : lt_graph_var(m->graph, symbol, low);
}

void lt__onnx_unused_dims(struct lt_onnx *m)
{
	for (uint32_t i = 0; i < m->options->n_dim; i++) {
		const char *option = m->options->dim[i];
		struct lt_text names = { .arena = m->arena };
		struct lt_nearest near;
		if (m->dim_used[i])
			continue;
		lt__nearest_begin(&near, option, strcspn(option, "="));
		for (int32_t k = 0; k < m->n_dim_name; k++) {
			lt__nearest_add(&near, m->dim_name[k]);
			lt__text_format(&names, "%s'%s'", k ? ", " : "", m->dim_name[k]);
		}
		const char *hint = near.n ? lt__nearest_hint(m->ctx, &near, "'", "'") :
			m->n_dim_name ? lt__arena_format(m->arena, "; it has %s", names.at) : "";
		lt__onnx_problem(m, NULL, lt__arena_format(m->arena, "it has no symbolic dimension of --dim %s%s", option, hint));
	}
}
