/* looptree.js -- Looptree in a page, a worker or node: scripts compiled, run, judged and timed, and their loop trees
 * changed step by step.  docs/javascript-library.md shows it; looptree.d.ts
 * has its types.
 *
 * Everything is on the thread that calls: a page that stays alive has the library in a worker.
 */
import { ARRAYS, dtypeOf, filled, isExact, isFloat, isHalf, isWide, notExact, randoms } from './arrays.js';
import { hasSimd } from './engine.js';
import { Extents, saidShape } from './extents.js';
import { Llama, bytesOfFile, kindOfFile } from './llama.js';
import { LooptreeError, Native, kindOf, values } from './native.js';

export { LooptreeError };

const MOST = 2 ** 30;                   // bytes of a tensor: memory has 2 GiB at most
const INPUT = values.LT_BINDING_INPUT, CONSTANT = values.LT_BINDING_CONSTANT, STATE = values.LT_BINDING_STATE,
	RESULT = values.LT_BINDING_RESULT;
const lower = (of, begin) => Object.fromEntries(Object.entries(values).filter(([name]) => name.startsWith(begin))
	.map(([name, value]) => [value, name.slice(begin.length).toLowerCase()]));
const DOES = lower(values, 'LT_DOES_'), VIOLATION = lower(values, 'LT_VIOLATION_'),
	VERDICT = lower(values, 'LT_VERDICT_');
const KIND = { [values.LT_TLOOP]: 'loop', [values.LT_TGROUP]: 'group', [values.LT_TLEAF]: 'leaf' };
const TAIL = { [values.LT_GUARD]: 'guard', [values.LT_PEEL]: 'peel', [values.LT_MASK]: 'mask', [values.LT_PAD]: 'pad' };
/* The options of compile that are members of lt_options, and what each is; `passes` is the other way round there. */
const OPTIONS = { backend: ['backends', 'string'], threads: ['n_thread', 'number'], schedule: ['schedule', 'string'],
	apply: ['apply', 'string'], strict: ['strict', 'boolean'], passes: ['no_passes', 'boolean'],
	profile: ['profile', 'boolean'] };

const WAYS_OUT = [
	[/assembly to show; use -b .*/, "assembly to show; { backend: 'wasm' } has a source: p.dump('source')"],
	[/; use -b cpu.*/, "; compile it with { backend: 'wasm' }"],
	['LT_SHOW_TREE shows it', "p.dump('tree') shows it"],
	[/^Missing constant: (.*)$/s, (said, of) => {
		const [, one] = /^('[^']*') \([^']*\)$/.exec(of) ?? [];
		return `${said}: give ${one ? `it by p.bind(${one}, array), or as one of` : 'each by p.bind(name, array), or as'} `
			+ 'the weights of compile';
	}]
];
/* Those that are called. */
const CALLED = ['progress', 'log', 'cancelled'];

/* Options are an object; known: the ones that there are, where the callee does not look itself. */
function optionsOf(options, call, known) {
	if (options === null || typeof options !== 'object' || Array.isArray(options))
		throw new LooptreeError('EINVAL', `${call} takes options as an object, { name: value }, not ${kindOf(options)}`);
	for (const name of Object.keys(options))
		if (known && !known.includes(name))
			throw new LooptreeError('EINVAL', `${call} has no option '${name}'; it has: ${known.join(', ')}`);
	return options;
}
/* Without what is null or undefined, which is as if it was left out. */
const given = (options) => Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined
	&& value !== null));

/* -- what is freed, and when -- */

/* A context, and all that was made in it: freed when nothing of it is held any more. */
class Scope {
	#native; #held = 0; #ends = [];
	static #lost = new FinalizationRegistry((leave) => leave());

	constructor(native) {
		this.#native = native;
		this.context = native.lent((lend) => {
			const out = lend.room(4);
			if (native.call('lt_context_new', out))
				throw new RangeError('there is no memory for a context');
			return native.pointer(out);
		});
		this.#ends.push(() => native.call('lt_context_free', this.context));
	}
	/* The scope stays until `by` is freed or lost; end: what is freed then, before the scope.  Gives what frees it.
	 * Neither function may see `by`, which would never be lost then. */
	hold(by, end = () => {}) {
		const leave = this.#leaver(end);
		Scope.#lost.register(by, leave);
		return leave;
	}
	#leaver(end) {
		let left = false;
		this.#held++;
		return () => {
			if (left || this.#native.isBroken)
				return;
			left = true;
			end();
			if (!--this.#held)
				while (this.#ends.length)
					this.#ends.pop()();
		};
	}
	/* Freed with the scope, before what was there earlier. */
	keep(end) { this.#ends.push(end); }
	/* A call that gives a status. */
	call(name, ...given) {
		const status = this.#native.call(name, ...given);
		if (status)
			throw this.error(status, this.#native.call('lt_context_message', this.context));
	}
	error(status, message) {
		return new LooptreeError(this.#native.call('lt_status_name', status), message
			|| this.#native.call('lt_status_text', status));
	}
	/* What a call writes to its last argument but one before `after`. */
	made(name, ...given) {
		return this.#native.lent((lend) => {
			const out = lend.room(4);
			this.call(name, ...given, out);
			return this.#native.pointer(out);
		});
	}
	written(name, ...given) {
		return written(this.#native, (...at) => this.call(name, ...given, ...at));
	}
}

/* The text that a function of the interface writes in pieces. */
function written(native, call) {
	let text = '';
	const user = native.callbacks.add({ text: (piece) => { text += piece; } });
	try {
		call(native.callback('text'), user);
	} finally {
		native.callbacks.remove(user);
	}
	return text;
}

/* -- loop trees -- */

/** A loop tree, which is a value: steps give another one. */
export class Tree {
	#native; #scope; #at; #program; #compiled; #leave;

	/* compiled: the Compiled whose graph the tree borrows. */
	constructor(native, scope, at, program, compiled) {
		this.#native = native;
		this.#scope = scope;
		this.#at = at;
		this.#program = program;
		this.#compiled = compiled.held();
		this.#leave = scope.hold(this, () => {
			native.call('lt_looptree_free', at);
			compiled.left();
		});
	}
	/* For Program. */
	static at(tree) { return tree.#place; }
	static scope(tree) { return tree.#scope; }
	get #place() {
		this.#native.check();
		if (!this.#at)
			throw new LooptreeError('EINVAL', 'the tree was freed');
		return this.#at;
	}
	toString() { return this.#scope.written('lt_looptree_print', this.#place); }
	get text() { return this.toString(); }

	/** Steps, one a line or with ';' between: "split k 8; unroll k'".  A refusal is an error with step, line, column,
	 * node, loop, remedy, and the violating pair of iterations, where a proof found one. */
	apply(steps, name = 'schedule') {
		if (typeof steps !== 'string')
			throw new LooptreeError('EINVAL', `steps are a text, "split m 8; unroll m'", not ${kindOf(steps)}`);
		return this.#native.lent((lend) => {
			const text = new TextEncoder().encode(steps), out = lend.room(4), why = lend.room(4);
			try {
				this.#scope.call('lt_looptree_apply', this.#place, lend.bytes(text), text.length, lend.text(name), 0, 0, out, why);
			} catch (error) {
				if (this.#native.pointer(why))
					this.#tell(error, this.#native.pointer(why));
				throw error;
			}
			return new Tree(this.#native, this.#scope, this.#native.pointer(out), this.#program, this.#compiled);
		});
	}
	#tell(error, at) {
		const why = this.#native.get('lt_refused_step', at);
		for (const member of ['line', 'column', 'node', 'loop', 'remedy', 'step', 'number', 'text'])
			error[member] = why[member];
		error.violation = why.violation ? this.#violation(why.violation) : null;
		this.#native.call('lt_refused_step_free', at);
	}
	#violation(at) {
		const native = this.#native, of = native.get('lt_violation', at);
		const places = (array) => Object.fromEntries(native.each(array, 'lt_coordinate').map((c) => [c.name, c.at]));
		return { kind: VIOLATION[of.kind], value: of.value, loop: of.loop, element: native.each(of.element, 'int64_t'),
			found: native.each(of.found, 'int64_t'), params: places(of.params),
			pair: native.each(of.pair, 'lt_iteration').map((i) => ({ node: i.node, does: DOES[i.does], at: places(i.at) })) };
	}
	/** Its loops, groups and leaves in the order of its text; their members are those of struct lt_treeline, with words
	 * for kinds: of a loop's own kind that is `how`. */
	lines() {
		return this.#native.lent((lend) => {
			const array = lend.room(12);
			this.#scope.call('lt_looptree_lines', this.#place, array);
			return this.#native.each(this.#native.get('lt_array', array), 'lt_treeline').map(({ loop_kind: _, ...line }) =>
				({ ...line, kind: KIND[line.kind], tail: line.kind === values.LT_TLOOP ? TAIL[line.tail] : null }));
		});
	}
	/** The program that runs by it, compiled as its own was but for these options (all but schedule and apply). */
	compile(options) { return this.#program.withTree(this, options); }
	free() {
		this.#native.check();
		this.#leave();
		this.#at = 0;
	}
}

/* -- programs -- */

const bytesIn = (dtype, shape) => shape.reduce((a, n) => a * n, ARRAYS[dtype].BYTES_PER_ELEMENT);

/* The tensors of a program, in its order. */
function ports(native, program, kind) {
	return Array.from({ length: native.call('lt_program_count', program, kind) }, (_, i) => {
		const port = { name: native.call('lt_program_name', program, kind, i),
			dtype: dtypeOf(native.call('lt_dtype_name', native.call('lt_program_dtype', program, kind, i))),
			shape: Array.from({ length: native.call('lt_program_rank', program, kind, i) }, (_, axis) =>
				native.call('lt_program_extent', program, kind, i, axis)),
			bytes: native.call('lt_program_bytes', program, kind, i),
			needed: Boolean(native.call('lt_program_needs', program, kind, i)) };
		port.open = port.shape.some((_, axis) => native.call('lt_program_is_open', program, kind, i, axis));
		port.text = typeText(port);
		/* Addresses have 32 bits here. */
		const bytes = bytesIn(port.dtype, port.shape);
		if (bytes !== port.bytes || bytes > MOST)
			throw new LooptreeError('EOVERFLOW', `${described(port)} has ${bytes} bytes; there is room for tensors of ${MOST}: `
				+ 'make it smaller, or run the model outside of a page');
		return port;
	});
}
/* What a program says of them, by name. */
const facts = (list) => Object.freeze(Object.fromEntries(list.map((port) => [port.name, Object.freeze({ name: port.name,
	dtype: port.dtype, array: ARRAYS[port.dtype].name, shape: Object.freeze([...port.shape]), text: port.text,
	needed: port.needed })])));
const typeText = (port) => `${port.dtype} [${port.shape.join(', ')}]`;
const described = (port) => `'${port.name}', ${port.text ?? typeText(port)}`;

/* Numbers of a list, nested as the axes of the tensor are or flat; [] of no axes is a number. */
function flatten(port, value, what) {
	const wrong = (how) => new LooptreeError('ETYPE', `${what} ${described(port)}, ${how}`);
	const number = (x) => {
		const large = isWide(port.dtype);
		if (port.dtype === 'bool' && typeof x === 'boolean')
			return Number(x);
		if (large ? !(typeof x === 'bigint' || Number.isInteger(x)) : typeof x !== 'number')
			throw wrong(`is given as a list of ${large ? 'whole ' : ''}numbers; ${kindOf(x)} is none`);
		if (port.dtype === 'bool' && x !== 0 && x !== 1)
			throw wrong(`is given as a list of 0 and 1; ${x} is neither`);
		const as = large ? BigInt(x) : x, [kept] = ARRAYS[port.dtype].of(as);
		/* Numbers of floats are rounded to the nearest one: a number stays one. */
		if (isFloat(port.dtype) ? Number.isFinite(x) && !Number.isFinite(kept) : kept !== as)
			throw wrong(`cannot hold ${x}`);
		if (large && !isExact(x))
			throw wrong(`is given with ${notExact(x)}`);
		return as;
	};
	const flat = Array.isArray(value) && !value.some(Array.isArray);
	const walk = (x, axis) => {
		if (axis === port.shape.length)
			return [number(x)];
		if (!Array.isArray(x) || x.length !== port.shape[axis])
			throw wrong(`is given as lists of its extents, or as one of all its elements; axis ${axis} is `
				+ (Array.isArray(x) ? `of ${x.length}` : kindOf(x)));
		/* Holes, too, which flatMap passes over. */
		return [...x].flatMap((y) => walk(y, axis + 1));
	};
	if (isHalf(port.dtype))
		throw wrong('is given as a Uint16Array of its bits');
	const all = flat && port.shape.length !== 1 ? [...value].map(number) : walk(value, 0);
	return ARRAYS[port.dtype].from(all);
}

/* The bytes of a typed array that is what a tensor takes. */
function bytesOf(port, value, what) {
	const kind = ARRAYS[port.dtype];
	const given = Array.isArray(value) || typeof value === 'number' || typeof value === 'bigint'
		? flatten(port, value, what) : value;
	const alike = { float16: 'Float16Array', uint8: 'Uint8ClampedArray' }[port.dtype];
	if (!(given instanceof kind || alike && given?.constructor?.name === alike))
		throw new LooptreeError('ETYPE', `${what} ${described(port)}, is given as a ${kind.name} or a list of numbers, not `
			+ `as ${kindOf(value)}`);
	if (given.byteLength !== port.bytes)
		throw new LooptreeError('ETYPE', `${what} ${described(port)}, is given with ${given.length} elements, and `
			+ `${port.bytes / given.BYTES_PER_ELEMENT} are wanted`);
	const wrong = (how) => new LooptreeError('ETYPE', `${what} ${described(port)}, is given with ${how}`);
	const shape = saidShape(given, wrong);
	if (shape && (shape.length !== port.shape.length || shape.some((n, axis) => n !== port.shape[axis])))
		throw wrong(`the extents [${shape.join(', ')}]`);
	const odd = port.dtype === 'bool' ? given.findIndex((x) => x > 1) : -1;
	if (odd >= 0)
		throw wrong(`${given[odd]} at element ${odd}, which is neither 0 nor 1; Uint8Array.from(array, Boolean) has no `
			+ 'others');
	return new Uint8Array(given.buffer, given.byteOffset, given.byteLength);
}

/* An object with tensors by name. */
function named(of, what) {
	if (of === null || typeof of !== 'object' || Array.isArray(of) || ArrayBuffer.isView(of))
		throw new LooptreeError('EINVAL', `${what} are an object with arrays by name, { x: array }, not ${kindOf(of)}`);
	return of;
}

/* A program of the interface: it is there until its Program and all trees over its graph are freed or lost. */
class Compiled {
	#native; #held = 0; #user;

	/* user: what the program's backends log to, to the end. */
	constructor(native, at, user) {
		this.#native = native;
		this.at = at;
		this.#user = user;
	}
	held() {
		this.#held++;
		return this;
	}
	left() {
		if (--this.#held)
			return;
		try {
			this.#native.call('lt_program_free', this.at);
		} finally {
			this.#native.callbacks.remove(this.#user);
		}
	}
}

/** A compiled program: p.run({ x }) gives what it computes. */
export class Program {
	#native; #scope; #graph; #asked; #leave; #ports; #extents = null; #room = null; #bound = new Map(); #ended = false;

	constructor(native, scope, graph, asked) {
		this.#native = native;
		this.#scope = scope;
		this.#graph = graph;
		this.#asked = asked;
		const owned = { program: this.#compiled().held(), instance: 0, room: [] };
		this.#owned = owned;
		this.#leave = scope.hold(this, Program.#end(native, owned));
		try {
			this.#ports = { input: ports(native, this.#place, INPUT), constant: ports(native, this.#place, CONSTANT),
				state: ports(native, this.#place, STATE), result: ports(native, this.#place, RESULT) };
			this.#findExtents();
			this.inputs = facts(this.#ports.input);
			this.constants = facts(this.#ports.constant);
			this.states = facts(this.#ports.state);
			this.results = facts(this.#ports.result);
		} catch (error) {
			this.#leave();
			throw error;
		}
	}
	static #end(native, owned) {
		return () => {
			if (owned.instance)
				native.call('lt_instance_free', owned.instance);
			owned.program.left();
			owned.room.forEach((at) => native.free(at));
		};
	}
	#owned;

	#compiled() {
		const { progress, log, cancelled, ...asked } = this.#asked, native = this.#native;
		const tree = asked.schedule instanceof Tree ? asked.schedule : null;
		const more = tree ? { ...asked, schedule: null } : asked;
		for (const [name, value] of Object.entries({ progress, log, cancelled }))
			if (value !== undefined && typeof value !== 'function')
				throw new LooptreeError('EINVAL', `option '${name}' is a function, not ${kindOf(value)}`);
		return native.lent((lend) => {
			const members = {};
			for (const [name, value] of Object.entries(more)) {
				if (value === undefined || value === null)
					continue;
				if (!Object.hasOwn(OPTIONS, name))
					throw new LooptreeError('EINVAL', `compile has no option '${name}'; it has: ${Object.keys(OPTIONS).join(', ')}, `
						+ 'dims, weights, name, frontend, progress, log, cancelled');
				const [member, kind] = OPTIONS[name];
				if (typeof value !== kind || kind === 'number' && !(Number.isInteger(value) && value >= 0 && value < 2 ** 32))
					throw new LooptreeError('EINVAL', `option '${name}' is a ${kind}${kind === 'number' ? ' that is whole' : ''}, `
						+ `not ${kindOf(value)}`);
				if (name === 'threads' && value > 1)
					throw new LooptreeError('EUNSUPPORTED', `option 'threads' is ${value}, and the library in a page has one thread: `
						+ 'leave it out, or run the model outside of a page');
				members[member] = kind === 'string' ? lend.text(value) : name === 'passes' ? (value ? 0 : 1) : Number(value);
			}
			const told = { progress, log, unwanted: cancelled }, user = native.callbacks.add(told);
			Object.assign(members, { user, progress: native.callback('compile'), log: native.callback('log'),
				cancelled: native.callback('unwanted') });
			const options = lend.sized('lt_options', members);
			try {
				const { context } = this.#scope;
				const at = tree ? this.#scope.made('lt_compile_tree', context, this.#graph, Tree.at(tree), options)
					: this.#scope.made('lt_compile', context, this.#graph, options);
				delete told.progress;
				delete told.unwanted;
				return new Compiled(native, at, user);
			} catch (error) {
				native.callbacks.remove(user);
				throw error;
			}
		});
	}
	get #place() {
		this.#native.check();
		if (this.#ended)
			throw new LooptreeError('EINVAL', 'the program was freed');
		return this.#owned.program.at;
	}

	/** Gives a constant; before the first run. */
	bind(name, value) {
		const i = this.#ports.constant.findIndex((c) => c.name === name);
		if (i < 0)
			throw new LooptreeError('EMISSING', `the program has no constant '${name}'; it has: `
				+ (this.#ports.constant.map((c) => c.name).join(', ') || 'none'));
		this.#native.lent((lend) => this.#scope.call('lt_program_bind', this.#place, i,
			lend.bytes(bytesOf(this.#ports.constant[i], value, 'constant')), 1));
		this.#bound.set(name, ArrayBuffer.isView(value) ? value.slice() : structuredClone(value));
		return this;
	}
	/* Its instance, made at the first use. */
	get #run() {
		const native = this.#native, program = this.#place, owned = this.#owned;
		const take = (bytes) => {
			const at = native.allocate(bytes);
			owned.room.push(at);
			return at;
		};
		/* Memory for inputs and results, at the alignment that vectors want, and where that is. */
		const place = (port) => Math.ceil(take(port.bytes + 64) / 64) * 64;
		const places = (of) => native.pointers(take(4 * of.length), of);
		if (!this.#room)
			try {
				const input = this.#ports.input.map(place), result = this.#ports.result.map(place);
				this.#room = { input, result, inputs: places(input), results: places(result) };
			} catch (error) {
				owned.room.splice(0).forEach((at) => native.free(at));
				throw error;
			}
		if (!owned.instance)
			native.lent((lend) => {
				const out = lend.room(4), status = native.call('lt_instance_new', program, out);
				const made = native.pointer(out);
				if (status) {
					const error = this.#scope.error(status, made ? native.call('lt_instance_message', made) : '');
					if (made)
						native.call('lt_instance_free', made);
					throw error;
				}
				owned.instance = made;
			});
		return this.#owned.instance;
	}
	/* Where extents differ from run to run: what says them. */
	#findExtents() {
		const { input, result } = this.#ports;
		if (![...input, ...result].some((port) => port.open))
			return;
		/* Of the graph as it was written: passes drop inputs that nothing reads. */
		const native = this.#native, at = this.#scope.made('lt_graph_extents', this.#graph);
		try {
			this.#extents = new Extents(native, at, input);
		} finally {
			native.call('lt_extents_free', at);
		}
		for (const port of input) {
			port.text = `${port.dtype} [${port.shape.map((_, axis) => this.#extents.axisText(port, axis)).join(', ')}]`;
			port.needed &&= !this.#extents.isImplied(port);
		}
	}
	/* Inputs in the program's memory; filled: those that are not given are numbers of a fixed seed, floats of -1 to 1,
	 * integers of 0 and 1, which are indices, too. */
	#filled(inputs, filled) {
		const run = this.#sayingHow(() => this.#run);
		for (const name of Object.keys(named(inputs, 'inputs')))
			if (!Object.hasOwn(this.inputs, name))
				throw new LooptreeError('EMISSING', `the program has no input '${name}'; it has: `
					+ (this.#ports.input.map((port) => port.name).join(', ') || 'none'));
		const random = randoms();
		for (const port of this.#ports.input)
			if (inputs[port.name] === undefined && port.needed && !filled)
				throw new LooptreeError('EMISSING', `input ${described(port)}, is missing`);
		const count = (value) => Array.isArray(value) ? value.length : ArrayBuffer.isView(value) ? value.length : 1;
		const found = this.#extents?.find(this.#ports.input, inputs, count, filled), { bytes } = this.#native;
		this.#ports.input.forEach((port, i) => {
			const at = this.#room.input[i], value = inputs[port.name], shape = found?.shapes.get(port.name);
			if (value !== undefined && !shape)
				bytes.set(bytesOf(port, value, 'input'), at);
			else if (value !== undefined)
				spread(bytesOf({ ...port, shape, bytes: bytesIn(port.dtype, shape) }, value, 'input'),
					bytes.subarray(at, at + port.bytes), ARRAYS[port.dtype].BYTES_PER_ELEMENT, port.shape, shape);
			else if (found?.said.has(port.name))
				bytes.set(new Uint8Array(BigInt64Array.of(BigInt(found.said.get(port.name))).buffer), at);
			else if (filled)
				bytes.set(drawn(port, random), at);
		});
		return run;
	}
	#checked(status) {
		if (status)
			throw this.#scope.error(status, this.#native.call('lt_instance_message', this.#owned.instance));
	}

	/** One run, with the states that the one before left: an object of results by name, typed arrays with `shape`. */
	run(inputs = {}) {
		const native = this.#native, run = this.#filled(inputs, false);
		this.#checked(native.call('lt_instance_run', run, this.#room.inputs, this.#room.results));
		return Object.fromEntries(this.#ports.result.map((port, i) => {
			const at = this.#room.result[i], array = new ARRAYS[port.dtype](native.bytes.slice(at, at + port.bytes).buffer);
			const shape = port.shape.map((n, axis) => port.open ? native.call('lt_instance_extent', run, i, axis) : n);
			return [port.name, Object.defineProperty(dense(array, port.shape, shape), 'shape', { value: shape })];
		}));
	}
	/** A copy of a state; zeros before the first run. */
	getState(name) {
		const { at, port } = this.#state(name);
		return new ARRAYS[port.dtype](this.#native.bytes.slice(at, at + port.bytes).buffer);
	}
	setState(name, value) {
		const { at, port } = this.#state(name);
		this.#native.bytes.set(bytesOf(port, value, 'state'), at);
	}
	#state(name) {
		const i = this.#ports.state.findIndex((s) => s.name === name);
		if (i < 0)
			throw new LooptreeError('EMISSING', `the program has no state '${name}'; it has: `
				+ (this.#ports.state.map((s) => s.name).join(', ') || 'none'));
		return { at: this.#native.call('lt_instance_state', this.#run, i), port: this.#ports.state[i] };
	}
	/** All states are zeros again. */
	reset() { this.#native.call('lt_instance_reset', this.#run); }

	/** The loop tree that it was compiled by. */
	get tree() {
		const native = this.#native, tree = native.call('lt_program_tree', this.#place);
		return native.lent((lend) => {
			const out = lend.room(4);
			this.#scope.call('lt_looptree_apply', tree, lend.text(''), 0, 0, 0, 0, out, 0);
			return new Tree(native, this.#scope, native.pointer(out), this, this.#owned.program);
		});
	}
	/** The same graph compiled by another tree: one of this program's, changed, or a text. */
	withTree(tree, options = {}) {
		void this.#place;
		for (const name of Object.keys(optionsOf(options, 'compile')))
			if (!Object.hasOwn(OPTIONS, name) && !CALLED.includes(name) || name === 'schedule' || name === 'apply')
				throw new LooptreeError('EINVAL', `a tree is not compiled with the option '${name}'; it has: ${[
					...Object.keys(OPTIONS), ...CALLED].filter((one) => one !== 'schedule' && one !== 'apply').join(', ')}`);
		if (typeof tree !== 'string' && !(tree instanceof Tree))
			throw new LooptreeError('EINVAL', `a program is made of a Tree or of its text, not of ${kindOf(tree)}`);
		if (tree instanceof Tree && Tree.scope(tree) !== this.#scope)
			throw new LooptreeError('EINVAL', 'the tree is of another program; give its text: withTree(String(tree))');
		const program = new Program(this.#native, this.#scope, this.#graph,
			{ ...this.#asked, ...given(options), schedule: tree, apply: null });
		for (const [name, value] of this.#bound)
			if (Object.hasOwn(program.constants, name))
				program.bind(name, value);
		return program;
	}
	/** As text: graph, tree, access, frozen, source, plan, explain, asm, kernel or stats. */
	dump(kind) {
		const number = values[`LT_SHOW_${String(kind).toUpperCase()}`];
		if (number === undefined)
			throw new LooptreeError('EINVAL', `nothing is shown as '${kind}'; there is: ${Object.keys(values)
				.filter((name) => name.startsWith('LT_SHOW_')).map((name) => name.slice(8).toLowerCase()).join(', ')}`);
		const place = this.#place;
		return this.#sayingHow(() => this.#scope.written('lt_program_dump', place, number));
	}
	/* With ways out that a page has, where the library names those of C or of lt-run. */
	#sayingHow(call) {
		try {
			return call();
		} catch (error) {
			if (error instanceof LooptreeError)
				for (const [words, here] of WAYS_OUT)
					error.message = error.message.replace(words, here);
			throw error;
		}
	}
	/** Which backend takes each kernel, and why others refused it. */
	explain() { return this.dump('explain'); }

	/** One run judged by an evaluator that knows neither passes nor trees: verdict ("passed", "failed", "open"), first,
	 * the members of struct lt_verified, text.  Inputs that are not given are random; drawn: their names. */
	verify(inputs = {}, options = {}) {
		const { progress } = optionsOf(options, 'verify', ['progress']);
		if (progress !== undefined && typeof progress !== 'function')
			throw new LooptreeError('EINVAL', `option 'progress' is a function, not ${kindOf(progress)}`);
		const native = this.#native, run = this.#filled(inputs, true);
		return native.lent((lend) => {
			const user = native.callbacks.add({ progress: (done, total, what) => progress?.(what, done / total) });
			const asked = lend.sized('lt_verify_options', { progress: native.callback('verify'), user });
			const verifier = this.#scope.made('lt_verifier_new', this.#graph, this.#place, 0, asked);
			try {
				this.#scope.call('lt_verifier_run', verifier, run, this.#room.inputs, this.#room.results);
				const at = native.call('lt_verifier_report', verifier), found = native.get('lt_verified', at);
				const text = written(native, (write, to) => native.call('lt_verified_print', at, 0, write, to));
				const drawn = this.#ports.input.filter((port) => port.needed && inputs[port.name] === undefined);
				return { ...found, verdict: VERDICT[found.verdict], text, drawn: drawn.map((port) => port.name) };
			} finally {
				native.call('lt_verifier_free', verifier);
				native.callbacks.remove(user);
			}
		});
	}
	/** How long runs take, in nanoseconds: median, min, mean, lower and upper quartile, samples. */
	time(inputs = {}, options = {}) {
		const { samples = 0, repeat = 1 } = optionsOf(options, 'time', ['samples', 'repeat']);
		for (const [name, value] of Object.entries({ samples, repeat }))
			if (!Number.isInteger(value) || value < (name === 'repeat' ? 1 : 0) || value >= 2 ** 31)
				throw new LooptreeError('EINVAL', `${name} is a whole number from ${name === 'repeat' ? 1 : 0} to 2147483647, not `
					+ kindOf(value));
		const native = this.#native, run = this.#filled(inputs, true);
		return native.lent((lend) => {
			const how = lend.sized('lt_run', { input: this.#room.inputs, result: this.#room.results });
			const out = lend.room(4);
			this.#checked(native.call('lt_instance_time', run, how,
				lend.sized('lt_time_options', { n_sample: samples, repeat }), out));
			const at = native.pointer(out), t = native.get('lt_timing', at);
			const each = native.each({ at: t.sample_ns, n: t.n_sample, stride: 8 }, 'double');
			native.call('lt_timing_free', at);
			return { min: t.min_ns, median: t.median_ns, mean: t.mean_ns, lower: t.lower_ns, upper: t.upper_ns, samples: each };
		});
	}
	/** Numbers of the program and its runs (struct lt_stats). */
	stats() {
		return this.#native.lent((lend) => {
			const at = lend.sized('lt_stats');
			this.#native.call('lt_program_stats', this.#place, at);
			return this.#native.get('lt_stats', at);
		});
	}
	free() {
		this.#native.check();
		this.#ended = true;
		this.#leave();
	}
}

/* Bytes of a tensor of random numbers. */
const drawn = (port, random) => new Uint8Array(filled(port, 'random', random).buffer);

/* Rows that lie one after the other, at the largest extents. */
function spread(from, to, bytes, largest, shape) {
	if (shape.every((n, axis) => n === largest[axis])) {
		to.set(from);
		return;
	}
	const row = (shape.at(-1) ?? 1) * bytes, at = shape.map(() => 0);
	for (let i = 0; i < from.length; i += row) {
		to.set(from.subarray(i, i + row), bytes * at.reduce((sum, x, axis) => sum * largest[axis] + x, 0));
		for (let axis = shape.length - 2; axis >= 0 && ++at[axis] === shape[axis]; axis--)
			at[axis] = 0;
	}
}

/* Rows that lie at the largest extents, one after the other as they are in a run. */
function dense(array, largest, shape) {
	if (shape.every((n, axis) => n === largest[axis]))
		return array;
	const n = shape.reduce((a, b) => a * b, 1), out = new array.constructor(n), at = shape.map(() => 0);
	for (let i = 0; i < n; i++) {
		out[i] = array[at.reduce((sum, x, axis) => sum * largest[axis] + x, 0)];
		for (let axis = shape.length - 1; axis >= 0 && ++at[axis] === shape[axis]; axis--)
			at[axis] = 0;
	}
	return out;
}

/* -- the library -- */

class Looptree {
	#native; #fastest;

	constructor(native) {
		this.#native = native;
		this.version = native.call('lt_version');
		/* Where none is named: an engine without SIMD has ref alone, which takes what wasm refuses, too. */
		this.#fastest = hasSimd() ? 'wasm,ref' : 'ref';
	}
	/** Bytes of memory, which grows and never shrinks. */
	get memory() { return this.#native.bytes.length; }
	/** A script (or a graph's text, or the bytes of a checkpoint of llama2.c) made into a Program.  backend: "ref,sim"
	 * (default: "wasm,ref" where the engine has SIMD, else "ref");
	 * schedule, apply: a tree's text or steps; dims: { batch: 8 }; weights: constants by name; name: for messages. */
	compile(source, options = {}) {
		const { dims = {}, weights = {}, name = 'script.lt', frontend = null, ...asked } = optionsOf(options, 'compile');
		const native = this.#native;
		for (const [key, value] of Object.entries({ name, frontend }))
			if (typeof value !== 'string' && (value !== null || key === 'name'))
				throw new LooptreeError('EINVAL', `option '${key}' is a string, not ${kindOf(value)}`);
		if (typeof source !== 'string' && !ArrayBuffer.isView(source) && !(source instanceof ArrayBuffer))
			throw new LooptreeError('EINVAL', `a source is a text, or bytes, not ${kindOf(source)}`);
		named(weights, 'weights');
		for (const [key, value] of Object.entries(named(dims, 'dims')))
			if (typeof value !== 'number' && typeof value !== 'string')
				throw new LooptreeError('EINVAL', `dims are { batch: 8 } or { batch: "1..8" }; ${key} is ${kindOf(value)}`);
		native.check();
		const bytes = typeof source === 'string' ? new TextEncoder().encode(source)
			: source instanceof ArrayBuffer ? new Uint8Array(source)
				: new Uint8Array(source.buffer, source.byteOffset, source.byteLength);
		const scope = new Scope(native);
		/* What a graph borrows of its source stays as long as it does. */
		const n = bytes.length, text = native.allocate(n + 1);
		native.bytes.set(bytes, text);
		scope.keep(Looptree.#freeing(native, text));
		const building = {}, leave = scope.hold(building);
		try {
			const graph = native.lent((lend) => {
				const words = Object.entries(dims).map(([key, value]) => lend.text(`${key}=${value}`));
				return scope.made('lt_parse_with', scope.context, text, n, lend.text(name),
					frontend ? lend.text(frontend) : 0, lend.sized('lt_parse_options', { dim: lend.pointers(words),
						n_dim: words.length }));
			});
			scope.keep(() => native.call('lt_graph_free', graph));
			const program = new Program(native, scope, graph, { ...asked, backend: asked.backend ?? this.#fastest });
			for (const [key, value] of Object.entries(weights))
				program.bind(key, value);
			return program;
		} finally {
			leave();
		}
	}
	/** A language model of llama2.c, from the bytes of its files: for (const { text } of model.write('Once')). */
	llama(checkpoint, { tokenizer, name = 'model.bin', tokenizerName = 'tokenizer.bin', ...options } = {}) {
		return new Llama(this.#native, new Scope(this.#native), checkpoint,
			(bytes) => this.compile(bytes, { ...options, name, frontend: 'llama2' }), { tokenizer, name, tokenizerName });
	}
	/** What a file of llama2.c is: "checkpoint", "tokenizer", or null. */
	llamaFile(file) {
		const scope = new Scope(this.#native), leave = scope.hold({});
		try {
			return kindOfFile(this.#native, scope, bytesOfFile(file, 'a file'));
		} finally {
			leave();
		}
	}
	/* A function that sees no more than it needs: it lives as long as the scope. */
	static #freeing(native, at) { return () => native.free(at); }
	/** An array for a tensor of a program (its row of p.inputs) that a word stands for: "random" (floats of -1 to 1, whole
	 * numbers of 0 and 1), "zeros", "ones", "iota", or a number. */
	filled(tensor, word) {
		if (!Object.hasOwn(ARRAYS, tensor?.dtype) || !Array.isArray(tensor.shape))
			throw new LooptreeError('EINVAL', `a tensor is a row of p.inputs, with dtype and shape, not ${kindOf(tensor)}`);
		if (isWide(tensor.dtype) && !isExact(word))
			throw new LooptreeError('EINVAL', `${tensor.name} is filled with ${notExact(word)}`);
		return filled(tensor, String(word));
	}
	/** Each backend: name, summary, usable, reason. */
	backends() {
		const native = this.#native, scope = new Scope(native), leave = scope.hold({});
		try {
			return Array.from({ length: native.call('lt_backend_count') }, (_, i) => native.lent((lend) => {
				const at = scope.made('lt_backend_ask', scope.context, lend.text(native.call('lt_backend_name', i)), 0);
				const { name, summary, version, reason, remedy, code } = native.get('lt_backend_facts', at);
				native.call('lt_backend_facts_free', at);
				return { name, summary, version, usable: code === 0, reason, remedy };
			}));
		} finally {
			leave();
		}
	}
	/** The primitives of schedules: name, usage, help. */
	primitives() { return this.#native.table('primitive').map(({ name, usage, help }) => ({ name, usage, help })); }
	operators() { return this.#native.table('operator').map((row) => row.name); }
}

/** The library.  from: where looptree.wasm is, or its bytes; default: beside this file. */
export async function load(from = new URL('looptree.wasm', import.meta.url)) {
	let bytes = from;
	if (typeof from === 'string' || from instanceof URL) {
		/* A relative address is one of the page, or of the folder that node was started in. */
		const url = new URL(from, globalThis.document?.baseURI ?? globalThis.location?.href ?? `file://${process.cwd()}/`);
		if (url.protocol === 'file:' && typeof process === 'object' && process.versions?.node) {
			const { readFile } = await import('node:fs/promises');
			bytes = await readFile(url).catch((error) => {
				throw new LooptreeError('ELOAD', `${url.pathname} cannot be read: ${error.message}`);
			});
		} else {
			const got = await fetch(url).catch((error) => {
				throw new LooptreeError('ELOAD', `${url} cannot be fetched: ${error.message}`);
			});
			if (!got.ok)
				throw new LooptreeError('ELOAD', `${url} cannot be fetched: ${got.status} ${got.statusText}`);
			bytes = await got.arrayBuffer();
		}
	}
	try {
		return new Looptree(await Native.load(bytes));
	} catch (error) {
		if (error instanceof WebAssembly.CompileError || error instanceof WebAssembly.LinkError || error instanceof TypeError)
			throw new LooptreeError('ELOAD', `this is no looptree.wasm that goes with this looptree.js, or the engine has no `
				+ `exceptions of WebAssembly (Chrome 95, Firefox 100, Safari 15.2, node 17): ${error.message}`);
		throw error;
	}
}
