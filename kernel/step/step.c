/* step.c -- the table of steps, and what runs it (step.h). */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "kernel/lower/lower.h"
#include "kernel/step/step.h"

/* Programs that a step is for; LANES: without grids. */
enum step_where { STEP_EVERYWHERE, STEP_LANES, STEP_GRIDS };
/* The first makes the program of the tree: lt__lower_kernel. */
static const struct { struct lt_kernel_step step; lt_step_run *run; enum step_where where; } steps[] = {
	{ { 'L', "lower", "loops have modes, buffers have spaces, statements are instructions", "a tree of loops and "
		"operators that are known", "what the tree means", "nothing" }, NULL, STEP_EVERYWHERE },
	{ { 'C', "constants", "arithmetic of constant integers and masks is done; an `if` that always runs one block is that "
		"block", "nothing", "the order of all that runs", "values and blocks may be unused" },
		lt__step_constants, STEP_EVERYWHERE },
	{ { 'G', "guards", "in a grid, branches beside each other with the same condition are one", "nothing",
		"the order of all that runs, but for integers that are computed earlier", "nothing" }, lt__step_guards, STEP_GRIDS },
	{ { 'V', "variables", "arrays that are reached only at constant places are variables", "constant addresses are "
		"constants", "the order of all that is computed", "arrays of which an element has one width" },
		lt__step_variables, STEP_EVERYWHERE },
	{ { 'F', "forward", "what a variable was given is used in place of getting it, within a block", "nothing", "the order "
		"of all that runs", "variables may be unused" }, lt__step_forward, STEP_EVERYWHERE },
	{ { 'T', "tiles", "square tiles that are read across are loaded row by row and transposed in registers", "nothing",
		"the order of stores; loads move up to the first of a tile", "nothing" }, lt__step_tiles, STEP_LANES },
	{ { 'A', "apart", "lanes two elements apart are chosen from two loads of elements side by side", "nothing",
		"the order of all that runs", "nothing" }, lt__step_apart, STEP_LANES },
	{ { 'W', "wide", "in a grid, loads and stores of elements side by side are one of up to 16 bytes", "nothing",
		"the order of accesses that may meet; others move to the first load or the last store", "nothing" },
		lt__step_wide, STEP_GRIDS },
	{ { 'P', "prefetches", "loads of runs that are far apart ask for the next run, a part at a time where a run "
		"is read often; what is copied next is asked for where the copy is read; long iterations ask for lines ahead",
		"nothing", "the order of all that runs",
		"nothing" }, lt__step_prefetches, STEP_LANES },
	{ { 'S', "streams", "stores go past the caches only where the machine has such stores and nothing else here "
		"needs them",
		"stores are marked whose values are not read again soon", "the order of all that runs", "nothing" },
		lt__step_streams, STEP_LANES },
	{ { 'M', "motion", "divisions and splats that a loop does not change are computed in front of it", "nothing",
		"the order of loads, stores and changes of variables", "nothing" }, lt__step_motion, STEP_EVERYWHERE },
	{ { 'U', "unused", "values, variables and memory that nothing uses are removed, and empty blocks", "nothing",
		"the order of all that runs", "nothing" }, lt__step_unused, STEP_EVERYWHERE },
};
enum { N_STEP = sizeof steps / sizeof *steps };

const struct lt_kernel_step *lt_kernel_step_at(uint32_t i) { return i < N_STEP ? &steps[i].step : NULL; }

static bool step_is(char letter)
{
	for (int i = 0; i < N_STEP; i++)
		if (steps[i].step.letter == letter)
			return true;
	return false;
}

static lt_status refuse_letter(char letter, struct lt_diag *diag)
{
	char list[N_STEP * 40] = "";
	size_t n = 0;
	for (int i = 0; i < N_STEP; i++)
		n += (size_t)snprintf(list + n, sizeof list - n, "%s%c (%s)", i ? ", " : "", steps[i].step.letter,
			steps[i].step.name);
	return lt__report(diag, LT_EINVAL, -1, -1, "take letters of these",
		"kernel programs have no step '%c'; the steps are %s",
		letter >= ' ' && letter <= '~' ? letter : '?', list);
}

static lt_status refuse_options(const struct lt_kernel_options *o, struct lt_diag *diag)
{
	if (o->last && !step_is(o->last))
		return refuse_letter(o->last, diag);
	for (const char *c = o->skip ? o->skip : ""; *c; c++) {
		if (!step_is(*c))
			return refuse_letter(*c, diag);
		if (*c == steps[0].step.letter)
			return lt__report(diag, LT_EINVAL, -1, -1, "take the letter out of `skip`",
				"step '%c' (%s) cannot be left out: it makes the program", *c, steps[0].step.name);
	}
	return LT_OK;
}

/* What the verifier says of a program that a step has made. */
struct step_diag { struct lt_diag diag; char text[1024]; };
static void step_keep(struct lt_diag *d, const struct lt_diagnostic *x)
{
	struct step_diag *s = (struct step_diag *)(void *)d;
	(void)snprintf(s->text, sizeof s->text, "%s", x->text);
}

static lt_status check_step(const struct lt_kernel *k, const struct lt_kernel_step *step, struct lt_diag *diag)
{
	struct step_diag said = { { sizeof said.diag, step_keep }, "" };
	lt_status status = lt_kernel_verify(k, &said.diag);
	if (!status || status == LT_ENOMEM)
		return status ? lt__report(diag, status, -1, -1, NULL, "out of memory") : LT_OK;
	return lt__report(diag, status, -1, -1, "leave that step out; this is a mistake of the library, please report it",
		"step '%c' (%s) broke a rule: %s", step->letter, step->name, said.text);
}

/* A program of the caller's own, where no step had anything to do. */
static bool step_copy(struct lt_stepping *s)
{
	lt__rewrite_all(s);
	return true;
}

/* The program after a step, NULL: it has nothing to do. */
static lt_status make_step(lt_step_run *run, char letter, const struct lt_kernel *k, const struct lt_machine *m,
	const struct lt_kernel_options *o, struct lt_kernel **out)
{
	struct lt_stepping *s = calloc(1, sizeof *s);
	*out = NULL;
	if (!s)
		return LT_ENOMEM;
	if (setjmp(s->b.pool.jump)) {
		lt__builder_free(&s->b);
		free(s);
		return LT_ENOMEM;
	}
	s->k = k;
	s->machine = m;
	s->report = o->report;
	s->letter = letter;
	if (run(s)) {
		lt__build_written(&s->b);
		*out = lt__builder_end(&s->b);
	}
	lt__builder_free(&s->b);
	free(s);
	return LT_OK;
}

static bool has_grids(const struct lt_kernel *k)
{
	for (uint32_t r = 0; r < k->n_region; r++)
		if (k->regions[r].kind == LT_REGION_GRID)
			return true;
	return false;
}

/* All steps after the first.  `made`, if any, is k, and becomes *out or is freed. */
static lt_status make_steps(const struct lt_kernel *k, struct lt_kernel *made, const struct lt_machine *m,
	const struct lt_kernel_options *o, struct lt_kernel **out, struct lt_diag *diag)
{
	const enum step_where other = has_grids(k) ? STEP_LANES : STEP_GRIDS;
	lt_status status = LT_OK;
	for (int i = 1; i < N_STEP && !status && (!o->last || steps[i - 1].step.letter != o->last); i++) {
		struct lt_kernel *next;
		if (steps[i].where == other || (o->skip && strchr(o->skip, steps[i].step.letter)))
			continue;
		status = make_step(steps[i].run, steps[i].step.letter, k, m, o, &next);
		if (status)
			status = lt__report(diag, status, -1, -1, NULL, "out of memory");
		if (!next)
			continue;
		lt_kernel_free(made);
		k = made = next;
		if (o->verify)
			status = check_step(k, &steps[i].step, diag);
	}
	if (!status && !made && make_step(step_copy, '\0', k, m, o, &made))
		status = lt__report(diag, LT_ENOMEM, -1, -1, NULL, "out of memory");
	if (status) {
		lt_kernel_free(made);
		made = NULL;
	}
	*out = made;
	return status;
}

static const struct lt_kernel_options all_steps;

lt_status lt_kernel_optimize(const struct lt_kernel *k, const struct lt_machine *m, const struct lt_kernel_options *o,
	struct lt_kernel **out, struct lt_diag *diag)
{
	*out = NULL;
	o = o ? o : &all_steps;
	lt_status status = refuse_options(o, diag);
	return status ? status : make_steps(k, NULL, m, o, out, diag);
}

lt_status lt_kernel_new(const struct lt_tree *t, const struct lt_machine *m, const struct lt_kernel_options *o,
	struct lt_kernel **out, struct lt_diag *diag)
{
	struct lt_kernel *made = NULL;
	*out = NULL;
	o = o ? o : &all_steps;
	lt_status status = refuse_options(o, diag);
	status = status ? status : lt__lower_kernel(t, m, o->report, &made, diag);
	if (!status && o->verify)
		status = check_step(made, &steps[0].step, diag);
	if (status) {
		lt_kernel_free(made);
		return status;
	}
	return make_steps(made, made, m, o, out, diag);
}
