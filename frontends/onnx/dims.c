/* dims.c -- symbolic dimensions: what options say of them, and the shapes of tensors. */
#include <ctype.h>
#include <errno.h>
#include <stddef.h>
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

/* Whether all runs have to have the same extents. */
static bool wants_fixed(const struct lt_parse_options *o)
{
	return o->size >= offsetof(struct lt_parse_options, fixed_extents) + sizeof o->fixed_extents && o->fixed_extents;
}

/* The option for a name; false: there is none.  One that cannot be read is a failure.  used: by whom, by option. */
static bool option_said(struct lt_onnx *m, bool *used, const char *name, size_t n, int64_t *low, int64_t *high)
{
	for (uint32_t i = 0; i < m->options->n_dim; i++) {
		const char *option = m->options->dim[i];
		bool good = true;
		if (!dim_read(option, name, n, low, high, &good))
			continue;
		used[i] = true;
		if (!good)
			lt__onnx_refuse(m, "--dim %s: an extent such as 8, or the least and the most such as 1..64, is expected", option);
		if (good && *low != *high && wants_fixed(m->options)) {
			m->is_open = true;
			lt__onnx_refuse(m, "--dim %s: all runs have to have the same extents here: --dim %.*s=%lld fixes it", option, (int)n,
				name, (long long)*high);
		}
		return true;
	}
	return false;
}

static bool dim_said(struct lt_onnx *m, const char *name, size_t n, int64_t *low, int64_t *high)
{
	return option_said(m, m->dim_used, name, n, low, high);
}

/* What a tensor's shape says of a name; false: none does. */
static bool shape_said(const struct lt_onnx *m, const char *name, size_t n, int64_t *low, int64_t *high)
{
	for (int32_t i = 0; i < m->n_shaped; i++)
		if (strlen(m->shaped[i].name) == n && !memcmp(m->shaped[i].name, name, n)) {
			*low = m->shaped[i].low;
			*high = m->shaped[i].high;
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
	if (!dim_said(m, name, n, &low, &high) && !shape_said(m, name, n, &low, &high)) {
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

/* Whether somebody knows shapes of tensors. */
static bool asks_shapes(const struct lt_parse_options *o)
{
	return o->size >= offsetof(struct lt_parse_options, shape) + sizeof o->shape && o->shape;
}

static void refuse_unsaid(struct lt_onnx *m, int32_t axis, const char *input, const char *symbol, const char *name)
{
	const char *which = lt__arena_format(m->arena, "the extent of axis %d%s%s%s", axis, symbol ? ", '" : "",
		symbol ? symbol : "", symbol ? "'," : "");
	m->is_open = true;
	for (int32_t i = 0; i < m->n_unshaped; i++)
		if (!strcmp(m->unshaped[i].input, input)) {
			lt__onnx_refuse(m, "%s is not known by what is given: %s (without a file: --dim %s=8)", which,
				m->unshaped[i].why, name);
			return;
		}
	for (int32_t i = 0; i < m->n_open_name; i++)
		m->is_known = m->is_known || !strcmp(m->open_name[i], name);
	LT_GROW(m->arena, m->open_name, m->n_open_name, m->cap_open_name);
	m->open_name[m->n_open_name++] = name;
	const char *file = asks_shapes(m->options) ? lt__arena_format(m->arena, "; a tensor from a file says it, too: -i "
		"%s=FILE.npy", input) : "";
	if (wants_fixed(m->options)) {
		lt__onnx_refuse(m, "%s is not said, and all runs have to have the same extents here: --dim %s=8 fixes it%s", which,
			name, file);
		return;
	}
	lt__onnx_refuse(m, "%s is not said: --dim %s=8 fixes it, --dim %s=1..8 lets it differ from run to run%s", which, name,
		name, file);
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
		const char *name = symbol ? symbol : own;
		if (!lt__onnx_failed(m) && !shape_said(m, name, strlen(name), &low, &high))
			refuse_unsaid(m, axis, input, symbol, sums ? sum.unsaid : name);
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

bool lt__onnx_number_said(struct lt_onnx *m, const char *name, int64_t *low, int64_t *high)
{
	return option_said(m, m->dim_number, name, strlen(name), low, high) && !lt__onnx_failed(m);
}

void lt__onnx_number_symbol(struct lt_onnx *m, const char *name, lt_node x, int64_t low, int64_t high)
{
	LT_GROW(m->arena, m->symbol, m->n_symbol, m->cap_symbol);
	m->symbol[m->n_symbol++] = (struct lt_onnx_symbol){ lt__arena_string(m->arena, name),
		lt_graph_param(m->graph, x, 0, low, high) };
}

static const struct Onnx__TensorShapeProto *shape_of(const Onnx__ValueInfoProto *input)
{
	return input->type && input->type->tensor_type ? input->type->tensor_type->shape : NULL;
}

/* An axis of the file's, "x.0". */
static const char *axis_name(struct lt_onnx *m, const char *input, size_t axis)
{
	return lt__arena_format(m->arena, "%s.%zu", input, axis);
}

static bool is_said(struct lt_onnx *m, const char *name)
{
	int64_t low, high;
	bool good;
	for (uint32_t i = 0; i < m->options->n_dim; i++)
		if (dim_read(m->options->dim[i], name, strlen(name), &low, &high, &good))
			return true;
	return false;
}

static void keep_shape(struct lt_onnx *m, const char *name, const char *input, size_t axis, int64_t low, int64_t high)
{
	for (int32_t i = 0; i < m->n_shaped; i++) {
		const struct lt_onnx_shaped *s = &m->shaped[i];
		if (strcmp(s->name, name))
			continue;
		if (s->low != low || s->high != high)
			lt__onnx_problem(m, lt__arena_format(m->arena, "input '%s'", input), lt__arena_format(m->arena, "its tensor has "
				"%lld element%s along axis %zu, '%s', and that of '%s' has %lld", (long long)(s->high == high ? low : high),
				(s->high == high ? low : high) == 1 ? "" : "s", axis, name, s->input,
				(long long)(s->high == high ? s->low : s->high)));
		return;
	}
	LT_GROW(m->arena, m->shaped, m->n_shaped, m->cap_shaped);
	m->shaped[m->n_shaped++] = (struct lt_onnx_shaped){ name, input, low, high };
}

/* That is told where an extent stays open for it: another tensor may say all that this one does not. */
static void keep_reason(struct lt_onnx *m, const char *input, const char *why)
{
	LT_GROW(m->arena, m->unshaped, m->n_unshaped, m->cap_unshaped);
	m->unshaped[m->n_unshaped++] = (struct lt_onnx_unshaped){ input, why };
}

/* "'x' [batch, 4]" */
static const char *input_text(struct lt_onnx *m, const Onnx__ValueInfoProto *input)
{
	const Onnx__TensorShapeProto *s = shape_of(input);
	struct lt_text t = { .arena = m->arena };
	lt__text_format(&t, "'%s' [", input->name);
	for (size_t i = 0; s && i < s->n_dim; i++) {
		const Onnx__TensorShapeProto__Dimension *d = s->dim[i];
		if (d->has_dim_value)
			lt__text_format(&t, "%s%lld", i ? ", " : "", (long long)d->dim_value);
		else
			lt__text_format(&t, "%s%s", i ? ", " : "", d->dim_param && *d->dim_param ? d->dim_param : "?");
	}
	lt__text_format(&t, "]");
	return t.at;
}

/* As NumPy writes it: "(2, 28)". */
static const char *rank_differs(struct lt_onnx *m, const Onnx__ValueInfoProto *info, int32_t rank, const int64_t *low)
{
	struct lt_text t = { .arena = m->arena };
	lt__text_format(&t, "its shape is (");
	for (int32_t i = 0; i < rank && i < LT_MAX_RANK; i++)
		lt__text_format(&t, "%s%lld", i ? ", " : "", (long long)low[i]);
	lt__text_format(&t, "%s), and the model asks for %s", rank == 1 ? "," : "", input_text(m, info));
	return t.at;
}

void lt__onnx_ask_shape(struct lt_onnx *m, const Onnx__ValueInfoProto *info)
{
	const struct lt_parse_options *o = m->options;
	const Onnx__TensorShapeProto *s = shape_of(info);
	int64_t low[LT_MAX_RANK], high[LT_MAX_RANK];
	int32_t rank = -1;
	bool unsaid = false;
	for (size_t i = 0; s && i < s->n_dim; i++) {
		const char *symbol = s->dim[i]->dim_param;
		unsaid = unsaid || (!s->dim[i]->has_dim_value && !is_said(m, axis_name(m, info->name, i))
			&& !(symbol && *symbol && is_said(m, symbol)));
	}
	if (!asks_shapes(o) || !unsaid)
		return;
	if (o->shape(o->user, info->name, &rank, low, high)) {
		lt__onnx_ended(m);
		keep_reason(m, info->name, lt__arena_string(m->arena, lt_context_message(m->ctx)));
		lt_context_clear(m->ctx);
		return;
	}
	if (rank >= 0 && (size_t)rank != s->n_dim)
		keep_reason(m, info->name, rank_differs(m, info, rank, low));
	for (size_t i = 0; rank >= 0 && (size_t)rank == s->n_dim && i < s->n_dim; i++) {
		const char *symbol = s->dim[i]->dim_param;
		if (!s->dim[i]->has_dim_value)
			keep_shape(m, symbol && *symbol ? symbol : axis_name(m, info->name, i), info->name, i, low[i], high[i]);
	}
}

/* What the file has at a name: "axis 0 of 'x' [batch, 4]"; NULL: nothing.  fixed: the extent that it says, or -1; axis:
 * "x.0". */
static const char *dim_place(struct lt_onnx *m, const char *name, int64_t *fixed, const char **axis)
{
	const Onnx__GraphProto *g = m->model->graph;
	for (size_t i = 0; i < g->n_input; i++) {
		const Onnx__TensorShapeProto *s = g->input[i]->name ? shape_of(g->input[i]) : NULL;
		for (size_t d = 0; s && d < s->n_dim; d++) {
			const char *symbol = s->dim[d]->dim_param;
			const bool is = symbol && !s->dim[d]->has_dim_value && !strcmp(symbol, name);
			if (!is && strcmp(axis_name(m, g->input[i]->name, d), name))
				continue;
			*axis = axis_name(m, g->input[i]->name, d);
			*fixed = s->dim[d]->has_dim_value ? s->dim[d]->dim_value : -1;
			return lt__arena_format(m->arena, "axis %zu of %s", d, input_text(m, g->input[i]));
		}
	}
	return NULL;
}

/* "; it has 'batch', 'length'", or its inputs where it has no symbol. */
static const char *what_it_has(struct lt_onnx *m)
{
	enum { SHOWN = 4 };
	const Onnx__GraphProto *g = m->model->graph;
	struct lt_text names = { .arena = m->arena };
	for (int32_t k = 0; k < m->n_dim_name; k++)
		lt__text_format(&names, "%s'%s'", k ? ", " : "; it has ", m->dim_name[k]);
	for (size_t i = 0; !m->n_dim_name && i < g->n_input && i < SHOWN; i++)
		lt__text_format(&names, "%s%s", i ? ", " : "; all extents of its inputs are fixed: ",
			g->input[i]->name ? input_text(m, g->input[i]) : "");
	if (!m->n_dim_name && g->n_input > SHOWN)
		lt__text_format(&names, " and %zu more", g->n_input - SHOWN);
	return names.n ? names.at : "";
}

/* The option before this one for the same name; NULL: there is none. */
static const char *said_before(const struct lt_onnx *m, uint32_t i)
{
	const char *option = m->options->dim[i];
	const size_t n = strcspn(option, "=");
	for (uint32_t k = 0; k < i; k++)
		if (!strncmp(m->options->dim[k], option, n) && m->options->dim[k][n] == '=')
			return m->options->dim[k];
	return NULL;
}

/* What is wrong with an option that no dimension has asked for. */
static const char *unused_dim(struct lt_onnx *m, uint32_t i)
{
	const char *option = m->options->dim[i], *before = said_before(m, i);
	const char *name = lt__arena_format(m->arena, "%.*s", (int)strcspn(option, "="), option);
	int64_t fixed = -1;
	const char *axis, *place = dim_place(m, name, &fixed, &axis);
	struct lt_nearest near;
	if (before && place)
		return lt__arena_format(m->arena, "--dim %s: '%s' is said twice, here and by --dim %s; it is %s", option, name,
			before, place);
	if (fixed >= 0)
		return lt__arena_format(m->arena, "--dim %s: the extent is fixed: it is %s", option, place);
	if (place && !strchr(option, '='))
		return lt__arena_format(m->arena, "--dim %s: an extent is expected, such as %s=8, or the least and the most, such as "
			"%s=1..64; it is %s", option, name, name, place);
	if (place)
		return lt__arena_format(m->arena, "--dim %s: something else says it already; it is %s", option, place);
	lt__nearest_begin(&near, option, strlen(name));
	for (int32_t k = 0; k < m->n_dim_name; k++)
		lt__nearest_add(&near, m->dim_name[k]);
	return lt__arena_format(m->arena, "it has no symbolic dimension of --dim %s%s", option,
		near.n ? lt__nearest_hint(m->ctx, &near, "'", "'") : what_it_has(m));
}

/* An option that says the extent of a dimension and the number that an input has, which are of one name. */
static const char *both_dims(struct lt_onnx *m, uint32_t i)
{
	const char *option = m->options->dim[i];
	const char *name = lt__arena_format(m->arena, "%.*s", (int)strcspn(option, "="), option);
	const char *axis = "INPUT.AXIS";
	int64_t fixed;
	const char *place = dim_place(m, name, &fixed, &axis);
	return lt__arena_format(m->arena, "--dim %s: '%s' is %s and the input '%s', too: --dim %s%s says the axis alone, and "
		"--dim %s the input alone beside it", option, name, place ? place : "a part of a dimension", name, axis,
		option + strlen(name), option);
}

void lt__onnx_used_dims(struct lt_onnx *m)
{
	for (uint32_t i = 0; i < m->options->n_dim; i++)
		if (m->dim_used[i] && m->dim_number[i])
			lt__onnx_problem(m, NULL, both_dims(m, i));
		else if (!m->dim_used[i] && !m->dim_number[i])
			lt__onnx_problem(m, NULL, unused_dim(m, i));
}
