/* registry.c -- which frontends there are, and which one takes a text. */
#include <pthread.h>
#include <string.h>
#include "base/arena.h"
#include "frontends/frontends.h"
#include "lt/frontend.h"

enum { MAX_FRONTEND = 64 };
static const struct lt_frontend *table[MAX_FRONTEND];   /* sorted by name */
static uint32_t count;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static bool good_name(const char *name)
{
	if (!name || *name < 'a' || *name > 'z')
		return false;
	return name[strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789_")] == 0;
}

/* Place of `name` in the table, or where it would be. */
static uint32_t frontend_position(const char *name)
{
	uint32_t i = 0;
	while (i < count && strcmp(table[i]->name, name) < 0)
		i++;
	return i;
}

lt_status lt_frontend_register(const struct lt_frontend *f)
{
	if (!f || f->size < sizeof *f || !good_name(f->name) || !f->recognize || !f->parse)
		return LT_EINVAL;
	lt_status status = LT_OK;
	pthread_mutex_lock(&lock);
	uint32_t at = frontend_position(f->name);
	if (at < count && strcmp(table[at]->name, f->name) == 0)
		status = LT_EEXIST;
	else if (count == MAX_FRONTEND)
		status = LT_ENOMEM;
	else {
		memmove(table + at + 1, table + at, (count - at) * sizeof *table);
		table[at] = f;
		count++;
	}
	pthread_mutex_unlock(&lock);
	return status;
}

const struct lt_frontend *lt_frontend_find(const char *name)
{
	const struct lt_frontend *found = NULL;
	if (!name)
		return NULL;
	pthread_mutex_lock(&lock);
	uint32_t at = frontend_position(name);
	if (at < count && strcmp(table[at]->name, name) == 0)
		found = table[at];
	pthread_mutex_unlock(&lock);
	return found;
}

uint32_t lt_frontend_count(void)
{
	pthread_mutex_lock(&lock);
	uint32_t n = count;
	pthread_mutex_unlock(&lock);
	return n;
}

const struct lt_frontend *lt_frontend_at(uint32_t i)
{
	pthread_mutex_lock(&lock);
	const struct lt_frontend *f = i < count ? table[i] : NULL;
	pthread_mutex_unlock(&lock);
	return f;
}

/* Names of all frontends, "graph, script", cut off where they do not fit. */
static const char *list(char *buf, size_t bytes)
{
	size_t at = 0;
	buf[0] = 0;
	for (uint32_t i = 0; i < lt_frontend_count() && at < bytes; i++)
		at += (size_t)snprintf(buf + at, bytes - at, "%s%s", i ? ", " : "", lt_frontend_at(i)->name);
	return buf;
}

static bool has_suffix(const struct lt_frontend *f, const char *file)
{
	const char *dot = strrchr(file, '.');
	return f->suffix && dot && !strcmp(f->suffix, dot + 1);
}

/* The surest; of several that are as sure the one that the file's name ends as, else the first by name. */
static const struct lt_frontend *recognize(const char *text, size_t bytes, const char *file, int *how_sure)
{
	const struct lt_frontend *best = NULL;
	int sure = 0;
	for (uint32_t i = 0; i < lt_frontend_count(); i++) {
		const struct lt_frontend *f = lt_frontend_at(i);
		int how = f->recognize(text, bytes);
		if (how > sure || (how && how == sure && has_suffix(f, file))) {
			best = f;
			sure = how;
		}
	}
	*how_sure = sure;
	return best;
}

/* Why models of ONNX are not read, and the way out; a build for another place (js/Makefile) says its own. */
#ifndef LT_NO_ONNX
#define LT_NO_ONNX "this build of Looptree reads none, since protobuf-c was missing; where it is built: sudo apt-get " \
	"install protobuf-c-compiler libprotobuf-c-dev && make"
#endif

/* What it seems to be that only a frontend for any text would take; NULL: it may well be a script. */
static const char *seems_foreign(const char *text, size_t bytes, char *out, size_t out_bytes)
{
	if (lt__foreign_is_onnx(text, bytes))
		return "it seems to be a model of ONNX, and " LT_NO_ONNX;
	const char *known = lt__foreign(text, bytes, out, out_bytes);
	return known ? known : lt__foreign_bytes(text, bytes, out, out_bytes);
}

/* The frontend that is named, or that knows the text; NULL: a sentence says which there are, or what the text is. */
static const struct lt_frontend *frontend_for(
	struct lt_context *ctx, const char *text, size_t bytes, const char *file, const char *name)
{
	char names[256], seems[300];
	int sure = 0;
	const struct lt_frontend *f = name ? lt_frontend_find(name) : recognize(text, bytes, file, &sure);
	const char *foreign = name || sure > LT_FRONTEND_ANY_TEXT ? NULL : seems_foreign(text, bytes, seems, sizeof seems);
	if (foreign)
		lt_fail(ctx, LT_EINVAL, "%s: it is no script and no model that is known here: %s", file, foreign);
	else if (!f && name)
		lt_fail(ctx, LT_EINVAL, "%s: there is no frontend '%s'; there are: %s", file, name, list(names, sizeof names));
	else if (!f)
		lt_fail(ctx, LT_EINVAL, "%s: no frontend recognizes this text; name one of: %s", file,
			list(names, sizeof names));
	return foreign ? NULL : f;
}

lt_status lt__parse_fixes_nothing(
	struct lt_context *ctx, const char *file, const char *frontend, const struct lt_parse_options *o)
{
	return !o->n_dim && !o->n_fixed ? LT_OK : lt_fail(ctx, LT_EINVAL,
		"%s: %s of a text for the frontend '%s' cannot be set: its text says what they are, and is changed instead", file,
		o->n_dim ? "dimensions" : "inputs", frontend);
}

static void free_kept(void *arena) { lt__arena_free(arena); }

lt_status lt__parse_run(struct lt_context *ctx, struct lt_arena **arena, struct lt_arena **kept,
	struct lt_graph **graph, lt_status (*body)(void *), void *user, struct lt_graph **out)
{
	bool held = false;
	*out = NULL;
	LT_TRY(lt__arena_new(ctx, arena));
	lt_status status = kept ? lt__arena_new(ctx, kept) : LT_OK;
	status = status ? status : lt_graph_new(ctx, graph);
	if (!status && kept) {
		status = lt_graph_hold(*graph, free_kept, *kept);
		held = !status;
	}
	status = status ? status : lt__protect(ctx, body, user);
	lt__arena_free(*arena);
	if (!status) {
		*out = *graph;
		return LT_OK;
	}
	lt_graph_free(*graph);
	if (kept && !held)
		lt__arena_free(*kept);
	return status;
}

const char *lt__parse_kernels(const struct lt_parse_options *o)
{
	return o->size >= offsetof(struct lt_parse_options, kernels) + sizeof o->kernels ? o->kernels : NULL;
}

lt_status lt_parse_with(struct lt_context *ctx, const char *text, size_t bytes, const char *file,
	const char *frontend, const struct lt_parse_options *options, struct lt_graph **out)
{
	*out = NULL;
	if (!text)
		text = "";
	if (!file)
		file = "script";
	const struct lt_frontend *f = frontend_for(ctx, text, bytes, file, frontend);
	if (!f)
		return LT_EINVAL;
	const bool with = options && f->parse_with;
	if (!with && options)
		LT_TRY(lt__parse_fixes_nothing(ctx, file, f->name, options));
	char doing[300];
	struct lt_spending spending;
	(void)snprintf(doing, sizeof doing, "reading %s", file);
	lt__spending_begin(ctx, &spending, doing);
	const lt_status status = with ? f->parse_with(ctx, text, bytes, file, options, out)
		: f->parse(ctx, text, bytes, file, out);
	lt__spending_end(ctx, &spending);
	return status;
}

lt_status lt_parse(struct lt_context *ctx, const char *text, size_t bytes, const char *file,
	const char *frontend, struct lt_graph **out)
{
	return lt_parse_with(ctx, text, bytes, file, frontend, NULL, out);
}
