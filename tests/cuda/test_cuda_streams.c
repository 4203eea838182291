/* test_cuda_streams.c -- streams of the host's on a driver that is not there: recorded runs in them, events
 * between them, copies from one device to another. */
#include "tests/cuda/mock_kernels.h"

TestSuite(cuda_streams, .init = mock_begin, .timeout = 60);

/* Enqueued in a stream of the host's, with a copy between two runs; all of it is there when the stream was waited
 * for. */
Test(cuda_streams, recorded_runs_in_a_stream)
{
	struct lt_session *s = cuda_open("");
	struct keeper k = keeper_new();
	struct cuda_tree t, u;
	struct lt_object *axpy = mock_kernel_object(s, cuda_tree(&t, "k", 2, 4), "axpy", 4, &k.diag),
		*check = mock_kernel_object(s, cuda_tree(&u, "c", 1, 4), "check", 4, &k.diag), *object[] = { check, NULL, axpy };
	float x[4] = { 1, 2, 3, 30 }, y[4] = { 0, 0, 0, 60 }, z[4] = { 0 }, pageable[4] = { 0 }, *got;
	void *pinned;
	cr_assert_eq(cuda_backend()->host_new(s, sizeof x, &pinned, &k.diag), LT_OK, "%s", k.text);
	got = memset(pinned, 0, sizeof x);
	struct lt_slot slot[2] = { cuda_floats(s, x, 4), cuda_floats(s, y, 4) }, copy[2] = { cuda_floats(s, z, 4), slot[0] },
		       add[2] = { copy[0], slot[1] }, back = { got, 0, sizeof x }, here = { pageable, 0, sizeof x };
	struct lt_fault fault[3] = { 0 };
	struct lt_args run[3] = { cuda_args(&slot[1], 1, &fault[0]), cuda_args(copy, 2, &fault[1]),
		cuda_args(add, 2, &fault[2]) };
	void *stream;
	struct lt_capture *c;
	cr_assert_eq(cuda_backend()->stream_new(s, &stream, &k.diag), LT_OK, "%s", k.text);
	for (int i = 0; i < 3; i++) {
		run[i].stream = stream;
		run[i].async = 1;
	}
	cr_assert_eq(lt__cuda_capture(s, object, run, 3, &c, &k.diag), LT_OK, "%s", k.text);
	const int waits = mock->waits;
	cr_assert_eq(lt__cuda_replay(c, &k.diag), LT_OK, "%s", k.text);
	cr_assert_eq(lt__cuda_mem_copy(s, &back, &slot[1], sizeof x, LT_COPY_TO_HOST, stream, &k.diag), LT_OK);
	cr_assert(mock->waits == waits && mock->launches == 0 && got[0] == 0 && !fault[0].n);
	cr_assert_eq(cuda_backend()->sync(s, stream, &k.diag), LT_OK);
	cr_assert(mock->waits == waits + 1 && fault[0].n == 0 && got[0] == 2 && got[3] == 120, "%g %g", got[0], got[3]);
	/* To pageable memory it is copied at once. */
	cr_assert_eq(lt__cuda_mem_copy(s, &here, &slot[1], sizeof x, LT_COPY_TO_HOST, stream, &k.diag), LT_OK);
	cr_assert(pageable[0] == 2 && pageable[3] == 120, "%g %g", pageable[0], pageable[3]);
	/* The second begins when the first is done; both set their records. */
	cr_assert_eq(lt__cuda_replay(c, &k.diag), LT_OK, "%s", k.text);
	cr_assert_eq(lt__cuda_replay(c, &k.diag), LT_OK, "%s", k.text);
	cr_assert_eq(cuda_backend()->sync(s, NULL, &k.diag), LT_OK);
	cr_assert(fault[0].n == 1 && fault[0].value == 180, "%lld", (long long)fault[0].value);
	/* A stream that is gone is not waited for. */
	cuda_backend()->stream_free(s, stream);
	cuda_backend()->host_free(s, pinned);
	cr_assert_eq(cuda_backend()->sync(s, NULL, &k.diag), LT_OK, "%s", k.text);
	lt__cuda_capture_free(c);
	lt__cuda_destroy(axpy);
	lt__cuda_destroy(check);
	mock_end(s);
}

/* What was in it may have been waited for by an event alone: sync and close do not ask the driver of a stream that is
 * gone. */
Test(cuda_streams, a_stream_that_is_gone_is_nobodys)
{
	struct lt_session *s = cuda_open("");
	struct keeper k = keeper_new();
	const struct lt_backend *b = cuda_backend();
	float x[4] = { 1, 2, 3, 4 };
	const struct lt_slot there = cuda_floats(s, x, 4), here = { x, 0, sizeof x };
	struct lt_event *event;
	void *stream;
	cr_assert_eq(b->stream_new(s, &stream, &k.diag), LT_OK, "%s", k.text);
	cr_assert_eq(b->event_new(s, &event, &k.diag), LT_OK, "%s", k.text);
	cr_assert_eq(b->mem_copy(s, &there, &here, sizeof x, LT_COPY_TO_DEVICE, stream, &k.diag), LT_OK, "%s", k.text);
	cr_assert_eq(b->event_record(event, stream, &k.diag), LT_OK, "%s", k.text);
	cr_assert_eq(b->event_wait(event, &k.diag), LT_OK, "%s", k.text);
	b->stream_free(s, stream);
	for (const struct lt_cuda_queue *q = s->queues; q; q = q->next)
		cr_expect(q->own || !q->running);
	cr_expect_eq(b->sync(s, NULL, &k.diag), LT_OK, "%s", k.text);
	b->event_free(event);
	mock_end(s);
}

/* A caller's stream: it ends whenever the caller likes, once it has been waited for by whatever means.  Its queue
 * serves the next one. */
Test(cuda_streams, callers_streams_come_and_go)
{
	struct lt_session *s = cuda_open("");
	struct keeper k = keeper_new();
	const struct lt_backend *b = cuda_backend();
	float x[4] = { 1, 2, 3, 4 };
	const struct lt_slot there = cuda_floats(s, x, 4), here = { x, 0, sizeof x };
	int callers = 0;
	for (int i = 0; i < 5; i++) {
		CUstream stream;
		struct lt_event *event;
		cr_assert_eq(lt__cuda_enter(s, NULL), LT_OK);
		cr_assert_eq(s->cuda.stream_new(&stream, 0), CUDA_SUCCESS);
		cr_assert_eq(b->event_new(s, &event, &k.diag), LT_OK, "%s", k.text);
		cr_assert_eq(b->mem_copy(s, &there, &here, sizeof x, LT_COPY_TO_DEVICE, stream, &k.diag), LT_OK, "%s", k.text);
		cr_assert_eq(b->event_record(event, stream, &k.diag), LT_OK, "%s", k.text);
		cr_assert_eq(b->event_wait(event, &k.diag), LT_OK, "%s", k.text);
		b->event_free(event);
		cr_assert_eq(s->cuda.stream_free(stream), CUDA_SUCCESS);
		lt__cuda_leave(s);
		if (i == 2)
			cr_expect_eq(b->sync(s, NULL, &k.diag), LT_OK, "%s", k.text);
	}
	for (const struct lt_cuda_queue *q = s->queues; q; q = q->next)
		callers += !q->own;
	cr_expect_eq(callers, 1, "%d queues for five streams, one after the other", callers);
	mock_end(s);
	cr_expect_str_eq(mock->wrong, "");
}

Test(cuda_streams, devices_are_listed_and_copy_to_one_another)
{
	struct keeper k = keeper_new();
	struct lt_device d = { .size = sizeof d };
	for (uint32_t i = 0; i < 2; i++) {
		cr_assert_eq(cuda_backend()->device(i, &d, &k.diag), LT_OK, "%s", k.text);
		cr_expect(d.name[0] && d.bytes > 0 && d.config[7] == (char)('0' + i) && strncmp(d.config, "device=", 7) == 0);
		struct lt_session *s = cuda_open(d.config);
		cr_expect_eq(s->config.device, (int)i);
		cuda_backend()->close(s);
	}
	cr_expect_eq(cuda_backend()->device(2, &d, &k.diag), LT_EMISSING);
	struct lt_session *s[2] = { cuda_open("device=0"), cuda_open("device=1") };
	float x[4] = { 1, 2, 3, 4 }, zero[4] = { 0 };
	struct lt_slot from = cuda_floats(s[0], x, 4), to = cuda_floats(s[1], zero, 4);
	struct lt_event *e;
	void *stream[2];
	cr_assert_eq(lt__cuda_event_new(s[0], &e, &k.diag), LT_OK);
	for (int i = 0; i < 2; i++)
		cr_assert_eq(cuda_backend()->stream_new(s[i], &stream[i], &k.diag), LT_OK);
	/* What the first enqueues before the event is there for the second. */
	struct lt_slot here = { x, 0, sizeof x };
	x[2] = 50;
	cr_assert_eq(lt__cuda_mem_copy(s[0], &from, &here, sizeof x, LT_COPY_TO_DEVICE, stream[0], &k.diag), LT_OK);
	cr_assert_eq(lt__cuda_event_record(e, stream[0], &k.diag), LT_OK);
	cr_assert_eq(cuda_backend()->stream_wait(s[1], stream[1], e, &k.diag), LT_OK, "%s", k.text);
	cr_assert_eq(cuda_backend()->mem_peer(s[1], &to, s[0], &from, sizeof x, stream[1], &k.diag), LT_OK, "%s", k.text);
	cr_assert_eq(cuda_backend()->sync(s[1], stream[1], &k.diag), LT_OK, "%s", k.text);
	cuda_fetch_is(s[1], &to, x, 4);
	cr_assert_eq(cuda_backend()->event_wait(e, &k.diag), LT_OK);
	lt__cuda_event_free(e);
	for (int i = 0; i < 2; i++) {
		cr_assert_eq(cuda_backend()->sync(s[i], NULL, &k.diag), LT_OK);
		cuda_backend()->stream_free(s[i], stream[i]);
	}
	cuda_backend()->close(s[0]);
	mock_end(s[1]);
}
