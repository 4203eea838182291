/* print.c -- a tensor as NumPy's str() shows an array: aligned, wrapped, the middle of a large one left
 * out. */
#include <stdlib.h>
#include <string.h>
#include "tools/run/run.h"

#define WIDTH 75                /* NumPy's linewidth, threshold and edgeitems */
#define MAX_SHOWN 1000
#define EDGE 3

struct tensor_printer {
	const struct lt_tensor *t;
	const int64_t *stride;
	bool cut;
	struct run_style style;
	int width;              /* of an integer or bool */
	FILE *to;
};

/* How many of an axis are shown at its beginning; all of it, or EDGE and as many at the end. */
static bool is_cut(const struct tensor_printer *p, int32_t axis)
{
	return p->cut && p->t->shape[axis] > 2 * EDGE;
}

/* The offsets that are shown, for alignment; at has room for them. */
static int64_t collect(const struct tensor_printer *p, int64_t *at)
{
	int64_t n = 1;

	at[0] = 0;
	for (int32_t d = 0; d < p->t->rank; d++) {
		int64_t extent = p->t->shape[d], shown = is_cut(p, d) ? 2 * EDGE : extent;

		for (int64_t i = n - 1; i >= 0; i--)
			for (int64_t k = shown - 1; k >= 0; k--)
				at[i * shown + k] = at[i] + p->stride[d] * (k < EDGE || !is_cut(p, d) ? k : extent - shown + k);
		n *= shown;
	}
	return n;
}

static int print_element(const struct tensor_printer *p, int64_t at, char *out, size_t bytes)
{
	enum lt_class cls = lt__dtype_info(p->t->dtype)->cls;
	union lt_scalar v;

	if (cls == LT_CLASS_FLOAT)
		return run_number_text(&p->style, p->t, at, out, bytes);
	v = lt__load(p->t->data, at, p->t->dtype);
	if (cls == LT_CLASS_BOOL)
		return snprintf(out, bytes, "%*s", p->width, v.i ? "True" : "False");
	return snprintf(out, bytes, "%*s", p->width, lt__whole_text(v, p->t->dtype).text);
}

/* A line of a row: its length with all blanks, and those at its end that are not printed yet, since a line that is
 * wrapped loses them. */
struct line { int column, blanks; };

static void write_word(
	const struct tensor_printer *p, struct line *l, int indent, int width, const char *word, bool last)
{
	int n = (int)strlen(word), bare = n;

	while (bare > 0 && word[bare - 1] == ' ')
		bare--;
	if (l->column + n > width && l->column > indent) {
		fprintf(p->to, "\n%*s", indent, "");
		*l = (struct line){ indent, 0 };
	}
	fprintf(p->to, "%*s%.*s", l->blanks, "", bare, word);
	l->blanks = n - bare + !last;
	l->column += n + !last;
}

static void print_row(const struct tensor_printer *p, int64_t base, int width)
{
	int32_t axis = p->t->rank - 1;
	int64_t extent = p->t->shape[axis];
	int indent = p->t->rank;
	struct line l = { indent, 0 };
	char word[512];

	for (int64_t i = 0; i < extent; i++) {
		if (is_cut(p, axis) && i == EDGE) {
			write_word(p, &l, indent, width, "...", false);
			i = extent - EDGE;
		}
		print_element(p, base + i * p->stride[axis], word, sizeof word);
		write_word(p, &l, indent, width, word, i + 1 == extent);
	}
	fprintf(p->to, "%*s", l.blanks, "");
}

static void print_axis(const struct tensor_printer *p, int32_t axis, int64_t base, int width)
{
	int64_t extent = p->t->shape[axis];

	fputc('[', p->to);
	if (axis + 1 == p->t->rank) {
		print_row(p, base, width - 1);
	} else {
		for (int64_t i = 0; i < extent; i++) {
			for (int32_t k = 0; i > 0 && k < p->t->rank - 1 - axis; k++)
				fputc('\n', p->to);
			if (i > 0)
				fprintf(p->to, "%*s", axis + 1, "");
			if (is_cut(p, axis) && i == EDGE) {
				fputs("...", p->to);
				i = extent - EDGE - 1;
				continue;
			}
			print_axis(p, axis + 1, base + i * p->stride[axis], width - 1);
		}
	}
	fputc(']', p->to);
}

static void printer_measure(struct tensor_printer *p, int64_t *at)
{
	int64_t n = collect(p, at);
	char text[64];

	if (lt__dtype_info(p->t->dtype)->cls == LT_CLASS_BOOL)
		p->width = p->t->rank > 0 ? 5 : 0;
	if (lt__dtype_info(p->t->dtype)->cls == LT_CLASS_FLOAT) {
		run_number_style(p->t, at, n, &p->style);
		return;
	}
	for (int64_t i = 0; i < n; i++) {
		int w = print_element(p, at[i], text, sizeof text);

		p->width = w > p->width ? w : p->width;
	}
}

lt_status run_print_tensor(FILE *f, const struct lt_tensor *t)
{
	int64_t elems = (int64_t)(t->bytes / lt__dtype_info(t->dtype)->bytes), shown = 1;
	int64_t *stride = malloc(((size_t)t->rank + 1) * sizeof *stride), *at;
	struct tensor_printer p = { .t = t, .stride = stride, .cut = elems > MAX_SHOWN, .to = f };
	char word[512];

	for (int32_t d = t->rank - 1; d >= 0 && stride; d--)
		stride[d] = d + 1 < t->rank ? stride[d + 1] * t->shape[d + 1] : 1;
	for (int32_t d = 0; d < t->rank; d++)
		shown *= is_cut(&p, d) ? 2 * EDGE : t->shape[d];
	at = malloc(((size_t)shown + 1) * sizeof *at);
	if (!stride || !at) {
		free(stride);
		free(at);
		return LT_ENOMEM;
	}
	if (elems > 0)
		printer_measure(&p, at);
	if (elems == 0)
		fputs("[]", f);
	else if (t->rank > 0)
		print_axis(&p, 0, 0, WIDTH);
	else if (lt__dtype_info(t->dtype)->cls == LT_CLASS_FLOAT)
		run_number_scalar(t, word, sizeof word);
	else
		print_element(&p, 0, word, sizeof word);
	if (elems > 0 && t->rank == 0)
		fputs(word, f);
	fputc('\n', f);
	free(stride);
	free(at);
	return LT_OK;
}
