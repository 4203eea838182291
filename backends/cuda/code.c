/* code.c -- a kernel's program with its CUDA C; as they are saved: the program's text and the cubin. */
#include "backends/cuda/code.h"
#include <stdlib.h>
#include <string.h>
#include "base/hash.h"
#include "kernel/form/form.h"

/* Then the program's text, the cubin and the choices; sum: of everything after it. */
struct cuda_head { char magic[8]; uint64_t sum, bytes, text_bytes, cubin_bytes, choice_bytes; };
static const char magic[8] = "LTCUDA3";

/* The driver is not to be handed a file that is not whole. */
static uint64_t sum_of(const struct cuda_head *h, const char *text, const char *cubin, const char *choices)
{
	enum { FROM = offsetof(struct cuda_head, bytes) };
	uint64_t sum = lt__hash_more(LT_HASH_BEGIN, (const char *)h + FROM, sizeof *h - FROM);
	sum = lt__hash_more(sum, text, h->text_bytes);
	sum = lt__hash_more(sum, cubin, h->cubin_bytes);
	return lt__hash_more(sum, choices, h->choice_bytes);
}

void lt__cuda_code_free(struct lt_cuda_code *c)
{
	lt_kernel_free(c->kernel);
	lt__text_grids_free(c->grids);
	free(c->cubin);
	free(c->choices);
	*c = (struct lt_cuda_code){ 0 };
}

static lt_status parameters_check(struct lt_cuda_code *c, struct lt_diag *diag)
{
	for (uint32_t g = 0; g < c->grids->n_grid; g++) {
		const struct lt_text_grid *x = &c->grids->grids[g];
		if (x->n_parameter > LT_CUDA_MAX_PARAMETERS)
			return lt__report(diag, LT_EUNSUPPORTED, c->kernel->regions[x->region].origin, -1, "cut the nest in two",
				"function %s takes %u parameters, and a launch has at most %d", x->name, (unsigned)x->n_parameter,
				(int)LT_CUDA_MAX_PARAMETERS);
		for (uint32_t p = 0; p < x->n_parameter; p++)
			c->faults = c->faults || x->parameters[p].kind == LT_TEXT_FAULT;
	}
	return LT_OK;
}

lt_status lt__cuda_code_print(struct lt_kernel *k, struct lt_cuda_code *out, struct lt_diag *diag)
{
	*out = (struct lt_cuda_code){ .kernel = k };
	lt_status status = lt__text_grids(&lt__text_cuda, k, NULL, &out->grids, diag);
	status = status ? status : parameters_check(out, diag);
	if (status)
		lt__cuda_code_free(out);
	return status;
}

struct code_text { char *at; size_t n, cap; bool failed; };

static void text_add(void *user, const char *more, size_t bytes)
{
	struct code_text *t = user;
	if (!t->failed && t->n + bytes > t->cap) {
		t->cap = 2 * (t->n + bytes);
		char *at = realloc(t->at, t->cap);
		t->failed = !at;
		t->at = at ? at : t->at;
	}
	if (t->failed || !bytes)
		return;
	memcpy(t->at + t->n, more, bytes);
	t->n += bytes;
}

lt_status lt__cuda_code_save(const struct lt_cuda_code *c, lt_write *write, void *user)
{
	struct code_text text = { NULL, 0, 0, false };
	lt_kernel_print(c->kernel, text_add, &text);
	if (text.failed) {
		free(text.at);
		return LT_ENOMEM;
	}
	struct cuda_head h = { .bytes = sizeof h + text.n + c->cubin_bytes + c->choice_bytes, .text_bytes = text.n,
		.cubin_bytes = c->cubin_bytes, .choice_bytes = c->choice_bytes };
	memcpy(h.magic, magic, sizeof h.magic);
	h.sum = sum_of(&h, text.at, c->cubin, c->choices);
	write(user, (const char *)&h, sizeof h);
	write(user, text.at, text.n);
	write(user, c->cubin, c->cubin_bytes);
	if (c->choice_bytes)
		write(user, c->choices, c->choice_bytes);
	free(text.at);
	return LT_OK;
}

lt_status lt__cuda_code_read(const void *data, size_t bytes, struct lt_cuda_code *out)
{
	struct cuda_head h;
	struct lt_kernel *k;
	const char *text = (const char *)data + sizeof h;
	*out = (struct lt_cuda_code){ 0 };
	if (bytes < sizeof h)
		return LT_EINVAL;
	memcpy(&h, data, sizeof h);
	if (memcmp(h.magic, magic, sizeof magic) != 0 || h.bytes != bytes || h.text_bytes > bytes - sizeof h
		|| h.cubin_bytes > bytes - sizeof h - h.text_bytes
		|| h.choice_bytes != bytes - sizeof h - h.text_bytes - h.cubin_bytes
		|| h.sum != sum_of(&h, text, text + h.text_bytes, text + h.text_bytes + h.cubin_bytes))
		return LT_EINVAL;
	lt_status status = lt_kernel_parse(text, h.text_bytes, &k, NULL);
	status = status ? status : lt__cuda_code_print(k, out, NULL);
	out->cubin = status ? NULL : malloc(h.cubin_bytes + 1);
	out->choices = status ? NULL : malloc(h.choice_bytes + 1);
	if (!out->cubin || !out->choices) {
		lt__cuda_code_free(out);
		return !status || status == LT_ENOMEM ? LT_ENOMEM : LT_EINVAL;
	}
	memcpy(out->cubin, text + h.text_bytes, h.cubin_bytes);
	out->cubin_bytes = h.cubin_bytes;
	memcpy(out->choices, text + h.text_bytes + h.cubin_bytes, h.choice_bytes);
	out->choice_bytes = h.choice_bytes;
	return LT_OK;
}
