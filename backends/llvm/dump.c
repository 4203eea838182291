/* dump.c -- an object as text: LLVM IR, assembly, numbers. */
#include <stdio.h>
#include <string.h>
#include "session.h"

/* The module, or what becomes of it, made again. */
static lt_status code(const struct lt_object *o, bool assembly, lt_write *write, void *user)
{
	struct lt_kernel *k;
	lt_status status = lt_llvm_lower(o->s, o->tree, &k, NULL);
	if (status)
		return status;
	LLVMContextRef c = LLVMContextCreate();
	LLVMTargetMachineRef machine = lt_llvm_target_machine(&o->s->machine, o->s->config.level);
	LLVMMemoryBufferRef text = NULL;
	char *why = NULL, *ir = NULL;
	LLVMModuleRef m = machine ? lt_llvm_make(o->s, k, machine, c, &why) : NULL;
	if (m && assembly && !LLVMTargetMachineEmitToMemoryBuffer(machine, m, LLVMAssemblyFile, &why, &text))
		write(user, LLVMGetBufferStart(text), LLVMGetBufferSize(text));
	else if (m && !assembly && (ir = LLVMPrintModuleToString(m)) != NULL)
		write(user, ir, strlen(ir));
	else if (why)
		write(user, why, strlen(why));
	status = text || ir ? LT_OK : why ? LT_ECOMPILE : LT_ENOMEM;
	if (text)
		LLVMDisposeMemoryBuffer(text);
	if (ir)
		LLVMDisposeMessage(ir);
	if (why)
		LLVMDisposeMessage(why);
	if (m)
		LLVMDisposeModule(m);
	if (machine)
		LLVMDisposeTargetMachine(machine);
	LLVMContextDispose(c);
	lt_kernel_free(k);
	return status;
}

static lt_status kernel(const struct lt_object *o, lt_write *write, void *user)
{
	struct lt_kernel *k;
	lt_status status = lt_llvm_lower(o->s, o->tree, &k, NULL);
	if (!status)
		lt_kernel_print(k, write, user);
	lt_kernel_free(k);
	return status;
}

lt_status lt_llvm_dump(const struct lt_object *o, enum lt_dump what, lt_write *write, void *user)
{
	char text[256];
	uint32_t n_thread = lt_llvm_threads(o, 0);
	size_t bytes, align;
	if (o->own && what == LT_DUMP_SOURCE)
		lt_llvm_own_write(o->tree, write, user);
	if (o->own && what != LT_DUMP_STATS)
		return what == LT_DUMP_SOURCE || what == LT_DUMP_DECISIONS ? LT_OK : LT_EUNSUPPORTED;
	if (what == LT_DUMP_SOURCE || what == LT_DUMP_ASM)
		return code(o, what == LT_DUMP_ASM, write, user);
	if (what == LT_DUMP_KERNEL)
		return kernel(o, write, user);
	if (what == LT_DUMP_DECISIONS)
		return lt_kernel_explain(o->tree, &o->s->machine.lowering, NULL, write, user);
	if (what != LT_DUMP_STATS)
		return LT_EUNSUPPORTED;
	lt_llvm_workspace(o, 0, &bytes, &align);
	int n = snprintf(text, sizeof text,
		"from_cache %d\nworkspace_bytes %zu\nparallel %d\nserialised %d\nthreads %u\nobject_bytes %zu\n",
		(int)o->loaded, bytes, (int)o->need.parallel,
		(int)(o->need.parallel && !LT_HAS(struct lt_host, o->s->host, parallel_for)), (unsigned)n_thread, o->bytes);
	write(user, text, (size_t)n);
	return LT_OK;
}

static void write_cache(lt_write *write, void *user, const char *name, uint64_t bytes, uint32_t ways)
{
	char text[128];
	int n = snprintf(text, sizeof text, ways ? "%s %llu KiB, %u ways\n" : "%s %llu KiB\n", name,
		(unsigned long long)(bytes >> 10), (unsigned)ways);
	if (bytes)
		write(user, text, (size_t)n);
}

/* The processors that code can be made for, by whether it runs here. */
static void write_cpus(const struct lt_llvm_host *h, bool runs, lt_write *write, void *user)
{
	char text[256] = "";
	for (uint32_t i = 0; lt_llvm_cpu_at(i); i++) {
		size_t n = strlen(text);
		if (!lt_llvm_lacks(h, lt_llvm_cpu_at(i)) == runs)
			(void)snprintf(text + n, sizeof text - n, "%s%s",
				n              ? ", "
					: runs ? "cpus "
					       : "cpus-not-here ",
				lt_llvm_cpu_at(i)->name);
	}
	size_t n = strlen(text);
	if (n)
		(void)snprintf(text + n, sizeof text - n, "\n");
	write(user, text, strlen(text));
}

void lt_llvm_describe(struct lt_session *s, lt_write *write, void *user)
{
	const struct lt_target *t = &s->machine.target;
	unsigned version[3];
	char text[512];
	lt_llvm_version(version);
	int n = snprintf(text, sizeof text,
		"LLVM %u.%u.%u for %.200s\ncores %u\nthreads %u\nvectors %u bytes, %u registers\n", version[0], version[1],
		version[2], s->machine.cpu, (unsigned)t->cores, (unsigned)s->n_thread, (unsigned)t->vector_bytes,
		(unsigned)t->vector_registers);
	write(user, text, (size_t)n);
	write_cache(write, user, "L1", t->l1_bytes, t->l1_ways);
	write_cache(write, user, "L2", t->l2_bytes, t->l2_ways);
	write_cache(write, user, "L3", t->l3_bytes, t->l3_ways);
	write_cpus(&s->machine, true, write, user);
	write_cpus(&s->machine, false, write, user);
}
