/* choose.c -- the search: how many bits and which step each cell has.
 *
 * All cells of 8 bits are tried first, all of 16 next.  Where the ones lose too much and the others are too large, each
 * cell is narrowed alone, to see what that loses, and then one after the other, in the order of loss for a byte.  One
 * that loses too much is left as it was, and the next is tried.  Where 8 bits are too large, constants of sums get 4 in
 * the same way, until all fits.  At the end steps are doubled and halved, or changed by an eighth where they may be any
 * numbers.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "program/host/host.h"
#include "tools/quantize/quantize.h"

/* Whether a candidate says what the format is: not of one that follows, or is alike. */
static bool is_free(const struct quantizing *z, int32_t c)
{
	return z->q->cell[c].kind != LT_QUANT_WIDE && z->q->cell[c].like == c;
}

/* Fewer bits than 8 are for constants of sums alone. */
static lt_status format_of(struct quantizing *z, int32_t c, int32_t bits, struct lt_quant_format *out)
{
	const int32_t most = z->q->cell[c].bits, own = bits < 8 && !z->q->cell[c].sums ? 8 : bits, b = own < most ? own : most;
	*out = (struct lt_quant_format){ .bits = b };
	return is_free(z, c) ? quantize_format(z, c, b, out) : LT_OK;
}

static lt_status candidate_new(struct quantizing *z, struct quantize_candidate *c)
{
	*c = (struct quantize_candidate){ .format = calloc((size_t)z->q->n_cell + 1, sizeof *c->format) };
	return c->format ? LT_OK : lt_fail(z->ctx, LT_ENOMEM, "out of memory");
}

static void candidate_copy(const struct quantizing *z, struct quantize_candidate *to, const struct quantize_candidate
	*c)
{
	struct lt_quant_format *format = to->format;
	memcpy(format, c->format, sizeof *format * (size_t)z->q->n_cell);
	*to = *c;
	to->format = format;
}

static bool is_small(const struct quantizing *z, const struct quantize_candidate *c)
{
	return (!z->room_flash || c->flash <= z->room_flash) && (!z->room_ram || c->ram <= z->room_ram);
}

static bool is_good(const struct quantizing *z, const struct quantize_candidate *c)
{
	return c->score.possible && c->score.loss <= z->o.loss + 1e-9;
}

bool quantize_is_better(const struct quantize_score *a, const struct quantize_score *b)
{
	if (a->possible != b->possible)
		return a->possible;
	return a->loss < b->loss || (a->loss <= b->loss && a->error < b->error);
}

/* Tries one, and says how far the search is. */
static lt_status try_candidate(struct quantizing *z, struct quantize_candidate *c, const char *what)
{
	for (int32_t i = 0; i < z->q->n_cell; i++)
		c->format[i] = c->format[z->q->cell[i].like];
	lt__phase(&z->phases, "%s, candidate %lld, %d s left", what, (long long)z->tried + 1, (int)(quantize_left_ns(z)
		/ 1000000000));
	const int64_t tried = z->tried;
	LT_TRY(quantize_measure(z, c));
	if (z->o.verbose && z->tried > tried) {
		lt__phase(&z->phases, NULL);
		lt__say(stderr, "candidate %lld (%s): ", (long long)z->tried, what);
		if (c->score.possible)
			lt__say(stderr, "loss %.3f points, distance %.4f, %lld bytes of constants, %lld of values\n", c->score.loss,
				c->score.error, (long long)c->flash, (long long)c->ram);
		else
			lt__say(stderr, "%s\n", z->q->mode == LT_QUANT_STATIC ? "its numbers may be too large"
				: "results are no finite numbers");
	}
	return LT_OK;
}

/* -- one width for all -- */

static lt_status try_width(struct quantizing *z, int32_t bits, struct quantize_candidate *c)
{
	char what[24];
	for (int32_t i = 0; i < z->q->n_cell; i++)
		LT_TRY(format_of(z, i, bits, &c->format[i]));
	snprintf(what, sizeof what, "%d bits", bits);
	return try_candidate(z, c, what);
}

/* A step of which a candidate with the next one, coarser or finer, is tried. */
static double next_scale(const struct quantizing *z, double scale, bool coarser)
{
	return lt__quant_step(z->q, scale * (z->q->any ? coarser ? 1.125 : 0.875 : coarser ? 2 : 0.5));
}

/* Moves steps as long as that is better; `enough`: only until the loss is allowed. */
static lt_status tune(struct quantizing *z, struct quantize_candidate *c, struct quantize_candidate *other, bool enough)
{
	enum { ROUNDS = 2 };
	for (int round = 0; round < ROUNDS; round++) {
		bool moved = false;
		for (int32_t i = z->q->n_cell - 1; i >= 0; i--)
			for (int32_t by = -1; by <= 1 && is_free(z, i); by += 2) {
				if (!quantize_goes_on(z) || (enough && is_good(z, c)))
					return LT_OK;
				candidate_copy(z, other, c);
				other->format[i].scale = next_scale(z, c->format[i].scale, by > 0);
				LT_TRY(try_candidate(z, other, "moving steps"));
				if (quantize_is_better(&other->score, &c->score) && is_small(z, other)) {
					candidate_copy(z, c, other);
					moved = true;
					break;
				}
			}
		if (!moved)
			break;
	}
	return LT_OK;
}

/* -- widths of their own -- */

struct narrowing { int32_t cell; double price; };       /* what a byte less costs */

static int by_price(const void *a, const void *b)
{
	const struct narrowing *x = a, *y = b;
	return x->price < y->price ? -1 : x->price > y->price ? 1 : x->cell < y->cell ? -1 : x->cell > y->cell;
}

static int64_t all_bytes(const struct quantize_candidate *c) { return c->flash + c->ram; }

/* Each cell alone: what it loses for what it saves with so many bits. */
static lt_status price_all(struct quantizing *z, const struct quantize_candidate *wide, struct quantize_candidate
	*other, int32_t bits, struct narrowing *out, int32_t *n)
{
	*n = 0;
	for (int32_t i = 0; i < z->q->n_cell; i++) {
		if (!is_free(z, i) || wide->format[i].bits <= (bits < 8 && !z->q->cell[i].sums ? 8 : bits))
			continue;
		out[*n] = (struct narrowing){ i, INFINITY };
		candidate_copy(z, other, wide);
		LT_TRY(format_of(z, i, bits, &other->format[i]));
		if (quantize_goes_on(z)) {
			LT_TRY(try_candidate(z, other, "narrowing one"));
			const double saved = (double)(all_bytes(wide) - all_bytes(other)), lost = other->score.loss - wide->score.loss;
			out[*n].price = (fmax(lost, 0) + 1e-3 * other->score.error) / fmax(saved, 0.5);
		}
		++*n;
	}
	qsort(out, (size_t)*n, sizeof *out, by_price);
	return LT_OK;
}

/* One after the other; until: only as long as it is too large, whatever it loses. */
static lt_status narrow_all(struct quantizing *z, struct quantize_candidate *c, struct quantize_candidate *other,
	int32_t bits, const struct narrowing *order, int32_t n, bool until)
{
	for (int32_t i = 0; i < n; i++) {
		const int32_t cell = order[i].cell;
		struct lt_quant_format narrow;
		LT_TRY(format_of(z, cell, bits, &narrow));
		for (int32_t by = 0; by >= -1; by--) {
			if (!quantize_goes_on(z) || (until && is_small(z, c)))
				return LT_OK;
			candidate_copy(z, other, c);
			other->format[cell] = narrow;
			if (by < 0)
				other->format[cell].scale = next_scale(z, narrow.scale, false);
			LT_TRY(try_candidate(z, other, "narrowing all"));
			if (until ? other->score.possible : is_good(z, other)) {
				candidate_copy(z, c, other);
				break;
			}
		}
	}
	return LT_OK;
}

static lt_status narrow(struct quantizing *z, struct quantize_candidate *c, struct quantize_candidate *other,
	int32_t bits, bool until)
{
	struct narrowing *order = calloc((size_t)z->q->n_cell + 1, sizeof *order);
	int32_t n;
	if (!order)
		return lt_fail(z->ctx, LT_ENOMEM, "out of memory");
	lt_status s = price_all(z, c, other, bits, order, &n);
	if (!s)
		s = narrow_all(z, c, other, bits, order, n, until);
	free(order);
	return s;
}

/* -- the whole -- */

static const char *metric_word(const struct quantizing *z)
{
	return z->metric == METRIC_ACCURACY ? "accuracy" : z->metric == METRIC_AGREE ? "agreement" : "error";
}

static const char *interrupted_word(void) { return lt__interrupted(NULL) ? "interrupted: " : ""; }

static bool is_time_up(const struct quantizing *z) { return quantize_left_ns(z) <= 0 && !lt__interrupted(NULL); }

/* Whether a channel of some constant would have a finer step than all of it has; nothing else is made of the plan
 * then. */
static lt_status find_finer(struct quantizing *z, const struct quantize_candidate *best, bool *finer)
{
	*finer = false;
	if (z->o.per_channel)
		return LT_OK;
	LT_TRY(lt__quant_find_channels(z->q));
	for (int32_t c = 0; c < z->q->n_cell && !*finer; c++) {
		struct lt_quant_format f;
		if (!z->q->cell[c].channels)
			continue;
		z->found[c][best->format[c].bits].bits = 0;     /* that was found without channels */
		LT_TRY(quantize_format(z, c, best->format[c].bits, &f));
		for (int64_t i = 0; i < z->q->cell[c].channels && f.channel; i++)
			*finer = *finer || f.channel[i] > 1;
	}
	return LT_OK;
}

/* What takes most of what there is no room for. */
static lt_status refuse_size(struct quantizing *z, const struct quantize_candidate *c)
{
	int32_t most = -1;
	const bool flash = z->o.flash && c->flash > z->o.flash;
	for (int32_t i = 0; i < z->q->n_cell; i++) {
		const bool counts = (z->q->cell[i].kind == LT_QUANT_WEIGHT) == flash;
		if (counts && (most < 0 || z->q->cell[i].elems > z->q->cell[most].elems))
			most = i;
	}
	const char *const bits = strcmp(z->o.bits, "mixed") != 0 ? z->o.bits : flash ? "4 and 8" : "8";
	return lt_fail(z->ctx, LT_EUNSUPPORTED, "%s: %sat %s bits %s take %lld bytes, %lld more than --%s allows; '%s' takes "
		"most, with %lld numbers", z->o.model, interrupted_word(), bits,
		flash ? "constants" : "values",
		(long long)(flash ? c->flash : c->ram), (long long)(flash ? c->flash - z->o.flash : c->ram - z->o.ram),
		flash ? "flash" : "ram", most < 0 ? "" : z->q->cell[most].name,
		(long long)(most < 0 ? 0 : z->q->cell[most].elems));
}

static int by_size(const void *a, const void *b)
{
	const double x = *(const double *)a, y = *(const double *)b;
	return (x > y) - (x < y);
}

/* An input with a number so large that 99 of 100 are within one step of that many bits, and so are lost; "". */
static const char *find_outlier(struct quantizing *z, int32_t bits, char *out, size_t cap)
{
	enum { SOME = 1 << 16 };
	double *some = malloc(SOME * sizeof *some);
	out[0] = '\0';
	for (int32_t i = 0; some && i < z->n_input && !*out; i++) {
		const struct quantize_input *in = &z->input[i];
		const uint32_t dtype = z->model.binding[LT_BINDING_INPUT].at[i].dtype;
		const int64_t row = (int64_t)(in->sample_bytes / lt_dtype_bytes(dtype)) / in->rows, n = row * in->all_rows;
		const int64_t every = n / SOME + 1;
		int64_t most = 0, kept = 0;
		if (!in->at || lt__dtype_info(dtype)->cls != LT_CLASS_FLOAT)
			continue;
		for (int64_t k = 0; k < n; k++) {
			most = fabs(lt__load(in->at, k, dtype).f) > fabs(lt__load(in->at, most, dtype).f) ? k : most;
			if (k % every == 0)
				some[kept++] = fabs(lt__load(in->at, k, dtype).f);
		}
		qsort(some, (size_t)kept, sizeof *some, by_size);
		const double largest = lt__load(in->at, most, dtype).f, usual = kept ? some[kept - 1 - kept / 100] : 0;
		if (usual < ldexp(fabs(largest), 1 - bits))
			snprintf(out, cap, "; '%s': row %lld, number %lld of %s is %g, and 99 of 100 are below %.3g: without such rows "
				"a step of %d bits is finer", in->name, (long long)(most / row), (long long)(most % row), in->path, largest,
				usual * (1 + 1e-3), bits);
	}
	free(some);
	return out;
}

static lt_status refuse_loss(struct quantizing *z, const struct quantize_candidate *c)
{
	const bool sixteen = z->o.bits[0] == '1';
	/* What more bits there are. */
	const char *more = z->o.bits[0] == '4' ? "more bits (--bits 8)" : z->o.bits[0] == '8' && z->q->mode
		!= LT_QUANT_DYNAMIC ? "more bits (--bits 16)" : NULL;
	if (!c->score.possible && z->q->mode != LT_QUANT_STATIC)
		return lt_fail(z->ctx, LT_EUNSUPPORTED, "%s: %sresults with rounded constants are no finite numbers%s%s%s",
			z->o.model, interrupted_word(), more ? ": " : "", more ? more : "", more ? " are the way out" : "");
	if (!c->score.possible)
		return lt_fail(z->ctx, LT_EUNSUPPORTED, "%s: %snumbers of a sum may need more than 52 bits%s", z->o.model,
			interrupted_word(), sixteen ? ": fewer bits (--bits 8) have room" : ", of 8 bits, too: it has to be of less terms, "
			"or of values that are rounded before it");
	bool finer;
	const bool up = is_time_up(z);
	LT_TRY(find_finer(z, c, &finer));
	const char *const ways[] = { more, finer ? "steps by channel (--per-channel)" : NULL,
		z->q->mode == LT_QUANT_DYNAMIC ? "values that stay floats (--mode weights)" : NULL, up ? "a greater --time" : NULL };
	char all[200] = "", outlier[400];
	for (size_t i = 0, n = 0; i < sizeof ways / sizeof *ways; i++)
		if (ways[i])
			n += (size_t)snprintf(all + n, sizeof all - n, "%s%s", n ? ", " : "", ways[i]);
	return lt_fail(z->ctx, LT_EUNSUPPORTED, "%s: %s%sthe best of %lld candidate%s loses %.3f points of %s, and --loss "
		"allows %.3f: %s%sa greater --loss %s%s", z->o.model, interrupted_word(), up ? "time was up (--time): " : "",
		(long long)z->tried, z->tried == 1 ? "" : "s", c->score.loss, metric_word(z), z->o.loss, all, *all ? " or " : "",
		*all ? "are the ways out" : "is the way out", z->q->mode == LT_QUANT_WEIGHTS ? ""
		: find_outlier(z, sixteen ? 16 : 8, outlier, sizeof outlier));
}

static lt_status choose_one_width(struct quantizing *z, int32_t bits, struct quantize_candidate *other)
{
	LT_TRY(try_width(z, bits, &z->best));
	if (z->best.score.loss > 0)
		LT_TRY(tune(z, &z->best, other, false));
	return z->o.target || is_small(z, &z->best) ? LT_OK : refuse_size(z, &z->best);
}

static lt_status choose_mixed(struct quantizing *z, struct quantize_candidate *other)
{
	struct quantize_candidate wide;
	const bool bounded = z->room_flash || z->room_ram;
	LT_TRY(try_width(z, 8, &z->best));
	if (!is_small(z, &z->best) && z->o.target) {            /* what it takes may be less than what is estimated */
		z->room_flash = z->room_ram = 0;
		return is_good(z, &z->best) ? LT_OK : tune(z, &z->best, other, true);
	}
	if (!is_small(z, &z->best)) {           /* the fewest constants have 4 that make it so */
		LT_TRY(narrow(z, &z->best, other, LT_QUANT_PACKED_BITS, true));
		if (!is_small(z, &z->best))
			return refuse_size(z, &z->best);
		return z->best.score.loss > 0 ? tune(z, &z->best, other, false) : LT_OK;
	}
	if (!bounded && !is_good(z, &z->best))
		LT_TRY(tune(z, &z->best, other, true));
	if (!bounded && is_good(z, &z->best))
		return LT_OK;
	LT_TRY(candidate_new(z, &wide));
	lt_status s = try_width(z, 16, &wide);
	if (!s && !bounded && !is_good(z, &wide))
		s = tune(z, &wide, other, true);
	if (!s && (bounded ? !is_small(z, &wide) : is_good(z, &wide)))
		s = narrow(z, &wide, other, 8, bounded);
	if (!s && is_small(z, &wide) && (quantize_is_better(&wide.score, &z->best.score) || (is_good(z, &wide)
		&& !is_good(z, &z->best))))
		candidate_copy(z, &z->best, &wide);
	if (!s && z->best.score.loss > 0)
		s = tune(z, &z->best, other, !bounded);
	free(wide.format);
	return s;
}

/* -- the microcontroller of --target -- */

static lt_status refuse_room(struct quantizing *z, const struct quantize_candidate *narrower)
{
	const char *refused = quantize_target_refused(z);
	if (narrower && !is_good(z, narrower))
		return lt_fail(z->ctx, LT_EUNSUPPORTED, "%s: %s%s; narrower values lose %.3f points of %s, and --loss allows %.3f: a "
			"greater --loss is the way out", z->o.model, interrupted_word(), refused, narrower->score.loss, metric_word(z),
			z->o.loss);
	/* What of fewer bits takes less there. */
	const char *fewer = z->o.bits[0] == '1' ? "; fewer bits (--bits mixed) take less" : z->o.bits[0] == '8'
		&& quantize_target_missing(z, true) ? "; fewer bits (--bits 4) take less" : "";
	return lt_fail(z->ctx, LT_EUNSUPPORTED, "%s: %s%s%s%s", z->o.model, is_time_up(z) ? "time was up (--time): " : "",
		interrupted_word(), refused, fewer);
}

/* The estimate's bound that is so much smaller as there is missing. */
static int64_t tightened(int64_t estimate, int64_t missing)
{
	return !missing ? 0 : estimate > missing ? estimate - missing : 1;
}

/* Narrows the best one until the target has room for it. */
static lt_status fit_target(struct quantizing *z, struct quantize_candidate *next, struct quantize_candidate *other)
{
	for (;;) {
		bool fits;
		LT_TRY(quantize_target_need(z, &z->best, &fits));
		if (fits)
			return LT_OK;
		if (z->o.verbose) {
			lt__phase(&z->phases, NULL);
			lt__say(stderr, "%s\n", quantize_target_refused(z));
		}
		const int64_t before = all_bytes(&z->best);
		z->room_flash = tightened(z->best.flash, quantize_target_missing(z, true));
		z->room_ram = tightened(z->best.ram, quantize_target_missing(z, false));
		if (strcmp(z->o.bits, "mixed") != 0)
			return refuse_room(z, NULL);
		candidate_copy(z, next, &z->best);
		LT_TRY(narrow(z, next, other, 8, true));
		if (z->room_flash && !is_small(z, next))
			LT_TRY(narrow(z, next, other, LT_QUANT_PACKED_BITS, true));
		if (all_bytes(next) >= before)
			return refuse_room(z, NULL);
		if (!is_good(z, next))
			LT_TRY(tune(z, next, other, true));
		if (!is_good(z, next))
			return refuse_room(z, next);
		candidate_copy(z, &z->best, next);
	}
}

static lt_status choose_for_target(struct quantizing *z, struct quantize_candidate *other)
{
	struct quantize_candidate next;
	LT_TRY(candidate_new(z, &next));
	const lt_status s = fit_target(z, &next, other);
	free(next.format);
	return s;
}

lt_status quantize_choose(struct quantizing *z)
{
	struct quantize_candidate other = { 0 };
	z->begin_ns = lt__now_ns();
	if (z->q->mode == LT_QUANT_STATIC) {
		z->room_flash = z->o.flash;
		z->room_ram = z->o.ram;
	}
	LT_TRY(candidate_new(z, &z->best));
	lt_status s = candidate_new(z, &other);
	if (!s)
		s = !strcmp(z->o.bits, "mixed") ? choose_mixed(z, &other) : choose_one_width(z, atoi(z->o.bits), &other);
	if (!s && z->tried == 0)
		s = lt_fail(z->ctx, LT_ECANCELLED, "interrupted before there was a candidate");
	if (!s && !is_good(z, &z->best))
		s = refuse_loss(z, &z->best);
	if (!s && z->o.target)
		s = choose_for_target(z, &other);
	free(other.format);
	z->end_ns = lt__now_ns();
	return s;
}
