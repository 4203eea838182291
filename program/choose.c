/* The backends of a program, by the list that was asked for, and the kernels that they are given. */
#include <string.h>
#include "ir/intern.h"
#include "program/program.h"

static const char *known_names(struct lt_arena *a)
{
	struct lt_text t = { .arena = a };
	for (uint32_t i = 0; i < lt_backend_count(); i++)
		lt__text_format(&t, "%s%s", i ? ", " : "", lt_backend_at(i)->name);
	return t.n ? t.at : "none";
}

/* Why it does not open, in its own words; a backend that opens nothing where its score is none need say so once. */
static const char *why_not_open(struct lt_diagnostics *told, const struct lt_opened *c, lt_status st)
{
	if (told->n || st < 0 || st >= LT_NSTATUS)
		return lt__diagnostic_reason(told, st, c->backend->name, "open");
	if (c->backend->score(c->config, &told->diag) > 0)
		return lt__diagnostic_reason(told, st, c->backend->name, "open");
	return told->n ? lt__diagnostic_text(told->text, c->backend->name) : "not usable here: it does not say why";
}

/* What the host reads of every session is there. */
static lt_status check_caps(struct lt_program *p, const struct lt_backend *b, const struct lt_caps *caps)
{
	if (!caps)
		return lt_fail(p->ctx, LT_EABI, "backend %s: `caps` answers NULL; its author has to mend it", b->name);
	if (caps->size < offsetof(struct lt_caps, any_values))
		return lt_fail(p->ctx, LT_EABI, "backend %s: the size of its struct lt_caps is %u; its author has to set .size = sizeof (struct lt_caps)",
			b->name, (unsigned)caps->size);
	return LT_OK;
}

static lt_status open_one(struct lt_program *p, const char *item, size_t bytes)
{
	char *name = lt__arena_alloc(p->arena, bytes + 1), *config;
	memcpy(name, item, bytes);
	config = strchr(name, ':');
	if (config)
		*config++ = '\0';
	struct lt_opened *c = &p->opened[p->n_opened];
	*c = (struct lt_opened){ .backend = lt_backend_find(name), .config = config ? config : "" };
	if (!c->backend)
		return lt_fail(p->ctx, LT_EINVAL, "there is no backend '%s'; there is: %s", name, known_names(p->arena));
	struct lt_diagnostics told;
	lt__diagnostics_init(&told);
	lt_status st = c->backend->open(&p->host, c->config, &c->session, &told.diag);
	if (st)
		return lt_fail(p->ctx, st, "backend %s: %s", name, why_not_open(&told, c, st));
	p->n_opened++;
	const struct lt_caps *caps = c->backend->caps(c->session);
	LT_TRY(check_caps(p, c->backend, caps));
	if (LT_HAS(struct lt_caps, caps, device_memory) && !(LT_HAS(struct lt_backend, c->backend, mem_new)
	    && LT_HAS(struct lt_backend, c->backend, mem_free) && LT_HAS(struct lt_backend, c->backend, mem_copy)))
		return lt_fail(p->ctx, LT_EUNSUPPORTED, "backend %s keeps its buffers in device memory, but has not all of mem_new, mem_free and "
			"mem_copy to fill it with; use another one (-b cpu)", name);
	return LT_OK;
}

lt_status lt__program_open(struct lt_program *p)
{
	const char *list = p->options.backends;
	int32_t n = 1;
	for (const char *c = list; *c; c++)
		n += *c == ',';
	p->opened = LT_NEW(p->arena, struct lt_opened, n);
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
			p->opened[p->kernel[i].opened].backend->destroy(p->kernel[i].object);
	for (int32_t i = 0; i < p->n_opened; i++)
		p->opened[i].backend->close(p->opened[i].session);
	p->n_kernel = p->n_opened = 0;
}

/* Equal nests of one backend become one kernel: their canonical texts are equal. */
void lt__program_kernels(struct lt_program *p)
{
	struct lt_names **texts = LT_NEW(p->arena, struct lt_names *, p->n_opened);
	p->kernel_of = LT_NEW(p->arena, int32_t, p->n_frozen + 1);
	p->kernel = LT_NEW(p->arena, struct lt_kernel, p->n_frozen + 1);
	int32_t n = 0;
	for (int32_t i = 0; i < p->n_opened; i++)
		texts[i] = lt__names_new(p->arena);
	for (int32_t i = 0; i < p->n_frozen; i++) {
		const char *text = p->frozen[i].tree.text;
		struct lt_names *known = texts[p->opened_of[i]];
		p->kernel_of[i] = -1;
		if (p->blocks[i])
			continue;
		int32_t k = lt__names_find(known, text, strlen(text));
		if (k < 0) {
			k = n++;
			lt__names_add(known, text, strlen(text), k);
			p->kernel[k] = (struct lt_kernel){ .frozen = &p->frozen[i], .opened = p->opened_of[i] };
			p->opened[p->opened_of[i]].used = true;
		}
		p->kernel_of[i] = k;
	}
	p->n_kernel = n;
	p->stats.n_kernel = n;
}
