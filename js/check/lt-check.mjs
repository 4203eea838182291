/* lt-check.mjs [OPTIONS] -- lt-check and the library as one module of WebAssembly (make wasm-check), run by node.
 *
 * What C asks a system for is here: files, which are node's, and processes.  A process is an instance of the module: a
 * child begins with a copy of its parent's memory and files, calls one function, and has ended before its parent goes
 * on.  A trap ends it as a signal would.
 */
import { closeSync, fstatSync, mkdirSync, openSync, readFileSync, readSync, statSync, writeSync } from 'node:fs';
import { isatty } from 'node:tty';
import { setFlagsFromString } from 'node:v8';
import { engineOf } from './engine.js';

/* As WASI and emscripten's C library number them. */
const ERRNO = { EACCES: 2, EBADF: 8, EEXIST: 20, EINVAL: 28, EISDIR: 31, ENOENT: 44, ENOSPC: 51, ENOSYS: 52,
	ENOTDIR: 54, EPERM: 63, ESPIPE: 70 };
const errorOf = (error) => ERRNO[error.code] ?? ERRNO.EPERM;
const TRAP = 5;                         // SIGTRAP
const PRINTED = 1 << 16;                // bytes of a file in memory, which takes no more
const CHARACTER_DEVICE = 2, REGULAR_FILE = 4;
const O_WRITE = 1, O_BOTH = 2, O_CREATE = 0o100, O_EXCLUSIVE = 0o200, O_EMPTY = 0o1000, O_APPEND = 0o2000;

/* -- open files: read and write give a number of bytes, at() where the next one is, or null -- */

class Nowhere {
	read() { return 0; }
	write(bytes) { return bytes.length; }
	at() { return null; }
	stat() { return { mode: 0o20666, size: 0 }; }
	isTerminal = false;
}
/* A file, pipe or terminal of node's process. */
class Host extends Nowhere {
	#fd; #place;
	constructor(fd) {
		super();
		this.#fd = fd;
		this.#place = fstatSync(fd).isFile() ? 0 : null;
		this.isTerminal = isatty(fd);
	}
	#moved(n) {
		if (this.#place !== null)
			this.#place += n;
		return n;
	}
	read(bytes, at = this.#place) { return this.#moved(readSync(this.#fd, bytes, 0, bytes.length, at)); }
	write(bytes) {
		let n = 0;
		while (n < bytes.length)
			try {
				n += writeSync(this.#fd, bytes, n);
			} catch (error) {
				if (error.code !== 'EAGAIN')
					throw error;
			}
		return this.#moved(n);
	}
	at() { return this.#place; }
	stat() { return fstatSync(this.#fd); }
	close() { closeSync(this.#fd); }
}
class InMemory extends Nowhere {
	#bytes = new Uint8Array(PRINTED); #place = 0;
	read(bytes, at) {
		const from = this.#bytes.subarray(at ?? this.#place, (at ?? this.#place) + bytes.length);
		bytes.set(from);
		this.#place += at === undefined ? from.length : 0;
		return from.length;
	}
	write(bytes) {
		const taken = bytes.subarray(0, PRINTED - this.#place);
		if (bytes.length && !taken.length)
			throw Object.assign(new Error('it is full'), { code: 'ENOSPC' });
		this.#bytes.set(taken, this.#place);
		this.#place += taken.length;
		return taken.length;
	}
	at() { return this.#place; }
}
class Pipe extends Nowhere {
	#parts = [];
	write(bytes) {
		this.#parts.push(bytes.slice());
		return bytes.length;
	}
	read(bytes) {
		let n = 0;
		for (; n < bytes.length && this.#parts.length; ) {
			const part = this.#parts[0].subarray(0, bytes.length - n);
			bytes.set(part, n);
			n += part.length;
			if (part.length === this.#parts[0].length)
				this.#parts.shift();
			else
				this.#parts[0] = this.#parts[0].subarray(part.length);
		}
		return n;
	}
}

/* -- processes -- */

class Exit extends Error {
	constructor(code) {
		super(`it has ended with exit code ${code}`);
		this.code = code;
	}
}

const encoder = new TextEncoder(), decoder = new TextDecoder();
const args = ['lt-check', ...process.argv.slice(2)].map((word) => encoder.encode(`${word}\0`));
const environment = Object.entries(process.env).map(([name, value]) => encoder.encode(`${name}=${value}\0`));
const nowhere = new Nowhere();
let processes = 0;

class Process {
	#module; #exports; #ended = new Map(); #shared = [];

	/* parent: whose files and memory it begins with; null: those of node. */
	constructor(module, parent) {
		this.#module = module;
		this.pid = ++processes;
		this.files = new Map(parent ? parent.files : [0, 1, 2].map((fd) => [fd, new Host(fd)]));
		this.#exports = new WebAssembly.Instance(module, this.#imports()).exports;
		if (!parent)
			return;
		const from = parent.bytes, more = (from.length - this.bytes.length) / 65536;
		if (more > 0)
			this.#exports.memory.grow(more);
		this.bytes.set(from);
		this.#exports.stackRestore(parent.#exports.stackSave());
		this.#shared = [...parent.#shared];
	}
	get bytes() { return new Uint8Array(this.#exports.memory.buffer); }
	get #view() { return new DataView(this.#exports.memory.buffer); }
	#text(at) { return decoder.decode(this.bytes.slice(at, this.bytes.indexOf(0, at))); }

	/* What it ends with, as wait has it: an exit code in the second byte, or a signal in the first. */
	run(name, ...given) {
		try {
			this.#exports[name](...given);
			return 0;
		} catch (error) {
			if (error instanceof Exit)
				return (error.code & 255) << 8;
			this.files.get(2)?.write(encoder.encode(`${error.stack}\n`));
			return TRAP;
		}
	}
	#fork(body, user, fdAt) {
		const pipe = new Pipe(), child = new Process(this.#module, this);
		const fd = child.#opened(pipe), status = child.run('check_child', body, user, fd);
		for (const { at, n } of this.#shared)
			this.bytes.set(child.bytes.subarray(at, at + n), at);
		this.#ended.set(child.pid, status);
		this.#view.setInt32(fdAt, this.#opened(pipe), true);
		return child.pid;
	}

	/* -- files -- */

	#opened(file) {
		let fd = 0;
		while (this.files.has(fd))
			fd++;
		this.files.set(fd, file);
		return fd;
	}
	#file(fd) {
		if (!this.files.has(fd))
			throw Object.assign(new Error('no such file is open'), { code: 'EBADF' });
		return this.files.get(fd);
	}
	#open(path, flags) {
		if (path === '/dev/null')
			return this.#opened(nowhere);
		const write = flags & O_BOTH ? 'r+' : flags & O_WRITE ? 'w' : 'r';
		const how = flags & O_APPEND ? 'a' : flags & O_CREATE || flags & O_EMPTY ? flags & O_EXCLUSIVE ? 'wx' : 'w' : write;
		return this.#opened(new Host(openSync(path, how)));
	}
	/* Each piece of a list of places and sizes. */
	#pieces(at, n, done, use) {
		let all = 0;
		for (let i = 0; i < n; i++) {
			const from = this.#view.getUint32(at + 8 * i, true), bytes = this.#view.getUint32(at + 8 * i + 4, true);
			const some = use(this.bytes.subarray(from, from + bytes), all);
			all += some;
			if (some < bytes)
				break;
		}
		this.#view.setUint32(done, all, true);
		return 0;
	}
	#list(words, at, to) {
		words.forEach((word, i) => {
			this.#view.setUint32(at + 4 * i, to, true);
			this.bytes.set(word, to);
			to += word.length;
		});
		return 0;
	}
	#sizes(words, n, bytes) {
		this.#view.setUint32(n, words.length, true);
		this.#view.setUint32(bytes, words.reduce((all, word) => all + word.length, 0), true);
		return 0;
	}
	/* struct stat of emscripten's C library. */
	#stat(at, is) {
		this.bytes.fill(0, at, at + 88);
		this.#view.setUint32(at + 12, is.mode, true);
		this.#view.setBigInt64(at + 40, BigInt(is.size), true);
		return 0;
	}
	#imports() {
		/* A call that gives an error number, as it is or (sign -1) below zero. */
		const call = (sign, run) => (...given) => {
			try {
				return run(...given);
			} catch (error) {
				if (!error.code)
					throw error;
				return sign * errorOf(error);
			}
		};
		const all = (sign, calls) => Object.fromEntries(Object.entries(calls).map(([name, run]) => [name, call(sign, run)]));
		const env = { getTempRet0: () => 0, setTempRet0: () => {}, emscripten_notify_memory_growth: () => {},
			emscripten_return_address: () => 0, _dlopen_js: () => 0, _dlsym_js: () => 0, __call_sighandler: () => {},
			...all(-1, {
				__syscall_dup3: (from, to) => {
					this.files.set(to, this.#file(from));
					return to;
				},
				__syscall_openat: (from, path, flags) => this.#open(this.#text(path), flags),
				__syscall_ftruncate64: () => 0,
				__syscall_stat64: (path, at) => this.#stat(at, statSync(this.#text(path))),
				__syscall_fstat64: (fd, at) => this.#stat(at, this.#file(fd).stat()),
				__syscall_faccessat: (from, path) => {
					statSync(this.#text(path));
					return 0;
				},
				__syscall_mkdir: (path) => {
					mkdirSync(this.#text(path));
					return 0;
				},
			}) };
		return {
			env: new Proxy(env, { get: (known, name) => known[name]
				?? (String(name).startsWith('__syscall_') ? () => -ERRNO.ENOSYS : undefined) }),
			wasi_snapshot_preview1: { ...all(1, {
				fd_write: (fd, at, n, done) => {
					const file = this.#file(fd);
					return this.#pieces(at, n, done, (bytes) => file.write(bytes));
				},
				fd_read: (fd, at, n, done) => {
					const file = this.#file(fd);
					return this.#pieces(at, n, done, (bytes) => file.read(bytes));
				},
				fd_pread: (fd, at, n, from, done) => {
					const file = this.#file(fd);
					return this.#pieces(at, n, done, (bytes, before) => file.read(bytes, Number(from) + before));
				},
				fd_seek: (fd, by, whence, at) => {
					const place = this.#file(fd).at();
					if (place === null)
						return ERRNO.ESPIPE;
					this.#view.setBigInt64(at, BigInt(place), true);
					return by === 0n && whence === 1 ? 0 : ERRNO.EINVAL;
				},
				fd_fdstat_get: (fd, at) => {
					this.bytes.fill(0, at, at + 24);
					this.bytes[at] = this.#file(fd).isTerminal ? CHARACTER_DEVICE : REGULAR_FILE;
					return 0;
				},
				fd_close: (fd) => {
					const file = this.#file(fd);
					this.files.delete(fd);
					if (fd > 2)
						file.close?.();
					return 0;
				},
			}), args_sizes_get: (n, bytes) => this.#sizes(args, n, bytes), args_get: (at, to) => this.#list(args, at, to),
			environ_sizes_get: (n, bytes) => this.#sizes(environment, n, bytes),
			environ_get: (at, to) => this.#list(environment, at, to),
			clock_time_get: (clock, precision, at) => {
				this.#view.setBigUint64(at, clock === 0 ? BigInt(Date.now()) * 1000000n : process.hrtime.bigint(), true);
				return 0;
			},
			proc_exit: (code) => { throw new Exit(code); } },
			page: { ...engineOf(() => this.#exports),
				random: (at, n) => { crypto.getRandomValues(this.bytes.subarray(at, at + n)); },
				fork: (body, user, fdAt) => this.#fork(body, user, fdAt),
				wait: (pid) => {
					const status = this.#ended.get(pid) ?? -1;
					this.#ended.delete(pid);
					return status;
				},
				share: (at, n) => { this.#shared.push({ at, n }); },
				memory_file: () => this.#opened(new InMemory()),
				is_open: (fd) => this.files.has(fd) ? 1 : 0,
			},
		};
	}
}

const module = new WebAssembly.Module(readFileSync(new URL('lt-check.wasm', import.meta.url)));
/* V8 has two compilers, of which the second takes over when a module has run for a while, and they give other bits of a
 * NaN: what the backend prints is compiled by the second at once. */
setFlagsFromString('--no-liftoff');
const status = new Process(module, null).run('_start');
process.exitCode = status & 255 ? 128 + (status & 255) : status >> 8;
