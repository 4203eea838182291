/* What two texts of trees differ in: lines that were added, removed, changed or moved; blanks and facts do not count.
 *
 * Lines are matched by what they name: a var, a value, a loop among its siblings, a leaf.  Children are matched where
 * their parents are, in order, as many as possible; a leaf that found no partner is looked for in the whole other tree.
 */
#include <string.h>
#include "base/names.h"
#include "looptree/text/parse.h"

enum { MAX_PAIRS = 4 << 20 };   /* siblings against siblings: beyond it they are matched from both ends only */

struct record {
	const char *text, *key;         /* the line without facts, its words one blank apart; what it names */
	int32_t line, parent, first, next, last;        /* tree: its place; header: parent -1 */
	int32_t partner;                /* in the other text, -1 */
	bool tree, leaf;
};
struct diff_side { const char *file; struct record *at; int32_t n, cap, first, last; struct lt_names *leaf; };
struct differ {
	struct lt_arena *a;
	struct diff_side side[2];
	int32_t *list[2], *length, *todo, n_todo, cap_todo;
	struct lt_text out;
};

/* Its words, one blank apart, up to '#'. */
static const char *words_of(struct lt_arena *a, const char *from, const char *end)
{
	char *text = lt__arena_alloc(a, (size_t)(end - from) + 1);
	size_t n = 0;
	for (; from < end && *from != '#'; from++)
		if (*from != ' ' && *from != '\t' && *from != '\r' && *from)
			text[n++] = *from;
		else if (n > 0 && text[n - 1] != ' ')
			text[n++] = ' ';
	text[n - (n > 0 && text[n - 1] == ' ')] = '\0';
	return text;
}

/* What names a line: its first two words ("var m", "for m'"); a leaf's or a group's first one. */
static const char *line_key(struct lt_arena *a, const char *text)
{
	size_t n = strcspn(text, " ");
	bool two = *text != '%' && strncmp(text, "group", n) != 0 && strncmp(text, "graph", n) != 0
		&& strncmp(text, "target", n) != 0 && text[n];
	if (two)
		n += 1 + strcspn(text + n + 1, " ");
	char *key = lt__arena_alloc(a, n + 1);
	memcpy(key, text, n);
	return key;
}

static lt_status add_record(struct differ *d, struct diff_side *s, struct record r, const int32_t *open, int32_t level)
{
	int32_t parent = r.tree && level > 0 ? open[level - 1] : -1;
	LT_GROW(d->a, s->at, s->n, s->cap);
	int32_t at = s->n++;
	r.parent = parent;
	r.first = r.next = r.last = r.partner = -1;
	s->at[at] = r;
	int32_t *last = parent >= 0 ? &s->at[parent].last : &s->last;
	*(*last >= 0 ? &s->at[*last].next : parent >= 0 ? &s->at[parent].first : &s->first) = at;
	*last = at;
	if (r.leaf && lt__names_find(s->leaf, r.key, strlen(r.key)) < 0)
		lt__names_add(s->leaf, r.key, strlen(r.key), at);
	return LT_OK;
}

static lt_status read_side(struct differ *d, struct diff_side *s, const char *text, size_t bytes)
{
	int32_t *open = LT_NEW(d->a, int32_t, LT_TREE_DEPTH), n_open = 0, line = 0;
	bool tree = false, begun = false;
	struct lt_context *ctx = lt__arena_context(d->a);
	s->leaf = lt__names_new(d->a);
	s->first = s->last = -1;
	for (const char *from = text, *end = text + bytes, *stop; from < end; from = stop + 1) {
		stop = memchr(from, '\n', (size_t)(end - from));
		stop = stop ? stop : end;
		const char *begin = from;
		line++;
		while (begin < stop && *begin == ' ')
			begin++;
		struct record r = { .text = words_of(d->a, begin, stop), .line = line };
		if (!*r.text)
			continue;
		if (!begun && strncmp(r.text, "looptree ", 9) != 0)
			return lt_fail(ctx, LT_ESYNTAX,
				"%.200s:%d:1: the text of a tree begins with 'looptree %d', not with '%.40s'", s->file,
				(int)line, LT_TREE_VERSION, r.text);
		begun = true;
		int64_t level = (begin - from) / 2;
		if (tree && ((begin - from) % 2 != 0 || level > n_open || level >= LT_TREE_DEPTH || *begin == '\t'))
			return lt_fail(ctx, LT_ESYNTAX, "%.200s:%d:%lld: the indentation is not a level of the lines above; a level is two "
				"blanks", s->file,
				(int)line, (long long)(begin - from) + 1);
		r.key = line_key(d->a, r.text);
		r.tree = tree;
		r.leaf = tree && *r.text == '%';
		LT_TRY(add_record(d, s, r, open, (int32_t)level));
		if (tree) {
			open[level] = s->n - 1;
			n_open = (int32_t)level + 1;
		}
		tree = tree || !strcmp(r.text, "tree");
	}
	return begun ? LT_OK
		     : lt_fail(ctx, LT_ESYNTAX,
			     "%.200s:1:1: the text of a tree begins with 'looptree %d'; this one is empty", s->file,
			     LT_TREE_VERSION);
}

static bool same_key(const struct differ *d, int32_t a, int32_t b)
{
	const struct record *x = &d->side[0].at[a], *y = &d->side[1].at[b];
	return x->tree == y->tree && !strcmp(x->key, y->key);
}

static void pair(struct differ *d, int32_t a, int32_t b)
{
	d->side[0].at[a].partner = b;
	d->side[1].at[b].partner = a;
	if (d->side[0].at[a].first >= 0 && d->side[1].at[b].first >= 0) {
		LT_GROW(d->a, d->todo, d->n_todo, d->cap_todo);
		d->todo[d->n_todo++] = a;
	}
}

static int32_t list_children(struct differ *d, int32_t side, int32_t first)
{
	int32_t n = 0;
	for (int32_t at = first; at >= 0; at = d->side[side].at[at].next)
		d->list[side][n++] = at;
	return n;
}

/* The longest common subsequence of two lists of siblings, after what they share at both ends. */
static void diff_match(struct differ *d, int32_t first_a, int32_t first_b)
{
	int32_t n = list_children(d, 0, first_a), m = list_children(d, 1, first_b), begin = 0;
	const int32_t *a = d->list[0], *b = d->list[1];
	for (; begin < n && begin < m && same_key(d, a[begin], b[begin]); begin++)
		pair(d, a[begin], b[begin]);
	for (; n > begin && m > begin && same_key(d, a[n - 1], b[m - 1]); n--, m--)
		pair(d, a[n - 1], b[m - 1]);
	int64_t rows = n - begin, columns = m - begin;
	if (rows == 0 || columns == 0 || (rows + 1) * (columns + 1) > MAX_PAIRS)
		return;
	if (!d->length)
		d->length = LT_NEW(d->a, int32_t, MAX_PAIRS);
#define LENGTH(i, j) d->length[(i) * (columns + 1) + (j)]
	for (int64_t i = rows; i >= 0; i--)
		for (int64_t j = columns; j >= 0; j--)
			LENGTH(i, j) = i == rows || j == columns ? 0 : same_key(d, a[begin + i], b[begin + j]) ? LENGTH(i + 1, j + 1) + 1 :
				LENGTH(i + 1, j) > LENGTH(i, j + 1) ? LENGTH(i + 1, j) : LENGTH(i, j + 1);
	for (int64_t i = 0, j = 0; i < rows && j < columns; )
		if (same_key(d, a[begin + i], b[begin + j]))
			pair(d, a[begin + i++], b[begin + j++]);
		else if (LENGTH(i + 1, j) >= LENGTH(i, j + 1))
			i++;
		else
			j++;
#undef LENGTH
}

/* A leaf that is elsewhere in the other tree. */
static void match_moved(struct differ *d)
{
	for (int32_t i = 0; i < d->side[0].n; i++) {
		struct record *r = &d->side[0].at[i];
		int32_t other = r->leaf && r->partner < 0 ? lt__names_find(d->side[1].leaf, r->key, strlen(r->key)) : -1;
		if (other >= 0 && d->side[1].at[other].partner < 0) {
			r->partner = other;
			d->side[1].at[other].partner = i;
		}
	}
}

static void diff_line(struct differ *d, int32_t side, const char *what, const struct record *r)
{
	lt__text_format(&d->out, "%-8s%s:%d: %s\n", what, d->side[side].file, (int)r->line, r->text);
}

static bool moved(const struct differ *d, const struct record *a, const struct record *b)
{
	return a->parent < 0 || b->parent < 0 ? (a->parent < 0) != (b->parent < 0)
					      : d->side[0].at[a->parent].partner != b->parent;
}

/* In order of the first text; what only the second has is before the line that follows it there. */
static void print_differences(struct differ *d)
{
	int32_t next = 0;
	for (int32_t i = 0; i <= d->side[0].n; i++) {
		const struct record *a = i < d->side[0].n ? &d->side[0].at[i] : NULL;
		if (a && a->partner < 0) {
			diff_line(d, 0, "removed", a);
			continue;
		}
		int32_t until = a ? a->partner : d->side[1].n;
		for (; next < until; next++)
			if (d->side[1].at[next].partner < 0)
				diff_line(d, 1, "added", &d->side[1].at[next]);
		if (!a)
			break;
		const struct record *b = &d->side[1].at[until];
		if (a->tree && moved(d, a, b)) {
			diff_line(d, 0, "moved", a);
			diff_line(d, 1, "  to", b);
		} else if (strcmp(a->text, b->text) != 0) {
			diff_line(d, 0, "changed", a);
			diff_line(d, 1, "  to", b);
		}
	}
}

struct diff_input { struct differ d; const char *text[2]; size_t bytes[2]; };

static lt_status diff_body(void *user)
{
	struct diff_input *b = user;
	struct differ *d = &b->d;
	for (int i = 0; i < 2; i++) {
		LT_TRY(read_side(d, &d->side[i], b->text[i], b->bytes[i]));
		d->list[i] = LT_NEW(d->a, int32_t, d->side[i].n + 1);
	}
	diff_match(d, d->side[0].first, d->side[1].first);
	while (d->n_todo > 0) {
		int32_t a = d->todo[--d->n_todo];
		diff_match(d, d->side[0].at[a].first, d->side[1].at[d->side[0].at[a].partner].first);
	}
	match_moved(d);
	print_differences(d);
	return LT_OK;
}

lt_status lt_looptree_diff(struct lt_context *ctx, const char *a, size_t a_bytes, const char *a_file, const char *b,
	size_t b_bytes, const char *b_file, int *same, void (*write)(void *, const char *, size_t), void *user)
{
	struct diff_input body = {
		.d = { .side = { { .file = a_file ? a_file : "a" }, { .file = b_file ? b_file : "b" } } },
		.text = { a, b },
		.bytes = { a_bytes, b_bytes }
	};
	*same = 0;
	LT_TRY(lt__arena_new(ctx, &body.d.a));
	body.d.out.arena = body.d.a;
	lt_status st = lt__protect(ctx, diff_body, &body);
	if (!st && body.d.out.n)
		write(user, body.d.out.at, body.d.out.n);
	*same = !st && body.d.out.n == 0;
	lt__arena_free(body.d.a);
	return st;
}
