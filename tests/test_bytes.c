/* test_bytes.c -- products of bytes: sums are those of plain C loops, to the last bit, for all bytes, for groups
 * and rows that fill no vectors, by each backend and by what processors have of instructions for them. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "check/random/must.h"
#include "lt/lt.h"
#include "tests/llvm_plugin.h"

/* Without LLVM the other backends are enough. */
static void load(void)
{
	if (access(llvm_path(), R_OK) == 0)
		llvm_load();
}

TestSuite(bytes, .init = load, .timeout = 240);
TestSuite(more_bytes, .init = load, .timeout = 240);

static const char *const backends[] = { "cpu", "ref", "sim:lanes=16;dots", "sim:lanes=8;dots;masked",
	"sim:lanes=2;dots", "sim:lanes=4;dots", "sim:lanes=1;quads", "sim:lanes=16", "llvm", "llvm:cpu=x86-64-v4",
	"llvm:cpu=x86-64-v3", "llvm:cpu=x86-64" };
enum { N_BACKEND = sizeof backends / sizeof *backends };

struct sizes { int s, b, i, r; };
struct values { int8_t *x, *w; float *xs, *ws; };

/* Kinds of bytes: drawn ones, all the lowest, the lowest and the highest in turn. */
static int8_t byte_of(int kind, int sign, uint64_t *rng, int at)
{
	*rng = *rng * UINT64_C(6364136223846793005) + 1442695040888963407u;
	const int low = sign ? -128 : 0, high = low + 255;
	const int v = kind == 0 ? low + (int)(*rng >> 56) : kind == 1 ? (sign ? low : high) : at % 3 ? low : high;
	return (int8_t)(uint8_t)v;
}

static int64_t number_of(int8_t byte, int sign) { return sign ? byte : (uint8_t)byte; }

/* Scales are powers of two, so that floats are exact, too. */
static struct values values_new(struct sizes n, int kind, int sign)
{
	uint64_t rng = 7 + (uint64_t)kind;
	struct values v = { malloc((size_t)(n.s * n.b * n.i)), malloc((size_t)(n.r * n.b * n.i)),
		malloc(sizeof(float) * (size_t)(n.s * n.b)), malloc(sizeof(float) * (size_t)(n.r * n.b)) };
	must(v.x && v.w && v.xs && v.ws, "memory");
	for (int k = 0; k < n.s * n.b * n.i; k++)
		v.x[k] = byte_of(kind, sign, &rng, k);
	for (int k = 0; k < n.r * n.b * n.i; k++)
		v.w[k] = byte_of(kind, sign, &rng, k + k / 7);
	for (int k = 0; k < n.s * n.b; k++)
		v.xs[k] = k % 2 ? 1 : 0.5f;
	for (int k = 0; k < n.r * n.b; k++)
		v.ws[k] = k % 5 ? 1 : 2;
	return v;
}

static void values_free(struct values *v)
{
	free(v->x);
	free(v->w);
	free(v->xs);
	free(v->ws);
}

/* Runs the graph with x, w, and what else there is; the result's numbers are 4 bytes each. */
static void run_tree(
	const char *text, const char *schedule, const char *backend, const void *const *data, void *const *out)
{
	struct lt_context *ctx;
	struct lt_graph *g;
	struct lt_program *p;
	struct lt_instance *r;
	must(!lt_context_new(&ctx) && !lt_graph_parse(ctx, text, strlen(text), "test", &g), "%s", text);
	struct lt_options o = { .size = sizeof o, .backends = backend, .n_thread = 2, .schedule = schedule,
		.schedule_bytes = schedule ? strlen(schedule) : 0 };
	must(!lt_compile(ctx, g, &o, &p), "%s: %s", backend, lt_context_message(ctx));
	must(!lt_instance_new(p, &r), "%s", lt_instance_message(r));
	must(!lt_instance_run(r, data, out), "%s: %s", backend, lt_instance_message(r));
	lt_instance_free(r);
	lt_program_free(p);
	lt_graph_free(g);
	lt_context_free(ctx);
}

static void run_bytes(const char *text, const char *backend, const void *const *data, void *out)
{
	run_tree(text, NULL, backend, data, (void *const[]){ out });
}

/* Whether there is such a backend here, and this machine has what its processor has. */
static bool runs_here(const char *backend)
{
	const struct lt_backend *llvm = lt_backend_find("llvm");
	return strncmp(backend, "llvm", 4) != 0 || (llvm && llvm->score(backend[4] ? backend + 5 : "", NULL) > 0);
}

static void expect_groups(struct sizes n, int kind, int sign)
{
	char text[2000];
	const char *type = sign ? "i8" : "u8", *s = n.s > 1 ? "s, " : "";
	struct values v = values_new(n, kind, sign);
	float *want = calloc((size_t)(n.s * n.r), sizeof *want), *got = malloc(sizeof *got * (size_t)(n.s * n.r));
	must(want && got, "memory");
	for (int t = 0; t < n.s; t++)
		for (int row = 0; row < n.r; row++)
			for (int b = 0; b < n.b; b++) {
				int64_t sum = 0;
				for (int i = 0; i < n.i; i++)
					sum += number_of(v.x[(t * n.b + b) * n.i + i], sign) * number_of(v.w[(row * n.b + b) * n.i + i], sign);
				want[t * n.r + row] += (float)sum * v.ws[row * n.b + b] * v.xs[t * n.b + b];
			}
	snprintf(text, sizeof text, "graph 1\nvar s %d\nvar b %d\nvar i %d\nvar r %d\n%%x = %s[%sb, i] input \"x\"\n"
		"%%w = %s[r, b, i] input \"w\"\n%%u = f32[%sb] input \"u\"\n%%v = f32[r, b] input \"v\"\n"
		"%%xc = i32[%sb, i] cast %%x\n%%wc = i32[r, b, i] cast %%w\n%%p = i32[%sb, r, i] mul %%xc, %%wc\n"
		"%%q = i32[%sb, r] add.reduce %%p\n%%f = f32[%sb, r] cast %%q\n%%m = f32[%sb, r] mul %%f, %%v\n"
		"%%n = f32[%sb, r] mul %%m, %%u\n%%y = f32[%sr] add.reduce %%n\nresult \"y\" = %%y\n", n.s > 1 ? n.s : 2, n.b, n.i,
		n.r, type, s, type, s, s, s, s, s, s, s, s);
	for (int k = 0; k < N_BACKEND; k++) {
		if (!runs_here(backends[k]))
			continue;
		memset(got, 0x7f, sizeof *got * (size_t)(n.s * n.r));
		run_bytes(text, backends[k], (const void *const[]){ v.x, v.w, v.xs, v.ws }, got);
		for (int at = 0; at < n.s * n.r; at++)
			cr_assert_eq(got[at], want[at], "%s, %s: %d tokens, %d groups of %d, %d rows, bytes %d: y[%d] is %.9g, not %.9g",
				backends[k], type, n.s, n.b, n.i, n.r, kind, at, (double)got[at], (double)want[at]);
	}
	values_free(&v);
	free(want);
	free(got);
}

/* Two products of one x; the second one's numbers are times the first one's of the same row or (whole) the largest one
 * of all rows, which is not there before all of them are. */
static void expect_two(struct sizes n, int kind, bool whole)
{
	char text[3000];
	struct values v = values_new((struct sizes){ 1, n.b, n.i, 2 * n.r }, kind, 1);
	float *want = calloc((size_t)n.r, sizeof *want), *got = malloc(sizeof *got * (size_t)n.r),
	      *first = calloc((size_t)n.r, sizeof *first);
	must(want && got && first, "memory");
	const float *scale[2] = { v.ws, v.ws + n.r * n.b };
	for (int second = 0; second < 2; second++)
		for (int row = 0; row < n.r; row++)
			for (int b = 0; b < n.b; b++) {
				int64_t sum = 0;
				for (int i = 0; i < n.i; i++)
					sum += v.x[b * n.i + i] * v.w[((second * n.r + row) * n.b + b) * n.i + i];
				(second ? want : first)[row] += (float)sum * scale[second][row * n.b + b] * v.xs[b];
			}
	float top = first[0];
	for (int row = 0; row < n.r; row++)
		top = first[row] > top ? first[row] : top;
	for (int row = 0; row < n.r; row++)
		want[row] += (whole ? top : first[row]) * 2;
	snprintf(text, sizeof text, "graph 1\nvar b %d\nvar i %d\nvar r %d\n%%x = i8[b, i] input \"x\"\n"
		"%%w = i8[r, b, i] input \"w\"\n%%w2 = i8[r, b, i] input \"w2\"\n%%u = f32[b] input \"u\"\n"
		"%%v = f32[r, b] input \"v\"\n%%v2 = f32[r, b] input \"v2\"\n%%xc = i32[b, i] cast %%x\n"
		"%%wc = i32[r, b, i] cast %%w\n%%p = i32[b, r, i] mul %%xc, %%wc\n%%q = i32[b, r] add.reduce %%p\n"
		"%%f = f32[b, r] cast %%q\n%%m = f32[b, r] mul %%f, %%v\n%%n = f32[b, r] mul %%m, %%u\n"
		"%%y = f32[r] add.reduce %%n\n%%two = f32[] lit 2\n%%top = f32[] max.reduce %%y\n%%z = f32[%s] mul %s, %%two\n"
		"%%w2c = i32[r, b, i] cast %%w2\n%%p2 = i32[b, r, i] mul %%xc, %%w2c\n%%q2 = i32[b, r] add.reduce %%p2\n"
		"%%f2 = f32[b, r] cast %%q2\n%%m2 = f32[b, r] mul %%f2, %%v2\n%%n2 = f32[b, r] mul %%m2, %%u\n"
		"%%y2 = f32[r] add.reduce %%n2\n%%both = f32[r] add %%y2, %%z\nresult \"y\" = %%both\n", n.b, n.i, n.r,
		whole ? "" : "r", whole ? "%top" : "%y");
	for (int k = 0; k < N_BACKEND; k++) {
		if (!runs_here(backends[k]) || strncmp(backends[k], "sim", 3) == 0)     /* few sizes are shared out: slow there */
			continue;
		run_bytes(text, backends[k], (const void *const[]){ v.x, v.w, v.w + n.r * n.b * n.i, v.xs, scale[0], scale[1] },
			got);
		for (int row = 0; row < n.r; row++)
			cr_assert_eq(got[row], want[row], "%s: %d groups of %d, %d rows, bytes %d: y[%d] is %.9g, not %.9g", backends[k],
				n.b, n.i, n.r, kind, row, (double)got[row], (double)want[row]);
	}
	values_free(&v);
	free(want);
	free(got);
	free(first);
}

static void products_of_one_vector(size_t first, size_t last)
{
	static const struct sizes cases[] = { { 1, 12, 64, 768 }, { 1, 9, 32, 769 }, { 1, 8, 61, 1031 }, { 1, 33, 4, 2053 } };
	for (size_t k = first; k <= last; k++)
		for (int whole = 0; whole < 2; whole++)
			expect_two(cases[k], k == 0 ? 0 : 2, whole != 0);
}

Test(bytes, products_of_one_vector) { products_of_one_vector(0, 1); }
Test(more_bytes, products_of_one_vector) { products_of_one_vector(2, 3); }

/* Numbers of at most 1000 terms, whose sums are exact as floats. */
static const struct sizes grouped[] = { { 1, 12, 64, 40 }, { 1, 9, 32, 23 }, { 1, 1, 61, 7 }, { 1, 24, 32, 33 },
	{ 1, 33, 4, 17 }, { 1, 5, 7, 130 }, { 1, 17, 16, 9 }, { 1, 2, 400, 19 }, { 1, 3, 13, 1 }, { 3, 12, 64, 16 },
	{ 20, 5, 32, 31 } };

Test(bytes, groups_of_signed_bytes)
{
	for (size_t k = 0; k < sizeof grouped / sizeof *grouped; k++)
		expect_groups(grouped[k], (int)(k % 3), 1);
}

Test(bytes, groups_of_unsigned_bytes)
{
	for (size_t k = 0; k < sizeof grouped / sizeof *grouped; k += 2)
		expect_groups(grouped[k], (int)((k + 1) % 3), 0);
}

/* Sums that are results themselves, and wrap where they are beyond 32 bits: 2^31 of bytes of 2^14 each. */
Test(bytes, sums_are_exact)
{
	static const struct { int i, r, kind, sign; } cases[] = { { 64, 9, 0, 1 }, { 1021, 13, 1, 1 }, { 131, 16, 2, 1 },
		{ 15, 5, 0, 1 }, { 67, 7, 1, 0 }, { 140000, 1, 1, 1 } };
	for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
		char text[1000];
		const int n = cases[c].i, rows = cases[c].r, sign = cases[c].sign;
		struct values v = values_new((struct sizes){ 1, 1, n, rows }, cases[c].kind, sign);
		int32_t *got = malloc(sizeof *got * (size_t)rows);
		must(got != NULL, "memory");
		snprintf(text, sizeof text, "graph 1\nvar i %d\nvar r %d\n%%x = %s[i] input \"x\"\n%%w = %s[r, i] input \"w\"\n"
			"%%xc = i32[i] cast %%x\n%%wc = i32[r, i] cast %%w\n%%p = i32[r, i] mul %%xc, %%wc\n%%y = i32[r] add.reduce %%p\n"
			"result \"y\" = %%y\n", n, rows, sign ? "i8" : "u8", sign ? "i8" : "u8");
		for (int k = 0; k < N_BACKEND; k++) {
			if (!runs_here(backends[k]))
				continue;
			run_bytes(text, backends[k], (const void *const[]){ v.x, v.w }, got);
			for (int row = 0; row < rows; row++) {
				uint32_t sum = 0;
				for (int i = 0; i < n; i++)
					sum += (uint32_t)(number_of(v.x[i], sign) * number_of(v.w[row * n + i], sign));
				cr_assert_eq((uint32_t)got[row], sum, "%s: case %zu: y[%d] is %d, not %d", backends[k], c, row, (int)got[row],
					(int)(int32_t)sum);
			}
		}
		values_free(&v);
		free(got);
	}
}

/* Both factors are one cast, which another node reads, too: that one is computed. */
Test(bytes, what_reads_a_cast_beside_the_product_stays)
{
	enum { N = 64 };
	static const char graph[] = "graph 1\nvar i 64\n%x = i8[i] input \"x\"\n%xc = i32[i] cast %x\n"
		"%two = i32[] lit 2\n%z = i32[i] mul %xc, %two\n%p = i32[i] mul %xc, %xc\n%y = i32[] add.reduce %p\n"
		"result \"z\" = %z\nresult \"y\" = %y\n";
	static const char tree[] = "looptree 1\ngraph d9379114758532f9\ntarget cpu:native\n"
		"var i 64\nvalue %x i8[i] = input\nvalue %two i32[] = lit 0x2\ntree\nfor i vector\n"
		"  %xc i32[i] = cast %x\n  %z i32[i] = mul %xc %two\n"
		"  %p i32[i] = mul %xc %xc\n  %y i32[] = add.reduce[i] %p\n";
	int8_t x[N];
	int32_t want = 0;
	for (int i = 0; i < N; i++) {
		x[i] = (int8_t)(4 * i - 128);
		want += x[i] * x[i];
	}
	for (int k = 0; k < N_BACKEND; k++) {
		int32_t z[N] = { 0 }, y = 0;
		if (!runs_here(backends[k]) || !strcmp(backends[k], "ref"))
			continue;
		run_tree(graph, tree, backends[k], (const void *const[]){ x }, (void *const[]){ z, &y });
		cr_expect_eq(y, want, "%s: %d", backends[k], (int)y);
		for (int i = 0; i < N; i++)
			cr_assert_eq(z[i], 2 * x[i], "%s: z[%d] is %d", backends[k], i, (int)z[i]);
	}
}
