/* svg_roof.c -- the roofline of --plot: rates over operations per byte, below what the machine was measured
 * to do. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "tools/bench/svg.h"

enum { ROOF_HIGH = 420, POINT = 4, LABEL_SIZE = 10, MAX_ROOFS = 16 };

/* Both axes are logarithms. */
struct axes { double x0, y0, wide, high, min, max, slow, fast; };
struct roof { int threads; double peak, band; };
struct roofline {
	struct axes a;
	struct roof roof[MAX_ROOFS];
	int n_roof;
	struct svg_label *label;
	struct svg_box *taken;
	int n_label, n_taken, cap_label, cap_taken;
};

static double at_x(const struct axes *a, double v)
{
	return a->x0 + a->wide * log(v / a->min) / log(a->max / a->min);
}

static double at_y(const struct axes *a, double v)
{
	return a->y0 - a->high * log(v / a->slow) / log(a->fast / a->slow);
}

static double intensity(const struct bench_outcome *o)
{
	return o->c->bytes > 0 ? (double)o->c->flops / (double)o->c->bytes : 0;
}

static double row_flops(const struct bench_outcome *o, int k)
{
	return o->row[k].median > 0 ? (double)o->c->flops / o->row[k].median : 0;
}

static bool has_point(const struct bench_outcome *o, int k)
{
	return svg_shows(o, k) && intensity(o) > 0 && row_flops(o, k) > 0;
}

/* What was measured with so many threads: before the cases, and again in each of them. */
static double limit_of(const struct bench_report *r, const json_t *known, const char *name, enum machine_bound bound,
	int threads)
{
	const json_t *list = json_object_get(known, name), *e;
	double max = 0;
	size_t i;

	json_array_foreach(list, i, e)
		if (json_integer_value(json_object_get(e, "threads")) == threads)
			max = fmax(max, json_real_value(json_object_get(e, "per_second")));
	for (int k = 0; k < r->outcomes.n; k++)
		if (r->outcomes.at[k].threads == threads && r->outcomes.at[k].c->bound == bound)
			max = fmax(max, r->outcomes.at[k].peak);
	return max;
}

/* Of each number of threads of the cases. */
static void find_roofs(const struct bench_report *r, struct roofline *x)
{
	json_t *known = r->peak ? machine_peak_json(r->peak) : json_object();

	for (int i = 0; i < r->outcomes.n && x->n_roof < MAX_ROOFS; i++) {
		struct roof one = { .threads = r->outcomes.at[i].threads };
		bool seen = false;

		for (int k = 0; k < x->n_roof; k++)
			seen = seen || x->roof[k].threads == one.threads;
		if (seen)
			continue;
		one.peak = limit_of(r, known, "flops", MACHINE_FLOPS, one.threads);
		one.band = limit_of(r, known, "read_bytes", MACHINE_READ, one.threads);
		if (one.peak > 0 && one.band > 0)
			x->roof[x->n_roof++] = one;
	}
	json_decref(known);
}

/* Decades that hold every point and the corner of every roof. */
static void find_axes(const struct bench_report *r, struct roofline *x)
{
	double min = 0.1, max = 100, slow = 1e9, fast = 1e9;

	for (int i = 0; i < x->n_roof; i++) {
		fast = fmax(fast, x->roof[i].peak * 1.3);
		max = fmax(max, x->roof[i].peak / x->roof[i].band * 4);
	}
	for (int i = 0; i < r->outcomes.n; i++)
		for (int k = 0; k < r->outcomes.at[i].n_row; k++)
			if (has_point(&r->outcomes.at[i], k)) {
				const double at = intensity(&r->outcomes.at[i]), rate = row_flops(&r->outcomes.at[i], k);

				min = fmin(min, at / 1.2);
				max = fmax(max, at * 1.2);
				slow = fmin(slow, rate / 1.2);
				fast = fmax(fast, rate * 1.2);
			}
	x->a.min = pow(10, floor(log10(min)));
	x->a.max = pow(10, ceil(log10(max)));
	x->a.slow = pow(10, floor(log10(slow)));
	x->a.fast = pow(10, ceil(log10(fast)));
}

static void taken_add(struct roofline *x, double left, double top, double wide, double high)
{
	x->taken = lt__must_grow(x->taken, x->n_taken, &x->cap_taken, sizeof *x->taken);
	x->taken[x->n_taken++] = (struct svg_box){ left, top, wide, high };
}

static void grid(struct svg *p, const struct axes *a)
{
	char tick[32];

	/* The last decade is the edge: rounding must not leave it out. */
	for (double v = a->min; v < a->max * 1.5; v *= 10) {
		svg_line(p, at_x(a, v), a->y0, at_x(a, v), a->y0 - a->high, "stroke=\"#e4e4e4\"");
		snprintf(tick, sizeof tick, "%g", v);
		svg_text(p, at_x(a, v), a->y0 + 16, 11, "middle", "class=\"tick\"", tick);
	}
	for (double v = a->slow; v < a->fast * 1.5; v *= 10) {
		svg_line(p, a->x0, at_y(a, v), a->x0 + a->wide, at_y(a, v), "stroke=\"#e4e4e4\"");
		snprintf(tick, sizeof tick, "%g", v * 1e-9);
		svg_text(p, a->x0 - 7, at_y(a, v) + 4, 11, "end", "class=\"tick\"", tick);
	}
	svg_line(p, a->x0, a->y0, a->x0 + a->wide, a->y0, "class=\"axis\" stroke=\"#000\"");
	svg_line(p, a->x0, a->y0, a->x0, a->y0 - a->high, "class=\"axis\" stroke=\"#000\"");
	svg_text(p, a->x0 + a->wide / 2, a->y0 + 36, 12, "middle", "class=\"axis-title\"",
		"operations per byte that has to be moved (FLOP/byte)");
	svg_text_turned(p, a->x0 - 44, a->y0 - a->high / 2, 12, "middle", -90, "rate (GFLOP/s)");
}

/* A roof with its numbers: at the right end the peak, along the slope the bandwidth. */
static void draw_roof(struct svg *p, struct roofline *x, const struct roof *r)
{
	const struct axes *a = &x->a;
	const double corner = r->peak / r->band, begin = fmax(a->min, a->slow / r->band), right = a->x0 + a->wide;
	const double angle = atan2(at_y(a, begin * r->band) - at_y(a, r->peak), at_x(a, corner) - at_x(a, begin));
	char text[96];
	double wide, mx, my, end = right - 4;

	taken_add(x, at_x(a, corner), at_y(a, r->peak) - 1, right - at_x(a, corner), 2);
	for (int i = 0; i < 40; i++)
		taken_add(x, at_x(a, begin) + (at_x(a, corner) - at_x(a, begin)) * i / 40,
			at_y(a, begin * r->band) + (at_y(a, r->peak) - at_y(a, begin * r->band)) * (i + 1) / 40,
			(at_x(a, corner) - at_x(a, begin)) / 40, (at_y(a, begin * r->band) - at_y(a, r->peak)) / 40);
	fprintf(p->f, "<polyline class=\"roof\" fill=\"none\" stroke=\"#c00\" stroke-width=\"1.5\" points=\"%.1f,%.1f "
		"%.1f,%.1f %.1f,%.1f\"/>\n", at_x(a, begin), at_y(a, begin * r->band), at_x(a, corner), at_y(a, r->peak), right,
		at_y(a, r->peak));
	snprintf(text, sizeof text, "peak %.0f GFLOP/s, %d thread%s", r->peak * 1e-9, r->threads, r->threads == 1 ? "" : "s");
	wide = svg_text_wide(text, LABEL_SIZE);
	/* Roofs that are alike have their numbers side by side. */
	end -= (wide + 14) * (double)(r - x->roof);
	taken_add(x, end - wide, at_y(a, r->peak) - 15, wide + 4, 15);
	svg_text(p, end, at_y(a, r->peak) - 4, LABEL_SIZE, "end", "class=\"roof\" fill=\"#c00\"", text);
	snprintf(text, sizeof text, "read %.1f GB/s, %d thread%s", r->band * 1e-9, r->threads, r->threads == 1 ? "" : "s");
	/* Along the slope, beginning at a place of its own for each roof. */
	mx = at_x(a, begin) + (at_x(a, corner) - at_x(a, begin)) * (0.1 + 0.5 * (double)(r - x->roof) / x->n_roof);
	my = at_y(a, begin * r->band) - (mx - at_x(a, begin)) * tan(angle);
	fprintf(p->f, "<text class=\"roof\" transform=\"translate(%.1f,%.1f) rotate(%.1f)\" font-size=\"%d\" fill=\"#c00\">%s"
		"</text>\n", mx - 5 * sin(angle), my - 5 * cos(angle), -angle * 180 / acos(-1), LABEL_SIZE, text);
	wide = svg_text_wide(text, LABEL_SIZE);
	for (int i = 0; i <= 8; i++)
		taken_add(x, mx + wide * i / 8 * cos(angle) - 9, my - wide * i / 8 * sin(angle) - 15, 18, 18);
}

static void draw_point(struct svg *p, struct roofline *x, const struct bench_outcome *o, int k)
{
	const struct bench_row *r = &o->row[k];
	const double cx = at_x(&x->a, intensity(o)), cy = at_y(&x->a, row_flops(o, k));
	char color[24];

	fprintf(p->f, "<circle class=\"point\" cx=\"%.1f\" cy=\"%.1f\" r=\"%d\" fill=\"%s\" fill-opacity=\"0.8\"><title>",
		cx, cy, POINT, svg_color(svg_name(p, r), color));
	svg_escaped(p->f, r->label, (int)strlen(r->label));
	fputs(", ", p->f);
	svg_escaped(p->f, o->c->name, (int)strlen(o->c->name));
	fprintf(p->f, ", %d thread%s: %.4g GFLOP/s</title></circle>\n", o->threads, o->threads == 1 ? "" : "s",
		row_flops(o, k) * 1e-9);
	taken_add(x, cx - POINT, cy - POINT, 2 * POINT, 2 * POINT);
}

/* Each case is named once, at its fastest point: its others are above each other. */
static void add_label(struct roofline *x, const struct bench_outcome *o, bool suite, bool threads)
{
	struct svg_label *l;
	int best = -1;

	for (int k = 0; k < o->n_row; k++)
		if (has_point(o, k) && (best < 0 || row_flops(o, k) > row_flops(o, best)))
			best = k;
	if (best < 0)
		return;
	x->label = lt__must_grow(x->label, x->n_label, &x->cap_label, sizeof *x->label);
	l = &x->label[x->n_label++];
	*l = (struct svg_label){ .x = at_x(&x->a, intensity(o)), .y = at_y(&x->a, row_flops(o, best)) };
	snprintf(l->text, sizeof l->text, threads ? "%s%s%s, %d" : "%s%s%s", suite ? o->c->suite : "", suite ? "/" : "",
		o->c->name, o->threads);
}

/* How many there was no room for. */
static int draw_labels(struct svg *p, struct roofline *x)
{
	const struct svg_box bounds = { x->a.x0, x->a.y0 - x->a.high, x->a.wide, x->a.high };
	int left = 0;

	svg_lay_labels(x->label, x->n_label, &bounds, x->taken, x->n_taken, LABEL_SIZE);
	for (int i = 0; i < x->n_label; i++) {
		const struct svg_label *l = &x->label[i];
		const double to = l->at.x > l->x ? l->at.x : l->at.x + l->at.wide < l->x ? l->at.x + l->at.wide : l->x;
		const double y = l->at.y + l->at.high / 2;

		if (!l->placed) {
			left++;
			continue;
		}
		if (hypot(to - l->x, y - l->y) > 12)
			svg_line(p, l->x, l->y, to, y, "class=\"leader\" stroke=\"#aaa\" stroke-width=\"0.7\"");
		svg_text(p, l->at.x, l->at.y + LABEL_SIZE, LABEL_SIZE, "start", "class=\"label\"", l->text);
	}
	return left;
}

double svg_roofline(struct svg *p, double top)
{
	struct roofline x = { .a = { .x0 = SVG_LEFT, .y0 = top + 60 + ROOF_HIGH, .wide = SVG_WIDE - SVG_LEFT - SVG_RIGHT,
		.high = ROOF_HIGH } };
	bool several = false;
	char note[160];
	int left;

	find_roofs(p->r, &x);
	if (!x.n_roof)
		return top + 10;
	find_axes(p->r, &x);
	svg_text(p, SVG_LEFT, top + 22, 14, "start", "class=\"title\" font-weight=\"bold\"", "Roofline");
	grid(p, &x.a);
	for (int i = 0; i < x.n_roof; i++)
		draw_roof(p, &x, &x.roof[i]);
	for (int i = 0; i < p->r->outcomes.n; i++)
		for (int k = 0; k < p->r->outcomes.at[i].n_row; k++)
			if (has_point(&p->r->outcomes.at[i], k))
				draw_point(p, &x, &p->r->outcomes.at[i], k);
	for (int i = 0; i < p->r->outcomes.n; i++)
		several = several || strcmp(p->r->outcomes.at[i].c->suite, p->r->outcomes.at[0].c->suite) != 0;
	for (int i = 0; i < p->r->outcomes.n; i++)
		add_label(&x, &p->r->outcomes.at[i], several, x.n_roof > 1);
	left = draw_labels(p, &x);
	snprintf(note, sizeof note, "A point is a contestant in a case, which is named at its fastest one%s; red: what the "
		"machine was measured to do.", x.n_roof > 1 ? ", with the threads" : "");
	svg_text(p, SVG_LEFT, top + 40, 12, "start", "fill=\"#444\"", note);
	if (left) {
		snprintf(note, sizeof note, "%d case%s without a name, for which there is no room: pointing at a point says it.",
			left, left == 1 ? "" : "s");
		svg_text(p, SVG_LEFT, x.a.y0 + 54, 11, "start", "class=\"unnamed\" fill=\"#444\"", note);
	}
	free(x.label);
	free(x.taken);
	return x.a.y0 + 66;
}
