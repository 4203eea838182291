/* traced.c -- a frozen tree run on the plug-in trace, every access read back. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "tests/built.h"
#include "tests/keeper.h"
#include "check/random/must.h"
#include "tests/traced.h"

const struct lt_backend *traced_backend(void)
{
	struct keeper k = keeper_new();
	if (!lt_backend_find("trace"))
		must(lt_backend_load(built("examples/plugin/trace.so"), &k.diag) == LT_OK, "%s", k.text);
	return lt_backend_find("trace");
}

struct text { char *at; size_t n; };
static void add(void *user, const char *text, size_t bytes)
{
	struct text *t = user;
	t->at = realloc(t->at, t->n + bytes + 1);
	must(t->at != NULL, "out of memory");
	memcpy(t->at + t->n, text, bytes);
	t->at[t->n += bytes] = '\0';
}

static void read_list(const char *path, struct traced *out)
{
	FILE *f = fopen(path, "r");
	char line[128];
	int64_t cap = 0;
	must(f != NULL, "%s", path);
	while (fgets(line, sizeof line, f)) {
		char kind;
		int buffer, access;
		long long element, address;
		if (sscanf(line, "%c %d %d %lld %lld", &kind, &buffer, &access, &element, &address) != 5)
			continue;
		if (out->n == cap) {
			cap = 2 * cap + 1024;
			out->at = realloc(out->at, (size_t)cap * sizeof *out->at);
			must(out->at != NULL, "out of memory");
		}
		out->at[out->n++] = (struct traced_access){ kind == 'w', buffer, access, element, address };
	}
	(void)fclose(f);
}

void traced_run(const struct lt_tree *t, const char *config, const int64_t *param, struct traced *out)
{
	const struct lt_backend *b = traced_backend();
	const struct lt_host host = { .size = sizeof host };
	struct keeper k = keeper_new();
	struct lt_session *session;
	struct lt_object *object;
	struct lt_slot *slot = calloc((size_t)t->n_slot + 1, sizeof *slot);
	struct lt_fault fault = { 0 };
	struct text stats = { NULL, 0 };
	char words[512];
	size_t bytes, align;
	*out = (struct traced){ 0 };
	(void)snprintf(words, sizeof words, "%s;file=/dev/null;list=%s", config, scratch("accesses"));
	must(b->open(&host, words, &session, &k.diag) == LT_OK, "%s", k.text);
	must(b->accepts(session, t, &k.diag) == LT_OK && b->compile(session, &t, 1, &object, &k.diag) == LT_OK, "%s", k.text);
	for (uint32_t i = 0; i < t->buffers.n; i++) {
		const struct lt_buffer *buffer = LT_AT(struct lt_buffer, t->buffers, i);
		int64_t all = buffer->elems * LT_AT(struct lt_type, t->types, buffer->type)->bytes;
		if (buffer->slot >= 0 && slot[buffer->slot].bytes < all) {
			free(slot[buffer->slot].base);
			slot[buffer->slot] = (struct lt_slot){ calloc(1, (size_t)all), 0, all };
		}
	}
	for (int32_t i = 0; param && i < t->n_param; i++) {
		const struct lt_tparam *p = LT_AT(struct lt_tparam, t->params, i);
		((int64_t *)slot[LT_AT(struct lt_buffer, t->buffers, p->buffer)->slot].base)[p->element] = param[i];
	}
	b->need(object, 1, &bytes, &align);
	void *workspace = aligned_alloc(align, (bytes + align - 1) / align * align);
	const struct lt_args args = { .size = sizeof args,
		.n_slot = (uint32_t)t->n_slot,
		.slot = slot,
		.workspace = workspace,
		.n_thread = 1,
		.fault = &fault };
	must(b->run(object, &args, &k.diag) == LT_OK, "%s", k.text);
	must(b->dump(object, LT_DUMP_STATS, add, &stats) == LT_OK, "no stats");
	b->destroy(object);
	b->close(session);
	for (int32_t i = 0; i < t->n_slot; i++)
		free(slot[i].base);
	free(slot);
	free(workspace);
	out->stats = stats.at;
	read_list(scratch("accesses"), out);
}

void traced_free(struct traced *t)
{
	free(t->at);
	free(t->stats);
}

int64_t traced_stat(const struct traced *t, const char *fmt, ...)
{
	char name[64];
	va_list ap;
	va_start(ap, fmt);
	(void)vsnprintf(name, sizeof name, fmt, ap);
	va_end(ap);
	for (const char *at = t->stats; *at; at += strcspn(at, "\n"), at += *at == '\n')
		if (!strncmp(at, name, strlen(name)) && at[strlen(name)] == ' ')
			return strtoll(at + strlen(name) + 1, NULL, 10);
	return 0;
}
