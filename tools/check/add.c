/* add.c -- adds a case to a list: its name, its row of the support matrix, its seed. */
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>
#include "tools/check/parts.h"

static const struct check_groupinfo groups[] = {
#define GROUP(name, doc) { #name, doc },
#include "tools/check/check.def"
};
static const char *const shapes[CHECK_N_SHAPE] = { "one", "prime", "below", "power", "above", "zero", "scalar",
	"deep" };
static const char *const views[CHECK_N_VIEWS] = { "none", "pad", "stride", "slice", "reshape", "permute", "concat",
	"broadcast", "flip", "flatten" };
static const char *const trees[CHECK_N_TREE] = { "default", "plain", "drawn", "drawn2", "masked", "peeled", "inner",
	"padded", "outer", "nested", "strips" };
static const char *const neighbours[CHECK_N_NEIGHBOUR] = { "alone", "producer", "consumer", "both", "reduced" };
static const char *const axes[] = { "last", "first", "all" };
static const char *const indices[2][2] = { { "axis", "bounded" }, { "out_of_range", "out_of_bound" } };
static const char *const states[CHECK_N_STATE] = { "replace", "update", "swap", "counter", "append" };
static const char *const params[CHECK_N_PARAM] = { "extent", "slice", "sum", "greatest", "both", "softmax",
	"difference" };
static const char *const products[CHECK_N_PRODUCT] = { "nn", "nt", "tn", "batch", "vector", "bias_relu", "bias_gelu",
	"bias_residual", "silu", "softmax", "conv", "attention", "chain", "mean" };
static const char *const randoms[] = { "graph", "nest" };

/* How cases are named, their row of the support matrix ("": they are not in it), and the percent of special values.
 * Capital letters stand for what the spec says: Operator, Type, Second type, sHape, View, Loops, Neighbours, Kind, and
 * a Figure. */
static const struct naming { const char *name, *row; const char *const *kind; int special; } names[CHECK_N_GROUP] = {
	[CHECK_op] = { "op/O/T/H/view=V/L/N", "O", NULL, 40 },
	[CHECK_cast] = { "cast/T/S/H/L", "cast to S", NULL, 50 },
	[CHECK_reduce] = { "reduce/O/T/H/K/L", "O.reduce", axes, 4 },
	[CHECK_gather] = { "gather/T/by_S/KF/L", "gather", NULL, 4 },
	[CHECK_state] = { "state/K/T/L", "state", states, 4 },
	[CHECK_param] = { "param/K/T/L", "", params, 4 },
	[CHECK_product] = { "product/K/T/H/L", "product", products, 4 },
	[CHECK_random] = { "random/K/F/L", "", randoms, 2 },
	[CHECK_own] = { "", "", NULL, 20 },
};

const struct check_groupinfo *lt__check_group(int group) { return &groups[group]; }

static bool matches(const char *pattern, const char *name)
{
	return !pattern || strstr(name, pattern) || fnmatch(pattern, name, 0) == 0;
}

uint64_t lt__check_hash(const void *at, size_t bytes, uint64_t seed)
{
	uint64_t h = UINT64_C(0xcbf29ce484222325) ^ (seed * UINT64_C(0x9e3779b97f4a7c15));
	for (const unsigned char *byte = at; bytes-- > 0; byte++)
		h = (h ^ *byte) * UINT64_C(0x100000001b3);
	return h ^ (h >> 31);
}

/* figure: 12 bytes.  Of gathers it is the axis; plain trees of those that are out of range need none. */
static const char *word_of(int group, const struct check_spec *s, char letter, char *figure)
{
	bool bounded = s->variant >= CHECK_G_BOUNDED, unnamed = s->wild && !bounded && s->schedule < CHECK_N_SCHEDULE;
	switch (letter) {
	case 'O': return lt__op_info((enum lt_opcode)s->op)->name;
	case 'T': return lt__dtype_info(s->dtype)->name;
	case 'S': return lt__dtype_info(s->other)->name;
	case 'H': return shapes[s->shape];
	case 'V': return views[s->view];
	case 'L': return trees[s->schedule];
	case 'N': return neighbours[s->neighbour];
	case 'K': return group == CHECK_gather ? indices[s->wild][bounded] : names[group].kind[s->variant];
	case 'F':
		(void)snprintf(figure, 12, "%d", group == CHECK_gather ? s->variant % 2 : s->number);
		return group == CHECK_gather && unnamed ? "" : figure;
	default: return NULL;
	}
}

static void name_by(const char *pattern, int group, const struct check_spec *s, char *out, size_t bytes)
{
	char figure[12];
	for (size_t n = 0; *pattern && n + 1 < bytes; pattern++) {
		const char *word = word_of(group, s, *pattern, figure);
		n += (size_t)snprintf(out + n, bytes - n, "%.*s", word ? 100 : 1, word ? word : pattern);
	}
}

/* NULL: it is not wanted, or there is no memory. */
static struct check_case *add_case(struct check_adder *a, int group, const char *name)
{
	if (!matches(a->o->filter, name) || a->list->lost)
		return NULL;
	if (a->list->n == a->list->cap) {
		int32_t cap = a->list->cap ? 2 * a->list->cap : 512;
		struct check_case *at = realloc(a->list->at, sizeof *at * (size_t)cap);
		if (!at) {
			a->list->lost = true;
			return NULL;
		}
		a->list->at = at;
		a->list->cap = cap;
	}
	struct check_case *c = &a->list->at[a->list->n++];
	*c = (struct check_case){ .name = strdup(name), .group = group, .special = names[group].special,
		.seed = lt__check_hash(name, strlen(name), a->o->seed) };
	a->list->lost = a->list->lost || !c->name;
	return c;
}

void lt__check_add_graph(
	struct check_adder *a, int group, const char *name, const struct lt_graph *g, const struct check_clause *clause)
{
	struct check_case *c = add_case(a, group, name);
	if (!c)
		return;
	c->graph = g;
	c->clause = clause;
}

void lt__check_add(struct check_adder *a, int group, const struct check_spec *spec, const struct check_clause *clause)
{
	char name[200], row[40] = "";
	(void)snprintf(name, sizeof name, "%s/%s", groups[group].name, clause ? clause->name : "");
	if (spec) {
		name_by(names[group].name, group, spec, name, sizeof name);
		name_by(names[group].row, group, spec, row, sizeof row);
	}
	struct check_case *c = add_case(a, group, name);
	if (!c)
		return;
	c->clause = clause;
	c->row = row[0] ? strdup(row) : NULL;
	if (spec) {
		c->spec = *spec;
		c->column = spec->dtype;
		c->wild = spec->wild;
	}
	a->list->lost = !c->name || (row[0] && !c->row);
}

void lt__check_cases_free(struct check_list *list)
{
	for (int32_t i = 0; i < list->n; i++) {
		free((void *)(uintptr_t)list->at[i].name);
		free((void *)(uintptr_t)list->at[i].row);
	}
	for (int32_t i = 0; i < list->n_graph; i++)
		lt_graph_free(list->graph[i]);
	free(list->graph);
	free(list->at);
	*list = (struct check_list){ 0 };
}
