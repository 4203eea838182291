/* frontends/onnx/dims.c -- symbolic dimensions: what options say of them. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "frontends/onnx/onnx.h"

/* "NAME=8" or "NAME=1..64" of the name; false: not it. */
static bool dim_read(const char *option, const char *name, int64_t *low, int64_t *high, bool *good)
{
	const size_t n = strlen(name);
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

/* The extent is an input of the graph by the symbol's name: an int64 without dims. */
static lt_var symbol_var(struct lt_onnx *m, const char *name, int64_t low, int64_t high)
{
	static const int64_t one = 1;
	int32_t i = 0;
	while (i < m->n_symbol && strcmp(m->symbol[i].name, name))
		i++;
	if (i == m->n_symbol) {
		lt_node source = lt_graph_input(m->graph, name, LT_I64, 0, NULL);
		LT_GROW(m->arena, m->symbol, m->n_symbol, m->cap_symbol);
		m->symbol[m->n_symbol++] = (struct lt_onnx_symbol){ lt__arena_string(m->arena, name),
			lt_graph_param(m->graph, source, 0, low, high) };
	}
	return lt_graph_var_bounded(m->graph, name, high, 0, 1, &m->symbol[i].param, &one);
}

lt_var lt__onnx_dim(struct lt_onnx *m, const char *symbol, const char *input, int32_t axis, bool *empty)
{
	const char *own = lt__arena_format(m->arena, "%s.%d", input, axis);
	int64_t low = 0, high = 0;
	bool good = true;
	*empty = false;
	for (uint32_t i = 0; i < m->options->n_dim; i++) {
		const char *option = m->options->dim[i];
		if (!dim_read(option, own, &low, &high, &good) && !(symbol && dim_read(option, symbol, &low, &high, &good)))
			continue;
		m->dim_used[i] = true;
		if (!good) {
			lt__onnx_refuse(m, "--dim %s: an extent such as 8, or the least and the most such as 1..64, is expected", option);
			return LT_NONE;
		}
		if (low != high)
			return symbol_var(m, symbol && *symbol ? symbol : own, low, high);
		*empty = low == 0;
		return *empty ? LT_NONE : lt_graph_var(m->graph, symbol && *symbol ? symbol : NULL, low);
	}
	const char *name = symbol && *symbol ? symbol : own;
	lt__onnx_refuse(m,
		"the extent of axis %d%s%s%s is not said: --dim %s=8 fixes it, --dim %s=1..8 lets it differ from run to run", axis,
		symbol && *symbol ? ", '" : "", symbol ? symbol : "", symbol && *symbol ? "'," : "", name, name);
	return LT_NONE;
}
