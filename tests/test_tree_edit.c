/* test_tree_edit.c -- random edits of the text of trees: each is refused with a reason, or runs as the oracle
 * says; what is refused for a dependence is wrong when it is run trip by trip.
 *
 * Lines are split, swapped, moved, joined and marked at random; names of loops are then written as they should be, so
 * that it is the tree that is wrong and not its spelling.  LT_SEED=N begins with another seed, LT_GRAPHS=N draws
 * another number of graphs.
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "program/run/run.h"
#include "check/random/must.h"
#include "check/random/random.h"
#include "tests/tree_enum.h"
#include "tests/tree_marked.h"
#include "tests/tree_text.h"

TestSuite(tree_edit, .timeout = 600);

enum { MAX_LINES = 400, LINE_BYTES = 200, EDITS = 8 };
struct line { int depth; char text[LINE_BYTES]; };
struct lines { int n; struct line at[MAX_LINES]; };

/* The lines of a tree after its header, without facts; false: too many or too long. */
static bool take_lines(const char *text, struct lines *out)
{
	text = strstr(text, "\ntree\n") + 6;
	out->n = 0;
	for (; *text; text += strcspn(text, "\n") + 1) {
		size_t depth = strspn(text, " "), n = strcspn(text, "\n");
		const char *fact = memchr(text, '#', n);
		n = (fact ? (size_t)(fact - text) : n) - depth;
		while (n > 0 && text[depth + n - 1] == ' ')
			n--;
		if (out->n == MAX_LINES || n >= LINE_BYTES - 40)
			return false;
		struct line *l = &out->at[out->n++];
		l->depth = (int)depth / 2;
		snprintf(l->text, LINE_BYTES, "%.*s", (int)n, text + depth);
	}
	return true;
}

static bool is_loop(const struct line *l) { return !strncmp(l->text, "for ", 4); }
static int name_bytes(const struct line *l) { return (int)strcspn(l->text + 4, "' "); }
static bool same_var(const struct line *a, const struct line *b)
{
	return name_bytes(a) == name_bytes(b) && !strncmp(a->text + 4, b->text + 4, (size_t)name_bytes(a));
}

/* The loops around line i, outermost first. */
static int loops_above(const struct lines *x, int i, int *out)
{
	int n = 0, depth = x->at[i].depth, all[MAX_LINES];
	for (int k = i - 1; k >= 0 && depth > 0; k--)
		if (x->at[k].depth < depth) {
			depth = x->at[k].depth;
			all[n++] = k;
		}
	int m = 0;
	for (int k = n - 1; k >= 0; k--)
		if (is_loop(&x->at[all[k]]))
			out[m++] = all[k];
	return m;
}

static void add_primes(const struct lines *x, int loop, char *to)
{
	int above[MAX_LINES], n = loops_above(x, loop, above);
	for (int k = 0; k < n; k++)
		if (same_var(&x->at[above[k]], &x->at[loop]))
			strcat(to, "'");
}

/* Writes primes, and the loops of each reduction over the vars that it names, as the places of the lines ask for. */
static void write_names(struct lines *x)
{
	for (int i = 0; i < x->n; i++) {
		struct line *l = &x->at[i];
		char text[2 * LINE_BYTES] = "";
		if (is_loop(l)) {
			snprintf(text, sizeof text, "%.*s", 4 + name_bytes(l), l->text);
			add_primes(x, i, text);
			const char *rest = l->text + 4 + strcspn(l->text + 4, " ");
			strcat(text, rest);
		} else if (strstr(l->text, ".reduce[")) {
			const char *open = strstr(l->text, ".reduce[") + 8, *close = strchr(open, ']');
			int above[MAX_LINES], n = loops_above(x, i, above), first = 1;
			snprintf(text, sizeof text, "%.*s", (int)(open - l->text), l->text);
			for (int k = 0; k < n; k++) {
				const struct line *loop = &x->at[above[k]];
				bool named = false;
				for (const char *at = open; at < close; at += strcspn(at, " ]") + 1)
					named = named
						|| ((int)strcspn(at, "' ]") == name_bytes(loop)
							&& !strncmp(at, loop->text + 4, (size_t)name_bytes(loop)));
				if (!named)
					continue;
				snprintf(text + strlen(text), sizeof text - strlen(text), "%s%.*s", first ? "" : " ",
					name_bytes(loop), loop->text + 4);
				add_primes(x, above[k], text);
				first = 0;
			}
			strcat(text, close);
		} else {
			continue;
		}
		snprintf(l->text, LINE_BYTES, "%.*s", LINE_BYTES - 1, text);
	}
}

static bool same_lines(const struct lines *a, const struct lines *b)
{
	bool same = a->n == b->n;
	for (int i = 0; same && i < a->n; i++)
		same = a->at[i].depth == b->at[i].depth && !strcmp(a->at[i].text, b->at[i].text);
	return same;
}

static int subtree(const struct lines *x, int i)
{
	int n = 1;
	while (i + n < x->n && x->at[i + n].depth > x->at[i].depth)
		n++;
	return n;
}

static void insert(struct lines *x, int at, struct line l)
{
	if (x->n == MAX_LINES)
		return;
	memmove(&x->at[at + 1], &x->at[at], sizeof l * (size_t)(x->n - at));
	x->at[at] = l;
	x->n++;
}

static void drop(struct lines *x, int at)
{
	x->n--;
	memmove(&x->at[at], &x->at[at + 1], sizeof *x->at * (size_t)(x->n - at));
}

static void split(struct lines *x, int i, uint64_t *rng)
{
	struct line inner = x->at[i];
	int n = subtree(x, i), bytes = name_bytes(&inner);
	for (int k = 1; k < n; k++)
		x->at[i + k].depth++;
	inner.depth++;
	/* what was written stays on the inner loop; the outer one has some step */
	char name[LINE_BYTES];
	snprintf(name, sizeof name, "%.*s", bytes, inner.text + 4);
	snprintf(x->at[i].text, LINE_BYTES, "for %.100s step %d", name, (int)random_between(rng, 1, 7));
	if (x->n < MAX_LINES)
		insert(x, i + 1, inner);
}

static void set_kind(struct line *l, uint64_t *rng)
{
	static const char *const words[] = { "parallel", "vector", "unroll", "serial" };
	const char *step = strstr(l->text, " step ");
	int steps = step ? atoi(step + 6) : 1;
	char text[LINE_BYTES];
	snprintf(text, sizeof text, "%.*s step %d %s", (int)(4 + strcspn(l->text + 4, " ")), l->text, steps,
		words[random_between(rng, 0, 3)]);
	memcpy(l->text, text, LINE_BYTES);
}

static void edit(struct lines *x, uint64_t *rng)
{
	int i = (int)random_between(rng, 0, x->n - 1), n = subtree(x, i);
	struct line *l = &x->at[i];
	switch (random_between(rng, 0, 9)) {
	case 0:
		if (is_loop(l))
			split(x, i, rng);
		break;
	case 1:         /* a loop and the first line in it */
		if (is_loop(l) && i + 1 < x->n && is_loop(l + 1) && l[1].depth == l->depth + 1 && subtree(x, i + 1) == n - 1) {
			char text[LINE_BYTES];
			memcpy(text, l->text, LINE_BYTES);
			memcpy(l->text, l[1].text, LINE_BYTES);
			memcpy(l[1].text, text, LINE_BYTES);
		}
		break;
	case 2: case 6: case 7: case 8:         /* two loops beside each other become one */
		if (is_loop(l) && i + n < x->n && x->at[i + n].depth == l->depth && is_loop(&x->at[i + n])
			&& same_var(l, &x->at[i + n]))
			drop(x, i + n);
		break;
	case 3:         /* a leaf in the line below or above */
		if (*l->text == '%' && i + 1 < x->n) {
			struct line other = x->at[i + 1];
			if (*other.text == '%') {
				x->at[i + 1] = *l;
				*l = other;
			} else {
				l->depth = other.depth;
			}
		}
		break;
	case 4:         /* a leaf one level up, after its siblings */
		if (*l->text == '%' && l->depth > 1 && (i + 1 == x->n || x->at[i + 1].depth < l->depth))
			l->depth--;
		break;
	case 5:         /* one loop less around what it holds */
		if (is_loop(l)) {
			for (int k = 1; k < n; k++)
				x->at[i + k].depth--;
			drop(x, i);
		}
		break;
	default:
		if (is_loop(l))
			set_kind(l, rng);
	}
}

struct tally { int tried, ran, refused, verdict[TREE_WRONG + 1]; };
struct given { const struct lines *lines; struct tally *tally; bool accepted; };

/* Whether the graph has all nodes of the lines: a default tree may have nodes of its own. */
static bool has_leaves(const struct lines *x, const struct lt_graph *g)
{
	for (int i = 0; i < x->n; i++) {
		const char *name = x->at[i].text + 1;
		size_t bytes = strcspn(name, " ");
		bool found = name[-1] != '%';
		for (lt_node n = 0; n < g->n_node && !found; n++)
			found = strlen(g->node[n].name) == bytes && !memcmp(g->node[n].name, name, bytes);
		if (!found)
			return false;
	}
	return true;
}

/* The lines of a refused text, as a tree that nothing has checked, before the exact check and before running it. */
static void judge(const struct lines *x, const struct lt_graph *g, struct tally *tally)
{
	struct run_text text = { NULL, 0 };
	char line[LINE_BYTES + 70], why[1000], message[1000];
	if (x->n == 0 || !has_leaves(x, g))
		return;
	snprintf(message, sizeof message, "%s", lt_context_message(g->ctx));
	for (int i = 0; i < x->n; i++) {
		const char *at = x->at[i].text + (is_loop(&x->at[i]) ? 4 : 0);
		int n = snprintf(line, sizeof line, "%*s%.*s\n", x->at[i].depth, "",
			*at == '%' ? (int)strcspn(at, " ") : LINE_BYTES, at);
		run_text_add(&text, line, (size_t)n);
	}
	struct lt_looptree *t = tree_marked_open(g, text.at);
	enum tree_verdict verdict = tree_judge(t, why, sizeof why);
	cr_assert_neq(verdict, TREE_WRONG, "%s; the text is refused with: %s\n%s", why, message, text.at);
	tally->verdict[verdict]++;
	lt_looptree_free(t);
	run_text_free(&text);
}

static lt_status compile_edited(
	void *user, const struct lt_graph *g, const struct lt_options *options, struct lt_program **out)
{
	struct given *given = user;
	struct lt_options o = *options;
	struct lt_program *p;
	char *text, *lines = calloc(MAX_LINES, LINE_BYTES);
	*out = NULL;
	LT_TRY(lt_compile(g->ctx, g, options, &p));
	for (int i = 0; i < given->lines->n; i++)
		sprintf(lines + strlen(lines), "%*s%s\n", 2 * given->lines->at[i].depth, "", given->lines->at[i].text);
	text = tree_with_header(p->tree->base, lines);
	o.schedule = text;
	o.schedule_bytes = strlen(text);
	lt_status st = lt_compile(g->ctx, g, &o, out);
	cr_assert(!st || *lt_context_message(g->ctx), "refused without a reason:\n%s", text);
	cr_assert(!st || st == LT_EILLEGAL || st == LT_ESYNTAX || st == LT_EUNSUPPORTED, "%s\n%s",
		lt_context_message(g->ctx), text);
	given->accepted = !st;
	if (st == LT_EILLEGAL)
		judge(given->lines, p->tree->base, given->tally);
	lt_program_free(p);
	free(text);
	free(lines);
	return st;
}

struct data { const struct random_graph *r; uint64_t seed; };
static void fill(void *user, int run, lt_node n, void *out)
{
	const struct data *d = user;
	random_graph_fill(d->r, d->seed, run, n, out);
}

static void show(const struct lines *x)
{
	for (int i = 0; i < x->n; i++)
		fprintf(stderr, "%*s%s\n", 2 * x->at[i].depth, "", x->at[i].text);
}

static void try_graph(uint64_t seed, const char *backend, struct tally *tally)
{
	static struct lines lines, edited;
	static char nest[4000];
	uint64_t rng = seed * 77 + 5;
	const struct random_options options = { .n_node = (int32_t)random_between(&rng, 3, 9),
		.views = true,
		.params = seed % 3 == 0,
		.states = seed % 4 == 0,
		.composites = seed % 5 == 0 };
	const struct lt_options compile = { .size = sizeof compile, .backends = "ref", .no_passes = 1 };
	struct random_graph r;
	struct lt_context *ctx;
	struct lt_program *p;
	struct run_text text = { NULL, 0 };
	cr_assert_eq(lt_context_new(&ctx), LT_OK);
	if (seed % 2)
		random_nest_new(ctx, seed, 4, 0, &r, nest, sizeof nest);
	else
		random_graph_new(ctx, seed, &options, &r);
	struct data d = { &r, seed };
	struct run_want want;
	run_want_new(r.g, 2, fill, &d, &want);
	if (!want.status && !lt_compile(ctx, r.g, &compile, &p)) {
		cr_assert_eq(lt_program_dump(p, LT_SHOW_TREE, run_text_add, &text), LT_OK);
		lt_program_free(p);
	}
	for (int k = 0; text.at && k < EDITS && take_lines(text.at, &lines) && lines.n > 0; k++) {
		char why[1000];
		struct run_tally run = { 0 };
		edited = lines;
		for (int64_t e = random_between(&rng, 1, 4); e > 0 && edited.n > 0; e--)
			edit(&edited, &rng);
		write_names(&edited);
		if (same_lines(&lines, &edited))
			continue;
		struct given given = { .lines = &edited, .tally = tally };
		const struct run_config config = {
			.backends = backend, .no_passes = true, .compile = compile_edited, .user = &given
		};
		bool good = run_compare(&want, r.g, &config, NULL, NULL, &run, why, sizeof why);
		tally->tried++;
		tally->ran += given.accepted;
		tally->refused += !given.accepted;
		if (given.accepted && !good) {
			show(&edited);
			cr_assert(false, "seed %llu, edit %d on %s: %s", (unsigned long long)seed, k, backend, why);
		}
	}
	run_text_free(&text);
	run_want_free(&want);
	random_graph_free(&r);
	lt_context_free(ctx);
}

static void try_graphs(const char *backend, uint64_t n_graph)
{
	struct tally tally = { 0 };
	uint64_t first = must_number("LT_SEED", 4107), n = must_draws("LT_GRAPHS", n_graph);
	for (uint64_t seed = first; seed < first + n; seed++)
		try_graph(seed, backend, &tally);
	fprintf(stderr,
		"%s: %d edits from seed %llu on, %d ran, %d were refused; of those %d for a dependence that running "
		"them finds, %d for their shape, %d not judged\n",
		backend, tally.tried, (unsigned long long)first, tally.ran, tally.refused, tally.verdict[TREE_ILLEGAL],
		tally.verdict[TREE_SHAPE], tally.verdict[TREE_OPEN]);
	/* Of few graphs chance decides how many. */
	cr_assert_gt(tally.ran, n < 100 ? 0 : (int)n);
	cr_assert_gt(tally.refused, n < 100 ? 0 : (int)n / 2);
	cr_assert(n < 800 || tally.verdict[TREE_ILLEGAL] > 20, "dependences that break are common enough");
}

Test(tree_edit, on_ref) { try_graphs("ref", 800); }
Test(tree_edit, on_cpu) { try_graphs("cpu:O0", 4); }
