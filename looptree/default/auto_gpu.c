/* The default tree of a GPU: which loops of a plain nest become blocks and threads.
 *
 *     POINTS    elements of their own: a thread has as many side by side as 16 bytes hold, a block up to 256
 *               such runs
 *     ROWS      memory lies along what is reduced: the threads of a block, or of a subgroup, share a row, which stays
 *               in their registers from one loop of the body to the next
 *     THREADS   memory lies along the rows' number: a thread has a row, its neighbour the next one; of rows that are
 *               short sums, as a window of each channel, it has two beside each other, for which positions and borders
 *               are found once
 *     COLUMNS   the same, and too few rows to fill the machine: a block has 32 of them, and shares each among several
 *               threads
 *
 * Which of the last three it is the traffic says: how many transactions a subgroup needs if its threads are side by
 * side along one loop or the other.  What remains without a form has no loop that may be shared out.
 */
#include "looptree/default/auto_gpu.h"

enum {
	FEW = 4,                        /* elements that one thread goes through by itself, whatever the traffic */
	SHORT = 8 * FEW,                /* a row of fewer is one thread's */
	EACH = 8,                       /* elements of a row that a thread has at least */
	WORDS = 4,                      /* of 4 bytes, in an access; accesses that are begun together */
	FULL = 1024,                    /* threads of a multiprocessor that keep its memory busy */
	RUN = 16,                       /* bytes of an access */
	LARGE = 64 << 10                /* bytes for each multiprocessor that take longer to come than a kernel to begin */
};

static int64_t power_up(int64_t n, int64_t max)
{
	int64_t p = 1;
	while (p < n && p < max)
		p *= 2;
	return p;
}

/* The chain's loop whose neighbours cost the least traffic; of equals the innermost. */
static double best_lane(const struct lt_gpu *s, struct lt_gpu_nest *n)
{
	double best = 0;
	for (int32_t i = n->n_chain; i-- > 0;) {
		const struct lt_tnodedef *d = &s->t->node[n->chain[i]];
		if (d->step != 1 || lt_looptree_trip_count(s->t, n->chain[i]) < 2)
			continue;
		double traffic = lt__gpu_traffic(s, n->top, d->var);
		if (n->lane < 0 || traffic < best) {
			n->lane = n->chain[i];
			best = traffic;
		}
	}
	return best;
}

/* What the threads of a row need: each child of the body by its own loop.  Negative: one cannot be shared. */
static double row_traffic(const struct lt_gpu *s, const struct lt_gpu_nest *n)
{
	double sum = 0;
	bool any = false;
	for (lt_tnode c = n->body; c >= 0; c = n->n_chain ? s->t->node[c].next : -1) {
		lt_tnode lane = s->t->node[c].kind == LT_TLOOP ? lt__gpu_lane_of(s, c) : -1;
		bool across = false;
		lt_tnode inner = lt__gpu_inner_of(s, c, lane, &across);
		any = any || lane >= 0;
		sum += lane < 0 ? 0 : lt__gpu_traffic(s, c, s->t->node[across ? inner : lane].var);
	}
	return any ? sum : -1;
}

/* Elements that all children of the body access at once along their lanes: their threads then have the same ones.  Of
 * sums, the narrowest type fills 16 bytes: it has the weights of a product. */
static int64_t row_wide(const struct lt_gpu *s, const struct lt_gpu_nest *n)
{
	const bool sums = lt__gpu_sums_only(s, n);
	int64_t wide = 0;
	for (lt_tnode c = n->body; c >= 0; c = n->n_chain ? s->t->node[c].next : -1) {
		lt_tnode lane = s->t->node[c].kind == LT_TLOOP ? lt__gpu_lane_of(s, c) : -1;
		lt_var v = lane < 0 ? -1 : s->t->node[lane].var;
		int64_t of = lane < 0 ? 0 : sums ? lt__gpu_widest(s, c, v) : lt__gpu_wide(s, c, v);
		wide = of && (!wide || of < wide) ? of : wide;
	}
	return wide ? wide : 1;
}

/* Iterations of the longest loop that threads share. */
static int64_t row_length(const struct lt_gpu *s, const struct lt_gpu_nest *n)
{
	int64_t length = 1;
	for (lt_tnode c = n->body; c >= 0; c = n->n_chain ? s->t->node[c].next : -1) {
		lt_tnode lane = s->t->node[c].kind == LT_TLOOP ? lt__gpu_lane_of(s, c) : -1;
		int64_t trip_count = lane < 0 ? 1 : lt_looptree_trip_count(s->t, lane);
		length = trip_count > length ? trip_count : length;
	}
	return length;
}

/* Threads for what is reduced for each element of a row: side by side if memory lies so, else along block.y. */
static void choose_inner(const struct lt_gpu *s, struct lt_gpu_nest *n)
{
	for (lt_tnode c = n->body; c >= 0; c = n->n_chain ? s->t->node[c].next : -1) {
		bool across;
		lt_tnode lane = s->t->node[c].kind == LT_TLOOP ? lt__gpu_lane_of(s, c) : -1;
		lt_tnode inner = lt__gpu_inner_of(s, c, lane, &across);
		if (inner < 0)
			continue;
		int64_t all = lt__gpu_threads(s->target);
		int64_t trip_count = lt_looptree_trip_count(s->t, inner), deep = power_up(trip_count / 8, all / n->threads);
		if (across)
			n->threads = n->threads > all ? n->threads : all;
		else if (n->threads <= all / 4)
			n->deep = deep > n->deep ? deep : n->deep;
	}
	n->deep = n->deep * n->threads > lt__gpu_max_block(s->target) ? 1 : n->deep;
}

/* Whether half of the threads are as good, where there are enough for the machine: of types of less than 4 bytes each
 * reads 64 bytes then; or more than an eighth of them has nothing to do in the last round, and fewer with half. */
static bool are_too_many(const struct lt_gpu *s, const struct lt_gpu_nest *n, int64_t runs)
{
	int64_t slots = lt__round_up(runs, n->threads);
	if (n->threads <= (int64_t)s->target->warp
		|| lt__mul_sat(n->rows, n->threads) < lt__mul_sat((int64_t)s->target->multiprocessors, FULL))
		return false;
	return (n->wide > WORDS && runs < WORDS * n->threads)
		|| (8 * slots > 9 * runs && lt__round_up(runs, n->threads / 2) < slots);
}

/* Whether all that threads share of a row are groups of products of bytes: a thread has some. */
static bool has_bytes(const struct lt_gpu *s, const struct lt_gpu_nest *n)
{
	bool any = false;
	for (lt_tnode c = n->body; c >= 0; c = n->n_chain ? s->t->node[c].next : -1) {
		if (s->t->node[c].kind != LT_TLOOP || lt__gpu_elems(s->t, c) == 1)
			continue;
		if (lt__gpu_bytes_in(s, c) < 0)
			return false;
		any = true;
	}
	return any;
}

static int64_t rows_of_block(const struct lt_gpu *s, const struct lt_gpu_nest *n, int64_t threads)
{
	const int64_t all = lt__gpu_threads(s->target), few = 2 * (int64_t)s->target->warp;
	int64_t side = n->n_chain && threads < all / 2 ? all / threads : 1;
	while (side * threads > few && side > 1 && n->rows / side < 2 * (int64_t)s->target->multiprocessors)
		side /= 2;
	return side;
}

/* Threads of a subgroup, each with groups of its own.  Where memory is the limit several share one, so that each access
 * of theirs is a run, and a row has two subgroups. */
static void choose_byte_rows(const struct lt_gpu *s, struct lt_gpu_nest *n)
{
	const int64_t groups = row_length(s, n), subgroup = (int64_t)s->target->warp;
	const int64_t bytes = lt_looptree_trip_count(s->t, lt__gpu_bytes_in(s, n->body));
	const bool large = lt__mul_sat(n->rows, lt__mul_sat(groups, bytes))
		>= lt__mul_sat((int64_t)s->target->multiprocessors, LARGE);
	int64_t deep = large ? bytes / RUN : 1, max = deep > 1 ? 2 * subgroup / deep : subgroup;
	if ((deep & (deep - 1)) || max < 2) {
		deep = 1;
		max = subgroup;
	}
	n->deep = deep;
	n->threads = power_up(groups, max);
	n->threads = n->threads > groups ? n->threads / 2 : n->threads;
	n->side = rows_of_block(s, n, n->threads * deep);
	n->side = deep > 1 && n->side > 2 ? 2 : n->side;
}

/* A power of two of threads, so that they are combined by halves. */
static void choose_rows(const struct lt_gpu *s, struct lt_gpu_nest *n)
{
	int64_t subgroup = (int64_t)s->target->warp, runs, length = row_length(s, n);
	n->form = LT_GPU_ROWS;
	n->lane = -1;
	if (has_bytes(s, n)) {
		choose_byte_rows(s, n);
		return;
	}
	n->wide = row_wide(s, n);
	runs = (length - 1) / n->wide + 1;
	if (runs <= 2 * subgroup)
		n->threads = power_up(runs, subgroup);
	else
		n->threads = power_up((length - 1) / (EACH > 2 * n->wide ? EACH : 2 * n->wide) + 1, lt__gpu_max_block(s->target));
	n->threads = n->threads < subgroup && runs > subgroup ? subgroup : n->threads;
	while (lt__gpu_sums_only(s, n) && are_too_many(s, n, runs))
		n->threads /= 2;
	choose_inner(s, n);
	if (n->deep <= 1)
		n->side = rows_of_block(s, n, n->threads);
}

/* Whether a body has nothing but leaves and loops that may be straight code. */
static bool is_straight(const struct lt_looptree *t, lt_tnode first)
{
	for (lt_tnode c = first; c >= 0; c = t->node[c].next) {
		const struct lt_tnodedef *d = &t->node[c];
		if (d->kind != LT_TLEAF && (d->kind != LT_TLOOP || d->loop != LT_SERIAL || d->step != 1
				|| t->graph->var[d->var].bounded || !is_straight(t, d->child)))
			return false;
	}
	return true;
}

/* Rows of a thread: two where all that lies along the lane is accessed in pairs, what one needs is short, and each
 * scheduler of each multiprocessor has a subgroup still. */
static int64_t rows_of_thread(const struct lt_gpu *s, const struct lt_gpu_nest *n)
{
	enum { PAIR = 2, SCHEDULERS = 4 };
	const struct lt_looptree *t = s->t;
	const int64_t busy = PAIR * SCHEDULERS * (int64_t)s->target->warp * (int64_t)s->target->multiprocessors;
	return n->rows >= busy && n->elems < SHORT && lt__gpu_reduces(t, n->top) && is_straight(t, n->body)
			&& !t->graph->var[t->node[n->lane].var].bounded && lt__gpu_wide(s, n->top, t->node[n->lane].var) >= PAIR
		? PAIR : 1;
}

/* Rows of neighbours in a block; more threads for each where there are few. */
static void choose_threads(const struct lt_gpu *s, struct lt_gpu_nest *n)
{
	int64_t full = lt__mul_sat((int64_t)s->target->multiprocessors, FULL);
	n->form = LT_GPU_THREADS;
	n->side = lt__gpu_threads(s->target);
	if (n->rows >= full || n->elems < SHORT || !lt__gpu_reduces(s->t, n->top)) {
		n->wide = rows_of_thread(s, n);
		while (n->side > 32 && n->rows / (n->side * n->wide) < 2 * (int64_t)s->target->multiprocessors)
			n->side /= 2;
		return;
	}
	n->form = LT_GPU_COLUMNS;
	n->side = 32;
	n->threads = power_up(full / (n->rows > 0 ? n->rows : 1), n->elems / 8);
	n->threads = n->threads < 32 ? n->threads : 32;
	n->threads = n->threads * n->side > lt__gpu_max_block(s->target) ? lt__gpu_max_block(s->target) / n->side : n->threads;
	if (n->threads < 2) {
		n->form = LT_GPU_THREADS;
		n->side = lt__gpu_threads(s->target) / 2;
	}
}

/* A thread for each iteration of the chain, whatever that costs. */
static void choose_plainest(const struct lt_gpu *s, struct lt_gpu_nest *n)
{
	if (n->n_chain == 0)
		return;
	(void)best_lane(s, n);
	n->form = LT_GPU_THREADS;
	n->side = lt__gpu_max_block(s->target);
	n->side = n->side < 32 ? n->side : 32;
}

static bool is_empty(const struct lt_looptree *t, lt_tnode at)
{
	if (t->node[at].kind == LT_TLOOP && lt_looptree_trip_count(t, at) == 0)
		return true;
	for (lt_tnode c = t->node[at].child; c >= 0; c = t->node[c].next)
		if (is_empty(t, c))
			return true;
	return false;
}

void lt__gpu_choose_row(struct lt_gpu *s, lt_tnode top, struct lt_gpu_nest *out)
{
	lt__gpu_look(s, top, out);
	out->row_traffic = -1;
	out->n_chain = 0;
	out->body = top;
	choose_rows(s, out);
}

void lt__gpu_choose(struct lt_gpu *s, lt_tnode top, struct lt_gpu_nest *out)
{
	lt__gpu_look(s, top, out);
	if (s->t->node[top].loop != LT_SERIAL || is_empty(s->t, top))
		return;
	if (lt__auto_fallback_in(s->t, s->fallback, top)->level >= LT_MAX_FALLBACK) {
		choose_plainest(s, out);
		return;
	}
	double lane = out->lane_traffic = best_lane(s, out);
	out->row_traffic = -1;
	if (out->leaves && out->n_chain) {
		out->form = LT_GPU_POINTS;
		out->wide = out->lane < 0 ? 1 : lt__gpu_wide(s, top, s->t->node[out->lane].var);
		out->wide = out->wide ? out->wide : 1;
		return;
	}
	double row = out->row_traffic = row_traffic(s, out);
	if (row >= 0 && (out->lane < 0 || (out->elems >= FEW && row < lane)))
		choose_rows(s, out);
	else if (out->lane >= 0)
		choose_threads(s, out);
	else if (out->n_chain)
		out->form = LT_GPU_THREADS;
}
