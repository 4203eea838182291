/* test_llvm_programs.c -- random kernel programs as LLVM IR: they leave what they leave in the simulator,
 * bit by bit where rounding is exact, for each processor that this machine can be.
 *
 * LT_SEED=N begins with another program, LT_KERNELS=N takes another number of them.
 */
#include <criterion/criterion.h>
#include <stdlib.h>
#include "backends/llvm/print.h"
#include "backends/llvm/session.h"
#include "check/random/must.h"
#include "tests/random_kernel.h"
#include "tests/simulated.h"

TestSuite(llvm_programs, .timeout = 300);

struct compiled { struct lt_session s; struct lt_llvm_code *code; lt_llvm_kernel_fn *run; struct lt_kernel *expanded; };

static void compiled_open(struct compiled *c, const char *cpu)
{
	struct keeper k = keeper_new();
	*c = (struct compiled){ .s = { .n_thread = 4 } };
	cr_assert_eq(lt_llvm_configure(cpu, &c->s.config, &k.diag), LT_OK, "%s", k.text);
	cr_assert_eq(lt_llvm_host_open(&c->s.machine, c->s.config.cpu, &k.diag), LT_OK, "%s", k.text);
	cr_assert_eq(lt_llvm_jit_open(&c->s.jit, &k.diag), LT_OK, "%s", k.text);
	c->s.config.verify = true;
}

static void compiled_close(struct compiled *c)
{
	lt_llvm_jit_close(c->s.jit);
	lt_llvm_host_close(&c->s.machine);
}

static void compiled_make(struct compiled *c, const struct lt_kernel *kernel)
{
	struct keeper k = keeper_new();
	char *why = NULL;
	LLVMMemoryBufferRef file;
	LLVMContextRef context = LLVMContextCreate();
	LLVMTargetMachineRef machine = lt_llvm_target_machine(&c->s.machine, 2);
	cr_assert_eq(lt_kernel_expand(kernel, &c->s.machine.lowering, &c->expanded, &k.diag), LT_OK, "%s", k.text);
	LLVMModuleRef m = lt_llvm_make(&c->s, c->expanded, machine, context, &why);
	cr_assert(m && !LLVMTargetMachineEmitToMemoryBuffer(machine, m, LLVMObjectFile, &why, &file), "%s", why);
	LLVMDisposeModule(m);
	LLVMContextDispose(context);
	LLVMDisposeTargetMachine(machine);
	cr_assert_eq(lt_llvm_link(c->s.jit, file, "random", &c->code, &c->run, &k.diag), LT_OK, "%s", k.text);
}

static void compiled_drop(struct compiled *c)
{
	lt_llvm_unlink(c->code);
	lt_kernel_free(c->expanded);
}

/* Ranges of three points, the last ones first, by four threads in turn. */
static void in_parts(const struct lt_host *host, uint32_t n_thread, int64_t n, lt_llvm_body_fn *body, void *arg)
{
	(void)host;
	for (int64_t i = (n + 2) / 3; i-- > 0; )
		body(arg, 3 * i, 3 * i + 3 < n ? 3 * i + 3 : n, (uint32_t)i % n_thread);
}

static void compiled_run(const struct compiled *c, void *const *slot)
{
	struct lt_fault fault = { 0 };
	size_t bytes = (size_t)(c->expanded->workspace_bytes + 4 * c->expanded->thread_bytes);
	void *workspace = aligned_alloc(64, (bytes + 64) / 64 * 64);
	must(workspace != NULL, "no memory");
	memset(workspace, 0xa5, bytes);
	c->run(slot, workspace, &fault, in_parts, NULL, 4);
	cr_expect_eq(fault.n, 0);
	free(workspace);
}

static void check_seed(struct compiled *c, const char *cpu, uint64_t seed)
{
	struct random_kernel_memory want, got;
	struct lt_kernel *k = random_kernel(seed, seed % 3 ? RANDOM_KERNEL_LANES : 0);
	cr_assert_not_null(k);
	random_kernel_fill(k, seed, &want);
	random_kernel_fill(k, seed, &got);
	simulated_good(k, want.at);
	compiled_make(c, k);
	compiled_run(c, got.at);
	for (uint32_t b = 0; b < k->n_buffer; b++) {
		const struct lt_kernel_buffer *x = &k->buffers[b];
		cr_assert(x->space != LT_SPACE_SLOT || random_kernel_same(x->dtype, want.at[x->slot], got.at[x->slot], x->elems),
			"seed %llu, '%s': buffer %s", (unsigned long long)seed, cpu, x->name);
	}
	compiled_drop(c);
	random_kernel_drop(&want);
	random_kernel_drop(&got);
	lt_kernel_free(k);
}

Test(llvm_programs, the_simulator_leaves_the_same)
{
	static const char *const cpus[] = { "", "cpu=x86-64-v3", "cpu=x86-64" };
	uint64_t seed = must_number("LT_SEED", 1), n = must_draws("LT_KERNELS", 60);
	for (int i = 0; i < 3; i++) {
		struct lt_llvm_config config;
		struct lt_llvm_host host;
		if (lt_llvm_configure(cpus[i], &config, NULL) || lt_llvm_host_open(&host, config.cpu, NULL))
			continue;
		lt_llvm_host_close(&host);
		struct compiled c;
		compiled_open(&c, cpus[i]);
		for (uint64_t k = 0; k < (i ? n / 3 : n); k++)
			check_seed(&c, cpus[i], seed + k);
		compiled_close(&c);
	}
}

/* A product's loops: what LLVM repeats in the innermost one is no arithmetic of addresses but their steps. */
static const char product[] =
	"kernel 1\nname product\nworkspace 0 thread 0\n"
	"buffer a f32[4096] slot 0 align 4 exclusive\nbuffer b f32[4096] slot 1 align 4 exclusive\n"
	"buffer c f32[4096] slot 2 align 4 exclusive written\n"
	"region host\n"
	"\tloop %i from 0 to 64\n\t\tloop %j from 0 to 8\n\t\t\tloop %k from 3 to 64\n"
	"\t\t\t\t%ai = mul i64 %i 64\n\t\t\t\t%ak = add i64 %ai %k\n\t\t\t\t%x = load f32 a[%ak]\n"
	"\t\t\t\t%bk = mul i64 %k 64\n\t\t\t\t%j8 = mul i64 %j 8\n\t\t\t\t%bj = add i64 %bk %j8\n"
	"\t\t\t\t%y = load f32x8 b[%bj]\n\t\t\t\t%z = splat f32x8 %x\n\t\t\t\t%p = mul f32x8 %z %y\n"
	"\t\t\t\t%cj = add i64 %ai %j8\n\t\t\t\t%old = load f32x8 c[%cj]\n\t\t\t\t%new = add f32x8 %old %p\n"
	"\t\t\t\tstore c[%cj] %new\n\t\t\tend\n\t\tend\n\tend\n";

/* The innermost loop's block is the only one with the product in it. */
static LLVMBasicBlockRef block_of_product(LLVMModuleRef m)
{
	for (LLVMValueRef f = LLVMGetFirstFunction(m); f; f = LLVMGetNextFunction(f))
		for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b; b = LLVMGetNextBasicBlock(b))
			for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i))
				if (LLVMGetInstructionOpcode(i) == LLVMFMul)
					return b;
	return NULL;
}

Test(llvm_programs, addresses_go_along_with_the_innermost_loop)
{
	struct keeper keep = keeper_new();
	struct compiled c;
	struct lt_kernel *k;
	LLVMContextRef context = LLVMContextCreate();
	int n_pointer = 0, n_whole = 0;
	compiled_open(&c, "cpu=x86-64");
	cr_assert_eq(lt_kernel_parse(product, sizeof product - 1, &k, &keep.diag), LT_OK, "%s", keep.text);
	LLVMTargetMachineRef machine = lt_llvm_target_machine(&c.s.machine, 2);
	char *why = NULL;
	LLVMModuleRef m = lt_llvm_make(&c.s, k, machine, context, &why);
	cr_assert_not_null(m, "%s", why);
	LLVMBasicBlockRef b = block_of_product(m);
	cr_assert_not_null(b);
	for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i)) {
		bool whole = LLVMGetTypeKind(LLVMTypeOf(i)) == LLVMIntegerTypeKind && !LLVMIsAPHINode(i) && !LLVMIsAICmpInst(i);
		n_pointer += LLVMIsAPHINode(i) && LLVMGetTypeKind(LLVMTypeOf(i)) == LLVMPointerTypeKind;
		n_whole += whole;
	}
	cr_expect_eq(n_pointer, 2, "a's and b's, not c's, which stays");
	cr_expect_eq(n_whole, 1, "the loop counts, and computes no address");
	LLVMDisposeModule(m);
	LLVMDisposeTargetMachine(machine);
	LLVMContextDispose(context);
	lt_kernel_free(k);
	compiled_close(&c);
}
