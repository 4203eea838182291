/* wasm.h -- what the files of the backend wasm share: what a module needs, the engine that runs it. */
#ifndef LT_WASM_H
#define LT_WASM_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "lt/kernel.h"

/* Bytes of the workspace: the program's, one thread's, and arrays. */
struct wasm_need { int64_t workspace, parallel; };

typedef void wasm_function_fn(void);             /* any of the library's */

/* A run: addresses of the slots, how many bytes of each are reached, and whether any are written. */
struct wasm_call {
	void *const *slot;
	const int64_t *bytes;
	const uint8_t *writes;
	uint32_t n_slot;
	void *workspace;
	int64_t workspace_bytes;
	struct lt_fault *fault;
};

/* An engine, which makes functions of modules: the one that the library runs in (js/engine.c); of a program of its own
 * that of another process (socket.c).
 * open: where: NULL, or the path of a socket, of so many bytes; false: `why` has a sentence.
 * knows: whether it takes these bytes for a valid module.
 * make: what a module exports; functions: what it imports, in order; NULL: `why` has a sentence.
 * run: false: `why` has a sentence.  drop: it is not run any more. */
struct wasm_engine;
struct wasm_module;
bool lt__wasm_engine_open(const char *where, size_t bytes, struct wasm_engine **, char *why, size_t why_bytes);
void lt__wasm_engine_close(struct wasm_engine *);
bool lt__wasm_engine_knows(struct wasm_engine *, const void *module, size_t bytes);
struct wasm_module *lt__wasm_engine_make(struct wasm_engine *, const void *module, size_t bytes,
	wasm_function_fn *const *function, uint32_t n_function, char *why, size_t why_bytes);
void lt__wasm_engine_drop(struct wasm_engine *, struct wasm_module *);
bool lt__wasm_engine_run(struct wasm_engine *, const struct wasm_module *, const struct wasm_call *, char *why,
	size_t why_bytes);

/* wasm.c: what is printed: operators, and what machines of threads and vectors do, without grids and calls; of an
 * expanded program.  LT_EUNSUPPORTED: diag has a sentence. */
lt_status lt__wasm_check(const struct lt_kernel *, struct lt_diag *);

/* machine.c: what the printer has, the target of default trees. */
struct lt_machine lt__wasm_machine(void);
extern const struct lt_target lt__wasm_target;
#endif
