/* native.js -- the C interface (include/lt/lt.h) in a module of WebAssembly, from the facts that its headers state.
 *
 * facts.js is written when the package is built, and is the only description that there is: a struct or a function that
 * the headers do not have is a TypeError.  Numbers of 64 bits are BigInt at the module's door, and numbers in here.
 */
import { engineOf } from './engine.js';
import facts from './facts.js';

/** What the library refuses: a sentence; code: "EILLEGAL". */
export class LooptreeError extends Error {
	constructor(code, message) {
		super(message);
		this.name = 'LooptreeError';
		this.code = code;
	}
}

/** What a value is, in words. */
export const kindOf = (value) => value === null || value === undefined ? String(value)
	: typeof value === 'object' ? value.constructor?.name ?? 'an object' : `${typeof value} ${String(value).slice(0, 40)}`;

/* -- facts -- */

const structs = new Map(), functions = new Map();
export const values = {};                       // enumerators: LT_F32

for (const line of facts.trim().split('\n')) {
	const [kind, ...words] = line.split(' ');

	if (kind === 'struct') {
		const [name, , member, ...type] = words;
		structs.set(name, [...structs.get(name) ?? [], [member, type.join(' ')]]);
	} else if (kind === 'enum') {
		if (/^-?\d+$/.test(words[2]))
			values[words[1]] = Number(words[2]);
	} else if (kind === 'decl' && words[0] !== 'typedef') {
		const [, result, name, given] = /^(.*?)\b(lt_\w+)\((.*)\)$/.exec(words.join(' ')) ?? [];
		if (name)
			functions.set(name, { isText: /^const char ?\*$/.test(result.trim()),
				wide: given.split(/, (?![^(]*\))/).map((words) => /^u?int64_t( |$)/.test(words)) });
	}
}

/* Types by their words: how many bytes, how they are read and written.  The order matters: pointers hold the others. */
function typeOf(text) {
	const many = /^(.*)\[(\d+)\]$/.exec(text);
	if (many && !text.includes('(*')) {
		const of = typeOf(many[1].trim());
		return { bytes: of.bytes * many[2], align: of.align, get: (v, at) => at };
	}
	if (text.includes('(*') || /^lt_(write|fill|alloc)\b/.test(text))
		return { bytes: 4, align: 4, get: (v, at) => v.getUint32(at, true), set: (v, at, x) => v.setUint32(at, x, true) };
	if (text.includes('*'))
		return { bytes: 4, align: 4, text: /^const char ?\*(?!\*|const)/.test(text),
			get: (v, at) => v.getUint32(at, true), set: (v, at, x) => v.setUint32(at, x, true) };
	const word = text.split(' ').filter((w) => w !== 'const');
	if (word[0] === 'struct') {
		const of = layout(word[1]);
		return { bytes: of.bytes, align: of.align, of: word[1], get: (v, at) => at };
	}
	switch (word[0]) {
	case 'int64_t': return { bytes: 8, align: 8, get: (v, at) => Number(v.getBigInt64(at, true)),
		set: (v, at, x) => v.setBigInt64(at, BigInt(x), true) };
	case 'uint64_t': return { bytes: 8, align: 8, get: (v, at) => Number(v.getBigUint64(at, true)),
		set: (v, at, x) => v.setBigUint64(at, BigInt(x), true) };
	case 'double': return { bytes: 8, align: 8, get: (v, at) => v.getFloat64(at, true),
		set: (v, at, x) => v.setFloat64(at, x, true) };
	case 'float': return { bytes: 4, align: 4, get: (v, at) => v.getFloat32(at, true),
		set: (v, at, x) => v.setFloat32(at, x, true) };
	case 'uint8_t': case 'char': return { bytes: 1, align: 1, get: (v, at) => v.getUint8(at),
		set: (v, at, x) => v.setUint8(at, x) };
	case 'uint16_t': return { bytes: 2, align: 2, get: (v, at) => v.getUint16(at, true),
		set: (v, at, x) => v.setUint16(at, x, true) };
	case 'uint32_t': case 'size_t': return { bytes: 4, align: 4, get: (v, at) => v.getUint32(at, true),
		set: (v, at, x) => v.setUint32(at, x, true) };
	default: return { bytes: 4, align: 4, get: (v, at) => v.getInt32(at, true),
		set: (v, at, x) => v.setInt32(at, x, true) };
	}
}

/* Where the members of a struct lie: each at a multiple of its alignment, as C has them for wasm32. */
const layouts = new Map();
function layout(name) {
	if (!layouts.has(name)) {
		if (!structs.has(name))
			throw new TypeError(`the interface has no struct ${name}`);
		const member = new Map();
		let at = 0, align = 1;
		for (const [key, words] of structs.get(name)) {
			const type = typeOf(words);
			at = Math.ceil(at / type.align) * type.align;
			member.set(key, { at, type });
			at += type.bytes;
			align = Math.max(align, type.align);
		}
		layouts.set(name, { member, align, bytes: Math.ceil(at / align) * align });
	}
	return layouts.get(name);
}

/* -- the module -- */

const encoder = new TextEncoder(), decoder = new TextDecoder();
const NOT_THERE = 44, NO_SYSTEM = 52;           // ENOENT and ENOSYS, as emscripten counts

/* What C calls back by its `user`: a number of one of these, while a call that needs it is under way. */
class Callbacks {
	#of = new Map();
	#next = 1;

	add(of) {
		this.#of.set(this.#next, of);
		return this.#next++;
	}
	get(user) { return this.#of.get(user); }
	remove(user) { this.#of.delete(user); }
}

export class Native {
	static async load(bytes) {
		const native = new Native();
		const { instance } = await WebAssembly.instantiate(bytes, native.#imports());
		native.#exports = instance.exports;
		native.#exports._initialize();
		return native;
	}

	#exports;
	callbacks = new Callbacks();
	thrown = null;                          // what a callback threw, until the call that it was in has returned
	#busy = false;                          // a call is under way: what it calls back may not call the library
	#broken = null;                         // what a call ended by, after which nothing is sure any more

	/* Whether the library may be called. */
	check() {
		if (this.#broken)
			throw this.#stopped();
		if (this.#busy)
			throw new LooptreeError('EINVAL', 'the library is called by what it calls: wait until that has returned');
	}
	#stopped() {
		return new LooptreeError('EDEVICE', `the library has come to a stop (${this.#broken.message}): load it again`);
	}
	get isBroken() { return Boolean(this.#broken); }

	/* Views of the memory, which is another buffer when it has grown. */
	#seen = { bytes: null, view: null };
	get #views() {
		const { buffer } = this.#exports.memory;
		if (this.#seen.bytes?.buffer !== buffer)
			this.#seen = { bytes: new Uint8Array(buffer), view: new DataView(buffer) };
		return this.#seen;
	}
	get #view() { return this.#views.view; }
	get bytes() { return this.#views.bytes; }

	/* A page has a clock and random numbers.  It has no files, processes and shared libraries: what asks for one is told
	 * so, and the library says it in a sentence. */
	#imports() {
		const guard = (run, failed) => (...given) => {
			try {
				return run(...given);
			} catch (error) {
				this.thrown ??= error;
				return failed;
			}
		};
		let high = 0;
		const env = new Proxy({ getTempRet0: () => high, setTempRet0: (x) => { high = x; },
			emscripten_notify_memory_growth: () => {}, _dlopen_js: () => 0, __call_sighandler: () => {},
			__syscall_geteuid32: () => 0 },
			{ get: (known, name) => known[name] ?? (String(name).startsWith('__syscall_')
				? () => -(/open|stat|access/.test(name) ? NOT_THERE : NO_SYSTEM) : undefined) });
		const nothing = (...at) => {
			for (const a of at)
				this.#view.setUint32(a, 0, true);
			return 0;
		};
		return {
			env,
			wasi_snapshot_preview1: {
				clock_time_get: (clock, precision, at) => {
					const ms = clock === 0 ? Date.now() : performance.now();
					this.#view.setBigUint64(at, BigInt(Math.round(ms * 1e6)), true);
					return 0;
				},
				environ_sizes_get: nothing,
				environ_get: () => 0,
				fd_write: () => NO_SYSTEM, fd_read: () => NO_SYSTEM, fd_seek: () => NO_SYSTEM, fd_close: () => 0,
				proc_exit: (code) => { throw new Error(`the library ended (${code})`); },
			},
			page: {
				random: (at, n) => { globalThis.crypto.getRandomValues(this.bytes.subarray(at, at + n)); },
				text: guard((user, at, n) => this.callbacks.get(user)?.text(this.read(at, n))),
				progress: guard((user, done, total, what) =>
					this.callbacks.get(user)?.progress?.(done, total, what ? this.text(what) : '')),
				log: guard((user, level, at) => this.callbacks.get(user)?.log?.(level, this.text(at))),
				unwanted: guard((user) => this.callbacks.get(user)?.unwanted?.() ? 1 : 0, 1),
				...engineOf(() => this.#exports),
			},
		};
	}

	/* -- memory -- */

	read(at, n) { return decoder.decode(this.bytes.slice(at, at + n)); }
	text(at) {
		const bytes = this.bytes;
		return at ? this.read(at, bytes.indexOf(0, at) - at) : null;
	}
	/* Zeros; RangeError: there is no more memory. */
	allocate(n) {
		const at = this.#exports.malloc(Math.max(n, 8));
		if (!at)
			throw new RangeError(`there is no memory for ${n} bytes more`);
		this.bytes.fill(0, at, at + n);
		return at;
	}
	free(at) { this.#exports.free(at); }
	callback(name) {
		return this.lent((lend) => this.#exports.looptree_callback(lend.text(name)));
	}

	/* use(lend): what is lent is there until it returns. */
	lent(use) {
		const all = [];
		const take = (n) => {
			const at = this.allocate(n);
			all.push(at);
			return at;
		};
		const lend = {
			room: take,
			bytes: (data) => {
				const at = take(data.length + 1);
				this.bytes.set(data, at);
				return at;
			},
			text: (words) => lend.bytes(encoder.encode(words)),
			pointers: (of) => this.pointers(take(4 * of.length), of),
			/* A struct whose first member is its size. */
			sized: (name, members = {}) => {
				const { bytes } = layout(name), at = take(bytes);
				this.put(name, at, { size: bytes, ...members });
				return at;
			},
		};
		try {
			return use(lend);
		} finally {
			all.forEach((at) => this.free(at));
		}
	}
	/* At `at`, which it gives. */
	pointers(at, of) {
		of.forEach((x, i) => this.#view.setUint32(at + 4 * i, x, true));
		return at;
	}
	pointer(at) { return this.#view.getUint32(at, true); }
	int32(at) { return this.#view.getInt32(at, true); }
	put(name, at, members) {
		const { member } = layout(name);
		for (const [key, value] of Object.entries(members)) {
			if (!member.has(key))
				throw new TypeError(`struct ${name} has no member '${key}'`);
			const { at: offset, type } = member.get(key);
			type.set(this.#view, at + offset, value);
		}
	}
	/* The members of a struct: numbers, texts, the places of arrays and of what else it points to. */
	get(name, at) {
		const found = {};
		for (const [key, { at: offset, type }] of layout(name).member) {
			const value = type.get(this.#view, at + offset);
			found[key] = type.text ? this.text(value) : type.of ? { ...this.get(type.of, value), of: value } : value;
		}
		return found;
	}
	/* Those of a struct lt_array, by the name of their type. */
	each(array, name) {
		const type = structs.has(name) ? { get: (v, at) => this.get(name, at) } : typeOf(name);
		return Array.from({ length: array.n }, (_, i) => type.get(this.#view, array.at + i * array.stride));
	}
	/* n structs one after the other. */
	row(name, at, n) {
		return Array.from({ length: n }, (_, i) => this.get(name, at + i * layout(name).bytes));
	}

	/* -- calls -- */

	/* A function of the interface, as it is. */
	call(name, ...given) {
		const f = functions.get(name);
		if (!f)
			throw new TypeError(`the interface has no function ${name}`);
		for (let i = 0; i < given.length; i++)
			if (f.wide[i])
				given[i] = BigInt(given[i]);
		const done = this.#called(name, given);
		const value = typeof done === 'bigint' ? Number(done) : done;
		return f.isText ? this.text(value) : value;
	}
	/* One that only this module has: looptree_NAME of js/. */
	core(name, ...given) { return this.#called(`looptree_${name}`, given); }
	#called(name, given) {
		this.check();
		let done;
		this.#busy = true;
		try {
			done = this.#exports[name](...given);
		} catch (error) {
			this.#broken = error;
			throw this.#stopped();
		} finally {
			this.#busy = false;
		}
		if (this.thrown) {
			const error = this.thrown;
			this.thrown = null;
			throw error;
		}
		return done;
	}
	/* A row of a table of the library: lt_operator_at. */
	table(kind) {
		return Array.from({ length: this.call(`lt_${kind}_count`) }, (_, i) => this.lent((lend) => {
			const row = lend.sized(`lt_${kind}_row`);
			this.call(`lt_${kind}_at`, i, row);
			return this.get(`lt_${kind}_row`, row);
		}));
	}
}
