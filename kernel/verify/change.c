/* change.c -- that no value of a variable is used after the variable has changed (verifier.h).
 *
 * A variable has a version, which is another one after each change; a value from `get` is good as long as the version
 * is the one that it found, and no loop that began after it, and is still open, changes the variable anywhere: that
 * loop's next iteration may come after the change.  An else begins with the versions that its if began with.
 */
#include "kernel/verify/verifier.h"

/* Counts the change, or with `fill` notes where it is. */
static void add_change(struct lt_kernel_verifier *v, int64_t variable, int32_t at, bool fill)
{
	if (variable < 0 || variable >= (int64_t)v->k->n_variable)
		return;                                 /* the walk will refuse it */
	int32_t n = v->n_changed[variable]++;
	if (fill)
		v->changed_at[v->first_changed[variable] + n] = at;
}

/* All variables that an instruction changes. */
static void add_changes(struct lt_kernel_verifier *v, int32_t at, bool fill)
{
	const struct lt_instruction *i = &v->k->instructions[at];
	if (i->opcode == LT_OPCODE_set || i->opcode == LT_OPCODE_update || i->opcode == LT_OPCODE_variable)
		add_change(v, i->what, at, fill);
	if (i->opcode != LT_OPCODE_matrix || i->first_extra < 0 || (int64_t)i->first_extra + i->n_extra > v->k->n_extra)
		return;
	for (int32_t e = 2 * LT_MATRIX_LOCATION; e < i->n_extra; e++)
		add_change(v, v->k->extras[i->first_extra + e], at, fill);
}

/* Where each loop ends, by the nesting alone; one that does not end will be refused. */
static void find_loop_ends(struct lt_kernel_verifier *v)
{
	const struct lt_kernel *k = v->k;
	int32_t open[LT_MAX_BLOCKS], n = 0;
	for (int32_t at = 0; at < (int32_t)k->n_instruction; at++) {
		uint32_t opcode = k->instructions[at].opcode;
		v->loop_end[at] = (int32_t)k->n_instruction;
		if (opcode == LT_OPCODE_loop || opcode == LT_OPCODE_if) {
			if (n == LT_MAX_BLOCKS)
				return;                         /* the walk will refuse it */
			open[n++] = at;
		} else if (opcode == LT_OPCODE_end && n > 0) {
			v->loop_end[open[--n]] = at;
		}
	}
}

void lt__verify_find_changes(struct lt_kernel_verifier *v)
{
	const struct lt_kernel *k = v->k;
	int64_t sum = 0;
	v->n_changed = lt__pool_alloc(&v->pool, k->n_variable, sizeof *v->n_changed);
	v->first_changed = lt__pool_alloc(&v->pool, k->n_variable, sizeof *v->first_changed);
	v->loop_end = lt__pool_alloc(&v->pool, k->n_instruction, sizeof *v->loop_end);
	v->open_loop = lt__pool_alloc(&v->pool, LT_MAX_BLOCKS, sizeof *v->open_loop);
	for (int32_t at = 0; at < (int32_t)k->n_instruction; at++)
		add_changes(v, at, false);
	for (uint32_t i = 0; i < k->n_variable; i++) {
		v->first_changed[i] = sum;
		sum += v->n_changed[i];
		v->n_changed[i] = 0;
	}
	v->changed_at = lt__pool_alloc(&v->pool, (size_t)sum, sizeof *v->changed_at);
	for (int32_t at = 0; at < (int32_t)k->n_instruction; at++)
		add_changes(v, at, true);
	find_loop_ends(v);
}

/* Whether something from `first` to below `end` changes the variable. */
static bool changes_between(const struct lt_kernel_verifier *v, int32_t variable, int32_t first, int32_t end)
{
	const int32_t *at = v->changed_at + v->first_changed[variable];
	int32_t low = 0, high = v->n_changed[variable];
	while (low < high) {
		int32_t middle = low + (high - low) / 2;
		if (at[middle] < first)
			low = middle + 1;
		else
			high = middle;
	}
	return low < v->n_changed[variable] && at[low] < end;
}

bool lt__verify_is_stale(const struct lt_kernel_verifier *v, int32_t get)
{
	int32_t variable = v->k->instructions[get].what, low = 0, high = v->n_open_loop;
	if (v->got[get] != v->version[variable])
		return true;
	while (low < high) {                            /* the outermost open loop that began after it */
		int32_t middle = low + (high - low) / 2;
		if (v->open_loop[middle] < get)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == v->n_open_loop)
		return false;
	int32_t loop = v->open_loop[low];
	return changes_between(v, variable, loop, v->loop_end[loop]);
}

void lt__verify_changed(struct lt_kernel_verifier *v, int32_t variable)
{
	v->change = lt__pool_grown(&v->pool, v->change, v->n_change, &v->cap_change, sizeof *v->change);
	v->change[v->n_change++] = (struct lt_change){ variable, v->version[variable] };
	v->version[variable] = ++v->last_version;
	if (v->n_open == 0)
		v->n_change = 0;
}

void lt__verify_else(struct lt_kernel_verifier *v, int32_t first)
{
	for (int32_t c = v->n_change; c-- > first; )
		v->version[v->change[c].variable] = v->change[c].version;
}

/* Either block may have run: what one of them changed has changed. */
void lt__verify_joined(struct lt_kernel_verifier *v, int32_t first)
{
	for (int32_t c = first; c < v->n_change; c++)
		v->version[v->change[c].variable] = ++v->last_version;
	if (v->n_open == 0)
		v->n_change = 0;
}
