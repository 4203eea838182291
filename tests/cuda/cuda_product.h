/* cuda_product.h -- products of matrices that a kernel program calls cuBLAS for: of any order in memory,
 * with any epilogue; run by a session and by the simulator. */
#ifndef TESTS_CUDA_PRODUCT_H
#define TESTS_CUDA_PRODUCT_H
#include <math.h>
#include "kernel/form/form.h"
#include "kernel/simulate/simulate.h"
#include "tests/cuda/cuda_program.h"
#include "tests/cuda/cuda_session.h"

/* Orders: letters of dims from the slowest to the fastest; of a dim that an operand does not have the letter is not
 * there.  b, g are batches, m and i rows, n and j columns, k and h deep ones. */
struct cuda_product {
	const char *left, *right, *result, *extents;    /* "m 5 n 7 k 12" */
	const char *type, *to, *sum, *after;            /* after: "bias, relu" */
	int64_t begin[5];
};
enum { CUDA_PRODUCT_ELEMS = 1 << 16 };

static inline int64_t product_extent(const struct cuda_product *p, char dim)
{
	const char *at = strchr(p->extents, dim);
	return at ? atoll(at + 2) : 1;
}

/* From one of a dim to the next, in that order. */
static inline int64_t product_stride(const struct cuda_product *p, const char *order, char dim)
{
	const char *at = strchr(order, dim);
	int64_t stride = at ? 1 : 0;
	for (at = at ? at + 1 : ""; *at; at++)
		stride *= product_extent(p, *at);
	return stride;
}

static inline int64_t product_elems(const struct cuda_product *p, const char *order)
{
	int64_t n = 1;
	for (; *order; order++)
		n *= product_extent(p, *order);
	return n;
}

static inline uint32_t product_dtype(const char *type)
{
	return !strcmp(type, "f32") ? LT_F32 : !strcmp(type, "f64") ? LT_F64 : !strcmp(type, "f16") ? LT_F16 : LT_BF16;
}

/* The program; the caller's. */
static inline struct lt_kernel *product_kernel(const struct cuda_product *p)
{
	static const char letters[] = "bgminjkh";
	static const char *const roles[] = { "batch", "batch", "row", "row", "column", "column", "deep", "deep" };
	static const char *const names[] = { "y", "a", "b", "v", "r" };
	static char text[4096];
	const bool bias = strstr(p->after, "bias") != NULL, residual = strstr(p->after, "residual") != NULL;
	const char *order[] = { p->result, p->left, p->right, "nj", p->result };
	char dims[500] = "", operands[1000] = "", begins[300] = "", counts[300] = "";
	size_t n = 0;
	for (int i = 0; letters[i]; i++)
		if (strchr(p->extents, letters[i])) {
			const size_t d = strlen(dims), c = strlen(counts);
			(void)snprintf(dims + d, sizeof dims - d, "%s%s %c %lld", d ? ", " : "", roles[i], letters[i],
				(long long)product_extent(p, letters[i]));
			(void)snprintf(counts + c, sizeof counts - c, ", i64 %lld", (long long)product_extent(p, letters[i]));
		}
	n += (size_t)snprintf(text, sizeof text, "kernel 1\nname product\nworkspace 0 thread 0\n");
	for (int o = 0; o < 5; o++) {
		n += (size_t)snprintf(text + n, sizeof text - n, "buffer %s %s[%lld] slot %d align %u%s\n", names[o],
			o == 1 || o == 2 ? p->type : p->to, (long long)(product_elems(p, order[o]) + p->begin[o]), o,
			(unsigned)lt__number_bytes(product_dtype(o == 1 || o == 2 ? p->type : p->to)), o ? "" : " written");
		if ((o == 3 && !bias) || (o == 4 && !residual))
			continue;
		const size_t at = strlen(operands), b = strlen(begins);
		(void)snprintf(begins + b, sizeof begins - b, "%si64 %lld", b ? ", " : "", (long long)p->begin[o]);
		(void)snprintf(operands + at, sizeof operands - at, " %s (", names[o]);
		const char *gap = "";
		for (int i = 0; letters[i]; i++)
			if (strchr(p->extents, letters[i])) {
				const size_t s = strlen(operands);
				(void)snprintf(operands + s, sizeof operands - s, "%s%lld", gap,
					(long long)product_stride(p, order[o], letters[i]));
				gap = ", ";
			}
		(void)snprintf(operands + strlen(operands), sizeof operands - strlen(operands), ")");
	}
	(void)snprintf(text + n, sizeof text - n, "call cublas.gemm %s (%s) (%s)%s\nregion host\n\tcall 0 (%s%s)\n", p->sum,
		p->after, dims, operands, begins, counts);
	return cuda_parse(text);
}

/* Memory of the host, full of small numbers; the first is what `first` is, if that is no 0. */
struct product_memory { void *at[5]; uint32_t dtype[5]; int64_t elems[5]; };
static inline void product_fill(const struct cuda_product *p, double first, struct product_memory *m)
{
	const char *order[] = { p->result, p->left, p->right, "nj", p->result };
	uint64_t state = 7;
	for (int o = 0; o < 5; o++) {
		m->dtype[o] = product_dtype(o == 1 || o == 2 ? p->type : p->to);
		m->elems[o] = product_elems(p, order[o]) + p->begin[o];
		m->at[o] = calloc((size_t)m->elems[o], 8);
		for (int64_t i = 0; i < m->elems[o]; i++) {
			state = state * UINT64_C(6364136223846793005) + 1442695040888963407u;
			union lt_number x = { .f = (double)((int64_t)(state >> 33) % 2001 - 1000) / 1000 };
			x.f = o == 1 && i == 0 && first != 0 ? first : x.f;
			lt__number_store(m->at[o], i, m->dtype[o], lt__number_round(x, m->dtype[o]));
		}
	}
}
static inline void product_free(struct product_memory *m)
{
	for (int o = 0; o < 5; o++)
		free(m->at[o]);
}

/* Slots of a session with the same content. */
static inline void product_slots(struct lt_session *s, const struct product_memory *m, struct lt_slot *slot)
{
	struct keeper k = keeper_new();
	for (int o = 0; o < 5; o++) {
		const size_t bytes = (size_t)m->elems[o] * lt__number_bytes(m->dtype[o]);
		slot[o] = (struct lt_slot){ .bytes = (int64_t)bytes };
		cr_assert_eq(cuda_backend()->mem_new(s, bytes, &slot[o].base, &k.diag), LT_OK, "%s", k.text);
		cr_assert_eq(cuda_backend()->mem_copy(s, &slot[o], &(struct lt_slot){ m->at[o], 0, slot[o].bytes }, bytes,
			LT_COPY_TO_DEVICE, NULL, &k.diag), LT_OK, "%s", k.text);
	}
}

static inline struct lt_object *product_object(
	struct lt_session *s, const struct lt_tree *t, const struct cuda_product *p, struct lt_diag *diag)
{
	struct lt_cuda_code code;
	struct lt_object *o = NULL;
	cr_assert_eq(lt__cuda_code_print(product_kernel(p), &code, diag), LT_OK);
	(void)lt__cuda_compile(s, (const struct lt_tree *[]){ t }, &code, 1, &o, diag);
	return o;
}

/* What the simulator makes of it, in the memory itself. */
static inline void product_simulate(const struct cuda_product *p, struct product_memory *m)
{
	struct lt_slot slot[5];
	struct lt_fault fault = { 0 };
	struct keeper keeper = keeper_new();
	const struct lt_simulate_options options = { .seed = 1 };
	struct lt_kernel *k = product_kernel(p);
	for (int o = 0; o < 5; o++)
		slot[o] = (struct lt_slot){ m->at[o], 0, m->elems[o] * (int64_t)lt__number_bytes(m->dtype[o]) };
	const struct lt_args args = { .size = sizeof args, .n_slot = 5, .slot = slot, .fault = &fault };
	cr_assert_eq(lt__simulate(k, &args, &options, NULL, NULL, &keeper.diag), LT_OK, "%s", keeper.text);
	lt_kernel_free(k);
}

/* The result on the device against that: sums of numbers below 1 in another order, then rounded. */
static inline void product_compare(
	struct lt_session *s, const struct cuda_product *p, const struct lt_slot *y, struct product_memory *m, double loose)
{
	void *got = calloc((size_t)m->elems[0], 8);
	const double deep = (double)(product_extent(p, 'k') * product_extent(p, 'h'));
	const double unit = m->dtype[0] == LT_F64 ? 0x1p-52 : m->dtype[0] == LT_F32 ? 0x1p-23 : m->dtype[0] == LT_F16 ? 0x1p-10
		: 0x1p-7;
	product_simulate(p, m);
	cuda_fetch(s, y, got, (size_t)y->bytes);
	int wrong = 0;
	for (int64_t i = 0; i < m->elems[0]; i++) {
		double x = lt__number_load(got, i, m->dtype[0]).f, want = lt__number_load(m->at[0], i, m->dtype[0]).f;
		double most = unit * fabs(want) + (loose != 0 ? loose : m->dtype[0] == LT_F64 ? 0x1p-50 : 0x1p-21) * (deep + 2);
		if ((isnan(want) ? !isnan(x) : !(fabs(x - want) <= most)) && wrong++ < 3)
			cr_expect(false, "%s %s %s (%s) %s to %s (%s): element %lld is %g, not %g", p->left, p->right, p->result, p->extents,
				p->type, p->to, p->after, (long long)i, x, want);
	}
	free(got);
}
#endif
