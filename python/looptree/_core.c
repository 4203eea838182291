/* _core.c -- the short way into a run: arguments that are just what a program takes are lent to it, and nothing is
 * looked at twice.  Everything else of the package calls the library by ctypes (_native.py).
 *
 * The module uses the limited API of Python 3.11: one file for all versions since.  The GIL is released while a run
 * waits and works.  Instances are kept for the next run: as many as threads run at the same time; of a program with
 * states one, whose runs wait for each other.
 */
#define PY_SSIZE_T_CLEAN
#define Py_LIMITED_API 0x030b0000
#include <Python.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include "lt/program.h"

static PyObject *make_error;            /* looptree._errors.make: a status and a sentence to an exception */
static PyTypeObject *runner_type;

static PyObject *fail(lt_status st, const char *text)
{
	PyObject *error = make_error ? PyObject_CallFunction(make_error, "is", (int)st, text) : NULL;

	if (error) {
		PyErr_SetObject((PyObject *)Py_TYPE(error), error);
		Py_DECREF(error);
	} else if (!PyErr_Occurred()) {
		PyErr_SetString(PyExc_RuntimeError, text);
	}
	return NULL;
}

struct port {                           /* an input or a result */
	PyObject *name;
	const char *dtype;                      /* "f32" */
	int64_t shape[LT_MAX_RANK], bytes, item;
	int32_t rank;
	bool needed;
	PyObject *make;                         /* of a result: (shape, dtype), what numpy.empty is called with */
};
struct span { const char *begin, *end; };
struct runner {
	PyObject_HEAD
	struct lt_program *program;
	PyObject *owner;                        /* keeps the program, and frees its instances */
	PyObject *empty, *array;                /* numpy's function and its type of arrays: those derived from it may mean
	                                         * more than their memory (a mask) */
	struct port *input, *result;
	int32_t n_input, n_result;
	struct span *kept;                      /* the memory of constants, which the library borrows */
	Py_ssize_t n_kept;
	PyObject *out;                          /* "out", an argument that is no input; NULL: an input is named so */
	bool away;                              /* some arrays are in a device's memory: there is no short way */
	bool alone;                             /* it has states: one instance, one run at a time */
	pthread_mutex_t serial;                 /* of such a run */
	pthread_t by;                           /* whose run it is, while `held` */
	volatile bool held;
	struct lt_instance **idle;              /* instances that no run uses; with the GIL */
	uint32_t n_idle, room;
};

static void *object_new(PyTypeObject *type)
{
	return ((allocfunc)PyType_GetSlot(type, Py_tp_alloc))(type, 0);
}

/* Instances are freed by whoever has the program's context: owner.release(addresses) when the runner goes, too,
 * owner.leave(addresses) before that. */
static void release(struct runner *r, struct lt_instance **run, uint32_t n, bool goes)
{
	PyObject *e[3], *all, *done = NULL;

	PyErr_Fetch(&e[0], &e[1], &e[2]);
	if ((all = PyList_New(0))) {
		for (uint32_t i = 0; i < n; i++) {
			PyObject *address = PyLong_FromVoidPtr(run[i]);

			if (address)
				PyList_Append(all, address);
			Py_XDECREF(address);
		}
		done = PyObject_CallMethod(r->owner, goes ? "release" : "leave", "O", all);
	}
	if (!done)
		PyErr_Clear();          /* the interpreter ends: so does the memory */
	Py_XDECREF(done);
	Py_XDECREF(all);
	PyErr_Restore(e[0], e[1], e[2]);
}

static void runner_dealloc(PyObject *self)
{
	struct runner *r = (struct runner *)self;
	PyTypeObject *type = Py_TYPE(self);

	if (r->owner)
		release(r, r->idle, r->n_idle, true);
	for (int32_t i = 0; i < r->n_input; i++)
		Py_XDECREF(r->input[i].name);
	for (int32_t i = 0; i < r->n_result; i++)
		Py_XDECREF(r->result[i].name), Py_XDECREF(r->result[i].make);
	if (r->owner)
		pthread_mutex_destroy(&r->serial);
	free(r->idle), free(r->input), free(r->result), free(r->kept);
	Py_XDECREF(r->out);
	Py_XDECREF(r->empty);
	Py_XDECREF(r->array);
	Py_XDECREF(r->owner);
	((freefunc)PyType_GetSlot(type, Py_tp_free))(self);
	Py_DECREF(type);
}

static struct port *ports(const struct lt_program *p, enum lt_binding b, int32_t *n, bool *away)
{
	struct port *all = calloc((size_t)lt_program_count(p, b) + 1, sizeof *all);

	for (*n = 0; all && *n < lt_program_count(p, b); ++*n) {
		struct port *port = &all[*n];

		port->name = PyUnicode_InternFromString(lt_program_name(p, b, *n));
		port->dtype = lt_dtype_name(lt_program_dtype(p, b, *n));
		port->item = (int64_t)lt_dtype_bytes(lt_program_dtype(p, b, *n));
		port->bytes = (int64_t)lt_program_bytes(p, b, *n);
		port->rank = lt_program_rank(p, b, *n);
		port->needed = lt_program_needs(p, b, *n);
		*away |= lt_program_device(p, b, *n) != NULL;
		for (int32_t axis = 0; axis < port->rank; axis++)
			port->shape[axis] = lt_program_extent(p, b, *n, axis);
	}
	return all;
}

/* For each a pair of addresses: its first byte's, and the one behind its last. */
static void keep_spans(struct runner *r, PyObject *kept)
{
	const Py_ssize_t n = PyTuple_Size(kept);

	r->kept = calloc((size_t)n + 1, sizeof *r->kept);
	for (; r->kept && r->n_kept < n && !PyErr_Occurred(); r->n_kept++) {
		PyObject *pair = PyTuple_GetItem(kept, r->n_kept), *begin = PyTuple_GetItem(pair, 0), *end = PyTuple_GetItem(pair, 1);

		if (begin && end)
			r->kept[r->n_kept] = (struct span){ PyLong_AsVoidPtr(begin), PyLong_AsVoidPtr(end) };
	}
}

/* runner(owner, program's address, empty, made, array, kept): made: for each result the arguments of empty, which makes
 * its array; kept: where the constants lie */
static PyObject *py_runner(PyObject *self, PyObject *args)
{
	PyObject *owner, *program, *empty, *made, *array, *kept;
	struct runner *r;

	(void)self;
	if (!PyArg_ParseTuple(args, "OOOO!OO!", &owner, &program, &empty, &PyTuple_Type, &made, &array, &PyTuple_Type, &kept)
			|| !(r = object_new(runner_type)))
		return NULL;
	PyObject *used = PyObject_CallMethod(owner, "use", NULL);

	if (!used) {
		Py_DECREF((PyObject *)r);
		return NULL;
	}
	Py_DECREF(used);
	r->program = PyLong_AsVoidPtr(program);
	pthread_mutex_init(&r->serial, NULL);
	r->owner = Py_NewRef(owner);
	r->empty = Py_NewRef(empty);
	r->array = Py_NewRef(array);
	r->input = ports(r->program, LT_BINDING_INPUT, &r->n_input, &r->away);
	r->result = ports(r->program, LT_BINDING_RESULT, &r->n_result, &r->away);
	keep_spans(r, kept);
	r->alone = lt_program_count(r->program, LT_BINDING_STATE) > 0;
	if (lt_program_find(r->program, LT_BINDING_INPUT, "out") < 0)
		r->out = PyUnicode_InternFromString("out");
	for (int32_t i = 0; r->result && i < r->n_result; i++)
		r->result[i].make = PySequence_GetItem(made, i);
	if (r->input && r->result && r->kept && !PyErr_Occurred())
		return (PyObject *)r;
	if (!PyErr_Occurred())
		PyErr_NoMemory();
	Py_DECREF((PyObject *)r);
	return NULL;
}

/* An instance that no other thread uses, or NULL with an exception.  give_back: after the run. */
static struct lt_instance *take(struct runner *r)
{
	struct lt_instance *run = NULL;
	lt_status st;

	if (r->alone) {
		if (r->held && pthread_equal(r->by, pthread_self())) {
			fail(LT_EINVAL, "a program with states is called while a run of it is under way on this thread");
			return NULL;
		}
		Py_BEGIN_ALLOW_THREADS
		pthread_mutex_lock(&r->serial);
		Py_END_ALLOW_THREADS
		r->by = pthread_self();
		r->held = true;
	}
	if (r->n_idle)
		return r->idle[--r->n_idle];
	Py_BEGIN_ALLOW_THREADS
	st = lt_instance_new(r->program, &run);
	Py_END_ALLOW_THREADS
	if (!st)
		return run;
	fail(st, lt_instance_message(run));
	if (run)
		release(r, &run, 1, false);
	if (r->alone)
		r->held = false, pthread_mutex_unlock(&r->serial);
	return NULL;
}

static void give_back(struct runner *r, struct lt_instance *run)
{
	if (r->n_idle == r->room) {
		struct lt_instance **idle = realloc(r->idle, (r->room * 2 + 4) * sizeof(void *));

		if (idle)
			r->idle = idle, r->room = r->room * 2 + 4;
	}
	if (r->n_idle < r->room)
		r->idle[r->n_idle++] = run;
	else
		release(r, &run, 1, false);
	if (r->alone)
		r->held = false, pthread_mutex_unlock(&r->serial);
}

/* ---- functions that the library calls, with a tuple of Python's as `user`: (callable or None, list).  What is raised
 * goes to the end of the list, and ends the call that is under way. ---- */

static void keep_exception(PyObject *user)
{
	PyObject *e[3];

	PyErr_Fetch(&e[0], &e[1], &e[2]);
	PyErr_NormalizeException(&e[0], &e[1], &e[2]);
	if (e[1])
		PyList_Append(PyTuple_GetItem(user, 1), e[1]);
	for (int i = 0; i < 3; i++)
		Py_XDECREF(e[i]);
}

/* Whether the call that is under way is to end: Ctrl-C, which only the main thread is told of, or what was raised. */
static int is_cancelled(void *user)
{
	PyGILState_STATE gil = PyGILState_Ensure();

	if (PyErr_CheckSignals())
		keep_exception(user);
	int ends = PyList_Size(PyTuple_GetItem(user, 1)) > 0;

	PyGILState_Release(gil);
	return ends;
}

/* Calls it, with the GIL; args is taken. */
static void tell(PyObject *user, PyObject *args)
{
	PyObject *callable = PyTuple_GetItem(user, 0), *r = NULL;

	if (args && callable != Py_None)
		r = PyObject_Call(callable, args, NULL);
	if (!r && PyErr_Occurred())
		keep_exception(user);
	Py_XDECREF(r);
	Py_XDECREF(args);
}

static void on_verify(void *user, const char *what, double share)
{
	PyGILState_STATE gil = PyGILState_Ensure();

	tell(user, Py_BuildValue("(sd)", what, share));
	PyGILState_Release(gil);
}

static int on_time(void *user, int64_t done, int64_t total)
{
	PyGILState_STATE gil = PyGILState_Ensure();

	tell(user, Py_BuildValue("(LL)", (long long)done, (long long)total));
	PyGILState_Release(gil);
	return is_cancelled(user);
}

static void on_text(void *user, const char *text, size_t bytes)
{
	PyGILState_STATE gil = PyGILState_Ensure();

	tell(user, Py_BuildValue("(y#)", text, (Py_ssize_t)bytes));
	PyGILState_Release(gil);
}

/* Of a compilation: user is a tuple of two such tuples, for progress and for the log. */
static void on_compile_progress(void *user, int32_t done, int32_t total)
{
	PyGILState_STATE gil = PyGILState_Ensure();

	tell(PyTuple_GetItem(user, 0), Py_BuildValue("(ii)", (int)done, (int)total));
	PyGILState_Release(gil);
}

static int is_compile_cancelled(void *user)
{
	PyGILState_STATE gil = PyGILState_Ensure();
	int ends = is_cancelled(PyTuple_GetItem(user, 0));

	PyGILState_Release(gil);
	return ends;
}

static void on_log(void *user, int level, const char *text)
{
	PyGILState_STATE gil = PyGILState_Ensure();

	tell(PyTuple_GetItem(user, 1), Py_BuildValue("(is)", level, text));
	PyGILState_Release(gil);
}

/* Asked between the kernels of a run by its thread, which alone has *user. */
static int is_run_cancelled(void *user)
{
	bool *ends = user;
	PyGILState_STATE gil = PyGILState_Ensure();

	*ends |= PyErr_CheckSignals() != 0;     /* the exception stays set on this thread */
	PyGILState_Release(gil);
	return *ends;
}

/* Whether numbers of this format of Python's struct module have that type. */
static bool is_format(const char *format, const char *dtype)
{
	static const char *const kinds[] = { "fefd", "ibhilqn", "uBHILQN", "b?" };
	char letter;

	if (!format)
		format = "B";
	if (*format == '@' || *format == '=' || *format == '<')
		format++;
	letter = *format;
	if (!letter || format[1] || (dtype[0] == 'b' && dtype[1] == 'f'))
		return false;
	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
		if (kinds[i][0] == dtype[0])
			return strchr(kinds[i] + 1, letter) != NULL;
	return false;
}

static bool fits(const Py_buffer *b, const struct port *port)
{
	if (b->ndim != port->rank || b->itemsize != port->item || b->len != port->bytes ||
			!is_format(b->format, port->dtype) || (uintptr_t)b->buf % (size_t)port->item || !PyBuffer_IsContiguous(b, 'C'))
		return false;
	for (int32_t axis = 0; axis < port->rank; axis++)
		if (b->shape[axis] != port->shape[axis])
			return false;
	return true;
}

static bool overlaps(const Py_buffer *a, const Py_buffer *b)
{
	return (char *)a->buf < (char *)b->buf + b->len && (char *)b->buf < (char *)a->buf + a->len;
}

/* Whether it has a byte of a constant's: a result there would be another constant from then on. */
static bool is_kept(const struct runner *r, const Py_buffer *b)
{
	for (Py_ssize_t i = 0; i < r->n_kept; i++)
		if (r->kept[i].begin < (char *)b->buf + b->len && (char *)b->buf < r->kept[i].end)
			return true;
	return false;
}

enum { MOST_PORTS = 64 };               /* of a call by this short way */
struct call_lent { Py_buffer of[MOST_PORTS]; int n; const void *input[MOST_PORTS]; void *result[MOST_PORTS]; };

static void give_up(struct call_lent *l)
{
	while (l->n)
		PyBuffer_Release(&l->of[--l->n]);
}

/* Runs with what has been lent: the shapes of the results in that run, or NULL with an exception. */
static PyObject *run_lent(struct runner *r, const void *const *input, void *const *result, void *stream, bool waits)
{
	struct lt_instance *run = take(r);
	PyObject *shapes = NULL;
	bool ends = false;
	lt_status st;

	if (!run)
		return NULL;
	lt_instance_cancel(run, is_run_cancelled, &ends);
	Py_BEGIN_ALLOW_THREADS
	if (stream || !waits) {
		struct lt_run how = { .size = sizeof how, .stream = stream, .input = input, .result = result };

		st = lt_instance_enqueue(run, &how);
		if (!st && waits)
			st = lt_instance_wait(run);
	} else {
		st = lt_instance_run(run, input, result);
	}
	Py_END_ALLOW_THREADS
	lt_instance_cancel(run, NULL, NULL);
	if (ends) {
		;                       /* KeyboardInterrupt, or what a handler raised */
	} else if (st) {
		fail(st, lt_instance_message(run));
	} else if ((shapes = PyTuple_New(r->n_result))) {
		for (int32_t i = 0; i < r->n_result; i++) {
			const struct port *port = &r->result[i];
			bool whole = true;

			for (int32_t axis = 0; axis < port->rank; axis++)
				whole &= lt_instance_extent(run, i, axis) == port->shape[axis];
			PyObject *shape = whole ? Py_NewRef(Py_None) : PyTuple_New(port->rank);

			for (int32_t axis = 0; shape && !whole && axis < port->rank; axis++)
				PyTuple_SetItem(shape, axis, PyLong_FromLongLong(lt_instance_extent(run, i, axis)));
			PyTuple_SetItem(shapes, i, shape);
		}
	}
	give_back(r, run);
	return shapes;
}

/* Lends an array that is just what the port takes and has no byte of what is lent already: its address; NULL: it is
 * not. */
static void *lend(const struct runner *r, struct call_lent *l, PyObject *value, const struct port *port, int flags)
{
	Py_buffer *b = &l->of[l->n];

	if ((PyObject *)Py_TYPE(value) != r->array || PyObject_GetBuffer(value, b, flags | PyBUF_FORMAT | PyBUF_STRIDES)) {
		PyErr_Clear();          /* numpy lends no buffer of bfloat16 */
		return NULL;
	}
	l->n++;
	if (!fits(b, port))
		return NULL;
	for (int before = 0; before < l->n - 1; before++)
		if (overlaps(&l->of[before], b))
			return NULL;
	return b->buf;
}

/* The array that is given for result i, borrowed; NULL: none.  out: an array for the only result, or a dict. */
static PyObject *given_for(const struct runner *r, PyObject *out, int32_t i)
{
	if (out == Py_None)
		return NULL;
	return PyDict_Check(out) ? PyDict_GetItemWithError(out, r->result[i].name) : out;
}

/* Arrays for the results, given or made, and lent; NULL, perhaps with an exception: something else has to be done. */
static PyObject *room(const struct runner *r, struct call_lent *l, PyObject *out)
{
	PyObject *results = PyTuple_New(r->n_result);
	Py_ssize_t used = 0;

	if (out != Py_None && !PyDict_Check(out) && r->n_result != 1) {
		Py_XDECREF(results);
		return NULL;
	}
	for (int32_t i = 0; results && i < r->n_result; i++) {
		PyObject *given = given_for(r, out, i), *array;

		used += given != NULL;
		array = given ? Py_NewRef(given) : PyObject_Call(r->empty, r->result[i].make, NULL);
		if (!array || PyTuple_SetItem(results, i, array) ||
				!(l->result[i] = lend(r, l, array, &r->result[i], PyBUF_WRITABLE)) ||
				(given && is_kept(r, &l->of[l->n - 1])))
			Py_CLEAR(results);
	}
	if (results && PyDict_Check(out) && used != PyDict_Size(out))
		Py_CLEAR(results);      /* names that no result has */
	return results;
}

/* call(inputs by name, out): the only result, if it is whole; else (results, shapes), shapes None where arrays are; or
 * NotImplemented, where an argument is not just what the program takes: the caller knows what to do and to say. */
static PyObject *runner_call(PyObject *self, PyObject *const *args, Py_ssize_t n_arg)
{
	struct runner *r = (struct runner *)self;
	struct call_lent l = { .n = 0 };
	PyObject *inputs = n_arg == 2 ? args[0] : Py_None, *out = n_arg == 2 ? args[1] : Py_None, *results, *shapes = NULL;
	Py_ssize_t used = 0;

	if (!PyDict_Check(inputs) || r->away || r->n_input + r->n_result > MOST_PORTS)
		return Py_NewRef(Py_NotImplemented);
	for (int32_t i = 0; i < r->n_input; i++) {
		PyObject *value = PyDict_GetItemWithError(inputs, r->input[i].name);

		l.input[i] = NULL;
		used += value != NULL;
		if (!value && !r->input[i].needed)
			continue;
		if (!value || !(l.input[i] = lend(r, &l, value, &r->input[i], 0)))
			goto other;
	}
	if (out == Py_None && r->out && used < PyDict_Size(inputs)) {
		PyObject *said = PyDict_GetItemWithError(inputs, r->out);

		used += said != NULL;
		out = said ? said : out;
	}
	if (used != PyDict_Size(inputs))
		goto other;
	if (!(results = room(r, &l, out)) && !PyErr_Occurred())
		goto other;
	if (results)
		shapes = run_lent(r, l.input, l.result, NULL, true);
	give_up(&l);
	if (shapes && r->n_result == 1 && PyTuple_GetItem(shapes, 0) == Py_None) {
		PyObject *only = Py_NewRef(PyTuple_GetItem(results, 0));

		Py_DECREF(shapes);
		Py_DECREF(results);
		return only;
	}
	if (shapes)
		return Py_BuildValue("NN", results, shapes);
	Py_XDECREF(results);
	return NULL;
other:
	give_up(&l);
	return Py_NewRef(Py_NotImplemented);
}

/* Addresses of a call as arrays, of which input is freed by the caller. */
static bool addresses(const struct runner *r, PyObject *inputs, PyObject *results, const void ***input, void ***result)
{
	const size_t n = (size_t)r->n_input + (size_t)r->n_result;
	const void **all = calloc(n + 1, sizeof *all);

	if (!all || PyTuple_Size(inputs) != r->n_input || PyTuple_Size(results) != r->n_result) {
		free(all);
		PyErr_SetString(PyExc_ValueError, "an address for each input and each result is asked for");
		return false;
	}
	for (int32_t i = 0; i < r->n_input + r->n_result; i++)
		all[i] = PyLong_AsVoidPtr(i < r->n_input ? PyTuple_GetItem(inputs, i) : PyTuple_GetItem(results, i - r->n_input));
	*input = all, *result = (void **)(all + r->n_input);
	if (!PyErr_Occurred())
		return true;
	free(all);
	return false;
}

/* run_at(inputs, results, stream, waits): by addresses, 0 for an input that is not needed; the shapes.  The caller
 * keeps the memory, and has seen that it is what the program takes. */
static PyObject *runner_run_at(PyObject *self, PyObject *args)
{
	struct runner *r = (struct runner *)self;
	PyObject *inputs, *results, *stream, *shapes = NULL;
	const void **input;
	void **result;
	int waits;

	if (!PyArg_ParseTuple(args, "O!O!Oi", &PyTuple_Type, &inputs, &PyTuple_Type, &results, &stream, &waits))
		return NULL;
	void *queue = PyLong_AsVoidPtr(stream);

	if (!PyErr_Occurred() && addresses(r, inputs, results, &input, &result)) {
		shapes = run_lent(r, input, result, queue, waits);
		free(input);
	}
	return shapes;
}

/* state(i, bytes): what state i holds; bytes: what it is to hold, or None */
static PyObject *runner_state(PyObject *self, PyObject *args)
{
	struct runner *r = (struct runner *)self;
	struct lt_instance *run;
	const char *from;
	Py_ssize_t bytes;
	PyObject *held = NULL;
	int i;

	if (!PyArg_ParseTuple(args, "iz#", &i, &from, &bytes) || !(run = take(r)))
		return NULL;
	size_t has = lt_program_bytes(r->program, LT_BINDING_STATE, i);
	void *at = lt_instance_state(run, i);

	if (!at)
		fail(lt_instance_code(run), lt_instance_message(run));
	else if (from && (size_t)bytes != has)
		PyErr_SetString(PyExc_ValueError, "state: another number of bytes");
	else if (from)
		memcpy(at, from, has);
	if (at && !PyErr_Occurred())
		held = PyBytes_FromStringAndSize(at, (Py_ssize_t)has);
	give_back(r, run);
	return held;
}

static PyObject *runner_reset(PyObject *self, PyObject *none)
{
	struct lt_instance *run = take((struct runner *)self);

	(void)none;
	if (!run)
		return NULL;
	lt_instance_reset(run);
	give_back((struct runner *)self, run);
	return Py_NewRef(Py_None);
}

/* borrow(): the address of an instance, for calls of the library; give_back(address) */
static PyObject *runner_borrow(PyObject *self, PyObject *none)
{
	struct lt_instance *run = take((struct runner *)self);

	(void)none;
	return run ? PyLong_FromVoidPtr(run) : NULL;
}

static PyObject *runner_give_back(PyObject *self, PyObject *address)
{
	struct lt_instance *run = PyLong_AsVoidPtr(address);

	if (run)
		give_back((struct runner *)self, run);
	return PyErr_Occurred() ? NULL : Py_NewRef(Py_None);
}

static PyObject *py_set_errors(PyObject *self, PyObject *make)
{
	PyObject *before = make_error;

	(void)self;
	make_error = Py_NewRef(make);
	Py_XDECREF(before);
	return Py_NewRef(Py_None);
}

PyMODINIT_FUNC PyInit__core(void);
PyMODINIT_FUNC PyInit__core(void)
{
	static PyMethodDef functions[] = {
		{ "runner", py_runner, METH_VARARGS, NULL },
		{ "set_errors", py_set_errors, METH_O, NULL },
		{ NULL, NULL, 0, NULL }
	}, methods[] = {
		{ "call", (PyCFunction)(void (*)(void))runner_call, METH_FASTCALL, NULL },
		{ "run_at", runner_run_at, METH_VARARGS, NULL },
		{ "state", runner_state, METH_VARARGS, NULL },
		{ "reset", runner_reset, METH_NOARGS, NULL },
		{ "borrow", runner_borrow, METH_NOARGS, NULL },
		{ "give_back", runner_give_back, METH_O, NULL },
		{ NULL, NULL, 0, NULL }
	};
	static struct PyModuleDef module = { PyModuleDef_HEAD_INIT, .m_name = "looptree._core", .m_size = -1,
		.m_methods = functions };
	PyType_Slot slots[] = { { Py_tp_dealloc, (void *)runner_dealloc }, { Py_tp_methods, methods }, { 0, NULL } };
	PyType_Spec spec = { .name = "looptree._core.Runner", .basicsize = sizeof(struct runner), .slots = slots,
		.flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION };

	const struct { const char *name; void *at; } called[] = { { "is_cancelled", (void *)is_cancelled },
		{ "on_verify", (void *)on_verify }, { "on_time", (void *)on_time }, { "on_text", (void *)on_text },
		{ "on_progress", (void *)on_compile_progress }, { "on_log", (void *)on_log },
		{ "is_compile_cancelled", (void *)is_compile_cancelled } };
	PyObject *m = PyModule_Create(&module);

	for (size_t i = 0; m && i < sizeof called / sizeof *called; i++) {
		PyObject *address = PyLong_FromVoidPtr(called[i].at);

		if (!address || PyModule_AddObjectRef(m, called[i].name, address))
			Py_CLEAR(m);
		Py_XDECREF(address);
	}
	runner_type = (PyTypeObject *)PyType_FromSpec(&spec);
	return runner_type ? m : NULL;
}
