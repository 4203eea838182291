/* saves.h -- a backend that computes nothing, too, and whose objects are bytes.
 *
 * Words in its config: talks (to the host's log), other (another identity), silent (none), broken (identity fails),
 * own (identity says what of the config matters: other), forgets (saves nothing), refuses (what is to be loaded).
 * describe says how often each function was called in this
 * process.
 */
#include <stdio.h>
#include "null.h"

static int n_compiled, n_saved, n_loaded, n_refused;
static char config_of[64];              /* of the last session */

static int has(const char *word) { return strstr(config_of, word) != NULL; }

static lt_status open_saves(
	const struct lt_host *host, const char *config, struct lt_session **out, struct lt_diag *diag)
{
	(void)snprintf(config_of, sizeof config_of, "%s", config ? config : "");
	if (has("talks") && LT_HAS(struct lt_host, host, log))
		host->log(host, LT_LOG_WARNING, "saves: this device is slow");
	return open_(host, config, out, diag);
}
static lt_status compile_saves(struct lt_session *s, const struct lt_tree *const *tree, uint32_t n,
	struct lt_object **object, struct lt_diag *diag)
{
	n_compiled += (int)n;
	return compile(s, tree, n, object, diag);
}
static void describe(struct lt_session *s, lt_write *write, void *user)
{
	char text[128];
	int n = snprintf(text, sizeof text, "compiled %d saved %d loaded %d refused %d\n", n_compiled, n_saved,
		n_loaded, n_refused);
	(void)s;
	write(user, text, (size_t)n);
}
static lt_status identity(struct lt_session *s, lt_write *write, void *user, struct lt_diag *diag)
{
	(void)s;
	if (has("broken")) {
		diag->report(diag,
			&(struct lt_diagnostic){ .size = sizeof(struct lt_diagnostic),
				.code = LT_EDEVICE,
				.loop = -1,
				.stmt = -1,
				.text = "saves: the device does not say what it is" });
		return LT_EDEVICE;
	}
	if (has("silent"))
		return LT_EUNSUPPORTED;
	if (has("own"))
		write(user, has("other") ? "config other\n" : "config \n", has("other") ? 13 : 8);
	write(user, "a device", 8);
	write(user, has("other") ? " of another kind" : " of this kind", has("other") ? 16 : 13);
	return LT_OK;
}
static const char mark[] = "saved by saves\n";
static lt_status save(const struct lt_object *o, lt_write *write, void *user, struct lt_diag *diag)
{
	(void)diag;
	n_saved++;
	if (has("forgets"))
		return LT_EIO;
	write(user, mark, sizeof mark - 1);
	write(user, o->tree->text, strlen(o->tree->text));
	return LT_OK;
}
static lt_status load(struct lt_session *s, const struct lt_tree *t, const void *data, size_t bytes,
	struct lt_object **out, struct lt_diag *diag)
{
	(void)s, (void)diag;
	size_t n = strlen(t->text), m = sizeof mark - 1;
	*out = NULL;
	if (has("refuses") || bytes != n + m || memcmp(data, mark, m) != 0
		|| memcmp((const char *)data + m, t->text, n) != 0) {
		n_refused++;
		return LT_EINVAL;
	}
	*out = calloc(1, sizeof **out);
	if (!*out)
		return LT_ENOMEM;
	(*out)->tree = t;
	n_loaded++;
	return LT_OK;
}
#define SAVES_BACKEND(...) \
	NULL_BACKEND(.name = "saves", .open = open_saves, .compile = compile_saves, .describe = describe, \
		.identity = identity, .save = save, .load = load, __VA_ARGS__)
