/* core.c -- what JavaScript cannot do by itself with the library as WebAssembly: functions that C calls.
 *
 * C calls a function by its number in the module's table, and only what is compiled into the module stands there.  So
 * each kind of function that the interface takes is here once, and hands its call on to the page, which tells them
 * apart by `user`.  js/native.js gets their numbers by looptree_callback.
 */
#include <stdint.h>
#include <string.h>
#include "lt/lt.h"

#define PAGE(name) __attribute__((import_module("page"), import_name(name)))
PAGE("text") void page_text(void *user, const char *text, size_t bytes);
PAGE("progress") void page_progress(void *user, double done, double total, const char *what);
PAGE("log") void page_log(void *user, int level, const char *text);
PAGE("unwanted") int page_unwanted(void *user);

static void on_text(void *user, const char *text, size_t bytes) { page_text(user, text, bytes); }
static void on_compile(void *user, int32_t done, int32_t total) { page_progress(user, done, total, NULL); }
static void on_verify(void *user, const char *what, double share) { page_progress(user, share, 1, what); }
static void on_log(void *user, int level, const char *text) { page_log(user, level, text); }
static int is_unwanted(void *user) { return page_unwanted(user); }

/* The function of that name as C knows it; NULL: there is none. */
__attribute__((export_name("looptree_callback"))) void *looptree_callback(const char *name)
{
	static const struct { const char *name; void (*at)(void); } callback[] = {
		{ "text", (void (*)(void))on_text }, { "compile", (void (*)(void))on_compile },
		{ "verify", (void (*)(void))on_verify }, { "log", (void (*)(void))on_log },
		{ "unwanted", (void (*)(void))is_unwanted },
	};

	for (size_t i = 0; i < sizeof callback / sizeof *callback; i++)
		if (!strcmp(callback[i].name, name))
			return (void *)callback[i].at;
	return NULL;
}
