/* svg_label.c -- texts beside points, none over another one: each takes the nearest place that is free. */
#include <math.h>
#include "tools/bench/svg.h"

bool svg_box_meets(const struct svg_box *a, const struct svg_box *b)
{
	return a->x < b->x + b->wide && b->x < a->x + a->wide && a->y < b->y + b->high && b->y < a->y + a->high;
}

static bool label_within(const struct svg_box *a, const struct svg_box *bounds)
{
	return a->x >= bounds->x && a->y >= bounds->y && a->x + a->wide <= bounds->x + bounds->wide
		&& a->y + a->high <= bounds->y + bounds->high;
}

static bool label_is_free(
	const struct svg_box *a, const struct svg_label *l, int n_label, const struct svg_box *taken, int n)
{
	for (int i = 0; i < n; i++)
		if (svg_box_meets(a, &taken[i]))
			return false;
	for (int i = 0; i < n_label; i++)
		if (l[i].placed && svg_box_meets(a, &l[i].at))
			return false;
	return true;
}

/* In rings around the point: right and left of it first, then further away. */
static void lay_label(struct svg_label *l, int i, const struct svg_box *bounds, const struct svg_box *taken, int n,
	int size)
{
	enum { RINGS = 14, TURNS = 16, FIRST = 7, STEP = 9 };
	struct svg_label *one = &l[i];

	one->at.wide = svg_text_wide(one->text, size);
	one->at.high = size + 3;
	for (int ring = 0; ring < RINGS && !one->placed; ring++)
		for (int turn = 0; turn < TURNS && !one->placed; turn++) {
			/* 0, 1, -1, 2, -2 ...: sixteenths of a turn from the right */
			const int steps = turn % 2 ? (turn + 1) / 2 : -turn / 2;
			const double angle = steps * 2 * acos(-1) / TURNS, far = FIRST + STEP * ring;
			const double x = one->x + far * cos(angle), y = one->y - far * sin(angle);

			one->at.x = cos(angle) > 0.3 ? x : cos(angle) < -0.3 ? x - one->at.wide : x - one->at.wide / 2;
			one->at.y = y - one->at.high / 2;
			one->placed = label_within(&one->at, bounds) && label_is_free(&one->at, l, i, taken, n);
		}
}

void svg_lay_labels(
	struct svg_label *l, int n_label, const struct svg_box *bounds, const struct svg_box *taken, int n, int size)
{
	for (int i = 0; i < n_label; i++)
		lay_label(l, i, bounds, taken, n, size);
}
