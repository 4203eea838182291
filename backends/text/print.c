/* print.c -- the whole text: definitions, a function for each team, the kernel's own, and its entry.
 *
 *   NAME_1(buffers, params, arguments, first, last)    a team's points first .. last-1.  A function of its own, because
 *                                                      a pointer keeps its `restrict` only as a parameter.
 *   NAME_1_team(arg, first, last, thread)              what the host calls, on any thread: takes struct NAME_1_args
 *                                                      apart
 *   NAME(buffers ...)                                  region 0
 *   NAME_entry(slot, workspace, fault, team)           makes these of what a caller has; in a text for people with
 *                                                      LT_ENTRY before it, which they may define as `static`
 */
#include <stdlib.h>
#include <string.h>
#include "backends/text/part.h"
#include "kernel/form/form.h"

/* "const float *" or with restrict; to be followed by a name. */
static const char *pointer_type(struct text *t, uint32_t b, bool parameter)
{
	const struct lt_kernel_buffer *x = &t->k->buffers[b];
	const bool place = t->d->places && x->space == LT_SPACE_SLOT && !x->written;
	return lt__text_formatted(t, "%s%s%s *%s", x->written ? "" : "const ",
		place ? lt__text_formatted(t, "%s_slot%d ", t->k->name, (int)x->slot) : "", lt__text_element(x->dtype)->type,
		parameter && x->exclusive ? "restrict " : "");
}

static bool is_pointer(const struct text *t, const struct text_region *u, uint32_t b)
{
	return u->buffer[b] && t->k->buffers[b].space != LT_SPACE_ARRAY;
}

/* Behind what stands there already. */
static void separate(struct lt_out *o) { lt__out(o, o->n && o->at[o->n - 1] != '(' ? ", " : ""); }

static const char *argument_type(struct text *t, int32_t region, int32_t number)
{
	int32_t i = t->uses[region].argument[number];
	const struct lt_instruction *x = text_at(t, i);
	return lt__text_type(t, (struct lt_value_type){ x->dtype, x->lanes }, t->value[i].expr.mask_bits);
}

/* Members of a team's struct, parameters of its function, and the members as they are passed on. */
struct text_pass { struct lt_out member, parameter, argument; };

static void pass_one(struct text_pass *p, const char *type, const char *name)
{
	lt__outf(&p->member, " %s%s;", type, name);
	separate(&p->parameter);
	lt__outf(&p->parameter, "%s%s", type, name);
	separate(&p->argument);
	lt__outf(&p->argument, "a->%s", name);
}

static void pass_buffer(struct text *t, struct text_pass *p, uint32_t b)
{
	const struct lt_kernel_buffer *x = &t->k->buffers[b];
	separate(&p->parameter);
	lt__outf(&p->parameter, "%s%s", pointer_type(t, b, true), t->buffer[b]);
	separate(&p->argument);
	if (x->space == LT_SPACE_THREAD) {
		lt__outf(&p->argument, "(void *)(own + %lld)", (long long)x->offset);
		return;
	}
	lt__outf(&p->member, " %s%s;", pointer_type(t, b, false), t->buffer[b]);
	lt__outf(&p->argument, "a->%s", t->buffer[b]);
}

static struct text_pass pass_all(struct text *t, int32_t region)
{
	const struct text_region *u = &t->uses[region];
	struct text_pass p = { lt__out_new(&t->pool), lt__out_new(&t->pool), lt__out_new(&t->pool) };
	for (uint32_t b = 0; b < t->k->n_buffer; b++)
		if (is_pointer(t, u, b))
			pass_buffer(t, &p, b);
	for (uint32_t i = 0; i < t->k->n_param; i++)
		if (u->param[i])
			pass_one(&p, "int64_t ", t->param[i]);
	for (int32_t i = 0; i < t->k->regions[region].n_argument; i++)
		if (u->argument[i])
			pass_one(&p, lt__text_formatted(t, "%s ", argument_type(t, region, i)), lt__text_formatted(t, "a%d", (int)i));
	if (u->fault)
		pass_one(&p, "struct lt_kernel_fault *", "fault");
	return p;
}

static bool is_used(const struct text *t, const struct lt_region *r, uint32_t opcode)
{
	for (int32_t i = r->first; i < r->first + r->n; i++)
		if (text_at(t, i)->opcode == opcode && t->value[i].live)
			return true;
	return false;
}

static void print_team(struct text *t, int32_t region)
{
	struct lt_out *o = &t->functions;
	const char *name = lt__text_formatted(t, "%s_%d", t->function, (int)region);
	const struct lt_region *r = &t->k->regions[region];
	bool own = t->uses[region].own;
	lt__text_walk(t, region);
	struct text_pass p = pass_all(t, region);
	if (own)
		lt__out(&p.member, " char *private_;");
	if (p.member.n)
		lt__outf(o, "struct %s_args {%s };\n\n", name, p.member.at);
	separate(&p.parameter);
	separate(&p.argument);
	lt__outf(o, "%svoid %s(%sint64_t first, int64_t last)\n{\n%s%s%s}\n\n", t->d->function, name, p.parameter.at,
		is_used(t, r, LT_OPCODE_first) ? "" : "\t(void)first;\n", is_used(t, r, LT_OPCODE_last) ? "" : "\t(void)last;\n",
		t->body.at);
	lt__outf(o, "static void %s_team(void *arg, int64_t first, int64_t last, uint32_t thread)\n{\n", name);
	lt__out(o, p.member.n ? "" : "\t(void)arg;\n");
	if (p.member.n)
		lt__outf(o, "\tconst struct %s_args *const a = arg;\n", name);
	lt__out(o, own ? "" : "\t(void)thread;\n");
	if (own)
		lt__outf(o, "\tchar *const own = a->private_ + %lld * (int64_t)thread;\n", (long long)t->k->thread_bytes);
	lt__outf(o, "\t%s(%sfirst, last);\n}\n\n", name, p.argument.at);
}

/* The buffer that a slot is; -1: nothing uses the slot. */
static int32_t buffer_of_slot(const struct text *t, int32_t slot)
{
	for (uint32_t b = 0; b < t->k->n_buffer; b++)
		if (t->k->buffers[b].space == LT_SPACE_SLOT && t->k->buffers[b].slot == slot)
			return (int32_t)b;
	return -1;
}

/* Parameters by slot, so that a caller need not know what the kernel uses. */
static void print_bare(struct text *t)
{
	const struct text_region *u = &t->uses[0];
	struct lt_out *o = &t->functions, list = lt__out_new(&t->pool), begin = lt__out_new(&t->pool);
	int32_t n_slot = 0;
	lt__text_walk(t, 0);
	for (uint32_t b = 0; b < t->k->n_buffer; b++)
		if (t->k->buffers[b].space == LT_SPACE_SLOT && t->k->buffers[b].slot >= n_slot)
			n_slot = t->k->buffers[b].slot + 1;
	for (int32_t slot = 0; slot < n_slot; slot++) {
		const int32_t b = buffer_of_slot(t, slot);
		const char *name = b >= 0 && u->buffer[b] ? t->buffer[b] : lt__text_formatted(t, "unused%d", (int)slot);
		separate(&list);
		lt__outf(&list, "%s%s", b >= 0 ? pointer_type(t, (uint32_t)b, true) : "const void *", name);
		if (b < 0 || !u->buffer[b])
			lt__outf(&begin, "\t(void)%s;\n", name);
	}
	for (uint32_t b = 0; b < t->k->n_buffer; b++)
		if (is_pointer(t, u, b) && t->k->buffers[b].space != LT_SPACE_SLOT)
			lt__outf(&begin, "\t%s%s = (void *)((char *)scratch + %lld);\n", pointer_type(t, b, true), t->buffer[b],
				(long long)t->k->buffers[b].offset);
	if (t->k->workspace_bytes) {
		separate(&list);
		lt__out(&list, "void *scratch");
	}
	if (u->fault) {
		separate(&list);
		lt__out(&list, "uint8_t *fault");
	}
	lt__outf(o, "%svoid %s(%s)\n{\n%s", t->d->function, t->function, list.n ? list.at : "void", begin.at);
	for (uint32_t i = 0; i < t->k->n_param; i++)
		if (u->param[i])
			lt__outf(o, "\tconst int64_t %s = %s[%lld];\n", t->param[i], t->buffer[t->k->params[i].buffer],
				(long long)t->k->params[i].element);
	lt__outf(o, "%s}\n", t->body.at);
}

static void print_host(struct text *t)
{
	const struct text_region *u = &t->uses[0];
	struct lt_out *o = &t->functions, list = lt__out_new(&t->pool);
	lt__text_walk(t, 0);
	for (uint32_t b = 0; b < t->k->n_buffer; b++)
		if (is_pointer(t, u, b) && t->k->buffers[b].space != LT_SPACE_THREAD) {
			separate(&list);
			lt__outf(&list, "%s%s", pointer_type(t, b, true), t->buffer[b]);
		}
	lt__out(&list, u->fault ? list.n ? ", struct lt_kernel_fault *fault" : "struct lt_kernel_fault *fault" : "");
	lt__out(&list, u->own ? list.n ? ", char *private_" : "char *private_" : "");
	if (t->k->n_region > 1) {
		separate(&list);
		lt__out(&list, "const struct lt_team *team");
	}
	lt__outf(o, "%svoid %s(%s)\n{\n", t->d->function, t->function, list.n ? list.at : "void");
	for (uint32_t i = 0; i < t->k->n_param; i++)
		if (u->param[i])
			lt__outf(o, "\tconst int64_t %s = %s[%lld];\n", t->param[i], t->buffer[t->k->params[i].buffer],
				(long long)t->k->params[i].element);
	lt__outf(o, "%s}\n\n", t->body.at);
}

const char lt__text_slot_at[] = "static inline void *lt_slot_at(const struct lt_slot *slot, int i)\n{\n"
	"\treturn (char *)slot[i].base + slot[i].offset;\n}\n";
const char lt__text_parameters[] = "(const struct lt_slot *slot, void *workspace, struct lt_kernel_fault *fault, "
	"const struct lt_team *team)";

static void print_entry(struct text *t)
{
	const struct text_region *u = &t->uses[0];
	struct lt_out *o = &t->functions, list = lt__out_new(&t->pool);
	bool slots = false, workspace = u->own, teams = t->k->n_region > 1;
	for (uint32_t b = 0; b < t->k->n_buffer; b++) {
		const struct lt_kernel_buffer *x = &t->k->buffers[b];
		if (!is_pointer(t, u, b) || x->space == LT_SPACE_THREAD)
			continue;
		separate(&list);
		slots = slots || x->space == LT_SPACE_SLOT;
		workspace = workspace || x->space == LT_SPACE_WORKSPACE;
		if (x->space == LT_SPACE_SLOT)
			lt__outf(&list, "lt_slot_at(slot, %d)", (int)x->slot);
		else
			lt__outf(&list, "(void *)((char *)workspace + %lld)", (long long)x->offset);
	}
	if (u->fault) {
		separate(&list);
		lt__out(&list, "fault");
	}
	if (u->own) {
		separate(&list);
		lt__outf(&list, "(char *)workspace + %lld", (long long)t->k->workspace_bytes);
	}
	if (teams) {
		separate(&list);
		lt__out(&list, "team");
	}
	if (slots)
		lt__text_define(t, "lt_slot_at", lt__text_slot_at);
	const char *const parameters = lt__text_parameters;
	const char *const linkage = t->origins ? "LT_ENTRY " : "";
	lt__outf(o, "%svoid %s%s;\n%svoid %s%s\n{\n%s%s%s%s\t%s(%s);\n}\n", linkage, t->entry, parameters, linkage, t->entry,
		parameters, slots ? "" : "\t(void)slot;\n", workspace ? "" : "\t(void)workspace;\n", u->fault ? "" :
			"\t(void)fault;\n",
		teams ? "" : "\t(void)team;\n", t->function, list.at);
}

/* gcc up to 12.3, and 13 up to 13.2, vectorises reads under a condition wrongly (its bug 114375: lanes of a masked load
 * change places), so there such loops stay scalar. */
#define NO_MASKED_LOADS(where) \
	"#if defined(__GNUC__) && !defined(__clang__) && (__GNUC__ < 12 || (__GNUC__ == 12 && __GNUC_MINOR__ < 4) \\\n" \
	"\t|| (__GNUC__ == 13 && __GNUC_MINOR__ < 3))" where "\n#pragma GCC optimize(\"no-tree-loop-if-convert\")\n#endif\n"
/* gcc 12 up to 12.2 loses lanes of sums side by side that are added as unsigned numbers and kept as signed ones (its
 * bug 107212), so there loops of these stay scalar. */
#define NO_SPLIT_SUMS(where) \
	"#if defined(__GNUC__) && !defined(__clang__) && __GNUC__ == 12 && __GNUC_MINOR__ < 3" where "\n" \
	"#pragma GCC optimize(\"no-tree-loop-vectorize\")\n#endif\n"
/* Microcontrollers without vectors keep the options that they are given. */
#define HAS_VECTORS " \\\n\t&& (__ARM_ARCH_PROFILE != 'M' || defined(__ARM_FEATURE_MVE))"

#define INTEGER(name, of) "typedef __" of "_TYPE__ " name ";\n"
static const char integers[] = INTEGER("int8_t", "INT8") INTEGER("int16_t", "INT16") INTEGER("int32_t", "INT32")
	INTEGER("int64_t", "INT64") INTEGER("uint8_t", "UINT8") INTEGER("uint16_t", "UINT16") INTEGER("uint32_t", "UINT32")
	INTEGER("uint64_t", "UINT64") INTEGER("uintptr_t", "UINTPTR");

static const char types[] =
	"struct lt_slot { void *base; int64_t offset, bytes; };\n"
	"struct lt_kernel_fault { int64_t n; int32_t stmt, access; int64_t value; };\n";
static const char entry_linkage[] = "#ifndef LT_ENTRY\n#define LT_ENTRY\n#endif\n";
static const char team_type[] = "struct lt_host;\n"
	"struct lt_team {\n\tvoid (*parallel_for)(const struct lt_host *, uint32_t n_thread, int64_t n,\n"
	"\t\tvoid (*body)(void *arg, int64_t first, int64_t last, uint32_t thread), void *arg);\n"
	"\tconst struct lt_host *host;\n\tuint32_t n_thread;\n};\n";

void lt__text_head(struct lt_out *o, const struct lt_text_dialect *d, const struct text_head *h)
{
	if (h->headers) {
		lt__out(o, h->math ? "#include <math.h>\n" : "");
		lt__out(o, "#include <stdint.h>\n");
	} else {
		lt__out(o, integers);
	}
	if (h->branches)
		lt__out(o, d->bare ? NO_MASKED_LOADS(HAS_VECTORS) : NO_MASKED_LOADS(""));
	if (h->splits)
		lt__out(o, d->bare ? NO_SPLIT_SUMS(HAS_VECTORS) : NO_SPLIT_SUMS(""));
	lt__out(o, d->head);
	if (d->bare)
		return;
	lt__out(o, h->named ? entry_linkage : "");
	lt__out(o, types);
	lt__out(o, h->teams || h->named ? team_type : "struct lt_team;\n");      /* people may add threads */
}

static size_t print_all(struct text *t, const char *entry, struct lt_out *o)
{
	t->helpers = lt__out_new(&t->pool);
	t->functions = lt__out_new(&t->pool);
	t->entry = entry ? entry : lt__text_formatted(t, "%s_entry", t->k->name);
	lt__text_names(t);
	lt__text_live(t);
	if (t->d->bare)
		lt__text_narrow(t);
	t->at = -1;
	int32_t n_origin = 0;
	for (uint32_t i = 0; t->origins && i < t->k->n_instruction; i++)
		n_origin = t->k->instructions[i].origin >= n_origin ? t->k->instructions[i].origin + 1 : n_origin;
	t->commented = lt__pool_alloc(&t->pool, (size_t)n_origin, sizeof *t->commented);
	for (int32_t r = 1; r < (int32_t)t->k->n_region; r++)
		print_team(t, r);
	if (t->d->bare) {
		print_bare(t);
	} else {
		print_host(t);
		print_entry(t);
	}
	bool prelude = t->k->n_op && t->k->prelude && t->k->prelude[0];
	lt__text_head(o, t->d, &(struct text_head){ .math = t->math || prelude, .headers = t->d->headers || prelude,
		.branches = t->branches, .splits = t->splits, .named = t->origins, .teams = t->k->n_region > 1 });
	if (prelude)
		lt__outf(o, "%s\n", t->k->prelude);
	lt__out(o, t->helpers.at);
	size_t definitions = o->n;
	lt__outf(o, "\n%s", t->functions.at);
	return definitions;
}

lt_status lt__text_print(const struct lt_text_dialect *d, const struct lt_kernel *k, const char *entry,
	const struct lt_text_origins *origins, char **text, size_t *definitions, struct lt_diag *diag)
{
	*text = NULL;
	*definitions = 0;
	lt_status status = lt__text_accepts(d, k, diag);
	if (status)
		return status;
	struct text *t = calloc(1, sizeof *t);
	if (t && setjmp(t->pool.jump) == 0) {
		t->k = k;
		t->d = d;
		t->origins = origins;
		struct lt_out o = lt__out_new(&t->pool);
		*definitions = print_all(t, entry, &o);
		*text = malloc(o.n + 1);
		if (*text)
			memcpy(*text, o.at, o.n + 1);
	}
	if (t)
		lt__pool_free(&t->pool);
	free(t);
	return *text ? LT_OK : lt__report(diag, LT_ENOMEM, -1, -1, NULL, "out of memory");
}
