/* test_bind_fill.c -- constants that a function gives in pieces: what programs compute of them, and how much of
 * them the host holds. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>
#include "tests/device_run.h"

TestSuite(bind_fill, .init = device_register, .timeout = 120);

/* A little more than a piece, and no multiple of anything. */
enum { N = 5000003, PIECE = 16 << 20 };

static const char text[] =
	"graph 1\nvar n 5000003\nvar m 7\n%x = f32[n] input \"x\"\n%w = f32[n] constant \"w\"\n"
	"%u = f32[m] constant \"unused\"\n%y = f32[n] mul %x, %w\nresult \"y\" = %y\n";

struct seen { int calls, fail_at; size_t next, max; void *to; bool moved; };

static float weight(size_t i) { return (float)(i % 1009) - 500; }

static lt_status give(void *user, size_t offset, size_t bytes, void *to)
{
	struct seen *s = user;
	cr_expect_eq(offset, s->next, "%zu after %zu", offset, s->next);
	if (++s->calls == s->fail_at)
		return LT_EIO;
	s->next = offset + bytes;
	s->max = bytes > s->max ? bytes : s->max;
	s->moved = s->moved || (s->to && to != s->to);
	s->to = to;
	for (size_t i = 0; i < bytes / sizeof (float); i++)
		((float *)to)[i] = weight(offset / sizeof (float) + i);
	return LT_OK;
}

static void expect_products(struct lt_instance *r)
{
	float *x = malloc(N * sizeof *x), *y = malloc(N * sizeof *y);
	for (size_t i = 0; i < N; i++)
		x[i] = (float)(i % 7);
	cr_assert_eq(lt_instance_run(r, (const void *[]){ x }, (void *[]){ y }), LT_OK, "%s", lt_instance_message(r));
	for (size_t i = 0; i < N; i++)
		cr_assert_eq(y[i], x[i] * weight(i), "%zu: %g", i, (double)y[i]);
	free(x);
	free(y);
}

static struct seen run_with(const char *backend, int64_t *device_bytes)
{
	struct lt_graph *g = parsed(text);
	struct lt_program *p = compiled(g, backend);
	struct seen s = { 0 };
	struct lt_stats st = { .size = sizeof st };
	struct lt_instance *r;

	cr_assert_eq(lt_program_bind_fill(p, lt_program_find(p, LT_BINDING_CONSTANT, "w"), give, &s), LT_OK);
	cr_expect_eq(s.calls, 0, "nobody has asked yet");
	r = instance_of(p);
	expect_products(r);
	lt_program_stats(p, &st);
	*device_bytes = st.device_bytes;
	lt_instance_free(r);
	/* It is made once. */
	const int calls = s.calls;
	r = instance_of(p);
	cr_expect_eq(s.calls, calls);
	lt_instance_free(r);
	lt_program_free(p);
	close_graph(g);
	cr_expect_eq(s.next, N * sizeof (float));
	return s;
}

Test(bind_fill, the_host_has_one_piece_of_what_a_device_reads)
{
	int64_t bytes;
	const struct seen s = run_with("devone", &bytes);

	cr_expect_eq(s.calls, 2);
	cr_expect_leq(s.max, PIECE);
	cr_expect_not(s.moved, "all pieces take the same memory");
	cr_expect_geq(bytes, (int64_t)(N * sizeof (float)));
}

Test(bind_fill, the_host_has_all_of_what_it_reads)
{
	int64_t bytes;
	const struct seen s = run_with("ref", &bytes);

	cr_expect(s.moved, "each piece has its place");
	cr_expect_eq(bytes, 0);
}

Test(bind_fill, what_the_function_answers_is_told)
{
	const char *const backend[] = { "ref", "devone" };

	for (int i = 0; i < 2; i++) {
		struct lt_graph *g = parsed(text);
		struct lt_program *p = compiled(g, backend[i]);
		struct seen s = { .fail_at = 2 };
		struct lt_instance *r;

		cr_assert_eq(lt_program_bind_fill(p, 0, give, &s), LT_OK);
		cr_expect_eq(lt_instance_new(p, &r), LT_EIO);
		cr_expect_str_eq(lt_instance_message(r), "constant 'w': bytes 16777216 to 20000012 could not be given: the "
			"function of lt_program_bind_fill answers LT_EIO");
		lt_instance_free(r);
		/* The next one asks again, from the beginning. */
		s = (struct seen){ 0 };
		r = instance_of(p);
		expect_products(r);
		lt_instance_free(r);
		cr_expect_eq(lt_program_bind_fill(p, 0, give, &s), LT_EINVAL);
		cr_expect(strstr(lt_context_message(g->ctx), "'w' is bound too late"), "%s", lt_context_message(g->ctx));
		lt_program_free(p);
		close_graph(g);
	}
}

Test(bind_fill, the_last_that_is_given_counts)
{
	struct lt_graph *g = parsed("graph 1\nvar n 2\n%x = f32[n] input \"x\"\n%w = f32[n] constant \"w\"\n"
		"%y = f32[n] mul %x, %w\nresult \"y\" = %y\n");
	struct lt_program *p = compiled(g, "ref");
	const float w[] = { 3, 5 }, x[] = { 1, 2 };
	struct seen s = { 0 };
	float y[2];

	cr_assert_eq(lt_program_bind_fill(p, 0, give, &s), LT_OK);
	cr_assert_eq(lt_program_bind(p, 0, w, 0), LT_OK);
	struct lt_instance *r = instance_of(p);
	cr_assert_eq(lt_instance_run(r, (const void *[]){ x }, (void *[]){ y }), LT_OK);
	cr_expect(y[0] == 3 && y[1] == 10 && s.calls == 0);
	lt_instance_free(r);
	lt_program_free(p);
	p = compiled(g, "ref");
	cr_assert_eq(lt_program_bind(p, 0, w, 1), LT_OK);
	cr_assert_eq(lt_program_bind_fill(p, 0, give, &s), LT_OK);
	r = instance_of(p);
	cr_assert_eq(lt_instance_run(r, (const void *[]){ x }, (void *[]){ y }), LT_OK);
	cr_expect(y[0] == weight(0) && y[1] == 2 * weight(1) && s.calls == 1);
	cr_expect_eq(lt_program_bind_fill(p, 1, give, &s), LT_EINVAL);
	lt_instance_free(r);
	lt_program_free(p);
	close_graph(g);
}
