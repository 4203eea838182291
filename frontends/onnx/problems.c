/* problems.c -- what cannot be converted: collected node by node, reported at once. */
#include <string.h>
#include "frontends/onnx/onnx.h"
#include "base/message.h"

enum { SHOWN_PROBLEMS = 24, SHOWN_AXES = 12 };

void lt__onnx_refuse(struct lt_onnx *m, const char *fmt, ...)
{
	char text[1500];
	va_list list;

	va_start(list, fmt);
	lt__message(text, sizeof text, fmt, list);
	va_end(list);
	lt_fail(m->ctx, LT_EUNSUPPORTED, "%-s", text);
}

bool lt__onnx_failed(const struct lt_onnx *m)
{
	return lt_context_code(m->ctx) != LT_OK;
}

void lt__onnx_ended(struct lt_onnx *m)
{
	if (lt_context_code(m->ctx) == LT_ENOMEM)
		lt__arena_refuse(m->arena, "what a model needs could not be kept");
	if (lt_context_code(m->ctx) == LT_ECANCELLED || lt_context_code(m->ctx) == LT_EBUDGET)
		lt__forward(m->ctx);
}

void lt__onnx_problem(struct lt_onnx *m, const char *where, const char *text)
{
	lt__onnx_ended(m);
	const bool open = m->is_open, known = m->is_known;
	m->is_open = m->is_known = false;
	if (known) {
		lt_context_clear(m->ctx);
		return;
	}
	const char *whole = where ? lt__arena_format(m->arena, "%s: %s", where, text) : lt__arena_string(m->arena, text);

	lt_context_clear(m->ctx);
	for (int32_t i = 0; i < m->n_problem; i++)
		if (!strcmp(m->problem[i].text, whole)) {
			m->problem[i].times++;
			return;
		}
	LT_GROW(m->arena, m->problem, m->n_problem, m->cap_problem);
	m->problem[m->n_problem++] = (struct lt_onnx_problem){ whole, 1 };
	m->n_open += open;
}

lt_status lt__onnx_problems(struct lt_onnx *m)
{
	struct lt_text t = { .arena = m->arena };

	if (!m->n_problem)
		return LT_OK;
	for (int32_t i = 0; i < m->n_problem && i < SHOWN_PROBLEMS; i++) {
		lt__text_format(&t, "\n  %s", m->problem[i].text);
		if (m->problem[i].times > 1)
			lt__text_format(&t, " (%d times)", m->problem[i].times);
	}
	if (m->n_problem > SHOWN_PROBLEMS)
		lt__text_format(&t, "\n  ... and %d more", m->n_problem - SHOWN_PROBLEMS);
	return lt_fail(m->ctx, LT_EUNSUPPORTED, "%s: %s:%-s", m->file,
		m->n_open == m->n_problem ? "the model leaves extents open" : "the model cannot be converted", t.at);
}

const char *lt__onnx_shape(struct lt_onnx *m, int32_t rank, const int64_t *shape)
{
	struct lt_text t = { .arena = m->arena };

	lt__text_add(&t, "[", 1);
	for (int32_t i = 0; i < rank && i < SHOWN_AXES; i++)
		lt__text_format(&t, "%s%lld", i ? ", " : "", (long long)shape[i]);
	lt__text_format(&t, "%s]", rank > SHOWN_AXES ? ", ..." : "");
	return t.at;
}
