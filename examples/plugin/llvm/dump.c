/* examples/plugin/llvm/dump.c -- an object as text: LLVM IR, assembly, numbers. */
#include <stdio.h>
#include <string.h>
#include "session.h"

/* The module, or what becomes of it, made again. */
static lt_status code(const struct lt_object *o, bool assembly, lt_write *write, void *user)
{
	struct lt_llvm_need need;
	struct lt_session *s = o->s;
	LLVMContextRef c = LLVMContextCreate();
	LLVMTargetMachineRef machine = lt_llvm_target_machine(&s->machine, s->level);
	LLVMModuleRef m = machine ? lt_llvm_module(o->tree, &s->machine.machine, c, &need) : NULL;
	char *why = NULL;
	lt_status status = LT_ENOMEM;
	if (m) {
		LLVMMemoryBufferRef text = NULL;
		LLVMSetTarget(m, s->machine.triple);
		status = lt_llvm_optimise(m, machine, need.vectors, s->verify, &why) ? LT_OK : LT_ECOMPILE;
		if (!status && !assembly) {
			char *ir = LLVMPrintModuleToString(m);
			write(user, ir, strlen(ir));
			LLVMDisposeMessage(ir);
		} else if (!status) {
			status = LLVMTargetMachineEmitToMemoryBuffer(machine, m, LLVMAssemblyFile, &why, &text) ? LT_ECOMPILE : LT_OK;
			if (!status)
				write(user, LLVMGetBufferStart(text), LLVMGetBufferSize(text));
			if (text)
				LLVMDisposeMemoryBuffer(text);
		}
		LLVMDisposeModule(m);
	}
	if (status && why)
		write(user, why, strlen(why));
	if (why)
		LLVMDisposeMessage(why);
	if (machine)
		LLVMDisposeTargetMachine(machine);
	LLVMContextDispose(c);
	return status;
}

lt_status lt_llvm_dump(const struct lt_object *o, enum lt_dump what, lt_write *write, void *user)
{
	char text[256];
	uint32_t n_thread = lt_llvm_threads(o, 0);
	size_t bytes, align;
	if (what == LT_DUMP_SOURCE || what == LT_DUMP_ASM)
		return code(o, what == LT_DUMP_ASM, write, user);
	if (what != LT_DUMP_STATS)
		return LT_EUNSUPPORTED;
	lt_llvm_workspace(o, 0, &bytes, &align);
	int n = snprintf(text, sizeof text, "from_cache %d\nworkspace_bytes %zu\nparallel %d\nserialised %d\nthreads %u\nobject_bytes %zu\n",
		(int)o->loaded, bytes, (int)o->need.parallel, (int)(o->need.parallel && !LT_HAS(struct lt_host, o->s->host, parallel)),
		(unsigned)n_thread, o->bytes);
	write(user, text, (size_t)n);
	return LT_OK;
}

static void put_cache(lt_write *write, void *user, const char *name, uint64_t bytes, uint32_t ways)
{
	char text[128];
	int n = snprintf(text, sizeof text, ways ? "%s %llu KiB, %u ways\n" : "%s %llu KiB\n", name, (unsigned long long)(bytes >> 10), (unsigned)ways);
	if (bytes)
		write(user, text, (size_t)n);
}

void lt_llvm_describe(struct lt_session *s, lt_write *write, void *user)
{
	const struct lt_target *t = &s->machine.target;
	unsigned major, minor, patch;
	char text[512];
	LLVMGetVersion(&major, &minor, &patch);
	int n = snprintf(text, sizeof text, "LLVM %u.%u.%u for %.200s\ncores %u\nthreads %u\nvectors %u bytes, %u registers\n", major, minor, patch, s->machine.cpu,
		(unsigned)t->cores, (unsigned)s->n_thread, (unsigned)t->vector_bytes, (unsigned)t->vector_registers);
	write(user, text, (size_t)n);
	put_cache(write, user, "L1", t->l1_bytes, t->l1_ways);
	put_cache(write, user, "L2", t->l2_bytes, t->l2_ways);
	put_cache(write, user, "L3", t->l3_bytes, t->l3_ways);
}
