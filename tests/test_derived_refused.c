/* test_derived_refused.c -- what stage, materialize, inline, rfactor, layout and call refuse; texts of trees with
 * derived nodes that are wrong. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>
#include "tests/derived_trees.h"
#include "tests/tree_text.h"

/* Where the tree has nodes of its own. */
#define OWN "by the graph and the lines 'own' above"

/* Of a name that does not exist the sentence also lists the nearest that do. */
static void same_but_for_names(const char *got, const char *want)
{
	const char *names = strstr(got, "; there ");
	size_t n = names && !strstr(want, "; there ") ? (size_t)(names - got) : strlen(got),
	       m = n < strlen(got) ? strcspn(want, "(") : strlen(want);
	while (n < strlen(got) && m > 0 && want[m - 1] == ' ')
		m--;
	cr_expect(n == m && !strncmp(got, want, n), "\"%s\", not \"%s\"", got, want);
}

TestSuite(derived_refused, .timeout = 300);

static const struct { const char *from, *steps, *why;
} refusals[] = {
	{ "fused", "stage %q %b at m",
		"apply:1:1: `stage %q %b at m`: the graph has no node %q (lt-run --dump=tree shows the leaves)" },
	{ "fused", "stage %p b at m", "apply:1:1: `stage %p b at m`: a value is named by its node, as %y, not 'b'" },
	{ "fused", "stage %p %zz at m",
		"apply:1:1: `stage %p %zz at m`: the graph has no node %zz (lt-run --dump=tree shows them)" },
	{ "fused", "stage %p %b in m",
		"apply:1:1: `stage %p %b in m`: `at LOOP` says where the copy is made; `at root` makes it in a nest of "
		"its own" },
	{ "fused", "stage %p %b at",
		"apply:1:1: `stage %p %b at`: a step of this kind is `stage %NODE %VALUE at LOOP [layout ...]`" },
	{ "fused", "stage %p %b at q",
		"apply:1:1: `stage %p %b at q`: there is no loop q around %p; there are m, k, n" },
	{ "fused", "stage %p %b at %d/n",
		"apply:1:1: `stage %p %b at %d/n`: %p is not inside the loop %d/n; the copy is made in a loop around "
		"its reader, "
		"or at root" },
	{ "fused", "stage %d %b at m", "apply:1:1: `stage %d %b at m`: %d does not read %b itself; it reads %c" },
	{ "fused", "stage %d %c at root",
		"apply:1:1: `stage %d %c at root`: %c.copy reads %c, which is written after it; put the leaf of %c "
		"before it" },
	{ "fused", "stage %d %c at %p/k",
		"apply:1:1: `stage %d %c at %p/k`: %d is not inside the loop k; the copy is made in a loop around its "
		"reader, or "
		"at root" },
	{ "fused", "stage %p %b at m layout n",
		"apply:1:1: `stage %p %b at m layout n`: a layout of %b.copy has each dim itself among its digits; `k` is "
		"missing" },
	{ "fused", "stage %p %b at m layout n k m",
		"apply:1:1: `stage %p %b at m layout n k m`: 'm' is not a dim of %b.copy, which has k 12, n 6" },
	{ "fused", "stage %p %b at m layout n/4 n/3 k n",
		"apply:1:1: `stage %p %b at m layout n/4 n/3 k n`: the digits of n have steps 4 and 3; each has "
		"to divide the next larger one, as in `n/64 n/16 n`" },
	{ "fused", "stage %p %b at m layout n/x k n",
		"apply:1:1: `stage %p %b at m layout n/x k n`: the step of a digit is a whole number of at least 1, "
		"not 'x'" },
	{ "fused", "stage %p %b at m layout n/0 k n",
		"apply:1:1: `stage %p %b at m layout n/0 k n`: the step of a digit is a whole number of at least 1, "
		"not '0'" },
	{ "fused", "stage %p %b at m layout k n pad 0",
		"apply:1:1: `stage %p %b at m layout k n pad 0`: pad is a whole number of at least 1, not '0'" },
	{ "fused", "stage %p %b at m layout k n pad x",
		"apply:1:1: `stage %p %b at m layout k n pad x`: pad is a whole number of at least 1, not 'x'" },
	{ "fused", "stage %p %b at m layout k n pad",
		"apply:1:1: `stage %p %b at m layout k n pad`: `pad` is followed by the elements of a gap, as in `pad 8`" },
	{ "fused", "stage %p %b at m layout pad 8 k n",
		"apply:1:1: `stage %p %b at m layout pad 8 k n`: `pad` comes behind a digit of a layout, and not before the first" },
	{ "fused", "stage %p %b at m depth 1 async",
		"apply:1:1: `stage %p %b at m depth 1 async`: %b.copy is copied async into one buffer, so that nothing can be "
		"computed meanwhile; give it depth 2 or more, or leave async out" },
	{ "fused", "stage %p %b at m twice",
		"apply:1:1: `stage %p %b at m twice`: 'twice' is not allowed here; after the loop come `layout DIGIT "
		"...` and `depth "
		"N [async]`" },
	{ "fused", "stage %p %b at m; stage %p %b at m",
		"apply:1:19: `stage %p %b at m`: %p does not read %b itself; it reads %a, %b.copy" },
	{ "keeps", "stage %u %h at root", "apply:1:1: `stage %u %h at root`: %u changes %h itself, not a copy of it" },
	{ "flat", "stage %y %h at root",
		"apply:1:1: `stage %y %h at root`: %v is not a window of %h: its indices are not plain sums of its "
		"dims; stage %v "
		"itself" },
	{ "flat", "stage %z %h at root",
		"apply:1:1: `stage %z %h at root`: %w is not a window of %h: it leaves out elements that the source "
		"has; stage %w "
		"itself" },
	{ "conv", "split %y/o 2; stage %y %h at %y/o; fission %y o; merge %y/o",
		"apply:1:36: `fission %y o`: %y reads %h.copy and is read by %s in the loop o, so it can go neither "
		"before nor after "
		"it; `fission %s o` first" },
	{ "halo", "split i 3; stage %y %x at i; merge i'",
		"apply:1:30: `merge i'`: the loop i' is not alone directly inside i; reorder or fission what is "
		"between or next to "
		"them first" },
	{ "halo", "split i 3; stage %y %x at i; split i 4",
		"apply:1:30: `split i 4`: a step of 4 is not a multiple of 3, the step of the loop i; choose 6" },
	{ "keeps", "materialize %h", "apply:1:1: `materialize %h`: no leaf reads %h" },
	{ "fused", "call m gemm; stage %p %b at k",
		"apply:1:14: `stage %p %b at k`: the loop k is in a nest that is handed over by `call gemm`; make that "
		"serial "
		"first" },
	{ "fused", "call m gemm; split k 4; rfactor %c k",
		"apply:1:25: `rfactor %c k`: the loop k is in a nest that is handed over by `call gemm`; make that "
		"serial first" },
	{ "fused", "stage %p %b at root layout k n; layout %b.copy k",
		"apply:1:33: `layout %b.copy k`: a layout of %b.copy has each dim itself among its digits; "
		"`n` is missing" },
	{ "one", "split k 4; rfactor %c %d/k",
		"apply:1:12: `rfactor %c %d/k`: there is no loop k around %d; there are m, n" },
	{ "each", "split %c/k 4; rfactor %c %d/m", "apply:1:15: `rfactor %c %d/m`: %c is not inside the loop %d/m" },
	{ "fused", "materialize b", "apply:1:1: `materialize b`: a value is named by its node, as %y, not 'b'" },
	{ "fused", "materialize %d",
		"apply:1:1: `materialize %d`: %d has a leaf, which says where it is stored; `stage` copies it for a "
		"reader" },
	{ "fused", "materialize %zz",
		"apply:1:1: `materialize %zz`: the graph has no node %zz (lt-run --dump=tree shows them)" },
	{ "fused", "materialize %b at", "apply:1:1: `materialize %b at`: `at LOOP` says where the copy is made" },
	{ "fused", "materialize %b in m", "apply:1:1: `materialize %b in m`: `at LOOP` says where the copy is made" },
	{ "fused", "materialize %b at q",
		"apply:1:1: `materialize %b at q`: there is no loop q around %p; there are m, k, n" },
	{ "keeps", "materialize %u",
		"apply:1:1: `materialize %u`: %u changes the result itself, which cannot be stored elsewhere" },
	{ "conv", "materialize %x at o",
		"apply:1:1: `materialize %x at o`: there is no loop o around %h; there are i" },
	{ "fused", "materialize %e at k",
		"apply:1:1: `materialize %e at k`: there is no loop k around %e; there are m, n" },
	{ "fused", "inline %d", "apply:1:1: `inline %d`: %d has one reader; `fuse` moves it to where it is read" },
	{ "conv", "inline %h; inline %h",
		"apply:1:12: `inline %h`: the graph has no node %h (lt-run --dump=tree shows the leaves)" },
	{ "gathers", "inline %h",
		"apply:1:1: `inline %h`: %h gathers, so it cannot be computed at the points where %w reads it; `stage` "
		"the value %w "
		"for its reader" },
	{ "through", "inline %h; inline %h",
		"apply:1:12: `inline %h`: %h has one reader, the result %v, which it is stored in; `materialize %v` "
		"first" },
	{ "fused", "inline %e", "apply:1:1: `inline %e`: %e is not read, so there is no reader to compute it" },
	{ "fused", "inline %b",
		"apply:1:1: `inline %b`: %b has no leaf: inputs, constants, states, literals and views are read where "
		"they are used" },
	{ "keeps", "inline %u", "apply:1:1: `inline %u`: %u has one reader; `fuse` moves it to where it is read" },
	{ "fused", "rfactor %c k",
		"apply:1:1: `rfactor %c k`: k is the only loop that %c reduces over, so its partial results would just "
		"be its terms; "
		"`split k` first" },
	{ "fused", "rfactor %c m", "apply:1:1: `rfactor %c m`: %c does not reduce over the loop m" },
	{ "fused", "rfactor %d n", "apply:1:1: `rfactor %d n`: %d does not reduce over the loop %d/n" },
	{ "fused", "rfactor %d m", "apply:1:1: `rfactor %d m`: %d does not reduce over the loop m" },
	{ "fused", "rfactor %b k",
		"apply:1:1: `rfactor %b k`: %b has no leaf: inputs, constants, states, literals and views are read "
		"where they are used" },
	{ "upto", "split t 4; rfactor %s t",
		"apply:1:12: `rfactor %s t`: the trip count of the loop t depends on a run-time scalar, so its "
		"iterations are not a "
		"dim; `split` it and use the inner loop" },
	{ "least", "rfactor %c m", "apply:1:1: `rfactor %c m`: %c does not reduce over the loop m" },
	{ "fused", "split k 4; rfactor %c k; parallel k",
		"apply:1:26: `parallel k`: the parallel loop over k reduces %c: its iterations at m = 0, k = 0, n = 0 "
		"and m = 0, k = "
		"4, n = 0 add to the same element 0, 0 of %c; rfactor %c over it first, or make it serial" },
	{ "fused", "split k 4; rfactor %c k'; parallel k",
		"apply:1:27: `parallel k`: the parallel loop over k reduces %c.part: its iterations at m = 0, k = 0, n "
		"= 0 and m = "
		"0, k = 4, n = 0 add to the same element 0, 0, 0 of %c.part; rfactor %c.part over it first, or make it "
		"serial" },
	{ "fused", "split k 4; rfactor %c k'; parallel k_1",
		"apply:1:27: `parallel k_1`: the parallel loop over k_1 reduces %c: its iterations at m = 0, k_1 = 0, "
		"n = 0 and m = "
		"0, k_1 = 1, n = 0 add to the same element 0, 0 of %c; rfactor %c over it first, or make it serial" },
	{ "fused", "split k 4; rfactor %c k'; merge k'",
		"apply:1:27: `merge k'`: k_1, a dim of %c.part, counts iterations of a loop over k: the loops over k "
		"around it need "
		"one of step 4 and one of step 1, and larger steps are multiples of those; add what is missing with "
		"`split`" },
	{ "fused", "split k 8; split k' 4; rfactor %c k'; merge k'",
		"apply:1:39: `merge k'`: k_4, a dim of %c.part, counts iterations of a loop over k: the loops over k "
		"around it need "
		"one of step 8 and one of step 4, and larger steps are multiples of those; add what is missing with "
		"`split`" },
	{ "fused", "split k 4; rfactor %c k'; split k 6",
		"apply:1:27: `split k 6`: a step of 6 is not a multiple of 4, the step of the loop k; choose 8" },
	{ "fused", "split k 4; rfactor %c k'; fuse %c k",
		"apply:1:27: `fuse %c k`: %c reads %c.part inside its reducing loop over k, before the reduction is "
		"complete; move "
		"%c after that loop" },
	{ "fused", "layout %e n m",
		"apply:1:1: `layout %e n m`: %e is a result, a state, part of an update or a tensor of "
		"a kernel of one's own: its order in memory is that "
		"of its dims; "
		"`materialize` it to have a copy in another order" },
	{ "fused", "layout %c n",
		"apply:1:1: `layout %c n`: a layout of %c has each dim itself among its digits; `m` is "
		"missing" },
	{ "fused", "layout %c n m m",
		"apply:1:1: `layout %c n m m`: the digits of m have steps 1 and 1; each has to divide the "
		"next larger one, as in "
		"`m/64 m/16 m`" },
	{ "fused", "layout %c n m swizzle 3 4 3",
		"apply:1:1: `layout %c n m swizzle 3 4 3`: 'swizzle' is not a dim of %c, which has m 5, n 6" },
	{ "fused", "layout %c n m swizzle 96",
		"apply:1:1: `layout %c n m swizzle 96`: a swizzle is of 32, 64 or 128 bytes, not 96: within as many, runs of 16 "
		"bytes change places" },
	{ "fused", "layout %c n m pad 8 swizzle 64",
		"apply:1:1: `layout %c n m pad 8 swizzle 64`: a layout has a pad or a swizzle, not both: gaps move what the "
		"swizzle moves" },
	{ "fused", "layout %a m k",
		"apply:1:1: `layout %a m k`: %a has no leaf: inputs, constants, states, literals and views are read "
		"where they are used" },
	{ "fused", "layout %c m n pad",
		"apply:1:1: `layout %c m n pad`: `pad` is followed by the elements of a gap, as in `pad 8`" },
	{ "fused", "layout %c m n pad 0",
		"apply:1:1: `layout %c m n pad 0`: pad is a whole number of at least 1, not '0'" },
	{ "conv", "layout %s o",
		"apply:1:1: `layout %s o`: %s is a result, a state, part of an update or a tensor of "
		"a kernel of one's own: its order in memory is that "
		"of its dims; "
		"`materialize` it to have a copy in another order" },
	{ "keeps", "layout %u i",
		"apply:1:1: `layout %u i`: %u is a result, a state, part of an update or a tensor of "
		"a kernel of one's own: its order in memory is that "
		"of its dims; "
		"`materialize` it to have a copy in another order" },
	{ "keeps", "layout %y q/1 q",
		"apply:1:1: `layout %y q/1 q`: the digits of q have steps 1 and 1; each has to divide the "
		"next larger one, as in "
		"`q/64 q/16 q`" },
	{ "fused", "call m ge-mm",
		"apply:1:1: `call m ge-mm`: the name of a routine has letters, digits, '_' and '.', not 'ge-mm'" },
	{ "fused", "call m", "apply:1:1: `call m`: a step of this kind is `call LOOP NAME`" },
	{ "fused", "call q gemm", "apply:1:1: `call q gemm`: there is no loop q; there are m, k, n" },
	{ "fused", "call m gemm; unroll m",
		"apply:1:14: `unroll m`: the loop m is handed over by `call gemm`; make it serial first" },
	{ "fused", "call m gemm; call m dot",
		"apply:1:14: `call m dot`: the loop m is handed over by `call gemm`; make it serial first" },
};
/* Of the tree that these steps make, one text in the place of another. */
static const char edited[] = "stage %p %b at root layout n/4 k n pad 3; split %p/k 4; rfactor %c k'";
static const struct { const char *old, *new, *why; } edits[] = {
	{ "copy %b for %p", "copy %zz for %p",
		"t:4:1: there is no node %zz" },
	{ "copy %b for %p", "copy %b for %zz",
		"t:4:1: there is no node %zz" },
	{ "copy %b for %p", "copy %b for %d",
		"t:4:1: %d does not read %b itself; it reads %c" },
	{ "copy %b for %p", "copy b for %p",
		"t:4:20: a node such as %y is expected, not 'b'" },
	{ "copy %b for %p", "copy %b for p",
		"t:4:27: a node such as %y is expected, not 'p'" },
	{ "copy %b for %p", "copy %b over %p",
		"t:4:23: 'for' is expected, not 'over'" },
	{ "copy %b for %p", "copy %b for %p twice",
		"t:4:30: the line should end here, not go on with 'twice'" },
	{ "= copy", "= cpy",
		"t:4:15: 'copy', 'window', 'clone' or 'partial' is expected, not 'cpy'" },
	{ "= copy", "copy",
		"t:4:13: '=' is expected, not 'copy'" },
	{ "own %b.copy", "own %b",
		"t:4:1: there is a node %b already; choose another name" },
	{ "own %b.copy", "own b.copy",
		"t:4:5: a node such as %y is expected, not 'b'" },
	{ "own %b.copy = copy %b for %p\n", "",
		"t:15:7: the graph has no node '%b.copy'" },
	{ "own %b.copy = copy %b for %p", "own %b.copy = clone %b for %p",
		"t:4:1: %b cannot be computed twice: it is read where it is used" },
	{ "own %b.copy = copy %b for %p", "own %b.copy = clone %d at %e",
		"t:4:1: %e is not a view, so %d has no other points to be computed at; write `for %e`" },
	{ "own %b.copy = copy %b for %p", "own %b.copy = clone %d to %e",
		"t:4:24: 'for' is expected, not 'to'" },
	{ "own %b.copy = copy %b for %p", "own %b.copy = clone %c for %d",
		"t:5:1: there is no node %c" },
	{ "own %c.part", "own %b.copy2 = copy %b for %p\nown %c.part",
		"t:5:1: %p does not read %b itself; it reads %a, %b.copy" },
	{ "own %c.part", "own %b.copy = copy %a for %p\nown %c.part",
		"t:22:29: %p has operands %a %b.copy here, and %b.copy2 %b.copy " OWN },
	{ "partial %c over k", "partial %c over q",
		"t:5:1: there is no var q" },
	{ "partial %c over k", "partial %c over m",
		"t:5:1: %c does not reduce over m: only a reduction has partial results" },
	{ "partial %c over k", "partial %d over m",
		"t:5:1: %d does not reduce over m: only a reduction has partial results" },
	{ "partial %c over k", "partial %c on k",
		"t:5:26: 'over' is expected, not 'on'" },
	{ "step 1 below 4", "step 1 below 6",
		"t:9:9: var k_1 has extent 4 here, and 6 " OWN },
	{ "step 1 below 4", "step 3 below 4",
		"t:5:1: the iterations of a loop over k in steps of 3 inside one of 4 are not a dim: the second step has to be a "
		"multiple of the first" },
	{ "step 1 below 4", "step 4 below 4",
		"t:5:1: the iterations of a loop over k in steps of 4 inside one of 4 are not a dim: the second step has to be a "
		"multiple of the first" },
	{ "step 1 below 4", "step 12",
		"t:5:1: a loop over k in steps of 12 has one iteration, so its only partial result would be the whole one; choose a "
		"step below 12" },
	{ "step 1 below 4", "step 0 below 4",
		"t:5:38: a step is a whole number of at least 1, not '0'" },
	{ "step 1 below 4", "step 1 below x",
		"t:5:46: a step is a whole number of at least 1, not 'x'" },
	{ "step 1 below 4", "step 1",
		"t:9:9: var k_1 has extent 4 here, and 12 " OWN },
	{ "as k_1", "as m",
		"t:5:1: there is a var m already; choose another name" },
	{ "as k_1", "as k 1",
		"t:5:53: the line should end here, not go on with '1'" },
	{ "as k_1", "",
		"t:5:48: 'as' is expected, not the end of the line" },
	{ "as k_1", "as j",
		"t:9:5: the graph has no var 'k_1'" },
	{ "var k_1 4", "var k_1 5",
		"t:9:9: var k_1 has extent 5 here, and 4 " OWN },
	{ "var k_1 4\n", "",
		"t:9:1: the graph has a var k_1 of extent 4 that this header lacks" },
	{ "[n/4 k n]", "[n/4 k]",
		"t:16:34: a layout of %b.copy has each dim itself among its digits; `n` is missing" },
	{ "[n/4 k n]", "[n/4 k n m]",
		"t:16:34: 'm' is not a dim of %b.copy, which has k 12, n 6" },
	{ "[n/4 k n]", "[n/3 n/2 k n]",
		"t:16:34: the digits of n have steps 3 and 2; each has to divide the next larger one, as in `n/64 n/16 n`" },
	{ "[n/4 k n]", "[n/4 k n/0]",
		"t:16:34: the step of a digit is a whole number of at least 1, not '0'" },
	{ "[n/4 k n]", "[n/4 k n",
		"t:16:75: ']' is expected after the digits of a layout" },
	{ "[n/4 k n]", "",
		"t:16:34: %b.copy has attribute layout  pad 3 here, and none " OWN },
	{ "[n/4 k n]", "[]",
		"t:16:34: a layout of %b.copy has each dim itself among its digits; `k` is missing" },
	{ "pad 3", "pad 0",
		"t:16:55: the padding of a layout is a whole number of at least 1, not '0'" },
	{ "pad 3", "pad 100000000000000000000",
		"t:16:55: the padding of a layout is at most 9223372036854775807, not '100000000000000000000'" },
	{ "pad 3", "pad 9223372036854775808",
		"t:16:55: the padding of a layout is at most 9223372036854775807, not '9223372036854775808'" },
	{ "pad 3", "pad",
		"t:16:74: the padding of a layout is a whole number of at least 1, not the end of the line" },
	{ "pad 3", "pad 3 3",
		"t:16:57: the line should end here, not go on with '3'" },
	{ "layout [n/4", "lay [n/4",
		"t:16:34: %b.copy has attribute lay [n/4 k n] pad 3 here, and none " OWN },
	{ "reduce[k] %p", "reduce[k k'] %p",
		"t:22:42: %c.part names the loops [k k']; those around it that it reduces over are [k]" },
	{ "reduce[k_1]", "reduce[k]",
		"t:24:31: %c names the loops [k]; those around it that it reduces over are [k_1]" },
	{ "%c.part f32[m n k_1]", "%c.part f32[m n]",
		"t:22:20: %c.part has dims [m n] here, and [m n k_1] " OWN },
	{ "for k_1", "for k",
		"t:24:31: %c names the loops [k_1]; those around it that it reduces over are [k]" },
	{ "copy %b layout", "copy %a layout",
		"t:16:31: %b.copy has operands %a here, and %b " OWN },
	{ "= abs %d", "= abs %d layout [n m]",
		"t:26: %e is a result, a state, part of an update or a tensor of "
		"a kernel of one's own: its order in memory is that of its dims; `materialize` it to "
		"have a copy in another order" },
	{ "      for k' ", "      for k_1 ",
		"t:19: the innermost loop over k around %p has step 4; it must be 1: add a loop over k with step 1 inside" },
	{ "    for k step 4", "    for k step 3",
		"t:22:42: %c.part names the loops [k]; those around it that it reduces over are []" },
	{ "    for k step 4", "    for k step 6",
		"t:19: k_1, a dim of %c.part, counts iterations of a loop over k: the loops over k around it need one of step 4 and "
		"one of step 1, and larger steps are multiples of those; one has step 6" },
};

Test(derived_refused, each_step)
{
	for (size_t i = 0; i < sizeof refusals / sizeof *refusals; i++) {
		struct derived_case p = derived_open(refusals[i].from);
		struct run_text before = tree_print(p.t), after;
		struct lt_looptree *t = p.t;
		lt_status st = derived_apply(&p, refusals[i].steps, &t);
		cr_expect(st == LT_EILLEGAL || st == LT_ESYNTAX || st == LT_EUNSUPPORTED, "`%s`: %d", refusals[i].steps, st);
		cr_expect_null(t);
		same_but_for_names(lt_context_message(p.ctx), refusals[i].why);
		after = tree_print(p.t);
		cr_expect_str_eq(after.at, before.at);
		run_text_free(&before);
		run_text_free(&after);
		derived_close(&p);
	}
}

/* The text with its first `old` replaced; the caller's to free. */
static char *replaced(const char *text, const char *old, const char *new)
{
	const char *at = strstr(text, old);
	cr_assert_not_null(at, "%s", old);
	char *out = malloc(strlen(text) + strlen(new) + 1);
	memcpy(out, text, (size_t)(at - text));
	strcpy(out + (at - text), new);
	strcat(out, at + strlen(old));
	return out;
}

Test(derived_refused, each_text)
{
	for (size_t i = 0; i < sizeof edits / sizeof *edits; i++) {
		struct derived_case p = derived_open("one");
		struct lt_looptree *t, *back = p.t;
		cr_assert_eq(derived_apply(&p, edited, &t), LT_OK, "%s", lt_context_message(p.ctx));
		struct run_text text = tree_print(t);
		char *wrong = replaced(text.at, edits[i].old, edits[i].new);
		lt_status st = lt_looptree_parse(p.lowered, wrong, strlen(wrong), "t", &back);
		cr_expect(st == LT_EILLEGAL || st == LT_ESYNTAX, "'%s' in the place of '%s': %d", edits[i].new, edits[i].old, st);
		cr_expect_null(back);
		same_but_for_names(lt_context_message(p.ctx), edits[i].why);
		free(wrong);
		run_text_free(&text);
		lt_looptree_free(t);
		derived_close(&p);
	}
}

/* A text that ends anywhere, in memory of its own size, is read to its end and no further. */
Test(derived_refused, texts_may_end_anywhere)
{
	struct derived_case p = derived_open("one");
	struct lt_looptree *t, *back;
	cr_assert_eq(derived_apply(&p, edited, &t), LT_OK, "%s", lt_context_message(p.ctx));
	struct run_text text = tree_print(t);
	for (size_t n = 0; n < text.n; n++) {
		char *part = malloc(n ? n : 1);
		memcpy(part, text.at, n);
		if (!lt_looptree_parse(p.lowered, part, n, "t", &back))
			lt_looptree_free(back);
		free(part);
	}
	run_text_free(&text);
	lt_looptree_free(t);
	derived_close(&p);
}

/* Own lines about another graph's nodes: another graph is what is reported. */
Test(derived_refused, another_graph)
{
	struct derived_case p = derived_open("one"), q = derived_open("planes");
	struct lt_looptree *t, *back;
	cr_assert_eq(derived_apply(&p, edited, &t), LT_OK, "%s", lt_context_message(p.ctx));
	struct run_text text = tree_print(t);
	cr_assert_eq(lt_looptree_parse(q.lowered, text.at, text.n, "t", &back), LT_EILLEGAL);
	const char *why = lt_context_message(q.ctx);
	cr_expect(strstr(why, "t:4:1: this tree is of another graph, or of an older version of the script ("), "%s", why);
	cr_expect(strstr(why, "the first difference: there is no node %b"), "%s", why);
	run_text_free(&text);
	lt_looptree_free(t);
	derived_close(&q);
	derived_close(&p);
}
