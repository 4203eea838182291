/* test_options.c -- the options of a backend's session (lt/options.h): items, values, and what is said of wrong
 * ones. */
#include <criterion/criterion.h>
#include "lt/options.h"
#include "tools/option/option.h"
#include "tests/keeper.h"

enum { DEVICE, FAST, MODE, PATH, OFF, N_OPTION };
static const struct lt_option options[N_OPTION] = {
	[DEVICE] = { .key = "device", .value = "N", .low = -1, .high = 999 },
	[FAST] = { .key = "fast" },
	[MODE] = { .key = "mode", .value = "MODE", .words = "c c99" },
	[PATH] = { .key = "file", .value = "PATH", .slashes = 1 },
	[OFF] = { .key = "off", .value = "NAME", .again = 1 },
};

/* "device=1(1) fast" of what was read. */
static lt_status read_all(const char *config, uint32_t n, char *out, size_t cap, struct lt_diag *diag)
{
	struct lt_option_reader r = lt_option_begin(config, options, n, diag);
	out[0] = '\0';
	for (struct lt_option_item item; lt_option_next(&r, &item); ) {
		const struct lt_option *o = &options[item.which];
		(void)snprintf(out + strlen(out), cap - strlen(out), "%s%s%s%.*s(%d)", out[0] ? " " : "", o->key, o->value ? "=" : "",
			(int)item.bytes, item.text, (int)item.number);
	}
	return r.status;
}

Test(options, items_are_read_in_their_order)
{
	static const struct { const char *config, *want; } cases[] = {
		{ NULL, "" }, { "", "" }, { "//;/", "" },
		{ "device=12/fast", "device=12(12) fast(0)" },
		{ "fast;device=12", "fast(0) device=12(12)" },
		{ "/fast//device=-1/", "fast(0) device=-1(-1)" },
		{ "mode=c", "mode=c(0)" }, { "mode=c99", "mode=c99(1)" },
		{ "file=/a/b.c/device=3", "file=/a/b.c(0) device=3(3)" },
		{ "file=/a/device/fast", "file=/a/device/fast(0)" },
		{ "file=a/b;fast", "file=a/b(0) fast(0)" },
		{ "file=x=y", "file=x=y(0)" },
		{ "off=a/off=b", "off=a(0) off=b(0)" },
		{ "device=000000000000000012", "device=000000000000000012(12)" },
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct keeper k = keeper_new();
		char out[400];
		cr_expect_eq(read_all(cases[i].config, N_OPTION, out, sizeof out, &k.diag), LT_OK, "%s: %s", cases[i].config, k.text);
		cr_expect_str_eq(out, cases[i].want);
	}
}

Test(options, what_is_wrong_has_one_sentence)
{
	static const char all[] = "there is device=N, fast, mode=MODE, file=PATH and off=NAME, with / between them";
	static const char number[] = "give a whole number from -1 to 999";
	static const struct { const char *config, *text, *remedy; } cases[] = {
		{ "x", "unknown option 'x'", all },
		{ "fast/dev=1/x", "unknown option 'dev=1'", all },
		{ "devices=1", "unknown option 'devices=1'", all },
		{ "Fast", "unknown option 'Fast'", all },
		{ "device", "the option device has no value", number },
		{ "device=", "the option device has no value", number },
		{ "device=-2", "the option device does not take '-2'", number },
		{ "device=1000", "the option device does not take '1000'", number },
		{ "device=99999999999999999999", "the option device does not take '99999999999999999999'", number },
		{ "device=1x", "the option device does not take '1x'", number },
		{ "device=-", "the option device does not take '-'", number },
		{ "fast=1", "the option fast takes no value", "leave out what follows it" },
		{ "fast/fast", "the option fast is given twice", "leave one of them out" },
		{ "file=a/fast;file=b", "the option file is given twice", "leave one of them out" },
		{ "mode=c9", "the option mode does not take 'c9'", "give one of c, c99" },
		{ "mode=c c99", "the option mode does not take 'c c99'", "give one of c, c99" },
		{ "mode=", "the option mode has no value", "give one of c, c99" },
		{ "file=", "the option file has no value", "write file=PATH" },
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct keeper k = keeper_new();
		char out[400];
		cr_expect_eq(read_all(cases[i].config, N_OPTION, out, sizeof out, &k.diag), LT_EINVAL, "%s", cases[i].config);
		cr_expect_str_eq(k.text, cases[i].text);
		cr_expect_str_eq(k.remedy, cases[i].remedy);
		cr_expect_eq(k.n, 1);
		cr_expect_eq(read_all(cases[i].config, N_OPTION, out, sizeof out, NULL), LT_EINVAL, "nobody listens");
	}
	struct keeper k = keeper_new();
	char out[100], longest[1001];
	cr_expect_eq(read_all("fast", 0, out, sizeof out, &k.diag), LT_EINVAL);
	cr_expect(!strcmp(k.text, "unknown option 'fast'") && !strcmp(k.remedy, "it has no options: leave it out"));
	memset(longest, 'x', sizeof longest - 1);
	longest[sizeof longest - 1] = '\0';
	cr_expect_eq(read_all(longest, N_OPTION, out, sizeof out, &k.diag), LT_EINVAL);
	cr_expect_eq(strlen(k.text), strlen("unknown option ''") + 60);
}

/* All of the backends in this build answer an option that there is not in these words. */
Test(options, every_backend_says_it_alike)
{
	for (uint32_t i = 0; i < lt_backend_count(); i++) {
		const struct lt_backend *b = lt_backend_at(i);
		struct keeper k = keeper_new();
		cr_expect(b->score("no_such/x", &k.diag) <= 0 && strcmp(k.text, "unknown option 'no_such'") == 0, "%s: %s", b->name,
			k.text);
	}
}

/* Each backend that a build may leave out is answered with the way to it. */
Test(options, a_backend_that_was_left_out_says_how_to_get_it)
{
	static const struct { const char *name, *says; } left_out[] = { { "cuda", "install NVIDIA's CUDA toolkit" },
		{ "cudnn", "install cuDNN (cudnn9-cuda-13 " }, { "opencl", "apt-get install opencl-c-headers" },
		{ "llvm", "apt-get install llvm-19-dev" }, { "cup", "" } };
	for (size_t i = 0; i < sizeof left_out / sizeof *left_out; i++) {
		char said[3300];
		lt__backend_how_to_get(left_out[i].name, strlen(left_out[i].name), said, sizeof said);
		cr_expect(left_out[i].says[0] ? strstr(said, left_out[i].says) != NULL : !said[0], "%s", said);
	}
}
