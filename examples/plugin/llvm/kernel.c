/* examples/plugin/llvm/kernel.c -- a module for a tree.
 *
 *   lt_kernel(ptr slots, ptr workspace, ptr fault, ptr call, ptr host, i32 n_thread)   what a run calls; it finds the
 *   buffers, and calls kernel(buffers..., ptr fault, ptr private, ptr call, ptr host, i32 n_thread)         the tree
 *
 * slots: the address of each; call(host, n_thread, n, body, arg): host->parallel_for.
 */
#include <stdlib.h>
#include <string.h>
#include "gen.h"
#include "kernel.h"

struct chunk { struct chunk *next; size_t used, size; max_align_t at[]; };

void *lt_llvm_alloc(struct gen *g, size_t n, size_t size)
{
	enum { LEAST = 32 << 10 };
	size_t bytes;
	if (__builtin_mul_overflow(n, size, &bytes) || bytes > SIZE_MAX / 2)
		longjmp(g->jump, 1);
	bytes = (bytes + sizeof(max_align_t) - 1) & ~(sizeof(max_align_t) - 1);
	if (!g->chunks || g->chunks->size - g->chunks->used < bytes) {
		size_t room = bytes > LEAST ? bytes : LEAST;
		struct chunk *c = malloc(sizeof *c + room);
		if (!c)
			longjmp(g->jump, 1);
		*c = (struct chunk){ .next = g->chunks, .size = room };
		g->chunks = c;
	}
	void *at = (char *)g->chunks->at + g->chunks->used;
	g->chunks->used += bytes;
	return memset(at, 0, bytes);
}

/* Scopes nest no deeper than loops do, each with a strip, and the functions. */
static void prepare(struct gen *g)
{
	const struct lt_tree *t = g->t;
	size_t n = (size_t)t->n_loop + 1;
	g->column = lt_llvm_alloc(g, (size_t)t->n_column, sizeof *g->column);
	g->plan = lt_llvm_alloc(g, n, sizeof *g->plan);
	g->place = lt_llvm_alloc(g, (size_t)t->buffers.n + 1, sizeof *g->place);
	g->scope = lt_llvm_alloc(g, 2 * n + 4, sizeof *g->scope);
	g->first_div = lt_llvm_alloc(g, n, sizeof *g->first_div);
	g->next_div = lt_llvm_alloc(g, (size_t)t->n_div + 1, sizeof *g->next_div);
	for (size_t i = 0; i < n; i++)
		g->first_div[i] = -1;
	for (int32_t d = t->n_div; d-- > 0; ) {
		int32_t *first = &g->first_div[LT_AT(struct lt_div, t->divs, d)->loop + 1];
		g->next_div[d] = *first;
		*first = d;
	}
	g->region = -1;
	lt_llvm_columns(g);
	lt_llvm_plan(g);
	lt_llvm_assign_storage(g);
}

static bool is_parameter(const struct gen *g, int32_t b)
{
	return g->place[b].root == b && (g->place[b].home == HOME_SLOT || g->place[b].home == HOME_SHARED);
}

/* Run-time scalars are read once. */
static void params(struct gen *g)
{
	LLVMTypeRef i8 = LLVMInt8TypeInContext(g->e.c), i64 = LLVMInt64TypeInContext(g->e.c);
	LLVMBasicBlockRef here = LLVMGetInsertBlock(g->e.b);
	LLVMPositionBuilderBefore(g->e.b, g->scope[g->first_scope].mark);
	for (int32_t i = 0; i < g->t->n_param; i++) {
		const struct lt_tparam *p = LT_AT(struct lt_tparam, g->t->params, i);
		LLVMValueRef by = lt_llvm_i64(g, 8 * p->element), base = g->place[g->place[p->buffer].root].base;
		struct column *c = &g->column[1 + i];
		c->v = LLVMBuildLoad2(g->e.b, i64, LLVMBuildGEP2(g->e.b, i8, base, &by, 1, ""), p->name ? p->name : "");
		c->scope = g->first_scope;
	}
	LLVMPositionBuilderAtEnd(g->e.b, here);
}

static LLVMValueRef kernel(struct gen *g, LLVMTypeRef *type, unsigned n)
{
	unsigned at = 0;
	LLVMValueRef f = lt_llvm_begin_function(g, "kernel", type, n);
	lt_llvm_attribute(g, f, 0, "noinline");
	for (int32_t b = 0; b < (int32_t)g->t->buffers.n; b++) {
		struct place *p = &g->place[b];
		const char *name = LT_AT(struct lt_buffer, g->t->buffers, b)->name;
		if (!is_parameter(g, b))
			continue;
		p->base = LLVMGetParam(f, at++);
		if (name)
			LLVMSetValueName2(p->base, name, strlen(name));
		if (p->exclusive)
			lt_llvm_attribute(g, f, at, "noalias");
	}
	LLVMValueRef *remainder[] = { &g->fault, &g->own, &g->call, &g->host, &g->n_thread };
	for (int i = 0; i < 5; i++)
		*remainder[i] = LLVMGetParam(f, at++);
	lt_llvm_bind_locals(g, -1);
	params(g);
	lt_llvm_set_divs(g, -1);
	lt_llvm_body(g, -1, 0, (int32_t)g->t->stmts.n);
	lt_llvm_end_function(g);
	return f;
}

static void entry(struct gen *g)
{
	LLVMContextRef c = g->e.c;
	LLVMBuilderRef b = g->e.b;
	LLVMTypeRef ptr = LLVMPointerTypeInContext(c, 0), i8 = LLVMInt8TypeInContext(c), i32 = LLVMInt32TypeInContext(c);
	LLVMTypeRef six[6] = { ptr, ptr, ptr, ptr, ptr, i32 },
		    *type = lt_llvm_alloc(g, (size_t)g->t->buffers.n + 5, sizeof *type);
	LLVMValueRef *in = lt_llvm_alloc(g, (size_t)g->t->buffers.n + 5, sizeof *in);
	unsigned n = 0;
	for (int32_t i = 0; i < (int32_t)g->t->buffers.n; i++)
		if (is_parameter(g, i))
			type[n++] = ptr;
	for (int i = 0; i < 4; i++)
		type[n++] = ptr;
	type[n++] = i32;
	LLVMValueRef inner = kernel(g, type, n), f = lt_llvm_begin_function(g, "lt_kernel", six, 6);
	LLVMSetLinkage(f, LLVMExternalLinkage);
	n = 0;
	for (int32_t i = 0; i < (int32_t)g->t->buffers.n; i++) {
		const struct place *p = &g->place[i];
		bool slot = p->home == HOME_SLOT;
		LLVMValueRef by = lt_llvm_i64(g, slot ? 8 * (int64_t)LT_AT(struct lt_buffer, g->t->buffers, i)->slot : p->offset);
		if (!is_parameter(g, i))
			continue;
		LLVMValueRef at = LLVMBuildGEP2(b, i8, LLVMGetParam(f, slot ? 0 : 1), &by, 1, "");
		in[n++] = slot ? LLVMBuildLoad2(b, ptr, at, "") : at;
	}
	LLVMValueRef by = lt_llvm_i64(g, g->shared_bytes);
	in[n++] = LLVMGetParam(f, 2);
	in[n++] = LLVMBuildGEP2(b, i8, LLVMGetParam(f, 1), &by, 1, "");
	for (unsigned i = 3; i < 6; i++)
		in[n++] = LLVMGetParam(f, i);
	(void)LLVMBuildCall2(b, LLVMGlobalGetValueType(inner), inner, in, n, "");
	lt_llvm_end_function(g);
}

static bool has_vectors(const struct gen *g)
{
	bool some = false;
	for (int32_t l = 0; l < g->t->n_loop; l++)
		some = some || g->plan[l].mode == MODE_LANES;
	return some;
}

LLVMModuleRef lt_llvm_module(
	const struct lt_tree *t, const struct lt_llvm_machine *m, LLVMContextRef c, struct lt_llvm_need *need)
{
	struct gen *g = calloc(1, sizeof *g);
	if (!g)
		return NULL;
	g->t = t;
	g->e = (struct emit){ .c = c, .m = LLVMModuleCreateWithNameInContext(t->name ? t->name : "kernel", c),
		.b = LLVMCreateBuilderInContext(c), .vector_bytes = m->vector_bytes, .vector_library = m->vector_library };
	LLVMModuleRef module = NULL;
	if (setjmp(g->jump) == 0) {
		prepare(g);
		entry(g);
		*need = (struct lt_llvm_need){ g->shared_bytes, g->own_bytes, g->n_region > 0, has_vectors(g) };
		module = g->e.m;
	} else {
		LLVMDisposeModule(g->e.m);
	}
	LLVMDisposeBuilder(g->e.b);
	while (g->chunks) {
		struct chunk *first = g->chunks;
		g->chunks = first->next;
		free(first);
	}
	free(g);
	return module;
}
