/* wasm.c -- the backend wasm: kernel programs printed as modules of WebAssembly, which the engine that the library
 * itself runs in makes functions of.  They have the library's own memory, so nothing is copied.
 *
 * config: relaxed, engine=SOCKET.  dump: LT_DUMP_SOURCE is the module as text; LT_DUMP_STATS lines "name value".  A
 * program of its own has no engine but one that it is given: there a module can be looked at, and no more.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "backends/wasm/code.h"
#include "backends/wasm/object.h"
#include "backends/wasm/print.h"
#include "lt/options.h"

enum { RELAXED, ENGINE, N_OPTION };
static const struct lt_option rows[N_OPTION] = {
	[RELAXED] = { .key = "relaxed",
		.about = "products and sums of vectors are fused where the engine has that (relaxed SIMD)" },
	[ENGINE] = { .key = "engine", .value = "SOCKET", .slashes = 1,
		.about = "another process runs the modules, and all that they read is copied there: for tests" } };
static const struct lt_array options = { rows, N_OPTION, sizeof *rows };
struct wasm_config { bool relaxed; const char *engine; size_t bytes; };

/* A module with one relaxed multiply-add, which an engine without them refuses. */
static bool has_relaxed(struct wasm_engine *e)
{
	struct wasm_bytes m = { NULL, 0, 0, false }, body = m, code = m;
	lt__wasm_bytes(&m, "\0asm\1\0\0\0\1\5\1\x60\0\1\x7b\3\2\1\0", 19);
	lt__wasm_byte(&body, 0);
	for (int i = 0; i < 3; i++)
		lt__wasm_bytes(&body, "\x41\0\xfd\x11", 4);             /* i32.const 0, i32x4.splat */
	lt__wasm_bytes(&body, "\xfd\x85\2\x0b", 4);                     /* f32x4.relaxed_madd, end */
	lt__wasm_byte(&code, 1);
	lt__wasm_sized(&code, &body);
	lt__wasm_byte(&m, 10);
	lt__wasm_sized(&m, &code);
	const bool has = !m.failed && e && lt__wasm_engine_knows(e, m.at, m.n);
	free(m.at);
	return has;
}

static lt_status read_config(const char *config, struct wasm_config *out, struct lt_diag *diag)
{
	struct lt_option_reader r = lt_option_begin(config, rows, N_OPTION, diag);
	*out = (struct wasm_config){ .relaxed = false };
	for (struct lt_option_item item; lt_option_next(&r, &item); )
		if (item.which == RELAXED)
			out->relaxed = true;
		else
			*out = (struct wasm_config){ out->relaxed, item.text, item.bytes };
	return r.status;
}

/* The engine, and what is asked of it. */
static lt_status find_engine(const struct wasm_config *c, struct wasm_engine **out, struct lt_diag *diag)
{
	char why[400];
	if (!lt__wasm_engine_open(c->engine, c->bytes, out, why, sizeof why))
		return lt__report(diag, LT_EUNSUPPORTED, -1, -1, NULL, "wasm: %s", why);
	if (!c->relaxed || has_relaxed(*out))
		return LT_OK;
	lt__wasm_engine_close(*out);
	*out = NULL;
	return lt__report(diag, LT_EUNSUPPORTED, -1, -1,
		"leave `relaxed` out (node 20 wants --experimental-wasm-relaxed-simd)", "wasm: this engine has no relaxed SIMD");
}

static int32_t score(const char *config, struct lt_diag *diag)
{
	struct wasm_config c;
	struct wasm_engine *e = NULL;
	if (read_config(config, &c, diag) || find_engine(&c, &e, diag))
		return 0;
	lt__wasm_engine_close(e);
	return 100;
}

/* Where nothing is run no engine is needed. */
static lt_status open_(const struct lt_host *host, const char *config, struct lt_session **out, struct lt_diag *diag)
{
	const bool text_only = host && LT_HAS(struct lt_host, host, text_only);
	struct wasm_config c;
	struct wasm_engine *e = NULL;
	*out = NULL;
	lt_status status = read_config(config, &c, diag);
	if (!status && !text_only)
		status = find_engine(&c, &e, diag);
	if (status)
		return status;
	struct lt_session *s = *out = calloc(1, sizeof *s);
	if (!s) {
		lt__wasm_engine_close(e);
		return lt__wasm_no_memory(diag);
	}
	*s = (struct lt_session){ .host = host, .relaxed = c.relaxed, .engine = e,
		.caps = { .size = sizeof s->caps, .dtypes = ((UINT64_C(1) << LT_NDTYPE) - 1) & ~UINT64_C(1),
			.loops = 1u << LT_SERIAL | 1u << LT_UNROLL | 1u << LT_VECTOR | 1u << LT_PARALLEL | 1u << LT_GROUP
				| 1u << LT_TILE,
			.understands = LT_KERNEL_NEEDS, .target = &lt__wasm_target, .promises = LT_PROMISE_RUN_TOGETHER } };
	return LT_OK;
}

static void close_(struct lt_session *s)
{
	lt__wasm_engine_close(s->engine);
	free(s);
}

static const struct lt_caps *caps(const struct lt_session *s) { return &s->caps; }

/* -- programs */

/* Parameters of a team's function: slots, workspace, fault; params; each chunk of what it is handed; its points. */
static uint32_t count_handed(const struct lt_kernel *k, const struct lt_instruction *launch)
{
	uint32_t n = 3 + k->n_param + 2;
	for (int32_t e = 0; e < launch->n_extra; e++) {
		const struct lt_instruction *x = &k->instructions[k->extras[launch->first_extra + e]];
		n += lt__wasm_chunks_of(x->lanes, x->dtype == LT_LANE_MASK ? 4 : lt__number_bytes(x->dtype));
	}
	return n;
}

lt_status lt__wasm_check(const struct lt_kernel *k, struct lt_diag *diag)
{
	if (k->n_op)
		return lt__report(diag, LT_EUNSUPPORTED, -1, -1, NULL,
			"operator %s is known only as C text, which this backend cannot compile", k->ops[0].name);
	for (uint32_t i = 0; i < k->n_instruction; i++) {
		const struct lt_instruction *x = &k->instructions[i];
		if (x->opcode == LT_OPCODE_text || x->opcode > LT_OPCODE_dot)
			return lt__report(diag, LT_EUNSUPPORTED, -1, x->origin, NULL, "WebAssembly has nothing for `%s` of a kernel program",
				lt_opcode_name(x->opcode));
		if (x->opcode == LT_OPCODE_launch && count_handed(k, x) > WASM_MOST_PARAMETERS)
			return lt__report(diag, LT_EUNSUPPORTED, -1, x->origin, NULL,
				"a launch hands its threads %u values of at most 16 bytes; functions of WebAssembly take %d",
				(unsigned)count_handed(k, x), WASM_MOST_PARAMETERS);
		const uint32_t lanes = x->opcode == LT_OPCODE_fold ? k->instructions[x->operand[0]].lanes : 1;
		if (lanes & (lanes - 1))
			return lt__report(diag, LT_EUNSUPPORTED, -1, x->origin, NULL, "%u lanes are combined, which is no power of two",
				(unsigned)lanes);
	}
	return LT_OK;
}

static lt_status lower(const struct lt_session *s, const struct lt_tree *t, char last, struct lt_kernel **out,
	struct lt_diag *diag)
{
	const struct lt_machine machine = lt__wasm_machine();
	const struct lt_kernel_options how = { .last = last };
	struct lt_kernel *whole = NULL;
	*out = NULL;
	(void)s;
	if (lt_kernel_own_name(t))
		return lt__report(diag, LT_EUNSUPPORTED, -1, -1, NULL, "kernel %s is C of one's own, which takes a compiler",
			lt_kernel_own_name(t));
	lt_status status = lt_kernel_new(t, &machine, &how, &whole, diag);
	status = status ? status : lt_kernel_expand(whole, &machine, out, diag);
	lt_kernel_free(whole);
	status = status ? status : lt__wasm_check(*out, diag);
	if (status) {
		lt_kernel_free(*out);
		*out = NULL;
	}
	return status;
}

static char last_step(const struct lt_session *s)
{
	return s->host && LT_HAS(struct lt_host, s->host, kernel_step) ? (char)s->host->kernel_step : '\0';
}

static lt_status accepts(struct lt_session *s, const struct lt_tree *t, struct lt_diag *diag)
{
	struct lt_kernel *k;
	lt_status status = lower(s, t, lt_kernel_step_at(0)->letter, &k, diag);
	lt_kernel_free(k);
	return status;
}

/* -- objects */

static void destroy(struct lt_object *o)
{
	if (o && o->module)
		lt__wasm_engine_drop(o->s->engine, o->module);
	if (o)
		free(o->reach);
	free(o);
}

/* How far slots are reached, and whether they are written. */
static bool find_slots(struct lt_object *o, const struct lt_kernel *k)
{
	o->reach = calloc(k->n_slot + 1u, sizeof *o->reach + 1);
	o->writes = o->reach ? (uint8_t *)(o->reach + k->n_slot + 1) : NULL;
	for (uint32_t i = 0; o->reach && i < k->n_buffer; i++) {
		const struct lt_kernel_buffer *b = &k->buffers[i];
		const int64_t bytes = b->elems * lt__number_bytes(b->dtype);
		if (b->space != LT_SPACE_SLOT)
			continue;
		o->reach[b->slot] = bytes > o->reach[b->slot] ? bytes : o->reach[b->slot];
		o->writes[b->slot] |= b->written;
	}
	return o->reach;
}

/* What a module of this program imports, in its order. */
static uint32_t list_functions(const struct lt_kernel *k, wasm_function_fn *function[64])
{
	uint32_t n = 0;
	const uint64_t used = lt__wasm_functions(k);
	for (int f = 0; f < 64; f++)
		if (used >> f & 1)
			function[n++] = lt__wasm_function_at(f);
	return n;
}

static lt_status compile_one(
	struct lt_session *s, const struct lt_tree *t, struct lt_object **out, struct lt_diag *diag)
{
	struct wasm_bytes module = { NULL, 0, 0, false };
	struct lt_kernel *k;
	wasm_function_fn *function[64];
	char why[600];
	lt_status status = lower(s, t, last_step(s), &k, diag);
	struct lt_object *o = *out = status ? NULL : calloc(1, sizeof *o);
	if (status)
		return status;
	if (o)
		*o = (struct lt_object){ .s = s, .tree = t };
	if (!o || !find_slots(o, k) || !lt__wasm_print(k, s->relaxed, &module, NULL, &o->need)) {
		status = lt__wasm_no_memory(diag);
	} else if (s->engine) {
		const uint32_t n = list_functions(k, function);
		o->module = lt__wasm_engine_make(s->engine, module.at, module.n, function, n, why, sizeof why);
		status = o->module ? LT_OK : lt__report(diag, LT_ECOMPILE, -1, -1, NULL, "kernel %s: %s",
			lt__wasm_kernel_name(t), why);
	}
	if (!status)
		o->bytes = module.n;
	free(module.at);
	lt_kernel_free(k);
	return status;
}

static lt_status wasm_compile(struct lt_session *s, const struct lt_tree *const *tree, uint32_t n,
	struct lt_object **object, struct lt_diag *diag)
{
	const struct lt_host *host = s->host;
	lt_status status = LT_OK;
	memset(object, 0, n * sizeof *object);
	for (uint32_t i = 0; !status && i < n; i++) {
		if (host && LT_HAS(struct lt_host, host, cancelled) && host->cancelled(host))
			status = lt__report(diag, LT_ECANCELLED, -1, -1, NULL, "compiling was cancelled");
		status = status ? status : compile_one(s, tree[i], &object[i], diag);
		if (!status && host && LT_HAS(struct lt_host, host, progress))
			host->progress(host->user, (int32_t)i + 1, (int32_t)n);
	}
	for (uint32_t i = 0; status && i < n; i++) {
		destroy(object[i]);
		object[i] = NULL;
	}
	return status;
}

static lt_status sync_(struct lt_session *s, void *stream, struct lt_diag *diag)
{
	(void)s, (void)stream, (void)diag;
	return LT_OK;
}

static void need(const struct lt_object *o, uint32_t n_thread, size_t *bytes, size_t *align)
{
	(void)n_thread;
	*bytes = (size_t)o->need.workspace;
	*align = LT_MAX_ALIGN;
}

static void dump_stats(const struct lt_object *o, lt_write *write, void *user)
{
	char line[160];
	int n = snprintf(line, sizeof line, "workspace_bytes %lld\nparallel %d\nserialised %d\nthreads 1\nmodule_bytes %zu\n",
		(long long)o->need.workspace, (int)o->need.parallel, (int)o->need.parallel, o->bytes);
	write(user, line, (size_t)n);
}

static lt_status dump(const struct lt_object *o, enum lt_dump what, lt_write *write, void *user)
{
	const struct lt_machine machine = lt__wasm_machine();
	struct wasm_bytes text = { NULL, 0, 0, false };
	struct wasm_need again;
	struct lt_kernel *k;
	if (what == LT_DUMP_STATS) {
		dump_stats(o, write, user);
		return LT_OK;
	}
	if (what == LT_DUMP_DECISIONS)
		return lt_kernel_explain(o->tree, &machine, NULL, write, user);
	if (what != LT_DUMP_SOURCE && what != LT_DUMP_KERNEL)
		return LT_EUNSUPPORTED;
	lt_status status = lower(o->s, o->tree, last_step(o->s), &k, NULL);
	if (!status && what == LT_DUMP_KERNEL)
		lt_kernel_print(k, write, user);
	else if (!status && lt__wasm_print(k, o->s->relaxed, NULL, &text, &again))
		write(user, text.at, text.n);
	else
		status = status ? status : LT_ENOMEM;
	free(text.at);
	lt_kernel_free(k);
	return status;
}

static void describe(struct lt_session *s, lt_write *write, void *user)
{
	char text[160];
	const struct lt_target *t = &lt__wasm_target;
	int n = snprintf(text, sizeof text, "vectors %u bytes, %u registers\nthreads 1\nrelaxed SIMD %s\n",
		(unsigned)t->vector_bytes, (unsigned)t->vector_registers,
		s->relaxed ? "used" : has_relaxed(s->engine) ? "there, not used" : "not there");
	write(user, text, (size_t)n);
}

static const struct lt_backend wasm = {
	.size = sizeof wasm,
	.abi = LT_ABI,
	.build = LT_BUILD,
	.name = "wasm",
	.summary = "kernel programs as WebAssembly, for the engine of the page",
	.version = "1",
	.score = score,
	.open = open_,
	.close = close_,
	.caps = caps,
	.accepts = accepts,
	.compile = wasm_compile,
	.run = lt__wasm_run,
	.sync = sync_,
	.destroy = destroy,
	.need = need,
	.capture = lt__wasm_capture,
	.replay = lt__wasm_replay,
	.capture_free = lt__wasm_capture_free,
	.dump = dump,
	.describe = describe,
	.options = &options,
};
LT_BACKEND(wasm)
