/* The function of an exported program: kernels, then what it is given, checked, and the steps of a run in order. */
#include "program/export/export.h"

static bool has_launches(const struct lt_export *x)
{
	for (int32_t i = 0; i < x->p->plan.n_run; i++)
		if (x->p->plan.run[i].kind == LT_STEP_RUN)
			return true;
	return false;
}

static void function_begin(const struct lt_export *x, struct lt_text *t)
{
	lt__text_format(t, "/* %s", x->o.about);
	if (x->o.flags)
		lt__text_format(t, "\n * Flags: %s -lm\n", x->o.flags);
	lt__text_format(t, " */\n#include \"%s\"\n#include <string.h>\n\n#define LT_ENTRY static\n\n", x->o.header);
}

static void function_host(const struct lt_export *x, struct lt_text *t)
{
	if (has_launches(x))
		lt__text_format(t, "/* The caller's threads, or none. */\n"
			"struct lt_host {\n\tvoid (*parallel_for)(void *user, uint32_t n_thread, int64_t n,\n"
			"\t\tvoid (*body)(void *arg, int64_t first, int64_t last, uint32_t thread), void *arg);\n\tvoid *user;\n};\n\n"
			"static void %s_share(const struct lt_host *host, uint32_t n_thread, int64_t n,\n"
			"\tvoid (*body)(void *arg, int64_t first, int64_t last, uint32_t thread), void *arg)\n{\n"
			"\tif (host->parallel_for && n_thread > 1 && n > 1)\n"
			"\t\thost->parallel_for(host->user, n_thread, n, body, arg);\n"
			"\telse if (n > 0)\n\t\tbody(arg, 0, n, 0);\n}\n\n", x->o.name);
	lt__text_format(t, "static int %s_fail(struct %s_args *a, int code, const char *message, int64_t value)\n{\n"
		"\ta->message = message;\n\ta->value = value;\n\treturn code;\n}\n\n", x->o.name, x->o.name);
}

/* Static memory at an alignment: C99 has none that may be asked for, and its text needs none but the elements'. */
static void static_memory(const struct lt_export *x, struct lt_text *t, const char *name, int64_t bytes)
{
	if (x->o.strict)
		lt__text_format(t, "static union { double f; int64_t i; char at[%lld]; } %s;\n", (long long)bytes, name);
	else
		lt__text_format(t, "static union { double f; int64_t i; char at[%lld]; } %s __attribute__((aligned(%d)));\n",
			(long long)bytes, name, (int)LT_EXPORT_ALIGN);
}

static void function_memory(const struct lt_export *x, struct lt_text *t)
{
	const struct lt_export_workspace w = lt__export_workspace(x);
	if (!x->o.static_workspace)
		return;
	if (w.all)
		static_memory(x, t, lt__arena_format(x->a, "%s_memory", x->o.name), w.all);
	for (int32_t i = 0; i < x->p->bindings[LT_BINDING_STATE].n; i++)
		if (x->member[LT_BINDING_STATE][i].name)
			static_memory(x, t, lt__arena_format(x->a, "%s_state%d", x->o.name, (int)i),
				(int64_t)x->member[LT_BINDING_STATE][i].def->bytes + 1);
	if (w.all || x->p->bindings[LT_BINDING_STATE].n)
		lt__text_add(t, "\n", 1);
}

static void function_locals(const struct lt_export *x, struct lt_text *t)
{
	const struct lt_export_workspace w = lt__export_workspace(x);
	const char *name = x->o.name;
	const int align = x->o.strict ? 8 : (int)LT_EXPORT_ALIGN;
	if (has_launches(x))
		lt__text_format(t, "\tstruct lt_kernel_fault fault = { 0, -1, -1, 0 };\n"
			"\tconst struct lt_host host = { a->parallel_for, a->user };\n"
			"\tconst struct lt_team team = { %s_share, &host, %s };\n", name, x->p->options.n_thread == 1 ? "1"
			: lt__arena_format(x->a, "a->n_thread && a->n_thread < %s_THREADS ? a->n_thread : %s_THREADS", x->upper, x->upper));
	if (w.all) {
		lt__text_format(t, "\tchar *const workspace = a->workspace\n"
			"\t\t? (char *)a->workspace + (%d - (uintptr_t)a->workspace %% %d) %% %d : %s;\n", align, align, align,
			x->o.static_workspace ? lt__arena_format(x->a, "%s_memory.at", name) : "NULL");
		if (w.scratch)
			lt__text_format(t, "\tchar *const scratch = workspace ? workspace + %lld : NULL;\n", (long long)w.plan);
	}
	for (int32_t i = 0; i < x->p->bindings[LT_BINDING_STATE].n; i++) {
		const struct lt_export_member *m = &x->member[LT_BINDING_STATE][i];
		const char *type = lt__dtype_info(m->def->dtype)->ctype;
		if (!m->name)
			continue;
		lt__text_format(t, "\t%s *const state%d = a->%s", type, (int)i, m->name);
		if (x->o.static_workspace)
			lt__text_format(t, " ? a->%s : (%s *)(void *)%s_state%d.at", m->name, type, name, (int)i);
		lt__text_format(t, ";\n");
	}
	if (x->p->tree->graph->n_param)
		lt__text_format(t, "\tint64_t param[%d];\n", (int)x->p->tree->graph->n_param);
	else if (x->blocks)
		lt__text_format(t, "\tconst int64_t *const param = NULL;\n");
}

static void function_missing(const struct lt_export *x, struct lt_text *t, const char *pointer, const char *what)
{
	lt__text_format(t, "\tif (!%s)\n\t\treturn %s_fail(a, %s_MISSING, %s, 0);\n", pointer, x->o.name, x->upper,
		lt__export_string(x, lt__export_plain(x, lt__arena_format(x->a, "%s is NULL", what))));
}

/* Pointers are there; what is 64-aligned in the caller's hands is. */
static void function_checks(const struct lt_export *x, struct lt_text *t)
{
	static const enum lt_binding kinds[] = { LT_BINDING_INPUT, LT_BINDING_RESULT, LT_BINDING_STATE };
	static const char *const words[] = { "input", "result", "state" };
	for (int k = 0; k < 3; k++)
		for (int32_t i = 0; i < x->p->bindings[kinds[k]].n; i++) {
			const struct lt_export_member *m = &x->member[kinds[k]][i];
			const bool state = kinds[k] == LT_BINDING_STATE;
			if (!m->name || m->scalar || (state && x->o.static_workspace && x->o.strict))
				continue;
			if (!(state && x->o.static_workspace))
				function_missing(x, t, lt__arena_format(x->a, "a->%s", m->name),
					lt__arena_format(x->a, "%s '%s'", words[k], m->def->name));
			if (state && !x->o.strict)
				lt__text_format(t, "\tif ((uintptr_t)state%d %% %d)\n\t\treturn %s_fail(a, %s_UNALIGNED, %s, 0);\n", (int)i,
					(int)LT_EXPORT_ALIGN, x->o.name, x->upper, lt__export_string(x,
					lt__export_plain(x, lt__arena_format(x->a, "state '%s' does not begin at a multiple of %d bytes", m->def->name,
					(int)LT_EXPORT_ALIGN))));
		}
	if (lt__export_workspace(x).all && !x->o.static_workspace)
		function_missing(x, t, "workspace", "workspace");
}

lt_status lt__export_function(struct lt_export *x, lt_write *write, void *user)
{
	struct lt_text t = { .arena = x->a }, params = { .arena = x->a };
	LT_TRY(lt__export_params(x, &params));
	LT_TRY(lt__export_sizes(x, &params));
	LT_TRY(lt__export_extents(x, &params));
	function_begin(x, &t);
	lt__export_extern(x, &t);
	write(user, t.at, t.n);
	t.n = 0;
	LT_TRY(lt__export_kernels(x, write, user));
	lt__export_blocks(x, &t);
	lt__export_spreader(x, &t);
	function_host(x, &t);
	function_memory(x, &t);
	lt__text_format(&t, "int %s(struct %s_args *a)\n{\n", x->o.name, x->o.name);
	function_locals(x, &t);
	lt__text_format(&t, "\ta->message = \"\";\n\ta->value = 0;\n");
	function_checks(x, &t);
	if (params.n)
		lt__text_add(&t, params.at, params.n);
	lt__export_spread(x, &t);
	lt__export_steps(x, &t);
	lt__text_format(&t, "\treturn %s_OK;\n}\n", x->upper);
	write(user, t.at, t.n);
	return LT_OK;
}
