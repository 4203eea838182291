/* sketch.c -- a model as a sketch of Arduino: a folder with the function, and NAME.ino, which has a class around it
 * and a program that runs it once on the example that it was verified with, then on what the serial line brings. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include "tools/build/build.h"
#include "tools/common/common.h"

/* --- names --- */

/* What <Arduino.h> has as macros, functions and types; another name of capitals alone may be a register's. */
static const char *const words[] = { "Arduino_h", "F", "HIGH", "LOW", "PI", "Serial", "String", "abs", "analogRead",
	"analogReference", "analogWrite", "attachInterrupt", "bit", "bitClear", "bitRead", "bitSet", "bitToggle", "bitWrite",
	"boolean", "byte", "cbi", "clockCyclesPerMicrosecond", "clockCyclesToMicroseconds", "cli", "constrain", "degrees",
	"delay", "delayMicroseconds", "detachInterrupt", "digitalRead", "digitalWrite", "highByte", "init", "initVariant",
	"interrupts", "itoa", "loop", "lowByte", "ltoa", "makeWord", "map", "max", "micros", "microsecondsToClockCycles",
	"millis", "min", "model", "noInterrupts", "noTone", "pinMode", "pulseIn", "pulseInLong", "radians", "random",
	"randomSeed", "round", "sbi", "sei", "serialEvent", "serialEventRun", "setup", "shiftIn", "shiftOut", "sq", "tone",
	"utoa", "ultoa", "word", "yield" };
static const char *const headers[] = { "Arduino", "CDC", "Client", "HID", "HardwareSerial", "IPAddress",
	"PluggableUSB", "Print", "Printable", "Server", "Stream", "USBAPI", "USBCore", "USBDesc", "Udp", "WCharacter",
	"WString", "binary", "new", "pins_arduino", "wiring_private" };

lt_status build_sketch_names(const struct building *b)
{
	const char *stem = b->stem, *odd = NULL;
	bool small = false, taken = false;

	for (const char *c = stem; *c && !odd; c++)
		odd = isalnum((unsigned char)*c) || *c == '_' || ((*c == '.' || *c == '-') && c > stem) ? NULL : c;
	if (odd || strlen(stem) > 63)
		return lt_fail(b->ctx, LT_EINVAL, "'%s' cannot be the name of a sketch, which has up to 63 letters, digits, '_', "
			"'.' and '-' and begins with one of the first three: give -o another one", stem);
	for (size_t i = 0; i < sizeof headers / sizeof *headers; i++)
		if (!strcasecmp(headers[i], stem))
			return lt_fail(b->ctx, LT_EINVAL, "'%s.h' would take the place of Arduino's <%s.h>: give -o another name, such "
				"as %s_model", stem, headers[i], stem);
	for (const char *c = b->name; *c; c++)
		small = small || islower((unsigned char)*c);
	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		taken = taken || !strcmp(words[i], b->name);
	return small && !taken ? LT_OK : lt_fail(b->ctx, LT_EINVAL, "'%s' cannot be the name of a function in a sketch, for "
		"%s: give another one with --name, such as %s_model", b->name,
		taken ? "it is a name of Arduino's" : "one of capitals alone may be a register's", b->name);
}

/* --- NAME.ino --- */

static const struct sketch_part { enum lt_binding kind; char letter; const char *what; } parts[] = {
	{ LT_BINDING_INPUT, 'i', "input" },
	{ LT_BINDING_RESULT, 'r', "result" },
	{ LT_BINDING_STATE, 's', "state" },
};
enum { N_PART = sizeof parts / sizeof *parts, INPUTS = 0, RESULTS = 1, STATES = 2 };

/* NULL behind the last one of the kind, and for one that no run reads. */
static const struct lt_export_member *member_of(const struct building *b, int part, int32_t i)
{
	const struct lt_export_member *m = &b->export->member[parts[part].kind][i];

	return m->name ? m : NULL;
}

static int32_t count_of(const struct building *b, int part) { return b->model.binding[parts[part].kind].n; }
static size_t bytes_of(const struct building *b, int part, int32_t i)
{
	return model_binding_bytes(&b->model.binding[parts[part].kind].at[i]);
}

static int64_t elements_of(const struct building *b, int part, int32_t i)
{
	return (int64_t)(bytes_of(b, part, i) / (size_t)lt__dtype_info(member_of(b, part, i)->def->dtype)->bytes);
}

static void class_members(const struct building *b, FILE *f)
{
	bool any = false;

	for (int k = 0; k < N_PART; k++)
		for (int32_t i = 0; i < count_of(b, k); i++) {
			const struct lt_export_member *m = member_of(b, k, i);

			if (m)
				fprintf(f, "\t%s %s[%lld];\t// %s '%s', %s\n", lt__dtype_info(m->def->dtype)->ctype, m->name,
					(long long)elements_of(b, k, i) + (elements_of(b, k, i) == 0), parts[k].what, lt__export_comment(b->export,
					m->def->name), lt__export_type(b->export, m));
		}
	if (!b->export->o.static_workspace && b->export->bare_size.bytes)
		fprintf(f, "\tuint64_t workspace[%lld];\n", (long long)(b->export->bare_size.bytes + 7) / 8);
	fprintf(f, "\n\t// 0, or another number of the header where an index is out of range.\n\tint run()\n\t{\n\t\treturn "
		"::%s(", b->name);
	for (int k = 0; k < N_PART; k++)
		for (int32_t i = 0; i < count_of(b, k); i++)
			if (member_of(b, k, i)) {
				fprintf(f, "%s%s", any ? ", " : "", member_of(b, k, i)->name);
				any = true;
			}
	if (!b->export->o.static_workspace && b->export->bare_size.bytes)
		fprintf(f, "%sworkspace", any ? ", " : "");
	fprintf(f, ");\n\t}\n");
}

static bool has_class(const struct building *b, int32_t i)
{
	const struct lt_export_member *m = member_of(b, RESULTS, i);

	return m && elements_of(b, RESULTS, i) > 1 && m->def->dtype != LT_F16 && m->def->dtype != LT_BF16;
}

/* Of a result of several elements: where its largest is. */
static void class_largest(const struct building *b, FILE *f)
{
	for (int32_t i = 0; i < count_of(b, RESULTS); i++) {
		const struct lt_export_member *m = member_of(b, RESULTS, i);

		if (has_class(b, i))
			fprintf(f, "\n\t// The class that %s says: the index of its largest element, the first of equal ones.\n"
				"\tint32_t class_%s() const\n\t{\n\t\tint32_t best = 0;\n"
				"\t\tfor (int32_t i = 1; i < %lld; i++)\n\t\t\tif (%s[i] > %s[best])\n\t\t\t\tbest = i;\n\t\treturn best;\n\t}\n",
				m->name, m->name, (long long)elements_of(b, RESULTS, i), m->name, m->name);
	}
}

/* How the board prints an element; it knows no numbers of 64 bits, and none of half a float. */
static void print_element(FILE *f, enum lt_dtype type, const char *name)
{
	switch (type) {
	case LT_F32:
	case LT_F64: fprintf(f, "Serial.print((double)model.%s[i], 6)", name); break;
	case LT_I64: fprintf(f, "print_long(model.%s[i] < 0, model.%s[i])", name, name); break;
	case LT_U64: fprintf(f, "print_long(false, model.%s[i])", name); break;
	case LT_F16:
	case LT_BF16: fprintf(f, "Serial.print(model.%s[i], HEX)", name); break;
	case LT_U32: fprintf(f, "Serial.print((unsigned long)model.%s[i])", name); break;
	default: fprintf(f, "Serial.print((long)model.%s[i])", name);
	}
}

static void print_results(const struct building *b, FILE *f)
{
	for (int32_t i = 0; i < count_of(b, RESULTS); i++) {
		const struct lt_export_member *m = member_of(b, RESULTS, i);

		if (!m)
			continue;
		fprintf(f, "\tSerial.print(F(\"%s\"));\n\tfor (int32_t i = 0; i < %lld; i++) {\n\t\tSerial.print(' ');\n\t\t",
			m->name, (long long)elements_of(b, RESULTS, i));
		print_element(f, m->def->dtype, m->name);
		fprintf(f, ";\n\t}\n");
		if (has_class(b, i))
			fprintf(f, "\tSerial.print(F(\"; class \"));\n\tSerial.print((long)model.class_%s());\n", m->name);
		fprintf(f, "\tSerial.println();\n");
	}
}

static bool prints_long(const struct building *b)
{
	bool any = false;

	for (int32_t i = 0; i < count_of(b, RESULTS); i++)
		any = any || (member_of(b, RESULTS, i) && (member_of(b, RESULTS, i)->def->dtype == LT_I64
			|| member_of(b, RESULTS, i)->def->dtype == LT_U64));
	return any;
}

static void example_bytes(const struct building *b, FILE *f, int part, const void *const *data)
{
	for (int32_t i = 0; i < count_of(b, part); i++) {
		const struct lt_export_member *m = member_of(b, part, i);

		if (!m)
			continue;
		fprintf(f, "static const uint8_t example_%s[] PROGMEM = {", m->name);
		for (size_t k = 0; k < bytes_of(b, part, i); k++)
			fprintf(f, "%s%u,", k % 16 ? " " : "\n\t", ((const unsigned char *)data[i])[k]);
		fprintf(f, "%s\n};\n", bytes_of(b, part, i) ? "" : "0");
	}
}

static void write_setup(const struct building *b, FILE *f, bool example)
{
	fprintf(f, "void setup()\n{\n\tSerial.begin(115200);\n");
	if (example) {
		for (int32_t i = 0; i < count_of(b, INPUTS); i++)
			if (member_of(b, INPUTS, i))
				fprintf(f, "\tmemcpy_P(model.%s, example_%s, %zu);\n", member_of(b, INPUTS, i)->name,
					member_of(b, INPUTS, i)->name, bytes_of(b, INPUTS, i));
		fprintf(f, "\tcall();\n\tSerial.println(");
		for (int32_t i = 0, n = 0; i < count_of(b, RESULTS); i++)
			if (member_of(b, RESULTS, i))
				fprintf(f, "%smemcmp_P(model.%s, example_%s, %zu)", n++ ? " || " : "", member_of(b, RESULTS, i)->name,
					member_of(b, RESULTS, i)->name, bytes_of(b, RESULTS, i));
		fprintf(f, "\n\t\t? F(\"the example differs from what was verified\")\n"
			"\t\t: F(\"the example is as it was verified\"));\n");
		for (int32_t i = 0; i < count_of(b, STATES); i++)
			if (member_of(b, STATES, i))
				fprintf(f, "\tmemset(model.%s, 0, %zu);\n", member_of(b, STATES, i)->name, bytes_of(b, STATES, i));
	}
	fprintf(f, "}\n\n");
}

static void write_loop(const struct building *b, FILE *f)
{
	fprintf(f, "// Inputs come one after the other, element by element, low byte first.  After a pause of a second\n"
		"// within them they begin anew.\nvoid loop()\n{\n\tif (!Serial.available())\n\t\treturn;\n");
	for (int32_t i = 0; i < count_of(b, INPUTS); i++)
		if (member_of(b, INPUTS, i) && bytes_of(b, INPUTS, i))
			fprintf(f, "\tif (Serial.readBytes((char *)model.%s, %zu) != %zu)\n\t\treturn;\n", member_of(b, INPUTS, i)->name,
				bytes_of(b, INPUTS, i), bytes_of(b, INPUTS, i));
	fprintf(f, "\tcall();\n}\n");
}

static void write_sketch(const struct building *b, FILE *f, const void *const *input, const void *const *result)
{
	char type[300];

	snprintf(type, sizeof type, "%.250sModel", b->name);
	type[0] = (char)toupper((unsigned char)type[0]);
	fprintf(f, "/* %s\n * A sketch: the class %s, and a program that uses it. */\n#include \"%s.h\"\n\n"
		"// A model with what it reads and gives: set its inputs, call run, read its results.\nclass %s {\npublic:\n",
		b->export->o.about, type, b->stem, type);
	class_members(b, f);
	class_largest(b, f);
	fprintf(f, "};\n\nstatic %s model;\n\n", type);
	if (input) {
		fprintf(f, "// What it was verified with, and what came out.\n");
		example_bytes(b, f, INPUTS, input);
		example_bytes(b, f, RESULTS, result);
		fputc('\n', f);
	}
	if (prints_long(b))
		fprintf(f, "static void print_long(bool negative, uint64_t n)\n{\n\tchar text[21];\n"
			"\tuint8_t at = sizeof text - 1;\n\ttext[at] = 0;\n\tn = negative ? 0 - n : n;\n"
			"\tdo\n\t\ttext[--at] = (char)('0' + n %% 10);\n\twhile (n /= 10);\n"
			"\tSerial.print(negative ? \"-\" : \"\");\n\tSerial.print(text + at);\n}\n\n");
	fprintf(f, "// One call: its results, and how long it took.\nstatic void call()\n{\n"
		"\tconst uint32_t begin = micros();\n\tconst int code = model.run();\n\tconst uint32_t time = micros() - begin;\n"
		"\tif (code) {\n\t\tSerial.println(F(\"an index is out of range\"));\n\t\treturn;\n\t}\n");
	print_results(b, f);
	fprintf(f, "\tSerial.print(time);\n\tSerial.println(F(\" us\"));\n}\n\n");
	write_setup(b, f, input != NULL);
	write_loop(b, f);
}

lt_status build_sketch_write(struct building *b, const void *const *input, const void *const *result)
{
	char path[BUILD_PATH];
	FILE *f = fopen(build_path(b, ".ino", path, sizeof path), "we");

	if (f)
		write_sketch(b, f, input, result);
	const bool bad = !f || ferror(f);
	b->sketched = true;
	if (bad || fclose(f) != 0)
		return lt_fail(b->ctx, LT_EIO, "%s cannot be written: name another folder in TMPDIR", path);
	return LT_OK;
}
