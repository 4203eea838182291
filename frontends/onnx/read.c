/* read.c -- the bytes of a model file to messages, by protobuf-c.
 *
 * All memory is the import's that lives as long as the graph: the numbers of a tensor lie at any byte of the file, and
 * a constant's have to be aligned, so that the copy which protobuf-c makes of them is the one that is used.  Tensors
 * that are too large for that are in files of their own, which are mapped (folder.c).
 *
 * protobuf-c does not limit how deep messages are nested, and calls itself for each: a file may not decide how much
 * stack is used, so the nesting is looked at first.
 */
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

/* Whether the bytes are fields one after the other, no message in them nested deeper than that. */
static bool wire_check(struct wire w, const ProtobufCMessageDescriptor *message, int depth, bool *deep)
{
	uint64_t tag, n;
	if (depth > MAX_NESTED) {
		*deep = true;
		return false;
	}
	while (w.at < w.end) {
		if (!wire_number(&w, &tag) || tag >> 3 == 0 || tag >> 3 > UINT32_MAX)
			return false;
		const ProtobufCFieldDescriptor *f = protobuf_c_message_descriptor_get_field(message, (unsigned)(tag >> 3));
		bool fine = false;
		switch (tag & 7) {
		case 0:
			fine = wire_number(&w, &n);
			break;
		case 1:
			fine = wire_skip(&w, 8);
			break;
		case 2:
			fine = wire_number(&w, &n) && n <= (uint64_t)(w.end - w.at);
			if (fine && f && f->type == PROTOBUF_C_TYPE_MESSAGE)
				fine = wire_check((struct wire){ w.at, w.at + n }, f->descriptor, depth + 1, deep);
			fine = fine && wire_skip(&w, n);
			break;
		case 5:
			fine = wire_skip(&w, 4);
			break;
		default:
			break;
		}
		if (!fine)
			return false;
	}
	return true;
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
	bool fine = wire_check((struct wire){ at, at + n }, &onnx__model_proto__descriptor, 0, &deep);
	Onnx__ModelProto *model = fine ? onnx__model_proto__unpack(&memory, n, at) : NULL;
	if (deep)
		lt_fail(m->ctx, LT_ESYNTAX, "%s: the model's messages are nested deeper than %d", m->file, MAX_NESTED);
	else if (!model)
		lt_fail(m->ctx, LT_ESYNTAX, "%s: this is no model of ONNX, or a damaged one: its bytes are no messages of "
			"protobuf", m->file);
	else if (!model->graph)
		lt_fail(m->ctx, LT_ESYNTAX, "%s: the model has no graph", m->file);
	return model && model->graph ? model : NULL;
}
