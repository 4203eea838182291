/* sim.c -- the backend sim: lowers a frozen tree to a kernel program and runs it in the simulator.
 *
 * It distinguishes a wrong kernel program (sim differs from ref, or finds something) from a wrong printer (a backend
 * differs from sim).
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "backends/sim/sim.h"
#include "kernel/form/form.h"

struct lt_session {
	const struct lt_host *host;
	struct sim_config config;
	struct lt_target target;
	char target_name[16];
	struct lt_caps caps;
};
struct lt_object {
	struct lt_session *session;
	const struct lt_tree *tree;     /* borrowed */
	struct lt_kernel *kernel;
	uint8_t *fresh;                 /* by slot */
	pthread_mutex_t turn;           /* of what follows: sums over runs */
	struct lt_simulate_count count; /* requests, too, on a machine whose bounds are predicted */
	int64_t n_run;
};

/* Default trees have loops of every kind that a program may have: several threads, vectors. */
static const struct lt_target target = { .size = sizeof target, .name = "sim", .vector_bytes = 32,
	.vector_registers = 16, .cores = 4, .cache_line = 64, .l1_bytes = 32 << 10, .l2_bytes = 256 << 10 };
/* Of a machine that runs grids: what is not bound to a grid is run by one thread. */
static const struct lt_target grid_target = { .size = sizeof grid_target, .name = "sim:grid", .cores = 1,
	.cache_line = 32, .l1_bytes = 32 << 10, .l2_bytes = 256 << 10, .multiprocessors = 4, .warp = 32,
	.max_block = LT_MAX_THREADS, .registers = 65536 };
/* With `calls`: products of any layout, with all that may follow them. */
enum { MIN_FLOPS = 1000 };      /* of a call in a default tree */
#define FLOATS (1u << LT_F32 | 1u << LT_F64 | 1u << LT_F16 | 1u << LT_BF16)
#define INTEGERS (1u << LT_I8 | 1u << LT_U8 | 1u << LT_I16 | 1u << LT_I32 | 1u << LT_I64)
#define LAYOUTS (LT_LAYOUT_ANY | LT_LAYOUT_BATCH | LT_LAYOUT_BOUNDED)
#define OP(name) (UINT64_C(1) << LT_OPCODE_##name)
/* By their descriptions: pointwise operators of floats. */
#define ARITHMETIC (OP(add) | OP(sub) | OP(mul) | OP(div) | OP(min) | OP(max) | OP(neg) | OP(abs) | OP(reciprocal) \
	| OP(exp) | OP(log) | OP(sqrt) | OP(rsqrt) | OP(tanh) | OP(sigmoid) | OP(erf))
#define GRAPH .pattern = LT_PATTERN_GRAPH, .left = FLOATS, .right = FLOATS, .result = FLOATS, .sum = LT_F64, \
	.layouts = LAYOUTS, .min_flops = MIN_FLOPS, .wide = 1
static const struct lt_routine routines[] = {
	{ .name = "graph", GRAPH, .anchors = 1u << LT_ANCHOR_PRODUCT | 1u << LT_ANCHOR_CONVOLUTION,
		.before = OP(add) | OP(mul) | OP(max), .behind = ARITHMETIC, .max_ops = 12, .max_reads = 8, .max_results = 2 },
	{ .name = "attention", GRAPH, .anchors = 1u << LT_ANCHOR_ATTENTION, .before = OP(mul) | OP(div),
		.scores = 1u << LT_SCORES_ALL | 1u << LT_SCORES_CAUSAL | 1u << LT_SCORES_LENGTHS | 1u << LT_SCORES_CAUSAL_LENGTHS,
		.max_results = 1 },
	{ .name = "norm", GRAPH, .anchors = 1u << LT_ANCHOR_NORM, .behind = ARITHMETIC, .max_results = 1 },
	{ .name = "pair", GRAPH, .anchors = 1u << LT_ANCHOR_PRODUCT, .behind = ARITHMETIC,
		.max_ops = 12, .max_reads = 8, .max_results = 1, .max_anchors = 2 },
	{ .name = "gemm", LT_PATTERN_PRODUCT, 63, FLOATS, FLOATS, FLOATS, 0, 0, LT_F64, LAYOUTS, MIN_FLOPS },
	{ .name = "gemm", LT_PATTERN_PRODUCT, LT_EPILOGUE_BIAS | LT_EPILOGUE_RESIDUAL | LT_EPILOGUE_RELU, INTEGERS,
		INTEGERS, INTEGERS, 0, 0, LT_I64, LAYOUTS, MIN_FLOPS },
	/* By hand: whatever a nest is, by its description. */
	{ .name = "any", LT_PATTERN_NONE, 0, 0, 0, 0, 0, 0, 0, 0, 0 },
};
enum { N_GRAPH = 4 };           /* with `groups` alone */
const char *const lt__sim_wide[] = { "graph", "attention", "norm", "pair", NULL };
#undef GRAPH
#undef ARITHMETIC
#undef OP
#undef LAYOUTS
#undef INTEGERS
#undef FLOATS
static const struct lt_caps known = { .size = sizeof known,
	.dtypes = (1u << LT_NDTYPE) - 2,
	.loops = 1u << LT_SERIAL | 1u << LT_PARALLEL | 1u << LT_VECTOR | 1u << LT_UNROLL | 1u << LT_GROUP | 1u << LT_TILE,
	.understands = LT_KERNEL_NEEDS,
	.target = &target,
	.promises = LT_PROMISE_RUN_TOGETHER };

static lt_status out_of_memory(struct lt_diag *diag)
{
	return lt__report(diag, LT_ENOMEM, -1, -1, NULL, "out of memory");
}

static int32_t score(const char *config, struct lt_diag *diag)
{
	struct sim_config c;
	return lt__sim_config(config, &c, diag) ? 0 : 1;
}

static void name_target(struct lt_session *s, const struct lt_simulate_machine *m)
{
	(void)snprintf(s->target_name, sizeof s->target_name, "sim:%s", m->name);
	s->target.name = s->target_name;
	s->target.multiprocessors = (uint32_t)m->multiprocessors;
	s->target.registers = (uint64_t)m->registers;
	s->target.l2_bytes = (uint64_t)m->l2_bytes;
}

static lt_status open_(const struct lt_host *host, const char *config, struct lt_session **out, struct lt_diag *diag)
{
	struct sim_config c;
	*out = NULL;
	lt_status status = lt__sim_config(config, &c, diag);
	if (status)
		return status;
	*out = calloc(1, sizeof **out);
	if (!*out)
		return out_of_memory(diag);
	**out = (struct lt_session){ .host = host, .config = c, .target = target, .caps = known };
	if (c.machine.vector_bytes)     /* default trees for these vectors */
		(*out)->target.vector_bytes = c.machine.vector_bytes;
	if (c.machine.subgroup) {
		(*out)->target = grid_target;
		(*out)->target.warp = c.machine.subgroup;
		(*out)->target.tiles = (struct lt_array){ lt__tile_names, c.machine.n_tile, sizeof *lt__tile_names };
		(*out)->target.shared_bytes = (uint64_t)c.machine.shared_bytes;
		(*out)->target.max_block = (uint32_t)c.max_block;
		(*out)->target.allows = c.tf32 ? LT_ALLOW_TF32 : 0;
		if (c.named)
			name_target(*out, c.named);
		(*out)->caps.loops |= 1u << LT_GRID | 1u << LT_BLOCK;
		(*out)->caps.understands |= LT_KERNEL_GRID_NEEDS;
		(*out)->caps.device_memory = 1;
	}
	if (c.machine.subgroup && c.machine.calls) {
		const uint32_t first = c.groups ? 0 : N_GRAPH;
		(*out)->target.routines = (struct lt_array){ routines + first, sizeof routines / sizeof *routines - first,
			sizeof *routines };
		(*out)->caps.loops |= 1u << LT_CALL;
	}
	(*out)->caps.target = &(*out)->target;
	return LT_OK;
}

static void close_(struct lt_session *s) { free(s); }

static const struct lt_caps *caps(const struct lt_session *s) { return &s->caps; }

/* With `expand`: the program in its place. */
static lt_status sim_expand(const struct lt_session *s, struct lt_kernel **k, struct lt_diag *diag)
{
	struct lt_kernel *expanded;
	if (!s->config.expand)
		return LT_OK;
	lt_status status = lt_kernel_expand(*k, &s->config.machine, &expanded, diag);
	lt_kernel_free(*k);
	*k = expanded;
	return status;
}

static lt_status sim_lower(
	const struct lt_session *s, const struct lt_tree *t, struct lt_kernel **out, struct lt_diag *diag)
{
	const struct lt_kernel_options options = { .skip = s->config.skip, .verify = 1,
		.last = s->host && LT_HAS(struct lt_host, s->host, kernel_step) ? (char)s->host->kernel_step : '\0' };
	lt_status status = lt_kernel_new(t, &s->config.machine, &options, out, diag);
	status = status ? status : sim_expand(s, out, diag);
	if (!status && s->config.drop)
		status = lt__sim_drop(out, s->config.drop, diag);
	status = status ? status : lt__simulate_accepts(*out, diag);
	if (!status && s->config.machine.subgroup)
		status = lt__blocks_fit(*out, s->config.max_block, s->config.machine.shared_bytes, diag);
	if (status) {
		lt_kernel_free(*out);
		*out = NULL;
	}
	return status;
}

static lt_status accepts(struct lt_session *s, const struct lt_tree *t, struct lt_diag *diag)
{
	struct lt_kernel *k;
	lt_status status = sim_lower(s, t, &k, diag);
	lt_kernel_free(k);
	return status;
}

static void write_log(void *user, const char *text, size_t bytes)
{
	const struct lt_host *host = user;
	char line[200];
	(void)snprintf(line, sizeof line, "  %.*s", (int)(bytes ? bytes - 1 : 0), text);
	host->log(host, LT_LOG_INFO, line);
}

/* What bounds the loops of its grids, by all runs together. */
static lt_status print_bounds(const struct lt_object *o, lt_write *write, void *user)
{
	const struct lt_simulate_machine *m = o->session->config.named;
	return m && o->n_run ? lt__simulate_predict(o->kernel, &o->count, m, write, user) : LT_OK;
}

/* A library must not print without its host's knowledge: the lines go to the host's log. */
static void report_counts(const struct lt_object *o)
{
	const struct lt_host *host = o->session->host;
	char line[200];
	if (!o->session->config.counts || !o->n_run || !host || !LT_HAS(struct lt_host, host, log))
		return;
	(void)snprintf(line, sizeof line, "kernel %s, %lld %s", o->kernel->name, (long long)o->n_run,
		o->n_run == 1 ? "run" : "runs");
	host->log(host, LT_LOG_INFO, line);
	(void)lt__simulate_print_counts(o->kernel, &o->count, write_log, (void *)(uintptr_t)host);
	(void)print_bounds(o, write_log, (void *)(uintptr_t)host);
}

static void count_free(struct lt_simulate_count *c)
{
	free(c->runs);
	free(c->lanes);
	free(c->request);
}

static void destroy(struct lt_object *o)
{
	if (!o)
		return;
	if (o->kernel)
		report_counts(o);
	(void)pthread_mutex_destroy(&o->turn);
	lt_kernel_free(o->kernel);
	free(o->fresh);
	count_free(&o->count);
	free(o);
}

static lt_status count_new(const struct lt_object *o, struct lt_simulate_count *c)
{
	const size_t n = (size_t)o->kernel->n_instruction + 1;
	const bool requests = o->session->config.named != NULL;
	*c = (struct lt_simulate_count){ calloc(n, sizeof *c->runs), calloc(n, sizeof *c->lanes),
		requests ? calloc(n, sizeof *c->request) : NULL };
	return c->runs && c->lanes && (c->request || !requests) ? LT_OK : LT_ENOMEM;
}

/* Points of access `a` that statement s writes for sure: one for each iteration of the loops that move it; 0 where
 * guards or bounds may leave some out. */
static int64_t sure_points(const struct lt_tree *t, const struct lt_stmt *s, const struct lt_access *a)
{
	const int64_t *loops = t->rows + (int64_t)a->row * t->n_column + 1 + t->n_param;
	int64_t n = s->n_guard || a->index >= 0 ? 0 : 1;
	for (int32_t l = s->loop; l >= 0; l = LT_AT(struct lt_loop, t->loops, l)->parent) {
		const struct lt_loop *x = LT_AT(struct lt_loop, t->loops, l);
		if (x->n_bound || (loops[l] && __builtin_mul_overflow(n, x->max_trip_count, &n)))
			return 0;
	}
	return n;
}

/* The same at most. */
static int64_t max_points(const struct lt_tree *t, const struct lt_stmt *s, const struct lt_access *a)
{
	const int64_t *loops = t->rows + (int64_t)a->row * t->n_column + 1 + t->n_param;
	int64_t n = 1;
	for (int32_t l = s->loop; l >= 0; l = LT_AT(struct lt_loop, t->loops, l)->parent)
		if (loops[l] && __builtin_mul_overflow(n, LT_AT(struct lt_loop, t->loops, l)->max_trip_count, &n))
			return INT64_MAX;
	return n;
}

/* Whether the kernel writes but a part of buffer b, whatever its guards and bounds say: a piece of a result, between
 * whose rows others write theirs. */
static bool writes_piece(const struct lt_tree *t, int32_t b)
{
	const int64_t elems = LT_AT(struct lt_buffer, t->buffers, b)->elems;
	int64_t n = 0;
	for (uint32_t i = 0; i < t->stmts.n; i++) {
		const struct lt_stmt *s = LT_AT(struct lt_stmt, t->stmts, i);
		const struct lt_access *a = s->dest >= 0 ? LT_AT(struct lt_access, t->accesses, s->dest) : NULL;
		if (!a || a->buffer != b || (s->kind != LT_MAP && s->kind != LT_RESET))
			continue;
		if (a->index >= 0 || __builtin_add_overflow(n, max_points(t, s, a), &n))
			return false;
	}
	return n < elems;
}

/* Whether the kernel writes all of buffer b for sure.  An update writes part of what another kernel, or the host, has
 * put there.  (Copies of a statement, as of a peeled loop, write apart; two updates may overlap.) */
static bool writes_whole(const struct lt_tree *t, int32_t b)
{
	const int64_t elems = LT_AT(struct lt_buffer, t->buffers, b)->elems;
	int64_t n = 0;
	const char *name = NULL;
	for (uint32_t i = 0; i < t->stmts.n && n < elems; i++) {
		const struct lt_stmt *s = LT_AT(struct lt_stmt, t->stmts, i);
		const struct lt_access *a = s->dest >= 0 ? LT_AT(struct lt_access, t->accesses, s->dest) : NULL;
		if (!a || a->buffer != b || (s->kind != LT_MAP && s->kind != LT_RESET))
			continue;
		n = name && s->name && strcmp(name, s->name) == 0 ? n : 0;
		name = s->name;
		if (__builtin_add_overflow(n, sure_points(t, s, a), &n))
			return true;
	}
	return n >= elems;
}

/* Slots whose content has no meaning before the kernel runs: what this one writes for other kernels or for the host.
 * All of a result is written, unless run-time extents say how much, or it is a piece of one; other kernels' may have
 * elements that pad.  Where a kernel may write less than all of those, what was there before may be meant. */
static void fill_fresh(const struct lt_tree *t, uint8_t *fresh)
{
	memset(fresh, t->n_param ? 1 : 2, (size_t)t->n_slot);
	for (uint32_t i = 0; i < t->buffers.n; i++) {
		const struct lt_buffer *b = LT_AT(struct lt_buffer, t->buffers, i);
		if (b->slot >= 0 && (!b->written || (b->role != LT_OUTPUT && b->role != LT_WORKSPACE)))
			fresh[b->slot] = 0;
		else if (b->slot >= 0 && b->role == LT_WORKSPACE && fresh[b->slot])
			fresh[b->slot] = writes_whole(t, (int32_t)i) ? 1 : 0;
		else if (b->slot >= 0 && fresh[b->slot] && writes_piece(t, (int32_t)i))
			fresh[b->slot] = 0;
	}
}

static lt_status compile_one(
	struct lt_session *s, const struct lt_tree *t, struct lt_object **out, struct lt_diag *diag)
{
	struct lt_object *o = *out = calloc(1, sizeof *o);
	if (!o)
		return out_of_memory(diag);
	o->session = s;
	o->tree = t;
	if (pthread_mutex_init(&o->turn, NULL)) {
		free(o);
		*out = NULL;
		return out_of_memory(diag);
	}
	lt_status status = sim_lower(s, t, &o->kernel, diag);
	if (status)
		return status;
	o->fresh = calloc(o->kernel->n_slot + 1u, 1);
	if (!o->fresh || count_new(o, &o->count))
		return out_of_memory(diag);
	fill_fresh(t, o->fresh);
	return LT_OK;
}

static lt_status sim_compile(struct lt_session *s, const struct lt_tree *const *tree, uint32_t n,
	struct lt_object **object, struct lt_diag *diag)
{
	lt_status status = LT_OK;
	memset(object, 0, n * sizeof *object);
	for (uint32_t i = 0; !status && i < n; i++)
		status = compile_one(s, tree[i], &object[i], diag);
	for (uint32_t i = 0; status && i < n; i++) {
		destroy(object[i]);
		object[i] = NULL;
	}
	return status;
}

static void add_counts(struct lt_object *o, const struct lt_simulate_count *c)
{
	(void)pthread_mutex_lock(&o->turn);
	o->n_run++;
	for (uint32_t i = 0; i < o->kernel->n_instruction; i++) {
		o->count.runs[i] += c->runs[i];
		o->count.lanes[i] += c->lanes[i];
		for (size_t n = 0; c->request && n < sizeof *c->request / sizeof(int64_t); n++)
			((int64_t *)&o->count.request[i])[n] += ((const int64_t *)&c->request[i])[n];
	}
	(void)pthread_mutex_unlock(&o->turn);
}

static lt_status sim_run(struct lt_object *o, const struct lt_args *args, struct lt_diag *diag)
{
	struct lt_simulate_count c;
	struct lt_simulate_options options = o->session->config.options;
	if (!options.blocks)            /* else results are not whole, nor what other kernels leave */
		options.fresh = o->fresh;
	lt_status status = count_new(o, &c);
	if (status)
		status = out_of_memory(diag);
	else
		status = lt__simulate(o->kernel, args, &options, &c, NULL, diag);
	if (!status)
		add_counts(o, &c);
	count_free(&c);
	return status;
}

static lt_status sync_(struct lt_session *s, void *stream, struct lt_diag *diag)
{
	(void)s, (void)stream, (void)diag;
	return LT_OK;
}

static lt_status dump_stats(const struct lt_object *o, lt_write *write, void *user)
{
	char line[64];
	pthread_mutex_t *turn = (pthread_mutex_t *)(uintptr_t)&o->turn;         /* which nobody sees change */
	(void)pthread_mutex_lock(turn);
	int n = snprintf(line, sizeof line, "parallel %d\nruns %lld\n", o->kernel->n_region > 1, (long long)o->n_run);
	write(user, line, (size_t)n);
	lt_status status = lt__simulate_print_counts(o->kernel, &o->count, write, user);
	status = status ? status : print_bounds(o, write, user);
	(void)pthread_mutex_unlock(turn);
	return status;
}

static lt_status dump(const struct lt_object *o, enum lt_dump what, lt_write *write, void *user)
{
	if (what == LT_DUMP_STATS)
		return dump_stats(o, write, user);
	if (what == LT_DUMP_DECISIONS)
		return lt_kernel_explain(o->tree, &o->session->config.machine,
			&(struct lt_kernel_options){ .skip = o->session->config.skip }, write, user);
	if (what == LT_DUMP_LOCATIONS && o->session->config.machine.subgroup)
		return lt_kernel_locations(o->tree, &o->session->config.machine, o->kernel, write, user);
	if (what != LT_DUMP_KERNEL)
		return LT_EUNSUPPORTED;         /* it makes no code */
	lt_kernel_print(o->kernel, write, user);
	return LT_OK;
}

static void describe(struct lt_session *s, lt_write *write, void *user)
{
	static const char *const orders[] = { "random", "forward", "backward" };
	char text[160];
	int n = snprintf(text, sizeof text, "seed %llu\norder %s\nrange %lld\narray %lld\nteams %u\n%s",
		(unsigned long long)s->config.options.seed, orders[s->config.options.order], (long long)s->config.options.range,
		(long long)s->config.machine.array_bytes, (unsigned)s->config.machine.teams,
		s->config.expand ? "operators expanded\n" : "");
	write(user, text, (size_t)n);
}

static const struct lt_backend sim = {
	.size = sizeof sim,
	.abi = LT_ABI,
	.build = LT_BUILD,
	.name = "sim",
	.summary = "simulator of kernel programs: slow, finds races, undefined values and stray accesses",
	.version = "1",
	.score = score,
	.open = open_,
	.close = close_,
	.caps = caps,
	.accepts = accepts,
	.compile = sim_compile,
	.run = sim_run,
	.sync = sync_,
	.destroy = destroy,
	.dump = dump,
	.describe = describe,
	.mem_new = lt__sim_mem_new,
	.mem_free = lt__sim_mem_free,
	.mem_copy = lt__sim_mem_copy,
	.options = &lt__sim_options,
};
LT_BACKEND(sim)
