/* start.c -- the suite start: how long it takes from nothing to a network's first result, and how much
 * memory, in a process of its own each time.
 *
 * Ours is lt-run as it is called from a shell, with an empty cache and with the one that this has filled.  A peer's
 * time is what it says: preparing the model and the first run, since loading Python is no part of the library.  What
 * is right is not asked here; the suite nets does.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "tools/bench/start.h"

struct start {
	struct lt_context *ctx;
	struct bench_case *c;
	const struct bench_options *o;
	struct bench_started *to;
	char *program;                  /* lt-run */
	char **npy;                     /* by input: its file, NULL: an extent, which its inputs say */
	int threads;
};

static lt_status write_inputs(struct start *s)
{
	const struct model_bindings *in = &s->c->net->binding[LT_BINDING_INPUT];
	const char *folder;

	LT_TRY(lt__tmp_home(s->ctx, &folder));
	s->npy = lt__must_alloc(((size_t)in->n + 1) * sizeof *s->npy);
	for (int32_t i = 0; i < in->n; i++)
		if (!s->c->net->extent[i]) {
			s->npy[i] = lt__must_format("%s/in%d.npy", folder, i);
			LT_TRY(lt__npy_write(s->ctx, s->npy[i], &s->c->net->input[i]));
		}
	return LT_OK;
}

static void start_free(struct start *s)
{
	for (int32_t i = 0; s->npy && i < s->c->net->binding[LT_BINDING_INPUT].n; i++) {
		if (s->npy[i])
			unlink(s->npy[i]);
		free(s->npy[i]);
	}
	free(s->npy);
	free(s->program);
}

/* lt-run MODEL, as somebody types it. */
static void command_make(const struct start *s, const char *backend, const char *cache, struct bench_words *w)
{
	const struct bench_net *net = s->c->net;

	*w = (struct bench_words){ .n = 0 };
	bench_word_add(w, lt__must_format("%s", s->program));
	bench_word_add(w, lt__must_format("%s", net->path));
	bench_word_add(w, lt__must_format("-q"));
	bench_option_add(w, "-b", lt__must_format("%s", backend));
	bench_option_add(w, "--threads", lt__must_format("%d", s->threads));
	bench_option_add(w, "--cache-dir", lt__must_format("%s", cache));
	if (s->o->cc_timeout_ms)
		bench_option_add(w, "--cc-timeout", lt__must_format("%g", s->o->cc_timeout_ms * 1e-3));
	for (int i = 0; i < s->o->load.n; i++)
		bench_option_add(w, "-B", lt__must_format("%s", s->o->load.at[i]));
	if (net->kernels)
		bench_option_add(w, "--kernels", lt__must_format("%s", net->kernels));
	for (int32_t i = 0; i < net->dim.n; i++)
		bench_option_add(w, "--dim", lt__must_format("%s", net->dim.at[i]));
	for (int32_t i = 0; i < net->binding[LT_BINDING_INPUT].n; i++)
		if (s->npy[i])
			bench_option_add(w, "-i", lt__must_format("%s=%s", net->binding[LT_BINDING_INPUT].at[i].name, s->npy[i]));
	for (int32_t i = 0; i < net->binding[LT_BINDING_CONSTANT].n; i++)
		if (!net->binding[LT_BINDING_CONSTANT].at[i].content)
			bench_option_add(w, "-c", lt__must_format("%s=random", net->binding[LT_BINDING_CONSTANT].at[i].name));
	bench_word_add(w, NULL);
}

static struct bench_start_row *start_row(struct bench_started *to, const char *label, enum bench_role role,
	int rounds)
{
	struct bench_start_row *r = &to->row[to->n_row++];

	snprintf(r->label, sizeof r->label, "%s", label);
	r->role = role;
	r->total = lt__must_alloc((size_t)rounds * sizeof *r->total);
	r->ready = lt__must_alloc((size_t)rounds * sizeof *r->ready);
	r->first = lt__must_alloc((size_t)rounds * sizeof *r->first);
	return r;
}

static void start_answer(struct start *s, struct bench_start_row *r, lt_status st)
{
	r->answer = bench_answer(r->role, st);
	if (st)
		bench_reason(s->ctx, st, r->why);
}

static void round_add(struct bench_start_row *r, double ready, double first, double total, int64_t peak)
{
	r->ready[r->n] = ready;
	r->first[r->n] = first;
	r->total[r->n++] = total;
	r->peak = peak > r->peak ? peak : r->peak;
}

/* Cold, then the same out of the cache. */
static lt_status round_ours(struct start *s, const char *backend, struct bench_start_row *cold,
	struct bench_start_row *cached)
{
	char *cache;
	struct bench_words w;
	struct bench_program p = { .says = false };
	lt_status st;

	LT_TRY(lt__tmp_folder(s->ctx, &cache));
	command_make(s, backend, cache, &w);
	st = bench_program_run(s->ctx, w.at, s->o, &p);
	if (!st) {
		round_add(cold, 0, 0, p.seconds, p.peak);
		st = bench_program_run(s->ctx, w.at, s->o, &p);
	}
	if (!st)
		round_add(cached, 0, 0, p.seconds, p.peak);
	bench_words_free(&w);
	lt__tmp_folder_drop(cache);
	return st;
}

/* A process that has a case for the first time. */
static lt_status round_peer(struct start *s, const char *command, struct bench_start_row *r)
{
	struct bench_contestant k = { .role = BENCH_OTHER };
	double first = 0;
	int64_t before = 0;
	lt_status st = bench_process_open(s->ctx, &k, command, NULL, s->o->patience);

	if (!st) {
		if (!*r->label)
			snprintf(r->label, sizeof r->label, "%s", k.label);
		before = bench_group_peak(bench_process_id(&k));
		st = k.ops->begin(&k, s->c, s->threads);
	}
	st = st ? st : k.ops->run(&k, 1, &first);
	if (!st) {
		round_add(r, k.prepare, first, k.prepare + first, bench_group_peak(bench_process_id(&k)));
		r->before = before > r->before ? before : r->before;
	}
	if (k.state)
		k.ops->close(&k);
	return st;
}

static void row_finish(struct bench_start_row *r)
{
	double *const of[] = { r->total, r->ready, r->first }, *const to[] = { &r->total_s, &r->ready_s, &r->first_s };

	for (int i = 0; i < 3; i++) {
		bench_sort(of[i], r->n);
		*to[i] = bench_quantile(of[i], r->n, 0.5);
	}
}

/* The rows of one round begin with another contestant in each round. */
static void start_rounds(struct start *s)
{
	const int n_ours = s->o->backend.n, n = n_ours + s->o->peer.n;
	const int rounds = s->o->rounds;
	struct bench_start_row *row = s->to->row;

	for (int round = 0; round < rounds; round++)
		for (int position = 0; position < n && !lt__interrupted(NULL); position++) {
			const int i = bench_turn(round, position, n);
			struct bench_start_row *r = &row[i < n_ours ? 2 * i : n_ours + i];

			lt__phase(bench_phases(), "%s/%s, %d thread%s: round %d of %d, %s", s->c->suite, s->c->name, s->threads,
				s->threads == 1 ? "" : "s", round + 1, rounds, *r->label ? r->label : s->o->peer.at[i - n_ours]);
			if (r->answer != BENCH_READY)
				continue;
			if (i < n_ours) {
				start_answer(s, r, round_ours(s, s->o->backend.at[i], r, r + 1));
				r[1].answer = r->answer;
				snprintf(r[1].why, sizeof r[1].why, "%s", r->why);
			} else {
				start_answer(s, r, round_peer(s, s->o->peer.at[i - n_ours], r));
				if (!*r->label)
					snprintf(r->label, sizeof r->label, "%.80s", s->o->peer.at[i - n_ours]);
			}
		}
	lt__phase(bench_phases(), NULL);
}

/* Nobody can begin. */
static void start_refuse(struct start *s, lt_status st)
{
	struct bench_started *to = s->to;

	char why[BENCH_WHY];

	bench_reason(s->ctx, st, why);
	for (int i = 0; i < to->n_row; i++) {
		to->row[i].answer = BENCH_BAD;
		memcpy(to->row[i].why, why, sizeof why);
	}
}

void bench_start_ratios(struct bench_started *to)
{
	double time = 0, memory = 0;

	for (int i = 0; i < to->n_row; i++) {
		const struct bench_start_row *r = &to->row[i];

		if (r->role != BENCH_OTHER || r->answer != BENCH_READY)
			continue;
		if (!(time > 0) || r->total_s < time)
			time = r->total_s;
		if (r->peak > 0 && (!(memory > 0) || (double)r->peak < memory))
			memory = (double)r->peak;
	}
	for (int i = 0; i < to->n_row; i++) {
		struct bench_start_row *r = &to->row[i];

		r->over_time = r->answer == BENCH_READY && time > 0 ? r->total_s / time : 0;
		r->over_memory = r->answer == BENCH_READY && memory > 0 ? (double)r->peak / memory : 0;
	}
}

static void started_free(struct bench_started *x)
{
	for (int i = 0; i < x->n_row; i++) {
		free(x->row[i].total);
		free(x->row[i].ready);
		free(x->row[i].first);
	}
	free(x->row);
}

void bench_starts_free(struct bench_starts *l)
{
	for (int i = 0; i < l->n; i++)
		started_free(&l->at[i]);
	free(l->at);
	memset(l, 0, sizeof *l);
}

void bench_start(struct lt_context *ctx, struct bench_case *c, int threads, const struct bench_options *o,
	struct bench_starts *l)
{
	struct bench_started *to;
	struct start s = { .ctx = ctx, .c = c, .o = o, .threads = threads };
	char label[96];
	lt_status st;

	l->at = lt__must_grow(l->at, l->n, &l->cap, sizeof *l->at);
	to = s.to = memset(&l->at[l->n++], 0, sizeof *to);
	to->c = c;
	to->threads = threads;
	to->row = lt__must_alloc((size_t)(2 * o->backend.n + o->peer.n + 1) * sizeof *to->row);
	for (int i = 0; i < 2 * o->backend.n; i++) {
		snprintf(label, sizeof label, "%s %s", o->backend.at[i / 2], i % 2 ? "cached" : "cold");
		start_row(to, label, BENCH_OURS, o->rounds);
	}
	for (int i = 0; i < o->peer.n; i++)
		start_row(to, "", BENCH_OTHER, o->rounds);
	st = bench_case_open(ctx, c);
	st = st ? st : bench_net_write(ctx, c->net);
	st = st ? st : bench_program_beside(ctx, "lt-run", "start", &s.program);
	st = st ? st : write_inputs(&s);
	if (st)
		start_refuse(&s, st);
	else
		start_rounds(&s);
	for (int i = 0; i < to->n_row; i++)
		row_finish(&to->row[i]);
	bench_start_ratios(to);
	start_free(&s);
	bench_case_empty(c);
	if (lt__interrupted(NULL))
		started_free(&l->at[--l->n]);
}
