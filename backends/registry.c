/* registry.c -- the backends of this process, by name: the one global state of the library. */
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "backends/backends.h"

enum { MAX_BACKENDS = 64 };
static struct { const struct lt_backend *backend; const char *origin; } table[MAX_BACKENDS];     /* sorted by name */
static uint32_t count;
/* What constructors reported.  A reader may hold an older text, so each is kept; together they are short. */
struct complaint_text { struct complaint_text *before; char text[]; };
static struct complaint_text *complaint;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static const char *from(const char *origin) { return origin ? origin : "linked in"; }

/* Where name is, or would be. */
static uint32_t backend_position(const char *name)
{
	uint32_t i = 0;
	while (i < count && strcmp(table[i].backend->name, name) < 0)
		i++;
	return i;
}

static bool good_name(const char *name)
{
	if (name[0] < 'a' || name[0] > 'z')
		return false;
	for (const char *c = name; *c; c++)
		if (!(*c >= 'a' && *c <= 'z') && !(*c >= '0' && *c <= '9') && *c != '_')
			return false;
	return true;
}

static const char *sanitizer(uint32_t build)
{
	return build == 0    ? "without a sanitizer"
		: build == 1 ? "with the address sanitizer"
		: build == 2 ? "with the thread sanitizer"
		: build == 4 ? "with the memory sanitizer"
			     : "with other sanitizers";
}

lt_status lt__backend_alike(uint32_t build, const char *origin, struct lt_diag *diag)
{
	return build == LT_BUILD
		? LT_OK
		: lt__report(diag, LT_EABI, -1, -1, "build both alike", "%s: it was built %s, this library %s",
			from(origin), sanitizer(build), sanitizer(LT_BUILD));
}

/* Optional members that are of use together only. */
static lt_status check_groups(const struct lt_backend *b, const char *at, struct lt_diag *diag)
{
#define MEMBER(member) { #member, LT_HAS(struct lt_backend, b, member) }
	const struct { struct { const char *name; bool has; } member[4]; const char *all;
	} groups[] = {
		{ { MEMBER(mem_new), MEMBER(mem_free), MEMBER(mem_copy) }, "mem_new, mem_free, mem_copy" },
		{ { MEMBER(identity), MEMBER(save), MEMBER(load) }, "identity, save, load" },
		{ { MEMBER(capture), MEMBER(replay), MEMBER(capture_free) }, "capture, replay, capture_free" },
		{ { MEMBER(event_new), MEMBER(event_record), MEMBER(event_ns), MEMBER(event_free) },
			"event_new, event_record, event_ns, event_free" },
		{ { MEMBER(stream_new), MEMBER(stream_free) }, "stream_new, stream_free" },
		{ { MEMBER(event_wait), MEMBER(stream_wait) }, "event_wait, stream_wait" },
		{ { MEMBER(host_new), MEMBER(host_free) }, "host_new, host_free" },
	};
#undef MEMBER
	for (size_t i = 0; i < sizeof groups / sizeof *groups; i++) {
		const char *has = NULL, *lacks = NULL;
		for (int k = 0; k < 4 && groups[i].member[k].name; k++) {
			const char **to = groups[i].member[k].has ? &has : &lacks;
			*to = *to ? *to : groups[i].member[k].name;
		}
		if (has && lacks)
			return lt__report(diag, LT_EINVAL, -1, -1, NULL,
				"%s: backend %s has %s but not %s: all of %s or none", at, b->name, has, lacks,
				groups[i].all);
	}
	return LT_OK;
}

lt_status lt__backend_check(const struct lt_backend *b, const char *origin, struct lt_diag *diag)
{
	const char *at = from(origin), *missing = NULL;
	if (!b)
		return lt__report(diag, LT_EABI, -1, -1, "compile it with the headers of this version",
			"%s: it does not know version %u.%u of the backend interface", at, LT_ABI_MAJOR, LT_ABI_MINOR);
	if (!LT_ABI_FITS(b->abi))
		return lt__report(diag, LT_EABI, -1, -1, "compile it with the headers of this version",
			"%s: it was built for version %u.%u of the backend interface, and this library has %u.%u", at,
			(unsigned)(b->abi >> 16), (unsigned)(b->abi & 0xffff), LT_ABI_MAJOR, LT_ABI_MINOR);
	if (b->size < offsetof(struct lt_backend, name))
		return lt__report(diag, LT_EABI, -1, -1, "set .size = sizeof (the table)",
			"%s: the size of its table is %u", at, (unsigned)b->size);
	if (b->size < offsetof(struct lt_backend, need))
		return lt__report(diag, LT_EABI, -1, -1, "compile it with the headers of this version",
			"%s: its table has %u bytes, too short for the mandatory functions (%u)", at, (unsigned)b->size,
			(unsigned)offsetof(struct lt_backend, need));
	lt_status alike = lt__backend_alike(b->build, origin, diag);
	if (alike)
		return alike;
#define WANT(member) missing = missing || b->member ? missing : #member
	WANT(name);
	WANT(summary);
	WANT(version);
	WANT(score);
	WANT(open);
	WANT(close);
	WANT(caps);
	WANT(accepts);
	WANT(compile);
	WANT(run);
	WANT(sync);
	WANT(destroy);
#undef WANT
	if (missing)
		return lt__report(diag, LT_EINVAL, -1, -1, NULL, "%s: backend %s has no '%s', which is mandatory", at,
			b->name ? b->name : "?", missing);
	if (!good_name(b->name))
		return lt__report(diag, LT_EINVAL, -1, -1, NULL, "%s: '%s' is not a valid name for a backend; a name is "
			"[a-z][a-z0-9_]*", at, b->name);
	return check_groups(b, at, diag);
}

/* A diagnostic that is also recorded, for constructors, which have no caller to report to. */
struct listener { struct lt_diag diag; struct lt_diag *to; };
static void listen_and_report(struct lt_diag *diag, const struct lt_diagnostic *diagnostic)
{
	struct listener *l = (struct listener *)(void *)diag;
	if (l->to) {
		l->to->report(l->to, diagnostic);
		return;
	}
	enum { LONGEST = 1024 };
	size_t n = complaint ? strlen(complaint->text) : 0;
	struct complaint_text *s = n + 1 < LONGEST ? malloc(sizeof *s + LONGEST) : NULL;
	if (!s)
		return;
	s->before = complaint;
	(void)snprintf(s->text, LONGEST, "%s%s%s", n ? complaint->text : "", n ? "; " : "", diagnostic->text);
	complaint = s;
}

lt_status lt__backend_add(const struct lt_backend *b, const char *origin, struct lt_diag *diag)
{
	struct listener l = { { sizeof l.diag, listen_and_report }, diag };
	pthread_mutex_lock(&lock);
	lt_status status = lt__backend_check(b, origin, &l.diag);
	uint32_t at = status ? 0 : backend_position(b->name);
	if (!status && at < count && strcmp(table[at].backend->name, b->name) == 0)
		status = lt__report(&l.diag, LT_EEXIST, -1, -1, "give one of them another name",
			"two backends are called '%s': %s (%s) and %s (%s)", b->name, table[at].backend->summary, from(table[at].origin),
			b->summary, from(origin));
	else if (!status && count == MAX_BACKENDS)
		status = lt__report(&l.diag, LT_ENOMEM, -1, -1, NULL, "backend '%s' (%s): there are %d already",
			b->name, from(origin), (int)MAX_BACKENDS);
	char *copy = !status && origin ? strdup(origin) : NULL;
	if (!status && origin && !copy)
		status = lt__report(&l.diag, LT_ENOMEM, -1, -1, NULL, "backend '%s' (%s): no memory", b->name, origin);
	if (!status) {
		memmove(&table[at + 1], &table[at], (count - at) * sizeof *table);
		table[at].backend = b;
		table[at].origin = copy;
		count++;
	}
	pthread_mutex_unlock(&lock);
	return status;
}

lt_status lt_backend_register(const struct lt_backend *b, struct lt_diag *diag)
{
	return lt__backend_add(b, NULL, diag);
}

const struct lt_backend *lt_backend_find(const char *name)
{
	pthread_mutex_lock(&lock);
	uint32_t at = backend_position(name);
	const struct lt_backend *b = at < count && strcmp(table[at].backend->name, name) == 0 ? table[at].backend : NULL;
	pthread_mutex_unlock(&lock);
	return b;
}

uint32_t lt_backend_count(void)
{
	pthread_mutex_lock(&lock);
	uint32_t n = count;
	pthread_mutex_unlock(&lock);
	return n;
}

const struct lt_backend *lt_backend_at(uint32_t i)
{
	pthread_mutex_lock(&lock);
	const struct lt_backend *b = i < count ? table[i].backend : NULL;
	pthread_mutex_unlock(&lock);
	return b;
}

const char *lt_backend_origin(const struct lt_backend *b)
{
	pthread_mutex_lock(&lock);
	uint32_t at = backend_position(b->name);
	const char *origin = at < count && table[at].backend == b ? table[at].origin : NULL;
	pthread_mutex_unlock(&lock);
	return origin;
}

const char *lt_backend_complaint(void)
{
	pthread_mutex_lock(&lock);
	const char *text = complaint ? complaint->text : NULL;
	pthread_mutex_unlock(&lock);
	return text;
}
