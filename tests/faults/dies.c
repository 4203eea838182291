/* dies.c -- ends the process in the member that the config names; "MEMBER_hangs": does not come back from
 * it. */
#include "tests/faults/fault.h"
#include <unistd.h>

static const char *const words[] = { "score", "open", "caps", "accepts", "compile", "run", "need", "destroy", "close" };
enum { N_WORD = sizeof words / sizeof *words };
static char word[40];

static int is_known(const char *config)
{
	for (int i = 0; config && i < N_WORD; i++)
		if (!strncmp(config, words[i], strlen(words[i]))
			&& (!config[strlen(words[i])] || !strcmp(config + strlen(words[i]), "_hangs")))
			return 1;
	return 0;
}

static void at(const char *member)
{
	size_t n = strlen(member);
	if (strncmp(word, member, n))
		return;
	if (!word[n])
		abort();
	while (!strcmp(word + n, "_hangs"))
		(void)pause();
}

static void choose(const char *config) { (void)snprintf(word, sizeof word, "%s", is_known(config) ? config : ""); }

static int32_t score(const char *config, struct lt_diag *diag)
{
	choose(config);
	at("score");
	return plain_score(is_known(config) ? "" : config, diag);
}
static lt_status open(const struct lt_host *host, const char *config, struct lt_session **out, struct lt_diag *diag)
{
	choose(config);
	at("open");
	return plain_open(host, is_known(config) ? "" : config, out, diag);
}
static const struct lt_caps *caps(const struct lt_session *s) { return at("caps"), plain_caps(s); }
static lt_status accepts(struct lt_session *s, const struct lt_tree *t, struct lt_diag *diag)
{
	return at("accepts"), plain_accepts(s, t, diag);
}
static lt_status compile(struct lt_session *s, const struct lt_tree *const *tree, uint32_t n, struct lt_object **object,
	struct lt_diag *diag)
{
	return at("compile"), plain_compile(s, tree, n, object, diag);
}
static lt_status run(struct lt_object *o, const struct lt_args *args, struct lt_diag *diag)
{
	return at("run"), plain_run(o, args, diag);
}
static void need(const struct lt_object *o, uint32_t n_thread, size_t *bytes, size_t *align)
{
	at("need");
	plain_need(o, n_thread, bytes, align);
}
static void destroy(struct lt_object *o)
{
	at("destroy");
	plain_destroy(o);
}
static void close_it(struct lt_session *s)
{
	at("close");
	plain_close(s);
}

FAULTY("dies", .score = score, .open = open, .caps = caps, .accepts = accepts, .compile = compile, .run = run,
	.need = need, .destroy = destroy, .close = close_it)
