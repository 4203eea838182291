/* Choosing: backends by the list that was asked for, equal nests made one kernel, each kernel to the first that takes it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "ir/intern.h"
#include "program/program.h"

static void tell(struct lt_diag *diag, const struct lt_note *note)
{
	struct lt_told *told = (struct lt_told *)(void *)diag;
	if (!told->code) {
		told->code = note->code;
		told->loop = note->loop;
		told->stmt = note->stmt;
	}
	int n = snprintf(told->text + told->n, sizeof told->text - told->n, "%s%s%s%s", told->n ? "; " : "", note->text ? note->text : "",
		note->remedy ? ": " : "", note->remedy ? note->remedy : "");
	if (n > 0)
		told->n += (size_t)n < sizeof told->text - told->n ? (size_t)n : sizeof told->text - told->n - 1;
}

void lt__told_init(struct lt_told *told)
{
	*told = (struct lt_told){ .diag = { sizeof told->diag, tell }, .loop = -1, .stmt = -1 };
}

const char *lt__told_text(const char *text, const char *backend)
{
	size_t n = strlen(backend);
	return strncmp(text, backend, n) == 0 && strncmp(text + n, ": ", 2) == 0 ? text + n + 2 : text;
}

static const char *said(const struct lt_told *told, lt_status st, const char *name)
{
	return told->n ? lt__told_text(told->text, name) : lt_status_text(st);
}

static const char *known_names(struct lt_arena *a)
{
	struct lt_text t = { .arena = a };
	for (uint32_t i = 0; i < lt_backend_count(); i++)
		lt__text_format(&t, "%s%s", i ? ", " : "", lt_backend_at(i)->name);
	return t.n ? t.at : "none";
}

static lt_status open_one(struct lt_program *p, const char *item, size_t bytes)
{
	char *name = lt__arena_alloc(p->arena, bytes + 1), *config;
	memcpy(name, item, bytes);
	config = strchr(name, ':');
	if (config)
		*config++ = '\0';
	struct lt_choice *c = &p->choice[p->n_choice];
	*c = (struct lt_choice){ .backend = lt_backend_find(name), .config = config ? config : "" };
	if (!c->backend)
		return lt_fail(p->ctx, LT_EINVAL, "there is no backend '%s'; there is: %s", name, known_names(p->arena));
	struct lt_told told;
	lt__told_init(&told);
	lt_status st = c->backend->open(&p->host, c->config, &c->session, &told.diag);
	if (st)
		return lt_fail(p->ctx, st, "backend %s: %s", name, said(&told, st, name));
	p->n_choice++;
	const struct lt_caps *caps = c->backend->caps(c->session);
	if (LT_HAS(struct lt_caps, caps, device_memory))
		return lt_fail(p->ctx, LT_EUNSUPPORTED, "backend %s keeps its buffers in device memory, which this program cannot fill; "
			"use one with host memory (-b cpu)", name);
	return LT_OK;
}

lt_status lt__program_open(struct lt_program *p)
{
	const char *list = p->options.backends;
	int32_t n = 1;
	for (const char *c = list; *c; c++)
		n += *c == ',';
	p->choice = LT_NEW(p->arena, struct lt_choice, n);
	for (const char *at = list;; ) {
		size_t bytes = strcspn(at, ",");
		LT_TRY(open_one(p, at, bytes));
		if (!at[bytes])
			return LT_OK;
		at += bytes + 1;
	}
}

void lt__program_close(struct lt_program *p)
{
	for (int32_t i = 0; i < p->n_kernel; i++)
		if (p->kernel[i].object)
			p->choice[p->kernel[i].choice].backend->destroy(p->kernel[i].object);
	for (int32_t i = 0; i < p->n_choice; i++)
		p->choice[i].backend->close(p->choice[i].session);
	p->n_kernel = p->n_choice = 0;
}

/* Equal nests become one kernel: their canonical texts are equal. */
static void find_kernels(struct lt_program *p)
{
	struct lt_names *texts = lt__names_new(p->arena);
	p->kernel_of = LT_NEW(p->arena, int32_t, p->n_frozen + 1);
	p->kernel = LT_NEW(p->arena, struct lt_kernel, p->n_frozen + 1);
	int32_t n = 0;
	for (int32_t i = 0; i < p->n_frozen; i++) {
		const char *text = p->frozen[i].tree.text;
		int32_t k = lt__names_find(texts, text, strlen(text));
		if (k < 0) {
			k = n++;
			lt__names_put(texts, text, strlen(text), k);
			p->kernel[k] = (struct lt_kernel){ .frozen = &p->frozen[i], .choice = -1 };
		}
		p->kernel_of[i] = k;
	}
	p->n_kernel = n;
	p->stats.n_kernel = n;
}

/* Where a refusal points to: the node of the statement, with its place in the script. */
static const char *place_text(struct lt_program *p, const struct lt_frozen *f, int32_t stmt)
{
	if (stmt < 0 || (uint32_t)stmt >= f->tree.stmts.n)
		return "";
	const struct lt_nodedef *d = &p->lowered->node[f->node[stmt]];
	if (d->line > 0)
		return lt__arena_format(p->arena, " at %%%s (%s:%d:%d)", d->name, p->lowered->file ? p->lowered->file : "script",
			(int)d->line, (int)d->column);
	return lt__arena_format(p->arena, " at %%%s", d->name);
}

static lt_status choose(struct lt_program *p, struct lt_kernel *k)
{
	const struct lt_tree *tree = &k->frozen->tree;
	struct lt_text why = { .arena = p->arena };
	for (int32_t i = 0; i < p->n_choice; i++) {
		struct lt_choice *c = &p->choice[i];
		struct lt_told told;
		lt__told_init(&told);
		uint64_t missing = tree->needs & ~c->backend->caps(c->session)->understands;
		lt_status st = missing ? LT_EUNSUPPORTED : c->backend->accepts(c->session, tree, &told.diag);
		if (!st) {
			k->choice = i;
			k->refusals = why.n ? why.at : "";
			return LT_OK;
		}
		if (missing)
			lt__text_format(&why, "%s%s does not understand feature bits 0x%llx of the tree", why.n ? "; " : "", c->backend->name,
				(unsigned long long)missing);
		else
			lt__text_format(&why, "%s%s refuses it%s: %s", why.n ? "; " : "", c->backend->name,
				place_text(p, k->frozen, told.stmt), said(&told, st, c->backend->name));
		if (p->options.strict)
			break;
	}
	return lt_fail(p->ctx, LT_EUNSUPPORTED, "kernel %s: %s%s", tree->name, why.at,
		p->options.strict && p->n_choice > 1 ? " (strict: the other backends are not asked)" : "");
}

static void keep_text(void *user, const char *text, size_t bytes)
{
	char *at = user;
	size_t n = strlen(at), room = 255 - n;
	memcpy(at + n, text, bytes < room ? bytes : room);
	at[n + (bytes < room ? bytes : room)] = '\0';
}

/* A backend that compiles says of each object whether it did, or found it in the cache, and how many threads it uses. */
static void count_compiled(struct lt_program *p, const struct lt_backend *b, const struct lt_object *object)
{
	char text[256] = "";
	if (!LT_HAS(struct lt_backend, b, dump) || b->dump(object, LT_DUMP_STATS, keep_text, text))
		return;
	const char *at = strstr(text, "from_cache ");
	if (at && at[11] == '1')
		p->stats.n_cached++;
	else if (at)
		p->stats.n_compiled++;
	if ((at = strstr(text, "threads ")) && atoi(at + 8) > p->stats.n_thread)
		p->stats.n_thread = atoi(at + 8);
	if (!strstr(text, "parallel 1\n"))
		return;
	p->stats.n_parallel++;
	p->stats.n_serialised += strstr(text, "serialised 1\n") != NULL;
}

static lt_status compile_with(struct lt_program *p, int32_t choice)
{
	struct lt_choice *c = &p->choice[choice];
	const struct lt_tree **tree = LT_NEW(p->arena, const struct lt_tree *, p->n_kernel + 1);
	struct lt_object **object = LT_NEW(p->arena, struct lt_object *, p->n_kernel + 1);
	uint32_t n = 0;
	for (int32_t i = 0; i < p->n_kernel; i++)
		if (p->kernel[i].choice == choice)
			tree[n++] = &p->kernel[i].frozen->tree;
	if (n == 0)
		return LT_OK;
	struct lt_told told;
	lt__told_init(&told);
	lt_status st = c->backend->compile(c->session, tree, n, object, &told.diag);
	if (st)
		return lt_fail(p->ctx, st, "backend %s: %s", c->backend->name, said(&told, st, c->backend->name));
	n = 0;
	for (int32_t i = 0; i < p->n_kernel; i++) {
		struct lt_kernel *k = &p->kernel[i];
		if (k->choice != choice)
			continue;
		k->object = object[n++];
		count_compiled(p, c->backend, k->object);
		k->workspace_align = 1;
		if (LT_HAS(struct lt_backend, c->backend, need))
			c->backend->need(k->object, p->options.n_thread, &k->workspace_bytes, &k->workspace_align);
		if (k->workspace_bytes > p->scratch_bytes)
			p->scratch_bytes = k->workspace_bytes;
		p->stats.kernel_bytes = (int64_t)p->scratch_bytes;
	}
	return LT_OK;
}

lt_status lt__program_compile(struct lt_program *p)
{
	find_kernels(p);
	for (int32_t i = 0; i < p->n_kernel; i++)
		LT_TRY(choose(p, &p->kernel[i]));
	for (int32_t i = 0; i < p->n_choice && !p->options.plan_only; i++)
		LT_TRY(compile_with(p, i));
	return LT_OK;
}
