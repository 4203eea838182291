/* recurrent.h -- RNN, GRU and LSTM as ONNX defines them: their steps one after the other (recurrent.c).
 *
 * D directions, T steps, B sequences, I elements of x, H of a state, n gates (RNN 1; GRU 3: z, r, h; LSTM 4: i, o, f,
 * c).
 */
#ifndef LT_IR_BUILD_RECURRENT_H
#define LT_IR_BUILD_RECURRENT_H
#include "ir/build/function.h"

enum lt_recurrent_kind { LT_RECURRENT_RNN, LT_RECURRENT_GRU, LT_RECURRENT_LSTM, LT_RECURRENTS };
enum { LT_RECURRENT_ACTIVATIONS = 3, LT_RECURRENT_DIRECTIONS = 2, LT_RECURRENT_STEPS = 20000 };
/* Activations of one direction; their names where none are given. */
extern const struct lt_recurrent_info {
	const char *name;
	int32_t n_gate, n_act;
	bool cell;
	const char *act[LT_RECURRENT_ACTIVATIONS];
} lt__recurrent_info[LT_RECURRENTS];
struct lt_recurrent_act { const struct lt_function *function; double a, b; };

struct lt_recurrent {
	enum lt_recurrent_kind kind;
	int32_t n_direction;            /* 2: forward, then backwards */
	bool backwards;                 /* of one direction: from the last step to the first */
	bool batch_first;               /* the sequences are the first axis of x, y and the states: ONNX' layout 1 */
	bool linear_before_reset;       /* GRU */
	bool input_forget;              /* LSTM: f is 1 - i */
	double clip;                    /* 0: none */
	int64_t hidden;                 /* H */
	struct lt_recurrent_act act[LT_RECURRENT_DIRECTIONS][LT_RECURRENT_ACTIVATIONS];
	lt_node x;                      /* [T, B, I] */
	lt_node w, r;                   /* [D, n H, I], [D, n H, H] */
	lt_node bias;                   /* [D, 2 n H]: of x, then of h; this and the following LT_OMIT: zeros, but all steps */
	lt_node lengths;                /* [B]: steps of each sequence; behind them y is 0 and the states stay */
	lt_node h, cell;                /* [D, B, H] */
	lt_node peephole;               /* [D, 3 H], LSTM: i, o, f */
};
/* y [T, D, B, H] (batch_first [B, T, D, H]), the last h, the last cell (LT_OMIT unless LSTM), of x's type.  False with
 * a sentence.  Inside of lt__protect. */
bool lt__build_recurrent(struct lt_graph *, const struct lt_recurrent *, lt_node out[3]);
#endif
