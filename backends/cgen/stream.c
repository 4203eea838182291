/* backends/cgen/stream.c -- stores that go to memory past the caches. */
#include "backends/cgen/gen.h"
#include "backends/cgen/vector.h"

bool lt__gen_streams(const struct gen *g, int32_t stmt, uint32_t dtype)
{
	const struct lt_stmt *s = LT_AT(struct lt_stmt, g->t->stmts, stmt);
	uint32_t bytes = (uint32_t)g->lanes * lt__element_bytes(dtype);
	return s->stream && s->kind == LT_MAP
		&& g->place[LT_AT(struct lt_access, g->t->accesses, s->dest)->buffer].home == HOME_SLOT
		&& (bytes == 16 || bytes == 32 || bytes == 64);
}

/* A vector of bytes that is not aligned is stored as any other is. */
void lt__gen_stream(struct gen *g, const char *type, const char *to, const char *value)
{
	lt__gen_line(g, "LT_STREAM(%s, %s, %s);", type, to, value);
	g->streams = true;
}

/* What was streamed is there for other threads only behind this. */
void lt__gen_stream_end(struct gen *g)
{
	if (g->streams)
		lt__gen_line(g, "LT_STREAMED();");
	g->streams = false;
}
