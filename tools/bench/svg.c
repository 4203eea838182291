/* svg.c -- a report as a picture: its head and the legend; then its parts. */
#define _GNU_SOURCE 1
#include <stdlib.h>
#include "tools/bench/svg.h"

/* In lines as wide as the picture. */
static double legend(struct svg *p, double y)
{
	double x = SVG_LEFT;
	char color[24];

	for (int i = 0; i < p->n_name; i++) {
		char *name = lt__must_format("%.*s", p->length[i], p->name[i]);
		const double wide = 14 + svg_text_wide(name, 12) + 18;

		if (x > SVG_LEFT && x + wide > SVG_WIDE - SVG_RIGHT) {
			x = SVG_LEFT;
			y += 18;
		}
		fprintf(p->f, "<rect class=\"key\" x=\"%.1f\" y=\"%.1f\" width=\"10\" height=\"10\" fill=\"%s\"/>\n", x, y - 9,
			svg_color(i, color));
		svg_text(p, x + 14, y, 12, "start", "class=\"legend\"", name);
		x += wide;
		free(name);
	}
	return y + 18;
}

static void find_names(struct svg *p)
{
	for (int i = 0; i < p->r->outcomes.n; i++)
		for (int k = 0; k < p->r->outcomes.at[i].n_row; k++)
			if (svg_shows(&p->r->outcomes.at[i], k))
				(void)svg_name(p, &p->r->outcomes.at[i].row[k]);
}

static double svg_head(struct svg *p)
{
	const char *processor = json_string_value(json_object_get(p->r->machine, "processor"));
	char *about = lt__must_format("%s; Looptree %s; %d samples of at least %g s%s",
		processor ? processor : "", lt_version(),
		p->r->o->samples, p->r->o->seconds, p->r->o->busy ? "; beside busy processes" : "");

	svg_text(p, SVG_LEFT, 26, 17, "start", "class=\"title\" font-weight=\"bold\"", "lt-bench: Looptree beside the "
		"machine's limits and other programs");
	svg_text(p, SVG_LEFT, 46, 12, "start", "fill=\"#444\"", about);
	free(about);
	find_names(p);
	return legend(p, 70);
}

/* How high it is, is known when all is drawn. */
void bench_print_svg(const struct bench_report *r, FILE *f)
{
	struct svg p = { .r = r };
	char *text = NULL;
	size_t n = 0;
	double end;

	p.f = open_memstream(&text, &n);
	if (!p.f)
		lt__must_end("out of memory");
	end = svg_head(&p);
	end = svg_bars(&p, end);
	end = svg_roofline(&p, end);
	if (fclose(p.f) || !text)
		lt__must_end("out of memory");
	fprintf(f, "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%.0f\" viewBox=\"0 0 %d %.0f\" "
		"font-family=\"Helvetica,Arial,sans-serif\">\n<rect class=\"paper\" width=\"%d\" height=\"%.0f\" fill=\"#fff\"/>\n%s"
		"</svg>\n", SVG_WIDE, end, SVG_WIDE, end, SVG_WIDE, end, text);
	free(text);
}
