/* page.c -- the report as one page of HTML with its plots in it: what each value had in the data and what its integers
 * hold, its bits; what the candidates lost. */
#include <math.h>
#include <string.h>
#include "tools/quantize/quantize.h"

static const char style[] =
	"body{font:15px sans-serif;max-width:66em;margin:2em auto;padding:0 1em;color:#222;background:#fff}"
	"table{border-collapse:collapse}td,th{padding:.2em .7em;text-align:right;border-bottom:1px solid #ddd}"
	"td:first-child,th:first-child,td:nth-child(2),th:nth-child(2){text-align:left}"
	".data{fill:#4477aa}.held{fill:#ccddaa}.wide{fill:#ee6677}.dot{fill:#4477aa}.best{fill:#ee6677}"
	"text{font:12px sans-serif;fill:#444}line{stroke:#999}";

/* The text of a name, with what HTML would take for its own. */
static void put_text(FILE *f, const char *s)
{
	for (const struct lt_shown shown = lt__shown(s), *p = &shown; s; s = NULL)
		for (const char *c = p->text; *c; c++)
			fputs(*c == '<' ? "&lt;" : *c == '>' ? "&gt;" : *c == '&' ? "&amp;" : *c == '"' ? "&quot;"
				: (const char[]){ *c, '\0' }, f);
}

static double real_of(const json_t *o, const char *key) { return json_number_value(json_object_get(o, key)); }
static const char *text_of(const json_t *o, const char *key) { return json_string_value(json_object_get(o, key)); }

/* From the least to the most of what its integers hold, and in it what the data had; all of one row at one scale. */
static void put_range(FILE *f, const json_t *cell)
{
	enum { WIDTH = 260, HEIGHT = 14 };
	const double least = real_of(cell, "least"), most = real_of(cell, "most"), low = real_of(cell, "low");
	const double high = real_of(cell, "high"), from = fmin(least, low), to = fmax(most, high);
	const double unit = to > from ? WIDTH / (to - from) : 0;
	fprintf(f, "<svg width=\"%d\" height=\"%d\" role=\"img\" aria-label=\"%g to %g of %g to %g\">", WIDTH, HEIGHT, low,
		high,
		least, most);
	fprintf(f, "<rect class=\"held\" x=\"%.1f\" y=\"1\" width=\"%.1f\" height=\"12\"/>", (least - from) * unit,
		(most - least) * unit);
	fprintf(f, "<rect class=\"data\" x=\"%.1f\" y=\"4\" width=\"%.1f\" height=\"6\"/></svg>", (low - from) * unit,
		fmax((high - low) * unit, 1));
}

/* A power of two by its exponent; of channels from the finest to the coarsest. */
static void put_step(FILE *f, const json_t *cell)
{
	const json_t *scales = json_object_get(cell, "scales"), *scale;
	double low = real_of(cell, "scale"), high = low;
	int power;
	size_t i;
	json_array_foreach(scales, i, scale) {
		low = fmin(low, json_number_value(scale));
		high = fmax(high, json_number_value(scale));
	}
	for (double step = low; ; step = high) {
		if (frexp(step, &power) == 0.5)
			fprintf(f, "2<sup>%d</sup>", power - 1);
		else
			fprintf(f, "%.5g", step);
		if (step >= high)
			break;
		fputs(" to ", f);
	}
}

static void put_cells(FILE *f, const json_t *cells)
{
	const json_t *cell;
	size_t i;
	fputs("<h2>Values and constants</h2>\n<p>Blue: what the data had; green: what the integers hold.</p>\n<table>\n"
		"<tr><th>name</th><th>kind</th><th>bits</th><th>step</th><th>type</th><th>bytes</th><th>least</th><th>most</th>"
		"<th>range</th></tr>\n", f);
	json_array_foreach(cells, i, cell) {
		if (!strcmp(text_of(cell, "kind"), "wide"))
			continue;
		fputs("<tr><td>", f);
		put_text(f, text_of(cell, "name"));
		fprintf(f, "</td><td>%s</td><td>%.0f</td><td>", text_of(cell, "kind"), real_of(cell, "bits"));
		put_step(f, cell);
		fprintf(f, "</td><td>%s</td><td>%.0f</td><td>%.4g</td><td>%.4g</td><td>", text_of(cell, "type"),
			real_of(cell, "bytes"), real_of(cell, "low"), real_of(cell, "high"));
		put_range(f, cell);
		fputs("</td></tr>\n", f);
	}
	fputs("</table>\n", f);
}

static void put_sums(FILE *f, const json_t *sums)
{
	const json_t *sum;
	size_t i;
	fputs("<h2>Sums</h2>\n<p>What each is between, whatever the input is, by the numbers of the constants.</p>\n<table>\n"
		"<tr><th>name</th><th>type</th><th>least</th><th>most</th></tr>\n", f);
	json_array_foreach(sums, i, sum) {
		fputs("<tr><td>", f);
		put_text(f, text_of(sum, "name"));
		fprintf(f, "</td><td>%s</td><td>%.0f</td><td>%.0f</td></tr>\n", text_of(sum, "type"), real_of(sum, "least"),
			real_of(sum, "most"));
	}
	fputs("</table>\n", f);
}

/* Changes of steps, but those of each channel. */
static void put_multipliers(FILE *f, const json_t *moves)
{
	const json_t *m;
	size_t i;
	if (!moves)
		return;
	fputs("<h2>Multipliers</h2>\n<p>What is brought to another step: times the multiplier, divided by 2<sup>31</sup> and "
		"by 2<sup>shift</sup>.</p>\n<table>\n<tr><th>name</th><th>of</th><th>from</th><th>to</th><th>multiplier</th>"
		"<th>shift</th></tr>\n", f);
	json_array_foreach(moves, i, m) {
		if (!strcmp(text_of(m, "of"), "channel"))
			continue;
		fputs("<tr><td>", f);
		put_text(f, text_of(m, "name"));
		fprintf(f, "</td><td>%s %.0f</td><td>%.5g</td><td>%.5g</td><td>%.0f</td><td>%.0f</td></tr>\n", text_of(m, "of"),
			real_of(m, "number"), real_of(m, "from"), real_of(m, "to"), real_of(m, "multiplier"),
			real_of(m, "shift") + real_of(m, "down"));
	}
	fputs("</table>\n", f);
}

/* Bytes to the right, the loss upwards. */
static void put_tried(FILE *f, const json_t *report)
{
	enum { WIDTH = 640, HEIGHT = 240, LEFT = 60, BELOW = 34 };
	const json_t *tried = json_object_get(report, "tried"), *c;
	double bytes = 1, loss = 1e-3, low = 0;
	size_t i;
	json_array_foreach(tried, i, c) {
		bytes = fmax(bytes, real_of(c, "constants") + real_of(c, "values"));
		loss = fmax(loss, real_of(c, "loss"));
		low = fmin(low, real_of(c, "loss"));
	}
	fprintf(f, "<h2>Candidates</h2>\n<svg width=\"%d\" height=\"%d\" role=\"img\" aria-label=\"loss by bytes\">\n",
		WIDTH + LEFT + 20, HEIGHT + BELOW + 12);
	fprintf(f, "<line x1=\"%d\" y1=\"%d\" x2=\"%d\" y2=\"%d\"/><line x1=\"%d\" y1=\"8\" x2=\"%d\" y2=\"%d\"/>\n", LEFT,
		HEIGHT + 8, WIDTH + LEFT, HEIGHT + 8, LEFT, LEFT, HEIGHT + 8);
	json_array_foreach(tried, i, c) {
		const double x = LEFT + WIDTH * (real_of(c, "constants") + real_of(c, "values")) / bytes;
		if (json_is_true(json_object_get(c, "possible")))
			fprintf(f, "<circle class=\"dot\" r=\"3\" cx=\"%.1f\" cy=\"%.1f\"/>\n", x,
				8 + HEIGHT * (loss - real_of(c, "loss")) / (loss - low));
	}
	fprintf(f, "<circle class=\"best\" r=\"5\" cx=\"%.1f\" cy=\"%.1f\"/>\n",
		LEFT + WIDTH * (real_of(report, "constants") + real_of(report, "values")) / bytes,
		8 + HEIGHT * (loss - real_of(report, "loss")) / (loss - low));
	fprintf(f, "<text x=\"%d\" y=\"%d\" text-anchor=\"end\">%.0f bytes</text><text x=\"4\" y=\"18\">%.3g</text>"
		"<text x=\"4\" y=\"%d\">%.3g points</text>\n</svg>\n", LEFT + WIDTH, HEIGHT + BELOW, bytes, loss, HEIGHT + BELOW,
			low);
}

/* What a memory is wanted for. */
static void put_room(FILE *f, const char *name, const json_t *room)
{
	const json_t *part;
	size_t i;
	fprintf(f, "<table>\n<tr><th>%s</th><th>bytes</th></tr>\n", name);
	json_array_foreach(json_object_get(room, "parts"), i, part)
		fprintf(f, "<tr><td>%s</td><td>%.0f</td></tr>\n", text_of(part, "what"), real_of(part, "bytes"));
	fputs("</table>\n", f);
}

static void put_line(void *f, const char *text) { put_text(f, text); }

static void put_page(FILE *f, const struct quantizing *z, const json_t *report)
{
	fputs("<!DOCTYPE html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n<title>", f);
	put_text(f, text_of(report, "model"));
	fprintf(f, " in integers</title>\n<style>%s</style>\n<h1>", style);
	put_text(f, text_of(report, "model"));
	fprintf(f, " in integers</h1>\n<p>%s: %.2f %%, of the floats %.2f %% (%.0f rows). Constants: %.0f bytes; kept "
		"values alive at once: %.0f bytes (without code, sums between them and what kernels need: lt-build says what a "
		"target takes). %zu candidate%s in %.1f s.</p>\n", text_of(report, "metric"), real_of(report, "integers"),
		real_of(report, "floats"), real_of(report, "rows"), real_of(report, "constants"), real_of(report, "values"),
		json_array_size(json_object_get(report, "tried")),
		json_array_size(json_object_get(report, "tried")) == 1 ? "" : "s", real_of(report, "seconds"));
	const json_t *held = json_object_get(report, "held_out");
	if (held)
		fprintf(f, "<p>Of what was held out: %.2f %%, of the floats %.2f %% (%.0f rows).</p>\n", real_of(held, "integers"),
			real_of(held, "floats"), real_of(held, "rows"));
	if (z->need) {
		fputs("<h2>Microcontroller</h2>\n<p>", f);
		quantize_target_print(z, put_line, f);
		fputs(".</p>\n", f);
		put_room(f, "Flash", json_object_get(z->need, "flash"));
		put_room(f, "RAM", json_object_get(z->need, "ram"));
	}
	put_tried(f, report);
	put_cells(f, json_object_get(report, "cells"));
	put_sums(f, json_object_get(report, "sums"));
	put_multipliers(f, json_object_get(report, "multipliers"));
	fputs("</html>\n", f);
}

lt_status quantize_page_write(struct quantizing *z, const json_t *report)
{
	struct lt_outfile out;
	LT_TRY(lt__out_open(z->ctx, z->o.page, &out));
	put_page(out.file, z, report);
	return lt__out_close(z->ctx, &out, true) ? lt_context_code(z->ctx) : LT_OK;
}
