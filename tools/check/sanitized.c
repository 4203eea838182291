/* sanitized.c -- a kernel of one's own in a program that a compiler's sanitizers watch: operands, results and the
 * workspace are blocks of exactly their bytes.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "backends/command/command.h"
#include "lt/kernel.h"
#include "tools/check/own.h"
#include "tools/check/parts.h"

/* The program's exit status where the kernel has returned, and not called exit. */
enum { RETURNED = 42 };

static void write_text(void *file, const char *text, size_t bytes) { (void)fwrite(text, 1, bytes, file); }

static void write_bytes(FILE *out, int k, const unsigned char *at, size_t n)
{
	(void)fprintf(out, "static const unsigned char given%d[] = {", k);
	for (size_t i = 0; i < n; i++)
		(void)fprintf(out, "%s%u,", i % 24 ? "" : "\n\t", at[i]);
	(void)fprintf(out, " 0 };\n");
}

static const char main_text[] =
	"static void alone(const struct lt_host *host, uint32_t n_thread, int64_t n, lt_own_body *body, void *arg)\n{\n"
	"\tconst int64_t cut = n / 2;\n\t(void)host;\n\tif (cut)\n\t\tbody(arg, 0, cut, 0);\n"
	"\tif (n > cut)\n\t\tbody(arg, cut, n, n_thread - 1);\n}\n"
	"const char *__asan_default_options(void);\n"
	"const char *__asan_default_options(void) { return \"detect_leaks=0\"; }\n";

/* data: by node of the graph, of inputs. */
static void write_program(FILE *out, const struct lt_tree *t, const struct lt_graph *g, void *const *data)
{
	const struct lt_kernel_own need = lt_kernel_own_need(t);
	const struct lt_owncall *c = &g->own[0];
	lt_kernel_own_definitions(t, 1, write_text, out);
	lt_kernel_own_function(t, write_text, out);
	(void)fprintf(out, "#line 1 \"driver\"\n#include <stdlib.h>\n#include <string.h>\n%s", main_text);
	for (int k = 0; k < c->n_operand; k++)
		write_bytes(out, k, data[c->operand[k]],
			(size_t)lt__node_elems(g, c->operand[k]) * lt__dtype_info(g->node[c->operand[k]].dtype)->bytes);
	(void)fprintf(out, "int main(void)\n{\n\tvoid *data[%d];\n", (int)need.n_tensor);
	for (int k = 0; k < need.n_tensor; k++) {
		const lt_node n = k < c->n_operand ? c->operand[k] : c->result[k - c->n_operand];
		const long long bytes = lt__node_elems(g, n) * lt__dtype_info(g->node[n].dtype)->bytes;
		(void)fprintf(out, "\tdata[%d] = malloc(%lld);\n", k, bytes);
		if (k < c->n_operand)
			(void)fprintf(out, "\tmemcpy(data[%d], given%d, %lld);\n", k, k, bytes);
	}
	(void)fprintf(out, "\tvoid *workspace = aligned_alloc(64, %lld);\n\t%s_own(data, workspace, 3, alone, NULL);\n",
		(long long)(need.shared + 3 * need.each + 64) / 64 * 64, t->name);
	for (int k = 0; k < c->n_operand; k++)
		(void)fprintf(out, "\tif (memcmp(data[%d], given%d, sizeof given%d - 1)) {\n"
			"\t\t(void)fprintf(stderr, \"runtime error: operand %d was written to\\n\");\n\t\treturn 1;\n\t}\n", k, k, k, k);
	(void)fprintf(out, "\tfor (int k = 0; k < %d; k++)\n\t\tfree(data[k]);\n\tfree(workspace);\n\treturn %d;\n}\n",
		(int)need.n_tensor, RETURNED);
}

static bool write_file(const char *path, const struct lt_tree *t, const struct lt_graph *g, void *const *data)
{
	FILE *out = fopen(path, "we");
	if (!out)
		return false;
	(void)fprintf(out, "#include <stdio.h>\n");
	write_program(out, t, g, data);
	const bool good = !ferror(out);
	return fclose(out) == 0 && good;
}

/* What is wrong, in a line; *where: in which line of the user's, "": that is in it, or not known. */
static const char *what_of(char *output, char *where, size_t bytes)
{
	char *address = strstr(output, "ERROR: AddressSanitizer"), *other = strstr(output, "runtime error:"),
		*at = address ? address : other ? other : output;
	const char *frame = address ? strstr(address, " in lt_own_") : NULL;
	frame = frame ? strchr(frame + 4, ' ') : NULL;
	where[0] = '\0';
	if (frame)
		(void)snprintf(where, bytes, " in%.*s", (int)strcspn(frame, "\n"), frame);
	while (!address && at > output && at[-1] != '\n')
		at--;
	at[strcspn(at, "\n")] = '\0';
	return at;
}

static int never(void *user)
{
	(void)user;
	return 0;
}

static bool run_program(struct check_device *d, struct check_outcome *out, const char *path, const char *folder)
{
	const struct lt_command_limits limits = { .cancelled = never, .folder = folder };
	char binary[4096];
	uint32_t n;
	(void)snprintf(binary, sizeof binary, "%s/own", folder);
	const char **word = lt__command_words(d->cc, 16, &n);
	if (!word)
		return lt__check_fail(out, "out of memory");
	memcpy(word + n, (const char *[]){ "-fsanitize=address,undefined", "-fno-sanitize-recover=undefined", "-std=gnu11",
		"-O1", "-g", "-w", "-o", binary, path, "-lm", NULL }, 11 * sizeof *word);
	struct lt_command compile = { .argv = word, .on = "the kernel" };
	(void)lt__command_run(&compile, 1, 1, &limits, NULL, NULL);
	free(word);
	if (compile.status)
		return strstr(compile.output, "sanitize") || compile.status < 0
			? lt__check_end(out, CHECK_SKIPPED, "the compiler '%s' has no sanitizers", d->cc)
			: lt__check_fail(out, "it does not compile: %s", compile.output);
	struct lt_command run = { .argv = (const char *const[]){ binary, NULL }, .on = "the kernel" };
	(void)lt__command_run(&run, 1, 1, &limits, NULL, NULL);
	if (run.late)
		return lt__check_fail(out, "it does not come to an end");
	if (run.status == RETURNED)
		return true;
	char where[400] = "";
	if (!strstr(run.output, "ERROR: AddressSanitizer") && !strstr(run.output, "runtime error:"))
		return run.status > 128 ? lt__check_fail(out, "it ended the process by a signal: %s", strsignal(run.status - 128))
			: lt__check_fail(out, "it ended the process with exit code %d; it has to return", run.status);
	const char *what = what_of(run.output, where, sizeof where);
	return lt__check_fail(out, "a sanitizer says: %s%s", what, where);
}

static bool try_sanitized(struct check_device *d, struct check_outcome *out)
{
	const struct check_data how = { .seed = d->seed };
	struct lt_folder folder = { .path = "" };
	struct lt_program *p = NULL;
	char *schedule = NULL, path[4096];
	lt_status st = lt__check_lower(d, d->graph, &(struct check_tree){ .kind = CHECK_DEFAULT }, &p, &schedule);
	if (st)
		return lt__check_fail(out, "%s", lt_context_message(d->graph->ctx));
	void **data = lt__check_data_new(d->graph, &how);
	bool good = false;
	if (!data || p->nests.n != 1 || !lt_kernel_own_name(&p->nests.frozen[0].tree))
		(void)lt__check_end(out, CHECK_SKIPPED, "%s", "its kernel is not called");
	else if (lt__folder_new(&folder, d->host.temp_dir))
		(void)lt__check_fail(out, "there is no folder for its text");
	else {
		(void)snprintf(path, sizeof path, "%s/own.c", folder.path);
		good = write_file(path, &p->nests.frozen[0].tree, d->graph, data) ? run_program(d, out, path, folder.path)
			: lt__check_fail(out, "its text cannot be written");
	}
	lt__folder_remove(&folder);
	if (data)
		lt__check_data_free(d->graph, data);
	free(schedule);
	lt_program_free(p);
	return good;
}

const struct check_clause lt__check_own_sanitized = { .group = CHECK_own, .name = "sanitized", .first = try_sanitized };
