/* print.c -- a kernel program as a module of WebAssembly: a function for each region, the host's exported as `kernel`.
 *
 *   kernel(slots, workspace, fault)                         addresses of the slots, the workspace, the fault record
 *   team N(slots, workspace, fault, params ..., arguments ..., first, last)
 *
 * A launch calls its team once, for all points: there is one thread.  Arrays are a part of the workspace.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "backends/wasm/print.h"

enum { CHUNK = 16 };
#define C (&p->code)

static uint32_t variable_width(const struct wasm_print *p, int32_t variable)
{
	const uint32_t dtype = p->k->variables[variable].dtype;
	return dtype == LT_LANE_MASK ? p->variable_width[variable] : lt__number_bytes(dtype);
}

/* -- blocks */

static void print_instruction(struct wasm_print *p, int32_t i);
static void find_locals(struct wasm_print *p, int32_t first, int32_t end);

/* -- bodies of outermost loops as functions
 *
 * An engine compiles a function anew, and better, when it has run for a while, and calls the better one from then on,
 * but never within a call.  So a kernel whose outermost loop calls its body is quick in its first run already. */

/* Whether there are loops in it, and no variable that lives beyond it. */
static bool has_body(const struct wasm_print *p, int32_t loop)
{
	const int32_t end = wasm_made(p, loop)->what;
	bool has_loop = false;
	for (int32_t i = loop + 1; i < end; i++) {
		const struct lt_instruction *x = wasm_made(p, i);
		has_loop = has_loop || x->opcode == LT_OPCODE_loop;
		if (x->opcode != LT_OPCODE_get && x->opcode != LT_OPCODE_set && x->opcode != LT_OPCODE_update)
			continue;
		bool begins = false;
		for (int32_t j = loop + 1; j < i && !begins; j++)
			begins = wasm_made(p, j)->opcode == LT_OPCODE_variable && wasm_made(p, j)->what == x->what;
		if (!begins)
			return false;
	}
	return has_loop;
}

/* What the body uses of what was made before it, in order: values, and those that parts of addresses are made of,
 * which are marked: other parts of the same values go by buffers that the body does not know. */
static int32_t find_lives(struct wasm_print *p, int32_t loop)
{
	const int32_t end = wasm_made(p, loop)->what;
	int32_t n = 0;
	memset(p->lives, 0, (size_t)loop * sizeof *p->lives);
	for (int32_t j = 0; j < p->n_part; j++)
		p->part[j].lives = false;
	for (int32_t i = loop + 1; i < end; i++) {
		const struct lt_instruction *x = wasm_made(p, i);
		const bool access = x->opcode == LT_OPCODE_load || x->opcode == LT_OPCODE_store;
		for (int k = 0; k < 4; k++)
			if (x->operand[k] >= 0 && x->operand[k] < loop)
				p->lives[x->operand[k]] = 1;
		for (int32_t e = 0; x->opcode == LT_OPCODE_launch && e < x->n_extra; e++)
			if (p->k->extras[x->first_extra + e] < loop)
				p->lives[p->k->extras[x->first_extra + e]] = 1;
		for (int32_t j = access ? p->place[i].part : -1; j >= 0; j = p->part[j].parent) {
			p->part[j].lives = true;
			if (p->part[j].value < loop)
				p->lives[p->part[j].value] = 1;
		}
	}
	for (int32_t v = 0; v < loop; v++)
		if (p->lives[v] && wasm_made(p, v)->opcode != LT_OPCODE_const && p->value[v] >= 0)
			p->lives[n++] = v;
	return n;
}

static uint32_t n_local(const struct wasm_print *p, int32_t v)
{
	return wasm_is_spread(p, v) ? 1 : lt__wasm_chunks(p, v);
}

/* How many values the body of this loop is given; -1: it is no function. */
static int32_t count_lives(struct wasm_print *p, int32_t loop)
{
	if (p->n_open || p->n_body == p->cap_body || !has_body(p, loop))
		return -1;
	const int32_t n_live = find_lives(p, loop);
	uint32_t n = 3 + p->k->n_param + 1;
	for (int32_t l = 0; l < n_live; l++)
		n += n_local(p, p->lives[l]);
	return n <= WASM_MOST_PARAMETERS ? n_live : -1;
}

/* What is of the function in hand, kept while another one is printed. */
struct wasm_outer { struct wasm_code code; int32_t slots, workspace, fault, temporary[2], n_open, *kept; };

static size_t n_kept(const struct wasm_print *p)
{
	return p->k->n_instruction + p->k->n_buffer + p->k->n_variable + p->k->n_param + (size_t)p->n_part + 1;
}

static bool outer_keep(struct wasm_print *p, struct wasm_outer *o)
{
	*o = (struct wasm_outer){ p->code, p->slots, p->workspace, p->fault, { p->temporary[0], p->temporary[1] }, p->n_open,
		malloc(n_kept(p) * sizeof *o->kept) };
	int32_t *at = o->kept;
	if (!at)
		return false;
	memcpy(at, p->value, p->k->n_instruction * sizeof *at);
	memcpy(at += p->k->n_instruction, p->base, p->k->n_buffer * sizeof *at);
	memcpy(at += p->k->n_buffer, p->variable, p->k->n_variable * sizeof *at);
	memcpy(at += p->k->n_variable, p->param, p->k->n_param * sizeof *at);
	at += p->k->n_param;
	for (int32_t j = 0; j < p->n_part; j++)
		at[j] = p->part[j].local;
	return true;
}

static void outer_return(struct wasm_print *p, struct wasm_outer *o)
{
	const int32_t *at = o->kept;
	p->code = o->code;
	p->slots = o->slots;
	p->workspace = o->workspace;
	p->fault = o->fault;
	memcpy(p->temporary, o->temporary, sizeof p->temporary);
	p->n_open = o->n_open;
	p->n_seen = 0;
	memcpy(p->value, at, p->k->n_instruction * sizeof *at);
	memcpy(p->base, at += p->k->n_instruction, p->k->n_buffer * sizeof *at);
	memcpy(p->variable, at += p->k->n_buffer, p->k->n_variable * sizeof *at);
	memcpy(p->param, at += p->k->n_variable, p->k->n_param * sizeof *at);
	at += p->k->n_param;
	for (int32_t j = 0; j < p->n_part; j++)
		p->part[j].local = at[j];
	free(o->kept);
}

/* The function: slots, workspace, fault, params, the loop's number, values. */
static void print_body(struct wasm_print *p, int32_t loop, int32_t n_live, const struct wasm_outer *o)
{
	const int32_t end = wasm_made(p, loop)->what;
	char name[32];
	p->code = (struct wasm_code){ .has_text = o->code.has_text };
	p->temporary[0] = p->temporary[1] = -1;
	p->n_open = p->n_seen = 0;
	memset(p->base, 0xff, p->k->n_buffer * sizeof *p->base);
	memset(p->variable, 0xff, p->k->n_variable * sizeof *p->variable);
	p->slots = lt__wasm_new_locals(p, LT_I32, 1, 4, true, ":slots");
	p->workspace = lt__wasm_new_locals(p, LT_I32, 1, 4, true, ":workspace");
	p->fault = lt__wasm_new_locals(p, LT_I32, 1, 4, true, ":fault");
	for (uint32_t q = 0; q < p->k->n_param; q++) {
		(void)snprintf(name, sizeof name, ":param%u", (unsigned)q);
		p->param[q] = lt__wasm_new_locals(p, LT_I64, 1, 8, true, name);
	}
	(void)snprintf(name, sizeof name, "%%%d", (int)p->number[loop]);
	p->value[loop] = lt__wasm_new_locals(p, LT_I64, 1, 8, true, name);
	for (int32_t l = 0; l < n_live; l++) {
		const int32_t v = p->lives[l];
		const uint32_t from = (uint32_t)p->value[v], n = n_local(p, v);
		for (uint32_t c = 0; c < n; c++) {
			const uint32_t local = lt__wasm_local(C, (enum wasm_type)o->code.local[from + c].type, true, "%%%d:%u",
				(int)p->number[v], (unsigned)c);
			p->value[v] = c ? p->value[v] : (int32_t)local;
		}
	}
	find_locals(p, loop + 1, end);
	for (int32_t l = 0; l < n_live; l++)
		lt__wasm_print_live_parts(p, p->lives[l]);
	lt__wasm_print_parts(p, loop);
	for (int32_t i = loop + 1; i < end && !p->failed; i++)
		print_instruction(p, i);
	p->failed = p->failed || lt__wasm_code_failed(C);
}

/* A loop is not entered for no iterations: its condition is asked before it, and behind each iteration. */
static void open_loop(struct wasm_print *p, int32_t loop)
{
	const struct lt_instruction *x = wasm_made(p, loop);
	p->value[loop] = (int32_t)lt__wasm_local(C, WASM_I64, false, "%%%d", (int)p->number[loop]);
	lt__wasm_push(p, x->operand[0]);
	lt__wasm_at(C, WASM_local_tee, (uint32_t)p->value[loop]);
	lt__wasm_push(p, x->operand[1]);
	lt__wasm(C, WASM_i64_lt_s);
	lt__wasm_open(C, WASM_if, WASM_EMPTY);
	lt__wasm_open(C, WASM_loop, WASM_EMPTY);
}

static void step_loop(struct wasm_print *p, int32_t loop)
{
	const struct lt_instruction *x = wasm_made(p, loop);
	lt__wasm_at(C, WASM_local_get, (uint32_t)p->value[loop]);
	lt__wasm_i64(C, x->number);
	lt__wasm(C, WASM_i64_add);
	lt__wasm_at(C, WASM_local_tee, (uint32_t)p->value[loop]);
	lt__wasm_push(p, x->operand[1]);
	lt__wasm(C, WASM_i64_lt_s);
	lt__wasm_branch(C, WASM_br_if, 0);
	lt__wasm(C, WASM_end);
}

static void print_body_loop(struct wasm_print *p, int32_t loop, int32_t n_live)
{
	struct wasm_outer o;
	char name[32];
	open_loop(p, loop);
	lt__wasm_at(C, WASM_local_get, (uint32_t)p->slots);
	lt__wasm_at(C, WASM_local_get, (uint32_t)p->workspace);
	lt__wasm_at(C, WASM_local_get, (uint32_t)p->fault);
	for (uint32_t q = 0; q < p->k->n_param; q++)
		lt__wasm_at(C, WASM_local_get, (uint32_t)p->param[q]);
	lt__wasm_at(C, WASM_local_get, (uint32_t)p->value[loop]);
	for (int32_t l = 0; l < n_live; l++)
		for (uint32_t c = 0; c < n_local(p, p->lives[l]); c++)
			lt__wasm_at(C, WASM_local_get, (uint32_t)p->value[p->lives[l]] + c);
	(void)snprintf(name, sizeof name, "body%u", (unsigned)p->n_body);
	lt__wasm_call(C, p->n_import + p->k->n_region + p->n_body, name);
	step_loop(p, loop);
	lt__wasm_end(C);
	if (!outer_keep(p, &o)) {
		p->failed = true;
		return;
	}
	print_body(p, loop, n_live, &o);
	p->body[p->n_body++] = p->code;
	outer_return(p, &o);
}

static void print_loop(struct wasm_print *p, int32_t i)
{
	lt__wasm_begin_along(p, i);
	open_loop(p, i);
	lt__wasm_print_parts(p, i);
	p->open[p->n_open++] = i;
	p->n_seen = 0;
}

static void print_end(struct wasm_print *p)
{
	const int32_t loop = p->open[--p->n_open];
	const struct lt_instruction *x = wasm_made(p, loop);
	p->n_seen = 0;
	if (x->opcode == LT_OPCODE_loop) {
		lt__wasm_step_along(p, loop);
		step_loop(p, loop);
	}
	lt__wasm_end(C);
}

static void print_set(struct wasm_print *p, int32_t i)
{
	const struct lt_instruction *x = wasm_made(p, i);
	const struct lt_variable *v = &p->k->variables[x->what];
	const uint32_t width = variable_width(p, x->what);
	for (uint32_t c = 0; c < lt__wasm_chunks_of(v->lanes, width); c++) {
		if (v->lanes == 1)
			lt__wasm_push(p, x->operand[0]);
		else if (v->dtype == LT_LANE_MASK)
			lt__wasm_push_mask(p, x->operand[0], c, width);
		else
			lt__wasm_push_chunk(p, x->operand[0], c);
		lt__wasm_at(C, WASM_local_set, (uint32_t)p->variable[x->what] + c);
	}
}

/* A team is not run for no points. */
static void print_launch(struct wasm_print *p, int32_t i)
{
	const struct lt_instruction *x = wasm_made(p, i);
	char name[WASM_NAME + 16];
	lt__wasm_push(p, x->operand[0]);
	lt__wasm_i64(C, 0);
	lt__wasm(C, WASM_i64_gt_s);
	lt__wasm_open(C, WASM_if, WASM_EMPTY);
	lt__wasm_at(C, WASM_local_get, (uint32_t)p->slots);
	lt__wasm_at(C, WASM_local_get, (uint32_t)p->workspace);
	lt__wasm_at(C, WASM_local_get, (uint32_t)p->fault);
	for (uint32_t q = 0; q < p->k->n_param; q++)
		lt__wasm_at(C, WASM_local_get, (uint32_t)p->param[q]);
	for (int32_t a = 0; a < x->n_extra; a++) {
		const int32_t v = (int32_t)p->k->extras[x->first_extra + a];
		const uint32_t lanes = wasm_made(p, v)->lanes, dtype = wasm_made(p, v)->dtype;
		for (uint32_t c = 0; c < lt__wasm_chunks_of(lanes, dtype == LT_LANE_MASK ? 4 : lt__wasm_width(p, v)); c++)
			if (lanes == 1)
				lt__wasm_push(p, v);
			else if (dtype == LT_LANE_MASK)
				lt__wasm_push_mask(p, v, c, 4);
			else
				lt__wasm_push_chunk(p, v, c);
	}
	lt__wasm_i64(C, 0);
	lt__wasm_push(p, x->operand[0]);
	(void)snprintf(name, sizeof name, "team%d", (int)x->what);
	lt__wasm_call(C, p->n_import + (uint32_t)x->what - 1, name);
	lt__wasm(C, WASM_end);
	p->n_seen = 0;
}

static void print_instruction(struct wasm_print *p, int32_t i)
{
	const struct lt_instruction *x = wasm_made(p, i);
	switch (x->opcode) {
	case LT_OPCODE_store: lt__wasm_print_store(p, i); break;
	case LT_OPCODE_fault: lt__wasm_print_fault(p, i); break;
	case LT_OPCODE_set: print_set(p, i); break;
	case LT_OPCODE_update: lt__wasm_print_update(p, i); break;
	case LT_OPCODE_prefetch:        /* there is no such instruction */
	case LT_OPCODE_array:           /* they begin with the function: what they hold is not said */
	case LT_OPCODE_variable: break;
	case LT_OPCODE_loop: print_loop(p, i); break;
	case LT_OPCODE_if:
		lt__wasm_push(p, x->operand[0]);
		lt__wasm_open(C, WASM_if, WASM_EMPTY);
		p->open[p->n_open++] = i;
		break;
	case LT_OPCODE_else:
		lt__wasm_else(C);
		p->n_seen = 0;
		break;
	case LT_OPCODE_end: print_end(p); break;
	case LT_OPCODE_launch: print_launch(p, i); break;
	default:
		lt__wasm_print_value(p, i);
		lt__wasm_print_parts(p, i);
		break;
	}
}

/* -- functions */

static void push_slot(struct wasm_print *p, int32_t slot)
{
	lt__wasm_at(C, WASM_local_get, (uint32_t)p->slots);
	lt__wasm_memory(C, WASM_i32_load, 4 * (uint32_t)slot, 4, 0);
}

static int64_t offset_of(const struct wasm_print *p, uint32_t buffer)
{
	const struct lt_kernel_buffer *b = &p->k->buffers[buffer];
	return b->space == LT_SPACE_WORKSPACE ? b->offset : b->space == LT_SPACE_THREAD ? p->k->workspace_bytes + b->offset
		: p->k->workspace_bytes + p->k->thread_bytes + p->frame[buffer];
}

static void find_base(struct wasm_print *p, int32_t buffer)
{
	const struct lt_kernel_buffer *b = &p->k->buffers[buffer];
	if (p->base[buffer] >= 0)
		return;
	p->base[buffer] = (int32_t)lt__wasm_local(C, WASM_I32, false, "%s", b->name);
	if (b->space == LT_SPACE_SLOT) {
		push_slot(p, b->slot);
	} else {
		lt__wasm_at(C, WASM_local_get, (uint32_t)p->workspace);
		lt__wasm_i32(C, (int32_t)offset_of(p, (uint32_t)buffer));
		lt__wasm(C, WASM_i32_add);
	}
	lt__wasm_at(C, WASM_local_set, (uint32_t)p->base[buffer]);
}

/* What is used from one instruction to another: addresses of buffers, variables. */
static void find_locals(struct wasm_print *p, int32_t first, int32_t end)
{
	for (int32_t i = first; i < end; i++) {
		const struct lt_instruction *x = wasm_made(p, i);
		switch (x->opcode) {
		case LT_OPCODE_load:
		case LT_OPCODE_store: find_base(p, x->what); break;
		case LT_OPCODE_get:
		case LT_OPCODE_set:
		case LT_OPCODE_update:
			if (p->variable[x->what] < 0)
				p->variable[x->what] = lt__wasm_new_locals(p, p->k->variables[x->what].dtype, p->k->variables[x->what].lanes,
					variable_width(p, x->what), false, p->k->variables[x->what].name);
			break;
		default: break;
		}
	}
}

static void number_values(struct wasm_print *p, const struct lt_region *r)
{
	int32_t n = 0;
	for (int32_t i = r->first; i < r->first + r->n; i++) {
		const struct lt_instruction *x = wasm_made(p, i);
		p->number[i] = x->lanes && x->opcode != LT_OPCODE_const ? n++ : -1;
	}
}

/* Parameters of a team behind the first three: params, arguments, the points. */
static void take_arguments(struct wasm_print *p, const struct lt_instruction *launch)
{
	char name[32];
	for (uint32_t q = 0; q < p->k->n_param; q++) {
		(void)snprintf(name, sizeof name, ":param%u", (unsigned)q);
		p->param[q] = lt__wasm_new_locals(p, LT_I64, 1, 8, true, name);
	}
	for (int32_t a = 0; a < launch->n_extra; a++) {
		const int32_t v = (int32_t)p->k->extras[launch->first_extra + a];
		const uint32_t dtype = wasm_made(p, v)->dtype;
		(void)snprintf(name, sizeof name, ":argument%d", (int)a);
		p->argument[a] = lt__wasm_new_locals(p, dtype, wasm_made(p, v)->lanes,
			dtype == LT_LANE_MASK ? 4 : lt__number_bytes(dtype), true, name);
	}
	p->first = lt__wasm_new_locals(p, LT_I64, 1, 8, true, ":first");
	p->last = lt__wasm_new_locals(p, LT_I64, 1, 8, true, ":last");
}

/* Run-time scalars are read once. */
static void read_params(struct wasm_print *p)
{
	for (uint32_t q = 0; q < p->k->n_param; q++) {
		const struct lt_kernel_param *x = &p->k->params[q];
		p->param[q] = (int32_t)lt__wasm_local(C, WASM_I64, false, ":param%u", (unsigned)q);
		find_base(p, x->buffer);
		lt__wasm_at(C, WASM_local_get, (uint32_t)p->base[x->buffer]);
		lt__wasm_memory(C, WASM_i64_load, (uint32_t)(8 * x->element), 8, 0);
		lt__wasm_at(C, WASM_local_set, (uint32_t)p->param[q]);
	}
}

static const struct lt_instruction *find_launch(const struct wasm_print *p, int32_t region)
{
	const struct lt_region *host = &p->k->regions[0];
	int32_t i = host->first;
	while (wasm_made(p, i)->opcode != LT_OPCODE_launch || wasm_made(p, i)->what != region)
		i++;
	return wasm_made(p, i);
}

static void print_region(struct wasm_print *p, int32_t region, bool has_text)
{
	const struct lt_region *r = &p->k->regions[region];
	p->code = (struct wasm_code){ .has_text = has_text };
	p->temporary[0] = p->temporary[1] = -1;
	p->n_open = p->n_seen = 0;
	memset(p->base, 0xff, (p->k->n_buffer + 1) * sizeof *p->base);
	memset(p->variable, 0xff, (p->k->n_variable + 1) * sizeof *p->variable);
	p->slots = lt__wasm_new_locals(p, LT_I32, 1, 4, true, ":slots");
	p->workspace = lt__wasm_new_locals(p, LT_I32, 1, 4, true, ":workspace");
	p->fault = lt__wasm_new_locals(p, LT_I32, 1, 4, true, ":fault");
	if (region)
		take_arguments(p, find_launch(p, region));
	else
		read_params(p);
	number_values(p, r);
	find_locals(p, r->first, r->first + r->n);
	for (int32_t i = r->first, n_live; i < r->first + r->n && !p->failed; i++)
		if (wasm_made(p, i)->opcode == LT_OPCODE_loop && (n_live = count_lives(p, i)) >= 0) {
			print_body_loop(p, i, n_live);
			i = wasm_made(p, i)->what;
		} else {
			print_instruction(p, i);
		}
	p->failed = p->failed || lt__wasm_code_failed(C);
}

/* -- what is printed where */

static void count_uses(struct wasm_print *p, int32_t *n_splat)
{
	for (int32_t i = 0; i < (int32_t)p->k->n_instruction; i++) {
		const struct lt_instruction *x = wasm_made(p, i);
		for (int k = 0; k < 4; k++)
			if (x->operand[k] >= 0) {
				p->n_use[x->operand[k]]++;
				n_splat[x->operand[k]] += x->opcode == LT_OPCODE_splat && x->lanes > 1;
			}
		for (int32_t e = 0; x->opcode == LT_OPCODE_launch && e < x->n_extra; e++)
			p->n_use[p->k->extras[x->first_extra + e]]++;
	}
}

/* Whether what value v holds may change in instruction i: it is a variable's, which i sets. */
static bool changes(const struct wasm_print *p, int32_t v, const struct lt_instruction *x)
{
	return wasm_made(p, v)->opcode == LT_OPCODE_get && (x->opcode == LT_OPCODE_set || x->opcode == LT_OPCODE_update)
		&& x->what == wasm_made(p, v)->what;
}

/* The sum of this block that takes the product i, if it may be fused with it. */
static bool is_fused_later(const struct wasm_print *p, int32_t i)
{
	const struct lt_instruction *x = wasm_made(p, i);
	for (int32_t j = i + 1; j < (int32_t)p->k->n_instruction; j++) {
		const struct lt_instruction *y = wasm_made(p, j);
		if (y->opcode == LT_OPCODE_update && y->number == LT_OPCODE_add && y->operand[0] == i)
			return true;
		if (y->opcode == LT_OPCODE_add && (y->operand[0] == i || y->operand[1] == i)) {
			const int32_t other = y->operand[y->operand[0] == i];
			return other != i && !(wasm_made(p, other)->opcode == LT_OPCODE_mul && p->within[other]);
		}
		if (y->opcode == LT_OPCODE_loop || y->opcode == LT_OPCODE_if || y->opcode == LT_OPCODE_else
			|| y->opcode == LT_OPCODE_end || changes(p, x->operand[0], y) || changes(p, x->operand[1], y))
			return false;
	}
	return false;
}

/* Reads of one element that all go to every lane; products that are fused. */
static void find_within(struct wasm_print *p, const int32_t *n_splat)
{
	for (int32_t i = 0; i < (int32_t)p->k->n_instruction; i++) {
		const struct lt_instruction *x = wasm_made(p, i);
		if (x->opcode == LT_OPCODE_load && x->lanes == 1 && x->operand[1] < 0 && x->operand[2] < 0)
			p->within[i] = p->n_use[i] > 0 && n_splat[i] == p->n_use[i];
		if (x->opcode == LT_OPCODE_mul && p->relaxed && x->lanes > 1 && wasm_is_float(x->dtype) && p->n_use[i] == 1)
			p->within[i] = is_fused_later(p, i);
	}
}

uint64_t lt__wasm_functions(const struct lt_kernel *k)
{
	uint64_t used = 0;
	for (uint32_t i = 0; i < k->n_instruction; i++) {
		const struct lt_instruction *x = &k->instructions[i];
		const uint32_t opcode = x->opcode == LT_OPCODE_each ? (uint32_t)x->what : x->opcode;
		const int f = x->lanes && wasm_is_float(x->dtype) ? lt__wasm_function(opcode, x->dtype) : -1;
		if (f >= 0)
			used |= UINT64_C(1) << f;
	}
	return used;
}

static void find_functions(struct wasm_print *p)
{
	p->functions = lt__wasm_functions(p->k);
	for (int f = 0; f < 64; f++)
		if (p->functions >> f & 1)
			p->import[f] = (uint8_t)p->n_import++;
}

static void lay_out_arrays(struct wasm_print *p)
{
	for (uint32_t b = 0; b < p->k->n_buffer; b++) {
		const struct lt_kernel_buffer *x = &p->k->buffers[b];
		if (x->space != LT_SPACE_ARRAY)
			continue;
		p->frame[b] = p->frame_bytes;
		p->frame_bytes += (x->elems * lt__number_bytes(x->dtype) + LT_MAX_ALIGN - 1) / LT_MAX_ALIGN * LT_MAX_ALIGN;
	}
}

/* -- the module */

/* Teams are before the host's region, bodies of loops behind it. */
static uint32_t n_function(const struct wasm_print *p) { return p->k->n_region + p->n_body; }
static uint32_t region_at(const struct wasm_print *p, uint32_t i)
{
	return i < p->k->n_region ? (i + 1) % p->k->n_region : i;
}

/* Types of functions, each once, in the order in which they are first used; index: of imports and functions. */
struct wasm_types { struct wasm_bytes *at; uint32_t n, *index; };

static uint32_t find_type(struct wasm_types *t, struct wasm_bytes *type)
{
	uint32_t i = 0;
	while (i < t->n && (t->at[i].n != type->n || memcmp(t->at[i].at, type->at, type->n) != 0))
		i++;
	if (i == t->n)
		t->at[t->n++] = *type;
	else
		free(type->at);
	return i;
}

static void find_types(struct wasm_print *p, const struct wasm_code *functions, struct wasm_types *t)
{
	uint32_t n = 0;
	for (int f = 0; f < 64; f++) {
		struct wasm_bytes type = { NULL, 0, 0, false };
		if (!(p->functions >> f & 1))
			continue;
		const uint8_t number = lt__wasm_function_is_f32(f) ? WASM_F32 : WASM_F64;
		lt__wasm_byte(&type, 0x60);
		lt__wasm_unsigned(&type, (uint64_t)lt__wasm_function_operands(f));
		for (int k = 0; k < lt__wasm_function_operands(f); k++)
			lt__wasm_byte(&type, number);
		lt__wasm_bytes(&type, (const char[]){ 1, (char)number }, 2);
		t->index[n++] = find_type(t, &type);
	}
	for (uint32_t i = 0; i < n_function(p); i++) {
		const struct wasm_code *c = &functions[region_at(p, i)];
		struct wasm_bytes type = { NULL, 0, 0, false };
		lt__wasm_byte(&type, 0x60);
		lt__wasm_unsigned(&type, c->n_parameter);
		for (uint32_t l = 0; l < c->n_parameter; l++)
			lt__wasm_byte(&type, c->local[l].type);
		lt__wasm_unsigned(&type, 0);
		t->index[n++] = find_type(t, &type);
	}
}

static void write_imports(struct wasm_print *p, const struct wasm_types *t, struct wasm_bytes *section)
{
	uint32_t n = 0;
	lt__wasm_unsigned(section, 1 + p->n_import);
	lt__wasm_name(section, "env");
	lt__wasm_name(section, "memory");
	lt__wasm_bytes(section, (const char[]){ 2, 0, 0 }, 3);          /* a memory, of 0 pages at least */
	for (int f = 0; f < 64; f++)
		if (p->functions >> f & 1) {
			lt__wasm_name(section, "m");
			lt__wasm_name(section, lt__wasm_function_name(f));
			lt__wasm_byte(section, 0);
			lt__wasm_unsigned(section, t->index[n++]);
		}
}

static void write_section(struct wasm_bytes *module, uint8_t number, struct wasm_bytes *section)
{
	lt__wasm_byte(module, number);
	lt__wasm_sized(module, section);
}

/* Locals behind the parameters, as many of one type at a time as there are. */
static void write_body(struct wasm_bytes *section, struct wasm_code *c)
{
	struct wasm_bytes body = { NULL, 0, 0, false }, locals = { NULL, 0, 0, false };
	uint32_t n = 0;
	for (uint32_t l = c->n_parameter, next; l < c->n_local; l = next, n++) {
		for (next = l + 1; next < c->n_local && c->local[next].type == c->local[l].type; )
			next++;
		lt__wasm_unsigned(&locals, next - l);
		lt__wasm_byte(&locals, c->local[l].type);
	}
	lt__wasm_unsigned(&body, n);
	lt__wasm_bytes(&body, locals.at, locals.n);
	lt__wasm_bytes(&body, c->binary.at, c->binary.n);
	lt__wasm_byte(&body, 0x0b);
	body.failed = body.failed || locals.failed;
	free(locals.at);
	lt__wasm_sized(section, &body);
}

static void write_sections(struct wasm_print *p, const struct wasm_types *t, struct wasm_bytes *module,
	struct wasm_code *functions)
{
	struct wasm_bytes types = { NULL, 0, 0, false }, imports = types, list = types, exports = types, code = types;
	lt__wasm_bytes(module, "\0asm\1\0\0\0", 8);
	lt__wasm_unsigned(&types, t->n);
	for (uint32_t i = 0; i < t->n; i++) {
		lt__wasm_bytes(&types, t->at[i].at, t->at[i].n);
		types.failed = types.failed || t->at[i].failed;
	}
	write_section(module, 1, &types);
	write_imports(p, t, &imports);
	write_section(module, 2, &imports);
	lt__wasm_unsigned(&list, n_function(p));
	lt__wasm_unsigned(&code, n_function(p));
	for (uint32_t i = 0; i < n_function(p); i++) {
		lt__wasm_unsigned(&list, t->index[p->n_import + i]);
		write_body(&code, &functions[region_at(p, i)]);
	}
	write_section(module, 3, &list);
	lt__wasm_unsigned(&exports, 1);
	lt__wasm_name(&exports, "kernel");
	lt__wasm_byte(&exports, 0);
	lt__wasm_unsigned(&exports, p->n_import + p->k->n_region - 1);
	write_section(module, 7, &exports);
	write_section(module, 10, &code);
}

static void write_binary(struct wasm_print *p, struct wasm_bytes *module, struct wasm_code *functions)
{
	const uint32_t most = p->n_import + n_function(p);
	struct wasm_types t = { calloc(most, sizeof *t.at), 0, calloc(most, sizeof *t.index) };
	if (t.at && t.index) {
		find_types(p, functions, &t);
		write_sections(p, &t, module, functions);
	} else {
		module->failed = true;
	}
	for (uint32_t i = 0; i < t.n; i++)
		free(t.at[i].at);
	free(t.at);
	free(t.index);
}

static void write_function_text(struct wasm_bytes *text, const struct wasm_code *c, const char *name, bool exported)
{
	lt__wasm_text(text, "\t(func $%s%s", name, exported ? " (export \"kernel\")" : "");
	for (uint32_t l = 0; l < c->n_parameter; l++)
		lt__wasm_text(text, " (param $%s %s)", c->local[l].name, lt__wasm_type_name((enum wasm_type)c->local[l].type));
	lt__wasm_text(text, "\n");
	for (uint32_t l = c->n_parameter; l < c->n_local; l++)
		lt__wasm_text(text, "\t\t(local $%s %s)\n", c->local[l].name,
			lt__wasm_type_name((enum wasm_type)c->local[l].type));
	lt__wasm_bytes(text, c->text.at, c->text.n);
	lt__wasm_text(text, "\t)\n");
}

static void write_text(struct wasm_print *p, struct wasm_bytes *text, const struct wasm_code *functions)
{
	char name[32];
	lt__wasm_text(text, ";; kernel %s\n(module\n\t(import \"env\" \"memory\" (memory 0))\n", p->k->name);
	for (int f = 0; f < 64; f++)
		if (p->functions >> f & 1) {
			const char *type = lt__wasm_function_is_f32(f) ? "f32" : "f64";
			lt__wasm_text(text, "\t(import \"m\" \"%s\" (func $%s (param %s%s%s) (result %s)))\n", lt__wasm_function_name(f),
				lt__wasm_function_name(f), type, lt__wasm_function_operands(f) > 1 ? " " : "",
				lt__wasm_function_operands(f) > 1 ? type : "", type);
		}
	for (uint32_t i = 0; i < n_function(p); i++) {
		const uint32_t r = region_at(p, i);
		(void)snprintf(name, sizeof name, r < p->k->n_region ? "team%u" : "body%u",
			(unsigned)(r < p->k->n_region ? r : r - p->k->n_region));
		write_function_text(text, &functions[r], r ? name : "kernel", r == 0);
	}
	lt__wasm_text(text, ")\n");
}

/* -- all of it */

static void print_drop(struct wasm_print *p, struct wasm_code *functions)
{
	for (uint32_t r = 0; functions && r < n_function(p); r++)
		lt__wasm_code_drop(&functions[r]);
	free(functions);
	free(p->part);
	free(p->next_part);
	free(p->memory);
}

/* A part of one piece of memory, of which so many bytes are used; at NULL none is given. */
static void *part_of(char *memory, size_t *used, size_t bytes)
{
	void *here = memory ? memory + *used : NULL;
	*used += (bytes + 15) / 16 * 16;
	return here;
}

/* How many bytes all parts need. */
static size_t give_parts(struct wasm_print *p, char *m, int32_t **n_splat)
{
	const size_t n = p->k->n_instruction + 1, b = p->k->n_buffer + 1, v = p->k->n_variable + 1;
	size_t used = 0;
	p->value = part_of(m, &used, n * sizeof *p->value);
	p->number = part_of(m, &used, n * sizeof *p->number);
	p->n_use = part_of(m, &used, n * sizeof *p->n_use);
	p->first_part = part_of(m, &used, n * sizeof *p->first_part);
	p->seen = part_of(m, &used, n * sizeof *p->seen);
	*n_splat = part_of(m, &used, n * sizeof **n_splat);
	p->lives = part_of(m, &used, n * sizeof *p->lives);
	p->width = part_of(m, &used, n);
	p->positive = part_of(m, &used, n);
	p->within = part_of(m, &used, n);
	p->place = part_of(m, &used, n * sizeof *p->place);
	p->variable = part_of(m, &used, v * sizeof *p->variable);
	p->variable_width = part_of(m, &used, v);
	p->base = part_of(m, &used, b * sizeof *p->base);
	p->frame = part_of(m, &used, b * sizeof *p->frame);
	p->param = part_of(m, &used, (p->k->n_param + 1) * sizeof *p->param);
	p->argument = part_of(m, &used, (p->k->n_extra + 1) * sizeof *p->argument);
	p->positive_argument = part_of(m, &used, (p->k->n_region + 1) * sizeof *p->positive_argument);
	return used;
}

static bool print_reserve(struct wasm_print *p, int32_t **n_splat)
{
	const size_t n = p->k->n_instruction + 1;
	p->memory = calloc(give_parts(p, NULL, n_splat), 1);
	if (!p->memory)
		return false;
	(void)give_parts(p, p->memory, n_splat);
	memset(p->value, 0xff, n * sizeof *p->value);
	memset(p->first_part, 0xff, n * sizeof *p->first_part);
	return true;
}

bool lt__wasm_print(const struct lt_kernel *k, bool relaxed, struct wasm_bytes *binary, struct wasm_bytes *text,
	struct wasm_need *need)
{
	struct wasm_print p = { .k = k, .relaxed = relaxed };
	enum { MOST_BODIES = 64 };
	struct wasm_code *functions = calloc(k->n_region + MOST_BODIES, sizeof *functions);
	int32_t *n_splat;
	bool done = functions && print_reserve(&p, &n_splat);
	p.body = functions ? functions + k->n_region : NULL;
	p.cap_body = MOST_BODIES;
	if (done) {
		lay_out_arrays(&p);
		count_uses(&p, n_splat);
		find_within(&p, n_splat);
		find_functions(&p);
		lt__wasm_find_widths(&p);
		done = lt__wasm_find_places(&p);
	}
	for (uint32_t r = 0; done && r < k->n_region; r++) {
		print_region(&p, (int32_t)r, text != NULL);
		functions[r] = p.code;
		done = !p.failed;
	}
	*need = (struct wasm_need){ k->workspace_bytes + k->thread_bytes + p.frame_bytes, k->n_region > 1 };
	if (done && binary)
		write_binary(&p, binary, functions);
	if (done && text)
		write_text(&p, text, functions);
	print_drop(&p, functions);
	return done && !(binary && binary->failed) && !(text && text->failed);
}
