/* test_wasm.c -- kernel programs as WebAssembly, without the library in a page: random ones, run by node, leave what
 * they leave in the simulator, bit by bit; wabt's assembler makes the binary of the text.
 *
 * LT_SEED=N begins with another program, LT_KERNELS=N takes another number of them.  Skipped without node.
 */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <unistd.h>
#include "backends/wasm/print.h"
#include "check/random/must.h"
#include "kernel/build/build.h"
#include "tests/random_kernel.h"
#include "tests/simulated.h"
#include "tools/common/common.h"

TestSuite(wasm, .timeout = 300);

static char folder[400];

static bool has(const char *program)
{
	char command[500];
	(void)snprintf(command, sizeof command, "command -v %s >/dev/null", program);
	return system(command) == 0;
}

static void begin(void)
{
	(void)snprintf(folder, sizeof folder, "%s/lt-wasm-XXXXXX", lt__temp_folder());
	cr_assert_not_null(mkdtemp(folder));
}

static void end(void)
{
	char command[500];
	(void)snprintf(command, sizeof command, "rm -rf '%s'", folder);
	cr_expect_eq(system(command), 0);
}

static FILE *file_of(uint64_t k, const char *kind, const char *mode)
{
	char path[500];
	(void)snprintf(path, sizeof path, "%s/%llu.%s", folder, (unsigned long long)k, kind);
	FILE *f = fopen(path, mode);
	cr_assert_not_null(f, "%s", path);
	return f;
}

static void put(FILE *f, const void *from, size_t bytes)
{
	cr_assert_eq(fwrite(from, 1, bytes, f), bytes);
}

static struct lt_kernel *expanded_of(const struct lt_kernel *k)
{
	const struct lt_machine machine = lt__wasm_machine();
	struct keeper diags = keeper_new();
	struct lt_kernel *out;
	cr_assert_eq(lt_kernel_expand(k, &machine, &out, &diags.diag), LT_OK, "%s", diags.text);
	return out;
}

static struct lt_kernel *kernel_of(uint64_t seed)
{
	struct lt_kernel *k = random_kernel(seed, (seed % 4 ? RANDOM_KERNEL_LANES : 0) | (seed % 5 ? 0 : RANDOM_KERNEL_STEPS));
	cr_assert_not_null(k);
	return k;
}

/* A slot's bytes are those of the longest buffer in it. */
static void write_program(uint64_t at, const struct lt_kernel *k, uint64_t seed)
{
	struct random_kernel_memory m;
	struct lt_kernel *e = expanded_of(k);
	struct wasm_bytes module = { NULL, 0, 0, false }, text = module;
	struct wasm_need need;
	cr_assert(lt__wasm_print(e, false, &module, &text, &need));
	random_kernel_fill(k, seed, &m);
	FILE *f = file_of(at, "wasm", "w");
	put(f, module.at, module.n);
	(void)fclose(f);
	f = file_of(at, "wat", "w");
	put(f, text.at, text.n);
	(void)fclose(f);
	f = file_of(at, "in", "w");
	put(f, &(uint32_t){ (uint32_t)need.workspace }, 4);
	put(f, &(uint32_t){ k->n_slot }, 4);
	for (uint32_t s = 0; s < k->n_slot; s++)
		put(f, &(uint32_t){ (uint32_t)m.bytes[s] }, 4);
	for (uint32_t s = 0; s < k->n_slot; s++)
		put(f, m.at[s], (size_t)m.bytes[s]);
	(void)fclose(f);
	free(module.at);
	free(text.at);
	random_kernel_drop(&m);
	lt_kernel_free(e);
}

static void read_program(uint64_t at, const struct lt_kernel *k, uint64_t seed)
{
	struct random_kernel_memory want, got;
	struct { struct lt_fault fault; char more[64 - sizeof(struct lt_fault)]; } head;
	uint32_t stray;
	random_kernel_fill(k, seed, &want);
	random_kernel_fill(k, seed, &got);
	simulated_good(k, want.at);
	FILE *f = file_of(at, "out", "r");
	cr_assert_eq(fread(&head, 1, sizeof head, f), sizeof head);
	for (uint32_t s = 0; s < k->n_slot; s++)
		cr_assert_eq(fread(got.at[s], 1, (size_t)got.bytes[s], f), (size_t)got.bytes[s]);
	(void)fclose(f);
	memcpy(&stray, (const char *)&head + 32, 4);
	cr_expect_eq(head.fault.n, 0, "seed %llu", (unsigned long long)seed);
	cr_expect_eq(stray, 0, "seed %llu: bytes beside the buffers are written", (unsigned long long)seed);
	for (uint32_t b = 0; b < k->n_buffer; b++) {
		const struct lt_kernel_buffer *x = &k->buffers[b];
		cr_expect(x->space != LT_SPACE_SLOT || random_kernel_same(x->dtype, want.at[x->slot], got.at[x->slot], x->elems),
			"seed %llu: buffer %s", (unsigned long long)seed, x->name);
	}
	random_kernel_drop(&want);
	random_kernel_drop(&got);
}

/* Writes or reads the program of a seed. */
static void with_kernel(void do_(uint64_t at, const struct lt_kernel *, uint64_t seed), uint64_t at, uint64_t seed)
{
	struct lt_kernel *k = kernel_of(seed);
	do_(at, k, seed);
	lt_kernel_free(k);
}

static void run_programs(uint64_t n)
{
	char command[600];
	(void)snprintf(command, sizeof command, "node tests/wasm/programs.mjs '%s' %llu", folder, (unsigned long long)n);
	cr_assert_eq(system(command), 0);
}

Test(wasm, node_leaves_what_the_simulator_leaves)
{
	const uint64_t seed = must_number("LT_SEED", 1), n = must_draws("LT_KERNELS", 200);
	if (!has("node"))
		cr_skip("node is not installed (scripts/setup.sh wasm)");
	begin();
	for (uint64_t i = 0; i < n; i++)
		with_kernel(write_program, i, seed + i);
	run_programs(n);
	for (uint64_t i = 0; i < n; i++)
		with_kernel(read_program, i, seed + i);
	end();
}

/* -- many values of many chunks */

enum { LANES = 64, MOST_WIDE = 40 };            /* 32 chunks of f64 each */

static struct lt_instruction wide(int opcode, int32_t what, uint32_t lanes)
{
	return (struct lt_instruction){ .opcode = (uint16_t)opcode, .dtype = lanes ? LT_F64 : 0, .lanes = lanes,
		.operand = { -1, -1, -1, -1 }, .what = what, .number = 0, .origin = -1 };
}

static void store_wide(struct lt_kernel_builder *b, int i, int32_t value)
{
	struct lt_instruction x = wide(LT_OPCODE_store, 1, 0);
	x.number = (int64_t)LANES * i;
	x.stride = 1;
	x.operand[3] = value;
	(void)lt__build(b, x);
}

static void load_wide(struct lt_kernel_builder *b, int n, int64_t value[])
{
	lt__builder_begin(b);
	b->name = "wide";
	b->n_slot = 2;
	for (int i = 0; i < 2; i++)
		(void)lt__build_buffer(b, &(struct lt_kernel_buffer){ .name = i ? "out" : "in", .dtype = LT_F64,
			.space = LT_SPACE_SLOT, .elems = MOST_WIDE * LANES, .align = 64, .slot = i, .exclusive = 1,
			.written = (uint8_t)i, .origin = -1 });
	for (int i = 0; i < n; i++) {
		struct lt_instruction x = wide(LT_OPCODE_load, 0, LANES);
		x.number = (int64_t)LANES * i;
		x.stride = 1;
		value[i] = lt__build(b, x);
	}
}

/* They are used in a nest. */
static struct lt_kernel *wide_nest(int n)
{
	struct lt_kernel_builder b = { .now = 0 };
	int64_t value[MOST_WIDE];
	cr_assert_eq(setjmp(b.pool.jump), 0);
	load_wide(&b, n, value);
	for (int i = 0; i < 2; i++)
		(void)lt__build_loop(&b, lt__build_const(&b, LT_I64, 0), lt__build_const(&b, LT_I64, 2), 1, -1);
	for (int i = 0; i < n; i++)
		store_wide(&b, i, (int32_t)value[i]);
	lt__build_end(&b);
	lt__build_end(&b);
	return lt__builder_end(&b);
}

/* They are handed to a team. */
static struct lt_kernel *wide_launch(int n)
{
	struct lt_kernel_builder b = { .now = 0 };
	struct lt_instruction x = wide(LT_OPCODE_launch, -1, 0);
	int64_t value[MOST_WIDE];
	cr_assert_eq(setjmp(b.pool.jump), 0);
	load_wide(&b, n, value);
	x.operand[0] = lt__build_const(&b, LT_I64, 1);
	x.first_extra = lt__build_extras(&b, value, n);
	x.n_extra = n;
	x.what = lt__build_region(&b, LT_REGION_TEAM, n, -1);
	for (int i = 0; i < n; i++)
		value[i] = lt__build(&b, wide(LT_OPCODE_argument, i, LANES));
	for (int i = 0; i < n; i++)
		store_wide(&b, i, (int32_t)value[i]);
	b.now = 0;
	(void)lt__build(&b, x);
	return lt__builder_end(&b);
}

/* Engines take 1000 parameters; the body of the second would want 40 * 32, and stays where it is. */
Test(wasm, a_body_is_given_as_many_chunks_as_engines_take)
{
	static const int n[] = { 31, 40 };
	if (!has("node"))
		cr_skip("node is not installed (scripts/setup.sh wasm)");
	begin();
	for (uint64_t i = 0; i < 2; i++) {
		struct lt_kernel *k = wide_nest(n[i]);
		write_program(i, k, 1);
		lt_kernel_free(k);
	}
	run_programs(2);
	for (uint64_t i = 0; i < 2; i++) {
		struct lt_kernel *k = wide_nest(n[i]);
		read_program(i, k, 1);
		lt_kernel_free(k);
	}
	end();
}

static void refused(struct lt_kernel *k, const char *sentence)
{
	struct keeper diags = keeper_new();
	cr_assert_not_null(k);
	cr_expect_eq(lt__wasm_check(k, &diags.diag), LT_EUNSUPPORTED, "%s", sentence);
	cr_expect(strstr(diags.text, sentence), "%s", diags.text);
	lt_kernel_free(k);
}

Test(wasm, what_has_no_module_is_refused)
{
	struct lt_kernel *k = wide_launch(31);
	struct keeper diags = keeper_new();
	cr_expect_eq(lt__wasm_check(k, &diags.diag), LT_OK, "%s", diags.text);
	lt_kernel_free(k);
	refused(wide_launch(32), "a launch hands its threads 1029 values of at most 16 bytes; functions of WebAssembly take "
		"1000");
	refused(random_kernel(1, RANDOM_KERNEL_TEXT), "operator mish is known only as C text, which this backend cannot "
		"compile");
	refused(random_kernel(1, RANDOM_KERNEL_GRID), "WebAssembly has nothing for `");
}

/* -- the engine of another process */

/* Ends with its input.  NULL: it does not come. */
static FILE *engine_start(struct wasm_engine **e)
{
	char command[600], path[500], why[400];
	(void)snprintf(path, sizeof path, "%s/engine", folder);
	(void)snprintf(command, sizeof command, "exec node --no-liftoff tests/wasm/engine.mjs '%s' >/dev/null", path);
	(void)unlink(path);
	FILE *f = popen(command, "w");
	*e = NULL;
	for (int i = 0; f && i < 600 && !lt__wasm_engine_open(path, strlen(path), e, why, sizeof why); i++)
		(void)usleep(50000);
	cr_assert_not_null(*e, "%s", why);
	return f;
}

/* A module that copies the first values of slot 0 to values number `to` of slot 1. */
static struct wasm_module *copy_module(struct wasm_engine *e, int to)
{
	struct lt_kernel_builder b = { .now = 0 };
	struct wasm_bytes binary = { NULL, 0, 0, false };
	struct wasm_need need;
	int64_t value[1];
	char why[400];
	cr_assert_eq(setjmp(b.pool.jump), 0);
	load_wide(&b, 1, value);
	store_wide(&b, to, (int32_t)value[0]);
	struct lt_kernel *k = lt__builder_end(&b);
	cr_assert(lt__wasm_print(k, false, &binary, NULL, &need));
	struct wasm_module *m = lt__wasm_engine_make(e, binary.at, binary.n, NULL, 0, why, sizeof why);
	cr_assert_not_null(m, "%s", why);
	free(binary.at);
	lt_kernel_free(k);
	return m;
}

/* "": it ran, and did so. */
static const char *copied(struct wasm_engine *e, struct wasm_module *m, bool writes, char why[400])
{
	static double in[MOST_WIDE * LANES], out[MOST_WIDE * LANES];
	struct lt_fault fault = { .n = 0 };
	for (int i = 0; i < MOST_WIDE * LANES; i++) {
		in[i] = i + 1;
		out[i] = -1;
	}
	const struct wasm_call c = { (void *const[]){ in, out }, (const int64_t[]){ sizeof in, sizeof out },
		(const uint8_t[]){ 0, writes }, 2, NULL, 0, &fault };
	why[0] = '\0';
	if (lt__wasm_engine_run(e, m, &c, why, 400))
		for (int i = 0; i < MOST_WIDE * LANES; i++)
			cr_expect_eq(out[i], i < LANES ? i + 1 : -1);
	return why;
}

#define SAYS(sentence, part) cr_expect(strstr(sentence, part), "%s", why)

Test(wasm, what_goes_wrong_in_an_engine_is_said_and_the_next_run_is_well)
{
	struct wasm_engine *e, *other;
	char why[400];
	if (!has("node"))
		cr_skip("node is not installed (scripts/setup.sh wasm)");
	begin();
	FILE *f = engine_start(&e);
	struct wasm_module *good = copy_module(e, 0), *behind = copy_module(e, MOST_WIDE), *far = copy_module(e, 1 << 21);
	cr_expect_str_empty(copied(e, good, true, why));
	SAYS(copied(e, far, true, why), "memory access out of bounds");
	cr_expect_str_empty(copied(e, good, true, why));
	SAYS(copied(e, behind, true, why), "writes behind slot 1");
	SAYS(copied(e, good, false, why), "writes slot 1, which it only reads");
	cr_expect_str_empty(copied(e, good, true, why));
	const struct wasm_call large = { (void *const[]){ NULL }, (const int64_t[]){ INT64_C(1) << 32 },
		(const uint8_t[]){ 0 }, 1, NULL, 0, &(struct lt_fault){ .n = 0 } };
	cr_expect_not(lt__wasm_engine_run(e, good, &large, why, sizeof why));
	SAYS(why, "more bytes than the memory of an engine");
	(void)pclose(f);
	SAYS(copied(e, good, true, why), "does not answer");
	f = engine_start(&other);
	SAYS(copied(e, good, true, why), "no such module");
	struct wasm_module *again = copy_module(e, 0);
	cr_expect_str_empty(copied(e, again, true, why));
	struct wasm_module *const all[] = { good, behind, far, again };
	for (int i = 0; i < 4; i++)
		lt__wasm_engine_drop(e, all[i]);
	lt__wasm_engine_close(e);
	lt__wasm_engine_close(other);
	(void)pclose(f);
	char path[201];
	memset(path, 'x', sizeof path);
	cr_expect_not(lt__wasm_engine_open(path, 200, &e, why, sizeof why));
	SAYS(why, "too long: it may have 107 bytes");
	end();
}

/* The assembler of wabt makes the same bytes of the text. */
Test(wasm, the_text_is_the_binary)
{
	const uint64_t seed = must_number("LT_SEED", 1), n = must_draws("LT_TEXTS", 40);
	char command[2000];
	if (!has("wat2wasm"))
		cr_skip("wat2wasm is not installed (scripts/setup.sh wasm)");
	begin();
	for (uint64_t i = 0; i < n; i++) {
		with_kernel(write_program, i, seed + i);
		(void)snprintf(command, sizeof command, "cd '%s' && wat2wasm %llu.wat -o t.wasm && cmp t.wasm %llu.wasm", folder,
			(unsigned long long)i, (unsigned long long)i);
		cr_expect_eq(system(command), 0, "seed %llu", (unsigned long long)(seed + i));
	}
	end();
}
