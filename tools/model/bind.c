/* bind.c -- which tensor goes to which input and constant; everything that does not fit, said at once. */
#include <stdlib.h>
#include <string.h>
#include "tools/model/binder.h"
#include "tools/common/common.h"

/* The first sentence about it stays, which says what took so much. */
static void no_memory(struct model_binder *b)
{
	if (!b->no_memory && lt_context_code(b->ctx) == LT_ENOMEM)
		snprintf(b->what, sizeof b->what, "%s", lt_context_message(b->ctx));
	b->no_memory = true;
}

/* Keeps the tensors of one file or option; the array has room for all. */
static struct lt_tensors *bind_keep(struct model_binder *b, const struct lt_tensors *t)
{
	b->given->file[b->given->n_file] = *t;
	return &b->given->file[b->given->n_file++];
}

/* The extent that a tensor has, of an input that says it: given by the tensor unless it is given already.  A tensor of
 * the most may be room for fewer. */
static void bind_extent(struct model_binder *b, struct model_slots *s, int32_t i, int64_t extent, bool max,
	const char *from)
{
	const struct model_binding *p = &b->binding[s->kind].at[i];
	struct lt_tensors one = { .at = calloc(1, sizeof *one.at), .n = 1 };

	if (s->value[i] && *(const int64_t *)s->value[i]->data != extent && !(max && s->by[i] == EXTENT_GIVEN))
		model_bind_report(b, "%s: its extent is %lld, but '%s' is %lld by %s", from, (long long)extent, p->name,
			(long long)*(const int64_t *)s->value[i]->data, s->from[i]);
	if (s->from[i] || !one.at || lt__tensor_new(b->ctx, from, p->name, LT_I64, 0, NULL, one.at)) {
		if (!s->from[i])
			no_memory(b);
		free(one.at);
		return;
	}
	memcpy(one.at->data, &extent, sizeof extent);
	s->from[i] = from;
	s->by[i] = max ? EXTENT_MAX : EXTENT_SHAPE;
	s->value[i] = bind_keep(b, &one)->at;
}

/* Gives binding i a tensor of a file, of the most elements or fewer, and its extents. */
static void bind_extents(struct model_binder *b, struct model_slots *s, int32_t i, const struct lt_tensor *t,
	const char *from)
{
	const struct model_binding *p = &b->binding[s->kind].at[i];
	struct lt_tensors one = { .at = calloc(1, sizeof *one.at), .n = 1 };

	s->from[i] = from;
	if (!one.at || model_extents_spread(b->ctx, p, t, one.at)) {
		no_memory(b);
		free(one.at);
		return;
	}
	s->value[i] = bind_keep(b, &one)->at;
	s->own[i] = t;
	for (int32_t d = 0; d < p->rank; d++)
		if (p->extent_from[d] >= 0)
			bind_extent(b, s, p->extent_from[d], t->shape[d], t->shape[d] == p->shape[d], from);
}

/* Gives binding i its tensor, if it fits.  of_file: its shape says extents. */
static void bind_slot(struct model_binder *b, struct model_slots *s, int32_t i, const struct lt_tensor *t,
	const char *from,
	bool of_file)
{
	const struct model_binding *p = &b->binding[s->kind].at[i];
	const bool fits = model_binding_fits(p, t);

	if (p->bounded && of_file && !s->from[i] && p->dtype == t->dtype && model_extents_fit(p, t)) {
		bind_extents(b, s, i, t, from);
		return;
	}
	/* An extent that a tensor has may be given, too. */
	bool same = fits && s->value[i] && p->rank == 0 && p->dtype == LT_I64 && t->dtype == LT_I64
		&& *(const int64_t *)s->value[i]->data == *(const int64_t *)t->data && s->value[i]->dtype == LT_I64;
	if (same)
		return;
	/* Room for the most is not said to be filled. */
	if (s->by[i] == EXTENT_MAX && fits && p->dtype == t->dtype) {
		s->by[i] = EXTENT_GIVEN;
		s->from[i] = NULL;
	}
	if (s->from[i]) {
		model_bind_twice(b, s, i, from);
	} else if (!fits || p->dtype != t->dtype) {
		model_bind_unfit(b, p, t, from);
	} else {
		s->value[i] = t;
	}
	s->from[i] = from;
}

static void bind_spec(struct model_binder *b, struct model_slots *s, int32_t i, const char *spec, const char *from)
{
	const struct model_binding *p = &b->binding[s->kind].at[i];
	struct lt_tensors one = { 0 };

	if (b->names_only) {
		if (s->from[i])
			model_bind_twice(b, s, i, from);
		s->from[i] = from;
		return;
	}
	one = (struct lt_tensors){ .at = calloc(1, sizeof *one.at), .n = 1 };
	lt_status st = one.at ? model_spec_make(b->ctx, p, s->kind == LT_BINDING_INPUT
		? b->o->inputs_option : "--weights", spec, one.at) : LT_ENOMEM;
	if (st) {
		const char *says = one.at ? lt_context_message(b->ctx) : "out of memory";
		const size_t named = strlen(spec);      /* a file's sentences begin with its name, which `from` has */
		if (st == LT_ENOMEM)
			no_memory(b);
		model_bind_report(b, "%s: %s", from,
			!strncmp(says, spec, named) && !strncmp(says + named, ": ", 2) ? says + named + 2 : says);
		free(one.at);
		s->from[i] = from;
		return;
	}
	bind_slot(b, s, i, bind_keep(b, &one)->at, from, lt__tensorfile_kind(spec) != LT_FILE_OTHER);
}

/* NAME=SPEC; a name may itself hold '=', so every one is tried. */
static void bind_option(struct model_binder *b, struct model_slots *s, const char *option)
{
	char *name;

	for (const char *at = strchr(option, '='); at; at = strchr(at + 1, '=')) {
		int32_t i = model_binding_index(&b->binding[s->kind], option, (size_t)(at - option));

		if (i >= 0) {
			bind_spec(b, s, i, at + 1, option);
			return;
		}
	}
	if (!strncmp(option, "*=", 2))
		return;
	name = strndup(option, strcspn(option, "="));
	b->no_memory = b->no_memory || !name;
	if (!strchr(option, '='))
		model_bind_report(b, "'%s' is not NAME=SPEC, such as %s", option,
			lt__shell(lt__scratch(b->ctx, "%s=random", option)).text);
	else if (name)
		model_bind_unknown(b, s->kind, name, option);
	free(name);
}

/* Whether a tensor of a file is for a binding and fits it; missing: for one that is needed and has nothing yet. */
struct bind_reading { const struct model_binder *b; const struct model_slots *s; bool missing; };
static bool bind_wants(void *user, const struct lt_tensor *t)
{
	const struct bind_reading *r = user;
	const struct model_bindings *p = &r->b->binding[r->s->kind];
	const int32_t i = model_binding_index(p, t->name, strlen(t->name));

	return i >= 0 && model_binding_takes(&p->at[i], t) && (!r->missing || (p->at[i].needed && !r->s->from[i]));
}

static lt_status bind_read(struct model_binder *b, const struct model_slots *s, bool missing, const char *path,
	struct lt_tensors *out)
{
	struct bind_reading reading = { b, s, missing };
	const struct lt_wanted wanted = { bind_wants, &reading };

	return lt__tensors_read_wanted(b->ctx, path, &wanted, out);
}

static void bind_file(struct model_binder *b, struct model_slots *s, const char *path)
{
	struct lt_tensors file, *tensors;

	if (b->names_only)
		return;
	lt_status st = bind_read(b, s, false, path, &file);
	if (st) {
		if (st == LT_ENOMEM)
			no_memory(b);
		model_bind_report(b, "%s", lt_context_message(b->ctx));
		b->unread = true;
		return;
	}
	tensors = bind_keep(b, &file);
	for (int32_t i = 0; i < tensors->n; i++) {
		int32_t binding = model_binding_index(&b->binding[s->kind], tensors->at[i].name, strlen(tensors->at[i].name));

		if (binding >= 0)
			bind_slot(b, s, binding, &tensors->at[i], path, true);
		else
			model_bind_unknown(b, s->kind, tensors->at[i].name, path);
	}
}

static bool takes_others(const struct model_binder *b, const struct model_slots *s, const char *option)
{
	return !strncmp(option, "*=", 2) && model_binding_index(&b->binding[s->kind], "*", 1) < 0;
}

/* "*=SPEC" given a second time. */
static void check_others(struct model_binder *b, const struct model_slots *s, const struct lt_texts *options)
{
	const char *first = NULL;

	for (int32_t i = 0; i < options->n; i++) {
		if (first && takes_others(b, s, options->at[i]))
			model_bind_report(b, "%s: '*', every other %s, is given twice, here and by %s", options->at[i],
				model_binding_kind(s->kind), first);
		if (!first && takes_others(b, s, options->at[i]))
			first = options->at[i];
	}
}

/* The bindings that are needed and have nothing yet, from "*=SPEC". */
static void bind_others(struct model_binder *b, struct model_slots *s, const struct lt_texts *options)
{
	const char *others = NULL;

	for (int32_t i = 0; i < options->n; i++)
		if (takes_others(b, s, options->at[i]))
			others = options->at[i];
	for (int32_t i = 0; others && i < b->binding[s->kind].n; i++)
		if (!s->from[i] && b->binding[s->kind].at[i].needed)
			bind_spec(b, s, i, others + 2, others);
}

/* The constants whose content the graph has, unless another one is given. */
static void bind_contents(struct model_binder *b, struct model_slots *s)
{
	for (int32_t i = 0; i < b->binding[s->kind].n; i++) {
		const struct model_binding *p = &b->binding[s->kind].at[i];
		struct lt_tensors one = { .at = calloc(1, sizeof *one.at), .n = 1 };

		if (!p->content || s->from[i] || !one.at) {
			b->no_memory = b->no_memory || !one.at;
			free(one.at);
			continue;
		}
		s->from[i] = "the model";
		*one.at = (struct lt_tensor){ .dtype = p->dtype, .rank = p->rank,
			.shape = malloc((size_t)p->rank * sizeof(int64_t) + 1),
			.data = (void *)(uintptr_t)p->content, .borrowed = true };
		b->no_memory = b->no_memory || !one.at->shape || !lt__tensor_bytes(p->dtype, p->rank, p->shape, &one.at->bytes);
		if (one.at->shape)
			memcpy(one.at->shape, p->shape, (size_t)p->rank * sizeof(int64_t));
		s->value[i] = bind_keep(b, &one)->at;
	}
}

static int32_t count_missing(const struct model_binder *b, const struct model_slots *s)
{
	int32_t n = 0;

	for (int32_t i = 0; i < b->binding[s->kind].n; i++)
		n += model_bind_lacks(b, s, i);
	return n;
}

/* What is needed and not given, from the file beside the script; it may hold others. */
static void bind_beside(struct model_binder *b, struct model_slots *s)
{
	const struct model_bindings *p = &b->binding[s->kind];
	struct lt_tensors file;
	char *path;

	if (b->names_only || !count_missing(b, s))
		return;
	if (!model_weights_beside(b->o->script, &path)) {
		b->no_memory = true;
		return;
	}
	if (!path)
		return;
	lt_status st = bind_read(b, s, true, path, &file);
	if (st) {
		if (st == LT_ENOMEM)
			no_memory(b);
		model_bind_report(b, "%s", lt_context_message(b->ctx));
		b->unread = true;
		free(path);
		return;
	}
	struct lt_tensors *tensors = bind_keep(b, &file);
	b->beside = path;
	for (int32_t i = 0; i < tensors->n; i++) {
		int32_t binding = model_binding_index(p, tensors->at[i].name, strlen(tensors->at[i].name));

		if (binding >= 0 && p->at[binding].needed && !s->from[binding])
			bind_slot(b, s, binding, &tensors->at[i], path, true);
	}
	if (b->o->verbose)
		lt__say(stderr, "%s: weights that are not given are read from %s\n", b->o->tool, lt__shown(path).text);
}

/* What the user left out, where the backend says that any values do: random ones, told on standard error. */
static void bind_any(struct model_binder *b, struct model_slots *s)
{
	for (int32_t i = 0; i < b->binding[s->kind].n && !b->names_only; i++) {
		if (s->from[i] || !b->binding[s->kind].at[i].needed)
			continue;
		if (b->any < 0)
			b->any = b->o->any_values(b->o->user, b->backends);
		if (!b->any)
			return;
		bind_spec(b, s, i, "random", "random");
		if (!b->o->quiet)
			lt__say(stderr, "%s: the %s '%s' is not given and has random values, which do for this backend\n", b->o->tool,
				model_binding_kind(s->kind), lt__shown(b->binding[s->kind].at[i].name).text);
	}
}

static bool make_slots(struct model_binder *b, struct model_slots *s, enum lt_binding kind,
	const struct model_slots *base)
{
	size_t n = (size_t)b->binding[kind].n;

	s->kind = kind;
	s->value = calloc(n + 1, sizeof(struct lt_tensor *));
	s->from = calloc(n + 1, sizeof(char *));
	s->own = calloc(n + 1, sizeof *s->own);
	s->by = calloc(n + 1, sizeof *s->by);
	if (!s->value || !s->from || !s->own || !s->by) {
		b->no_memory = true;
		model_bind_report(b, "out of memory");
		return false;
	}
	for (size_t i = 0; base && i < n; i++) {
		s->value[i] = base->value[i];
		s->from[i] = base->from[i];
		s->own[i] = base->own[i];
		s->by[i] = base->by[i];
	}
	return true;
}

/* All but the values, which the caller has. */
static void free_slots(struct model_slots *s)
{
	free(s->from);
	free(s->own);
	free(s->by);
}

/* Extents that are sums of others have to be these. */
static void check_sums(struct model_binder *b, const struct model_slots *s)
{
	const struct model_binding *p = b->binding[s->kind].at;
	int64_t want;

	for (int32_t i = 0; i < b->binding[s->kind].n; i++) {
		int32_t d = s->own[i] ? model_extents_check(&p[i], s->own[i], s->value, &want) : -1;

		if (d >= 0)
			model_bind_report(b, "%s: axis %d of '%s' has %lld elements, but by the other inputs it has %lld", s->from[i], d,
				p[i].name, (long long)s->own[i]->shape[d], (long long)want);
	}
}

/* Constants, then the inputs of every evaluation; says what is missing of the constants and of the first
 * evaluation that lacks something, in one go. */
static void bind_all(struct model_binder *b, struct model_slots *constant, struct model_slots *common)
{
	struct model_slots s = { 0 };
	const char *file = NULL;
	int32_t n = 0, n_eval = b->o->inputs->n > 0 ? b->o->inputs->n : 1;

	check_others(b, constant, b->o->constant);
	check_others(b, common, b->o->input);
	for (int32_t i = 0; i < b->o->constant->n; i++)
		bind_option(b, constant, b->o->constant->at[i]);
	for (int32_t i = 0; i < b->o->weights->n; i++)
		bind_file(b, constant, b->o->weights->at[i]);
	bind_contents(b, constant);
	bind_beside(b, constant);
	bind_others(b, constant, b->o->constant);
	bind_any(b, constant);
	for (int32_t i = 0; i < b->o->input->n; i++)
		bind_option(b, common, b->o->input->at[i]);
	for (int32_t e = 0; e < n_eval && n == 0; e++) {
		free_slots(&s);
		if (!make_slots(b, &s, LT_BINDING_INPUT, common))
			break;
		b->given->input[b->given->n_input++].value = s.value;
		file = b->o->inputs->n > 0 ? b->o->inputs->at[e] : NULL;
		if (file)
			bind_file(b, &s, file);
		bind_others(b, &s, b->o->input);
		if (s.from)
			bind_any(b, &s);
		n = s.from ? count_missing(b, &s) : 0;
		if (s.from && !n)
			check_sums(b, &s);
	}
	n += count_missing(b, constant);
	if (n > 0 && s.from && !b->names_only && !b->unread) {
		model_bind_begin(b);
		fprintf(b->text, "%s needs %d tensor%s not given%s%s:", lt__shown(b->o->script).text, n,
			n == 1 ? " that is" : "s that are", file ? ", with the inputs of " : "",
			file ? lt__shown(file).text : "");
		model_bind_missing(b, &s, "-i");
		model_bind_missing(b, constant, "-c");
		model_bind_copied(b, constant);
		fprintf(b->text, "\n  (a value, zeros, ones, iota or random[:SEED] may stand for FILE.npy; %s and --weights take "
			"all at once from a .npz or .safetensors)", b->o->inputs_option);
	}
	free_slots(&s);
}

lt_status model_bind(struct lt_context *ctx, const struct model_options *o, const char *backends, struct model *m)
{
	const struct model_bindings *binding = m->binding;
	struct model_given *out = &m->given;
	struct model_binder b = { .ctx = ctx,
		.o = o,
		.binding = binding,
		.given = out,
		.names_only = o->names_only,
		.backends = backends,
		.any = backends && o->any_values ? -1 : 0 };
	struct model_slots constant = { 0 }, common = { 0 };
	char *text = NULL;
	size_t bytes = 0;
	size_t n_eval = (size_t)o->inputs->n + 1;
	size_t n_file = (size_t)(2 * binding[LT_BINDING_INPUT].n * (int64_t)n_eval + binding[LT_BINDING_CONSTANT].n
		+ 2 * o->input->n + o->constant->n + o->inputs->n + o->weights->n + 2);

	memset(out, 0, sizeof *out);
	out->file = calloc(n_file, sizeof *out->file);
	out->input = calloc(n_eval, sizeof *out->input);
	b.text = open_memstream(&text, &bytes);
	if (!out->file || !out->input || !b.text) {
		if (b.text)
			fclose(b.text);
		free(text);
		return lt_fail(ctx, LT_ENOMEM, "out of memory");
	}
	if (make_slots(&b, &constant, LT_BINDING_CONSTANT, NULL) && make_slots(&b, &common, LT_BINDING_INPUT, NULL))
		bind_all(&b, &constant, &common);
	out->constant.value = constant.value;
	free(b.beside);
	free_slots(&constant);
	free(common.value);
	free_slots(&common);
	if (b.n_problem > MODEL_BIND_REPORTS)
		fprintf(b.text, "\n%s: ... and %d more like these", o->tool, b.n_problem - MODEL_BIND_REPORTS);
	fclose(b.text);
	/* What does not fit may be so for that alone. */
	lt_status st = b.no_memory ? lt_fail(ctx, LT_ENOMEM, "%-s", *b.what ? b.what : "out of memory")
		: b.begun          ? lt_fail(ctx, LT_EINVAL, "%-s", text)
				   : LT_OK;
	free(text);
	return st;
}
