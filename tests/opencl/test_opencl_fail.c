/* test_opencl_fail.c -- the backend opencl where something fails: memory, compilers, the device's limits.
 * A session's table of functions is its own, so tests put others into it. */
#include "tests/opencl/opencl_session.h"

static struct lt_opencl_driver real;

static void fail_begin(void)
{
	opencl_begin();
	cr_assert_eq(lt__opencl_driver_load(&real, NULL), LT_OK);
}
TestSuite(opencl_fail, .init = fail_begin, .timeout = 120);

Test(opencl_fail, out_of_memory_leaves_the_session_usable)
{
	struct lt_session *s = opencl_open();
	void *none;
	for (int i = 0; i < 2; i++) {
		struct keeper k = keeper_new();
		cr_expect_eq(opencl_backend()->mem_new(s, i ? SIZE_MAX / 2 : (size_t)s->facts.largest_bytes + 1, &none, &k.diag),
			LT_ENOMEM);
		cr_expect(!none && strstr(k.text, "in one piece"), "%s", k.text);
	}
	opencl_expect_usable(s);
	opencl_backend()->close(s);
}

/* -- calls that fail, n of them -- */

static int failing;             /* calls that still do */
static cl_int error_given;
static cl_mem fail_memory_new(cl_context c, cl_mem_flags flags, size_t bytes, void *at, cl_int *r)
{
	(void)at;
	if (failing-- <= 0)
		return real.memory_new(c, flags, bytes, NULL, r);
	*r = error_given;
	return NULL;
}
static cl_int fail_write(cl_command_queue q, cl_mem m, cl_bool b, size_t at, size_t n, const void *from,
	cl_uint n_event, const cl_event *before, cl_event *event)
{
	return failing-- > 0 ? error_given : real.write(q, m, b, at, n, from, n_event, before, event);
}
static cl_int fail_launch(cl_command_queue q, cl_kernel k, cl_uint rank, const size_t *from, const size_t *global,
	const size_t *local, cl_uint n, const cl_event *before, cl_event *event)
{
	return failing-- > 0 ? error_given : real.launch(q, k, rank, from, global, local, n, before, event);
}
static cl_program wrong_program(cl_context c, cl_uint n, const char **text, const size_t *bytes, cl_int *r)
{
	static const char *wrong = "__kernel void nothing(void)\n{\n\tint x = there_is_no_such_name;\n}\n";
	return failing-- > 0 ? real.program_new(c, 1, &wrong, NULL, r)
		: real.program_new(c, n, text, bytes, r);
}

Test(opencl_fail, errors_have_names_and_the_session_goes_on)
{
	struct lt_session *s = opencl_open();
	struct tb *b = opencl_twice("twice");
	struct lt_object *o = opencl_object(s, b);
	struct lt_slot slot[2];
	struct lt_fault fault;
	void *none;
	opencl_vectors(s, slot);
	struct lt_args args = opencl_args(slot, 2, &fault);
	s->cl.memory_new = fail_memory_new;
	s->cl.write = fail_write;
	s->cl.launch = fail_launch;
	static const struct { cl_int error; lt_status status; const char *says; } rows[] = {
		{ CL_MEM_OBJECT_ALLOCATION_FAILURE, LT_ENOMEM, "has no memory for 100 bytes" },
		{ CL_OUT_OF_RESOURCES, LT_ENOMEM, "CL_OUT_OF_RESOURCES" },
		{ CL_MEM_OBJECT_ALLOCATION_FAILURE, LT_ENOMEM, "kernel twice: launching twice_1: CL_MEM_OBJECT_ALLOCATION_FAILURE" },
		{ CL_INVALID_WORK_GROUP_SIZE, LT_EDEVICE, "kernel twice: launching twice_1: CL_INVALID_WORK_GROUP_SIZE" },
		{ -9999, LT_EDEVICE, "error -9999 of OpenCL" },
	};
	for (int i = 0; i < 5; i++) {
		struct keeper k = keeper_new();
		error_given = rows[i].error;
		failing = 1;
		s->cl.memory_new = i == 0 ? fail_memory_new : real.memory_new;
		lt_status status = i < 2 ? opencl_backend()->mem_new(s, 100, &none, &k.diag)
			: opencl_backend()->run(o, &args, &k.diag);
		cr_expect_eq(status, rows[i].status, "row %d", i);
		cr_expect(strstr(k.text, rows[i].says), "row %d: %s", i, k.text);
		failing = 0;
		opencl_expect_usable(s);
	}
	opencl_drop(s, slot, 2);
	opencl_backend()->destroy(o);
	opencl_backend()->close(s);
	free(b);
}

static char logged[4096];
static void hear_log(const struct lt_host *host, enum lt_log level, const char *text)
{
	(void)host, (void)level;
	(void)snprintf(logged, sizeof logged, "%s", text);
}

Test(opencl_fail, what_the_compiler_says_is_in_the_sentence)
{
	static const struct lt_host host = { .size = sizeof host, .log = hear_log };
	struct keeper k = keeper_new();
	struct lt_session *s = opencl_open_on(&host, "O0");
	struct tb *b[2] = { opencl_twice("twice"), opencl_gather() };
	const struct lt_tree *tree[2] = { &b[0]->tree, &b[1]->tree };
	struct lt_object *o[2];
	s->cl.program_new = wrong_program;
	failing = 1;
	cr_expect_eq(opencl_backend()->compile(s, tree, 1, o, &k.diag), LT_ECOMPILE);
	cr_expect(strstr(k.text, "kernel twice: the compiler of ") && strstr(k.text, "CL_BUILD_PROGRAM_FAILURE")
		&& strstr(k.text, "there_is_no_such_name"), "%s", k.text);
	cr_expect(strstr(logged, "there_is_no_such_name"), "%s", logged);
	cr_expect_null(o[0]);
	failing = 3;                            /* of both together, and of each: it is known which */
	k = keeper_new();
	cr_expect_eq(opencl_backend()->compile(s, tree, 2, o, &k.diag), LT_ECOMPILE);
	cr_expect(strstr(k.text, "kernel twice: "), "%s", k.text);
	failing = 1;                            /* of both together only */
	cr_assert_eq(opencl_backend()->compile(s, tree, 2, o, &k.diag), LT_OK, "%s", k.text);
	cr_expect_neq(o[0]->program, o[1]->program);
	for (int i = 0; i < 2; i++) {
		opencl_backend()->destroy(o[i]);
		free(b[i]);
	}
	opencl_expect_usable(s);
	opencl_backend()->close(s);
}

static int stop(const struct lt_host *host)
{
	(void)host;
	return 1;
}

Test(opencl_fail, hosts_cancel_and_only_look)
{
	static const struct lt_host impatient = { .size = sizeof impatient, .cancelled = stop },
		reader = { .size = sizeof reader, .text_only = 1 };
	struct keeper k = keeper_new();
	struct tb *b = opencl_twice("twice");
	const struct lt_tree *t = &b->tree;
	struct lt_object *o;
	struct lt_fault fault;
	static char text[1 << 16];
	struct lt_session *s = opencl_open_on(&impatient, "");
	cr_expect_eq(opencl_backend()->compile(s, &t, 1, &o, &k.diag), LT_ECANCELLED);
	cr_expect(!o && strstr(k.text, "compiling kernel twice was cancelled"), "%s", k.text);
	opencl_backend()->close(s);
	s = opencl_open_on(&reader, "");
	cr_assert_eq(opencl_backend()->compile(s, &t, 1, &o, &k.diag), LT_OK, "%s", k.text);
	struct lt_args args = opencl_args(NULL, 0, &fault);
	k = keeper_new();
	cr_expect_eq(opencl_backend()->run(o, &args, &k.diag), LT_EUNSUPPORTED);
	cr_expect(strstr(k.text, "only printed"), "%s", k.text);
	cr_expect_eq(opencl_backend()->save(o, NULL, text, &k.diag), LT_EUNSUPPORTED);
	opencl_backend()->destroy(o);
	opencl_backend()->close(s);
	free(b);
}

/* -- devices with other numbers -- */

Test(opencl_fail, a_smaller_device_says_which_number_it_is)
{
	struct lt_session *s = opencl_open();
	struct tb *b = opencl_twice("twice");
	const struct lt_opencl_facts facts = s->facts;
	for (int i = 0; i < 4; i++) {
		static const char *const says[] = { "its blocks have 16 threads, and 8 are the most here",
			"its blocks have 16 threads along block.x, and 8 are the most on this device",
			"it takes 32 bytes of arguments, and 16 are the most on this device", "" };
		struct keeper k = keeper_new();
		s->facts = facts;
		s->facts.max_threads = i == 0 ? 8 : facts.max_threads;
		s->facts.max_along[0] = i == 1 ? 8 : facts.max_along[0];
		s->facts.parameter_bytes = i == 2 ? 16 : facts.parameter_bytes;
		cr_expect_eq(opencl_backend()->accepts(s, &b->tree, &k.diag), i < 3 ? LT_EUNSUPPORTED : LT_OK);
		cr_expect(strstr(k.text, says[i]), "%s", k.text);
	}
	opencl_backend()->close(s);
	free(b);
}

static cl_device_info changed;
static uint64_t changed_to;
static cl_int other_fact(cl_device_id d, cl_device_info which, size_t bytes, void *to, size_t *n)
{
	size_t own = 0;
	cl_int r = real.device_fact(d, which, bytes, to, &own);
	if (which == changed && to)
		memcpy(to, &changed_to, own);
	if (n)
		*n = own;
	return r;
}

Test(opencl_fail, machine_and_target_follow_from_the_device)
{
	static const struct { cl_device_info which; uint64_t to; const char *says; } no[] = {
		{ CL_DEVICE_AVAILABLE, 0, "is not available" }, { CL_DEVICE_COMPILER_AVAILABLE, 0, "has no compiler" },
		{ CL_DEVICE_ENDIAN_LITTLE, 0, "has the highest byte of a number first" },
		{ CL_DEVICE_MAX_WORK_GROUP_SIZE, 0, "runs no kernels" },
	};
	struct keeper k = keeper_new();
	struct lt_session *s = opencl_open();
	s->cl.device_fact = other_fact;
	for (int i = 0; i < 4; i++) {
		k = keeper_new();
		changed = no[i].which;
		changed_to = no[i].to;
		cr_expect_eq(lt__opencl_device(s, &k.diag), LT_EUNSUPPORTED);
		cr_expect(strstr(k.text, no[i].says), "%s", k.text);
	}
	changed = CL_DEVICE_DOUBLE_FP_CONFIG;
	cr_assert_eq(lt__opencl_device(s, &k.diag), LT_OK);
	cr_expect_eq(s->caps.dtypes >> LT_F64 & 1, 0);
	changed = CL_DEVICE_LOCAL_MEM_SIZE;
	changed_to = 32768;
	cr_assert_eq(lt__opencl_device(s, &k.diag), LT_OK);
	cr_expect(s->caps.dtypes >> LT_F64 & 1 && s->target.shared_bytes == 32768 && s->machine.shared_bytes == 32768);
	changed = CL_DEVICE_MAX_WORK_GROUP_SIZE;
	changed_to = 256;
	cr_assert_eq(lt__opencl_device(s, &k.diag), LT_OK);
	cr_expect_eq(s->target.max_block, 256);
	opencl_backend()->close(s);
}
