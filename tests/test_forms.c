/* tests/test_forms.c -- the form that each pass gives to small graphs, written out. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>
#include "ir/pass.h"

struct form {
	char letter;
	const char *what, *before, *after;
}; /* without the head; after: without vars and params, too */
static const struct form forms[] = {
	{ 'C', "a rename disappears: two vars become one, and the name somebody gave stays",
		"var i 8\n"
		"var row 8\n"
		"%x = f32[i] input \"x\"\n"
		"%v = f32[row] view { %x[row] }\n"
		"%y = f32[row] exp %v\n"
		"result \"y\" = %y\n",
		"%x = f32[row] input \"x\"\n"
		"%y = f32[row] exp %x\n"
		"result \"y\" = %y\n" },
	{ 'C', "a rename within one node stays: an outer product of a value with itself",
		"var i 4\n"
		"var j 4\n"
		"%x = f32[i] input \"x\"\n"
		"%v = f32[j] view { %x[j] }\n"
		"%y = f32[i, j] mul %x, %v\n"
		"result \"y\" = %y\n",
		"%x = f32[i] input \"x\"\n"
		"%v = f32[j] view { %x[j] }\n"
		"%y = f32[i, j] mul %x, %v\n"
		"result \"y\" = %y\n" },
	{ 'C', "a transposed square is not a rename of its vars",
		"var i 4\n"
		"var j 4\n"
		"%x = f32[i, j] input \"x\"\n"
		"%t = f32[i, j] view { %x[j, i] }\n"
		"%y = f32[i, j] add %x, %t\n"
		"result \"y\" = %y\n",
		"%x = f32[i, j] input \"x\"\n"
		"%t = f32[i, j] view { %x[j, i] }\n"
		"%y = f32[i, j] add %x, %t\n"
		"result \"y\" = %y\n" },
	{ 'C', "a permutation is read past where order does not matter, and kept for a result",
		"var i 4\n"
		"var j 3\n"
		"%x = f32[i, j] input \"x\"\n"
		"%t = f32[j, i] view { %x[i, j] }\n"
		"%y = f32[i] add.reduce %t\n"
		"%z = f32[j, i] exp %t\n"
		"result \"t\" = %t\n"
		"result \"y\" = %y\n"
		"result \"z\" = %z\n",
		"%x = f32[i, j] input \"x\"\n"
		"%t = f32[j, i] view { %x[i, j] }\n"
		"%y = f32[i] add.reduce %x\n"
		"%z = f32[j, i] exp %x\n"
		"result \"t\" = %t\n"
		"result \"y\" = %y\n"
		"result \"z\" = %z\n" },
	{ 'C', "a permutation moves through an operator as the order of its dims",
		"var i 4\n"
		"var j 3\n"
		"%x = f32[i, j] input \"x\"\n"
		"%y = f32[i, j] exp %x\n"
		"%t = f32[j, i] view { %y[i, j] }\n"
		"result \"t\" = %t\n",
		"%x = f32[i, j] input \"x\"\n"
		"%y = f32[j, i] exp %x\n"
		"result \"t\" = %y\n" },
	{ 'C', "pad 1 of pad 2, then a window: exact",
		"var i 5\n"
		"var a 9\n"
		"var b 11\n"
		"var o 9\n"
		"var k 3\n"
		"%x = f32[i] input \"x\"\n"
		"%p = f32[a] view { %x[a - 2] if a - 2 >= 0, 6 - a >= 0; else 0.0 }\n"
		"%q = f32[b] view { %p[b - 1] if b - 1 >= 0, 9 - b >= 0; else -inf }\n"
		"%w = f32[o, k] view { %q[o + k] }\n"
		"result \"w\" = %w\n",
		"%x = f32[i] input \"x\"\n"
		"%w = f32[o, k] view {\n"
		"  %x[o + k - 3] if o + k - 3 >= 0, 7 - o - k >= 0;\n"
		"  0.0 if o + k - 1 >= 0, 9 - o - k >= 0;\n"
		"  else -inf\n"
		"}\n"
		"result \"w\" = %w\n" },
	{ 'C', "a reshape moves through an operator to the inputs",
		"var m 4\n"
		"var n 6\n"
		"var l 24\n"
		"%x = f32[m, n] input \"x\"\n"
		"%b = f32[n] input \"b\"\n"
		"%s = f32[m, n] add %x, %b\n"
		"%v = f32[l] view { %s[floor(l / 6), l - 6*floor(l / 6)] }\n"
		"%y = f32[l] exp %v\n"
		"result \"y\" = %y\n",
		"%x = f32[m, n] input \"x\"\n"
		"%b = f32[n] input \"b\"\n"
		"%v = f32[l] view { %x[floor(l / 6), l - 6*floor(l / 6)] }\n"
		"%v2 = f32[l] view { %b[l - 6*floor(l / 6)] }\n"
		"%s = f32[l] add %v, %v2\n"
		"%y = f32[l] exp %s\n"
		"result \"y\" = %y\n" },
	{ 'C', "a split moves through a product to its operands",
		"var d 8\n"
		"var k 5\n"
		"var h 2\n"
		"var e 4\n"
		"%x = f32[k] input \"x\"\n"
		"%w = f32[k, d] constant \"w\"\n"
		"%p = f32[k, d] mul %x, %w\n"
		"%s = f32[d] add.reduce %p\n"
		"%v = f32[h, e] view { %s[4*h + e] }\n"
		"result \"v\" = %v\n",
		"%x = f32[k] input \"x\"\n"
		"%w = f32[k, d] constant \"w\"\n"
		"%v = f32[k, h, e] view { %w[k, 4*h + e] }\n"
		"%p = f32[k, h, e] mul %x, %v\n"
		"%s = f32[h, e] add.reduce %p\n"
		"result \"v\" = %s\n" },
	{ 'C', "what is read through a slice keeps the order of its dims, in a reduction, too",
		"var c 3\n"
		"var y 8\n"
		"var o 4\n"
		"var half 4\n"
		"%x = f32[c, y] input \"x\"\n"
		"%w = f32[o, c] constant \"w\"\n"
		"%r = f32[c, y] exp %x\n"
		"%p = f32[y, o, c] mul %r, %w\n"
		"%s = f32[y, o] add.reduce %p\n"
		"%v = f32[half, o] view { %s[2*half, o] }\n"
		"result \"v\" = %v\n",
		"%x = f32[c, y] input \"x\"\n"
		"%w = f32[o, c] constant \"w\"\n"
		"%v = f32[c, half] view { %x[c, 2*half] }\n"
		"%r = f32[c, half] exp %v\n"
		"%p = f32[half, o, c] mul %r, %w\n"
		"%s = f32[half, o] add.reduce %p\n"
		"result \"v\" = %s\n" },
	{ 'C', "a view that only adds a dim of extent 1 stays where it is",
		"var i 8\n"
		"var one 1\n"
		"%x = f32[i] input \"x\"\n"
		"%y = f32[i] exp %x\n"
		"%v = f32[one, i] view { %y[i] }\n"
		"result \"v\" = %v\n",
		"%x = f32[i] input \"x\"\n"
		"%y = f32[i] exp %x\n"
		"%v = f32[one, i] view { %y[i] }\n"
		"result \"v\" = %v\n" },
	{ 'U', "inputs and results keep dims of extent 1, what is computed has none",
		"var b 1\n"
		"var i 8\n"
		"%x = f32[b, i] input \"x\"\n"
		"%y = f32[b, i] exp %x\n"
		"%z = f32[b, i] neg %y\n"
		"result \"z\" = %z\n",
		"%x = f32[b, i] input \"x\"\n"
		"%x.lean = f32[i] view { %x[0, i] }\n"
		"%y = f32[i] exp %x.lean\n"
		"%z = f32[i] neg %y\n"
		"%z.whole = f32[b, i] view { %z[i] }\n"
		"result \"z\" = %z.whole\n" },
	{ 'U', "a window of one element is no window, and a sum over it is none",
		"var c 3\n"
		"var y 8\n"
		"var k 1\n"
		"%x = f32[c, y] input \"x\"\n"
		"%w = f32[c, k] constant \"w\"\n"
		"%v = f32[c, y, k] view { %x[c, y + k] }\n"
		"%p = f32[c, y, k] mul %v, %w\n"
		"%s = f32[c, y] add.reduce %p\n"
		"%r = f32[y, c] max.reduce %p\n"
		"result \"s\" = %s\n"
		"result \"r\" = %r\n",
		"%x = f32[c, y] input \"x\"\n"
		"%w = f32[c, k] constant \"w\"\n"
		"%v = f32[c, y] view { %x[c, y] }\n"
		"%w.lean = f32[c] view { %w[c, 0] }\n"
		"%p = f32[c, y] mul %v, %w.lean\n"
		"%r = f32[y, c] copy %p\n"
		"result \"s\" = %p\n"
		"result \"r\" = %r\n" },
	{ 'U', "a position along a dim of extent 1 is 0; a table keeps the dim that is gathered along",
		"var b 1\n"
		"var t 1\n"
		"var i 4\n"
		"%x = f32[b, t, i] input \"x\"\n"
		"%at = i64[b] index b\n"
		"%g = f32[b, i] gather %x, %at axis 1\n"
		"result \"g\" = %g\n",
		"%x = f32[b, t, i] input \"x\"\n"
		"%at = i64[] lit 0\n"
		"%at.whole = i64[b] view { %at[] }\n"
		"%g = f32[b, i] gather %x, %at.whole axis 1\n"
		"result \"g\" = %g\n" },
	{ 'U', "a state is updated with all its dims, and a value that has none without",
		"var b 1\n"
		"var i 8\n"
		"var p 2\n"
		"%s = f32[b, i] state \"s\"\n"
		"%x = f32[b, p] input \"x\"\n"
		"%u = f32[b, i] update %s, %x at [0, 3]\n"
		"%e = f32[b, i] exp %s\n"
		"%v = f32[b, i] update %e, %x at [0, 3]\n"
		"result \"v\" = %v\n"
		"set %s = %u\n",
		"%s = f32[b, i] state \"s\"\n"
		"%x = f32[b, p] input \"x\"\n"
		"%u = f32[b, i] update %s, %x at [0, 3]\n"
		"%s.lean = f32[i] view { %s[0, i] }\n"
		"%e = f32[i] exp %s.lean\n"
		"%x.part = f32[p] view { %x[0, p] }\n"
		"%v = f32[i] update %e, %x.part at [3]\n"
		"%v.whole = f32[b, i] view { %v[i] }\n"
		"result \"v\" = %v.whole\n"
		"set %s = %u\n" },
	{ 'C', "merged dims stay behind a reduction, with what follows it",
		"var m 4\n"
		"var n 6\n"
		"var k 5\n"
		"var l 24\n"
		"%x = f32[m, k] input \"x\"\n"
		"%w = f32[k, n] constant \"w\"\n"
		"%p = f32[m, k, n] mul %x, %w\n"
		"%s = f32[m, n] add.reduce %p\n"
		"%r = f32[m, n] exp %s\n"
		"%v = f32[l] view { %r[floor(l / 6), l - 6*floor(l / 6)] }\n"
		"result \"v\" = %v\n",
		"%x = f32[m, k] input \"x\"\n"
		"%w = f32[k, n] constant \"w\"\n"
		"%p = f32[m, k, n] mul %x, %w\n"
		"%s = f32[m, n] add.reduce %p\n"
		"%r = f32[m, n] exp %s\n"
		"%v = f32[l] view { %r[floor(l / 6), l - 6*floor(l / 6)] }\n"
		"result \"v\" = %v\n" },
	{ 'C', "a window does not move through an operator: it would compute elements again",
		"var i 8\n"
		"var o 6\n"
		"var k 3\n"
		"%x = f32[i] input \"x\"\n"
		"%y = f32[i] exp %x\n"
		"%w = f32[o, k] view { %y[o + k] }\n"
		"result \"w\" = %w\n",
		"%x = f32[i] input \"x\"\n"
		"%y = f32[i] exp %x\n"
		"%w = f32[o, k] view { %y[o + k] }\n"
		"result \"w\" = %w\n" },
	{ 'C', "an operator with two readers is not moved through",
		"var i 8\n"
		"var o 4\n"
		"%x = f32[i] input \"x\"\n"
		"%y = f32[i] exp %x\n"
		"%w = f32[o] view { %y[2*o] }\n"
		"result \"w\" = %w\n"
		"result \"y\" = %y\n",
		"%x = f32[i] input \"x\"\n"
		"%y = f32[i] exp %x\n"
		"%w = f32[o] view { %y[2*o] }\n"
		"result \"w\" = %w\n"
		"result \"y\" = %y\n" },
	{ 'C', "a fill that the operator keeps moves along",
		"var i 8\n"
		"var o 6\n"
		"%x = f32[i] input \"x\"\n"
		"%z = f32[] lit 0.0\n"
		"%y = f32[i] max %x, %z\n"
		"%w = f32[o] view { %y[o - 2] if o - 2 >= 0; else 0.0 }\n"
		"result \"w\" = %w\n",
		"%x = f32[i] input \"x\"\n"
		"%z = f32[] lit 0.0\n"
		"%w = f32[o] view { %x[o - 2] if o - 2 >= 0; else 0.0 }\n"
		"%y = f32[o] max %w, %z\n"
		"result \"w\" = %y\n" },
	{ 'C', "a fill that the operator changes is chosen behind it",
		"var i 8\n"
		"var o 6\n"
		"%x = f32[i] input \"x\"\n"
		"%y = f32[i] exp %x\n"
		"%w = f32[o] view { %y[o - 2] if o - 2 >= 0; else 0.0 }\n"
		"result \"w\" = %w\n",
		"%x = f32[i] input \"x\"\n"
		"%n1 = bool[] lit true\n"
		"%w = bool[o] view { %n1[] if o - 2 >= 0; else false }\n"
		"%w2 = f32[o] view { %x[o - 2] if o - 2 >= 0; else 0.0 }\n"
		"%y = f32[o] exp %w2\n"
		"%n5 = f32[] lit 0.0\n"
		"%w3 = f32[o] select %w, %y, %n5\n"
		"result \"w\" = %w3\n" },
	{ 'C', "a concatenation of concatenations is one",
		"var i 2\n"
		"var a 4\n"
		"var b 6\n"
		"%x = f32[i] input \"x\"\n"
		"%y = f32[i] input \"y\"\n"
		"%c = f32[a] view { %x[a] if 1 - a >= 0; %y[a - 2] if a - 2 >= 0 }\n"
		"%d = f32[b] view { %c[b] if 3 - b >= 0; %x[b - 4] if b - 4 >= 0 }\n"
		"result \"d\" = %d\n",
		"%x = f32[i] input \"x\"\n"
		"%y = f32[i] input \"y\"\n"
		"%d = f32[b] view {\n"
		"  %x[b] if 1 - b >= 0;\n"
		"  %y[b - 2] if 3 - b >= 0, b - 2 >= 0;\n"
		"  %x[b - 4] if b - 4 >= 0\n"
		"}\n"
		"result \"d\" = %d\n" },
	{ 'C', "a slice that only sees the fill is a copy of it",
		"var i 5\n"
		"var a 9\n"
		"var o 2\n"
		"%x = f32[i] input \"x\"\n"
		"%p = f32[a] view { %x[a - 3] if a - 3 >= 0, 7 - a >= 0; else 2.0 }\n"
		"%s = f32[o] view { %p[o] }\n"
		"result \"s\" = %s\n",
		"%n0 = f32[] lit 2.0\n"
		"%s = f32[o] copy %n0\n"
		"result \"s\" = %s\n" },
	{ 'C', "a gather keeps its axis when a permutation is read past",
		"var i 4\n"
		"var j 3\n"
		"var n 2\n"
		"%x = f32[i, j] input \"x\"\n"
		"%k = i64[n] input \"k\"\n"
		"%t = f32[j, i] view { %x[i, j] }\n"
		"%g = f32[j, n] gather %t, %k axis 1\n"
		"result \"g\" = %g\n",
		"%x = f32[i, j] input \"x\"\n"
		"%k = i64[n] input \"k\"\n"
		"%g = f32[j, n] gather %x, %k axis 0\n"
		"result \"g\" = %g\n" },
	{ 'C', "a slice bounded by a run-time scalar moves as any other",
		"var i 8\n"
		"var t 8 limit pos\n"
		"param pos = %p[0] in 0..8\n"
		"%p = i64[] input \"p\"\n"
		"%x = f32[i] input \"x\"\n"
		"%y = f32[i] exp %x\n"
		"%v = f32[t] view { %y[t] }\n"
		"%z = f32[] add.reduce %v\n"
		"result \"z\" = %z\n",
		"%p = i64[] input \"p\"\n"
		"%x = f32[i] input \"x\"\n"
		"%v = f32[t] view { %x[t] }\n"
		"%y = f32[t] exp %v\n"
		"%z = f32[] add.reduce %y\n"
		"result \"z\" = %z\n" },
	{ 'F', "literals, neutral elements, undone operators",
		"var i 4\n"
		"%x = f32[i] input \"x\"\n"
		"%b = bool[i] input \"b\"\n"
		"%k = i32[i] input \"k\"\n"
		"%one = f32[] lit 1.0\n"
		"%zero = f32[] lit 0.0\n"
		"%minus = f32[] lit -0.0\n"
		"%izero = i32[] lit 0\n"
		"%a = f32[i] mul %x, %one\n"
		"%c = f32[i] sub %a, %zero\n"
		"%d = f32[i] add %minus, %c\n"
		"%e = f32[i] add %d, %zero\n"
		"%f = f32[] add %one, %one\n"
		"%g = f32[] exp %zero\n"
		"%h = f32[i] mul %e, %f\n"
		"%l = f32[i] div %h, %g\n"
		"%m = f32[i] neg %l\n"
		"%n = f32[i] neg %m\n"
		"%o = bool[i] not %b\n"
		"%p = bool[i] not %o\n"
		"%q = i32[i] add %k, %izero\n"
		"%r = f32[i] copy %n\n"
		"result \"r\" = %r\n"
		"result \"p\" = %p\n"
		"result \"q\" = %q\n",
		"%x = f32[i] input \"x\"\n"
		"%b = bool[i] input \"b\"\n"
		"%k = i32[i] input \"k\"\n"
		"%one = f32[] lit 1.0\n"
		"%zero = f32[] lit 0.0\n"
		"%minus = f32[] lit -0.0\n"
		"%izero = i32[] lit 0\n"
		"%e = f32[i] add %x, %zero\n"
		"%f = f32[] lit 2.0\n"
		"%g = f32[] lit 1.0\n"
		"%h = f32[i] mul %e, %f\n"
		"%m = f32[i] neg %h\n"
		"%o = bool[i] not %b\n"
		"result \"r\" = %h\n"
		"result \"p\" = %b\n"
		"result \"q\" = %k\n" },
	{ 'F', "casts",
		"var i 4\n"
		"%h = f16[i] input \"h\"\n"
		"%a = f32[i] cast %h\n"
		"%b = f16[i] cast %a\n"
		"%c = f32[i] cast %b\n"
		"%k = i8[i] input \"k\"\n"
		"%l = i32[i] cast %k\n"
		"%m = f16[i] cast %l\n"
		"%n = i16[i] cast %m\n"
		"%o = f32[i] input \"o\"\n"
		"%p = f16[i] cast %o\n"
		"%q = f32[i] cast %p\n"
		"result \"b\" = %b\n"
		"result \"c\" = %c\n"
		"result \"n\" = %n\n"
		"result \"q\" = %q\n",
		"%h = f16[i] input \"h\"\n"
		"%a = f32[i] cast %h\n"
		"%c = f32[i] cast %h\n"
		"%k = i8[i] input \"k\"\n"
		"%l = i32[i] cast %k\n"
		"%m = f16[i] cast %k\n"
		"%n = i16[i] cast %k\n"
		"%o = f32[i] input \"o\"\n"
		"%p = f16[i] cast %o\n"
		"%q = f32[i] cast %p\n"
		"result \"b\" = %h\n"
		"result \"c\" = %c\n"
		"result \"n\" = %n\n"
		"result \"q\" = %q\n" },
	{ 'F', "constants through views, selects and operators; what is shown keeps its dims",
		"var i 4\n"
		"var j 6\n"
		"%x = f32[i] input \"x\"\n"
		"%c = f32[] lit 2.0\n"
		"%b = f32[i] copy %c\n"
		"%v = f32[j] view { %b[j - 1] if j - 1 >= 0, 4 - j >= 0; else 2.0 }\n"
		"%w = f32[j] mul %v, %v\n"
		"%t = bool[] lit true\n"
		"%s = f32[i] select %t, %x, %b\n"
		"%u = f32[i] view { %b[i] if i - 1 >= 0; else 1.0 }\n"
		"result \"w\" = %w\n"
		"result \"s\" = %s\n"
		"result \"u\" = %u\n",
		"%x = f32[i] input \"x\"\n"
		"%c = f32[] lit 2.0\n"
		"%b = f32[i] copy %c\n"
		"%v = f32[] lit 2.0\n"
		"%v2 = f32[j] copy %v\n"
		"%w = f32[] lit 4.0\n"
		"%w2 = f32[j] copy %w\n"
		"%t = bool[] lit true\n"
		"%u = f32[i] view { %b[i] if i - 1 >= 0; else 1.0 }\n"
		"result \"w\" = %w2\n"
		"result \"s\" = %x\n"
		"result \"u\" = %u\n" },
	{ 'E', "equal nodes become one, inputs and constants never",
		"var i 4\n"
		"%x = f32[i] input \"x\"\n"
		"%y = f32[i] input \"y\"\n"
		"%a = f32[i] add %x, %y\n"
		"%b = f32[i] add %x, %y\n"
		"%c = f32[i] add %y, %x\n"
		"%u = f32[] lit 1.0\n"
		"%v = f32[] lit 1.0\n"
		"%n = f32[] lit -1.0\n"
		"%d = f32[i] mul %a, %u\n"
		"%e = f32[i] mul %b, %v\n"
		"%p = f32[i] view { %x[i - 1] if i - 1 >= 0; else 0.0 }\n"
		"%q = f32[i] view { %x[i - 1] if i - 1 >= 0; else 0.0 }\n"
		"%r = f32[i] view { %x[i - 1] if i - 1 >= 0; else 1.0 }\n"
		"result \"c\" = %c\n"
		"result \"d\" = %d\n"
		"result \"e\" = %e\n"
		"result \"n\" = %n\n"
		"result \"p\" = %p\n"
		"result \"q\" = %q\n"
		"result \"r\" = %r\n",
		"%x = f32[i] input \"x\"\n"
		"%y = f32[i] input \"y\"\n"
		"%a = f32[i] add %x, %y\n"
		"%c = f32[i] add %y, %x\n"
		"%u = f32[] lit 1.0\n"
		"%n = f32[] lit -1.0\n"
		"%d = f32[i] mul %a, %u\n"
		"%p = f32[i] view { %x[i - 1] if i - 1 >= 0; else 0.0 }\n"
		"%r = f32[i] view { %x[i - 1] if i - 1 >= 0; else 1.0 }\n"
		"result \"c\" = %c\n"
		"result \"d\" = %d\n"
		"result \"e\" = %d\n"
		"result \"n\" = %n\n"
		"result \"p\" = %p\n"
		"result \"q\" = %p\n"
		"result \"r\" = %r\n" },
	{ 'D', "only what is needed stays",
		"var i 4\n"
		"var t 4 limit n\n"
		"param n = %p[0] in 0..4\n"
		"%p = i64[] input \"p\"\n"
		"%x = f32[i] input \"x\"\n"
		"%y = f32[i] input \"y\"\n"
		"%a = f32[i] exp %x\n"
		"%b = f32[i] exp %y\n"
		"%s = f32[i] state \"s\"\n"
		"%u = f32[i] state \"u\"\n"
		"result \"a\" = %a\n"
		"set %s = %a\n",
		"%p = i64[] input \"p\"\n"
		"%x = f32[i] input \"x\"\n"
		"%a = f32[i] exp %x\n"
		"%s = f32[i] state \"s\"\n"
		"result \"a\" = %a\n"
		"set %s = %a\n" },
};

struct buffer { char at[16384]; size_t n; };

static void collect(void *user, const char *text, size_t bytes)
{
	struct buffer *b = user;

	cr_assert_lt(b->n + bytes, sizeof b->at);
	memcpy(b->at + b->n, text, bytes);
	b->n += bytes;
	b->at[b->n] = '\0';
}

/* Lines that begin a graph, or declare a var or param, go. */
static void strip(char *text)
{
	char *to = text;

	for (char *line = text, *end; *line; line = end) {
		end = strchr(line, '\n');
		end = end ? end + 1 : line + strlen(line);
		if (!strncmp(line, "graph ", 6) || !strncmp(line, "var ", 4) || !strncmp(line, "param ", 6))
			continue;
		memmove(to, line, (size_t)(end - line));
		to += end - line;
	}
	*to = '\0';
}

static lt_status run(char letter, const struct lt_graph *g, struct lt_graph **out)
{
	static const struct { char letter; lt_pass *run; } rows[] = {
#define PASS(letter, name, doc) { letter, lt__pass_##name },
#include "ir/pass.def"
	};

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		if (rows[i].letter == letter)
			return rows[i].run(g, out);
	return LT_EINVAL;
}

Test(forms, table)
{
	for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
		struct buffer text = { .n = 0 };
		struct lt_context *ctx;
		struct lt_graph *g, *h;

		cr_assert_eq(lt_context_new(&ctx), LT_OK);
		collect(&text, "graph 1\n", 8);
		collect(&text, forms[i].before, strlen(forms[i].before));
		cr_assert_eq(lt_graph_parse(ctx, text.at, text.n, forms[i].what, &g), LT_OK, "%s", lt_context_message(ctx));
		cr_assert_eq(run(forms[i].letter, g, &h), LT_OK, "%s: %s", forms[i].what, lt_context_message(ctx));
		cr_assert_eq(lt_graph_verify(h), LT_OK, "%s: %s", forms[i].what, lt_context_message(ctx));
		text.n = 0;
		cr_assert_eq(lt_graph_print(h, collect, &text), LT_OK);
		strip(text.at);
		cr_expect_str_eq(text.at, forms[i].after, "%s:\n%s", forms[i].what, text.at);
		lt_graph_free(h);
		lt_graph_free(g);
		lt_context_free(ctx);
	}
}
