/* case.c -- making a case: its tensors, its script, its numbers. */
#include <fnmatch.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/hash.h"
#include "tools/bench/net.h"
#include "tools/common/common.h"

struct bench_case *bench_case_add(
	struct bench_cases *l, const char *suite, const char *group, const char *op, const char *name)
{
	struct bench_case *c;

	l->at = lt__must_grow(l->at, l->n, &l->cap, sizeof *l->at);
	c = memset(&l->at[l->n++], 0, sizeof *c);
	c->suite = suite;
	c->group = group;
	c->op = op;
	snprintf(c->name, sizeof c->name, "%s", name);
	return c;
}

void bench_case_number(struct bench_case *c, const char *name, int64_t value)
{
	c->number[c->n_number].name = name;
	c->number[c->n_number++].value = value;
}

int64_t bench_case_get(const struct bench_case *c, const char *name)
{
	for (int i = 0; i < c->n_number; i++)
		if (!strcmp(c->number[i].name, name))
			return c->number[i].value;
	return -1;
}

static void set_shape(struct bench_tensor *t, int rank, const int64_t *shape)
{
	t->rank = rank;
	t->n = 1;
	for (int i = 0; i < rank; i++) {
		t->shape[i] = shape[i];
		t->n *= shape[i];
	}
}

struct bench_tensor *bench_case_in(
	struct bench_case *c, const char *name, bool constant, int rank, const int64_t *shape)
{
	struct bench_tensor *t = &c->in[c->n_in++];

	t->name = name;
	t->constant = constant;
	set_shape(t, rank, shape);
	return t;
}

void bench_case_out(struct bench_case *c, int rank, const int64_t *shape)
{
	c->out.name = "result";
	set_shape(&c->out, rank, shape);
}

enum { HEAD = 1024 };

/* The statements that declare the inputs, $1, $2 ...; the first `n` of them have so many rows, or (open) at most so
 * many elements along the case's open axis. */
static void script_head(const struct bench_case *c, int n, int64_t rows, bool open, char out[HEAD])
{
	int at = open ? snprintf(out, HEAD, "rows = InputTensor(" BENCH_ROWS ", int64, []);\n") : 0;
	const int axis = open ? c->open_axis : 0;

	for (int i = 0; i < c->n_in; i++) {
		const struct bench_tensor *t = &c->in[i];

		at += snprintf(out + at, HEAD - (size_t)at, "$%d = %sTensor(%s, float32, [", i + 1,
			t->constant ? "Constant" : "Input", t->name);
		for (int k = 0; k < t->rank; k++)
			at += snprintf(out + at, HEAD - (size_t)at, "%s%s%lld", k ? ", " : "", open && i < n && k == axis ? "rows <= " : "",
				(long long)(i < n && k == axis ? rows : t->shape[k]));
		at += snprintf(out + at, HEAD - (size_t)at, "]);\n");
	}
}

/* fmt goes on after the statements that declare the inputs. */
void bench_case_script(struct bench_case *c, const char *fmt, ...)
{
	char body[2048], head[HEAD] = "";
	va_list args;

	script_head(c, 0, 0, false, head);
	va_start(args, fmt);
	vsnprintf(body, sizeof body, fmt, args);
	va_end(args);
	c->body = strlen(head);
	c->script = lt__must_format("%s%s", head, body);
}

char *bench_case_of_rows(const struct bench_case *c, int64_t rows)
{
	char head[HEAD] = "";

	script_head(c, c->by_rows, rows, false, head);
	return lt__must_format("%s%s", head, c->script + c->body);
}

int bench_case_open_inputs(const struct bench_case *c)
{
	return c->net || !c->script ? 0 : c->n_open ? c->n_open : c->by_rows;
}

char *bench_case_of_open(const struct bench_case *c, int64_t bound)
{
	char head[HEAD] = "";

	script_head(c, bench_case_open_inputs(c), bound, true, head);
	return lt__must_format("%s%s", head, c->script + c->body);
}

static uint64_t hash(uint64_t h, const char *text) { return lt__hash_more(h, text, strlen(text)); }

static float next(uint64_t *state)
{
	uint64_t z = *state += 0x9e3779b97f4a7c15u;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
	z = (z ^ z >> 27) * 0x94d049bb133111ebu;
	return (float)((int32_t)(z >> 40) - (1 << 23)) * 0x1p-23f;
}

void bench_case_fill(struct bench_case *c)
{
	for (int i = 0; i < c->n_in; i++) {
		struct bench_tensor *t = &c->in[i];
		uint64_t state = hash(hash(hash(LT_HASH_BEGIN, c->suite), c->name), t->name);

		t->data = machine_buffer(t->n);
		for (int64_t k = 0; k < t->n; k++)
			t->data[k] = next(&state);
	}
}

lt_status bench_case_open(struct lt_context *ctx, struct bench_case *c)
{
	if (!c->net) {
		bench_case_fill(c);
		return LT_OK;
	}
	LT_TRY(bench_net_open(ctx, c->net));
	bench_net_describe(c);
	return LT_OK;
}

void bench_case_empty(struct bench_case *c)
{
	if (c->net)
		bench_net_close(c->net);
	for (int i = 0; i < c->n_in; i++) {
		struct bench_tensor *t = &c->in[i];

		machine_buffer_free(t->data);
		t->data = NULL;
		if (t->file)
			unlink(t->file);
		free(t->file);
		t->file = NULL;
	}
}

lt_status bench_case_write(struct lt_context *ctx, struct bench_case *c)
{
	if (c->net)
		return bench_net_write(ctx, c->net);
	for (int i = 0; i < c->n_in; i++) {
		struct bench_tensor *t = &c->in[i];
		FILE *f;
		bool ok;

		if (t->file)
			continue;
		LT_TRY(lt__tmp_file(ctx, &t->file));
		f = fopen(t->file, "wb");
		ok = f && fwrite(t->data, sizeof *t->data, (size_t)t->n, f) == (size_t)t->n;
		if (f && fclose(f))
			ok = false;
		if (!ok)
			return lt_fail(ctx, LT_EIO, "the input '%s' cannot be written for peers; $TMPDIR names the folder", t->name);
	}
	return LT_OK;
}

void bench_cases_free(struct bench_cases *l)
{
	for (int i = 0; i < l->n; i++) {
		bench_case_empty(&l->at[i]);
		bench_net_free(l->at[i].net);
		free(l->at[i].llama);
		free(l->at[i].script);
	}
	free(l->at);
	memset(l, 0, sizeof *l);
}

double bench_case_work(const struct bench_case *c)
{
	return (double)(c->bound == MACHINE_FLOPS ? c->flops : c->bytes);
}

bool bench_case_fits(const struct bench_case *c, const char *filter)
{
	char path[128];
	bool fits = !filter;

	snprintf(path, sizeof path, "%s/%s", c->suite, c->name);
	while (filter && *filter && !fits) {
		const size_t n = strcspn(filter, ",");
		char *one = lt__must_format("%.*s", (int)n, filter);

		fits = strpbrk(one, "*?[") ? fnmatch(one, path, 0) == 0 : *one && strstr(path, one) != NULL;
		filter += n + (filter[n] == ',');
		free(one);
	}
	return fits;
}

int bench_device_sets(const struct machine_device *d, const struct bench_case *c)
{
	int64_t bytes = 4 * c->out.n;

	for (int i = 0; i < c->n_in; i++)
		bytes += 4 * c->in[i].n;
	return machine_device_sets(d, bytes);
}
