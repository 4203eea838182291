/* test_constant_copies.c -- constants in another order are copied by the program before the first run: no kernel
 * is compiled for them, and each element is where its reader looks for it. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "lt/lt.h"
#include "program/nest/nest.h"
#include "program/run/run.h"

TestSuite(constant_copies, .timeout = 300);

/* y = select(x, w, w) of a constant w: w itself, of any type, read by something that is no copy. */
struct made { struct lt_context *ctx; struct lt_graph *g; struct lt_program *p; size_t bytes; };

static void made_graph(struct made *m, enum lt_dtype dtype, const int64_t extent[3])
{
	static const char *const name[] = { "a", "b", "c" };
	lt_var dim[3];
	cr_assert(!lt_context_new(&m->ctx) && !lt_graph_new(m->ctx, &m->g));
	m->bytes = lt__dtype_info(dtype)->bytes;
	for (int i = 0; i < 3; i++) {
		dim[i] = lt_graph_var(m->g, name[i], extent[i]);
		m->bytes *= (size_t)extent[i];
	}
	lt_node w = lt_graph_constant(m->g, "w", dtype, 3, dim), x = lt_graph_input(m->g, "x", LT_BOOL, 3, dim);
	lt_node y = lt_graph_op(m->g, "select", 3, (lt_node[]){ x, w, w });
	cr_assert_eq(lt_graph_result(m->g, "y", y), LT_OK, "%s", lt_context_message(m->ctx));
}

static void made_free(struct made *m)
{
	lt_program_free(m->p);
	lt_graph_free(m->g);
	lt_context_free(m->ctx);
}

/* Bytes that are a number of each type. */
static void fill(unsigned char *at, size_t bytes)
{
	for (size_t i = 0; i < bytes; i++)
		at[i] = (unsigned char)(((i * 2654435761u) >> 13) & 0x3f);
}

/* Whether a run gives the constant. */
static void check_run(struct made *m, const char *what)
{
	unsigned char *w = malloc(m->bytes), *x = calloc(m->bytes, 1), *y = malloc(m->bytes);
	struct lt_instance *r;
	cr_assert(w && x && y);
	fill(w, m->bytes);
	memset(y, 0xa5, m->bytes);
	cr_assert_eq(lt_program_bind(m->p, 0, w, 0), LT_OK, "%s: %s", what, lt_context_message(m->ctx));
	cr_assert_eq(lt_instance_new(m->p, &r), LT_OK, "%s: %s", what, lt_context_message(m->ctx));
	cr_assert_eq(lt_instance_run(r, (const void *const[]){ x }, (void *[]){ y }), LT_OK, "%s: %s", what,
		lt_instance_message(r));
	cr_assert(memcmp(y, w, m->bytes) == 0, "%s: an element is not where it is looked for", what);
	lt_instance_free(r);
	free(w);
	free(x);
	free(y);
}

static int count_tables(const struct lt_program *p)
{
	int n = 0;
	for (int32_t i = 0; i < p->nests.n; i++)
		n += p->nests.blocks[i] != NULL;
	return n;
}

/* Extents that steps do not divide, gaps, digits in any order, dims that change places, squares that are not whole. */
static const char *const layouts[] = { "", " layout c b a", " layout b c a", " layout c a b", " layout b/4 a c b",
	" layout c/16 a b c", " layout c/16 b/8 c b/2 a b", " layout a b/8 pad 5 c/32 c/4 b pad 3 c pad 2",
	" layout c/6 c/2 b a c", " layout b pad 1 a/64 c a" };
static const enum lt_dtype dtypes[] = { LT_U8, LT_U16, LT_F32, LT_U32, LT_F64, LT_U64 };
static const int64_t extents[][3] = { { 5, 37, 75 }, { 1, 16, 48 }, { 70, 3, 33 }, { 2, 1, 1 } };

Test(constant_copies, any_layout)
{
	for (size_t e = 0; e < sizeof extents / sizeof *extents; e++)
		for (size_t i = 0; i < sizeof layouts / sizeof *layouts; i++)
			for (size_t k = 0; k < sizeof dtypes / sizeof *dtypes; k++) {
				char apply[200], what[300];
				struct made m;
				(void)snprintf(apply, sizeof apply, "stage %%n2 %%w at root%s", layouts[i]);
				(void)snprintf(what, sizeof what, "type %d, %d x %d x %d,%s", (int)dtypes[k], (int)extents[e][0],
					(int)extents[e][1], (int)extents[e][2], layouts[i]);
				const struct lt_options o = { .size = sizeof o, .backends = "ref", .no_passes = 1, .apply = apply };
				made_graph(&m, dtypes[k], extents[e]);
				cr_assert_eq(lt_compile(m.ctx, m.g, &o, &m.p), LT_OK, "%s: %s", what, lt_context_message(m.ctx));
				cr_expect(count_tables(m.p) == 1 && m.p->kernels.n == 1, "%s: %d tables, %d kernels", what, count_tables(m.p),
					(int)m.p->kernels.n);
				check_run(&m, what);
				made_free(&m);
			}
}

/* Loops that a user has made parallel, or vectors, are run as they are. */
Test(constant_copies, loops_with_kinds_are_a_kernel)
{
	static const char apply[] = "stage %n2 %w at root layout c b a; parallel %w.copy/b";
	struct made m;
	const struct lt_options o = { .size = sizeof o, .backends = "ref", .no_passes = 1, .apply = apply };
	made_graph(&m, LT_F32, extents[0]);
	cr_assert_eq(lt_compile(m.ctx, m.g, &o, &m.p), LT_OK, "%s", lt_context_message(m.ctx));
	cr_expect(count_tables(m.p) == 0 && m.p->kernels.n == 2, "%d tables, %d kernels", count_tables(m.p),
		(int)m.p->kernels.n);
	check_run(&m, "parallel");
	made_free(&m);
}
