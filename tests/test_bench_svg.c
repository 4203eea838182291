/* test_bench_svg.c -- the picture of lt-bench --plot: its elements, bars within their axes, labels that lie over
 * nothing; by its text, and by what a browser (headless Chromium) makes of it. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "tests/bench_program.h"
#include "tools/bench/svg.h"

TestSuite(bench_svg, .init = bench_set_up, .fini = scratch_remove, .timeout = 300);

enum { CASES = 60, ROWS = 4 };

/* A report made up: products of 60 sizes on 1 and 2 threads, one row far above its limit, one that has failed, one with
 * extents left open. */
struct made_up {
	struct bench_case c[CASES];
	struct bench_outcome o[CASES];
	struct bench_row row[CASES][ROWS];
	struct bench_options options;
	struct bench_report r;
};

static void make_up(struct made_up *m, int n)
{
	static const char *const labels[] = { "cpu", "fast<&>other", "broken", "cpu open" };
	static const enum bench_role roles[] = { BENCH_OURS, BENCH_OTHER, BENCH_OTHER, BENCH_OPEN };

	memset(m, 0, sizeof *m);
	for (int i = 0; i < n; i++) {
		struct bench_case *c = &m->c[i];
		struct bench_outcome *o = &m->o[i];

		c->suite = i % 7 ? "gemm" : "rows";
		c->group = "g";
		c->bound = i % 7 ? MACHINE_FLOPS : MACHINE_READ;
		snprintf(c->name, sizeof c->name, "%dx4096x4096", i + 1);
		c->flops = (int64_t)1e9;
		c->bytes = (int64_t)(1e9 / pow(1.12, i));
		*o = (struct bench_outcome){ .c = c, .threads = 1 + i % 2, .n_row = ROWS, .row = m->row[i],
			.peak = i % 7 ? 1e11 : 3e10 };
		for (int k = 0; k < ROWS; k++) {
			struct bench_row *r = &m->row[i][k];

			snprintf(r->label, sizeof r->label, "%s", labels[k]);
			r->role = roles[k];
			r->answer = k == 2 ? BENCH_BAD : BENCH_READY;
			r->median = r->minimum = 0.02 * (k + 1);
			r->rate = 1e9 / r->median;
			r->of_peak = i == 3 && k == 0 ? 39.847 : 0.5 / (k + 1);
		}
	}
	m->options = (struct bench_options){ .samples = 3, .seconds = 0.001 };
	m->r = (struct bench_report){ .o = &m->options, .outcomes = { m->o, n, n }, .machine = json_pack("{s:s}", "processor",
		"Made & up") };
}

static char *drawn(struct made_up *m, int n)
{
	char *text = NULL;
	size_t bytes = 0;
	FILE *f = open_memstream(&text, &bytes);

	make_up(m, n);
	cr_assert_not_null(f);
	bench_print_svg(&m->r, f);
	fclose(f);
	json_decref(m->r.machine);
	return text;
}

static double attribute(const char *element, const char *name)
{
	char key[32];
	const char *at, *end = strchr(element, '>');

	snprintf(key, sizeof key, " %s=\"", name);
	at = strstr(element, key);
	cr_assert(at && at < end, "%.80s has no %s", element, name);
	return strtod(at + strlen(key), NULL);
}

static int count(const char *text, const char *word)
{
	int n = 0;

	for (; (text = strstr(text, word)); text += strlen(word))
		n++;
	return n;
}

/* The horizontal axis below a bar, and how high the vertical one is. */
Test(bench_svg, bars_are_within_their_axes_and_say_what_they_cannot_show)
{
	static struct made_up m;
	char *text = drawn(&m, 8), *axis = strstr(text, "<line x1"), *at;
	double bottom = 0, top = 0, right = 0;
	int bars = 0;

	for (at = text; (at = strstr(at, "class=\"axis\"")); at++) {
		for (axis = at; *axis != '<'; axis--)
			;
		if (fabs(attribute(axis, "x1") - attribute(axis, "x2")) < 0.1) {
			top = attribute(axis, "y2");
			break;
		}
		bottom = attribute(axis, "y1");
		right = attribute(axis, "x2");
	}
	cr_assert(bottom > top && top > 0 && right <= SVG_WIDE);
	for (at = text; (at = strstr(at, "<rect class=\"bar\"")); at++, bars++) {
		const double y = attribute(at, "y"), high = attribute(at, "height");

		cr_expect(y >= top - 0.1 && fabs(y + high - bottom) < 0.2, "bar %d: %g + %g", bars, y, high);
		cr_expect(attribute(at, "x") >= SVG_LEFT && attribute(at, "x") + attribute(at, "width") <= right);
	}
	cr_expect_eq(bars, 3 * 8, "what failed has none");
	cr_expect_eq(count(text, "class=\"over\""), 1);
	cr_expect(strstr(text, ">39.8</text>"), "a bar beyond its axis says its number");
	/* Legend, titles, units, the measured limits. */
	cr_expect_eq(count(text, "class=\"key\""), 3);
	cr_expect(strstr(text, ">cpu open<"));
	cr_expect(strstr(text, "fast&lt;&amp;&gt;other") && strstr(text, "Made &amp; up"));
	cr_expect(strstr(text, ">rate / measured limit<") && strstr(text, "(FLOP/byte)<") && strstr(text, ">rate (GFLOP/s)<"));
	cr_expect_eq(count(text, "<polyline class=\"roof\""), 2, "one for each number of threads");
	cr_expect(strstr(text, ">peak 100 GFLOP/s, 1 thread<") && strstr(text, ">read 30.0 GB/s, 1 thread<"));
	cr_expect(strstr(text, "class=\"limit\""));
	cr_expect_eq(count(text, "class=\"label\""), 8);
	free(text);
}

Test(bench_svg, labels_lie_over_nothing)
{
	enum { N = 200 };
	static struct svg_label l[N];
	const struct svg_box bounds = { 10, 20, 900, 500 }, taken[] = { { 300, 100, 200, 60 }, { 10, 400, 30, 30 } };
	uint64_t state = 7;
	int placed = 0;

	for (int i = 0; i < N; i++) {
		double at[2];

		for (int k = 0; k < 2; k++) {
			state = state * UINT64_C(6364136223846793005) + 1442695040888963407u;
			at[k] = (double)(state >> 40) / (1 << 24);
		}
		l[i] = (struct svg_label){ .x = bounds.x + bounds.wide * at[0], .y = bounds.y + bounds.high * at[1] };
		snprintf(l[i].text, sizeof l[i].text, "label %d", i);
	}
	svg_lay_labels(l, N, &bounds, taken, 2, 10);
	for (int i = 0; i < N; i++) {
		const struct svg_box *a = &l[i].at;

		if (!l[i].placed)
			continue;
		placed++;
		cr_expect(a->x >= bounds.x && a->y >= bounds.y && a->x + a->wide <= bounds.x + bounds.wide
			&& a->y + a->high <= bounds.y + bounds.high);
		cr_expect(!svg_box_meets(a, &taken[0]) && !svg_box_meets(a, &taken[1]));
		for (int k = 0; k < i; k++)
			cr_expect(!l[k].placed || !svg_box_meets(a, &l[k].at), "%d, %d", i, k);
	}
	cr_expect_gt(placed, N / 2);
}

/* What a browser measures of every text: outside of the picture, and labels that meet. */
static const char measure[] =
	"const s=document.querySelector('svg'),v=s.viewBox.baseVal,b=s.getBoundingClientRect();"
	"let outside=[],meet=0,texts=[...s.querySelectorAll('text')],labels=[...s.querySelectorAll('.label')].map(t=>"
	"t.getBoundingClientRect());"
	"for(const t of texts){const r=t.getBoundingClientRect();if(r.left<b.left||r.top<b.top||r.right>b.right||"
	"r.bottom>b.bottom)outside.push(t.textContent);}"
	"labels.forEach((p,i)=>labels.forEach((q,k)=>{if(k<i&&p.left<q.right&&q.left<p.right&&p.top<q.bottom&&"
	"q.top<p.bottom)meet++;}));"
	"document.title='texts '+texts.length+' labels '+labels.length+' meet '+meet+' outside '+outside.join('|')+'.';";

Test(bench_svg, a_browser_shows_every_text_whole)
{
	static char dom[1 << 21], said[1 << 16];
	static struct made_up m;
	char *text, command[2000], found[300] = "";
	int texts = 0, labels = 0, meet = -1;
	FILE *f;

	if (run_command("command -v chromium || command -v chromium-browser || command -v google-chrome", dom, sizeof dom,
		said, sizeof said))
		cr_skip_test("there is no Chromium");
	text = drawn(&m, CASES);
	f = fopen(scratch("page.html"), "w");
	cr_assert_not_null(f);
	fprintf(f, "<!DOCTYPE html><title></title><body>%s<script>%s</script></body>", text, measure);
	fclose(f);
	snprintf(command, sizeof command,
		"cd '%s' && browser=$(command -v chromium || command -v chromium-browser || command -v google-chrome) && "
		"HOME=$PWD timeout 120 \"$browser\" --headless --no-sandbox --disable-gpu --user-data-dir=browser "
		"--virtual-time-budget=5000 --dump-dom \"file://$PWD/page.html\"", scratch(""));
	cr_assert_eq(run_command(command, dom, sizeof dom, said, sizeof said), 0, "%s", said);
	cr_assert_not_null(strstr(dom, "<title>"));
	cr_assert_eq(sscanf(strstr(dom, "<title>"), "<title>texts %d labels %d meet %d outside %299[^<]", &texts, &labels,
		&meet, found), 4, "%.300s", strstr(dom, "<title>"));
	cr_expect_gt(texts, 2 * CASES);
	cr_expect_gt(labels, CASES / 2);
	cr_expect_eq(meet, 0);
	cr_expect_str_eq(found, ".");
	free(text);
}
