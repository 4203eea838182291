/* test_many.c -- views of many pieces: right, and in proportion to the pieces.
 *
 * LT_SEED=N begins with another seed, LT_GRAPHS=N draws another number of graphs.
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "ir/pass/pass.h"
#include "program/nest/nest.h"
#include "check/random/must.h"
#include "tests/device.h"
#include "tests/random_many.h"
#include "tests/run_graph.h"

TestSuite(many, .timeout = 900);

/* -- values -- */

struct seen { int64_t programs, copies, blocks, moved, kernels; };

static lt_status compile(
	void *user, const struct lt_graph *g, const struct lt_options *options, struct lt_program **out)
{
	struct seen *s = user;
	LT_TRY(lt_compile(g->ctx, g, options, out));
	s->programs++;
	s->kernels += (*out)->kernels.n;
	for (int32_t i = 0; i < (*out)->nests.n; i++)
		if ((*out)->nests.blocks[i]) {
			const struct lt_assigned *assigned = &(*out)->nests.assigned;
			lt_node n = (*out)->nests.frozen[i].node[0];
			s->copies++;
			s->blocks += (*out)->nests.blocks[i]->n;
			for (lt_node x = 0; x < (*out)->tree->graph->n_node; x++)
				s->moved += x != n && assigned->location[x].storage == assigned->location[n].storage;
		}
	return LT_OK;
}

struct data { const struct lt_graph *g; uint64_t seed; };
static void fill(void *user, int run, lt_node n, void *out)
{
	const struct data *d = user;
	random_many_fill(d->g, d->seed, run, n, out);
}

/* Each graph on each of the backends, NULL after them, with passes and without. */
static void compare(uint64_t first, uint64_t n_graph, const char *const *backend, struct seen *seen)
{
	struct run_tally tally = { 0 };
	for (uint64_t seed = first; seed < first + n_graph; seed++) {
		struct run_counter counter;
		struct lt_context *ctx;
		struct run_want want;
		char why[1000] = "";
		cr_assert_eq(run_context(&counter, &ctx), LT_OK);
		struct lt_graph *g = random_many_new(ctx, seed);
		cr_assert(g, "seed %llu: %s", (unsigned long long)seed, lt_context_message(ctx));
		struct data d = { g, seed };
		run_want_new(g, 2, fill, &d, &want);
		cr_assert_eq(want.status, LT_OK, "seed %llu: the oracle: %s", (unsigned long long)seed, want.message);
		for (int i = 0; backend[i / 2]; i++) {
			const struct run_config config = {
				.backends = backend[i / 2], .no_passes = i % 2, .compile = compile, .user = seen
			};
			cr_assert(run_compare(&want, g, &config, &counter, NULL, &tally, why, sizeof why), "seed %llu on %s, %s passes: %s",
				(unsigned long long)seed, config.backends, i % 2 ? "without" : "with", why);
		}
		run_want_free(&want);
		lt_graph_free(g);
		lt_context_free(ctx);
		cr_assert_eq(counter.bytes, 0, "seed %llu: %lld bytes are not given back", (unsigned long long)seed,
			(long long)counter.bytes);
	}
	fprintf(stderr,
		"%s: %llu graphs of views with many pieces: %lld elements compared, %lld copies of %lld blocks, %lld "
		"sources in their place\n",
		backend[0], (unsigned long long)n_graph, (long long)tally.elements, (long long)seen->copies,
		(long long)seen->blocks, (long long)seen->moved);
}

Test(many, random_on_ref)
{
	struct seen seen = { 0 };
	uint64_t n = must_draws("LT_GRAPHS", 300);
	compare(must_number("LT_SEED", 1), n, (const char *const[]){ "ref", NULL }, &seen);
	cr_expect(n < 100 || (seen.copies > 100 && seen.blocks > 2000 && seen.moved > 100),
		"the graphs hardly have what they are for");
}

Test(many, random_on_cpu)
{
	struct seen seen = { 0 };
	compare(must_number("LT_SEED", 5001), must_draws("LT_GRAPHS", 300) / 20, (const char *const[]){ "cpu", NULL }, &seen);
}

/* Runs of neighbours are copied on the device, all else on the host, where it crosses to. */
Test(many, random_on_devices)
{
	static const char *const backend[] = { "devone", "devone:refuse=add,ref", "ref,devone",
		"devone:refuse=neg;vector,devtwo", NULL };
	struct seen seen = { 0 };
	device_register();
	compare(must_number("LT_SEED", 9001), must_draws("LT_GRAPHS", 300) / 10, backend, &seen);
	cr_assert_str_eq(device_one.wrong, "", "%s", device_one.wrong);
	cr_assert_str_eq(device_two.wrong, "", "%s", device_two.wrong);
	cr_expect(must_draws("LT_GRAPHS", 300) < 300 || device_one.within > 100, "%lld copies within the device",
		(long long)device_one.within);
	fprintf(stderr, "devone: %lld copies in, %lld out, %lld within\n", (long long)device_one.to_device,
		(long long)device_one.to_host, (long long)device_one.within);
}

/* -- large blocks -- */

enum { LARGE = 18, ROWS = 1300, COLUMNS = 301 };

/* Blocks of more than a megabyte are cut, and threads share what there is; along the rows each is one run, along the
 * columns one a row. */
Test(many, large_blocks_are_shared)
{
	float *in[LARGE], *out = malloc(sizeof *out * LARGE * ROWS * COLUMNS);
	for (int k = 0; k < LARGE; k++) {
		in[k] = malloc(sizeof **in * ROWS * COLUMNS);
		for (int64_t i = 0; i < ROWS * COLUMNS; i++)
			in[k][i] = (float)(i + k * 1000003 % 7919);
	}
	for (uint32_t run = 0; run < 4; run++) {
		int32_t axis = run % 2;
		const struct lt_options options = { .size = sizeof options, .backends = "ref", .n_thread = run < 2 ? 1 : 3 };
		struct lt_context *ctx;
		struct lt_graph *g;
		struct lt_program *p;
		struct lt_instance *r;
		lt_node x[LARGE];
		cr_assert(!lt_context_new(&ctx) && !lt_graph_new(ctx, &g));
		for (int k = 0; k < LARGE; k++) {
			char name[8];
			snprintf(name, sizeof name, "x%d", k);
			x[k] = lt_graph_input(g, name, LT_F32, 2, (lt_var[]){ lt_graph_var(g, NULL, ROWS), lt_graph_var(g, NULL, COLUMNS) });
		}
		cr_assert_eq(lt_graph_result(g, "y", lt_graph_concat(g, axis, LARGE, x)), LT_OK, "%s", lt_context_message(ctx));
		cr_assert_eq(lt_compile(ctx, g, &options, &p), LT_OK, "%s", lt_context_message(ctx));
		cr_assert(p->nests.blocks[0] && p->nests.blocks[0]->n >= 2 * LARGE, "%d blocks",
			p->nests.blocks[0] ? (int)p->nests.blocks[0]->n : -1);
		cr_assert_eq(lt_instance_new(p, &r), LT_OK);
		memset(out, 0xff, sizeof *out * LARGE * ROWS * COLUMNS);
		cr_assert_eq(lt_instance_run(r, (const void *const *)in, (void *[]){ out }), LT_OK, "%s", lt_instance_message(r));
		for (int k = 0; k < LARGE; k++)
			for (int64_t i = 0; i < ROWS; i++)
				cr_assert(!memcmp(out + (axis ? (i * LARGE + k) * COLUMNS : (k * ROWS + i) * COLUMNS),
						  in[k] + i * COLUMNS, sizeof *out * COLUMNS),
					"axis %d, tensor %d, row %d", (int)axis, k, (int)i);
		lt_instance_free(r);
		lt_program_free(p);
		lt_graph_free(g);
		lt_context_free(ctx);
	}
	for (int k = 0; k < LARGE; k++)
		free(in[k]);
	free(out);
}
