/* auto_group_cost.c -- what a kernel of a group costs: bytes that it moves.  Which groups a default tree has is chosen
 * by this and nothing else. */
#include "looptree/default/auto_group.h"

static int64_t bytes_of(const struct lt_auto *s, lt_node n)
{
	return lt__mul_sat(lt__node_elems(s->g, n), lt__dtype_info(s->g->node[n].dtype)->bytes);
}

/* What the leaves read, as often as there are leaves that read it, in order. */
static lt_node *list_reads(const struct lt_auto *s, struct lt_arena *a, const lt_node *member, int32_t n, int32_t *out)
{
	lt_node *list = NULL;
	int32_t count = 0, cap = 0;
	for (int32_t i = 0; i < n; i++) {
		const struct lt_leaf *leaf = s->t->leaf[member[i]];
		const int32_t first = count;
		for (int32_t k = 0; k < leaf->n_read; k++)
			for (int32_t p = 0; p < leaf->read[k].n_piece; p++) {
				const lt_node base = leaf->read[k].piece[p].base;
				if (base < 0 || (count > first && lt__has(list + first, count - first, base)))
					continue;
				LT_GROW(a, list, count, cap);
				list[count++] = base;
			}
	}
	if (count)
		lt__auto_sort(list, count);
	*out = count;
	return list;
}

int64_t lt__routine_cost(const struct lt_auto *s, struct lt_arena *a, const struct lt_routine *r, const lt_node *member,
	int32_t n, const bool *again)
{
	int64_t bytes = 0;
	int32_t n_read, *inside = LT_NEW(a, int32_t, n + 1);
	const lt_node *read = list_reads(s, a, member, n, &n_read);
	(void)r;                        /* loops and all routines move the same bytes */
	for (int32_t i = 0, next; i < n_read; i = next) {
		for (next = i; next < n_read && read[next] == read[i];)
			next++;
		int32_t m = 0;
		while (m < n && member[m] != read[i])
			m++;
		if (m < n)
			inside[m] = next - i;
		else
			bytes = lt__add_sat(bytes, bytes_of(s, read[i]));
	}
	for (int32_t m = 0; m < n; m++)
		if (s->n_reader[member[m]] > inside[m] && !(again && again[member[m]]))
			bytes = lt__add_sat(bytes, bytes_of(s, member[m]));
	return bytes;
}

int64_t lt__copy_cost(const struct lt_auto *s, lt_node n) { return n < 0 ? 0 : lt__mul_sat(2, bytes_of(s, n)); }
