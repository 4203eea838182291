/* optional.c -- what a backend may offer: need, dump, describe, events, device memory. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include "tools/check/parts.h"

/* -- members -- */

static bool is_name(const char *name)
{
	if (!name || !islower((unsigned char)*name))
		return false;
	for (; *name; name++)
		if (!islower((unsigned char)*name) && !isdigit((unsigned char)*name) && *name != '_')
			return false;
	return true;
}

/* That a group of members is whole was asked for when the table was registered. */
bool lt__check_optional_members(struct check_device *d, struct check_outcome *out)
{
	const struct lt_backend *b = d->backend;
	if (LT_HAS(struct lt_caps, d->caps, device_memory) && !LT_HAS(struct lt_backend, b, mem_new))
		return lt__check_fail(out, "caps.device_memory is set, and there is no mem_new");
	if (!is_name(b->name))
		return lt__check_fail(out, "the name '%s' is not of the form [a-z][a-z0-9_]*", b->name ? b->name : "(null)");
	if (!b->summary || !b->summary[0] || strchr(b->summary, '\n'))
		return lt__check_fail(out, "summary has to be one line");
	if (!b->version || !b->version[0])
		return lt__check_fail(out, "version is empty; it is part of every cache's key");
	if (!d->caps->target->name || !d->caps->target->name[0])
		return lt__check_fail(out, "caps.target has no name");
	return b->caps(d->session) == d->caps || lt__check_fail(out, "caps gives another struct at the second call");
}

/* -- need -- */

bool lt__check_optional_need(struct check_work *w, const struct check_trial *t)
{
	const struct check_device *d = w->device;
	(void)t;
	for (uint32_t n = 0; n <= 4; n++) {
		size_t bytes = 0, align = 0, again = 0, align2 = 0;
		d->backend->need(w->object[lt__check_nest(w)], n, &bytes, &align);
		d->backend->need(w->object[lt__check_nest(w)], n, &again, &align2);
		if (bytes != again || align != align2)
			return lt__check_fail(w->out, "need for %u threads says %zu bytes, then %zu", n, bytes, again);
		if (align == 0 || (align & (align - 1)))
			return lt__check_fail(w->out, "need says an alignment of %zu, which is not a power of two", align);
		if (bytes > (size_t)1 << 30)
			return lt__check_fail(w->out, "need says %zu bytes for a small kernel", bytes);
	}
	return true;
}

/* -- dump, describe -- */

/* Lines "name number", the three that everybody knows with numbers that make sense. */
static bool are_numbers(struct check_outcome *out, const char *text)
{
	static const struct { const char *name; double min, max; } known[] = {
		{ "parallel", 0, 1 }, { "serialised", 0, 1 }, { "threads", 1, 1e6 } };
	for (; text && *text; text += strcspn(text, "\n"), text += *text == '\n') {
		int n = (int)strcspn(text, "\n"), name = (int)strcspn(text, " \n");
		char *end;
		double number = name < n ? strtod(text + name, &end) : 0;
		if (name == 0 || name >= n - 1 || text[name + 1] == ' ' || end != text + n)
			return lt__check_fail(out, "dump of statistics writes the line '%.*s', which is not \"name number\"",
				n < 80 ? n : 80, text);
		for (size_t i = 0; i < sizeof known / sizeof *known; i++)
			if ((size_t)name == strlen(known[i].name) && !strncmp(text, known[i].name, (size_t)name)
			    && !(number >= known[i].min && number <= known[i].max))
				return lt__check_fail(out, "dump of statistics says '%.*s', which cannot be", n < 80 ? n : 80, text);
	}
	return true;
}

bool lt__check_optional_dump(struct check_work *w, const struct check_trial *t)
{
	static const char *const names[] = { "dump of the source", "dump of the assembly", "dump of statistics",
		"dump of the kernel program", "dump of decisions", "dump of locations" };
	bool good = true;
	for (int kind = LT_DUMP_SOURCE; good && kind <= LT_DUMP_LOCATIONS; kind++) {
		struct check_text text = { NULL, 0 };
		lt_status st = w->device->backend->dump(w->object[lt__check_nest(w)], (enum lt_dump)kind, lt__check_text_add, &text);
		if (!st && text.n == 0 && kind < LT_DUMP_DECISIONS)
			good = lt__check_fail(w->out, "the %s succeeds and writes nothing", names[kind]);
		if (!st && text.n > 0 && strlen(text.at) != text.n)
			good = lt__check_fail(w->out, "the %s has a zero byte", names[kind]);
		if (good && !st && kind == LT_DUMP_STATS)
			good = are_numbers(w->out, text.at);
		free(text.at);
	}
	return good && lt__check_one_run(w, t, 0xFF, 0xFF, 1);  /* the object runs as before */
}

/* Lines "name value". */
bool lt__check_optional_describe(struct check_device *d, struct check_outcome *out)
{
	struct check_text t = { NULL, 0 };
	if (!LT_HAS(struct lt_backend, d->backend, describe))
		return lt__check_end(out, CHECK_SKIPPED, "describe is not offered");
	d->backend->describe(d->session, lt__check_text_add, &t);
	for (const char *text = t.at; text && *text; text += strcspn(text, "\n"), text += *text == '\n') {
		size_t n = strcspn(text, "\n"), name = strcspn(text, " \n");
		if (n > 0 && (name == 0 || name >= n - 1))
			(void)lt__check_fail(out, "describe writes the line '%.*s', which is not \"name value\"",
				(int)(n < 80 ? n : 80), text);
	}
	free(t.at);
	return true;
}

/* -- events -- */

bool lt__check_optional_events(struct check_work *w, const struct check_trial *t)
{
	const struct check_device *d = w->device;
	struct lt_event *e[3] = { NULL };
	struct check_diagnostics diags = lt__check_listen();
	int64_t ns = -1, whole = -1;
	bool good = true;
	for (int i = 0; good && i < 3; i++)
		good = lt__check_went(w->out, d->backend->event_new(d->session, &e[i], &diags.diag), &diags, "event_new")
			&& (e[i] || lt__check_fail(w->out, "event_new gives no event"));
	for (int i = 0; good && i < 3; i++) {
		good = lt__check_went(w->out, d->backend->event_record(e[i], NULL, &diags.diag), &diags, "event_record");
		for (int k = 0; good && i < 2 && k < 10; k++)
			good = lt__check_one_run(w, t, 0xFF, 0xFF, 1);
	}
	good = good && lt__check_went(w->out, d->backend->event_ns(e[0], e[1], &ns, &diags.diag), &diags, "event_ns")
		&& lt__check_went(w->out, d->backend->event_ns(e[0], e[2], &whole, &diags.diag), &diags, "event_ns");
	if (good && (ns < 0 || whole < ns))
		good = lt__check_fail(w->out, "of three events in a row the second is %lld ns and the third %lld ns after the first",
			(long long)ns, (long long)whole);
	for (int i = 0; i < 3; i++)
		if (e[i])
			d->backend->event_free(e[i]);
	return good;
}

/* -- memory of the device -- */

/* There, on the device, and back, at odd places. */
bool lt__check_optional_memory(struct check_device *d, struct check_outcome *out)
{
	enum { BYTES = 4096, PART = 1001 };
	unsigned char from[BYTES], to[BYTES] = { 0 };
	void *first = NULL, *second = NULL;
	struct check_diagnostics diags = lt__check_listen();
	struct check_work w = { .device = d, .out = out };
	if (!LT_HAS(struct lt_backend, d->backend, mem_new))
		return lt__check_end(out, CHECK_SKIPPED, "device memory is not offered");
	for (int i = 0; i < BYTES; i++)
		from[i] = (unsigned char)(i * 7 + 3);
	if (d->backend->mem_new(d->session, BYTES, &first, &diags.diag)
		|| d->backend->mem_new(d->session, BYTES, &second, &diags.diag) || !first || !second)
		(void)lt__check_fail(out, "mem_new: %s", diags.text);
	else if (lt__check_mem_copy(&w, first, 0, from, 0, BYTES, LT_COPY_TO_DEVICE)
		&& lt__check_mem_copy(&w, second, 0, to, 0, BYTES, LT_COPY_TO_DEVICE)
		&& lt__check_mem_copy(&w, second, 17, first, 5, PART, LT_COPY_DEVICE))
		(void)lt__check_mem_copy(&w, to, 0, second, 0, BYTES, LT_COPY_TO_HOST);
	for (int i = 0; i < BYTES && !out->done; i++) {
		unsigned char want = i >= 17 && i < 17 + PART ? from[i - 17 + 5] : 0;
		if (to[i] != want)
			(void)lt__check_fail(out, "mem_copy: byte %d is %d after three copies, expected %d", i, to[i], want);
	}
	if (first)
		d->backend->mem_free(d->session, first);
	if (second)
		d->backend->mem_free(d->session, second);
	return true;
}
