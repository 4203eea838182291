/* test_schedule.c -- the schedule primitives: what each makes of a tree, what each refuses, lists of them,
 * cursors. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "looptree/schedule/schedule.h"
#include "tests/tree_marked.h"
#include "tests/tree_text.h"

TestSuite(schedule, .timeout = 120);

static const char layer[] =
	"graph 1\nvar m 24\nvar k 16\nvar n 12\n%a = f32[m, k] input \"a\"\n%b = f32[k, n] constant \"b\"\n"
	"%p = f32[m, n, k] mul %a, %b\n%c = f32[m, n] add.reduce %p\n%d = f32[m, n] exp %c\n%e = f32[m, n] neg "
	"%d\nresult \"e\" = %e\n";
static const char sums[] = "graph 1\nvar i 41\nvar t 32 limit 1 + 1*p\nvar one 1\nparam p = %pos[0] in 0..31\n%pos = "
			   "i64[one] input \"pos\"\n"
			   "%x = f32[i, t] input \"x\"\n%s = f32[i] add.reduce %x\n%u = f32[i] exp %s\n%v = f32[] "
			   "add.reduce %u\n%w = f32[] neg %v\nresult \"w\" = %w\n";

static const char fused[] = "m\n k\n  n\n   %p\n   %c\n n\n  %d\n  %e\n";
static const char one[] = "m\n n\n  k\n   %p\n   %c\n  %d\n  %e\n";
static const char apart[] = "m\n n\n  k\n   %p\n   %c\nm\n n\n  %d\n  %e\n";
static const char each[] = "m\n n\n  k\n   %p\n   %c\nm\n n\n  %d\nm\n n\n  %e\n";
static const char marked[] =
	"m step 6 parallel  tail mask\n m'\n  k\n   n unroll\n    %p\n    %c\n  n vector\n   %d\n   %e\n";
static const char called[] = "m call gemm\n n\n  k\n   %p\n   %c\nm\n n\n  %d\n  %e\n";
static const char rows[] = "i\n t\n  %s\n %u\ni\n %v\ngroup\n %w\n";

static const struct { const char *from, *steps, *want;
} changes[] = {
	{ fused, "split m 6", "m step 6\n m'\n  k\n   n\n    %p\n    %c\n  n\n   %d\n   %e\n" },
	{ fused, "split m 6; split m 12; split m'' 3",
		"m step 12\n m' step 6\n  m'' step 3\n   m'''\n    k\n     n\n      %p\n      %c\n    n\n     %d\n     "
		"%e\n" },
	{ fused, "split %c/n 5", "m\n k\n  n step 5\n   n'\n    %p\n    %c\n n\n  %d\n  %e\n" },
	{ fused, "split m 6; merge m", "m\n k\n  n\n   %p\n   %c\n n\n  %d\n  %e\n" },
	{ fused, "split m 6; merge m'", "m\n k\n  n\n   %p\n   %c\n n\n  %d\n  %e\n" },
	{ fused, "split m 6; split m 12; merge m", "m\n k\n  n\n   %p\n   %c\n n\n  %d\n  %e\n" },
	{ marked, "merge m", "m parallel  tail mask\n k\n  n unroll\n   %p\n   %c\n n vector\n  %d\n  %e\n" },
	{ marked, "split m 12",
		"m step 12\n m' step 6 parallel  tail mask\n  m''\n   k\n    n unroll\n     %p\n     %c\n   n vector\n "
		"   %d\n    %e\n" },
	{ marked, "split m' 3",
		"m step 6 parallel  tail mask\n m' step 3\n  m''\n   k\n    n unroll\n     %p\n     %c\n   n vector\n  "
		"  %d\n    %e\n" },
	{ fused, "reorder k %p/n", "m\n k\n  n\n   %p\n   %c\n n\n  %d\n  %e\n" },
	{ each, "split %c/m 6; split %c/n 4; reorder %c/m %c/n %c/m' %c/k %c/n'",
		"m step 6\n n step 4\n  m'\n   k\n    n'\n     %p\n     %c\nm\n n\n  %d\nm\n n\n  %e\n" },
	{ each, "reorder %c/k %c/m", "k\n n\n  m\n   %p\n   %c\nm\n n\n  %d\nm\n n\n  %e\n" },
	{ one, "fission %e n", "m\n n\n  k\n   %p\n   %c\n  %d\n n\n  %e\n" },
	{ one, "fission %e m", "m\n n\n  k\n   %p\n   %c\n  %d\nm\n n\n  %e\n" },
	{ one, "fission %p m", "m\n n\n  k\n   %p\nm\n n\n  k\n   %c\n  %d\n  %e\n" },
	{ fused, "fission %p k", "m\n k\n  n\n   %p\n k\n  n\n   %c\n n\n  %d\n  %e\n" },
	{ marked, "fission %e m",
		"m step 6 parallel  tail mask\n m'\n  k\n   n unroll\n    %p\n    %c\n  n vector\n   %d\nm step 6 "
		"parallel  tail mask\n m'\n  n vector\n   %e\n" },
	{ marked, "fission %c k",
		"m step 6 parallel  tail mask\n m'\n  k\n   n unroll\n    %p\n  k\n   n unroll\n    %c\n  n vector\n   "
		"%d\n   %e\n" },
	{ each, "fuse %d %c/m", "m\n n\n  k\n   %p\n   %c\n n\n  %d\nm\n n\n  %e\n" },
	{ each, "fuse %d %c/n", "m\n n\n  k\n   %p\n   %c\n  %d\nm\n n\n  %e\n" },
	{ each, "fuse %d %e/n", "m\n n\n  k\n   %p\n   %c\nm\n n\n  %d\n  %e\n" },
	{ each, "split %c/m 6; fuse %d %c/m",
		"m step 6\n m'\n  n\n   k\n    %p\n    %c\n m'\n  n\n   %d\nm\n n\n  %e\n" },
	{ each, "split %c/m 6; split %d/m 6; split %c/n 4; reorder %c/m %c/n %c/m'; fuse %d %c/n",
		"m step 6\n n step 4\n  m'\n   n'\n    k\n     %p\n     %c\n  m'\n   n'\n    %d\nm\n n\n  %e\n" },
	{ rows, "fuse %v %u/i", "i\n t\n  %s\n %u\n %v\ngroup\n %w\n" },
	{ rows, "fuse %v %u/i; fission %v i", "i\n t\n  %s\n %u\ni\n %v\ngroup\n %w\n" },
	{ rows, "fission %u i; fuse %u %v/i", "i\n t\n  %s\ni\n %u\n %v\ngroup\n %w\n" },
	{ one, "unroll n; parallel m", "m parallel\n n unroll\n  k\n   %p\n   %c\n  %d\n  %e\n" },
	{ marked, "serial m'; serial %d/n; serial m",
		"m step 6  tail mask\n m'\n  k\n   n unroll\n    %p\n    %c\n  n\n   %d\n   %e\n" },
	{ one, "vectorize n", "m\n n vector\n  k\n   %p\n   %c\n  %d\n  %e\n" },
	{ fused, "vectorize %d/n 4; vectorize %p/n 12",
		"m\n k\n  n vector\n   %p\n   %c\n n step 4\n  n' vector\n   %d\n   %e\n" },
	{ one, "bind m grid.x; bind n block.y", "m grid.x\n n block.y\n  k\n   %p\n   %c\n  %d\n  %e\n" },
	{ one, "split m 7; tail m peel; unroll m'",
		"m step 7  tail peel\n m' unroll\n  n\n   k\n    %p\n    %c\n   %d\n   %e\n" },
	{ one, "tail m pad; tail m guard", "m\n n\n  k\n   %p\n   %c\n  %d\n  %e\n" },
	{ called, "serial %p/m; split %p/m 6", "m step 6\n m'\n  n\n   k\n    %p\n    %c\nm\n n\n  %d\n  %e\n" },
	{ one, "fission %e m; fission %d m; reorder %c/n %c/m",
		"n\n m\n  k\n   %p\n   %c\nm\n n\n  %d\nm\n n\n  %e\n" },
	{ called, "split %p/m 6", "m step 6\n m' call gemm\n  n\n   k\n    %p\n    %c\nm\n n\n  %d\n  %e\n" },
	{ rows, "split t 8; tail t mask; vectorize t'",
		"i\n t step 8  tail mask\n  t' vector\n   %s\n %u\ni\n %v\ngroup\n %w\n" },
	{ fused, "split m 12; split m' 6; split m'' 3; split m''' 2",
		"m step 12\n m' step 6\n  m'' step 3\n   m''' step 2\n    m''''\n     k\n      n\n       %p\n       "
		"%c\n     n\n      %d\n      %e\n" },
	{ each, "split %c/m 6; reorder %c/m' %c/n; merge %c/m'",
		"m\n n\n  k\n   %p\n   %c\nm\n n\n  %d\nm\n n\n  %e\n" },
	{ each, "split %c/m 6; reorder %c/k m'; reorder %c/n %c/m",
		"n\n k\n  m step 6\n   m'\n    %p\n    %c\nm\n n\n  %d\nm\n n\n  %e\n" },
	{ each, "split %c/m 6; reorder m' %c/n",
		"m step 6\n m'\n  n\n   k\n    %p\n    %c\nm\n n\n  %d\nm\n n\n  %e\n" },
	{ one, "stage %p %b at m; parallel m",
		"own %b.copy = copy %b for %p\nm parallel\n k\n  n\n   %b.copy\n n\n  k\n   %p\n   %c\n  %d\n  %e\n" },
	{ one, "stream %e", "m\n n\n  k\n   %p\n   %c\n  %d\n  %e stream\n" },
	{ one, "materialize %e at m; layout %e n m pad 1",
		"own %e.copy = copy %e\nm\n n\n  k\n   %p\n   %c\n  %d\n  %e layout [n m] pad 1\n n\n  %e.copy\n" },
	{ one, "materialize %e at m; layout %e n/2 pad 3 m n pad 1",
		"own %e.copy = copy %e\nm\n n\n  k\n   %p\n   %c\n  %d\n  %e layout [n/2 pad 3 m n] pad 1\n n\n  %e.copy\n" },
	{ one, "stage %p %b at root layout n/4 pad 2 k n pad 1 depth 1",
		"own %b.copy = copy %b for %p\nn step 4\n k\n  n'\n   %b.copy layout [n/4 pad 2 k n] pad 1\nm\n n\n  k\n   %p\n"
		"   %c\n  %d\n  %e\n" },
	{ one, "split k 4; rfactor %c k'",
		"own %c.part = partial %c over k step 1 below 4 as k_1\nm\n n\n  k step 4\n   k'\n    %p\n    "
		"%c.part\n  k_1\n   %c\n  %d\n  %e\n" },
	{ one, "call m gemm", "m call gemm\n n\n  k\n   %p\n   %c\n  %d\n  %e\n" },
	{ one, "tile k gemm", "m\n n\n  k tile gemm\n   %p\n   %c\n  %d\n  %e\n" },
	{ one, "group k %d; call group gemm", "m\n n\n  group call gemm\n   k\n    %p\n    %c\n   %d\n  %e\n" },
};
static const struct { const char *from, *steps, *why; } refusals[] = {
	{ fused, "split m 24",
		"apply:1:1: `split m 24`: the loop m covers 24, so a loop in steps of 24 around it would have one iteration; choose "
		"a step below 24" },
	{ fused, "split m 1",
		"apply:1:1: `split m 1`: the loop m has step 1, so one in steps of 1 around it would leave it one iteration; choose "
		"a larger multiple of 1" },
	{ fused, "split m 0",
		"apply:1:1: `split m 0`: STEP is a whole number of at least 1, not '0'" },
	{ fused, "split m 6; split m 7",
		"apply:1:12: `split m 7`: a step of 7 is not a multiple of 6, the step of the loop m; choose 12" },
	{ fused, "split m 6; split m 6",
		"apply:1:12: `split m 6`: the loop m has step 6, so one in steps of 6 around it would leave it one iteration; choose "
		"a larger multiple of 6" },
	{ fused, "split m 12; split m' 12",
		"apply:1:13: `split m' 12`: the loop m' covers 12, so a loop in steps of 12 around it would have one iteration; "
		"choose a step below 12" },
	{ fused, "split m x",
		"apply:1:1: `split m x`: STEP is a whole number of at least 1, not 'x'" },
	{ fused, "split m 99999999999999999999",
		"apply:1:1: `split m 99999999999999999999`: STEP is at most 9223372036854775807, not '99999999999999999999'" },
	{ rows, "split %w/i 3",
		"apply:1:1: `split %w/i 3`: there is no loop i around %w; there is none" },
	{ fused, "split n 2",
		"apply:1:1: `split n 2`: there are 2 loops n; say which: %p/n, %d/n" },
	{ fused, "split q 2",
		"apply:1:1: `split q 2`: there is no loop q; there are m, k, n" },
	{ fused, "split m' 2",
		"apply:1:1: `split m' 2`: there is no loop m'; there are m, k, n" },
	{ fused, "split %d/k 2",
		"apply:1:1: `split %d/k 2`: there is no loop k around %d; there are m, n" },
	{ fused, "split %a/m 2",
		"apply:1:1: `split %a/m 2`: %a has no leaf: inputs, constants, states, literals and views are read where they are "
		"used" },
	{ fused, "split %q/m 2",
		"apply:1:1: `split %q/m 2`: the graph has no node %q; there are %p, %c, %d, %e (lt-run --dump=tree shows them)" },
	{ fused, "split %d 2",
		"apply:1:1: `split %d 2`: '%d' is a leaf; a loop is named by its var, as m', or %y/m' around the leaf of %y" },
	{ fused, "merge m",
		"apply:1:1: `merge m`: directly inside the loop m there is not just one loop over m to merge it with" },
	{ fused, "split m 6; reorder m %d/n",
		"apply:1:12: `reorder m %d/n`: the nest is not perfect: the loop m' holds more than n; fission what is next to it "
		"first" },
	{ marked, "vectorize m'; merge m",
		"apply:1:15: `merge m`: the loop m is parallel and m' is vector, and one loop cannot be both; make one of them "
		"serial first" },
	{ marked, "tail m' pad; merge m'",
		"apply:1:14: `merge m'`: the loops m and m' have different tails; give one of them tail guard first" },
	{ fused, "reorder m k",
		"apply:1:1: `reorder m k`: the nest is not perfect: the loop m holds more than k; fission what is next to it first" },
	{ fused, "reorder %p/n %d/n",
		"apply:1:1: `reorder %p/n %d/n`: the loops %d/n and %p/n are next to each other, not one inside the other; only "
		"loops of one nest can be swapped" },
	{ each, "split %c/m 6; reorder m' m",
		"apply:1:15: `reorder m' m`: there are 3 loops m; say which: %p/m, %d/m, %e/m" },
	{ one, "reorder m m",
		"apply:1:1: `reorder m m`: the loop m is named twice" },
	{ each, "reorder %c/m",
		"apply:1:1: `reorder %c/m`: a step of this kind is `reorder LOOP LOOP ...`" },
	{ one, "reorder m n k",
		"apply:1:1: `reorder m n k`: the nest is not perfect: the loop n holds more than k; fission what is next to it "
		"first" },
	{ each, "split %c/m 6; reorder m' %c/m",
		"apply:1:15: `reorder m' %c/m`: the loop m' would come outside of m, but loops over one var keep their order" },
	{ fused, "fuse %d m",
		"apply:1:1: `fuse %d m`: %d is inside the loop m already" },
	{ each, "fuse %d m",
		"apply:1:1: `fuse %d m`: there are 2 loops m; say which: %p/m, %e/m" },
	{ each, "fuse %e %c/k",
		"apply:1:1: `fuse %e %c/k`: %e reads %d, which is written after it; put the leaf of %d before it" },
	{ apart, "fuse %e %c/m",
		"apply:1:1: `fuse %e %c/m`: %e shares the loop %d/m with other leaves, and would have to leave it; `fission %e m` "
		"first" },
	{ each, "fuse %d %c/k",
		"apply:1:1: `fuse %d %c/k`: %d reads %c inside its reducing loop over k, before the reduction is complete; move %d "
		"after that loop" },
	{ each, "split %d/m 8; split %c/m 6; fuse %d %c/m",
		"apply:1:29: `fuse %d %c/m`: %d has a loop over m in steps of 8, which do not fit inside the steps of 6 of %p/m; "
		"split or merge until both nests have the same steps" },
	{ each, "parallel %d/m; fuse %d %c/m",
		"apply:1:16: `fuse %d %c/m`: the loop m of %d is parallel, and m, which it would share, is serial; make them the "
		"same first" },
	{ called, "fission %d m; fuse %d %c/m",
		"apply:1:15: `fuse %d %c/m`: the loop %p/m is in a nest that is handed over by `call gemm`; make that serial first" },
	{ each, "fuse d %c/m",
		"apply:1:1: `fuse d %c/m`: a leaf is named by its node, as %y, not 'd'" },
	{ each, "fuse %a %c/m",
		"apply:1:1: `fuse %a %c/m`: %a has no leaf: inputs, constants, states, literals and views are read where they are "
		"used" },
	{ each, "fuse %e %c/n",
		"apply:1:1: `fuse %e %c/n`: %e reads %d, which is written after it; put the leaf of %d before it" },
	{ rows, "fuse %w %u/i",
		"apply:1:1: `fuse %w %u/i`: %w reads %v, which is written after it; put the leaf of %v before it" },
	{ rows, "fuse %w %v/i",
		"apply:1:1: `fuse %w %v/i`: %w reads %v inside its reducing loop over i, before the reduction is complete; move %w "
		"after that loop" },
	{ one, "fission %c n",
		"apply:1:1: `fission %c n`: %c reads %p and is read by %d in the loop n, so it can go neither before nor after it; "
		"`fission %d n` first" },
	{ each, "fission %d m",
		"apply:1:1: `fission %d m`: %d shares the loop %d/m with no other leaf" },
	{ fused, "fission %d k",
		"apply:1:1: `fission %d k`: there is no loop k around %d; there are m, n" },
	{ called, "fission %c n",
		"apply:1:1: `fission %c n`: %c is in a nest that is handed over by `call gemm`; make that serial first" },
	{ one, "fission %d %e/k",
		"apply:1:1: `fission %d %e/k`: there is no loop k around %e; there are m, n" },
	{ one, "parallel k",
		"apply:1:1: `parallel k`: the parallel loop over k reduces %c: its iterations at m = 0, n = 0, k = 0 and m = 0, n = "
		"0, k = 1 add to the same element 0, 0 of %c; rfactor %c over it first, or make it serial" },
	{ one, "vectorize m 48",
		"apply:1:1: `vectorize m 48`: the loop m has 24 iterations, fewer than 48 lanes; choose at most 24" },
	{ one, "vectorize n 5",
		"apply:1:1: `vectorize n 5`: the vector loop n' has to have a constant extent, but the last iteration of n covers 2 "
		"of 5 and its tail is guard; give that tail peel, mask or pad first, or a step that divides" },
	{ one, "vectorize n 1",
		"apply:1:1: `vectorize n 1`: a vector of one lane is a serial loop; choose at least 2 lanes for n" },
	{ one, "vectorize n 0",
		"apply:1:1: `vectorize n 0`: LANES is a whole number of at least 1, not '0'" },
	{ called, "unroll %p/m",
		"apply:1:1: `unroll %p/m`: the loop %p/m is handed over by `call gemm`; make it serial first" },
	{ rows, "unroll t",
		"apply:1:1: `unroll t`: the unroll loop t has to have a constant extent, and that of t depends on a run-time "
		"scalar; split it and give the outer loop tail mask or pad first, or make it serial" },
	{ rows, "split t 8; vectorize t'",
		"apply:1:12: `vectorize t'`: the vector loop t' has to have a constant extent, but the last iteration of t covers "
		"what a run-time scalar leaves of 8 and its tail is guard; give that tail mask or pad first, or a step that "
		"divides" },
	{ rows, "tail t peel",
		"apply:1:1: `tail t peel`: the extent of t depends on a run-time scalar, so the loop t has no fixed remainder to "
		"peel; put another loop over t in steps of 1 right around it, or choose guard, mask or pad" },
	{ one, "tail m pd",
		"apply:1:1: `tail m pd`: there is no tail 'pd'; there are guard, peel, mask and pad" },
	{ one, "bind m grid.w",
		"apply:1:1: `bind m grid.w`: there is no axis 'grid.w'; there are grid.x, grid.y, grid.z, block.x, block.y and "
		"block.z" },
	{ one, "bind m parallel",
		"apply:1:1: `bind m parallel`: there is no axis 'parallel'; there are grid.x, grid.y, grid.z, block.x, block.y and "
		"block.z" },
	{ one, "split m 6; unroll m'; split m' 4",
		"apply:1:23: `split m' 4`: the unroll loop m'' has to have a constant extent, but the last iteration of m' covers 2 "
		"of 4 and its tail is guard; give that tail peel, mask or pad first, or a step that divides" },
	{ one, "split m 9; tail m mask; vectorize m'; tail m guard",
		"apply:1:39: `tail m guard`: the vector loop m' has to have a constant extent, but the last iteration of m covers 6 "
		"of 9 and its tail is guard; give that tail peel, mask or pad first, or a step that divides" },
	{ one, "splitt m 6",
		"apply:1:1: `splitt m 6`: there is no primitive 'splitt'; did you mean 'split'?" },
	{ one, "hoist m",
		"apply:1:1: `hoist m`: there is no primitive 'hoist'; docs/schedule.md lists them" },
	{ one, "split m 6 7",
		"apply:1:1: `split m 6 7`: a step of this kind is `split LOOP STEP`" },
	{ one, "serial",
		"apply:1:1: `serial`: a step of this kind is `serial LOOP`" },
	{ one, "split m 6;\nmerge q",
		"apply:2:1: `merge q`: there is no loop q; there are m, m', n, k" },
	{ marked, "reorder %c/k m'",
		"apply:1:1: `reorder %c/k m'`: the nest is not perfect: the loop m' holds more than k; fission what is next to it "
		"first" },
	{ one, "fission %d m; fission %e m; reorder n m",
		"apply:1:1: `fission %d m`: %d reads %c and is read by %e in the loop m, so it can go neither before nor after it; "
		"`fission %e m` first" },
	{ apart, "split %c/m 6; fission %e n; fuse %e %c/m",
		"apply:1:29: `fuse %e %c/m`: %e shares the loop %d/m with other leaves, and would have to leave it; `fission %e m` "
		"first" },
	{ rows, "fuse %u %v/i",
		"apply:1:1: `fuse %u %v/i`: %u shares the loop %s/i with other leaves, and would have to leave it; `fission %u i` "
		"first" },
	{ each, "fuse %e %d/m; fuse %d %c/n; fuse %e %c/n",
		"apply:1:15: `fuse %d %c/n`: %d shares the loop %d/m with other leaves, and would have to leave it; `fission %d m` "
		"first" },
	{ apart, "split %c/m 6; fission %e m; fuse %e %c/m; fuse %d %c/n",
		"apply:1:29: `fuse %e %c/m`: %e reads %d, which is written after it; put the leaf of %d before it" },
	{ one, "stage %d %b at m",
		"apply:1:1: `stage %d %b at m`: %d does not read %b itself; it reads %c" },
	{ one, "materialize %d",
		"apply:1:1: `materialize %d`: %d has a leaf, which says where it is stored; `stage` copies it for a reader" },
	{ one, "inline %d",
		"apply:1:1: `inline %d`: %d has one reader; `fuse` moves it to where it is read" },
	{ one, "rfactor %c k",
		"apply:1:1: `rfactor %c k`: k is the only loop that %c reduces over, so its partial results would just be its terms; "
		"`split k` first" },
	{ one, "stream %d",
		"apply:1:1: `stream %d`: %d does not outlive its nest, so writing it past the caches saves nothing; `fission` its "
		"readers, or stream what they write" },
	{ rows, "layout %v pad 2",
		"apply:1:1: `layout %v pad 2`: %v has no dims, so there is no order of its elements that a layout could change; give "
		"one to a value that has dims, or none" },
	{ rows, "layout %v swizzle 64",
		"apply:1:1: `layout %v swizzle 64`: %v has no dims, so there is no order of its elements that a layout could change; "
		"give one to a value that has dims, or none" },
	{ one, "layout %c n",
		"apply:1:1: `layout %c n`: a layout of %c has each dim itself among its digits; `m` is missing" },
	{ one, "call m ge-mm",
		"apply:1:1: `call m ge-mm`: the name of a routine has letters, digits, '_' and '.', not 'ge-mm'" },
	{ one, "tile m ge-mm",
		"apply:1:1: `tile m ge-mm`: the name of a matrix instruction has letters, digits, '_' and '.', not 'ge-mm'" },
	{ one, "group %d k", "apply:1:1: `group %d k`: %d comes after k; name the earlier one first" },
};

struct opened { struct lt_context *ctx; struct lt_graph *g; struct lt_looptree *t; };

static struct opened open_tree(const char *from)
{
	struct opened p;
	const char *text = from == rows ? sums : layer;
	cr_assert_eq(lt_context_new(&p.ctx), LT_OK);
	cr_assert_eq(lt_graph_parse(p.ctx, text, strlen(text), "test", &p.g), LT_OK, "%s", lt_context_message(p.ctx));
	p.t = tree_marked(p.g, from);
	return p;
}

static void close_tree(struct opened *p)
{
	lt_looptree_free(p->t);
	lt_graph_free(p->g);
	lt_context_free(p->ctx);
}

static lt_status apply(const struct opened *p, const char *steps, struct lt_looptree **out)
{
	return lt_looptree_apply(p->t, steps, strlen(steps), "apply", 0, NULL, out, NULL);
}

/* The old tree is what it was; the new one is numbered in the order of its text, is finished, and passes the exact
 * check. */
Test(schedule, each_change)
{
	for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
		struct opened p = open_tree(changes[i].from);
		struct lt_looptree *t;
		cr_assert_eq(apply(&p, changes[i].steps, &t), LT_OK, "%s", lt_context_message(p.ctx));
		tree_expect_marks(t, changes[i].want, changes[i].steps);
		tree_expect_marks(p.t, changes[i].from, changes[i].steps);
		lt_tnode n = 0;
		for (lt_tnode at = lt_looptree_after(t, -1); at >= 0; at = lt_looptree_after(t, at))
			cr_expect_eq(at, n++);
		cr_expect_eq(n, lt_looptree_count(t));
		cr_expect_eq(lt_looptree_verify(t), LT_OK, "`%s`: %s", changes[i].steps, lt_context_message(p.ctx));
		struct lt_looptree *read = tree_marked(p.g, changes[i].want);
		struct run_text made = tree_print(t), built = tree_print(read);
		cr_expect_str_eq(made.at, built.at);
		run_text_free(&made);
		run_text_free(&built);
		lt_looptree_free(read);
		lt_looptree_free(t);
		close_tree(&p);
	}
}

Test(schedule, each_refusal)
{
	for (size_t i = 0; i < sizeof refusals / sizeof *refusals; i++) {
		struct opened p = open_tree(refusals[i].from);
		struct lt_looptree *t = p.t;
		lt_status st = apply(&p, refusals[i].steps, &t);
		cr_expect(st == LT_EILLEGAL || st == LT_ESYNTAX, "`%s`: %d", refusals[i].steps, st);
		cr_expect_null(t);
		cr_expect_str_eq(lt_context_message(p.ctx), refusals[i].why);
		tree_expect_marks(p.t, refusals[i].from, refusals[i].steps);
		close_tree(&p);
	}
}

/* Every primitive is in both tables. */
Test(schedule, tables_have_every_primitive)
{
	for (int32_t i = 0; i < lt__primitive_count(); i++) {
		const struct lt_primitive *p = lt__primitive_at(i);
		int good = 0, bad = 0;
		char quoted[40];
		snprintf(quoted, sizeof quoted, "`%s ", p->name);
		for (size_t k = 0; k < sizeof changes / sizeof *changes; k++)
			good += strstr(changes[k].steps, p->name) != NULL;
		for (size_t k = 0; k < sizeof refusals / sizeof *refusals; k++)
			bad += strstr(refusals[k].why, quoted) != NULL;
		cr_expect(good > 0 || !strcmp(p->name, "inline"), "%s", p->name);        /* here every value has one reader */
		cr_expect(bad > 0 || !strcmp(p->name, "serial"), "%s", p->name);
		cr_expect(!strncmp(p->usage, p->name, strlen(p->name)) && *p->doc);
	}
}

Test(schedule, lists)
{
	static const struct { const char *text, *want;
	} cases[] = {
		{ "schedule 1\n", "" },
		{ "# first\n\nschedule 1 # head\r\nsplit m 6 ;; split m 12\r\n  merge m'' # last", "" },
		{ "", "" },
		{ "split m 6\n", "" },
		{ "#\nschedule\n", "s:2:1: `schedule`: a list of primitives begins with 'schedule 1'" },
		{ "schedule one\n", "s:1:1: `schedule one`: the version is a whole number of at least 1, not 'one'" },
		{ "\n schedule 2\n",
			"s:2:2: `schedule 2`: version 2 of lists of primitives is not known; this library reads "
			"version 1" },
		{ "schedule 1\nsplit m 6\n\tmerge m;  merge m # twice\n",
			"s:3:12: `merge m`: directly inside the loop m there is "
			"not just one loop over m to merge it with" },
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct opened p = open_tree(one);
		struct lt_looptree *t;
		lt_status st = lt_looptree_apply(p.t, cases[i].text, strlen(cases[i].text), "s", 0, NULL, &t, NULL);
		cr_expect_str_eq(st ? lt_context_message(p.ctx) : "", cases[i].want);
		cr_expect((t != NULL) == (st == LT_OK));
		if (i == 0)
			tree_expect_marks(t, one, "");
		lt_looptree_free(t);
		close_tree(&p);
	}
}

/* A text that ends anywhere, in memory of its own size, is read to its end and no further. */
Test(schedule, lists_may_end_anywhere)
{
	static const char list[] = "schedule 1\nsplit %p/m 6; fuse %d %c/m # shared\nvectorize %d/n 4\nreorder m' k;unroll n";
	struct opened p = open_tree(each);
	for (size_t n = 0; n < sizeof list; n++) {
		struct lt_looptree *t;
		char *text = malloc(n ? n : 1);
		memcpy(text, list, n);
		lt_looptree_apply(p.t, text, n, "s", 0, NULL, &t, NULL);
		lt_looptree_free(t);
		free(text);
	}
	close_tree(&p);
}

/* A cursor stays on its loop, whatever its name becomes; on one that is merged away, on the loop that took its
 * trips. */
Test(schedule, cursors_follow)
{
	static const struct { const char *from, *at, *steps, *to; } cases[] = {
		{ one, "m", "split m 6", "m'" },
		{ one, "m", "split m 6; split m 12; merge m''", "m'" },
		{ one, "n", "split m 6; reorder n m", "" },
		{ marked, "m", "merge m", "m" },
		{ marked, "m'", "merge m'", "m" },
		{ marked, "m", "split m 12", "m'" },
		{ each, "%c/k", "reorder %c/k %c/m", "k" },
		{ each, "%c/m", "reorder %c/k %c/m; split k 4", "%p/m" },
		{ each, "%d/m", "fuse %d %c/m", "%p/m" },
		{ each, "%d/n", "fuse %d %c/m", "%d/n" },
		{ each, "%d/n", "fuse %d %c/n", "%p/n" },
		{ each, "%d/m", "split %c/m 6; fuse %d %c/m", "%d/m'" },
		{ one, "m", "fission %e m", "%p/m" },
		{ fused, "k", "fission %c k", "%p/k" },
		{ each, "%e/n", "vectorize %e/n 4; parallel %e/m; tail %e/m mask", "n'" },
		{ each, "%e/n", "", "%e/n" },
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct opened p = open_tree(cases[i].from);
		struct lt_step_word w = { cases[i].at, strlen(cases[i].at) };
		struct lt_looptree *t;
		lt_tnode cursor[2] = { -1, -1 };
		cr_assert_eq(lt__path_find(p.t, &w, -1, LT_PATH_AROUND, &cursor[0]), LT_OK, "%s", lt_context_message(p.ctx));
		lt_status st = lt_looptree_apply(p.t, cases[i].steps, strlen(cases[i].steps), "s", 2, cursor, &t, NULL);
		if (!*cases[i].to) {
			cr_expect(st != LT_OK);
		} else {
			cr_assert_eq(st, LT_OK, "%s", lt_context_message(p.ctx));
			cr_expect_str_eq(lt__loop_path(t, cursor[0]), cases[i].to, "%zu: %s", i, lt__loop_path(t, cursor[0]));
			w = (struct lt_step_word){ cases[i].to, strlen(cases[i].to) };
			lt_tnode found;
			cr_expect_eq(lt__path_find(t, &w, -1, LT_PATH_AROUND, &found), LT_OK);
			cr_expect_eq(found, cursor[0]);
		}
		cr_expect_eq(cursor[1], -1);
		lt_looptree_free(t);
		close_tree(&p);
	}
}

/* The same list on other extents of one script. */
Test(schedule, a_list_replays_on_other_extents)
{
	static const char steps[] = "schedule 1\nsplit %c/m 6\nfuse %d %c/m\nfission %p k\n";
	static const int extents[] = { 7, 24, 41, 600 };
	for (size_t i = 0; i < sizeof extents / sizeof *extents; i++) {
		char text[600];
		struct opened p;
		struct lt_looptree *t;
		snprintf(text, sizeof text, "graph 1\nvar m %d%s", extents[i], strstr(layer, "\nvar k"));
		cr_assert_eq(lt_context_new(&p.ctx), LT_OK);
		cr_assert_eq(lt_graph_parse(p.ctx, text, strlen(text), "test", &p.g), LT_OK, "%s", lt_context_message(p.ctx));
		p.t = tree_marked(p.g, each);
		cr_assert_eq(lt_looptree_apply(p.t, steps, strlen(steps), "s", 0, NULL, &t, NULL), LT_OK, "%s",
			lt_context_message(p.ctx));
		tree_expect_marks(t, "m step 6\n m'\n  n\n   k\n    %p\n   k\n    %c\n m'\n  n\n   %d\nm\n n\n  %e\n", steps);
		lt_looptree_free(t);
		close_tree(&p);
	}
}
