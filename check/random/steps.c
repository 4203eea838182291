/* steps.c -- random steps of a schedule by the words of their usages. */
#include <string.h>
#include "looptree/schedule/schedule.h"
#include "check/random/must.h"
#include "check/random/random.h"

enum { MAX_CHAIN = 64 };
struct draw {
	const struct lt_looptree *t;
	uint64_t *rng;
	lt_tnode chain[MAX_CHAIN]; int n_chain;        /* loops around one place, that are not drawn yet */
	lt_tnode loop;                  /* drawn last; -1: none yet */
	lt_tnode first;                 /* of those that are neighbours */
	lt_node node, value;            /* -1: none yet */
	bool apart;                     /* the loop that is wanted is not one around the node */
	bool failed;
	char *out; size_t n, bytes;
};

__attribute__((format(printf, 2, 3))) static void add_words(struct draw *d, const char *fmt, ...)
{
	va_list list;
	va_start(list, fmt);
	int n = vsnprintf(d->out + d->n, d->bytes - d->n, fmt, list);
	va_end(list);
	must(n >= 0 && (size_t)n < d->bytes - d->n, "a step is longer than %zu bytes", d->bytes);
	d->n += (size_t)n;
}

static int64_t between(struct draw *d, int64_t low, int64_t high) { return random_between(d->rng, low, high); }
static bool chance(struct draw *d, int percent) { return random_chance(d->rng, percent); }

lt_tnode random_loop(const struct lt_looptree *t, uint64_t *rng)
{
	int64_t n = 0;
	for (lt_tnode at = 0; at < t->n_node; at++)
		n += t->node[at].kind == LT_TLOOP;
	if (n == 0)
		return -1;
	n = random_between(rng, 1, n);
	for (lt_tnode at = 0;; at++)
		if (t->node[at].kind == LT_TLOOP && --n == 0)
			return at;
}

static lt_tnode any_leaf(struct draw *d)
{
	lt_tnode at = (lt_tnode)between(d, 0, d->t->n_node - 1);
	while (d->t->node[at].kind != LT_TLEAF)
		at = d->t->node[at].child;
	return at;
}

/* -- the words of usages -- */

static void begin_chain(struct draw *d)
{
	lt_tnode leaf = d->node >= 0 ? d->t->leaf_of[d->node] : -1,
		 at = leaf >= 0 && !d->apart && chance(d, 70) ? leaf : random_loop(d->t, d->rng);
	for (int i = 0; d->apart && i < 20 && lt__is_above(d->t, at, leaf); i++)
		at = random_loop(d->t, d->rng);
	int skip = chance(d, 60) ? (int)between(d, 0, 2) : 0, max = chance(d, 50) ? (int)between(d, 2, 4) : MAX_CHAIN;
	for (; at >= 0 && d->n_chain < max; at = d->t->node[at].parent)
		if (d->t->node[at].kind == LT_TLOOP && skip-- <= 0)
			d->chain[d->n_chain++] = at;
}

static void write_loop(struct draw *d)
{
	if (d->loop < 0)
		begin_chain(d);
	if (d->n_chain == 0) {
		d->failed = true;
		return;
	}
	int i = (int)between(d, 0, d->n_chain - 1);
	d->loop = d->chain[i];
	d->chain[i] = d->chain[--d->n_chain];
	add_words(d, " %s", lt__loop_path(d->t, d->loop));
}

static void write_step(struct draw *d)
{
	add_words(d, " %lld", (long long)(d->t->node[d->loop].step * between(d, 2, 6)));
}

static void write_lanes(struct draw *d)
{
	static const int lanes[] = { 2, 3, 4, 4, 5, 8, 16 };
	add_words(d, " %d", lanes[between(d, 0, 6)]);
}

static void write_node(struct draw *d)
{
	d->node = d->t->node[any_leaf(d)].leaf;
	for (int i = 0; i < 4 && !d->t->graph->node[d->node].reduce && chance(d, 50); i++)
		d->node = d->t->node[any_leaf(d)].leaf;
	add_words(d, " %%%s", d->t->graph->node[d->node].name);
}

/* An operand of the node; any value where no node was named. */
static void write_value(struct draw *d)
{
	const struct lt_graph *g = d->t->graph;
	d->value = (lt_node)between(d, 0, g->n_node - 1);
	if (d->node >= 0 && g->node[d->node].n_operand > 0 && chance(d, 95))
		d->value = g->node[d->node].operand[between(d, 0, g->node[d->node].n_operand - 1)];
	add_words(d, " %%%s", g->node[d->value].name);
}

static void write_axis(struct draw *d)
{
	add_words(d, " %s.%c", chance(d, 50) ? "grid" : "block", (int)('x' + between(d, 0, 2)));
}

static void write_tail(struct draw *d)
{
	static const char *const tails[] = { "guard", "peel", "mask", "pad" };
	add_words(d, " %s", tails[between(d, 0, 3)]);
}

/* Names may be words that a tree's text has. */
static void write_name(struct draw *d)
{
	static const char *const names[] = { "gemm", "gemm", "gemm", "tail", "step", "call", "serial", "f32.4x4" };
	add_words(d, " %s", names[between(d, 0, 7)]);
}

/* All digits of the value, or the node: its dims in any order, some cut in two; gaps, or a swizzle at the end.  What
 * has no dims has no digits, and is given a gap or a swizzle all the same. */
static void write_digits(struct draw *d)
{
	const struct lt_graph *g = d->t->graph;
	const struct lt_nodedef *v = &g->node[d->value >= 0 ? d->value : d->node];
	struct cut { lt_var var; int64_t step; } digit[2 * LT_MAX_RANK];
	int n = 0;
	bool gaps = false;
	for (int32_t i = 0; i < v->n_dim; i++) {
		if (g->var[v->dim[i]].extent > 2 && chance(d, 40)) {
			digit[n].var = v->dim[i];
			digit[n++].step = between(d, 2, 8);
		}
		digit[n].var = v->dim[i];
		digit[n++].step = 1;
	}
	for (int i = n - 1; i > 0; i--) {
		int k = (int)between(d, 0, i);
		struct cut was = digit[i];
		digit[i] = digit[k];
		digit[k] = was;
	}
	for (int i = 0; i < n; i++)             /* the coarse digit of a dim comes first */
		for (int k = i + 1; k < n; k++)
			if (digit[i].var == digit[k].var && digit[i].step < digit[k].step) {
				int64_t step = digit[i].step;
				digit[i].step = digit[k].step;
				digit[k].step = step;
			}
	for (int i = 0; i < n; i++) {
		if (digit[i].step > 1)
			add_words(d, " %s/%lld", g->var[digit[i].var].name, (long long)digit[i].step);
		else
			add_words(d, " %s", g->var[digit[i].var].name);
		gaps |= chance(d, i < n - 1 ? 10 : 20);
		if (gaps && chance(d, 70))
			add_words(d, " pad %lld", (long long)between(d, 1, 5));
	}
	if (n == 0 && chance(d, 50))
		add_words(d, " pad %lld", (long long)between(d, 1, 5));
	else if (n == 0 || (!gaps && chance(d, 8)))
		add_words(d, " swizzle %d", 32 << between(d, 0, 2));
}

/* The layout of a copy; now and then, several buffers of it. */
static void write_copy(struct draw *d)
{
	write_digits(d);
	if (chance(d, 20))
		add_words(d, " depth %d%s", (int)between(d, 1, 3), chance(d, 50) ? " async" : "");
}

/* A loop by its path, a leaf by its node; groups have other names when one is put around them. */
static void write_child(struct draw *d, lt_tnode at)
{
	d->first = at;
	d->failed = d->failed || d->t->node[at].kind == LT_TGROUP;
	if (!d->failed)
		add_words(d, d->t->node[at].kind == LT_TLEAF ? " %%%s" : " %s",
			d->t->node[at].kind == LT_TLEAF ? d->t->graph->node[d->t->node[at].leaf].name
							: lt__loop_path(d->t, at));
}

static void write_first(struct draw *d) { write_child(d, (lt_tnode)between(d, 0, d->t->n_node - 1)); }

static void write_last(struct draw *d)
{
	lt_tnode at = d->first;
	while (d->t->node[at].next >= 0 && chance(d, 60))
		at = d->t->node[at].next;
	write_child(d, at);
}

static void write_at(struct draw *d) { add_words(d, " at"); }
static void write_layout(struct draw *d) { add_words(d, " layout"); }
static void write_no(struct draw *d) { add_words(d, " no"); }

/* more: what "..." after the word stands for. */
struct word { const char *name; void (*write)(struct draw *), (*more)(struct draw *); };
static const struct word words[] = {
	{ "LOOP", write_loop, write_loop },
	{ "STEP", write_step, NULL },
	{ "LANES", write_lanes, NULL },
	{ "%NODE", write_node, NULL },
	{ "%VALUE", write_value, NULL },
	{ "AXIS", write_axis, NULL },
	{ "TAIL", write_tail, NULL },
	{ "NAME", write_name, NULL },
	{ "DIGIT", write_digits, NULL },
	{ "at", write_at, NULL },
	{ "layout", write_layout, write_copy },
	{ "no", write_no, NULL },
	{ "FIRST", write_first, NULL },
	{ "LAST", write_last, NULL },
};

static const struct word *find_word(const char *at, size_t bytes, const char *usage)
{
	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		if (strlen(words[i].name) == bytes && !memcmp(words[i].name, at, bytes))
			return &words[i];
	must(false, "the word %.*s of `%s` has no generator in steps.c", (int)bytes, at, usage);
	return NULL;
}

/* The words after the name.  What is in brackets is left out now and then, with all that is optional after it. */
static void write_words(struct draw *d, const char *usage)
{
	const struct word *last = NULL;
	for (const char *at = usage + strcspn(usage, " "); *at && !d->failed;) {
		at += strspn(at, " ");
		size_t bytes = strcspn(at, " ");
		const char *name = at;
		at += bytes;
		if (*name == '[' && chance(d, 50))
			return;
		while (bytes > 0 && *name == '[') {
			name++;
			bytes--;
		}
		while (bytes > 0 && name[bytes - 1] == ']')
			bytes--;
		if (bytes == 3 && !memcmp(name, "...", 3)) {
			if (last && last->more == write_loop)
				while (d->n_chain > 0 && chance(d, 85))
					write_loop(d);
			else if (last && last->more)
				last->more(d);
			continue;
		}
		last = find_word(name, bytes, usage);
		last->write(d);
	}
}

/* -- idioms -- */

/* Tiles of a loop, with a tail that lets them be straight code or a vector. */
static void write_tiles(struct draw *d)
{
	static const char *const tails[] = { "peel", "mask", "pad" },
				 *const kinds[] = { "vectorize", "unroll", "vectorize", "parallel" };
	lt_tnode loop = random_loop(d->t, d->rng);
	const char *path = lt__loop_path(d->t, loop), *kind = kinds[between(d, 0, 3)];
	add_words(d, "split %s %lld; ", path, (long long)(d->t->node[loop].step * between(d, 2, 8)));
	if (chance(d, 80))
		add_words(d, "tail %s %s; ", path, tails[between(d, 0, 2)]);
	add_words(d, "%s %s'", kind, path);
}

/* Partial sums: one for each iteration of the outer of two loops. */
static void write_partials(struct draw *d)
{
	write_node(d);
	d->n = 0;
	lt_tnode loop = d->t->graph->node[d->node].reduce ? lt__reducing_loop(d->t, d->node) : -1;
	if (loop < 0) {
		d->failed = true;
		return;
	}
	const char *path = lt__loop_path(d->t, loop), *name = d->t->graph->node[d->node].name,
		   *var = lt__loop_name(d->t, loop);
	add_words(d, "split %s %lld; rfactor %%%s %s", path, (long long)(d->t->node[loop].step * between(d, 2, 5)), name,
		var);
	if (chance(d, 50))
		add_words(d, "'");
}

static void write_inverse(struct draw *d)
{
	lt_tnode loop = random_loop(d->t, d->rng);
	const char *path = lt__loop_path(d->t, loop);
	add_words(d, "split %s %lld; merge %s'", path, (long long)(d->t->node[loop].step * between(d, 2, 5)), path);
}

/* A group that a routine gets. */
static void write_called(struct draw *d)
{
	lt_tnode loop = random_loop(d->t, d->rng), leaf = loop;
	while (d->t->node[leaf].kind != LT_TLEAF)
		leaf = d->t->node[leaf].child;
	add_words(d, "group %s; call %%%s/group", lt__loop_path(d->t, loop), d->t->graph->node[d->t->node[leaf].leaf].name);
	for (lt_tnode up = d->t->node[loop].parent; up >= 0; up = d->t->node[up].parent)
		if (d->t->node[up].kind == LT_TGROUP)
			add_words(d, "'");
	add_words(d, " routine");
}

static const struct { const char *name, *uses; void (*write)(struct draw *);
} idioms[] = {
	{ "tiles", "tail", write_tiles },
	{ "partials", "rfactor", write_partials },
	{ "inverse", "merge", write_inverse },
	{ "called", "call", write_called },
};
enum { N_IDIOM = sizeof idioms / sizeof *idioms };

int random_step_count(void)
{
	must(lt__primitive_count() + N_IDIOM <= RANDOM_STEP_KINDS, "there are too many primitives for RANDOM_STEP_KINDS");
	return lt__primitive_count() + N_IDIOM;
}

const char *random_step_name(int kind)
{
	return kind < lt__primitive_count() ? lt__primitive_at(kind)->name : idioms[kind - lt__primitive_count()].name;
}

static bool is_listed(const char *list, const char *name)
{
	for (const char *at = list; *(at += strspn(at, " ")); at += strcspn(at, " "))
		if (strcspn(at, " ") == strlen(name) && !strncmp(at, name, strlen(name)))
			return true;
	return false;
}

static bool is_primitive(const char *name)
{
	for (int32_t i = 0; i < lt__primitive_count(); i++)
		if (!strcmp(lt__primitive_at(i)->name, name))
			return true;
	return false;
}

bool random_step(const struct lt_looptree *t, uint64_t *rng, const char *skip, int *kind, char *out, size_t bytes)
{
	struct draw d = { .t = t, .rng = rng, .loop = -1, .node = -1, .value = -1, .out = out, .bytes = bytes };
	out[0] = '\0';
	*kind = (int)random_between(rng, 0, random_step_count() - 1);
	if (random_loop(t, rng) < 0 || is_listed(skip, random_step_name(*kind)))
		return false;
	if (*kind < lt__primitive_count()) {
		d.apart = !strcmp(random_step_name(*kind), "fuse");
		add_words(&d, "%s", lt__primitive_at(*kind)->name);
		write_words(&d, lt__primitive_at(*kind)->usage);
	} else {
		const char *uses = idioms[*kind - lt__primitive_count()].uses;
		if (!is_primitive(uses) || is_listed(skip, uses))
			return false;
		idioms[*kind - lt__primitive_count()].write(&d);
	}
	return !d.failed;
}
