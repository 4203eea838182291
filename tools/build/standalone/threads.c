/* What follows is the same for every function, in C99, without allocations. */

#ifdef WITH_THREADS
/* Threads that wait for the next loop.  Its points are cut in pieces, which threads take when they come to them, the
 * caller from the front and others from the back.  So nobody waits for a thread that has not begun: if need be, the
 * caller takes them all.  Which thread takes a piece changes nothing in it. */
enum { PIECES = 8, LOOKS = 4000, LOOKS_A_TURN = 16, RANGE_BITS = 24 };
static struct {
	pthread_mutex_t lock;
	pthread_cond_t begin, end;
	void (*body)(void *, int64_t, int64_t, uint32_t);
	void *arg;
	int64_t n, each;                /* points of the loop, and of a piece */
	/* By look() and replace() only: loops so far; pieces that nobody has taken, from << RANGE_BITS | to; pieces that are
	 * done; threads that sleep; whether the caller does. */
	int64_t number, range, done, asleep, waits;
} team = { PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, PTHREAD_COND_INITIALIZER, NULL, NULL, 0, 0, 0, 0, 0, 0,
	0 };

#ifdef __GNUC__
static int64_t look(int64_t *at) { return __atomic_load_n(at, __ATOMIC_SEQ_CST); }
static int replace(int64_t *at, int64_t was, int64_t now)
{
	return __atomic_compare_exchange_n(at, &was, now, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
}
#else
static pthread_mutex_t looking = PTHREAD_MUTEX_INITIALIZER;
static int64_t look(int64_t *at)
{
	int64_t is;
	pthread_mutex_lock(&looking);
	is = *at;
	pthread_mutex_unlock(&looking);
	return is;
}
static int replace(int64_t *at, int64_t was, int64_t now)
{
	int is;
	pthread_mutex_lock(&looking);
	is = *at == was;
	if (is)
		*at = now;
	pthread_mutex_unlock(&looking);
	return is;
}
#endif

static void count(int64_t *at, int64_t by)
{
	int64_t was;
	do
		was = look(at);
	while (!replace(at, was, was + by));
}

/* A piece; -1: there is none.  While a thread has one its loop does not end, so only then it reads what the loop is. */
static int64_t take_piece(int front)
{
	const int64_t one = (int64_t)1 << RANGE_BITS;
	for (;;) {
		const int64_t was = look(&team.range), from = was / one, to = was % one;
		if (from >= to)
			return -1;
		if (replace(&team.range, was, front ? was + one : was - 1))
			return front ? from : to - 1;
	}
}

static void work(uint32_t thread)
{
	int64_t piece, n = 0;
	for (; (piece = take_piece(thread == 0)) >= 0; n++) {
		const int64_t first = piece * team.each, left = team.n - first;
		team.body(team.arg, first, first + (left < team.each ? left : team.each), thread);
	}
	if (n == 0)
		return;
	count(&team.done, n);
	if (!look(&team.waits))
		return;
	pthread_mutex_lock(&team.lock);
	pthread_cond_signal(&team.end);
	pthread_mutex_unlock(&team.lock);
}

/* For some tens of microseconds; the processor is left to those that have none. */
static int changes(int64_t *at, int64_t from)
{
	int i;
	for (i = 1; i <= LOOKS; i++) {
		if (look(at) != from)
			return 1;
		if (i % LOOKS_A_TURN == 0)
			sched_yield();
	}
	return 0;
}

static void *serve(void *number)
{
	for (;;) {
		const int64_t seen = look(&team.number);
		work((uint32_t)(uintptr_t)number);
		if (changes(&team.number, seen))
			continue;
		pthread_mutex_lock(&team.lock);
		count(&team.asleep, 1);
		while (look(&team.number) == seen)
			pthread_cond_wait(&team.begin, &team.lock);
		count(&team.asleep, -1);
		pthread_mutex_unlock(&team.lock);
	}
	return NULL;
}

static uint32_t started = 1;

static void parallel_for(void *user, uint32_t n_thread, int64_t n,
	void (*body)(void *arg, int64_t first, int64_t last, uint32_t thread), void *arg)
{
	const int64_t most = (int64_t)n_thread * PIECES;
	int64_t pieces, done;
	(void)user;
	team.body = body;
	team.arg = arg;
	team.n = n;
	team.each = n / most + (n % most != 0);
	pieces = (n - 1) / team.each + 1;
	count(&team.done, -look(&team.done));
	count(&team.range, pieces - look(&team.range));
	count(&team.number, 1);
	if (look(&team.asleep)) {
		pthread_mutex_lock(&team.lock);
		pthread_cond_broadcast(&team.begin);
		pthread_mutex_unlock(&team.lock);
	}
	work(0);
	while ((done = look(&team.done)) != pieces)
		if (!changes(&team.done, done)) {
			pthread_mutex_lock(&team.lock);
			count(&team.waits, 1);
			while (look(&team.done) != pieces)
				pthread_cond_wait(&team.end, &team.lock);
			count(&team.waits, -1);
			pthread_mutex_unlock(&team.lock);
		}
}

/* As many as can be had. */
static void start_threads(args *a, uint32_t n)
{
	for (; started < n; started++) {
		pthread_t thread;
		if (pthread_create(&thread, NULL, serve, (void *)(uintptr_t)started) != 0)
			break;
		pthread_detach(thread);
	}
	a->parallel_for = parallel_for;
	a->n_thread = started;
}
#endif

