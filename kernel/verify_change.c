/* kernel/verify_change.c -- that no value of a variable is used after the variable has changed (verify.h).
 *
 * A variable has a version, which is another one after each change; a value from `get` is good as long as the version
 * is the one that it found.  What a loop changes has another version from the loop's beginning on, for its next
 * iteration.  An else begins with the versions that its if began with.
 */
#include "kernel/verify.h"

/* A variable is listed once in each loop: one that encloses the change before has it, and so have those around it. */
static void list_change(struct lt_verifier *v, int64_t variable, int32_t at, const int32_t *loop, int32_t n)
{
	if (variable < 0 || variable >= (int64_t)v->k->n_variable)
		return;                                 /* the walk will refuse it */
	for (int32_t l = n; l-- > 0 && loop[l] > v->last_change[variable]; ) {
		v->loop_change = lt__pool_grown(&v->pool, v->loop_change, v->n_loop_change, &v->cap_loop_change,
			sizeof *v->loop_change);
		v->loop_change[v->n_loop_change] = (struct lt_loop_change){ (int32_t)variable, v->changed_in[loop[l]] };
		v->changed_in[loop[l]] = v->n_loop_change++;
	}
	v->last_change[variable] = at;
}

/* All variables that an instruction changes. */
static void list_changes(struct lt_verifier *v, int32_t at, const int32_t *loop, int32_t n)
{
	const struct lt_instruction *i = &v->k->instructions[at];
	if (i->opcode == LT_OPCODE_set || i->opcode == LT_OPCODE_update || i->opcode == LT_OPCODE_variable)
		list_change(v, i->what, at, loop, n);
	if (i->opcode != LT_OPCODE_matrix || i->first_extra < 0 || (int64_t)i->first_extra + i->n_extra > v->k->n_extra)
		return;
	for (int32_t e = 2 * LT_MATRIX_LOCATION; e < i->n_extra; e++)
		list_change(v, v->k->extras[i->first_extra + e], at, loop, n);
}

void lt__verify_find_changes(struct lt_verifier *v, const struct lt_region *r)
{
	int32_t loop[LT_MAX_BLOCKS], n = 0, n_block = 0;
	bool is_loop[LT_MAX_BLOCKS];
	for (int32_t at = r->first; at < r->first + r->n; at++) {
		const struct lt_instruction *i = &v->k->instructions[at];
		if (i->opcode == LT_OPCODE_loop || i->opcode == LT_OPCODE_if) {
			if (n_block == LT_MAX_BLOCKS)
				return;                         /* the walk will refuse it */
			is_loop[n_block] = i->opcode == LT_OPCODE_loop;
			if (is_loop[n_block++])
				loop[n++] = at;
		} else if (i->opcode == LT_OPCODE_end && n_block > 0) {
			n -= is_loop[--n_block];
		} else {
			list_changes(v, at, loop, n);
		}
	}
}

void lt__verify_changed(struct lt_verifier *v, int32_t variable)
{
	v->change = lt__pool_grown(&v->pool, v->change, v->n_change, &v->cap_change, sizeof *v->change);
	v->change[v->n_change++] = (struct lt_change){ variable, v->version[variable] };
	v->version[variable] = ++v->last_version;
}

void lt__verify_loop(struct lt_verifier *v, int32_t loop)
{
	for (int32_t c = v->changed_in[loop]; c >= 0; c = v->loop_change[c].next)
		lt__verify_changed(v, v->loop_change[c].variable);
}

void lt__verify_else(struct lt_verifier *v, int32_t first)
{
	for (int32_t c = v->n_change; c-- > first; )
		v->version[v->change[c].variable] = v->change[c].version;
}

/* Either block may have run: what one of them changed has changed. */
void lt__verify_joined(struct lt_verifier *v, int32_t first)
{
	for (int32_t c = first; c < v->n_change; c++)
		v->version[v->change[c].variable] = ++v->last_version;
	if (v->n_open == 0)
		v->n_change = 0;
}
