/* tests/llvm/test_llvm_programs.c -- random kernel programs as LLVM IR: they leave what they leave in the simulator,
 * bit by bit where rounding is exact, for each processor that this machine can be.
 *
 * LT_SEED=N begins with another program, LT_KERNELS=N takes another number of them.
 */
#include <criterion/criterion.h>
#include <stdlib.h>
#include "backends/llvm/print.h"
#include "backends/llvm/session.h"
#include "check/must.h"
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
	uint64_t seed = must_number("LT_SEED", 1), n = must_number("LT_KERNELS", 60);
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
