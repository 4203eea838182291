/* Lists of schedule primitives: read step by step; each step is done on a copy, checked, and proven. */
#include <string.h>
#include "base/document.h"
#include "base/nearest.h"
#include "looptree/schedule/refusal.h"
#include "looptree/schedule/schedule.h"
#include "looptree/tree/tree.h"

typedef lt_status primitive_fn(struct lt_edit *, const struct lt_words *);
static primitive_fn *const functions[] = {
#define PRIMITIVE(name, usage, doc) lt__primitive_##name,
#include "looptree/schedule/schedule.def"
};
enum { N_PRIMITIVE = sizeof functions / sizeof *functions, MAX_WORDS = 64 };

/* -- words -- */

struct step_list { struct lt_context *ctx; const char *file, *next, *end, *line_at; int32_t line; };
struct schedule_step {
	const char *at;
	size_t bytes;
	int32_t line, column, n;
	struct lt_step_word word[MAX_WORDS + 1];
};

static bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }

/* Words up to an end of line, a ';' or a comment; one more than fits is not kept. */
static void read_words(struct step_list *l, struct schedule_step *s)
{
	while (l->next < l->end && *l->next != '\n' && *l->next != ';') {
		const char *at = l->next;
		if (*at == '#') {
			while (l->next < l->end && *l->next != '\n')
				l->next++;
			return;
		}
		while (l->next < l->end && !is_blank(*l->next) && !memchr("\n;#", *l->next, 3))
			l->next++;
		if (l->next == at) {
			l->next++;
			continue;
		}
		if (s->n == 0) {
			s->at = at;
			s->line = l->line;
			s->column = (int32_t)(at - l->line_at < INT32_MAX - 1 ? at - l->line_at + 1 : INT32_MAX);
		}
		s->bytes = (size_t)(l->next - s->at);
		if (s->n <= MAX_WORDS)
			s->word[s->n++] = (struct lt_step_word){ at, (size_t)(l->next - at) };
	}
}

/* The next step that has words; false: the list has ended. */
static bool next_step(struct step_list *l, struct schedule_step *s)
{
	s->n = 0;
	while (l->next < l->end) {
		read_words(l, s);
		if (l->next < l->end && *l->next++ == '\n') {
			l->line += l->line < INT32_MAX;
			l->line_at = l->next;
		}
		if (s->n > 0)
			return true;
	}
	return false;
}

static int step_bytes_shown(size_t bytes, int max) { return bytes < (size_t)max ? (int)bytes : max; }

/* The context's sentence, with the step that it is about. */
static lt_status fail_step(const struct step_list *l, const struct schedule_step *s, lt_status status)
{
	char text[sizeof l->ctx->message];
	if (lt__is_end(status))
		return status;
	snprintf(text, sizeof text, "%s", l->ctx->message);
	return lt_fail(l->ctx, status, "%.200s:%d:%d: `%.*s`: %s", l->file, (int)s->line, (int)s->column,
		step_bytes_shown(s->bytes, 120), s->at, text);
}

/* -- steps -- */

/* How many words a usage asks for, its name not counted. */
static void count_words(const char *usage, int32_t *min, int32_t *max)
{
	*min = *max = -1;
	for (const char *at = usage; *at; at += strcspn(at, " "), at += *at == ' ') {
		if (!strncmp(at, "...", 3)) {
			*max = MAX_WORDS - 1;
			continue;
		}
		*min += *at != '[';
		*max += 1;
	}
}

static lt_status find_primitive(struct lt_context *ctx, const struct schedule_step *s, int32_t *out)
{
	const char *names[N_PRIMITIVE + 1] = { NULL };
	for (*out = 0; *out < N_PRIMITIVE; ++*out) {
		names[*out] = lt__primitive_at(*out)->name;
		if (lt__word_is(&s->word[0], names[*out]))
			break;
	}
	if (*out == N_PRIMITIVE) {
		const char *near = lt__nearest_of(ctx, s->word[0].at, s->word[0].bytes, names);
		return lt_fail(ctx, LT_ESYNTAX, "there is no primitive '%.*s'%s%s%s",
			step_bytes_shown(s->word[0].bytes, 60), s->word[0].at, *near ? near : "; ",
			*near ? "" : LT_DOCUMENT("schedule.md"), *near ? "" : " lists them");
	}
	int32_t min, max;
	count_words(lt__primitive_at(*out)->usage, &min, &max);
	if (s->n - 1 > MAX_WORDS - 1)
		return lt_fail(ctx, LT_ESYNTAX, "a step has at most %d words", MAX_WORDS);
	if (s->n - 1 < min || s->n - 1 > max)
		return lt_fail(ctx, LT_ESYNTAX, "a step of this kind is `%s`", lt__primitive_at(*out)->usage);
	return LT_OK;
}

struct step_change { struct lt_edit *e; const struct lt_words *w; primitive_fn *call; };
static lt_status change_body(void *arg)
{
	struct step_change *c = arg;
	return c->call(c->e, c->w);
}

/* Steps that are applied one after the other. */
struct apply {
	struct step_list *list;
	int32_t n_cursor;
	lt_tnode *cursor;
	/* The nodes of the tree that was given, as further cursors, where a refusal is asked for. */
	int32_t n_given;
	lt_tnode *given;
	int32_t number;                 /* of the step in hand */
	const struct schedule_step *only;       /* the one step that there is; NULL: those of the list */
	struct lt_refused_step **why;   /* NULL: nobody asks */
};

static void refuse(const struct apply *a, const struct lt_looptree *from, const struct lt_edit *e,
	const struct schedule_step *s, int32_t which, lt_status st)
{
	if (!a->why || lt__is_end(st) || st == LT_EBUDGET)
		return;
	*a->why = lt__refusal_new(
		&(struct lt_refused){ .from = from, .edit = e, .name = a->list->file, .step = s->at, .step_bytes = s->bytes,
			.line = s->line, .column = s->column, .number = a->number, .primitive = which,
			.words = { s->n - 1 < MAX_WORDS ? s->n - 1 : MAX_WORDS, s->word + 1 }, .n_given = a->n_given,
			.given = a->given },
		st);
}

/* Without a step: the same tree again. */
static lt_status do_step(const struct apply *a, const struct lt_looptree *from, const struct schedule_step *s,
	lt_tnode *moved, struct lt_looptree **out)
{
	int32_t which = 0;
	struct lt_edit e;
	lt_status st = s ? find_primitive(from->ctx, s, &which) : LT_OK;
	if (st) {
		refuse(a, from, NULL, s, which < N_PRIMITIVE ? which : -1, st);
		return st;
	}
	LT_TRY(lt__edit_open(&e, from));
	const struct lt_words w = { s ? s->n - 1 : 0, s ? s->word + 1 : NULL };
	struct step_change c = { &e, &w, functions[which] };
	st = s ? lt__protect(from->ctx, change_body, &c) : LT_OK;
	if (!st)
		st = lt__edit_close(&e, moved);
	if (st && s)
		refuse(a, from, &e, s, which, st);
	if (st)
		lt_looptree_free(e.t);
	else
		*out = e.t;
	return st;
}

static void follow(const lt_tnode *moved, int32_t n, lt_tnode *cursor)
{
	for (int32_t i = 0; i < n; i++)
		cursor[i] = cursor[i] < 0 ? -1 : moved[cursor[i]];
}

/* The step, and what happens to the cursors. */
static lt_status follow_step(const struct apply *a, const struct lt_looptree *from, const struct schedule_step *s,
	struct lt_looptree **out)
{
	size_t bytes = ((size_t)from->n_node + 1) * sizeof(lt_tnode);
	lt_tnode *moved = lt__context_realloc(from->ctx, NULL, 0, bytes);
	if (!moved)
		return lt_fail(from->ctx, LT_ENOMEM, "out of memory");
	lt_status st = do_step(a, from, s, moved, out);
	if (!st) {
		follow(moved, a->n_cursor, a->cursor);
		follow(moved, a->n_given, a->given);
	}
	lt__context_realloc(from->ctx, moved, bytes, 0);
	return st;
}

static bool take_step(struct apply *a, struct schedule_step *s)
{
	if (!a->only)
		return next_step(a->list, s);
	*s = *a->only;
	return a->number == 0;
}

/* The refusal gets the whole sentence, too. */
static lt_status fail_refused(const struct apply *a, const struct schedule_step *s, lt_status st)
{
	st = fail_step(a->list, s, st);
	if (a->why && *a->why)
		lt__refusal_message(*a->why);
	return st;
}

static lt_status do_steps(struct apply *a, const struct lt_looptree *from, struct lt_looptree **out)
{
	struct schedule_step s = { .n = 0 };
	for (; take_step(a, &s); a->number++) {
		struct lt_looptree *next = NULL;
		lt_status st = follow_step(a, *out ? *out : from, &s, &next);
		if (st)
			st = fail_refused(a, &s, st);
		lt_looptree_free(*out);
		*out = next;
		LT_TRY(st);
	}
	return *out ? LT_OK : follow_step(a, from, NULL, out);
}

bool lt__schedule_is_empty(const char *text, size_t bytes)
{
	struct step_list l = { .next = text, .end = text + bytes, .line_at = text, .line = 1 };
	struct schedule_step s;
	return !next_step(&l, &s);
}

static void steps_begin(struct step_list *l, struct lt_context *ctx, const char *text, size_t bytes, const char *name)
{
	*l = (struct step_list){ .ctx = ctx,
		.file = name ? name : "schedule",
		.next = text,
		.end = text + bytes,
		.line_at = text,
		.line = 1 };
}

static lt_status apply_steps(struct apply *a, const struct lt_looptree *from, struct lt_looptree **out)
{
	struct lt_spending spending;
	size_t bytes = ((size_t)from->n_node + 1) * sizeof(lt_tnode);
	if (a->why) {
		a->given = lt__context_realloc(from->ctx, NULL, 0, bytes);
		if (!a->given)
			return lt_fail(from->ctx, LT_ENOMEM, "out of memory");
		for (a->n_given = 0; a->n_given < from->n_node; a->n_given++)
			a->given[a->n_given] = a->n_given;
	}
	lt__spending_begin(from->ctx, &spending, "applying the schedule");
	lt_status st = do_steps(a, from, out);
	lt__spending_end(from->ctx, &spending);
	if (a->given)
		lt__context_realloc(from->ctx, a->given, bytes, 0);
	return st;
}

/* "schedule 1", the first line of a list. */
static lt_status read_version(const struct lt_looptree *t, const struct schedule_step *head)
{
	int64_t version;
	if (head->n != 2)
		return lt_fail(t->ctx, LT_ESYNTAX, "a list of primitives begins with 'schedule %d'", LT_SCHEDULE_VERSION);
	LT_TRY(lt__word_number(t, &head->word[1], "the version", &version));
	return version == LT_SCHEDULE_VERSION ? LT_OK : lt_fail(t->ctx, LT_ESYNTAX,
		"version %lld of lists of primitives is not known; this library reads version %d",
		(long long)version, LT_SCHEDULE_VERSION);
}

/* -- for callers -- */

static lt_status apply_begin(struct apply *a, const struct lt_looptree *from, struct lt_looptree **out)
{
	*out = NULL;
	if (a->why)
		*a->why = NULL;
	if (!from->scope)
		return lt_fail(from->ctx, LT_EINVAL, "the tree is not finished: call lt_looptree_finish first");
	for (int32_t i = 0; i < a->n_cursor; i++)
		if (a->cursor[i] < -1 || a->cursor[i] >= from->n_node)
			return lt_fail(from->ctx, LT_EINVAL, "cursor %d is %d, which is no node of the tree: it has %d", (int)i,
				(int)a->cursor[i], (int)from->n_node);
	return LT_OK;
}

lt_status lt_looptree_apply(const struct lt_looptree *from, const char *text, size_t bytes, const char *name,
	int32_t n_cursor, lt_tnode *cursor, struct lt_looptree **out, struct lt_refused_step **why)
{
	struct step_list l, first;
	struct apply a = { .list = &l, .n_cursor = n_cursor, .cursor = cursor, .why = why };
	struct schedule_step head = { .n = 0 };
	LT_TRY(apply_begin(&a, from, out));
	steps_begin(&l, from->ctx, text, bytes, name);
	first = l;
	if (!next_step(&l, &head) || !lt__word_is(&head.word[0], "schedule")) {
		l = first;
		return apply_steps(&a, from, out);
	}
	lt_status st = read_version(from, &head);
	if (st)
		refuse(&a, from, NULL, &head, -1, st);
	return st ? fail_refused(&a, &head, st) : apply_steps(&a, from, out);
}

struct joined { struct lt_arena *arena; int32_t n; const char *const *word; struct schedule_step *step; };

/* The words as one text, in which a step may be shown, and as a step. */
static lt_status join_words(void *arg)
{
	struct joined *j = arg;
	struct lt_text x = { .arena = j->arena };
	struct schedule_step *s = j->step;
	for (int32_t i = 0; i < j->n; i++)
		lt__text_format(&x, "%s%s", i ? " " : "", j->word[i]);
	*s = (struct schedule_step){ .at = x.at, .bytes = x.n, .line = 1, .column = 1 };
	for (; s->n < j->n && s->n <= MAX_WORDS; s->n++)
		s->word[s->n] = (struct lt_step_word){ j->word[s->n], strlen(j->word[s->n]) };
	return LT_OK;
}

lt_status lt_looptree_apply_words(const struct lt_looptree *from, int32_t n, const char *const *word, int32_t n_cursor,
	lt_tnode *cursor, struct lt_looptree **out, struct lt_refused_step **why)
{
	struct step_list l;
	struct schedule_step s;
	struct apply a = { .list = &l, .only = &s, .n_cursor = n_cursor, .cursor = cursor, .why = why };
	struct joined j = { .n = n, .word = word, .step = &s };
	LT_TRY(apply_begin(&a, from, out));
	if (n < 1 || !*word[0])
		return lt_fail(from->ctx, LT_EINVAL, "a step begins with the name of a primitive, and there is none");
	steps_begin(&l, from->ctx, "", 0, "apply");
	LT_TRY(lt__arena_new(from->ctx, &j.arena));
	lt_status st = lt__protect(from->ctx, join_words, &j);
	if (!st)
		st = apply_steps(&a, from, out);
	lt__arena_free(j.arena);
	return st;
}
