
const here = import.meta.url;

/** The version of Looptree that has built this module. */
export const version = table.version;

/** Kind and name of each tensor, in the model's order: an object has names that are numbers first. */
export const tensors = Object.freeze(table.tensors.map(({ kind, name }) => Object.freeze({ kind, name })));

/** What is thrown: a sentence; `code` says of what kind ("ETYPE"; include/lt/status.h has them all), `value` has the
 * number that was wrong, if there is one. */
export class LooptreeError extends Error {
	constructor(code, message, value) {
		super(`${table.name}: ${message}`);
		this.name = 'LooptreeError';
		this.code = code;
		this.value = value;
	}
}
const fail = (code, message, value) => { throw new LooptreeError(code, message, value); };

/* -- the module and its weights -- */

/* Modules of one function each, with an instruction that not every engine has: v128.const, f32x4.relaxed_madd. */
const simd = [0, 97, 115, 109, 1, 0, 0, 0, 1, 4, 1, 96, 0, 0, 3, 2, 1, 0, 10, 23, 1, 21, 0, 253, 12,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 26, 11];
const relaxed = [0, 97, 115, 109, 1, 0, 0, 0, 1, 5, 1, 96, 1, 123, 0, 3, 2, 1, 0, 10, 14, 1, 12, 0,
	32, 0, 32, 0, 32, 0, 253, 133, 2, 26, 11];

function checkEngine() {
	if (typeof WebAssembly !== 'object')
		fail('EUNSUPPORTED', 'there is no WebAssembly here: take a browser of 2021 or later');
	if (!WebAssembly.validate(new Uint8Array(simd)))
		fail('EUNSUPPORTED', 'this engine has no SIMD of WebAssembly: take Chrome 92, Firefox 90, Safari 16.4, node 16.4 '
			+ 'or later');
	if (table.relaxed && !WebAssembly.validate(new Uint8Array(relaxed)))
		fail('EUNSUPPORTED', 'this engine has no relaxed SIMD: take Chrome 114 or node 22 or later (node 20 with '
			+ '--experimental-wasm-relaxed-simd), or build without --relaxed');
}

/* Calls take(bytes) for each piece of what is at a URL, in order. */
async function read(url, take) {
	if (url.protocol === 'file:' && typeof process === 'object' && process.versions?.node) {
		const { open } = await import('node:fs/promises');
		let file;
		try {
			file = await open(url);
			for await (const piece of file.createReadStream({ highWaterMark: 1 << 20 }))
				take(piece);
		} catch (e) {
			if (e instanceof LooptreeError)
				throw e;
			fail('ELOAD', `${url.pathname} cannot be read: ${e.code === 'ENOENT' ? 'there is no such file' : e.message}`);
		} finally {
			await file?.close();
		}
		return;
	}
	let response;
	try {
		response = await fetch(url);
	} catch (e) {
		fail('ELOAD', `${url} cannot be fetched: ${e.message}${url.protocol === 'file:'
			? '; a page of a file may fetch none: serve the folder, as by python3 -m http.server, or build with --single'
			: ''}`);
	}
	if (!response.ok)
		fail('ELOAD', `${url} cannot be fetched: ${response.status} ${response.statusText}`);
	for (const reader = response.body.getReader(); ;) {
		const { done, value } = await reader.read();
		if (done)
			return;
		take(value);
	}
}

const isBytes = (from) => from instanceof ArrayBuffer || ArrayBuffer.isView(from);
const kindOf = (value) => value === null ? 'null' : typeof value === 'object' ? value.constructor?.name ?? 'an object'
	: `${typeof value} ${String(value).slice(0, 40)}`;
const bytesOf = (from) => from instanceof ArrayBuffer ? new Uint8Array(from)
	: new Uint8Array(from.buffer, from.byteOffset, from.byteLength);

/* What is given, or is at a URL, piece by piece. */
async function take(from, piece) {
	if (isBytes(from))
		piece(bytesOf(from));
	else
		await read(from, piece);
}

/* The CRC-32 of IEEE 802.3, as zlib has it. */
function crc32(bytes) {
	const row = Uint32Array.from({ length: 256 }, (_, i) => {
		for (let bit = 0; bit < 8; bit++)
			i = i & 1 ? i >>> 1 ^ 0xedb88320 : i >>> 1;
		return i;
	});
	let sum = 0xffffffff;
	for (let i = 0; i < bytes.length; i++)
		sum = sum >>> 8 ^ row[(sum ^ bytes[i]) & 255];
	return ~sum >>> 0;
}

/* What the section at a module's end says of its build. */
function markOf(bytes) {
	const [, text] = /looptree(\{[^{}]*\})$/.exec(new TextDecoder('latin1').decode(bytes.subarray(-1024))) ?? [];
	try {
		return text ? JSON.parse(text) : {};
	} catch {
		return {};
	}
}

/* An engine compiles a damaged module, too, if it is still one: nothing is compiled but what was written. */
function checkModule(bytes) {
	const n = bytes.length, { bytes: wanted, crc32: sum } = table.module, built = markOf(bytes);
	if (built.id && built.id !== table.id)
		fail('ELOAD', `the module is of another build, of the model '${built.model}'; take the .wasm that was written with `
			+ 'this .js');
	if (n !== wanted)
		fail('ELOAD', `the module is ${n < wanted ? 'cut' : 'too long'}, or none of lt-build: ${n} bytes are there, and `
			+ `${wanted} are wanted; take the .wasm that was written with this .js`, BigInt(n));
	if (crc32(bytes) !== sum)
		fail('ELOAD', 'the module is damaged: its sum is another one; take the .wasm that was written with this .js');
}

async function compile(from) {
	const pieces = [];
	let n = 0, at = 0;
	await take(from, (piece) => { pieces.push(piece); n += piece.length; });
	const bytes = new Uint8Array(n);
	for (const piece of pieces) {
		bytes.set(piece, at);
		at += piece.length;
	}
	checkModule(bytes);
	try {
		return await WebAssembly.compile(bytes);
	} catch (e) {
		return fail('EUNSUPPORTED', `this engine does not compile the module: ${e.message}`);
	}
}

/* A head of 64 bytes (LTWEIGHT, the build, how many bytes, their sum), then the weights as they lie in memory. */
const HEAD = 64;

async function readWeights(from, memory, at, sum) {
	const head = new Uint8Array(HEAD), to = new Uint8Array(memory.buffer, at, table.weights);
	let n = 0;
	await take(from, (piece) => {
		const begin = Math.min(Math.max(HEAD - n, 0), piece.length);
		head.set(piece.subarray(0, begin), n < HEAD ? n : 0);
		const rest = piece.subarray(begin), where = Math.max(n - HEAD, 0);
		to.set(rest.subarray(0, Math.max(table.weights - where, 0)), Math.min(where, table.weights));
		n += piece.length;
	});
	const text = new TextDecoder('latin1').decode(head), view = new DataView(head.buffer);
	if (n < HEAD || !text.startsWith('LTWEIGHT'))
		fail('ELOAD', 'the weights are damaged, or no file of lt-build');
	if (text.slice(8, 40) !== table.id)
		fail('ELOAD', 'the weights are of another build; take those that were written with this .js');
	if (n !== HEAD + table.weights)
		fail('ELOAD', `the weights are ${n < HEAD + table.weights ? 'cut' : 'too long'}: ${n} bytes are there, and `
			+ `${HEAD + table.weights} are wanted`, BigInt(n));
	if (sum(at, Math.ceil(table.weights / 8)) !== view.getBigInt64(48, true))
		fail('ELOAD', 'the weights are damaged: their sum is another one');
}

/* -- tensors -- */

const plural = (n, word) => `${n} ${word}${n === 1 ? '' : 's'}`;

/* "float32 [batch: 1..8, 3]" */
function typeText(t) {
	return `${t.dtype} [${t.shape.map((n, i) => `${t.extent[i] ? `${t.extent[i].words}: ${t.least[i]}..` : ''}${n}`)
		.join(', ')}]`;
}

const describe = (t) => `${t.kind} '${t.name}', ${typeText(t)}`;

function wholeNumber(t, value) {
	const number = isBytes(value) && value.length === 1 ? value[0] : value;
	if (typeof number === 'bigint' ? BigInt.asIntN(64, number) === number : Number.isSafeInteger(number))
		return BigInt(number);
	return fail('ETYPE', `${describe(t)}, is a whole number of 64 bits; ${String(value).slice(0, 40)} is none`);
}

/* The elements as bytes; halves also as the engine's Float16Array, bytes also as a canvas has them. */
function elements(t, value) {
	const name = value?.constructor?.name;
	if (!ArrayBuffer.isView(value) || !(name === t.array || (t.dtype === 'float16' && name === 'Float16Array')
		|| (t.array === 'Uint8Array' && (name === 'Uint8ClampedArray' || name === 'Buffer'))))
		fail('ETYPE', `${describe(t)}, is given as a ${t.array}; this is ${value === null ? 'null' : name
			? `of type ${name}` : typeof value}`);
	return bytesOf(value);
}

/* Rows at the largest extents, as the results lie; those of the run, one after the other. */
function pack(from, to, t, extent) {
	let unit = t.bytes, rank = t.shape.length;
	for (; rank > 0 && extent[rank - 1] === t.shape[rank - 1]; rank--)
		unit *= t.shape[rank - 1];
	const row = rank ? extent[rank - 1] * unit : unit;
	const walk = (axis, at, out) => {
		if (axis >= rank - 1) {
			to.set(from.subarray(at, at + row), out);
			return;
		}
		let wide = unit, dense = unit;
		for (let k = axis + 1; k < rank; k++) {
			wide *= t.shape[k];
			dense *= extent[k];
		}
		for (let i = 0; i < extent[axis]; i++)
			walk(axis + 1, at + i * wide, out + i * dense);
	};
	if (extent.every((n) => n > 0))
		walk(0, 0, 0);
}

/* -- a model that has been loaded -- */

/* By the number that a run returns: the enum of the header that lt-build writes (program/export/header.c). */
const CODES = ['OK', 'EMISSING', 'EINVAL', 'EFAULT', 'EFAULT', 'ETYPE'];

class Model {
	#run; #seen; #broken = ''; #tensors; #shared;

	constructor(exports, memory) {
		const at = exports.shared();
		this.#run = exports.run;
		this.#shared = at;
		this.memory = memory;
		this.#tensors = table.tensors.map((t, i) => ({ ...t, row: at + 16 + 12 * i,
			at: this.#view.getUint32(at + 16 + 12 * i, true), extents: this.#view.getUint32(at + 24 + 12 * i, true) }));
		for (const kind of ['input', 'result', 'state']) {
			const list = this.#tensors.filter((t) => t.kind === kind);
			this[`${kind}s`] = Object.freeze(Object.fromEntries(list.map((t) => [t.name, Object.freeze({ name: t.name,
				dtype: t.dtype, array: t.array, shape: Object.freeze([...t.shape]), needed: !t.implied, at: t.at,
				text: typeText(t) })])));
		}
	}

	/* The memory, seen anew where its buffer is another one: memory.grow(0) makes one, though the size stays. */
	get #view() {
		if (this.#seen?.buffer !== this.memory.buffer)
			this.#seen = new DataView(this.memory.buffer);
		return this.#seen;
	}

	/* Where the elements are, as they lie. */
	#bytes(t) {
		return new Uint8Array(this.memory.buffer, t.at, t.shape.reduce((a, b) => a * b, t.bytes));
	}

	#scalar(i) { return this.#view.getBigInt64(this.#tensors[i].at, true); }

	/* An extent, by scalars that are known; -1: they are not. */
	#extent(t, axis, known) {
		const e = t.extent[axis];
		if (!e)
			return t.shape[axis];
		if (!e.terms || e.terms.some(([row]) => !known.has(row)))
			return -1;
		return Number(e.terms.reduce((sum, [row, coef]) => sum + BigInt(coef) * this.#scalar(row), BigInt(e.constant)));
	}

	/* The row of the scalar that is an extent, and is not known yet; -1: it is no such. */
	#open(t, axis, known) {
		const e = t.extent[axis], terms = e?.terms;
		return terms?.length === 1 && e.constant === 0 && terms[0][1] === 1 && !known.has(terms[0][0]) ? terms[0][0] : -1;
	}

	#imply(row, extent, known) {
		this.#view.setBigInt64(this.#tensors[row].at, BigInt(extent), true);
		known.add(row);
	}

	/* Extents that an array says of itself, as results do. */
	#shapeOf(t, value, known) {
		if (!Array.isArray(value.shape))
			fail('ETYPE', `${describe(t)}, is given with a shape that is no array of extents, but ${kindOf(value.shape)}`);
		const shape = [...value.shape];
		if (!shape.every((n) => Number.isSafeInteger(n)))
			fail('ETYPE', `${describe(t)}, is given with the shape [${shape.map(String).join(', ')}], and extents are `
				+ 'whole numbers');
		if (shape.length !== t.shape.length || shape.some((n, i) => n > t.shape[i] || n < t.least[i]))
			fail('ETYPE', `${describe(t)}, is given with the shape [${shape.join(', ')}]`);
		shape.forEach((n, i) => {
			if (this.#open(t, i, known) >= 0)
				this.#imply(this.#open(t, i, known), n, known);
		});
		shape.forEach((n, i) => {
			const is = this.#extent(t, i, known);
			if (is >= 0 && is !== n)
				fail('ETYPE', `input '${t.name}' is given with the shape [${shape.join(', ')}]; axis ${i}, `
					+ `${t.extent[i]?.words ?? 'which is always the same'}, is ${is}`, BigInt(n));
		});
		return shape;
	}

	/* Extents by how many elements there are: one of them may be open. */
	#findShape(t, n, known) {
		let rest = 1, open = -1;
		const shape = t.shape.map((most, i) => {
			const is = this.#extent(t, i, known);
			if (is < 0 && (open >= 0 || this.#open(t, i, known) < 0))
				fail('ETYPE', `${describe(t)}: its length does not say its extents; give ${this.#tensors.filter((s, row) =>
					s.implied && !known.has(row)).map((s) => `'${s.name}'`).join(', ') || 'it with a property shape'}, too`);
			if (is < 0)
				open = i;
			else if (is > most || is < t.least[i])
				fail('EFAULT', `${t.extent[i]?.words} is ${is}; a run has ${t.least[i]} to ${most}`, BigInt(is));
			else
				rest *= is;
			return is;
		});
		if (open < 0) {
			if (n !== rest)
				fail('ETYPE', `${describe(t)}, is given with ${plural(n, 'element')}, and ${rest} are wanted`, BigInt(n));
			return shape;
		}
		shape[open] = rest ? n / rest : t.least[open];
		if (!Number.isInteger(shape[open]) || shape[open] > t.shape[open] || shape[open] < t.least[open])
			fail('ETYPE', `${describe(t)}, is given with ${plural(n, 'element')}, and ${rest} are wanted for each of `
				+ `${t.least[open]} to ${t.shape[open]}`, BigInt(n));
		this.#imply(this.#open(t, open, known), shape[open], known);
		return shape;
	}

	/* All inputs are there and no other; scalars first, then arrays that say their extents, then the others. */
	#take(inputs) {
		const list = this.#tensors.filter((t) => t.kind === 'input'), known = new Set();
		const there = list.map((t) => `'${t.name}'`).join(', ') || 'none';
		if (inputs === null || typeof inputs !== 'object')
			fail('EINVAL', `run takes an object with the inputs by name: ${there}`);
		for (const name of Object.keys(inputs))
			if (!list.some((t) => t.name === name))
				fail('EMISSING', table.unread.includes(name) ? `nothing reads the input '${name}': leave it out`
					: `there is no input '${name}'; there is: ${there}`);
		const given = list.filter((t) => inputs[t.name] !== undefined);
		for (const t of list)
			if (!t.implied && !given.includes(t))
				fail('EMISSING', `${describe(t)}, is missing`);
		for (const t of given)
			if (t.scalar)
				this.#imply(this.#tensors.indexOf(t), wholeNumber(t, inputs[t.name]), known);
		const arrays = given.filter((t) => !t.scalar).map((t) => [t, inputs[t.name], elements(t, inputs[t.name])]);
		const says = ([, value]) => value.shape !== undefined;
		for (const [t, value, bytes] of [...arrays.filter(says), ...arrays.filter((a) => !says(a))]) {
			const shape = says([t, value]) ? this.#shapeOf(t, value, known) : this.#findShape(t, bytes.length / t.bytes, known);
			if (shape.reduce((a, b) => a * b, t.bytes) !== bytes.length)
				fail('ETYPE', `${describe(t)}, is given with ${plural(bytes.length / t.bytes, 'element')} and the shape `
					+ `[${shape.join(', ')}]`);
			this.#view.setUint32(t.row + 4, bytes.length, true);
			this.#bytes(t).set(bytes);
		}
	}

	#message() {
		const at = this.#view.getUint32(this.#shared + 8, true), all = new Uint8Array(this.memory.buffer);
		return new TextDecoder().decode(all.subarray(at, all.indexOf(0, at)));
	}

	#give(t) {
		const extent = t.shape.map((most, i) => t.kind !== 'result' ? most
			: Number(this.#view.getBigInt64(t.extents + 8 * i, true)));
		const out = new (globalThis[t.array])(extent.reduce((a, b) => a * b, 1));
		pack(this.#bytes(t), bytesOf(out), t, extent);
		return Object.defineProperty(out, 'shape', { value: Object.freeze(extent) });
	}

	run(inputs = {}) {
		if (this.#broken)
			fail('EDEVICE', `it cannot run any more, for ${this.#broken}; load it again`);
		this.#take(inputs);
		let code;
		try {
			code = this.#run();
		} catch (e) {
			this.#broken = `a run ended in a trap (${e.message})`;
			fail('EDEVICE', `${this.#broken}: this is a mistake of the module; load it again`);
		}
		const value = this.#view.getBigInt64(this.#shared, true);
		if (code)
			fail(CODES[code] ?? 'EINVAL', `${this.#message()} (${value})`, value);
		return Object.fromEntries(this.#tensors.filter((t) => t.kind === 'result').map((t) => [t.name, this.#give(t)]));
	}

	#state(name) {
		const t = this.#tensors.find((s) => s.kind === 'state' && s.name === name);
		return t ?? fail('EMISSING', `there is no state '${name}'; there is: ${Object.keys(this.states).map((s) => `'${s}'`)
			.join(', ') || 'none'}`);
	}

	getState(name) { return this.#give(this.#state(name)); }

	setState(name, value) {
		const t = this.#state(name), bytes = elements(t, value), to = this.#bytes(t);
		if (bytes.length !== to.length)
			fail('ETYPE', `${describe(t)}, is given with ${plural(bytes.length / t.bytes, 'element')}, and `
				+ `${to.length / t.bytes} are wanted`);
		to.set(bytes);
	}

	reset() {
		for (const t of this.#tensors)
			if (t.kind === 'state')
				this.#bytes(t).fill(0);
	}
}

/* Where a module or its weights are: an address, or bytes. */
function place(it, what) {
	if (isBytes(it) || it instanceof URL)
		return it;
	if (typeof it !== 'string')
		fail('EINVAL', `${what} is a URL, an ArrayBuffer or a typed array, not ${kindOf(it)}`);
	try {
		return new URL(it, globalThis.document?.baseURI ?? here);
	} catch {
		return fail('EINVAL', `${what} is a URL, and '${it.slice(0, 80)}' is none`);
	}
}

/* The module and its weights, as they are given; undefined: nothing says where they are. */
function placesOf(from) {
	let both = { module: from };
	if (from !== undefined && typeof from !== 'string' && !isBytes(from) && !(from instanceof URL)) {
		if (from === null || ![Object.prototype, null].includes(Object.getPrototypeOf(from)))
			fail('EINVAL', `load takes a URL, bytes or { module, weights }, not ${kindOf(from)}`);
		const others = Object.keys(from).filter((key) => key !== 'module' && key !== 'weights');
		if (others.length || !Object.keys(from).length)
			fail('EINVAL', `load takes { module, weights }, and ${others.length ? `'${others[0]}' is neither`
				: 'neither is given'}`);
		both = from;
	}
	const wasm = both.module === undefined ? new URL(`${table.name}.wasm`, here) : place(both.module, 'the module');
	if (both.weights !== undefined)
		return [wasm, place(both.weights, 'the place of the weights')];
	if (!table.weights || isBytes(wasm))
		return [wasm];
	const weights = new URL(wasm);
	weights.pathname = weights.pathname.replace(/\.wasm$/, '') + '.weights';
	return [wasm, weights];
}

/* from: where the module is; its weights are beside it.  Or both, as bytes or URLs; what is left out is beside this. */
export async function load(from) {
	checkEngine();
	const [wasm, weights] = placesOf(from);
	if (table.weights && weights === undefined)
		fail('ELOAD', 'the module is given as bytes: give the weights, too, as load({ module, weights })');
	const module = await compile(wasm);
	let exports;
	try {
		({ exports } = await WebAssembly.instantiate(module));
	} catch (e) {
		fail('ENOMEM', `${table.pages * 65536} bytes of memory are wanted, and are not to be had here: ${e.message}`);
	}
	const { memory } = exports;
	if (table.weights)
		await readWeights(weights, memory, new DataView(memory.buffer).getUint32(exports.shared() + 12, true), exports.sum);
	return new Model(exports, memory);
}
