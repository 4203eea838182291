/* cuda.h -- the door of the backend: its sessions for another backend that adds a library (struct lt_cuda_more). */
#ifndef LT_CUDA_CUDA_H
#define LT_CUDA_CUDA_H
#include "backends/cuda/session.h"

/* cuda.c.  usable: score's question, without a device.  open_with: open's, with a library more. */
enum { LT_CUDA_SCORE = 10 };            /* less than cpu: a device is used where it is named */
lt_status lt__cuda_usable(const char *config, bool more, struct lt_diag *);
lt_status lt__cuda_open_with(const struct lt_cuda_more *, const struct lt_host *, const char *config,
	struct lt_session **, struct lt_diag *);
void lt__cuda_close(struct lt_session *);
const struct lt_caps *lt__cuda_caps(const struct lt_session *);
lt_status lt__cuda_accepts(struct lt_session *, const struct lt_tree *, struct lt_diag *);
/* Each described call of a tree that can be lowered, and whose launches depend on no run-time scalars, with operands as
 * memory of the pool begins. */
void lt__cuda_each_call(struct lt_session *, const struct lt_tree *, lt__cuda_called_fn *, void *user);
lt_status lt__cuda_compile_trees(struct lt_session *, const struct lt_tree *const *, uint32_t n, struct lt_object **,
	struct lt_diag *);
void lt__cuda_need(const struct lt_object *, uint32_t n_thread, size_t *bytes, size_t *align);
/* What the tables of both have, behind what each says itself. */
#define LT_CUDA_MEMBERS \
	.close = lt__cuda_close, .caps = lt__cuda_caps, \
	.compile = lt__cuda_compile_trees, .run = lt__cuda_run, .sync = lt__cuda_sync, .destroy = lt__cuda_destroy, \
	.need = lt__cuda_need, .dump = lt__cuda_dump, .mem_new = lt__cuda_mem_new, \
	.mem_free = lt__cuda_mem_free, .mem_copy = lt__cuda_mem_copy, .identity = lt__cuda_identity, \
	.save = lt__cuda_save, .load = lt__cuda_load, .capture = lt__cuda_capture, .replay = lt__cuda_replay, \
	.capture_free = lt__cuda_capture_free, .event_new = lt__cuda_event_new, \
	.event_record = lt__cuda_event_record, .event_ns = lt__cuda_event_ns, .event_free = lt__cuda_event_free, \
	.stream_new = lt__cuda_stream_new, .stream_free = lt__cuda_stream_free, .event_wait = lt__cuda_event_wait, \
	.stream_wait = lt__cuda_stream_wait, .mem_peer = lt__cuda_mem_peer, .host_new = lt__cuda_host_new, \
	.host_free = lt__cuda_host_free, .device = lt__cuda_list,
#endif
