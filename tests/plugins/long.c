/* long.c -- one whose name, version and score are wider than what most have; its device has no name. */
#include "null.h"

static int32_t score_long(const char *config, struct lt_diag *diag)
{
	(void)config, (void)diag;
	return 1234567;
}

static const struct lt_caps *caps_long(const struct lt_session *s)
{
	static struct lt_target target;
	static struct lt_caps own;
	target = s->target;
	target.name = NULL;
	own = s->caps;
	own.target = &target;
	return &own;
}

static void describe_long(struct lt_session *s, lt_write *write, void *user)
{
	static const char text[] = "lanes 3\n";
	(void)s;
	write(user, text, sizeof text - 1);
}

static const struct lt_backend table = NULL_BACKEND(.name = "a_backend_of_a_very_long_name",
	.version = "2026.11.21-rc1", .score = score_long, .caps = caps_long, .describe = describe_long);
LT_BACKEND(table)
