/* socket.c -- the engine of a program of its own: another process that has one (tests/wasm/engine.mjs), by a socket.
 *
 * What a module reads is sent there and what it writes comes back, so it is slow, and for tests: all that runs
 * backends, lt-check too, runs this one.  js/engine.c is the page's.  Messages are numbers of 32 bits and bytes:
 *   knows: 1, bytes of a module, it                                             -> 1 or 0
 *   make:  2, bytes of a module, it                                             -> its number; or 0, and a sentence as
 *                                                                                  bytes, it
 *   run:   3, its number, bytes of the workspace, slots, the bytes of each, whether each is written, all
 *                                                                               -> 1, a fault record, slots that are
 *                                                                                  written; or 0, and a sentence
 *   drop:  4, its number
 * The engine looks whether slots that are not written, and what is beside them, are as they were.
 */
#define _GNU_SOURCE 1
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>
#include "backends/wasm/wasm.h"

enum { KNOWS = 1, MAKE, RUN, DROP };

/* A process that was forked has a connection of its own, and the same modules. */
struct wasm_engine {
	char path[sizeof((struct sockaddr_un *)NULL)->sun_path];
	int at;
	pid_t owner;
	pthread_mutex_t turn;
};
struct wasm_module { uint32_t number; };

static bool engine_connect(struct wasm_engine *e)
{
	struct sockaddr_un name = { .sun_family = AF_UNIX };
	if (e->at >= 0 && e->owner == getpid())
		return true;
	if (e->at >= 0)
		(void)close(e->at);
	memcpy(name.sun_path, e->path, sizeof name.sun_path);
	e->owner = getpid();
	e->at = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (e->at >= 0 && connect(e->at, (const struct sockaddr *)&name, sizeof name) == 0)
		return true;
	if (e->at >= 0)
		(void)close(e->at);
	e->at = -1;
	return false;
}

static bool give(const struct wasm_engine *e, const void *from, size_t bytes)
{
	for (size_t done = 0; done < bytes; ) {
		const ssize_t n = send(e->at, (const char *)from + done, bytes - done, MSG_NOSIGNAL);
		if (n < 0 && errno != EINTR)
			return false;
		done += n > 0 ? (size_t)n : 0;
	}
	return true;
}

static bool take(const struct wasm_engine *e, void *to, size_t bytes)
{
	for (size_t done = 0; done < bytes; ) {
		const ssize_t n = recv(e->at, (char *)to + done, bytes - done, 0);
		if (n == 0 || (n < 0 && errno != EINTR))
			return false;
		done += n > 0 ? (size_t)n : 0;
	}
	return true;
}

/* What comes next connects again. */
static bool lost(struct wasm_engine *e, char *why, size_t bytes)
{
	if (e->at >= 0)
		(void)close(e->at);
	e->at = -1;
	(void)snprintf(why, bytes, "the engine at %s does not answer", e->path);
	return false;
}

bool lt__wasm_engine_open(const char *where, size_t bytes, struct wasm_engine **out, char *why, size_t why_bytes)
{
	struct wasm_engine *e = *out = NULL;
	if (!where) {
		(void)snprintf(why, why_bytes, "there is no engine of WebAssembly here, as a page has one; its code can be looked at "
			"(--dump=source)");
		return false;
	}
	if (bytes >= sizeof e->path) {
		(void)snprintf(why, why_bytes, "the path of the engine's socket is too long: it may have %zu bytes",
			sizeof e->path - 1);
		return false;
	}
	e = calloc(1, sizeof *e);
	if (!e) {
		(void)snprintf(why, why_bytes, "there is no memory for an engine");
		return false;
	}
	memcpy(e->path, where, bytes);
	e->at = -1;
	if (!engine_connect(e) || pthread_mutex_init(&e->turn, NULL)) {
		(void)snprintf(why, why_bytes, "no engine listens at %s", e->path);
		free(e);
		return false;
	}
	*out = e;
	return true;
}

void lt__wasm_engine_close(struct wasm_engine *e)
{
	if (!e)
		return;
	if (e->at >= 0)
		(void)close(e->at);
	(void)pthread_mutex_destroy(&e->turn);
	free(e);
}

static bool send_module(struct wasm_engine *e, uint32_t what, const void *module, size_t bytes)
{
	const uint32_t head[2] = { what, (uint32_t)bytes };
	return bytes <= UINT32_MAX && engine_connect(e) && give(e, head, sizeof head) && give(e, module, bytes);
}

bool lt__wasm_engine_knows(struct wasm_engine *e, const void *module, size_t bytes)
{
	uint32_t yes = 0;
	(void)pthread_mutex_lock(&e->turn);
	char why[400];
	const bool done = (send_module(e, KNOWS, module, bytes) && take(e, &yes, sizeof yes)) || lost(e, why, sizeof why);
	(void)pthread_mutex_unlock(&e->turn);
	return done && yes;
}

/* A number, or 0 and a sentence. */
static bool take_number(struct wasm_engine *e, uint32_t *number, char *why, size_t why_bytes)
{
	uint32_t n;
	char rest[4096];
	if (!take(e, number, sizeof *number))
		return lost(e, why, why_bytes);
	if (*number)
		return true;
	if (!take(e, &n, sizeof n) || n >= sizeof rest || !take(e, rest, n))
		return lost(e, why, why_bytes);
	(void)snprintf(why, why_bytes, "%.*s", (int)n, rest);
	return false;
}

struct wasm_module *lt__wasm_engine_make(struct wasm_engine *e, const void *module, size_t bytes,
	wasm_function_fn *const *function, uint32_t n_function, char *why, size_t why_bytes)
{
	struct wasm_module *m = calloc(1, sizeof *m);
	(void)function, (void)n_function;               /* the other process has its own */
	(void)snprintf(why, why_bytes, "there is no memory for it");
	if (!m)
		return NULL;
	(void)pthread_mutex_lock(&e->turn);
	const bool done = send_module(e, MAKE, module, bytes) ? take_number(e, &m->number, why, why_bytes)
		: lost(e, why, why_bytes);
	(void)pthread_mutex_unlock(&e->turn);
	if (done)
		return m;
	free(m);
	return NULL;
}

void lt__wasm_engine_drop(struct wasm_engine *e, struct wasm_module *m)
{
	(void)pthread_mutex_lock(&e->turn);
	if (engine_connect(e))
		(void)give(e, (const uint32_t[]){ DROP, m->number }, 8);
	(void)pthread_mutex_unlock(&e->turn);
	free(m);
}

static bool send_run(struct wasm_engine *e, const struct wasm_module *m, const struct wasm_call *c)
{
	const uint32_t head[4] = { RUN, m->number, (uint32_t)c->workspace_bytes, c->n_slot };
	bool done = engine_connect(e) && give(e, head, sizeof head);
	for (uint32_t i = 0; done && i < c->n_slot; i++)
		done = give(e, &(uint32_t){ (uint32_t)c->bytes[i] }, 4);
	for (uint32_t i = 0; done && i < c->n_slot; i++)
		done = give(e, &(uint32_t){ c->writes[i] }, 4);
	for (uint32_t i = 0; done && i < c->n_slot; i++)
		done = give(e, c->slot[i], (size_t)c->bytes[i]);
	return done;
}

static bool take_run(struct wasm_engine *e, const struct wasm_call *c)
{
	struct lt_fault fault;
	bool done = take(e, &fault, sizeof fault);
	if (done && fault.n) {
		const int64_t before = c->fault->n;
		*c->fault = before ? *c->fault : fault;
		c->fault->n = before + fault.n;
	}
	for (uint32_t i = 0; done && i < c->n_slot; i++)
		done = !c->writes[i] || take(e, c->slot[i], (size_t)c->bytes[i]);
	return done;
}

/* A memory of 32 bits holds no more. */
static bool fits(const struct wasm_call *c)
{
	int64_t left = (int64_t)UINT32_MAX - c->workspace_bytes;
	for (uint32_t i = 0; i < c->n_slot && left >= 0; i++)
		left = c->bytes[i] > left ? -1 : left - c->bytes[i];
	return left >= 0;
}

static bool run_there(struct wasm_engine *e, const struct wasm_module *m, const struct wasm_call *c, char *why,
	size_t why_bytes)
{
	uint32_t ran;
	if (!fits(c)) {
		(void)snprintf(why, why_bytes, "slots and workspace have more bytes than the memory of an engine, 4 GiB");
		return false;
	}
	if (!send_run(e, m, c))
		return lost(e, why, why_bytes);
	return take_number(e, &ran, why, why_bytes) && (take_run(e, c) || lost(e, why, why_bytes));
}

bool lt__wasm_engine_run(struct wasm_engine *e, const struct wasm_module *m, const struct wasm_call *c, char *why,
	size_t why_bytes)
{
	(void)pthread_mutex_lock(&e->turn);
	const bool done = run_there(e, m, c, why, why_bytes);
	(void)pthread_mutex_unlock(&e->turn);
	return done;
}
