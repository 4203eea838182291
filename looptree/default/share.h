/* share.h -- from which size on threads share a nest: it has to take longer than a team of threads costs.
 *
 * A team that is awake begins and ends in 0.2 to 0.5 us (docs/performance.md, "The host's threads"); one that sleeps is
 * woken when its work is worth that (program/host/pool.c), which a tree does not know.
 */
#ifndef LT_LOOPTREE_DEFAULT_SHARE_H
#define LT_LOOPTREE_DEFAULT_SHARE_H

enum {
	LT_TEAM_NS = 500,
	LT_MIN_SHARED_NS = 4 * LT_TEAM_NS,      /* a nest on one core: two save at least a quarter of it */
	LT_MIN_THREAD_NS = LT_TEAM_NS,          /* of it, what each thread has at least */
	/* about what one core does in a ns: multiply-adds of each lane in small products, bytes that are read once,
	 * iterations of leaves */
	LT_LANE_RATE = 3,
	LT_BYTE_RATE = 16,
	LT_LEAF_RATE = 16,
	LT_MIN_SHARED = LT_MIN_SHARED_NS * LT_LEAF_RATE /* iterations of leaves that are worth a second thread */
};
#endif
