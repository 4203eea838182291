/* device.h -- devices that are not there: the backends "devone" and "devtwo", which compute as ref does, in
 * memory of their own (and "devnone", whose memory cannot be filled; "devpeer", which counts as devone and copies from
 * one of its sessions to another).
 *
 * A handle is no address; new memory is poisoned and stands between sentinels; every handle and every range is checked;
 * a clock ticks 1000 ns at each launch.  What is enqueued in a stream runs when somebody waits for it, so that a wait
 * that is missing is seen: kernels, replays and copies.  config, words with ';' between them: "host": the memory is the
 * host's; "refuse=exp": trees with that operator are refused; "loops=serial", "dtypes=BITS": takes no other loops,
 * types; "vector": a target with vectors of 64 bytes; "nocapture": capture answers that it cannot; "nostream": so does
 * stream_new; "align=N", "scratch=N": what need answers for each kernel; "loses": of what it compiles it does not give
 * the last.
 */
#ifndef TESTS_DEVICE_H
#define TESTS_DEVICE_H
#include "lt/backend.h"

struct device_counts {
	int64_t to_device, to_host, within, bytes;      /* copies; bytes of all of them */
	int64_t blocks, blocks_made;                    /* in use, and ever */
	/* launches that were not replayed; recorded; calls of replay; events in use; accepts */
	int64_t runs, captures, replays, events, asked;
	int64_t moments;                        /* of events */
	int64_t captures_alive, sessions;
	int64_t params;                                 /* run-time scalars that were told */
	int64_t syncs, streams;                         /* calls of sync; streams in use */
	int64_t waits, peers, pinned;                   /* calls of event_wait, of mem_peer; blocks of host_new in use */
	int64_t fail_new, fail_copy;                    /* the n-th of these fails; 0: none does */
	char wrong[256];                                /* the first thing that a host must not do, and did; "" */
};
extern struct device_counts device_one, device_two;
/* Of the session of devone that was opened last: memory of a caller. */
void *device_new(const void *data, size_t bytes);
void device_read(void *handle, void *data, size_t bytes);       /* waits for nothing */
void device_write(void *handle, const void *data, size_t bytes);        /* the same */
void device_free(void *handle);
void *device_stream_new(void);
void device_stream_free(void *stream);
void device_register(void);     /* once a process; the counts begin again each time */
#endif
