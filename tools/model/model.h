/* model.h -- a model as the tools take it: its graph, what that asks for, and the tensors that it is given.
 *
 * In this order: the file becomes a graph (parse.c), this has bindings (bindings.c), these get tensors (bind.c).  A
 * step that fails answers a code and leaves a sentence in the context.
 */
#ifndef LT_TOOLS_MODEL_MODEL_H
#define LT_TOOLS_MODEL_MODEL_H
#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>
#include "ir/graph/graph.h"
#include "lt/lt.h"
#include "tools/common/common.h"
#include "tools/tensor/tensor.h"

/* What the command line says of a model, as the options of these names give it. */
struct model_options {
	const char *tool;               /* for messages: "lt-run" */
	const char *script;             /* its file; "-": standard input */
	const struct lt_texts *input, *inputs, *constant, *weights, *dim, *fix;
	const char *inputs_option;      /* "--inputs" */
	const char *kernels;            /* the folder of the user's own operations; NULL: there is none */
	/* whether the first of a list of backends says that any values do; NULL: nobody is asked */
	bool (*any_values)(const void *user, const char *backends);
	const void *user;
	bool fixed;                     /* extents are those of the model and of --dim, one for all runs: no tensor says one */
	bool names_only;                /* nothing is run: tensors are neither made nor asked for */
	bool keep_text;                 /* of a script: it is shown */
	bool quiet, verbose;
};

/* bindings.c: what a graph asks for and gives, in the order of the library's enumeration. */
struct model_binding {
	const char *name;
	enum lt_binding kind;
	enum lt_dtype dtype;
	int32_t rank;
	int64_t *shape;         /* at its maximum */
	lt_node node;
	bool needed;            /* a result or a state's new content depends on it */
	bool bounded;           /* an extent depends on a run-time scalar */
	/* by dim: the input, an int64 without dims, whose value is the extent; -1: it is fixed, or something else decides */
	int32_t *extent_from;
	/* by dim: an extent that is another sum of such inputs, "past + length"; n 0: it is none */
	struct model_sum { int64_t constant; int32_t n, *from; int64_t *coef; } *sum;
	const void *content;    /* of a constant, where the graph has it; NULL: it has to be given */
	double scale;           /* its integers q stand for (q - zero) * scale; 0: for themselves */
	int64_t zero;
	struct lt_source_range range;           /* of the values that it may have */
};
struct model_bindings { struct model_binding *at, **sorted; int32_t n; };         /* sorted: by name */
lt_status model_bindings_find(const struct lt_graph *, struct model_bindings out[LT_BINDING_RESULT + 1]);
void model_bindings_free(struct model_bindings bindings[LT_BINDING_RESULT + 1]);
int32_t model_binding_index(const struct model_bindings *, const char *name, size_t bytes);      /* -1: no such */
const char *model_binding_kind(enum lt_binding);        /* "input" */
/* "float32 [3, 4]" */
const char *model_binding_text(const struct model_binding *, char *out, size_t bytes);
size_t model_binding_bytes(const struct model_binding *);
/* extents.c: whether a tensor has its largest extents; its type, and these or fewer where they differ from run to
 * run. */
bool model_binding_fits(const struct model_binding *, const struct lt_tensor *);
bool model_binding_takes(const struct model_binding *, const struct lt_tensor *);

/* spec.c: what is wrong with the text after NAME=, whatever the type is; the tensor that it describes.  whole: the
 * option that takes a file of several tensors. */
lt_status model_spec_check(struct lt_context *, const char *whole, const char *spec);
lt_status model_spec_make(struct lt_context *, const struct model_binding *, const char *whole, const char *spec,
	struct lt_tensor *out);

/* Which tensor goes to which binding.  value[i]: of binding i, or NULL. */
struct model_values { const struct lt_tensor **value; };
struct model_given {
	struct lt_tensors *file;                /* every tensor that was read or made */
	int32_t n_file;
	struct model_values constant;
	struct model_values *input;             /* one an evaluation */
	int32_t n_input;
};

/* The whole; zeroed, it is empty. */
struct model_explained;
struct model {
	struct lt_bytes script;
	struct lt_texts read;                   /* files that the script names, and are read with it; each text is freed */
	struct lt_graph *graph;
	struct model_bindings binding[LT_BINDING_RESULT + 1];
	struct model_given given;
	struct model_explained *explained;
	int64_t parse_ns;
};
void model_free(struct model *);

/* shapes.c: the extents of an input in the files of the command line, by their headers; *rank -1: no file says them.
 * low, high: of LT_MAX_RANK; they differ where evaluations do. */
struct model_shapes { struct model_shapes_file { const char *path; struct lt_tensors tensors; } *at; int32_t n; };
lt_status model_shape(struct lt_context *, const struct model_options *, struct model_shapes *, const char *input,
	int32_t *rank, int64_t *low, int64_t *high);
void model_shapes_free(struct model_shapes *);

/* parse.c: the script's graph and its bindings; dimensions and inputs that the command line fixes are the
 * frontend's. */
lt_status model_parse(struct lt_context *, const struct model_options *, struct lt_phases *, struct model *);
const char *model_script_name(const char *script);      /* for messages */

/* bind.c.  backends: the list that will run it, whose first may say that any values do; NULL: not known. */
lt_status model_bind(struct lt_context *, const struct model_options *, const char *backends, struct model *);

/* fit.c: moves scalars that were drawn at random until they fit together, as far as it can. */
void model_fit(const struct model *);

/* weights.c: the weights of a script in a file beside it. */
/* NAME.safetensors of NAME.lt, malloc; NULL: no memory. */
char *model_weights_path(const char *script);
/* Writes the contents of constants beside the script `to`; *name: that file's, malloc, NULL: there are none, or `to` is
 * NULL, which is said. */
lt_status model_weights_dump(struct lt_context *, const struct model_options *, const struct model *, const char *to,
	char **name);

/* map.c: a file of the user's, mapped: what is not read of it takes no memory. */
struct model_mapped { const void *at; size_t n; };
lt_status model_map(struct lt_context *, const char *path, const char *what, struct model_mapped *out);
void model_unmap(struct model_mapped *);

/* explain.c: what lt_options.explain is given, told when the compilation has ended, well or not.  json: the object that
 * is told it; NULL: standard output is. */
lt_status model_explain_begin(struct lt_context *, json_t *json, struct model *);
void model_explain_add(void *model, const struct lt_explained *);       /* as lt_options.explain */
void model_explain_say(json_t *json, struct model *);
/* The proofs of sums of integers, by the contents that constants were given. */
lt_status model_explain_sums(json_t *json, struct model *);
/* After a run: what bounds each grid, where a backend predicts it. */
lt_status model_explain_bounds(struct lt_context *, json_t *json, const struct lt_program *);
void model_explain_free(struct model *);
#endif
