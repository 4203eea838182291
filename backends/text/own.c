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
	lt__out(o, lt__text_slot_at);
	x->definitions = o->n;
	lt__out(o, "\n");
	lt_kernel_own_definitions(x->tree, !x->named, keep_line, o);
	x->own = o->n;
	lt__out(o, "\n");
	lt_kernel_own_function(x->tree, keep_line, o);
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
