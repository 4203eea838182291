/* random_limits_text.c -- a model of random_limits_model.h as a graph's text. */
#include <stdarg.h>
#include <stdio.h>
#include "check/random/must.h"
#include "tests/random_limits_model.h"

struct text { char *at; size_t n, cap; };

__attribute__((format(printf, 2, 3))) static void say(struct text *t, const char *fmt, ...)
{
	va_list list;
	va_start(list, fmt);
	int n = vsnprintf(t->at + t->n, t->cap - t->n, fmt, list);
	va_end(list);
	must(n >= 0 && t->n + (size_t)n < t->cap, "the text is too long");
	t->n += (size_t)n;
}

static void say_row(struct text *t, int k, const struct limits_piece *p, const int64_t *row);

static void say_term(struct text *t, bool *first, int64_t coef)
{
	uint64_t size = coef < 0 ? 0 - (uint64_t)coef : (uint64_t)coef;
	say(t, "%s%llu", *first ? coef < 0 ? "-" : "" : coef < 0 ? " - " : " + ", (unsigned long long)size);
	*first = false;
}

static void say_row(struct text *t, int k, const struct limits_piece *p, const int64_t *row)
{
	bool first = true;
	say_term(t, &first, row[0]);
	for (int i = 0; i < LIMITS_PARAMS; i++)
		if (row[1 + i]) {
			say_term(t, &first, row[1 + i]);
			say(t, "*p%d", i);
		}
	for (int i = 0; i < LIMITS_DIMS; i++)
		if (row[limits_dim_at(i)]) {
			say_term(t, &first, row[limits_dim_at(i)]);
			say(t, "*v%d_%d", k, i);
		}
	for (int i = 0; i < LIMITS_DIVS; i++)
		if (row[limits_div_at(i)]) {
			say_term(t, &first, row[limits_div_at(i)]);
			say(t, "*floor((");
			say_row(t, k, p, p->div[i]);
			say(t, ") / %lld)", (long long)p->den[i]);
		}
}

static void say_var(struct text *t, const char *name, int k, int i, const struct limits_dim *d)
{
	bool first = true;
	say(t, "var %s%d_%d %lld", name, k, i, (long long)d->extent);
	if (d->bounded) {
		say(t, " limit ");
		say_term(t, &first, d->limit);
		for (int p = 0; p < LIMITS_PARAMS; p++)
			if (d->limit_of[p]) {
				say_term(t, &first, d->limit_of[p]);
				say(t, "*p%d", p);
			}
	}
	say(t, "\n");
}

static void say_dims(struct text *t, const char *type, const char *name, int k, int n)
{
	say(t, "%s[", type);
	for (int i = 0; i < n; i++)
		say(t, "%s%s%d_%d", i ? ", " : "", name, k, i);
	say(t, "]");
}

static void say_view(struct text *t, const struct limits_model *m, int k)
{
	const struct limits_view *v = &m->view[k];
	say(t, "%%v%d = ", k);
	say_dims(t, "f32", "v", k, v->n_dim);
	say(t, " view {");
	for (int i = 0; i < v->n_piece; i++) {
		const struct limits_piece *p = &v->piece[i];
		say(t, "%s ", i ? ";" : "");
		if (k)
			say(t, "%%v%d[", k - 1);
		else
			say(t, "%%x[");
		for (int r = 0; r < (k ? m->view[k - 1].n_dim : m->n_dim); r++) {
			say(t, "%s", r ? ", " : "");
			say_row(t, k, p, p->row[r]);
		}
		say(t, "]");
		for (int g = 0; g < p->n_guard; g++) {
			say(t, "%s ", g ? "," : " if");
			say_row(t, k, p, p->guard[g]);
			say(t, " >= 0");
		}
	}
	say(t, "; else 7.0 }\n");
}

void limits_print(const struct limits_model *m, char *text, size_t cap)
{
	struct text t = { text, 0, cap };
	say(&t, "graph 1\n");
	for (int i = 0; i < m->n_dim; i++)
		say_var(&t, "x", 0, i, &m->dim[i]);
	for (int i = 0; i < m->n_dim && m->updates; i++)
		say(&t, "var b0_%d %lld\n", i, (long long)m->block[i]);
	for (int k = 0; k < m->n_view; k++)
		for (int i = 0; i < m->view[k].n_dim; i++)
			say_var(&t, "v", k, i, &m->view[k].dim[i]);
	if (m->gathers)
		say(&t, "var g %lld\n", (long long)m->n_index);
	if (m->n_param)
		say(&t, "var at %d\n", m->n_param);
	for (int i = 0; i < m->n_param; i++)
		say(&t, "param p%d = %%at[%d] in %lld..%lld\n", i, i, (long long)m->low[i], (long long)m->high[i]);
	if (m->n_param)
		say(&t, "%%at = i64[at] input \"at\"\n");
	say(&t, "%%x = ");
	say_dims(&t, "f32", "x", 0, m->n_dim);
	say(&t, " input \"x\"\n");
	for (int k = 0; k < m->n_view; k++)
		say_view(&t, m, k);
	if (m->gathers)
		say(&t, "%%index = i64[g] input \"index\"\n%%y = f32[g");
	else if (m->updates)
		say(&t, "%%block = "), say_dims(&t, "f32", "b", 0, m->n_dim), say(&t, " input \"block\"\n%%y = f32[x0_0");
	for (int i = 1; i < m->n_dim && m->updates; i++)
		say(&t, ", x0_%d", i);
	for (int i = 1; m->gathers && i < m->view[m->n_view - 1].n_dim; i++)
		say(&t, ", v%d_%d", m->n_view - 1, i);
	if (m->gathers)
		say(&t, "] gather %%v%d, %%index axis 0\n", m->n_view - 1);
	for (int i = 0; i < m->n_dim && m->updates; i++) {
		bool first = true;
		say(&t, "%s", i ? ", " : "] update %x, %block at [");
		say_term(&t, &first, m->offset[i]);
		if (m->at[i] >= 0)
			say(&t, " + p%d", m->at[i]);
	}
	if (m->updates)
		say(&t, "]\n");
	say(&t, "%%z = ");
	if (m->gathers) {
		say(&t, "f32[g");
		for (int i = 1; i < m->view[m->n_view - 1].n_dim; i++)
			say(&t, ", v%d_%d", m->n_view - 1, i);
		say(&t, "]");
	} else if (m->updates) {
		say_dims(&t, "f32", "x", 0, m->n_dim);
	} else {
		say_dims(&t, "f32", "v", m->n_view - 1, m->view[m->n_view - 1].n_dim);
	}
	if (m->gathers || m->updates)
		say(&t, " neg %%y\nresult \"z\" = %%z\n");
	else
		say(&t, " neg %%v%d\nresult \"z\" = %%z\n", m->n_view - 1);
}
