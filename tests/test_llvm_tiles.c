/* test_llvm_tiles.c -- the backend llvm where vectors lie across memory: squares that are turned in
 * registers, beside the backend ref on the same trees; and where that may not be done.
 */
#include <stdbool.h>
#include "built.h"
#include "tests/llvm_plugin.h"
#include "check/random/must.h"
#include "check/random/random.h"
#include "treerun.h"

TestSuite(llvm_tiles, .init = llvm_load, .timeout = 120);

/* Bytes that are a number of the type each: small whole ones. */
static void fill(struct bench *n, const struct tb *b, int slot, int i)
{
	enum lt_dtype t = (enum lt_dtype)b->type[b->buffer[i].type].dtype;
	for (int64_t e = 0; e < b->buffer[i].elems; e++) {
		int64_t v = (e * 7 + e / 11 + i) % (t == LT_BOOL ? 2 : 101);
		lt__store(data(n, slot), e, t, lt__dtype_info(t)->cls == LT_CLASS_FLOAT ? tb_f((double)v) : tb_i(v));
	}
}

struct text { char at[1 << 18]; size_t n; };

static void append(void *user, const char *text, size_t bytes)
{
	struct text *t = user;
	bytes = bytes < sizeof t->at - 1 - t->n ? bytes : sizeof t->at - 1 - t->n;
	memcpy(t->at + t->n, text, bytes);
	t->at[t->n += bytes] = '\0';
}

/* The tree on a backend: all its memory, one buffer after the other. */
enum { MAX_BYTES = 1 << 20 };
static size_t results(const char *backend, const char *config, struct tb *b, unsigned char *to, struct text *source)
{
	struct bench n;
	size_t bytes = 0;
	open_bench_with(&n, backend, config, b);
	for (int i = 0; i < b->n_buffer; i++)
		if (b->buffer[i].slot >= 0 && b->buffer[i].role != LT_OUTPUT && b->buffer[i].alias_of < 0)
			fill(&n, b, b->buffer[i].slot, i);
	for (int i = 0; i < b->n_buffer; i++)
		if (b->buffer[i].alias_of >= 0)
			n.slot[b->buffer[i].slot] = n.slot[b->buffer[b->buffer[i].alias_of].slot];
	cr_assert_eq(run(&n, (uint32_t)b->tree.n_slot), LT_OK, "%s: %s", backend, n.k.text);
	for (int s = 0; s < b->tree.n_slot; s++) {
		cr_assert_lt(bytes + (size_t)n.slot[s].bytes, MAX_BYTES);
		memcpy(to + bytes, data(&n, s), (size_t)n.slot[s].bytes);
		bytes += (size_t)n.slot[s].bytes;
	}
	if (source) {
		source->n = 0;
		cr_expect_eq(n.backend->dump(n.object, LT_DUMP_SOURCE, append, source), LT_OK);
	}
	close_bench(&n);
	return bytes;
}

static const char *const configs[] = { "", "cpu=x86-64-v3", "cpu=x86-64", "cpu=x86-64-v4" };
enum { N_CONFIG = 4 };

/* Whether llvm, for one of the processors that this machine can be, does as ref does.  source: may be NULL. */
static bool agrees(struct tb *b, const char *config, struct text *source)
{
	static unsigned char want[MAX_BYTES], got[MAX_BYTES];
	(void)tb_done(b);
	size_t bytes = results("ref", "", b, want, NULL);
	config = lt_backend_find("llvm")->score(config, NULL) > 0 ? config : "";
	return results("llvm", config, b, got, source) == bytes && memcmp(want, got, bytes) == 0;
}

/* Copies are around the lanes, the other way about, or around them with two copies of another loop between.  Each bit
 * tells one of these. COUNTED: a serial loop of more trips in the place of the copies. */
enum { LANES_OUTSIDE = 1, WRITTEN_ACROSS = 2, BETWEEN = 4, KINDS = 8, COUNTED = 8 };
enum { TRIP_COUNT = 9 };                    /* more than are emitted as copies */
struct square { int copies, lanes; };

/* For the trips of i0, and 2 of i2 if there is something between: y[lane + (lanes + 1) copy] = x[(copies + 3) lane +
 * copy], or the other way about.  bounds: of the loop of copies; guards: of the statement; chooses: of its operand,
 * which is 3 else (t a float).  i1 and i3 are copies and lanes; `reducing`: each is added to y[lane]. */
static struct tb *square_tree(int kind, struct square q, enum lt_dtype t, enum lt_dtype to, bool reducing,
	const char *guards, const char *chooses, const char *bounds)
{
	char far[64], near[64];
	struct tb *b = tb_new("square", 1, 4, 0);
	bool outside = !(kind & LANES_OUTSIDE), writes = kind & WRITTEN_ACROSS;
	int between = kind & BETWEEN ? 2 : 1, counted = kind & COUNTED ? LT_SERIAL : LT_UNROLL;
	q.copies = kind & COUNTED ? 8 * q.copies + 5 : q.copies;
	int32_t l0 = tb_loop(b, -1, LT_SERIAL, TRIP_COUNT, NULL, "i");
	int32_t l1 = tb_loop(b, l0, outside ? counted : LT_VECTOR, outside ? q.copies : q.lanes, outside ? bounds : NULL, "j");
	int32_t l2 = tb_loop(b, l1, LT_UNROLL, between, NULL, "k");
	int32_t l3 = tb_loop(b, l2, outside ? LT_VECTOR : counted, outside ? q.lanes : q.copies, outside ? NULL : bounds, "l");
	const char *copy = outside ? "i1" : "i3", *lane = outside ? "i3" : "i1";
	int pitch = q.copies + 3, width = q.lanes + 1, far_elems = pitch * (q.lanes + TRIP_COUNT),
	    near_elems = width * (q.copies + TRIP_COUNT);
	(void)snprintf(far, sizeof far, "%d*i0 + %d*i2 + %d*%s + %s", pitch, far_elems, pitch, lane, copy);
	(void)snprintf(near, sizeof near, "%d*i0 + %d*i2 + %d*%s + %s", reducing ? 0 : width, reducing ? 0 : near_elems,
		reducing ? 0 : width, copy, lane);
	far_elems *= between;
	near_elems *= between;
	int32_t x = tb_buffer(b, "x", t, LT_INPUT, -1, writes ? near_elems : far_elems);
	int32_t y = tb_buffer(b, "y", to, reducing ? LT_STATE : LT_OUTPUT, -1, writes ? far_elems : near_elems);
	int32_t p = tb_buffer(b, "p", LT_I64, LT_INPUT, -1, 1);         /* its number: 2 */
	tb_param(b, "p", p, 0, 0, 100);
	int32_t from = tb_access(b, x, writes ? near : far), dest = tb_access(b, y, writes ? far : near);
	if (reducing)
		tb_stmt(b, LT_REDUCE, tb_op(b, "add", t, t), l3, dest, guards, "y", 1)->reducing = l0;
	else
		tb_stmt(b, LT_MAP, tb_op(b, t == to ? "copy" : "cast", t, to), l3, dest, guards, "y", 1);
	tb_pieces(b, t);
	tb_piece(b, tb_reads(from), chooses);
	if (chooses)
		tb_piece(b, tb_is(t, tb_f(3)), NULL);
	return b;
}

static int count(const char *text, const char *what)
{
	int n = 0;
	for (; (text = strstr(text, what)) != NULL; text++)
		n++;
	return n;
}

static const struct square squares[] = { { 16, 16 }, { 8, 8 }, { 4, 4 }, { 32, 32 }, { 13, 11 }, { 5, 24 }, { 20, 7 },
	{ 2, 3 }, { 3, 64 }, { 40, 2 } };
enum { N_SQUARE = sizeof squares / sizeof *squares };

Test(llvm_tiles, squares_of_every_type)
{
	for (enum lt_dtype t = 1; t < LT_NDTYPE; t++)
		for (int q = (int)t % 2; q < N_SQUARE; q += 2) {
			int number = (int)t * N_SQUARE + q, kind = (q / 2 + (int)t) % KINDS;
			const char *config = configs[(q + (int)t / 2) % N_CONFIG];
			enum lt_dtype to = number % 5 == 4 ? LT_F32 : t;
			struct tb *b = square_tree(kind, squares[q], t, to, false, NULL, NULL, NULL);
			cr_expect(agrees(b, config, NULL), "type %d to %d, %d copies of %d lanes, kind %d, %s", (int)t,
				(int)to, squares[q].copies, squares[q].lanes, kind, config);
			free(b);
		}
}

Test(llvm_tiles, squares_that_are_read_across_are_turned_in_registers)
{
	static struct text source;
	static const struct square square = { 16, 16 };
	for (int kind = 0; kind < KINDS; kind++)
		for (int c = kind & 1; c < N_CONFIG; c += 2) {
			struct tb *b = square_tree(kind, square, LT_F32, LT_F32, false, NULL, NULL, NULL);
			cr_expect(agrees(b, configs[c], &source));
			free(b);
			if (kind & WRITTEN_ACROSS)      /* only loads are */
				continue;
			cr_expect_geq(count(source.at, "shufflevector"), 64, "%s", source.at);
			cr_expect_eq(count(source.at, "insertelement") + count(source.at, "extractelement"), 0, "%s", source.at);
			cr_expect_eq(count(source.at, "load float") + count(source.at, "store float"), 0, "%s", source.at);
		}
}

/* Serial loops of more trips than are emitted as copies, as many as a run-time scalar says, or none. */
Test(llvm_tiles, counted_loops)
{
	static const char *const bounds[] = { NULL, "20*p0 + 3", "p0 - 7" };
	for (int kind = 0; kind < KINDS; kind++)
		for (int q = kind % 3; q < N_SQUARE; q += 3) {
			enum lt_dtype t = q % 2 ? LT_F32 : LT_I16;
			struct tb *b = square_tree(kind | COUNTED, squares[q], t, t, false, NULL, NULL, bounds[(q + kind) / 3 % 3]);
			cr_expect(agrees(b, configs[q % N_CONFIG], NULL), "%d copies of %d lanes, kind %d",
				squares[q].copies, squares[q].lanes, kind);
			free(b);
		}
}

/* y[lane] += x[lane, copy]: read across, added up in vectors. */
Test(llvm_tiles, sums_of_rows)
{
	static struct text source;
	for (int q = 0; q < N_SQUARE; q++)
		for (int kind = 0; kind < 2; kind++) {
			struct tb *b = square_tree(q % 3 ? kind : kind | COUNTED, squares[q], LT_F32, LT_F32, true, NULL, NULL, NULL);
			cr_expect(agrees(b, configs[q % N_CONFIG], &source), "%d copies of %d lanes, kind %d",
				squares[q].copies, squares[q].lanes, kind);
			cr_expect(q % 3 == 0 || q > 2 || count(source.at, "insertelement") == 0);
			free(b);
		}
}

/* Where not every trip does the same: guards that hold in all lanes or in some, of the statement or of a piece. */
Test(llvm_tiles, some_trips_only)
{
	static const char *const guards[] = { "6 - i1", "6 - i3", "2*i0 - i1", "9 - i1 - i3", "i0 - 1" };
	static const struct square q = { 8, 8 };
	for (int g = 0; g < 5; g++)
		for (int kind = 0; kind < BETWEEN; kind++)
			for (int operand = 0; operand < 2; operand++) {
				struct tb *b = square_tree(kind, q, LT_F32, LT_F32, false, operand ? NULL : guards[g],
					operand ? guards[g] : NULL, NULL);
				cr_expect(agrees(b, "verify", NULL), "guard %s of %s, kind %d", guards[g],
					operand ? "the operand" : "the statement", kind);
				free(b);
			}
}

/* Copies of j, of n and m between, of vectors in them: what is written across, and read across, is apart in each trip
 * of n, or the same, or some of it is the same as in another trip of j or n or m, or in another vector, of other lanes
 * perhaps. */
static const struct between { int copies, n, m, lanes; const char *x, *y;
} betweens[] = {
	{ 16, 3, 1, 8, "19*i0 + i3 + 400*i1", "i0 + 21*i3" },
	{ 16, 3, 1, 16, "19*i0 + i3 + 400*i1", "i0 + 21*i3" },
	{ 16, 3, 2, 8, "19*i0 + i3 + 400*i1 + 7*i2", "i0 + 21*i3" },
	{ 40, 3, 1, 16, "19*i0 + i3 + 90*i1", "i0 + 43*i3" },
	{ 9, 3, 1, 11, "19*i0 + i3 + 200*i1", "i0 + 14*i3" },
	{ 8, 3, 1, 8, "i0 + 17*i3 + 200*i1", "i0 + 21*i3" },
	{ 8, 3, 1, 8, "19*i0 + i3 + 200*i1", "i0 + i1 + 21*i3" },
	{ 8, 3, 1, 8, "19*i0 + i3 + 200*i1", "i0 + 7*i1 + 21*i3" },
	{ 8, 3, 2, 8, "19*i0 + i3 + 200*i1", "i0 + 20*i1 + i2 + 21*i3" },
	{ 16, 3, 1, 8, "19*i0 + i3 + 400*i1", "i0 + 8*i1 + 32*i3" },
	{ 8, 2, 2, 8, "19*i0 + i3 + 200*i1 + 450*i2", "i0 + 8*i1 + 8*i2 + 32*i3" },
	{ 8, 2, 1, 8, "19*i0 + i3 + 200*i1", "i0 - 21*i1 + 21*i3 + 21" },
	{ 2, 3, 1, 12, "i0 + 5*i3 + 40*i1", "i0 + 16*i3 + 200*i1" },
	{ 2, 3, 1, 12, "19*i0 + i3 + 40*i1", "i0 + 4*i3 + 32*i1" },
	{ 4, 3, 1, 20, "19*i0 + i3 + 90*i1", "i0 + 4*i3 + 64*i1" },
	{ 8, 3, 1, 16, "19*i0 + i3 + 200*i1", "i0 + 8*i3 + 64*i1" },
};
enum { N_BETWEEN = sizeof betweens / sizeof *betweens };

static struct tb *between_tree(const struct between *k, bool counted)
{
	struct tb *b = tb_new("between", 0, 4, 0);
	int32_t l = tb_loop(b, -1, counted ? LT_SERIAL : LT_UNROLL, counted ? 4 * k->copies + 1 : k->copies, NULL, "j");
	l = tb_loop(b, l, LT_UNROLL, k->n, NULL, "n");
	l = tb_loop(b, l, LT_UNROLL, k->m, NULL, "m");
	l = tb_loop(b, l, LT_VECTOR, k->lanes, NULL, "i");
	int32_t x = tb_buffer(b, "x", LT_F32, LT_INPUT, -1, 5000), y = tb_buffer(b, "y", LT_F32, LT_STATE, -1, 5000);
	tb_stmt(b, LT_MAP, tb_op(b, "neg", LT_F32, LT_F32), l, tb_access(b, y, k->y), NULL, "y", 1);
	tb_read(b, tb_access(b, x, k->x));
	return b;
}

Test(llvm_tiles, copies_of_other_loops_between)
{
	for (int k = 0; k < N_BETWEEN; k++)
		for (int c = 0; c < N_CONFIG; c++) {
			bool counted = (c + k) & 1;
			struct tb *b = between_tree(&betweens[k], counted);
			cr_expect(agrees(b, configs[c], NULL), "number %d, %s, %s", k, configs[c], counted ? "counted" : "copies");
			free(b);
		}
}

/* A loop that is counted in each of the copies, in which there are copies of its own for another statement: it is
 * another loop in each. */
Test(llvm_tiles, a_counted_loop_between)
{
	for (int c = 0; c < N_CONFIG; c++) {
		struct tb *b = tb_new("counted", 0, 4, 0);
		int32_t l = tb_loop(b, tb_loop(b, -1, LT_UNROLL, 7, NULL, "j"), LT_SERIAL, 16, NULL, "k");
		l = tb_loop(b, tb_loop(b, l, LT_UNROLL, 2, NULL, "n"), LT_VECTOR, 12, NULL, "i");
		int32_t x = tb_buffer(b, "x", LT_F32, LT_INPUT, -1, 2000), y = tb_buffer(b, "y", LT_F32, LT_STATE, -1, 4000);
		int32_t z = tb_buffer(b, "z", LT_F32, LT_STATE, -1, 4000), neg = tb_op(b, "neg", LT_F32, LT_F32);
		tb_stmt(b, LT_MAP, neg, l, tb_access(b, y, "16*i0 + i1 + 114*i3"), NULL, "y", 1);
		tb_read(b, tb_access(b, x, "8*i0 + 4*i1 + 33*i3"));
		tb_stmt(b, LT_MAP, neg, l, tb_access(b, z, "i0 + 17*i1 + 17*i2 + 281*i3"), NULL, "z", 2);
		tb_read(b, tb_access(b, x, "32*i0 + 8*i2 + i3"));
		cr_expect(agrees(b, configs[c], NULL), "%s", configs[c]);
		free(b);
	}
}

/* Loops of any kind around a statement or two, distances of any kind.  lanes: their loop, where no two lanes may meet;
 * -1: they may. */
enum { LOOPS = 4 };
static void draw_row(uint64_t *rng, const int64_t *trip_count, int lanes, char *row, size_t bytes)
{
	static const int64_t distances[] = { 0, 0, 1, 1, 1, 2, 4, 8, 8, 16, 17, 32, 33 };
	int64_t constant = 0, reach = 0, by[LOOPS];
	for (int l = 0; l < LOOPS; l++) {
		by[l] = l == lanes ? 0 : distances[random_between(rng, 0, 12)];
		reach += by[l] * (trip_count[l] - 1);
		by[l] = random_chance(rng, 15) ? -by[l] : by[l];
		constant -= by[l] < 0 ? by[l] * (trip_count[l] - 1) : 0;
	}
	if (lanes >= 0)
		by[lanes] = reach + 1 + random_between(rng, 0, 5);
	(void)snprintf(row, bytes, "%lld*i0 + %lld*i1 + %lld*i2 + %lld*i3 + %lld", (long long)by[0], (long long)by[1],
		(long long)by[2], (long long)by[3], (long long)constant);
}

static struct tb *drawn_tree(uint64_t *rng)
{
	static const int few[] = { 1, 2, 3, 4, 7, 8, 9, 16, 17 };
	struct tb *b = tb_new("drawn", 0, LOOPS, 0);
	int32_t l = -1;
	int64_t trip_count[LOOPS], all = 1;
	int lanes = (int)random_between(rng, 0, LOOPS - 1);
	for (int i = 0; i < LOOPS; i++) {
		trip_count[i] = i == lanes ? random_between(rng, 2, 24) : few[random_between(rng, 0, all > 16 ? 2 : 8)];
		all *= trip_count[i];
		l = tb_loop(b, l, i == lanes ? LT_VECTOR : random_chance(rng, 70) ? LT_UNROLL : LT_SERIAL, trip_count[i], NULL, "i");
	}
	enum { ELEMS = 1 << 15 };
	int32_t x = tb_buffer(b, "x", LT_F32, LT_INPUT, -1, ELEMS), y = tb_buffer(b, "y", LT_F32, LT_STATE, -1, ELEMS);
	int32_t z = tb_buffer(b, "z", LT_F32, LT_STATE, -1, ELEMS), neg = tb_op(b, "neg", LT_F32, LT_F32);
	for (int i = 0; i < 2; i++) {
		char from[100], to[100];
		draw_row(rng, trip_count, -1, from, sizeof from);
		draw_row(rng, trip_count, lanes, to, sizeof to);
		tb_stmt(b, LT_MAP, neg, l, tb_access(b, i ? z : y, to), NULL, "y", i + 1);
		tb_read(b, tb_access(b, x, from));
	}
	return b;
}

Test(llvm_tiles, drawn_distances)
{
	for (uint64_t seed = must_number("LT_SEED", 1), end = seed + must_draws("LT_COUNT", 10); seed < end; seed++) {
		uint64_t rng = seed;
		struct tb *b = drawn_tree(&rng);
		cr_expect(agrees(b, configs[seed % N_CONFIG], NULL), "seed %llu", (unsigned long long)seed);
		free(b);
	}
}

enum { CLASHES = 10 };
/* Memory that is written while it would be read early, or looked at while it would be written late. */
static struct tb *clash_tree(int clash)
{
	struct tb *b = tb_new("clash", 0, 2, clash == 4 || clash == 5);
	int32_t l0 = tb_loop(b, -1, LT_UNROLL, 8, NULL, "j"), l1 = tb_loop(b, l0, LT_VECTOR, 8, NULL, "i");
	int32_t x = tb_buffer(b, "x", LT_F32, LT_STATE, -1, 300), y = tb_buffer(b, "y", LT_F32, LT_OUTPUT, -1, 300);
	int32_t z = tb_buffer(b, "z", LT_F32, LT_OUTPUT, -1, 300), neg = tb_op(b, "neg", LT_F32, LT_F32);
	if (b->tree.n_div)
		tb_div(b, "i0", 3, l0);
	int32_t across = tb_access(b, x, clash == 4 ? "i0 + 9*i1 + 90*d0" : "i0 + 9*i1"), lying = tb_access(b, y, "8*i0 + i1");
	switch (clash) {
	case 0:                                         /* x[j + 1, i] is written in trip j */
		tb_stmt(b, LT_MAP, neg, l1, lying, NULL, "y", 1);
		tb_read(b, across);
		tb_stmt(b, LT_MAP, neg, l1, tb_access(b, x, "i0 + 9*i1 + 1"), NULL, "x", 2);
		tb_read(b, lying);
		break;
	case 1: case 6:                                 /* and under another name, in the same slot or in another one */
		b->buffer[z].alias_of = x;
		if (clash == 1)
			b->buffer[z].slot = b->buffer[x].slot, b->tree.n_slot--;
		tb_stmt(b, LT_MAP, neg, l1, lying, NULL, "y", 1);
		tb_read(b, across);
		tb_stmt(b, LT_MAP, neg, l1, tb_access(b, z, "i0 + 9*i1 + 1"), NULL, "z", 2);
		tb_read(b, lying);
		break;
	case 2:                                         /* y is written across, and read in the trip after it */
		tb_stmt(b, LT_MAP, neg, l1, tb_access(b, y, "i0 + 9*i1"), NULL, "y", 1);
		tb_read(b, tb_access(b, x, "8*i0 + i1"));
		tb_stmt(b, LT_MAP, neg, l1, tb_access(b, z, "8*i0 + i1"), NULL, "z", 2);
		tb_read(b, tb_access(b, y, "i0 + 9*i1"));
		break;
	case 3:                                         /* rows that overlap: the last trip counts */
		tb_stmt(b, LT_MAP, neg, l1, tb_access(b, y, "i0 + 2*i1"), NULL, "y", 1);
		tb_read(b, tb_access(b, x, "8*i0 + i1"));
		break;
	case 4:                                         /* trips that do not stand side by side, for a quotient */
		tb_stmt(b, LT_MAP, neg, l1, lying, NULL, "y", 1);
		tb_read(b, across);
		break;
	case 5:
		tb_stmt(b, LT_MAP, neg, l1, tb_access(b, y, "i0 + 9*i1 + 90*d0"), NULL, "y", 1);
		tb_read(b, tb_access(b, x, "8*i0 + i1"));
		break;
	case 7: case 8: {                               /* an index moves the row; in each trip to another place */
		int32_t at = tb_access(b, tb_buffer(b, "n", LT_I64, LT_INPUT, -1, 8), "i0");
		bool writes = clash == 7;
		tb_stmt(b, LT_MAP, neg, l1, writes ? tb_gather(b, y, "i0 + 9*i1", at, 101, 2) : lying, NULL, "y", 1);
		tb_read(b, writes ? tb_access(b, x, "8*i0 + i1") : tb_gather(b, x, "i0 + 9*i1", at, 101, 2));
		break;
	}
	default:                                        /* the same place is written across by two statements */
		tb_stmt(b, LT_MAP, neg, l1, tb_access(b, y, "i0 + 9*i1"), NULL, "y", 1);
		tb_read(b, tb_access(b, x, "8*i0 + i1"));
		tb_stmt(b, LT_MAP, neg, l1, tb_access(b, y, "i0 + 9*i1 + 1"), NULL, "y", 2);
		tb_read(b, tb_access(b, x, "8*i0 + i1 + 3"));
	}
	return b;
}

Test(llvm_tiles, memory_that_changes_meanwhile_is_read_when_it_is_asked_for)
{
	for (int clash = 0; clash < CLASHES; clash++)
		for (int c = 0; c < N_CONFIG; c++) {
			struct tb *b = clash_tree(clash);
			cr_expect(agrees(b, configs[c], NULL), "clash %d, %s", clash, configs[c]);
			free(b);
		}
}
