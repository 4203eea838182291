/* svg_draw.c -- what all parts of the picture draw with: texts, lines, a contestant's name and color. */
#include <string.h>
#include "tools/bench/svg.h"

static const char *const colors[] = { "#1f6fb4", "#e07b1a", "#3a9a3f", "#8658a8", "#17a2a8", "#b8860b", "#d673b5",
	"#6e6e6e", "#7b5b4c", "#2b3f8c" };

/* Red is left for the limits.  Beyond the table, hues far from each other. */
const char *svg_color(int name, char out[24])
{
	const int n = (int)(sizeof colors / sizeof *colors);

	if (name < n)
		snprintf(out, 24, "%s", colors[name]);
	else
		snprintf(out, 24, "hsl(%d,55%%,40%%)", (name * 137 + 30) % 360);
	return out;
}

/* Of the forms of one contestant the one that counts. */
bool svg_shows(const struct bench_outcome *o, int row)
{
	const struct bench_row *r = &o->row[row];

	return r->answer == BENCH_READY && r->role != BENCH_DENOMINATOR && r->role != BENCH_AGAIN && bench_leads(o, row);
}

int svg_name(struct svg *p, const struct bench_row *r)
{
	const int length = bench_family(r);

	for (int i = 0; i < p->n_name; i++)
		if (p->length[i] == length && !strncmp(p->name[i], r->label, (size_t)length))
			return i;
	if (p->n_name == SVG_NAMES)
		return SVG_NAMES - 1;
	p->name[p->n_name] = r->label;
	p->length[p->n_name] = length;
	return p->n_name++;
}

const char *svg_rate_unit(const struct bench_outcome *o)
{
	return o->c->bound == MACHINE_FLOPS ? "GFLOP/s" : "GB/s";
}

void svg_escaped(FILE *f, const char *text, int n)
{
	for (; n-- > 0 && *text; text++)
		fputs(*text == '<'             ? "&lt;"
				: *text == '>' ? "&gt;"
				: *text == '&' ? "&amp;"
				: *text == '"' ? "&quot;"
					       : (char[]){ *text, 0 },
			f);
}

double svg_text_wide(const char *text, int size)
{
	return 0.62 * size * (double)strlen(text);
}

void svg_text(struct svg *p, double x, double y, int size, const char *anchor, const char *more, const char *text)
{
	fprintf(p->f, "<text x=\"%.1f\" y=\"%.1f\" font-size=\"%d\" text-anchor=\"%s\" %s>", x, y, size, anchor, more);
	svg_escaped(p->f, text, (int)strlen(text));
	fputs("</text>\n", p->f);
}

void svg_text_turned(struct svg *p, double x, double y, int size, const char *anchor, int degrees, const char *text)
{
	fprintf(p->f, "<text transform=\"translate(%.1f,%.1f) rotate(%d)\" font-size=\"%d\" text-anchor=\"%s\">", x, y,
		degrees, size, anchor);
	svg_escaped(p->f, text, (int)strlen(text));
	fputs("</text>\n", p->f);
}

void svg_line(struct svg *p, double x1, double y1, double x2, double y2, const char *style)
{
	fprintf(p->f, "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" %s/>\n", x1, y1, x2, y2, style);
}
