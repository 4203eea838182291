/* names.c -- the cases about data that move: gathers, states, run-time scalars, products, random graphs. */
#include "tools/check/parts.h"

static const enum lt_dtype index_types[] = { LT_I64, LT_I32, LT_I16, LT_U8, LT_I8, LT_U64, LT_U32, LT_U16 };
enum { N_INDEX_TYPE = sizeof index_types / sizeof *index_types };

static void add_gathers(struct check_adder *a)
{
	for (int t = 1; t < LT_NDTYPE; t++)
		for (int k = 0; k < N_INDEX_TYPE; k++)
			for (int axis = 0; axis < 2; axis++)
				if (a->o->full || k == 0 || (k + axis) % N_INDEX_TYPE == t % N_INDEX_TYPE)
					lt__check_add(a, CHECK_gather, &(struct check_spec){ .dtype = (enum lt_dtype)t, .other = index_types[k],
						.variant = axis, .schedule = (t + k + axis) % CHECK_N_SCHEDULE }, NULL);
	for (int k = 0; k < N_INDEX_TYPE; k++)
		lt__check_add(a, CHECK_gather, &(struct check_spec){ .dtype = LT_F32, .other = index_types[k], .variant = k % 2,
			.schedule = k % 2 ? CHECK_PLAIN : CHECK_DEFAULT, .wild = true }, NULL);
}

/* Loops in vectors: over the axis of the index and beside it; indices that are out of range in one lane, or beyond a
 * run-time extent. */
static void add_gather_vectors(struct check_adder *a)
{
	static const enum lt_dtype types[] = { LT_F32, LT_I8 };
	for (int tree = CHECK_INNER; tree < CHECK_N_TREE; tree++)
		for (int k = 0; k < 8; k++) {
			struct check_spec s = { .dtype = types[k / 4], .other = index_types[k / 2 % 2], .variant = k % 2, .schedule = tree };
			lt__check_add(a, CHECK_gather, &s, NULL);
			s.wild = true;
			if (k < 4)
				lt__check_add(a, CHECK_gather, &s, NULL);
		}
}

/* Along an axis that a run-time scalar bounds: indices within it, and one between it and the axis' static extent. */
static void add_gather_bounded(struct check_adder *a)
{
	static const int trees[] = { CHECK_DEFAULT, CHECK_PLAIN, CHECK_INNER, CHECK_OUTER };
	static const enum lt_dtype types[] = { LT_F32, LT_I8, LT_I32 };
	for (int k = 0; k < 3; k++)
		for (int by = 0; by < 2; by++)
			for (int i = 0; i < 4; i++) {
				struct check_spec s = { .dtype = types[k], .other = index_types[by], .variant = CHECK_G_BOUNDED + (i + k) % 2,
					.schedule = trees[i] };
				lt__check_add(a, CHECK_gather, &s, NULL);
				s.wild = true;
				if (k == 0)
					lt__check_add(a, CHECK_gather, &s, NULL);
			}
}

static void add_states(struct check_adder *a)
{
	for (int kind = 0; kind < CHECK_N_STATE; kind++)
		for (int t = 1; t < LT_NDTYPE; t++)
			if (kind == CHECK_COUNTER ? t == LT_F32
				: kind <= CHECK_UPDATE || a->o->full || t == LT_F32 || t == LT_F16 || t == LT_I8)
				lt__check_add(a, CHECK_state, &(struct check_spec){ .dtype = (enum lt_dtype)t, .variant = kind,
					.schedule = (t + kind) % CHECK_N_SCHEDULE }, NULL);
}

static void add_vectors(struct check_adder *a)
{
	static const enum lt_dtype types[] = { LT_F32, LT_I32 };
	for (int tree = CHECK_INNER; tree < CHECK_N_TREE; tree++)
		for (int k = 0; k < 2; k++) {
			struct check_spec s = { .dtype = types[k], .schedule = tree };
			for (s.variant = 0; s.variant < CHECK_N_STATE && (k == 0 || a->o->full); s.variant++)
				lt__check_add(a, CHECK_state, &s, NULL);
			for (s.variant = 0; s.variant < CHECK_N_PARAM; s.variant++)
				if (k == 0 || (s.variant != CHECK_P_SOFTMAX && (a->o->full || (s.variant + tree) % 2)))
					lt__check_add(a, CHECK_param, &s, NULL);
			for (s.variant = 0; s.variant < CHECK_N_PRODUCT; s.variant++) {
				s.shape = (s.variant + tree) % 2 ? CHECK_PRIME : CHECK_ABOVE;
				if (k == 0 || s.variant < CHECK_BIAS_RELU)
					lt__check_add(a, CHECK_product, &s, NULL);
			}
		}
}

static void add_params(struct check_adder *a)
{
	static const enum lt_dtype types[] = { LT_F32, LT_F16, LT_I32, LT_F64, LT_I8 };
	for (int kind = 0; kind < CHECK_N_PARAM; kind++)
		for (int k = 0; k < (kind == CHECK_P_SOFTMAX ? 2 : 5); k++)
			for (int schedule = 0; schedule < CHECK_N_SCHEDULE; schedule++)
				if (a->o->full || k == 0 || (k + schedule + kind) % 3 == 0)
					lt__check_add(a, CHECK_param, &(struct check_spec){ .dtype = types[k], .variant = kind,
						.schedule = schedule }, NULL);
}

static void add_products(struct check_adder *a)
{
	static const enum lt_dtype types[] = { LT_F32, LT_F64, LT_F16, LT_BF16, LT_I32 };
	static const int shapes[] = { CHECK_PRIME, CHECK_ABOVE, CHECK_DEEP, CHECK_ONE };
	for (int kind = 0; kind < CHECK_N_PRODUCT; kind++)
		for (int k = 0; k < 5; k++)
			for (int i = 0; i < 4; i++)
				for (int tree = 0; tree < CHECK_N_SCHEDULE; tree++) {
					bool often = (tree == CHECK_DEFAULT && (k == 0 || (k + i + kind) % 4 == 0)) || (k + i + kind + tree) % 16 == 0;
					if ((a->o->full || often) && (types[k] != LT_I32 || kind < CHECK_BIAS_RELU || kind == CHECK_CHAIN))
						lt__check_add(a, CHECK_product, &(struct check_spec){ .dtype = types[k], .shape = shapes[i],
							.variant = kind, .schedule = tree }, NULL);
				}
}

static void add_random(struct check_adder *a)
{
	int n_random = a->o->full ? 2000 : 40;
	for (int i = 0; i < (a->o->full ? 400 : 12); i++)
		for (int nest = 0; nest < 2; nest++)
			lt__check_add(a, CHECK_random, &(struct check_spec){ .variant = nest, .number = n_random + i,
				.schedule = CHECK_INNER + i % (CHECK_N_TREE - CHECK_INNER) }, NULL);
	for (int i = 0; i < n_random; i++)
		for (int nest = 0; nest < 2; nest++)
			lt__check_add(a, CHECK_random, &(struct check_spec){ .variant = nest, .number = i,
				.schedule = (1 + i) % CHECK_N_SCHEDULE }, NULL);
}

void lt__check_add_data(struct check_adder *a)
{
	add_gathers(a);
	add_gather_vectors(a);
	add_gather_bounded(a);
	add_states(a);
	add_params(a);
	add_products(a);
	add_vectors(a);
	add_random(a);
}
