/* device_queue.c -- queues of the devices that are not there: launches, copies, recorded runs and events, which
 * wait until somebody waits for them. */
#include <stdlib.h>
#include <string.h>
#include "tests/device_queue.h"

static lt_status launch(struct lt_object *o, const struct lt_args *args, struct lt_diag *diag);
static lt_status replay_now(struct lt_capture *c, struct lt_diag *diag);

bool device_queue_op_uses(const struct device_op *op, const void *handle)
{
	for (uint32_t i = 0; op->object && i < op->args.n_slot; i++)
		if (op->slot[i].base == handle)
			return true;
	for (uint32_t i = 0; op->capture && i < op->capture->n; i++)
		for (uint32_t k = 0; k < op->capture->args[i].n_slot; k++)
			if (op->capture->args[i].slot[k].base == handle)
				return true;
	return (op->object && op->args.workspace == handle)
		|| (op->bytes && (op->dst.base == handle || op->src.base == handle));
}

static void copy_now(struct lt_session *s, const struct device_op *op)
{
	unsigned char *to = device_range(s, &op->dst, op->bytes, op->direction != LT_COPY_TO_HOST),
		      *from = device_range(op->peer ? op->peer : s, &op->src, op->bytes, op->direction != LT_COPY_TO_DEVICE);
	if (to && from)
		memcpy(to, from, op->bytes);
	if (op->direction != LT_COPY_DEVICE)
		s->clock += 10 * (int64_t)op->bytes;
}

/* All that was enqueued, in its order.  What it fails of is told by who waits. */
static lt_status stream_drain(struct device_stream *q, struct lt_diag *diag)
{
	lt_status st = LT_OK;
	while (q->first) {
		struct device_op *op = q->first;
		q->first = op->next;
		if (op->event) {
			op->event->at = q->s->clock;
			op->event->pending--;
		} else if (op->after) {
			if (op->after->pending)
				st = st ? st : stream_drain(op->after->in, diag);
		} else if (op->capture)
			st = st ? st : replay_now(op->capture, diag);
		else if (op->object)
			st = st ? st : launch(op->object, &op->args, diag);
		else
			copy_now(q->s, op);
		free(op);
	}
	q->end = &q->first;
	return st;
}

static struct device_stream *stream_of(struct lt_session *s, void *stream)
{
	for (int i = 0; i < MAX_STREAM; i++)
		if (s->stream[i].used && &s->stream[i] == stream)
			return &s->stream[i];
	device_wrong(s, "a stream that is not ours");
	return NULL;
}

/* NULL: the stream is none. */
static struct device_op *op_new(struct lt_session *s, void *stream)
{
	struct device_stream *q = stream_of(s, stream);
	struct device_op *op = q ? calloc(1, sizeof *op) : NULL;
	if (!op)
		return NULL;
	*q->end = op;
	q->end = &op->next;
	return op;
}

lt_status device_queue_stream_new(struct lt_session *s, void **out, struct lt_diag *diag)
{
	int i = 0;
	*out = NULL;
	if (s->no_stream)
		return device_report(diag, LT_EUNSUPPORTED, -1, "it has one queue", NULL);
	while (s->stream[i].used)
		i++;
	s->stream[i] = (struct device_stream){ .s = s, .used = true, .end = &s->stream[i].first };
	s->c->streams++;
	*out = &s->stream[i];
	return LT_OK;
}

void device_queue_stream_free(struct lt_session *s, void *stream)
{
	struct device_stream *q = stream_of(s, stream);
	if (!q)
		return;
	if (q->first)
		device_wrong(s, "a stream is freed before all in it is done");
	q->used = false;
	s->c->streams--;
}

/* Whether something enqueued still reads these bytes of the host's. */
static bool is_read(const struct lt_session *s, const unsigned char *at, size_t bytes)
{
	for (int i = 0; i < MAX_STREAM; i++)
		for (const struct device_op *op = s->stream[i].used ? s->stream[i].first : NULL; op; op = op->next) {
			const unsigned char *from = (const unsigned char *)op->src.base + op->src.offset;
			if (op->bytes && op->direction == LT_COPY_TO_DEVICE && from < at + bytes && at < from + op->bytes)
				return true;
		}
	return false;
}

lt_status device_queue_mem_copy(struct lt_session *s, const struct lt_slot *dst, const struct lt_slot *src,
	size_t bytes, enum lt_copy direction, void *stream, struct lt_diag *diag)
{
	unsigned char *to = device_range(s, dst, bytes, direction != LT_COPY_TO_HOST),
		      *from = device_range(s, src, bytes, direction != LT_COPY_TO_DEVICE);
	if (bytes == 0)
		device_wrong(s, "a copy of no bytes");
	if (s->c->fail_copy && --s->c->fail_copy == 0)
		return device_report(diag, LT_EDEVICE, -1, "the bus is broken", NULL);
	struct device_op now = { 0 }, *op = stream ? op_new(s, stream) : &now;
	if (!to || !from || !op)
		return LT_EDEVICE;
	op->dst = *dst;
	op->src = *src;
	op->bytes = bytes;
	op->direction = direction;
	if (!stream)
		copy_now(s, op);
	else if (direction == LT_COPY_TO_HOST && !is_read(s, to, bytes))
		memset(to, 0xdb, bytes);                /* who does not wait reads this */
	*(direction == LT_COPY_TO_DEVICE               ? &s->c->to_device
			: direction == LT_COPY_TO_HOST ? &s->c->to_host
						       : &s->c->within) += 1;
	s->c->bytes += (int64_t)bytes;
	return LT_OK;
}

/* ---- running ---- */

/* What is told of run-time scalars is what the slots have. */
static void check_params(const struct lt_object *o, const struct lt_args *args, const struct lt_slot *slot)
{
	const struct lt_tree *t = o->tree;
	for (int32_t i = 0; args->param && i < t->n_param; i++) {
		const struct lt_tparam *p = LT_AT(struct lt_tparam, t->params, i);
		const struct lt_slot *at = &slot[LT_AT(struct lt_buffer, t->buffers, p->buffer)->slot];
		const int64_t *values = (const int64_t *)(const void *)((char *)at->base + at->offset);
		if (o->s->c->wrong[0] || values[p->element] != args->param[i])
			device_wrong(o->s, "a run-time scalar that is not as it was told");
		else
			o->s->c->params++;
	}
}

static lt_status launch(struct lt_object *o, const struct lt_args *args, struct lt_diag *diag)
{
	struct lt_session *s = o->s;
	struct lt_slot slot[MAX_SLOT];
	struct lt_args mine = *args;
	s->clock += 1000;
	if (args->n_slot > MAX_SLOT || !args->fault || args->fault->n)
		device_wrong(s, "arguments that are not as they should be");
	for (uint32_t i = 0; i < args->n_slot; i++) {
		slot[i] = args->slot[i];
		if (!s->host && slot[i].bytes > 0)
			slot[i] = (struct lt_slot){ device_range(s, &args->slot[i], (size_t)slot[i].bytes, true), 0, slot[i].bytes };
	}
	mine.slot = slot;
	check_params(o, args, slot);
	if (args->workspace && !s->host)
		mine.workspace = device_block(s, args->workspace) ? device_block(s, args->workspace)->at + PAD : NULL;
	if (s->c->wrong[0])
		return device_report(diag, LT_EDEVICE, -1, s->c->wrong, NULL);
	return device_ref()->run(o->ref, &mine, diag);
}

lt_status device_queue_run(struct lt_object *o, const struct lt_args *args, struct lt_diag *diag)
{
	struct lt_session *s = o->s;
	struct device_op *op = args->async && args->stream ? op_new(s, args->stream) : NULL;
	s->c->runs++;
	if (!op)
		return launch(o, args, diag);
	if (args->n_slot > MAX_SLOT) {
		device_wrong(s, "arguments that are not as they should be");
		return LT_EINVAL;
	}
	op->object = o;
	op->args = *args;
	op->args.slot = op->slot;
	memcpy(op->slot, args->slot, args->n_slot * sizeof *args->slot);
	if (args->param)
		op->args.param = memcpy(op->param, args->param, (size_t)o->tree->n_param * sizeof *args->param);
	return LT_OK;
}

lt_status device_queue_sync(struct lt_session *s, void *stream, struct lt_diag *diag)
{
	lt_status st = LT_OK;
	s->c->syncs++;
	for (int i = 0; i < MAX_STREAM; i++)
		if (s->stream[i].used && (!stream || &s->stream[i] == stream))
			st = st ? st : stream_drain(&s->stream[i], diag);
	return st;
}

static const struct lt_args *args_at(const struct lt_args *args, uint32_t i)
{
	return (const struct lt_args *)(const void *)((const char *)args + (size_t)i * args->size);
}

lt_status device_queue_capture(struct lt_session *s, struct lt_object *const *object, const struct lt_args *args,
	uint32_t n, struct lt_capture **out, struct lt_diag *diag)
{
	*out = NULL;
	if (s->no_capture)
		return device_report(diag, LT_EUNSUPPORTED, -1, "it cannot record these", NULL);
	struct lt_capture *c = calloc(1, sizeof *c);
	size_t n_slot = 1;
	for (uint32_t i = 0; i < n; i++)
		n_slot += args_at(args, i)->n_slot;
	*c = (struct lt_capture){ s, n, calloc(n, sizeof *c->object), calloc(n, sizeof *c->args),
		calloc(n_slot, sizeof *c->slot) };
	n_slot = 0;
	for (uint32_t i = 0; i < n; i++) {
		c->object[i] = object[i];
		if (!object[i] && (s->host || args_at(args, i)->n_slot != 2))
			device_wrong(s, "a recorded copy that is none");
		c->args[i] = *args_at(args, i);
		c->args[i].slot = c->slot + n_slot;
		memcpy(c->slot + n_slot, args_at(args, i)->slot, c->args[i].n_slot * sizeof *c->slot);
		n_slot += c->args[i].n_slot;
		if (i && c->args[i].fault == c->args[i - 1].fault)
			device_wrong(s, "two recorded launches with one fault record");
	}
	s->c->captures++;
	s->c->captures_alive++;
	*out = c;
	return LT_OK;
}

static lt_status replay_now(struct lt_capture *c, struct lt_diag *diag)
{
	lt_status st = LT_OK;
	for (uint32_t i = 0; !st && i < c->n; i++) {
		const struct lt_slot *slot = c->args[i].slot;
		if (c->object[i])
			st = launch(c->object[i], &c->args[i], diag);
		else
			copy_now(c->s, &(struct device_op){
				.dst = slot[0], .src = slot[1], .bytes = (size_t)slot[0].bytes, .direction = LT_COPY_DEVICE });
	}
	return st;
}

lt_status device_queue_replay(struct lt_capture *c, struct lt_diag *diag)
{
	struct device_op *op = c->args[0].async && c->args[0].stream ? op_new(c->s, c->args[0].stream) : NULL;
	c->s->c->replays++;
	if (!op)
		return replay_now(c, diag);
	op->capture = c;
	return LT_OK;
}

void device_queue_capture_free(struct lt_capture *c)
{
	for (int i = 0; i < MAX_STREAM; i++)
		for (const struct device_op *op = c->s->stream[i].used ? c->s->stream[i].first : NULL; op; op = op->next)
			if (op->capture == c)
				device_wrong(c->s, "a capture is freed that is enqueued");
	c->s->c->captures_alive--;
	free(c->object);
	free(c->args);
	free(c->slot);
	free(c);
}

/* ---- time ---- */

lt_status device_queue_event_new(struct lt_session *s, struct lt_event **out, struct lt_diag *diag)
{
	(void)diag;
	*out = calloc(1, sizeof **out);
	(*out)->s = s;
	s->c->events++;
	return LT_OK;
}

lt_status device_queue_event_record(struct lt_event *e, void *stream, struct lt_diag *diag)
{
	struct device_op *op = stream ? op_new(e->s, stream) : NULL;
	(void)diag;
	e->s->c->moments++;
	e->at = e->s->clock;
	e->recorded = true;
	if (op) {
		op->event = e;
		e->in = stream;
		e->pending++;
	}
	return LT_OK;
}

lt_status device_queue_event_ns(struct lt_event *from, struct lt_event *to, int64_t *ns, struct lt_diag *diag)
{
	(void)diag;
	if (!from->recorded || !to->recorded)
		device_wrong(from->s, "an event that was not recorded");
	for (int i = 0; i < MAX_STREAM; i++)
		if (from->s->stream[i].used)
			(void)stream_drain(&from->s->stream[i], diag);
	*ns = to->at - from->at;
	return LT_OK;
}

lt_status device_queue_event_wait(struct lt_event *e, struct lt_diag *diag)
{
	e->s->c->waits++;
	return e->pending ? stream_drain(e->in, diag) : LT_OK;
}

lt_status device_queue_stream_wait(struct lt_session *s, void *stream, struct lt_event *e, struct lt_diag *diag)
{
	struct device_op *op = op_new(s, stream);
	(void)diag;
	if (op)
		op->after = e;
	return op ? LT_OK : LT_EINVAL;
}

/* ---- beside the device ---- */

lt_status device_queue_mem_peer(struct lt_session *s, const struct lt_slot *dst, struct lt_session *from,
	const struct lt_slot *src, size_t bytes, void *stream, struct lt_diag *diag)
{
	struct device_op now = { 0 }, *op = stream ? op_new(s, stream) : &now;
	if (!device_range(s, dst, bytes, true) || !device_range(from, src, bytes, true) || !op)
		return LT_EDEVICE;
	if (!stream)
		(void)device_queue_sync(from, NULL, diag);
	*op = (struct device_op){ .next = op->next, .dst = *dst, .src = *src, .bytes = bytes, .direction = LT_COPY_DEVICE,
		.peer = from };
	s->c->peers++;
	if (!stream)
		copy_now(s, op);
	return LT_OK;
}

lt_status device_queue_host_new(struct lt_session *s, size_t bytes, void **out, struct lt_diag *diag)
{
	(void)diag;
	*out = aligned_alloc(64, (bytes + 63) / 64 * 64);
	s->c->pinned++;
	return *out ? LT_OK : LT_ENOMEM;
}

void device_queue_host_free(struct lt_session *s, void *at)
{
	s->c->pinned--;
	free(at);
}

void device_queue_event_free(struct lt_event *e)
{
	if (e->pending)
		device_wrong(e->s, "an event is freed that is enqueued");
	e->s->c->events--;
	free(e);
}

