/* tests/test_llvm_tiles.c -- the outside backend llvm where vectors lie across memory: squares that are turned in registers, beside the
 * backend ref on the same trees; and where that may not be done.
 */
#include <stdbool.h>
#include <unistd.h>
#include "built.h"
#include "treerun.h"

static void setup(void)
{
	struct keeper k = keeper_new();
	const char *path = built("examples/plugin/llvm.so");
	if (access(path, R_OK) != 0)
		cr_skip_test("no %s: make plugins needs LLVM's development files", path);
	cr_assert_eq(lt_backend_load(path, &k.diag), LT_OK, "%s", k.text);
}
TestSuite(llvm_tiles, .init = setup, .timeout = 120);

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

/* The tree on a backend: all its memory, one buffer behind the other. */
enum { MOST_BYTES = 1 << 20 };
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
		cr_assert_lt(bytes + (size_t)n.slot[s].bytes, MOST_BYTES);
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
	static unsigned char want[MOST_BYTES], got[MOST_BYTES];
	(void)tb_done(b);
	size_t bytes = results("ref", "", b, want, NULL);
	config = lt_backend_find("llvm")->score(config, NULL) > 0 ? config : "";
	return results("llvm", config, b, got, source) == bytes && memcmp(want, got, bytes) == 0;
}

/* Copies are around the lanes, the other way about, or around them with two copies of another loop between.  Each bit tells one of these.
 * COUNTED: a serial loop of more trips in the place of the copies. */
enum { LANES_OUTSIDE = 1, WRITTEN_ACROSS = 2, BETWEEN = 4, KINDS = 8, COUNTED = 8 };
enum { TRIPS = 9 };                    /* more than are emitted as copies */
struct square { int copies, lanes; };

/* For the trips of i0, and 2 of i2 if there is something between: y[lane + (lanes + 1) copy] = x[(copies + 3) lane + copy], or the other way
 * about.  bounds: of the loop of copies; guards: of the statement; chooses: of its operand, which is 3 else (t a float).  i1 and i3 are
 * copies and lanes; `reducing`: each is added to y[lane]. */
static struct tb *square_tree(int kind, struct square q, enum lt_dtype t, enum lt_dtype to, bool reducing, const char *guards,
	const char *chooses, const char *bounds)
{
	char far[64], near[64];
	struct tb *b = tb_new("square", 1, 4, 0);
	bool outside = !(kind & LANES_OUTSIDE), writes = kind & WRITTEN_ACROSS;
	int between = kind & BETWEEN ? 2 : 1, counted = kind & COUNTED ? LT_SERIAL : LT_UNROLL;
	q.copies = kind & COUNTED ? 8 * q.copies + 5 : q.copies;
	int32_t l0 = tb_loop(b, -1, LT_SERIAL, TRIPS, NULL, "i");
	int32_t l1 = tb_loop(b, l0, outside ? counted : LT_VECTOR, outside ? q.copies : q.lanes, outside ? bounds : NULL, "j");
	int32_t l2 = tb_loop(b, l1, LT_UNROLL, between, NULL, "k");
	int32_t l3 = tb_loop(b, l2, outside ? LT_VECTOR : counted, outside ? q.lanes : q.copies, outside ? NULL : bounds, "l");
	const char *copy = outside ? "i1" : "i3", *lane = outside ? "i3" : "i1";
	int pitch = q.copies + 3, width = q.lanes + 1, far_elems = pitch * (q.lanes + TRIPS), near_elems = width * (q.copies + TRIPS);
	(void)snprintf(far, sizeof far, "%d*i0 + %d*i2 + %d*%s + %s", pitch, far_elems, pitch, lane, copy);
	(void)snprintf(near, sizeof near, "%d*i0 + %d*i2 + %d*%s + %s", reducing ? 0 : width, reducing ? 0 : near_elems, reducing ? 0 : width,
		copy, lane);
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

static const struct square squares[] = { { 16, 16 }, { 8, 8 }, { 4, 4 }, { 32, 32 }, { 13, 11 }, { 5, 24 }, { 20, 7 }, { 2, 3 },
	{ 3, 64 }, { 40, 2 } };
enum { N_SQUARE = sizeof squares / sizeof *squares };

Test(llvm_tiles, squares_of_every_type)
{
	for (enum lt_dtype t = 1; t < LT_NDTYPE; t++)
		for (int q = (int)t % 2; q < N_SQUARE; q += 2) {
			int number = (int)t * N_SQUARE + q, kind = (q / 2 + (int)t) % KINDS;
			const char *config = configs[(q + (int)t / 2) % N_CONFIG];
			enum lt_dtype to = number % 5 == 4 ? LT_F32 : t;
			struct tb *b = square_tree(kind, squares[q], t, to, false, NULL, NULL, NULL);
			cr_expect(agrees(b, config, NULL), "type %d to %d, %d copies of %d lanes, kind %d, %s", (int)t, (int)to, squares[q].copies,
				squares[q].lanes, kind, config);
			free(b);
		}
}

Test(llvm_tiles, squares_are_turned_in_registers)
{
	static struct text source;
	static const struct square square = { 16, 16 };
	for (int kind = 0; kind < KINDS; kind++)
		for (int c = kind & 1; c < N_CONFIG; c += 2) {
			struct tb *b = square_tree(kind, square, LT_F32, LT_F32, false, NULL, NULL, NULL);
			cr_expect(agrees(b, configs[c], &source));
			cr_expect_geq(count(source.at, "shufflevector"), 64, "%s", source.at);
			cr_expect_eq(count(source.at, "insertelement") + count(source.at, "extractelement"), 0, "%s", source.at);
			cr_expect_eq(count(source.at, "load float") + count(source.at, "store float"), 0, "%s", source.at);
			free(b);
		}
}

/* Serial loops of more trips than are emitted as copies, as many as a run-time scalar says, or none. */
Test(llvm_tiles, counted_loops)
{
	static struct text source;
	static const char *const bounds[] = { NULL, "20*p0 + 3", "p0 - 7" };
	for (int kind = 0; kind < KINDS; kind++)
		for (int q = kind % 3; q < N_SQUARE; q += 3) {
			enum lt_dtype t = q % 2 ? LT_F32 : LT_I16;
			struct tb *b = square_tree(kind | COUNTED, squares[q], t, t, false, NULL, NULL, bounds[(q + kind) / 3 % 3]);
			cr_expect(agrees(b, configs[q % N_CONFIG], &source), "%d copies of %d lanes, kind %d", squares[q].copies, squares[q].lanes, kind);
			cr_expect(q > 1 || strstr(source.at, "shufflevector") != NULL, "%s", source.at);
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
			cr_expect(agrees(b, configs[q % N_CONFIG], &source), "%d copies of %d lanes, kind %d", squares[q].copies, squares[q].lanes, kind);
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
				struct tb *b = square_tree(kind, q, LT_F32, LT_F32, false, operand ? NULL : guards[g], operand ? guards[g] : NULL, NULL);
				cr_expect(agrees(b, "verify", NULL), "guard %s of %s, kind %d", guards[g], operand ? "the operand" : "the statement", kind);
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
	case 2:                                         /* y is written across, and read in the trip behind it */
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
