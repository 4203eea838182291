/* subject.c -- whose kernels are mutated: the lines of tests/examples.txt, and random graphs with their
 * data in files. */
#define _GNU_SOURCE 1
#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include "check/random/must.h"
#include "check/random/random.h"
#include "tests/mutants/mutants.h"
#include "tools/tensor/tensor.h"

bool is_random(const struct subject *j) { return !strncmp(j->name, "graph@", 6); }

static void add_option(struct subject *j, const char *word)
{
	j->option = realloc(j->option, sizeof *j->option * (size_t)(j->n_option + 1));
	must(j->option && (j->option[j->n_option] = strdup(word)), "out of memory");
	j->n_option++;
}

static void make_dir(struct subject *j, const struct setting *s)
{
	must(asprintf(&j->dir, "%s/%s", s->dir, j->name) >= 0, "out of memory");
	for (char *p = j->dir + strlen(s->dir) + 1; *p; p++)
		if (*p == '/')
			*p = '-';
	must(mkdir(s->dir, 0755) == 0 || errno == EEXIST, "%s cannot be made", s->dir);
	must(mkdir(j->dir, 0755) == 0 || errno == EEXIST, "%s cannot be made", j->dir);
}

static char *read_file(const char *path, size_t max)
{
	char *text = malloc(max + 1);
	FILE *f = fopen(path, "re");
	must(text != NULL, "out of memory");
	size_t n = f ? fread(text, 1, max, f) : 0;
	text[n] = '\0';
	if (f)
		(void)fclose(f);
	return text;
}

/* -- lines -- */

/* nth: of the lines with this script, from 1. */
static void read_line(const struct setting *s, char *line, int nth, struct subject *j)
{
	char *rest;
	*j = (struct subject){ .n_run = 1, .verify = "--verify" };
	for (char *word = strtok_r(line, " \n", &rest); word; word = strtok_r(NULL, " \n", &rest)) {
		if (j->n_option && !strcmp(j->option[j->n_option - 1], "-n"))
			j->n_run = (int)strtol(word, NULL, 10);
		add_option(j, word);
	}
	must(asprintf(&j->name, nth > 1 ? "%s@%d" : "%s", j->option[0], nth) >= 0, "out of memory");
	make_dir(j, s);
}

static struct subject *read_lines(const struct setting *s, int *n)
{
	struct subject *all = NULL;
	char *line = NULL;
	size_t cap = 0;
	FILE *f = fopen(s->examples, "re");
	must(f != NULL, "%s cannot be read", s->examples);
	*n = 0;
	while (getline(&line, &cap, f) > 0) {
		int nth = 1;
		if (line[0] == '#' || line[0] == '\n')
			continue;
		for (int i = 0; i < *n; i++)
			nth += strlen(all[i].option[0]) == strcspn(line, " \n") && !strncmp(all[i].option[0], line, strcspn(line, " \n"));
		all = realloc(all, sizeof *all * (size_t)(*n + 1));
		must(all != NULL, "out of memory");
		read_line(s, line, nth, &all[(*n)++]);
	}
	free(line);
	(void)fclose(f);
	return all;
}

/* -- random graphs -- */

static void write_text(void *f, const char *text, size_t n) { (void)fwrite(text, 1, n, f); }

/* The data of all inputs, or all constants; false: there are none. */
static bool write_data(const struct random_graph *r, uint64_t seed, enum lt_opcode op, const char *path)
{
	struct lt_tensors all = { .at = calloc((size_t)r->g->n_node, sizeof *all.at) };
	must(all.at != NULL, "out of memory");
	for (lt_node n = 0; n < r->g->n_node; n++) {
		const struct lt_nodedef *d = &r->g->node[n];
		int64_t shape[LT_MAX_RANK] = { 0 };
		if (d->op != op)
			continue;
		for (int32_t i = 0; i < d->n_dim; i++)
			shape[i] = r->g->var[d->dim[i]].extent;
		must(lt__tensor_new(r->g->ctx, path, d->label, d->dtype, d->n_dim, shape, &all.at[all.n]) == LT_OK,
			"%s", lt_context_message(r->g->ctx));
		random_graph_fill(r, seed, 0, n, all.at[all.n++].data);
	}
	must(all.n == 0 || lt__tensors_write(r->g->ctx, path, &all) == LT_OK, "%s", lt_context_message(r->g->ctx));
	bool some = all.n > 0;
	lt__tensors_free(&all);
	return some;
}

static void make_graph(const struct setting *s, uint64_t seed, struct subject *j)
{
	struct lt_context *ctx;
	struct random_graph r;
	char path[1024];
	uint64_t rng = seed;
	const struct random_options o = { .n_node = (int32_t)random_between(&rng, 20, 40),
		.views = true,
		.params = true,
		.states = true,
		.composites = true };
	*j = (struct subject){ .n_run = 2, .verify = "--verify" };
	must(asprintf(&j->name, "graph@%llu", (unsigned long long)seed) >= 0, "out of memory");
	make_dir(j, s);
	must(lt_context_new(&ctx) == LT_OK, "no context");
	random_graph_new(ctx, seed, &o, &r);
	(void)snprintf(path, sizeof path, "%s/it.graph", j->dir);
	FILE *f = fopen(path, "we");
	must(f != NULL && lt_graph_print(r.g, write_text, f) == LT_OK && fclose(f) == 0, "%s cannot be written", path);
	add_option(j, path);
	(void)snprintf(path, sizeof path, "%s/inputs.safetensors", j->dir);
	if (write_data(&r, seed, LT_OP_input, path)) {
		add_option(j, "--inputs");
		add_option(j, path);
	}
	(void)snprintf(path, sizeof path, "%s/constants.safetensors", j->dir);
	if (write_data(&r, seed, LT_OP_constant, path)) {
		add_option(j, "-w");
		add_option(j, path);
	}
	add_option(j, "-n");
	add_option(j, "2");
	random_graph_free(&r);
	lt_context_free(ctx);
}

struct subject *subjects_new(const struct setting *s, int n_graph, int *n)
{
	struct subject *all = read_lines(s, n);
	all = realloc(all, sizeof *all * (size_t)(*n + n_graph + 1));
	must(all != NULL, "out of memory");
	for (int i = 0; i < n_graph; i++)
		make_graph(s, s->seed * 1000 + (uint64_t)i, &all[(*n)++]);
	return all;
}

struct subject *subject_find(const struct setting *s, const char *name)
{
	struct subject *found = calloc(1, sizeof *found);
	int n;
	must(found != NULL, "out of memory");
	if (!strncmp(name, "graph@", 6)) {
		make_graph(s, strtoull(name + 6, NULL, 10), found);
		return found;
	}
	struct subject *all = read_lines(s, &n);
	for (int i = 0; i < n; i++) {
		if (!found->name && !strcmp(all[i].name, name))
			*found = all[i];
		else
			subject_free(&all[i]);
	}
	free(all);
	must(found->name != NULL, "%s has no line with the script '%s'", s->examples, name);
	return found;
}

void subject_free(struct subject *j)
{
	for (int i = 0; i < j->n_option; i++)
		free(j->option[i]);
	free(j->option);
	free(j->name);
	free(j->dir);
	free(j->site);
	text_free(&j->text);
	*j = (struct subject){ 0 };
}

/* -- sites -- */

static void find_sites(struct subject *j)
{
	const struct text *t = &j->text;
	int cap = 0;
	for (int kind = 0; kind < n_kind; kind++)
		for (int i = 0; i < t->n_tok; i++)
			for (int v = 0; v < kinds[kind].n_variant && t->tok[i].zone; v++) {
				struct mutant m = { 0 };
				if ((t->tok[i].zone == ZONE_KERNEL || kinds[kind].in_functions) && kinds[kind].find(t, i, v, &m)) {
					if (j->n_site == cap) {
						cap = 2 * cap + 256;
						j->site = realloc(j->site, sizeof *j->site * (size_t)cap);
						must(j->site != NULL, "out of memory");
					}
					j->site[j->n_site++] = (struct site){ kind, i, v };
				}
				mutant_free(&m);
			}
}

int subject_sites(const struct subject *j, int kind)
{
	int n = 0;
	for (int i = 0; i < j->n_site; i++)
		n += j->site[i].kind == kind;
	return n;
}

const struct site *subject_site(const struct subject *j, int kind, int n)
{
	for (int i = 0; i < j->n_site; i++)
		if (j->site[i].kind == kind && n-- == 0)
			return &j->site[i];
	return NULL;
}

static void report_log(const struct subject *j, const char *log, const char *what, char *why, size_t bytes)
{
	char path[1024];
	(void)snprintf(path, sizeof path, "%s/%s", j->dir, log);
	char *text = read_file(path, bytes);
	(void)snprintf(why, bytes, "%s: %s", what, text);
	free(text);
}

/* Elements that an evaluation computes, each as often as it is summed up. */
static double work_of(const char *path)
{
	struct lt_context *ctx;
	struct lt_graph *g;
	double work = 0;
	char *text = read_file(path, 16 << 20);
	must(lt_context_new(&ctx) == LT_OK && lt_graph_parse(ctx, text, strlen(text), path, &g) == LT_OK, "%s",
		lt_context_message(ctx));
	for (lt_node n = 0; n < g->n_node; n++) {
		lt_var var[2 * LT_MAX_RANK];
		double trip_count = 1;
		for (int32_t i = lt__node_loops(g, n, var); i > 0; i--)
			trip_count *= (double)g->var[var[i - 1]].extent;
		work += trip_count;
	}
	lt_graph_free(g);
	lt_context_free(ctx);
	free(text);
	return work;
}

bool subject_read(const struct setting *s, struct subject *j, char *why, size_t bytes)
{
	char graph[1024], source[1024];
	(void)snprintf(graph, sizeof graph, "%s/lines.graph", j->dir);
	(void)snprintf(source, sizeof source, "%s/right.c", j->dir);
	if (dump(s, j, "--dump=graph", graph) != 0 || dump(s, j, "--dump=source", source) != 0) {
		report_log(j, "print.log", "graph and kernels cannot be printed", why, bytes);
		return false;
	}
	j->work = work_of(graph) * j->n_run;
	text_read(&j->text, read_file(source, 16 << 20));
	find_sites(j);
	return true;
}

bool subject_open(const struct setting *s, struct subject *j, char *why, size_t bytes)
{
	char source[1024];
	if (!subject_read(s, j, why, bytes))
		return false;
	(void)snprintf(source, sizeof source, "%s/right.c", j->dir);
	int code = right_run(s, j, source);
	/* What rounding alone decides nobody can judge; scripts of ours have nothing of that kind. */
	if (code == 3 && is_random(j)) {
		j->verify = "--verify=allow-unbounded";
		code = right_run(s, j, source);
	}
	if (code != 0)
		report_log(j, "right.log", "right kernels are judged wrong", why, bytes);
	return code == 0;
}
