/* svg_bars.c -- the bars of --plot: each case's rates as a share of its limit, the peak or a bandwidth. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "tools/bench/svg.h"

enum { BAR_MIN = 10, BAR_MAX = 26, GAP = 14, HIGH = 240, NAME_SIZE = 10, TURN = 60 };
/* Bars that are higher say their number: what fits in the caches can be far above what memory allows. */
#define TOP_MAX 2.0

/* bar: how wide one is; top: the ratio up there. */
struct panel { int begin, end, bar; double left, wide, bottom, top; };

static int bars_of(const struct bench_outcome *o)
{
	int n = 0;

	for (int i = 0; i < o->n_row; i++)
		n += svg_shows(o, i);
	return n;
}

static double case_wide(const struct bench_outcome *o, int bar)
{
	const int n = bars_of(o);

	return GAP + bar * (n > 1 ? n : 1);
}

/* As wide as all cases have room for side by side, between the least and the most. */
static int bar_wide(const struct bench_outcomes *l, double left)
{
	int n = 0, wide;

	for (int i = 0; i < l->n; i++)
		n += bars_of(&l->at[i]) > 1 ? bars_of(&l->at[i]) : 1;
	wide = n ? (int)((SVG_WIDE - SVG_RIGHT - left - GAP * (l->n + 1)) / n) : BAR_MIN;
	return wide < BAR_MIN ? BAR_MIN : wide > BAR_MAX ? BAR_MAX : wide;
}

static void case_name(const struct bench_outcome *o, char *out, size_t bytes)
{
	snprintf(out, bytes, "%s/%s, %d thread%s", o->c->suite, o->c->name, o->threads, o->threads == 1 ? "" : "s");
}

static double largest_ratio(const struct bench_outcomes *l)
{
	double max = 1;

	for (int i = 0; i < l->n; i++)
		for (int k = 0; k < l->at[i].n_row; k++)
			if (svg_shows(&l->at[i], k))
				max = fmax(max, l->at[i].row[k].of_peak);
	return max;
}

static void axis(struct svg *p, const struct panel *a)
{
	const double one = HIGH / a->top, right = a->left + a->wide;
	const int ticks = (int)round(a->top * 5);
	char tick[16];

	for (int i = 0; i <= ticks; i++) {
		const double y = a->bottom - i / 5.0 * one;

		if (i)
			svg_line(p, a->left, y, right, y, "stroke=\"#e4e4e4\"");
		snprintf(tick, sizeof tick, "%.1f", i / 5.0);
		svg_text(p, a->left - 7, y + 4, 11, "end", "class=\"tick\"", tick);
	}
	svg_line(p, a->left, a->bottom, right, a->bottom, "class=\"axis\" stroke=\"#000\"");
	svg_line(p, a->left, a->bottom, a->left, a->bottom - HIGH, "class=\"axis\" stroke=\"#000\"");
	svg_text_turned(p, a->left - 44, a->bottom - HIGH / 2.0, 12, "middle", -90, "rate / measured limit");
}

static void bar(
	struct svg *p, const struct panel *a, const struct bench_outcome *o, const struct bench_row *r, double x)
{
	const bool over = r->of_peak > a->top;
	const double high = (over ? a->top : r->of_peak) * HIGH / a->top;
	char color[24], number[24];

	fprintf(p->f, "<rect class=\"bar\" x=\"%.1f\" y=\"%.1f\" width=\"%d\" height=\"%.1f\" fill=\"%s\"><title>", x,
		a->bottom - high, a->bar - 1, high, svg_color(svg_name(p, r), color));
	svg_escaped(p->f, r->label, (int)strlen(r->label));
	fputs(", ", p->f);
	svg_escaped(p->f, o->c->name, (int)strlen(o->c->name));
	fprintf(p->f, ": %.4g %s, %.3f of the limit</title></rect>\n", r->rate * 1e-9, svg_rate_unit(o), r->of_peak);
	if (!over)
		return;
	/* Upright in the bar, which reaches to the axis' end. */
	snprintf(number, sizeof number, "%.3g", r->of_peak);
	fprintf(p->f, "<text class=\"over\" transform=\"translate(%.1f,%.1f) rotate(-90)\" font-size=\"9\" "
		"text-anchor=\"end\" fill=\"#fff\">%s</text>\n", x + a->bar / 2.0 + 2.5, a->bottom - high + 3, number);
}

static void draw_panel(struct svg *p, const struct panel *a)
{
	double x = a->left + GAP / 2.0;
	char name[160];

	axis(p, a);
	for (int i = a->begin; i < a->end; i++) {
		const struct bench_outcome *o = &p->r->outcomes.at[i];
		const double wide = case_wide(o, a->bar) - GAP;
		double at = x;

		for (int k = 0; k < o->n_row; k++)
			if (svg_shows(o, k)) {
				bar(p, a, o, &o->row[k], at);
				at += a->bar;
			}
		case_name(o, name, sizeof name);
		svg_text_turned(p, x + wide / 2 + 3, a->bottom + 12, NAME_SIZE, "end", -TURN, name);
		x += wide + GAP;
	}
	svg_line(p, a->left, a->bottom - HIGH / a->top, a->left + a->wide, a->bottom - HIGH / a->top,
		"class=\"limit\" stroke=\"#c00\" stroke-width=\"1.5\" stroke-dasharray=\"6 3\"");
}

/* The longest name of a case, turned: how far it reaches down and to the left. */
static double names_wide(const struct bench_outcomes *l)
{
	double max = 0;
	char name[160];

	for (int i = 0; i < l->n; i++) {
		case_name(&l->at[i], name, sizeof name);
		max = fmax(max, svg_text_wide(name, NAME_SIZE));
	}
	return max;
}

double svg_bars(struct svg *p, double top)
{
	const struct bench_outcomes *l = &p->r->outcomes;
	const double names = names_wide(l), reach = names * cos(TURN * acos(-1) / 180);
	struct panel a = { .left = fmax(SVG_LEFT, reach), .top = ceil(largest_ratio(l) * 5 - 1e-9) / 5 };

	if (!l->n)
		return top;
	a.bar = bar_wide(l, a.left);
	a.top = a.top > TOP_MAX ? TOP_MAX : a.top < 1.2 ? 1.2 : a.top;
	svg_text(p, SVG_LEFT, top + 22, 14, "start", "class=\"title\" font-weight=\"bold\"", "Rates over what the machine was "
		"measured to do");
	svg_text(p, SVG_LEFT, top + 40, 12, "start", "fill=\"#444\"", "The red line at 1 is the multiply-add peak, or, for "
		"what memory limits, the bandwidth; bars that go on say their number.");
	for (top += 60; a.begin < l->n; a.begin = a.end) {
		a.wide = GAP / 2.0;
		for (a.end = a.begin; a.end < l->n; a.end++) {
			const double wide = case_wide(&l->at[a.end], a.bar);

			if (a.end > a.begin && a.left + a.wide + wide > SVG_WIDE - SVG_RIGHT)
				break;
			a.wide += wide;
		}
		a.bottom = top + HIGH;
		draw_panel(p, &a);
		top = a.bottom + 24 + names * sin(TURN * acos(-1) / 180);
	}
	return top;
}
