/* nest.c -- products, windows, rows and chains of random extents, as texts of graphs. */
#include <string.h>
#include "check/random/must.h"
#include "check/random/random.h"

/* In a text: $1 to $9 are the extents that were drawn, $a to $f an extent less 1 ($a of $1).  Of small ones $7 to
 * $9. */
static const char *const nests[] = {
	/* a product with bias and activation */
	"var m $1\nvar k $2\nvar n $3\n%a = f32[m, k] input \"a\"\n%b = f32[k, n] constant \"b\"\n%v = f32[n] constant "
	"\"v\"\n"
	"%p = f32[m, n, k] mul %a, %b\n%c = f32[m, n] add.reduce %p\n%d = f32[m, n] add %c, %v\n%e = f32[m, n] tanh "
	"%d\n"
	"result \"e\" = %e\n",
	/* a product of float64, transposed on one side, and its row sums */
	"var m $1\nvar k $2\nvar n $3\n%a = f64[k, m] input \"a\"\n%b = f64[n, k] input \"b\"\n%p = f64[m, k, n] mul "
	"%a, %b\n"
	"%c = f64[m, n] add.reduce %p\n%s = f64[m] add.reduce %c\nresult \"c\" = %c\nresult \"s\" = %s\n",
	/* softmax of rows */
	"var r $1\nvar c $2\n%x = f32[r, c] input \"x\"\n%h = f32[r] max.reduce %x\n%d = f32[r, c] sub %x, %h\n%e = "
	"f32[r, c] exp %d\n"
	"%s = f32[r] add.reduce %e\n%y = f32[r, c] div %e, %s\nresult \"y\" = %y\n",
	/* mean and variance of rows, which share their loop, and what is made of them */
	"var r $1\nvar c $2\n%x = f32[r, c] input \"x\"\n%q = f32[r, c] mul %x, %x\n%s = f32[r] add.reduce %x\n%t = "
	"f32[r] add.reduce %q\n"
	"%u = f32[r] mul %s, %s\n%w = f32[r] add %t, %u\n%y = f32[r, c] sub %x, %w\nresult \"y\" = %y\n",
	/* a window of a padded row, with channels */
	"var o $1\nvar f $7\nvar w $8\nvar i $2\n%x = f32[f, o] input \"x\"\n%k = f32[f, i, w] constant \"k\"\n"
	"%v = f32[f, o, w] view { %x[f, o + w - 1] if o + w - 1 >= 0, $1 - o - w >= 0; else 0.0 }\n%p = f32[i, o, f, "
	"w] mul %v, %k\n"
	"%y = f32[i, o] add.reduce %p\n%z = f32[i, o] abs %y\nresult \"z\" = %z\n",
	/* a chain whose readers read other places */
	"var n $1\nvar m $7\n%x = f32[m, n] input \"x\"\n%a = f32[m, n] neg %x\n%v = f32[m, n] view { %a[m, n - 1] if "
	"n - 1 >= 0; else 0.0 }\n"
	"%b = f32[m, n] add %a, %v\n%w = f32[m, n] view { %b[m, $a - n] }\n%c = f32[m, n] mul %b, %w\n%s = f32[m] "
	"max.reduce %c\n"
	"result \"c\" = %c\nresult \"s\" = %s\n",
	/* batches of integer products, cast */
	"var b $7\nvar m $1\nvar k $2\nvar n $8\n%a = i8[b, m, k] input \"a\"\n%w = i8[b, k, n] constant \"w\"\n%i = "
	"i32[b, m, k] cast %a\n"
	"%j = i32[b, k, n] cast %w\n%p = i32[b, m, n, k] mul %i, %j\n%c = i32[b, m, n] add.reduce %p\n%f = f32[b, m, "
	"n] cast %c\n"
	"result \"f\" = %f\n",
	/* a long sum, a long product, and the least of all, of one row */
	"var n $1\nvar m $2\n%x = f32[m, n] input \"x\"\n%t = f32[n, m] view { %x[m, n] }\n%s = f32[n] add.reduce "
	"%t\n%g = f32[] add.reduce %s\n"
	"%l = f32[] min.reduce %x\n%y = f32[m, n] sub %x, %l\n%z = f32[m, n] add %y, %g\nresult \"z\" = %z\n",
	/* attention of a few positions: two products with rows between them */
	"var q $1\nvar k $2\nvar d $7\nvar e $8\n%Q = f32[q, d] input \"Q\"\n%K = f32[k, d] input \"K\"\n%V = f32[k, "
	"e] input \"V\"\n"
	"%p = f32[q, k, d] mul %Q, %K\n%s = f32[q, k] add.reduce %p\n%h = f32[q] max.reduce %s\n%t = f32[q, k] sub %s, "
	"%h\n"
	"%x = f32[q, k] exp %t\n%n = f32[q] add.reduce %x\n%o = f32[q, e, k] mul %x, %V\n%u = f32[q, e] add.reduce %o\n"
	"%y = f32[q, e] div %u, %n\nresult \"y\" = %y\n",
};

void random_nest_new(struct lt_context *ctx, uint64_t seed, int32_t max, enum lt_dtype floats, struct random_graph *out,
	char *text, size_t bytes)
{
	uint64_t rng = seed;
	int64_t extent[10] = { 0 };
	const char *from = nests[random_between(&rng, 0, sizeof nests / sizeof *nests - 1)];
	int32_t big = max ? max : random_chance(&rng, 30) ? 40 : 17;
	for (int i = 1; i < 10; i++)
		extent[i] = random_between(&rng, 1, i < 7 || big < 4 ? big : 4);
	size_t n = (size_t)snprintf(text, bytes, "graph 1\n");
	for (; *from && n + 30 < bytes; from++) {
		if (floats && (!strncmp(from, "f32", 3) || !strncmp(from, "f64", 3))) {
			n += (size_t)snprintf(text + n, bytes - n, "%s", lt__dtype_info(floats)->name);
			from += 2;
			continue;
		}
		if (*from != '$') {
			text[n++] = *from;
			continue;
		}
		from++;
		n += (size_t)snprintf(text + n, bytes - n, "%lld",
			(long long)(*from < 'a' ? extent[*from - '0'] : extent[*from - 'a' + 1] - 1));
	}
	text[n] = '\0';
	*out = (struct random_graph){ .exact = random_chance(&rng, 50) };
	must(lt_graph_parse(ctx, text, n, "nest", &out->g) == LT_OK, "%s\n%s", lt_context_message(ctx), text);
}
