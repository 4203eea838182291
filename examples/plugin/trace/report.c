/* report.c -- what was recorded, as tables for people, and as names with numbers. */
#include <stdarg.h>
#include <string.h>
#include "trace.h"

struct out { lt_write *write; void *user; };

__attribute__((format(printf, 2, 3))) static void say(const struct out *o, const char *fmt, ...)
{
	char text[1024];
	va_list ap;
	va_start(ap, fmt);
	int n = vsnprintf(text, sizeof text, fmt, ap);
	va_end(ap);
	o->write(o->user, text, n < 0 ? 0 : (size_t)n < sizeof text ? (size_t)n : sizeof text - 1);
}

static const char *role_word(int32_t role)
{
	static const char *const word[] = { "input", "output", "constant", "state", "workspace", "local" };
	return role >= 0 && role < (int32_t)(sizeof word / sizeof *word) ? word[role] : "?";
}

/* "98.4 %"; "-" where nothing was asked. */
static const char *rate(int64_t hit, int64_t seen, char *text, size_t cap)
{
	if (seen)
		(void)snprintf(text, cap, "%.1f %%", 100 * (double)hit / (double)seen);
	else
		(void)snprintf(text, cap, "-");
	return text;
}

static const char *size(uint64_t bytes, char *text, size_t cap)
{
	static const char *const unit[] = { "", "k", "m", "g" };
	int u = 0;
	for (; u < 3 && bytes && bytes % 1024 == 0; u++)
		bytes /= 1024;
	(void)snprintf(text, cap, "%llu%s", (unsigned long long)bytes, unit[u]);
	return text;
}

/* -- names of rows -- */

enum { LABEL = 96, WIDTH = 14 };        /* room of one; what most need */

static const struct lt_buffer *buffer_at(const struct lt_tree *t, int32_t i)
{
	return LT_AT(struct lt_buffer, t->buffers, i);
}
static const char *name_of(const struct lt_tree *t, int32_t i)
{
	return buffer_at(t, i)->name ? buffer_at(t, i)->name : "?";
}

/* How many other buffers before have this name; all: after, too. */
static int namesakes(const struct lt_tree *t, int32_t buffer, bool all)
{
	int n = 0;
	for (int32_t i = 0; i < (all ? (int32_t)t->buffers.n : buffer); i++)
		n += i != buffer && strcmp(name_of(t, i), name_of(t, buffer)) == 0;
	return n;
}

/* Writes ", m from 4" for each loop around that is a peeled rest, as dumps tell it; gives its end. */
static size_t add_rests(const struct lt_tree *t, int32_t loop, char *out, size_t n)
{
	if (loop < 0)
		return n;
	const struct lt_loop *l = LT_AT(struct lt_loop, t->loops, loop);
	n = add_rests(t, l->parent, out, n);
	if (l->base > 0 && n < LABEL)
		n += (size_t)snprintf(out + n, LABEL - n, ", %s from %lld", l->var ? l->var : "?", (long long)l->base);
	return n;
}

/* A peeled rest has locals of its own, of the same names. */
static const char *label_of(const struct lt_tree *t, int32_t buffer, char *out)
{
	size_t n = (size_t)snprintf(out, LABEL, "%s", name_of(t, buffer));
	if (namesakes(t, buffer, true) == 0 || n >= LABEL)
		return out;
	if (add_rests(t, buffer_at(t, buffer)->scope, out, n) == n && namesakes(t, buffer, false) > 0)
		(void)snprintf(out + n, LABEL - n, ", buffer %d", (int)buffer);         /* its number in stats and in list= */
	return out;
}

static int label_width(const struct lt_tree *t)
{
	char label[LABEL];
	int width = WIDTH;
	for (int32_t i = 0; i < (int32_t)t->buffers.n; i++) {
		int n = (int)strlen(label_of(t, i, label));
		width = n > width ? n : width;
	}
	return width;
}

/* -- tables -- */

static void say_buffers(const struct out *o, const struct meter *m, int width)
{
	char text[32], label[LABEL];
	say(o, "  %-*s %-9s %-4s %10s %10s %12s %12s %10s %10s", width, "buffer", "role", "type", "elems read",
		"written", "bytes read", "written", "reads", "writes");
	for (int l = 0; l < m->config->n_level; l++)
		say(o, "  %8s%d", "hits L", l + 1);
	say(o, "\n");
	for (int32_t i = 0; i < (int32_t)m->tree->buffers.n; i++) {
		const struct lt_buffer *b = buffer_at(m->tree, i);
		const struct tally *t = &m->tally[i];
		int64_t bytes = bytes_of(m->tree, i);
		say(o, "  %-*s %-9s %-4s %10lld %10lld %12lld %12lld %10lld %10lld", width, label_of(m->tree, i, label),
			role_word(b->role), LT_AT(struct lt_type, m->tree->types, b->type)->name,
			(long long)t->read_elems, (long long)t->written_elems, (long long)(t->read_elems * bytes),
			(long long)(t->written_elems * bytes), (long long)t->reads, (long long)t->writes);
		for (int l = 0; l < m->config->n_level; l++)
			say(o, "  %9s", rate(t->hit[l], t->seen[l], text, sizeof text));
		say(o, "\n");
	}
}

static int max_bucket(const int64_t *reuse, int min_buckets)
{
	for (int k = MAX_BUCKET - 1; k > min_buckets; k--)
		if (reuse[k])
			return k;
	return min_buckets;
}

static void say_distances(const struct out *o, const char *name, int width, int64_t first, const int64_t *reuse, int n)
{
	say(o, "  %-*s %10lld", width, name, (long long)first);
	for (int k = 0; k <= n; k++)
		say(o, " %9lld", (long long)reuse[k]);
	say(o, "\n");
}

static void say_heads(const struct out *o, uint32_t line, int width, int n)
{
	say(o,
		"  accesses by reuse distance: how many other lines of %u bytes were accessed since the line was "
		"accessed last\n",
		(unsigned)line);
	say(o, "  %-*s %10s", width, "buffer", "first");
	for (int k = 0; k <= n; k++) {
		char text[32];
		(void)snprintf(text, sizeof text, k < 2 ? "%lld" : "%lld..", (long long)(k < 2 ? k : INT64_C(1) << (k - 1)));
		say(o, " %9s", text);
	}
	say(o, "\n");
}

static void say_level(const struct out *o, const struct config *c, int l, const struct level_count *n)
{
	char bytes[32], text[32];
	say(o, "  L%d, %s bytes, %u ways, lines of %u: %lld accesses, %lld hits (%s), %lld lines written back\n", l + 1,
		size(c->level[l].bytes, bytes, sizeof bytes), (unsigned)c->level[l].ways, (unsigned)c->level[l].line,
		(long long)n->seen, (long long)n->hit, rate(n->hit, n->seen, text, sizeof text),
		(long long)n->written_back);
}

void report_kernel(const struct meter *m, lt_write *write, void *user)
{
	const struct out o = { write, user };
	char label[LABEL];
	int n = 0, width = label_width(m->tree);
	say(&o, "kernel %s, %lld %s\n", m->tree->name ? m->tree->name : "?", (long long)m->runs,
		m->runs == 1 ? "run" : "runs");
	say_buffers(&o, m, width);
	for (uint32_t i = 0; i < m->tree->buffers.n; i++)
		n = max_bucket(m->tally[i].reuse, n);
	say_heads(&o, m->config->level[0].line, width, n);
	for (int32_t i = 0; i < (int32_t)m->tree->buffers.n; i++)
		say_distances(&o, label_of(m->tree, i, label), width, m->tally[i].first, m->tally[i].reuse, n);
	for (int l = 0; l < m->config->n_level; l++)
		say_level(&o, m->config, l, cache_count(m->cache, l));
}

void add_total(struct total *to, const struct meter *m)
{
	to->kernels++;
	to->runs += m->runs;
	for (int32_t i = 0; i < (int32_t)m->tree->buffers.n; i++) {
		const struct tally *t = &m->tally[i];
		to->reads += t->reads;
		to->writes += t->writes;
		to->read_bytes += t->read_elems * bytes_of(m->tree, i);
		to->written_bytes += t->written_elems * bytes_of(m->tree, i);
		to->first += t->first;
		for (int k = 0; k < MAX_BUCKET; k++)
			to->reuse[k] += t->reuse[k];
	}
	for (int l = 0; l < m->config->n_level; l++) {
		const struct level_count *n = cache_count(m->cache, l);
		to->level[l].seen += n->seen;
		to->level[l].hit += n->hit;
		to->level[l].written_back += n->written_back;
	}
}

void report_total(const struct total *t, const struct config *c, lt_write *write, void *user)
{
	const struct out o = { write, user };
	int n = max_bucket(t->reuse, 0);
	say(&o,
		"in all: kernels %lld, runs %lld, reads %lld, writes %lld; footprints together %lld bytes read, %lld "
		"written\n",
		(long long)t->kernels, (long long)t->runs, (long long)t->reads, (long long)t->writes,
		(long long)t->read_bytes, (long long)t->written_bytes);
	say_heads(&o, c->level[0].line, WIDTH, n);
	say_distances(&o, "all", WIDTH, t->first, t->reuse, n);
	for (int l = 0; l < c->n_level; l++)
		say_level(&o, c, l, &t->level[l]);
}

void report_stats(const struct meter *m, lt_write *write, void *user)
{
	const struct out o = { write, user };
	say(&o, "runs %lld\n", (long long)m->runs);
	for (int32_t i = 0; i < (int32_t)m->tree->buffers.n; i++) {
		const struct tally *t = &m->tally[i];
		say(&o, "buffer%d.reads %lld\nbuffer%d.writes %lld\n", (int)i, (long long)t->reads, (int)i, (long long)t->writes);
		say(&o, "buffer%d.read_elems %lld\nbuffer%d.written_elems %lld\n", (int)i, (long long)t->read_elems,
			(int)i, (long long)t->written_elems);
		say(&o, "buffer%d.first %lld\n", (int)i, (long long)t->first);
		for (int k = 0; k < MAX_BUCKET; k++)
			if (t->reuse[k])
				say(&o, "buffer%d.reuse%d %lld\n", (int)i, k, (long long)t->reuse[k]);
		for (int l = 0; l < m->config->n_level; l++)
			say(&o, "buffer%d.L%d.seen %lld\nbuffer%d.L%d.hit %lld\n", (int)i, l + 1, (long long)t->seen[l],
				(int)i, l + 1, (long long)t->hit[l]);
	}
	for (int l = 0; l < m->config->n_level; l++)
		say(&o, "L%d.written_back %lld\n", l + 1, (long long)cache_count(m->cache, l)->written_back);
}
