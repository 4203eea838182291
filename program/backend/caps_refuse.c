/* What a backend's caps refuse before it is asked: features that it does not understand (caps.c), kinds of loops that
 * it does not have, and types (caps_types.c).
 */
#include <stdio.h>
#include "program/backend/caps.h"

static const char *const kinds[LT_NLOOP_KIND] = { "serial", "parallel", "vector", "unroll", "grid", "block", "group",
	"call", "tile", "rank" };

/* One diagnostic for each kind that it does not have. */
static bool refuse_loops(const struct lt_tree *t, uint64_t loops, struct lt_diag *diag)
{
	uint64_t reported = 0;
	char text[200], remedy[160];
	for (int32_t i = 0; i < t->n_loop; i++) {
		const struct lt_loop *l = LT_AT(struct lt_loop, t->loops, i);
		bool known = l->kind >= 0 && l->kind < LT_NLOOP_KIND;
		if (known && (loops >> l->kind & 1 || reported >> l->kind & 1))
			continue;
		reported |= known ? UINT64_C(1) << l->kind : 0;
		const char *var = l->var ? l->var : "?";
		if (l->kind == LT_CALL || l->kind == LT_TILE)
			(void)snprintf(text, sizeof text, "it calls no routines, and %.40s is handed to %.40s", var,
				l->call ? l->call : "one");
		else
			(void)snprintf(text, sizeof text, "it has no %s loops", known ? kinds[l->kind] : "such");
		(void)snprintf(remedy, sizeof remedy, l->kind == LT_CALL || l->kind == LT_TILE ? "remove the call: serial "
			"%.40s" : "make loop %.40s serial",
			var);
		lt__caps_report(diag, i, l->n_stmt > 0 ? l->first_stmt : -1, text, l->kind == LT_SERIAL ? NULL : remedy);
		if (!known)
			break;
	}
	return reported != 0;
}

lt_status lt__refuse_by_caps(const struct lt_tree *t, const struct lt_caps *caps, struct lt_diag *diag)
{
	if (t->needs & caps->understands & LT_NEED_OWN)
		return LT_OK;           /* its loops are not run: they say what its kernel means */
	bool refused = lt__refuse_features(t, caps->understands, diag);
	refused = refuse_loops(t, caps->loops, diag) || refused;
	refused = lt__refuse_types(t, caps->dtypes, diag) || refused;
	return refused ? LT_EUNSUPPORTED : LT_OK;
}
