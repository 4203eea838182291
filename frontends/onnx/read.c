/* read.c -- the bytes of a model file to messages, by protobuf-c.
 *
 * protobuf-c copies all that it reads.  It is given a skeleton of the model: the same messages, but the numbers of a
 * tensor, raw_data, are replaced by the place where they lie.  If the file is mapped, large ones stay there; tensors in
 * files of their own are mapped, too (folder.c).
 *
 * protobuf-c does not limit how deep messages are nested, and calls itself for each: a file may not decide how much
 * stack is used, so the nesting is looked at first.
 */
#include <string.h>
#include "frontends/onnx/onnx.h"
#include "frontends/onnx/onnx.pb-c.h"

enum { MAX_NESTED = 100 };      /* protobuf's own limit, in other languages */

struct wire { const uint8_t *at, *end; };

static bool wire_number(struct wire *w, uint64_t *out)
{
	*out = 0;
	for (unsigned shift = 0; shift < 70 && w->at < w->end; shift += 7) {
		uint8_t byte = *w->at++;
		if (shift < 64)
			*out |= (uint64_t)(byte & 0x7f) << shift;
		if (!(byte & 0x80))
			return true;
	}
	return false;
}

static bool wire_skip(struct wire *w, uint64_t bytes)
{
	if (bytes > (uint64_t)(w->end - w->at))
		return false;
	w->at += bytes;
	return true;
}

enum { RAW_DATA = 9, LENGTH_BYTES = 5 };

static void put_number(struct lt_text *t, uint64_t n)
{
	char at[10];
	size_t bytes = 0;
	for (; n > 0x7f; n >>= 7)
		at[bytes++] = (char)((n & 0x7f) | 0x80);
	at[bytes++] = (char)n;
	lt__text_add(t, at, bytes);
}

/* A number of always as many bytes, since what is in a message is written after its length. */
static void put_length(char *at, size_t n)
{
	for (int i = 0; i < LENGTH_BYTES; i++, n >>= 7)
		at[i] = (char)((n & 0x7f) | (i < LENGTH_BYTES - 1 ? 0x80 : 0));
}

/* Adds the fields of a message to the skeleton; false: the bytes are no fields one after the other, or (*deep) a
 * message in them is nested deeper than that.  Each byte of the file is read once: it may be mapped, and written to
 * meanwhile. */
static bool skeleton_add(
	struct lt_text *t, struct wire w, const ProtobufCMessageDescriptor *message, int depth, bool *deep)
{
	*deep = *deep || depth > MAX_NESTED;
	while (w.at < w.end && !*deep) {
		uint64_t tag, n = 0;
		if (!wire_number(&w, &tag) || tag >> 3 == 0 || tag >> 3 > UINT32_MAX)
			return false;
		const unsigned kind = tag & 7, number = (unsigned)(tag >> 3);
		const ProtobufCFieldDescriptor *f = protobuf_c_message_descriptor_get_field(message, number);
		if ((kind == 0 || kind == 2) && !wire_number(&w, &n))
			return false;
		const uint8_t *content = w.at;
		const uint64_t bytes = kind == 2 ? n : kind == 1 ? 8 : kind == 5 ? 4 : 0;
		if ((kind > 2 && kind != 5) || !wire_skip(&w, bytes))
			return false;
		put_number(t, tag);
		if (kind == 2 && message == &onnx__tensor_proto__descriptor && number == RAW_DATA) {
			const struct lt_onnx_place place = { content, (size_t)n };
			put_number(t, sizeof place);
			lt__text_add(t, (const char *)&place, sizeof place);
		} else if (kind == 2 && f && f->type == PROTOBUF_C_TYPE_MESSAGE) {
			const size_t at = t->n;
			lt__text_add(t, "\0\0\0\0", LENGTH_BYTES);
			if (!skeleton_add(t, (struct wire){ content, content + n }, f->descriptor, depth + 1, deep))
				return false;
			put_length(t->at + at, t->n - at - LENGTH_BYTES);
		} else {
			if (kind == 0 || kind == 2)
				put_number(t, n);
			lt__text_add(t, (const char *)content, (size_t)bytes);
		}
	}
	return !*deep;
}

/* Smaller ones are read by whoever decides shapes, and cost nothing. */
enum { IN_PLACE = 1 << 16 };

static bool is_mapped(const struct lt_onnx *m)
{
	const struct lt_parse_options *o = m->options;
	return o->size >= offsetof(struct lt_parse_options, mapped) + sizeof o->mapped && o->mapped;
}

const void *lt__onnx_inline(struct lt_onnx *m, const struct lt_onnx_place *place)
{
	return is_mapped(m) && place->n >= IN_PLACE ? place->at : lt__arena_copy(m->kept, place->at, place->n);
}

static void *unpack_alloc(void *arena, size_t bytes)
{
	return lt__arena_alloc_unset(arena, bytes ? bytes : 1);        /* it sets what it asks for */
}

static void unpack_free(void *arena, void *at)
{
	(void)arena;
	(void)at;
}

const struct Onnx__ModelProto *lt__onnx_read(struct lt_onnx *m, const char *bytes, size_t n)
{
	ProtobufCAllocator memory = { .alloc = unpack_alloc, .free = unpack_free, .allocator_data = m->kept };
	const uint8_t *at = (const uint8_t *)bytes;
	bool deep = false;
	if (n > INT32_MAX) {
		lt_fail(m->ctx, LT_EOVERFLOW, "%s: a model of %zu bytes is too long: protobuf's limit is 2 GB; larger weights "
			"are kept in a file beside it (external data)", m->file, n);
		return NULL;
	}
	struct lt_text skeleton = { .arena = m->arena };
	Onnx__ModelProto *model = NULL;
	if (skeleton_add(&skeleton, (struct wire){ at, at + n }, &onnx__model_proto__descriptor, 0, &deep))
		model = onnx__model_proto__unpack(&memory, skeleton.n, (const uint8_t *)skeleton.at);
	if (model && is_mapped(m))
		lt__graph_mapped(m->graph, bytes, n);
	if (deep)
		lt_fail(m->ctx, LT_ESYNTAX, "%s: the model's messages are nested deeper than %d", m->file, MAX_NESTED);
	else if (!model)
		lt_fail(m->ctx, LT_ESYNTAX, "%s: this is no model of ONNX, or a damaged one: its bytes are no messages of "
			"protobuf", m->file);
	else if (!model->graph)
		lt_fail(m->ctx, LT_ESYNTAX, "%s: the model has no graph", m->file);
	return model && model->graph ? model : NULL;
}
