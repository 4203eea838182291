/* Writing a frozen tree out: dense rows, plain tables, bindings and the canonical text. */
#include <ctype.h>
#include <string.h>
#include "looptree/freeze.h"

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
	row[0] = r->constant - shift;
	for (int32_t i = 0; i < r->n; i++) {
		const struct lt_term *t = &r->term[i];
		int32_t column = t->kind == LT_TERM_PARAM ? 1 + t->at : t->kind == LT_TERM_LOOP ? 1 + w->tree->n_param + t->at
			: 1 + w->tree->n_param + w->tree->n_loop + w->div_at[t->at];
		row[column] += t->coef;
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

static int32_t type_of(struct lt_type *types, int32_t *n, enum lt_dtype t)
{
	for (int32_t i = 0; i < *n; i++)
		if (types[i].dtype == t)
			return i;
	const struct lt_dtypeinfo *info = lt__dtype_info(t);
	types[*n] = (struct lt_type){ info->name, info->ctype, t, info->bytes };
	return (*n)++;
}

static int32_t role_of(const struct lt_freezer *f, const struct lt_fbuffer *b)
{
	if (b->storage < 0)
		return LT_LOCAL;
	switch (f->layout->storage[b->storage].space) {
	case LT_SPACE_INPUT:    return LT_INPUT;
	case LT_SPACE_CONSTANT: return LT_CONSTANT;
	case LT_SPACE_STATE:    return LT_STATE;
	case LT_SPACE_RESULT:   return LT_OUTPUT;
	default:                return LT_WORKSPACE;
	}
}

/* Largest power of two, at most 64, that divides the byte offset of the slot in its storage. */
static int64_t align_of(int64_t bytes, int64_t element, bool whole_is_aligned)
{
	int64_t align = 64;
	while (align > element && (bytes % align || !whole_is_aligned))
		align /= 2;
	return align;
}

static void write_buffers(struct writer *w, struct lt_frozen *out, struct lt_type *types, int32_t *n_type)
{
	struct lt_freezer *f = w->f;
	struct lt_buffer *buffers = LT_NEW(f->a, struct lt_buffer, f->n_buffer + 1);
	out->bind = LT_NEW(f->a, struct lt_bind, f->n_buffer + 1);
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
			for (int times = (b->written ? 1 : 0) + (b->read ? 1 : 0); times > 0; times--)
				if (lt__add_overflow(out->bytes, b->elems * bytes, &out->bytes))
					out->bytes = INT64_MAX;
		}
		enum lt_space space = local ? LT_SPACE_WORKSPACE : f->layout->storage[b->storage].space;
		bool ours = space == LT_SPACE_WORKSPACE || space == LT_SPACE_PREPARED || space == LT_SPACE_STATE;
		buffers[i] = (struct lt_buffer){ .name = b->name, .type = type_of(types, n_type, b->dtype), .role = role_of(f, b),
			.scope = b->scope, .elems = b->elems, .align = local ? 64 : align_of(b->low * bytes, bytes, ours),
			.slot = b->slot, .written = b->written, .alias_of = -1, .depth = 1 };
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
	return l->max_trips < INT32_MAX ? (int32_t)l->max_trips : INT32_MAX;
}

static void write_loops(struct writer *w)
{
	struct lt_freezer *f = w->f;
	struct lt_loop *loops = LT_NEW(f->a, struct lt_loop, f->n_loop + 1);
	int32_t *bounds = LT_NEW(f->a, int32_t, f->n_bound + 1);
	for (int32_t i = 0; i < f->n_bound; i++)
		bounds[i] = write_row(w, &f->bound[i], 0);
	for (int32_t i = 0; i < f->n_loop; i++) {
		const struct lt_floop *l = &f->loop[i];
		const struct lt_tnodedef *d = &f->t->node[l->at];
		loops[i] = (struct lt_loop){ .parent = l->parent, .kind = (int32_t)l->kind, .kind_arg = arg_of(l, d), .tail = (int32_t)l->tail,
			.var = d->kind == LT_TGROUP ? "group" : primed(f->a, f->g->var[d->var].name, l->primes), .step = d->step, .max_trips = l->max_trips,
			.first_bound = l->first_bound, .n_bound = l->n_bound, .first_stmt = l->first_stmt, .n_stmt = l->n_stmt, .call = d->call,
			.base = l->base };
	}
	w->tree->loops = array_of(loops, f->n_loop, sizeof *loops);
	w->tree->bounds = bounds;
}

static void write_divs_params(struct writer *w)
{
	struct lt_freezer *f = w->f;
	struct lt_div *divs = LT_NEW(f->a, struct lt_div, f->n_div + 1);
	struct lt_tparam *params = LT_NEW(f->a, struct lt_tparam, f->n_param + 1);
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
	struct lt_access *accesses = LT_NEW(f->a, struct lt_access, f->n_access + 1);
	struct lt_piece *pieces = LT_NEW(f->a, struct lt_piece, f->n_piece + 1);
	int32_t *guards = LT_NEW(f->a, int32_t, f->n_guard + 1);
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
	w->tree->operands = array_of(copy_table(f->a, f->operand, f->n_operand, sizeof *f->operand),
		f->n_operand, sizeof *f->operand);
}

static void write_calls(struct writer *w, struct lt_frozen *out)
{
	struct lt_freezer *f = w->f;
	struct lt_call_dim *dims = LT_NEW(f->a, struct lt_call_dim, f->n_call_dim + 1);
	struct lt_call_operand *operands = LT_NEW(f->a, struct lt_call_operand, f->n_call_operand + 1);
	for (int32_t i = 0; i < f->n_call_dim; i++) {
		const struct lt_fcalldim *d = &f->call_dim[i];
		dims[i] = (struct lt_call_dim){ f->g->var[d->var].name, d->role, d->extent, d->first_bound, d->n_bound };
	}
	for (int32_t i = 0; i < f->n_call_operand; i++) {
		const struct lt_fcalloperand *o = &f->call_operand[i];
		const struct lt_fbuffer *b = &f->buffer[o->buffer];
		operands[i] = (struct lt_call_operand){ o->buffer, write_row(w, &o->row, b->storage < 0 ? 0 : b->low), o->first_stride };
	}
	w->tree->calls = array_of(copy_table(f->a, f->call, f->n_call, sizeof *f->call), f->n_call, sizeof *f->call);
	w->tree->call_dims = array_of(dims, f->n_call_dim, sizeof *dims);
	w->tree->call_operands = array_of(operands, f->n_call_operand, sizeof *operands);
	w->tree->strides = copy_table(f->a, f->stride, f->n_stride, sizeof *f->stride);
	out->call = copy_table(f->a, f->call_note, f->n_call, sizeof *f->call_note);
}

static int64_t runs_of(const struct lt_freezer *f, int32_t loop)
{
	int64_t runs = 1;
	for (; loop >= 0; loop = f->loop[loop].parent)
		if (lt__mul_overflow(runs, f->loop[loop].max_trips, &runs))
			return INT64_MAX / 4;
	return runs;
}

/* Whether what a statement computes has been counted: behind a loop, the lanes' sums become one. */
static bool adds_lanes(const struct lt_freezer *f, const struct lt_stmt *s)
{
	const struct lt_fpiece *p = &f->piece[f->operand[s->first_operand].first_piece];
	if (s->kind != LT_COMBINE || p->kind != LT_READ)
		return false;
	const struct lt_fbuffer *b = &f->buffer[f->access[p->access].buffer];
	return b->storage < 0 && b->node < 0;
}

static void print_row(struct lt_text *t, const struct lt_tree *tree, int32_t row)
{
	const int64_t *r = tree->rows + (int64_t)row * tree->n_column;
	lt__text_format(t, "(%lld", (long long)r[0]);
	for (int32_t i = 1; i < tree->n_column; i++)
		if (r[i])
			lt__text_format(t, " %d:%lld", (int)i, (long long)r[i]);
	lt__text_add(t, ")", 1);
}

/* Everything that changes the code, and nothing else: no names, no script lines. */
static void print_canonical(struct lt_text *t, const struct lt_tree *x)
{
	lt__text_format(t, "tree 1 needs %llx params %d loops %d divs %d slots %d\n", (unsigned long long)x->needs, (int)x->n_param,
		(int)x->n_loop, (int)x->n_div, (int)x->n_slot);
	for (uint32_t i = 0; i < x->params.n; i++) {
		const struct lt_tparam *p = LT_AT(struct lt_tparam, x->params, i);
		lt__text_format(t, "p %d %lld %lld %lld\n", (int)p->buffer, (long long)p->element, (long long)p->low, (long long)p->high);
	}
	for (uint32_t i = 0; i < x->divs.n; i++) {
		const struct lt_div *d = LT_AT(struct lt_div, x->divs, i);
		lt__text_format(t, "d %d /%lld ", (int)d->loop, (long long)d->den);
		print_row(t, x, d->row);
		lt__text_add(t, "\n", 1);
	}
	for (uint32_t i = 0; i < x->loops.n; i++) {
		const struct lt_loop *l = LT_AT(struct lt_loop, x->loops, i);
		lt__text_format(t, "l %d %d %d %lld %d %d", (int)l->parent, (int)l->kind, (int)l->kind_arg, (long long)l->max_trips,
			(int)l->first_stmt, (int)l->n_stmt);
		if (l->tail != LT_GUARD || l->call)
			lt__text_format(t, " t%d %s", (int)l->tail, l->call ? l->call : "");
		for (int32_t k = 0; k < l->n_bound; k++)
			print_row(t, x, x->bounds[l->first_bound + k]);
		lt__text_add(t, "\n", 1);
	}
	for (uint32_t i = 0; i < x->buffers.n; i++) {
		const struct lt_buffer *b = LT_AT(struct lt_buffer, x->buffers, i);
		lt__text_format(t, "b %s %d %d %lld %lld %d %d %d\n", LT_AT(struct lt_type, x->types, b->type)->name, (int)b->role,
			(int)b->scope, (long long)b->elems, (long long)b->align, (int)b->slot, (int)b->written, (int)b->alias_of);
	}
	for (uint32_t i = 0; i < x->stmts.n; i++) {
		const struct lt_stmt *s = LT_AT(struct lt_stmt, x->stmts, i);
		const struct lt_op *op = LT_AT(struct lt_op, x->ops, s->op);
		lt__text_format(t, "s %d %s:%u:%u:%u>%u @%d ^%d", (int)s->kind, op->name, op->in[0], op->in[1], op->in[2], op->out,
			(int)s->loop, (int)s->reducing);
		if (s->stream)
			lt__text_add(t, " stream", 7);
		for (int32_t q = 0; q < s->n_guard; q++) {
			lt__text_add(t, " ?", 2);
			print_row(t, x, x->guards[s->first_guard + q]);
		}
		for (int32_t k = -1; k < s->n_operand; k++) {
			const struct lt_operand *o = k < 0 ? NULL : LT_AT(struct lt_operand, x->operands, s->first_operand + k);
			for (int32_t p = 0; p < (o ? o->n_piece : 1); p++) {
				const struct lt_piece *piece = o ? LT_AT(struct lt_piece, x->pieces, o->first_piece + p) : NULL;
				lt__text_add(t, p ? " |" : " ,", 2);
				for (int32_t q = 0; piece && q < piece->n_guard; q++) {
					lt__text_add(t, "?", 1);
					print_row(t, x, x->guards[piece->first_guard + q]);
				}
				if (piece && piece->kind == LT_IMMEDIATE)
					lt__text_format(t, "#%llx", (unsigned long long)piece->bits);
				if (piece && piece->kind == LT_AFFINE)
					print_row(t, x, piece->row);
				int32_t at = piece ? piece->access : s->dest;
				for (; at >= 0; at = LT_AT(struct lt_access, x->accesses, at)->index) {
					const struct lt_access *a = LT_AT(struct lt_access, x->accesses, at);
					lt__text_format(t, "b%d", (int)a->buffer);
					print_row(t, x, a->row);
					if (a->index >= 0)
						lt__text_format(t, "~%lld*%lld~", (long long)a->index_extent, (long long)a->index_stride);
					for (int32_t q = 0; q < a->n_bound; q++)
						print_row(t, x, x->bounds[a->first_bound + q]);
				}
			}
		}
		lt__text_add(t, "\n", 1);
	}
}

/* What a routine is handed. */
static void print_calls(struct lt_text *t, const struct lt_tree *x)
{
	for (uint32_t i = 0; i < x->calls.n; i++) {
		const struct lt_call *c = LT_AT(struct lt_call, x->calls, i);
		lt__text_format(t, "c %d %d %x %u %d\n", (int)c->loop, (int)c->pattern, (unsigned)c->epilogues, (unsigned)c->sum, (int)c->stmt);
		for (int32_t d = 0; d < c->n_dim; d++) {
			const struct lt_call_dim *dim = LT_AT(struct lt_call_dim, x->call_dims, c->first_dim + d);
			lt__text_format(t, " %d %lld", (int)dim->role, (long long)dim->extent);
			for (int32_t k = 0; k < dim->n_bound; k++)
				print_row(t, x, x->bounds[dim->first_bound + k]);
		}
		for (int32_t o = 0; o < c->n_operand; o++) {
			const struct lt_call_operand *p = LT_AT(struct lt_call_operand, x->call_operands, c->first_operand + o);
			lt__text_format(t, " ,b%d", (int)p->buffer);
			print_row(t, x, p->row);
			for (int32_t d = 0; d < c->n_dim; d++)
				lt__text_format(t, " %lld", (long long)x->strides[p->first_stride + d]);
		}
		lt__text_add(t, "\n", 1);
	}
}

/* k<number>_<name of the last statement's node> as a C identifier. */
static const char *kernel_name(struct lt_freezer *f, int32_t number)
{
	char *name = lt__arena_format(f->a, "k%d_%s", (int)number, f->n_stmt ? f->stmt[f->n_stmt - 1].name : "");
	for (char *c = name; *c; c++)
		if (!isalnum((unsigned char)*c))
			*c = '_';
	return name;
}

lt_status lt__freeze_write(struct lt_freezer *f, lt_tnode root, int32_t number, struct lt_frozen *out)
{
	struct lt_tree *x = &out->tree;
	int32_t n_type = 0, most = f->n_bound + f->n_div + f->n_access + f->n_piece + f->n_guard + f->n_call_operand + 1;
	struct lt_type *types = LT_NEW(f->a, struct lt_type, LT_NDTYPE);
	int32_t *div_at = LT_NEW(f->a, int32_t, f->n_div + 1), n_div = number_divs(f, div_at);
	*x = (struct lt_tree){ .size = sizeof *x, .name = kernel_name(f, number), .needs = f->needs | (n_div ? (uint64_t)LT_NEED_DIVS : 0),
		.n_param = f->n_param, .n_loop = f->n_loop, .n_div = n_div, .n_column = 1 + f->n_param + f->n_loop + n_div };
	struct writer w = { .f = f, .tree = x, .div_at = div_at, .rows = LT_NEW(f->a, int64_t, (int64_t)most * x->n_column) };
	out->root = root;
	write_loops(&w);
	write_divs_params(&w);
	write_buffers(&w, out, types, &n_type);
	write_accesses(&w);
	write_calls(&w, out);
	x->types = array_of(types, n_type, sizeof *types);
	x->ops = array_of(copy_table(f->a, f->op, f->n_op, sizeof *f->op), f->n_op, sizeof *f->op);
	x->stmts = array_of(copy_table(f->a, f->stmt, f->n_stmt, sizeof *f->stmt), f->n_stmt, sizeof *f->stmt);
	x->rows = w.rows;
	x->n_row = w.n_row;
	out->node = copy_table(f->a, f->stmt_node, f->n_stmt, sizeof *f->stmt_node);
	for (int32_t i = 0; i < f->n_stmt; i++) {
		const struct lt_opinfo *op = lt__op_info(f->g->node[f->stmt_node[i]].op);
		if (f->stmt[i].kind != LT_RESET && !op->data && !op->any && !adds_lanes(f, &f->stmt[i]))
			if (lt__add_overflow(out->flops, runs_of(f, f->stmt[i].loop), &out->flops))
				out->flops = INT64_MAX;
	}
	struct lt_text text = { .arena = f->a };
	print_canonical(&text, x);
	print_calls(&text, x);
	x->text = text.at;
	return LT_OK;
}
