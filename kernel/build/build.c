/* build.c -- the program that grows, its parts, any instruction. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "kernel/build/build.h"

#define ROOM(b, array, n, cap) ((array) = lt__pool_grown(&(b)->pool, array, n, &(cap), sizeof *(array)))

const char *lt__build_string(struct lt_kernel_builder *b, const char *text)
{
	size_t n = strlen(text ? text : "");
	char *at = lt__pool_alloc(&b->pool, n + 1, 1);
	memcpy(at, text ? text : "", n);
	return at;
}

void lt__builder_begin(struct lt_kernel_builder *b)
{
	b->name = b->prelude = "";
	b->names.pool = &b->pool;
	b->origin = -1;
	(void)lt__build_region(b, LT_REGION_HOST, 0, -1);
}

void lt__builder_free(struct lt_kernel_builder *b) { lt__pool_free(&b->pool); }

/* A program and the memory that all of it is in. */
struct owned_kernel { struct lt_kernel kernel; struct lt_pool pool; };

/* Values and blocks are numbered through all regions. */
static void move(struct lt_instruction *i, int32_t by)
{
	for (int k = 0; k < 4; k++)
		i->operand[k] += i->operand[k] >= 0 ? by : 0;
	if (i->opcode == LT_OPCODE_loop || i->opcode == LT_OPCODE_if || i->opcode == LT_OPCODE_else
		|| i->opcode == LT_OPCODE_end)
		i->what += by;
}

struct lt_kernel *lt__builder_end(struct lt_kernel_builder *b)
{
	struct lt_region *regions = lt__pool_alloc(&b->pool, (size_t)b->n_region, sizeof *regions);
	struct owned_kernel *x = calloc(1, sizeof *x);
	int64_t n = 0;
	for (int32_t r = 0; r < b->n_region; r++)
		n += b->region[r].n;
	if (!x || n > INT32_MAX) {
		free(x);
		longjmp(b->pool.jump, 1);
	}
	struct lt_instruction *all = NULL;
	if (setjmp(x->pool.jump)) {             /* as the builder's, with the program freed */
		free(x);
		longjmp(b->pool.jump, 1);
	}
	x->pool.block = b->pool.block;
	all = lt__pool_alloc(&x->pool, (size_t)n + 1, sizeof *all);
	b->pool.block = NULL;
	n = 0;
	for (int32_t r = 0; r < b->n_region; r++) {
		const struct lt_region_builder *from = &b->region[r];
		regions[r] = from->region;
		regions[r].first = (int32_t)n;
		regions[r].n = from->n;
		for (int32_t i = 0; i < from->n; i++, n++) {
			all[n] = from->at[i];
			move(&all[n], regions[r].first);
			for (int32_t e = 0; lt__opcode_hands_over(all[n].opcode) && e < all[n].n_extra; e++)
				b->extra[all[n].first_extra + e] += regions[r].first;
		}
	}
	x->kernel = (struct lt_kernel){ .name = b->name, .prelude = b->prelude, .n_instruction = (uint32_t)n,
		.n_region = (uint32_t)b->n_region, .n_buffer = (uint32_t)b->n_buffer, .n_variable = (uint32_t)b->n_variable,
		.n_param = (uint32_t)b->n_param, .n_op = (uint32_t)b->n_op, .n_extra = (uint32_t)b->n_extra,
		.n_slot = (uint32_t)b->n_slot, .n_matrix = (uint32_t)b->n_matrix, .matrices = b->matrix,
		.n_call = (uint32_t)b->n_call, .calls = b->call,
		.instructions = all, .regions = regions, .buffers = b->buffer,
		.variables = b->variable, .params = b->param, .ops = b->op, .extras = b->extra,
		.workspace_bytes = b->workspace_bytes, .thread_bytes = b->thread_bytes };
	return &x->kernel;
}

void lt_kernel_free(struct lt_kernel *k)
{
	struct owned_kernel *x = (struct owned_kernel *)(void *)k;
	if (x)
		lt__pool_free(&x->pool);
	free(x);
}

void lt__build_written(struct lt_kernel_builder *b)
{
	for (int32_t i = 0; i < b->n_buffer; i++)
		b->buffer[i].written = 0;
	for (int32_t r = 0; r < b->n_region; r++)
		for (int32_t i = 0; i < b->region[r].n; i++) {
			const struct lt_instruction *x = &b->region[r].at[i];
			if (x->opcode == LT_OPCODE_store || x->opcode == LT_OPCODE_copy_async)
				b->buffer[x->what].written = 1;
			for (int32_t o = 0; x->opcode == LT_OPCODE_call && o < lt__call_n_written(&b->call[x->what]); o++)
				b->buffer[b->call[x->what].operands[o].buffer].written = 1;
		}
}

int32_t lt__build_region(struct lt_kernel_builder *b, enum lt_region_kind kind, int32_t n_argument, int32_t origin)
{
	ROOM(b, b->region, b->n_region, b->cap_region);
	b->region[b->n_region] = (struct lt_region_builder){
		.region = { .kind = kind, .n_argument = n_argument, .origin = origin } };
	b->now = b->n_region;
	return b->n_region++;
}

void lt__build_room(struct lt_kernel_builder *b, int32_t n)
{
	struct lt_region_builder *r = &b->region[b->now];
	if (r->n || n <= r->cap || n > INT32_MAX / 4)
		return;
	r->cap = n + n / 4;
	r->at = lt__pool_alloc(&b->pool, (size_t)r->cap, sizeof *r->at);
}

/* Of a name, what leaves room for a _ and a number. */
struct name_stem { char text[LT_MAX_NAME + 1 - 12]; };

/* Its letters, digits, _ and points: "%3" is n3. */
static struct name_stem name_stem(const char *wanted)
{
	struct name_stem stem;
	size_t n = 0;
	wanted += *wanted == '%';
	if (!*wanted || (*wanted >= '0' && *wanted <= '9'))
		stem.text[n++] = 'n';
	for (; *wanted && n < sizeof stem.text - 1; wanted++) {
		char c = *wanted;
		bool fits = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '.';
		stem.text[n] = (char)(fits && (n > 0 || c != '.') ? c : '_');
		n++;
	}
	stem.text[n] = '\0';
	return stem;
}

/* A name that no buffer or variable has: the one that is wanted, if it is one; a second one has a number, of all names
 * so far. */
static const char *name_for(struct lt_kernel_builder *b, const char *wanted)
{
	char name[LT_MAX_NAME + 1];
	wanted = wanted ? wanted : "";
	bool is_name = lt__kernel_is_name(wanted, strlen(wanted));
	const struct name_stem stem = name_stem(wanted);
	(void)snprintf(name, sizeof name, "%s", is_name ? wanted : stem.text);
	for (int32_t i = b->n_buffer + b->n_variable; lt__nameset_find(&b->names, name); i++)
		(void)snprintf(name, sizeof name, "%s_%d", stem.text, (int)i);
	const char *kept = lt__build_string(b, name);
	lt__nameset_add(&b->names, kept, 1);
	return kept;
}

int32_t lt__build_buffer(struct lt_kernel_builder *b, const struct lt_kernel_buffer *buffer)
{
	const char *name = name_for(b, buffer->name);
	ROOM(b, b->buffer, b->n_buffer, b->cap_buffer);
	b->buffer[b->n_buffer] = *buffer;
	b->buffer[b->n_buffer].name = name;
	return b->n_buffer++;
}

int32_t lt__build_variable(struct lt_kernel_builder *b, const char *name, uint32_t dtype, uint32_t lanes)
{
	name = name_for(b, name);
	ROOM(b, b->variable, b->n_variable, b->cap_variable);
	b->variable[b->n_variable] = (struct lt_variable){ name, dtype, lanes };
	return b->n_variable++;
}

int32_t lt__build_param(struct lt_kernel_builder *b, const struct lt_kernel_param *p)
{
	ROOM(b, b->param, b->n_param, b->cap_param);
	b->param[b->n_param] = *p;
	b->param[b->n_param].name = lt__build_string(b, p->name);
	return b->n_param++;
}

int32_t lt__build_matrix(struct lt_kernel_builder *b, const struct lt_kernel_matrix *m)
{
	const char *name = name_for(b, m->name);
	ROOM(b, b->matrix, b->n_matrix, b->cap_matrix);
	b->matrix[b->n_matrix] = *m;
	b->matrix[b->n_matrix].name = name;
	return b->n_matrix++;
}

int32_t lt__build_op(struct lt_kernel_builder *b, const struct lt_op *op)
{
	ROOM(b, b->op, b->n_op, b->cap_op);
	b->op[b->n_op] = *op;
	b->op[b->n_op].name = lt__build_string(b, op->name);
	b->op[b->n_op].source = op->source ? lt__build_string(b, op->source) : NULL;
	return b->n_op++;
}

static const int64_t *copy_strides(struct lt_kernel_builder *b, const int64_t *from, int32_t n)
{
	int64_t *to = lt__pool_alloc(&b->pool, (size_t)n + 1, sizeof *to);
	if (n > 0)
		memcpy(to, from, (size_t)n * sizeof *to);
	return to;
}

static const struct lt_kernel_call_op *copy_ops(struct lt_kernel_builder *b, const struct lt_kernel_call *c)
{
	struct lt_kernel_call_op *op = lt__pool_alloc(&b->pool, (size_t)c->n_op + 1, sizeof *op);
	for (int32_t i = 0; i < c->n_op; i++) {
		struct lt_kernel_call_value *value = lt__pool_alloc(&b->pool, (size_t)c->ops[i].n_value + 1, sizeof *value);
		for (int32_t v = 0; v < c->ops[i].n_value; v++) {
			value[v] = c->ops[i].values[v];
			if (value[v].kind == LT_VALUE_PLACE)
				value[v].strides = copy_strides(b, value[v].strides, c->n_dim);
		}
		op[i] = c->ops[i];
		op[i].values = value;
	}
	return op;
}

int32_t lt__build_call(struct lt_kernel_builder *b, const struct lt_kernel_call *c)
{
	struct lt_kernel_call_dim *dim = lt__pool_alloc(&b->pool, (size_t)c->n_dim + 1, sizeof *dim);
	struct lt_kernel_call_operand *operand = lt__pool_alloc(&b->pool, (size_t)c->n_operand + 1, sizeof *operand);
	for (int32_t d = 0; d < c->n_dim; d++) {
		dim[d] = c->dims[d];
		dim[d].var = lt__build_string(b, c->dims[d].var);
	}
	for (int32_t o = 0; o < c->n_operand; o++) {
		operand[o] = c->operands[o];
		operand[o].strides = copy_strides(b, c->operands[o].strides, c->n_dim);
		operand[o].guards = copy_strides(b, c->operands[o].guards, c->operands[o].n_guard * c->n_dim);
	}
	ROOM(b, b->call, b->n_call, b->cap_call);
	b->call[b->n_call] = *c;
	b->call[b->n_call].routine = lt__build_string(b, c->routine);
	b->call[b->n_call].dims = dim;
	b->call[b->n_call].operands = operand;
	b->call[b->n_call].ops = copy_ops(b, c);
	return b->n_call++;
}

int32_t lt__build_extras(struct lt_kernel_builder *b, const int64_t *from, int32_t n)
{
	int32_t first = b->n_extra;
	for (int32_t i = 0; i < n; i++) {
		ROOM(b, b->extra, b->n_extra, b->cap_extra);
		b->extra[b->n_extra++] = from[i];
	}
	return first;
}

static void open_block(struct lt_kernel_builder *b, struct lt_region_builder *r, int32_t at)
{
	ROOM(b, r->open, r->n_open, r->cap_open);
	r->open[r->n_open++] = at;
}

int32_t lt__build(struct lt_kernel_builder *b, struct lt_instruction i)
{
	struct lt_region_builder *r = &b->region[b->now];
	int32_t at = r->n;
	ROOM(b, r->at, r->n, r->cap);
	switch (i.opcode) {
	case LT_OPCODE_loop:
	case LT_OPCODE_if: open_block(b, r, at); break;
	case LT_OPCODE_else:
		r->at[r->open[r->n_open - 1]].what = at;
		r->open[r->n_open - 1] = at;
		break;
	case LT_OPCODE_end:
		i.what = r->open[--r->n_open];
		r->at[i.what].what = at;
		break;
	default: break;
	}
	r->at[r->n] = i;
	if (i.opcode == LT_OPCODE_const)
		r->at[r->n].number = (int64_t)lt__constant_bits(i.dtype, i.lanes, (uint64_t)i.number);
	return r->n++;
}

const struct lt_instruction *lt__build_at(const struct lt_kernel_builder *b, int32_t value)
{
	return &b->region[b->now].at[value];
}
