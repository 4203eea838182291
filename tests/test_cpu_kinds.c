/* test_cpu_kinds.c -- random frozen trees with vector, unroll and parallel loops: `cpu` gives what `ref` gives,
 * to the bit.
 *
 * LT_SEED=N begins with another seed, LT_TREES=N runs another number of trees, LT_CONFIG=.. is the config of cpu,
 * LT_CC=.. its compiler.
 */
#include <criterion/criterion.h>
#include "check/random/must.h"
#include "check/random/random.h"
#include "tests/treerun.h"

TestSuite(cpu_kinds, .timeout = 900);

enum { X, Y, IDX, PARAM, OUT, OUT2 };
/* Loops: 0 outer, 1 reset, 2 the vector loop, 3 inside it, 4 the store's. */
struct maker { struct tb *b; uint64_t rng; int outer, width, inner; bool special; };

static int64_t pick(struct maker *m, int64_t low, int64_t high) { return random_between(&m->rng, low, high); }
static bool maybe(struct maker *m, int percent) { return random_chance(&m->rng, percent); }

static const enum lt_dtype types[] = { LT_F32, LT_F32, LT_F32, LT_F64, LT_I32, LT_I64, LT_BOOL, LT_F16, LT_BF16, LT_I8,
	LT_U8, LT_I16 };
static bool computes(enum lt_dtype t) { return t == LT_F32 || t == LT_F64 || t == LT_I32 || t == LT_I64; }

/* "3*i2 + 2*i0 - 4", with the least and the most of its value. */
static const char *any_row(struct maker *m, char *text, int64_t *low, int64_t *high)
{
	static const int strides[] = { 1, 1, 1, 1, 0, -1, 2, 3, -2 };
	int64_t lane = strides[pick(m, 0, 8)], in = pick(m, 0, 2), out = pick(m, 0, 5),
		d0 = maybe(m, 25) ? pick(m, 1, 7) : 0, d1 = maybe(m, 15) ? 1 : 0;
	int64_t off = 0;
	*low = (lane < 0 ? lane * (m->width - 1) : 0);
	*high = (lane > 0 ? lane * (m->width - 1) : 0) + in * (m->inner - 1) + out * (m->outer - 1);
	*high += d0 * ((m->width + 3 * m->outer + 8) / m->b->div[0].den) + d1 * ((4 * m->width + m->inner) / m->b->div[1].den);
	if (*low < 0)
		off = -*low;
	*high += off;
	*low += off;
	(void)sprintf(text, "%lld*i2 + %lld*i3 + %lld*i0 + %lld*d0 + %lld*d1 + %lld", (long long)(lane < 0 ? 0 : lane),
		(long long)in, (long long)out, (long long)d0, (long long)d1, (long long)off);
	if (lane < 0)
		(void)sprintf(text + strlen(text), " - %lld*i2", (long long)-lane);
	return text;
}

static const char *any_guard(struct maker *m, char *text)
{
	switch (pick(m, 0, 5)) {
	case 0: (void)sprintf(text, "i2 - %lld", (long long)pick(m, 0, m->width)); break;
	case 1: (void)sprintf(text, "%lld - i2 - i0", (long long)pick(m, 0, m->width)); break;
	case 2: (void)sprintf(text, "i3 + i0 - %lld", (long long)pick(m, 0, 3)); break;
	case 3: (void)sprintf(text, "i2 - i3 - 1;%lld - 2*i2", (long long)pick(m, 0, 2 * m->width)); break;
	case 4: (void)sprintf(text, "p0 - i2"); break;
	default: (void)sprintf(text, "d0 - %lld", (long long)pick(m, 0, 3)); break;
	}
	return text;
}

/* A read of x or y at a row that fits: through a gather, in pieces, an immediate or an affine value. */
static void any_operand(struct maker *m, int32_t buffer, enum lt_dtype t)
{
	struct tb *b = m->b;
	char text[128], guard[128];
	int64_t low, high, elems = b->buffer[buffer].elems;
	int32_t access;
	any_row(m, text, &low, &high);
	if (t == LT_I64 && maybe(m, 20)) {
		tb_affine(b, text);
		return;
	}
	tb_pieces(b, t);
	if (maybe(m, 12)) {
		tb_piece(b, tb_is(t, computes(t) && t != LT_I32 && t != LT_I64 ? tb_f(1.5) : tb_i(1)), NULL);
		return;
	}
	if (maybe(m, 15)) {
		char at[128];
		int64_t l, h;
		do
			any_row(m, at, &l, &h);
		while (h >= b->buffer[IDX].elems);
		access = tb_gather(b, buffer, maybe(m, 50) ? "i2" : "0", tb_access(b, IDX, at), pick(m, 2, 9), maybe(m, 50) ? 1 : 3);
		tb_piece(b, tb_reads(access), NULL);
		return;
	}
	if (high >= elems || maybe(m, 25)) {            /* inside, else the fill; sometimes another source between them */
		char over[300];
		int64_t size = pick(m, 1, elems), less = pick(m, 0, size);
		(void)sprintf(text + strlen(text), " - %lld", (long long)less);
		(void)sprintf(over, "%s;%lld", text, (long long)(size - 1));
		for (const char *s = text; *s; s++) {
			size_t n = strlen(over);
			if (s == text)
				(void)sprintf(over + n, " - "), n += 3;
			over[n] = *s == '+' ? '-' : *s == '-' ? '+' : *s;
			over[n + 1] = '\0';
		}
		tb_piece(b, tb_reads(tb_access(b, buffer, text)), over);
		if (maybe(m, 30))
			tb_piece(b, tb_reads(tb_access(b, buffer, "i0")), any_guard(m, guard));
		tb_piece(b, tb_is(t, t == LT_F32 || t == LT_F64 ? tb_f(-0.5) : tb_i(0)), NULL);
		return;
	}
	tb_piece(b, tb_reads(tb_access(b, buffer, text)), NULL);
}

static int32_t any_op(struct maker *m, enum lt_dtype t)
{
	static const char *const floats[] = { "add", "sub", "mul", "max", "min", "copy", "neg" },
				 *const ints[] = { "add", "sub", "mul", "max", "min", "xor", "div" };
	static const char *const bools[] = { "and", "or", "xor", "max", "copy" };
	if (t == LT_F32 || t == LT_F64)
		return tb_op(m->b, floats[pick(m, 0, 6)], t, t);
	if (t == LT_I32 || t == LT_I64)
		return tb_op(m->b, ints[pick(m, 0, 6)], t, t);
	return tb_op(m->b, t == LT_BOOL ? bools[pick(m, 0, 4)] : "copy", t, t);
}

static struct tb *make(struct maker *m)
{
	static const int widths[] = { 1, 2, 3, 4, 5, 7, 8, 12, 16, 16, 17, 24, 31, 32, 40, 64, 100, 300 };
	static const int32_t outers[] = { LT_SERIAL, LT_SERIAL, LT_PARALLEL, LT_PARALLEL, LT_UNROLL },
			     inners[] = { LT_SERIAL, LT_UNROLL, LT_GROUP };
	static const char *const few[] = { NULL, NULL, NULL, NULL, NULL, "p0 - 3 - i0;7 - p0", "p0 + 2 - i2", "d0;p0 - 3" };
	enum lt_dtype tx = types[pick(m, 0, 11)], tc = types[pick(m, 0, 11)];
	struct tb *b = m->b = tb_new("random", 1, 5, 2);
	char row[160], guard[128], bound[64];
	int64_t low, high;
	m->outer = (int)pick(m, 1, 3);
	m->width = widths[pick(m, 0, 17)];
	int32_t in = inners[pick(m, 0, 2)];
	m->inner = in == LT_GROUP ? 1 : (int)pick(m, 1, 3);
	bool masked = maybe(m, 25), by_lane = maybe(m, 60), locals = maybe(m, 70);
	(void)sprintf(bound, "%d - %d*i0", m->width, (int)pick(m, 0, m->width));
	int32_t l0 = tb_loop(b, -1, outers[pick(m, 0, 4)], m->outer, NULL, "o");
	int32_t l1 = tb_loop(b, l0, maybe(m, 80) ? LT_VECTOR : LT_SERIAL, m->width, NULL, "r");
	int32_t l2 = tb_loop(b, l0, LT_VECTOR, m->width, masked ? bound : NULL, "v");
	int32_t l3 = tb_loop(b, l2, in, m->inner, in == LT_GROUP ? NULL : few[pick(m, 0, 7)], "i"),
		l4 = tb_loop(b, l0, maybe(m, 70) ? LT_VECTOR : LT_UNROLL, m->width, NULL, "s");
	b->loop[l2].tail = masked ? LT_MASK : LT_GUARD;
	tb_buffer(b, "x", tx, LT_INPUT, -1, 400);
	tb_buffer(b, "y", tx, LT_INPUT, -1, 380);
	tb_buffer(b, "idx", LT_I32, LT_INPUT, -1, 400);
	tb_buffer(b, "p", LT_I64, LT_INPUT, -1, 1);
	tb_param(b, "p", PARAM, 0, 0, 9);
	tb_div(b, "i2 + 3*i0 + 7", pick(m, 1, 9), l2);
	tb_div(b, "4*i2 + i3", pick(m, 2, 19), l3);
	tb_buffer(b, "out", tc, LT_OUTPUT, -1, (int64_t)m->outer * m->width);
	int32_t p = tb_buffer(b, "pp", tx, LT_LOCAL, l3, 1), q = tb_buffer(b, "q", tx, LT_LOCAL, l2, m->inner),
		ap = tb_access(b, p, "0"), aq = tb_access(b, q, "i3");
	int32_t c = tb_buffer(b, "c", tc, LT_LOCAL, l0, maybe(m, 15) ? 20000 : by_lane ? m->width : 1);
	/* Results */
	int32_t reset = tb_op(b, tc == LT_BOOL ? "max" : computes(tc) ? (maybe(m, 50) ? "add" : "max") : "copy", tc, tc);
	if (tc == LT_BOOL || computes(tc)) {
		tb_reset(b, reset, by_lane ? l1 : l0, tb_access(b, c, by_lane ? "i1" : "0"), "c", 1);
	} else {
		tb_stmt(b, LT_MAP, reset, by_lane ? l1 : l0, tb_access(b, c, by_lane ? "i1" : "0"), NULL, "c", 1);
		tb_imm(b, tc, tb_i(1));
	}
	/* In the vector loop */
	int32_t op = any_op(m, tx);
	tb_stmt(b, LT_MAP, op, l3, locals ? ap : aq, NULL, "p", 2);
	for (int i = 0; i < b->op[op].arity; i++)
		any_operand(m, i ? Y : X, tx);
	if (locals) {
		op = any_op(m, tx);
		tb_stmt(b, LT_MAP, op, l3, aq, NULL, "q", 2);
		for (int i = 0; i < b->op[op].arity; i++)
			if (i)
				any_operand(m, X, tx);
			else
				tb_read(b, ap);
	}
	int32_t cast = -1, v = aq;
	if (tx != tc) {
		int32_t w = tb_buffer(b, "w", tc, LT_LOCAL, l3, 1);
		v = tb_access(b, w, "0");
		cast = tb_op(b, "cast", tx, tc);
		tb_stmt(b, LT_MAP, cast, l3, v, NULL, "w", 2);
		tb_read(b, aq);
	}
	bool adds = tc == LT_BOOL || computes(tc);
	tb_stmt(b,
		!adds             ? LT_MAP
			: by_lane ? LT_REDUCE
				  : LT_COMBINE,
		reset, l3, tb_access(b, c, by_lane ? "i2" : "0"), maybe(m, 40) ? any_guard(m, guard) : NULL, "c", 3)
		->reducing = adds ? l2 : -1;
	tb_read(b, v);
	if (maybe(m, 60)) {             /* element of its own for each trip: o, lane, inner */
		int32_t stride = (int32_t)pick(m, 1, 3), out2;
		bool down = maybe(m, 25);
		out2 = tb_buffer(b, "out2", tc, LT_OUTPUT, -1, (int64_t)m->outer * m->inner * m->width * stride);
		high = (int64_t)m->width * stride;
		if (down)
			(void)sprintf(row, "%lld*i0 + %lld*i3 + %lld - %d*i2", (long long)(high * m->inner),
				(long long)high, (long long)(high - stride), (int)stride);
		else
			(void)sprintf(row, "%lld*i0 + %lld*i3 + %d*i2", (long long)(high * m->inner), (long long)high, (int)stride);
		tb_stmt(b, LT_MAP, tb_op(b, "copy", tc, tc), l3, tb_access(b, out2, row),
			maybe(m, 40) ? any_guard(m, guard) : NULL, "out2", 4);
		tb_read(b, v);
	}
	(void)low;
	(void)sprintf(row, "%d*i0 + i4", m->width);
	tb_stmt(b, LT_MAP, tb_op(b, "copy", tc, tc), l4, tb_access(b, OUT, row), NULL, "out", 5);
	tb_read(b, tb_access(b, c, by_lane ? "i4" : "0"));
	return b;
}

/* Small whole numbers, so that sums are exact in every order. */
static void fill(struct bench *n, const struct tb *b, int slot, enum lt_dtype t, uint64_t seed, bool special)
{
	for (int64_t i = 0; i < b->buffer[slot].elems; i++) {
		int64_t v = random_between(&seed, slot == IDX ? 0 : -9, slot == IDX ? (special ? 9 : 1) : 9);
		bool odd = special && slot != IDX && slot != PARAM && random_chance(&seed, 3);
		union lt_scalar s = tb_i(slot == PARAM ? 5 : v);
		if (t == LT_F32 || t == LT_F64 || t == LT_F16 || t == LT_BF16)
			s = tb_f(odd ? (v > 3 ? NAN : v > 0 ? INFINITY : -0.0) : (double)v);
		else if (t == LT_BOOL)
			s = tb_i(v & 1);
		lt__store(data(n, slot), i, t, s);
	}
}

static void show(void *user, const char *text, size_t bytes)
{
	(void)user;
	fprintf(stderr, "%.*s\n", (int)bytes, text);
}

Test(cpu_kinds, random_trees)
{
	const uint64_t first = must_number("LT_SEED", 1), count = must_draws("LT_TREES", 60);
	const char *config = getenv("LT_CONFIG");
	fprintf(stderr, "random trees: seeds %llu .. %llu\n", (unsigned long long)first,
		(unsigned long long)(first + count - 1));
	for (uint64_t seed = first; seed < first + count; seed++) {
		struct maker m = { .rng = seed * 7919 + 3, .special = seed % 2 };
		struct tb *b = make(&m);
		struct bench n[2];
		lt_status status[2];
		for (int w = 0; w < 2; w++) {
			open_bench_with(&n[w], w ? "cpu" : "ref", w && config ? config : "", b);
			for (int s = 0; s <= PARAM; s++)
				fill(&n[w], b, s, (enum lt_dtype)(b->buffer[s].type + 1), seed * 31 + (uint64_t)s, m.special);
			n[w].n_thread = (uint32_t)seed % 4;
			status[w] = run(&n[w], (uint32_t)b->tree.n_slot);
			cr_assert_eq(status[w], LT_OK, "seed %llu: %s", (unsigned long long)seed, n[w].k.text);
		}
		cr_assert_eq(n[0].fault.n > 0, n[1].fault.n > 0, "seed %llu: fault", (unsigned long long)seed);
		for (int i = 0; i < b->n_buffer; i++) {
			if (b->buffer[i].role != LT_OUTPUT)
				continue;
			enum lt_dtype t = (enum lt_dtype)(b->buffer[i].type + 1);
			for (int64_t e = 0; e < b->buffer[i].elems; e++) {
				union lt_scalar want = lt__load(data(&n[0], b->buffer[i].slot), e, t),
						got = lt__load(data(&n[1], b->buffer[i].slot), e, t);
				bool f = t == LT_F32 || t == LT_F64 || t == LT_F16 || t == LT_BF16;
				bool right = f ? same(got.f, want.f) : got.i == want.i;
				if (!right)
					(void)n[1].backend->dump(n[1].object, LT_DUMP_SOURCE, show, NULL);
				cr_assert(right, "seed %llu: %s[%lld] is %g, not %g", (unsigned long long)seed,
					b->buffer[i].name, (long long)e, f ? got.f : (double)got.i, f ? want.f : (double)want.i);
			}
		}
		close_bench(&n[0]);
		close_bench(&n[1]);
		free(b);
	}
}
