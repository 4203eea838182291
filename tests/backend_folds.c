/* backend_folds.c -- reductions of vectors (backend_ops.h). */
#include "tests/backend_ops.h"

enum { N = 24, N_NAME = 4 };
static const char *const names[N_NAME] = { "add", "mul", "min", "max" };
static const int widths[] = { 2, 3, 5, 8, 16, 24 };
enum { N_WIDTH = sizeof widths / sizeof *widths };

static bool is_float(enum lt_dtype t) { return lt__dtype_info(t)->cls == LT_CLASS_FLOAT; }

/* x_w[i] to r[w, o][i]: slot N_WIDTH + N_NAME * w + o, for operators o that the type has. */
static void add_folds(struct tb *b, enum lt_dtype t, int w, const int32_t *buffer)
{
	char row[32], at[16];
	int width = widths[w];
	int32_t outer = tb_loop(b, -1, LT_SERIAL, N, NULL, "i"), inner = tb_loop(b, outer, LT_VECTOR, width, NULL, "v");
	int32_t op[N_NAME];
	(void)snprintf(row, sizeof row, "%d*i%d + i%d", width, 2 * w, 2 * w + 1);
	(void)snprintf(at, sizeof at, "i%d", 2 * w);
	for (int o = 0; o < N_NAME; o++)
		if (lt__op_takes((enum lt_opcode)lt__op_find(names[o]), t)) {
			op[o] = tb_op(b, names[o], t, t);
			tb_reset(b, op[o], outer, tb_access(b, buffer[N_WIDTH + N_NAME * w + o], at), names[o], o);
		}
	for (int o = 0; o < N_NAME; o++)
		if (lt__op_takes((enum lt_opcode)lt__op_find(names[o]), t)) {
			int32_t to = tb_access(b, buffer[N_WIDTH + N_NAME * w + o], at);
			tb_stmt(b, LT_COMBINE, op[o], inner, to, NULL, names[o], o)->reducing = inner;
			tb_read(b, tb_access(b, buffer[w], row));
		}
}

/* Sums and products that no order rounds; some of them infinite or NaN. */
static void fill_folds(struct bench *m, enum lt_dtype t, int w)
{
	for (int i = 0; i < N * widths[w]; i++) {
		union lt_scalar v = is_float(t) ? tb_f(i % 7 == 6 ? -2 : i % 2 ? 1 : -1) : tb_i(i * 2654435761 + 1);
		lt__store(data(m, w), i, t, lt__round_to(v, t));
	}
	for (int i = 0; i < 2 * widths[w] && is_float(t); i++)
		lt__store(data(m, w), 5 * widths[w] + i, t, tb_f(i == 2 ? NAN : i == widths[w] ? INFINITY : 1));
}

static void check_folds(struct bench *m, enum lt_dtype t, int w, int o)
{
	enum lt_opcode code = (enum lt_opcode)lt__op_find(names[o]);
	for (int i = 0; i < N; i++) {
		union lt_scalar want = lt__op_identity(code, t), got = lt__load(data(m, N_WIDTH + N_NAME * w + o), i, t);
		for (int k = 0; k < widths[w]; k++) {
			union lt_scalar v[] = { want, lt__load(data(m, w), i * widths[w] + k, t) };
			want = lt__round_to(lt__op_value(code, t, v), t);
		}
		cr_expect(is_float(t) ? same(got.f, want.f) : got.i == want.i, "%s of %d %s, number %d: %.17g/%lld, not %.17g/%lld",
			names[o], widths[w], lt__dtype_info(t)->name, i, got.f, (long long)got.i, want.f, (long long)want.i);
	}
}

void ops_reductions(const struct ops_backend *backend)
{
	static const enum lt_dtype types[] = { LT_F32, LT_F64, LT_I32, LT_I64, LT_BOOL, LT_U32, LT_U64 };
	for (size_t k = 0; k < sizeof types / sizeof *types; k++) {
		enum lt_dtype t = types[k];
		struct tb *b = tb_new("fold", 0, 2 * N_WIDTH, 0);
		struct bench m;
		int32_t buffer[N_WIDTH * (1 + N_NAME)];
		for (int w = 0; w < N_WIDTH; w++)
			buffer[w] = tb_buffer(b, "x", t, LT_INPUT, -1, (int64_t)N * widths[w]);
		for (int r = 0; r < N_WIDTH * N_NAME; r++)
			buffer[N_WIDTH + r] = tb_buffer(b, names[r % N_NAME], t, LT_OUTPUT, -1, N);
		for (int w = 0; w < N_WIDTH; w++)
			add_folds(b, t, w, buffer);
		open_bench_with(&m, backend->name, backend->config, b);
		for (int w = 0; w < N_WIDTH; w++)
			fill_folds(&m, t, w);
		cr_assert_eq(run(&m, (uint32_t)b->tree.n_slot), LT_OK, "%s", m.k.text);
		for (int w = 0; w < N_WIDTH; w++)
			for (int o = 0; o < N_NAME; o++)
				if (lt__op_takes((enum lt_opcode)lt__op_find(names[o]), t))
					check_folds(&m, t, w, o);
		ops_close(&m, b);
	}
}
