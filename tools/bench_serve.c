/* tools/bench_serve.c -- this program as a peer: a library, or a backend, after the lines of text that lt-bench
 * speaks. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "tools/bench.h"

static bool read_tensor(const json_t *o, struct bench_tensor *t, char *why)
{
	const char *name = json_string_value(json_object_get(o, "name"));
	const json_t *shape = json_object_get(o, "shape"), *e;
	size_t i;

	memset(t, 0, sizeof *t);
	if (!name || !json_is_array(shape) || json_array_size(shape) > BENCH_RANK)
		return bench_why(why, "a tensor of the case has no name, or no shape of at most %d dimensions", BENCH_RANK);
	t->name = name;
	t->constant = json_is_true(json_object_get(o, "constant"));
	t->rank = (int)json_array_size(shape);
	t->n = 1;
	json_array_foreach(shape, i, e) {
		t->shape[i] = (int64_t)json_integer_value(e);
		if (t->shape[i] < 1 || __builtin_mul_overflow(t->n, t->shape[i], &t->n) || t->n > INT64_C(1) << 36)
			return bench_why(why, "the shape of '%s' is none", name);
	}
	return true;
}

static bool read_data(const json_t *o, struct bench_tensor *t, char *why)
{
	const char *path = json_string_value(json_object_get(o, "file"));
	FILE *f = path ? fopen(path, "rb") : NULL;
	size_t n;

	if (!f)
		return bench_why(why, "the file of the input '%s' cannot be read: %s", t->name,
			path ? strerror(errno) : "the case names none");
	t->data = bench_buffer(t->n);
	n = fread(t->data, sizeof *t->data, (size_t)t->n, f);
	fclose(f);
	return n == (size_t)t->n || bench_why(why, "the file of the input '%s' is too short", t->name);
}

/* Names and texts in the case belong to the JSON object. */
bool bench_serve_case(const json_t *o, struct bench_case *c, int *threads, char *why)
{
	const json_t *in = json_object_get(o, "inputs"), *numbers = json_object_get(o, "numbers"), *e;
	const char *script = json_string_value(json_object_get(o, "script")),
		   *name = json_string_value(json_object_get(o, "name"));
	size_t i;

	memset(c, 0, sizeof *c);
	c->suite = json_string_value(json_object_get(o, "suite"));
	c->op = json_string_value(json_object_get(o, "op"));
	*threads = (int)json_integer_value(json_object_get(o, "threads"));
	if (!c->suite || !c->op || !name || *threads < 1)
		return bench_why(why, "the case lacks one of suite, name, op, threads");
	snprintf(c->name, sizeof c->name, "%s", name);
	c->script = script ? bench_format("%s", script) : NULL;
	/* Iterators go over objects that they do not change. */
	for (void *it = json_object_iter((json_t *)(uintptr_t)numbers); it && c->n_number < BENCH_NUMBERS;
	     it = json_object_iter_next((json_t *)(uintptr_t)numbers, it))
		bench_case_number(c, json_object_iter_key(it), (int64_t)json_integer_value(json_object_iter_value(it)));
	if (!json_is_array(in) || json_array_size(in) > BENCH_TENSORS)
		return bench_why(why, "the case has no list of at most %d inputs", BENCH_TENSORS);
	json_array_foreach(in, i, e) {
		if (!read_tensor(e, &c->in[c->n_in], why))
			return false;
		c->n_in++;
		if (!read_data(e, &c->in[i], why))
			return false;
	}
	return read_tensor(json_object_get(o, "result"), &c->out, why);
}

struct server { struct bench_contestant k; json_t *text; struct bench_case c; bool begun; };

static void answer(const char *word, const char *why)
{
	printf("%s %s\n", word, why);
}

static void end_case(struct server *s)
{
	if (s->begun)
		s->k.ops->end(&s->k);
	s->begun = false;
	bench_case_empty(&s->c);
	free(s->c.script);
	memset(&s->c, 0, sizeof s->c);
	json_decref(s->text);
	s->text = NULL;
}

static void take_case(struct server *s, const char *text)
{
	char why[BENCH_WHY];
	int threads;

	end_case(s);
	s->text = json_loads(text, 0, NULL);
	if (!s->text || !bench_serve_case(s->text, &s->c, &threads, why)) {
		answer("failed", s->text ? why : "the case is no JSON");
		return;
	}
	s->begun = true;
	switch (s->k.ops->begin(&s->k, &s->c, threads, why)) {
	case BENCH_READY: printf("ok %.9f\n", s->k.prepare); break;
	case BENCH_SKIP: answer("skip", why); break;
	default: answer("failed", why);
	}
}

static void take_sample(struct server *s, const char *text)
{
	char why[BENCH_WHY];
	double seconds;
	int64_t n = strtoll(text, NULL, 10);

	if (!s->begun || n < 1)
		answer("failed", s->begun ? "a sample is at least 1 run" : "there is no case");
	else if (s->k.ops->run(&s->k, n, &seconds, why))
		printf("%.9f\n", seconds > 0 ? seconds : 1e-9);
	else
		answer("failed", why);
}

static void take_result(struct server *s, const char *path)
{
	char why[BENCH_WHY];
	float *out;
	FILE *f;
	bool ok;

	if (!s->begun) {
		answer("failed", "there is no case");
		return;
	}
	out = bench_buffer(s->c.out.n);
	memset(out, 0xff, (size_t)s->c.out.n * sizeof *out);            /* NaN */
	ok = s->k.ops->result(&s->k, &s->c, out, why);
	f = ok ? fopen(path, "wb") : NULL;
	if (ok && (!f || fwrite(out, sizeof *out, (size_t)s->c.out.n, f) != (size_t)s->c.out.n))
		ok = bench_why(why, "the result cannot be written");
	if (f && fclose(f))
		ok = bench_why(why, "the result cannot be written");
	bench_buffer_free(out, s->c.out.n);
	if (ok)
		puts("ok");
	else
		answer("failed", why);
}

static void serve(struct server *s)
{
	char *line = NULL;
	size_t room = 0;

	printf("peer 1 %s\n", s->k.about);
	fflush(stdout);
	while (getline(&line, &room, stdin) > 0) {
		line[strcspn(line, "\n")] = 0;
		if (!strncmp(line, "case ", 5)) {
			take_case(s, line + 5);
		} else if (!strncmp(line, "sample ", 7)) {
			take_sample(s, line + 7);
		} else if (!strncmp(line, "result ", 7)) {
			take_result(s, line + 7);
		} else if (!strcmp(line, "end")) {
			end_case(s);
			puts("ok");
		} else if (!strcmp(line, "quit")) {
			break;
		} else {
			answer("failed", "the words are: case, sample, result, end, quit");
		}
		fflush(stdout);
	}
	end_case(s);
	free(line);
}

static bool open_backend(
	struct lt_context *ctx, struct bench_contestant *k, const struct bench_options *o, char *why, lt_status *st)
{
	*st = bench_looptree_check(ctx, o->serve);
	return *st ? bench_why(why, "%s", lt_context_message(ctx)) : bench_looptree_open(k, o->serve, NULL, o, why);
}

lt_status bench_serve(struct lt_context *ctx, const struct bench_options *o)
{
	struct server s = { .k = { .role = BENCH_OURS } };
	char why[BENCH_WHY] = "";
	lt_status st = LT_OK;
	bool ok = !strcmp(o->serve, "openblas") ? bench_openblas_open(&s.k, why)
		: !strcmp(o->serve, "onednn")   ? bench_onednn_open(&s.k, why)
						: open_backend(ctx, &s.k, o, why, &st);

	if (ok && !*s.k.about)
		snprintf(s.k.about, sizeof s.k.about, "%s Looptree %s", o->serve, lt_version());
	if (ok)
		serve(&s);
	else
		printf("absent %s\n", why);
	if (s.k.state)
		s.k.ops->close(&s.k);
	return st;
}
