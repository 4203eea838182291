/* member.c -- which member of the backend's table is being called, for a parent that finds its child dead
 * or silent.
 *
 * Children call the backend through a table that is like its own, each member of which counts who is inside and how
 * many calls came back well, in memory that parent and children share.  A table is called without a word of the
 * caller's, so the counters are this file's.
 */
#include <string.h>
#include "tools/check/check.h"

/* Called as they are there, and those that may be missing; STATUS: what they answer is an lt_status. */
#define ALL(VALUE, STATUS, VOID) \
	VALUE(score, int32_t, > 0, (const char *config, struct lt_diag *diag), (config, diag)) \
	STATUS(open, (const struct lt_host *host, const char *config, struct lt_session **out, struct lt_diag *diag), \
		(host, config, out, diag)) \
	VOID(close, (struct lt_session *s), (s)) \
	VALUE(caps, const struct lt_caps *, != NULL, (const struct lt_session *s), (s)) \
	STATUS(accepts, (struct lt_session *s, const struct lt_tree *t, struct lt_diag *diag), (s, t, diag)) \
	STATUS(compile, (struct lt_session *s, const struct lt_tree *const *t, uint32_t n, struct lt_object **out, \
		struct lt_diag *diag), (s, t, n, out, diag)) \
	STATUS(run, (struct lt_object *o, const struct lt_args *args, struct lt_diag *diag), (o, args, diag)) \
	STATUS(sync, (struct lt_session *s, void *stream, struct lt_diag *diag), (s, stream, diag)) \
	VOID(destroy, (struct lt_object *o), (o)) \
	VOID(need, (const struct lt_object *o, uint32_t n_thread, size_t *bytes, size_t *align), (o, n_thread, bytes, align)) \
	STATUS(dump, (const struct lt_object *o, enum lt_dump kind, lt_write *write, void *user), (o, kind, write, user)) \
	VOID(describe, (struct lt_session *s, lt_write *write, void *user), (s, write, user)) \
	STATUS(mem_new, (struct lt_session *s, size_t bytes, void **out, struct lt_diag *diag), (s, bytes, out, diag)) \
	VOID(mem_free, (struct lt_session *s, void *memory), (s, memory)) \
	STATUS(mem_copy, (struct lt_session *s, const struct lt_slot *to, const struct lt_slot *from, size_t bytes, \
		enum lt_copy how, void *stream, struct lt_diag *diag), (s, to, from, bytes, how, stream, diag)) \
	STATUS(identity, (struct lt_session *s, lt_write *write, void *user, struct lt_diag *diag), (s, write, user, diag)) \
	STATUS(save, (const struct lt_object *o, lt_write *write, void *user, struct lt_diag *diag), (o, write, user, diag)) \
	STATUS(load, (struct lt_session *s, const struct lt_tree *t, const void *data, size_t bytes, \
		struct lt_object **out, struct lt_diag *diag), (s, t, data, bytes, out, diag)) \
	STATUS(capture, (struct lt_session *s, struct lt_object *const *o, const struct lt_args *args, uint32_t n, \
		struct lt_capture **out, struct lt_diag *diag), (s, o, args, n, out, diag)) \
	STATUS(replay, (struct lt_capture *c, struct lt_diag *diag), (c, diag)) \
	VOID(capture_free, (struct lt_capture *c), (c)) \
	STATUS(event_new, (struct lt_session *s, struct lt_event **out, struct lt_diag *diag), (s, out, diag)) \
	STATUS(event_record, (struct lt_event *e, void *stream, struct lt_diag *diag), (e, stream, diag)) \
	STATUS(event_ns, (struct lt_event *from, struct lt_event *to, int64_t *ns, struct lt_diag *diag), \
		(from, to, ns, diag)) \
	VOID(event_free, (struct lt_event *e), (e))

enum {
#define NAME(member, ...) AT_##member,
	ALL(NAME, NAME, NAME)
#undef NAME
	N_MEMBER
};
static const char *const names[N_MEMBER] = {
#define NAME(member, ...) #member,
	ALL(NAME, NAME, NAME)
#undef NAME
};

struct calls { int32_t inside[N_MEMBER]; int64_t good[N_MEMBER]; };
static struct calls own, *calls = &own;
static const struct lt_backend *real;
static struct lt_backend watched;

static void enter(int member) { (void)__atomic_fetch_add(&calls->inside[member], 1, __ATOMIC_RELAXED); }

static void leave(int member, bool good)
{
	(void)__atomic_fetch_add(&calls->good[member], good, __ATOMIC_RELAXED);
	(void)__atomic_fetch_sub(&calls->inside[member], 1, __ATOMIC_RELAXED);
}

#define VALUE(member, type, is_good, args, given) \
	static type call_##member args \
	{ \
		enter(AT_##member); \
		type x = real->member given; \
		leave(AT_##member, x is_good); \
		return x; \
	}
#define STATUS(member, args, given) VALUE(member, lt_status, == LT_OK, args, given)
#define VOID(member, args, given) \
	static void call_##member args { enter(AT_##member); real->member given; leave(AT_##member, true); }
ALL(VALUE, STATUS, VOID)
#undef VALUE
#undef STATUS
#undef VOID

const struct lt_backend *lt__check_watch(const struct lt_backend *backend)
{
	struct lt_backend like;
	size_t size = backend->size < sizeof like ? backend->size : sizeof like;
	memset(&like, 0, sizeof like);
	memcpy(&like, backend, size);
	like.size = (uint32_t)size;
	real = backend;
#define WRAP(member, ...) like.member = like.member ? call_##member : NULL;
	ALL(WRAP, WRAP, WRAP)
#undef WRAP
	watched = like;
	return &watched;
}

bool lt__check_calls_share(void)
{
	if (calls != &own)
		return true;
	void *at = lt__check_shared(sizeof *calls);
	calls = at ? at : &own;
	return calls != &own;
}

void lt__check_calls_clear(void) { memset(calls->inside, 0, sizeof calls->inside); }

const char *lt__check_calls_in(void)
{
	for (int i = 0; i < N_MEMBER; i++)
		if (__atomic_load_n(&calls->inside[i], __ATOMIC_RELAXED) > 0)
			return names[i];
	return NULL;
}

int64_t lt__check_calls_good(const char *member)
{
	for (int i = 0; i < N_MEMBER; i++)
		if (!strcmp(names[i], member))
			return __atomic_load_n(&calls->good[i], __ATOMIC_RELAXED);
	return 0;
}
