/* kernel/verify_change.c -- that no value of a variable is used after the variable has changed (verify.h).
 *
 * A variable has a version, which is another one after each change; a value from `get` is good as long as the version
 * is the one that it found.  What a loop changes has another version from the loop's beginning on, for its next
 * iteration.  An else begins with the versions that its if began with.
 */
#include <string.h>
#include "kernel/verify.h"

static void *verify_grown(struct lt_verifier *v, void *at, int32_t n, int32_t *cap, size_t size)
{
	if (n < *cap)
		return at;
	if (*cap > INT32_MAX / 2)
		longjmp(v->pool.jump, 1);
	*cap = *cap ? *cap * 2 : 64;
	void *more = lt__pool_alloc(&v->pool, (size_t)*cap, size);
	if (n)
		memcpy(more, at, (size_t)n * size);
	return more;
}

static bool changes(const struct lt_kernel *k, const struct lt_instruction *i)
{
	return (i->opcode == LT_OPCODE_set || i->opcode == LT_OPCODE_update || i->opcode == LT_OPCODE_variable) && i->what >= 0
		&& (uint32_t)i->what < k->n_variable;
}

/* A variable is listed once in each loop: one that encloses the change before has it, and so have those around it. */
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
		} else if (changes(v->k, i)) {
			for (int32_t l = n; l-- > 0 && loop[l] > v->last_change[i->what]; ) {
				v->loop_change = verify_grown(v, v->loop_change, v->n_loop_change, &v->cap_loop_change,
					sizeof *v->loop_change);
				v->loop_change[v->n_loop_change] = (struct lt_loop_change){ i->what, v->changed_in[loop[l]] };
				v->changed_in[loop[l]] = v->n_loop_change++;
			}
			v->last_change[i->what] = at;
		}
	}
}

void lt__verify_changed(struct lt_verifier *v, int32_t variable)
{
	v->change = verify_grown(v, v->change, v->n_change, &v->cap_change, sizeof *v->change);
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
