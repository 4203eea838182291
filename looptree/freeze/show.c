/* Printing a frozen tree for people: its tables with names, and the accesses with strides and footprints. */
#include <stdlib.h>
#include <string.h>
#include "looptree/freeze/freeze.h"

static const char *column_name(const struct lt_tree *t, int32_t column, char *text, size_t bytes)
{
	int32_t at = column - 1;
	if (at < t->n_param)
		return LT_AT(struct lt_tparam, t->params, at)->name;
	at -= t->n_param;
	if (at < t->n_loop)
		return LT_AT(struct lt_loop, t->loops, at)->var;
	snprintf(text, bytes, "q%d", (int)(at - t->n_loop));
	return text;
}

static unsigned long long size_of(int64_t c) { return c < 0 ? 0 - (unsigned long long)c : (unsigned long long)c; }

static void show_row(struct lt_text *x, const struct lt_tree *t, int32_t row)
{
	const int64_t *r = t->rows + (int64_t)row * t->n_column;
	char text[24];
	bool first = true;
	for (int32_t i = 1; i < t->n_column; i++) {
		if (!r[i])
			continue;
		int64_t c = r[i];
		lt__text_format(x, "%s", first ? (c < 0 ? "-" : "") : c < 0 ? " - " : " + ");
		if (c != 1 && c != -1)
			lt__text_format(x, "%llu*", size_of(c));
		lt__text_format(x, "%s", column_name(t, i, text, sizeof text));
		first = false;
	}
	if (first)
		lt__text_format(x, "%lld", (long long)r[0]);
	else if (r[0])
		lt__text_format(x, " %c %llu", r[0] < 0 ? '-' : '+', size_of(r[0]));
}

/* Locals of copies of a loop have one name: "2.sub", "2.sub#2". */
static void show_name(struct lt_text *x, const struct lt_tree *t, int32_t buffer)
{
	const char *name = LT_AT(struct lt_buffer, t->buffers, buffer)->name;
	int same = 1;
	for (int32_t i = 0; i < buffer; i++)
		same += !strcmp(LT_AT(struct lt_buffer, t->buffers, i)->name, name);
	lt__text_format(x, same > 1 ? "%s#%d" : "%s", name, same);
}

static void show_access(struct lt_text *x, const struct lt_tree *t, int32_t access)
{
	const struct lt_access *a = LT_AT(struct lt_access, t->accesses, access);
	show_name(x, t, a->buffer);
	lt__text_add(x, "[", 1);
	show_row(x, t, a->row);
	if (a->index >= 0) {
		lt__text_format(x, " + %lld*(", (long long)a->index_stride);
		const struct lt_access *i = LT_AT(struct lt_access, t->accesses, a->index);
		show_name(x, t, i->buffer);
		lt__text_add(x, "[", 1);
		show_row(x, t, i->row);
		lt__text_format(x, "] in 0..%lld", (long long)a->index_extent - 1);
		for (int32_t k = 0; k < a->n_bound; k++) {
			lt__text_add(x, " below ", 7);
			show_row(x, t, t->bounds[a->first_bound + k]);
		}
		lt__text_add(x, ")", 1);
	}
	lt__text_add(x, "]", 1);
}

static void show_guards(struct lt_text *x, const struct lt_tree *t, int32_t first, int32_t n)
{
	for (int32_t i = 0; i < n; i++) {
		lt__text_format(x, "%s", i ? ", " : " if ");
		show_row(x, t, t->guards[first + i]);
		lt__text_format(x, " >= 0");
	}
}

static void show_piece(struct lt_text *x, const struct lt_tree *t, const struct lt_piece *p, uint32_t dtype)
{
	if (p->kind == LT_READ) {
		show_access(x, t, p->access);
	} else if (p->kind == LT_AFFINE) {
		show_row(x, t, p->row);
	} else {
		union lt_scalar v = lt__scalar_of(p->bits, dtype);
		if (lt__dtype_info(dtype)->cls == LT_CLASS_FLOAT)
			lt__text_format(x, "%.9g", v.f);
		else
			lt__text_format(x, "%s", lt__whole_text(v, dtype).text);
	}
	show_guards(x, t, p->first_guard, p->n_guard);
}

static void show_tables(struct lt_text *x, const struct lt_tree *t)
{
	static const char *const role[] = { "input", "output", "constant", "state", "workspace", "local" };
	for (uint32_t i = 0; i < t->params.n; i++) {
		const struct lt_tparam *p = LT_AT(struct lt_tparam, t->params, i);
		lt__text_format(x, "  param %s in %lld..%lld\n", p->name, (long long)p->low, (long long)p->high);
	}
	for (uint32_t i = 0; i < t->buffers.n; i++) {
		const struct lt_buffer *b = LT_AT(struct lt_buffer, t->buffers, i);
		lt__text_add(x, "  buffer ", 9);
		show_name(x, t, (int32_t)i);
		lt__text_format(x, " %s %s, %lld elements, aligned to %lld%s",
			LT_AT(struct lt_type, t->types, b->type)->name, role[b->role], (long long)b->elems,
			(long long)b->align, b->written ? ", written" : "");
		if (b->role == LT_LOCAL && b->scope >= 0)
			lt__text_format(x, ", of one iteration of %s", LT_AT(struct lt_loop, t->loops, b->scope)->var);
		if (b->depth > 1)
			lt__text_format(x, ", %d in turn", (int)b->depth);
		if (b->swizzle)
			lt__text_format(x, ", swizzle of %d bytes", (int)b->swizzle);
		lt__text_add(x, "\n", 1);
	}
	for (uint32_t i = 0; i < t->divs.n; i++) {
		const struct lt_div *d = LT_AT(struct lt_div, t->divs, i);
		lt__text_format(x, "  div q%d = floor((", (int)i);
		show_row(x, t, d->row);
		lt__text_format(x, ") / %lld)\n", (long long)d->den);
	}
}

static int32_t depth_of(const struct lt_tree *t, int32_t loop)
{
	int32_t d = 0;
	for (; loop >= 0; loop = LT_AT(struct lt_loop, t->loops, loop)->parent)
		d++;
	return d;
}

/* "a[row + 256*m + k]": an operand of a call, by its dims. */
static void show_call_operand(
	struct lt_text *x, const struct lt_tree *t, const struct lt_call *c, const struct lt_call_operand *p)
{
	show_name(x, t, p->buffer);
	lt__text_add(x, "[", 1);
	size_t begin = x->n;
	show_row(x, t, p->row);
	bool zero = x->n == begin + 1 && x->at[begin] == '0';
	for (int32_t d = 0; d < c->n_dim; d++) {
		int64_t stride = t->strides[p->first_stride + d];
		if (!stride)
			continue;
		x->n = zero ? begin : x->n;
		lt__text_add(x, " + ", zero ? 0 : 3);
		if (stride != 1)
			lt__text_format(x, "%lld*", (long long)stride);
		lt__text_format(x, "%s", LT_AT(struct lt_call_dim, t->call_dims, c->first_dim + d)->var);
		zero = false;
	}
	lt__text_add(x, "]", 1);
}

/* " of x float 2x3, w float 3x4 into y float 2x4": what a kernel of one's own is handed. */
static void show_tensor(struct lt_text *x, const struct lt_tree *t, const struct lt_call *c, int32_t buffer,
	int32_t first_stride)
{
	const struct lt_buffer *b = LT_AT(struct lt_buffer, t->buffers, buffer);
	lt__text_format(x, "%s %s[", b->name, LT_AT(struct lt_type, t->types, b->type)->name);
	for (int32_t a = 0, n = 0; a < c->n_axis; a++)
		if (t->strides[first_stride + a])
			lt__text_format(x, "%s%lld", n++ ? ", " : "",
				(long long)LT_AT(struct lt_call_dim, t->call_dims, c->first_axis + a)->extent);
	lt__text_add(x, "]", 1);
}

static void show_own(struct lt_text *x, const struct lt_tree *t, const struct lt_call *c)
{
	for (int32_t k = 0; k < c->n_read; k++) {
		const struct lt_call_read *r = LT_AT(struct lt_call_read, t->call_reads, c->first_read + k);
		lt__text_format(x, "%s", k ? ", " : ": a kernel of one's own, of ");
		show_tensor(x, t, c, r->buffer, r->first_stride);
	}
	for (int32_t k = 0; k < c->n_result; k++) {
		const struct lt_call_result *r = LT_AT(struct lt_call_result, t->call_results, c->first_result + k);
		lt__text_format(x, "%s", k ? ", " : " into ");
		show_tensor(x, t, c, r->buffer, r->first_stride);
	}
}

/* "product of a[..] and b[..] into c[..], adds v[..], relu; row m 64, deep k 12": what a routine is handed. */
static void show_call(struct lt_text *x, const struct lt_tree *t, int32_t loop)
{
	static const char *const role[] = {
		[LT_DIM_BATCH] = "batch", [LT_DIM_ROW] = "row", [LT_DIM_COLUMN] = "column", [LT_DIM_DEEP] = "deep"
	};
	static const char *const epilogue[] = { "bias", "residual", "relu", "gelu", "gelu_tanh", "silu" };
	static const char *const word[] = { " into ", ": product of ", " and ", ", adds ", ", adds " };
	const struct lt_call *c = NULL;
	for (uint32_t i = 0; i < t->calls.n; i++)
		if (LT_AT(struct lt_call, t->calls, i)->loop == loop)
			c = LT_AT(struct lt_call, t->calls, i);
	if (c && c->source)
		show_own(x, t, c);
	if (!c || c->pattern == LT_PATTERN_NONE)
		return;
	for (int32_t o = 0; o < c->n_operand; o++) {
		int32_t which = o < 2 ? o + 1 : o == 2 ? 0 : o;
		const struct lt_call_operand *p = LT_AT(struct lt_call_operand, t->call_operands, c->first_operand + which);
		lt__text_format(x, "%s", word[which]);
		show_call_operand(x, t, c, p);
	}
	for (int i = 2; i < 6; i++)
		if (c->epilogues >> i & 1)
			lt__text_format(x, ", %s", epilogue[i]);
	for (int32_t d = 0; d < c->n_dim; d++) {
		const struct lt_call_dim *dim = LT_AT(struct lt_call_dim, t->call_dims, c->first_dim + d);
		lt__text_format(x, "%s%s %s %lld", d ? ", " : "; ", role[dim->role], dim->var, (long long)dim->extent);
		for (int32_t k = 0; k < dim->n_bound; k++) {
			lt__text_add(x, " at most ", 9);
			show_row(x, t, t->bounds[dim->first_bound + k]);
		}
	}
}

/* -- The description of a call: what it reads, each op, what it writes, what it is as a whole, a line each. */

/* "row + 2*y + i - 1" over the axes; the zero of one that has other terms is left out. */
static void show_place(struct lt_text *x, const struct lt_tree *t, const struct lt_call *c, int32_t row, int32_t stride)
{
	const int64_t *r = t->rows + (int64_t)row * t->n_column;
	bool first = true, constant = true;
	for (int32_t a = 0; a < c->n_axis; a++) {
		int64_t s = t->strides[stride + a];
		if (!s)
			continue;
		lt__text_format(x, "%s", first ? (s < 0 ? "-" : "") : s < 0 ? " - " : " + ");
		if (s != 1 && s != -1)
			lt__text_format(x, "%llu*", size_of(s));
		lt__text_format(x, "%s", LT_AT(struct lt_call_dim, t->call_dims, c->first_axis + a)->var);
		first = false;
	}
	for (int32_t i = 1; i < t->n_column; i++)
		constant = constant && !r[i];
	if (first) {
		show_row(x, t, row);
	} else if (!constant) {
		lt__text_add(x, " + ", 3);
		show_row(x, t, row);
	} else if (r[0]) {
		lt__text_format(x, " %c %llu", r[0] < 0 ? '-' : '+', size_of(r[0]));
	}
}

static void show_axes(struct lt_text *x, const struct lt_tree *t, const struct lt_call *c, uint64_t set)
{
	bool first = true;
	lt__text_add(x, "[", 1);
	for (int32_t a = 0; a < c->n_axis; a++)
		if (set >> a & 1) {
			lt__text_format(x, "%s%s", first ? "" : " ", LT_AT(struct lt_call_dim, t->call_dims, c->first_axis + a)->var);
			first = false;
		}
	lt__text_add(x, "]", 1);
}

static void show_bits(struct lt_text *x, uint64_t bits, uint32_t dtype)
{
	union lt_scalar v = lt__scalar_of(bits, dtype);
	if (lt__dtype_info(dtype)->cls == LT_CLASS_FLOAT)
		lt__text_format(x, "%.9g", v.f);
	else
		lt__text_format(x, "%s", lt__whole_text(v, dtype).text);
}

static void show_described_read(struct lt_text *x, const struct lt_tree *t, const struct lt_call *c, int32_t i)
{
	const struct lt_call_read *r = LT_AT(struct lt_call_read, t->call_reads, c->first_read + i);
	uint32_t dtype = LT_AT(struct lt_type, t->types, LT_AT(struct lt_buffer, t->buffers, r->buffer)->type)->dtype;
	lt__text_format(x, "r%d = ", (int)i);
	show_name(x, t, r->buffer);
	lt__text_add(x, "[", 1);
	show_place(x, t, c, r->row, r->first_stride);
	lt__text_add(x, "]", 1);
	for (int32_t g = 0; g < r->n_guard; g++) {
		const struct lt_call_guard *guard = LT_AT(struct lt_call_guard, t->call_guards, r->first_guard + g);
		lt__text_format(x, "%s", g ? ", " : " if ");
		show_place(x, t, c, guard->row, guard->first_stride);
		lt__text_add(x, " >= 0", 5);
	}
	if (r->n_guard) {
		lt__text_add(x, " else ", 6);
		show_bits(x, r->fill, dtype);
	}
}

static void show_described_op(struct lt_text *x, const struct lt_tree *t, const struct lt_call *c, int32_t i)
{
	const struct lt_call_op *o = LT_AT(struct lt_call_op, t->call_ops, c->first_op + i);
	const struct lt_op *op = LT_AT(struct lt_op, t->ops, o->op);
	lt__text_format(x, "o%d %s", (int)i, lt__dtype_info(op->out)->name);
	show_axes(x, t, c, o->axes & ~o->reduced);
	lt__text_format(x, " = %s", op->name);
	if (o->kind == LT_CALL_REDUCE) {
		lt__text_add(x, ".reduce", 7);
		show_axes(x, t, c, o->reduced);
	}
	for (int32_t v = 0; v < o->n_value; v++) {
		const struct lt_call_value *value = LT_AT(struct lt_call_value, t->call_values, o->first_value + v);
		lt__text_format(x, "%s", v ? ", " : " ");
		if (value->kind == LT_VALUE_OP || value->kind == LT_VALUE_READ)
			lt__text_format(x, "%c%d", value->kind == LT_VALUE_OP ? 'o' : 'r', (int)value->at);
		else if (value->kind == LT_VALUE_BITS)
			show_bits(x, value->bits, value->dtype);
		else
			show_place(x, t, c, value->row, value->first_stride);
	}
	if (o->may_skip)
		lt__text_add(x, ", may be left out", 17);
}

/* Whether one of its ops counts along the axis. */
static bool is_axis_of(const struct lt_tree *t, const struct lt_call *c, const struct lt_call_anchor *a, int32_t axis)
{
	for (int i = 0; i < 5; i++)
		if (a->op[i] >= 0 && LT_AT(struct lt_call_op, t->call_ops, c->first_op + a->op[i])->axes >> axis & 1)
			return true;
	return false;
}

static void show_anchor(
	struct lt_text *x, const struct lt_tree *t, const struct lt_call *c, const struct lt_call_anchor *a)
{
	static const char *const kind[] = { [LT_ANCHOR_PRODUCT] = "product", [LT_ANCHOR_CONVOLUTION] = "convolution",
		[LT_ANCHOR_ATTENTION] = "attention", [LT_ANCHOR_NORM] = "norm" };
	static const char *const role[] = { [LT_DIM_BATCH] = "batch", [LT_DIM_ROW] = "row", [LT_DIM_COLUMN] = "column",
		[LT_DIM_DEEP] = "deep", [LT_DIM_OTHER] = "other" };
	static const char *const scale[] = { "", ", scaled scores", ", scaled queries", ", scaled keys",
		", scaled at several places" };
	lt__text_format(x, "%s of", kind[a->kind]);
	for (int i = 0; i < 3 && (i == 0 || a->read[i] >= 0); i++)
		if (a->read[i] >= 0)
			lt__text_format(x, " r%d", (int)a->read[i]);
	lt__text_add(x, " by", 3);
	for (int i = 0; i < 5; i++)
		if (a->op[i] >= 0)
			lt__text_format(x, " o%d", (int)a->op[i]);
	const char *between = "; ";
	for (int32_t d = 0; d < c->n_axis; d++) {
		const struct lt_call_dim *dim = LT_AT(struct lt_call_dim, t->call_dims, c->first_axis + d);
		if (c->n_anchor > 1 && !is_axis_of(t, c, a, d))
			continue;
		lt__text_format(x, "%s%s %s", between, role[dim->role], dim->var);
		between = ", ";
	}
	for (int32_t i = 0; i < a->n_window; i++) {
		const struct lt_call_window *w = LT_AT(struct lt_call_window, t->call_windows, a->first_window + i);
		lt__text_format(x, "; window %s at %s, stride %lld, dilation %lld, borders %lld and %lld of %lld",
			w->window < 0 ? "1" : LT_AT(struct lt_call_dim, t->call_dims, c->first_axis + w->window)->var,
			w->out < 0 ? "1" : LT_AT(struct lt_call_dim, t->call_dims, c->first_axis + w->out)->var, (long long)w->stride,
			(long long)w->dilation, (long long)w->before, (long long)w->after, (long long)w->extent);
	}
	lt__text_format(x, "%s", scale[a->scale]);
	if (a->offset_row >= 0) {
		lt__text_add(x, ", keys up to the query + ", 25);
		show_row(x, t, a->offset_row);
	}
	if (a->length >= 0)
		lt__text_format(x, ", keys %s r%d", a->up_to ? "up to" : "less than", (int)a->length);
	if (a->scores == LT_SCORES_MASKED)
		lt__text_add(x, ", masked", 8);
	else if (a->mask >= 0)
		lt__text_format(x, ", masked by o%d", (int)a->mask);
}

static void show_description(struct lt_text *x, const struct lt_tree *t, int32_t loop, int32_t depth)
{
	const struct lt_call *c = NULL;
	for (uint32_t i = 0; i < t->calls.n; i++)
		if (LT_AT(struct lt_call, t->calls, i)->loop == loop)
			c = LT_AT(struct lt_call, t->calls, i);
	if (!c)
		return;
#define LINE() lt__text_format(x, "  %*s| ", 2 * (int)depth, "")
	if (c->undescribed) {
		LINE();
		lt__text_format(x, "%s\n", c->undescribed);
	}
	for (int32_t d = 0; d < c->n_axis; d++) {
		const struct lt_call_dim *dim = LT_AT(struct lt_call_dim, t->call_dims, c->first_axis + d);
		if (d == 0)
			LINE();
		lt__text_format(x, "%s%s %lld", d ? ", " : "axes ", dim->var, (long long)dim->extent);
		for (int32_t k = 0; k < dim->n_bound; k++) {
			lt__text_add(x, " at most ", 9);
			show_row(x, t, t->bounds[dim->first_bound + k]);
		}
		if (d == c->n_axis - 1)
			lt__text_add(x, "\n", 1);
	}
	for (int32_t i = 0; i < c->n_read; i++) {
		LINE();
		show_described_read(x, t, c, i);
		lt__text_add(x, "\n", 1);
	}
	for (int32_t i = 0; i < c->n_op; i++) {
		LINE();
		show_described_op(x, t, c, i);
		lt__text_add(x, "\n", 1);
	}
	for (int32_t i = 0; i < c->n_result; i++) {
		const struct lt_call_result *r = LT_AT(struct lt_call_result, t->call_results, c->first_result + i);
		LINE();
		show_name(x, t, r->buffer);
		lt__text_add(x, "[", 1);
		show_place(x, t, c, r->row, r->first_stride);
		lt__text_format(x, r->op < 0 ? "] = what it computes\n" : "] = o%d\n", (int)r->op);
	}
	for (int32_t i = 0; i < c->n_anchor; i++) {
		LINE();
		show_anchor(x, t, c, LT_AT(struct lt_call_anchor, t->call_anchors, c->anchor + i));
		lt__text_add(x, "\n", 1);
	}
#undef LINE
}

/* Loops that begin at statement s, outermost first, then the statement. */
static void show_loops_at(struct lt_text *x, const struct lt_tree *t, int32_t s)
{
	static const char *const kind[LT_NLOOP_KIND] = { "", ", parallel", ", vector", ", unroll", ", grid", ", block",
		"", "", ", tile", ", rank" };
	for (uint32_t i = 0; i < t->loops.n; i++) {
		const struct lt_loop *l = LT_AT(struct lt_loop, t->loops, i);
		if (l->first_stmt != s || l->n_stmt == 0)
			continue;
		lt__text_format(x, "  %*sfor %s, %lld iterations%s%s", 2 * (int)depth_of(t, l->parent), "", l->var,
			(long long)l->max_trip_count, kind[l->kind], l->tail == LT_MASK ? ", masked" : "");
		for (int32_t k = 0; k < l->n_bound; k++) {
			lt__text_format(x, k ? ", " : ", at most ");
			show_row(x, t, t->bounds[l->first_bound + k]);
		}
		if (l->base)
			lt__text_format(x, ", from %lld on", (long long)l->base);
		if (l->kind == LT_CALL || l->kind == LT_TILE) {
			lt__text_format(x, l->kind == LT_CALL ? ", call %s" : " %s", l->call);
			show_call(x, t, (int32_t)i);
		}
		lt__text_add(x, "\n", 1);
		if (l->kind == LT_CALL)
			show_description(x, t, (int32_t)i, depth_of(t, l->parent));
	}
}

void lt__show_frozen(struct lt_text *x, const struct lt_tree *t)
{
	static const char *const sign[] = {
		[LT_MAP] = "=", [LT_RESET] = "= identity of", [LT_REDUCE] = "op=", [LT_COMBINE] = "combine"
	};
	lt__text_format(x, "kernel %s\n", t->name);
	show_tables(x, t);
	for (uint32_t i = 0; i < t->stmts.n; i++) {
		const struct lt_stmt *s = LT_AT(struct lt_stmt, t->stmts, i);
		show_loops_at(x, t, (int32_t)i);
		lt__text_format(x, "  %*s", 2 * (int)depth_of(t, s->loop), "");
		if (s->kind >= LT_BARRIER) {
			if (s->kind == LT_WAIT)
				lt__text_format(x, "wait for all copies except those of %d group%s\n", (int)s->async, s->async == 1 ? "" : "s");
			else
				lt__text_format(x, s->kind == LT_COMMIT ? "commit\n" : "barrier\n");
			continue;
		}
		const struct lt_op *op = LT_AT(struct lt_op, t->ops, s->op);
		show_access(x, t, s->dest);
		lt__text_format(x, " %s %s", sign[s->kind], op->name);
		for (int32_t k = 0; k < s->n_operand && s->kind != LT_RESET; k++) {
			const struct lt_operand *o = LT_AT(struct lt_operand, t->operands, s->first_operand + k);
			lt__text_format(x, k ? ", " : " ");
			for (int32_t p = 0; p < o->n_piece; p++) {
				lt__text_format(x, "%s", p ? " else " : o->n_piece > 1 ? "{" : "");
				show_piece(x, t, LT_AT(struct lt_piece, t->pieces, o->first_piece + p), o->dtype);
			}
			lt__text_format(x, "%s", o->n_piece > 1 ? "}" : "");
		}
		show_guards(x, t, s->first_guard, s->n_guard);
		if (s->stream)
			lt__text_add(x, ", stream", 8);
		if (s->async)
			lt__text_add(x, ", async", 7);
		if (s->line > 0)
			lt__text_format(x, "  # %%%s, line %d", s->name, (int)s->line);
		lt__text_add(x, "\n", 1);
	}
}

struct loop_along { int64_t stride, trip_count; };
static int by_stride(const void *a, const void *b)
{
	unsigned long long x = size_of(((const struct loop_along *)a)->stride),
			   y = size_of(((const struct loop_along *)b)->stride);
	return (x > y) - (x < y);
}

/* Elements that a row touches while the given loops run; *exact: counted, else an upper bound. */
static int64_t touched(struct loop_along *along, int32_t n, bool *exact)
{
	int64_t count = 1, span = 1;
	bool dense = true;
	*exact = true;
	qsort(along, (size_t)n, sizeof *along, by_stride);
	for (int32_t i = 0; i < n; i++) {
		int64_t c = size_of(along[i].stride) > INT64_MAX ? INT64_MAX : (int64_t)size_of(along[i].stride),
			trip_count = along[i].trip_count;
		if (c == 0 || trip_count <= 1)
			continue;
		int64_t wider = lt__add_sat(span, lt__mul_sat(c, trip_count - 1));
		if (c >= span) {
			dense = dense && c == span;
			count = lt__mul_sat(count, trip_count);
		} else if (dense) {
			count = wider;          /* intervals that overlap */
		} else {
			*exact = false;
			count = lt__mul_sat(count, trip_count) < wider ? lt__mul_sat(count, trip_count) : wider;
		}
		span = wider;
	}
	return count;
}

/* Footprint of one access within one iteration of each loop around it, and in the whole kernel. */
static void show_footprints(struct lt_text *x, const struct lt_tree *t, const struct lt_access *a, int32_t loop)
{
	const int64_t *row = t->rows + (int64_t)a->row * t->n_column;
	const struct lt_buffer *b = LT_AT(struct lt_buffer, t->buffers, a->buffer);
	int64_t bytes = LT_AT(struct lt_type, t->types, b->type)->bytes;
	struct loop_along along[64];
	int32_t n = 0;
	bool divs = false, exact;
	for (int32_t i = 0; i < t->n_div; i++)
		divs = divs || row[1 + t->n_param + t->n_loop + i];
	for (int32_t at = loop; at >= 0 && n < 64; at = LT_AT(struct lt_loop, t->loops, at)->parent) {
		const struct lt_loop *l = LT_AT(struct lt_loop, t->loops, at);
		lt__text_format(x, "      %s: stride %lld, ", l->var, (long long)row[1 + t->n_param + at]);
		along[n++] = (struct loop_along){ row[1 + t->n_param + at], l->max_trip_count };
		struct loop_along copy[64];
		memcpy(copy, along, sizeof *along * (size_t)n);
		int64_t elems = touched(copy, n, &exact);
		if (divs || a->index >= 0 || elems > b->elems)
			elems = b->elems;
		lt__text_format(x, "all iterations touch %s%lld bytes\n", exact && !divs && a->index < 0 ? "" : "at most ",
			(long long)(elems * bytes));
	}
}

void lt__show_access(struct lt_text *x, const struct lt_tree *t)
{
	lt__text_format(x, "kernel %s\n", t->name);
	for (uint32_t i = 0; i < t->divs.n; i++) {
		const struct lt_div *d = LT_AT(struct lt_div, t->divs, i);
		lt__text_format(x, "  q%d = floor((", (int)i);
		show_row(x, t, d->row);
		lt__text_format(x, ") / %lld)\n", (long long)d->den);
	}
	for (uint32_t i = 0; i < t->stmts.n; i++) {
		const struct lt_stmt *s = LT_AT(struct lt_stmt, t->stmts, i);
		if (s->kind >= LT_BARRIER)      /* touches nothing itself */
			continue;
		lt__text_format(x, "  %%%s%s\n    writes ", s->name, s->kind == LT_RESET ? " (reset)" : "");
		show_access(x, t, s->dest);
		lt__text_add(x, "\n", 1);
		show_footprints(x, t, LT_AT(struct lt_access, t->accesses, s->dest), s->loop);
		for (int32_t k = 0; k < s->n_operand && s->kind != LT_RESET; k++) {
			const struct lt_operand *o = LT_AT(struct lt_operand, t->operands, s->first_operand + k);
			for (int32_t p = 0; p < o->n_piece; p++) {
				const struct lt_piece *piece = LT_AT(struct lt_piece, t->pieces, o->first_piece + p);
				lt__text_format(x, "    reads ");
				show_piece(x, t, piece, o->dtype);
				lt__text_add(x, "\n", 1);
				if (piece->kind == LT_READ)
					show_footprints(x, t, LT_AT(struct lt_access, t->accesses, piece->access), s->loop);
			}
		}
	}
}
