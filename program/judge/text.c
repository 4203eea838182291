/* text.c -- where an element of a tensor is, as text. */
#include <stdio.h>
#include "program/judge/parts.h"

const char *lt__judge_location(const struct lt_graph *g, lt_node n, const char *kind, const char *name, int64_t flat,
	const char *when, char *out, size_t bytes)
{
	const struct lt_nodedef *d = &g->node[n];
	size_t used = (size_t)(*name ? snprintf(out, bytes, "%s%.60s[", kind, name)
				     : snprintf(out, bytes, "%%%.60s[", d->name));
	int64_t rest = flat, unit = 1;
	for (int32_t i = 1; i < d->n_dim; i++)
		unit *= g->var[d->dim[i]].extent;
	for (int32_t i = 0; i < d->n_dim && used + 100 < bytes; i++) {
		used += (size_t)snprintf(out + used, bytes - used, i ? ", %lld" : "%lld", (long long)(rest / unit));
		rest %= unit;
		unit /= i + 1 < d->n_dim ? g->var[d->dim[i + 1]].extent : 1;
	}
	if (used < bytes)
		used += (size_t)snprintf(out + used, bytes - used, "]");
	if (*name && used < bytes)
		used += (size_t)snprintf(out + used, bytes - used, " (%%%.40s)", d->name);
	if (when && used < bytes)
		snprintf(out + used, bytes - used, "%s", when);
	return out;
}
