/* test_backend_facts.c -- lt/backends.h: what backends say of themselves, and why one cannot be used. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>
#include "lt/lt.h"
#include "lt/options.h"
#include "tests/built.h"

TestSuite(backend_facts, .timeout = 60);

static struct lt_backend_facts *ask(struct lt_context *ctx, const char *backend)
{
	struct lt_backend_facts *f;
	cr_assert_eq(lt_backend_ask(ctx, backend, NULL, &f), LT_OK, "%s", lt_context_message(ctx));
	return f;
}

/* Each backend that there is: its table, its caps and its devices, asked by hand. */
Test(backend_facts, they_are_those_of_the_table)
{
	struct lt_context *ctx;
	uint32_t n = 0;
	cr_assert_eq(lt_context_new(&ctx), LT_OK);
	for (const char *name; (name = lt_backend_name(n)); n++) {
		const struct lt_backend *b = lt_backend_at(n);
		struct lt_backend_facts *f = ask(ctx, name);
		cr_assert(!strcmp(f->name, b->name) && !strcmp(f->summary, b->summary) && !strcmp(f->version, b->version)
			&& f->file == lt_backend_origin(b) && f->size == sizeof *f);
		cr_assert(f->score > 0 ? !f->reason && !f->code : f->reason && f->code, "%s", name);
		cr_assert(f->score > 0 || (f->reason[0] && f->reason[strlen(f->reason) - 1] != '.' && !f->target), "%s", name);
		/* Each option is read by the backend as its row says. */
		for (uint32_t i = 0; i < f->n_option; i++) {
			const struct lt_backend_option *o = &f->option[i];
			cr_assert(o->size == sizeof *o && o->key[0] && o->about && o->about[0], "%s: option %u", name, i);
			cr_assert(o->high >= o->low && (!o->words || o->value), "%s: %s", name, o->key);
		}
		if (f->score > 0) {
			const struct lt_host host = { .size = sizeof host };
			struct lt_session *s;
			cr_assert_eq(b->open(&host, NULL, &s, NULL), LT_OK);
			const struct lt_caps *caps = b->caps(s);
			cr_assert(!strcmp(f->target, caps->target->name) && f->device_memory == caps->device_memory
				&& f->dtypes == (uint32_t)caps->dtypes
				&& f->run_together == (caps->promises & LT_PROMISE_RUN_TOGETHER));
			b->close(s);
		}
		lt_backend_facts_free(f);
	}
	cr_assert(n == lt_backend_count() && n >= 3 && !lt_backend_name(n));
	lt_backend_facts_free(NULL);
	lt_context_free(ctx);
}

static void unheard(struct lt_diag *d, const struct lt_diagnostic *n) { (void)d, (void)n; }

/* A key that the table has is not an unknown option; what may follow it, and what may not, is as the table says. */
Test(backend_facts, options_are_those_that_are_read)
{
	struct lt_diag diag = { sizeof diag, unheard };
	struct lt_context *ctx;
	cr_assert_eq(lt_context_new(&ctx), LT_OK);
	for (uint32_t n = 0; n < lt_backend_count(); n++) {
		const struct lt_backend *b = lt_backend_at(n);
		struct lt_backend_facts *f = ask(ctx, b->name);
		for (uint32_t i = 0; i < f->n_option && f->score > 0; i++) {
			const struct lt_host host = { .size = sizeof host };
			const struct lt_backend_option *o = &f->option[i];
			struct lt_session *s;
			char wrong[100];
			/* A value where none may be, or none where one has to be. */
			snprintf(wrong, sizeof wrong, o->value ? "%s=" : "%s=1", o->key);
			cr_assert_eq(b->open(&host, wrong, &s, &diag), LT_EINVAL, "%s:%s", b->name, wrong);
			if (o->high > 0) {
				snprintf(wrong, sizeof wrong, "%s=%lld", o->key, (long long)o->low - 1);
				cr_assert_eq(b->open(&host, wrong, &s, &diag), LT_EINVAL, "%s:%s", b->name, wrong);
			}
		}
		lt_backend_facts_free(f);
	}
	lt_context_free(ctx);
}

Test(backend_facts, why_one_cannot_be_used)
{
	struct lt_context *ctx;
	struct lt_backend_facts *f;
	cr_assert_eq(lt_context_new(&ctx), LT_OK);
	cr_assert(lt_backend_ask(ctx, "nobody:x=1", NULL, &f) == LT_EINVAL && !f
		&& strstr(lt_context_message(ctx), "there is no backend 'nobody'"));
	f = ask(ctx, "cpu:target=z80");
	cr_assert(f->score <= 0 && strstr(f->reason, "z80") && strstr(f->remedy, "native") && !f->target, "%s", f->reason);
	lt_backend_facts_free(f);
	f = ask(ctx, "cpu:target=avx2");
	cr_assert_str_eq(f->target, "cpu:avx2");
	cr_assert(f->score > 0 && !f->reason && !f->remedy && f->n_device == 0);
	lt_backend_facts_free(f);
	f = ask(ctx, "ref:fast");
	cr_assert(f->reason && f->n_option == 0);
	lt_backend_facts_free(f);
	lt_context_free(ctx);
}

/* A plug-in, its devices, and files that are none. */
Test(backend_facts, files)
{
	struct lt_context *ctx;
	cr_assert_eq(lt_context_new(&ctx), LT_OK);
	cr_assert_neq(lt_backend_load_file(ctx, "there-is-none.so"), LT_OK);
	cr_assert(strstr(lt_context_message(ctx), "there-is-none.so"), "%s", lt_context_message(ctx));
	cr_assert_eq(lt_backend_load_file(ctx, built("tests/plugins/memory.so")), LT_OK, "%s", lt_context_message(ctx));
	struct lt_backend_facts *f = ask(ctx, "memory");
	cr_assert(f->score > 0 && f->device_memory == 1 && strstr(f->file, "plugins/memory.so") && f->n_option == 0
		&& !f->option);
	cr_assert_eq(f->n_device, 2);
	cr_assert(!strcmp(f->device[0].name, "one") && !strcmp(f->device[1].config, "device=1")
		&& f->device[1].bytes == UINT64_C(3) << 30);
	lt_backend_facts_free(f);
	lt_context_free(ctx);
}
