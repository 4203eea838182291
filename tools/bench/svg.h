/* svg.h -- a report as a picture: bars beside the measured limits, and a roofline.
 *
 * Everything is placed from top to bottom by who draws it, who says how far it came; texts are measured by their number
 * of characters, generously, since nobody knows the font that shows them.
 */
#ifndef LT_TOOLS_BENCH_SVG_H
#define LT_TOOLS_BENCH_SVG_H
#include "tools/bench/bench.h"

enum { SVG_WIDE = 1200, SVG_LEFT = 78, SVG_RIGHT = 30, SVG_NAMES = 64 };

struct svg {
	FILE *f;
	const struct bench_report *r;
	const char *name[SVG_NAMES];    /* contestants that are shown, in order of appearance */
	int length[SVG_NAMES], n_name;  /* length: characters of it */
};

/* svg_draw.c */
bool svg_shows(const struct bench_outcome *, int row);
int svg_name(struct svg *, const struct bench_row *);          /* its number in the legend */
const char *svg_color(int name, char out[24]);
void svg_escaped(FILE *, const char *text, int n);
/* anchor: "start", "middle", "end"; more: further attributes, such as a class */
void svg_text(struct svg *, double x, double y, int size, const char *anchor, const char *more, const char *text);
/* The same around the point, by so many degrees. */
void svg_text_turned(struct svg *, double x, double y, int size, const char *anchor, int degrees, const char *text);
void svg_line(struct svg *, double x1, double y1, double x2, double y2, const char *style);
double svg_text_wide(const char *text, int size);              /* at most */
const char *svg_rate_unit(const struct bench_outcome *);

/* svg_bars.c, svg_roof.c: below `top`; where they end. */
double svg_bars(struct svg *, double top);
double svg_roofline(struct svg *, double top);

/* svg_label.c: where texts go that name points, so that none lies over another one or over a point. */
struct svg_box { double x, y, wide, high; };
struct svg_label {
	double x, y;                    /* the point */
	char text[96];
	struct svg_box at;              /* where it goes, if it was placed */
	bool placed;
};
/* Within the bounds; taken: boxes that are in use, of which there are n. */
void svg_lay_labels(struct svg_label *, int n_label, const struct svg_box *bounds, const struct svg_box *taken, int n,
	int size);
bool svg_box_meets(const struct svg_box *, const struct svg_box *);
#endif
