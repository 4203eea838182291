/* own.c -- cases of --kernels: each kernel of the folder, on extents that its meaning takes.
 *
 * Which those are only the meaning knows: numbers of axes are tried, fewest first, and for each which of them are
 * equal, as few as may be.  What is found is tried with ones, primes, larger and random extents.  Where the kernel
 * takes none of these, some of them are the numbers that LT_TAKES has.
 */
#include <stdlib.h>
#include <string.h>
#include "check/random/random.h"
#include "frontends/script/script.h"
#include "ir/node/node.h"
#include "program/own/own.h"
#include "tools/check/own.h"
#include "tools/check/parts.h"

enum { MAX_TENSOR = 4, MAX_RANK = 4, MAX_AXIS = 8, MAX_SYMBOL = 4, MAX_PATTERN = 6, BEYOND = 2, WATCHED = 3,
	MAX_NUMBER = 4 };

/* How many axes each tensor has, and which extent each axis is; fixed: what an extent has to be, 0: anything. */
struct own_pattern { int rank[MAX_TENSOR], symbol[MAX_AXIS], n_axis, n_symbol; int64_t fixed[MAX_SYMBOL]; };
struct own_cases {
	struct lt_context *ctx;
	struct lt_arena *a;
	const struct check_options *o;
	struct check_adder add;
	const struct lt_script_language *language;
	struct lt_ownfolder folder;
	const char *name;               /* of the operation in hand */
	const char *path;               /* of its kernel */
	struct lt_ownhead head;
	int n_tensor;                   /* parameters without a default */
	int64_t number[MAX_NUMBER];     /* which extents may have to be */
	int n_number;
	enum lt_dtype dtype;
	/* Why the first that was not taken was not, of those that the meaning takes, if there is one; NULL: all were. */
	const char *why;
	lt_status why_code;
	bool why_means;
};

/* Parameters without a default are tensors. */
static lt_status count_tensors(struct own_cases *x)
{
	int32_t n = 0;
	LT_TRY(lt__script_own_inputs(x->language, x->ctx, x->a, &x->folder, x->name, &n));
	x->n_tensor = n;
	return n >= 1 && n <= MAX_TENSOR ? LT_OK : lt_fail(x->ctx, LT_EUNSUPPORTED, "%s/%s.lt has %d parameters without a "
		"default: of 1 to %d tensors extents can be found", x->folder.path, x->name, n, MAX_TENSOR);
}

static int64_t extent_of(const struct own_pattern *p, const int64_t *extent, int axis)
{
	const int s = p->symbol[axis];
	return p->fixed[s] ? p->fixed[s] : extent[s];
}

/* The call itself, which stands behind those that it means; NULL: it computes nothing of its operands. */
static const struct lt_owncall *call_in(const struct own_cases *x, const struct lt_graph *g)
{
	const struct lt_owncall *c = g->n_own ? &g->own[g->n_own - 1] : NULL;
	return c && !strcmp(c->name, x->name) ? c : NULL;
}

/* The meaning takes these operands, and LT_KERNEL or LT_TAKES does not. */
static lt_status refused_by_kernel(const struct own_cases *x, const struct lt_graph *g)
{
	const struct lt_owncall *c = call_in(x, g);
	for (int32_t i = 0; c && i < c->n_result; i++) {
		const enum lt_dtype is = g->node[c->result[i]].dtype;
		if (!(x->head.types >> is & 1))
			return lt_fail(x->ctx, LT_EINVAL, "of operands of %s its result is %s, and LT_KERNEL(%s, ...) does not name "
				"that type", lt__dtype_info(x->dtype)->name, lt__dtype_info(is)->name, x->name);
	}
	return lt_fail(x->ctx, LT_EINVAL, c ? "LT_TAKES(%s, ...) does not take their extents"
		: "%s computes nothing of them", x->name);
}

/* The call on inputs of those extents, if its meaning and its kernel take them; *means: its meaning does. */
static lt_status make_graph(
	const struct own_cases *x, const struct own_pattern *p, const int64_t *extent, struct lt_graph *g,
	bool *means)
{
	static const char letters[] = "mnkpqrst";
	lt_node operand[MAX_TENSOR], *result;
	int32_t n;
	for (int k = 0, axis = 0; k < x->n_tensor; k++) {
		lt_var dim[MAX_RANK];
		for (int i = 0; i < p->rank[k]; i++, axis++)
			dim[i] = lt_graph_var(g, (const char[2]){ letters[axis], '\0' }, extent_of(p, extent, axis));
		operand[k] = lt_graph_input(g, lt__arena_format(x->a, "x%d", k), x->dtype, p->rank[k], dim);
		if (operand[k] < 0)
			return lt_context_code(x->ctx);
	}
	const struct lt_own_given given = { x->n_tensor, operand, 0, NULL, NULL };
	LT_TRY(lt__script_own(x->language, g, &x->folder, x->name, &given, &n, &result));
	for (int32_t i = 0; i < n; i++)
		LT_TRY(lt_graph_result(g, lt__arena_format(x->a, "y%d", i), result[i]));
	bool takes = false;
	*means = true;
	const struct lt_owncall *c = call_in(x, g);
	if (c)
		LT_TRY(lt__own_takes(x->ctx, x->path, &x->head, g, c, &takes));
	return takes ? LT_OK : refused_by_kernel(x, g);
}

struct own_making {
	const struct own_cases *x;
	const struct own_pattern *p;
	const int64_t *extent;
	struct lt_graph *g;
	bool means;
};

static lt_status make_body(void *of)
{
	struct own_making *m = of;
	return make_graph(m->x, m->p, m->extent, m->g, &m->means);
}

/* *out NULL: they are not taken; *means, where it is not NULL: but by its meaning. */
static lt_status try_pattern(struct own_cases *x, const struct own_pattern *p, const int64_t *extent,
	struct lt_graph **out, bool *means)
{
	struct own_making m = { x, p, extent, NULL, false };
	*out = NULL;
	LT_TRY(lt_graph_new(x->ctx, &m.g));
	const lt_status status = lt__protect(x->ctx, make_body, &m);
	if (means)
		*means = m.means;
	if (!status) {
		*out = m.g;
		return LT_OK;
	}
	lt_graph_free(m.g);
	if (status == LT_ENOMEM)
		return status;
	if (!x->why || (m.means && !x->why_means)) {
		x->why = lt__arena_string(x->a, lt_context_message(x->ctx));
		x->why_code = status;
		x->why_means = m.means;
	}
	lt_context_clear(x->ctx);
	return LT_OK;
}

/* The next way in which axes are equal, of exactly as many extents; false: there is none. */
static bool next_symbols(struct own_pattern *p)
{
	for (;;) {
		int i = p->n_axis - 1;
		for (; i > 0; i--) {
			int most = 0;
			for (int k = 0; k < i; k++)
				most = p->symbol[k] > most ? p->symbol[k] : most;
			if (p->symbol[i] <= most && p->symbol[i] + 1 < p->n_symbol)
				break;
		}
		if (i <= 0)
			return false;
		p->symbol[i]++;
		memset(p->symbol + i + 1, 0, sizeof *p->symbol * (size_t)(p->n_axis - i - 1));
		int n = 0;
		for (int k = 0; k < p->n_axis; k++)
			n = p->symbol[k] + 1 > n ? p->symbol[k] + 1 : n;
		if (n == p->n_symbol)
			return true;
	}
}

/* The first of them, which need not have as many. */
static bool first_symbols(struct own_pattern *p)
{
	memset(p->symbol, 0, sizeof p->symbol);
	return p->n_symbol <= 1 ? p->n_symbol == (p->n_axis > 0) : next_symbols(p);
}

/* Extents of which some are the numbers that there are, by the digits of `code`; false: too large. */
static bool fix_extents(const struct own_cases *x, struct own_pattern *p, int code)
{
	for (int k = 0; k < MAX_SYMBOL; k++, code /= x->n_number + 1)
		p->fixed[k] = k < p->n_symbol && code % (x->n_number + 1) ? x->number[code % (x->n_number + 1) - 1] : 0;
	return code == 0;
}

static lt_status find_extents(struct own_cases *x, struct own_pattern *p, bool *found)
{
	static const int64_t extent[][MAX_SYMBOL] = { { 11, 7, 5, 3 }, { 192, 64, 128, 256 } };
	struct lt_graph *g;
	int n_code = 1, taken = 0;
	bool means[2];
	for (int k = 0; k < p->n_symbol; k++)
		n_code *= x->n_number + 1;
	for (int code = 0; code < n_code && !*found && fix_extents(x, p, code); code++, taken = 0) {
		for (int i = 0; i < 2; i++) {
			LT_TRY(try_pattern(x, p, extent[i], &g, &means[i]));
			taken += g != NULL;
			lt_graph_free(g);
		}
		*found = taken > (code > 0);    /* not because one of the others is that number by chance */
		if (!means[0] && !means[1])
			break;
	}
	return LT_OK;
}

/* Of these numbers of axes the way with the most different extents that the meaning takes. */
static lt_status find_symbols(struct own_cases *x, struct own_pattern *p, bool *found)
{
	p->n_symbol = p->n_axis < MAX_SYMBOL ? p->n_axis : MAX_SYMBOL;
	*found = false;
	for (; !*found && p->n_symbol >= (p->n_axis > 0); p->n_symbol--)
		for (bool more = first_symbols(p); more && !*found; more = !*found && next_symbols(p))
			LT_TRY(find_extents(x, p, found));
	p->n_symbol += *found;
	return LT_OK;
}

static lt_status find_patterns(struct own_cases *x, struct own_pattern *out, int *n)
{
	int first = MAX_AXIS;
	*n = 0;
	for (int total = 0; total <= MAX_AXIS && total <= first + BEYOND && *n < MAX_PATTERN; total++)
		for (int code = 0, end = 5 * 5 * 5 * 5; code < end && *n < MAX_PATTERN; code++) {
			struct own_pattern p = { .n_axis = 0 };
			int rest = code;
			bool found;
			for (int k = 0; k < x->n_tensor; k++, rest /= 5)
				p.n_axis += p.rank[k] = rest % 5;
			if (rest || p.n_axis != total)
				continue;
			LT_TRY(find_symbols(x, &p, &found));
			if (found) {
				out[(*n)++] = p;
				first = total < first ? total : first;
			}
		}
	return LT_OK;
}

static const char *extents_text(const struct own_cases *x, const struct own_pattern *p, const int64_t *extent)
{
	struct lt_text t = { .arena = x->a };
	for (int k = 0, axis = 0; k < x->n_tensor; k++) {
		lt__text_format(&t, "%s%s", k ? "," : "", p->rank[k] ? "" : "scalar");
		for (int i = 0; i < p->rank[k]; i++, axis++)
			lt__text_format(&t, "%s%lld", i ? "x" : "", (long long)extent_of(p, extent, axis));
	}
	return t.at;
}

static lt_status add_case(
	struct own_cases *x, const struct own_pattern *p, const char *set, const int64_t *extent, bool sanitized)
{
	struct check_list *list = x->add.list;
	struct lt_graph *g;
	LT_TRY(try_pattern(x, p, extent, &g, NULL));
	if (!g)
		return LT_OK;
	struct lt_graph **more = realloc(list->graph, (size_t)(list->n_graph + 1) * sizeof *more);
	if (!more) {
		lt_graph_free(g);
		return lt_fail(x->ctx, LT_ENOMEM, "out of memory");
	}
	list->graph = more;
	list->graph[list->n_graph++] = g;
	const char *name = lt__arena_format(x->a, "own/%s/%s/%s/%s", x->name, lt__dtype_info(x->dtype)->name, set,
		extents_text(x, p, extent));
	lt__check_add_graph(&x->add, CHECK_own, name, g, NULL);
	if (sanitized)
		lt__check_add_graph(&x->add, CHECK_own, lt__arena_format(x->a, "%s/sanitized", name), g,
			&lt__check_own_sanitized);
	return LT_OK;
}

/* watched: in a program with sanitizers, too */
static lt_status add_pattern(struct own_cases *x, const struct own_pattern *p, bool watched)
{
	static const struct { const char *name; int64_t extent[MAX_SYMBOL]; bool sanitized; } sets[] = {
		{ "ones", { 1, 1, 1, 1 }, true }, { "primes", { 13, 7, 5, 3 }, true }, { "large", { 67, 64, 48, 33 }, false },
		{ "powers", { 192, 64, 128, 256 }, false },
	};
	uint64_t rng = lt__check_hash(x->name, strlen(x->name), x->o->seed) | 1;
	for (size_t i = 0; i < sizeof sets / sizeof *sets; i++)
		LT_TRY(add_case(x, p, sets[i].name, sets[i].extent, watched && sets[i].sanitized));
	for (int i = 0; i < 2 && p->n_axis > 0; i++) {
		int64_t extent[MAX_SYMBOL];
		for (int k = 0; k < MAX_SYMBOL; k++)
			extent[k] = random_between(&rng, 1, 40);
		LT_TRY(add_case(x, p, i ? "random2" : "random", extent, false));
	}
	return LT_OK;
}

/* What LT_TAKES compares something with, or divides it by. */
static void find_numbers(struct own_cases *x)
{
	const char *at = x->head.takes ? x->head.takes : "", *end = at + (x->head.takes ? x->head.takes_bytes : 0);
	for (char before = 0; at < end && x->n_number < MAX_NUMBER;) {
		char *rest = NULL;
		const int64_t n = before && strchr("=<>%", before) && *at >= '1' && *at <= '9' ? strtoll(at, &rest, 10) : 0;
		bool again = n < 1 || n > 1024;
		for (int i = 0; i < x->n_number; i++)
			again = again || x->number[i] == n;
		if (!again)
			x->number[x->n_number++] = n;
		before = *at == ' ' ? before : *at;
		at = rest ? rest : at + 1;
	}
}

static lt_status add_operation(struct own_cases *x)
{
	const char *const path = lt__arena_format(x->a, "%s/%s.c", x->folder.path, x->name);
	const char *slash = strrchr(x->name, '/'), *text;
	struct own_pattern pattern[MAX_PATTERN];
	int n = 0, found = 0;
	x->n_number = 0;
	x->why = NULL;
	x->why_means = false;
	LT_TRY(count_tensors(x));
	LT_TRY(lt__own_text(x->ctx, x->a, path, &text));
	LT_TRY(lt__own_head(x->ctx, path, text, slash ? slash + 1 : x->name, &x->head));
	x->path = path;
	find_numbers(x);
	for (int t = 1; t < LT_NDTYPE; t++) {
		const bool any = x->head.types == UINT32_MAX;
		if (!(x->head.types >> t & 1) || (any && t != LT_F32 && t != LT_F64 && t != LT_I32))
			continue;
		x->dtype = (enum lt_dtype)t;
		LT_TRY(find_patterns(x, pattern, &n));
		found += n;
		for (int i = 0; i < n; i++)
			LT_TRY(add_pattern(x, &pattern[i], i < WATCHED));
	}
	/* A meaning that is no text of the language takes none, and what it says of the first it says of all. */
	return found ? LT_OK : x->why && x->why_code == LT_ESYNTAX ? lt_fail(x->ctx, LT_ESYNTAX, "%s", x->why)
		: lt_fail(x->ctx, LT_EUNSUPPORTED,
		"%s: no extents were found that what it means takes: tensors of one type that LT_KERNEL names, of at most %d axes "
		"each and %d together, were tried%s%s; lt-run --verify judges it in a script", path, MAX_RANK, MAX_AXIS,
		x->why ? ", the first of which is refused: " : "", x->why ? x->why : "");
}

static lt_status add_all(void *of)
{
	struct own_cases *x = of;
	x->language = lt__script_language(x->a);
	LT_TRY(lt__ownfolder_read(x->ctx, x->a, x->o->kernels, &x->folder));
	for (int32_t i = 0; i < x->folder.n; i++) {
		x->name = x->folder.name[i];
		if (x->folder.kernel[i])
			LT_TRY(add_operation(x));
	}
	return x->add.list->n || x->o->filter ? LT_OK : lt_fail(x->ctx, LT_EINVAL,
		"there is no kernel in the folder %s: NAME.c beside NAME.lt", x->o->kernels);
}

lt_status lt__check_own_cases(struct lt_context *ctx, const struct check_options *o, struct check_list *list)
{
	struct own_cases x = { .ctx = ctx, .o = o, .add = { o, list } };
	LT_TRY(lt__arena_new(ctx, &x.a));
	const lt_status status = lt__protect(ctx, add_all, &x);
	lt__arena_free(x.a);
	return status;
}
