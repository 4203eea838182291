/* llama.h -- the parts of lt-llama: a checkpoint becomes programs, a prompt becomes tokens, these become text.
 *
 * A step that fails answers a code and leaves a sentence in the context, which main prints.
 */
#ifndef LT_TOOLS_LLAMA_LLAMA_H
#define LT_TOOLS_LLAMA_LLAMA_H
#include <jansson.h>
#include "frontends/llama2/llama2.h"
#include "tools/option/option.h"
#include "tools/run/run.h"

/* options.c: the command line; everything points into argv. */
struct llama_options {
	const char *checkpoint, *tokenizer, *prompt, *system, *mode, *backends, *cc, *schedule, *output, *cache_dir,
		*emit, *convert, *dtype, *kv_dtype;
	struct lt_texts load;
	double temperature, top;
	int64_t steps, threads;         /* steps 0: as many as the context has positions */
	uint64_t seed;                  /* 0: by the time */
	bool verify, allow_unbounded, time, explain, json, tokens, no_cache, quiet, verbose;
};
extern const struct lt_tool llama_tool;
lt_status llama_options_read(struct lt_context *, int argc, char **argv, struct llama_options *, bool *done);
void llama_options_free(struct llama_options *);

/* Tokens of one run of the program that reads a prompt: more are several runs. */
enum { LLAMA_PROMPT = 64 };
/* Fewer tokens than these go through the step, whose program is there anyway. */
enum { LLAMA_PROMPT_MIN = 16 };

/* A program with its instance, and what its inputs are given. */
struct llama_program {
	struct run run;
	bool ready;
	int64_t *tokens, position, count;
	int32_t max;                    /* tokens of a run */
	int64_t runs;
	struct lt_stats stats;          /* of the program, once it is compiled; size 0: it never was */
};

/* Time that tokens took, and how many they were. */
struct llama_rate { int64_t tokens, ns; };

struct llama {
	struct llama_options o;
	struct lt_context *ctx;
	struct model_mapped checkpoint, vocabulary;
	struct lt_llama model;
	void *converted;                /* --dtype: weights of another type than the file's */
	bool floats;                    /* int8 weights become floats */
	enum lt_dtype cache;
	struct lt_llama_tokenizer *tokenizer;   /* NULL: no text is read or written */
	struct lt_llama_sampler sampler;
	struct lt_program *cache_program;
	struct lt_instance *cache_instance;     /* whose states are those of both programs */
	struct llama_program step, prompt;      /* made when they are needed */
	struct llama_program *last;             /* which ran last */
	float *logits;                          /* what it left */
	char *backends, *cache_dir;
	int32_t steps;                  /* positions that are evaluated at most */
	int32_t position;               /* the next one */
	struct llama_rate read, made;   /* tokens of prompts, tokens that were made after the first */
	int64_t compile_ns;
	struct llama_out {
		int32_t *token; size_t n, cap;  /* what came out, for --json */
		char *text; size_t bytes; FILE *keep;
		float *logits; size_t n_logits, cap_logits;     /* for --output: rows */
		bool any;                       /* something is printed in this line */
	} out;
	struct lt_phases phases;
	json_t *json;
	enum lt_exit verdict;
};

/* model.c */
lt_status llama_begin(struct llama *);          /* backends, cache, the program of a step */
/* Logits of the token behind these, which come at l->position; they are the caller's to change until the next call.
 * NULL: an interruption came first, and l->position says how many were read. */
lt_status llama_feed(struct llama *, const int32_t *token, int32_t n, float **logits);
/* The same of one that was made, which l->made counts; what has to be compiled first is no part of its time. */
lt_status llama_feed_made(struct llama *, int32_t token, float **logits);
void llama_prompt_end(struct llama *);          /* no prompt follows: what only prompts need is freed */
lt_status llama_verdict(struct llama *);        /* --verify: what was found */
void llama_end(struct llama *);

/* generate.c, chat.c */
lt_status llama_generate(struct llama *);
lt_status llama_chat(struct llama *);
/* The tokens of a text, malloc, after the one that begins a text. */
lt_status llama_tokens_of(struct llama *, const char *text, int32_t **out, int32_t *n);

/* The token that is drawn from these logits, which stand for the one behind l->position; an error if one is not
 * finite. */
lt_status llama_next(struct llama *, float *logits, int32_t *out);

/* text.c: what comes out, as it comes. */
lt_status llama_say(struct llama *, int32_t before, int32_t token);
void llama_line_end(struct llama *);
lt_status llama_keep_logits(struct llama *, const float *logits);
lt_status llama_write_logits(struct llama *);
void llama_text_free(struct llama *);

/* emit.c: --emit-script: writes scripts and their weights into a folder */
lt_status llama_emit(struct llama *);
struct lt_tool_inputs;
/* Makes the folder; lt__overwrite_check and lt__out_check of each file */
lt_status llama_emit_check(const struct llama *, const struct lt_tool_inputs *);

/* convert.c: --convert: writes the model as a checkpoint, in the type of --dtype */
lt_status llama_convert(struct llama *);

/* report.c: how fast it was, and what the programs are. */
void llama_report(struct llama *);
#endif
