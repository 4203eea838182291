/* Saying why: which backend takes which kernel, and what the others refused it for. */
#include <string.h>
#include "program/blocks.h"
#include "program/program.h"

static void add_location(struct lt_text *x, const struct lt_refusal *r)
{
	if (r->node)
		lt__text_format(x, " at %%%s", r->node);
	if (r->node && r->line > 0)
		lt__text_format(x, " (%s:%d:%d)", r->file ? r->file : "script", (int)r->line, (int)r->column);
}

const char *lt__refusals_text(struct lt_arena *a, const struct lt_refusals *list)
{
	struct lt_text x = { .arena = a };
	for (int32_t i = 0; i < list->n; i++) {
		const struct lt_refusal *r = list->at[i];
		lt__text_format(&x, "%s%s refuses it", i ? "; " : "", r->backend);
		add_location(&x, r);
		lt__text_format(&x, ": %s%s%s", r->text, r->remedy ? ": " : "", r->remedy ? r->remedy : "");
	}
	return x.n ? x.at : "";
}

/* Texts of any length, without memory of its own. */
static void explain_text(lt_write *write, void *user, const char *text) { write(user, text, strlen(text)); }

static void write_number(lt_write *write, void *user, int32_t n)
{
	char text[32];
	(void)snprintf(text, sizeof text, ":%d", (int)n);
	explain_text(write, user, text);
}

static void print_refusal(const struct lt_refusal *r, lt_write *write, void *user)
{
	const char *const words[] = { "  ", r->backend, " refuses it", r->node ? " at %" : "", r->node ? r->node : "" };
	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		explain_text(write, user, words[i]);
	if (r->node && r->line > 0) {
		explain_text(write, user, " (");
		explain_text(write, user, r->file ? r->file : "script");
		write_number(write, user, r->line);
		write_number(write, user, r->column);
		explain_text(write, user, ")");
	}
	if (r->loop) {
		explain_text(write, user, ", loop ");
		explain_text(write, user, r->loop);
	}
	explain_text(write, user, ": ");
	explain_text(write, user, r->text);
	explain_text(write, user, "\n");
	if (r->remedy) {
		explain_text(write, user, "    nearest change: ");
		explain_text(write, user, r->remedy);
		explain_text(write, user, "\n");
	}
}

void lt_explained_print(const struct lt_explained *e, lt_write *write, void *user)
{
	explain_text(write, user, e->kernel);
	explain_text(write, user, e->backend ? " -> " : " -> none");
	explain_text(write, user, e->backend ? e->backend : "");
	if (e->same_as) {
		explain_text(write, user, " (the code of ");
		explain_text(write, user, e->same_as);
		explain_text(write, user, ")");
	}
	if (e->size > offsetof(struct lt_explained, n_block) && e->n_block >= 0) {
		char text[120];
		(void)snprintf(text, sizeof text,
			" (a copy of more than %d pieces: by the program, %d block%s, no code)", (int)LT_MAX_PIECES,
			(int)e->n_block, e->n_block == 1 ? "" : "s");
		explain_text(write, user, text);
	}
	explain_text(write, user, "\n");
	for (uint32_t i = 0; i < e->n_refusal; i++)
		print_refusal(&e->refusal[i], write, user);
}

void lt__explain_each(
	const struct lt_program *p, struct lt_arena *a, void (*say)(void *, const struct lt_explained *), void *user)
{
	for (int32_t i = 0; i < p->nests.n; i++) {
		const struct lt_refusals *list = &p->nests.refused[i];
		const struct lt_frozen *code = p->kernels.of && p->kernels.of[i] >= 0
			? p->kernels.at[p->kernels.of[i]].frozen
			: &p->nests.frozen[i];
		struct lt_refusal *all = LT_NEW(a, struct lt_refusal, list->n + 1);
		for (int32_t k = 0; k < list->n; k++)
			all[k] = *list->at[k];
		const struct lt_explained e = { .size = sizeof e,
			.kernel = p->nests.frozen[i].tree.name,
			.backend = p->nests.blocks[i] ? "host"
				: p->nests.opened_of[i] < 0 || !p->backends.n
				? NULL
				: p->backends.at[p->nests.opened_of[i]].backend->name,
			.n_block = p->nests.blocks[i] ? p->nests.blocks[i]->n : -1,
			.same_as = code != &p->nests.frozen[i] ? code->tree.name : NULL,
			.refusal = all,
			.n_refusal = (uint32_t)list->n };
		say(user, &e);
	}
}
