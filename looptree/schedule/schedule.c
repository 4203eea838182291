/* Lists of schedule primitives: read step by step; each step is done on a copy, checked, and proven. */
#include <string.h>
#include "base/document.h"
#include "base/nearest.h"
#include "looptree/schedule/schedule.h"
#include "looptree/tree/tree.h"

static const struct lt_primitive primitives[] = {
#define PRIMITIVE(name, usage, doc) { #name, usage, doc },
#include "looptree/schedule/schedule.def"
};
typedef lt_status primitive_fn(struct lt_edit *, const struct lt_words *);
static primitive_fn *const functions[] = {
#define PRIMITIVE(name, usage, doc) lt__primitive_##name,
#include "looptree/schedule/schedule.def"
};
enum { N_PRIMITIVE = sizeof primitives / sizeof *primitives, MAX_WORDS = 64 };

int32_t lt__primitive_count(void) { return N_PRIMITIVE; }
const struct lt_primitive *lt__primitive_at(int32_t i) { return &primitives[i]; }

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
		names[*out] = primitives[*out].name;
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
	count_words(primitives[*out].usage, &min, &max);
	if (s->n - 1 > MAX_WORDS - 1)
		return lt_fail(ctx, LT_ESYNTAX, "a step has at most %d words", MAX_WORDS);
	if (s->n - 1 < min || s->n - 1 > max)
		return lt_fail(ctx, LT_ESYNTAX, "a step of this kind is `%s`", primitives[*out].usage);
	return LT_OK;
}

struct step_change { struct lt_edit *e; const struct lt_words *w; primitive_fn *call; };
static lt_status change_body(void *arg)
{
	struct step_change *c = arg;
	return c->call(c->e, c->w);
}

/* Without a step: the same tree again. */
static lt_status do_step(
	const struct lt_looptree *from, const struct schedule_step *s, lt_tnode *moved, struct lt_looptree **out)
{
	int32_t which = 0;
	struct lt_edit e;
	if (s)
		LT_TRY(find_primitive(from->ctx, s, &which));
	LT_TRY(lt__edit_open(&e, from));
	const struct lt_words w = { s ? s->n - 1 : 0, s ? s->word + 1 : NULL };
	struct step_change c = { &e, &w, functions[which] };
	lt_status st = s ? lt__protect(from->ctx, change_body, &c) : LT_OK;
	if (!st)
		st = lt__edit_close(&e, moved);
	if (st)
		lt_looptree_free(e.t);
	else
		*out = e.t;
	return st;
}

/* The step, and what happens to the cursors. */
static lt_status follow_step(const struct lt_looptree *from, const struct schedule_step *s, int32_t n_cursor,
	lt_tnode *cursor, struct lt_looptree **out)
{
	size_t bytes = ((size_t)from->n_node + 1) * sizeof(lt_tnode);
	lt_tnode *moved = lt__context_realloc(from->ctx, NULL, 0, bytes);
	if (!moved)
		return lt_fail(from->ctx, LT_ENOMEM, "out of memory");
	lt_status st = do_step(from, s, moved, out);
	for (int32_t i = 0; !st && i < n_cursor; i++)
		cursor[i] = cursor[i] < 0 ? -1 : moved[cursor[i]];
	lt__context_realloc(from->ctx, moved, bytes, 0);
	return st;
}

static lt_status do_steps(struct step_list *l, const struct lt_looptree *from, int32_t n_cursor, lt_tnode *cursor,
	struct lt_looptree **out)
{
	struct schedule_step s = { .n = 0 };
	while (next_step(l, &s)) {
		struct lt_looptree *next = NULL;
		lt_status st = follow_step(*out ? *out : from, &s, n_cursor, cursor, &next);
		if (st)
			st = fail_step(l, &s, st);
		lt_looptree_free(*out);
		*out = next;
		LT_TRY(st);
	}
	return *out ? LT_OK : follow_step(from, NULL, n_cursor, cursor, out);
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

lt_status lt__schedule_steps(const struct lt_looptree *from, const char *text, size_t bytes, const char *name,
	int32_t n_cursor, lt_tnode *cursor, struct lt_looptree **out)
{
	struct step_list l;
	struct lt_spending spending;
	*out = NULL;
	steps_begin(&l, from->ctx, text, bytes, name);
	lt__spending_begin(from->ctx, &spending, "applying the schedule");
	lt_status st = do_steps(&l, from, n_cursor, cursor, out);
	lt__spending_end(from->ctx, &spending);
	return st;
}

lt_status lt__schedule_apply(
	const struct lt_looptree *from, const char *text, size_t bytes, const char *name, struct lt_looptree **out)
{
	struct step_list l;
	struct lt_spending spending;
	struct schedule_step head = { .n = 0 };
	int64_t version;
	*out = NULL;
	steps_begin(&l, from->ctx, text, bytes, name);
	if (!next_step(&l, &head) || !lt__word_is(&head.word[0], "schedule") || head.n != 2)
		return lt_fail(from->ctx, LT_ESYNTAX, "%.200s:%d:1: a list of primitives begins with 'schedule %d'",
			l.file, head.n ? (int)head.line : 1, LT_SCHEDULE_VERSION);
	lt_status st = lt__word_number(from, &head.word[1], "the version", &version);
	if (!st && version != LT_SCHEDULE_VERSION)
		st = lt_fail(from->ctx, LT_ESYNTAX,
			"version %lld of lists of primitives is not known; this library reads version %d",
			(long long)version, LT_SCHEDULE_VERSION);
	if (st)
		return fail_step(&l, &head, st);
	lt__spending_begin(from->ctx, &spending, "applying the schedule");
	st = do_steps(&l, from, 0, NULL, out);
	lt__spending_end(from->ctx, &spending);
	return st;
}
