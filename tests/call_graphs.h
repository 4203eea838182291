/* call_graphs.h -- products as the text of graphs, for tests of calls. */
#ifndef TESTS_CALL_GRAPHS_H
#define TESTS_CALL_GRAPHS_H

#define PRODUCT "graph 1\nvar m 5\nvar k 12\nvar n 7\n%a = f32[m, k] input \"a\"\n%b = f32[k, n] constant \"b\"\n" \
	"%p = f32[m, n, k] mul %a, %b\n%c = f32[m, n] add.reduce %p\n"
#define LOOPS " m\n  n\n   k\n    %p\n    %c\n"
static const char plain[] = PRODUCT "result \"c\" = %c\n";
static const char all[] = PRODUCT
	"%v = f32[n] input \"v\"\n%r = f32[m, n] input \"r\"\n%zero = f32[] lit 0.0\n%d = f32[m, n] add %v, %c\n"
	"%e = f32[m, n] add %d, %r\n%y = f32[m, n] max %zero, %e\nresult \"y\" = %y\n";
static const char halves[] = "graph 1\nvar m 5\nvar k 12\nvar n 7\n%a = f16[m, k] input \"a\"\n%b = bf16[k, n] input "
			     "\"b\"\n%v = f16[n] input \"v\"\n"
			     "%a32 = f32[m, k] cast %a\n%b32 = f32[k, n] cast %b\n%p = f32[m, n, k] mul %a32, %b32\n%c "
			     "= f32[m, n] add.reduce %p\n%v32 = f32[n] cast %v\n"
			     "%d = f32[m, n] add %c, %v32\n%y = f16[m, n] cast %d\nresult \"y\" = %y\n";
/* both operands transposed, a batch that stands last in one and is stepped through in the other, a sum over two vars */
static const char batches[] =
	"graph 1\nvar b 3\nvar bb 6\nvar m 4\nvar k 5\nvar l 2\nvar n 7\n%a = f32[k, l, m, b] input \"a\"\n"
	"%w = f32[bb, n, l, k] input \"w\"\n%u = f32[b, k, l, n] view { %w[2*b + 1, 6 - n, l, k] }\n%p = f32[b, m, n, "
	"k, l] mul %a, %u\n"
	"%c = f32[n, b, m] add.reduce %p\nresult \"c\" = %c\n";

/* two column dims, and values that have one of them: a bias, repeated along the other */
#define WIDE \
	"graph 1\nvar m 5\nvar k 12\nvar n 7\nvar j 3\n%a = f32[m, k] input \"a\"\n%b = f32[k, n, j] input \"b\"\n" \
	"%v = f32[n] input \"v\"\n%w = f32[j] input \"w\"\n%r = f32[m, n] input \"r\"\n%p = f32[m, n, j, k] mul %a, " \
	"%b\n%c = f32[m, n, j] add.reduce %p\n"
#define WIDE_LOOPS " m\n  n\n   j\n    k\n     %p\n     %c\n"
#define WIDE_ROW \
	"graph 1\nvar k 12\nvar n 7\nvar j 3\n%a = f32[k] input \"a\"\n%b = f32[k, n, j] input \"b\"\n%v = f32[n, j] " \
	"input \"v\"\n" \
	"%w = f32[j] input \"w\"\n%p = f32[n, j, k] mul %a, %b\n%c = f32[n, j] add.reduce %p\n"
#endif
