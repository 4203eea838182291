/* trace.c -- the backend's table.
 *
 *   lt-run -B trace.so -b 'trace:L1=32k/8/64/L2=1m/16/64' SCRIPT ...
 *
 * The report of a kernel is reported when its object is destroyed, so that it covers all runs; the sum over all kernels
 * when the session is closed.  A library must not print without its host's knowledge: the lines go to the host's log
 * (LT_LOG_INFO), to file=PATH if the user named one, and to the standard error of a host that has no log.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include "trace.h"

enum { KNOWN = LT_NEED_PARAMS | LT_NEED_DIVS | LT_NEED_GATHER | LT_NEED_PIECES | LT_NEED_GUARDED |
	LT_NEED_COMBINE | LT_NEED_BARRIER | LT_NEED_ASYNC };

struct lt_session {
	const struct lt_host *host;
	struct config config;
	struct lt_target target;        /* the caches of CONFIG: the default trees are made for them */
	struct lt_caps caps;
	struct total total;
	FILE *file, *list;
	char line[1024];                /* one that is not yet whole */
	size_t n_line;
};
struct lt_object {
	struct lt_session *session;
	struct walk *walk;
	struct meter meter;
};

lt_status refuse(
	struct lt_diag *diag, lt_status code, int32_t loop, int32_t stmt, const char *remedy, const char *fmt, ...)
{
	char text[700];
	va_list ap;
	va_start(ap, fmt);
	(void)vsnprintf(text, sizeof text, fmt, ap);
	va_end(ap);
	const struct lt_diagnostic diagnostic = {
		.size = sizeof diagnostic, .code = code, .loop = loop, .stmt = stmt, .text = text, .remedy = remedy
	};
	if (diag)
		diag->report(diag, &diagnostic);
	return code;
}

/* Where reports go, line by line. */
static void trace_write(void *user, const char *text, size_t bytes)
{
	struct lt_session *s = user;
	for (size_t i = 0; i < bytes; i++) {
		if (text[i] != '\n' && s->n_line + 1 < sizeof s->line) {
			s->line[s->n_line++] = text[i];
			continue;
		}
		s->line[s->n_line] = '\0';
		s->n_line = 0;
		if (!s->file && LT_HAS(struct lt_host, s->host, log))
			s->host->log(s->host, LT_LOG_INFO, s->line);
		else
			(void)fprintf(s->file ? s->file : stderr, "%s\n", s->line);
	}
}

static int32_t score(const char *config, struct lt_diag *diag)
{
	struct config c;
	return read_config(config, &c, diag) ? 0 : 1;
}

static lt_status open_file(const char *path, FILE **out, struct lt_diag *diag)
{
	if (*path && !(*out = fopen(path, "w")))
		return refuse(diag, LT_EIO, -1, -1, NULL, "%s cannot be written: %s", path, strerror(errno));
	return LT_OK;
}

static void close_(struct lt_session *s)
{
	if (!s)
		return;
	if (s->total.kernels)
		report_total(&s->total, &s->config, trace_write, s);
	if (s->file)
		(void)fclose(s->file);
	if (s->list)
		(void)fclose(s->list);
	free(s);
}

static lt_status open_(const struct lt_host *host, const char *config, struct lt_session **out, struct lt_diag *diag)
{
	struct lt_session *s = calloc(1, sizeof *s);
	*out = NULL;
	if (!s)
		return refuse(diag, LT_ENOMEM, -1, -1, NULL, "there is no memory for a session");
	s->host = host;
	lt_status status = read_config(config, &s->config, diag);
	status = status ? status : open_file(s->config.file, &s->file, diag);
	status = status ? status : open_file(s->config.list, &s->list, diag);
	if (status) {
		close_(s);
		return status;
	}
	const struct level *l = s->config.level;
	s->target = (struct lt_target){ .size = sizeof s->target,
		.name = "trace",
		.vector_bytes = 32,
		.vector_registers = 16,
		.cores = 1,
		.cache_line = l[0].line,
		.l1_bytes = l[0].bytes,
		.l1_ways = l[0].ways,
		.l2_bytes = l[1].bytes,
		.l2_ways = l[1].ways,
		.l3_bytes = l[2].bytes,
		.l3_ways = l[2].ways };
	s->caps = (struct lt_caps){ .size = sizeof s->caps,
		.dtypes = (1u << LT_NDTYPE) - 2,
		.loops = (1u << LT_NLOOP_KIND) - 1,
		.understands = KNOWN,
		.target = &s->target,
		.any_values = 1 };
	*out = s;
	return LT_OK;
}

static const struct lt_caps *caps(const struct lt_session *s) { return &s->caps; }

static lt_status accepts(struct lt_session *s, const struct lt_tree *t, struct lt_diag *diag)
{
	(void)s;
	if (t->needs & ~(uint64_t)KNOWN)
		return refuse(diag, LT_EUNSUPPORTED, -1, -1, NULL, "the tree needs a feature (bit %d) that it does not know",
			__builtin_ctzll(t->needs & ~(uint64_t)KNOWN));
	return walk_accepts(t, diag);
}

static void destroy(struct lt_object *o)
{
	if (!o)
		return;
	if (o->meter.runs) {
		report_kernel(&o->meter, trace_write, o->session);
		add_total(&o->session->total, &o->meter);
	}
	meter_close(&o->meter);
	walk_free(o->walk);
	free(o);
}

static lt_status compile_one(
	struct lt_session *s, const struct lt_tree *t, struct lt_object **out, struct lt_diag *diag)
{
	lt_status status = accepts(s, t, diag);
	struct lt_object *o = status ? NULL : calloc(1, sizeof *o);
	if (status)
		return status;
	if (!o || !(o->walk = walk_new(t))) {
		destroy(o);
		return refuse(diag, LT_ENOMEM, -1, -1, NULL, "there is no memory for kernel %s", t->name ? t->name : "?");
	}
	o->session = s;
	status = meter_open(&o->meter, t, &s->config, s->list, diag);
	if (status)
		destroy(o);
	else
		*out = o;
	return status;
}

static lt_status compile(struct lt_session *s, const struct lt_tree *const *tree, uint32_t n, struct lt_object **object,
	struct lt_diag *diag)
{
	lt_status status = LT_OK;
	for (uint32_t i = 0; i < n; i++)
		object[i] = NULL;
	for (uint32_t i = 0; !status && i < n; i++)
		status = compile_one(s, tree[i], &object[i], diag);
	for (uint32_t i = 0; status && i < n; i++) {
		destroy(object[i]);
		object[i] = NULL;
	}
	return status;
}

static lt_status run(struct lt_object *o, const struct lt_args *args, struct lt_diag *diag)
{
	meter_begin(&o->meter);
	lt_status status = walk_run(o->walk, &o->meter, args, diag);
	meter_end(&o->meter);
	return status;
}

static lt_status sync_(struct lt_session *s, void *stream, struct lt_diag *diag)
{
	(void)s, (void)stream, (void)diag;
	return LT_OK;
}

static void need(const struct lt_object *o, uint32_t n_thread, size_t *bytes, size_t *align)
{
	(void)n_thread;
	*bytes = walk_bytes(o->walk, align);
}

static lt_status dump(const struct lt_object *o, enum lt_dump kind, lt_write *write, void *user)
{
	static const char none[] = "it makes no code; a run makes its report";
	if (kind == LT_DUMP_STATS) {
		report_stats(&o->meter, write, user);
		return LT_OK;
	}
	write(user, none, sizeof none - 1);
	return LT_EUNSUPPORTED;
}

static void describe(struct lt_session *s, lt_write *write, void *user)
{
	char text[128];
	for (int l = 0; l < s->config.n_level; l++) {
		int n = snprintf(text, sizeof text, "L%d %llu bytes, %u ways, lines of %u\n", l + 1,
			(unsigned long long)s->config.level[l].bytes, (unsigned)s->config.level[l].ways,
			(unsigned)s->config.level[l].line);
		write(user, text, (size_t)n);
	}
}

static const struct lt_backend trace = {
	.size = sizeof trace,
	.abi = LT_ABI,
	.build = LT_BUILD,
	.name = "trace",
	.summary = "records every access: footprints, reuse distances, hits of a simulated cache",
	.version = "1",
	.score = score,
	.open = open_,
	.close = close_,
	.caps = caps,
	.accepts = accepts,
	.compile = compile,
	.run = run,
	.sync = sync_,
	.destroy = destroy,
	.need = need,
	.dump = dump,
	.describe = describe,
};
LT_BACKEND(trace)
