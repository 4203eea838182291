/* op_product.c -- matrix products and sums of products by indices. */
#include <ctype.h>
#include <math.h>
#include <string.h>
#include "frontends/onnx/builders.h"
#include "frontends/onnx/groups.h"
#include "frontends/onnx/position.h"

void lt__onnx_build_matmul(struct lt_onnx_call *c)
{
	lt_node a = lt__onnx_in(c, 0), b = lt__onnx_in(c, 1);
	lt__onnx_give(c, 0, lt__onnx_matmul(c->m, a, b));
}

/* alpha * A' * B' + beta * C */
void lt__onnx_build_gemm(struct lt_onnx_call *c)
{
	struct lt_onnx *m = c->m;
	const double alpha = lt__onnx_float(c, "alpha", 1), beta = lt__onnx_float(c, "beta", 1);
	lt_node a = lt__onnx_in(c, 0), b = lt__onnx_in(c, 1);
	const bool turn_a = lt__onnx_int(c, "transA", 0) != 0, turn_b = lt__onnx_int(c, "transB", 0) != 0;
	if (c->version < 7)
		lt__onnx_ignore(c, "broadcast");        /* shapes say it */
	if (a < 0 || b < 0)
		return;
	struct lt_onnx_value *const *in = c->whole ? c->whole : c->in;
	if (in[0]->rank != 2 || in[1]->rank != 2) {
		lt__onnx_refuse(m, "values of rank %d and %d are no matrices", in[0]->rank, in[1]->rank);
		return;
	}
	if (c->whole && turn_a) {
		lt__onnx_refuse(m, "attribute 'transA' is 1, and the rows of '%s' (%s) are a product of extents that differ from run "
			"to run: %s", in[0]->name, lt__onnx_extents(m, in[0]), lt__onnx_fixes_of(m, in[0]));
		return;
	}
	if (!lt__onnx_is_float(m, a) && (floor(alpha) != alpha || floor(beta) != beta)) {
		lt__onnx_refuse(m, "integers times %g and %g", alpha, beta);
		return;
	}
	const enum lt_dtype type = lt_node_dtype(m->graph, a);
	a = lt__onnx_wide(m, turn_a ? lt__onnx_swap(m, a, 0, 1) : a);
	b = lt__onnx_wide(m, turn_b ? lt__onnx_swap(m, b, 0, 1) : b);
	lt_node y = lt__onnx_matmul(m, a, b);
	y = alpha != 1 ? lt__onnx_opf(m, "mul", y, alpha) : y;
	if (lt__onnx_has(c, 2)) {
		lt_node bias = lt__onnx_wide(m, lt__onnx_in(c, 2));
		y = lt__onnx_op2(m, "add", y, beta != 1 ? lt__onnx_opf(m, "mul", bias, beta) : bias);
	}
	lt__onnx_give(c, 0, lt__onnx_cast(m, y, type));         /* rounded once */
}

enum { MAX_LETTERS = 60, MAX_TERMS = 16 };
/* "ij,jk->ik": indices as letters; those of an ellipsis are numbered from its end. */
struct equation { char term[MAX_TERMS][MAX_LETTERS], result[MAX_LETTERS]; int32_t n; bool has_result; };

/* An index is a letter, or for the axes of an ellipsis a byte above 127. */
static bool equation_term(const char **at, char *out, int32_t rank)
{
	int32_t n = 0, dots = -1;
	while (**at && **at != ',' && strncmp(*at, "->", 2)) {
		if (!strncmp(*at, "...", 3) && dots < 0) {
			dots = n;
			*at += 3;
		} else if (isalpha((unsigned char)**at) && n < MAX_LETTERS / 2) {
			out[n++] = *(*at)++;
		} else {
			return false;
		}
	}
	/* The result's ellipsis (rank -1) is put in later: byte 1 stands for it. */
	int32_t open = rank < 0 ? (dots >= 0) : dots < 0 ? 0 : rank - n;
	if (rank >= 0 && (dots < 0 ? rank != n : open < 0 || open > 20))
		return false;
	if (dots >= 0) {
		memmove(out + dots + open, out + dots, (size_t)(n - dots));
		for (int32_t i = 0; i < open; i++)
			out[dots + i] = rank < 0 ? 1 : (char)(128 + open - 1 - i);
	}
	out[n + open] = 0;
	return true;
}

static bool equation_read(const char *text, struct lt_onnx_call *c, struct equation *e)
{
	char plain[512];
	size_t n = 0;
	for (; *text && n + 1 < sizeof plain; text++)
		if (*text != ' ')
			plain[n++] = *text;
	plain[n] = 0;
	const char *at = plain;
	for (e->n = 0; e->n < MAX_TERMS; at++) {
		if (!equation_term(&at, e->term[e->n], lt__onnx_value(c, e->n)->rank))
			return false;
		e->n++;
		if (*at != ',')
			break;
	}
	e->has_result = !strncmp(at, "->", 2);
	if (e->has_result) {
		at += 2;
		if (!equation_term(&at, e->result, -1))
			return false;
	}
	return !*at && e->n == c->n_in;
}

/* Without a result: the letters that occur once, in alphabetical order, behind the ellipsis. */
static void equation_result(struct equation *e)
{
	char out[2 * MAX_LETTERS];
	int32_t n = 0, widest = 0, times[256] = { 0 };
	for (int32_t t = 0; t < e->n; t++)
		for (const char *s = e->term[t]; *s; s++) {
			unsigned char letter = (unsigned char)*s;
			times[letter]++;
			widest = letter >= 128 && letter - 127 > widest ? letter - 127 : widest;
		}
	const char *shape = e->has_result ? e->result : "\1";
	for (const char *s = shape; *s; s++) {
		for (int32_t i = widest - 1; *s == 1 && i >= 0; i--)
			out[n++] = (char)(128 + i);
		if (*s != 1)
			out[n++] = *s;
	}
	for (int32_t letter = 1; !e->has_result && letter < 128; letter++)
		if (times[letter] == 1)
			out[n++] = (char)letter;
	out[n] = 0;
	memcpy(e->result, out, (size_t)n + 1 < sizeof e->result ? (size_t)n + 1 : sizeof e->result - 1);
}

/* A term with the equation's vars: an index that occurs twice in it is the diagonal. */
static lt_node einsum_term(struct lt_onnx *m, lt_node x, const char *term, lt_var *var)
{
	const int32_t rank = lt__onnx_rank(m, x);
	lt_var *v = LT_NEW(m->arena, lt_var, rank + 1);
	int32_t *at = LT_NEW(m->arena, int32_t, rank + 1), n = 0;
	for (int32_t i = 0; i < rank; i++) {
		unsigned char letter = (unsigned char)term[i];
		lt_var own = lt_node_dim(m->graph, x, i);
		if (lt__onnx_extent(m, x, i) == 1 && var[letter] >= 0 && lt_var_extent(m->graph, var[letter]) > 1) {
			at[i] = -1;
			continue;
		}
		if (var[letter] < 0)
			var[letter] = lt__onnx_like(m, x, i);
		else if (!lt__var_same_range(m->graph, own, var[letter])) {
			lt__onnx_refuse(m, "index '%c' has %lld and %lld elements", letter < 128 ? letter : '.',
				(long long)lt_var_extent(m->graph, var[letter]), (long long)lt__onnx_extent(m, x, i));
			return LT_NONE;
		}
		at[i] = -1;
		for (int32_t k = 0; k < n; k++)
			at[i] = v[k] == var[letter] ? k : at[i];
		if (at[i] < 0) {
			at[i] = n;
			v[n++] = var[letter];
		}
	}
	return lt__onnx_view(m, x, n, v, at);
}

/* Sum over the vars of x that are not among those of the result or of later terms. */
static lt_node einsum_sum(struct lt_onnx *m, lt_node x, const struct equation *e, int32_t done, const lt_var *var)
{
	lt_var over[LT_MAX_RANK];
	int32_t n = 0;
	for (int32_t i = 0; x >= 0 && i < lt__onnx_rank(m, x); i++) {
		bool later = false;
		for (int32_t t = done; t <= e->n; t++)
			for (const char *s = t == e->n ? e->result : e->term[t]; *s; s++)
				later |= var[(unsigned char)*s] == lt_node_dim(m->graph, x, i);
		if (!later)
			over[n++] = lt_node_dim(m->graph, x, i);
	}
	return x < 0 ? LT_NONE : lt_graph_reduce(m->graph, "add", x, n, over);
}

void lt__onnx_build_einsum(struct lt_onnx_call *c)
{
	struct lt_onnx *m = c->m;
	const char *text = lt__onnx_text(c, "equation", "");
	struct equation e = { .n = 0 };
	lt_var var[256];
	lt_node term[MAX_TERMS], y = LT_NONE;
	if (!equation_read(text, c, &e)) {
		lt__onnx_refuse(m, "the equation '%s' does not fit its %d inputs", text, c->n_in);
		return;
	}
	equation_result(&e);
	memset(var, -1, sizeof var);
	/* Extents first: of an axis that is 1 in some terms the var is the other's. */
	for (int32_t t = 0; t < e.n; t++) {
		lt_node x = lt__onnx_in(c, t);
		for (int32_t i = 0; i < lt__onnx_rank(m, x); i++)
			if (lt__onnx_extent(m, x, i) != 1 && var[(unsigned char)e.term[t][i]] < 0)
				var[(unsigned char)e.term[t][i]] = lt__onnx_like(m, x, i);
	}
	for (int32_t t = 0; t < e.n; t++) {
		term[t] = einsum_term(m, lt__onnx_wide(m, lt__onnx_in(c, t)), e.term[t], var);
		if (term[t] < 0)
			return;
	}
	for (int32_t t = 0; t < e.n; t++)
		y = einsum_sum(m, t ? lt_graph_binary(m->graph, "mul", y, term[t]) : term[t], &e, t + 1, var);
	int32_t n = (int32_t)strlen(e.result), at[LT_MAX_RANK];
	lt_var want[LT_MAX_RANK];
	for (int32_t i = 0; i < n; i++) {
		want[i] = var[(unsigned char)e.result[i]];
		if (want[i] < 0) {
			lt__onnx_refuse(m, "the equation '%s' has an index in its result that no input has", text);
			return;
		}
	}
	for (int32_t i = 0; y >= 0 && i < lt__onnx_rank(m, y); i++)
		for (int32_t k = 0; k < n; k++)
			at[i] = want[k] == lt_node_dim(m->graph, y, i) ? k : at[i];
	y = lt__onnx_view(m, y, n, want, at);
	lt__onnx_give(c, 0, y < 0 ? LT_NONE : lt__onnx_cast(m, y, lt__onnx_value(c, 0)->dtype));
}
