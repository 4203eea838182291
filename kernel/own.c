/* own.c -- the C of a tree that is a call of a kernel of one's own: the user's text, and a function that calls it. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include "kernel/form/form.h"

/* lt/own.h, one string a line, made when the library is built. */
static const char *const header[] = {
#include "kernel/own_text.h"
};

/* The call that the whole tree is; NULL: it is none. */
static const struct lt_call *call_of(const struct lt_tree *t)
{
	if (!LT_HAS(struct lt_tree, t, call_reads.at) || t->calls.n != 1 || !LT_AT_HAS(struct lt_call, t->calls, source))
		return NULL;
	const struct lt_call *c = LT_AT(struct lt_call, t->calls, 0);
	return c->source ? c : NULL;
}

const char *lt_kernel_own_name(const struct lt_tree *t)
{
	const struct lt_call *c = call_of(t);
	const char *name = c ? LT_AT(struct lt_loop, t->loops, c->loop)->call : NULL;
	return c && !name ? "?" : name;
}

/* What it reads, then what it writes. */
struct own_place { int32_t buffer, first_stride; };

static struct own_place place_of(const struct lt_tree *t, const struct lt_call *c, int32_t k)
{
	if (k < c->n_read) {
		const struct lt_call_read *r = LT_AT(struct lt_call_read, t->call_reads, c->first_read + k);
		return (struct own_place){ r->buffer, r->first_stride };
	}
	const struct lt_call_result *r = LT_AT(struct lt_call_result, t->call_results, c->first_result + k - c->n_read);
	return (struct own_place){ r->buffer, r->first_stride };
}

static int64_t elems_of(const struct lt_tree *t, const struct lt_call *c, int32_t k)
{
	const struct own_place p = place_of(t, c, k);
	int64_t elems = 1;
	for (int32_t a = 0; a < c->n_axis; a++)
		if (t->strides[p.first_stride + a])
			elems *= LT_AT(struct lt_call_dim, t->call_dims, c->first_axis + a)->extent;
	return elems;
}

static const struct lt_type *type_of(const struct lt_tree *t, const struct lt_call *c, int32_t k)
{
	return LT_AT(struct lt_type, t->types, LT_AT(struct lt_buffer, t->buffers, place_of(t, c, k).buffer)->type);
}

int32_t lt_kernel_own_slot(const struct lt_tree *t, int32_t tensor)
{
	return LT_AT(struct lt_buffer, t->buffers, place_of(t, call_of(t), tensor).buffer)->slot;
}

struct lt_kernel_own lt_kernel_own_need(const struct lt_tree *t)
{
	const struct lt_call *c = call_of(t);
	return (struct lt_kernel_own){ .n_tensor = c->n_read + c->n_result, .shared = (c->workspace + 63) & ~INT64_C(63),
		.each = (c->workspace_each + 63) & ~INT64_C(63) };
}

/* -- the text: without empty lines, which would end a definition (LT_DUMP_SOURCE), and what begins a kernel there -- */

struct own_writer { lt_write *write; void *user; };
enum { MAX_SYMBOL = 400 };

static void write_line(const struct own_writer *w, const char *line, size_t n)
{
	static const char begin[] = "/* kernel ";
	size_t from = 0;
	for (size_t at = 0; at + sizeof begin - 1 <= n; at++)
		if (memcmp(line + at, begin, sizeof begin - 1) == 0) {
			w->write(w->user, line + from, at + 2 - from);
			w->write(w->user, " ", 1);
			from = at + 2;
		}
	w->write(w->user, n ? line + from : " ", n ? n - from : 1);
	w->write(w->user, "\n", 1);
}

static void write_text(const struct own_writer *w, const char *text, bool lines)
{
	while (*text) {
		const size_t n = strcspn(text, "\n");
		if (lines || strncmp(text, "#line ", 6) != 0)
			write_line(w, text, n);
		text += n + (text[n] == '\n');
	}
}

static void format_line(const struct own_writer *w, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
static void format_line(const struct own_writer *w, const char *fmt, ...)
{
	char line[1024];
	va_list list;
	va_start(list, fmt);
	const int n = vsnprintf(line, sizeof line, fmt, list);
	va_end(list);
	write_line(w, line, n < (int)sizeof line ? (size_t)n : sizeof line - 1);
}

/* Infinity and what is no number are no words of C without math.h. */
static void format_number(const struct own_writer *w, double x)
{
	if (isfinite(x))
		format_line(w, "\t\t%a,", x);
	else
		format_line(w, "\t\t%s,", isnan(x) ? "0.0 / 0.0" : x < 0 ? "-1.0 / 0.0" : "1.0 / 0.0");
}

/* Its axes are those along which it has a stride; extents, or strides. */
static void write_axes(
	const struct own_writer *w, const struct lt_tree *t, const struct lt_call *c, int32_t k, bool strides)
{
	const struct own_place p = place_of(t, c, k);
	format_line(w, "\tstatic const int64_t %s%d[] = {", strides ? "stride" : "extent", (int)k);
	for (int32_t a = 0; a < c->n_axis; a++)
		if (t->strides[p.first_stride + a])
			format_line(w, "\t\tINT64_C(%lld),", (long long)(strides ? t->strides[p.first_stride + a]
				: LT_AT(struct lt_call_dim, t->call_dims, c->first_axis + a)->extent));
	format_line(w, "\t\t1 };");
}

static int32_t rank_of(const struct lt_tree *t, const struct lt_call *c, int32_t k)
{
	const struct own_place p = place_of(t, c, k);
	int32_t rank = 0;
	for (int32_t a = 0; a < c->n_axis; a++)
		rank += t->strides[p.first_stride + a] != 0;
	return rank;
}

/* The name of the function in NAME.c: what is behind a domain's last dot. */
static const char *stem_of(const struct lt_tree *t)
{
	const char *name = lt_kernel_own_name(t), *dot = strrchr(name, '.');
	return dot ? dot + 1 : name;
}

/* What the function is called in a binary, where there may be another domain's of the same name: `_` is doubled, and
 * any other character of a domain is its number. */
static void write_symbol(const struct lt_tree *t, char *out, size_t bytes)
{
	const char *name = lt_kernel_own_name(t);
	size_t n = 0;
	*out = '\0';
	if (!strchr(name, '.'))
		(void)snprintf(out, bytes, "%s", name);
	for (const char *c = strchr(name, '.') ? name : ""; *c && n + 5 < bytes; c++) {
		const bool is_plain = (*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z') || (*c >= '0' && *c <= '9');
		if (is_plain)
			out[n++] = *c;
		else
			n += (size_t)snprintf(out + n, bytes - n, *c == '_' ? "__" : "_x%02x", (unsigned char)*c);
		out[n] = '\0';
	}
}

void lt_kernel_own_definitions(const struct lt_tree *t, int lines, lt_write *write, void *user)
{
	const struct own_writer w = { write, user };
	for (size_t i = 0; i < sizeof header / sizeof *header; i++)
		write_line(&w, header[i], strlen(header[i]));
	write(user, "\n", 1);
	char symbol[MAX_SYMBOL];
	const char *stem = stem_of(t);
	write_symbol(t, symbol, sizeof symbol);
	if (strcmp(symbol, stem) != 0)
		format_line(&w, "#define lt_own_%s lt_own_%s", stem, symbol);
	write_text(&w, call_of(t)->source, lines);
	if (strcmp(symbol, stem) != 0)
		format_line(&w, "#undef lt_own_%s", stem);
	write(user, "\n", 1);
}

void lt_kernel_own_function(const struct lt_tree *t, lt_write *write, void *user)
{
	const struct own_writer w = { write, user };
	const struct lt_call *c = call_of(t);
	const int32_t n = c->n_read + c->n_result;
	char symbol[MAX_SYMBOL];
	write_symbol(t, symbol, sizeof symbol);
	format_line(&w, "static void %s_own(void *const *data, void *workspace, uint32_t n_thread,", t->name);
	format_line(&w, "\tvoid (*parallel_for)(const struct lt_host *, uint32_t n_thread, int64_t n,");
	format_line(&w, "\t\tlt_own_body *, void *arg),");
	format_line(&w, "\tconst struct lt_host *host)");
	format_line(&w, "{");
	for (int32_t k = 0; k < n; k++) {
		write_axes(&w, t, c, k, false);
		write_axes(&w, t, c, k, true);
	}
	format_line(&w, "\tconst struct lt_own_tensor tensor[] = {");
	for (int32_t k = 0; k < n; k++)
		format_line(&w, "\t\t{ data[%d], extent%d, stride%d, INT64_C(%lld), %d, %u },", (int)k, (int)k, (int)k,
			(long long)elems_of(t, c, k), (int)rank_of(t, c, k), (unsigned)type_of(t, c, k)->dtype);
	format_line(&w, "\t};");
	format_line(&w, "\tstatic const double number[] = {");
	for (int32_t i = 0; i < c->n_number; i++)
		format_number(&w, c->number[i]);
	format_line(&w, "\t\t0 };");
	format_line(&w, "\tconst struct lt_own own = { sizeof own, %d, %d, %d, tensor, tensor + %d, number, n_thread,",
		(int)c->n_read, (int)c->n_result, (int)c->n_number, (int)c->n_read);
	format_line(&w, "\t\tworkspace, INT64_C(%lld) + (int64_t)n_thread * INT64_C(%lld), parallel_for, host };",
		(long long)lt_kernel_own_need(t).shared, (long long)lt_kernel_own_need(t).each);
	format_line(&w, "\tlt_own_%s(&own);", symbol);
	format_line(&w, "}");
}
