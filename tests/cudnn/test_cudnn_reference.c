/* test_cudnn_reference.c -- what plans are judged by, on the host: programs of random descriptions, whose results are
 * those of the loops that the calls stand for, run by `ref`, give or take what they say.
 */
#include <criterion/criterion.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "backends/cudnn/cudnn.h"
/* The threads of an element, as those of a device's subgroup. */
enum { LANES = 5 };
static pthread_barrier_t lanes_together;
#define REFERENCE_TOGETHER() ((void)pthread_barrier_wait(&lanes_together))
#include "backends/cudnn/reference.h"
#include "check/random/must.h"
#include "check/random/random.h"
#include "ir/op/op.h"
#include "program/program.h"
#include "tests/described.h"
#include "tests/keeper.h"
#include "tests/parsed.h"
#include "tests/random_layer.h"
#include "tests/random_product.h"

TestSuite(cudnn_reference, .timeout = 300);

enum { MOST = 400, SHARED = 3 };        /* elements of a result that are looked at; by several threads, too */
struct tally { int calls, elements, open, exact, reduced; };
/* One of the threads that share an element's sums. */
struct lane {
	const struct reference_program *p;
	const int64_t *at;
	char *room;
	struct reference_result *out;
	int64_t i;
};
static void *run_lane(void *arg)
{
	const struct lane *l = arg;
	reference_run(l->p, l->at, l->room, l->out, 1, 0, LANES, l->i);
	return NULL;
}

static void expect_near(double a, double b, double by)
{
	cr_expect(a == b || isinf(by) || (isnan(a) && isnan(b)) || fabs(a - b) <= by + 1e-12 * fabs(b),
		"%.17g, not %.17g, give or take %g", a, b, by);
}

/* All of them say what one thread says that has all terms; sums in another order.  What rounds on the way may go to the
 * other side of a half: by no more than the error that is said. */
static void expect_shared(const struct reference_program *p, const int64_t *at, const struct reference_result *one)
{
	struct reference_result out[LANES];
	struct lane lane[LANES];
	pthread_t thread[LANES];
	char *room = malloc(LANES * (size_t)reference_room_bytes(p) + 1);
	cr_assert_not_null(room);
	cr_assert_eq(pthread_barrier_init(&lanes_together, NULL, LANES), 0);
	for (int64_t i = 0; i < LANES; i++) {
		lane[i] = (struct lane){ p, at, room, out, i };
		cr_assert_eq(pthread_create(&thread[i], NULL, run_lane, &lane[i]), 0);
	}
	for (int i = 0; i < LANES; i++)
		(void)pthread_join(thread[i], NULL);
	for (int i = 0; i < LANES; i++) {
		cr_expect_eq(out[i].element, one->element);
		expect_near(out[i].value, one->value, one->error);
		expect_near(out[i].error, one->error, one->error / 64);
		expect_near(out[i].size, one->size, one->error);
		cr_expect(out[i].value == out[0].value || isnan(out[0].value));
	}
	(void)pthread_barrier_destroy(&lanes_together);
	free(room);
}

/* A kernel by `ref`: slots before it, after it. */
struct ran {
	const struct lt_tree *t;
	struct lt_slot slot[64], after[64];
	int64_t column[64];
};

static size_t slot_bytes(const struct lt_tree *t, int32_t slot)
{
	size_t most = 1;
	for (uint32_t b = 0; b < t->buffers.n; b++) {
		const struct lt_buffer *x = LT_AT(struct lt_buffer, t->buffers, b);
		const size_t bytes = (size_t)x->elems * LT_AT(struct lt_type, t->types, x->type)->bytes;
		most = x->slot == slot && bytes > most ? bytes : most;
	}
	return most;
}

static uint32_t slot_dtype(const struct lt_tree *t, int32_t slot)
{
	for (uint32_t b = 0; b < t->buffers.n; b++)
		if (LT_AT(struct lt_buffer, t->buffers, b)->slot == slot)
			return LT_AT(struct lt_type, t->types, LT_AT(struct lt_buffer, t->buffers, b)->type)->dtype;
	return LT_U8;
}

/* Quarters from -4 to 4, now and then nothing finite; whole numbers from 0 to 6. */
static void fill(struct lt_slot *s, uint32_t dtype, uint64_t *rng, bool odd)
{
	static const double odds[] = { NAN, INFINITY, -INFINITY, -0.0, 1e30 };
	const enum lt_dtype type = (enum lt_dtype)dtype;
	const int64_t n = s->bytes / lt__dtype_info(type)->bytes;
	for (int64_t i = 0; i < n; i++) {
		union lt_scalar x = { .i = type == LT_BOOL ? random_between(rng, 0, 1) : random_between(rng, 0, 6) };
		if (lt__dtype_info(type)->cls == LT_CLASS_FLOAT)
			x.f = odd && random_chance(rng, 2) ? odds[random_between(rng, 0, 4)] : (double)random_between(rng, -16, 16) / 4;
		lt__store(s->base, i, type, lt__round_to(x, type));
	}
}

static bool run_ref(struct ran *r, uint64_t seed, bool odd)
{
	static const struct lt_host host = { .size = sizeof host };
	const struct lt_backend *ref = lt_backend_find("ref");
	const struct lt_tree *t = r->t;
	uint64_t rng = seed * 2654435761u + 99;
	struct keeper k = keeper_new();
	struct lt_session *s;
	struct lt_object *o;
	struct lt_fault fault = { 0 };
	size_t bytes = 0, align;
	cr_assert(t->n_slot < 64 && t->n_param < 60);
	for (int32_t i = 0; i < t->n_slot; i++) {
		r->slot[i] = (struct lt_slot){ .bytes = (int64_t)slot_bytes(t, i) };
		r->slot[i].base = malloc((size_t)r->slot[i].bytes);
		fill(&r->slot[i], slot_dtype(t, i), &rng, odd);
	}
	for (int32_t i = 0; i < t->n_param; i++) {
		const struct lt_tparam *p = LT_AT(struct lt_tparam, t->params, i);
		r->column[i] = random_between(&rng, p->low, p->high);
		lt__store(r->slot[LT_AT(struct lt_buffer, t->buffers, p->buffer)->slot].base, p->element, LT_I64,
			(union lt_scalar){ .i = r->column[i] });
	}
	for (int32_t i = 0; i < t->n_slot; i++) {
		r->after[i] = r->slot[i];
		r->after[i].base = malloc((size_t)r->slot[i].bytes);
		memcpy(r->after[i].base, r->slot[i].base, (size_t)r->slot[i].bytes);
	}
	cr_assert_eq(ref->open(&host, NULL, &s, &k.diag), LT_OK, "%s", k.text);
	cr_assert_eq(ref->compile(s, &t, 1, &o, &k.diag), LT_OK, "%s", k.text);
	if (ref->need)
		ref->need(o, 1, &bytes, &align);
	void *workspace = malloc(bytes + 1);
	const struct lt_args args = { .size = sizeof args, .n_slot = (uint32_t)t->n_slot, .slot = r->after,
		.workspace = workspace, .n_thread = 1, .fault = &fault, .param = r->column };
	cr_assert_eq(ref->run(o, &args, &k.diag), LT_OK, "%s", k.text);
	free(workspace);
	ref->destroy(o);
	ref->close(s);
	return fault.n == 0;
}

static void ran_free(struct ran *r)
{
	for (int32_t i = 0; i < r->t->n_slot; i++) {
		free(r->slot[i].base);
		free(r->after[i].base);
	}
}

static int64_t row_value(const struct ran *r, int32_t row)
{
	const int64_t *x = r->t->rows + (int64_t)row * r->t->n_column;
	int64_t sum = x[0];
	for (int32_t k = 1; k < r->t->n_column; k++)
		sum += x[k] * r->column[k - 1];
	return sum;
}

static void operand_of(const struct ran *r, int32_t buffer, int32_t row, const struct lt_slot *slots,
	struct reference_operand *out)
{
	const struct lt_buffer *b = LT_AT(struct lt_buffer, r->t->buffers, buffer);
	*out = (struct reference_operand){ .at = (uintptr_t)slots[b->slot].base, .elems = b->elems,
		.first = -row_value(r, row),
		.type = (int32_t)LT_AT(struct lt_type, r->t->types, b->type)->dtype };
}

/* Whether a tree is one call and nothing else, of buffers that are slots. */
static const struct lt_call *only_call(const struct lt_tree *t)
{
	const struct lt_call *c = t->calls.n == 1 ? LT_AT(struct lt_call, t->calls, 0) : NULL;
	if (!c || c->n_result == 0 || LT_AT(struct lt_loop, t->loops, c->loop)->parent >= 0)
		return NULL;
	for (int32_t i = 0; i < t->n_loop; i++) {
		int32_t root = i;
		while (LT_AT(struct lt_loop, t->loops, root)->parent >= 0)
			root = LT_AT(struct lt_loop, t->loops, root)->parent;
		if (root != c->loop)
			return NULL;
	}
	for (int32_t i = 0; i < c->n_result; i++)
		if (LT_AT(struct lt_call_result, t->call_results, c->first_result + i)->op < 0)
			return NULL;
	return c;
}

/* Elements of all results by the program; false: one is outside of what it says. */
static bool agrees(const struct ran *r, const struct lt_call *c, uint64_t seed, bool tf32, struct tally *to, char *why,
	size_t bytes)
{
	struct reference_operand operand[64];
	const struct lt_cudnn_question q = { .tree = r->t, .call = c, .operand = operand, .column = r->column, .tf32 = tf32 };
	uint64_t rng = seed + 5;
	bool good = true;
	cr_assert(c->n_result + c->n_read <= 64);
	for (int32_t i = 0; i < c->n_result; i++) {
		const struct lt_call_result *x = LT_AT(struct lt_call_result, r->t->call_results, c->first_result + i);
		operand_of(r, x->buffer, x->row, r->after, &operand[i]);
	}
	for (int32_t i = 0; i < c->n_read; i++) {
		const struct lt_call_read *x = LT_AT(struct lt_call_read, r->t->call_reads, c->first_read + i);
		operand_of(r, x->buffer, x->row, r->slot, &operand[c->n_result + i]);
	}
	for (int32_t i = 0; i < c->n_result && good; i++) {
		struct reference_program *p;
		size_t n;
		const char *none = lt__cudnn_reference(&q, i, &p, &n);
		cr_assert_null(none, "%s", none);
		const struct lt_call_result *to_result = LT_AT(struct lt_call_result, r->t->call_results, c->first_result + i);
		const struct lt_call_op *op = LT_AT(struct lt_call_op, r->t->call_ops, c->first_op + to_result->op);
		char *room = malloc((size_t)reference_room_bytes(p) + 1);
		int64_t at[64] = { 0 };
		bool some = true;
		for (int32_t a = 0; a < c->n_axis; a++)
			some = some && (!(op->axes & ~op->reduced & UINT64_C(1) << a) || REFERENCE_EXTENTS(p)[a] > 0);
		for (int k = 0; k < MOST && good && some; k++) {
			struct reference_result x;
			for (int32_t a = 0; a < c->n_axis; a++)
				if ((op->axes & ~op->reduced) >> a & 1)
					at[a] = random_between(&rng, 0, REFERENCE_EXTENTS(p)[a] - 1);
			reference_run(p, at, room, &x, 1, 0, 1, 0);
			if (k < SHARED)
				expect_shared(p, at, &x);
			to->elements++;
			to->open += !(x.error < (double)INFINITY);
			to->exact += x.error == 0;
			good = reference_agrees(&x, operand[i].type) && !x.unknown;
			if (!good)
				(void)snprintf(why, bytes, "result %d, element %lld: %.17g, not %.17g, give or take %g%s", (int)i,
					(long long)x.element, x.got, x.value, x.error, x.unknown ? "; it is not known" : "");
		}
		for (int32_t o = 0; o < c->n_op; o++)
			to->reduced += LT_AT(struct lt_call_op, r->t->call_ops, c->first_op + o)->kind == LT_CALL_REDUCE;
		free(room);
		free(p);
	}
	return good;
}

static void try_program(const struct lt_program *p, uint64_t seed, struct tally *to)
{
	for (int32_t i = 0; i < p->nests.n; i++) {
		struct ran r = { .t = &p->nests.frozen[i].tree };
		const struct lt_call *c = only_call(r.t);
		char why[300] = "";
		if (!c)
			continue;
		if (run_ref(&r, seed, seed % 3 == 0)) {
			cr_assert(agrees(&r, c, seed, seed % 2, to, why, sizeof why), "seed %llu, nest %d: %s", (unsigned long long)seed,
				(int)i, why);
			to->calls++;
		}
		ran_free(&r);
	}
}

static lt_status whole(const struct lt_graph *g, const char *text, struct lt_looptree **out)
{
	(void)text;
	LT_TRY(lt_looptree_auto(g, NULL, out));
	return described_roots(out, (*out)->root, (*out)->last_root);
}

/* Seeds in turn: random nests, all of them in one call. */
static void try_graph(const struct lt_graph *g, uint64_t seed, struct tally *to)
{
	struct described_drawn d = { .rng = seed * 2654435761u + 1 };
	struct described_user user = { seed % 2 ? described_draw : whole, &d, seed / 2 % 2 };
	const struct lt_options o = { .size = sizeof o, .backends = "ref" };
	struct lt_program *p = NULL;
	if (described_compile(&user, g, &o, &p) == LT_OK)
		try_program(p, seed, to);
	lt_program_free(p);
}

static void say(const char *what, const struct tally *t)
{
	fprintf(stderr, "%s: %d calls, %d reductions, %d elements, %d of them exact, %d that may be anything\n", what,
		t->calls, t->reduced, t->elements, t->exact, t->open);
}

Test(cudnn_reference, random_layers)
{
	const uint64_t first = must_number("LT_SEED", 1), count = must_draws("LT_COUNT", 400);
	struct tally tally = { 0 };
	for (uint64_t seed = first; seed < first + count; seed++) {
		struct lt_context *ctx;
		struct lt_graph *g;
		char text[4000];
		cr_assert_eq(lt_context_new(&ctx), LT_OK);
		random_layer(ctx, seed, 3000, &g, text, sizeof text);
		if (getenv("LT_SHOW"))
			fprintf(stderr, "-- seed %llu\n%s\n", (unsigned long long)seed, text);
		try_graph(g, seed, &tally);
		lt_graph_free(g);
		lt_context_free(ctx);
	}
	say("layers", &tally);
	cr_expect(count < 100 || (tally.calls > 60 && tally.open < tally.elements / 10));
}

Test(cudnn_reference, random_products)
{
	const uint64_t first = must_number("LT_SEED", 1), count = must_draws("LT_COUNT", 400);
	struct tally tally = { 0 };
	for (uint64_t seed = first; seed < first + count; seed++) {
		struct lt_context *ctx;
		struct lt_graph *g;
		cr_assert_eq(lt_context_new(&ctx), LT_OK);
		(seed % 3 ? random_product : random_product_counted)(ctx, seed, &g);
		try_graph(g, seed, &tally);
		lt_graph_free(g);
		lt_context_free(ctx);
	}
	say("products", &tally);
	cr_expect(count < 100 || (tally.calls > 60 && tally.open < tally.elements / 10));
}

/* Whatever lies within the errors of operands, infinities and what may be 0 among them, has a result within that of the
 * operator's, or what is said is that it may be anything. */
static const struct { enum lt_opcode op; uint32_t opcode; } floats[] = {
#define ROW(name) { LT_OP_##name, LT_OPCODE_##name }
	ROW(add), ROW(sub), ROW(mul), ROW(div), ROW(mod), ROW(pow), ROW(min), ROW(max), ROW(neg), ROW(abs), ROW(sign),
	ROW(reciprocal), ROW(exp), ROW(log), ROW(sqrt), ROW(rsqrt), ROW(tanh), ROW(sigmoid), ROW(erf), ROW(sin), ROW(cos),
	ROW(floor), ROW(ceil), ROW(round)
#undef ROW
};

static struct reference_value draw_value(uint64_t *rng)
{
	static const double odds[] = { NAN, INFINITY, -INFINITY, 0, -0.0, 1, 90, -90 };
	struct reference_value x = { .f = random_chance(rng, 40) ? odds[random_between(rng, 0, 7)]
		: (double)random_between(rng, -64, 64) / 16 };
	if (isfinite(x.f) && random_chance(rng, 60))
		x.error = (double)random_between(rng, 1, 32) / 64;
	return x;
}

/* Near an end, the middle, 0 if it is among them, or anywhere; not the end itself, where a result is rounded beyond. */
static double draw_within(uint64_t *rng, const struct reference_value *x)
{
	const double at = (double)random_between(rng, -1, 1), zero = random_chance(rng, 50) ? 0.0 : -0.0;
	if (x->error == 0)
		return x->f;
	if (random_chance(rng, 30) && fabs(x->f) <= x->error)
		return zero;
	return x->f + 0.9999 * x->error * (random_chance(rng, 50) ? at : (double)random_between(rng, -1000, 1000) / 1000);
}

Test(cudnn_reference, operators_of_what_may_be)
{
	uint64_t rng = must_number("LT_SEED", 1);
	const int64_t n = (int64_t)must_draws("LT_COUNT", 3000);
	int open = 0, odd = 0;
	for (size_t i = 0; i < sizeof floats / sizeof *floats; i++)
		for (int64_t k = 0; k < n; k++) {
			const struct reference_step s = { .kind = REFERENCE_MAP, .opcode = (int32_t)floats[i].opcode, .type = LT_F32,
				.from = LT_F32, .unit = 0x1p-21 };
			const struct reference_value a = draw_value(&rng), b = draw_value(&rng), x = reference_map(&s, a, b, b);
			open += isinf(x.error);
			odd += !isfinite(x.f) && x.error == 0;
			for (int t = 0; t < 8; t++) {
				const union lt_scalar in[2] = { { .f = draw_within(&rng, &a) }, { .f = draw_within(&rng, &b) } };
				const struct reference_result r = { .value = x.f, .error = x.error,
					.got = lt__round_to(lt__op_value(floats[i].op, LT_F32, in), LT_F32).f };
				cr_expect(reference_agrees(&r, LT_F32), "%s of %g and %g, within %g of %g and %g of %g, is %g, not %g, give or "
					"take %g", lt__op_info(floats[i].op)->name, in[0].f, in[1].f, a.error, a.f, b.error, b.f, r.got, x.f, x.error);
			}
		}
	fprintf(stderr, "operators: %d results may be anything, %d are not finite\n", open, odd);
	cr_expect(odd > (int)n && open < (int)(n * (int64_t)(sizeof floats / sizeof *floats)) / 4);
}

/* What is chosen by what may be either may be either, a NaN too. */
Test(cudnn_reference, choices_of_what_may_be)
{
	static const double values[] = { NAN, INFINITY, -INFINITY, 0, 2.5, -1 };
	const struct reference_step s = { .kind = REFERENCE_MAP, .opcode = LT_OPCODE_select, .type = LT_F32, .from = LT_F32 };
	for (int i = 0; i < 6 * 6 * 2; i++) {
		const struct reference_value c = { .i = i % 2, .error = INFINITY }, a = { .f = values[i / 2 % 6] },
			b = { .f = values[i / 12] }, x = reference_map(&s, c, a, b);
		for (int either = 0; either < 2; either++) {
			const struct reference_result r = { .value = x.f, .error = x.error, .got = either ? a.f : b.f };
			cr_expect(reference_agrees(&r, LT_F32), "%g or %g is %g, give or take %g", a.f, b.f, x.f, x.error);
		}
	}
}

/* What a mask is written as: each number of each type, in its bytes; NaN is one. */
Test(cudnn_reference, numbers_are_written)
{
	static const uint32_t types[] = { LT_F16, LT_BF16, LT_F32 };
	for (size_t t = 0; t < sizeof types / sizeof *types; t++)
		for (uint32_t bits = 0; bits < 1u << 16; bits++) {
			const uint32_t all = types[t] == LT_F32 ? bits << 16 | bits : bits;
			char room[sizeof(uint32_t)] = { 0 };
			uint32_t got;
			const double x = lt__number_of_bits(all, types[t]).f;
			reference_store(room, 0, x, (int32_t)types[t]);
			memcpy(&got, room, sizeof got);
			const double y = lt__number_of_bits(got, types[t]).f;
			cr_assert(x == x ? got == all : y != y, "type %u: %x is written as %x", (unsigned)types[t], (unsigned)all,
				(unsigned)got);
		}
}
