/* serve.c -- this program as a peer: a library, or a backend, after the lines of text that lt-bench
 * speaks. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "tools/bench/net.h"

static lt_status read_tensor(struct lt_context *ctx, const json_t *o, struct bench_tensor *t)
{
	const char *name = json_string_value(json_object_get(o, "name"));
	const json_t *shape = json_object_get(o, "shape"), *e;
	size_t i;

	memset(t, 0, sizeof *t);
	if (!name || !json_is_array(shape) || json_array_size(shape) > BENCH_RANK)
		return lt_fail(ctx, LT_EINVAL, "a tensor of the case has no name, or no shape of at most %d dimensions", BENCH_RANK);
	t->name = name;
	t->constant = json_is_true(json_object_get(o, "constant"));
	t->rank = (int)json_array_size(shape);
	t->n = 1;
	json_array_foreach(shape, i, e) {
		t->shape[i] = (int64_t)json_integer_value(e);
		if (t->shape[i] < 1 || __builtin_mul_overflow(t->n, t->shape[i], &t->n) || t->n > INT64_C(1) << 36)
			return lt_fail(ctx, LT_EINVAL, "the shape of '%s' is none", name);
	}
	return LT_OK;
}

static lt_status read_data(struct lt_context *ctx, const json_t *o, struct bench_tensor *t)
{
	const char *path = json_string_value(json_object_get(o, "file"));
	FILE *f = path ? fopen(path, "rb") : NULL;
	size_t n;

	if (!f)
		return lt_fail(ctx, LT_EIO, "the file of the input '%s' cannot be read: %s", t->name,
			path ? strerror(errno) : "the case names none");
	t->data = machine_buffer(t->n);
	n = fread(t->data, sizeof *t->data, (size_t)t->n, f);
	fclose(f);
	return n == (size_t)t->n ? LT_OK : lt_fail(ctx, LT_EINVAL, "the file of the input '%s' is too short", t->name);
}

/* The model, with the inputs that the files of the case hold. */
static lt_status serve_net(struct lt_context *ctx, const json_t *o, struct bench_case *c)
{
	const json_t *in = json_object_get(o, "inputs"), *e;
	size_t i;

	LT_TRY(bench_net_served(ctx, o, &c->net));
	LT_TRY(bench_case_open(ctx, c));
	json_array_foreach(in, i, e) {
		const char *name = json_string_value(json_object_get(e, "name")),
			   *path = json_string_value(json_object_get(e, "file"));
		const int32_t at = name ? model_binding_index(&c->net->binding[LT_BINDING_INPUT], name, strlen(name)) : -1;
		FILE *f = at >= 0 && path ? fopen(path, "rb") : NULL;
		size_t n;

		if (!f)
			return lt_fail(ctx, LT_EINVAL, "the input '%s' of the model is none, or its file cannot be read",
				name ? name : "");
		n = fread(c->net->input[at].data, 1, c->net->input[at].bytes, f);
		fclose(f);
		if (n != c->net->input[at].bytes)
			return lt_fail(ctx, LT_EINVAL, "the file of the input '%s' is too short", name);
	}
	return LT_OK;
}

/* Names and texts in the case belong to the JSON object. */
lt_status bench_serve_case(struct lt_context *ctx, const json_t *o, struct bench_case *c, int *threads)
{
	const json_t *in = json_object_get(o, "inputs"), *numbers = json_object_get(o, "numbers"), *e;
	const char *script = json_string_value(json_object_get(o, "script")),
		   *name = json_string_value(json_object_get(o, "name"));
	size_t i;

	memset(c, 0, sizeof *c);
	c->flops = -1;
	c->suite = json_string_value(json_object_get(o, "suite"));
	c->op = json_string_value(json_object_get(o, "op"));
	*threads = (int)json_integer_value(json_object_get(o, "threads"));
	if (!c->suite || !c->op || !name || *threads < 1)
		return lt_fail(ctx, LT_EINVAL, "the case lacks one of suite, name, op, threads");
	snprintf(c->name, sizeof c->name, "%s", name);
	if (json_is_string(json_object_get(o, "model")))
		return serve_net(ctx, o, c);
	c->script = script ? lt__must_format("%s", script) : NULL;
	/* Iterators go over objects that they do not change. */
	for (void *it = json_object_iter((json_t *)(uintptr_t)numbers); it && c->n_number < BENCH_NUMBERS;
	     it = json_object_iter_next((json_t *)(uintptr_t)numbers, it))
		bench_case_number(c, json_object_iter_key(it), (int64_t)json_integer_value(json_object_iter_value(it)));
	if (!json_is_array(in) || json_array_size(in) > BENCH_TENSORS)
		return lt_fail(ctx, LT_EINVAL, "the case has no list of at most %d inputs", BENCH_TENSORS);
	json_array_foreach(in, i, e) {
		LT_TRY(read_tensor(ctx, e, &c->in[c->n_in]));
		c->n_in++;
		LT_TRY(read_data(ctx, e, &c->in[i]));
	}
	return read_tensor(ctx, json_object_get(o, "result"), &c->out);
}

struct server {
	struct lt_context *ctx;
	struct bench_contestant k;
	json_t *text;
	struct bench_case c;
	bool begun;
};

static void end_case(struct server *s)
{
	if (s->begun)
		s->k.ops->end(&s->k);
	s->begun = false;
	bench_case_empty(&s->c);
	bench_net_free(s->c.net);
	free(s->c.script);
	memset(&s->c, 0, sizeof s->c);
	json_decref(s->text);
	s->text = NULL;
}

/* A sentence of several lines, such as a compiler's, is its first one: the others would answer what is asked next. */
static void answer(const char *word, const char *why)
{
	printf("%s %.*s\n", word, (int)strcspn(why, "\n"), why);
}

/* Each of these prints what it answers, or fails. */
static lt_status take_case(struct server *s, const char *text)
{
	int threads;
	lt_status st;

	end_case(s);
	s->text = json_loads(text, 0, NULL);
	if (!s->text)
		return lt_fail(s->ctx, LT_ESYNTAX, "the case is no JSON");
	if (s->k.role == BENCH_OTHER && json_object_get(s->text, "model"))
		return lt_fail(s->ctx, LT_EUNSUPPORTED, "no models here");
	LT_TRY(bench_serve_case(s->ctx, s->text, &s->c, &threads));
	st = s->k.ops->begin(&s->k, &s->c, threads);
	s->begun = !st;
	if (st)
		s->k.ops->end(&s->k);
	else
		printf("ok %.9f\n", s->k.prepare);
	return st;
}

static lt_status take_sample(struct server *s, const char *text)
{
	double seconds;
	int64_t n = strtoll(text, NULL, 10);

	if (!s->begun || n < 1)
		return lt_fail(s->ctx, LT_EINVAL, s->begun ? "a sample is at least 1 run" : "there is no case");
	LT_TRY(s->k.ops->run(&s->k, n, &seconds));
	printf("%.9f\n", seconds > 0 ? seconds : 1e-9);
	return LT_OK;
}

static bool write_results(FILE *f, const struct bench_net *net, const char *from)
{
	bool whole = true;

	for (int32_t i = 0; i < net->binding[LT_BINDING_RESULT].n && whole; i++) {
		const size_t bytes = bench_net_result_bytes(net, i);

		whole = fwrite(from + net->at[i], 1, bytes, f) == bytes;
	}
	return whole;
}

static lt_status write_result(struct server *s, float *out, const char *path)
{
	const size_t n = (size_t)s->c.out.n;
	FILE *f;
	bool whole;

	memset(out, 0xff, n * sizeof *out);             /* NaN */
	LT_TRY(s->k.ops->result(&s->k, &s->c, out));
	f = fopen(path, "wb");
	whole = f && (s->c.net ? write_results(f, s->c.net, (const char *)out) : fwrite(out, sizeof *out, n, f) == n);
	if (f && fclose(f))
		whole = false;
	return whole ? LT_OK : lt_fail(s->ctx, LT_EIO, "the result cannot be written to '%s': %s", path, strerror(errno));
}

static lt_status take_result(struct server *s, const char *path)
{
	float *out;
	lt_status st;

	if (!s->begun)
		return lt_fail(s->ctx, LT_EINVAL, "there is no case");
	out = machine_buffer(s->c.out.n);
	st = write_result(s, out, path);
	machine_buffer_free(out);
	if (!st)
		puts("ok");
	return st;
}

static lt_status take_line(struct server *s, const char *line)
{
	if (!strncmp(line, "case ", 5))
		return take_case(s, line + 5);
	if (!strncmp(line, "sample ", 7))
		return take_sample(s, line + 7);
	if (!strncmp(line, "result ", 7))
		return take_result(s, line + 7);
	if (strcmp(line, "end") != 0)
		return lt_fail(s->ctx, LT_EINVAL, "the words are: case, sample, result, end, quit");
	end_case(s);
	puts("ok");
	return LT_OK;
}

static void serve(struct server *s)
{
	char why[BENCH_WHY], *line = NULL;
	size_t cap = 0;
	lt_status st;

	printf("peer 1 %s\n", s->k.about);
	fflush(stdout);
	while (getline(&line, &cap, stdin) > 0) {
		line[strcspn(line, "\n")] = 0;
		if (!strcmp(line, "quit"))
			break;
		st = take_line(s, line);
		if (st) {
			bench_reason(s->ctx, st, why);
			answer(bench_answer(s->k.role, st) == BENCH_SKIP ? "skip" : "failed", why);
		}
		fflush(stdout);
	}
	end_case(s);
	free(line);
}

static lt_status open_served(struct server *s, const struct bench_options *o)
{
	s->k.role = BENCH_OTHER;
	if (!strcmp(o->serve, "openblas"))
		return bench_openblas_open(s->ctx, &s->k);
	if (!strcmp(o->serve, "onednn"))
		return bench_onednn_open(s->ctx, &s->k);
	s->k.role = BENCH_OURS;
	snprintf(s->k.about, sizeof s->k.about, "%s Looptree %s", o->serve, lt_version());
	LT_TRY(bench_looptree_check(s->ctx, o->serve));
	return bench_looptree_open(s->ctx, &s->k, o->serve, NULL, NULL, o);
}

lt_status bench_serve(struct lt_context *ctx, const struct bench_options *o)
{
	struct server s = { .ctx = ctx };
	lt_status st = open_served(&s, o);

	if (st)
		answer("absent", lt_context_message(ctx));
	else
		serve(&s);
	if (s.k.state)
		s.k.ops->close(&s.k);
	return s.k.role == BENCH_OURS ? st : LT_OK;
}
