/* vendors.c -- the libraries that are installed, each as a peer: this program serves them (--serve).  On a
 * device it is cuBLAS, in this process. */
#define _GNU_SOURCE 1
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "tools/bench/bench.h"

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

static lt_status open_peer(struct lt_context *ctx, const char *self, const char *serve, const char *environment,
	double patience, struct bench_contestant *out)
{
	char *command = lt__must_format("'%s' --serve %s", self, serve);
	lt_status s;

	*out = (struct bench_contestant){ .role = BENCH_OTHER };
	s = bench_process_open(ctx, out, command, environment, patience);
	free(command);
	return s;
}

static void close_peer(struct bench_contestant *k)
{
	k->ops->close(k);
	json_decref(k->stats);
}

struct tried { struct bench_contestant k; bool open; double rate, seconds[8]; };
/* Which core types are worth it is found by a few products, the shapes of which differ in what limits them. */
struct trial {
	struct lt_context *ctx;
	const char *self;
	const struct bench_options *o;
	struct bench_cases probes;              /* at most 8 */
	struct tried tried[64];
	int n;
	json_t *report;
};

/* The least seconds of one product. */
static lt_status probe_case(const struct trial *r, struct bench_contestant *k, struct bench_case *c, float *out,
	double *best)
{
	const int64_t repeat = machine_repeat((double)c->flops / 1e11, r->o->quick ? 1e-4 : 4e-3);

	LT_TRY(bench_case_write(r->ctx, c));
	LT_TRY(k->ops->begin(k, c, 1));
	LT_TRY(k->ops->result(k, c, out));
	for (int i = 0; i < (r->o->quick ? 1 : 3); i++) {
		double one;

		LT_TRY(k->ops->run(k, repeat, &one));
		if (i == 0 || one / (double)repeat < *best)
			*best = one / (double)repeat;
	}
	return LT_OK;
}

static lt_status probe(const struct trial *r, struct tried *t)
{
	double rate[8];

	for (int i = 0; i < r->probes.n; i++) {
		struct bench_case *c = &r->probes.at[i];
		float *out = machine_buffer(c->out.n);
		lt_status s;

		if (!c->in[0].data)
			bench_case_fill(c);
		s = probe_case(r, &t->k, c, out, &t->seconds[i]);
		machine_buffer_free(out);
		LT_TRY(s);
		t->k.ops->end(&t->k);
		rate[i] = (double)c->flops / t->seconds[i];
	}
	t->rate = bench_geomean(rate, r->probes.n);
	return LT_OK;
}

/* A core type takes part if it is near the best in one of the products that were tried. */
#define NEAR 1.15

static bool near_best(const struct trial *r, const struct tried *t)
{
	for (int c = 0; c < r->probes.n; c++) {
		double best = 0;

		for (int i = 0; i < r->n; i++)
			if (r->tried[i].open && (best == 0 || r->tried[i].seconds[c] < best))
				best = r->tried[i].seconds[c];
		if (t->seconds[c] <= NEAR * best)
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

static lt_status try_type(const struct trial *r, const char *environment, struct tried *t)
{
	LT_TRY(open_peer(r->ctx, r->self, "openblas", environment, r->o->patience, &t->k));
	for (const struct tried *before = r->tried; before < t; before++)
		if (before->open && !strcmp(before->k.label, t->k.label))
			return lt_fail(r->ctx, LT_EEXIST, "the same as another");
	return probe(r, t);
}

/* NULL: what the library chooses itself. */
static void add_type(struct trial *r, const char *type)
{
	struct tried *t = &r->tried[r->n++];
	char *environment = type ? lt__must_format("OPENBLAS_CORETYPE=%s", type) : NULL, why[BENCH_WHY] = "";
	lt_status s = try_type(r, environment, t);

	t->open = !s;
	if (s)
		bench_reason(r->ctx, s, why);
	json_array_append_new(r->report, json_pack("{s:s,s:s,s:f,s:s}", "coretype", type ? type : "its own choice", "is",
		s ? "" : t->k.label, "flops_per_second", t->rate, "why", why));
	free(environment);
}

static void add_openblas(struct lt_context *ctx, struct bench_contestants *to, const char *self,
	const struct bench_options *o, json_t *report)
{
	struct trial r = { .ctx = ctx, .self = self, .o = o, .report = json_array() };
	struct bench_cases all = { NULL, 0, 0 };

	bench_gemm_cases(&all);
	for (int i = 0; i < all.n && r.probes.n < 8; i++)
		if (!strcmp(all.at[i].name, "256") || !strcmp(all.at[i].name, "1024") || !strcmp(all.at[i].name, "64")) {
			r.probes.at = lt__must_grow(r.probes.at, r.probes.n, &r.probes.cap, sizeof *r.probes.at);
			r.probes.at[r.probes.n++] = all.at[i];
		}
	add_type(&r, NULL);
	/* Without the library no core type needs to be tried. */
	for (int i = 0; bench_coretypes[i] && r.tried[0].open && r.n < 64; i++)
		if (wanted(bench_coretypes[i], o->coretypes))
			add_type(&r, bench_coretypes[i]);
	for (int i = 0; i < r.n; i++) {
		struct tried *t = &r.tried[i];

		if (t->open && (o->coretypes || near_best(&r, t)))
			*bench_contestant_add(to, "", BENCH_OTHER, t->k.ops) = t->k;
		else
			close_peer(&t->k);
	}
	for (int i = 0; i < r.probes.n; i++)
		bench_case_empty(&r.probes.at[i]);
	free(r.probes.at);
	bench_cases_free(&all);
	json_object_set_new(report, "openblas", r.report);
}

static void add_cublas(
	struct lt_context *ctx, struct bench_contestants *to, struct machine_device *device, json_t *report)
{
	struct bench_contestant k = { .role = BENCH_OTHER };
	char why[BENCH_WHY] = "";
	const lt_status s = bench_cublas_open(ctx, &k, device);

	if (s) {
		bench_reason(ctx, s, why);
		close_peer(&k);
	} else {
		*bench_contestant_add(to, "", BENCH_OTHER, k.ops) = k;
	}
	json_object_set_new(report, "cublas", json_pack("{s:s,s:s}", "is", s ? "" : k.about, "why", why));
}

void bench_vendors_add(struct lt_context *ctx, struct bench_contestants *to, const struct bench_options *o,
	struct machine_device *device, json_t *report)
{
	char *self = device ? NULL : derived_path(), why[BENCH_WHY] = "";
	struct bench_contestant k;
	lt_status s;

	if (device) {
		add_cublas(ctx, to, device, report);
		return;
	}
	if (!self) {
		json_object_set_new(report, "why", json_string("this program does not find itself in /proc"));
		return;
	}
	add_openblas(ctx, to, self, o, report);
	s = open_peer(ctx, self, "onednn", NULL, o->patience, &k);
	if (s) {
		bench_reason(ctx, s, why);
		close_peer(&k);
	} else {
		*bench_contestant_add(to, "", BENCH_OTHER, k.ops) = k;
	}
	json_object_set_new(report, "onednn", json_pack("{s:s,s:s}", "is", s ? "" : k.about, "why", why));
	free(self);
}
