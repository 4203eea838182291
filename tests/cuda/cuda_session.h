/* cuda_session.h -- sessions of the backend cuda, trees that only have slots, objects of them. */
#ifndef TESTS_CUDA_SESSION_H
#define TESTS_CUDA_SESSION_H
#include <criterion/criterion.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "backends/cuda/session.h"
#include "tests/cuda/mock.h"
#include "tests/keeper.h"

static inline const struct lt_backend *cuda_backend(void) { return lt_backend_find("cuda"); }

static inline void *mock_library(const char *name)
{
	char path[512];
	const char *o = getenv("O");
	(void)snprintf(path, sizeof path, "%s/tests/cuda/%s", o ? o : "build", name);
	void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	cr_assert_not_null(library, "%s", dlerror());
	return library;
}

/* The driver that is not there, and cublasLt: once they are loaded, the loader gives them for their names. */
static inline struct mock_cuda *mock_load(void)
{
	void *library = mock_library("libcuda.so.1");
	(void)mock_library("libcublasLt.so.13");
	mock_cuda_entry *entry;
	*(void **)&entry = dlsym(library, MOCK_ENTRY);
	cr_assert_not_null(entry);
	return entry();
}

static inline struct lt_session *cuda_open_on(const struct lt_host *host, const char *config)
{
	struct keeper k = keeper_new();
	struct lt_session *s;
	cr_assert_eq(cuda_backend()->open(host, config, &s, &k.diag), LT_OK, "%s", k.text);
	return s;
}
static inline struct lt_session *cuda_open(const char *config)
{
	static const struct lt_host host = { .size = sizeof host };
	return cuda_open_on(&host, config);
}

/* A kernel of n buffers of so many floats. */
enum { CUDA_TREE_SLOTS = 8 };
struct cuda_tree {
	struct lt_tree tree;
	struct lt_type type;
	struct lt_buffer buffer[CUDA_TREE_SLOTS];
};
static inline const struct lt_tree *cuda_tree(struct cuda_tree *t, const char *name, int n, int64_t elems)
{
	*t = (struct cuda_tree){ .tree = { .size = sizeof t->tree, .name = name, .n_slot = n },
		.type = { .name = "float32", .ctype = "float", .dtype = LT_F32, .bytes = 4 } };
	for (int i = 0; i < n; i++)
		t->buffer[i] = (struct lt_buffer){ .name = "x", .elems = elems, .slot = i, .align = 4, .alias_of = -1 };
	t->tree.types = (struct lt_array){ &t->type, 1, sizeof t->type };
	t->tree.buffers = (struct lt_array){ t->buffer, (uint32_t)n, sizeof *t->buffer };
	return &t->tree;
}

/* Floats in the device's memory. */
static inline struct lt_slot cuda_floats(struct lt_session *s, const float *x, int n)
{
	struct keeper k = keeper_new();
	struct lt_slot slot = { .bytes = (int64_t)n * 4 };
	cr_assert_eq(cuda_backend()->mem_new(s, (size_t)n * 4, &slot.base, &k.diag), LT_OK, "%s", k.text);
	if (x)
		cr_assert_eq(cuda_backend()->mem_copy(s, &slot, &(struct lt_slot){ (void *)(uintptr_t)x, 0, slot.bytes },
			(size_t)slot.bytes, LT_COPY_TO_DEVICE, NULL, &k.diag), LT_OK, "%s", k.text);
	return slot;
}
static inline void cuda_fetch(struct lt_session *s, const struct lt_slot *slot, void *x, size_t bytes)
{
	struct keeper k = keeper_new();
	cr_assert_eq(cuda_backend()->mem_copy(s, &(struct lt_slot){ x, 0, (int64_t)bytes }, slot, bytes, LT_COPY_TO_HOST,
		NULL, &k.diag), LT_OK, "%s", k.text);
}
static inline void cuda_fetch_is(struct lt_session *s, const struct lt_slot *slot, const float *want, int n)
{
	float got[64];
	cr_assert_leq(n, 64);
	cuda_fetch(s, slot, got, (size_t)n * 4);
	for (int i = 0; i < n; i++)
		cr_assert_eq(got[i], want[i], "%d: %g, not %g", i, (double)got[i], (double)want[i]);
}
static inline struct lt_args cuda_args(const struct lt_slot *slot, uint32_t n, struct lt_fault *fault)
{
	*fault = (struct lt_fault){ 0 };
	return (struct lt_args){ .size = sizeof(struct lt_args), .n_slot = n, .slot = slot, .fault = fault };
}
#endif
