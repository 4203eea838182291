/* phase.c -- what a tool is doing, on a terminal. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include "base/thread.h"
#include "program/host/host.h"
#include "tools/common/common.h"

enum { SECOND = 1000000000, BETWEEN_NS = 500000000 };

static void phase_wipe(struct lt_phases *p)
{
	if (p->shown)
		fputs("\r\033[K", stderr);
	p->shown = false;
}

static void phase_write(struct lt_phases *p, const char *text, int64_t seconds)
{
	fputc('\r', stderr);
	lt__say(stderr, "%.150s, %d s", text, (int)seconds);
	fputs("\033[K", stderr);
	fflush(stderr);
	p->shown = true;
}

/* Wakes once a second, and for the end. */
static void *phase_main(void *phases)
{
	struct lt_phases *p = phases;

	(void)pthread_mutex_lock(&p->lock);
	while (!p->stop) {
		struct timespec at;

		if (p->text[0] && lt__now_ns() - p->begin_ns >= SECOND)
			phase_write(p, p->text, (lt__now_ns() - p->begin_ns) / SECOND);
		(void)clock_gettime(CLOCK_REALTIME, &at);
		at.tv_sec++;
		(void)pthread_cond_timedwait(&p->changed, &p->lock, &at);
	}
	(void)pthread_mutex_unlock(&p->lock);
	return NULL;
}

void lt__phases_begin(struct lt_phases *p, bool wanted)
{
	memset(p, 0, sizeof *p);
	if (!wanted || !isatty(STDERR_FILENO) || pthread_mutex_init(&p->lock, NULL))
		return;
	p->on = pthread_cond_init(&p->changed, NULL) == 0;
	if (!p->on)
		(void)pthread_mutex_destroy(&p->lock);
}

void lt__phases_end(struct lt_phases *p)
{
	if (!p->on)
		return;
	(void)pthread_mutex_lock(&p->lock);
	p->stop = true;
	phase_wipe(p);
	(void)pthread_cond_signal(&p->changed);
	(void)pthread_mutex_unlock(&p->lock);
	if (p->running)
		(void)pthread_join(p->thread, NULL);
	(void)pthread_cond_destroy(&p->changed);
	(void)pthread_mutex_destroy(&p->lock);
	p->on = p->running = false;
}

void lt__phase(struct lt_phases *p, const char *fmt, ...)
{
	va_list args;

	if (!p->on)
		return;
	(void)pthread_mutex_lock(&p->lock);
	phase_wipe(p);
	fflush(stderr);
	p->text[0] = '\0';
	p->begin_ns = lt__now_ns();
	p->written_ns = 0;
	va_start(args, fmt);
	if (fmt)
		(void)vsnprintf(p->text, sizeof p->text, fmt, args);
	va_end(args);
	if (fmt && !p->running)
		p->running = lt__thread_start(&p->thread, phase_main, p) == 0;
	(void)pthread_mutex_unlock(&p->lock);
}

void lt__phase_between(struct lt_phases *p, const char *fmt, ...)
{
	const int64_t now = lt__now_ns();
	char text[sizeof p->text];
	va_list args;

	if (!p->on)
		return;
	p->begin_ns = p->begin_ns ? p->begin_ns : now;
	if (now - p->begin_ns < SECOND || now - p->written_ns < BETWEEN_NS)
		return;
	p->written_ns = now;
	va_start(args, fmt);
	(void)vsnprintf(text, sizeof text, fmt, args);
	va_end(args);
	phase_write(p, text, (now - p->begin_ns) / SECOND);
}
