/* kernel.c -- the grids of a program as functions of a text for a device (grid.c).
 *
 *   NAME_1(buffers, arguments, fault)      region 1.  Parts of shared memory are pointers into lt_shared; run-time
 *                                          scalars are read from their buffers.
 *   NAME_1_body(the same)                  what it does, where the dialect has something to do before
 */
#include <stdlib.h>
#include <string.h>
#include "backends/text/text.h"
#include "backends/text/part.h"
#include "kernel/form/form.h"

/* plain: the parameters without what restricts them; names: theirs, buffers as they are `seen`. */
struct kernel_parts {
	struct lt_out parameters, plain, names, begin;
	struct lt_text_parameter *at;
	uint32_t n;
	const char *seen;
};

static void add_parameter(struct kernel_parts *p, enum lt_text_parameter_kind kind, int32_t index, uint32_t dtype,
	const char *type, const char *restricted, const char *name)
{
	const char *comma = p->n ? ", " : "", *seen = kind == LT_TEXT_BUFFER ? p->seen : NULL;
	p->at[p->n++] = (struct lt_text_parameter){ kind, index, dtype };
	lt__outf(&p->parameters, "%s%s%s%s", comma, type, restricted, name);
	lt__outf(&p->plain, "%s%s%s", comma, type, name);
	lt__outf(&p->names, "%s%s%s%s%s", comma, seen ? seen : "", seen ? "(" : "", name, seen ? ")" : "");
}

/* What other threads write is not this pointer's alone: a compiler that takes it for that moves loads across barriers.
 */
static bool is_alone(const struct lt_kernel_buffer *x, const struct text_region *u, uint32_t b)
{
	return x->exclusive && x->space != LT_SPACE_SHARED && !(u->meets && u->loaded[b] && u->stored[b]);
}

static void add_buffer(struct text *t, struct kernel_parts *p, const struct text_region *u, uint32_t b)
{
	const struct lt_kernel_buffer *x = &t->k->buffers[b];
	const struct lt_text_device *d = t->d->device;
	const char *restricted = is_alone(x, u, b) ? d->restricted : "";
	const char *type = lt__text_formatted(t, "%s%s%s", d->space[x->space], u->stored[b] ? "" : "const ",
		lt__text_element(x->dtype)->type);
	if (x->space == LT_SPACE_SHARED) {
		lt__outf(&p->begin, "\t%s *%sconst %s = (%s *)(lt_shared + %lld);\n", type, restricted, t->buffer[b], type,
			(long long)x->offset);
		return;
	}
	if (!d->offsets) {
		add_parameter(p, LT_TEXT_BUFFER, (int32_t)b, 0, lt__text_formatted(t, "%s *", type), restricted, t->buffer[b]);
		return;
	}
	const char *bytes = lt__text_formatted(t, "%s%schar", d->space[x->space], u->stored[b] ? "" : "const ");
	add_parameter(p, LT_TEXT_BUFFER, (int32_t)b, 0, lt__text_formatted(t, "%s *", bytes), "",
		lt__text_formatted(t, "lt_at%u", (unsigned)b));
	add_parameter(p, LT_TEXT_OFFSET, (int32_t)b, LT_I64, "int64_t ", "",
		lt__text_formatted(t, "lt_offset%u", (unsigned)b));
	lt__outf(&p->begin, "\t%s *%sconst %s = (%s *)(lt_at%u + lt_offset%u);\n", type, restricted, t->buffer[b], type,
		(unsigned)b, (unsigned)b);
}

static struct kernel_parts all_parts(struct text *t, int32_t region)
{
	const struct text_region *u = &t->uses[region];
	const struct lt_region *r = &t->k->regions[region];
	struct kernel_parts p = { .parameters = lt__out_new(&t->pool), .plain = lt__out_new(&t->pool),
		.names = lt__out_new(&t->pool), .begin = lt__out_new(&t->pool), .seen = t->d->device->seen };
	p.at = lt__pool_alloc(&t->pool, 2 * t->k->n_buffer + (size_t)r->n_argument + 1, sizeof *p.at);
	for (uint32_t b = 0; b < t->k->n_buffer; b++)
		if (u->buffer[b] && t->k->buffers[b].space != LT_SPACE_ARRAY)
			add_buffer(t, &p, u, b);
	for (int32_t i = 0; i < r->n_argument; i++)
		if (u->argument[i]) {
			uint32_t dtype = text_at(t, u->argument[i])->dtype;
			add_parameter(&p, LT_TEXT_ARGUMENT, i, dtype, lt__text_formatted(t, "%s ", lt__text_element(dtype)->type), "",
				lt__text_formatted(t, "a%d", (int)i));
		}
	if (u->fault)
		add_parameter(&p, LT_TEXT_FAULT, -1, 0, lt__text_formatted(t, "%sstruct lt_kernel_fault *",
			t->d->device->space[LT_SPACE_SLOT]), "", "fault");
	for (uint32_t i = 0; i < t->k->n_param; i++)
		if (u->param[i])
			lt__outf(&p.begin, "\tconst int64_t %s = %s[%lld];\n", t->param[i], t->buffer[t->k->params[i].buffer],
				(long long)t->k->params[i].element);
	return p;
}

/* What stands before the name: $n is how many threads a block has, $x $y $z along an axis, $r the blocks that are
 * resident. */
static void print_head(struct lt_out *o, const char *text, const struct lt_region *r)
{
	const int32_t n = r->threads[0] * r->threads[1] * r->threads[2];
	for (const char *c = text; *c; c++) {
		if (*c != '$') {
			lt__out_bytes(o, c, 1);
			continue;
		}
		c++;
		if (*c == 'r' && !r->resident)
			continue;
		if (*c == 'r')
			lt__outf(o, ", %d", (int)r->resident);
		else
			lt__outf(o, "%d", (int)(*c == 'n' ? n : r->threads[*c - 'x']));
	}
}

static void print_kernel_head(struct lt_out *o, const struct text *t, const struct lt_region *r, const char *name,
	const char *parameters)
{
	print_head(o, t->d->device->kernel, r);
	lt__outf(o, "%s(%s)\n{\n", name, parameters);
}

static int64_t print_shared(struct text *t, struct lt_out *o, const struct lt_region *r)
{
	const struct lt_text_device *d = t->d->device;
	bool dynamic = d->dynamic && r->shared_bytes > d->most;
	if (dynamic)
		lt__outf(o, "\t%suint8_t lt_shared[];\n", d->dynamic);
	else if (r->shared_bytes)
		lt__outf(o, "\t%suint8_t lt_shared[%lld];\n", d->shared, (long long)r->shared_bytes);
	if (t->passes)
		lt__outf(o, "\t%sulong lt_passed[%d];\n", d->shared, (int)(r->threads[0] * r->threads[1] * r->threads[2]));
	if (t->self && r->threads[1] * r->threads[2] == 1)
		lt__outf(o, "\tconst uint32_t lt_self = (uint32_t)%s;\n", d->thread[0]);
	else if (t->self)
		lt__outf(o, "\tconst uint32_t lt_self = (uint32_t)(%s + %d * (%s + %d * %s));\n", d->thread[0], (int)r->threads[0],
			d->thread[1], (int)r->threads[1], d->thread[2]);
	return dynamic ? r->shared_bytes : 0;
}

static void print_kernel(struct text *t, int32_t region, struct lt_text_grid *grid)
{
	struct lt_out *o = &t->functions;
	const struct lt_region *r = &t->k->regions[region];
	t->self = t->passes = false;
	lt__text_walk(t, region);
	while (t->indent > 1) {                 /* what threads that leave pass by */
		t->indent--;
		for (int i = 0; i < t->indent; i++)
			lt__out(&t->body, "\t");
		lt__out(&t->body, "}\n");
	}
	const struct kernel_parts p = all_parts(t, region);
	grid->name = lt__text_formatted(t, "%s_%d", t->function, (int)region);
	grid->region = region;
	grid->shared_bytes = r->shared_bytes;
	grid->n_parameter = p.n;
	grid->parameters = p.at;
	const char *first = t->d->device->first, *all = p.n ? p.parameters.at : "void";
	lt__out(o, "\n");
	if (first)
		lt__outf(o, "%svoid %s_body(%s)\n{\n", t->d->inlined, grid->name, all);
	else
		print_kernel_head(o, t, r, grid->name, all);
	grid->dynamic_bytes = print_shared(t, o, r);
	lt__outf(o, "%s%s}\n", p.begin.at, t->body.at);
	if (!first)
		return;
	lt__out(o, "\n");
	print_kernel_head(o, t, r, grid->name, p.n ? p.plain.at : "void");
	lt__outf(o, "\t%s\n\t%s_body(%s);\n}\n", first, grid->name, p.n ? p.names.at : "");
}

static const char fault_type[] = "struct lt_kernel_fault { int64_t n; int32_t stmt, access; int64_t value; };\n";

static size_t print_all(struct text *t, struct lt_out *o, struct lt_text_grid *grid)
{
	int32_t n_origin = 0;
	t->helpers = lt__out_new(&t->pool);
	t->functions = lt__out_new(&t->pool);
	t->entry = lt__text_formatted(t, "%s_entry", t->k->name);
	lt__text_names(t);
	lt__text_live(t);
	lt__text_narrow(t);
	t->at = -1;
	for (uint32_t i = 0; t->origins && i < t->k->n_instruction; i++)
		n_origin = t->k->instructions[i].origin >= n_origin ? t->k->instructions[i].origin + 1 : n_origin;
	t->commented = lt__pool_alloc(&t->pool, (size_t)n_origin, sizeof *t->commented);
	bool faults = false;
	for (int32_t r = 1; r < (int32_t)t->k->n_region; r++) {
		print_kernel(t, r, &grid[r - 1]);
		faults = faults || t->uses[r].fault;
	}
	lt__out(o, t->d->head);
	lt__out(o, faults ? fault_type : "");
	if (t->k->n_op && t->k->prelude && t->k->prelude[0])
		lt__outf(o, "%s\n", t->k->prelude);
	lt__out(o, t->helpers.at);
	size_t definitions = o->n;
	lt__out(o, t->functions.at);
	return definitions;
}

/* All in one block of memory: the table, names and parameters, then the text. */
static struct lt_text_grids *copy_grids(
	const struct lt_text_grid *grid, uint32_t n, const struct lt_out *text, size_t definitions)
{
	size_t bytes = sizeof(struct lt_text_grids) + n * sizeof *grid, names = text->n + 1;
	for (uint32_t g = 0; g < n; g++) {
		bytes += grid[g].n_parameter * sizeof *grid[g].parameters;
		names += strlen(grid[g].name) + 1;
	}
	struct lt_text_grids *all = malloc(bytes + names);
	if (!all)
		return NULL;
	struct lt_text_grid *to = (struct lt_text_grid *)(all + 1);
	struct lt_text_parameter *parameter = (struct lt_text_parameter *)(to + n);
	char *c = (char *)all + bytes;
	*all = (struct lt_text_grids){ memcpy(c, text->at, text->n + 1), n, to, definitions };
	c += text->n + 1;
	for (uint32_t g = 0; g < n; g++) {
		to[g] = grid[g];
		to[g].name = strcpy(c, grid[g].name);
		c += strlen(c) + 1;
		to[g].parameters = memcpy(parameter, grid[g].parameters, grid[g].n_parameter * sizeof *parameter);
		parameter += grid[g].n_parameter;
	}
	return all;
}

lt_status lt__text_grids(const struct lt_text_dialect *d, const struct lt_kernel *k,
	const struct lt_text_origins *origins,
	struct lt_text_grids **out, struct lt_diag *diag)
{
	*out = NULL;
	lt_status status = lt__text_accepts(d, k, diag);
	if (status)
		return status;
	struct text *t = calloc(1, sizeof *t);
	if (t && setjmp(t->pool.jump) == 0) {
		t->k = k;
		t->d = d;
		t->origins = origins;
		struct lt_out o = lt__out_new(&t->pool);
		struct lt_text_grid *grid = lt__pool_alloc(&t->pool, k->n_region, sizeof *grid);
		size_t definitions = print_all(t, &o, grid);
		*out = copy_grids(grid, k->n_region - 1, &o, definitions);
	}
	if (t)
		lt__pool_free(&t->pool);
	free(t);
	return *out ? LT_OK : lt__report(diag, LT_ENOMEM, -1, -1, NULL, "out of memory");
}

void lt__text_grids_free(struct lt_text_grids *grids) { free(grids); }
