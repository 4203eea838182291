/* table.c -- the table of operators: ops.def as code. */
#include <string.h>
#include "base/nearest.h"
#include "frontends/onnx/builders.h"

static const struct lt_onnx_op table[] = {
#define ONNX_OP(domain, name, since, groups, build, arg) \
	{ domain, name, since, LT_ONNX_##groups, lt__onnx_build_##build, arg },
#include "frontends/onnx/ops.def"
};
/* What is left out on purpose, and why. */
static const struct { const char *domain, *name, *why; } refused[] = {
#define ONNX_NO(domain, name, why) { domain, name, why },
#include "frontends/onnx/refused.def"
};
enum { N_OP = sizeof table / sizeof *table, N_REFUSED = sizeof refused / sizeof *refused };

/* What would make it an operation of the user's own. */
static const char *own_hint(struct lt_onnx *m, const char *domain, const char *name)
{
	const char *own = lt__arena_format(m->arena, "%s/%s", domain, name);
	struct lt_nearest near;
	lt__nearest_begin(&near, own, strlen(own));
	for (int32_t i = 0; i < m->folder.n; i++)
		lt__nearest_add(&near, m->folder.name[i]);
	return m->folder.path ? lt__arena_format(m->arena, "; there is no %s/%s.lt%s", m->folder.path, own,
		lt__nearest_hint(m->graph->ctx, &near, "", ""))
		: lt__arena_format(m->arena, "; in a folder of kernels %s.lt would say what it means", own);
}

const struct lt_onnx_op *lt__onnx_op_find(struct lt_onnx *m, const char *domain, const char *name, int64_t version)
{
	const struct lt_onnx_op *best = NULL;
	int32_t first = INT32_MAX;
	for (int32_t i = 0; i < N_OP; i++) {
		const struct lt_onnx_op *op = &table[i];
		if (*op->name != *name || strcmp(op->name, name) || strcmp(op->domain, domain))
			continue;
		first = op->since < first ? op->since : first;
		if (op->since <= version && (!best || op->since > best->since))
			best = op;
	}
	if (best)
		return best;
	if (first < INT32_MAX) {
		lt__onnx_refuse(m, "operator %s of version %lld: only from version %d on", name, (long long)version, (int)first);
		return NULL;
	}
	for (int32_t i = 0; i < N_REFUSED; i++)
		if (!strcmp(refused[i].domain, domain) && !strcmp(refused[i].name, name)) {
			lt__onnx_refuse(m, "operator %s is not supported: %s", name, refused[i].why);
			return NULL;
		}
	lt__onnx_refuse(m, "operator %s%s%s%s is not supported%s", name, *domain ? " (of " : "", domain, *domain ? ")" : "",
		*domain ? own_hint(m, domain, name) : "");
	return NULL;
}
