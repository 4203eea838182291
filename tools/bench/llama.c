/* llama.c -- the suite llama: everybody is opened and checked, then samples in rotation: tokens that are
 * made, the same by launches one by one, a prompt that is read, llama2.c's programs, the bandwidth. */
#include <stdlib.h>
#include <string.h>
#include "tools/bench/llama.h"

/* A checkpoint of more bytes is not written where only a device is measured, whose weights are then made there. */
#define FILE_BYTES (INT64_C(2) << 30)

/* What a row is sampled for, each in turns of its own. */
enum what { MAKING, LAUNCHING, READING, WHATS };
struct series { double *at; int n; };                   /* seconds a token */

struct llama_row {
	struct bench_row row;                   /* of MAKING; of the bandwidth its repetitions */
	int of;                                 /* its case */
	const char *program;                    /* of another's */
	struct bench_llama_ours *ours;
	struct bench_llama_made first;          /* what it made first: later samples have to be the same */
	struct series series[WHATS];
	int agree;                              /* tokens that are the first contestant's; -1: it is that one */
	struct bench_llama_start start;
};

struct llama_run {
	struct lt_context *ctx;
	const struct bench_options *o;
	struct bench_case *c;
	int n_case, threads, rounds, tokens, prompt, checked;
	struct bench_llama_files files;
	struct llama_row *row;
	int n_row;
	struct bench_contestant bandwidth;
	int32_t *given;                         /* the tokens of a prompt */
};

static void row_says(struct llama_run *u, struct llama_row *r, lt_status s)
{
	r->row.answer = bench_answer(BENCH_OURS, s);
	if (s)
		bench_reason(u->ctx, s, r->row.why);
}

static struct llama_row *row_add(struct llama_run *u, int of, const char *label, enum bench_role role)
{
	struct llama_row *r = &u->row[u->n_row++];

	r->of = of;
	r->row.role = role;
	r->row.answer = BENCH_READY;
	r->agree = -1;
	snprintf(r->row.label, sizeof r->row.label, "%s", label);
	for (int i = 0; i < WHATS; i++)
		r->series[i].at = lt__must_alloc((size_t)u->rounds * sizeof *r->series[i].at);
	return r;
}

static void rows_make(struct llama_run *u)
{
	u->row = lt__must_alloc((size_t)(u->n_case * (u->o->backend.n + 1) + 1) * sizeof *u->row);
	for (int i = 0; i < u->n_case; i++) {
		const enum bench_llama_type t = u->c[i].llama->type;
		const char *program = t == BENCH_LLAMA_F32 ? u->o->run : t == BENCH_LLAMA_INT8 ? u->o->runq : NULL;

		for (int b = 0; b < u->o->backend.n; b++)
			row_add(u, i, u->o->backend.at[b], BENCH_OURS);
		if (program)
			row_add(u, i, t == BENCH_LLAMA_F32 ? "run" : "runq", BENCH_OTHER)->program = program;
	}
	row_add(u, 0, u->bandwidth.bound == MACHINE_READ ? "read" : "copy", BENCH_DENOMINATOR);
}

/* The first of ours of that case that is right: others' tokens are compared with its. */
static struct llama_row *model_row(struct llama_run *u, const struct llama_row *of)
{
	for (int i = 0; i < u->n_row; i++)
		if (u->row[i].of == of->of && u->row[i].ours && u->row[i].row.answer == BENCH_READY)
			return &u->row[i];
	return NULL;
}

static const struct bench_llama_file *file_of(const struct llama_run *u, const struct llama_row *r)
{
	const struct bench_llama_file *f = &u->files.of[u->c[r->of].llama->type];

	return f->path ? f : NULL;
}

static lt_status make_once(struct llama_run *u, struct llama_row *r, bool launches, struct bench_llama_made *out)
{
	if (r->ours)
		return bench_llama_make(r->ours, u->tokens, launches, u->files.words, out);
	return bench_llama_rival(u->ctx, r->program, file_of(u, r)->path, u->files.tokenizer, u->threads, u->tokens, u->o,
		out);
}

static lt_status begin_ours(struct llama_run *u, struct llama_row *r, const double *want)
{
	const struct bench_llama *x = u->c[r->of].llama;

	LT_TRY(bench_llama_open(u->ctx, x, file_of(u, r), r->row.label, u->threads, u->o, &r->ours));
	LT_TRY(bench_llama_check_logits(u->ctx, x, r->ours, u->prompt, want, u->given, u->checked, &r->row.error));
	r->row.stats = bench_llama_stats(r->ours);
	r->row.prepare = bench_llama_prepared(r->ours);
	return LT_OK;
}

/* What it makes first is checked, and is no sample: pages and code are fetched. */
static lt_status begin_tokens(struct llama_run *u, struct llama_row *r)
{
	struct llama_row *model = model_row(u, r);

	LT_TRY(make_once(u, r, false, &r->first));
	if (r->first.timed < 1)
		return lt_fail(u->ctx, LT_EINVAL, "it ends its text after the first token: another --seed makes others");
	if (!model || model == r)
		return LT_OK;
	return bench_llama_check_tokens(u->ctx, u->c[r->of].llama, model->ours, &model->first, &r->first, &r->agree);
}

static void begin_rows(struct llama_run *u)
{
	double *want = lt__must_alloc((size_t)u->c->llama->sizes.vocab * sizeof *want);

	for (int i = 0, known = -1; i < u->n_row && !lt__interrupted(NULL); i++) {
		struct llama_row *r = &u->row[i];
		const struct bench_case *c = &u->c[r->of];
		lt_status s = LT_OK;

		if (r->row.role == BENCH_DENOMINATOR)
			continue;
		if (known != r->of) {
			lt__phase(bench_phases(), "%s/%s: computing the right logits", c->suite, c->name);
			s = bench_llama_reference(u->ctx, c->llama, u->given, u->checked, want);
		}
		known = r->of;
		lt__phase(bench_phases(), "%s/%s, %d thread%s: preparing %s", c->suite, c->name, u->threads,
			u->threads == 1 ? "" : "s", r->row.label);
		if (!s && r->row.role == BENCH_OURS)
			s = begin_ours(u, r, want);
		row_says(u, r, s ? s : begin_tokens(u, r));
	}
	free(want);
}

static void start_rows(struct llama_run *u)
{
	for (int i = 0; i < u->n_row && !lt__interrupted(NULL); i++) {
		struct llama_row *r = &u->row[i];

		if (!r->ours || r->row.answer != BENCH_READY || !file_of(u, r))
			continue;
		lt__phase(bench_phases(), "%s/%s: starting lt-llama with %s", u->c[r->of].suite, u->c[r->of].name, r->row.label);
		row_says(u, r, bench_llama_start(u->ctx, file_of(u, r)->path, r->row.label, u->threads, u->tokens, u->o,
			&r->start));
	}
}

static bool same_tokens(const struct bench_llama_made *a, const struct bench_llama_made *b)
{
	return a->n == b->n && !memcmp(a->token, b->token, (size_t)a->n * sizeof *a->token);
}

static lt_status sample_tokens(struct llama_run *u, struct llama_row *r, enum what what)
{
	struct bench_llama_made made = { .n = 0 };
	lt_status s = make_once(u, r, what == LAUNCHING, &made);

	if (!s && !same_tokens(&made, &r->first))
		s = lt_fail(u->ctx, LT_EINVAL, "its tokens are others than those it made before");
	if (!s)
		r->series[what].at[r->series[what].n++] = made.seconds / made.timed;
	free(made.token);
	return s;
}

static lt_status sample_prompt(struct llama_run *u, struct llama_row *r)
{
	const float *logits;
	double seconds;

	LT_TRY(bench_llama_read(r->ours, u->given, u->prompt, &logits, &seconds));
	r->series[READING].at[r->series[READING].n++] = seconds / u->prompt;
	return LT_OK;
}

static lt_status sample_bandwidth(struct llama_run *u, struct llama_row *r)
{
	double seconds;

	if (!r->row.repeat) {
		LT_TRY(u->bandwidth.ops->run(&u->bandwidth, 1, &seconds));
		r->row.repeat = machine_repeat(seconds, u->o->seconds);
	}
	LT_TRY(u->bandwidth.ops->run(&u->bandwidth, r->row.repeat, &seconds));
	r->series[MAKING].at[r->series[MAKING].n++] = seconds / (double)r->row.repeat;
	return LT_OK;
}

static bool is_sampled(const struct llama_run *u, const struct llama_row *r, enum what what)
{
	return r->row.answer == BENCH_READY && (what == MAKING || (r->ours && (what == READING ? u->prompt > 0
		: bench_llama_captures(r->ours))));
}

static void sample_rows(struct llama_run *u)
{
	for (int round = 0; round < u->rounds && !lt__interrupted(NULL); round++)
		for (int position = 0; position < u->n_row * WHATS && !lt__interrupted(NULL); position++) {
			const int turn = bench_turn(round, position, u->n_row * WHATS);
			struct llama_row *r = &u->row[turn / WHATS];
			const enum what what = (enum what)(turn % WHATS);

			if (!is_sampled(u, r, what))
				continue;
			lt__phase_between(bench_phases(), "%s, %d thread%s: round %d of %d", u->c->suite, u->threads,
				u->threads == 1 ? "" : "s", round + 1, u->rounds);
			bench_settle(u->threads);
			row_says(u, r, r->row.role == BENCH_DENOMINATOR ? sample_bandwidth(u, r)
				: what == READING ? sample_prompt(u, r) : sample_tokens(u, r, what));
		}
}

static double series_median(const struct series *s)
{
	double *sorted = lt__must_alloc(((size_t)s->n + 1) * sizeof *sorted), median;

	memcpy(sorted, s->at, (size_t)s->n * sizeof *sorted);
	bench_sort(sorted, s->n);
	median = bench_quantile(sorted, s->n, 0.5);
	free(sorted);
	return median;
}

/* What the table and the JSON say of a row besides: rates and times, 0 where they were not measured. */
static void row_stats(const struct llama_run *u, struct llama_row *r)
{
	const struct bench_llama_file *file = file_of(u, r);
	const double launches = series_median(&r->series[LAUNCHING]), prompt = series_median(&r->series[READING]);
	struct lt_llama m;
	int64_t bytes = 0;

	if (r->row.answer != BENCH_READY || r->row.role == BENCH_DENOMINATOR
		|| bench_llama_sized(u->ctx, u->c[r->of].llama, u->c[r->of].llama->type, &m, &bytes))
		return;
	if (!r->row.stats)
		r->row.stats = json_object();
	json_object_update_new(r->row.stats, json_pack("{s:i,s:i,s:i,s:i,s:f,s:f,s:f}", "tokens", r->first.n, "agree",
		r->agree < 0 ? r->first.n : r->agree, "prompt_tokens", u->prompt, "checked", r->ours ? u->checked : 0,
		"tokens_per_second", r->row.median > 0 ? 1 / r->row.median : 0, "prompt_per_second", prompt > 0 ? 1 / prompt : 0,
		"launches_per_second", launches > 0 ? 1 / launches : 0));
	if (file && r->ours)
		json_object_update_new(r->row.stats, json_pack("{s:f,s:f,s:I,s:I,s:I,s:I}", "compile_cold_s", r->start.cold,
			"compile_cached_s", r->start.cached, "peak_cold_bytes", (json_int_t)r->start.peak_cold, "peak_cached_bytes",
			(json_int_t)r->start.peak_cached, "checkpoint_bytes", (json_int_t)file->bytes, "cache_bytes",
			(json_int_t)bench_llama_cache_bytes(&m)));
}

/* Its rows are the case's and the bandwidth, which each case has a copy of. */
static void outcome_add(struct llama_run *u, int of, struct bench_outcomes *to)
{
	struct bench_outcome *out;

	to->at = lt__must_grow(to->at, to->n, &to->cap, sizeof *to->at);
	out = memset(&to->at[to->n++], 0, sizeof *out);
	out->c = &u->c[of];
	out->threads = u->threads;
	out->tolerance = bench_llama_tolerance(out->c->llama);
	snprintf(out->method, sizeof out->method, "plain loops in double, %d tokens; tokens of ours", u->checked);
	out->row = lt__must_alloc((size_t)u->n_row * sizeof *out->row);
	for (int i = 0; i < u->n_row; i++) {
		struct llama_row *r = &u->row[i];
		const bool limit = r->row.role == BENCH_DENOMINATOR;
		struct bench_row *row;

		if (r->of != of && !limit)
			continue;
		row = &out->row[out->n_row++];
		*row = r->row;
		row->n_sample = r->series[MAKING].n;
		row->sample = lt__must_alloc((size_t)(row->n_sample + 1) * sizeof *row->sample);
		memcpy(row->sample, r->series[MAKING].at, (size_t)row->n_sample * sizeof *row->sample);
		row->repeat = limit ? r->row.repeat : r->first.timed;
		bench_row_finish(row, limit ? u->bandwidth.unit : (double)out->c->bytes);
		r->row.median = row->median;
		row_stats(u, r);
		row->stats = limit ? NULL : r->row.stats;
		if (!limit)
			r->row.stats = NULL;
	}
	for (int i = 0; i < out->n_row && u->c[of].flops < 0; i++)
		if (out->row[i].stats && out->row[i].role == BENCH_OURS)
			u->c[of].flops = (int64_t)json_integer_value(json_object_get(out->row[i].stats, "flops"));
	bench_ratios(out);
}

static lt_status files_make(struct llama_run *u)
{
	unsigned types = 0;

	for (int i = 0; i < u->n_case; i++) {
		const enum bench_llama_type t = u->c[i].llama->type;
		const bool rival = (t == BENCH_LLAMA_F32 && u->o->run) || (t == BENCH_LLAMA_INT8 && u->o->runq);

		if (rival || u->o->folder || u->bandwidth.bound == MACHINE_READ || u->c[i].bytes < FILE_BYTES)
			types |= 1u << t;
	}
	lt__phase(bench_phases(), "%s/%s: making weights", u->c->suite, u->c->llama->shape);
	return bench_llama_files_make(u->ctx, u->c->llama, types, u->o, &u->files);
}

static void run_free(struct llama_run *u)
{
	for (int i = 0; i < u->n_row; i++) {
		bench_llama_close(u->row[i].ours);
		free(u->row[i].first.token);
		json_decref(u->row[i].row.stats);
		for (int k = 0; k < WHATS; k++)
			free(u->row[i].series[k].at);
	}
	free(u->row);
	free(u->given);
	bench_llama_files_free(&u->files);
	if (u->bandwidth.state)
		u->bandwidth.ops->close(&u->bandwidth);
}

/* The token that begins a text, then any. */
static void prompt_make(struct llama_run *u)
{
	const int n = u->prompt > u->checked ? u->prompt : u->checked, vocab = u->c->llama->sizes.vocab;

	u->given = lt__must_alloc((size_t)n * sizeof *u->given);
	for (int i = 0; i < n; i++)
		u->given[i] = i ? (int32_t)((int64_t)i * 7919 % (vocab - 3)) + 3 : LT_LLAMA_BEGIN;
}

static lt_status run_begin(struct llama_run *u, struct machine_peak *peak)
{
	struct lt_llama m;
	int64_t bytes;

	LT_TRY(bench_llama_sized(u->ctx, u->c->llama, u->c->llama->type, &m, &bytes));
	u->tokens = bench_llama_tokens(u->o, &m);
	u->prompt = bench_llama_prompt(u->o, &m);
	u->checked = bench_llama_checked(&m);
	for (int i = 0; i < u->n_case; i++)
		u->c[i].bound = machine_peak_device(peak) ? MACHINE_COPY : MACHINE_READ;
	bench_peak_contestant(&u->bandwidth, peak, u->c->bound);
	/* Which form of the loop is the fastest is seen again and again: what disturbed the first look must not decide. */
	for (int i = 0; i < 4 && u->bandwidth.limit && !u->o->quick; i++)
		(void)u->bandwidth.limit(&u->bandwidth, u->threads, true);
	LT_TRY(u->bandwidth.ops->begin(&u->bandwidth, u->c, u->threads));
	prompt_make(u);
	return LT_OK;
}

void bench_llama_measure(struct lt_context *ctx, struct bench_case *c, int n, int threads,
	const struct bench_options *o, struct machine_peak *peak, struct bench_outcomes *to)
{
	struct llama_run u = { .ctx = ctx, .o = o, .c = c, .n_case = n, .threads = threads,
		.rounds = o->rounds };
	lt_status s = run_begin(&u, peak);

	rows_make(&u);
	s = s ? s : files_make(&u);
	for (int i = 0; i < u.n_row && s; i++) {
		/* Nobody can begin: one sentence for all of them. */
		u.row[i].row.answer = BENCH_BAD;
		snprintf(u.row[i].row.why, BENCH_WHY, "%s", lt_context_message(ctx));
	}
	if (!s) {
		begin_rows(&u);
		start_rows(&u);
		sample_rows(&u);
	}
	lt__phase(bench_phases(), NULL);
	for (int i = 0; i < n && !lt__interrupted(NULL); i++)
		outcome_add(&u, i, to);
	run_free(&u);
}
