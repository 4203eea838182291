/* frame.c -- what places and values are called: in sentences, and in the graph. */
#include <string.h>
#include "frontends/script/reader.h"

enum {
	SHOWN_FRAMES = 4,       /* calls and rounds in a sentence */
	PATH_MAX_BYTES = 160    /* of a node's name */
};

const char *lt__script_where(struct lt_script *s)
{
	struct lt_text t = { .arena = s->arena };
	int32_t n = 0;
	for (const struct lt_script_frame *f = s->frame; f && n < SHOWN_FRAMES; f = f->up, n++) {
		lt__text_format(&t, n ? ", " : " (in ");
		if (f->function && f->position.line < 1)        /* a node of a model that has no lines */
			lt__text_format(&t, "'%s'", f->function);
		else if (f->function)
			lt__text_format(&t, "'%s' called in line %d", f->function, f->position.line);
		else
			lt__text_format(&t, "round %s = %lld of line %d", f->counter, (long long)f->round, f->position.line);
		if (n + 1 == SHOWN_FRAMES && f->up)
			lt__text_format(&t, ", ...");
	}
	lt__text_format(&t, n ? ")" : "");
	return t.at;
}

static void path_add(
	struct lt_script *s, struct lt_text *t, const struct lt_script_frame *f, const char *own, int32_t bytes)
{
	const struct lt_script_frame *round = f;
	while (round && !round->function)
		round = round->up;
	if (round)
		path_add(s, t, round->up, round->function, (int32_t)strlen(round->function));
	if (t->n && bytes)
		lt__text_add(t, ".", 1);
	lt__text_add(t, own, (size_t)bytes);
	struct lt_text rounds = { .arena = s->arena };
	for (; f != round; f = f->up) {
		const char *inner = rounds.n ? rounds.at : "";
		rounds = (struct lt_text){ .arena = s->arena };
		lt__text_format(&rounds, ".%lld%s", (long long)f->round, inner);
	}
	if (rounds.n && bytes)
		lt__text_add(t, rounds.at, strlen(rounds.at));
}

/* Rounds come after the name of what is made or called in them: block.3.h of block(h) in round 3, h.3 of h. */
const char *lt__script_path(struct lt_script *s, const char *name, int32_t bytes)
{
	struct lt_text t = { .arena = s->arena };
	path_add(s, &t, s->frame, name, bytes);
	return t.n > PATH_MAX_BYTES ? t.at + (t.n - PATH_MAX_BYTES) : t.at;
}

const char *lt__script_quote(struct lt_script *s, const struct lt_cursor *from)
{
	enum { MAX_BYTES = 40 };
	const char *end = s->cursor.at, *begin = from->at;
	while (end > begin && (end[-1] == ' ' || (end[-1] >= '\t' && end[-1] <= '\r')))
		end--;
	int n = end - begin > MAX_BYTES ? MAX_BYTES : (int)(end - begin);
	while (n < end - begin && n > 0 && (begin[n] & 0xc0) == 0x80)
		n--;
	return lt__arena_format(s->arena, "'%.*s%s'", n, begin, n < end - begin ? "..." : "");
}
