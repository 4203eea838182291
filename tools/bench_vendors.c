/* tools/bench_vendors.c -- the libraries that are installed, each as a peer: this program serves them (--serve). */
#define _GNU_SOURCE 1
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "tools/bench.h"

/* What a machine does not have ends the process, or gives the library's own choice again. */
const char *const bench_coretypes[] = {
#if defined __aarch64__
	"ARMV8", "CORTEXA53", "CORTEXA57", "CORTEXA72", "CORTEXA73", "NEOVERSEN1", "NEOVERSEN2", "NEOVERSEV1",
	"THUNDERX", "THUNDERX2T99", "TSV110", "EMAG8180", "FALKOR",
#elif defined __x86_64__
	"SapphireRapids", "Cooperlake", "SkylakeX", "Zen", "Haswell", "Excavator", "Steamroller", "Piledriver",
	"Bulldozer", "Sandybridge", "Nehalem", "Barcelona", "Core2", "Prescott",
#elif defined __powerpc64__
	"POWER10", "POWER9", "POWER8",
#endif
	NULL
};

static char *derived_path(void)
{
	char path[4096];
	ssize_t n = readlink("/proc/self/exe", path, sizeof path - 1);

	if (n <= 0)
		return NULL;
	path[n] = 0;
	return strdup(path);
}

static struct bench_contestant open_peer(
	const char *self, const char *serve, const char *environment, double patience, bool *ok, char *why)
{
	struct bench_contestant k = { .role = BENCH_OTHER };
	char *command = bench_format("'%s' --serve %s", self, serve);

	*ok = bench_process_open(&k, command, environment, patience, why);
	free(command);
	return k;
}

static void close_peer(struct bench_contestant *k)
{
	k->ops->close(k);
	json_decref(k->stats);
}

/* Seconds of a few products, the shapes of which differ in what limits them; 0: it failed. */
static double probe(struct bench_contestant *k, struct bench_cases *l, bool quick, double *seconds, char *why)
{
	double rate[8];
	int n = 0;

	for (int i = 0; i < l->n && n < 8; i++) {
		struct bench_case *c = &l->at[i];
		double best = 0;
		float *out = bench_buffer(c->out.n);

		if (!c->in[0].data)
			bench_case_fill(c);
		if (bench_case_write(c, why) && k->ops->begin(k, c, 1, why) == BENCH_READY && k->ops->result(k, c, out, why))
			for (int r = 0; r < (quick ? 1 : 3); r++) {
				double one = 0;
				int64_t repeat = bench_repeat((double)c->flops / 1e11, quick ? 1e-4 : 4e-3);

				if (k->ops->run(k, repeat, &one, why) && (best == 0 || one / (double)repeat < best))
					best = one / (double)repeat;
			}
		bench_buffer_free(out, c->out.n);
		if (best == 0)
			return 0;
		k->ops->end(k);
		rate[n] = (double)c->flops / best;
		seconds[n++] = best;
	}
	return bench_geomean(rate, n);
}

/* A core type takes part if it is near the best in one of the products that were tried. */
#define NEAR 1.15

struct tried { struct bench_contestant k; bool open; double rate, seconds[8]; };

static json_t *vendor_json(const char *type, const struct tried *t, const char *why)
{
	return json_pack("{s:s,s:s,s:f,s:s}", "coretype", type, "is", t->open || t->rate > 0 ? t->k.label : "",
		"flops_per_second", t->rate, "why", why);
}

static bool near_best(const struct tried *all, int n, int which, int n_case)
{
	for (int c = 0; c < n_case; c++) {
		double best = 0;

		for (int i = 0; i < n; i++)
			if (all[i].open && (best == 0 || all[i].seconds[c] < best))
				best = all[i].seconds[c];
		if (all[which].seconds[c] <= NEAR * best)
			return true;
	}
	return false;
}

static bool wanted(const char *type, const char *list)
{
	size_t n = strlen(type);

	for (const char *at = list; at && *at; at += strcspn(at, ","), at += *at == ',')
		if (strcspn(at, ",") == n && !strncasecmp(at, type, n))
			return true;
	return !list || !strcmp(list, "all");
}

static void try_type(struct tried *t, const char *self, const char *type, const struct tried *before, int n,
	struct bench_cases *probes, const struct bench_options *o, json_t *report)
{
	char *environment = type ? bench_format("OPENBLAS_CORETYPE=%s", type) : NULL, why[BENCH_WHY] = "";

	t->k = open_peer(self, "openblas", environment, o->patience, &t->open, why);
	for (int i = 0; i < n && t->open; i++)
		if (before[i].open && !strcmp(before[i].k.label, t->k.label)) {
			bench_why(why, "the same as another");
			t->open = false;
		}
	if (t->open) {
		t->rate = probe(&t->k, probes, o->quick, t->seconds, why);
		t->open = t->rate > 0;
	}
	json_array_append_new(report, vendor_json(type ? type : "its own choice", t, why));
	free(environment);
}

static void add_openblas(struct bench_contestants *to, const char *self, const struct bench_options *o, json_t *report)
{
	struct tried t[64] = { { .open = false } };
	struct bench_cases probes = { NULL, 0, 0 }, all = { NULL, 0, 0 };
	json_t *list = json_array();
	int n = 0;

	bench_gemm_cases(&all);
	for (int i = 0; i < all.n; i++)
		if (!strcmp(all.at[i].name, "256") || !strcmp(all.at[i].name, "1024") || !strcmp(all.at[i].name, "64")) {
			if (probes.n == probes.room)
				probes.at = realloc(probes.at, (size_t)(probes.room += 8) * sizeof *probes.at);
			if (!probes.at)
				bench_end("out of memory");
			probes.at[probes.n++] = all.at[i];
		}
	try_type(&t[n++], self, NULL, t, 0, &probes, o, list);
	/* Without the library no core type needs to be tried. */
	for (int i = 0; bench_coretypes[i] && t[0].open && n < 64; i++)
		if (wanted(bench_coretypes[i], o->coretypes)) {
			try_type(&t[n], self, bench_coretypes[i], t, n, &probes, o, list);
			n++;
		}
	for (int i = 0; i < n; i++) {
		if (t[i].open && (o->coretypes || near_best(t, n, i, probes.n)))
			*bench_contestant_add(to, "", BENCH_OTHER, t[i].k.ops) = t[i].k;
		else if (t[i].k.ops)
			close_peer(&t[i].k);
	}
	for (int i = 0; i < probes.n; i++)
		bench_case_empty(&probes.at[i]);
	free(probes.at);
	bench_cases_free(&all);
	json_object_set_new(report, "openblas", list);
}

void bench_vendors_add(struct bench_contestants *to, const struct bench_options *o, json_t *report)
{
	char *self = derived_path(), why[BENCH_WHY] = "";
	struct bench_contestant k;
	bool ok;

	if (!self) {
		json_object_set_new(report, "why", json_string("this program does not find itself in /proc"));
		return;
	}
	add_openblas(to, self, o, report);
	k = open_peer(self, "onednn", NULL, o->patience, &ok, why);
	json_object_set_new(report, "onednn", json_pack("{s:s,s:s}", "is", ok ? k.about : "", "why", why));
	if (ok)
		*bench_contestant_add(to, "", BENCH_OTHER, k.ops) = k;
	else
		close_peer(&k);
	free(self);
}
