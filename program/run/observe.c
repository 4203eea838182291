/* observe.c -- which values are whole in memory after which step of a run, and reading them there. */
#include <stdlib.h>
#include <string.h>
#include "looptree/derive/derive.h"
#include "program/run/parts.h"

/* By node of the lowered graph: the same value in the optimised graph; -1: the schedule made it. */
static lt_node *same_values(const struct lt_program *p, struct lt_arena *a)
{
	const struct lt_graph *g = p->tree->graph;
	const struct lt_derived *own = p->tree->derived;
	lt_node *base = LT_NEW(a, lt_node, g->n_node + 1);
	for (lt_node n = 0; n < g->n_node; n++)
		base[n] = g == p->base ? n : lt__node_named(p->base, g->node[n].name);
	for (int32_t i = 0; g != p->base && own && i < own->n_step; i++) {
		lt_node copy = own->step[i].kind == LT_DERIVED_MATERIALIZE ? lt__node_named(g, own->step[i].made) : -1;
		if (copy >= 0)
			base[copy] = lt__node_named(p->base, own->step[i].of);
	}
	for (lt_node n = 0; n < g->n_node; n++) {
		const struct lt_nodedef *d = &g->node[n], *b = base[n] < 0 ? NULL : &p->base->node[base[n]];
		if (b
			&& (b->dtype != d->dtype || b->n_dim != d->n_dim
				|| (d->n_dim && memcmp(b->dim, d->dim, (size_t)d->n_dim * sizeof *d->dim))))
			base[n] = -1;
	}
	return base;
}

/* The step that made a node of that name; NULL: none did. */
static const struct lt_derived_step *made_by(const struct lt_derived *own, const char *name)
{
	for (int32_t i = 0; own && i < own->n_step; i++)
		if (!strcmp(own->step[i].made, name))
			return &own->step[i];
	return NULL;
}

lt_node lt__base_named(const struct lt_program *p, const char *name)
{
	const struct lt_derived_step *from;
	while ((from = made_by(p->tree->derived, name)) != NULL && from->kind != LT_DERIVED_PARTIAL)
		name = from->of;
	return lt__node_named(p->base, name);
}

/* Be it a clone of it, of a copy or of another clone. */
bool *lt__computed_again(const struct lt_program *p, struct lt_arena *a)
{
	const struct lt_derived *own = p->tree->derived;
	bool *again = LT_NEW(a, bool, p->base->n_node + 1);
	for (int32_t i = 0; own && i < own->n_step; i++) {
		const struct lt_derived_step *s = &own->step[i];
		if (s->kind != LT_DERIVED_CLONE && s->kind != LT_DERIVED_CLONE_VIEW)
			continue;
		lt_node n = lt__base_named(p, s->of);
		if (n >= 0)
			again[n] = true;
	}
	return again;
}

/* By node of the lowered graph: base, and done, once it is in the list; by node of the optimised graph: again. */
struct seen_maps { const lt_node *base; bool *done; const bool *again; };

static void add_values(const struct lt_program *p, const struct lt_pstep *step, int32_t at,
	const struct seen_maps *maps, struct lt_seen *out, int32_t *n)
{
	const struct lt_frozen *f = &p->nests.frozen[step->nest];
	for (uint32_t i = 0; i < f->tree.stmts.n; i++) {
		lt_node node = f->node[i];
		const struct lt_location *location = &p->nests.assigned.location[node];
		if (location->storage < 0 || maps->done[node] || maps->base[node] < 0)
			continue;
		maps->done[node] = true;
		const struct lt_storage *s = &p->nests.assigned.storage[location->storage];
		out[(*n)++] = (struct lt_seen){ .base = maps->base[node],
			.lowered = node,
			.step = at,
			.storage = location->storage,
			.kernel = f->tree.name,
			.again = maps->again[maps->base[node]],
			.lasts = s->space == LT_STORAGE_PREPARED
				&& p->offsets.lifetime[location->storage].last >= p->plan.n_prepare + p->plan.n_run,
			.elems = lt__node_elems(p->tree->graph, node) };
	}
}

void lt__seen_values(const struct lt_program *p, struct lt_arena *a, struct lt_seen **out, int32_t *n)
{
	const struct seen_maps maps = { same_values(p, a), LT_NEW(a, bool, p->tree->graph->n_node + 1),
		lt__computed_again(p, a) };
	*out = LT_NEW(a, struct lt_seen, p->tree->graph->n_node + 1);
	*n = 0;
	for (int32_t i = 0; i < p->plan.n_prepare + p->plan.n_run; i++) {
		const struct lt_pstep *step = i < p->plan.n_prepare ? &p->plan.prepare[i] : &p->plan.run[i - p->plan.n_prepare];
		if (step->kind == LT_STEP_RUN || step->kind == LT_STEP_BLOCKS)
			add_values(p, step, i, &maps, *out, n);
	}
}

/* Elements that index x of a dim adds to the offset, by the layout's digits. */
static int64_t digits_of(const struct lt_memlayout *l, int32_t dim, const int64_t *extent, int64_t x)
{
	int64_t unit = 1, sum = 0;
	for (int32_t i = l->n - 1; i >= 0; i--) {
		const struct lt_digit *d = &l->digit[i];
		if (d->dim == dim)
			sum += unit * ((d->span ? x % d->span : x) / d->step);
		unit = unit * lt__digit_extent(d, extent) + d->pad;
	}
	return sum;
}

/* offset[d][x]: what index x of dim d adds.  An element's offset is the sum over its dims. */
static int64_t **new_offsets(const struct lt_program *p, lt_node n)
{
	const struct lt_nodedef *d = &p->tree->graph->node[n];
	const struct lt_memlayout *l = p->tree->layout[n];
	size_t numbers = 0;
	for (int32_t i = 0; i < d->n_dim; i++)
		numbers += (size_t)p->tree->graph->var[d->dim[i]].extent;
	int64_t **offset = malloc((size_t)(d->n_dim + 1) * sizeof *offset), *at = malloc((numbers + 1) * sizeof *at);
	if (!offset || !at) {
		free(offset);
		free(at);
		return NULL;
	}
	offset[0] = at;
	for (int32_t i = 0; i < d->n_dim; i++) {
		int64_t extent = p->tree->graph->var[d->dim[i]].extent;
		offset[i] = at;
		for (int64_t x = 0; x < extent; x++)
			*at++ = l ? digits_of(l, i, p->tree->scope[n].extent, x) : x * p->nests.assigned.location[n].stride[i];
	}
	return offset;
}

lt_status lt__seen_read(const struct lt_program *p, const struct lt_seen *seen, const void *from, void *out)
{
	const struct lt_nodedef *d = &p->tree->graph->node[seen->lowered];
	size_t bytes = lt__dtype_info(d->dtype)->bytes;
	int64_t **offset = new_offsets(p, seen->lowered), at[LT_MAX_RANK] = { 0 };
	int32_t inner = d->n_dim - 1;
	int64_t row = inner >= 0 ? p->tree->graph->var[d->dim[inner]].extent : 1;
	if (!offset)
		return LT_ENOMEM;
	for (int64_t done = 0; done < seen->elems; done += row) {
		int64_t base = p->nests.assigned.location[seen->lowered].offset;
		for (int32_t i = 0; i < inner; i++)
			base += offset[i][at[i]];
		for (int64_t x = 0; x < row; x++)
			memcpy((char *)out + (size_t)(done + x) * bytes,
				(const char *)from + (size_t)(base + (inner >= 0 ? offset[inner][x] : 0)) * bytes,
				bytes);
		for (int32_t i = inner - 1; i >= 0 && ++at[i] == p->tree->graph->var[d->dim[i]].extent; i--)
			at[i] = 0;
	}
	free(offset[0]);
	free(offset);
	return LT_OK;
}

/* -- a run in single steps -- */

struct observer {
	struct lt_instance *r;
	const struct lt_addresses *a;
	lt__seen_fn *seen;
	void *user;
};

/* From the memory that the value was written in. */
static lt_status observer_show(const struct observer *o, const struct lt_seen *seen, int32_t memory)
{
	const struct lt_program *p = o->r->program;
	struct lt_context *ctx = &o->r->ctx;
	const struct lt_storage *s = &p->nests.assigned.storage[seen->storage];
	size_t bytes = (size_t)seen->elems * lt__dtype_info(s->dtype)->bytes;
	void *data = malloc(bytes + 1), *fetched = memory ? malloc(lt__storage_bytes(s) + 1) : NULL;
	lt_status st = data && (fetched || !memory) ? LT_OK : lt_fail(ctx, LT_ENOMEM, "out of memory");
	if (!st && memory)
		st = lt__fetch(p, seen->storage, memory, o->a, fetched);
	if (!st)
		st = lt__seen_read(p, seen, memory ? fetched : lt__storage_address(p, seen->storage, o->a), data) ?
			lt_fail(ctx, LT_ENOMEM, "out of memory") : LT_OK;
	if (!st)
		st = o->seen(o->user, seen, data);
	free(fetched);
	free(data);
	return st;
}

static lt_status run_steps(const struct observer *o, const struct lt_seen *seen, int32_t n)
{
	struct lt_program *p = o->r->program;
	int32_t next = 0;
	/* What a kernel leaves out must not look right because the run before wrote it. */
	if (p->offsets.at[0].workspace_bytes)
		memset(o->a->workspace, 0xff, p->offsets.at[0].workspace_bytes);
	for (; next < n && seen[next].step < p->plan.n_prepare; next++)
		if (seen[next].lasts)
			LT_TRY(observer_show(o, &seen[next], p->plan.prepare[seen[next].step].memory));
	for (int32_t i = 0; i < p->plan.n_run; i++) {
		LT_TRY(lt__program_steps_run(p, &p->plan.run[i], 1, o->a, o->r->slot, &o->r->fault[i]));
		for (; next < n && seen[next].step == p->plan.n_prepare + i; next++)
			LT_TRY(observer_show(o, &seen[next], p->plan.run[i].memory));
	}
	return LT_OK;
}

struct listing { const struct lt_program *p; struct lt_arena *arena; struct lt_seen *seen; int32_t n; };

static lt_status list_values(void *arg)
{
	struct listing *l = arg;
	lt__seen_values(l->p, l->arena, &l->seen, &l->n);
	return LT_OK;
}

lt_status lt__instance_observe(
	struct lt_instance *r, const void *const *input, void *const *result, lt__seen_fn *seen, void *user)
{
	struct lt_context *ctx = &r->ctx;
	struct listing l = { .p = r->program };
	struct lt_addresses a;
	LT_TRY(lt__instance_begin(r, input, result, &a));
	LT_TRY(lt__queue_wait_all(r->program, &a));
	a.queue = NULL;                         /* each step is looked at */
	a.crossing = NULL;
	a.all_steps = true;
	LT_TRY(lt__arena_new(ctx, &l.arena));
	lt_status st = lt__protect(ctx, list_values, &l);
	if (!st)
		st = run_steps(&(struct observer){ r, &a, seen, user }, l.seen, l.n);
	lt__arena_free(l.arena);
	return st;
}
