/* draw.c -- draws the digits that the demo classifies: mnist-draw IMAGES.npy LABELS.npy
 *
 * Twenty grey images of 28x28, two hands for each digit, as float32 in 0..1, made the way MNIST's are: strokes of a
 * thick soft pen, scaled into a box of 20x20 and centred by mass.  Nothing here knows of the network.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "tools/tensor/tensor.h"

#define SIZE 28
#define BOX 20.0
#define MAX_POINT 512

/* Control points "x,y" in hundredths of a box, y downwards; a curve goes through them, with a corner at a
 * point that is given twice; '/' lifts the pen. */
static const char *const hand[20] = {
	"55,0 28,8 12,40 16,75 40,100 68,92 86,60 82,22 55,0 45,3",
	"40,10 55,0 55,0 50,50 44,100",
	"12,24 26,5 52,0 74,12 72,38 45,68 8,98 8,98 40,94 88,97",
	"15,10 45,0 74,10 68,36 38,48 38,48 74,58 80,82 50,100 12,92",
	"30,0 22,30 14,58 14,58 50,56 86,54 / 68,6 66,50 62,100",
	"82,2 30,4 30,4 24,42 24,42 56,36 80,54 76,84 46,100 14,92",
	"66,0 36,22 18,58 26,90 52,100 76,86 76,62 52,52 26,68",
	"10,8 50,4 88,2 88,2 62,46 42,100",
	"72,12 46,0 24,14 30,36 56,52 76,76 54,100 26,92 22,70 48,48 70,30 72,12",
	"76,20 52,2 26,14 24,40 48,50 72,38 76,20 76,20 72,60 62,100",

	"48,0 20,14 8,50 22,88 52,100 80,86 94,50 82,14 48,0",
	"50,0 50,50 50,100",
	"18,20 38,2 68,4 82,26 66,52 36,78 14,92 24,80 40,86 62,98 90,90",
	"14,2 50,2 80,4 80,4 48,40 48,40 76,52 78,82 46,100 12,88",
	"62,0 34,34 10,66 10,66 50,66 90,66 / 64,34 64,68 64,100",
	"26,4 22,44 22,44 52,38 78,56 74,86 46,100 14,90 / 26,4 54,4 82,2",
	"58,0 28,30 16,66 30,96 60,98 78,78 62,58 36,62 20,80",
	"12,4 50,4 84,4 84,4 64,40 54,70 50,100 / 34,52 56,52 76,50",
	"52,2 28,10 28,32 50,46 74,66 72,92 48,100 26,92 26,68 50,46 72,30 72,10 52,2",
	"72,14 44,2 22,22 36,46 62,42 74,16 74,16 78,52 68,86 44,100 20,92",
};
static const struct pen { double slant, radius, aspect; } pens[4] = {
	{ 0.10, 1.20, 0.78 }, { 0.22, 1.05, 0.70 }, { -0.06, 1.35, 0.85 }, { 0.16, 1.25, 0.74 },
};

/* Points of a pen's way; `down` is false where it comes there through the air. */
struct way { int n; double x[MAX_POINT], y[MAX_POINT]; int down[MAX_POINT]; };

static void add(struct way *w, double x, double y, int down)
{
	if (w->n == MAX_POINT)
		abort();
	w->x[w->n] = x;
	w->y[w->n] = y;
	w->down[w->n++] = down;
}

/* Catmull-Rom between b and c. */
static double curve(double a, double b, double c, double d, double t)
{
	return b + 0.5 * t * (c - a + t * (2 * a - 5 * b + 4 * c - d + t * (3 * (b - c) + d - a)));
}

static void add_stroke(struct way *w, int n, double p[][2])
{
	add(w, p[0][0], p[0][1], 0);
	for (int i = 0; i + 1 < n; i++) {
		const double *b = p[i], *c = p[i + 1];
		const double *a = i ? p[i - 1] : b, *d = i + 2 < n ? p[i + 2] : c;

		if (b[0] == c[0] && b[1] == c[1])
			continue;
		for (int s = 1; s <= 8; s++)
			add(w, curve(a[0], b[0], c[0], d[0], s / 8.0), curve(a[1], b[1], c[1], d[1], s / 8.0), 1);
	}
}

static void read_hand(struct way *w, const char *text)
{
	double p[32][2];
	int n = 0;

	w->n = 0;
	for (;;) {
		text += strspn(text, " ");
		if (!*text || *text == '/') {
			add_stroke(w, n, p);
			n = 0;
			if (!*text++)
				return;
			continue;
		}
		char *end;
		p[n][0] = strtod(text, &end) / 100;
		p[n++][1] = strtod(end + 1, &end) / 100;
		text = end;
	}
}

/* Slants the way and fits the ink, pen included, into the box. */
static void fit(struct way *w, const struct pen *pen)
{
	double low_x = INFINITY, high_x = -INFINITY, low_y = INFINITY, high_y = -INFINITY;

	for (int i = 0; i < w->n; i++) {
		w->x[i] = w->x[i] * pen->aspect + pen->slant * (1 - w->y[i]);
		low_x = fmin(low_x, w->x[i]);
		high_x = fmax(high_x, w->x[i]);
		low_y = fmin(low_y, w->y[i]);
		high_y = fmax(high_y, w->y[i]);
	}
	double scale = (BOX - 2 * pen->radius) / fmax(high_x - low_x, high_y - low_y);
	for (int i = 0; i < w->n; i++) {
		w->x[i] = (w->x[i] - (low_x + high_x) / 2) * scale + SIZE / 2.0;
		w->y[i] = (w->y[i] - (low_y + high_y) / 2) * scale + SIZE / 2.0;
	}
}

static double distance(const struct way *w, double x, double y)
{
	double min = INFINITY;

	for (int i = 1; i < w->n; i++) {
		if (!w->down[i])
			continue;
		double dx = w->x[i] - w->x[i - 1], dy = w->y[i] - w->y[i - 1];
		double t = ((x - w->x[i - 1]) * dx + (y - w->y[i - 1]) * dy) / fmax(dx * dx + dy * dy, 1e-12);
		t = fmin(fmax(t, 0), 1);
		min = fmin(min, hypot(x - w->x[i - 1] - t * dx, y - w->y[i - 1] - t * dy));
	}
	return min;
}

static void ink(const struct way *w, double radius, double dx, double dy, float *image)
{
	for (int y = 0; y < SIZE; y++)
		for (int x = 0; x < SIZE; x++) {
			double d = distance(w, x + 0.5 - dx, y + 0.5 - dy);
			image[y * SIZE + x] = (float)fmin(fmax(radius + 0.5 - d, 0), 1);
		}
}

static void draw(int i, float *image)
{
	const struct pen *pen = &pens[(i + i / 10) % 4];
	struct way w;
	double mass = 0, mx = 0, my = 0;

	read_hand(&w, hand[i]);
	fit(&w, pen);
	ink(&w, pen->radius, 0, 0, image);
	for (int p = 0; p < SIZE * SIZE; p++) {
		mass += image[p];
		mx += image[p] * (p % SIZE + 0.5);
		my += image[p] * (p / SIZE + 0.5);
	}
	ink(&w, pen->radius, SIZE / 2.0 - mx / mass, SIZE / 2.0 - my / mass, image);
}

int main(int argc, char **argv)
{
	static float images[20][SIZE * SIZE];
	uint8_t labels[20];
	int64_t shape[3] = { 20, SIZE, SIZE };
	const struct lt_tensor image = { .name = (char[]){ "" }, .dtype = LT_F32, .rank = 3, .shape = shape,
		.bytes = sizeof images, .data = images };
	const struct lt_tensor label = { .name = (char[]){ "" }, .dtype = LT_U8, .rank = 1, .shape = shape,
		.bytes = sizeof labels, .data = labels };
	struct lt_context *ctx;
	int failed;

	if (argc != 3) {
		fprintf(stderr, "usage: mnist-draw IMAGES.npy LABELS.npy\n");
		return 2;
	}
	if (lt_context_new(&ctx))
		return 1;
	for (int i = 0; i < 20; i++) {
		draw(i, images[i]);
		labels[i] = (uint8_t)(i % 10);
	}
	failed = lt__npy_write(ctx, argv[1], &image) || lt__npy_write(ctx, argv[2], &label);
	if (failed)
		fprintf(stderr, "%s\n", lt_context_message(ctx));
	lt_context_free(ctx);
	return failed;
}
