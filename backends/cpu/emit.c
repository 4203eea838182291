/* emit.c -- a frozen tree as C: the kernel program for this machine, and its text. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "backends/cpu/cpu.h"
#include "backends/text/text.h"

static const struct emit { const char *name; const struct lt_text_dialect *dialect; } emits[LT_CPU_NEMIT] = {
	[LT_CPU_C] = { "c", &lt__text_c },
	[LT_CPU_C99] = { "c99", &lt__text_c99 },
	[LT_CPU_BARE] = { "bare", &lt__text_bare },
};

const char *lt__cpu_emit_name(enum lt_cpu_emit e) { return emits[e].name; }

bool lt__cpu_emit_find(const char *name, size_t bytes, enum lt_cpu_emit *out)
{
	for (int i = 0; i < LT_CPU_NEMIT; i++)
		if (strlen(emits[i].name) == bytes && memcmp(emits[i].name, name, bytes) == 0) {
			*out = (enum lt_cpu_emit)i;
			return true;
		}
	return false;
}

enum {
	MAX_ARRAY = 16 << 10, MAX_STACK = 128 << 10,    /* bytes of one local array; of all together: the rest is workspace */
	MAX_UNROLLED = 1024,                            /* statements of copies */
	MAX_COPIED = 64,                                /* the same, of serial loops that compute */
	BARE_ARRAY = 64, BARE_STACK = 128, BARE_VARIABLES = 16, /* of a microcontroller, whose stack is small */
	OWN_ALIGN = 64                                  /* bytes that the workspace of a kernel of one's own begins at */
};

static struct lt_machine machine_of(const struct lt_session *s)
{
	struct lt_machine machine = { .array_bytes = MAX_ARRAY, .stack_bytes = MAX_STACK, .teams = 1 };
	if (emits[s->emit].dialect->lanes) {
		machine.vector_bytes = s->target.vector_bytes;
		machine.masked = s->target.vector_bytes == 64;          /* AVX-512 */
		machine.unrolled = MAX_UNROLLED;
		machine.max_variables = 128;
		machine.tile_lanes = s->target.vector_bytes / 2;
		machine.stream_bytes = 16 | 32 | 64;
		machine.cache_bytes = 1 << 20;
		machine.page_bytes = 4096;
		machine.dot_bytes = !strcmp(s->model->machine, "x86_64") || !strcmp(s->model->machine, "wasm32") ? 16 : 0;
		machine.copied = MAX_COPIED;
	}
	if (emits[s->emit].dialect->bare) {
		machine.array_bytes = BARE_ARRAY;
		machine.stack_bytes = BARE_STACK;
		machine.teams = 0;
		machine.unrolled = MAX_COPIED;
		machine.dot_bytes = (uint32_t)s->target.dot_bytes;
		machine.max_variables = BARE_VARIABLES;
	}
	machine.operators = lt__text_operators(emits[s->emit].dialect, machine.masked, s->model->avr_libc,
		s->vector_library, &machine.n_operator);
	return machine;
}

static struct lt_kernel_options options_of(const struct lt_session *s)
{
	return (struct lt_kernel_options){
		.last = LT_HAS(struct lt_host, s->host, kernel_step) ? (char)s->host->kernel_step : '\0' };
}

static lt_status lower(
	const struct lt_session *s, const struct lt_tree *t, struct lt_kernel **out, struct lt_diag *diag)
{
	const struct lt_machine machine = machine_of(s);
	const struct lt_kernel_options options = options_of(s);
	struct lt_kernel *whole;
	*out = NULL;
	lt_status status = lt_kernel_new(t, &machine, &options, &whole, diag);
	if (status)
		return status;
	status = lt_kernel_expand(whole, &machine, out, diag);
	lt_kernel_free(whole);
	status = status ? status : lt__text_accepts(emits[s->emit].dialect, *out, diag);
	if (status) {
		lt_kernel_free(*out);
		*out = NULL;
	}
	return status;
}

lt_status lt__cpu_accepts(struct lt_session *s, const struct lt_tree *t, struct lt_diag *diag)
{
	struct lt_kernel *k;
	if (lt_kernel_own_name(t))
		return LT_OK;           /* the compiler says what is wrong with it */
	lt_status status = lower(s, t, &k, diag);
	lt_kernel_free(k);
	return status;
}

static lt_status print_own(const struct lt_session *s, const struct lt_tree *t, enum lt_cpu_text what, char **text,
	struct lt_cpu_need *need, struct lt_diag *diag)
{
	const struct lt_kernel_own own = lt_kernel_own_need(t);
	struct lt_text_dialect d = *emits[s->emit].dialect;
	d.headers |= what == LT_CPU_TEXT_PEOPLE;
	need->shared = own.shared;
	need->private_ = own.each;
	need->threads = true;
	if (d.bare) {                   /* one thread; a bare function's memory is aligned for its elements */
		need->shared = own.shared + own.each > 0 ? own.shared + own.each + OWN_ALIGN : 0;
		need->private_ = 0;
		need->threads = false;
	}
	return lt__text_own(&d, t, what == LT_CPU_TEXT_COMPILED ? LT_CPU_ENTRY : NULL, what != LT_CPU_TEXT_COMPILED, text,
		&need->definitions, &need->own, diag);
}

lt_status lt__cpu_print(const struct lt_session *s, const struct lt_tree *t, enum lt_cpu_text what, char **text,
	struct lt_cpu_need *need, struct lt_diag *diag)
{
	struct lt_kernel *k;
	*text = NULL;
	*need = (struct lt_cpu_need){ 0 };
	if (lt_kernel_own_name(t))
		return print_own(s, t, what, text, need, diag);
	lt_status status = lower(s, t, &k, diag);
	if (status)
		return status;
	struct lt_text_dialect d = *emits[s->emit].dialect;
	struct lt_text_tree_names named = { .t = t };
	const struct lt_text_origins origins = lt__text_tree_origins(&named);
	d.headers |= what == LT_CPU_TEXT_PEOPLE;
	d.madds = !strcmp(s->model->machine, "wasm32");
	d.int_bits = d.bare && s->model->int_bits ? s->model->int_bits : d.int_bits;
	d.places = d.bare && s->model->flash;
	status = lt__text_print(&d, k, what == LT_CPU_TEXT_COMPILED ? LT_CPU_ENTRY : NULL,
		what == LT_CPU_TEXT_COMPILED ? NULL : &origins, text, &need->definitions, diag);
	need->shared = k->workspace_bytes;
	need->private_ = k->thread_bytes;
	need->threads = k->n_region > 1;
	lt_kernel_free(k);
	return status;
}

lt_status lt__cpu_print_kernel(
	const struct lt_session *s, const struct lt_tree *t, lt_write *write, void *user, struct lt_diag *diag)
{
	struct lt_kernel *k;
	if (lt_kernel_own_name(t))
		return lt__report(diag, LT_EUNSUPPORTED, -1, -1, "--dump=source has its text",
			"cpu: kernel %s is one's own: there is no kernel program of it", t->name);
	lt_status status = lower(s, t, &k, diag);
	if (!status)
		lt_kernel_print(k, write, user);
	lt_kernel_free(k);
	return status;
}

lt_status lt__cpu_explain(const struct lt_session *s, const struct lt_tree *t, lt_write *write, void *user)
{
	const struct lt_machine machine = machine_of(s);
	const struct lt_kernel_options options = options_of(s);
	if (lt_kernel_own_name(t))
		return LT_OK;           /* nothing was decided */
	return lt_kernel_explain(t, &machine, &options, write, user);
}
