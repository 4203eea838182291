/* tests/device.c -- devices that are not there: ref after handles. */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "tests/device.h"

enum { PAD = 64, MAX_BLOCK = 4096, MAX_SLOT = 256, MAX_STREAM = 64 };
#define PATTERN UINT64_C(0x5a5a000000000000)

struct device_counts device_one, device_two;

struct block { unsigned char *at; size_t bytes; };
struct lt_capture {
	struct lt_session *s;
	uint32_t n;
	struct lt_object **object;
	struct lt_args *args;
	struct lt_slot *slot;
};
/* pending: moments that are enqueued, in that stream */
struct lt_event { struct lt_session *s; int64_t at; bool recorded; int pending; struct stream *in; };
/* What was enqueued: a launch, a replay, a copy, or a moment. */
struct op {
	struct op *next;
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
struct stream { struct lt_session *s; bool used; struct op *first, **end; };
struct lt_session {
	struct device_counts *c;
	int number;
	struct lt_session *ref;
	struct lt_target target;
	struct lt_caps caps;
	char refuse[32];
	bool host, no_capture, no_stream, says_scratch, loses;
	struct stream stream[MAX_STREAM];
	size_t align, scratch;
	struct block block[MAX_BLOCK];
	int64_t clock;
};
struct lt_object { struct lt_session *s; struct lt_object *ref; const struct lt_tree *tree; };

static const struct lt_backend *ref(void) { return lt_backend_find("ref"); }

static void wrong(struct lt_session *s, const char *what)
{
	if (!s->c->wrong[0])
		snprintf(s->c->wrong, sizeof s->c->wrong, "%s", what);
}

static lt_status device_report(struct lt_diag *diag, lt_status code, int32_t stmt, const char *text, const char *remedy)
{
	const struct lt_diagnostic diagnostic = { sizeof diagnostic, code, -1, stmt, text, remedy };
	if (diag)
		diag->report(diag, &diagnostic);
	return code;
}

static int32_t score(const char *config, struct lt_diag *diag)
{
	(void)config, (void)diag;
	return 1;
}

static void read_word(struct lt_session *s, const char *word)
{
	if (!strcmp(word, "host"))
		s->host = true;
	else if (!strcmp(word, "loses"))
		s->loses = true;
	else if (!strcmp(word, "nocapture"))
		s->no_capture = true;
	else if (!strcmp(word, "nostream"))
		s->no_stream = true;
	else if (!strncmp(word, "refuse=", 7))
		snprintf(s->refuse, sizeof s->refuse, "%s", word + 7);
	else if (!strncmp(word, "align=", 6))
		s->align = (size_t)strtoull(word + 6, NULL, 0);
	else if (!strncmp(word, "scratch=", 8)) {
		s->scratch = (size_t)strtoull(word + 8, NULL, 0);
		s->says_scratch = true;
	} else if (!strcmp(word, "loops=serial"))
		s->caps.loops = 1u << LT_SERIAL;
	else if (!strcmp(word, "vector"))
		s->target = (struct lt_target){ .size = sizeof s->target,
			.name = "device:vector",
			.vector_bytes = 64,
			.vector_registers = 32,
			.cores = 1,
			.cache_line = 64,
			.l1_bytes = 32 << 10,
			.l2_bytes = 1 << 20 };
	else if (!strncmp(word, "dtypes=", 7))
		s->caps.dtypes = strtoull(word + 7, NULL, 0);
}

static lt_status open_number(
	int number, const struct lt_host *host, const char *config, struct lt_session **out, struct lt_diag *diag)
{
	struct lt_session *s = *out = calloc(1, sizeof **out);
	char words[128], *rest = NULL;
	if (!s)
		return LT_ENOMEM;
	s->number = number;
	s->c = number == 1 ? &device_one : &device_two;
	if (ref()->open(host, "", &s->ref, diag)) {
		free(s);
		*out = NULL;
		return LT_EDEVICE;
	}
	s->caps = *ref()->caps(s->ref);
	s->caps.promises = 0;
	s->target = *s->caps.target;
	s->target.name = number == 1 ? "devone" : "devtwo";
	snprintf(words, sizeof words, "%s", config ? config : "");
	for (char *at = strtok_r(words, ";", &rest); at; at = strtok_r(NULL, ";", &rest))
		read_word(s, at);
	s->caps.target = &s->target;
	s->caps.device_memory = !s->host;
	s->c->sessions++;
	return LT_OK;
}

static lt_status open_two(const struct lt_host *h, const char *c, struct lt_session **s, struct lt_diag *d)
{
	return open_number(2, h, c, s, d);
}

static void close_(struct lt_session *s)
{
	for (int i = 0; i < MAX_STREAM; i++)
		if (s->stream[i].used)
			wrong(s, "a stream was not freed before its session was closed");
	for (int i = 0; i < MAX_BLOCK; i++)
		if (s->block[i].at)
			wrong(s, "memory was not freed before its session was closed");
	s->c->sessions--;
	ref()->close(s->ref);
	free(s);
}

static const struct lt_caps *caps(const struct lt_session *s) { return &s->caps; }

static lt_status accepts(struct lt_session *s, const struct lt_tree *t, struct lt_diag *diag)
{
	s->c->asked++;
	for (uint32_t i = 0; s->refuse[0] && i < t->stmts.n; i++) {
		const struct lt_stmt *st = LT_AT(struct lt_stmt, t->stmts, i);
		char text[96];
		if (st->op < 0 || strcmp(LT_AT(struct lt_op, t->ops, st->op)->name, s->refuse) != 0)
			continue;
		snprintf(text, sizeof text, "it has no operator %s", s->refuse);
		return device_report(diag, LT_EUNSUPPORTED, (int32_t)i, text, "write it with others");
	}
	return ref()->accepts(s->ref, t, diag);
}

static void destroy(struct lt_object *o)
{
	if (o)
		ref()->destroy(o->ref);
	free(o);
}

static lt_status compile(struct lt_session *s, const struct lt_tree *const *tree, uint32_t n, struct lt_object **object,
	struct lt_diag *diag)
{
	lt_status st = ref()->compile(s->ref, tree, n, object, diag);
	for (uint32_t i = 0; !st && i < n; i++) {
		struct lt_object *o = calloc(1, sizeof *o);
		*o = (struct lt_object){ s, object[i], tree[i] };
		object[i] = o;
	}
	if (!st && n > 0 && s->loses) {
		destroy(object[n - 1]);
		object[n - 1] = NULL;
	}
	return st;
}

static void need(const struct lt_object *o, uint32_t n_thread, size_t *bytes, size_t *align)
{
	ref()->need(o->ref, n_thread, bytes, align);
	*align = o->s->align ? o->s->align : *align;
	*bytes = o->s->says_scratch ? o->s->scratch : *bytes;
}

/* ---- memory ---- */

static void *handle_of(const struct lt_session *s, int i)
{
	return (void *)(uintptr_t)(PATTERN ^ ((uint64_t)s->number << 32) ^ (uint64_t)(i + 1) << 4);
}

static struct block *block_of(struct lt_session *s, const void *handle)
{
	uint64_t i = ((uint64_t)(uintptr_t)handle ^ PATTERN ^ ((uint64_t)s->number << 32)) >> 4;
	if (i == 0 || i > MAX_BLOCK || !s->block[i - 1].at || handle_of(s, (int)i - 1) != handle) {
		wrong(s, "a handle that is none of this device");
		return NULL;
	}
	return &s->block[i - 1];
}

static void check_pads(struct lt_session *s, const struct block *b)
{
	for (size_t i = 0; i < PAD; i++)
		if (b->at[i] != 0xc3 || b->at[PAD + (b->bytes + PAD - 1) / PAD * PAD + i] != 0xc3)
			wrong(s, "a sentinel was overwritten");
}

static lt_status mem_new(struct lt_session *s, size_t bytes, void **out, struct lt_diag *diag)
{
	int i = 0;
	*out = NULL;
	if (bytes == 0)
		wrong(s, "memory of no bytes");
	if (s->c->fail_new && --s->c->fail_new == 0)
		return device_report(diag, LT_ENOMEM, -1, "the device is full", "use less");
	while (i < MAX_BLOCK && s->block[i].at)
		i++;
	size_t all = (bytes + PAD - 1) / PAD * PAD + 2 * PAD;
	s->block[i] = (struct block){ aligned_alloc(PAD, all), bytes };
	memset(s->block[i].at, 0xc3, all);
	memset(s->block[i].at + PAD, 0xa5, bytes);
	s->c->blocks++;
	s->c->blocks_made++;
	*out = handle_of(s, i);
	return LT_OK;
}

static bool op_uses(const struct op *op, const void *handle)
{
	for (uint32_t i = 0; op->object && i < op->args.n_slot; i++)
		if (op->slot[i].base == handle)
			return true;
	for (uint32_t i = 0; op->capture && i < op->capture->n; i++)
		for (uint32_t k = 0; k < op->capture->args[i].n_slot; k++)
			if (op->capture->args[i].slot[k].base == handle)
				return true;
	return (op->object && op->args.workspace == handle) || (op->bytes && (op->dst.base == handle || op->src.base == handle));
}

static void mem_free(struct lt_session *s, void *handle)
{
	struct block *b = block_of(s, handle);
	if (!b)
		return;
	for (int i = 0; i < MAX_STREAM; i++)
		for (const struct op *op = s->stream[i].used ? s->stream[i].first : NULL; op; op = op->next)
			if (op_uses(op, handle))
				wrong(s, "memory is freed that something enqueued uses");
	check_pads(s, b);
	free(b->at);
	b->at = NULL;
	s->c->blocks--;
}

/* The address of a range, "device" or not. */
static unsigned char *range(struct lt_session *s, const struct lt_slot *slot, size_t bytes, bool device)
{
	if (!device)
		return (unsigned char *)slot->base + slot->offset;
	struct block *b = block_of(s, slot->base);
	if (!b || slot->offset < 0 || (size_t)slot->offset + bytes > b->bytes || (int64_t)bytes > slot->bytes) {
		wrong(s, "a range beyond its memory");
		return NULL;
	}
	return b->at + PAD + slot->offset;
}

static lt_status launch(struct lt_object *o, const struct lt_args *args, struct lt_diag *diag);
static lt_status replay_now(struct lt_capture *c, struct lt_diag *diag);

static void copy_now(struct lt_session *s, const struct op *op)
{
	unsigned char *to = range(s, &op->dst, op->bytes, op->direction != LT_COPY_TO_HOST),
		      *from = range(op->peer ? op->peer : s, &op->src, op->bytes, op->direction != LT_COPY_TO_DEVICE);
	if (to && from)
		memcpy(to, from, op->bytes);
}

/* All that was enqueued, in its order.  What it fails of is told by who waits. */
static lt_status stream_drain(struct stream *q, struct lt_diag *diag)
{
	lt_status st = LT_OK;
	while (q->first) {
		struct op *op = q->first;
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

static struct stream *stream_of(struct lt_session *s, void *stream)
{
	for (int i = 0; i < MAX_STREAM; i++)
		if (s->stream[i].used && &s->stream[i] == stream)
			return &s->stream[i];
	wrong(s, "a stream that is not ours");
	return NULL;
}

/* NULL: the stream is none. */
static struct op *op_new(struct lt_session *s, void *stream)
{
	struct stream *q = stream_of(s, stream);
	struct op *op = q ? calloc(1, sizeof *op) : NULL;
	if (!op)
		return NULL;
	*q->end = op;
	q->end = &op->next;
	return op;
}

static lt_status stream_new(struct lt_session *s, void **out, struct lt_diag *diag)
{
	int i = 0;
	*out = NULL;
	if (s->no_stream)
		return device_report(diag, LT_EUNSUPPORTED, -1, "it has one queue", NULL);
	while (s->stream[i].used)
		i++;
	s->stream[i] = (struct stream){ .s = s, .used = true, .end = &s->stream[i].first };
	s->c->streams++;
	*out = &s->stream[i];
	return LT_OK;
}

static void stream_free(struct lt_session *s, void *stream)
{
	struct stream *q = stream_of(s, stream);
	if (!q)
		return;
	if (q->first)
		wrong(s, "a stream is freed before all in it is done");
	q->used = false;
	s->c->streams--;
}

/* Whether something enqueued still reads these bytes of the host's. */
static bool is_read(const struct lt_session *s, const unsigned char *at, size_t bytes)
{
	for (int i = 0; i < MAX_STREAM; i++)
		for (const struct op *op = s->stream[i].used ? s->stream[i].first : NULL; op; op = op->next) {
			const unsigned char *from = (const unsigned char *)op->src.base + op->src.offset;
			if (op->bytes && op->direction == LT_COPY_TO_DEVICE && from < at + bytes && at < from + op->bytes)
				return true;
		}
	return false;
}

static lt_status mem_copy(struct lt_session *s, const struct lt_slot *dst, const struct lt_slot *src, size_t bytes,
	enum lt_copy direction, void *stream, struct lt_diag *diag)
{
	unsigned char *to = range(s, dst, bytes, direction != LT_COPY_TO_HOST),
		      *from = range(s, src, bytes, direction != LT_COPY_TO_DEVICE);
	if (bytes == 0)
		wrong(s, "a copy of no bytes");
	if (s->c->fail_copy && --s->c->fail_copy == 0)
		return device_report(diag, LT_EDEVICE, -1, "the bus is broken", NULL);
	struct op now = { 0 }, *op = stream ? op_new(s, stream) : &now;
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
		if (o->s->c->wrong[0] || ((const int64_t *)(const void *)((char *)at->base + at->offset))[p->element] != args->param[i])
			wrong(o->s, "a run-time scalar that is not as it was told");
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
		wrong(s, "arguments that are not as they should be");
	for (uint32_t i = 0; i < args->n_slot; i++) {
		slot[i] = args->slot[i];
		if (!s->host && slot[i].bytes > 0)
			slot[i] = (struct lt_slot){ range(s, &args->slot[i], (size_t)slot[i].bytes, true), 0, slot[i].bytes };
	}
	mine.slot = slot;
	check_params(o, args, slot);
	if (args->workspace && !s->host)
		mine.workspace = block_of(s, args->workspace) ? block_of(s, args->workspace)->at + PAD : NULL;
	if (s->c->wrong[0])
		return device_report(diag, LT_EDEVICE, -1, s->c->wrong, NULL);
	return ref()->run(o->ref, &mine, diag);
}

static lt_status run(struct lt_object *o, const struct lt_args *args, struct lt_diag *diag)
{
	struct lt_session *s = o->s;
	struct op *op = args->async && args->stream ? op_new(s, args->stream) : NULL;
	s->c->runs++;
	if (!op)
		return launch(o, args, diag);
	if (args->n_slot > MAX_SLOT) {
		wrong(s, "arguments that are not as they should be");
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

static lt_status sync_(struct lt_session *s, void *stream, struct lt_diag *diag)
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

static lt_status capture(struct lt_session *s, struct lt_object *const *object, const struct lt_args *args, uint32_t n,
	struct lt_capture **out, struct lt_diag *diag)
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
			wrong(s, "a recorded copy that is none");
		c->args[i] = *args_at(args, i);
		c->args[i].slot = c->slot + n_slot;
		memcpy(c->slot + n_slot, args_at(args, i)->slot, c->args[i].n_slot * sizeof *c->slot);
		n_slot += c->args[i].n_slot;
		if (i && c->args[i].fault == c->args[i - 1].fault)
			wrong(s, "two recorded launches with one fault record");
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
			copy_now(c->s, &(struct op){
				.dst = slot[0], .src = slot[1], .bytes = (size_t)slot[0].bytes, .direction = LT_COPY_DEVICE });
	}
	return st;
}

static lt_status replay(struct lt_capture *c, struct lt_diag *diag)
{
	struct op *op = c->args[0].async && c->args[0].stream ? op_new(c->s, c->args[0].stream) : NULL;
	c->s->c->replays++;
	if (!op)
		return replay_now(c, diag);
	op->capture = c;
	return LT_OK;
}

static void capture_free(struct lt_capture *c)
{
	for (int i = 0; i < MAX_STREAM; i++)
		for (const struct op *op = c->s->stream[i].used ? c->s->stream[i].first : NULL; op; op = op->next)
			if (op->capture == c)
				wrong(c->s, "a capture is freed that is enqueued");
	c->s->c->captures_alive--;
	free(c->object);
	free(c->args);
	free(c->slot);
	free(c);
}

/* ---- time ---- */

static lt_status event_new(struct lt_session *s, struct lt_event **out, struct lt_diag *diag)
{
	(void)diag;
	*out = calloc(1, sizeof **out);
	(*out)->s = s;
	s->c->events++;
	return LT_OK;
}

static lt_status event_record(struct lt_event *e, void *stream, struct lt_diag *diag)
{
	struct op *op = stream ? op_new(e->s, stream) : NULL;
	(void)diag;
	e->at = e->s->clock;
	e->recorded = true;
	if (op) {
		op->event = e;
		e->in = stream;
		e->pending++;
	}
	return LT_OK;
}

static lt_status event_ns(struct lt_event *from, struct lt_event *to, int64_t *ns, struct lt_diag *diag)
{
	(void)diag;
	if (!from->recorded || !to->recorded)
		wrong(from->s, "an event that was not recorded");
	for (int i = 0; i < MAX_STREAM; i++)
		if (from->s->stream[i].used)
			(void)stream_drain(&from->s->stream[i], diag);
	*ns = to->at - from->at;
	return LT_OK;
}

static lt_status event_wait(struct lt_event *e, struct lt_diag *diag)
{
	e->s->c->waits++;
	return e->pending ? stream_drain(e->in, diag) : LT_OK;
}

static lt_status stream_wait(struct lt_session *s, void *stream, struct lt_event *e, struct lt_diag *diag)
{
	struct op *op = op_new(s, stream);
	(void)diag;
	if (op)
		op->after = e;
	return op ? LT_OK : LT_EINVAL;
}

/* ---- beside the device ---- */

static lt_status mem_peer(struct lt_session *s, const struct lt_slot *dst, struct lt_session *from,
	const struct lt_slot *src, size_t bytes, void *stream, struct lt_diag *diag)
{
	struct op now = { 0 }, *op = stream ? op_new(s, stream) : &now;
	if (!range(s, dst, bytes, true) || !range(from, src, bytes, true) || !op)
		return LT_EDEVICE;
	if (!stream)
		(void)sync_(from, NULL, diag);
	*op = (struct op){ .next = op->next, .dst = *dst, .src = *src, .bytes = bytes, .direction = LT_COPY_DEVICE,
		.peer = from };
	s->c->peers++;
	if (!stream)
		copy_now(s, op);
	return LT_OK;
}

static lt_status host_new(struct lt_session *s, size_t bytes, void **out, struct lt_diag *diag)
{
	(void)diag;
	*out = aligned_alloc(64, (bytes + 63) / 64 * 64);
	s->c->pinned++;
	return *out ? LT_OK : LT_ENOMEM;
}

static void host_free(struct lt_session *s, void *at)
{
	s->c->pinned--;
	free(at);
}

static void event_free(struct lt_event *e)
{
	if (e->pending)
		wrong(e->s, "an event is freed that is enqueued");
	e->s->c->events--;
	free(e);
}

/* ---- a caller's own ---- */

static struct lt_session *last_one;

void *device_new(const void *data, size_t bytes)
{
	void *handle;
	(void)mem_new(last_one, bytes, &handle, NULL);
	memcpy(block_of(last_one, handle)->at + PAD, data, bytes);
	return handle;
}
void device_read(void *handle, void *data, size_t bytes) { memcpy(data, block_of(last_one, handle)->at + PAD, bytes); }
void device_free(void *handle) { mem_free(last_one, handle); }
void *device_stream_new(void)
{
	void *stream;
	(void)stream_new(last_one, &stream, NULL);
	return stream;
}
void device_stream_free(void *stream) { stream_free(last_one, stream); }

static lt_status open_one(const struct lt_host *h, const char *c, struct lt_session **s, struct lt_diag *d)
{
	const lt_status st = open_number(1, h, c, s, d);
	last_one = *s;
	return st;
}

#define DEVICE(...) \
	{ \
		.size = sizeof(struct lt_backend), .abi = LT_ABI, .build = LT_BUILD, \
		.summary = "ref in memory of its own", .version = "1", .score = score, .close = close_, .caps = caps, \
		.accepts = accepts, .compile = compile, .run = run, .sync = sync_, .destroy = destroy, .need = need, \
		.capture = capture, .replay = replay, .capture_free = capture_free, .event_new = event_new, \
		.event_record = event_record, .event_ns = event_ns, .event_free = event_free, .stream_new = stream_new, \
		.stream_free = stream_free, .event_wait = event_wait, .stream_wait = stream_wait, .host_new = host_new, \
		.host_free = host_free, __VA_ARGS__ \
	}

void device_register(void)
{
	static const struct lt_backend one = DEVICE(.name = "devone", .open = open_one, .mem_new = mem_new,
		.mem_free = mem_free, .mem_copy = mem_copy);
	static const struct lt_backend two = DEVICE(.name = "devtwo", .open = open_two, .mem_new = mem_new,
		.mem_free = mem_free, .mem_copy = mem_copy);
	static const struct lt_backend peers = DEVICE(.name = "devpeer", .open = open_one, .mem_new = mem_new,
		.mem_free = mem_free, .mem_copy = mem_copy, .mem_peer = mem_peer);
	static const struct lt_backend none = DEVICE(.name = "devnone", .open = open_one);
	device_one = device_two = (struct device_counts){ 0 };
	if (lt_backend_find("devone"))
		return;
	(void)lt_backend_register(&one, NULL);
	(void)lt_backend_register(&two, NULL);
	(void)lt_backend_register(&none, NULL);
	(void)lt_backend_register(&peers, NULL);
}
