/* test_kernel_verify.c -- each rule of lt/kernel.h broken once, in a text or in the arrays, and what is said. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "check/random/must.h"
#include "tests/kernel_text.h"
#include "tests/random_kernel.h"

TestSuite(kernel_verify, .timeout = 300);

/* Lines that are declared, the host region's (%h) and a team's (%t); what is left out is nothing. */
struct broken { const char *declared, *host, *team, *message; };
#define TEAM "\tlaunch 1 8 ()\n"

/* Line 4 is the first of `declared`; y is line 3. */
static const struct broken texts[] = {
	/* Names, buffers. */
	{ "buffer z f32[8] slot 1 align 3\n", "", 0, "kernel:4:1: the alignment of buffer z is no power of two" },
	{ "buffer z f32[9223372036854775807] slot 1 align 4\n", "", 0, "kernel:4:1: buffer z has 9223372036854775807 "
		"elements" },
	{ "buffer z f32[8] workspace 64 align 4\n", "", 0, "kernel:4:1: buffer z ends behind the 64 bytes of the workspace" },
	{ "buffer z f32[9] thread 0 align 4\n", "", 0, "kernel:4:1: buffer z ends behind the 32 bytes of the part of a "
		"thread" },
	{ "buffer z f32[8] workspace 4 align 16\n", "", 0, "kernel:4:1: offset 4 of buffer z is no multiple of its alignment"
		},
	{ "buffer z f32[8] workspace 0 align 128\n", "", 0, "kernel:4:1: buffer z is aligned to 128 bytes, but the workspace "
		"begins at a multiple of 64; align it to 64; a slot, or an array, may ask for more" },
	{ "buffer z f32[8] thread 0 align 128\n", "", 0, "kernel:4:1: buffer z is aligned to 128 bytes, but the part of a "
		"thread begins at a multiple of 64" },
	{ "buffer z f32[8] slot 0 align 4\n", "", 0, "kernel:4:1: buffers z and y overlap, but y is exclusive; declare both "
		"without `exclusive`" },
	{ "buffer v f32[8] workspace 0 align 4\nbuffer w i8[8] workspace 28 align 4 exclusive\n", "", 0,
		"kernel:5:1: buffers w and v overlap, but w is exclusive" },
	{ "buffer v i8[8] workspace 28 align 4\nbuffer w f32[8] workspace 0 align 4 exclusive\n", "", 0,
		"kernel:5:1: buffers v and w overlap, but w is exclusive" },
	{ "buffer z f32[8] slot 1 align 4 written\n", "", 0, "kernel:4:1: buffer z is declared as written, but nothing writes "
		"it; declare it without `written`" },
	{ "buffer z f32[8] slot 1 align 4\n", "\tstore z[0] 1\n", 0, "kernel:6:2: region 0: buffer z is written here, but "
		"declared without `written`; declare it with `written`" },
	/* Params. */
	{ "buffer p i32[8] slot 1 align 4\nparam n buffer p element 0 range 0..1\n", "", 0,
		"kernel:5:1: param n is no element of a buffer of type i64 in a slot" },
	{ "buffer p i64[8] slot 1 align 8\nparam n buffer p element 8 range 0..1\n", "", 0,
		"kernel:5:1: param n is element 8 of buffer p, which has 8" },
	{ "buffer p i64[8] slot 1 align 8\nparam n buffer p element 7 range 2..1\n", "", 0,
		"kernel:5:1: the range of param n is empty: 2..1" },
	{ "", "\t%0 = param 0\n", 0, "kernel:5:2: region 0: 'param' names number 0; there are 0" },
	/* Operators. */
	{ "operator f f32 () identity 0x0 \"1\"\n", "", 0, "kernel:4:1: an operator has a name, a C text, one to three" },
	{ "operator f f32 (f32) identity 0x0 \"$0\"\n", "\t%0 = text f64 0 1\n", 0,
		"kernel:6:2: region 0: operator f gives f32, not f64" },
	/* Regions and launches. */
	{ "", "", "", "kernel:5:1: region 1: no launch runs this region; remove it" },
	{ "", TEAM, "\tlaunch 1 8 ()\n", "kernel:7:2: region 1: only the host region launches" },
	{ "", "\tlaunch 2 8 ()\n" TEAM, "", "kernel:5:2: region 0: there is no region 2 to launch: the program has region 1" },
	{ "", "\tlaunch 0 8 ()\n" TEAM, "", "kernel:5:2: region 0: there is no region 0 to launch: the program has region 1" },
	{ "", "\tlaunch 1 8 (i64 1)\n\tlaunch 1 8 ()\n", "",
		"kernel:6:2: region 0: region 1 takes 1 arguments, but 0 are handed over" },
	{ "", "\tlaunch 1 8 (i64 1)\n\tlaunch 1 8 (f32 1)\n", "", "kernel:6:2: region 0: argument 0 is f32; another launch of "
		"region 1 hands over i64 (line 5); cast it" },
	{ "", TEAM, "\t%0 = argument i64 0\n", "kernel:7:2: region 1: there is no argument 0: region 1 takes 0" },
	{ "", "\tlaunch 1 8 (f32 0)\n", "\t%0 = argument i64 0\n",
		"kernel:7:2: region 1: argument 0 is i64 here, but f32 is handed over (line 5)" },
	{ "", "\t%0 = argument i64 0\n", 0, "kernel:5:2: region 0: there is no argument 0: region 0 takes 0" },
	{ "", "\t%0 = first\n", 0, "kernel:5:2: region 0: 'first' is a point of a team; the host region has none" },
	/* Values and blocks. */
	{ "", "\tif 0x1\n\t%0 = neg f32 1\n\tend\n\tstore y[0] %0\n", 0, "kernel:8:2: region 0: operand 3 is made in a block "
		"that has ended (line 6); make it before that block, or keep it in a variable" },
	{ "", "\tloop %0 from 0 to 8\n\tend\n\t%1 = neg i64 %0\n", 0,
		"kernel:7:2: region 0: operand 0 is made in a block that has ended (line 5)" },
	{ "", "\tif 0x1\n\t%0 = neg f32 1\n\telse\n\tstore y[0] %0\n\tend\n", 0,
		"kernel:8:2: region 0: operand 3 is made in a block that has ended (line 6)" },
	{ "", "\tif 0x1\n\t%0 = neg i64 1\n\tend\n\tlaunch 1 8 (%0)\n", "",
		"kernel:8:2: region 0: the value handed over as 0 is made in a block that has ended (line 6)" },
	/* Variables. */
	{ "variable s f32\n", "\tset s 1\n", 0, "kernel:6:2: region 0: variable s does not exist here: its instruction stands "
		"in "
		"no line before this one; write `variable NAME` in the block around all its uses" },
	{ "variable s f32\n", "\tif 0x1\n\tvariable s\n\tend\n\tset s 1\n", 0, "kernel:9:2: region 0: variable s does not "
		"exist "
		"here: its instruction stands in a block that has ended" },
	{ "variable s f32\n", "\tvariable s\n" TEAM, "\tset s 1\n", "kernel:9:2: region 1: variable s does not exist here: "
		"its "
		"instruction stands in another region" },
	{ "variable s f32\n", "\tvariable s\n" TEAM, "\tvariable s\n", "kernel:9:2: region 1: variable s begins in region 0, "
		"too; give each region its own" },
	{ "variable s f32\n", "\tvariable s\n\tloop %0 from 0 to 2\n\tvariable s\n\tend\n", 0,
		"kernel:8:2: region 0: variable s begins twice: it exists here already" },
	{ "variable s f32\n", "\tvariable s\n\tset s 1\n\t%0 = get s\n\tset s 2\n\tstore y[0] %0\n", 0,
		"kernel:10:2: region 0: operand 3 is what variable s held before it was set again (line 8); get it again" },
	{ "variable s f32\n", "\tvariable s\n\tset s 1\n\t%0 = get s\n\tupdate s add 2\n\tstore y[0] %0\n", 0,
		"kernel:10:2: region 0: operand 3 is what variable s held before" },
	{ "variable s f32\n", "\tvariable s\n\tset s 1\n\t%0 = get s\n\tloop %1 from 0 to 2\n\tstore y[0] %0\n\tset s "
		"2\n\tend\n",
		0, "kernel:10:2: region 0: operand 3 is what variable s held before" },
	{ "variable s f32\n", "\tvariable s\n\tset s 1\n\tloop %1 from 0 to 2\n\t%0 = get s\n\tloop %2 from 0 to 2\n"
		"\tloop %3 from 0 to 2\n\tstore y[0] %0\n\tend\n\tset s 2\n\tend\n\tend\n",
		0, "kernel:12:2: region 0: operand 3 is what variable s held before" },
	{ "variable s f32\n", "\tvariable s\n\tset s 1\n\t%0 = get s\n\tloop %1 from 0 to 2\n\tloop %2 from 0 to 2\n"
		"\tset s 2\n\tend\n\tend\n\tstore y[0] %0\n", 0, "kernel:14:2: region 0: operand 3 is what variable s held before" },
	{ "variable s f32\n", "\tvariable s\n\tset s 1\n\t%0 = get s\n\tif 0x1\n\tset s 2\n\tend\n\tstore y[0] %0\n", 0,
		"kernel:12:2: region 0: operand 3 is what variable s held before" },
	{ "variable s f32\n", "\tvariable s\n\tset s 1\n\t%0 = get s\n\tif 0x1\n\telse\n\tset s 2\n\tend\n\tstore y[0] %0\n",
		0,
		"kernel:13:2: region 0: operand 3 is what variable s held before" },
	{ "variable s f32\n", "\tvariable s\n\tset s 1\n\t%0 = get s\n\tloop %1 from 0 to 2\n\tif 0x1\n\tset s 2\n\telse\n"
		"\tstore y[0] %0\n\tend\n\tend\n", 0, "kernel:13:2: region 0: operand 3 is what variable s held before" },
	{ "variable n i64\n", "\tvariable n\n\tset n 4\n\t%0 = get n\n\tloop %1 from 0 to %0\n\tset n 2\n\tend\n", 0,
		"kernel:9:2: region 0: the end of the loop is what variable n holds, but the loop changes it (line 8); copy it" },
	/* Arrays and parts of threads. */
	{ "buffer a f32[8] array align 4\n", "\t%0 = load f32 a[0]\n", 0, "kernel:6:2: region 0: array a does not exist here: "
		"its "
		"instruction stands in no line before this one; write `array NAME` in the block around all its uses" },
	{ "buffer a f32[8] array align 4\n", "\tif 0x1\n\tarray a\n\telse\n\t%0 = load f32 a[0]\n\tend\n", 0,
		"kernel:9:2: region 0: array a does not exist here: its instruction stands in a block that has ended" },
	{ "buffer a f32[8] array align 4\n", "\tarray a\n" TEAM, "\t%0 = load f32 a[0]\n",
		"kernel:9:2: region 1: array a does not exist here: its instruction stands in another region" },
	{ "", "\tarray y\n", 0, "kernel:5:2: region 0: buffer y does not begin in a block: it is no array" },
	{ "buffer a f32[8] thread 0 align 4\n", "\t%0 = load f32 a[0]\n", 0, "kernel:6:2: region 0: buffer a is a part of "
		"each "
		"thread of a team; the host region has none; put it in the workspace, or use it in a team" },
	/* Addresses. */
	{ "", "\tstore y[8] 1\n", 0, "kernel:5:2: region 0: the address is outside buffer y, which has 8 elements" },
	{ "", "\tstore y[-1] 1\n", 0, "kernel:5:2: region 0: the address is outside buffer y" },
	{ "", "\tstore y[4 + 4] 1\n", 0, "kernel:5:2: region 0: the address is outside buffer y" },
	{ "", "\tstore f32x4 y[5] 1\n", 0, "kernel:5:2: region 0: the address is outside buffer y" },
	{ "", "\tstore f32x4 y[5 by -2] 1\n", 0, "kernel:5:2: region 0: the address is outside buffer y" },
	{ "", "\tstore f32x4 y[0 by 9223372036854775807] 1\n", 0, "kernel:5:2: region 0: the address is outside buffer y" },
	/* Opcodes. */
	{ "", "\t%0 = fold f32x3 add 1\n", 0, "kernel:5:2: region 0: 'fold' halves its lanes until there is one; 3 is no "
		"power" },
	{ "", "\t%0 = fold f32x4 and 1\n", 0, "kernel:5:2: region 0: 'and' does not exist for type f32x4" },
	{ "", "\t%0 = fold maskx4 add 0x1\n", 0, "kernel:5:2: region 0: 'add' does not exist for type maskx4" },
	{ "variable s f16\n", "\tvariable s\n\tupdate s add 0x0\n", 0,
		"kernel:7:2: region 0: 'update' does not exist for type f16" },
	{ "variable s bool\n", "\tvariable s\n\tupdate s add 1\n", 0, "kernel:7:2: region 0: 'add' does not exist for type "
		"bool" },
	{ "", "\t%0 = shuffle f32x2 1 2 (4)\n", 0, "kernel:5:2: region 0: there is no lane 4: the two values have 4" },
	{ "", "\t%0 = shuffle f32x2 1 2 ()\n", 0, "kernel:5:2: region 0: a value has 1 to 64 lanes, not 0" },
	{ "", "\t%0 = quotient i64 5 0\n", 0, "kernel:5:2: region 0: the divisor of 'quotient' is neither 0 nor -1; take "
		"`div`" },
	{ "", "\t%0 = remainder i32 5 -1\n", 0, "kernel:5:2: region 0: the divisor of 'remainder' is neither 0 nor -1" },
	{ "", "\t%0 = shift_left i32 5 32\n", 0, "kernel:5:2: region 0: a shift of i32 is by 0 to 31, not by 32" },
	{ "", "\t%0 = bits f32 from i64 5\n", 0,
		"kernel:5:2: region 0: 'bits' is from a type of as many bytes: f32 and i64 differ; take `cast`" },
	{ "", "\t%0 = shift_signed i64 5 64\n", 0, "kernel:5:2: region 0: a shift of i64 is by 0 to 63, not by 64" },
	{ "", "\t%0 = convert f32 from f16 0x0\n", 0,
		"kernel:5:2: region 0: 'convert' takes no half types, such as f16; take `cast`, or `bits` of i16" },
	{ "", "\t%0 = each f32 and 1 2\n", 0, "kernel:5:2: region 0: 'each' needs an operator of floats; and is none; take "
		"one such as sin or pow" },
};

static char *text_of(const struct broken *b)
{
	static char text[2048];
	(void)snprintf(text, sizeof text, "kernel 1\nname k\nbuffer y f32[8] slot 0 align 4 exclusive%s\n%sregion "
		"host\n%s%s%s",
		strstr(b->host, "store y[") || strstr(b->host, "store f32x4 y[") ? " written" : "", b->declared, b->host,
		b->team ? "region team 1\n" : strstr(b->host, "launch 1") ? "region team 1\n" : "", b->team ? b->team : "");
	const char *bytes = strstr(b->declared, "workspace ") || strstr(b->declared, "thread ") ? "workspace 64 thread 32" :
		"";
	if (*bytes) {           /* on the name's line there is no room: behind it, without a line of its own */
		static char with[2200];
		const char *after = strchr(strchr(text, '\n') + 1, '\n') + 1;
		(void)snprintf(with, sizeof with, "kernel 1\nname k\n%s\n%s", bytes, after);
		return with;
	}
	return text;
}

/* A line more where the workspace has one. */
static void expect_refused(const struct broken *b)
{
	struct lt_kernel *k = NULL;
	const char *text = text_of(b);
	char want[600];
	int more = strstr(text, "\nworkspace ") != NULL, line = 0, n = 0;
	cr_assert_eq(sscanf(b->message, "kernel:%d%n", &line, &n), 1);
	(void)snprintf(want, sizeof want, "kernel:%d%s", line + more, b->message + n);
	cr_expect_eq(kernel_parse(text, strlen(text), &k), LT_EINVAL, "%s\n%s", text, kernel_message);
	cr_expect(strncmp(kernel_message, want, strlen(want)) == 0, "\n%s\nsays %s\nnot  %s", text, kernel_message, want);
	cr_expect(kernel_has_remedy, "no way out: %s", kernel_message);
	lt_kernel_free(k);
}

Test(kernel_verify, each_rule_of_the_text)
{
	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
		expect_refused(&texts[i]);
}

/* What is right, though it looks like something that is not. */
static const struct broken allowed[] = {
	{ "variable s f32\n", "\tvariable s\n\tset s 1\n\t%0 = get s\n\tif 0x1\n\tset s 2\n\telse\n\tstore y[0] %0\n\tend\n",
		0, 0 },
	{ "variable s f32\n", "\tvariable s\n\tset s 1\n\tloop %1 from 0 to 2\n\t%0 = get s\n\tstore y[0] %0\n\tset s "
		"2\n\tend\n",
		0, 0 },
	{ "variable s f32\n", "\tvariable s\n\tset s 1\n\tloop %1 from 0 to 2\n\t%0 = get s\n\tloop %2 from 0 to 2\n"
		"\tstore y[0] %0\n\tend\n\tset s 2\n\tend\n", 0, 0 },
	{ "buffer z f32[8] slot 1 align 4096\nbuffer w f32[8] workspace 0 align 64\n", "", 0, 0 },
	{ "variable s f32\n", "\tloop %0 from 0 to 2\n\tvariable s\n\tset s 1\n\tend\n\tloop %1 from 0 to 2\n\tvariable s\n"
		"\tset s 1\n\tend\n", 0, 0 },
	{ "variable s f32\n", "\tvariable s\n\tset s 1\n\t%0 = get s\n\tset s %0\n", 0, 0 },
	{ "buffer v f32[8] workspace 0 align 4\nbuffer w i8[8] workspace 28 align 4\n", "", 0, 0 },
	{ "buffer z f32[8] slot 1 align 4\nbuffer w i8[8] slot 1 align 4\n", "", 0, 0 },
	{ "", "\tstore f32x4 y[7] 1 mask 0x1\n\tprefetch y[1000]\n\tstore f32x4 y[6 by -2] 1\n\t%0 = load f32x8 y[7 by 0]\n",
		0, 0 },
	{ "", "\tif 0x1\n\tloop %0 from 0 to 8\n\tlaunch 1 %0 (%0)\n\tend\n\tend\n", "\t%0 = argument i64 0\n", 0 },
	{ "", "\t%0 = lane i64x4\n\t%1 = load f32x4 y[0 at %0]\n\t%2 = neg f32 -0\n\tif 0x0\n\tend\n", 0, 0 },
};
Test(kernel_verify, what_is_allowed)
{
	for (size_t i = 0; i < sizeof allowed / sizeof *allowed; i++) {
		struct lt_kernel *k = NULL;
		const char *text = text_of(&allowed[i]);
		cr_expect_eq(kernel_parse(text, strlen(text), &k), LT_OK, "%s\n%s", text, kernel_message);
		lt_kernel_free(k);
	}
}

/* What no text can say is broken in the arrays. */
static const char whole[] = "kernel 1\nname k\nworkspace 64 thread 0\nprelude \"int f(void);\\n\"\n"
	"operator f f32 (f32) identity 0x0 \"$0\"\nbuffer y f32[8] slot 0 align 4 exclusive written\nvariable s f32\n"
	"region host\n\tloop %0 from 0 to 8\n\t\tvariable s\n\t\tset s 1\n\t\t%1 = get s\n\t\tif 0x1\n\t\t\tstore y[%0] %1\n"
	"\t\tend\n\tend\n\tlaunch 1 8 (i64 3)\nregion team 1\n\t%0 = argument i64 0\n\t%1 = each f64 sqrt 2\n";

enum { REGION_0, REGION_1, BUFFER, VARIABLE, OPERATOR, PROGRAM, EXTRA, INSTRUCTION };
#define I(opcode, member, value, message) { INSTRUCTION, LT_OPCODE_##opcode, offsetof(struct lt_instruction, member), \
	sizeof ((struct lt_instruction *)0)->member, value, message }
#define OF(part, type, member, value, message) \
	{ part, 0, offsetof(struct type, member), sizeof ((struct type *)0)->member, value, message }
static const struct { int part, opcode; size_t at, bytes; int64_t value; const char *message; } broken[] = {
	OF(PROGRAM, lt_kernel, n_extra, -1, "kernel:1: there are at most 2147483647 of everything"),
	OF(PROGRAM, lt_kernel, prelude, 0, "kernel:1: the prelude is NULL"),
	OF(PROGRAM, lt_kernel, name, 0, "kernel:1: the program's name is no C identifier"),
	OF(PROGRAM, lt_kernel, workspace_bytes, -1, "kernel:1: the workspace, or a thread's part, has less than 0 bytes"),
	OF(PROGRAM, lt_kernel, n_region, 0, "kernel:1: there is no host region"),
	OF(PROGRAM, lt_kernel, n_region, 1, "kernel:1: 15 instructions are in regions, of 18"),
	OF(REGION_0, lt_region, kind, LT_REGION_TEAM, "kernel:1: region 0 is the host's, all others are teams or grids"),
	OF(REGION_1, lt_region, kind, LT_REGION_HOST, "kernel:1: region 0 is the host's, all others are teams or grids"),
	OF(REGION_1, lt_region, first, 3, "kernel:1: regions lie one after the other in the instructions"),
	OF(REGION_1, lt_region, n_argument, -1, "kernel:1: region 1 has a wrong number of arguments"),
	OF(BUFFER, lt_kernel_buffer, dtype, LT_LANE_MASK, "kernel:6: buffer y has a type, a space, a flag or an origin"),
	OF(BUFFER, lt_kernel_buffer, space, LT_NSPACE, "kernel:6: buffer y has a type, a space, a flag or an origin"),
	OF(BUFFER, lt_kernel_buffer, slot, 7, "kernel:6: buffer y has slot 7; the program has fewer"),
	OF(BUFFER, lt_kernel_buffer, space, LT_SPACE_WORKSPACE, "kernel:6: buffer y has slot 0; only a buffer in a slot has "
		"one"),
	OF(BUFFER, lt_kernel_buffer, offset, 4, "kernel:6: buffer y has an offset, but its space has none"),
	OF(BUFFER, lt_kernel_buffer, name, 0, "kernel:6: a name begins with a letter or _"),
	OF(VARIABLE, lt_variable, lanes, 65, "kernel:7: variable s has no type: an element or a mask, of 1 to 64 lanes"),
	OF(VARIABLE, lt_variable, dtype, 99, "kernel:7: variable s has no type"),
	OF(OPERATOR, lt_op, opcode, LT_OPCODE_add, "kernel:5: operator f has an opcode of its own; use that opcode"),
	OF(OPERATOR, lt_op, in[0], 0, "kernel:5: an operator has a name, a C text, one to three operands, and element types"),
	{ EXTRA, 0, 0, 8, 99, "kernel:17: region 0: the value handed over as 0 is no value of an instruction before this one"
		},
	I(loop, opcode, 999, "kernel:9: region 0: there is no opcode 999"),
	I(loop, flags, LT_INSTRUCTION_STREAM, "kernel:9: region 0: 'loop' has flags 0x2, which it does not know"),
	I(loop, number, 0, "kernel:9: region 0: the step of a loop is at least 1, not 0"),
	I(loop, what, 3, "kernel:16: region 0: `what` of the 'loop' that ends here is not this instruction (line 9)"),
	I(loop, dtype, LT_I32, "kernel:9: region 0: 'loop' makes i64, not i32"),
	I(loop, origin, -2, "kernel:9: region 0: an origin is -1 or an index of at most 16777215, not -2"),
	I(loop, operand[1], -1, "kernel:9: region 0: operand 1 is no value of an instruction before this one"),
	I(loop, operand[2], 0, "kernel:9: region 0: 'loop' has no operand 2"),
	I(set, operand[0], 2, "kernel:11: region 0: operand 0 of 'set' is i64; f32 is needed (line 9)"),
	I(set, operand[0], 3, "kernel:11: region 0: operand 0 is an instruction that makes no value (line 10)"),
	I(set, operand[0], 14, "kernel:11: region 0: operand 0 is no value of an instruction before this one"),
	I(set, what, 1, "kernel:11: region 0: 'set' names number 1; there are 1"),
	I(set, lanes, 1, "kernel:11: region 0: 'set' makes no value, not no value"),
	I(get, lanes, 2, "kernel:12: region 0: 'get' makes f32, not f32x2"),
	I(store, n_extra, 1, "kernel:14: region 0: 'store' has a list of values that it should not have"),
	I(store, what, -1, "kernel:14: region 0: 'store' names number -1; there are 1"),
	I(launch, first_extra, 1, "kernel:17: region 0: 'launch' has a list of values that is not inside of `extras`"),
	I(argument, operand[0], 3, "kernel:19: region 1: 'argument' has no operand 0"),
	I(each, what, -1, "kernel:20: region 1: 'each' needs an operator of floats; this number is none"),
	I(each, what, LT_OPCODE_load, "kernel:20: region 1: 'each' needs an operator of floats; load is none"),
	I(each, what, LT_OPCODE_pow, "kernel:20: region 1: 'pow' takes 2 operands"),
	I(each, operand[1], 16, "kernel:20: region 1: 'sqrt' takes 1 operands"),
};

Test(kernel_verify, each_rule_of_the_arrays)
{
	for (size_t i = 0; i < sizeof broken / sizeof *broken; i++) {
		struct lt_kernel *k = NULL;
		cr_assert_eq(kernel_parse(whole, sizeof whole - 1, &k), LT_OK, "%s", kernel_message);
		struct lt_instruction *at = (struct lt_instruction *)(uintptr_t)k->instructions;
		while (broken[i].part == INSTRUCTION && at->opcode != broken[i].opcode)
			at++;
		const void *part[] = { &k->regions[0], &k->regions[1], k->buffers, k->variables, k->ops, k, k->extras, at };
		memcpy((char *)(uintptr_t)part[broken[i].part] + broken[i].at, &broken[i].value, broken[i].bytes);
		cr_expect_eq(kernel_verify(k), LT_EINVAL, "row %zu: %s", i, broken[i].message);
		cr_expect(strncmp(kernel_message, broken[i].message, strlen(broken[i].message)) == 0, "row %zu says %s\nnot  %s", i,
			kernel_message, broken[i].message);
		cr_expect(kernel_has_remedy, "no way out: %s", kernel_message);
		lt_kernel_free(k);
	}
}

/* Above a constant's bits are zeros, of numbers below 0, too; a text cannot say others. */
Test(kernel_verify, constants_have_no_bits_above_the_type)
{
	static const char text[] = "kernel 1\nname k\nregion host\n\t%0 = neg i32 -16\n\t%1 = not bool 1\n"
		"\t%2 = copy f16x2 0x3c00\n\t%3 = not maskx3 0x5\n";
	static const struct { uint8_t dtype; uint64_t bits; const char *message; } cases[] = {
		{ LT_I32, UINT64_C(0xfffffffffffffff0), "kernel:5: region 0: a constant of type i32 has bits above its type's: "
			"0xfffffffffffffff0; clear them, also of a number below 0" },
		{ LT_BOOL, 256, "kernel:6: region 0: a constant of type bool is 0 or 1" },
		{ LT_F16, 0x13c00, "kernel:7: region 0: a constant of type f16 has bits above its type's: 0x13c00" },
		{ LT_LANE_MASK, 8, "kernel:8: region 0: a mask of 3 lanes has bits for more: 0x8" },
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct lt_kernel *k = NULL;
		cr_assert_eq(kernel_parse(text, sizeof text - 1, &k), LT_OK, "%s", kernel_message);
		cr_expect_eq(kernel_verify(k), LT_OK, "%s", kernel_message);
		struct lt_instruction *at = (struct lt_instruction *)(uintptr_t)k->instructions;
		while (at->opcode != LT_OPCODE_const || at->dtype != cases[i].dtype)
			at++;
		at->number = (int64_t)cases[i].bits;
		cr_expect_eq(kernel_verify(k), LT_EINVAL, "case %zu", i);
		cr_expect_eq(strncmp(kernel_message, cases[i].message, strlen(cases[i].message)), 0, "%s", kernel_message);
		lt_kernel_free(k);
	}
}

/* The line that is named is one of the text that is printed. */
Test(kernel_verify, lines_are_those_of_the_print)
{
	for (uint64_t seed = 1; seed < 60; seed++) {
		struct lt_kernel *k = random_kernel(seed, (unsigned)(seed & 7));
		struct kernel_text text = { 0 };
		struct lt_instruction *all = (struct lt_instruction *)(uintptr_t)k->instructions;
		uint32_t at = (uint32_t)(seed * 7919 % k->n_instruction);
		while (all[at].opcode != LT_OPCODE_store && all[at].opcode != LT_OPCODE_load)
			at = (at + 1) % k->n_instruction;
		all[at].origin = 1234567;
		lt_kernel_print(k, kernel_text_add, &text);
		all[at].origin = -7;
		cr_assert_eq(kernel_verify(k), LT_EINVAL);
		int line = atoi(kernel_message + 7), n = 1;
		for (const char *c = text.at; c < strstr(text.at, "@1234567"); c++)
			n += *c == '\n';
		cr_expect_eq(line, n, "seed %llu: %s, but it is in line %d", (unsigned long long)seed, kernel_message, n);
		lt_kernel_free(k);
		free(text.at);
	}
}

/* Arrays in which any byte is another are refused or right, and read within their bounds. */
Test(kernel_verify, any_bytes_in_the_arrays)
{
	uint64_t state = 7;
	for (int i = 0, n = (int)must_draws("LT_EDITS", 3000); i < n; i++) {
		struct lt_kernel *k = random_kernel((uint64_t)(1 + i % 20), 7);
		for (int edit = 0; edit < 2; edit++) {
			state = state * UINT64_C(6364136223846793005) + 1442695040888963407u;
			char *bytes = (char *)(uintptr_t)k->instructions;
			bytes[(state >> 20) % (k->n_instruction * sizeof *k->instructions)] ^= (char)(1 << (state >> 60));
		}
		lt_status status = kernel_verify(k);
		cr_assert(status == LT_OK || (status == LT_EINVAL && *kernel_message));
		struct kernel_text text = { 0 };
		lt_kernel_print(k, kernel_text_add, &text);
		cr_assert_lt(text.n, 1 << 20, "a list of a length that it does not have is printed");
		free(text.at);
		lt_kernel_free(k);
	}
}
