/* device_queue.h -- the parts of the devices that are not there (tests/device.h): sessions, and what is enqueued
 * in them. */
#ifndef TESTS_DEVICE_QUEUE_H
#define TESTS_DEVICE_QUEUE_H
#include <stdbool.h>
#include "tests/device.h"

enum { PAD = 64, MAX_BLOCK = 4096, MAX_SLOT = 256, MAX_STREAM = 64 };

struct device_block { unsigned char *at; size_t bytes; };
struct lt_capture {
	struct lt_session *s;
	uint32_t n;
	struct lt_object **object;
	struct lt_args *args;
	struct lt_slot *slot;
};
/* pending: moments that are enqueued, in that stream */
struct lt_event { struct lt_session *s; int64_t at; bool recorded; int pending; struct device_stream *in; };
/* What was enqueued: a launch, a replay, a copy, or a moment. */
struct device_op {
	struct device_op *next;
	struct lt_object *object;
	struct lt_capture *capture;
	struct lt_event *event, *after;
	struct lt_session *peer;
	struct lt_args args;
	struct lt_slot slot[MAX_SLOT], dst, src;
	int64_t param[MAX_SLOT];
	size_t bytes;
	enum lt_copy direction;
};
struct device_stream { struct lt_session *s; bool used; struct device_op *first, **end; };
struct lt_session {
	struct device_counts *c;
	int number;
	struct lt_session *ref;
	struct lt_target target;
	struct lt_caps caps;
	char refuse[32];
	bool host, no_capture, no_stream, says_scratch, loses;
	struct device_stream stream[MAX_STREAM];
	size_t align, scratch;
	struct device_block block[MAX_BLOCK];
	int64_t clock;
};
struct lt_object { struct lt_session *s; struct lt_object *ref; const struct lt_tree *tree; };

/* device.c */
void device_wrong(struct lt_session *s, const char *what);
struct device_block *device_block(struct lt_session *s, const void *handle);
unsigned char *device_range(struct lt_session *s, const struct lt_slot *slot, size_t bytes, bool device);
lt_status device_report(struct lt_diag *diag, lt_status code, int32_t stmt, const char *text, const char *remedy);
const struct lt_backend *device_ref(void);
/* device_queue.c: members of the tables; uses: whether it names that memory */
lt_status device_queue_stream_new(struct lt_session *s, void **out, struct lt_diag *diag);
void device_queue_stream_free(struct lt_session *s, void *stream);
lt_status device_queue_mem_copy(struct lt_session *s, const struct lt_slot *dst, const struct lt_slot *src,
	size_t bytes, enum lt_copy direction, void *stream, struct lt_diag *diag);
lt_status device_queue_run(struct lt_object *o, const struct lt_args *args, struct lt_diag *diag);
lt_status device_queue_sync(struct lt_session *s, void *stream, struct lt_diag *diag);
lt_status device_queue_capture(struct lt_session *s, struct lt_object *const *object,
	const struct lt_args *args, uint32_t n, struct lt_capture **out, struct lt_diag *diag);
lt_status device_queue_replay(struct lt_capture *c, struct lt_diag *diag);
void device_queue_capture_free(struct lt_capture *c);
lt_status device_queue_event_new(struct lt_session *s, struct lt_event **out, struct lt_diag *diag);
lt_status device_queue_event_record(struct lt_event *e, void *stream, struct lt_diag *diag);
lt_status device_queue_event_ns(struct lt_event *from, struct lt_event *to, int64_t *ns, struct lt_diag *diag);
lt_status device_queue_event_wait(struct lt_event *e, struct lt_diag *diag);
lt_status device_queue_stream_wait(struct lt_session *s, void *stream, struct lt_event *e, struct lt_diag *diag);
lt_status device_queue_mem_peer(struct lt_session *s, const struct lt_slot *dst, struct lt_session *from,
	const struct lt_slot *src, size_t bytes, void *stream, struct lt_diag *diag);
lt_status device_queue_host_new(struct lt_session *s, size_t bytes, void **out, struct lt_diag *diag);
void device_queue_host_free(struct lt_session *s, void *at);
void device_queue_event_free(struct lt_event *e);
bool device_queue_op_uses(const struct device_op *op, const void *handle);
#endif
