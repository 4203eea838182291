/* engine.c -- the engine that the library itself runs in, for the backend wasm: js/native.js makes functions of modules
 * and puts them into the library's table, so that C calls them as its own. */
#include <stdio.h>
#include "backends/wasm/wasm.h"

/* A kernel as it is called: addresses of the slots, the workspace, the fault record. */
typedef void wasm_kernel_fn(void *const *slot, void *workspace, struct lt_fault *);
struct wasm_engine { int nothing; };
static struct wasm_engine page;

#define PAGE(name) __attribute__((import_module("page"), import_name(name)))
PAGE("knows") int page_knows(const void *module, size_t bytes);
PAGE("make") wasm_kernel_fn *page_make(
	const void *module, size_t bytes, wasm_function_fn *const *function, uint32_t n, char *why, size_t most);
PAGE("drop") void page_drop(wasm_kernel_fn *);

bool lt__wasm_engine_open(const char *where, size_t bytes, struct wasm_engine **out, char *why, size_t why_bytes)
{
	(void)bytes;
	*out = where ? NULL : &page;
	if (where)
		(void)snprintf(why, why_bytes, "a page is an engine itself, and has no sockets: leave engine= out");
	return !where;
}

void lt__wasm_engine_close(struct wasm_engine *e) { (void)e; }

bool lt__wasm_engine_knows(struct wasm_engine *e, const void *module, size_t bytes)
{
	(void)e;
	return page_knows(module, bytes);
}

struct wasm_module *lt__wasm_engine_make(struct wasm_engine *e, const void *module, size_t bytes,
	wasm_function_fn *const *function, uint32_t n_function, char *why, size_t why_bytes)
{
	(void)e;
	return (struct wasm_module *)page_make(module, bytes, function, n_function, why, why_bytes);
}

void lt__wasm_engine_drop(struct wasm_engine *e, struct wasm_module *m)
{
	(void)e;
	page_drop((wasm_kernel_fn *)m);
}

bool lt__wasm_engine_run(struct wasm_engine *e, const struct wasm_module *m, const struct wasm_call *c, char *why,
	size_t why_bytes)
{
	(void)e, (void)why, (void)why_bytes;
	((wasm_kernel_fn *)(uintptr_t)m)(c->slot, c->workspace, c->fault);
	return true;
}
