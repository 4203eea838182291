/* mutants.h -- mutants of printed kernels, and whether `lt-run --verify` catches them. */
#ifndef MUTANTS_H
#define MUTANTS_H
#include <stdint.h>
#include <stdio.h>
#include "tests/mutants/kinds.h"

/* One command whose kernels are mutated. */
struct subject {
	/* "examples/matmul.lt@2": the second line with this script; "graph@7": a random graph */
	char *name;
	char **option; int n_option;    /* the script, then what follows it */
	int n_run;                      /* evaluations, a file of results each */
	const char *verify;             /* "--verify", as the right kernels pass it */
	char *dir;                      /* where its files are */
	struct text text;               /* what is printed for it */
	struct site { int kind, tok, variant; } *site;  /* all there are, by kind */
	int n_site;
	double work;                    /* elements that its evaluations compute: what a verification takes time for */
	double cpu_seconds;             /* of the right kernels' run */
};

/* subject.c */
struct setting { const char *self, *lt_run, *dir, *examples, *target; uint64_t seed; };
/* All lines of the file, then n random graphs. */
struct subject *subjects_new(const struct setting *, int n_graph, int *n);
/* By name. */
struct subject *subject_find(const struct setting *, const char *name);
void subject_free(struct subject *);
bool is_random(const struct subject *);
/* Prints its kernels and finds all sites; open: runs them as they are, too.  False: they are judged wrong (why, for
 * people). */
bool subject_read(const struct setting *, struct subject *, char *why, size_t bytes);
bool subject_open(const struct setting *, struct subject *, char *why, size_t bytes);
/* Of a kind, the n-th, from 0; NULL: there are fewer. */
const struct site *subject_site(const struct subject *, int kind, int n);
/* Sites of a kind. */
int subject_sites(const struct subject *, int kind);

/* run.c */
enum outcome { CAUGHT, SURVIVED, HARMLESS, NOT_COMPILED, NOT_RUN, N_OUTCOME };
/* state: no result moved far enough to count, but a state did. */
struct verdict { enum outcome outcome; double moved; bool state; char line[200], became[200]; };
/* "mutant.c": the n-th mutant of a kind, written there. */
void mutant_write(const struct subject *, int kind, int n, const char *path, struct verdict *lines);
void mutant_run(const struct setting *, const struct subject *, int kind, int n, struct verdict *out);
/* The command that runs a file, as a shell takes it. */
void command_print(FILE *, const struct setting *, const struct subject *, const char *source);
/* Runs the right kernels; exit code. */
int right_run(const struct setting *, struct subject *, const char *source);
/* Writes its graph (--dump=graph) or its kernels (--dump=source); exit code. */
int dump(const struct setting *, const struct subject *, const char *what, const char *path);

/* moved.c: how far results are from the right ones, as a share of their norm: the largest of all tensors in the
 * files. */
double moved(const char *right, const char *wrong, int n_run);
/* The same of states, which lt-run writes nowhere: as far as its report says that one of them is from the oracle's, if
 * that is the farthest; elements that it calls open are left out. */
double state_moved(const char *log);

/* score.c: draws, runs side by side, counts and tells.  0: enough of them are caught. */
struct plan { int each, n_graph, jobs; double min; };
int score(const struct setting *, const struct plan *);
#endif
