/* export.h -- a program as C text that stands alone: one function, with the kernels as their backend prints
 * them, the order of launches and the memory plan as plain C, constants as read-only data, and a header.
 *
 * Example: a program of two kernels that was compiled with source_only for "cpu:target=avx2", its constants bound.
 *     lt__export_new(p, &options, &x);           computes once, here, what depends only on constants
 *     lt__export_write(x, LT_EXPORT_SOURCE, write, user);
 * The text needs nothing of this library, allocates nothing and keeps nothing but what is declared static.
 */
#ifndef LT_PROGRAM_EXPORT_EXPORT_H
#define LT_PROGRAM_EXPORT_EXPORT_H
#include "kernel/walk/walk.h"
#include "program/plan/plan.h"
#include "program/run/run.h"

/* How constants are written: arrays of numbers; the file's bytes, which the assembler takes in; memory that a loader
 * fills with them. */
enum lt_export_data { LT_EXPORT_ARRAYS, LT_EXPORT_INCBIN, LT_EXPORT_LOADED };
/* The texts: declarations; the function; the constants' definitions; their bytes, where they are a file; the table of
 * tensors that a main program goes by (tools/build/standalone/main.c), and what it calls; of a module for JavaScript
 * (tools/build/module/): what it exports, its tensors as JSON, and its types. */
enum lt_export_part { LT_EXPORT_HEADER, LT_EXPORT_SOURCE, LT_EXPORT_CONSTANTS, LT_EXPORT_BYTES, LT_EXPORT_TABLE,
	LT_EXPORT_MODULE, LT_EXPORT_JSON, LT_EXPORT_TYPES };

struct lt_export_options {
	const char *name;               /* a C identifier: the function, and what all other names begin with */
	const char *header;             /* file names, as #include and .incbin take them */
	const char *bytes;
	const char *about;              /* for the first comment: what it was made from */
	const char *flags;              /* what a compiler is told; NULL: nothing is said about that */
	/* Bare C99 (bare.c): the kernels are printed so, too.  integer: a run that computes with floats is refused; flash:
	 * what stands before the type of a constant, for memory with addresses of its own, such as "__flash"; NULL: nothing */
	bool bare, integer;
	bool no_f64;                    /* of bare C99: a double of the target has 32 bits, so float64 is refused */
	const char *flash;
	bool strict;                    /* ISO C99 alone: nothing of a compiler's own, not even behind #ifdef */
	enum lt_export_data data;
	bool static_workspace;          /* the caller may leave the workspace and states out */
};
struct lt_export;
/* The program's kernels are C text: all of them are the backend cpu's, with source_only.  Borrows p and the options'
 * texts. */
lt_status lt__export_new(struct lt_program *p, const struct lt_export_options *, struct lt_export **out);
void lt__export_free(struct lt_export *);               /* NULL: nothing */
lt_status lt__export_write(struct lt_export *, enum lt_export_part, lt_write *, void *user);
/* Of all constants that a run reads; 0: there are none. */
int64_t lt__export_constant_bytes(const struct lt_export *);

/* --- between the files export*.c --- */
struct lt_names;
/* An input, state or result as a member of the function's struct. */
struct lt_export_member {
	const struct lt_binding_def *def;
	lt_node node;                   /* of an input or result; -1: there is none, for nothing reads it */
	const char *name;               /* NULL: it is none, for nothing reads it */
	const char *bytes;              /* the member that may say how many bytes it has; NULL: it is a value */
	bool scalar;                    /* an int64 that is given as a value */
	bool implied;                   /* a scalar that is the extent of an input */
	const char **extent;            /* of a result, by axis: the member that has the run's; NULL: it is always the same */
	/* of an input: an extent differs from run to run; so it does not lie as the plan has it, and is spread */
	bool bounded, spread;
};
/* Bytes that are read-only data: of a constant, or of what was made of constants. */
struct lt_export_constant { int32_t storage; const char *name; const void *at; int64_t bytes, offset; };

struct lt_export {
	struct lt_program *p;
	struct lt_export_options o;
	struct lt_arena *a;
	const char *upper;              /* the name in capital letters */
	struct lt_export_member *member[LT_NBINDING];   /* by kind and binding; none of constants */
	struct lt_export_constant *constant; int32_t n_constant;
	int32_t *constant_of;           /* by storage; -1: it is none */
	void *prepared;
	bool copies, blocks, fails;     /* what the function calls */
	bool *absent;                   /* by param: read by unused nodes only */
	struct lt_step_row *row;             /* by step of a run, and the rounds that they are */
	struct lt_rounds_list rounds;
	/* of a bare one: where storages, and what kernels need in a step, begin in memory; its size; its alignment */
	int64_t *bare_at, *bare_scratch, bare_align;
	struct lt_fit_size bare_size;
	bool *bare_shared;              /* by kernel: what it writes may share bytes with what it reads */
	const char *bare_peak;
};
/* text.c.  Bytes of the caller's workspace with all that it is for. */
struct lt_export_workspace { int64_t plan, scratch, spread, all; };        /* spread: where inputs are spread to */
struct lt_export_workspace lt__export_workspace(const struct lt_export *);
int64_t lt__export_spread_bytes(const struct lt_export *, int32_t inputs);       /* of the first inputs */
enum { LT_EXPORT_ALIGN = 64 };
/* What a name of the graph is in C text: of a string; within a comment. */
const char *lt__export_string(const struct lt_export *, const char *);
const char *lt__export_comment(const struct lt_export *, const char *);
/* A text that is shown: what a terminal would act upon is \x1b. */
const char *lt__export_plain(const struct lt_export *, const char *);
/* "softmax.lt:3:5: ", or "" */
const char *lt__export_location(const struct lt_export *, int32_t line, int32_t column);
/* Lines, a tab further in each. */
void lt__export_indented(struct lt_text *, const char *lines, size_t bytes);
/* Where a storage begins, as C. */
const char *lt__export_address(const struct lt_export *, int32_t storage);

/* member.c */
lt_status lt__export_members(struct lt_export *);
/* Each input that is no member, for nothing reads it: its name as it has to stand there, between two texts. */
void lt__export_unread(const struct lt_export *, struct lt_text *, const char *before,
	const char *(*quoted)(const struct lt_export *, const char *), const char *behind);
const struct lt_vardef *lt__export_var(const struct lt_export *, const struct lt_export_member *, int32_t axis);
int32_t lt__export_scalar(const struct lt_export *, lt_param);          /* the input that is its value; -1: none */
/* Whether an extent is a scalar, and no other sum. */
bool lt__export_plain_extent(const struct lt_export *, const struct lt_vardef *, int32_t *scalar);
/* extent.c.  words: "past + length"; type: "float32 [batch: at most 8, 3]". */
const char *lt__export_words(const struct lt_export *, const struct lt_linear *);
const char *lt__export_type(const struct lt_export *, const struct lt_export_member *);
lt_status lt__export_sizes(struct lt_export *, struct lt_text *);       /* extents of inputs; sizes that are said */
void lt__export_spreader(const struct lt_export *, struct lt_text *);
void lt__export_spread(const struct lt_export *, struct lt_text *);
lt_status lt__export_prepare(struct lt_export *);                       /* prepare.c: sets prepared */
void lt__export_constants(struct lt_export *);                          /* constant.c: sets constant */
const char *lt__export_flash(const struct lt_export *, int32_t storage);        /* o.flash of this constant, or NULL */
void lt__export_declare(const struct lt_export *, struct lt_text *);    /* header.c: the header */
/* kernel.c */
lt_status lt__export_kernels(const struct lt_export *, lt_write *, void *user);
lt_status lt__export_kernel_text(const struct lt_program *, const struct lt_built *, struct lt_text *);
void lt__export_add(void *text, const char *, size_t bytes);            /* an lt_write to a struct lt_text */
/* bare.c */
lt_status lt__export_bare_check(const struct lt_export *);
lt_status lt__export_bare_plan(struct lt_export *);
void lt__export_bare_declare(const struct lt_export *, struct lt_text *);
/* " (320 at one time, the largest of them net.lt:7:3: %5, 256 bytes)", for a message; "": there is nothing. */
const char *lt__export_bare_peak(const struct lt_export *);
/* What a call does; *whole: that is known of all kernels. */
lt_status lt__export_bare_work(const struct lt_export *, struct lt_walk_work *, bool *whole);
lt_status lt__export_bare_source(struct lt_export *, lt_write *, void *user);
/* blocks.c: the tables of copies of many pieces, and what runs them. */
void lt__export_blocks(const struct lt_export *, struct lt_text *);
void lt__export_blocks_call(const struct lt_export *, struct lt_text *, int32_t nest);
/* step.c: the steps of a run, in order; those that are rounds as one loop. */
void lt__export_steps(const struct lt_export *, struct lt_text *);
/* param.c: run-time scalars read and checked; extents of results set.  LT_EUNSUPPORTED: a sum of them may be too
 * large. */
lt_status lt__export_params(struct lt_export *, struct lt_text *);
lt_status lt__export_extents(struct lt_export *, struct lt_text *);
/* "2 + 3 * param[0]", its least and its largest value by the ranges of the params; LT_EUNSUPPORTED: they, or a part of
 * them, do not fit 64 bits. */
lt_status lt__export_sum(const struct lt_export *, const struct lt_linear *, const char **text, int64_t *min,
	int64_t *max);
/* function.c */
lt_status lt__export_function(struct lt_export *, lt_write *, void *user);
/* constant.c */
void lt__export_extern(const struct lt_export *, struct lt_text *);
lt_status lt__export_define(const struct lt_export *, lt_write *, void *user);
void lt__export_bytes(const struct lt_export *, lt_write *, void *user);
/* table.c.  Tensors that a caller has are rows, in the order of kinds: inputs, results, states. */
int32_t lt__export_row(const struct lt_export *, enum lt_binding kind, int32_t binding);
void lt__export_table(const struct lt_export *, struct lt_text *);
/* module.c */
void lt__export_module(const struct lt_export *, struct lt_text *);
void lt__export_json(const struct lt_export *, struct lt_text *);
void lt__export_types(const struct lt_export *, struct lt_text *);
#endif
