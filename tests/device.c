/* device.c -- devices that are not there: ref after handles. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "tests/device_queue.h"

#define PATTERN UINT64_C(0x5a5a000000000000)

struct device_counts device_one, device_two;

const struct lt_backend *device_ref(void) { return lt_backend_find("ref"); }

void device_wrong(struct lt_session *s, const char *what)
{
	if (!s->c->wrong[0])
		snprintf(s->c->wrong, sizeof s->c->wrong, "%s", what);
}

lt_status device_report(struct lt_diag *diag, lt_status code, int32_t stmt, const char *text, const char *remedy)
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
	if (device_ref()->open(host, "", &s->ref, diag)) {
		free(s);
		*out = NULL;
		return LT_EDEVICE;
	}
	s->caps = *device_ref()->caps(s->ref);
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
			device_wrong(s, "a stream was not freed before its session was closed");
	for (int i = 0; i < MAX_BLOCK; i++)
		if (s->block[i].at)
			device_wrong(s, "memory was not freed before its session was closed");
	s->c->sessions--;
	device_ref()->close(s->ref);
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
	return device_ref()->accepts(s->ref, t, diag);
}

static void destroy(struct lt_object *o)
{
	if (o)
		device_ref()->destroy(o->ref);
	free(o);
}

static lt_status compile(struct lt_session *s, const struct lt_tree *const *tree, uint32_t n, struct lt_object **object,
	struct lt_diag *diag)
{
	lt_status st = device_ref()->compile(s->ref, tree, n, object, diag);
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
	device_ref()->need(o->ref, n_thread, bytes, align);
	*align = o->s->align ? o->s->align : *align;
	*bytes = o->s->says_scratch ? o->s->scratch : *bytes;
}

/* ---- memory ---- */

static void *handle_of(const struct lt_session *s, int i)
{
	return (void *)(uintptr_t)(PATTERN ^ ((uint64_t)s->number << 32) ^ (uint64_t)(i + 1) << 4);
}

struct device_block *device_block(struct lt_session *s, const void *handle)
{
	uint64_t i = ((uint64_t)(uintptr_t)handle ^ PATTERN ^ ((uint64_t)s->number << 32)) >> 4;
	if (i == 0 || i > MAX_BLOCK || !s->block[i - 1].at || handle_of(s, (int)i - 1) != handle) {
		device_wrong(s, "a handle that is none of this device");
		return NULL;
	}
	return &s->block[i - 1];
}

static void check_pads(struct lt_session *s, const struct device_block *b)
{
	for (size_t i = 0; i < PAD; i++)
		if (b->at[i] != 0xc3 || b->at[PAD + (b->bytes + PAD - 1) / PAD * PAD + i] != 0xc3)
			device_wrong(s, "a sentinel was overwritten");
}

static lt_status mem_new(struct lt_session *s, size_t bytes, void **out, struct lt_diag *diag)
{
	int i = 0;
	*out = NULL;
	if (bytes == 0)
		device_wrong(s, "memory of no bytes");
	if (s->c->fail_new && --s->c->fail_new == 0)
		return device_report(diag, LT_ENOMEM, -1, "the device is full", "use less");
	while (i < MAX_BLOCK && s->block[i].at)
		i++;
	size_t all = (bytes + PAD - 1) / PAD * PAD + 2 * PAD;
	s->block[i] = (struct device_block){ aligned_alloc(PAD, all), bytes };
	memset(s->block[i].at, 0xc3, all);
	memset(s->block[i].at + PAD, 0xa5, bytes);
	s->c->blocks++;
	s->c->blocks_made++;
	*out = handle_of(s, i);
	return LT_OK;
}

static void mem_free(struct lt_session *s, void *handle)
{
	struct device_block *b = device_block(s, handle);
	if (!b)
		return;
	for (int i = 0; i < MAX_STREAM; i++)
		for (const struct device_op *op = s->stream[i].used ? s->stream[i].first : NULL; op; op = op->next)
			if (device_queue_op_uses(op, handle))
				device_wrong(s, "memory is freed that something enqueued uses");
	check_pads(s, b);
	free(b->at);
	b->at = NULL;
	s->c->blocks--;
}

/* The address of a range, "device" or not. */
unsigned char *device_range(struct lt_session *s, const struct lt_slot *slot, size_t bytes, bool device)
{
	if (!device)
		return (unsigned char *)slot->base + slot->offset;
	struct device_block *b = device_block(s, slot->base);
	if (!b || slot->offset < 0 || (size_t)slot->offset + bytes > b->bytes || (int64_t)bytes > slot->bytes) {
		device_wrong(s, "a range beyond its memory");
		return NULL;
	}
	return b->at + PAD + slot->offset;
}

/* ---- a caller's own ---- */

static struct lt_session *last_one;

void *device_new(const void *data, size_t bytes)
{
	void *handle;
	(void)mem_new(last_one, bytes, &handle, NULL);
	memcpy(device_block(last_one, handle)->at + PAD, data, bytes);
	return handle;
}
void device_read(void *handle, void *data, size_t bytes)
{
	memcpy(data, device_block(last_one, handle)->at + PAD, bytes);
}
void device_write(void *handle, const void *data, size_t bytes)
{
	memcpy(device_block(last_one, handle)->at + PAD, data, bytes);
}
void device_free(void *handle) { mem_free(last_one, handle); }
void *device_stream_new(void)
{
	void *stream;
	(void)device_queue_stream_new(last_one, &stream, NULL);
	return stream;
}
void device_stream_free(void *stream) { device_queue_stream_free(last_one, stream); }

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
		.accepts = accepts, .compile = compile, .run = device_queue_run, .sync = device_queue_sync, \
		.destroy = destroy, .need = need, .capture = device_queue_capture, .replay = device_queue_replay, \
		.capture_free = device_queue_capture_free, .event_new = device_queue_event_new, \
		.event_record = device_queue_event_record, .event_ns = device_queue_event_ns, \
		.event_free = device_queue_event_free, .stream_new = device_queue_stream_new, \
		.stream_free = device_queue_stream_free, .event_wait = device_queue_event_wait, \
		.stream_wait = device_queue_stream_wait, .host_new = device_queue_host_new, \
		.host_free = device_queue_host_free, __VA_ARGS__ \
	}

void device_register(void)
{
	static const struct lt_backend one = DEVICE(.name = "devone", .open = open_one, .mem_new = mem_new,
		.mem_free = mem_free, .mem_copy = device_queue_mem_copy);
	static const struct lt_backend two = DEVICE(.name = "devtwo", .open = open_two, .mem_new = mem_new,
		.mem_free = mem_free, .mem_copy = device_queue_mem_copy);
	static const struct lt_backend peers = DEVICE(.name = "devpeer", .open = open_one, .mem_new = mem_new,
		.mem_free = mem_free, .mem_copy = device_queue_mem_copy, .mem_peer = device_queue_mem_peer);
	static const struct lt_backend none = DEVICE(.name = "devnone", .open = open_one);
	device_one = device_two = (struct device_counts){ 0 };
	if (lt_backend_find("devone"))
		return;
	(void)lt_backend_register(&one, NULL);
	(void)lt_backend_register(&two, NULL);
	(void)lt_backend_register(&none, NULL);
	(void)lt_backend_register(&peers, NULL);
}
