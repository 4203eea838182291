/* own.c -- the C of a kernel of one's own: the user's text, and an entry that hands it the slots. */
#include <stdlib.h>
#include <string.h>
#include "backends/text/part.h"

static void keep_line(void *user, const char *text, size_t bytes)
{
	char piece[256];
	for (size_t n; bytes; text += n, bytes -= n) {
		n = bytes < sizeof piece - 1 ? bytes : sizeof piece - 1;
		memcpy(piece, text, n);
		piece[n] = '\0';
		lt__out(user, piece);
	}
}

/* Whether a tensor that is written is there. */
static bool is_written(const struct lt_tree *tree, int32_t slot)
{
	const struct lt_kernel_own need = lt_kernel_own_need(tree);
	bool written = false;
	for (int32_t k = LT_AT(struct lt_call, tree->calls, 0)->n_read; k < need.n_tensor; k++)
		written = written || lt_kernel_own_slot(tree, k) == slot;
	return written;
}

/* As other bare kernels are: pointers by slot, then `scratch`, where the workspace begins at 64 bytes; one thread. */
static void print_bare(const struct lt_tree *tree, struct lt_out *o)
{
	const struct lt_kernel_own need = lt_kernel_own_need(tree);
	const char *const name = tree->name;
	int32_t n_slot = 0;
	for (int32_t k = 0; k < need.n_tensor; k++)
		n_slot = lt_kernel_own_slot(tree, k) >= n_slot ? lt_kernel_own_slot(tree, k) + 1 : n_slot;
	lt__outf(o, "\nstatic void %s_alone(const struct lt_host *host, uint32_t n_thread, int64_t n, lt_own_body *body, "
		"void *arg)\n{\n\t(void)host;\n\t(void)n_thread;\n\tif (n > 0)\n\t\tbody(arg, 0, n, 0);\n}\n\n"
		"static void %s(", name, name);
	for (int32_t slot = 0; slot < n_slot; slot++)
		lt__outf(o, "%s%svoid *slot%d", slot ? ", " : "", is_written(tree, slot) ? "" : "const ", (int)slot);
	const bool works = need.shared + need.each > 0;
	lt__outf(o, "%s)\n{\n\tvoid *const data[] = {", works ? ", void *scratch" : "");
	for (int32_t k = 0; k < need.n_tensor; k++)
		lt__outf(o, "%s (void *)slot%d", k ? "," : "", (int)lt_kernel_own_slot(tree, k));
	lt__outf(o, " };\n\t%s_own(data, %s, 1, %s_alone, 0);\n}\n", name, works
		? "(char *)scratch + (64 - (uintptr_t)scratch % 64) % 64" : "0", name);
}

struct own_printing {
	const struct lt_text_dialect *d;
	const struct lt_tree *tree;
	const char *entry;
	bool named;
	size_t definitions, own;
};

static void print_own(struct own_printing *x, struct lt_out *o)
{
	const struct lt_kernel_own need = lt_kernel_own_need(x->tree);
	const char *const linkage = x->named ? "LT_ENTRY " : "", *const suffix = x->entry ? "" : "_entry";
	const char *const name = x->entry ? x->entry : x->tree->name;
	lt__text_head(o, x->d, &(struct text_head){ .headers = x->d->headers, .named = x->named, .teams = true });
	lt__out(o, x->d->bare ? "" : lt__text_slot_at);
	x->definitions = o->n;
	lt__out(o, "\n");
	lt_kernel_own_definitions(x->tree, !x->named, keep_line, o);
	x->own = o->n;
	lt__out(o, "\n");
	lt_kernel_own_function(x->tree, keep_line, o);
	if (x->d->bare) {
		print_bare(x->tree, o);
		return;
	}
	lt__outf(o, "\n%svoid %s%s%s;\n%svoid %s%s%s\n{\n\tvoid *const data[] = {", linkage, name, suffix, lt__text_parameters,
		linkage, name, suffix, lt__text_parameters);
	for (int32_t k = 0; k < need.n_tensor; k++)
		lt__outf(o, "%s lt_slot_at(slot, %d)", k ? "," : "", (int)lt_kernel_own_slot(x->tree, k));
	lt__outf(o, " };\n\t(void)fault;\n\t%s_own(data, workspace, team->n_thread, team->parallel_for, team->host);\n}\n",
		x->tree->name);
}

static char *print_text(struct own_printing *x)
{
	struct lt_pool *pool = calloc(1, sizeof *pool);
	char *volatile text = NULL;
	if (pool && setjmp(pool->jump) == 0) {
		struct lt_out o = lt__out_new(pool);
		print_own(x, &o);
		text = malloc(o.n + 1);
		if (text)
			memcpy(text, o.at, o.n + 1);
	}
	if (pool)
		lt__pool_free(pool);
	free(pool);
	return text;
}

lt_status lt__text_own(const struct lt_text_dialect *d, const struct lt_tree *tree, const char *entry, bool named,
	char **text, size_t *definitions, size_t *own, struct lt_diag *diag)
{
	struct own_printing x = { .d = d, .tree = tree, .entry = entry, .named = named };
	*text = print_text(&x);
	*definitions = x.definitions;
	*own = x.own;
	return *text ? LT_OK : lt__report(diag, LT_ENOMEM, -1, -1, NULL, "out of memory");
}
