/* tools/bench_svg.c -- a report as a picture: bars next to the measured peak, and a roofline. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "tools/bench.h"

enum { LEFT = 70, TOP = 50, BAR = 9, GAP = 14, HIGH = 260, ROOF = 420, LABELS = 32 };

static const char *const colors[] = { "#1f6fb4", "#e07b1a", "#3a9a3f", "#c23b3b", "#8658a8", "#7b5b4c", "#d673b5",
	"#6e6e6e" };

struct plot {
	FILE *f;
	const struct bench_report *r;
	const char *label[LABELS];      /* contestants, in order of appearance */
	int n_label;
	double wide;
};

static void escaped(FILE *f, const char *text)
{
	for (; *text; text++)
		fputs(*text == '<'             ? "&lt;"
				: *text == '>' ? "&gt;"
				: *text == '&' ? "&amp;"
				: *text == '"' ? "&quot;"
					       : (char[]){ *text, 0 },
			f);
}

static bool svg_shows(const struct bench_row *r)
{
	return r->answer == BENCH_READY && r->role != BENCH_DENOMINATOR && r->role != BENCH_AGAIN;
}

static int color(struct plot *p, const char *label)
{
	for (int i = 0; i < p->n_label; i++)
		if (!strcmp(p->label[i], label))
			return i;
	if (p->n_label == LABELS)
		return LABELS - 1;
	p->label[p->n_label] = label;
	return p->n_label++;
}

static void text(struct plot *p, double x, double y, const char *style, const char *what)
{
	fprintf(p->f, "<text x=\"%.1f\" y=\"%.1f\" %s>", x, y, style);
	escaped(p->f, what);
	fputs("</text>\n", p->f);
}

static int bars_of(const struct bench_outcome *o)
{
	int n = 0;

	for (int i = 0; i < o->n_row; i++)
		n += svg_shows(&o->row[i]);
	return n;
}

/* The ratio to the denominator: cases that arithmetic and memory bound share one picture. */
static void bars(struct plot *p, double bottom)
{
	double x = LEFT, top = 1.2, one = HIGH / top;

	for (int i = 0; i < p->r->outcomes.n; i++) {
		const struct bench_outcome *o = &p->r->outcomes.at[i];
		char name[128];

		for (int k = 0; k < o->n_row; k++) {
			const struct bench_row *r = &o->row[k];
			double high = r->of_peak > top ? top : r->of_peak;

			if (!svg_shows(r))
				continue;
			fprintf(p->f, "<rect x=\"%.1f\" y=\"%.1f\" width=\"%d\" height=\"%.1f\" fill=\"%s\"><title>", x,
				bottom - high * one, BAR - 1, high * one, colors[color(p, r->label) % 8]);
			escaped(p->f, r->label);
			fprintf(p->f, ": %.4g %s, %.3f</title></rect>\n", r->rate * 1e-9,
				o->c->bound == BENCH_FLOPS ? "GFLOP/s" : "GB/s", r->of_peak);
			x += BAR;
		}
		snprintf(name, sizeof name, "%s/%s, %d", o->c->suite, o->c->name, o->threads);
		fprintf(p->f, "<text transform=\"translate(%.1f,%.1f) rotate(60)\" font-size=\"9\">",
			x - BAR * bars_of(o) / 2.0 - 2, bottom + 10);
		escaped(p->f, name);
		fputs("</text>\n", p->f);
		x += GAP;
	}
	for (int i = 0; i <= 12; i += 2) {
		char tick[16];

		snprintf(tick, sizeof tick, "%.1f", i / 10.0);
		text(p, LEFT - 8, bottom - i / 10.0 * one + 3, "font-size=\"10\" text-anchor=\"end\"", tick);
	}
	fprintf(p->f, "<line x1=\"%d\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" stroke=\"#000\"/>\n", LEFT, bottom,
		p->wide - 20, bottom);
	fprintf(p->f,
		"<line x1=\"%d\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" stroke=\"#c00\" stroke-dasharray=\"6 3\"/>\n",
		LEFT, bottom - one, p->wide - 20, bottom - one);
	text(p, LEFT, TOP - 8, "font-size=\"12\"",
		"rate over the measured peak (products) or bandwidth (what memory bounds); the line is 1");
}

static void legend(struct plot *p, double y)
{
	double x = LEFT;

	for (int i = 0; i < p->n_label; i++) {
		fprintf(p->f, "<rect x=\"%.1f\" y=\"%.1f\" width=\"10\" height=\"10\" fill=\"%s\"/>\n", x, y - 9, colors[i % 8]);
		text(p, x + 14, y, "font-size=\"11\"", p->label[i]);
		x += 30 + 7.0 * (double)strlen(p->label[i]);
	}
}

/* Peaks of the largest number of threads that was measured. */
static double peak_of(const struct bench_report *r, enum bench_bound bound)
{
	double max = 0;

	for (int i = 0; i < r->outcomes.n; i++)
		if (r->outcomes.at[i].c->bound == bound && r->outcomes.at[i].peak > max)
			max = r->outcomes.at[i].peak;
	return max;
}

static double last_rate(const json_t *peak, const char *name)
{
	const json_t *list = json_object_get(peak, name);
	size_t n = json_array_size(list);

	return n ? json_real_value(json_object_get(json_array_get(list, n - 1), "per_second")) : 0;
}

/* Both axes are logarithms. */
struct axes { double x0, y0, wide, high, min, max, slow, fast; };

static double at_x(const struct axes *a, double v)
{
	return a->x0 + a->wide * log(v / a->min) / log(a->max / a->min);
}

static double at_y(const struct axes *a, double v)
{
	return a->y0 - a->high * log((v > a->slow ? v : a->slow) / a->slow) / log(a->fast / a->slow);
}

static void grid(struct plot *p, const struct axes *a)
{
	char tick[32];

	for (double v = 0.01; v <= a->max; v *= 10)
		if (v >= a->min) {
			fprintf(p->f, "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" stroke=\"#ddd\"/>\n",
				at_x(a, v), a->y0, at_x(a, v), a->y0 - a->high);
			snprintf(tick, sizeof tick, "%g", v);
			text(p, at_x(a, v), a->y0 + 14, "font-size=\"10\" text-anchor=\"middle\"", tick);
		}
	for (double v = a->slow; v <= a->fast; v *= 10) {
		fprintf(p->f, "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" stroke=\"#ddd\"/>\n", a->x0,
			at_y(a, v), a->x0 + a->wide, at_y(a, v));
		snprintf(tick, sizeof tick, "%g", v * 1e-9);
		text(p, a->x0 - 6, at_y(a, v) + 3, "font-size=\"10\" text-anchor=\"end\"", tick);
	}
}

static void roofline(struct plot *p, double top)
{
	json_t *known = p->r->peak ? bench_peak_json(p->r->peak) : json_object();
	double peak = last_rate(known, "flops"), band = last_rate(known, "read_bytes");
	struct axes a = { .x0 = LEFT,
		.y0 = top + ROOF - 60,
		.wide = 640,
		.high = ROOF - 110,
		.min = 0.05,
		.max = 2000,
		.slow = 1e8 };

	json_decref(known);
	if (peak <= 0)
		peak = peak_of(p->r, BENCH_FLOPS);
	if (peak <= 0 || band <= 0)
		return;
	for (a.fast = 1e9; a.fast < peak * 1.05; a.fast *= 10)
		;
	text(p, LEFT, top + 30, "font-size=\"12\"",
		"roofline: GFLOP/s over FLOP per byte; lines: peak and read bandwidth of all threads measured");
	grid(p, &a);
	fprintf(p->f,
		"<polyline fill=\"none\" stroke=\"#c00\" stroke-width=\"1.5\" points=\"%.1f,%.1f %.1f,%.1f "
		"%.1f,%.1f\"/>\n",
		at_x(&a, a.min), at_y(&a, a.min * band), at_x(&a, peak / band), at_y(&a, peak), at_x(&a, a.max),
		at_y(&a, peak));
	for (int i = 0; i < p->r->outcomes.n; i++)
		for (int k = 0; k < p->r->outcomes.at[i].n_row; k++) {
			const struct bench_outcome *o = &p->r->outcomes.at[i];
			const struct bench_row *r = &o->row[k];
			double x = (double)o->c->flops / (double)o->c->bytes;

			if (!svg_shows(r) || o->c->flops == 0 || r->median <= 0 || x < a.min || x > a.max)
				continue;
			fprintf(p->f, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"3\" fill=\"%s\" fill-opacity=\"0.7\"><title>", at_x(&a, x),
				at_y(&a, (double)o->c->flops / r->median), colors[color(p, r->label) % 8]);
			escaped(p->f, r->label);
			fputs(", ", p->f);
			escaped(p->f, o->c->name);
			fprintf(p->f, ": %.4g GFLOP/s</title></circle>\n", (double)o->c->flops / r->median * 1e-9);
		}
}

void bench_print_svg(const struct bench_report *r, FILE *f)
{
	struct plot p = { .f = f, .r = r, .wide = LEFT + 40 };
	double bottom = TOP + HIGH, under = bottom + 190;

	for (int i = 0; i < r->outcomes.n; i++)
		p.wide += GAP + BAR * bars_of(&r->outcomes.at[i]);
	p.wide = p.wide > 800 ? p.wide : 800;
	fprintf(p.f, "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%.0f\" height=\"%.0f\" font-family=\"sans-serif\">\n"
		"<rect width=\"100%%\" height=\"100%%\" fill=\"#fff\"/>\n", p.wide, under + ROOF);
	text(&p, LEFT, 20, "font-size=\"14\"", json_string_value(json_object_get(r->machine, "processor")) ?
		json_string_value(json_object_get(r->machine, "processor")) : "");
	bars(&p, bottom);
	legend(&p, under - 10);
	roofline(&p, under);
	fputs("</svg>\n", p.f);
}
