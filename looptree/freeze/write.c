/* Writing a frozen tree out: dense rows, plain tables, bindings. */
#include <ctype.h>
#include <string.h>
#include "looptree/freeze/parts.h"

/* Sizes of the tables being written. */
struct writer {
	struct lt_freezer *f;
	struct lt_tree *tree;
	int64_t *rows;
	int32_t n_row, cap_row;
	int32_t *div_at;                /* by div: its number, -1: no row uses it */
};

static int32_t write_row(struct writer *w, const struct lt_row *r, int64_t shift)
{
	int32_t n = w->tree->n_column;
	int64_t *row = w->rows + (int64_t)w->n_row * n;
	w->f->overflow |= __builtin_sub_overflow(r->constant, shift, &row[0]);
	for (int32_t i = 0; i < r->n; i++) {
		const struct lt_term *t = &r->term[i];
		int32_t column = t->kind == LT_TERM_PARAM ? 1 + t->at : t->kind == LT_TERM_LOOP ? 1 + w->tree->n_param + t->at
			: 1 + w->tree->n_param + w->tree->n_loop + w->div_at[t->at];
		w->f->overflow |= lt__add_overflow(row[column], t->coef, &row[column]);
	}
	for (int32_t k = w->n_row - 1; k >= 0 && k >= w->n_row - 64; k--)      /* equal neighbours share a row */
		if (!memcmp(w->rows + (int64_t)k * n, row, sizeof *row * (size_t)n)) {
			memset(row, 0, sizeof *row * (size_t)n);
			return k;
		}
	return w->n_row++;
}

static void use_divs(const struct lt_row *r, int32_t *div_at)
{
	for (int32_t i = 0; i < r->n; i++)
		if (r->term[i].kind == LT_TERM_DIV && r->term[i].coef)
			div_at[r->term[i].at] = 0;
}

/* Numbers the divs that are used: two that cancel out, as of a reshape that only flattens, are not. */
static int32_t number_divs(const struct lt_freezer *f, int32_t *div_at)
{
	int32_t n = 0;
	for (int32_t i = 0; i < f->n_div; i++)
		div_at[i] = -1;
	for (int32_t i = 0; i < f->n_bound; i++)
		use_divs(&f->bound[i], div_at);
	for (int32_t i = 0; i < f->n_guard; i++)
		use_divs(&f->guard[i], div_at);
	for (int32_t i = 0; i < f->n_access; i++)
		use_divs(&f->access[i].row, div_at);
	for (int32_t i = 0; i < f->n_piece; i++)
		use_divs(&f->piece[i].row, div_at);
	for (int32_t i = 0; i < f->n_call_operand; i++)
		use_divs(&f->call_operand[i].row, div_at);
	for (int32_t i = 0; i < f->n_call_read; i++)
		use_divs(&f->call_read[i].at.row, div_at);
	for (int32_t i = 0; i < f->n_call_guard; i++)
		use_divs(&f->call_guard[i].row, div_at);
	for (int32_t i = 0; i < f->n_call_value; i++)
		use_divs(&f->call_value[i].place.row, div_at);
	for (int32_t i = 0; i < f->n_call_result; i++)
		use_divs(&f->call_result[i].at.row, div_at);
	for (int32_t i = 0; i < f->n_call_anchor; i++)
		use_divs(&f->call_anchor[i].offset, div_at);
	for (int32_t i = f->n_div - 1; i >= 0; i--)     /* each uses earlier ones */
		if (div_at[i] >= 0)
			use_divs(&f->div[i].row, div_at);
	for (int32_t i = 0; i < f->n_div; i++)
		div_at[i] = div_at[i] < 0 ? -1 : n++;
	return n;
}

static struct lt_array array_of(const void *at, int32_t n, size_t stride)
{
	return (struct lt_array){ at, (uint32_t)n, (uint32_t)stride };
}

static void *copy_table(struct lt_arena *a, const void *at, int32_t n, size_t size)
{
	return n > 0 ? lt__arena_copy(a, at, size * (size_t)n) : lt__arena_alloc(a, size);
}

static int32_t frozen_type(struct lt_type *types, int32_t *n, enum lt_dtype t)
{
	for (int32_t i = 0; i < *n; i++)
		if (types[i].dtype == t)
			return i;
	const struct lt_dtypeinfo *info = lt__dtype_info(t);
	types[*n] = (struct lt_type){ info->name, info->ctype, t, info->bytes };
	return (*n)++;
}

int64_t lt__slot_align(int64_t bytes, int64_t element, bool whole_is_aligned)
{
	int64_t align = 64;
	while (align > element && (bytes % align || !whole_is_aligned))
		align /= 2;
	return align;
}

static void write_buffers(struct writer *w, struct lt_frozen *out, struct lt_type *types, int32_t *n_type)
{
	struct lt_freezer *f = w->f;
	struct lt_buffer *buffers = LT_NEW(f->keep, struct lt_buffer, f->n_buffer + 1);
	out->bind = LT_NEW(f->keep, struct lt_bind, f->n_buffer + 1);
	for (int32_t i = 0; i < f->n_buffer; i++) {
		struct lt_fbuffer *b = &f->buffer[i];
		bool local = b->storage < 0;
		int64_t bytes = lt__dtype_info(b->dtype)->bytes;
		if (!local) {
			if (b->high < b->low)   /* never reached */
				b->low = b->high = 0;
			b->elems = b->high - b->low + 1;
			b->slot = out->n_bind;
			out->bind[out->n_bind++] = (struct lt_bind){ b->storage, b->low, b->elems, b->written, b->read };
		}
		const struct lt_fstorage *s = local ? NULL : &f->memory->storage[b->storage];
		buffers[i] = (struct lt_buffer){ .name = b->name,
			.type = frozen_type(types, n_type, b->dtype),
			.role = local ? LT_LOCAL : s->role,
			.scope = b->scope,
			.elems = b->elems,
			.align = local ? 64 : lt__slot_align(b->low * bytes, bytes, s->aligned),
			.slot = b->slot,
			.written = b->written,
			.alias_of = -1,
			.depth = local && b->node >= 0 ? lt__copy_depth(f->t, b->node) : 1,
			.swizzle = local && b->node >= 0 && f->t->layout[b->node] ? f->t->layout[b->node]->swizzle : 0 };
	}
	w->tree->buffers = array_of(buffers, f->n_buffer, sizeof *buffers);
	w->tree->n_slot = out->n_bind;
}

static const char *primed(struct lt_arena *a, const char *name, int32_t primes)
{
	char *text = lt__arena_alloc(a, strlen(name) + (size_t)primes + 1);
	strcpy(text, name);
	memset(text + strlen(name), '\'', (size_t)primes);
	return text;
}

/* The number of lanes; the axis. */
static int32_t arg_of(const struct lt_floop *l, const struct lt_tnodedef *d)
{
	if (l->kind != LT_VECTOR)
		return l->kind == d->loop ? d->arg : 0;
	return l->max_trip_count < INT32_MAX ? (int32_t)l->max_trip_count : INT32_MAX;
}

static void write_loops(struct writer *w, struct lt_frozen *out)
{
	struct lt_freezer *f = w->f;
	struct lt_loop *loops = LT_NEW(f->keep, struct lt_loop, f->n_loop + 1);
	struct lt_loopline *line = LT_NEW(f->keep, struct lt_loopline, f->n_loop + 1);
	int32_t *bounds = LT_NEW(f->keep, int32_t, f->n_bound + 1);
	for (int32_t i = 0; i < f->n_bound; i++)
		bounds[i] = write_row(w, &f->bound[i], 0);
	for (int32_t i = 0; i < f->n_loop; i++) {
		const struct lt_floop *l = &f->loop[i];
		const struct lt_tnodedef *d = &f->t->node[l->at];
		loops[i] = (struct lt_loop){ .parent = l->parent,
			.kind = (int32_t)l->kind,
			.kind_arg = arg_of(l, d),
			.tail = (int32_t)l->tail,
			.var = d->kind == LT_TGROUP ? "group" : primed(f->keep, f->g->var[d->var].name, l->primes),
			.step = d->step,
			.max_trip_count = l->max_trip_count,
			.first_bound = l->first_bound,
			.n_bound = l->n_bound,
			.first_stmt = l->first_stmt,
			.n_stmt = l->n_stmt,
			.call = d->call,
			.base = l->base };
		line[i] = l->line;
	}
	out->line = line;
	w->tree->loops = array_of(loops, f->n_loop, sizeof *loops);
	w->tree->bounds = bounds;
}

static void write_divs_params(struct writer *w)
{
	struct lt_freezer *f = w->f;
	struct lt_div *divs = LT_NEW(f->keep, struct lt_div, f->n_div + 1);
	struct lt_tparam *params = LT_NEW(f->keep, struct lt_tparam, f->n_param + 1);
	for (int32_t i = 0; i < f->n_div; i++)
		if (w->div_at[i] >= 0)
			divs[w->div_at[i]] = (struct lt_div){ write_row(w, &f->div[i].row, 0), f->div[i].loop, f->div[i].den };
	for (int32_t i = 0; i < f->n_param; i++) {
		const struct lt_paramdef *p = &f->g->param[f->param[i]];
		params[i] = (struct lt_tparam){ p->name, f->param_buffer[i], 0, p->low, p->high };
	}
	w->tree->divs = array_of(divs, w->tree->n_div, sizeof *divs);
	w->tree->params = array_of(params, f->n_param, sizeof *params);
}

static void write_accesses(struct writer *w)
{
	struct lt_freezer *f = w->f;
	struct lt_access *accesses = LT_NEW(f->keep, struct lt_access, f->n_access + 1);
	struct lt_piece *pieces = LT_NEW(f->keep, struct lt_piece, f->n_piece + 1);
	int32_t *guards = LT_NEW(f->keep, int32_t, f->n_guard + 1);
	for (int32_t i = 0; i < f->n_access; i++) {
		const struct lt_faccess *a = &f->access[i];
		const struct lt_fbuffer *b = &f->buffer[a->buffer];
		accesses[i] = (struct lt_access){ a->buffer, write_row(w, &a->row, b->storage < 0 ? 0 : b->low), a->index,
			a->index_extent, a->index_stride, a->first_bound, a->n_bound };
	}
	for (int32_t i = 0; i < f->n_piece; i++) {
		const struct lt_fpiece *p = &f->piece[i];
		pieces[i] = (struct lt_piece){ p->kind, p->access, p->kind == LT_AFFINE ? write_row(w, &p->row, 0) : -1,
			p->first_guard, p->n_guard, p->kind == LT_IMMEDIATE ? p->bits : 0 };
	}
	for (int32_t i = 0; i < f->n_guard; i++)
		guards[i] = write_row(w, &f->guard[i], 0);
	w->tree->accesses = array_of(accesses, f->n_access, sizeof *accesses);
	w->tree->pieces = array_of(pieces, f->n_piece, sizeof *pieces);
	w->tree->guards = guards;
	w->tree->operands = array_of(copy_table(f->keep, f->operand, f->n_operand, sizeof *f->operand),
		f->n_operand, sizeof *f->operand);
}

/* Of a digit that counts 16 of c: c_16; of two that would be called the same, the later one has more. */
static const char *dim_name(const struct lt_freezer *f, const struct lt_call_dim *before, int32_t i)
{
	const struct lt_fcalldim *d = &f->call_dim[i], *of;
	const char *name = f->g->var[d->var].name;
	if (d->place == 1 && !d->again)
		return name;
	if (d->place != 1)
		name = lt__arena_format(f->keep, "%s_%lld", name, (long long)d->place);
	for (int32_t k = 0; k < d->again; k++)
		name = lt__arena_format(f->keep, "%s_", name);
	for (bool taken = true; taken;) {
		taken = false;
		for (lt_var v = 0; v < f->g->n_var && !taken; v++)
			taken = !strcmp(f->g->var[v].name, name);
		for (int32_t k = 0; k < i && !taken; k++) {
			of = &f->call_dim[k];
			taken = !strcmp(before[k].var, name) && (of->var != d->var || of->place != d->place || of->again != d->again);
		}
		if (taken)
			name = lt__arena_format(f->keep, "%s_", name);
	}
	return name;
}

static void write_calls(struct writer *w, struct lt_frozen *out)
{
	struct lt_freezer *f = w->f;
	struct lt_call_dim *dims = LT_NEW(f->keep, struct lt_call_dim, f->n_call_dim + 1);
	struct lt_call_operand *operands = LT_NEW(f->keep, struct lt_call_operand, f->n_call_operand + 1);
	for (int32_t i = 0; i < f->n_call_dim; i++) {
		const struct lt_fcalldim *d = &f->call_dim[i];
		dims[i] = (struct lt_call_dim){ dim_name(f, dims, i), d->role, d->extent, d->first_bound, d->n_bound };
	}
	for (int32_t i = 0; i < f->n_call_operand; i++) {
		const struct lt_fcalloperand *o = &f->call_operand[i];
		const struct lt_fbuffer *b = &f->buffer[o->buffer];
		operands[i] = (struct lt_call_operand){ o->buffer, write_row(w, &o->row, b->storage < 0 ? 0 : b->low),
			o->first_stride };
	}
	w->tree->calls = array_of(copy_table(f->keep, f->call, f->n_call, sizeof *f->call), f->n_call, sizeof *f->call);
	w->tree->call_dims = array_of(dims, f->n_call_dim, sizeof *dims);
	w->tree->call_operands = array_of(operands, f->n_call_operand, sizeof *operands);
	w->tree->strides = copy_table(f->keep, f->stride, f->n_stride, sizeof *f->stride);
	out->call = copy_table(f->keep, f->call_report, f->n_call, sizeof *f->call_report);
}

static int64_t base_of(const struct lt_freezer *f, int32_t buffer)
{
	return f->buffer[buffer].storage < 0 ? 0 : f->buffer[buffer].low;
}

static void write_reads(struct writer *w)
{
	struct lt_freezer *f = w->f;
	struct lt_call_read *reads = LT_NEW(f->keep, struct lt_call_read, f->n_call_read + 1);
	struct lt_call_guard *guards = LT_NEW(f->keep, struct lt_call_guard, f->n_call_guard + 1);
	struct lt_call_value *values = LT_NEW(f->keep, struct lt_call_value, f->n_call_value + 1);
	for (int32_t i = 0; i < f->n_call_read; i++) {
		const struct lt_fcallread *r = &f->call_read[i];
		reads[i] = (struct lt_call_read){ r->buffer, write_row(w, &r->at.row, base_of(f, r->buffer)), r->at.first_stride,
			r->first_guard, r->n_guard, 0, r->fill };
	}
	for (int32_t i = 0; i < f->n_call_guard; i++)
		guards[i] = (struct lt_call_guard){ write_row(w, &f->call_guard[i].row, 0), f->call_guard[i].first_stride };
	for (int32_t i = 0; i < f->n_call_value; i++) {
		const struct lt_fcallvalue *v = &f->call_value[i];
		bool place = v->kind == LT_VALUE_PLACE;
		values[i] = (struct lt_call_value){ v->kind, v->dtype, v->at, place ? write_row(w, &v->place.row, 0) : -1,
			place ? v->place.first_stride : -1, 0, v->bits };
	}
	w->tree->call_reads = array_of(reads, f->n_call_read, sizeof *reads);
	w->tree->call_guards = array_of(guards, f->n_call_guard, sizeof *guards);
	w->tree->call_values = array_of(values, f->n_call_value, sizeof *values);
}

static void write_descriptions(struct writer *w)
{
	struct lt_freezer *f = w->f;
	struct lt_call_result *results = LT_NEW(f->keep, struct lt_call_result, f->n_call_result + 1);
	struct lt_call_anchor *anchors = LT_NEW(f->keep, struct lt_call_anchor, f->n_call_anchor + 1);
	write_reads(w);
	for (int32_t i = 0; i < f->n_call_result; i++) {
		const struct lt_fcallresult *r = &f->call_result[i];
		results[i] = (struct lt_call_result){ r->op, r->buffer, write_row(w, &r->at.row, base_of(f, r->buffer)),
			r->at.first_stride };
	}
	for (int32_t i = 0; i < f->n_call_anchor; i++) {
		anchors[i] = f->call_anchor[i].is;
		if (anchors[i].offset_row >= 0)
			anchors[i].offset_row = write_row(w, &f->call_anchor[i].offset, 0);
	}
	w->tree->call_results = array_of(results, f->n_call_result, sizeof *results);
	w->tree->call_anchors = array_of(anchors, f->n_call_anchor, sizeof *anchors);
	w->tree->call_ops = array_of(copy_table(f->keep, f->call_op, f->n_call_op, sizeof *f->call_op), f->n_call_op,
		sizeof *f->call_op);
	w->tree->call_windows = array_of(copy_table(f->keep, f->call_window, f->n_call_window, sizeof *f->call_window),
		f->n_call_window, sizeof *f->call_window);
}

/* k<number>_<name of the last statement's node> as a C identifier. */
static const char *kernel_name(struct lt_freezer *f, int32_t number)
{
	char *name = lt__arena_format(f->keep, "k%d_%s", (int)number, f->n_stmt ? f->stmt[f->n_stmt - 1].name : "");
	for (char *c = name; *c; c++)
		if (!isalnum((unsigned char)*c))
			*c = '_';
	return name;
}

/* The least and the greatest sum of some of the row's terms, and its own ends; false: more than 63 bits. */
static bool row_fits(
	const int64_t *row, int32_t n, const int64_t *low, const int64_t *high, int64_t *min, int64_t *max)
{
	int64_t down = 0, up = 0;
	*min = *max = 0;
	for (int32_t i = 0; i < n; i++) {
		int64_t a, b;
		if (!row[i])
			continue;
		if (row[i] == INT64_MIN || lt__mul_overflow(row[i], row[i] < 0 ? high[i] : low[i], &a)
			|| lt__mul_overflow(row[i], row[i] < 0 ? low[i] : high[i], &b)
			|| lt__add_overflow(down, a < 0 ? a : 0, &down) || lt__add_overflow(up, b > 0 ? b : 0, &up)
			|| down == INT64_MIN)
			return false;
		*min += a;
		*max += b;
	}
	return true;
}

/* Whether every row, and every sum of some of its terms, has 63 bits wherever the loops are within their trips: what
 * computes with rows needs no check.  The graph's own are of 62, so that steps that do not divide find room. */
static bool rows_fit(struct lt_freezer *f, const struct lt_tree *x)
{
	int64_t *low = LT_NEW(f->a, int64_t, 2 * (int64_t)x->n_column), *high = low + x->n_column, min, max;
	int32_t first_div = 1 + x->n_param + x->n_loop;
	low[0] = high[0] = 1;
	for (int32_t i = 0; i < x->n_param; i++) {
		low[1 + i] = LT_AT(struct lt_tparam, x->params, i)->low;
		high[1 + i] = LT_AT(struct lt_tparam, x->params, i)->high;
	}
	for (int32_t i = 0; i < x->n_loop; i++)
		high[1 + x->n_param + i] = LT_AT(struct lt_loop, x->loops, i)->max_trip_count - 1;
	for (int32_t i = 0; i < x->n_div; i++) {
		const struct lt_div *d = LT_AT(struct lt_div, x->divs, i);
		if (!row_fits(x->rows + (int64_t)d->row * x->n_column, first_div + i, low, high, &min, &max))
			return false;
		low[first_div + i] = lt__floor_div(min, d->den);
		high[first_div + i] = lt__floor_div(max, d->den);
	}
	for (int32_t i = 0; i < x->n_row; i++)
		if (!row_fits(x->rows + (int64_t)i * x->n_column, x->n_column, low, high, &min, &max))
			return false;
	return true;
}

lt_status lt__freeze_write(struct lt_freezer *f, lt_tnode root, int32_t number, struct lt_frozen *out)
{
	struct lt_tree *x = &out->tree;
	int32_t n_type = 0, max = f->n_bound + f->n_div + f->n_access + f->n_piece + f->n_guard
		+ f->n_call_operand + f->n_call_read + f->n_call_guard + f->n_call_value + f->n_call_result + f->n_call_anchor + 1;
	struct lt_type *types = LT_NEW(f->keep, struct lt_type, LT_NDTYPE);
	int32_t *div_at = LT_NEW(f->a, int32_t, f->n_div + 1), n_div = number_divs(f, div_at);
	*x = (struct lt_tree){ .size = sizeof *x,
		.name = kernel_name(f, number),
		.needs = f->needs | (n_div ? (uint64_t)LT_NEED_DIVS : 0),
		.n_param = f->n_param,
		.n_loop = f->n_loop,
		.n_div = n_div,
		.n_column = 1 + f->n_param + f->n_loop + n_div };
	struct writer w = { .f = f, .tree = x, .div_at = div_at, .rows = LT_NEW(f->a, int64_t, (int64_t)max * x->n_column) };
	out->root = root;
	write_loops(&w, out);
	write_divs_params(&w);
	write_buffers(&w, out, types, &n_type);
	write_accesses(&w);
	write_calls(&w, out);
	write_descriptions(&w);
	x->types = array_of(types, n_type, sizeof *types);
	x->ops = array_of(copy_table(f->keep, f->op, f->n_op, sizeof *f->op), f->n_op, sizeof *f->op);
	x->stmts = array_of(copy_table(f->keep, f->stmt, f->n_stmt, sizeof *f->stmt), f->n_stmt, sizeof *f->stmt);
	x->rows = copy_table(f->keep, w.rows, w.n_row * x->n_column, sizeof *w.rows);
	x->n_row = w.n_row;
	if (f->overflow || !rows_fit(f, x))
		return lt__tree_fail(f->t, root, LT_EOVERFLOW,
			"an index of the nest that computes %%%s exceeds 63 bits; choose smaller steps, or smaller "
			"factors in its views",
			f->n_stmt ? f->stmt[f->n_stmt - 1].name : "?");
	out->node = copy_table(f->keep, f->stmt_node, f->n_stmt, sizeof *f->stmt_node);
	struct lt_text text = { .arena = f->keep };
	lt__tree_canonical(&text, x);
	x->text = text.at;
	return LT_OK;
}
