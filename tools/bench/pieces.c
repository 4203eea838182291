/* pieces.c -- views of a thousand pieces, for the suite compile: joined, of one length or a thousand, read
 * or not; borders in borders. */
#include <stdlib.h>
#include <string.h>
#include "tools/bench/bench.h"

enum { PIECES = 1000 };

/* What stands for tensor i before it is joined, and what the joined one becomes; NULL: nothing. */
struct piece_case { const char *name; int64_t lengths; const char *each, *whole; };
static const struct piece_case cases[] = {
	{ "concat-1000", 1, NULL, NULL },
	{ "lengths-1000", PIECES, NULL, NULL },
	{ "computed-1000", 1, "ExpNode", NULL },
	{ "read-1000", 1, "ExpNode", "TanhNode" },
	{ "sum-1000", PIECES, NULL, "ReduceSumNode" },
};

static void join(FILE *f, const struct piece_case *p)
{
	int each = p->each ? 2 : 1;

	for (int i = 0; i < PIECES; i++) {
		fprintf(f, "$%d = InputTensor(x%d, float32, [%d]);\n", each * i + 1, i, (int)(4 + i % p->lengths));
		if (p->each)
			fprintf(f, "$%d = %s($%d);\n", each * i + 2, p->each, each * i + 1);
	}
	fprintf(f, "$%d = ConcatNode(0", each * PIECES + 1);
	for (int i = 0; i < PIECES; i++)
		fprintf(f, ", $%d", each * (i + 1));
	fprintf(f, ");\n");
	if (p->whole)
		fprintf(f, "$%d = %s($%d);\n", each * PIECES + 2, p->whole, each * PIECES + 1);
	fprintf(f, "result = $%d;\n", each * PIECES + 1 + (p->whole != NULL));
}

static void pad(FILE *f)
{
	fprintf(f, "$1 = InputTensor(x, float32, [3, 3]);\n");
	for (int i = 0; i < PIECES; i++)
		fprintf(f, "$%d = PadNode($%d, [1, 1], [1, 1], %d);\n", i + 2, i + 1, i % 7);
	fprintf(f, "result = $%d;\n", PIECES + 1);
}

void bench_pieces_cases(struct bench_cases *l)
{
	const size_t n = sizeof cases / sizeof *cases;

	for (size_t i = 0; i <= n; i++) {
		struct bench_case *c = bench_case_add(
			l, "pieces", "pieces", i < n ? "concat" : "pad", i < n ? cases[i].name : "pads-1000");
		size_t bytes;
		FILE *f = open_memstream(&c->script, &bytes);

		if (!f)
			lt__must_alloc(SIZE_MAX / 2);      /* says that there is no memory, and ends */
		else if (i < n)
			join(f, &cases[i]);
		else
			pad(f);
		if (f)
			fclose(f);
	}
}
