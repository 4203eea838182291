/* test_derived.c -- stage, materialize, inline, rfactor, layout, call: what each makes of a tree, and that it
 * computes the same. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>
#include "looptree/schedule/schedule.h"
#include "tests/derived_trees.h"
#include "tests/tree_marked.h"
#include "tests/tree_text.h"

TestSuite(derived, .timeout = 300);
TestSuite(more_derived, .timeout = 300);

static const struct { const char *from, *steps, *want;
} changes[] = {
	{ "fused", "stage %p %b at m",
		"own %b.copy = copy %b for %p\n"
		"m\n k\n  n\n   %b.copy\n k\n  n\n   %p\n   %c\n n\n  %d\n  %e\n" },
	{ "fused", "stage %p %b at k",
		"own %b.copy = copy %b for %p\n"
		"m\n k\n  n\n   %b.copy\n  n\n   %p\n   %c\n n\n  %d\n  %e\n" },
	{ "fused", "stage %p %b at root layout n/4 k n pad 3",
		"own %b.copy = copy %b for %p\n"
		"n step 4\n k\n  n'\n   %b.copy layout [n/4 k n] pad 3\nm\n k\n  n\n   %p\n   %c\n n\n  %d\n  %e\n" },
	{ "one", "stage %p %a at m layout k m",
		"own %a.copy = copy %a for %p\n"
		"m\n k\n  %a.copy layout [k m]\n n\n  k\n   %p\n   %c\n  %d\n  %e\n" },
	{ "fused", "stage %d %c at m layout n m",
		"own %c.copy = copy %c for %d\n"
		"m\n k\n  n\n   %p\n   %c\n n\n  %c.copy layout [n m]\n n\n  %d\n  %e\n" },
	{ "each",
		"split %c/m 2; split %c/k 5; reorder %c/m %c/k m'; stage %p %a at k layout k m pad 1; stage %p %b at k",
		"own %a.copy = copy %a for %p\n"
		"own %b.copy = copy %b for %p\n"
		"m step 2\n k step 5\n  k'\n   m'\n    %a.copy layout [k m] pad 1\n  k'\n   n\n    %b.copy\n  n\n   "
		"m'\n    k'\n     %p\n"
		"     %c\nm\n n\n  %d\nm\n n\n  %e\n" },
	{ "fused", "stage %p %b at m; stage %p %b.copy at k",
		"own %b.copy = copy %b for %p\n"
		"own %b.copy.copy = copy %b.copy for %p\n"
		"m\n k\n  n\n   %b.copy\n k\n  n\n   %b.copy.copy\n  n\n   %p\n   %c\n n\n  %d\n  %e\n" },
	{ "each", "split %c/n 4; reorder %c/n %c/m; stage %p %b at n layout k n; parallel %p/m",
		"own %b.copy = copy %b for %p\n"
		"n step 4\n k\n  n'\n   %b.copy layout [k n]\n m parallel\n  n'\n   k\n    %p\n    %c\nm\n n\n  "
		"%d\nm\n n\n  %e\n" },
	{ "conv", "stage %y %w at o",
		"own %w.copy = copy %w for %y\n"
		"i\n %h\no\n t\n  %w.copy\n t\n  %y\n  %s\n" },
	{ "conv", "stage %y %w at root; split %y/o 2",
		"own %w.copy = copy %w for %y\n"
		"i\n %h\no\n t\n  %w.copy\no step 2\n o'\n  t\n   %y\n   %s\n" },
	{ "conv", "split %y/o 2; stage %y %w at o layout t o pad 1",
		"own %w.copy = copy %w for %y\n"
		"i\n %h\no step 2\n t\n  o'\n   %w.copy layout [t o] pad 1\n o'\n  t\n   %y\n   %s\n" },
	{ "conv", "stage %y %h at root",
		"own %h.copy = window %w for %y\n"
		"i\n %h\ni2\n %h.copy\no\n t\n  %y\n  %s\n" },
	{ "conv", "stage %y %h at o",
		"own %h.copy = window %w for %y over o step 1\n"
		"i\n %h\no\n i2\n  %h.copy\n t\n  %y\n  %s\n" },
	{ "conv", "split %y/o 2; stage %y %h at %y/o layout i2 o_2 pad 2",
		"own %h.copy = window %w for %y over o step 2 as o_2\n"
		"i\n %h\no step 2\n i2\n  %h.copy layout [i2 o_2] pad 2\n o'\n  t\n   %y\n   %s\n" },
	{ "conv", "split %y/o 2; stage %y %h at %y/o'; parallel %y/o",
		"own %h.copy = window %w for %y over o step 1\n"
		"i\n %h\no step 2 parallel\n o'\n  i2\n   %h.copy\n  t\n   %y\n   %s\n" },
	{ "halo", "split i 3; split j 4; reorder i j i' j' r; stage %y %x at j",
		"own %x.copy = window %w for %y over i step 3 as i_3 over j step 4 as j_4\n"
		"i step 3\n j step 4\n  I2\n   J2\n    %x.copy\n  i'\n   j'\n    r\n     s\n      %y\n      %z\n" },
	{ "halo", "split i 3; stage %y %x at i; stage %y %f at root; parallel i",
		"own %x.copy = window %w for %y over i step 3 as i_3\n"
		"own %f.copy = copy %f for %y\n"
		"r\n s\n  %f.copy\ni step 3 parallel\n I2\n  J2\n   %x.copy\n i'\n  j\n   r\n    s\n     %y\n     "
		"%z\n" },
	{ "conv", "materialize %w; parallel %w.copy/o",
		"own %w.copy = copy %w\n"
		"i\n %h\no parallel\n t\n  %w.copy\no\n t\n  %y\n  %s\n" },
	{ "conv", "materialize %w at o",
		"own %w.copy = copy %w\n"
		"i\n %h\no\n t\n  %w.copy\n t\n  %y\n  %s\n" },
	{ "fused", "materialize %b",
		"own %b.copy = copy %b\n"
		"k\n n\n  %b.copy\nm\n k\n  n\n   %p\n   %c\n n\n  %d\n  %e\n" },
	{ "fused", "materialize %e",
		"own %e.copy = copy %e\n"
		"m\n k\n  n\n   %p\n   %c\n n\n  %d\n  %e\nm\n n\n  %e.copy\n" },
	{ "fused", "materialize %e at m; layout %e n m",
		"own %e.copy = copy %e\n"
		"m\n k\n  n\n   %p\n   %c\n n\n  %d\n  %e layout [n m]\n n\n  %e.copy\n" },
	{ "one", "materialize %e at n",
		"own %e.copy = copy %e\n"
		"m\n n\n  k\n   %p\n   %c\n  %d\n  %e\n  %e.copy\n" },
	{ "fused", "materialize %e at root; layout %e n/2 m n pad 5; fission %e m",
		"own %e.copy = copy %e\n"
		"m\n k\n  n\n   %p\n   %c\n n\n  %d\nm\n n\n  %e layout [n/2 m n] pad 5\nm\n n\n  %e.copy\n" },
	{ "one", "materialize %e at n; materialize %e.copy at n",
		"own %e.copy = copy %e\n"
		"own %e.copy.copy = copy %e.copy\n"
		"m\n n\n  k\n   %p\n   %c\n  %d\n  %e\n  %e.copy\n  %e.copy.copy\n" },
	{ "fused", "stage %p %b at root layout n/2 k n/4 n pad 1",      /* the digits of a dim in any order */
		"own %b.copy = copy %b for %p\n"
		"n step 2\n k\n  n'\n   %b.copy layout [n/2 k n/4 n] pad 1\nm\n k\n  n\n   %p\n   %c\n n\n  %d\n  %e\n" },
	{ "each", "layout %c n m; layout %d n/4 m n pad 2",
		"m\n n\n  k\n   %p\n   %c layout [n m]\nm\n n\n  %d layout [n/4 m n] pad 2\nm\n n\n  %e\n" },
	{ "keeps", "stage %v %u at root",
		"own %u.copy = copy %u for %v\n"
		"q\n %y\nq\n %u\ni\n %u.copy\ni\n %v\n" },
	{ "fused", "split k 5; rfactor %c k",
		"own %c.part = partial %c over k step 5 as k_5\n"
		"m\n k step 5\n  k'\n   n\n    %p\n    %c.part\n  n\n   %c\n n\n  %d\n  %e\n" },
	{ "one", "split k 5; rfactor %c k",
		"own %c.part = partial %c over k step 5 as k_5\n"
		"m\n n\n  k step 5\n   k'\n    %p\n    %c.part\n   %c\n  %d\n  %e\n" },
	{ "each", "split %c/k 5; rfactor %c k; fission %c k",
		"own %c.part = partial %c over k step 5 as k_5\n"
		"m\n n\n  k step 5\n   k'\n    %p\n    %c.part\n  k step 5\n   %c\nm\n n\n  %d\nm\n n\n  %e\n" },
	{ "fused", "split k 4; rfactor %c k'",
		"own %c.part = partial %c over k step 1 below 4 as k_1\n"
		"m\n k step 4\n  k'\n   n\n    %p\n    %c.part\n k_1\n  n\n   %c\n n\n  %d\n  %e\n" },
	{ "one", "split k 4; rfactor %c k'; unroll k'; vectorize k_1",
		"own %c.part = partial %c over k step 1 below 4 as k_1\n"
		"m\n n\n  k step 4\n   k' unroll\n    %p\n    %c.part\n  k_1 vector\n   %c\n  %d\n  %e\n" },
	{ "one", "split k 8; rfactor %c k'; tail k mask; vectorize k'; vectorize k_1; parallel m",
		"own %c.part = partial %c over k step 1 below 8 as k_1\n"
		"m parallel\n n\n  k step 8  tail mask\n   k' vector\n    %p\n    %c.part\n  k_1 vector\n   %c\n  %d\n "
		" %e\n" },
	{ "fused", "split k 6; split k' 3; rfactor %c k; rfactor %c.part k'",
		"own %c.part = partial %c over k step 6 as k_6\n"
		"own %c.part.part = partial %c.part over k step 3 below 6 as k_3\n"
		"m\n k step 6\n  k' step 3\n   k''\n    n\n     %p\n     %c.part.part\n   n\n    %c.part\n  n\n   %c\n "
		"n\n  %d\n  %e\n" },
	{ "fused", "split k 6; split k' 2; rfactor %c k''; rfactor %c.part k",
		"own %c.part = partial %c over k step 1 below 2 as k_1\n"
		"own %c.part.part = partial %c.part over k step 6 as k_6\n"
		"m\n k step 6\n  k' step 2\n   k''\n    n\n     %p\n     %c.part.part\n  k_1\n   n\n    %c.part\n "
		"k_1\n  n\n   %c\n n\n  %d\n"
		"  %e\n" },
	{ "fused", "split k 4; rfactor %c k'; split k_1 2; rfactor %c k_1'",
		"own %c.part = partial %c over k step 1 below 4 as k_1\n"
		"own %c.part2 = partial %c over k_1 step 1 below 2 as k_1_1\n"
		"m\n k step 4\n  k'\n   n\n    %p\n    %c.part\n k_1 step 2\n  k_1'\n   n\n    %c.part2\n k_1_1\n  n\n "
		"  %c\n n\n  %d\n  %e\n" },
	{ "fused", "split k 4; rfactor %c k'; split k 8; split k'' 2",
		"own %c.part = partial %c over k step 1 below 4 as k_1\n"
		"m\n k step 8\n  k' step 4\n   k'' step 2\n    k'''\n     n\n      %p\n      %c.part\n k_1\n  n\n   "
		"%c\n n\n  %d\n  %e\n" },
	{ "fused", "split k 6; split k' 2; reorder k' %p/n; rfactor %c k'; stage %c %c.part at m layout k_2 m n",
		"own %c.part = partial %c over k step 2 below 6 as k_2\n"
		"own %c.part.copy = copy %c.part for %c\n"
		"m\n k step 6\n  k' step 2\n   k''\n    n\n     %p\n     %c.part\n k_2\n  n\n   %c.part.copy layout "
		"[k_2 m n]\n k_2\n  n\n"
		"   %c\n n\n  %d\n  %e\n" },
	{ "each", "reorder %c/k %c/m; split %c/k 4; rfactor %c k; fission %c k; parallel %c.part/k",
		"own %c.part = partial %c over k step 4 as k_4\n"
		"k step 4 parallel\n k'\n  n\n   m\n    %p\n    %c.part\nk step 4\n n\n  m\n   %c\nm\n n\n  %d\nm\n "
		"n\n  %e\n" },
	{ "one", "split k 4; rfactor %c k; fission %c k; stage %c %c.part at n",
		"own %c.part = partial %c over k step 4 as k_4\n"
		"own %c.part.copy = copy %c.part for %c\n"
		"m\n n\n  k step 4\n   k'\n    %p\n    %c.part\n  k_4\n   %c.part.copy\n  k step 4\n   %c\n  %d\n  "
		"%e\n" },
	{ "one", "split k 4; rfactor %c k'; stage %p %b at k; layout %c.part k_1 n m pad 3",
		"own %c.part = partial %c over k step 1 below 4 as k_1\n"
		"own %b.copy = copy %b for %p\n"
		"m\n n\n  k step 4\n   k'\n    %b.copy\n   k'\n    %p\n    %c.part layout [k_1 n m] pad 3\n  k_1\n   "
		"%c\n  %d\n  %e\n" },
	{ "fused", "split k 5; rfactor %c k; stage %p %a at k; split %p/n 4; merge %p/n",
		"own %c.part = partial %c over k step 5 as k_5\n"
		"own %a.copy = copy %a for %p\n"
		"m\n k step 5\n  k'\n   %a.copy\n  k'\n   n\n    %p\n    %c.part\n  n\n   %c\n n\n  %d\n  %e\n" },
	{ "rows", "split t 5; rfactor %l t; rfactor %s t; rfactor %q t",
		"own %l.part = partial %l over t step 5 as t_5\n"
		"own %s.part = partial %s over t step 5 as t_5_2\n"
		"own %q.part = partial %q over t step 5 as t_5_3\n"
		"i\n t step 5\n  t'\n   %l.part\n   %s.part\n   %q.part\n  %q\n  %s\n  %l\n" },
	{ "rows", "split t 4; rfactor %l t'; rfactor %s t'; rfactor %q t'; tail t mask; vectorize t'",
		"own %l.part = partial %l over t step 1 below 4 as t_1\n"
		"own %s.part = partial %s over t step 1 below 4 as t_1_2\n"
		"own %q.part = partial %q over t step 1 below 4 as t_1_3\n"
		"i\n t step 4  tail mask\n  t' vector\n   %l.part\n   %s.part\n   %q.part\n t_1_3\n  %q\n t_1_2\n  "
		"%s\n t_1\n  %l\n" },
	{ "rows", "split t 4; rfactor %q t'; rfactor %l t",
		"own %q.part = partial %q over t step 1 below 4 as t_1\n"
		"own %l.part = partial %l over t step 4 as t_4\n"
		"i\n t step 4\n  t'\n   %l.part\n   %s\n   %q.part\n  %l\n t_1\n  %q\n" },
	{ "upto", "split t 4; rfactor %s t'; rfactor %l t'",
		"own %s.part = partial %s over t step 1 below 4 as t_1\n"
		"own %l.part = partial %l over t step 1 below 4 as t_1_2\n"
		"i\n t step 4\n  t'\n   %y\n   %s.part\n   %l.part\n t_1_2\n  %l\n t_1\n  %s\n %z\n" },
	{ "upto", "stage %y %x at i layout t i; parallel i",
		"own %x.copy = copy %x for %y\n"
		"i parallel\n t\n  %x.copy layout [t i]\n t\n  %y\n  %s\n  %l\n %z\n" },
	{ "upto", "split t 8; split t' 4; rfactor %s t'",
		"own %s.part = partial %s over t step 4 below 8 as t_4\n"
		"i\n t step 8\n  t' step 4\n   t''\n    %y\n    %s.part\n    %l\n t_4\n  %s\n %z\n" },
	{ "least", "materialize %c at n; layout %c n m",
		"own %c.copy = copy %c\n"
		"m\n n\n  k\n   %p\n   %c layout [n m]\n  %c.copy\n" },
	{ "least", "stage %p %a at root layout k m pad 1; stage %p %b at k; layout %b.copy k n pad 7",
		"own %a.copy = copy %a for %p\n"
		"own %b.copy = copy %b for %p\n"
		"k\n m\n  %a.copy layout [k m] pad 1\nm\n n\n  k\n   %b.copy layout [k n] pad 7\n   %p\n   %c\n" },
	{ "planes", "rfactor %r s",
		"own %r.part = partial %r over s step 1 as s_1\n"
		"i\n s\n  t\n   %r.part\n  %r\n" },
	{ "planes", "rfactor %r t; parallel t",
		"own %r.part = partial %r over t step 1 as t_1\n"
		"i\n s\n  t parallel\n   %r.part\n t_1\n  %r\n" },
	{ "planes", "split t 4; rfactor %r t'; rfactor %r.part s",
		"own %r.part = partial %r over t step 1 below 4 as t_1\n"
		"own %r.part.part = partial %r.part over s step 1 as s_1\n"
		"i\n s\n  t step 4\n   t'\n    %r.part.part\n  t_1\n   %r.part\n t_1\n  %r\n" },
	{ "pairs", "inline %u",
		"own %u.again = clone %u for %r\n"
		"i\n j\n  %u\ni\n j\n  %u.again\n  %r\ni\n j\n  %v\n  %z\ni\n %w\n" },
	{ "pairs", "split %v/j 2; inline %u; fuse %u %r/j",
		"own %u.again = clone %u for %r\n"
		"i\n j\n  %u\n  %u.again\n  %r\ni\n j step 2\n  j'\n   %v\n   %z\ni\n %w\n" },
	{ "pairs", "inline %u; inline %r",
		"own %u.again = clone %u for %r\n"
		"own %r.again = clone %r for %w\n"
		"i\n j\n  %u\ni\n j\n  %u.again\n  %r\ni\n j\n  %v\n  %z\ni\n j\n  %r.again\n %w\n" },
	{ "pairs", "inline %r",
		"own %r.again = clone %r for %w\n"
		"i\n j\n  %u\ni\n j\n  %r\ni\n j\n  %v\n  %z\ni\n j\n  %r.again\n %w\n" },
	{ "pairs", "inline %r; split %r.again/j 3; rfactor %r.again j",
		"own %r.again = clone %r for %w\n"
		"own %r.again.part = partial %r.again over j step 3 as j_3\n"
		"i\n j\n  %u\ni\n j\n  %r\ni\n j\n  %v\n  %z\ni\n j step 3\n  j'\n   %r.again.part\n  %r.again\n "
		"%w\n" },
	{ "conv", "inline %h",
		"own %h.again = clone %h at %w\n"
		"o\n t\n  %h.again\n  %y\n  %s\n" },
	{ "conv", "split %y/o 2; inline %h; split t 2; parallel o",
		"own %h.again = clone %h at %w\n"
		"o step 2 parallel\n o'\n  t step 2\n   t'\n    %h.again\n    %y\n    %s\n" },
	{ "conv", "split %y/o 2; stage %y %h at %y/o layout i2 o_2 pad 2; inline %h; parallel o",
		"own %h.copy = window %w for %y over o step 2 as o_2\n"
		"own %h.again = clone %h at %h.copy.window\n"
		"o step 2 parallel\n i2\n  %h.again\n  %h.copy layout [i2 o_2] pad 2\n o'\n  t\n   %y\n   %s\n" },
	{ "conv", "stage %y %h at root; inline %h",
		"own %h.copy = window %w for %y\n"
		"own %h.again = clone %h at %h.copy.window\n"
		"i2\n %h.again\n %h.copy\no\n t\n  %y\n  %s\n" },
	{ "conv", "stage %y %w at o; inline %h",
		"own %w.copy = copy %w for %y\n"
		"own %h.again = clone %h at %w\n"
		"o\n t\n  %h.again\n  %w.copy\n t\n  %y\n  %s\n" },
	{ "flat", "inline %h",
		"own %h.again = clone %h at %v\n"
		"own %h.again2 = clone %h at %w\n"
		"l\n %h.again\n %y\nl\n %h.again2\n %z\n" },
	{ "flat", "materialize %v; inline %h",
		"own %v.copy = copy %v\n"
		"own %h.again = clone %h at %v\n"
		"own %h.again2 = clone %h at %w\n"
		"l\n %h.again\n %v.copy\nl\n %y\nl\n %h.again2\n %z\n" },
	{ "taps", "inline %h",
		"own %h.again = clone %h at %w\n"
		"own %h.again2 = clone %h at %v\n"
		"i\n k\n  %p\n  %h\n %g\nk\n t\n  k2\n   %h.again\n  %y\n  %s\n o\n  k3\n   %h.again2\n  %z\n" },
	{ "taps", "inline %g",
		"own %g.again = clone %g at %v\n"
		"i\n k\n  %p\n  %h\nk\n t\n  %y\n  %s\n o\n  %g.again\n  %z\n" },
	{ "taps", "inline %g; inline %h",
		"own %g.again = clone %g at %v\n"
		"own %h.again = clone %h at %w\n"
		"own %h.again2 = clone %h at %g.again.view\n"
		"own %h.again3 = clone %h at %v\n"
		"i\n k\n  %p\nk\n t\n  k2\n   %h.again\n  %y\n  %s\n o\n  k3\n   %h.again2\n  %g.again\n  k4\n   "
		"%h.again3\n  %z\n" },
	{ "taps", "inline %g; inline %h; inline %p",
		"own %g.again = clone %g at %v\n"
		"own %h.again = clone %h at %w\n"
		"own %h.again2 = clone %h at %g.again.view\n"
		"own %h.again3 = clone %h at %v\n"
		"own %p.again = clone %p at %h.again.view\n"
		"own %p.again2 = clone %p at %h.again2.view\n"
		"own %p.again3 = clone %p at %h.again3.view\n"
		"k\n t\n  k2\n   %p.again\n   %h.again\n  %y\n  %s\n o\n  k3\n   %p.again2\n   %h.again2\n  %g.again\n "
		" k4\n   %p.again3\n   %h.again3\n  %z\n" },
	{ "sums", "inline %r",
		"own %r.again = clone %r for %z\n"
		"i\n j\n  %u\n  %r\n %w\n j\n  %r.again\n j\n  %z\n" },
	{ "back", "inline %h",
		"own %h.again = clone %h at %w\n"
		"q\n o\n  %h.again\n  %s\n" },
	{ "back", "split o 4; inline %h",
		"own %h.again = clone %h at %w\n"
		"q\n o step 4\n  o'\n   %h.again\n   %s\n" },
	{ "fused", "stage %d %c at m; inline %c",
		"own %c.copy = copy %c for %d\n"
		"own %c.again = clone %c for %c.copy\n"
		"m\n k\n  n\n   %p\n n\n  k\n   %c.again\n  %c.copy\n n\n  %d\n  %e\n" },
	{ "through", "inline %h",
		"own %h.again = clone %h at %w\n"
		"i\n %h\nq\n %h.again\n %z\n" },
	{ "views", "inline %e",                                         /* a view, and a name of it, for each nest */
		"own %v.again = clone %v for %b\n"
		"own %v.again2 = clone %v for %w\n"
		"own %e.again = clone %e at %v\n"
		"own %e.again2 = clone %e at %v.again\n"
		"own %e.again3 = clone %e at %v.again2\n"
		"n\n m\n  %e.again\n  %a\nn\n m\n  %e.again2\n  %b\nq\n m\n  %e.again3\n  %c\n" },
	{ "fused", "call m gemm", "m call gemm\n k\n  n\n   %p\n   %c\n n\n  %d\n  %e\n" },
	{ "fused", "stage %p %b at root; call %p/m dot.4",
		"own %b.copy = copy %b for %p\n"
		"k\n n\n  %b.copy\nm call dot.4\n k\n  n\n   %p\n   %c\n n\n  %d\n  %e\n" },
};

/* The old tree stays; the new one is legal by every check, keeps its text, and is what its text builds by hand. */
Test(derived, each_change)
{
	for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
		struct derived_case p = derived_open(changes[i].from);
		struct run_text before = tree_print(p.t), after;
		struct lt_looptree *t, *built;
		cr_assert_eq(derived_apply(&p, changes[i].steps, &t), LT_OK, "%s", lt_context_message(p.ctx));
		tree_expect_marks(t, changes[i].want, changes[i].steps);
		derived_expect_legal(&p, t, changes[i].steps);
		derived_expect_text(&p, t, changes[i].steps);
		built = tree_marked(p.lowered, changes[i].want);
		struct run_text made = tree_print(t), by_hand = tree_print(built);
		cr_expect_str_eq(made.at, by_hand.at);
		after = tree_print(p.t);
		cr_expect_str_eq(after.at, before.at);
		run_text_free(&made);
		run_text_free(&by_hand);
		run_text_free(&before);
		run_text_free(&after);
		lt_looptree_free(built);
		lt_looptree_free(t);
		derived_close(&p);
	}
}

/* A call needs a routine that only `ref` can do without. */
static void run_changes(const char *backend)
{
	for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
		if (strcmp(backend, "ref") != 0 && strstr(changes[i].steps, "call "))
			continue;
		struct derived_case p = derived_open(changes[i].from);
		struct lt_looptree *t;
		cr_assert_eq(derived_apply(&p, changes[i].steps, &t), LT_OK, "%s", lt_context_message(p.ctx));
		for (int nan = 0; nan < 2; nan++)
			derived_expect_run(&p, t, backend, nan, changes[i].steps);
		lt_looptree_free(t);
		derived_close(&p);
	}
}

Test(derived, changes_on_ref) { run_changes("ref"); }
Test(more_derived, changes_on_cpu) { run_changes("cpu"); }

/* The order of a product in tiles: threads over rows, panels of the second factor copied for each block of terms, a
 * register tile whose sums are one block's, added to the result block by block.  No size divides. */
Test(derived, a_tiled_product)
{
	static const char graph[] = "graph 1\nvar m 41\nvar k 37\nvar n 43\n%a = f32[m, k] input \"a\"\n"
		"%b = f32[k, n] input \"b\"\n%p = f32[m, n, k] mul %a, %b\n"
		"%c = f32[m, n] add.reduce %p\nresult \"c\" = %c\n";
	static const char cut[] = "split m 12; split m' 6; split n 16; split n' 4; split k 16; reorder m n k m' k' m'' "
				  "n' n''; rfactor %c k";
	static const char rest[] = "; tail m peel; tail m' peel; tail n pad; parallel m; stage %p %b at k; unroll %p/m''; "
		"unroll %p/n'; vectorize %p/n''";
	static const char want[] = "own %c.part = partial %c over k step 16 as k_16\nown %b.copy = copy %b for %p\n"
		"m step 12 parallel  tail peel\n n step 16  tail pad\n  k step 16\n"
		"   k'\n    n'\n     %b.copy\n   m' step 6  tail peel\n    k'\n     m'' unroll\n      n' step 4 unroll\n"
		"       n'' vector\n        %p\n        %c.part\n"
		"    m''\n     n' step 4\n      n''\n       %c\n";
	char steps[sizeof cut + sizeof rest];
	struct derived_case p = derived_open_text(graph, "m\n n\n  k\n   %p\n   %c\n");
	struct lt_looptree *t;
	cr_assert_eq(derived_apply(&p, cut, &t), LT_OK, "%s", lt_context_message(p.ctx));
	derived_expect_run(&p, t, "ref", true, cut);
	lt_looptree_free(t);
	snprintf(steps, sizeof steps, "%s%s", cut, rest);
	cr_assert_eq(derived_apply(&p, steps, &t), LT_OK, "%s", lt_context_message(p.ctx));
	tree_expect_marks(t, want, steps);
	cr_expect_eq(lt_looptree_verify(t), LT_OK, "%s", lt_context_message(p.ctx));    /* too large to be run trip by trip */
	derived_expect_text(&p, t, steps);
	derived_expect_run(&p, t, "ref", true, steps);
	lt_looptree_free(t);
	derived_close(&p);
}

/* Trips past the end of a padded loop that counts a dim of partial results have no cells there. */
Test(derived, partial_results_of_padded_trips_stay_inside)
{
	static const char *const steps[] = { "split c 5; rfactor %h c'; split c' 4; tail c' pad",
		"split c 5; rfactor %h c'; split c' 4; tail c' pad; tail c pad",
		"split c 5; rfactor %h c'; split c' 4; tail c' peel; tail c pad",
		"split c 8; rfactor %h c'; tail c pad" };
	struct derived_case x = derived_open_text("graph 1\nvar r 3\nvar c 11\n%x = f32[r, c] input \"x\"\n%h = "
						   "f32[r] max.reduce %x\nresult \"h\" = %h\n",
		"r\n c\n  %h\n");
	for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
		struct lt_looptree *t;
		cr_assert_eq(derived_apply(&x, steps[i], &t), LT_OK, "%s: %s", steps[i], lt_context_message(x.ctx));
		derived_expect_run(&x, t, "ref", true, steps[i]);
		lt_looptree_free(t);
	}
	derived_close(&x);
}

/* The step that made a node still stands in the text when the node is gone: its name is not given again. */
Test(derived, names_of_nodes_that_are_gone_are_not_given_again)
{
	static const char steps[] = "stage %p %b at m; stage %b.copy %b at m; inline %b.copy2; materialize %b";
	struct derived_case x = derived_open("fused");
	struct lt_looptree *t;
	cr_assert_eq(derived_apply(&x, steps, &t), LT_OK, "%s", lt_context_message(x.ctx));
	derived_expect_text(&x, t, steps);
	derived_expect_run(&x, t, "ref", false, steps);
	lt_looptree_free(t);
	derived_close(&x);
	/* so does one of the graph that the tree was made for */
	x = derived_open_text(
		"graph 1\nvar m 5\n%a = f32[m] input \"a\"\n%a.copy = f32[m] neg %a\nresult \"y\" = %a.copy\n",
		"m\n %a.copy\n");
	cr_assert_eq(derived_apply(&x, "materialize %a.copy; inline %a.copy; stage %a.copy.again %a at root", &t),
		LT_OK, "%s", lt_context_message(x.ctx));
	derived_expect_text(&x, t, "a copy of a");
	lt_looptree_free(t);
	derived_close(&x);
}
