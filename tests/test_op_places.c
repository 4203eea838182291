/* test_op_places.c -- the places outside ir/op/op.def that a new operator needs: each one forgotten is named.
 *
 * The places are those of docs/hacking.md, "Adding an operator".  Each is a file with a text for the operator.  The
 * operators of which a file rightly says nothing are listed: a new one has to be put in the file or in the list.
 */
#include <criterion/criterion.h>
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "backends/ref/value.h"
#include "ir/op/op.h"

static bool every(const struct lt_opinfo *op) { return !op->data; }
static bool has_two_operands(const struct lt_opinfo *op) { return op->arity == 2; }
static bool may_reduce(const struct lt_opinfo *op) { return op->identity != LT_ID_NONE; }
static bool takes_anything(const struct lt_opinfo *op) { return op->any; }
static bool is_inexact(const struct lt_opinfo *op) { return op->ulp > 1; }
static bool rounds_floats(const struct lt_opinfo *op)
{
	return (op->any || op->classes & 1 << LT_CLASS_FLOAT) && op->ulp <= 1;
}

#define COMPARISONS "eq ne less lessequal greater greaterequal"
#define FUNCTIONS "abs pow exp log sqrt tanh erf sin cos floor ceil round"
static const struct place {
	const char *file, *text;        /* $: the operator's name, ^: with a capital */
	bool (*asked)(const struct lt_opinfo *);
	const char *without, *what;     /* operators that need nothing there; what stands there */
} places[] = {
	{ "ir/pass/fold.c", "{ LT_OP_$,", has_two_operands, "mod pow " COMPARISONS, "its neutral element, if it has one" },
	{ "ir/eval/noise.c", "LT_OP_$", rounds_floats, "copy select mod min max neg abs sign floor ceil round " COMPARISONS,
		"what its rounding leaves, unless results are operands, whole numbers or exact" },
	{ "ir/eval/fold.c", "LT_OP_$", may_reduce, "min max", "its reduction in more than double, unless that is exact" },
	{ "ir/eval/error.c", "LT_OP_$", may_reduce, "min max",
		"the error of its reduction, unless that is the largest of its terms" },
	{ "include/lt/tree.h", "X($, ", every, "", "its opcode, in LT_OPERATOR_MAP" },
	{ "kernel/simulate/value.c", "LT_OPCODE_$", every, "select greaterequal", "what it gives in the simulator" },
	{ "kernel/simulate/count.c", "LT_OPCODE_$", takes_anything, "", "that it only moves what it is given" },
	{ "backends/text/operator.def", "OPERATOR($, \"", every, "cast", "how it is written in C" },
	{ "backends/text/dialect.c", "ROW($, ", every, "copy select add sub mul and or xor shl shr " COMPARISONS,
		"that C has it for one lane, unless every machine has it or it is better expanded" },
	{ "backends/text/library.def", "FUNCTION($, ", is_inexact, "sigmoid rsqrt",
		"since when the C library has it over vectors, unless it is made of others" },
	{ "backends/llvm/step.c", "case LT_OPCODE_$:", every, "mod min max shl shr sign reciprocal rsqrt sigmoid " FUNCTIONS,
		"its instruction, unless it is expanded or a function" },
	{ "backends/llvm/function.c", "{ LT_OPCODE_$,", is_inexact, "reciprocal rsqrt sigmoid",
		"its function, unless it is expanded" },
	{ "examples/plugin/trace/value.c", "X($, ", every, "", "its value" },
	{ "frontends/script/nodes_math.c", "\"$\"", may_reduce, "", "the builder of its Reduce node, a row of nodes.def" },
	{ "check/random/operators.c", "case LT_OP_$:", every, "copy select min max neg abs not " COMPARISONS,
		"where it is well behaved, and how large results get, unless as large as operands" },
	{ "tests/test_op.c", "{ \"$\", {", every, "copy select and or xor shl shr not", "results from elsewhere" },
	{ "tests/data/make_vectors.py", "\"$\": ", every, "copy select not", "its function in NumPy" },
	{ "tests/data/operators.h", "{ \"$\", ", every, "copy select not", "what make_vectors.py prints of it" },
	{ "tests/backend_functions.c", "{ LT_OP_$, {", is_inexact, "", "its error, of one lane and of vectors" },
	{ "tests/fuzz/graph.dict", "\"$ \"", every, "", "its keyword" },
	{ "docs/accuracy.md", "| $ |", is_inexact, "", "its error over vectors" },
	{ "docs/script.md", "`^Node`", every, "", "its line" },
};
enum { N_PLACE = sizeof places / sizeof *places };

static char *whole_file(const char *path)
{
	FILE *f = fopen(path, "rb");
	size_t cap = 1 << 20;
	char *text = f ? calloc(1, cap) : NULL;
	cr_assert(text, "%s is not there; correct tests/test_op_places.c and docs/hacking.md", path);
	cr_assert(fread(text, 1, cap - 1, f) < cap - 1);
	fclose(f);
	return text;
}

static bool is_word(char c) { return isalnum((unsigned char)c) || c == '_'; }

/* Whether the text stands there, not as the beginning of a longer word. */
static bool stands(const char *in, const char *text)
{
	size_t n = strlen(text);
	while ((in = strstr(in, text)) && is_word(text[n - 1]) && is_word(in[n]))
		in++;
	return in != NULL;
}

static void fill_in(const struct place *p, const char *name, char *out, size_t bytes)
{
	size_t n = 0;
	for (const char *c = p->text; *c && n + 1 < bytes; c++)
		if (*c == '$' || *c == '^') {
			n += (size_t)snprintf(out + n, bytes - n, "%s", name);
			if (*c == '^')
				out[n - strlen(name)] = (char)toupper((unsigned char)*name);
		} else {
			out[n++] = *c;
		}
	out[n] = '\0';
}

/* "min" in "min max" */
static bool is_listed(const char *list, const char *name)
{
	size_t n = strlen(name);
	for (; *list; list += strcspn(list, " "), list += *list == ' ')
		if (strcspn(list, " ") == n && !memcmp(list, name, n))
			return true;
	return false;
}

Test(op_places, each_knows_every_operator)
{
	for (int i = 0; i < N_PLACE; i++) {
		const struct place *p = &places[i];
		char *in = whole_file(p->file), text[100];
		for (int op = 0; op < LT_NOP; op++) {
			const struct lt_opinfo *info = lt__op_info((enum lt_opcode)op);
			bool listed = is_listed(p->without, info->name);
			if (info->data || !p->asked(info))
				continue;
			fill_in(p, info->name, text, sizeof text);
			cr_expect(stands(in, text) || listed, "operator %s: %s has no `%s`: %s; if there is nothing to say, "
				"list the operator in tests/test_op_places.c", info->name, p->file, text, p->what);
			cr_expect(!(stands(in, text) && listed), "operator %s: %s has `%s`; take it out of the list in "
				"tests/test_op_places.c", info->name, p->file, text);
		}
		free(in);
	}
}

/* What a scalar text calls is in prelude.h, and ref reads it. */
Test(op_places, texts_of_c_are_known)
{
	char *prelude = whole_file("ir/op/prelude.h"), source[256];
	for (int op = 0; op < LT_NOP; op++)
		for (int t = 1; t < LT_NDTYPE; t++) {
			const struct lt_opinfo *info = lt__op_info((enum lt_opcode)op);
			uint32_t type = (uint32_t)t;
			if (info->data || !lt__op_takes((enum lt_opcode)op, (enum lt_dtype)t))
				continue;
			lt__op_csource((enum lt_opcode)op, (enum lt_dtype)t, (enum lt_dtype)t, source, sizeof source);
			for (const char *at = source; (at = strstr(at, "lt_")); at++) {
				char name[64];
				size_t n = 3;
				while (islower((unsigned char)at[n]))
					n++;
				snprintf(name, sizeof name, "%.*s", (int)n, at);
				cr_expect(strstr(prelude, name), "operator %s: ir/op/prelude.h has no %s", info->name, name);
			}
			struct lt_op read = { .name = "anything", .source = source, .arity = info->arity,
				.out = info->to_bool ? LT_BOOL : type, .in = { op == LT_OP_select ? LT_BOOL : type, type, type } };
			struct lt_ref_value value;
			const char *at = "";
			cr_expect(lt__ref_value_read(&read, &value, &at), "operator %s: `functions` of backends/ref/value.c does not "
				"know what `%s` calls", info->name, at);
		}
	free(prelude);
}

/* The document and this test have the same places. */
Test(op_places, hacking_names_each)
{
	char *hacking = whole_file("docs/hacking.md"), text[100];
	for (int i = 0; i < N_PLACE; i++) {
		snprintf(text, sizeof text, "| `%s` |", places[i].file);
		cr_expect(strstr(hacking, text), "docs/hacking.md, \"Adding an operator\", has no row %s", text);
	}
	free(hacking);
}
