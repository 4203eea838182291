/* judge.c -- the whole program: the reference, runs with random errors, and what they allow (tests noise and
 * norm). */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "program/judge/judge.h"
#include "program/judge/parts.h"
#include "program/host/host.h"

/* What the runs say of one tensor, element by element. */
struct noise {
	/* deviation from the reference over all runs; infinity: it changed between number, NaN and infinity */
	double *largest;
	double *sum;                    /* of the deviations; not of their squares, which leave the type of a double */
	unsigned char *classes;         /* bits of the class_of that occurred */
	/* Where results are made of roundings: the lowest and highest difference from the reference, and the sum of their
	 * sizes; of the whole tensor the largest sum of all differences in a run. */
	double *low, *high, *mass, bias;
	/* What the runs deviate by, largest and summed up, without what other decisions of the last roundings do; in how many
	 * of them a rounding decided otherwise. */
	double *calm, *calm_sum;
	unsigned char *decided;
};
/* One tensor of the program against the reference. */
struct tensor {
	const char *kind, *name;
	lt_node node;
	const void *got, *want;
	const struct noise *noise;
	int32_t output;                     /* of the graph: its results, then its states that are set; -1: none */
	const double *step;                 /* by how much elements move with the last roundings; NULL: not at all */
	const double *least;                /* the least that they move by; NULL: not known */
	bool constant;                      /* a state that nothing sets: exact */
};

struct lt_judge {
	const struct lt_graph *g;
	const void *const *source;
	struct lt_judge_options o;
	struct lt_evaluation *reference;
	struct noise *result, *set;     /* by result, by state set */
	int32_t runs;
	struct lt_rounded *rounded;     /* NULL: no result is made of a rounding */
	bool leaves_out;                /* the reference, too, is without the roundings that may be left out */
	struct lt_judge *wide;          /* the same graph's that does; NULL: it was not asked yet, or there are none */
};

/* -- evaluating -- */

void lt__judge_progress(void *user, double share)
{
	const struct lt_judge_work *w = user;
	if (w->o->progress)
		w->o->progress(w->o->user, w->what, share);
}

void lt__judge_parallel(void *user, uint32_t n, void (*body)(void *arg, uint32_t i, uint32_t n), void *arg)
{
	const struct lt_judge_work *w = user;
	w->o->parallel(w->o->user, n, body, arg);
}

void lt__judge_threads(const struct lt_judge_options *o, struct lt_judge_work *work, struct lt_eval_options *eval)
{
	work->o = o;
	eval->user = work;
	eval->progress = lt__judge_progress;
	eval->parallel = o->parallel && o->n_thread > 1 ? lt__judge_parallel : NULL;
	eval->n_thread = eval->parallel ? o->n_thread : 1;
}

static struct lt_eval_options run_options(const struct lt_judge *j, int32_t run, struct lt_judge_work *work)
{
	struct lt_eval_options eval = { .mode = run < 0 ? LT_EVAL_EXACT : run == 0 ? LT_EVAL_NEAREST : LT_EVAL_RANDOM,
		.seed = (j->o.seed ^ UINT64_C(0x9e3779b97f4a7c15)) * (2 * (uint64_t)run + 3), .amplify = LT_JUDGE_NOISE,
		.allows = j->o.allows,
		/* Half of the runs, so that what overflows by a rounding alone is not taken for sure. */
		.unrounded = j->leaves_out || (run >= 0 && run % 2 == 0) ? j->o.unrounded : NULL,
		.rounded = j->leaves_out || (run >= 0 && run % 2 == 0) ? j->o.rounded : NULL,
		.want = j->rounded ? j->rounded->want : NULL,
		.n_want = j->rounded ? j->rounded->n_want : 0 };
	snprintf(work->what, sizeof work->what, run < 0 ? "reference" : "Monte Carlo run %d", (int)run + 1);
	lt__judge_threads(&j->o, work, &eval);
	return eval;
}

static struct noise *new_noise(int32_t n) { return calloc((size_t)n + 1, sizeof(struct noise)); }

static lt_status new_judge(const struct lt_graph *g, const void *const *source, const struct lt_judge_options *o,
	bool leaves_out, struct lt_judge **out)
{
	struct lt_judge *j = *out = NULL;
	struct lt_judge_work work;
	lt_status st;
	j = calloc(1, sizeof *j);
	if (!j)
		return lt_fail(g->ctx, LT_ENOMEM, "out of memory");
	*j = (struct lt_judge){ .g = g, .source = source, .leaves_out = leaves_out, .result = new_noise(g->n_result),
		.set = new_noise(g->n_set) };
	if (o)
		j->o = *o;
	st = j->result && j->set ? lt__rounded_new(g, &j->rounded) : lt_fail(g->ctx, LT_ENOMEM, "out of memory");
	if (!st) {
		const struct lt_eval_options eval = run_options(j, -1, &work);
		st = lt_eval_with(g, source, &eval, &j->reference);
	}
	if (st) {
		lt__judge_free(j);
		return st;
	}
	*out = j;
	return LT_OK;
}

lt_status lt__judge_new(
	const struct lt_graph *g, const void *const *source, const struct lt_judge_options *o, struct lt_judge **out)
{
	return new_judge(g, source, o, false, out);
}

static void free_noise(struct noise *noise, int32_t n)
{
	for (int32_t i = 0; noise && i < n; i++) {
		free(noise[i].largest);
		free(noise[i].sum);
		free(noise[i].classes);
		free(noise[i].low);
		free(noise[i].high);
		free(noise[i].mass);
		free(noise[i].calm);
		free(noise[i].calm_sum);
		free(noise[i].decided);
	}
	free(noise);
}

void lt__judge_free(struct lt_judge *j)
{
	if (!j)
		return;
	lt__judge_free(j->wide);
	lt_eval_free(j->reference);
	lt__rounded_free(j->rounded);
	free_noise(j->result, j->g->n_result);
	free_noise(j->set, j->g->n_set);
	free(j);
}

const struct lt_evaluation *lt__judge_reference(const struct lt_judge *j) { return j->reference; }

/* -- what the runs allow -- */

/* 1: a number, 2: NaN, 3, 4: the infinities. */
static int class_of(double x) { return isfinite(x) ? 1 : isnan(x) ? 2 : x > 0 ? 3 : 4; }

static int class_at(const void *data, int64_t i, enum lt_dtype t)
{
	return lt__dtype_info(t)->cls == LT_CLASS_FLOAT ? class_of(lt__load(data, i, t).f) : 1;
}

/* A float run that overflows where the reference does not (or the other way round) says that nothing is known. */
static double deviation(const void *a, const void *b, int64_t i, enum lt_dtype t)
{
	union lt_scalar x = lt__load(a, i, t), y = lt__load(b, i, t);
	if (lt__dtype_info(t)->cls != LT_CLASS_FLOAT)
		return lt__integer_distance(x.i, y.i, t);
	return class_of(x.f) != class_of(y.f) ? INFINITY : isfinite(x.f) ? fabs(x.f - y.f) : 0;
}

static bool make_room(const struct lt_judge *j, lt_node n, struct noise *noise)
{
	size_t elems = (size_t)lt__node_elems(j->g, n) + 1;
	if (noise->largest)             /* all or none of it: what fails ends the judge */
		return true;
	noise->largest = calloc(elems, sizeof(double));
	noise->sum = calloc(elems, sizeof(double));
	noise->classes = calloc(elems, 1);
	if (!j->rounded)
		return noise->largest && noise->sum && noise->classes;
	noise->low = calloc(elems, sizeof(double));
	noise->high = calloc(elems, sizeof(double));
	noise->mass = calloc(elems, sizeof(double));
	noise->calm = calloc(elems, sizeof(double));
	noise->calm_sum = calloc(elems, sizeof(double));
	noise->decided = calloc(elems, 1);
	return noise->largest && noise->sum && noise->classes && noise->low && noise->high && noise->mass && noise->calm
		&& noise->calm_sum && noise->decided;
}

/* held: the run with the roundings of the reference.  What moves an element less, that or the run as it is, is not what
 * a rounding decided. */
static bool add_run(const struct lt_judge *j, lt_node n, const void *want, const void *run, const void *held,
	struct noise *noise, double weight)
{
	int64_t at[LT_MAX_RANK] = { 0 }, flat = 0;
	enum lt_dtype t = j->g->node[n].dtype;
	size_t bytes = lt__dtype_info(t)->bytes;
	if (!make_room(j, n, noise))
		return false;
	if (lt__is_empty(j->g, j->reference, n))
		return true;
	double bias = 0;
	do {
		double d = weight * deviation(run, want, flat, t);
		if (j->rounded) {
			double apart = lt__signed_distance(run, want, flat, t), calm = fmin(d, weight * deviation(held, want, flat, t));
			size_t byte = (size_t)flat * bytes;
			noise->low[flat] = fmin(noise->low[flat], apart);
			noise->high[flat] = fmax(noise->high[flat], apart);
			noise->mass[flat] += fabs(apart);
			bias += isfinite(apart) ? apart : 0;
			noise->calm[flat] = fmax(noise->calm[flat], calm);
			noise->calm_sum[flat] += calm;
			noise->decided[flat] = (unsigned char)(noise->decided[flat]
				+ (memcmp((const char *)run + byte, (const char *)held + byte, bytes) != 0));
		}
		noise->largest[flat] = fmax(noise->largest[flat], d);
		noise->sum[flat] += d;
		noise->classes[flat] |= (unsigned char)(1u << class_at(run, flat, t));
	} while (lt__next_element(j->g, j->reference, n, at, &flat));
	noise->bias = fmax(noise->bias, fabs(bias));
	return true;
}

static bool add_outputs(const struct lt_judge *j, const struct lt_evaluation *e, double weight)
{
	const void *const *held = j->rounded ? j->rounded->held : NULL;
	bool good = true;
	for (int32_t i = 0; i < j->g->n_result && good; i++) {
		const void *run = lt_eval_result(e, i, NULL);
		good = add_run(j, j->g->result[i].node, lt_eval_result(j->reference, i, NULL), run,
			held && held[i] ? held[i] : run, &j->result[i], weight);
	}
	for (int32_t i = 0; i < j->g->n_set && good; i++) {
		const void *run = lt_eval_state(e, i, NULL), *as = held ? held[j->g->n_result + i] : NULL;
		good = add_run(j, j->g->set[i].value, lt_eval_state(j->reference, i, NULL), run, as ? as : run, &j->set[i], weight);
	}
	return good;
}

/* Runs up to `runs` of them. */
static lt_status need_runs(struct lt_judge *j, int32_t runs)
{
	bool good = true, more = j->runs < runs;
	while (j->runs < runs && good) {
		struct lt_evaluation *e;
		struct lt_judge_work work;
		const struct lt_eval_options eval = run_options(j, j->runs, &work);
		LT_TRY(lt_eval_with(j->g, j->source, &eval, &e));
		lt_status st = j->rounded ? lt__rounded_hold(j->rounded, j->source, &eval, j->reference, e) : LT_OK;
		/* The run without random errors has errors of the permitted size, once. */
		good = st || add_outputs(j, e, j->runs == 0 ? LT_JUDGE_NOISE : 1);
		st = !st && j->rounded ? lt__rounded_add_run(j->rounded, j->reference, e) : st;
		lt_eval_free(e);
		j->runs++;
		LT_TRY(st);
	}
	if (!good)
		return lt_fail(j->g->ctx, LT_ENOMEM, "out of memory");
	return j->rounded && more ? lt__rounded_find_steps(j->rounded, j->source, j->reference) : LT_OK;
}

/* -- judging one tensor -- */

/* Inexact elements whose deviations are alike: the averages lie within a factor of 4. */
enum { GROUPS = 1100 };
/* Sums of squares, in units of the tensor's root mean square: of the errors, of what the runs allow; the largest that
 * one element is allowed. */
struct norm_group { double error2, allowed2, largest2; int64_t n, first; };

/* What one pass over the elements finds. */
struct judge_pass {
	int64_t elements, equal, judged, open, wrong, first_wrong, first_open, worst;
	double ratio;                   /* largest error / tolerance, at element `worst` */
	/* The tensor's root mean square; in that unit sums of squares: of the reference, of the errors of what is not
	 * open, of what all groups allow. */
	double unit, size2, error2, allowed2;
	const struct norm_group *failed;        /* the first whose errors nothing explains; NULL: none */
	struct norm_group group[GROUPS];
	/* Of elements that are made of roundings, in steps: all that they are off by, what the runs are, the first one. */
	double steps, explained_steps;
	double decisions, explained_decisions;  /* how many elements are not those of the reference's roundings */
	int64_t first_step;
	/* The sums of their errors, with their signs; what the runs explain of that; the largest step. */
	double bias, explained_bias, largest_step;
	bool too_many;
};

/* Of an element that a run moves by d at most. */
static double widened(double d, enum lt_dtype t)
{
	return d == 0 ? 0 : LT_JUDGE_WIDEN * (d + lt__dtype_info(t)->tiny);      /* exact: no run moves it */
}

static double tolerance(const struct noise *noise, int64_t i, enum lt_dtype t)
{
	double d = noise->largest ? noise->largest[i] : 0;
	/* An integer or bool that flips between the runs says nothing of what it may be. */
	return d > 0 && lt__dtype_info(t)->cls != LT_CLASS_FLOAT ? INFINITY : widened(d, t);
}

/* Kinds of value: the reference's and those of the runs; of the result. */
struct kinds { unsigned may, got; };

static struct kinds kinds_of(const struct tensor *x, int64_t i, enum lt_dtype t)
{
	return (struct kinds){ (x->noise->classes ? x->noise->classes[i] : 0u) | 1u << class_at(x->want, i, t),
		1u << class_at(x->got, i, t) };
}

/* Which infinity it is, or NaN, or whether it is one, the order of a sum decides, or a rounding: it is one of those
 * that occurred. */
static bool is_other_overflow(struct kinds k) { return k.got != 1u << 1 && (k.may & k.got); }

/* All runs and the reference agree on what it is, a number, an infinity or NaN, and it is not that, however near to an
 * infinity the largest numbers are. */
static bool is_other_kind(struct kinds k) { return !(k.may & (k.may - 1)) && !(k.may & k.got); }

/* The norm allows what each element's runs do on average, and the most that one element may do: with few elements that
 * decides.  Elements that hardly move are not judged by the room of those that move more. */
static void add_to_norm(
	const struct lt_judge *j, const double *sum, int64_t i, double error, double allowed, struct judge_pass *p)
{
	if (!sum || !(sum[i] > 0) || !isfinite(sum[i]))
		return;
	double average = fmax(sum[i] / j->runs, DBL_TRUE_MIN);          /* zero has no exponent */
	struct norm_group *g = &p->group[(ilogb(average) + GROUPS) / 2];
	if (g->n++ == 0)
		g->first = i;
	g->error2 += lt__square(error / p->unit);
	g->allowed2 += lt__square(LT_JUDGE_WIDEN * average / p->unit);
	g->largest2 = fmax(g->largest2, lt__square(allowed / p->unit));
}

static void end_norm(struct judge_pass *p)
{
	for (int i = 0; i < GROUPS; i++) {
		struct norm_group *g = &p->group[i];
		g->allowed2 += g->largest2;
		p->allowed2 += g->allowed2;
		if (!p->failed && !(g->error2 <= g->allowed2))
			p->failed = g;
	}
}

/* The step of an element that is judged by it: a number in the reference, in the result and in all runs. */
static double step_of(const struct tensor *x, int64_t i, struct kinds kinds)
{
	double step = x->step && x->noise->mass ? x->step[i] : 0;
	return (kinds.may | kinds.got) == 1u << 1 && isfinite(step) ? step : 0;
}

/* What an element may be off by in the direction in which it is: as much as in a run, and one step more.  The runs'
 * random errors are in that, too.  What is too small for the least step, whatever the floats do, is no other decision
 * of a rounding: there it may be off by as much as in a run, or by what all floats may. */
static double stepped_tolerance(const struct tensor *x, int64_t i, double error, double step, enum lt_dtype t)
{
	double reach = (error > 0 ? x->noise->high[i] : -x->noise->low[i])
		+ (lt__dtype_info(t)->cls == LT_CLASS_FLOAT ? LT_JUDGE_WIDEN * lt__dtype_info(t)->tiny : 0);
	double calm = fmax(reach, widened(x->noise->calm[i], t));
	if (x->least && fabs(error) + calm < x->least[i] * (1 - 0x1p-6))
		return calm;
	return reach + step * (1 + 0x1p-6);
}

/* What errors of floats explain is judged like all floats.  In each other element a rounding decided otherwise: how
 * many these are, how many steps they are off by together, and in one direction, must not be more than twice what it is
 * in the runs, and one.  Elements that runs move in one direction only, as ties, may all go that way. */
static void add_step(const struct lt_judge *j, const struct noise *noise, int64_t i, double error, double step,
	enum lt_dtype t, struct judge_pass *p)
{
	double average = noise->mass[i] / j->runs, calm = widened(noise->calm[i], t);
	p->explained_steps += average / step;
	p->explained_decisions += (double)noise->decided[i] / j->runs;
	p->explained_bias += noise->low[i] > -step / 2 || noise->high[i] < step / 2 ? LT_JUDGE_WIDEN * average : 0;
	p->largest_step = fmax(p->largest_step, step);
	p->allowed2 += lt__square(LT_JUDGE_WIDEN * average / p->unit);
	p->bias += error;
	if (fabs(error) <= calm) {
		add_to_norm(j, noise->calm_sum, i, error, calm, p);
		return;
	}
	p->first_step = p->decisions == 0 ? i : p->first_step;
	p->decisions++;
	p->steps += fabs(error) / step;
}

static bool steps_fail(const struct tensor *x, const struct judge_pass *p)
{
	return p->steps > LT_JUDGE_WIDEN * p->explained_steps + 1
		|| p->decisions > LT_JUDGE_WIDEN * p->explained_decisions + 1
		|| fabs(p->bias) > LT_JUDGE_WIDEN * x->noise->bias + p->explained_bias + p->largest_step * (1 + 0x1p-6);
}

static void count_pass(const struct lt_judge *j, const struct tensor *x, double scale, struct judge_pass *p)
{
	int64_t at[LT_MAX_RANK] = { 0 }, flat = 0;
	enum lt_dtype t = j->g->node[x->node].dtype;
	*p = (struct judge_pass){ .first_wrong = -1, .first_open = -1, .worst = -1, .unit = scale > 0 ? scale : 1 };
	if (lt__is_empty(j->g, j->reference, x->node))
		return;
	do {
		double error = lt__distance(x->got, x->want, flat, t), size = lt__magnitude(x->want, flat, t);
		double allowed = tolerance(x->noise, flat, t);
		bool open = !(allowed <= LT_JUDGE_USELESS * fmax(size, scale));
		struct kinds kinds = kinds_of(x, flat, t);
		double step = error > 0 || x->step ? step_of(x, flat, kinds) : 0;
		if (step > 0) {
			double apart = lt__signed_distance(x->got, x->want, flat, t);
			allowed = stepped_tolerance(x, flat, apart, step, t);
			open = !(fmax(x->noise->high[flat], -x->noise->low[flat]) - step <= LT_JUDGE_USELESS * fmax(size, scale));
			add_step(j, x->noise, flat, apart, step, t, p);
		}
		p->elements++;
		if (error > 0 && is_other_overflow(kinds)) {
			p->judged++;
			continue;
		}
		if (error == 0)
			p->equal++;
		else if (!(error <= allowed) || is_other_kind(kinds))   /* beyond what can be, however much that is */
			p->first_wrong = p->wrong++ ? p->first_wrong : flat;
		else if (open)
			p->first_open = p->open++ ? p->first_open : flat;
		else
			p->judged++;
		if (error > 0 && isfinite(allowed) && error / allowed > p->ratio) {
			p->ratio = error / allowed;
			p->worst = flat;
		}
		if (!open && !(step > 0))
			add_to_norm(j, x->noise->sum, flat, error, allowed, p);
		p->error2 += open ? 0 : lt__square(error / p->unit);
		p->size2 += lt__square(size / p->unit);
	} while (lt__next_element(j->g, j->reference, x->node, at, &flat));
	end_norm(p);
	p->too_many = p->decisions > 0 && steps_fail(x, p);
}

static bool norm_fails(const struct judge_pass *p) { return p->failed != NULL || p->too_many; }

static const char *element_text(const struct lt_judge *j, const struct tensor *x, int64_t flat,
	const struct lt_report *r, char *out, size_t bytes)
{
	return lt__judge_location(j->g, x->node, x->kind, x->name, flat, r->when, out, bytes);
}

/* The true largest errors, whatever is allowed. */
static void find_largest(const struct lt_judge *j, const struct tensor *x, struct lt_report *r)
{
	int64_t at[LT_MAX_RANK] = { 0 }, flat = 0;
	enum lt_dtype t = j->g->node[x->node].dtype;
	if (lt__is_empty(j->g, j->reference, x->node))
		return;
	do {
		double error = lt__distance(x->got, x->want, flat, t), size = lt__magnitude(x->want, flat, t),
		       relative = error == 0 ? 0 : size > 0 ? error / size : INFINITY;
		if (error > r->absolute.value) {
			r->absolute.value = error;
			element_text(j, x, flat, r, r->absolute.at, sizeof r->absolute.at);
		}
		if (relative > r->relative.value) {
			r->relative.value = relative;
			element_text(j, x, flat, r, r->relative.at, sizeof r->relative.at);
		}
	} while (lt__next_element(j->g, j->reference, x->node, at, &flat));
}

static void report_wrong(
	const struct lt_judge *j, const struct tensor *x, const struct judge_pass *p, struct lt_report *r)
{
	enum lt_dtype t = j->g->node[x->node].dtype;
	char where[160], got[40], want[40];
	if (r->first[0])
		return;
	if (p->first_wrong >= 0) {
		double step = step_of(x, p->first_wrong, kinds_of(x, p->first_wrong, t)), apart = lt__signed_distance(x->got,
			x->want, p->first_wrong, t);
		double allowed = step > 0 ? stepped_tolerance(x, p->first_wrong, apart, step, t)
			: tolerance(x->noise, p->first_wrong, t);
		snprintf(r->first, sizeof r->first,
			"%s is %s, the reference has %s, and rounding explains %.3g (%lld of %lld elements are wrong)",
			element_text(j, x, p->first_wrong, r, where, sizeof where),
			lt__element_text(x->got, p->first_wrong, t, got, sizeof got),
			lt__element_text(x->want, p->first_wrong, t, want, sizeof want), allowed, (long long)p->wrong,
			(long long)p->elements);
	} else if (p->too_many && !p->failed) {
		snprintf(r->first, sizeof r->first,
			"%s%s%s as a whole is off by %.3g steps of its rounding, in %.0f elements such as %s, in one direction by %.3g in "
			"all, and rounding explains %.3g, %.3g and %.3g",
			x->kind, x->name, r->when ? r->when : "", p->steps, p->decisions,
			element_text(j, x, p->first_step, r, where, sizeof where), fabs(p->bias),
			LT_JUDGE_WIDEN * p->explained_steps + 1, LT_JUDGE_WIDEN * p->explained_decisions + 1,
			LT_JUDGE_WIDEN * x->noise->bias + p->explained_bias + p->largest_step);
	} else if (norm_fails(p)) {
		const struct norm_group *f = p->failed;
		double norm = p->size2 > 0 ? sqrt(p->size2) : 1;
		snprintf(r->first, sizeof r->first,
			"%s%s%s as a whole is off by %.3g of its norm in %lld elements such as %s, and rounding explains %.3g",
			x->kind, x->name, r->when ? r->when : "", sqrt(f->error2) / norm, (long long)f->n,
			element_text(j, x, f->first, r, where, sizeof where), sqrt(f->allowed2) / norm);
	}
}

static void find_steps(const struct lt_judge *j, struct tensor *x)
{
	if (!j->rounded || x->output < 0)
		return;
	x->step = j->rounded->step[x->output];
	x->least = j->rounded->least[x->output];
}

static lt_status judge(struct lt_judge *j, struct tensor *x, struct lt_report *r)
{
	double scale = lt__root_mean_square(j->g, j->reference, x->node, x->want);
	struct judge_pass p;
	char text[200];
	count_pass(j, x, scale, &p);
	if (p.equal < p.elements && !x->constant) {                         /* where all is equal no run is needed */
		int32_t runs = LT_JUDGE_RUNS;                                   /* few may agree by chance */
		for (bool first = true; first || (runs < LT_JUDGE_MORE && (p.wrong || norm_fails(&p))); first = false) {
			runs = first ? runs : runs + LT_JUDGE_AGAIN < LT_JUDGE_MORE ? runs + LT_JUDGE_AGAIN : LT_JUDGE_MORE;
			LT_TRY(need_runs(j, runs));
			find_steps(j, x);
			count_pass(j, x, scale, &p);
		}
	}
	r->elements += p.elements;
	r->equal += p.equal;
	r->judged += p.judged;
	r->open += p.open;
	r->wrong += p.wrong;
	r->runs = j->runs > r->runs ? j->runs : r->runs;
	find_largest(j, x, r);
	if (p.ratio > r->noise.value && p.worst >= 0) {
		r->noise.value = p.ratio;
		element_text(j, x, p.worst, r, r->noise.at, sizeof r->noise.at);
	}
	double norm = p.size2 > 0 ? sqrt(p.error2 / p.size2) : sqrt(p.error2);
	if (norm > r->norm.value) {
		r->norm.value = norm;
		r->norm_explained = p.size2 > 0 ? sqrt(p.allowed2 / p.size2) : sqrt(p.allowed2);
		snprintf(r->norm.at, sizeof r->norm.at, "%s%s%s", x->kind, x->name, r->when ? r->when : "");
	}
	if (p.open && !r->open_at[0])
		snprintf(r->open_at, sizeof r->open_at, "%s", element_text(j, x, p.first_open, r, text, sizeof text));
	r->norm_wrong += p.wrong == 0 && norm_fails(&p);
	if (p.wrong || norm_fails(&p))
		report_wrong(j, x, &p, r);
	return LT_OK;
}

static lt_status judge_result(struct lt_judge *j, int32_t i, const void *got, struct lt_report *r)
{
	struct tensor x = { "", j->g->result[i].name, j->g->result[i].node, got,
		lt_eval_result(j->reference, i, NULL), &j->result[i], i, NULL, NULL, false };
	find_steps(j, &x);
	return judge(j, &x, r);
}

lt_status lt__judge_allowed(struct lt_judge *j, int32_t i, double *norm)
{
	const void *want = lt_eval_result(j->reference, i, NULL);
	struct tensor x = { "", j->g->result[i].name, j->g->result[i].node, want, want, &j->result[i], i, NULL, NULL, false };
	struct judge_pass p;
	*norm = 0;
	LT_TRY(need_runs(j, LT_JUDGE_RUNS));
	find_steps(j, &x);
	count_pass(j, &x, lt__root_mean_square(j->g, j->reference, x.node, want), &p);
	*norm = p.size2 > 0 ? sqrt(p.allowed2 / p.size2) : sqrt(p.allowed2);
	return LT_OK;
}

static lt_status judge_state(struct lt_judge *j, lt_node state, const void *got, struct lt_report *r)
{
	const struct noise exact = { 0 };
	const struct lt_nodedef *d = &j->g->node[state];
	struct tensor x = { "state ", d->label ? d->label : d->name, state, got, j->source[state], &exact, -1, NULL, NULL,
		true };
	for (int32_t i = 0; i < j->g->n_set; i++)
		if (j->g->set[i].state == state) {
			x.node = j->g->set[i].value;
			x.want = lt_eval_state(j->reference, i, NULL);
			x.noise = &j->set[i];
			x.constant = false;
			x.output = j->g->n_result + i;
			find_steps(j, &x);
		}
	return judge(j, &x, r);
}

static bool is_better(const struct lt_report *b, const struct lt_report *a)
{
	const int64_t of_a = a->wrong + a->norm_wrong, of_b = b->wrong + b->norm_wrong;
	return of_b < of_a || (of_b == of_a && b->open < a->open);
}

/* Of a program that may leave roundings out the whole is right, too, if it is as without them all: where they decide
 * much, runs that have them say little of what it may be. */
static lt_status judge_either(struct lt_judge *j, lt_status (*with)(struct lt_judge *, int32_t, const void *,
	struct lt_report *), int32_t i, const void *got, struct lt_report *r)
{
	struct lt_report rounded = *r, wide = *r;
	LT_TRY(with(j, i, got, &rounded));
	const bool worse = rounded.wrong > r->wrong || rounded.norm_wrong > r->norm_wrong || rounded.open > r->open;
	if ((j->o.unrounded || j->o.rounded) && worse) {
		if (!j->wide)
			LT_TRY(new_judge(j->g, j->source, &j->o, true, &j->wide));
		LT_TRY(with(j->wide, i, got, &wide));
		wide.absolute = rounded.absolute;
		wide.relative = rounded.relative;
		rounded = is_better(&wide, &rounded) ? wide : rounded;
	}
	*r = rounded;
	return LT_OK;
}

lt_status lt__judge_result(struct lt_judge *j, int32_t i, const void *got, struct lt_report *r)
{
	return judge_either(j, judge_result, i, got, r);
}

lt_status lt__judge_state(struct lt_judge *j, lt_node state, const void *got, struct lt_report *r)
{
	return judge_either(j, judge_state, state, got, r);
}
