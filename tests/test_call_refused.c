/* test_call_refused.c -- calls of routines that do not fit: each is refused with what is in the way. */
#include <criterion/criterion.h>
#include <string.h>
#include "lt/lt.h"
#include "tests/call_graphs.h"
#include "tests/odd.h"
#include "tests/parsed.h"
#include "tests/tree_marked.h"
#include "tests/tree_text.h"

TestSuite(call_refused, .timeout = 120);

/* a value that the result has more dims than is no residual */
static const char wide_lacks[] = WIDE "%y = f32[m, n, j] add %c, %r\nresult \"y\" = %y\n";
static const char wide_row_lacks[] =
	WIDE_ROW "%d = f32[n, j] add %c, %v\n%y = f32[n, j] add %d, %w\nresult \"y\" = %y\n";

static const char chain[] =
	PRODUCT "%v = f32[n] input \"v\"\n%d = f32[m, n] exp %c\n%y = f32[m, n] add %d, %v\nresult \"y\" = %y\n";
static const char two[] = PRODUCT "%d = f32[m, n] exp %c\nresult \"c\" = %c\nresult \"d\" = %d\n";
static const char early[] = "graph 1\nvar m 5\nvar k 12\nvar n 7\n%x = f32[m, k] input \"x\"\n%b = f32[k, n] input "
			    "\"b\"\n%a = f32[m, k] exp %x\n"
			    "%p = f32[m, n, k] mul %a, %b\n%c = f32[m, n] add.reduce %p\nresult \"c\" = %c\n";
static const char alone[] =
	"graph 1\nvar m 5\nvar k 12\nvar j 3\nvar n 7\n%a = f32[m, k, j] input \"a\"\n%b = f32[k, n] input \"b\"\n"
	"%p = f32[m, n, k, j] mul %a, %b\n%c = f32[m, n] add.reduce %p\nresult \"c\" = %c\n";
static const char border[] =
	"graph 1\nvar m 5\nvar k 12\nvar n 7\n%x = f32[m, k] input \"x\"\n%b = f32[k, n] input \"b\"\n"
	"%a = f32[m, k] view { %x[m, k - 1] if k - 1 >= 0; else 0.0 }\n%p = f32[m, n, k] mul %a, %b\n%c = f32[m, n] "
	"add.reduce %p\nresult \"c\" = %c\n";
static const char backwards[] = PRODUCT "%v = f32[n] input \"v\"\n%zero = f32[] lit 0.0\n%d = f32[m, n] max %c, "
					"%zero\n%y = f32[m, n] add %d, %v\nresult \"y\" = %y\n";
static const char maximum[] = "graph 1\nvar m 5\nvar k 12\n%a = f32[m, k] input \"a\"\n%p = f32[m, k] mul %a, %a\n%c = "
			      "f32[m] max.reduce %p\nresult \"c\" = %c\n";

/* what is added, of other types and at other places */
static const char added[] =
	PRODUCT "%v = i8[n] input \"v\"\n%r = f16[m, n] input \"r\"\n%w = f32[n] cast %v\n%s = f32[m, n] cast %r\n"
		"%d = f32[m, n] add %c, %w\n%y = f32[m, n] add %d, %s\nresult \"y\" = %y\n";
static const char stepped[] =
	"graph 1\nvar j 13\nvar m 5\nvar k 12\nvar n 7\n%a = f32[m, k] input \"a\"\n%b = f32[k, n] constant \"b\"\n"
	"%p = f32[m, n, k] mul %a, %b\n%c = f32[m, n] add.reduce %p\n%v = f32[j] input \"v\"\n%w = f32[n] view { "
	"%v[2*n] }\n%d = f32[m, n] add %c, %w\nresult \"y\" = %d\n";
static const char across[] = PRODUCT
	"%r = f32[n, m] input \"r\"\n%s = f32[m, n] view { %r[n, m] }\n%d = f32[m, n] add %c, %s\nresult \"y\" = %d\n";
static const char scalar[] = PRODUCT "%v = f32[] input \"v\"\n%d = f32[m, n] add %c, %v\nresult \"y\" = %d\n";
static const char batch[] =
	"graph 1\nvar b 3\nvar m 5\nvar k 12\nvar n 7\n%a = f32[b, m, k] input \"a\"\n%b = f32[b, k, n] input \"b\"\n"
	"%p = f32[b, m, n, k] mul %a, %b\n%c = f32[b, m, n] add.reduce %p\nresult \"c\" = %c\n";
/* roundings: between the sum and its bias, before a cast back, before another one; a sum that wraps around */
#define HALF PRODUCT "%v = f32[n] input \"v\"\n%h = f16[m, n] cast %c\n"
static const char rounded[] = HALF "%s = f32[m, n] cast %h\n%y = f32[m, n] add %s, %v\nresult \"y\" = %y\n";
static const char twice[] = HALF "%y = f32[m, n] cast %h\nresult \"y\" = %y\n";
static const char to_bf16[] = HALF "%y = bf16[m, n] cast %h\nresult \"y\" = %y\n";
static const char wraps[] = "graph 1\nvar m 5\nvar k 12\nvar n 7\n%a = i32[m, k] input \"a\"\n%b = i32[k, n] input "
			    "\"b\"\n%p = i32[m, n, k] mul %a, %b\n"
			    "%c = i32[m, n] add.reduce %p\n%y = i64[m, n] cast %c\nresult \"y\" = %y\n";
/* the bias is added in f64 */
static const char wider[] = PRODUCT "%v = i8[n] input \"v\"\n%w = f64[n] cast %v\n%s = f64[m, n] cast %c\n%y = f64[m, "
				    "n] add %s, %w\nresult \"y\" = %y\n";

/* two rows that are a third apart in one factor; rows that overlap; rows that are read backwards */
static const char folded[] =
	"graph 1\nvar m 5\nvar h 2\nvar k 12\nvar n 7\n%a = f32[h, m, k] input \"a\"\n%b = f32[k, n] input \"b\"\n"
	"%p = f32[m, h, n, k] mul %a, %b\n%c = f32[m, h, n] add.reduce %p\nresult \"y\" = %c\n";
static const char window[] =
	"graph 1\nvar m 5\nvar k 3\nvar n 7\nvar i 7\n%a = f32[i] input \"a\"\n%b = f32[k, n] input \"b\"\n"
	"%w = f32[m, k] view { %a[m + k] }\n%p = f32[m, n, k] mul %w, %b\n%c = f32[m, n] add.reduce %p\nresult \"y\" = %c\n";
static const char turned[] =
	"graph 1\nvar m 5\nvar k 3\nvar n 7\n%a = f32[m, k] input \"a\"\n%b = f32[k, n] input \"b\"\n"
	"%w = f32[m, k] view { %a[4 - m, k] }\n%p = f32[m, n, k] mul %w, %b\n%c = f32[m, n] add.reduce %p\n"
	"result \"y\" = %c\n";
static const char as_many[] =
	"graph 1\nvar m 5\nvar k 13 limit 0 + 1*p\nvar n 7\nvar j 13\nvar one 1\nparam p = %pos[0] in 0..13\n"
	"%pos = i64[one] input \"pos\"\n%a = f32[m, j] input \"a\"\n%b = f32[j, n] input \"b\"\n"
	"%av = f32[m, k] view { %a[m, k] }\n%bv = f32[k, n] view { %b[k, n] }\n%p = f32[m, n, k] mul %av, %bv\n"
	"%c = f32[m, n] add.reduce %p\nresult \"y\" = %c\n";
/* heads are deep, too, and lie one in the other; two batches that do not */
static const char heads[] =
	"graph 1\nvar i 2\nvar j 3\nvar m 5\nvar h 2\nvar k 6\nvar n 7\n%a = f32[j, i, m, h, k] input \"a\"\n"
	"%b = f32[i, j, h, k, n] input \"b\"\n%p = f32[i, j, m, n, h, k] mul %a, %b\n%c = f32[i, j, m, n] add.reduce %p\n"
	"result \"y\" = %c\n";
static const char repeated[] =
	"graph 1\nvar i 2\nvar m 5\nvar k 6\nvar n 7\nvar o 1\n%a = f32[i, m, k] input \"a\"\n%b = f32[o, k, n] input "
	"\"b\"\n%w = f32[i, k, n] view { %b[0, k, n] }\n%p = f32[i, m, n, k] mul %a, %w\n%c = f32[i, m, n] add.reduce %p\n"
	"result \"y\" = %c\n";
static const char single[] =
	"graph 1\nvar m 1\nvar k 6\nvar n 7\nvar j 12\n%a = f32[m, j] input \"a\"\n%b = f32[k, n] input \"b\"\n"
	"%w = f32[m, k] view { %a[m, 2*k] }\n%p = f32[m, n, k] mul %w, %b\n%c = f32[m, n] add.reduce %p\nresult \"y\" = %c\n";

static const struct lt_routine strict[] = {
	{ .name = "dot_bias", LT_PATTERN_PRODUCT, LT_EPILOGUE_BIAS, 1u << LT_F32, 1u << LT_F32, 1u << LT_F32, 0, 0, LT_F32,
		LT_LAYOUT_BATCH, 0 },
	{ .name = "anything", LT_PATTERN_NONE, 0, 0, 0, 0, 0, 0, 0, 0, 0 },
	{ .name = "dot", LT_PATTERN_PRODUCT, 3, 1u << LT_F32, 1u << LT_F32, 1u << LT_F32, 0, 0, LT_F32, 0, 0 },
	{ .name = "mixed", LT_PATTERN_PRODUCT, 3, 1u << LT_F32, 1u << LT_F32, 1u << LT_F32 | 1u << LT_F64, 1u << LT_I8,
		1u << LT_F16, LT_F32, 0, 0 },
	{ .name = "dot_bias", LT_PATTERN_PRODUCT, LT_EPILOGUE_BIAS, 1u << LT_F64, 1u << LT_F64, 1u << LT_F64, 0, 0, LT_F64, 0,
		0 },
};
static const struct { const char *graph, *tree, *why;
} refusals[] = {
	{ wide_lacks, "group call dot\n" WIDE_LOOPS " m\n  n\n   j\n    %y\n",
		"`call dot` on the group: %y (add) adds %r, which has neither only the columns of the product, as a "
		"bias, nor all its dims; move it out of the group" },
	{ wide_row_lacks, "group call dot\n n\n  j\n   k\n    %p\n    %c\n   %d\n   %y\n",
		"`call dot` on the group: %d (add) comes before the bias of a product that has one after it; a routine "
		"adds one "
		"bias, then one residual; move what comes after %d out of the group" },
	{ chain, "group call dot_bias\n" LOOPS " m\n  n\n   %d\n   %y\n",
		"`call dot_bias` on the group: %d exp is between the product and its bias; move it out of the group" },
	{ two, "group call dot_bias\n" LOOPS " m\n  n\n   %d\n",
		"`call dot_bias` on the group: %c and %d are both read outside of the group, and a routine writes one "
		"value; move one of them out" },
	{ early, "group call dot_bias\n m\n  k\n   %a\n m\n  n\n   k\n    %p\n    %c\n",
		"`call dot_bias` on the group: %a exp comes before %p, which a routine does not do; move it out of the "
		"group" },
	{ alone, "m call dot_bias\n n\n  k\n   j\n    %p\n    %c\n",
		"`call dot_bias` on the loop m: %c sums over j, which only %a has; sum that alone, outside of the loop "
		"m" },
	{ border, "m call dot_bias\n n\n  k\n   %p\n   %c\n",
		"`call dot_bias` on the loop m: %p reads %a through a view with a border; "
		"materialize that outside of the loop m" },
	{ backwards, "group call dot_bias\n" LOOPS " m\n  n\n   %d\n   %y\n",
		"`call dot_bias` on the group: %d (ReLU) comes before the bias of the product, and a routine does that "
		"first; move "
		"what comes after %d out of the group" },
	{ maximum, "m call dot_bias\n k\n  %p\n  %c\n",
		"`call dot_bias` on the loop m: %c reduces by max, and a product is a sum; move it out of the loop m" },
	{ plain, "k step 4\n group call dot_bias\n  m\n   n\n    k'\n     %p\n     %c\n",
		"`call dot_bias` on the group: the loop k around the call also sums %c; a routine computes the whole "
		"sum: put the "
		"call on that loop" },
	{ plain, "k step 5 call dot_bias  tail peel\n m\n  n\n   k'\n    %p\n    %c\n",
		"`call dot_bias` on the loop k: the loop k sums and is peeled into several calls; give it tail guard" },
	{ plain, "group call gem\n" LOOPS,
		"`call gem` on the group: odd has no routine of that name; it has dot_bias, anything, dot, mixed" },
	{ all, "group call dot_bias\n" LOOPS " m\n  n\n   %d\n   %e\n   %y\n",
		"`call dot_bias` on the group: the routine adds no residual after the product; move it out" },
	{ halves, "group call dot_bias\n m\n  n\n   k\n    %a32\n    %b32\n    %p\n    %c\n   %v32\n   %d\n   %y\n",
		"`call dot_bias` on the group: %y is written as f16, and the routine takes f32 there; cast it "
		"outside" },
	{ batches, "b call dot_bias\n m\n  k\n   l\n    n\n     %p\n     %c\n",
		"`call dot_bias` on the loop b: the deep dims l and k of %a do not lie one in the other, as the routine "
		"requires; stage or materialize it outside" },
	{ batch, "b call dot\n m\n  n\n   k\n    %p\n    %c\n",
		"`call dot` on the loop b: the product has the batch b, and the routine takes none; put the call "
		"inside of a loop over it" },
	{ added, "group call dot\n" LOOPS " n\n  %w\n  m\n   %d\nm\n n\n  %s\n  %y\n",
		"`call dot` on the group: %v is read as i8, and the routine takes f32 there; cast it outside" },
	{ added, "n\n %w\ngroup call dot\n" LOOPS " m\n  n\n   %s\n   %d\n   %y\n",
		"`call dot` on the group: %r is read as f16, and the routine takes f32 there; cast it outside" },
	{ added, "n\n %w\ngroup call mixed\n" LOOPS " m\n  n\n   %s\n   %d\n   %y\n",
		"`call mixed` on the group: %w is read as f32, and the routine takes i8 there; cast it outside" },
	{ stepped, "group call dot\n" LOOPS " m\n  n\n   %d\n",
		"`call dot` on the group: %v does not lie side by side along the columns, as the routine requires of a bias; "
		"stage or materialize it outside" },
	{ scalar, "group call dot\n" LOOPS " m\n  n\n   %d\n",
		"`call dot` on the group: %v does not lie side by side along the columns, as the routine requires of a bias; "
		"stage or materialize it outside" },
	{ folded, "m call dot\n h\n  n\n   k\n    %p\n    %c\n",
		"`call dot` on the loop m: the rows m and h of %a do not lie one in the other, as the routine requires; stage or "
		"materialize it outside" },
	{ window, "m call dot\n n\n  k\n   %p\n   %c\n",
		"`call dot` on the loop m: %a lies side by side along neither of its two dims, as the routine requires; stage or "
		"materialize it outside" },
	{ turned, "m call dot\n n\n  k\n   %p\n   %c\n",
		"`call dot` on the loop m: %a lies side by side along neither of its two dims, as the routine requires; stage or "
		"materialize it outside" },
	{ as_many, "m call dot\n n\n  k\n   %p\n   %c\n",
		"`call dot` on the loop m: how many there are of k follows from a run-time scalar, and the routine is told before" },
	{ across, "group call dot\n" LOOPS " m\n  n\n   %d\n",
		"`call dot` on the group: %r does not lie along the dim that %d lies along, as the routine requires of "
		"a residual; "
		"stage or materialize it outside" },
	{ rounded, "group call dot\n" LOOPS " m\n  n\n   %h\n   %s\n   %y\n",
		"`call dot` on the group: %h rounds to f16 between two operators, which dot does not do; end the call there, or "
		"allow that it is left out" },
	{ twice, "group call dot\n" LOOPS " m\n  n\n   %h\n   %y\n",
		"`call dot` on the group: %h rounds to f16 between two operators, which dot does not do; end the call there, or "
		"allow that it is left out" },
	{ to_bf16, "group call dot\n" LOOPS " m\n  n\n   %h\n   %y\n",
		"`call dot` on the group: %h rounds to f16 between two operators, which dot does not do; end the call there, or "
		"allow that it is left out" },
	{ wraps, "group call dot\n" LOOPS " m\n  n\n   %y\n",
		"`call dot` on the group: %y cast comes after the product, and a routine does not do it; move it out "
		"of the "
		"group" },
	{ wider, "group call mixed\n" LOOPS " m\n  n\n   %s\n   %w\n   %y\n",
		"`call mixed` on the group: the graph adds in f64, and the routine in f32; cast outside" },
	{ plain,
		"own %b.copy = copy %b\nn\n k\n  %b.copy layout [n/4 k n]\ngroup call dot_bias\n m\n  n\n   k\n    "
		"%p\n    %c\n",
		"`call dot_bias` on the group: the elements of %b.copy lie in blocks that the group cuts; materialize "
		"it, or choose another layout" },
};

static void try_tree(const char *backend, const char *graph, const char *tree, lt_status want, const char *why)
{
	struct lt_context *ctx;
	struct lt_program *p = NULL;
	cr_assert_eq(lt_context_new(&ctx), LT_OK);
	struct lt_graph *g = parsed_in(ctx, graph);
	const struct lt_options options = { .size = sizeof options, .backends = backend };
	cr_expect_eq(tree_compile_marked((void *)(uintptr_t)tree, g, &options, &p), want, "%s\n%s%s", lt_context_message(ctx),
		graph, tree);
	if (want == LT_EILLEGAL)
		cr_expect_str_eq(lt_context_message(ctx), why, "%s\n%s", lt_context_message(ctx), tree);
	if (want == LT_EUNSUPPORTED)
		cr_expect_not_null(strstr(lt_context_message(ctx), why), "%s\n%s", lt_context_message(ctx), tree);
	lt_program_free(p);
	lt_graph_free(g);
	lt_context_free(ctx);
}

Test(call_refused, what_fits_no_row_is_refused_with_what_is_in_the_way)
{
	odd_open();
	odd_routines(strict, sizeof strict / sizeof *strict);
	for (size_t i = 0; i < sizeof refusals / sizeof *refusals; i++)
		try_tree("odd", refusals[i].graph, refusals[i].tree, LT_EILLEGAL, refusals[i].why);
}

/* A row that takes anything, of an interface in which nothing says of roundings, is not given what lacks one: it may go
 * by the epilogues alone.  One of today's is. */
Test(call_refused, what_knows_of_no_roundings)
{
	static const char tree[] = "group call anything\n" LOOPS " m\n  n\n   %h\n   %s\n   %y\n";
	struct before { const char *name; uint32_t pattern, epilogues; uint64_t left, right, result, bias, residual;
		uint32_t sum, layouts; int64_t min_flops; } old = { .name = "anything", .pattern = LT_PATTERN_NONE };
	odd_open()->routines = (struct lt_array){ &old, 1, sizeof old };
	try_tree("odd", rounded, tree, LT_EILLEGAL, "`call anything` on the group: %h rounds to f16 between two "
		"operators, which anything does not do; end the call there, or allow that it is left out");
	odd_routines(&strict[1], 1);
	try_tree("odd", rounded, tree, LT_OK, "");
}

/* A bias and a residual of types of their own, a batch of one, dims of one role that lie one in the other, batches that
 * a factor does not have, dims of one element, a value that is rounded where the call ends. */
Test(call_refused, what_fits_its_row_is_taken)
{
	static const struct { const char *graph, *tree; } fits[] = {
		{ added, "group call mixed\n" LOOPS " m\n  n\n   %w\n   %s\n   %d\n   %y\n" },
		{ batch, "b\n group call dot\n  m\n   n\n    k\n     %p\n     %c\n" },
		{ heads, "i call dot_bias\n j\n  m\n   n\n    h\n     k\n      %p\n      %c\n" },
		{ repeated, "i call dot_bias\n m\n  n\n   k\n    %p\n    %c\n" },
		{ single, "m call dot\n n\n  k\n   %p\n   %c\n" },
		{ twice, "group call dot\n" LOOPS "m\n n\n  %h\n  %y\n" },
	};
	odd_open();
	odd_routines(strict, sizeof strict / sizeof *strict);
	for (size_t i = 0; i < sizeof fits / sizeof *fits; i++)
		try_tree("odd", fits[i].graph, fits[i].tree, LT_OK, "");
}

/* ref has no table: it runs any call as loops; cpu says that it has none. */
Test(call_refused, without_a_table_the_backend_decides)
{
	for (size_t i = 0; i < sizeof refusals / sizeof *refusals; i++)
		try_tree("ref", refusals[i].graph, refusals[i].tree, LT_OK, "");
	try_tree("cpu", plain, "group call gemm\n" LOOPS, LT_EUNSUPPORTED, "call");
	/* A routine that does anything is reported nothing of the nest, and this backend knows none. */
	odd_open();
	odd_routines(strict, 3);
	try_tree("odd", chain, "group call anything\n" LOOPS " m\n  n\n   %d\n   %y\n", LT_EUNSUPPORTED,
		"does not say what the call computes");
	/* A second backend that takes it is enough. */
	odd_open();
	try_tree("odd,ref", chain, "group call none\n" LOOPS " m\n  n\n   %d\n   %y\n", LT_OK, "");
}
