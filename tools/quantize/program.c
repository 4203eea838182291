/* program.c -- programs that run over many samples at once, and room for what goes in and comes out. */
#include <stdlib.h>
#include <string.h>
#include "tools/quantize/quantize.h"

static lt_status make_room(struct quantizing *z, struct quantize_program *p)
{
	p->n_input = lt_program_count(p->program, LT_BINDING_INPUT);
	p->n_result = lt_program_count(p->program, LT_BINDING_RESULT);
	p->input = calloc((size_t)p->n_input + 1, sizeof *p->input);
	p->sample_bytes = calloc((size_t)p->n_input + 1, sizeof *p->sample_bytes);
	p->result = calloc((size_t)p->n_result + 1, sizeof *p->result);
	if (!p->input || !p->sample_bytes || !p->result)
		return lt_fail(z->ctx, LT_ENOMEM, "out of memory");
	for (int32_t i = 0; i < p->n_result; i++)
		if (!(p->result[i] = calloc(1, lt_program_bytes(p->program, LT_BINDING_RESULT, i) + 64)))
			return lt_fail(z->ctx, LT_ENOMEM, "out of memory");
	return LT_OK;
}

void quantize_program_data(const struct quantizing *z, struct quantize_program *p)
{
	for (int32_t i = 0; i < p->n_input; i++)
		for (int32_t k = 0; k < z->n_input; k++)
			if (!strcmp(lt_program_name(p->program, LT_BINDING_INPUT, i), z->input[k].name)) {
				p->input[i] = z->input[k].at;
				p->sample_bytes[i] = z->input[k].sample_bytes;
			}
}

lt_status quantize_program_make(struct quantizing *z, struct lt_graph *g, struct quantize_program *out)
{
	const struct lt_options options = { .size = sizeof options, .backends = z->backends, .temp_dir = lt__temp_dir(),
		.n_thread = (uint32_t)z->o.threads, .cancelled = lt__interrupted };
	*out = (struct quantize_program){ .graph = g };
	LT_TRY(lt_compile(z->ctx, g, &options, &out->program));
	for (int32_t i = 0, n = 0; i < g->n_node; i++)
		if (g->node[i].op == LT_OP_constant) {
			if (g->node[i].content && lt_program_needs(out->program, LT_BINDING_CONSTANT, n))
				LT_TRY(lt_program_bind(out->program, n, g->node[i].content, 0));
			n++;
		}
	if (lt_instance_new(out->program, &out->instance))
		return lt_fail(z->ctx, lt_instance_code(out->instance), "%s", lt_instance_message(out->instance));
	lt_instance_cancel(out->instance, lt__interrupted, NULL);
	LT_TRY(make_room(z, out));
	quantize_program_data(z, out);
	return LT_OK;
}

void quantize_program_free(struct quantize_program *p)
{
	for (int32_t i = 0; p->result && i < p->n_result; i++)
		free(p->result[i]);
	free(p->input);
	free(p->sample_bytes);
	free(p->result);
	lt_instance_free(p->instance);
	lt_program_free(p->program);
	lt_graph_free(p->graph);
	*p = (struct quantize_program){ 0 };
}

/* Whether the first n samples of a chunk run well: the first one takes the place of the others. */
static lt_status run_first(struct quantizing *z, struct quantize_program *p, const void *const *chunk, int64_t n)
{
	const void **input = lt__must_alloc(sizeof *input * ((size_t)p->n_input + 1));
	for (int32_t i = 0; i < p->n_input; i++) {
		const size_t one = p->sample_bytes[i];
		input[i] = chunk[i];
		if (!one)
			continue;
		char *own = lt__must_alloc(one * (size_t)z->chunk + 64);
		for (int64_t k = 0; k < z->chunk; k++)
			memcpy(own + one * (size_t)k, (const char *)chunk[i] + (k < n ? one * (size_t)k : 0), one);
		input[i] = own;
	}
	const lt_status s = lt_instance_run(p->instance, input, p->result);
	for (int32_t i = 0; i < p->n_input; i++)
		if (p->sample_bytes[i])
			free((void *)(uintptr_t)input[i]);
	free(input);
	return s;
}

/* The files of the inputs that are integers, or of all where none is. */
static char *index_files(const struct quantizing *z)
{
	char *all = lt__must_format("%s", "");
	bool some = false;
	for (int32_t i = 0; i < z->n_input; i++)
		some = some || lt__dtype_info(z->model.binding[LT_BINDING_INPUT].at[i].dtype)->cls == LT_CLASS_INT;
	for (int32_t i = 0; i < z->n_input; i++) {
		if (some && lt__dtype_info(z->model.binding[LT_BINDING_INPUT].at[i].dtype)->cls != LT_CLASS_INT)
			continue;
		char *more = lt__must_format("%s%s%s", all, *all ? ", " : "", z->input[i].path);
		free(all);
		all = more;
	}
	return all;
}

/* An index out of range: the first sample that makes it is looked for by halves. */
static lt_status tell_row(struct quantizing *z, struct quantize_program *p, const void *const *input, int64_t chunk)
{
	int64_t good = 0, bad = z->chunk;       /* so many samples run, so many do not */
	while (bad - good > 1) {
		const int64_t n = good + (bad - good) / 2;
		*(run_first(z, p, input, n) == LT_EFAULT ? &bad : &good) = n;
	}
	if (run_first(z, p, input, bad) != LT_EFAULT)
		return lt_fail(z->ctx, LT_EFAULT, "%s", lt_instance_message(p->instance));
	const char *said = lt_instance_message(p->instance), *end = strchr(said, ';');
	const int64_t rows = z->input[0].rows, row = z->part.first + (chunk * z->chunk + bad - 1) * rows;
	char *files = index_files(z);
	char *last = rows > 1 ? lt__must_format(" to %lld", (long long)(row + rows - 1)) : lt__must_format("%s", "");
	(void)lt_fail(z->ctx, LT_EINVAL, "%s: row %lld%s: %.*s", files, (long long)row, last,
		(int)(end ? end - said : (ptrdiff_t)strlen(said)), said);
	free(files);
	free(last);
	return LT_EINVAL;
}

lt_status quantize_program_run(struct quantizing *z, struct quantize_program *p, int64_t chunk)
{
	const void **input = calloc((size_t)p->n_input + 1, sizeof *input);
	if (!input)
		return lt_fail(z->ctx, LT_ENOMEM, "out of memory");
	for (int32_t i = 0; i < p->n_input; i++)
		input[i] = p->sample_bytes[i]
			? (const char *)p->input[i] + p->sample_bytes[i] * (size_t)(chunk * z->chunk) : p->input[i];
	lt_status s = lt_instance_run(p->instance, input, p->result);
	if (s == LT_EFAULT && strstr(lt_instance_message(p->instance), "out of range"))
		s = tell_row(z, p, input, chunk);
	else if (s)
		s = lt_fail(z->ctx, s, "%s", lt_instance_message(p->instance));
	free(input);
	return s;
}

int32_t quantize_program_result(const struct quantize_program *p, const char *name)
{
	return lt_program_find(p->program, LT_BINDING_RESULT, name);
}
