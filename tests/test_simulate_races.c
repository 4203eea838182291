/* test_simulate_races.c -- random accesses of the threads of a block between random barriers: the simulator finds
 * a race, in every order of the threads, if two accesses are unordered in an enumeration of all pairs; and counts of
 * requests against the addresses, one by one.
 *
 * LT_SEED=N begins with another program.
 */
#include <criterion/criterion.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "check/random/must.h"
#include "tests/simulated.h"

TestSuite(simulate_races, .timeout = 120);

enum { THREADS = 16, SUBGROUP = 4, CELLS = 8, MAX_STEP = 14 };
enum step_kind { STEP_LOAD, STEP_STORE, STEP_SUBGROUP, STEP_BLOCK, STEP_PART };
/* What the threads do in one step: an access of cell (a thread + c) % CELLS by those whose number is from, from + by
 * ...; or a barrier of the subgroups in `mask`. */
struct step { enum step_kind kind; int a, c, from, by; unsigned mask; };
struct draw { int n; struct step step[MAX_STEP]; };

static int below(uint64_t *rng, int n) { return (int)(simulated_random(rng) % (uint64_t)n); }

static void draw_steps(uint64_t *rng, struct draw *d)
{
	d->n = 3 + below(rng, MAX_STEP - 3);
	for (int i = 0; i < d->n; i++) {
		int kind = below(rng, 10);
		struct step *s = &d->step[i];
		*s = (struct step){ kind < 3 ? STEP_LOAD : kind < 5 ? STEP_STORE : kind < 6 ? STEP_SUBGROUP
			: kind < 8 ? STEP_BLOCK : STEP_PART, below(rng, 4), below(rng, CELLS), below(rng, THREADS),
			1 + below(rng, THREADS), 1 + (unsigned)below(rng, 15) };
	}
}

static bool takes_part(const struct step *s, int thread)
{
	if (s->kind <= STEP_STORE)
		return thread >= s->from && (thread - s->from) % s->by == 0;
	return s->kind != STEP_PART || s->mask >> thread / SUBGROUP & 1;
}
static int cell_of(const struct step *s, int thread) { return (s->a * thread + s->c) % CELLS; }

/* Whether two threads wait for each other in a step. */
static bool meet(const struct step *s, int t, int u)
{
	return s->kind > STEP_STORE && takes_part(s, t) && takes_part(s, u)
		&& (s->kind != STEP_SUBGROUP || t / SUBGROUP == u / SUBGROUP);
}

/* reach[u]: step i of the thread is before what u does from there on; forward, step by step. */
static bool is_before(const struct draw *d, int thread, int i, int other, int j)
{
	bool reach[THREADS] = { false };
	reach[thread] = true;
	for (int k = i + 1; k < j; k++)
		for (int t = 0; t < THREADS; t++)
			for (int u = 0; u < THREADS && reach[t]; u++)
				if (meet(&d->step[k], t, u))
					reach[u] = true;
	return reach[other];
}

static bool has_race(const struct draw *d)
{
	for (int i = 0; i < d->n; i++)
		for (int j = i; j < d->n; j++)
			for (int t = 0; t < THREADS; t++)
				for (int u = 0; u < THREADS; u++) {
					const struct step *x = &d->step[i], *y = &d->step[j];
					if (t == u || x->kind > STEP_STORE || y->kind > STEP_STORE || !takes_part(x, t) || !takes_part(y, u)
						|| cell_of(x, t) != cell_of(y, u) || (x->kind == STEP_LOAD && y->kind == STEP_LOAD))
						continue;
					if (i == j || !is_before(d, t, i, u, j))
						return true;
				}
	return false;
}

static void text_add(char *text, size_t cap, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
static void text_add(char *text, size_t cap, const char *fmt, ...)
{
	size_t n = strlen(text);
	va_list list;
	va_start(list, fmt);
	(void)vsnprintf(text + n, cap - n, fmt, list);
	va_end(list);
}

static void print_step(char *text, size_t cap, const struct step *s, int i)
{
	int threads = 0;
	for (int t = 0; t < THREADS; t++)
		threads += takes_part(s, t);
	if (s->kind == STEP_SUBGROUP) {
		text_add(text, cap, "\tbarrier subgroup 0 threads %d\n", SUBGROUP);
	} else if (s->kind == STEP_BLOCK) {
		text_add(text, cap, "\tbarrier block 0 threads %d\n", THREADS);
	} else if (s->kind == STEP_PART) {
		text_add(text, cap, "\t%%s%d = shift_right i64 %u %%u\n\t%%b%d = and i64 %%s%d 1\n\t%%p%d = eq i64 %%b%d 1\n"
			"\tif %%p%d\n\t\tbarrier block %d threads %d\n\tend\n", i, s->mask, i, i, i, i, i, 1 + i % 15, threads);
	} else {
		text_add(text, cap, "\t%%d%d = sub i64 %%t %d\n\t%%m%d = mod i64 %%d%d %d\n\t%%z%d = eq i64 %%m%d 0\n"
			"\t%%g%d = greaterequal i64 %%t %d\n\t%%p%d = and mask %%z%d %%g%d\n\t%%e%d = mul i64 %%t %d\n"
			"\t%%f%d = add i64 %%e%d %d\n\t%%c%d = mod i64 %%f%d %d\n\tif %%p%d\n", i, s->from, i, i, s->by, i, i, i, s->from, i,
			i, i, i, s->a, i, i, s->c, i, i, CELLS, i);
		if (s->kind == STEP_LOAD)
			text_add(text, cap, "\t\t%%l%d = load f32 %s[%%c%d]\n", i, "CELL", i);
		else
			text_add(text, cap, "\t\tstore %s[%%c%d] %d\n", "CELL", i, i + 1);
		text_add(text, cap, "\tend\n");
	}
}

/* Cells in shared memory, or in a slot. */
static struct lt_kernel *kernel_of(const struct draw *d, bool shared)
{
	char text[16384] = "kernel 1\nname k\nworkspace 0 thread 0\nbuffer y f32[16] slot 0 align 4 exclusive written\n";
	text_add(text, sizeof text, "buffer CELL f32[%d] %s align 4 exclusive written\nregion host\n"
		"\tlaunch_grid 1 1 1 1 ()\nregion grid 1 blocks (1, 1, 1) threads (%d, 1, 1) subgroup %d shared 64\n"
		"\t%%t = thread 0\n\t%%u = subgroup 1\n\t%%first = less i64 %%t %d\n\tif %%first\n\t\tstore CELL[%%t] 0\n\tend\n"
		"\tbarrier block 0 threads %d\n", CELLS, shared ? "shared 0" : "slot 1", THREADS, SUBGROUP, CELLS, THREADS);
	for (int i = 0; i < d->n; i++)
		print_step(text, sizeof text, &d->step[i], i);
	text_add(text, sizeof text, "\tbarrier block 0 threads %d\n\tif %%first\n\t\t%%r = load f32 CELL[%%t]\n"
		"\t\tstore y[%%t] %%r\n\tend\n", THREADS);
	return simulated_kernel("%s", text);
}

Test(simulate_races, every_order_finds_what_an_enumeration_finds)
{
	uint64_t rng = must_number("LT_SEED", 1);
	int racy = 0, n = 400;
	for (int i = 0; i < n; i++) {
		struct draw d;
		float first[16] = { 0 };
		draw_steps(&rng, &d);
		bool want = has_race(&d);
		struct lt_kernel *k = kernel_of(&d, i % 2);
		racy += want;
		for (int order = 0; order < 8; order++) {
			struct lt_simulate_options o = { .seed = (uint64_t)(i * 8 + order),
				.order = order < 6 ? LT_SIMULATE_DRAWN : order == 6 ? LT_SIMULATE_FORWARD : LT_SIMULATE_BACKWARD };
			struct simulated s;
			float y[16] = { 0 }, cell[CELLS] = { 0 };
			simulated_run(k, (void *const[]){ y, cell }, &o, NULL, &s);
			cr_assert_eq(s.status, want ? LT_EDEVICE : LT_OK, "program %d, order %d: %s", i, order,
				want ? "no race is found" : s.diags.text);
			cr_assert(!want || s.found.check == LT_SIMULATE_threads, "program %d: %s", i, s.diags.text);
			if (order == 0)
				memcpy(first, y, sizeof y);
			cr_assert(want || memcmp(first, y, sizeof y) == 0, "program %d: order %d leaves something else", i, order);
		}
		lt_kernel_free(k);
	}
	(void)fprintf(stderr, "%d of %d programs have a race\n", racy, n);
	cr_assert(racy > n / 5 && racy < n - n / 5);
}

/* What is counted of an access x[(thread * a + trip * b + c) * lanes], for blocks of 64 threads in subgroups of 32. */
enum { COUNT_THREADS = 64, ITERATIONS = 3, ELEMS = 8192 };
struct wanted { int64_t requests, bytes, sectors, phases, cycles; };

static int element_at(const int *by, int lanes, int thread, int trip)
{
	return (thread * by[0] + trip * by[1] + by[2]) * lanes;
}

/* Each sector and each word in a table of its own. */
static void count_request(const int *by, int lanes, int warp, int trip, int piece, struct wanted *w)
{
	static uint8_t sector[ELEMS], word[ELEMS];
	int bytes = lanes > 4 ? 16 : lanes * 4, group = bytes > 8 ? 8 : bytes > 4 ? 16 : 32;
	memset(sector, 0, sizeof sector);
	w->requests++;
	for (int m = 0; m < 32; m++) {
		int at = element_at(by, lanes, warp * 32 + m, trip) * 4 + piece * 16;
		if (m % group == 0) {
			memset(word, 0, sizeof word);
			w->phases++;
		}
		w->bytes += bytes;
		for (int b = 0; b < bytes; b++) {
			w->sectors += !sector[(at + b) / 32];
			sector[(at + b) / 32] = 1;
			word[(at + b) / 4] = 1;
		}
		if (m % group == group - 1) {
			int most = 0;
			for (int bank = 0; bank < 32; bank++) {
				int words = 0;
				for (int i = bank; i < ELEMS; i += 32)
					words += word[i];
				most = words > most ? words : most;
			}
			w->cycles += most;
		}
	}
}

Test(simulate_races, requests_are_those_of_the_addresses)
{
	static const int lanes_of[] = { 1, 2, 4, 8 };
	uint64_t rng = must_number("LT_SEED", 1);
	static _Alignas(64) float x[ELEMS];
	for (int i = 0; i < 120; i++) {
		int lanes = lanes_of[i % 4], by[3] = { below(&rng, 64 / lanes), below(&rng, 9), below(&rng, 9) };
		bool shared = i / 4 % 2;
		char type[16] = "f32";
		struct wanted w = { 0 };
		struct simulated s;
		if (lanes > 1)
			(void)snprintf(type, sizeof type, "f32x%d", lanes);
		struct lt_kernel *k = simulated_kernel("kernel 1\nname k\nworkspace 0 thread 0\n"
			"buffer x f32[%d] %s align 32 exclusive\nregion host\n\tlaunch_grid 1 2 1 1 ()\n"
			"region grid 1 blocks (2, 1, 1) threads (16, 4, 1) subgroup 32 shared %d\n\t%%m = member\n\t%%s = subgroup 1\n"
			"\t%%a = mul i64 %%s 32\n\t%%t = add i64 %%a %%m\n\tloop %%j from 0 to %d\n\t\t%%b = mul i64 %%t %d\n"
			"\t\t%%c = mul i64 %%j %d\n\t\t%%d = add i64 %%b %%c\n\t\t%%e = add i64 %%d %d\n\t\t%%f = mul i64 %%e %d\n"
			"\t\t%%v = load %s x[%%f]\n\tend\n", ELEMS, shared ? "shared 0" : "slot 0", ELEMS * 4, ITERATIONS, by[0],
			by[1], by[2], lanes, type);
		for (int warp = 0; warp < 2; warp++)
			for (int trip = 0; trip < ITERATIONS; trip++)
				for (int piece = 0; piece < (lanes > 4 ? lanes / 4 : 1); piece++)
					count_request(by, lanes, warp, trip, piece, &w);
		struct lt_simulate_count c = { calloc(k->n_instruction, 8), calloc(k->n_instruction, 8),
			calloc(k->n_instruction, sizeof *c.request) };
		struct lt_simulate_options o = { .seed = (uint64_t)i, .blocks = i % 3 == 0 };
		simulated_run(k, (void *const[]){ x }, &o, &c, &s);
		cr_assert_eq(s.status, LT_OK, "%s", s.diags.text);
		uint32_t at = 0;
		while (k->instructions[at].opcode != LT_OPCODE_load)
			at++;
		const struct lt_simulate_request *r = &c.request[at];
		cr_expect_eq(c.runs[at], 2 * COUNT_THREADS * ITERATIONS);
		cr_expect_eq(shared ? r->shared_requests : r->requests, 2 * w.requests);
		cr_expect_eq(shared ? r->shared_bytes : r->bytes, 2 * w.bytes);
		cr_expect_eq(r->sectors, shared ? 0 : 2 * w.sectors, "%d %d lanes: %d sectors, not %d", by[0], lanes, (int)r->sectors,
			(int)(2 * w.sectors));
		cr_expect_eq(r->phases, shared ? 2 * w.phases : 0);
		cr_expect_eq(r->cycles, shared ? 2 * w.cycles : 0, "%d %d lanes: %d cycles, not %d", by[0], lanes, (int)r->cycles,
			(int)(2 * w.cycles));
		free(c.runs);
		free(c.lanes);
		free(c.request);
		lt_kernel_free(k);
	}
}

/* All four subgroups read a cell, three meet, and one of them writes: the reader that was away is found, whichever. */
Test(simulate_races, the_reader_that_does_not_wait_is_found)
{
	for (int away = 0; away < 4; away++)
		for (int order = 0; order < 3; order++) {
			int writer = away == 3 ? 0 : 12;
			struct draw d = { 3, { { STEP_LOAD, 0, 5, 0, 4, 0 }, { STEP_PART, 0, 0, 0, 1, 15u & ~(1u << away) },
				{ STEP_STORE, 0, 5, writer, THREADS, 0 } } };
			struct lt_simulate_options o = { .seed = 3, .order = (enum lt_simulate_order)order };
			struct simulated s;
			float y[16] = { 0 }, cell[CELLS] = { 0 };
			struct lt_kernel *k = kernel_of(&d, away % 2);
			cr_assert(has_race(&d));
			simulated_run(k, (void *const[]){ y, cell }, &o, NULL, &s);
			cr_expect(s.status == LT_EDEVICE && s.found.check == LT_SIMULATE_threads, "%d is away, order %d", away, order);
			lt_kernel_free(k);
		}
}
