/* object.h -- a session and a kernel of the backend wasm, and its runs. */
#ifndef LT_WASM_OBJECT_H
#define LT_WASM_OBJECT_H
#include "backends/backends.h"
#include "backends/wasm/wasm.h"

/* engine: NULL: objects are only looked at. */
struct lt_session { const struct lt_host *host; bool relaxed; struct wasm_engine *engine; struct lt_caps caps; };
struct lt_object {
	struct lt_session *s;
	const struct lt_tree *tree;     /* borrowed */
	struct wasm_module *module;     /* NULL: it is only looked at */
	uint8_t *writes;                /* by slot */
	int64_t *reach;                 /* bytes, by slot */
	struct wasm_need need;
	size_t bytes;                   /* of the module */
};
static inline const char *lt__wasm_kernel_name(const struct lt_tree *t) { return t->name ? t->name : "?"; }

/* run.c */
lt_status lt__wasm_no_memory(struct lt_diag *);
lt_status lt__wasm_run(struct lt_object *, const struct lt_args *, struct lt_diag *);
lt_status lt__wasm_capture(struct lt_session *, struct lt_object *const *, const struct lt_args *, uint32_t n,
	struct lt_capture **, struct lt_diag *);
lt_status lt__wasm_replay(struct lt_capture *, struct lt_diag *);
void lt__wasm_capture_free(struct lt_capture *);
#endif
