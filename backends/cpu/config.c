/* backends/cpu/config.c -- the words after "cpu:", separated by ';': O0 .. O3, target=NAME, emit=NAME, source=PATH. */
#include <stdio.h>
#include <string.h>
#include "backends/cpu/cpu.h"

static lt_status no_target(const char *name, size_t bytes, struct lt_diag *diag)
{
	char names[256] = "give one of";
	for (uint32_t i = 0; i < lt__cpu_model_count(); i++) {
		size_t n = strlen(names);
		(void)snprintf(names + n, sizeof names - n, "%s %s", i ? "," : "", lt__cpu_model_at(i)->name);
	}
	return lt__report(
		diag, LT_EINVAL, -1, -1, names, "cpu: there is no target '%.*s'", (int)(bytes < 60 ? bytes : 60), name);
}

lt_status lt__cpu_config(const char *config, struct lt_cpu_config *out, struct lt_diag *diag)
{
	*out = (struct lt_cpu_config){ .level = '3', .model = lt__cpu_model_at(0) };
	bool target = false, emit = false;
	for (const char *at = config ? config : ""; *at; ) {
		size_t n = strcspn(at, ";");
		if (n == 2 && at[0] == 'O' && at[1] >= '0' && at[1] <= '3') {
			out->level = at[1];
		} else if (strncmp(at, "target=", 7) == 0) {
			if (target)
				return lt__report(diag, LT_EINVAL, -1, -1, NULL, "cpu: target= is given twice");
			target = true;
			out->model = lt__cpu_model_find(at + 7, n - 7);
			if (!out->model)
				return no_target(at + 7, n - 7, diag);
		} else if (strncmp(at, "emit=", 5) == 0) {
			if (emit || !lt__cpu_emit_find(at + 5, n - 5, &out->emit))
				return lt__report(diag, LT_EINVAL, -1, -1, emit ? NULL : "give emit=c or emit=c99",
					emit ? "cpu: emit= is given twice" : "cpu: nothing emits '%.*s'", (int)(n - 5 < 60 ? n - 5 : 60), at + 5);
			emit = true;
		} else if (strncmp(at, "source=", 7) == 0) {
			if (out->source || n == 7)
				return lt__report(diag, LT_EINVAL, -1, -1, NULL, out->source ? "cpu: source= is given twice"
					: "cpu: source= names no file");
			out->source = at + 7;
			out->source_bytes = n - 7;
		} else if (n) {
			return lt__report(diag, LT_EINVAL, -1, -1, "give O0, O1, O2 or O3, target=NAME, emit=NAME, or source=FILE",
				"cpu: unknown option '%.*s'", (int)n, at);
		}
		at += n + (at[n] == ';');
	}
	return LT_OK;
}
